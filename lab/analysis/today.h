/* SPDX-License-Identifier: BSD-3-Clause */
/* today.h -- are the runs that are there those that a figure asks for today?
 *
 * A figure's files may have changed since its runs were made, or a default that they rely on. A run
 * is of today's scenario where its settings, contents of files included, read by today's program
 * give what the scenario gives now: an option that is new since then and has its default makes no
 * difference. Which build of Weir has made the run is another question. */
#ifndef LAB_ANALYSIS_TODAY_H
#define LAB_ANALYSIS_TODAY_H
#include "lab/analysis/claims.h"
#include "lab/store/store.h"

/* Runs, counted. */
struct today {
	uint64_t wanted;       /* what the scenario asks for */
	uint64_t missing;      /* of these, not there */
	uint64_t strange;      /* there, and the scenario asks for none of them any more */
	uint64_t other_builds; /* there and wanted, but made by another build than this one */
};

/* The scenario's file in that size against the runs of a plan. */
int today_read(struct today *t, const struct figure *f, const char *scenario, enum figure_size size,
	       const struct stored_runs *runs, struct weir_error *e);

/* Can the figure be judged by these runs? All that are wanted are there, and nothing else. */
int today_is_whole(const struct today *t);
#endif
