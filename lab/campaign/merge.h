/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.h -- the folders of one sweep's shards become one.
 *
 * All of them hold the plan of the same sweep, made by the same program; the number of a run tells
 * which is which. Runs that several folders have must be the same (store_run_digest). All of this
 * is looked at before anything is written. */
#ifndef LAB_CAMPAIGN_MERGE_H
#define LAB_CAMPAIGN_MERGE_H
#include "lab/campaign/shard.h"
#include "lab/store/store.h"

struct merge {
	/* The caller's. */
	uint32_t folder_count;
	const char *const *folders;
	const char *out; /* may be there, with runs of the same sweep */
	/* Found out. */
	uint64_t planned; /* runs of the sweep */
	uint64_t before;  /* that were in out */
	uint64_t added;   /* that were not */
	uint64_t again;   /* found in further folders, and the same */
	uint64_t missing; /* that nobody has */
	uint32_t
		shard_count; /* into how many the sweep was divided; 0: nobody says, or not alike */
	uint64_t *lacking;   /* by shard, from 0: how many runs nobody has */
};

/* On -1 out has nothing new, or, where the disk would not take all, whole runs. Free it in any
 * case. */
int merge_folders(struct merge *m, struct weir_error *e);
void merge_free(struct merge *m);
#endif
