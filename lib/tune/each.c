/* SPDX-License-Identifier: BSD-3-Clause */
/* each.c -- see each.h. */
#include "lib/tune/each.h"

enum { INTERVAL_RTTS = 5 };

static size_t state_stride(const struct tune_each *p)
{
	return (p->ops->state_size + 7) & ~(size_t)7;
}

static int64_t each_interval_ns(const void *params, int64_t rtt_ns)
{
	(void)params;
	return INTERVAL_RTTS * rtt_ns;
}

static size_t each_size(const void *params, const struct weir_agent_env *env)
{
	return env->queue_count * state_stride(params);
}

static void each_init(void *state, const void *params, const struct weir_agent_env *env,
		      struct weir_tune_knobs *knobs)
{
	const struct tune_each *p = params;

	for (uint32_t q = 0; q < env->queue_count; q++)
		p->ops->init((char *)state + q * state_stride(p), p->params,
			     env->queues[q].mtu_bytes, &knobs[q]);
}

static void each_step(void *state, const void *params, const struct weir_agent_env *env,
		      const struct weir_tune_telemetry *telemetry, struct weir_tune_knobs *knobs)
{
	const struct tune_each *p = params;

	for (uint32_t q = 0; q < env->queue_count; q++)
		p->ops->step((char *)state + q * state_stride(p), p->params, &telemetry[q],
			     &knobs[q]);
}

double weir_tune_per_queue_value(const void *state, const struct tune_each *each, uint32_t queue,
				 const struct weir_tune_value *value)
{
	return value->read((const char *)state + queue * state_stride(each), each->params);
}

const struct weir_agent_ops weir_tune_per_queue = {
	.interval_ns = each_interval_ns,
	.size = each_size,
	.init = each_init,
	.step = each_step,
};
