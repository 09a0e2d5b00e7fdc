/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mark_pie.c -- PIE: the controller of RFC 8033 by hand and against floating point, its
 * safeguards, and the delay that it holds. */
#include "tests/mark_fixture.h"
#include "tests/sim.h"
#include <stdlib.h>

#define MS ((int64_t)WEIR_NS_PER_MS)
#define RFC_TIMES "target=15ms, t-update=15ms, alpha=0.125"
#define RFC RFC_TIMES ", beta=1.25"

/* A packet leaves that queued so long; more wait behind it. */
static void leave(struct marker *m, int64_t now_ns, int64_t sojourn_ns)
{
	struct weir_mark_view v = { .now_ns = now_ns, .sojourn_ns = sojourn_ns, .queue_pkts = 9 };

	CHECK_INT(marker_dequeue(m, &v), WEIR_MARK_PASS);
}

/* One leaves and nothing is left. */
static void leave_empty(struct marker *m, int64_t now_ns, int64_t sojourn_ns)
{
	struct weir_mark_view v = { .now_ns = now_ns, .sojourn_ns = sojourn_ns };

	CHECK_INT(marker_dequeue(m, &v), WEIR_MARK_PASS);
}

/* Fraction of n packets that get a verdict when they find so many others. */
static double share(struct marker *m, int64_t now_ns, uint32_t pkts, uint32_t verdict, int n)
{
	struct weir_mark_view v = { .now_ns = now_ns, .queue_pkts = pkts };
	int count = 0;

	for (int i = 0; i < n; i++)
		count += marker_enqueue(m, &v) == verdict;
	return (double)count / n;
}

/* Makes p rise to a fraction while packets queue for a time; returns when. */
static int64_t raise_to(struct marker *m, double p, int64_t delay_ns)
{
	int64_t now = 0;

	while (marker_value(m, "probability") < p) {
		CHECK(now < 100000 * MS);
		leave(m, now += 15 * MS, delay_ns);
	}
	return now;
}

/* RFC 8033, 4.2: what a step is divided by. */
static double scale_of(double p)
{
	static const double below[] = { 0.000001, 0.00001, 0.0001, 0.001, 0.01, 0.1 };
	static const double scales[] = { 2048, 512, 128, 32, 8, 2 };

	for (int i = 0; i < 6; i++)
		if (p < below[i])
			return scales[i];
	return 1;
}

/* RFC 8033, 4.2, by hand. Packets queue for 40 ms from the start. First update, p < 0.000001:
 *	(0.125 (0.040 - 0.015) + 1.25 (0.040 - 0)) / 2048 = 0.053125 / 2048 = 0.00002593994.
 * Second, 40 ms still, p < 0.0001: 0.003125 / 128 = 0.00002441406 more. Third, 30 ms:
 *	(0.125 0.015 - 1.25 0.010) / 128 = -0.010625 / 128 = -0.00008300781: below 0, so 0. */
TEST(test_pie_updates_its_probability_as_the_rfc_says)
{
	struct marker m;

	marker_make(&m, "pie(" RFC ")");
	leave(&m, 1 * MS, 40 * MS);
	leave(&m, 15 * MS - 1, 40 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), 0, 0);
	leave(&m, 15 * MS, 40 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), 0.00002593994, 1e-11);
	CHECK_NEAR(marker_value(&m, "delay"), 40 * MS, 0);
	leave(&m, 30 * MS, 30 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), 0.00002593994 + 0.00002441406, 1e-11);
	leave(&m, 45 * MS, 30 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), 0, 0);
}

/* The updates of 15 and 30 ms, done by packets that come later: the next is due at 45 all the
 * same. */
TEST(test_pie_updates_at_its_own_times)
{
	struct marker m;
	double p;

	marker_make(&m, "pie(" RFC ")");
	leave(&m, 1 * MS, 40 * MS);
	leave(&m, 29 * MS, 40 * MS);
	leave(&m, 44 * MS, 40 * MS);
	p = marker_value(&m, "probability");
	CHECK_NEAR(p, 0.00002593994 + 0.00002441406, 1e-11);
	leave(&m, 45 * MS - 1, 40 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), p, 0);
	leave(&m, 45 * MS, 40 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), p + 0.00002441406, 1e-11);
}

/* RFC 8033, 5.5: from 10 % on no step is above 2 %. Up in steps of 0.125 0.045 = 0.0056 to 0.1,
 * then packets queue for a second: 0.125 0.985 = 0.123 would be too much at once. */
TEST(test_pie_caps_its_steps_from_10_percent_on)
{
	struct marker m;
	int64_t now;
	double p;

	marker_make(&m, "pie(" RFC_TIMES ", beta=0)");
	now = raise_to(&m, 0.1, 60 * MS);
	p = marker_value(&m, "probability");
	CHECK(p < 0.106);
	leave(&m, now, 1000 * MS);
	leave(&m, now += 15 * MS, 1000 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), p + 0.02, 1e-9);
	leave(&m, now += 15 * MS, 1000 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), p + 0.04, 1e-9);
	/* Just below 10 % the same delay counts by half, and is not capped. */
	marker_make(&m, "pie(" RFC_TIMES ", beta=0)");
	now = raise_to(&m, 0.095, 60 * MS);
	p = marker_value(&m, "probability");
	CHECK(p < 0.1);
	leave(&m, now, 1000 * MS);
	leave(&m, now + 15 * MS, 1000 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), p + 0.125 * 0.985 / 2, 1e-9);
}

/* Up to 0.2 while packets queue for 200 ms, one more step of 2 %, then idle: the many updates that
 * are due at the next packet do what as many single ones would. However long the last packet
 * queued, it left the queue empty. beta is 0, so that each step is 0.125 0.015 over the scale of
 * p. */
TEST(test_pie_fades_to_nothing_in_an_idle_time_of_any_length)
{
	double p = 0;
	struct marker m;

	for (int idle = 1; idle <= 400; idle += 57) {
		int64_t now = 0;

		marker_make(&m, "pie(" RFC_TIMES ", beta=0)");
		while (marker_value(&m, "probability") < 0.2)
			leave(&m, now += 15 * MS, 200 * MS);
		p = marker_value(&m, "probability") + 0.02;
		leave_empty(&m, now += 15 * MS, 90 * MS);
		leave_empty(&m, now += idle * 15 * MS, 0);
		for (int i = 0; i < idle; i++) {
			p = fmax(0, p - 0.125 * 0.015 / scale_of(p));
			p *= i ? 1 - 1. / 64 : 1; /* before the first, packets had queued */
		}
		CHECK_NEAR(marker_value(&m, "probability"), p, 1e-11);
	}
	CHECK(p < 0.0001);
	leave_empty(&m, INT64_C(3600) * WEIR_NS_PER_S, 0);
	CHECK_NEAR(marker_value(&m, "probability"), 0, 0);
}

/* --- reference in floating point --- */

struct reference {
	double p, old_s, target_s, alpha, beta;
};

static void reference_update(struct reference *r, double delay_s)
{
	double step = r->alpha * (delay_s - r->target_s) + r->beta * (delay_s - r->old_s);

	step /= scale_of(r->p);
	if (r->p >= 0.1 && step > 0.02)
		step = 0.02;
	r->p = fmin(1, fmax(0, r->p + step));
	if (delay_s == 0 && r->old_s == 0)
		r->p *= 1 - 1. / 64;
	r->old_s = delay_s;
}

/* Delays that wander between none and several targets, pauses of several updates in which the last
 * one stands. An update is off by less than 2^-48, and what is off fades no slower than p. */
static void check_reference(const char *spec, struct reference r, int64_t update_ns)
{
	struct weir_rng random = weir_rng_make(4, 0, WEIR_RNG_TEST);
	int64_t delay_ns = 0, now_ns = 0;
	double p_max = 0;
	int compared = 0;
	struct marker m;

	marker_make(&m, spec);
	leave(&m, 0, 0);
	for (int i = 0; i < 20000; i++) {
		int64_t pause =
			weir_rng_below(&random, 20) ? 1 : 1 + (int64_t)weir_rng_below(&random, 50);

		now_ns += pause * update_ns;
		for (int64_t k = 0; k < pause; k++)
			reference_update(&r, (double)delay_ns / WEIR_NS_PER_S);
		delay_ns += (int64_t)(weir_rng_below(&random, 3000) * (uint64_t)update_ns / 3000) -
			    update_ns * 48 / 100;
		delay_ns = delay_ns < 0 ? 0 : delay_ns > 4 * update_ns ? 0 : delay_ns;
		leave(&m, now_ns, delay_ns);
		CHECK_NEAR(marker_value(&m, "probability"), r.p, 20000 * 0x1p-48);
		compared += r.p > 0.001 && r.p < 1;
		p_max = fmax(p_max, r.p);
	}
	CHECK(compared > 5000);
	CHECK(p_max > 0.2);
}

TEST(test_pie_agrees_with_floating_point_within_its_bound)
{
	check_reference("pie(" RFC ")", (struct reference){ 0, 0, 0.015, 0.125, 1.25 }, 15 * MS);
	check_reference("pie", (struct reference){ 0, 0, 15e-6, 125, 1250 }, 15000);
}

/* --- when nothing is marked --- */

TEST(test_pie_marks_with_its_probability)
{
	enum { N = 100000 };
	struct marker m;
	int64_t now;
	double p;

	marker_make(&m, "pie(" RFC ")");
	now = raise_to(&m, 0.3, 60 * MS);
	p = marker_value(&m, "probability");
	CHECK(p < 0.33);
	CHECK_NEAR(share(&m, now, 9, WEIR_MARK_CE, N), p, four_sigma(p, N));
	CHECK_NEAR(share(&m, now, 3, WEIR_MARK_CE, N), p, four_sigma(p, N));
	CHECK(share(&m, now, 2, WEIR_MARK_PASS, N) == 1); /* a couple of packets is no queue */
	CHECK(share(&m, now, 0, WEIR_MARK_PASS, N) == 1);
	CHECK_STR(m.ops->reasons[0], "delay");
}

/* RFC 8033, 4.4: 150 ms are ten updates. In the eleventh interval p is 0.0038 and one in 262 is
 * marked. */
TEST(test_pie_lets_a_burst_pass)
{
	int64_t now = 0;
	struct marker m;

	marker_make(&m, "pie(" RFC ", max-burst=150ms)");
	leave(&m, now, 90 * MS);
	for (int i = 1; i < 10; i++) {
		leave(&m, now += 15 * MS, (90 + 60 * i) * MS);
		CHECK(share(&m, now, 50, WEIR_MARK_PASS, 10000) == 1);
	}
	CHECK(marker_value(&m, "probability") > 0.001);
	leave(&m, now += 15 * MS, 700 * MS);
	CHECK(share(&m, now, 50, WEIR_MARK_CE, 10000) > 0);
	/* Calm again, twice below half of the target and p at 0: there is a new allowance. */
	leave(&m, now += 15 * MS, 7 * MS);
	leave(&m, now += 3000 * MS, 7 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), 0, 0);
	for (int i = 0; i < 10; i++) {
		CHECK(share(&m, now, 50, WEIR_MARK_PASS, 10000) == 1);
		leave(&m, now += 15 * MS, (200 + 100 * i) * MS);
	}
}

/* Packets queue for 10 of 15 ms, which is not calm, and then nothing moves for 100 updates: p is 0
 * soon, but the second that a burst would have is used up too. */
TEST(test_pie_uses_up_a_burst_while_nothing_moves)
{
	int64_t now = 0;
	struct marker m;

	marker_make(&m, "pie(" RFC ", max-burst=1s)");
	leave(&m, now, 10 * MS);
	leave(&m, now += 1500 * MS, 5000 * MS);
	CHECK_NEAR(marker_value(&m, "probability"), 0, 0);
	leave(&m, now += 15 * MS, 5000 * MS);
	CHECK(marker_value(&m, "probability") > 0.003);
	CHECK(share(&m, now, 50, WEIR_MARK_CE, 10000) > 0);
}

/* RFC 8033, 4.1: below half of the target nothing is marked while p is below 20 %. */
TEST(test_pie_spares_short_delays_unless_it_is_far_up)
{
	struct marker m;
	int64_t now;

	marker_make(&m, "pie(" RFC_TIMES ", beta=0)");
	now = raise_to(&m, 0.15, 60 * MS);
	leave(&m, now += 15 * MS, 7 * MS);
	leave(&m, now += 15 * MS, 7 * MS);
	CHECK(marker_value(&m, "probability") > 0.1);
	CHECK(share(&m, now, 50, WEIR_MARK_PASS, 10000) == 1);
	marker_make(&m, "pie(" RFC_TIMES ", beta=0)");
	now = raise_to(&m, 0.3, 60 * MS);
	leave(&m, now += 15 * MS, 7 * MS);
	leave(&m, now += 15 * MS, 7 * MS);
	CHECK(share(&m, now, 50, WEIR_MARK_CE, 10000) > 0.25);
}

/* RFC 8033, 5.1: marks below 10 %, drops from there on. By default marks only. */
TEST(test_pie_drops_only_where_told)
{
	struct marker m;
	int64_t now;

	marker_make(&m, "pie(" RFC ", drop-above=10%)");
	now = raise_to(&m, 0.08, 60 * MS);
	CHECK(share(&m, now, 9, WEIR_MARK_DROP, 10000) == 0);
	CHECK(share(&m, now, 9, WEIR_MARK_CE, 10000) > 0.05);
	marker_make(&m, "pie(" RFC ", drop-above=10%)");
	now = raise_to(&m, 0.1, 60 * MS);
	CHECK(share(&m, now, 9, WEIR_MARK_DROP, 10000) > 0.05);
	CHECK(share(&m, now, 9, WEIR_MARK_CE, 10000) == 0);
	marker_make(&m, "pie(" RFC ")");
	now = raise_to(&m, 1, 60 * MS);
	CHECK(share(&m, now, 9, WEIR_MARK_CE, 10000) == 1);
}

/* The owner may spare the call for what finds less; the hook must then be without effect. */
TEST(test_pie_takes_no_interest_in_packets_that_find_few)
{
	unsigned char before[MARKER_STATE_MAX];
	struct marker m;

	marker_make(&m, "pie(" RFC ")");
	raise_to(&m, 0.5, 60 * MS);
	CHECK(m.ops->quiet_below(m.params) == (3 | WEIR_LENGTH_IN_PACKETS));
	memcpy(before, m.state, sizeof(before));
	CHECK(share(&m, INT64_MAX / 2, 2, WEIR_MARK_PASS, 10) == 1);
	CHECK(memcmp(before, m.state, sizeof(before)) == 0);
}

TEST(test_pie_refuses_what_makes_no_sense)
{
	static const char *const cases[][2] = {
		{ "pie(t-update=0us)", "pie: t-update: '0us' is out of range; allowed: 1ns to 1s" },
		{ "pie(target=0us)", "pie: target: '0us' is out of range; allowed: 1ns to 1s" },
		{ "pie(drop-above=2)", "pie: drop-above: '2' is out of range; allowed: 0 to 1" },
		{ "pie(alpha=0)", "pie: alpha must be above 0; without it the target is not held" },
	};
	struct weir_error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(marker_refusal(cases[i][0], &e), cases[i][1]);
}

/* --- in a network --- */

/* How long packets queue on average where so many long DCTCP flows meet, round trips of 80 us. The
 * line is always busy, so by Little's law it is the queue times a frame's time on the wire. */
static double mean_delay_us(const char *marking, int flows)
{
	double frame_us = (1460 + 54) * WEIR_BITS_PER_BYTE / 10e3, mean_us;
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = %d\nrate = 10Gbps\ndelay = 20us\n"
		 "[switch]\nmarking = %s\nbuffer = 1000pkts\n"
		 "[traffic x]\npattern = many-to-one\nsize = unlimited\nstart = 0us..100us\n"
		 "[measure]\nfrom = 20ms\nto = 70ms\nport = sw->h0\n",
		 flows + 1, marking);
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	CHECK(sim_metric(&s, "utilisation") > 0.999);
	mean_us = sim_metric(&s, "queue_mean_pkts") * frame_us;
	printf("%s, %d flows: packets queue for %.2f us, %.1f %% marked\n", marking, flows, mean_us,
	       100 * sim_metric(&s, "mark_fraction"));
	sim_end(&s);
	return mean_us;
}

TEST(test_pie_holds_its_target_whatever_the_number_of_flows)
{
	static const int flows[] = { 2, 8, 32 };

	for (int i = 0; i < 3; i++) {
		CHECK_NEAR(mean_delay_us("pie", flows[i]), 15, 15 * 0.05);
		CHECK_NEAR(mean_delay_us("pie(target=60us)", flows[i]), 60, 60 * 0.05);
	}
}
