/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_values.c -- can every value that stands in a file be read, whether a run uses it or not?
 *
 * A value may be one that no run uses: a list of [sweep] or all cases replace it, its case is not
 * listed, or it is of [full]. A misspelt name there would go unnoticed until somebody takes the
 * case away. Here a value is looked at by itself: what fits with what is config_check's
 * business. */
#include "lab/scenario/scenario.h"
#include "lab/scenario/sections.h"
#include "config/plugin.h"
#include <stdio.h>
#include <string.h>

/* Receives parsed values, which are discarded. */
union scratch {
	struct config config;
	struct traffic_config traffic;
};

/* Checks nested specs, too, such as a NIC's marking. Files such as plug-ins are opened only when
 * they are used. */
static int check_spec(const struct weir_option *o, const char *spec, struct weir_error *e)
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
		    check_spec(table, (const char *)params + table->offset, e))
			return weir_error_prefix(e, "%.*s: %s: ", (int)strcspn(spec, "("), spec,
						 table->name);
	return 0;
}

static int check_option(const struct section *section, const struct weir_option *o,
			const char *value, struct weir_error *e)
{
	union scratch scratch;
	struct kind k;

	if (setting_parse(&scratch, o, value, e))
		return -1;
	if (o->type == WEIR_OPT_SELECTOR)
		return is_plugin(value) ? 0 : kind_read(section, value, &k, e);
	return o->type == WEIR_OPT_SCHEME ? check_spec(o, value, e) : 0;
}

/* Accepts the value if any kind with that key accepts it; which kind is used is another setting. */
static int check_of_kinds(const struct section *section, const char *key, const char *value,
			  struct weir_error *e)
{
	struct kind k;
	int is_known = 0;

	for (size_t i = 0; section->kind && section->kind(i, &k); i++) {
		const struct weir_option *o = k.options ? weir_option_find(k.options, key) : NULL;

		is_known |= o != NULL;
		if (o && check_option(section, o, value, e) == 0)
			return 0;
	}
	return is_known ? -1 : 0; /* scenario_config reports unknown keys in more detail */
}

/* Is the section's kind a plug-in? Its keys are known only after it was loaded. */
static int is_of_plugin(const struct scenario *s, const struct setting_path *p,
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

static int check_value(const struct scenario *s, const struct setting *at, struct weir_error *e)
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
		return check_option(section, o, at->value, e);
	return is_of_plugin(s, &p, section) ? 0 : check_of_kinds(section, p.key, at->value, e);
}

static int check_all(const struct scenario *s, const struct setting *settings, uint32_t count,
		     struct weir_error *e)
{
	for (uint32_t i = 0; i < count; i++)
		if (check_value(s, &settings[i], e))
			return setting_prefix(s, &settings[i], e);
	return 0;
}

static int check_bundle(const struct scenario *s, const struct setting_bundle *b,
			struct weir_error *e)
{
	if (check_all(s, b->settings, b->count, e))
		return -1;
	return b->full ? check_bundle(s, b->full, e) : 0;
}

int scenario_check_values(const struct scenario *s, struct weir_error *e)
{
	if (check_all(s, s->settings, s->setting_count, e))
		return -1;
	for (uint32_t i = 0; i < s->case_count; i++)
		if (check_bundle(s, &s->cases[i], e))
			return -1;
	return check_bundle(s, &s->full, e);
}
