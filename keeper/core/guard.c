/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c -- watches a change on probation and rolls it back if it does harm. See keeper.h. */
#include "keeper/core/keeper.h"
#include "weir/units.h"
#include <string.h>

/* --- rollback --- */

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

/* Retried every interval until done. The profile was read in this step and still has the keeper's
 * setting. */
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
