/* SPDX-License-Identifier: BSD-3-Clause */
/* acc_episode.c -- an episode of the trainer for switch agents. Transitions are recorded at the
 * port that measure.port names, or at all ports; other ports follow the policy. */
#include "train/acc.h"
#include "base/memory.h"
#include "sim/run/env.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <stdlib.h>
#include <string.h>

/* Random streams, and the numbers that a decision may consume. */
enum { STREAM_SCENARIO = 11, STREAM_EXPLORE, DRAWS = 3 };

/* Rows per inference batch. */
enum { BATCH_ROWS = 8 };

/* A running episode. Index t of the arrays holds the observations at the end of interval t and the
 * actions chosen then. */
struct run {
	const struct acc_trainer *context;
	const struct train_episode *which;
	struct weir_env *env;
	struct weir_env_shape shape;
	const struct weir_learn_net *net;
	const float *weights;
	float epsilon;
	float *observations, *rewards; /* [steps + 1][rows]... */
	uint8_t *asks, *is_learnt;     /* is_learnt: [rows] */
	uint32_t *actions;
	struct hold {
		uint32_t action, left; /* for that many intervals */
	} * holds;                     /* [rows]: what explores */
	float *tape, *shown, *values;  /* shown, values: of BATCH_ROWS rows */
	size_t tape_floats;
	uint8_t done;
	/* Sums over rows that are learnt from, from measure.from on. */
	double reward, use, queue;
	uint64_t count;
	uint64_t *sent_bytes; /* [rows]: before the interval */
};

char *acc_scenario(const void *context, const struct train_episode *which)
{
	const struct acc_trainer *d = context;
	const struct draw draw = { .kind = (enum draw_kind)d->options.preset,
				   .tune = d->tune,
				   .seed = which->seed };
	uint64_t at;

	if (!d->input.scenario_count)
		return draw_scenario(&draw);
	at = weir_hash64(which->seed, STREAM_SCENARIO) % d->input.scenario_count;
	return strcpy(memory_grow(NULL, strlen(d->input.texts[at]) + 1, 1), d->input.texts[at]);
}

/* --- memory --- */

static size_t episode_cells(const struct run *r)
{
	return ((size_t)r->shape.steps + 1) * r->shape.rows;
}

static void episode_begin(struct run *r, const void *state)
{
	struct env_port port;

	weir_env_shape(r->env, &r->shape);
	r->net = weir_learn_dqn_net(state);
	r->weights = weir_learn_dqn_weights(state);
	r->epsilon = r->which->purpose == TRAIN_JUDGE ? 0 : acc_epsilon(r->context, state);
	r->observations = memory_new(episode_cells(r), r->shape.observation_size * sizeof(float));
	r->rewards = memory_new(episode_cells(r), sizeof(*r->rewards));
	r->asks = memory_new(episode_cells(r), sizeof(*r->asks));
	r->actions = memory_new(episode_cells(r), sizeof(*r->actions));
	r->holds = memory_new(r->shape.rows, sizeof(*r->holds));
	r->is_learnt = memory_new(r->shape.rows, sizeof(*r->is_learnt));
	r->sent_bytes = memory_new(r->shape.rows, sizeof(*r->sent_bytes));
	r->tape_floats = weir_learn_tape_floats(r->net, BATCH_ROWS, 0, WEIR_LEARN_FORWARD_ONLY);
	r->tape = memory_new(r->tape_floats, sizeof(*r->tape));
	r->shown = memory_new(BATCH_ROWS, r->shape.observation_size * sizeof(*r->shown));
	r->values = memory_new(BATCH_ROWS, r->shape.action_count * sizeof(*r->values));
	for (uint32_t i = 0; i < r->shape.rows; i++) {
		env_port(r->env, i, &port);
		r->is_learnt[i] = (uint8_t)port.is_measured;
	}
}

static void episode_end(struct run *r)
{
	memory_free(r->observations, episode_cells(r), r->shape.observation_size * sizeof(float));
	memory_free(r->rewards, episode_cells(r), sizeof(*r->rewards));
	memory_free(r->asks, episode_cells(r), sizeof(*r->asks));
	memory_free(r->actions, episode_cells(r), sizeof(*r->actions));
	memory_free(r->holds, r->shape.rows, sizeof(*r->holds));
	memory_free(r->is_learnt, r->shape.rows, sizeof(*r->is_learnt));
	memory_free(r->sent_bytes, r->shape.rows, sizeof(*r->sent_bytes));
	memory_free(r->tape, r->tape_floats, sizeof(*r->tape));
	memory_free(r->shown, BATCH_ROWS, r->shape.observation_size * sizeof(*r->shown));
	memory_free(r->values, BATCH_ROWS, r->shape.action_count * sizeof(*r->values));
	weir_env_free(r->env);
}

static struct weir_env_view episode_view(struct run *r, uint32_t t)
{
	size_t first = (size_t)t * r->shape.rows;

	return (struct weir_env_view){
		.observations = r->observations + first * r->shape.observation_size,
		.rewards = r->rewards + first,
		.asks = r->asks + first,
		.done = &r->done,
	};
}

/* --- steps --- */

/* Probability that a row starts exploring, such that it explores a share epsilon of the time when
 * each time lasts H intervals on average. */
static float episode_chance(const struct run *r)
{
	float hold = (float)r->context->options.explore_hold;

	return r->epsilon / (hold * (1 - r->epsilon) + r->epsilon);
}

/* Does a row explore at the end of interval t? Sets its action. Each cell has random numbers of its
 * own. */
static int episode_explores(struct run *r, uint32_t t, uint32_t row, uint32_t *action)
{
	size_t cell = (size_t)t * r->shape.rows + row;
	struct weir_learn_draw draw = { r->which->seed, STREAM_EXPLORE, DRAWS * (uint64_t)cell };
	struct hold *h = &r->holds[row];

	if (h->left == 0) {
		if (r->epsilon <= 0 || weir_learn_uniform(draw) >= episode_chance(r))
			return 0;
		draw.counter++;
		h->action = (uint32_t)(weir_learn_bits(draw) % r->shape.action_count);
		draw.counter++;
		h->left = 1 + (uint32_t)(weir_learn_bits(draw) %
					 (2 * r->context->options.explore_hold - 1));
	}
	h->left--;
	*action = h->action;
	return 1;
}

/* The best actions of that many rows, whose observations are in r->shown. */
static void episode_choose_best(struct run *r, const uint32_t *rows, uint32_t count,
				uint32_t *actions)
{
	const struct weir_learn_choice best = { .epsilon = 0 };
	const struct weir_learn_batch shown = { .samples = count, .current = r->shown };

	weir_learn_forward(r->net, r->weights, &shown, r->tape, r->values);
	for (uint32_t i = 0; i < count; i++)
		actions[rows[i]] = weir_learn_choose_action(
			&best, r->values + (size_t)i * r->shape.action_count, r->shape.action_count,
			(struct weir_learn_draw){ 0, 0, 0 });
}

/* Chooses actions for the rows that request one at the end of interval t. */
static void episode_choose(struct run *r, uint32_t t, const uint8_t *asks)
{
	uint32_t *actions = r->actions + (size_t)t * r->shape.rows;
	uint32_t size = r->shape.observation_size, rows[BATCH_ROWS], count = 0;

	for (uint32_t i = 0; i < r->shape.rows; i++) {
		if (!asks[i] || episode_explores(r, t, i, &actions[i]))
			continue;
		memcpy(r->shown + (size_t)count * size,
		       r->observations + ((size_t)t * r->shape.rows + i) * size,
		       size * sizeof(*r->shown));
		rows[count++] = i;
		if (count == BATCH_ROWS) {
			episode_choose_best(r, rows, count, actions);
			count = 0;
		}
	}
	if (count)
		episode_choose_best(r, rows, count, actions);
}

/* Sums up the interval for the score: at the port that measure.port names, or at ports with
 * traffic. */
static void episode_add_up(struct run *r, uint32_t t, int counts)
{
	int is_named = env_config(r->env)->measure.port[0] != '\0';

	for (uint32_t i = 0; i < r->shape.rows; i++) {
		struct env_port port;
		uint64_t sent;

		if (!r->is_learnt[i])
			continue;
		env_port(r->env, i, &port);
		sent = port.sent_bytes - r->sent_bytes[i];
		r->sent_bytes[i] = port.sent_bytes;
		if (!counts || (!is_named && sent == 0 && port.queue_bytes == 0))
			continue;
		r->reward += (double)r->rewards[(size_t)t * r->shape.rows + i];
		r->use +=
			(double)sent * 8e9 / ((double)port.rate_bps * (double)r->shape.interval_ns);
		r->queue += (double)port.queue_bytes;
		r->count++;
	}
}

static int episode_play(struct run *r, struct weir_error *e)
{
	int64_t from_ns = weir_ps_to_ns((int64_t)env_config(r->env)->measure.from_ps);
	struct weir_env_view view = episode_view(r, 0);

	if (weir_env_reset(r->env, r->which->seed, &view, e))
		return -1;
	episode_add_up(r, 0, 0);
	for (uint32_t t = 0; !r->done; t++) {
		episode_choose(r, t, view.asks);
		view = episode_view(r, t + 1);
		if (weir_env_step(r->env, r->actions + (size_t)t * r->shape.rows, &view, e))
			return -1;
		episode_add_up(r, t + 1, env_now_ns(r->env) > from_ns);
	}
	return 0;
}

/* --- recording: each row's steps in order, with an episode end where no action was requested ---
 */

static void episode_add_row(const struct run *r, struct train_record *record, enum acc_row kind,
			    size_t cell)
{
	uint32_t size = r->shape.observation_size;
	float *row = train_record_add(record, acc_row_floats(r->context));

	row[0] = (float)kind;
	memcpy(row + 1, r->observations + cell * size, size * sizeof(*row));
	row[1 + size] = (float)r->actions[cell];
	row[2 + size] = kind == ACC_STEP ? r->rewards[cell + r->shape.rows] : 0;
}

static void episode_record_rows(const struct run *r, struct train_record *record)
{
	for (uint32_t i = 0; i < r->shape.rows; i++)
		for (uint32_t t = 0; r->is_learnt[i] && t < r->shape.steps; t++) {
			size_t cell = (size_t)t * r->shape.rows + i, next = cell + r->shape.rows;

			if (!r->asks[cell])
				continue;
			episode_add_row(r, record, ACC_STEP, cell);
			record->steps++;
			if (t + 1 == r->shape.steps || !r->asks[next])
				episode_add_row(r, record, ACC_LAST, next);
		}
}

int acc_episode(const void *context, const void *state, const struct train_episode *which,
		struct train_record *record, struct weir_error *e)
{
	const struct acc_trainer *d = context;
	struct run r = { .context = d, .which = which };
	char *text = acc_scenario(d, which);
	int failed = weir_env_new(&r.env, text, NULL, e);

	free(text);
	if (failed)
		return -1;
	episode_begin(&r, state);
	failed = episode_play(&r, e);
	if (!failed && which->purpose == TRAIN_EXPLORE)
		episode_record_rows(&r, record);
	if (!failed && r.count) {
		record->score = record->figures[ACC_REWARD] = r.reward / (double)r.count;
		record->figures[ACC_USE] = r.use / (double)r.count;
		record->figures[ACC_QUEUE] = r.queue / (double)r.count;
	}
	episode_end(&r);
	return failed;
}

int acc_check_input(const struct acc_trainer *d, struct weir_error *e)
{
	for (uint32_t i = 0; i < d->input.scenario_count; i++) {
		struct weir_env_shape shape;
		struct weir_env *env;

		if (weir_env_new(&env, d->input.texts[i], NULL, e))
			return weir_error_prefix(e, "%.200s: ", d->input.files[i]);
		weir_env_shape(env, &shape);
		weir_env_free(env);
		if (shape.observation_size != d->config.training.observation_size ||
		    shape.action_count !=
			    d->config.plan.layers[d->config.plan.layer_count - 1].units)
			return weir_error_set(
				e,
				"%.200s: its agent has %u inputs and %u actions, and the one "
				"to be trained others; its options must be those of %s",
				d->input.files[i], shape.observation_size, shape.action_count,
				d->tune);
	}
	return 0;
}
