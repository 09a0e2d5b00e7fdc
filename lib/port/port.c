/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c -- the data path of a port that is not inline (weir/port_inline.h): admission, the marking
 * scheme's verdicts, scheduling and pauses.
 *
 * Runs on the thread of the port's owner; allocates nothing. Functions are split by how often they
 * run: what is NOINLINE is kept out of its caller so that the caller saves few registers. */
#include "base/compiler.h"
#include "lib/port/port_private.h"

/* --- admission and marking --- */

/* Tail drop. -1: the buffer admits a packet of this size; else the reason of the drop, enum
 * weir_port_drop. */
static int port_refusal(struct weir_port *p, uint32_t queue, uint32_t bytes, int64_t now_ps)
{
	const struct weir_buffer_params *b = &p->kind->buffer;
	const struct weir_queue *q = weir_port_queues(p) + queue;

	if (port_queue_is_lossless(p->kind, queue))
		return -1;

	if (b->scope == WEIR_BUFFER_PER_PORT) {
		if (p->bytes + (uint64_t)bytes > b->limit_bytes || p->pkts >= b->limit_pkts)
			return WEIR_DROP_PORT_FULL;
		return -1;
	}
	if (b->scope == WEIR_BUFFER_PER_QUEUE) {
		if (q->bytes + (uint64_t)bytes > b->limit_bytes || q->pkts >= b->limit_pkts)
			return WEIR_DROP_QUEUE_FULL;
		return -1;
	}
	/* used_bytes may be stale, but only too high: a packet that it admits is admitted by the
	 * exact value too. */
	if (weir_shared_buffer_admits(b, p->shared_buffer, q->bytes, bytes))
		return -1;
	if (p->shared_buffer->sync)
		p->shared_buffer->sync(p->shared_buffer, now_ps);
	return weir_shared_buffer_admits(b, p->shared_buffer, q->bytes, bytes)
		       ? -1
		       : WEIR_DROP_SHARED_BUFFER_FULL;
}

static NOINLINE int port_apply_mark(struct weir_port *p, struct weir_packet *packet,
				    uint32_t verdict)
{
	if (verdict & WEIR_MARK_DROP)
		return weir_port_drop(p, WEIR_DROP_SCHEME);
	if (packet->flags & WEIR_PACKET_CE)
		return WEIR_PORT_SEND;
	if (packet->flags & WEIR_PACKET_ECT) {
		packet->flags |= WEIR_PACKET_CE;
		p->cold->marks[verdict >> WEIR_MARK_VERDICT_BITS]++;
		return WEIR_PORT_SEND;
	}
	return p->kind->pass_not_ect ? WEIR_PORT_SEND : weir_port_drop(p, WEIR_DROP_NOT_ECT);
}

/* Applies a verdict: sets CE, or drops. Returns WEIR_PORT_SEND or WEIR_PORT_DROPPED. */
static inline int port_apply_verdict(struct weir_port *p, struct weir_packet *packet,
				     uint32_t verdict)
{
	return verdict == WEIR_MARK_PASS ? WEIR_PORT_SEND : port_apply_mark(p, packet, verdict);
}

/* Fills a view without the shared buffer, the sojourn time and the round. Member by member: for an
 * initialiser gcc clears the struct first and holds every value in a register. */
static inline ALWAYS_INLINE void port_fill_view(struct weir_mark_view *v, const struct weir_port *p,
						const struct weir_packet *packet, uint32_t queue,
						int64_t now_ps)
{
	const struct weir_queue *q = (const struct weir_queue *)(p + 1) + queue;

	v->now_ns = weir_ps_to_ns(now_ps);
	v->sojourn_ns = 0;
	v->rate_bps = p->kind->rate_bps;
	v->shared_buffer_bytes = 0;
	v->packet_bytes = packet->bytes;
	v->flow_hash = packet->flow_hash;
	v->queue = queue;
	v->queue_bytes = q->bytes;
	v->queue_pkts = q->pkts;
	v->port_bytes = p->bytes;
	v->port_pkts = p->pkts;
	v->turn = 0;
	v->ecn = packet->flags & (WEIR_PACKET_ECT | WEIR_PACKET_CE);
}

static uint64_t port_shared_buffer_bytes(const struct weir_port *p, int64_t now_ps)
{
	if (!p->shared_buffer)
		return 0;
	if (p->kind->mark_needs & WEIR_MARK_NEEDS_SHARED_BUFFER && p->shared_buffer->sync)
		p->shared_buffer->sync(p->shared_buffer, now_ps);
	return p->shared_buffer->used_bytes;
}

/* The view is built after the other ports have caught up, here and below: that may change this
 * port. */
static NOINLINE uint32_t port_choose_queue_slow(struct weir_port *p,
						const struct weir_packet *packet, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint64_t buffer_bytes =
		UNLIKELY(p->shared_buffer != NULL) ? port_shared_buffer_bytes(p, now_ps) : 0;
	struct weir_mark_view v;

	port_fill_view(&v, p, packet, c->class_queue[packet->class_id], now_ps);
	v.shared_buffer_bytes = buffer_bytes;
	return c->choose_queue(weir_port_mark_state(p, 0), c->mark_params, &v, weir_port_queues(p));
}

static inline ALWAYS_INLINE uint32_t port_choose_queue(struct weir_port *p,
						       const struct weir_packet *packet,
						       int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;

	if (c->fast_hooks.choose_queue)
		return c->fast_hooks.choose_queue(weir_port_mark_state(p, 0), c->mark_params,
						  packet, weir_ps_to_ns(now_ps),
						  weir_port_queues(p));
	return c->choose_queue ? port_choose_queue_slow(p, packet, now_ps)
			       : c->class_queue[packet->class_id];
}

static NOINLINE int port_mark_enqueue_shared(struct weir_port *p, struct weir_packet *packet,
					     uint32_t queue, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint64_t buffer_bytes = port_shared_buffer_bytes(p, now_ps);
	struct weir_mark_view v;

	port_fill_view(&v, p, packet, queue, now_ps);
	v.shared_buffer_bytes = buffer_bytes;
	return port_apply_verdict(
		p, packet, c->mark_enqueue(weir_port_mark_state(p, queue), c->mark_params, &v));
}

static inline ALWAYS_INLINE int port_mark_enqueue_body(struct weir_port *p,
						       struct weir_packet *packet, uint32_t queue,
						       int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;

	if (UNLIKELY(p->shared_buffer != NULL))
		return port_mark_enqueue_shared(p, packet, queue, now_ps);

	struct weir_mark_view v;

	port_fill_view(&v, p, packet, queue, now_ps);
	return port_apply_verdict(
		p, packet, c->mark_enqueue(weir_port_mark_state(p, queue), c->mark_params, &v));
}

static NOINLINE int port_mark_enqueue(struct weir_port *p, struct weir_packet *packet,
				      uint32_t queue, int64_t now_ps)
{
	return port_mark_enqueue_body(p, packet, queue, now_ps);
}

static NOINLINE int port_mark_enqueue_fifo(struct weir_port *p, struct weir_packet *packet,
					   int64_t now_ps)
{
	return port_mark_enqueue_body(p, packet, 0, now_ps);
}

static NOINLINE int port_mark_enqueue_fast(struct weir_port *p, struct weir_packet *packet,
					   int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;

	return port_apply_verdict(p, packet,
				  c->fast_hooks.enqueue(weir_port_mark_state(p, 0), c->mark_params,
							packet, weir_ps_to_ns(now_ps),
							weir_port_queues(p)));
}

static NOINLINE int port_admit_slow(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
				    int64_t now_ps)
{
	int reason = port_refusal(p, queue, packet->bytes, now_ps);

	if (reason >= 0)
		return weir_port_drop(p, (enum weir_port_drop)reason);
	if (p->pkts < p->kind->quiet_pkts && p->bytes < p->kind->quiet_bytes)
		return WEIR_PORT_QUEUED;
	return port_mark_enqueue(p, packet, queue, now_ps);
}

/* Below every buffer limit, whatever the size of the packet? */
static inline int port_has_room(const struct weir_port *p)
{
	return p->pkts < p->kind->room_pkts && p->bytes < p->kind->room_bytes;
}

/* Does only the shared buffer have to admit the packet, and does it? Neither limits nor marking
 * then need a closer look. */
static inline int port_shared_buffer_admits(const struct weir_port *p,
					    const struct weir_packet *packet,
					    const struct weir_queue *q)
{
	const struct weir_port_class *c = p->kind;

	return c->buffer.scope == WEIR_BUFFER_PER_SWITCH && p->pkts < c->quiet_pkts &&
	       p->bytes < c->quiet_bytes &&
	       weir_shared_buffer_admits(&c->buffer, p->shared_buffer, q->bytes, packet->bytes);
}

/* Common cases first: admitted by the shared buffer alone, or only the marking scheme has to see
 * the packet. */
int weir_port_admit(struct weir_port *p, struct weir_packet *packet, uint32_t queue, int64_t now_ps)
{
	if (port_shared_buffer_admits(p, packet, weir_port_queues(p) + queue))
		return WEIR_PORT_QUEUED;
	if (port_has_room(p))
		return port_mark_enqueue(p, packet, queue, now_ps);
	return port_admit_slow(p, packet, queue, now_ps);
}

int weir_port_admit_fifo(struct weir_port *p, struct weir_packet *packet, int64_t now_ps)
{
	if (!port_has_room(p))
		return weir_port_admit(p, packet, 0, now_ps);
	return p->kind->fast_hooks.enqueue ? port_mark_enqueue_fast(p, packet, now_ps)
					   : port_mark_enqueue_fifo(p, packet, now_ps);
}

static NOINLINE int port_mark_dequeue_slow(struct weir_port *p, struct weir_packet *packet,
					   uint32_t queue, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint64_t buffer_bytes = port_shared_buffer_bytes(p, now_ps);
	struct weir_mark_view v;

	port_fill_view(&v, p, packet, queue, now_ps);
	v.shared_buffer_bytes = buffer_bytes;
	v.sojourn_ns = weir_ps_to_ns(now_ps - packet->time_ps);
	if (c->mark_needs & WEIR_MARK_NEEDS_ROUNDS && c->sched)
		v.turn = c->sched->turn(weir_port_sched_state(p));

	int answer = port_apply_verdict(
		p, packet, c->mark_dequeue(weir_port_mark_state(p, queue), c->mark_params, &v));

	if (c->counts_sojourn && answer == WEIR_PORT_SEND && p->stats && p->stats->sojourns) {
		p->stats->sojourns->pkts++;
		p->stats->sojourns
			->bucket_pkts[weir_port_bucket(clamp32((uint64_t)v.sojourn_ns))]++;
	}
	return answer;
}

static NOINLINE int port_mark_dequeue(struct weir_port *p, struct weir_packet *packet,
				      uint32_t queue, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	struct weir_mark_view v;

	port_fill_view(&v, p, packet, queue, now_ps);
	v.sojourn_ns = weir_ps_to_ns(now_ps - packet->time_ps);
	return port_apply_verdict(
		p, packet, c->mark_dequeue(weir_port_mark_state(p, queue), c->mark_params, &v));
}

int weir_port_mark_dequeue(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
			   int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;

	if (c->fast_hooks.dequeue)
		return port_apply_verdict(p, packet,
					  c->fast_hooks.dequeue(weir_port_mark_state(p, queue),
								c->mark_params, queue,
								weir_port_queues(p) + queue));
	if (UNLIKELY(c->slow_dequeue))
		return port_mark_dequeue_slow(p, packet, queue, now_ps);
	return port_mark_dequeue(p, packet, queue, now_ps);
}

/* --- with a scheduler --- */

static NOINLINE int port_enqueue_ranked(struct weir_port *p, struct weir_packet_pool *pool,
					const struct weir_packet *packet, struct weir_queue *q)
{
	const struct weir_port_class *c = p->kind;

	if (weir_chunk_reserve(pool))
		return weir_port_drop(p, WEIR_DROP_STORE_FULL);
	weir_port_stats_join(p, packet->time_ps);
	weir_ranked_push(q, pool, packet, c->sched->rank(c->sched_params, packet, packet->time_ps));
	p->bytes += packet->bytes;
	p->pkts++;
	if (p->shared_buffer)
		p->shared_buffer->used_bytes += packet->bytes;
	return WEIR_PORT_QUEUED;
}

/* Returns WEIR_PORT_QUEUED, or WEIR_PORT_DROPPED: the packet store is full. */
static inline ALWAYS_INLINE int port_enqueue_sched(struct weir_port *p,
						   struct weir_packet_pool *pool,
						   const struct weir_packet *packet,
						   struct weir_queue *q)
{
	uint32_t slot;

	if (p->kind->order == WEIR_PORT_RANKED)
		return port_enqueue_ranked(p, pool, packet, q);
	if (weir_port_reserve_slot(pool, packet, q, &slot))
		return weir_port_drop(p, WEIR_DROP_STORE_FULL);
	weir_port_stats_join(p, packet->time_ps);
	weir_port_enqueue(p, pool, packet, q, slot);
	return WEIR_PORT_QUEUED;
}

/* Enqueues a packet whose queue is paused. */
static NOINLINE int port_offer_paused(struct weir_port *p, struct weir_packet_pool *pool,
				      const struct weir_packet *packet, uint32_t queue)
{
	if (port_enqueue_sched(p, pool, packet, weir_port_queues(p) + queue) == WEIR_PORT_DROPPED)
		return WEIR_PORT_DROPPED;
	p->paused_pkts++;
	return WEIR_PORT_QUEUED;
}

/* A blocked port can send again, from the time its link is free. */
static void port_unblock(struct weir_port *p, int64_t now_ps)
{
	if (p->free_ps == WEIR_PORT_BLOCKED_PS)
		p->free_ps = p->cold->link_free_ps > now_ps ? p->cold->link_free_ps : now_ps;
}

int weir_port_offer_sched(struct weir_port *p, struct weir_packet_pool *pool,
			  struct weir_packet *packet, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint32_t queue = port_choose_queue(p, packet, now_ps);

	if ((p->pkts >= c->fast_pkts || p->bytes >= c->fast_bytes) &&
	    !port_shared_buffer_admits(p, packet, weir_port_queues(p) + queue) &&
	    weir_port_admit(p, packet, queue, now_ps) == WEIR_PORT_DROPPED)
		return WEIR_PORT_DROPPED;
	packet->time_ps = now_ps;
	if (UNLIKELY(weir_port_is_paused(p, queue)))
		return port_offer_paused(p, pool, packet, queue);
	if (p->pkts == p->paused_pkts) { /* only such a port is blocked */
		port_unblock(p, now_ps);
		if (p->free_ps <= now_ps) /* skips the queue */
			return weir_port_leave(p, packet, queue, now_ps,
					       p->pkts ? WEIR_PORT_HOOK_QUEUED
						       : WEIR_PORT_HOOK_IDLE);
	}

	struct weir_queue *q = weir_port_queues(p) + queue;

	if (port_enqueue_sched(p, pool, packet, q) == WEIR_PORT_DROPPED)
		return WEIR_PORT_DROPPED;
	if (q->pkts == 1 && c->sched->activate)
		c->sched->activate(weir_port_sched_state(p), c->sched_params, queue,
				   weir_port_queues(p));
	return WEIR_PORT_QUEUED;
}

static NOINLINE struct weir_packet *
port_dequeue_ranked(struct weir_port *p, struct weir_packet_pool *pool, struct weir_queue *q)
{
	struct weir_packet *packet = weir_ranked_pop(q, pool);

	packet->slack_ps -= p->free_ps - packet->time_ps;
	p->bytes -= packet->bytes;
	p->pkts--;
	if (p->shared_buffer)
		p->shared_buffer->used_bytes -= packet->bytes;
	return packet;
}

struct weir_packet *weir_port_dequeue_sched(struct weir_port *p, struct weir_packet_pool *pool,
					    uint32_t *queue)
{
	const struct weir_port_class *c = p->kind;
	struct weir_queue *queues = weir_port_queues(p), *q;
	void *state = weir_port_sched_state(p);
	struct weir_packet *packet;
	uint32_t picked;

	if (p->pkts == p->paused_pkts) {
		p->cold->link_free_ps = p->free_ps;
		p->free_ps = WEIR_PORT_BLOCKED_PS;
		return NULL;
	}
	*queue = picked = c->sched->pick(state, c->sched_params, queues);
	q = &queues[picked];
	if (c->order == WEIR_PORT_RANKED) {
		packet = port_dequeue_ranked(p, pool, q);
	} else {
		packet = weir_port_dequeue(p, pool, q);
		if (q->pkts)
			q->head_bytes = pool->slots[q->head].bytes;
	}
	if (c->sched->sent)
		c->sched->sent(state, c->sched_params, picked, packet->bytes, queues);
	return packet;
}

/* --- pauses --- */

void weir_port_pause(struct weir_port *p, uint32_t queue)
{
	const struct weir_port_class *c = p->kind;
	struct weir_queue *q = weir_port_queues(p) + queue;

	if (weir_port_is_paused(p, queue))
		return;
	p->cold->paused[queue / 64] |= UINT64_C(1) << (queue % 64);
	p->paused_queues++;
	if (c->order == WEIR_PORT_FIFO) { /* blocked for as long as its queue is paused */
		p->cold->link_free_ps = p->free_ps;
		p->free_ps = WEIR_PORT_BLOCKED_PS;
		return;
	}
	p->paused_pkts += q->pkts;
	if (q->pkts && c->sched->halt)
		c->sched->halt(weir_port_sched_state(p), c->sched_params, queue);
}

void weir_port_resume(struct weir_port *p, uint32_t queue, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	struct weir_queue *q = weir_port_queues(p) + queue;
	int idle = p->pkts == p->paused_pkts;

	if (!weir_port_is_paused(p, queue))
		return;
	p->cold->paused[queue / 64] &= ~(UINT64_C(1) << (queue % 64));
	p->paused_queues--;
	if (c->order == WEIR_PORT_FIFO) {
		p->free_ps =
			p->pkts && p->cold->link_free_ps < now_ps ? now_ps : p->cold->link_free_ps;
		return;
	}
	p->paused_pkts -= q->pkts;
	if (q->pkts && c->sched->activate)
		c->sched->activate(weir_port_sched_state(p), c->sched_params, queue,
				   weir_port_queues(p));
	if (idle && q->pkts) {
		int64_t link_free_ps = weir_port_link_free_ps(p);

		p->free_ps = link_free_ps > now_ps ? link_free_ps : now_ps;
	}
}

int64_t weir_port_send_control(struct weir_port *p, uint32_t bytes, int64_t now_ps)
{
	int64_t *free_ps =
		p->free_ps == WEIR_PORT_BLOCKED_PS ? &p->cold->link_free_ps : &p->free_ps;
	int64_t start_ps = *free_ps > now_ps ? *free_ps : now_ps;

	*free_ps = start_ps + weir_port_wire_ps(p->kind, bytes);
	p->tx_pkts++;
	p->tx_bytes += bytes;
	return start_ps;
}

/* --- out of line, for weir/port.h --- */

int weir_port_offer(struct weir_port *p, struct weir_packet_pool *pool, struct weir_packet *packet,
		    int64_t now_ps)
{
	return weir_port_offer_inline(p, pool, packet, now_ps);
}

int64_t weir_port_next_ps(const struct weir_port *p)
{
	return p->pkts ? p->free_ps : WEIR_PORT_BLOCKED_PS;
}

struct weir_packet *weir_port_next(struct weir_port *p, struct weir_packet_pool *pool)
{
	return weir_port_next_inline(p, pool);
}
