/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c -- operator requests: adopt an earlier keeper's originals; resume, release or restore
 * a profile; reload the plan; stop. Contract in keeper.h. */
#include "keeper/core/keeper.h"
#include "base/memory.h"
#include <string.h>
#include <unistd.h>

int keeper_find_profile(const struct keeper_plan *plan, const char *name, uint32_t *profile,
			struct weir_error *e)
{
	const char *names[KEEPER_PROFILES_MAX];
	const int64_t found = keeper_plan_find(plan, name);

	*profile = found < 0 ? plan->profile_count : (uint32_t)found;
	if (found >= 0)
		return 0;
	for (uint32_t i = 0; i < plan->profile_count; i++)
		names[i] = plan->profiles[i].name;
	return weir_error_unknown(e, "profile", name, names, plan->profile_count);
}

/* --- start and stop --- */

static void requests_adopt_record(struct keeper *k, const struct keeper_record *r)
{
	struct weir_error e;
	uint32_t profile;

	if (keeper_find_profile(k->plan, r->name, &profile, &e)) {
		k->records =
			memory_grow(k->records, k->record_count + UINT64_C(1), sizeof(*k->records));
		k->records[k->record_count++] = *r;
		return;
	}
	k->records[profile] = *r;
	k->profiles[profile].in_force = r->wrote;
	k->profiles[profile].is_unsure = 1; /* either end of the last change may be in force */
}

void keeper_adopt(struct keeper *k, const struct keeper_record *left, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (left[i].name[0])
			requests_adopt_record(k, &left[i]);
}

struct keeper_stopped keeper_stop(struct keeper *k, keeper_restore_handler *on_restored, void *user)
{
	struct keeper_restoring x = {
		.plan = k->plan,
		.driver = k->driver,
		.on_restored = on_restored,
		.user = user,
	};
	struct weir_error e;

	if (k->mode == KEEPER_DRY)
		return (struct keeper_stopped){ 0, 0 };
	keeper_restore(&x, k->records, k->record_count);
	if (keeper_journal_keep(k->journal, k->records, k->record_count, &e))
		keeper_report_switch(k, KEEPER_DID_FAIL, e.text);
	return (struct keeper_stopped){ x.left, x.unanswered };
}

/* --- requests --- */

int keeper_resume_profile(struct keeper *k, const char *name, struct weir_error *e)
{
	struct keeper_record *r;
	uint32_t profile;
	struct profile_state *p;
	unsigned left;

	if (keeper_find_profile(k->plan, name, &profile, e))
		return -1;
	p = &k->profiles[profile];
	r = &k->records[profile];
	if (p->state != KEEPER_OPERATOR && p->state != KEEPER_ALARM)
		return weir_error_set(
			e,
			"%s is %s; only a profile that an operator owns or that has an alarm "
			"can be resumed",
			name, keeper_state_names[p->state]);
	left = keeper_record_left(r, &p->in_force);
	if (r->yielded && left)
		return weir_error_set(
			e,
			"%s: an operator changed it, but its %s is still the keeper's; first "
			"'weir keeper restore' restores the original, or 'weir keeper release' "
			"gives it up",
			name, keeper_values_format(left).text);
	p->has_guards = 0;
	p->probation = 0;
	p->unverified_ns = 0;
	if (r->yielded) {
		keeper_manage_profile(k, profile, &p->in_force);
		return 0;
	}
	p->state = KEEPER_TUNED;
	keeper_set_reason(p, "an operator acknowledged the alarm; the original is unchanged");
	keeper_report_profile(k, KEEPER_DID_RESUME, profile, NULL, NULL);
	return 0;
}

/* Makes the setting in force, or the one last read, the operator's. */
static int requests_hand_over(struct keeper *k, uint32_t profile, const struct keeper_setting *now,
			      struct weir_error *e)
{
	struct profile_state *p = &k->profiles[profile];

	keeper_record_release(&k->records[profile], now);
	p->in_force = *now;
	p->probation = 0;
	p->unverified_ns = 0;
	if (p->state != KEEPER_UNMANAGED)
		p->state = KEEPER_OPERATOR;
	return keeper_save_journal(k, e);
}

int keeper_release_profile(struct keeper *k, const char *name, struct weir_error *e)
{
	struct keeper_setting original;
	uint32_t at;

	if (keeper_record_find(k->records, k->record_count, name, &at, e))
		return -1;
	if (at >= k->plan->profile_count) {
		k->records[at].name[0] = '\0';
		return keeper_save_journal(k, e);
	}
	original = k->records[at].original;
	if (requests_hand_over(k, at, &k->profiles[at].in_force, e))
		return -1;
	keeper_set_reason(
		&k->profiles[at],
		"its original was released; it is the operator's until 'weir keeper resume'");
	keeper_report_profile(k, KEEPER_DID_RELEASE, at, &original, &k->profiles[at].in_force);
	return 0;
}

/* A keeper_restore_handler; user is a weir_error. */
static void requests_restore_error(void *user, const struct keeper_record *r,
				   enum keeper_restored became, const char *why)
{
	(void)became;
	weir_error_set(user, "%s: the original is not restored: %s", r->name, why);
}

int keeper_restore_profile(struct keeper *k, const char *name, struct weir_error *e)
{
	struct keeper_restoring x = {
		.plan = k->plan,
		.driver = k->driver,
		.forced = name,
		.on_restored = requests_restore_error,
		.user = e,
	};
	struct keeper_setting before;
	struct keeper_record r;
	uint32_t at;

	if (keeper_find_profile(k->plan, name, &at, e) ||
	    keeper_record_find(k->records, k->record_count, name, &at, e))
		return -1;
	r = k->records[at];
	if (keeper_restore(&x, &r, 1))
		return -1;
	before = k->profiles[at].in_force;
	if (requests_hand_over(k, at, &k->records[at].original, e))
		return -1;
	keeper_set_reason(&k->profiles[at],
			  "its original was restored by request; it is the operator's until "
			  "'weir keeper resume'");
	keeper_report_profile(k, KEEPER_DID_RELEASE, at, &before, &k->profiles[at].in_force);
	return 0;
}

int keeper_reload_check(const struct keeper_plan *now, const struct keeper_plan *next,
			struct weir_error *e)
{
	const char *wrong = NULL;

	if (strcmp(now->options.driver, next->options.driver) != 0)
		wrong = "driver";
	else if (strcmp(now->options.journal, next->options.journal) != 0)
		wrong = "journal";
	else if (strcmp(now->options.socket, next->options.socket) != 0)
		wrong = "socket";
	else if (now->options.http != next->options.http)
		wrong = "http";
	return wrong ? weir_error_set(
			       e,
			       "%.200s: keeper.%s: cannot change while the keeper runs; stop and "
			       "restart it",
			       next->file, wrong)
		     : 0;
}

static int reload_restore_removed(struct keeper *k, const struct keeper_plan *next,
				  struct weir_error *e)
{
	struct keeper_restoring x = { .plan = k->plan, .driver = k->driver };

	for (uint32_t i = 0; i < k->plan->profile_count; i++) {
		struct keeper_record r = k->records[i];

		if (keeper_plan_find(next, k->plan->profiles[i].name) >= 0 ||
		    k->mode == KEEPER_DRY || !keeper_restore(&x, &r, 1))
			continue;
		return weir_error_set(
			e,
			"profile %s is no longer in the plan, but its original could not be "
			"restored; 'weir keeper release' gives it up",
			k->plan->profiles[i].name);
	}
	return 0;
}

/* Moves the most recent writes, as many as the new rate limit considers. */
static void reload_move_writes(struct profile_state *to, const struct profile_state *from,
			       uint64_t to_size, uint64_t from_size)
{
	uint64_t left = from->writes < from_size ? from->writes : from_size;

	left = left < to_size ? left : to_size;
	for (uint64_t ago = 1; ago <= left; ago++)
		to->wrote_ns[(from->writes - ago) % to_size] =
			from->wrote_ns[(from->writes - ago) % from_size];
}

static void reload_move_profile(struct keeper *to, uint32_t at, const struct keeper *from,
				uint32_t was)
{
	int64_t *ring = to->profiles[at].wrote_ns;

	to->profiles[at] = from->profiles[was];
	to->profiles[at].wrote_ns = ring;
	reload_move_writes(&to->profiles[at], &from->profiles[was],
			   to->plan->profiles[at].limits.writes,
			   from->plan->profiles[was].limits.writes);
	to->records[at] = from->records[was];
}

/* Does the tuner's learned state survive the reload? Only if both plans configure the same tuner
 * for the same queues. */
static int reload_keeps_tuner(const struct keeper_plan *a, const struct keeper_plan *b)
{
	if (strcmp(a->options.tune, b->options.tune) != 0 ||
	    a->options.interval_ns != b->options.interval_ns ||
	    a->options.rtt_ns != b->options.rtt_ns ||
	    a->options.mtu_bytes != b->options.mtu_bytes || a->options.seed != b->options.seed ||
	    a->profile_count != b->profile_count)
		return 0;
	for (uint32_t i = 0; i < a->profile_count; i++)
		if (strcmp(a->profiles[i].name, b->profiles[i].name) != 0)
			return 0;
	return 1;
}

/* The tuner's parameters now point into the next plan, which has equal values. */
static void reload_move_tuner(struct keeper *to, struct keeper *from)
{
	const uint32_t count = to->plan->profile_count;

	to->tuner_state = from->tuner_state;
	to->tuner_size = from->tuner_size;
	from->tuner_state = NULL;
	from->tuner_size = 0;
	to->env = from->env;
	memcpy(to->queues, from->queues, count * sizeof(*to->queues));
	memcpy(to->desired, from->desired, count * sizeof(*to->desired));
	to->env.queues = to->queues;
	keeper_find_tuner(to);
}

int keeper_reload(struct keeper *k, const struct keeper_plan *next, void *driver,
		  struct weir_error *e)
{
	struct keeper made;

	if (reload_restore_removed(k, next, e))
		return -1;
	keeper_init(&made, &(struct keeper_parts){ next, driver, k->mode, k->journal, k->on_event,
						   k->user });
	made.is_paused = k->is_paused;
	made.is_lost = k->is_lost;
	made.was_lost = k->was_lost;
	made.now_ns = k->now_ns;
	made.before_ns = k->before_ns;
	made.canary_since_ns = k->canary_since_ns;
	made.steps = k->steps;
	for (uint32_t i = 0; i < next->profile_count; i++) {
		int64_t was = keeper_plan_find(k->plan, next->profiles[i].name);

		if (was >= 0)
			reload_move_profile(&made, i, k, (uint32_t)was);
	}
	keeper_adopt(&made, k->records + k->plan->profile_count,
		     k->record_count - k->plan->profile_count);
	/* Removes profiles from the journal that the next plan does not manage. Without a journal
	 * nothing was written yet. */
	if (made.mode != KEEPER_DRY && access(k->journal, F_OK) == 0 &&
	    keeper_save_journal(&made, e)) {
		keeper_free(&made);
		return -1;
	}
	if (k->tuner_state && reload_keeps_tuner(k->plan, next))
		reload_move_tuner(&made, k);
	keeper_free(k);
	*k = made;
	return 0;
}
