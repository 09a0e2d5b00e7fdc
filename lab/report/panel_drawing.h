/* SPDX-License-Identifier: BSD-3-Clause */
/* panel_drawing.h -- a panel while its charts are made. Private to this room. */
#ifndef LAB_REPORT_PANEL_DRAWING_H
#define LAB_REPORT_PANEL_DRAWING_H
#include "lab/analysis/claims.h"
#include "lab/report/report.h"

enum { NO_AXIS = -1 };

/* One panel while its charts are made. */
struct drawing {
	struct report *r;
	struct store *s;
	const struct panel *p;
	uint32_t part;     /* number of the panel */
	char *title;       /* "(a) small flows" */
	int by, x;         /* axes of the comparison */
	double *x_numbers; /* of each value of that axis */
	const char *x_unit;
	const char *only_x;                /* of all rows, where is_bars is of lines */
	int is_bars;                       /* 1: bars, also where all lines have one x */
	int column;                        /* of the comparison, for lines and bars */
	struct comparison bins;            /* for sizes */
	const struct compare_row *current; /* while its series are visited */
	const char *series_unit;
	char unit_text[32]; /* what series_unit points to */
};

/* The first run of a row. */
const struct stored_run *drawing_run(const struct drawing *d, const struct compare_row *row);

/* The name of the line that a row belongs to. */
const char *drawing_line_name(const struct drawing *d, const struct compare_row *row);

/* Colours and marks go by the value, so that a scheme looks the same in all panels. */
uint32_t drawing_line_style(const struct drawing *d, const struct compare_row *row);

/* Where the row is drawn. */
struct chart *drawing_chart(const struct drawing *d, const struct compare_row *row);

/* The line of that name, a new one where there is none yet. */
struct chart_line *drawing_line(struct chart *c, const char *name);

/* The same for a row's line, in its style. */
struct chart_line *drawing_line_of(const struct drawing *d, struct chart *c,
				   const struct compare_row *row);

/* The only row of the comparison that is selected; NULL: there are several, or none. */
const struct compare_row *drawing_only_row(const struct drawing *d, const struct selection *s);

/* The row that is like this one, but of the case that all are relative to. */
const struct compare_row *drawing_reference(const struct drawing *d, const struct compare_row *row);

/* Axes of panels that are compared reach equally far; for charts that are whole, in the units of
 * the runs. */
void panels_share(struct chart_list *list, const struct figure *f);

/* What the claims of the figure say of points of the panel, as marks. */
void panel_marks(const struct drawing *d, const struct figure *f);

/* Says below a chart with marks what they are. */
void panel_note_marks(struct chart *c);

/* --- panels over time, in panel_series.c --- */

/* Adds the lines of a row. */
int panel_series(struct drawing *d, const struct compare_row *row, struct weir_error *e);
void panel_finish_time(const struct drawing *d, struct chart *c);
void panel_series_marks(const struct drawing *d, const struct figure *f);
#endif
