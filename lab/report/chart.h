/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.h -- charts as data: what a report shows, drawn by a browser or written as SVG.
 *
 * The report fills in charts; chart_svg writes one for a paper, and the HTML report hands the same
 * numbers to the browser. Texts are copied. Memory that is missing ends the program. */
#ifndef LAB_REPORT_CHART_H
#define LAB_REPORT_CHART_H
#include "base/text.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum chart_kind {
	CHART_CURVES, /* straight from point to point */
	CHART_STEPS,  /* a value holds until the next point: queues, distributions */
	CHART_MEANS,  /* few points, each with a mark and the range low..high */
	/* A bar a line, at its only point; x does not matter. Of a line of marks x is the number of
	   the bar. */
	CHART_BARS,
};

struct chart_point {
	double x, y;
	double low, high; /* the interval around y; NAN: none */
};

struct chart_line {
	char *name;
	uint32_t style; /* which dashes, marks and colour; its place in the chart unless changed */
	int is_marks;   /* 1: points that no line joins, with a ring: what somebody else measured */
	int is_muted;   /* 1: grey and without marks, behind those that matter */
	uint64_t count, room;
	struct chart_point *points; /* in the order of x */
};

/* The smallest and largest x and y of something. */
struct chart_extent {
	double x_min, x_max, y_min, y_max;
};

/* Charts of one title that differ in their variant are shown in one place, one at a time. */
struct chart {
	char *id;                /* of the title: fit for a file name and an HTML id */
	char *title;             /* "Queue leaf0->h3" */
	char *variant;           /* "traffic.web.load = 0.8"; "": the only one */
	char *note;              /* a sentence below the chart; "": none */
	char *x_label, *y_label; /* with the unit: "time (ms)" */
	enum chart_kind kind;
	int log_x, log_y;
	uint32_t part; /* the owner's: which part of a report it belongs to */
	int is_framed; /* 1: it is compared with others, and its axes reach as far as this at least
			*/
	struct chart_extent frame;
	uint32_t line_count;
	struct chart_line *lines;
};

struct chart_list {
	uint32_t count;
	struct chart *all;
};

/* An empty chart at the end of the list, valid until the next is added. Labels and kind are the
 * caller's to fill in by text_print and assignment. */
struct chart *chart_add(struct chart_list *list, const char *title, const char *variant);
void chart_list_free(struct chart_list *list);

/* Takes it out; those behind it move up. */
void chart_remove(struct chart_list *list, uint32_t at);

/* Replaces a text of the chart. */

struct chart_line *chart_line_add(struct chart *c, const char *name);
void chart_point_add(struct chart_line *l, double x, double y);

/* A line that looks the same when drawn in so many columns: of the points in each column the first,
 * the last, the lowest and the highest stay, so a peak of one sample is never lost (M4: Jugel et
 * al., VLDB 2014). Columns are equally wide in x, or in log x. */
void chart_line_reduce(struct chart_line *l, uint32_t columns, int log_x);

/* The distribution of the values as steps: at each value that occurs, the share of values that are
 * no larger. Sorts the values. */
void chart_line_cdf(struct chart_line *l, double *values, uint64_t count);

/* The same seen from the other end: at each value that occurs, the share of values that are larger,
 * where there are any: the complement, whose tail a logarithmic axis shows. */
void chart_line_tail(struct chart_line *l, double *values, uint64_t count);

/* Every x and y of the chart divided by the factors, intervals too. */
void chart_scale(struct chart *c, double x_factor, double y_factor);

/* What is drawn, and the frame. Intervals belong to it as far as they do not reach
 * below zero where no y does, or above twice the largest y: a wide interval must not flatten
 * the lines. 0: nothing is drawn. */
int chart_extent(const struct chart *c, struct chart_extent *extent);

void chart_extent_join(struct chart_extent *extent, const struct chart_extent *other);

/* How many of its lines are bars. */
uint32_t chart_bars(const struct chart *c);

/* --- SVG, in chart_svg.c --- */

/* By the style of a line, in turn; dark enough for white paper. */
enum { CHART_COLOURS = 7 };
extern const char *const chart_colours[CHART_COLOURS];

/* A whole SVG file. Lines differ in dashes and marks as well as in colour. */
void chart_svg(FILE *f, const struct chart *c);

/* --- used between the files of this module --- */

enum { TICKS_MAX = 32 };

struct ticks {
	uint32_t count;
	double at[TICKS_MAX];
};

/* Round numbers inside min..max: about wanted of them, or for a log axis powers of ten, with 2 and
 * 5 between where there are few powers. */
void ticks_linear(struct ticks *t, double min, double max, uint32_t wanted);
void ticks_log(struct ticks *t, double min, double max);
#endif
