/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.h -- the threads of a simulation: a pool of workers, and thread auto-tuning.
 *
 * Thread pool. Workers are started once and wait between two calls of engine_advance_until: they
 * spin for a millisecond, for a stop that only takes a sample, and then sleep. This is not
 * base/task_pool.h, which hands numbered tasks to whichever thread is free and puts threads to
 * sleep after each batch: here each thread runs its own worker, all of them at once because they
 * meet at a barrier, and a wake-up from sleep would cost as much as hundreds of lookahead windows.
 *
 * Thread auto-tuning (engine_plan.adapts). Where a lookahead window has few events the barrier
 * costs more than parallel processing saves, by how much depends on the machine and its load. So a
 * small network has one thread; a larger one measures its serial and its parallel throughput, for a
 * few windows or a millisecond each, and keeps the faster mode for a while; a very large one starts
 * in parallel and stays so while its windows have plenty of events. Results do not depend on it. */
#ifndef SIM_CORE_THREADS_H
#define SIM_CORE_THREADS_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

struct engine;
struct engine_plan;

/* --- the pool --- */

struct thread_pool;

/* What the threads do when the pool runs: thread i calls work(first + i * size). */
struct thread_pool_work {
	void (*work)(void *argument);
	void *first;
	size_t size;
};

/* Starts that many threads, which wait. -1: the system refuses one; *out is NULL and the message
 * says so. */
int thread_pool_new(struct thread_pool **out, uint32_t count, const struct thread_pool_work *work,
		    struct weir_error *error);

/* Waits until all threads have returned from their work, and ends them. NULL: nothing to do. */
void thread_pool_free(struct thread_pool *p);

/* Each thread does its work once. Returns at once: the work itself ends with a barrier. */
void thread_pool_run(struct thread_pool *p);

/* One turn of a loop that waits for another thread; now and then it yields the processor, which
 * that thread may need. *spins counts the turns, from 0. */
void thread_spin(uint32_t *spins);

/* --- auto-tuning --- */

enum thread_mode { THREADS_SERIAL, THREADS_PARALLEL, THREAD_MODES };

struct thread_tuner {
	uint32_t adapts;           /* 0: parallel at all times, with more than one thread */
	uint32_t mode;             /* enum thread_mode of the next lookahead window */
	uint32_t left;             /* windows until the mode is reconsidered */
	uint32_t stay;             /* windows that the faster mode was last kept for */
	uint32_t faster;           /* mode that was faster in the last comparison */
	uint32_t settling;         /* windows before the measurement starts */
	uint32_t windows;          /* measured, since begin_ns */
	int64_t begin_ns;          /* by clock_ns */
	double rate[THREAD_MODES]; /* measured arrivals per nanosecond; 0: not yet */
};

/* Sets engine.threads and the tuner: with engine_plan.adapts, as many threads as a network with
 * loaded links keeps busy. Ports and the lookahead exist. */
void thread_tuner_init(struct engine *e, const struct engine_plan *plan);

/* The next mode, after one has been measured, and for how many windows: the other mode where that
 * has no rate yet; else the faster one, for so long that the trial was a small part of the time,
 * after which the slower one is measured again. */
uint32_t thread_tuner_choose(struct thread_tuner *t, enum thread_mode *next);

/* At the barrier: before the first window of a call, and after every window where adapts is set. */
void thread_tuner_start(struct engine *e);
void thread_tuner_next(struct engine *e);
#endif
