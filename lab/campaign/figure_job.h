/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_job.h -- a figure of a paper, ready to run: its claims, and its scenario and sweep in one
 * size, checked against each other; and the pages that are written after it has run. */
#ifndef LAB_CAMPAIGN_FIGURE_JOB_H
#define LAB_CAMPAIGN_FIGURE_JOB_H
#include "lab/analysis/planned.h"
#include "lab/report/reproduce.h"

struct figure_job {
	struct figure figure;
	struct scenario scenario;
	struct sweep sweep;
};

/* Checks both sizes, so that a mistake in either is found before hours of simulation. On -1 there
 * is nothing to free. */
int figure_job_read(struct figure_job *j, const struct figure_files *f, enum figure_size size,
		    struct weir_error *e);
void figure_job_free(struct figure_job *j);

/* Writes the page of a figure into its result folder, and the page of all papers into `out`, which
 * is created if missing. *path: where the page is, freed by the caller. On -1 there is none. */
int figure_page_write(const struct figure_report *fr, const char *folder, char **path,
		      struct weir_error *e);
int summary_page_write(const struct summary *y, const char *out, char **path, struct weir_error *e);

/* Writes the summary as a Markdown document. */
int summary_document_write(const struct summary *y, const char *path, struct weir_error *e);
#endif
