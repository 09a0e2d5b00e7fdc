/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_count.h -- how many flows pass a port, counted in intervals, as a programmable switch can.
 *
 * Du et al., "PRED", NSDI 2025, section 4.1 and Algorithm 1 (lines 1-12); Huang et al., "DiffECN",
 * ToN 2024, Algorithm 1 (lines 26-39) is the same. Two memories for "has this flow been seen in
 * this interval?":
 *	table	words, a power of two of them. A packet leaves its hash over (flow, interval) in an
 *		entry that the hash selects, and is new iff another hash was there. Nothing is ever
 *		cleared: in the next interval every hash is another. Two flows with one hash count
 *		as one; two that share an entry and alternate count anew each time.
 *	bitmap	120 bits, cleared with each interval. Flows that share a bit count as one.
 * As in the paper the packet that begins an interval is not counted, and the estimate is the larger
 * of the last interval's count and this one's so far. */
#ifndef MARK_FLOW_COUNT_H
#define MARK_FLOW_COUNT_H
#include "weir/rng.h"
#include <stddef.h>
#include <stdint.h>

enum { FLOW_BITMAP_BITS = 120, FLOW_BITMAP_WORDS = 2 };

struct flow_count {
	int64_t start_ns; /* of the interval */
	uint32_t last, now;
	uint32_t sequence; /* of the interval */
	uint32_t unused;
	uint64_t bitmap[FLOW_BITMAP_WORDS];
	uint32_t table[]; /* not there for the bitmap */
};

static inline size_t flow_count_size(uint32_t index_bits)
{
	return sizeof(struct flow_count) + (sizeof(uint32_t) << index_bits);
}

/* The hash of a flow in an interval. */
static inline uint32_t flow_count_hash(uint32_t flow_hash, uint32_t sequence)
{
	return (uint32_t)weir_mix64((uint64_t)sequence << 32 | flow_hash);
}

/* A new interval begins with this packet. */
static inline int flow_count_turn(struct flow_count *c, uint64_t period_ns, int64_t now_ns)
{
	if (now_ns - c->start_ns <= (int64_t)period_ns)
		return 0;
	c->start_ns = now_ns;
	c->last = c->now;
	c->now = 0;
	c->sequence++;
	return 1;
}

static inline uint32_t flow_count_estimate(const struct flow_count *c)
{
	return c->now > c->last ? c->now : c->last;
}

/* A packet passes; returns the estimate. index_mask: the number of the table's last place. */
static inline uint32_t flow_count_table(struct flow_count *c, uint64_t period_ns,
					uint32_t index_mask, uint32_t flow_hash, int64_t now_ns)
{
	if (!flow_count_turn(c, period_ns, now_ns)) {
		uint32_t hash = flow_count_hash(flow_hash, c->sequence);
		uint32_t *place = &c->table[hash & index_mask];

		c->now += *place != hash;
		*place = hash;
	}
	return flow_count_estimate(c);
}

static inline uint32_t flow_count_bitmap(struct flow_count *c, uint64_t period_ns,
					 uint32_t flow_hash, int64_t now_ns)
{
	if (flow_count_turn(c, period_ns, now_ns)) {
		c->bitmap[0] = c->bitmap[1] = 0;
	} else {
		/* The hash's share of 2^32 picks the bit. */
		uint64_t hash = flow_count_hash(flow_hash, 0);
		uint32_t bit = (uint32_t)(hash * FLOW_BITMAP_BITS >> 32);
		uint64_t mask = UINT64_C(1) << (bit % 64);

		c->now += !(c->bitmap[bit / 64] & mask);
		c->bitmap[bit / 64] |= mask;
	}
	return flow_count_estimate(c);
}
#endif
