/* SPDX-License-Identifier: BSD-3-Clause */
/* dcqcn.c -- see weir/model_dcqcn.h. Rates and lengths are in packets inside, times in seconds, as
 * in the equations. */
#include "weir/model_dcqcn.h"
#include "weir/units.h"
#include <math.h>

struct flow {
	double rate;           /* R_C = C / N */
	double step;           /* R_AI */
	double cut_s, alpha_s; /* tau, tau' */
	double timer, counter; /* packets of a round: T R_C, B */
	double recovery;       /* F */
};

static double to_packets(const struct weir_model_dcqcn *m, double bits)
{
	return bits / weir_bytes_to_bits(m->packet_bytes);
}

static struct flow make_flow(const struct weir_model_dcqcn *m)
{
	double rate = to_packets(m, m->rate_bps / m->flows);

	return (struct flow){
		.rate = rate,
		.step = to_packets(m, m->additive_bps),
		.cut_s = m->decrease_interval_ns / WEIR_NS_PER_S,
		.alpha_s = m->alpha_timer_ns / WEIR_NS_PER_S,
		.timer = rate * m->increase_timer_ns / WEIR_NS_PER_S,
		.counter = m->byte_counter_bytes / m->packet_bytes,
		.recovery = m->fast_recovery_rounds,
	};
}

/* Marking is written as (1-p) = e^-u, which loses nothing at either end. */
static double some_marked(double u, double packets)
{
	return -expm1(-u * packets);
}

/* Rounds of so many packets that pass without a mark, per packet: b, d. */
static double rounds(double u, double packets)
{
	return some_marked(u, 1) / expm1(u * packets);
}

/* Those of them that come after fast recovery: c, e. */
static double later_rounds(double u, double packets, double recovery)
{
	return rounds(u, packets) * exp(-u * recovery * packets);
}

/* tau R_AI R_C (c + e) / a, from d R_T / dt = 0. */
static double target_above_rate(const struct flow *f, double u)
{
	double later =
		later_rounds(u, f->counter, f->recovery) + later_rounds(u, f->timer, f->recovery);

	return f->cut_s * f->step * f->rate * later / some_marked(u, f->cut_s * f->rate);
}

/* Does the rate fall at this marking? R_C alpha a / tau > (R_T - R_C) R_C (b + d). */
static int falls(const struct flow *f, double u)
{
	double cuts = some_marked(u, f->alpha_s * f->rate) * some_marked(u, f->cut_s * f->rate) /
		      f->cut_s;

	return cuts > target_above_rate(f, u) * (rounds(u, f->counter) + rounds(u, f->timer));
}

/* By bisection of log u: from a mark in 10^15 packets to all but one in 10^15 marked, until two
 * neighbouring numbers are left. */
static double solve(const struct flow *f)
{
	double low = log(1e-15), high = log(-log(1e-15));

	for (;;) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return exp(low);
		if (falls(f, exp(middle)))
			high = middle;
		else
			low = middle;
	}
}

struct weir_model_dcqcn_rest weir_model_dcqcn_rest(const struct weir_model_dcqcn *m)
{
	struct flow f = make_flow(m);
	double u = solve(&f), p = some_marked(u, 1);
	double target = f.rate + target_above_rate(&f, u);
	struct weir_model_dcqcn_rest rest = {
		.probability = p,
		.alpha = some_marked(u, f.alpha_s * f.rate),
		.rate_bps = m->rate_bps / m->flows,
		.target_bps = target / f.rate * m->rate_bps / m->flows,
		.queue_bytes = m->max_bytes,
		.is_on_line = p <= m->max_probability,
	};

	if (rest.is_on_line)
		rest.queue_bytes =
			m->min_bytes + (m->max_bytes - m->min_bytes) * p / m->max_probability;
	return rest;
}

double weir_model_dcqcn_small_probability(const struct weir_model_dcqcn *m)
{
	struct flow f = make_flow(m);
	double events = 1 / f.counter + 1 / f.timer;

	return cbrt(f.step / (f.alpha_s * f.rate * f.rate) * events * events);
}
