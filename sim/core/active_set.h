/* SPDX-License-Identifier: BSD-3-Clause */
/* active_set.h -- the active ports of a switch with many ports, so that a lookahead window costs
 * O(active ports): a bitmap, and one bit for each of its words that may have a bit set.
 *
 * Threads: any thread adds, one thread at a time visits and removes. A number that is added while
 * another thread visits the set is visited then or the next time. */
#ifndef SIM_CORE_ACTIVE_SET_H
#define SIM_CORE_ACTIVE_SET_H
#include "base/memory.h"
#include <stdatomic.h>
#include <stdint.h>

struct active_set {
	_Atomic uint64_t *bits, *words; /* words: bit w: bits[w] may be other than 0 */
	uint32_t count;                 /* numbers are below it */
};

static inline uint32_t active_set_word_count(uint32_t count)
{
	return (count + 63) / 64;
}

static inline void active_set_init(struct active_set *a, uint32_t count)
{
	uint32_t words = active_set_word_count(count);

	a->bits = memory_new(words, sizeof(*a->bits));
	a->words = memory_new(active_set_word_count(words), sizeof(*a->words));
	a->count = count;
}

static inline void active_set_release(struct active_set *a)
{
	uint32_t words = active_set_word_count(a->count);

	memory_free(a->bits, words, sizeof(*a->bits));
	memory_free(a->words, active_set_word_count(words), sizeof(*a->words));
}

/* Release: what the caller wrote before is visible to the thread that visits the number. */
static inline void active_set_add(struct active_set *a, uint32_t i)
{
	uint64_t bit = UINT64_C(1) << (i % 64), word = UINT64_C(1) << (i / 64 % 64);

	if (!(atomic_fetch_or_explicit(&a->bits[i / 64], bit, memory_order_acq_rel) & bit))
		atomic_fetch_or_explicit(&a->words[i / 4096], word, memory_order_acq_rel);
}

/* Acquire: what threads wrote before they added the number is visible after this. */
static inline void active_set_remove(struct active_set *a, uint32_t i)
{
	atomic_fetch_and_explicit(&a->bits[i / 64], ~(UINT64_C(1) << (i % 64)),
				  memory_order_acq_rel);
}

/* Iteration in ascending order, with removals in between:
 *
 *	struct active_set_cursor at = { 0 };
 *
 *	while (active_set_next(a, &at, &i))
 *		...
 */
struct active_set_cursor {
	uint64_t words, bits; /* not visited yet */
	uint32_t next;        /* word of words */
	uint32_t word;        /* of bits, whose numbers are being visited */
	uint32_t is_open;     /* 1: there is such a word */
};

/* Leaves a word: it stays among the words where it has bits. */
static inline void active_set_leave_word(struct active_set *a, struct active_set_cursor *at)
{
	at->is_open = 0;
	if (atomic_load_explicit(&a->bits[at->word], memory_order_relaxed))
		atomic_fetch_or_explicit(&a->words[at->word / 64], UINT64_C(1) << (at->word % 64),
					 memory_order_acq_rel);
}

static inline int active_set_next(struct active_set *a, struct active_set_cursor *at, uint32_t *i)
{
	uint32_t ends = active_set_word_count(active_set_word_count(a->count));

	while (!at->bits) {
		if (at->is_open)
			active_set_leave_word(a, at);
		while (!at->words) {
			if (at->next == ends)
				return 0;
			if (atomic_load_explicit(&a->words[at->next], memory_order_relaxed))
				at->words = atomic_exchange_explicit(&a->words[at->next], 0,
								     memory_order_acq_rel);
			at->next++;
		}
		at->word = (at->next - 1) * 64 + (uint32_t)__builtin_ctzll(at->words);
		at->words &= at->words - 1;
		at->bits = atomic_load_explicit(&a->bits[at->word], memory_order_acquire);
		at->is_open = 1;
	}
	*i = at->word * 64 + (uint32_t)__builtin_ctzll(at->bits);
	at->bits &= at->bits - 1;
	return 1;
}
#endif
