/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h -- what the benchmarks of learners share: memory with numbers in it, and the cost of a
 * call. Nothing is given back: a benchmark ends soon. */
#ifndef BENCH_COST_H
#define BENCH_COST_H
#include "weir/learn.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline void *block(size_t bytes)
{
	size_t whole = (bytes / WEIR_LEARN_ALIGNMENT + 1) * WEIR_LEARN_ALIGNMENT;
	void *memory = aligned_alloc(WEIR_LEARN_ALIGNMENT, whole);

	if (!memory)
		exit(1);
	memset(memory, 0, whole);
	return memory;
}

static inline float *floats(size_t count)
{
	float *numbers = block(count * sizeof(float));

	for (size_t i = 0; i < count; i++)
		numbers[i] = weir_learn_uniform((struct weir_learn_draw){ 1, 1, i }) - 0.5F;
	return numbers;
}

static inline double cost_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns of processor time of one call, the best of several turns. */
static inline double cost_ns(void (*call)(void *), void *context)
{
	enum { TURNS = 7, TURN_NS = 20 * 1000 * 1000 };
	double best = 1e18;
	int calls = 1;

	for (int turn = 0; turn < TURNS;) {
		double begin = cost_now_ns(), ns;

		for (int i = 0; i < calls; i++)
			call(context);
		ns = cost_now_ns() - begin;
		if (ns < TURN_NS / 2 && calls < 1 << 24) {
			calls *= 2;
			continue;
		}
		best = ns / calls < best ? ns / calls : best;
		turn++;
	}
	return best;
}
#endif
