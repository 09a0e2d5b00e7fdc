/* SPDX-License-Identifier: BSD-3-Clause */
/* env.c -- see weir/env.h: construction and episodes of an environment. Each episode builds an
 * engine; the config is read once. */
#include "sim/run/env_state.h"
#include "base/memory.h"
#include "config/plugin.h"
#include "sim/core/decisions.h"
#include "sim/core/job_run.h"
#include "sim/run/run.h"
#include <inttypes.h>
#include <string.h>

static const struct env_kind *const env_kinds[] = {
	[WEIR_ENV_QUEUES] = &env_queues_kind,
	[WEIR_ENV_THRESHOLDS] = &env_thresholds_kind,
	[WEIR_ENV_FLOWS] = &env_flows_kind,
};

/* --- episodes --- */

static void env_end_episode(struct weir_env *env)
{
	if (env->engine)
		engine_free(env->engine);
	env->engine = NULL;
	env->has_begun = 0;
	network_free(&env->net);
}

/* The number of the section whose flows ask; -1: all, or none: message. */
static int env_find_traffic(const struct weir_env *env, int64_t *traffic, struct weir_error *e)
{
	const struct config *c = &env->config;

	*traffic = -1;
	for (uint32_t i = 0; env->traffic[0] && i < c->traffic_count; i++)
		if (strcmp(c->traffic[i].name, env->traffic) == 0)
			*traffic = i;
	if (env->traffic[0] && *traffic < 0)
		return weir_error_set(e, "there is no section [traffic %s], whose flows are to ask",
				      env->traffic);
	return 0;
}

static int env_start_episode(struct weir_env *env, uint64_t seed, struct weir_error *e)
{
	struct decisions_plan decisions = { .flow = (int64_t)env->plan.flow_plus_one - 1 };
	struct engine_plan plan = { .threads = 1 };

	env_end_episode(env);
	env->config.seed = seed;
	env->done = WEIR_ENV_GOES_ON;
	env->now_ps = 0;
	if (env_find_traffic(env, &decisions.traffic, e))
		return -1;
	if (env->kind->needs_decisions)
		plan.decisions = &decisions;
	if (build_engine(&env->engine, &env->net, &env->config, &plan, e))
		return -1;
	env_info_start(env);
	return env->kind->start(env, e);
}

/* --- construction --- */

static int env_find_end(struct weir_env *env, struct weir_error *e)
{
	env->end_ps = env->plan.end_ns ? weir_ns_to_ps(env->plan.end_ns)
				       : (int64_t)env->config.measure.to_ps;
	if (!env->end_ps)
		return weir_error_set(e, "measure.to: needed, because it ends an episode");
	return 0;
}

/* Copies the plan, which comes from outside. */
static int env_read_plan(struct weir_env *env, const struct weir_env_plan *plan,
			 struct weir_error *e)
{
	uint32_t kind = plan ? (uint32_t)plan->agents : 0;

	if (kind >= sizeof(env_kinds) / sizeof(env_kinds[0]))
		return weir_error_set(e, "agents of kind %" PRIu32 ": there is no such kind", kind);
	env->kind = env_kinds[kind];
	if (!plan)
		return 0;
	env->plan = (struct weir_env_plan){ .end_ns = plan->end_ns,
					    .agents = plan->agents,
					    .flow_plus_one = plan->flow_plus_one };
	if (plan->end_ns < 0)
		return weir_error_set(e, "an episode cannot end at %" PRId64 " ns", plan->end_ns);
	if (plan->traffic && strlen(plan->traffic) >= sizeof(env->traffic))
		return weir_error_set(e, "there is no section [traffic %.40s...]", plan->traffic);
	if (plan->traffic)
		memcpy(env->traffic, plan->traffic, strlen(plan->traffic) + 1);
	return 0;
}

static void env_count_measures(struct weir_env *env)
{
	while (env->kind->measures[env->shape.measure_count])
		env->shape.measure_count++;
}

int env_new(struct weir_env **out, struct config *c, const struct weir_env_plan *plan,
	    struct weir_error *e)
{
	struct weir_env *env = memory_new(1, sizeof(*env));

	env->config = *c;
	if (env_read_plan(env, plan, e) || env_start_episode(env, c->seed, e) ||
	    env_find_end(env, e) || env->kind->find_shape(env, e)) {
		weir_env_free(env);
		return -1;
	}
	env_count_measures(env);
	*out = env;
	return 0;
}

void weir_env_free(struct weir_env *env)
{
	if (!env)
		return;
	env_end_episode(env);
	env_info_free(env);
	memory_free(env->links, env->shape.rows, sizeof(*env->links));
	free(env->text);
	config_free(&env->config);
	memory_free(env, 1, sizeof(*env));
}

void weir_env_shape(const struct weir_env *env, struct weir_env_shape *shape)
{
	*shape = env->shape;
}

const char *weir_env_measure(const struct weir_env *env, uint32_t i)
{
	return i < env->shape.measure_count ? env->kind->measures[i] : NULL;
}

/* --- other settings --- */

static int env_shapes_equal(const struct weir_env_shape *a, const struct weir_env_shape *b)
{
	return a->rows == b->rows && a->observation_size == b->observation_size &&
	       a->action_count == b->action_count;
}

int env_replace(struct weir_env *env, struct config *c, struct weir_error *e)
{
	struct weir_env_plan plan = env->plan;
	struct weir_env *other, before;

	plan.traffic = env->traffic[0] ? env->traffic : NULL;
	if (env_new(&other, c, &plan, e))
		return -1;
	if (!env_shapes_equal(&env->shape, &other->shape)) {
		weir_error_set(e,
			       "the environment would have %" PRIu32 " rows of %" PRIu32
			       " numbers; it has %" PRIu32 " of %" PRIu32
			       ": make another environment",
			       other->shape.rows, other->shape.observation_size, env->shape.rows,
			       env->shape.observation_size);
		weir_env_free(other);
		return -1;
	}
	env_end_episode(env); /* engines point into their environments */
	env_end_episode(other);
	other->text = env->text;
	env->text = NULL;
	before = *env;
	*env = *other;
	*other = before;
	weir_env_free(other);
	return 0;
}

void env_keep_text(struct weir_env *env, const char *text)
{
	env->text = memory_grow(NULL, strlen(text) + 1, 1);
	memcpy(env->text, text, strlen(text) + 1);
}

const char *env_text(const struct weir_env *env)
{
	return env->text;
}

/* --- steps --- */

static int env_advance(struct weir_env *env, const struct weir_env_view *view, struct weir_error *e)
{
	env_info_begin_step(env);
	if (env->kind->advance(env, view, e) == ENGINE_REFUSED ||
	    plugin_guard_error(env->engine->guard, e) || jobs_failed(env->engine, e)) {
		env_end_episode(env);
		return -1;
	}
	env_info_end_step(env);
	*view->done = (uint8_t)env->done;
	return 0;
}

int weir_env_reset(struct weir_env *env, uint64_t seed, const struct weir_env_view *view,
		   struct weir_error *e)
{
	if (env_start_episode(env, seed, e)) {
		env_end_episode(env);
		return -1;
	}
	if (env_advance(env, view, e))
		return -1;
	env->has_begun = 1;
	return 0;
}

int weir_env_step(struct weir_env *env, const void *actions, const struct weir_env_view *view,
		  struct weir_error *e)
{
	if (!env->engine || !env->has_begun)
		return weir_error_set(e, "no episode goes on: reset comes before step");
	if (env->done)
		return weir_error_set(e, "the episode is over: reset begins another");
	if (env->kind->check(env, actions, e))
		return -1;
	env->kind->act(env, actions);
	return env_advance(env, view, e);
}

/* --- for trainers --- */

const struct config *env_config(const struct weir_env *env)
{
	return &env->config;
}

int64_t env_now_ns(const struct weir_env *env)
{
	return weir_ps_to_ns(env->now_ps);
}
