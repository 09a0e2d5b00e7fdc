/* panel_marks.c -- the paper's own numbers in its panels, as rings: of every claim that says a number of one
 * point, bar or series. What follows from such numbers is drawn, too: "PRED takes 0.2 of CoDel's time" is 5 for
 * CoDel in a panel that is relative to PRED, and so is what two times have to each other. A claim with a range is
 * no number: most ranges are how "slightly better" was read. */
#include "lab/papers/panel_drawing.h"
#include "sim/base/memory.h"
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

/* Those claims that say a number of the panel's metric. With best it is said of an unknown point. */
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

/* Beside the line of the row, at its x. */
static void mark_line(const struct drawing *d, const struct compare_row *row, double said)
{
	char *name = NULL;
	struct chart_line *l;

	text_print(&name, "%s, the paper", drawing_line_name(d, row));
	l = drawing_line(drawing_chart(d, row), name);
	l->style = drawing_line_style(d, row);
	l->is_marks = 1;
	chart_point_add(l, d->x_numbers[row->value[d->x]] * d->p->x_scale, said);
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
		mark_line(d, row, said);
}

/* All that claims say of the row, which may contradict each other; or else what follows from them. */
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

void panel_marks(const struct drawing *d, const struct figure *f)
{
	if (d->p->kind == PANEL_LINES || d->p->kind == PANEL_BARS)
		mark_rows(d, f);
	if (d->p->kind == PANEL_TIME)
		panel_series_marks(d, f);
}

void panel_note_marks(struct chart *c)
{
	if (chart_bars(c) < c->line_count)
		text_print(&c->note, "%s%sA ring is what the paper says, or what follows from it.",
			   c->note, c->note[0] ? " " : "");
}
