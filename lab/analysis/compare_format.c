/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_format.c -- formats the columns of a printed table: one unit per column, chosen for its
 * smallest value, and four significant digits per cell. */
#include "lab/analysis/compare_format.h"
#include <math.h>
#include <string.h>

/* Tables show sizes in GB at most. */
#define BYTES_FACTOR_MAX 1e9

static const struct unit_scale *column_scales_of(const struct compare_column *k,
						 enum compare_form form)
{
	const struct unit_scale *scales = unit_scales(k->unit);

	if (!scales->label[0] && form == FORM_NUMBERS && k->info->form == METRIC_PERCENT)
		return unit_scales("%");
	return scales;
}

/* The largest unit in which the smallest value is at least one. */
static struct unit_scale column_choose_scale(const struct comparison *c, uint32_t column,
					     enum compare_form form)
{
	const struct compare_column *k = &c->columns[column];
	const struct unit_scale *s = column_scales_of(k, form);
	double largest = strcmp(k->unit, "bytes") == 0 ? BYTES_FACTOR_MAX : INFINITY;
	double smallest = INFINITY;

	for (uint32_t i = 0; i < c->row_count; i++) {
		double x = fabs(c->rows[i].cells[column].mean);

		if (x > 0 && x < smallest)
			smallest = x;
	}
	while (s[1].label && s[1].factor <= largest && isfinite(smallest) &&
	       smallest >= s[1].factor)
		s++;
	return *s;
}

/* --- texts --- */

/* Decimals for four significant digits. */
static int column_decimals_of(double x)
{
	x = fabs(x);
	return !isfinite(x) || x == floor(x) ? 0
	       : x < 9.9995                  ? 3
	       : x < 99.995                  ? 2
	       : x < 999.95                  ? 1
					     : 0;
}

const char *column_mean(const struct compare_row *row, const struct column_format *l,
			uint32_t column, char *text)
{
	const struct compare_cell *cell = &row->cells[column];
	double x = cell->mean / l->scale.factor;

	if (isnan(x))
		snprintf(text, TEXT_SIZE, "-");
	else
		snprintf(text, TEXT_SIZE, "%.*f%s", column_decimals_of(x), x, cell_mark(row, cell));
	return text;
}

int column_mark_room(const struct compare_row *row, const struct column_format *l, uint32_t column)
{
	return l->is_marked && !*cell_mark(row, &row->cells[column]);
}

static int interval_decimals(double x)
{
	return x == 0 ? 0 : x < 10 ? 2 : x < 100 ? 1 : 0;
}

const char *column_interval(const struct compare_row *row, const struct column_format *l,
			    uint32_t column, char *text)
{
	const struct compare_cell *cell = &row->cells[column];
	double x = cell->half / l->scale.factor;

	text[0] = '\0';
	if (!isnan(x))
		snprintf(text, TEXT_SIZE, "\xc2\xb1%.*f", interval_decimals(x), x);
	else if (cell->low < cell->high)
		snprintf(text, TEXT_SIZE, "%.*f..%.*f", interval_decimals(cell->low), cell->low,
			 interval_decimals(cell->high), cell->high);
	return text;
}

int screen_width(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

void column_format_init(struct column_format *l, const struct comparison *c, uint32_t column,
			enum compare_form form)
{
	char text[TEXT_SIZE];

	memset(l, 0, sizeof(*l));
	l->scale = column_choose_scale(c, column, form);
	l->title = metric_title(c->columns[column].name);
	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct compare_cell *cell = &c->rows[i].cells[column];

		l->shown |= !isnan(cell->mean);
		l->is_marked |= *cell_mark(&c->rows[i], cell) != '\0';
	}
	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		l->mean_width =
			larger(l->mean_width, screen_width(column_mean(row, l, column, text)) +
						      column_mark_room(row, l, column));
		l->half_width =
			larger(l->half_width, screen_width(column_interval(row, l, column, text)));
	}
	for (int i = 0; i < 2; i++)
		l->mean_width =
			larger(l->mean_width, screen_width(l->title.part[i]) -
						      (l->half_width ? l->half_width + 1 : 0));
	l->mean_width = larger(l->mean_width, screen_width(l->scale.label));
	l->width = GAP + l->mean_width + (l->half_width ? l->half_width + 1 : 0);
}
