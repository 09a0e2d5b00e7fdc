/* SPDX-License-Identifier: BSD-3-Clause */
/* requests.c -- see keeper.h: how a keeper begins after another one, how it ends, and what
 * operators ask of it about a profile. */
#include "keeper/core/keeper.h"
#include "base/memory.h"
#include <string.h>

int keeper_find_profile(const struct keeper_plan *plan, const char *name, uint32_t *profile,
			struct weir_error *e)
{
	const char *names[KEEPER_PROFILES_MAX];

	for (*profile = 0; *profile < plan->profile_count; (*profile)++) {
		names[*profile] = plan->profiles[*profile].name;
		if (strcmp(names[*profile], name) == 0)
			return 0;
	}
	return weir_error_unknown(e, "profile", name, names, plan->profile_count);
}

/* --- beginning and ending --- */

static void adopt_one(struct keeper *k, const struct keeper_record *r)
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
	k->kept[profile].in_force = r->wrote;
	k->kept[profile].is_unsure = 1; /* either end of the last change may be in force */
}

void keeper_adopt(struct keeper *k, const struct keeper_record *left, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (left[i].name[0])
			adopt_one(k, &left[i]);
}

struct keeper_stopped keeper_stop(struct keeper *k, keeper_restore_tell *tell, void *user)
{
	struct keeper_restoring x = {
		.plan = k->plan,
		.driver = k->driver,
		.tell = tell,
		.user = user,
	};
	struct weir_error e;

	if (k->mode == KEEPER_DRY)
		return (struct keeper_stopped){ 0, 0 };
	keeper_restore(&x, k->records, k->record_count);
	if (keeper_journal_keep(k->journal, k->records, k->record_count, &e))
		keeper_say_of_switch(k, KEEPER_DID_FAIL, e.text);
	return (struct keeper_stopped){ x.left, x.unanswered };
}

/* --- what operators ask for --- */

static int refuse_state(const struct keeper *k, uint32_t profile, struct weir_error *e)
{
	return weir_error_set(
		e, "%s is %s; only one that was yielded or had an alarm is taken again",
		k->plan->profiles[profile].name, keeper_state_names[k->kept[profile].state]);
}

int keeper_take_again(struct keeper *k, const char *name, struct weir_error *e)
{
	struct keeper_record *r;
	uint32_t profile;
	struct kept *p;
	unsigned left;

	if (keeper_find_profile(k->plan, name, &profile, e))
		return -1;
	p = &k->kept[profile];
	r = &k->records[profile];
	if (p->state != KEEPER_GIVEN && p->state != KEEPER_ALARM)
		return refuse_state(k, profile, e);
	left = keeper_record_left(r, &p->in_force);
	if (r->yielded && left)
		return weir_error_set(
			e,
			"%s: an operator changed it, and its %s is still the keeper's; first "
			"'weir keeper restore' puts the original back, or 'weir keeper release' "
			"gives it up",
			name, keeper_values_format(left).text);
	p->has_guards = 0;
	p->probation = 0;
	p->unverified_ns = 0;
	if (r->yielded) {
		keeper_begin(k, profile, &p->in_force);
		return 0;
	}
	p->state = KEEPER_TUNED;
	keeper_why(p, "an operator has looked at the alarm; the original is the one from before");
	keeper_say(k, KEEPER_DID_RESUME, profile, NULL, NULL);
	return 0;
}

/* The setting in force, or in force at the last read, is the operator's. */
static int hand_over(struct keeper *k, uint32_t profile, const struct keeper_setting *now,
		     struct weir_error *e)
{
	struct kept *p = &k->kept[profile];

	keeper_record_release(&k->records[profile], now);
	p->in_force = *now;
	p->probation = 0;
	p->unverified_ns = 0;
	if (p->state != KEEPER_CANNOT)
		p->state = KEEPER_GIVEN;
	return keeper_save(k, e);
}

int keeper_release(struct keeper *k, const char *name, struct weir_error *e)
{
	struct keeper_setting original;
	uint32_t at;

	if (keeper_record_find(k->records, k->record_count, name, &at, e))
		return -1;
	if (at >= k->plan->profile_count) {
		k->records[at].name[0] = '\0';
		return keeper_save(k, e);
	}
	original = k->records[at].original;
	if (hand_over(k, at, &k->kept[at].in_force, e))
		return -1;
	keeper_why(&k->kept[at],
		   "its original was released; it is the operator's until 'weir keeper resume'");
	keeper_say(k, KEEPER_DID_RELEASE, at, &original, &k->kept[at].in_force);
	return 0;
}

/* A keeper_restore_tell; user is a weir_error. */
static void tell_error(void *user, const struct keeper_record *r, enum keeper_restored became,
		       const char *why)
{
	(void)became;
	weir_error_set(user, "%s: the original is not put back: %s", r->name, why);
}

int keeper_put_back(struct keeper *k, const char *name, struct weir_error *e)
{
	struct keeper_restoring x = {
		.plan = k->plan,
		.driver = k->driver,
		.forced = name,
		.tell = tell_error,
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
	before = k->kept[at].in_force;
	if (hand_over(k, at, &k->records[at].original, e))
		return -1;
	keeper_why(&k->kept[at], "its original was put back by request; it is the operator's until "
				 "'weir keeper resume'");
	keeper_say(k, KEEPER_DID_RELEASE, at, &before, &k->kept[at].in_force);
	return 0;
}
