/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h -- analytic models: steady-state queues under DCTCP and DCQCN.
 *
 * For tests, for reports that compare measurement and prediction, and for choosing RED parameters.
 * Pure functions in floating point; not for the data path. */
#ifndef WEIR_MODEL_H
#define WEIR_MODEL_H
#include "weir/begin.h"

WEIR_BEGIN

/* N long-lived DCTCP flows through one link that marks by RED's line in point-slope form. */
struct weir_model_dctcp {
	double flows;        /* N */
	double slope_per_mb; /* lambda, or lambda f(N) */
	double min_bytes;
	double rate_bps;     /* C */
	double rtt_ns;       /* d: nothing queued */
	double packet_bytes; /* of the frames that are sent */
};

/* The fixed point of Du et al., "PRED", NSDI 2025, Equation (1) and (8), in packets:
 *	(q - min)^2 (q + C d) = 2 N / lambda^2.
 * All members above 0, min at least 0. Bytes. */
double weir_model_pred_queue_bytes(const struct weir_model_dctcp *m);

/* The fixed point where a window of data that bears any number of marks is cut once:
 *	(q - min) (q + C d) = sqrt(2) N / lambda. Bytes.
 *
 * Equation (1) cuts a window of w packets by alpha / 2 at the rate p per round trip. That is right
 * where a round trip's packets are all marked or all not, as behind one threshold, and p is the
 * share of marked round trips. On RED's line packets are marked one by one, and DCTCP answers the
 * first mark of a window, of which it finds one in nearly every window once p w > 1. Let x = p w be
 * the marks in a window. A cut costs alpha w / 2 = x / 2 packets and a round trip in which the
 * window rests; then it grows by one packet a round trip until the next mark, 1 / x round trips
 * later. So 1 / x = x / 2: there are sqrt(2) marks in a window, p = sqrt(2) / w, with w = (q + C d)
 * / N and p = lambda (q - min). */
double weir_model_dctcp_queue_bytes(const struct weir_model_dctcp *m);

/* --- DCQCN ---
 *
 * Zhu, Ghobadi, Misra, Padhye, "ECN or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY",
 * CoNEXT 2016, section 3: N flows of rate R_C and target R_T through a queue q of rate C that marks
 * each packet with probability p(q) by RED's line. With
 *	a = 1 - (1-p)^(tau R_C)			a mark in the time that one cut needs
 *	b = p / ((1-p)^-B - 1)			rounds by bytes, per packet
 *	c = b (1-p)^(F B)			those of them that are no fast recovery
 *	d = p / ((1-p)^-(T R_C) - 1)		rounds by time, per packet
 *	e = d (1-p)^(F T R_C)
 * it is
 *	d alpha / dt = g / tau' (1 - (1-p)^(tau' R_C) - alpha)
 *	d R_T / dt   = -(R_T - R_C) a / tau + R_AI R_C (c + e)
 *	d R_C / dt   = -R_C alpha a / (2 tau) + (R_T - R_C) R_C (b + d) / 2
 *	d q / dt     = N R_C - C
 * Rates and lengths are in packets. There is no hyper increase in it. */

struct weir_model_dcqcn {
	double flows;                /* N */
	double rate_bps;             /* C */
	double packet_bytes;         /* of the frames that are sent */
	double min_bytes, max_bytes; /* RED's line: K_min, K_max */
	double max_probability;      /* P_max */
	double decrease_interval_ns; /* tau: at most one cut in it */
	double alpha_timer_ns;       /* tau' */
	double increase_timer_ns;    /* T */
	double byte_counter_bytes;   /* B; INFINITY: none */
	double fast_recovery_rounds; /* F */
	double additive_bps;         /* R_AI */
};

struct weir_model_dcqcn_rest {
	double probability; /* p* */
	double alpha;
	double rate_bps, target_bps; /* of a flow */
	/* q*. Where p* is above P_max no point of RED's line is at rest: then the queue is held at
	 * max, where marking goes from P_max to 1. */
	double queue_bytes;
	int is_on_line; /* 1: p* <= P_max */
};

/* The only point where all four derivatives are 0. The first three give
 *	a^2 alpha = tau^2 R_AI R_C (b + d)(c + e),	R_C = C / N,
 *	alpha = 1 - (1-p)^(tau' R_C)
 * of which the left side rises with p from 0 and the right side falls to 0. All members above 0. */
struct weir_model_dcqcn_rest weir_model_dcqcn_rest(const struct weir_model_dcqcn *m);

/* p* to first order, for p F T R_C and p F B much smaller than 1:
 *	p* = cbrt(R_AI N^2 / (tau' C^2) (1 / B + N / (T C))^2).
 * With the parameters of the SIGCOMM 2015 paper it is 19 % (N = 2) to 30 % (N = 10) above the
 * root. */
double weir_model_dcqcn_small_probability(const struct weir_model_dcqcn *m);

WEIR_END
#endif
