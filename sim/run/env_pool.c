/* SPDX-License-Identifier: BSD-3-Clause */
/* env_pool.c -- see weir/env.h: environments of one text side by side on threads. */
#include "sim/run/env_pool.h"
#include "base/memory.h"
#include "base/task_pool.h"
#include "weir/rng.h"

struct weir_env_pool {
	struct weir_env **envs;
	struct weir_env_shape shape;
	uint32_t count;
	struct task_pool *team;
	struct seat {
		uint64_t seed, episodes;
		int is_over; /* the next step begins an episode */
		struct weir_error error;
	} * seats; /* one an environment */
};

struct weir_env_pool *env_pool_new(struct weir_env **envs, uint32_t count, uint32_t threads)
{
	struct weir_env_pool *pool = memory_new(1, sizeof(*pool));

	pool->envs = envs;
	pool->count = count;
	pool->seats = memory_new(count, sizeof(*pool->seats));
	pool->team = task_pool_new(threads ? threads : 1);
	weir_env_shape(envs[0], &pool->shape);
	return pool;
}

void weir_env_pool_free(struct weir_env_pool *pool)
{
	if (!pool)
		return;
	task_pool_free(pool->team);
	for (uint32_t i = 0; i < pool->count; i++)
		weir_env_free(pool->envs[i]);
	memory_free(pool->envs, pool->count, sizeof(struct weir_env *));
	memory_free(pool->seats, pool->count, sizeof(*pool->seats));
	memory_free(pool, 1, sizeof(*pool));
}

void weir_env_pool_shape(const struct weir_env_pool *pool, struct weir_env_shape *shape)
{
	*shape = pool->shape;
}

/* --- all at once --- */

struct round {
	struct weir_env_pool *pool;
	const uint32_t *actions; /* NULL: all begin an episode */
	const struct weir_env_view *view;
};

static struct weir_env_view part(const struct round *r, uint32_t i)
{
	const struct weir_env_shape *s = &r->pool->shape;
	size_t first = (size_t)i * s->rows;

	return (struct weir_env_view){ r->view->observations + first * s->observation_size,
				       r->view->rewards + first, r->view->asks + first,
				       r->view->done + i };
}

static void do_one(void *context, uint32_t i, uint32_t worker)
{
	const struct round *r = context;
	struct weir_env_pool *pool = r->pool;
	struct seat *seat = &pool->seats[i];
	struct weir_env_view view = part(r, i);
	int failed;

	(void)worker;
	if (r->actions && !seat->is_over)
		failed = weir_env_step(pool->envs[i], r->actions + (size_t)i * pool->shape.rows,
				       &view, &seat->error);
	else
		failed = weir_env_reset(pool->envs[i], weir_hash64(seat->seed, seat->episodes++),
					&view, &seat->error);
	if (!failed)
		seat->is_over = *view.done;
}

static int do_all(const struct round *r, struct weir_error *e)
{
	struct weir_env_pool *pool = r->pool;

	for (uint32_t i = 0; i < pool->count; i++)
		pool->seats[i].error.text[0] = '\0';
	task_pool_run(pool->team, pool->count, do_one, (void *)r);
	for (uint32_t i = 0; i < pool->count; i++)
		if (pool->seats[i].error.text[0]) {
			*e = pool->seats[i].error;
			return weir_error_prefix(e, "environment %u: ", i);
		}
	return 0;
}

int weir_env_pool_reset(struct weir_env_pool *pool, uint64_t seed, const struct weir_env_view *view,
			struct weir_error *e)
{
	for (uint32_t i = 0; i < pool->count; i++)
		pool->seats[i] = (struct seat){ .seed = weir_hash64(seed, i) };
	return do_all(&(struct round){ pool, NULL, view }, e);
}

int weir_env_pool_step(struct weir_env_pool *pool, const uint32_t *actions,
		       const struct weir_env_view *view, struct weir_error *e)
{
	return do_all(&(struct round){ pool, actions, view }, e);
}
