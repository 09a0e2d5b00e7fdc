/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc_cubic.c -- CUBIC by hand: its curve, its cuts, how its slow start ends. */
#include "tests/tcp_fixture.h"

/* --- cubic: RFC 9438 --- */

/* Acknowledges window after window, so many bytes an ACK, for so many seconds. */
static void cubic_run_by(struct sender *s, double seconds, int64_t rtt_ns, uint64_t ack_bytes)
{
	int64_t end_ns = s->ack.now_ns + (int64_t)(seconds * WEIR_NS_PER_S);

	s->ack.rtt_ns = rtt_ns;
	while (s->ack.now_ns < end_ns) {
		s->ack.now_ns += rtt_ns / (int64_t)(window(s)->window_bytes / ack_bytes);
		acked(s, ack_bytes, 0);
	}
}

static void cubic_run(struct sender *s, double seconds, int64_t rtt_ns)
{
	cubic_run_by(s, seconds, rtt_ns, MSS);
}

static double segments_of(const struct sender *s)
{
	return (double)window(s)->window_bytes / MSS;
}

static void cubic_make(struct sender *s, const char *spec, uint64_t segments)
{
	sender_make(s, spec);
	s->env.initial_window_bytes = segments * MSS;
	sender_reset(s);
}

/* By hand: from 1000 segments a loss leaves 700; K = cbrt(300 / 0.4) = 9.0856 s. Then
 * W(t) = 0.4 (t - K)^3 + 1000: W(4) = 1000 - 0.4 * 131.54 = 947.4, W(K) = 1000,
 * W(14) = 1000 + 0.4 * 118.69 = 1047.5. (The target is the curve a round trip ahead, and the window
 * gets there in about a round trip.) */
TEST(test_cubic_follows_its_curve)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	CHECK_INT(s.ops->echo, WEIR_CC_ECHO_NONE);
	event(&s, WEIR_CC_LOSS);
	CHECK_INT(window(&s)->window_bytes, 700 * MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 700 * MSS);
	cubic_run(&s, 4, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 947.4, 1);
	cubic_run(&s, 5.0856, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 1000, 1);
	cubic_run(&s, 4.9144, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 1047.5, 1);
}

/* Near the middle of the curve an ACK of 100 B adds less than a byte: it must not be lost. */
TEST(test_cubic_keeps_growth_of_less_than_a_byte)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	event(&s, WEIR_CC_LOSS);
	cubic_run_by(&s, 9.0856, WEIR_NS_PER_S / 10, 100);
	CHECK_NEAR(segments_of(&s), 1000, 1);
}

TEST(test_cubic_starts_a_new_curve_at_every_loss)
{
	struct sender s;

	cubic_make(&s, "cubic(fast-convergence=no)", 1000);
	for (int i = 0; i < 3; i++) {
		event(&s, WEIR_CC_LOSS);
		CHECK_NEAR(segments_of(&s), 700, 1);
		cubic_run(&s, 9.0856, WEIR_NS_PER_S / 10);
		CHECK_NEAR(segments_of(&s), 1000, 1);
	}
}

/* At a round trip of 1 ms Reno is faster: alpha = 3 * 0.3 / 1.7 = 0.5294 segments a round trip
 * until back at 100, then 1. From 70: 56.67 round trips to 100; after 100 in all, 43.33 more. */
TEST(test_cubic_is_no_slower_than_reno_would_be)
{
	struct sender s;

	cubic_make(&s, "cubic", 100);
	event(&s, WEIR_CC_LOSS);
	cubic_run(&s, 0.05667, WEIR_NS_PER_MS);
	CHECK_NEAR(segments_of(&s), 100, 1);
	cubic_run(&s, 0.04333, WEIR_NS_PER_MS);
	CHECK_NEAR(segments_of(&s), 143.33, 2);
}

/* Losses at 1000 and at once again at 700: the curve aims at 700 * 1.7 / 2 = 595 with fast
 * convergence, at 700 without. It is flat there: K = cbrt((595 - 490) / 0.4) = 6.40 s and
 * cbrt((700 - 490) / 0.4) = 8.07 s. */
TEST(test_cubic_fast_convergence_aims_lower)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	event(&s, WEIR_CC_LOSS);
	event(&s, WEIR_CC_LOSS);
	CHECK_INT(window(&s)->window_bytes, 490 * MSS);
	cubic_run(&s, 6.40, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 595, 1);
	cubic_make(&s, "cubic(fast-convergence=no)", 1000);
	event(&s, WEIR_CC_LOSS);
	event(&s, WEIR_CC_LOSS);
	cubic_run(&s, 8.07, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 700, 1);
}

/* Section 4.8: ssthresh by beta, one segment, and the first epoch starts at the curve's middle. */
TEST(test_cubic_starts_again_after_a_timeout)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	event(&s, WEIR_CC_TIMEOUT);
	CHECK_INT(window(&s)->window_bytes, MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 700 * MSS);
	s.ack.rtt_ns = WEIR_NS_PER_S / 10;
	acked(&s, 699 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, 700 * MSS);
	cubic_run(&s, 5, WEIR_NS_PER_S / 10); /* 700 + 0.4 * 5^3 = 750 */
	CHECK_NEAR(segments_of(&s), 750, 1);
}

/* Time in which the window may not grow does not move the curve. */
TEST(test_cubic_clock_stands_while_the_window_may_not_grow)
{
	struct sender a, b;

	cubic_make(&a, "cubic", 1000);
	event(&a, WEIR_CC_LOSS);
	cubic_run(&a, 2, WEIR_NS_PER_S / 10);
	b = a;
	b.ack.may_grow = 0;
	cubic_run(&b, 60, WEIR_NS_PER_S / 10);
	CHECK_INT(window(&b)->window_bytes, window(&a)->window_bytes);
	b.ack.may_grow = 1;
	cubic_run(&a, 2, WEIR_NS_PER_S / 10);
	cubic_run(&b, 2, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&b), segments_of(&a), 1);
}

/* Nor does time in which nothing was sent, beyond a round trip: W(4) = 947.4, as without the
 * pause. */
TEST(test_cubic_clock_stands_while_nothing_is_sent)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	event(&s, WEIR_CC_LOSS);
	cubic_run(&s, 2, WEIR_NS_PER_S / 10);
	s.ack.now_ns += 60 * (int64_t)WEIR_NS_PER_S;
	cubic_run(&s, 2, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 947.4, 3);
}

/* From 10 segments up to ssthresh, 700, by slow start, then a curve from there to 1000: after
 * K = 9.0856 s, although the old one was at its middle when the pause began. */
TEST(test_cubic_begins_a_new_curve_when_a_pause_shrank_its_window)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	event(&s, WEIR_CC_LOSS);
	cubic_run(&s, 9.0856, WEIR_NS_PER_S / 10);
	s.env.initial_window_bytes = 10 * MSS;
	restart(&s);
	acked(&s, 690 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, 700 * MSS);
	acked(&s, MSS, 0);
	CHECK_INT(window(&s)->window_bytes / MSS, 700);
	cubic_run(&s, 9.0856, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 1000, 2);
}

TEST(test_cubic_takes_a_mark_for_a_loss_where_it_hears_marks)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	CHECK_INT(weir_cc_echo_of(s.ops, s.params), WEIR_CC_ECHO_NONE);
	cubic_make(&s, "cubic(ecn=yes)", 1000);
	CHECK_INT(weir_cc_echo_of(s.ops, s.params), WEIR_CC_ECHO_CLASSIC);
	event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 700 * MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 700 * MSS);
	cubic_run(&s, 9.0856, WEIR_NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 1000, 1);
	for (int i = 0; i < 30; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 2 * MSS);
	cubic_make(&s, "cubic(ecn=yes, min-window=1pkts)", 10);
	for (int i = 0; i < 30; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, MSS);
}

/* --- HyStart++: RFC 9406 --- */

/* A round: what is in flight is acknowledged, segment by segment, after that time. Returns how many
 * there were. */
static int round_of(struct sender *s, int64_t rtt_us)
{
	uint64_t end_bytes = s->ack.next_bytes;
	int acks = 0;

	s->ack.rtt_ns = rtt_us * WEIR_NS_PER_US;
	do {
		acked(s, MSS, 0);
		if (!end_bytes)
			end_bytes = s->ack.next_bytes;
		acks++;
	} while (s->ack.una_bytes < end_bytes);
	return acks;
}

static int slow_start_is_over(const struct sender *s)
{
	return window(s)->ssthresh_bytes == window(s)->window_bytes;
}

/* By hand. Rounds of 11 and 20 ACKs at 100 and 112 us: the threshold is 100 / 8 = 12.5 us, so the
 * window goes on to 10 + 11 + 20 = 41. In the third, of 40 ACKs at 126 us, 112 / 8 = 14 us are
 * reached; the eighth sample says so, and 7 ACKs add a segment, 33 a quarter: 41 + 7 + 8.25. */
TEST(test_hystart_slows_down_when_round_trips_rise_by_an_eighth)
{
	struct sender s;

	sender_make(&s, "cubic");
	CHECK_INT(round_of(&s, 100), 11);
	CHECK_INT(round_of(&s, 112), 20);
	CHECK_INT(window(&s)->window_bytes, 41 * MSS);
	CHECK_INT(round_of(&s, 126), 40);
	CHECK_INT(window(&s)->window_bytes, 56250);
	CHECK(window(&s)->ssthresh_bytes == WEIR_CC_SSTHRESH_START);
	sender_make(&s, "cubic(hystart=no)");
	round_of(&s, 100);
	round_of(&s, 112);
	round_of(&s, 126);
	CHECK_INT(window(&s)->window_bytes, 81 * MSS);
}

/* The round in which conservative slow start begins is the first of five. Then the window is kept
 * as ssthresh, and CUBIC's curve starts at its middle: nearly flat. */
TEST(test_hystart_ends_slow_start_after_five_rounds_of_it)
{
	struct sender s;
	uint64_t found;

	sender_make(&s, "cubic");
	round_of(&s, 100);
	for (int i = 0; i < 5; i++) {
		CHECK(window(&s)->ssthresh_bytes == WEIR_CC_SSTHRESH_START);
		round_of(&s, 120 + i);
	}
	CHECK(slow_start_is_over(&s));
	found = window(&s)->window_bytes;
	round_of(&s, 125);
	CHECK(window(&s)->window_bytes > found && window(&s)->window_bytes < found + 2 * MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, found);
}

/* 120 us were no queue after all: at 119 slow start resumes with the eighth ACK, and may be left
 * again. Two rounds of the five were used up; the next time there are five anew. */
TEST(test_hystart_resumes_slow_start_when_round_trips_shrink_again)
{
	struct sender s;
	uint64_t before;
	int acks;

	sender_make(&s, "cubic");
	round_of(&s, 100);
	round_of(&s, 120);
	round_of(&s, 120);
	before = window(&s)->window_bytes;
	acks = round_of(&s, 119);
	CHECK_INT(window(&s)->window_bytes, before + 7 * MSS / 4 + (uint64_t)(acks - 7) * MSS);
	for (int i = 0; i < 5; i++) {
		CHECK(!slow_start_is_over(&s));
		round_of(&s, 140);
	}
	CHECK(slow_start_is_over(&s));
}

/* Round trips of 20 us: an eighth is less than the 4 us that are asked for, which 24 us reach. Of
 * 100 us an eighth is more than a largest rise of 5 us. */
TEST(test_hystart_has_a_smallest_and_a_largest_rise)
{
	static const struct {
		const char *spec;
		int first_us, second_us, slows;
	} cases[] = {
		{ "cubic", 20, 23, 0 },
		{ "cubic", 20, 24, 1 },
		{ "cubic(hystart-min-rise=3us)", 20, 23, 1 },
		{ "cubic(hystart-min-rise=4ms)", 100, 4099, 0 },
		{ "cubic(hystart-min-rise=4ms)", 100, 4100, 1 },
		{ "cubic(hystart-max-rise=5us)", 100, 104, 0 },
		{ "cubic(hystart-max-rise=5us)", 100, 105, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sender s;

		sender_make(&s, cases[i].spec);
		round_of(&s, cases[i].first_us);
		round_of(&s, cases[i].second_us);
		CHECK_INT(window(&s)->window_bytes < 41 * MSS, cases[i].slows);
	}
}

/* Seven samples say nothing, however long they took. */
TEST(test_hystart_judges_no_round_of_less_than_eight_samples)
{
	struct sender s;

	sender_make(&s, "cubic");
	round_of(&s, 100);
	s.ack.rtt_ns = WEIR_NS_PER_MS;
	for (int i = 0; i < 7; i++)
		acked(&s, 2 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, (21 + 14) * MSS);
	acked(&s, 2 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, (21 + 14) * MSS + MSS / 2);
}

TEST(test_hystart_grows_by_eight_segments_an_ack_at_most)
{
	struct sender s;

	sender_make(&s, "cubic");
	acked(&s, 10 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, 18 * MSS);
}

/* Only the first slow start of a connection does not know where it will end (section 4.3). */
TEST(test_hystart_is_for_the_first_slow_start)
{
	struct sender s;

	cubic_make(&s, "cubic", 200);
	event(&s, WEIR_CC_TIMEOUT);
	s.ack = (struct weir_cc_ack){ .may_grow = 1 };
	for (int i = 1; i < 7; i++)
		round_of(&s, 100 * i);
	CHECK(window(&s)->window_bytes >= 64 * MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 140 * MSS);
}
