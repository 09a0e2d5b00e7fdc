/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c -- from the pairs of a real switch's file to settings. See settings.h. */
#include "switch/run/reading.h"
#include "base/memory.h"
#include "config/markings.h"
#include "config/plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --- */

static const char *const section_names[] = { "switch", "real", "port" };

static int open_port(struct reader *r, struct ini_place *at, const char *name)
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

static int take_header(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct reader *r = user;
	int which = strcmp(kind, "real") == 0;

	if (strcmp(kind, "port") == 0)
		return open_port(r, at, name);
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

static int take_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct reader *r = user;
	const struct ini_pair pair = {
		.owner = (int)r->owner,
		.number = r->s->port_count ? r->s->port_count - 1 : 0,
		.key = (char *)key,
		.value = (char *)value,
	};

	if (r->owner == OWNER_ROOT && *key != '\0' && strcmp(key, "seed") != 0)
		return weir_error_set(at->e, "%s stands before the first section; only seed may",
				      weir_quote(key).text);
	return ini_pairs_add(&r->pairs, at, &pair, "rate = 100Mbps");
}

static void take_title(void *user, const char *text)
{
	struct switch_settings *s = ((struct reader *)user)->s;

	snprintf(s->title, sizeof(s->title), "%s", text);
}

static const struct ini_form form = {
	.what = "the settings of a switch",
	.example = "[switch] or [port h0]",
	.title = take_title,
	.section = take_header,
	.pair = take_pair,
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

/* Which table holds the key; of a port its own comes before that of [switch]. */
static const struct weir_option *find_option(const struct ini_pair *p,
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

static int unknown_key(const struct ini_pair *p, struct weir_error *e)
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

/* Sets the value in params, which the table describes. */
static int set_value(void *params, const struct weir_option *o, const struct ini_pair *p,
		     struct weir_error *e)
{
	if (o->type != WEIR_OPT_LINES)
		return weir_option_parse(params, o, p->value, e);
	line_list_add((struct line_list *)(void *)((char *)params + o->offset), p->value, p->line);
	return 0;
}

/* The pair as far as it is for this port (NULL: for [real] and all ports' [switch]). */
static int apply(struct reader *r, const struct ini_pair *p, struct port_settings *port,
		 struct weir_error *e)
{
	const struct weir_option *table, *o = find_option(p, &table);
	struct config *c = port ? &port->config : &r->s->config;

	if (!o || strcmp(o->name, MARKING_PART_KEY) == 0)
		return unknown_key(p, e);
	if (table == switch_options)
		return set_value(&c->switches, o, p, e);
	if (table == real_port_options)
		return set_value(port, o, p, e);
	return port ? 0 : set_value(&r->s->real, o, p, e);
}

/* Is the key of that pair given before, in the same section? */
static int is_twice(const struct reader *r, uint32_t at, struct weir_error *e)
{
	const struct weir_option *table, *o = find_option(&r->pairs.list[at], &table);
	const struct ini_pair *earlier = ini_pairs_earlier(&r->pairs, at);

	if (!earlier || (o && o->type == WEIR_OPT_LINES))
		return 0;
	return weir_error_set(e, "given twice, first in line %d", earlier->line);
}

static int fill_common(struct reader *r, struct weir_error *e)
{
	static const struct weir_option seed = { "seed", WEIR_OPT_COUNT, 0,  "1",
						 0,      UINT64_MAX,     "", NULL };

	for (uint32_t i = 0; i < r->pairs.count; i++) {
		const struct ini_pair *p = &r->pairs.list[i];
		int failed = is_twice(r, i, e);

		if (!failed && p->owner == OWNER_ROOT)
			failed = weir_option_parse(&r->s->seed, &seed, p->value, e);
		else if (!failed && p->owner != OWNER_PORT)
			failed = apply(r, p, NULL, e);
		if (failed)
			return reading_locate(r, p, e);
	}
	return 0;
}

/* [switch] first, and then the port's own. */
static int fill_port(struct reader *r, uint32_t number, struct weir_error *e)
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
			if (apply(r, p, port, e))
				return reading_locate(r, p, e);
		}
	if (!port->interface[0] && !port->to[0])
		snprintf(port->interface, sizeof(port->interface), "%s", port->name);
	return 0;
}

static int fill(struct reader *r, struct weir_error *e)
{
	if (fill_common(r, e) || reading_check_common(r, e))
		return -1;
	for (uint32_t i = 0; i < r->s->port_count; i++)
		if (fill_port(r, i, e) || reading_check_port(r, i, e))
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
	failed = ini_read(&form, &r, &in, e) || fill(&r, e);
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
