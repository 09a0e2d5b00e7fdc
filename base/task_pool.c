/* SPDX-License-Identifier: BSD-3-Clause */
/* task_pool.c -- see task_pool.h. */
#include "base/task_pool.h"
#include "base/memory.h"
#include <pthread.h>
#include <stdatomic.h>

struct member {
	struct task_pool *team;
	pthread_t thread;
	uint32_t number;
};

struct task_pool {
	pthread_mutex_t lock;
	pthread_cond_t work, rest; /* there is something to do; all have done it */
	uint64_t jobs;             /* begun so far; a member has worked on those it has counted */
	uint32_t busy;             /* members that have not come to the end of the job */
	int ends;
	/* The job. */
	uint32_t count;
	atomic_uint next;
	task_pool_task *piece;
	void *context;
	uint32_t asked, workers;
	struct member *members; /* asked of them; the first is the caller */
};

static void do_pieces(struct task_pool *t, uint32_t worker)
{
	for (uint32_t i; (i = atomic_fetch_add(&t->next, 1)) < t->count;)
		t->piece(t->context, i, worker);
}

static void *live(void *argument)
{
	struct member *m = argument;
	struct task_pool *t = m->team;
	uint64_t seen = 0;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (t->jobs == seen && !t->ends)
			pthread_cond_wait(&t->work, &t->lock);
		if (t->ends)
			break;
		seen = t->jobs;
		pthread_mutex_unlock(&t->lock);
		do_pieces(t, m->number);
		pthread_mutex_lock(&t->lock);
		if (--t->busy == 0)
			pthread_cond_signal(&t->rest);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

struct task_pool *task_pool_new(uint32_t workers)
{
	struct task_pool *t = memory_new(1, sizeof(*t));

	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->work, NULL);
	pthread_cond_init(&t->rest, NULL);
	t->asked = workers;
	t->members = memory_new(workers, sizeof(*t->members));
	t->workers = 1;
	while (t->workers < workers) {
		struct member *m = &t->members[t->workers];

		*m = (struct member){ .team = t, .number = t->workers };
		if (pthread_create(&m->thread, NULL, live, m))
			break;
		t->workers++;
	}
	return t;
}

void task_pool_free(struct task_pool *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->ends = 1;
	pthread_cond_broadcast(&t->work);
	pthread_mutex_unlock(&t->lock);
	for (uint32_t i = 1; i < t->workers; i++)
		pthread_join(t->members[i].thread, NULL);
	pthread_cond_destroy(&t->work);
	pthread_cond_destroy(&t->rest);
	pthread_mutex_destroy(&t->lock);
	memory_free(t->members, t->asked, sizeof(*t->members));
	memory_free(t, 1, sizeof(*t));
}

uint32_t task_pool_workers(const struct task_pool *t)
{
	return t->workers;
}

void task_pool_run(struct task_pool *t, uint32_t count, task_pool_task *piece, void *context)
{
	pthread_mutex_lock(&t->lock);
	t->count = count;
	atomic_store(&t->next, 0);
	t->piece = piece;
	t->context = context;
	t->busy = t->workers - 1;
	t->jobs++;
	pthread_cond_broadcast(&t->work);
	pthread_mutex_unlock(&t->lock);
	do_pieces(t, 0);
	pthread_mutex_lock(&t->lock);
	while (t->busy > 0)
		pthread_cond_wait(&t->rest, &t->lock);
	pthread_mutex_unlock(&t->lock);
}
