/* SPDX-License-Identifier: BSD-3-Clause */
/* env.c -- see weir/env.h: environments, and pools of them on threads. Each episode builds an
 * engine; the config is read once. */
#include "sim/run/env.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "config/plugin.h"
#include "sim/core/agents.h"
#include "sim/run/run.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <string.h>

struct weir_env {
	struct config config;
	struct network net;
	struct engine *engine; /* of the episode; NULL: none, or its last call failed */
	struct weir_env_shape shape;
	int64_t end_ps;
	int64_t measured_link; /* of measure.port; -1: none */
	uint32_t *links;       /* by row */
};

/* --- construction --- */

static void env_end_episode(struct weir_env *env)
{
	if (env->engine)
		engine_free(env->engine);
	env->engine = NULL;
	network_free(&env->net);
}

static int env_start_episode(struct weir_env *env, uint64_t seed, struct weir_error *e)
{
	const struct engine_plan plan = { .threads = 1 };

	env_end_episode(env);
	env->config.seed = seed;
	if (build_engine(&env->engine, &env->net, &env->config, &plan, e))
		return -1;
	if (!env->engine->agents)
		return weir_error_set(e, "switch.tune: an environment needs an agent that a "
					 "learner can stand in for, as acc; there is none");
	return agents_set_external(env->engine->agents, e);
}

/* Sets the end of an episode and the number of its steps: one for each interval that ends by then,
 * but for the first, which reset takes. */
static int env_find_end(struct weir_env *env, const struct weir_env_plan *plan,
			struct weir_error *e)
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

/* Finds the port of each row. The topology, and so this, does not depend on the seed. */
static int env_find_rows(struct weir_env *env, struct weir_error *e)
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
	if (env_start_episode(env, c->seed, e) || env_find_end(env, plan, e) ||
	    env_find_rows(env, e)) {
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
	env_end_episode(env);
	memory_free(env->links, env->shape.rows, sizeof(*env->links));
	config_free(&env->config);
	memory_free(env, 1, sizeof(*env));
}

void weir_env_shape(const struct weir_env *env, struct weir_env_shape *shape)
{
	*shape = env->shape;
}

/* --- steps --- */

static void env_fill_view(const struct weir_env *env, const struct weir_env_view *view)
{
	const struct agents *agents = env->engine->agents;
	const struct agents_observed *seen = agents_observed(agents);
	size_t numbers = (size_t)seen->rows * seen->observation_size;

	memcpy(view->observations, seen->observations, numbers * sizeof(*view->observations));
	memcpy(view->rewards, seen->rewards, seen->rows * sizeof(*view->rewards));
	memcpy(view->asks, seen->asks, seen->rows * sizeof(*view->asks));
	*view->done = agents_end_ps(agents) > env->end_ps;
}

/* Simulates up to the end of the current interval. */
static int env_run_interval(struct weir_env *env, const struct weir_env_view *view,
			    struct weir_error *e)
{
	struct engine *engine = env->engine;

	if (agents_advance_until(engine, agents_end_ps(engine->agents), e) == ENGINE_REFUSED ||
	    plugin_guard_error(engine->guard, e)) {
		env_end_episode(env);
		return -1;
	}
	env_fill_view(env, view);
	return 0;
}

int weir_env_reset(struct weir_env *env, uint64_t seed, const struct weir_env_view *view,
		   struct weir_error *e)
{
	if (env_start_episode(env, seed, e)) {
		env_end_episode(env);
		return -1;
	}
	return env_run_interval(env, view, e);
}

/* Actions come from outside: any value is possible. */
static int env_check_actions(const struct weir_env *env, const uint32_t *actions,
			     struct weir_error *e)
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
	if (env_check_actions(env, actions, e))
		return -1;
	agents_act(env->engine->agents, actions);
	return env_run_interval(env, view, e);
}

/* --- for trainers --- */

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

/* --- many environments --- */

struct weir_env_pool {
	struct weir_env **envs;
	struct weir_env_shape shape;
	uint32_t count;
	struct task_pool *threads;
	struct env_slot {
		uint64_t seed, episodes;
		int is_over; /* 1: the next step starts an episode */
		struct weir_error error;
	} * slots; /* by environment */
};

struct weir_env_pool *env_pool_new(struct weir_env **envs, uint32_t count, uint32_t threads)
{
	struct weir_env_pool *pool = memory_new(1, sizeof(*pool));

	pool->envs = envs;
	pool->count = count;
	pool->slots = memory_new(count, sizeof(*pool->slots));
	pool->threads = task_pool_new(threads ? threads : 1);
	weir_env_shape(envs[0], &pool->shape);
	return pool;
}

void weir_env_pool_free(struct weir_env_pool *pool)
{
	if (!pool)
		return;
	task_pool_free(pool->threads);
	for (uint32_t i = 0; i < pool->count; i++)
		weir_env_free(pool->envs[i]);
	memory_free(pool->envs, pool->count, sizeof(struct weir_env *));
	memory_free(pool->slots, pool->count, sizeof(*pool->slots));
	memory_free(pool, 1, sizeof(*pool));
}

void weir_env_pool_shape(const struct weir_env_pool *pool, struct weir_env_shape *shape)
{
	*shape = pool->shape;
}

struct env_batch {
	struct weir_env_pool *pool;
	const uint32_t *actions; /* NULL: all environments start an episode */
	const struct weir_env_view *view;
};

/* The part of the caller's arrays that belongs to environment i. */
static struct weir_env_view env_batch_view(const struct env_batch *r, uint32_t i)
{
	const struct weir_env_shape *s = &r->pool->shape;
	size_t first = (size_t)i * s->rows;

	return (struct weir_env_view){ r->view->observations + first * s->observation_size,
				       r->view->rewards + first, r->view->asks + first,
				       r->view->done + i };
}

/* A task of the thread pool: one environment. */
static void env_batch_run_one(void *context, uint32_t i, uint32_t worker)
{
	const struct env_batch *r = context;
	struct weir_env_pool *pool = r->pool;
	struct env_slot *slot = &pool->slots[i];
	struct weir_env_view view = env_batch_view(r, i);
	int failed;

	(void)worker;
	if (r->actions && !slot->is_over)
		failed = weir_env_step(pool->envs[i], r->actions + (size_t)i * pool->shape.rows,
				       &view, &slot->error);
	else
		failed = weir_env_reset(pool->envs[i], weir_hash64(slot->seed, slot->episodes++),
					&view, &slot->error);
	if (!failed)
		slot->is_over = *view.done;
}

static int env_batch_run(const struct env_batch *r, struct weir_error *e)
{
	struct weir_env_pool *pool = r->pool;

	for (uint32_t i = 0; i < pool->count; i++)
		pool->slots[i].error.text[0] = '\0';
	task_pool_run(pool->threads, pool->count, env_batch_run_one, (void *)r);
	for (uint32_t i = 0; i < pool->count; i++)
		if (pool->slots[i].error.text[0]) {
			*e = pool->slots[i].error;
			return weir_error_prefix(e, "environment %u: ", i);
		}
	return 0;
}

int weir_env_pool_reset(struct weir_env_pool *pool, uint64_t seed, const struct weir_env_view *view,
			struct weir_error *e)
{
	for (uint32_t i = 0; i < pool->count; i++)
		pool->slots[i] = (struct env_slot){ .seed = weir_hash64(seed, i) };
	return env_batch_run(&(struct env_batch){ pool, NULL, view }, e);
}

int weir_env_pool_step(struct weir_env_pool *pool, const uint32_t *actions,
		       const struct weir_env_view *view, struct weir_error *e)
{
	return env_batch_run(&(struct env_batch){ pool, actions, view }, e);
}
