/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce_summary.c -- over all papers: how many claims agree, as a page and as a document. */
#define _DEFAULT_SOURCE
#include "lab/report/summary_tables.h"
#include "base/ini.h"
#include "base/text.h"
#include "base/version.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading --- */

/* What came out of the runs that are here, as it would be shipped. */
static void make_findings(struct summary_entry *y, int size)
{
	const struct figure_state *st = &y->states[size];
	struct findings *o = &y->run[size];

	findings_make(o, &y->figure, st->verdicts);
	memcpy(o->version, st->version, sizeof(o->version));
	o->digest = y->digest[size];
	o->runs = st->done;
	o->seconds = round(st->run_seconds * 10) / 10;
}

static int read_size(struct summary_entry *y, const char *folder, int size, struct weir_error *e)
{
	const struct figure_files *files = y->files;
	const struct figure_results at = { folder, files->scenario, (enum figure_size)size };
	char *page = NULL;

	if (figure_state_read(&y->states[size], &y->figure, &at, e) ||
	    shipped_read(&y->shipped[size], files->scenario, at.size, e) ||
	    figure_digest(&y->digest[size], files->scenario, files->claims, at.size, e))
		return -1;
	make_findings(y, size);
	findings_count(&y->shipped[size], &y->figure);
	text_print(&page, "%s/" FIGURE_PAGE, folder);
	y->has_page[size] = access(page, R_OK) == 0;
	free(page);
	return 0;
}

/* PAPERS/PAPER/paper.md, beside the figures. */
static int read_text(struct summary_entry *y, struct weir_error *e)
{
	static const struct ini_form form = { .what = "a text" };
	const char *scenario = y->files->scenario, *slash = strrchr(scenario, '/');
	char *file = NULL;
	size_t length;
	int failed = 0;

	text_print(&file, "%.*spaper.md", slash ? (int)(slash - scenario) + 1 : 0, scenario);
	if (access(file, F_OK) == 0) {
		char *content = ini_load(&form, file, &length, e);

		failed = !content;
		y->text = content ? memory_text(content, length) : NULL;
		free(content);
	}
	free(file);
	return failed ? -1 : 0;
}

int summary_entry_read(struct summary_entry *y, const struct figure_files *files, const char *out,
		       struct weir_error *e)
{
	int failed = 0;

	*y = (struct summary_entry){ .files = files };
	if (figure_read(&y->figure, files->claims, e))
		return -1;
	for (int size = 0; size < FIGURE_SIZES && !failed; size++) {
		char *folder = figure_folder(files, out, (enum figure_size)size);

		failed = read_size(y, folder, size, e);
		free(folder);
	}
	if (failed || read_text(y, e)) {
		summary_entry_free(y);
		return -1;
	}
	return 0;
}

void summary_entry_free(struct summary_entry *y)
{
	for (int size = 0; size < FIGURE_SIZES; size++) {
		figure_state_free(&y->states[size]);
		findings_free(&y->run[size]);
		findings_free(&y->shipped[size]);
	}
	figure_free(&y->figure);
	free(y->text);
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
			      "claims. Not at this size: it is "
			      "judged in full size alone. No claim is left out because it fails.";

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

/* What people say of it, and its figures. Their text is Markdown, and for documents alone. */
static void write_paper(const struct document *d, const struct summary *s, uint32_t first)
{
	const struct summary_entry *y = &s->all[first];

	document_heading(d, 2, summary_paper_name(y).text);
	if (d->form == FORM_MARKDOWN && y->text)
		fprintf(d->f, "\n%s", y->text);
	summary_figures(d, s, first);
}

static void write_document(const struct document *d, const struct summary *s)
{
	document_paragraph(d, meaning);
	write_shipped(d, s);
	summary_papers(d, s);
	for (uint32_t i = 0; i < s->count; i++)
		if (summary_begins_paper(s, i))
			write_paper(d, s, i);
	summary_claims(d, s);
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
	fputs("# The papers, re-run\n\n"
	      "Written by `weir reproduce --summary --markdown FILE`, from the verdicts and texts "
	      "that stand beside the figures (`paper.verdicts`, `paper.md`).\n",
	      f);
	write_document(&(struct document){ f, FORM_MARKDOWN }, y);
}
