/* SPDX-License-Identifier: BSD-3-Clause */
/* model.c -- fixed points of fluid models: queue lengths under DCTCP, and the steady state of
 * DCQCN, see weir/model.h. Inside, lengths are in packets and times in seconds, as in the
 * equations. */
#include "weir/model.h"
#include "weir/units.h"
#include <math.h>

/* --- DCTCP --- */

static const double bytes_per_mb = 1e6;

/* With x = q - min, both equations have q + C d = x + reach. */
static double dctcp_reach_pkts(const struct weir_model_dctcp *m)
{
	double bandwidth_delay_bytes = m->rate_bps / WEIR_BITS_PER_BYTE * m->rtt_ns / WEIR_NS_PER_S;

	return (m->min_bytes + bandwidth_delay_bytes) / m->packet_bytes;
}

static double dctcp_slope_per_pkt(const struct weir_model_dctcp *m)
{
	return m->slope_per_mb * m->packet_bytes / bytes_per_mb;
}

/* x^2 (x + a) = b by Newton's method. g(x) = x^2 (x + a) - b rises and is convex for x > 0, and
 * from x^3 <= b and x^2 a <= b the smaller of cbrt(b) and sqrt(b / a) is not below the root. So
 * every step goes down and none goes too far: it ends when rounding stops it. */
double weir_model_pred_queue_bytes(const struct weir_model_dctcp *m)
{
	double a = dctcp_reach_pkts(m), slope = dctcp_slope_per_pkt(m);
	double b = 2 * m->flows / (slope * slope);
	double x = fmin(cbrt(b), sqrt(b / a)), before;

	do {
		before = x;
		x -= (x * x * (x + a) - b) / (x * (3 * x + 2 * a));
	} while (x < before);
	return m->min_bytes + before * m->packet_bytes;
}

/* x (x + a) = b; the positive root, written so that nothing cancels. */
double weir_model_dctcp_queue_bytes(const struct weir_model_dctcp *m)
{
	double a = dctcp_reach_pkts(m), b = sqrt(2) * m->flows / dctcp_slope_per_pkt(m);

	return m->min_bytes + 2 * b / (a + sqrt(a * a + 4 * b)) * m->packet_bytes;
}

/* --- DCQCN --- */

struct dcqcn_flow {
	double rate;           /* R_C = C / N */
	double step;           /* R_AI */
	double cut_s, alpha_s; /* tau, tau' */
	double timer, counter; /* packets of a round: T R_C, B */
	double recovery;       /* F */
};

static double dcqcn_to_packets(const struct weir_model_dcqcn *m, double bits)
{
	return bits / weir_bytes_to_bits(m->packet_bytes);
}

static struct dcqcn_flow dcqcn_flow_of(const struct weir_model_dcqcn *m)
{
	double rate = dcqcn_to_packets(m, m->rate_bps / m->flows);

	return (struct dcqcn_flow){
		.rate = rate,
		.step = dcqcn_to_packets(m, m->additive_bps),
		.cut_s = m->decrease_interval_ns / WEIR_NS_PER_S,
		.alpha_s = m->alpha_timer_ns / WEIR_NS_PER_S,
		.timer = rate * m->increase_timer_ns / WEIR_NS_PER_S,
		.counter = m->byte_counter_bytes / m->packet_bytes,
		.recovery = m->fast_recovery_rounds,
	};
}

/* Marking is written as (1-p) = e^-u, which loses nothing at either end. */
static double dcqcn_any_marked(double u, double packets)
{
	return -expm1(-u * packets);
}

/* Rounds of that many packets that pass without a mark, per packet: b, d. */
static double dcqcn_rounds(double u, double packets)
{
	return dcqcn_any_marked(u, 1) / expm1(u * packets);
}

/* Rounds after fast recovery, per packet: c, e. */
static double dcqcn_later_rounds(double u, double packets, double recovery)
{
	return dcqcn_rounds(u, packets) * exp(-u * recovery * packets);
}

/* tau R_AI R_C (c + e) / a, from d R_T / dt = 0. */
static double dcqcn_target_above_rate(const struct dcqcn_flow *f, double u)
{
	double later = dcqcn_later_rounds(u, f->counter, f->recovery) +
		       dcqcn_later_rounds(u, f->timer, f->recovery);

	return f->cut_s * f->step * f->rate * later / dcqcn_any_marked(u, f->cut_s * f->rate);
}

/* Does the rate fall at this marking? R_C alpha a / tau > (R_T - R_C) R_C (b + d). */
static int dcqcn_falls(const struct dcqcn_flow *f, double u)
{
	double cuts = dcqcn_any_marked(u, f->alpha_s * f->rate) *
		      dcqcn_any_marked(u, f->cut_s * f->rate) / f->cut_s;

	return cuts > dcqcn_target_above_rate(f, u) *
			      (dcqcn_rounds(u, f->counter) + dcqcn_rounds(u, f->timer));
}

/* By bisection of log u: from a mark in 10^15 packets to all but one in 10^15 marked, until two
 * neighbouring numbers are left. */
static double dcqcn_solve(const struct dcqcn_flow *f)
{
	double low = log(1e-15), high = log(-log(1e-15));

	for (;;) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			return exp(low);
		if (dcqcn_falls(f, exp(middle)))
			high = middle;
		else
			low = middle;
	}
}

struct weir_model_dcqcn_rest weir_model_dcqcn_rest(const struct weir_model_dcqcn *m)
{
	struct dcqcn_flow f = dcqcn_flow_of(m);
	double u = dcqcn_solve(&f), p = dcqcn_any_marked(u, 1);
	double target = f.rate + dcqcn_target_above_rate(&f, u);
	struct weir_model_dcqcn_rest rest = {
		.probability = p,
		.alpha = dcqcn_any_marked(u, f.alpha_s * f.rate),
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
	struct dcqcn_flow f = dcqcn_flow_of(m);
	double events = 1 / f.counter + 1 / f.timer;

	return cbrt(f.step / (f.alpha_s * f.rate * f.rate) * events * events);
}
