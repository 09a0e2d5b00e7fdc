/* hands.c -- see hands.h. */
#define _GNU_SOURCE
#include "sim/engine/hands.h"
#include "sim/engine/ranks.h"
#include <time.h>

enum {
	ARRIVALS_EACH = 256,    /* in a window of full links: about 8 us of work for a thread */
	ARRIVALS_TO_MEET = 64,  /* with fewer for each thread nobody else is called */
	WINDOWS_OF_TRIAL = 32,  /* to find out how fast a mode is */
	WINDOWS_TO_STAY = 1024, /* in the faster one; twice as many when it is faster again */
	WINDOWS_TO_STAY_MAX = 8192,
	WINDOWS_TO_SEE = 4, /* that a mode is hopeless */
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Data goes one way on most links and what answers it the other: half of them are taken as full. */
uint32_t hands_for(const struct engine *e, uint32_t threads)
{
	double arrivals = 0;

	for (uint32_t i = 0; i < e->net->link_count; i++) {
		const struct weir_port_class *kind = engine_kind(e, i);

		if (!engine_has_link(e, i))
			continue;
		arrivals += 0.5 * (double)e->window_ps /
			    (double)weir_port_wire_ps(kind, e->config->frame_max_bytes);
	}
	if (arrivals < 2.0 * ARRIVALS_EACH)
		return 1;
	return arrivals / ARRIVALS_EACH < threads ? (uint32_t)(arrivals / ARRIVALS_EACH) : threads;
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
	}
}

void hands_begin(struct engine *e)
{
	struct hands *h = &e->hands;

	if (h->adapts)
		begin(e, h->mode, h->left ? h->left : WINDOWS_OF_TRIAL);
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

void hands_next(struct engine *e)
{
	struct hands *h = &e->hands;
	uint64_t arrivals;

	h->windows++;
	if (--h->left && !is_hopeless(e))
		return;
	arrivals = sum_arrivals(e);
	h->rate[h->mode] = (double)arrivals / (double)(clock_ns() - h->begin_ns + 1);
	if (arrivals < (uint64_t)ARRIVALS_TO_MEET * e->threads * h->windows) {
		h->rate[HANDS_ALONE] = h->rate[HANDS_TOGETHER] = 0;
		begin(e, HANDS_ALONE, WINDOWS_OF_TRIAL);
		return;
	}
	choose(e);
}
