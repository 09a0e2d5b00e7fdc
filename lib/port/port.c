/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c -- who is let in, who leaves next, and what a port held over time. */
#include "base/compiler.h"
#include "lib/port/port_limits.h"
#include "lib/port/ranked.h"
#include <string.h>

/* --- decisions --- */

/* Room for it (-1), or the reason why not as enum weir_port_drop. */
static int refusal(struct weir_port *p, uint32_t queue, uint32_t bytes, int64_t now_ps)
{
	const struct weir_buffer_params *b = &p->kind->buffer;
	const struct weir_queue *q = weir_port_queues(p) + queue;

	if (is_lossless(p->kind, queue))
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
	/* used_bytes may be stale, but only too high: what it admits, the exact figure admits
	 * too. */
	if (weir_shared_buffer_admits(b, p->pool, q->bytes, bytes))
		return -1;
	if (p->pool->sync)
		p->pool->sync(p->pool, now_ps);
	return weir_shared_buffer_admits(b, p->pool, q->bytes, bytes)
		       ? -1
		       : WEIR_DROP_SHARED_BUFFER_FULL;
}

static NOINLINE int obey_mark(struct weir_port *p, struct weir_packet *packet, uint32_t verdict)
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

/* Carries out a verdict: sets CE, or says that the packet is dropped. */
static inline int obey(struct weir_port *p, struct weir_packet *packet, uint32_t verdict)
{
	return verdict == WEIR_MARK_PASS ? WEIR_PORT_SEND : obey_mark(p, packet, verdict);
}

/* Where there is no shared buffer. Member by member: gcc would clear an initialised one first, and
 * hold all that goes into it in registers. */
static inline ALWAYS_INLINE void show(struct weir_mark_view *v, const struct weir_port *p,
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

static uint64_t shared_buffer_bytes(const struct weir_port *p, int64_t now_ps)
{
	if (!p->pool)
		return 0;
	if (p->kind->mark_needs & WEIR_MARK_NEEDS_SHARED_BUFFER && p->pool->sync)
		p->pool->sync(p->pool, now_ps);
	return p->pool->used_bytes;
}

/* The marking scheme's own choice of a queue. */
static NOINLINE uint32_t choose_by_view(struct weir_port *p, const struct weir_packet *packet,
					int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint64_t in_pool_bytes = UNLIKELY(p->pool != NULL) ? shared_buffer_bytes(p, now_ps) : 0;
	struct weir_mark_view v;

	show(&v, p, packet, c->class_queue[packet->class_id], now_ps);
	v.shared_buffer_bytes = in_pool_bytes;
	return c->choose_queue(weir_port_mark_state(p, 0), c->mark_params, &v, weir_port_queues(p));
}

static inline ALWAYS_INLINE uint32_t choose_queue(struct weir_port *p,
						  const struct weir_packet *packet, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;

	if (c->fast_hooks.choose_queue)
		return c->fast_hooks.choose_queue(weir_port_mark_state(p, 0), c->mark_params,
						  packet, weir_ps_to_ns(now_ps),
						  weir_port_queues(p));
	return c->choose_queue ? choose_by_view(p, packet, now_ps)
			       : c->class_queue[packet->class_id];
}

static NOINLINE int ask_enqueue_of_pool(struct weir_port *p, struct weir_packet *packet,
					uint32_t queue, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint64_t in_pool_bytes =
		shared_buffer_bytes(p, now_ps); /* its port may have caught up by that */
	struct weir_mark_view v;

	show(&v, p, packet, queue, now_ps);
	v.shared_buffer_bytes = in_pool_bytes;
	return obey(p, packet, c->mark_enqueue(weir_port_mark_state(p, queue), c->mark_params, &v));
}

static inline ALWAYS_INLINE int ask_enqueue_in(struct weir_port *p, struct weir_packet *packet,
					       uint32_t queue, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;

	if (UNLIKELY(p->pool != NULL))
		return ask_enqueue_of_pool(p, packet, queue, now_ps);

	struct weir_mark_view v;

	show(&v, p, packet, queue, now_ps);
	return obey(p, packet, c->mark_enqueue(weir_port_mark_state(p, queue), c->mark_params, &v));
}

/* What is rare is apart here and below, so that what is usual has few registers to save. */
static NOINLINE int ask_enqueue(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
				int64_t now_ps)
{
	return ask_enqueue_in(p, packet, queue, now_ps);
}

static NOINLINE int ask_enqueue_plain(struct weir_port *p, struct weir_packet *packet,
				      int64_t now_ps)
{
	return ask_enqueue_in(p, packet, 0, now_ps);
}

static NOINLINE int ask_fast(struct weir_port *p, struct weir_packet *packet, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;

	return obey(p, packet,
		    c->fast_hooks.enqueue(weir_port_mark_state(p, 0), c->mark_params, packet,
					  weir_ps_to_ns(now_ps), weir_port_queues(p)));
}

static NOINLINE int judge_slowly(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
				 int64_t now_ps)
{
	int reason = refusal(p, queue, packet->bytes, now_ps);

	if (reason >= 0)
		return weir_port_drop(p, (enum weir_port_drop)reason);
	if (p->pkts < p->kind->quiet_pkts && p->bytes < p->kind->quiet_bytes)
		return WEIR_PORT_QUEUED;
	return ask_enqueue(p, packet, queue, now_ps);
}

/* Less than any limit. */
static inline int has_room(const struct weir_port *p)
{
	return p->pkts < p->kind->room_pkts && p->bytes < p->kind->room_bytes;
}

/* It is but a shared buffer that is to be asked, which has room. */
static inline int is_easy_in_pool(const struct weir_port *p, const struct weir_packet *packet,
				  const struct weir_queue *q)
{
	const struct weir_port_class *c = p->kind;

	return c->buffer.scope == WEIR_BUFFER_PER_SWITCH && p->pkts < c->quiet_pkts &&
	       p->bytes < c->quiet_bytes &&
	       weir_shared_buffer_admits(&c->buffer, p->pool, q->bytes, packet->bytes);
}

/* Mostly that is so, or but the marking scheme wants to see the packet. */
int weir_port_admit(struct weir_port *p, struct weir_packet *packet, uint32_t queue, int64_t now_ps)
{
	if (is_easy_in_pool(p, packet, weir_port_queues(p) + queue))
		return WEIR_PORT_QUEUED;
	if (has_room(p))
		return ask_enqueue(p, packet, queue, now_ps);
	return judge_slowly(p, packet, queue, now_ps);
}

int weir_port_admit_fifo(struct weir_port *p, struct weir_packet *packet, int64_t now_ps)
{
	if (!has_room(p))
		return weir_port_admit(p, packet, 0, now_ps);
	return p->kind->fast_hooks.enqueue ? ask_fast(p, packet, now_ps)
					   : ask_enqueue_plain(p, packet, now_ps);
}

static void count_wait(struct weir_port *p, int64_t wait_ns)
{
	struct weir_port_sojourns *w = p->stats ? p->stats->waits : NULL;

	if (!w)
		return;
	w->pkts++;
	w->bucket_pkts[weir_port_bucket(clamp32((uint64_t)wait_ns))]++;
}

static NOINLINE int ask_dequeue_slowly(struct weir_port *p, struct weir_packet *packet,
				       uint32_t queue, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint64_t in_pool_bytes = shared_buffer_bytes(p, now_ps);
	struct weir_mark_view v;

	show(&v, p, packet, queue, now_ps);
	v.shared_buffer_bytes = in_pool_bytes;
	v.sojourn_ns = weir_ps_to_ns(now_ps - packet->time_ps);
	if (c->mark_needs & WEIR_MARK_NEEDS_ROUNDS && c->sched)
		v.turn = c->sched->turn(weir_port_sched_state(p));

	int answer = obey(p, packet,
			  c->mark_dequeue(weir_port_mark_state(p, queue), c->mark_params, &v));

	if (c->counts_sojourn && answer == WEIR_PORT_SEND)
		count_wait(p, v.sojourn_ns);
	return answer;
}

static NOINLINE int ask_dequeue(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
				int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	struct weir_mark_view v;

	show(&v, p, packet, queue, now_ps);
	v.sojourn_ns = weir_ps_to_ns(now_ps - packet->time_ps);
	return obey(p, packet, c->mark_dequeue(weir_port_mark_state(p, queue), c->mark_params, &v));
}

int weir_port_mark_dequeue(struct weir_port *p, struct weir_packet *packet, uint32_t queue,
			   int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;

	if (c->fast_hooks.dequeue)
		return obey(p, packet,
			    c->fast_hooks.dequeue(weir_port_mark_state(p, queue), c->mark_params,
						  queue, weir_port_queues(p) + queue));
	if (UNLIKELY(c->slow_dequeue))
		return ask_dequeue_slowly(p, packet, queue, now_ps);
	return ask_dequeue(p, packet, queue, now_ps);
}

/* --- with a scheduler --- */

static NOINLINE int append_ranked(struct weir_port *p, struct weir_packet_pool *pool,
				  const struct weir_packet *packet, struct weir_queue *q)
{
	const struct weir_port_class *c = p->kind;

	if (weir_chunk_reserve(pool))
		return weir_port_drop(p, WEIR_DROP_STORE_FULL);
	weir_port_stats_join(p, packet->time_ps);
	weir_ranked_push(q, pool, packet, c->sched->rank(c->sched_params, packet, packet->time_ps));
	p->bytes += packet->bytes;
	p->pkts++;
	if (p->pool)
		p->pool->used_bytes += packet->bytes;
	return WEIR_PORT_QUEUED;
}

/* WEIR_PORT_QUEUED, or WEIR_PORT_DROPPED where the packet store is full. */
static inline ALWAYS_INLINE int append_sched(struct weir_port *p, struct weir_packet_pool *pool,
					     const struct weir_packet *packet, struct weir_queue *q)
{
	uint32_t slot;

	if (p->kind->order == WEIR_PORT_RANKED)
		return append_ranked(p, pool, packet, q);
	if (weir_port_reserve_slot(pool, packet, q, &slot))
		return weir_port_drop(p, WEIR_DROP_STORE_FULL);
	weir_port_stats_join(p, packet->time_ps);
	weir_port_enqueue(p, pool, packet, q, slot);
	return WEIR_PORT_QUEUED;
}

/* The packet's queue may not send. */
static NOINLINE int offer_paused(struct weir_port *p, struct weir_packet_pool *pool,
				 const struct weir_packet *packet, uint32_t queue)
{
	if (append_sched(p, pool, packet, weir_port_queues(p) + queue) == WEIR_PORT_DROPPED)
		return WEIR_PORT_DROPPED;
	p->held_pkts++;
	return WEIR_PORT_QUEUED;
}

/* The port has something to send again: the line says from when on. */
static void unblock(struct weir_port *p, int64_t now_ps)
{
	if (p->free_ps == WEIR_PORT_BLOCKED_PS)
		p->free_ps = p->cold->link_free_ps > now_ps ? p->cold->link_free_ps : now_ps;
}

int weir_port_offer_sched(struct weir_port *p, struct weir_packet_pool *pool,
			  struct weir_packet *packet, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	uint32_t queue = choose_queue(p, packet, now_ps);

	if ((p->pkts >= c->fast_pkts || p->bytes >= c->fast_bytes) &&
	    !is_easy_in_pool(p, packet, weir_port_queues(p) + queue) &&
	    weir_port_admit(p, packet, queue, now_ps) == WEIR_PORT_DROPPED)
		return WEIR_PORT_DROPPED;
	packet->time_ps = now_ps;
	if (UNLIKELY(weir_port_is_paused(p, queue)))
		return offer_paused(p, pool, packet, queue);
	if (p->pkts == p->held_pkts) { /* no other port is blocked */
		unblock(p, now_ps);
		if (p->free_ps <= now_ps) /* straight through */
			return weir_port_leave(p, packet, queue, now_ps,
					       p->pkts ? WEIR_PORT_HOOK_QUEUED
						       : WEIR_PORT_HOOK_IDLE);
	}

	struct weir_queue *q = weir_port_queues(p) + queue;

	if (append_sched(p, pool, packet, q) == WEIR_PORT_DROPPED)
		return WEIR_PORT_DROPPED;
	if (q->pkts == 1 && c->sched->activate)
		c->sched->activate(weir_port_sched_state(p), c->sched_params, queue,
				   weir_port_queues(p));
	return WEIR_PORT_QUEUED;
}

static NOINLINE struct weir_packet *take_ranked(struct weir_port *p, struct weir_packet_pool *pool,
						struct weir_queue *q)
{
	struct weir_packet *packet = weir_ranked_pop(q, pool);

	packet->slack_ps -= p->free_ps - packet->time_ps;
	p->bytes -= packet->bytes;
	p->pkts--;
	if (p->pool)
		p->pool->used_bytes -= packet->bytes;
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

	if (p->pkts == p->held_pkts) {
		p->cold->link_free_ps = p->free_ps;
		p->free_ps = WEIR_PORT_BLOCKED_PS;
		return NULL;
	}
	*queue = picked = c->sched->pick(state, c->sched_params, queues);
	q = &queues[picked];
	if (c->order == WEIR_PORT_RANKED) {
		packet = take_ranked(p, pool, q);
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

/* A port with one queue is blocked as long as that is paused. */
static void pause_plain(struct weir_port *p)
{
	p->cold->link_free_ps = p->free_ps;
	p->free_ps = WEIR_PORT_BLOCKED_PS;
}

static void resume_plain(struct weir_port *p, int64_t now_ps)
{
	p->free_ps = p->pkts && p->cold->link_free_ps < now_ps ? now_ps : p->cold->link_free_ps;
}

void weir_port_pause(struct weir_port *p, uint32_t queue)
{
	const struct weir_port_class *c = p->kind;
	struct weir_queue *q = weir_port_queues(p) + queue;

	if (weir_port_is_paused(p, queue))
		return;
	p->cold->paused[queue / 64] |= UINT64_C(1) << (queue % 64);
	p->paused_queues++;
	if (c->order == WEIR_PORT_FIFO) {
		pause_plain(p);
		return;
	}
	p->held_pkts += q->pkts;
	if (q->pkts && c->sched->halt)
		c->sched->halt(weir_port_sched_state(p), c->sched_params, queue);
}

void weir_port_resume(struct weir_port *p, uint32_t queue, int64_t now_ps)
{
	const struct weir_port_class *c = p->kind;
	struct weir_queue *q = weir_port_queues(p) + queue;
	int idle = p->pkts == p->held_pkts;

	if (!weir_port_is_paused(p, queue))
		return;
	p->cold->paused[queue / 64] &= ~(UINT64_C(1) << (queue % 64));
	p->paused_queues--;
	if (c->order == WEIR_PORT_FIFO) {
		resume_plain(p, now_ps);
		return;
	}
	p->held_pkts -= q->pkts;
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

/* --- what waits --- */

uint32_t weir_port_list_queued(const struct weir_port *p, uint32_t queue,
			       const struct weir_packet_store *store, uint32_t *slots)
{
	const struct weir_queue *q = (const struct weir_queue *)(p + 1) + queue;

	if (q->pkts == 0)
		return 0;
	return p->kind->order == WEIR_PORT_RANKED
		       ? weir_ranked_list(q, store, slots)
		       : weir_slots_list(&(struct weir_slot_range){ q->head, q->tail }, store,
					 slots, q->pkts);
}

/* --- queue length over time --- */

void weir_port_stats_start(struct weir_port *p, struct weir_port_stats *s, int64_t now_ps)
{
	memset(s, 0, sizeof(*s));
	weir_port_stats_begin(p, s, WEIR_PORT_STATS_BUCKETS, now_ps);
}

void weir_port_stats_begin(struct weir_port *p, struct weir_port_stats *s, uint32_t buckets,
			   int64_t now_ps)
{
	s->since_ps = now_ps;
	s->max_pkts = p->pkts;
	s->buckets = buckets;
	p->stats = s;
}

void weir_port_stats_stop(struct weir_port *p, int64_t now_ps)
{
	weir_port_stats_account(p, now_ps);
	p->stats = NULL;
}

uint32_t weir_port_stats_floor(uint32_t bucket)
{
	if (bucket < WEIR_PORT_STATS_EXACT)
		return bucket;

	uint32_t octave = (bucket - WEIR_PORT_STATS_EXACT) >> WEIR_PORT_STATS_STEPS_SHIFT;
	uint32_t step =
		(bucket - WEIR_PORT_STATS_EXACT) & ((1u << WEIR_PORT_STATS_STEPS_SHIFT) - 1);

	return ((uint32_t)WEIR_PORT_STATS_EXACT << octave) +
	       (step << (octave + 7 -
			 WEIR_PORT_STATS_STEPS_SHIFT)); /* 2^7 == WEIR_PORT_STATS_EXACT */
}

uint64_t weir_port_stats_pkts_ps(const struct weir_port_stats *s)
{
	uint64_t sum = s->many_pkts_ps;

	for (uint32_t i = 1; i < s->buckets && i < WEIR_PORT_STATS_EXACT; i++)
		sum += i * s->bucket_ps[i];
	return sum;
}

uint32_t weir_port_stats_quantile(const struct weir_port_stats *s, double fraction)
{
	uint64_t total_ps = 0, sum_ps = 0;

	for (uint32_t i = 0; i < s->buckets; i++)
		total_ps += s->bucket_ps[i];
	for (uint32_t i = 0; i < s->buckets; i++) {
		sum_ps += s->bucket_ps[i];
		if ((double)sum_ps >= fraction * (double)total_ps)
			return weir_port_stats_floor(i);
	}
	return s->max_pkts;
}

uint32_t weir_port_sojourns_quantile(const struct weir_port_sojourns *w, double fraction)
{
	uint64_t sum_pkts = 0;
	uint32_t i = 0;

	for (; i < WEIR_PORT_SOJOURN_BUCKETS - 1; i++) {
		sum_pkts += w->bucket_pkts[i];
		if ((double)sum_pkts >= fraction * (double)w->pkts)
			break;
	}
	return weir_port_stats_floor(i);
}
