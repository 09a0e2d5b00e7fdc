/* SPDX-License-Identifier: BSD-3-Clause */
/* test_learn_td3.c -- TD3 on tasks with known answers: aim at what is seen, and recall what was
 * seen. */
#include "tests/learn_executors.h"
#include "tests/learn_fixture.h"
#include "weir/rng.h"
#include <math.h>

/* Observations are random; the reward is -(action - target)^2, the target what was seen lag steps
 * ago, or 0 where that is before the episode. Nothing that is done matters later, so values are
 * those of the current reward plus a constant. */
enum { EPISODE = 16, ROWS = 8192, UNTIL_FIT = 512 };

struct player {
	struct weir_learn_td3_config config;
	struct weir_learn_td3 *learner;
	struct weir_learn_memory *memory;
	struct weir_learn_executor executor;
	uint32_t lag;
	float *tape;
	uint64_t seed, draws;
};

/* A net with an LSTM over the last past observations, or with those stacked. */
static void player_config(struct player *p, uint32_t past, uint32_t hidden)
{
	int is_recurrent = past > 4;

	p->config = (struct weir_learn_td3_config){
		.training = { .observation_size = 1,
			      .past = past,
			      .batch = 32,
			      .gamma = 0.5,
			      .return_steps = 1,
			      .clip_norm = 1.0F,
			      .seed = p->seed },
		.actor_adam = { 3e-3F, 0.9F, 0.999F, 1e-8F },
		.critic_adam = { 3e-3F, 0.9F, 0.999F, 1e-8F },
		.share = 0.01F,
		.smoothing = 0.1F,
		.smoothing_limit = 0.25F,
		.delay = 2,
		.actor_after = 100,
	};
	p->config.actor =
		weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = past + 1,
								  .outputs = 1,
								  .hidden = { hidden, hidden },
								  .output = WEIR_LEARN_TANH,
								  .output_gain = 0.1F });
	p->config.critic = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = past + 2, .outputs = 1, .hidden = { hidden, hidden } });
	if (!is_recurrent)
		return;
	p->config.actor =
		weir_learn_plan_recurrent(&(struct weir_learn_recurrent){ .observation_size = 1,
									  .hidden = hidden,
									  .outputs = 1,
									  .output = WEIR_LEARN_TANH,
									  .output_gain = 0.1F });
	p->config.critic = weir_learn_plan_recurrent(&(struct weir_learn_recurrent){
		.observation_size = 1, .action_size = 1, .hidden = hidden, .outputs = 1 });
}

/* A learner of its config, and a memory with room for the action and the privileged. */
static void player_begin(struct player *p)
{
	struct weir_learn_memory_plan memory = { ROWS, 1, 1 + (uint32_t)p->config.privileged };
	struct weir_error e = { "" };

	if (weir_learn_td3_check(&p->config, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	p->learner = fixture_block(weir_learn_td3_size(&p->config));
	p->memory = fixture_block(weir_learn_memory_size(&memory));
	p->executor = (struct weir_learn_executor){
		.workers = 3,
		.scratch = fixture_block(weir_learn_td3_scratch_size(&p->config, 3)),
	};
	weir_learn_td3_init(p->learner, &p->config);
	weir_learn_memory_init(p->memory, &memory);
	p->tape = fixture_floats(weir_learn_tape_floats(weir_learn_td3_net(p->learner), 1,
							p->config.training.past,
							WEIR_LEARN_FORWARD_ONLY));
}

static void player_open(struct player *p, uint32_t past, uint32_t lag, uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	p->seed = seed;
	p->lag = lag;
	player_config(p, past, past > 4 ? 16 : 32);
	player_begin(p);
}

static void player_close(struct player *p)
{
	free(p->learner);
	free(p->memory);
	free(p->executor.scratch);
	free(p->tape);
}

/* What the actor does at that step of an episode. */
static float player_act(const struct player *p, const float *seen, uint32_t step)
{
	uint32_t past = p->config.training.past, reach = step < past ? step : past;
	int is_recurrent = p->config.actor.sequence_size > 0;
	float stacked[EPISODE], action;
	struct weir_learn_batch b = {
		.samples = 1,
		.steps = is_recurrent ? reach : 0,
		.sequence = seen + step - reach,
		.current = is_recurrent ? seen + step : stacked,
	};

	for (uint32_t i = 0; i <= past && !is_recurrent; i++)
		stacked[i] = seen[past - i > step ? 0 : step - (past - i)];
	weir_learn_forward(weir_learn_td3_net(p->learner), weir_learn_td3_actor(p->learner), &b,
			   p->tape, &action);
	return action;
}

/* Plays an episode, with so much noise, into the memory; returns the sum of squared misses. */
static double player_play(struct player *p, float noise)
{
	float seen[EPISODE + 1];
	double sum = 0.0;

	for (uint32_t i = 0; i <= EPISODE; i++, p->draws++)
		seen[i] = 1.6F * weir_learn_uniform(
					 (struct weir_learn_draw){ p->seed, 1, p->draws }) -
			  0.8F;
	for (uint32_t i = 0; i < EPISODE; i++) {
		float wanted = i < p->lag ? 0.0F : seen[i - p->lag];
		float action = player_act(p, seen, i), miss;

		weir_learn_explore(&action, 1, noise,
				   (struct weir_learn_draw){ p->seed, 2, p->draws + i });
		miss = action - wanted;
		sum += (double)(miss * miss);
		weir_learn_memory_step(p->memory, seen + i, &action, -miss * miss);
	}
	weir_learn_memory_end(p->memory, seen + EPISODE, WEIR_LEARN_CUT);
	return sum;
}

/* Mean squared miss without noise, after so many updates. */
static double player_train(struct player *p, int updates)
{
	double sum = 0.0;

	for (int i = 0; i < UNTIL_FIT / EPISODE; i++)
		player_play(p, 0.5F);
	for (int i = 0; i < updates; i++) {
		if (i % 4 == 0)
			player_play(p, 0.3F);
		weir_learn_td3_update(p->learner, p->memory, &p->executor);
	}
	for (int i = 0; i < 20; i++)
		sum += player_play(p, 0.0F);
	return sum / (20 * EPISODE);
}

/* Doing nothing misses by 0.64 / 3 = 0.21. */
TEST(test_learn_td3_aims_at_what_it_sees)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct player p;

		player_open(&p, 0, 0, seed);
		CHECK(player_train(&p, 600) < 0.01);
		player_close(&p);
	}
}

TEST(test_learn_td3_recalls_one_step_from_stacked_observations)
{
	struct player p;

	player_open(&p, 2, 1, 1);
	CHECK(player_train(&p, 1000) < 0.02);
	player_close(&p);
}

TEST(test_learn_td3_with_lstm_recalls_what_it_saw_three_steps_ago)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct player p;

		player_open(&p, 6, 3, seed);
		CHECK(player_train(&p, 1000) < 0.03);
		player_close(&p);
	}
}

/* --- pieces of an update --- */

TEST(test_learn_td3_actor_moves_every_other_update_once_its_turn_has_come)
{
	struct player p;
	size_t bytes;
	float *first;

	player_open(&p, 0, 0, 1);
	player_play(&p, 0.5F);
	bytes = weir_learn_td3_net(p.learner)->weight_floats * sizeof(float);
	first = fixture_floats(weir_learn_td3_net(p.learner)->weight_floats);
	memcpy(first, weir_learn_td3_actor(p.learner), bytes);
	for (int i = 0; i < 99; i++)
		CHECK(weir_learn_td3_update(p.learner, p.memory, &p.executor).actor_norm == 0.0F);
	CHECK(memcmp(first, weir_learn_td3_actor(p.learner), bytes) == 0);
	CHECK(weir_learn_td3_update(p.learner, p.memory, &p.executor).actor_norm > 0.0F);
	CHECK(memcmp(first, weir_learn_td3_actor(p.learner), bytes) != 0);
	/* The target has gone a hundredth of that step. */
	for (size_t i = 0; i < bytes / sizeof(float); i++)
		CHECK_NEAR(weir_learn_td3_target_actor(p.learner)[i] - first[i],
			   0.01 * (double)(weir_learn_td3_actor(p.learner)[i] - first[i]), 1e-7);
	CHECK(weir_learn_td3_update(p.learner, p.memory, &p.executor).actor_norm == 0.0F);
	free(first);
	player_close(&p);
}

/* One transition, so that every sample is it. */
static void player_meets_one(struct player *p)
{
	weir_learn_memory_step(p->memory, &(float){ 0.5F }, &(float){ -0.5F }, 3.0F);
	weir_learn_memory_end(p->memory, &(float){ -0.25F }, WEIR_LEARN_CUT);
}

static float critic_answer(const struct player *p, uint32_t which, const float *current)
{
	float tape[512], value;
	const struct weir_learn_net *net = weir_learn_td3_critic_net(p->learner);

	CHECK(weir_learn_tape_floats(net, 1, 0, WEIR_LEARN_FORWARD_ONLY) <= 512);
	weir_learn_forward(net, weir_learn_td3_critic(p->learner, which),
			   &(struct weir_learn_batch){ .samples = 1, .current = current }, tape,
			   &value);
	return value;
}

static float critic_value(const struct player *p, uint32_t which, float seen, float action)
{
	return critic_answer(p, which, (const float[]){ seen, action });
}

/* y = 3 + 0.5 min of the two at (-0.25, the actor's answer to it); losses are those of y. */
TEST(test_learn_td3_target_is_the_smaller_of_two_critics)
{
	for (uint64_t seed = 1; seed <= 4; seed++) {
		struct weir_learn_td3_report report;
		float first, second, y, misses[2];
		struct player p;

		player_open(&p, 0, 0, seed);
		p.config.smoothing = 0.0F;
		weir_learn_td3_init(p.learner, &p.config);
		player_meets_one(&p);
		first = critic_value(&p, 0, -0.25F, player_act(&p, &(float){ -0.25F }, 0));
		second = critic_value(&p, 1, -0.25F, player_act(&p, &(float){ -0.25F }, 0));
		y = 3.0F + 0.5F * (first < second ? first : second);
		CHECK(fabsf(first - second) > 1e-3F);
		misses[0] = critic_value(&p, 0, 0.5F, -0.5F) - y;
		misses[1] = critic_value(&p, 1, 0.5F, -0.5F) - y;
		report = weir_learn_td3_update(p.learner, p.memory, &p.executor);
		CHECK_NEAR(report.value, y, 1e-6);
		CHECK_NEAR(report.critic_loss,
			   0.25F * (misses[0] * misses[0] + misses[1] * misses[1]), 1e-5);
		player_close(&p);
	}
}

/* A minibatch's gradient is the mean over its samples, in however many chunks they are. */
TEST(test_learn_td3_gradient_does_not_depend_on_the_size_of_a_batch_of_equals)
{
	static const uint32_t batches[] = { 1, 7, 8, 32 };
	float norms[4];

	for (int i = 0; i < 4; i++) {
		struct player p;

		player_open(&p, 0, 0, 3);
		p.config.training.batch = batches[i];
		p.config.smoothing = 0.0F;
		weir_learn_td3_init(p.learner, &p.config);
		player_meets_one(&p);
		norms[i] = weir_learn_td3_update(p.learner, p.memory, &p.executor).critic_norm;
		CHECK(norms[i] > 0.1F);
		CHECK_NEAR(norms[i] / norms[0], 1.0, 1e-5);
		player_close(&p);
	}
}

/* Every action is worth 1 a step for ever: 1 / (1 - gamma) = 2, also with returns of three
 * steps. */
TEST(test_learn_td3_values_a_constant_reward_at_its_geometric_sum)
{
	struct player p;
	struct weir_learn_td3_report report = { 0 };

	player_open(&p, 0, 0, 2);
	p.config.training.return_steps = 3;
	weir_learn_td3_init(p.learner, &p.config);
	for (uint32_t i = 0; i < 64; i++)
		weir_learn_memory_step(p.memory, &(float){ (float)(i % 5) / 5.0F },
				       &(float){ (float)(i % 3) - 1.0F }, 1.0F);
	weir_learn_memory_end(p.memory, &(float){ 0.0F }, WEIR_LEARN_CUT);
	for (int i = 0; i < 1500; i++)
		report = weir_learn_td3_update(p.learner, p.memory, &p.executor);
	CHECK_NEAR(report.value, 2.0, 0.02);
	CHECK(report.critic_loss < 1e-3F);
	player_close(&p);
}

TEST(test_learn_td3_is_the_same_bytes_in_any_order_and_for_any_number_of_threads)
{
	enum { ORDERS = 4 };
	struct player p[ORDERS];

	for (uint32_t i = 0; i < ORDERS; i++) {
		player_open(&p[i], 6, 3, 4);
		p[i].config.training.batch = 29; /* chunks of three and four */
		p[i].config.actor_after = 0;
		weir_learn_td3_init(p[i].learner, &p[i].config);
		player_play(&p[i], 0.5F);
		player_play(&p[i], 0.5F);
		p[i].executor.run = i == 0 ? NULL : i == 1 ? executor_backwards : executor_threads;
		p[i].executor.context = &i;
		for (int update = 0; update < 6; update++)
			weir_learn_td3_update(p[i].learner, p[i].memory, &p[i].executor);
		CHECK(memcmp(p[0].learner, p[i].learner, weir_learn_td3_size(&p[0].config)) == 0);
	}
	for (int i = 0; i < ORDERS; i++)
		player_close(&p[i]);
}

/* What every compiler and machine must come to: release and sanitizer builds, with wide
 * registers and without. A change of this number is a change of every model that is trained. */
TEST(test_learn_td3_is_the_same_bytes_in_every_build)
{
	struct player p;
	const float *weights;
	uint64_t digest = 0;

	player_open(&p, 6, 3, 9);
	p.config.actor_after = 0;
	weir_learn_td3_init(p.learner, &p.config);
	player_play(&p, 0.5F);
	player_play(&p, 0.5F);
	for (int update = 0; update < 20; update++)
		weir_learn_td3_update(p.learner, p.memory, &p.executor);
	weights = weir_learn_td3_actor(p.learner);
	for (uint32_t i = 0; i < weir_learn_td3_net(p.learner)->weight_floats; i++) {
		uint32_t bits;

		memcpy(&bits, &weights[i], sizeof(bits));
		digest = weir_hash64(digest, bits);
	}
	CHECK_INT(digest, 1959872422095905025);
	player_close(&p);
}

/* The reward is the aside and nothing else: with gamma 0 it is what critics come to say, whatever
 * is seen or done. */
TEST(test_learn_td3_critics_see_asides_that_actors_do_not)
{
	struct player p = { .seed = 5 };

	player_config(&p, 0, 16);
	p.config.privileged = 1;
	p.config.training.gamma = 0;
	p.config.critic = weir_learn_plan_stack(
		&(struct weir_learn_stack){ .inputs = 3, .outputs = 1, .hidden = { 16, 16 } });
	player_begin(&p);
	for (uint32_t i = 0; i < 256; i++) {
		float aside = (float)(i % 5) / 4, behind[2] = { (float)(i % 3) - 1, aside };

		weir_learn_memory_step(p.memory, &(float){ (float)(i % 7) / 7 }, behind, aside);
	}
	weir_learn_memory_end(p.memory, &(float){ 0 }, WEIR_LEARN_CUT);
	for (int i = 0; i < 1500; i++)
		weir_learn_td3_update(p.learner, p.memory, &p.executor);
	for (uint32_t i = 0; i <= 4; i++) {
		float aside = (float)i / 4, inputs[3] = { 0.3F, 0.5F, aside };

		CHECK_NEAR(critic_answer(&p, 0, inputs), aside, 0.1);
		CHECK_NEAR(critic_answer(&p, 1, inputs), aside, 0.1);
	}
	player_close(&p);
}

TEST(test_learn_td3_config_that_does_not_fit_its_nets_is_refused)
{
	struct player p;
	struct weir_learn_td3_config config;
	struct weir_error e;

	player_open(&p, 2, 1, 1);
	config = p.config;
	config.critic.current_size = 3;
	CHECK_INT(weir_learn_td3_check(&config, &e), -1);
	CHECK_STR(e.text, "critic: a current input of 3 numbers; observations and actions have 4");
	config = p.config;
	config.actor.layers[config.actor.layer_count - 1].activation = WEIR_LEARN_LINEAR;
	CHECK_INT(weir_learn_td3_check(&config, &e), -1);
	CHECK_STR(e.text, "actor: the output is not a tanh");
	config = p.config;
	config.actor = weir_learn_plan_recurrent(&(struct weir_learn_recurrent){
		.observation_size = 1, .hidden = 4, .outputs = 1, .output = WEIR_LEARN_TANH });
	CHECK_INT(weir_learn_td3_check(&config, &e), -1);
	CHECK_STR(e.text, "only one of actor and critic has a sequence");
	player_close(&p);
}
