/* SPDX-License-Identifier: BSD-3-Clause */
/* today.h -- do the stored runs match the figure's current scenario?
 *
 * A figure's files, or a default they rely on, may have changed since its runs were made. A stored
 * run matches if its settings, contents of files included, as parsed by this build equal those of a
 * run of the current scenario; a newer option at its default makes no difference. Which build made
 * a run is counted separately. */
#ifndef LAB_ANALYSIS_TODAY_H
#define LAB_ANALYSIS_TODAY_H
#include "lab/analysis/claims.h"
#include "lab/store/store.h"

/* Numbers of runs. */
struct figure_freshness {
	uint64_t wanted;       /* runs of the current scenario */
	uint64_t missing;      /* of these, not in the store */
	uint64_t extra;        /* in the store, but not in the current scenario */
	uint64_t other_builds; /* in both, but made by another build */
};

/* Compares the scenario of that size with the runs of a plan. */
int freshness_read(struct figure_freshness *t, const struct figure *f, const char *scenario,
		   enum figure_size size, const struct stored_runs *runs, struct weir_error *e);

/* Can the figure be judged by these runs? 1: none is missing and none is superfluous. */
int freshness_is_complete(const struct figure_freshness *t);
#endif
