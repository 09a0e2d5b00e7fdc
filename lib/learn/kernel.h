/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h -- matrices of floats: one product, from which every layer is made, and sums over rows.
 *
 * Rows are padded with zeros to a whole number of lanes, so that loops have no remainders. Each
 * number of a product is a sum in one order, that of the inner index, whatever the width of the
 * machine's registers: lanes are different numbers, never parts of one sum. Without fused
 * multiply-add (see the Makefile) every machine rounds alike. */
#ifndef LEARN_KERNEL_H
#define LEARN_KERNEL_H
#include <stddef.h>
#include <stdint.h>

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
 * turned. */
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
struct weir_learn_turn {
	const float *from; /* [rows][columns] */
	uint32_t rows, columns;
	size_t from_stride;
	float *to; /* [columns][rows] */
	size_t to_stride;
};

void weir_learn_turn(const struct weir_learn_turn *t);
#endif
