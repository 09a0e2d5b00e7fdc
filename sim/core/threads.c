/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c -- see threads.h. */
#define _GNU_SOURCE
#include "sim/core/threads.h"
#include "base/clock.h"
#include "base/memory.h"
#include "sim/parallel/ranks.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* --- the pool --- */

/* Turns before a waiting thread yields: a few microseconds. Before it sleeps: about a
 * millisecond. */
enum { SPINS_BEFORE_YIELD = 100, SPINS_BEFORE_SLEEP = 200 * SPINS_BEFORE_YIELD };

struct thread_pool {
	atomic_uint run; /* counts calls of thread_pool_run, and thread_pool_free's */
	pthread_mutex_t lock;
	pthread_cond_t begun;
	int is_over;
	uint32_t room, count; /* threads asked for, and running */
	struct thread_pool_work work;
	struct pool_thread {
		struct thread_pool *pool;
		pthread_t thread;
		uint32_t index;
	} threads[];
};

void thread_spin(uint32_t *spins)
{
	/* Tells the processor that this is a spin loop. */
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
	if (++*spins % SPINS_BEFORE_YIELD == 0)
		sched_yield();
}

/* Waits until the pool's run is another one than the thread knows; returns it. */
static unsigned pool_await_run(struct thread_pool *p, unsigned known)
{
	for (uint32_t spins = 0; spins < SPINS_BEFORE_SLEEP; thread_spin(&spins))
		if (atomic_load_explicit(&p->run, memory_order_acquire) != known)
			return known + 1;
	pthread_mutex_lock(&p->lock);
	while (atomic_load_explicit(&p->run, memory_order_acquire) == known)
		pthread_cond_wait(&p->begun, &p->lock);
	pthread_mutex_unlock(&p->lock);
	return known + 1;
}

static void *pool_serve(void *argument)
{
	struct pool_thread *t = argument;
	struct thread_pool *p = t->pool;

	for (unsigned run = pool_await_run(p, 0); !p->is_over; run = pool_await_run(p, run))
		p->work.work((char *)p->work.first + t->index * p->work.size);
	return NULL;
}

void thread_pool_run(struct thread_pool *p)
{
	pthread_mutex_lock(&p->lock);
	atomic_fetch_add_explicit(&p->run, 1, memory_order_release);
	pthread_cond_broadcast(&p->begun);
	pthread_mutex_unlock(&p->lock);
}

int thread_pool_new(struct thread_pool **out, uint32_t count, const struct thread_pool_work *work,
		    struct weir_error *error)
{
	struct thread_pool *p = memory_new(1, sizeof(*p) + count * sizeof(p->threads[0]));
	int refused = 0;

	p->room = count;
	p->work = *work;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->begun, NULL);
	while (p->count < count && !refused) {
		struct pool_thread *t = &p->threads[p->count];

		*t = (struct pool_thread){ .pool = p, .index = p->count };
		refused = pthread_create(&t->thread, NULL, pool_serve, t);
		if (!refused)
			p->count++;
	}
	*out = p;
	if (!refused)
		return 0;
	weir_error_set(error,
		       "the system gives %u of %u threads (%s); ask for fewer with --threads",
		       p->count + 1, count + 1, strerror(refused));
	thread_pool_free(p);
	*out = NULL;
	return -1;
}

void thread_pool_free(struct thread_pool *p)
{
	if (!p)
		return;
	p->is_over = 1;
	thread_pool_run(p);
	for (uint32_t i = 0; i < p->count; i++)
		pthread_join(p->threads[i].thread, NULL);
	pthread_cond_destroy(&p->begun);
	pthread_mutex_destroy(&p->lock);
	memory_free(p, 1, sizeof(*p) + p->room * sizeof(p->threads[0]));
}

/* --- auto-tuning --- */

/* The unit of throughput is a packet's arrival at a switch. */
enum {
	ARRIVALS_PER_THREAD = 96, /* in a window of loaded links: some 3 us of work for a thread */
	ARRIVALS_MIN = 24,        /* with fewer for each thread parallel mode is not tried */
	ARRIVALS_PLENTY = 2048,   /* with more for each thread the barrier is 1 % of the time */
	WINDOWS_TO_SETTLE = 2,    /* while threads are started, or wake up */
	WINDOWS_OF_TRIAL = 32,    /* at most, to measure a mode */
	TRIALS_TO_STAY = 32,      /* trials' time in the faster mode; doubles when it wins again */
	WINDOWS_TO_STAY_MAX = 8192,
	WINDOWS_TO_GIVE_UP = 4, /* enough to see that a mode is hopeless */
	TRIAL_NS = 1000 * 1000, /* enough for a trial of at least two windows */
};

static enum thread_mode other_mode(enum thread_mode mode)
{
	return mode == THREADS_SERIAL ? THREADS_PARALLEL : THREADS_SERIAL;
}

/* Expected arrivals in a lookahead window. Most links carry data in one direction and ACKs in the
 * other: half of all links count as fully loaded. */
static double tuner_expect_arrivals(const struct engine *e)
{
	double arrivals = 0;

	for (uint32_t i = 0; i < e->net->link_count; i++) {
		const struct weir_port_class *kind = engine_port_class(e, i);

		if (!engine_owns_link(e, i))
			continue;
		arrivals += 0.5 * (double)e->lookahead_ps /
			    (double)weir_port_wire_ps(kind, e->config->frame_max_bytes);
	}
	return arrivals;
}

void thread_tuner_init(struct engine *e, const struct engine_plan *plan)
{
	double arrivals = plan->adapts ? tuner_expect_arrivals(e) : 0;

	e->threads = plan->threads;
	if (plan->adapts && arrivals < (double)plan->threads * ARRIVALS_PER_THREAD)
		e->threads = arrivals < 2.0 * ARRIVALS_PER_THREAD
				     ? 1
				     : (uint32_t)(arrivals / ARRIVALS_PER_THREAD);
	e->tuner.adapts = plan->adapts && e->threads > 1;
	e->tuner.mode =
		e->threads == 1 || (plan->adapts && arrivals < (double)e->threads * ARRIVALS_PLENTY)
			? THREADS_SERIAL
			: THREADS_PARALLEL;
}

/* Packets that arrived at switches since begin_ns. */
static uint64_t tuner_sum_arrivals(const struct engine *e)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < e->threads; i++)
		sum += e->workers[i].switched;
	return sum;
}

static void tuner_begin_count(struct engine *e)
{
	e->tuner.windows = 0;
	e->tuner.begin_ns = clock_ns();
	for (uint32_t i = 0; i < e->threads; i++)
		e->workers[i].switched = 0;
}

static void tuner_set_mode(struct engine *e, enum thread_mode mode, uint32_t windows)
{
	struct thread_tuner *t = &e->tuner;

	t->settling = mode == THREADS_PARALLEL && (t->mode == THREADS_SERIAL || !e->pool)
			      ? WINDOWS_TO_SETTLE
			      : 0;
	t->mode = mode;
	t->left = windows;
	tuner_begin_count(e);
	for (uint32_t i = 0; i < e->threads; i++) {
		e->workers[i].shared = mode == THREADS_PARALLEL;
		e->workers[i].prefetch = mode == THREADS_PARALLEL ? PREFETCH_ALL : e->prefetch;
	}
}

void thread_tuner_start(struct engine *e)
{
	struct thread_tuner *t = &e->tuner;

	if (t->adapts)
		tuner_set_mode(e, t->mode, t->left ? t->left : WINDOWS_OF_TRIAL);
}

/* For how many windows to keep the faster mode, such that the trial was a small part of the time.
 */
static uint32_t tuner_stay_for(const struct thread_tuner *t, enum thread_mode faster)
{
	double windows = TRIALS_TO_STAY * t->windows * t->rate[faster] / t->rate[t->mode];

	return windows < WINDOWS_TO_STAY_MAX ? (uint32_t)windows : WINDOWS_TO_STAY_MAX;
}

uint32_t thread_tuner_choose(struct thread_tuner *t, enum thread_mode *next)
{
	enum thread_mode timed = t->mode, other = other_mode(timed);
	enum thread_mode faster = t->rate[other] > t->rate[timed] ? other : timed;

	if (t->rate[other] == 0) {
		*next = other;
		return WINDOWS_OF_TRIAL;
	}
	t->stay = t->stay && faster == t->faster ? 2 * t->stay : tuner_stay_for(t, faster);
	if (t->stay > WINDOWS_TO_STAY_MAX)
		t->stay = WINDOWS_TO_STAY_MAX;
	t->faster = faster;
	t->rate[other_mode(faster)] = 0;
	*next = faster;
	return t->stay;
}

/* A barrier is slow on a processor that other programs use, too: parallel mode may then be several
 * times slower than serial mode, which a few windows are enough to see. */
static int tuner_is_hopeless(const struct engine *e)
{
	const struct thread_tuner *t = &e->tuner;
	double other = t->rate[other_mode(t->mode)];

	return t->windows >= WINDOWS_TO_GIVE_UP && t->windows < WINDOWS_OF_TRIAL &&
	       (double)tuner_sum_arrivals(e) < other * (double)(clock_ns() - t->begin_ns) / 2;
}

/* Has the trial lasted long enough? With long windows fewer of them are enough. */
static int tuner_has_measured(const struct engine *e)
{
	const struct thread_tuner *t = &e->tuner;

	return t->left < WINDOWS_OF_TRIAL && t->windows > 1 && t->windows < WINDOWS_OF_TRIAL &&
	       clock_ns() - t->begin_ns >= TRIAL_NS;
}

void thread_tuner_next(struct engine *e)
{
	struct thread_tuner *t = &e->tuner;
	uint64_t arrivals, per_thread;
	enum thread_mode next;
	uint32_t windows;

	if (t->settling) {
		if (--t->settling == 0)
			tuner_begin_count(e);
		return;
	}
	t->windows++;
	if (--t->left && !tuner_is_hopeless(e) && !tuner_has_measured(e))
		return;
	arrivals = tuner_sum_arrivals(e);
	per_thread = (uint64_t)e->threads * t->windows;
	t->rate[t->mode] = (double)arrivals / (double)(clock_ns() - t->begin_ns + 1);
	if (arrivals < ARRIVALS_MIN * per_thread) {
		t->rate[THREADS_SERIAL] = t->rate[THREADS_PARALLEL] = 0;
		tuner_set_mode(e, THREADS_SERIAL, WINDOWS_OF_TRIAL);
	} else if (t->mode == THREADS_PARALLEL && arrivals >= ARRIVALS_PLENTY * per_thread) {
		tuner_set_mode(e, THREADS_PARALLEL, WINDOWS_OF_TRIAL);
	} else {
		windows = thread_tuner_choose(t, &next);
		tuner_set_mode(e, next, windows);
	}
}
