/* SPDX-License-Identifier: BSD-3-Clause */
/* figure_job.c -- prepares a figure of a paper to be run, and writes the pages of finished ones. */
#include "lab/campaign/figure_job.h"
#include "base/output.h"
#include "base/text.h"
#include <stdlib.h>

void figure_job_free(struct figure_job *j)
{
	sweep_free(&j->sweep);
	scenario_free(&j->scenario);
	figure_free(&j->figure);
}

/* Checks that the claims will find their runs and the panels their axes. */
static int figure_job_check(struct figure_job *j, enum figure_size size, struct weir_error *e)
{
	struct stored_runs runs;
	int failed;

	if (planned_runs(&runs, &j->sweep, &j->scenario, e))
		return -1;
	failed =
		figure_check(&j->figure, &runs, size, e) || figure_check_axes(&j->figure, &runs, e);
	stored_runs_free(&runs);
	return failed ? -1 : 0;
}

static int figure_job_read_size(struct figure_job *j, const struct figure_files *f,
				enum figure_size size, struct weir_error *e)
{
	if (figure_read(&j->figure, f->claims, e))
		return -1;
	if (figure_scenario(f->scenario, size, &j->scenario, &j->sweep, e)) {
		figure_free(&j->figure);
		return -1;
	}
	/* Flow records are most of a run's data, so they are not stored if the figure reads
	 * none. */
	if ((!figure_reads_flows(&j->figure) &&
	     scenario_set(&j->scenario, "measure.flows=none", e)) ||
	    figure_job_check(j, size, e)) {
		figure_job_free(j);
		return -1;
	}
	return 0;
}

int figure_job_read(struct figure_job *j, const struct figure_files *f, enum figure_size size,
		    struct weir_error *e)
{
	if (figure_job_read_size(j, f, size == FIGURE_QUICK ? FIGURE_FULL : FIGURE_QUICK, e))
		return -1;
	figure_job_free(j);
	return figure_job_read_size(j, f, size, e);
}

/* --- pages --- */

int figure_page_write(const struct figure_report *fr, const char *folder, char **path,
		      struct weir_error *e)
{
	struct store *store;
	int failed;

	if (store_open(&store, folder, STORE_READ, e))
		return -1;
	*path = NULL;
	text_print(path, "%s/" FIGURE_PAGE, folder);
	failed = figure_report_write(fr, *path, store, e);
	store_close(store);
	if (failed)
		free(*path);
	return failed;
}

static int summary_write(const struct summary *y, const char *path,
			 void (*write)(FILE *, const struct summary *), struct weir_error *e)
{
	struct output o;

	if (output_open(&o, path, e))
		return -1;
	write(o.stream, y);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

int summary_page_write(const struct summary *y, const char *out, char **path, struct weir_error *e)
{
	*path = NULL;
	text_print(path, "%s/" SUMMARY_PAGE, out);
	if (output_folder(out, e) >= 0 && summary_write(y, *path, summary_html, e) == 0)
		return 0;
	free(*path);
	return -1;
}

int summary_document_write(const struct summary *y, const char *path, struct weir_error *e)
{
	return summary_write(y, path, summary_markdown, e);
}
