/* SPDX-License-Identifier: BSD-3-Clause */
/* apply.c -- from the tuner's desired settings to writes (limits, canaries, rate limit, journal,
 * switch), and guards that roll a change back if it does harm. Contract in keeper.h. */
#include "keeper/core/keeper.h"
#include "base/memory.h"
#include "weir/units.h"
#include <string.h>

/* --- decisions --- */

void keeper_find_tuner(struct keeper *k)
{
	const struct keeper_plan *plan = k->plan;

	if (!plan->tune.tuner)
		return;
	k->each = (struct tune_per_queue){ plan->tune.tuner, plan->tune_params };
	k->tuner = &weir_tune_per_queue;
	k->tuner_params = &k->each;
}

static void apply_begin_tuner(struct keeper *k)
{
	const struct keeper_plan *plan = k->plan;

	keeper_find_tuner(k);
	for (uint32_t i = 0; i < plan->profile_count; i++) {
		k->queues[i] = (struct weir_agent_queue){
			.rate_bps = k->profiles[i].counters.rate_bps,
			.mtu_bytes = (uint32_t)plan->options.mtu_bytes,
			.group = WEIR_AGENT_TO_HOST,
			.port = i,
		};
		k->desired[i] = keeper_setting_knobs(&k->profiles[i].in_force);
	}
	k->env = (struct weir_agent_env){
		.seed = plan->options.seed,
		.interval_ns = (int64_t)plan->options.interval_ns,
		.rtt_ns = (int64_t)plan->options.rtt_ns,
		.queue_count = plan->profile_count,
		.queues = k->queues,
	};
	k->tuner_size = k->tuner->size(k->tuner_params, &k->env);
	k->tuner_state = memory_new(k->tuner_size ? k->tuner_size : 1, 1);
	k->tuner_size = k->tuner_size ? k->tuner_size : 1;
	k->tuner->init(k->tuner_state, k->tuner_params, &k->env, k->desired);
}

/* For the tuner, profiles without telemetry are idle, and those whose counters are stale keep their
 * previous telemetry. */
static void apply_ask_tuner(struct keeper *k)
{
	for (uint32_t i = 0; i < k->plan->profile_count; i++) {
		const struct profile_state *p = &k->profiles[i];

		k->telemetry[i] = p->telemetry;
		if (!p->is_fresh && !p->is_stale)
			k->telemetry[i] = (struct weir_tune_telemetry){
				.interval_ns = k->now_ns - k->before_ns,
				.rate_bps = p->counters.rate_bps,
				.mtu_bytes = (uint32_t)k->plan->options.mtu_bytes,
			};
	}
	k->tuner->step(k->tuner_state, k->tuner_params, &k->env, k->telemetry, k->desired);
}

/* Non-canary profiles may change once a canary was tuned and none was rolled back for long
 * enough. */
static int apply_canaries_allow(const struct keeper *k, uint32_t profile)
{
	const struct keeper_plan *plan = k->plan;
	int there_are = 0, one_is_tuned = 0;

	if (plan->profiles[profile].limits.canary)
		return 1;
	for (uint32_t i = 0; i < plan->profile_count; i++) {
		if (!plan->profiles[i].limits.canary)
			continue;
		there_are = 1;
		one_is_tuned |= k->profiles[i].state == KEEPER_TUNED;
	}
	if (!there_are)
		return 1;
	return one_is_tuned &&
	       k->now_ns - k->canary_since_ns >= (int64_t)plan->options.canary_for_ns;
}

static int apply_may_change(const struct keeper *k, uint32_t profile)
{
	const struct profile_state *p = &k->profiles[profile];

	if (p->state != KEEPER_TUNED || k->is_paused || !p->is_fresh || p->probation ||
	    p->unverified_ns || (k->plan->options.guard_intervals && !p->has_guards))
		return 0;
	return apply_canaries_allow(k, profile) && keeper_may_write(k, profile, 1);
}

static void apply_consider_profile(struct keeper *k, uint32_t profile)
{
	const struct keeper_bounds *bounds = &k->plan->profiles[profile].limits.bounds;
	struct profile_state *p = &k->profiles[profile];
	struct keeper_setting to, before = p->in_force;

	if (p->state != KEEPER_TUNED)
		return;
	if (keeper_setting_allow(&p->in_force, &k->desired[profile], bounds,
				 k->plan->driver->p_unit_ppm, &to)) {
		p->refused++;
		k->desired[profile] = keeper_setting_knobs(&p->in_force);
		keeper_set_reason(p, "the tuner requested an invalid setting; nothing was "
				     "changed");
		keeper_report_profile(k, KEEPER_DID_REFUSE, profile, NULL, NULL);
		return;
	}
	if (k->plan->driver->round && !keeper_setting_equals(&to, &p->in_force))
		k->plan->driver->round(k->driver, profile, &to);
	if (keeper_setting_equals(&to, &p->in_force) || !apply_may_change(k, profile) ||
	    !keeper_setting_is_within(&to, bounds))
		return;
	keeper_set_reason(
		p,
		"requested by %s: utilisation %.1f %%, %llu packets marked, longest queue %llu "
		"bytes in the last interval",
		k->plan->tune.scheme->name,
		p->telemetry.rate_bps
			? 800.0 * (double)p->telemetry.out_bytes * 1e9 /
				  ((double)p->telemetry.rate_bps * (double)p->telemetry.interval_ns)
			: 0,
		(unsigned long long)p->telemetry.marked_pkts,
		(unsigned long long)p->telemetry.queue_max_bytes);
	if (k->mode == KEEPER_DRY) {
		keeper_report_profile(k, KEEPER_WOULD_WRITE, profile, &before, &to);
		return;
	}
	keeper_schedule_write(k, profile, KEEPER_PENDING_CHANGE, &to);
}

void keeper_tune(struct keeper *k)
{
	if (k->tuner_state)
		apply_ask_tuner(k);
	else
		apply_begin_tuner(k);
	for (uint32_t i = 0; i < k->plan->profile_count; i++)
		apply_consider_profile(k, i);
}

/* --- writes --- */

#define MINUTE_NS (INT64_C(60) * WEIR_NS_PER_S)

/* When the write that many writes ago happened; 1: the latest. */
static int64_t apply_wrote_ns(const struct keeper *k, uint32_t profile, uint64_t ago)
{
	const struct profile_state *p = &k->profiles[profile];

	return p->wrote_ns[(p->writes - ago) % k->plan->profiles[profile].limits.writes];
}

/* Rate limit of a profile's writes: a sliding window of one minute, not a token bucket, so there is
 * no burst beyond limits.writes. Leaves keep_back of these for rollbacks, which are exempt from the
 * minimum time between changes. */
int keeper_may_write(const struct keeper *k, uint32_t profile, uint64_t keep_back)
{
	const struct keeper_limits *limits = &k->plan->profiles[profile].limits;
	const struct profile_state *p = &k->profiles[profile];
	const uint64_t allowed = limits->writes - keep_back;

	if (p->writes >= allowed && k->now_ns - apply_wrote_ns(k, profile, allowed) < MINUTE_NS)
		return 0;
	return !keep_back || !p->writes ||
	       k->now_ns - apply_wrote_ns(k, profile, 1) >= (int64_t)limits->shortest_ns;
}

static void apply_fail_write(struct keeper *k, uint32_t profile, const struct weir_error *e)
{
	k->profiles[profile].pending = KEEPER_PENDING_NONE;
	keeper_set_reason(&k->profiles[profile], "%.190s", e->text);
	keeper_report_profile(k, KEEPER_DID_FAIL, profile, NULL, NULL);
}

void keeper_schedule_write(struct keeper *k, uint32_t profile, enum keeper_pending pending,
			   const struct keeper_setting *to)
{
	k->profiles[profile].pending = pending;
	k->profiles[profile].next = *to;
}

/* Reads the profile again immediately before the write, so that a concurrent change by an operator
 * is not overwritten. */
static void apply_check_operator(struct keeper *k, uint32_t profile)
{
	struct keeper_record *r = &k->records[profile];
	struct profile_state *p = &k->profiles[profile];
	struct keeper_setting now;
	struct weir_error e = { "" };

	if (k->plan->driver->read(k->driver, profile, &now, &e) != KEEPER_READ) {
		apply_fail_write(k, profile, &e);
		return;
	}
	if (!keeper_setting_equals(&now, &p->in_force)) {
		p->pending = KEEPER_PENDING_NONE;
		keeper_yield(k, profile, &now);
		return;
	}
	r->was = p->in_force;
	r->wrote = p->next;
}

static void apply_write_profile(struct keeper *k, uint32_t profile)
{
	struct profile_state *p = &k->profiles[profile];
	const struct keeper_setting before = p->in_force;
	const enum keeper_pending pending = p->pending;
	struct weir_error e = { "" };

	p->pending = KEEPER_PENDING_NONE;
	p->wrote_ns[p->writes++ % k->plan->profiles[profile].limits.writes] = k->now_ns;
	if (k->plan->driver->write(k->driver, profile, &p->next, &e)) {
		p->is_unsure = 1;
		apply_fail_write(k, profile, &e);
		return;
	}
	p->fallback = before;
	p->in_force = p->next;
	if (pending == KEEPER_PENDING_ROLLBACK) {
		keeper_end_rollback(k, profile);
	} else {
		p->probation = k->plan->options.guard_intervals;
		p->unverified_ns = k->plan->driver->follows ? k->now_ns : 0;
	}
	keeper_report_profile(
		k, pending == KEEPER_PENDING_CHANGE ? KEEPER_DID_WRITE : KEEPER_DID_ROLL_BACK,
		profile, &before, &p->in_force);
}

static uint32_t apply_count_pending(const struct keeper *k)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < k->plan->profile_count; i++)
		count += k->profiles[i].pending != KEEPER_PENDING_NONE;
	return count;
}

/* fsync dominates the cost, so the journal is written once for all profiles. */
void keeper_write_pending(struct keeper *k)
{
	const uint32_t count = k->plan->profile_count;
	struct weir_error e = { "" };
	int failed;

	if (!apply_count_pending(k))
		return;
	if (k->plan->driver->prepare)
		k->plan->driver->prepare(k->driver, KEEPER_READ_SETTINGS);
	for (uint32_t i = 0; i < count; i++)
		if (k->profiles[i].pending != KEEPER_PENDING_NONE)
			apply_check_operator(k, i);
	if (!apply_count_pending(k))
		return;
	failed = keeper_save_journal(k, &e);
	for (uint32_t i = 0; i < count; i++) {
		if (k->profiles[i].pending == KEEPER_PENDING_NONE)
			continue;
		if (failed)
			apply_fail_write(k, i, &e);
		else
			apply_write_profile(k, i);
	}
}

/* --- guards: probation of a change, and its rollback --- */

static void guard_begin_rollback(struct keeper *k, uint32_t profile, enum keeper_state after)
{
	struct profile_state *p = &k->profiles[profile];

	p->state = KEEPER_ROLLBACK;
	p->after = after;
	p->probation = 0;
	p->unverified_ns = 0;
	if (k->plan->profiles[profile].limits.canary)
		k->canary_since_ns = k->now_ns + (int64_t)k->plan->options.hold_off_ns;
}

void keeper_end_rollback(struct keeper *k, uint32_t profile)
{
	struct profile_state *p = &k->profiles[profile];

	p->state = p->after;
	p->held_until_ns = k->now_ns + (int64_t)k->plan->options.hold_off_ns;
	p->rollbacks++;
}

/* Retried every interval until done; a write is idempotent. The profile was read in this step and
 * still has the keeper's setting. */
void keeper_rollback(struct keeper *k, uint32_t profile)
{
	struct profile_state *p = &k->profiles[profile];

	if (p->state != KEEPER_ROLLBACK || !keeper_may_write(k, profile, 0))
		return;
	if (!keeper_setting_equals(&p->in_force, &p->fallback)) {
		keeper_schedule_write(k, profile, KEEPER_PENDING_ROLLBACK, &p->fallback);
		return;
	}
	keeper_end_rollback(k, profile);
	keeper_report_profile(k, KEEPER_DID_ROLL_BACK, profile, &p->in_force, &p->fallback);
}

/* --- comparison with the baseline --- */

static const char *const guard_names[KEEPER_GUARDS] = { "drops", "pauses received",
							"bytes in the longest queue" };

/* A queue that stays below max is within what the setting intends, so it does not count as
 * worse. */
static int guard_is_worse(const struct keeper *k, const struct profile_state *p, uint32_t guard,
			  double value)
{
	const struct keeper_options *o = &k->plan->options;
	double least =
		guard == KEEPER_GUARDS - 1 ? (double)p->in_force.max_bytes : (double)o->guard_least;
	double worse = (double)o->guard_worse_q32 / (double)WEIR_ONE_Q32;

	return value > least && value > worse * p->guards[guard];
}

/* The baseline is an exponential moving average with weight 1/4. */
static void guard_check_counters(struct keeper *k, uint32_t profile,
				 const double values[KEEPER_GUARDS])
{
	struct profile_state *p = &k->profiles[profile];

	for (uint32_t g = 0; p->probation && g < KEEPER_GUARDS; g++) {
		if (!guard_is_worse(k, p, g, values[g]))
			continue;
		keeper_set_reason(p, "%.0f %s in an interval after the change, %.0f before",
				  values[g], guard_names[g], p->guards[g]);
		guard_begin_rollback(k, profile, KEEPER_HOLD_DOWN);
		return;
	}
	for (uint32_t g = 0; g < KEEPER_GUARDS; g++)
		p->guards[g] += (values[g] - p->guards[g]) / (p->has_guards ? 4 : 1);
	p->has_guards = 1;
	if (p->probation)
		p->probation--;
}

static void guard_check_hardware(struct keeper *k, uint32_t profile)
{
	struct profile_state *p = &k->profiles[profile];
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
	keeper_set_reason(p, "%.190s", e.text);
	if (follows == KEEPER_UNKNOWN) {
		keeper_report_profile(k, KEEPER_IS_UNVERIFIED, profile, NULL, NULL);
		return;
	}
	keeper_report_profile(k, KEEPER_IS_ALARM, profile, &p->fallback, &p->in_force);
	guard_begin_rollback(k, profile, KEEPER_ALARM);
}

void keeper_guard(struct keeper *k, uint32_t profile, const struct keeper_counters *before)
{
	struct profile_state *p = &k->profiles[profile];
	const uint64_t *then = before->since_start, *now = p->counters.since_start;
	const double values[KEEPER_GUARDS] = {
		(double)(now[KEEPER_DROPS] - then[KEEPER_DROPS]),
		(double)(now[KEEPER_PFC_PKTS] - then[KEEPER_PFC_PKTS]),
		(double)p->telemetry.queue_max_bytes,
	};

	if (p->state == KEEPER_TUNED)
		guard_check_hardware(k, profile);
	if (p->state == KEEPER_TUNED && p->is_fresh)
		guard_check_counters(k, profile, values);
}
