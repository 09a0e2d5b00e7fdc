/* SPDX-License-Identifier: BSD-3-Clause */
/* test_env.c -- environments for learners, weir/env.h. */
#include "sim/run/env.h"
#include "sim/run/run.h"
#include "tests/test.h"
#include "lab/scenario/scenario.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two switches of two ports each, so four queues of hosts and two between the switches. */
#define NETWORK \
	"seed = 3\n[network]\ntopology = leaf-spine\nleaves = 2\nspines = 1\nhosts-per-leaf = 2\n" \
	"rate = 10Gbps\ndelay = 1us\n"
#define REST \
	"buffer = 1MB\n[host]\ncc = dctcp\n" \
	"[traffic some]\npattern = all-to-all\nsizes = websearch\nload = 0.8\n" \
	"[measure]\nto = 5ms\ndrain = 0us\n"
#define SCENARIO \
	NETWORK "[switch]\nmarking = red\ntune = acc(preset=paper, policy=untrained, idle=none, " \
		"learn=no)\n" \
		"tune-interval = 100us\n" REST

enum { ROWS_MAX = 64, SIZE_MAX_OF_ROW = 16 };

/* An environment with arrays for what it shows. */
struct bench {
	struct weir_env *env;
	struct weir_env_shape shape;
	float observations[ROWS_MAX * SIZE_MAX_OF_ROW], rewards[ROWS_MAX];
	uint8_t asks[ROWS_MAX], done;
	uint32_t actions[ROWS_MAX];
	struct weir_env_view view;
};

static void bench_open_as(struct bench *b, const char *text, const struct weir_env_plan *plan)
{
	struct weir_error e = { "" };

	memset(b, 0, sizeof(*b));
	if (weir_env_new(&b->env, text, plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	weir_env_shape(b->env, &b->shape);
	CHECK(b->shape.rows <= ROWS_MAX && b->shape.observation_size <= SIZE_MAX_OF_ROW);
	b->view = (struct weir_env_view){ .observations = b->observations,
					  .rewards = b->rewards,
					  .asks = b->asks,
					  .done = &b->done };
}

static void bench_open(struct bench *b, const char *text)
{
	bench_open_as(b, text, NULL);
}

static void bench_reset(struct bench *b, uint64_t seed)
{
	struct weir_error e;

	CHECK_INT(weir_env_reset(b->env, seed, &b->view, &e), 0);
}

static void bench_step(struct bench *b)
{
	struct weir_error e = { "" };

	if (weir_env_step(b->env, b->actions, &b->view, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* All that an episode shows, in one number; actions go round. */
static uint64_t episode_sum(struct bench *b, uint64_t seed)
{
	uint64_t sum = 0;
	uint32_t steps = 0;

	bench_reset(b, seed);
	while (!b->done && steps <= b->shape.steps) {
		for (uint32_t i = 0; i < b->shape.rows; i++)
			b->actions[i] = (steps + i) % b->shape.action_count;
		bench_step(b);
		for (uint32_t i = 0; i < b->shape.rows; i++) {
			uint32_t bits;

			memcpy(&bits, &b->rewards[i], sizeof(bits));
			sum = sum * 31 + bits + b->asks[i];
			for (uint32_t k = 0; k < b->shape.observation_size; k++) {
				memcpy(&bits, &b->observations[i * b->shape.observation_size + k],
				       sizeof(bits));
				sum = sum * 31 + bits;
			}
		}
		steps++;
	}
	CHECK_INT(steps, b->shape.steps);
	return sum;
}

TEST(test_env_has_a_row_for_each_queue_of_each_switch)
{
	struct bench b;

	bench_open(&b, SCENARIO);
	CHECK_INT(b.shape.rows,
		  2 * 3 + 2); /* leaves: two hosts and the spine; the spine: two leaves */
	CHECK_INT(b.shape.observation_size, 12);
	CHECK_INT(b.shape.action_count, 20);
	CHECK_INT(b.shape.interval_ns, 100000);
	CHECK_INT(b.shape.steps, 49); /* 50 intervals, the first of which is reset's */
	weir_env_free(b.env);
}

TEST(test_env_with_the_same_seed_and_actions_is_the_same)
{
	struct bench b, other;
	uint64_t first;

	bench_open(&b, SCENARIO);
	bench_open(&other, SCENARIO);
	first = episode_sum(&b, 7);
	CHECK(episode_sum(&b, 8) != first);
	CHECK(episode_sum(&b, 7) == first);
	CHECK(episode_sum(&other, 7) == first);
	weir_env_free(b.env);
	weir_env_free(other.env);
}

/* Squares of the bytes that ports sent in a run, added up: whatever the order of ports. */
static uint64_t run_sum(const char *text, uint64_t seed)
{
	struct run_control control = { .threads = 1 };
	struct run_result r;
	struct scenario s;
	struct config c;
	struct weir_error e = { "" };
	uint64_t sum = 0;

	CHECK_INT(scenario_read_text(&s, "test", text, strlen(text), &e), 0);
	if (scenario_config(&s, &c, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	c.seed = seed;
	if (run(&c, &control, &r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint32_t i = 0; i < r.port_count; i++)
		sum += r.ports[i].tx_bytes * r.ports[i].tx_bytes;
	run_result_free(&r);
	config_free(&c);
	scenario_free(&s);
	return sum;
}

static uint64_t env_sum(struct bench *b, uint32_t action, uint64_t seed)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < b->shape.rows; i++)
		b->actions[i] = action;
	bench_reset(b, seed);
	while (!b->done)
		bench_step(b);
	for (uint32_t i = 0; i < b->shape.rows; i++) {
		struct env_port port;

		env_port(b->env, i, &port);
		sum += port.sent_bytes * port.sent_bytes;
	}
	return sum;
}

#define GIVEN "[switch]\nmarking = red(min=20KB, max=1MB, p=100%)\n"

TEST(test_env_with_a_constant_action_is_a_run_with_that_setting)
{
	static const char with_agent[] = NETWORK GIVEN
		"tune = acc(preset=paper, policy=untrained, idle=none, learn=no, start=given)\n"
		"tune-interval = 100us\n" REST;
	static const char with_fixed[] =
		NETWORK GIVEN "tune = fixed(min=20KB, max=1MB, p=100%)\n" REST;
	struct bench b;

	bench_open(&b, with_agent);
	/* The template's fourth action: 20 KB, 1 MB, 100 %; its last is 640 KB, 1 MB, 100 %. */
	CHECK(env_sum(&b, 3, 5) == run_sum(with_fixed, 5));
	CHECK(env_sum(&b, 19, 5) != run_sum(with_fixed, 5));
	weir_env_free(b.env);
}

TEST(test_env_goes_on_to_its_end_where_all_flows_have_ended)
{
	struct bench b;

	bench_open(&b,
		   NETWORK "[switch]\nmarking = red\ntune = acc(preset=paper, policy=untrained)\n"
			   "tune-interval = 100us\n[traffic one]\npattern = many-to-one\n"
			   "size = 10KB\n[host]\ncc = dcqcn\n[measure]\nto = 5ms\n");
	episode_sum(&b, 1);
	weir_env_free(b.env);
}

/* --- many at once --- */

static uint64_t pool_sum(uint32_t threads)
{
	enum { ENVS = 3, STEPS = 60 }; /* more than an episode has */
	struct weir_env_pool_plan plan = { .count = ENVS, .threads = threads };
	struct weir_env_pool *pool;
	struct weir_env_shape shape;
	struct weir_env_view view = { .agents = NULL };
	struct weir_error e;
	uint64_t sum = 0, ends = 0;
	uint32_t *actions;

	CHECK_INT(weir_env_pool_new(&pool, SCENARIO, &plan, &e), 0);
	weir_env_pool_shape(pool, &shape);
	view.observations = malloc(sizeof(float) * ENVS * shape.rows * shape.observation_size);
	view.rewards = malloc(sizeof(float) * ENVS * shape.rows);
	view.asks = malloc((size_t)ENVS * shape.rows);
	view.done = malloc(ENVS);
	actions = calloc((size_t)ENVS * shape.rows, sizeof(*actions));
	CHECK_INT(weir_env_pool_reset(pool, 9, &view, &e), 0);
	for (int step = 0; step < STEPS; step++) {
		CHECK_INT(weir_env_pool_step(pool, actions, &view, &e), 0);
		for (uint32_t i = 0; i < ENVS * shape.rows * shape.observation_size; i++) {
			uint32_t bits;

			memcpy(&bits, &view.observations[i], sizeof(bits));
			sum = sum * 31 + bits;
		}
		for (uint32_t i = 0; i < ENVS; i++)
			ends += view.done[i];
	}
	CHECK_INT(ends, ENVS); /* each came to its end and began anew */
	free(view.observations);
	free(view.rewards);
	free(view.asks);
	free(view.done);
	free(actions);
	weir_env_pool_free(pool);
	return sum;
}

TEST(test_env_pool_does_not_depend_on_threads_and_begins_anew_after_an_end)
{
	uint64_t sum = pool_sum(1);

	CHECK(pool_sum(2) == sum);
	CHECK(pool_sum(4) == sum);
}

/* --- thresholds as numbers --- */

TEST(test_env_thresholds_are_settings_of_the_same_numbers)
{
	const struct weir_env_plan plan = { .agents = WEIR_ENV_THRESHOLDS };
	/* 32 KiB of 128 KiB, 25 %; 128 KiB = 1 KiB 2^7, 7 of 12 octaves. */
	static const char with_fixed[] =
		NETWORK "[switch]\nmarking = red(min=32768B, max=131072B, p=25%)\n"
			"tune = fixed(min=32768B, max=131072B, p=25%)\n" REST;
	static const char given[] = NETWORK
		"[switch]\nmarking = red(min=32768B, max=131072B, p=25%)\n"
		"tune = acc(preset=paper, policy=untrained, idle=none, learn=no, start=given)\n"
		"tune-interval = 100us\n" REST;
	float box[3 * ROWS_MAX], measures[9 * ROWS_MAX];
	struct bench b;
	struct weir_error e;
	uint64_t sum = 0;

	bench_open_as(&b, given, &plan);
	CHECK_INT(b.shape.action_count, 0);
	CHECK_INT(b.shape.action_size, 3);
	CHECK_INT(b.shape.measure_count, 9);
	CHECK_STR(weir_env_measure(b.env, 7), "k_max_bytes");
	CHECK(weir_env_measure(b.env, 9) == NULL);
	b.view.measures = measures;
	for (uint32_t i = 0; i < b.shape.rows; i++) {
		box[3 * i] = 0.25F;
		box[3 * i + 1] = 7.0F / 12;
		box[3 * i + 2] = 0.25F;
	}
	bench_reset(&b, 5);
	while (!b.done)
		if (weir_env_step(b.env, box, &b.view, &e))
			test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_NEAR(measures[6], 32768, 1);
	CHECK_NEAR(measures[7], 131072, 1);
	CHECK_NEAR(measures[8], 0.25, 1e-4);
	for (uint32_t i = 0; i < b.shape.rows; i++) {
		struct env_port port;

		env_port(b.env, i, &port);
		sum += port.sent_bytes * port.sent_bytes;
	}
	CHECK(sum == run_sum(with_fixed, 5));
	weir_env_free(b.env);
}

/* A queue without traffic: what it observes differs by its setting alone. */
TEST(test_env_agents_observe_the_thresholds_that_a_learner_chose)
{
	static const char text[] =
		"[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 1us\n"
		"[switch]\nmarking = red\ntune = acc(preset=paper, policy=untrained, idle=none)\n"
		"tune-interval = 100us\n[host]\ncc = dctcp\n[traffic t]\npattern = list\n"
		"flow = 0 1 unlimited 0us\n[measure]\nto = 1ms\n";
	const struct weir_env_plan plan = { .agents = WEIR_ENV_THRESHOLDS };
	const uint32_t idle = 3;
	float box[3 * ROWS_MAX], seen[2][SIZE_MAX_OF_ROW];
	struct bench b;
	struct weir_error e;

	bench_open_as(&b, text, &plan);
	for (int large = 0; large < 2; large++) {
		for (uint32_t i = 0; i < 3 * b.shape.rows; i++)
			box[i] = large ? 0.9F : 0.3F;
		bench_reset(&b, 1);
		CHECK_INT(weir_env_step(b.env, box, &b.view, &e), 0);
		memcpy(seen[large], b.observations + idle * b.shape.observation_size,
		       b.shape.observation_size * sizeof(float));
	}
	CHECK(memcmp(seen[0], seen[1], b.shape.observation_size * sizeof(float)) != 0);
	weir_env_free(b.env);
}

TEST(test_env_refuses_thresholds_beyond_the_unit_box)
{
	const struct weir_env_plan plan = { .agents = WEIR_ENV_THRESHOLDS };
	static const float wrong[] = { -0.1F, 1.1F, NAN };
	float box[3 * ROWS_MAX] = { 0 };
	struct bench b;
	struct weir_error e;

	bench_open_as(&b, SCENARIO, &plan);
	bench_reset(&b, 1);
	for (size_t i = 0; i < 3; i++) {
		box[4] = wrong[i];
		CHECK_INT(weir_env_step(b.env, box, &b.view, &e), -1);
		CHECK_CONTAINS(e.text, "of row 1: thresholds are numbers from 0 to 1");
	}
	box[4] = 1;
	CHECK_INT(weir_env_step(b.env, box, &b.view, &e), 0);
	weir_env_free(b.env);
}

/* --- completion times, summary, settings --- */

TEST(test_env_shows_each_complete_flow_once_and_sums_them_up)
{
	const struct weir_env_flow *flows;
	struct weir_env_summary s;
	struct bench b;
	uint64_t ended = 0, bytes = 0, small = 0;
	double sum_ns = 0;
	int64_t last_ns = 0;

	bench_open(&b, SCENARIO);
	bench_reset(&b, 3);
	for (;;) {
		uint32_t count = weir_env_ended(b.env, &flows);

		for (uint32_t i = 0; i < count; i++) {
			int64_t end_ns = flows[i].start_ns + flows[i].fct_ns;

			CHECK(end_ns >= last_ns && end_ns <= env_now_ns(b.env));
			CHECK(flows[i].ideal_ns > 0 && flows[i].fct_ns >= flows[i].ideal_ns);
			CHECK(flows[i].closes && flows[i].agent == flows[i].flow);
			last_ns = end_ns;
			sum_ns += (double)flows[i].fct_ns;
			bytes += flows[i].bytes;
			small += flows[i].bytes <= 100000;
		}
		ended += count;
		if (b.done)
			break;
		bench_step(&b);
	}
	weir_env_summary(b.env, &s);
	CHECK(ended > 2);
	CHECK_INT(s.all.flows, ended);
	CHECK_INT(s.small.flows, small);
	CHECK_INT(s.small.flows + s.medium.flows + s.large.flows, ended);
	CHECK_NEAR(s.all.mean_ns, sum_ns / (double)ended, 1);
	CHECK(s.all.p99_ns != s.all.p99_ns); /* of fewer than 100 */
	CHECK(s.delivered_bytes >= bytes);
	CHECK_NEAR(s.goodput_bps, (double)s.delivered_bytes * 8 / 5e-3, 1);
	CHECK_INT(s.now_ns, 5000000);
	bench_reset(&b, 3);
	weir_env_summary(b.env, &s);
	CHECK_INT(s.now_ns, 100000);
	CHECK(s.all.flows < ended);
	weir_env_free(b.env);
}

TEST(test_env_takes_settings_at_first_and_later)
{
	static const char *const dcqcn[] = { "host.cc=dcqcn", NULL },
				 *const wrong[] = { "host.c=x", NULL },
				 *const larger[] = { "network.leaves=3", NULL };
	const struct weir_env_plan plan = { .settings = dcqcn };
	struct bench b, other;
	struct weir_error e;
	uint64_t first;

	bench_open(&b, SCENARIO);
	bench_open_as(&other, SCENARIO, &plan);
	first = episode_sum(&b, 7);
	CHECK(episode_sum(&other, 7) != first);
	CHECK_INT(weir_env_set(b.env, wrong, &e), -1);
	CHECK_CONTAINS(e.text, "host.c");
	CHECK_INT(weir_env_set(b.env, larger, &e), -1);
	CHECK_CONTAINS(e.text, "make another environment");
	CHECK(episode_sum(&b, 7) == first);
	CHECK_INT(weir_env_set(b.env, dcqcn, &e), 0);
	CHECK_INT(weir_env_step(b.env, b.actions, &b.view, &e), -1);
	CHECK_CONTAINS(e.text, "reset comes before step");
	CHECK(episode_sum(&b, 7) == episode_sum(&other, 7));
	CHECK_INT(weir_env_set(b.env, NULL, &e), 0);
	CHECK(episode_sum(&b, 7) == first);
	weir_env_free(b.env);
	weir_env_free(other.env);
}

TEST(test_env_that_refuses_is_one_sentence)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ NETWORK "[switch]\nmarking = red\n" REST,
		  "switch.tune: an environment needs an agent" },
		{ NETWORK "[switch]\nmarking = red\ntune = fixed(min=5KB)\n" REST, "tune" },
		{ NETWORK "[switch]\nmarking = red\ntune = acc(preset=paper, "
			  "policy=untrained)\ntune-interval = "
			  "4ms\n" REST,
		  "has no step" },
		{ NETWORK "[switch]\nmarkin = red\n" REST, "markin" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_env *env = NULL;
		struct weir_error e = { "" };

		CHECK_INT(weir_env_new(&env, cases[i].text, NULL, &e), -1);
		CHECK_CONTAINS(e.text, cases[i].message);
	}
}

TEST(test_env_refuses_a_step_without_reset_after_the_end_and_an_action_beyond_the_last)
{
	struct bench b;
	struct weir_error e;

	bench_open(&b, SCENARIO);
	CHECK_INT(weir_env_step(b.env, b.actions, &b.view, &e), -1);
	CHECK_CONTAINS(e.text, "reset comes before step");
	bench_reset(&b, 1);
	b.actions[3] = 20;
	CHECK_INT(weir_env_step(b.env, b.actions, &b.view, &e), -1);
	CHECK_STR(e.text, "action 20 of row 3; the last is 19");
	b.actions[3] = 19;
	while (!b.done)
		bench_step(&b);
	CHECK_INT(weir_env_step(b.env, b.actions, &b.view, &e), -1);
	CHECK_CONTAINS(e.text, "the episode is over");
	weir_env_free(b.env);
}
