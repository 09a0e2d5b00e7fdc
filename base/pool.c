/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.c -- slow paths of weir/pool.h: reserving address space, and moving batches of free chunks
 * between threads. */
#define _GNU_SOURCE
#include "weir/pool.h"
#include <sys/mman.h>

static void *pool_reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_HUGEPAGE); /* a hint: failure costs speed only */
	return p;
}

/* Chunks that hold that many packets; 0: more than slot numbers can address. */
static uint32_t pool_chunks(uint64_t packets)
{
	uint64_t chunks = packets / WEIR_CHUNK_PACKETS + (packets % WEIR_CHUNK_PACKETS != 0);

	return chunks < WEIR_SLOT_NONE / WEIR_CHUNK_PACKETS ? (uint32_t)chunks : 0;
}

/* Pools return whole batches only, which bounds their number. */
static size_t pool_batches_bytes(uint32_t chunks)
{
	return (chunks / WEIR_POOL_BATCH + UINT32_C(1)) * sizeof(uint32_t);
}

int weir_packet_store_init(struct weir_packet_store *s, uint64_t max_packets)
{
	uint32_t chunks = pool_chunks(max_packets);

	*s = (struct weir_packet_store){ .chunk_limit = chunks };
	if (chunks == 0)
		return -1;
	s->slots = pool_reserve((size_t)chunks * WEIR_CHUNK_PACKETS * sizeof(*s->slots));
	s->next = pool_reserve(chunks * sizeof(*s->next));
	s->batches = pool_reserve(pool_batches_bytes(chunks));
	if (!s->slots || !s->next || !s->batches) {
		weir_packet_store_free(s);
		return -1;
	}
	pthread_mutex_init(&s->lock, NULL);
	return 0;
}

static void *pool_remap(void *p, size_t bytes, size_t grown_bytes)
{
	void *grown = mremap(p, bytes, grown_bytes, MREMAP_MAYMOVE);

	if (grown == MAP_FAILED)
		return NULL;
	madvise(grown, grown_bytes, MADV_HUGEPAGE);
	return grown;
}

int weir_packet_store_grow(struct weir_packet_store *s, uint64_t max_packets)
{
	uint32_t chunks = pool_chunks(max_packets);
	size_t chunk_bytes = WEIR_CHUNK_PACKETS * sizeof(*s->slots);
	struct weir_packet *slots;
	uint32_t *next, *batches;

	if (chunks < s->chunk_limit)
		return -1;
	/* If a later step fails, the list of batches is merely longer than needed. */
	batches = pool_remap(s->batches, pool_batches_bytes(s->chunk_limit),
			     pool_batches_bytes(chunks));
	if (!batches)
		return -1;
	s->batches = batches;
	slots = pool_remap(s->slots, s->chunk_limit * chunk_bytes, chunks * chunk_bytes);
	if (!slots)
		return -1;
	s->slots = slots;
	next = pool_remap(s->next, s->chunk_limit * sizeof(*next), chunks * sizeof(*next));
	if (!next) { /* shrink back, which cannot fail */
		s->slots = pool_remap(slots, chunks * chunk_bytes, s->chunk_limit * chunk_bytes);
		return -1;
	}
	s->next = next;
	s->chunk_limit = chunks;
	return 0;
}

void weir_packet_store_free(struct weir_packet_store *s)
{
	if (s->slots)
		munmap(s->slots, (size_t)s->chunk_limit * WEIR_CHUNK_PACKETS * sizeof(*s->slots));
	if (s->next)
		munmap(s->next, (size_t)s->chunk_limit * sizeof(*s->next));
	if (s->batches)
		munmap(s->batches, pool_batches_bytes(s->chunk_limit));
	*s = (struct weir_packet_store){ 0 };
}

void weir_packet_store_forget(struct weir_packet_store *s)
{
	madvise(s->slots, (size_t)s->chunk_limit * WEIR_CHUNK_PACKETS * sizeof(*s->slots),
		MADV_DONTNEED);
}

uint64_t weir_packet_store_used_bytes(const struct weir_packet_store *s)
{
	return (uint64_t)s->fresh * WEIR_CHUNK_PACKETS * sizeof(*s->slots);
}

void weir_packet_pool_init(struct weir_packet_pool *p, struct weir_packet_store *s)
{
	*p = (struct weir_packet_pool){
		.slots = s->slots,
		.next = s->next,
		.free = WEIR_SLOT_NONE,
		.room = WEIR_POOL_KEEP + 1,
		.store = s,
	};
}

int weir_packet_pool_refill(struct weir_packet_pool *p)
{
	struct weir_packet_store *s = p->store;
	uint32_t count = WEIR_POOL_BATCH;

	pthread_mutex_lock(&s->lock);
	if (s->batch_count) {
		p->free = s->batches[--s->batch_count];
	} else {
		if (count > s->chunk_limit - s->fresh)
			count = s->chunk_limit - s->fresh;
		for (uint32_t i = 0; i < count; i++)
			s->next[s->fresh + i] = i + 1 < count ? s->fresh + i + 1 : WEIR_SLOT_NONE;
		if (count)
			p->free = s->fresh;
		s->fresh += count;
	}
	pthread_mutex_unlock(&s->lock);
	p->room -= count;
	return count ? 0 : -1;
}

void weir_packet_pool_spill(struct weir_packet_pool *p)
{
	struct weir_packet_store *s = p->store;
	uint32_t head = p->free, last = head;

	for (uint32_t i = 1; i < WEIR_POOL_BATCH; i++)
		last = p->next[last];
	p->free = p->next[last];
	p->room += WEIR_POOL_BATCH;
	p->next[last] = WEIR_SLOT_NONE;

	pthread_mutex_lock(&s->lock);
	s->batches[s->batch_count++] = head;
	pthread_mutex_unlock(&s->lock);
}

uint32_t weir_slots_list(const struct weir_slot_range *range, const struct weir_packet_store *s,
			 uint32_t *slots, uint32_t room)
{
	uint32_t slot = range->head, count = 0;

	for (;;) {
		if (count == room)
			return room + 1;
		slots[count++] = slot++;
		if (slot == range->tail)
			return count;
		if ((slot & WEIR_CHUNK_MASK) == 0)
			slot = s->next[(slot - 1) >> WEIR_CHUNK_SHIFT] << WEIR_CHUNK_SHIFT;
	}
}
