/* pool.h -- where waiting packets live: chunks of eight, from one store, by 32-bit slot numbers.
 *
 * A queue or a link is a list of chunks; packets are stored by value, one cache line each. A store
 * is the memory, shared by all threads; a pool is one thread's share of it, with a last-in-first-out
 * free list, so that the chunk in use next is the one still in cache. Chunks may be taken from one
 * pool and given back to another. Memory is touched only when first used. */
#ifndef WEIR_POOL_H
#define WEIR_POOL_H
#include "weir/packet.h"
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { CHUNK_SHIFT = 3, CHUNK_PACKETS = 1 << CHUNK_SHIFT, CHUNK_MASK = CHUNK_PACKETS - 1 };

#define SLOT_NONE UINT32_MAX

struct packet_store {
	struct packet *slots;
	uint32_t *next; /* per chunk: the following chunk of its list */
	uint32_t chunk_limit;
	uint32_t fresh;       /* first chunk never used */
	pthread_mutex_t lock; /* over fresh and the batches */
	uint32_t batch_count, batch_capacity;
	uint32_t
		*batches; /* heads of lists of POOL_BATCH free chunks that a pool had too many of */
};

struct packet_pool {
	struct packet *slots;
	uint32_t *next;
	uint32_t free, free_count; /* list of free chunks */
	struct packet_store *store;
};

/* Reserves addresses for max_packets. Returns 0, or -1 where the system refuses. */
int packet_store_init(struct packet_store *s, uint64_t max_packets);
void packet_store_free(struct packet_store *s);
void packet_pool_init(struct packet_pool *p, struct packet_store *s);

/* Bytes of packet memory that were ever in use. */
uint64_t packet_store_used_bytes(const struct packet_store *s);

/* Out of line: takes more chunks from the store, gives a batch back. Aborts when a simulation holds
 * more packets than the store was made for: there is nothing sensible left to do. */
void packet_pool_refill(struct packet_pool *p);
void packet_pool_spill(struct packet_pool *p);

/* Packets in a list of chunks, from the slot of the first to that behind the last. */
struct slot_range {
	uint32_t head, tail;
};

/* The slots of these packets, as many as there is room for; returns how many, room + 1 where there are
 * more. The range is not empty. */
uint32_t slots_list(const struct slot_range *range, const struct packet_store *s, uint32_t *slots,
		    uint32_t room);

enum { POOL_BATCH = 256, POOL_KEEP = 3 * POOL_BATCH };

static inline uint32_t chunk_take(struct packet_pool *p)
{
	if (__builtin_expect(p->free == SLOT_NONE, 0))
		packet_pool_refill(p);

	uint32_t chunk = p->free;

	p->free = p->next[chunk];
	p->free_count--;
	return chunk;
}

static inline void chunk_give(struct packet_pool *p, uint32_t chunk)
{
	p->next[chunk] = p->free;
	p->free = chunk;
	if (__builtin_expect(++p->free_count > POOL_KEEP, 0))
		packet_pool_spill(p);
}
#endif
