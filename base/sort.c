/* SPDX-License-Identifier: BSD-3-Clause */
/* sort.c -- least-significant-digit radix sort, see sort.h. Each pass is stable; a digit in which
 * all numbers agree takes no pass. Small inputs use insertion sort. */
#include "base/sort.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum {
	DIGIT_BITS = 11,
	DIGIT_VALUES = 1 << DIGIT_BITS,
	DIGITS = (64 + DIGIT_BITS - 1) / DIGIT_BITS,
	INSERTION_MAX = 64, /* up to here, clearing the histograms would dominate */
};

static unsigned sort_digit_of(uint64_t number, int digit)
{
	return (unsigned)(number >> (DIGIT_BITS * digit)) & (DIGIT_VALUES - 1);
}

static void sort_by_insertion(uint64_t *numbers, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++) {
		uint64_t number = numbers[i], at = i;

		for (; at > 0 && numbers[at - 1] > number; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = number;
	}
}

/* Occurrences of each value of each digit. */
struct sort_histograms {
	uint64_t of[DIGITS][DIGIT_VALUES];
};

static void sort_digit(uint64_t *to, const uint64_t *from, uint64_t count, uint64_t *tally,
		       int digit)
{
	uint64_t before = 0;

	for (int i = 0; i < DIGIT_VALUES; i++) {
		uint64_t here = tally[i];

		tally[i] = before;
		before += here;
	}
	for (uint64_t i = 0; i < count; i++)
		to[tally[sort_digit_of(from[i], digit)]++] = from[i];
}

void sort_counts(uint64_t *numbers, uint64_t count)
{
	struct sort_histograms *tallies;
	uint64_t *other, *from = numbers;

	if (count <= INSERTION_MAX) {
		sort_by_insertion(numbers, count);
		return;
	}
	tallies = memory_zeroed(1, sizeof(*tallies));
	other = memory_grow(NULL, count, sizeof(*other));
	for (uint64_t i = 0; i < count; i++)
		for (int d = 0; d < DIGITS; d++)
			tallies->of[d][sort_digit_of(numbers[i], d)]++;
	for (int d = 0; d < DIGITS; d++) {
		uint64_t *to = from == numbers ? other : numbers;

		if (tallies->of[d][sort_digit_of(numbers[0], d)] == count)
			continue;
		sort_digit(to, from, count, tallies->of[d], d);
		from = to;
	}
	if (from != numbers)
		memcpy(numbers, from, count * sizeof(*numbers));
	free(other);
	free(tallies);
}

/* IEEE 754 numbers order like integers once negative ones are inverted and positive ones have the
 * sign bit set. */
static const uint64_t sort_sign_bit = UINT64_C(1) << 63;

/* Callers often pass sorted numbers: a distribution is plotted from both ends. */
static int sort_is_sorted(const double *numbers, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++)
		if (numbers[i] < numbers[i - 1])
			return 0;
	return 1;
}

void sort_reals(double *numbers, uint64_t count)
{
	uint64_t *keys;

	if (sort_is_sorted(numbers, count))
		return;
	keys = memory_grow(NULL, count, sizeof(*keys));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, &numbers[i], sizeof(bits));
		keys[i] = bits & sort_sign_bit ? ~bits : bits | sort_sign_bit;
	}
	sort_counts(keys, count);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits = keys[i] & sort_sign_bit ? keys[i] ^ sort_sign_bit : ~keys[i];

		memcpy(&numbers[i], &bits, sizeof(bits));
	}
	free(keys);
}
