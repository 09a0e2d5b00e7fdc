/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_format.c -- formats the columns of a printed table: one unit per column, chosen for its
 * smallest value, and four significant digits per cell. */
#include "lab/analysis/compare_format.h"
#include "weir/units.h"
#include <math.h>
#include <string.h>

static const struct scale times[] = { { 1, "ns" },
				      { WEIR_NS_PER_US, "us" },
				      { WEIR_NS_PER_MS, "ms" },
				      { WEIR_NS_PER_S, "s" },
				      { 0, NULL } };
static const struct scale rates[] = { { 1, "b/s" },    { 1e3, "Kb/s" },  { 1e6, "Mb/s" },
				      { 1e9, "Gb/s" }, { 1e12, "Tb/s" }, { 0, NULL } };
static const struct scale sizes[] = {
	{ 1, "B" }, { 1e3, "KB" }, { 1e6, "MB" }, { 1e9, "GB" }, { 0, NULL }
};
static const struct scale seconds[] = { { 1, "s" }, { 0, NULL } };
static const struct scale packets[] = { { 1, "pkts" }, { 0, NULL } };
static const struct scale fractions[] = { { 0.01, "%" }, { 0, NULL } };
static const struct scale plain[] = { { 1, "" }, { 0, NULL } };

static const struct scale *column_scales_of(const struct compare_column *k, enum compare_form form)
{
	static const struct {
		const char *unit;
		const struct scale *scales;
	} all[] = { { "ns", times },
		    { "bps", rates },
		    { "bytes", sizes },
		    { "s", seconds },
		    { "pkts", packets } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].unit, k->unit) == 0)
			return all[i].scales;
	return form == FORM_NUMBERS && k->info->form == METRIC_PERCENT ? fractions : plain;
}

/* The largest unit in which the smallest value is at least one. */
static struct scale column_choose_scale(const struct comparison *c, uint32_t column,
					enum compare_form form)
{
	const struct scale *s = column_scales_of(&c->columns[column], form);
	double smallest = INFINITY;

	for (uint32_t i = 0; i < c->row_count; i++) {
		double x = fabs(c->rows[i].cells[column].mean);

		if (x > 0 && x < smallest)
			smallest = x;
	}
	while (s[1].unit && isfinite(smallest) && smallest >= s[1].factor)
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
	l->mean_width = larger(l->mean_width, screen_width(l->scale.unit));
	l->width = GAP + l->mean_width + (l->half_width ? l->half_width + 1 : 0);
}
