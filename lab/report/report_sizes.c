/* SPDX-License-Identifier: BSD-3-Clause */
/* report_sizes.c -- charts of slowdown and flow completion time by flow size, with a line for each
 * scheme and a chart for each traffic section. Panels of figures use parts of it. */
#include "lab/report/report.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURED = 4, MUTED_FROM = 6 };

/* The first one that has lines is on the first screen. */
static const struct {
	const char *metric, *title, *what;
} size_charts[] = {
	{ "slowdown_p99", "Slowdown by flow size, 99th percentile", "p99 slowdown" },
	{ "slowdown_p95", "Slowdown by flow size, 95th percentile", "p95 slowdown" },
	{ "slowdown_p50", "Slowdown by flow size, median", "median slowdown" },
	{ "fct_p99_ns", "Flow completion time by flow size, 99th percentile", "p99 FCT" },
	{ "fct_p95_ns", "Flow completion time by flow size, 95th percentile", "p95 FCT" },
	{ "fct_p50_ns", "Flow completion time by flow size, median", "median FCT" },
};

enum { SIZE_CHARTS = sizeof(size_charts) / sizeof(size_charts[0]) };

/* --- which lines have colours on the first screen --- */

static double sizes_scheme_number(const struct report *r, uint32_t scheme, int column)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->case_count; i++)
		if (r->cases[i].scheme == scheme && !isnan(r->cases[i].row->cells[column].mean)) {
			sum += r->cases[i].row->cells[column].mean;
			count++;
		}
	return count ? sum / count : INFINITY;
}

/* Does the scheme have the value that others are compared with? */
static int sizes_is_baseline(const struct report *r, uint32_t scheme)
{
	int axis = answer_axis(&r->compare);

	for (uint32_t i = 0; axis >= 0 && i < r->case_count; i++)
		if (r->cases[i].scheme == scheme &&
		    strcmp(r->compare.axes[axis].values[r->cases[i].row->value[axis]],
			   answer_baseline(&r->compare, axis)) == 0)
			return 1;
	return 0;
}

/* Is it one of the best few by the goal of the first table? */
static int sizes_is_best(const struct report *r, uint32_t scheme)
{
	int goal = report_goal(r);
	uint32_t better = 0;

	for (uint32_t i = 0; goal >= 0 && i < r->scheme_count; i++)
		better += sizes_scheme_number(r, i, goal) < sizes_scheme_number(r, scheme, goal);
	return better < COLOURED;
}

/* --- charts --- */

static const struct compare_split *sizes_split(const struct comparison *c)
{
	return &c->splits[c->split_count - 1];
}

static struct chart_line *sizes_line_of(const struct report *r, struct chart *c, uint32_t scheme)
{
	struct chart_line *l;

	for (uint32_t i = 0; i < c->line_count; i++)
		if (c->lines[i].style == scheme)
			return &c->lines[i];
	l = chart_line_add(c, r->schemes[scheme]);
	l->style = scheme;
	return l;
}

static void sizes_add_points(struct report *r, const struct comparison *c,
			     const struct report_case *k, const struct flow_parts *p)
{
	const char *section =
		c->split_count > 1 ? c->splits[0].names[comparison_part_value(c, p->part, 0)] : "";
	double size = sizes_split(c)->middle[comparison_part_value(c, p->part, c->split_count - 1)];
	uint64_t count = flow_set_count(&p->set, CLASS_ALL, NULL);
	double *sample = memory_grow(NULL, p->set.count + 1, sizeof(*sample));
	struct flow_numbers numbers[QUANTITIES];

	for (int i = 0; i < QUANTITIES; i++)
		numbers[i] =
			flow_set_numbers(&p->set, (enum flow_quantity)i, CLASS_ALL, NULL, sample);
	free(sample);
	for (uint32_t i = 0; i < SIZE_CHARTS; i++) {
		struct flow_metric m = { .quantity = QUANTITY_FCT };
		struct chart *chart;

		flow_metric_find(size_charts[i].metric, &m);
		if (!flow_statistic_is_known(m.statistic, count))
			continue;
		chart = report_chart(&r->charts, PART_SIZES, size_charts[i].title,
				     report_variant(r, section, k).text);
		chart->kind = CHART_CURVES;
		chart->log_x = chart->log_y = 1;
		chart_point_add(sizes_line_of(r, chart, k->scheme), size,
				numbers[m.quantity].of[m.statistic]);
	}
}

/* Joins the flows of all seeds, because a tenth of the flows of one run is few. */
static int sizes_read_row(struct flow_set *set, struct store *s, const struct stored_runs *runs,
			  const struct compare_row *row, struct weir_error *e)
{
	for (uint32_t i = 0; i < row->run_count; i++) {
		const struct flow_set *run = store_flow_set(s, &runs->runs[row->runs[i]], e);

		if (!run)
			return -1;
		flow_set_join(set, run);
	}
	return 0;
}

int report_size_line(struct chart_line *l, const struct size_line *of, struct weir_error *e)
{
	struct flow_set set = { .count = 0 };
	struct flow_parts parts;
	double *sample;

	if (sizes_read_row(&set, of->s, of->runs, of->row, e)) {
		flow_set_free(&set);
		return -1;
	}
	sample = memory_grow(NULL, set.count + 1, sizeof(*sample));
	parts = comparison_parts_of(of->bins, &set);
	do
		if (flow_statistic_is_known(of->metric.statistic,
					    flow_set_count(&parts.set, CLASS_ALL, NULL)))
			chart_point_add(l, sizes_split(of->bins)->middle[parts.part],
					flow_set_metric(&parts.set, &of->metric, NULL, sample));
	while (comparison_next_part(&parts));
	free(sample);
	flow_set_free(&set);
	return 0;
}

static int sizes_add_case(struct report *r, struct store *s, const struct comparison *c,
			  const struct report_case *k, struct weir_error *e)
{
	struct flow_set set = { .count = 0 };
	struct flow_parts parts;

	if (sizes_read_row(&set, s, &r->compare.runs, k->row, e)) {
		flow_set_free(&set);
		return -1;
	}
	parts = comparison_parts_of(c, &set);
	do
		sizes_add_points(r, c, k, &parts);
	while (comparison_next_part(&parts));
	flow_set_free(&set);
	return 0;
}

/* Grey lines first, so that the others lie on top. */
static int sizes_compare_lines(const void *a, const void *b)
{
	const struct chart_line *p = a, *q = b;

	if (p->is_muted != q->is_muted)
		return p->is_muted ? -1 : 1;
	return (p->style > q->style) - (p->style < q->style);
}

void report_size_axis(struct chart *c)
{
	struct chart_extent x = { 0, 0, 0, 0 };
	struct report_unit size;

	chart_extent(c, &x);
	size = report_unit(x.x_max >= 1e6 ? 1e3 : x.x_max, "bytes");
	chart_scale(c, size.factor, 1);
	text_print(&c->x_label, "flow size (%s)", size.name);
}

static void sizes_finish_chart(const struct report *r, struct chart *c, const char *what,
			       const char *unit)
{
	report_size_axis(c);
	report_y_unit(c, what, unit);
	text_print(&c->note, "%s",
		   "Each point is a tenth of the flows, over all seeds, at its median size. Both "
		   "axes are logarithmic.");
	qsort(c->lines, c->line_count, sizeof(*c->lines), sizes_compare_lines);
	report_note_health(r, c);
}

/* Moves the chart to the first screen, where the best few lines have colours. */
static void sizes_move_to_front(const struct report *r, struct chart *c)
{
	c->part = PART_FIRST;
	for (uint32_t i = 0; i < c->line_count; i++)
		c->lines[i].is_muted = r->scheme_count >= MUTED_FROM &&
				       !sizes_is_best(r, c->lines[i].style) &&
				       !sizes_is_baseline(r, c->lines[i].style);
}

/* Removes charts whose flows have one size: they would be points. */
static void sizes_remove_points(struct report *r)
{
	for (uint32_t i = r->charts.count; i-- > 0;) {
		struct chart_extent x;

		if (chart_extent(&r->charts.all[i], &x) && x.x_min < x.x_max)
			continue;
		chart_remove(&r->charts, i);
	}
}

static void sizes_finish_charts(struct report *r)
{
	uint32_t front = SIZE_CHARTS;

	for (uint32_t k = 0; k < SIZE_CHARTS; k++) {
		const char *unit = "";

		flow_metric_known(size_charts[k].metric, &unit);
		for (uint32_t i = 0; i < r->charts.count; i++) {
			struct chart *c = &r->charts.all[i];

			if (strcmp(c->title, size_charts[k].title) != 0)
				continue;
			front = front == SIZE_CHARTS ? k : front;
			if (front == k)
				sizes_move_to_front(r, c);
			sizes_finish_chart(r, c, size_charts[k].what, unit);
		}
	}
}

int report_sizes(struct report *r, struct store *s, struct weir_error *e)
{
	const char *const by[] = { compare_split_names[SPLIT_TRAFFIC],
				   compare_split_names[SPLIT_SIZE] };
	const char *const metrics[] = { "fct_mean_ns" };
	int several = r->compare.section_count > 1, failed = 0;
	const struct compare_request q = { .by = by + !several,
					   .by_count = several ? 2 : 1,
					   .metrics = metrics,
					   .metric_count = 1,
					   .scope = r->compare.scope };
	struct comparison c;

	if (r->compare.section_count == 0)
		return 0;
	if (comparison_make(&c, s, &q, e))
		return -1;
	for (uint32_t i = 0; i < r->case_count && !failed; i++)
		failed = sizes_add_case(r, s, &c, &r->cases[i], e);
	if (!failed) {
		sizes_remove_points(r);
		sizes_finish_charts(r);
	}
	comparison_free(&c);
	return failed;
}
