/* port.h -- the egress port: classify, admit, mark, queue, schedule, mark, send.
 *
 * Whoever owns the port drives it: port_offer for a packet that wants to leave, port_next whenever
 * the line is free and something waits. The port decides and counts; the owner puts the packet on
 * its wire at the time the port says. Time is in picoseconds because a byte at 100 Gb/s takes 80 of
 * them; schemes see nanoseconds. Nothing here allocates or fails: a packet that cannot be sent has a
 * reason, and each reason has its counter.
 *
 * The functions are in this header so that the owner's loop and the port become one piece of code. */
#ifndef WEIR_PORT_H
#define WEIR_PORT_H
#include "weir/buffer.h"
#include "weir/mark.h"
#include "weir/packet.h"
#include "weir/pool.h"
#include "weir/sched.h"
#include "weir/units.h"

enum port_drop {
	DROP_QUEUE_FULL, /* the queue's limit */
	DROP_PORT_FULL,  /* the port's limit */
	DROP_POOL_FULL,  /* shared pool or its dynamic threshold */
	DROP_NOT_ECT,    /* a mark for a packet that is not ECN-capable */
	DROP_SCHEME,     /* the marking scheme said so */
	DROP_LINK_DOWN,  /* counted by the owner */
	PORT_DROPS,
};

extern const char *const port_drop_names[PORT_DROPS];

enum port_answer {
	PORT_SEND, /* the packet starts on the line now and occupies it until free_ps */
	PORT_QUEUED,
	PORT_DROPPED,
};

/* How packets wait in a port. */
enum port_order {
	PORT_PLAIN,  /* one queue, first in first out: nobody is asked */
	PORT_QUEUES, /* several, and a scheduler */
	PORT_RANKED, /* one or several, each ordered by the scheduler's ranks */
};

/* Ports that differ in nothing but their load share one of these. Read-only on the data path. */
struct port_class {
	/* Hot: a packet that finds less than both of these is admitted, and not marked on its way in. */
	uint32_t easy_pkts, easy_bytes;
	uint32_t order; /* enum port_order */
	uint32_t queues;
	uint32_t overhead_bytes, min_bytes; /* on the wire: max(bytes, min) + overhead */
	uint32_t (*mark_enqueue)(void *, const void *, const struct mark_view *);
	uint32_t (*mark_dequeue)(void *, const void *, const struct mark_view *);
	const void *mark_params;
	/* NULL: a packet's queue is that of its class. */
	uint32_t (*choose_queue)(void *, const void *, const struct mark_view *,
				 const struct queue *);
	uint64_t ps_per_byte_q20;
	struct buffer_params buffer;
	int64_t rtt_ns;
	uint32_t mark_stride; /* bytes from one queue's state to the next; 0: one per port */
	uint32_t mark_needs;
	uint32_t mtu_bytes;
	uint32_t pass_not_ect; /* 1: a mark leaves packets that are not ECN-capable alone */
	uint32_t lossless;     /* bit per class: the owner admits its packets */
	uint64_t rate_bps;
	const struct sched_ops *sched; /* NULL where order is PORT_PLAIN */
	const void *sched_params;
	const struct mark_ops *mark;
	/* Where a port's parts lie, from its start: queues, states, all in one piece of memory. */
	uint32_t mark_offset, sched_offset, size;
	uint8_t class_queue[256]; /* class of a packet -> queue */
};

struct port;

/* Queue length over time: bucket_ps[i] is how long the port held port_stats_floor(i) packets or
 * more, up to the next bucket. Exact below PORT_STATS_EXACT packets, within 1/32 above. */
enum {
	PORT_STATS_EXACT = 128,
	PORT_STATS_STEPS_SHIFT = 5,
	PORT_STATS_OCTAVES = 14,
	PORT_STATS_BUCKETS = PORT_STATS_EXACT + (PORT_STATS_OCTAVES << PORT_STATS_STEPS_SHIFT),
};

struct port_stats {
	int64_t since_ps; /* the port holds what it holds now since then */
	/* NULL, or called when that is about to change: the port held p->pkts since since_ps. */
	void (*on_change)(void *context, const struct port *p, int64_t since_ps);
	void *context;
	uint64_t pkts_ps; /* integral of packets over time */
	__extension__ unsigned __int128 bytes_ps;
	uint32_t max_pkts;
	uint64_t bucket_ps[PORT_STATS_BUCKETS];
};

/* free_ps of a port that has nothing it may send. */
#define PORT_BLOCKED_PS INT64_MAX

struct port {
	int64_t free_ps; /* the line is free from here on, or PORT_BLOCKED_PS */
	const struct port_class *class;
	struct buffer_pool *pool;   /* BUFFER_PER_SWITCH, else NULL */
	struct port_stats *stats;   /* NULL: nobody asks */
	uint32_t bytes, pkts;       /* waiting, over all queues */
	uint64_t tx_pkts, tx_bytes; /* frames and their bytes, without overhead */
	uint64_t marks[MARK_REASONS];
	uint64_t drops[PORT_DROPS];
	int64_t line_free_ps; /* while blocked: when the line is, or was, free */
	uint32_t held_pkts;   /* packets in queues that are paused, where there is a scheduler */
	uint32_t unused;
	uint64_t paused[QUEUES_MAX / 64]; /* bit per queue */
	/* followed by: struct queue[queues], marking states, scheduler state */
};

/* What a port class is made from. */
struct port_plan {
	uint64_t rate_bps;
	int64_t rtt_ns; /* base round-trip time of the network, for schemes that want to know */
	uint32_t queues;
	const struct mark_ops *mark;
	const void *mark_params;
	const struct sched_ops *sched; /* may be NULL where there is one queue */
	const void *sched_params;
	struct buffer_params buffer;
	uint32_t overhead_bytes, min_bytes;
	uint32_t pass_not_ect;
	uint32_t lossless; /* bit per class: buffer limits are the owner's business */
	uint32_t mtu_bytes;
};

/* params stay the caller's and must outlive the class. Classes map to queues one to one; those
 * beyond the last queue to the last. */
void port_class_init(struct port_class *c, const struct port_plan *plan);

/* port points at class->size bytes, 8-aligned and zero. seed is this port's own. */
void port_init(struct port *p, const struct port_class *c, struct buffer_pool *pool, uint64_t seed);

void port_stats_start(struct port *p, struct port_stats *s, int64_t now_ps);
void port_stats_stop(struct port *p, int64_t now_ps); /* accounts up to now */

uint32_t port_stats_floor(uint32_t bucket);

/* Smallest length that the queue was at or below for the fraction of the time; 0 < fraction <= 1. */
uint32_t port_stats_quantile(const struct port_stats *s, double fraction);

static inline uint32_t port_stats_bucket(uint32_t pkts)
{
	if (pkts < PORT_STATS_EXACT)
		return pkts;

	uint32_t octave = 31 - (uint32_t)__builtin_clz(pkts) - 7; /* 2^7 == PORT_STATS_EXACT */
	uint32_t step = (pkts >> (octave + 7 - PORT_STATS_STEPS_SHIFT)) &
			((1u << PORT_STATS_STEPS_SHIFT) - 1);
	uint32_t bucket = PORT_STATS_EXACT + (octave << PORT_STATS_STEPS_SHIFT) + step;

	return bucket < PORT_STATS_BUCKETS ? bucket : PORT_STATS_BUCKETS - 1;
}

/* Call before pkts or bytes change. */
static inline void port_stats_account(struct port *p, int64_t now_ps)
{
	struct port_stats *s = p->stats;
	uint64_t held_ps = (uint64_t)(now_ps - s->since_ps);

	if (__builtin_expect(s->on_change != NULL, 0))
		s->on_change(s->context, p, s->since_ps);
	s->since_ps = now_ps;
	s->bucket_ps[port_stats_bucket(p->pkts)] += held_ps;
	s->pkts_ps += p->pkts * held_ps;
	s->bytes_ps += (__extension__(unsigned __int128) p->bytes) * held_ps;
}

/* The same where a packet is about to join. */
static inline void port_stats_join(struct port *p, int64_t now_ps)
{
	if (!p->stats)
		return;
	port_stats_account(p, now_ps);
	if (p->pkts >= p->stats->max_pkts)
		p->stats->max_pkts = p->pkts + 1;
}

static inline struct queue *port_queues(struct port *p)
{
	return (struct queue *)(p + 1);
}

static inline void *port_mark_state(struct port *p, uint32_t q)
{
	return (char *)p + p->class->mark_offset + (size_t)q * p->class->mark_stride;
}

static inline void *port_sched_state(struct port *p)
{
	return (char *)p + p->class->sched_offset;
}

/* Time on the wire of a frame of so many bytes. */
static inline int64_t port_wire_ps(const struct port_class *c, uint32_t bytes)
{
	uint32_t wire = (bytes < c->min_bytes ? c->min_bytes : bytes) + c->overhead_bytes;

	return bytes_to_ps(wire, c->ps_per_byte_q20);
}

/* The frame occupies the line from start_ps on. */
static inline void port_occupy(struct port *p, uint32_t bytes, int64_t start_ps)
{
	p->free_ps = start_ps + port_wire_ps(p->class, bytes);
	p->tx_pkts++;
	p->tx_bytes += bytes;
}

static inline int port_drop(struct port *p, enum port_drop reason)
{
	p->drops[reason]++;
	return PORT_DROPPED;
}

/* The marking scheme's own choice of a queue. */
uint32_t port_choose(struct port *p, const struct packet *packet, int64_t now_ps);

/* Is there room, and what does the marking scheme say? PORT_DROPPED, or not: then maybe marked. */
int port_judge(struct port *p, struct packet *packet, uint32_t queue, int64_t now_ps);

/* What does the marking scheme say to a packet that leaves? Likewise. */
int port_ask_dequeue(struct port *p, struct packet *packet, uint32_t queue, int64_t now_ps);

/* The packet joins the end of its queue. */
static inline void port_append(struct port *p, struct packet_pool *pool,
			       const struct packet *packet, struct queue *q)
{
	uint32_t slot;

	if (q->pkts == 0) {
		slot = chunk_take(pool) << CHUNK_SHIFT;
		q->head = slot;
		q->head_bytes = packet->bytes;
	} else {
		slot = q->tail;
		if ((slot & CHUNK_MASK) == 0) {
			uint32_t chunk = chunk_take(pool);

			pool->next[(slot - 1) >> CHUNK_SHIFT] = chunk;
			slot = chunk << CHUNK_SHIFT;
		}
	}
	pool->slots[slot] = *packet;
	q->tail = slot + 1;
	q->bytes += packet->bytes;
	q->pkts++;
	p->bytes += packet->bytes;
	p->pkts++;
	if (p->pool)
		p->pool->used_bytes += packet->bytes;
}

/* Where there is a scheduler: port_offer, and the choice of who leaves next. NULL: every queue that
 * holds packets is paused, and the port is blocked from now on. */
int port_offer_sched(struct port *p, struct packet_pool *pool, struct packet *packet,
		     int64_t now_ps);
struct packet *port_take_sched(struct port *p, struct packet_pool *pool, uint32_t *queue);

/* A queue may not send, and may again. Everything that could start by now_ps has started. A packet
 * on the line is not stopped. */
void port_pause(struct port *p, uint32_t queue);
void port_resume(struct port *p, uint32_t queue, int64_t now_ps);

/* A frame of the owner's own takes the line ahead of all that waits, paused or not: it starts at the
 * time returned and the line is then busy for as long as it takes. */
int64_t port_interject(struct port *p, uint32_t bytes, int64_t now_ps);

/* The slots of all packets that wait in a queue, in no certain order, with room for queue.pkts. Returns
 * how many there are, which is that number or a bug. For whoever checks the accounts. */
uint32_t port_waiting(const struct port *p, uint32_t queue, const struct packet_store *store,
		      uint32_t *slots);

/* When the line is free, whatever is paused. */
static inline int64_t port_line_free_ps(const struct port *p)
{
	return p->free_ps == PORT_BLOCKED_PS ? p->line_free_ps : p->free_ps;
}

static inline int port_is_paused(const struct port *p, uint32_t queue)
{
	return (int)(p->paused[queue / 64] >> (queue % 64) & 1);
}

/* The packet takes the line at start_ps, unless the marking scheme has it dropped. The line is taken
 * first: who asks for the pool's fill may have every port catch up, this one too. */
static inline __attribute__((always_inline)) int port_leave(struct port *p, struct packet *packet,
							    uint32_t queue, int64_t start_ps)
{
	port_occupy(p, packet->bytes, start_ps);
	if (p->class->mark_dequeue &&
	    port_ask_dequeue(p, packet, queue, start_ps) == PORT_DROPPED) {
		p->free_ps = start_ps;
		p->tx_pkts--;
		p->tx_bytes -= packet->bytes;
		return PORT_DROPPED;
	}
	return PORT_SEND;
}

/* A packet wants to leave at now_ps. Every packet that could start by now_ps has started (port_next).
 * PORT_SEND: the owner sends *packet, which may have been marked; the line is busy until free_ps. */
static inline int port_offer(struct port *p, struct packet_pool *pool, struct packet *packet,
			     int64_t now_ps)
{
	const struct port_class *c = p->class;

	if (c->order != PORT_PLAIN)
		return port_offer_sched(p, pool, packet, now_ps);
	if (__builtin_expect(p->pkts >= c->easy_pkts || p->bytes >= c->easy_bytes, 0) &&
	    port_judge(p, packet, 0, now_ps) == PORT_DROPPED)
		return PORT_DROPPED;
	packet->time_ps = now_ps;
	if (p->pkts == 0 && p->free_ps <= now_ps) /* straight through */
		return port_leave(p, packet, 0, now_ps);
	port_stats_join(p, now_ps);
	port_append(p, pool, packet, port_queues(p));
	return PORT_QUEUED;
}

/* Takes the packet at the head of a queue off it. Its memory is the pool's again, but is not touched
 * before the pool is used next. */
static inline struct packet *port_take(struct port *p, struct packet_pool *pool, struct queue *q)
{
	uint32_t slot = q->head;
	struct packet *packet = &pool->slots[slot];

	q->bytes -= packet->bytes;
	q->pkts--;
	p->bytes -= packet->bytes;
	p->pkts--;
	if (p->pool)
		p->pool->used_bytes -= packet->bytes;
	if (q->pkts == 0) {
		chunk_give(pool, slot >> CHUNK_SHIFT);
		return packet;
	}
	slot++;
	if ((slot & CHUNK_MASK) == 0) {
		uint32_t chunk = (slot - 1) >> CHUNK_SHIFT;

		slot = pool->next[chunk] << CHUNK_SHIFT;
		chunk_give(pool, chunk);
	}
	q->head = slot;
	__builtin_prefetch(&pool->slots[slot]);
	return packet;
}

/* The two halves of port_next: the next packet leaves its queue, NULL where all that waits is paused;
 * and starts on the line at free_ps, unless the marking scheme has it dropped. */
static inline __attribute__((always_inline)) struct packet *
port_take_next(struct port *p, struct packet_pool *pool, uint32_t *queue)
{
	if (p->stats && p->pkts != p->held_pkts)
		port_stats_account(p, p->free_ps);
	return p->class->order == PORT_PLAIN ? port_take(p, pool, port_queues(p))
					     : port_take_sched(p, pool, queue);
}

static inline __attribute__((always_inline)) int port_start(struct port *p, struct packet *packet,
							    uint32_t queue)
{
	return port_leave(p, packet, queue, p->free_ps);
}

/* The line is free at free_ps and something waits: takes the next packet for a start at free_ps. It
 * is the caller's until the pool is used next. NULL: the packet was dropped on its way out and the
 * line is still free, or all that waits is paused and the port blocked. */
static inline __attribute__((always_inline)) struct packet *port_next(struct port *p,
								      struct packet_pool *pool)
{
	uint32_t queue = 0;
	struct packet *packet = port_take_next(p, pool, &queue);

	return packet && port_start(p, packet, queue) == PORT_SEND ? packet : NULL;
}
#endif
