/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model_dcqcn.c -- DCQCN's fixed point: the equations, the approximation, and the control
 * itself. */
#include "tests/pair.h"
#include "weir/model.h"

/* The parameters of the SIGCOMM 2015 paper at 40 Gb/s, with packets of 1000 B. */
static struct weir_model_dcqcn paper(double flows)
{
	return (struct weir_model_dcqcn){
		.flows = flows,
		.rate_bps = 40e9,
		.packet_bytes = 1000,
		.min_bytes = 5e3,
		.max_bytes = 200e3,
		.max_probability = 0.01,
		.decrease_interval_ns = 50e3,
		.alpha_timer_ns = 55e3,
		.increase_timer_ns = 55e3,
		.byte_counter_bytes = 10e6,
		.fast_recovery_rounds = 5,
		.additive_bps = 40e6,
	};
}

/* --- the equations of CoNEXT 2016, as they stand there --- */

struct fluid {
	double rate, target, alpha, queue; /* packets and seconds */
};

struct fluid_rates {
	double rate, target, alpha, queue;
};

/* Derivatives where packets are marked with probability p; g = 1/256. */
static struct fluid_rates fluid_step(const struct weir_model_dcqcn *m, const struct fluid *f,
				     double p)
{
	double packet_bits = m->packet_bytes * 8, keep = 1 - p;
	double tau = m->decrease_interval_ns * 1e-9, tau_alpha = m->alpha_timer_ns * 1e-9;
	double counter = m->byte_counter_bytes / m->packet_bytes;
	double timer = m->increase_timer_ns * 1e-9 * f->rate;
	double recovery = m->fast_recovery_rounds, step = m->additive_bps / packet_bits;
	double a = 1 - pow(keep, tau * f->rate);
	double b = p > 0 ? p / (pow(keep, -counter) - 1) : 1 / counter;
	double c = b * pow(keep, recovery * counter);
	double d = p > 0 ? p / (pow(keep, -timer) - 1) : 1 / timer;
	double e = d * pow(keep, recovery * timer);

	return (struct fluid_rates){
		.alpha = (1 - pow(keep, tau_alpha * f->rate) - f->alpha) / 256 / tau_alpha,
		.target = -(f->target - f->rate) * a / tau + step * f->rate * (c + e),
		.rate = -f->rate * f->alpha * a / (2 * tau) +
			(f->target - f->rate) * f->rate * (b + d) / 2,
		.queue = m->flows * f->rate - m->rate_bps / packet_bits,
	};
}

static void check_at_rest(const struct weir_model_dcqcn *m)
{
	struct weir_model_dcqcn_rest rest = weir_model_dcqcn_rest(m);
	double packet_bits = m->packet_bytes * 8;
	struct fluid f = { .rate = rest.rate_bps / packet_bits,
			   .target = rest.target_bps / packet_bits,
			   .alpha = rest.alpha };
	struct fluid_rates still = fluid_step(m, &f, rest.probability);
	struct fluid_rates above = fluid_step(m, &f, rest.probability * 1.001);

	/* In parts of themselves per second; a thousandth more marks makes the rate fall
	 * visibly. */
	CHECK_NEAR(still.alpha / f.alpha, 0, 1e-6);
	CHECK_NEAR(still.target / f.target, 0, 1e-6);
	CHECK_NEAR(still.rate / f.rate, 0, 1e-6);
	CHECK_NEAR(still.queue / m->rate_bps, 0, 1e-12);
	CHECK(above.rate / f.rate < -1e-3);
	CHECK_NEAR(rest.rate_bps, m->rate_bps / m->flows, 1);
	CHECK(rest.target_bps > rest.rate_bps);
}

TEST(test_dcqcn_fixed_point_makes_every_derivative_vanish)
{
	for (double flows = 1; flows <= 1024; flows *= 2) {
		struct weir_model_dcqcn m = paper(flows);

		check_at_rest(&m);
		m.byte_counter_bytes = 150e3;
		check_at_rest(&m);
		m.rate_bps = 100e9;
		m.additive_bps = 20e6;
		m.increase_timer_ns = 300e3;
		m.decrease_interval_ns = 4e3;
		m.fast_recovery_rounds = 1;
		check_at_rest(&m);
	}
}

TEST(test_dcqcn_fixed_point_rises_with_flows_and_with_their_step)
{
	double last = 0;

	for (double flows = 1; flows <= 1024; flows *= 2) {
		struct weir_model_dcqcn m = paper(flows);
		double p = weir_model_dcqcn_rest(&m).probability;

		CHECK(p > last && p < 1);
		last = p;
		m.additive_bps *= 2;
		CHECK(weir_model_dcqcn_rest(&m).probability > p);
		m.byte_counter_bytes = INFINITY; /* fewer rounds */
		CHECK(weir_model_dcqcn_rest(&m).probability > 0);
	}
}

/* RED's line from 5 to 200 KB, up to 1 %: at 10 flows p* = 0.60 %, 5 + 195 x 0.603 = 122.6 KB. At
 * 64 it is 5.9 %, for which the line is too short and the queue stands at its end; a line up to 20
 * % between 100 and 400 KB is long enough. */
TEST(test_dcqcn_queue_is_where_red_has_the_probability)
{
	struct weir_model_dcqcn m = paper(10);
	struct weir_model_dcqcn_rest rest = weir_model_dcqcn_rest(&m);

	CHECK_INT(rest.is_on_line, 1);
	CHECK_NEAR((rest.queue_bytes - 5e3) / 195e3 * 0.01, rest.probability, 1e-12);
	CHECK_NEAR(rest.queue_bytes, 122.6e3, 100);
	m.flows = 64;
	rest = weir_model_dcqcn_rest(&m);
	CHECK_INT(rest.is_on_line, 0);
	CHECK_NEAR(rest.queue_bytes, 200e3, 1e-6);
	m.min_bytes = 100e3;
	m.max_bytes = 400e3;
	m.max_probability = 0.2;
	rest = weir_model_dcqcn_rest(&m);
	CHECK_INT(rest.is_on_line, 1);
	CHECK_NEAR(rest.queue_bytes, 100e3 + 300e3 * rest.probability / 0.2, 1e-6);
}

/* By hand for 10 flows, in packets: R_AI = 5000/s, C = 5e6/s, B = 10^4, T C = 275.
 * 5000 x 100 / (55e-6 x 25e12) = 3.63636e-4; 1/10^4 + 10/275 = 0.0364636, squared 1.329596e-3; the
 * product is 4.834894e-7 and its cube root 7.84866e-3. */
TEST(test_dcqcn_small_probability_by_hand)
{
	struct weir_model_dcqcn m = paper(10);

	CHECK_NEAR(weir_model_dcqcn_small_probability(&m), 7.84866e-3, 1e-7);
}

/* It is the first term of a series: with an R_AI that is a thousandth, p* is a tenth and the
 * distance, too. With the paper's parameters it is the wrong side of small: fast recovery outlasts
 * a mark. */
TEST(test_dcqcn_small_probability_is_the_limit_of_small_steps)
{
	struct weir_model_dcqcn m = paper(10);
	double last = 0.35;

	for (int i = 0; i < 5; i++) {
		double off = weir_model_dcqcn_small_probability(&m) /
				     weir_model_dcqcn_rest(&m).probability -
			     1;

		printf("R_AI %g: off by %g\n", m.additive_bps, off);
		CHECK(off > 0 && off < last);
		last = off / 5;
		m.additive_bps /= 1000;
	}
	m = paper(2);
	CHECK_NEAR(weir_model_dcqcn_small_probability(&m) / weir_model_dcqcn_rest(&m).probability,
		   1.19, 0.005);
	m = paper(10);
	CHECK_NEAR(weir_model_dcqcn_small_probability(&m) / weir_model_dcqcn_rest(&m).probability,
		   1.30, 0.005);
}

/* --- what moves comes to rest there --- */

static double red(const struct weir_model_dcqcn *m, double queue_bytes)
{
	if (queue_bytes <= m->min_bytes)
		return 0;
	if (queue_bytes >= m->max_bytes)
		return 1;
	return (queue_bytes - m->min_bytes) / (m->max_bytes - m->min_bytes) * m->max_probability;
}

/* The fluid from line rate, by steps of a microsecond, with no delay. Marking at 1 is left out. */
TEST(test_dcqcn_fluid_comes_to_rest_at_the_fixed_point)
{
	for (int flows = 2; flows <= 10; flows += 4) {
		struct weir_model_dcqcn m = paper(flows);
		struct weir_model_dcqcn_rest rest = weir_model_dcqcn_rest(&m);
		double line = m.rate_bps / 8000, dt = 1e-6;
		struct fluid f = { line, line, 1, 0 };

		for (int i = 0; i < 400000; i++) {
			double p = fmin(red(&m, f.queue * m.packet_bytes), 0.999);
			struct fluid_rates d = fluid_step(&m, &f, p);

			f.alpha += d.alpha * dt;
			f.target = fmin(f.target + d.target * dt, line);
			f.rate = fmax(fmin(f.rate + d.rate * dt, line), line / 1e4);
			f.queue = fmax(f.queue + d.queue * dt, 0);
		}
		printf("%d flows: %g B, fixed point %g\n", flows, f.queue * m.packet_bytes,
		       rest.queue_bytes);
		CHECK_NEAR(f.queue * m.packet_bytes / rest.queue_bytes, 1, 1e-3);
		CHECK_NEAR(f.rate * 8000 / rest.rate_bps, 1, 1e-3);
		CHECK_NEAR(f.alpha / rest.alpha, 1, 1e-3);
		CHECK_NEAR(f.target * 8000 / rest.target_bps, 1, 1e-3);
	}
}

/* --- the control in a queue of packets --- */

enum { PAIRS_MAX = 64, STEP_NS = 200, DELAY_NS = 4000 };

struct many {
	const struct weir_model_dcqcn *m;
	int flows;
	double queue_bytes, mean_queue_bytes, mean_rate_spread;
	struct weir_rng random;
	struct pair pairs[PAIRS_MAX];
	double due_bytes[PAIRS_MAX];    /* paced out, less than a packet */
	int64_t cnp_ns[PAIRS_MAX];      /* one is under way, arrives then; 0: none */
	int64_t next_cnp_ns[PAIRS_MAX]; /* the receiver sends none before */
	int marked[PAIRS_MAX];          /* a packet was, since its last notification */
	double sent_bytes[PAIRS_MAX];
};

/* One sender for a step: what its rate sends joins the queue, packet by packet. The receiver is
 * that of the SIGCOMM 2015 paper, section 5: a mark is answered at once, or at the end of the
 * interval if it comes in one. */
static void many_send(struct many *s, int i, int64_t now_ns)
{
	struct pair *q = &s->pairs[i];

	run_to(q, now_ns);
	if (s->cnp_ns[i] && s->cnp_ns[i] <= now_ns) {
		s->cnp_ns[i] = 0;
		cnp_at(q, now_ns);
	}
	s->due_bytes[i] += (double)pace(q)->rate_bps / 8e9 * STEP_NS;
	while (s->due_bytes[i] >= MTU) {
		s->due_bytes[i] -= MTU;
		s->sent_bytes[i] += MTU;
		s->queue_bytes += MTU;
		q->ops->sent(q->state, q->params, &q->env, MTU, now_ns);
		s->marked[i] |= weir_rng_unit(&s->random) < red(s->m, s->queue_bytes);
		if (!s->marked[i] || now_ns < s->next_cnp_ns[i])
			continue;
		s->marked[i] = 0;
		s->next_cnp_ns[i] = now_ns + (int64_t)s->m->decrease_interval_ns;
		s->cnp_ns[i] = now_ns + DELAY_NS;
	}
}

static void many_run(struct many *s, int64_t from_ns, int64_t to_ns)
{
	double sum = 0, most = 0, all = 0;
	int64_t steps = 0;

	for (int64_t now_ns = STEP_NS; now_ns <= to_ns; now_ns += STEP_NS) {
		for (int i = 0; i < s->flows; i++)
			many_send(s, i, now_ns);
		s->queue_bytes = fmax(s->queue_bytes - s->m->rate_bps / 8e9 * STEP_NS, 0);
		if (now_ns == from_ns)
			memset(s->sent_bytes, 0, sizeof(s->sent_bytes));
		if (now_ns > from_ns) {
			sum += s->queue_bytes;
			steps++;
		}
	}
	for (int i = 0; i < s->flows; i++) {
		most = fmax(most, s->sent_bytes[i]);
		all += s->sent_bytes[i];
	}
	s->mean_queue_bytes = sum / (double)steps;
	s->mean_rate_spread = most / (all / s->flows);
}

static void check_many(struct weir_model_dcqcn m, int64_t to_ns)
{
	struct weir_model_dcqcn_rest rest = weir_model_dcqcn_rest(&m);
	static struct many s;

	memset(&s, 0, sizeof(s));
	s.m = &m;
	s.flows = (int)m.flows;
	s.random = weir_rng_make(1, 0, WEIR_RNG_TEST);
	for (int i = 0; i < s.flows; i++)
		pair_make(&s.pairs[i], "dcqcn(preset=paper)", (uint64_t)m.rate_bps);
	many_run(&s, to_ns / 4, to_ns);
	printf("%d flows: mean queue %g B, fixed point %g, ratio %.3f; largest share %.3f\n",
	       s.flows, s.mean_queue_bytes, rest.queue_bytes, s.mean_queue_bytes / rest.queue_bytes,
	       s.mean_rate_spread);
	CHECK_NEAR(s.mean_queue_bytes / rest.queue_bytes, 1, 0.15);
	CHECK_NEAR(s.mean_rate_spread, 1, 0.15);
}

/* The fluid has no noise, but packets are marked by chance: with few flows the queue swings by as
 * much as its mean. Where it swings off RED's line, below min or above max, the mean of p is not p
 * of the mean; so the line is three times as flat as the paper's and has no end: 1 % per 585 KB up
 * to 1. Found: 0.92, 0.98 and 1.00 of the fixed point. On the paper's own line it is 0.85 with 2
 * flows and 0.74 with 10. With a receiver that forgets marks of the interval, so that no cut
 * follows another in the next 50 us, it is 1.20, 1.24 and 1.18 here. */
TEST(test_dcqcn_control_holds_the_queue_near_the_fixed_point)
{
	static const struct {
		int flows, ms;
	} cases[] = { { 2, 400 }, { 10, 200 }, { 64, 60 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_model_dcqcn m = paper(cases[i].flows);

		m.max_bytes = m.min_bytes + 585e3 * 100;
		m.max_probability = 1;
		check_many(m, US(1000) * cases[i].ms);
	}
}
