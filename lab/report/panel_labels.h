/* SPDX-License-Identifier: BSD-3-Clause */
/* panel_labels.h -- units and labels of the axes of a panel. Private to this room. */
#ifndef LAB_REPORT_PANEL_LABELS_H
#define LAB_REPORT_PANEL_LABELS_H
#include "lab/analysis/claims.h"
#include "lab/report/report.h"

/* Scales and names the y axis: as the panel says, or else by what. */
void panel_finish_y(struct chart *c, const struct panel *p, const char *what, const char *unit);

/* The same for the x axis, in a unit that suits the largest number. */
void panel_finish_x(struct chart *c, const struct panel *p, const char *what, const char *unit);

/* The x axis of lines over a setting, whose values have that unit; only_x: where they are bars, its
 * one value. */
void panel_label_lines(struct chart *c, const struct panel *p, const char *only_x,
		       const char *unit);

/* "load" of "traffic.web.load". */
const char *panel_last_part(const char *path);

/* "fct_small_p99_ns" as "FCT small p99". */
struct report_text panel_metric_words(const char *metric, const char *unit);
#endif
