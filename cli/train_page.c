/* SPDX-License-Identifier: BSD-3-Clause */
/* train_page.c -- how a training went: a row a round for other programs, and a page to look at. */
#include "cli/train.h"
#include "base/text.h"
#include "base/version.h"
#include "lab/report/report.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void train_csv(FILE *f, const struct train_request *q, const struct training *t)
{
	const struct train_figure *figures = q->trainer->figures;

	fputs("episodes,steps,score,judged", f);
	for (const struct train_figure *at = figures; at->name; at++)
		fprintf(f, ",%s%s%s", at->name, *at->unit ? "_" : "", at->unit);
	fputc('\n', f);
	for (uint64_t i = 0; i < training_points(t); i++) {
		const struct train_point *p = training_point(t, i);

		fprintf(f, "%" PRIu64 ",%" PRIu64, p->episodes, p->steps);
		csv_number(f, p->score);
		csv_number(f, p->judged);
		for (const struct train_figure *at = figures; at->name; at++)
			csv_number(f, p->figures[at - figures]);
		fputc('\n', f);
	}
}

/* --- charts --- */

enum { CHART_COLUMNS = 500 };

/* Rounds and judgements in one chart: what exploring costs is between the lines. */
static void add_score(struct chart_list *list, const struct training *t)
{
	struct chart *c = chart_add(list, "Score", "");
	struct chart_line *exploring = chart_line_add(c, "of a round, which explores");
	struct chart_line *judged;

	for (uint64_t i = 0; i < training_points(t); i++)
		chart_point_add(exploring, (double)training_point(t, i)->steps,
				training_point(t, i)->score);
	judged = chart_line_add(c, "judged, on the same episodes each time");
	for (uint64_t i = 0; i < training_points(t); i++)
		if (!isnan(training_point(t, i)->judged))
			chart_point_add(judged, (double)training_point(t, i)->steps,
					training_point(t, i)->judged);
	text_print(&c->x_label, "steps");
	text_print(&c->y_label, "score");
}

static void add_figure(struct chart_list *list, const struct training *t, uint32_t figure)
{
	const struct train_figure *about = &training_plan(t)->trainer->figures[figure];
	struct chart *c = chart_add(list, about->name, "");
	struct chart_line *l = chart_line_add(c, about->name);

	for (uint64_t i = 0; i < training_points(t); i++)
		chart_point_add(l, (double)training_point(t, i)->steps,
				training_point(t, i)->figures[figure]);
	text_print(&c->note, "%s", about->help);
	text_print(&c->x_label, "steps");
	report_y_unit(c, about->name, about->unit);
}

/* --- the portrait --- */

static void write_portrait(FILE *f, const struct training *t)
{
	const struct train_portrait *p = training_plan(t)->trainer->portrait;
	const void *desk = training_desk(t);
	struct weir_learn_model model;
	struct train_cell cell;

	training_best(t, &model);
	fputs("<section id=\"portrait\">\n<h2>What it does where</h2>\n", f);
	page_element(f, "p", p->about);
	fputs("\n<div class=\"wide\"><table>\n<thead><tr><th>", f);
	fprintf(f, "%s \\ %s</th>", p->rows, p->columns);
	for (uint32_t k = 0; k < p->column_count; k++) {
		p->column(desk, k, &cell);
		page_element(f, "th", cell.text);
	}
	fputs("</tr></thead>\n<tbody>\n", f);
	for (uint32_t i = 0; i < p->row_count; i++) {
		p->row(desk, i, &cell);
		fputs("<tr>", f);
		page_element(f, "th", cell.text);
		for (uint32_t k = 0; k < p->column_count; k++) {
			p->cell(desk, &model, (const uint32_t[]){ i, k }, &cell);
			page_element(f, "td", cell.text);
		}
		fputs("</tr>\n", f);
	}
	fputs("</tbody>\n</table></div>\n</section>\n", f);
}

void train_page(FILE *f, const struct train_request *q, const struct training *t)
{
	struct chart_list list = { 0, NULL };
	struct weir_learn_model model;
	struct train_best best = training_best(t, &model);
	char *title = NULL;

	text_print(&title, "Training of %s", q->trainer->scheme.name);
	add_score(&list, t);
	for (uint32_t i = 0; q->trainer->figures[i].name; i++)
		add_figure(&list, t, i);
	for (uint32_t i = 0; i < list.count; i++)
		for (uint32_t k = 0; k < list.all[i].line_count; k++)
			chart_line_reduce(&list.all[i].lines[k], CHART_COLUMNS, 0);
	page_begin(f, title);
	page_element(f, "h1", title);
	fprintf(f,
		"\n<p>The best policy had a score of %.4f on %" PRIu64
		" episodes that judge, after %" PRIu64 " of %" PRIu64 " steps.</p>\n<p>",
		best.score, q->judge, best.steps, q->steps);
	page_element(f, "code", q->identity);
	fputs("</p>\n<section id=\"curves\">\n<h2>Curves</h2>\n", f);
	page_noscript(f);
	for (uint32_t i = 0; i < list.count; i++)
		page_chart(f, &list, i);
	fputs("</section>\n", f);
	if (q->trainer->portrait)
		write_portrait(f, t);
	page_end(f, version_of_results().text, PAGE_CHARTS);
	chart_list_free(&list);
	free(title);
}
