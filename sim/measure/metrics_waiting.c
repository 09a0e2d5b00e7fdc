/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics_waiting.c -- what waits at ports and how long: at all of them together, by tier, and at
 * the worst.
 *
 * Queues are those of time, waits those of packets (measure.sojourn); of either the port with the
 * largest p99 is named. */
#include "sim/measure/metrics.h"
#include "base/memory.h"
#include "sim/measure/sample.h"
#include <math.h>
#include <stdlib.h>

#define P99 0.99

/* Ports of a tier, or all, as one. */
struct crowd {
	struct weir_port_stats queue;
	struct weir_port_sojourns waits;
	uint64_t ports;
};

/* Ports that nobody asked have held nothing: no packet waited there, nor did those that were not
 * seen elsewhere. */
static void add_waits(struct weir_port_sojourns *sum, const struct weir_port_sojourns *w,
		      uint64_t sent)
{
	uint64_t seen = w ? w->pkts : 0;

	sum->pkts += sent > seen ? sent : seen;
	sum->bucket_pkts[0] += sent > seen ? sent - seen : 0;
	for (uint32_t k = 0; w && k < WEIR_PORT_SOJOURN_BUCKETS; k++)
		sum->bucket_pkts[k] += w->bucket_pkts[k];
}

static void add_port(struct crowd *c, const struct weir_port_stats *s, uint64_t sent,
		     double interval_ps)
{
	c->ports++;
	c->queue.buckets = WEIR_PORT_STATS_BUCKETS;
	add_waits(&c->waits, s ? s->sojourns : NULL, sent);
	if (!s && isfinite(interval_ps))
		c->queue.bucket_ps[0] += (uint64_t)interval_ps;
	for (uint32_t k = 0; s && k < s->buckets; k++)
		c->queue.bucket_ps[k] += s->bucket_ps[k];
}

static void add_crowd(struct crowd *sum, const struct crowd *c)
{
	sum->ports += c->ports;
	sum->queue.buckets = WEIR_PORT_STATS_BUCKETS;
	add_waits(&sum->waits, &c->waits, 0);
	for (uint32_t k = 0; k < WEIR_PORT_STATS_BUCKETS; k++)
		sum->queue.bucket_ps[k] += c->queue.bucket_ps[k];
}

static double queue_p99(const struct crowd *c, double interval_ps)
{
	return c->ports && isfinite(interval_ps) ? (double)weir_port_stats_quantile(&c->queue, P99)
						 : (double)NAN;
}

/* Where packets are too few for it, or nobody asked, there is none. */
static double wait_p99(const struct measure *m, const struct weir_port_sojourns *w)
{
	return m->config->measure.sojourn && sample_has_quantile(w->pkts, P99)
		       ? (double)weir_port_sojourns_quantile(w, P99)
		       : (double)NAN;
}

/* The port with the largest p99 of either. A port is looked at where its largest queue exceeds
 * that; the first of those that are equal counts. */
static void find_worst(const struct measure *m, struct run_result *r)
{
	struct weir_port_sojourns *waits = memory_zeroed(1, sizeof(*waits));

	for (uint32_t i = 0; i < r->port_count; i++) {
		const struct weir_port_stats *s = m->stats[r->ports[i].link];
		double queue, wait;

		if (!s)
			continue;
		queue = s->max_pkts > r->value[WORST_QUEUE_P99] ? weir_port_stats_quantile(s, P99)
								: 0;
		if (queue > r->value[WORST_QUEUE_P99]) {
			r->value[WORST_QUEUE_P99] = queue;
			r->worst_queue_port = i;
		}
		if (!s->sojourns)
			continue;
		*waits = (struct weir_port_sojourns){ 0 };
		add_waits(waits, s->sojourns, r->ports[i].tx_pkts);
		wait = wait_p99(m, waits);
		if (wait > r->value[WORST_WAIT_P99] || isnan(r->value[WORST_WAIT_P99])) {
			r->value[WORST_WAIT_P99] = wait;
			r->worst_wait_port = i;
		}
	}
	free(waits);
}

void metrics_of_waiting(const struct measure *m, struct run_result *r, double interval_ps)
{
	const struct network *net = m->engine->net;
	uint32_t *height = tier_heights(net);
	struct crowd *crowds = memory_zeroed(TIERS + 1, sizeof(*crowds)), *all = &crowds[TIERS];
	double held_pkts_ps = 0, sent_pkts = 0;

	for (uint32_t i = 0; i < r->port_count; i++) {
		const struct port_result *p = &r->ports[i];
		const struct weir_port_stats *s = m->stats[p->link];

		add_port(&crowds[tier_of(net, height, p->link)], s, p->tx_pkts, interval_ps);
		sent_pkts += (double)p->tx_pkts;
		held_pkts_ps += s ? (double)weir_port_stats_pkts_ps(s) : 0;
	}
	for (int t = 0; t < TIERS; t++) {
		add_crowd(all, &crowds[t]);
		r->value[QUEUE_P99_FROM_HOSTS + t] = queue_p99(&crowds[t], interval_ps);
		r->value[WAIT_P99_FROM_HOSTS + t] = wait_p99(m, &crowds[t].waits);
	}
	r->value[NETWORK_QUEUE_P99] = queue_p99(all, interval_ps);
	r->value[NETWORK_WAIT_MEAN] =
		sent_pkts > 0 ? held_pkts_ps / sent_pkts / WEIR_PS_PER_NS : NAN;
	r->value[NETWORK_WAIT_P99] = wait_p99(m, &all->waits);
	r->value[WORST_WAIT_P99] = NAN;
	find_worst(m, r);
	free(crowds);
	free(height);
}
