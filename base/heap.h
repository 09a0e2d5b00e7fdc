/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.h -- a 4-ary min-heap of timers, ordered by (time, key). The key breaks ties, so the order
 * does not depend on that of insertion. Push, pop and replace are O(log n). Not thread-safe. */
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

/* Compares both numbers as one of 128 bits, without a branch. Times are not negative. */
static inline int heap_before(struct heap_entry a, struct heap_entry b)
{
	return ((weir_u128)(uint64_t)a.time_ps << 64 | a.key) <
	       ((weir_u128)(uint64_t)b.time_ps << 64 | b.key);
}

void heap_push(struct heap *h, int64_t time_ps, uint64_t key);
struct heap_entry heap_pop(struct heap *h);                       /* not if empty */
void heap_replace(struct heap *h, int64_t time_ps, uint64_t key); /* pop, then push */

/* Empties the heap and makes heap_first_ps valid. */
void heap_clear(struct heap *h);

/* Time of the first entry; INT64_MAX: the heap is empty. Not before heap_clear or heap_push. */
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
