/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c -- keys of a switch file that scenarios do not have, and the parser of that file.
 * Contract in settings.h. */
#include "switch/run/settings.h"
#include "weir/units.h"
#include "base/memory.h"
#include "config/markings.h"
#include "config/schemes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_PS ((uint64_t)(1000 * WEIR_PS_PER_S))
#define RATE_MAX_BPS (UINT64_C(400) * 1000 * 1000 * 1000)

enum { BUFFERS_MAX = 1 << 20, RING_MAX = 1 << 16 };

static const char *const unknown_choices[] = { "flood", "drop", NULL };
static const char *const urgent_choices[] = { "no", "nice", "realtime", NULL };
static const char *const dscp_form[] = { "DSCP CLASS, or FIRST-LAST CLASS", NULL };
static const char *const probe_form[] = { "WHAT PORT every TIME", NULL };
static const char *const address_form[] = { "02:00:00:00:00:01", NULL };

#define AT(member) offsetof(struct real_settings, member)
const struct weir_option real_options[] = {
	{ "backend", WEIR_OPT_TEXT, AT(backend), "packet", 0, 0,
	  "packet I/O back-end: packet (AF_PACKET), or xdp (AF_XDP), for drivers that support "
	  "it, without kernel timestamps and without checksum and VLAN offloads",
	  NULL },
	{ "mtu", WEIR_OPT_BYTES, AT(mtu_bytes), "1500B", 68, FRAME_MAX_BYTES - 64,
	  "MTU: largest payload of a frame behind addresses, tags and EtherType; longer frames "
	  "are dropped and counted. NICs and veth pairs with segmentation offloads (TSO, GSO, "
	  "GRO) deliver longer ones: disable these with ethtool -K",
	  NULL },
	{ "buffers", WEIR_OPT_COUNT, AT(buffers), "16384", 64, BUFFERS_MAX,
	  "frame buffers of the switch, for frames queued or in flight; frames that arrive when "
	  "none is free are dropped and counted",
	  NULL },
	{ "ring", WEIR_OPT_COUNT, AT(ring_frames), "2048", 64, RING_MAX,
	  "receive ring of each interface, in frames", NULL },
	{ "learn", WEIR_OPT_FLAG, AT(learn), "yes", 0, 1,
	  "MAC learning from source addresses; addresses that a port lists are static", NULL },
	{ "ageing-time", WEIR_OPT_TIME_PS, AT(age_ps), "300s", WEIR_PS_PER_S, LONGEST_PS,
	  "ageing time of learned addresses", NULL },
	{ "unknown", WEIR_OPT_CHOICE, AT(unknown), "flood", 0, 1,
	  "frames with an unknown destination: flood to all other ports, or drop",
	  unknown_choices },
	{ "dscp", WEIR_OPT_LINES, AT(dscps), NULL, 0, 0,
	  "traffic class by DSCP (RFC 2474), as in: 46 1, or 8-15 2; all others, and non-IP "
	  "frames, have class 0",
	  dscp_form },
	{ "catch-up", WEIR_OPT_TIME_PS, AT(catch_up_ps), "1ms", 0, WEIR_PS_PER_S,
	  "after the process was descheduled, send what the links could have sent in up to this "
	  "time; the rest is lost",
	  NULL },
	{ "rtt", WEIR_OPT_TIME_NS, AT(rtt_ns), "0us", 0, WEIR_NS_PER_S,
	  "base round-trip time, for schemes that use it; 0us: computed from rates and delays of "
	  "the two slowest ports",
	  NULL },
	{ "priority", WEIR_OPT_CHOICE, AT(urgent), "realtime", 0, 2,
	  "scheduling priority of the process: realtime (SCHED_FIFO), nice (-20), or no; ignored "
	  "if the kernel refuses",
	  urgent_choices },
	{ "threads", WEIR_OPT_COUNT, AT(threads), "1", 1, REAL_THREADS_MAX,
	  "forwarding threads; ports are divided among them in the order of the file, and frames "
	  "between ports of different threads are handed over. More than one helps only on idle "
	  "cores; not with switch.tune, buffer-per = switch or internal links",
	  NULL },
	{ "socket", WEIR_OPT_TEXT, AT(socket), NULL, 0, 0,
	  "control socket for 'weir switch status' and others; not given: /run/weir-NAME.sock, "
	  "for NAME.ini",
	  NULL },
	{ "prometheus", WEIR_OPT_COUNT, AT(prometheus), "0", 0, UINT16_MAX,
	  "TCP port on 127.0.0.1 of the Prometheus endpoint, /metrics; 0: none", NULL },
	{ "probe", WEIR_OPT_LINES, AT(probes), NULL, 0, 0,
	  "a time series in the results, as in: queue b every 10ms. WHAT is queue, queue-bytes, "
	  "throughput, marks or drops of a port",
	  probe_form },
	{ .name = NULL },
};
#undef AT

#define AT(member) offsetof(struct port_settings, member)
const struct weir_option real_port_options[] = {
	{ "interface", WEIR_OPT_TEXT, AT(interface), NULL, 0, 0,
	  "network interface; not given: the port's name", NULL },
	{ "rate", WEIR_OPT_RATE_BPS, AT(rate_bps), "100Mbps", 1000 * 1000, RATE_MAX_BPS,
	  "link rate of the port, at which its queue drains; the real interface must be faster",
	  NULL },
	{ "delay", WEIR_OPT_TIME_PS, AT(delay_ps), "0us", 0, 10 * WEIR_PS_PER_S,
	  "propagation delay, from the end of serialisation until the frame is sent", NULL },
	{ "switch", WEIR_OPT_TEXT, AT(part), NULL, 0, 0,
	  "switch that the port belongs to, by name, if one file holds several; each has its own "
	  "forwarding table and shared buffer, and ports with peer connect them",
	  NULL },
	{ "peer", WEIR_OPT_TEXT, AT(to), NULL, 0, 0,
	  "peer port of an internal link to another switch of the file, in place of an "
	  "interface; both ports name each other and have a delay",
	  NULL },
	{ "address", WEIR_OPT_LINES, AT(addresses), NULL, 0, 0,
	  "static MAC address of a host behind the port; may be given several times. If several "
	  "ports list an address, flows to it are hashed among them (ECMP)",
	  address_form },
	{ .name = NULL },
};
#undef AT

/* --- reading --- */

static const char *const section_names[] = { "switch", "real", "port" };

static int settings_open_port(struct reader *r, struct ini_place *at, const char *name)
{
	struct switch_settings *s = r->s;

	if (!ini_name_is_good(name, "-_."))
		return weir_error_set(at->e,
				      "[port]: name %s; allowed are up to 63 letters, digits, - _ "
				      "and ., as in [port h0]",
				      *name ? weir_quote(name).text : "is missing");
	for (uint32_t i = 0; i < s->port_count; i++)
		if (strcmp(s->ports[i].name, name) == 0)
			return weir_error_set(at->e, "port.%s: given twice, first in line %d", name,
					      s->ports[i].line);
	if (s->port_count == PLANE_PORTS_MAX)
		return weir_error_set(at->e, "too many ports; allowed are %d", PLANE_PORTS_MAX);
	s->ports = memory_grow(s->ports, s->port_count + UINT64_C(1), sizeof(*s->ports));
	memset(&s->ports[s->port_count], 0, sizeof(*s->ports));
	snprintf(s->ports[s->port_count].name, sizeof(s->ports->name), "%s", name);
	s->ports[s->port_count++].line = at->line;
	r->owner = OWNER_PORT;
	return 0;
}

static int settings_take_header(void *user, struct ini_place *at, const char *kind,
				const char *name)
{
	struct reader *r = user;
	int which = strcmp(kind, "real") == 0;

	if (strcmp(kind, "port") == 0)
		return settings_open_port(r, at, name);
	if (!which && strcmp(kind, "switch") != 0)
		return weir_error_unknown(at->e, "section", kind, section_names, 3);
	if (*name)
		return weir_error_set(at->e, "[%s %s]: only [port NAME] has a name; write [%s]",
				      kind, weir_quote(name).text, kind);
	if (r->seen[which])
		return weir_error_set(at->e, "%s: given twice, first in line %d", kind,
				      r->seen[which]);
	r->seen[which] = at->line;
	r->owner = which ? OWNER_REAL : OWNER_SWITCH;
	return 0;
}

/* A port may have keys of [switch] besides its own. */
static const char *settings_current_key(struct reader *r, int line, const char *key)
{
	const char *now = key;

	if (r->owner == OWNER_PORT)
		now = setting_current_key("port", key);
	if (now == key && r->owner != OWNER_ROOT)
		now = setting_current_key(r->owner == OWNER_REAL ? "real" : "switch", key);
	if (now != key)
		setting_note_renamed(r->s->renamed, r->s->file, line, key, now);
	return now;
}

static int settings_take_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct reader *r = user;
	struct ini_pair pair = {
		.owner = (int)r->owner,
		.number = r->s->port_count ? r->s->port_count - 1 : 0,
		.value = (char *)value,
	};

	pair.key = (char *)settings_current_key(r, at->line, key);
	if (r->owner == OWNER_ROOT && *key != '\0' && strcmp(key, "seed") != 0)
		return weir_error_set(at->e, "%s stands before the first section; only seed may",
				      weir_quote(key).text);
	return ini_pairs_add(&r->pairs, at, &pair, "rate = 100Mbps");
}

static void settings_take_title(void *user, const char *text)
{
	struct switch_settings *s = ((struct reader *)user)->s;

	snprintf(s->title, sizeof(s->title), "%s", text);
}

static const struct ini_form form = {
	.what = "switch settings",
	.example = "[switch] or [port h0]",
	.title = settings_take_title,
	.section = settings_take_header,
	.pair = settings_take_pair,
};

/* --- settings from pairs --- */

int reading_locate(const struct reader *r, const struct ini_pair *p, struct weir_error *e)
{
	char section[128] = "";

	if (p->owner == OWNER_PORT)
		snprintf(section, sizeof(section), "port.%s.", r->s->ports[p->number].name);
	else if (p->owner != OWNER_ROOT)
		snprintf(section, sizeof(section), "%s.", section_names[p->owner - OWNER_SWITCH]);
	return ini_pair_locate(p, r->s->file, section, e);
}

/* Finds the option table that has the key; a port's own keys come before those of [switch]. */
static const struct weir_option *settings_find_option(const struct ini_pair *p,
						      const struct weir_option **table)
{
	const struct weir_option *o;

	*table = p->owner == OWNER_REAL   ? real_options
		 : p->owner == OWNER_PORT ? real_port_options
					  : switch_options;
	o = weir_option_find(*table, p->key);
	if (!o && p->owner == OWNER_PORT) {
		*table = switch_options;
		o = weir_option_find(*table, p->key);
	}
	return o;
}

static int settings_unknown_key(const struct ini_pair *p, struct weir_error *e)
{
	const struct weir_option *tables[2] = { switch_options, NULL };
	const char *names[64];
	size_t count = 0;

	if (p->owner == OWNER_REAL)
		tables[0] = real_options;
	if (p->owner == OWNER_PORT)
		tables[1] = real_port_options;
	for (size_t t = 0; t < 2; t++)
		for (const struct weir_option *o = tables[t]; o && o->name && count < 64; o++)
			if (strcmp(o->name, MARKING_PART_KEY) != 0)
				names[count++] = o->name;
	return weir_error_unknown(e, "key", p->key, names, count);
}

/* Sets the value in the params struct that the table describes. */
static int settings_set_value(void *params, const struct weir_option *o, const struct ini_pair *p,
			      struct weir_error *e)
{
	if (o->type != WEIR_OPT_LINES)
		return weir_option_parse(params, o, p->value, e);
	line_list_add((struct line_list *)(void *)((char *)params + o->offset), p->value, p->line);
	return 0;
}

/* Applies the pair if it concerns this port (NULL: [real] and the [switch] common to all ports). */
static int settings_apply_pair(struct reader *r, const struct ini_pair *p,
			       struct port_settings *port, struct weir_error *e)
{
	const struct weir_option *table, *o = settings_find_option(p, &table);
	struct config *c = port ? &port->config : &r->s->config;

	if (!o || strcmp(o->name, MARKING_PART_KEY) == 0)
		return settings_unknown_key(p, e);
	if (table == switch_options)
		return settings_set_value(&c->switches, o, p, e);
	if (table == real_port_options)
		return settings_set_value(port, o, p, e);
	return port ? 0 : settings_set_value(&r->s->real, o, p, e);
}

/* Was the key of that pair given earlier in the same section? */
static int settings_is_repeated(const struct reader *r, uint32_t at, struct weir_error *e)
{
	const struct weir_option *table, *o = settings_find_option(&r->pairs.list[at], &table);
	const struct ini_pair *earlier = ini_pairs_earlier(&r->pairs, at);

	if (!earlier || (o && o->type == WEIR_OPT_LINES))
		return 0;
	return weir_error_set(e, "given twice, first in line %d", earlier->line);
}

static int settings_fill_common(struct reader *r, struct weir_error *e)
{
	static const struct weir_option seed = { "seed", WEIR_OPT_COUNT, 0,  "1",
						 0,      UINT64_MAX,     "", NULL };

	for (uint32_t i = 0; i < r->pairs.count; i++) {
		const struct ini_pair *p = &r->pairs.list[i];
		int failed = settings_is_repeated(r, i, e);

		if (!failed && p->owner == OWNER_ROOT)
			failed = weir_option_parse(&r->s->seed, &seed, p->value, e);
		else if (!failed && p->owner != OWNER_PORT)
			failed = settings_apply_pair(r, p, NULL, e);
		if (failed)
			return reading_locate(r, p, e);
	}
	return 0;
}

/* Applies [switch] first, then the port's own keys. */
static int settings_fill_port(struct reader *r, uint32_t number, struct weir_error *e)
{
	struct port_settings *port = &r->s->ports[number];

	config_init(&port->config);
	weir_options_default(port, real_port_options);
	for (int own = 0; own < 2; own++)
		for (uint32_t i = 0; i < r->pairs.count; i++) {
			const struct ini_pair *p = &r->pairs.list[i];
			int is_own = p->owner == OWNER_PORT && p->number == number;

			if (own ? !is_own : p->owner != OWNER_SWITCH)
				continue;
			if (settings_apply_pair(r, p, port, e))
				return reading_locate(r, p, e);
		}
	if (!port->interface[0] && !port->to[0])
		snprintf(port->interface, sizeof(port->interface), "%s", port->name);
	return 0;
}

static int settings_fill(struct reader *r, struct weir_error *e)
{
	if (settings_fill_common(r, e) || reading_check_common(r, e))
		return -1;
	for (uint32_t i = 0; i < r->s->port_count; i++)
		if (settings_fill_port(r, i, e) || reading_check_port(r, i, e))
			return -1;
	return reading_check_whole(r, e);
}

/* --- files --- */

int settings_read_text(struct switch_settings *s, const char *file, const char *text, size_t length,
		       struct weir_error *e)
{
	const struct ini_text in = { file, text, length };
	struct reader r = { .s = s };
	int failed;

	memset(s, 0, sizeof(*s));
	s->seed = 1;
	snprintf(s->file, sizeof(s->file), "%s", file);
	config_init(&s->config);
	weir_options_default(&s->real, real_options);
	failed = ini_read(&form, &r, &in, e) || settings_fill(&r, e);
	ini_pairs_free(&r.pairs);
	if (failed)
		settings_free(s);
	return failed ? -1 : 0;
}

int settings_read(struct switch_settings *s, const char *file, struct weir_error *e)
{
	size_t length;
	char *text = ini_load(&form, file, &length, e);
	int failed;

	if (!text)
		return -1;
	plugin_permit_tree_of(file);
	failed = settings_read_text(s, file, text, length, e);
	free(text);
	return failed;
}

void settings_free(struct switch_settings *s)
{
	for (uint32_t i = 0; i < s->port_count; i++) {
		line_list_free(&s->ports[i].addresses);
		config_free(&s->ports[i].config);
	}
	free(s->ports);
	line_list_free(&s->real.dscps);
	line_list_free(&s->real.probes);
	config_free(&s->config);
	memset(s, 0, sizeof(*s));
}

int settings_port(const struct switch_settings *s, const char *name, uint32_t *port,
		  struct weir_error *e)
{
	const char *names[PLANE_PORTS_MAX];

	for (uint32_t i = 0; i < s->port_count; i++) {
		names[i] = s->ports[i].name;
		if (strcmp(names[i], name) == 0) {
			*port = i;
			return 0;
		}
	}
	return weir_error_unknown(e, "port", name, names, s->port_count);
}
