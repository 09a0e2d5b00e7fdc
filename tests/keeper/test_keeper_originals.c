/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper_originals.c -- an original is never given up unasked, and an operator's values are
 * never overwritten. Three profiles of 100KB, 200KB and 10 %; the tuner desires 60KB, 120KB and 20
 * %. */
#define _GNU_SOURCE
#include "keeper/core/originals.h"
#include "tests/keeper_fixture.h"
#include "weir/rng.h"
#include <stdlib.h>

static const struct keeper_setting original = { 100000, 200000, 100000 };
static const struct keeper_setting ours = { 60000, 120000, 200000 };

static void open_tuned(struct fixture *d)
{
	fixture_open(d, KEEPER_LIVE, "", "");
	d->desired = fixture_setting(60000, 120000, 20);
	fixture_steps(d, 6);
	for (uint32_t i = 0; i < FIXTURE_PROFILES; i++)
		CHECK(keeper_setting_equals(&d->fake->has[i], &ours));
}

/* Number of originals in the journal; 0: no journal. */
static uint32_t count_journal(const struct fixture *d)
{
	struct keeper_record *records;
	struct weir_error e = { "" };
	uint32_t count;

	CHECK_INT(keeper_journal_load(d->journal, &records, &count, &e), 0);
	free(records);
	return count;
}

/* Starts another keeper on the same switch and journal. */
static void start_again(struct fixture *d)
{
	struct keeper_restoring x = { .plan = &d->plan, .driver = d->fake };
	struct keeper_record *records;
	struct weir_error e = { "" };
	uint32_t count;

	keeper_free(&d->keeper);
	keeper_init(&d->keeper, &(struct keeper_parts){ &d->plan, d->fake, KEEPER_LIVE, d->journal,
							fixture_record_event, d });
	CHECK_INT(keeper_journal_load(d->journal, &records, &count, &e), 0);
	keeper_restore(&x, records, count);
	CHECK_INT(keeper_journal_keep(d->journal, records, count, &e), 0);
	keeper_adopt(&d->keeper, records, count);
	free(records);
}

TEST(test_keeper_keeps_the_original_of_a_profile_that_cannot_be_written)
{
	struct keeper_stopped stopped;
	struct fixture d;

	open_tuned(&d);
	d.fake->is_locked[1] = 1; /* ECN is off */
	fixture_steps(&d, 2);
	stopped = keeper_stop(&d.keeper, NULL, NULL);
	CHECK_INT(stopped.left, 1);
	CHECK_INT(stopped.unanswered, 0); /* an immediate retry would not help */
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK(keeper_setting_equals(&d.fake->has[1], &ours));
	CHECK_INT(count_journal(&d), 1);
	start_again(&d); /* still off: the next keeper adopts the original */
	fixture_steps(&d, 3);
	d.fake->is_locked[1] = 0;
	fixture_steps(&d, 3);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[1], &original));
	CHECK_INT(count_journal(&d), 0);
	fixture_close(&d);
}

TEST(test_keeper_reads_an_original_back_before_it_gives_it_up)
{
	struct fixture d;

	open_tuned(&d);
	d.fake->is_inert = 1;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, FIXTURE_PROFILES);
	CHECK_INT(count_journal(&d), FIXTURE_PROFILES);
	d.fake->is_inert = 0;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK_INT(count_journal(&d), 0);
	fixture_close(&d);
}

/* An operator who changes a profile and then sets the keeper's values owns them. */
TEST(test_keeper_leaves_its_own_values_where_an_operator_chose_them)
{
	struct fixture d;

	open_tuned(&d);
	d.fake->has[1] = (struct keeper_setting){ 70000, 140000, 300000 };
	fixture_step(&d);
	d.fake->has[1] = ours;
	fixture_step(&d);
	keeper_stop(&d.keeper, NULL, NULL);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK(keeper_setting_equals(&d.fake->has[1], &ours));
	fixture_close(&d);
}

TEST(test_keeper_journal_loses_the_profile_that_is_released_and_no_other)
{
	struct weir_error e = { "" };
	struct fixture d;

	open_tuned(&d);
	CHECK_INT(count_journal(&d), 3);
	CHECK_INT(keeper_originals_release(d.journal, "b", &e), 0);
	CHECK_INT(count_journal(&d), 2);
	CHECK_INT(keeper_originals_release(d.journal, "b", &e), -1);
	CHECK_INT(keeper_originals_release(d.journal, "a", &e), 0);
	CHECK_INT(keeper_originals_release(d.journal, "c", &e), 0);
	CHECK_INT(count_journal(&d), 0);
	fixture_close(&d);
}

TEST(test_keeper_keeps_the_original_of_a_profile_that_was_deleted)
{
	struct fixture d;

	open_tuned(&d);
	d.fake->is_missing[2] = 1;
	fixture_step(&d);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 1);
	d.fake->is_missing[2] =
		0; /* created again from a configuration saved while the keeper ran */
	start_again(&d);
	CHECK(keeper_setting_equals(&d.fake->has[2], &original));
	CHECK_INT(count_journal(&d), 0);
	fixture_close(&d);
}

/* An unresponsive switch costs one time-out per pass, not one per profile. */
TEST(test_keeper_asks_a_switch_that_does_not_answer_once_in_a_round)
{
	struct keeper_stopped stopped;
	uint32_t reads;
	struct fixture d;

	open_tuned(&d);
	d.fake->is_away = 1;
	reads = d.fake->reads;
	stopped = keeper_stop(&d.keeper, NULL, NULL);
	CHECK_INT(stopped.left, FIXTURE_PROFILES);
	CHECK_INT(stopped.unanswered, FIXTURE_PROFILES);
	CHECK_INT(d.fake->reads - reads, 1);
	d.fake->is_away = 0;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	fixture_close(&d);
}

TEST(test_keeper_that_wrote_nothing_has_nothing_to_restore)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	fixture_steps(&d, 3);
	d.fake->is_missing[0] = 1;
	d.fake->is_locked[1] = 1;
	d.fake->is_away = 1;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	fixture_close(&d);
}

TEST(test_keeper_names_its_values_that_an_operator_left_and_writes_none)
{
	const struct keeper_setting mixed = { 70000, 120000, 200000 };
	struct weir_error e = { "" };
	struct fixture d;

	open_tuned(&d);
	d.fake->has[1].min_bytes = mixed.min_bytes;
	fixture_step(&d);
	CHECK_CONTAINS(d.keeper.profiles[1].why, "the keeper's max, p remains");
	CHECK_INT(keeper_resume_profile(&d.keeper, "b", &e), -1);
	CHECK_CONTAINS(e.text, "its max, p is still the keeper's");
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 1);
	CHECK(keeper_setting_equals(&d.fake->has[1], &mixed));
	d.fake->has[1].max_bytes = 140000;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 1); /* p */
	d.fake->has[1].p_ppm = 100000; /* set to the original by the operator */
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK_INT(count_journal(&d), 0);
	fixture_close(&d);
}

TEST(test_keeper_restores_or_releases_a_mixed_profile_on_request)
{
	const struct keeper_setting mixed = { 70000, 120000, 200000 };
	struct weir_error e = { "" };
	struct fixture d;

	open_tuned(&d);
	d.fake->has[0] = d.fake->has[1] = mixed;
	fixture_step(&d);
	CHECK_INT(keeper_restore_profile(&d.keeper, "a", &e), 0);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK_INT(keeper_release_profile(&d.keeper, "b", &e), 0);
	CHECK_INT(d.events[KEEPER_DID_RELEASE], 2);
	fixture_steps(&d, 3); /* both are the operator's */
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[1], &mixed));
	CHECK_INT(keeper_release_profile(&d.keeper, "b", &e), -1);
	CHECK_CONTAINS(e.text, ": no original is stored, of no profile");
	fixture_close(&d);
}

TEST(test_keeper_leaves_an_operators_profile_alone_after_it_was_unreadable)
{
	const struct keeper_setting theirs = { 70000, 80000, 50000 };
	struct fixture d;

	open_tuned(&d);
	d.fake->has[1] = theirs;
	fixture_step(&d);
	d.fake->is_locked[1] = 1;
	fixture_step(&d);
	d.fake->is_locked[1] = 0;
	fixture_steps(&d, 5);
	CHECK(keeper_setting_equals(&d.fake->has[1], &theirs));
	CHECK_INT(d.keeper.profiles[1].state, KEEPER_OPERATOR);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[1], &theirs));
	fixture_close(&d);
}

TEST(test_keeper_resumed_after_an_alarm_goes_back_to_the_first_original)
{
	struct weir_error e = { "" };
	struct fixture d;

	open_tuned(&d);
	d.fake->hardware_ignores = 1;
	d.desired = fixture_setting(50000, 110000, 20);
	fixture_steps(&d, 4);
	CHECK_INT(d.keeper.profiles[0].state, KEEPER_ALARM);
	CHECK(keeper_setting_equals(&d.fake->has[0], &ours)); /* the previous change */
	d.fake->hardware_ignores = 0;
	CHECK_INT(keeper_resume_profile(&d.keeper, "a", &e), 0);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	fixture_close(&d);
}

TEST(test_keeper_keeps_originals_of_profiles_that_its_plan_does_not_name)
{
	struct keeper_record other = {
		.name = "other",
		.original = { 1, 2, 3 },
		.was = { 4, 5, 6 },
		.wrote = { 7, 8, 9 },
	};
	struct weir_error e = { "" };
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	CHECK_INT(keeper_journal_save(d.journal, &other, 1, &e), 0);
	start_again(&d);
	d.desired = fixture_setting(60000, 120000, 20);
	fixture_steps(&d, 6); /* writes a new journal */
	CHECK_INT(count_journal(&d), 1 + FIXTURE_PROFILES);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 1);
	CHECK_INT(count_journal(&d), 1);
	CHECK_INT(keeper_release_profile(&d.keeper, "other", &e), 0);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK_INT(count_journal(&d), 0);
	fixture_close(&d);
}

/* --- random sequences --- */

/* Model of ownership: each value belongs to the keeper or to the operator. */
struct owners {
	struct keeper_setting seen[FIXTURE_PROFILES], original[FIXTURE_PROFILES];
	int is_ours[FIXTURE_PROFILES][KEEPER_VALUES];
};

/* A restarted keeper must not take an earlier keeper's value as an original. */
static void note_original(struct owners *o, const struct fixture *d, uint32_t i)
{
	const struct keeper_record *r = &d->keeper.records[i];

	if (!r->name[0] || keeper_setting_equals(&r->original, &o->original[i]))
		return;
	for (unsigned v = 0; v < KEEPER_VALUES; v++)
		CHECK(!o->is_ours[i][v]);
	o->original[i] = r->original;
}

/* After a step of the keeper: the changes are its own, and it changed nothing that an operator
 * owns. */
static void note_keeper(struct owners *o, const struct fixture *d)
{
	for (uint32_t i = 0; i < FIXTURE_PROFILES; i++) {
		const struct keeper_setting *now = &d->fake->has[i];

		note_original(o, d, i);
		if (keeper_setting_equals(now, &o->seen[i]))
			continue;
		CHECK(!d->keeper.records[i].yielded);
		for (unsigned v = 0; v < KEEPER_VALUES; v++)
			o->is_ours[i][v] = keeper_setting_value(now, v) !=
					   keeper_setting_value(&o->original[i], v);
		o->seen[i] = *now;
	}
}

/* Odd numbers, which the keeper never chooses. */
static void edit(struct owners *o, struct fixture *d, struct weir_rng *rng)
{
	const uint32_t i = (uint32_t)weir_rng_below(rng, FIXTURE_PROFILES);
	const unsigned values = 1 + (unsigned)weir_rng_below(rng, 7);
	struct keeper_setting *s = &d->fake->has[i];

	if (values & 1)
		s->min_bytes = 50001 + 2 * weir_rng_below(rng, 5000);
	if (values & 2)
		s->max_bytes = 90001 + 2 * weir_rng_below(rng, 5000);
	if (values & 4)
		s->p_ppm = 50001 + 2 * (uint32_t)weir_rng_below(rng, 5000);
	for (unsigned v = 0; v < KEEPER_VALUES; v++)
		if (values & (1u << v))
			o->is_ours[i][v] = 0;
	o->seen[i] = *s;
}

static void turn(struct fixture *d, struct weir_rng *rng, struct owners *o)
{
	const uint32_t i = (uint32_t)weir_rng_below(rng, FIXTURE_PROFILES);

	d->fake->is_locked[i] = weir_rng_below(rng, 4) == 0;
	d->fake->is_missing[i] = weir_rng_below(rng, 6) == 0;
	d->fake->is_failing = weir_rng_below(rng, 10) == 0;
	d->desired = fixture_setting(60000 + 2 * weir_rng_below(rng, 9000),
				     120000 + 2 * weir_rng_below(rng, 9000), 20);
	if (weir_rng_below(rng, 12) == 0)
		edit(o, d, rng);
	else if (weir_rng_below(rng, 12) == 0)
		start_again(d); /* after a kill or a stop */
	else
		fixture_step(d);
	note_keeper(o, d);
}

/* As long as a value of the keeper is in force, its original is in the journal. */
static void check_end(struct fixture *d, const struct owners *o)
{
	struct keeper_stopped stopped;

	memset(d->fake->is_locked, 0, sizeof(d->fake->is_locked));
	memset(d->fake->is_missing, 0, sizeof(d->fake->is_missing));
	d->fake->is_failing = 0;
	stopped = keeper_stop(&d->keeper, NULL, NULL);
	CHECK_INT(stopped.left, count_journal(d));
	for (uint32_t i = 0; i < FIXTURE_PROFILES; i++) {
		const int is_kept = d->keeper.records[i].name[0] != '\0';
		int is_back = 1, is_ours = 0;

		for (unsigned v = 0; v < KEEPER_VALUES; v++) {
			const uint64_t value = keeper_setting_value(&d->fake->has[i], v);

			is_back &= value == keeper_setting_value(&o->original[i], v);
			is_ours |=
				o->is_ours[i][v] && value == keeper_setting_value(&o->seen[i], v);
		}
		CHECK(is_back || is_kept || !is_ours);
	}
}

TEST(test_keeper_never_overwrites_an_operator_and_never_forgets_an_original)
{
	struct weir_rng rng = weir_rng_make(9, 1, WEIR_RNG_TUNING);
	uint32_t kept = 0;

	for (int round = 0; round < 150; round++) {
		struct owners o = { .seen = { { 0 } } };
		struct fixture d;

		fixture_open(&d, KEEPER_LIVE, "", "[limits]\nmin-interval = 0s\nwrites = 100\n");
		for (uint32_t i = 0; i < FIXTURE_PROFILES; i++)
			o.seen[i] = o.original[i] = original;
		for (int i = 0; i < 40; i++)
			turn(&d, &rng, &o);
		check_end(&d, &o);
		kept += count_journal(&d);
		fixture_close(&d);
	}
	CHECK(kept > 10);
}
