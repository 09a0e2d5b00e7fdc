/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.h -- what the receivers of all transports share: recording segments, ACKs, the ends of
 * messages.
 *
 * Called by receiver.c and the transports, on the worker that owns the host. `kind`, here and
 * below, is a compile-time constant in every specialised copy. */
#ifndef SIM_CORE_RECEIVER_H
#define SIM_CORE_RECEIVER_H
#include "base/compiler.h"
#include "sim/core/host.h"
#include "sim/core/telemetry.h"

static inline const struct transport *receiver_transport(const struct engine *e,
							 const struct receiver *r)
{
	return &e->transports[r->transport];
}

/* --- receiver.c --- */

/* As host_path, for ACKs. */
uint64_t receiver_path(const struct engine *e, const struct host *h, struct receiver *r);

/* Slow path of receiver_send_ack: not inlined, for any transport. */
void receiver_send_ack_slow(struct worker *w, struct host *h, struct receiver *r, uint8_t flags,
			    struct weir_packet *data);

/* Delays the ACK until more data arrives or host.ack-delay has passed; and sends a delayed one. */
void receiver_delay_ack(struct worker *w, struct host *h, struct receiver *r);
void receiver_send_delayed_ack(struct worker *w, struct host *h, struct receiver *r);

/* receiver.next has reached the end of a message: records completions and sends or delays the ACK.
 * May close the connection, which frees r. */
void receiver_end_message(struct worker *w, struct host *h, struct receiver *r,
			  struct weir_packet *packet, int ack_at_once);

/* --- in line --- */

static inline uint8_t receiver_ack_flags(const struct transport *t, const struct receiver *r)
{
	return t->ack_flags | r->echo;
}

/* data: the packet that triggers the ACK, which returns its INT stack; NULL: no packet. */
static inline ALWAYS_INLINE void receiver_send_ack(struct worker *w, struct host *h,
						   struct receiver *r, const struct transport *t,
						   uint8_t flags, struct weir_packet *data,
						   enum weir_cc_transport kind)
{
	struct weir_packet spare, *packet = nic_control_place(w, h, &spare);

	packet->flow_hash = r->flow_hash;
	packet->bytes = t->ack_bytes;
	packet->class_id = r->class_id;
	packet->slack_ps = 0;
	packet->flags = flags;
	*packet_segment(packet) = (struct segment){
		.path = h->now_ps < r->path_until_ps ? r->path : receiver_path(w->engine, h, r),
		.connection = r->connection,
		.expected = r->next,
		.echo_ps = r->echo_ps,
	};
	if (r->arrived_count)
		arrivals_report(r, packet_segment(packet));
	r->unacked_pkts = 0;
	if (kind == WEIR_CC_RDMA && UNLIKELY(w->engine->int_stacks != NULL))
		int_stack_return(w, packet, data, h->now_ps);
	nic_send_control(w, h, packet, &spare);
}

/* Updates the ECN echo from a data packet's CE mark; returns 1 where the packet calls for an ACK at
 * once. Exact echo, RFC 8257, section 3.2: a packet whose mark differs from the last one's does,
 * and the delayed ACK for the packets before it is sent first, with their echo. (The RFC leaves
 * that first ACK to the implementation; Linux sends both as well.) */
static inline int receiver_update_echo(struct worker *w, struct host *h, struct receiver *r,
				       const struct transport *t, const struct weir_packet *packet)
{
	const uint8_t echo = packet->flags & WEIR_PACKET_CE ? SEGMENT_ECE : 0;

	h->data_pkts++;
	if (echo) {
		h->marked_pkts++;
		r->marked_pkts++;
	}
	if (t->exact_echo) {
		int changed = echo != r->echo;

		if (changed && r->unacked_pkts)
			receiver_send_delayed_ack(w, h, r);
		r->echo = echo;
		return changed;
	}
	if (packet->flags & SEGMENT_CWR)
		r->echo = 0;
	r->echo |= echo;
	return 0;
}

/* Slow path of receiver_record: something is out of order, or the segment is a duplicate. */
int receiver_record_slow(struct worker *w, struct host *h, struct receiver *r,
			 const struct segment *data);

/* Records the segment as received; returns 1 where it calls for an ACK at once. */
static inline int receiver_record(struct worker *w, struct host *h, struct receiver *r,
				  const struct segment *data)
{
	uint32_t payload_bytes = data->payload_bytes;

	if (UNLIKELY(data->number != r->next || r->arrived_count))
		return receiver_record_slow(w, h, r, data);
	r->next++;
	r->bytes += payload_bytes;
	h->goodput_bytes += payload_bytes;
	return 0;
}

/* Data that the receiver keeps: records it and sends or delays the ACK. May close the connection,
 * which frees r. */
static inline ALWAYS_INLINE void receiver_accept(struct worker *w, struct host *h,
						 struct receiver *r, const struct transport *t,
						 struct weir_packet *packet, int ack_at_once,
						 enum weir_cc_transport kind)
{
	const struct segment *data = packet_segment(packet);

	ack_at_once |= receiver_record(w, h, r, data);
	if (r->unacked_pkts++ == 0 && kind == WEIR_CC_TCP)
		r->echo_ps = data->sent_ps;
	if (UNLIKELY(r->next >= r->message_end))
		receiver_end_message(w, h, r, packet, ack_at_once);
	else if (ack_at_once || r->unacked_pkts >= t->acks_per)
		receiver_send_ack(w, h, r, t, receiver_ack_flags(t, r), packet, kind);
	else
		receiver_delay_ack(w, h, r);
}
#endif
