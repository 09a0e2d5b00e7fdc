/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce_show.c -- terminal output of weir reproduce: the table of claims and the list of
 * figures. Contract in reproduce.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli/options.h"
#include "cli/reproduce.h"
#include "base/clock.h"
#include "lab/analysis/planned.h"
#include "lab/store/results.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GAP = 2, TEXT_LEAST = 24, TEXT_MOST = 64 };

/* --- text in columns --- */

/* Width in characters, not bytes. */
static int claims_text_width(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

/* Prints the text, cut or padded with blanks to the width. */
static void claims_print_padded(const char *text, int width)
{
	static const char dots[] = "...";
	int room = width, whole = claims_text_width(text) <= width;

	if (!whole)
		room -= (int)strlen(dots);
	while (*text && room > 0) {
		do
			putchar(*text++);
		while (((unsigned char)*text & 0xc0) == 0x80);
		room--;
	}
	if (!whole)
		fputs(dots, stdout);
	printf("%*s", room, "");
}

static int claims_wider(int width, const char *text)
{
	return claims_text_width(text) > width ? claims_text_width(text) : width;
}

/* --- claims --- */

static struct claim_text claims_measured(const struct verdict *v)
{
	struct claim_text t = { "-" };
	size_t length;

	if (v->kind >= VERDICT_OTHER_SIZE)
		return t;
	t = measured_text(&v->value, v->unit);
	length = strlen(t.text);
	snprintf(t.text + length, sizeof(t.text) - length, "%s", v->is_doubtful ? "!" : "");
	return t;
}

struct claim_widths {
	int verdict, says, expected;
};

static struct claim_widths claims_choose_widths(const struct figure *f,
						const struct verdict *verdicts)
{
	struct claim_widths w = { claims_text_width("verdict"), 0, claims_text_width("expected") };
	int measured = claims_text_width("measured"), longest = claims_text_width("claim"), room;

	for (uint32_t i = 0; i < f->claim_count; i++) {
		w.verdict = claims_wider(w.verdict, verdict_name(verdicts[i].kind));
		w.expected = claims_wider(w.expected, claim_expected(&f->claims[i]).text);
		measured = claims_wider(measured, claims_measured(&verdicts[i]).text);
		longest = claims_wider(longest, f->claims[i].says);
	}
	room = cli_line_width(stdout) - w.verdict - w.expected - measured - 3 * GAP;
	room = room < TEXT_LEAST ? TEXT_LEAST : room;
	w.says = longest < room ? longest : room;
	return w;
}

/* The number of bytes that fit a line, up to a blank if there is one. */
static size_t claims_line_length(const char *text, int width)
{
	size_t end = 0, blank = 0;
	int used = 0;

	while (text[end] && used < width) {
		do
			end++;
		while (((unsigned char)text[end] & 0xc0) == 0x80);
		used++;
		if (text[end] == ' ' || text[end] == '\0')
			blank = end;
	}
	return blank ? blank : end;
}

/* Wraps a claim within its column. */
static void claims_print_row(const struct claim_widths *w, const char *const cells[4])
{
	const char *says = cells[1];
	size_t length = claims_line_length(says, w->says);
	char part[512];

	snprintf(part, sizeof(part), "%.*s", (int)length, says);
	claims_print_padded(cells[0], w->verdict + GAP);
	claims_print_padded(part, w->says);
	printf("%*s", GAP, "");
	claims_print_padded(cells[2], w->expected + GAP);
	puts(cells[3]);
	for (says += length; *says; says += length) {
		says += strspn(says, " ");
		length = claims_line_length(says, w->says);
		printf("%*s%.*s\n", w->verdict + GAP, "", (int)length, says);
	}
}

/* Prints each reason for a missing verdict once, with the claims that it applies to. */
static void claims_print_why(const struct figure *f, const struct verdict *verdicts, uint32_t claim)
{
	const struct verdict *v = &verdicts[claim];
	uint32_t others = 0;

	for (uint32_t i = 0; i < f->claim_count; i++) {
		if (strcmp(verdicts[i].why, v->why) != 0)
			continue;
		if (i < claim)
			return;
		others += i > claim;
	}
	if (!v->why[0])
		return;
	fputs(f->claims[claim].name, stdout);
	if (others)
		printf(" and %u other%s", others, others == 1 ? "" : "s");
	printf(": %s: %s\n", verdict_name(v->by_number), v->why);
}

/* "reading first-window-2: small-mean agrees: 0.81 ±0.05" */
static void claims_print_readings(const struct figure *f, const struct verdict *verdicts)
{
	for (uint32_t i = f->claim_count; i < f->judged_count; i++) {
		const struct claim *c = &f->claims[i];

		if (verdicts[i].kind != VERDICT_OTHER_SIZE)
			printf("reading %s: %s: %s, %s\n", f->readings[c->reading].name,
			       f->claims[c->original].name, verdict_name(verdicts[i].kind),
			       claims_measured(&verdicts[i]).text);
	}
}

void reproduce_print_claims(const struct figure *f, const struct verdict *verdicts)
{
	struct claim_widths w = claims_choose_widths(f, verdicts);

	if (f->claim_count == 0)
		return;
	claims_print_row(&w, (const char *const[]){ "verdict", "claim", "expected", "measured" });
	for (uint32_t i = 0; i < f->claim_count; i++) {
		struct claim_text expected = claim_expected(&f->claims[i]);
		struct claim_text measured = claims_measured(&verdicts[i]);

		claims_print_row(&w, (const char *const[]){ verdict_name(verdicts[i].kind),
							    f->claims[i].says, expected.text,
							    measured.text });
	}
	for (uint32_t i = 0; i < f->claim_count; i++)
		if (verdicts[i].kind < VERDICT_OTHER_SIZE && verdicts[i].is_doubtful)
			printf("! %s: %s\n", f->claims[i].name,
			       health_text(&verdicts[i].health).text);
	for (uint32_t i = 0; i < f->claim_count; i++)
		if (verdicts[i].best[0])
			printf("%s is best at %s = %s\n", f->claims[i].name, f->claims[i].best,
			       verdicts[i].best);
	for (uint32_t i = 0; i < f->claim_count; i++)
		claims_print_why(f, verdicts, i);
	claims_print_readings(f, verdicts);
}

/* "8 agree, 1 undecided"; "no claims". */
static struct claim_text claims_counts_text(const struct verdict_counts *counts)
{
	struct claim_text t = { "" };
	size_t used = 0;

	for (int i = 0; i < VERDICTS; i++)
		if (counts->of[i])
			used += (size_t)snprintf(t.text + used, sizeof(t.text) - used, "%s%u %s",
						 used ? ", " : "", counts->of[i],
						 verdict_word((enum verdict_kind)i, counts->of[i]));
	if (!used)
		snprintf(t.text, sizeof(t.text), "no claims");
	return t;
}

void reproduce_print_counts(const char *label, const struct verdict_sums *sums)
{
	int is_same = verdict_total(&sums->sentences) == verdict_total(&sums->claims);

	if (!is_same)
		printf("%s, by sentences: %s\n", label, claims_counts_text(&sums->sentences).text);
	printf("%s%s: %s\n", label, is_same ? "" : ", by claims",
	       claims_counts_text(&sums->claims).text);
}

/* --- outdated runs --- */

/* "weir reproduce made/fig2 --full --papers papers --out here" */
static void figures_print_rerun(const struct figure_files *f, int size,
				const struct summary_request *q)
{
	fprintf(stderr, "weir reproduce %s%s", f->label, size == FIGURE_FULL ? " --full" : "");
	if (q->papers)
		fprintf(stderr, " --papers %s", q->papers);
	if (q->out_given)
		fprintf(stderr, " --out %s", q->out);
	fputc('\n', stderr);
}

static void figures_print_outdated_one(const struct figure_files *f,
				       const struct figure_freshness *t, int size,
				       const struct summary_request *q)
{
	fprintf(stderr, "weir: %s, %s size: ", f->label, figure_size_names[size]);
	if (t->extra)
		fprintf(stderr,
			"%" PRIu64 " of the stored runs %s of an earlier version of the "
			"scenario%s",
			t->extra, t->extra == 1 ? "is" : "are", t->missing ? ", and " : "");
	if (t->missing)
		fprintf(stderr,
			"%" PRIu64 " of the %" PRIu64 " of the scenario's runs %s "
			"missing",
			t->missing, t->wanted, t->missing == 1 ? "is" : "are");
	fprintf(stderr, "%s; this runs what is missing: ", q->ship ? ": not shipped" : "");
	figures_print_rerun(f, size, q);
}

uint32_t reproduce_print_outdated(const struct summary *y, const struct summary_request *q)
{
	uint64_t runs = 0, other_builds = 0;
	uint32_t found = 0, figures = 0;

	for (uint32_t i = 0; i < y->count; i++)
		for (int size = 0; size < FIGURE_SIZES; size++) {
			const struct figure_freshness *t = &y->all[i].states[size].freshness;

			runs += t->wanted - t->missing;
			other_builds += t->other_builds;
			figures += t->other_builds > 0;
			if (!t->extra && !(q->ship && t->missing))
				continue;
			figures_print_outdated_one(y->all[i].files, t, size, q);
			found++;
		}
	if (other_builds)
		fprintf(stderr,
			"weir: %" PRIu64 " of %" PRIu64 " runs, in %" PRIu32 " folder%s, were "
			"made by another build of Weir, of the same scenarios\n",
			other_builds, runs, figures, figures == 1 ? "" : "s");
	return found;
}

/* --- the list --- */

/* Prints runs and time in one size. */
struct extent {
	char runs[24];
	struct format_text time;
};

static int figures_measure(struct extent *x, const struct summary_entry *y, enum figure_size size,
			   struct weir_error *e)
{
	const struct figure_state *st = &y->states[size];
	struct scenario s;
	struct sweep w;

	if (figure_scenario(y->files->scenario, size, &s, &w, e))
		return -1;
	snprintf(x->runs, sizeof(x->runs), "%" PRIu64, w.run_count);
	snprintf(x->time.text, sizeof(x->time.text), "-");
	if (st->done && st->done == st->planned)
		x->time = format_duration(st->run_seconds / cpu_count());
	else if (y->figure.seconds[size] > 0)
		x->time = format_duration(y->figure.seconds[size] / cpu_count());
	sweep_free(&w);
	scenario_free(&s);
	return 0;
}

/* Uses colours on a terminal, unless NO_COLOR is set (https://no-color.org). */
static void figures_print_verdicts(const struct verdict_counts *counts)
{
	static const char *const colours[VERDICTS] = { "32", "33", "36", "31", "34",
						       "35", "0",  "0",  "0" };
	int coloured = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	const char *comma = "";

	if (!coloured) {
		fputs(claims_counts_text(counts).text, stdout);
		return;
	}
	for (int i = 0; i < VERDICTS; i++)
		if (counts->of[i]) {
			printf("%s\033[%sm%u %s\033[0m", comma, colours[i], counts->of[i],
			       verdict_word((enum verdict_kind)i, counts->of[i]));
			comma = ", ";
		}
}

/* Prints the verdicts: of the full size if it has runs, else of the quick size, else the shipped
 * ones. */
static void figures_print_state(const struct summary_entry *y)
{
	enum figure_size size = y->states[FIGURE_FULL].done ? FIGURE_FULL : FIGURE_QUICK;
	const struct figure_state *st = &y->states[size];

	if (summary_is_shipped(y, FIGURE_QUICK) && !st->done) {
		printf("shipped: ");
		figures_print_verdicts(&y->shipped[FIGURE_QUICK].sentences);
	} else if (summary_is_outdated(y, FIGURE_QUICK) && !st->done) {
		printf("not run yet; what was shipped is out of date");
	} else if (!st->done) {
		fputs(st->planned ? "no runs" : "not run yet", stdout);
	} else if (st->freshness.extra) {
		printf("%" PRIu64 " %s run%s of an earlier version of the scenario",
		       st->freshness.extra, figure_size_names[size],
		       st->freshness.extra == 1 ? " is" : "s are");
	} else if (st->done < st->planned) {
		printf("%" PRIu64 " of %" PRIu64 " %s runs are stored", st->done, st->planned,
		       figure_size_names[size]);
	} else {
		figures_print_verdicts(&st->sentences);
		fputs(size == FIGURE_FULL ? " (full)" : "", stdout);
	}
	putchar('\n');
}

static int figures_print_entry(const struct summary_entry *y, int label_width, struct weir_error *e)
{
	struct extent x[FIGURE_SIZES];
	char sentences[16];

	for (int size = 0; size < FIGURE_SIZES; size++)
		if (figures_measure(&x[size], y, (enum figure_size)size, e))
			return -1;
	snprintf(sentences, sizeof(sentences), "%u", sentence_count(&y->figure));
	claims_print_padded(y->files->label, label_width + GAP);
	printf("%6s %13s %7s %13s %9s  ", x[FIGURE_QUICK].runs, x[FIGURE_QUICK].time.text,
	       x[FIGURE_FULL].runs, x[FIGURE_FULL].time.text, sentences);
	figures_print_state(y);
	printf("%*s%s\n", GAP, "", y->figure.title);
	return 0;
}

/* A figure with an error in its files is listed with the error. */
static int figures_list_one(const struct figure_files *f, const char *out, int label_width,
			    int *shipped)
{
	struct summary_entry y;
	struct weir_error e;
	int failed;

	if (summary_entry_read(&y, f, out, &e))
		return cli_error(EXIT_MISTAKE, &e);
	failed = figures_print_entry(&y, label_width, &e);
	*shipped |= summary_is_shipped(&y, FIGURE_QUICK) && !y.states[FIGURE_FULL].done;
	summary_entry_free(&y);
	return failed ? cli_error(EXIT_MISTAKE, &e) : EXIT_FINE;
}

int reproduce_list_figures(const struct figure_list *l, const char *out)
{
	uint32_t cores = cpu_count();
	int width = claims_text_width("figure"), status = EXIT_FINE, shipped = 0;

	for (uint32_t i = 0; i < l->count; i++)
		width = claims_wider(width, l->all[i].label);
	claims_print_padded("figure", width + GAP);
	printf("%6s %13s %7s %13s %9s  results in %s\n", "runs", "time", "--full", "time",
	       "sentences", out);
	for (uint32_t i = 0; i < l->count; i++)
		if (figures_list_one(&l->all[i], out, width, &shipped) != EXIT_FINE)
			status = EXIT_MISTAKE;
	if (shipped)
		puts("Shipped: verdicts that come with Weir, quick size; these figures were not "
		     "run here.");
	printf("Times are for %u core%s: measured if run, otherwise estimated. 'weir reproduce "
	       "%s' runs the first.\n",
	       cores, cores == 1 ? "" : "s", l->all[0].label);
	return status;
}
