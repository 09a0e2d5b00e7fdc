/* SPDX-License-Identifier: BSD-3-Clause */
/* needs.h -- what the runs of a sweep will take, by sim/measure/estimate.h: for whoever asks a
 * cluster for it. */
#ifndef LAB_CAMPAIGN_NEEDS_H
#define LAB_CAMPAIGN_NEEDS_H
#include "lab/campaign/shard.h"
#include "lab/scenario/sweep.h"

struct needs {
	double memory_bytes; /* of the run that takes most */
	double total_s, longest_s;
	double *run_s; /* by run, of one core */
};

/* Builds each combination once, for all of its seeds. On -1 nothing is left to free. */
int needs_find(struct needs *n, const struct sweep *w, struct scenario *s, struct weir_error *e);
void needs_free(struct needs *n);

/* Into how many shards: of about ten minutes each, but enough of them to be done side by side. */
uint32_t needs_shards(const struct needs *n, uint64_t runs);

/* What to ask for, for each of the shards with so many runs at a time: with room to be wrong by,
 * since an estimate is of a machine that nobody knows. */
struct needs_asked {
	uint64_t memory_mb, minutes;
};
struct needs_asked needs_asked(const struct needs *n, uint64_t runs, uint32_t shards,
			       uint32_t jobs);
#endif
