/* SPDX-License-Identifier: BSD-3-Clause */
/* planned.h -- the runs of a figure's scenario in the form in which a store returns them, before
 * any has run; and whether the runs of a store match them.
 *
 * Checks of stored runs (lab/analysis/selection.h) therefore also work on planned runs: a figure's
 * claims are checked before hours of simulation.
 *
 * A figure's files, or a default they rely on, may have changed since its runs were made. A stored
 * run matches if its settings, contents of files included, as parsed by this build equal those of a
 * planned run; a newer option at its default makes no difference. Which build made a run is counted
 * separately. */
#ifndef LAB_ANALYSIS_PLANNED_H
#define LAB_ANALYSIS_PLANNED_H
#include "lab/analysis/claims.h"
#include "lab/scenario/sweep.h"
#include "lab/store/store.h"

/* Reads the scenario of a figure and its sweep of that size. On -1 there is nothing to free. */
int figure_scenario(const char *file, enum figure_size size, struct scenario *s, struct sweep *w,
		    struct weir_error *e);

/* Replaces the seeds of the sweep by MORE_SEEDS times as many fresh ones, from MORE_SEEDS_FIRST on,
 * for figures whose claims are undecided. Verdicts by these seeds alone are not biased by the
 * decision to add seeds, which depended on the others; and there is one such set, so nobody can go
 * on until the outcome fits. On -1 the sweep is freed. */
enum { MORE_SEEDS = 4, MORE_SEEDS_FIRST = 101 };
int figure_more_seeds(struct scenario *s, struct sweep *w, struct weir_error *e);

/* Fills in all settings, without results. The caller frees them with stored_runs_free. */
int planned_runs(struct stored_runs *runs, const struct sweep *w, struct scenario *s,
		 struct weir_error *e);

/* The only run of a scenario without a sweep. The caller frees it with stored_run_free, on -1,
 * too. */
int planned_run(struct stored_run *run, const struct scenario *s, struct weir_error *e);

/* --- freshness: stored runs against planned runs --- */

/* Numbers of runs. */
struct figure_freshness {
	uint64_t wanted;       /* runs of the current scenario */
	uint64_t missing;      /* of these, not in the store */
	uint64_t extra;        /* in the store, but not in the current scenario */
	uint64_t other_builds; /* in both, but made by another build */
};

/* Compares the scenario of that size with the runs of a plan. If these have more seeds, so has the
 * scenario that they are compared with. */
int freshness_read(struct figure_freshness *t, const struct figure *f, const char *scenario,
		   enum figure_size size, const struct stored_runs *runs, struct weir_error *e);

/* Can the figure be judged by these runs? 1: none is missing and none is superfluous. */
int freshness_is_complete(const struct figure_freshness *t);
#endif
