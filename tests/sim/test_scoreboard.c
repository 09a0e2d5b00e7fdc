/* SPDX-License-Identifier: BSD-3-Clause */
/* test_scoreboard.c -- what both ends of a connection know of segments out of order, against a
 * plain reference that looks at one segment after the other.
 *
 * Segments travel through a network that loses some, lets some overtake others and now and then
 * loses all; so do ACKs. The two ends as they are and their references see the same, and must say
 * the same: every SACK block, every count, every segment to send again, be losses found by three
 * segments above them or by time. */
#include "sim/core/host.h"
#include "tests/test.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

enum { SEGMENTS = 6000, DUP_THRESHOLD = 3 };

/* --- the reference --- */

enum mark { NOTHING, SACKED, LOST, RESENT };

/* Numbers count from 0; [una, next) is in flight. */
struct plain {
	enum mark marks[SEGMENTS];
	uint32_t una, next;
	uint8_t arrived[SEGMENTS];
	uint32_t expected;                          /* by the receiver */
	uint32_t recent[SACK_BLOCKS], recent_count; /* that came out of order, the newest first */
	/* By time: when each segment was sent last; and what RFC 8985 has RACK remember. */
	int64_t sent_ps[SEGMENTS];
	int64_t newest_ps, rtt_ps, min_rtt_ps, late_ps;
	int is_reordered;
};

static uint32_t plain_count(const struct plain *p, enum mark mark)
{
	uint32_t count = 0;

	for (uint32_t i = p->una; i < p->next; i++)
		count += p->marks[i] == mark;
	return count;
}

static uint32_t plain_ack(struct plain *p, uint32_t segment)
{
	uint32_t arrived = 0;

	for (; p->una < segment; p->una++)
		arrived += p->marks[p->una] != SACKED;
	return arrived;
}

static uint32_t plain_sack(struct plain *p, const struct segment *ack)
{
	uint32_t arrived = 0;

	for (uint32_t b = 0; b < SACK_BLOCKS; b++)
		for (uint32_t i = 0; i < ack->sack[b].count; i++) {
			uint32_t segment = ack->number + ack->sack[b].offset + i;

			if (segment < p->una || p->marks[segment] == SACKED)
				continue;
			p->marks[segment] = SACKED;
			arrived++;
		}
	return arrived;
}

/* Lost once three above it have arrived, unless it was sent again. */
static uint32_t plain_detect(struct plain *p)
{
	uint32_t above = 0, found = 0;

	for (uint32_t i = p->next; i-- > p->una;) {
		if (p->marks[i] == NOTHING && above >= DUP_THRESHOLD) {
			p->marks[i] = LOST;
			found++;
		}
		above += p->marks[i] == SACKED;
	}
	return found;
}

/* An ACK of a packet that was sent then. */
static void plain_learn(struct plain *p, int64_t now_ps, int64_t sent_ps)
{
	int64_t rtt_ps = now_ps - sent_ps;

	if (p->min_rtt_ps < 0 || rtt_ps < p->min_rtt_ps)
		p->min_rtt_ps = rtt_ps;
	if (sent_ps > p->newest_ps) {
		p->newest_ps = sent_ps;
		p->rtt_ps = rtt_ps;
	} else if (sent_ps < p->newest_ps) {
		p->is_reordered = 1;
		if (rtt_ps - p->rtt_ps > p->late_ps)
			p->late_ps = rtt_ps - p->rtt_ps;
	}
}

/* Lost once a later one has arrived and its time is over, whether or not it was sent again. */
static uint32_t plain_detect_by_time(struct plain *p, int64_t now_ps, int in_recovery)
{
	int64_t window_ps = p->min_rtt_ps / 4;
	uint32_t found = 0;

	if (window_ps < 2 * p->late_ps)
		window_ps = 2 * p->late_ps;
	if (!p->is_reordered && (in_recovery || plain_count(p, SACKED) >= DUP_THRESHOLD))
		window_ps = 0;
	for (uint32_t i = p->una; i < p->next; i++) {
		int in_flight = p->marks[i] == NOTHING || p->marks[i] == RESENT;

		if (in_flight && p->sent_ps[i] < p->newest_ps &&
		    p->sent_ps[i] + p->rtt_ps + window_ps <= now_ps) {
			p->marks[i] = LOST;
			found++;
		}
	}
	return found;
}

static uint32_t plain_first_lost(const struct plain *p)
{
	uint32_t i = p->una;

	while (p->marks[i] != LOST)
		i++;
	return i;
}

/* A segment arrives. */
static void plain_receive(struct plain *p, uint32_t segment)
{
	if (segment > p->expected) {
		memmove(p->recent + 1, p->recent, (SACK_BLOCKS - 1) * sizeof(p->recent[0]));
		p->recent[0] = segment;
		if (p->recent_count < SACK_BLOCKS)
			p->recent_count++;
	}
	p->arrived[segment] = 1;
	while (p->expected < SEGMENTS && p->arrived[p->expected])
		p->expected++;
}

static struct segment plain_report(const struct plain *p)
{
	struct segment ack = { .number = p->expected };
	uint32_t blocks = 0;

	for (uint32_t i = 0; i < p->recent_count; i++) {
		uint32_t first = p->recent[i], end = first, seen = first < p->expected;

		while (first > 0 && p->arrived[first - 1])
			first--;
		while (end < SEGMENTS && p->arrived[end])
			end++;
		for (uint32_t b = 0; b < blocks; b++)
			seen |= ack.sack[b].offset == first - p->expected;
		if (!seen)
			ack.sack[blocks++] = (struct sack_block){ (uint16_t)(first - p->expected),
								  (uint16_t)(end - first) };
	}
	return ack;
}

/* --- both together --- */

struct bench {
	struct transport t;
	struct engine e;
	struct host h;
	struct worker w;
	struct sender s;
	struct receiver r;
	struct plain plain;
	struct weir_rng rng;
	uint32_t window, lose_per_mille, overtake_per_mille;
	int by_time;
	/* Under way. */
	struct {
		uint32_t segment;
		int64_t sent_ps;
	} data[SEGMENTS];
	uint32_t data_count;
	struct segment acks[SEGMENTS];
	uint32_t ack_count;
	uint64_t resent, timeouts;
};

static int chance(struct bench *b, uint32_t per_mille)
{
	return weir_rng_below(&b->rng, 1000) < per_mille;
}

static void check_sender(const struct bench *b)
{
	CHECK_INT(b->s.una, b->plain.una);
	CHECK_INT(b->s.sacked, plain_count(&b->plain, SACKED));
	CHECK_INT(b->s.lost, plain_count(&b->plain, LOST));
	CHECK_INT(b->s.left_out, b->s.sacked + b->s.lost);
	if (b->s.lost)
		CHECK_INT(scoreboard_first_lost(&b->s), plain_first_lost(&b->plain));
}

static void put(struct bench *b, uint32_t segment)
{
	int64_t now_ps = ++b->h.now_ps;

	b->plain.sent_ps[segment] = now_ps;
	if (b->by_time)
		rack_sent(&b->e, &b->h, &b->s, segment, now_ps);
	if (b->data_count == SEGMENTS || chance(b, b->lose_per_mille))
		return;
	b->data[b->data_count].segment = segment;
	b->data[b->data_count++].sent_ps = now_ps;
}

/* Sends what is lost again, or what is next, while the window has room. */
static void send_some(struct bench *b)
{
	uint32_t room = (uint32_t)weir_rng_below(&b->rng, b->window);

	for (; room && sender_in_flight(&b->s) < b->window; room--) {
		if (b->s.lost) {
			uint32_t segment = plain_first_lost(&b->plain);

			CHECK_INT(scoreboard_retransmit(&b->s), segment);
			b->plain.marks[segment] = RESENT;
			b->resent++;
			put(b, segment);
		} else if (b->s.next < SEGMENTS) {
			if (b->s.board)
				scoreboard_extend(&b->w, &b->s);
			b->s.next++;
			put(b, b->plain.next++);
		} else {
			return;
		}
	}
}

/* One of those under way, mostly the oldest. */
static uint32_t pick(struct bench *b, uint32_t count)
{
	return chance(b, b->overtake_per_mille) ? (uint32_t)weir_rng_below(&b->rng, count) : 0;
}

static void receive_one(struct bench *b)
{
	uint32_t at = pick(b, b->data_count), segment = b->data[at].segment;
	struct segment ack, expected;
	int64_t sent_ps = b->data[at].sent_ps;

	b->h.now_ps++;
	memmove(b->data + at, b->data + at + 1, (--b->data_count - at) * sizeof(b->data[0]));
	if (segment == b->r.next) {
		b->r.next++;
		if (b->r.highest < b->r.next)
			b->r.highest = b->r.next;
		if (b->r.arrived_count)
			arrivals_close_gap(&b->w, &b->r);
	} else if (segment > b->r.next) {
		CHECK_INT(arrivals_add(&b->w, &b->r, segment), !b->plain.arrived[segment]);
	}
	plain_receive(&b->plain, segment);
	if (!b->r.arrived_count)
		b->plain.recent_count = 0;
	ack = (struct segment){ .number = b->r.next, .sent_ps = sent_ps };
	if (b->r.arrived_count)
		arrivals_report(&b->r, &ack);
	expected = plain_report(&b->plain);
	CHECK_INT(ack.number, expected.number);
	CHECK_INT(memcmp(ack.sack, expected.sack, sizeof(ack.sack)), 0);
	if (!chance(b, b->lose_per_mille) && b->ack_count < SEGMENTS)
		b->acks[b->ack_count++] = ack;
}

static void hear_one(struct bench *b)
{
	uint32_t at = pick(b, b->ack_count);
	struct segment ack = b->acks[at];

	b->h.now_ps++;
	memmove(b->acks + at, b->acks + at + 1, (--b->ack_count - at) * sizeof(b->acks[0]));
	if (segment_before(b->s.una, ack.number))
		CHECK_INT(scoreboard_ack(&b->s, ack.number), plain_ack(&b->plain, ack.number));
	if (ack.sack[0].count)
		CHECK_INT(scoreboard_sack(&b->w, &b->s, &ack), plain_sack(&b->plain, &ack));
	if (b->s.state == SENDER_LOSS && b->s.una >= b->s.recover)
		b->s.state = SENDER_OPEN;
	if (b->by_time) {
		rack_on_ack(&b->h, &b->s, &ack);
		plain_learn(&b->plain, b->h.now_ps, ack.sent_ps);
		CHECK_INT(rack_detect(&b->h, &b->s),
			  plain_detect_by_time(&b->plain, b->h.now_ps, b->s.state == SENDER_LOSS));
	} else if (b->s.board) {
		CHECK_INT(scoreboard_detect(&b->s), plain_detect(&b->plain));
		scoreboard_close_if_clean(&b->w, &b->s);
	}
	check_sender(b);
}

static void time_out(struct bench *b)
{
	scoreboard_lose_all(&b->w, &b->s);
	b->s.state = SENDER_LOSS;
	b->s.recover = b->s.next;
	for (uint32_t i = b->s.una; i < b->s.next; i++)
		if (b->plain.marks[i] != SACKED)
			b->plain.marks[i] = LOST;
	b->timeouts++;
	check_sender(b);
}

/* Until every segment has arrived and the sender knows. */
static void run_bench(struct bench *b)
{
	while (b->s.una < SEGMENTS) {
		send_some(b);
		for (uint64_t n = weir_rng_below(&b->rng, b->window); n && b->data_count; n--)
			receive_one(b);
		for (uint64_t n = weir_rng_below(&b->rng, b->window); n && b->ack_count; n--)
			hear_one(b);
		if (chance(b, 2) || (!b->data_count && !b->ack_count && b->s.una != b->s.next))
			time_out(b);
	}
	CHECK_INT(b->s.left_out, 0);
	scoreboard_free(&b->w, &b->s);
	arrivals_free(&b->w, &b->r);
	connection_rings_free(&b->w);
	heap_free(&b->h.timers);
}

/* Everything begins anew. The smoothed round trip, which limits RACK's window at first, is made to
 * be far above all others. */
static void bench_init(struct bench *b, uint64_t seed, int by_time)
{
	memset(b, 0, sizeof(*b));
	b->e.transports = &b->t;
	b->h.timer_ps = WEIR_TIME_NEVER_PS;
	b->w.engine = &b->e;
	b->s.state = SENDER_OPEN;
	b->s.srtt_ns = WEIR_NS_PER_S;
	b->plain.newest_ps = b->plain.min_rtt_ps = -1;
	b->rng = weir_rng_make(seed, 0, WEIR_RNG_TEST);
	b->by_time = by_time;
	connection_rings_init(&b->w);
	if (by_time)
		scoreboard_open_rack(&b->w, &b->s);
}

static struct bench bench;

static void check_all(int by_time)
{
	static const uint32_t windows[] = { 2, 9, 64, 65, 300, 2000 }, losses[] = { 0, 3, 50, 300 },
			      overtakings[] = { 0, 20, 500 };
	uint64_t resent = 0, timeouts = 0;

	for (uint32_t i = 0; i < 6 * 4 * 3; i++) {
		bench_init(&bench, i, by_time);
		bench.window = windows[i % 6];
		bench.lose_per_mille = losses[i / 6 % 4];
		bench.overtake_per_mille = overtakings[i / 24];
		printf("window %u, lost %u, overtaking %u per mille\n", bench.window,
		       bench.lose_per_mille, bench.overtake_per_mille);
		run_bench(&bench);
		resent += bench.resent;
		timeouts += bench.timeouts;
	}
	CHECK(resent > 10000);
	CHECK(timeouts > 100);
}

TEST(test_scoreboard_and_arrivals_agree_with_a_walk_over_all_segments)
{
	check_all(0);
}

TEST(test_losses_found_by_time_are_those_of_a_walk_over_all_segments)
{
	check_all(1);
}
