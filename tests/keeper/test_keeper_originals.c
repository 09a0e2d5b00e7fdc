/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper_originals.c -- an original is never given up unasked, and an operator's values are
 * never overwritten. Three profiles of 100KB, 200KB and 10 %; the keeper wants 60KB, 120KB and 20
 * %. */
#define _GNU_SOURCE
#include "keeper/core/originals.h"
#include "tests/keeper_desk.h"
#include "weir/rng.h"
#include <stdlib.h>

static const struct keeper_setting original = { 100000, 200000, 100000 };
static const struct keeper_setting ours = { 60000, 120000, 200000 };

static void open_tuned(struct desk *d)
{
	desk_open(d, KEEPER_LIVE, "", "");
	d->wish = desk_line(60000, 120000, 20);
	desk_steps(d, 6);
	for (uint32_t i = 0; i < DESK_PROFILES; i++)
		CHECK(keeper_setting_equals(&d->fake->has[i], &ours));
}

/* How many originals the journal holds; 0 where there is none. */
static uint32_t count_journal(const struct desk *d)
{
	struct keeper_record *records;
	struct weir_error e = { "" };
	uint32_t count;

	CHECK_INT(keeper_journal_load(d->journal, &records, &count, &e), 0);
	free(records);
	return count;
}

/* Another keeper over the same switch and journal. */
static void start_again(struct desk *d)
{
	struct keeper_restoring x = { .plan = &d->plan, .driver = d->fake };
	struct keeper_record *records;
	struct weir_error e = { "" };
	uint32_t count;

	keeper_free(&d->keeper);
	keeper_init(&d->keeper, &(struct keeper_parts){ &d->plan, d->fake, KEEPER_LIVE, d->journal,
							desk_hear, d });
	CHECK_INT(keeper_journal_load(d->journal, &records, &count, &e), 0);
	keeper_restore(&x, records, count);
	CHECK_INT(keeper_journal_keep(d->journal, records, count, &e), 0);
	keeper_adopt(&d->keeper, records, count);
	free(records);
}

TEST(test_keeper_keeps_the_original_of_a_profile_that_cannot_be_written)
{
	struct keeper_stopped stopped;
	struct desk d;

	open_tuned(&d);
	d.fake->is_locked[1] = 1; /* ECN is off */
	desk_steps(&d, 2);
	stopped = keeper_stop(&d.keeper, NULL, NULL);
	CHECK_INT(stopped.left, 1);
	CHECK_INT(stopped.unanswered, 0); /* another try at once would be no use */
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK(keeper_setting_equals(&d.fake->has[1], &ours));
	CHECK_INT(count_journal(&d), 1);
	start_again(&d); /* still off: the next keeper takes the original over */
	desk_steps(&d, 3);
	d.fake->is_locked[1] = 0;
	desk_steps(&d, 3);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[1], &original));
	CHECK_INT(count_journal(&d), 0);
	desk_close(&d);
}

TEST(test_keeper_reads_an_original_back_before_it_gives_it_up)
{
	struct desk d;

	open_tuned(&d);
	d.fake->is_inert = 1;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, DESK_PROFILES);
	CHECK_INT(count_journal(&d), DESK_PROFILES);
	d.fake->is_inert = 0;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK_INT(count_journal(&d), 0);
	desk_close(&d);
}

/* An operator who changes a profile and then sets the keeper's values has chosen them. */
TEST(test_keeper_leaves_its_own_values_where_an_operator_chose_them)
{
	struct desk d;

	open_tuned(&d);
	d.fake->has[1] = (struct keeper_setting){ 70000, 140000, 300000 };
	desk_step(&d);
	d.fake->has[1] = ours;
	desk_step(&d);
	keeper_stop(&d.keeper, NULL, NULL);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK(keeper_setting_equals(&d.fake->has[1], &ours));
	desk_close(&d);
}

TEST(test_keeper_journal_loses_the_profile_that_is_released_and_no_other)
{
	struct weir_error e = { "" };
	struct desk d;

	open_tuned(&d);
	CHECK_INT(count_journal(&d), 3);
	CHECK_INT(keeper_originals_release(d.journal, "b", &e), 0);
	CHECK_INT(count_journal(&d), 2);
	CHECK_INT(keeper_originals_release(d.journal, "b", &e), -1);
	CHECK_INT(keeper_originals_release(d.journal, "a", &e), 0);
	CHECK_INT(keeper_originals_release(d.journal, "c", &e), 0);
	CHECK_INT(count_journal(&d), 0);
	desk_close(&d);
}

TEST(test_keeper_keeps_the_original_of_a_profile_that_was_deleted)
{
	struct desk d;

	open_tuned(&d);
	d.fake->is_missing[2] = 1;
	desk_step(&d);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 1);
	d.fake->is_missing[2] = 0; /* created again from what was saved while the keeper ran */
	start_again(&d);
	CHECK(keeper_setting_equals(&d.fake->has[2], &original));
	CHECK_INT(count_journal(&d), 0);
	desk_close(&d);
}

/* A switch that hangs costs a time-out, and not one for every profile. */
TEST(test_keeper_asks_a_switch_that_does_not_answer_once_in_a_round)
{
	struct keeper_stopped stopped;
	uint32_t reads;
	struct desk d;

	open_tuned(&d);
	d.fake->is_away = 1;
	reads = d.fake->reads;
	stopped = keeper_stop(&d.keeper, NULL, NULL);
	CHECK_INT(stopped.left, DESK_PROFILES);
	CHECK_INT(stopped.unanswered, DESK_PROFILES);
	CHECK_INT(d.fake->reads - reads, 1);
	d.fake->is_away = 0;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	desk_close(&d);
}

TEST(test_keeper_that_wrote_nothing_has_nothing_to_restore)
{
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "", "");
	desk_steps(&d, 3);
	d.fake->is_missing[0] = 1;
	d.fake->is_locked[1] = 1;
	d.fake->is_away = 1;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	desk_close(&d);
}

TEST(test_keeper_names_its_values_that_an_operator_left_and_writes_none)
{
	const struct keeper_setting mixed = { 70000, 120000, 200000 };
	struct weir_error e = { "" };
	struct desk d;

	open_tuned(&d);
	d.fake->has[1].min_bytes = mixed.min_bytes;
	desk_step(&d);
	CHECK_CONTAINS(d.keeper.profiles[1].why, "still the keeper's: max, p");
	CHECK_INT(keeper_resume_profile(&d.keeper, "b", &e), -1);
	CHECK_CONTAINS(e.text, "its max, p is still the keeper's");
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 1);
	CHECK(keeper_setting_equals(&d.fake->has[1], &mixed));
	d.fake->has[1].max_bytes = 140000;
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 1); /* p */
	d.fake->has[1].p_ppm = 100000;                         /* the original's, by the operator */
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK_INT(count_journal(&d), 0);
	desk_close(&d);
}

TEST(test_keeper_puts_back_or_releases_what_is_mixed_when_it_is_asked)
{
	const struct keeper_setting mixed = { 70000, 120000, 200000 };
	struct weir_error e = { "" };
	struct desk d;

	open_tuned(&d);
	d.fake->has[0] = d.fake->has[1] = mixed;
	desk_step(&d);
	CHECK_INT(keeper_restore_profile(&d.keeper, "a", &e), 0);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK_INT(keeper_release_profile(&d.keeper, "b", &e), 0);
	CHECK_INT(d.events[KEEPER_DID_RELEASE], 2);
	desk_steps(&d, 3); /* both are the operator's */
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[1], &mixed));
	CHECK_INT(keeper_release_profile(&d.keeper, "b", &e), -1);
	CHECK_CONTAINS(e.text, "no original is kept");
	desk_close(&d);
}

TEST(test_keeper_leaves_an_operators_profile_alone_after_it_was_unreadable)
{
	const struct keeper_setting theirs = { 70000, 80000, 50000 };
	struct desk d;

	open_tuned(&d);
	d.fake->has[1] = theirs;
	desk_step(&d);
	d.fake->is_locked[1] = 1;
	desk_step(&d);
	d.fake->is_locked[1] = 0;
	desk_steps(&d, 5);
	CHECK(keeper_setting_equals(&d.fake->has[1], &theirs));
	CHECK_INT(d.keeper.profiles[1].state, KEEPER_OPERATOR);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[1], &theirs));
	desk_close(&d);
}

TEST(test_keeper_resumed_after_an_alarm_goes_back_to_the_first_original)
{
	struct weir_error e = { "" };
	struct desk d;

	open_tuned(&d);
	d.fake->is_deaf = 1;
	d.wish = desk_line(50000, 110000, 20);
	desk_steps(&d, 4);
	CHECK_INT(d.keeper.profiles[0].state, KEEPER_ALARM);
	CHECK(keeper_setting_equals(&d.fake->has[0], &ours)); /* the change before */
	d.fake->is_deaf = 0;
	CHECK_INT(keeper_resume_profile(&d.keeper, "a", &e), 0);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	desk_close(&d);
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
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "", "");
	CHECK_INT(keeper_journal_save(d.journal, &other, 1, &e), 0);
	start_again(&d);
	d.wish = desk_line(60000, 120000, 20);
	desk_steps(&d, 6); /* writes the journal anew */
	CHECK_INT(count_journal(&d), 1 + DESK_PROFILES);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 1);
	CHECK_INT(count_journal(&d), 1);
	CHECK_INT(keeper_release_profile(&d.keeper, "other", &e), 0);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK_INT(count_journal(&d), 0);
	desk_close(&d);
}

/* --- whatever happens --- */

/* The owner of each value by the rules: the keeper, or the operator. */
struct owners {
	struct keeper_setting seen[DESK_PROFILES], original[DESK_PROFILES];
	int is_ours[DESK_PROFILES][KEEPER_VALUES];
};

/* A keeper that begins anew takes no value of an earlier one for an original. */
static void note_original(struct owners *o, const struct desk *d, uint32_t i)
{
	const struct keeper_record *r = &d->keeper.records[i];

	if (!r->name[0] || keeper_setting_equals(&r->original, &o->original[i]))
		return;
	for (unsigned v = 0; v < KEEPER_VALUES; v++)
		CHECK(!o->is_ours[i][v]);
	o->original[i] = r->original;
}

/* The keeper has worked: what changed is its doing, and it may only have changed what no operator
 * took. */
static void note_keeper(struct owners *o, const struct desk *d)
{
	for (uint32_t i = 0; i < DESK_PROFILES; i++) {
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

/* Odd numbers, so that no value is the keeper's by chance. */
static void edit(struct owners *o, struct desk *d, struct weir_rng *rng)
{
	const uint32_t i = (uint32_t)weir_rng_below(rng, DESK_PROFILES);
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

static void turn(struct desk *d, struct weir_rng *rng, struct owners *o)
{
	const uint32_t i = (uint32_t)weir_rng_below(rng, DESK_PROFILES);

	d->fake->is_locked[i] = weir_rng_below(rng, 4) == 0;
	d->fake->is_missing[i] = weir_rng_below(rng, 6) == 0;
	d->fake->is_failing = weir_rng_below(rng, 10) == 0;
	d->wish = desk_line(60000 + 2 * weir_rng_below(rng, 9000),
			    120000 + 2 * weir_rng_below(rng, 9000), 20);
	if (weir_rng_below(rng, 12) == 0)
		edit(o, d, rng);
	else if (weir_rng_below(rng, 12) == 0)
		start_again(d); /* a keeper that was killed, or stopped */
	else
		desk_step(d);
	note_keeper(o, d);
}

/* Where a value of the keeper is left its original is in the journal. */
static void check_end(struct desk *d, const struct owners *o)
{
	struct keeper_stopped stopped;

	memset(d->fake->is_locked, 0, sizeof(d->fake->is_locked));
	memset(d->fake->is_missing, 0, sizeof(d->fake->is_missing));
	d->fake->is_failing = 0;
	stopped = keeper_stop(&d->keeper, NULL, NULL);
	CHECK_INT(stopped.left, count_journal(d));
	for (uint32_t i = 0; i < DESK_PROFILES; i++) {
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
		struct desk d;

		desk_open(&d, KEEPER_LIVE, "", "[limits]\nshortest = 0s\nwrites = 100\n");
		for (uint32_t i = 0; i < DESK_PROFILES; i++)
			o.seen[i] = o.original[i] = original;
		for (int i = 0; i < 40; i++)
			turn(&d, &rng, &o);
		check_end(&d, &o);
		kept += count_journal(&d);
		desk_close(&d);
	}
	CHECK(kept > 10);
}
