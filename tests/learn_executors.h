/* SPDX-License-Identifier: BSD-3-Clause */
/* learn_executors.h -- ways to share out the chunks of an update: backwards, and over threads. */
#ifndef TESTS_LEARN_EXECUTORS_H
#define TESTS_LEARN_EXECUTORS_H
#include "tests/test.h"
#include "weir/learn.h"
#include <pthread.h>

static inline void executor_backwards(void *context, weir_learn_chunk *chunk, void *job)
{
	(void)context;
	for (uint32_t i = WEIR_LEARN_CHUNKS; i-- > 0;)
		chunk(job, i, 0);
}

struct executor_worker {
	pthread_t thread;
	weir_learn_chunk *chunk;
	void *job;
	uint32_t number, workers;
};

static inline void *executor_work(void *context)
{
	const struct executor_worker *w = context;

	for (uint32_t i = w->number; i < WEIR_LEARN_CHUNKS; i += w->workers)
		w->chunk(w->job, i, w->number);
	return NULL;
}

/* The context is the number of threads, at most 8. */
static inline void executor_threads(void *context, weir_learn_chunk *chunk, void *job)
{
	uint32_t threads = *(uint32_t *)context;
	struct executor_worker workers[WEIR_LEARN_CHUNKS];

	for (uint32_t i = 0; i < threads; i++) {
		workers[i] = (struct executor_worker){
			.chunk = chunk, .job = job, .number = i, .workers = threads
		};
		CHECK(pthread_create(&workers[i].thread, NULL, executor_work, &workers[i]) == 0);
	}
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
}
#endif
