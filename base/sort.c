/* SPDX-License-Identifier: BSD-3-Clause */
/* sort.c -- see sort.h. By digits, the lowest first: each pass keeps the order of the one before
 * it, and a digit that all numbers share takes none. */
#include "base/sort.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum {
	DIGIT_BITS = 11,
	DIGIT_VALUES = 1 << DIGIT_BITS,
	DIGITS = (64 + DIGIT_BITS - 1) / DIGIT_BITS,
	FEW = 64, /* for these, to clear the counts would take longer than to sort */
};

static unsigned digit_of(uint64_t number, int digit)
{
	return (unsigned)(number >> (DIGIT_BITS * digit)) & (DIGIT_VALUES - 1);
}

static void sort_few(uint64_t *numbers, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++) {
		uint64_t number = numbers[i], at = i;

		for (; at > 0 && numbers[at - 1] > number; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = number;
	}
}

/* How often each value of each digit occurs. */
struct tallies {
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
		to[tally[digit_of(from[i], digit)]++] = from[i];
}

void sort_counts(uint64_t *numbers, uint64_t count)
{
	struct tallies *tallies;
	uint64_t *other, *from = numbers;

	if (count <= FEW) {
		sort_few(numbers, count);
		return;
	}
	tallies = memory_zeroed(1, sizeof(*tallies));
	other = memory_grow(NULL, count, sizeof(*other));
	for (uint64_t i = 0; i < count; i++)
		for (int d = 0; d < DIGITS; d++)
			tallies->of[d][digit_of(numbers[i], d)]++;
	for (int d = 0; d < DIGITS; d++) {
		uint64_t *to = from == numbers ? other : numbers;

		if (tallies->of[d][digit_of(numbers[0], d)] == count)
			continue;
		sort_digit(to, from, count, tallies->of[d], d);
		from = to;
	}
	if (from != numbers)
		memcpy(numbers, from, count * sizeof(*numbers));
	free(other);
	free(tallies);
}

/* IEEE 754 has the sign in the highest bit and sizes in order below it: a negative number turned
 * over, and a positive one with that bit set, are in order as whole numbers. */
static const uint64_t sign = UINT64_C(1) << 63;

/* A distribution is drawn twice, from either end. */
static int is_sorted(const double *numbers, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++)
		if (numbers[i] < numbers[i - 1])
			return 0;
	return 1;
}

void sort_reals(double *numbers, uint64_t count)
{
	uint64_t *keys;

	if (is_sorted(numbers, count))
		return;
	keys = memory_grow(NULL, count, sizeof(*keys));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, &numbers[i], sizeof(bits));
		keys[i] = bits & sign ? ~bits : bits | sign;
	}
	sort_counts(keys, count);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits = keys[i] & sign ? keys[i] ^ sign : ~keys[i];

		memcpy(&numbers[i], &bits, sizeof(bits));
	}
	free(keys);
}
