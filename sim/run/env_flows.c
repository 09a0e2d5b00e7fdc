/* SPDX-License-Identifier: BSD-3-Clause */
/* env_flows.c -- environments whose agents are flows: they decide at their ACKs
 * (sim/core/decisions.h). */
#include "sim/run/env_state.h"
#include "sim/core/agents.h"
#include "sim/core/decisions.h"
#include "sim/core/host.h"
#include "weir/units.h"
#include <inttypes.h>
#include <string.h>

/* At a barrier: are all flows that ask complete? */
static int env_flows_poll(void *context, int64_t now_ps)
{
	const struct weir_env *env = context;

	(void)now_ps;
	return env->left == 0;
}

static int env_flows_start(struct weir_env *env, struct weir_error *e)
{
	const struct flow_list *flows = &env->engine->flows;
	int asks = 0;

	env->left = 0;
	for (uint32_t i = 0; i < flows->count; i++) {
		const struct flow *f = &flows->flows[i];

		if (!decisions_has(env->engine->decisions, f->connection))
			continue;
		asks = 1;
		if (f->size_bytes == FLOW_UNLIMITED || f->flags & FLOW_IS_SPARE)
			env->left = UINT64_MAX;
		else if (env->left < UINT64_MAX)
			env->left++;
	}
	if (!asks)
		return weir_error_set(e, "host.cc: an environment of flows needs flows whose "
					 "congestion control a learner can stand in for, as fdcc "
					 "or rl-cc; there is none (of the flows of the plan)");
	env->engine->on_poll = env_flows_poll;
	return 0;
}

static int env_flows_find_shape(struct weir_env *env, struct weir_error *e)
{
	const struct engine *engine = env->engine;

	(void)e;
	env->shape = (struct weir_env_shape){ .rows = env->net.host_count,
					      .agents = engine->flows.count,
					      .action_size = 1 };
	for (uint32_t i = 0; i < engine->transport_count; i++) {
		const struct weir_cc_learner *l = engine->transports[i].cc->learner;

		if (l && l->observation_size > env->shape.observation_size)
			env->shape.observation_size = l->observation_size;
	}
	return 0;
}

/* --- actions --- */

static int env_flows_check(const struct weir_env *env, const void *actions, struct weir_error *e)
{
	const struct decisions *d = env->engine->decisions;
	const float *factors = actions;

	for (uint32_t i = 0; i < d->count; i++) {
		uint32_t row = d->waits[i].host->number;

		if (!(factors[row] >= -1 && factors[row] <= 1))
			return weir_error_set(e,
					      "action %g of row %" PRIu32 " (flow %" PRIu32
					      "): a number from -1 to 1 is needed",
					      (double)factors[row], row, d->waits[i].decision.flow);
	}
	return 0;
}

static void env_flows_act(struct weir_env *env, const void *actions)
{
	struct decisions *d = env->engine->decisions;
	const float *factors = actions;

	for (uint32_t i = 0; i < d->count; i++)
		d->waits[i].decision.action = factors[d->waits[i].host->number];
}

/* --- steps --- */

enum env_flow_measure {
	FLOW_THROUGHPUT,
	FLOW_FLOWS,
	FLOW_RTT,
	FLOW_SWITCH_RATE,
	FLOW_QUEUE,
	FLOW_SIGNAL,
	FLOW_MEASURES
};

/* Those of struct weir_cc_decision. */
static const char *const env_flow_measures[] = {
	[FLOW_THROUGHPUT] = "throughput",
	[FLOW_FLOWS] = "flows",
	[FLOW_RTT] = "rtt",
	[FLOW_SWITCH_RATE] = "switch_rate",
	[FLOW_QUEUE] = "queue",
	[FLOW_SIGNAL] = "signal",
	[FLOW_MEASURES] = NULL,
};

static void env_show_flow(const struct weir_env *env, const struct weir_cc_decision *d,
			  uint32_t row, const struct weir_env_view *view)
{
	const struct engine *e = env->engine;
	const struct transport *t = flow_transport(e, flow_at(e, d->flow));
	float *observation = view->observations + (size_t)row * env->shape.observation_size;

	for (uint32_t i = 0; i < env->shape.observation_size; i++)
		observation[i] = env_bound(d->observation[i]);
	view->rewards[row] = d->number ? t->cc->learner->reward(t->cc_params, d) : 0;
	view->asks[row] = 1;
	if (view->agents)
		view->agents[row] = d->flow;
	if (view->measures) {
		float *to = view->measures + (size_t)row * FLOW_MEASURES;

		to[FLOW_THROUGHPUT] = d->throughput;
		to[FLOW_FLOWS] = d->flows;
		to[FLOW_RTT] = d->rtt;
		to[FLOW_SWITCH_RATE] = d->switch_rate;
		to[FLOW_QUEUE] = d->queue;
		to[FLOW_SIGNAL] = d->signal;
	}
}

static enum engine_status env_flows_advance(struct weir_env *env, const struct weir_env_view *view,
					    struct weir_error *e)
{
	struct engine *engine = env->engine;
	const struct decisions *d = engine->decisions;
	enum engine_status status = agents_advance_until(engine, env->end_ps, e);

	if (status == ENGINE_REFUSED)
		return status;
	memset(view->asks, 0, env->shape.rows);
	for (uint32_t i = 0; i < d->count; i++)
		env_show_flow(env, &d->waits[i].decision, d->waits[i].host->number, view);
	env->now_ps = engine->workers[0].limit_ps;
	if (env->now_ps > env->end_ps)
		env->now_ps = env->end_ps;
	if (status != ENGINE_WAITS)
		env->done = env->left ? WEIR_ENV_TRUNCATED : WEIR_ENV_TERMINATED;
	return status;
}

const struct env_kind env_flows_kind = {
	.start = env_flows_start,
	.find_shape = env_flows_find_shape,
	.check = env_flows_check,
	.act = env_flows_act,
	.advance = env_flows_advance,
	.measures = env_flow_measures,
	.needs_decisions = 1,
};

const struct weir_cc_decision *env_decision(const struct weir_env *env, uint32_t row)
{
	const struct decisions *d = env->engine->decisions;

	for (uint32_t i = 0; i < d->count; i++)
		if (d->waits[i].host->number == row)
			return &d->waits[i].decision;
	return NULL;
}
