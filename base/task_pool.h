/* SPDX-License-Identifier: BSD-3-Clause */
/* task_pool.h -- threads that share out numbered pieces of work: episodes of a round, parts of an
 * update. Who does which piece is chance; so nothing may depend on it. */
#ifndef BASE_TASK_POOL_H
#define BASE_TASK_POOL_H
#include <stdint.h>

struct task_pool;

/* So many work at a time, the caller among them; fewer where the system has no thread to give. */
struct task_pool *task_pool_new(uint32_t workers);
void task_pool_free(struct task_pool *t); /* NULL is fine */
uint32_t task_pool_workers(const struct task_pool *t);

/* Calls piece(context, i, worker) once for each i below count and returns when all have returned.
 * No two calls at the same time have the same worker. */
typedef void task_pool_task(void *context, uint32_t i, uint32_t worker);
void task_pool_run(struct task_pool *t, uint32_t count, task_pool_task *piece, void *context);
#endif
