/* SPDX-License-Identifier: BSD-3-Clause */
/* learner.h -- what double DQN and TD3 share: minibatches, chunks, gradient steps. Internal to
 * lib/learn.
 *
 * An update is cut into WEIR_LEARN_CHUNKS chunks of samples. Which samples, which noise: functions
 * of the learner's seed and the update's number, so chunks may run on any thread and in
 * any order. Each chunk adds up a gradient of its own; those are then added in the order of
 * chunks. */
#ifndef LEARN_LEARNER_H
#define LEARN_LEARNER_H
#include "weir/learn.h"

/* --- reading a replay memory, in memory.c --- */

/* A random step, as the number of its row counted from the first one ever written. */
uint64_t weir_learn_memory_draw(const struct weir_learn_memory *m, struct weir_learn_draw draw);

const struct weir_learn_memory_plan *weir_learn_memory_plan(const struct weir_learn_memory *m);
const float *weir_learn_memory_action(const struct weir_learn_memory *m, uint64_t step);

/* The n-step return of a step: rewards, plus discount times the value at row next. */
struct learn_return {
	float rewards, discount;
	uint64_t next;
};

struct learn_return weir_learn_memory_return(const struct weir_learn_memory *m, uint64_t step,
					     const struct weir_learn_training *t);

/* Destination of a row's observation and up to past earlier ones of its episode. */
struct learn_history {
	uint32_t past;
	float *sequence; /* [past][observation_size], what there is first, then zeros; NULL: stacked
			  */
	uint32_t *length;
	float *current; /* the observation; stacked: [past + 1] of them, the oldest repeated in
			   front */
};

void weir_learn_memory_observe(const struct weir_learn_memory *m, uint64_t row,
			       struct learn_history look);

/* --- training --- */

/* Purposes of random streams. */
enum learn_purpose { LEARN_START = 1, LEARN_SAMPLES = 16, LEARN_SMOOTHING };

struct weir_learn_draw weir_learn_draw(const struct weir_learn_training *t, uint64_t purpose,
				       uint64_t counter);

/* Validates the training, and the net's inputs against it. -1 with a message. */
int weir_learn_training_check(const struct weir_learn_training *t, const struct weir_learn_net *net,
			      uint32_t action_inputs, struct weir_error *e);

/* --- scratch --- */

/* Bump allocator over a block of floats, in cache lines; base NULL: only counts. */
struct learn_scratch {
	float *base;
	size_t floats;
};

float *weir_learn_scratch_alloc(struct learn_scratch *s, size_t count);

/* Samples of the largest chunk. */
uint32_t weir_learn_chunk_max(const struct weir_learn_training *t);

/* Length of the net's input sequences in this training. */
uint32_t weir_learn_steps(const struct weir_learn_training *t, const struct weir_learn_net *net);

/* --- minibatches --- */

/* Writable inputs of a chunk's samples; struct weir_learn_batch is the read-only form. */
struct learn_inputs {
	float *sequence; /* NULL: the net has none */
	float *current;
	uint32_t *lengths;
};

enum { LEARN_NOW, LEARN_NEXT };

/* The samples of a chunk, and their next observations. */
struct learn_examples {
	uint32_t first, count; /* in the minibatch */
	struct learn_inputs at[2];
	struct weir_learn_batch batch[2]; /* LEARN_NOW and LEARN_NEXT */
	float *actions, *rewards, *discounts;
};

/* Allocates room for the largest chunk, with the inputs of that net. */
void weir_learn_examples_layout(struct learn_examples *x, const struct weir_learn_training *t,
				const struct weir_learn_net *net, uint32_t action_size,
				struct learn_scratch *s);

/* An update: its number, training and memory. */
struct learn_round {
	const struct weir_learn_training *training;
	const struct weir_learn_memory *memory;
	uint64_t update;
};

void weir_learn_examples_fill(struct learn_examples *x, const struct learn_round *round,
			      uint32_t chunk);

/* --- steps --- */

/* A net's weights, target weights and moments, in a learner's block. */
struct learn_weights {
	float *online, *target, *mean, *square;
	struct weir_learn_moments *powers; /* its pointers are not used */
};

struct learn_gradient_step {
	const struct weir_learn_training *training;
	const struct weir_learn_adam *adam;
	float *gradients; /* of the first chunk; becomes that of the minibatch */
	size_t chunk_stride;
	size_t count;
};

/* Sums the chunks' gradients, clips the sum and applies Adam; a gradient that is not finite leaves
 * the weights unchanged. Returns the norm before clipping. */
float weir_learn_gradient_step(const struct learn_gradient_step *d, const struct learn_weights *w);

/* Runs all chunks, through the executor or in the calling thread. */
void weir_learn_executor_run(const struct weir_learn_executor *executor, weir_learn_chunk *chunk,
			     void *job);
#endif
