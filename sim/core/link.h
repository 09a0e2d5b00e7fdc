/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h -- in-flight queues: packets on a link, and the memory that packets in the network use.
 *
 * The sending node appends a packet when it starts (link_reserve, link_send), with the time of its
 * arrival; the receiving node removes it in the lookahead window of that time. A queue is a list of
 * chunks of packet slots, lock-free: single producer, single consumer (SPSC). The producer
 * publishes its tail once per lookahead window, so sender and receiver share no cache line while
 * they run.
 *
 * Threads: link_send* and link_publish on the thread of the sending node, link_queue_prefetch,
 * link_queue_start and link_queue_advance on that of the receiving node; packet_memory_* at the
 * barrier. */
#ifndef SIM_CORE_LINK_H
#define SIM_CORE_LINK_H
#include "sim/core/timing_wheel.h"

/* Allocates the first chunk of an in-flight queue. */
void link_queue_open(struct worker *w, struct egress *out);

/* Slow path of a packet in link_reserve: drops it where the link is down, shows it to taps. Returns
 * 1 where the packet is lost. */
int link_send_slow(struct worker *w, struct egress *out, int64_t start_ps);

/* The same as link_publish where some switch has active sets (worker.has_sparse): adds the
 * in-flight queue to the active ones of its receiver, if that is such a switch. */
void link_publish_sparse(const struct worker *w, const struct egress *out);

/* Packets in flight and in all queues: walks everything, for audits. */
uint64_t engine_packets_in_network(const struct engine *e);

/* --- packet memory ---
 *
 * The store has room for as many packets as one lookahead window may add to those in use; it grows
 * at the barrier, so it cannot run out inside a window, and a small network reserves little. */

/* Ports and the lookahead exist, workers do not yet. */
void packet_memory_new(struct engine *e);
void packet_memory_free(struct engine *e);

/* Makes room for that many packets in the store, and for as many INT stacks; updates the workers'
 * pointers to them. */
void packet_memory_reserve(struct engine *e, uint64_t packets);

/* Doubles the store: too little is left for another lookahead window. */
void packet_memory_grow(struct engine *e);

/* Frees the chunks of empty in-flight queues. Runs when there may first be one for every queue,
 * then whenever a quarter more is in use. */
void packet_memory_reclaim(struct engine *e);

static inline void packet_memory_check(struct engine *e)
{
	if (UNLIKELY(e->store.fresh > e->reclaim_at))
		packet_memory_reclaim(e);
	if (UNLIKELY(e->store.chunk_limit - e->store.fresh < e->lookahead_chunks))
		packet_memory_grow(e);
}

/* A chunk of the worker's pool. The store cannot be full, see packet_memory_check. */
static inline uint32_t engine_chunk_alloc(struct worker *w)
{
	if (weir_chunk_reserve(&w->pool))
		assert(0);
	return weir_chunk_alloc(&w->pool);
}

/* Returns the INT stack of a packet; out of line for packet_retire. */
void int_stack_release(struct worker *w, struct weir_packet *packet);

/* The packet has left the network, or was dropped: its INT stack is free. */
static inline void packet_retire(struct worker *w, struct weir_packet *packet)
{
	if (UNLIKELY(w->engine->int_stacks != NULL))
		int_stack_release(w, packet);
}

/* --- sending --- */

/* The slot of the next packet on the link; the packet is in flight once link_send is called. */
static inline ALWAYS_INLINE struct weir_packet *link_reserve(struct worker *w, struct egress *out)
{
	if (UNLIKELY(out->tail == WEIR_SLOT_NONE))
		link_queue_open(w, out);
	return &w->pool.slots[out->tail];
}

/* Appends the packet in link_reserve, whose time of arrival is set, and wakes the receiver. */
static inline ALWAYS_INLINE void link_append(struct worker *w, struct egress *out, uint32_t to,
					     int64_t arrival_ps)
{
	uint32_t slot = out->tail, next = slot + 1;

	if ((next & WEIR_CHUNK_MASK) == 0) {
		uint32_t chunk = engine_chunk_alloc(w);

		w->pool.next[slot >> WEIR_CHUNK_SHIFT] = chunk;
		next = chunk << WEIR_CHUNK_SHIFT;
	}
	out->tail = next;
	/* Most packets arrive in the next lookahead window, in which their receiver has its bit set
	 * already. */
	if (UNLIKELY(arrival_ps >= w->next_end_ps) ||
	    !(atomic_load_explicit(&w->next_bits[to / 64], memory_order_relaxed) >> (to % 64) & 1))
		engine_wake(w, to, arrival_ps);
}

/* Sends the packet in link_reserve, whose last bit leaves at end_ps, to that node. */
static inline ALWAYS_INLINE void link_send_to(struct worker *w, struct egress *out, uint32_t to,
					      int64_t end_ps)
{
	int64_t arrival_ps = end_ps + out->delay_ps;

	w->pool.slots[out->tail].time_ps = arrival_ps;
	link_append(w, out, to, arrival_ps);
}

/* Sends the packet in link_reserve, which occupies the link from start_ps until end_ps; it is lost
 * where the link is down. */
static inline ALWAYS_INLINE void link_send_until(struct worker *w, struct egress *out,
						 int64_t start_ps, int64_t end_ps)
{
	uint32_t to = out->to;

	if (UNLIKELY(to & EGRESS_SLOW_PATH)) {
		if (link_send_slow(w, out, start_ps))
			return;
		to &= ~EGRESS_SLOW_PATH;
	}
	link_send_to(w, out, to, end_ps);
}

/* Sends the packet in link_reserve, which occupies the link from start_ps until the port is free.
 */
static inline ALWAYS_INLINE void link_send(struct worker *w, struct egress *out, int64_t start_ps)
{
	link_send_until(w, out, start_ps, out->port.free_ps);
}

/* Publishes the tail of an in-flight queue to its receiver (release), once per lookahead window and
 * sending node. Doing it per packet would cause false sharing between threads that send to one
 * node. */
static inline void link_publish(const struct egress *out, _Atomic uint32_t *link_queue_tail)
{
	atomic_store_explicit(&link_queue_tail[out->link_queue], out->tail, memory_order_release);
}

/* --- receiving --- */

/* Prefetches the next packets of an in-flight queue, up to that many chunks. Consumer side only:
 * the chunk list must not be walked by any other thread. */
static inline ALWAYS_INLINE void link_queue_prefetch(const struct weir_packet_pool *pool,
						     uint32_t slot, uint32_t tail, uint32_t chunks)
{
	uint32_t chunk = slot >> WEIR_CHUNK_SHIFT, last = tail >> WEIR_CHUNK_SHIFT;

	if (slot == tail || slot == WEIR_SLOT_NONE)
		return;
#pragma GCC unroll 8
	for (uint32_t i = 0; i < chunks; i++) {
		weir_chunk_prefetch(pool, chunk);
		if (chunk == last)
			break;
		chunk = pool->next[chunk];
	}
}

/* The slot after this one; frees the chunk that ends. */
static inline uint32_t link_queue_advance(struct weir_packet_pool *pool, uint32_t slot)
{
	uint32_t next = slot + 1;

	if ((next & WEIR_CHUNK_MASK) == 0) {
		uint32_t chunk = slot >> WEIR_CHUNK_SHIFT;

		next = pool->next[chunk] << WEIR_CHUNK_SHIFT;
		weir_chunk_free(pool, chunk);
	}
	return next;
}

/* The slot after this one of a list of packets, an in-flight queue or a port's queue, which stays
 * as it is. For audits and deadlock detection, at a barrier. */
static inline uint32_t link_slot_after(const struct engine *e, uint32_t slot)
{
	uint32_t next = slot + 1;

	if ((next & WEIR_CHUNK_MASK) == 0)
		next = e->store.next[slot >> WEIR_CHUNK_SHIFT] << WEIR_CHUNK_SHIFT;
	return next;
}

/* The head of an in-flight queue; WEIR_SLOT_NONE: nothing was ever sent on it. */
static inline uint32_t link_queue_start(const struct engine *e, uint32_t link_queue)
{
	uint32_t slot = e->link_queue_head[link_queue];

	if (LIKELY(slot != WEIR_SLOT_NONE))
		return slot;
	return atomic_load_explicit(&e->link_queue_first[link_queue], memory_order_acquire);
}
#endif
