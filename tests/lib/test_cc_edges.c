/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_edges.c -- controls exactly at the edges of what they compare. */
#include "tests/rdma_fixture.h"
#include "tests/tcp_fixture.h"

/* A round trip of 10 us in which so much of a 100 Gb/s link was used, with no queue. */
static void use_link(struct pair *q, double share)
{
	const struct weir_cc_hop before = q->hops[0];

	q->ack.hop_count = 1;
	q->hops[0] =
		(struct weir_cc_hop){ .link = 7,
				      .tx_bytes = before.tx_bytes + (uint32_t)(share * PAIR_BDP),
				      .time_ns = before.time_ns + PAIR_RTT_NS,
				      .rate_mbps = 100000 };
	pair_round(q);
}

/* Algorithm 1, line 9: U >= eta is answered by a factor, and counts no additive step. With
 * max-stage 1 the round after one at exactly eta may still grow additively: a quarter of the link
 * in use leaves the window, and its 50 bytes more, as they are. */
TEST(test_hpcc_at_exactly_eta_takes_no_additive_step)
{
	struct pair q;
	uint64_t before;

	pair_make(&q, "hpcc(eta=0.5, max-stage=1)");
	use_link(&q, 0); /* shows where the counters are */
	use_link(&q, 1); /* W = 125000 x 0.5 + 50 */
	CHECK_INT(pace(&q)->window_bytes, 62550);
	use_link(&q, 0.5);
	CHECK_INT(pace(&q)->window_bytes, 62600);
	before = pace(&q)->window_bytes;
	use_link(&q, 0.25);
	CHECK_INT(pace(&q)->window_bytes, before + 50);
}

/* RFC 9438, section 4.2: the target is at most one and a half windows. 8 s after a cut from 1000
 * segments to 700 the curve a round trip of 20 s ahead is at 0.4 (28 - 9.09)^3 + 1000 = 3708: an
 * ACK of a segment adds half a segment. */
TEST(test_cubic_target_is_at_most_one_and_a_half_windows)
{
	struct sender s;
	uint64_t before;

	sender_make(&s, "cubic");
	s.env.initial_window_bytes = 1000 * MSS;
	sender_reset(&s);
	event(&s, WEIR_CC_LOSS);
	CHECK_INT(window(&s)->window_bytes, 700 * MSS);
	s.ack.rtt_ns = 20 * (int64_t)WEIR_NS_PER_S;
	acked(&s, MSS, 0);
	before = window(&s)->window_bytes;
	s.ack.now_ns += 8 * (int64_t)WEIR_NS_PER_S;
	acked(&s, MSS, 0);
	CHECK_NEAR((double)(window(&s)->window_bytes - before), 0.5 * MSS, 2);
}
