/* SPDX-License-Identifier: BSD-3-Clause */
/* port_inline.h -- the egress port of weir/port.h with its layout and its fast path inline.
 *
 * For owners whose loop and the port are to become one piece of code: the simulator's switches and
 * NICs, weir switch, benchmarks. The layout below is no stable interface: a program that includes
 * this header is compiled again for each release.
 *
 * Contracts of threads, ownership and errors are those of weir/port.h. The queues of a port, the
 * states of its marking scheme and scheduler and its cold part follow struct weir_port in one piece
 * of memory, at the offsets its class names.
 *
 * A packet takes this way: weir_port_offer_inline chooses its queue, weir_port_admit applies buffer
 * limits and the marking scheme's enqueue verdict, weir_port_enqueue stores it; later
 * weir_port_dequeue_next takes it off its queue and weir_port_start applies the dequeue verdict and
 * occupies the link. A packet that finds its port empty and the link free skips the queue. */
#ifndef WEIR_PORT_INLINE_H
#define WEIR_PORT_INLINE_H
#include "weir/compiler.h"
#include "weir/begin.h"
#include "weir/port.h"
#include "weir/port_stats.h"
#include "weir/units.h"
#include <stddef.h>

WEIR_BEGIN

/* How packets wait in a port. */
enum weir_port_order {
	WEIR_PORT_FIFO,      /* one queue, first in first out, no scheduler */
	WEIR_PORT_SCHEDULED, /* several queues and a scheduler */
	WEIR_PORT_RANKED,    /* one queue or several, each ordered by the scheduler's ranks */
};

/* Which packets the marking scheme's dequeue hook has to see. */
enum weir_port_dequeue_hook {
	WEIR_PORT_HOOK_QUEUED = 1, /* those that were queued */
	WEIR_PORT_HOOK_IDLE = 2,   /* those that found the port empty and the link free */
};

/* What ports share that differ in nothing but their load. Read-only on the data path. */
struct weir_port_class {
	/* Hot. A packet that finds less than both fast_ limits in its port is admitted and not
	 * marked at enqueue. They are the minimum of the room_ limits, below which the buffer
	 * admits any packet, and the quiet_ limits, below which the scheme marks none. */
	uint32_t fast_pkts, fast_bytes;
	uint32_t room_pkts, room_bytes;
	uint32_t quiet_pkts, quiet_bytes;
	uint32_t order; /* enum weir_port_order */
	uint32_t queues;
	uint32_t overhead_bytes, min_bytes; /* on the wire: max(bytes, min) + overhead */
	uint32_t (*mark_enqueue)(void *, const void *, const struct weir_mark_view *);
	uint32_t (*mark_dequeue)(void *, const void *, const struct weir_mark_view *);
	const void *mark_params;
	/* NULL: a packet's queue is that of its class. */
	uint32_t (*choose_queue)(void *, const void *, const struct weir_mark_view *,
				 const struct weir_queue *);
	struct weir_mark_fast_hooks fast_hooks; /* called instead of the three above; NULL: none */
	uint64_t ps_per_byte_q20;
	struct weir_buffer_params buffer;
	int64_t rtt_ns;
	uint32_t mark_stride; /* bytes from one queue's state to the next; 0: one state a port */
	uint32_t mark_needs;  /* bits of enum weir_mark_need */
	uint32_t mtu_bytes;
	uint32_t pass_not_ect; /* 1: a mark passes packets that are not ECN-capable; 0: drops */
	uint32_t lossless;     /* bit per class: the owner admits its packets */
	uint32_t rate_mbps;
	uint32_t dequeue_hooks;  /* bits of enum weir_port_dequeue_hook */
	uint32_t counts_sojourn; /* 1: packets that leave enter stats->sojourns, if that is set */
	uint32_t slow_dequeue;   /* 1: dequeue needs the shared buffer's fill, the scheduler's round
				  * or the sojourn histogram, beyond the queue's own marking */
	uint64_t rate_bps;
	const struct weir_sched_ops *sched; /* NULL with WEIR_PORT_FIFO */
	const void *sched_params;
	const struct weir_mark_ops *mark;
	/* Where the parts of a port lie, from its start, and its size. */
	uint32_t mark_offset, sched_offset, size;
	uint32_t cold_offset;     /* 0: outside the port's memory */
	uint8_t class_queue[256]; /* class of a packet -> queue */
};

/* What most packets do not touch. */
struct weir_port_cold {
	uint64_t marks[WEIR_MARK_REASONS];
	uint64_t drops[WEIR_PORT_DROPS];
	int64_t link_free_ps;                  /* while blocked: when the link is, or was, free */
	uint64_t paused[WEIR_QUEUES_MAX / 64]; /* bit per queue */
};

/* free_ps of a port all of whose packets are paused. */
#define WEIR_PORT_BLOCKED_PS INT64_MAX

struct weir_port {
	int64_t free_ps; /* the link is free from here on, or WEIR_PORT_BLOCKED_PS */
	const struct weir_port_class *kind;
	struct weir_shared_buffer *shared_buffer; /* with WEIR_BUFFER_PER_SWITCH, else NULL */
	struct weir_port_stats *stats;            /* NULL: disabled */
	uint32_t bytes, pkts;                     /* queued, over all queues */
	uint64_t tx_pkts, tx_bytes;               /* frames and their bytes, without overhead */
	struct weir_port_cold *cold;
	uint32_t paused_pkts; /* packets in paused queues; with a scheduler only */
	uint32_t paused_queues;
	/* followed by: struct weir_queue[queues], marking states, scheduler state, struct
	 * weir_port_cold */
};

/* Accounts for the time since the last change. Called before pkts or bytes change. */
static inline void weir_port_stats_account(struct weir_port *p, int64_t now_ps)
{
	struct weir_port_stats *s = p->stats;
	uint64_t held_ps = (uint64_t)(now_ps - s->since_ps);

	if (WEIR_UNLIKELY(s->on_change != NULL))
		s->on_change(s->context, p, s->since_ps);
	s->since_ps = now_ps;
	if (WEIR_LIKELY(p->pkts < WEIR_PORT_STATS_EXACT)) {
		s->bucket_ps[p->pkts] += held_ps;
	} else {
		s->bucket_ps[weir_port_stats_bucket(p->pkts)] += held_ps;
		s->many_pkts_ps += p->pkts * held_ps;
	}
	s->bytes_ps += (weir_u128)p->bytes * held_ps;
}

/* As above, before a packet is enqueued. */
static inline void weir_port_stats_join(struct weir_port *p, int64_t now_ps)
{
	if (!p->stats)
		return;
	weir_port_stats_account(p, now_ps);
	if (p->pkts >= p->stats->max_pkts) {
		p->stats->max_pkts = p->pkts + 1;
		if (WEIR_UNLIKELY(p->stats->max_pkts >= p->stats->buckets) && p->stats->grow)
			p->stats->grow(p);
	}
}

static inline struct weir_queue *weir_port_queues(struct weir_port *p)
{
	return (struct weir_queue *)(p + 1);
}

static inline void *weir_port_mark_state(struct weir_port *p, uint32_t q)
{
	return (char *)p + p->kind->mark_offset + (size_t)q * p->kind->mark_stride;
}

static inline void *weir_port_sched_state(struct weir_port *p)
{
	return (char *)p + p->kind->sched_offset;
}

/* Serialisation delay of a frame. */
static inline int64_t weir_port_wire_ps(const struct weir_port_class *c, uint32_t bytes)
{
	uint32_t wire = (bytes < c->min_bytes ? c->min_bytes : bytes) + c->overhead_bytes;

	return weir_bytes_to_ps(wire, c->ps_per_byte_q20);
}

/* A frame starts on the link at start_ps. */
static inline void weir_port_occupy(struct weir_port *p, uint32_t bytes, int64_t start_ps)
{
	p->free_ps = start_ps + weir_port_wire_ps(p->kind, bytes);
	p->tx_pkts++;
	p->tx_bytes += bytes;
}

static inline int weir_port_drop(struct weir_port *p, enum weir_port_drop reason)
{
	p->cold->drops[reason]++;
	return WEIR_PORT_DROPPED;
}

/* Slow path of admission, for a port at or above its fast_ limits: applies buffer limits and the
 * enqueue verdict. Returns WEIR_PORT_DROPPED, or another answer for a packet that is admitted and
 * may have been marked. */
int weir_port_admit(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
		    int64_t now_ps);

/* As above for WEIR_PORT_FIFO. */
int weir_port_admit_fifo(struct weir_port *p, struct weir_packet *packet, int64_t now_ps);

/* Applies the dequeue verdict to a packet. Returns WEIR_PORT_DROPPED or WEIR_PORT_SEND. */
int weir_port_mark_dequeue(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
			   int64_t now_ps);

/* Reserves the slot behind the last packet of a queue; weir_port_push must follow. Returns 0, or
 * -1: the packet store is full and the packet must be dropped. */
static inline WEIR_ALWAYS_INLINE int weir_port_reserve_slot(struct weir_packet_pool *pool,
							    const struct weir_packet *packet,
							    struct weir_queue *q, uint32_t *slot)
{
	if (q->pkts == 0) {
		if (weir_chunk_reserve(pool))
			return -1;
		*slot = weir_chunk_alloc(pool) << WEIR_CHUNK_SHIFT;
		q->head = *slot;
		q->head_bytes = packet->bytes;
	} else {
		*slot = q->tail;
		if ((*slot & WEIR_CHUNK_MASK) == 0) {
			uint32_t chunk;

			if (weir_chunk_reserve(pool))
				return -1;
			chunk = weir_chunk_alloc(pool);
			pool->next[(*slot - 1) >> WEIR_CHUNK_SHIFT] = chunk;
			*slot = chunk << WEIR_CHUNK_SHIFT;
		}
	}
	return 0;
}

/* Copies the packet to the end of its queue, into the slot of weir_port_reserve_slot, and returns
 * the copy. Does not count it in the shared buffer. */
static inline struct weir_packet *weir_port_push(struct weir_port *p, struct weir_packet_pool *pool,
						 const struct weir_packet *packet,
						 struct weir_queue *q, uint32_t slot)
{
	pool->slots[slot] = *packet;
	q->tail = slot + 1;
	q->bytes += packet->bytes;
	q->pkts++;
	p->bytes += packet->bytes;
	p->pkts++;
	return &pool->slots[slot];
}

/* As above, and counts it in the shared buffer. */
static inline struct weir_packet *weir_port_enqueue(struct weir_port *p,
						    struct weir_packet_pool *pool,
						    const struct weir_packet *packet,
						    struct weir_queue *q, uint32_t slot)
{
	if (p->shared_buffer)
		p->shared_buffer->used_bytes += packet->bytes;
	return weir_port_push(p, pool, packet, q, slot);
}

/* With a scheduler: weir_port_offer, and the dequeue of the packet that the scheduler picks. NULL:
 * every queue that holds packets is paused, and the port is blocked from now on. */
int weir_port_offer_sched(struct weir_port *p, struct weir_packet_pool *pool,
			  struct weir_packet *packet, int64_t now_ps);
struct weir_packet *weir_port_dequeue_sched(struct weir_port *p, struct weir_packet_pool *pool,
					    uint32_t *queue);

/* Lists the slots of all packets in a queue, in no particular order, into slots, which has room for
 * queue.pkts. Returns how many there are; another number than queue.pkts is a bug. For audits, with
 * the port at rest. */
uint32_t weir_port_list_queued(const struct weir_port *p, uint32_t queue,
			       const struct weir_packet_store *store, uint32_t *slots);

/* Is it a FIFO without a dequeue hook? */
static inline int weir_port_is_fast_fifo(const struct weir_port *p)
{
	return p->kind->order == WEIR_PORT_FIFO && !p->kind->mark_dequeue;
}

/* When the link is free, whatever is paused. */
static inline int64_t weir_port_link_free_ps(const struct weir_port *p)
{
	return p->free_ps == WEIR_PORT_BLOCKED_PS ? p->cold->link_free_ps : p->free_ps;
}

static inline int weir_port_is_paused(const struct weir_port *p, uint32_t queue)
{
	return p->paused_queues && p->cold->paused[queue / 64] >> (queue % 64) & 1;
}

/* A packet starts on the link at start_ps, unless the dequeue verdict drops it; hook says which
 * kind of packet it is for the marking scheme. The link is occupied before the scheme is asked: a
 * scheme that needs the shared buffer's fill has every port of the switch catch up first, this one
 * too. */
static inline WEIR_ALWAYS_INLINE int weir_port_leave(struct weir_port *p,
						     struct weir_packet *packet, uint32_t queue,
						     int64_t start_ps, uint32_t hook)
{
	weir_port_occupy(p, packet->bytes, start_ps);
	if (p->kind->dequeue_hooks & hook &&
	    weir_port_mark_dequeue(p, packet, queue, start_ps) == WEIR_PORT_DROPPED) {
		p->free_ps = start_ps;
		p->tx_pkts--;
		p->tx_bytes -= packet->bytes;
		return WEIR_PORT_DROPPED;
	}
	return WEIR_PORT_SEND;
}

/* weir_port_offer for WEIR_PORT_FIFO; packet->time_ps is when the packet wants to leave. Unless it
 * is marked, nothing is written into the packet before it is copied: it may be in another core's
 * cache, and the copy would wait for the write. WEIR_PORT_QUEUED: *place is the copy in the queue.
 *
 * Compile-time constants of the caller: hooks, WEIR_PORT_HOOK_IDLE, or 0 for a port without a
 * dequeue hook; shares, here and below, 0 for a port whose buffer is its own. */
static inline WEIR_ALWAYS_INLINE int
weir_port_offer_fifo(struct weir_port *p, struct weir_packet_pool *pool, struct weir_packet *packet,
		     struct weir_packet **place, uint32_t hooks, int shares)
{
	int64_t now_ps = packet->time_ps;
	struct weir_queue *q = weir_port_queues(p);
	uint32_t slot;

	if (WEIR_UNLIKELY(p->pkts >= p->kind->fast_pkts || p->bytes >= p->kind->fast_bytes) &&
	    weir_port_admit_fifo(p, packet, now_ps) == WEIR_PORT_DROPPED)
		return WEIR_PORT_DROPPED;
	if (p->pkts == 0 && p->free_ps <= now_ps) /* skips the queue */
		return weir_port_leave(p, packet, 0, now_ps, hooks);
	if (weir_port_reserve_slot(pool, packet, q, &slot))
		return weir_port_drop(p, WEIR_DROP_STORE_FULL);
	weir_port_stats_join(p, now_ps);
	*place = shares ? weir_port_enqueue(p, pool, packet, q, slot)
			: weir_port_push(p, pool, packet, q, slot);
	return WEIR_PORT_QUEUED;
}

/* weir_port_offer, inline. */
static inline WEIR_ALWAYS_INLINE int weir_port_offer_inline(struct weir_port *p,
							    struct weir_packet_pool *pool,
							    struct weir_packet *packet,
							    int64_t now_ps)
{
	struct weir_packet *place;

	if (p->kind->order != WEIR_PORT_FIFO)
		return weir_port_offer_sched(p, pool, packet, now_ps);
	packet->time_ps = now_ps;
	return weir_port_offer_fifo(p, pool, packet, &place, WEIR_PORT_HOOK_IDLE, 1);
}

/* Takes the packet at the head of a queue off it. Its memory belongs to the pool again, but is not
 * reused before the pool is used next. Does not release its bytes in the shared buffer. */
static inline struct weir_packet *weir_port_pop(struct weir_port *p, struct weir_packet_pool *pool,
						struct weir_queue *q)
{
	uint32_t slot = q->head;
	struct weir_packet *packet = &pool->slots[slot];

	q->bytes -= packet->bytes;
	q->pkts--;
	p->bytes -= packet->bytes;
	p->pkts--;
	if (q->pkts == 0) {
		weir_chunk_free(pool, slot >> WEIR_CHUNK_SHIFT);
		return packet;
	}
	slot++;
	if ((slot & WEIR_CHUNK_MASK) == 0) {
		uint32_t chunk = (slot - 1) >> WEIR_CHUNK_SHIFT, next = pool->next[chunk];

		slot = next << WEIR_CHUNK_SHIFT;
		weir_chunk_free(pool, chunk);
		/* Packets of a long queue have left the cache: prefetches the chunk after next. */
		if (q->pkts > WEIR_CHUNK_PACKETS)
			weir_chunk_prefetch(pool, pool->next[next]);
	}
	q->head = slot;
	return packet;
}

/* As above, and releases its bytes in the shared buffer. */
static inline struct weir_packet *
weir_port_dequeue(struct weir_port *p, struct weir_packet_pool *pool, struct weir_queue *q)
{
	struct weir_packet *packet = weir_port_pop(p, pool, q);

	if (p->shared_buffer)
		p->shared_buffer->used_bytes -= packet->bytes;
	return packet;
}

/* The two halves of weir_port_next. weir_port_dequeue_next takes the next packet off its queue;
 * NULL: all that is queued is paused. weir_port_start starts it on the link at free_ps, unless the
 * dequeue verdict drops it. */
static inline WEIR_ALWAYS_INLINE struct weir_packet *
weir_port_dequeue_next(struct weir_port *p, struct weir_packet_pool *pool, uint32_t *queue)
{
	if (p->stats && p->pkts != p->paused_pkts)
		weir_port_stats_account(p, p->free_ps);
	return p->kind->order == WEIR_PORT_FIFO ? weir_port_dequeue(p, pool, weir_port_queues(p))
						: weir_port_dequeue_sched(p, pool, queue);
}

static inline WEIR_ALWAYS_INLINE int weir_port_start(struct weir_port *p,
						     struct weir_packet *packet, uint32_t queue)
{
	return weir_port_leave(p, packet, queue, p->free_ps, WEIR_PORT_HOOK_QUEUED);
}

/* weir_port_next, inline. */
static inline WEIR_ALWAYS_INLINE struct weir_packet *
weir_port_next_inline(struct weir_port *p, struct weir_packet_pool *pool)
{
	uint32_t queue = 0;
	struct weir_packet *packet = weir_port_dequeue_next(p, pool, &queue);

	return packet && weir_port_start(p, packet, queue) == WEIR_PORT_SEND ? packet : NULL;
}

/* As above for a port that weir_port_is_fast_fifo. */
static inline WEIR_ALWAYS_INLINE struct weir_packet *
weir_port_next_fast(struct weir_port *p, struct weir_packet_pool *pool, int shares)
{
	if (p->stats)
		weir_port_stats_account(p, p->free_ps);

	struct weir_packet *packet = shares ? weir_port_dequeue(p, pool, weir_port_queues(p))
					    : weir_port_pop(p, pool, weir_port_queues(p));

	weir_port_occupy(p, packet->bytes, p->free_ps);
	return packet;
}

WEIR_END
#endif
