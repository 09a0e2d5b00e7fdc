/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c -- the timer heap, see heap.h. The array doubles and never shrinks: hosts have few timers.
 */
#include "base/compiler.h"
#include "base/heap.h"
#include "base/memory.h"

static void heap_grow(struct heap *h)
{
	h->capacity = h->capacity ? h->capacity * 2 : 4;
	h->entries = memory_grow(h->entries, h->capacity, sizeof(*h->entries));
}

void heap_push(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };

	if (h->count == h->capacity)
		heap_grow(h);

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
		heap_grow(h);
	h->count = 0;
	h->entries[0].time_ps = INT64_MAX;
}

static inline struct heap_entry *heap_earlier(struct heap_entry *a, struct heap_entry *b)
{
	return heap_before(*b, *a) ? b : a;
}

/* Puts the entry at place, whose children, fewer than four and all leaves, begin at child. */
static inline void heap_place(struct heap *h, struct heap_entry entry, size_t place, size_t child)
{
	struct heap_entry *entries = h->entries, *end = entries + h->count;
	struct heap_entry *next = entries + child, *best = &entries[place];

	/* Swap the entry with its earliest child, or with itself. */
	*best = entry;
	for (; next < end; next++)
		best = heap_earlier(best, next);
	entries[place] = *best;
	*best = entry;
}

static NOINLINE void heap_sift_down(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };
	struct heap_entry *entries = h->entries;
	size_t place = 0, child = 1;

	for (; child + 4 <= h->count; child = 4 * place + 1) {
		struct heap_entry *four = entries + child;
		struct heap_entry *best = heap_earlier(heap_earlier(four, four + 1),
						       heap_earlier(four + 2, four + 3));

		if (!heap_before(*best, entry)) {
			entries[place] = entry;
			return;
		}
		entries[place] = *best;
		place = (size_t)(best - entries);
	}
	heap_place(h, entry, place, child);
}

/* Fast path: most hosts have at most four timers. */
void heap_replace(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };

	if (h->count > 4)
		heap_sift_down(h, time_ps, key);
	else
		heap_place(h, entry, 0, 1);
}
