/* SPDX-License-Identifier: BSD-3-Clause */
/* thread_tuner.c -- see thread_tuner.h. */
#define _GNU_SOURCE
#include "sim/core/thread_tuner.h"
#include "sim/parallel/ranks.h"
#include "base/clock.h"

enum {
	ARRIVALS_EACH = 96,     /* in a window of full links: some 3 us of work for a thread */
	ARRIVALS_TO_MEET = 24,  /* with fewer for each thread nobody else is called */
	ARRIVALS_ENOUGH = 2048, /* with more, meeting is a hundredth of the work */
	WINDOWS_TO_SETTLE = 2,  /* in which threads that are called are made, or wake up */
	WINDOWS_OF_TRIAL = 32,  /* at most, to find out how fast a mode is */
	TRIALS_TO_STAY = 32,    /* time in the faster mode; twice as long when it is faster again */
	WINDOWS_TO_STAY_MAX = 8192,
	WINDOWS_TO_SEE = 4,     /* that a mode is hopeless */
	TRIAL_NS = 1000 * 1000, /* enough for a trial of at least two windows */
};

/* Arrivals in a window. Data goes one way on most links and what answers it the other: half of them
 * are taken as full. */
static double expect_arrivals(const struct engine *e)
{
	double arrivals = 0;

	for (uint32_t i = 0; i < e->net->link_count; i++) {
		const struct weir_port_class *kind = engine_port_class(e, i);

		if (!engine_owns_link(e, i))
			continue;
		arrivals += 0.5 * (double)e->window_ps /
			    (double)weir_port_wire_ps(kind, e->config->frame_max_bytes);
	}
	return arrivals;
}

void thread_tuner_init(struct engine *e, const struct engine_plan *plan)
{
	double arrivals = plan->adapts ? expect_arrivals(e) : 0;

	e->threads = plan->threads;
	if (plan->adapts && arrivals < (double)plan->threads * ARRIVALS_EACH)
		e->threads =
			arrivals < 2.0 * ARRIVALS_EACH ? 1 : (uint32_t)(arrivals / ARRIVALS_EACH);
	e->tuner.adapts = plan->adapts && e->threads > 1;
	e->tuner.mode =
		e->threads == 1 || (plan->adapts && arrivals < (double)e->threads * ARRIVALS_ENOUGH)
			? THREADS_SERIAL
			: THREADS_PARALLEL;
}

/* At switches, since begin_ns. */
static uint64_t sum_arrivals(const struct engine *e)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < e->threads; i++)
		sum += e->workers[i].switched;
	return sum;
}

static void begin_count(struct engine *e)
{
	e->tuner.windows = 0;
	e->tuner.begin_ns = clock_ns();
	for (uint32_t i = 0; i < e->threads; i++)
		e->workers[i].switched = 0;
}

static void begin(struct engine *e, enum thread_mode mode, uint32_t windows)
{
	struct thread_tuner *h = &e->tuner;

	h->settling = mode == THREADS_PARALLEL && (h->mode == THREADS_SERIAL || !e->crew)
			      ? WINDOWS_TO_SETTLE
			      : 0;
	h->mode = mode;
	h->left = windows;
	begin_count(e);
	for (uint32_t i = 0; i < e->threads; i++) {
		e->workers[i].shared = mode == THREADS_PARALLEL;
		e->workers[i].prefetch = mode == THREADS_PARALLEL ? PREFETCH_ALL : e->prefetch;
	}
}

void thread_tuner_start(struct engine *e)
{
	struct thread_tuner *h = &e->tuner;

	if (h->adapts)
		begin(e, h->mode, h->left ? h->left : WINDOWS_OF_TRIAL);
}

/* Do threads have so much to do in a window that it does not matter how long they take to meet? */
static int is_enough(const struct engine *e, uint64_t arrivals)
{
	const struct thread_tuner *h = &e->tuner;

	return h->mode == THREADS_PARALLEL &&
	       arrivals >= (uint64_t)ARRIVALS_ENOUGH * e->threads * h->windows;
}

/* Windows of the faster mode in which the trial that has just ended is a small part. */
static uint32_t stay_for(const struct thread_tuner *h, enum thread_mode faster)
{
	double windows = TRIALS_TO_STAY * h->windows * h->rate[faster] / h->rate[h->mode];

	return windows < WINDOWS_TO_STAY_MAX ? (uint32_t)windows : WINDOWS_TO_STAY_MAX;
}

uint32_t thread_tuner_choose(struct thread_tuner *h, enum thread_mode *next)
{
	enum thread_mode timed = h->mode,
			 other = timed == THREADS_SERIAL ? THREADS_PARALLEL : THREADS_SERIAL;
	enum thread_mode faster = h->rate[other] > h->rate[timed] ? other : timed;

	if (h->rate[other] == 0) {
		*next = other;
		return WINDOWS_OF_TRIAL;
	}
	h->stay = h->stay && faster == h->faster ? 2 * h->stay : stay_for(h, faster);
	if (h->stay > WINDOWS_TO_STAY_MAX)
		h->stay = WINDOWS_TO_STAY_MAX;
	h->faster = faster;
	h->rate[faster == THREADS_SERIAL ? THREADS_PARALLEL : THREADS_SERIAL] = 0;
	*next = faster;
	return h->stay;
}

/* Whoever meets on a processor that others want too may wait for long, and one thread takes several
 * times as long as many: then a few windows are enough to see it. */
static int is_hopeless(const struct engine *e)
{
	const struct thread_tuner *h = &e->tuner;
	double other = h->rate[h->mode == THREADS_SERIAL ? THREADS_PARALLEL : THREADS_SERIAL];

	return h->windows >= WINDOWS_TO_SEE && h->windows < WINDOWS_OF_TRIAL &&
	       (double)sum_arrivals(e) < other * (double)(clock_ns() - h->begin_ns) / 2;
}

/* A trial whose windows are long needs fewer of them. */
static int is_seen(const struct engine *e)
{
	const struct thread_tuner *h = &e->tuner;

	return h->left < WINDOWS_OF_TRIAL && h->windows > 1 && h->windows < WINDOWS_OF_TRIAL &&
	       clock_ns() - h->begin_ns >= TRIAL_NS;
}

void thread_tuner_next(struct engine *e)
{
	struct thread_tuner *h = &e->tuner;
	uint64_t arrivals;

	if (h->settling) {
		if (--h->settling == 0)
			begin_count(e);
		return;
	}
	h->windows++;
	if (--h->left && !is_hopeless(e) && !is_seen(e))
		return;
	arrivals = sum_arrivals(e);
	h->rate[h->mode] = (double)arrivals / (double)(clock_ns() - h->begin_ns + 1);
	if (arrivals < (uint64_t)ARRIVALS_TO_MEET * e->threads * h->windows) {
		h->rate[THREADS_SERIAL] = h->rate[THREADS_PARALLEL] = 0;
		begin(e, THREADS_SERIAL, WINDOWS_OF_TRIAL);
		return;
	}
	if (is_enough(e, arrivals)) {
		begin(e, THREADS_PARALLEL, WINDOWS_OF_TRIAL);
	} else {
		enum thread_mode next;
		uint32_t windows = thread_tuner_choose(h, &next);

		begin(e, next, windows);
	}
}
