/* SPDX-License-Identifier: BSD-3-Clause */
/* learner.h -- what double DQN and TD3 have in common: minibatches, chunks, steps down a gradient.
 *
 * An update is cut into WEIR_LEARN_CHUNKS chunks of samples. Which samples, which noise: functions
 * of the learner's seed and the update's number, so a chunk may be worked on anywhere, twice, or in
 * any order. Each chunk adds up a gradient of its own; those are then added in the order of
 * chunks. */
#ifndef LEARN_LEARNER_H
#define LEARN_LEARNER_H
#include "weir/learn.h"

/* --- reading a replay memory, in memory.c --- */

/* A step by the number of its row, counted from the first ever written. */
uint64_t weir_learn_memory_draw(const struct weir_learn_memory *m, struct weir_learn_draw draw);

const struct weir_learn_memory_plan *weir_learn_memory_plan(const struct weir_learn_memory *m);
const float *weir_learn_memory_action(const struct weir_learn_memory *m, uint64_t step);

/* What a step was worth, and what is still to be added: discount times the value at the row
 * next. */
struct learn_return {
	float rewards, discount;
	uint64_t next;
};

struct learn_return weir_learn_memory_return(const struct weir_learn_memory *m, uint64_t step,
					     const struct weir_learn_training *t);

/* The observation of a row and so many before it, as far as its episode and the ring reach back. */
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

/* What a learner draws random numbers for. */
enum learn_purpose { LEARN_START = 1, LEARN_SAMPLES = 16, LEARN_SMOOTHING };

struct weir_learn_draw weir_learn_draw(const struct weir_learn_training *t, uint64_t purpose,
				       uint64_t counter);

/* Is the training sound, and are the net's inputs what the training will give it? */
int weir_learn_training_check(const struct weir_learn_training *t, const struct weir_learn_net *net,
			      uint32_t action_inputs, struct weir_error *e);

/* --- scratch --- */

/* Hands out pieces of a block of floats, each on a cache line; with base NULL it only counts. */
struct learn_scratch {
	float *base;
	size_t floats;
};

float *weir_learn_scratch_alloc(struct learn_scratch *s, size_t count);

/* Samples of the largest chunk. */
uint32_t weir_learn_chunk_max(const struct weir_learn_training *t);

/* Steps of the sequences that a net gets in this training. */
uint32_t weir_learn_steps(const struct weir_learn_training *t, const struct weir_learn_net *net);

/* --- minibatches --- */

/* Where the inputs of a chunk's samples are; a batch is the same, to be read only. */
struct learn_inputs {
	float *sequence; /* NULL: the net has none */
	float *current;
	uint32_t *lengths;
};

enum { LEARN_NOW, LEARN_NEXT };

/* The samples of a chunk, and what followed them. */
struct learn_examples {
	uint32_t first, count; /* in the minibatch */
	struct learn_inputs at[2];
	struct weir_learn_batch batch[2]; /* LEARN_NOW and LEARN_NEXT */
	float *actions, *rewards, *discounts;
};

/* Room for the largest chunk, with the inputs of that net. */
void weir_learn_examples_layout(struct learn_examples *x, const struct weir_learn_training *t,
				const struct weir_learn_net *net, uint32_t action_size,
				struct learn_scratch *s);

/* Which update of which learner, with which memory. */
struct learn_round {
	const struct weir_learn_training *training;
	const struct weir_learn_memory *memory;
	uint64_t update;
};

void weir_learn_examples_fill(struct learn_examples *x, const struct learn_round *round,
			      uint32_t chunk);

/* --- steps --- */

/* A net's weights and what belongs to them, in a learner's block. */
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

/* Adds up the chunks' gradients, clips, and moves the weights; where the gradient is not finite
 * they stay. Returns the norm before it is clipped. */
float weir_learn_gradient_step(const struct learn_gradient_step *d, const struct learn_weights *w);

/* Calls chunk for every chunk, by the executor or one after the other. */
void weir_learn_executor_run(const struct weir_learn_executor *executor, weir_learn_chunk *chunk,
			     void *job);
#endif
