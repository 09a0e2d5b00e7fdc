/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_charts.c -- the panels of a figure as charts, from the runs of its store.
 *
 * A panel selects rows of the comparison by its "where". Lines differ in the setting "by"; "x" is
 * the x axis; every other setting that differs makes one variant of the chart for each value. */
#include "lab/report/figure_report.h"
#include "lab/report/panel.h"
#include "base/memory.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- settings --- */

const struct stored_run *drawing_run(const struct drawing *d, const struct compare_row *row)
{
	return &d->r->compare.runs.runs[row->runs[0]];
}

int drawing_has_row(const struct drawing *d, const struct compare_row *row)
{
	const struct stored_run *run = drawing_run(d, row);
	const char *name = stored_setting(run, CASE_PATH);

	return selection_has(&d->p->where, run) &&
	       (!name || selection_value(&d->p->where, CASE_PATH) ||
		!figure_case_is_of_reading(d->f, name));
}

/* Finds an axis by its path, or by the last part of it. */
static int panel_find_axis(const struct comparison *c, const char *path)
{
	for (uint32_t i = 0; path && i < c->axis_count; i++)
		if (strcmp(c->axes[i].path, path) == 0)
			return (int)i;
	for (uint32_t i = 0; path && i < c->axis_count; i++) {
		const char *dot = strrchr(c->axes[i].path, '.');

		if (dot && strcmp(dot + 1, path) == 0)
			return (int)i;
	}
	return NO_AXIS;
}

const char *drawing_line_name(const struct drawing *d, const struct compare_row *row)
{
	const char *value;

	if (d->by != NO_AXIS) {
		const struct compare_axis *a = &d->r->compare.axes[d->by];

		return a->labels[row->value[d->by]][0] ? a->labels[row->value[d->by]] : "-";
	}
	value = stored_setting(drawing_run(d, row), d->p->by);
	return value && value[0] ? value : "all runs";
}

uint32_t drawing_line_style(const struct drawing *d, const struct compare_row *row)
{
	return d->by == NO_AXIS ? 0 : row->value[d->by];
}

/* Is the axis shown by lines or by x? A case is a name for settings: if lines differ by case, the
 * settings of cases are shown as well, and if lines differ by such a setting, the case is. */
static int panel_is_drawn(const struct drawing *d, uint32_t axis)
{
	const struct comparison *c = &d->r->compare;
	const char *path = c->axes[axis].path;
	int by_case = strcmp(d->p->by, COMPARE_CASE) == 0;

	if ((int)axis == d->by || (int)axis == d->x)
		return 1;
	return by_case ? compare_is_of_case(&c->runs, path) : strcmp(path, COMPARE_CASE) == 0;
}

/* "load = 0.8, hosts = 16": the settings in which selected rows differ besides line and x. */
static struct report_text panel_variant_of(const struct drawing *d, const struct compare_row *row)
{
	const struct comparison *c = &d->r->compare;
	struct report_text t = { "" };

	for (uint32_t a = 0; a < c->axis_count; a++) {
		size_t used = strlen(t.text);
		int differs = 0;

		if (panel_is_drawn(d, a))
			continue;
		for (uint32_t i = 0; i < c->row_count; i++)
			differs |= drawing_has_row(d, &c->rows[i]) &&
				   c->rows[i].value[a] != row->value[a];
		if (differs)
			snprintf(t.text + used, sizeof(t.text) - used, "%s%s = %s",
				 used ? ", " : "", panel_last_part(c->axes[a].path),
				 c->axes[a].labels[row->value[a]]);
	}
	return t;
}

struct chart *drawing_chart(const struct drawing *d, const struct compare_row *row)
{
	return report_chart(&d->r->charts, d->part, d->title, panel_variant_of(d, row).text);
}

struct chart_line *drawing_line(struct chart *c, const char *name)
{
	for (uint32_t i = 0; i < c->line_count; i++)
		if (strcmp(c->lines[i].name, name) == 0)
			return &c->lines[i];
	return chart_line_add(c, name);
}

struct chart_line *drawing_line_of(const struct drawing *d, struct chart *c,
				   const struct compare_row *row)
{
	struct chart_line *l = drawing_line(c, drawing_line_name(d, row));

	l->style = drawing_line_style(d, row);
	return l;
}

/* --- lines and bars --- */

static double panel_number_of(const struct drawing *d, uint32_t run)
{
	const struct comparison *c = &d->r->compare;

	return c->numbers[(size_t)run * c->column_count + (size_t)d->column];
}

static const char *panel_seed_of(const struct drawing *d, uint32_t run)
{
	const char *seed = stored_setting(&d->r->compare.runs.runs[run], "seed");

	return seed ? seed : "";
}

const struct compare_row *drawing_reference(const struct drawing *d, const struct compare_row *row)
{
	const struct comparison *c = &d->r->compare;

	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct compare_row *other = &c->rows[i];
		int same = d->by != NO_AXIS &&
			   setting_is(c->axes[d->by].values[other->value[d->by]], d->p->normalize);

		for (uint32_t a = 0; a < c->axis_count; a++)
			same &= ((int)a != d->x && panel_is_drawn(d, a)) ||
				other->value[a] == row->value[a];
		if (same)
			return other;
	}
	return NULL;
}

/* The mean of the ratios, seed by seed. */
static struct compare_cell panel_ratio_of(const struct drawing *d, const struct compare_row *row,
					  const struct compare_row *reference)
{
	double *sample = memory_grow(NULL, row->run_count, sizeof(*sample)), sum = 0;
	struct compare_cell cell = { .mean = (double)NAN, .half = (double)NAN, .count = 0 };

	for (uint32_t i = 0; i < row->run_count && reference; i++)
		for (uint32_t k = 0; k < reference->run_count; k++) {
			double ratio = panel_number_of(d, row->runs[i]) /
				       panel_number_of(d, reference->runs[k]);

			if (strcmp(panel_seed_of(d, row->runs[i]),
				   panel_seed_of(d, reference->runs[k])) != 0 ||
			    !isfinite(ratio))
				continue;
			sample[cell.count++] = ratio;
			sum += ratio;
			break;
		}
	if (cell.count) {
		cell.mean = sum / cell.count;
		cell.half = confidence_half(sample, cell.count);
	}
	free(sample);
	return cell;
}

static void panel_add_mean(const struct drawing *d, const struct compare_row *row)
{
	struct compare_cell cell = d->p->normalize
					   ? panel_ratio_of(d, row, drawing_reference(d, row))
					   : row->cells[d->column];
	struct chart_line *l = drawing_line_of(d, drawing_chart(d, row), row);
	double x = d->is_bars ? 0 : d->x_numbers[row->value[d->x]] * d->p->x_scale;

	if (!isnan(cell.mean))
		chart_interval_add(l, x, cell.mean, cell.mean - cell.half, cell.mean + cell.half);
}

static int panel_compare_points(const void *a, const void *b)
{
	const struct chart_point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static void panel_finish_means(const struct drawing *d, struct chart *c)
{
	const struct compare_column *column = &d->r->compare.columns[d->column];
	const struct report_setting *seed = report_setting(d->r, "seed");
	const struct panel *p = d->p;

	c->kind = d->is_bars ? CHART_BARS : CHART_MEANS;
	for (uint32_t i = 0; i < c->line_count; i++)
		if (c->lines[i].count)
			qsort(c->lines[i].points, c->lines[i].count, sizeof(*c->lines[i].points),
			      panel_compare_points);
	panel_finish_y(c, p, panel_metric_words(p->y[0], column->unit).text,
		       p->normalize ? "" : column->unit);
	if (p->normalize)
		text_print(&c->y_label, "%s, relative to %s", c->y_label, p->normalize);
	if (p->kind == PANEL_LINES)
		panel_label_lines(c, p, d->is_bars ? d->only_x : NULL, d->x_unit);
	if (seed && seed->value_count > 1)
		text_print(&c->note, "Means over %u seeds%s, with 95 %% confidence intervals.",
			   seed->value_count, p->normalize ? " of the ratios seed by seed" : "");
	report_note_health(d->r, c);
}

/* --- distributions --- */

static int panel_add_cdf(const struct drawing *d, const struct compare_row *row,
			 struct weir_error *e)
{
	int is_fct = strcmp(d->p->y[0], "fct") == 0, failed = 0;
	struct flow_sample sample = { .count = 0 };
	struct chart *c = drawing_chart(d, row);

	for (uint32_t i = 0; i < row->run_count && !failed; i++)
		failed = flow_sample_add(&sample, d->s, &d->r->compare.runs.runs[row->runs[i]], e);
	for (uint64_t i = 0; i < sample.count && is_fct; i++)
		sample.fct_us[i] *= WEIR_NS_PER_US;
	if (!failed)
		report_cdf(drawing_line_of(d, c, row), is_fct ? sample.fct_us : sample.slowdown,
			   sample.count);
	flow_sample_free(&sample);
	return failed;
}

static void panel_finish_cdf(const struct drawing *d, struct chart *c)
{
	int is_fct = strcmp(d->p->y[0], "fct") == 0;

	c->kind = CHART_STEPS;
	c->log_x = 1;
	panel_finish_x(c, d->p, is_fct ? "flow completion time" : "slowdown", is_fct ? "ns" : "");
	c->is_share = 1;
	text_print(&c->y_label, "%s", d->p->y_label ? d->p->y_label : "share of flows");
	text_print(&c->note, "Completed flows of all seeds; logarithmic x axis.");
	report_note_health(d->r, c);
}

/* --- sizes --- */

static int panel_find_bins(struct drawing *d, struct weir_error *e)
{
	const char *const by[] = { compare_split_names[SPLIT_SIZE] };
	const char *const metrics[] = { d->p->y[0] };
	const struct compare_request q = {
		.by = by, .by_count = 1, .metrics = metrics, .metric_count = 1, .sizes = d->p->sizes
	};

	if (d->p->kind != PANEL_SIZES)
		return 0;
	return comparison_make(&d->bins, d->s, &q, e)
		       ? weir_error_prefix(e, "[panel %s]: ", d->p->name)
		       : 0;
}

static int panel_add_sizes(const struct drawing *d, const struct compare_row *row,
			   struct weir_error *e)
{
	struct size_line of = { d->s, &d->r->compare.runs, row, &d->bins, { .class = CLASS_ALL } };

	flow_metric_find(d->p->y[0], &of.metric);
	return report_size_line(drawing_line_of(d, drawing_chart(d, row), row), &of, e);
}

static void panel_finish_sizes(const struct drawing *d, struct chart *c)
{
	const char *unit = "";

	flow_metric_known(d->p->y[0], &unit);
	c->kind = CHART_CURVES;
	c->log_x = 1;
	report_size_axis(c);
	if (d->p->x_label)
		text_print(&c->x_label, "%s", d->p->x_label);
	panel_finish_y(c, d->p, panel_metric_words(d->p->y[0], unit).text, unit);
	text_print(&c->note, "%s",
		   "Each point is a range of flow sizes, over all seeds; logarithmic x axis.");
	report_note_health(d->r, c);
}

/* --- over time --- */

int panel_has_series(const struct panel *p, const char *series)
{
	for (uint32_t i = 0; i < p->y_count; i++)
		if (strcmp(p->y[i], series) == 0)
			return 1;
	return 0;
}

/* Do lines differ in the series only? */
static int panel_has_one_name(const struct drawing *d, const char *name)
{
	const struct comparison *c = &d->r->compare;

	for (uint32_t i = 0; i < c->row_count; i++)
		if (drawing_has_row(d, &c->rows[i]) &&
		    strcmp(drawing_line_name(d, &c->rows[i]), name) != 0)
			return 0;
	return 1;
}

void panel_name_series(const struct drawing *d, const struct compare_row *row, const char *series,
		       char **name)
{
	const char *line = drawing_line_name(d, row);

	if (d->p->y_count == 1)
		text_print(name, "%s", line);
	else
		text_print(name, panel_has_one_name(d, line) ? "%.0s%s" : "%s, %s", line, series);
}

static int panel_add_series(void *context, const struct stored_series *s)
{
	struct drawing *d = context;
	struct chart *c;
	struct chart_line *l;

	if (!panel_has_series(d->p, s->name) || !s->count)
		return 0;
	c = drawing_chart(d, d->current);
	if (d->p->y_count == 1) {
		l = drawing_line_of(d, c, d->current);
	} else {
		char *name = NULL;

		panel_name_series(d, d->current, s->name, &name);
		l = chart_line_add(c, name);
		free(name);
	}
	report_series(l, s);
	c->kind = report_series_kind(s->name);
	snprintf(d->series_unit, sizeof(d->series_unit), "%s", s->unit);
	return 0;
}

static void panel_finish_time(const struct drawing *d, struct chart *c)
{
	const struct report_setting *seed = report_setting(d->r, "seed");
	struct report_text what;

	snprintf(what.text, sizeof(what.text), "%.*s", (int)strcspn(d->p->y[0], " "), d->p->y[0]);
	panel_finish_x(c, d->p, "time", "ns");
	panel_finish_y(c, d->p, what.text, d->series_unit);
	if (seed && seed->value_count > 1)
		text_print(&c->note, "The run with seed %s.", seed->values[0]);
}

/* --- one panel --- */

void panel_title(const struct panel *p, char **title)
{
	enum { LETTERS = 2 };

	if (p->title[0] && strlen(p->name) > LETTERS)
		text_print(title, "%s", p->title);
	else
		text_print(title, p->title[0] ? "(%s) %s" : "(%s)", p->name, p->title);
}

/* The value of the panel's x in a row. A setting that is the same in all runs has no axis. */
static const char *panel_x_of(const struct drawing *d, const struct compare_row *row)
{
	const char *same = stored_setting(drawing_run(d, row), d->p->x);

	return d->x == NO_AXIS ? (same ? same : "")
			       : d->r->compare.axes[d->x].values[row->value[d->x]];
}

/* Have all rows the same x? Then the panel is drawn as bars, because lines would be single points.
 */
static int panel_has_one_x(struct drawing *d)
{
	const struct comparison *c = &d->r->compare;

	for (uint32_t i = 0; i < c->row_count; i++) {
		if (!drawing_has_row(d, &c->rows[i]))
			continue;
		if (d->only_x && strcmp(d->only_x, panel_x_of(d, &c->rows[i])) != 0)
			return 0;
		d->only_x = panel_x_of(d, &c->rows[i]);
	}
	return 1;
}

static int panel_find_numbers(struct drawing *d, struct weir_error *e)
{
	const struct compare_axis *a;

	d->x = d->p->kind == PANEL_LINES ? panel_find_axis(&d->r->compare, d->p->x) : NO_AXIS;
	d->x_unit = "";
	d->is_bars = d->p->kind != PANEL_LINES || panel_has_one_x(d);
	if (d->x == NO_AXIS)
		return 0;
	a = &d->r->compare.axes[d->x];
	d->x_numbers = memory_grow(NULL, a->value_count, sizeof(*d->x_numbers));
	if (report_numbers(a->values, a->value_count, d->x_numbers, &d->x_unit) == 0)
		return 0;
	return weir_error_set(e, "[panel %s]: x: the values of %s are no numbers", d->p->name,
			      a->path);
}

static int panel_draw_row(struct drawing *d, const struct compare_row *row, struct weir_error *e)
{
	if (!drawing_has_row(d, row))
		return 0;
	switch (d->p->kind) {
	case PANEL_LINES:
	case PANEL_BARS:
		panel_add_mean(d, row);
		return 0;
	case PANEL_CDF:
		return panel_add_cdf(d, row, e);
	case PANEL_SIZES:
		return panel_add_sizes(d, row, e);
	default: /* a time series of one run: curves of several seeds would hide each other */
		d->current = row;
		return store_each_series(d->s, drawing_run(d, row)->id, panel_add_series, d, e);
	}
}

static void panel_finish_charts(const struct drawing *d)
{
	for (uint32_t i = 0; i < d->r->charts.count; i++) {
		struct chart *c = &d->r->charts.all[i];

		if (c->part != d->part)
			continue;
		if (d->p->kind == PANEL_CDF)
			panel_finish_cdf(d, c);
		else if (d->p->kind == PANEL_TIME)
			panel_finish_time(d, c);
		else if (d->p->kind == PANEL_SIZES)
			panel_finish_sizes(d, c);
		else
			panel_finish_means(d, c);
		panel_note_marks(c);
	}
}

static int panel_draw(struct drawing *d, const struct figure *f, struct weir_error *e)
{
	const struct comparison *c = &d->r->compare;
	const struct panel *p = d->p;
	int failed = panel_find_numbers(d, e) || panel_find_bins(d, e);

	d->by = panel_find_axis(c, p->by);
	d->column = report_column(&d->r->compare, p->y[0]);
	panel_title(p, &d->title);
	for (uint32_t i = 0; i < c->row_count && !failed; i++)
		failed = panel_draw_row(d, &c->rows[i], e);
	if (!failed)
		panel_marks(d, f);
	return failed;
}

static void drawing_free(struct drawing *d)
{
	comparison_free(&d->bins);
	free(d->title);
	free(d->x_numbers);
}

/* --- all of them --- */

/* All panels are drawn before any is finished, because units follow from the range of the axes,
 * which panels may share. */
int figure_charts(struct report *r, struct store *s, const struct figure *f, struct weir_error *e)
{
	struct drawing *drawings = memory_zeroed(f->panel_count, sizeof(*drawings));
	int failed = 0;

	for (uint32_t i = 0; i < f->panel_count && !failed; i++) {
		drawings[i] =
			(struct drawing){ .r = r, .s = s, .f = f, .p = &f->panels[i], .part = i };
		failed = panel_draw(&drawings[i], f, e);
	}
	if (!failed)
		panels_share_frames(&r->charts, f);
	for (uint32_t i = 0; i < f->panel_count; i++) {
		if (!failed)
			panel_finish_charts(&drawings[i]);
		drawing_free(&drawings[i]);
	}
	free(drawings);
	report_limit_points(&r->charts);
	return failed;
}
