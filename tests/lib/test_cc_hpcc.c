/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_hpcc.c -- hpcc: Algorithm 1 by hand, what is known of a hop, where senders settle,
 * contract. */
#include "tests/rdma_fixture.h"

/* B = 100 Gb/s = 12.5 bytes/ns, T = 10 us, B T = 125000 bytes; ai = 100 Gb/s / 2500 = 40 Mb/s,
 * which is 50 bytes in T. */
enum { LINK = 7, LINE_MBPS = 100000, AI_BYTES = 50 };

static void one_hop(struct pair *q, uint32_t time_ns, uint32_t tx_bytes, uint32_t queue_bytes)
{
	q->ack.hop_count = 1;
	q->hops[0] = (struct weir_cc_hop){ .link = LINK,
					   .queue_bytes = queue_bytes,
					   .tx_bytes = tx_bytes,
					   .time_ns = time_ns,
					   .rate_mbps = LINE_MBPS };
}

TEST(test_hpcc_starts_at_line_rate_with_one_bandwidth_delay_product)
{
	struct pair q;

	pair_make(&q, "hpcc");
	CHECK_INT(q.ops->needs, WEIR_CC_NEEDS_INT);
	CHECK_INT(q.ops->echo, WEIR_CC_ECHO_NONE);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
	CHECK_INT(pace(&q)->wake_ns, 0);
	one_hop(&q, 0, 0, 0); /* the first ACK shows where the counters are, no more */
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	pair_make(&q, "hpcc(rtt=20us)");
	CHECK_INT(pace(&q)->window_bytes, 2 * PAIR_BDP);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
}

/* An ACK each 1 us, so each weighs tau / T = 0.1; the reference is 125000 all the time.
 *	2: 12500 bytes in 1 us, no queue:	u = 1,			U = 0.9 + 0.1 = 1
 *		W = 125000 / (1 / 0.95) + 50 = 118800, rate 118800 x 8 bits / 10 us = 95.04 Gb/s
 *	3: the same, queue 0 -> 6250, the lesser is 0: U = 1, W as before: not cut a second time
 *	4: queue 6250 -> 12500: u = 1 + 6250 / 125000 = 1.05, U = 0.9 + 0.105 = 1.005
 *		W = 125000 x 0.95 / 1.005 + 50 = 118159.2 + 50 */
TEST(test_hpcc_follows_a_trace_by_hand)
{
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 1000, 12500, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118800);
	CHECK_NEAR((double)pace(&q)->rate_bps, 95.04e9, 100);
	one_hop(&q, 2000, 25000, 6250);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118800);
	one_hop(&q, 3000, 37500, 12500);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118209);
}

/* The trace above: rates are the same, and nothing else holds it back. */
TEST(test_hpcc_without_a_window_has_the_same_rate)
{
	struct pair q;

	pair_make(&q, "hpcc(window=none)");
	CHECK(pace(&q)->window_bytes == WEIR_CC_NO_WINDOW);
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 1000, 12500, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK(pace(&q)->window_bytes == WEIR_CC_NO_WINDOW);
	CHECK_NEAR((double)pace(&q)->rate_bps, 95.04e9, 100);
}

/* react=round: the first ACK shows the counters, with PAIR_BDP under way; what comes before all
 * that is acknowledged is not looked at. Then 10 us have passed, tau = T, so U = u = 100000 /
 * 125000 = 0.8 over all of it, which maxStage 0 answers by a factor: W = 125000 x 0.95 / 0.8 + 50,
 * at most 125000. With 137500 bytes, that is 1.1 and W = 125000 x 0.95 / 1.1 + 50 = 108004.5. */
TEST(test_hpcc_may_react_once_a_round_trip)
{
	struct pair q;

	for (int fuller = 0; fuller < 2; fuller++) {
		pair_make(&q, "hpcc(react=round, max-stage=0)");
		one_hop(&q, 0, 0, 0);
		pair_acked(&q, PAIR_MSS);
		one_hop(&q, 1000, 12500, 100000);
		pair_acked(&q, PAIR_MSS);
		CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
		one_hop(&q, 10000, fuller ? 137500 : 100000, 0);
		pair_acked(&q, PAIR_BDP);
		CHECK_INT(pace(&q)->window_bytes, fuller ? 108005 : PAIR_BDP);
	}
}

/* The reference becomes the window of the first ACK for data sent after the last change: 118800 at
 * first. Then an ACK tau = T later, so U = u: 125000 bytes in 10 us and the queue 0 -> 25000: U =
 * 1, W = 118800 x 0.95 + 50 = 112910; and one with the queue 25000 -> 25000: U = 1.2, W = 118800 x
 * 0.95 / 1.2 + 50 = 94100. Neither ends the round trip; were the reference 112910 in the second, W
 * would be 89437. */
TEST(test_hpcc_changes_its_reference_once_a_round_trip)
{
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 0);
	pair_acked(&q, PAIR_BDP); /* to the last byte under way then: the same round trip */
	CHECK_INT(pace(&q)->window_bytes, 118800);
	one_hop(&q, 20000, 250000, 0);
	pair_acked(&q, PAIR_MSS); /* the first byte sent after it */
	CHECK_INT(pace(&q)->window_bytes, 118800);
	one_hop(&q, 30000, 375000, 25000);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 112910);
	one_hop(&q, 40000, 500000, 25000);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 94100);
}

/* A flow has W = 118800, 95.04 Gb/s, alone on its link, when another joins at 100 Gb/s: the queue
 * grows by 11880 bytes/us. ACK k, 1 us each, sees the lesser queue 11880 (k - 1):
 *	u = 1 + 0.09504 (k - 1),	U(k) = 0.9 U(k - 1) + 0.1 u,	U(0) = 1
 * which is U(k) = 1 + 0.09504 k - 0.9504 (1 - 0.9^k). After a round trip, k = 10:
 *	U = 1 + 0.9504 x 0.9^10 = 1.331384,	W = 118800 x 0.95 / 1.331384 + 50 = 84819
 * and the whole of the excess is answered when the stamps of one round trip are all of a queue of
 * 118800: U = 1.9504, W = 118800 x 0.95 / 1.9504 + 50 = 57915: half of what both have, and 5 %
 * less. */
TEST(test_hpcc_answers_a_join_within_a_round_trip_of_the_formula)
{
	uint32_t now_ns = 20000, sent = 250000;
	double kept = 1;
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 0);
	pair_round(&q); /* the reference is 118800 now */
	one_hop(&q, now_ns, sent, 0);
	pair_acked(&q, 0);
	for (uint32_t k = 1; k <= 10; k++) {
		kept *= 0.9;
		now_ns += 1000;
		sent += 12500;
		one_hop(&q, now_ns, sent, 11880 * k);
		pair_acked(&q, PAIR_MSS);
		CHECK_NEAR((double)pace(&q)->window_bytes,
			   112860 / (1 + 0.09504 * k - 0.9504 * (1 - kept)) + AI_BYTES, 1);
	}
	CHECK_INT(pace(&q)->window_bytes, 84819);
	one_hop(&q, now_ns + 10000, sent + 125000, 118800);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 57915);
}

/* A full update each round trip at U = 0.5: from 125000 x 0.95 / 2 + 50 = 59425 (U = 2) five times
 * 50 more, then by the factor: 59675 x 0.95 / 0.5 + 50 = 113432.5, and additively again. */
TEST(test_hpcc_adds_five_times_and_then_takes_what_is_free)
{
	uint32_t now_ns = 20000, sent = 250000;
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, 0, 0, 125000);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 125000);
	pair_round(&q);
	CHECK_INT(pace(&q)->window_bytes, 59425);
	one_hop(&q, now_ns, sent, 0);
	pair_acked(&q, 0); /* only counters: U = 1, W unimportant */
	for (int step = 1; step <= 5; step++) {
		one_hop(&q, now_ns += 10000, sent += 62500, 0);
		pair_round(&q);
		CHECK_INT(pace(&q)->window_bytes, 59425 + step * AI_BYTES);
	}
	one_hop(&q, now_ns += 10000, sent += 62500, 0);
	pair_round(&q);
	CHECK_NEAR(pace(&q)->window_bytes, 113432.5, 1);
	one_hop(&q, now_ns += 10000, sent += 62500, 0);
	pair_round(&q);
	CHECK_NEAR(pace(&q)->window_bytes, 113482.5, 1);
}

/* max-stage=0: 59425 x 0.95 / 0.5 + 50 = 112957.5 at once. */
TEST(test_hpcc_without_stages_takes_what_is_free_at_once)
{
	struct pair q;

	pair_make(&q, "hpcc(max-stage=0)");
	one_hop(&q, 0, 0, 125000);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 125000);
	pair_round(&q);
	CHECK_INT(pace(&q)->window_bytes, 59425);
	one_hop(&q, 20000, 187500, 0);
	pair_round(&q);
	CHECK_NEAR(pace(&q)->window_bytes, 112957.5, 1);
	one_hop(&q, 30000, 187500, 0); /* a link that sent nothing says nothing */
	pair_acked(&q, PAIR_MSS);
	CHECK_NEAR(pace(&q)->window_bytes, 112957.5, 1);
}

/* eta 0.5, ai 80 Mb/s = 100 bytes: 125000 x 0.5 + 100. */
TEST(test_hpcc_options_are_those_of_the_formula)
{
	struct pair q;

	pair_make(&q, "hpcc(eta=0.5, ai=80Mbps)");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 10000, 125000, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 62600);
}

/* --- what is known of a hop --- */

/* A pair with two hops in which T passes: hop 0 sends 125000 bytes at 400 Gb/s, u = 0.25 + 0.1 of a
 * queue of 50000; hop 1 sends sent_bytes at 100 Gb/s. */
static void two_hops(struct pair *q, uint32_t rounds, uint32_t sent_bytes)
{
	q->ack.hop_count = 2;
	q->hops[0] = (struct weir_cc_hop){ .link = 1,
					   .queue_bytes = 50000,
					   .tx_bytes = rounds * 125000,
					   .time_ns = rounds * 10000,
					   .rate_mbps = 400000 };
	q->hops[1] = (struct weir_cc_hop){ .link = 2,
					   .tx_bytes = rounds * sent_bytes,
					   .time_ns = rounds * 10000,
					   .rate_mbps = 100000 };
}

/* U = max(0.35, 0.3) with max-stage=0 and eta 0.3: W = 125000 x 0.3 / 0.35 + 50 = 107192.9; then
 * hop 1 is the fuller with 0.4: 125000 x 0.3 / 0.4 + 50 = 93800. */
TEST(test_hpcc_goes_by_the_fullest_link)
{
	struct pair q;

	for (int fuller = 0; fuller < 2; fuller++) {
		uint32_t sent_bytes = fuller ? 50000 : 37500;

		pair_make(&q, "hpcc(eta=0.3, max-stage=0)");
		two_hops(&q, 0, sent_bytes);
		pair_acked(&q, PAIR_MSS);
		two_hops(&q, 1, sent_bytes);
		pair_acked(&q, PAIR_MSS);
		CHECK_INT(pace(&q)->window_bytes, fuller ? 93800 : 107193);
	}
}

/* Hop 1 becomes another port, whose counters mean nothing beside the old ones: hop 0 alone decides
 * (107193), and one ACK later the new port counts, too. */
TEST(test_hpcc_begins_a_hop_anew_when_its_link_changes)
{
	struct pair q;

	pair_make(&q, "hpcc(eta=0.3, max-stage=0)");
	two_hops(&q, 0, 50000);
	pair_acked(&q, PAIR_MSS);
	two_hops(&q, 1, 50000);
	q.hops[1].link = 3;
	q.hops[1].tx_bytes = 4000000000;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 107193);
	two_hops(&q, 2, 50000);
	q.hops[1].link = 3;
	q.hops[1].tx_bytes = 4000050000;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 93800);
}

/* All links are others: nothing is measured, so nothing changes; nor does an ACK without
 * telemetry. */
TEST(test_hpcc_waits_where_nothing_can_be_compared)
{
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, 0, 0, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 1000, 12500, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118800);
	one_hop(&q, 2000, 12500, 1000000);
	q.hops[0].link = LINK + 1;
	pair_round(&q);
	CHECK_INT(pace(&q)->window_bytes, 118800);
	q.ack.hop_count = 0;
	pair_round(&q);
	CHECK_INT(pace(&q)->window_bytes, 118800);
	one_hop(&q, 3000, 25000, 1000000); /* no last hop now: begins anew */
	q.hops[0].link = LINK + 1;
	pair_round(&q);
	CHECK_INT(pace(&q)->window_bytes, 118800);
}

/* The same trace with counters about to wrap around gives the same window. */
TEST(test_hpcc_counters_may_wrap_around)
{
	uint32_t time_ns = 0xfffffe00, tx_bytes = 0xffffff00; /* 512 ns and 256 bytes before */
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, time_ns, tx_bytes, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, time_ns + 1000, tx_bytes + 12500, 6250);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118800);
	one_hop(&q, time_ns + 2000, tx_bytes + 25000, 12500);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118209);
}

/* tau = 2 T counts as T: U is the new u = 125000 / 125000 + 1 = 2, not -1 + 2 x 2, and W =
 * 59425. */
TEST(test_hpcc_weighs_nothing_more_than_a_round_trip)
{
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, 0, 0, 125000);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 20000, 250000, 125000);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 59425);
}

/* Also not those of a slow link, where 2^32 ns are few bytes, of a port without a rate, or of port
 * 0, which is not the port of before the first packet. */
TEST(test_hpcc_is_not_misled_by_odd_hops)
{
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, 5000, 1000, 0);
	q.hops[0].rate_mbps = 1000;
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 4000, 875, 0);
	q.hops[0].rate_mbps = 1000;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	one_hop(&q, 5000, 1000, 0);
	q.hops[0].rate_mbps = 0;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	pair_make(&q, "hpcc");
	one_hop(&q, 1000, 12500, 125000);
	q.hops[0].link = 0;
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
}

/* A packet that left earlier, or at the same time, says nothing; the next is compared with it. At
 * 100 Gb/s 2^32 bytes are 343.6 ms: after 343 ms the difference still means something (U = 0.5,
 * additive), after 344 ms it does not. */
TEST(test_hpcc_compares_only_what_can_be_compared)
{
	uint32_t half = 343000000 / 2 * 12 + 343000000 / 4; /* 343 ms at 50 Gb/s: 6.25 bytes/ns */
	struct pair q;

	pair_make(&q, "hpcc");
	one_hop(&q, 5000, 62500, 0);
	pair_acked(&q, PAIR_MSS);
	one_hop(&q, 4000, 50000, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	one_hop(&q, 4000, 51000, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	one_hop(&q, 5000, 63500, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118800);
	one_hop(&q, 5000 + 344000000, 0, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, 118800);
	one_hop(&q, 5000 + 344000000 + 343000000, half, 0);
	pair_acked(&q, PAIR_MSS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP); /* 125000 + 50, but not above line rate */
}

/* --- where senders settle --- */

/* One link, senders that hear of it once a round trip: what is above B T waits. */
struct pipe {
	double queue_bytes, sent_bytes;
	uint32_t rounds;
};

static double pipe_round(struct pipe *p, struct pair *senders, int count)
{
	double arrives = 0, leaves;

	for (int i = 0; i < count; i++)
		arrives += (double)pace(&senders[i])->rate_bps * 1e-9 * PAIR_RTT_NS / 8;
	leaves = p->queue_bytes + arrives < PAIR_BDP ? p->queue_bytes + arrives : PAIR_BDP;
	p->queue_bytes += arrives - leaves;
	p->sent_bytes += leaves;
	p->rounds++;
	for (int i = 0; i < count; i++) {
		one_hop(&senders[i], p->rounds * PAIR_RTT_NS, (uint32_t)(uint64_t)p->sent_bytes,
			(uint32_t)p->queue_bytes);
		pair_round(&senders[i]);
	}
	return leaves;
}

/* W = W eta / U + W_AI in each of N senders and U = N W / (B T): N W = eta B T + N W_AI. For N = 16
 * that is 0.95 x 125000 + 16 x 50 = 119550, 95.64 % of the link, and no queue. */
TEST(test_hpcc_senders_settle_at_eta_without_a_queue)
{
	static const int counts[] = { 1, 4, 16 };
	struct pair senders[16];

	for (size_t n = 0; n < sizeof(counts) / sizeof(counts[0]); n++) {
		struct pipe p = { 0, 0, 0 };
		double leaves = 0, most_bytes = 0;

		for (int i = 0; i < counts[n]; i++)
			pair_make(&senders[i], "hpcc");
		for (int round = 0; round < 100; round++) {
			leaves = pipe_round(&p, senders, counts[n]);
			if (p.queue_bytes > most_bytes)
				most_bytes = p.queue_bytes;
		}
		CHECK_NEAR(leaves, 0.95 * PAIR_BDP + counts[n] * AI_BYTES, 20);
		CHECK_NEAR(p.queue_bytes, 0, 0.5);
		CHECK(counts[n] == 1 || most_bytes > PAIR_BDP); /* all began at line rate */
	}
}

TEST(test_hpcc_never_answers_a_longer_queue_with_a_larger_window)
{
	uint64_t last = UINT64_MAX;

	for (uint32_t queue_bytes = 0; queue_bytes < 10 * PAIR_BDP; queue_bytes += 1000) {
		struct pair q;

		pair_make(&q, "hpcc");
		one_hop(&q, 0, 0, queue_bytes);
		pair_acked(&q, PAIR_MSS);
		one_hop(&q, 5000, 40000, queue_bytes);
		pair_acked(&q, PAIR_MSS);
		CHECK(pace(&q)->window_bytes <= last);
		last = pace(&q)->window_bytes;
	}
	CHECK(last < PAIR_BDP / 4);
}

/* 100 Mb/s in 10 us is 125 bytes: the rate goes down to its floor, the window to a packet. */
TEST(test_hpcc_keeps_a_packet_in_flight_at_the_lowest_rate)
{
	struct pair q;

	pair_make(&q, "hpcc");
	for (uint32_t i = 0; i < 50; i++) {
		one_hop(&q, i * 10000, i * 125000, 100 * PAIR_BDP);
		pair_round(&q);
	}
	CHECK(pace(&q)->rate_bps == PAIR_MIN_BPS);
	CHECK_INT(pace(&q)->window_bytes, PAIR_MSS);
}

TEST(test_hpcc_obeys_the_contract)
{
	pair_check_contract("hpcc");
	pair_check_contract("hpcc(max-stage=0)");
	pair_check_extremes("hpcc");
}
