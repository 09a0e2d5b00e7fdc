/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_dctcp_rdma.c -- DCTCP for queue pairs by hand, and both DCTCPs beside the kernel's. */
#include "tests/pair.h"

/* --- dctcp at the granularity of RDMA --- */

/* By hand, 100 Gb/s and 8 us: 100 packets fit. The first ACK opens the first observed window, 100
 * packets in flight after it. The second is marked: alpha 1 leaves 50 packets, 50 Gb/s, until what
 * was sent before, 102 packets, and one more are acknowledged. */
TEST(test_dctcp_rdma_follows_a_trace_by_hand)
{
	struct pair q;

	pair_make(&q, "dctcp-rdma", 100 * GBPS);
	CHECK_INT(pace(&q)->window_bytes, 100000);
	CHECK(pace(&q)->rate_bps == 100 * GBPS);
	q.ack.next_bytes = 101 * MTU;
	acked(&q, 1, 0);
	q.ack.next_bytes = 102 * MTU;
	acked(&q, 1, 1);
	CHECK_INT(pace(&q)->window_bytes, 50000);
	CHECK(pace(&q)->rate_bps == 50 * GBPS);
	acked(&q, 20, 1); /* the cut is being carried out */
	CHECK_INT(pace(&q)->window_bytes, 50000);
	q.ack.next_bytes = 150 * MTU;
	acked(&q, 79, 0);
	/* That was the window: 101 packets, 21 marked; alpha = 15/16 + 21/101/16 = 0.950495. No
	 * growth: nothing that was sent after the cut is acknowledged yet. The next window ends at
	 * 150. */
	CHECK_INT(pace(&q)->window_bytes, 50000);
	acked(&q, 1, 0);
	acked(&q, 47, 0);
	CHECK_INT(pace(&q)->window_bytes, 50000);
	q.ack.next_bytes = 200 * MTU;
	acked(&q, 1, 0);
	CHECK_INT(pace(&q)->window_bytes, 51000); /* a segment more: 51 Gb/s */
	CHECK(pace(&q)->rate_bps == 51 * GBPS);
	/* alpha = 15/16 x 0.950495 = 0.891089; a mark leaves 51000 (1 - 0.445545) = 28277.2 */
	acked(&q, 1, 1);
	CHECK_NEAR(pace(&q)->window_bytes, 51000 * (1 - 15. / 16 * (15. / 16 + 21. / 101 / 16) / 2),
		   1);
	CHECK_NEAR((double)pace(&q)->rate_bps, (double)pace(&q)->window_bytes / 100000 * 100e9, 1);
}

/* The trace above up to its growth: 3 Gb/s x 8 us = 3000 bytes in place of a segment. */
TEST(test_dctcp_rdma_may_grow_by_a_rate)
{
	struct pair q;

	pair_make(&q, "dctcp-rdma(ai=3Gbps)", 100 * GBPS);
	q.ack.next_bytes = 101 * MTU;
	acked(&q, 1, 0);
	q.ack.next_bytes = 102 * MTU;
	acked(&q, 1, 1);
	CHECK_INT(pace(&q)->window_bytes, 50000);
	q.ack.next_bytes = 150 * MTU;
	acked(&q, 99, 0);
	q.ack.next_bytes = 200 * MTU;
	acked(&q, 49, 0);
	CHECK_INT(pace(&q)->window_bytes, 53000);
	CHECK(pace(&q)->rate_bps == 53 * GBPS);
}

TEST(test_dctcp_rdma_stays_between_min_rate_and_line_rate)
{
	struct pair q;

	pair_make(&q, "dctcp-rdma", 100 * GBPS);
	for (int i = 0; i < 100; i++) {
		q.ack.next_bytes = q.ack.una_bytes + 2 * MTU;
		acked(&q, 2, 0);
	}
	CHECK(pace(&q)->rate_bps == 100 * GBPS);
	for (int i = 0; i < 1000; i++) {
		q.ack.next_bytes = q.ack.una_bytes + 2 * MTU;
		acked(&q, 2, 1);
	}
	CHECK_INT(pace(&q)->rate_bps, 100 * MBPS);
	CHECK_INT(pace(&q)->window_bytes, MTU); /* not the 100 B that the rate fills */
}

/* --- beside the kernel's arithmetic --- */

/* Linux, net/ipv4/tcp_dctcp.c: alpha in 1/1024, g = 2^-4; each window alpha loses a 16th of itself,
 * or all of it below 16, and gains 64 marked / delivered, both rounded down; a cut takes window *
 * alpha / 2048 segments, rounded down, and leaves two. */
static uint32_t kernel_alpha(uint32_t alpha, uint32_t delivered, uint32_t marked)
{
	uint32_t lost = alpha / 16 ? alpha / 16 : alpha;

	alpha = alpha - lost + marked * 64 / delivered;
	return alpha < 1024 ? alpha : 1024;
}

static uint32_t kernel_cut(uint32_t segments, uint32_t alpha)
{
	uint32_t left = segments - segments * alpha / 2048;

	return left > 2 ? left : 2;
}

struct kernel_window {
	uint32_t delivered, marked, alpha, cut_of_100;
};

/* What ours may differ by while the kernel's is 16 or more: each of its two roundings is less than
 * a 1024th, in opposite directions, so that an update is off by less than one; fading by 15/16, the
 * sum stays below 16. */
static const double alpha_bound = 16. / 1024;

/* By hand, from alpha 1 or 1024:	ours		kernel
 *	1 of 1 without mark		0.9375		1024 - 64 = 960
 *	4 of 10 marked			0.903906	960 - 60 + 25 = 925
 *	20 of 20			0.909912	925 - 57 + 64 = 932
 *	0 of 16				0.853043	932 - 58 = 874
 *	1 of 30				0.801811	874 - 54 + 2 = 822
 *	3 of 7				0.778483	822 - 51 + 27 = 798
 * and 100 segments are cut to
 *	100 - 46, 45, 45, 42, 40, 38 by the kernel; (1 - alpha / 2) 100 by ours. */
static const struct kernel_window tcp_trace[] = {
	{ 1, 0, 960, 54 },  { 10, 4, 925, 55 }, { 20, 20, 932, 55 },
	{ 16, 0, 874, 58 }, { 30, 1, 822, 60 }, { 7, 3, 798, 62 },
};

struct tcp_sender {
	const struct weir_cc_ops *ops;
	struct weir_cc_env env;
	struct weir_cc_ack ack;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	_Alignas(8) unsigned char state[WEIR_CC_STATE_MAX];
};

static void tcp_make(struct tcp_sender *s)
{
	struct weir_error e;

	CHECK_INT(weir_cc_parse("dctcp", &s->ops, s->params, &e), 0);
	memset(s->state, 0, sizeof(s->state));
	s->env = (struct weir_cc_env){ .mss_bytes = MTU, .initial_window_bytes = 100 * MTU };
	s->ack = (struct weir_cc_ack){ .may_grow = 0 };
	s->ops->init(s->state, s->params, &s->env);
}

/* A window of data, the marked segments first; with its last ACK the next window is sent. */
static void tcp_window(struct tcp_sender *s, const struct kernel_window *w, uint32_t next_segments)
{
	s->ack.next_bytes = s->ack.una_bytes + (uint64_t)w->delivered * MTU;
	for (uint32_t i = 0; i < w->delivered; i++) {
		s->ack.acked_bytes = MTU;
		s->ack.una_bytes += MTU;
		s->ack.echo = i < w->marked;
		if (i + 1 == w->delivered)
			s->ack.next_bytes += (uint64_t)next_segments * MTU;
		s->ops->ack(s->state, s->params, &s->env, &s->ack);
	}
}

/* The window after a cut. */
static double tcp_cut(const struct tcp_sender *s, uint64_t window_bytes)
{
	struct tcp_sender probe = *s;
	struct weir_cc_window *w = (struct weir_cc_window *)(void *)probe.state;

	w->window_bytes = window_bytes;
	probe.ops->congestion(probe.state, probe.params, &probe.env, WEIR_CC_ECN, &probe.ack);
	return (double)w->window_bytes;
}

static double tcp_alpha(const struct tcp_sender *s)
{
	return 2 * (1 - tcp_cut(s, UINT64_C(1) << 40) * 0x1p-40);
}

TEST(test_dctcp_follows_the_kernel_on_a_trace_by_hand)
{
	static const double ours[] = { 0.9375, 0.903906, 0.909912, 0.853043, 0.801811, 0.778483 };
	const uint32_t count = sizeof(tcp_trace) / sizeof(tcp_trace[0]);
	struct tcp_sender s;
	uint32_t alpha = 1024;

	tcp_make(&s);
	for (uint32_t i = 0; i < count; i++) {
		const struct kernel_window *w = &tcp_trace[i];
		double left;

		tcp_window(&s, w, i + 1 < count ? w[1].delivered : 1);
		alpha = kernel_alpha(alpha, w->delivered, w->marked);
		left = tcp_cut(&s, 100 * MTU) / MTU;
		printf("alpha %f, kernel %u = %f; cut to %g, kernel %u\n", tcp_alpha(&s), alpha,
		       alpha / 1024., left, w->cut_of_100);
		CHECK_INT(alpha, w->alpha);
		CHECK_INT(kernel_cut(100, alpha), w->cut_of_100);
		CHECK_NEAR(tcp_alpha(&s), ours[i], 1e-6);
		CHECK_NEAR(tcp_alpha(&s), alpha / 1024., 0.0015);
		/* The kernel's cut is rounded down to a segment: here it always leaves a little
		 * more. */
		CHECK(left < w->cut_of_100 && left > w->cut_of_100 - 1.);
	}
}

/* Windows with a tenth to all of their segments marked. */
TEST(test_dctcp_alpha_stays_within_a_64th_of_the_kernels)
{
	struct weir_rng random = weir_rng_make(1, 0, WEIR_RNG_TEST);
	struct kernel_window w = { 1, 0, 0, 0 };
	uint32_t alpha = 1024, lowest = 1024;
	struct tcp_sender s;
	double worst = 0;

	tcp_make(&s);
	for (int i = 0; i < 20000; i++) {
		uint32_t next = 10 + (uint32_t)weir_rng_below(&random, 100);

		tcp_window(&s, &w, next);
		alpha = kernel_alpha(alpha, w.delivered, w.marked);
		lowest = alpha < lowest ? alpha : lowest;
		worst = fmax(worst, fabs(tcp_alpha(&s) - alpha / 1024.));
		w.delivered = next;
		w.marked = next / 10; /* for 100 windows, then as it comes */
		if (i / 100 % 2)
			w.marked += (uint32_t)weir_rng_below(&random, next - next / 10);
	}
	printf("alpha differs from the kernel's by %g at most; bound %g; kernel's lowest %u\n",
	       worst, alpha_bound, lowest);
	CHECK(lowest >= 16 && lowest < 200);
	CHECK(worst < alpha_bound);
	CHECK(worst > 2. / 1024); /* the two are not the same */
}

/* An alpha below 16 the kernel drops as a whole, window after window. 3 of 16 marked gain 64 x 3 /
 * 16 = 12, so that once there it stays at 12 / 1024 = 0.0117. RFC 8257 goes to 3/16, and so does
 * ours: 3/16 (1 - (15/16)^200), less than 1e-6 from it. */
TEST(test_dctcp_does_not_share_the_kernels_trap_of_small_alphas)
{
	static const struct kernel_window none = { 16, 0, 0, 0 }, some = { 16, 3, 0, 0 };
	uint32_t alpha = 1024;
	struct tcp_sender s;

	tcp_make(&s);
	for (int i = 0; i < 400; i++) {
		const struct kernel_window *w = i < 200 ? &none : &some;

		tcp_window(&s, w, w->delivered);
		alpha = kernel_alpha(alpha, w->delivered, w->marked);
		if (i >= 200)
			CHECK_INT(alpha, 12);
	}
	CHECK_NEAR(tcp_alpha(&s), 3. / 16, 1e-6);
}

/* The first observed window of a queue pair is whole, so alpha begins to fall later than TCP's:
 *	cut with alpha 1; then 4 of 10	0.9625		1024 - 64 + 25 = 985
 *	20 of 20			0.964844	985 - 61 + 64 = 988
 *	1 of 30				0.906624	988 - 61 + 2 = 929
 *	3 of 7				0.876746	929 - 58 + 27 = 898
 * A window's first ACK is marked, and cuts by what alpha was after the window before. */
TEST(test_dctcp_rdma_follows_the_kernel_on_a_trace_by_hand)
{
	static const struct kernel_window trace[] = {
		{ 10, 4, 985, 0 }, { 20, 20, 988, 0 }, { 30, 1, 929, 0 },
		{ 7, 3, 898, 0 },  { 2, 1, 0, 0 },
	};
	static const double ours[] = { 1, 0.9625, 0.964844, 0.906624, 0.876746 };
	uint32_t alpha = 1024;
	struct pair q;

	pair_make(&q, "dctcp-rdma", 100 * GBPS);
	q.env.bdp_bytes = UINT64_C(1) << 36; /* a window that shows alpha to ten digits */
	q.env.min_rate_bps = 1;
	pair_reset(&q);
	for (int i = 0; i < 5; i++) {
		uint64_t before = pace(&q)->window_bytes;
		double by;

		if (i == 0)
			q.ack.next_bytes = trace[0].delivered * MTU;
		acked(&q, 1, 1);
		by = 2 * (1 - (double)pace(&q)->window_bytes / (double)before);
		CHECK_NEAR(by, ours[i], 1e-6);
		CHECK_NEAR(by, alpha / 1024., 0.001);
		if (i == 4)
			break;
		alpha = kernel_alpha(alpha, trace[i].delivered, trace[i].marked);
		CHECK_INT(alpha, trace[i].alpha);
		for (uint32_t k = 1; k < trace[i].delivered; k++) {
			if (k + 1 == trace[i].delivered)
				q.ack.next_bytes += trace[i + 1].delivered * MTU;
			acked(&q, 1, k < trace[i].marked);
		}
	}
}
