/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.h -- a part of a sweep that is done by itself, on any machine, and how the folders of all
 * parts become one. "3/16" is the third of sixteen.
 *
 * Run i of the sweep, counted from 0, belongs to shard i mod 16 + 1, so that every shard has its
 * share of each setting. The folder of a shard has the plan of the whole sweep, and a file that
 * says which shard it is. */
#ifndef LAB_CAMPAIGN_SHARD_H
#define LAB_CAMPAIGN_SHARD_H
#include "lab/store/store.h"
#include "weir/error.h"
#include <stdint.h>

enum { SHARDS_MAX = 100000 };

struct shard {
	uint32_t number, count; /* from 1; count 0: no shard, but all of it */
};

/* Reads "3/16". */
int shard_read(struct shard *s, const char *text, struct weir_error *e);

static inline int shard_has(const struct shard *s, uint64_t run)
{
	return s->count == 0 || run % s->count + 1 == s->number;
}

/* How many of so many runs. */
uint64_t shard_runs(const struct shard *s, uint64_t runs);

/* The file in a folder that says which shard it is. Reading: count 0 where there is none. */
int shard_write(const struct shard *s, const char *folder, struct weir_error *e);
struct shard shard_of_folder(const char *folder);

/* 1: the folder has a store of results. */
int shard_has_store(const char *folder);

/* --- the folders of one sweep's shards become one ---
 *
 * All of them hold the plan of the same sweep, made by the same program; the number of a run tells
 * which is which. Runs that several folders have must be the same (store_run_digest). All folders
 * are checked before anything is written. */

struct merge {
	/* The caller's. */
	uint32_t folder_count;
	const char *const *folders;
	const char *out; /* may be there, with runs of the same sweep */
	/* Results. */
	uint64_t planned;     /* runs of the sweep */
	uint64_t before;      /* that were in out */
	uint64_t added;       /* that were not */
	uint64_t again;       /* found in further folders, and the same */
	uint64_t missing;     /* that no folder has */
	uint32_t shard_count; /* into how many the sweep was divided; 0: unknown, or folders differ
			       */
	uint64_t *lacking;    /* by shard, from 0: how many runs no folder has */
};

/* On -1 out has nothing new, or, where the disk would not take all, whole runs. Free it in any
 * case. */
int merge_folders(struct merge *m, struct weir_error *e);
void merge_free(struct merge *m);
#endif
