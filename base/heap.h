/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.h -- a small 4-ary heap of timers, ordered by (time, key): never by who came first. */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H
#include "weir/compiler.h"
#include <stdint.h>
#include <stdlib.h>

struct heap_entry {
	int64_t time_ps;
	uint64_t key;
};

struct heap {
	struct heap_entry *entries;
	uint32_t count, capacity;
};

/* Both numbers as one, which needs no branch; no time is negative. */
static inline int heap_before(struct heap_entry a, struct heap_entry b)
{
	return ((weir_u128)(uint64_t)a.time_ps << 64 | a.key) <
	       ((weir_u128)(uint64_t)b.time_ps << 64 | b.key);
}

void heap_push(struct heap *h, int64_t time_ps, uint64_t key);
struct heap_entry heap_pop(struct heap *h);                       /* the heap is not empty */
void heap_replace(struct heap *h, int64_t time_ps, uint64_t key); /* the first entry, by another */

/* Empty; from now on heap_first_ps may be asked. */
void heap_clear(struct heap *h);

/* When the first entry is due; INT64_MAX: there is none. */
static inline int64_t heap_first_ps(const struct heap *h)
{
	return h->entries[0].time_ps;
}

static inline void heap_free(struct heap *h)
{
	free(h->entries);
	*h = (struct heap){ 0 };
}
#endif
