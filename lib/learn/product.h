/* SPDX-License-Identifier: BSD-3-Clause */
/* product.h -- the product of two matrices, for one size of registers.
 *
 * Included by itself it is for registers of four floats, which every machine has; kernel.c includes
 * it once more for wider ones, with REGISTER_FLOATS, PRODUCT(name) to tell the copies apart, and
 * PRODUCT_TARGET. Every copy does the same sums in the same order. */
#include "base/compiler.h"
#include "lib/learn/kernel.h"

#ifndef PRODUCT
#define REGISTER_FLOATS 4
#define PRODUCT(name) name##_of_four
#define PRODUCT_TARGET
enum { ROWS_AT_ONCE = 4, WIDTH_MAX = 8 };
#endif

/* Loads and stores need no alignment. */
typedef float PRODUCT(lanes)
	__attribute__((vector_size(REGISTER_FLOATS * sizeof(float)), aligned(4), may_alias));

#define PRODUCT_INLINE PRODUCT_TARGET static inline ALWAYS_INLINE

/* A block of the sum, row_count rows of width registers. Both are constants where this is inlined,
 * so that loops over them are unrolled and the block is in registers. */
PRODUCT_INLINE void PRODUCT(block)(const struct learn_product *p, uint32_t row, uint32_t column,
				   const uint32_t row_count, const uint32_t width)
{
	const float *left = p->left + row * p->left_row_step;
	const float *right = p->right + column;
	const float *begin = p->begin ? p->begin + row * p->begin_stride + column : NULL;
	float *sum = p->sum + row * p->sum_stride + column;
	PRODUCT(lanes) part[ROWS_AT_ONCE][WIDTH_MAX];

	for (uint32_t r = 0; r < row_count; r++)
		for (uint32_t w = 0; w < width; w++)
			part[r][w] = begin ? *(const PRODUCT(lanes) *)(begin + r * p->begin_stride +
								       w * REGISTER_FLOATS)
					   : (PRODUCT(lanes)){ 0 };
	for (uint32_t k = 0; k < p->inner; k++) {
		for (uint32_t r = 0; r < row_count; r++) {
			float factor = left[r * p->left_row_step];

			for (uint32_t w = 0; w < width; w++)
				part[r][w] +=
					factor *
					*(const PRODUCT(lanes) *)(right + w * REGISTER_FLOATS);
		}
		left += p->left_inner_step;
		right += p->right_stride;
	}
	for (uint32_t r = 0; r < row_count; r++)
		for (uint32_t w = 0; w < width; w++)
			*(PRODUCT(lanes) *)(sum + r * p->sum_stride + w * REGISTER_FLOATS) =
				part[r][w];
}

/* The columns at hand stay in the first-level cache while rows pass by. Returns how many rows it
 * did. */
PRODUCT_INLINE uint32_t PRODUCT(four_rows_at_once)(const struct learn_product *p, uint32_t columns)
{
	uint32_t rows = p->rows / ROWS_AT_ONCE * ROWS_AT_ONCE, column = 0;

	for (; column + 2 * REGISTER_FLOATS <= columns; column += 2 * REGISTER_FLOATS)
		for (uint32_t row = 0; row < rows; row += ROWS_AT_ONCE)
			PRODUCT(block)(p, row, column, ROWS_AT_ONCE, 2);
	if (column < columns)
		for (uint32_t row = 0; row < rows; row += ROWS_AT_ONCE)
			PRODUCT(block)(p, row, column, ROWS_AT_ONCE, 1);
	return rows;
}

/* A single row has only its columns to keep the adders busy: a sum waits for itself, and others
 * pass in the meantime. So it takes as many of them at once as there are, up to eight registers. */
PRODUCT_INLINE void PRODUCT(one_row)(const struct learn_product *p, uint32_t row, uint32_t columns)
{
	uint32_t column = 0;

	for (; column + WIDTH_MAX * REGISTER_FLOATS <= columns;
	     column += WIDTH_MAX * REGISTER_FLOATS)
		PRODUCT(block)(p, row, column, 1, WIDTH_MAX);
	switch ((columns - column) / REGISTER_FLOATS) {
	case 1:
		PRODUCT(block)(p, row, column, 1, 1);
		break;
	case 2:
		PRODUCT(block)(p, row, column, 1, 2);
		break;
	case 3:
		PRODUCT(block)(p, row, column, 1, 3);
		break;
	case 4:
		PRODUCT(block)(p, row, column, 1, 4);
		break;
	case 5:
		PRODUCT(block)(p, row, column, 1, 5);
		break;
	case 6:
		PRODUCT(block)(p, row, column, 1, 6);
		break;
	case 7:
		PRODUCT(block)(p, row, column, 1, 7);
		break;
	default:
		break;
	}
}

PRODUCT_TARGET static void PRODUCT(multiply)(const struct learn_product *p)
{
	uint32_t columns = learn_padded(p->columns);

	for (uint32_t row = PRODUCT(four_rows_at_once)(p, columns); row < p->rows; row++)
		PRODUCT(one_row)(p, row, columns);
}

#undef PRODUCT_INLINE
#undef PRODUCT_TARGET
#undef PRODUCT
#undef REGISTER_FLOATS
