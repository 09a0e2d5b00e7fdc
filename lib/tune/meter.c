/* SPDX-License-Identifier: BSD-3-Clause */
/* meter.c -- telemetry of queues, and per-queue tuners as an agent, see meter.h. */
#include "lib/tune/meter.h"
#include "weir/packet.h"
#include <string.h>

enum { VERDICT_MASK = (1 << WEIR_MARK_VERDICT_BITS) - 1 };

/* --- an interval --- */

/* Accounts for a constant length since last_ns. Lengths are below 2^32 and intervals at most 2^30
 * ns (loop.h), so area fits 64 bits. */
static inline void meter_account(struct meter *m, int64_t now_ns, uint64_t queue_bytes)
{
	m->area += queue_bytes * (uint64_t)(now_ns - m->last_ns);
	m->last_ns = now_ns;
	if (queue_bytes > m->max_bytes)
		m->max_bytes = queue_bytes;
}

void weir_meter_read(struct meter *m, int64_t now_ns, uint64_t queue_bytes,
		     struct weir_tune_telemetry *t)
{
	uint64_t interval_ns = (uint64_t)(now_ns - m->begin_ns);

	meter_account(m, now_ns, queue_bytes);
	*t = (struct weir_tune_telemetry){
		.interval_ns = (int64_t)interval_ns,
		.out_bytes = m->out_bytes,
		.marked_pkts = m->marked_pkts,
		.ce_bytes = m->ce_bytes,
		.queue_mean_bytes = interval_ns ? m->area / interval_ns : 0,
		.queue_max_bytes = m->max_bytes,
		.queue_end_bytes = queue_bytes,
	};
	*m = (struct meter){ .begin_ns = now_ns, .last_ns = now_ns, .max_bytes = queue_bytes };
}

/* --- packets --- */

/* Does this verdict set CE on a packet that lacked it? */
static inline int meter_is_marked(const struct weir_mark_view *v, uint32_t verdict)
{
	return (verdict & VERDICT_MASK) == WEIR_MARK_CE && v->ecn == WEIR_PACKET_ECT;
}

static inline int meter_is_dropped(const struct meter_plan *p, const struct weir_mark_view *v,
				   uint32_t verdict)
{
	return verdict & WEIR_MARK_DROP ||
	       ((verdict & VERDICT_MASK) == WEIR_MARK_CE && !v->ecn && !p->pass_not_ect);
}

static uint32_t meter_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct meter_plan *p = params;
	struct meter *m = meter_of(state, p);
	uint32_t verdict = WEIR_MARK_PASS;

	meter_account(m, v->now_ns, v->queue_bytes);
	if (p->inner_needs & WEIR_MARK_NEEDS_ENQUEUE)
		verdict = p->inner->enqueue(state, m + 1, v);
	m->marked_pkts += (uint64_t)meter_is_marked(v, verdict);
	return verdict;
}

/* The queue held the packet until now, unless it was sent at once. */
static uint32_t meter_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct meter_plan *p = params;
	struct meter *m = meter_of(state, p);
	uint32_t verdict = WEIR_MARK_PASS;

	meter_account(m, v->now_ns,
		      v->queue_bytes + (v->sojourn_ns ? (uint64_t)v->packet_bytes : 0));
	if (p->inner_needs & WEIR_MARK_NEEDS_DEQUEUE)
		verdict = p->inner->dequeue(state, m + 1, v);
	if (meter_is_dropped(p, v, verdict))
		return verdict;
	m->marked_pkts += (uint64_t)meter_is_marked(v, verdict);
	m->out_bytes += v->packet_bytes;
	if (v->ecn & WEIR_PACKET_CE || meter_is_marked(v, verdict))
		m->ce_bytes += v->packet_bytes;
	return verdict;
}

/* --- building --- */

static uint32_t meter_needs(const void *params)
{
	const struct meter_plan *p = params;

	return p->inner_needs | WEIR_MARK_NEEDS_ENQUEUE | WEIR_MARK_NEEDS_DEQUEUE;
}

static size_t meter_size(const void *params)
{
	const struct meter_plan *p = params;

	return p->inner_size + sizeof(struct meter) + p->inner->scheme.params_size;
}

static void meter_init(void *state, const void *params, const struct weir_mark_env *env)
{
	const struct meter_plan *p = params;
	void *own = meter_inner_params(state, p);

	memcpy(own, p->inner_params, p->inner->scheme.params_size);
	if (p->inner->init)
		p->inner->init(state, own, env);
}

struct weir_mark_ops weir_meter_init(struct meter_plan *plan, const struct weir_mark_ops *inner,
				     const void *inner_params)
{
	struct weir_mark_ops ops = *inner;

	*plan = (struct meter_plan){
		.inner = inner,
		.inner_params = inner_params,
		.inner_size =
			(uint32_t)(weir_mark_state_size(inner, inner_params) + 7) & ~UINT32_C(7),
		.inner_needs = weir_mark_needs(inner, inner_params),
	};
	ops.needs = meter_needs;
	ops.size = meter_size;
	ops.init = meter_init;
	ops.quiet_below = NULL;
	ops.passes_idle = NULL;
	ops.enqueue = meter_enqueue;
	ops.dequeue = meter_dequeue;
	ops.fast_hooks = NULL;
	return ops;
}

/* --- tuners as an agent --- */

enum { INTERVAL_RTTS = 5 };

static size_t per_queue_stride(const struct tune_per_queue *p)
{
	return (p->ops->state_size + 7) & ~(size_t)7;
}

static int64_t per_queue_interval_ns(const void *params, int64_t rtt_ns)
{
	(void)params;
	return INTERVAL_RTTS * rtt_ns;
}

static size_t per_queue_size(const void *params, const struct weir_agent_env *env)
{
	return env->queue_count * per_queue_stride(params);
}

static void per_queue_init(void *state, const void *params, const struct weir_agent_env *env,
			   struct weir_tune_knobs *knobs)
{
	const struct tune_per_queue *p = params;

	for (uint32_t q = 0; q < env->queue_count; q++)
		p->ops->init((char *)state + q * per_queue_stride(p), p->params,
			     env->queues[q].mtu_bytes, &knobs[q]);
}

static void per_queue_step(void *state, const void *params, const struct weir_agent_env *env,
			   const struct weir_tune_telemetry *telemetry,
			   struct weir_tune_knobs *knobs)
{
	const struct tune_per_queue *p = params;

	for (uint32_t q = 0; q < env->queue_count; q++)
		p->ops->step((char *)state + q * per_queue_stride(p), p->params, &telemetry[q],
			     &knobs[q]);
}

double weir_tune_per_queue_value(const void *state, const struct tune_per_queue *tuner,
				 uint32_t queue, const struct weir_tune_value *value)
{
	return value->read((const char *)state + queue * per_queue_stride(tuner), tuner->params);
}

const struct weir_agent_ops weir_tune_per_queue = {
	.interval_ns = per_queue_interval_ns,
	.size = per_queue_size,
	.init = per_queue_init,
	.step = per_queue_step,
};
