/* SPDX-License-Identifier: BSD-3-Clause */
/* sections.c -- the table of a scenario's sections, and lookups of sections, kinds and keys. */
#include "lab/scenario/sections.h"
#include "sim/net/network.h"
#include "sim/traffic/traffic.h"
#include <stdio.h>
#include <string.h>

static int scheme_kind(const struct weir_scheme *s, struct kind *k)
{
	if (s)
		*k = (struct kind){ s->name, s->help, s->options, s };
	return s != NULL;
}

static int topology_kind(size_t i, struct kind *k)
{
	return scheme_kind(weir_registry_at(&topology_registry, i), k);
}

static int pattern_kind(size_t i, struct kind *k)
{
	return scheme_kind(weir_registry_at(&traffic_registry, i), k);
}

static const struct weir_scheme *find_topology(const char *name, struct weir_error *e)
{
	const struct topology_ops *ops = topology_find(name, e);

	return ops ? &ops->scheme : NULL;
}

static const struct weir_scheme *find_pattern(const char *name, struct weir_error *e)
{
	const struct weir_traffic_ops *ops = traffic_find(name, e);

	return ops ? &ops->scheme : NULL;
}

/* A scheme head is the first member of its ops. */
static void choose_topology(void *config, const struct weir_scheme *kind)
{
	topology_choose(config, (const struct topology_ops *)kind);
}

static void choose_pattern(void *config, const struct weir_scheme *kind)
{
	traffic_choose(config, (const struct weir_traffic_ops *)kind);
}

/* For sections with SECTION_PATHS. */
static const struct weir_option path_options[] = { { .name = NULL } };

static const struct weir_option root_options[] = {
	{ SEED_PATH, WEIR_OPT_COUNT, offsetof(struct config, seed), "1", 0, UINT64_MAX,
	  "start of every random number of the run", NULL },
	{ .name = NULL },
};

const struct section section_root = {
	.name = "",
	.help = "what belongs to no section",
	.options = root_options,
};

const struct section section_all[] = {
	{
		.name = "network",
		.help = "hosts, switches and the links between them",
		.options = network_options,
		.offset = offsetof(struct config, network),
		.example = "[network]",
		.kind = topology_kind,
		.find_kind = find_topology,
		.choose_kind = choose_topology,
		.kind_params = offsetof(struct network_config, params),
		.kind_lines = offsetof(struct network_config, links),
	},
	{
		.name = "switch",
		.help = "every egress port of every switch",
		.options = switch_options,
		.offset = offsetof(struct config, switches),
		.example = "[switch]",
	},
	{
		.name = "host",
		.help = "every host and its transport",
		.options = host_options,
		.offset = offsetof(struct config, host),
		.example = "[host]",
	},
	{
		.name = "rdma",
		.help = "queue pairs: flows whose congestion control is made for RDMA",
		.options = rdma_options,
		.offset = offsetof(struct config, rdma),
		.example = "[rdma]",
	},
	{
		.name = "traffic",
		.help = "flows; any number of sections, each with a name",
		.options = traffic_options,
		.example = "[traffic web]",
		.kind = pattern_kind,
		.find_kind = find_pattern,
		.choose_kind = choose_pattern,
		.kind_params = offsetof(struct traffic_config, params),
		.kind_lines = offsetof(struct traffic_config, flow_lines),
		.traits = SECTION_NAMED,
	},
	{
		.name = "measure",
		.help = "what is counted",
		.options = measure_options,
		.offset = offsetof(struct config, measure),
		.example = "[measure]",
	},
	{
		.name = "sweep",
		.help = "several values for any settings: every combination is a run. A key is a "
			"setting's path, its value a list: switch.marking = ecn, tcn, or "
			"traffic.web.load = 0.1..0.9/0.2, or seed = 1..5; or of an option of the "
			"scheme that a setting names: switch.marking.min = 10KB, 40KB, or "
			"host.cc.g = 1/16, 1/4. A list may go on in another line with the same "
			"key. Where no seed is given, here, in the file or by --seed, run takes "
			"seeds 1 to 5 of each, so that differences have an interval; seed = 1 "
			"takes one",
		.options = path_options,
		.example = "[sweep]",
		.traits = SECTION_PATHS,
	},
	{
		.name = "case",
		.help = "settings that belong together, under a name of letters, digits, dots and "
			"- _ #; any number of sections. A key is a setting's path: switch.marking "
			"= tcn, switch.queues = 8. The scenario is run in every case, or in those "
			"that [sweep] lists: case = a, b. Cases change slowest. What a case sets "
			"replaces what the sections say, in this case alone; what --set says "
			"replaces both, in all cases",
		.options = path_options,
		.example = "[case NAME]",
		.traits = SECTION_NAMED | SECTION_PATHS | SECTION_LATER,
	},
	{
		.name = "full",
		.help = "settings that replace those of the file with --full. A key is a setting's "
			"path, or sweep.PATH for a list: measure.to = 1s, sweep.seed = 1..10. "
			"Without --full the section is read and not used. What a case sets stands "
			"in [full NAME], below that case: settings that replace the case's",
		.options = path_options,
		.example = "[full]",
		.traits = SECTION_PATHS | SECTION_LATER,
	},
	{ .name = NULL },
};

const struct section *section_find(const char *name)
{
	for (const struct section *s = section_all; s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

const char *section_key_of(const char *path)
{
	const char *dot = strchr(path, '.'), *last = strrchr(path, '.');

	if (!dot)
		return path;
	for (const struct section *s = section_all; s->name; s++) {
		if (strncmp(s->name, path, strlen(s->name)) != 0 || path + strlen(s->name) != dot)
			continue;
		if (s->traits & SECTION_NAMED && dot != last)
			dot = strchr(dot + 1, '.');
		return dot + 1;
	}
	return last + 1;
}

int kind_read(const struct section *s, const char *name, struct kind *k, struct weir_error *e)
{
	const struct weir_scheme *found = s->find_kind ? s->find_kind(name, e) : NULL;

	memset(k, 0, sizeof(*k));
	if (!found)
		return -1;
	scheme_kind(found, k);
	k->name = name;
	return 0;
}

const struct weir_option *section_chooser(const struct section *s)
{
	for (const struct weir_option *o = s->options; o->name; o++)
		if (o->type == WEIR_OPT_SELECTOR)
			return o;
	return NULL;
}

const struct weir_option *section_spec(const struct section *s, const char *key)
{
	size_t length = strcspn(key, ".");

	for (const struct weir_option *o = s->options; o->name && key[length]; o++)
		if (o->type == WEIR_OPT_SCHEME && strlen(o->name) == length &&
		    strncmp(o->name, key, length) == 0)
			return o;
	return NULL;
}

int kind_find(const struct section *s, const char *name, struct kind *k)
{
	struct weir_error ignored;

	return kind_read(s, name, k, &ignored) == 0;
}

size_t kind_names(const struct section *s, const char *names[KINDS_MAX])
{
	struct kind k;
	size_t count = 0;

	while (count < KINDS_MAX && s->kind(count, &k))
		names[count++] = k.name;
	return count;
}

int section_has_key(const struct section *s, const char *key, const char *kind)
{
	const char *names[KEYS_MAX];
	size_t count = section_keys(s, kind, names);

	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], key) == 0)
			return 1;
	return 0;
}

static size_t add_keys(const char **names, size_t count, const struct weir_option *table)
{
	for (; table && table->name && count < KEYS_MAX; table++)
		names[count++] = table->name;
	return count;
}

size_t section_keys(const struct section *s, const char *kind, const char *names[KEYS_MAX])
{
	size_t count = add_keys(names, 0, s->options);
	struct kind k;

	if (kind && kind_find(s, kind, &k))
		count = add_keys(names, count, k.options);
	return count;
}

static int table_repeats(const struct weir_option *table, const char *key)
{
	const struct weir_option *o = table ? weir_option_find(table, key) : NULL;

	return o && o->type == WEIR_OPT_LINES;
}

int section_repeats(const struct section *s, const char *key)
{
	struct kind k;

	if (table_repeats(s->options, key))
		return 1;
	for (size_t i = 0; s->kind && s->kind(i, &k); i++)
		if (table_repeats(k.options, key))
			return 1;
	return 0;
}

const char *names_join(char *buffer, size_t size, const char *const *names, size_t count)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < count && used < size; i++) {
		const char *between = i == 0 ? "" : i + 1 == count ? " or " : ", ";

		used += (size_t)snprintf(buffer + used, size - used, "%s%s", between, names[i]);
	}
	return buffer;
}

/* --- views --- */

struct section_view section_view_single(struct config *c, const struct section *s)
{
	return (struct section_view){ .section = s,
				      .owner = s->name,
				      .params = (char *)c + s->offset };
}

struct section_view section_view_traffic(struct traffic_config *t, const char *owner)
{
	return (struct section_view){ .section = section_find("traffic"),
				      .owner = owner,
				      .params = t };
}

void *section_values(const struct section_view *v, const struct weir_option *table)
{
	return (char *)v->params + (table == v->section->options ? 0 : v->section->kind_params);
}

struct line_list *section_lines(const struct section_view *v, const struct weir_option *table,
				const struct weir_option *o)
{
	return (struct line_list *)((char *)v->params + (table == v->section->options
								 ? o->offset
								 : v->section->kind_lines));
}
