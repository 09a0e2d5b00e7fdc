/* SPDX-License-Identifier: BSD-3-Clause */
/* dctcp.c -- see weir/model.h. Lengths are counted in packets inside, as in the equations. */
#include "weir/model.h"
#include "weir/units.h"
#include <math.h>

static const double bytes_per_mb = 1e6;

/* With x = q - min, both equations have q + C d = x + reach. */
static double reach_pkts(const struct weir_model_dctcp *m)
{
	double bandwidth_delay_bytes = m->rate_bps / WEIR_BITS_PER_BYTE * m->rtt_ns / WEIR_NS_PER_S;

	return (m->min_bytes + bandwidth_delay_bytes) / m->packet_bytes;
}

static double slope_per_pkt(const struct weir_model_dctcp *m)
{
	return m->slope_per_mb * m->packet_bytes / bytes_per_mb;
}

/* x^2 (x + a) = b by Newton's method. g(x) = x^2 (x + a) - b rises and is convex for x > 0, and
 * from x^3 <= b and x^2 a <= b the smaller of cbrt(b) and sqrt(b / a) is not below the root. So
 * every step goes down and none goes too far: it ends when rounding stops it. */
double weir_model_pred_queue_bytes(const struct weir_model_dctcp *m)
{
	double a = reach_pkts(m), slope = slope_per_pkt(m);
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
	double a = reach_pkts(m), b = sqrt(2) * m->flows / slope_per_pkt(m);

	return m->min_bytes + 2 * b / (a + sqrt(a * a + 4 * b)) * m->packet_bytes;
}
