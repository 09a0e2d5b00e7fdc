/* SPDX-License-Identifier: BSD-3-Clause */
/* arrivals.c -- out-of-order segments at a receiver, and the SACK blocks that report them.
 *
 * A bitmap of segments in a ring of words, which exists only while a segment is missing. SACK
 * blocks as in RFC 2018: the block of the newest segment first, then those of earlier ones. Blocks
 * are kept beside their segments: one that grows at its end, the common case, is not searched for
 * again.
 *
 * Runs on the thread that works on the receiver's host. */
#include "base/bits.h"
#include "sim/core/host.h"

enum { ARRIVED_WORDS_LOG2_MIN = 2 };

static struct bits arrivals_bits(struct arrivals *a)
{
	return (struct bits){ a->words, ((uint32_t)WORD_BITS << a->words_log2) - 1 };
}

/* Makes room for a segment beyond r->next. */
static void arrivals_reserve(struct worker *w, struct receiver *r, uint32_t segment)
{
	struct arrivals *old = r->arrived, *a;
	uint32_t needed = segment - r->next + 1, words_log2 = ARRIVED_WORDS_LOG2_MIN;

	if (old && needed <= (uint32_t)WORD_BITS << old->words_log2)
		return;
	while ((uint32_t)WORD_BITS << words_log2 < 2 * needed)
		words_log2++;
	a = ring_alloc(&w->arrivals, words_log2);
	if (old)
		*a = *old;
	a->words_log2 = words_log2;
	if (old) {
		struct bits from = arrivals_bits(old), to = arrivals_bits(a);

		for (uint32_t i = r->next, length; i != r->highest; i += length) {
			length = span_length(i, r->highest);
			*bits_word(&to, i) |= *bits_word(&from, i) & span_mask(i, length);
		}
	}
	arrivals_free(w, r);
	r->arrived = a;
}

/* The block of consecutive segments around one of them. */
static struct segment_range arrivals_block(const struct receiver *r, uint32_t segment)
{
	struct bits bits = arrivals_bits(r->arrived);

	return (struct segment_range){
		bits_above_last_clear(&bits, r->next, segment),
		bits_first_clear(&bits, segment + 1, r->highest),
	};
}

/* Makes a segment the newest. Earlier segments in its block, which may have grown, share it. */
static void arrivals_set_newest(struct receiver *r, uint32_t segment)
{
	struct arrivals *a = r->arrived;
	struct bits bits = arrivals_bits(a);
	struct recent_arrival *recent = a->recent;
	struct segment_range block;

	if (a->recent_count && segment == recent[0].block.end && !bits_has(&bits, segment + 1))
		block = (struct segment_range){ recent[0].block.first, segment + 1 };
	else
		block = arrivals_block(r, segment);
	for (uint32_t i = 0; i < a->recent_count; i++)
		if (!segment_before(recent[i].segment, block.first) &&
		    segment_before(recent[i].segment, block.end))
			recent[i].block = block;
	if (a->recent_count < SACK_BLOCKS)
		a->recent_count++;
	for (uint32_t i = a->recent_count - 1; i > 0; i--)
		recent[i] = recent[i - 1];
	recent[0] = (struct recent_arrival){ segment, block };
}

int arrivals_add(struct worker *w, struct receiver *r, uint32_t segment)
{
	struct bits bits;
	int is_new;

	if (!r->arrived_count)
		r->highest = r->next;
	arrivals_reserve(w, r, segment);
	bits = arrivals_bits(r->arrived);
	is_new = !bits_has(&bits, segment);
	if (is_new) {
		bits_set(&bits, segment);
		r->arrived_count++;
		if (!segment_before(segment, r->highest))
			r->highest = segment + 1;
	}
	arrivals_set_newest(r, segment);
	return is_new;
}

void arrivals_close_gap(struct worker *w, struct receiver *r)
{
	struct bits bits = arrivals_bits(r->arrived);
	uint32_t end = bits_first_clear(&bits, r->next, r->highest);

	r->arrived_count -= end - r->next;
	for (uint32_t length; r->next != end; r->next += length) {
		length = span_length(r->next, end);
		*bits_word(&bits, r->next) &= ~span_mask(r->next, length);
	}
	if (!r->arrived_count)
		arrivals_free(w, r);
}

/* Blocks further ahead than 16 bits are left out: the sender retransmits nearer ones first. */
void arrivals_report(const struct receiver *r, struct segment *ack)
{
	const struct arrivals *a = r->arrived;
	uint32_t blocks = 0;

	for (uint32_t i = 0; i < a->recent_count; i++) {
		const struct segment_range *block = &a->recent[i].block;
		uint32_t offset = block->first - r->next, count = block->end - block->first;
		uint32_t seen =
			segment_before(a->recent[i].segment, r->next) || offset > UINT16_MAX;

		for (uint32_t b = 0; b < blocks; b++)
			seen |= ack->sack[b].offset == offset;
		if (!seen)
			ack->sack[blocks++] = (struct sack_block){
				(uint16_t)offset,
				(uint16_t)(count < UINT16_MAX ? count : UINT16_MAX),
			};
	}
}

void arrivals_free(struct worker *w, struct receiver *r)
{
	if (r->arrived)
		ring_release(&w->arrivals, r->arrived, r->arrived->words_log2);
	r->arrived = NULL;
}
