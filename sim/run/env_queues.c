/* SPDX-License-Identifier: BSD-3-Clause */
/* env_queues.c -- environments whose agents are queues of switches (sim/core/agents.h): settings by
 * number, or thresholds as numbers. */
#include "sim/run/env_state.h"
#include "base/memory.h"
#include "sim/core/agents.h"
#include "sim/net/network.h"
#include "weir/units.h"
#include <inttypes.h>
#include <string.h>

enum { BOX_SIZE = 3 };

static int env_queues_start(struct weir_env *env, struct weir_error *e)
{
	if (!env->engine->agents)
		return weir_error_set(e, "switch.tune: an environment needs an agent that a "
					 "learner can stand in for, as acc; there is none");
	return agents_set_external(env->engine->agents, e);
}

/* --- shape --- */

/* Finds the port of each row. The topology, and so this, does not depend on the seed. */
static int env_find_links(struct weir_env *env, struct weir_error *e)
{
	const struct agents *agents = env->engine->agents;
	const char *port = env->config.measure.port;

	env->links = memory_new(env->shape.rows, sizeof(*env->links));
	for (uint32_t i = 0; i < agents_count(agents); i++) {
		struct agent_view view = agents_at(agents, i);

		for (uint32_t k = 0; k < view.env->queue_count; k++) {
			const struct weir_agent_queue *q = &view.env->queues[k];

			env->links[view.first_row + k] =
				env->net.nodes[q->node].first_link + q->port;
		}
	}
	env->measured_link = -1;
	if (*port) {
		env->measured_link = link_find(&env->net, port, e);
		if (env->measured_link < 0)
			return weir_error_prefix(e, "measure.port: ");
	}
	return 0;
}

/* An episode has a step for each interval that ends by its end, but for the first, which reset
 * takes. */
static int env_queues_find_shape(struct weir_env *env, struct weir_error *e)
{
	const struct agents *agents = env->engine->agents;
	const struct agents_observed *seen = agents_observed(agents);
	int64_t interval_ps = agents_end_ps(agents);

	if (env->end_ps < 2 * interval_ps)
		return weir_error_set(e,
				      "measure.to: an episode of %" PRId64
				      " ns has no step; an interval is %" PRId64 " ns",
				      weir_ps_to_ns(env->end_ps), weir_ps_to_ns(interval_ps));
	env->shape = (struct weir_env_shape){
		.rows = agents_rows(agents),
		.agents = agents_rows(agents),
		.observation_size = seen->observation_size,
		.action_count = seen->action_count,
		.steps = (uint32_t)(env->end_ps / interval_ps - 1),
		.interval_ns = weir_ps_to_ns(interval_ps),
	};
	return env_find_links(env, e);
}

static int env_thresholds_find_shape(struct weir_env *env, struct weir_error *e)
{
	const struct agents *agents = env->engine->agents;
	const struct weir_agent_ops *ops = agents_at(agents, 0).ops;

	if (env_queues_find_shape(env, e))
		return -1;
	env->shape.action_count = 0;
	env->shape.action_size = BOX_SIZE;
	if (!ops->learner->note ||
	    (ops->scope && ops->scope(agents_at(agents, 0).params) == WEIR_AGENT_PER_NETWORK))
		return weir_error_set(e, "switch.tune: this agent takes no thresholds as numbers; "
					 "take settings by number (WEIR_ENV_QUEUES)");
	return 0;
}

/* --- actions --- */

static int env_queues_check(const struct weir_env *env, const void *actions, struct weir_error *e)
{
	const uint8_t *asks = agents_observed(env->engine->agents)->asks;
	const uint32_t *numbers = actions;

	for (uint32_t i = 0; i < env->shape.rows; i++)
		if (asks[i] && numbers[i] >= env->shape.action_count)
			return weir_error_set(
				e, "action %" PRIu32 " of row %" PRIu32 "; the last is %" PRIu32,
				numbers[i], i, env->shape.action_count - 1);
	return 0;
}

static void env_queues_act(struct weir_env *env, const void *actions)
{
	agents_act(env->engine->agents, actions);
}

static int env_thresholds_check(const struct weir_env *env, const void *actions,
				struct weir_error *e)
{
	const uint8_t *asks = agents_observed(env->engine->agents)->asks;
	const float *box = actions;

	for (uint32_t i = 0; i < BOX_SIZE * env->shape.rows; i++)
		if (asks[i / BOX_SIZE] && !(box[i] >= 0 && box[i] <= 1))
			return weir_error_set(e,
					      "action %g of row %" PRIu32
					      ": thresholds are numbers from 0 to 1",
					      (double)box[i], i / BOX_SIZE);
	return 0;
}

/* K_max = 1 KiB 2^(12 x), a straight line between two powers: no function of libm, so the same on
 * every machine. */
static struct weir_tune_knobs env_knobs_of(const float *box)
{
	enum { LEAST_BYTES = 1024, OCTAVES = 12 };
	double octaves = (double)box[1] * OCTAVES, max_bytes;
	uint32_t whole = (uint32_t)octaves;

	max_bytes = (double)((uint64_t)LEAST_BYTES << whole) * (1 + octaves - whole);
	return weir_tune_knobs_of((uint64_t)((double)box[0] * max_bytes), (uint64_t)max_bytes,
				  (uint64_t)((double)box[2] * (double)WEIR_ONE_Q32));
}

static void env_thresholds_act(struct weir_env *env, const void *actions)
{
	const uint8_t *asks = agents_observed(env->engine->agents)->asks;
	struct weir_tune_knobs *knobs = memory_new(env->shape.rows, sizeof(*knobs));
	const float *box = actions;

	for (uint32_t i = 0; i < env->shape.rows; i++)
		if (asks[i])
			knobs[i] = env_knobs_of(box + (size_t)BOX_SIZE * i);
	agents_set_knobs(env->engine->agents, knobs);
	memory_free(knobs, env->shape.rows, sizeof(*knobs));
}

/* --- steps --- */

enum env_queue_measure {
	QUEUE_UTILISATION,
	QUEUE_MEAN,
	QUEUE_MAX,
	QUEUE_END,
	QUEUE_MARKED,
	QUEUE_CE,
	QUEUE_K_MIN,
	QUEUE_K_MAX,
	QUEUE_P_MAX,
	QUEUE_MEASURES
};

static const char *const env_queue_measures[] = {
	[QUEUE_UTILISATION] = "utilisation",
	[QUEUE_MEAN] = "queue_mean_bytes",
	[QUEUE_MAX] = "queue_max_bytes",
	[QUEUE_END] = "queue_end_bytes",
	[QUEUE_MARKED] = "marked_pkts",
	[QUEUE_CE] = "ce_share",
	[QUEUE_K_MIN] = "k_min_bytes",
	[QUEUE_K_MAX] = "k_max_bytes",
	[QUEUE_P_MAX] = "p_max",
	[QUEUE_MEASURES] = NULL,
};

static void env_measure_queues(const struct weir_env *env, float *to)
{
	const struct agents *agents = env->engine->agents;

	for (uint32_t i = 0; i < env->shape.rows; i++, to += QUEUE_MEASURES) {
		const struct weir_tune_telemetry *t = &agents->telemetry[i];
		const struct weir_tune_knobs *k = &agents->applied[i];
		double full_bytes = (double)t->rate_bps * (double)t->interval_ns / 8e9;

		to[QUEUE_UTILISATION] = (float)((double)t->out_bytes / full_bytes);
		to[QUEUE_MEAN] = (float)t->queue_mean_bytes;
		to[QUEUE_MAX] = (float)t->queue_max_bytes;
		to[QUEUE_END] = (float)t->queue_end_bytes;
		to[QUEUE_MARKED] = (float)t->marked_pkts;
		to[QUEUE_CE] =
			t->out_bytes ? (float)((double)t->ce_bytes / (double)t->out_bytes) : 0.0F;
		to[QUEUE_K_MIN] = (float)k->min_bytes;
		to[QUEUE_K_MAX] = (float)k->max_bytes;
		to[QUEUE_P_MAX] =
			k->min_bytes == k->max_bytes
				? 1.0F
				: (float)((double)weir_tune_p_q32(k) / (double)WEIR_ONE_Q32);
	}
}

static void env_show_queues(const struct weir_env *env, const struct weir_env_view *view)
{
	const struct agents_observed *seen = agents_observed(env->engine->agents);
	size_t numbers = (size_t)seen->rows * seen->observation_size;

	for (size_t i = 0; i < numbers; i++)
		view->observations[i] = env_bound(seen->observations[i]);
	memcpy(view->rewards, seen->rewards, seen->rows * sizeof(*view->rewards));
	memcpy(view->asks, seen->asks, seen->rows * sizeof(*view->asks));
	for (uint32_t i = 0; view->agents && i < seen->rows; i++)
		view->agents[i] = i;
	if (view->measures)
		env_measure_queues(env, view->measures);
}

static enum engine_status env_queues_advance(struct weir_env *env, const struct weir_env_view *view,
					     struct weir_error *e)
{
	struct engine *engine = env->engine;
	enum engine_status status = agents_advance_until(engine, agents_end_ps(engine->agents), e);

	if (status == ENGINE_REFUSED)
		return status;
	env->now_ps = agents_observed(engine->agents)->time_ps;
	if (agents_end_ps(engine->agents) > env->end_ps)
		env->done = WEIR_ENV_TRUNCATED;
	env_show_queues(env, view);
	return status;
}

const struct env_kind env_queues_kind = {
	.start = env_queues_start,
	.find_shape = env_queues_find_shape,
	.check = env_queues_check,
	.act = env_queues_act,
	.advance = env_queues_advance,
	.measures = env_queue_measures,
};

const struct env_kind env_thresholds_kind = {
	.start = env_queues_start,
	.find_shape = env_thresholds_find_shape,
	.check = env_thresholds_check,
	.act = env_thresholds_act,
	.advance = env_queues_advance,
	.measures = env_queue_measures,
};

/* --- for trainers --- */

void env_port(const struct weir_env *env, uint32_t row, struct env_port *port)
{
	uint32_t link = env->links[row];
	const struct weir_port *p = &engine_egress(env->engine, link)->port;

	*port = (struct env_port){
		.rate_bps = env->net.links[link].rate_bps,
		.sent_bytes = p->tx_bytes,
		.queue_bytes = p->bytes,
		.is_measured = env->measured_link < 0 || env->measured_link == link,
	};
}
