/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_case.c -- settings that apply only if selected: [case NAME], one at a time, and [full].
 *
 * A selected case overlays the other settings without changing them (scenario_next), so selecting
 * another case leaves no trace of it. [full] is applied permanently: it replaces settings of the
 * file, and [full NAME] those of a case. */
#include "lab/scenario/scenario.h"
#include "lab/scenario/sections.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 1024 };

/* --- bundles --- */

static void setting_free(struct setting *at)
{
	free(at->path);
	free(at->value);
}

void bundle_free(struct setting_bundle *b)
{
	if (b->full)
		bundle_free(b->full);
	for (uint32_t i = 0; i < b->count; i++)
		setting_free(&b->settings[i]);
	free(b->full);
	free(b->settings);
	free(b->name);
	memset(b, 0, sizeof(*b));
}

void bundle_add(struct setting_bundle *b, const char *path, const char *value, int line)
{
	if ((b->count & (b->count - 1)) == 0) /* capacity is the next power of two */
		b->settings = memory_grow(b->settings, 2 * (b->count + UINT64_C(1)),
					  sizeof(*b->settings));
	b->settings[b->count++] = (struct setting){ text_copy(path), text_copy(value), line };
}

const struct setting *bundle_find(const struct setting_bundle *b, const char *path)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (strcmp(b->settings[i].path, path) == 0)
			return &b->settings[i];
	return NULL;
}

static void bundle_drop(struct setting_bundle *b, const char *path)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		if (strcmp(b->settings[i].path, path) == 0)
			setting_free(&b->settings[i]);
		else
			b->settings[kept++] = b->settings[i];
	}
	b->count = kept;
}

/* --- cases --- */

const struct setting_bundle *scenario_case(const struct scenario *s, const char *name)
{
	for (uint32_t i = 0; i < s->case_count; i++)
		if (strcmp(s->cases[i].name, name) == 0)
			return &s->cases[i];
	return NULL;
}

int scenario_check_case(const struct scenario *s, const char *name, struct weir_error *e)
{
	const char *names[NAMES_MAX];
	size_t count = 0;

	if (scenario_case(s, name))
		return 0;
	for (uint32_t i = 0; i < s->case_count && count < NAMES_MAX; i++)
		names[count++] = s->cases[i].name;
	return weir_error_unknown(e, "case", name, names, count);
}

int scenario_use_case(struct scenario *s, const char *name, struct weir_error *e)
{
	if (name && scenario_check_case(s, name, e))
		return -1;
	s->in_case = name ? scenario_case(s, name) : NULL;
	return 0;
}

/* Line 0: given by scenario_set. */
static int scenario_is_set(const struct scenario *s, const char *path)
{
	for (uint32_t i = 0; i < s->setting_count; i++)
		if (s->settings[i].line == 0 && strcmp(s->settings[i].path, path) == 0)
			return 1;
	return 0;
}

const struct setting *scenario_next(const struct scenario *s, uint32_t *i)
{
	const struct setting_bundle *b = s->in_case;

	while (*i < s->setting_count) {
		const struct setting *at = &s->settings[(*i)++];

		if (!b || at->line == 0 || !bundle_find(b, at->path))
			return at;
	}
	while (b && *i - s->setting_count < b->count) {
		const struct setting *at = &b->settings[(*i)++ - s->setting_count];

		if (!scenario_is_set(s, at->path))
			return at;
	}
	return NULL;
}

/* --- [full] --- */

static void bundle_use_full(struct setting_bundle *b)
{
	for (uint32_t i = 0; i < b->full->count; i++) {
		const struct setting *at = &b->full->settings[i];

		if (bundle_find(b->full, at->path) == at) /* first line of a repeated key */
			bundle_drop(b, at->path);
		bundle_add(b, at->path, at->value, at->line);
	}
}

void scenario_use_full(struct scenario *s)
{
	for (uint32_t i = 0; i < s->case_count; i++)
		if (s->cases[i].full)
			bundle_use_full(&s->cases[i]);
	for (uint32_t i = 0; i < s->full.count; i++) {
		const struct setting *at = &s->full.settings[i];

		if (!path_is_repeated(at->path)) {
			scenario_replace(s, at->path, at->value, at->line);
			continue;
		}
		if (bundle_find(&s->full, at->path) == at) /* first line of a repeated key */
			scenario_drop(s, at->path, DROP_FROM_FILE);
		scenario_add(s, at->path, at->value, at->line);
	}
}

/* --- mistakes --- */

/* Every key that the section can have with any of its kinds. */
static size_t section_all_keys(const struct section *section, const char *names[NAMES_MAX])
{
	size_t count = section_keys(section, NULL, names);
	struct kind k;

	for (size_t i = 0; section->kind && section->kind(i, &k); i++)
		if (count + KEYS_MAX <= NAMES_MAX)
			count += section_keys(section, k.name, names + count);
	return count;
}

static int scenario_check_key(const char *path, struct weir_error *e)
{
	const char *names[NAMES_MAX], *nearest;
	const struct section *section;
	struct setting_path p;
	size_t count;

	if (path_split(path, &p) || p.section[0] == '\0')
		return 0; /* seed or case */
	section = section_find(p.section);
	if (section_spec(section, p.key))
		return 0; /* options of schemes are checked by scenario_config */
	count = section_all_keys(section, names);
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], p.key) == 0)
			return 0;
	nearest = weir_nearest_name(p.key, names, count);
	return weir_error_set(e, "unknown key %s%s%s%s; 'weir help %s' names them",
			      weir_quote(p.key).text, nearest ? " (nearest: " : "",
			      nearest ? nearest : "", nearest ? ")" : "", section->name);
}

static int bundle_check_setting(const struct scenario *s, const struct setting_bundle *b,
				const struct setting *at, struct weir_error *e)
{
	const char *listed = b == &s->full ? path_of_list(at->path) : NULL;
	const char *path = listed ? listed : at->path;

	if (b != &s->full && strcmp(path, CASE_PATH) == 0)
		return weir_error_set(e, "a case cannot choose a case");
	if (scenario_check_path(s, path, e) || scenario_check_key(path, e))
		return -1;
	for (uint32_t i = 0; b == &s->full && i < s->case_count; i++) {
		const struct setting_bundle *c = &s->cases[i];
		const struct setting *other = bundle_find(c, path);

		if (other && !(c->full && bundle_find(c->full, path)))
			return weir_error_set(e,
					      "[case %s] sets it in line %d, and a case comes "
					      "before [full]; leave it out of one of them, or "
					      "set it in [full %s] too",
					      c->name, other->line, c->name);
	}
	return 0;
}

/* kind: the header's text before the name, "case ". */
static int bundle_check(const struct scenario *s, const struct setting_bundle *b, const char *kind,
			struct weir_error *e)
{
	if (b->count == 0)
		return weir_error_set(e,
				      "%.200s:%d: [%s%s] is empty; give it settings, as in "
				      "switch.marking = tcn, or leave it out",
				      s->file, b->line, kind, b->name);
	for (uint32_t i = 0; i < b->count; i++)
		if (bundle_check_setting(s, b, &b->settings[i], e))
			return setting_prefix(s, &b->settings[i], e);
	return 0;
}

int scenario_check_bundles(const struct scenario *s, struct weir_error *e)
{
	for (uint32_t i = 0; i < s->case_count; i++) {
		const struct setting_bundle *c = &s->cases[i];

		if (bundle_check(s, c, "case ", e) ||
		    (c->full && bundle_check(s, c->full, "full ", e)))
			return -1;
	}
	return s->full.name ? bundle_check(s, &s->full, "", e) : 0;
}
