/* SPDX-License-Identifier: BSD-3-Clause */
/* memory.h -- how learners look into a replay memory. */
#ifndef LEARN_MEMORY_H
#define LEARN_MEMORY_H
#include "weir/learn.h"

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
struct learn_look {
	uint32_t past;
	float *sequence; /* [past][observation_size], what there is first, then zeros; NULL: stacked
			  */
	uint32_t *length;
	float *current; /* the observation; stacked: [past + 1] of them, the oldest repeated in
			   front */
};

void weir_learn_memory_look(const struct weir_learn_memory *m, uint64_t row,
			    struct learn_look look);
#endif
