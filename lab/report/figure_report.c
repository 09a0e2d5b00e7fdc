/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_report.c -- the page of one figure of a paper: its outcome, the panels (figure_charts.c),
 * what the paper says and what was measured (figure_claims.c), and what was run. */
#define _POSIX_C_SOURCE 200809L
#include "lab/report/figure_report.h"
#include "base/ini.h"
#include "base/memory.h"
#include "base/output.h"
#include "lab/report/reproduce.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- about the paper: PAPERS/PAPER/paper.about ---
 *
 *	[paper]
 *	title = Enabling ECN over Generic Packet Scheduling
 *	authors = ...
 *	venue = CoNEXT 2016
 *	doi = 10.1145/2999572.2999575
 */

enum about_key { ABOUT_TITLE, ABOUT_AUTHORS, ABOUT_VENUE, ABOUT_DOI, ABOUT_KEYS };

struct paper_about {
	char *text[ABOUT_KEYS]; /* NULL: not given */
};

static int about_read_section(void *user, struct ini_place *at, const char *kind, const char *name)
{
	(void)user;
	if (strcmp(kind, "paper") == 0 && name[0] == '\0')
		return 0;
	return weir_error_set(at->e, "unknown section %s; there is [paper]", weir_quote(kind).text);
}

static int about_read_pair(void *user, struct ini_place *at, const char *key, const char *value)
{
	static const char *const keys[ABOUT_KEYS] = {
		[ABOUT_TITLE] = "title",
		[ABOUT_AUTHORS] = "authors",
		[ABOUT_VENUE] = "venue",
		[ABOUT_DOI] = "doi",
	};
	struct paper_about *p = user;

	for (int i = 0; i < ABOUT_KEYS; i++)
		if (strcmp(keys[i], key) == 0) {
			text_print(&p->text[i], "%s", value);
			return 0;
		}
	return weir_error_unknown(at->e, "key", key, keys, ABOUT_KEYS);
}

static void about_free(struct paper_about *p)
{
	for (int i = 0; i < ABOUT_KEYS; i++)
		free(p->text[i]);
}

/* Empty if the paper has no such file. On -1 nothing is left to free. */
static int about_read(struct paper_about *p, const char *figure_file, struct weir_error *e)
{
	static const struct ini_form form = { .what = "about a paper",
					      .example = "[paper]",
					      .section = about_read_section,
					      .pair = about_read_pair };

	*p = (struct paper_about){ .text = { NULL } };
	if (paper_file_read(figure_file, "paper.about", &form, p, e) >= 0)
		return 0;
	about_free(p);
	return -1;
}

/* "Wei Bai, Kai Chen: Enabling ECN. CoNEXT 2016. doi:10.1145/..." */
static void about_add(struct document *d, const struct paper_about *p)
{
	const char *authors = p->text[ABOUT_AUTHORS], *doi = p->text[ABOUT_DOI];

	if (!p->text[ABOUT_TITLE])
		return;
	document_add(d, DOCUMENT_PARAGRAPH, NULL, "%s%s<cite>%s</cite>", authors ? authors : "",
		     authors ? ": " : "", p->text[ABOUT_TITLE]);
	if (p->text[ABOUT_VENUE])
		document_append(d, ". %s", p->text[ABOUT_VENUE]);
	document_append(d, ".");
	if (doi)
		document_append(d, " <a href=\"https://doi.org/%s\">doi:%s</a>", doi, doi);
}

/* --- panels --- */

/* The value of the line at x, in a cell. */
static void figure_add_point(struct document *d, const struct chart_line *l, double x)
{
	for (uint64_t i = 0; i < l->count; i++) {
		const struct chart_point *p = &l->points[i];

		if (p->x < x || p->x > x)
			continue;
		document_add(d, DOCUMENT_CELL, NULL, "%.4g", p->y);
		if (isfinite(p->high) && p->high > p->y)
			document_append(d, "<small> ± %.2g</small>", p->high - p->y);
		return;
	}
	document_add(d, DOCUMENT_CELL, NULL, "–");
}

/* The smallest x of any line above the given one; INFINITY: there is none. */
static double figure_next_x(const struct chart *c, double beyond)
{
	double next = (double)INFINITY;

	for (uint32_t i = 0; i < c->line_count; i++)
		for (uint64_t k = 0; k < c->lines[i].count; k++)
			if (c->lines[i].points[k].x > beyond)
				next = fmin(next, c->lines[i].points[k].x);
	return next;
}

/* A row for the bars, and one for what the paper says of them. */
static void figure_add_bars(struct document *d, const struct chart *c)
{
	document_row(d, NULL);
	document_add(d, DOCUMENT_HEAD, NULL, "measured");
	for (uint32_t i = 0; i < chart_bars(c); i++)
		figure_add_point(d, &c->lines[i], 0);
	for (uint32_t i = chart_bars(c); i < c->line_count; i++) {
		document_row(d, NULL);
		document_add(d, DOCUMENT_HEAD, NULL, "%s", c->lines[i].name);
		for (uint32_t k = 0; k < chart_bars(c); k++)
			figure_add_point(d, &c->lines[i], k);
	}
}

/* The chart as a table: a row for each x, a column for each line or bar. */
static void figure_add_numbers(struct document *d, const struct chart *c)
{
	uint32_t columns = c->kind == CHART_BARS ? chart_bars(c) : c->line_count;
	char *summary = NULL;

	text_print(&summary, "Its numbers%s%s", c->variant[0] ? " for " : "", c->variant);
	document_open(d, DOCUMENT_DETAILS, summary);
	free(summary);
	document_add(d, DOCUMENT_PARAGRAPH, "note", "%s", c->y_label);
	document_open(d, DOCUMENT_TABLE, "numbers");
	document_head_row(d);
	document_add(d, DOCUMENT_HEAD, NULL, "%s", c->x_label);
	for (uint32_t i = 0; i < columns; i++)
		document_add(d, DOCUMENT_HEAD, NULL, "%s", c->lines[i].name);
	if (c->kind == CHART_BARS)
		figure_add_bars(d, c);
	for (double x = figure_next_x(c, -(double)INFINITY); c->kind != CHART_BARS && isfinite(x);
	     x = figure_next_x(c, x)) {
		document_row(d, NULL);
		document_add(d, DOCUMENT_HEAD, NULL, "%.6g", x);
		for (uint32_t i = 0; i < c->line_count; i++)
			figure_add_point(d, &c->lines[i], x);
	}
	document_close(d);
	document_close(d);
}

static void figure_add_panel(struct document *d, const struct panel *p,
			     const struct chart_list *charts, uint32_t part)
{
	uint32_t first = 0;
	char *title = NULL;

	document_open(d, DOCUMENT_GROUP, "");
	while (first < charts->count && charts->all[first].part != part)
		first++;
	if (first == charts->count) {
		panel_title(p, &title);
		document_add(d, DOCUMENT_HEADING_3, NULL, "%s", title);
		free(title);
		document_add(d, DOCUMENT_PARAGRAPH, "empty", "None of its runs is stored.");
	} else {
		document_chart(d, charts, first);
	}
	for (uint32_t i = first; i < charts->count; i++)
		if (charts->all[i].part == part &&
		    (charts->all[i].kind == CHART_MEANS || charts->all[i].kind == CHART_BARS))
			figure_add_numbers(d, &charts->all[i]);
	document_close(d);
}

/* --- checks before anything runs --- */

static int figure_has_numbers(const char *path, const struct stored_runs *runs)
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
		if (f->panels[i].x && !figure_has_numbers(f->panels[i].x, runs))
			return weir_error_set(
				e, "%s:%d: [panel %s]: x: the values of %s are no numbers", f->file,
				f->panels[i].line, f->panels[i].name, f->panels[i].x);
	return 0;
}

/* --- the page --- */

static void figure_add_head(struct document *d, const struct figure_report *fr,
			    const struct paper_about *about)
{
	int is_full = fr->size == FIGURE_FULL, is_served = fr->place == FIGURE_SERVED;

	document_add(d, DOCUMENT_PARAGRAPH, NULL, "<a href=\"%s\">%s</a>",
		     is_served ? "/" : "../../" SUMMARY_PAGE,
		     is_served ? "The runs" : "All papers");
	document_add(d, DOCUMENT_HEADING_1, NULL, "%s", fr->figure->title);
	document_add(d, DOCUMENT_PARAGRAPH, NULL,
		     "%s; re-run in %s by <code>weir reproduce %s%s</code> from <code>%s</code>, "
		     "whose comments say what was assumed.",
		     fr->figure->paper, is_full ? "the size of the paper" : "quick size", fr->label,
		     is_full ? " --full" : "", fr->scenario);
	about_add(d, about);
	if (fr->figure->about[0])
		document_add(d, DOCUMENT_PARAGRAPH, NULL, "%s", fr->figure->about);
}

static int figure_write_page(const struct figure_report *fr, FILE *out, const struct report *r,
			     struct weir_error *e)
{
	const struct figure *f = fr->figure;
	struct document d = { .count = 0 };
	struct paper_about about;
	char *title = NULL;

	if (about_read(&about, fr->scenario, e))
		return -1;
	figure_add_head(&d, fr, &about);
	about_free(&about);
	figure_add_outcome(&d, fr);
	document_open(&d, DOCUMENT_SECTION, "figure");
	document_add(&d, DOCUMENT_HEADING_2, NULL, "The figure");
	if (f->panel_count == 0)
		document_add(&d, DOCUMENT_PARAGRAPH, "empty", "This figure has no panels.");
	document_open(&d, DOCUMENT_GROUP, "panels");
	for (uint32_t i = 0; i < f->panel_count; i++)
		figure_add_panel(&d, &f->panels[i], &r->charts, i);
	document_close(&d);
	document_close(&d);
	figure_add_claims(&d, fr);
	figure_add_readings(&d, fr);
	report_add_runs(&d, r);
	text_print(&title, "%s: %s", fr->label, f->title);
	document_write_page(&d, out,
			    &(struct document_page){ .title = title,
						     .version = r->compare.runs.runs[0].version });
	free(title);
	document_free(&d);
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

/* Paths of the settings that distinguish lines, and of those on x axes. */
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
	failed = figure_charts(&r, s, fr->figure, e) || figure_write_page(fr, out, &r, e);
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
