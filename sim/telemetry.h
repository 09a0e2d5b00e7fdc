/* telemetry.h -- what switches write into data packets (in-band network telemetry), for controls that
 * need it. A packet is one cache line, so its notes lie beside it: one stack for each slot of the
 * packet store, moved along whenever the packet moves. The receiver copies them into the ACK. */
#ifndef SIM_TELEMETRY_H
#define SIM_TELEMETRY_H
#include "sim/host.h"
#include <string.h>

struct int_stack {
	uint32_t count;
	uint32_t unused;
	struct cc_hop hop[CC_HOPS_MAX];
};

static inline struct int_stack *packet_notes(const struct worker *w, const struct packet *packet)
{
	return &w->engine->notes[packet - w->pool.slots];
}

static inline void int_copy(struct int_stack *to, const struct int_stack *from)
{
	to->count = from->count;
	memcpy(to->hop, from->hop, from->count * sizeof(from->hop[0]));
}

/* A data packet leaves a port: one more note, while there is room. */
static inline void int_push(struct int_stack *s, const struct port *p, uint32_t link,
			    int64_t start_ps)
{
	if (s->count == CC_HOPS_MAX)
		return;
	s->hop[s->count++] = (struct cc_hop){
		.link = link,
		.queue_bytes = p->bytes,
		.tx_bytes = (uint32_t)p->tx_bytes,
		.time_ns = (uint32_t)ps_to_ns(start_ps),
		.rate_mbps = (uint32_t)(p->class->rate_bps / 1000000),
	};
}

/* host_control for a packet with notes. */
static __attribute__((unused, noinline)) void host_control_notes(struct worker *w, struct host *h,
								 struct packet *packet,
								 const struct packet *spare,
								 const struct int_stack *notes)
{
	if (packet != spare) {
		int_copy(packet_notes(w, packet), notes);
		host_control(w, h, packet, spare);
		return;
	}
	host_control(w, h, packet, spare);

	const struct queue *q = port_queues(&h->out->port) + host_queue(h, packet->class_id);

	int_copy(&w->engine->notes[q->tail - 1], notes);
}
#endif
