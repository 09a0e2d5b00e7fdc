/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_delay.c -- controls that go by round-trip times, timely and swift: their algorithms by
 * hand, where senders settle, contract. */
#include "tests/rdma_fixture.h"
#include <math.h>

/* A sample for the first packet of the next round trip. */
static void round_trip(struct pair *q, int64_t rtt_ns)
{
	q->ack.rtt_ns = rtt_ns;
	pair_round(q);
}

static double gbps(const struct pair *q)
{
	return (double)pace(q)->rate_bps * 1e-9;
}

/* --- timely: base round trip 10 us, delta 100 Gb/s / 1000 = 100 Mb/s --- */

TEST(test_timely_starts_at_line_rate_without_a_window)
{
	struct pair q;

	pair_make(&q, "timely");
	CHECK_INT(q.ops->needs, 0);
	CHECK_INT(q.ops->echo, WEIR_CC_ECHO_NONE);
	CHECK(q.ops->congestion == NULL);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
	CHECK(pace(&q)->window_bytes == WEIR_CC_NO_WINDOW);
	round_trip(&q, 400000); /* the first sample has nothing to be compared with */
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
}

/* alpha 0.875, beta 0.8, T_low 50 us, T_high 500 us.
 *	60 us	learnt
 *	62 us	difference 2 us, smoothed 1.75, gradient 0.175:	100 (1 - 0.14) = 86 Gb/s
 *	61 us	0.125 x 1.75 - 0.875 = -0.65625, falls:		86.1
 *	61 us	-0.082 still:					86.2
 *	625 us	above T_high: 86.2 (1 - 0.8 (1 - 500 / 625)) = 86.2 x 0.84 = 72.408
 *	40 us	below T_low, whatever the gradient:		72.508
 *	40 us	three times, then 49 us, a rise: the same	72.908 */
TEST(test_timely_follows_a_trace_by_hand)
{
	struct pair q;

	pair_make(&q, "timely");
	round_trip(&q, 60000);
	round_trip(&q, 62000);
	CHECK_NEAR(gbps(&q), 86, 1e-6);
	round_trip(&q, 61000);
	CHECK_NEAR(gbps(&q), 86.1, 1e-6);
	round_trip(&q, 61000);
	CHECK_NEAR(gbps(&q), 86.2, 1e-6);
	round_trip(&q, 625000);
	CHECK_NEAR(gbps(&q), 72.408, 1e-6);
	round_trip(&q, 40000);
	CHECK_NEAR(gbps(&q), 72.508, 1e-6);
	for (int i = 0; i < 3; i++) /* until the fall from 625 us is forgotten */
		round_trip(&q, 40000);
	round_trip(&q, 49000);
	CHECK_NEAR(gbps(&q), 72.908, 1e-6);
}

/* A rise still counts when the round trip falls a little after it. 60, 80 us: 17.5 us smoothed, a
 * gradient of 1.75, which takes everything with beta = 0.8. 79 us: 2.1875 - 0.875 = 1.3125 us,
 * gradient 0.13125: the rate falls although the round trip did. */
TEST(test_timely_smooths_the_gradient)
{
	struct pair q;

	pair_make(&q, "timely");
	round_trip(&q, 60000);
	round_trip(&q, 80000);
	CHECK(pace(&q)->rate_bps == PAIR_MIN_BPS);
	pair_make(&q, "timely(beta=0.4)");
	round_trip(&q, 60000);
	round_trip(&q, 80000); /* 1 - 0.4 x 1.75 = 0.3 */
	CHECK_NEAR(gbps(&q), 30, 1e-6);
	round_trip(&q, 79000); /* 1 - 0.4 x 0.13125 = 0.9475 */
	CHECK_NEAR(gbps(&q), 28.425, 1e-6);
}

TEST(test_timely_updates_once_a_round_trip)
{
	struct pair q;

	pair_make(&q, "timely");
	round_trip(&q, 60000);
	q.ack.rtt_ns = 70000;
	pair_acked(&q, PAIR_BDP); /* all that was under way, but nothing after it */
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
	q.ack.rtt_ns = 0;
	pair_acked(&q, PAIR_MSS); /* no sample */
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
	q.ack.rtt_ns = 62000;
	pair_acked(&q, PAIR_MSS);
	CHECK_NEAR(gbps(&q), 86, 1e-6);
}

/* The original: an update for each 16000 bytes. */
TEST(test_timely_may_update_once_a_segment)
{
	struct pair q;

	pair_make(&q, "timely(segment=16KB)");
	q.ack.rtt_ns = 60000;
	pair_acked(&q, 16 * PAIR_MSS);
	q.ack.rtt_ns = 62000;
	pair_acked(&q, 15 * PAIR_MSS);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
	pair_acked(&q, PAIR_MSS);
	CHECK_NEAR(gbps(&q), 86, 1e-6);
}

/* From the floor of 0.1 Gb/s: five times 0.1 more, then 0.5; a decrease starts the count again. */
TEST(test_timely_becomes_hyperactive_after_five_increases)
{
	struct pair q;

	pair_make(&q, "timely");
	round_trip(&q, 60000);
	round_trip(&q, 100000);
	CHECK_NEAR(gbps(&q), 0.1, 1e-9);
	for (int i = 1; i <= 5; i++) {
		round_trip(&q, 20000);
		CHECK_NEAR(gbps(&q), 0.1 + 0.1 * i, 1e-6);
	}
	round_trip(&q, 20000);
	CHECK_NEAR(gbps(&q), 1.1, 1e-6);
	round_trip(&q, 20000);
	CHECK_NEAR(gbps(&q), 1.6, 1e-6);
	round_trip(&q, 1000000); /* 1.6 (1 - 0.8 / 2) = 0.96 */
	CHECK_NEAR(gbps(&q), 0.96, 1e-6);
	round_trip(&q, 20000);
	CHECK_NEAR(gbps(&q), 1.06, 1e-6);
}

/* hai=gradient: below T_low it is delta and no more, however often; from T_low up five times that
 * once the gradient has not risen five times. */
TEST(test_timely_may_be_hyperactive_by_the_gradient_alone)
{
	struct pair q;

	pair_make(&q, "timely(hai=gradient)");
	round_trip(&q, 60000);
	round_trip(&q, 100000);
	for (int i = 1; i <= 20; i++) {
		round_trip(&q, 20000);
		CHECK_NEAR(gbps(&q), 0.1 + 0.1 * i, 1e-6);
	}
	round_trip(&q, 20000);
	round_trip(&q, 51000); /* it rises: by 31 us */
	for (int i = 1; i <= 12; i++)
		round_trip(&q, 51000); /* 31 us smoothed away by 8 each time, but positive: falls */
	CHECK_NEAR(gbps(&q), 0.1, 1e-9);
	round_trip(&q, 50500); /* from here on the gradient is negative */
	for (int i = 2; i <= 5; i++)
		round_trip(&q, 50500);
	CHECK_NEAR(gbps(&q), 0.6, 1e-6);
	round_trip(&q, 50500);
	CHECK_NEAR(gbps(&q), 1.1, 1e-6);
}

/* hai-delta: 0.1 Gb/s five times, then 0.7. */
TEST(test_timely_may_have_a_step_of_its_own_when_hyperactive)
{
	struct pair q;

	pair_make(&q, "timely(hai-delta=700Mbps)");
	round_trip(&q, 60000);
	round_trip(&q, 100000);
	for (int i = 0; i < 6; i++)
		round_trip(&q, 20000);
	CHECK_NEAR(gbps(&q), 0.1 + 5 * 0.1 + 0.7, 1e-6);
}

/* Round trips that do not rise count above T_high, too, although the rate falls there: 600 us five
 * times, then 400 us is hyperactive at once. Rate 100 (1 - 0.8 / 6)^5 = 48.8946, and 0.5 more. */
TEST(test_timely_counts_gradients_whatever_the_rate_does)
{
	struct pair q;

	pair_make(&q, "timely(hai=gradient, alpha=1)");
	for (int i = 0; i < 6; i++)
		round_trip(&q, 600000);
	CHECK_NEAR(gbps(&q), 48.8946, 0.001);
	round_trip(&q, 400000);
	CHECK_NEAR(gbps(&q), 49.3946, 0.001);
}

/* 86 Gb/s of 100: 0.86 x 125000. */
TEST(test_timely_may_have_a_window)
{
	struct pair q;

	pair_make(&q, "timely(window=bdp)");
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	round_trip(&q, 60000);
	round_trip(&q, 62000);
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	pair_make(&q, "timely(window=scaled)");
	CHECK_INT(pace(&q)->window_bytes, PAIR_BDP);
	round_trip(&q, 60000);
	round_trip(&q, 62000);
	CHECK_INT(pace(&q)->window_bytes, 107500);
	round_trip(&q, 300000);
	CHECK_INT(pace(&q)->window_bytes, PAIR_MSS); /* 125 bytes at the lowest rate */
}

/* rtt=20us halves the gradient, alpha=1 takes it as it is: 2 us / 20 us, 1 - 0.8 x 0.1. */
TEST(test_timely_options_are_those_of_the_formula)
{
	struct pair q;

	pair_make(&q, "timely(rtt=20us, alpha=1, delta=1Gbps, t-low=30us)");
	round_trip(&q, 40000);
	round_trip(&q, 42000);
	CHECK_NEAR(gbps(&q), 92, 1e-6);
	round_trip(&q, 29999);
	CHECK_NEAR(gbps(&q), 93, 1e-6);
}

TEST(test_timely_refuses_thresholds_that_contradict)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	const struct weir_cc_ops *ops;
	struct weir_error e = { "" };

	CHECK_INT(weir_cc_parse("timely(t-low=100us, t-high=99us)", &ops, params, &e), -1);
	CHECK_STR(e.text, "timely: t-low must not be above t-high");
	CHECK_INT(weir_cc_parse("timely(t-low=100us, t-high=100us)", &ops, params, &e), 0);
}

/* Up to T_high, where the rule changes. */
TEST(test_timely_never_answers_a_longer_round_trip_with_a_higher_rate)
{
	uint64_t last = UINT64_MAX;

	for (int64_t rtt_ns = 10000; rtt_ns <= 500000; rtt_ns += 500) {
		struct pair q;

		pair_make(&q, "timely(beta=0.05)");
		round_trip(&q, 100000);
		round_trip(&q, 110000);
		round_trip(&q, rtt_ns);
		CHECK(pace(&q)->rate_bps <= last);
		last = pace(&q)->rate_bps;
	}
	CHECK(last == PAIR_MIN_BPS);
}

/* --- swift: two hops, 25 + 2 x 3 = 31 us; a packet is 1050 bytes on the wire --- */

/* The line carries 125000 / 1050 = 119.05 packets in the base round trip and 387500 / 1050 = 369.05
 * in 31 us. */
#define SWIFT_START_PKTS (125000. / 1050)

static double swift_pkts(const struct pair *q)
{
	return (double)pace(q)->window_bytes / PAIR_MSS;
}

static void swift_sample(struct pair *q, int64_t now_ns, int64_t rtt_ns)
{
	q->ack.now_ns = now_ns;
	q->ack.rtt_ns = rtt_ns;
	pair_acked(q, PAIR_MSS);
}

TEST(test_swift_starts_at_line_rate_with_one_bandwidth_delay_product)
{
	struct pair q;

	pair_make(&q, "swift");
	CHECK_INT(q.ops->needs, 0);
	CHECK_INT(q.ops->echo, WEIR_CC_ECHO_NONE);
	CHECK_NEAR(swift_pkts(&q), SWIFT_START_PKTS, 0.001);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
}

/* 119.05 packets are above 100: flow scaling adds nothing.
 *	t = 0	30 us < 31: 119.0476 + 1 / 119.0476 = 119.0560
 *	t = 1	62 us: 1 - 0.8 x 31 / 62 = 0.6, 71.4336
 *	t = 62	62 us, one nanosecond less than a round trip later: nothing
 *	t = 63	62 us, target 31 + 32.6555 / sqrt(71.4336) - 3.26555 = 31.5982:
 *		1 - 0.8 x 30.4018 / 62 = 0.60772, 43.4115 */
TEST(test_swift_follows_a_trace_by_hand)
{
	struct pair q;

	pair_make(&q, "swift");
	swift_sample(&q, 0, 30000);
	CHECK_NEAR(swift_pkts(&q), 119.0560, 0.001);
	swift_sample(&q, 1000, 62000);
	CHECK_NEAR(swift_pkts(&q), 71.4336, 0.001);
	swift_sample(&q, 62999, 62000);
	CHECK_NEAR(swift_pkts(&q), 71.4336, 0.001);
	swift_sample(&q, 63000, 62000);
	CHECK_NEAR(swift_pkts(&q), 43.4115, 0.002);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS); /* the window holds it back, not the rate */
}

/* No cut is larger than max-cut: 1 - 0.8 x 969 / 1000 = 0.2248 is not above 0.5. */
TEST(test_swift_cuts_no_more_than_its_largest_cut)
{
	struct pair q;

	pair_make(&q, "swift");
	swift_sample(&q, 1000, 1000000);
	CHECK_NEAR(swift_pkts(&q), SWIFT_START_PKTS / 2, 0.001);
	pair_make(&q, "swift(max-cut=0.7)");
	swift_sample(&q, 1000, 1000000);
	CHECK_NEAR(swift_pkts(&q), SWIFT_START_PKTS * 0.3, 0.001);
}

/* A window of ACKs below target adds ai. */
TEST(test_swift_adds_ai_packets_in_a_round_trip)
{
	struct pair q;

	pair_make(&q, "swift(ai=4)");
	q.ack.rtt_ns = 30000;
	for (int i = 0; i < 119; i++)
		pair_acked(&q, PAIR_MSS);
	CHECK_NEAR(swift_pkts(&q), SWIFT_START_PKTS + 4, 0.1);
	for (int i = 0; i < 100000; i++)
		pair_acked(&q, PAIR_MSS);
	CHECK_NEAR(swift_pkts(&q), 387500. / 1050, 0.001); /* what the line carries in 31 us */
}

/* The target as a function of the window, seen by the least delay that is answered with a cut.
 * alpha = 100 us / (1 / sqrt(0.1) - 1 / sqrt(100)) = 100 / 3.062278 = 32.65543 us, beta = -3.265543
 * us.
 *	100 packets: 31 us	25: 31 + 6.531086 - 3.265543 = 34.265543
 *	0.25: 31 + 65.31086 - 3.265543 = 93.045317	0.1: 131	0.01: not above 131 */
static double least_cut_ns(double window_pkts)
{
	int64_t low_ns = 1, high_ns = 1000000; /* grows at low, is cut at high */

	while (high_ns - low_ns > 1) {
		int64_t rtt_ns = (low_ns + high_ns) / 2;
		char spec[64];
		struct pair q;
		uint64_t before;

		snprintf(spec, sizeof(spec), "swift(min-window=%.3f)", fmin(window_pkts, 1));
		pair_make(&q, spec);
		if (window_pkts < 1) {
			q.env.min_rate_bps = 0;
			for (int i = 0; i < 5; i++)
				pair_event(&q, WEIR_CC_TIMEOUT);
		} else { /* a round trip that the line fills with so many packets */
			q.env.base_rtt_ns = (int64_t)(window_pkts * 1050 / 12.5);
			pair_reset(&q);
		}
		before = pace(&q)->window_bytes + pace(&q)->rate_bps;
		q.ack.rtt_ns = rtt_ns;
		pair_acked(&q, PAIR_MSS);
		if (pace(&q)->window_bytes + pace(&q)->rate_bps > before ||
		    (window_pkts < 1 && pace(&q)->window_bytes > PAIR_MSS))
			low_ns = rtt_ns;
		else
			high_ns = rtt_ns;
	}
	return (double)high_ns;
}

TEST(test_swift_target_grows_with_hops_and_with_smaller_windows)
{
	CHECK_NEAR(least_cut_ns(100), 31000, 2);
	CHECK_NEAR(least_cut_ns(25), 34265.5, 2);
	CHECK_NEAR(least_cut_ns(0.25), 93045.3, 2);
	CHECK_NEAR(least_cut_ns(0.1), 131000, 2);
	CHECK_NEAR(least_cut_ns(0.01), 131000, 2);
}

/* Half a packet: one leaves each 2 round trips. 1050 bytes in 40 us are 210 Mb/s; one packet is the
 * window. An ACK below target adds ai, not ai / window: 1.5 packets, and the window holds it back
 * again. */
TEST(test_swift_paces_a_window_below_one_packet)
{
	struct pair q;

	pair_make(&q, "swift(min-window=0.5, reset-after=1)");
	swift_sample(&q, 1000, 20000);
	pair_event(&q, WEIR_CC_TIMEOUT);
	CHECK_INT(pace(&q)->window_bytes, PAIR_MSS);
	CHECK(pace(&q)->rate_bps == 210000000);
	swift_sample(&q, 41000, 20000);
	CHECK_INT(pace(&q)->window_bytes, 1500);
	CHECK(pace(&q)->rate_bps == PAIR_RATE_BPS);
}

/* 0.001 packets of 1050 bytes in 20 us would be 0.42 Mb/s: the floor is above. */
TEST(test_swift_rate_stays_above_the_floor)
{
	struct pair q;

	pair_make(&q, "swift(reset-after=1)");
	swift_sample(&q, 1000, 20000);
	pair_event(&q, WEIR_CC_TIMEOUT);
	CHECK(pace(&q)->rate_bps == PAIR_MIN_BPS);
	q.env.min_rate_bps = 0;
	pair_reset(&q);
	swift_sample(&q, 1000, 20000);
	pair_event(&q, WEIR_CC_TIMEOUT);
	CHECK_NEAR((double)pace(&q)->rate_bps, 420000, 1);
}

/* A loss takes half, once a round trip; so does a timeout, and the fifth in a row takes all,
 * whenever it comes. An ACK ends the row. */
TEST(test_swift_losses_halve_and_timeouts_in_a_row_reset)
{
	struct pair q;

	pair_make(&q, "swift");
	swift_sample(&q, 0, 20000);
	q.ack.now_ns = 1000;
	pair_event(&q, WEIR_CC_LOSS);
	CHECK_NEAR(swift_pkts(&q), 59.53, 0.01);
	pair_event(&q, WEIR_CC_LOSS);
	CHECK_NEAR(swift_pkts(&q), 59.53, 0.01);
	q.ack.now_ns = 21000;
	pair_event(&q, WEIR_CC_TIMEOUT);
	CHECK_NEAR(swift_pkts(&q), 29.76, 0.01);
	for (int i = 0; i < 3; i++)
		pair_event(&q, WEIR_CC_TIMEOUT);
	CHECK_NEAR(swift_pkts(&q), 29.76, 0.01);
	swift_sample(&q, 22000, 20000); /* the row ends: four more do not reset */
	for (int i = 0; i < 4; i++)
		pair_event(&q, WEIR_CC_TIMEOUT);
	CHECK_NEAR(swift_pkts(&q), 29.80, 0.01);
	pair_event(&q, WEIR_CC_TIMEOUT);
	CHECK_INT(pace(&q)->window_bytes, PAIR_MSS);
	CHECK(pace(&q)->rate_bps == PAIR_MIN_BPS);
	pair_make(&q, "swift(reset-after=1)");
	pair_event(&q, WEIR_CC_TIMEOUT);
	swift_sample(&q, 1000, 20000);
	CHECK_INT(pace(&q)->window_bytes, 1001);
	pair_event(&q, WEIR_CC_LOSS); /* a reset is a decrease: no cut for a round trip */
	CHECK_INT(pace(&q)->window_bytes, 1001);
}

/* The cut is 0.8 of the excess, so the same from any window, and never smaller for a longer
 * delay. */
TEST(test_swift_never_answers_a_longer_delay_with_a_larger_window)
{
	uint64_t last = UINT64_MAX;

	for (int64_t rtt_ns = 10000; rtt_ns <= 1000000; rtt_ns += 500) {
		struct pair q;

		pair_make(&q, "swift");
		swift_sample(&q, 2000000, rtt_ns);
		CHECK(pace(&q)->window_bytes <= last);
		last = pace(&q)->window_bytes;
	}
	CHECK_NEAR((double)last, SWIFT_START_PKTS / 2 * PAIR_MSS, 1);
}

/* --- where senders settle --- */

/* N senders on one link, each with a window of ACKs a round trip that all say the same: what the
 * windows hold and the link does not waits. Returns the mean delay after the first quarter. */
static double swift_mean_delay_ns(int count, int rounds)
{
	static struct pair senders[64];
	double sum_ns = 0;
	int64_t now_ns = 0;

	for (int i = 0; i < count; i++)
		pair_make(&senders[i], "swift");
	for (int round = 0; round < rounds; round++) {
		double flight = 0, delay_ns;

		for (int i = 0; i < count; i++)
			flight += swift_pkts(&senders[i]) * 1050;
		delay_ns = flight > PAIR_BDP ? flight / 12.5 : PAIR_RTT_NS;
		now_ns += (int64_t)delay_ns;
		for (int i = 0; i < count; i++) {
			senders[i].ack.now_ns = now_ns;
			senders[i].ack.rtt_ns = (int64_t)delay_ns;
			pair_acked(&senders[i], pace(&senders[i])->window_bytes);
		}
		if (round >= rounds / 4)
			sum_ns += delay_ns;
	}
	return sum_ns / (rounds - rounds / 4);
}

/* N windows w that together wait for the target: N w 1050 bytes / 12.5 bytes/ns = 31000 + 32655.43
 * / sqrt(w) - 3265.54. 4 senders: w = 92.64, 31.1 us; 16: 25.45, 34.2 us; 64: 7.393, 39.7 us. The
 * tooth of adding a packet a round trip and cutting 0.8 of the excess stays near it. */
TEST(test_swift_senders_hold_the_delay_at_the_target)
{
	static const struct {
		int count;
		double window_pkts;
	} cases[] = { { 4, 92.64 }, { 16, 25.45 }, { 64, 7.393 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double w = cases[i].window_pkts, target_ns = 31000 + 32655.43 / sqrt(w) - 3265.543;

		CHECK_NEAR(cases[i].count * w * 84 / target_ns, 1,
			   0.002); /* the numbers by hand are right */
		CHECK_NEAR(swift_mean_delay_ns(cases[i].count, 4000) / target_ns, 1, 0.05);
	}
}

TEST(test_controls_by_delay_obey_the_contract)
{
	pair_check_contract("timely");
	pair_check_contract("timely(window=scaled, segment=16KB, hai=gradient)");
	pair_check_extremes("timely");
	pair_check_contract("swift");
	pair_check_extremes("swift");
}
