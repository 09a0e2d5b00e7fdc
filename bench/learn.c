/* SPDX-License-Identifier: BSD-3-Clause */
/* learn.c -- what a forward and a backward pass cost, for the nets of the learning schemes.
 *
 *	build/release/bench-learn
 *
 * stack 12-20-40-40-20 is ACC's, stack 32-64-64-1 an actor on four stacked observations of eight
 * numbers, recall H the LSTM nets of FDCC over eight past observations, policy 12 that of RL-CC.
 * Forward and back are one pass of a net with so many samples, per sample. Times are processor
 * time, the best of several turns. Decisions and updates: minds.c. */
#define _POSIX_C_SOURCE 200809L
#include "bench/cost.h"
#include "weir/error.h"
#include <stdio.h>

enum { PAST = 8, OBSERVATION = 8 };

/* --- passes --- */

struct pass {
	struct weir_learn_net net;
	struct weir_learn_batch batch;
	struct weir_learn_gradient gradient;
	float *weights, *transposed, *tape, *output;
};

static void forward(void *context)
{
	struct pass *p = context;

	weir_learn_forward(&p->net, p->weights, &p->batch, p->tape, p->output);
}

static void back(void *context)
{
	struct pass *p = context;

	weir_learn_backward(&p->net, p->transposed, &p->batch, p->tape, &p->gradient);
}

static void bench_pass(const char *name, const struct weir_learn_plan *plan, uint32_t steps)
{
	static const uint32_t batches[] = { 1, 32, 128 };
	struct weir_error e;

	printf("%-24s", name);
	for (int i = 0; i < 3; i++) {
		uint32_t samples = batches[i];
		struct pass p;
		double ns[2];

		if (weir_learn_net_init(&p.net, plan, &e))
			exit(1);
		p.batch = (struct weir_learn_batch){
			.samples = samples,
			.steps = steps,
			.sequence = floats((size_t)samples * steps * plan->sequence_size),
			.current = floats((size_t)samples * plan->current_size),
		};
		p.weights = floats(p.net.weight_floats);
		p.transposed = floats(p.net.transposed_floats);
		weir_learn_net_init_weights(&p.net, WEIR_LEARN_HE_UNIFORM,
					    (struct weir_learn_draw){ 1, 2, 0 }, p.weights);
		weir_learn_net_transpose(&p.net, p.weights, p.transposed);
		p.tape = floats(weir_learn_tape_floats(&p.net, samples, steps,
						       WEIR_LEARN_FORWARD_AND_BACKWARD));
		p.output = floats((size_t)samples * (steps + 1) * p.net.outputs);
		p.gradient = (struct weir_learn_gradient){
			.output = floats((size_t)samples * (steps + 1) * p.net.outputs),
			.weights = floats(p.net.weight_floats),
		};
		ns[0] = cost_ns(forward, &p);
		ns[1] = cost_ns(back, &p);
		printf(" %9.0f %9.0f", ns[0] / samples, ns[1] / samples);
		free((void *)p.batch.sequence);
		free((void *)p.batch.current);
		free((void *)p.gradient.output);
		free(p.gradient.weights);
		free(p.weights);
		free(p.transposed);
		free(p.tape);
		free(p.output);
	}
	printf("\n");
}

int main(void)
{
	struct weir_learn_plan plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = 12, .outputs = 20, .hidden = { 20, 40, 40 } });
	static const uint32_t hidden[] = { 32, 64, 128 };

	printf("ns per sample            %9s %9s %9s %9s %9s %9s\n", "1: there", "back",
	       "32: there", "back", "128:there", "back");
	bench_pass("stack 12-20-40-40-20", &plan, 0);
	plan = weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = 32, .outputs = 1, .hidden = { 64, 64 }, .output = WEIR_LEARN_TANH });
	bench_pass("stack 32-64-64-1", &plan, 0);
	for (int i = 0; i < 3; i++) {
		char name[32];

		plan = weir_learn_plan_recurrent(
			&(struct weir_learn_recurrent){ .observation_size = OBSERVATION,
							.hidden = hidden[i],
							.outputs = 1,
							.output = WEIR_LEARN_TANH });
		snprintf(name, sizeof(name), "recall %u", hidden[i]);
		bench_pass(name, &plan, PAST);
	}
	plan = weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 4,
								 .outputs = 1,
								 .hidden = { 12, 12 },
								 .lstm_units = 12,
								 .output = WEIR_LEARN_TANH,
								 .bias = WEIR_LEARN_NO_BIAS });
	bench_pass("policy 12, one step", &plan, 1);
	return 0;
}
