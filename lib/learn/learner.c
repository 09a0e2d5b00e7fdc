/* SPDX-License-Identifier: BSD-3-Clause */
/* learner.c -- what DQN and TD3 share: minibatches drawn in chunks, losses, clipping, Adam, and
 * steps along a gradient. */
#include "lib/learn/learner.h"
#include "lib/learn/kernel.h"
#include "weir/error.h"
#include "weir/rng.h"
#include <math.h>
#include <string.h>

/* Checkpoints compare learners byte by byte: no padding. */
_Static_assert(sizeof(struct weir_learn_training) == 10 * sizeof(uint32_t) + 3 * sizeof(uint64_t),
	       "no padding");

struct weir_learn_draw weir_learn_draw(const struct weir_learn_training *t, uint64_t purpose,
				       uint64_t counter)
{
	return (struct weir_learn_draw){ t->seed, weir_hash64(t->stream, purpose), counter };
}

int weir_learn_training_check(const struct weir_learn_training *t, const struct weir_learn_net *net,
			      uint32_t action_inputs, struct weir_error *e)
{
	const struct weir_learn_plan *plan = &net->plan;
	uint64_t current = t->observation_size;

	if (t->batch == 0 || t->return_steps == 0 || t->observation_size == 0)
		return weir_error_set(e, "batch, return_steps and observation_size must not be 0");
	if (!(t->gamma >= 0.0 && t->gamma <= 1.0))
		return weir_error_set(e, "gamma is %g; 0 to 1 are possible", t->gamma);
	if (!plan->sequence_size)
		current *= t->past + UINT64_C(1);
	if (plan->sequence_size && plan->sequence_size != t->observation_size)
		return weir_error_set(e, "steps of %u numbers; an observation has %u",
				      plan->sequence_size, t->observation_size);
	if (plan->current_size != current + action_inputs)
		return weir_error_set(
			e, "a current input of %u numbers; observations and actions have %llu",
			plan->current_size, (unsigned long long)current + action_inputs);
	if (net->places[plan->layer_count - 1].is_sequence)
		return weir_error_set(e, "the net has an output for every step, not one");
	return 0;
}

float *weir_learn_scratch_alloc(struct learn_scratch *s, size_t count)
{
	enum { LINE_FLOATS = WEIR_LEARN_ALIGNMENT / sizeof(float) };
	size_t at = s->floats;

	s->floats += (count + LINE_FLOATS - 1) / LINE_FLOATS * LINE_FLOATS;
	return s->base ? s->base + at : NULL;
}

static uint32_t learner_chunk_first(const struct weir_learn_training *t, uint32_t chunk)
{
	return (uint32_t)((uint64_t)t->batch * chunk / WEIR_LEARN_CHUNKS);
}

uint32_t weir_learn_chunk_max(const struct weir_learn_training *t)
{
	return (t->batch + WEIR_LEARN_CHUNKS - 1) / WEIR_LEARN_CHUNKS;
}

uint32_t weir_learn_steps(const struct weir_learn_training *t, const struct weir_learn_net *net)
{
	return net->plan.sequence_size ? t->past : 0;
}

void weir_learn_examples_layout(struct learn_examples *x, const struct weir_learn_training *t,
				const struct weir_learn_net *net, uint32_t action_size,
				struct learn_scratch *s)
{
	size_t count = weir_learn_chunk_max(t), steps = weir_learn_steps(t, net);

	for (int i = 0; i < 2; i++) {
		struct learn_inputs *at = &x->at[i];

		at->sequence = weir_learn_scratch_alloc(s, count * steps * net->plan.sequence_size);
		if (!net->plan.sequence_size)
			at->sequence = NULL;
		at->lengths = (uint32_t *)(void *)weir_learn_scratch_alloc(s, count);
		at->current = weir_learn_scratch_alloc(s, count * net->plan.current_size);
		x->batch[i] = (struct weir_learn_batch){ .steps = (uint32_t)steps,
							 .sequence = at->sequence,
							 .lengths = at->lengths,
							 .current = at->current };
	}
	x->actions = weir_learn_scratch_alloc(s, count * action_size);
	x->rewards = weir_learn_scratch_alloc(s, count);
	x->discounts = weir_learn_scratch_alloc(s, count);
}

static void learner_observe(const struct learn_examples *x, const struct learn_round *round,
			    int which, uint32_t sample, uint64_t row)
{
	const struct weir_learn_training *t = round->training;
	const struct learn_inputs *at = &x->at[which];
	size_t observation = t->observation_size;
	size_t stacked = at->sequence ? observation : (t->past + (size_t)1) * observation;

	weir_learn_memory_observe(
		round->memory, row,
		(struct learn_history){
			.past = t->past,
			.sequence =
				at->sequence ? at->sequence + sample * t->past * observation : NULL,
			.length = at->lengths + sample,
			.current = at->current + sample * stacked,
		});
}

void weir_learn_examples_fill(struct learn_examples *x, const struct learn_round *round,
			      uint32_t chunk)
{
	const struct weir_learn_training *t = round->training;
	uint32_t action_size = weir_learn_memory_plan(round->memory)->action_size;

	x->first = learner_chunk_first(t, chunk);
	x->count = learner_chunk_first(t, chunk + 1) - x->first;
	x->batch[LEARN_NOW].samples = x->batch[LEARN_NEXT].samples = x->count;
	for (uint32_t i = 0; i < x->count; i++) {
		uint64_t counter = round->update * t->batch + x->first + i;
		uint64_t step = weir_learn_memory_draw(round->memory,
						       weir_learn_draw(t, LEARN_SAMPLES, counter));
		struct learn_return r = weir_learn_memory_return(round->memory, step, t);

		learner_observe(x, round, LEARN_NOW, i, step);
		learner_observe(x, round, LEARN_NEXT, i, r.next);
		memcpy(x->actions + i * (size_t)action_size,
		       weir_learn_memory_action(round->memory, step), action_size * sizeof(float));
		x->rewards[i] = r.rewards;
		x->discounts[i] = r.discount;
	}
}

/* --- losses and optimisers --- */

float weir_learn_loss_of(enum weir_learn_loss loss, float delta, float error, float *grad)
{
	float size = error < 0.0F ? -error : error;

	if (loss == WEIR_LEARN_HUBER && size > delta) {
		*grad = error < 0.0F ? -delta : delta;
		return delta * (size - 0.5F * delta);
	}
	*grad = error;
	return 0.5F * error * error;
}

/* Sixteen partial sums, one per lane of two registers, added in a fixed order. */
static double learner_sum_of_squares(const float *numbers, size_t count)
{
	enum { PARTS = 16 };
	double part[PARTS] = { 0.0 }, sum = 0.0;
	size_t i = 0;

	for (; i + PARTS <= count; i += PARTS)
		for (size_t j = 0; j < PARTS; j++)
			part[j] += (double)numbers[i + j] * (double)numbers[i + j];
	for (; i < count; i++)
		part[0] += (double)numbers[i] * (double)numbers[i];
	for (size_t j = 0; j < PARTS; j++)
		sum += part[j];
	return sum;
}

float weir_learn_clip_norm(float *gradient, size_t count, float norm_max)
{
	double norm = sqrt(learner_sum_of_squares(gradient, count));
	float scale = (float)((double)norm_max / norm);

	for (size_t i = 0; i < count && norm > (double)norm_max; i++)
		gradient[i] *= scale;
	return (float)norm;
}

float weir_learn_clip_value(float *gradient, size_t count, float value_max)
{
	float largest = 0.0F;

	for (size_t i = 0; i < count; i++) {
		float g = gradient[i], size = g < 0.0F ? -g : g;

		largest = size > largest ? size : largest;
		gradient[i] = g > value_max ? value_max : g < -value_max ? -value_max : g;
	}
	return largest;
}

/* Kingma and Ba, ICLR 2015, Algorithm 1; m and v with the factors of their start-up divided out:
 *	m = b1 m + (1 - b1) g	v = b2 v + (1 - b2) g^2
 *	w -= rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon) */
LEARN_FOR_EACH_MACHINE
static void learner_adam(const struct weir_learn_adam *adam, const struct weir_learn_moments *m,
			 float *restrict weights, const float *restrict gradient, size_t count)
{
	float *restrict mean = m->mean, *restrict square = m->square;
	float beta1 = adam->beta1, beta2 = adam->beta2, epsilon = adam->epsilon;
	float rate = (float)((double)adam->rate / (1.0 - m->power1));
	float per_power2 = (float)(1.0 / (1.0 - m->power2));

	for (size_t i = 0; i < count; i++) {
		mean[i] = beta1 * mean[i] + (1.0F - beta1) * gradient[i];
		square[i] = beta2 * square[i] + (1.0F - beta2) * gradient[i] * gradient[i];
		weights[i] -= rate * mean[i] / (sqrtf(square[i] * per_power2) + epsilon);
	}
}

void weir_learn_adam_step(const struct weir_learn_adam *adam, struct weir_learn_moments *moments,
			  float *weights, const float *gradient, size_t count)
{
	moments->power1 *= (double)adam->beta1;
	moments->power2 *= (double)adam->beta2;
	learner_adam(adam, moments, weights, gradient, count);
}

LEARN_FOR_EACH_MACHINE
void weir_learn_soft_update(float *to, const float *from, size_t count, float share)
{
	for (size_t i = 0; i < count; i++)
		to[i] = share == 1.0F ? from[i] : to[i] + share * (from[i] - to[i]);
}

/* --- steps --- */

/* Adds the chunks' gradients to the first one, in order. */
LEARN_FOR_EACH_MACHINE
static void learner_sum_chunks(float *restrict sum, size_t chunk_stride, size_t count)
{
	for (uint32_t chunk = 1; chunk < WEIR_LEARN_CHUNKS; chunk++) {
		const float *restrict more = sum + chunk * chunk_stride;

		for (size_t i = 0; i < count; i++)
			sum[i] += more[i];
	}
}

float weir_learn_gradient_step(const struct learn_gradient_step *d, const struct learn_weights *w)
{
	const struct weir_learn_training *t = d->training;
	struct weir_learn_moments moments = *w->powers;
	float norm;

	learner_sum_chunks(d->gradients, d->chunk_stride, d->count);
	if (t->clip_value > 0.0F)
		weir_learn_clip_value(d->gradients, d->count, t->clip_value);
	norm = weir_learn_clip_norm(d->gradients, d->count,
				    t->clip_norm > 0.0F ? t->clip_norm : INFINITY);
	if (!isfinite(norm))
		return norm;
	moments.mean = w->mean;
	moments.square = w->square;
	weir_learn_adam_step(d->adam, &moments, w->online, d->gradients, d->count);
	w->powers->power1 = moments.power1;
	w->powers->power2 = moments.power2;
	return norm;
}

void weir_learn_executor_run(const struct weir_learn_executor *executor, weir_learn_chunk *chunk,
			     void *job)
{
	if (executor->run) {
		executor->run(executor->context, chunk, job);
		return;
	}
	for (uint32_t i = 0; i < WEIR_LEARN_CHUNKS; i++)
		chunk(job, i, 0);
}
