/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_config.c -- from settings to a config, and back to the settings that it stands for. */
#include "lab/scenario/scenario.h"
#include "base/input.h"
#include "lab/scenario/sections.h"
#include "lab/scenario/spec_key.h"
#include "base/memory.h"
#include "config/markings.h"
#include "config/model.h"
#include "config/plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_ROOM = 4096 };

/* A section of the config that is being filled or listed: its keys and where their values are. */
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

static struct target single_target(struct config *c, const struct section *s)
{
	return (struct target){ .section = s, .owner = s->name, .params = (char *)c + s->offset };
}

static struct target traffic_target(struct traffic_config *t, const char *owner)
{
	return (struct target){ .section = section_find("traffic"), .owner = owner, .params = t };
}

/* --- the kind: topology or pattern --- */

/* The setting of the section whose key was meant to be this one, by its looks; NULL: there is
 * none. */
static const struct setting *misspelt(const struct scenario *s, const struct target *t,
				      const char *const *key)
{
	const struct setting *at;
	struct setting_path p;
	struct kind k;

	for (uint32_t i = 0; (at = scenario_next(s, &i));) {
		int known = 0;

		if (path_split(at->path, &p) || strcmp(p.owner, t->owner) != 0)
			continue;
		for (size_t n = 0; t->section->kind(n, &k); n++)
			known |= section_has_key(t->section, p.key, k.name);
		if (!known && weir_nearest_name(p.key, key, 1))
			return at;
	}
	return NULL;
}

/* Reads which topology or pattern it is and fills in that one's defaults. */
static int choose_kind(const struct scenario *s, struct target *t, struct weir_error *e)
{
	const struct weir_option *chooser = section_chooser(t->section);
	const char *names[KINDS_MAX];
	const struct setting *chosen;
	char path[192], list[512];

	if (!chooser)
		return 0;
	snprintf(path, sizeof(path), "%s.%s", t->owner, chooser->name);
	chosen = scenario_find(s, path);
	if (!chosen) {
		const struct setting *meant = misspelt(s, t, &chooser->name);
		struct setting_path p;

		if (meant && path_split(meant->path, &p) == 0) {
			weir_error_set(e, "unknown key %s (nearest: %s)", weir_quote(p.key).text,
				       chooser->name);
			return setting_prefix(s, meant, e);
		}
		weir_error_set(
			e, "%s: not given; one of %s", path,
			names_join(list, sizeof(list), names, kind_names(t->section, names)));
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

	if (weir_option_find(section_root.options, key))
		return weir_error_set(e, "%s stands before the first section, or after --%s", key,
				      key);
	for (size_t i = 0; s->kind && s->kind(i, &k) && owner_count < KINDS_MAX; i++)
		if (section_has_key(s, key, k.name))
			owners[owner_count++] = k.name;
	if (owner_count == 0)
		return weir_error_unknown(e, "key", key, names, count);
	return weir_error_set(e, "%s %s has no such key, only %s has; allowed are %s",
			      section_chooser(s)->name, t->kind.name,
			      names_join(others, sizeof(others), owners, owner_count),
			      names_join(own, sizeof(own), names, count));
}

/* The lines of a key in a table, which may be repeated. */
static struct line_list *lines_of(const struct target *t, const struct weir_option *table,
				  const struct weir_option *o)
{
	return (struct line_list *)((char *)t->params + (table == t->section->options
								 ? o->offset
								 : t->section->kind_lines));
}

static int add_line(struct line_list *list, const struct weir_option *o, const struct setting *at,
		    struct weir_error *e)
{
	const char *rest = at->value, *end;
	char line[WEIR_OPT_TEXT_SIZE];
	size_t length;

	do {
		rest = line_part(rest, &length);
		end = rest + strcspn(rest, ";");
		if (length == 0 || length >= sizeof(line))
			return weir_error_set(e, "%s; a line is %s, several are divided by ;",
					      weir_quote(at->value).text, o->choices[0]);
		snprintf(line, sizeof(line), "%.*s", (int)length, rest);
		line_list_add(list, line, at->line);
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
	const struct weir_option *table = t->section->options, *o = weir_option_find(table, key);

	if (!o && t->kind.name) {
		table = t->kind.options;
		o = table ? weir_option_find(table, key) : NULL;
	}
	if (!o)
		return unknown_key(t, key, e);
	if (o->type == WEIR_OPT_LINES)
		return add_line(lines_of(t, table, o), o, at, e);
	return setting_parse(values_of(t, table), o, at->value, e);
}

/* The key that the path has in that section; NULL: it is of another. */
static const char *key_in(const char *owner, const char *path)
{
	size_t length = strlen(owner);

	if (length == 0)
		return strchr(path, '.') ? NULL : path;
	return strncmp(path, owner, length) == 0 && path[length] == '.' ? path + length + 1 : NULL;
}

/* What stands inside specs: parts first, whatever the order given, and then their options. */
static int fill_specs(const struct scenario *s, const struct target *t, struct weir_error *e)
{
	static spec_setter *const steps[] = { spec_add_part, spec_set_option };
	const struct spec_owner owner = { s, t->section, t->owner, t->params };
	const struct setting *at;

	for (size_t step = 0; step < 2; step++)
		for (uint32_t i = 0; (at = scenario_next(s, &i));) {
			const char *key = key_in(t->owner, at->path);

			if (key && section_spec(t->section, key) && steps[step](&owner, key, at, e))
				return setting_prefix(s, at, e);
		}
	return 0;
}

/* Every setting of the section, in the order given. */
static int fill(const struct scenario *s, struct target t, struct weir_error *e)
{
	const struct setting *at;

	if (choose_kind(s, &t, e))
		return -1;
	for (uint32_t i = 0; (at = scenario_next(s, &i));) {
		const char *key = key_in(t.owner, at->path);

		if (key && !section_spec(t.section, key) && apply(&t, key, at, e))
			return setting_prefix(s, at, e);
	}
	return fill_specs(s, &t, e);
}

static int fill_all(const struct scenario *s, struct config *c, struct weir_error *e)
{
	for (const struct section *section = section_all; section->name; section++)
		if (is_single(section) && fill(s, single_target(c, section), e))
			return -1;
	for (uint32_t i = 0; i < s->section_count; i++) {
		const char *owner = s->sections[i].path, *dot = strchr(owner, '.');
		struct traffic_config *traffic;

		if (!dot)
			continue;
		traffic = config_add_traffic(c, dot + 1);
		traffic->line = s->sections[i].line;
		if (fill(s, traffic_target(traffic, owner), e))
			return -1;
	}
	return fill(s, single_target(c, &section_root), e);
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

	snprintf(path, sizeof(path), "%s%s%s", owner, *owner ? "." : "", key);
	l->visit(l->context, path, text);
}

typedef int option_visitor(const struct listing *l, const struct target *t,
			   const struct weir_option *o, const void *params, struct weir_error *e);

/* Those of a table that have something to say. */
static int each_of_table(const struct listing *l, const struct target *t,
			 const struct weir_option *table, option_visitor *visit,
			 struct weir_error *e)
{
	const void *params = values_of(t, table);

	for (const struct weir_option *o = table; o && o->name; o++) {
		/* Without a default and not given: there is nothing to say. */
		if (!o->def && weir_option_is_default(o, params))
			continue;
		if (visit(l, t, o, params, e))
			return -1;
	}
	return 0;
}

static int each_option(const struct listing *l, const struct target *t, option_visitor *visit,
		       struct weir_error *e)
{
	if (each_of_table(l, t, t->section->options, visit, e))
		return -1;
	return each_of_table(l, t, t->kind.options, visit, e);
}

static int list_option(const struct listing *l, const struct target *t, const struct weir_option *o,
		       const void *params, struct weir_error *e)
{
	char text[VALUE_ROOM];

	(void)e;
	list_one(l, t->owner, o->name, weir_option_format(text, sizeof(text), o, params));
	return 0;
}

/* The file that a value names goes to file, of WEIR_OPT_TEXT_SIZE bytes; 0: it names none. */
static int names_file(const struct weir_option *o, const char *value, char *file)
{
	const struct weir_scheme_set *specs;
	struct weir_error e;

	if (o->type == WEIR_OPT_FILE || (o->type == WEIR_OPT_SELECTOR && is_plugin(value))) {
		snprintf(file, WEIR_OPT_TEXT_SIZE, "%s", value);
		return 1;
	}
	if (o->type != WEIR_OPT_SCHEME)
		return 0;
	specs = weir_option_scheme_set(o);
	return specs->is_file && specs->is_file(value) &&
	       weir_spec_name(value, file, WEIR_OPT_TEXT_SIZE, &e) == 0;
}

/* Visits "digest.PATH" of a spec that names a plug-in. */
static int list_spec_digest(const struct listing *l, const char *path, const char *spec,
			    struct weir_error *e)
{
	char file[WEIR_OPT_TEXT_SIZE], digest_path[192];
	struct digest d;

	if (!is_plugin(spec))
		return 0;
	if (weir_spec_name(spec, file, sizeof(file), e) || input_digest(file, &d, e))
		return weir_error_prefix(e, "%s: ", path);
	snprintf(digest_path, sizeof(digest_path), "digest.%s", path);
	l->visit(l->context, digest_path, d.text);
	return 0;
}

/* Of the schemes that stand inside a spec, as a card's marking does: "digest.host.card.marking". */
static int list_inner_digests(const struct listing *l, const struct weir_option *o,
			      const char *path, const char *spec, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_scheme_set *specs = weir_option_scheme_set(o);
	const struct weir_option *table;

	struct weir_error unread; /* config_check has read it: a spec that cannot be read has
				     nothing inside */

	if (!specs->read || *spec == '\0' || specs->read(spec, params, &table, &unread))
		return 0;
	for (; table && table->name; table++) {
		char inner[192];

		snprintf(inner, sizeof(inner), "%.100s.%.60s", path, table->name);
		if (table->type == WEIR_OPT_SCHEME &&
		    list_spec_digest(l, inner, (const char *)params + table->offset, e))
			return -1;
	}
	return 0;
}

/* Visits "digest.PATH" where the value names a file (a plug-in, a topology, flows or sizes), or a
 * scheme that works with a model, or a plug-in that does: then that of the model is behind that of
 * the file. */
static int list_digest(const struct listing *l, const struct target *t, const struct weir_option *o,
		       const void *params, struct weir_error *e)
{
	char file[WEIR_OPT_TEXT_SIZE], path[192], owner[160], text[2 * sizeof(struct digest)];
	const struct model *model = NULL;
	struct digest d = { "" };

	snprintf(path, sizeof(path), "%s.%s", t->owner, o->name);
	if (names_file(o, (const char *)params + o->offset, file) && input_digest(file, &d, e))
		return weir_error_prefix(e, "%s: ", path);
	if (o->type == WEIR_OPT_SCHEME) {
		model = model_used(l->config, path);
		if (list_inner_digests(l, o, path, (const char *)params + o->offset, e))
			return -1;
	}
	if (!d.text[0] && !model)
		return 0;
	snprintf(text, sizeof(text), "%s%s%s", d.text, d.text[0] && model ? " " : "",
		 model ? model->digest.text : "");
	snprintf(owner, sizeof(owner), "digest.%s", t->owner);
	list_one(l, owner, o->name, text);
	return 0;
}

/* Each under the key that a user gives. */
static void list_parts(const struct listing *l, const struct target *t,
		       const struct line_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		char key[WEIR_OPT_TEXT_SIZE], text[VALUE_ROOM];

		list_one(l, t->owner, spec_part_key(list->lines[i].text, key, sizeof(key)),
			 spec_part_text(list->lines[i].text, text, sizeof(text)));
	}
}

static void list_lines(const struct listing *l, const struct target *t,
		       const struct weir_option *table)
{
	for (const struct weir_option *o = table; o && o->name; o++) {
		const struct line_list *list = lines_of(t, table, o);
		size_t size = 1;
		char *text, *end;

		if (o->type != WEIR_OPT_LINES || list->count == 0)
			continue;
		if (strcmp(o->name, MARKING_PART_KEY) == 0) {
			list_parts(l, t, list);
			continue;
		}
		for (uint32_t i = 0; i < list->count; i++)
			size += strlen(list->lines[i].text) + strlen("; ");
		text = end = memory_grow(NULL, size, 1);
		for (uint32_t i = 0; i < list->count; i++)
			end += sprintf(end, "%s%s", i ? "; " : "", list->lines[i].text);
		list_one(l, t->owner, o->name, text);
		free(text);
	}
}

/* Every option and line of a section. */
static int list_values(const struct listing *l, const struct target *t, struct weir_error *e)
{
	if (each_option(l, t, list_option, e))
		return -1;
	list_lines(l, t, t->kind.options);
	list_lines(l, t, t->section->options);
	return 0;
}

/* What is in the files that its values name. */
static int list_digests(const struct listing *l, const struct target *t, struct weir_error *e)
{
	const struct weir_option *parts = weir_option_find(t->section->options, MARKING_PART_KEY);
	const struct line_list *lines = parts ? lines_of(t, t->section->options, parts) : NULL;

	if (each_option(l, t, list_digest, e))
		return -1;
	for (uint32_t i = 0; lines && i < lines->count; i++) {
		const char *line = lines->lines[i].text;
		char key[WEIR_OPT_TEXT_SIZE], path[192];

		snprintf(path, sizeof(path), "%.60s.%.120s", t->owner,
			 spec_part_key(line, key, sizeof(key)));
		if (list_spec_digest(l, path, strchr(line, ' ') + 1, e))
			return -1;
	}
	return 0;
}

typedef int target_visitor(const struct listing *l, const struct target *t, struct weir_error *e);

static int visit_target(const struct listing *l, struct target t, target_visitor *visit,
			struct weir_error *e)
{
	const struct weir_option *chooser = section_chooser(t.section);

	if (chooser)
		kind_find(t.section, (const char *)t.params + chooser->offset, &t.kind);
	return visit(l, &t, e);
}

static int each_target(const struct listing *l, target_visitor *visit, struct weir_error *e)
{
	struct config *c = (struct config *)l->config; /* to be read only */
	char owner[128];

	if (visit_target(l, single_target(c, &section_root), visit, e))
		return -1;
	for (const struct section *s = section_all; s->name; s++)
		if (is_single(s) && visit_target(l, single_target(c, s), visit, e))
			return -1;
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		snprintf(owner, sizeof(owner), "traffic.%s", c->traffic[i].name);
		if (visit_target(l, traffic_target(&c->traffic[i], owner), visit, e))
			return -1;
	}
	return 0;
}

/* Of a run with real packets: "PATH VALUE" as it stands. */
static void list_real(const struct listing *l)
{
	for (uint32_t i = 0; i < l->config->real.count; i++) {
		const char *line = l->config->real.lines[i].text;
		size_t length = strcspn(line, " ");
		char path[192];

		snprintf(path, sizeof(path), "%.*s", (int)length, line);
		l->visit(l->context, path, line + length + (line[length] == ' '));
	}
}

/* Digests come after all values. */
int scenario_settings(const struct config *c, setting_visitor *visit, void *context,
		      struct weir_error *e)
{
	const struct listing l = { c, visit, context };

	if (c->case_name[0])
		visit(context, CASE_PATH, c->case_name);
	list_real(&l);
	return each_target(&l, list_values, e) || each_target(&l, list_digests, e) ? -1 : 0;
}
