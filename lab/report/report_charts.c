/* SPDX-License-Identifier: BSD-3-Clause */
/* report_charts.c -- the charts of a report, from the numbers of its runs, their flows and
 * series. */
#include "lab/report/report.h"
#include "base/memory.h"
#include "weir/units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	COLUMNS = 1500, /* a series keeps up to four points in each: room for zooming in */
	COLUMNS_LEAST = 150,
	CDF_COLUMNS = 400,
	FLOWS_SHOWN = 12,         /* lines in a chart of flows; more cannot be told apart */
	POINTS_MAX = 1000 * 1000, /* of all charts together: about 15 MB of HTML */
};

#define PS_PER_US (1000.0 * WEIR_PS_PER_NS)

/* Charts show rates in Gb/s and sizes in GB at most. */
#define UNIT_FACTOR_MAX 1e9

struct report_unit report_unit(double number, const char *unit)
{
	const struct unit_scale *s = unit_scales(unit);

	while (s[1].label && s[1].factor <= UNIT_FACTOR_MAX && fabs(number) >= s[1].factor)
		s++;
	return (struct report_unit){ s->factor, s->label[0] ? s->label : unit };
}

int report_unit_find(const char *name, const char *unit, struct report_unit *found)
{
	const struct unit_scale *s = unit_scales(unit);

	for (int has_choice = s[1].label != NULL; has_choice && s->label; s++)
		if (s->factor <= UNIT_FACTOR_MAX && strcmp(s->label, name) == 0) {
			*found = (struct report_unit){ s->factor, s->label };
			return 1;
		}
	return 0;
}

struct chart *report_chart(struct chart_list *list, uint32_t part, const char *title,
			   const char *variant)
{
	struct chart *c;

	for (uint32_t i = 0; i < list->count; i++) {
		c = &list->all[i];
		if (c->part == part && strcmp(c->title, title) == 0 &&
		    strcmp(c->variant, variant) == 0)
			return c;
	}
	c = chart_add(list, title, variant);
	c->part = part;
	return c;
}

static struct chart_line *report_add_scheme_line(const struct report *r, struct chart *c,
						 uint32_t scheme)
{
	struct chart_line *l = chart_line_add(c, r->schemes[scheme]);

	l->style = scheme;
	return l;
}

void report_y_unit(struct chart *c, const char *what, const char *unit)
{
	struct chart_extent x = { 0, 0, 0, 0 };
	struct report_unit u;

	chart_extent(c, &x);
	u = report_unit(fmax(fabs(x.y_min), fabs(x.y_max)), unit);
	chart_scale(c, 1, u.factor);
	if (u.name[0])
		text_print(&c->y_label, "%s (%s)", what, u.name);
	else
		text_print(&c->y_label, "%s", what);
}

void report_note_health(const struct report *r, struct chart *c)
{
	struct health all = { .runs = 0 };

	for (uint32_t i = 0; i < r->compare.runs.count; i++)
		health_add(&all, &r->compare.runs.runs[i]);
	if (health_text(&all).text[0])
		chart_note_add(c, "Caution: %s.", health_text(&all).text);
}

struct report_text report_variant(const struct report *r, const char *section,
				  const struct report_case *k)
{
	struct report_text x = report_x_name(r, k), t;

	snprintf(t.text, sizeof(t.text), "%.100s%s%.140s", section,
		 section[0] && x.text[0] ? ", " : "", x.text);
	return t;
}

/* --- means over the axis, or bars --- */

static int report_is_known(const struct report *r, int column)
{
	for (uint32_t i = 0; i < r->case_count; i++)
		if (!isnan(r->cases[i].row->cells[column].mean))
			return 1;
	return 0;
}

static void report_add_metric_chart(struct report *r, const char *metric, const char *title,
				    const char *what)
{
	int column = report_column(&r->compare, metric);
	struct chart *c;
	struct chart_line *l = NULL;
	uint32_t scheme = UINT32_MAX;

	if (!report_is_known(r, column))
		return;
	c = report_chart(&r->charts, PART_FCT, title, "");
	c->kind = r->axis ? CHART_MEANS : CHART_BARS;
	if (r->axis)
		text_print(&c->x_label, r->axis_unit[0] ? "%s (%s)" : "%s", r->axis->path,
			   r->axis_unit);
	for (uint32_t i = 0; i < r->case_count; i++) {
		const struct report_case *k = &r->cases[i];
		const struct compare_cell *m = &k->row->cells[column];

		if (k->scheme != scheme)
			l = report_add_scheme_line(r, c, k->scheme);
		scheme = k->scheme;
		if (!isnan(m->mean))
			chart_interval_add(l, k->x, m->mean, m->low, m->high);
	}
	report_y_unit(c, what, r->compare.columns[column].unit);
	if (report_setting(r, "seed") && report_setting(r, "seed")->value_count > 1)
		text_print(&c->note, "%s",
			   "Means over seeds, with 95 % confidence intervals, which may extend "
			   "beyond the chart.");
	if (r->compare.section_count > 1)
		chart_note_add(c, "Flows of all traffic sections together.");
	report_note_health(r, c);
}

/* --- distributions --- */

/* The values of a distribution, and its titles. */
struct cdf {
	const char *title, *tail_title, *x_label, *variant;
	double *values;
	uint64_t count;
};

/* Moves the values that a logarithmic axis can show to the front. Returns their number. */
static uint64_t report_positive_to_front(double *values, uint64_t count)
{
	uint64_t known = 0;

	for (uint64_t i = 0; i < count; i++)
		if (values[i] > 0)
			values[known++] = values[i];
	return known;
}

void report_cdf(struct chart_line *l, double *values, uint64_t count)
{
	chart_line_cdf(l, values, report_positive_to_front(values, count));
	chart_line_reduce(l, CDF_COLUMNS, 1);
}

static struct chart *report_distribution_chart(struct report *r, const char *title,
					       const struct cdf *d)
{
	struct chart *c = report_chart(&r->charts, PART_CDF, title, d->variant);

	c->kind = CHART_STEPS;
	c->log_x = 1;
	text_print(&c->x_label, "%s", d->x_label);
	return c;
}

static void report_add_cdf(struct report *r, const struct report_case *k, const struct cdf *d)
{
	struct chart *c = report_distribution_chart(r, d->title, d);
	struct chart_line *l;

	report_cdf(report_add_scheme_line(r, c, k->scheme), d->values, d->count);
	c->is_share = 1;
	text_print(&c->y_label, "share of flows");
	text_print(&c->note, "Completed flows of all seeds; logarithmic x axis.");
	report_note_health(r, c);
	if (!flow_statistic_is_known(STATISTIC_P95, d->count))
		return; /* too few flows for a tail */
	c = report_distribution_chart(r, d->tail_title, d);
	c->log_y = 1;
	l = report_add_scheme_line(r, c, k->scheme);
	chart_line_tail(l, d->values, report_positive_to_front(d->values, d->count));
	chart_line_reduce(l, CDF_COLUMNS, 1);
	text_print(&c->y_label, "share of flows above (CCDF)");
	text_print(&c->note, "Completed flows of all seeds; both axes are logarithmic.");
	report_note_health(r, c);
}

int flow_sample_add(struct flow_sample *sample, struct store *s, const struct stored_run *run,
		    struct weir_error *e)
{
	const struct flow_set *set = store_flow_set(s, run, e);

	if (!set)
		return -1;
	sample->fct_us =
		memory_grow(sample->fct_us, sample->count + set->count + 1, sizeof(double));
	sample->slowdown =
		memory_grow(sample->slowdown, sample->count + set->count + 1, sizeof(double));
	for (uint64_t i = 0; i < set->count; i++) {
		const struct counted_flow *f = &set->flows[i];

		if (f->fct_ps < 0 ||
		    (sample->section && strcmp(sample->section, set->sections[f->section]) != 0))
			continue;
		sample->fct_us[sample->count] = (double)f->fct_ps / PS_PER_US;
		sample->slowdown[sample->count++] = f->slowdown;
	}
	return 0;
}

void flow_sample_free(struct flow_sample *sample)
{
	free(sample->fct_us);
	free(sample->slowdown);
	*sample = (struct flow_sample){ .count = 0 };
}

/* section NULL: all flows. */
static int report_add_distribution(struct report *r, struct store *s, const struct report_case *k,
				   const char *section, struct weir_error *e)
{
	struct flow_sample sample = { .section = section };
	struct report_text variant = report_variant(r, section ? section : "", k);
	int status = 0;

	for (uint32_t i = 0; i < k->row->run_count && status == 0; i++)
		status = flow_sample_add(&sample, s, &r->compare.runs.runs[k->row->runs[i]], e);
	if (status == 0 && sample.count) {
		report_add_cdf(r, k,
			       &(struct cdf){ "Flow completion time, distribution",
					      "Flow completion time, tail",
					      "flow completion time (us)", variant.text,
					      sample.fct_us, sample.count });
		report_add_cdf(r, k,
			       &(struct cdf){ "Slowdown, distribution", "Slowdown, tail",
					      "slowdown", variant.text, sample.slowdown,
					      sample.count });
	}
	flow_sample_free(&sample);
	return status;
}

static int report_add_distributions(struct report *r, struct store *s, const struct report_case *k,
				    struct weir_error *e)
{
	const struct comparison *c = &r->compare;

	if (c->section_count < 2)
		return report_add_distribution(r, s, k, NULL, e);
	for (uint32_t i = 0; i < c->section_count; i++)
		if (report_add_distribution(r, s, k, c->sections[i], e))
			return -1;
	return 0;
}

/* --- series --- */

struct series_visit {
	struct report *report;
	const struct report_case *k;
};

static enum report_part report_series_part(const char *name)
{
	static const struct {
		const char *start;
		enum report_part part;
	} starts[] = { { "queue", PART_QUEUE },
		       { "throughput", PART_THROUGHPUT },
		       { "window", PART_WINDOW } };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(name, starts[i].start, strlen(starts[i].start)) == 0)
			return starts[i].part;
	return PART_OTHER;
}

enum chart_kind report_series_kind(const char *name)
{
	return report_series_part(name) == PART_THROUGHPUT ? CHART_CURVES : CHART_STEPS;
}

/* The length of the first word of "throughput flow 3"; 0: the series is not of a flow. */
static size_t report_flow_kind_length(const char *name)
{
	size_t length = strcspn(name, " ");

	return strncmp(name + length, " flow", 5) == 0 ? length : 0;
}

/* The flows of one run are compared with each other: one chart a run. */
static struct chart *report_flow_chart(struct series_visit *v, const char *name, size_t kind)
{
	struct report *r = v->report;
	const char *scheme = r->schemes[v->k->scheme];
	char title[64], variant[512];

	snprintf(title, sizeof(title), "%.*s per flow", (int)kind, name);
	title[0] = (char)(title[0] >= 'a' && title[0] <= 'z' ? title[0] - 'a' + 'A' : title[0]);
	snprintf(variant, sizeof(variant), "%s%s%s", r->case_count > 1 ? scheme : "",
		 r->axis ? ", " : "", report_x_name(r, v->k).text);
	return report_chart(&r->charts, report_series_part(name), title, variant);
}

void report_series(struct chart_line *l, const struct stored_series *s)
{
	for (uint64_t i = 0; i < s->count; i++)
		if (isfinite(s->value[i]))
			chart_point_add(l, (double)s->time_ps[i] / WEIR_PS_PER_NS, s->value[i]);
	chart_line_reduce(l, COLUMNS, 0);
}

static int report_add_series(void *context, const struct stored_series *s)
{
	struct series_visit *v = context;
	struct report *r = v->report;
	size_t kind = report_flow_kind_length(s->name);
	struct chart *c;
	struct chart_line *l;

	if (!s->count)
		return 0;
	if (kind) {
		c = report_flow_chart(v, s->name, kind);
		if (c->line_count == FLOWS_SHOWN) {
			text_print(&c->note, "The first %d flows; the store holds more.",
				   FLOWS_SHOWN);
			return 0;
		}
		l = chart_line_add(c, s->name + kind + 1);
	} else {
		c = report_chart(&r->charts, report_series_part(s->name), s->name,
				 report_x_name(r, v->k).text);
		l = report_add_scheme_line(r, c, v->k->scheme);
	}
	report_series(l, s);
	c->kind = report_series_kind(s->name);
	/* Holds the unit until the chart is complete. */
	text_print(&c->y_label, "%s", s->unit);
	return 0;
}

/* Series come from one run a case: curves of several seeds would hide each other. */
static int report_add_case_series(struct report *r, struct store *s, const struct report_case *k,
				  struct weir_error *e)
{
	struct series_visit visit = { r, k };

	return store_each_series(s, r->compare.runs.runs[k->row->runs[0]].id, report_add_series,
				 &visit, e);
}

void report_finish_series(struct chart *c, const char *unit)
{
	struct chart_extent x = { 0, 0, 0, 0 };
	struct report_unit time;
	char what[64];

	chart_extent(c, &x);
	time = report_unit(x.x_max, "ns");
	chart_scale(c, time.factor, 1);
	text_print(&c->x_label, "time (%s)", time.name);
	snprintf(what, sizeof(what), "%.*s", (int)strcspn(c->title, " "), c->title);
	report_y_unit(c, what, unit);
}

static void report_finish_all_series(struct report *r)
{
	const struct report_setting *seed = report_setting(r, "seed");

	for (uint32_t i = 0; i < r->charts.count; i++) {
		struct chart *c = &r->charts.all[i];
		char *unit;

		if (c->part < PART_QUEUE)
			continue;
		unit = text_copy(c->y_label);
		report_finish_series(c, unit);
		free(unit);
		if (seed && seed->value_count > 1)
			chart_note_add(c, "The run with seed %s.", seed->values[0]);
	}
}

/* --- all charts --- */

void report_limit_points(struct chart_list *list)
{
	uint64_t points = 0, lines = 0, columns;

	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t k = 0; k < list->all[i].line_count; k++) {
			points += list->all[i].lines[k].count;
			lines++;
		}
	if (points <= POINTS_MAX)
		return;
	columns = POINTS_MAX / 4 / lines;
	for (uint32_t i = 0; i < list->count; i++)
		for (uint32_t k = 0; k < list->all[i].line_count; k++)
			chart_line_reduce(&list->all[i].lines[k],
					  columns < COLUMNS_LEAST ? COLUMNS_LEAST
								  : (uint32_t)columns,
					  list->all[i].log_x);
}

int report_charts(struct report *r, struct store *s, struct weir_error *e)
{
	report_add_metric_chart(r, "fct_mean_ns", "Flow completion time, mean", "mean FCT");
	report_add_metric_chart(r, "fct_small_p99_ns",
				"Flow completion time, small flows, 99th percentile", "p99 FCT");
	report_add_metric_chart(r, "fct_large_mean_ns", "Flow completion time, large flows, mean",
				"mean FCT");
	for (uint32_t i = 0; i < r->case_count; i++)
		if (report_add_distributions(r, s, &r->cases[i], e) ||
		    report_add_case_series(r, s, &r->cases[i], e))
			return -1;
	report_finish_all_series(r);
	report_limit_points(&r->charts);
	return 0;
}
