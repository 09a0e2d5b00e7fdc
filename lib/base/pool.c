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

int packet_store_init(struct packet_store *s, uint64_t max_packets)
{
	uint64_t chunks = (max_packets + CHUNK_PACKETS - 1) / CHUNK_PACKETS;

	assert(chunks < SLOT_NONE / CHUNK_PACKETS);
	*s = (struct packet_store){ .chunk_limit = (uint32_t)chunks };
	s->slots = reserve(chunks * CHUNK_PACKETS * sizeof(*s->slots));
	s->next = reserve(chunks * sizeof(*s->next));
	if (!s->slots || !s->next) {
		packet_store_free(s);
		return -1;
	}
	pthread_mutex_init(&s->lock, NULL);
	return 0;
}

void packet_store_free(struct packet_store *s)
{
	if (s->slots)
		munmap(s->slots, (size_t)s->chunk_limit * CHUNK_PACKETS * sizeof(*s->slots));
	if (s->next)
		munmap(s->next, (size_t)s->chunk_limit * sizeof(*s->next));
	free(s->batches);
	*s = (struct packet_store){ 0 };
}

uint64_t packet_store_used_bytes(const struct packet_store *s)
{
	return (uint64_t)s->fresh * CHUNK_PACKETS * sizeof(*s->slots);
}

void packet_pool_init(struct packet_pool *p, struct packet_store *s)
{
	*p = (struct packet_pool){
		.slots = s->slots,
		.next = s->next,
		.free = SLOT_NONE,
		.store = s,
	};
}

void packet_pool_refill(struct packet_pool *p)
{
	struct packet_store *s = p->store;

	pthread_mutex_lock(&s->lock);
	if (s->batch_count) {
		p->free = s->batches[--s->batch_count];
	} else {
		assert(s->chunk_limit - s->fresh >= POOL_BATCH && "packet store is full");
		for (uint32_t i = 0; i < POOL_BATCH; i++)
			s->next[s->fresh + i] = i + 1 < POOL_BATCH ? s->fresh + i + 1 : SLOT_NONE;
		p->free = s->fresh;
		s->fresh += POOL_BATCH;
	}
	pthread_mutex_unlock(&s->lock);
	p->free_count = POOL_BATCH;
}

void packet_pool_spill(struct packet_pool *p)
{
	struct packet_store *s = p->store;
	uint32_t head = p->free, last = head;

	for (uint32_t i = 1; i < POOL_BATCH; i++)
		last = p->next[last];
	p->free = p->next[last];
	p->free_count -= POOL_BATCH;
	p->next[last] = SLOT_NONE;

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

uint32_t slots_list(const struct slot_range *range, const struct packet_store *s, uint32_t *slots,
		    uint32_t room)
{
	uint32_t slot = range->head, count = 0;

	for (;;) {
		if (count == room)
			return room + 1;
		slots[count++] = slot++;
		if (slot == range->tail)
			return count;
		if ((slot & CHUNK_MASK) == 0)
			slot = s->next[(slot - 1) >> CHUNK_SHIFT] << CHUNK_SHIFT;
	}
}
