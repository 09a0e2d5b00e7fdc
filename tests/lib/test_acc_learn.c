/* SPDX-License-Identifier: BSD-3-Clause */
/* test_acc_learn.c -- ACC learns while it runs: what it remembers, how it explores, what switches
 * exchange. */
#include "lib/agent/acc.h"
#include "lib/learn/learner.h"
#include "tests/agent_fixture.h"

static struct acc_params params_of(const char *spec)
{
	struct agent_fixture d;

	agent_fixture_set(&d, spec, 0);
	return *(const struct acc_params *)(const void *)d.params;
}

/* 0.1 halves every 1000 slots, down to 0.01. */
TEST(test_acc_explores_half_as_often_after_a_half_life)
{
	struct acc_params p = params_of("acc(preset=paper)"),
			  rarely = params_of("acc(preset=paper, explore=0)");
	struct acc_online o = { .learner = (struct weir_learn_dqn *)(void *)&p };

	CHECK_NEAR(weir_acc_epsilon(&o, &p), 0.1, 1e-6);
	CHECK_NEAR(weir_acc_epsilon(&o, &rarely), 0.0, 1e-9);
	o.slots = 500;
	CHECK_NEAR(weir_acc_epsilon(&o, &p), 0.075, 1e-6);
	o.slots = 1000;
	CHECK_NEAR(weir_acc_epsilon(&o, &p), 0.05, 1e-6);
	o.slots = 3000;
	CHECK_NEAR(weir_acc_epsilon(&o, &p), 0.0125, 1e-6);
	o.slots = 1000000000;
	CHECK_NEAR(weir_acc_epsilon(&o, &p), 0.01, 1e-6);
	CHECK_NEAR(weir_acc_epsilon(&o, &rarely), 0.0, 1e-9);
}

/* --- what is remembered --- */

/* Two places, observations of 12 numbers; the second did not ask. */
TEST(test_acc_remembers_where_it_acted_what_it_did_and_what_came_of_it)
{
	struct acc_params p = params_of("acc(preset=paper, memory=1000, baseline=0.75)");
	struct weir_learn_memory_plan plan = weir_acc_memory_plan(&p, 10);
	float before[24] = { 1.0F }, now[24] = { 2.0F }, rewards[2] = { 0.25F, 0.5F };
	uint8_t waits[2] = { 1, 0 }, asks[2] = { 1, 1 }, carries[2] = { 1, 1 };
	uint32_t actions[2] = { 7, 8 };
	struct acc_online o = { .memory = fixture_block(weir_learn_memory_size(&plan)),
				.before = before,
				.waits = waits };
	struct acc_slot slot = { now, rewards, asks, carries, actions, 2, 12 };
	const float *action;

	weir_learn_memory_init(o.memory, &plan);
	weir_acc_store_transitions(&o, &p, &slot);
	CHECK_INT(weir_learn_memory_transitions(o.memory), 1);
	action = weir_learn_memory_action(o.memory, 0);
	CHECK_NEAR(action[-12], 1.0, 1e-9);
	CHECK_NEAR(action[0], 7.0, 1e-9);
	CHECK_NEAR(action[1], 0.25 - 0.75, 1e-9);
	CHECK_NEAR(weir_learn_memory_action(o.memory, 1)[-12], 2.0, 1e-9);
	/* From now on both wait. */
	p.after = 1000;
	weir_acc_train(&o, &p, &slot);
	weir_acc_store_transitions(&o, &p, &slot);
	CHECK_INT(weir_learn_memory_transitions(o.memory), 3);
	free(o.memory);
}

/* The first transition is complete after the second slot, the tenth after the eleventh. */
TEST(test_acc_learns_once_there_are_enough_transitions_of_busy_queues)
{
	struct agent_fixture busy, idle;

	agent_fixture_open(&busy, "acc(preset=paper, after=10, idle=length)", 1);
	agent_fixture_open(&idle, "acc(preset=paper, after=10, idle=length)", 1);
	busy.telemetry[0].queue_end_bytes = 2000000;
	for (int i = 0; i < 10; i++) {
		agent_fixture_step(&busy);
		agent_fixture_step(&idle);
	}
	CHECK(agent_fixture_value(&busy, "loss", 0) == 0.0);
	agent_fixture_step(&busy);
	CHECK(agent_fixture_value(&busy, "loss", 0) > 0.0);
	for (int i = 0; i < 50; i++)
		agent_fixture_step(&idle);
	CHECK(agent_fixture_value(&idle, "loss", 0) == 0.0);
	agent_fixture_close(&busy);
	agent_fixture_close(&idle);
}

/* --- a toy that answers --- */

enum { TOY_QUEUES = 4, TOY_SLOTS = 3000, TOY_LATE = 50, BEST_STEADY = 3, BEST_BURSTY = 16 };

/* Two regimes, told apart by how much leaves with CE. Steady, on even queues: the line is full, and
 * the queue is 20 KB with K_min 20 KB and 100 %, eight times that with the next K_min, and sixteen
 * with 50 %. Bursty, on odd ones: no queue, but as much is used of the line as the setting is lax,
 * most with 640 KB and 5 %. */
static void toy_answer(struct agent_fixture *d)
{
	for (uint32_t i = 0; i < TOY_QUEUES; i++) {
		struct weir_tune_telemetry *t = &d->telemetry[i];
		double p = knobs_percent(&d->knobs[i]) / 100.0;
		double min = (double)d->knobs[i].min_bytes;
		double queue = min * min / 20e3 * min / 20e3 * (p > 0.99 ? 1.0 : 16.0);

		t->out_bytes = i % 2 ? (uint64_t)(312500 * min / 640e3 * (1.0 - p)) : 312500;
		t->ce_bytes = i % 2 ? t->out_bytes / 10 : t->out_bytes / 2;
		t->queue_mean_bytes = i % 2 ? 0 : (uint64_t)(queue + 0.5);
		t->queue_end_bytes = t->queue_mean_bytes;
	}
}

/* Of the late slots, when hardly anything is explored any more: those in which every queue has the
 * best. */
static int toy_learned(const char *spec, uint64_t seed)
{
	struct agent_fixture d;
	int best = 0;

	agent_fixture_set(&d, spec, TOY_QUEUES);
	d.env.seed = seed;
	agent_fixture_begin(&d);
	for (int slot = 0; slot < TOY_SLOTS; slot++) {
		int all = 1;

		toy_answer(&d);
		agent_fixture_step(&d);
		for (uint32_t i = 0; i < TOY_QUEUES; i++)
			all &= (int)agent_fixture_value(&d, "action", i) ==
			       (i % 2 ? BEST_BURSTY : BEST_STEADY);
		best += all && slot >= TOY_SLOTS - TOY_LATE;
	}
	agent_fixture_close(&d);
	return best;
}

#define TOY \
	"policy=untrained, idle=none, explore=1, explore-end=0, half-life=187, temperature=0, " \
	"rate=0.001, after=100, discount=0.5"

TEST(test_acc_learns_online_the_best_action_of_two_regimes_from_every_seed)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		CHECK_INT(toy_learned("acc(preset=paper, " TOY ")", seed), TOY_LATE);
}

/* The control of the test above. */
TEST(test_acc_without_learning_does_not_find_the_best_action)
{
	for (uint64_t seed = 1; seed <= 5; seed++)
		CHECK_INT(toy_learned("acc(preset=paper, learn=no, policy=untrained, idle=none)",
				      seed),
			  0);
}

static void toy_run(struct agent_fixture *d, uint64_t seed, int slots)
{
	agent_fixture_set(d, "acc(preset=paper, after=50, idle=none)", TOY_QUEUES);
	d->env.seed = seed;
	agent_fixture_begin(d);
	for (int slot = 0; slot < slots; slot++) {
		toy_answer(d);
		agent_fixture_step(d);
	}
}

TEST(test_acc_of_the_same_seed_learns_the_same_bytes)
{
	struct agent_fixture a, b, c;
	enum { SLOTS = 200 };

	toy_run(&a, 1, SLOTS);
	toy_run(&b, 1, SLOTS);
	toy_run(&c, 2, SLOTS);
	CHECK(agent_fixture_value(&a, "loss", 0) > 0.0);
	CHECK(agent_fixture_value(&a, "loss", 0) == agent_fixture_value(&b, "loss", 0));
	CHECK(memcmp(a.knobs, b.knobs, sizeof(a.knobs)) == 0);
	CHECK(agent_fixture_value(&a, "loss", 0) != agent_fixture_value(&c, "loss", 0));
	agent_fixture_close(&a);
	agent_fixture_close(&b);
	agent_fixture_close(&c);
}

/* --- exchange --- */

/* An agent that remembers so many transitions, all with its own reward. */
static struct acc_online experienced(const struct acc_params *p, uint64_t seed, float reward,
				     int transitions)
{
	struct weir_learn_memory_plan plan = weir_acc_memory_plan(p, p->memory);
	struct acc_online o = { .memory = fixture_block(weir_learn_memory_size(&plan)),
				.seed = seed };
	float seen[64] = { 0.0F };

	CHECK(plan.observation_size <= 64);
	weir_learn_memory_init(o.memory, &plan);
	for (int i = 0; i < transitions; i++) {
		float action = (float)(i % 20);

		seen[0] = (float)i;
		weir_learn_memory_step(o.memory, seen, &action, reward);
		weir_learn_memory_end(o.memory, seen, WEIR_LEARN_CUT);
	}
	return o;
}

static struct acc_shared *shared_of(const struct acc_params *p)
{
	struct acc_shared *shared = fixture_block(weir_acc_shared_size(p));

	weir_acc_shared_init(shared, p);
	return shared;
}

TEST(test_acc_exchange_moves_exactly_so_many_transitions)
{
	struct acc_params p = params_of("acc(preset=paper, exchange=30, memory=1000)");
	struct acc_online a = experienced(&p, 1, 0.1F, 100), b = experienced(&p, 2, 0.9F, 5);
	struct acc_online nobody = experienced(&p, 3, 0.0F, 0);
	struct acc_shared *shared = shared_of(&p);
	uint32_t of_a = 0, of_b = 0;

	weir_acc_import(&nobody, &p, shared); /* nothing is there yet */
	weir_acc_export(&nobody, &p, shared);
	CHECK_INT(weir_learn_memory_transitions(acc_shared_memory(shared)), 0);
	weir_acc_export(&a, &p, shared);
	CHECK_INT(weir_learn_memory_transitions(acc_shared_memory(shared)), 30);
	weir_acc_export(&b, &p, shared);
	CHECK_INT(weir_learn_memory_transitions(acc_shared_memory(shared)), 60);
	weir_acc_import(&nobody, &p, shared);
	weir_acc_import(&a, &p, shared);
	CHECK_INT(weir_learn_memory_transitions(nobody.memory), 30);
	CHECK_INT(weir_learn_memory_transitions(a.memory), 130);
	CHECK_INT(weir_learn_memory_transitions(acc_shared_memory(shared)), 60);
	/* What nobody saw comes from both. */
	for (uint64_t row = 0; row < 60; row += 2) {
		float reward = weir_learn_memory_action(nobody.memory, row)[1];

		of_a += reward == 0.1F;
		of_b += reward == 0.9F;
	}
	CHECK_INT(of_a + of_b, 30);
	CHECK(of_a > 0 && of_b > 0);
	free(a.memory);
	free(b.memory);
	free(nobody.memory);
	free(shared);
}

/* The first ten transitions from that row on are those of the other row. */
static int same_transitions(const struct weir_learn_memory *m, uint64_t row, uint64_t other)
{
	for (uint64_t i = 0; i < 20; i += 2)
		if (weir_learn_memory_action(m, row + i)[-12] !=
		    weir_learn_memory_action(m, other + i)[-12])
			return 0;
	return 1;
}

TEST(test_acc_gives_other_transitions_each_time_and_other_agents_give_others)
{
	struct acc_params p = params_of("acc(preset=paper, exchange=30, memory=1000)");
	struct acc_online a = experienced(&p, 1, 0.1F, 100), b = experienced(&p, 2, 0.1F, 100);
	struct acc_online again = a;
	struct acc_shared *shared = shared_of(&p);

	weir_acc_export(&a, &p, shared);
	weir_acc_export(&a, &p, shared);
	weir_acc_export(&b, &p, shared);
	weir_acc_export(&again, &p, shared);
	CHECK(!same_transitions(acc_shared_memory(shared), 0, 60));
	CHECK(!same_transitions(acc_shared_memory(shared), 0, 120));
	CHECK(same_transitions(acc_shared_memory(shared), 0, 180));
	free(a.memory);
	free(b.memory);
	free(shared);
}

/* The shared memory after two rounds in which a and b give, and take. */
static struct acc_shared *exchanged(const struct acc_params *p, uint64_t seed)
{
	struct acc_online a = experienced(p, seed, 0.1F, 100), b = experienced(p, 2, 0.9F, 50);
	struct acc_shared *shared = shared_of(p);

	for (int i = 0; i < 2; i++) {
		weir_acc_export(&a, p, shared);
		weir_acc_export(&b, p, shared);
		weir_acc_import(&a, p, shared);
		weir_acc_import(&b, p, shared);
	}
	free(a.memory);
	free(b.memory);
	return shared;
}

TEST(test_acc_exchange_is_a_function_of_the_seeds)
{
	struct acc_params p = params_of("acc(preset=paper, exchange=30, memory=1000)");
	struct acc_shared *one = exchanged(&p, 1), *same = exchanged(&p, 1);
	struct acc_shared *other = exchanged(&p, 5);
	size_t size = weir_acc_shared_size(&p);

	CHECK(memcmp(one, same, size) == 0);
	CHECK(memcmp(one, other, size) != 0);
	free(one);
	free(same);
	free(other);
}

TEST(test_acc_exchanges_every_100_slots_and_only_between_agents_that_learn)
{
	struct acc_params learns = params_of("acc(preset=paper)"),
			  rests = params_of("acc(preset=paper, learn=no)");
	struct acc_params network = params_of("acc(preset=paper, scope=network)");

	CHECK_INT(weir_acc_share_steps(&learns), 100);
	CHECK_INT(weir_acc_share_steps(&rests), 0);
	CHECK_INT(weir_acc_share_steps(&network), 0);
	CHECK_INT(weir_acc_memory_plan(&learns, learns.memory).rows, 2 * 10000);
	CHECK_INT(weir_acc_memory_plan(&learns, learns.shared_memory).rows, 2 * 100000);
}

/* The second's own queues are idle: what the first gave is all that it can learn from. */
TEST(test_acc_agent_gives_to_and_takes_from_the_shared_memory_by_its_hooks)
{
	struct agent_fixture a, b;
	void *shared;

	agent_fixture_open(&a, "acc(preset=paper, after=300, idle=length)", 2);
	agent_fixture_open(&b, "acc(preset=paper, after=300, idle=length)", 2);
	shared = fixture_block(a.ops->shared_size(a.params));
	a.ops->shared_init(shared, a.params);
	a.telemetry[0].queue_end_bytes = a.telemetry[1].queue_end_bytes = 5000000;
	for (int i = 0; i < 101; i++) {
		agent_fixture_step(&a);
		agent_fixture_step(&b);
	}
	a.ops->export_experience(a.state, a.params, shared);
	b.ops->export_experience(b.state, b.params, shared);
	CHECK_INT(weir_learn_memory_transitions(acc_shared_memory(shared)), 256);
	b.ops->import_experience(b.state, b.params, shared);
	b.ops->import_experience(b.state, b.params, shared);
	CHECK(agent_fixture_value(&b, "loss", 0) == 0.0);
	agent_fixture_step(&b);
	CHECK(agent_fixture_value(&b, "loss", 0) > 0.0);
	free(shared);
	agent_fixture_close(&a);
	agent_fixture_close(&b);
}

/* --- guard of preset=weir and preset=fct --- */

TEST(test_acc_keeps_no_transitions_of_queues_without_traffic)
{
	struct agent_fixture d;
	double loss[2];

	for (int busy = 0; busy < 2; busy++) {
		agent_fixture_open(&d,
				   "acc(preset=weir, learn=yes, policy=untrained, after=20, "
				   "batch=4)",
				   1);
		d.telemetry[0].out_bytes = busy ? 100000 : 0;
		d.telemetry[0].queue_end_bytes = 0;
		for (int i = 0; i < 40; i++)
			agent_fixture_step(&d);
		loss[busy] = agent_fixture_value(&d, "loss", 0);
		agent_fixture_close(&d);
	}
	CHECK(loss[0] == 0.0);
	CHECK(loss[1] > 0.0);
}

TEST(test_acc_exchange_skips_an_agent_that_is_alone)
{
	struct acc_params p = params_of(
		"acc(preset=weir, learn=yes, policy=untrained, exchange=30, memory=1000)");
	struct acc_online a = experienced(&p, 1, 0.1F, 100), b = experienced(&p, 2, 0.9F, 100);
	struct acc_shared *shared = shared_of(&p);

	weir_acc_export(&a, &p, shared);
	weir_acc_export(&a, &p, shared);
	weir_acc_import(&a, &p, shared);
	CHECK_INT(weir_learn_memory_transitions(a.memory), 100);
	weir_acc_export(&b, &p, shared);
	weir_acc_import(&a, &p, shared);
	CHECK_INT(weir_learn_memory_transitions(a.memory), 130);
	free(a.memory);
	free(b.memory);
	free(shared);
}

/* Rewards of 0.5 while the initial weights act, and of that plus gain while the learned ones do. */
static uint64_t rollbacks_after(float gain, uint64_t slots)
{
	struct acc_params p = params_of("acc(preset=weir, learn=yes, policy=untrained)");
	struct weir_learn_dqn_config config;
	struct acc_online o = { .slots = 0 };
	float reward;
	uint8_t carries = 1;
	struct acc_slot slot = { .rewards = &reward, .carries = &carries, .places = 1 };

	weir_acc_config(&p, 1, &config);
	o.learner = fixture_block(weir_learn_dqn_size(&config));
	weir_learn_dqn_init(o.learner, &config);
	o.guard.initial = weir_learn_dqn_weights(o.learner);
	for (; o.slots < slots; o.slots++) {
		weir_acc_guard(&o, &p, &slot);
		reward = weir_acc_is_reference(&o, &p) ? 0.5F : 0.5F + gain;
	}
	free(o.learner);
	return o.guard.rollbacks;
}

TEST(test_acc_loads_the_initial_weights_again_where_the_learned_ones_earn_less)
{
	enum { SLOTS = ACC_BLOCK_SLOTS * ACC_BLOCKS * 10 };

	CHECK_INT(rollbacks_after(0.0F, SLOTS), 0);
	CHECK_INT(rollbacks_after(0.1F, SLOTS), 0);
	CHECK_INT(rollbacks_after(-0.019F, SLOTS), 0);
	CHECK(rollbacks_after(-0.03F, SLOTS) > 0);
}
