/* SPDX-License-Identifier: BSD-3-Clause */
/* restore.c -- see restore.h. */
#include "keeper/core/restore.h"
#include <stdlib.h>
#include <string.h>

/* --- records --- */

unsigned keeper_record_left(const struct keeper_record *r, const struct keeper_setting *now)
{
	unsigned left = 0;

	for (unsigned v = 0; v < KEEPER_VALUES; v++) {
		const uint64_t value = keeper_setting_value(now, v);

		if (value != keeper_setting_value(&r->original, v) &&
		    (value == keeper_setting_value(&r->wrote, v) ||
		     value == keeper_setting_value(&r->was, v)))
			left |= 1u << v;
	}
	return left;
}

/* Was anything but the original ever written, or about to be? */
static int is_touched(const struct keeper_record *r)
{
	return !keeper_setting_equals(&r->was, &r->original) ||
	       !keeper_setting_equals(&r->wrote, &r->original);
}

void keeper_record_release(struct keeper_record *r, const struct keeper_setting *now)
{
	r->original = r->was = r->wrote = *now;
	r->yielded = 1;
}

int keeper_record_find(const struct keeper_record *records, uint32_t count, const char *name,
		       uint32_t *at, struct weir_error *e)
{
	const char *names[64];
	size_t known = 0;

	for (*at = 0; *at < count; (*at)++) {
		if (!records[*at].name[0])
			continue;
		if (strcmp(records[*at].name, name) == 0)
			return 0;
		if (known < sizeof(names) / sizeof(names[0]))
			names[known++] = records[*at].name;
	}
	if (!known)
		return weir_error_set(e, "%s: no original is kept of it, nor of any other profile",
				      weir_quote(name).text);
	return weir_error_unknown(e, "profile", name, names, known);
}

int keeper_journal_keep(const char *path, const struct keeper_record *records, uint32_t count,
			struct weir_error *e)
{
	for (uint32_t i = 0; i < count; i++)
		if (records[i].name[0])
			return keeper_journal_save(path, records, count, e);
	keeper_journal_remove(path);
	return 0;
}

/* --- putting back --- */

static int find_profile(const struct keeper_plan *plan, const char *name, uint32_t *profile)
{
	for (*profile = 0; *profile < plan->profile_count; (*profile)++)
		if (strcmp(plan->profiles[*profile].name, name) == 0)
			return 0;
	return -1;
}

/* What a switch was found with. */
struct found {
	uint32_t profile;
	enum keeper_reading reading;
	struct keeper_setting now;
};

/* Writes the original and reads it back. */
static enum keeper_restored write_original(struct keeper_restoring *x, uint32_t profile,
					   const struct keeper_record *r, struct weir_error *e)
{
	struct keeper_setting now;

	if (x->plan->driver->write(x->driver, profile, &r->original, e) ||
	    x->plan->driver->read(x->driver, profile, &now, e) != KEEPER_READ)
		return KEEPER_NOT_BACK;
	if (keeper_setting_equals(&now, &r->original))
		return KEEPER_PUT_BACK;
	weir_error_set(e, "the switch has another setting than was written");
	return KEEPER_NOT_BACK;
}

static int is_forced(const struct keeper_restoring *x, const struct keeper_record *r)
{
	return x->forced && strcmp(x->forced, r->name) == 0;
}

/* The setting is known: whose is it? Where it cannot be written the error says why already. */
static enum keeper_restored restore_setting(struct keeper_restoring *x,
					    const struct keeper_record *r, const struct found *f,
					    struct weir_error *e)
{
	const struct keeper_setting *now = &f->now;
	const int is_ours =
		is_forced(x, r) || (!r->yielded && (keeper_setting_equals(now, &r->was) ||
						    keeper_setting_equals(now, &r->wrote)));
	const unsigned left = keeper_record_left(r, now);

	if (keeper_setting_equals(now, &r->original))
		return KEEPER_WAS_BACK;
	if (!is_ours && !left)
		return KEEPER_THEIRS;
	if (!is_ours) {
		weir_error_set(e, "an operator changed it; still the keeper's: %s",
			       keeper_values_format(left).text);
		return KEEPER_MIXED;
	}
	return f->reading == KEEPER_READ ? write_original(x, f->profile, r, e) : KEEPER_DISABLED;
}

static enum keeper_restored restore_one(struct keeper_restoring *x, const struct keeper_record *r,
					struct weir_error *e)
{
	struct found f = { .profile = 0 };

	e->text[0] = '\0';
	if (!is_touched(r) && !is_forced(x, r))
		return r->yielded ? KEEPER_THEIRS : KEEPER_WAS_BACK;
	if (find_profile(x->plan, r->name, &f.profile)) {
		weir_error_set(e, "the plan has no such profile any more; add it again");
		return KEEPER_ABSENT;
	}
	if (x->is_lost) {
		weir_error_set(e, "the switch does not answer");
		return KEEPER_NOT_BACK;
	}
	f.reading = x->plan->driver->read(x->driver, f.profile, &f.now, e);
	x->is_lost = f.reading == KEEPER_LOST;
	if (x->is_lost)
		return KEEPER_NOT_BACK;
	if (f.reading == KEEPER_UNFIT)
		return KEEPER_ABSENT;
	return restore_setting(x, r, &f, e);
}

uint32_t keeper_restore(struct keeper_restoring *x, struct keeper_record *records, uint32_t count)
{
	x->left = x->unanswered = 0;
	x->is_lost = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct weir_error e;
		enum keeper_restored became;

		if (!records[i].name[0])
			continue;
		became = restore_one(x, &records[i], &e);
		x->left += !keeper_restored_is_done(became);
		x->unanswered += became == KEEPER_NOT_BACK;
		if (x->tell)
			x->tell(x->user, &records[i], became, e.text);
		if (keeper_restored_is_done(became))
			records[i].name[0] = '\0';
	}
	return x->left;
}
