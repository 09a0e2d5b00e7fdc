/* SPDX-License-Identifier: BSD-3-Clause */
/* fdcc_observe.c -- the eight observations of FDCC (thesis, section 4.2), from the ACK at hand and
 * that of the last action.
 *
 *	RTT		round trip / base round trip
 *	QLEN		queue of the most congested port / (its rate x base round trip)
 *	SWITCHRATE	bytes that it sent in between / (time in between x its rate)
 *	GOODPUT		payload that arrived in order in between, by the receiver's clock / its line
 *	dRTT, dQLEN	change of the first two / time between the actions
 *	INSRATE		rate / line
 *	last action	the factor, or by how much it differed from 1
 *
 * Most congested is the port with the largest SWITCHRATE + QLEN. Where nothing is known from
 * before, as at the first ACK, what needs it is 0.
 *
 * The thesis takes the flow's own base round trip (base=own). Flows of different path lengths that
 * share a queue then see it in different units: with 63 near flows and a far one, the far one gets
 * 1.8 to 5.9 times its share, also after training on such networks. Differs: in preset weir the
 * unit is the base round trip of the network's longest path, and what the own path is shorter is
 * added to each round trip, so that all flows of a queue see the same (base=common).
 *
 * Differs: preset weir counts time in base round trips, not in milliseconds, and clips RTT and QLEN
 * at 20 and their changes at 5: a thousand flows give an RTT of 450, one step of 0.5 in 0.6 us a
 * change of 800 per ms, and either drives every unit of a network to its end. It sees rates by
 * their fourth roots: a sixtieth and a thirtieth of a line are 0.36 and 0.43, where as shares they
 * would be the same to a network that also sees flows alone. (Roots, not logarithms: they are the
 * same to the last bit on every machine.) */
#include "lib/cc/fdcc.h"
#include <math.h>

static double fdcc_clip(double x, double most)
{
	if (x > most)
		return most;
	if (x < -most)
		return -most;
	return x;
}

double weir_fdcc_rate_seen(enum fdcc_rates rates, double share)
{
	return rates == FDCC_RATES_ROOT ? sqrt(sqrt(share)) : share;
}

struct fdcc_port {
	double queue, rate;
	uint32_t flows;
};

static struct fdcc_port fdcc_most_congested(const struct telemetry *before,
					    const struct weir_cc_ack *a, double base_ns)
{
	struct fdcc_port most = { .queue = -1 };

	for (uint32_t i = 0; i < a->hop_count; i++) {
		const struct weir_cc_hop *h = &a->hops[i];
		struct fdcc_port port = { .flows = h->flows };
		struct telemetry_change c;

		if (h->rate_mbps == 0)
			continue;
		port.queue = h->queue_bytes / (mbps_to_bytes_per_ns(h->rate_mbps) * base_ns);
		if (telemetry_changed(before, a, i, &c))
			port.rate = c.sent_bytes / (c.span_ns * c.bytes_per_ns);
		if (port.queue + port.rate > most.queue + most.rate)
			most = port;
	}
	most.queue = larger(most.queue, 0);
	return most;
}

/* Goodput over the receiver's line rate, which is that of the last port. Uses the sender's clock
 * where the receiver's is unknown. */
static double fdcc_goodput(const struct fdcc_sight *before, const struct weir_cc_env *env,
			   const struct weir_cc_ack *a)
{
	uint32_t last_mbps = a->hop_count ? a->hops[a->hop_count - 1].rate_mbps : 0;
	double bytes_per_ns = last_mbps ? mbps_to_bytes_per_ns(last_mbps)
					: bps_to_bytes(larger((double)env->rate_bps, 1), 1);
	double span_ns = (double)(a->now_ns - before->now_ns);

	if (a->rx_ns && before->rx_ns)
		span_ns = (int32_t)(a->rx_ns - before->rx_ns);
	if (!before->is_known || span_ns <= 0 || a->una_bytes < before->una_bytes)
		return 0;
	return (double)(a->una_bytes - before->una_bytes) / (span_ns * bytes_per_ns);
}

/* Time since the last action, in base round trips or ms; 0: there was none, or no time has passed.
 */
static double fdcc_elapsed(const struct fdcc_sight *before, const struct weir_cc_ack *a,
			   enum fdcc_dt dt, double base_ns)
{
	double span_ns = (double)(a->now_ns - before->now_ns);

	if (!before->is_known || span_ns <= 0)
		return 0;
	return span_ns / (dt == FDCC_DT_MS ? (double)WEIR_NS_PER_MS : base_ns);
}

void weir_fdcc_observe(const struct fdcc_params *p, const struct weir_cc_env *env,
		       const struct fdcc_self *self, const struct weir_cc_ack *a,
		       struct weir_cc_decision *d)
{
	const struct fdcc_sight *before = self->before;
	struct fdcc_reading r = weir_fdcc_reading(p);
	double base_ns = weir_fdcc_base_ns(p, env);
	double span = fdcc_elapsed(before, a, r.dt, base_ns);
	double rtt = (double)self->rtt_ns / base_ns;
	struct fdcc_port port = fdcc_most_congested(&before->hops, a, base_ns);
	double flown = fdcc_goodput(before, env, a);
	float *o = d->observation;

	d->throughput = (float)flown;
	d->flows = (float)port.flows;
	d->rtt = (float)rtt;
	d->switch_rate = (float)port.rate;
	d->queue = (float)port.queue;
	o[FDCC_RTT] = (float)fdcc_clip(rtt, r.clip);
	o[FDCC_QUEUE] = (float)fdcc_clip(port.queue, r.clip);
	o[FDCC_SWITCH_RATE] = (float)fdcc_clip(port.rate, r.clip);
	o[FDCC_GOODPUT] = (float)weir_fdcc_rate_seen(r.rates, fdcc_clip(flown, r.clip));
	o[FDCC_RTT_CHANGE] = o[FDCC_QUEUE_CHANGE] = 0;
	if (span > 0) {
		o[FDCC_RTT_CHANGE] = (float)fdcc_clip((rtt - before->rtt) / span, r.clip_change);
		o[FDCC_QUEUE_CHANGE] =
			(float)fdcc_clip((port.queue - before->queue) / span, r.clip_change);
	}
	o[FDCC_RATE] = (float)weir_fdcc_rate_seen(
		r.rates, self->rate_bps / larger((double)env->rate_bps, 1));
	o[FDCC_LAST_ACTION] = (float)(self->factor - (r.last == FDCC_LAST_CHANGE ? 1 : 0));
}

void weir_fdcc_remember(struct fdcc_sight *s, const struct weir_cc_ack *a,
			const struct weir_cc_decision *d)
{
	s->now_ns = a->now_ns;
	s->una_bytes = a->una_bytes;
	telemetry_keep(&s->hops, a);
	s->rx_ns = a->rx_ns;
	s->rtt = d->rtt;
	s->queue = d->queue;
	s->is_known = 1;
}
