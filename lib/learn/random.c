/* SPDX-License-Identifier: BSD-3-Clause */
/* random.c -- counter-based random numbers, and exploration with them. */
#include "lib/learn/kernel.h"
#include "weir/learn.h"
#include "weir/rng.h"
#include <assert.h>
#include <math.h>

uint64_t weir_learn_bits(struct weir_learn_draw at)
{
	return weir_hash64(weir_hash64(at.seed, at.stream), at.counter);
}

float weir_learn_uniform(struct weir_learn_draw at)
{
	return (float)(weir_learn_bits(at) >> 40) * 0x1p-24F;
}

/* The natural logarithm of 0 < x < 1. x = m 2^e with 1/2 <= m < 1; ln m = 2 atanh z with z = (m -
 * 1) / (m + 1), |z| <= 1/3: the series up to z^31 leaves less than 1e-16 out. Not libm's, whose
 * last bit varies. */
static double natural_log(double x)
{
	const double ln2 = 0.693147180559945309417;
	int exponent;
	double m = frexp(x, &exponent);
	double z = (m - 1.0) / (m + 1.0), series = 0.0;

	for (int power = 31; power > 0; power -= 2)
		series = series * z * z + 1.0 / power;
	return 2.0 * z * series + exponent * ln2;
}

/* In (-1, 1), from 32 bits. */
static double signed_unit(uint64_t bits)
{
	return ((double)(uint32_t)bits + 0.5) * 0x1p-31 - 1.0;
}

/* Marsaglia's polar method: points of the square until one lies in the circle. Each retry hashes
 * the last draw, so that a number consumes one counter. */
float weir_learn_normal(struct weir_learn_draw at)
{
	uint64_t bits = weir_learn_bits(at);

	for (;;) {
		double x = signed_unit(bits), y = signed_unit(bits >> 32);
		double square = x * x + y * y;

		if (square < 1.0)
			return (float)(x * sqrt(-2.0 * natural_log(square) / square));
		bits = weir_mix64(bits + 1);
	}
}

void weir_learn_explore(float *actions, uint32_t count, float deviation,
			struct weir_learn_draw draw)
{
	for (uint32_t i = 0; i < count; i++, draw.counter++) {
		float moved = actions[i] + deviation * weir_learn_normal(draw);

		actions[i] = moved > 1.0F ? 1.0F : moved < -1.0F ? -1.0F : moved;
	}
}

/* --- choices --- */

static int is_allowed(const struct weir_learn_choice *choice, uint32_t action)
{
	return !choice->allowed || choice->allowed[action];
}

/* The first of the largest values. */
static uint32_t best_of_all(const float *values, uint32_t count)
{
	float most = values[0];
	uint32_t best = 0;

	for (uint32_t i = 1; i < count; i++)
		if (values[i] > most) {
			most = values[i];
			best = i;
		}
	return best;
}

static uint32_t best_of(const struct weir_learn_choice *choice, const float *values, uint32_t count)
{
	uint32_t best = count;

	if (!choice->allowed)
		return best_of_all(values, count);
	for (uint32_t i = 0; i < count; i++)
		if (choice->allowed[i] && (best == count || values[i] > values[best]))
			best = i;
	assert(best < count);
	return best;
}

/* Weight of an action in the draw: 1, or e^((Q - best Q) / temperature). */
static float share_of(const struct weir_learn_choice *choice, float value, float best)
{
	if (choice->temperature <= 0.0F)
		return 1.0F;
	return 1.0F + learn_exp_minus_1((value - best) / choice->temperature);
}

uint32_t weir_learn_choose_action(const struct weir_learn_choice *choice, const float *values,
				  uint32_t count, struct weir_learn_draw draw)
{
	uint32_t best = best_of(choice, values, count);
	float total = 0.0F, point;

	if (weir_learn_uniform(draw) >= choice->epsilon)
		return best;
	for (uint32_t i = 0; i < count; i++)
		if (is_allowed(choice, i))
			total += share_of(choice, values[i], values[best]);
	draw.counter++;
	point = weir_learn_uniform(draw) * total;
	for (uint32_t i = 0; i < count; i++) {
		if (!is_allowed(choice, i))
			continue;
		point -= share_of(choice, values[i], values[best]);
		if (point < 0.0F)
			return i;
	}
	return best; /* rounding left a remainder */
}

float weir_learn_tanh(float x)
{
	return learn_tanh(x);
}

float weir_learn_sigmoid(float x)
{
	return learn_sigmoid(x);
}

uint32_t weir_learn_make_finite(float *numbers, uint32_t count)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!isfinite(numbers[i])) {
			numbers[i] = 0.0F;
			found++;
		}
	return found;
}
