/* SPDX-License-Identifier: BSD-3-Clause */
/* planned.h -- the runs of a sweep as a store would have them, before any of them has run.
 *
 * Who asks of stored runs whether there is one with such settings (lab/analysis/selection.h) can
 * ask of these too: a figure's claims are checked against them before hours are spent. */
#ifndef LAB_ANALYSIS_PLANNED_H
#define LAB_ANALYSIS_PLANNED_H
#include "lab/analysis/claims.h"
#include "lab/scenario/sweep.h"
#include "lab/store/store.h"

/* The scenario of a figure and its sweep in that size. On -1 nothing is left to free. */
int figure_scenario(const char *file, enum figure_size size, struct scenario *s, struct sweep *w,
		    struct weir_error *e);

/* With all settings and without results. The caller frees them (stored_runs_free). */
int planned_runs(struct stored_runs *runs, const struct sweep *w, struct scenario *s,
		 struct weir_error *e);

/* The one run that a scenario without a sweep is. On -1, too, it is still to be freed
 * (stored_run_free). */
int planned_run(struct stored_run *run, const struct scenario *s, struct weir_error *e);
void planned_add_setting(struct stored_run *run, const char *path, const char *text);
#endif
