/* SPDX-License-Identifier: BSD-3-Clause */
/* telemetry.h -- what switches write into data packets (in-band network telemetry), for controls
 * that need it. A packet is one cache line, so its INT stack lies elsewhere and the packet carries
 * the stack's index. The stack stays where it is from the sender to the receiver, which hands it to
 * the ACK, and back to the sender.
 *
 * The index shares its place with the slack. engine->int_stacks decides: where it is set, which is
 * where a control needs telemetry (config->telemetry), every packet has an index, 0 for none.
 * Schedulers that rank packets are refused there (config_check.c), and message_slack_ps is 0. A
 * thread takes and gives back numbers by itself, the last ones first, and only what it has too many
 * or too few of goes through a lock. */
#ifndef SIM_CORE_TELEMETRY_H
#define SIM_CORE_TELEMETRY_H
#include "base/compiler.h"
#include "lib/mark/flow_count.h"
#include "sim/core/flow_census.h"
#include "sim/core/host.h"

struct int_stack {
	union {
		uint32_t count;     /* in use: how many of hop[] hold */
		uint32_t next_free; /* free: index of the next one in its list; 0: the last */
	};
	union {
		uint32_t rx_ns;      /* in use, of an ACK: the receiver's clock when it left */
		uint32_t next_batch; /* first of a free list in the store: the first of the next
					list */
	};
	struct weir_cc_hop hop[WEIR_CC_HOPS_MAX];
};

/* Room for the notes of so many packets, while nobody writes. */
void int_stacks_grow(struct engine *e, uint64_t packets);
void int_stacks_free(struct engine *e);

/* Out of line: numbers from the store, and back. */
enum { INT_STACKS_BATCH = 256, INT_STACKS_KEEP = 3 * INT_STACKS_BATCH };
void int_stacks_refill(struct worker *w);
void int_stacks_spill(struct worker *w);

/* Those of a packet that has none are empty, and number 0. */
static inline struct int_stack *packet_int_stack(const struct engine *e,
						 const struct weir_packet *packet)
{
	return &e->int_stacks[(uint32_t)packet->int_stack_index];
}

static inline void int_stack_attach(struct worker *w, struct weir_packet *packet)
{
	if (UNLIKELY(w->int_stacks.free == 0))
		int_stacks_refill(w);

	uint32_t number = w->int_stacks.free;
	struct int_stack *notes = &w->engine->int_stacks[number];

	w->int_stacks.free = notes->next_free;
	w->int_stacks.free_count--;
	notes->count = 0;
	packet->int_stack_index = number;
}

/* An ACK takes the notes of the data that calls for it, or has empty ones; data may be NULL. */
static inline void int_stack_return(struct worker *w, struct weir_packet *ack,
				    struct weir_packet *data, int64_t now_ps)
{
	if (data && data->int_stack_index) {
		ack->int_stack_index = data->int_stack_index;
		data->int_stack_index = 0;
	} else {
		int_stack_attach(w, ack);
	}
	packet_int_stack(w->engine, ack)->rx_ns = (uint32_t)weir_ps_to_ns(now_ps);
}

enum {
	TELEMETRY_INDEX_BITS = 10,
	TELEMETRY_INDEX_MASK = (1 << TELEMETRY_INDEX_BITS) - 1,
	TELEMETRY_COUNT_SIZE = sizeof(struct flow_count) + (4 << TELEMETRY_INDEX_BITS),
};

/* Flows that pass a port, counted over a base round-trip time. */
static inline uint32_t telemetry_flows(const struct engine *e, uint32_t link, uint32_t flow_hash,
				       int64_t now_ps)
{
	struct flow_count *c = (void *)(e->flow_counts + (size_t)link * TELEMETRY_COUNT_SIZE);

	return flow_count_table(c, (uint64_t)weir_ps_to_ns(e->base_rtt_ps), TELEMETRY_INDEX_MASK,
				flow_hash, weir_ps_to_ns(now_ps));
}

/* How many flows pass a port, this packet's included, where that is counted. */
static inline uint32_t telemetry_passing(const struct engine *e, uint32_t link,
					 const struct weir_packet *packet, int64_t now_ps)
{
	if (e->flow_censuses)
		return flow_census_pass(&e->flow_censuses[link],
					packet_segment((struct weir_packet *)packet)->connection,
					packet->flags & SEGMENT_LAST ? FLOW_CENSUS_LAST
								     : FLOW_CENSUS_MORE);
	return e->flow_counts ? telemetry_flows(e, link, packet->flow_hash, now_ps) : 0;
}

/* The packet that lies in the place on a port's line leaves now: if it is data it gets one more
 * note, while there is room. */
static inline ALWAYS_INLINE void telemetry_write(const struct engine *e, const struct egress *out,
						 const struct weir_packet *packet, int64_t start_ps)
{
	const struct weir_port *p = &out->port;
	struct int_stack *notes = packet_int_stack(e, packet);
	uint32_t flows;

	if (packet->flags & SEGMENT_ACK)
		return;
	flows = telemetry_passing(e, out->link, packet, start_ps);
	if (!packet->int_stack_index || notes->count == WEIR_CC_HOPS_MAX)
		return;
	notes->hop[notes->count++] = (struct weir_cc_hop){
		.link = out->link,
		.queue_bytes = p->bytes,
		.tx_bytes = (uint32_t)p->tx_bytes,
		.time_ns = (uint32_t)weir_ps_to_ns(start_ps),
		.rate_mbps = p->kind->rate_mbps,
		.flows = flows,
	};
}
#endif
