/* SPDX-License-Identifier: BSD-3-Clause */
/* cables.c -- several switches in one file: which part a port belongs to, and where its cable
 * inside leads. See settings.h. */
#include "switch/run/settings.h"
#include <string.h>

/* Parts are numbered as they first come. */
static void number_part(struct switch_settings *s, uint32_t at, uint32_t *count)
{
	for (uint32_t i = 0; i < at; i++)
		if (strcmp(s->ports[i].part, s->ports[at].part) == 0) {
			s->ports[at].part_number = s->ports[i].part_number;
			return;
		}
	s->ports[at].part_number = (*count)++;
}

/* A cable has two ends, in two parts, and takes time. */
static int check_cable(struct switch_settings *s, uint32_t at, struct weir_error *e)
{
	struct port_settings *p = &s->ports[at];
	uint32_t peer;

	if (!p->to[0])
		return 0;
	if (settings_port(s, p->to, &peer, e))
		return weir_error_prefix(e, "%.200s:%d: port.%s.to: ", s->file, p->line, p->name);
	p->peer_plus_one = peer + 1;
	if (strcmp(s->ports[peer].to, p->name) != 0)
		return weir_error_set(e,
				      "%.200s:%d: port.%s.to: port %s does not lead here (to = %s)",
				      s->file, p->line, p->name, p->to, p->name);
	if (p->part_number == s->ports[peer].part_number)
		return weir_error_set(e, "%.200s:%d: port.%s.to: port %s is of the same part",
				      s->file, p->line, p->name, p->to);
	if (!p->delay_ps)
		return weir_error_set(e,
				      "%.200s:%d: port.%s.delay: a cable between parts needs one",
				      s->file, p->line, p->name);
	return 0;
}

int settings_check_cables(struct switch_settings *s, struct weir_error *e)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < s->port_count; i++)
		number_part(s, i, &parts);
	for (uint32_t i = 0; i < s->port_count; i++)
		if (check_cable(s, i, e))
			return -1;
	return 0;
}
