/* test_flow_trainers.c -- trainers of congestion controls: they learn, whatever the number of threads. */
#include "sim/base/memory.h"
#include "tests/test.h"
#include "train/fan_in.h"
#include "train/rounds.h"
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

/* The text says what the header of fan_in.h does. */
TEST(test_fan_ins_have_two_to_ninety_six_flows_but_not_those_of_proofs)
{
	uint64_t seen = 0;

	for (uint64_t i = 0; i < 200; i++) {
		const struct train_episode which = { i * 7919, i, TRAIN_EXPLORE };
		char *text = fan_in_scenario(&(struct fan_in){ "hpcc", which.seed, &which });
		uint32_t flows = 0, unlimited = 0;

		for (const char *at = text; (at = strstr(at, "flow = ")); at++)
			flows++;
		for (const char *at = text; (at = strstr(at, "unlimited")); at++)
			unlimited++;
		CHECK(flows >= 2 && flows <= FAN_IN_FLOWS_MAX);
		CHECK(flows != 4 && flows != 16 && flows != 64);
		CHECK_INT(unlimited, flows / 2);
		seen |= UINT64_C(1) << flows / 2;
		free(text);
	}
	CHECK(seen == (UINT64_C(1) << 1 | UINT64_C(1) << 3 | UINT64_C(1) << 6 | UINT64_C(1) << 12 |
		       UINT64_C(1) << 24 | UINT64_C(1) << 48));
}
