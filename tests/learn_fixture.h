/* SPDX-License-Identifier: BSD-3-Clause */
/* learn_fixture.h -- a net on the table: its weights, a tape, a gradient; and loops that tests
 * share. */
#ifndef TESTS_LEARN_FIXTURE_H
#define TESTS_LEARN_FIXTURE_H
#include "tests/test.h"
#include "weir/error.h"
#include "weir/learn.h"
#include <stdlib.h>
#include <string.h>

struct learn_fixture {
	struct weir_learn_net net;
	float *weights, *transposed, *gradient, *tape, *output;
	struct weir_learn_moments moments;
};

static inline void *fixture_block(size_t bytes)
{
	size_t whole = (bytes / WEIR_LEARN_ALIGNMENT + 1) * WEIR_LEARN_ALIGNMENT;
	void *block = aligned_alloc(WEIR_LEARN_ALIGNMENT, whole);

	CHECK(block != NULL);
	memset(block, 0, whole);
	return block;
}

static inline float *fixture_floats(size_t count)
{
	return fixture_block(count * sizeof(float));
}

/* For passes of so many samples and steps. */
static inline void fixture_open(struct learn_fixture *d, const struct weir_learn_plan *plan,
				uint32_t samples, uint32_t steps)
{
	struct weir_error e = { "" };

	if (weir_learn_net_init(&d->net, plan, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	d->weights = fixture_floats(d->net.weight_floats);
	d->transposed = fixture_floats(d->net.transposed_floats);
	d->gradient = fixture_floats(d->net.weight_floats);
	d->tape = fixture_floats(
		weir_learn_tape_floats(&d->net, samples, steps, WEIR_LEARN_FORWARD_AND_BACKWARD));
	d->output = fixture_floats((size_t)samples * (steps + 1) * d->net.outputs);
	d->moments = (struct weir_learn_moments){
		.power1 = 1.0,
		.power2 = 1.0,
		.mean = fixture_floats(d->net.weight_floats),
		.square = fixture_floats(d->net.weight_floats),
	};
}

static inline void fixture_close(struct learn_fixture *d)
{
	free(d->weights);
	free(d->transposed);
	free(d->gradient);
	free(d->tape);
	free(d->output);
	free(d->moments.mean);
	free(d->moments.square);
}

static inline void fixture_forward(struct learn_fixture *d, const struct weir_learn_batch *batch)
{
	weir_learn_forward(&d->net, d->weights, batch, d->tape, d->output);
}

/* One step of Adam against these slopes of the last forward pass. */
static inline void fixture_learn(struct learn_fixture *d, const struct weir_learn_batch *batch,
				 const struct weir_learn_adam *adam, const float *output_slope)
{
	struct weir_learn_gradient g = { .output = output_slope, .weights = d->gradient };

	memset(d->gradient, 0, d->net.weight_floats * sizeof(float));
	weir_learn_net_transpose(&d->net, d->weights, d->transposed);
	weir_learn_backward(&d->net, d->transposed, batch, d->tape, &g);
	weir_learn_adam_step(adam, &d->moments, d->weights, d->gradient, d->net.weight_floats);
}

/* Numbers between -1 and 1. */
static inline void fixture_fill(float *numbers, size_t count, uint64_t stream)
{
	struct weir_learn_draw at = { 1, stream, 0 };

	for (size_t i = 0; i < count; i++, at.counter++)
		numbers[i] = 2.0F * weir_learn_uniform(at) - 1.0F;
}
#endif
