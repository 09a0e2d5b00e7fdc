/* test_cc_dcqcn.c -- dcqcn and dctcp-rdma by direct calls: traces by hand, references, contract. */
#include "tests/test.h"
#include "weir/cc.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MTU = 1000, MBPS = 1000 * 1000, RTT_NS = 8 * NS_PER_US };

#define GBPS UINT64_C(1000000000)
#define US(n) ((int64_t)(n) * NS_PER_US)

/* A queue pair as a transport would hold it; its timer is called when it asks for it. */
struct pair {
	const struct cc_ops *ops;
	struct cc_env env;
	struct cc_ack ack; /* the last one */
	int64_t now_ns;
	int timer_calls;
	_Alignas(8) unsigned char params[SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[CC_STATE_MAX];
};

static struct cc_pace *pace(struct pair *q)
{
	return (struct cc_pace *)(void *)q->state;
}

static uint64_t mbps(struct pair *q)
{
	return pace(q)->rate_bps / MBPS;
}

static void pair_reset(struct pair *q)
{
	memset(q->state, 0, sizeof(q->state));
	q->ack = (struct cc_ack){ .may_grow = 1 };
	q->now_ns = 0;
	q->timer_calls = 0;
	q->ops->init(q->state, q->params, &q->env);
}

static void pair_make(struct pair *q, const char *spec, uint64_t rate_bps)
{
	struct error e = { "" };

	if (cc_parse(spec, &q->ops, q->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(q->ops->state_size <= CC_STATE_MAX);
	CHECK_INT(q->ops->transport, CC_RDMA);
	q->env = (struct cc_env){ .mss_bytes = MTU,
				  .header_bytes = 48,
				  .rate_bps = rate_bps,
				  .min_rate_bps = 100 * MBPS,
				  .base_rtt_ns = RTT_NS,
				  .bdp_bytes = bps_times_ns_to_bytes(rate_bps, RTT_NS) };
	pair_reset(q);
}

/* Time passes, up to now_ns and with it. */
static void run_to(struct pair *q, int64_t now_ns)
{
	while (pace(q)->wake_ns && pace(q)->wake_ns <= now_ns) {
		CHECK(pace(q)->wake_ns > q->now_ns);
		q->now_ns = pace(q)->wake_ns;
		q->timer_calls++;
		pace(q)->wake_ns = 0;
		q->ops->timer(q->state, q->params, &q->env, q->now_ns);
	}
	q->now_ns = now_ns;
}

static void cnp_at(struct pair *q, int64_t now_ns)
{
	run_to(q, now_ns);
	q->ops->cnp(q->state, q->params, &q->env, now_ns);
}

static void send_now(struct pair *q, uint64_t bytes)
{
	for (; bytes; bytes -= MTU)
		q->ops->sent(q->state, q->params, &q->env, MTU, q->now_ns);
}

/* --- dcqcn: Zhu et al., SIGCOMM 2015 --- */

/* By hand at 40 Gb/s: alpha is 1, so the first notification leaves 20 and makes 40 the target. Five
 * rounds of 55 us halve the distance. */
TEST(test_dcqcn_first_notification_halves_and_five_rounds_recover)
{
	static const uint64_t after[] = { 20000, 30000, 35000, 37500, 38750, 39375 };
	struct pair q;

	pair_make(&q, "dcqcn", 40 * GBPS);
	CHECK_INT(q.ops->needs, CC_NEEDS_CNP);
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

/* Two notifications 50 us apart, alpha 1 for both: 40, 20, 10 with target 20. Rounds: 15, 17.5, 18.75,
 * 19.375, 19.6875. Then the target rises by R_AI = 40 Mb/s a round: (19.6875 + 20.04) / 2 = 19.86375,
 * (19.86375 + 20.08) / 2 = 19.971875. */
TEST(test_dcqcn_additive_increase_follows_fast_recovery)
{
	static const uint64_t kbps[] = { 15000000, 17500000, 18750000, 19375000,
					 19687500, 19863750, 19971875 };
	struct pair q;

	pair_make(&q, "dcqcn", 40 * GBPS);
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

	pair_make(&q, "dcqcn(byte-counter=unlimited)", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(51));
	run_to(&q, US(51 + 55 * 6));
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(19863750) * 1000);
	run_to(&q, US(51 + 55 * 7));
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(20051875) * 1000);
	run_to(&q, US(51 + 55 * 8));
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(202459375) * 100);
}

/* Bytes end rounds as time does. From 10 Gb/s and target 20, with timers of a second: five counters of
 * 10 MB make 19.6875, then R_AI. Hyper increase needs more than five rounds of both. */
TEST(test_dcqcn_bytes_end_rounds_too)
{
	struct pair q;

	pair_make(&q, "dcqcn(increase-timer=1s)", 40 * GBPS);
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

/* Both at 20.08 after seven rounds by bytes; six rounds by time add R_AI each and the seventh R_HAI.
 * Targets 20.32 and 20.52; far from a cut the rate is within 0.02 of the mean before each. */
TEST(test_dcqcn_hyper_increase_needs_rounds_of_both)
{
	struct pair q;
	uint64_t before;

	pair_make(&q, "dcqcn", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(51));
	send_now(&q, 7 * 10 * 1000 * 1000);
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(19971875) * 1000);
	run_to(&q, US(51 + 55 * 6));
	/* target 20.08 + 6 x 0.04 = 20.32; d -> (d + 0.04) / 2 from d = 20.08 - 19.971875 = 0.108125 six
	 * times: 0.04 + (0.068125) / 64 = 0.041064453125 */
	CHECK_INT(pace(&q)->rate_bps, UINT64_C(20320000000) - 41064453);
	before = pace(&q)->rate_bps;
	run_to(&q, US(51 + 55 * 7));
	CHECK_INT(pace(&q)->rate_bps - before, (UINT64_C(20520000000) - before + 1) / 2);
}

/* A cut starts rounds anew: bytes that were counted before it do not count. */
TEST(test_dcqcn_a_cut_begins_all_rounds_again)
{
	struct pair q;

	pair_make(&q, "dcqcn", 40 * GBPS);
	cnp_at(&q, US(1));
	send_now(&q, 9 * 1000 * 1000);
	cnp_at(&q, US(51));
	CHECK_INT(pace(&q)->wake_ns, US(106));
	send_now(&q, 9 * 1000 * 1000);
	CHECK_INT(mbps(&q), 10000);
	send_now(&q, 1000 * 1000);
	CHECK_INT(mbps(&q), 15000);
}

/* Two alpha-timers of 55 us without notification: alpha = (255/256)^2 = 0.992202759. Two rounds have
 * made the rate 35: 35 (1 - 0.496101379) = 17.636451721. */
TEST(test_dcqcn_alpha_fades_without_notifications)
{
	struct pair q;

	pair_make(&q, "dcqcn", 40 * GBPS);
	cnp_at(&q, US(1));
	cnp_at(&q, US(1) + US(111));
	CHECK_NEAR(pace(&q)->rate_bps, 17.636451721e9, 10);
	/* Then alpha = 0.992202759 x 255/256 + 1/256 = 0.992233217, and 55 us later a cut of the
	 * round's (17.636451721 + 35) / 2 = 26.318225861 leaves 13.261318386 (alpha x 255/256). */
	cnp_at(&q, US(1) + US(111 + 55));
	CHECK_NEAR(pace(&q)->rate_bps, 26.318225861e9 * (1 - 0.992233217 * 255 / 256 / 2), 20);
}

TEST(test_dcqcn_keeps_an_early_notification_until_the_interval_is_over)
{
	struct pair q;

	pair_make(&q, "dcqcn", 40 * GBPS);
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

	pair_make(&q, "dcqcn", 40 * GBPS);
	CHECK_INT(pace(&q)->wake_ns, 0);
	send_now(&q, 100 * 1000 * 1000);
	CHECK_INT(pace(&q)->wake_ns, 0);
	cnp_at(&q, US(1));
	CHECK(pace(&q)->wake_ns > 0);
	run_to(&q, INT64_C(10) * NS_PER_S);
	/* Half of 20 Gb/s is less than a bit after log2(20e9) = 34.2 rounds. */
	CHECK_INT(q.timer_calls, 35);
	CHECK(pace(&q)->rate_bps == 40 * GBPS);
	CHECK_INT(pace(&q)->wake_ns, 0);
	/* Alpha has faded meanwhile, though nobody called: 10 s are 181818 periods. */
	cnp_at(&q, INT64_C(10) * NS_PER_S + 1);
	CHECK(pace(&q)->rate_bps == 40 * GBPS);
	/* It is 1/256 after that: a cut by 1/512. */
	cnp_at(&q, INT64_C(10) * NS_PER_S + 1 + US(50));
	CHECK_INT(pace(&q)->rate_bps, 40 * GBPS - 40 * GBPS / 512);
}

/* --- the HPCC study's way --- */

/* By hand at 100 Gb/s. The first notification at 10 us starts the clocks. Looks are at 14.001, 18.001 us
 * and so on; alpha is 1 at first and fades each microsecond. At 14.001: alpha = (255/256)^4, and the
 * target stays 100. A notification at 15.5 raises alpha at 16, it fades at 17 and 18. At 18.001 the
 * rate is cut again, and the target, with no round in between, is still 100. */
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

/* A cut after a round makes the rate the target. Then one round of fast recovery, one of 20 Mb/s, and from
 * there on 200 Mb/s a round: 5 and 50 Mb/s at 25 Gb/s. Distances to the target: d / 2,
 * (d / 2 + 20) / 2, ((d / 2 + 20) / 2 + 200) / 2. */
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
		{ "dcqcn", 15000 },                   /* 10 towards 20 */
		{ "dcqcn(clamp-target=yes)", 15000 }, /* paper's equation (1) */
		{ "dcqcn(clamp-target=no)", 25000 },  /* 10 towards 40: no round since the first cut */
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
		{ "dcqcn", 40, 40 },
		{ "dcqcn", 100, 100 },
		{ "dcqcn(preset=hpcc)", 25, 5 },
		{ "dcqcn(preset=hpcc)", 100, 20 },
		{ "dcqcn(preset=hpcc, additive=7Mbps)", 100, 7 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pair q;
		uint64_t before;
		char spec[128];

		/* After one round of recovery the target is the rate at the cut. With a floor right below
		 * the line's half, that is what a second cut leaves. */
		snprintf(spec, sizeof(spec), "%.*s%cfast-recovery=1, react=at-once, clamp-target=yes)",
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
	struct rng random = rng_make(seed, 0, RNG_TEST);
	uint64_t hash = 0;

	for (int i = 0; i < steps; i++) {
		run_to(q, q->now_ns + 1 + (int64_t)rng_below(&random, US(100)));
		if (rng_below(&random, 4) == 0)
			q->ops->cnp(q->state, q->params, &q->env, q->now_ns);
		send_now(q, MTU * (1 + rng_below(&random, 100)));
		hash = hash64(hash, pace(q)->rate_bps);
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
	pair_make(&q, "dcqcn", 100 * GBPS);
	paper = life_hash(&q, 1, 2000);
	pair_make(&q, as_paper, 100 * GBPS);
	CHECK(life_hash(&q, 1, 2000) == paper);
	CHECK(paper != hpcc);
}

TEST(test_dcqcn_window_is_none_or_a_bdp_or_in_step_with_the_rate)
{
	struct pair q;

	pair_make(&q, "dcqcn", 100 * GBPS);
	CHECK(pace(&q)->window_bytes == CC_NO_WINDOW);
	cnp_at(&q, US(1));
	CHECK(pace(&q)->window_bytes == CC_NO_WINDOW);
	pair_make(&q, "dcqcn(window=bdp)", 100 * GBPS);
	CHECK_INT(pace(&q)->window_bytes, 100000); /* 100 Gb/s x 8 us */
	cnp_at(&q, US(1));
	CHECK_INT(pace(&q)->window_bytes, 100000);
	pair_make(&q, "dcqcn(window=scaled)", 100 * GBPS);
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
		{ "dcqcn(alpha-timer=99ns)", "alpha-timer must be 100ns or more" },
		{ "dcqcn(decrease-interval=1ns)", "decrease-interval must be 100ns or more" },
		{ "dcqcn(increase-timer=50ns)", "increase-timer must be 100ns or more" },
		{ "dcqcn(byte-counter=9999B)", "byte-counter must be 10KB or more" },
		{ "dcqcn(g=0.00001)", "g must be 1/65536 or more" },
		{ "dcqcn(g=1.5)", "g" },
		{ "dcqcn(increase-timer=2s)", "increase-timer" },
		{ "dcqcn(preset=qcn)", "paper" },
		{ "dctcp-rdma(g=0)", "g" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_Alignas(8) unsigned char params[SPEC_PARAMS_MAX];
		const struct cc_ops *ops;
		struct error e = { "" };

		CHECK(cc_parse(cases[i].spec, &ops, params, &e) != 0);
		CHECK_CONTAINS(e.text, cases[i].message);
	}
}

/* --- reference: every clock ticks, in floating point --- */

struct reference {
	int polled, clamps;
	int64_t alpha_timer_ns, interval_ns, increase_ns;
	double counter_bytes, g, additive, hyper, line, least;
	int threshold;
	double rate, target, alpha, bytes;
	int64_t next_alpha_ns, next_look_ns, next_round_ns, last_cut_ns;
	int started, alpha_bit, rate_bit, t, bc;
};

static void reference_cut(struct reference *r, int64_t now_ns)
{
	if (r->clamps || r->t > 0 || r->bc > 0)
		r->target = r->rate;
	r->rate = fmax(r->rate * (1 - r->alpha / 2), r->least);
	r->t = r->bc = 0;
	r->bytes = 0;
	r->rate_bit = 0;
	r->next_round_ns = now_ns + r->increase_ns;
	r->last_cut_ns = now_ns;
	if (!r->polled)
		r->alpha = (1 - r->g) * r->alpha + r->g;
}

static void reference_round(struct reference *r)
{
	int most = r->t > r->bc ? r->t : r->bc, least = r->t < r->bc ? r->t : r->bc;

	if (isinf(r->counter_bytes))
		most = least = r->t;
	if (least > r->threshold)
		r->target += r->hyper;
	else if (most >= r->threshold)
		r->target += r->additive;
	r->target = fmin(r->target, r->line);
	r->rate = (r->rate + r->target) / 2;
}

static void reference_tick_alpha(struct reference *r)
{
	r->alpha = (1 - r->g) * r->alpha + (r->polled && r->alpha_bit ? r->g : 0);
	r->alpha_bit = 0;
	r->next_alpha_ns += r->alpha_timer_ns;
}

/* Alpha first, then rounds, then looks. */
static void reference_run_to(struct reference *r, int64_t now_ns)
{
	while (r->started) {
		int64_t look_ns = r->polled ? r->next_look_ns :
				  r->rate_bit ? r->last_cut_ns + r->interval_ns :
						INT64_MAX;

		if (r->next_alpha_ns <= now_ns && r->next_alpha_ns <= r->next_round_ns &&
		    r->next_alpha_ns <= look_ns) {
			reference_tick_alpha(r);
		} else if (r->next_round_ns <= now_ns && r->next_round_ns <= look_ns) {
			reference_round(r);
			r->t++;
			r->next_round_ns += r->increase_ns;
		} else if (look_ns <= now_ns) {
			r->next_look_ns += r->interval_ns;
			if (r->rate_bit)
				reference_cut(r, look_ns);
		} else {
			return;
		}
	}
}

static void reference_cnp(struct reference *r, int64_t now_ns)
{
	int first = !r->started;

	if (first) {
		r->started = 1;
		r->next_round_ns = INT64_MAX;
		r->next_alpha_ns = now_ns + r->alpha_timer_ns;
		r->next_look_ns = now_ns + r->interval_ns + 1;
	}
	r->rate_bit = 1;
	if (r->polled) {
		r->alpha_bit = !first;
		return;
	}
	r->next_alpha_ns = now_ns + r->alpha_timer_ns;
	if (first || now_ns - r->last_cut_ns >= r->interval_ns)
		reference_cut(r, now_ns);
}

static void reference_sent(struct reference *r, double bytes)
{
	r->bytes += bytes;
	if (r->started && r->bytes >= r->counter_bytes) {
		r->bytes -= r->counter_bytes;
		reference_round(r);
		r->bc++;
	}
}

/* The bound: alpha is off by 3e-8 at most, which a cut makes 1.5e-8 of the rate; over all cuts of a life
 * errors of the rate add up and are halved with each round that brings it closer to the line. */
static void check_against_reference(const char *spec, struct reference r, uint64_t seed)
{
	struct rng random = rng_make(seed, 0, RNG_TEST);
	double worst = 0, lowest = r.line;
	struct pair q;

	pair_make(&q, spec, (uint64_t)r.line);
	r.rate = r.target = r.line;
	r.alpha = 1;
	for (int i = 0; i < 20000; i++) {
		uint64_t span_ns = (uint64_t)(rng_below(&random, 200) ? US(60) : US(5000));
		uint64_t sends = rng_below(&random, 40);

		run_to(&q, q.now_ns + 1 + (int64_t)rng_below(&random, span_ns));
		reference_run_to(&r, q.now_ns);
		if (rng_below(&random, 5) == 0) {
			q.ops->cnp(q.state, q.params, &q.env, q.now_ns);
			reference_cnp(&r, q.now_ns);
		}
		for (uint64_t k = 0; k < sends; k++) {
			q.ops->sent(q.state, q.params, &q.env, 16 * MTU, q.now_ns);
			reference_sent(&r, 16 * MTU);
		}
		worst = fmax(worst, fabs((double)pace(&q)->rate_bps / r.rate - 1));
		lowest = fmin(lowest, r.rate);
	}
	printf("%s: worst %g, lowest %g Gb/s, %d timer calls\n", spec, worst, lowest / 1e9,
	       q.timer_calls);
	CHECK(worst < 1e-6);
	CHECK(lowest < r.line / 4);
}

TEST(test_dcqcn_agrees_with_clocks_that_tick)
{
	const struct reference paper = { .clamps = 1,
					 .alpha_timer_ns = US(55),
					 .interval_ns = US(50),
					 .increase_ns = US(55),
					 .counter_bytes = 10e6,
					 .g = 1. / 256,
					 .additive = 40e6,
					 .hyper = 200e6,
					 .line = 40e9,
					 .least = 100e6,
					 .threshold = 5 };
	const struct reference hpcc = { .polled = 1,
					.alpha_timer_ns = US(1),
					.interval_ns = US(4),
					.increase_ns = US(300),
					.counter_bytes = INFINITY,
					.g = 1. / 256,
					.additive = 20e6,
					.hyper = 200e6,
					.line = 100e9,
					.least = 100e6,
					.threshold = 1 };
	struct reference mixed = paper;

	check_against_reference("dcqcn", paper, 1);
	check_against_reference("dcqcn(preset=hpcc)", hpcc, 2);
	mixed.clamps = 0;
	mixed.counter_bytes = 150e3;
	mixed.g = 1. / 16;
	mixed.threshold = 2;
	check_against_reference(
		"dcqcn(clamp-target=no, byte-counter=150KB, g=1/16, fast-recovery=2)", mixed, 3);
}

/* --- dctcp at the granularity of RDMA --- */

static void acked(struct pair *q, uint64_t packets, uint32_t echo)
{
	q->ack.acked_bytes = packets * MTU;
	q->ack.una_bytes += packets * MTU;
	q->ack.echo = echo;
	q->ops->ack(q->state, q->params, &q->env, &q->ack);
}

/* By hand, 100 Gb/s and 8 us: 100 packets fit. The first ACK opens the first observed window, 100 packets
 * in flight after it. The second is marked: alpha 1 leaves 50 packets, 50 Gb/s, until what was sent
 * before, 102 packets, and one more are acknowledged. */
TEST(test_dctcp_rdma_follows_a_trace_by_hand)
{
	struct pair q;

	pair_make(&q, "dctcp-rdma", 100 * GBPS);
	CHECK_INT(pace(&q)->window_bytes, 100000);
	CHECK(pace(&q)->rate_bps == 100 * GBPS);
	q.ack.next_bytes = 101 * MTU;
	acked(&q, 1, 0);
	q.ack.next_bytes = 102 * MTU;
	acked(&q, 1, 1);
	CHECK_INT(pace(&q)->window_bytes, 50000);
	CHECK(pace(&q)->rate_bps == 50 * GBPS);
	acked(&q, 20, 1); /* the cut is being carried out */
	CHECK_INT(pace(&q)->window_bytes, 50000);
	q.ack.next_bytes = 150 * MTU;
	acked(&q, 79, 0);
	/* That was the window: 101 packets, 21 marked; alpha = 15/16 + 21/101/16 = 0.950495. No growth:
	 * nothing that was sent after the cut is acknowledged yet. The next window ends at 150. */
	CHECK_INT(pace(&q)->window_bytes, 50000);
	acked(&q, 1, 0);
	acked(&q, 47, 0);
	CHECK_INT(pace(&q)->window_bytes, 50000);
	q.ack.next_bytes = 200 * MTU;
	acked(&q, 1, 0);
	CHECK_INT(pace(&q)->window_bytes, 51000); /* a segment more: 51 Gb/s */
	CHECK(pace(&q)->rate_bps == 51 * GBPS);
	/* alpha = 15/16 x 0.950495 = 0.891089; a mark leaves 51000 (1 - 0.445545) = 28277.2 */
	acked(&q, 1, 1);
	CHECK_NEAR(pace(&q)->window_bytes, 51000 * (1 - 15. / 16 * (15. / 16 + 21. / 101 / 16) / 2),
		   1);
	CHECK_NEAR((double)pace(&q)->rate_bps,
		   (double)pace(&q)->window_bytes / 100000 * 100e9, 1);
}

TEST(test_dctcp_rdma_stays_between_min_rate_and_line_rate)
{
	struct pair q;

	pair_make(&q, "dctcp-rdma", 100 * GBPS);
	for (int i = 0; i < 100; i++) {
		q.ack.next_bytes = q.ack.una_bytes + 2 * MTU;
		acked(&q, 2, 0);
	}
	CHECK(pace(&q)->rate_bps == 100 * GBPS);
	for (int i = 0; i < 1000; i++) {
		q.ack.next_bytes = q.ack.una_bytes + 2 * MTU;
		acked(&q, 2, 1);
	}
	CHECK_INT(pace(&q)->rate_bps, 100 * MBPS);
	CHECK_INT(pace(&q)->window_bytes, MTU); /* not the 100 B that the rate fills */
}

/* --- beside the kernel's arithmetic --- */

/* Linux, net/ipv4/tcp_dctcp.c: alpha in 1/1024, g = 2^-4; each window alpha loses a 16th of itself, or all
 * of it below 16, and gains 64 marked / delivered, both rounded down; a cut takes
 * window * alpha / 2048 segments, rounded down, and leaves two. */
static uint32_t kernel_alpha(uint32_t alpha, uint32_t delivered, uint32_t marked)
{
	uint32_t lost = alpha / 16 ? alpha / 16 : alpha;

	alpha = alpha - lost + marked * 64 / delivered;
	return alpha < 1024 ? alpha : 1024;
}

static uint32_t kernel_cut(uint32_t segments, uint32_t alpha)
{
	uint32_t left = segments - segments * alpha / 2048;

	return left > 2 ? left : 2;
}

struct kernel_window {
	uint32_t delivered, marked, alpha, cut_of_100;
};

/* What ours may differ by. Each of the kernel's two roundings is less than a 1024th, in opposite
 * directions, so that an update is off by less than one; fading by 15/16, the sum stays below 16. Where
 * it drops all of an alpha below 16, that is at most 15 more, once. A cut rounds to a segment. */
static const double alpha_bound = 16. / 1024;

/* By hand, from alpha 1 or 1024:	ours		kernel
 *	1 of 1 without mark		0.9375		1024 - 64 = 960
 *	4 of 10 marked			0.903906	960 - 60 + 25 = 925
 *	20 of 20			0.909912	925 - 57 + 64 = 932
 *	0 of 16				0.853043	932 - 58 = 874
 *	1 of 30				0.801811	874 - 54 + 2 = 822
 *	3 of 7				0.778483	822 - 51 + 27 = 798
 * and 100 segments are cut to
 *	100 - 46, 45, 45, 42, 40, 38 by the kernel; (1 - alpha / 2) 100 by ours. */
static const struct kernel_window tcp_trace[] = {
	{ 1, 0, 960, 54 },  { 10, 4, 925, 55 }, { 20, 20, 932, 55 },
	{ 16, 0, 874, 58 }, { 30, 1, 822, 60 }, { 7, 3, 798, 62 },
};

struct tcp_sender {
	const struct cc_ops *ops;
	struct cc_env env;
	struct cc_ack ack;
	_Alignas(8) unsigned char params[SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[CC_STATE_MAX];
};

static void tcp_make(struct tcp_sender *s)
{
	struct error e;

	CHECK_INT(cc_parse("dctcp", &s->ops, s->params, &e), 0);
	memset(s->state, 0, sizeof(s->state));
	s->env = (struct cc_env){ .mss_bytes = MTU, .initial_window_bytes = 100 * MTU };
	s->ack = (struct cc_ack){ .may_grow = 0 };
	s->ops->init(s->state, s->params, &s->env);
}

/* A window of data, the marked segments first; then the next one is sent. */
static void tcp_window(struct tcp_sender *s, uint32_t delivered, uint32_t marked)
{
	uint64_t end = s->ack.una_bytes + (uint64_t)delivered * MTU;

	for (uint32_t i = 0; i < delivered; i++) {
		s->ack.acked_bytes = MTU;
		s->ack.una_bytes += MTU;
		s->ack.echo = i < marked;
		s->ack.next_bytes = end; /* ... of which nothing is sent before the last ACK */
		if (i + 1 == delivered)
			s->ack.next_bytes = UINT64_MAX; /* the caller says where it ends */
		s->ops->ack(s->state, s->params, &s->env, &s->ack);
	}
}

/* What a cut of 2^40 bytes would leave says what alpha is. */
static double tcp_alpha(const struct tcp_sender *s)
{
	struct tcp_sender probe = *s;
	struct cc_window *w = (struct cc_window *)(void *)probe.state;

	w->window_bytes = UINT64_C(1) << 40;
	probe.ops->congestion(probe.state, probe.params, &probe.env, CC_ECN, &probe.ack);
	return 2 * (1 - (double)w->window_bytes * 0x1p-40);
}
