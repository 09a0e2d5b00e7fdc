/* pool.c -- the slow paths of pool.h: reserving memory, moving free chunks between threads. */
#define _GNU_SOURCE
#include "weir/pool.h"
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_HUGEPAGE); /* a wish: without it things are only slower */
	return p;
}

int weir_packet_store_init(struct weir_packet_store *s, uint64_t max_packets)
{
	uint64_t chunks = (max_packets + WEIR_CHUNK_PACKETS - 1) / WEIR_CHUNK_PACKETS;

	assert(chunks < WEIR_SLOT_NONE / WEIR_CHUNK_PACKETS);
	*s = (struct weir_packet_store){ .chunk_limit = (uint32_t)chunks };
	s->slots = reserve(chunks * WEIR_CHUNK_PACKETS * sizeof(*s->slots));
	s->next = reserve(chunks * sizeof(*s->next));
	if (!s->slots || !s->next) {
		weir_packet_store_free(s);
		return -1;
	}
	pthread_mutex_init(&s->lock, NULL);
	return 0;
}

static void *stretch(void *p, size_t bytes, size_t grown_bytes)
{
	void *grown = mremap(p, bytes, grown_bytes, MREMAP_MAYMOVE);

	if (grown == MAP_FAILED)
		return NULL;
	madvise(grown, grown_bytes, MADV_HUGEPAGE);
	return grown;
}

int weir_packet_store_grow(struct weir_packet_store *s, uint64_t max_packets)
{
	uint64_t chunks = (max_packets + WEIR_CHUNK_PACKETS - 1) / WEIR_CHUNK_PACKETS;
	size_t chunk_bytes = WEIR_CHUNK_PACKETS * sizeof(*s->slots);
	struct weir_packet *slots;
	uint32_t *next;

	assert(chunks < WEIR_SLOT_NONE / WEIR_CHUNK_PACKETS && chunks >= s->chunk_limit);
	slots = stretch(s->slots, s->chunk_limit * chunk_bytes, chunks * chunk_bytes);
	if (!slots)
		return -1;
	s->slots = slots;
	next = stretch(s->next, s->chunk_limit * sizeof(*next), chunks * sizeof(*next));
	if (!next) { /* back to where it was: a smaller size is never refused */
		s->slots = stretch(slots, chunks * chunk_bytes, s->chunk_limit * chunk_bytes);
		return -1;
	}
	s->next = next;
	s->chunk_limit = (uint32_t)chunks;
	return 0;
}

void weir_packet_store_free(struct weir_packet_store *s)
{
	if (s->slots)
		munmap(s->slots, (size_t)s->chunk_limit * WEIR_CHUNK_PACKETS * sizeof(*s->slots));
	if (s->next)
		munmap(s->next, (size_t)s->chunk_limit * sizeof(*s->next));
	free(s->batches);
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

void weir_packet_pool_refill(struct weir_packet_pool *p)
{
	struct weir_packet_store *s = p->store;

	pthread_mutex_lock(&s->lock);
	if (s->batch_count) {
		p->free = s->batches[--s->batch_count];
	} else {
		assert(s->chunk_limit - s->fresh >= WEIR_POOL_BATCH && "packet store is full");
		for (uint32_t i = 0; i < WEIR_POOL_BATCH; i++)
			s->next[s->fresh + i] =
				i + 1 < WEIR_POOL_BATCH ? s->fresh + i + 1 : WEIR_SLOT_NONE;
		p->free = s->fresh;
		s->fresh += WEIR_POOL_BATCH;
	}
	pthread_mutex_unlock(&s->lock);
	p->room -= WEIR_POOL_BATCH;
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
	if (s->batch_count == s->batch_capacity) {
		uint32_t capacity = s->batch_capacity ? s->batch_capacity * 2 : 64;
		uint32_t *grown = realloc(s->batches, capacity * sizeof(*grown));

		if (!grown)
			abort();
		s->batches = grown;
		s->batch_capacity = capacity;
	}
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
