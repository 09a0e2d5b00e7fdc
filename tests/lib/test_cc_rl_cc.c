/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_rl_cc.c -- rl-cc: its signal and its linear rule by hand, what a network gets,
 * contract. */
#include "tests/decision_fixture.h"
#include "tests/learn_fixture.h"
#include "lib/cc/learned.h"
#include "lib/cc/reward.h"

/* A round trip of that many ns, after which it is time to act again. */
static void round_of(struct pair *q, int64_t rtt_ns)
{
	q->ack.now_ns += rtt_ns;
	q->ack.rtt_ns = rtt_ns;
	pair_acked(q, PAIR_MSS);
}

/* Base 10 us, beta 1, target 0.064, scale 12.5; u = -0.2 g, alpha 0.2, from line rate:
 *	10 us:	x = 0,		g = -0.8,	u = 0.16, but the line is the limit
 *	11 us:	x = 0.1,	g = 0.45,	u = -0.09, rate / 1.018 = 98.2318 Gb/s
 *	14 us:	x = 0.4 sqrt(0.982318) = 0.396448,	g = 4.15559,	u = -0.831119,
 *		rate / 1.166224 = 84.2307 Gb/s
 *	30 us:	x = 2 sqrt(0.842307) = 1.83554,	g = 22.14 clipped at 5,	u = -1,
 *		rate / 1.2 = 70.1923 Gb/s */
TEST(test_rl_cc_linear_rule_follows_a_trace_by_hand)
{
	static const int64_t rtt_ns[] = { 10000, 11000, 14000, 30000 };
	static const double signal[] = { -0.8, 0.45, 4.15559, 5 };
	static const double gbps[] = { 100, 98.2318, 84.2307, 70.1923 };
	struct pair q;
	struct decisions s;

	pair_make(&q, "rl-cc(policy=linear)");
	decisions_watch(&q, &s);
	for (uint32_t i = 0; i < 4; i++) {
		round_of(&q, rtt_ns[i]);
		CHECK_INT(s.count, i + 1);
		CHECK_NEAR(s.rows[i].signal, signal[i], 2e-5);
		CHECK_NEAR((double)pace(&q)->rate_bps / 1e9, gbps[i], 2e-4);
		CHECK_INT(pace(&q)->window_bytes, i ? PAIR_BDP - (i + 1) * PAIR_MSS : PAIR_BDP);
	}
	q.ack.now_ns += 29999; /* once a round trip */
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(s.count, 4);
}

/* Two cuts of 1 / 1.2: the first 125,000 bytes are sent whole, then the window is 86,806. */
TEST(test_rl_cc_window_follows_its_rate_after_the_first_one)
{
	static const char *const always[] = { "rl-cc(policy=linear, window=bdp)",
					      "rl-cc(policy=linear, preset=literal)",
					      "rl-cc(policy=linear, preset=nvlabs)" };
	struct pair q;

	pair_make(&q, "rl-cc(policy=linear)");
	round_of(&q, 100000);
	round_of(&q, 100000);
	CHECK_NEAR((double)pace(&q)->rate_bps / 1e9, 69.4444, 1e-4);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP - 2 * PAIR_MSS);
	q.ack.now_ns++; /* no decision is due */
	pair_acked(&q, 38 * PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 86806);
	pair_acked(&q, PAIR_BDP);
	round_of(&q, 100000);
	CHECK_INT(pace(&q)->window_bytes, 72338);
	for (uint32_t i = 0; i < 3; i++) {
		pair_make(&q, always[i]);
		round_of(&q, 100000);
		round_of(&q, 100000);
		CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	}
}

/* 12 us / 8192 ns is below 1.5: nothing is felt. 20 us: (2.44141 - 1.5 - 0.064) 12.5 = 10.9676. */
TEST(test_rl_cc_presets_differ_in_base_beta_and_clip)
{
	struct pair q;
	struct decisions s;

	pair_make(&q, "rl-cc(policy=linear, preset=nvlabs)");
	decisions_watch(&q, &s);
	round_of(&q, 12000);
	CHECK_NEAR(s.rows[0].signal, -0.8, 1e-6);
	round_of(&q, 20000);
	CHECK_NEAR(s.rows[1].signal, 10.9676, 1e-4);
	pair_make(&q, "rl-cc(policy=linear, preset=literal)");
	decisions_watch(&q, &s);
	round_of(&q, 100000); /* (9 - 0.064) 12.5 */
	CHECK_NEAR(s.rows[0].signal, 111.7, 1e-4);
}

/* (factor, signal) of the action before and of this one, and an LSTM that goes on from action to
 * action: the same as the whole sequence at once. */
TEST(test_rl_cc_network_sees_two_intervals_and_remembers_the_rest)
{
	static const int64_t rtt_ns[] = { 10000, 13000, 12000, 15000, 10500 };
	struct weir_learn_plan plan =
		weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = WEIR_RL_CC_INPUTS,
								  .outputs = 1,
								  .hidden = { 12, 12 },
								  .lstm_units = 12,
								  .output = WEIR_LEARN_TANH,
								  .bias = WEIR_LEARN_NO_BIAS });
	struct weir_learn_policy policy = { "m", "rl-cc", "", "", NULL, NULL, NULL };
	float inputs[5][WEIR_RL_CC_INPUTS];
	struct weir_error e = { "" };
	struct learn_fixture d;
	struct pair q;
	struct decisions s;

	pair_make(&q, "rl-cc");
	fixture_open(&d, &plan, 1, 5);
	weir_learn_net_init_weights(&d.net, WEIR_LEARN_ORTHOGONAL,
				    (struct weir_learn_draw){ 2, 0, 0 }, d.weights);
	policy.net = &d.net;
	policy.weights = d.weights;
	CHECK_INT(q.ops->scheme.model->fits(q.params, &policy, &e), 0);
	((struct learned_params *)(void *)q.params)->network = &policy;
	decisions_watch(&q, &s);
	for (uint32_t i = 0; i < 5; i++) {
		round_of(&q, rtt_ns[i]);
		memcpy(inputs[i], s.rows[i].observation, sizeof(inputs[i]));
		CHECK_NEAR(inputs[i][3], s.rows[i].signal, 0);
		if (i) {
			CHECK_NEAR(inputs[i][0], inputs[i - 1][2], 0);
			CHECK_NEAR(inputs[i][1], inputs[i - 1][3], 0);
			CHECK_NEAR(inputs[i][2], learned_factor(0.2, s.rows[i - 1].action), 1e-6);
		}
	}
	CHECK_NEAR(inputs[0][0], 1, 0);
	CHECK_NEAR(inputs[0][1], 0, 0);
	weir_learn_forward(
		&d.net, d.weights,
		&(struct weir_learn_batch){ .samples = 1, .steps = 5, .sequence = inputs[0] },
		d.tape, d.output);
	for (uint32_t i = 0; i < 5; i++)
		CHECK_NEAR(s.rows[i].action, d.output[i], 1e-7);
	CHECK(s.rows[1].action != s.rows[0].action);
	fixture_close(&d);
}

TEST(test_rl_cc_takes_models_of_four_inputs_only)
{
	struct weir_learn_plan plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = 8, .outputs = 1, .hidden = { 12 }, .output = WEIR_LEARN_TANH });
	struct weir_learn_policy policy = { "m", "rl-cc", "", "", NULL, NULL, NULL };
	struct weir_error e = { "" };
	struct weir_learn_net net;
	struct pair q;

	pair_make(&q, "rl-cc(rnn=none)");
	CHECK_STR(q.ops->scheme.model->standard(q.params), "rl-cc-mlp");
	CHECK_INT(weir_learn_net_init(&net, &plan, &e), 0);
	policy.net = &net;
	CHECK_INT(q.ops->scheme.model->fits(q.params, &policy, &e), -1);
	CHECK_STR(e.text, "it has 8 inputs; rl-cc needs 4");
	pair_make(&q, "rl-cc(policy=linear)");
	CHECK_STR(q.ops->scheme.model->standard(q.params), NULL);
}

TEST(test_rl_cc_obeys_the_contract)
{
	struct pair q;

	pair_check_contract("rl-cc(policy=linear)");
	pair_check_contract("rl-cc(policy=linear, preset=nvlabs, clock=0)");
	pair_check_extremes("rl-cc");
	pair_make(&q, "rl-cc(policy=linear)"); /* no round trip */
	q.env.base_rtt_ns = 0;
	pair_reset(&q);
	pair_hash(&q, 3, 2000);
}
