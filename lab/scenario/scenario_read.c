/* SPDX-License-Identifier: BSD-3-Clause */
/* scenario_read.c -- reads a scenario file: section headers and pairs become the list of settings,
 * cases and [full]. Keys are checked against option tables later, by scenario_config. */
#include "base/ini.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/sections.h"
#include "base/memory.h"
#include "config/plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TRAFFIC_SECTIONS_MAX = 1000,
	CASES_MAX = 1000,
	SETTINGS_MAX = 20000, /* not counting repeatable keys */
	PATH_ROOM = 192,
};

struct reader {
	struct scenario *s;
	struct weir_error *e;
	int line; /* line being read */
	uint32_t single_settings;
	char owner[128]; /* prefix of the current section's paths: "", "network", "traffic.web" */
	const struct section *section; /* section_root before the first header */
	struct setting_bundle
		*bundle; /* the current [case NAME] or [full]; NULL: in another section */
};

/* --- section headers --- */

static int reader_add_section(struct reader *r)
{
	struct scenario *s = r->s;
	const struct scenario_section *first = scenario_section(s, r->owner);

	if (first)
		return weir_error_set(r->e,
				      "%s: the section is given twice, first in line %d; "
				      "put its keys together%s",
				      r->owner, first->line,
				      strchr(r->owner, '.') ? " or give it another name" : "");
	if (s->section_count == TRAFFIC_SECTIONS_MAX)
		return weir_error_set(r->e, "too many sections; allowed are %d",
				      TRAFFIC_SECTIONS_MAX);
	s->sections = memory_grow(s->sections, s->section_count + 1, sizeof(*s->sections));
	s->sections[s->section_count++] = (struct scenario_section){ text_copy(r->owner), r->line };
	return 0;
}

static int reader_unknown_section(struct reader *r, const char *name)
{
	const char *names[16];
	size_t count = 0;

	for (const struct section *s = section_all; s->name; s++)
		names[count++] = s->name;
	return weir_error_unknown(r->e, "section", name, names, count);
}

/* Names of cases may contain # and dots, because they are not part of paths. */
static int reader_add_case(struct reader *r, const char *name)
{
	struct scenario *s = r->s;
	const struct setting_bundle *first = scenario_case(s, name);

	if (first)
		return weir_error_set(
			r->e,
			"[case %s]: the case is given twice, first in line %d; put its "
			"settings together or give it another name",
			name, first->line);
	if (s->case_count == CASES_MAX)
		return weir_error_set(r->e, "too many cases; allowed are %d", CASES_MAX);
	s->cases = memory_grow(s->cases, s->case_count + 1, sizeof(*s->cases));
	r->bundle = &s->cases[s->case_count++];
	*r->bundle = (struct setting_bundle){ .name = text_copy(name), .line = r->line };
	return 0;
}

/* [full NAME] must follow its case. */
static int reader_add_full_case(struct reader *r, const char *name)
{
	struct setting_bundle *c = (struct setting_bundle *)scenario_case(r->s, name);

	if (r->s->case_count == 0)
		return weir_error_set(
			r->e,
			"[full %s]: no case stands above; write its settings in [case %s], "
			"or [full] for those of all cases",
			weir_quote(name).text, name);
	if (scenario_check_case(r->s, name, r->e))
		return weir_error_prefix(r->e, "[full NAME] stands below its case: ");
	if (c->full)
		return weir_error_set(
			r->e,
			"[full %s]: the section is given twice, first in line %d; put its "
			"settings together",
			name, c->full->line);
	c->full = memory_zeroed(1, sizeof(*c->full));
	r->bundle = c->full;
	*r->bundle = (struct setting_bundle){ .name = text_copy(name), .line = r->line };
	return 0;
}

static int reader_add_named(struct reader *r, const char *name)
{
	int is_case = r->section->traits & SECTION_LATER;

	if (!ini_name_is_good(name, is_case ? "-_#." : "-_"))
		return weir_error_set(
			r->e, "[%s]: name %s; allowed are up to 63 letters, digits, %s, as in %s",
			r->section->name, *name ? weir_quote(name).text : "is missing",
			is_case ? "- _ # and ." : "- and _", r->section->example);
	if (is_case)
		return reader_add_case(r, name);
	snprintf(r->owner, sizeof(r->owner), "%s.%s", r->section->name, name);
	return reader_add_section(r);
}

static int reader_add_single(struct reader *r)
{
	snprintf(r->owner, sizeof(r->owner), "%s", r->section->name);
	if (reader_add_section(r))
		return -1;
	if (!(r->section->traits & SECTION_LATER))
		return 0;
	r->bundle = &r->s->full;
	*r->bundle = (struct setting_bundle){ .name = text_copy(r->owner), .line = r->line };
	return 0;
}

static int reader_on_header(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct reader *r = user;

	r->line = at->line;
	r->bundle = NULL;
	r->section = section_find(kind);
	if (!r->section)
		return reader_unknown_section(r, kind);
	if (r->section->traits & SECTION_NAMED)
		return reader_add_named(r, name);
	if (*name == '\0')
		return reader_add_single(r);
	if (r->section->traits & SECTION_LATER)
		return reader_add_full_case(r, name);
	return weir_error_set(r->e,
			      "[%s %s]: only [traffic NAME], [case NAME] and [full NAME] have a "
			      "name; write [%s]",
			      kind, weir_quote(name).text, kind);
}

/* --- key = value --- */

static int reader_check_pair(struct reader *r, const char *key, const char *value)
{
	if (*key == '\0')
		return weir_error_set(r->e, "a key is missing in front of = %s",
				      weir_quote(value).text);
	if (r->section == &section_root && !weir_option_find(section_root.options, key))
		return weir_error_set(r->e,
				      "%s stands before the first section; only %s may, other keys "
				      "belong to a section such as [network]",
				      weir_quote(key).text, section_root.options->name);
	if (strchr(key, '.') && !(r->section->traits & SECTION_PATHS) &&
	    !section_spec(r->section, key))
		return weir_error_set(r->e,
				      "%s has a dot; the section stands in a line of its own, "
				      "as in [network]",
				      weir_quote(key).text);
	if (*value == '\0')
		return weir_error_set(r->e,
				      "%s has no value; write %.64s = value, or leave the line out",
				      weir_quote(key).text, key);
	return 0;
}

static int reader_count_setting(struct reader *r)
{
	return ++r->single_settings > SETTINGS_MAX
		       ? weir_error_set(r->e, "more than %d settings", SETTINGS_MAX)
		       : 0;
}

/* Adds a setting of [case NAME], [full] or [full NAME]. */
static int reader_add_bundled(struct reader *r, const char *path, const char *value)
{
	struct setting_bundle *b = r->bundle;
	const struct setting *first = path_is_repeated(path) ? NULL : bundle_find(b, path);

	if (strlen(path) >= PATH_ROOM)
		return weir_error_set(r->e, "%s is too long for a key", weir_quote(path).text);
	if (first && !path_of_list(path))
		return weir_error_set(r->e, "%s: given twice, first in line %d", path, first->line);
	if (reader_count_setting(r))
		return -1;
	if (first)
		setting_extend((struct setting *)first, value);
	else
		bundle_add(b, path, value, r->line);
	return 0;
}

static int reader_add_pair(struct reader *r, const char *key, const char *value)
{
	const struct setting *first;
	char path[PATH_ROOM];

	if (r->bundle)
		return reader_add_bundled(r, key, value);
	if (snprintf(path, sizeof(path), "%s%s%s", r->owner, *r->owner ? "." : "", key) >=
	    (int)sizeof(path))
		return weir_error_set(r->e, "%s is too long for a key", weir_quote(key).text);
	if (!section_repeats(r->section, key)) {
		first = scenario_find(r->s, path);
		/* A list of [sweep] may continue on further lines with the same key. */
		if (first && path_of_list(path)) {
			setting_extend((struct setting *)first, value);
			return 0;
		}
		if (first)
			return weir_error_set(r->e, "%s: given twice, first in line %d", path,
					      first->line);
		if (reader_count_setting(r))
			return -1;
	}
	scenario_add(r->s, path, value, r->line);
	return 0;
}

static int reader_on_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct reader *r = user;

	r->line = at->line;
	return reader_check_pair(r, key, value) || reader_add_pair(r, key, value) ? -1 : 0;
}

static void reader_on_title(void *user, const char *text)
{
	struct scenario *s = ((struct reader *)user)->s;

	snprintf(s->title, sizeof(s->title), "%s", text);
}

/* --- files --- */

static const struct ini_form form = {
	.what = "a scenario",
	.example = "[network]",
	.title = reader_on_title,
	.section = reader_on_header,
	.pair = reader_on_pair,
};

int scenario_read_text(struct scenario *s, const char *file, const char *text, size_t length,
		       struct weir_error *e)
{
	const struct ini_text in = { file, text, length };
	struct reader r = { .s = s, .e = e, .section = &section_root };

	memset(s, 0, sizeof(*s));
	s->file = text_copy(file);
	if (ini_read(&form, &r, &in, e) == 0 && scenario_check_bundles(s, e) == 0)
		return 0;
	scenario_free(s);
	return -1;
}

int scenario_read(struct scenario *s, const char *file, struct weir_error *e)
{
	size_t length;
	char *text = ini_load(&form, file, &length, e);
	int failed;

	if (!text)
		return -1;
	plugin_permit_tree_of(file);
	failed = scenario_read_text(s, file, text, length, e);
	free(text);
	return failed;
}
