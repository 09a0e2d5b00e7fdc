/* SPDX-License-Identifier: BSD-3-Clause */
/* shipped.c -- see shipped.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/shipped.h"
#include "base/ini.h"
#include "base/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char hint[] = "'weir reproduce --summary --ship' writes them";

/* The figure that is looked for, and the section that is read. */
struct search {
	struct findings *findings;
	char *label; /* "fig13.full" */
	int is_it;   /* 1: the section is of that figure */
	enum { NO_PART, OF_FIGURE, OF_CLAIMS } part;
};

/* "fig13", "fig13.full" */
static void print_label(char **label, const char *figure, size_t length, enum figure_size size)
{
	text_print(label, "%.*s%s", (int)length, figure, size == FIGURE_FULL ? ".full" : "");
}

static int see_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	struct search *s = user;

	s->is_it = strcmp(name, s->label) == 0;
	s->part = strcmp(kind, "figure") == 0   ? OF_FIGURE
		  : strcmp(kind, "claims") == 0 ? OF_CLAIMS
						: NO_PART;
	if (s->part != NO_PART)
		return 0;
	return weir_error_set(at->e,
			      "unknown section %s; there are [figure NAME] and [claims NAME]; %s",
			      weir_quote(kind).text, hint);
}

/* --- of the figure --- */

static int read_digest(struct findings *o, const char *value)
{
	size_t length = strspn(value, "0123456789abcdef");

	if (length != sizeof(o->digest.text) - 1 || value[length])
		return -1;
	memcpy(o->digest.text, value, length + 1);
	return 0;
}

static int read_key(struct findings *o, const char *key, const char *value, struct weir_error *e)
{
	static const char *const keys[] = { "version", "digest", "runs", "seconds" };
	char *end = NULL;
	int failed = 0;

	if (strcmp(key, "version") == 0)
		failed = !value[0] || snprintf(o->version, sizeof(o->version), "%s", value) >=
					      (int)sizeof(o->version);
	else if (strcmp(key, "digest") == 0)
		failed = read_digest(o, value);
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

/* --- of claims --- */

/* A verdict by its name, of so many bytes. */
static int find_kind(enum verdict_kind *kind, const char *name, size_t length)
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
static int read_kinds(struct finding *f, const char *text, size_t length)
{
	const char *bracket = memchr(text, '(', length);
	size_t first = bracket ? (size_t)(bracket - text) - 1 : length;

	if (bracket == text || find_kind(&f->kind, text, first))
		return -1;
	f->by_number = f->kind;
	if (!bracket)
		return 0;
	if (text[length - 1] != ')')
		return -1;
	return find_kind(&f->by_number, bracket + 1, length - first - strlen(" ()"));
}

static const char part_end[] = " | ";

/* Up to the next bar; moves on. */
static size_t next_part(const char **at, const char **part)
{
	const char *bar = strstr(*at, part_end);
	size_t length = bar ? (size_t)(bar - *at) : strlen(*at);

	*part = *at;
	*at += length + (bar ? strlen(part_end) : 0);
	return length;
}

static int read_finding(struct findings *o, const char *claim, const char *value,
			struct weir_error *e)
{
	struct finding f = { .claim = NULL };
	const char *at = value, *kinds, *measured, *doubt;
	size_t kinds_length = next_part(&at, &kinds), measured_length = next_part(&at, &measured),
	       doubt_length = next_part(&at, &doubt);

	if (read_kinds(&f, kinds, kinds_length) || *at)
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

/* Those of other figures are read as well: a mistake is a mistake. */
static int see_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	const struct search *s = user;
	struct findings other = { .version = "" }, *o = s->is_it ? s->findings : &other;
	int failed = s->part == OF_CLAIMS ? read_finding(o, key, value, at->e)
					  : read_key(o, key, value, at->e);

	findings_free(&other);
	return failed;
}

/* --- the file --- */

char *shipped_file(const char *scenario)
{
	const char *slash = strrchr(scenario, '/');
	char *file = NULL;

	text_print(&file, "%.*spaper.verdicts", slash ? (int)(slash - scenario) + 1 : 0, scenario);
	return file;
}

int shipped_read(struct findings *o, const char *scenario, enum figure_size size,
		 struct weir_error *e)
{
	static const struct ini_form form = { .what = "verdicts",
					      .example = "[figure fig1]",
					      .section = see_section,
					      .pair = see_pair };
	const char *slash = strrchr(scenario, '/'), *figure = slash ? slash + 1 : scenario;
	struct search looking = { .findings = o };
	struct ini_text text = { .file = shipped_file(scenario) };
	int failed = 0;

	*o = (struct findings){ .version = "" };
	print_label(&looking.label, figure, strlen(figure) - strlen(".ini"), size);
	if (access(text.file, F_OK) == 0) {
		char *content = ini_load(&form, text.file, &text.length, e);

		text.text = content;
		failed = content ? ini_read(&form, &looking, &text, e) : -1;
		free(content);
	}
	free(looking.label);
	free((char *)text.file);
	if (failed)
		findings_free(o);
	return failed;
}

static void write_finding(FILE *f, const struct finding *one)
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
	char *label = NULL;

	print_label(&label, figure, strlen(figure), size);
	fprintf(f,
		"\n[figure %s]\nversion = %s\ndigest = %s\nruns = %" PRIu64
		"\nseconds = %.1f\n[claims %s]\n",
		label, o->version, o->digest.text, o->runs, o->seconds, label);
	for (uint32_t i = 0; i < o->count; i++)
		write_finding(f, &o->all[i]);
	free(label);
}
