/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c -- one step of the keeper: reads settings and counters, and runs the state machine of
 * every profile. Contract in keeper.h. */
#include "keeper/core/keeper.h"
#include "base/memory.h"
#include "weir/units.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const keeper_state_names[KEEPER_STATES] = {
	[KEEPER_NEW] = "new",
	[KEEPER_TUNED] = "tuned",
	[KEEPER_ROLLBACK] = "rollback",
	[KEEPER_HOLD_DOWN] = "hold-down",
	[KEEPER_OPERATOR] = "operator",
	[KEEPER_ALARM] = "alarm",
	[KEEPER_UNMANAGED] = "unmanaged",
};

const char *const keeper_event_names[KEEPER_EVENTS] = {
	[KEEPER_DID_BEGIN] = "begin",
	[KEEPER_DID_WRITE] = "write",
	[KEEPER_WOULD_WRITE] = "would-write",
	[KEEPER_DID_ROLL_BACK] = "rollback",
	[KEEPER_DID_YIELD] = "yield",
	[KEEPER_DID_REFUSE] = "refuse",
	[KEEPER_DID_FAIL] = "fail",
	[KEEPER_IS_ALARM] = "alarm",
	[KEEPER_IS_UNFIT] = "unfit",
	[KEEPER_IS_LOST] = "lost",
	[KEEPER_IS_FOUND] = "found",
	[KEEPER_IS_RESET] = "reset",
	[KEEPER_IS_UNVERIFIED] = "unverified",
	[KEEPER_DID_RESUME] = "resume",
	[KEEPER_DID_RELEASE] = "release",
	[KEEPER_DID_RELOAD] = "reload",
	[KEEPER_NO_RELOAD] = "no-reload",
};

/* --- construction --- */

void keeper_init(struct keeper *k, const struct keeper_parts *parts)
{
	const struct keeper_plan *plan = parts->plan;

	*k = (struct keeper){
		.plan = plan,
		.driver = parts->driver,
		.mode = parts->mode,
		.journal = parts->journal,
		.on_event = parts->on_event,
		.user = parts->user,
		.tuner = plan->tune.agent,
		.tuner_params = plan->tune_params,
	};
	k->profiles = memory_new(plan->profile_count, sizeof(*k->profiles));
	k->record_count = plan->profile_count;
	k->records = memory_zeroed(k->record_count, sizeof(*k->records));
	k->queues = memory_new(plan->profile_count, sizeof(*k->queues));
	k->desired = memory_new(plan->profile_count, sizeof(*k->desired));
	k->telemetry = memory_new(plan->profile_count, sizeof(*k->telemetry));
	for (uint32_t i = 0; i < plan->profile_count; i++)
		k->profiles[i].wrote_ns = memory_new(plan->profiles[i].limits.writes,
						     sizeof(*k->profiles[i].wrote_ns));
}

void keeper_free(struct keeper *k)
{
	const uint32_t count = k->plan->profile_count;

	for (uint32_t i = 0; i < count; i++)
		memory_free(k->profiles[i].wrote_ns, k->plan->profiles[i].limits.writes,
			    sizeof(*k->profiles[i].wrote_ns));
	memory_free(k->profiles, count, sizeof(*k->profiles));
	free(k->records);
	memory_free(k->queues, count, sizeof(*k->queues));
	memory_free(k->desired, count, sizeof(*k->desired));
	memory_free(k->telemetry, count, sizeof(*k->telemetry));
	memory_free(k->tuner_state, k->tuner_size, 1);
}

/* --- events --- */

void keeper_set_reason(struct profile_state *p, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(p->why, sizeof(p->why), format, list);
	va_end(list);
}

void keeper_report_profile(struct keeper *k, enum keeper_event_kind kind, uint32_t profile,
			   const struct keeper_setting *from, const struct keeper_setting *to)
{
	struct keeper_event event = {
		.time_ns = k->now_ns,
		.kind = kind,
		.profile = &k->plan->profiles[profile],
		.why = k->profiles[profile].why,
	};

	if (from)
		event.from = *from;
	if (to)
		event.to = *to;
	if (k->on_event)
		k->on_event(k->user, &event);
}

void keeper_report_switch(struct keeper *k, enum keeper_event_kind kind, const char *why)
{
	const struct keeper_event event = { .time_ns = k->now_ns, .kind = kind, .why = why };

	if (k->on_event)
		k->on_event(k->user, &event);
}

/* --- reading --- */

static void keeper_leave_unmanaged(struct keeper *k, uint32_t profile, const char *why)
{
	struct profile_state *p = &k->profiles[profile];

	if (p->state == KEEPER_UNMANAGED && strcmp(p->why, why) == 0)
		return;
	p->state = KEEPER_UNMANAGED;
	keeper_set_reason(p, "%s", why);
	keeper_report_profile(k, KEEPER_IS_UNFIT, profile, NULL, NULL);
}

/* The first setting read of a profile is its original. */
void keeper_manage_profile(struct keeper *k, uint32_t profile, const struct keeper_setting *now)
{
	struct keeper_record *r = &k->records[profile];
	struct profile_state *p = &k->profiles[profile];

	p->in_force = *now;
	if (!keeper_setting_is_within(now, &k->plan->profiles[profile].limits.bounds)) {
		keeper_leave_unmanaged(
			k, profile,
			"the switch's setting is outside the limits of the plan; unmanaged");
		return;
	}
	snprintf(r->name, sizeof(r->name), "%s", k->plan->profiles[profile].name);
	r->original = r->was = r->wrote = *now;
	r->yielded = 0;
	p->state = KEEPER_TUNED;
	keeper_set_reason(p, "original setting of the switch");
	keeper_report_profile(k, KEEPER_DID_BEGIN, profile, now, now);
}

int keeper_save_journal(struct keeper *k, struct weir_error *e)
{
	return k->mode == KEEPER_DRY
		       ? 0
		       : keeper_journal_save(k->journal, k->records, k->record_count, e);
}

/* Names the values that are still the keeper's in a setting that an operator changed: they stay
 * until the operator decides. */
static void keeper_explain_yield(struct profile_state *p, unsigned left)
{
	if (left)
		keeper_set_reason(
			p,
			"an operator changed it; the keeper's %s remains until 'weir keeper "
			"restore' or 'weir keeper release'",
			keeper_values_format(left).text);
	else
		keeper_set_reason(p,
				  "an operator changed it; it is the operator's until 'weir keeper "
				  "resume'");
}

void keeper_yield(struct keeper *k, uint32_t profile, const struct keeper_setting *now)
{
	struct profile_state *p = &k->profiles[profile];
	struct keeper_setting before = p->in_force;
	struct weir_error e;

	p->state = KEEPER_OPERATOR;
	p->in_force = *now;
	p->probation = 0;
	p->unverified_ns = 0;
	k->records[profile].yielded = 1;
	keeper_explain_yield(p, keeper_record_left(&k->records[profile], now));
	if (keeper_save_journal(k, &e))
		keeper_set_reason(p, "an operator changed it, but %.150s", e.text);
	keeper_report_profile(k, KEEPER_DID_YIELD, profile, &before, now);
}

/* Is the setting the keeper's? After an unconfirmed write both the old and the new one are; after a
 * restart of the switch, or while the profile was away, so is the original. */
static int keeper_is_ours(struct keeper *k, uint32_t profile, const struct keeper_setting *now)
{
	const struct keeper_record *r = &k->records[profile];
	struct profile_state *p = &k->profiles[profile];
	int ours = keeper_setting_equals(now, &p->in_force);

	if (!ours && p->is_unsure)
		ours = keeper_setting_equals(now, &r->was) || keeper_setting_equals(now, &r->wrote);
	if (!ours && (k->was_lost || p->was_away))
		ours = keeper_setting_equals(now, &r->original);
	if (ours) {
		p->in_force = *now;
		p->is_unsure = 0;
	}
	p->was_away = 0;
	return ours;
}

/* A profile that was managed before is readable again. One owned by an operator stays theirs. */
static void keeper_manage_again(struct keeper *k, uint32_t profile,
				const struct keeper_setting *now)
{
	struct profile_state *p = &k->profiles[profile];

	p->was_away = 1;
	if (k->records[profile].yielded || !keeper_is_ours(k, profile, now)) {
		keeper_yield(k, profile, now);
		return;
	}
	p->state = KEEPER_TUNED;
	keeper_set_reason(p, "it can be read and written again; its original is unchanged");
	keeper_report_profile(k, KEEPER_DID_RESUME, profile, NULL, NULL);
}

/* Detects drift: a setting in force that is not the keeper's is yielded to the operator. */
static void keeper_compare_setting(struct keeper *k, uint32_t profile,
				   const struct keeper_setting *now)
{
	struct profile_state *p = &k->profiles[profile];

	switch (p->state) {
	case KEEPER_NEW:
	case KEEPER_UNMANAGED:
		if (k->records[profile].name[0])
			keeper_manage_again(k, profile, now);
		else
			keeper_manage_profile(k, profile, now);
		break;
	case KEEPER_OPERATOR:
		p->in_force = *now;
		break;
	default:
		if (!keeper_is_ours(k, profile, now))
			keeper_yield(k, profile, now);
		break;
	}
}

/* A profile whose counters cannot be read is not tuned meanwhile. */
static void keeper_miss_counters(struct keeper *k, uint32_t profile, enum keeper_reading reading,
				 const char *why)
{
	struct profile_state *p = &k->profiles[profile];

	p->has_counters = 0;
	k->is_lost |= reading == KEEPER_LOST;
	if (reading == KEEPER_LOST || p->is_uncounted)
		return;
	p->is_uncounted = 1;
	keeper_set_reason(p, "%.190s", why);
	keeper_report_profile(k, KEEPER_IS_UNFIT, profile, NULL, NULL);
}

/* Unchanged counters are those of the previous interval: switches update them on their own
 * schedule. If they are unchanged for two intervals the queue is idle. */
static int keeper_counters_are_stale(const struct profile_state *p,
				     const struct keeper_counters *now)
{
	return p->has_counters && !p->is_stale && p->counters.since_start[KEEPER_OUT_BYTES] &&
	       memcmp(&p->counters, now, sizeof(*now)) == 0;
}

static void keeper_take_counters(struct keeper *k, uint32_t profile,
				 const struct keeper_counters *now)
{
	struct profile_state *p = &k->profiles[profile];
	const struct keeper_counters before = p->counters;

	p->counters = *now;
	if (p->has_counters && k->now_ns > p->counted_ns) {
		p->is_fresh =
			keeper_telemetry(&before, now, k->now_ns - p->counted_ns,
					 (uint32_t)k->plan->options.mtu_bytes, &p->telemetry) == 0;
		if (!p->is_fresh) {
			keeper_set_reason(p, "counters decreased: they were reset");
			keeper_report_profile(k, KEEPER_IS_RESET, profile, NULL, NULL);
		}
	}
	p->counted_ns = k->now_ns;
	p->has_counters = 1;
	p->is_uncounted = 0;
	keeper_guard(k, profile, &before);
}

static void keeper_count_profile(struct keeper *k, uint32_t profile, struct weir_error *e)
{
	struct profile_state *p = &k->profiles[profile];
	struct keeper_counters now = { 0 };
	enum keeper_reading reading = k->plan->driver->count(k->driver, profile, &now, e);

	p->is_fresh = 0;
	if (reading != KEEPER_READ) {
		keeper_miss_counters(k, profile, reading, e->text);
		return;
	}
	p->is_stale = keeper_counters_are_stale(p, &now);
	if (!p->is_stale)
		keeper_take_counters(k, profile, &now);
}

static void keeper_read_profile(struct keeper *k, uint32_t profile, struct weir_error *e)
{
	struct profile_state *p = &k->profiles[profile];
	struct keeper_setting now = { 0 };

	switch (k->plan->driver->read(k->driver, profile, &now, e)) {
	case KEEPER_LOST:
		k->is_lost = 1;
		break;
	case KEEPER_UNFIT:
	case KEEPER_LOCKED:
		p->is_fresh = p->has_counters = 0;
		keeper_leave_unmanaged(k, profile, e->text);
		break;
	case KEEPER_READ:
		p->is_read = 1;
		keeper_compare_setting(k, profile, &now);
		break;
	}
}

/* Reads all settings, then all counters, because switches store them in different databases.
 * Returns -1 if the switch does not answer. */
static int keeper_read_switch(struct keeper *k)
{
	const uint32_t profiles = k->plan->profile_count;
	struct weir_error e = { "" };

	if (k->plan->driver->prepare)
		k->plan->driver->prepare(k->driver, KEEPER_READ_ALL);
	for (uint32_t i = 0; i < profiles && !k->is_lost; i++) {
		k->profiles[i].is_read = 0;
		keeper_read_profile(k, i, &e);
	}
	for (uint32_t i = 0; i < profiles && !k->is_lost; i++)
		if (k->profiles[i].is_read)
			keeper_count_profile(k, i, &e);
	if (!k->is_lost)
		return 0;
	for (uint32_t i = 0; i < profiles; i++)
		k->profiles[i].is_fresh = k->profiles[i].has_counters = 0;
	if (!k->was_lost)
		keeper_report_switch(k, KEEPER_IS_LOST, e.text);
	return -1;
}

/* --- the step --- */

static void keeper_end_hold_down(struct keeper *k, uint32_t profile)
{
	struct profile_state *p = &k->profiles[profile];

	if (p->state != KEEPER_HOLD_DOWN || k->now_ns < p->held_until_ns)
		return;
	p->state = KEEPER_TUNED;
	keeper_set_reason(p, "hold-down expired");
	keeper_report_profile(k, KEEPER_DID_RESUME, profile, NULL, NULL);
}

void keeper_step(struct keeper *k, int64_t now_ns)
{
	assert(now_ns > 0 && now_ns >= k->now_ns);
	k->before_ns = k->now_ns;
	k->now_ns = now_ns;
	if (k->steps++ == 0)
		k->canary_since_ns = now_ns;
	k->was_lost = k->is_lost;
	k->is_lost = 0;
	if (keeper_read_switch(k))
		return;
	if (k->was_lost)
		keeper_report_switch(k, KEEPER_IS_FOUND, "the switch answers again");
	for (uint32_t i = 0; i < k->plan->profile_count; i++) {
		keeper_rollback(k, i);
		keeper_end_hold_down(k, i);
	}
	keeper_tune(k);
	keeper_write_pending(k);
}

void keeper_check_profile(struct keeper *k, uint32_t profile)
{
	struct weir_error e = { "" };
	struct keeper_setting now = { 0 };

	if (!k->steps || k->is_lost || k->profiles[profile].state == KEEPER_NEW ||
	    k->profiles[profile].state == KEEPER_UNMANAGED)
		return; /* retried in the next step */
	if (k->plan->driver->read(k->driver, profile, &now, &e) == KEEPER_READ)
		keeper_compare_setting(k, profile, &now);
}
