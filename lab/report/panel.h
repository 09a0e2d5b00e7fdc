/* SPDX-License-Identifier: BSD-3-Clause */
/* panel.h -- a panel of a figure while its charts are made. Private to figure_charts.c,
 * panel_axes.c and panel_marks.c. */
#ifndef LAB_REPORT_PANEL_H
#define LAB_REPORT_PANEL_H
#include "lab/analysis/claims.h"
#include "lab/report/report.h"

enum { NO_AXIS = -1 };

struct drawing {
	struct report *r;
	struct store *s;
	const struct figure *f;
	const struct panel *p;
	uint32_t part;     /* number of the panel */
	char *title;       /* "(a) small flows" */
	int by, x;         /* axes of the comparison */
	double *x_numbers; /* of each value of that axis */
	const char *x_unit;
	const char *only_x;                /* the x of all rows, if lines are drawn as bars */
	int is_bars;                       /* 1: drawn as bars */
	int column;                        /* of the comparison, for lines and bars */
	struct comparison bins;            /* by flow size, for sizes */
	const struct compare_row *current; /* the row whose series are visited */
	char series_unit[32];
};

/* The first run of a row. */
const struct stored_run *drawing_run(const struct drawing *d, const struct compare_row *row);

/* Does the panel show the row? Cases of other readings are left out, unless the panel names one. */
int drawing_has_row(const struct drawing *d, const struct compare_row *row);

/* The name of the row's line. */
const char *drawing_line_name(const struct drawing *d, const struct compare_row *row);

/* The style follows from the value, so that a scheme looks the same in all panels. */
uint32_t drawing_line_style(const struct drawing *d, const struct compare_row *row);

/* The chart that shows the row. */
struct chart *drawing_chart(const struct drawing *d, const struct compare_row *row);

/* The line with that name, which is added if it does not exist. */
struct chart_line *drawing_line(struct chart *c, const char *name);

/* The same for the row's line, in its style. */
struct chart_line *drawing_line_of(const struct drawing *d, struct chart *c,
				   const struct compare_row *row);

/* The only selected row; NULL: there are several, or none. */
const struct compare_row *drawing_only_row(const struct drawing *d, const struct selection *s);

/* The row with the same settings as this one, but of the case that the panel is relative to; NULL:
 * none. */
const struct compare_row *drawing_reference(const struct drawing *d, const struct compare_row *row);

/* Does the panel show the series? */
int panel_has_series(const struct panel *p, const char *series);

/* The name of the line of a row's series, which replaces *name. */
void panel_name_series(const struct drawing *d, const struct compare_row *row, const char *series,
		       char **name);

/* --- panel_marks.c --- */

/* Marks what the figure's claims state about points of the panel. */
void panel_marks(const struct drawing *d, const struct figure *f);

/* Explains the marks below a chart that has any. */
void panel_note_marks(struct chart *c);

/* --- panel_axes.c --- */

/* Gives charts of panels that are compared equal axes. Charts must be complete, in the units of the
 * runs. */
void panels_share_frames(struct chart_list *list, const struct figure *f);

/* Scales and labels an axis: by the panel's label or, if it has none, by `what`, in a unit that
 * suits the largest number. unit: of the numbers. */
void panel_finish_y(struct chart *c, const struct panel *p, const char *what, const char *unit);
void panel_finish_x(struct chart *c, const struct panel *p, const char *what, const char *unit);

/* Labels the x axis of lines over a setting whose values have the unit; only_x: its only value, if
 * the lines are bars. */
void panel_label_lines(struct chart *c, const struct panel *p, const char *only_x,
		       const char *unit);

/* "load" of "traffic.web.load". */
const char *panel_last_part(const char *path);

/* "FCT small p99" for "fct_small_p99_ns". */
struct report_text panel_metric_words(const char *metric, const char *unit);
#endif
