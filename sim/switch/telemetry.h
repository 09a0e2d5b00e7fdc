/* telemetry.h -- what switches write into data packets (in-band network telemetry), for controls that
 * need it. A packet is one cache line, so its notes lie beside it: one stack for each slot of the
 * packet store, moved along whenever the packet moves. The receiver copies them into the ACK. */
#ifndef SIM_SWITCH_TELEMETRY_H
#define SIM_SWITCH_TELEMETRY_H
#include "lib/mark/flow_count.h"
#include "sim/switch/flow_census.h"
#include "sim/host/host.h"
#include <string.h>

struct int_stack {
	uint32_t count;
	uint32_t rx_ns; /* of an ACK: the receiver's clock when it left */
	struct weir_cc_hop hop[WEIR_CC_HOPS_MAX];
};

static inline struct int_stack *packet_notes(const struct worker *w,
					     const struct weir_packet *packet)
{
	return &w->engine->notes[packet - w->pool.slots];
}

static inline void int_copy(struct int_stack *to, const struct int_stack *from)
{
	memcpy(to, from, offsetof(struct int_stack, hop) + from->count * sizeof(from->hop[0]));
}

enum {
	TELEMETRY_INDEX_BITS = 10,
	TELEMETRY_COUNT_SIZE = sizeof(struct flow_count) + (4 << TELEMETRY_INDEX_BITS),
};

/* Flows that pass a port, counted over a base round-trip time. */
static inline uint32_t telemetry_flows(const struct engine *e, uint32_t link, uint32_t flow_hash,
				       int64_t now_ps)
{
	struct flow_count *c = (void *)(e->flow_counts + (size_t)link * TELEMETRY_COUNT_SIZE);

	return flow_count_table(c, (uint64_t)weir_ps_to_ns(e->base_rtt_ps), TELEMETRY_INDEX_BITS,
				flow_hash, weir_ps_to_ns(now_ps));
}

/* How many flows pass a port, this packet's included, where that is counted. */
static inline uint32_t telemetry_passing(const struct engine *e, uint32_t link,
					 const struct weir_packet *packet, int64_t now_ps)
{
	if (e->flow_censuss)
		return flow_census_pass(&e->flow_censuss[link],
					packet_segment((struct weir_packet *)packet)->connection,
					packet->flags & SEGMENT_LAST ? FLOW_CENSUS_LAST
								     : FLOW_CENSUS_MORE);
	return e->flow_counts ? telemetry_flows(e, link, packet->flow_hash, now_ps) : 0;
}

/* A data packet leaves a port: one more note, while there is room. */
static inline void int_push(const struct engine *e, struct int_stack *s, const struct egress *out,
			    const struct weir_packet *packet, int64_t start_ps)
{
	const struct weir_port *p = &out->port;
	uint32_t link = e->net->line_link[out->line];
	uint32_t flows = telemetry_passing(e, link, packet, start_ps);

	if (s->count == WEIR_CC_HOPS_MAX)
		return;
	s->hop[s->count++] = (struct weir_cc_hop){
		.link = link,
		.queue_bytes = p->bytes,
		.tx_bytes = (uint32_t)p->tx_bytes,
		.time_ns = (uint32_t)weir_ps_to_ns(start_ps),
		.rate_mbps = (uint32_t)(p->kind->rate_bps / 1000000),
		.flows = flows,
	};
}

/* host_control for a packet with notes. */
static __attribute__((unused, noinline)) void host_control_notes(struct worker *w, struct host *h,
								 struct weir_packet *packet,
								 const struct weir_packet *spare,
								 const struct int_stack *notes)
{
	if (h->paused & HOST_QUEUED) /* which then takes them along from there */
		int_copy(packet_notes(w, egress_place(w, h->out)), notes);
	if (packet != spare) {
		int_copy(packet_notes(w, packet), notes);
		host_control(w, h, packet, spare);
		return;
	}
	host_control(w, h, packet, spare);
	if (h->paused & HOST_QUEUED)
		return;

	const struct weir_queue *q =
		weir_port_queues(&h->out->port) + host_queue(h, packet->class_id);

	int_copy(&w->engine->notes[q->tail - 1], notes);
}
#endif
