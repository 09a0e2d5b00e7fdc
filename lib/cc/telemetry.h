/* SPDX-License-Identifier: BSD-3-Clause */
/* telemetry.h -- the change at each port between the INT data of two successive ACKs. For controls
 * that need INT (hpcc, powertcp, fdcc): at each ACK call telemetry_changed for each hop, then
 * telemetry_keep.
 *
 * Counters have 32 bits and wrap: only differences are meaningful, and only below 2^32: that is 4.3
 * s, or 340 ms of bytes at 100 Gb/s. */
#ifndef CC_TELEMETRY_H
#define CC_TELEMETRY_H
#include "weir/cc.h"
#include "weir/units.h"
#include <assert.h>

struct telemetry_hop {
	uint32_t link, queue_bytes, tx_bytes, time_ns;
};

/* The hops of the last ACK. */
struct telemetry {
	uint32_t count;
	struct telemetry_hop hops[WEIR_CC_HOPS_MAX];
};

/* Change at one port since the previous ACK. */
struct telemetry_change {
	double span_ns;
	double bytes_per_ns; /* rate of the port */
	double sent_bytes;
	double queue_before_bytes, queue_bytes;
};

/* 1 Mb/s is 1 bit/us. */
static inline double mbps_to_bytes_per_ns(uint32_t mbps)
{
	return (double)mbps / (WEIR_BITS_PER_BYTE * WEIR_NS_PER_US);
}

/* 1: a port of that rate sends fewer than 2^32 bytes in that time. rate < 2^32, time < 2^32. */
static inline int telemetry_is_short(uint32_t rate_mbps, uint32_t span_ns)
{
	return (uint64_t)rate_mbps * span_ns / (WEIR_BITS_PER_BYTE * WEIR_NS_PER_US) <
	       UINT64_C(1) << 32;
}

/* Fills in the change at a hop. 0: unknown: another path, the first ACK, reordering, no time
 * passed, or too long ago. */
static inline int telemetry_changed(const struct telemetry *last, const struct weir_cc_ack *a,
				    uint32_t index, struct telemetry_change *change)
{
	const struct telemetry_hop *before = &last->hops[index];
	const struct weir_cc_hop *now = &a->hops[index];
	uint32_t span_ns = now->time_ns - before->time_ns;

	if (index >= last->count || before->link != now->link || now->rate_mbps == 0)
		return 0;
	if (span_ns == 0 || span_ns > INT32_MAX || !telemetry_is_short(now->rate_mbps, span_ns))
		return 0;
	change->span_ns = span_ns;
	change->bytes_per_ns = mbps_to_bytes_per_ns(now->rate_mbps);
	change->sent_bytes = now->tx_bytes - before->tx_bytes;
	change->queue_before_bytes = before->queue_bytes;
	change->queue_bytes = now->queue_bytes;
	return 1;
}

static inline void telemetry_keep(struct telemetry *last, const struct weir_cc_ack *a)
{
	assert(a->hop_count <= WEIR_CC_HOPS_MAX);
	last->count = a->hop_count;
	for (uint32_t i = 0; i < a->hop_count; i++)
		last->hops[i] = (struct telemetry_hop){ a->hops[i].link, a->hops[i].queue_bytes,
							a->hops[i].tx_bytes, a->hops[i].time_ns };
}
#endif
