/* SPDX-License-Identifier: BSD-3-Clause */
/* rack.c -- RACK-TLP: loss detection by time, and tail-loss probes (RFC 8985, "The RACK-TLP Loss
 * Detection Algorithm for TCP").
 *
 * A segment is lost when one that was sent after it has arrived, and a round trip and a reordering
 * window have passed since it was sent. Packets may therefore overtake each other, as they do under
 * packet spraying, and a lost retransmission is detected like any other loss. A sender with RACK
 * always has a scoreboard, and the time at which each segment in flight was last sent.
 *
 * Differs: an ACK echoes when the packet that triggered it was sent, a retransmission or not. So
 * the latest segment that arrived (RACK.segment, section 6.2, step 2) needs no guess, nor does what
 * a probe has repaired (7.4), and the sender learns how late an overtaken packet was. The
 * reordering window is twice the largest such delay, where the RFC widens it step by step on D-SACK
 * and never beyond a round trip. An RTO declares everything lost, as without RACK. A probe that
 * would be due after the RTO is not sent. A window reduction that proves spurious is not undone.
 *
 * Under packet spraying reordering counts as seen from the start (Linux: bit 0x4 of
 * net.ipv4.tcp_recovery), and a transport may set the least reordering window itself
 * (rack_expect_reordering). Such a window may be far longer than the time between two ACKs, so most
 * ACKs find no loss: the segments in flight are searched only once the oldest of them is due. */
#include "base/bits.h"
#include "sim/core/sender.h"

enum { DUP_THRESHOLD = 3, PERSIST_RECOVERIES = 16 };

static int64_t *rack_sent_ps(struct rack *k, uint32_t segment)
{
	uint32_t segments = (uint32_t)WORD_BITS << k->words_log2;

	return &k->sent_ps[segment & (segments - 1)];
}

/* --- building --- */

struct rack *rack_grow(struct worker *w, const struct sender *s, struct rack *old,
		       uint32_t words_log2)
{
	struct rack *k = ring_alloc(&w->racks, words_log2);

	if (old) {
		*k = *old;
		k->words_log2 = words_log2;
		for (uint32_t i = s->una; i != s->next; i++)
			*rack_sent_ps(k, i) = *rack_sent_ps(old, i);
		rack_free(w, old);
		return k;
	}
	k->words_log2 = words_log2;
	k->newest_ps = -1;
	k->min_rtt_ps = k->reorder_ps = k->reorder_timer_ps = k->probe_timer_ps =
		WEIR_TIME_NEVER_PS;
	return k;
}

void rack_expect_reordering(struct sender *s, int64_t window_ps)
{
	s->board->rack->is_reordered = 1;
	s->board->rack->least_window_ps = window_ps;
}

void rack_free(struct worker *w, struct rack *k)
{
	ring_release(&w->racks, k, k->words_log2);
}

/* --- losses --- */

/* Section 6.2, steps 1 to 3. */
void rack_on_ack(struct host *h, struct sender *s, const struct segment *ack)
{
	struct rack *k = s->board->rack;
	int64_t rtt_ps = h->now_ps - ack->echo_ps;

	if (rtt_ps < k->min_rtt_ps)
		k->min_rtt_ps = rtt_ps;
	if (ack->echo_ps > k->newest_ps) {
		k->newest_ps = ack->echo_ps;
		k->rtt_ps = rtt_ps;
	} else if (ack->echo_ps < k->newest_ps) {
		k->is_reordered = 1;
		if (rtt_ps - k->rtt_ps > k->late_ps) {
			k->late_ps = rtt_ps - k->rtt_ps;
			k->recoveries_left = PERSIST_RECOVERIES;
		}
	}
}

/* late_ps expires after PERSIST_RECOVERIES recoveries without a later packet. */
void rack_recovered(struct sender *s)
{
	struct rack *k = s->board->rack;

	if (k->recoveries_left && --k->recoveries_left == 0)
		k->late_ps = 0;
}

/* Step 4: RACK_update_reo_wnd. Until a packet was seen to overtake another, three sacked segments
 * prove a loss, and the window is 0. */
static int64_t rack_window_ps(const struct sender *s)
{
	const struct rack *k = s->board->rack;
	int64_t window_ps = k->min_rtt_ps / 4, srtt_ps = weir_ns_to_ps(s->srtt_ns >> 3);

	if (!k->is_reordered &&
	    (s->state == SENDER_RECOVERY || s->state == SENDER_LOSS || s->sacked >= DUP_THRESHOLD))
		return 0;
	if (window_ps > srtt_ps)
		window_ps = srtt_ps;
	if (window_ps < k->least_window_ps)
		window_ps = k->least_window_ps;
	return window_ps > 2 * k->late_ps ? window_ps : 2 * k->late_ps;
}

/* Sets a host timer, unless the one at *timer_ps fires earlier. */
static void rack_set_timer(struct host *h, const struct sender *s, int64_t *timer_ps,
			   int64_t time_ps, enum timer_kind kind)
{
	if (time_ps >= *timer_ps)
		return;
	*timer_ps = time_ps;
	host_timer(h, time_ps, kind, s->connection);
}

struct rack_search {
	int64_t lost_until_ps; /* segments sent by then are lost */
	int64_t latest_ps;     /* latest send time of those that may become lost; -1: none */
	int64_t oldest_ps;     /* no segment still in flight was sent before it */
	uint32_t stops_early;  /* 1: oldest_ps is needed, latest_ps is not */
	uint32_t found;        /* segments newly lost */
};

/* Examines the segments in flight among 64, given as bits. Returns 0 where the search may end: no
 * segment further up was sent before the newest that arrived. */
static int rack_search_word(struct sender *s, uint32_t first, uint64_t in_flight,
			    struct rack_search *search)
{
	struct rack *k = s->board->rack;
	struct segment_marks *m = scoreboard_marks(s->board, first);

	for (; in_flight; in_flight &= in_flight - 1) {
		uint32_t segment = span_lowest(first, in_flight);
		int64_t sent_ps = *rack_sent_ps(k, segment);

		if (sent_ps < k->newest_ps && sent_ps <= search->lost_until_ps) {
			m->lost |= span_mask(segment, 1);
			if (segment_before(segment, s->board->retransmit_from))
				s->board->retransmit_from = segment;
			search->found++;
			continue;
		}
		if (sent_ps < search->oldest_ps)
			search->oldest_ps = sent_ps;
		if (sent_ps < k->newest_ps && sent_ps > search->latest_ps)
			search->latest_ps = sent_ps;
		/* Segments beyond it that were sent only once were sent later. */
		if ((sent_ps >= k->newest_ps || search->stops_early) &&
		    !segment_before(segment, k->retransmitted_end))
			return 0;
	}
	return 1;
}

static uint32_t rack_search_losses(struct sender *s, struct rack_search *search)
{
	for (uint32_t i = s->una, length; i != s->next; i += length) {
		const struct segment_marks *m = scoreboard_marks(s->board, i);

		length = span_length(i, s->next);
		if (!rack_search_word(s, i, span_mask(i, length) & ~(m->sacked | m->lost), search))
			break;
	}
	s->lost += search->found;
	s->left_out += search->found;
	return search->found;
}

/* Section 6.2, step 5. */
uint32_t rack_detect(struct host *h, struct sender *s)
{
	struct rack *k = s->board->rack;
	int64_t wait_ps = k->rtt_ps + rack_window_ps(s);
	struct rack_search search = {
		.lost_until_ps = h->now_ps - wait_ps,
		.latest_ps = -1,
		.oldest_ps = h->now_ps,
		.stops_early = k->least_window_ps != 0,
	};

	if (!search.stops_early) {
		rack_search_losses(s, &search);
		k->reorder_ps =
			search.latest_ps < 0 ? WEIR_TIME_NEVER_PS : search.latest_ps + wait_ps;
	} else {
		/* Segments sent after a search are younger than it, so the bound holds until the
		 * next one. */
		if (k->oldest_ps <= search.lost_until_ps) {
			rack_search_losses(s, &search);
			k->oldest_ps = search.oldest_ps;
		}
		k->reorder_ps =
			k->oldest_ps < k->newest_ps ? k->oldest_ps + wait_ps : WEIR_TIME_NEVER_PS;
	}
	rack_set_timer(h, s, &k->reorder_timer_ps, k->reorder_ps, TIMER_REORDER);
	return search.found;
}

int rack_reorder_is_due(struct host *h, struct sender *s)
{
	struct rack *k = s->board->rack;

	if (k->reorder_timer_ps != h->now_ps)
		return 0; /* superseded by an earlier timer */
	k->reorder_timer_ps = WEIR_TIME_NEVER_PS;
	if (k->reorder_ps <= h->now_ps)
		return 1;
	rack_set_timer(h, s, &k->reorder_timer_ps, k->reorder_ps, TIMER_REORDER);
	return 0;
}

/* --- tail loss probes, section 7 --- */

/* When a probe is due: two round trips after new data was sent or acknowledged;
 * WEIR_TIME_NEVER_PS: no probe. */
static int64_t rack_probe_due_ps(const struct engine *e, struct sender *s)
{
	const struct transport *t = sender_transport(e, s);
	struct rack *k = s->board->rack;
	int64_t last_ps, wait_ps = weir_ns_to_ps(2 * (s->srtt_ns >> 3));

	if (!t->tail_probe || k->probe != PROBE_NONE || s->una == s->next || !s->srtt_ns ||
	    s->left_out || (s->state != SENDER_OPEN && s->state != SENDER_CWR))
		return WEIR_TIME_NEVER_PS;
	last_ps = *rack_sent_ps(k, s->next - 1);
	if (last_ps < s->progress_ps)
		last_ps = s->progress_ps;
	/* The ACK of a single packet may be delayed. */
	if (s->next - s->una == 1 && t->acks_per > 1)
		wait_ps += (int64_t)e->config->host.ack_delay_ps;
	if (last_ps + wait_ps >= s->progress_ps + weir_ns_to_ps(sender_rto_ns(e, s)))
		return WEIR_TIME_NEVER_PS;
	return last_ps + wait_ps;
}

void rack_plan_probe(const struct engine *e, struct host *h, struct sender *s)
{
	rack_set_timer(h, s, &s->board->rack->probe_timer_ps, rack_probe_due_ps(e, s), TIMER_PROBE);
}

/* Section 7.3: probes with new data where there is any, else with the last segment. */
int rack_probe(const struct engine *e, struct host *h, struct sender *s)
{
	struct rack *k = s->board->rack;
	uint32_t last = s->next - 1;

	if (k->probe_timer_ps != h->now_ps)
		return 0;
	k->probe_timer_ps = WEIR_TIME_NEVER_PS;
	if (rack_probe_due_ps(e, s) > h->now_ps) {
		rack_plan_probe(e, h, s);
		return 0;
	}
	k->probe = s->next != s->end ? PROBE_NEW : PROBE_RETRANSMIT;
	k->probe_end = s->next + (k->probe == PROBE_NEW);
	k->probe_sent_ps = WEIR_TIME_NEVER_PS;
	if (k->probe == PROBE_RETRANSMIT) {
		scoreboard_marks(s->board, last)->lost |= span_mask(last, 1);
		s->lost++;
		s->left_out++;
		if (segment_before(last, s->board->retransmit_from))
			s->board->retransmit_from = last;
	}
	return 1;
}

/* Section 7.4: the probe repeated the last segment, and the ACK echoes the probe: the first
 * transmission was lost. */
int rack_probe_found_loss(struct sender *s, const struct segment *ack)
{
	struct rack *k = s->board->rack;
	int is_answer = k->probe == PROBE_RETRANSMIT && ack->echo_ps >= k->probe_sent_ps;

	if (k->probe == PROBE_NONE || segment_before(ack->expected, k->probe_end))
		return 0;
	k->probe = PROBE_NONE;
	return is_answer;
}

/* --- sending --- */

void rack_sent(const struct engine *e, struct host *h, struct sender *s, uint32_t segment,
	       int64_t start_ps)
{
	struct rack *k = s->board->rack;

	*rack_sent_ps(k, segment) = start_ps;
	if (k->probe == PROBE_RETRANSMIT && segment + 1 == k->probe_end)
		k->probe_sent_ps = start_ps;
	if (sender_transport(e, s)->tail_probe)
		rack_plan_probe(e, h, s);
}
