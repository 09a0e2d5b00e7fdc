/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cc.c -- congestion controls: traces by hand, references in floating point, contract. */
#include "tests/tcp_fixture.h"
#include "weir/rng.h"
#include <stdio.h>

/* --- growth --- */

TEST(test_slow_start_doubles_the_window_each_round_up_to_ssthresh)
{
	struct sender s;

	sender_make(&s, "reno");
	CHECK_INT(window(&s)->window_bytes, 10 * MSS);
	CHECK(window(&s)->ssthresh_bytes == WEIR_CC_SSTHRESH_START);
	for (int i = 0; i < 10; i++)
		acked(&s, MSS, 0);
	CHECK_INT(window(&s)->window_bytes, 20 * MSS);
	event(&s, WEIR_CC_TIMEOUT);
	CHECK_INT(window(&s)->ssthresh_bytes, 10 * MSS);
	CHECK_INT(window(&s)->window_bytes, MSS);
	acked(&s, 9 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, 10 * MSS);
	acked(&s, MSS, 0); /* congestion avoidance now: 1000 * 1000 / 10000 */
	CHECK_INT(window(&s)->window_bytes, 10 * MSS + 100);
}

/* One ACK across ssthresh: 9 of its 14 segments fill the window up to 10, the other 5 are half a
 * window and add half a segment. */
TEST(test_an_ack_across_ssthresh_counts_for_both_phases)
{
	struct sender s;

	sender_make(&s, "reno");
	acked(&s, 10 * MSS, 0);
	event(&s, WEIR_CC_TIMEOUT);
	acked(&s, 14 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, 10 * MSS + MSS / 2);
}

TEST(test_congestion_avoidance_adds_a_segment_per_window)
{
	struct sender s;

	sender_make(&s, "reno");
	event(&s, WEIR_CC_LOSS);
	for (int segments = 5; segments < 50; segments++) {
		CHECK_INT(window(&s)->window_bytes, segments * MSS);
		acked(&s, window(&s)->window_bytes, 0);
	}
}

/* RFC 5681, equation 3, segment by segment: nothing is lost to rounding, however small the
 * steps. */
TEST(test_congestion_avoidance_agrees_with_floating_point)
{
	double exact = 5 * MSS;
	struct sender s;

	sender_make(&s, "reno");
	event(&s, WEIR_CC_LOSS);
	for (int i = 0; i < 200000; i++) {
		acked(&s, 100, 0);
		exact += 100. * MSS / exact;
	}
	CHECK(exact > 200 * MSS);
	CHECK_NEAR((double)window(&s)->window_bytes / exact, 1, 1e-4);
}

static void acked_each(struct sender *s, int segments)
{
	for (int i = 0; i < segments; i++)
		acked(s, MSS, 0);
}

/* By hand: a window of 5 needs 5 segments, then one of 6 six. Of 7.5 segments 7 are whole. */
TEST(test_growth_in_segments_adds_one_when_a_window_of_segments_arrived)
{
	struct sender s;

	sender_make(&s, "reno(growth=segments)");
	event(&s, WEIR_CC_LOSS);
	acked_each(&s, 4);
	CHECK_INT(window(&s)->window_bytes, 5 * MSS);
	acked_each(&s, 1);
	CHECK_INT(window(&s)->window_bytes, 6 * MSS);
	acked_each(&s, 5);
	CHECK_INT(window(&s)->window_bytes, 6 * MSS);
	acked_each(&s, 1);
	CHECK_INT(window(&s)->window_bytes, 7 * MSS);
	acked(&s, 22 * MSS, 0); /* three windows at once, and one segment */
	CHECK_INT(window(&s)->window_bytes, 10 * MSS);
	acked_each(&s, 9);
	CHECK_INT(window(&s)->window_bytes, 11 * MSS);
	sender_make(&s, "dctcp(growth=segments, alpha-start=1/2)");
	event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 7500);
	acked_each(&s, 6);
	CHECK_INT(window(&s)->window_bytes, 7500);
	acked_each(&s, 1);
	CHECK_INT(window(&s)->window_bytes, 8500);
}

/* Nine segments of a window of ten, then a cut to five: they are worth one segment, not two. */
TEST(test_growth_in_segments_makes_one_of_what_a_larger_window_counted)
{
	struct sender s;

	sender_make(&s, "ecn-star(growth=segments)");
	event(&s, WEIR_CC_ECN);
	for (int i = 5; i < 10; i++)
		acked_each(&s, i);
	CHECK_INT(window(&s)->window_bytes, 10 * MSS);
	acked_each(&s, 9);
	event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 5 * MSS);
	acked_each(&s, 1);
	CHECK_INT(window(&s)->window_bytes, 6 * MSS);
	acked_each(&s, 4);
	CHECK_INT(window(&s)->window_bytes, 6 * MSS);
	acked_each(&s, 1);
	CHECK_INT(window(&s)->window_bytes, 7 * MSS);
}

/* A window of less than a segment still needs a whole one. */
TEST(test_growth_in_segments_counts_a_small_window_as_one)
{
	struct sender s;

	sender_make(&s, "dctcp(growth=segments, min-window=100B)");
	for (int i = 0; i < 8; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 100);
	acked_each(&s, 1);
	CHECK_INT(window(&s)->window_bytes, 100 + MSS);
}

/* --- cuts --- */

TEST(test_losses_halve_the_window_down_to_two_segments)
{
	static const char *const specs[] = { "reno", "ecn-star", "dctcp", "dctcp(alpha-start=0)" };
	struct sender s;

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		sender_make(&s, specs[i]);
		event(&s, WEIR_CC_LOSS);
		CHECK_INT(window(&s)->window_bytes, 5 * MSS);
		CHECK_INT(window(&s)->ssthresh_bytes, 5 * MSS);
		event(&s, WEIR_CC_LOSS);
		CHECK_INT(window(&s)->window_bytes, 2500);
		event(&s, WEIR_CC_LOSS);
		CHECK_INT(window(&s)->window_bytes, 2 * MSS);
		event(&s, WEIR_CC_TIMEOUT);
		CHECK_INT(window(&s)->window_bytes, MSS);
		CHECK_INT(window(&s)->ssthresh_bytes, 2 * MSS);
		event(&s, WEIR_CC_LOSS); /* the floor does not lift a smaller window */
		CHECK_INT(window(&s)->window_bytes, MSS);
	}
}

TEST(test_ecn_star_halves_on_a_mark_down_to_its_smallest_window)
{
	struct sender s;

	sender_make(&s, "ecn-star");
	CHECK_INT(weir_cc_echo_of(s.ops, s.params), WEIR_CC_ECHO_CLASSIC);
	event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 5 * MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 5 * MSS);
	for (int i = 0; i < 5; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, MSS);
	sender_make(&s, "ecn-star(min-window=1500B)");
	for (int i = 0; i < 5; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 1500);
}

/* RFC 3168, section 6.1.2, with the floor of RFC 5681: two segments. */
TEST(test_reno_takes_a_mark_for_a_loss_where_it_hears_marks)
{
	struct sender s;

	sender_make(&s, "reno");
	CHECK_INT(weir_cc_echo_of(s.ops, s.params), WEIR_CC_ECHO_NONE);
	sender_make(&s, "reno(ecn=yes)");
	CHECK_INT(weir_cc_echo_of(s.ops, s.params), WEIR_CC_ECHO_CLASSIC);
	event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 5 * MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 5 * MSS);
	for (int i = 0; i < 5; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 2 * MSS);
	sender_make(&s, "reno(ecn=yes, min-window=1pkts)");
	for (int i = 0; i < 5; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, MSS);
}

/* --- dctcp: RFC 8257 --- */

/* What alpha is can be seen by what a cut does to a window that nothing else has touched. */
static double dctcp_alpha(const struct sender *s)
{
	struct sender probe = *s;
	struct weir_cc_window *w = (struct weir_cc_window *)(void *)probe.state;

	w->window_bytes = UINT64_C(1) << 60;
	event(&probe, WEIR_CC_ECN);
	return 2 * (1 - (double)w->window_bytes * 0x1p-60);
}

/* By hand, g = 1/16, alpha = 1 at first. ACK 1 ends the empty first window: M = 0, alpha = 15/16.
 * The next window is the 11 segments in flight then, of which 4 are marked:
 * alpha = 15/16 * 15/16 + 1/16 * 4/11 = 0.878906 + 0.022727 = 0.901634. A cut of 22 segments leaves
 * 22 (1 - 0.450817) = 12.082028. */
TEST(test_dctcp_follows_a_trace_by_hand)
{
	struct sender s;

	sender_make(&s, "dctcp");
	CHECK_INT(weir_cc_echo_of(s.ops, s.params), WEIR_CC_ECHO_EXACT);
	CHECK_NEAR(dctcp_alpha(&s), 1, 1e-9);
	acked(&s, MSS, 0);
	CHECK_NEAR(dctcp_alpha(&s), 0.9375, 1e-9);
	CHECK_INT(s.ack.next_bytes - s.ack.una_bytes, 10 * MSS);
	for (int i = 0; i < 9; i++)
		acked(&s, MSS, i < 4);
	CHECK_NEAR(dctcp_alpha(&s), 0.9375, 1e-9);
	acked(&s, MSS, 0);
	CHECK_NEAR(dctcp_alpha(&s), 15. / 16 * 15 / 16 + 4. / 10 / 16, 1e-8);
	CHECK_INT(window(&s)->window_bytes, 21 * MSS);
	event(&s, WEIR_CC_ECN);
	/* alpha = 0.90390625: 21000 (1 - 0.451953125) = 11508.98; the byte is kept, not cut. */
	CHECK_INT(window(&s)->window_bytes, 11509);
	CHECK_INT(window(&s)->ssthresh_bytes, 11509);
}

TEST(test_dctcp_cut_is_half_alpha_of_the_window)
{
	struct sender s;

	sender_make(&s, "dctcp(alpha-start=1/2)");
	event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 7500);
	event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 5625);
	sender_make(&s, "dctcp(alpha-start=0)");
	event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 10 * MSS);
	CHECK_INT(window(&s)->ssthresh_bytes, 10 * MSS); /* slow start is over all the same */
}

TEST(test_dctcp_may_fall_to_one_segment_or_to_the_set_floor)
{
	struct sender s;

	sender_make(&s, "dctcp");
	for (int i = 0; i < 8; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, MSS);
	sender_make(&s, "dctcp(min-window=2pkts)");
	for (int i = 0; i < 8; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 2 * MSS);
	sender_make(&s, "dctcp(min-window=100B)");
	for (int i = 0; i < 8; i++)
		event(&s, WEIR_CC_ECN);
	CHECK_INT(window(&s)->window_bytes, 100);
}

TEST(test_dctcp_alpha_goes_on_while_the_window_may_not_grow)
{
	struct sender s;

	sender_make(&s, "dctcp");
	s.ack.may_grow = 0;
	for (int i = 0; i < 200; i++)
		acked(&s, 10 * MSS, 0);
	CHECK_INT(window(&s)->window_bytes, 10 * MSS);
	CHECK(dctcp_alpha(&s) < 1e-5);
	for (int i = 0; i < 200; i++)
		acked(&s, 10 * MSS, 1);
	CHECK_INT(window(&s)->window_bytes, 10 * MSS);
	CHECK(dctcp_alpha(&s) > 1 - 1e-5);
}

/* Reference: alpha in floating point over random windows; the bound is the one that dctcp.c
 * states. */
TEST(test_dctcp_alpha_agrees_with_floating_point)
{
	static const struct {
		const char *spec;
		double g;
	} cases[] = { { "dctcp", 1. / 16 }, { "dctcp(g=1/256)", 1. / 256 }, { "dctcp(g=1)", 1 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_rng random = weir_rng_make(i, 0, WEIR_RNG_TEST);
		double alpha = 1, bound = 0x1p-33 / cases[i].g + 0x1p-32;
		struct sender s;

		sender_make(&s, cases[i].spec);
		s.ack.may_grow = 0;
		acked(&s, MSS, 0); /* ends the empty first window */
		alpha -= alpha * cases[i].g;
		for (int k = 0; k < 5000; k++) {
			uint64_t marked = weir_rng_below(&random, k % 500 ? 10 * MSS : 2);

			if (marked > 0)
				acked(&s, marked, 1);
			acked(&s, 10 * MSS - marked, 0);
			alpha += cases[i].g * ((double)marked / (10 * MSS) - alpha);
			CHECK_NEAR(dctcp_alpha(&s), alpha, bound + 1e-12);
		}
	}
}

/* --- contract --- */

/* Random ACKs and events; the hash of every window. */
struct life {
	struct weir_rng rng;
	uint64_t hash;
};

static void life_step(struct life *l, struct sender *s)
{
	struct weir_cc_window before = *window(s);

	s->ack.now_ns += (int64_t)weir_rng_below(&l->rng, 100000);
	s->ack.rtt_ns =
		(int64_t)weir_rng_below(&l->rng, 3) * (int64_t)weir_rng_below(&l->rng, 1000000);
	s->ack.may_grow = weir_rng_below(&l->rng, 4) > 0;
	if (weir_rng_below(&l->rng, 50) == 0) {
		event(s, (enum weir_cc_event)weir_rng_below(&l->rng, 3));
		CHECK(window(s)->window_bytes <= before.window_bytes);
		CHECK(window(s)->ssthresh_bytes < WEIR_CC_SSTHRESH_START);
	} else {
		acked(s, 1 + weir_rng_below(&l->rng, 3 * before.window_bytes),
		      weir_rng_below(&l->rng, 2) > 0);
		CHECK(window(s)->window_bytes >= before.window_bytes);
		CHECK(s->ack.may_grow || window(s)->window_bytes == before.window_bytes);
		/* A control may end its first slow start itself. */
		if (before.ssthresh_bytes != WEIR_CC_SSTHRESH_START ||
		    window(s)->ssthresh_bytes != window(s)->window_bytes)
			CHECK_INT(window(s)->ssthresh_bytes, before.ssthresh_bytes);
	}
	CHECK(window(s)->window_bytes > 0);
	if (window(s)->window_bytes > UINT64_C(1) << 40) /* no network holds that much */
		event(s, WEIR_CC_LOSS);
	l->hash = weir_hash64(l->hash, window(s)->window_bytes);
	for (size_t at = s->ops->state_size; at < sizeof(s->state); at++)
		CHECK_INT(s->state[at], 0);
}

static uint64_t life_hash(struct sender *s, uint64_t seed, int steps)
{
	struct life l = { weir_rng_make(seed, 0, WEIR_RNG_TEST), 0 };

	for (int i = 0; i < steps; i++)
		life_step(&l, s);
	return l.hash;
}

TEST(test_every_control_is_deterministic_and_keeps_to_itself)
{
	for (size_t i = 0; weir_cc_all[i]; i++) {
		if (weir_cc_all[i]->transport != WEIR_CC_TCP)
			continue;

		struct life l = { weir_rng_make(1, 0, WEIR_RNG_TEST), 0 },
			    k = { weir_rng_make(2, 0, WEIR_RNG_TEST), 0 };
		struct sender a, b;
		uint64_t alone;

		sender_make(&a, weir_cc_all[i]->scheme.name);
		CHECK(window(&a)->window_bytes == 10 * MSS);
		alone = life_hash(&a, 1, 3000);
		sender_make(&a, weir_cc_all[i]->scheme.name);
		sender_make(&b, weir_cc_all[i]->scheme.name);
		for (int n = 0; n < 3000; n++) {
			life_step(&l, &a);
			life_step(&k, &b);
		}
		CHECK(l.hash == alone);
	}
}

TEST(test_every_control_survives_the_extremes_of_its_options)
{
	int tried = 0;

	for (size_t i = 0; weir_cc_all[i]; i++) {
		if (weir_cc_all[i]->transport != WEIR_CC_TCP)
			continue;
		for (const struct weir_option *o = weir_cc_all[i]->scheme.options; o && o->name;
		     o++) {
			uint64_t extremes[] = { o->min, o->max, o->min | WEIR_LENGTH_IN_PACKETS,
						o->max | WEIR_LENGTH_IN_PACKETS };
			int count = o->type == WEIR_OPT_LENGTH ? 4 : 2;

			for (int k = 0; k < count; k++, tried++) {
				struct weir_option alone = *o;
				char value[64], spec[128];
				struct sender s;

				alone.offset = 0;
				weir_option_format(value, sizeof(value), &alone, &extremes[k]);
				snprintf(spec, sizeof(spec), "%s(%s=%s)",
					 weir_cc_all[i]->scheme.name, o->name, value);
				sender_make(&s, spec);
				life_hash(&s, 5, 2000);
				s.env.mss_bytes = 1;
				s.env.initial_window_bytes = 1;
				sender_reset(&s);
				life_hash(&s, 6, 2000);
			}
		}
	}
	CHECK_INT(tried, 2 + 2 + 4 + 2 /* dctcp */ + 4 + 2 /* ecn-star */ + 2 + 4 + 2 /* reno */ +
				 2 + 2 + 2 + 2 + 4 + 2 + 2 + 2 /* cubic */);
}
