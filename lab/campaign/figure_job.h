/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_job.h -- a figure of a paper that is ready to run: its claims, and its scenario and sweep
 * in one size, checked against each other; and the pages that are written when it has run. */
#ifndef LAB_CAMPAIGN_FIGURE_JOB_H
#define LAB_CAMPAIGN_FIGURE_JOB_H
#include "lab/analysis/planned.h"
#include "lab/report/reproduce.h"

struct figure_job {
	struct figure figure;
	struct scenario scenario;
	struct sweep sweep;
};

/* A mistake in either size is found before hours of the other have passed. On -1 nothing is left to
 * free. */
int figure_job_read(struct figure_job *j, const struct figure_files *f, enum figure_size size,
		    struct weir_error *e);
void figure_job_free(struct figure_job *j);

/* Pages: of a figure in its folder of results, and of all papers in OUT, which is made where it is
 * missing. *path, the caller's to free, says where the page is. On -1 there is none. */
int figure_page_write(const struct figure_report *fr, const char *folder, char **path,
		      struct weir_error *e);
int summary_page_write(const struct summary *y, const char *out, char **path, struct weir_error *e);

/* The summary as a document. */
int summary_document_write(const struct summary *y, const char *path, struct weir_error *e);
#endif
