/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.c -- intervals, delays and skipping of idle periods, see loop.h. */
#include "weir/compiler.h"
#include "lib/tune/loop.h"
#include "weir/units.h"
#include <assert.h>

enum { DRAWS_PER_STEP = 2 };

/* Owner of the random stream of delays; that of marks is 0. */
enum { DELAYS = 1 };

/* --- the queue between two arrivals --- */

/* The queue length between two arrivals: linear from (begin_ns, begin_bytes) to (end_ns,
 * end_bytes), then constant. It ends before the arrival only where the queue became empty. */
struct loop_course {
	int64_t begin_ns, end_ns;
	uint64_t begin_bytes, end_bytes;
};

static struct loop_course loop_course_to(const struct tune_loop *l, const struct tune_arrival *a)
{
	struct loop_course c = { l->last_ns, a->now_ns, l->queue_bytes, a->queue_bytes };

	if (a->queue_bytes == 0 && tune_loop_fall_ns(l) < a->now_ns - l->last_ns)
		c.end_ns = l->last_ns + tune_loop_fall_ns(l);
	return c;
}

/* begin + (end - begin) (t - begin_ns) / (end_ns - begin_ns), rounded towards begin. Lengths are
 * below 2^33 and times below 2^63, so products need 128 bits. */
static uint64_t loop_course_at(const struct loop_course *c, int64_t now_ns)
{
	uint64_t part = (uint64_t)(now_ns - c->begin_ns);
	uint64_t whole = (uint64_t)(c->end_ns - c->begin_ns);

	if (now_ns >= c->end_ns)
		return c->end_bytes;
	if (c->end_bytes <= c->begin_bytes)
		return c->begin_bytes -
		       (uint64_t)((weir_u128)(c->begin_bytes - c->end_bytes) * part / whole);
	return c->begin_bytes +
	       (uint64_t)((weir_u128)(c->end_bytes - c->begin_bytes) * part / whole);
}

/* Integrates the length up to a time within the interval. */
static void loop_account(struct tune_loop *l, const struct loop_course *c, int64_t to_ns)
{
	uint64_t length = loop_course_at(c, to_ns);
	int64_t until_ns = to_ns < c->end_ns ? to_ns : c->end_ns;

	if (until_ns > l->last_ns)
		l->area += (l->queue_bytes + length) * (uint64_t)(until_ns - l->last_ns);
	l->last_ns = to_ns;
	l->queue_bytes = length;
}

/* --- intervals --- */

static uint64_t loop_delay_ns(struct weir_rng *r, struct weir_span_ps span)
{
	uint64_t width_ps = (uint64_t)(span.last_ps - span.first_ps);

	return (uint64_t)weir_ps_to_ns(span.first_ps + (int64_t)weir_rng_below(r, width_ps + 1));
}

static void loop_set_due(struct tune_loop *l)
{
	l->due_ns = l->apply_ns < l->end_ns ? l->apply_ns : l->end_ns;
}

static void loop_apply_knobs(struct tune_loop *l)
{
	l->knobs = l->asked;
	l->apply_ns = TUNE_NEVER;
}

/* Returns the telemetry of the interval that ends, and resets it for the next. */
static struct weir_tune_telemetry loop_end_telemetry(struct tune_loop *l)
{
	struct weir_tune_telemetry t = {
		.interval_ns = l->interval_ns,
		.rate_bps = l->rate_bps,
		.out_bytes = l->begin_bytes + l->in_bytes - l->queue_bytes,
		.marked_pkts = l->marked_pkts,
		.queue_mean_bytes = l->area / (2 * (uint64_t)l->interval_ns),
		.queue_max_bytes = l->max_bytes,
		.flows = l->flows,
		.mtu_bytes = l->mtu_bytes,
	};

	/* Rounding, or an unreported packet, must not make it negative. */
	if (l->begin_bytes + l->in_bytes < l->queue_bytes)
		t.out_bytes = 0;
	l->area = 0;
	l->in_bytes = 0;
	l->marked_pkts = 0;
	l->max_bytes = l->queue_bytes;
	l->begin_bytes = l->queue_bytes;
	return t;
}

/* Skips whole periods of idle steps (see idle_steps) that end by now: after a period state and
 * knobs are what they were. The random delays of skipped steps are skipped, too. */
static void loop_skip_idle(struct tune_loop *l, const struct weir_tune_ops *ops, int64_t now_ns)
{
	uint64_t steps = (uint64_t)(now_ns - l->end_ns) / (uint64_t)l->interval_ns;
	uint64_t skipped = steps / ops->idle_steps * ops->idle_steps;

	l->end_ns += (int64_t)skipped * l->interval_ns;
	l->last_ns = l->end_ns;
	weir_rng_skip(&l->rng, DRAWS_PER_STEP * skipped);
}

static void loop_end_interval(struct tune_loop *l, const struct tune_plan *plan, void *tuner,
			      int64_t now_ns)
{
	struct weir_tune_telemetry t = loop_end_telemetry(l);
	uint64_t wait_ns;

	assert(l->apply_ns == TUNE_NEVER); /* delays are at most an interval */
	if (t.out_bytes || t.queue_max_bytes)
		l->idle_steps = 0;
	else if (l->idle_steps < 2 * plan->ops->idle_steps)
		l->idle_steps++;
	else if (plan->ops->idle_steps)
		loop_skip_idle(l, plan->ops, now_ns);
	plan->ops->step(tuner, plan->params, &t, &l->asked);
	wait_ns = loop_delay_ns(&l->rng, plan->read_delay);
	wait_ns += loop_delay_ns(&l->rng, plan->write_delay);
	l->apply_ns = l->end_ns + (int64_t)wait_ns;
	l->end_ns += l->interval_ns;
	if (wait_ns == 0)
		loop_apply_knobs(l);
}

void weir_tune_loop_catch_up(struct tune_loop *l, const struct tune_plan *plan, void *tuner,
			     const struct tune_arrival *a)
{
	struct loop_course c = loop_course_to(l, a);

	while (l->due_ns <= a->now_ns) {
		loop_account(l, &c, l->due_ns);
		if (l->apply_ns <= l->due_ns)
			loop_apply_knobs(l);
		if (l->end_ns <= l->due_ns)
			loop_end_interval(l, plan, tuner, a->now_ns);
		loop_set_due(l);
	}
}

void weir_tune_loop_init(struct tune_loop *l, const struct tune_plan *plan, void *tuner,
			 const struct tune_env *env, const struct weir_tune_knobs *knobs)
{
	uint64_t interval_ns = env->interval_ns;

	if (interval_ns < TUNE_INTERVAL_MIN_NS)
		interval_ns = TUNE_INTERVAL_MIN_NS;
	if (interval_ns > TUNE_INTERVAL_MAX_NS)
		interval_ns = TUNE_INTERVAL_MAX_NS;
	*l = (struct tune_loop){
		.interval_ns = (int64_t)interval_ns,
		.end_ns = (int64_t)interval_ns,
		.apply_ns = TUNE_NEVER,
		.asked = *knobs,
		.rate_bps = env->rate_bps,
		.ns_per_byte_q32 =
			(uint64_t)(((weir_u128)WEIR_NS_PER_S * WEIR_BITS_PER_BYTE << 32) /
				   env->rate_bps),
		.mtu_bytes = env->mtu_bytes,
		.rng = weir_rng_make(env->seed, DELAYS, WEIR_RNG_MARKING),
	};
	plan->ops->init(tuner, plan->params, env->mtu_bytes, &l->asked);
	l->knobs = l->asked;
	loop_set_due(l);
}
