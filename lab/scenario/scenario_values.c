/* scenario_values.c -- can every value that stands in a file be read, whether a run uses it or not?
 *
 * A value may be one that no run uses: a list of [sweep] or all cases replace it, its case is not listed, or
 * it is of [full]. A misspelt name there would go unnoticed until somebody takes the case away. Here a value
 * is looked at by itself: what fits with what is config_check's business. */
#include "lab/scenario/scenario.h"
#include "lab/scenario/sections.h"
#include "sim/config/card.h"
#include "sim/config/fabric.h"
#include "sim/config/plugin.h"
#include "weir/cc.h"
#include "weir/mark.h"
#include "weir/sched.h"
#include <stdio.h>
#include <string.h>

/* Room for any section's values; nothing is done with them. */
union scratch {
	struct config config;
	struct traffic_config traffic;
};

/* A plug-in is a file, which is opened when it is used. */
static int check_kind(const struct section *section, const char *value, struct weir_error *e)
{
	struct kind k;

	return is_plugin(value) ? 0 : kind_read(section, value, &k, e);
}

/* How many queues there are is another setting. */
static int check_scheduler(const char *value, void *params, struct weir_error *e)
{
	char name[WEIR_OPT_TEXT_SIZE];
	const struct weir_sched_ops *sched;

	if (weir_spec_name(value, name, sizeof(name), e))
		return -1;
	sched = weir_sched_find(name);
	return sched ? weir_spec_params(value, params, sched->scheme.options, e)
		     : weir_sched_parse(value, 1, &sched, params, e);
}

/* A plug-in is a file, which is opened when it is used. */
static int check_scheme(const char *key, const char *value, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };
	const struct weir_mark_ops *mark;
	const struct weir_cc_ops *cc;
	const struct fabric_ops *fabric;
	const struct card_ops *card;

	if (is_plugin(value))
		return 0;
	if (strcmp(key, "marking") == 0)
		return weir_mark_parse(value, &mark, params, e);
	if (strcmp(key, "scheduler") == 0)
		return check_scheduler(value, params, e);
	if (strcmp(key, "fabric") == 0)
		return fabric_parse(value, &fabric, params, e);
	if (strcmp(key, "card") == 0)
		return card_parse(value, &card, params, e);
	return strcmp(key, "cc") == 0 ? weir_cc_parse(value, &cc, params, e) : 0;
}

/* As one of the kinds would read it: another setting says which it is. */
static int check_of_kinds(const struct section *section, const char *key, const char *value,
			  struct weir_error *e)
{
	union scratch at;
	struct kind k;
	int is_known = 0;

	for (size_t i = 0; section->kind && section->kind(i, &k); i++) {
		const struct weir_option *o = k.options ? weir_option_find(k.options, key) : NULL;

		is_known |= o != NULL;
		if (o && setting_parse(&at, o, value, e) == 0)
			return 0;
	}
	return is_known ? -1 : 0; /* of what is unknown scenario_config tells more */
}

/* Is the section's kind a plug-in, whose keys no built-in one can read? */
static int is_of_plugin(const struct scenario *s, const struct setting_path *p,
			const struct section *section)
{
	const struct setting *chosen;
	char path[192];

	if (!section->chooser)
		return 0;
	snprintf(path, sizeof(path), "%s.%s", p->owner, section->chooser);
	chosen = scenario_find(s, path);
	return chosen && is_plugin(chosen->value);
}

static int check_value(const struct scenario *s, const struct setting *at, struct weir_error *e)
{
	const struct section *section;
	const struct weir_option *o;
	struct setting_path p;
	union scratch scratch;

	if (path_of_list(at->path) || path_is_repeated(at->path) || path_split(at->path, &p))
		return 0;
	section = section_find(p.section);
	if (!section || section->traits & SECTION_PATHS)
		return 0; /* seed, case */
	if (section->chooser && strcmp(p.key, section->chooser) == 0)
		return check_kind(section, at->value, e);
	o = weir_option_find(section->options, p.key);
	if (!o)
		return is_of_plugin(s, &p, section) ? 0
						    : check_of_kinds(section, p.key, at->value, e);
	return setting_parse(&scratch, o, at->value, e) || check_scheme(p.key, at->value, e);
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
