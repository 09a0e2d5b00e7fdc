/* SPDX-License-Identifier: BSD-3-Clause */
/* capture.c -- see capture.h. */
#include "cli/capture.h"
#include <string.h>

/* Two ports cannot write one file. (Into a device or a pipe, which has no temporary name, they
 * may.) */
static int check_file(const struct captures *c, struct weir_error *e)
{
	const struct pcap *last = &c->files[c->count];

	for (uint32_t i = 0; i < c->count; i++)
		if (last->output.temp && c->files[i].output.temp &&
		    strcmp(c->files[i].output.path, last->output.path) == 0)
			return weir_error_set(e, "%.300s is the file of two ports, %s and %s",
					      last->output.path, c->files[i].port, last->port);
	return 0;
}

static int open_one(struct captures *c, const char *port_and_file, const struct config *config,
		    enum frame_extent extent, struct weir_error *e)
{
	struct pcap *file = &c->files[c->count];

	if (c->count == CAPTURES_MAX)
		return weir_error_set(e, "at most %d ports at once", CAPTURES_MAX);
	if (pcap_open(file, port_and_file, config, extent, e))
		return -1;

	int failed = check_file(c, e);

	c->taps[c->count++] = pcap_tap(file);
	return failed;
}

int captures_open(struct captures *c, const struct arguments *a, const struct config *config,
		  struct weir_error *e)
{
	int is_whole = arguments_option(a, "--pcap-whole") != NULL;
	enum frame_extent extent = is_whole ? FRAME_WHOLE : FRAME_HEADERS;

	c->count = 0;
	for (size_t i = 0; i < a->count; i++) {
		if (!a->all[i].option || strcmp(a->all[i].option->name, "--pcap") != 0)
			continue;
		if (open_one(c, a->all[i].value, config, extent, e)) {
			captures_abandon(c);
			return weir_error_prefix(e, "--pcap: ");
		}
	}
	if (is_whole && c->count == 0)
		return weir_error_set(e, "--pcap-whole: is for captures; add --pcap PORT=FILE");
	return 0;
}

int captures_publish(struct captures *c, struct weir_error *e)
{
	while (c->count > 0) {
		c->count--;
		if (pcap_publish(&c->files[c->count], e)) {
			captures_abandon(c);
			return weir_error_prefix(e, "--pcap: ");
		}
	}
	return 0;
}

void captures_abandon(struct captures *c)
{
	while (c->count > 0)
		pcap_abandon(&c->files[--c->count]);
}
