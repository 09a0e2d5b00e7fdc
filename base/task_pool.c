/* SPDX-License-Identifier: BSD-3-Clause */
/* task_pool.c -- threads around a mutex and two condition variables; tasks are claimed with an
 * atomic counter, see task_pool.h. */
#include "base/task_pool.h"
#include "base/memory.h"
#include <pthread.h>
#include <stdatomic.h>

struct task_thread {
	struct task_pool *pool;
	pthread_t thread;
	uint32_t number;
};

struct task_pool {
	pthread_mutex_t lock;
	pthread_cond_t work, rest; /* a batch starts; all threads have finished it */
	uint64_t batches;          /* started so far; each thread counts those it has seen */
	uint32_t busy;             /* threads that have not finished the batch */
	int is_stopping;
	/* The current batch. */
	uint32_t count;
	atomic_uint next;
	task_pool_task *task;
	void *context;
	uint32_t requested, workers;
	struct task_thread *threads; /* requested of them; the first stands for the caller */
};

static void task_pool_drain(struct task_pool *t, uint32_t worker)
{
	for (uint32_t i; (i = atomic_fetch_add(&t->next, 1)) < t->count;)
		t->task(t->context, i, worker);
}

static void *task_thread_main(void *argument)
{
	struct task_thread *m = argument;
	struct task_pool *t = m->pool;
	uint64_t seen = 0;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		while (t->batches == seen && !t->is_stopping)
			pthread_cond_wait(&t->work, &t->lock);
		if (t->is_stopping)
			break;
		seen = t->batches;
		pthread_mutex_unlock(&t->lock);
		task_pool_drain(t, m->number);
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
	t->requested = workers;
	t->threads = memory_new(workers, sizeof(*t->threads));
	t->workers = 1;
	while (t->workers < workers) {
		struct task_thread *m = &t->threads[t->workers];

		*m = (struct task_thread){ .pool = t, .number = t->workers };
		if (pthread_create(&m->thread, NULL, task_thread_main, m))
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
	t->is_stopping = 1;
	pthread_cond_broadcast(&t->work);
	pthread_mutex_unlock(&t->lock);
	for (uint32_t i = 1; i < t->workers; i++)
		pthread_join(t->threads[i].thread, NULL);
	pthread_cond_destroy(&t->work);
	pthread_cond_destroy(&t->rest);
	pthread_mutex_destroy(&t->lock);
	memory_free(t->threads, t->requested, sizeof(*t->threads));
	memory_free(t, 1, sizeof(*t));
}

uint32_t task_pool_workers(const struct task_pool *t)
{
	return t->workers;
}

void task_pool_run(struct task_pool *t, uint32_t count, task_pool_task *task, void *context)
{
	pthread_mutex_lock(&t->lock);
	t->count = count;
	atomic_store(&t->next, 0);
	t->task = task;
	t->context = context;
	t->busy = t->workers - 1;
	t->batches++;
	pthread_cond_broadcast(&t->work);
	pthread_mutex_unlock(&t->lock);
	task_pool_drain(t, 0);
	pthread_mutex_lock(&t->lock);
	while (t->busy > 0)
		pthread_cond_wait(&t->rest, &t->lock);
	pthread_mutex_unlock(&t->lock);
}
