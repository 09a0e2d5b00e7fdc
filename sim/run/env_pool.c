/* SPDX-License-Identifier: BSD-3-Clause */
/* env_pool.c -- environments of one text on a pool of threads (weir/env.h). */
#include "sim/run/env.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "weir/rng.h"
#include <string.h>

struct weir_env_pool {
	struct weir_env **envs;
	struct weir_env_shape shape;
	uint32_t count;
	struct task_pool *threads;
	struct env_slot {
		uint64_t seed;     /* of the episodes */
		uint64_t episodes; /* begun so far */
		uint64_t first;    /* seed of the first episode */
		int is_over;       /* 1: the next step starts an episode */
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

struct weir_env *weir_env_pool_at(struct weir_env_pool *pool, uint32_t i)
{
	return i < pool->count ? pool->envs[i] : NULL;
}

void weir_env_pool_shape(const struct weir_env_pool *pool, struct weir_env_shape *shape)
{
	*shape = pool->shape;
}

static uint64_t env_slot_seed(struct env_slot *slot)
{
	uint64_t episode = slot->episodes++;

	return episode ? weir_hash64(slot->seed, episode) : slot->first;
}

struct env_batch {
	struct weir_env_pool *pool;
	const void *actions; /* NULL: all environments start an episode */
	const struct weir_env_view *view;
};

/* The part of the caller's arrays that belongs to environment i. */
static struct weir_env_view env_batch_view(const struct env_batch *r, uint32_t i)
{
	const struct weir_env_shape *s = &r->pool->shape;
	size_t first = (size_t)i * s->rows;

	return (struct weir_env_view){
		.observations = r->view->observations + first * s->observation_size,
		.rewards = r->view->rewards + first,
		.asks = r->view->asks + first,
		.done = r->view->done + i,
		.agents = r->view->agents ? r->view->agents + first : NULL,
		.measures = r->view->measures ? r->view->measures + first * s->measure_count : NULL,
	};
}

/* Its actions: numbers of 32 bits, whole or not. */
static const void *env_batch_actions(const struct env_batch *r, uint32_t i)
{
	const struct weir_env_shape *s = &r->pool->shape;
	size_t size = sizeof(float) * (s->action_size ? s->action_size : 1);

	return (const char *)r->actions + size * s->rows * i;
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
		failed = weir_env_step(pool->envs[i], env_batch_actions(r, i), &view, &slot->error);
	else
		failed = weir_env_reset(pool->envs[i], env_slot_seed(slot), &view, &slot->error);
	if (!failed)
		slot->is_over = *view.done != WEIR_ENV_GOES_ON;
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
			return pool->count > 1 ? weir_error_prefix(e, "environment %u: ", i) : -1;
		}
	return 0;
}

int weir_env_pool_reset(struct weir_env_pool *pool, uint64_t seed, const struct weir_env_view *view,
			struct weir_error *e)
{
	for (uint32_t i = 0; i < pool->count; i++) {
		uint64_t own = weir_hash64(seed, i);

		pool->slots[i] = (struct env_slot){ .seed = own, .first = weir_hash64(own, 0) };
	}
	return env_batch_run(&(struct env_batch){ pool, NULL, view }, e);
}

int weir_env_pool_reset_each(struct weir_env_pool *pool, const uint64_t *seeds,
			     const struct weir_env_view *view, struct weir_error *e)
{
	for (uint32_t i = 0; i < pool->count; i++)
		pool->slots[i] = (struct env_slot){ .seed = seeds[i], .first = seeds[i] };
	return env_batch_run(&(struct env_batch){ pool, NULL, view }, e);
}

int weir_env_pool_step(struct weir_env_pool *pool, const void *actions,
		       const struct weir_env_view *view, struct weir_error *e)
{
	return env_batch_run(&(struct env_batch){ pool, actions, view }, e);
}
