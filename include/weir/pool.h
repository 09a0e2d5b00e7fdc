/* SPDX-License-Identifier: BSD-3-Clause */
/* pool.h -- memory of queued packets: chunks of four packets, addressed by 32-bit slot numbers.
 *
 * A queue or an in-flight queue is a list of chunks; packets are stored by value, one cache line
 * each. A store owns the memory and is shared by all threads, under its lock. A pool is one
 * thread's part of it, without a lock: its free list is last in first out, so that the next chunk
 * used is probably still in cache. A chunk may be taken from one pool and given to another. Memory
 * is touched only when it is first used. */
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
	uint32_t *next; /* per chunk: the next chunk of its list */
	uint32_t chunk_limit;
	uint32_t fresh;       /* first chunk never used */
	pthread_mutex_t lock; /* over fresh and the batches */
	uint32_t batch_count;
	/* Heads of lists of WEIR_POOL_BATCH free chunks that pools gave back; room for all. */
	uint32_t *batches;
};

struct weir_packet_pool {
	struct weir_packet *slots;
	uint32_t *next;
	uint32_t free; /* list of free chunks */
	uint32_t room; /* chunks that may still join it before a batch goes back to the store */
	struct weir_packet_store *store;
};

/* Reserves addresses for max_packets. Returns 0, or -1: the system refused, or there are more than
 * slot numbers can address. Queues use whole chunks of WEIR_CHUNK_PACKETS (a ranked queue: one
 * chunk a packet), and each pool keeps up to WEIR_POOL_KEEP free chunks: a store that must never be
 * full needs that much more. */
int weir_packet_store_init(struct weir_packet_store *s, uint64_t max_packets);
void weir_packet_store_free(struct weir_packet_store *s);

/* Makes room for more packets, while no thread uses the store. Slot numbers stay valid, addresses
 * do not: the caller then sets slots and next of every pool to the store's, also on -1, when the
 * system refused and the room is as before. */
int weir_packet_store_grow(struct weir_packet_store *s, uint64_t max_packets);

void weir_packet_pool_init(struct weir_packet_pool *p, struct weir_packet_store *s);

/* Discards the contents of all packets and returns their memory to the system. Slots stay valid and
 * read as zero. */
void weir_packet_store_forget(struct weir_packet_store *s);

/* Bytes of packet memory that were ever in use. */
uint64_t weir_packet_store_used_bytes(const struct weir_packet_store *s);

/* Slow paths of weir_chunk_reserve and weir_chunk_free: take free chunks from the store, -1: it is
 * full; give a batch back to it. */
int weir_packet_pool_refill(struct weir_packet_pool *p);
void weir_packet_pool_spill(struct weir_packet_pool *p);

/* Packets in a list of chunks: the slot of the first, and the slot behind the last. */
struct weir_slot_range {
	uint32_t head, tail;
};

/* Lists the slots of a range that is not empty. Returns how many there are, or room + 1 if there
 * are more than slots has room for. */
uint32_t weir_slots_list(const struct weir_slot_range *range, const struct weir_packet_store *s,
			 uint32_t *slots, uint32_t room);

enum { WEIR_POOL_BATCH = 256, WEIR_POOL_KEEP = 3 * WEIR_POOL_BATCH };

/* Ensures that the pool has a free chunk. Returns 0, or -1: the store is full. */
static inline int weir_chunk_reserve(struct weir_packet_pool *p)
{
	return WEIR_UNLIKELY(p->free == WEIR_SLOT_NONE) ? weir_packet_pool_refill(p) : 0;
}

/* Takes a free chunk, after weir_chunk_reserve. */
static inline uint32_t weir_chunk_alloc(struct weir_packet_pool *p)
{
	uint32_t chunk = p->free;

	p->free = p->next[chunk];
	/* For the next call: another core may have written it last. */
	__builtin_prefetch(&p->next[p->free]);
	p->room++;
	return chunk;
}

/* Prefetches the packets of a chunk. */
static inline WEIR_ALWAYS_INLINE void weir_chunk_prefetch(const struct weir_packet_pool *p,
							  uint32_t chunk)
{
	const struct weir_packet *first = p->slots + ((size_t)chunk << WEIR_CHUNK_SHIFT);

	for (uint32_t i = 0; i < WEIR_CHUNK_PACKETS; i++)
		__builtin_prefetch(first + i);
}

static inline void weir_chunk_free(struct weir_packet_pool *p, uint32_t chunk)
{
	p->next[chunk] = p->free;
	p->free = chunk;
	if (WEIR_UNLIKELY(--p->room == 0))
		weir_packet_pool_spill(p);
}

WEIR_END
#endif
