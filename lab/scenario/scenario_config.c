/* scenario_config.c -- from settings to a config, and back to the settings that it stands for. */
#include "lab/scenario/scenario.h"
#include "lab/base/digest.h"
#include "lab/scenario/sections.h"
#include "sim/config/fabric.h"
#include "sim/config/plugin.h"
#include "sim/net/network.h"
#include "sim/traffic/workload.h"
#include "weir/cc.h"
#include "weir/mark.h"
#include "weir/sched.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS_MAX = 32, VALUE_ROOM = 4096 };

static const struct weir_option seed_option = { "seed",
						WEIR_OPT_COUNT,
						offsetof(struct config, seed),
						"1",
						0,
						UINT64_MAX,
						"start of every random number of the run",
						NULL };

/* A section of the config that is being filled: its keys and where their values go. */
struct target {
	const struct section *section;
	struct kind kind;  /* .name NULL: the section has no kinds */
	const char *owner; /* "network", "traffic.web" */
	void *params;
};

/* [traffic NAME] may be there many times, [sweep] and the like hold settings of the others. */
static int is_single(const struct section *s)
{
	return s->traits == 0;
}

/* The values of the keys in a table: of the section, or of its kind. */
static void *values_of(const struct target *t, const struct weir_option *table)
{
	return (char *)t->params + (table == t->section->options ? 0 : t->section->kind_params);
}

static struct target target_of(struct config *c, const char *section)
{
	struct target t = { .section = section_find(section), .owner = section };

	if (strcmp(section, "network") == 0)
		t.params = &c->network;
	else if (strcmp(section, "switch") == 0)
		t.params = &c->switches;
	else if (strcmp(section, "host") == 0)
		t.params = &c->host;
	else if (strcmp(section, "rdma") == 0)
		t.params = &c->rdma;
	else
		t.params = &c->measure;
	return t;
}

/* --- the kind: topology or pattern --- */

static size_t kind_names(const struct section *s, const char *names[KINDS_MAX])
{
	struct kind k;
	size_t count = 0;

	while (count < KINDS_MAX && s->kind(count, &k))
		names[count++] = k.name;
	return count;
}

/* Reads which topology or pattern it is and fills in that one's defaults. */
static int choose_kind(const struct scenario *s, struct target *t, struct weir_error *e)
{
	const char *names[KINDS_MAX];
	const struct setting *chosen;
	char path[192], list[512];
	size_t count;

	if (!t->section->chooser)
		return 0;
	count = kind_names(t->section, names);
	snprintf(path, sizeof(path), "%s.%s", t->owner, t->section->chooser);
	chosen = scenario_find(s, path);
	if (!chosen) {
		weir_error_set(e, "%s: not given; one of %s", path,
			       names_join(list, sizeof(list), names, count));
		return scenario_locate(s, e);
	}
	if (kind_read(t->section, chosen->value, &t->kind, e))
		return setting_prefix(s, chosen, e);
	t->section->choose_kind(t->params, t->kind.scheme);
	return 0;
}

/* --- one setting --- */

static int unknown_key(const struct target *t, const char *key, struct weir_error *e)
{
	const struct section *s = t->section;
	const char *names[KEYS_MAX], *owners[KINDS_MAX];
	char own[512], others[256];
	size_t count = section_keys(s, t->kind.name, names), owner_count = 0;
	struct kind k;

	if (strcmp(key, "seed") == 0)
		return weir_error_set(e, "seed stands before the first section, or after --seed");
	for (size_t i = 0; s->kind && s->kind(i, &k) && owner_count < KINDS_MAX; i++)
		if (section_has_key(s, key, k.name))
			owners[owner_count++] = k.name;
	if (owner_count == 0)
		return weir_error_unknown(e, "key", key, names, count);
	return weir_error_set(e, "%s %s has no such key, only %s has; allowed are %s", s->chooser,
			      t->kind.name, names_join(others, sizeof(others), owners, owner_count),
			      names_join(own, sizeof(own), names, count));
}

static int add_line(struct target *t, const struct repeat *r, const struct setting *at,
		    struct weir_error *e)
{
	struct line_list *list = (struct line_list *)((char *)t->params + r->offset);
	const char *rest = at->value, *end;
	char line[WEIR_OPT_TEXT_SIZE];
	size_t length;

	do {
		rest = line_part(rest, &length);
		end = rest + strcspn(rest, ";");
		if (length == 0 || length >= sizeof(line))
			return weir_error_set(e, "%s; a line is %s, several are divided by ;",
					      weir_quote(at->value).text, r->form);
		snprintf(line, sizeof(line), "%.*s", (int)length, rest);
		if (line_list_add(list, line, at->line))
			return weir_error_set(e, "no memory");
		rest = end + 1;
	} while (*end == ';');
	return 0;
}

int setting_parse(void *params, const struct weir_option *o, const char *value,
		  struct weir_error *e)
{
	size_t length = strlen(o->name);

	if (weir_option_parse(params, o, value, e) == 0)
		return 0;
	/* The place that is put in front names the key already. */
	if (strncmp(e->text, o->name, length) == 0 && strncmp(e->text + length, ": ", 2) == 0)
		memmove(e->text, e->text + length + 2, strlen(e->text + length + 2) + 1);
	return -1;
}

static int apply(struct target *t, const char *key, const struct setting *at, struct weir_error *e)
{
	const struct repeat *r = repeat_find(t->section->name, key);
	const struct weir_option *table = t->section->options, *o = weir_option_find(table, key);

	if (!o && t->kind.name) {
		table = t->kind.options;
		o = table ? weir_option_find(table, key) : NULL;
	}
	if (o)
		return setting_parse(values_of(t, table), o, at->value, e);
	if (r && section_has_key(t->section, key, t->kind.name))
		return add_line(t, r, at, e);
	return unknown_key(t, key, e);
}

/* Every setting of the section, in the order given. */
static int fill(const struct scenario *s, struct target *t, struct weir_error *e)
{
	size_t length = strlen(t->owner);
	const struct setting *at;

	if (choose_kind(s, t, e))
		return -1;
	for (uint32_t i = 0; (at = scenario_next(s, &i));) {
		if (strncmp(at->path, t->owner, length) != 0 || at->path[length] != '.')
			continue;
		if (apply(t, at->path + length + 1, at, e))
			return setting_prefix(s, at, e);
	}
	return 0;
}

static int fill_seed(const struct scenario *s, struct config *c, struct weir_error *e)
{
	const struct setting *at = scenario_find(s, "seed");

	if (at && setting_parse(c, &seed_option, at->value, e))
		return setting_prefix(s, at, e);
	return 0;
}

static int fill_all(const struct scenario *s, struct config *c, struct weir_error *e)
{
	for (const struct section *section = section_all; section->name; section++) {
		struct target t;

		if (!is_single(section))
			continue;
		t = target_of(c, section->name);
		if (fill(s, &t, e))
			return -1;
	}
	for (uint32_t i = 0; i < s->section_count; i++) {
		const char *owner = s->sections[i].path, *dot = strchr(owner, '.');
		struct target t = { .section = section_find("traffic"), .owner = owner };
		struct traffic_config *traffic;

		if (!dot)
			continue;
		traffic = config_add_traffic(c, dot + 1);
		if (!traffic)
			return weir_error_set(e, "%s: no memory", owner);
		traffic->line = s->sections[i].line;
		t.params = traffic;
		if (fill(s, &t, e))
			return -1;
	}
	return fill_seed(s, c, e);
}

int scenario_config(const struct scenario *s, struct config *c, struct weir_error *e)
{
	int failed;

	config_init(c);
	snprintf(c->title, sizeof(c->title), "%s", s->title);
	snprintf(c->file, sizeof(c->file), "%s", s->file);
	if (s->in_case)
		snprintf(c->case_name, sizeof(c->case_name), "%s", s->in_case->name);
	failed = fill_all(s, c, e);
	if (!failed && config_check(c, e))
		failed = scenario_locate(s, e);
	if (failed)
		config_free(c);
	return failed;
}

/* --- back to settings --- */

struct listing {
	const struct config *config;
	setting_visitor *visit;
	void *context;
};

static void list_one(const struct listing *l, const char *owner, const char *key, const char *text)
{
	char path[192];

	snprintf(path, sizeof(path), "%s.%s", owner, key);
	l->visit(l->context, path, text);
}

/* The traffic section whose congestion control this text is; NULL: none. */
static const struct traffic_config *traffic_of_cc(const struct config *c, const char *value)
{
	for (uint32_t i = 0; i < c->traffic_count; i++)
		if (value == c->traffic[i].cc && value[0])
			return &c->traffic[i];
	return NULL;
}

/* The scheduler that was asked for; a marking or fabric scheme may have brought another. */
static void scheduler_text(const struct config *c, const char *name, char *text)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_sched_ops *sched;
	struct weir_error e;

	if (!c->mark->layout && !c->fabric->layout)
		weir_spec_format(text, VALUE_ROOM, name, c->sched->scheme.options, c->sched_params);
	else if (any_sched_parse(c->switches.scheduler, 1, &sched, params, &e) == 0)
		weir_spec_format(text, VALUE_ROOM, name, sched->scheme.options, params);
	else
		snprintf(text, VALUE_ROOM, "%s", c->switches.scheduler);
}

/* A scheme with every option spelled out, so that runs of equal meaning have equal settings. */
static void value_text(const struct config *c, const void *params, const struct weir_option *o,
		       char *text)
{
	const char *value = (const char *)params + o->offset;
	char name[WEIR_OPT_TEXT_SIZE];
	struct weir_error e;

	/* Of a plug-in, the name is its path and not what it calls itself. */
	if (o->type == WEIR_OPT_TEXT && weir_spec_name(value, name, sizeof(name), &e))
		name[0] = '\0';
	if (value == c->switches.marking)
		weir_spec_format(text, VALUE_ROOM, name, c->mark->scheme.options, c->mark_params);
	else if (value == c->switches.scheduler)
		scheduler_text(c, name, text);
	else if (value == c->switches.fabric)
		weir_spec_format(text, VALUE_ROOM, name, c->fabric->scheme.options,
				 c->fabric_params);
	else if (value == c->host.cc)
		weir_spec_format(text, VALUE_ROOM, name, c->cc->scheme.options, c->cc_params);
	else if (traffic_of_cc(c, value))
		weir_spec_format(text, VALUE_ROOM, name,
				 traffic_of_cc(c, value)->cc_ops->scheme.options,
				 traffic_of_cc(c, value)->cc_params);
	else
		weir_option_format(text, VALUE_ROOM, o, params);
}

/* --- what is in the files that settings name --- */

/* Visits "digest.PATH". */
static int list_digest(const struct listing *l, const char *path, const char *file,
		       struct weir_error *e)
{
	char name[192];
	struct digest d;

	if (file_digest(file, &d, e))
		return weir_error_prefix(e, "%s: ", path);
	snprintf(name, sizeof(name), "digest.%s", path);
	l->visit(l->context, name, d.text);
	return 0;
}

static int list_plugin(const struct listing *l, const char *path, const char *spec,
		       struct weir_error *e)
{
	char file[WEIR_OPT_TEXT_SIZE];

	if (!is_plugin(spec))
		return 0;
	return weir_spec_name(spec, file, sizeof(file), e) ? -1 : list_digest(l, path, file, e);
}

/* The value of a key that the kind may have; "" where it has not. */
static const char *kind_text(const struct weir_scheme *kind, const void *params, const char *key)
{
	const struct weir_option *o = kind->options ? weir_option_find(kind->options, key) : NULL;

	return o && o->type == WEIR_OPT_TEXT ? (const char *)params + o->offset : "";
}

static int list_file(const struct listing *l, const struct weir_scheme *kind, const void *params,
		     const char *owner, struct weir_error *e)
{
	const char *file = kind_text(kind, params, "file");
	char path[192];

	snprintf(path, sizeof(path), "%s.file", owner);
	return *file ? list_digest(l, path, file, e) : 0;
}

/* Plug-ins, and files of topologies, flows and sizes. */
static int list_digests(const struct listing *l, struct weir_error *e)
{
	const struct config *c = l->config;
	char path[192];

	if (list_plugin(l, "switch.marking", c->switches.marking, e) ||
	    list_plugin(l, "switch.scheduler", c->switches.scheduler, e) ||
	    list_plugin(l, "host.cc", c->host.cc, e))
		return -1;
	if (list_file(l, &c->network.ops->scheme, c->network.params, "network", e))
		return -1;
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		const struct traffic_config *t = &c->traffic[i];
		char owner[128];

		snprintf(path, sizeof(path), "traffic.%s.pattern", t->name);
		if (list_plugin(l, path, t->pattern, e))
			return -1;
		snprintf(path, sizeof(path), "traffic.%s.cc", t->name);
		if (list_plugin(l, path, t->cc, e))
			return -1;
		snprintf(owner, sizeof(owner), "traffic.%s", t->name);
		if (list_file(l, &t->ops->scheme, t->params, owner, e))
			return -1;
		snprintf(path, sizeof(path), "traffic.%s.sizes", t->name);
		if (workload_is_file(kind_text(&t->ops->scheme, t->params, "sizes")) &&
		    list_digest(l, path, kind_text(&t->ops->scheme, t->params, "sizes"), e))
			return -1;
	}
	return 0;
}

static void list_options(const struct listing *l, const struct target *t,
			 const struct weir_option *table)
{
	const void *params = values_of(t, table);
	char text[VALUE_ROOM];

	for (const struct weir_option *o = table; o && o->name; o++) {
		/* Without a default and not given: there is nothing to say. */
		if (!o->def && weir_option_is_default(o, params))
			continue;
		if (table != t->section->options && weir_option_find(t->section->options, o->name))
			continue;
		value_text(l->config, params, o, text);
		list_one(l, t->owner, o->name, text);
	}
}

static int list_lines(const struct listing *l, const struct target *t, struct weir_error *e)
{
	for (const struct repeat *r = repeat_all; r->key; r++) {
		const struct line_list *list;
		size_t size = 1;
		char *text, *end;

		if (strcmp(r->section, t->section->name) != 0)
			continue;
		list = (const struct line_list *)((const char *)t->params + r->offset);
		if (list->count == 0)
			continue;
		for (uint32_t i = 0; i < list->count; i++)
			size += strlen(list->lines[i].text) + strlen("; ");
		text = malloc(size);
		if (!text)
			return weir_error_set(e, "no memory");
		end = text;
		for (uint32_t i = 0; i < list->count; i++)
			end += sprintf(end, "%s%s", i ? "; " : "", list->lines[i].text);
		list_one(l, t->owner, r->key, text);
		free(text);
	}
	return 0;
}

static int list_target(const struct listing *l, const struct target *t, struct weir_error *e)
{
	list_options(l, t, t->section->options);
	if (t->kind.name)
		list_options(l, t, t->kind.options);
	return list_lines(l, t, e);
}

int scenario_settings(const struct config *c, setting_visitor *visit, void *context,
		      struct weir_error *e)
{
	const struct listing l = { c, visit, context };
	char text[64], owner[128];

	if (c->case_name[0])
		visit(context, "case", c->case_name);
	visit(context, "seed", weir_option_format(text, sizeof(text), &seed_option, c));
	for (const struct section *section = section_all; section->name; section++) {
		struct target t = target_of((struct config *)c, section->name);

		if (!is_single(section))
			continue;
		if (section->chooser)
			kind_find(section, c->network.topology, &t.kind);
		if (list_target(&l, &t, e))
			return -1;
	}
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		struct target t = { .section = section_find("traffic"), .owner = owner };

		t.params = &c->traffic[i];
		snprintf(owner, sizeof(owner), "traffic.%s", c->traffic[i].name);
		kind_find(t.section, c->traffic[i].pattern, &t.kind);
		if (list_target(&l, &t, e))
			return -1;
	}
	return list_digests(&l, e);
}
