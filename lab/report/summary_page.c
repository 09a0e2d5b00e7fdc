/* SPDX-License-Identifier: BSD-3-Clause */
/* summary_page.c -- the summary of all papers as a document: how many claims and sentences have
 * which verdict, paper by paper and figure by figure, and every claim that is not as the paper
 * says.
 *
 * It has two forms. The page (HTML) describes this machine: verdicts of runs in the result folders
 * and, where there are none, verdicts that ship with Weir. The report (Markdown, docs/results)
 * holds what is certain wherever it is written: the same verdicts whether they were run here or
 * shipped. */
#include "base/clock.h"
#include "base/text.h"
#include "base/version.h"
#include "lab/report/summary_writer.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a table counts: claims; sentences, which may be several claims; or for claims that are not
 * reproduced the reasons. */
enum summary_unit { UNIT_CLAIMS, UNIT_SENTENCES, UNIT_REASONS };

/* Sums over one paper in one size, or over one figure. */
struct summary_tally {
	enum summary_source source;
	uint32_t figures;
	uint64_t planned, runs;
	double seconds;
	struct verdict_counts claims, sentences;
	struct why_counts whys;
};

const struct findings *summary_findings(enum summary_source source, const struct summary_entry *y,
					int size)
{
	switch (source) {
	case SOURCE_RUN_HERE:
		return summary_is_run(y, size) ? &y->run[size] : NULL;
	case SOURCE_SHIPPED:
		return summary_is_shipped(y, size) ? &y->shipped[size] : NULL;
	default:
		return summary_certain(y, size);
	}
}

enum summary_source summary_source_of(const struct summary_writer *w, const struct summary_entry *y,
				      int size)
{
	return w->form == SUMMARY_MARKDOWN   ? SOURCE_CERTAIN
	       : summary_is_shipped(y, size) ? SOURCE_SHIPPED
					     : SOURCE_RUN_HERE;
}

static void summary_count(struct summary_tally *t, const struct summary_entry *y, int size)
{
	const struct findings *o = summary_findings(t->source, y, size);

	if (!o)
		return;
	t->figures++;
	t->planned += t->source == SOURCE_RUN_HERE ? y->states[size].planned : o->runs;
	t->runs += o->runs;
	t->seconds += o->seconds;
	for (int kind = 0; kind < VERDICTS; kind++) {
		t->claims.of[kind] += o->claims.of[kind];
		t->sentences.of[kind] += o->sentences.of[kind];
	}
	for (int why = 0; why < WHYS; why++)
		t->whys.of[why] += o->whys.of[why];
}

static int summary_same_paper(const struct summary_entry *a, const struct summary_entry *b)
{
	return strcmp(a->files->paper, b->files->paper) == 0;
}

static int summary_begins_paper(const struct summary *s, uint32_t i)
{
	return i == 0 || !summary_same_paper(&s->all[i], &s->all[i - 1]);
}

/* "PRED" of "PRED, Figure 13, section 6.3.1". */
static struct report_text summary_paper_name(const struct summary_entry *y)
{
	const char *paper = y->figure.paper;
	struct report_text t;

	snprintf(t.text, sizeof(t.text), "%.*s", (int)strcspn(paper, ","), paper);
	return t;
}

/* Cores that times refer to: a page's are those of this machine. */
static uint32_t summary_cores(const struct summary_writer *w)
{
	return w->form == SUMMARY_HTML ? cpu_count() : 1;
}

/* --- cells --- */

static void summary_add_count(struct summary_writer *w, uint32_t count)
{
	document_add(&w->d, DOCUMENT_CELL, NULL, "%u", count);
}

/* A count in the colour of its verdict. */
static void summary_add_verdict_count(struct summary_writer *w, int kind, uint32_t count)
{
	if (count)
		document_add(&w->d, DOCUMENT_CELL, NULL, "<span class=\"verdict %s\">%u</span>",
			     verdict_class((enum verdict_kind)kind), count);
	else
		summary_add_count(w, 0);
}

static void summary_add_runs(struct summary_writer *w, const struct summary_tally *t)
{
	document_add(&w->d, DOCUMENT_CELL, NULL, "%" PRIu64, t->runs);
	if (t->runs < t->planned)
		document_append(&w->d, " of %" PRIu64, t->planned);
}

static void summary_add_verdicts(struct summary_writer *w, const struct verdict_counts *counts)
{
	summary_add_count(w, verdict_total(counts));
	for (int kind = 0; kind < VERDICTS; kind++)
		summary_add_verdict_count(w, kind, counts->of[kind]);
}

/* A bar of all sentences, divided by verdict. A page has it, so that papers compare at a glance. */
static void summary_add_bar(struct summary_writer *w, const struct verdict_counts *counts)
{
	uint32_t total = verdict_total(counts);

	if (w->form != SUMMARY_HTML)
		return;
	document_add(&w->d, DOCUMENT_CELL, "bar", "%s", "");
	for (int kind = 0; kind < VERDICTS; kind++)
		if (counts->of[kind] && kind != VERDICT_FITTED)
			document_append(&w->d,
					"<span class=\"part %s\" style=\"width: %.4f%%\"></span>",
					verdict_class((enum verdict_kind)kind),
					100.0 * counts->of[kind] / total);
}

static void summary_add_time(struct summary_writer *w, const struct summary_tally *t)
{
	document_add(&w->d, DOCUMENT_CELL, NULL, "%s",
		     format_duration(t->seconds / summary_cores(w)).text);
}

/* --- heads --- */

static void summary_add_head(struct summary_writer *w, const char *name)
{
	document_add(&w->d, DOCUMENT_HEAD, NULL, "%s", name);
}

/* Opens a table whose first three columns are texts. */
static void summary_open_table(struct summary_writer *w, const char *class,
			       const char *const texts[3])
{
	document_open(&w->d, DOCUMENT_TABLE, class);
	document_head_row(&w->d);
	for (int i = 0; i < 3; i++)
		document_add(&w->d, DOCUMENT_HEAD, "text", "%s", texts[i]);
}

static void summary_add_verdict_heads(struct summary_writer *w, const char *unit)
{
	summary_add_head(w, unit);
	for (int kind = 0; kind < VERDICTS; kind++)
		summary_add_head(w, verdict_word((enum verdict_kind)kind, 0));
}

static void summary_add_time_head(struct summary_writer *w)
{
	document_add(&w->d, DOCUMENT_HEAD, NULL, "time on %u core%s", summary_cores(w),
		     summary_cores(w) == 1 ? "" : "s");
}

/* --- papers --- */

/* A row of papers. */
struct summary_row {
	const struct summary_entry *paper; /* its first figure; NULL: all papers */
	enum summary_unit unit;
	enum summary_source source;
	int size;
};

static int summary_row_has(const struct summary_row *r, const struct summary_entry *y)
{
	return !r->paper || summary_same_paper(r->paper, y);
}

/* Has the row for shipped verdicts, which follows this one, any figure? */
static int summary_has_shipped(const struct summary *s, const struct summary_row *r)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (summary_row_has(r, &s->all[i]) && summary_is_shipped(&s->all[i], r->size))
			return 1;
	return 0;
}

static void summary_add_paper_row(struct summary_writer *w, const struct summary_row *r)
{
	const struct summary *s = w->summary;
	struct summary_tally t = { .source = r->source };
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->count; i++)
		if (summary_row_has(r, &s->all[i])) {
			summary_count(&t, &s->all[i], r->size);
			count++;
		}
	if (!t.figures &&
	    (r->size == FIGURE_FULL || r->source != SOURCE_RUN_HERE || summary_has_shipped(s, r)))
		return;
	document_row(&w->d, NULL);
	document_add(&w->d, DOCUMENT_HEAD, NULL, "%s",
		     r->paper ? summary_paper_name(r->paper).text : "all");
	document_add(&w->d, DOCUMENT_CELL, "text", "%s%s", figure_size_names[r->size],
		     r->source == SOURCE_SHIPPED ? ", shipped" : "");
	document_add(&w->d, DOCUMENT_CELL, "text", "%u of %u", t.figures, count);
	if (r->unit == UNIT_REASONS) { /* the reason that is not given comes last */
		summary_add_count(w, t.claims.of[VERDICT_NOT_REPRODUCED]);
		for (int i = 1; i <= WHYS; i++)
			summary_add_count(w, t.whys.of[i % WHYS]);
		return;
	}
	if (r->unit == UNIT_SENTENCES)
		summary_add_bar(w, &t.sentences);
	summary_add_runs(w, &t);
	summary_add_verdicts(w, r->unit == UNIT_CLAIMS ? &t.claims : &t.sentences);
	if (r->unit == UNIT_CLAIMS)
		summary_add_time(w, &t);
}

/* One paper in every size, run here and shipped. */
static void summary_add_paper_rows(struct summary_writer *w, const struct summary_entry *paper,
				   enum summary_unit unit)
{
	int first = w->form == SUMMARY_HTML ? SOURCE_RUN_HERE : SOURCE_CERTAIN;
	int last = w->form == SUMMARY_HTML ? SOURCE_SHIPPED : SOURCE_CERTAIN;

	for (int size = 0; size < FIGURE_SIZES; size++)
		for (int source = first; source <= last; source++)
			summary_add_paper_row(w, &(struct summary_row){ paper, unit,
									(enum summary_source)source,
									size });
}

static void summary_add_papers(struct summary_writer *w, enum summary_unit unit)
{
	const struct summary *s = w->summary;

	summary_open_table(w, unit == UNIT_REASONS ? "numbers" : "numbers summary",
			   (const char *const[3]){ "paper", "size", "figures" });
	if (unit == UNIT_REASONS) {
		summary_add_head(w, "claims not reproduced here");
		for (int i = 1; i <= WHYS; i++)
			summary_add_head(w, why_name((enum claim_why)(i % WHYS)));
	} else {
		if (unit == UNIT_SENTENCES && w->form == SUMMARY_HTML)
			summary_add_head(w, "");
		summary_add_head(w, "runs");
		summary_add_verdict_heads(w, unit == UNIT_CLAIMS ? "claims" : "sentences");
	}
	if (unit == UNIT_CLAIMS)
		summary_add_time_head(w);
	for (uint32_t i = 0; i < s->count; i++)
		if (summary_begins_paper(s, i))
			summary_add_paper_rows(w, &s->all[i], unit);
	summary_add_paper_rows(w, NULL, unit);
	document_close(&w->d);
}

/* --- figures of a paper --- */

/* Which results a row shows, and whether they fit today's files; NULL: there are none. */
static const char *summary_state_text(const struct summary_writer *w, const struct summary_entry *y,
				      int size)
{
	if (w->form == SUMMARY_MARKDOWN)
		return summary_certain(y, size)      ? ""
		       : y->shipped[size].version[0] ? ", out of date"
						     : NULL;
	return summary_is_shipped(y, size)       ? ", shipped"
	       : y->states[size].freshness.extra ? ", of another scenario"
	       : summary_is_outdated(y, size)    ? ", shipped: out of date"
	       : y->states[size].done            ? ""
						 : NULL;
}

static void summary_add_figure_row(struct summary_writer *w, const struct summary_entry *y,
				   int size)
{
	struct summary_tally t = { .source = summary_source_of(w, y, size) };
	const char *state = summary_state_text(w, y, size);

	summary_count(&t, y, size);
	document_row(&w->d, NULL);
	if (y->has_page[size])
		document_add(&w->d, DOCUMENT_HEAD, NULL,
			     "<a href=\"%s/%s%s/" FIGURE_PAGE "\">%s</a>", y->files->paper,
			     y->files->name, size == FIGURE_FULL ? ".full" : "", y->files->name);
	else
		document_add(&w->d, DOCUMENT_HEAD, NULL, "%s", y->files->name);
	document_add(&w->d, DOCUMENT_CELL, "text title", "%s", y->figure.title);
	document_add(&w->d, DOCUMENT_CELL, "text", "%s%s",
		     state ? figure_size_names[size] : "not run yet", state ? state : "");
	document_add(&w->d, DOCUMENT_CELL, "text", "%s",
		     t.figures ? outcome_name(figure_outcome(&t.sentences)) : "");
	if (!t.figures) {
		for (int i = 0; i < VERDICTS + 5; i++)
			document_add(&w->d, DOCUMENT_CELL, NULL, "%s", "");
		return;
	}
	summary_add_runs(w, &t);
	summary_add_count(w, verdict_total(&t.sentences));
	summary_add_verdict_count(w, VERDICT_AGREES, t.sentences.of[VERDICT_AGREES]);
	summary_add_verdicts(w, &t.claims);
	summary_add_time(w, &t);
}

/* The paper that begins with the given figure. */
static void summary_add_figures(struct summary_writer *w, uint32_t first)
{
	const struct summary *s = w->summary;
	const struct summary_entry *y = &s->all[first];

	document_add(&w->d, DOCUMENT_HEADING_2, NULL, "%s", summary_paper_name(y).text);
	if (y->text)
		document_markdown(&w->d, y->text);
	summary_open_table(w, "numbers summary", (const char *const[3]){ "figure", "", "size" });
	document_add(&w->d, DOCUMENT_HEAD, "text", "outcome");
	summary_add_head(w, "runs");
	summary_add_head(w, "sentences");
	summary_add_head(w, "agree");
	summary_add_verdict_heads(w, "claims");
	summary_add_time_head(w);
	for (uint32_t i = first; i < s->count && summary_same_paper(&s->all[first], &s->all[i]);
	     i++) {
		int has_full = summary_state_text(w, &s->all[i], FIGURE_FULL) != NULL;

		if (!has_full || summary_state_text(w, &s->all[i], FIGURE_QUICK))
			summary_add_figure_row(w, &s->all[i], FIGURE_QUICK);
		if (has_full)
			summary_add_figure_row(w, &s->all[i], FIGURE_FULL);
	}
	document_close(&w->d);
}

/* --- the whole --- */

static const char sentences_meaning[] =
	"Sentences of the papers, by verdict. weir reproduce PAPER/FIGURE re-runs a figure in "
	"quick size, or with --full in the size of the paper.";

static const char meaning[] =
	"What one sentence of a paper says of several schemes, loads or statistics are several "
	"claims: the sentence agrees only where all of it does, and is not reproduced where a part "
	"is not. The verdict on a claim is computed: what holds over the whole 95 % confidence "
	"interval of the mean over seeds. Agrees: the interval lies in the accepted range. Same "
	"direction: it does not, but has the paper's order; a claim of equality has no direction. "
	"Not reproduced here: neither, and the interval lies outside the range. Undecided: it "
	"reaches over an edge of the range, so more seeds are needed. Too few: fewer than five "
	"seeds with different results. Paper contradicts itself: another passage states something "
	"else. Fitted: a setting was chosen by this statement, so it is not counted among the "
	"claims. Not at this size: judged in full size only. No claim is left out because it "
	"fails. By claims:";

static const char shipped_meaning[] =
	"Shipped: not run here. These verdicts are distributed with Weir; paper.verdicts of each "
	"paper names the version whose runs gave them. weir reproduce PAPER/FIGURE replaces them "
	"by verdicts of your own runs.";

static const char outdated_meaning[] =
	"Out of date: the scenario of a figure has changed since its shipped verdicts were "
	"computed; these are neither shown nor counted.";

static const char reasons_meaning[] =
	"Why claims are not reproduced here. Paper silent: the result depends on a parameter that "
	"the paper does not state; the note names it, with numbers. Shown by experiment: the note "
	"names an experiment that should show it and does not. Too small to tell: runs in quick "
	"size are too few or too short. Unexplained: the note lists what was tried. Claims that "
	"another passage of the paper contradicts are counted above.";

static void summary_add_all(struct summary_writer *w)
{
	const struct summary *s = w->summary;
	int has_shipped = 0, has_outdated = 0;

	for (uint32_t i = 0; i < s->count && w->form == SUMMARY_HTML; i++)
		for (int size = 0; size < FIGURE_SIZES; size++) {
			has_shipped |= summary_is_shipped(&s->all[i], size);
			has_outdated |= summary_is_outdated(&s->all[i], size);
		}
	document_add(&w->d, DOCUMENT_PARAGRAPH, NULL, "%s", sentences_meaning);
	summary_add_papers(w, UNIT_SENTENCES);
	if (has_shipped)
		document_add(&w->d, DOCUMENT_PARAGRAPH, NULL, "%s", shipped_meaning);
	if (has_outdated)
		document_add(&w->d, DOCUMENT_PARAGRAPH, NULL, "%s", outdated_meaning);
	document_add(&w->d, DOCUMENT_PARAGRAPH, NULL, "%s", meaning);
	summary_add_papers(w, UNIT_CLAIMS);
	document_add(&w->d, DOCUMENT_PARAGRAPH, NULL, "%s", reasons_meaning);
	summary_add_papers(w, UNIT_REASONS);
	for (uint32_t i = 0; i < s->count; i++)
		if (summary_begins_paper(s, i))
			summary_add_figures(w, i);
	summary_add_all_claims(w);
}

static const char summary_title[] = "The papers, re-run";

void summary_html(FILE *f, const struct summary *s)
{
	struct summary_writer w = { .summary = s, .form = SUMMARY_HTML };
	struct version version = version_of_results();

	document_add(&w.d, DOCUMENT_HEADING_1, NULL, "%s", summary_title);
	summary_add_all(&w);
	document_write_page(
		&w.d, f,
		&(struct document_page){ .title = summary_title, .version = version.text });
	document_free(&w.d);
}

void summary_markdown(FILE *f, const struct summary *s)
{
	struct summary_writer w = { .summary = s, .form = SUMMARY_MARKDOWN };

	document_add(&w.d, DOCUMENT_HEADING_1, NULL, "%s", summary_title);
	document_add(
		&w.d, DOCUMENT_PARAGRAPH, NULL,
		"Written by <code>weir reproduce --summary --markdown FILE</code>, from the "
		"verdicts and texts that stand beside the figures (<code>paper.verdicts</code>, "
		"<code>paper.md</code>).");
	summary_add_all(&w);
	document_write_markdown(&w.d, f);
	document_free(&w.d);
}
