/* SPDX-License-Identifier: BSD-3-Clause */
/* port_inline.h -- the egress port: classify, admit, mark, queue, schedule, mark, send.
 *
 * Whoever owns the port drives it: weir_port_offer for a packet that wants to leave, weir_port_next
 * whenever the line is free and something waits. The port decides and counts; the owner puts the
 * packet on its wire at the time the port says. Time is in picoseconds because a byte at 100 Gb/s
 * takes 80 of them; schemes see nanoseconds. Nothing here allocates or fails: a packet that cannot
 * be sent has a reason, and each reason has its counter, a full packet store too. Settings that
 * come from a user go through weir_port_plan_check first.
 *
 * The functions are in this header so that the owner's loop and the port become one piece of
 * code. */
#ifndef WEIR_PORT_H
#define WEIR_PORT_H
#include "weir/compiler.h"
#include "weir/begin.h"
#include "weir/buffer.h"
#include "weir/mark.h"
#include "weir/packet.h"
#include "weir/pool.h"
#include "weir/sched.h"
#include "weir/units.h"
#include <stddef.h>

WEIR_BEGIN

enum weir_port_drop {
	WEIR_DROP_QUEUE_FULL,         /* the queue's limit */
	WEIR_DROP_PORT_FULL,          /* the port's limit */
	WEIR_DROP_SHARED_BUFFER_FULL, /* shared pool or its dynamic threshold */
	WEIR_DROP_NOT_ECT,            /* a mark for a packet that is not ECN-capable */
	WEIR_DROP_SCHEME,             /* the marking scheme said so */
	WEIR_DROP_LINK_DOWN,          /* counted by the owner */
	WEIR_DROP_STORE_FULL,         /* no memory is left in the packet store (weir/pool.h) */
	WEIR_PORT_DROPS,
};

extern const char *const weir_port_drop_names[WEIR_PORT_DROPS];

enum weir_port_answer {
	WEIR_PORT_SEND, /* the packet starts on the line now and occupies it until free_ps */
	WEIR_PORT_QUEUED,
	WEIR_PORT_DROPPED,
};

/* How packets wait in a port. */
enum weir_port_order {
	WEIR_PORT_FIFO,      /* one queue, first in first out: nobody is asked */
	WEIR_PORT_SCHEDULED, /* several, and a scheduler */
	WEIR_PORT_RANKED,    /* one or several, each ordered by the scheduler's ranks */
};

/* Which packets the dequeue hook of the marking scheme wants to see. */
enum weir_port_dequeue_hook {
	WEIR_PORT_HOOK_QUEUED = 1, /* those that waited */
	WEIR_PORT_HOOK_IDLE = 2,   /* those that found the port empty and the line free */
};

/* Ports that differ in nothing but their load share one of these. Read-only on the data path. */
struct weir_port_class {
	/* Hot: a packet that finds less than both of these is admitted, and not marked on its way
	 * in. */
	uint32_t fast_pkts, fast_bytes;
	uint32_t room_pkts, room_bytes;   /* the first for itself */
	uint32_t quiet_pkts, quiet_bytes; /* and the second */
	uint32_t order;                   /* enum weir_port_order */
	uint32_t queues;
	uint32_t overhead_bytes, min_bytes; /* on the wire: max(bytes, min) + overhead */
	uint32_t (*mark_enqueue)(void *, const void *, const struct weir_mark_view *);
	uint32_t (*mark_dequeue)(void *, const void *, const struct weir_mark_view *);
	const void *mark_params;
	/* NULL: a packet's queue is that of its class. */
	uint32_t (*choose_queue)(void *, const void *, const struct weir_mark_view *,
				 const struct weir_queue *);
	struct weir_mark_fast_hooks fast_hooks; /* what takes the place of the three above */
	uint64_t ps_per_byte_q20;
	struct weir_buffer_params buffer;
	int64_t rtt_ns;
	uint32_t mark_stride; /* bytes from one queue's state to the next; 0: one per port */
	uint32_t mark_needs;
	uint32_t mtu_bytes;
	uint32_t pass_not_ect; /* 1: a mark leaves packets that are not ECN-capable alone */
	uint32_t lossless;     /* bit per class: the owner admits its packets */
	uint32_t rate_mbps;
	uint32_t asks;           /* bits of enum weir_port_dequeue_hook */
	uint32_t counts_sojourn; /* 1: ports whose statistics have waits count them */
	uint32_t slow_dequeue;   /* 1: packets that leave concern more than their queue's marking */
	uint64_t rate_bps;
	const struct weir_sched_ops *sched; /* NULL where order is WEIR_PORT_FIFO */
	const void *sched_params;
	const struct weir_mark_ops *mark;
	/* Where a port's parts lie, from its start: queues, states, all in one piece of memory. */
	uint32_t mark_offset, sched_offset, size;
	uint32_t cold_offset;     /* 0: somewhere else */
	uint8_t class_queue[256]; /* class of a packet -> queue */
};

struct weir_port;

/* Queue length over time: bucket_ps[i] is how long the port held weir_port_stats_floor(i) packets
 * or more, up to the next bucket. Exact below WEIR_PORT_STATS_EXACT packets, within 1/32 above. */
enum {
	WEIR_PORT_STATS_EXACT = 128,
	WEIR_PORT_STATS_STEPS_SHIFT = 5,
	WEIR_PORT_STATS_OCTAVES = 14,
	WEIR_PORT_STATS_BUCKETS =
		WEIR_PORT_STATS_EXACT + (WEIR_PORT_STATS_OCTAVES << WEIR_PORT_STATS_STEPS_SHIFT),
};

/* How long packets that were sent have waited, in ns, in buckets of the same bounds: those that
 * nobody had to wait for may be missing. */
enum {
	WEIR_PORT_SOJOURN_OCTAVES = 25, /* up to 2^32 ns */
	WEIR_PORT_SOJOURN_BUCKETS =
		WEIR_PORT_STATS_EXACT + (WEIR_PORT_SOJOURN_OCTAVES << WEIR_PORT_STATS_STEPS_SHIFT),
};

struct weir_port_sojourns {
	uint64_t pkts;
	uint64_t bucket_pkts[WEIR_PORT_SOJOURN_BUCKETS];
};

struct weir_port_stats {
	int64_t since_ps; /* the port holds what it holds now since then */
	/* NULL, or called when that is about to change: the port held p->pkts since since_ps. */
	void (*on_change)(void *context, const struct weir_port *p, int64_t since_ps);
	void *context;
	uint64_t many_pkts_ps; /* see weir_port_stats_pkts_ps: the part that the exact buckets do
				  not tell */
	weir_u128 bytes_ps;
	uint32_t max_pkts;
	uint32_t buckets; /* that there are, of the following; as a rule all of them */
	struct weir_port_sojourns *waits; /* NULL: nobody asks; see weir_port_plan.counts_sojourn */
	/* NULL, or called when the port is about to hold more packets than there are buckets for:
	 * puts statistics that have them in the place of p->stats. */
	void (*grow)(struct weir_port *p);
	void *owner; /* for grow */
	uint64_t bucket_ps[WEIR_PORT_STATS_BUCKETS];
};

/* Of statistics that have only so many buckets. */
static inline size_t weir_port_stats_size(uint32_t buckets)
{
	return offsetof(struct weir_port_stats, bucket_ps) + buckets * sizeof(uint64_t);
}

/* What most packets leave alone. */
struct weir_port_cold {
	uint64_t marks[WEIR_MARK_REASONS];
	uint64_t drops[WEIR_PORT_DROPS];
	int64_t link_free_ps;                  /* while blocked: when the line is, or was, free */
	uint64_t paused[WEIR_QUEUES_MAX / 64]; /* bit per queue */
};

/* free_ps of a port that has nothing it may send. */
#define WEIR_PORT_BLOCKED_PS INT64_MAX

struct weir_port {
	int64_t free_ps; /* the line is free from here on, or WEIR_PORT_BLOCKED_PS */
	const struct weir_port_class *kind;
	struct weir_shared_buffer *pool; /* WEIR_BUFFER_PER_SWITCH, else NULL */
	struct weir_port_stats *stats;   /* NULL: nobody asks */
	uint32_t bytes, pkts;            /* waiting, over all queues */
	uint64_t tx_pkts, tx_bytes;      /* frames and their bytes, without overhead */
	struct weir_port_cold *cold;
	uint32_t held_pkts; /* packets in queues that are paused, where there is a scheduler */
	uint32_t paused_queues;
	/* followed by: struct weir_queue[queues], marking states, scheduler state, struct
	 * weir_port_cold */
};

/* What a port class is made from. */
struct weir_port_plan {
	uint64_t rate_bps;
	int64_t rtt_ns; /* base round-trip time of the network, for schemes that want to know */
	uint32_t queues;
	const struct weir_mark_ops *mark;
	const void *mark_params;
	const struct weir_sched_ops *sched; /* may be NULL where there is one queue */
	const void *sched_params;
	struct weir_buffer_params buffer;
	uint32_t overhead_bytes, min_bytes;
	uint32_t pass_not_ect;
	uint32_t lossless;       /* bit per class: buffer limits are the owner's business */
	uint32_t counts_sojourn; /* 1: packets are looked at as they leave, for stats->waits */
	uint32_t mtu_bytes;
	uint32_t cold_is_apart; /* 1: struct weir_port_cold is not part of the port; the owner sets
				 * port->cold, zeroed, behind weir_port_init */
};

/* Can ports of this plan work? -1 with a message: queues, scheduler and marking scheme do not go
 * together, a rate or size is outside its limits, or something is missing. For whatever a user may
 * choose; a plan that is refused must not become a class. */
int weir_port_plan_check(const struct weir_port_plan *plan, struct weir_error *e);

/* params stay the caller's and must outlive the class. Classes map to queues one to one; those
 * beyond the last queue to the last. */
void weir_port_class_init(struct weir_port_class *c, const struct weir_port_plan *plan);

/* port points at class->size bytes, 8-aligned and zero. pool: of the switch, where the buffer is
 * WEIR_BUFFER_PER_SWITCH. seed is this port's own. */
void weir_port_init(struct weir_port *p, const struct weir_port_class *c,
		    struct weir_shared_buffer *pool, uint64_t seed);

void weir_port_stats_start(struct weir_port *p, struct weir_port_stats *s, int64_t now_ps);

/* The same with WEIR_PORT_STATS_BUCKETS or fewer than WEIR_PORT_STATS_EXACT of them, but more than
 * the port holds packets: s points at weir_port_stats_size(buckets) bytes, which are zero. Whoever
 * has fewer sets grow. */
void weir_port_stats_begin(struct weir_port *p, struct weir_port_stats *s, uint32_t buckets,
			   int64_t now_ps);
void weir_port_stats_stop(struct weir_port *p, int64_t now_ps); /* accounts up to now */

uint32_t weir_port_stats_floor(uint32_t bucket);

/* The integral of packets over time. */
uint64_t weir_port_stats_pkts_ps(const struct weir_port_stats *s);

/* Smallest length that the queue was at or below for the fraction of the time; 0 < fraction <=
 * 1. */
uint32_t weir_port_stats_quantile(const struct weir_port_stats *s, double fraction);

/* Likewise, of packets: the fraction of them that waited no longer, in ns. */
uint32_t weir_port_sojourns_quantile(const struct weir_port_sojourns *w, double fraction);

/* Of any number; those of queue lengths end sooner. */
static inline uint32_t weir_port_bucket(uint32_t x)
{
	if (x < WEIR_PORT_STATS_EXACT)
		return x;

	uint32_t octave = 31 - (uint32_t)__builtin_clz(x) - 7; /* 2^7 == WEIR_PORT_STATS_EXACT */
	uint32_t step = (x >> (octave + 7 - WEIR_PORT_STATS_STEPS_SHIFT)) &
			((1u << WEIR_PORT_STATS_STEPS_SHIFT) - 1);

	return WEIR_PORT_STATS_EXACT + (octave << WEIR_PORT_STATS_STEPS_SHIFT) + step;
}

static inline uint32_t weir_port_stats_bucket(uint32_t pkts)
{
	if (pkts < WEIR_PORT_STATS_EXACT)
		return pkts;

	uint32_t bucket = weir_port_bucket(pkts);

	return bucket < WEIR_PORT_STATS_BUCKETS ? bucket : WEIR_PORT_STATS_BUCKETS - 1;
}

/* Call before pkts or bytes change. */
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

/* The same where a packet is about to join. */
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

/* Time on the wire of a frame of so many bytes. */
static inline int64_t weir_port_wire_ps(const struct weir_port_class *c, uint32_t bytes)
{
	uint32_t wire = (bytes < c->min_bytes ? c->min_bytes : bytes) + c->overhead_bytes;

	return weir_bytes_to_ps(wire, c->ps_per_byte_q20);
}

/* The frame occupies the line from start_ps on. */
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

/* Is there room, and what does the marking scheme say? WEIR_PORT_DROPPED, or not: then maybe
 * marked. */
int weir_port_admit(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
		    int64_t now_ps);

/* The same of a port with one queue. */
int weir_port_admit_fifo(struct weir_port *p, struct weir_packet *packet, int64_t now_ps);

/* What does the marking scheme say to a packet that leaves? Likewise. */
int weir_port_mark_dequeue(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
			   int64_t now_ps);

/* Finds the slot behind the last packet of a queue, for weir_port_push, which must follow. -1: the
 * packet store is full, and the packet is to be dropped. */
static inline WEIR_ALWAYS_INLINE int weir_port_reserve_slot(struct weir_packet_pool *pool,
							    const struct weir_packet *packet,
							    struct weir_queue *q, uint32_t *slot)
{
	if (q->pkts == 0) {
		if (weir_chunk_reserve(pool))
			return -1;
		*slot = weir_chunk_take(pool) << WEIR_CHUNK_SHIFT;
		q->head = *slot;
		q->head_bytes = packet->bytes;
	} else {
		*slot = q->tail;
		if ((*slot & WEIR_CHUNK_MASK) == 0) {
			uint32_t chunk;

			if (weir_chunk_reserve(pool))
				return -1;
			chunk = weir_chunk_take(pool);
			pool->next[(*slot - 1) >> WEIR_CHUNK_SHIFT] = chunk;
			*slot = chunk << WEIR_CHUNK_SHIFT;
		}
	}
	return 0;
}

/* The packet joins the end of its queue, in the slot of weir_port_reserve_slot. Returns where it is
 * there. The pool of the switch does not learn of it. */
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

static inline struct weir_packet *weir_port_enqueue(struct weir_port *p,
						    struct weir_packet_pool *pool,
						    const struct weir_packet *packet,
						    struct weir_queue *q, uint32_t slot)
{
	if (p->pool)
		p->pool->used_bytes += packet->bytes;
	return weir_port_push(p, pool, packet, q, slot);
}

/* Where there is a scheduler: weir_port_offer, and the choice of who leaves next. NULL: every queue
 * that holds packets is paused, and the port is blocked from now on. */
int weir_port_offer_sched(struct weir_port *p, struct weir_packet_pool *pool,
			  struct weir_packet *packet, int64_t now_ps);
struct weir_packet *weir_port_dequeue_sched(struct weir_port *p, struct weir_packet_pool *pool,
					    uint32_t *queue);

/* A queue may not send, and may again. Everything that could start by now_ps has started. A packet
 * on the line is not stopped. */
void weir_port_pause(struct weir_port *p, uint32_t queue);
void weir_port_resume(struct weir_port *p, uint32_t queue, int64_t now_ps);

/* A frame of the owner's own takes the line ahead of all that waits, paused or not: it starts at
 * the time returned and the line is then busy for as long as it takes. */
int64_t weir_port_send_control(struct weir_port *p, uint32_t bytes, int64_t now_ps);

/* The slots of all packets that wait in a queue, in no certain order, with room for queue.pkts.
 * Returns how many there are, which is that number or a bug. For whoever checks the accounts. */
uint32_t weir_port_list_queued(const struct weir_port *p, uint32_t queue,
			       const struct weir_packet_store *store, uint32_t *slots);

/* One queue, and nobody is asked as packets leave. */
static inline int weir_port_is_fast_fifo(const struct weir_port *p)
{
	return p->kind->order == WEIR_PORT_FIFO && !p->kind->mark_dequeue;
}

/* When the line is free, whatever is paused. */
static inline int64_t weir_port_link_free_ps(const struct weir_port *p)
{
	return p->free_ps == WEIR_PORT_BLOCKED_PS ? p->cold->link_free_ps : p->free_ps;
}

static inline int weir_port_is_paused(const struct weir_port *p, uint32_t queue)
{
	return p->paused_queues && p->cold->paused[queue / 64] >> (queue % 64) & 1;
}

/* The packet takes the line at start_ps, unless the marking scheme, if it wants to see it, has it
 * dropped. The line is taken first: who asks for the pool's fill may have every port catch up, this
 * one too. */
static inline WEIR_ALWAYS_INLINE int weir_port_leave(struct weir_port *p,
						     struct weir_packet *packet, uint32_t queue,
						     int64_t start_ps, uint32_t which)
{
	weir_port_occupy(p, packet->bytes, start_ps);
	if (p->kind->asks & which &&
	    weir_port_mark_dequeue(p, packet, queue, start_ps) == WEIR_PORT_DROPPED) {
		p->free_ps = start_ps;
		p->tx_pkts--;
		p->tx_bytes -= packet->bytes;
		return WEIR_PORT_DROPPED;
	}
	return WEIR_PORT_SEND;
}

/* weir_port_offer where there is no scheduler, of a packet whose time_ps is when it wants to leave.
 * Unless it is marked nothing is written into it before it is copied: it may be in another thread's
 * cache, and a copy waits for such writes. WEIR_PORT_QUEUED: *place is where it waits. What is
 * known when this is compiled: asks: WEIR_PORT_HOOK_IDLE, or 0 of a simple port; shares, here and
 * below: 0: the port has memory of its own. */
static inline WEIR_ALWAYS_INLINE int
weir_port_offer_fifo(struct weir_port *p, struct weir_packet_pool *pool, struct weir_packet *packet,
		     struct weir_packet **place, uint32_t asks, int shares)
{
	int64_t now_ps = packet->time_ps;
	struct weir_queue *q = weir_port_queues(p);
	uint32_t slot;

	if (WEIR_UNLIKELY(p->pkts >= p->kind->fast_pkts || p->bytes >= p->kind->fast_bytes) &&
	    weir_port_admit_fifo(p, packet, now_ps) == WEIR_PORT_DROPPED)
		return WEIR_PORT_DROPPED;
	if (p->pkts == 0 && p->free_ps <= now_ps) /* straight through */
		return weir_port_leave(p, packet, 0, now_ps, asks);
	if (weir_port_reserve_slot(pool, packet, q, &slot))
		return weir_port_drop(p, WEIR_DROP_STORE_FULL);
	weir_port_stats_join(p, now_ps);
	*place = shares ? weir_port_enqueue(p, pool, packet, q, slot)
			: weir_port_push(p, pool, packet, q, slot);
	return WEIR_PORT_QUEUED;
}

/* A packet wants to leave at now_ps. Every packet that could start by now_ps has started
 * (weir_port_next). WEIR_PORT_SEND: the owner sends *packet, which may have been marked; the line
 * is busy until free_ps. */
static inline WEIR_ALWAYS_INLINE int weir_port_offer(struct weir_port *p,
						     struct weir_packet_pool *pool,
						     struct weir_packet *packet, int64_t now_ps)
{
	struct weir_packet *place;

	if (p->kind->order != WEIR_PORT_FIFO)
		return weir_port_offer_sched(p, pool, packet, now_ps);
	packet->time_ps = now_ps;
	return weir_port_offer_fifo(p, pool, packet, &place, WEIR_PORT_HOOK_IDLE, 1);
}

/* Takes the packet at the head of a queue off it. Its memory is the pool's again, but is not
 * touched before the pool is used next. The pool of the switch does not learn of it. */
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
		weir_chunk_give(pool, slot >> WEIR_CHUNK_SHIFT);
		return packet;
	}
	slot++;
	if ((slot & WEIR_CHUNK_MASK) == 0) {
		uint32_t chunk = (slot - 1) >> WEIR_CHUNK_SHIFT, next = pool->next[chunk];

		slot = next << WEIR_CHUNK_SHIFT;
		weir_chunk_give(pool, chunk);
		/* What waits longer has left the cache: the chunk after this one is fetched. */
		if (q->pkts > WEIR_CHUNK_PACKETS)
			weir_chunk_fetch(pool, pool->next[next]);
	}
	q->head = slot;
	return packet;
}

static inline struct weir_packet *
weir_port_dequeue(struct weir_port *p, struct weir_packet_pool *pool, struct weir_queue *q)
{
	struct weir_packet *packet = weir_port_pop(p, pool, q);

	if (p->pool)
		p->pool->used_bytes -= packet->bytes;
	return packet;
}

/* The two halves of weir_port_next: the next packet leaves its queue, NULL where all that waits is
 * paused; and starts on the line at free_ps, unless the marking scheme has it dropped. */
static inline WEIR_ALWAYS_INLINE struct weir_packet *
weir_port_dequeue_next(struct weir_port *p, struct weir_packet_pool *pool, uint32_t *queue)
{
	if (p->stats && p->pkts != p->held_pkts)
		weir_port_stats_account(p, p->free_ps);
	return p->kind->order == WEIR_PORT_FIFO ? weir_port_dequeue(p, pool, weir_port_queues(p))
						: weir_port_dequeue_sched(p, pool, queue);
}

static inline WEIR_ALWAYS_INLINE int weir_port_start(struct weir_port *p,
						     struct weir_packet *packet, uint32_t queue)
{
	return weir_port_leave(p, packet, queue, p->free_ps, WEIR_PORT_HOOK_QUEUED);
}

/* The line is free at free_ps and something waits: takes the next packet for a start at free_ps. It
 * is the caller's until the pool is used next. NULL: the packet was dropped on its way out and the
 * line is still free, or all that waits is paused and the port blocked. */
static inline WEIR_ALWAYS_INLINE struct weir_packet *weir_port_next(struct weir_port *p,
								    struct weir_packet_pool *pool)
{
	uint32_t queue = 0;
	struct weir_packet *packet = weir_port_dequeue_next(p, pool, &queue);

	return packet && weir_port_start(p, packet, queue) == WEIR_PORT_SEND ? packet : NULL;
}

/* The same of a simple port. */
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
