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

void heap_replace(struct heap *h, int64_t time_ps, uint64_t key)
{
	struct heap_entry entry = { time_ps, key };
	uint32_t i = 0;

	for (;;) {
		uint32_t child = 4 * i + 1, best = child;

		if (child >= h->count)
			break;
		for (uint32_t c = child + 1; c < child + 4 && c < h->count; c++)
			if (heap_before(h->entries[c], h->entries[best]))
				best = c;
		if (!heap_before(h->entries[best], entry))
			break;
		h->entries[i] = h->entries[best];
		i = best;
	}
	h->entries[i] = entry;
}
