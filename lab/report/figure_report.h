/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_report.h -- the page of one figure of a paper, from the store of its runs: the panels,
 * drawn as in the paper, and the paper's claims with their verdicts.
 *
 * Functions that return int return 0, or -1 with a message. Running out of memory ends the
 * program. */
#ifndef LAB_REPORT_FIGURE_REPORT_H
#define LAB_REPORT_FIGURE_REPORT_H
#include "lab/report/report.h"
#include "lab/analysis/verdict.h"

struct figure_report {
	const struct figure *figure;
	const char *label;     /* "pred/fig13" */
	const char *scenario;  /* its file */
	enum figure_size size; /* of the runs */
	const struct verdict *verdicts;
	enum figure_place {
		FIGURE_IN_FOLDER, /* a file of weir reproduce, which links to the summary */
		FIGURE_SERVED,    /* by weir view, which does not serve the summary */
	} place;
};

/* Writes the page to a file. Refuses a store without runs. */
int figure_report_write(const struct figure_report *fr, const char *path, struct store *s,
			struct weir_error *e);

/* The same to a stream. On -1 a part may have been written. */
int figure_report_html(const struct figure_report *fr, FILE *out, struct store *s,
		       struct weir_error *e);

/* Compares the planned runs by the metrics and axes of the figure's panels. */
int figure_compare(struct comparison *c, struct store *s, const struct figure *f,
		   struct weir_error *e);

/* Checks before a run that the values of all x axes are numbers. */
int figure_check_axes(const struct figure *f, const struct stored_runs *runs, struct weir_error *e);

/* The place in the paper, "section 6.3.1" or "Appendix D.2"; "": unknown. */
struct claim_text claim_place(const struct claim *c);

/* What precedes the note of a claim with that verdict: an undecided claim is not refuted. */
const char *claim_note_begin(const struct claim *c, enum verdict_kind kind);

/* --- used between the files of this module --- */

/* Fills in r->charts from the runs of r->compare, which has a column for each metric of lines and
 * bars. The part of a chart is the number of its panel. */
int figure_charts(struct report *r, struct store *s, const struct figure *f, struct weir_error *e);

/* figure_claims.c: a paragraph that says whether the figure is reproduced and why not, the section
 * about the paper's claims, and the section about other readings of the paper, if there are any. */
void figure_add_outcome(struct document *d, const struct figure_report *fr);
void figure_add_claims(struct document *d, const struct figure_report *fr);
void figure_add_readings(struct document *d, const struct figure_report *fr);

/* The class of a verdict in the style sheet, which gives it its colour. */
const char *verdict_class(enum verdict_kind kind);

/* "(a) small flows" for a sub-figure; the title alone if the panel's name is a word. Replaces
 * *title. */
void panel_title(const struct panel *p, char **title);
#endif
