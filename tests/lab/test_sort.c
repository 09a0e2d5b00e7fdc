/* SPDX-License-Identifier: BSD-3-Clause */
/* test_sort.c -- numbers in order, many and few. */
#include "base/sort.h"
#include "tests/test.h"
#include "weir/rng.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 5000 };

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_real(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

TEST(test_sorted_counts_are_in_the_order_of_qsort)
{
	static const uint64_t counts[] = { 0, 1, 2, 64, 65, MANY };
	struct weir_rng r = weir_rng_make(1, 0, WEIR_RNG_TEST);

	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
		for (unsigned bits = 1; bits <= 64; bits += 21) {
			static uint64_t numbers[MANY], expected[MANY];
			uint64_t count = counts[c];

			for (uint64_t i = 0; i < count; i++)
				numbers[i] =
					((uint64_t)weir_rng_u32(&r) << 32 | weir_rng_u32(&r)) >>
					(64 - bits);
			memcpy(expected, numbers, sizeof(numbers));
			qsort(expected, count, sizeof(*expected), by_number);
			sort_counts(numbers, count);
			CHECK(memcmp(numbers, expected, count * sizeof(*numbers)) == 0);
		}
}

TEST(test_sorted_reals_are_in_the_order_of_qsort_with_either_sign)
{
	struct weir_rng r = weir_rng_make(2, 0, WEIR_RNG_TEST);
	static double numbers[MANY], expected[MANY];

	for (int i = 0; i < MANY; i++)
		numbers[i] = ldexp(weir_rng_unit(&r) - 0.3, (int)weir_rng_below(&r, 80) - 40);
	numbers[0] = (double)INFINITY;
	numbers[1] = -(double)INFINITY;
	numbers[2] = 0;
	memcpy(expected, numbers, sizeof(numbers));
	qsort(expected, MANY, sizeof(*expected), by_real);
	for (int again = 0; again < 2; again++) { /* what is in order stays so */
		sort_reals(numbers, MANY);
		CHECK(memcmp(numbers, expected, sizeof(numbers)) == 0);
	}
	sort_reals(numbers, 0);
}
