/* panel_marks.c -- the paper's own numbers in its panels: of every claim that says a number of one point. */
#include "lab/papers/panel_drawing.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Is the claim about a point of the panel, and what it says a number? */
static int is_marked(const struct drawing *d, const struct claim *c)
{
	return (d->p->kind == PANEL_LINES || d->p->kind == PANEL_BARS) && !c->is_series &&
	       strcmp(c->metric, d->p->y[0]) == 0 && isfinite(c->low) && !(c->low < c->high) &&
	       c->of.count > 0 && (c->over.count > 0) == (d->p->normalize != NULL);
}

/* The only row that the claim is about, of those that the panel draws; NULL: it is about several, or it is
 * relative to another than the panel. */
static const struct compare_row *marked_row(const struct drawing *d, const struct claim *c)
{
	const struct comparison *all = &d->r->compare;
	const struct compare_row *found = NULL, *reference;

	for (uint32_t i = 0; i < all->row_count; i++) {
		const struct stored_run *run = drawing_run(d, &all->rows[i]);

		if (!selection_has(&c->of, run) || !selection_has(&d->p->where, run))
			continue;
		if (found)
			return NULL;
		found = &all->rows[i];
	}
	reference = found && d->p->normalize ? drawing_reference(d, found) : found;
	if (d->p->normalize && reference && !selection_has(&c->over, drawing_run(d, reference)))
		return NULL;
	return reference ? found : NULL;
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

void panel_marks(const struct drawing *d, const struct figure *f)
{
	for (uint32_t i = 0; i < f->claim_count; i++) {
		const struct compare_row *row =
			is_marked(d, &f->claims[i]) ? marked_row(d, &f->claims[i]) : NULL;

		if (row && d->p->kind == PANEL_BARS)
			mark_bar(d, row, f->claims[i].low);
		else if (row && d->x != NO_AXIS)
			mark_line(d, row, f->claims[i].low);
	}
}
