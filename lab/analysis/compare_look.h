/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_look.h -- how a column of a printed table looks: its unit, title and widths. Private to
 * this room. */
#ifndef LAB_ANALYSIS_COMPARE_LOOK_H
#define LAB_ANALYSIS_COMPARE_LOOK_H
#include "lab/analysis/compare.h"
#include "lab/store/results.h"

enum { TEXT_SIZE = 64, GAP = 2 };

struct scale {
	double factor;
	const char *unit;
};

/* How a column is shown. */
struct look {
	struct scale scale;
	struct metric_title title;  /* "FCT small", "p99" */
	int mean_width, half_width; /* half 0: there is none */
	int width;                  /* of all of it */
	int shown;
	int is_marked; /* some of its numbers are not what they seem */
};

enum compare_form { FORM_NUMBERS, FORM_RATIOS };

void look_make(struct look *l, const struct comparison *c, uint32_t column, enum compare_form form);

/* "1.234!"; "-": unknown. Both return text, of TEXT_SIZE bytes. */
const char *look_mean(const struct compare_row *row, const struct look *l, uint32_t column,
		      char *text);

/* "±0.35"; of a ratio both ends, "3.21..64.3", as it is longer on one side. */
const char *look_interval(const struct compare_row *row, const struct look *l, uint32_t column,
			  char *text);

/* Room for the mark that other numbers of the column have, but this one has not. */
int look_mark_room(const struct compare_row *row, const struct look *l, uint32_t column);

/* Columns on a screen: UTF-8 has bytes that take none. */
int screen_width(const char *text);

static inline int larger(int a, int b)
{
	return a > b ? a : b;
}
#endif
