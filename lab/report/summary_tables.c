/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_tables.c -- how many claims and sentences have which verdict, paper by paper and figure
 * by figure. */
#define _DEFAULT_SOURCE
#include "lab/report/summary_tables.h"
#include "base/clock.h"
#include "lab/store/results.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Whose verdicts: of runs that are here, or those that Weir came with where there are none; of a
 * document, of either. */
enum source { RUN_HERE, SHIPPED, SOURCES, CERTAIN = SOURCES };

/* What is counted: a sentence may be several claims. Of claims that disagree, why they do. */
enum unit { CLAIMS, SENTENCES, UNITS, REASONS = UNITS };

/* One paper at one size, or one figure. */
struct tally {
	enum source source;
	uint32_t figures;
	uint64_t planned, runs;
	double seconds;
	struct verdict_counts counts[UNITS];
	struct why_counts whys;
};

static void counts_add(struct verdict_counts *sum, const struct verdict_counts *more)
{
	for (int kind = 0; kind < VERDICTS; kind++)
		sum->of[kind] += more->of[kind];
}

static const struct findings *findings_of(enum source source, const struct summary_entry *y,
					  int size)
{
	switch (source) {
	case RUN_HERE:
		return summary_is_run(y, size) ? &y->run[size] : NULL;
	case SHIPPED:
		return summary_is_shipped(y, size) ? &y->shipped[size] : NULL;
	default:
		return summary_certain(y, size);
	}
}

const struct findings *summary_shown(const struct document *d, const struct summary_entry *y,
				     int size)
{
	if (d->form == FORM_MARKDOWN)
		return findings_of(CERTAIN, y, size);
	return findings_of(summary_is_shipped(y, size) ? SHIPPED : RUN_HERE, y, size);
}

static void tally_add(struct tally *t, const struct summary_entry *y, int size)
{
	const struct findings *o = findings_of(t->source, y, size);

	if (!o)
		return;
	t->figures++;
	t->planned += t->source == RUN_HERE ? y->states[size].planned : o->runs;
	t->runs += o->runs;
	t->seconds += o->seconds;
	counts_add(&t->counts[CLAIMS], &o->claims);
	counts_add(&t->counts[SENTENCES], &o->sentences);
	for (int why = 0; why < WHYS; why++)
		t->whys.of[why] += o->whys.of[why];
}

static int same_paper(const struct summary_entry *a, const struct summary_entry *b)
{
	return strcmp(a->files->paper, b->files->paper) == 0;
}

/* "PRED" of "PRED, Figure 13, section 6.3.1". */
struct report_text summary_paper_name(const struct summary_entry *y)
{
	const char *paper = y->figure.paper;
	struct report_text t;

	snprintf(t.text, sizeof(t.text), "%.*s", (int)strcspn(paper, ","), paper);
	return t;
}

/* A page is of this machine. */
static uint32_t cores_of(const struct document *d)
{
	return d->form == FORM_HTML ? cpu_count() : 1;
}

static struct report_text time_head(const struct document *d)
{
	struct report_text t;
	uint32_t cores = cores_of(d);

	snprintf(t.text, sizeof(t.text), "time on %u core%s", cores, cores == 1 ? "" : "s");
	return t;
}

/* In its colour where there are any. */
static void verdict_cell(const struct document *d, int kind, uint32_t count)
{
	char text[16];

	if (d->form != FORM_HTML || !count) {
		document_cell_count(d, count);
		return;
	}
	snprintf(text, sizeof(text), "%u", count);
	fputs("<td>", d->f);
	verdict_html(d->f, (enum verdict_kind)kind, text);
	fputs("</td>", d->f);
}

static void cells_of_runs(const struct document *d, const struct tally *t)
{
	char runs[64];

	if (t->runs < t->planned)
		snprintf(runs, sizeof(runs), "%" PRIu64 " of %" PRIu64, t->runs, t->planned);
	else
		snprintf(runs, sizeof(runs), "%" PRIu64, t->runs);
	document_cell(d, runs);
}

static void cells_of_verdicts(const struct document *d, const struct verdict_counts *counts)
{
	document_cell_count(d, verdict_total(counts));
	for (int kind = 0; kind < VERDICTS; kind++)
		verdict_cell(d, kind, counts->of[kind]);
}

/* How many disagree, and for which reason each; what nothing is said of comes last. */
static void cells_of_reasons(const struct document *d, const struct tally *t)
{
	document_cell_count(d, t->counts[CLAIMS].of[VERDICT_DISAGREES]);
	for (int i = 1; i <= WHYS; i++)
		document_cell_count(d, t->whys.of[i % WHYS]);
}

static void cell_of_time(const struct document *d, const struct tally *t)
{
	document_cell(d, format_duration(t->seconds / cores_of(d)).text);
}

enum { TEXT_COLUMNS = 3 };

enum { HEADS_MAX = VERDICTS + 9 }; /* with the NULL behind the last */

/* The heads of a table: its own first and last, what is counted and the verdicts between. */
struct heads {
	uint32_t count;
	const char *names[HEADS_MAX];
};

static void heads_add(struct heads *h, const char *const *names)
{
	for (; *names; names++)
		h->names[h->count++] = *names;
	h->names[h->count] = NULL;
}

static void heads_verdicts(struct heads *h, const char *unit)
{
	h->names[h->count++] = unit;
	for (int kind = 0; kind < VERDICTS; kind++)
		h->names[h->count++] = verdict_word((enum verdict_kind)kind, 0);
	h->names[h->count] = NULL;
}

static void heads_reasons(struct heads *h)
{
	h->names[h->count++] = "claims that disagree";
	for (int i = 1; i <= WHYS; i++)
		h->names[h->count++] = why_name((enum claim_why)(i % WHYS));
	h->names[h->count] = NULL;
}

/* "quick", or "quick, shipped". */
static void size_cell(const struct document *d, int size, const char *more)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s", figure_size_names[size], more);
	document_cell_text(d, text);
}

/* A row of papers. */
struct row {
	const struct summary_entry *paper; /* by its first figure; NULL: all of them */
	enum unit unit;
	enum source source;
	int size;
};

/* Has the row that follows, of what was shipped, something to say? */
static int is_shipped(const struct summary *s, const struct row *r)
{
	for (uint32_t i = 0; i < s->count; i++)
		if ((!r->paper || same_paper(r->paper, &s->all[i])) &&
		    summary_is_shipped(&s->all[i], r->size))
			return 1;
	return 0;
}

static void paper_row(const struct document *d, const struct summary *s, const struct row *r)
{
	struct tally t = { .source = r->source };
	char figures[32];
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (r->paper && !same_paper(r->paper, &s->all[i]))
			continue;
		tally_add(&t, &s->all[i], r->size);
		count++;
	}
	if (!t.figures && (r->size == FIGURE_FULL || r->source != RUN_HERE || is_shipped(s, r)))
		return;
	snprintf(figures, sizeof(figures), "%u of %u", t.figures, count);
	document_row(d);
	document_cell_name(d, r->paper ? summary_paper_name(r->paper).text : "all", NULL);
	size_cell(d, r->size, r->source == SHIPPED ? ", shipped" : "");
	document_cell_text(d, figures);
	if (r->unit == REASONS) {
		cells_of_reasons(d, &t);
	} else {
		cells_of_runs(d, &t);
		cells_of_verdicts(d, &t.counts[r->unit]);
	}
	if (r->unit == CLAIMS)
		cell_of_time(d, &t);
	document_row_end(d);
}

int summary_begins_paper(const struct summary *y, uint32_t i)
{
	return i == 0 || !same_paper(&y->all[i], &y->all[i - 1]);
}

/* In every size, run here and shipped. */
static void paper_rows(const struct document *d, const struct summary *s,
		       const struct summary_entry *paper, enum unit unit)
{
	int first = d->form == FORM_HTML ? RUN_HERE : CERTAIN;
	int last = d->form == FORM_HTML ? SHIPPED : CERTAIN;

	for (int size = 0; size < FIGURE_SIZES; size++)
		for (int source = first; source <= last; source++)
			paper_row(d, s, &(struct row){ paper, unit, (enum source)source, size });
}

static void write_papers(const struct document *d, const struct summary *s, enum unit unit)
{
	const struct report_text time = time_head(d);
	struct heads h = { .count = 0 };

	heads_add(&h, (const char *const[]){ "paper", "size", "figures", NULL });
	if (unit == REASONS) {
		heads_reasons(&h);
	} else {
		heads_add(&h, (const char *const[]){ "runs", NULL });
		heads_verdicts(&h, unit == CLAIMS ? "claims" : "sentences");
	}
	if (unit == CLAIMS)
		heads_add(&h, (const char *const[]){ time.text, NULL });
	document_table(d, &(struct document_table){ unit == REASONS ? "numbers" : "numbers summary",
						    TEXT_COLUMNS, h.names });
	for (uint32_t i = 0; i < s->count; i++)
		if (summary_begins_paper(s, i))
			paper_rows(d, s, &s->all[i], unit);
	paper_rows(d, s, NULL, unit);
	document_table_end(d);
}

static const char reasons[] =
	"Why claims disagree. Paper silent: something that it does not tell "
	"of decides, and the note says what, "
	"with numbers. Not reproduced here: by an experiment that the note tells "
	"of. Too small to tell: runs in quick size are too "
	"few or too short. Unexplained: the note says what was tried. Claims "
	"of which another passage of the paper says "
	"otherwise are counted above.";

void summary_papers(const struct document *d, const struct summary *s)
{
	write_papers(d, s, CLAIMS);
	document_paragraph(
		d, "The same by sentences of the papers: what one sentence says of several "
		   "schemes, loads or statistics is counted once, and agrees only where all "
		   "of it does.");
	write_papers(d, s, SENTENCES);
	document_paragraph(d, reasons);
	write_papers(d, s, REASONS);
}

/* --- figures --- */

/* Of what Weir came with, and where it or the runs that are here do not fit today's files any more;
 * NULL: nothing is known. */
static const char *state_of(const struct document *d, const struct summary_entry *y, int size)
{
	if (d->form == FORM_MARKDOWN)
		return summary_certain(y, size)      ? ""
		       : y->shipped[size].version[0] ? ", out of date"
						     : NULL;
	return summary_is_shipped(y, size)       ? ", shipped"
	       : y->states[size].freshness.extra ? ", of an earlier version of the scenario"
	       : summary_is_outdated(y, size)    ? ", shipped: out of date"
	       : y->states[size].done            ? ""
						 : NULL;
}

static void figure_cells(const struct document *d, const struct tally *t)
{
	if (!t->figures) {
		for (int i = 0; i < VERDICTS + 5; i++)
			document_cell(d, "");
		return;
	}
	cells_of_runs(d, t);
	cells_of_verdicts(d, &t->counts[CLAIMS]);
	document_cell_count(d, verdict_total(&t->counts[SENTENCES]));
	verdict_cell(d, VERDICT_AGREES, t->counts[SENTENCES].of[VERDICT_AGREES]);
	cell_of_time(d, t);
}

static void figure_row(const struct document *d, const struct summary_entry *y, int size)
{
	struct tally t = { .source = d->form == FORM_MARKDOWN      ? CERTAIN
				     : summary_is_shipped(y, size) ? SHIPPED
								   : RUN_HERE };
	const char *state = state_of(d, y, size);
	char *link = NULL;

	tally_add(&t, y, size);
	text_print(&link, "%s/%s%s/" FIGURE_PAGE, y->files->paper, y->files->name,
		   size == FIGURE_FULL ? ".full" : "");
	document_row(d);
	document_cell_name(d, y->files->name, y->has_page[size] ? link : NULL);
	document_cell_title(d, y->figure.title);
	if (state)
		size_cell(d, size, state);
	else
		document_cell_text(d, "not run yet");
	figure_cells(d, &t);
	document_row_end(d);
	free(link);
}

void summary_figures(const struct document *d, const struct summary *s, uint32_t first)
{
	static const char *const names[] = { "figure", "", "size", "runs", NULL };
	const struct report_text time = time_head(d);
	struct heads h = { .count = 0 };

	heads_add(&h, names);
	heads_verdicts(&h, "claims");
	heads_add(&h, (const char *const[]){ "sentences", "agree", time.text, NULL });
	document_table(d, &(struct document_table){ "numbers summary", TEXT_COLUMNS, h.names });
	for (uint32_t i = first; i < s->count && same_paper(&s->all[first], &s->all[i]); i++) {
		const struct summary_entry *y = &s->all[i];

		if (state_of(d, y, FIGURE_QUICK) || !state_of(d, y, FIGURE_FULL))
			figure_row(d, y, FIGURE_QUICK);
		if (state_of(d, y, FIGURE_FULL))
			figure_row(d, y, FIGURE_FULL);
	}
	document_table_end(d);
}
