/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_rates.h -- who sends more than its max-min share of a line? By measuring every flow, which
 * no switch can do: the ideal that cheaper judgements are held against.
 *
 * Huang et al., "DiffECN", ToN 2024, section III-B: a flow is congested iff the rate that it asks
 * for exceeds its share of the line, found by filling water (base/water_fill.h). What a flow
 * asks for is what came from it in the last whole period, packets that were refused included. The
 * level of the water is found once a period, from all flows of that period; a packet costs one look
 * into a table.
 *
 * Whole packets in a period are a rate up to one packet too high, so that a flow alone on the line
 * would seem to exceed it every other period: one packet more than the share is not more. A caller
 * may allow a part of the share beyond that.
 *
 * The table has a fixed number of places and a flow one of eight. Where all eight are taken by
 * flows of this period and the last, the flow is not measured and passes for one that asks for
 * nothing. */
#ifndef MARK_FLOW_RATES_H
#define MARK_FLOW_RATES_H
#include "weir/mark.h"

enum { FLOW_RATES_BITS = 12, FLOW_RATES = 1 << FLOW_RATES_BITS, FLOW_RATE_TRIES = 8 };

struct flow_rate {
	uint32_t flow_hash;
	uint32_t period; /* its last with a packet; 0: the place is free */
	uint64_t bytes;  /* in that period */
	uint64_t before; /* and in the one before it */
};

struct flow_rates {
	int64_t start_ns; /* of the period */
	uint64_t period_ns;
	uint64_t capacity_bytes; /* of the line, in a period */
	uint64_t excess_q32;     /* part of the share that a flow may exceed it by */
	uint64_t limit_bytes;    /* who sent more than this in the last period sent too much */
	uint32_t packet_bytes;   /* the largest */
	uint32_t period;         /* counts from 2, so that the first has one before it */
	struct flow_rate places[FLOW_RATES];
	uint64_t demand[FLOW_RATES]; /* for finding the level */
};

/* The memory is zero. excess_q32 is at most 2^36. */
void weir_flow_rates_init(struct flow_rates *r, const struct weir_mark_env *env, uint64_t period_ns,
			  uint64_t excess_q32);

/* A packet has come. */
void weir_flow_rates_arrive(struct flow_rates *r, uint32_t flow_hash, uint32_t bytes,
			    int64_t now_ns);

/* Did its flow send more than its share in the last whole period? */
int weir_flow_rates_exceeds(struct flow_rates *r, uint32_t flow_hash, int64_t now_ns);
#endif
