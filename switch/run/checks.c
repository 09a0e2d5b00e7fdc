/* SPDX-License-Identifier: BSD-3-Clause */
/* checks.c -- rejects contradictory settings of a real switch. Contract in settings.h. */
#include "config/fabric.h"
#include "switch/run/settings.h"
#include "switch/run/probe.h"
#include "weir/buffer.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The pair that a message "switch.marking: ..." refers to: the port's own, else that of
 * [switch]. */
static const struct ini_pair *checks_find_pair(const struct reader *r, const char *message,
					       uint32_t port)
{
	const struct ini_pair *found = NULL;
	const char *key = strchr(message, '.');

	for (uint32_t i = 0; key && i < r->pairs.count; i++) {
		const struct ini_pair *p = &r->pairs.list[i];
		size_t length = strlen(p->key);

		if (strncmp(key + 1, p->key, length) == 0 && key[1 + length] == ':' &&
		    (p->owner == OWNER_SWITCH || (p->owner == OWNER_PORT && p->number == port)))
			found = p;
	}
	return found;
}

/* Rejects keys of [switch] that only apply to simulated switches. */
static int checks_real_switch(const struct config *c, struct weir_error *e)
{
	if (fabric_is_on(c))
		return weir_error_set(e, "switch.fabric: %s is for simulated switches only",
				      c->fabric->scheme.name);
	if (c->switches.tune_read_delay.last_ps || c->switches.tune_write_delay.last_ps)
		return weir_error_set(e, "switch.tune-interval: a real switch has its own delays; "
					 "leave tune-read-delay and tune-write-delay out");
	if (c->lossless)
		return weir_error_set(e, "switch.lossless: 'weir switch' sends no PFC pause "
					 "frames");
	return 0;
}

static int checks_config(struct reader *r, struct config *c, uint32_t port, struct weir_error *e)
{
	const struct ini_pair *p;

	c->seed = r->s->seed;
	c->frame_max_bytes = (uint32_t)r->s->real.mtu_bytes + FRAME_HEADER_BYTES;
	if (config_check_switch(c, e) == 0 && checks_real_switch(c, e) == 0)
		return 0;
	p = checks_find_pair(r, e->text, port);
	return weir_error_prefix(e, "%.200s:%d: ", r->s->file,
				 p ? p->line : r->s->ports[port].line);
}

/* Parses "46 1" or "8-15 2". */
static int checks_read_dscp(struct switch_settings *s, const struct config_line *line,
			    struct weir_error *e)
{
	unsigned first, last, class_id;
	char more;
	int read = sscanf(line->text, "%2u-%2u %3u %c", &first, &last, &class_id, &more);

	if (read != 3) {
		read = sscanf(line->text, "%2u %3u %c", &first, &class_id, &more) == 2 ? 3 : 0;
		last = first;
	}
	if (read != 3 || first > last || last >= PLANE_DSCPS || class_id >= WEIR_QUEUES_MAX)
		return weir_error_set(e,
				      "%.200s:%d: real.dscp: %s; expected a DSCP, 0 to %d, or a "
				      "range as in 8-15, and a class, 0 to %d",
				      s->file, line->line, weir_quote(line->text).text,
				      PLANE_DSCPS - 1, WEIR_QUEUES_MAX - 1);
	for (; first <= last; first++)
		s->class_of_dscp[first] = (uint8_t)class_id;
	return 0;
}

/* Classes count from 0; a class without a queue is rejected. */
static int checks_classes(const struct switch_settings *s, struct weir_error *e)
{
	uint32_t queues = 0, highest = 0;

	for (uint32_t i = 0; i < s->port_count; i++)
		if (s->ports[i].config.queues > queues)
			queues = s->ports[i].config.queues;
	for (uint32_t i = 0; i < PLANE_DSCPS; i++)
		if (s->class_of_dscp[i] > highest)
			highest = s->class_of_dscp[i];
	if (highest < queues)
		return 0;
	return weir_error_set(e,
			      "%.200s:%d: real.dscp: class %" PRIu32
			      ", but no port has more than %" PRIu32
			      " queue%s (switch.queues); classes count from 0",
			      s->file, s->real.dscps.lines[s->real.dscps.count - 1].line, highest,
			      queues, queues == 1 ? "" : "s");
}

static int checks_addresses(const struct switch_settings *s, const struct port_settings *p,
			    struct weir_error *e)
{
	for (uint32_t i = 0; i < p->addresses.count; i++) {
		const struct config_line *line = &p->addresses.lines[i];
		uint64_t address;

		if (frame_address(line->text, &address) || !frame_is_for_one(address))
			return weir_error_set(e,
					      "%.200s:%d: port.%s.address: %s is not a unicast "
					      "MAC address, as in 02:00:00:00:00:01",
					      s->file, line->line, p->name,
					      weir_quote(line->text).text);
	}
	return 0;
}

static int checks_interfaces(const struct switch_settings *s, uint32_t at, struct weir_error *e)
{
	if (s->ports[at].to[0] && s->ports[at].interface[0])
		return weir_error_set(
			e, "%.200s:%d: port.%s.peer: a port has an interface or a peer, not both",
			s->file, s->ports[at].line, s->ports[at].name);
	for (uint32_t i = 0; i < at && !s->ports[at].to[0]; i++)
		if (strcmp(s->ports[i].interface, s->ports[at].interface) == 0)
			return weir_error_set(e,
					      "%.200s:%d: port.%s.interface: %s is that of port %s",
					      s->file, s->ports[at].line, s->ports[at].name,
					      s->ports[at].interface, s->ports[i].name);
	return 0;
}

/* Adds the location to an error in [real]. */
static int checks_locate_real(const struct reader *r, const char *key, struct weir_error *e)
{
	for (uint32_t i = 0; i < r->pairs.count; i++)
		if (r->pairs.list[i].owner == OWNER_REAL && strcmp(r->pairs.list[i].key, key) == 0)
			return reading_locate(r, &r->pairs.list[i], e);
	return -1;
}

static const struct wire_ops *const backends[] = { &wire_packet, &wire_xdp };

enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

static int checks_find_backend(struct reader *r, struct weir_error *e)
{
	const char *names[BACKENDS];

	for (size_t i = 0; i < BACKENDS; i++) {
		names[i] = backends[i]->name;
		if (strcmp(names[i], r->s->real.backend) == 0) {
			r->s->backend = backends[i];
			return 0;
		}
	}
	weir_error_unknown(e, "back-end", r->s->real.backend, names, BACKENDS);
	return checks_locate_real(r, "backend", e);
}

static int checks_probes(const struct switch_settings *s, struct weir_error *e)
{
	struct port_probe probe;

	for (uint32_t i = 0; i < s->real.probes.count; i++)
		if (port_probe_read(&probe, s, s->real.probes.lines[i].text, e))
			return weir_error_prefix(e, "%.200s:%d: real.probe: ", s->file,
						 s->real.probes.lines[i].line);
	return 0;
}

/* A port's first pair whose key has this prefix; NULL: none. */
static const struct ini_pair *checks_port_pair(const struct reader *r, uint32_t port,
					       const char *key)
{
	for (uint32_t i = 0; i < r->pairs.count; i++) {
		const struct ini_pair *p = &r->pairs.list[i];

		if (p->owner == OWNER_PORT && p->number == port &&
		    strncmp(p->key, key, strlen(key)) == 0)
			return p;
	}
	return NULL;
}

/* Each thread can serve only its own ports, so settings that span ports need one thread. */
static int checks_threads(const struct reader *r, struct weir_error *e)
{
	const struct switch_settings *s = r->s;
	uint64_t threads = s->real.threads;
	const char *shared = NULL;

	if (threads == 1)
		return 0;
	for (uint32_t i = 0; i < s->port_count; i++)
		if (s->ports[i].peer_plus_one)
			shared = "an internal link (port.NAME.peer)";
	if (s->config.switches.buffer_per == WEIR_BUFFER_PER_SWITCH)
		shared = "a shared buffer (switch.buffer-per = switch)";
	if (s->config.agent || s->config.tuner)
		shared = "an agent (switch.tune)";
	if (shared)
		weir_error_set(e, "%" PRIu64 " threads cannot share %s; leave one of the two out",
			       threads, shared);
	else if (threads > s->port_count)
		weir_error_set(e, "%" PRIu64 " threads, but %" PRIu32 " ports", threads,
			       s->port_count);
	else
		return 0;
	return checks_locate_real(r, "threads", e);
}

/* An agent controls all ports, and a shared buffer belongs to all ports of a switch or to none. */
static int checks_common_settings(const struct reader *r, struct weir_error *e)
{
	const struct switch_settings *s = r->s;
	int has_pool = s->config.switches.buffer_per == WEIR_BUFFER_PER_SWITCH;

	for (uint32_t i = 0; i < s->port_count; i++) {
		const struct ini_pair *tune = checks_port_pair(r, i, "tune");

		if (tune) {
			weir_error_set(e, "an agent tunes all ports; set it in [switch]");
			return reading_locate(r, tune, e);
		}
		if ((s->ports[i].config.switches.buffer_per == WEIR_BUFFER_PER_SWITCH) !=
		    has_pool) {
			weir_error_set(e, "a shared buffer is of all ports; set it in [switch]");
			return reading_locate(r, checks_port_pair(r, i, "buffer-per"), e);
		}
	}
	return 0;
}

/* --- internal links between switches of one file --- */

/* Numbers the switches in order of first appearance. */
static void checks_number_part(struct switch_settings *s, uint32_t at, uint32_t *count)
{
	for (uint32_t i = 0; i < at; i++)
		if (strcmp(s->ports[i].part, s->ports[at].part) == 0) {
			s->ports[at].part_number = s->ports[i].part_number;
			return;
		}
	s->ports[at].part_number = (*count)++;
}

/* An internal link has two ends in two different switches and a positive delay. */
static int checks_cable(struct switch_settings *s, uint32_t at, struct weir_error *e)
{
	struct port_settings *p = &s->ports[at];
	uint32_t peer;

	if (!p->to[0])
		return 0;
	if (settings_port(s, p->to, &peer, e))
		return weir_error_prefix(e, "%.200s:%d: port.%s.peer: ", s->file, p->line, p->name);
	p->peer_plus_one = peer + 1;
	if (strcmp(s->ports[peer].to, p->name) != 0)
		return weir_error_set(e,
				      "%.200s:%d: port.%s.peer: port %s does not lead back (peer "
				      "= %s)",
				      s->file, p->line, p->name, p->to, p->name);
	if (p->part_number == s->ports[peer].part_number)
		return weir_error_set(e, "%.200s:%d: port.%s.peer: port %s is of the same switch",
				      s->file, p->line, p->name, p->to);
	if (!p->delay_ps)
		return weir_error_set(e, "%.200s:%d: port.%s.delay: an internal link needs a delay",
				      s->file, p->line, p->name);
	return 0;
}

static int checks_cables(struct switch_settings *s, struct weir_error *e)
{
	uint32_t parts = 0;

	for (uint32_t i = 0; i < s->port_count; i++)
		checks_number_part(s, i, &parts);
	for (uint32_t i = 0; i < s->port_count; i++)
		if (checks_cable(s, i, e))
			return -1;
	return 0;
}

/* --- all together --- */

int reading_check_common(struct reader *r, struct weir_error *e)
{
	struct switch_settings *s = r->s;

	if (checks_find_backend(r, e))
		return -1;
	if (s->port_count < 2)
		return weir_error_set(e,
				      "%.200s: a switch has at least two ports; add sections "
				      "such as [port h0]",
				      s->file);
	for (uint32_t i = 0; i < s->real.dscps.count; i++)
		if (checks_read_dscp(s, &s->real.dscps.lines[i], e))
			return -1;
	return checks_config(r, &s->config, 0, e);
}

int reading_check_port(struct reader *r, uint32_t port, struct weir_error *e)
{
	struct switch_settings *s = r->s;

	return checks_config(r, &s->ports[port].config, port, e) ||
			       checks_addresses(s, &s->ports[port], e) ||
			       checks_interfaces(s, port, e)
		       ? -1
		       : 0;
}

int reading_check_whole(struct reader *r, struct weir_error *e)
{
	struct switch_settings *s = r->s;

	return checks_cables(s, e) || checks_classes(s, e) || checks_common_settings(r, e) ||
			       checks_probes(s, e) || checks_threads(r, e)
		       ? -1
		       : 0;
}
