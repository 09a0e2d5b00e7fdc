/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_settings.c -- lists the settings that a config stands for, and hashes them into the key
 * of a run. */
#include "lab/scenario/scenario.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/version.h"
#include "config/markings.h"
#include "config/model.h"
#include "config/plugin.h"
#include "lab/scenario/sections.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_ROOM = 4096 };

struct listing {
	const struct config *config;
	setting_visitor *visit;
	void *context;
};

static void settings_visit(const struct listing *l, const char *owner, const char *key,
			   const char *text)
{
	char path[192];

	snprintf(path, sizeof(path), "%s%s%s", owner, *owner ? "." : "", key);
	l->visit(l->context, path, text);
}

typedef int option_visitor(const struct listing *l, const struct section_view *t,
			   const struct weir_option *o, const void *params, struct weir_error *e);

/* Visits the options that have a default or a value. */
static int settings_each_of_table(const struct listing *l, const struct section_view *t,
				  const struct weir_option *table, option_visitor *visit,
				  struct weir_error *e)
{
	const void *params = section_values(t, table);

	for (const struct weir_option *o = table; o && o->name; o++) {
		if (!o->def && weir_option_is_default(o, params))
			continue;
		if (visit(l, t, o, params, e))
			return -1;
	}
	return 0;
}

static int each_option(const struct listing *l, const struct section_view *t, option_visitor *visit,
		       struct weir_error *e)
{
	if (settings_each_of_table(l, t, t->section->options, visit, e))
		return -1;
	return settings_each_of_table(l, t, t->kind.options, visit, e);
}

static int settings_list_option(const struct listing *l, const struct section_view *t,
				const struct weir_option *o, const void *params,
				struct weir_error *e)
{
	char text[VALUE_ROOM];

	(void)e;
	settings_visit(l, t->owner, o->name, weir_option_format(text, sizeof(text), o, params));
	return 0;
}

/* Does the value name a file? Its path is copied to `file` (WEIR_OPT_TEXT_SIZE bytes). */
static int setting_names_file(const struct weir_option *o, const char *value, char *file)
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
static int settings_list_spec_digest(const struct listing *l, const char *path, const char *spec,
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

/* Digests of plug-ins nested in a spec, such as a NIC's marking: "digest.host.card.marking". */
static int settings_list_inner_digests(const struct listing *l, const struct weir_option *o,
				       const char *path, const char *spec, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_scheme_set *specs = weir_option_scheme_set(o);
	const struct weir_option *table;

	struct weir_error unread; /* config_check has accepted the spec; one that cannot be read has
				     no nested specs */

	if (!specs->read || *spec == '\0' || specs->read(spec, params, &table, &unread))
		return 0;
	for (; table && table->name; table++) {
		char inner[192];

		snprintf(inner, sizeof(inner), "%.100s.%.60s", path, table->name);
		if (table->type == WEIR_OPT_SCHEME &&
		    settings_list_spec_digest(l, inner, (const char *)params + table->offset, e))
			return -1;
	}
	return 0;
}

/* Visits "digest.PATH" if the value names a file (plug-in, topology, flows, sizes) or a scheme that
 * uses a model. A plug-in with a model has both digests: file, then model. */
static int settings_list_digest(const struct listing *l, const struct section_view *t,
				const struct weir_option *o, const void *params,
				struct weir_error *e)
{
	char file[WEIR_OPT_TEXT_SIZE], path[192], owner[160], text[2 * sizeof(struct digest)];
	const struct model *model = NULL;
	struct digest d = { "" };

	snprintf(path, sizeof(path), "%s.%s", t->owner, o->name);
	if (setting_names_file(o, (const char *)params + o->offset, file) &&
	    input_digest(file, &d, e))
		return weir_error_prefix(e, "%s: ", path);
	if (o->type == WEIR_OPT_SCHEME) {
		model = model_used(l->config, path);
		if (settings_list_inner_digests(l, o, path, (const char *)params + o->offset, e))
			return -1;
	}
	if (!d.text[0] && !model)
		return 0;
	snprintf(text, sizeof(text), "%s%s%s", d.text, d.text[0] && model ? " " : "",
		 model ? model->digest.text : "");
	snprintf(owner, sizeof(owner), "digest.%s", t->owner);
	settings_visit(l, owner, o->name, text);
	return 0;
}

/* Lists each part under the key that a scenario uses. */
static void settings_list_parts(const struct listing *l, const struct section_view *t,
				const struct line_list *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		char key[WEIR_OPT_TEXT_SIZE], text[VALUE_ROOM];

		settings_visit(l, t->owner, spec_part_key(list->lines[i].text, key, sizeof(key)),
			       spec_part_text(list->lines[i].text, text, sizeof(text)));
	}
}

static void settings_list_lines(const struct listing *l, const struct section_view *t,
				const struct weir_option *table)
{
	for (const struct weir_option *o = table; o && o->name; o++) {
		const struct line_list *list = section_lines(t, table, o);
		size_t size = 1;
		char *text, *end;

		if (o->type != WEIR_OPT_LINES || list->count == 0)
			continue;
		if (strcmp(o->name, MARKING_PART_KEY) == 0) {
			settings_list_parts(l, t, list);
			continue;
		}
		for (uint32_t i = 0; i < list->count; i++)
			size += strlen(list->lines[i].text) + strlen("; ");
		text = end = memory_grow(NULL, size, 1);
		for (uint32_t i = 0; i < list->count; i++)
			end += sprintf(end, "%s%s", i ? "; " : "", list->lines[i].text);
		settings_visit(l, t->owner, o->name, text);
		free(text);
	}
}

static int settings_list_values(const struct listing *l, const struct section_view *t,
				struct weir_error *e)
{
	if (each_option(l, t, settings_list_option, e))
		return -1;
	settings_list_lines(l, t, t->kind.options);
	settings_list_lines(l, t, t->section->options);
	return 0;
}

/* Digests of the files that the section's values name. */
static int settings_list_digests(const struct listing *l, const struct section_view *t,
				 struct weir_error *e)
{
	const struct weir_option *parts = weir_option_find(t->section->options, MARKING_PART_KEY);
	const struct line_list *lines = parts ? section_lines(t, t->section->options, parts) : NULL;

	if (each_option(l, t, settings_list_digest, e))
		return -1;
	for (uint32_t i = 0; lines && i < lines->count; i++) {
		const char *line = lines->lines[i].text;
		char key[WEIR_OPT_TEXT_SIZE], path[192];

		snprintf(path, sizeof(path), "%.60s.%.120s", t->owner,
			 spec_part_key(line, key, sizeof(key)));
		if (settings_list_spec_digest(l, path, strchr(line, ' ') + 1, e))
			return -1;
	}
	return 0;
}

typedef int target_visitor(const struct listing *l, const struct section_view *t,
			   struct weir_error *e);

static int settings_visit_target(const struct listing *l, struct section_view t,
				 target_visitor *visit, struct weir_error *e)
{
	const struct weir_option *chooser = section_chooser(t.section);

	if (chooser)
		kind_find(t.section, (const char *)t.params + chooser->offset, &t.kind);
	return visit(l, &t, e);
}

static int settings_each_target(const struct listing *l, target_visitor *visit,
				struct weir_error *e)
{
	struct config *c =
		(struct config *)l->config; /* targets are not const, but listing only reads */
	char owner[128];

	if (settings_visit_target(l, section_view_single(c, &section_root), visit, e))
		return -1;
	for (const struct section *s = section_all; s->name; s++)
		if (section_is_single(s) &&
		    settings_visit_target(l, section_view_single(c, s), visit, e))
			return -1;
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		snprintf(owner, sizeof(owner), "traffic.%s", c->traffic[i].name);
		if (settings_visit_target(l, section_view_traffic(&c->traffic[i], owner), visit, e))
			return -1;
	}
	return 0;
}

/* Settings of a run with real packets, stored as "PATH VALUE". */
static void settings_list_real(const struct listing *l)
{
	for (uint32_t i = 0; i < l->config->real.count; i++) {
		const char *line = l->config->real.lines[i].text;
		size_t length = strcspn(line, " ");
		char path[192];

		snprintf(path, sizeof(path), "%.*s", (int)length, line);
		l->visit(l->context, path, line + length + (line[length] == ' '));
	}
}

/* Digests follow all values. */
int scenario_settings(const struct config *c, setting_visitor *visit, void *context,
		      struct weir_error *e)
{
	const struct listing l = { c, visit, context };

	if (c->case_name[0])
		visit(context, CASE_PATH, c->case_name);
	settings_list_real(&l);
	return settings_each_target(&l, settings_list_values, e) ||
			       settings_each_target(&l, settings_list_digests, e)
		       ? -1
		       : 0;
}

/* --- keys of runs --- */

/* Changes if the same settings are to get new keys; independent of STORE_SCHEMA. */
enum { KEY_FORM = 2 };

/* FNV-1a of the text, mixed into `before`. The length separates neighbouring texts. */
static uint64_t run_key_hash_text(uint64_t before, const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return weir_hash64(weir_hash64(before, hash), length);
}

static void run_key_hash_setting(void *context, const char *path, const char *value)
{
	uint64_t *hash = context;

	*hash = run_key_hash_text(run_key_hash_text(*hash, path), value);
}

int run_key(const struct config *c, char key[RUN_KEY_SIZE], struct weir_error *e)
{
	uint64_t hash = run_key_hash_text(KEY_FORM, version_of_results().text);

	/* Includes digests of the files that settings name. */
	if (scenario_settings(c, run_key_hash_setting, &hash, e))
		return -1;
	snprintf(key, RUN_KEY_SIZE, "%016" PRIx64, hash);
	return 0;
}
