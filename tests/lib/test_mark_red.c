/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_red.c -- RED: its line, its chance, its average; against floating point. */
#include "tests/test.h"
#include "weir/mark.h"
#include "weir/packet.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RAMP = WEIR_MARK_CE, CERTAIN = WEIR_MARK_CE | 1 << WEIR_MARK_VERDICT_BITS };

struct red {
	const struct weir_mark_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[128];
};

static const struct weir_mark_env env = {
	.seed = 11, .rate_bps = 10000000000, .queues = 1, .mtu_bytes = 1500
};

static void red_make(struct red *r, const char *spec)
{
	struct weir_error e = { "" };

	if (weir_mark_parse(spec, &r->ops, r->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	memset(r->state, 0, sizeof(r->state));
	r->ops->init(r->state, r->params, &env);
}

static uint32_t red_at(struct red *r, uint32_t queue_bytes)
{
	struct weir_mark_view v = { .queue_bytes = queue_bytes,
				    .queue_pkts = queue_bytes / 1000,
				    .port_bytes = queue_bytes * 2,
				    .port_pkts = queue_bytes / 500 };

	return r->ops->enqueue(r->state, r->params, &v);
}

/* Fraction of n packets marked at a length. */
static double red_frequency(struct red *r, uint32_t queue_bytes, int n)
{
	int marks = 0;

	for (int i = 0; i < n; i++)
		marks += red_at(r, queue_bytes) != WEIR_MARK_PASS;
	return (double)marks / n;
}

/* Four standard deviations of a frequency over n draws. */
static double four_sigma(double p, int n)
{
	return 4 * sqrt(p * (1 - p) / n);
}

TEST(test_red_marks_nothing_below_min_and_all_from_max_on)
{
	struct red r;

	red_make(&r, "red(min=5KB, max=200KB, p=100%)");
	for (int i = 0; i < 1000; i++) {
		CHECK_INT(red_at(&r, 0), WEIR_MARK_PASS);
		CHECK_INT(red_at(&r, 5000), WEIR_MARK_PASS);
		CHECK_INT(red_at(&r, 200000), CERTAIN);
		CHECK_INT(red_at(&r, UINT32_MAX / 2), CERTAIN);
	}
	CHECK(red_frequency(&r, 199999, 1000) > 0.99);
	CHECK_STR(r.ops->reasons[0], "ramp");
	CHECK_STR(r.ops->reasons[1], "max");
}

TEST(test_red_with_min_equal_to_max_is_a_step)
{
	struct red r;

	red_make(&r, "red(min=30KB, max=30KB, p=1)");
	CHECK_INT(red_at(&r, 29999), WEIR_MARK_PASS);
	CHECK_INT(red_at(&r, 30000), CERTAIN);
}

TEST(test_red_counts_packets_or_a_port_where_told)
{
	struct red r;

	red_make(&r, "red(min=10pkts, max=20pkts, p=0)");
	CHECK_INT(red_at(&r, 19999), WEIR_MARK_PASS);
	CHECK_INT(red_at(&r, 20000), CERTAIN);
	red_make(&r, "red(min=10pkts, max=20pkts, p=0, scope=port)");
	CHECK_INT(red_at(&r, 9999), WEIR_MARK_PASS);
	CHECK_INT(red_at(&r, 10000), CERTAIN);
	red_make(&r, "red(min=10KB, max=20KB, p=0, scope=port)");
	CHECK_INT(red_at(&r, 9999), WEIR_MARK_PASS);
	CHECK_INT(red_at(&r, 10000), CERTAIN);
}

/* PRED, NSDI 2025, section 2.1: 5 KB, 200 KB and 0.1 make a slope of about 0.5 per MB. By hand:
 * 0.1 / 0.195 MB = 0.5128; at 105 KB, 0.1 MB above min, p = 0.05128. */
TEST(test_red_marks_as_often_as_the_line_says)
{
	enum { N = 200000 };
	struct red r;

	red_make(&r, "red(min=5KB, max=200KB, p=0.1)");
	CHECK_NEAR(red_frequency(&r, 105000, N), 0.05128, four_sigma(0.05128, N));
	CHECK_NEAR(red_frequency(&r, 24500, N), 0.01, four_sigma(0.01, N));
	red_make(&r, "red(min=5KB, max=500KB, slope=0.51)");
	CHECK_NEAR(red_frequency(&r, 105000, N), 0.051, four_sigma(0.051, N));
	CHECK_NEAR(red_frequency(&r, 499999, N), 0.51 * 0.494999, four_sigma(0.2524, N));
	CHECK_INT(red_at(&r, 500000), CERTAIN);
	red_make(&r, "red(min=0B, max=1MB, slope=4)");
	CHECK_NEAR(red_frequency(&r, 125000, N), 0.5, four_sigma(0.5, N));
	CHECK(red_frequency(&r, 250000, N) == 1);
}

/* 0.1 over 195 KB is exactly 20/39 per MB: the same packets must be marked in both forms. */
TEST(test_red_point_slope_and_two_point_forms_agree)
{
	struct weir_rng random = weir_rng_make(1, 0, WEIR_RNG_TEST);
	struct red a, b;
	int marks = 0;

	red_make(&a, "red(min=5KB, max=200KB, p=0.1)");
	red_make(&b, "red(min=5KB, max=200KB, slope=20/39)");
	for (int i = 0; i < 100000; i++) {
		uint32_t bytes = (uint32_t)weir_rng_below(&random, 200000);
		uint32_t verdict = red_at(&a, bytes);

		CHECK_INT(red_at(&b, bytes), verdict);
		marks += verdict != WEIR_MARK_PASS;
	}
	CHECK(marks > 4000 && marks < 6000);
}

/* --- the two forms --- */

/* PRED, section 2.1: min 5 KB, max 200 KB, p 0.1. By hand 0.1 / 0.195 MB = 20/39 = 0.512820 per MB;
 * back, 0.512820 0.195 = 0.1. Both are rounded down to a multiple of 2^-32. */
TEST(test_red_slope_and_probability_convert_both_ways)
{
	double one = (double)WEIR_ONE_Q32;
	uint64_t p_q32 = WEIR_ONE_Q32 / 10, slope_q32 = weir_tune_slope_q32(5000, 200000, p_q32);
	struct weir_tune_knobs line = { 5000, 200000, slope_q32 };
	struct weir_tune_knobs round = { 5000, 200000, (uint64_t)(0.51 * one) };
	struct weir_tune_knobs steep = { 4999, 5000, WEIR_TUNE_SLOPE_MAX_Q32 };
	uint64_t back_q32 = weir_tune_p_q32(&line);

	CHECK_NEAR((double)slope_q32 / one, 20. / 39, 2e-9);
	CHECK_NEAR((double)slope_q32 / one, 0.51, 0.005);
	CHECK(back_q32 <= p_q32 && p_q32 - back_q32 <= 1);
	/* From a slope of 0.51: 0.51 0.195 = 0.09945. */
	CHECK_NEAR((double)weir_tune_p_q32(&round) / one, 0.09945, 1e-9);
	/* The steepest and the flattest: all within a byte, and next to nothing over 4 GB. */
	CHECK(weir_tune_slope_q32(4999, 5000, WEIR_ONE_Q32) == WEIR_TUNE_SLOPE_MAX_Q32);
	CHECK(weir_tune_p_q32(&steep) == WEIR_ONE_Q32);
	CHECK_NEAR((double)weir_tune_slope_q32(0, 4000000000, WEIR_ONE_Q32) / one, 1. / 4000, 1e-9);
}

static double red_slope(const char *spec)
{
	struct red r;

	red_make(&r, spec);
	for (const struct weir_mark_value *v = r.ops->values; v->name; v++)
		if (strcmp(v->name, "slope") == 0)
			return v->read(r.state, r.params);
	test_fail(__FILE__, __LINE__, "red publishes no slope");
}

TEST(test_red_publishes_its_slope_in_either_form)
{
	CHECK_NEAR(red_slope("red(min=5KB, max=200KB, p=0.1)"), 20. / 39, 2e-9);
	CHECK_NEAR(red_slope("red(min=5KB, max=500KB, slope=0.51)"), 0.51, 1e-9);
	CHECK_NEAR(red_slope("red(min=5KB, max=200KB, p=0)"), 0, 0);
	CHECK(isnan(red_slope("red(min=5pkts, max=50pkts)")));
	CHECK(isnan(red_slope("red(min=30KB, max=30KB)")));
}

/* Every 13 KB along the line: as many are marked as 0.1 (q - min) / (max - min) says, in both
 * forms. */
TEST(test_red_marks_with_the_same_probability_in_both_forms)
{
	enum { N = 50000 };
	struct red points, slope;

	for (uint32_t bytes = 5000; bytes < 200000; bytes += 13000) {
		double p = 0.1 * (bytes - 5000.) / 195000;

		red_make(&points, "red(min=5KB, max=200KB, p=0.1)");
		red_make(&slope, "red(min=5KB, max=200KB, slope=0.5128205)");
		CHECK_NEAR(red_frequency(&points, bytes, N), p, four_sigma(p, N));
		CHECK_NEAR(red_frequency(&slope, bytes, N), p, four_sigma(p, N));
	}
}

/* Independent marks: pairs in a row come n p^2 times, whatever came before. */
TEST(test_red_marks_are_independent)
{
	enum { N = 400000 };
	int pairs = 0, before = 0;
	struct red r;

	red_make(&r, "red(min=5KB, max=200KB, p=0.2)");
	for (int i = 0; i < N; i++) {
		int marked = red_at(&r, 102500) != WEIR_MARK_PASS;

		pairs += marked && before;
		before = marked;
	}
	CHECK_NEAR((double)pairs / N, 0.01, four_sigma(0.01, N));
}

/* --- references in floating point --- */

/* The chance drawn for a packet, from a generator that runs beside the scheme's own. */
static double chance(struct weir_rng *beside)
{
	return (double)weir_rng_u32(beside) / (double)WEIR_ONE_Q32;
}

TEST(test_red_agrees_with_floating_point_within_its_bound)
{
	static const struct {
		const char *spec;
		double min, run, rise;
	} cases[] = {
		{ "red(min=5KB, max=200KB, p=0.1)", 5000, 195000, 0.1 },
		{ "red(min=0B, max=4GB, p=1)", 0, 4e9, 1 },
		{ "red(min=1B, max=4GB, p=0.37)", 1, 4e9 - 1, 0.37 },
		{ "red(min=5KB, max=4GB, slope=0.51)", 5000, 1e6, 0.51 },
		{ "red(min=0B, max=3B, p=1/3)", 0, 3, 1. / 3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_rng random = weir_rng_make(i, 0, WEIR_RNG_TEST);
		struct weir_rng beside = weir_rng_make(env.seed, 0, WEIR_RNG_MARKING);
		double max = cases[i].run < 1e6 ? cases[i].min + cases[i].run : 4e9;
		struct red r;

		red_make(&r, cases[i].spec);
		for (int k = 0; k < 50000; k++) {
			uint32_t bytes = (uint32_t)(weir_rng_u64(&random) >>
						    (32 + weir_rng_below(&random, 32)));
			uint32_t verdict = red_at(&r, bytes);
			double p, u;

			if (bytes < cases[i].min || bytes >= max) {
				CHECK_INT(verdict, bytes < cases[i].min ? WEIR_MARK_PASS : CERTAIN);
				continue;
			}
			p = cases[i].rise * (bytes - cases[i].min) / cases[i].run;
			u = chance(&beside);
			/* p itself was rounded to 2^-33 of the rise per run when it was read. */
			if (fabs(u - p) > 0x1p-32 + 0x1p-33 * (bytes - cases[i].min) / cases[i].run)
				CHECK_INT(verdict, u < p ? RAMP : WEIR_MARK_PASS);
		}
	}
}

/* The average in floating point, with the idle rule of Floyd and Jacobson 1993, section 4. */
struct average {
	double value;
	int64_t idle_since_ns;
	int empty;
};

static void average_arrive(struct average *a, double weight, double length, int64_t now_ns)
{
	if (a->empty && now_ns > a->idle_since_ns)
		a->value *= pow(1 - weight, floor((double)(now_ns - a->idle_since_ns) / 1200));
	a->empty = 0;
	a->value += weight * (length - a->value);
}

/* Random load with idle times; 1500 B take 1200 ns at 10 Gb/s. */
TEST(test_red_average_agrees_with_floating_point)
{
	static const char *const weights[] = { "1/512", "0.002", "1/2", "1/65536", "0.9" };
	static const double values[] = { 1. / 512, 0.002, 0.5, 1. / 65536, 0.9 };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct weir_rng random = weir_rng_make(i, 0, WEIR_RNG_TEST);
		struct weir_rng beside = weir_rng_make(env.seed, 0, WEIR_RNG_MARKING);
		struct weir_mark_view v = { .rate_bps = env.rate_bps, .packet_bytes = 1500 };
		struct average a = { 0, 0, 0 };
		int compared = 0, marked = 0;
		char spec[96];
		struct red r;

		snprintf(spec, sizeof(spec), "red(min=0B, max=200KB, p=1, weight=%s)", weights[i]);
		red_make(&r, spec);
		for (int k = 0; k < 30000; k++) {
			double u;
			uint32_t verdict;

			if (weir_rng_below(&random, 50) == 0) {
				v.queue_bytes = v.queue_pkts = 0;
				CHECK_INT(r.ops->dequeue(r.state, r.params, &v), WEIR_MARK_PASS);
				a.empty = 1;
				a.idle_since_ns = v.now_ns + 1200;
				v.now_ns += (int64_t)weir_rng_below(&random, 3000000);
			}
			v.now_ns += (int64_t)weir_rng_below(&random, 1300);
			v.queue_bytes = 20000 + (uint32_t)weir_rng_below(&random, 160000);
			v.queue_pkts = 1;
			verdict = r.ops->enqueue(r.state, r.params, &v);
			average_arrive(&a, values[i], v.queue_bytes, v.now_ns);
			CHECK(verdict == RAMP || verdict == WEIR_MARK_PASS);
			marked += verdict == RAMP;
			u = chance(&beside);
			/* 2^-15 byte of rounding and 126 * 2^-32 of 200 KB at an idle time. */
			if (fabs(u - a.value / 200000) > (0x1p-15 + 0.006) / 200000) {
				CHECK_INT(verdict, u < a.value / 200000 ? RAMP : WEIR_MARK_PASS);
				compared++;
			}
		}
		CHECK(compared > 29900);
		CHECK(marked > 0 && marked < 30000);
	}
}

/* While the last packet is still on the line the queue is empty, but the line is not idle. */
TEST(test_red_average_fades_only_while_the_line_is_idle)
{
	struct weir_mark_view v = { .rate_bps = env.rate_bps,
				    .packet_bytes = 1500,
				    .queue_bytes = 100000,
				    .queue_pkts = 70,
				    .now_ns = 1000 };
	struct red r;

	red_make(&r, "red(min=30KB, max=30KB, p=1, weight=1/2)");
	CHECK_INT(r.ops->enqueue(r.state, r.params, &v), CERTAIN); /* 50 KB */
	v.queue_bytes = v.queue_pkts = 0;
	r.ops->dequeue(r.state, r.params, &v);
	v.now_ns = 2000; /* it is being sent */
	v.queue_bytes = 11000;
	CHECK_INT(r.ops->enqueue(r.state, r.params, &v), CERTAIN); /* (50 + 11) / 2 = 30.5 KB */
	v.queue_bytes = v.queue_pkts = 0;
	r.ops->dequeue(r.state, r.params, &v);
	v.now_ns = 2000 + 1200 + 2399; /* idle for 1.999 packets */
	v.queue_bytes = 44000;
	CHECK_INT(r.ops->enqueue(r.state, r.params, &v),
		  WEIR_MARK_PASS);                                 /* (15.25 + 44) / 2 = 29.6 KB */
	CHECK_INT(r.ops->enqueue(r.state, r.params, &v), CERTAIN); /* 36.8 KB */
	v.queue_pkts = 5;                                          /* not empty: it does not fade */
	r.ops->dequeue(r.state, r.params, &v);
	v.now_ns += WEIR_NS_PER_S;
	v.queue_bytes = 30000;
	CHECK_INT(r.ops->enqueue(r.state, r.params, &v), CERTAIN); /* 33.4 KB */
}

/* With the smallest weight a constant queue of 1000 B is 999.1 B on average after 7 * 65536
 * arrivals: 1000 (1 - exp(-7)). Coarser fixed point would stand still long before. */
TEST(test_red_average_reaches_a_constant_queue)
{
	int first = 0;
	struct red r;

	red_make(&r, "red(min=999B, max=999B, p=1, weight=1/65536)");
	while (first < 600000 && red_at(&r, 1000) == WEIR_MARK_PASS)
		first++;
	CHECK_NEAR(first, 65536 * log(1000), 65536 * 0.01);
}

TEST(test_red_at_dequeue_judges_what_a_packet_leaves_behind)
{
	struct weir_error e = { "" };
	const struct weir_mark_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX], state[256] = { 0 };
	struct weir_mark_view v = { .queue_bytes = 300 * 1000 };
	const struct weir_mark_env here = {
		.seed = 1, .rate_bps = UINT64_C(10000000000), .queues = 1, .mtu_bytes = 1514
	};

	CHECK_INT(weir_mark_parse("red(at=dequeue)", &ops, params, &e), 0);
	ops->init(state, params, &here);
	CHECK_INT(ops->enqueue(state, params, &v), WEIR_MARK_PASS);
	CHECK(ops->dequeue(state, params, &v) & WEIR_MARK_CE);
	v.queue_bytes = 1000;
	CHECK_INT(ops->dequeue(state, params, &v), WEIR_MARK_PASS);
	CHECK_INT(weir_mark_parse("red(at=dequeue, weight=0.5)", &ops, params, &e), -1);
	CHECK_CONTAINS(e.text, "at=dequeue needs weight=1");
}

/* --- packets that cannot be marked --- */

static uint32_t red_sees(struct red *r, uint32_t queue_bytes, uint32_t ecn)
{
	struct weir_mark_view v = { .queue_bytes = queue_bytes, .ecn = ecn };

	return r->ops->enqueue(r->state, r->params, &v);
}

/* Fraction of n packets that get a verdict of that kind; none may get another but to pass. */
static double red_share(struct red *r, uint32_t queue_bytes, uint32_t ecn, int n)
{
	uint32_t want = ecn ? WEIR_MARK_CE : WEIR_MARK_DROP;
	int count = 0;

	for (int i = 0; i < n; i++) {
		uint32_t kind = red_sees(r, queue_bytes, ecn) & 3;

		CHECK(kind == WEIR_MARK_PASS || kind == want);
		count += kind == want;
	}
	return (double)count / n;
}

/* At 50 KB: marked by 10 % x 30/80 = 3.75 %, dropped by 50 % x 10/20 = 25 %. At 60 KB: 5 %, and
 * all. */
TEST(test_red_marks_and_drops_by_two_lines)
{
	enum { N = 100000 };
	static const struct {
		uint32_t bytes;
		double marked, dropped;
	} at[] = {
		{ 19999, 0, 0 },      { 39999, 0.1 * 20 / 80, 0 }, { 50000, 0.0375, 0.25 },
		{ 59999, 0.05, 0.5 }, { 60000, 0.05, 1 },          { 100000, 1, 1 },
	};
	struct red r;

	red_make(&r, "red(min=20KB, max=100KB, p=10%, drop-min=40KB, drop-max=60KB, drop-p=50%)");
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		CHECK_NEAR(red_share(&r, at[i].bytes, WEIR_PACKET_ECT, N), at[i].marked,
			   four_sigma(at[i].marked, N) + 1e-5);
		CHECK_NEAR(red_share(&r, at[i].bytes, WEIR_PACKET_ECT | WEIR_PACKET_CE, N),
			   at[i].marked, four_sigma(at[i].marked, N) + 1e-5);
		CHECK_NEAR(red_share(&r, at[i].bytes, 0, N), at[i].dropped,
			   four_sigma(at[i].dropped, N) + 1e-5);
	}
	CHECK_INT(r.ops->quiet_below(r.params), 20000);
}

/* Drops may also begin first; arrivals are then looked at from there on. */
TEST(test_red_looks_at_packets_from_where_the_first_line_begins)
{
	struct red r;

	red_make(&r, "red(min=20KB, max=100KB, drop-min=4KB, drop-max=60KB)");
	CHECK_INT(r.ops->quiet_below(r.params), 4000);
	red_make(&r, "red(min=20pkts, max=100pkts, drop-max=60pkts)");
	CHECK_INT(weir_length_number(r.ops->quiet_below(r.params)), 0);
	red_make(&r, "red(min=20KB, max=100KB, drop-max=60KB, weight=1/16)");
	CHECK_INT(r.ops->quiet_below(r.params), 0);
}

/* Without a second line a packet that cannot be marked gets the verdict of all others. */
TEST(test_red_has_one_line_unless_a_second_is_given)
{
	struct red r;

	red_make(&r, "red(min=20KB, max=100KB)");
	CHECK_INT(red_sees(&r, 100000, 0), CERTAIN);
	CHECK_INT(red_sees(&r, 100000, WEIR_PACKET_ECT), CERTAIN);
}

TEST(test_red_refuses_half_a_second_line)
{
	static const struct {
		const char *spec, *message;
	} cases[] = {
		{ "red(drop-min=1KB)", "drop-min and drop-p need drop-max; give that too" },
		{ "red(drop-p=10%)", "drop-min and drop-p need drop-max; give that too" },
		{ "red(drop-max=0pkts)", "drop-min and drop-p need drop-max; give that too" },
		{ "red(drop-max=9pkts)", "in bytes or in packets as min is" },
		{ "red(drop-min=9KB, drop-max=8KB)", "drop-min is above drop-max" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_error e = { "" };
		struct red r;

		CHECK_INT(weir_mark_parse(cases[i].spec, &r.ops, r.params, &e), -1);
		CHECK_CONTAINS(e.text, cases[i].message);
	}
}
