/* test_cc_cubic.c -- CUBIC by hand: its curve, its cuts. */
#include "tests/tcp_desk.h"

/* --- cubic: RFC 9438 --- */

/* Acknowledges window after window, so many bytes an ACK, for so many seconds. */
static void cubic_run_by(struct sender *s, double seconds, int64_t rtt_ns, uint64_t ack_bytes)
{
	int64_t end_ns = s->ack.now_ns + (int64_t)(seconds * NS_PER_S);

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
	CHECK_INT(s.ops->echo, CC_ECHO_NONE);
	event(&s, CC_LOSS);
	CHECK_INT(window(&s)->window_bytes, 700 * MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 700 * MSS);
	cubic_run(&s, 4, NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 947.4, 1);
	cubic_run(&s, 5.0856, NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 1000, 1);
	cubic_run(&s, 4.9144, NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 1047.5, 1);
}

/* Near the middle of the curve an ACK of 100 B adds less than a byte: it must not be lost. */
TEST(test_cubic_keeps_growth_of_less_than_a_byte)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	event(&s, CC_LOSS);
	cubic_run_by(&s, 9.0856, NS_PER_S / 10, 100);
	CHECK_NEAR(segments_of(&s), 1000, 1);
}

TEST(test_cubic_starts_a_new_curve_at_every_loss)
{
	struct sender s;

	cubic_make(&s, "cubic(fast-convergence=no)", 1000);
	for (int i = 0; i < 3; i++) {
		event(&s, CC_LOSS);
		CHECK_NEAR(segments_of(&s), 700, 1);
		cubic_run(&s, 9.0856, NS_PER_S / 10);
		CHECK_NEAR(segments_of(&s), 1000, 1);
	}
}

/* At a round trip of 1 ms Reno is faster: alpha = 3 * 0.3 / 1.7 = 0.5294 segments a round trip until
 * back at 100, then 1. From 70: 56.67 round trips to 100; after 100 in all, 43.33 more. */
TEST(test_cubic_is_no_slower_than_reno_would_be)
{
	struct sender s;

	cubic_make(&s, "cubic", 100);
	event(&s, CC_LOSS);
	cubic_run(&s, 0.05667, NS_PER_MS);
	CHECK_NEAR(segments_of(&s), 100, 1);
	cubic_run(&s, 0.04333, NS_PER_MS);
	CHECK_NEAR(segments_of(&s), 143.33, 2);
}

/* Losses at 1000 and at once again at 700: the curve aims at 700 * 1.7 / 2 = 595 with fast
 * convergence, at 700 without. It is flat there: K = cbrt((595 - 490) / 0.4) = 6.40 s and
 * cbrt((700 - 490) / 0.4) = 8.07 s. */
TEST(test_cubic_fast_convergence_aims_lower)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	event(&s, CC_LOSS);
	event(&s, CC_LOSS);
	CHECK_INT(window(&s)->window_bytes, 490 * MSS);
	cubic_run(&s, 6.40, NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 595, 1);
	cubic_make(&s, "cubic(fast-convergence=no)", 1000);
	event(&s, CC_LOSS);
	event(&s, CC_LOSS);
	cubic_run(&s, 8.07, NS_PER_S / 10);
	CHECK_NEAR(segments_of(&s), 700, 1);
}

/* Section 4.8: ssthresh by beta, one segment, and the first epoch starts at the curve's middle. */
TEST(test_cubic_starts_again_after_a_timeout)
{
	struct sender s;

	cubic_make(&s, "cubic", 1000);
	event(&s, CC_TIMEOUT);
	CHECK_INT(window(&s)->window_bytes, MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 700 * MSS);
	s.ack.rtt_ns = NS_PER_S / 10;
	acked(&s, 699 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, 700 * MSS);
	cubic_run(&s, 5, NS_PER_S / 10); /* 700 + 0.4 * 5^3 = 750 */
	CHECK_NEAR(segments_of(&s), 750, 1);
}

/* Time in which the window may not grow does not move the curve. */
TEST(test_cubic_clock_stands_while_the_window_may_not_grow)
{
	struct sender a, b;

	cubic_make(&a, "cubic", 1000);
	event(&a, CC_LOSS);
	cubic_run(&a, 2, NS_PER_S / 10);
	b = a;
	b.ack.may_grow = 0;
	cubic_run(&b, 60, NS_PER_S / 10);
	CHECK_INT(window(&b)->window_bytes, window(&a)->window_bytes);
	b.ack.may_grow = 1;
	cubic_run(&a, 2, NS_PER_S / 10);
	cubic_run(&b, 2, NS_PER_S / 10);
	CHECK_NEAR(segments_of(&b), segments_of(&a), 1);
}
