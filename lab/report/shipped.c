/* SPDX-License-Identifier: BSD-3-Clause */
/* shipped.c -- the verdicts that ship with Weir, PAPERS/PAPER/paper.verdicts, and the digest of the
 * files that they were judged by. See reproduce.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/reproduce.h"
#include "base/ini.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char hint[] = "'weir reproduce --summary --ship' writes them";

/* The wanted figure and the current section. */
struct shipped_search {
	struct findings *findings;  /* [size] */
	char *labels[FIGURE_SIZES]; /* "fig13", "fig13.full" */
	struct findings *current;   /* NULL: the section belongs to another figure */
	enum { NO_PART, OF_FIGURE, OF_CLAIMS } part;
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
	s->part = strcmp(kind, "figure") == 0   ? OF_FIGURE
		  : strcmp(kind, "claims") == 0 ? OF_CLAIMS
						: NO_PART;
	if (s->part != NO_PART)
		return 0;
	return weir_error_set(at->e,
			      "unknown section %s; there are [figure NAME] and [claims NAME]; %s",
			      weir_quote(kind).text, hint);
}

/* --- keys of a figure --- */

static int shipped_read_digest(struct findings *o, const char *value)
{
	size_t length = strspn(value, "0123456789abcdef");

	if (length != sizeof(o->digest.text) - 1 || value[length])
		return -1;
	memcpy(o->digest.text, value, length + 1);
	return 0;
}

static int shipped_read_key(struct findings *o, const char *key, const char *value,
			    struct weir_error *e)
{
	static const char *const keys[] = { "version", "digest", "runs", "seconds" };
	char *end = NULL;
	int failed = 0;

	if (strcmp(key, "version") == 0)
		failed = !value[0] || snprintf(o->version, sizeof(o->version), "%s", value) >=
					      (int)sizeof(o->version);
	else if (strcmp(key, "digest") == 0)
		failed = shipped_read_digest(o, value);
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
	struct finding f = { .claim = NULL };
	const char *at = value, *kinds, *measured, *doubt;
	size_t kinds_length = shipped_next_part(&at, &kinds),
	       measured_length = shipped_next_part(&at, &measured),
	       doubt_length = shipped_next_part(&at, &doubt);

	if (shipped_read_kinds(&f, kinds, kinds_length) || *at)
		return weir_error_set(e,
				      "%s: %s; allowed: a verdict, what was measured and what is "
				      "wrong with its runs, divided by bars; %s",
				      claim, weir_quote(value).text, hint);
	f.claim = text_copy(claim);
	text_print(&f.measured, "%.*s", (int)measured_length, measured);
	text_print(&f.doubt, "%.*s", (int)doubt_length, doubt);
	findings_add(o, &f);
	return 0;
}

/* Sections of other figures are parsed, too, so that every mistake is found. */
static int shipped_read_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	const struct shipped_search *s = user;
	struct findings other = { .version = "" }, *o = s->current ? s->current : &other;
	int failed = s->part == OF_CLAIMS ? shipped_read_finding(o, key, value, at->e)
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
	char *label = shipped_label(figure, strlen(figure), size);

	fprintf(f,
		"\n[figure %s]\nversion = %s\ndigest = %s\nruns = %" PRIu64
		"\nseconds = %.1f\n[claims %s]\n",
		label, o->version, o->digest.text, o->runs, o->seconds, label);
	for (uint32_t i = 0; i < o->count; i++)
		shipped_write_finding(f, &o->all[i]);
	free(label);
}

/* --- the digest --- */

/* Keys of a claim that do not affect verdicts. */
static const char *const digest_skipped[] = { "says", "section", "why", "note" };

/* Keys whose presence affects verdicts, but not their text. */
static const char *const digest_emptied[] = { "contradicts", "fitted" };

struct digest_input {
	FILE *out;
	int is_scenario;
	int is_included; /* 1: the current section is part of the digest */
	enum figure_size size;
};

static int digest_has_key(const char *key, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(key, words[i]) == 0)
			return 1;
	return 0;
}

static int digest_add_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct digest_input *s = user;

	(void)at;
	s->is_included = s->is_scenario ? s->size == FIGURE_FULL || strcmp(kind, "full") != 0
					: strcmp(kind, "claim") == 0;
	if (s->is_included)
		fprintf(s->out, "[%s %s]\n", kind, name);
	return 0;
}

static int digest_add_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	struct digest_input *s = user;

	(void)at;
	if (!s->is_included ||
	    (!s->is_scenario &&
	     digest_has_key(key, digest_skipped, sizeof(digest_skipped) / sizeof(*digest_skipped))))
		return 0;
	if (!s->is_scenario &&
	    digest_has_key(key, digest_emptied, sizeof(digest_emptied) / sizeof(*digest_emptied)))
		value = "";
	fprintf(s->out, "%s = %s\n", key, value);
	return 0;
}

static int digest_add_file(struct digest_input *s, const char *file, struct weir_error *e)
{
	static const struct ini_form form = { .what = "a figure",
					      .example = "[network]",
					      .section = digest_add_section,
					      .pair = digest_add_pair };
	struct ini_text in = { .file = file };
	char *text = ini_load(&form, file, &in.length, e);
	int failed;

	in.text = text;
	s->is_included = s->is_scenario;
	failed = !text || ini_read(&form, s, &in, e);
	free(text);
	return failed ? -1 : 0;
}

int figure_digest(struct digest *d, const char *scenario, const char *claims, enum figure_size size,
		  struct weir_error *e)
{
	char *text = NULL;
	size_t length = 0;
	struct digest_input s = { .out = open_memstream(&text, &length),
				  .size = size,
				  .is_scenario = 1 };
	struct digest_sum sum = { 0, 0 };
	int failed;

	if (!s.out)
		return weir_error_set(e, "no memory for a digest");
	failed = digest_add_file(&s, scenario, e);
	s.is_scenario = 0;
	failed = failed || digest_add_file(&s, claims, e);
	fclose(s.out);
	digest_add(&sum, text, length);
	*d = digest_end(&sum);
	free(text);
	return failed ? -1 : 0;
}
