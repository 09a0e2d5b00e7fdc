/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_fdcc.c -- fdcc: observations and factors by hand, its clock, how a network gets the past,
 * which models fit, contract. */
#include "tests/decision_fixture.h"
#include "tests/learn_fixture.h"
#include "lib/cc/fdcc.h"

/* --- networks --- */

/* A network for the pair's control; policy is the caller's to keep. */
static void give_network(struct pair *q, struct learn_fixture *d,
			 const struct weir_learn_plan *plan, struct weir_learn_policy *policy)
{
	struct fdcc_params *p = (void *)q->params;

	fixture_open(d, plan, 1, FDCC_PAST_MAX);
	*policy = (struct weir_learn_policy){ .name = "test",
					      .scheme = "",
					      .features = "",
					      .actions = "",
					      .net = &d->net,
					      .weights = d->weights };
	p->learned.network = policy;
}

static struct weir_learn_plan stack_plan(uint32_t inputs)
{
	return weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = inputs, .outputs = 1, .hidden = { 64, 64 }, .output = WEIR_LEARN_TANH });
}

static struct weir_learn_plan recall_plan(uint32_t hidden)
{
	return weir_learn_plan_recurrent(&(struct weir_learn_recurrent){
		.observation_size = FDCC_OBSERVATIONS,
		.hidden = hidden,
		.outputs = 1,
		.output = WEIR_LEARN_TANH,
	});
}

static void start_weights(struct learn_fixture *d, uint64_t seed)
{
	weir_learn_net_init_weights(&d->net, WEIR_LEARN_HE_UNIFORM,
				    (struct weir_learn_draw){ seed, 0, 0 }, d->weights);
}

/* Weights of one layer without a hidden one that reads a single input: u = tanh(weight x). */
static void read_one(struct learn_fixture *d, uint32_t input, float weight)
{
	const struct weir_learn_place *p = &d->net.places[0];

	d->weights[p->weights + input * p->stride] = weight;
}

static struct weir_learn_plan one_layer_plan(uint32_t inputs)
{
	return weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = inputs, .outputs = 1, .output = WEIR_LEARN_TANH });
}

/* An ACK a ms after the last one: an action is due. */
static void acked_later(struct pair *q, uint64_t bytes)
{
	q->ack.now_ns += WEIR_NS_PER_MS;
	pair_acked(q, bytes);
}

/* --- observations --- */

/* Base round trip 10 us, line 100 Gb/s = 12.5 bytes/ns. The first ACK, at 20 us after 15 us:
 *	RTT 1.5; port 1 (100 Gb/s): QLEN 25000 / 125000 = 0.2, the rest is not known yet
 * The second, 10 us later after 20 us, when all that was halved is due:
 *	port 1: QLEN 75000 / 125000 = 0.6, 75000 bytes in 10 us: 0.6; together 1.2
 *	port 2 (25 Gb/s, 31250 bytes in 10 us): QLEN 15625 / 31250 = 0.5, 25000 bytes: 0.8;
 *		together 1.3: this one
 *	GOODPUT 25000 bytes in 10 us of the receiver's clock, whose line is that of port 2: 0.8
 *	dRTT (2 - 1.5) / 1, dQLEN (0.5 - 0.2) / 1, INSRATE 83333 / 125000, last action 2/3 - 1 */
static void two_acks(struct pair *q)
{
	q->ack.now_ns = 20000;
	q->ack.rtt_ns = 15000;
	q->ack.rx_ns = 500;
	q->ack.hop_count = 2;
	q->hops[0] = (struct weir_cc_hop){ 1, 25000, 100000, 1000, 100000, 2 };
	q->hops[1] = (struct weir_cc_hop){ 2, 0, UINT32_MAX - 999, UINT32_MAX - 4999, 25000, 3 };
	pair_acked(q, 1000);
	q->ack.now_ns = 30000;
	q->ack.rtt_ns = 20000;
	q->ack.rx_ns = 10500;
	q->hops[0] = (struct weir_cc_hop){ 1, 75000, 175000, 11000, 100000, 2 };
	q->hops[1] = (struct weir_cc_hop){ 2, 15625, 24000, 5000, 25000, 3 };
	pair_acked(q, 25000);
}

static void check_observations(const struct weir_cc_decision *d,
			       const float expected[FDCC_OBSERVATIONS])
{
	for (uint32_t i = 0; i < FDCC_OBSERVATIONS; i++)
		CHECK_NEAR(d->observation[i], expected[i], 1e-5);
}

TEST(test_fdcc_observes_two_acks_as_reckoned_by_hand)
{
	static const float first[] = { 1.5F, 0.2F, 0, 0, 0, 0, 1, 0 };
	static const float second[] = { 2, 0.5F, 0.8F, 0.8F, 0.5F, 0.3F, 0.666664F, -1.0F / 3 };
	struct pair q;
	struct decisions s;

	pair_make(&q, "fdcc(policy=always-cut, rates=linear, clock=0.5)");
	CHECK_INT(q.ops->needs, WEIR_CC_NEEDS_INT | WEIR_CC_NEEDS_PATH);
	decisions_watch(&q, &s);
	q.ack.flow = 5;
	two_acks(&q);
	CHECK_INT(s.count, 2);
	check_observations(&s.rows[0], first);
	check_observations(&s.rows[1], second);
	CHECK_INT(s.rows[1].flow, 5);
	CHECK_INT(s.rows[1].number, 1);
	CHECK_INT(s.rows[1].now_ns, 30000);
	CHECK_NEAR(s.rows[1].action, -1, 0);
	CHECK_NEAR(s.rows[1].flows, 3, 0);
	CHECK_NEAR(s.rows[1].throughput, 0.8, 1e-6);
	CHECK_NEAR(s.rows[1].switch_rate, 0.8, 1e-6);
	CHECK_NEAR(s.rows[1].queue, 0.5, 1e-6);
	CHECK_NEAR(s.rows[1].rtt, 2, 1e-6);
}

/* The path of this pair is 4 us shorter than the longest one, 6 us of 10. With base = common a
 * round trip of 15 us is one of 19 us, 1.9, as a flow of the longest path sees the same queue; the
 * queue is 0.2 of 125000 bytes. With base = own it is 15 / 6, and the queue 25000 bytes of 75000.
 */
TEST(test_fdcc_counts_round_trips_from_the_flows_own_base)
{
	static const struct {
		const char *cc;
		double rtt, queue;
	} readings[] = { { "fdcc(policy=always-cut)", 1.9, 0.2 },
			 { "fdcc(policy=always-cut, base=own)", 2.5, 1.0 / 3 },
			 { "fdcc(policy=always-cut, preset=thesis)", 2.5, 1.0 / 3 } };

	for (uint32_t i = 0; i < 3; i++) {
		struct decisions s;
		struct pair q;

		pair_make(&q, readings[i].cc);
		CHECK(q.ops->needs & WEIR_CC_NEEDS_PATH);
		q.env.path_shorter_ns = 4000;
		decisions_watch(&q, &s);
		two_acks(&q);
		CHECK_NEAR(s.rows[0].rtt, readings[i].rtt, 1e-6);
		CHECK_NEAR(s.rows[0].queue, readings[i].queue, 1e-6);
	}
}

/* Goodput and rate, 0.8 and 2/3 of a line, by their fourth roots; 1/16 and 1/256 would be 1/2 and
 * 1/4. */
TEST(test_fdcc_sees_rates_by_their_fourth_roots)
{
	static const float second[] = {
		2, 0.5F, 0.8F, 0.945742F, 0.5F, 0.3F, 0.903602F, -1.0F / 3
	};
	struct pair q;
	struct decisions s;

	pair_make(&q, "fdcc(policy=always-cut, clock=0.5)");
	decisions_watch(&q, &s);
	two_acks(&q);
	check_observations(&s.rows[1], second);
	CHECK_NEAR(s.rows[1].throughput, 0.8, 1e-6);
	CHECK_NEAR(weir_fdcc_rate_seen(FDCC_RATES_ROOT, 1.0 / 256), 0.25, 0);
	CHECK_NEAR(weir_fdcc_rate_seen(FDCC_RATES_LINEAR, 1.0 / 256), 1.0 / 256, 0);
}

/* Changes in 10 us are 100 times as large in 1 ms; the factor accumulates: 2/3 and then 4/9, but
 * not below 0.5. */
TEST(test_fdcc_thesis_has_milliseconds_and_factors_that_accumulate)
{
	static const float second[] = { 2, 0.5F, 0.8F, 0.8F, 50, 30, 0.666664F, 2.0F / 3 };
	struct pair q;
	struct decisions s;

	pair_make(&q, "fdcc(preset=thesis, policy=always-cut)");
	decisions_watch(&q, &s);
	two_acks(&q);
	check_observations(&s.rows[1], second);
	CHECK_INT(pace(&q)->window_bytes, 41666); /* of 83333 */
	pair_make(&q, "fdcc(preset=thesis, dt=rtt, last-action=change, action=direct, "
		      "policy=always-cut)");
	decisions_watch(&q, &s);
	two_acks(&q);
	CHECK_NEAR(s.rows[1].observation[FDCC_RTT_CHANGE], 0.5, 1e-6);
	CHECK_NEAR(s.rows[1].observation[FDCC_LAST_ACTION], -1.0 / 3, 1e-6);
	CHECK_INT(pace(&q)->window_bytes, 55555);
}

/* An RTT of 450 and a queue of 449 are 20 and 20; they came in one round trip: 5 and 5. */
TEST(test_fdcc_clips_what_it_observes_but_not_what_rewards_are_made_of)
{
	struct pair q;
	struct decisions s;

	pair_make(&q, "fdcc(policy=window-only, clock=0.0001)");
	decisions_watch(&q, &s);
	two_acks(&q);
	q.ack.now_ns += PAIR_RTT_NS;
	q.ack.rtt_ns = 450 * PAIR_RTT_NS;
	q.hops[0].queue_bytes = 449 * PAIR_BDP;
	pair_acked(&q, 1000);
	CHECK_NEAR(s.rows[2].observation[FDCC_RTT], 20, 0);
	CHECK_NEAR(s.rows[2].observation[FDCC_QUEUE], 20, 0);
	CHECK_NEAR(s.rows[2].observation[FDCC_RTT_CHANGE], 5, 0);
	CHECK_NEAR(s.rows[2].observation[FDCC_QUEUE_CHANGE], 5, 0);
	CHECK_NEAR(s.rows[2].rtt, 450, 1e-3);
	CHECK_NEAR(s.rows[2].queue, 449, 1e-3);
}

/* --- acting --- */

TEST(test_fdcc_acts_at_the_first_ack_and_then_after_its_share_of_the_last_round_trip)
{
	struct pair q;
	struct decisions s;

	pair_make(&q, "fdcc(policy=window-only, clock=0.5)");
	decisions_watch(&q, &s);
	q.ack.now_ns = 100000;
	q.ack.rtt_ns = 12000;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(s.count, 1);
	q.ack.now_ns = 105999;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(s.count, 1);
	q.ack.now_ns = 106000;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(s.count, 2);
	q.ack.rtt_ns = 30000; /* the last sample counts, that of this ACK */
	q.ack.now_ns = 120999;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(s.count, 2);
	q.ack.rtt_ns = 0; /* no sample: 30 us still */
	q.ack.now_ns = 121000;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(s.count, 3);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
}

TEST(test_fdcc_acts_once_a_round_trip_and_twice_as_often_in_preset_thesis)
{
	static const struct {
		const char *cc;
		int64_t due_ns;
	} clocks[] = { { "fdcc(policy=window-only)", 112000 },
		       { "fdcc(policy=window-only, preset=thesis)", 106000 },
		       { "fdcc(policy=window-only, preset=thesis, clock=1)", 112000 } };

	for (uint32_t i = 0; i < 3; i++) {
		struct decisions s;
		struct pair q;

		pair_make(&q, clocks[i].cc);
		decisions_watch(&q, &s);
		q.ack.now_ns = 100000;
		q.ack.rtt_ns = 12000;
		pair_acked(&q, PAIR_MSS);
		q.ack.now_ns = clocks[i].due_ns - 1;
		pair_acked(&q, PAIR_MSS);
		CHECK_INT(s.count, 1);
		q.ack.now_ns++;
		pair_acked(&q, PAIR_MSS);
		CHECK_INT(s.count, 2);
	}
}

/* u = 1, 0.5, -0.5, -1 with alpha 0.5: 1.5, 1.25, 0.8, 0.667; as many steps down as up lead
 * back. */
TEST(test_learned_factors_are_symmetric)
{
	CHECK_NEAR(learned_factor(0.5, 1), 1.5, 1e-12);
	CHECK_NEAR(learned_factor(0.5, 0.5), 1.25, 1e-12);
	CHECK_NEAR(learned_factor(0.5, 0), 1, 0);
	CHECK_NEAR(learned_factor(0.5, -0.5), 0.8, 1e-12);
	CHECK_NEAR(learned_factor(0.5, -1), 1 / 1.5, 1e-12);
	for (int i = -10; i <= 10; i++)
		CHECK_NEAR(learned_factor(0.2, i / 10.0) * learned_factor(0.2, -i / 10.0), 1,
			   1e-12);
}

/* Cuts of 2/3 end at 100 Mb/s x 10 us = 125 bytes, one packet in flight; growth ends at the line.
 * The network says -1, then +1. */
TEST(test_fdcc_window_stays_between_least_rate_and_bandwidth_delay_product)
{
	struct weir_learn_plan plan = one_layer_plan(FDCC_OBSERVATIONS);
	struct weir_learn_policy policy;
	struct learn_fixture d;
	struct pair q;

	pair_make(&q, "fdcc(clock=0.0001, first-window=scaled)");
	give_network(&q, &d, &plan, &policy);
	read_one(&d, FDCC_RTT, -100);
	q.ack.rtt_ns = PAIR_RTT_NS;
	acked_later(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 83333);
	CHECK_NEAR((double)pace(&q)->rate_bps, 66.6664e9, 1);
	for (int i = 0; i < 40; i++)
		acked_later(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_MSS);
	CHECK(pace(&q)->rate_bps == PAIR_MIN_BPS);
	read_one(&d, FDCC_RTT, 100);
	acked_later(&q, PAIR_MSS);
	CHECK_NEAR((double)pace(&q)->rate_bps, 149.6e6, 1); /* floor(187.5) bytes in 10 us */
	for (int i = 0; i < 40; i++)
		acked_later(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
	fixture_close(&d);
}

/* One cut to 2/3: the rate falls at once, while the bytes in flight may reach to the end of the
 * first 125,000 until 41,667 of them are acknowledged; from there on the window is larger. */
TEST(test_fdcc_sends_its_first_window_whole_at_the_rate_of_the_network)
{
	struct pair q;

	pair_make(&q, "fdcc(policy=always-cut)");
	q.ack.now_ns = 100000;
	q.ack.rtt_ns = 1000000; /* the next decision is far */
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP - PAIR_MSS);
	CHECK_NEAR((double)pace(&q)->rate_bps, 66.6664e9, 1);
	q.ack.now_ns++;
	pair_acked(&q, 41000 - PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP - 41000);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 83333);
	pair_acked(&q, PAIR_BDP);
	CHECK_INT(pace(&q)->window_bytes, 83333);
	pair_make(&q, "fdcc(policy=always-cut, preset=thesis)");
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 83333);
}

/* 125 packets x 2/3 = 83.3; at least one. min-rate 1 Gb/s is 1250 bytes. A quarter of the line
 * halves alpha. */
TEST(test_fdcc_floor_min_rate_and_gain_do_what_they_say)
{
	struct pair q;

	pair_make(&q, "fdcc(policy=always-cut, clock=0.0001, floor=packet, first-window=scaled)");
	acked_later(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 83000);
	for (int i = 0; i < 40; i++)
		acked_later(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_MSS);
	CHECK_INT(pace(&q)->rate_bps, 800000000);
	pair_make(&q, "fdcc(policy=always-cut, clock=0.0001, min-rate=1Gbps)");
	for (int i = 0; i < 40; i++)
		acked_later(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->rate_bps, 1000000000);
	pair_make(&q,
		  "fdcc(policy=always-cut, clock=0.0001, gain=rate, alpha=3, first-window=scaled)");
	acked_later(&q, PAIR_MSS); /* 1 / (1 + 3): a quarter */
	CHECK_INT(pace(&q)->window_bytes, 31250);
	acked_later(&q, PAIR_MSS); /* 1 / (1 + 1.5) */
	CHECK_INT(pace(&q)->window_bytes, 12500);
}

/* --- the past --- */

/* The network sees four observations and reads the RTT of the oldest: its own at first, that of the
 * first ACK while there are fewer than four, then the one three actions ago. */
TEST(test_fdcc_stacks_past_observations_in_front_of_the_current_one)
{
	static const int64_t rtt[] = { 1, 2, 3, 4, 5, 6 };
	static const int64_t read[] = { 1, 1, 1, 1, 2, 3 };
	struct weir_learn_plan plan = one_layer_plan(4 * FDCC_OBSERVATIONS);
	struct weir_learn_policy policy;
	struct learn_fixture d;
	struct pair q;
	struct decisions s;

	pair_make(&q, "fdcc(clock=0.0001)");
	give_network(&q, &d, &plan, &policy);
	decisions_watch(&q, &s);
	read_one(&d, FDCC_RTT, 0.1F);
	for (int i = 0; i < 6; i++) {
		q.ack.now_ns += PAIR_RTT_NS;
		q.ack.rtt_ns = rtt[i] * PAIR_RTT_NS;
		acked_later(&q, PAIR_MSS);
		CHECK_NEAR(s.rows[i].action, weir_learn_tanh(0.1F * (float)read[i]), 1e-6);
	}
	fixture_close(&d);
}

/* What fdcc does with a recurrent network is what the network says of the rows before, eight at
 * most. */
TEST(test_fdcc_gives_a_recurrent_network_up_to_eight_past_observations)
{
	struct weir_learn_plan plan = recall_plan(32);
	struct weir_learn_policy policy;
	struct learn_fixture d;
	struct pair q;
	struct decisions s;
	float u;

	pair_make(&q, "fdcc(clock=0.0001)");
	give_network(&q, &d, &plan, &policy);
	start_weights(&d, 3);
	decisions_watch(&q, &s);
	for (uint32_t i = 0; i < 12; i++) {
		float past[FDCC_PAST_MAX][FDCC_OBSERVATIONS];
		uint32_t steps = i < FDCC_PAST_MAX ? i : FDCC_PAST_MAX;

		q.ack.now_ns += PAIR_RTT_NS;
		q.ack.rtt_ns = (1 + i % 3) * PAIR_RTT_NS;
		acked_later(&q, PAIR_MSS);
		for (uint32_t k = 0; k < steps; k++)
			memcpy(past[k], s.rows[i - steps + k].observation, sizeof(past[k]));
		weir_learn_forward(&d.net, d.weights,
				   &(struct weir_learn_batch){ .samples = 1,
							       .steps = steps,
							       .sequence = past[0],
							       .current = s.rows[i].observation },
				   d.tape, &u);
		CHECK_NEAR(s.rows[i].action, u, 0);
	}
	fixture_close(&d);
}

/* --- models --- */

static void check_fits(const char *spec, const struct weir_learn_policy *policy,
		       const char *message)
{
	struct weir_error e = { "" };
	struct pair q;

	pair_make(&q, spec);
	CHECK_INT(q.ops->scheme.model->fits(q.params, policy, &e), message ? -1 : 0);
	CHECK_LIKE(e.text, message ? message : "");
}

static void check_plan(const struct weir_learn_plan *plan, const char *message)
{
	struct weir_learn_policy policy = { "m", "fdcc", "", "", NULL, NULL, NULL };
	struct weir_error e = { "" };
	struct weir_learn_net net;

	CHECK_INT(weir_learn_net_init(&net, plan, &e), 0);
	policy.net = &net;
	check_fits("fdcc", &policy, message);
}

TEST(test_fdcc_takes_models_of_its_shape_and_meaning_only)
{
	struct weir_learn_plan plan = stack_plan(32), other = stack_plan(12),
			       large = recall_plan(512);
	struct weir_learn_plan recall = recall_plan(128);
	struct weir_learn_policy policy = {
		"m", "fdcc", "1 dt=rtt last-action=change rates=root", "direct", NULL, NULL, NULL
	};
	struct weir_error e = { "" };
	struct weir_learn_net net;

	check_plan(&plan, NULL);
	check_plan(&recall, NULL);
	check_plan(&other, "its inputs are a sequence of 0 and 12 numbers; fdcc has ...");
	check_plan(&large, "a decision takes ... numbers of scratch; at most 16384");
	CHECK_INT(weir_learn_net_init(&net, &plan, &e), 0);
	policy.net = &net;
	check_fits("fdcc", &policy, NULL);
	check_fits("fdcc(dt=ms)", &policy, "it is made for features '1 dt=rtt ...' is needed");
	check_fits("fdcc(rates=linear)", &policy, "it is made for features '1 ...' is needed");
	check_fits("fdcc(action=accumulate)", &policy,
		   "it is made for actions 'direct'; 'accumulate' ...");
	policy.scheme = "acc";
	check_fits("fdcc", &policy, "it is made for scheme 'acc'; 'fdcc' is needed");
}

TEST(test_fdcc_names_its_standard_model_by_preset_and_policy)
{
	static const char *const cases[][2] = {
		{ "fdcc", "fdcc-weir" },
		{ "fdcc(preset=thesis)", "fdcc-thesis" },
		{ "fdcc(policy=untrained)", "fdcc-untrained" },
		{ "fdcc(policy=always-cut)", NULL },
		{ "fdcc(policy=window-only)", NULL },
	};
	struct pair q;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		pair_make(&q, cases[i][0]);
		CHECK_STR(q.ops->scheme.model->standard(q.params), cases[i][1]);
	}
}

/* --- training --- */

TEST(test_learned_noise_depends_on_seed_flow_and_decision_alone)
{
	struct weir_cc_rollout rollout = { .seed = 3, .deviation = 0.1F };
	struct weir_cc_ack a = { .flow = 4, .rollout = &rollout }, b = a;
	double sum = 0, squares = 0;

	CHECK_NEAR(learned_explore(&a, 9, 0.5F), learned_explore(&b, 9, 0.5F), 0);
	CHECK(learned_explore(&a, 9, 0.5F) != learned_explore(&a, 10, 0.5F));
	b.flow = 5;
	CHECK(learned_explore(&a, 9, 0.5F) != learned_explore(&b, 9, 0.5F));
	for (uint32_t i = 0; i < 10000; i++) {
		double noise = learned_explore(&a, i, 0);

		sum += noise;
		squares += noise * noise;
		CHECK(learned_explore(&a, i, 1) <= 1);
	}
	CHECK_NEAR(sum / 10000, 0, 0.005);
	CHECK_NEAR(squares / 10000, 0.01, 0.0005);
	rollout.exploration = WEIR_CC_EXPLORE_UNIFORM;
	sum = squares = 0;
	for (uint32_t i = 0; i < 10000; i++) {
		double u = learned_explore(&a, i, 0.5F);

		CHECK(u >= -1 && u <= 1);
		sum += u;
		squares += u * u;
	}
	CHECK_NEAR(sum / 10000, 0, 0.03);
	CHECK_NEAR(squares / 10000, 1.0 / 3, 0.02);
	a.rollout = NULL;
	CHECK_NEAR(learned_explore(&a, 9, 0.5F), 0.5, 0);
}

/* --- contract --- */

/* The fixture's contract with a network whose weights are as they come from a seed, and with huge
 * ones. */
static void check_network(const struct weir_learn_plan *plan, float scale)
{
	struct weir_learn_policy policy;
	struct learn_fixture d;
	struct pair q;

	pair_make(&q, "fdcc");
	give_network(&q, &d, plan, &policy);
	start_weights(&d, 1);
	for (uint32_t i = 0; i < d.net.weight_floats; i++)
		d.weights[i] *= scale;
	pair_reset(&q);
	pair_hash(&q, 11, 5000);
	fixture_close(&d);
}

TEST(test_fdcc_never_leaves_its_bounds_whatever_a_network_says)
{
	struct weir_learn_plan stack = stack_plan(32), recall = recall_plan(32);

	check_network(&stack, 1);
	check_network(&recall, 1);
	check_network(&stack, 1e37F);
	check_network(&recall, 1e37F);
}

/* As docs/manual/12-learning.md has it, for each open flow, whatever the network. */
TEST(test_a_flow_with_a_network_keeps_448_bytes_with_fdcc_and_320_with_rl_cc)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_cc_ops *fdcc, *rl_cc;
	struct weir_error e;

	CHECK_INT(weir_cc_parse("fdcc", &fdcc, params, &e), 0);
	CHECK_INT(weir_cc_parse("rl-cc", &rl_cc, params, &e), 0);
	CHECK_INT(fdcc->state_size, 448);
	CHECK_INT(rl_cc->state_size, 320);
}

TEST(test_fdcc_obeys_the_contract)
{
	struct pair q;

	pair_check_contract("fdcc(policy=always-cut)");
	pair_check_contract("fdcc(policy=always-cut, preset=thesis, gain=rate)");
	pair_check_extremes("fdcc");
	pair_make(&q, "fdcc(policy=always-cut, gain=rate)"); /* no round trip, no rates */
	q.env.base_rtt_ns = 0;
	pair_reset(&q);
	pair_hash(&q, 3, 2000);
}
