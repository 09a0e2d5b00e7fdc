/* SPDX-License-Identifier: BSD-3-Clause */
/* telemetry.h -- what switches wrote into two successive packets of a sender, and what happened at
 * each port in between. For controls that need INT (hpcc, powertcp): remember the hops of each ACK
 * with telemetry_keep, ask telemetry_change before that.
 *
 * Counters have 32 bits and wrap around, so only differences mean anything, and only where the
 * counter cannot have wrapped unseen: 2^32 ns are 4.3 s, 2^32 bytes 340 ms at 100 Gb/s. */
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

/* One port, from the packet before to this one. */
struct telemetry_change {
	double span_ns;
	double bytes_per_ns; /* what the port can send */
	double sent_bytes;
	double queue_before_bytes, queue_bytes;
};

/* 1 Mb/s is 1 bit/us. */
static inline double mbps_to_bytes_per_ns(uint32_t mbps)
{
	return (double)mbps / (WEIR_BITS_PER_BYTE * WEIR_NS_PER_US);
}

/* Is a port of that rate done with fewer than 2^32 bytes in that time? rate < 2^32, time < 2^32. */
static inline int telemetry_is_short(uint32_t rate_mbps, uint32_t span_ns)
{
	return (uint64_t)rate_mbps * span_ns / (WEIR_BITS_PER_BYTE * WEIR_NS_PER_US) <
	       UINT64_C(1) << 32;
}

/* 1: the hop is where it was, time has passed there, and the change is known. 0: another path, the
 * first packet, packets that overtook each other, or too long ago: this hop begins anew. */
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
