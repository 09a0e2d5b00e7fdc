/* port.c -- setting a port up, and reading what it held over time. */
#include "weir/port.h"
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

void port_class_init(struct port_class *c, const struct port_plan *plan)
{
	uint32_t per_port = plan->mark->scope == MARK_STATE_PER_PORT;
	uint32_t states = per_port ? 1 : plan->queues;
	uint32_t needs = mark_needs(plan->mark, plan->mark_params);

	*c = (struct port_class){
		.mark_enqueue = needs & MARK_NEEDS_ENQUEUE ? plan->mark->enqueue : NULL,
		.mark_dequeue = needs & MARK_NEEDS_DEQUEUE ? plan->mark->dequeue : NULL,
		.mark_params = plan->mark_params,
		.ps_per_byte_q20 = bps_to_ps_per_byte_q20(plan->rate_bps),
		.buffer = plan->buffer,
		.overhead_bytes = plan->overhead_bytes,
		.min_bytes = plan->min_bytes,
		.queues = plan->queues,
		.mark_stride = per_port ? 0 : align8(plan->mark->state_size),
		.mark_needs = needs,
		.pass_not_ect = plan->pass_not_ect,
		.rate_bps = plan->rate_bps,
		.sched = plan->sched,
		.sched_params = plan->sched_params,
		.mark = plan->mark,
		.mtu_bytes = plan->mtu_bytes,
	};
	c->mark_offset = align8(sizeof(struct port) + plan->queues * sizeof(struct queue));
	c->sched_offset = c->mark_offset + states * align8(plan->mark->state_size);
	c->size = c->sched_offset;
	if (plan->queues > 1)
		c->size += align8(plan->sched->state_size +
				  plan->queues * plan->sched->queue_state_size);
	for (uint32_t i = 0; i < sizeof(c->class_queue); i++)
		c->class_queue[i] = (uint8_t)(i < plan->queues ? i : plan->queues - 1);
}

void port_init(struct port *p, const struct port_class *c, struct buffer_pool *pool, uint64_t seed)
{
	uint32_t states = c->mark_stride ? c->queues : 1;

	memset(p, 0, c->size);
	p->class = c;
	p->pool = pool;
	for (uint32_t q = 0; q < states && c->mark->init; q++) {
		struct mark_env env = {
			.seed = hash64(seed, q),
			.rate_bps = c->rate_bps,
			.queues = c->queues,
			.mtu_bytes = c->mtu_bytes,
		};

		c->mark->init(port_mark_state(p, q), c->mark_params, &env);
	}
	if (c->queues > 1 && c->sched->init)
		c->sched->init(port_sched_state(p), c->sched_params, c->queues);
}

void port_stats_start(struct port *p, struct port_stats *s, int64_t now_ps)
{
	memset(s, 0, sizeof(*s));
	s->since_ps = now_ps;
	s->max_pkts = p->pkts;
	s->max_bytes = p->bytes;
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

	return (PORT_STATS_EXACT << octave) +
	       (step << (octave + 7 - PORT_STATS_STEPS_SHIFT));	/* 2^7 == PORT_STATS_EXACT */
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
