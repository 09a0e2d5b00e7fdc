/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario.c -- the list of settings: adding, replacing and finding them, --set, and locations in
 * messages. */
#include "lab/scenario/scenario.h"
#include "lab/scenario/sections.h"
#include "lab/scenario/sweep.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 192, SECTION_NAMES_MAX = 1024 };

void scenario_free(struct scenario *s)
{
	for (uint32_t i = 0; i < s->setting_count; i++) {
		free(s->settings[i].path);
		free(s->settings[i].value);
	}
	for (uint32_t i = 0; i < s->section_count; i++)
		free(s->sections[i].path);
	for (uint32_t i = 0; i < s->case_count; i++)
		bundle_free(&s->cases[i]);
	bundle_free(&s->full);
	free(s->cases);
	free(s->settings);
	free(s->sections);
	free(s->file);
	memset(s, 0, sizeof(*s));
}

void scenario_add(struct scenario *s, const char *path, const char *value, int line)
{
	if (s->setting_count == s->setting_room) {
		s->setting_room = s->setting_room ? 2 * s->setting_room : 32;
		s->settings = memory_grow(s->settings, s->setting_room, sizeof(*s->settings));
	}
	s->settings[s->setting_count++] =
		(struct setting){ text_copy(path), text_copy(value), line };
}

void setting_extend(struct setting *at, const char *value)
{
	text_print(&at->value, "%s, %s", at->value, value);
}

const struct setting *scenario_find(const struct scenario *s, const char *path)
{
	const struct setting *at;

	for (uint32_t i = 0; (at = scenario_next(s, &i));)
		if (strcmp(at->path, path) == 0)
			return at;
	return NULL;
}

const struct scenario_section *scenario_section(const struct scenario *s, const char *path)
{
	for (uint32_t i = 0; i < s->section_count; i++)
		if (strcmp(s->sections[i].path, path) == 0)
			return &s->sections[i];
	return NULL;
}

/* Section names have no dot; a key may have one: "marking.leaf". */
int path_split(const char *path, struct setting_path *p)
{
	const char *dot = strchr(path, '.'), *last = dot;
	const struct section *section;

	memset(p, 0, sizeof(*p));
	if (!dot) {
		p->key = path;
		return 0;
	}
	if ((size_t)(dot - path) >= sizeof(p->section))
		return -1;
	memcpy(p->section, path, (size_t)(dot - path));
	section = section_find(p->section);
	if (section && section->traits & SECTION_NAMED && strchr(dot + 1, '.'))
		last = strchr(dot + 1, '.');
	if ((size_t)(last - path) >= sizeof(p->owner))
		return -1;
	memcpy(p->owner, path, (size_t)(last - path));
	if (last > dot)
		p->name = p->owner + (dot - path) + 1;
	p->key = last + 1;
	return 0;
}

const struct section *path_section(const struct setting_path *p)
{
	return p->section[0] ? section_find(p->section) : &section_root;
}

/* --- --set --- */

void scenario_drop(struct scenario *s, const char *path, enum drop_scope scope)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->setting_count; i++) {
		struct setting *at = &s->settings[i];

		if ((at->line != 0 || scope == DROP_ALL) && strcmp(at->path, path) == 0) {
			free(at->path);
			free(at->value);
		} else {
			s->settings[kept++] = *at;
		}
	}
	s->setting_count = kept;
}

static int scenario_unknown_name(const struct scenario *s, const struct setting_path *p,
				 struct weir_error *e)
{
	const char *names[SECTION_NAMES_MAX];
	char what[64];
	size_t count = 0, length = strlen(p->section);

	for (uint32_t i = 0; i < s->section_count && count < SECTION_NAMES_MAX; i++) {
		const char *path = s->sections[i].path;

		if (strncmp(path, p->section, length) == 0 && path[length] == '.')
			names[count++] = path + length + 1;
	}
	if (count == 0)
		return weir_error_set(e, "%s has no [%s] section", s->file, p->section);
	snprintf(what, sizeof(what), "[%s] section", p->section);
	return weir_error_unknown(e, what, p->name, names, count);
}

/* The message names the sections as prefixes of paths: "switch", "traffic.NAME". */
static int scenario_unknown_section(const char *name, struct weir_error *e)
{
	enum { SECTIONS_MAX = 16 };
	char starts[SECTIONS_MAX][64];
	const char *names[SECTIONS_MAX];
	size_t count = 0;

	for (const struct section *s = section_all; s->name && count < SECTIONS_MAX; s++) {
		if (s->traits & SECTION_PATHS)
			continue;
		snprintf(starts[count], sizeof(starts[count]), "%s%s", s->name,
			 s->traits & SECTION_NAMED ? ".NAME" : "");
		names[count] = starts[count];
		count++;
	}
	return weir_error_unknown(e, "section", name, names, count);
}

void scenario_put(struct scenario *s, const char *path, const char *value, int line)
{
	scenario_drop(s, path, DROP_ALL);
	scenario_add(s, path, value, line);
}

int scenario_check_path(const struct scenario *s, const char *path, struct weir_error *e)
{
	const struct section *section;
	struct setting_path p;

	if (strcmp(path, CASE_PATH) == 0)
		return s->case_count
			       ? 0
			       : weir_error_set(e, "%s has no [case NAME] to choose from", s->file);
	if (path_split(path, &p) ||
	    (p.section[0] == '\0' && !weir_option_find(section_root.options, path)))
		return weir_error_set(e,
				      "%s is not a setting; write section.key=value, as in "
				      "switch.marking=tcn or traffic.web.load=0.8",
				      weir_quote(path).text);
	section = path_section(&p);
	if (!section || section->traits & SECTION_PATHS)
		return scenario_unknown_section(p.section, e);
	if (section->traits & SECTION_NAMED && !p.name)
		return weir_error_set(e, "which %s? Write %s.NAME.%s=value", p.section, p.section,
				      p.key);
	if (strchr(p.key, '.') && !section_spec(section, p.key))
		return weir_error_set(e, "%s has one dot too many; write %s.key=value",
				      weir_quote(path).text, p.owner);
	if (!p.name)
		return 0;
	return scenario_section(s, p.owner) ? 0 : scenario_unknown_name(s, &p, e);
}

const char *path_of_list(const char *path)
{
	size_t length = strlen(SWEEP_PREFIX);

	return strncmp(path, SWEEP_PREFIX, length) == 0 ? path + length : NULL;
}

int path_is_repeated(const char *path)
{
	struct setting_path p;

	return path_split(path, &p) == 0 && path_section(&p) &&
	       section_repeats(path_section(&p), p.key);
}

/* The list of the setting in [sweep], or NULL. */
static const struct setting *scenario_find_list(const struct scenario *s, const char *path)
{
	for (uint32_t i = 0; i < s->setting_count; i++) {
		const char *listed = path_of_list(s->settings[i].path);

		if (listed && strcmp(listed, path) == 0)
			return &s->settings[i];
	}
	return NULL;
}

/* The setting of the file or of scenario_set; cases are ignored. */
static struct setting *scenario_find_own(const struct scenario *s, const char *path)
{
	for (uint32_t i = 0; i < s->setting_count; i++)
		if (strcmp(s->settings[i].path, path) == 0)
			return &s->settings[i];
	return NULL;
}

void scenario_replace(struct scenario *s, const char *path, const char *value, int line)
{
	struct setting *old = (struct setting *)scenario_find_list(s, path);

	if (strcmp(path, CASE_PATH) == 0)
		path = SWEEP_PREFIX
			CASE_PATH; /* a case is always chosen through the list in [sweep] */
	if (!old)
		old = scenario_find_own(s, path);
	if (!old) {
		scenario_add(s, path, value, line);
		return;
	}
	text_print(&old->value, "%s", value);
	old->line = line;
}

int scenario_set(struct scenario *s, const char *assignment, struct weir_error *e)
{
	const char *equals = strchr(assignment, '='), *listed;
	char path[PATH_SIZE];

	if (!equals || equals == assignment || (size_t)(equals - assignment) >= sizeof(path)) {
		weir_error_set(
			e, "%s is not a setting; write section.key=value, as in switch.marking=tcn",
			weir_quote(assignment).text);
		return weir_error_prefix(e, "--set: ");
	}
	snprintf(path, sizeof(path), "%.*s", (int)(equals - assignment), assignment);
	if (equals[1] == '\0') {
		weir_error_set(e, "no value; write %s=value", path);
		return weir_error_prefix(e, "--set %.100s: ", assignment);
	}
	listed = path_of_list(path);
	if (scenario_check_path(s, listed ? listed : path, e))
		return weir_error_prefix(e, "--set %.100s: ", assignment);
	if (scenario_find_list(s, path) || !path_is_repeated(path)) {
		scenario_replace(s, path, equals + 1, 0);
		return 0;
	}
	scenario_drop(s, path, DROP_FROM_FILE);
	scenario_add(s, path, equals + 1, 0);
	return 0;
}

/* --- where is it? --- */

/* Extends the message if a list or range was given where one value is allowed. */
static void setting_explain_list(const struct scenario *s, const struct setting *at,
				 struct weir_error *e)
{
	struct weir_error ignored, copy;
	struct text_list list;

	if (scenario_find_list(s, at->path) || path_of_list(at->path) ||
	    list_split(&list, at->value, &ignored))
		return;
	if (list.count > 1) {
		copy = *e;
		weir_error_set(e, "%s; one value belongs here, lists stand in [sweep]", copy.text);
	}
	list_free(&list);
}

int setting_prefix(const struct scenario *s, const struct setting *at, struct weir_error *e)
{
	const char *listed = path_of_list(at->path);

	setting_explain_list(s, at, e);
	if (at->line == 0)
		return weir_error_prefix(e, "--set %.60s=%.100s: ", listed ? listed : at->path,
					 at->value);
	return weir_error_prefix(e, "%.200s:%d: %.100s: ", s->file, at->line, at->path);
}

const char *line_part(const char *text, size_t *length)
{
	text += strspn(text, " \t");
	*length = strcspn(text, ";");
	while (*length > 0 && (text[*length - 1] == ' ' || text[*length - 1] == '\t'))
		(*length)--;
	return text;
}

/* Does `rest` start with one of the value's lines in quotes? */
static int setting_is_quoted(const char *value, const char *rest)
{
	size_t length;

	while (*rest == '\'' && *value) {
		value = line_part(value, &length);
		if (strncmp(rest + 1, value, length) == 0 && rest[1 + length] == '\'')
			return 1;
		value += strcspn(value, ";");
		value += *value == ';';
	}
	return 0;
}

/* Among several settings of the path, the one that the message quotes; else the first. */
static const struct setting *scenario_find_quoted(const struct scenario *s, const char *path,
						  const char *rest)
{
	const struct setting *at;

	for (uint32_t i = 0; (at = scenario_next(s, &i));)
		if (strcmp(at->path, path) == 0 && setting_is_quoted(at->value, rest))
			return at;
	return scenario_find(s, path);
}

int scenario_locate(const struct scenario *s, struct weir_error *e)
{
	const char *colon = strstr(e->text, ": ");
	const struct scenario_section *section;
	const struct setting *at;
	char path[PATH_SIZE];
	struct setting_path p;

	if (!colon || (size_t)(colon - e->text) >= sizeof(path))
		return weir_error_prefix(e, "%.200s: ", s->file);
	snprintf(path, sizeof(path), "%.*s", (int)(colon - e->text), e->text);
	at = scenario_find_quoted(s, path, colon + 2);
	if (at) {
		weir_error_set(e, "%s", e->text + (colon + 2 - e->text));
		return setting_prefix(s, at, e);
	}
	section = path_split(path, &p) ? NULL : scenario_section(s, p.owner);
	if (section)
		return weir_error_prefix(e, "%.200s:%d: ", s->file, section->line);
	return weir_error_prefix(e, "%.200s: ", s->file);
}
