/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_report.h -- one figure of a paper as it came out here: its panels drawn the way the paper
 * draws them, and the paper's claims beside them with their verdicts. From the store of its runs.
 *
 * Memory that is missing ends the program. */
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
		FIGURE_IN_FOLDER, /* of weir reproduce: below the summary of all papers */
		FIGURE_SERVED,    /* by weir view: the summary is not */
	} place;
};

/* Reads the store and writes the page. Refuses a store without runs. */
int figure_report_write(const struct figure_report *fr, const char *path, struct store *s,
			struct weir_error *e);

/* The same, to wherever. On -1 nothing, or a part of it, was written. */
int figure_report_html(const struct figure_report *fr, FILE *out, struct store *s,
		       struct weir_error *e);

/* The planned runs side by side, with the metrics and axes of the figure's panels. */
int figure_compare(struct comparison *c, struct store *s, const struct figure *f,
		   struct weir_error *e);

/* Before anything runs: are the values along the x axes numbers? */
int figure_check_axes(const struct figure *f, const struct stored_runs *runs, struct weir_error *e);

/* "section 6.3.1", "Appendix D.2": where the paper says it; "" where that is not known. */
struct claim_text claim_place(const struct claim *c);

/* --- used between the files of this module --- */

/* Fills in r->charts from the runs of r->compare, which has a column for each metric of lines and
 * bars; the part of a chart is the number of its panel. */
int figure_charts(struct report *r, struct store *s, const struct figure *f, struct weir_error *e);

/* The section of the page about what the paper says; in figure_claims.c. */
void figure_claims(FILE *out, const struct figure_report *fr);

/* "(a) small flows" of a sub-figure; the title alone where the name is a word. Replaces *title. */
void panel_title(const struct panel *p, char **title);

/* The word for a verdict, in its colour. */
void verdict_html(FILE *out, enum verdict_kind kind, const char *word);
#endif
