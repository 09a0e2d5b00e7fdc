/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c -- writing, with a way back: how often, the journal first, and what becomes of a change
 * that does harm. See keeper.h. */
#include "keeper/core/keeper.h"
#include "weir/units.h"
#include <string.h>

/* --- writing --- */

#define MINUTE_NS (INT64_C(60) * WEIR_NS_PER_S)

/* When the write before so many others was; 1: the last. */
static int64_t wrote_ns(const struct keeper *k, uint32_t profile, uint64_t ago)
{
	const struct kept *p = &k->kept[profile];

	return p->wrote_ns[(p->writes - ago) % k->plan->profiles[profile].limits.writes];
}

/* Does a write leave that many of the minute's for later? Taking back does not wait for the
 * shortest time. */
int keeper_may_write(const struct keeper *k, uint32_t profile, uint64_t keep_back)
{
	const struct keeper_limits *limits = &k->plan->profiles[profile].limits;
	const struct kept *p = &k->kept[profile];
	const uint64_t allowed = limits->writes - keep_back;

	if (p->writes >= allowed && k->now_ns - wrote_ns(k, profile, allowed) < MINUTE_NS)
		return 0;
	return !keep_back || !p->writes ||
	       k->now_ns - wrote_ns(k, profile, 1) >= (int64_t)limits->shortest_ns;
}

static void fail(struct keeper *k, uint32_t profile, const struct weir_error *e)
{
	k->kept[profile].pending = KEEPER_NOTHING;
	keeper_why(&k->kept[profile], "%.190s", e->text);
	keeper_say(k, KEEPER_DID_FAIL, profile, NULL, NULL);
}

void keeper_plan_write(struct keeper *k, uint32_t profile, enum keeper_pending pending,
		       const struct keeper_setting *to)
{
	k->kept[profile].pending = pending;
	k->kept[profile].next = *to;
}

/* What is there is looked at once more, so that an operator's change is not lost in the moment
 * before. */
static void look_again(struct keeper *k, uint32_t profile)
{
	struct keeper_record *r = &k->records[profile];
	struct kept *p = &k->kept[profile];
	struct keeper_setting now;
	struct weir_error e = { "" };

	if (k->plan->driver->read(k->driver, profile, &now, &e) != KEEPER_READ) {
		fail(k, profile, &e);
		return;
	}
	if (!keeper_setting_equals(&now, &p->in_force)) {
		p->pending = KEEPER_NOTHING;
		keeper_yield(k, profile, &now);
		return;
	}
	r->was = p->in_force;
	r->wrote = p->next;
}

static void end_taking_back(struct keeper *k, uint32_t profile)
{
	struct kept *p = &k->kept[profile];

	p->state = p->after;
	p->held_until_ns = k->now_ns + (int64_t)k->plan->options.hold_off_ns;
	p->rollbacks++;
}

static void write_one(struct keeper *k, uint32_t profile)
{
	struct kept *p = &k->kept[profile];
	const struct keeper_setting before = p->in_force;
	const enum keeper_pending pending = p->pending;
	struct weir_error e = { "" };

	p->pending = KEEPER_NOTHING;
	p->wrote_ns[p->writes++ % k->plan->profiles[profile].limits.writes] = k->now_ns;
	if (k->plan->driver->write(k->driver, profile, &p->next, &e)) {
		p->is_unsure = 1;
		fail(k, profile, &e);
		return;
	}
	p->fallback = before;
	p->in_force = p->next;
	if (pending == KEEPER_TAKING_BACK) {
		end_taking_back(k, profile);
	} else {
		p->probation = k->plan->options.guard_intervals;
		p->unverified_ns = k->plan->driver->follows ? k->now_ns : 0;
	}
	keeper_say(k, pending == KEEPER_CHANGE ? KEEPER_DID_WRITE : KEEPER_DID_TAKE_BACK, profile,
		   &before, &p->in_force);
}

static uint32_t count_pending(const struct keeper *k)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < k->plan->profile_count; i++)
		count += k->kept[i].pending != KEEPER_NOTHING;
	return count;
}

/* A disk that is asked to be sure takes longest of all: it is asked once, for all profiles
 * together. */
void keeper_write_pending(struct keeper *k)
{
	const uint32_t count = k->plan->profile_count;
	struct weir_error e = { "" };
	int failed;

	if (!count_pending(k))
		return;
	if (k->plan->driver->prepare)
		k->plan->driver->prepare(k->driver, KEEPER_LOOK_AT_SETTINGS);
	for (uint32_t i = 0; i < count; i++)
		if (k->kept[i].pending != KEEPER_NOTHING)
			look_again(k, i);
	if (!count_pending(k))
		return;
	failed = keeper_save(k, &e);
	for (uint32_t i = 0; i < count; i++) {
		if (k->kept[i].pending == KEEPER_NOTHING)
			continue;
		if (failed)
			fail(k, i, &e);
		else
			write_one(k, i);
	}
}

/* --- taking back --- */

static void begin_taking_back(struct keeper *k, uint32_t profile, enum keeper_state after)
{
	struct kept *p = &k->kept[profile];

	p->state = KEEPER_BACK;
	p->after = after;
	p->probation = 0;
	p->unverified_ns = 0;
	if (k->plan->profiles[profile].limits.canary)
		k->canary_since_ns = k->now_ns + (int64_t)k->plan->options.hold_off_ns;
}

/* Tried every interval until it is done. The profile was read in this step, and is as the keeper
 * left it. */
void keeper_take_back(struct keeper *k, uint32_t profile)
{
	struct kept *p = &k->kept[profile];

	if (p->state != KEEPER_BACK || !keeper_may_write(k, profile, 0))
		return;
	if (!keeper_setting_equals(&p->in_force, &p->fallback)) {
		keeper_plan_write(k, profile, KEEPER_TAKING_BACK, &p->fallback);
		return;
	}
	end_taking_back(k, profile);
	keeper_say(k, KEEPER_DID_TAKE_BACK, profile, &p->in_force, &p->fallback);
}

/* --- judging --- */

static const char *const guard_names[KEEPER_GUARDS] = { "drops", "pauses received",
							"bytes in the highest queue" };

/* A queue that stays below max is what the setting is there for. */
static int is_worse(const struct keeper *k, const struct kept *p, uint32_t guard, double value)
{
	const struct keeper_options *o = &k->plan->options;
	double least =
		guard == KEEPER_GUARDS - 1 ? (double)p->in_force.max_bytes : (double)o->guard_least;
	double worse = (double)o->guard_worse_q32 / (double)WEIR_ONE_Q32;

	return value > least && value > worse * p->guards[guard];
}

/* What is usual follows slowly: a quarter of the way at a time. */
static void learn(struct kept *p, const double values[KEEPER_GUARDS])
{
	for (uint32_t g = 0; g < KEEPER_GUARDS; g++)
		p->guards[g] += (values[g] - p->guards[g]) / (p->has_guards ? 4 : 1);
	p->has_guards = 1;
}

static void judge_counters(struct keeper *k, uint32_t profile, const double values[KEEPER_GUARDS])
{
	struct kept *p = &k->kept[profile];

	for (uint32_t g = 0; p->probation && g < KEEPER_GUARDS; g++) {
		if (!is_worse(k, p, g, values[g]))
			continue;
		keeper_why(p, "%.0f %s in an interval after the change, %.0f before", values[g],
			   guard_names[g], p->guards[g]);
		begin_taking_back(k, profile, KEEPER_HELD);
		return;
	}
	learn(p, values);
	if (p->probation)
		p->probation--;
}

static void judge_hardware(struct keeper *k, uint32_t profile)
{
	struct kept *p = &k->kept[profile];
	enum keeper_following follows;
	struct weir_error e = { "" };

	if (!p->unverified_ns)
		return;
	follows = k->plan->driver->follows(k->driver, profile, &p->in_force, &e);
	if (follows != KEEPER_FOLLOWS &&
	    k->now_ns - p->unverified_ns < (int64_t)k->plan->options.verify_ns)
		return;
	p->unverified_ns = 0;
	if (follows == KEEPER_FOLLOWS)
		return;
	keeper_why(p, "%.190s", e.text);
	if (follows == KEEPER_UNKNOWN) {
		keeper_say(k, KEEPER_IS_UNVERIFIED, profile, NULL, NULL);
		return;
	}
	keeper_say(k, KEEPER_IS_ALARM, profile, &p->fallback, &p->in_force);
	begin_taking_back(k, profile, KEEPER_ALARM);
}

void keeper_judge(struct keeper *k, uint32_t profile, const struct keeper_counters *before)
{
	struct kept *p = &k->kept[profile];
	const uint64_t *then = before->since_start, *now = p->counters.since_start;
	const double values[KEEPER_GUARDS] = {
		(double)(now[KEEPER_DROPS] - then[KEEPER_DROPS]),
		(double)(now[KEEPER_PFC_PKTS] - then[KEEPER_PFC_PKTS]),
		(double)p->telemetry.queue_max_bytes,
	};

	if (p->state == KEEPER_TUNED)
		judge_hardware(k, profile);
	if (p->state == KEEPER_TUNED && p->is_fresh)
		judge_counters(k, profile, values);
}
