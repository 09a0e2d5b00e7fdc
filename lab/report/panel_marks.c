/* SPDX-License-Identifier: BSD-3-Clause */
/* panel_marks.c -- marks the paper's numbers in its panels as rings, for every claim with a number
 * for one point, bar or series. Numbers that follow from claims are marked, too: "PRED takes 0.2 of
 * CoDel's time" is 5 for CoDel in a panel relative to PRED, and two absolute numbers give a ratio.
 * Claims with a range are not marked, because most ranges are a reading of "slightly better". */
#include "lab/report/panel.h"
#include "base/memory.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- points and bars --- */

/* A number that the paper gives for a row, or for its ratio to another row. */
struct statement {
	const struct compare_row *of, *over; /* over NULL: not a ratio */
	double value;
};

struct statement_list {
	uint32_t count;
	struct statement *all;
};

const struct compare_row *drawing_only_row(const struct drawing *d, const struct selection *s)
{
	const struct comparison *all = &d->r->compare;
	const struct compare_row *found = NULL;

	for (uint32_t i = 0; s->count && i < all->row_count; i++) {
		if (!selection_has(s, drawing_run(d, &all->rows[i])))
			continue;
		if (found)
			return NULL;
		found = &all->rows[i];
	}
	return found;
}

/* The claims with a number for the panel's metric. Claims with "best" are about an unknown point.
 */
static struct statement_list mark_find_statements(const struct drawing *d, const struct figure *f)
{
	struct statement_list found = { 0, memory_zeroed(f->claim_count + UINT64_C(1),
							 sizeof(*found.all)) };

	for (uint32_t i = 0; i < f->claim_count; i++) {
		const struct claim *c = &f->claims[i];
		struct statement *one = &found.all[found.count];

		if (c->is_series || c->best || strcmp(c->metric, d->p->y[0]) != 0 ||
		    !isfinite(c->low) || c->low < c->high)
			continue;
		*one = (struct statement){ drawing_only_row(d, &c->of),
					   drawing_only_row(d, &c->over), c->low };
		found.count += one->of && (one->over || !c->over.count);
	}
	return found;
}

/* The value of the row relative to the other row, or of the row if other is NULL; NAN: the
 * statement does not give it. */
static double statement_value(const struct statement *one, const struct compare_row *row,
			      const struct compare_row *other)
{
	if (one->of == row && one->over == other)
		return one->value;
	return other && one->of == other && one->over == row && one->value > 0 ? 1 / one->value
									       : (double)NAN;
}

/* The first number for the row itself. */
static double statement_own(const struct statement_list *s, const struct compare_row *row)
{
	double said = (double)NAN;

	for (uint32_t i = 0; i < s->count && isnan(said); i++)
		said = statement_value(&s->all[i], row, NULL);
	return said;
}

/* The number of a row, derived from its ratio to a row whose number is given. */
static double statement_derived(const struct statement_list *s, const struct compare_row *row)
{
	double said = (double)NAN;

	for (uint32_t i = 0; i < s->count && isnan(said); i++) {
		const struct statement *one = &s->all[i];
		const struct compare_row *other = one->of == row ? one->over : one->of;

		if (one->over && (one->of == row || one->over == row))
			said = statement_value(one, row, other) * statement_own(s, other);
	}
	return said;
}

/* Marks a point of the row's line, in its colour. */
static void mark_add_ring(const struct drawing *d, const struct compare_row *row, double x,
			  double y)
{
	char *name = NULL;
	struct chart_line *l;

	text_print(&name, "%s, the paper", drawing_line_name(d, row));
	l = drawing_line(drawing_chart(d, row), name);
	l->style = drawing_line_style(d, row);
	l->is_marks = 1;
	chart_point_add(l, x, y);
	free(name);
}

/* Marks a bar; one line of the chart has the marks of all bars. */
static void mark_bar(const struct drawing *d, const struct compare_row *row, double said)
{
	struct chart *c = drawing_chart(d, row);
	const struct chart_line *bar = drawing_line(c, drawing_line_name(d, row));
	double x = (double)(bar - c->lines);
	struct chart_line *l = drawing_line(c, "the paper");

	l->is_marks = 1;
	l->style = 0; /* the same in all panels, however many bars there are */
	chart_point_add(l, x, said);
}

static void mark_value(const struct drawing *d, const struct compare_row *row, double said)
{
	if (d->is_bars)
		mark_bar(d, row, said);
	else if (d->x != NO_AXIS)
		mark_add_ring(d, row, d->x_numbers[row->value[d->x]] * d->p->x_scale, said);
}

/* Marks all numbers that claims give for the row, which may contradict each other; if there are
 * none the number that follows from others. */
static void mark_row(const struct drawing *d, const struct statement_list *s,
		     const struct compare_row *row)
{
	const struct compare_row *reference = d->p->normalize ? drawing_reference(d, row) : NULL;
	int found = 0;
	double said;

	if (d->p->normalize && (!reference || reference == row))
		return;
	for (uint32_t i = 0; i < s->count; i++) {
		said = statement_value(&s->all[i], row, reference);
		if (!isnan(said))
			mark_value(d, row, said);
		found |= !isnan(said);
	}
	if (found)
		return;
	said = reference ? statement_own(s, row) / statement_own(s, reference)
			 : statement_derived(s, row);
	if (isfinite(said))
		mark_value(d, row, said);
}

static void mark_rows(const struct drawing *d, const struct figure *f)
{
	const struct comparison *all = &d->r->compare;
	struct statement_list s = mark_find_statements(d, f);

	for (uint32_t i = 0; i < all->row_count; i++)
		if (drawing_has_row(d, &all->rows[i]))
			mark_row(d, &s, &all->rows[i]);
	free(s.all);
}

/* --- distributions --- */

/* The share of flows below a percentile; NAN: the statistic is not a percentile. */
static double mark_share_below(enum flow_statistic statistic)
{
	switch (statistic) {
	case STATISTIC_P50:
		return 0.5;
	case STATISTIC_P95:
		return 0.95;
	case STATISTIC_P99:
		return 0.99;
	case STATISTIC_P999:
		return 0.999;
	default:
		return (double)NAN;
	}
}

/* A claim about a distribution: a share of the flows of a class has at most x. */
struct cdf_point {
	enum flow_quantity quantity;
	enum flow_class class;
	double x, share;
};

static int mark_find_cdf_point(const struct claim *c, struct cdf_point *p)
{
	struct flow_metric m;

	if (c->is_series || c->over.count || c->best || !isfinite(c->low) || c->low < c->high)
		return 0;
	if (c->is_share) {
		int is_within = c->share.what == SHARE_WITHIN;

		*p = (struct cdf_point){ c->share.quantity, c->share.class,
					 is_within ? c->share.level : c->low,
					 is_within ? c->low : c->share.level };
		return 1;
	}
	if (!flow_metric_find(c->metric, &m))
		return 0;
	*p = (struct cdf_point){ m.quantity, m.class, c->low, mark_share_below(m.statistic) };
	return !isnan(p->share);
}

/* Is every flow of the row in the class? Only then a claim about the class is on the curve. */
static int mark_is_only_class(const struct drawing *d, const struct compare_row *row,
			      enum flow_class class)
{
	struct weir_error e;
	const struct flow_set *set = store_flow_set(d->s, drawing_run(d, row), &e);

	return set && flow_set_count(set, class, NULL) == flow_set_count(set, CLASS_ALL, NULL);
}

static void mark_cdf(const struct drawing *d, const struct claim *c)
{
	enum flow_quantity drawn =
		strcmp(d->p->y[0], "fct") == 0 ? QUANTITY_FCT : QUANTITY_SLOWDOWN;
	const struct compare_row *row = drawing_only_row(d, &c->of);
	struct cdf_point p;

	if (row && drawing_has_row(d, row) && mark_find_cdf_point(c, &p) && p.quantity == drawn &&
	    mark_is_only_class(d, row, p.class))
		mark_add_ring(d, row, p.x, p.share);
}

/* --- series --- */

/* Statistics that are a y value of the chart, as the end of the mark's name. */
static const char *const mark_statistics[] = {
	[SERIES_MEAN] = "",         [SERIES_MIN] = " (min)", [SERIES_MAX] = " (max)",
	[SERIES_P50] = " (median)", [SERIES_P95] = " (p95)", [SERIES_P99] = " (p99)",
	[SERIES_LAST] = " (last)"
};

static const char *mark_statistic_of(const struct claim *c)
{
	size_t what = (size_t)c->series.what;

	if (!c->is_series || c->over.count || c->best || !isfinite(c->low) || c->low < c->high ||
	    what >= sizeof(mark_statistics) / sizeof(mark_statistics[0]))
		return NULL;
	return mark_statistics[what];
}

/* The middle of the claim's time interval, as far as the series reaches. */
static double mark_middle_ns(const struct series_metric *m, const struct chart_line *l)
{
	double from_ns = (double)weir_ps_to_ns(m->from_ps), to_ns = l->points[l->count - 1].x;

	if (m->what == SERIES_LAST)
		return to_ns;
	return (fmax(from_ns, l->points[0].x) + fmin((double)weir_ps_to_ns(m->to_ps), to_ns)) / 2;
}

static void mark_series(const struct drawing *d, const struct claim *c)
{
	const char *statistic = mark_statistic_of(c);
	const struct compare_row *row = statistic ? drawing_only_row(d, &c->of) : NULL;
	struct chart *chart;
	struct chart_line *l;
	char *name = NULL;
	uint32_t at = 0;
	double x;

	if (!row || !panel_has_series(d->p, c->series.series) || !drawing_has_row(d, row))
		return;
	chart = drawing_chart(d, row);
	panel_name_series(d, row, c->series.series, &name);
	while (at < chart->line_count && strcmp(chart->lines[at].name, name) != 0)
		at++;
	if (at < chart->line_count && chart->lines[at].count) {
		uint32_t style = chart->lines[at].style;

		x = mark_middle_ns(&c->series, &chart->lines[at]);
		text_print(&name, "%s, the paper%s", chart->lines[at].name, statistic);
		l = drawing_line(chart, name);
		l->style = style;
		l->is_marks = 1;
		chart_point_add(l, x, c->low);
	}
	free(name);
}

void panel_marks(const struct drawing *d, const struct figure *f)
{
	if (d->p->kind == PANEL_LINES || d->p->kind == PANEL_BARS)
		mark_rows(d, f);
	for (uint32_t i = 0; i < f->claim_count; i++)
		if (d->p->kind == PANEL_TIME)
			mark_series(d, &f->claims[i]);
		else if (d->p->kind == PANEL_CDF)
			mark_cdf(d, &f->claims[i]);
}

void panel_note_marks(struct chart *c)
{
	if (chart_bars(c) < c->line_count)
		chart_note_add(c, "Ring: value of the paper, or derived from it.");
}
