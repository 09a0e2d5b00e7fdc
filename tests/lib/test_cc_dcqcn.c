/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_dcqcn.c -- dcqcn by direct calls: traces by hand, presets and options. */
#include "tests/pair.h"

/* --- dcqcn: Zhu et al., SIGCOMM 2015 --- */

/* By hand at 40 Gb/s: alpha is 1, so the first notification leaves 20 and makes 40 the target. Five
 * rounds of 55 us halve the distance. */
TEST(test_dcqcn_first_notification_halves_and_five_rounds_recover)
{
	static const uint64_t after[] = { 20000, 30000, 35000, 37500, 38750, 39375 };
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper)", 40 * GBPS);
	CHECK_INT(q.ops->needs, WEIR_CC_NEEDS_CNP);
	CHECK_INT(mbps(&q), 40000);
	cnp_at(&q, US(100));
	for (int i = 0; i < 6; i++) {
		CHECK_INT(pace(&q)->rate_bps, after[i] * MBPS);
		CHECK_INT(pace(&q)->wake_ns, US(155 + 55 * i));
		run_to(&q, pace(&q)->wake_ns - 1);
		CHECK_INT(mbps(&q), after[i]);
		run_to(&q, q.now_ns + 1);
	}
}

/* Two notifications 50 us apart, alpha 1 for both: 40, 20, 10 with target 20. Rounds: 15, 17.5,
 * 18.75, 19.375, 19.6875. Then the target rises by R_AI = 40 Mb/s a round: (19.6875 + 20.04) / 2 =
 * 19.86375, (19.86375 + 20.08) / 2 = 19.971875. */
TEST(test_dcqcn_additive_increase_follows_fast_recovery)
{
	static const uint64_t kbps[] = { 15000000, 17500000, 18750000, 19375000,
					 19687500, 19863750, 19971875 };
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper)", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(51));
	CHECK_INT(mbps(&q), 10000);
	for (int i = 0; i < 7; i++) {
		run_to(&q, US(51 + 55 * (i + 1)));
		CHECK_INT(pace(&q)->rate_bps, kbps[i] * 1000);
	}
}

/* The same with no byte counter: after five rounds and one of additive increase the target rises by
 * R_HAI = 200 Mb/s, to 20.24: (19.86375 + 20.24) / 2 = 20.051875, then (that + 20.44) / 2 =
 * 20.2459375. */
TEST(test_dcqcn_hyper_increase_follows_additive)
{
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper, byte-counter=unlimited)", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(51));
	run_to(&q, US(51 + 55 * 6));
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(19863750) * 1000);
	run_to(&q, US(51 + 55 * 7));
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(20051875) * 1000);
	run_to(&q, US(51 + 55 * 8));
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(202459375) * 100);
}

/* Bytes end rounds as time does. From 10 Gb/s and target 20, with timers of a second: five counters
 * of 10 MB make 19.6875, then R_AI. Hyper increase needs more than five rounds of both. */
TEST(test_dcqcn_bytes_end_rounds_too)
{
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper, increase-timer=1s)", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(51));
	send_now(&q, 10 * 1000 * 1000 - MTU);
	CHECK_INT(mbps(&q), 10000);
	send_now(&q, MTU);
	CHECK_INT(mbps(&q), 15000);
	send_now(&q, 4 * 10 * 1000 * 1000);
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(19687500) * 1000);
	send_now(&q, 10 * 1000 * 1000);
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(19863750) * 1000);
	send_now(&q, 10 * 1000 * 1000);
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(19971875) * 1000);
}

/* Both at 20.08 after seven rounds by bytes; six rounds by time add R_AI each and the seventh
 * R_HAI. Targets 20.32 and 20.52; far from a cut the rate is within 0.02 of the mean before
 * each. */
TEST(test_dcqcn_hyper_increase_needs_rounds_of_both)
{
	struct pair q;
	uint64_t before;

	pair_make(&q, "dcqcn(preset=paper)", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(51));
	send_now(&q, 7 * 10 * 1000 * 1000);
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(19971875) * 1000);
	run_to(&q, US(51 + 55 * 6));
	/* target 20.08 + 6 x 0.04 = 20.32; d -> (d + 0.04) / 2 from d = 20.08 - 19.971875 =
	 * 0.108125 six times: 0.04 + (0.068125) / 64 = 0.041064453125 */
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(20320000000) - 41064453);
	before = pace(&q)->rate_bps;
	run_to(&q, US(51 + 55 * 7));
	CHECK_INT(pace(&q)->rate_bps - before, (UINT64_C(20520000000) - before + 1) / 2);
}

/* A cut starts rounds anew: bytes that were counted before it do not count. */
TEST(test_dcqcn_a_cut_begins_all_rounds_again)
{
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper)", 40 * GBPS);
	cnp_at(&q, US(1));
	send_now(&q, 9 * 1000 * 1000);
	cnp_at(&q, US(51));
	CHECK_INT(pace(&q)->wake_ns, US(106));
	send_now(&q, 9 * 1000 * 1000);
	CHECK_INT(mbps(&q), 10000);
	send_now(&q, 1000 * 1000);
	CHECK_INT(mbps(&q), 15000);
}

/* Two alpha-timers of 55 us without notification: alpha = (255/256)^2 = 0.992202759. Two rounds
 * have made the rate 35: 35 (1 - 0.496101379) = 17.636451721. */
TEST(test_dcqcn_alpha_fades_without_notifications)
{
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper)", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(1) + US(111));
	CHECK_NEAR(pace(&q)->rate_bps, 17.636451721e9, 10);
	/* Then alpha = 0.992202759 x 255/256 + 1/256 = 0.992233217, and 55 us later a cut of the
	 * round's (17.636451721 + 35) / 2 = 26.318225861 leaves 13.312320456 (alpha x 255/256). */
	cnp_at(&q, US(1) + US(111 + 55));
	CHECK_NEAR(pace(&q)->rate_bps, 26.318225861e9 * (1 - 0.992233217 * 255 / 256 / 2), 20);
}

TEST(test_dcqcn_keeps_an_early_notification_until_the_interval_is_over)
{
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper)", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(21));
	cnp_at(&q, US(31));
	CHECK_INT(mbps(&q), 20000);
	CHECK_INT(pace(&q)->wake_ns, US(51));
	run_to(&q, US(51));
	CHECK_INT(mbps(&q), 10000);
	CHECK_INT(pace(&q)->wake_ns, US(51 + 55));
}

TEST(test_dcqcn_at_line_rate_asks_for_no_call)
{
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper)", 40 * GBPS);
	CHECK_INT(pace(&q)->wake_ns, 0);
	send_now(&q, 100 * 1000 * 1000);
	CHECK_INT(pace(&q)->wake_ns, 0);
	cnp_at(&q, US(1));
	CHECK(pace(&q)->wake_ns > 0);
	run_to(&q, INT64_C(10) * WEIR_NS_PER_S);
	/* Half of 20 Gb/s is less than a bit after log2(20e9) = 34.2 rounds. */
	CHECK_INT(q.timer_calls, 35);
	CHECK(pace(&q)->rate_bps == 40 * GBPS);
	CHECK_INT(pace(&q)->wake_ns, 0);
	/* Alpha has faded meanwhile, though nobody called: 10 s are 181818 periods. */
	cnp_at(&q, INT64_C(10) * WEIR_NS_PER_S + 1);
	CHECK(pace(&q)->rate_bps == 40 * GBPS);
	/* It is 1/256 after that: a cut by 1/512. */
	cnp_at(&q, INT64_C(10) * WEIR_NS_PER_S + 1 + US(50));
	CHECK_INT(pace(&q)->rate_bps, 40 * GBPS - 40 * GBPS / 512);
}

/* --- the HPCC study's way --- */

/* By hand at 100 Gb/s. The first notification at 10 us starts the clocks. Looks are at 14.001,
 * 18.001 us and so on; alpha is 1 at first and fades each microsecond. At 14.001: alpha =
 * (255/256)^4, and the target stays 100. A notification at 15.5 raises alpha at 16, it fades at 17
 * and 18. At 18.001 the rate is cut again, and the target, with no round in between, is still
 * 100. */
TEST(test_dcqcn_polled_cuts_when_its_clock_looks)
{
	const double keep = 255. / 256;
	double alpha = pow(keep, 4), rate = 100e9 * (1 - alpha / 2);
	struct pair q;

	pair_make(&q, "dcqcn(preset=hpcc)", 100 * GBPS);
	cnp_at(&q, US(10));
	CHECK_INT(mbps(&q), 100000);
	CHECK_INT(pace(&q)->wake_ns, US(14) + 1);
	run_to(&q, US(14) + 1);
	CHECK_NEAR(pace(&q)->rate_bps, rate, 20);
	cnp_at(&q, US(15) + 500);
	CHECK_INT(pace(&q)->wake_ns, US(18) + 1);
	run_to(&q, US(18) + 1);
	alpha = (alpha * keep * keep + 1. / 256) * keep * keep;
	rate *= 1 - alpha / 2;
	CHECK_NEAR(pace(&q)->rate_bps, rate, 20);
	/* No byte counter; one round of fast recovery, towards 100. */
	send_now(&q, 50 * 1000 * 1000);
	CHECK_INT(pace(&q)->wake_ns, US(18 + 300) + 1);
	run_to(&q, US(18 + 300) + 1);
	CHECK_NEAR(pace(&q)->rate_bps, (rate + 100e9) / 2, 20);
}

/* A cut after a round makes the rate the target. Then one round of fast recovery, one of 20 Mb/s,
 * and from there on 200 Mb/s a round: 5 and 50 Mb/s at 25 Gb/s. Distances to the target: d / 2, (d
 * / 2 + 20) / 2, ((d / 2 + 20) / 2 + 200) / 2. */
TEST(test_dcqcn_hpcc_preset_recovers_additively_once_then_hyper)
{
	struct pair q;
	uint64_t target, rate, distance;

	pair_make(&q, "dcqcn(preset=hpcc)", 100 * GBPS);
	cnp_at(&q, US(10));
	run_to(&q, US(14) + 1 + US(300));
	target = pace(&q)->rate_bps;
	cnp_at(&q, US(315));
	run_to(&q, US(318) + 1);
	rate = pace(&q)->rate_bps;
	CHECK(rate < target);
	distance = target - rate;
	run_to(&q, US(318 + 300) + 1);
	distance /= 2;
	CHECK_INT(pace(&q)->rate_bps, target - distance);
	run_to(&q, US(318 + 600) + 1);
	target += 20 * MBPS;
	distance = (distance + 20 * MBPS) / 2;
	CHECK_INT(pace(&q)->rate_bps, target - distance);
	for (int i = 3; i < 8; i++) {
		run_to(&q, US(318 + 300 * i) + 1);
		target += 200 * MBPS;
		distance = (distance + 200 * MBPS) / 2;
		CHECK_INT(pace(&q)->rate_bps, target - distance);
	}
}

TEST(test_dcqcn_target_is_clamped_by_choice)
{
	static const struct {
		const char *spec;
		uint64_t after_round;
	} cases[] = {
		{ "dcqcn(preset=paper)", 15000 },                   /* 10 towards 20 */
		{ "dcqcn(preset=paper, clamp-target=yes)", 15000 }, /* paper's equation (1) */
		{ "dcqcn(preset=paper, clamp-target=no)",
		  25000 }, /* 10 towards 40: no round since the first cut */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair q;

		pair_make(&q, cases[i].spec, 40 * GBPS);
		cnp_at(&q, US(1));
		cnp_at(&q, US(51));
		run_to(&q, US(51 + 55));
		CHECK_INT(mbps(&q), cases[i].after_round);
	}
}

/* --- options --- */

TEST(test_dcqcn_steps_are_a_share_of_the_line_rate)
{
	static const struct {
		const char *spec;
		uint64_t line_gbps, step_mbps;
	} cases[] = {
		{ "dcqcn(preset=paper)", 40, 40 },
		{ "dcqcn(preset=paper)", 100, 100 },
		{ "dcqcn(preset=hpcc)", 25, 5 },
		{ "dcqcn(preset=hpcc)", 100, 20 },
		{ "dcqcn(preset=hpcc, additive=7Mbps)", 100, 7 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair q;
		uint64_t before;
		char spec[128];

		/* After one round of recovery the target is the rate at the cut. With a floor right
		 * below the line's half, that is what a second cut leaves. */
		snprintf(spec, sizeof(spec),
			 "%.*s%cfast-recovery=1, react=at-once, clamp-target=yes)",
			 (int)strcspn(cases[i].spec, ")"), cases[i].spec,
			 strchr(cases[i].spec, '(') ? ',' : '(');
		pair_make(&q, spec, cases[i].line_gbps * GBPS);
		q.env.min_rate_bps = q.env.rate_bps / 2;
		cnp_at(&q, US(1));
		cnp_at(&q, US(51)); /* rate and target: half the line */
		before = pace(&q)->rate_bps;
		CHECK(before == q.env.rate_bps / 2);
		run_to(&q, pace(&q)->wake_ns);
		CHECK(pace(&q)->rate_bps == before);
		run_to(&q, pace(&q)->wake_ns);
		CHECK_INT((pace(&q)->rate_bps - before) * 2, cases[i].step_mbps * MBPS);
	}
}

/* Sends, notifications and time at random; what the rate was, step by step. */
static uint64_t life_hash(struct pair *q, uint64_t seed, int steps)
{
	struct weir_rng random = weir_rng_make(seed, 0, WEIR_RNG_TEST);
	uint64_t hash = 0;

	for (int i = 0; i < steps; i++) {
		run_to(q, q->now_ns + 1 + (int64_t)weir_rng_below(&random, US(100)));
		if (weir_rng_below(&random, 4) == 0)
			q->ops->cnp(q->state, q->params, &q->env, q->now_ns);
		send_now(q, MTU * (1 + weir_rng_below(&random, 100)));
		hash = weir_hash64(hash, pace(q)->rate_bps);
	}
	return hash;
}

/* Every option spelled out is the preset, whichever preset it goes before. */
TEST(test_dcqcn_an_option_that_is_given_goes_before_the_preset)
{
	static const char *const as_hpcc =
		"dcqcn(preset=paper, react=polled, alpha-timer=1us, decrease-interval=4us, "
		"increase-timer=300us, byte-counter=unlimited, fast-recovery=1, g=1/256, "
		"additive=20Mbps, hyper=200Mbps, clamp-target=no)";
	static const char *const as_paper =
		"dcqcn(preset=hpcc, react=at-once, alpha-timer=55us, decrease-interval=50us, "
		"increase-timer=55us, byte-counter=10MB, fast-recovery=5, g=1/256, "
		"additive=100Mbps, hyper=500Mbps, clamp-target=yes)";
	struct pair q;
	uint64_t hpcc, paper;

	pair_make(&q, "dcqcn(preset=hpcc)", 100 * GBPS);
	hpcc = life_hash(&q, 1, 2000);
	pair_make(&q, as_hpcc, 100 * GBPS);
	CHECK(life_hash(&q, 1, 2000) == hpcc);
	pair_make(&q, "dcqcn(preset=paper)", 100 * GBPS);
	paper = life_hash(&q, 1, 2000);
	pair_make(&q, as_paper, 100 * GBPS);
	CHECK(life_hash(&q, 1, 2000) == paper);
	CHECK(paper != hpcc);
}

TEST(test_dcqcn_window_is_none_or_a_bdp_or_in_step_with_the_rate)
{
	struct pair q;

	pair_make(&q, "dcqcn(preset=paper)", 100 * GBPS);
	CHECK(pace(&q)->window_bytes == WEIR_CC_NO_WINDOW);
	cnp_at(&q, US(1));
	CHECK(pace(&q)->window_bytes == WEIR_CC_NO_WINDOW);
	pair_make(&q, "dcqcn(preset=paper, window=bdp)", 100 * GBPS);
	CHECK_INT(pace(&q)->window_bytes, 100000); /* 100 Gb/s x 8 us */
	cnp_at(&q, US(1));
	CHECK_INT(pace(&q)->window_bytes, 100000);
	pair_make(&q, "dcqcn(preset=paper, window=scaled)", 100 * GBPS);
	CHECK_INT(pace(&q)->window_bytes, 100000);
	cnp_at(&q, US(1));
	CHECK_INT(pace(&q)->window_bytes, 50000);
	run_to(&q, US(56));
	CHECK_INT(pace(&q)->window_bytes, 75000);
	for (int i = 2; i < 20; i++)
		cnp_at(&q, US(56 + 50 * i));
	CHECK_INT(pace(&q)->rate_bps, 100 * MBPS);
	CHECK_INT(pace(&q)->window_bytes, MTU); /* not 100 B */
}

TEST(test_dcqcn_refuses_what_could_not_work)
{
	static const struct {
		const char *spec, *message;
	} cases[] = {
		{ "dcqcn(preset=paper, alpha-timer=99ns)", "alpha-timer must be 100ns or more" },
		{ "dcqcn(preset=paper, decrease-interval=1ns)",
		  "decrease-interval must be 100ns or more" },
		{ "dcqcn(preset=paper, increase-timer=50ns)",
		  "increase-timer must be 100ns or more" },
		{ "dcqcn(preset=paper, byte-counter=9999B)", "byte-counter must be 10KB or more" },
		{ "dcqcn(preset=paper, g=0.00001)", "g must be 1/65536 or more" },
		{ "dcqcn(preset=paper, g=1.5)", "g" },
		{ "dcqcn(preset=paper, increase-timer=2s)", "increase-timer" },
		{ "dcqcn(preset=qcn)", "paper" },
		{ "dctcp-rdma(g=0)", "g" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
		const struct weir_cc_ops *ops;
		struct weir_error e = { "" };

		CHECK(weir_cc_parse(cases[i].spec, &ops, params, &e) != 0);
		CHECK_CONTAINS(e.text, cases[i].message);
	}
}
