/* SPDX-License-Identifier: BSD-3-Clause */
/* rdma_receive.c -- the receiving end of a queue pair, where it is not that of all: notification
 * packets (DCQCN, SIGCOMM 2015, section 3.1) and the refusal of data out of order. */
#include "config/config.h"
#include "sim/core/receiver.h"

/* --- notifications --- */

/* Data came, and it or some before it was marked: a notification, unless there was one just now. At
 * most one in an interval; a mark that comes too early is answered by the first packet after it. */
static void notify(struct worker *w, struct host *h, struct receiver *r, const struct transport *t)
{
	const struct engine *e = w->engine;
	struct rdma_receiver *more = receiver_rdma(r);
	struct weir_packet spare, *packet;

	more->marked = 1;
	if (more->notified_ps && h->now_ps - more->notified_ps < t->cnp_interval_ps)
		return;
	more->notified_ps = h->now_ps;
	more->marked = 0;
	packet = nic_control_place(w, h, &spare);
	packet->flow_hash = r->flow_hash;
	packet->bytes = t->ack_bytes;
	packet->class_id = dscp_cnp_class(e->config, r->class_id);
	packet->slack_ps = 0;
	packet->flags = SEGMENT_CNP | t->ack_flags;
	*packet_segment(packet) = (struct segment){
		.path = h->now_ps < r->path_until_ps ? r->path : receiver_path(e, h, r),
		.connection = r->connection,
		.expected = r->next,
		.sent_ps = h->now_ps,
	};
	nic_send_control(w, h, packet, &spare);
}

/* --- data --- */

/* Data that is not the next: go back n takes none of it, and asks once for what is missing. */
static void refuse(struct worker *w, struct host *h, struct receiver *r, struct weir_packet *packet)
{
	const struct transport *t = receiver_transport(w->engine, r);
	struct rdma_receiver *more = receiver_rdma(r);

	if (more->refused == r->next + 1)
		return;
	more->refused = r->next + 1;
	receiver_ack(w, h, r, t, SEGMENT_NACK | receiver_ack_flags(t, r), packet, WEIR_CC_RDMA);
}

/* An ACK echoes when the last packet that it is for was sent. */
void rdma_on_data(struct worker *w, struct host *h, struct receiver *r, struct weir_packet *packet)
{
	const struct transport *t = receiver_transport(w->engine, r);
	const struct segment *data = packet_segment(packet);
	int ack_at_once = receiver_update_echo(w, h, r, t, packet);

	r->echo_ps = data->sent_ps;
	if ((packet->flags & WEIR_PACKET_CE || receiver_rdma(r)->marked) && t->cnp_interval_ps >= 0)
		notify(w, h, r, t);
	if (t->go_back_n && segment_before(r->next, data->number))
		refuse(w, h, r, packet);
	else
		receiver_accept(w, h, r, t, packet, ack_at_once, WEIR_CC_RDMA);
}
