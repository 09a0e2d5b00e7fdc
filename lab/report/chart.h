/* SPDX-License-Identifier: BSD-3-Clause */
/* chart.h -- charts as data, and their only drawing: as an SVG file for a paper, and as the same
 * SVG inside a page. Reports and figures fill in charts; units are in the labels of the axes.
 *
 * A chart belongs to its list. Texts are copied. Running out of memory ends the program. */
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
	CHART_BARS,   /* each line is a bar, with one point whose x is ignored; in a line of marks x
			 is the number of the bar */
};

struct chart_point {
	double x, y;
	double low, high; /* the interval around y; NAN: none */
};

struct chart_line {
	char *name;
	uint32_t style; /* selects dashes, marks and colour; default: the line's number */
	int is_marks;   /* 1: unconnected points with a ring: values of a paper */
	int is_muted;   /* 1: grey and without marks */
	uint64_t count, room;
	struct chart_point *points; /* sorted by x */
};

struct chart_extent {
	double x_min, x_max, y_min, y_max;
};

/* A page shows charts with the same title in one place, one variant at a time. */
struct chart {
	char *id;                /* from the title; valid as a file name and as an HTML id */
	char *title;             /* "Queue leaf0->h3" */
	char *variant;           /* "traffic.web.load = 0.8"; "": the only variant */
	char *note;              /* a sentence below the chart; "": none */
	char *x_label, *y_label; /* with the unit: "time (ms)" */
	enum chart_kind kind;
	int log_x, log_y;
	uint32_t part; /* part of the report or panel of the figure; set by the owner */
	int is_share;  /* 1: y is a share; its axis ends at 1 */
	int is_framed; /* 1: the axes cover at least `frame`, for comparison with other charts */
	struct chart_extent frame;
	uint32_t line_count;
	struct chart_line *lines;
};

struct chart_list {
	uint32_t count;
	struct chart *all;
};

/* Appends an empty chart, which is valid until the next is added. The caller sets labels (by
 * text_print) and kind. */
struct chart *chart_add(struct chart_list *list, const char *title, const char *variant);
void chart_list_free(struct chart_list *list);

void chart_remove(struct chart_list *list, uint32_t at);

struct chart_line *chart_line_add(struct chart *c, const char *name);
void chart_point_add(struct chart_line *l, double x, double y);
void chart_interval_add(struct chart_line *l, double x, double y, double low, double high);

/* Appends a sentence to the note of the chart. */
void chart_note_add(struct chart *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reduces a line to what is visible in that many columns: the first, last, lowest and highest point
 * of each column stay, so that a peak of one sample is never lost (M4: Jugel et al., VLDB 2014).
 * Columns are equally wide in x, or in log x. O(points). */
void chart_line_reduce(struct chart_line *l, uint32_t columns, int log_x);

/* Appends the cumulative distribution of the values: at each distinct value the share of values
 * that are not larger. Sorts the values. */
void chart_line_cdf(struct chart_line *l, double *values, uint64_t count);

/* Appends the complementary distribution: at each distinct value except the largest the share of
 * values that are larger. Sorts the values. */
void chart_line_tail(struct chart_line *l, double *values, uint64_t count);

/* Divides every x and y of the chart, its intervals and its frame by the factors. */
void chart_scale(struct chart *c, double x_factor, double y_factor);

/* The range of all points that can be drawn, and of the frame. Intervals count only down to zero,
 * if no y is negative, and up to twice the largest y, because a wide interval must not flatten the
 * lines. 0: the chart has no such point. */
int chart_extent(const struct chart *c, struct chart_extent *extent);

void chart_extent_join(struct chart_extent *extent, const struct chart_extent *other);

/* Number of lines that are bars; lines of marks follow them. */
uint32_t chart_bars(const struct chart *c);

/* --- chart_svg.c --- */

/* Colours by style, dark enough for white paper. report.css replaces them on a screen. */
enum { CHART_COLOURS = 7 };
extern const char *const chart_colours[CHART_COLOURS];

/* Writes a whole SVG file. */
void chart_svg(FILE *f, const struct chart *c);

/* --- chart_html.c --- */

/* Writes one place of a page, for all charts with part and title of list->all[first]. */
void chart_write_html(FILE *f, const struct chart_list *list, uint32_t first);

/* Writes the legend, the plot and the note of one chart. */
void chart_write_variant(FILE *f, const struct chart *c);

/* --- used between the files of this module --- */

/* Elements of a page: the plot without a legend, and what a legend shows beside a name. */
void chart_svg_plot(FILE *f, const struct chart *c);
void chart_svg_sample(FILE *f, const struct chart *c, uint32_t line);

/* Do the names of all bars fit below them? Otherwise the bars are numbered. */
int chart_svg_names_fit(const struct chart *c);

enum { TICKS_MAX = 32 };

struct ticks {
	uint32_t count;
	double at[TICKS_MAX];
};

/* Round numbers within min..max: about as many as wanted; on a logarithmic axis powers of ten, and
 * twice and five times those if there are few. */
void ticks_linear(struct ticks *t, double min, double max, uint32_t wanted);
void ticks_log(struct ticks *t, double min, double max);
#endif
