/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h -- arithmetic kernels of neural networks: the matrix product that every layer is built
 * from, sums over rows, transposition, and activation functions. Single-threaded and pure.
 *
 * Rows are padded with zeros to a whole number of lanes, so that loops have no remainders. Each
 * number of a product is a sum in one order, that of the inner index, whatever the width of the
 * machine's registers: lanes are different numbers, never parts of one sum. Without fused
 * multiply-add (see the Makefile) every machine rounds alike. */
#ifndef LEARN_KERNEL_H
#define LEARN_KERNEL_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LEARN_LANES = 8 };

/* Today's x86 machines have registers of eight floats; which kind it is, is asked when it runs. A
 * sanitizer looks at sixteen bytes at once and calls a function for more; one that watches threads
 * is not there yet when the loader asks. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
#define LEARN_HAS_WIDE_REGISTERS
#endif

/* Loops that the compiler vectorises are compiled for both kinds, and the loader picks. clang 14
 * names such functions so that other files do not find them. */
#if defined(LEARN_HAS_WIDE_REGISTERS) && !defined(__clang__)
#define LEARN_FOR_EACH_MACHINE __attribute__((target_clones("avx2", "default")))
#else
#define LEARN_FOR_EACH_MACHINE
#endif

static inline uint32_t learn_padded(uint32_t count)
{
	return (count + LEARN_LANES - 1) / LEARN_LANES * LEARN_LANES;
}

/* Floats from row to row. Rows a multiple of 512 bytes apart would all fall into a few places of
 * the first-level cache, so those are pushed apart. */
static inline uint32_t learn_stride(uint32_t count)
{
	enum { CROWDED = 128 };
	uint32_t padded = learn_padded(count);

	return padded % CROWDED ? padded : padded + LEARN_LANES;
}

/* An element of the left matrix is left[row * row_step + inner * inner_step], so it may lie
 * transposed. */
struct learn_product {
	uint32_t rows, columns, inner; /* columns are rounded up to lanes */
	const float *left;
	size_t left_row_step, left_inner_step;
	const float *right; /* [inner][columns] */
	size_t right_stride;
	/* What the product is added to; NULL: zeros. It may be sum itself, or one row for all, with
	 * a stride of 0. */
	const float *begin;
	size_t begin_stride;
	float *sum; /* [rows][columns] */
	size_t sum_stride;
};

void weir_learn_multiply(const struct learn_product *p);

/* sum[column] += the numbers of that column, rows in order. (Hidden by hand: what is compiled for
 * several machines would be seen from outside.) */
__attribute__((visibility("hidden"))) void weir_learn_add_rows(float *sum, const float *rows,
							       size_t stride, uint32_t row_count,
							       uint32_t columns);

/* to = from with rows and columns exchanged; to's rows are padded with zeros. */
struct weir_learn_transpose {
	const float *from; /* [rows][columns] */
	uint32_t rows, columns;
	size_t from_stride;
	float *to; /* [columns][rows] */
	size_t to_stride;
};

void weir_learn_transpose(const struct weir_learn_transpose *t);

/* --- activation functions: the same bytes on every machine ---
 *
 * libm's functions differ in their last bits between systems, and a policy that differs in its last
 * bit is another run. These are written without branches, so that loops over them are vectorised;
 * each lane does the same operations in the same order. */

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
