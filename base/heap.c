/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c -- see heap.h. Grows by doubling and never shrinks: a host's timers are few. */
#include "base/compiler.h"
#include "base/heap.h"
#include "base/memory.h"

static void grow(struct heap *h)
{
	h->capacity = h->capacity ? h->capacity * 2 : 4;
	h->entries = memory_grow(h->entries, h->capacity, sizeof(*h->entries));
}

void heap_push(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };

	if (h->count == h->capacity)
		grow(h);

	uint32_t i = h->count++;

	while (i > 0) {
		uint32_t parent = (i - 1) / 4;

		if (!heap_before(entry, h->entries[parent]))
			break;
		h->entries[i] = h->entries[parent];
		i = parent;
	}
	h->entries[i] = entry;
}

struct heap_entry heap_pop(struct heap *h)
{
	struct heap_entry top = h->entries[0], last = h->entries[--h->count];

	if (h->count)
		heap_replace(h, last.time_ps, last.key);
	else
		h->entries[0].time_ps = INT64_MAX;
	return top;
}

void heap_clear(struct heap *h)
{
	if (!h->capacity)
		grow(h);
	h->count = 0;
	h->entries[0].time_ps = INT64_MAX;
}

static inline struct heap_entry *first_of(struct heap_entry *a, struct heap_entry *b)
{
	return heap_before(*b, *a) ? b : a;
}

/* The entry goes to a place whose children, fewer than four, begin at child and have none. */
static inline void put_last(struct heap *h, struct heap_entry entry, size_t place, size_t child)
{
	struct heap_entry *entries = h->entries, *end = entries + h->count;
	struct heap_entry *next = entries + child, *best = &entries[place];

	/* It is there, and trades places with the first of those before it. */
	*best = entry;
	for (; next < end; next++)
		best = first_of(best, next);
	entries[place] = *best;
	*best = entry;
}

static NOINLINE void replace_in_many(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };
	struct heap_entry *entries = h->entries;
	size_t place = 0, child = 1;

	for (; child + 4 <= h->count; child = 4 * place + 1) {
		struct heap_entry *four = entries + child;
		struct heap_entry *best =
			first_of(first_of(four, four + 1), first_of(four + 2, four + 3));

		if (!heap_before(*best, entry)) {
			entries[place] = entry;
			return;
		}
		entries[place] = *best;
		place = (size_t)(best - entries);
	}
	put_last(h, entry, place, child);
}

/* Most hosts have few timers. */
void heap_replace(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };

	if (h->count > 4)
		replace_in_many(h, time_ps, key);
	else
		put_last(h, entry, 0, 1);
}
