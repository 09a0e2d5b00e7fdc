/* SPDX-License-Identifier: BSD-3-Clause */
/* task_pool.h -- a thread pool for batches of independent tasks: episodes of a training round,
 * chunks of a gradient. Which thread runs which task is not deterministic, so results must not
 * depend on it.
 *
 * Threads sleep between batches. The simulator has a pool of its own (sim/core): its threads meet
 * at a barrier every few microseconds, where sleeping would cost more than the work. */
#ifndef BASE_TASK_POOL_H
#define BASE_TASK_POOL_H
#include <stdint.h>

struct task_pool;

/* A pool of that many workers including the caller; fewer if the system refuses to start threads.
 */
struct task_pool *task_pool_new(uint32_t workers);
void task_pool_free(struct task_pool *t); /* NULL: no effect */
uint32_t task_pool_workers(const struct task_pool *t);

/* Calls task(context, i, worker) once for each i below count and returns when all calls have
 * returned. Concurrent calls have different workers, below task_pool_workers. One batch at a time.
 */
typedef void task_pool_task(void *context, uint32_t i, uint32_t worker);
void task_pool_run(struct task_pool *t, uint32_t count, task_pool_task *task, void *context);
#endif
