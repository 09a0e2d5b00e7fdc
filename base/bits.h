/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.h -- a bitmap ring with a bit per segment, processed a 64-bit word at a time: for the SACK
 * scoreboard of a sender and the reassembly of a receiver, which scan thousands of segments while
 * one is missing.
 *
 * A ring has a power of two of bits, at least 64; segment i has bit i & mask. A range of segments
 * is walked in spans that each lie in one word:
 *
 *	for (i = first; i != end; i += length) {
 *		length = span_length(i, end);
 *		... word of i, span_mask(i, length) ...
 *	} */
#ifndef BASE_BITS_H
#define BASE_BITS_H
#include <stdint.h>

enum { WORD_BITS = 64 };

/* Number of segments in [first, end) that share the word of the first. */
static inline uint32_t span_length(uint32_t first, uint32_t end)
{
	uint32_t in_word = WORD_BITS - first % WORD_BITS;

	return end - first < in_word ? end - first : in_word;
}

/* Mask of a span in its word; length is not 0. */
static inline uint64_t span_mask(uint32_t first, uint32_t length)
{
	return UINT64_MAX >> (WORD_BITS - length) << first % WORD_BITS;
}

/* The segment that the lowest, or highest, set bit of part stands for; part holds bits of the word
 * of the given segment, at least one. */
static inline uint32_t span_lowest(uint32_t segment, uint64_t part)
{
	return segment - segment % WORD_BITS + (uint32_t)__builtin_ctzll(part);
}

static inline uint32_t span_highest(uint32_t segment, uint64_t part)
{
	return segment - segment % WORD_BITS + WORD_BITS - 1 - (uint32_t)__builtin_clzll(part);
}

struct bits {
	uint64_t *words;
	uint32_t mask; /* number of bits - 1 */
};

static inline uint64_t *bits_word(const struct bits *b, uint32_t segment)
{
	return &b->words[(segment & b->mask) / WORD_BITS];
}

static inline int bits_has(const struct bits *b, uint32_t segment)
{
	return *bits_word(b, segment) >> segment % WORD_BITS & 1;
}

static inline void bits_set(const struct bits *b, uint32_t segment)
{
	*bits_word(b, segment) |= UINT64_C(1) << segment % WORD_BITS;
}

/* The first segment in [first, end) whose bit is clear; end: all are set. O(words). */
static inline uint32_t bits_first_clear(const struct bits *b, uint32_t first, uint32_t end)
{
	for (uint32_t i = first, length; i != end; i += length) {
		length = span_length(i, end);

		uint64_t clear = ~*bits_word(b, i) & span_mask(i, length);

		if (clear)
			return span_lowest(i, clear);
	}
	return end;
}

/* One above the last segment in [first, end) whose bit is clear; first: all are set. O(words). */
static inline uint32_t bits_above_last_clear(const struct bits *b, uint32_t first, uint32_t end)
{
	while (end != first) {
		uint32_t last = end - 1, length = last % WORD_BITS + 1;

		if (length > end - first)
			length = end - first;

		uint64_t clear = ~*bits_word(b, last) & span_mask(end - length, length);

		if (clear)
			return span_highest(last, clear) + 1;
		end -= length;
	}
	return first;
}
#endif
