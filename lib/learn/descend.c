/* SPDX-License-Identifier: BSD-3-Clause */
/* descend.c -- from a gradient to better weights: losses, clipping, Adam, copies. */
#include "lib/learn/kernel.h"
#include "weir/learn.h"
#include <math.h>

float weir_learn_loss_of(enum weir_learn_loss loss, float delta, float error, float *slope)
{
	float size = error < 0.0F ? -error : error;

	if (loss == WEIR_LEARN_HUBER && size > delta) {
		*slope = error < 0.0F ? -delta : delta;
		return delta * (size - 0.5F * delta);
	}
	*slope = error;
	return 0.5F * error * error;
}

/* Sixteen partial sums, the lanes of two registers, added up in order. */
static double sum_of_squares(const float *numbers, size_t count)
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
	double norm = sqrt(sum_of_squares(gradient, count));
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
static void adam_weights(const struct weir_learn_adam *adam, const struct weir_learn_moments *m,
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
	adam_weights(adam, moments, weights, gradient, count);
}

LEARN_FOR_EACH_MACHINE
void weir_learn_soft_update(float *to, const float *from, size_t count, float share)
{
	for (size_t i = 0; i < count; i++)
		to[i] = share == 1.0F ? from[i] : to[i] + share * (from[i] - to[i]);
}
