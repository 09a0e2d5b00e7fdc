/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flow_trainers.c -- trainers of congestion controls: they learn, whatever the number of
 * threads. */
#include "base/memory.h"
#include "config/model.h"
#include "tests/test.h"
#include "train/fan_in.h"
#include "train/trainer.h"
#include <stdlib.h>
#include <string.h>

/* A short training, and what came of it. */
struct lesson {
	const char *trainer, *settings; /* "key=value key=value" */
	uint64_t steps, judge_episodes;
	uint32_t threads;
	struct train_best best;
	double first_score, last_score; /* of rounds */
	float *weights;                 /* the best */
	uint32_t weight_count;
};

static void set_all(const struct trainer *t, void *params, const char *settings)
{
	char text[256], *rest = text, *word;
	struct weir_error e = { "" };

	weir_options_default(params, t->scheme.options);
	CHECK(strlen(settings) < sizeof(text));
	strcpy(text, settings);
	while ((word = strtok_r(rest, " ", &rest))) {
		char *equals = strchr(word, '=');
		const struct weir_option *o;

		*equals = '\0';
		o = weir_option_find(t->scheme.options, word);
		CHECK(o != NULL);
		CHECK_INT(weir_option_parse(params, o, equals + 1, &e), 0);
	}
}

static void learn(struct lesson *l)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	struct weir_error e = { "" };
	struct train_plan plan = { .trainer = trainer_find(l->trainer, &e),
				   .params = params,
				   .input = { .seed = 1, .steps = l->steps },
				   .round_episodes = 4,
				   .judge_episodes = l->judge_episodes,
				   .judge_rounds = 1000,
				   .threads = l->threads };
	struct weir_learn_model model;
	struct training *t;

	set_all(plan.trainer, params, l->settings);
	if (training_new(&t, &plan, &e) ||
	    training_run(t, &(struct train_watch){ NULL, NULL, NULL }, &e) != TRAIN_DONE)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	l->best = training_best(t, &model);
	l->weight_count = model.net->weight_floats;
	l->weights = memory_new(l->weight_count, sizeof(float));
	memcpy(l->weights, model.weights, l->weight_count * sizeof(float));
	l->first_score = training_point(t, 0)->score;
	l->last_score = training_point(t, training_points(t) - 1)->score;
	training_free(t);
}

static void forget(struct lesson *l)
{
	memory_free(l->weights, l->weight_count, sizeof(float));
}

static void check_threads(const char *trainer, const char *settings)
{
	struct lesson one = { .trainer = trainer,
			      .settings = settings,
			      .steps = 4000,
			      .judge_episodes = 1,
			      .threads = 1 };
	struct lesson two = { .trainer = trainer,
			      .settings = settings,
			      .steps = 4000,
			      .judge_episodes = 1,
			      .threads = 2 };

	learn(&one);
	learn(&two);
	CHECK_INT(one.weight_count, two.weight_count);
	CHECK(memcmp(one.weights, two.weights, one.weight_count * sizeof(float)) == 0);
	CHECK(one.best.score == two.best.score);
	forget(&one);
	forget(&two);
}

TEST(test_flow_trainers_learn_the_same_on_any_number_of_threads)
{
	check_threads("fdcc", "warm-up=1000 actor-after=10");
	check_threads("fdcc",
		      "warm-up=1000 actor-after=10 critic-flows=yes team=0.5 curriculum=yes");
	check_threads("fdcc", "warm-up=1000 actor-after=4 net=recall hidden=8 batch=16");
	check_threads("rl-cc", "rnn=lstm");
	check_threads("rl-cc", "rnn=none");
}

/* First weights of seed 1 leave the line idle; some hundred updates later it is shared and busy. */
TEST(test_rl_cc_training_finds_a_policy_that_is_fair_and_busy)
{
	struct lesson l = { .trainer = "rl-cc",
			    .settings = "rnn=none rate=0.01",
			    .steps = 60000,
			    .judge_episodes = 2,
			    .threads = 2 };

	learn(&l);
	CHECK(l.first_score < 0.5);
	CHECK(l.best.score > 0.7);
	forget(&l);
}

static uint32_t count_of(const char *text, const char *word)
{
	uint32_t count = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		count++;
	return count;
}

/* Bit n / 2 for n flows. The text says what the header of fan_in.h does. */
static uint64_t sizes_drawn(uint32_t flows_max)
{
	uint64_t seen[2] = { 0, 0 };

	for (uint64_t i = 0; i < 400; i++) {
		const struct train_episode which = { i * 7919, i, TRAIN_EXPLORE };
		char *text =
			fan_in_scenario(&(struct fan_in){ "hpcc", which.seed, &which, flows_max,
							  i % 2 ? FAN_IN_MIXED : FAN_IN_EQUAL });
		uint32_t flows = count_of(text, "flow = ");

		CHECK(flows >= 2 && flows <= flows_max);
		CHECK_INT(count_of(text, "unlimited"), flows / 2);
		seen[flows == FAN_IN_FLOWS_MAX] |= UINT64_C(1) << (flows / 2) % 64;
		free(text);
	}
	CHECK(!seen[1] == (flows_max < FAN_IN_FLOWS_MAX));
	return seen[0];
}

/* So not 4, 16 or 64, which proofs have. */
TEST(test_fan_ins_have_two_to_ninety_six_flows_but_not_those_of_proofs)
{
	const uint64_t few = UINT64_C(1) << 1 | UINT64_C(1) << 3 | UINT64_C(1) << 6;
	const uint64_t more = UINT64_C(1) << 12 | UINT64_C(1) << 24 | UINT64_C(1) << 48;

	CHECK(sizes_drawn(12) == few);
	CHECK(sizes_drawn(FAN_IN_FLOWS_STANDARD) == (few | more));
	CHECK(sizes_drawn(FAN_IN_FLOWS_MAX) == (few | more));
}

/* Half of the episodes with mixed paths have senders beside the receiver, which then measures its
 * own port; the number of left and right hosts is that of senders and the receiver. */
TEST(test_fan_ins_with_mixed_paths_have_near_and_far_senders)
{
	uint32_t mixed = 0, near_most = 0;

	for (uint64_t i = 0; i < 200; i++) {
		const struct train_episode which = { i * 7919, i, TRAIN_EXPLORE };
		char *text = fan_in_scenario(
			&(struct fan_in){ "hpcc", which.seed, &which, 96, FAN_IN_MIXED });
		uint32_t left = 0, right = 0, flows = count_of(text, "flow = ");

		CHECK_INT(sscanf(strstr(text, "left-hosts"), "left-hosts = %u", &left), 1);
		CHECK_INT(sscanf(strstr(text, "right-hosts"), "right-hosts = %u", &right), 1);
		CHECK(left >= 1 && right >= 1);
		CHECK_INT(left + right, flows + 1);
		CHECK((strstr(text, "port = left->right") != NULL) == (right == 1));
		mixed += right > 1;
		near_most += left == 1 && right > 2;
		free(text);
	}
	CHECK(mixed > 80 && mixed < 120);
	CHECK(near_most > 10);
}

/* Six sizes, a sixth of the steps each. */
TEST(test_a_curriculum_begins_with_two_flows_and_adds_one_number_after_the_other)
{
	CHECK_INT(fan_in_stage(96, 0), 2);
	CHECK_INT(fan_in_stage(96, 0.16), 2);
	CHECK_INT(fan_in_stage(96, 0.17), 6);
	CHECK_INT(fan_in_stage(96, 0.5), 24);
	CHECK_INT(fan_in_stage(96, 0.84), 96);
	CHECK_INT(fan_in_stage(96, 1), 96);
	CHECK_INT(fan_in_stage(24, 1), 24);
}

/* Rows of the first flow at 0, 10, 20 and 30 ns, of the second at 5, 15 and 25. What the actions of
 * the first are worth is known at 10 (alone: 1), 20 (3 and the other's 2) and 30 (alone again: 5);
 * of the second at 15 (1 and 2) and 25 (3 and 4). */
TEST(test_a_team_reward_is_the_mean_of_what_all_have_had_last)
{
	enum { ROWS = 4 };
	static const float all[2][ROWS] = { { 1, 2.5F, 5, 0 }, { 1.5F, 3.5F, 0, 0 } };
	float own[2][ROWS] = { { 1, 3, 5, 0 }, { 2, 4, 0, 0 } }, half[2][ROWS];
	struct decision_log log;

	decision_log_new(&log, 2, ROWS);
	for (uint32_t i = 0; i < 7; i++)
		decision_log_add(&log,
				 &(struct weir_cc_decision){ .now_ns = 5 * i, .flow = i % 2 });
	memcpy(half, own, sizeof(half));
	fan_in_share_rewards(&log, 1, own[0]);
	fan_in_share_rewards(&log, 0.5, half[0]);
	CHECK_NEAR(half[0][1], 2.75, 1e-6);
	CHECK_NEAR(half[1][0], 1.75, 1e-6);
	for (uint32_t i = 0; i < 2 * ROWS; i++)
		CHECK_NEAR(own[i / ROWS][i % ROWS], all[i / ROWS][i % ROWS], 1e-6);
	decision_log_free(&log);
}

/* A cell of a built-in model's policy table. */
static double policy_at(const char *name, const struct train_policy_table *p, uint32_t row,
			uint32_t column)
{
	struct weir_error e = { "" };
	const struct model *m = model_load(model_files, name, &e);
	const struct weir_learn_text texts[] = { { WEIR_LEARN_FEATURES, m->policy.features } };
	const struct weir_learn_model model = {
		.net = m->policy.net, .weights = m->policy.weights, .texts = texts, .text_count = 1
	};
	struct train_cell cell;

	p->cell(NULL, &model, (const uint32_t[]){ row, column }, &cell);
	return strtod(cell.text, NULL);
}

/* A policy that rises with the rate lets a winner take all; one that rises with the queue never
 * drains it. RL-CC's signal grows with both. */
TEST(test_tables_of_shipped_policies_fall_with_queue_and_rate)
{
	struct weir_error e;
	const struct train_policy_table *fdcc = trainer_find("fdcc", &e)->policy_table;
	const struct train_policy_table *rl_cc = trainer_find("rl-cc", &e)->policy_table;

	for (uint32_t row = 0; row < fdcc->row_count; row++)
		for (uint32_t column = 0; column < fdcc->column_count; column++) {
			double u = policy_at("fdcc-weir", fdcc, row, column);

			if (row)
				CHECK(u <= policy_at("fdcc-weir", fdcc, row - 1, column));
			if (column)
				CHECK(u <= policy_at("fdcc-weir", fdcc, row, column - 1));
		}
	for (uint32_t row = 1; row < rl_cc->row_count; row++)
		CHECK(policy_at("rl-cc", rl_cc, row, 2) <= policy_at("rl-cc", rl_cc, row - 1, 2));
}
