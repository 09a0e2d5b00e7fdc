/* SPDX-License-Identifier: BSD-3-Clause */
/* test_tune.c -- tuners: QLA's decisions, and every tuner's declaration. The loop is in
 * test_tune_loop.c. */
#include "lib/tune/qla.h"
#include "tests/test.h"
#include <math.h>
#include <string.h>

enum { MTU_BYTES = 1500, MIN_BYTES = 10 * MTU_BYTES, MIN_STEP_BYTES = 5 * MTU_BYTES };

/* QLA on the workbench. */
struct bench {
	struct qla_params params;
	struct qla_state state;
	struct weir_tune_knobs knobs;
};

static void bench_start(struct bench *b, const char *spec, double lambda)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_tune_ops *ops;
	struct weir_error e = { "" };

	if (weir_tune_parse(spec, &ops, params, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(ops == &weir_tune_qla);
	memset(b, 0, sizeof(*b));
	memcpy(&b->params, params, sizeof(b->params));
	b->knobs = (struct weir_tune_knobs){ MIN_BYTES, 500000,
					     (uint64_t)llround(lambda * (double)WEIR_ONE_Q32) };
	weir_tune_qla.init(&b->state, &b->params, MTU_BYTES, &b->knobs);
}

static double knob_lambda(const struct bench *b)
{
	return (double)b->knobs.slope_q32 / (double)WEIR_ONE_Q32;
}

static double base_lambda(const struct bench *b)
{
	return (double)b->state.slope_q32 / (double)WEIR_ONE_Q32;
}

/* An interval of 400 us at 10 Gb/s, 500,000 bytes. */
static double step(struct bench *b, uint64_t out_bytes, uint64_t queue_bytes)
{
	struct weir_tune_telemetry t = { .interval_ns = 400000,
					 .rate_bps = 10000000000,
					 .out_bytes = out_bytes,
					 .queue_mean_bytes = queue_bytes,
					 .queue_max_bytes = queue_bytes,
					 .mtu_bytes = MTU_BYTES };

	weir_tune_qla.step(&b->state, &b->params, &t, &b->knobs);
	return weir_tune_qla.values[0].read(&b->state, &b->params);
}

/* How a pair of trials comes out. */
enum outcome { MORE, LESS, EQUAL };

/* One round; the better trial of a pair has the shorter queue. */
static void round_of_trials(struct bench *b, enum outcome first, enum outcome second)
{
	enum { SHORT = 60000, LONG = 90000 };

	step(b, 500000, first == LESS ? LONG : SHORT);  /* more marking */
	step(b, 500000, first == MORE ? LONG : SHORT);  /* less */
	step(b, 500000, second == MORE ? LONG : SHORT); /* less */
	step(b, 500000, second == LESS ? LONG : SHORT); /* more */
}

/* --- utility --- */

/* By hand, beta 0.4, q-left 15 * 1500 = 22,500, q-right 500,000. At 95 % use 0.4 * 0.95 = 0.38. Phi
 * is 1 at 22,500, 1/2 at 261,250, 0 at 500,000: utilities 0.98, 0.68 and 0.38. */
TEST(test_utility_weighs_use_against_a_short_queue)
{
	struct bench b;

	bench_start(&b, "qla", 0.1);
	CHECK_NEAR(step(&b, 475000, 0), 0.98, 1e-9);
	CHECK_NEAR(step(&b, 475000, 22500), 0.98, 1e-9);
	CHECK_NEAR(step(&b, 475000, 261250), 0.68, 1e-9);
	CHECK_NEAR(step(&b, 475000, 500000), 0.38, 1e-9);
	CHECK_NEAR(step(&b, 475000, 4000000000), 0.38, 1e-9);
	CHECK_NEAR(step(&b, 0, 0), 0.6, 1e-9);
	bench_start(&b, "qla(beta=1)", 0.1);
	CHECK_NEAR(step(&b, 125000, 400000), 0.25, 1e-9);
	bench_start(&b, "qla(beta=0, q-left=10KB, q-right=30KB)", 0.1);
	CHECK_NEAR(step(&b, 125000, 15000), 0.75, 1e-9);
	bench_start(&b, "qla(beta=0, q-left=1000pkts)", 0.1); /* beyond q-right: a step */
	CHECK_NEAR(step(&b, 125000, 1500000), 1, 1e-9);
	CHECK_NEAR(step(&b, 125000, 1500001), 0, 1e-9);
}

/* Reference in floating point over the whole range. */
TEST(test_utility_agrees_with_floating_point)
{
	struct bench b;

	bench_start(&b, "qla(beta=0.3)", 0.1);
	for (uint64_t queue = 0; queue < 600000; queue += 997) {
		uint64_t out = queue * 5 / 6;
		double phi = ((double)500000 - (double)queue) / (500000 - 22500);

		CHECK_NEAR(step(&b, out, queue),
			   0.3 * (double)out / 500000 + 0.7 * fmax(0, fmin(1, phi)), 2e-9);
	}
}

/* --- trials --- */

TEST(test_trials_are_more_less_less_more)
{
	static const double lambda[] = { 0.125, 0.075, 0.075, 0.125 };
	struct bench b;

	bench_start(&b, "qla", 0.1);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++) {
			CHECK_NEAR(knob_lambda(&b), lambda[i], 1e-9);
			CHECK_INT(b.knobs.min_bytes, MIN_BYTES);
			step(&b, 500000, 60000);
		}
	}
}

/* Where lambda and min lie after a round that comes out in one of four ways. */
struct decision {
	enum outcome first, second;
	double lambda;
	uint64_t min_bytes;
};

static void check_decisions(const struct decision *cases, size_t count, double lambda,
			    int rounds_before)
{
	for (size_t i = 0; i < count; i++) {
		struct bench b;

		bench_start(&b, "qla", lambda);
		for (int k = 0; k < rounds_before; k++)
			round_of_trials(&b, LESS, LESS);
		round_of_trials(&b, cases[i].first, cases[i].second);
		CHECK_NEAR(base_lambda(&b), cases[i].lambda, 1e-9);
		CHECK_INT(b.state.min_bytes, cases[i].min_bytes);
	}
}

#define CHECK_DECISIONS(cases, lambda, rounds) \
	check_decisions(cases, sizeof(cases) / sizeof((cases)[0]), lambda, rounds)

/* PRED, section 4.2: four of the eight cases, and pairs without a winner. */
TEST(test_lambda_moves_only_where_both_pairs_agree)
{
	static const struct decision cases[] = {
		{ MORE, MORE, 0.125, MIN_BYTES }, { LESS, LESS, 0.075, MIN_BYTES },
		{ MORE, LESS, 0.1, MIN_BYTES },   { LESS, MORE, 0.1, MIN_BYTES },
		{ EQUAL, EQUAL, 0.1, MIN_BYTES }, { MORE, EQUAL, 0.1, MIN_BYTES },
		{ EQUAL, MORE, 0.1, MIN_BYTES },  { LESS, EQUAL, 0.1, MIN_BYTES },
		{ EQUAL, LESS, 0.1, MIN_BYTES },
	};

	CHECK_DECISIONS(cases, 0.1, 0);
}

/* The other four: at lambda-min with min two steps up. */
TEST(test_min_moves_only_where_both_pairs_agree)
{
	static const struct decision cases[] = {
		{ MORE, MORE, 0.05, MIN_BYTES + MIN_STEP_BYTES },
		{ LESS, LESS, 0.05, MIN_BYTES + 3 * MIN_STEP_BYTES },
		{ MORE, LESS, 0.05, MIN_BYTES + 2 * MIN_STEP_BYTES },
		{ LESS, MORE, 0.05, MIN_BYTES + 2 * MIN_STEP_BYTES },
		{ EQUAL, EQUAL, 0.05, MIN_BYTES + 2 * MIN_STEP_BYTES },
	};

	CHECK_DECISIONS(cases, 0.05, 2);
}

/* Where lambda meets lambda-min: more marking is more lambda, less marking is more min. */
TEST(test_at_the_boundary_one_way_is_lambda_and_the_other_min)
{
	static const struct decision cases[] = {
		{ MORE, MORE, 0.075, MIN_BYTES },
		{ LESS, LESS, 0.05, MIN_BYTES + MIN_STEP_BYTES },
		{ MORE, LESS, 0.05, MIN_BYTES },
		{ LESS, MORE, 0.05, MIN_BYTES },
	};
	static const struct {
		double lambda;
		uint64_t min_bytes;
	} trials[] = { { 0.075, MIN_BYTES },
		       { 0.05, MIN_BYTES + MIN_STEP_BYTES },
		       { 0.05, MIN_BYTES + MIN_STEP_BYTES },
		       { 0.075, MIN_BYTES } };
	struct bench b;

	CHECK_DECISIONS(cases, 0.05, 0);
	CHECK_DECISIONS(cases, 0.1, 2); /* the same after two steps down */
	bench_start(&b, "qla", 0.05);
	for (int i = 0; i < 4; i++) {
		CHECK_NEAR(knob_lambda(&b), trials[i].lambda, 1e-9);
		CHECK_INT(b.knobs.min_bytes, trials[i].min_bytes);
		step(&b, 500000, 60000);
	}
}

TEST(test_lambda_stops_at_its_smallest_wherever_it_started)
{
	struct bench b;

	bench_start(&b, "qla", 0.06);
	step(&b, 500000, 60000);
	CHECK_NEAR(knob_lambda(&b), 0.05, 1e-9); /* the trial, not 0.035 */
	bench_start(&b, "qla", 0.06);
	round_of_trials(&b, LESS, LESS);
	CHECK_NEAR(base_lambda(&b), 0.05, 1e-9);
	CHECK_INT(b.state.min_bytes, MIN_BYTES);
}

/* Down the whole ladder and up again: lambda 0.1, 0.075, 0.05, then min 10, 15, 20 packets, and
 * back. */
TEST(test_lambda_moves_again_once_min_is_back)
{
	struct bench b;

	bench_start(&b, "qla", 0.1);
	for (int i = 0; i < 4; i++)
		round_of_trials(&b, LESS, LESS);
	CHECK_NEAR(base_lambda(&b), 0.05, 1e-9);
	CHECK_INT(b.state.min_bytes, MIN_BYTES + 2 * MIN_STEP_BYTES);
	CHECK_INT(b.knobs.min_bytes, MIN_BYTES + MIN_STEP_BYTES); /* a trial on min */
	CHECK_NEAR(knob_lambda(&b), 0.05, 1e-9);
	for (int i = 0; i < 2; i++)
		round_of_trials(&b, MORE, MORE);
	CHECK_NEAR(base_lambda(&b), 0.05, 1e-9);
	CHECK_INT(b.state.min_bytes, MIN_BYTES);
	for (int i = 0; i < 2; i++)
		round_of_trials(&b, MORE, MORE);
	CHECK_NEAR(base_lambda(&b), 0.1, 1e-9);
	CHECK_INT(b.state.min_bytes, MIN_BYTES);
}

/* 0.1 - 2 * 0.025 is 1 / 2^32 above 0.05 once all three are rounded: that is lambda-min already. */
TEST(test_rounding_of_settings_is_no_rung)
{
	struct bench b;

	bench_start(&b, "qla", 0.1);
	CHECK(b.state.slope_q32 - 2 * b.params.slope_step_q32 == b.params.slope_min_q32 + 1);
	round_of_trials(&b, LESS, LESS);
	round_of_trials(&b, LESS, LESS);
	CHECK(b.state.slope_q32 == b.params.slope_min_q32);
	round_of_trials(&b, LESS, LESS);
	CHECK_INT(b.state.min_bytes, MIN_BYTES + MIN_STEP_BYTES);
}

TEST(test_min_rises_no_further_than_max)
{
	struct bench b;

	bench_start(&b, "qla(min-step=200KB)", 0.05);
	for (int i = 0; i < 9; i++)
		round_of_trials(&b, LESS, LESS);
	CHECK_INT(b.state.min_bytes, 500000);
	round_of_trials(&b, MORE, MORE);
	CHECK_INT(b.state.min_bytes, 300000);
	round_of_trials(&b, MORE, MORE);
	round_of_trials(&b, MORE, MORE); /* the last step is a part */
	CHECK_INT(b.state.min_bytes, MIN_BYTES);
}

TEST(test_lambda_rises_no_further_than_to_one_in_a_byte)
{
	struct bench b;

	bench_start(&b, "qla(lambda-step=400000)", 1);
	for (int i = 0; i < 9; i++)
		round_of_trials(&b, MORE, MORE);
	CHECK(b.state.slope_q32 == QLA_SLOPE_MAX_Q32);
	CHECK(b.knobs.slope_q32 == QLA_SLOPE_MAX_Q32);
}

/* A line whose queue is 20 KB / lambda and which is busy as long as that is 25 KB or more: the best
 * lambda is 0.8, and QLA ends within a step of it from either side. */
TEST(test_qla_finds_the_best_lambda)
{
	for (double start = 0.1; start < 3; start += 1.4) {
		struct bench b;

		bench_start(&b, "qla", start);
		for (int i = 0; i < 4 * 200; i++) {
			double queue = 20000 / knob_lambda(&b);
			double use = queue < 25000 ? queue / 25000 : 1;

			step(&b, (uint64_t)(500000 * use), (uint64_t)queue);
		}
		CHECK_NEAR(base_lambda(&b), 0.8, 0.026);
	}
}

/* What tune.h promises of idle_steps. */
TEST(test_qla_goes_round_in_circles_on_an_idle_line)
{
	for (int busy = 0; busy < 8; busy++) {
		struct bench b, before;

		bench_start(&b, "qla", 0.1);
		for (int i = 0; i < busy; i++)
			step(&b, 500000, i & 1 ? 90000 : 60000);
		for (uint32_t i = 0; i < 2 * weir_tune_qla.idle_steps; i++)
			step(&b, 0, 0);
		for (int turns = 0; turns < 4; turns++) {
			before = b;
			for (uint32_t i = 0; i < weir_tune_qla.idle_steps; i++)
				step(&b, 0, 0);
			CHECK(memcmp(&before, &b, sizeof(b)) == 0);
			step(&b, 0, 0); /* from each place in the circle */
		}
	}
}

/* --- the registry --- */

TEST(test_every_tuner_declares_itself_completely)
{
	for (size_t i = 0; weir_tune_all[i]; i++) {
		_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX] = { 0 };
		const struct weir_tune_ops *ops = weir_tune_all[i], *found;
		struct weir_error e = { "" };

		CHECK(weir_tune_find(ops->scheme.name) == ops);
		CHECK(ops->scheme.help && ops->scheme.help[0] &&
		      ops->scheme.help[strlen(ops->scheme.help) - 1] != '.');
		CHECK(ops->scheme.cite && ops->scheme.cite[0]);
		CHECK(ops->init && ops->step && ops->scheme.params_size <= WEIR_SPEC_PARAMS_MAX);
		for (const struct weir_option *o = ops->scheme.options; o && o->name; o++)
			CHECK(o->offset + sizeof(uint64_t) <= ops->scheme.params_size);
		CHECK_INT(weir_tune_parse(ops->scheme.name, &found, params, &e), 0);
		CHECK(found == ops);
	}
	CHECK(weir_tune_find("no") == NULL);
}

static void check_refusal(const char *spec, const char *message)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_tune_ops *ops;
	struct weir_error e = { "" };

	CHECK_INT(weir_tune_parse(spec, &ops, params, &e), -1);
	CHECK_CONTAINS(e.text, message);
}

TEST(test_bad_tuners_are_refused)
{
	check_refusal("qly", "unknown tuner 'qly'; there are qla (nearest: qla)");
	check_refusal("qla(beta=1.1)", "beta: '1.1' is out of range; allowed: 0 to 1");
	check_refusal("qla(lambda-min=0)", "lambda-min");
	check_refusal("qla(min-step=0pkts)", "min-step");
	check_refusal("qla(q-left=20KB, q-right=10KB)", "qla: q-left is above q-right");
}
