/* SPDX-License-Identifier: BSD-3-Clause */
/* shard.h -- a part of a sweep that is done by itself, wherever that may be: "3/16" is the third of
 * sixteen.
 *
 * Run i of the sweep, counted from 0, belongs to shard i mod 16 + 1, so that every shard has its
 * share of each setting. The folder of a shard has the plan of the whole sweep, and a file that
 * says which shard it is. */
#ifndef LAB_CAMPAIGN_SHARD_H
#define LAB_CAMPAIGN_SHARD_H
#include "weir/error.h"
#include <stdint.h>

enum { SHARDS_MAX = 100000 };

struct shard {
	uint32_t number, count; /* from 1; count 0: no shard, but all of it */
};

/* "3/16" */
int shard_read(struct shard *s, const char *text, struct weir_error *e);

static inline int shard_has(const struct shard *s, uint64_t run)
{
	return s->count == 0 || run % s->count + 1 == s->number;
}

/* How many of so many runs. */
uint64_t shard_runs(const struct shard *s, uint64_t runs);

/* What a folder says that it is, written and read. Reading: count 0 where nothing is said. */
int shard_write(const struct shard *s, const char *folder, struct weir_error *e);
struct shard shard_of_folder(const char *folder);
#endif
