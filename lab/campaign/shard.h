/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.h -- shards: parts of a sweep that are done separately, on any machine; and merging their
 * folders into one. "3/16" is the third of sixteen shards.
 *
 * Run i of the sweep, counted from 0, belongs to shard i mod 16 + 1, so that the settings are
 * spread evenly. The folder of a shard has the plan of the whole sweep and a file that says which
 * shard it is. */
#ifndef LAB_CAMPAIGN_SHARD_H
#define LAB_CAMPAIGN_SHARD_H
#include "lab/store/store.h"
#include "weir/error.h"
#include <stdint.h>

enum { SHARDS_MAX = 100000 };

struct shard {
	uint32_t number, count; /* number: from 1; count 0: not a shard but the whole sweep */
};

/* Parses "3/16". */
int shard_read(struct shard *s, const char *text, struct weir_error *e);

static inline int shard_has(const struct shard *s, uint64_t run)
{
	return s->count == 0 || run % s->count + 1 == s->number;
}

/* Number of the shard's runs in a sweep of that many. */
uint64_t shard_runs(const struct shard *s, uint64_t runs);

/* Writes the file that says which shard a folder is. */
int shard_write(const struct shard *s, const char *folder, struct weir_error *e);

/* 1: the folder has a store of results. */
int shard_has_store(const char *folder);

/* --- merging the folders of one sweep's shards ---
 *
 * All folders must hold the plan of the same sweep, made by the same program; run numbers identify
 * runs. A run that several folders have must be identical in all of them (store_run_digest). All
 * folders are checked before anything is written. */

struct merge {
	/* Set by the caller. */
	uint32_t folder_count;
	const char *const *folders;
	const char *out; /* may exist and have runs of the same sweep */
	/* Results. */
	uint64_t planned;     /* runs of the sweep */
	uint64_t before;      /* runs that `out` had before */
	uint64_t added;       /* runs that were added to it */
	uint64_t again;       /* identical duplicates */
	uint64_t missing;     /* runs that no folder has */
	uint32_t shard_count; /* number of shards; 0: unknown, or the folders disagree */
	uint64_t *lacking;    /* [shard - 1]: how many of its runs no folder has */
};

/* On -1 `out` is unchanged or, if the disk was full, has some complete runs more. merge_free is
 * needed in either case. */
int merge_folders(struct merge *m, struct weir_error *e);
void merge_free(struct merge *m);
#endif
