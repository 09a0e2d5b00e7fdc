/* SPDX-License-Identifier: BSD-3-Clause */
/* sender.h -- what the senders of all transports share: messages as segments, the retransmission
 * timer (RFC 6298), building a segment.
 *
 * Called by sender.c, rack.c and the transports, on the worker that owns the host. */
#ifndef SIM_CORE_SENDER_H
#define SIM_CORE_SENDER_H
#include "base/compiler.h"
#include "sim/core/host.h"

static inline struct sender *sender_at(const struct worker *w, uint32_t handle)
{
	return slab_at(&w->senders, handle);
}

/* --- sender.c --- */

/* The retransmission timeout with backoff: RTO of RFC 6298, section 2, within the transport's
 * bounds. */
int64_t sender_rto_ns(const struct engine *e, const struct sender *s);

/* Makes sure that a host timer fires by the time the RTO expires: sets one unless an earlier one is
 * set already. */
void sender_arm_rto(const struct engine *e, struct host *h, struct sender *s);
void sender_start_rto(const struct engine *e, struct host *h, struct sender *s, int64_t now_ps);

/* Segment next is the first of a message, or of the part of it that has another class: loads that
 * message and class into the sender. */
void sender_load_message(const struct engine *e, struct sender *s);

/* As host_path, for data. */
uint64_t sender_path(const struct engine *e, const struct host *h, struct sender *s,
		     int64_t now_ps);

/* The message of a segment that was sent already and is not acknowledged: what a retransmission
 * carries. Also moves una_message to the message of una. */
const struct flow *sender_message_of(const struct engine *e, struct sender *s, uint32_t segment);

/* Counts messages with at least one retransmission, each once. */
static inline void sender_count_retransmitted(struct host *h, struct sender *s,
					      const struct flow *message)
{
	if (message->end_segment <= s->retransmitted_end)
		return;
	s->retransmitted_end = message->end_segment;
	h->retransmitted_flows++;
}

/* Everything sent is acknowledged. Closes the connection if no message can follow: returns 1, and
 * the handle is no longer valid. */
int sender_close_if_done(struct worker *w, struct sender *s, uint32_t handle);

/* --- in line --- */

/* The cumulative ACK has advanced: the RTO starts anew (RFC 6298, 5.3). Leaves the timer heap alone
 * unless the RTO has become shorter than the one the heap's timer was set for. */
static inline void sender_restart_rto(const struct engine *e, const struct transport *t,
				      struct host *h, struct sender *s)
{
	s->progress_ps = h->now_ps;
	if (s->armed_ns > t->rto_min_ns && sender_rto_ns(e, s) < s->armed_ns)
		sender_arm_rto(e, h, s);
}

/* SRTT and RTTVAR, RFC 6298, section 2, from one sample a round trip (section 4). Karn's algorithm
 * is not needed: an ACK echoes when the packet that it answers was sent. */
static inline void sender_sample_rtt(struct sender *s, int64_t rtt_ns)
{
	s->rtt_end = s->next;
	if (rtt_ns <= 0)
		rtt_ns = 1;
	if (!s->srtt_ns) {
		s->srtt_ns = rtt_ns << 3;
		s->rttvar_ns = rtt_ns << 1;
		return;
	}

	int64_t error_ns = rtt_ns - (s->srtt_ns >> 3);

	s->srtt_ns += error_ns;
	s->rttvar_ns += (error_ns < 0 ? -error_ns : error_ns) - (s->rttvar_ns >> 2);
}

/* Payload of segment next, about to be sent for the first time. */
static inline uint32_t sender_next_payload(const struct engine *e, const struct transport *t,
					   struct sender *s)
{
	if (s->next + 1 < s->send_end)
		return t->env.mss_bytes;
	if (s->next >= s->send_end)
		sender_load_message(e, s);
	return message_payload(e, flow_at(e, s->send_message), s->next);
}

/* Builds the packet of the next segment, retransmissions first, in the next slot of the NIC's link,
 * and returns it. The caller sends it (nic_send, nic_send_or_enqueue). sender_can_send holds. */
static inline ALWAYS_INLINE struct weir_packet *
sender_build_segment(struct worker *w, struct host *h, struct sender *s, const struct transport *t,
		     int64_t start_ps)
{
	const struct engine *e = w->engine;
	struct weir_packet *packet = link_reserve(w, h->out);
	uint32_t number = s->next, payload;
	int has_board = s->board != NULL;
	uint8_t flags = t->data_flags;

	if (s->lost) {
		number = scoreboard_retransmit(s);

		const struct flow *message = sender_message_of(e, s, number);

		payload = message_payload(e, message, number);
		packet->class_id = message_class(e, message, number);
		packet->slack_ps = message_slack_ps(e, message);
		h->retransmits++;
		sender_count_retransmitted(h, s, message);
	} else {
		if (has_board)
			scoreboard_extend(w, s);
		payload = sender_next_payload(e, t, s);
		packet->class_id = s->class_id;
		packet->slack_ps = s->slack_ps;
		s->next++;
		if (s->send_cwr) {
			flags |= SEGMENT_CWR;
			s->send_cwr = 0;
		}
	}
	packet->flow_hash = s->flow_hash;
	packet->bytes = (uint16_t)(payload + t->header_bytes);
	packet->flags = flags;
	*packet_segment(packet) = (struct segment){
		.path = start_ps < s->path_until_ps ? s->path : sender_path(e, h, s, start_ps),
		.connection = s->connection,
		.number = number,
		.sent_ps = start_ps,
		.payload_bytes = (uint16_t)payload,
	};
	if (!s->timer_on)
		sender_start_rto(e, h, s, start_ps);
	if (UNLIKELY(has_board) && s->board->rack)
		rack_sent(e, h, s, number, start_ps);
	h->made_pkts++;
	return packet;
}
#endif
