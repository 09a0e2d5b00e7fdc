/* SPDX-License-Identifier: BSD-3-Clause */
/* spec_key.c -- keys that reach into a scheme: sets options in its text, and markings of parts. */
#include "lab/scenario/scenario.h"
#include "lab/scenario/sections.h"
#include "base/memory.h"
#include "config/markings.h"
#include "config/plugin.h"
#include "config/schemes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A part's scheme, as an option. */
static const struct weir_option part_scheme = { "marking", WEIR_OPT_SCHEME,   0, NULL, 0, 0,
						"",        marking_specs.kind };

/* --- a spec as text --- */

/* Length up to the next comma or the closing bracket of the argument list. */
static size_t spec_argument_length(const char *text)
{
	int depth = 0;
	size_t i;

	for (i = 0; text[i] && (depth > 0 || (text[i] != ',' && text[i] != ')')); i++)
		depth += (text[i] == '(') - (text[i] == ')');
	return i;
}

static int spec_argument_is(const char *text, const char *option)
{
	size_t length = strlen(option);

	if (strncmp(text, option, length) != 0)
		return 0;
	text += length;
	return text[strspn(text, " \t")] == '=';
}

int spec_next_argument(const char **at, const char **argument, size_t *length)
{
	if (**at != '(' && **at != ',')
		return 0;
	++*at;
	*at += strspn(*at, " \t");
	*argument = *at;
	*length = spec_argument_length(*at);
	*at += *length;
	return 1;
}

int spec_gives(const char *spec, const char *option)
{
	const char *at = spec + strcspn(spec, "("), *argument;
	size_t length;

	while (spec_next_argument(&at, &argument, &length))
		if (spec_argument_is(argument, option))
			return 1;
	return 0;
}

/* Sets an option in a spec: "red(p=1%)" and min = 5KB give "red(p=1%, min=5KB)". -1: too long. */
static int spec_with(char *buffer, size_t size, const char *spec, const struct setting *option)
{
	const char *at = spec + strcspn(spec, "("), *argument;
	size_t length, used = (size_t)snprintf(buffer, size, "%.*s(", (int)(at - spec), spec);

	while (spec_next_argument(&at, &argument, &length))
		if (length > 0 && !spec_argument_is(argument, option->path) && used < size)
			used += (size_t)snprintf(buffer + used, size - used, "%.*s, ", (int)length,
						 argument);
	if (used < size)
		used += (size_t)snprintf(buffer + used, size - used, "%s=%s)", option->path,
					 option->value);
	return used < size ? 0 : -1;
}

/* Sets an option of the spec in text, in place; option->path is the option's name. */
static int spec_set(const struct weir_option *scheme, char text[WEIR_OPT_TEXT_SIZE],
		    const struct setting *option, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	char changed[WEIR_OPT_TEXT_SIZE], name[WEIR_OPT_TEXT_SIZE];
	const struct weir_scheme_set *specs = weir_option_scheme_set(scheme);
	const struct weir_option *table, *o;

	if (specs->read(text, params, &table, e) || weir_spec_name(text, name, sizeof(name), e))
		return -1;
	o = table ? weir_option_find(table, option->path) : NULL;
	if (!o)
		return weir_option_unknown(name, option->path, table, e);
	if (setting_parse(params, o, option->value, e))
		return -1;
	if (spec_with(changed, sizeof(changed), text, option))
		return weir_error_set(e, "with it %s is longer than %d bytes", name,
				      WEIR_OPT_TEXT_SIZE - 1);
	memcpy(text, changed, sizeof(changed));
	return 0;
}

/* --- parts --- */

const char *spec_part_key(const char *line, char *buffer, size_t size)
{
	snprintf(buffer, size, "marking.%.*s", (int)strcspn(line, " "), line);
	return buffer;
}

/* The spec of a line "NAME SPEC". */
static void spec_of_part(const char *line, char text[WEIR_OPT_TEXT_SIZE])
{
	snprintf(text, WEIR_OPT_TEXT_SIZE, "%s", strchr(line, ' ') + 1);
}

const char *spec_part_text(const char *line, char *buffer, size_t size)
{
	char text[WEIR_OPT_TEXT_SIZE];

	spec_of_part(line, text);
	return weir_option_format(buffer, size, &part_scheme, text);
}

/* The section's lines "NAME SPEC" of parts; NULL: the key does not name a part. */
static struct line_list *spec_parts(const struct section_view *v, const char *key)
{
	const struct weir_option *parts = weir_option_find(v->section->options, MARKING_PART_KEY);

	return parts && strncmp(key, MARKING_PART_KEY, strcspn(MARKING_PART_KEY, ".") + 1) == 0
		       ? (struct line_list *)((char *)v->params + parts->offset)
		       : NULL;
}

/* Does the key name a part, rather than an option? Its last word is a traffic section, a class or a
 * rate, or its value is a scheme (as for a tier). */
static int spec_is_part(const struct scenario *s, const struct section_view *v, const char *key,
			const struct setting *at)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const char *word = strrchr(key, '.') + 1;
	const struct weir_option *table;
	struct weir_error ignored;
	char section[128];
	uint64_t rate_bps;

	if (!spec_parts(v, key))
		return 0;
	snprintf(section, sizeof(section), "traffic.%s", word);
	return scenario_section(s, section) || (*word && !word[strspn(word, "0123456789")]) ||
	       marking_rate(word, &rate_bps) || strchr(at->value, '(') || is_plugin(at->value) ||
	       marking_specs.read(at->value, params, &table, &ignored) == 0;
}

int spec_add_part(const struct scenario *s, const struct section_view *v, const char *key,
		  const struct setting *at, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_option *table;
	char *line = NULL;

	if (!spec_is_part(s, v, key, at))
		return 0;
	if (strlen(at->value) >= WEIR_OPT_TEXT_SIZE || strlen(key) >= WEIR_OPT_TEXT_SIZE)
		return weir_error_set(e, "too long; at most %d bytes", WEIR_OPT_TEXT_SIZE - 1);
	if (marking_specs.read(at->value, params, &table, e))
		return -1;
	text_print(&line, "%s %s", strchr(key, '.') + 1, at->value);
	line_list_add(spec_parts(v, key), line, at->line);
	free(line);
	return 0;
}

/* --- options --- */

static struct config_line *spec_find_part(const struct line_list *parts, const char *name,
					  size_t length)
{
	for (uint32_t i = 0; parts && i < parts->count; i++)
		if (strncmp(parts->lines[i].text, name, length) == 0 &&
		    parts->lines[i].text[length] == ' ')
			return &parts->lines[i];
	return NULL;
}

/* Sets an option of a part: for "marking.leaf.k", part is "leaf". */
static int spec_set_in_part(const struct line_list *parts, const char *part, size_t length,
			    const struct setting *option, struct weir_error *e)
{
	struct config_line *line = spec_find_part(parts, part, length);
	char spec[WEIR_OPT_TEXT_SIZE];

	if (!line)
		return weir_error_set(e,
				      "%s is an option of marking.%.*s, which is not given; write "
				      "marking.%.*s = name(option=value, ...)",
				      option->path, (int)length, part, (int)length, part);
	spec_of_part(line->text, spec);
	if (spec_set(&part_scheme, spec, option, e))
		return -1;
	text_print(&line->text, "%.*s %s", (int)length, part, spec);
	return 0;
}

int spec_set_option(const struct scenario *s, const struct section_view *v, const char *key,
		    const struct setting *at, struct weir_error *e)
{
	const struct weir_option *scheme = section_spec(v->section, key);
	const char *rest = strchr(key, '.') + 1, *word = strrchr(key, '.') + 1;
	const struct setting option = { (char *)word, at->value, at->line };
	char *text = (char *)v->params + scheme->offset;

	if (spec_is_part(s, v, key, at))
		return 0;
	if (word > rest)
		return spec_set_in_part(spec_parts(v, key), rest, (size_t)(word - rest - 1),
					&option, e);
	if (*text == '\0')
		return weir_error_set(e, "%s is an option of %s.%s, which is not given", word,
				      v->owner, scheme->name);
	if (!weir_option_scheme_set(scheme)->read)
		return weir_error_set(e, "%s has no options that can be set from outside",
				      scheme->name);
	return spec_set(scheme, text, &option, e);
}
