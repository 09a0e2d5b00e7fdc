/* SPDX-License-Identifier: BSD-3-Clause */
/* bits.h -- a bit per segment, in rings of 64-bit words, worked on a word at a time: for the two
 * ends of a connection, which look at thousands of segments while one is missing.
 *
 * A ring has a power of two of bits, at least 64; segment i has bit i & mask. A range of segments
 * is walked in spans, each of which lies in one word:
 *
 *	for (i = first; i != end; i += length) {
 *		length = span_length(i, end);
 *		... word of i, span_mask(i, length) ...
 *	} */
#ifndef BASE_BITS_H
#define BASE_BITS_H
#include <stdint.h>

enum { WORD_BITS = 64 };

/* How many of the segments in [first, end) share the word of the first. */
static inline uint32_t span_length(uint32_t first, uint32_t end)
{
	uint32_t in_word = WORD_BITS - first % WORD_BITS;

	return end - first < in_word ? end - first : in_word;
}

/* Their bits in that word; length is not 0. */
static inline uint64_t span_mask(uint32_t first, uint32_t length)
{
	return UINT64_MAX >> (WORD_BITS - length) << first % WORD_BITS;
}

/* The segment of the lowest, and the highest, bit of a part of the word of a segment. */
static inline uint32_t span_lowest(uint32_t segment, uint64_t part)
{
	return segment - segment % WORD_BITS + (uint32_t)__builtin_ctzll(part);
}

static inline uint32_t span_highest(uint32_t segment, uint64_t part)
{
	return segment - segment % WORD_BITS + WORD_BITS - 1 - (uint32_t)__builtin_clzll(part);
}

/* A ring of which each word is one of bits. */
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

/* The first segment in [first, end) that is not in the ring's set; end: all are. */
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

/* One above the last segment in [first, end) that is not in the set; first: all are. */
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
