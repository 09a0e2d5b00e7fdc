/* guard.c -- writing, with a way back: how often, the journal first, and what becomes of a change that does harm.
 * See keeper.h. */
#include "keeper/core/keeper.h"
#include "weir/units.h"
#include <string.h>

/* --- writing --- */

#define MINUTE_NS (INT64_C(60) * WEIR_NS_PER_S)

/* Does a write leave that many of the minute's for later? Taking back does not wait for the shortest time. */
int keeper_may_write(const struct keeper *k, uint32_t profile, uint64_t keep_back)
{
	const struct keeper_limits *limits = &k->plan->profiles[profile].limits;
	const struct kept *p = &k->kept[profile];
	uint64_t in_minute = 0;

	for (uint64_t i = 0; i < p->writes && i < limits->writes; i++)
		in_minute += k->now_ns - p->wrote_ns[(p->writes - 1 - i) % KEEPER_WRITES_MAX] <
			     MINUTE_NS;
	if (in_minute + keep_back >= limits->writes)
		return 0;
	return !keep_back || !p->writes ||
	       k->now_ns - p->wrote_ns[(p->writes - 1) % KEEPER_WRITES_MAX] >=
		       (int64_t)limits->shortest_ns;
}

static int fail(struct keeper *k, uint32_t profile, const struct weir_error *e)
{
	keeper_why(&k->kept[profile], "%.190s", e->text);
	keeper_say(k, KEEPER_DID_FAIL, profile, NULL, NULL);
	return -1;
}

/* What is there is looked at once more, so that an operator's change is not lost in the moment before. */
int keeper_write(struct keeper *k, uint32_t profile, const struct keeper_setting *to)
{
	struct keeper_record *r = &k->records[profile];
	struct kept *p = &k->kept[profile];
	struct keeper_setting now;
	struct weir_error e = { "" };

	if (k->plan->driver->read(k->driver, profile, &now, &e) != KEEPER_READ)
		return fail(k, profile, &e);
	if (!keeper_setting_equals(&now, &p->in_force)) {
		keeper_yield(k, profile, &now);
		return -1;
	}
	r->was = p->in_force;
	r->wrote = *to;
	if (keeper_journal_save(k->journal, k->records, k->plan->profile_count, &e))
		return fail(k, profile, &e);
	p->wrote_ns[p->writes++ % KEEPER_WRITES_MAX] = k->now_ns;
	if (k->plan->driver->write(k->driver, profile, to, &e)) {
		p->is_unsure = 1;
		return fail(k, profile, &e);
	}
	p->fallback = p->in_force;
	p->in_force = *to;
	p->probation = k->plan->options.guard_intervals;
	p->unverified_ns = k->plan->driver->follows ? k->now_ns : 0;
	return 0;
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

/* Tried every interval until it is done. The profile was read in this step, and is as the keeper left it. */
void keeper_take_back(struct keeper *k, uint32_t profile)
{
	struct kept *p = &k->kept[profile];
	const struct keeper_setting before = p->in_force, to = p->fallback;
	char why[KEEPER_WHY_SIZE];

	if (p->state != KEEPER_BACK || !keeper_may_write(k, profile, 0))
		return;
	memcpy(why, p->why, sizeof(why));
	if (!keeper_setting_equals(&before, &to) && keeper_write(k, profile, &to))
		return;
	p->state = p->after;
	p->held_until_ns = k->now_ns + (int64_t)k->plan->options.hold_off_ns;
	p->probation = 0;
	p->unverified_ns = 0;
	p->rollbacks++;
	memcpy(p->why, why, sizeof(why));
	keeper_say(k, KEEPER_DID_TAKE_BACK, profile, &before, &to);
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
