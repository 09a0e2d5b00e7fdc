/* rdma_receive.c -- what the receiving end of a queue pair does more than TCP's: notification packets
 * (DCQCN, SIGCOMM 2015, section 3.1) and the refusal of data out of order. */
#include "sim/host/host.h"
#include "sim/switch/telemetry.h"

/* At most one in an interval; a mark that comes too early is answered by the first packet after it. */
void rdma_notify(struct worker *w, struct host *h, struct receiver *r, int marked)
{
	const struct engine *e = w->engine;
	const struct transport *t = &e->transports[r->transport];
	struct rdma_receiver *more = receiver_rdma(r);
	struct weir_packet spare, *packet;

	more->marked |= (uint32_t)marked;
	if (!more->marked ||
	    (more->notified_ps && h->now_ps - more->notified_ps < t->cnp_interval_ps))
		return;
	more->notified_ps = h->now_ps;
	more->marked = 0;
	packet = host_control_place(w, h, &spare);
	packet->flow_hash = r->flow_hash;
	packet->bytes = (uint16_t)t->header_bytes;
	packet->class_id = r->class_id;
	packet->slack_ps = 0;
	packet->flags = SEGMENT_CNP | t->ack_flags;
	*packet_segment(packet) = (struct segment){
		.path = h->now_ps < r->path_until_ps ? r->path : receiver_path(e, h, r),
		.connection = r->connection,
		.number = r->next,
		.sent_ps = h->now_ps,
	};
	if (e->notes) {
		const struct int_stack none = { .count = 0 };

		host_control_notes(w, h, packet, &spare, &none);
	} else {
		host_control(w, h, packet, &spare);
	}
}

int rdma_refuse(struct receiver *r)
{
	struct rdma_receiver *more = receiver_rdma(r);

	if (more->refused == r->next + 1)
		return -1;
	more->refused = r->next + 1;
	return 0;
}
