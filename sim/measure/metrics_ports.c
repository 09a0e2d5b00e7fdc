/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics_ports.c -- metrics of links by tier, and of the queues of all ports: together, by tier
 * and at the worst port.
 *
 * Quantiles of queue lengths are over time, of sojourn times over packets (measure.sojourn). */
#include "sim/measure/metrics.h"
#include "base/memory.h"
#include "sim/core/switch_pfc.h"
#include "sim/measure/sample.h"
#include <math.h>
#include <stdlib.h>

/* --- tiers --- */

/* Relaxation; a few rounds, because networks are a few tiers high. */
uint32_t *tier_heights(const struct network *net)
{
	uint32_t *height = memory_grow(NULL, net->node_count, sizeof(*height));
	int changed = 1;

	for (uint32_t i = 0; i < net->node_count; i++)
		height[i] = net->nodes[i].kind == NODE_HOST ? 0 : net->node_count;
	while (changed) {
		changed = 0;
		for (uint32_t i = 0; i < net->link_count; i++) {
			const struct net_link *l = &net->links[i];

			if (height[l->to] > height[l->from] + 1) {
				height[l->to] = height[l->from] + 1;
				changed = 1;
			}
		}
	}
	return height;
}

enum tier tier_of(const struct network *net, const uint32_t *height, uint32_t link)
{
	const struct net_link *l = &net->links[link];

	if (net->nodes[l->from].kind == NODE_HOST)
		return FROM_HOSTS;
	if (net->nodes[l->to].kind == NODE_HOST)
		return TO_HOSTS;
	return height[l->to] >= height[l->from] ? UP : DOWN;
}

static double link_class_paused_ps(const struct measure *m, uint32_t link)
{
	double sum_ps = 0;

	for (uint32_t k = 0; m->pauses && k < WEIR_PFC_CLASSES; k++)
		sum_ps += (double)m->pauses[link].class[k].sum_ps;
	return sum_ps;
}

void metrics_of_tiers(const struct measure *m, struct run_result *r, double interval_ps)
{
	const struct network *net = m->engine->net;
	uint32_t *height = tier_heights(net);
	double links[TIERS] = { 0 }, busy[TIERS] = { 0 }, marks[TIERS] = { 0 },
	       paused[TIERS] = { 0 };

	for (uint32_t i = 0; i < net->link_count; i++) {
		enum tier t = tier_of(net, height, i);

		links[t]++;
		busy[t] += metrics_busy_ps(m, i);
		marks[t] += (double)m->ports[i].marks;
		paused[t] += link_class_paused_ps(m, i);
	}
	for (int t = 0; t < TIERS; t++) {
		r->value[UTILISATION_FROM_HOSTS + t] =
			links[t] > 0 ? busy[t] / links[t] / interval_ps : NAN;
		r->value[MARKS_FROM_HOSTS + t] = links[t] > 0 ? marks[t] : NAN;
		r->value[PAUSE_FRACTION_FROM_HOSTS + t] =
			links[t] > 0 ? paused[t] / links[t] / interval_ps : NAN;
	}
	free(height);
}

/* --- queues --- */

#define P99 0.99

/* The ports of a tier, or all, as one. */
struct port_group {
	struct weir_port_stats queue;
	struct weir_port_sojourns sojourns;
	uint64_t ports;
};

/* Adds the sojourn times of a port. Packets sent without being recorded found the port idle, and
 * have sojourn time 0, as have all packets of a port without statistics. */
static void group_add_sojourns(struct weir_port_sojourns *sum, const struct weir_port_sojourns *w,
			       uint64_t sent)
{
	uint64_t seen = w ? w->pkts : 0;

	sum->pkts += sent > seen ? sent : seen;
	sum->bucket_pkts[0] += sent > seen ? sent - seen : 0;
	for (uint32_t k = 0; w && k < WEIR_PORT_SOJOURN_BUCKETS; k++)
		sum->bucket_pkts[k] += w->bucket_pkts[k];
}

static void group_add_port(struct port_group *c, const struct weir_port_stats *s, uint64_t sent,
			   double interval_ps)
{
	c->ports++;
	c->queue.buckets = WEIR_PORT_STATS_BUCKETS;
	group_add_sojourns(&c->sojourns, s ? s->sojourns : NULL, sent);
	if (!s && isfinite(interval_ps))
		c->queue.bucket_ps[0] += (uint64_t)interval_ps;
	for (uint32_t k = 0; s && k < s->buckets; k++)
		c->queue.bucket_ps[k] += s->bucket_ps[k];
}

static void group_add_group(struct port_group *sum, const struct port_group *c)
{
	sum->ports += c->ports;
	sum->queue.buckets = WEIR_PORT_STATS_BUCKETS;
	group_add_sojourns(&sum->sojourns, &c->sojourns, 0);
	for (uint32_t k = 0; k < WEIR_PORT_STATS_BUCKETS; k++)
		sum->queue.bucket_ps[k] += c->queue.bucket_ps[k];
}

static double group_queue_p99(const struct port_group *c, double interval_ps)
{
	return c->ports && isfinite(interval_ps) ? (double)weir_port_stats_quantile(&c->queue, P99)
						 : (double)NAN;
}

/* NAN: too few packets for a p99, or not recorded. */
static double sojourn_p99(const struct measure *m, const struct weir_port_sojourns *w)
{
	return m->config->measure.sojourn && sample_has_quantile(w->pkts, P99)
		       ? (double)weir_port_sojourns_quantile(w, P99)
		       : (double)NAN;
}

/* The ports with the largest p99 of queue length and of sojourn time; the first of equal ones. The
 * quantile is computed only for ports whose maximum exceeds the largest p99 so far. */
static void metrics_find_worst_ports(const struct measure *m, struct run_result *r)
{
	struct weir_port_sojourns *sojourns = memory_zeroed(1, sizeof(*sojourns));

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
		*sojourns = (struct weir_port_sojourns){ 0 };
		group_add_sojourns(sojourns, s->sojourns, r->ports[i].tx_pkts);
		wait = sojourn_p99(m, sojourns);
		if (wait > r->value[WORST_WAIT_P99] || isnan(r->value[WORST_WAIT_P99])) {
			r->value[WORST_WAIT_P99] = wait;
			r->worst_wait_port = i;
		}
	}
	free(sojourns);
}

void metrics_of_queues(const struct measure *m, struct run_result *r, double interval_ps)
{
	const struct network *net = m->engine->net;
	uint32_t *height = tier_heights(net);
	struct port_group *groups = memory_zeroed(TIERS + 1, sizeof(*groups)),
			  *all = &groups[TIERS];
	double queued_pkts_ps = 0, sent_pkts = 0;

	for (uint32_t i = 0; i < r->port_count; i++) {
		const struct port_result *p = &r->ports[i];
		const struct weir_port_stats *s = m->stats[p->link];

		group_add_port(&groups[tier_of(net, height, p->link)], s, p->tx_pkts, interval_ps);
		sent_pkts += (double)p->tx_pkts;
		queued_pkts_ps += s ? (double)weir_port_stats_pkts_ps(s) : 0;
	}
	for (int t = 0; t < TIERS; t++) {
		group_add_group(all, &groups[t]);
		r->value[QUEUE_P99_FROM_HOSTS + t] = group_queue_p99(&groups[t], interval_ps);
		r->value[WAIT_P99_FROM_HOSTS + t] = sojourn_p99(m, &groups[t].sojourns);
	}
	r->value[NETWORK_QUEUE_P99] = group_queue_p99(all, interval_ps);
	r->value[NETWORK_WAIT_MEAN] =
		sent_pkts > 0 ? queued_pkts_ps / sent_pkts / WEIR_PS_PER_NS : NAN;
	r->value[NETWORK_WAIT_P99] = sojourn_p99(m, &all->sojourns);
	r->value[WORST_WAIT_P99] = NAN;
	metrics_find_worst_ports(m, r);
	free(groups);
	free(height);
}
