/* kernel.c -- products of small matrices, in blocks that stay in registers. */
#include "lib/learn/kernel.h"
#include <string.h>

/* Eight floats; loads and stores need no alignment. */
typedef float lanes
	__attribute__((vector_size(LEARN_LANES * sizeof(float)), aligned(4), may_alias));

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { ROWS_AT_ONCE = 4, WIDTH_MAX = 8 };

/* A block of the sum, row_count rows of width * 8 columns. Both are constants where this is inlined,
 * so that loops over them are unrolled and the block is in registers. */
ALWAYS_INLINE void block(const struct learn_product *p, uint32_t row, uint32_t column,
			 const uint32_t row_count, const uint32_t width)
{
	const float *left = p->left + row * p->left_row_step;
	const float *right = p->right + column;
	float *sum = p->sum + row * p->sum_stride + column;
	lanes part[ROWS_AT_ONCE][WIDTH_MAX];

	for (uint32_t r = 0; r < row_count; r++)
		for (uint32_t w = 0; w < width; w++)
			part[r][w] = *(const lanes *)(sum + r * p->sum_stride + w * LEARN_LANES);
	for (uint32_t k = 0; k < p->inner; k++) {
		for (uint32_t r = 0; r < row_count; r++) {
			float factor = left[r * p->left_row_step];

			for (uint32_t w = 0; w < width; w++)
				part[r][w] += factor * *(const lanes *)(right + w * LEARN_LANES);
		}
		left += p->left_inner_step;
		right += p->right_stride;
	}
	for (uint32_t r = 0; r < row_count; r++)
		for (uint32_t w = 0; w < width; w++)
			*(lanes *)(sum + r * p->sum_stride + w * LEARN_LANES) = part[r][w];
}

/* The columns at hand stay in the first-level cache while rows pass by. */
ALWAYS_INLINE uint32_t four_rows_at_once(const struct learn_product *p, uint32_t columns)
{
	uint32_t rows = p->rows / ROWS_AT_ONCE * ROWS_AT_ONCE, column = 0;

	for (; column + 2 * LEARN_LANES <= columns; column += 2 * LEARN_LANES)
		for (uint32_t row = 0; row < rows; row += ROWS_AT_ONCE)
			block(p, row, column, ROWS_AT_ONCE, 2);
	if (column < columns)
		for (uint32_t row = 0; row < rows; row += ROWS_AT_ONCE)
			block(p, row, column, ROWS_AT_ONCE, 1);
	return rows;
}

/* A single row has only its columns to keep the adders busy, so it takes many of them. */
ALWAYS_INLINE void one_row(const struct learn_product *p, uint32_t row, uint32_t columns)
{
	uint32_t column = 0;

	for (; column + 8 * LEARN_LANES <= columns; column += 8 * LEARN_LANES)
		block(p, row, column, 1, 8);
	for (; column + 3 * LEARN_LANES <= columns; column += 3 * LEARN_LANES)
		block(p, row, column, 1, 3);
	for (; column < columns; column += LEARN_LANES)
		block(p, row, column, 1, 1);
}

LEARN_FOR_EACH_MACHINE
void learn_multiply(const struct learn_product *p)
{
	uint32_t columns = learn_padded(p->columns);

	for (uint32_t row = four_rows_at_once(p, columns); row < p->rows; row++)
		one_row(p, row, columns);
}

LEARN_FOR_EACH_MACHINE
void learn_add_rows(float *sum, const float *rows, size_t stride, uint32_t row_count,
		    uint32_t columns)
{
	for (uint32_t r = 0; r < row_count; r++)
		for (uint32_t c = 0; c < learn_padded(columns); c++)
			sum[c] += rows[r * stride + c];
}

void learn_turn(const struct learn_turn *t)
{
	for (uint32_t c = 0; c < t->columns; c++) {
		float *to = t->to + c * t->to_stride;

		for (uint32_t r = 0; r < t->rows; r++)
			to[r] = t->from[r * t->from_stride + c];
		memset(to + t->rows, 0, (t->to_stride - t->rows) * sizeof(*to));
	}
}
