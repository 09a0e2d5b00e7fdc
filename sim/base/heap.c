/* heap.c -- see heap.h. Grows by doubling and never shrinks: a host's timers are few. */
#include "sim/base/heap.h"
#include "sim/base/memory.h"

void heap_push(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };

	if (h->count == h->capacity) {
		h->capacity = h->capacity ? h->capacity * 2 : 4;
		h->entries = memory_grow(h->entries, h->capacity, sizeof(*h->entries));
	}

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
	return top;
}

static inline struct heap_entry *first_of(struct heap_entry *a, struct heap_entry *b)
{
	return heap_before(*b, *a) ? b : a;
}

void heap_replace(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };
	struct heap_entry *place = h->entries, *child = place + 1, *end = place + h->count, *best;

	while (child < end) {
		/* Only the last may have fewer than four children. */
		if (child + 4 <= end) {
			best = first_of(first_of(child, child + 1), first_of(child + 2, child + 3));
		} else {
			best = child;
			while (++child < end)
				best = first_of(best, child);
		}
		if (!heap_before(*best, entry))
			break;
		*place = *best;
		place = best;
		child = h->entries + 4 * (place - h->entries) + 1;
	}
	*place = entry;
}
