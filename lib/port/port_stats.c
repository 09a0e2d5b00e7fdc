/* SPDX-License-Identifier: BSD-3-Clause */
/* port_stats.c -- what a port holds and held: counters, queued packets, and the histograms of
 * weir/port_stats.h. Not on the data path. */
#include "lib/port/port_private.h"
#include <string.h>

void weir_port_read(const struct weir_port *p, struct weir_port_status *status)
{
	*status = (struct weir_port_status){
		.bytes = p->bytes,
		.pkts = p->pkts,
		.tx_pkts = p->tx_pkts,
		.tx_bytes = p->tx_bytes,
	};
	memcpy(status->marks, p->cold->marks, sizeof(status->marks));
	memcpy(status->drops, p->cold->drops, sizeof(status->drops));
}

uint32_t weir_port_list_queued(const struct weir_port *p, uint32_t queue,
			       const struct weir_packet_store *store, uint32_t *slots)
{
	const struct weir_queue *q = (const struct weir_queue *)(p + 1) + queue;

	if (q->pkts == 0)
		return 0;
	return p->kind->order == WEIR_PORT_RANKED
		       ? weir_ranked_list(q, store, slots)
		       : weir_slots_list(&(struct weir_slot_range){ q->head, q->tail }, store,
					 slots, q->pkts);
}

/* --- histograms --- */

void weir_port_stats_start(struct weir_port *p, struct weir_port_stats *s, int64_t now_ps)
{
	memset(s, 0, sizeof(*s));
	weir_port_stats_start_sized(p, s, WEIR_PORT_STATS_BUCKETS, now_ps);
}

void weir_port_stats_start_sized(struct weir_port *p, struct weir_port_stats *s, uint32_t buckets,
				 int64_t now_ps)
{
	s->since_ps = now_ps;
	s->max_pkts = p->pkts;
	s->buckets = buckets;
	p->stats = s;
}

void weir_port_stats_stop(struct weir_port *p, int64_t now_ps)
{
	weir_port_stats_account(p, now_ps);
	p->stats = NULL;
}

uint32_t weir_port_stats_floor(uint32_t bucket)
{
	if (bucket < WEIR_PORT_STATS_EXACT)
		return bucket;

	uint32_t octave = (bucket - WEIR_PORT_STATS_EXACT) >> WEIR_PORT_STATS_STEPS_SHIFT;
	uint32_t step =
		(bucket - WEIR_PORT_STATS_EXACT) & ((1u << WEIR_PORT_STATS_STEPS_SHIFT) - 1);

	return ((uint32_t)WEIR_PORT_STATS_EXACT << octave) +
	       (step << (octave + WEIR_PORT_STATS_EXACT_SHIFT - WEIR_PORT_STATS_STEPS_SHIFT));
}

uint64_t weir_port_stats_pkts_ps(const struct weir_port_stats *s)
{
	uint64_t sum = s->many_pkts_ps;

	for (uint32_t i = 1; i < s->buckets && i < WEIR_PORT_STATS_EXACT; i++)
		sum += i * s->bucket_ps[i];
	return sum;
}

uint32_t weir_port_stats_quantile(const struct weir_port_stats *s, double fraction)
{
	uint64_t total_ps = 0, sum_ps = 0;

	for (uint32_t i = 0; i < s->buckets; i++)
		total_ps += s->bucket_ps[i];
	for (uint32_t i = 0; i < s->buckets; i++) {
		sum_ps += s->bucket_ps[i];
		if ((double)sum_ps >= fraction * (double)total_ps)
			return weir_port_stats_floor(i);
	}
	return s->max_pkts;
}

uint32_t weir_port_sojourns_quantile(const struct weir_port_sojourns *s, double fraction)
{
	uint64_t sum_pkts = 0;
	uint32_t i = 0;

	for (; i < WEIR_PORT_SOJOURN_BUCKETS - 1; i++) {
		sum_pkts += s->bucket_pkts[i];
		if ((double)sum_pkts >= fraction * (double)s->pkts)
			break;
	}
	return weir_port_stats_floor(i);
}
