/* SPDX-License-Identifier: BSD-3-Clause */
/* td3.c -- TD3, an actor-critic learner for continuous actions.
 *
 * Fujimoto, van Hoof, Meger, "Addressing Function Approximation Error in Actor-Critic Methods",
 * ICML 2018. An update of the critics: a' = actor_target(s') + clipped noise, within [-1, 1];
 *	y = r + gamma min_k Q_k_target(s', a'),  loss(Q_k(s, a) - y) for both k.
 * Every delay-th update the actor climbs Q_1(s, actor(s)), and all target networks move a share
 * towards their nets (Polyak averaging). With nets that have a sequence this is Meng, Gorbet,
 * Kulic, "Memory-based Deep Reinforcement Learning for POMDPs", IROS 2021. */
#include "lib/learn/learner.h"
#include "weir/error.h"
#include <assert.h>
#include <string.h>

enum { CRITICS = 2, NETS = 3, ARRAYS = 4 }; /* the actor's net is the last */

/* One block without pointers. */
struct weir_learn_td3 {
	struct weir_learn_td3_config config;
	struct weir_learn_net critic, actor;
	struct weir_learn_moments powers[NETS];
	uint64_t updates;
	_Alignas(WEIR_LEARN_ALIGNMENT) float numbers[]; /* four arrays for each net */
};

static struct learn_weights td3_weights(struct weir_learn_td3 *l, uint32_t net)
{
	size_t n = net < CRITICS ? l->critic.weight_floats : l->actor.weight_floats;
	float *at = l->numbers + net * ARRAYS * (size_t)l->critic.weight_floats;

	return (struct learn_weights){
		.online = at,
		.target = at + n,
		.mean = at + 2 * n,
		.square = at + 3 * n,
		.powers = &l->powers[net],
	};
}

int weir_learn_td3_check(const struct weir_learn_td3_config *config, struct weir_error *e)
{
	const struct weir_learn_plan *actor_plan = &config->actor;
	struct weir_learn_net actor, critic;

	if (weir_learn_net_init(&actor, actor_plan, e) ||
	    weir_learn_training_check(&config->training, &actor, 0, e))
		return weir_error_prefix(e, "actor: ");
	if (weir_learn_net_init(&critic, &config->critic, e) ||
	    weir_learn_training_check(&config->training, &critic,
				      actor.outputs + (uint32_t)config->privileged, e))
		return weir_error_prefix(e, "critic: ");
	if (actor_plan->layers[actor_plan->layer_count - 1].activation != WEIR_LEARN_TANH)
		return weir_error_set(e, "actor: the output is not a tanh");
	if (critic.outputs != 1)
		return weir_error_set(e, "critic: %u outputs instead of one", critic.outputs);
	if (actor_plan->sequence_size != config->critic.sequence_size)
		return weir_error_set(e, "only one of actor and critic has a sequence");
	if (config->delay == 0)
		return weir_error_set(e, "delay must not be 0");
	return 0;
}

static struct weir_learn_net td3_net(const struct weir_learn_plan *plan)
{
	struct weir_learn_net net;
	struct weir_error e;
	int refused = weir_learn_net_init(&net, plan, &e);

	assert(!refused);
	(void)refused;
	return net;
}

size_t weir_learn_td3_size(const struct weir_learn_td3_config *config)
{
	size_t floats = CRITICS * (size_t)td3_net(&config->critic).weight_floats +
			td3_net(&config->actor).weight_floats;

	return sizeof(struct weir_learn_td3) + ARRAYS * floats * sizeof(float);
}

void weir_learn_td3_init(struct weir_learn_td3 *l, const struct weir_learn_td3_config *config)
{
	assert((uintptr_t)l % WEIR_LEARN_ALIGNMENT == 0);
	memset(l, 0, sizeof(*l));
	l->config = *config;
	l->critic = td3_net(&config->critic);
	l->actor = td3_net(&config->actor);
	for (uint32_t i = 0; i < NETS; i++) {
		const struct weir_learn_net *net = i < CRITICS ? &l->critic : &l->actor;
		struct learn_weights w = td3_weights(l, i);

		memset(w.online, 0, ARRAYS * (size_t)net->weight_floats * sizeof(float));
		weir_learn_net_init_weights(net, config->training.start,
					    weir_learn_draw(&config->training, LEARN_START + i, 0),
					    w.online);
		weir_learn_soft_update(w.target, w.online, net->weight_floats, 1.0F);
		l->powers[i].power1 = l->powers[i].power2 = 1.0;
	}
}

const struct weir_learn_net *weir_learn_td3_net(const struct weir_learn_td3 *l)
{
	return &l->actor;
}

const float *weir_learn_td3_actor(const struct weir_learn_td3 *l)
{
	return l->numbers + CRITICS * ARRAYS * (size_t)l->critic.weight_floats;
}

const float *weir_learn_td3_target_actor(const struct weir_learn_td3 *l)
{
	return weir_learn_td3_actor(l) + l->actor.weight_floats;
}

const struct weir_learn_net *weir_learn_td3_critic_net(const struct weir_learn_td3 *l)
{
	return &l->critic;
}

const float *weir_learn_td3_critic(const struct weir_learn_td3 *l, uint32_t which)
{
	assert(which < CRITICS);
	return l->numbers + which * ARRAYS * (size_t)l->critic.weight_floats;
}

/* --- scratch --- */

/* Scratch of one worker. */
struct td3_workspace {
	struct learn_examples examples;
	float *actor_tape, *critic_tape;
	float *actions;       /* [samples][actions], of the actor; then their gradients */
	float *critic_inputs; /* [samples][current_size of the critic]; then their gradients */
	float *values, *other_values;
};

/* State of one update, shared by its chunks. */
struct td3_update {
	struct weir_learn_td3 *l;
	struct learn_round round;
	struct learn_weights nets[NETS];
	float *transposed[NETS];
	float *gradients; /* for each chunk: those of both critics, or that of the actor */
	size_t chunk_stride;
	float *workspaces;
	size_t workspace_floats;
	double losses[WEIR_LEARN_CHUNKS], values[WEIR_LEARN_CHUNKS];
};

/* The nets that determine the size of scratch; a learner need not exist yet. */
struct td3_sizes {
	const struct weir_learn_training *training;
	const struct weir_learn_net *actor, *critic;
	uint32_t privileged;
};

static void td3_workspace_layout(struct td3_workspace *d, const struct td3_sizes *z,
				 struct learn_scratch *s)
{
	size_t samples = weir_learn_chunk_max(z->training);
	uint32_t steps = weir_learn_steps(z->training, z->actor);

	weir_learn_examples_layout(&d->examples, z->training, z->actor,
				   z->actor->outputs + z->privileged, s);
	d->actor_tape = weir_learn_scratch_alloc(
		s, weir_learn_tape_floats(z->actor, (uint32_t)samples, steps,
					  WEIR_LEARN_FORWARD_AND_BACKWARD));
	d->critic_tape = weir_learn_scratch_alloc(
		s, weir_learn_tape_floats(z->critic, (uint32_t)samples, steps,
					  WEIR_LEARN_FORWARD_AND_BACKWARD));
	d->actions = weir_learn_scratch_alloc(s, samples * z->actor->outputs);
	d->critic_inputs = weir_learn_scratch_alloc(s, samples * z->critic->plan.current_size);
	d->values = weir_learn_scratch_alloc(s, samples);
	d->other_values = weir_learn_scratch_alloc(s, samples);
}

/* Lays out scratch: transposed weights, gradients, then a workspace per worker. */
static size_t td3_update_layout(struct td3_update *j, const struct td3_sizes *z, float *scratch)
{
	struct learn_scratch s = { .base = scratch }, one = { 0 };
	size_t critics = CRITICS * (size_t)z->critic->weight_floats;
	struct td3_workspace d;

	j->chunk_stride = critics > z->actor->weight_floats ? critics : z->actor->weight_floats;
	for (uint32_t i = 0; i < NETS; i++)
		j->transposed[i] =
			weir_learn_scratch_alloc(&s, i < CRITICS ? z->critic->transposed_floats
								 : z->actor->transposed_floats);
	j->gradients = weir_learn_scratch_alloc(&s, WEIR_LEARN_CHUNKS * j->chunk_stride);
	j->workspaces = weir_learn_scratch_alloc(&s, 0);
	td3_workspace_layout(&d, z, &one);
	j->workspace_floats = one.floats;
	return s.floats;
}

size_t weir_learn_td3_scratch_size(const struct weir_learn_td3_config *config, uint32_t workers)
{
	struct weir_learn_net actor = td3_net(&config->actor), critic = td3_net(&config->critic);
	struct td3_sizes z = { &config->training, &actor, &critic, (uint32_t)config->privileged };
	struct td3_update j;
	size_t shared = td3_update_layout(&j, &z, NULL);

	return (shared + workers * j.workspace_floats) * sizeof(float);
}

/* --- a chunk --- */

static void td3_workspace_open(struct td3_workspace *d, const struct td3_update *j, uint32_t chunk,
			       uint32_t worker)
{
	struct td3_sizes z = { &j->l->config.training, &j->l->actor, &j->l->critic,
			       (uint32_t)j->l->config.privileged };
	struct learn_scratch s = { .base = j->workspaces + worker * j->workspace_floats };

	td3_workspace_layout(d, &z, &s);
	weir_learn_examples_fill(&d->examples, &j->round, chunk);
}

/* Actions of a chunk, stride floats apart: those from memory are followed by privileged inputs. */
struct td3_actions {
	const float *first;
	size_t stride;
};

/* A critic's batch: the current observation, the action, and the privileged inputs. */
static struct weir_learn_batch td3_critic_batch(const struct td3_update *j,
						const struct td3_workspace *d, int which,
						struct td3_actions actions)
{
	size_t width = j->l->critic.plan.current_size, count = j->l->actor.outputs;
	size_t privileged = j->l->config.privileged, observed = width - count - privileged;
	struct weir_learn_batch b = d->examples.batch[which];

	for (uint32_t i = 0; i < b.samples; i++) {
		float *to = d->critic_inputs + i * width;

		memcpy(to, b.current + i * observed, observed * sizeof(float));
		memcpy(to + observed, actions.first + i * actions.stride, count * sizeof(float));
		memcpy(to + observed + count,
		       d->examples.actions + i * (count + privileged) + count,
		       privileged * sizeof(float));
	}
	b.current = d->critic_inputs;
	return b;
}

static float td3_clamp(float x, float limit)
{
	return x > limit ? limit : x < -limit ? -limit : x;
}

/* The target actor's actions for the next observations, with clipped noise. */
static void td3_smoothed_actions(const struct td3_update *j, const struct td3_workspace *d)
{
	const struct weir_learn_td3_config *c = &j->l->config;
	const struct learn_examples *x = &d->examples;
	uint32_t actions = j->l->actor.outputs;
	uint64_t counter = (j->round.update * c->training.batch + x->first) * actions;

	weir_learn_forward(&j->l->actor, j->nets[CRITICS].target, &x->batch[LEARN_NEXT],
			   d->actor_tape, d->actions);
	for (uint32_t i = 0; i < x->count * actions; i++) {
		struct weir_learn_draw at =
			weir_learn_draw(&c->training, LEARN_SMOOTHING, counter + i);
		float noise = td3_clamp(c->smoothing * weir_learn_normal(at), c->smoothing_limit);

		d->actions[i] = td3_clamp(d->actions[i] + noise, 1.0F);
	}
}

/* Replaces the rewards of all samples by the targets y. Returns their sum. */
static double td3_targets(const struct td3_update *j, const struct td3_workspace *d)
{
	const struct learn_examples *x = &d->examples;
	struct weir_learn_batch next;
	double sum = 0.0;

	td3_smoothed_actions(j, d);
	next = td3_critic_batch(j, d, LEARN_NEXT,
				(struct td3_actions){ d->actions, j->l->actor.outputs });
	weir_learn_forward(&j->l->critic, j->nets[0].target, &next, d->critic_tape, d->values);
	weir_learn_forward(&j->l->critic, j->nets[1].target, &next, d->critic_tape,
			   d->other_values);
	for (uint32_t i = 0; i < x->count; i++) {
		float smaller =
			d->values[i] < d->other_values[i] ? d->values[i] : d->other_values[i];

		x->rewards[i] += x->discounts[i] * smaller;
		sum += (double)x->rewards[i];
	}
	return sum;
}

static void td3_critic_chunk(void *context, uint32_t chunk, uint32_t worker)
{
	struct td3_update *j = context;
	const struct weir_learn_training *t = &j->l->config.training;
	float *gradients = j->gradients + chunk * j->chunk_stride;
	size_t count = j->l->critic.weight_floats;
	struct weir_learn_batch now;
	struct td3_workspace d;

	td3_workspace_open(&d, j, chunk, worker);
	memset(gradients, 0, CRITICS * count * sizeof(float));
	j->values[chunk] = td3_targets(j, &d);
	j->losses[chunk] = 0.0;
	now = td3_critic_batch(
		j, &d, LEARN_NOW,
		(struct td3_actions){ d.examples.actions,
				      j->l->actor.outputs + j->l->config.privileged });
	for (uint32_t k = 0; k < CRITICS; k++) {
		struct weir_learn_gradient g = { .output = d.values,
						 .weights = gradients + k * count };

		weir_learn_forward(&j->l->critic, j->nets[k].online, &now, d.critic_tape, d.values);
		for (uint32_t i = 0; i < now.samples; i++) {
			float error = d.values[i] - d.examples.rewards[i], grad;

			j->losses[chunk] +=
				(double)weir_learn_loss_of(t->loss, t->huber_delta, error, &grad);
			d.values[i] = grad / (float)t->batch;
		}
		weir_learn_backward(&j->l->critic, j->transposed[k], &now, d.critic_tape, &g);
	}
}

/* Policy gradient: descends -Q_1(s, actor(s)), through the critic's gradient by the action. */
static void td3_actor_chunk(void *context, uint32_t chunk, uint32_t worker)
{
	struct td3_update *j = context;
	const struct weir_learn_net *actor = &j->l->actor, *critic = &j->l->critic;
	struct weir_learn_gradient g = { .weights = j->gradients + chunk * j->chunk_stride };
	size_t width = critic->plan.current_size, count = actor->outputs;
	size_t privileged = j->l->config.privileged;
	const struct weir_learn_batch *now;
	struct weir_learn_batch judged;
	struct td3_workspace d;

	td3_workspace_open(&d, j, chunk, worker);
	now = &d.examples.batch[LEARN_NOW];
	memset(g.weights, 0, actor->weight_floats * sizeof(float));
	weir_learn_forward(actor, j->nets[CRITICS].online, now, d.actor_tape, d.actions);
	judged = td3_critic_batch(j, &d, LEARN_NOW, (struct td3_actions){ d.actions, count });
	weir_learn_forward(critic, j->nets[0].online, &judged, d.critic_tape, d.values);
	for (uint32_t i = 0; i < now->samples; i++)
		d.values[i] = -1.0F / (float)j->l->config.training.batch;
	/* Slopes take the place of the inputs: without gradients of weights those are not read
	 * again. */
	weir_learn_backward(
		critic, j->transposed[0], &judged, d.critic_tape,
		&(struct weir_learn_gradient){ .output = d.values, .current = d.critic_inputs });
	for (uint32_t i = 0; i < now->samples; i++)
		memcpy(d.actions + i * count,
		       d.critic_inputs + (i + 1) * width - privileged - count,
		       count * sizeof(float));
	g.output = d.actions;
	weir_learn_backward(actor, j->transposed[CRITICS], now, d.actor_tape, &g);
}

/* --- an update --- */

static float td3_gradient_step(struct td3_update *j, uint32_t net)
{
	struct weir_learn_td3 *l = j->l;
	size_t critic = l->critic.weight_floats;
	int is_critic = net < CRITICS;

	return weir_learn_gradient_step(
		&(struct learn_gradient_step){
			.training = &l->config.training,
			.adam = is_critic ? &l->config.critic_adam : &l->config.actor_adam,
			.gradients = j->gradients + (is_critic ? net * critic : 0),
			.chunk_stride = j->chunk_stride,
			.count = is_critic ? critic : l->actor.weight_floats,
		},
		&j->nets[net]);
}

/* Every delay-th update: updates the actor, from update actor_after on, and all targets. Returns
 * the norm of the actor's gradient. */
static float td3_delayed_update(struct td3_update *j, const struct weir_learn_executor *executor)
{
	struct weir_learn_td3 *l = j->l;
	float norm = 0.0F;

	if (l->updates >= l->config.actor_after) {
		weir_learn_net_transpose(&l->critic, j->nets[0].online, j->transposed[0]);
		weir_learn_net_transpose(&l->actor, j->nets[CRITICS].online,
					 j->transposed[CRITICS]);
		weir_learn_executor_run(executor, td3_actor_chunk, j);
		norm = td3_gradient_step(j, CRITICS);
	}
	for (uint32_t i = 0; i < NETS; i++)
		weir_learn_soft_update(j->nets[i].target, j->nets[i].online,
				       i < CRITICS ? l->critic.weight_floats
						   : l->actor.weight_floats,
				       l->config.share);
	return norm;
}

struct weir_learn_td3_report weir_learn_td3_update(struct weir_learn_td3 *l,
						   const struct weir_learn_memory *m,
						   const struct weir_learn_executor *executor)
{
	const struct weir_learn_training *t = &l->config.training;
	struct td3_sizes z = { t, &l->actor, &l->critic, (uint32_t)l->config.privileged };
	struct td3_update j = { .l = l, .round = { t, m, l->updates } };
	struct weir_learn_td3_report report = { 0 };
	double loss = 0.0, value = 0.0;

	assert(weir_learn_memory_plan(m)->observation_size == t->observation_size &&
	       weir_learn_memory_plan(m)->action_size == l->actor.outputs + l->config.privileged);
	td3_update_layout(&j, &z, executor->scratch);
	for (uint32_t i = 0; i < NETS; i++)
		j.nets[i] = td3_weights(l, i);
	for (uint32_t k = 0; k < CRITICS; k++)
		weir_learn_net_transpose(&l->critic, j.nets[k].online, j.transposed[k]);
	weir_learn_executor_run(executor, td3_critic_chunk, &j);
	for (uint32_t i = 0; i < WEIR_LEARN_CHUNKS; i++) {
		loss += j.losses[i];
		value += j.values[i];
	}
	report.critic_norm = td3_gradient_step(&j, 0);
	td3_gradient_step(&j, 1);
	report.critic_loss = (float)(loss / (CRITICS * (double)t->batch));
	report.value = (float)(value / (double)t->batch);
	if (++l->updates % l->config.delay == 0)
		report.actor_norm = td3_delayed_update(&j, executor);
	return report;
}
