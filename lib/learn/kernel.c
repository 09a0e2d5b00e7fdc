/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.c -- matrix products in register blocks, chosen at run time by the width of vector
 * registers; product.h has the code, which is compiled once per width. */
#include "lib/learn/kernel.h"
#include "lib/learn/product.h"
#include <string.h>

#ifdef LEARN_HAS_WIDE_REGISTERS

#define REGISTER_FLOATS 8
#define PRODUCT(name) name##_of_eight
#define PRODUCT_TARGET __attribute__((target("avx2")))
#include "lib/learn/product.h"

void weir_learn_multiply(const struct learn_product *p)
{
	if (__builtin_cpu_supports("avx2"))
		multiply_of_eight(p);
	else
		multiply_of_four(p);
}

#else

void weir_learn_multiply(const struct learn_product *p)
{
	multiply_of_four(p);
}

#endif

LEARN_FOR_EACH_MACHINE
void weir_learn_add_rows(float *sum, const float *rows, size_t stride, uint32_t row_count,
			 uint32_t columns)
{
	for (uint32_t r = 0; r < row_count; r++)
		for (uint32_t c = 0; c < learn_padded(columns); c++)
			sum[c] += rows[r * stride + c];
}

void weir_learn_transpose(const struct weir_learn_transpose *t)
{
	for (uint32_t c = 0; c < t->columns; c++) {
		float *to = t->to + c * t->to_stride;

		for (uint32_t r = 0; r < t->rows; r++)
			to[r] = t->from[r * t->from_stride + c];
		memset(to + t->rows, 0, (t->to_stride - t->rows) * sizeof(*to));
	}
}
