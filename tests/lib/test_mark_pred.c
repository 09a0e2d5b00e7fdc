/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_pred.c -- PRED: its line, its two factors and its table, by hand and against floating
 * point. */
#include "lib/mark/flow_count.h"
#include "lib/mark/pred_table.h"
#include "lib/mark/red_common.h"
#include "tests/test.h"
#include "weir/mark.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RAMP = WEIR_MARK_CE, CERTAIN = WEIR_MARK_CE | 1 << WEIR_MARK_VERDICT_BITS };
/* The first of the flows, whose hashes follow each other. */
enum { FLOW = 100 };
enum { MTU_BYTES = 1500, MIN_BYTES = 10 * MTU_BYTES, RTT_NS = 80000 };

/* One queue under PRED, with the clock and the flows that pass. */
struct pred {
	const struct weir_mark_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	void *state;
	int64_t now_ns;
};

static const struct weir_mark_env env = {
	.seed = 11, .rate_bps = 10000000000, .rtt_ns = RTT_NS, .queues = 1, .mtu_bytes = MTU_BYTES
};

static void pred_open(struct pred *p, const char *spec)
{
	struct weir_error e = { "" };

	memset(p, 0, sizeof(*p));
	if (weir_mark_parse(spec, &p->ops, p->params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	p->state = calloc(1, weir_mark_state_size(p->ops, p->params));
	CHECK(p->state != NULL);
	p->ops->init(p->state, p->params, &env);
}

static void pred_close(struct pred *p)
{
	free(p->state);
}

static uint32_t pred_at(struct pred *p, uint32_t flow, uint32_t queue_bytes)
{
	struct weir_mark_view v = { .now_ns = p->now_ns,
				    .rate_bps = env.rate_bps,
				    .packet_bytes = MTU_BYTES,
				    .flow_hash = flow,
				    .queue_bytes = queue_bytes,
				    .queue_pkts = queue_bytes / MTU_BYTES,
				    .port_bytes = queue_bytes,
				    .port_pkts = queue_bytes / MTU_BYTES };

	return p->ops->enqueue(p->state, p->params, &v);
}

/* As many flows as that are seen, one packet each and none in conflict with another. */
static void show_flows(struct pred *p, uint32_t flows)
{
	for (uint32_t i = 0; i < flows; i++)
		pred_at(p, FLOW + i, 0);
}

static double value(const struct pred *p, const char *name)
{
	for (const struct weir_mark_value *v = p->ops->values; v->name; v++)
		if (strcmp(v->name, name) == 0)
			return v->read(p->state, p->params);
	test_fail(__FILE__, __LINE__, "pred has no %s", name);
}

/* Fraction of packets marked at a length; the time stands still. */
static double frequency(struct pred *p, uint32_t queue_bytes)
{
	enum { N = 100000 };
	int marks = 0;

	for (int i = 0; i < N; i++)
		marks += pred_at(p, FLOW, queue_bytes) != WEIR_MARK_PASS;
	return (double)marks / N;
}

static double four_sigma(double p)
{
	return 4 * sqrt(p * (1 - p) / 100000);
}

/* --- the line --- */

TEST(test_pred_marks_nothing_up_to_min_and_all_from_max_on)
{
	static const char *const specs[] = { "pred(lambda=0.7)", "pred(lambda=0.7, parts=fcs)",
					     "pred(lambda=0.7, parts=qla)" };

	for (size_t i = 0; i < 3; i++) {
		struct pred p;

		pred_open(&p, specs[i]);
		CHECK_STR(p.ops->reasons[0], "ramp");
		CHECK_STR(p.ops->reasons[1], "max");
		for (int k = 0; k < 1000; k++) {
			CHECK_INT(pred_at(&p, FLOW, 0), WEIR_MARK_PASS);
			CHECK_INT(pred_at(&p, FLOW, MIN_BYTES), WEIR_MARK_PASS);
			CHECK_INT(pred_at(&p, FLOW, 500000), CERTAIN);
			CHECK_INT(pred_at(&p, FLOW, UINT32_MAX), CERTAIN);
		}
		CHECK(frequency(&p, 499999) < 0.5);
		pred_close(&p);
	}
}

/* Section 6.2: lambda 0.1 with N, 0.05 with N^2 and 0.2 with sqrt(N) are 0.2, 0.2 and 0.28 per MB
 * at two flows. At five they are 0.5, 1.25 and 0.447. One MB above min. */
TEST(test_pred_multiplies_lambda_by_f_of_the_flows)
{
	static const struct {
		const char *spec;
		double at_two, at_five;
	} cases[] = {
		{ "pred(parts=fcs, max=4MB, f=n, lambda=0.1)", 0.2, 0.5 },
		{ "pred(parts=fcs, max=4MB, f=n2, lambda=0.05)", 0.2, 1 },
		{ "pred(parts=fcs, max=4MB, f=sqrt, lambda=0.2)", 0.28284, 0.44721 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pred p;

		pred_open(&p, cases[i].spec);
		CHECK_NEAR(value(&p, "N"), 1, 0);
		show_flows(&p, 2);
		CHECK_NEAR(frequency(&p, 1015000), cases[i].at_two, four_sigma(cases[i].at_two));
		show_flows(&p, 5);
		CHECK_NEAR(frequency(&p, 1015000), cases[i].at_five, four_sigma(cases[i].at_five));
		CHECK_NEAR(value(&p, "N"), 5, 0);
		pred_close(&p);
	}
}

static double chance(struct weir_rng *beside)
{
	return (double)weir_rng_u32(beside) / 4294967296.0;
}

/* Each verdict against the same draw in floating point: p may differ by the rounding of the slope,
 * 2^-33 of lambda and 2^-16 of sqrt(N) per MB, and by 2^-32. */
TEST(test_pred_line_agrees_with_floating_point)
{
	static const struct {
		const char *spec;
		double lambda, power;
	} cases[] = {
		{ "pred(parts=fcs, lambda=0.1)", 0.1, 1 },
		{ "pred(parts=fcs, lambda=0.7, f=sqrt, counter=bitmap)", 0.7, 0.5 },
		{ "pred(parts=fcs, lambda=0.05, f=n2)", 0.05, 2 },
		{ "pred(parts=fcs, lambda=1000, f=n2, counter=bitmap)", 1000, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_rng random = weir_rng_make(i, 0, WEIR_RNG_TEST);
		struct weir_rng beside = weir_rng_make(env.seed, 0, WEIR_RNG_MARKING);
		int compared = 0;
		struct pred p;

		pred_open(&p, cases[i].spec);
		for (int k = 0; k < 40000; k++) {
			uint32_t queue = (uint32_t)weir_rng_below(&random, 520000);
			uint32_t verdict;
			double flows, slope, above = (queue - (double)MIN_BYTES) / 1e6, u;

			p.now_ns += (int64_t)weir_rng_below(&random, 8000);
			verdict = pred_at(&p, (uint32_t)weir_rng_below(&random, 40), queue);
			if (queue <= MIN_BYTES || queue >= 500000) {
				CHECK_INT(verdict, queue <= MIN_BYTES ? WEIR_MARK_PASS : CERTAIN);
				continue;
			}
			flows = value(&p, "N");
			slope = cases[i].lambda * pow(flows, cases[i].power);
			u = chance(&beside);
			if (fabs(u - slope * above) >
			    0x1p-32 + above * (0x1p-33 * flows * flows + 0x1p-16 * cases[i].lambda))
				CHECK_INT(verdict, u < slope * above ? RAMP : WEIR_MARK_PASS);
			compared++;
		}
		CHECK(compared > 35000);
		pred_close(&p);
	}
}

/* --- the number of flows --- */

/* 1.25 round-trip times of 80 us are 100 us, and an interval ends with the first packet after
 * it. */
TEST(test_pred_counts_flows_for_one_and_a_quarter_round_trips)
{
	static const char *const specs[] = { "pred(parts=fcs)", "pred(counter=bitmap)",
					     "pred(rtt=80us)", "pred(t-fcs=100us, rtt=1ms)" };

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct pred p;

		pred_open(&p, specs[i]);
		p.now_ns = 100000;
		show_flows(&p, 4);
		CHECK_NEAR(value(&p, "N"), 4, 0);
		p.now_ns = 100001;
		show_flows(&p, 2); /* the first one begins the interval */
		CHECK_NEAR(value(&p, "N"), 4, 0);
		p.now_ns = 200002;
		show_flows(&p, 1);
		CHECK_NEAR(value(&p, "N"), 1, 0);
		pred_close(&p);
	}
}

/* No packet but the one that begins an interval: N is 1 all the same, or nothing would be
 * marked. */
TEST(test_pred_never_counts_less_than_one_flow)
{
	struct pred p;

	pred_open(&p, "pred(parts=fcs, lambda=2)");
	for (int i = 0; i < 5; i++) {
		p.now_ns += WEIR_NS_PER_S;
		pred_at(&p, FLOW, 400000);
		CHECK_NEAR(value(&p, "N"), 1, 0);
	}
	CHECK_NEAR(frequency(&p, 415000), 0.8, four_sigma(0.8));
	pred_close(&p);
}

TEST(test_pred_without_fcs_does_not_count)
{
	struct pred p;

	pred_open(&p, "pred(parts=qla, lambda=1)");
	show_flows(&p, 9);
	CHECK(isnan(value(&p, "N")));
	/* Its first trial: lambda 1.025. */
	CHECK_NEAR(frequency(&p, 415000), 0.41, four_sigma(0.41));
	pred_close(&p);
}

TEST(test_pred_takes_no_more_memory_than_its_options_need)
{
	struct pred p;
	size_t least;

	pred_open(&p, "pred(parts=qla)");
	least = weir_mark_state_size(p.ops, p.params);
	pred_close(&p);
	CHECK(least < 512);
	pred_open(&p, "pred(counter=bitmap)");
	CHECK_INT(weir_mark_state_size(p.ops, p.params), least + sizeof(struct flow_count));
	pred_close(&p);
	pred_open(&p, "pred");
	CHECK_INT(weir_mark_state_size(p.ops, p.params), least + sizeof(struct flow_count) + 4096);
	pred_close(&p);
	pred_open(&p, "pred(lookup=table, index-bits=4)");
	CHECK_INT(weir_mark_state_size(p.ops, p.params),
		  least + sizeof(struct flow_count) + 64 + sizeof(struct pred_table));
	CHECK(sizeof(struct pred_table) < 17000);
	pred_close(&p);
}

/* --- trials --- */

/* Queues that make one kind of trial the better one, where only queues count (beta 0): packets find
 * a short one in trials of the one kind and a long one in the others. */
static void run_rounds(struct pred *p, int rounds, int64_t interval_ns, int more_is_better)
{
	for (int i = 0; i < 4 * rounds; i++) {
		int is_more = i % 4 == 0 || i % 4 == 3;
		uint32_t queue = is_more == more_is_better ? 30000 : 60000;

		for (int k = 0; k < 10; k++, p->now_ns += interval_ns / 10)
			pred_at(p, FLOW, queue);
	}
	pred_at(p, FLOW, 30000); /* the last interval is over */
}

/* Five round-trip times are 400 us, so a round takes 1.6 ms. */
TEST(test_pred_tunes_every_four_times_five_round_trips)
{
	struct pred p;

	pred_open(&p, "pred(beta=0)");
	CHECK_NEAR(value(&p, "lambda"), 3, 1e-9);
	CHECK_NEAR(value(&p, "min"), MIN_BYTES, 0);
	run_rounds(&p, 10, 400000, 1);
	CHECK_NEAR(value(&p, "lambda"), 3 + 10 * 0.025, 1e-8);
	CHECK_NEAR(value(&p, "min"), MIN_BYTES, 0);
	run_rounds(&p, 4, 400000, 0);
	CHECK_NEAR(value(&p, "lambda"), 3 + 6 * 0.025, 1e-8);
	pred_close(&p);
}

/* From 0.1 two steps down to 0.05, then min by 5 packets a round: 10 + 4 * 5 = 30 packets. */
TEST(test_pred_turns_min_where_lambda_is_least)
{
	struct pred p;

	pred_open(&p, "pred(beta=0, lambda=0.1, t-qla=100us)");
	run_rounds(&p, 6, 100000, 0);
	CHECK_NEAR(value(&p, "lambda"), 0.05, 1e-8);
	CHECK_NEAR(value(&p, "min"), 30 * MTU_BYTES, 0);
	run_rounds(&p, 5, 100000, 1);
	CHECK_NEAR(value(&p, "lambda"), 0.075, 1e-8);
	CHECK_NEAR(value(&p, "min"), MIN_BYTES, 0);
	pred_close(&p);
}

/* The line is busy all the time, so that use is 1. Mean queues are those that packets find plus
 * half a packet that comes: 30,750 B. Phi = (500,000 - 30,750) / 477,500 = 0.98272, U = 0.4 + 0.6 *
 * that. */
TEST(test_pred_shows_the_utility_of_the_last_trial)
{
	struct pred p;

	pred_open(&p, "pred");
	for (p.now_ns = 0; p.now_ns < 802000; p.now_ns += 1200)
		pred_at(&p, FLOW, 30000);
	CHECK_NEAR(value(&p, "utility"), 0.98963, 0.0002);
	pred_close(&p);
	pred_open(&p, "pred(parts=fcs)");
	CHECK(isnan(value(&p, "utility")));
	pred_close(&p);
}

TEST(test_pred_without_qla_keeps_its_lambda)
{
	struct pred p;

	pred_open(&p, "pred(parts=fcs, lambda=0.1)");
	run_rounds(&p, 10, 400000, 1);
	CHECK_NEAR(value(&p, "lambda"), 0.1, 1e-9);
	CHECK_NEAR(frequency(&p, 415000), 0.04, four_sigma(0.04));
	pred_close(&p);
}

/* The knobs of a trial are in force: lambda 1.025 and 0.975 with one flow, seen by their marks. */
TEST(test_pred_marks_by_the_trial_that_is_going_on)
{
	static const double p_of_trial[] = { 0.41, 0.39, 0.39, 0.41 };
	struct pred p;

	pred_open(&p, "pred(lambda=1)");
	for (int i = 0; i < 4; i++) {
		p.now_ns = i * INT64_C(400000);
		CHECK_NEAR(frequency(&p, 415000), p_of_trial[i], four_sigma(0.4));
	}
	pred_close(&p);
}

/* Appendix C.2: with trials of 400 ms read and written late, a decision takes 85 to 122 ms to be in
 * force. */
TEST(test_pred_on_a_slow_control_plane_marks_by_the_old_trial_for_a_while)
{
	struct pred p;

	pred_open(&p, "pred(lambda=1, lambda-step=0.5, t-qla=400ms, "
		      "read-delay=5ms..12ms, write-delay=80ms..110ms)");
	p.now_ns = 484 * INT64_C(1000000);
	CHECK_NEAR(frequency(&p, 415000), 0.6, four_sigma(0.6)); /* the first trial: more */
	p.now_ns = 523 * INT64_C(1000000);
	CHECK_NEAR(frequency(&p, 415000), 0.2, four_sigma(0.2)); /* the second: less */
	pred_close(&p);
}

/* --- the table --- */

/* Every cell and every number of flows against the formula, with the bound of pred_table.h. */
static void check_table(double lambda, double power, uint64_t min_bytes, uint64_t max_bytes)
{
	struct pred_table *t = calloc(1, sizeof(*t));
	double worst = 0, most = 0;
	uint64_t step = max_bytes / 5000 + 1, cell_bytes;

	CHECK(t != NULL);
	pred_table_init(t, max_bytes);
	cell_bytes = UINT64_C(1) << t->shift;
	CHECK(max_bytes >> t->shift < PRED_TABLE_CELLS);
	for (uint32_t flows = 1; flows <= PRED_TABLE_FLOWS; flows++) {
		double rise = lambda * pow(flows, power);
		double bound = rise * (double)cell_bytes / 2 / 1e6 + 0x1p-16 + 1e-9;
		uint32_t row = pred_table_row(flows);

		CHECK_INT(row, flows - 1);
		CHECK_INT(pred_table_has(t, row), 0);
		pred_table_write(
			t, row,
			(struct pred_line){ min_bytes, (uint64_t)(rise * (double)WEIR_ONE_Q32) });
		CHECK_INT(pred_table_has(t, row), 1);
		for (uint64_t queue = 0; queue < max_bytes; queue += step) {
			double exact = rise * ((double)queue - (double)min_bytes) / 1e6;
			double got = pred_table_p_q16(t, row, queue) / 65536.0;
			double off = fabs(got - fmax(0, fmin(1, exact)));

			if (off > bound)
				test_fail(__FILE__, __LINE__,
					  "%g for %u flows at %llu B: %g, not %g", lambda, flows,
					  (unsigned long long)queue, got, exact);
			worst = fmax(worst, off);
		}
		most = bound;
	}
	printf("lambda %g f(N^%g) min %llu max %llu: off by up to %.5f, bound at 64 flows %.5f\n",
	       lambda, power, (unsigned long long)min_bytes, (unsigned long long)max_bytes, worst,
	       most);
	pred_table_renew(t);
	CHECK_INT(pred_table_has(t, 0), 0);
	free(t);
}

TEST(test_pred_table_agrees_with_the_formula_within_its_bound)
{
	check_table(0.1, 1, MIN_BYTES, 500000);
	check_table(0.7, 1, 22500, 500000);
	check_table(0.2, 0.5, 0, 500000);
	check_table(0.05, 2, 499999, 500000);
	check_table(5, 1, MIN_BYTES, 500000);
	check_table(0.1, 1, MIN_BYTES, 4000000000);
	check_table(1000000, 2, 3, 100);
}

/* By hand: cells of 4096 B for 500 KB; 45,000 B lie in cell 10, whose middle is 43,008 B. With two
 * flows and lambda 5, p = 10 * 0.028008 = 0.28. The formula has 0.3. */
TEST(test_pred_by_table_marks_by_the_middle_of_the_cell)
{
	struct pred p;

	pred_open(&p, "pred(parts=fcs, lambda=5, lookup=table)");
	show_flows(&p, 2);
	CHECK_NEAR(frequency(&p, 45000), 0.28008, four_sigma(0.28));
	CHECK_NEAR(frequency(&p, 45055), 0.28008, four_sigma(0.28));
	CHECK_NEAR(frequency(&p, 45056), 0.32104, four_sigma(0.32));
	CHECK_INT(pred_at(&p, FLOW, 499999) != CERTAIN, 1);
	CHECK_INT(pred_at(&p, FLOW, 500000), CERTAIN);
	pred_close(&p);
	pred_open(&p, "pred(parts=fcs, lambda=5)");
	show_flows(&p, 2);
	CHECK_NEAR(frequency(&p, 45000), 0.3, four_sigma(0.3));
	pred_close(&p);
}

/* A row that was written under the last trial is not used under the next. */
TEST(test_pred_table_follows_the_knobs)
{
	static const double p_of_trial[] = { 0.6, 0.2, 0.2, 0.6 };
	struct pred p;

	pred_open(&p, "pred(lambda=1, lambda-step=0.5, lookup=table, min=15KB)");
	for (int i = 0; i < 8; i++) {
		p.now_ns = i * INT64_C(400000);
		/* Cell 101: middle 415,744 B, 0.400744 MB above min. */
		CHECK_NEAR(frequency(&p, 415000), p_of_trial[i % 4] * 1.00186, four_sigma(0.5));
	}
	pred_close(&p);
}

/* Beyond 64 flows the table has no row. All are there before the table is looked at. */
TEST(test_pred_table_takes_more_flows_for_sixty_four)
{
	struct pred p;

	pred_open(&p, "pred(parts=fcs, lambda=0.01, lookup=table, index-bits=16)");
	for (uint32_t i = 0; i < 200; i++)
		CHECK_INT(pred_at(&p, FLOW + i, 500000), CERTAIN);
	CHECK(value(&p, "N") >= 200);
	CHECK_NEAR(frequency(&p, 415000), 0.64 * 0.400744, four_sigma(0.256));
	pred_close(&p);
}

/* --- options --- */

static void check_refusal(const char *spec, const char *message)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_mark_ops *ops;
	struct weir_error e = { "" };

	if (weir_mark_parse(spec, &ops, params, &e) != -1)
		test_fail(__FILE__, __LINE__, "'%s' was accepted", spec);
	CHECK_CONTAINS(e.text, message);
}

TEST(test_bad_options_of_pred_are_refused)
{
	check_refusal("pred(min=60pkts, max=50pkts)", "pred: min is above max");
	check_refusal("pred(min=600KB)", "pred: min is above max");
	check_refusal("pred(lambda=0.04)", "pred: lambda is below lambda-min");
	check_refusal("pred(lambda=0)", "lambda: '0' is out of range");
	check_refusal("pred(beta=2)", "beta: '2' is out of range; allowed: 0 to 1");
	check_refusal("pred(q-left=2MB)", "pred: q-left is above q-right");
	check_refusal("pred(t-qla=999ns)", "pred: t-qla is shorter than 1us");
	check_refusal("pred(t-qla=2s)", "t-qla: '2s' is out of range");
	check_refusal("pred(read-delay=5ms)", "read-delay and write-delay together may be longer");
	check_refusal("pred(t-qla=100ms, read-delay=5ms..12ms, write-delay=80ms..110ms)",
		      "read-delay and write-delay together may be longer than t-qla");
	check_refusal("pred(index-bits=17)", "index-bits: '17' is out of range; allowed: 1 to 16");
	check_refusal("pred(parts=all)", "parts");
	check_refusal("pred(f=n3)", "f");
}

/* What is of no use to the parts that are there may be anything. */
TEST(test_pred_without_qla_accepts_any_lambda)
{
	struct pred p;

	pred_open(&p, "pred(parts=fcs, lambda=0.01, read-delay=5ms)");
	pred_close(&p);
}
