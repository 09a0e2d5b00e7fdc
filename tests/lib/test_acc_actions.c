/* SPDX-License-Identifier: BSD-3-Clause */
/* test_acc_actions.c -- ACC's tables of settings: how many, which, and as which knobs. */
#include "lib/agent/acc.h"
#include "tests/agent_fixture.h"

static const struct weir_agent_queue port_25g = { .rate_bps = 25000000000, .mtu_bytes = 1500 };

static struct acc_params params_of(const char *spec)
{
	struct agent_fixture d;

	agent_fixture_set(&d, spec, 0);
	return *(const struct acc_params *)(const void *)d.params;
}

static void check_setting(const char *spec, uint32_t setting, struct weir_tune_knobs expected,
			  double percent)
{
	struct acc_params p = params_of(spec);
	struct weir_tune_knobs k = weir_acc_knobs(&p, setting, &port_25g);

	CHECK_INT(k.min_bytes, expected.min_bytes);
	CHECK_INT(k.max_bytes, expected.max_bytes);
	if (k.min_bytes < k.max_bytes)
		CHECK_NEAR(knobs_percent(&k), percent, 1e-3);
}

TEST(test_acc_tables_have_the_papers_sizes)
{
	CHECK_INT(weir_acc_setting_count(ACC_TEMPLATE), 20);
	CHECK_INT(weir_acc_setting_count(ACC_GRID), 30 * 21);
	CHECK_INT(weir_acc_setting_count(ACC_SQUARE), 55 * 20);
	CHECK_INT(weir_acc_setting_count(ACC_PRED), 4 * 3 * 21);
	CHECK_INT(weir_acc_setting_count(ACC_BOTH_ENDS), 12);
	CHECK_INT(weir_acc_setting_count(ACC_FRONT), 16);
}

TEST(test_acc_tables_hold_worked_entries)
{
	/* (20, 1 MB): 5, 25, 50, 100 %; then 40 KB ... */
	check_setting("acc(preset=paper)", 0, (struct weir_tune_knobs){ 20000, 1000000, 0 }, 5);
	check_setting("acc(preset=paper)", 3, (struct weir_tune_knobs){ 20000, 1000000, 0 }, 100);
	check_setting("acc(preset=paper)", 6, (struct weir_tune_knobs){ 40000, 1000000, 0 }, 50);
	check_setting("acc(preset=paper)", 19, (struct weir_tune_knobs){ 640000, 1000000, 0 }, 100);
	/* six K_min up to 640 KB have four K_max, 1280 three, 2560 two, 5120 one */
	check_setting("acc(preset=paper, actions=grid)", 0,
		      (struct weir_tune_knobs){ 20000, 1000000, 0 }, 1);
	check_setting("acc(preset=paper, actions=grid)", 21,
		      (struct weir_tune_knobs){ 20000, 2000000, 0 }, 1);
	check_setting("acc(preset=paper, actions=grid)", 24 * 21 + 1,
		      (struct weir_tune_knobs){ 1280000, 2000000, 0 }, 5);
	check_setting("acc(preset=paper, actions=grid)", 629,
		      (struct weir_tune_knobs){ 5120000, 10000000, 0 }, 100);
	/* a step first, and the last is one, too */
	check_setting("acc(preset=paper, actions=square)", 0,
		      (struct weir_tune_knobs){ 20000, 20000, 0 }, 5);
	check_setting("acc(preset=paper, actions=square)", 10 * 20,
		      (struct weir_tune_knobs){ 40000, 40000, 0 }, 5);
	check_setting("acc(preset=paper, actions=square)", 1099,
		      (struct weir_tune_knobs){ 10240000, 10240000, 0 }, 100);
	/* in packets of 1500 bytes */
	check_setting("acc(preset=paper, actions=pred)", 0,
		      (struct weir_tune_knobs){ 3000, 30000, 0 }, 1);
	check_setting("acc(preset=paper, actions=pred)", 251,
		      (struct weir_tune_knobs){ 24000, 150000, 0 }, 100);
}

TEST(test_acc_table_of_weir_holds_the_best_constant_of_every_family)
{
	static const struct {
		uint64_t min_kb, max_kb;
		double percent;
	} must[] = {
		{ 5, 200, 100 },  { 20, 1000, 25 },  { 20, 1000, 100 },  { 640, 1000, 5 },
		{ 20, 10000, 5 }, { 20, 10000, 25 }, { 20, 10000, 100 }, { 2560, 10000, 100 },
	};
	struct acc_params p = params_of("acc(preset=weir)");
	uint32_t steps = 0;

	for (size_t m = 0; m < sizeof(must) / sizeof(must[0]); m++) {
		uint32_t found = 0;

		for (uint32_t i = 0; i < weir_acc_outputs(&p); i++) {
			struct weir_tune_knobs k = weir_acc_knobs(&p, i, &port_25g);
			double off = knobs_percent(&k) - must[m].percent;

			found += k.min_bytes == must[m].min_kb * 1000 &&
				 k.max_bytes == must[m].max_kb * 1000 && off > -0.01 && off < 0.01;
			steps += m == 0 && k.min_bytes == 20000 && k.max_bytes == 20000;
		}
		CHECK_INT(found, 1);
	}
	CHECK_INT(steps, 1);
}

static int is_sorted_pair(const struct weir_tune_knobs *a, const struct weir_tune_knobs *b)
{
	if (a->min_bytes != b->min_bytes)
		return a->min_bytes < b->min_bytes;
	if (a->max_bytes != b->max_bytes)
		return a->max_bytes < b->max_bytes;
	/* a step is one, whatever its P_max */
	return a->slope_q32 < b->slope_q32 || a->min_bytes == a->max_bytes;
}

TEST(test_acc_settings_are_ordered_and_none_has_min_above_max)
{
	static const char *const specs[] = { "acc(preset=paper, actions=template)",
					     "acc(preset=paper, actions=grid)",
					     "acc(preset=paper, actions=square)",
					     "acc(preset=paper, actions=pred)",
					     "acc(preset=paper, actions=weir)",
					     "acc(preset=paper, actions=grid, thresholds=rate)" };

	for (size_t s = 0; s < sizeof(specs) / sizeof(specs[0]); s++) {
		struct acc_params p = params_of(specs[s]);
		struct weir_tune_knobs last = { 0, 0, 0 };

		for (uint32_t i = 0; i < weir_acc_outputs(&p); i++) {
			struct weir_tune_knobs k = weir_acc_knobs(&p, i, &port_25g);

			CHECK(k.min_bytes <= k.max_bytes);
			CHECK(is_sorted_pair(&last, &k));
			last = k;
		}
	}
}

TEST(test_acc_thresholds_may_go_with_the_rate)
{
	struct weir_agent_queue port_100g = { .rate_bps = 100000000000, .mtu_bytes = 1500 };
	struct acc_params fixed = params_of("acc(preset=paper)"),
			  by_rate = params_of("acc(preset=paper, thresholds=rate)");
	struct weir_tune_knobs k = weir_acc_knobs(&fixed, 3, &port_100g);

	CHECK_INT(k.min_bytes, 20000);
	k = weir_acc_knobs(&by_rate, 3, &port_100g);
	CHECK_INT(k.min_bytes, 80000);
	CHECK_INT(k.max_bytes, 4000000);
	CHECK_NEAR(knobs_percent(&k), 100, 1e-3);
}

TEST(test_acc_begins_with_secn2_of_the_link)
{
	struct agent_fixture d;

	agent_fixture_set(&d, "acc(preset=paper, learn=no)", 2);
	d.queues[1].rate_bps = 100000000000;
	agent_fixture_begin(&d);
	CHECK_INT(d.knobs[0].min_bytes, 100000);
	CHECK_INT(d.knobs[0].max_bytes, 400000);
	CHECK_NEAR(knobs_percent(&d.knobs[0]), 20, 1e-3);
	CHECK_INT(d.knobs[1].min_bytes, 400000);
	CHECK_INT(d.knobs[1].max_bytes, 1600000);
	/* In the order of the template 100 KB are behind those of 80 and before those of 160, 400
	 * before 640. */
	CHECK_INT(agent_fixture_value(&d, "action", 0), 12);
	CHECK_INT(agent_fixture_value(&d, "action", 1), 16);
	agent_fixture_close(&d);
}

TEST(test_acc_may_begin_with_what_the_marking_has)
{
	struct agent_fixture d;

	agent_fixture_set(&d, "acc(preset=paper, learn=no, start=given)", 1);
	d.knobs[0] = (struct weir_tune_knobs){ 9000000, 9500000, WEIR_ONE_Q32 };
	agent_fixture_begin(&d);
	CHECK_INT(d.knobs[0].min_bytes, 9000000);
	CHECK_INT(agent_fixture_value(&d, "action", 0), 19);
	agent_fixture_close(&d);
}

/* 7 of 20: 0, 3, 6, 9, 12, 15, 19. Action 5 + 7 * 0 + 49 * 6. */
TEST(test_acc_of_a_network_gives_each_group_its_digit)
{
	struct acc_params p = params_of("acc(preset=paper, scope=network)");
	struct weir_agent_queue q = { .group = WEIR_AGENT_TO_HOST };

	CHECK_INT(weir_acc_inputs(&p), 36);
	CHECK_INT(weir_acc_outputs(&p), 343);
	CHECK_INT(weir_acc_setting_of(&p, 5 + 49 * 6, &q), 15);
	q.group = WEIR_AGENT_UP;
	CHECK_INT(weir_acc_setting_of(&p, 5 + 49 * 6, &q), 0);
	q.group = WEIR_AGENT_DOWN;
	CHECK_INT(weir_acc_setting_of(&p, 5 + 49 * 6, &q), 19);
}
