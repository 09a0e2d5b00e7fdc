/* SPDX-License-Identifier: BSD-3-Clause */
/* telemetry.h -- in-band network telemetry (INT): what switches append to data packets for
 * congestion controls that need it.
 *
 * A packet is one cache line, so its INT stack lies in a table of the engine and the packet carries
 * the index, weir_packet.int_stack_index, 0 for none. The stack stays in place from the sender to
 * the receiver, which passes the index to the ACK, and back to the sender. The index is valid if
 * engine->int_stacks is set, which it is if a control needs telemetry (config->telemetry);
 * schedulers that rank packets by the slack in the same place are then refused (config_check.c).
 *
 * Threads: a worker allocates and releases stacks from a free list of its own, last in first out.
 * Only its surplus or shortage goes to the engine's store, in batches and under its lock. */
#ifndef SIM_CORE_TELEMETRY_H
#define SIM_CORE_TELEMETRY_H
#include "base/compiler.h"
#include "lib/mark/flow_count.h"
#include "sim/core/host.h"

struct int_stack {
	union {
		uint32_t count;     /* in use: valid entries of hop[] */
		uint32_t next_free; /* free: index of the next in its list; 0: the last */
	};
	union {
		uint32_t rx_ns;      /* in use, of an ACK: the receiver's clock when it left */
		uint32_t next_batch; /* free, first of a batch in the store: the first of the
					next batch */
	};
	struct weir_cc_hop hop[WEIR_CC_HOPS_MAX];
};

/* Makes room for the stacks of that many packets; at a barrier. */
void int_stacks_grow(struct engine *e, uint64_t packets);
void int_stacks_free(struct engine *e);

/* Slow paths of the worker's free list: a batch from the store, and back. */
enum { INT_STACKS_BATCH = 256, INT_STACKS_KEEP = 3 * INT_STACKS_BATCH };
void int_stacks_refill(struct worker *w);
void int_stacks_spill(struct worker *w);

/* The stack of a packet; that of a packet without one is stack 0, which stays empty. */
static inline struct int_stack *packet_int_stack(const struct engine *e,
						 const struct weir_packet *packet)
{
	return &e->int_stacks[(uint32_t)packet->int_stack_index];
}

/* Gives a packet an empty stack. */
static inline void int_stack_attach(struct worker *w, struct weir_packet *packet)
{
	if (UNLIKELY(w->int_stacks.free == 0))
		int_stacks_refill(w);

	uint32_t index = w->int_stacks.free;
	struct int_stack *stack = &w->engine->int_stacks[index];

	w->int_stacks.free = stack->next_free;
	w->int_stacks.free_count--;
	stack->count = 0;
	packet->int_stack_index = index;
}

/* Moves the stack of a data packet to its ACK, or gives the ACK an empty one; data may be NULL. */
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

/* Exact count of the flows whose first packet has passed a port and whose last one has not: FDCC,
 * Algorithm 2. A hash table of connections, at most half full, that grows with the flows that pass
 * at the same time; O(1) for a packet. As in the thesis, a retransmission after the last packet
 * counts the flow again, until the last packet has passed again. */
struct flow_census {
	uint32_t *places; /* connection + 1; 0: free */
	uint32_t size;    /* a power of two, or 0 */
	uint32_t count;
};

enum flow_census_packet { FLOW_CENSUS_MORE, FLOW_CENSUS_LAST };

/* A packet of the connection passes; returns how many flows do, this one included even if it is its
 * last. */
uint32_t flow_census_pass(struct flow_census *s, uint32_t connection,
			  enum flow_census_packet packet);
void flow_census_free(struct flow_census *s);

/* Estimates the flows that pass a port in a base round-trip time. */
static inline uint32_t telemetry_flows(const struct engine *e, uint32_t link, uint32_t flow_hash,
				       int64_t now_ps)
{
	struct flow_count *c = (void *)(e->flow_counts + (size_t)link * TELEMETRY_COUNT_SIZE);

	return flow_count_table(c, (uint64_t)weir_ps_to_ns(e->base_rtt_ps), TELEMETRY_INDEX_MASK,
				flow_hash, weir_ps_to_ns(now_ps));
}

/* Flows that pass a port, this packet's included: exact, estimated, or 0 if no control needs it. */
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

/* A packet leaves the switch, from the tail slot of its in-flight queue: data gets this hop's INT
 * entry, if the stack has room. */
static inline ALWAYS_INLINE void telemetry_write(const struct engine *e, const struct egress *out,
						 const struct weir_packet *packet, int64_t start_ps)
{
	const struct weir_port *p = &out->port;
	struct int_stack *stack = packet_int_stack(e, packet);
	uint32_t flows;

	if (packet->flags & SEGMENT_ACK)
		return;
	flows = telemetry_passing(e, out->link, packet, start_ps);
	if (!packet->int_stack_index || stack->count == WEIR_CC_HOPS_MAX)
		return;
	stack->hop[stack->count++] = (struct weir_cc_hop){
		.link = out->link,
		.queue_bytes = p->bytes,
		.tx_bytes = (uint32_t)p->tx_bytes,
		.time_ns = (uint32_t)weir_ps_to_ns(start_ps),
		.rate_mbps = p->kind->rate_mbps,
		.flows = flows,
	};
}
#endif
