/* SPDX-License-Identifier: BSD-3-Clause */
/* panel_series.c -- panels over time: what probes saw, and the paper's numbers of it as rings. */
#include "lab/report/panel_drawing.h"
#include "lab/report/panel_labels.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- curves --- */

static int is_wanted(const struct panel *p, const char *series)
{
	for (uint32_t i = 0; i < p->y_count; i++)
		if (strcmp(p->y[i], series) == 0)
			return 1;
	return 0;
}

/* Do lines differ in anything but the series? */
static int has_one_name(const struct drawing *d, const char *name)
{
	const struct comparison *c = &d->r->compare;

	for (uint32_t i = 0; i < c->row_count; i++)
		if (selection_has(&d->p->where, drawing_run(d, &c->rows[i])) &&
		    strcmp(drawing_line_name(d, &c->rows[i]), name) != 0)
			return 0;
	return 1;
}

/* The name of the line of a row's series. Replaces *name. */
static void name_series(const struct drawing *d, const struct compare_row *row, const char *series,
			char **name)
{
	const char *line = drawing_line_name(d, row);

	if (d->p->y_count == 1)
		text_print(name, "%s", line);
	else
		text_print(name, has_one_name(d, line) ? "%.0s%s" : "%s, %s", line, series);
}

static int add_series(void *context, const struct stored_series *s)
{
	struct drawing *d = context;
	struct chart *c;
	struct chart_line *l;

	if (!is_wanted(d->p, s->name) || !s->count)
		return 0;
	c = drawing_chart(d, d->current);
	if (d->p->y_count == 1) {
		l = drawing_line_of(d, c, d->current);
	} else {
		char *name = NULL;

		name_series(d, d->current, s->name, &name);
		l = chart_line_add(c, name);
		free(name);
	}
	report_series(l, s);
	c->kind = strncmp(s->name, "throughput", strlen("throughput")) == 0 ? CHART_CURVES
									    : CHART_STEPS;
	snprintf(d->unit_text, sizeof(d->unit_text), "%s", s->unit);
	return 0;
}

/* From one run a row: curves of several seeds would hide each other. */
int panel_series(struct drawing *d, const struct compare_row *row, struct weir_error *e)
{
	d->current = row;
	return store_each_series(d->s, drawing_run(d, row)->id, add_series, d, e);
}

void panel_finish_time(const struct drawing *d, struct chart *c)
{
	const struct report_setting *seed = report_setting(d->r, "seed");
	struct report_text what;

	snprintf(what.text, sizeof(what.text), "%.*s", (int)strcspn(d->p->y[0], " "), d->p->y[0]);
	panel_finish_x(c, d->p, "time", "ns");
	panel_finish_y(c, d->p, what.text, d->series_unit);
	if (seed && seed->value_count > 1)
		text_print(&c->note, "The run with seed %s.", seed->values[0]);
}

/* --- marks --- */

/* Those statistics that are a height in the chart. */
static const char *const heights[] = {
	[SERIES_MEAN] = "",         [SERIES_MIN] = " (min)", [SERIES_MAX] = " (max)",
	[SERIES_P50] = " (median)", [SERIES_P95] = " (p95)", [SERIES_P99] = " (p99)",
	[SERIES_LAST] = " (last)"
};

static const char *height_of(const struct claim *c)
{
	size_t what = (size_t)c->series.what;

	if (!c->is_series || c->over.count || c->best || !isfinite(c->low) || c->low < c->high ||
	    what >= sizeof(heights) / sizeof(heights[0]))
		return NULL;
	return heights[what];
}

/* In the middle of the time that the claim is about, as far as the series reaches. */
static double middle_ns(const struct series_metric *m, const struct chart_line *l)
{
	double from_ns = (double)weir_ps_to_ns(m->from_ps), to_ns = l->points[l->count - 1].x;

	if (m->what == SERIES_LAST)
		return to_ns;
	return (fmax(from_ns, l->points[0].x) + fmin((double)weir_ps_to_ns(m->to_ps), to_ns)) / 2;
}

static void mark_series(const struct drawing *d, const struct claim *c)
{
	const char *height = height_of(c);
	const struct compare_row *row = height ? drawing_only_row(d, &c->of) : NULL;
	struct chart *chart;
	struct chart_line *l;
	char *name = NULL;
	uint32_t at = 0;
	double x;

	if (!row || !selection_has(&d->p->where, drawing_run(d, row)))
		return;
	chart = drawing_chart(d, row);
	name_series(d, row, c->series.series, &name);
	while (at < chart->line_count && strcmp(chart->lines[at].name, name) != 0)
		at++;
	if (at < chart->line_count && chart->lines[at].count) {
		uint32_t style = chart->lines[at].style;

		x = middle_ns(&c->series, &chart->lines[at]);
		text_print(&name, "%s, the paper%s", chart->lines[at].name, height);
		l = drawing_line(chart, name);
		l->style = style;
		l->is_marks = 1;
		chart_point_add(l, x, c->low);
	}
	free(name);
}

void panel_series_marks(const struct drawing *d, const struct figure *f)
{
	for (uint32_t i = 0; i < f->claim_count; i++)
		mark_series(d, &f->claims[i]);
}
