/* SPDX-License-Identifier: BSD-3-Clause */
/* keeper.c -- see keeper.h: a step, from what the switch has to what the tuner wants. */
#include "keeper/core/keeper.h"
#include "base/memory.h"
#include "weir/units.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const keeper_state_names[KEEPER_STATES] = {
	[KEEPER_NEW] = "new",           [KEEPER_TUNED] = "tuned",   [KEEPER_BACK] = "taking back",
	[KEEPER_HELD] = "held",         [KEEPER_GIVEN] = "yielded", [KEEPER_ALARM] = "alarm",
	[KEEPER_CANNOT] = "left alone",
};

const char *const keeper_event_names[KEEPER_EVENTS] = {
	[KEEPER_DID_BEGIN] = "begin",
	[KEEPER_DID_WRITE] = "write",
	[KEEPER_WOULD_WRITE] = "would-write",
	[KEEPER_DID_TAKE_BACK] = "take-back",
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

/* --- making --- */

void keeper_init(struct keeper *k, const struct keeper_parts *parts)
{
	const struct keeper_plan *plan = parts->plan;

	*k = (struct keeper){
		.plan = plan,
		.driver = parts->driver,
		.mode = parts->mode,
		.journal = parts->journal,
		.tell = parts->tell,
		.user = parts->user,
		.mind = plan->tune.agent,
		.mind_params = plan->tune_params,
	};
	k->kept = memory_new(plan->profile_count, sizeof(*k->kept));
	k->record_count = plan->profile_count;
	k->records = memory_zeroed(k->record_count, sizeof(*k->records));
	k->queues = memory_new(plan->profile_count, sizeof(*k->queues));
	k->wishes = memory_new(plan->profile_count, sizeof(*k->wishes));
	k->telemetry = memory_new(plan->profile_count, sizeof(*k->telemetry));
	for (uint32_t i = 0; i < plan->profile_count; i++)
		k->kept[i].wrote_ns =
			memory_new(plan->profiles[i].limits.writes, sizeof(*k->kept[i].wrote_ns));
}

void keeper_free(struct keeper *k)
{
	const uint32_t count = k->plan->profile_count;

	for (uint32_t i = 0; i < count; i++)
		memory_free(k->kept[i].wrote_ns, k->plan->profiles[i].limits.writes,
			    sizeof(*k->kept[i].wrote_ns));
	memory_free(k->kept, count, sizeof(*k->kept));
	free(k->records);
	memory_free(k->queues, count, sizeof(*k->queues));
	memory_free(k->wishes, count, sizeof(*k->wishes));
	memory_free(k->telemetry, count, sizeof(*k->telemetry));
	memory_free(k->mind_state, k->mind_size, 1);
}

/* --- telling --- */

void keeper_why(struct kept *p, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(p->why, sizeof(p->why), format, list);
	va_end(list);
}

void keeper_say(struct keeper *k, enum keeper_event_kind kind, uint32_t profile,
		const struct keeper_setting *from, const struct keeper_setting *to)
{
	struct keeper_event event = {
		.time_ns = k->now_ns,
		.kind = kind,
		.profile = &k->plan->profiles[profile],
		.why = k->kept[profile].why,
	};

	if (from)
		event.from = *from;
	if (to)
		event.to = *to;
	if (k->tell)
		k->tell(k->user, &event);
}

void keeper_say_of_switch(struct keeper *k, enum keeper_event_kind kind, const char *why)
{
	const struct keeper_event event = { .time_ns = k->now_ns, .kind = kind, .why = why };

	if (k->tell)
		k->tell(k->user, &event);
}

/* --- looking --- */

static void leave_alone(struct keeper *k, uint32_t profile, const char *why)
{
	struct kept *p = &k->kept[profile];

	if (p->state == KEEPER_CANNOT && strcmp(p->why, why) == 0)
		return;
	p->state = KEEPER_CANNOT;
	keeper_why(p, "%s", why);
	keeper_say(k, KEEPER_IS_UNFIT, profile, NULL, NULL);
}

/* The first setting of a profile is its original. */
void keeper_begin(struct keeper *k, uint32_t profile, const struct keeper_setting *now)
{
	struct keeper_record *r = &k->records[profile];
	struct kept *p = &k->kept[profile];

	p->in_force = *now;
	if (!keeper_setting_is_within(now, &k->plan->profiles[profile].limits.bounds)) {
		leave_alone(
			k, profile,
			"what the switch has is outside the limits of the plan, and is left so");
		return;
	}
	snprintf(r->name, sizeof(r->name), "%s", k->plan->profiles[profile].name);
	r->original = r->was = r->wrote = *now;
	r->yielded = 0;
	p->state = KEEPER_TUNED;
	keeper_why(p, "this is what the switch had");
	keeper_say(k, KEEPER_DID_BEGIN, profile, now, now);
}

int keeper_save(struct keeper *k, struct weir_error *e)
{
	return k->mode == KEEPER_DRY
		       ? 0
		       : keeper_journal_save(k->journal, k->records, k->record_count, e);
}

/* Values of the keeper that an operator left in the setting are named: they stay until the operator
 * decides. */
static void explain_yield(struct kept *p, unsigned left)
{
	if (left)
		keeper_why(p,
			   "an operator changed it; still the keeper's: %s, until 'weir keeper "
			   "restore' or "
			   "'weir keeper release'",
			   keeper_values_format(left).text);
	else
		keeper_why(p, "an operator changed it; it is theirs until 'weir keeper resume'");
}

void keeper_yield(struct keeper *k, uint32_t profile, const struct keeper_setting *now)
{
	struct kept *p = &k->kept[profile];
	struct keeper_setting before = p->in_force;
	struct weir_error e;

	p->state = KEEPER_GIVEN;
	p->in_force = *now;
	p->probation = 0;
	p->unverified_ns = 0;
	k->records[profile].yielded = 1;
	explain_yield(p, keeper_record_left(&k->records[profile], now));
	if (keeper_save(k, &e))
		keeper_why(p, "an operator changed it, but %.150s", e.text);
	keeper_say(k, KEEPER_DID_YIELD, profile, &before, now);
}

/* Is the setting the keeper's? After an unconfirmed write both the old and the new one are; after a
 * restart of the switch, or while the profile was away, so is the original. */
static int is_ours(struct keeper *k, uint32_t profile, const struct keeper_setting *now)
{
	const struct keeper_record *r = &k->records[profile];
	struct kept *p = &k->kept[profile];
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

/* A profile that was in the keeper's care before can be read again. What an operator took stays
 * theirs. */
static void come_back(struct keeper *k, uint32_t profile, const struct keeper_setting *now)
{
	struct kept *p = &k->kept[profile];

	p->was_away = 1;
	if (k->records[profile].yielded || !is_ours(k, profile, now)) {
		keeper_yield(k, profile, now);
		return;
	}
	p->state = KEEPER_TUNED;
	keeper_why(p, "it can be read and written again; its original is the one from before");
	keeper_say(k, KEEPER_DID_RESUME, profile, NULL, NULL);
}

static void compare(struct keeper *k, uint32_t profile, const struct keeper_setting *now)
{
	struct kept *p = &k->kept[profile];

	switch (p->state) {
	case KEEPER_NEW:
	case KEEPER_CANNOT:
		if (k->records[profile].name[0])
			come_back(k, profile, now);
		else
			keeper_begin(k, profile, now);
		break;
	case KEEPER_GIVEN:
		p->in_force = *now;
		break;
	default:
		if (!is_ours(k, profile, now))
			keeper_yield(k, profile, now);
		break;
	}
}

/* A profile whose counters cannot be had is not tuned meanwhile. */
static void miss_counters(struct keeper *k, uint32_t profile, enum keeper_reading reading,
			  const char *why)
{
	struct kept *p = &k->kept[profile];

	p->has_counters = 0;
	k->is_lost |= reading == KEEPER_LOST;
	if (reading == KEEPER_LOST || p->is_uncounted)
		return;
	p->is_uncounted = 1;
	keeper_why(p, "%.190s", why);
	keeper_say(k, KEEPER_IS_UNFIT, profile, NULL, NULL);
}

/* Counters that have not moved at all are those of the last interval: switches write them at times
 * of their own. Where that is so twice the queue is idle. */
static int is_stale(const struct kept *p, const struct keeper_counters *now)
{
	return p->has_counters && !p->is_stale && p->counters.since_start[KEEPER_OUT_BYTES] &&
	       memcmp(&p->counters, now, sizeof(*now)) == 0;
}

static void take_counters(struct keeper *k, uint32_t profile, const struct keeper_counters *now)
{
	struct kept *p = &k->kept[profile];
	const struct keeper_counters before = p->counters;

	p->counters = *now;
	if (p->has_counters && k->now_ns > p->counted_ns) {
		p->is_fresh =
			keeper_telemetry(&before, now, k->now_ns - p->counted_ns,
					 (uint32_t)k->plan->options.mtu_bytes, &p->telemetry) == 0;
		if (!p->is_fresh) {
			keeper_why(p, "counters went back: they were reset");
			keeper_say(k, KEEPER_IS_RESET, profile, NULL, NULL);
		}
	}
	p->counted_ns = k->now_ns;
	p->has_counters = 1;
	p->is_uncounted = 0;
	keeper_judge(k, profile, &before);
}

static void count(struct keeper *k, uint32_t profile, struct weir_error *e)
{
	struct kept *p = &k->kept[profile];
	struct keeper_counters now = { 0 };
	enum keeper_reading reading = k->plan->driver->count(k->driver, profile, &now, e);

	p->is_fresh = 0;
	if (reading != KEEPER_READ) {
		miss_counters(k, profile, reading, e->text);
		return;
	}
	p->is_stale = is_stale(p, &now);
	if (!p->is_stale)
		take_counters(k, profile, &now);
}

static void read_one(struct keeper *k, uint32_t profile, struct weir_error *e)
{
	struct kept *p = &k->kept[profile];
	struct keeper_setting now = { 0 };

	switch (k->plan->driver->read(k->driver, profile, &now, e)) {
	case KEEPER_LOST:
		k->is_lost = 1;
		break;
	case KEEPER_UNFIT:
	case KEEPER_LOCKED:
		p->is_fresh = p->has_counters = 0;
		leave_alone(k, profile, e->text);
		break;
	case KEEPER_READ:
		p->is_read = 1;
		compare(k, profile, &now);
		break;
	}
}

/* Reads all, settings first: switches keep them and counters in different places. Returns -1 where
 * the switch does not answer. */
static int look(struct keeper *k)
{
	const uint32_t profiles = k->plan->profile_count;
	struct weir_error e = { "" };

	if (k->plan->driver->prepare)
		k->plan->driver->prepare(k->driver, KEEPER_LOOK_AT_ALL);
	for (uint32_t i = 0; i < profiles && !k->is_lost; i++) {
		k->kept[i].is_read = 0;
		read_one(k, i, &e);
	}
	for (uint32_t i = 0; i < profiles && !k->is_lost; i++)
		if (k->kept[i].is_read)
			count(k, i, &e);
	if (!k->is_lost)
		return 0;
	for (uint32_t i = 0; i < profiles; i++)
		k->kept[i].is_fresh = k->kept[i].has_counters = 0;
	if (!k->was_lost)
		keeper_say_of_switch(k, KEEPER_IS_LOST, e.text);
	return -1;
}

/* --- deciding --- */

void keeper_find_mind(struct keeper *k)
{
	const struct keeper_plan *plan = k->plan;

	if (!plan->tune.tuner)
		return;
	k->each = (struct tune_each){ plan->tune.tuner, plan->tune_params };
	k->mind = &weir_tune_each;
	k->mind_params = &k->each;
}

static void begin_mind(struct keeper *k)
{
	const struct keeper_plan *plan = k->plan;

	keeper_find_mind(k);
	for (uint32_t i = 0; i < plan->profile_count; i++) {
		k->queues[i] = (struct weir_agent_queue){
			.rate_bps = k->kept[i].counters.rate_bps,
			.mtu_bytes = (uint32_t)plan->options.mtu_bytes,
			.group = WEIR_AGENT_TO_HOST,
			.port = i,
		};
		k->wishes[i] = keeper_setting_knobs(&k->kept[i].in_force);
	}
	k->env = (struct weir_agent_env){
		.seed = plan->options.seed,
		.interval_ns = (int64_t)plan->options.interval_ns,
		.rtt_ns = (int64_t)plan->options.rtt_ns,
		.queue_count = plan->profile_count,
		.queues = k->queues,
	};
	k->mind_size = k->mind->size(k->mind_params, &k->env);
	k->mind_state = memory_new(k->mind_size ? k->mind_size : 1, 1);
	k->mind_size = k->mind_size ? k->mind_size : 1;
	k->mind->init(k->mind_state, k->mind_params, &k->env, k->wishes);
}

/* Profiles of which nothing is known were idle, for all the tuner hears; those that were not
 * counted anew are as they were. */
static void ask_mind(struct keeper *k)
{
	for (uint32_t i = 0; i < k->plan->profile_count; i++) {
		const struct kept *p = &k->kept[i];

		k->telemetry[i] = p->telemetry;
		if (!p->is_fresh && !p->is_stale)
			k->telemetry[i] = (struct weir_tune_telemetry){
				.interval_ns = k->now_ns - k->before_ns,
				.rate_bps = p->counters.rate_bps,
				.mtu_bytes = (uint32_t)k->plan->options.mtu_bytes,
			};
	}
	k->mind->step(k->mind_state, k->mind_params, &k->env, k->telemetry, k->wishes);
}

/* Others follow when a canary is tuned and none had trouble for long enough. */
static int is_allowed_by_canaries(const struct keeper *k, uint32_t profile)
{
	const struct keeper_plan *plan = k->plan;
	int there_are = 0, one_is_tuned = 0;

	if (plan->profiles[profile].limits.canary)
		return 1;
	for (uint32_t i = 0; i < plan->profile_count; i++) {
		if (!plan->profiles[i].limits.canary)
			continue;
		there_are = 1;
		one_is_tuned |= k->kept[i].state == KEEPER_TUNED;
	}
	if (!there_are)
		return 1;
	return one_is_tuned &&
	       k->now_ns - k->canary_since_ns >= (int64_t)plan->options.canary_for_ns;
}

static int is_time(const struct keeper *k, uint32_t profile)
{
	const struct kept *p = &k->kept[profile];

	if (p->state != KEEPER_TUNED || k->is_paused || !p->is_fresh || p->probation ||
	    p->unverified_ns || (k->plan->options.guard_intervals && !p->has_guards))
		return 0;
	return is_allowed_by_canaries(k, profile) && keeper_may_write(k, profile, 1);
}

static void consider(struct keeper *k, uint32_t profile)
{
	const struct keeper_bounds *bounds = &k->plan->profiles[profile].limits.bounds;
	struct kept *p = &k->kept[profile];
	struct keeper_setting to, before = p->in_force;

	if (p->state != KEEPER_TUNED)
		return;
	if (keeper_setting_allow(&p->in_force, &k->wishes[profile], bounds,
				 k->plan->driver->p_unit_ppm, &to)) {
		p->refused++;
		k->wishes[profile] = keeper_setting_knobs(&p->in_force);
		keeper_why(p, "the tuner asked for what is no setting; nothing was changed");
		keeper_say(k, KEEPER_DID_REFUSE, profile, NULL, NULL);
		return;
	}
	if (k->plan->driver->round && !keeper_setting_equals(&to, &p->in_force))
		k->plan->driver->round(k->driver, profile, &to);
	if (keeper_setting_equals(&to, &p->in_force) || !is_time(k, profile) ||
	    !keeper_setting_is_within(&to, bounds))
		return;
	keeper_why(p,
		   "%s wants it: in this interval %.1f %% of the line was used, %llu packets "
		   "were marked, the queue was %llu bytes at most",
		   k->plan->tune.scheme->name,
		   p->telemetry.rate_bps ? 800.0 * (double)p->telemetry.out_bytes * 1e9 /
						   ((double)p->telemetry.rate_bps *
						    (double)p->telemetry.interval_ns)
					 : 0,
		   (unsigned long long)p->telemetry.marked_pkts,
		   (unsigned long long)p->telemetry.queue_max_bytes);
	if (k->mode == KEEPER_DRY) {
		keeper_say(k, KEEPER_WOULD_WRITE, profile, &before, &to);
		return;
	}
	keeper_plan_write(k, profile, KEEPER_CHANGE, &to);
}

static void end_hold(struct keeper *k, uint32_t profile)
{
	struct kept *p = &k->kept[profile];

	if (p->state != KEEPER_HELD || k->now_ns < p->held_until_ns)
		return;
	p->state = KEEPER_TUNED;
	keeper_why(p, "it was held long enough");
	keeper_say(k, KEEPER_DID_RESUME, profile, NULL, NULL);
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
	if (look(k))
		return;
	if (k->was_lost)
		keeper_say_of_switch(k, KEEPER_IS_FOUND, "the switch answers again");
	for (uint32_t i = 0; i < k->plan->profile_count; i++) {
		keeper_take_back(k, i);
		end_hold(k, i);
	}
	if (k->mind_state)
		ask_mind(k);
	else
		begin_mind(k);
	for (uint32_t i = 0; i < k->plan->profile_count; i++)
		consider(k, i);
	keeper_write_pending(k);
}

void keeper_notice(struct keeper *k, uint32_t profile)
{
	struct weir_error e = { "" };
	struct keeper_setting now = { 0 };

	if (!k->steps || k->is_lost || k->kept[profile].state == KEEPER_NEW ||
	    k->kept[profile].state == KEEPER_CANNOT)
		return; /* the next step will see */
	if (k->plan->driver->read(k->driver, profile, &now, &e) == KEEPER_READ)
		compare(k, profile, &now);
}
