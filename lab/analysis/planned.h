/* SPDX-License-Identifier: BSD-3-Clause */
/* planned.h -- the runs of a sweep in the form in which a store returns them, before any has run.
 *
 * Checks of stored runs (lab/analysis/selection.h) therefore also work on planned runs: a figure's
 * claims are checked before hours of simulation. */
#ifndef LAB_ANALYSIS_PLANNED_H
#define LAB_ANALYSIS_PLANNED_H
#include "lab/analysis/claims.h"
#include "lab/scenario/sweep.h"
#include "lab/store/store.h"

/* Reads the scenario of a figure and its sweep of that size. On -1 there is nothing to free. */
int figure_scenario(const char *file, enum figure_size size, struct scenario *s, struct sweep *w,
		    struct weir_error *e);

/* Fills in all settings, without results. The caller frees them with stored_runs_free. */
int planned_runs(struct stored_runs *runs, const struct sweep *w, struct scenario *s,
		 struct weir_error *e);

/* The only run of a scenario without a sweep. The caller frees it with stored_run_free, on -1,
 * too. */
int planned_run(struct stored_run *run, const struct scenario *s, struct weir_error *e);
void planned_add_setting(struct stored_run *run, const char *path, const char *text);
#endif
