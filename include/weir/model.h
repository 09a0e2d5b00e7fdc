/* SPDX-License-Identifier: BSD-3-Clause */
/* model.h -- what theory says a queue will be.
 *
 * For tests, for reports that show measured and predicted side by side, and for whoever wants to
 * choose a slope. Floating point; nothing here runs per packet. */
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

WEIR_END
#endif
