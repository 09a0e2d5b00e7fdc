/* SPDX-License-Identifier: BSD-3-Clause */
/* test_acc_state.c -- what ACC sees, what a slot is worth, and which queues are idle; by hand. */
#include "lib/agent/acc.h"
#include "tests/agent_fixture.h"

/* A slot of 100 us at 25 Gb/s carries 312,500 bytes. */
enum { SLOT_BYTES = 312500 };

static struct acc_params params_of(const char *spec)
{
	struct agent_fixture d;

	agent_fixture_set(&d, spec, 0);
	return *(const struct acc_params *)(const void *)d.params;
}

static struct weir_tune_telemetry slot_of(uint64_t out_bytes, uint64_t queue_bytes)
{
	return (struct weir_tune_telemetry){ .interval_ns = 100000,
					     .rate_bps = 25000000000,
					     .out_bytes = out_bytes,
					     .queue_mean_bytes = queue_bytes,
					     .queue_end_bytes = queue_bytes,
					     .mtu_bytes = 1000 };
}

static float reward_of(const char *spec, uint64_t out_bytes, uint64_t queue_bytes)
{
	struct acc_params p = params_of(spec);
	struct weir_tune_telemetry t = slot_of(out_bytes, queue_bytes);

	return weir_acc_reward(&p, &t);
}

/* E(0) = 20 KB, E(1) = 40 KB, ..., E(9) = 10,240 KB; a queue of E(n) is on step n. */
TEST(test_acc_levels_are_powers_of_two_times_20_kb)
{
	CHECK_INT(weir_acc_level(0), 0);
	CHECK_INT(weir_acc_level(20000), 0);
	CHECK_INT(weir_acc_level(20001), 1);
	CHECK_INT(weir_acc_level(40000), 1);
	CHECK_INT(weir_acc_level(1000000), 6);
	CHECK_INT(weir_acc_level(10240000), 9);
	CHECK_INT(weir_acc_level(10240001), 10);
	CHECK_INT(weir_acc_level(UINT64_MAX), 10);
}

/* r = 0.7 txRate / BW + 0.3 D(L), D = 1 - n / 10. */
TEST(test_acc_reward_is_equation_2)
{
	CHECK_NEAR(reward_of("acc(preset=paper)", SLOT_BYTES, 0), 1.0, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper)", SLOT_BYTES / 2, 0), 0.35 + 0.3, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper)", SLOT_BYTES, 100000), 0.7 + 0.3 * 0.7, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper)", 0, 10240000), 0.3 * 0.1, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper)", SLOT_BYTES, 10240001), 0.7, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper, weight=0.5)", SLOT_BYTES, 40000), 0.5 + 0.5 * 0.9,
		   1e-6);
}

/* D = 1 - L / 10 MB, at least 0. */
TEST(test_acc_reward_may_fall_in_a_line)
{
	CHECK_NEAR(reward_of("acc(preset=paper, reward=linear)", SLOT_BYTES, 1000000),
		   0.7 + 0.3 * 0.9, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper, reward=linear)", 0, 20000000), 0.0, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper, reward=linear, queue-max=2MB)", 0, 1000000), 0.15,
		   1e-6);
}

/* U = 0.4 R / C + 0.6 Phi: 1 up to 15 packets of 1000 bytes, 0 from 500 KB on. */
TEST(test_acc_reward_may_be_preds_utility)
{
	CHECK_NEAR(reward_of("acc(preset=paper, reward=pred)", SLOT_BYTES, 15000), 1.0, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper, reward=pred)", SLOT_BYTES / 4 * 3, 257500),
		   0.3 + 0.3, 1e-6);
	CHECK_NEAR(reward_of("acc(preset=paper, reward=pred)", 0, 500000), 0.0, 1e-6);
}

static void check_newest(const struct acc_queue *q, uint32_t slot, const double *expected)
{
	for (int f = 0; f < ACC_FEATURES; f++)
		CHECK_NEAR(q->seen[slot][f], expected[f], 1e-6);
}

/* 100 KB at the end: step 3. A quarter of the slot sent, a fifth of that with CE. Setting 12 of
 * 0..19. The reward has the mean, which is worth nothing. */
TEST(test_acc_state_is_normalised)
{
	struct acc_params p = params_of("acc(preset=paper)");
	struct acc_queue q = { .setting = 12 };
	struct weir_tune_telemetry t = slot_of(SLOT_BYTES / 4, 20000000);

	t.queue_end_bytes = 100000;
	t.ce_bytes = SLOT_BYTES / 20;
	CHECK_INT(weir_acc_observe(&q, &p, &t), 0);
	check_newest(&q, 2, (double[]){ 0.3, 0.25, 0.05, 12.0 / 19.0 });
	CHECK_NEAR(q.reward, 0.7 * 0.25, 1e-6);
}

TEST(test_acc_state_is_three_slots_oldest_first_and_the_first_stands_for_missing_ones)
{
	struct acc_params p = params_of("acc(preset=paper)");
	struct acc_queue q = { .setting = 0 };
	struct weir_tune_telemetry a = slot_of(SLOT_BYTES / 5, 0), b = slot_of(SLOT_BYTES / 2, 0);

	weir_acc_observe(&q, &p, &a);
	for (int i = 0; i < 3; i++)
		CHECK_NEAR(q.seen[i][1], 0.2, 1e-6);
	weir_acc_observe(&q, &p, &b);
	CHECK_NEAR(q.seen[0][1], 0.2, 1e-6);
	CHECK_NEAR(q.seen[1][1], 0.2, 1e-6);
	CHECK_NEAR(q.seen[2][1], 0.5, 1e-6);
	weir_acc_observe(&q, &p, &a);
	CHECK_NEAR(q.seen[0][1], 0.2, 1e-6);
	CHECK_NEAR(q.seen[1][1], 0.5, 1e-6);
	CHECK_NEAR(q.seen[2][1], 0.2, 1e-6);
}

/* 8 slots of a full line without a queue, one of half a line that leaves 160 KB (step 3): over 8
 * slots the rate is 1 - 0.5 / 8 and its deviation twice an eighth of what is left to that, 0.4375;
 * the step 0.3 / 8. */
TEST(test_acc_traces_follow_means_and_deviations)
{
	struct acc_params p = params_of("acc(preset=weir)");
	struct weir_tune_telemetry full = slot_of(SLOT_BYTES, 0),
				   half = slot_of(SLOT_BYTES / 2, 160000);
	struct acc_queue q = { .setting = 6 }; /* 20 KB, 10 MB, 25 % */

	half.ce_bytes = SLOT_BYTES / 4;
	for (int i = 0; i < 8; i++)
		weir_acc_observe(&q, &p, &full);
	CHECK_NEAR(q.traces[0], 1.0, 1e-6);
	CHECK_NEAR(q.traces[1], 0.0, 1e-6);
	weir_acc_observe(&q, &p, &half);
	CHECK_NEAR(q.traces[0], 0.9375, 1e-6);
	CHECK_NEAR(q.traces[1], 2 * 0.4375 / 8, 1e-6);
	CHECK_NEAR(q.traces[2], 0.3 / 8, 1e-6);
	CHECK_NEAR(q.traces[3], 2 * (0.3 - 0.3 / 8) / 8, 1e-6);
	CHECK_NEAR(q.traces[4], 0.25 / 8, 1e-6);
	CHECK_NEAR(q.traces[5], 1 - 0.5 / 64, 1e-6);
	CHECK_NEAR(q.traces[10], 0.0, 1e-6);
	CHECK_NEAR(q.traces[11], 0.9, 1e-6);
	CHECK_NEAR(q.traces[12], 0.25, 1e-6);
}

/* 100 of 125. */
TEST(test_acc_sees_the_rate_of_the_line)
{
	struct acc_params p = params_of("acc(preset=weir)");
	struct weir_tune_telemetry t = slot_of(SLOT_BYTES, 0);
	struct acc_queue q = { .setting = 0 };

	t.rate_bps = UINT64_C(100) * 1000 * 1000 * 1000;
	weir_acc_observe(&q, &p, &t);
	CHECK_NEAR(q.traces[13], 0.8, 1e-6);
}

/* 12 numbers of three slots; with traces 14 more. */
TEST(test_acc_inputs_are_those_of_slots_and_of_traces)
{
	struct acc_params paper = params_of("acc(preset=paper, policy=untrained)"),
			  ours = params_of("acc(preset=weir, policy=untrained)");

	CHECK_INT(weir_acc_inputs(&paper), 12);
	CHECK_INT(weir_acc_inputs(&ours), 12 + 14);
}

TEST(test_acc_counts_inputs_that_are_no_numbers_and_sees_0)
{
	struct agent_fixture d;

	agent_fixture_open(&d, "acc(preset=paper, idle=none)", 2);
	d.telemetry[0].rate_bps = 0;
	d.telemetry[0].out_bytes = 5000;
	for (int i = 0; i < 3; i++)
		agent_fixture_step(&d);
	/* rate and CE rate, of three slots */
	CHECK_INT(agent_fixture_value(&d, "not-finite", 0), 6);
	CHECK_NEAR(agent_fixture_value(&d, "reward", 0), 0.3, 1e-6);
	agent_fixture_close(&d);
}

/* --- idle --- */

/* A queue with K_min at 100 KB that sends so many bytes and is so long. */
static int is_idle_after(struct acc_queue *q, const struct acc_params *p, uint64_t out_bytes,
			 uint64_t queue_bytes)
{
	struct weir_tune_telemetry t = slot_of(out_bytes, queue_bytes);

	q->min_bytes = 100000;
	weir_acc_observe(q, p, &t);
	return (int)q->is_idle;
}

TEST(test_acc_queue_is_idle_below_min_and_busy_above)
{
	struct acc_params p = params_of("acc(preset=paper, idle=length)");
	struct acc_queue q = { .setting = 0 };

	CHECK_INT(is_idle_after(&q, &p, 1000, 99999), 1);
	CHECK_INT(is_idle_after(&q, &p, 2000, 100000), 1); /* not above */
	CHECK_INT(is_idle_after(&q, &p, 3000, 100001), 0);
	CHECK_INT(is_idle_after(&q, &p, 4000, 100000), 0); /* not below */
	for (int i = 0; i < 6; i++)
		CHECK_INT(is_idle_after(&q, &p, 4000, 100000), 0);
	CHECK_INT(is_idle_after(&q, &p, 5000, 99999), 1);
}

/* Three slots in a row without a change, and then above K_min again. */
TEST(test_acc_queue_is_idle_when_its_reward_stays_for_three_slots)
{
	struct acc_params p = params_of("acc(preset=paper)");
	struct acc_queue q = { .setting = 0 };

	CHECK_INT(is_idle_after(&q, &p, 1000, 150000), 0);
	CHECK_INT(is_idle_after(&q, &p, 1000, 150000), 0);
	CHECK_INT(is_idle_after(&q, &p, 1000, 150000), 0);
	CHECK_INT(is_idle_after(&q, &p, 1000, 150000), 1);
	CHECK_INT(is_idle_after(&q, &p, 1000, 150000), 0);
	CHECK_INT(is_idle_after(&q, &p, 2000, 150000), 0);
	CHECK_INT(is_idle_after(&q, &p, 2000, 150000), 0);
}

TEST(test_acc_queue_is_never_idle_with_idle_none)
{
	struct acc_params p = params_of("acc(preset=weir)");
	struct acc_queue q = { .setting = 0 };

	for (int i = 0; i < 6; i++)
		CHECK_INT(is_idle_after(&q, &p, 0, 0), 0);
}

TEST(test_acc_idle_queue_keeps_its_setting)
{
	struct agent_fixture d;
	struct weir_tune_knobs before;

	agent_fixture_open(&d, "acc(preset=paper, policy=random)", 2);
	before = d.knobs[0];
	d.telemetry[0].queue_end_bytes = 99999;
	d.telemetry[1].queue_end_bytes = 100001;
	for (int i = 0; i < 2; i++)
		agent_fixture_step(&d);
	CHECK_INT(d.knobs[0].min_bytes, before.min_bytes);
	CHECK_INT(d.knobs[0].max_bytes, before.max_bytes);
	CHECK_INT(d.knobs[1].max_bytes, 1000000); /* the template's */
	agent_fixture_close(&d);
}

/* --- C-ACC --- */

/* Six queues, two in each group. Those to hosts send a fifth and three fifths; the others
 * nothing. */
TEST(test_acc_of_a_network_sees_the_means_of_groups)
{
	struct agent_fixture d;
	float seen[6 * 36], rewards[6];
	uint8_t asks[6];

	agent_fixture_open(&d, "acc(preset=paper, scope=network, idle=none)", 6);
	d.telemetry[0].out_bytes = SLOT_BYTES / 5;
	d.telemetry[3].out_bytes = SLOT_BYTES / 5 * 3;
	d.telemetry[3].queue_end_bytes = d.telemetry[3].queue_mean_bytes = 40000;
	d.ops->learner->observe(d.state, d.params, &d.env, d.telemetry, seen, rewards, asks);
	CHECK_INT(d.ops->learner->observation_size(d.params), 36);
	for (int slot = 0; slot < 3; slot++) {
		CHECK_NEAR(seen[slot * 4], 0.05, 1e-6);
		CHECK_NEAR(seen[slot * 4 + 1], 0.4, 1e-6);
		CHECK_NEAR(seen[12 + slot * 4 + 1], 0.0, 1e-6);
		CHECK_NEAR(seen[24 + slot * 4 + 3], 12.0 / 19.0, 1e-6);
	}
	/* mean over the two that carry something: 0.14 + 0.3, 0.42 + 0.27 */
	CHECK_NEAR(rewards[0], (0.44 + 0.69) / 2, 1e-6);
	CHECK_INT(asks[0], 1);
	for (int i = 1; i < 6; i++)
		CHECK(!asks[i] && seen[i * 36] == 0.0F);
	agent_fixture_close(&d);
}

TEST(test_acc_of_a_network_sets_every_queue_of_a_group_alike)
{
	struct agent_fixture d;
	float seen[6 * 36], rewards[6];
	uint8_t asks[6];
	uint32_t actions[6] = { 5 + 49 * 6, 0, 0, 0, 0, 0 };

	agent_fixture_open(&d, "acc(preset=paper, scope=network, idle=none)", 6);
	CHECK_INT(d.ops->scope(d.params), WEIR_AGENT_PER_NETWORK);
	d.ops->learner->observe(d.state, d.params, &d.env, d.telemetry, seen, rewards, asks);
	d.ops->learner->act(d.state, d.params, &d.env, actions, d.knobs);
	for (uint32_t i = 0; i < 6; i++) {
		static const uint64_t min_bytes[] = { 160000, 20000, 640000 };

		CHECK_INT(d.knobs[i].min_bytes, min_bytes[i % 3]);
	}
	agent_fixture_close(&d);
}
