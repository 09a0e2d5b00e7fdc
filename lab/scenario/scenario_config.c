/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_config.c -- makes a config from defaults and settings, and checks values that no run
 * uses.
 *
 * A value in a scenario file may be unused: a list of [sweep] or all cases replace it, its case is
 * not listed, or it belongs to [full]. A misspelt name there would stay unnoticed until the list or
 * case is removed. scenario_check_values therefore parses each value alone; whether values fit
 * together is checked by config_check. */
#include "lab/scenario/scenario.h"
#include "base/memory.h"
#include "config/plugin.h"
#include "lab/scenario/sections.h"
#include <stdio.h>
#include <string.h>

/* --- the kind: topology or pattern --- */

/* The section's unknown key that is nearest to *key, for the message; NULL: none. */
static const struct setting *section_find_misspelt(const struct scenario *s,
						   const struct section_view *t,
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

/* Reads the chooser of the section's kind (topology, pattern) and sets the kind's defaults. */
static int section_choose_kind(const struct scenario *s, struct section_view *t,
			       struct weir_error *e)
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
		const struct setting *meant = section_find_misspelt(s, t, &chooser->name);
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

static int section_unknown_key(const struct section_view *t, const char *key, struct weir_error *e)
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

static int setting_add_lines(struct line_list *list, const struct weir_option *o,
			     const struct setting *at, struct weir_error *e)
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
	/* setting_prefix names the key, so the option's own prefix is removed. */
	if (strncmp(e->text, o->name, length) == 0 && strncmp(e->text + length, ": ", 2) == 0)
		memmove(e->text, e->text + length + 2, strlen(e->text + length + 2) + 1);
	return -1;
}

static int section_apply(struct section_view *t, const char *key, const struct setting *at,
			 struct weir_error *e)
{
	const struct weir_option *table = t->section->options, *o = weir_option_find(table, key);

	if (!o && t->kind.name) {
		table = t->kind.options;
		o = table ? weir_option_find(table, key) : NULL;
	}
	if (!o)
		return section_unknown_key(t, key, e);
	if (o->type == WEIR_OPT_LINES)
		return setting_add_lines(section_lines(t, table, o), o, at, e);
	return setting_parse(section_values(t, table), o, at->value, e);
}

/* The key of a path in that section; NULL: the path belongs to another section. */
static const char *section_key_in(const char *owner, const char *path)
{
	size_t length = strlen(owner);

	if (length == 0)
		return strchr(path, '.') ? NULL : path;
	return strncmp(path, owner, length) == 0 && path[length] == '.' ? path + length + 1 : NULL;
}

/* Settings inside specs: first all parts, then options, which may refer to parts given later. */
static int section_fill_specs(const struct scenario *s, const struct section_view *t,
			      struct weir_error *e)
{
	static spec_setter *const steps[] = { spec_add_part, spec_set_option };
	const struct setting *at;

	for (size_t step = 0; step < 2; step++)
		for (uint32_t i = 0; (at = scenario_next(s, &i));) {
			const char *key = section_key_in(t->owner, at->path);

			if (key && section_spec(t->section, key) && steps[step](s, t, key, at, e))
				return setting_prefix(s, at, e);
		}
	return 0;
}

/* Applies all settings of the section in the order of the file. */
static int section_fill(const struct scenario *s, struct section_view t, struct weir_error *e)
{
	const struct setting *at;

	if (section_choose_kind(s, &t, e))
		return -1;
	for (uint32_t i = 0; (at = scenario_next(s, &i));) {
		const char *key = section_key_in(t.owner, at->path);

		if (key && !section_spec(t.section, key) && section_apply(&t, key, at, e))
			return setting_prefix(s, at, e);
	}
	return section_fill_specs(s, &t, e);
}

static int scenario_fill(const struct scenario *s, struct config *c, struct weir_error *e)
{
	for (const struct section *section = section_all; section->name; section++)
		if (section_is_single(section) &&
		    section_fill(s, section_view_single(c, section), e))
			return -1;
	for (uint32_t i = 0; i < s->section_count; i++) {
		const char *owner = s->sections[i].path, *dot = strchr(owner, '.');
		struct traffic_config *traffic;

		if (!dot)
			continue;
		traffic = config_add_traffic(c, dot + 1);
		traffic->line = s->sections[i].line;
		if (section_fill(s, section_view_traffic(traffic, owner), e))
			return -1;
	}
	return section_fill(s, section_view_single(c, &section_root), e);
}

int scenario_config(const struct scenario *s, struct config *c, struct weir_error *e)
{
	int failed;

	config_init(c);
	snprintf(c->title, sizeof(c->title), "%s", s->title);
	snprintf(c->file, sizeof(c->file), "%s", s->file);
	if (s->in_case)
		snprintf(c->case_name, sizeof(c->case_name), "%s", s->in_case->name);
	failed = scenario_fill(s, c, e);
	if (!failed && config_check(c, e))
		failed = scenario_locate(s, e);
	if (failed)
		config_free(c);
	return failed;
}

/* --- values that no run uses --- */

/* Receives parsed values, which are discarded. */
union scratch {
	struct config config;
	struct traffic_config traffic;
};

/* Checks nested specs, too, such as a NIC's marking. Files such as plug-ins are opened only when
 * they are used. */
static int setting_check_spec(const struct weir_option *o, const char *spec, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_scheme_set *specs = weir_option_scheme_set(o);
	const struct weir_option *table;

	if (!specs->read || (specs->is_file && specs->is_file(spec)))
		return 0;
	if (specs->read(spec, params, &table, e))
		return -1;
	for (; table && table->name; table++)
		if (table->type == WEIR_OPT_SCHEME &&
		    setting_check_spec(table, (const char *)params + table->offset, e))
			return weir_error_prefix(e, "%.*s: %s: ", (int)strcspn(spec, "("), spec,
						 table->name);
	return 0;
}

static int setting_check_option(const struct section *section, const struct weir_option *o,
				const char *value, struct weir_error *e)
{
	union scratch scratch;
	struct kind k;

	if (setting_parse(&scratch, o, value, e))
		return -1;
	if (o->type == WEIR_OPT_SELECTOR)
		return is_plugin(value) ? 0 : kind_read(section, value, &k, e);
	return o->type == WEIR_OPT_SCHEME ? setting_check_spec(o, value, e) : 0;
}

/* Accepts the value if any kind with that key accepts it; which kind is used is another setting. */
static int setting_check_kinds(const struct section *section, const char *key, const char *value,
			       struct weir_error *e)
{
	struct kind k;
	int is_known = 0;

	for (size_t i = 0; section->kind && section->kind(i, &k); i++) {
		const struct weir_option *o = k.options ? weir_option_find(k.options, key) : NULL;

		is_known |= o != NULL;
		if (o && setting_check_option(section, o, value, e) == 0)
			return 0;
	}
	return is_known ? -1 : 0; /* scenario_config reports unknown keys in more detail */
}

/* Is the section's kind a plug-in? Its keys are known only after it was loaded. */
static int section_is_plugin(const struct scenario *s, const struct setting_path *p,
			     const struct section *section)
{
	const struct setting *chosen;
	char path[192];

	if (!section_chooser(section))
		return 0;
	snprintf(path, sizeof(path), "%s.%s", p->owner, section_chooser(section)->name);
	chosen = scenario_find(s, path);
	return chosen && is_plugin(chosen->value);
}

static int setting_check_value(const struct scenario *s, const struct setting *at,
			       struct weir_error *e)
{
	const struct section *section;
	const struct weir_option *o;
	struct setting_path p;

	if (path_of_list(at->path) || path_is_repeated(at->path) || path_split(at->path, &p))
		return 0;
	section = path_section(&p);
	if (!section || section->traits & SECTION_PATHS)
		return 0;
	o = weir_option_find(section->options, p.key);
	if (o)
		return setting_check_option(section, o, at->value, e);
	return section_is_plugin(s, &p, section)
		       ? 0
		       : setting_check_kinds(section, p.key, at->value, e);
}

static int settings_check_values(const struct scenario *s, const struct setting *settings,
				 uint32_t count, struct weir_error *e)
{
	for (uint32_t i = 0; i < count; i++)
		if (setting_check_value(s, &settings[i], e))
			return setting_prefix(s, &settings[i], e);
	return 0;
}

static int bundle_check_values(const struct scenario *s, const struct setting_bundle *b,
			       struct weir_error *e)
{
	if (settings_check_values(s, b->settings, b->count, e))
		return -1;
	return b->full ? bundle_check_values(s, b->full, e) : 0;
}

int scenario_check_values(const struct scenario *s, struct weir_error *e)
{
	if (settings_check_values(s, s->settings, s->setting_count, e))
		return -1;
	for (uint32_t i = 0; i < s->case_count; i++)
		if (bundle_check_values(s, &s->cases[i], e))
			return -1;
	return bundle_check_values(s, &s->full, e);
}
