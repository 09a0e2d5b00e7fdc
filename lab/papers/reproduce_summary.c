/* reproduce_summary.c -- over all papers: how many claims agree, as a page and as a document, with the
 * claims that disagree and what is known of the reason. */
#define _DEFAULT_SOURCE
#include "lab/papers/summary_tables.h"
#include "lab/store/results.h"
#include "lab/base/version.h"
#include "sim/base/memory.h"
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
		const struct figure_results at = { folder, files->scenario,
						   (enum figure_size)size };
		int failed = figure_state_read(&y->states[size], &y->figure, &at, e) ||
			     shipped_read(&y->shipped[size], files->scenario,
					  (enum figure_size)size, e) ||
			     figure_digest(&y->digest[size], files->scenario, files->claims,
					   (enum figure_size)size, e);

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

/* --- claims that disagree --- */

static int has_verdict(const struct summary_entry *y, uint32_t claim, enum verdict_kind kind)
{
	for (int size = 0; size < FIGURE_SIZES; size++)
		if (y->states[size].done && y->states[size].verdicts[claim].kind == kind)
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
	if (v->kind != v->by_number)
		fprintf(d->f, ", by number: %s", verdict_name(v->by_number));
	fputs(d->form == FORM_HTML ? "</li>\n" : "\n", d->f);
}

static void write_claim(const struct document *d, const struct summary_entry *y, uint32_t claim)
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

		if (y->states[size].done && v->kind < VERDICT_OTHER_SIZE)
			item_measured(d, v, size);
	}
	if (html)
		fputs("</ul>\n", d->f);
	if (c->contradicts || c->fitted)
		document_paragraph(d, c->contradicts ? c->contradicts : c->fitted);
	if (c->note[0]) {
		fputs(html ? "<p>" : "\n", d->f);
		document_text(d, why_begin(c->why));
		document_text(d, c->note);
		fputs(html ? "</p>\n" : "\n", d->f);
	} else if (!c->contradicts && !c->fitted) {
		document_paragraph(d, "No explanation was found yet.");
	}
}

/* Those of one verdict, in any size. */
static uint32_t write_all(const struct document *d, const struct summary *s, const char *heading,
			  enum verdict_kind kind)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < s->count; i++)
		for (uint32_t k = 0; k < s->all[i].figure.claim_count; k++) {
			if (!has_verdict(&s->all[i], k, kind))
				continue;
			if (found++ == 0)
				document_heading(d, 2, heading);
			write_claim(d, &s->all[i], k);
		}
	return found;
}

static void write_disagreements(const struct document *d, const struct summary *s)
{
	static const char disagree[] = "Claims that disagree";

	if (!write_all(d, s, disagree, VERDICT_DISAGREES)) {
		document_heading(d, 2, disagree);
		document_paragraph(d, "None.");
	}
	write_all(d, s, "Claims that the paper contradicts itself", VERDICT_CONTRADICTS);
	write_all(d, s, "What settings were fitted to", VERDICT_FITTED);
}

/* --- claims whose runs are no whole results --- */

static int is_doubtful(const struct figure_state *st, uint32_t claim)
{
	return st->done && st->verdicts[claim].kind < VERDICT_OTHER_SIZE &&
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

static const char outdated_meaning[] = "Out of date: the scenario or the claims of a figure are "
				       "others than those that its shipped verdicts "
				       "came from; these are not shown, nor counted.";

static const char meaning[] = "Each figure is re-run by weir reproduce PAPER/FIGURE, quickly, or "
			      "with --full in the size of the "
			      "paper. A claim is what the paper's text says about it, and its "
			      "verdict is computed. It agrees when "
			      "the mean over seeds lies within the stated tolerance, and at least "
			      "half of its 95 % interval; it has "
			      "the same direction when it does not, but the order of what is "
			      "compared is the paper's in the whole "
			      "interval, which cannot be said of claims that two are alike; "
			      "otherwise it disagrees. Too few: fewer "
			      "than five seeds, unless they change nothing; or the mean agrees, "
			      "and the interval is too long for any "
			      "of these. Where another passage of the paper says something else, "
			      "the paper contradicts itself. What "
			      "a setting was chosen by is fitted, and is not counted among the "
			      "claims. No claim is left out because "
			      "it fails.";

/* Nobody may take them for verdicts of runs that are here. */
static void write_shipped(const struct document *d, const struct summary *s)
{
	int found = 0, outdated = 0;

	for (uint32_t i = 0; i < s->count; i++)
		for (int size = 0; size < FIGURE_SIZES; size++) {
			found |= summary_is_shipped(&s->all[i], size);
			outdated |= summary_is_outdated(&s->all[i], size);
		}
	if (found && d->form == FORM_HTML)
		document_paragraph(d, shipped_meaning);
	if (outdated && d->form == FORM_HTML)
		document_paragraph(d, outdated_meaning);
}

static void write_document(const struct document *d, const struct summary *s)
{
	document_paragraph(d, meaning);
	write_shipped(d, s);
	summary_papers(d, s);
	for (uint32_t i = 0; i < s->count; i++)
		if (summary_begins_paper(s, i))
			summary_figures(d, s, i);
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
