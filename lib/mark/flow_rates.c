/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_rates.c -- water filling and the table of flows, see flow_rates.h. */
#include "weir/compiler.h"
#include "lib/mark/flow_rates.h"
#include "weir/rng.h"
#include "weir/units.h"

void weir_flow_rates_init(struct flow_rates *r, const struct weir_mark_env *env, uint64_t period_ns,
			  uint64_t excess_q32)
{
	r->period_ns = period_ns ? period_ns : 1;
	r->capacity_bytes = weir_bps_times_ns_to_bytes(env->rate_bps, r->period_ns);
	r->excess_q32 = excess_q32;
	r->limit_bytes = UINT64_MAX;
	r->packet_bytes = env->mtu_bytes;
	r->period = 2;
}

/* The paper raises all shares together until one demand is met, and continues with the others. This
 * computes the same level from below: with all demands up to the level met, the rest share what is
 * left equally,
 *	level = (capacity - sum of demands <= level) / number of demands > level,
 * which is at least the level before, since no met demand exceeds it. Each pass meets one demand
 * more or is the last.
 *
 * Rounding down misses no demand: one that lies between the rounded level and the exact one is not
 * whole. */
uint64_t weir_flow_rates_level(const uint64_t *demand, uint32_t count, uint64_t capacity)
{
	uint64_t level = 0;
	uint32_t met, met_before = UINT32_MAX;

	for (;;) {
		uint64_t left = capacity;

		met = 0;
		for (uint32_t i = 0; i < count; i++) {
			if (demand[i] > level)
				continue;
			left -= demand[i];
			met++;
		}
		if (met == count)
			return UINT64_MAX;
		if (met == met_before)
			return level;
		met_before = met;
		level = left / (count - met);
	}
}

/* The level is below 2^40 bytes: 1 s at 8 Tb/s. Rounding loses less than a byte. */
static uint64_t flow_rates_limit(const struct flow_rates *r, uint32_t flows)
{
	uint64_t level_bytes = weir_flow_rates_level(r->demand, flows, r->capacity_bytes);

	if (level_bytes == UINT64_MAX)
		return UINT64_MAX;
	return level_bytes + (uint64_t)((weir_u128)level_bytes * r->excess_q32 >> 32) +
	       r->packet_bytes;
}

/* Bytes of a flow in the last whole period. */
static uint64_t flow_rates_last_bytes(const struct flow_rates *r, const struct flow_rate *place)
{
	if (place->period == r->period)
		return place->before;
	return place->period == r->period - 1 ? place->bytes : 0;
}

/* Ends the periods that are over by now. Where there is more than one, nothing was sent in the last
 * of them. */
static void flow_rates_turn(struct flow_rates *r, int64_t now_ns)
{
	uint64_t over = (uint64_t)(now_ns - r->start_ns) / r->period_ns;
	uint32_t flows = 0;

	if (over == 0)
		return;
	r->start_ns += (int64_t)(over * r->period_ns);
	r->period += (uint32_t)over;
	for (uint32_t i = 0; i < FLOW_RATES; i++) {
		uint64_t bytes = flow_rates_last_bytes(r, &r->places[i]);

		if (bytes > 0)
			r->demand[flows++] = bytes;
	}
	r->limit_bytes = flow_rates_limit(r, flows);
}

static struct flow_rate *flow_rates_entry(struct flow_rates *r, uint32_t flow_hash, uint32_t try)
{
	return &r->places[((uint32_t)(weir_mix64(flow_hash) >> (64 - FLOW_RATES_BITS)) + try) %
			  FLOW_RATES];
}

/* A flow silent for two periods has lost its entry, so the first match is the flow's. */
static int flow_rates_is_used(const struct flow_rates *r, const struct flow_rate *place)
{
	return place->period >= r->period - 1;
}

void weir_flow_rates_arrive(struct flow_rates *r, uint32_t flow_hash, uint32_t bytes,
			    int64_t now_ns)
{
	struct flow_rate *free = NULL;

	flow_rates_turn(r, now_ns);
	for (uint32_t try = 0; try < FLOW_RATE_TRIES; try++) {
		struct flow_rate *place = flow_rates_entry(r, flow_hash, try);

		if (!flow_rates_is_used(r, place)) {
			free = free ? free : place;
			continue;
		}
		if (place->flow_hash != flow_hash)
			continue;
		if (place->period != r->period) {
			place->before = place->bytes;
			place->bytes = 0;
			place->period = r->period;
		}
		place->bytes += bytes;
		return;
	}
	if (free)
		*free = (struct flow_rate){ .flow_hash = flow_hash,
					    .period = r->period,
					    .bytes = bytes };
}

int weir_flow_rates_exceeds(struct flow_rates *r, uint32_t flow_hash, int64_t now_ns)
{
	flow_rates_turn(r, now_ns);
	for (uint32_t try = 0; try < FLOW_RATE_TRIES; try++) {
		const struct flow_rate *place = flow_rates_entry(r, flow_hash, try);

		if (place->flow_hash == flow_hash && flow_rates_is_used(r, place))
			return flow_rates_last_bytes(r, place) > r->limit_bytes;
	}
	return 0;
}
