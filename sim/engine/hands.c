/* hands.c -- see hands.h. */
#define _GNU_SOURCE
#include "sim/engine/hands.h"
#include "sim/engine/ranks.h"
#include <time.h>

enum {
	ARRIVALS_EACH = 96,     /* in a window of full links: some 3 us of work for a thread */
	ARRIVALS_TO_MEET = 24,  /* with fewer for each thread nobody else is called */
	ARRIVALS_ENOUGH = 2048, /* with more, meeting is a hundredth of the work */
	WINDOWS_OF_TRIAL = 32,  /* at most, to find out how fast a mode is */
	WINDOWS_TO_STAY = 1024, /* in the faster one; twice as many when it is faster again */
	WINDOWS_TO_STAY_MAX = 8192,
	WINDOWS_TO_SEE = 4, /* that a mode is hopeless */
	TRIAL_NS = 1000 * 1000, /* enough for a trial of at least two windows */
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Arrivals in a window. Data goes one way on most links and what answers it the other: half of them are taken as full. */
static double expect_arrivals(const struct engine *e)
{
	double arrivals = 0;

	for (uint32_t i = 0; i < e->net->link_count; i++) {
		const struct weir_port_class *kind = engine_kind(e, i);

		if (!engine_has_link(e, i))
			continue;
		arrivals += 0.5 * (double)e->window_ps /
			    (double)weir_port_wire_ps(kind, e->config->frame_max_bytes);
	}
	return arrivals;
}

void hands_new(struct engine *e, const struct engine_plan *plan)
{
	double arrivals = plan->adapts ? expect_arrivals(e) : 0;

	e->threads = plan->threads;
	if (plan->adapts && arrivals < (double)plan->threads * ARRIVALS_EACH)
		e->threads = arrivals < 2.0 * ARRIVALS_EACH ? 1
							    : (uint32_t)(arrivals / ARRIVALS_EACH);
	e->hands.adapts = plan->adapts && e->threads > 1;
	e->hands.mode = e->threads == 1 || (plan->adapts && arrivals < (double)e->threads *
								       ARRIVALS_ENOUGH)
				? HANDS_ALONE
				: HANDS_TOGETHER;
}

/* At switches, since begin_ns. */
static uint64_t sum_arrivals(const struct engine *e)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < e->threads; i++)
		sum += e->workers[i].switched;
	return sum;
}

static void begin(struct engine *e, enum hands_mode mode, uint32_t windows)
{
	struct hands *h = &e->hands;

	h->mode = mode;
	h->left = windows;
	h->windows = 0;
	h->begin_ns = clock_ns();
	for (uint32_t i = 0; i < e->threads; i++) {
		e->workers[i].switched = 0;
		e->workers[i].shared = mode == HANDS_TOGETHER;
		e->workers[i].fetches = mode == HANDS_TOGETHER ? FETCH_FOR_ALL : e->fetches;
	}
}

void hands_begin(struct engine *e)
{
	struct hands *h = &e->hands;

	if (h->adapts)
		begin(e, h->mode, h->left ? h->left : WINDOWS_OF_TRIAL);
}

/* Do threads have so much to do in a window that it does not matter how long they take to meet? */
static int is_enough(const struct engine *e, uint64_t arrivals)
{
	const struct hands *h = &e->hands;

	return h->mode == HANDS_TOGETHER &&
	       arrivals >= (uint64_t)ARRIVALS_ENOUGH * e->threads * h->windows;
}

/* The mode that has just been timed is left for the other one where that has no time yet; else the faster stays. The
 * slower one is tried again when it has stayed long enough. */
static void choose(struct engine *e)
{
	struct hands *h = &e->hands;
	enum hands_mode other = h->mode == HANDS_ALONE ? HANDS_TOGETHER : HANDS_ALONE;
	enum hands_mode faster = h->rate[other] > h->rate[h->mode] ? other : h->mode;

	if (h->rate[other] == 0) {
		begin(e, other, WINDOWS_OF_TRIAL);
		return;
	}
	h->stay = faster == h->faster && h->stay < WINDOWS_TO_STAY_MAX ? 2 * h->stay
								       : WINDOWS_TO_STAY;
	h->faster = faster;
	h->rate[faster == HANDS_ALONE ? HANDS_TOGETHER : HANDS_ALONE] = 0;
	begin(e, faster, h->stay);
}

/* Whoever meets on a processor that others want too may wait for long: then a few windows are enough to see it. */
static int is_hopeless(const struct engine *e)
{
	const struct hands *h = &e->hands;

	return h->mode == HANDS_TOGETHER && h->windows >= WINDOWS_TO_SEE &&
	       h->windows < WINDOWS_OF_TRIAL &&
	       (double)sum_arrivals(e) <
		       h->rate[HANDS_ALONE] * (double)(clock_ns() - h->begin_ns) / 2;
}

/* A trial whose windows are long needs fewer of them. */
static int is_seen(const struct engine *e)
{
	const struct hands *h = &e->hands;

	return h->left < WINDOWS_OF_TRIAL && h->windows > 1 && h->windows < WINDOWS_OF_TRIAL &&
	       clock_ns() - h->begin_ns >= TRIAL_NS;
}

void hands_next(struct engine *e)
{
	struct hands *h = &e->hands;
	uint64_t arrivals;

	h->windows++;
	if (--h->left && !is_hopeless(e) && !is_seen(e))
		return;
	arrivals = sum_arrivals(e);
	h->rate[h->mode] = (double)arrivals / (double)(clock_ns() - h->begin_ns + 1);
	if (arrivals < (uint64_t)ARRIVALS_TO_MEET * e->threads * h->windows) {
		h->rate[HANDS_ALONE] = h->rate[HANDS_TOGETHER] = 0;
		begin(e, HANDS_ALONE, WINDOWS_OF_TRIAL);
		return;
	}
	if (is_enough(e, arrivals))
		begin(e, HANDS_TOGETHER, WINDOWS_OF_TRIAL);
	else
		choose(e);
}
