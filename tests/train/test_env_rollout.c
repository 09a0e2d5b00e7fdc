/* SPDX-License-Identifier: BSD-3-Clause */
/* test_env_rollout.c -- environments give what the trainers' own routes give: the decisions of FDCC
 * and RL-CC in a rollout, and the transitions of ACC. */
#include "lib/cc/reward.h"
#include "sim/run/env.h"
#include "tests/test.h"
#include "train/fan_in.h"
#include <stdlib.h>
#include <string.h>

enum { HOSTS_MAX = FAN_IN_FLOWS_MAX + 2, SIZE = WEIR_CC_OBSERVATIONS };

struct flow_env {
	struct weir_env *env;
	struct weir_env_shape shape;
	float observations[HOSTS_MAX * SIZE], rewards[HOSTS_MAX], actions[HOSTS_MAX];
	uint8_t asks[HOSTS_MAX], done;
	uint32_t agents[HOSTS_MAX];
	struct weir_env_view view;
};

static struct flow_env *flow_env_open(const char *text)
{
	const struct weir_env_plan plan = { .agents = WEIR_ENV_FLOWS };
	struct flow_env *b = calloc(1, sizeof(*b));
	struct weir_error e = { "" };

	if (weir_env_new(&b->env, text, &plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	weir_env_shape(b->env, &b->shape);
	CHECK(b->shape.rows <= HOSTS_MAX && b->shape.observation_size <= SIZE);
	b->view = (struct weir_env_view){ .observations = b->observations,
					  .rewards = b->rewards,
					  .asks = b->asks,
					  .done = &b->done,
					  .agents = b->agents };
	return b;
}

/* Plays the actions of the log through an environment; every decision there must be the log's. */
static uint64_t replay(const char *text, uint64_t seed, const struct decision_log *log,
		       enum weir_fdcc_reward reward)
{
	struct flow_env *b = flow_env_open(text);
	struct weir_error e = { "" };
	uint64_t seen = 0, together = 0;
	int failed = weir_env_reset(b->env, seed, &b->view, &e);

	while (!failed && !b->done) {
		uint32_t asked = 0;

		for (uint32_t row = 0; row < b->shape.rows; row++) {
			const struct weir_cc_decision *d, *same;

			if (!b->asks[row])
				continue;
			d = env_decision(b->env, row);
			CHECK(d->number < log->counts[b->agents[row]]);
			same = &decision_log_rows(log, b->agents[row])[d->number];
			CHECK_INT(d->now_ns, same->now_ns);
			CHECK(memcmp(b->observations + row * b->shape.observation_size,
				     same->observation,
				     b->shape.observation_size * sizeof(float)) == 0);
			if (d->number)
				CHECK(b->rewards[row] == weir_fdcc_reward(reward, same));
			b->actions[row] = same->action;
			seen++;
			asked++;
		}
		together += asked > 1;
		failed = weir_env_step(b->env, b->actions, &b->view, &e);
	}
	if (failed)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(together > 0);
	weir_env_free(b->env);
	free(b);
	return seen;
}

static void check_fan_in(const char *cc, uint64_t seed, enum weir_fdcc_reward reward)
{
	enum { ROWS = 4096 };
	const struct train_episode which = { .purpose = TRAIN_EXPLORE, .seed = seed };
	const struct fan_in f = { cc, seed, &which, 12, FAN_IN_MIXED };
	struct decision_log log = { 0 };
	const struct weir_cc_rollout rollout = { .record = decision_log_add,
						 .context = &log,
						 .seed = seed,
						 .deviation = 0.1F };
	struct fan_in_result result;
	struct weir_error e = { "" };
	char *text = fan_in_scenario(&f);
	uint64_t decisions = 0;

	decision_log_new(&log, FAN_IN_FLOWS_STANDARD, ROWS);
	if (fan_in_run(&f, NULL, &rollout, &result, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; i < log.flows; i++) {
		CHECK(log.counts[i] < ROWS);
		decisions += log.counts[i];
	}
	CHECK(decisions > 100);
	CHECK_INT(replay(text, seed >> 1, &log, reward), decisions);
	decision_log_free(&log);
	free(text);
}

TEST(test_env_of_flows_gives_the_decisions_of_the_fdcc_trainers_own_rollout)
{
	check_fan_in("fdcc", 6, WEIR_FDCC_SHARES);
	check_fan_in("fdcc(preset=thesis)", 10, WEIR_FDCC_STAGED);
	check_fan_in("fdcc(policy=untrained, floor=packet)", 14, WEIR_FDCC_SHARES);
}
