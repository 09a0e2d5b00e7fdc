/* SPDX-License-Identifier: BSD-3-Clause */
/* selection.c -- parses selections, matches runs against them, and reports selections that match
 * none. */
#include "lab/analysis/selection.h"
#include "base/quantity.h"
#include "lab/scenario/sweep.h"
#include "base/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 256 };

#define BLANKS " \t"

/* --- reading --- */

void selection_free(struct selection *s)
{
	for (uint32_t i = 0; i < s->count; i++) {
		free(s->conditions[i].path);
		free(s->conditions[i].value);
	}
	free(s->conditions);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

static char *selection_copy_trimmed(const char *text, size_t length)
{
	while (length > 0 && strchr(BLANKS, text[length - 1]))
		length--;
	while (length > 0 && strchr(BLANKS, *text)) {
		text++;
		length--;
	}
	return memory_text(text, length);
}

static int selection_add_condition(struct selection *s, const char *text, size_t length,
				   struct weir_error *e)
{
	struct condition *one;
	const char *equals = memchr(text, '=', length);
	size_t path_length = equals ? (size_t)(equals - text) : length;
	char *given, current[SETTING_PATH_SIZE];

	s->conditions = memory_grow(s->conditions, s->count + 1, sizeof(*one));
	one = &s->conditions[s->count++];
	given = selection_copy_trimmed(text, path_length);
	one->path = text_copy(setting_current_path(given, current));
	free(given);
	one->value = equals ? selection_copy_trimmed(equals + 1, length - path_length - 1) : NULL;
	if (!equals || *one->path == '\0' || *one->value == '\0')
		return weir_error_set(e,
				      "%s; runs are selected by SETTING=VALUE, "
				      "as in case=pred, traffic.web.load=0.9",
				      *one->path || equals ? weir_quote(one->path).text
							   : "a part is empty");
	if (strcmp(one->path, "seed") == 0)
		return weir_error_set(e, "seed is what is averaged over; it selects nothing");
	for (uint32_t i = 0; i + 1 < s->count; i++)
		if (strcmp(s->conditions[i].path, one->path) == 0)
			return weir_error_set(e, "%s is given twice", weir_quote(one->path).text);
	return 0;
}

int selection_read(struct selection *s, const char *text, struct weir_error *e)
{
	int failed = 0;

	memset(s, 0, sizeof(*s));
	s->text = text_copy(text);
	for (const char *at = text; !failed; at++) {
		size_t length = list_item_length(at);

		failed = selection_add_condition(s, at, length, e);
		at += length;
		if (*at == '\0')
			break;
	}
	if (failed)
		selection_free(s);
	return failed;
}

const char *selection_value(const struct selection *s, const char *path)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (strcmp(s->conditions[i].path, path) == 0)
			return s->conditions[i].value;
	return NULL;
}

/* --- values --- */

/* Copies the next option, "k=65pkts". 0: no more options, or one that is too long. */
static int scheme_next_option(const char **at, char *option, size_t size)
{
	const char *argument;
	size_t length;

	do {
		if (!spec_next_argument(at, &argument, &length) || length >= size)
			return 0;
	} while (length == 0);
	snprintf(option, size, "%.*s", (int)length, argument);
	return 1;
}

/* Does the stored scheme have this option with the same value? */
static int scheme_has_option(const char *stored, const char *wanted)
{
	const char *at = stored + strcspn(stored, "(");
	size_t name = strcspn(wanted, "=");
	char option[256];

	while (scheme_next_option(&at, option, sizeof(option)))
		if (strcspn(option, "=") == name && strncmp(option, wanted, name) == 0 &&
		    option[name] && wanted[name] &&
		    setting_is(option + name + 1, wanted + name + 1))
			return 1;
	return 0;
}

/* "ecn" and "ecn(k=65pkts)" both match a stored "ecn(k=65pkts, scope=queue)". */
static int scheme_matches(const char *stored, const char *wanted)
{
	size_t name = strcspn(stored, "(");
	const char *at = wanted + name;
	char option[256];

	if (stored[name] != '(' || strcspn(wanted, "(") != name ||
	    strncmp(stored, wanted, name) != 0)
		return 0;
	while (scheme_next_option(&at, option, sizeof(option)))
		if (!scheme_has_option(stored, option))
			return 0;
	return at[0] == '\0' || strcmp(at, ")") == 0;
}

/* A quantity with unit, or a fraction such as 1/16. */
static int setting_read_value(struct quantity *q, const char *text)
{
	const char *slash = strchr(text, '/');
	struct quantity below;
	struct weir_error ignored;
	char above[64];

	if (!slash || (size_t)(slash - text) >= sizeof(above))
		return quantity_read(q, text, &ignored);
	memcpy(above, text, (size_t)(slash - text));
	above[slash - text] = '\0';
	if (quantity_read(q, above, &ignored) || quantity_read(&below, slash + 1, &ignored) ||
	    *q->unit || *below.unit || below.number == 0)
		return -1;
	q->number /= below.number;
	return 0;
}

int setting_is(const char *stored, const char *wanted)
{
	struct quantity a, b;

	if (strcmp(stored, wanted) == 0)
		return 1;
	if (setting_read_value(&a, stored) == 0 && setting_read_value(&b, wanted) == 0)
		return strcmp(a.unit, b.unit) == 0 && is_same_number(a.number, b.number);
	return scheme_matches(stored, wanted);
}

/* --- runs --- */

static const char version_path[] = "version";

static const char *value_of(const struct stored_run *run, const char *path)
{
	return strcmp(path, version_path) == 0 ? run->version : stored_setting(run, path);
}

static int condition_is_met(const struct condition *c, const struct stored_run *run)
{
	const char *value = value_of(run, c->path);

	return value && setting_is(value, c->value);
}

int selection_has(const struct selection *s, const struct stored_run *run)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (!condition_is_met(&s->conditions[i], run))
			return 0;
	return 1;
}

int path_check(const char *path, const struct stored_runs *runs, struct weir_error *e)
{
	const char *names[NAMES_MAX], *nearest;
	size_t count = 0;

	for (uint32_t i = 0; i < runs->count; i++)
		if (value_of(&runs->runs[i], path))
			return 0;
	for (uint32_t i = 0; i < runs->count; i++)
		for (uint32_t k = 0; k < runs->runs[i].setting_count && count < NAMES_MAX; k++) {
			const char *name = runs->runs[i].settings[k].path;

			if (i == 0 || !stored_setting(&runs->runs[0], name))
				names[count++] = name;
		}
	nearest = weir_nearest_name(path, names, count);
	return weir_error_set(e, "no run of the scenario has a setting %s%s%s%s",
			      weir_quote(path).text, nearest ? " (nearest: " : "",
			      nearest ? nearest : "", nearest ? ")" : "");
}

static int condition_refuse_value(const struct condition *c, const struct stored_runs *runs,
				  struct weir_error *e)
{
	const char *values[NAMES_MAX] = { NULL }, *nearest;
	size_t count = 0;

	for (uint32_t i = 0; i < runs->count && count < NAMES_MAX; i++) {
		const char *value = value_of(&runs->runs[i], c->path);
		size_t k = 0;

		while (value && k < count && strcmp(values[k], value) != 0)
			k++;
		if (value && k == count)
			values[count++] = value;
	}
	nearest = weir_nearest_name(c->value, values, count);
	weir_error_set(e, "no run of the scenario has %s = %s; there are ", c->path,
		       weir_quote(c->value).text);
	for (size_t i = 0; i < count; i++)
		weir_error_set(e, "%s%s%s", e->text, i ? ", " : "", values[i]);
	if (nearest)
		weir_error_set(e, "%s (nearest: %s)", e->text, nearest);
	return -1;
}

int selection_check(const struct selection *s, const struct stored_runs *runs, struct weir_error *e)
{
	for (uint32_t i = 0; i < s->count; i++) {
		const struct condition *c = &s->conditions[i];
		uint32_t run = 0;

		while (run < runs->count && !condition_is_met(c, &runs->runs[run]))
			run++;
		if (run == runs->count)
			return path_check(c->path, runs, e) ? -1
							    : condition_refuse_value(c, runs, e);
	}
	for (uint32_t i = 0; i < runs->count; i++)
		if (selection_has(s, &runs->runs[i]))
			return 0;
	return weir_error_set(e, "no run of the scenario has all of %s", weir_quote(s->text).text);
}

static int selection_compares_path(const char *path, const char *apart)
{
	return strcmp(path, "seed") != 0 && strcmp(path, "measure.probe") != 0 &&
	       (!apart || strcmp(path, apart) != 0);
}

/* A setting of one run that the other lacks or has with a different value; NULL: there is none. */
static const char *selection_differing(const struct stored_run *one, const struct stored_run *other,
				       const char *apart)
{
	for (uint32_t i = 0; i < one->setting_count; i++) {
		const struct stored_setting *at = &one->settings[i];
		const char *value =
			i < other->setting_count && strcmp(other->settings[i].path, at->path) == 0
				? other->settings[i].value
				: stored_setting(other, at->path);

		if (selection_compares_path(at->path, apart) &&
		    (!value || strcmp(value, at->value) != 0))
			return at->path;
	}
	return NULL;
}

const char *selection_mixes(const struct selection *s, const struct stored_runs *runs,
			    const char *apart)
{
	const struct stored_run *first = NULL;
	const char *path = NULL;

	for (uint32_t i = 0; i < runs->count && !path; i++) {
		const struct stored_run *run = &runs->runs[i];

		if (!selection_has(s, run))
			continue;
		if (!first)
			first = run;
		path = selection_differing(first, run, apart);
		if (!path)
			path = selection_differing(run, first, apart);
		if (!path && first->version && strcmp(first->version, run->version) != 0)
			path = version_path;
	}
	return path;
}
