/* reproduce_summary.c -- over all papers: how many claims agree, as a page and as a document, with the
 * claims that disagree and what is known of the reason. */
#define _DEFAULT_SOURCE
#include "lab/papers/document.h"
#include "lab/papers/reproduce.h"
#include "lab/store/results.h"
#include "lab/base/machine.h"
#include "lab/base/version.h"
#include "sim/base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading --- */

int summary_entry_read(struct summary_entry *y, const struct figure_files *files, const char *out,
		       struct weir_error *e)
{
	*y = (struct summary_entry){ .files = files };
	if (figure_read(&y->figure, files->claims, e))
		return -1;
	for (int size = 0; size < FIGURE_SIZES; size++) {
		char *folder = figure_folder(files, out, (enum figure_size)size), *page = NULL;
		int failed =
			figure_state_read(&y->states[size], &y->figure, folder,
					  (enum figure_size)size, e) ||
			shipped_read(&y->shipped[size], files->scenario, (enum figure_size)size, e);

		text_print(&page, "%s/" FIGURE_PAGE, folder);
		y->has_page[size] = access(page, R_OK) == 0;
		free(page);
		free(folder);
		if (failed) {
			summary_entry_free(y);
			return -1;
		}
	}
	return 0;
}

void summary_entry_free(struct summary_entry *y)
{
	for (int size = 0; size < FIGURE_SIZES; size++)
		figure_state_free(&y->states[size]);
	figure_free(&y->figure);
}

int summary_read(struct summary *y, const struct figure_list *l, const char *out,
		 struct weir_error *e)
{
	*y = (struct summary){ 0, NULL };
	y->all = memory_grow(NULL, l->count + UINT64_C(1), sizeof(*y->all));
	for (; y->count < l->count; y->count++)
		if (summary_entry_read(&y->all[y->count], &l->all[y->count], out, e)) {
			summary_free(y);
			return -1;
		}
	return 0;
}

void summary_free(struct summary *y)
{
	for (uint32_t i = 0; i < y->count; i++)
		summary_entry_free(&y->all[i]);
	free(y->all);
	*y = (struct summary){ 0, NULL };
}

/* --- papers --- */

/* Whose verdicts: of runs that are here, or those that Weir came with where there are none. */
enum source { RUN_HERE, SHIPPED, SOURCES };

/* One paper at one size, or one figure. */
struct tally {
	enum source source;
	uint32_t figures, claims;
	uint64_t planned, done;
	double run_seconds;
	struct verdict_counts counts;
};

static void tally_add(struct tally *t, const struct summary_entry *y, int size)
{
	const struct figure_state *st = &y->states[size];
	const struct verdict_counts *counts =
		t->source == SHIPPED ? &y->shipped[size].counts : &st->counts;

	if (t->source == SHIPPED ? !summary_is_shipped(y, size) : !st->done)
		return;
	t->figures++;
	t->planned += st->planned;
	t->done += st->done;
	t->run_seconds += st->run_seconds;
	for (int kind = 0; kind < VERDICTS; kind++) {
		t->counts.of[kind] += counts->of[kind];
		t->claims +=
			counts->of[kind]; /* what was shipped may be of fewer than there are now */
	}
}

static int same_paper(const struct summary_entry *a, const struct summary_entry *b)
{
	return strcmp(a->files->paper, b->files->paper) == 0;
}

/* "PRED" of "PRED, Figure 13, section 6.3.1". */
static struct report_text paper_name(const struct summary_entry *y)
{
	const char *paper = y->figure.paper;
	struct report_text t;

	snprintf(t.text, sizeof(t.text), "%.*s", (int)strcspn(paper, ","), paper);
	return t;
}

static struct report_text time_head(void)
{
	struct report_text t;
	uint32_t cores = core_count();

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

/* Runs, verdicts and time; what was not run here has the verdicts alone. */
static void tally_cells(const struct document *d, const struct tally *t)
{
	char runs[64];

	if (t->source == SHIPPED)
		runs[0] = '\0';
	else if (t->done < t->planned)
		snprintf(runs, sizeof(runs), "%" PRIu64 " of %" PRIu64, t->done, t->planned);
	else
		snprintf(runs, sizeof(runs), "%" PRIu64, t->done);
	document_cell(d, runs);
	document_cell_count(d, t->claims);
	for (int kind = 0; kind < VERDICTS; kind++)
		verdict_cell(d, kind, t->counts.of[kind]);
	document_cell(d, t->source == SHIPPED ? ""
					      : human_duration(t->run_seconds / core_count()).text);
}

/* "quick", or "quick, shipped". */
static void size_cell(const struct document *d, int size, enum source source)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%s", figure_size_names[size],
		 source == SHIPPED ? ", shipped" : "");
	document_cell_text(d, text);
}

/* A paper by its first figure, or with NULL all of them. */
static void paper_row(const struct document *d, const struct summary *s,
		      const struct summary_entry *paper, int size, enum source source)
{
	struct tally t = { .source = source };
	char figures[32];
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		if (paper && !same_paper(paper, &s->all[i]))
			continue;
		tally_add(&t, &s->all[i], size);
		count++;
	}
	if (!t.figures && (size == FIGURE_FULL || source == SHIPPED))
		return;
	snprintf(figures, sizeof(figures), "%u of %u", t.figures, count);
	document_row(d);
	document_cell_name(d, paper ? paper_name(paper).text : "all", NULL);
	size_cell(d, size, source);
	document_cell_text(d, figures);
	tally_cells(d, &t);
	document_row_end(d);
}

static int begins_paper(const struct summary *y, uint32_t i)
{
	return i == 0 || !same_paper(&y->all[i], &y->all[i - 1]);
}

/* In every size, run here and shipped; a document is of runs alone. */
static void paper_rows(const struct document *d, const struct summary *s,
		       const struct summary_entry *paper)
{
	for (int size = 0; size < FIGURE_SIZES; size++)
		for (int source = RUN_HERE; source < (d->form == FORM_HTML ? SOURCES : SHIPPED);
		     source++)
			paper_row(d, s, paper, size, (enum source)source);
}

static void write_papers(const struct document *d, const struct summary *s)
{
	const struct report_text time = time_head();
	const char *const names[] = { "paper",          "size",     "figures",
				      "runs",           "claims",   "agree",
				      "same direction", "disagree", "not at this size",
				      "not measured",   time.text,  NULL };

	document_table(d, names);
	for (uint32_t i = 0; i < s->count; i++)
		if (begins_paper(s, i))
			paper_rows(d, s, &s->all[i]);
	paper_rows(d, s, NULL);
	document_table_end(d);
}

/* --- figures --- */

static void figure_row(const struct document *d, const struct summary_entry *y, int size)
{
	struct tally t = { .source = d->form == FORM_HTML && summary_is_shipped(y, size) };
	char *link = NULL;

	tally_add(&t, y, size);
	text_print(&link, "%s/%s%s/" FIGURE_PAGE, y->files->paper, y->files->name,
		   size == FIGURE_FULL ? ".full" : "");
	document_row(d);
	document_cell_name(d, y->files->name, y->has_page[size] ? link : NULL);
	document_cell_title(d, y->figure.title);
	if (t.figures)
		size_cell(d, size, t.source);
	else
		document_cell_text(d, "not run yet");
	if (t.figures)
		tally_cells(d, &t);
	else
		for (int i = 0; i < VERDICTS + 3; i++)
			document_cell(d, "");
	document_row_end(d);
	free(link);
}

static void write_figures(const struct document *d, const struct summary *s, uint32_t first)
{
	const struct report_text time = time_head();
	const char *const names[] = { "figure",         "",         "size",
				      "runs",           "claims",   "agree",
				      "same direction", "disagree", "not at this size",
				      "not measured",   time.text,  NULL };

	document_heading(d, 2, paper_name(&s->all[first]).text);
	document_table(d, names);
	for (uint32_t i = first; i < s->count && same_paper(&s->all[first], &s->all[i]); i++) {
		const struct summary_entry *y = &s->all[i];

		if (y->states[FIGURE_QUICK].done || !y->states[FIGURE_FULL].done)
			figure_row(d, y, FIGURE_QUICK);
		if (y->states[FIGURE_FULL].done ||
		    (d->form == FORM_HTML && summary_is_shipped(y, FIGURE_FULL)))
			figure_row(d, y, FIGURE_FULL);
	}
	document_table_end(d);
}

/* --- claims that disagree --- */

static int disagrees(const struct summary_entry *y, uint32_t claim)
{
	for (int size = 0; size < FIGURE_SIZES; size++)
		if (y->states[size].done &&
		    y->states[size].verdicts[claim].kind == VERDICT_DISAGREES)
			return 1;
	return 0;
}

/* "measured 0.31 ±0.02 over 5 seeds at full size: disagrees". */
static void item_measured(const struct document *d, const struct verdict *v, int size)
{
	fputs(d->form == FORM_HTML ? "<li>measured at " : "- measured at ", d->f);
	fprintf(d->f, "%s size: ", figure_size_names[size]);
	document_text(d, measured_text(&v->value, v->unit).text);
	fprintf(d->f, ", %u seed%s", v->value.count, v->value.count == 1 ? "" : "s");
	if (v->over.count) {
		fputs(" (", d->f);
		document_text(d, measured_text(&v->of, v->metric_unit).text);
		fputs(" over ", d->f);
		document_text(d, measured_text(&v->over, v->metric_unit).text);
		fputc(')', d->f);
	}
	if (v->is_doubtful)
		fprintf(d->f, "; %s", health_text(&v->health).text);
	fputs(": ", d->f);
	if (d->form == FORM_HTML)
		verdict_html(d->f, v->kind, verdict_name(v->kind));
	else
		fprintf(d->f, "**%s**", verdict_name(v->kind));
	fputs(d->form == FORM_HTML ? "</li>\n" : "\n", d->f);
}

static void write_disagreement(const struct document *d, const struct summary_entry *y,
			       uint32_t claim)
{
	const struct claim *c = &y->figure.claims[claim];
	int html = d->form == FORM_HTML;
	char *title = NULL;

	text_print(&title, "%s: %s", y->files->label, c->name);
	document_heading(d, 3, title);
	free(title);
	fputs(html ? "<p>" : "\n", d->f);
	document_text(d, c->says);
	if (c->section[0]) {
		fputs(" (", d->f);
		document_text(d, claim_place(c).text);
		fputc(')', d->f);
	}
	fputs(html ? "</p>\n<ul>\n<li>expected: " : "\n\n- expected: ", d->f);
	document_text(d, claim_expected(c).text);
	fputs(html ? "</li>\n" : "\n", d->f);
	for (int size = 0; size < FIGURE_SIZES; size++) {
		const struct verdict *v = &y->states[size].verdicts[claim];

		if (y->states[size].done && v->kind <= VERDICT_DISAGREES)
			item_measured(d, v, size);
	}
	if (html)
		fputs("</ul>\n", d->f);
	document_paragraph(d, c->note[0] ? c->note : "No explanation was found yet.");
}

static void write_disagreements(const struct document *d, const struct summary *s)
{
	uint32_t found = 0;

	document_heading(d, 2, "Claims that disagree");
	for (uint32_t i = 0; i < s->count; i++)
		for (uint32_t k = 0; k < s->all[i].figure.claim_count; k++)
			if (disagrees(&s->all[i], k)) {
				write_disagreement(d, &s->all[i], k);
				found++;
			}
	if (!found)
		document_paragraph(d, "None.");
}

/* --- claims whose runs are no whole results --- */

static int is_doubtful(const struct figure_state *st, uint32_t claim)
{
	return st->done && st->verdicts[claim].kind <= VERDICT_DISAGREES &&
	       st->verdicts[claim].is_doubtful;
}

static void item_doubt(const struct document *d, const struct summary_entry *y, uint32_t claim,
		       int size)
{
	char *text = NULL;

	text_print(&text, "%s: %s, %s size: %s", y->files->label, y->figure.claims[claim].name,
		   figure_size_names[size],
		   health_text(&y->states[size].verdicts[claim].health).text);
	fputs(d->form == FORM_HTML ? "<li>" : "- ", d->f);
	document_text(d, text);
	fputs(d->form == FORM_HTML ? "</li>\n" : "\n", d->f);
	free(text);
}

/* Nothing where there are none. */
static void write_doubts(const struct document *d, const struct summary *s)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < s->count; i++)
		for (uint32_t k = 0; k < s->all[i].figure.claim_count; k++)
			for (int size = 0; size < FIGURE_SIZES; size++) {
				if (!is_doubtful(&s->all[i].states[size], k))
					continue;
				if (found++ == 0) {
					document_heading(
						d, 2,
						"Claims judged by runs that did not end well");
					fputs(d->form == FORM_HTML ? "<ul>\n" : "\n", d->f);
				}
				item_doubt(d, &s->all[i], k, size);
			}
	if (found && d->form == FORM_HTML)
		fputs("</ul>\n", d->f);
}

/* --- the whole --- */

static const char shipped_meaning[] =
	"Shipped: not run here. These verdicts came with Weir, from runs of the version that it "
	"names in paper.verdicts of each paper; weir reproduce PAPER/FIGURE replaces them by those "
	"of runs of your own.";

static const char meaning[] = "Each figure is re-run by weir reproduce PAPER/FIGURE, quickly, or "
			      "with --full in the size of "
			      "the paper. A claim is what the paper's text says about it, and its "
			      "verdict is computed: it "
			      "agrees when the mean over seeds lies within the stated tolerance; "
			      "it has the same direction "
			      "when it does not, but the order of what is compared is the paper's "
			      "in the whole 95 % interval; "
			      "otherwise it disagrees. No "
			      "claim is left out because it fails.";

/* Nobody may take them for verdicts of runs that are here. */
static void write_shipped(const struct document *d, const struct summary *s)
{
	int found = 0;

	for (uint32_t i = 0; i < s->count; i++)
		for (int size = 0; size < FIGURE_SIZES; size++)
			found |= summary_is_shipped(&s->all[i], size);
	if (found && d->form == FORM_HTML)
		document_paragraph(d, shipped_meaning);
}

static void write_document(const struct document *d, const struct summary *s)
{
	document_paragraph(d, meaning);
	write_shipped(d, s);
	write_papers(d, s);
	for (uint32_t i = 0; i < s->count; i++)
		if (begins_paper(s, i))
			write_figures(d, s, i);
	write_disagreements(d, s);
	write_doubts(d, s);
}

void summary_html(FILE *f, const struct summary *y)
{
	static const char title[] = "The papers, re-run";

	page_begin(f, title);
	page_element(f, "h1", title);
	fputc('\n', f);
	write_document(&(struct document){ f, FORM_HTML }, y);
	page_end(f, version_of_results().text, PAGE_TEXT);
}

void summary_markdown(FILE *f, const struct summary *y)
{
	fprintf(f,
		"# The papers, re-run\n\n"
		"Written by `weir reproduce --summary --markdown FILE`, from the results of Weir "
		"%s.\n",
		version_of_results().text);
	write_document(&(struct document){ f, FORM_MARKDOWN }, y);
}
