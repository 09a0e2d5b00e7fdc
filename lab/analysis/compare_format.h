/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_format.h -- format of a printed table's column: unit, title, widths. Private to
 * compare_print.c. */
#ifndef LAB_ANALYSIS_COMPARE_FORMAT_H
#define LAB_ANALYSIS_COMPARE_FORMAT_H
#include "base/text.h"
#include "lab/analysis/compare.h"
#include "lab/store/results.h"

enum { TEXT_SIZE = 64, GAP = 2 };

/* Format of one column. */
struct column_format {
	struct unit_scale scale;
	struct metric_title title;  /* "FCT small", "p99" */
	int mean_width, half_width; /* half_width 0: no intervals */
	int width;                  /* total width */
	int shown;
	int is_marked; /* some cells carry a mark */
};

enum compare_form { FORM_NUMBERS, FORM_RATIOS };

void column_format_init(struct column_format *l, const struct comparison *c, uint32_t column,
			enum compare_form form);

/* "1.234!", or "-" if unknown. Both functions write into text (TEXT_SIZE bytes) and return it. */
const char *column_mean(const struct compare_row *row, const struct column_format *l,
			uint32_t column, char *text);

/* "±0.35"; for ratios both ends, "3.21..64.3", because the interval is asymmetric. */
const char *column_interval(const struct compare_row *row, const struct column_format *l,
			    uint32_t column, char *text);

/* Padding for a cell without a mark in a column that has marks. */
int column_mark_room(const struct compare_row *row, const struct column_format *l, uint32_t column);

/* Columns on a terminal: UTF-8 continuation bytes take none. */
int screen_width(const char *text);

static inline int larger(int a, int b)
{
	return a > b ? a : b;
}
#endif
