/* port.c -- setting a port up, and reading what it held over time. */
#include "weir/port.h"
#include "lib/port/ranked.h"
#include "weir/rng.h"
#include <string.h>

const char *const port_drop_names[PORT_DROPS] = {
	[DROP_QUEUE_FULL] = "queue full",
	[DROP_PORT_FULL] = "port buffer full",
	[DROP_POOL_FULL] = "shared buffer full",
	[DROP_NOT_ECT] = "marked but not ECN-capable",
	[DROP_SCHEME] = "dropped by the marking scheme",
	[DROP_LINK_DOWN] = "link down",
};

static uint32_t align8(size_t bytes)
{
	return (uint32_t)((bytes + 7) & ~(size_t)7);
}

static uint32_t clamp32(uint64_t x)
{
	return x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

/* What a packet may find in its port and be let in without further questions: less than any limit,
 * whatever its own size, and less than the marking scheme takes an interest in. */
static void find_easy(struct port_class *c)
{
	uint64_t pkts = c->buffer.limit_pkts, bytes = c->buffer.limit_bytes,
		 quiet = UINT64_MAX >> 1;

	if (c->buffer.scope == BUFFER_PER_SWITCH)
		pkts = 0;
	if (bytes != UINT64_MAX)
		bytes -= c->mtu_bytes < bytes ? c->mtu_bytes : bytes;
	if (c->mark_enqueue)
		quiet = c->mark->quiet_below ? c->mark->quiet_below(c->mark_params) : 0;
	if (length_is_packets(quiet))
		pkts = length_number(quiet) < pkts ? length_number(quiet) : pkts;
	else
		bytes = quiet < bytes ? quiet : bytes;
	c->easy_pkts = clamp32(pkts);
	c->easy_bytes = clamp32(bytes);
}

static enum port_order order_of(const struct port_plan *plan)
{
	if (plan->sched && plan->sched->rank)
		return PORT_RANKED;
	return plan->queues > 1 ? PORT_QUEUES : PORT_PLAIN;
}

void port_class_init(struct port_class *c, const struct port_plan *plan)
{
	uint32_t per_port = plan->mark->scope == MARK_STATE_PER_PORT;
	uint32_t states = per_port ? 1 : plan->queues;
	uint32_t needs = mark_needs(plan->mark, plan->mark_params);
	uint32_t state_size = align8(mark_state_size(plan->mark, plan->mark_params));
	enum port_order order = order_of(plan);

	*c = (struct port_class){
		.mark_enqueue = needs & MARK_NEEDS_ENQUEUE ? plan->mark->enqueue : NULL,
		.mark_dequeue = needs & MARK_NEEDS_DEQUEUE ? plan->mark->dequeue : NULL,
		.mark_params = plan->mark_params,
		.ps_per_byte_q20 = bps_to_ps_per_byte_q20(plan->rate_bps),
		.buffer = plan->buffer,
		.overhead_bytes = plan->overhead_bytes,
		.min_bytes = plan->min_bytes,
		.order = order,
		.queues = plan->queues,
		.choose_queue = plan->mark->choose_queue,
		.rtt_ns = plan->rtt_ns,
		.mark_stride = per_port ? 0 : state_size,
		.mark_needs = needs,
		.pass_not_ect = plan->pass_not_ect,
		.lossless = plan->lossless,
		.rate_bps = plan->rate_bps,
		.sched = order == PORT_PLAIN ? NULL : plan->sched,
		.sched_params = plan->sched_params,
		.mark = plan->mark,
		.mtu_bytes = plan->mtu_bytes,
	};
	find_easy(c);
	c->mark_offset = align8(sizeof(struct port) + plan->queues * sizeof(struct queue));
	c->sched_offset = c->mark_offset + states * state_size;
	c->size = c->sched_offset;
	if (order != PORT_PLAIN)
		c->size += align8(plan->sched->state_size +
				  plan->queues * plan->sched->queue_state_size);
	for (uint32_t i = 0; i < sizeof(c->class_queue); i++)
		c->class_queue[i] = (uint8_t)(i < plan->queues ? i : plan->queues - 1);
}

void port_init(struct port *p, const struct port_class *c, struct buffer_pool *pool, uint64_t seed)
{
	uint32_t states = c->mark_stride ? c->queues : 1;
	uint64_t quantum_bytes[QUEUES_MAX];

	p->class = c;
	p->pool = pool;
	for (uint32_t q = 0; q < c->queues; q++)
		quantum_bytes[q] = c->sched && c->sched->quantum
					   ? c->sched->quantum(c->sched_params, q, c->mtu_bytes)
					   : c->mtu_bytes;
	for (uint32_t q = 0; q < states && c->mark->init; q++) {
		struct mark_env env = {
			.seed = hash64(seed, q),
			.rate_bps = c->rate_bps,
			.rtt_ns = c->rtt_ns,
			.queues = c->queues,
			.queue = q,
			.mtu_bytes = c->mtu_bytes,
			.quantum_bytes = quantum_bytes,
		};

		c->mark->init(port_mark_state(p, q), c->mark_params, &env);
	}
	if (c->sched && c->sched->init)
		c->sched->init(port_sched_state(p), c->sched_params, c->queues);
}

/* --- decisions --- */

/* Where the marking scheme chooses queues there is one class, which all of them hold. */
static int is_lossless(const struct port_class *c, uint32_t queue)
{
	uint32_t class_id = c->choose_queue ? 0 : queue;

	return class_id < 32 && c->lossless >> class_id & 1;
}

/* Room for it (-1), or the reason why not as enum port_drop. */
static int refusal(struct port *p, uint32_t queue, uint32_t bytes, int64_t now_ps)
{
	const struct buffer_params *b = &p->class->buffer;
	const struct queue *q = port_queues(p) + queue;

	if (is_lossless(p->class, queue))
		return -1;

	if (b->scope == BUFFER_PER_PORT) {
		if (p->bytes + (uint64_t)bytes > b->limit_bytes || p->pkts >= b->limit_pkts)
			return DROP_PORT_FULL;
		return -1;
	}
	if (b->scope == BUFFER_PER_QUEUE) {
		if (q->bytes + (uint64_t)bytes > b->limit_bytes || q->pkts >= b->limit_pkts)
			return DROP_QUEUE_FULL;
		return -1;
	}
	/* used_bytes may be stale, but only too high: what it admits, the exact figure admits too. */
	if (buffer_pool_admits(b, p->pool, q->bytes, bytes))
		return -1;
	if (p->pool->sync)
		p->pool->sync(p->pool, now_ps);
	return buffer_pool_admits(b, p->pool, q->bytes, bytes) ? -1 : DROP_POOL_FULL;
}

/* Carries out a verdict: sets CE, or says that the packet is dropped. */
static int obey(struct port *p, struct packet *packet, uint32_t verdict)
{
	if (verdict == MARK_PASS)
		return PORT_SEND;
	if (verdict & MARK_DROP)
		return port_drop(p, DROP_SCHEME);
	if (packet->flags & PACKET_CE)
		return PORT_SEND;
	if (packet->flags & PACKET_ECT) {
		packet->flags |= PACKET_CE;
		p->marks[verdict >> MARK_VERDICT_BITS]++;
		return PORT_SEND;
	}
	return p->class->pass_not_ect ? PORT_SEND : port_drop(p, DROP_NOT_ECT);
}

static inline struct mark_view view_of(struct port *p, const struct packet *packet, uint32_t queue,
				       int64_t now_ps)
{
	const struct queue *q = port_queues(p) + queue;

	if (p->class->mark_needs & MARK_NEEDS_POOL && p->pool && p->pool->sync)
		p->pool->sync(p->pool, now_ps);
	return (struct mark_view){
		.now_ns = ps_to_ns(now_ps),
		.rate_bps = p->class->rate_bps,
		.pool_bytes = p->pool ? p->pool->used_bytes : 0,
		.packet_bytes = packet->bytes,
		.flow_hash = packet->flow_hash,
		.queue = queue,
		.queue_bytes = q->bytes,
		.queue_pkts = q->pkts,
		.port_bytes = p->bytes,
		.port_pkts = p->pkts,
	};
}

uint32_t port_choose(struct port *p, const struct packet *packet, int64_t now_ps)
{
	const struct port_class *c = p->class;
	struct mark_view v = view_of(p, packet, c->class_queue[packet->class_id], now_ps);

	return c->choose_queue(port_mark_state(p, 0), c->mark_params, &v, port_queues(p));
}

int port_judge(struct port *p, struct packet *packet, uint32_t queue, int64_t now_ps)
{
	const struct port_class *c = p->class;
	int reason = refusal(p, queue, packet->bytes, now_ps);

	if (reason >= 0)
		return port_drop(p, (enum port_drop)reason);
	if (!c->mark_enqueue)
		return PORT_QUEUED;

	struct mark_view v = view_of(p, packet, queue, now_ps);

	return obey(p, packet, c->mark_enqueue(port_mark_state(p, queue), c->mark_params, &v));
}

int port_ask_dequeue(struct port *p, struct packet *packet, uint32_t queue, int64_t now_ps)
{
	const struct port_class *c = p->class;
	struct mark_view v = view_of(p, packet, queue, now_ps);

	v.sojourn_ns = ps_to_ns(now_ps - packet->time_ps);
	if (c->mark_needs & MARK_NEEDS_ROUNDS && c->sched)
		v.turn = c->sched->turn(port_sched_state(p));
	return obey(p, packet, c->mark_dequeue(port_mark_state(p, queue), c->mark_params, &v));
}

/* --- with a scheduler --- */

static void append_sched(struct port *p, struct packet_pool *pool, const struct packet *packet,
			 uint32_t queue)
{
	const struct port_class *c = p->class;
	struct queue *q = port_queues(p) + queue;

	if (c->order == PORT_RANKED) {
		ranked_push(q, pool, packet,
			    c->sched->rank(c->sched_params, packet, packet->time_ps));
		p->bytes += packet->bytes;
		p->pkts++;
		if (p->pool)
			p->pool->used_bytes += packet->bytes;
	} else {
		port_append(p, pool, packet, q);
	}
	if (port_is_paused(p, queue))
		p->held_pkts++;
	else if (q->pkts == 1 && c->sched->activate)
		c->sched->activate(port_sched_state(p), c->sched_params, queue, port_queues(p));
}

/* The port has something to send again, or still: the line says from when on. */
static void unblock(struct port *p, int64_t now_ps)
{
	if (p->free_ps == PORT_BLOCKED_PS)
		p->free_ps = p->line_free_ps > now_ps ? p->line_free_ps : now_ps;
}

int port_offer_sched(struct port *p, struct packet_pool *pool, struct packet *packet,
		     int64_t now_ps)
{
	const struct port_class *c = p->class;
	uint32_t queue =
		c->choose_queue ? port_choose(p, packet, now_ps) : c->class_queue[packet->class_id];

	if ((p->pkts >= c->easy_pkts || p->bytes >= c->easy_bytes) &&
	    port_judge(p, packet, queue, now_ps) == PORT_DROPPED)
		return PORT_DROPPED;
	packet->time_ps = now_ps;
	if (!port_is_paused(p, queue)) {
		unblock(p, now_ps);
		if (p->pkts == p->held_pkts && p->free_ps <= now_ps) /* straight through */
			return port_leave(p, packet, queue, now_ps);
	}
	port_stats_join(p, now_ps);
	append_sched(p, pool, packet, queue);
	return PORT_QUEUED;
}

struct packet *port_take_sched(struct port *p, struct packet_pool *pool, uint32_t *queue)
{
	const struct port_class *c = p->class;
	struct queue *queues = port_queues(p), *q;
	struct packet *packet;

	if (p->pkts == p->held_pkts) {
		p->line_free_ps = p->free_ps;
		p->free_ps = PORT_BLOCKED_PS;
		return NULL;
	}
	*queue = c->sched->pick(port_sched_state(p), c->sched_params, queues);
	q = &queues[*queue];
	if (c->order == PORT_RANKED) {
		packet = ranked_pop(q, pool);
		packet->slack_ps -= p->free_ps - packet->time_ps;
		p->bytes -= packet->bytes;
		p->pkts--;
		if (p->pool)
			p->pool->used_bytes -= packet->bytes;
	} else {
		packet = port_take(p, pool, q);
		if (q->pkts)
			q->head_bytes = pool->slots[q->head].bytes;
	}
	if (c->sched->sent)
		c->sched->sent(port_sched_state(p), c->sched_params, *queue, packet->bytes, queues);
	return packet;
}

/* --- pauses --- */

/* A port with one queue is blocked as long as that is paused. */
static void pause_plain(struct port *p)
{
	p->line_free_ps = p->free_ps;
	p->free_ps = PORT_BLOCKED_PS;
}

static void resume_plain(struct port *p, int64_t now_ps)
{
	p->free_ps = p->pkts && p->line_free_ps < now_ps ? now_ps : p->line_free_ps;
}

void port_pause(struct port *p, uint32_t queue)
{
	const struct port_class *c = p->class;
	struct queue *q = port_queues(p) + queue;

	if (port_is_paused(p, queue))
		return;
	p->paused[queue / 64] |= UINT64_C(1) << (queue % 64);
	if (c->order == PORT_PLAIN) {
		pause_plain(p);
		return;
	}
	p->held_pkts += q->pkts;
	if (q->pkts && c->sched->halt)
		c->sched->halt(port_sched_state(p), c->sched_params, queue);
}

void port_resume(struct port *p, uint32_t queue, int64_t now_ps)
{
	const struct port_class *c = p->class;
	struct queue *q = port_queues(p) + queue;
	int idle = p->pkts == p->held_pkts;

	if (!port_is_paused(p, queue))
		return;
	p->paused[queue / 64] &= ~(UINT64_C(1) << (queue % 64));
	if (c->order == PORT_PLAIN) {
		resume_plain(p, now_ps);
		return;
	}
	p->held_pkts -= q->pkts;
	if (q->pkts && c->sched->activate)
		c->sched->activate(port_sched_state(p), c->sched_params, queue, port_queues(p));
	if (idle && q->pkts) {
		int64_t line_free_ps = port_line_free_ps(p);

		p->free_ps = line_free_ps > now_ps ? line_free_ps : now_ps;
	}
}

int64_t port_interject(struct port *p, uint32_t bytes, int64_t now_ps)
{
	int64_t *free_ps = p->free_ps == PORT_BLOCKED_PS ? &p->line_free_ps : &p->free_ps;
	int64_t start_ps = *free_ps > now_ps ? *free_ps : now_ps;

	*free_ps = start_ps + port_wire_ps(p->class, bytes);
	p->tx_pkts++;
	p->tx_bytes += bytes;
	return start_ps;
}

/* --- what waits --- */

uint32_t port_waiting(const struct port *p, uint32_t queue, const struct packet_store *store,
		      uint32_t *slots)
{
	const struct queue *q = (const struct queue *)(p + 1) + queue;

	if (q->pkts == 0)
		return 0;
	return p->class->order == PORT_RANKED ? ranked_list(q, store, slots)
					      : slots_list(&(struct slot_range){ q->head, q->tail },
							   store, slots, q->pkts);
}

/* --- queue length over time --- */

void port_stats_start(struct port *p, struct port_stats *s, int64_t now_ps)
{
	memset(s, 0, sizeof(*s));
	s->since_ps = now_ps;
	s->max_pkts = p->pkts;
	p->stats = s;
}

void port_stats_stop(struct port *p, int64_t now_ps)
{
	port_stats_account(p, now_ps);
	p->stats = NULL;
}

uint32_t port_stats_floor(uint32_t bucket)
{
	if (bucket < PORT_STATS_EXACT)
		return bucket;

	uint32_t octave = (bucket - PORT_STATS_EXACT) >> PORT_STATS_STEPS_SHIFT;
	uint32_t step = (bucket - PORT_STATS_EXACT) & ((1u << PORT_STATS_STEPS_SHIFT) - 1);

	return ((uint32_t)PORT_STATS_EXACT << octave) +
	       (step << (octave + 7 - PORT_STATS_STEPS_SHIFT)); /* 2^7 == PORT_STATS_EXACT */
}

uint32_t port_stats_quantile(const struct port_stats *s, double fraction)
{
	uint64_t total_ps = 0, sum_ps = 0;

	for (uint32_t i = 0; i < PORT_STATS_BUCKETS; i++)
		total_ps += s->bucket_ps[i];
	for (uint32_t i = 0; i < PORT_STATS_BUCKETS; i++) {
		sum_ps += s->bucket_ps[i];
		if ((double)sum_ps >= fraction * (double)total_ps)
			return port_stats_floor(i);
	}
	return s->max_pkts;
}
