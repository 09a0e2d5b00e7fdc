/* SPDX-License-Identifier: BSD-3-Clause */
/* busy.h -- the set of queues that hold packets, for schedulers: a bit a queue, so that finding the
 * next busy one never looks at an idle one. */
#ifndef SCHED_BUSY_H
#define SCHED_BUSY_H
#include "weir/sched.h"

enum { BUSY_WORD_BITS = 64, BUSY_WORDS = WEIR_QUEUES_MAX / BUSY_WORD_BITS };

struct busy {
	uint64_t word[BUSY_WORDS];
};

static inline void busy_add(struct busy *b, uint32_t q)
{
	b->word[q / BUSY_WORD_BITS] |= UINT64_C(1) << (q % BUSY_WORD_BITS);
}

static inline void busy_remove(struct busy *b, uint32_t q)
{
	b->word[q / BUSY_WORD_BITS] &= ~(UINT64_C(1) << (q % BUSY_WORD_BITS));
}

/* Lowest busy queue that is not below q, or WEIR_QUEUES_MAX. */
static inline uint32_t busy_from(const struct busy *b, uint32_t q)
{
	uint64_t word;

	if (q >= WEIR_QUEUES_MAX)
		return WEIR_QUEUES_MAX;
	word = b->word[q / BUSY_WORD_BITS] >> (q % BUSY_WORD_BITS);
	if (word)
		return q + (uint32_t)__builtin_ctzll(word);
	for (uint32_t w = q / BUSY_WORD_BITS + 1; w < BUSY_WORDS; w++)
		if (b->word[w])
			return w * BUSY_WORD_BITS + (uint32_t)__builtin_ctzll(b->word[w]);
	return WEIR_QUEUES_MAX;
}

/* The next busy queue after q, going round to the lowest one, first. */
static inline uint32_t busy_after(const struct busy *b, uint32_t q, uint32_t first)
{
	uint64_t above = ~UINT64_C(1) << (q % BUSY_WORD_BITS), high = b->word[1];

	if (q >= BUSY_WORD_BITS)
		high &= above;
	else if (b->word[0] & above)
		return (uint32_t)__builtin_ctzll(b->word[0] & above);
	return high ? BUSY_WORD_BITS + (uint32_t)__builtin_ctzll(high) : first;
}

_Static_assert(BUSY_WORDS == 2, "busy_after looks at each");
#endif
