/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_ared.c -- Adaptive RED: weight, adaptation and gentle line by hand, and the queue it
 * holds. */
#include "tests/mark_fixture.h"
#include "tests/sim.h"

enum {
	RAMP = WEIR_MARK_CE,
	GENTLE = WEIR_MARK_CE | 1 << WEIR_MARK_VERDICT_BITS,
	CERTAIN = WEIR_MARK_CE | 2 << WEIR_MARK_VERDICT_BITS,
	US = WEIR_NS_PER_US,
};

/* A packet comes to a queue of so many packets. */
static uint32_t ared_at(struct marker *m, uint32_t pkts, int64_t now_ns)
{
	struct weir_mark_view v = { .now_ns = now_ns,
				    .queue_pkts = pkts,
				    .queue_bytes = pkts * 1500 };

	return marker_enqueue(m, &v);
}

/* C = 10 Gb/s / 12000 bits = 833,333 packets a second. The paper's w = 1 - exp(-1 / C) is 1.2e-6:
 * one packet that finds 4 GB makes an average of 4800 B. Over 1 ms: C t = 833.33, and after 833
 * packets that find 1000 the average is 1000 (1 - exp(-833 / 833.33)) = 631.97. */
TEST(test_ared_weight_follows_from_the_speed_of_the_line)
{
	struct weir_mark_view v = { .queue_bytes = 4000000000, .queue_pkts = 1 };
	struct marker m;

	marker_make(&m, "ared(min=1MB, max=3MB, average-over=1s)");
	marker_enqueue(&m, &v);
	CHECK_NEAR(marker_value(&m, "average"), 4800, 0.5); /* 2^-33 of 4 GB */
	marker_make(&m, "ared(average-over=1ms)");
	for (int i = 0; i < 833; i++)
		ared_at(&m, 1000, i);
	CHECK_NEAR(marker_value(&m, "average"), 631.97, 0.01);
}

/* With a time constant far below a packet's time the average is the length itself. */
#define AT_ONCE "min=100pkts, max=200pkts, average-over=1ns"

/* The target is 140 to 160 packets; every 500 us a step. */
TEST(test_ared_adapts_by_the_paper_s_steps)
{
	int64_t now = 0;
	struct marker m;

	marker_make(&m, "ared(" AT_ONCE ", p=0.1, interval=500us)");
	ared_at(&m, 161, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.11, 1e-9); /* + min(0.01, 0.025) */
	ared_at(&m, 160, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.11, 1e-9);
	ared_at(&m, 140, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.11, 1e-9);
	ared_at(&m, 139, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.099, 1e-9); /* x 0.9 */
	ared_at(&m, 0, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.0891, 1e-9);
	marker_make(&m, "ared(" AT_ONCE ", p=0.02, interval=500us)");
	now = 0;
	ared_at(&m, 4000, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.025, 1e-9); /* + min(0.01, 0.005) */
	ared_at(&m, 4000, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.03125, 1e-9);
	ared_at(&m, 4000, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.0390625, 1e-9);
	ared_at(&m, 4000, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.048828125, 1e-9);
	ared_at(&m, 4000, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.058828125, 1e-9);
}

TEST(test_ared_adapts_once_an_interval_and_once_after_a_pause)
{
	struct marker m;

	marker_make(&m, "ared(" AT_ONCE ", p=0.1, interval=500us)");
	ared_at(&m, 180, 500 * US - 1);
	CHECK_NEAR(marker_value(&m, "p"), 0.1, 1e-9);
	ared_at(&m, 180, 500 * US);
	ared_at(&m, 180, 500 * US);
	ared_at(&m, 180, 1000 * US - 1);
	CHECK_NEAR(marker_value(&m, "p"), 0.11, 1e-9);
	ared_at(&m, 180, 9000 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.12, 1e-9);
	ared_at(&m, 180, 9500 * US - 1);
	CHECK_NEAR(marker_value(&m, "p"), 0.12, 1e-9);
	ared_at(&m, 180, 9500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.13, 1e-9);
}

TEST(test_ared_keeps_its_probability_between_1_and_50_percent)
{
	int64_t now = 0;
	struct marker m;

	marker_make(&m, "ared(" AT_ONCE ", interval=500us)");
	for (int i = 0; i < 100; i++)
		ared_at(&m, 199, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.5, 1e-9);
	for (int i = 0; i < 100; i++)
		ared_at(&m, 101, now += 500 * US);
	CHECK_NEAR(marker_value(&m, "p"), 0.01, 1e-9);
}

/* p = 0.2: nothing below 100, 0.1 at 150, 0.2 at 200; then gently 0.2 + 0.8 / 2 = 0.6 at 300, and
 * all from 400 on. */
TEST(test_ared_marks_by_a_line_and_a_gentle_one_above_it)
{
	enum { N = 200000 };
	struct weir_mark_view v = { 0 };
	struct marker m;

	marker_make(&m, "ared(" AT_ONCE ", p=0.2, interval=1s)");
	CHECK_INT(ared_at(&m, 99, 0), WEIR_MARK_PASS);
	v.queue_pkts = 100;
	CHECK(marker_frequency(&m, &v, 1000) == 0);
	v.queue_pkts = 150;
	CHECK_NEAR(marker_frequency(&m, &v, N), 0.1, four_sigma(0.1, N));
	v.queue_pkts = 200;
	CHECK_NEAR(marker_frequency(&m, &v, N), 0.2, four_sigma(0.2, N));
	v.queue_pkts = 300;
	CHECK_NEAR(marker_frequency(&m, &v, N), 0.6, four_sigma(0.6, N));
	for (int i = 0; i < 1000; i++)
		CHECK_INT(ared_at(&m, 400, 0), CERTAIN);
	CHECK_STR(m.ops->reasons[0], "ramp");
	CHECK_STR(m.ops->reasons[1], "gentle");
	CHECK_STR(m.ops->reasons[2], "max");
}

/* Reference: lengths in bytes, the probability in double, the chance from a generator beside. */
TEST(test_ared_agrees_with_floating_point_within_its_bound)
{
	struct weir_rng random = weir_rng_make(9, 0, WEIR_RNG_TEST);
	struct weir_rng beside = weir_rng_make(marker_env.seed, 0, WEIR_RNG_MARKING);
	int gentle = 0;
	struct marker m;

	marker_make(&m, "ared(min=30KB, max=90KB, p=0.07, average-over=1ns, interval=1s)");
	for (int i = 0; i < 100000; i++) {
		struct weir_mark_view v = { .queue_bytes =
						    (uint32_t)weir_rng_below(&random, 180000) };
		uint32_t verdict = marker_enqueue(&m, &v);
		double q = v.queue_bytes, p, u;

		if (q < 30e3) {
			CHECK_INT(verdict, WEIR_MARK_PASS);
			continue;
		}
		p = q < 90e3 ? 0.07 * (q - 30e3) / 60e3 : 0.07 + 0.93 * (q - 90e3) / 90e3;
		u = (double)weir_rng_u32(&beside) / (double)WEIR_ONE_Q32;
		gentle += verdict == GENTLE;
		if (fabs(u - p) > 0x1p-31)
			CHECK_INT(verdict, u >= p ? WEIR_MARK_PASS : q < 90e3 ? RAMP : GENTLE);
	}
	CHECK(gentle > 10000);
}

/* 60 KB after one packet of weight 1/2; two packets' time of idleness quarters it. */
TEST(test_ared_average_fades_while_the_line_is_idle)
{
	struct weir_mark_view v = { .queue_bytes = 120000, .queue_pkts = 80, .packet_bytes = 1500 };
	char spec[96];
	struct marker m;

	/* w = 1 - exp(-1200 ns / t) = 1/2 for t = 1200 / ln 2 = 1731.2 ns. */
	snprintf(spec, sizeof(spec), "ared(min=30KB, max=90KB, average-over=%.0fns)",
		 1200 / log(2));
	marker_make(&m, spec);
	marker_enqueue(&m, &v);
	CHECK_NEAR(marker_value(&m, "average"), 60000, 10);
	v.queue_bytes = v.queue_pkts = 0;
	marker_dequeue(&m, &v);
	v.now_ns = 1200 + 2400;
	marker_enqueue(&m, &v);
	CHECK_NEAR(marker_value(&m, "average"), 7500, 10); /* (60 / 4) / 2 */
}

TEST(test_ared_refuses_what_makes_no_sense)
{
	static const char *const cases[][2] = {
		{ "ared(min=96pkts)", "ared: min must be below max: the target lies between them" },
		{ "ared(min=9KB)", "ared: min and max must both be in bytes or both in packets" },
		{ "ared(p=0.6)", "ared: p: '0.6' is out of range; allowed: 0.01 to 0.5" },
		{ "ared(interval=0us)",
		  "ared: interval: '0us' is out of range; allowed: 1ns to 1s" },
		{ "ared(average-over=0us)",
		  "ared: average-over: '0us' is out of range; allowed: 1ns to 1s" },
	};
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(marker_refusal(cases[i][0], &e), cases[i][1]);
}

/* --- in a network --- */

enum { FROM_MS = 60, TO_MS = 120 };

/* Mean of what a probe saw in the measured time. */
static double series_mean(const struct sim *s, const char *name)
{
	uint32_t i = 0;
	double sum = 0;
	int count = 0;

	while (i < s->r.series_count && strcmp(s->r.series[i].name, name) != 0)
		i++;
	CHECK(i < s->r.series_count);
	for (uint64_t k = 0; k < s->r.series[i].count; k++) {
		if (s->r.series[i].time_ps[k] >= weir_ns_to_ps((int64_t)FROM_MS * WEIR_NS_PER_MS)) {
			sum += s->r.series[i].value[k];
			count++;
		}
	}
	CHECK(count > 100);
	return sum / count;
}

/* Long DCTCP flows into one port, round trips of 240 us. Returns the mean queue. */
static double run_flows(struct sim *s, const char *marking, int flows)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = %d\nrate = 10Gbps\ndelay = 60us\n"
		 "[switch]\nmarking = %s\nbuffer = 2000pkts\n"
		 "[traffic x]\npattern = many-to-one\nsize = unlimited\nstart = 0us..100us\n"
		 "[measure]\nfrom = %dms\nto = %dms\nport = sw->h0\n"
		 "probe = scheme sw->h0 every 100us\n",
		 flows + 1, marking, FROM_MS, TO_MS);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "drops"), 0);
	CHECK(sim_metric(s, "utilisation") > 0.999);
	return sim_metric(s, "queue_mean_pkts");
}

/* min 32, max 96: the target is 57.6 to 70.4 packets. RED with the same line finds its level below
 * the target where flows are few and above it where they are many. */
TEST(test_ared_holds_its_target_for_few_and_many_flows_where_red_does_not)
{
	static const int flows[] = { 4, 32 };
	double low = 32 + 0.4 * 64, high = 32 + 0.6 * 64;

	for (int i = 0; i < 2; i++) {
		double red, ared, average;
		struct sim s;

		red = run_flows(&s, "red(min=32pkts, max=96pkts, p=0.1)", flows[i]);
		sim_end(&s);
		ared = run_flows(&s, "ared(min=32pkts, max=96pkts, p=0.1)", flows[i]);
		average = series_mean(&s, "average sw->h0");
		printf("%d flows: red %.1f pkts; ared %.1f, average %.1f, p %.3f\n", flows[i], red,
		       ared, average, series_mean(&s, "p sw->h0"));
		CHECK(i == 0 ? red < low : red > high);
		CHECK(ared > low && ared < high);
		CHECK(average > low && average < high);
		sim_end(&s);
	}
}
