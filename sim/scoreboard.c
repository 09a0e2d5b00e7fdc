/* scoreboard.c -- which segments in flight have arrived, are lost, were sent again.
 *
 * After RFC 6675 ("A Conservative Loss Recovery Algorithm Based on SACK"), counted in segments. A
 * byte of enum segment_mark per segment of [una, next), in a ring that exists only while something
 * is out of order: the usual ACK touches none of it. Kept at all times:
 *   sacked = segments with SACKED;  lost = segments with LOST and without RESENT;
 *   gone = sacked + lost. */
#include "sim/host.h"
#include <assert.h>
#include <string.h>

enum { DUP_THRESHOLD = 3, MARKS_MIN = 64 };

static uint8_t *mark_of(const struct sender *s, uint32_t segment)
{
	return &s->marks[segment & s->marks_mask];
}

/* Room for every segment in flight and one more. */
static void ensure_marks(struct sender *s)
{
	uint32_t needed = s->next - s->una + 1;

	if (s->marks && needed <= s->marks_mask + 1)
		return;

	uint32_t size = MARKS_MIN;

	while (size < 2 * needed)
		size *= 2;

	uint8_t *grown = memory_grow(NULL, size, 1);

	memset(grown, 0, size);
	if (s->marks)
		for (uint32_t i = s->una; i != s->next; i++)
			grown[i & (size - 1)] = *mark_of(s, i);
	if (!s->marks) {
		s->lost_edge = s->resend_from = s->una;
		s->highest_sacked = s->una;
	}
	free(s->marks);
	s->marks = grown;
	s->marks_mask = size - 1;
}

static void clear_mark(struct sender *s, uint32_t segment)
{
	uint8_t *mark = mark_of(s, segment);

	if (*mark & SEGMENT_SACKED)
		s->sacked--;
	else if ((*mark & (SEGMENT_LOST | SEGMENT_RESENT)) == SEGMENT_LOST)
		s->lost--;
	*mark = 0;
}

uint32_t scoreboard_ack(struct sender *s, uint32_t segment)
{
	uint32_t arrived = segment - s->una;

	if (s->marks) {
		arrived -= s->sacked;
		for (uint32_t i = s->una; i != segment; i++)
			clear_mark(s, i);
		arrived += s->sacked; /* sacked before: counted then */
		if (segment_before(s->lost_edge, segment))
			s->lost_edge = segment;
		if (segment_before(s->resend_from, segment))
			s->resend_from = segment;
		if (segment_before(s->highest_sacked, segment))
			s->highest_sacked = segment;
		s->gone = s->sacked + s->lost;
	}
	s->una = segment;
	return arrived;
}

uint32_t scoreboard_sack(struct sender *s, const struct segment *ack)
{
	uint32_t arrived = 0;

	for (uint32_t b = 0; b < SACK_BLOCKS && ack->sack[b].count; b++) {
		uint32_t first = ack->number + ack->sack[b].offset,
			 end = first + ack->sack[b].count;

		if (segment_before(first, s->una))
			first = s->una;
		ensure_marks(s);
		for (uint32_t i = first; segment_before(i, end); i++) {
			uint8_t *mark = mark_of(s, i);

			if (*mark & SEGMENT_SACKED)
				continue;
			if ((*mark & (SEGMENT_LOST | SEGMENT_RESENT)) == SEGMENT_LOST)
				s->lost--;
			*mark = SEGMENT_SACKED;
			s->sacked++;
			arrived++;
		}
		if (segment_before(s->highest_sacked, end))
			s->highest_sacked = end;
	}
	s->gone = s->sacked + s->lost;
	return arrived;
}

uint32_t scoreboard_detect(struct sender *s)
{
	if (s->sacked < DUP_THRESHOLD)
		return 0;

	uint32_t edge = s->highest_sacked, seen = 0, found = 0;

	while (seen < DUP_THRESHOLD)
		if (*mark_of(s, --edge) & SEGMENT_SACKED)
			seen++;
	for (uint32_t i = s->lost_edge; segment_before(i, edge); i++) {
		uint8_t *mark = mark_of(s, i);

		if (*mark == 0) {
			*mark = SEGMENT_LOST;
			s->lost++;
			found++;
		}
	}
	if (segment_before(s->lost_edge, edge))
		s->lost_edge = edge;
	s->gone += found;
	return found;
}

void scoreboard_lose_all(struct sender *s)
{
	ensure_marks(s);
	s->lost = 0;
	for (uint32_t i = s->una; i != s->next; i++) {
		uint8_t *mark = mark_of(s, i);

		if (*mark & SEGMENT_SACKED)
			continue;
		*mark = SEGMENT_LOST;
		s->lost++;
	}
	s->gone = s->sacked + s->lost;
	s->lost_edge = s->next;
	s->resend_from = s->una;
}

uint32_t scoreboard_first_lost(const struct sender *s)
{
	uint32_t segment = s->resend_from;

	while ((*mark_of(s, segment) & (SEGMENT_LOST | SEGMENT_RESENT)) != SEGMENT_LOST)
		segment++;
	assert(segment_before(segment, s->next));
	return segment;
}

uint32_t scoreboard_resend(struct sender *s)
{
	uint32_t segment = scoreboard_first_lost(s);

	*mark_of(s, segment) |= SEGMENT_RESENT;
	s->lost--;
	s->gone--;
	s->resend_from = segment + 1;
	return segment;
}

void scoreboard_extend(struct sender *s)
{
	ensure_marks(s);
}

void scoreboard_tidy(struct sender *s)
{
	if (s->marks && s->sacked == 0 && s->lost == 0 && s->state == SENDER_OPEN)
		scoreboard_free(s);
}

void scoreboard_free(struct sender *s)
{
	free(s->marks);
	s->marks = NULL;
	s->marks_mask = 0;
}
