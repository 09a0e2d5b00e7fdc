/* SPDX-License-Identifier: BSD-3-Clause */
/* dqn.c -- double DQN, a learner for discrete actions.
 *
 * van Hasselt, Guez, Silver, "Deep Reinforcement Learning with Double Q-learning", AAAI 2016:
 *	y = r + gamma Q_target(s', argmax_a Q(s', a)),  loss(Q(s, a) - y)
 * with n-step returns: r is then n rewards, gamma becomes gamma^n, and s' is n steps on. Q_target
 * is the target network, to which Q's weights are copied every target_every updates. */
#include "lib/learn/learner.h"
#include "weir/error.h"
#include <assert.h>
#include <string.h>

/* One block without pointers. */
struct weir_learn_dqn {
	struct weir_learn_dqn_config config;
	struct weir_learn_net net;
	struct weir_learn_moments powers;
	uint64_t updates;
	_Alignas(WEIR_LEARN_ALIGNMENT) float numbers[]; /* four arrays of weight_floats */
};

enum { ARRAYS = 4 };

static struct learn_weights dqn_weights(struct weir_learn_dqn *l)
{
	size_t n = l->net.weight_floats;

	return (struct learn_weights){
		.online = l->numbers,
		.target = l->numbers + n,
		.mean = l->numbers + 2 * n,
		.square = l->numbers + 3 * n,
		.powers = &l->powers,
	};
}

int weir_learn_dqn_check(const struct weir_learn_dqn_config *config, struct weir_error *e)
{
	struct weir_learn_net net;

	if (weir_learn_net_init(&net, &config->plan, e))
		return -1;
	if (config->target_every == 0)
		return weir_error_set(e, "target_every must not be 0");
	return weir_learn_training_check(&config->training, &net, 0, e);
}

static struct weir_learn_net dqn_net(const struct weir_learn_dqn_config *config)
{
	struct weir_learn_net net;
	struct weir_error e;
	int refused = weir_learn_net_init(&net, &config->plan, &e);

	assert(!refused);
	(void)refused;
	return net;
}

size_t weir_learn_dqn_size(const struct weir_learn_dqn_config *config)
{
	return sizeof(struct weir_learn_dqn) +
	       ARRAYS * (size_t)dqn_net(config).weight_floats * sizeof(float);
}

void weir_learn_dqn_init(struct weir_learn_dqn *l, const struct weir_learn_dqn_config *config)
{
	struct learn_weights w;

	assert((uintptr_t)l % WEIR_LEARN_ALIGNMENT == 0);
	memset(l, 0, sizeof(*l));
	l->config = *config;
	l->net = dqn_net(config);
	w = dqn_weights(l);
	weir_learn_net_init_weights(&l->net, config->training.start,
				    weir_learn_draw(&config->training, LEARN_START, 0), w.online);
	weir_learn_dqn_load(l, w.online);
}

void weir_learn_dqn_load(struct weir_learn_dqn *l, const float *weights)
{
	struct learn_weights w = dqn_weights(l);
	size_t bytes = l->net.weight_floats * sizeof(float);

	memmove(w.online, weights, bytes);
	memcpy(w.target, w.online, bytes);
	memset(w.mean, 0, bytes);
	memset(w.square, 0, bytes);
	l->powers.power1 = l->powers.power2 = 1.0;
}

const struct weir_learn_net *weir_learn_dqn_net(const struct weir_learn_dqn *l)
{
	return &l->net;
}

const float *weir_learn_dqn_weights(const struct weir_learn_dqn *l)
{
	return l->numbers;
}

const float *weir_learn_dqn_target(const struct weir_learn_dqn *l)
{
	return l->numbers + l->net.weight_floats;
}

/* --- an update --- */

/* Scratch of one worker. */
struct dqn_workspace {
	struct learn_examples examples;
	float *values, *target_values; /* [samples][actions] */
	float *tape;
};

static void dqn_workspace_layout(struct dqn_workspace *d, const struct weir_learn_training *t,
				 const struct weir_learn_net *net, struct learn_scratch *s)
{
	uint32_t samples = weir_learn_chunk_max(t);

	weir_learn_examples_layout(&d->examples, t, net, 1, s);
	d->values = weir_learn_scratch_alloc(s, (size_t)samples * net->outputs);
	d->target_values = weir_learn_scratch_alloc(s, (size_t)samples * net->outputs);
	d->tape = weir_learn_scratch_alloc(
		s, weir_learn_tape_floats(net, samples, weir_learn_steps(t, net),
					  WEIR_LEARN_FORWARD_AND_BACKWARD));
}

/* State of one update, shared by its chunks. */
struct dqn_update {
	const struct weir_learn_dqn *l;
	struct learn_round round;
	struct learn_weights weights;
	float *transposed, *gradients; /* a gradient for each chunk */
	float *workspaces;
	size_t workspace_floats;
	double losses[WEIR_LEARN_CHUNKS];
};

/* Lays out scratch: transposed weights, gradients, then a workspace per worker. */
static size_t dqn_update_layout(struct dqn_update *j, const struct weir_learn_training *t,
				const struct weir_learn_net *net, float *scratch)
{
	struct learn_scratch s = { .base = scratch }, one = { 0 };
	struct dqn_workspace d;

	j->transposed = weir_learn_scratch_alloc(&s, net->transposed_floats);
	j->gradients = weir_learn_scratch_alloc(&s, WEIR_LEARN_CHUNKS * (size_t)net->weight_floats);
	j->workspaces = weir_learn_scratch_alloc(&s, 0);
	dqn_workspace_layout(&d, t, net, &one);
	j->workspace_floats = one.floats;
	return s.floats;
}

size_t weir_learn_dqn_scratch_size(const struct weir_learn_dqn_config *config, uint32_t workers)
{
	struct weir_learn_net net = dqn_net(config);
	struct dqn_update j;
	size_t shared = dqn_update_layout(&j, &config->training, &net, NULL);

	return (shared + workers * j.workspace_floats) * sizeof(float);
}

static uint32_t dqn_best_action(const float *values, uint32_t count)
{
	uint32_t best = 0;

	for (uint32_t a = 1; a < count; a++)
		if (values[a] > values[best])
			best = a;
	return best;
}

/* Replaces the rewards of all samples by the targets y. */
static void dqn_targets(const struct dqn_update *j, const struct dqn_workspace *d)
{
	const struct weir_learn_net *net = &j->l->net;
	const struct learn_examples *x = &d->examples;

	weir_learn_forward(net, j->weights.online, &x->batch[LEARN_NEXT], d->tape, d->values);
	weir_learn_forward(net, j->weights.target, &x->batch[LEARN_NEXT], d->tape,
			   d->target_values);
	for (uint32_t i = 0; i < x->count; i++) {
		const float *values = d->values + (size_t)i * net->outputs;
		const float *target_values = d->target_values + (size_t)i * net->outputs;

		x->rewards[i] +=
			x->discounts[i] * target_values[dqn_best_action(values, net->outputs)];
	}
}

/* Replaces Q-values by d loss / d Q: 0 except for the action taken. Returns the sum of losses. */
static double dqn_loss_gradient(const struct dqn_update *j, const struct dqn_workspace *d)
{
	const struct weir_learn_training *t = &j->l->config.training;
	const struct learn_examples *x = &d->examples;
	uint32_t actions = j->l->net.outputs;
	double sum = 0.0;

	for (uint32_t i = 0; i < x->count; i++) {
		float *values = d->values + (size_t)i * actions, grad;
		uint32_t action = (uint32_t)x->actions[i];

		assert(action < actions);
		sum += (double)weir_learn_loss_of(t->loss, t->huber_delta,
						  values[action] - x->rewards[i], &grad);
		memset(values, 0, actions * sizeof(*values));
		values[action] = grad / (float)t->batch;
	}
	return sum;
}

static void dqn_chunk(void *context, uint32_t chunk, uint32_t worker)
{
	struct dqn_update *j = context;
	const struct weir_learn_net *net = &j->l->net;
	struct learn_scratch s = { .base = j->workspaces + worker * j->workspace_floats };
	struct weir_learn_gradient g = {
		.weights = j->gradients + chunk * (size_t)net->weight_floats,
	};
	const struct weir_learn_batch *now;
	struct dqn_workspace d;

	dqn_workspace_layout(&d, &j->l->config.training, net, &s);
	weir_learn_examples_fill(&d.examples, &j->round, chunk);
	memset(g.weights, 0, net->weight_floats * sizeof(float));
	dqn_targets(j, &d);
	now = &d.examples.batch[LEARN_NOW];
	weir_learn_forward(net, j->weights.online, now, d.tape, d.values);
	j->losses[chunk] = dqn_loss_gradient(j, &d);
	g.output = d.values;
	weir_learn_backward(net, j->transposed, now, d.tape, &g);
}

float weir_learn_dqn_update(struct weir_learn_dqn *l, const struct weir_learn_memory *m,
			    const struct weir_learn_executor *executor)
{
	const struct weir_learn_training *t = &l->config.training;
	struct dqn_update j = { .l = l, .round = { t, m, l->updates }, .weights = dqn_weights(l) };
	double loss = 0.0;

	assert(weir_learn_memory_plan(m)->observation_size == t->observation_size &&
	       weir_learn_memory_plan(m)->action_size == 1);
	dqn_update_layout(&j, t, &l->net, executor->scratch);
	weir_learn_net_transpose(&l->net, j.weights.online, j.transposed);
	weir_learn_executor_run(executor, dqn_chunk, &j);
	for (uint32_t i = 0; i < WEIR_LEARN_CHUNKS; i++)
		loss += j.losses[i];
	weir_learn_gradient_step(
		&(struct learn_gradient_step){
			.training = t,
			.adam = &l->config.adam,
			.gradients = j.gradients,
			.chunk_stride = l->net.weight_floats,
			.count = l->net.weight_floats,
		},
		&j.weights);
	if (++l->updates % l->config.target_every == 0)
		weir_learn_soft_update(j.weights.target, j.weights.online, l->net.weight_floats,
				       1.0F);
	return (float)(loss / (double)t->batch);
}
