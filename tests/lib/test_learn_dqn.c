/* SPDX-License-Identifier: BSD-3-Clause */
/* test_learn_dqn.c -- double DQN where the values of actions can be computed by hand, and the same
 * bytes whoever does the work. */
#include "tests/learn_fixture.h"
#include "tests/learn_executors.h"
#include <math.h>

struct player {
	struct weir_learn_dqn_config config;
	struct weir_learn_dqn *learner;
	struct weir_learn_memory *memory;
	struct weir_learn_executor executor;
};

/* States are one-hot observations. */
static void player_open(struct player *p, uint32_t states, uint64_t seed)
{
	struct weir_learn_memory_plan memory = { 2048, states, 1 };
	struct weir_error e = { "" };

	p->config = (struct weir_learn_dqn_config){
		.training = { .observation_size = states,
			      .batch = 32,
			      .gamma = 0.9,
			      .return_steps = 1,
			      .seed = seed },
		.plan = weir_learn_plan_stack(&(struct weir_learn_stack){
			.inputs = states, .outputs = 2, .hidden = { 20, 20 } }),
		.adam = { 2e-3F, 0.9F, 0.999F, 1e-8F },
		.target_every = 25,
	};
	if (weir_learn_dqn_check(&p->config, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	p->learner = fixture_block(weir_learn_dqn_size(&p->config));
	p->memory = fixture_block(weir_learn_memory_size(&memory));
	p->executor = (struct weir_learn_executor){
		.workers = 3,
		.scratch = fixture_block(weir_learn_dqn_scratch_size(&p->config, 3)),
	};
	weir_learn_dqn_init(p->learner, &p->config);
	weir_learn_memory_init(p->memory, &memory);
}

static void player_close(struct player *p)
{
	free(p->learner);
	free(p->memory);
	free(p->executor.scratch);
}

static void one_hot(float *observation, uint32_t states, uint32_t state)
{
	memset(observation, 0, states * sizeof(*observation));
	observation[state] = 1.0F;
}

static void player_values(const struct player *p, uint32_t state, float values[2])
{
	const struct weir_learn_net *net = weir_learn_dqn_net(p->learner);
	uint32_t states = p->config.training.observation_size;
	float observation[16], tape[1024];

	CHECK(weir_learn_tape_floats(net, 1, 0, WEIR_LEARN_FORWARD_ONLY) <= 1024);
	one_hot(observation, states, state);
	weir_learn_forward(net, weir_learn_dqn_weights(p->learner),
			   &(struct weir_learn_batch){ .samples = 1, .current = observation }, tape,
			   values);
}

static void player_update(struct player *p, int updates)
{
	for (int i = 0; i < updates; i++)
		weir_learn_dqn_update(p->learner, p->memory, &p->executor);
}

/* --- two states --- */

/* In B staying (0) pays 1; leaving (1), and anything in A, pays nothing. Action 1 changes the
 * state. */
static void record_two_states(struct player *p, uint64_t seed)
{
	uint32_t state = 0;
	float observation[2];

	for (uint64_t i = 0; i < 500; i++) {
		uint32_t action =
			(uint32_t)(weir_learn_bits((struct weir_learn_draw){ seed, 7, i }) & 1);
		float number = (float)action;

		one_hot(observation, 2, state);
		weir_learn_memory_step(p->memory, observation, &number,
				       state == 1 && action == 0 ? 1.0F : 0.0F);
		state ^= action;
	}
	one_hot(observation, 2, state);
	weir_learn_memory_end(p->memory, observation, WEIR_LEARN_CUT);
}

/* gamma 0.9. B: stay 1 + 0.9 B = 10, leave 0.9 A. A: change 0.9 * 10 = 9, stay 0.9 * 9 = 8.1; so
 * leave 8.1. */
TEST(test_learn_dqn_values_of_two_states_are_those_computed_by_hand)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct player p;
		float values[2];

		player_open(&p, 2, seed);
		record_two_states(&p, seed);
		player_update(&p, 4000);
		player_values(&p, 0, values);
		CHECK_NEAR(values[0], 8.1, 0.15);
		CHECK_NEAR(values[1], 9.0, 0.15);
		player_values(&p, 1, values);
		CHECK_NEAR(values[0], 10.0, 0.15);
		CHECK_NEAR(values[1], 8.1, 0.15);
		player_close(&p);
	}
}

/* --- a chain --- */

enum { CHAIN = 6 };

/* Left (0) and right (1) along six states; beyond the last lies 1 and the end. Random walks. */
static void record_chain(struct player *p, uint64_t seed)
{
	float observation[CHAIN];
	uint64_t draws = 0;

	for (int walk = 0; walk < 24; walk++) {
		uint32_t state = 0;

		for (int i = 0; i < 60 && state < CHAIN; i++) {
			struct weir_learn_draw at = { seed, 8, draws++ };
			uint32_t action = weir_learn_uniform(at) < 0.6F;

			one_hot(observation, CHAIN, state);
			weir_learn_memory_step(p->memory, observation, &(float){ (float)action },
					       action && state == CHAIN - 1 ? 1.0F : 0.0F);
			state = action ? state + 1 : state ? state - 1 : 0;
		}
		one_hot(observation, CHAIN, state % CHAIN);
		weir_learn_memory_end(p->memory, observation,
				      state == CHAIN ? WEIR_LEARN_DONE : WEIR_LEARN_CUT);
	}
}

static void check_chain(const struct player *p)
{
	for (uint32_t state = 0; state < CHAIN; state++) {
		double right = pow(0.9, CHAIN - 1 - (int)state);
		float values[2];

		player_values(p, state, values);
		CHECK(values[1] > values[0]);
		CHECK_NEAR(values[1], right, 0.05);
		CHECK_NEAR(values[0], state ? 0.81 * right : 0.9 * right, 0.06);
	}
}

/* Right is worth 0.9^k, k steps from the end; left two steps more. */
TEST(test_learn_dqn_values_a_chain_by_the_distance_to_its_end)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct player p;

		player_open(&p, CHAIN, seed);
		record_chain(&p, seed);
		player_update(&p, 3000);
		check_chain(&p);
		player_close(&p);
	}
}

TEST(test_learn_dqn_target_is_a_copy_of_every_nth_update)
{
	struct player p;
	size_t bytes;

	player_open(&p, CHAIN, 1);
	record_chain(&p, 1);
	bytes = weir_learn_dqn_net(p.learner)->weight_floats * sizeof(float);
	CHECK(memcmp(weir_learn_dqn_weights(p.learner), weir_learn_dqn_target(p.learner), bytes) ==
	      0);
	player_update(&p, 24);
	CHECK(memcmp(weir_learn_dqn_weights(p.learner), weir_learn_dqn_target(p.learner), bytes) !=
	      0);
	player_update(&p, 1);
	CHECK(memcmp(weir_learn_dqn_weights(p.learner), weir_learn_dqn_target(p.learner), bytes) ==
	      0);
	player_close(&p);
}

TEST(test_learn_dqn_does_not_follow_a_reward_that_is_no_number)
{
	float observation[] = { 1.0F, 0.0F };
	const float *weights;
	struct player p;

	player_open(&p, 2, 1);
	weights = weir_learn_dqn_weights(p.learner);
	weir_learn_memory_step(p.memory, observation, &(float){ 1.0F }, NAN);
	weir_learn_memory_end(p.memory, observation, WEIR_LEARN_CUT);
	CHECK(isnan(weir_learn_dqn_update(p.learner, p.memory, &p.executor)));
	for (uint32_t i = 0; i < weir_learn_dqn_net(p.learner)->weight_floats; i++)
		CHECK(isfinite(weights[i]));
	player_close(&p);
}

/* --- the same bytes --- */

TEST(test_learn_dqn_is_the_same_bytes_in_any_order_and_for_any_number_of_threads)
{
	enum { ORDERS = 4 };
	struct player p[ORDERS];

	for (int i = 0; i < ORDERS; i++) {
		player_open(&p[i], CHAIN, 5);
		record_chain(&p[i], 5);
	}
	p[1].executor.run = executor_backwards;
	for (uint32_t threads = 2; threads <= 3; threads++) {
		p[threads].executor.run = executor_threads;
		p[threads].executor.context = &threads;
		player_update(&p[threads], 40);
	}
	player_update(&p[0], 40);
	player_update(&p[1], 40);
	for (int i = 1; i < ORDERS; i++)
		CHECK(memcmp(p[0].learner, p[i].learner, weir_learn_dqn_size(&p[0].config)) == 0);
	for (int i = 0; i < ORDERS; i++)
		player_close(&p[i]);
}

/* A learner and its memory, copied elsewhere half-way, end as they would have ended here. */
TEST(test_learn_dqn_goes_on_from_a_copy_of_its_bytes)
{
	struct weir_learn_memory_plan memory = { 2048, CHAIN, 1 };
	size_t size, memory_size = weir_learn_memory_size(&memory);
	struct player here, there;

	player_open(&here, CHAIN, 6);
	player_open(&there, CHAIN, 7);
	record_chain(&here, 6);
	player_update(&here, 30);
	size = weir_learn_dqn_size(&here.config);
	memcpy(there.learner, here.learner, size);
	memcpy(there.memory, here.memory, memory_size);
	player_update(&here, 30);
	player_update(&there, 30);
	CHECK(memcmp(here.learner, there.learner, size) == 0);
	player_close(&here);
	player_close(&there);
}

TEST(test_learn_dqn_config_that_does_not_fit_its_net_is_refused)
{
	struct player p;
	struct weir_learn_dqn_config config;
	struct weir_error e;

	player_open(&p, CHAIN, 1);
	config = p.config;
	config.training.past = 2;
	CHECK_INT(weir_learn_dqn_check(&config, &e), -1);
	CHECK_STR(e.text, "a current input of 6 numbers; observations and actions have 18");
	config = p.config;
	config.training.gamma = 1.5;
	CHECK_INT(weir_learn_dqn_check(&config, &e), -1);
	CHECK_STR(e.text, "gamma is 1.5; 0 to 1 are possible");
	config = p.config;
	config.target_every = 0;
	CHECK_INT(weir_learn_dqn_check(&config, &e), -1);
	CHECK_STR(e.text, "target_every must not be 0");
	player_close(&p);
}
