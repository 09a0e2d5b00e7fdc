/* SPDX-License-Identifier: BSD-3-Clause */
/* activate.h -- exp, tanh and sigmoid in plain arithmetic, the same bytes on every machine.
 *
 * libm's functions differ in their last bits from one system to the next, and a policy that differs
 * in its last bit is another run. These are written without branches, so that loops over them are
 * vectorised; each lane does the same operations in the same order. */
#ifndef LEARN_ACTIVATE_H
#define LEARN_ACTIVATE_H
#include <stdint.h>
#include <string.h>

/* e^y - 1 for y <= 0; what is below -87, or no number, counts as -87, where e^y is 1.6e-38.
 *
 * y = k ln 2 + r with k whole and |r| <= ln 2 / 2; e^y - 1 = 2^k (e^r - 1) + (2^k - 1). e^r - 1 is
 * its Taylor series up to r^7, which leaves r^8 / 8! <= 5.2e-9 out. ln 2 is two numbers, the first
 * with so few bits that k times it is exact. Relative error below 1e-7 (measured). */
static inline float learn_exp_minus_1(float y)
{
	const float ln2_high = 355.0F / 512.0F, ln2_low = -2.12194440e-4F, per_ln2 = 1.44269504F;
	const float to_whole = 12582912.0F; /* 1.5 * 2^23: a float there has no fraction */
	float clamped = y > -87.0F ? y : -87.0F;
	float k = (clamped * per_ln2 + to_whole) - to_whole;
	float r = (clamped - k * ln2_high) - k * ln2_low;
	float series = 1.0F / 5040.0F;
	uint32_t bits = (uint32_t)((int32_t)k + 127) << 23;
	float power;

	memcpy(&power, &bits, sizeof(power));
	series = series * r + 1.0F / 720.0F;
	series = series * r + 1.0F / 120.0F;
	series = series * r + 1.0F / 24.0F;
	series = series * r + 1.0F / 6.0F;
	series = series * r + 0.5F;
	series = series * r * r + r;
	return power * series + (power - 1.0F);
}

/* tanh |x| = -q / (2 + q) with q = e^(-2 |x|) - 1. Error below 2e-7 (measured). */
static inline float learn_tanh(float x)
{
	float q = learn_exp_minus_1(x < 0.0F ? 2.0F * x : -2.0F * x);
	float positive = (0.0F - q) / (2.0F + q);

	return x < 0.0F ? -positive : positive;
}

/* 1 / (1 + e^-x), with q = e^-|x| - 1. Error below 2e-7 (measured). */
static inline float learn_sigmoid(float x)
{
	float q = learn_exp_minus_1(x < 0.0F ? x : -x);

	return (x < 0.0F ? 1.0F + q : 1.0F) / (2.0F + q);
}
#endif
