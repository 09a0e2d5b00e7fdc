/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_receive.c -- the receiving end of a TCP connection, where it is not that of all. ECN echo:
 * classic (RFC 3168: every ACK until CWR) or exact (RFC 8257: an ACK speaks only of packets that
 * were all marked or all not marked). */
#include "sim/core/receiver.h"

/* A mark on a SYN or on its answer says nothing to anybody: there is no window to cut yet. */
static void answer_syn(struct worker *w, struct host *h, struct receiver *r, int64_t sent_ps)
{
	r->echo_ps = sent_ps;
	receiver_send_ack(w, h, r, receiver_transport(w->engine, r)->syn_flags | SEGMENT_ACK, NULL);
}

void tcp_on_data(struct worker *w, struct host *h, struct receiver *r, struct weir_packet *packet)
{
	const struct transport *t = receiver_transport(w->engine, r);

	if (packet->flags & SEGMENT_SYN)
		answer_syn(w, h, r, packet_segment(packet)->sent_ps);
	else
		receiver_accept(w, h, r, t, packet, receiver_update_echo(w, h, r, t, packet),
				WEIR_CC_TCP);
}
