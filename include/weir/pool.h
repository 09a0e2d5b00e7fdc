/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h -- where waiting packets live: chunks of four, from one store, by 32-bit slot numbers.
 *
 * A queue or a link is a list of chunks; packets are stored by value, one cache line each. A store
 * is the memory, shared by all threads; a pool is one thread's share of it, with a
 * last-in-first-out free list, so that the chunk in use next is the one still in cache. Chunks may
 * be taken from one pool and given back to another. Memory is touched only when first used. */
#ifndef WEIR_POOL_H
#define WEIR_POOL_H
#include "weir/compiler.h"
#include "weir/begin.h"
#include "weir/packet.h"
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN

enum {
	WEIR_CHUNK_SHIFT = 2,
	WEIR_CHUNK_PACKETS = 1 << WEIR_CHUNK_SHIFT,
	WEIR_CHUNK_MASK = WEIR_CHUNK_PACKETS - 1
};

#define WEIR_SLOT_NONE UINT32_MAX

struct weir_packet_store {
	struct weir_packet *slots;
	uint32_t *next; /* per chunk: the following chunk of its list */
	uint32_t chunk_limit;
	uint32_t fresh;       /* first chunk never used */
	pthread_mutex_t lock; /* over fresh and the batches */
	uint32_t batch_count;
	/* Heads of lists of WEIR_POOL_BATCH free chunks that a pool had too many of; there is space
	 * for all. */
	uint32_t *batches;
};

struct weir_packet_pool {
	struct weir_packet *slots;
	uint32_t *next;
	uint32_t free; /* list of free chunks */
	uint32_t room; /* so many more may join it before a batch goes to the store */
	struct weir_packet_store *store;
};

/* Reserves addresses for max_packets. Returns 0, or -1 where the system refuses, or for more than
 * slot numbers can name. Queues use whole chunks of WEIR_CHUNK_PACKETS (schedulers that rank
 * packets: one chunk a packet), and each pool keeps up to WEIR_POOL_KEEP free chunks to itself: a
 * store that must never be full has that much more. */
int weir_packet_store_init(struct weir_packet_store *s, uint64_t max_packets);
void weir_packet_store_free(struct weir_packet_store *s);

/* For more packets than before, while nobody uses the store. Slot numbers stay, addresses may not:
 * slots and next of every pool are to be set anew to the store's. Returns 0, or -1 where the system
 * refuses: then everything is as it was, or moved. */
int weir_packet_store_grow(struct weir_packet_store *s, uint64_t max_packets);
void weir_packet_pool_init(struct weir_packet_pool *p, struct weir_packet_store *s);

/* What packets hold is needed no more, and the system may have the memory. Slots stay valid and are
 * zero. */
void weir_packet_store_forget(struct weir_packet_store *s);

/* Bytes of packet memory that were ever in use. */
uint64_t weir_packet_store_used_bytes(const struct weir_packet_store *s);

/* Out of line: takes more chunks from the store, gives a batch back. -1: the store is full. */
int weir_packet_pool_refill(struct weir_packet_pool *p);
void weir_packet_pool_spill(struct weir_packet_pool *p);

/* Packets in a list of chunks, from the slot of the first to that behind the last. */
struct weir_slot_range {
	uint32_t head, tail;
};

/* The slots of these packets, as many as there is room for; returns how many, room + 1 where there
 * are more. The range is not empty. */
uint32_t weir_slots_list(const struct weir_slot_range *range, const struct weir_packet_store *s,
			 uint32_t *slots, uint32_t room);

enum { WEIR_POOL_BATCH = 256, WEIR_POOL_KEEP = 3 * WEIR_POOL_BATCH };

/* Sees to it that the pool has a free chunk. -1: the store is full. */
static inline int weir_chunk_reserve(struct weir_packet_pool *p)
{
	return WEIR_UNLIKELY(p->free == WEIR_SLOT_NONE) ? weir_packet_pool_refill(p) : 0;
}

/* Takes the chunk that weir_chunk_reserve promised. */
static inline uint32_t weir_chunk_take(struct weir_packet_pool *p)
{
	uint32_t chunk = p->free;

	p->free = p->next[chunk];
	__builtin_prefetch(
		&p->next[p->free]); /* for who comes next: another thread may have had it */
	p->room++;
	return chunk;
}

/* Has its packets fetched. */
static inline WEIR_ALWAYS_INLINE void weir_chunk_fetch(const struct weir_packet_pool *p,
						       uint32_t chunk)
{
	const struct weir_packet *first = p->slots + ((size_t)chunk << WEIR_CHUNK_SHIFT);

	for (uint32_t i = 0; i < WEIR_CHUNK_PACKETS; i++)
		__builtin_prefetch(first + i);
}

static inline void weir_chunk_give(struct weir_packet_pool *p, uint32_t chunk)
{
	p->next[chunk] = p->free;
	p->free = chunk;
	if (WEIR_UNLIKELY(--p->room == 0))
		weir_packet_pool_spill(p);
}

WEIR_END
#endif
