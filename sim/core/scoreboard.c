/* SPDX-License-Identifier: BSD-3-Clause */
/* scoreboard.c -- a sender's SACK scoreboard: which segments in flight have arrived, are lost, were
 * retransmitted.
 *
 * After RFC 6675 ("A Conservative Loss Recovery Algorithm Based on SACK"), counted in segments. Two
 * bits per segment of [una, next), in a ring that exists only while something is out of order: the
 * fast path of ACKs touches none of it. The cost of an ACK hardly depends on the window: SACK
 * blocks that the last ACK reported are skipped, the rest is done 64 segments at a time. Losses
 * follow from what is sacked above a segment (DupThresh, 3), not from counting duplicate ACKs.
 * Invariants:
 *   sacked = segments marked sacked;  lost = segments marked lost;  left_out = sacked + lost.
 * A retransmitted segment is in flight like any other. It lies below lost_edge, so that only an RTO
 * or RACK (rack.c) can declare it lost once more. */
#include "base/bits.h"
#include "sim/core/host.h"
#include <assert.h>

enum { DUP_THRESHOLD = 3 };

static uint32_t scoreboard_room(const struct scoreboard *b)
{
	return (uint32_t)WORD_BITS << b->words_log2;
}

static uint32_t count_bits(uint64_t word)
{
	return word ? (uint32_t)__builtin_popcountll(word) : 0;
}

static void scoreboard_copy_marks(const struct sender *s, struct scoreboard *from,
				  struct scoreboard *to)
{
	for (uint32_t i = s->una, length; i != s->next; i += length) {
		const struct segment_marks *old = scoreboard_marks(from, i);
		struct segment_marks *m = scoreboard_marks(to, i);

		length = span_length(i, s->next);
		m->sacked |= old->sacked & span_mask(i, length);
		m->lost |= old->lost & span_mask(i, length);
	}
}

/* Creates or grows the scoreboard: room for every segment in flight and one more. Amortised O(1) a
 * segment, since the room at least doubles. */
static void scoreboard_reserve(struct worker *w, struct sender *s)
{
	struct scoreboard *old = s->board, *b;
	uint32_t needed = s->next - s->una + 1, words_log2 = 0;

	if (old && needed <= scoreboard_room(old))
		return;
	while ((uint32_t)WORD_BITS << words_log2 < 2 * needed)
		words_log2++;
	b = ring_alloc(&w->boards, words_log2);
	if (old)
		*b = *old;
	else
		b->lost_edge = b->retransmit_from = b->highest_sacked = s->una;
	b->words_log2 = words_log2;
	if (old)
		scoreboard_copy_marks(s, old, b);
	if (b->rack) {
		b->rack = rack_grow(w, s, b->rack, words_log2);
		old->rack = NULL;
	}
	scoreboard_free(w, s);
	s->board = b;
}

void scoreboard_open_rack(struct worker *w, struct sender *s)
{
	scoreboard_reserve(w, s);
	s->board->rack = rack_grow(w, s, NULL, s->board->words_log2);
}

/* Clears the marks of segments below this one, which are acknowledged. */
static void scoreboard_clear_below(struct sender *s, uint32_t segment)
{
	for (uint32_t i = s->una, length; i != segment; i += length) {
		struct segment_marks *m = scoreboard_marks(s->board, i);

		length = span_length(i, segment);

		uint64_t mask = span_mask(i, length);

		s->sacked -= count_bits(m->sacked & mask);
		s->lost -= count_bits(m->lost & mask);
		m->sacked &= ~mask;
		m->lost &= ~mask;
	}
	s->left_out = s->sacked + s->lost;
}

uint32_t scoreboard_ack_slow(struct sender *s, uint32_t segment)
{
	struct scoreboard *b = s->board;
	uint32_t arrived = segment - s->una, known = s->sacked; /* counted when sacked */

	if (s->left_out)
		scoreboard_clear_below(s, segment);
	arrived -= known - s->sacked;
	if (segment_before(b->lost_edge, segment))
		b->lost_edge = segment;
	if (segment_before(b->retransmit_from, segment))
		b->retransmit_from = segment;
	if (segment_before(b->highest_sacked, segment))
		b->highest_sacked = segment;
	s->una = segment;
	return arrived;
}

/* Marks segments [first, end) as sacked; returns how many were not. */
static uint32_t scoreboard_sack_range(struct sender *s, uint32_t first, uint32_t end)
{
	uint32_t arrived = 0;

	for (uint32_t i = first, length; i != end; i += length) {
		struct segment_marks *m = scoreboard_marks(s->board, i);

		length = span_length(i, end);

		uint64_t fresh = span_mask(i, length) & ~m->sacked;

		arrived += count_bits(fresh);
		s->lost -= count_bits(m->lost & fresh);
		m->sacked |= fresh;
		m->lost &= ~fresh;
	}
	return arrived;
}

/* The same for a SACK block; skips what the last ACK reported, which is sacked already or
 * acknowledged. */
static uint32_t scoreboard_sack_block(struct sender *s, uint32_t first, uint32_t end)
{
	const struct segment_range *known = s->board->reported;
	uint32_t arrived = 0;

	while (first != end) {
		uint32_t stop = end, from = first;

		for (uint32_t k = 0; k < SACK_BLOCKS; k++) {
			if (segment_before(first, known[k].first)) {
				if (segment_before(known[k].first, stop))
					stop = known[k].first;
			} else if (segment_before(first, known[k].end)) {
				first = segment_before(known[k].end, end) ? known[k].end : end;
			}
		}
		if (first != from)
			continue;
		arrived += scoreboard_sack_range(s, first, stop);
		first = stop;
	}
	return arrived;
}

uint32_t scoreboard_sack(struct worker *w, struct sender *s, const struct segment *ack)
{
	struct segment_range blocks[SACK_BLOCKS] = { { 0, 0 } };
	struct scoreboard *b;
	uint32_t arrived = 0;

	scoreboard_reserve(w, s);
	b = s->board;
	for (uint32_t i = 0; i < SACK_BLOCKS && ack->sack[i].count; i++) {
		uint32_t first = ack->expected + ack->sack[i].offset,
			 end = first + ack->sack[i].count;

		if (segment_before(first, s->una))
			first = s->una;
		if (!segment_before(first, end))
			continue;
		arrived += scoreboard_sack_block(s, first, end);
		blocks[i] = (struct segment_range){ first, end };
		if (segment_before(b->highest_sacked, end))
			b->highest_sacked = end;
	}
	for (uint32_t i = 0; i < SACK_BLOCKS; i++)
		b->reported[i] = blocks[i];
	s->sacked += arrived;
	s->left_out = s->sacked + s->lost;
	return arrived;
}

/* The third highest sacked segment, DupThresh in RFC 6675; sacked >= DUP_THRESHOLD. */
static uint32_t scoreboard_third_sacked(struct scoreboard *b)
{
	uint32_t edge = b->highest_sacked;

	for (uint32_t seen = 0; seen < DUP_THRESHOLD;) {
		uint32_t last = edge - 1, length = last % WORD_BITS + 1;
		uint64_t below =
			scoreboard_marks(b, last)->sacked & span_mask(edge - length, length);

		if (below) {
			edge = span_highest(last, below);
			seen++;
		} else {
			edge -= length;
		}
	}
	return edge;
}

uint32_t scoreboard_detect(struct sender *s)
{
	struct scoreboard *b = s->board;
	uint32_t edge, found = 0;

	if (s->sacked < DUP_THRESHOLD)
		return 0;
	edge = scoreboard_third_sacked(b);
	if (!segment_before(b->lost_edge, edge))
		return 0;
	for (uint32_t i = b->lost_edge, length; i != edge; i += length) {
		struct segment_marks *m = scoreboard_marks(b, i);

		length = span_length(i, edge);

		uint64_t missing = span_mask(i, length) & ~m->sacked;

		m->lost |= missing;
		found += count_bits(missing);
	}
	b->lost_edge = edge;
	s->lost += found;
	s->left_out += found;
	return found;
}

void scoreboard_lose_all(struct worker *w, struct sender *s)
{
	scoreboard_reserve(w, s);
	s->lost = 0;
	for (uint32_t i = s->una, length; i != s->next; i += length) {
		struct segment_marks *m = scoreboard_marks(s->board, i);

		length = span_length(i, s->next);

		uint64_t missing = span_mask(i, length) & ~m->sacked;

		m->lost |= missing;
		s->lost += count_bits(missing);
	}
	s->left_out = s->sacked + s->lost;
	s->board->lost_edge = s->next;
	s->board->retransmit_from = s->una;
}

uint32_t scoreboard_first_lost(const struct sender *s)
{
	uint32_t length;

	for (uint32_t i = s->board->retransmit_from;; i += length) {
		assert(segment_before(i, s->next));
		length = span_length(i, s->next);

		uint64_t lost = scoreboard_marks(s->board, i)->lost & span_mask(i, length);

		if (lost)
			return span_lowest(i, lost);
	}
}

uint32_t scoreboard_retransmit(struct sender *s)
{
	uint32_t segment = scoreboard_first_lost(s);

	scoreboard_marks(s->board, segment)->lost &= ~span_mask(segment, 1);
	s->lost--;
	s->left_out--;
	s->board->retransmit_from = segment + 1;
	if (s->board->rack && segment_before(s->board->rack->retransmitted_end, segment + 1))
		s->board->rack->retransmitted_end = segment + 1;
	return segment;
}

void scoreboard_extend(struct worker *w, struct sender *s)
{
	scoreboard_reserve(w, s);
}

void scoreboard_close_if_clean(struct worker *w, struct sender *s)
{
	if (s->left_out == 0 && s->state == SENDER_OPEN && !s->board->rack)
		scoreboard_free(w, s);
}

void scoreboard_free(struct worker *w, struct sender *s)
{
	struct scoreboard *b = s->board;

	s->board = NULL;
	if (!b)
		return;
	if (b->rack)
		rack_free(w, b->rack);
	ring_release(&w->boards, b, b->words_log2);
}
