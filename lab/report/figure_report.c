/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_report.c -- one figure of a paper as a page: what the paper says and what was measured,
 * the panels, and what was run. */
#include "lab/report/figure_report.h"
#include "lab/report/paper_about.h"
#include "base/output.h"
#include "lab/report/reproduce.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- panels --- */

static void write_point(FILE *out, const struct chart_line *l, double x)
{
	fputs("<td>", out);
	for (uint64_t i = 0; i < l->count; i++) {
		const struct chart_point *p = &l->points[i];

		if (p->x < x || p->x > x)
			continue;
		fprintf(out, "%.4g", p->y);
		if (isfinite(p->high) && p->high > p->y)
			fprintf(out, "<small> ± %.2g</small>", p->high - p->y);
		fputs("</td>", out);
		return;
	}
	fputs("–</td>", out);
}

/* The smallest x of any line beyond the given one; INFINITY: there is none. */
static double next_x(const struct chart *c, double beyond)
{
	double next = (double)INFINITY;

	for (uint32_t i = 0; i < c->line_count; i++)
		for (uint64_t k = 0; k < c->lines[i].count; k++)
			if (c->lines[i].points[k].x > beyond)
				next = fmin(next, c->lines[i].points[k].x);
	return next;
}

/* Bars are one row; a second has what the paper says of them. */
static void write_bars(FILE *out, const struct chart *c)
{
	fputs("<tr><th>measured</th>", out);
	for (uint32_t i = 0; i < chart_bars(c); i++)
		write_point(out, &c->lines[i], 0);
	fputs("</tr>\n", out);
	for (uint32_t i = chart_bars(c); i < c->line_count; i++) {
		fputs("<tr>", out);
		page_element(out, "th", c->lines[i].name);
		for (uint32_t k = 0; k < chart_bars(c); k++)
			write_point(out, &c->lines[i], k);
		fputs("</tr>\n", out);
	}
}

static void write_means(FILE *out, const struct chart *c)
{
	for (double x = next_x(c, -(double)INFINITY); isfinite(x); x = next_x(c, x)) {
		fprintf(out, "<tr><th>%.6g</th>", x);
		for (uint32_t i = 0; i < c->line_count; i++)
			write_point(out, &c->lines[i], x);
		fputs("</tr>\n", out);
	}
}

/* What the chart shows, as a table: a row for each x, a column for each line or bar. */
static void write_numbers(FILE *out, const struct chart *c)
{
	uint32_t columns = c->kind == CHART_BARS ? chart_bars(c) : c->line_count;

	fputs("<details><summary>Its numbers", out);
	if (c->variant[0]) {
		fputs(" for ", out);
		html_write_text(out, c->variant);
	}
	fputs("</summary>\n<p class=\"note\">", out);
	html_write_text(out, c->y_label);
	fputs("</p>\n<div class=\"wide\"><table class=\"numbers\">\n<thead><tr>", out);
	page_element(out, "th", c->x_label);
	for (uint32_t i = 0; i < columns; i++)
		page_element(out, "th", c->lines[i].name);
	fputs("</tr></thead>\n<tbody>\n", out);
	if (c->kind == CHART_BARS)
		write_bars(out, c);
	else
		write_means(out, c);
	fputs("</tbody></table></div></details>\n", out);
}

static void write_panel(FILE *out, const struct panel *p, const struct chart_list *charts,
			uint32_t part)
{
	uint32_t first = 0;
	char *title = NULL;

	fputs("<div>\n", out);
	while (first < charts->count && charts->all[first].part != part)
		first++;
	if (first == charts->count) {
		panel_title(p, &title);
		page_element(out, "h3", title);
		free(title);
		fputs("\n<p class=\"empty\">None of its runs is there.</p>\n</div>\n", out);
		return;
	}
	page_chart(out, charts, first);
	for (uint32_t i = first; i < charts->count; i++)
		if (charts->all[i].part == part &&
		    (charts->all[i].kind == CHART_MEANS || charts->all[i].kind == CHART_BARS))
			write_numbers(out, &charts->all[i]);
	fputs("</div>\n", out);
}

static void write_panels(FILE *out, const struct figure *f, const struct report *r)
{
	fputs("<section id=\"figure\">\n<h2>The figure</h2>\n", out);
	page_noscript(out);
	if (f->panel_count == 0)
		fputs("<p class=\"empty\">No panel is written down for this figure.</p>\n", out);
	fputs("<div class=\"panels\">\n", out);
	for (uint32_t i = 0; i < f->panel_count; i++)
		write_panel(out, &f->panels[i], &r->charts, i);
	fputs("</div>\n</section>\n", out);
}

/* --- before anything runs --- */

static int values_are_numbers(const char *path, const struct stored_runs *runs)
{
	const char **values = memory_grow(NULL, runs->count + UINT64_C(1), sizeof(*values)), *unit;
	double *numbers = memory_grow(NULL, runs->count + UINT64_C(1), sizeof(*numbers));
	uint32_t count = 0;
	int fine;

	for (uint32_t i = 0; i < runs->count; i++) {
		const char *value = stored_setting(&runs->runs[i], path);

		if (value)
			values[count++] = value;
	}
	fine = report_numbers(values, count, numbers, &unit) == 0;
	free(values);
	free(numbers);
	return fine;
}

int figure_check_axes(const struct figure *f, const struct stored_runs *runs, struct weir_error *e)
{
	for (uint32_t i = 0; i < f->panel_count; i++)
		if (f->panels[i].x && !values_are_numbers(f->panels[i].x, runs))
			return weir_error_set(
				e, "%s:%d: [panel %s]: x: the values of %s are no numbers", f->file,
				f->panels[i].line, f->panels[i].name, f->panels[i].x);
	return 0;
}

/* --- the page --- */

/* "Wei Bai, Kai Chen: Enabling ECN. CoNEXT 2016. doi:10.1145/..." */
static void write_about(FILE *out, const struct paper_about *p)
{
	const char *authors = p->text[ABOUT_AUTHORS], *doi = p->text[ABOUT_DOI];

	if (!p->text[ABOUT_TITLE])
		return;
	fputs("<p>", out);
	if (authors) {
		html_write_text(out, authors);
		fputs(": ", out);
	}
	page_element(out, "cite", p->text[ABOUT_TITLE]);
	if (p->text[ABOUT_VENUE]) {
		fputs(". ", out);
		html_write_text(out, p->text[ABOUT_VENUE]);
	}
	fputc('.', out);
	if (doi) {
		fputs(" <a href=\"https://doi.org/", out);
		html_write_text(out, doi);
		fputs("\">doi:", out);
		html_write_text(out, doi);
		fputs("</a>", out);
	}
	fputs("</p>\n", out);
}

static void write_head(FILE *out, const struct figure_report *fr, const struct paper_about *about)
{
	char *title = NULL;

	text_print(&title, "%s: %s", fr->label, fr->figure->title);
	page_begin(out, title);
	free(title);
	fputs(fr->place == FIGURE_SERVED ? "<p><a href=\"/\">The runs</a></p>\n"
					 : "<p><a href=\"../../" SUMMARY_PAGE
					   "\">All papers</a></p>\n",
	      out);
	page_element(out, "h1", fr->figure->title);
	fputs("\n<p>", out);
	html_write_text(out, fr->figure->paper);
	fprintf(out, "; re-run in %s by <code>weir reproduce ",
		fr->size == FIGURE_FULL ? "the size of the paper" : "quick size");
	html_write_text(out, fr->label);
	fputs(fr->size == FIGURE_FULL ? " --full</code>" : "</code>", out);
	fputs(" from <code>", out);
	html_write_text(out, fr->scenario);
	fputs("</code>, whose comments say what was assumed.</p>\n", out);
	write_about(out, about);
	if (fr->figure->about[0]) {
		page_element(out, "p", fr->figure->about);
		fputc('\n', out);
	}
}

static int write_page(const struct figure_report *fr, FILE *out, const struct report *r,
		      struct weir_error *e)
{
	struct paper_about about;

	if (paper_about_read(&about, fr->scenario, e))
		return -1;
	write_head(out, fr, &about);
	paper_about_free(&about);
	figure_claims(out, fr);
	write_panels(out, fr->figure, r);
	page_runs(out, r);
	page_end(out, r->compare.runs.runs[0].version, PAGE_CHARTS);
	return 0;
}

/* The metrics that lines and bars need, each once. */
static uint32_t figure_metrics(const struct figure *f, const char *names[COMPARE_COLUMNS_MAX])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->panel_count; i++) {
		const struct panel *p = &f->panels[i];
		uint32_t known = 0;

		if (p->kind != PANEL_LINES && p->kind != PANEL_BARS)
			continue;
		while (known < count && strcmp(names[known], p->y[0]) != 0)
			known++;
		if (known == count && count < COMPARE_COLUMNS_MAX)
			names[count++] = p->y[0];
	}
	return count;
}

/* What lines are told apart by, and drawn over. */
static uint32_t figure_axes(const struct figure *f, const char **paths)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->panel_count; i++) {
		paths[count++] = f->panels[i].by;
		if (f->panels[i].x)
			paths[count++] = f->panels[i].x;
	}
	return count;
}

int figure_compare(struct comparison *c, struct store *s, const struct figure *f,
		   struct weir_error *e)
{
	const char *names[COMPARE_COLUMNS_MAX] = { "flows_completed" };
	const char **axes = memory_grow(NULL, 2 * (size_t)f->panel_count + 1, sizeof(*axes));
	struct compare_request q = { .metrics = names,
				     .also = axes,
				     .percentiles = PERCENTILES_ALL };
	int failed;

	q.also_count = figure_axes(f, axes);
	q.metric_count = figure_metrics(f, names);
	if (q.metric_count == 0)
		q.metric_count = 1; /* or all the usual ones would be computed */
	failed = comparison_make(c, s, &q, e);
	free(axes);
	return failed;
}

int figure_report_html(const struct figure_report *fr, FILE *out, struct store *s,
		       struct weir_error *e)
{
	struct report r = { .setting_count = 0 };
	int failed;

	if (figure_compare(&r.compare, s, fr->figure, e))
		return -1;
	report_compare(&r);
	failed = figure_charts(&r, s, fr->figure, e) || write_page(fr, out, &r, e);
	report_free(&r);
	return failed ? -1 : 0;
}

int figure_report_write(const struct figure_report *fr, const char *path, struct store *s,
			struct weir_error *e)
{
	struct output o;

	if (output_open(&o, path, e))
		return -1;
	if (figure_report_html(fr, o.stream, s, e)) {
		output_abandon(&o);
		return -1;
	}
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}
