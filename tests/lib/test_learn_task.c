/* SPDX-License-Identifier: BSD-3-Clause */
/* test_learn_task.c -- do nets learn what they should, whatever the seed? */
#include "tests/learn_fixture.h"
#include <math.h>

enum { SEEDS = 10 };

/* The largest error that is left of XOR. */
static double xor_error(uint64_t seed)
{
	static const float inputs[] = { 0, 0, 0, 1, 1, 0, 1, 1 }, wanted[] = { 0, 1, 1, 0 };
	struct weir_learn_plan plan = weir_learn_plan_stack(
		&(struct weir_learn_stack){ .inputs = 2, .outputs = 1, .hidden = { 16 } });
	struct weir_learn_adam adam = { 0.02F, 0.9F, 0.999F, 1e-8F };
	struct weir_learn_batch batch = { .samples = 4, .current = inputs };
	double worst = 0.0;
	struct learn_fixture d;

	fixture_open(&d, &plan, 4, 0);
	weir_learn_net_init_weights(&d.net, WEIR_LEARN_HE_UNIFORM,
				    (struct weir_learn_draw){ seed, 0, 0 }, d.weights);
	for (int update = 0; update <= 400; update++) {
		float slope[4];

		fixture_forward(&d, &batch);
		for (int i = 0; i < 4; i++)
			slope[i] = d.output[i] - wanted[i];
		if (update < 400)
			fixture_learn(&d, &batch, &adam, slope);
	}
	for (int i = 0; i < 4; i++)
		worst = fmax(worst, fabs((double)(d.output[i] - wanted[i])));
	fixture_close(&d);
	return worst;
}

TEST(test_learn_xor_is_learnt_from_ten_of_ten_seeds)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		CHECK(xor_error(seed) < 0.05);
}

/* --- recall: say what was seen three steps ago --- */

enum { LAG = 3, STEPS = 12, BATCH = 16, UPDATES = 500 };

struct recall {
	struct learn_fixture desk;
	struct weir_learn_batch batch;
	float seen[BATCH * STEPS], slope[BATCH * STEPS];
};

/* New sequences of numbers between -1 and 1, and the mean squared error of the net's answers to
 * them. */
static double recall_try(struct recall *r, uint64_t stream)
{
	double sum = 0.0;

	fixture_fill(r->seen, BATCH * STEPS, stream);
	fixture_forward(&r->desk, &r->batch);
	for (uint32_t i = 0; i < BATCH * STEPS; i++) {
		float error = i % STEPS < LAG ? 0.0F : r->desk.output[i] - r->seen[i - LAG];

		sum += (double)(error * error);
		r->slope[i] = error / (float)BATCH;
	}
	return sum / (BATCH * (STEPS - LAG));
}

static double recall_error(uint64_t seed)
{
	struct weir_learn_plan plan = weir_learn_plan_stack(
		&(struct weir_learn_stack){ .inputs = 1, .outputs = 1, .lstm_units = 16 });
	struct weir_learn_adam adam = { 0.02F, 0.9F, 0.999F, 1e-8F };
	static struct recall r;
	double error;

	fixture_open(&r.desk, &plan, BATCH, STEPS);
	r.batch = (struct weir_learn_batch){ .samples = BATCH, .steps = STEPS, .sequence = r.seen };
	weir_learn_net_init_weights(&r.desk.net, WEIR_LEARN_ORTHOGONAL,
				    (struct weir_learn_draw){ seed, 0, 0 }, r.desk.weights);
	for (uint64_t update = 0; update < UPDATES; update++) {
		recall_try(&r, seed * 100000 + update);
		fixture_learn(&r.desk, &r.batch, &adam, r.slope);
	}
	error = recall_try(&r, seed * 100000 + UPDATES);
	fixture_close(&r.desk);
	return error;
}

/* Saying 0 has an error of 1/3. */
TEST(test_learn_lstm_learns_to_recall_three_steps_from_ten_of_ten_seeds)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		CHECK(recall_error(seed) < 0.002);
}

/* --- slopes of the caller's own, over whole sequences --- */

/* RL-CC's policy, 4-12-12-[LSTM 12]-1 without biases, on signals g that keep their sign for a
 * sequence. The loss is the mean of u g, so its slope at a step is g over their number, and the
 * best u is -1 where g is positive and 1 where it is negative. */
struct signals {
	float inputs[BATCH * STEPS * 4], g[BATCH * STEPS], slope[BATCH * STEPS];
};

static void signals_draw(struct signals *s, uint64_t stream)
{
	fixture_fill(s->inputs, BATCH * STEPS * 4, stream);
	for (uint32_t i = 0; i < BATCH * STEPS; i++) {
		float size = fabsf(s->inputs[4 * i]) + 0.1F;

		s->g[i] = i / STEPS % 2 ? size : -size;
		s->slope[i] = s->g[i] / (float)(BATCH * STEPS);
		for (uint32_t j = 0; j < 4; j++)
			s->inputs[4 * i + j] = j % 2 ? s->g[i] : 0.0F;
	}
}

TEST(test_learn_policy_follows_the_callers_slopes_over_sequences)
{
	struct weir_learn_plan plan =
		weir_learn_plan_stack(&(struct weir_learn_stack){ .inputs = 4,
								  .outputs = 1,
								  .hidden = { 12, 12 },
								  .lstm_units = 12,
								  .output = WEIR_LEARN_TANH,
								  .bias = WEIR_LEARN_NO_BIAS });
	struct weir_learn_adam adam = { 0.01F, 0.9F, 0.999F, 1e-5F };
	static struct signals s;
	struct weir_learn_batch batch = { .samples = BATCH, .steps = STEPS, .sequence = s.inputs };

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct learn_fixture d;

		fixture_open(&d, &plan, BATCH, STEPS);
		weir_learn_net_init_weights(&d.net, WEIR_LEARN_ORTHOGONAL,
					    (struct weir_learn_draw){ seed, 0, 0 }, d.weights);
		for (uint64_t update = 0; update <= 200; update++) {
			signals_draw(&s, seed * 1000 + update);
			fixture_forward(&d, &batch);
			if (update < 200)
				fixture_learn(&d, &batch, &adam, s.slope);
		}
		/* After three steps of it the policy is sure. */
		for (uint32_t i = 0; i < BATCH * STEPS; i++)
			CHECK(i % STEPS < LAG ||
			      (s.g[i] > 0.0F ? d.output[i] < -0.8F : d.output[i] > 0.8F));
		fixture_close(&d);
	}
}
