/* SPDX-License-Identifier: BSD-3-Clause */
/* shipped.c -- the verdicts that ship with Weir, PAPERS/PAPER/paper.verdicts. See reproduce.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/reproduce.h"
#include "base/ini.h"
#include "base/text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char hint[] = "'weir reproduce --summary --ship' writes them";

/* The wanted figure and the current section. */
struct shipped_search {
	struct findings *findings;  /* [size] */
	char *labels[FIGURE_SIZES]; /* "fig13", "fig13.full" */
	struct findings *current;   /* NULL: the section belongs to another figure */
	enum { NO_PART, OF_FIGURE, OF_CLAIMS, OF_NUMBERS } part;
};

/* "fig13", "fig13.full" */
static char *shipped_label(const char *figure, size_t length, enum figure_size size)
{
	char *label = NULL;

	text_print(&label, "%.*s%s", (int)length, figure, size == FIGURE_FULL ? ".full" : "");
	return label;
}

static int shipped_read_section(void *user, struct ini_place *at, const char *kind,
				const char *name)
{
	struct shipped_search *s = user;

	s->current = NULL;
	for (int size = 0; size < FIGURE_SIZES; size++)
		if (strcmp(name, s->labels[size]) == 0)
			s->current = &s->findings[size];
	s->part = strcmp(kind, "figure") == 0    ? OF_FIGURE
		  : strcmp(kind, "claims") == 0  ? OF_CLAIMS
		  : strcmp(kind, "numbers") == 0 ? OF_NUMBERS
						 : NO_PART;
	if (s->part != NO_PART)
		return 0;
	return weir_error_set(at->e,
			      "unknown section %s; there are [figure NAME], [claims NAME] and "
			      "[numbers NAME]; %s",
			      weir_quote(kind).text, hint);
}

/* --- keys of a figure --- */

/* Returns the rest of the text; NULL: it does not begin with a digest. */
static const char *shipped_read_digest(struct digest *d, const char *text)
{
	const size_t length = sizeof(d->text) - 1;

	if (strspn(text, "0123456789abcdef") != length)
		return NULL;
	memcpy(d->text, text, length);
	d->text[length] = '\0';
	return text + length;
}

static int shipped_read_key(struct findings *o, const char *key, const char *value,
			    struct weir_error *e)
{
	static const char *const keys[] = { "version", "settings", "runs", "seconds" };
	struct digest ignored;
	const char *rest;
	char *end = NULL;
	int failed = 0;

	if (strcmp(key, "version") == 0)
		failed = !value[0] || snprintf(o->version, sizeof(o->version), "%s", value) >=
					      (int)sizeof(o->version);
	else if (strcmp(key, "settings") == 0)
		failed = !(rest = shipped_read_digest(&o->digest, value)) || *rest;
	else if (strcmp(key, "scenario") == 0)
		failed = !(rest = shipped_read_digest(&o->former, value)) || *rest;
	else if (strcmp(key, "digest") == 0)
		/* Until 0.3.0 there was a digest of scenario and claims, and no numbers. Such
		 * verdicts can be read, but are out of date. */
		failed = !(rest = shipped_read_digest(&ignored, value)) || *rest;
	else if (strcmp(key, "runs") == 0)
		o->runs = strtoull(value, &end, 10);
	else if (strcmp(key, "seconds") == 0)
		o->seconds = strtod(value, &end);
	else
		return weir_error_unknown(e, "key", key, keys, sizeof(keys) / sizeof(*keys));
	if (failed || (end && (end == value || *end)))
		return weir_error_set(e, "%s: %s; %s", key, weir_quote(value).text, hint);
	return 0;
}

/* --- claims --- */

/* Finds a verdict by its name, which has `length` bytes. -1: unknown. */
static int shipped_find_kind(enum verdict_kind *kind, const char *name, size_t length)
{
	static const char former[] = "disagrees"; /* until 0.3.0 */

	if (length == strlen(former) && strncmp(former, name, length) == 0) {
		*kind = VERDICT_NOT_REPRODUCED;
		return 0;
	}
	for (int i = 0; i < VERDICTS; i++)
		if (strlen(verdict_name((enum verdict_kind)i)) == length &&
		    strncmp(verdict_name((enum verdict_kind)i), name, length) == 0) {
			*kind = (enum verdict_kind)i;
			return 0;
		}
	return -1;
}

/* "fitted (agrees)" */
static int shipped_read_kinds(struct finding *f, const char *text, size_t length)
{
	const char *bracket = memchr(text, '(', length);
	size_t first = bracket ? (size_t)(bracket - text) - 1 : length;

	if (bracket == text || shipped_find_kind(&f->kind, text, first))
		return -1;
	f->by_number = f->kind;
	if (!bracket)
		return 0;
	if (text[length - 1] != ')')
		return -1;
	return shipped_find_kind(&f->by_number, bracket + 1, length - first - strlen(" ()"));
}

static const char part_end[] = " | ";

/* Returns the length of the part up to the next bar, and advances behind that. */
static size_t shipped_next_part(const char **at, const char **part)
{
	const char *bar = strstr(*at, part_end);
	size_t length = bar ? (size_t)(bar - *at) : strlen(*at);

	*part = *at;
	*at += length + (bar ? strlen(part_end) : 0);
	return length;
}

static int shipped_read_finding(struct findings *o, const char *claim, const char *value,
				struct weir_error *e)
{
	struct finding f = { .claim = NULL }, *one;
	const char *at = value, *kinds, *measured, *doubt;
	size_t kinds_length = shipped_next_part(&at, &kinds),
	       measured_length = shipped_next_part(&at, &measured),
	       doubt_length = shipped_next_part(&at, &doubt);

	if (shipped_read_kinds(&f, kinds, kinds_length) || *at)
		return weir_error_set(e,
				      "%s: %s; allowed: a verdict, what was measured and what is "
				      "wrong with its runs, divided by bars; %s",
				      claim, weir_quote(value).text, hint);
	one = findings_find_or_add(o, claim);
	one->kind = f.kind;
	one->by_number = f.by_number;
	text_print(&one->measured, "%.*s", (int)measured_length, measured);
	text_print(&one->doubt, "%.*s", (int)doubt_length, doubt);
	return 0;
}

/* --- numbers: the claim's digest, mean, ends of the interval, seeds --- */

static const char alike[] = " alike";

static int shipped_read_number(struct findings *o, const char *claim, const char *value,
			       struct weir_error *e)
{
	struct finding *one = findings_find_or_add(o, claim);
	const char *at = shipped_read_digest(&one->metric, value);
	struct measured *m = &one->value;
	double *const numbers[] = { &m->mean, &m->low, &m->high };
	char *end = NULL;

	for (size_t i = 0; at && i < sizeof(numbers) / sizeof(*numbers); i++) {
		*numbers[i] = strtod(at, &end);
		at = end == at || isnan(*numbers[i]) ? NULL : end;
	}
	if (at)
		m->count = (uint32_t)strtoul(at, &end, 10);
	if (!at || end == at || m->count == 0 || (*end && strcmp(end, alike) != 0))
		return weir_error_set(e,
				      "%s: %s; allowed: a digest, the mean, both ends of its "
				      "interval and the number of seeds; %s",
				      claim, weir_quote(value).text, hint);
	m->is_alike = *end != '\0';
	m->half = (m->high - m->low) / 2;
	return 0;
}

static void shipped_write_number(FILE *f, const struct finding *one)
{
	const struct measured *m = &one->value;

	if (!one->metric.text[0] || m->count == 0)
		return;
	fprintf(f, "%s = %s %.9g %.9g %.9g %" PRIu32 "%s\n", one->claim, one->metric.text, m->mean,
		m->low, m->high, m->count, m->is_alike ? alike : "");
}

/* Sections of other figures are parsed, too, so that every mistake is found. */
static int shipped_read_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	const struct shipped_search *s = user;
	struct findings other = { .version = "" }, *o = s->current ? s->current : &other;
	int failed = s->part == OF_CLAIMS    ? shipped_read_finding(o, key, value, at->e)
		     : s->part == OF_NUMBERS ? shipped_read_number(o, key, value, at->e)
					     : shipped_read_key(o, key, value, at->e);

	findings_free(&other);
	return failed;
}

/* --- the file --- */

int shipped_read(struct findings o[FIGURE_SIZES], const char *scenario, struct weir_error *e)
{
	static const struct ini_form form = { .what = "verdicts",
					      .example = "[figure fig1]",
					      .section = shipped_read_section,
					      .pair = shipped_read_pair };
	const char *slash = strrchr(scenario, '/'), *figure = slash ? slash + 1 : scenario;
	size_t length = strlen(figure) - strlen(".ini");
	struct shipped_search search = { .findings = o };
	int failed;

	for (int size = 0; size < FIGURE_SIZES; size++) {
		o[size] = (struct findings){ .version = "" };
		search.labels[size] = shipped_label(figure, length, (enum figure_size)size);
	}
	failed = paper_file_read(scenario, SHIPPED_FILE, &form, &search, e) < 0;
	for (int size = 0; size < FIGURE_SIZES; size++) {
		free(search.labels[size]);
		if (failed)
			findings_free(&o[size]);
	}
	return failed ? -1 : 0;
}

static void shipped_write_finding(FILE *f, const struct finding *one)
{
	fprintf(f, "%s = %s", one->claim, verdict_name(one->kind));
	if (one->by_number != one->kind)
		fprintf(f, " (%s)", verdict_name(one->by_number));
	if (one->measured[0] || one->doubt[0])
		fprintf(f, "%s%s", part_end, one->measured);
	if (one->doubt[0])
		fprintf(f, "%s%s", part_end, one->doubt);
	fputc('\n', f);
}

void shipped_write(FILE *f, const char *figure, enum figure_size size, const struct findings *o)
{
	static const char outdated[] = "0000000000000000"; /* of no scenario */
	char *label = shipped_label(figure, strlen(figure), size);

	fprintf(f,
		"\n[figure %s]\nversion = %s\nsettings = %s\nruns = %" PRIu64
		"\nseconds = %.1f\n[claims %s]\n",
		label, o->version, o->digest.text[0] ? o->digest.text : outdated, o->runs,
		o->seconds, label);
	for (uint32_t i = 0; i < o->count; i++)
		shipped_write_finding(f, &o->all[i]);
	fprintf(f, "[numbers %s]\n", label);
	for (uint32_t i = 0; i < o->count; i++)
		shipped_write_number(f, &o->all[i]);
	free(label);
}
