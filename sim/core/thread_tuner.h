/* SPDX-License-Identifier: BSD-3-Clause */
/* thread_tuner.h -- how many threads a run is worth, where the caller leaves that open
 * (engine_plan.adapts).
 *
 * Threads meet after every window. Where a window has little to do, meeting takes longer than
 * working alone, and by how much depends on the machine and on who else uses it. So a small network
 * has one thread from the beginning; a larger one works alone, then together, for a few windows or
 * a millisecond each, and goes on for many as was faster. A very large one begins together, and
 * stays so while a window has much for everybody to do. Nothing that happens depends on it. */
#ifndef SIM_CORE_THREAD_TUNER_H
#define SIM_CORE_THREAD_TUNER_H
#include <stdint.h>

struct engine;
struct engine_plan;

enum thread_mode { THREADS_SERIAL, THREADS_PARALLEL, THREAD_MODES };

struct thread_tuner {
	uint32_t adapts;           /* 0: together at all times */
	uint32_t mode;             /* enum thread_mode: of the window that comes */
	uint32_t left;             /* windows until it is looked at again */
	uint32_t stay;             /* windows that the faster mode is kept for */
	uint32_t faster;           /* the mode that was, the last time */
	uint32_t settling;         /* windows until begin_ns is now */
	uint32_t windows;          /* since begin_ns */
	int64_t begin_ns;          /* by clock_ns */
	double rate[THREAD_MODES]; /* arrivals in a nanosecond, when last tried; 0: not yet */
};

/* Sets engine.threads and hands: where the plan leaves it open, as many threads as a network with
 * full links keeps busy. Ports and windows are there. */
void thread_tuner_init(struct engine *e, const struct engine_plan *plan);

/* Which mode comes next when one has been timed, and for how many windows: the other one where that
 * has no time yet; else the faster stays, so long that the trial was a small part of it, and then
 * the slower one is tried again. */
uint32_t thread_tuner_choose(struct thread_tuner *h, enum thread_mode *next);

/* Every thread rests: before the first window of a leg, and between two windows where
 * hands.adapts. */
void thread_tuner_start(struct engine *e);
void thread_tuner_next(struct engine *e);
#endif
