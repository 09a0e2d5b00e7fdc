/* SPDX-License-Identifier: BSD-3-Clause */
/* test_env_rollout.c -- an environment (weir/env.h) gives what the trainers of this program record
 * of their own episodes: the same observations and rewards, for the same actions. */
#include "base/memory.h"
#include "sim/run/env.h"
#include "tests/test.h"
#include "train/trainer.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 256, SIZE_MAX_OF_ROW = 64, FLOW_ROWS = 256 };

/* --- an episode of a trainer, as it records it --- */

struct recorded {
	const struct trainer *trainer;
	void *context, *state;
	size_t state_size;
	struct train_record record;
	char *text;
};

static void record_episode(struct recorded *r, const char *settings,
			   const struct train_input *input, uint64_t seed)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct train_episode which = { .purpose = TRAIN_EXPLORE, .seed = seed };
	const struct weir_option *agent = weir_option_find(r->trainer->scheme.options, "agent");
	struct weir_error e = { "" };

	weir_options_default(params, r->trainer->scheme.options);
	if (settings)
		CHECK_INT(weir_option_parse(params, agent, settings, &e), 0);
	if (r->trainer->open(&r->context, params, input, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	r->state_size = r->trainer->size(r->context);
	r->state = memory_new(1, r->state_size);
	r->trainer->begin(r->context, r->state);
	r->text = r->trainer->scenario(r->context, &which);
	if (r->trainer->episode(r->context, r->state, &which, &r->record, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(r->record.steps > 100);
}

static void forget(struct recorded *r)
{
	free(r->text);
	free(r->record.rows);
	memory_free(r->state, 1, r->state_size);
	r->trainer->close(r->context);
}

/* --- an environment --- */

struct arrays {
	struct weir_env *env;
	struct weir_env_shape shape;
	float observations[ROWS_MAX * SIZE_MAX_OF_ROW], rewards[ROWS_MAX], factors[ROWS_MAX];
	uint32_t numbers[ROWS_MAX], agents[ROWS_MAX];
	uint8_t asks[ROWS_MAX], done;
	struct weir_env_view view;
};

static struct arrays *open_env(const char *text, enum weir_env_agents agents, uint64_t seed)
{
	const struct weir_env_plan plan = { .agents = agents };
	struct arrays *a = calloc(1, sizeof(*a));
	struct weir_error e = { "" };

	if (weir_env_new(&a->env, text, &plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	weir_env_shape(a->env, &a->shape);
	CHECK(a->shape.rows <= ROWS_MAX && a->shape.observation_size <= SIZE_MAX_OF_ROW);
	a->view = (struct weir_env_view){ .observations = a->observations,
					  .rewards = a->rewards,
					  .asks = a->asks,
					  .done = &a->done,
					  .agents = a->agents };
	CHECK_INT(weir_env_reset(a->env, seed, &a->view, &e), 0);
	return a;
}

static void step_env(struct arrays *a, const void *actions)
{
	struct weir_error e = { "" };

	if (weir_env_step(a->env, actions, &a->view, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static void close_env(struct arrays *a)
{
	weir_env_free(a->env);
	free(a);
}

/* --- FDCC: uniformly random actions before the first update, a function of (seed, flow, decision)
 * --- */

/* A decision as an environment shows it; reward: of its action, from the flow's next decision. */
struct seen {
	float observation[SIZE_MAX_OF_ROW], action, reward;
};

static float explored(uint64_t seed, uint32_t flow, uint32_t number)
{
	const struct weir_learn_draw draw = { seed, flow, number };

	return 2 * weir_learn_uniform(draw) - 1;
}

/* Plays the episode; the first decisions of each flow. */
static void play_flows(const char *text, uint64_t episode_seed, uint64_t seed, struct seen *seen,
		       uint32_t *counts)
{
	struct arrays *a = open_env(text, WEIR_ENV_FLOWS, seed);

	for (; !a->done; step_env(a, a->factors))
		for (uint32_t row = 0; row < a->shape.rows; row++) {
			uint32_t flow = a->agents[row], n = counts[flow];
			struct seen *s = &seen[(size_t)flow * FLOW_ROWS + n];

			if (!a->asks[row])
				continue;
			a->factors[row] = explored(episode_seed, flow, n);
			counts[flow]++;
			if (n && n <= FLOW_ROWS)
				s[-1].reward = a->rewards[row];
			if (n >= FLOW_ROWS)
				continue;
			memcpy(s->observation,
			       a->observations + (size_t)row * a->shape.observation_size,
			       a->shape.observation_size * sizeof(float));
			s->action = a->factors[row];
		}
	close_env(a);
}

/* Rows of a record are alike: the observation, then the action, and at the end the reward; the
 * place of the observation shows in the first row. */
static void check_flow_rows(const struct train_record *record, const struct seen *seen,
			    const uint32_t *counts)
{
	enum { SIZE = 8 };
	uint64_t rows = 0;
	size_t row_floats, at = 0;
	const float *row = record->rows;

	for (uint32_t f = 0; f < ROWS_MAX; f++) {
		uint32_t kept = counts[f] < FLOW_ROWS ? counts[f] : FLOW_ROWS;

		rows += kept > 1 ? kept : 0;
	}
	CHECK(rows > 100 && record->floats % rows == 0);
	row_floats = record->floats / rows;
	while (at < row_floats - SIZE &&
	       memcmp(row + at, seen[0].observation, SIZE * sizeof(float)))
		at++;
	for (uint32_t f = 0; f < ROWS_MAX; f++) {
		uint32_t kept = counts[f] < FLOW_ROWS ? counts[f] : FLOW_ROWS;

		for (uint32_t i = 0; kept > 1 && i < kept; i++, row += row_floats) {
			const struct seen *s = &seen[(size_t)f * FLOW_ROWS + i];

			CHECK(memcmp(row + at, s->observation, SIZE * sizeof(float)) == 0);
			CHECK(row[at + SIZE] == s->action);
			if (i + 1 < kept)
				CHECK(row[row_floats - 1] == s->reward);
		}
	}
}

TEST(test_env_of_flows_gives_the_transitions_of_the_fdcc_trainer)
{
	static const uint64_t seeds[] = { 6, 7, 12 };
	const struct train_input input = { .seed = 1, .steps = 100000 };

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		struct weir_error e = { "" };
		struct recorded r = { .trainer = trainer_find("fdcc", &e) };
		struct seen *seen = calloc((size_t)ROWS_MAX * FLOW_ROWS, sizeof(*seen));
		uint32_t counts[ROWS_MAX] = { 0 };
		const char *line;

		record_episode(&r, NULL, &input, seeds[i]);
		line = strstr(r.text, "seed = ");
		CHECK(line != NULL);
		play_flows(r.text, seeds[i], strtoull(line + strlen("seed = "), NULL, 10), seen,
			   counts);
		check_flow_rows(&r.record, seen, counts);
		free(seen);
		forget(&r);
	}
}

/* --- ACC: replays the recorded actions --- */

TEST(test_env_of_queues_gives_the_transitions_of_the_acc_trainer)
{
	static const char text[] =
		"[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 1us\n"
		"[switch]\nmarking = red\ntune = acc(preset=fct, policy=untrained, idle=none)\n"
		"tune-interval = 100us\nbuffer = 1MB\n[host]\ncc = dcqcn\n"
		"[traffic t]\npattern = all-to-all\nsizes = websearch\nload = 0.8\n"
		"[measure]\nto = 20ms\ndrain = 0us\n";
	static const char *const texts[] = { text }, *const files[] = { "mine.ini" };
	struct train_input input = { .seed = 1, .steps = 1000, .scenario_count = 1 };
	struct weir_error e = { "" };
	struct recorded r = { .trainer = trainer_find("acc", &e) };
	struct arrays *a;
	size_t size, row_floats;
	uint64_t each;

	input.texts = texts;
	input.files = files;
	record_episode(&r, "idle=none", &input, 5);
	a = open_env(r.text, WEIR_ENV_QUEUES, 5);
	each = a->shape.steps + UINT64_C(1); /* of a queue: its steps, and the last observation */
	CHECK_INT(r.record.floats % (each * a->shape.rows), 0);
	row_floats = r.record.floats / (each * a->shape.rows);
	size = a->shape.observation_size;
	CHECK_INT(row_floats, 1 + size + 2);
	for (uint32_t t = 0;; t++) {
		for (uint32_t i = 0; i < a->shape.rows; i++) {
			const float *row = r.record.rows + (i * each + t) * row_floats;

			CHECK(memcmp(row + 1, a->observations + i * size, size * sizeof(float)) ==
			      0);
			if (t)
				CHECK(row[-1] == a->rewards[i]);
			a->numbers[i] = (uint32_t)row[1 + size];
		}
		if (a->done)
			break;
		step_env(a, a->numbers);
	}
	close_env(a);
	forget(&r);
}
