/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper_edges.c -- boundary values of the keeper's comparisons, and changes by others at the
 * worst moment. */
#define _GNU_SOURCE
#include "tests/keeper_fixture.h"

static void lose(struct fixture *d, uint32_t profile, uint64_t drops)
{
	d->fake->counters[profile].since_start[KEEPER_DROPS] += drops;
}

/* The baseline is a hundred drops per interval. After a change two hundred are tolerated with
 * guard-factor = 2; two hundred and one are not. */
TEST(test_keeper_guard_rolls_back_above_worse_times_the_baseline)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "hold-down = 100s", "");
	for (int i = 0; i < 30; i++) {
		lose(&d, 0, 100);
		lose(&d, 1, 100);
		fixture_step(&d);
	}
	d.desired = fixture_setting(90000, 180000, 10);
	lose(&d, 0, 100);
	lose(&d, 1, 100);
	fixture_step(&d);
	CHECK_INT(d.fake->writes, 3);
	lose(&d, 0, 200);
	lose(&d, 1, 201);
	fixture_step(&d);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 1);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	CHECK_INT(d.fake->has[1].min_bytes, 100000);
	fixture_close(&d);
}

/* Hardware state that cannot be read raises no alarm: the change is reported as unverified and
 * stays. */
static enum keeper_following knows_nothing(void *driver, uint32_t profile,
					   const struct keeper_setting *setting,
					   struct weir_error *e)
{
	(void)driver;
	(void)profile;
	(void)setting;
	weir_error_set(e, "there is no such object");
	return KEEPER_UNKNOWN;
}

TEST(test_keeper_leaves_what_cannot_be_verified_and_says_so_once)
{
	struct keeper_driver_ops driver = fake_driver;
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "verify = 15s", "");
	driver.follows = knows_nothing;
	d.plan.driver = &driver;
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 10);
	CHECK_INT(d.events[KEEPER_IS_ALARM], 0);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 0);
	CHECK_INT(d.events[KEEPER_IS_UNVERIFIED], 3);
	CHECK_INT(d.fake->writes, 3);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	fixture_close(&d);
}

/* The operator writes between the keeper's read at the beginning of a step and its write at the
 * end. */
struct hasty {
	struct fake_switch fake; /* first member: the driver's functions cast to it */
	uint32_t reads, comes_at;
};

static const struct keeper_setting operators = { 50000, 60000, 200000 };

static enum keeper_reading hasty_read(void *driver, uint32_t profile,
				      struct keeper_setting *setting, struct weir_error *e)
{
	struct hasty *h = driver;

	if (++h->reads == h->comes_at)
		h->fake.has[0] = operators;
	return fake_read(driver, profile, setting, e);
}

TEST(test_keeper_reads_the_profile_again_before_it_writes)
{
	struct keeper_driver_ops driver = fake_driver;
	struct hasty hasty = { .reads = 0 };
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	hasty.fake = d.own;
	driver.read = hasty_read;
	d.plan.driver = &driver;
	d.fake = &hasty.fake;
	d.keeper.driver = &hasty;
	fixture_steps(&d, 3);
	d.desired = fixture_setting(90000, 180000, 10);
	hasty.comes_at = hasty.reads + FIXTURE_PROFILES + 1; /* the check before the write */
	fixture_step(&d);
	CHECK(keeper_setting_equals(&hasty.fake.has[0], &operators));
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	CHECK_INT(hasty.fake.writes_of[0], 0);
	CHECK_INT(hasty.fake.writes_of[1], 1);
	fixture_close(&d);
}

static const struct keeper_bounds bounds = {
	.min_from_bytes = 1000,
	.min_to_bytes = 120000,
	.max_from_bytes = 1000,
	.max_to_bytes = 105000,
	.step_q32 = WEIR_ONE_Q32 / 10,
	.p_from_q32 = WEIR_ONE_Q32 / 100,
	.p_to_q32 = WEIR_ONE_Q32 * 105 / 1000,
	.p_step_q32 = WEIR_ONE_Q32 / 20,
};

/* Each value moves as far as it may: min to 110000, max to its bound of 105000; min is then lowered
 * to max. */
TEST(test_keeper_setting_has_its_min_at_most_at_its_max)
{
	const struct keeper_setting now = { 100000, 104000, 90000 };
	const struct weir_tune_knobs desired = fixture_setting(150000, 150000, 9);
	struct keeper_setting to;

	CHECK_INT(keeper_setting_allow(&now, &desired, &bounds, 10000, &to), 0);
	CHECK_INT(to.max_bytes, 105000);
	CHECK_INT(to.min_bytes, 105000);
}

/* The bound of p is 10.5 % and the hardware counts percents: 11 % would be nearest, 10 % is the
 * largest allowed. */
TEST(test_keeper_setting_rounds_p_to_the_hardware_inside_its_bounds)
{
	const struct keeper_setting now = { 50000, 100000, 90000 };
	const struct weir_tune_knobs desired = fixture_setting(50000, 100000, 60);
	struct keeper_setting to;

	CHECK_INT(keeper_setting_allow(&now, &desired, &bounds, 10000, &to), 0);
	CHECK_INT(to.p_ppm, 100000);
}

/* A change is on probation for three intervals, during which no other change is made. */
TEST(test_keeper_makes_no_second_change_while_the_first_is_watched)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "guard = 3\nverify = 0s", "[limits]\nmin-interval = 0s");
	fixture_steps(&d, 3);
	for (uint32_t i = 0; i < 5; i++) {
		d.desired = fixture_setting(99000 - 1000 * i, 180000, 10);
		fixture_step(&d);
		CHECK_INT(d.fake->writes_of[0], i < 3 ? 1 : 2);
	}
	fixture_close(&d);
}

/* Without guards, too, a second change waits until the hardware has the first. */
TEST(test_keeper_makes_no_second_change_before_the_hardware_has_the_first)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "guard = 0\nverify = 100s", "[limits]\nmin-interval = 0s");
	d.fake->hardware_ignores = 1;
	for (uint32_t i = 0; i < 6; i++) {
		d.desired = fixture_setting(99000 - 1000 * i, 180000, 10);
		fixture_step(&d);
	}
	CHECK_INT(d.fake->writes_of[0], 1);
	d.fake->hardware[0] = d.fake->has[0];
	fixture_steps(&d, 2);
	CHECK_INT(d.fake->writes_of[0], 2);
	fixture_close(&d);
}

/* An operator may choose exactly the original setting. */
TEST(test_keeper_yields_to_an_operator_who_sets_the_original)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "", "");
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 5);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	d.fake->has[0] = (struct keeper_setting){ 100000, 200000, 100000 };
	fixture_step(&d);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	CHECK_INT(d.fake->has[0].min_bytes, 100000);
	fixture_close(&d);
}

/* A queue of 300 bytes that has emptied, and a maximum of 100 since: the mean cannot be 150. */
TEST(test_keeper_telemetry_has_no_mean_queue_above_the_highest)
{
	const struct keeper_counters before = { .queue_bytes = 300, .rate_bps = 1000000000 };
	const struct keeper_counters after = { .watermark_bytes = 100, .rate_bps = 1000000000 };
	struct weir_tune_telemetry t;

	CHECK_INT(keeper_telemetry(&before, &after, WEIR_NS_PER_S, 1500, &t), 0);
	CHECK_INT(t.queue_max_bytes, 100);
	CHECK_INT(t.queue_mean_bytes, 100);
}

/* Drops while the switch was unreachable are not attributed to a change: counters start anew. */
TEST(test_keeper_does_not_blame_a_change_for_what_happened_while_the_switch_was_away)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "verify = 0s", "");
	fixture_steps(&d, 3);
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_step(&d);
	CHECK_INT(d.fake->writes, 3);
	d.fake->is_away = 1;
	fixture_steps(&d, 2);
	lose(&d, 0, 1000);
	d.fake->is_away = 0;
	fixture_steps(&d, 3);
	CHECK_INT(d.events[KEEPER_IS_FOUND], 1);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 0);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	fixture_close(&d);
}

/* The only canary is owned by an operator: without a canary the other profiles are not tuned. */
TEST(test_keeper_tunes_nothing_where_no_canary_is_left)
{
	struct fixture d;

	fixture_open(&d, KEEPER_LIVE, "canary-for = 60s", "");
	d.plan.profiles[1].limits.canary = 1;
	fixture_steps(&d, 2);
	d.fake->has[1] = operators;
	d.desired = fixture_setting(90000, 180000, 10);
	fixture_steps(&d, 20);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	CHECK_INT(d.fake->writes, 0);
	fixture_close(&d);
}
