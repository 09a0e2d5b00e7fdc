/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flow_trainers.c -- trainers of congestion controls: they learn, whatever the number of
 * threads. */
#define _POSIX_C_SOURCE 200809L
#include "lib/cc/fdcc.h"
#include "base/memory.h"
#include "config/model.h"
#include "tests/folder.h"
#include "tests/test.h"
#include "train/flow_episode.h"
#include "train/trainer.h"
#include "weir/rng.h"
#include <stdlib.h>
#include <string.h>

/* A short training, and what came of it. */
struct lesson {
	const char *trainer, *settings; /* "key=value key=value" */
	const char *scenario;           /* text; NULL: drawn */
	uint64_t steps, judge_episodes;
	uint32_t threads;
	const char *checkpoint; /* NULL: not interrupted; else after the first round */
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

static void stop_at_once(void *context, const struct training *t)
{
	(void)t;
	atomic_store((atomic_int *)context, 1);
}

/* Trains a round, writes a checkpoint, and forgets the rest. */
static void learn_a_round(const struct train_plan *plan)
{
	struct weir_error e = { "" };
	struct training *t;
	atomic_int stop;

	atomic_init(&stop, 0);
	if (training_new(&t, plan, &e) ||
	    training_run(t, &(struct train_watch){ &stop, stop_at_once, &stop }, &e) !=
		    TRAIN_STOPPED)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(training_points(t), 1);
	training_free(t);
}

static void learn(struct lesson *l)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const char *file = "given.ini";
	struct weir_error e = { "" };
	struct train_plan plan = { .trainer = trainer_find(l->trainer, &e),
				   .params = params,
				   .input = { .seed = 1,
					      .steps = l->steps,
					      .scenario_count = l->scenario != NULL,
					      .texts = &l->scenario,
					      .files = &file },
				   .round_episodes = 4,
				   .judge_episodes = l->judge_episodes,
				   .judge_rounds = 1000,
				   .threads = l->threads,
				   .identity = "a lesson",
				   .file = l->checkpoint,
				   .checkpoint_seconds = 1e9 };
	struct weir_learn_model model;
	struct training *t;

	set_all(plan.trainer, params, l->settings);
	if (l->checkpoint)
		learn_a_round(&plan);
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

static void check_equal(const struct lesson *a, const struct lesson *b)
{
	CHECK_INT(a->weight_count, b->weight_count);
	CHECK(memcmp(a->weights, b->weights, a->weight_count * sizeof(float)) == 0);
	CHECK(a->best.score == b->best.score);
}

static void check_threads(const char *trainer, const char *settings, const char *scenario)
{
	struct lesson one = { .trainer = trainer,
			      .settings = settings,
			      .scenario = scenario,
			      .steps = 4000,
			      .judge_episodes = 1,
			      .threads = 1 };
	struct lesson two = { .trainer = trainer,
			      .settings = settings,
			      .scenario = scenario,
			      .steps = 4000,
			      .judge_episodes = 1,
			      .threads = 2 };

	struct lesson parts = two;
	struct folder f = folder_make();
	char file[128];

	snprintf(file, sizeof(file), "%s/checkpoint", f.path);
	parts.checkpoint = file;
	learn(&one);
	learn(&two);
	learn(&parts);
	check_equal(&one, &two);
	check_equal(&one, &parts);
	forget(&one);
	forget(&two);
	forget(&parts);
	folder_remove(&f);
}

TEST(test_flow_trainers_learn_the_same_on_any_number_of_threads_and_if_interrupted)
{
	check_threads("fdcc", "warm-up=1000 actor-after=10", NULL);
	check_threads("fdcc",
		      "warm-up=1000 actor-after=10 critic-flows=yes team=0.5 curriculum=yes", NULL);
	check_threads("fdcc", "warm-up=1000 actor-after=4 net=recall hidden=8 batch=16", NULL);
	check_threads("rl-cc", "rnn=lstm", NULL);
	check_threads("rl-cc", "rnn=none", NULL);
}

/* Six flows under the control that is trained, two under another, with and without a size. */
#define GIVEN(cc) \
	"[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\nhosts-per-leaf = 4\n" \
	"rate = 100Gbps\ndelay = 500ns\n" \
	"[switch]\nmarking = none\nbuffer = 8MiB\nbuffer-per = switch\nlossless = all\n" \
	"[host]\ncc = hpcc\n" \
	"[traffic long]\npattern = many-to-one\nreceiver = 0\nsenders = 3\nsize = unlimited\n" \
	"cc = " cc "\n" \
	"[traffic incast]\npattern = incast\nreceiver = 0\nsenders = 3\nsize = 200KB\n" \
	"period = 100us\ncc = " cc "\n" \
	"[traffic other]\npattern = many-to-one\nreceiver = 4\nsenders = 2\nsize = unlimited\n" \
	"[measure]\nfrom = 0us\nto = 300us\ndrain = 100us\n"

TEST(test_flow_trainers_learn_the_same_from_a_given_scenario_too)
{
	check_threads("fdcc", "warm-up=1000 actor-after=10", GIVEN("fdcc"));
	check_threads("rl-cc", "rnn=none", GIVEN("rl-cc"));
}

/* Decisions of the flows under the control that is trained, from each section, and no others; the
 * number of flows at a port is counted although the scenario does not say so. */
TEST(test_flows_of_a_given_scenario_are_the_agents)
{
	struct weir_error e = { "" };
	struct weir_cc_rollout rollout = { .seed = 1 };
	struct flow_run r = { .rollout = &rollout };
	const struct flow_episode ep = { &weir_cc_fdcc, "given.ini", GIVEN("fdcc"), 7, 1 };
	uint32_t flows = 0, most = 0;

	CHECK_INT(flow_episode_run(&ep, &r, &e), 0);
	CHECK_INT(r.result.flows, 3 + 3 * 3 + 2);
	CHECK_INT(r.result.endless, 5);
	CHECK_NEAR(r.result.completed, 1, 0);
	CHECK(r.result.slowdown_p99 > 1);
	for (uint32_t f = 0; f < r.log.flows; f++) {
		const struct weir_cc_decision *rows = decision_log_rows(&r.log, f);

		flows += r.log.counts[f] > 0;
		for (uint32_t i = 0; i < r.log.counts[f]; i++)
			most = rows[i].flows > (float)most ? (uint32_t)rows[i].flows : most;
	}
	CHECK_INT(flows, 3 + 3 * 3);
	CHECK(most >= 6 && most <= 12);
	decision_log_free(&r.log);
}

/* Otherwise a training would never end: it counts steps. */
TEST(test_an_episode_without_two_decisions_of_a_flow_is_an_error)
{
	struct weir_error e = { "" };
	struct weir_cc_rollout rollout = { .seed = 1 };
	struct flow_run r = { .rollout = &rollout };
	const struct flow_episode ep = { &weir_cc_fdcc, "given.ini",
					 "[network]\ntopology = star\nhosts = 2\n[host]\n"
					 "cc = fdcc\n[traffic x]\npattern = permutation\n"
					 "size = 1KB\n",
					 7, 1 };

	CHECK_INT(flow_episode_run(&ep, &r, &e), -1);
	CHECK_CONTAINS(e.text, "given.ini:5: host.cc: no flow under fdcc lives for two decisions");
	decision_log_free(&r.log);
}

static void check_refused(const char *trainer, const char *settings, const char *text,
			  const char *message)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const char *file = "given.ini";
	struct weir_error e = { "" };
	const struct train_plan plan = { .trainer = trainer_find(trainer, &e),
					 .params = params,
					 .input = { 1, 1000, 1, &text, &file },
					 .round_episodes = 1,
					 .judge_episodes = 1,
					 .judge_rounds = 1,
					 .threads = 1 };
	struct training *t;

	set_all(plan.trainer, params, settings);
	CHECK_INT(training_new(&t, &plan, &e), -1);
	if (!strstr(e.text, message))
		test_fail(__FILE__, __LINE__, "'%s' is not in '%s'", message, e.text);
}

TEST(test_flow_trainers_refuse_scenarios_in_which_they_cannot_learn)
{
	check_refused("fdcc", "", GIVEN("rl-cc"),
		      "given.ini:14: host.cc: fdcc is to be trained, but nothing uses it");
	check_refused("fdcc", "", GIVEN("fdcc(policy=always-cut)"),
		      "given.ini:20: traffic.long.cc: a policy without a neural network");
	check_refused("fdcc", "preset=thesis", GIVEN("fdcc"),
		      "given.ini:20: traffic.long.cc: the policy to be trained does not fit: it is "
		      "made for features");
	check_refused("rl-cc", "", GIVEN("rl-cc(policy=linear)"), "traffic.long.cc: a policy");
	check_refused("rl-cc", "", GIVEN("rl-cc") "[sweep]\nseed = 1, 2\n",
		      "given.ini:38: sweep.seed: a list of values");
	check_refused("rl-cc", "",
		      "[network]\ntopology = star\nhosts = 2\n[host]\ncc = rl-cc\n"
		      "[traffic x]\npattern = permutation\nsize = 1KB\ncc = dctcp\n",
		      "given.ini:5: host.cc: rl-cc is to be trained, but nothing uses it");
	check_refused("rl-cc", "", "[network]\ntopology = x\n",
		      "given.ini:2: network.topology: unknown");
	check_refused("fdcc", "curriculum=yes", GIVEN("fdcc"), "curriculum: ");
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
		char *text = fan_in_scenario(
			&(struct fan_in){ "hpcc", which.seed, &which, flows_max,
					  i % 2 ? FAN_IN_MIXED : FAN_IN_EQUAL, FAN_IN_ONLY });
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
		char *text = fan_in_scenario(&(struct fan_in){ "hpcc", which.seed, &which, 96,
							       FAN_IN_MIXED, FAN_IN_ONLY });
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

/* The kinds of fan_in.h, and every scenario is valid; evaluations are half fan-ins. */
TEST(test_varied_networks_are_fan_ins_parking_lots_and_leaf_spines)
{
	const struct weir_learn_policy *none = NULL;
	uint32_t kinds[3] = { 0 };

	for (uint64_t i = 0; i < 400; i++) {
		const struct train_episode which = { weir_hash64(3, i), i,
						     i % 8 ? TRAIN_EXPLORE : TRAIN_JUDGE };
		const struct fan_in f = { "hpcc", which.seed,   &which,
					  96,     FAN_IN_EQUAL, FAN_IN_VARIED };
		struct weir_error e = { "" };
		struct flow_episode ep = { &weir_cc_fdcc, "drawn", NULL, which.seed, 0 };
		char *text = fan_in_scenario(&f);

		ep.text = text;
		if (flow_episode_check(&ep, none, &e))
			test_fail(__FILE__, __LINE__, "%s", e.text);
		kinds[varied_kind_of(&f)]++;
		free(text);
	}
	CHECK(kinds[VARIED_FAN_IN] > 240 && kinds[VARIED_FAN_IN] < 320);
	CHECK(kinds[VARIED_PARKING_LOT] > 50 && kinds[VARIED_CLOS] > 20);
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
	flow_share_rewards(&log, 1, own[0]);
	flow_share_rewards(&log, 0.5, half[0]);
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
