/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper.c -- the keeper's state machine over a fake switch: three profiles of 100KB, 200KB
 * and 10 %; a step is 10 s. */
#define _GNU_SOURCE
#include "tests/keeper_fixture.h"
#include "weir/rng.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

static const struct keeper_setting original = { 100000, 200000, 100000 };

static void check_setting(const struct keeper_setting *s, uint64_t min, uint64_t max, uint32_t ppm)
{
	CHECK_INT(s->min_bytes, min);
	CHECK_INT(s->max_bytes, max);
	CHECK_INT(s->p_ppm, ppm);
}

/* --- tuning --- */

TEST(test_keeper_approaches_a_desired_setting_in_steps_within_bounds)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "[limits]\nmax-to = 300KB\nmin-to = 130KB\n");
	d.desired = fixture_setting(400000, 900000, 60);
	fixture_step(&d);
	fixture_step(&d); /* establishes the baseline */
	check_setting(&d.fake->has[0], 130000, 300000, 200000);
	fixture_steps(&d, 20);
	check_setting(&d.fake->has[0], 130000, 300000, 600000);
	CHECK_INT(d.events[KEEPER_DID_WRITE], 3 * 5);
	fixture_close(&d);
}

TEST(test_keeper_writes_nothing_where_nothing_is_to_change)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	fixture_steps(&d, 20);
	CHECK_INT(d.fake->writes, 0);
	CHECK(access(d.journal, F_OK) != 0);
	fixture_close(&d);
}

TEST(test_keeper_only_says_what_it_would_do_when_dry)
{
	struct fixture d;

	fixture_open(&d, KEEPER_DRY, "", "");
	d.desired = fixture_setting(50000, 150000, 10);
	fixture_steps(&d, 5);
	CHECK_INT(d.fake->writes, 0);
	CHECK(d.events[KEEPER_WOULD_WRITE] > 0);
	CHECK(access(d.journal, F_OK) != 0);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK_INT(d.fake->writes, 0);
	fixture_close(&d);
}

TEST(test_keeper_rejects_invalid_desired_settings)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	d.desired = (struct weir_tune_knobs){ 200000, 100000, 0 }; /* min above max */
	fixture_steps(&d, 3);
	d.desired = (struct weir_tune_knobs){ UINT64_MAX, UINT64_MAX,
					      UINT64_MAX }; /* the conversion of NaN */
	fixture_steps(&d, 3);
	CHECK_INT(d.fake->writes, 0);
	CHECK_INT(d.events[KEEPER_DID_REFUSE], 18);
	fixture_close(&d);
}

TEST(test_keeper_does_not_manage_settings_outside_its_limits)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "[limits]\nmin-to = 90KB\n");
	d.desired = fixture_setting(50000, 150000, 10);
	fixture_steps(&d, 5);
	CHECK_INT(d.fake->writes, 0);
	CHECK_INT(d.events[KEEPER_IS_UNFIT], 3);
	fixture_close(&d);
}

/* --- operators and hardware --- */

TEST(test_keeper_yields_to_an_operator_and_does_not_restore_what_is_theirs)
{
	const struct keeper_setting theirs = { 70000, 80000, 50000 };
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 3);
	d.fake->has[1] = theirs;
	d.desired = fixture_setting(60000, 120000, 10);
	fixture_steps(&d, 5);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	CHECK(keeper_setting_equals(&d.fake->has[1], &theirs));
	check_setting(&d.fake->has[0], 60000, 120000, 100000);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK(keeper_setting_equals(&d.fake->has[1], &theirs));
	CHECK(access(d.journal, F_OK) != 0);
	fixture_close(&d);
}

TEST(test_keeper_resumes_a_yielded_profile_with_a_new_original)
{
	const struct keeper_setting theirs = { 70000, 80000, 50000 };
	struct weir_error e = { "" };
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	fixture_steps(&d, 2);
	d.fake->has[1] = theirs;
	fixture_step(&d);
	CHECK_INT(keeper_resume_profile(&d.keeper, "a", &e), -1);
	CHECK_INT(keeper_resume_profile(&d.keeper, "b", &e), 0);
	d.desired = fixture_setting(60000, 90000, 5);
	fixture_steps(&d, 6);
	check_setting(&d.fake->has[1], 60000, 90000, 50000);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[1], &theirs));
	fixture_close(&d);
}

TEST(test_keeper_raises_an_alarm_when_the_hardware_does_not_follow)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "verify = 15s", "");
	d.fake->hardware_ignores = 1;
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 3);
	CHECK_INT(d.events[KEEPER_IS_ALARM],
		  0); /* 10 s after the write the hardware may still follow */
	fixture_steps(&d, 10);
	CHECK_INT(d.events[KEEPER_IS_ALARM], 3);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 3);
	CHECK_INT(d.fake->writes, 6);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	fixture_close(&d);
}

TEST(test_keeper_gives_the_hardware_exactly_as_long_as_verify_says)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "verify = 20s", "");
	fixture_steps(&d, 2);
	d.fake->hardware_ignores = 1;
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_step(&d); /* writes */
	CHECK_INT(d.fake->writes, 3);
	fixture_step(&d);
	CHECK_INT(d.events[KEEPER_IS_ALARM], 0);
	fixture_step(&d); /* 20 s later */
	CHECK_INT(d.events[KEEPER_IS_ALARM], 3);
	fixture_close(&d);
}

TEST(test_keeper_pauses_tuning_while_a_counter_is_missing_and_says_why)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	fixture_steps(&d, 3);
	d.fake->is_uncounted[1] = 1;
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 5);
	CHECK_INT(d.fake->writes_of[0], 1);
	CHECK_INT(d.fake->writes_of[1], 0);
	CHECK_INT(d.events[KEEPER_IS_UNFIT], 1);
	CHECK_STR(d.keeper.profiles[1].why, "no reply");
	d.fake->is_uncounted[1] = 0;
	fixture_steps(&d, 3);
	CHECK_INT(d.fake->writes_of[1], 1);
	fixture_close(&d);
}

/* --- guards --- */

/* The baseline moves a quarter of the way to each count: after 0 and 1000 drops it is 250, and 500
 * are tolerated. */
TEST(test_keeper_baseline_is_a_moving_average_of_weight_one_quarter)
{
	for (int drops = 500; drops <= 501; drops++) {
		struct fixture d;

		fixture_open(&d, KEEPER_LIVE, "", "");
		fixture_steps(&d, 2);
		d.fake->counters[0].since_start[KEEPER_DROPS] += 1000;
		fixture_step(&d);
		d.desired = fixture_setting(90000, 180000, 10);
		d.fake->counters[0].since_start[KEEPER_DROPS] += 250; /* at the baseline */
		fixture_step(&d);
		CHECK_INT(d.fake->writes_of[0], 1);
		d.fake->counters[0].since_start[KEEPER_DROPS] += (uint64_t)drops;
		fixture_step(&d);
		CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], drops > 500);
		fixture_close(&d);
	}
}

TEST(test_keeper_rolls_back_when_drops_get_worse_and_holds_down)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "hold-down = 100s", "");
	fixture_steps(&d, 3);
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_step(&d);
	CHECK_INT(d.fake->writes, 3);
	d.fake->counters[0].since_start[KEEPER_DROPS] += 11; /* guard-least is 10 */
	d.fake->counters[1].since_start[KEEPER_DROPS] += 9;
	fixture_step(&d);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK_INT(d.fake->has[1].min_bytes, 90000);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 1);
	CHECK_CONTAINS(d.last, "11 drops");
	fixture_steps(&d, 9);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	fixture_steps(&d, 3);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	fixture_close(&d);
}

TEST(test_keeper_guard_ignores_drops_at_the_baseline)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	for (int i = 0; i < 8; i++) {
		if (i == 4)
			d.desired = fixture_setting(90000, 180000, 10);
		d.fake->counters[0].since_start[KEEPER_DROPS] += 1000;
		fixture_step(&d);
	}
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 0);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	fixture_close(&d);
}

TEST(test_keeper_tunes_others_only_when_canaries_had_no_trouble)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "canary-for = 60s\nhold-down = 100s", "");
	d.plan.profiles[1].limits.canary = 1;
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 2);
	CHECK_INT(d.fake->has[1].min_bytes, 90000);
	d.fake->counters[1].since_start[KEEPER_PFC_PKTS] += 5000; /* worse after 20 s */
	fixture_step(&d);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 1);
	fixture_steps(&d, 15); /* held down for 100 s; the canary's 60 s without a rollback are over
			       in the sixteenth step */
	CHECK_INT(d.fake->has[1].min_bytes, 90000);
	CHECK_INT(d.fake->has[0].min_bytes, 100000);
	fixture_steps(&d, 2);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	CHECK_INT(d.fake->has[2].min_bytes, 90000);
	fixture_close(&d);
}

/* --- an unreachable switch --- */

TEST(test_keeper_survives_a_switch_that_is_away_and_one_that_restarts)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 3);
	d.fake->is_away = 1;
	fixture_steps(&d, 4);
	CHECK_INT(d.events[KEEPER_IS_LOST], 1);
	d.fake->is_away = 0;
	for (uint32_t i = 0; i < FIXTURE_PROFILES;
	     i++) { /* it boots with its saved configuration */
		d.fake->has[i] = d.fake->hardware[i] = original;
		d.fake->counters[i].since_start[KEEPER_OUT_BYTES] = 0;
	}
	fixture_step(&d);
	CHECK_INT(d.events[KEEPER_IS_FOUND], 1);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 0);
	fixture_steps(&d, 3);
	check_setting(&d.fake->has[0], 90000, 180000, 100000);
	fixture_close(&d);
}

TEST(test_keeper_goes_on_from_the_original_where_a_profile_was_gone_for_a_while)
{
	const struct keeper_setting theirs = { 70000, 80000, 50000 };
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 3);
	d.fake->is_unfit = 1; /* a configuration reload */
	fixture_steps(&d, 2);
	d.fake->is_unfit = 0;
	d.fake->has[0] = d.fake->hardware[0] = original;
	d.fake->has[1] = d.fake->hardware[1] = theirs;
	fixture_steps(&d, 4);
	check_setting(&d.fake->has[0], 90000, 180000, 100000);
	CHECK(keeper_setting_equals(&d.fake->has[1], &theirs));
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	fixture_close(&d);
}

TEST(test_keeper_skips_an_interval_in_which_counters_were_reset)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	fixture_steps(&d, 3);
	d.fake->counters[0].since_start[KEEPER_OUT_BYTES] = 0;
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_step(&d);
	CHECK_INT(d.events[KEEPER_IS_RESET], 1);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	CHECK_INT(d.fake->has[1].min_bytes, 90000);
	fixture_step(&d);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	fixture_close(&d);
}

TEST(test_keeper_recognises_its_own_write_whose_reply_was_lost)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	fixture_steps(&d, 2);
	d.fake->is_failing = 1;
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_step(&d);
	CHECK_INT(d.events[KEEPER_DID_FAIL], 3);
	d.fake->is_failing = 0;
	fixture_steps(&d, 3);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 0);
	CHECK_INT(keeper_stop(&d.keeper, NULL, NULL).left, 0);
	CHECK(keeper_setting_equals(&d.fake->has[0], &original));
	fixture_close(&d);
}

TEST(test_keeper_writes_nothing_that_it_could_not_journal_first)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	d.keeper.journal = "/nowhere/at/all.journal";
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 4);
	CHECK_INT(d.fake->writes, 0);
	CHECK(d.events[KEEPER_DID_FAIL] > 0);
	fixture_close(&d);
}

/* --- random sequences --- */

/* A random setting, sometimes invalid. */
static struct weir_tune_knobs any_desired(struct weir_rng *rng)
{
	uint64_t a = weir_rng_below(rng, 5000000), b = weir_rng_below(rng, 5000000);

	if (weir_rng_below(rng, 10) == 0)
		return (struct weir_tune_knobs){ weir_rng_u64(rng), weir_rng_u64(rng),
						 weir_rng_u64(rng) };
	return fixture_setting(a < b ? a : b, a < b ? b : a, (uint32_t)weir_rng_below(rng, 101));
}

/* Randomly an operator's change, a counter reset, drops, hardware that does not follow, or an
 * unreachable switch. */
static void stir(struct fixture *d, struct weir_rng *rng)
{
	uint32_t i = (uint32_t)weir_rng_below(rng, FIXTURE_PROFILES);
	struct weir_error e;

	d->desired = any_desired(rng);
	d->fake->is_away = weir_rng_below(rng, 20) == 0;
	d->fake->is_failing = weir_rng_below(rng, 20) == 0;
	d->fake->hardware_ignores = weir_rng_below(rng, 50) == 0;
	if (weir_rng_below(rng, 10) == 0)
		d->fake->counters[i].since_start[KEEPER_DROPS] += weir_rng_below(rng, 1000);
	if (weir_rng_below(rng, 30) == 0)
		d->fake->counters[i].since_start[KEEPER_OUT_BYTES] = 0;
	for (i = 0; i < FIXTURE_PROFILES; i++)
		if (weir_rng_below(rng, 5) == 0)
			keeper_resume_profile(&d->keeper, d->plan.profiles[i].name, &e);
}

static int is_near(uint64_t now, uint64_t before)
{
	return now >= before - before / 2 && now <= before + before / 2;
}

struct write_log {
	int64_t at_ns[10000];
	uint32_t count;
};

/* A write was inside bounds and steps, and the rate limit held. */
static void check_write(struct fixture *d, uint32_t i, const struct keeper_setting *before,
			struct write_log *log)
{
	const struct keeper_limits *limits = &d->plan.profiles[i].limits;
	const struct keeper_setting *now = &d->fake->has[i];
	int64_t minute_ns = 60 * (int64_t)WEIR_NS_PER_S;

	CHECK(keeper_setting_is_within(now, &limits->bounds));
	CHECK(now->p_ppm % fake_driver.p_unit_ppm == 0);
	if (d->keeper.profiles[i].state == KEEPER_TUNED) {
		CHECK(is_near(now->min_bytes, before->min_bytes));
		CHECK(is_near(now->max_bytes, before->max_bytes));
	}
	log->at_ns[log->count++] = d->now_ns;
	if (log->count > limits->writes)
		CHECK(d->now_ns - log->at_ns[log->count - 1 - limits->writes] >= minute_ns);
}

TEST(test_keeper_is_never_outside_its_limits_and_never_writes_more_than_allowed)
{
	static struct write_log logs[FIXTURE_PROFILES];
	struct weir_rng rng = weir_rng_make(7, 1, WEIR_RNG_TUNING);
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "hold-down = 60s",
		     "[limits]\nwrites = 4\nmin-interval = 2s\n");
	for (int step = 0; step < 3000; step++) {
		struct keeper_setting before[FIXTURE_PROFILES];
		uint32_t writes[FIXTURE_PROFILES];

		stir(&d, &rng);
		if (step % 100 == 50)
			d.fake->has[step / 100 % FIXTURE_PROFILES] =
				(struct keeper_setting){ 70000, 90000, 50000 };
		memcpy(before, d.fake->has, sizeof(before));
		memcpy(writes, d.fake->writes_of, sizeof(writes));
		fixture_step_after(&d, WEIR_NS_PER_S +
					       (int64_t)weir_rng_below(&rng, 2 * WEIR_NS_PER_S));
		for (uint32_t i = 0; i < FIXTURE_PROFILES; i++) {
			CHECK(d.fake->writes_of[i] - writes[i] <= 1);
			if (d.fake->writes_of[i] != writes[i])
				check_write(&d, i, &before[i], &logs[i]);
		}
	}
	CHECK(d.fake->writes > 100);
	CHECK(d.events[KEEPER_DID_ROLL_BACK] > 5);
	CHECK(d.events[KEEPER_DID_YIELD] > 5);
	fixture_close(&d);
}

/* --- killed at any point --- */

/* Runs a keeper in a child process that exits at the die_in-th driver call. Returns whether it
 * did. */
static int run_killed(struct fixture *d, int die_in)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0) {
		d->fake->die_in = die_in;
		d->keeper.driver = d->fake;
		for (int i = 0; i < 8; i++) {
			d->desired = fixture_setting(90000 - 3000 * (uint64_t)i, 180000, 10);
			fixture_step(d);
		}
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) && WEXITSTATUS(status) == 9;
}

TEST(test_keeper_killed_at_any_point_leaves_a_journal_that_restores_the_originals)
{
	struct fake_switch *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int die_in = 1, killed = 1, touched = 0;
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	for (; killed; die_in++) {
		struct keeper_record *records;
		struct weir_error e = { "" };
		uint32_t count;

		*shared = d.own;
		d.fake = shared;
		killed = run_killed(&d, die_in);
		shared->die_in = 0;
		CHECK_INT(keeper_journal_load(d.journal, &records, &count, &e), 0);
		touched += !keeper_setting_equals(&shared->has[0], &original);
		CHECK_INT(keeper_restore(
				  &(struct keeper_restoring){ .plan = &d.plan, .driver = shared },
				  records, count),
			  0);
		for (uint32_t i = 0; i < FIXTURE_PROFILES; i++)
			CHECK(keeper_setting_equals(&shared->has[i], &original));
		free(records);
		keeper_journal_remove(d.journal);
	}
	CHECK(die_in > 50);
	CHECK(touched > 20);
	fixture_close(&d);
	munmap(shared, sizeof(*shared));
}
