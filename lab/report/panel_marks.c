/* SPDX-License-Identifier: BSD-3-Clause */
/* panel_marks.c -- the paper's own numbers in its panels, as rings: of every claim that says a
 * number of one point, bar or series. What follows from such numbers is drawn, too: "PRED takes 0.2
 * of CoDel's time" is 5 for CoDel in a panel that is relative to PRED, and so is what two times
 * have to each other. A claim with a range is no number: most ranges are how "slightly better" was
 * read. */
#include "lab/report/panel_drawing.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- points and bars --- */

/* A number that the paper says of a row, or of its ratio to another. */
struct saying {
	const struct compare_row *of, *over; /* over NULL: it is no ratio */
	double value;
};

struct sayings {
	uint32_t count;
	struct saying *all;
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

/* Those claims that say a number of the panel's metric. With best it is said of an unknown
 * point. */
static struct sayings find_sayings(const struct drawing *d, const struct figure *f)
{
	struct sayings found = { 0,
				 memory_zeroed(f->claim_count + UINT64_C(1), sizeof(*found.all)) };

	for (uint32_t i = 0; i < f->claim_count; i++) {
		const struct claim *c = &f->claims[i];
		struct saying *one = &found.all[found.count];

		if (c->is_series || c->best || strcmp(c->metric, d->p->y[0]) != 0 ||
		    !isfinite(c->low) || c->low < c->high)
			continue;
		*one = (struct saying){ drawing_only_row(d, &c->of), drawing_only_row(d, &c->over),
					c->low };
		found.count += one->of && (one->over || !c->over.count);
	}
	return found;
}

/* What one says of the row over the other, or of the row where the other is NULL; NAN: nothing. */
static double said_by(const struct saying *one, const struct compare_row *row,
		      const struct compare_row *other)
{
	if (one->of == row && one->over == other)
		return one->value;
	return other && one->of == other && one->over == row && one->value > 0 ? 1 / one->value
									       : (double)NAN;
}

/* The first number that the paper says of the row itself. */
static double said_of(const struct sayings *s, const struct compare_row *row)
{
	double said = (double)NAN;

	for (uint32_t i = 0; i < s->count && isnan(said); i++)
		said = said_by(&s->all[i], row, NULL);
	return said;
}

/* A row of which only its ratio to another is said, whose own number is. */
static double derived_number(const struct sayings *s, const struct compare_row *row)
{
	double said = (double)NAN;

	for (uint32_t i = 0; i < s->count && isnan(said); i++) {
		const struct saying *one = &s->all[i];
		const struct compare_row *other = one->of == row ? one->over : one->of;

		if (one->over && (one->of == row || one->over == row))
			said = said_by(one, row, other) * said_of(s, other);
	}
	return said;
}

/* Beside the line of the row, in its colour. */
static void add_ring(const struct drawing *d, const struct compare_row *row, double x, double y)
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

/* On the bar of the row: one line has the marks of all bars. */
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

static void mark(const struct drawing *d, const struct compare_row *row, double said)
{
	if (d->is_bars)
		mark_bar(d, row, said);
	else if (d->x != NO_AXIS)
		add_ring(d, row, d->x_numbers[row->value[d->x]] * d->p->x_scale, said);
}

/* All that claims say of the row, which may contradict each other; or else what follows from
 * them. */
static void mark_row(const struct drawing *d, const struct sayings *s,
		     const struct compare_row *row)
{
	const struct compare_row *reference = d->p->normalize ? drawing_reference(d, row) : NULL;
	int found = 0;
	double said;

	if (d->p->normalize && (!reference || reference == row))
		return;
	for (uint32_t i = 0; i < s->count; i++) {
		said = said_by(&s->all[i], row, reference);
		if (!isnan(said))
			mark(d, row, said);
		found |= !isnan(said);
	}
	if (found)
		return;
	said = reference ? said_of(s, row) / said_of(s, reference) : derived_number(s, row);
	if (isfinite(said))
		mark(d, row, said);
}

static void mark_rows(const struct drawing *d, const struct figure *f)
{
	const struct comparison *all = &d->r->compare;
	struct sayings s = find_sayings(d, f);

	for (uint32_t i = 0; i < all->row_count; i++)
		if (selection_has(&d->p->where, drawing_run(d, &all->rows[i])))
			mark_row(d, &s, &all->rows[i]);
	free(s.all);
}

/* --- distributions --- */

/* Which share of the flows a statistic leaves below; NAN: it is none of those. */
static double share_below(enum flow_statistic statistic)
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

/* What a claim says of a distribution: so many of the flows of a class have at most so much. */
struct cdf_point {
	enum flow_quantity quantity;
	enum flow_class class;
	double x, share;
};

static int find_cdf_point(const struct claim *c, struct cdf_point *p)
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
	*p = (struct cdf_point){ m.quantity, m.class, c->low, share_below(m.statistic) };
	return !isnan(p->share);
}

/* The curve is of all flows: what is said of small ones is on it where there are no others. */
static int all_are_of(const struct drawing *d, const struct compare_row *row, enum flow_class class)
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

	if (row && selection_has(&d->p->where, drawing_run(d, row)) && find_cdf_point(c, &p) &&
	    p.quantity == drawn && all_are_of(d, row, p.class))
		add_ring(d, row, p.x, p.share);
}

void panel_marks(const struct drawing *d, const struct figure *f)
{
	if (d->p->kind == PANEL_LINES || d->p->kind == PANEL_BARS)
		mark_rows(d, f);
	if (d->p->kind == PANEL_TIME)
		panel_series_marks(d, f);
	for (uint32_t i = 0; d->p->kind == PANEL_CDF && i < f->claim_count; i++)
		mark_cdf(d, &f->claims[i]);
}

void panel_note_marks(struct chart *c)
{
	if (chart_bars(c) < c->line_count)
		text_print(&c->note, "%s%sA ring is what the paper says, or what follows from it.",
			   c->note, c->note[0] ? " " : "");
}
