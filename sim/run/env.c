/* SPDX-License-Identifier: BSD-3-Clause */
/* env.c -- see weir/env.h: one environment. An episode is an engine of its own; the config is read
 * once. */
#include "sim/run/env.h"
#include "sim/run/build.h"
#include "config/plugin.h"
#include "sim/core/agents.h"
#include <inttypes.h>
#include <string.h>

struct weir_env {
	struct config config;
	struct network net;
	struct engine *engine; /* NULL: none was built, or the last one failed */
	struct weir_env_shape shape;
	int64_t end_ps;
	int64_t measured_link; /* of measure.port; -1: none */
	uint32_t *links;       /* by row */
};

/* --- its life --- */

static void tear_down(struct weir_env *env)
{
	if (env->engine)
		engine_free(env->engine);
	env->engine = NULL;
	network_free(&env->net);
}

static int build(struct weir_env *env, uint64_t seed, struct weir_error *e)
{
	const struct engine_plan plan = { .threads = 1 };

	tear_down(env);
	env->config.seed = seed;
	if (build_engine(&env->engine, &env->net, &env->config, &plan, e))
		return -1;
	if (!env->engine->agents)
		return weir_error_set(e, "switch.tune: an environment needs an agent that a "
					 "learner can stand in for, as acc; there is none");
	return agents_set_external(env->engine->agents, e);
}

/* When an episode ends, and after how many steps: of intervals that end by then, all but the
 * first. */
static int find_end(struct weir_env *env, const struct weir_env_plan *plan, struct weir_error *e)
{
	int64_t interval_ps = agents_end_ps(env->engine->agents);

	env->end_ps = plan && plan->end_ns ? weir_ns_to_ps(plan->end_ns)
					   : (int64_t)env->config.measure.to_ps;
	if (!env->end_ps)
		return weir_error_set(e, "measure.to: needed, because it ends an episode");
	if (env->end_ps < 2 * interval_ps)
		return weir_error_set(e,
				      "measure.to: an episode of %" PRId64
				      " ns has no step; an interval is %" PRId64 " ns",
				      weir_ps_to_ns(env->end_ps), weir_ps_to_ns(interval_ps));
	env->shape.interval_ns = weir_ps_to_ns(interval_ps);
	env->shape.steps = (uint32_t)(env->end_ps / interval_ps - 1);
	return 0;
}

/* Which port each row is of; the topology, and so all of this, does not depend on the seed. */
static int find_rows(struct weir_env *env, struct weir_error *e)
{
	const struct agents *agents = env->engine->agents;
	const struct agents_observed *seen = agents_observed(agents);
	const char *port = env->config.measure.port;

	env->shape.rows = agents_rows(agents);
	env->shape.observation_size = seen->observation_size;
	env->shape.action_count = seen->action_count;
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

int env_new(struct weir_env **out, struct config *c, const struct weir_env_plan *plan,
	    struct weir_error *e)
{
	struct weir_env *env = memory_new(1, sizeof(*env));

	env->config = *c;
	if (build(env, c->seed, e) || find_end(env, plan, e) || find_rows(env, e)) {
		weir_env_free(env);
		return -1;
	}
	*out = env;
	return 0;
}

void weir_env_free(struct weir_env *env)
{
	if (!env)
		return;
	tear_down(env);
	memory_free(env->links, env->shape.rows, sizeof(*env->links));
	config_free(&env->config);
	memory_free(env, 1, sizeof(*env));
}

void weir_env_shape(const struct weir_env *env, struct weir_env_shape *shape)
{
	*shape = env->shape;
}

/* --- steps --- */

static void show(const struct weir_env *env, const struct weir_env_view *view)
{
	const struct agents *agents = env->engine->agents;
	const struct agents_observed *seen = agents_observed(agents);
	size_t numbers = (size_t)seen->rows * seen->observation_size;

	memcpy(view->observations, seen->observations, numbers * sizeof(*view->observations));
	memcpy(view->rewards, seen->rewards, seen->rows * sizeof(*view->rewards));
	memcpy(view->asks, seen->asks, seen->rows * sizeof(*view->asks));
	*view->done = agents_end_ps(agents) > env->end_ps;
}

/* To the end of the interval that goes on. */
static int pass(struct weir_env *env, const struct weir_env_view *view, struct weir_error *e)
{
	struct engine *engine = env->engine;

	if (agents_advance_until(engine, agents_end_ps(engine->agents), e) == ENGINE_REFUSED ||
	    plugin_guard_error(engine->guard, e)) {
		tear_down(env);
		return -1;
	}
	show(env, view);
	return 0;
}

int weir_env_reset(struct weir_env *env, uint64_t seed, const struct weir_env_view *view,
		   struct weir_error *e)
{
	if (build(env, seed, e)) {
		tear_down(env);
		return -1;
	}
	return pass(env, view, e);
}

/* What a caller passes may be anything. */
static int check_actions(const struct weir_env *env, const uint32_t *actions, struct weir_error *e)
{
	const uint8_t *asks = agents_observed(env->engine->agents)->asks;

	for (uint32_t i = 0; i < env->shape.rows; i++)
		if (asks[i] && actions[i] >= env->shape.action_count)
			return weir_error_set(
				e, "action %" PRIu32 " of row %" PRIu32 "; the last is %" PRIu32,
				actions[i], i, env->shape.action_count - 1);
	return 0;
}

int weir_env_step(struct weir_env *env, const uint32_t *actions, const struct weir_env_view *view,
		  struct weir_error *e)
{
	if (!env->engine || agents_observed(env->engine->agents)->time_ps == 0)
		return weir_error_set(e, "no episode goes on: reset comes before step");
	if (agents_end_ps(env->engine->agents) > env->end_ps)
		return weir_error_set(e, "the episode is over: reset begins another");
	if (check_actions(env, actions, e))
		return -1;
	agents_act(env->engine->agents, actions);
	return pass(env, view, e);
}

/* --- a closer look --- */

const struct config *env_config(const struct weir_env *env)
{
	return &env->config;
}

int64_t env_now_ns(const struct weir_env *env)
{
	return weir_ps_to_ns(agents_observed(env->engine->agents)->time_ps);
}

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
