/* SPDX-License-Identifier: BSD-3-Clause */
/* queues.h -- what schedulers share: the set of busy queues, and the options of weighted queues.
 *
 * A scheduler's state holds the set; the port's thread alone changes it. */
#ifndef LIB_SCHED_QUEUES_H
#define LIB_SCHED_QUEUES_H
#include "weir/sched.h"

/* --- the set of queues that hold packets and are not paused, a bit each: O(1) operations --- */

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

/* The lowest busy queue at or above q; WEIR_QUEUES_MAX: none. */
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

/* Round robin: the next busy queue after q, or the lowest one, first. */
static inline uint32_t busy_after(const struct busy *b, uint32_t q, uint32_t first)
{
	uint64_t above = ~UINT64_C(1) << (q % BUSY_WORD_BITS), high = b->word[1];

	if (q >= BUSY_WORD_BITS)
		high &= above;
	else if (b->word[0] & above)
		return (uint32_t)__builtin_ctzll(b->word[0] & above);
	return high ? BUSY_WORD_BITS + (uint32_t)__builtin_ctzll(high) : first;
}

_Static_assert(BUSY_WORDS == 2, "busy_after reads two words");

/* Hooks of schedulers whose state begins with a struct busy and which need nothing else: queue q is
 * busy; it is paused; its head was sent. In registry.c. */
void weir_busy_activate(void *state, const void *params, uint32_t q,
			const struct weir_queue *queues);
void weir_busy_halt(void *state, const void *params, uint32_t q);
void weir_busy_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
		    const struct weir_queue *queues);

/* --- options --- */

enum { WEIGHT_MAX = 65535 };

#define WEIGHTS_OPTION(type, member) \
	{ \
		"weights", WEIR_OPT_WEIGHTS, offsetof(type, member), "equal", 1, WEIGHT_MAX, \
			"share of each queue, first queue first; equal: all 1", NULL \
	}

#define PRIORITY_QUEUES_OPTION(type, member) \
	{ \
		"priority-queues", WEIR_OPT_COUNT, offsetof(type, member), "1", 0, \
			WEIR_QUEUES_MAX - 1, \
			"queues, from the first, that are served before the others and each " \
			"before the next", \
			NULL \
	}

/* Do the weights fit the queues behind the strict ones? -1 with a message. In registry.c. */
int weir_weights_check(const struct weir_weights *w, uint64_t strict_queues, uint32_t queues,
		       struct weir_error *e);

/* The weight of the n-th weighted queue. */
static inline uint32_t weights_of(const struct weir_weights *w, uint32_t n)
{
	return w->count ? w->weight[n] : 1;
}
#endif
