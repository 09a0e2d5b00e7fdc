/* SPDX-License-Identifier: BSD-3-Clause */
/* handover.c -- see handover.h. */
#include "switch/run/handover.h"
#include "base/memory.h"

_Static_assert((HANDOVER_SLOTS & (HANDOVER_SLOTS - 1)) == 0, "counts may pass 2^32");

struct handover *handover_new(uint32_t frame_bytes)
{
	struct handover *h = memory_new(1, sizeof(*h));

	h->slot_bytes = (sizeof(struct handed) + frame_bytes + HANDOVER_ALIGN - 1) &
			~(size_t)(HANDOVER_ALIGN - 1);
	h->slots = memory_new(HANDOVER_SLOTS, h->slot_bytes);
	return h;
}

void handover_free(struct handover *h)
{
	if (!h)
		return;
	memory_free(h->slots, HANDOVER_SLOTS, h->slot_bytes);
	memory_free(h, 1, sizeof(*h));
}

static struct handed *slot(const struct handover *h, uint32_t number)
{
	return (struct handed *)(void *)(h->slots + number % HANDOVER_SLOTS * h->slot_bytes);
}

struct handed *handover_room(struct handover *h)
{
	uint32_t put = atomic_load_explicit(&h->put, memory_order_relaxed);

	if (put - atomic_load_explicit(&h->taken, memory_order_acquire) == HANDOVER_SLOTS)
		return NULL;
	return slot(h, put);
}

/* In one order with what the taker says of its sleep (wait.c): it sees the frame, or is seen to
 * sleep. */
void handover_put(struct handover *h)
{
	atomic_store(&h->put, atomic_load_explicit(&h->put, memory_order_relaxed) + 1);
}

const struct handed *handover_first(struct handover *h)
{
	uint32_t taken = atomic_load_explicit(&h->taken, memory_order_relaxed);

	return atomic_load(&h->put) == taken ? NULL : slot(h, taken);
}

void handover_take(struct handover *h)
{
	uint32_t taken = atomic_load_explicit(&h->taken, memory_order_relaxed);

	atomic_store_explicit(&h->taken, taken + 1, memory_order_release);
}
