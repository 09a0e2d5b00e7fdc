/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_rates.h -- per-flow rate measurement against max-min fair shares: the ideal that DiffECN's
 * queue-based test is scored against. No switch has the memory for it.
 *
 * Huang et al., "DiffECN", ToN 2024, section III-B: a flow is congested iff its demand exceeds its
 * max-min share of the line, found by water filling. Its demand is what it sent in the last whole
 * period, refused packets included. The water level is computed once a period from the demands of
 * all flows, so a packet costs one table lookup.
 *
 * Whole packets in a period overestimate a rate by up to one packet, so that a flow alone on the
 * line would exceed it every other period: the limit is the share plus one packet. A caller may
 * allow a further part of the share.
 *
 * The table has a fixed number of entries, and a flow one of eight of them. Where flows of this
 * period and the last occupy all eight, the flow is not measured and counts as one without
 * demand. */
#ifndef MARK_FLOW_RATES_H
#define MARK_FLOW_RATES_H
#include "weir/mark.h"

enum { FLOW_RATES_BITS = 12, FLOW_RATES = 1 << FLOW_RATES_BITS, FLOW_RATE_TRIES = 8 };

struct flow_rate {
	uint32_t flow_hash;
	uint32_t period; /* its last with a packet; 0: the entry is free */
	uint64_t bytes;  /* in that period */
	uint64_t before; /* and in the one before it */
};

struct flow_rates {
	int64_t start_ns; /* of the period */
	uint64_t period_ns;
	uint64_t capacity_bytes; /* of the line, in a period */
	uint64_t excess_q32;     /* part of the share that a flow may exceed it by */
	uint64_t limit_bytes;    /* per flow and period: share, excess and one packet */
	uint32_t packet_bytes;   /* largest frame */
	uint32_t period;         /* counts from 2, so that the first has one before it */
	struct flow_rate places[FLOW_RATES];
	uint64_t demand[FLOW_RATES]; /* scratch of the water filling */
};

/* Max-min fair shares (Bertsekas and Gallager, Data Networks, section 6.5.2): a demand below the
 * returned level is met, every other one gets the level. UINT64_MAX: all demands fit. Rounded down,
 * so that less than one unit per unmet demand is left over. The sum of all demands must fit 64
 * bits. Takes at most count + 1 passes over the demands. */
uint64_t weir_flow_rates_level(const uint64_t *demand, uint32_t count, uint64_t capacity);

/* The memory is zero. excess_q32 is at most 2^36. */
void weir_flow_rates_init(struct flow_rates *r, const struct weir_mark_env *env, uint64_t period_ns,
			  uint64_t excess_q32);

/* A packet arrived. */
void weir_flow_rates_arrive(struct flow_rates *r, uint32_t flow_hash, uint32_t bytes,
			    int64_t now_ns);

/* Did its flow send more than its share in the last whole period? */
int weir_flow_rates_exceeds(struct flow_rates *r, uint32_t flow_hash, int64_t now_ns);
#endif
