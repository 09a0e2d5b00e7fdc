/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper_edges.c -- the keeper at the edges of what it compares, and a switch that changes
 * under its hands. */
#define _GNU_SOURCE
#include "tests/keeper_desk.h"

static void lose(struct desk *d, uint32_t profile, uint64_t drops)
{
	d->fake->counters[profile].since_start[KEEPER_DROPS] += drops;
}

/* A hundred drops an interval are normal. After a change two hundred are twice that, and not worse
 * than guard-worse = 2 says; two hundred and one are. */
TEST(test_keeper_guard_takes_back_above_worse_times_what_was_normal)
{
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "hold-off = 100s", "");
	for (int i = 0; i < 30; i++) {
		lose(&d, 0, 100);
		lose(&d, 1, 100);
		desk_step(&d);
	}
	d.wish = desk_line(90000, 180000, 10);
	lose(&d, 0, 100);
	lose(&d, 1, 100);
	desk_step(&d);
	CHECK_INT(d.fake->writes, 3);
	lose(&d, 0, 200);
	lose(&d, 1, 201);
	desk_step(&d);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 1);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	CHECK_INT(d.fake->has[1].min_bytes, 100000);
	desk_close(&d);
}

/* What no hardware is asked about raises no alarm: it is said to be unverified, and stays. */
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
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "verify = 15s", "");
	driver.follows = knows_nothing;
	d.plan.driver = &driver;
	d.wish = desk_line(90000, 180000, 10);
	desk_steps(&d, 10);
	CHECK_INT(d.events[KEEPER_IS_ALARM], 0);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 0);
	CHECK_INT(d.events[KEEPER_IS_UNVERIFIED], 3);
	CHECK_INT(d.fake->writes, 3);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	desk_close(&d);
}

/* The operator comes between the keeper's reading at the beginning of a step and its writing at the
 * end. */
struct hasty {
	struct fake_switch fake; /* first: the driver's functions take it for this */
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

TEST(test_keeper_looks_again_before_it_writes)
{
	struct keeper_driver_ops driver = fake_driver;
	struct hasty hasty = { .reads = 0 };
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "", "");
	hasty.fake = d.own;
	driver.read = hasty_read;
	d.plan.driver = &driver;
	d.fake = &hasty.fake;
	d.keeper.driver = &hasty;
	desk_steps(&d, 3);
	d.wish = desk_line(90000, 180000, 10);
	hasty.comes_at = hasty.reads + DESK_PROFILES + 1; /* the first look before writing */
	desk_step(&d);
	CHECK(keeper_setting_equals(&hasty.fake.has[0], &operators));
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	CHECK_INT(hasty.fake.writes_of[0], 0);
	CHECK_INT(hasty.fake.writes_of[1], 1);
	desk_close(&d);
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

/* Each goes as far as it may by itself: min to 110000, max to 105000, its bound; min follows it. */
TEST(test_keeper_setting_has_its_min_at_most_at_its_max)
{
	const struct keeper_setting now = { 100000, 104000, 90000 };
	const struct weir_tune_knobs wish = desk_line(150000, 150000, 9);
	struct keeper_setting to;

	CHECK_INT(keeper_setting_allow(&now, &wish, &bounds, 10000, &to), 0);
	CHECK_INT(to.max_bytes, 105000);
	CHECK_INT(to.min_bytes, 105000);
}

/* The bound of p is 10.5 %, and the hardware counts percents: 11 % would be the nearest, 10 % is
 * the most. */
TEST(test_keeper_setting_rounds_p_to_the_hardware_inside_its_bounds)
{
	const struct keeper_setting now = { 50000, 100000, 90000 };
	const struct weir_tune_knobs wish = desk_line(50000, 100000, 60);
	struct keeper_setting to;

	CHECK_INT(keeper_setting_allow(&now, &wish, &bounds, 10000, &to), 0);
	CHECK_INT(to.p_ppm, 100000);
}

/* The guards look at a change for three intervals, whatever is wished meanwhile. */
TEST(test_keeper_makes_no_second_change_while_the_first_is_watched)
{
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "guard = 3\nverify = 0s", "[limits]\nshortest = 0s");
	desk_steps(&d, 3);
	for (uint32_t i = 0; i < 5; i++) {
		d.wish = desk_line(99000 - 1000 * i, 180000, 10);
		desk_step(&d);
		CHECK_INT(d.fake->writes_of[0], i < 3 ? 1 : 2);
	}
	desk_close(&d);
}

/* Without guards too a second change waits until the hardware has the first. */
TEST(test_keeper_makes_no_second_change_before_the_hardware_has_the_first)
{
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "guard = 0\nverify = 100s", "[limits]\nshortest = 0s");
	d.fake->is_deaf = 1;
	for (uint32_t i = 0; i < 6; i++) {
		d.wish = desk_line(99000 - 1000 * i, 180000, 10);
		desk_step(&d);
	}
	CHECK_INT(d.fake->writes_of[0], 1);
	d.fake->hardware[0] = d.fake->has[0];
	desk_steps(&d, 2);
	CHECK_INT(d.fake->writes_of[0], 2);
	desk_close(&d);
}

/* An operator may want just what there was before the keeper came. */
TEST(test_keeper_yields_to_an_operator_who_sets_the_original)
{
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "", "");
	d.wish = desk_line(90000, 180000, 10);
	desk_steps(&d, 5);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	d.fake->has[0] = (struct keeper_setting){ 100000, 200000, 100000 };
	desk_step(&d);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	CHECK_INT(d.fake->has[0].min_bytes, 100000);
	desk_close(&d);
}

/* A queue of 300 bytes that has emptied, and a highest of 100 since: its mean cannot have been
 * 150. */
TEST(test_keeper_telemetry_has_no_mean_queue_above_the_highest)
{
	const struct keeper_counters before = { .queue_bytes = 300, .rate_bps = 1000000000 };
	const struct keeper_counters after = { .watermark_bytes = 100, .rate_bps = 1000000000 };
	struct weir_tune_telemetry t;

	CHECK_INT(keeper_telemetry(&before, &after, WEIR_NS_PER_S, 1500, &t), 0);
	CHECK_INT(t.queue_max_bytes, 100);
	CHECK_INT(t.queue_mean_bytes, 100);
}

/* Drops while the switch did not answer are not caused by a change: counters begin anew. */
TEST(test_keeper_does_not_blame_a_change_for_what_happened_while_the_switch_was_away)
{
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "verify = 0s", "");
	desk_steps(&d, 3);
	d.wish = desk_line(90000, 180000, 10);
	desk_step(&d);
	CHECK_INT(d.fake->writes, 3);
	d.fake->is_away = 1;
	desk_steps(&d, 2);
	lose(&d, 0, 1000);
	d.fake->is_away = 0;
	desk_steps(&d, 3);
	CHECK_INT(d.events[KEEPER_IS_FOUND], 1);
	CHECK_INT(d.events[KEEPER_DID_ROLL_BACK], 0);
	CHECK_INT(d.fake->has[0].min_bytes, 90000);
	desk_close(&d);
}

/* The only canary was taken over by an operator: nobody tries changes first, so the others get
 * none. */
TEST(test_keeper_tunes_nothing_where_no_canary_is_left)
{
	struct desk d;

	desk_open(&d, KEEPER_LIVE, "canary-for = 60s", "");
	d.plan.profiles[1].limits.canary = 1;
	desk_steps(&d, 2);
	d.fake->has[1] = operators;
	d.wish = desk_line(90000, 180000, 10);
	desk_steps(&d, 20);
	CHECK_INT(d.events[KEEPER_DID_YIELD], 1);
	CHECK_INT(d.fake->writes, 0);
	desk_close(&d);
}
