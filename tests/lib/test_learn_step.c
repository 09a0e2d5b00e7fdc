/* SPDX-License-Identifier: BSD-3-Clause */
/* test_learn_step.c -- activation functions, random numbers, losses, Adam, clipping and copies. */
#include "tests/learn_fixture.h"
#include <math.h>

/* --- activation functions --- */

TEST(test_learn_tanh_and_sigmoid_are_within_a_millionth)
{
	double worst_tanh = 0.0, worst_sigmoid = 0.0;

	for (int32_t i = -20 * 32768; i <= 20 * 32768; i++) {
		float x = (float)i / 32768.0F;

		worst_tanh = fmax(worst_tanh, fabs((double)weir_learn_tanh(x) - tanh((double)x)));
		worst_sigmoid = fmax(worst_sigmoid, fabs((double)weir_learn_sigmoid(x) -
							 1.0 / (1.0 + exp(-(double)x))));
	}
	CHECK(worst_tanh < 2e-7);
	CHECK(worst_sigmoid < 2e-7);
}

TEST(test_learn_tanh_and_sigmoid_keep_their_bounds_far_out)
{
	static const float far[] = { 50.0F, 1e3F, 1e30F, INFINITY };

	for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++) {
		CHECK(weir_learn_tanh(far[i]) == 1.0F && weir_learn_tanh(-far[i]) == -1.0F);
		CHECK(weir_learn_sigmoid(far[i]) == 1.0F);
		CHECK(weir_learn_sigmoid(-far[i]) >= 0.0F && weir_learn_sigmoid(-far[i]) < 1e-20F);
	}
	CHECK(weir_learn_tanh(0.0F) == 0.0F && weir_learn_sigmoid(0.0F) == 0.5F);
	/* Small numbers keep their digits. */
	CHECK_NEAR((double)weir_learn_tanh(1e-6F) / 1e-6, 1.0, 1e-6);
}

TEST(test_learn_numbers_that_are_none_become_zero)
{
	float x[] = { 1.0F, NAN, -INFINITY, 2.0F, INFINITY };

	CHECK_INT(weir_learn_make_finite(x, 5), 3);
	CHECK(x[0] == 1.0F && x[1] == 0.0F && x[2] == 0.0F && x[3] == 2.0F && x[4] == 0.0F);
}

/* --- random numbers --- */

TEST(test_learn_random_numbers_are_functions_of_seed_stream_and_counter)
{
	struct weir_learn_draw at = { 1, 2, 3 };
	uint64_t bits = weir_learn_bits(at);

	CHECK(weir_learn_bits(at) == bits);
	CHECK(weir_learn_bits((struct weir_learn_draw){ 2, 2, 3 }) != bits);
	CHECK(weir_learn_bits((struct weir_learn_draw){ 1, 3, 3 }) != bits);
	CHECK(weir_learn_bits((struct weir_learn_draw){ 1, 2, 4 }) != bits);
	CHECK(weir_learn_bits((struct weir_learn_draw){ 2, 1, 3 }) != bits);
}

TEST(test_learn_normal_numbers_have_the_moments_and_tails_of_a_normal)
{
	enum { DRAWS = 200000 };
	double sum[5] = { 0.0 };
	uint32_t beyond[4] = { 0 };

	for (uint64_t i = 0; i < DRAWS; i++) {
		double x = (double)weir_learn_normal((struct weir_learn_draw){ 9, 9, i }),
		       power = 1.0;

		for (int k = 0; k < 5; k++, power *= x)
			sum[k] += power;
		for (int k = 1; k < 4; k++)
			beyond[k] += fabs(x) > k;
	}
	/* Four standard errors each. */
	CHECK_NEAR(sum[1] / DRAWS, 0.0, 0.009);
	CHECK_NEAR(sum[2] / DRAWS, 1.0, 0.013);
	CHECK_NEAR(sum[3] / DRAWS, 0.0, 0.035);
	CHECK_NEAR(sum[4] / DRAWS, 3.0, 0.09);
	CHECK_NEAR(beyond[1] / (double)DRAWS, 0.31731, 0.0042);
	CHECK_NEAR(beyond[2] / (double)DRAWS, 0.04550, 0.0019);
	CHECK_NEAR(beyond[3] / (double)DRAWS, 0.00270, 0.0005);
}

TEST(test_learn_exploring_noise_stays_within_the_actions)
{
	float actions[1000];
	double sum = 0.0;

	for (int i = 0; i < 1000; i++)
		actions[i] = 0.95F;
	weir_learn_explore(actions, 1000, 0.2F, (struct weir_learn_draw){ 1, 1, 0 });
	for (int i = 0; i < 1000; i++) {
		CHECK(actions[i] <= 1.0F && actions[i] >= -1.0F);
		sum += (double)actions[i];
	}
	/* E min(0.95 + 0.2 z, 1) = 0.95 + 0.2 (a Q(a) - phi(a)) with a = 1/4, Q its upper tail:
	 * 0.8928. */
	CHECK_NEAR(sum / 1000, 0.8928, 0.02);
}

static void count_choices(const struct weir_learn_choice *choice, uint32_t counts[4])
{
	static const float values[] = { 1.0F, 3.0F, 2.0F, 3.0F };

	memset(counts, 0, 4 * sizeof(*counts));
	for (uint64_t i = 0; i < 10000; i++)
		counts[weir_learn_choose_action(choice, values, 4,
						(struct weir_learn_draw){ 1, 1, 2 * i })]++;
}

TEST(test_learn_choice_is_the_best_action_but_for_epsilon)
{
	uint32_t counts[4];

	count_choices(&(struct weir_learn_choice){ .epsilon = 0.0F }, counts);
	CHECK_INT(counts[1], 10000);
	count_choices(&(struct weir_learn_choice){ .epsilon = 0.4F }, counts);
	CHECK_NEAR(counts[0], 1000, 120); /* a quarter of 0.4; four standard deviations */
	CHECK_NEAR(counts[1], 7000, 190);
	CHECK_NEAR(counts[3], 1000, 120);
}

/* Softmax of 1, 3, 2, 3 at temperature 1: 1, e^2, e, e^2 over their sum 18.496. */
TEST(test_learn_choice_by_softmax_has_its_probabilities)
{
	uint32_t counts[4];

	count_choices(&(struct weir_learn_choice){ .epsilon = 1.0F, .temperature = 1.0F }, counts);
	CHECK_NEAR(counts[0], 541, 95);
	CHECK_NEAR(counts[1], 3995, 200);
	CHECK_NEAR(counts[2], 1470, 145);
	CHECK_NEAR(counts[3], 3995, 200);
}

TEST(test_learn_choice_never_takes_an_action_that_is_not_allowed)
{
	static const uint8_t allowed[] = { 1, 0, 1, 0 };
	uint32_t counts[4];

	count_choices(&(struct weir_learn_choice){ .epsilon = 0.5F, .allowed = allowed }, counts);
	CHECK(counts[1] == 0 && counts[3] == 0);
	CHECK_NEAR(counts[0], 2500, 180);
	CHECK_NEAR(counts[2], 7500, 180);
}

/* --- losses and steps --- */

TEST(test_learn_huber_is_squared_up_to_delta_and_a_line_beyond)
{
	float slope;

	CHECK(weir_learn_loss_of(WEIR_LEARN_SQUARED, 1.0F, -3.0F, &slope) == 4.5F);
	CHECK(slope == -3.0F);
	CHECK(weir_learn_loss_of(WEIR_LEARN_HUBER, 1.0F, 0.5F, &slope) == 0.125F);
	CHECK(slope == 0.5F);
	CHECK(weir_learn_loss_of(WEIR_LEARN_HUBER, 2.0F, -3.0F, &slope) == 4.0F);
	CHECK(slope == -2.0F);
}

/* By hand, rate 0.1, beta 0.5 and 0.75, epsilon 0. Gradients 2, then -1, of a weight 1:
 *	m = 1, v = 1, both over their start: 2 and 4; step 0.1 * 2 / 2: w = 0.9
 *	m = 0, w stays */
TEST(test_learn_adam_makes_the_steps_computed_by_hand)
{
	struct weir_learn_adam adam = { 0.1F, 0.5F, 0.75F, 0.0F };
	float weight = 1.0F, mean = 0.0F, square = 0.0F;
	struct weir_learn_moments m = { 1.0, 1.0, &mean, &square };

	weir_learn_adam_step(&adam, &m, &weight, &(float){ 2.0F }, 1);
	CHECK_NEAR(mean, 1.0, 1e-7);
	CHECK_NEAR(square, 1.0, 1e-7);
	CHECK_NEAR(weight, 0.9, 1e-7);
	weir_learn_adam_step(&adam, &m, &weight, &(float){ -1.0F }, 1);
	CHECK_NEAR(mean, 0.0, 1e-7);
	CHECK_NEAR(square, 1.0, 1e-7);
	CHECK_NEAR(weight, 0.9, 1e-7);
	/* m = 2 and v = 4.75; 1 - 1/8 and 1 - 27/64 divide them: 16/7 and 304/37. */
	weir_learn_adam_step(&adam, &m, &weight, &(float){ 4.0F }, 1);
	CHECK_NEAR(weight, 0.9 - 0.1 * (16.0 / 7.0) / sqrt(304.0 / 37.0), 1e-6);
}

TEST(test_learn_gradients_are_clipped_by_norm_and_by_value)
{
	float g[] = { 3.0F, -4.0F, 0.0F };

	CHECK(weir_learn_clip_norm(g, 3, 6.0F) == 5.0F && g[0] == 3.0F);
	CHECK(weir_learn_clip_norm(g, 3, 1.0F) == 5.0F);
	CHECK_NEAR(g[0], 0.6, 1e-7);
	CHECK_NEAR(g[1], -0.8, 1e-7);
	CHECK_NEAR(weir_learn_clip_value(g, 3, 0.7F), 0.8, 1e-7);
	CHECK_NEAR(g[0], 0.6, 1e-7);
	CHECK(g[1] == -0.7F && g[2] == 0.0F);
}

TEST(test_learn_soft_copy_moves_by_its_share_and_hard_copy_is_exact)
{
	float to[] = { 1.0F, -2.0F }, from[] = { 3.0F, 0.1F };

	weir_learn_soft_update(to, from, 2, 0.25F);
	CHECK(to[0] == 1.5F);
	CHECK_NEAR(to[1], -1.475, 1e-6);
	weir_learn_soft_update(to, from, 2, 1.0F);
	CHECK(to[0] == 3.0F && to[1] == 0.1F);
}
