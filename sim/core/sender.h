/* SPDX-License-Identifier: BSD-3-Clause */
/* sender.h -- what the sending ends of all transports have in common: messages in segments, the
 * retransmission timer (RFC 6298), putting a segment on the line. For sim/core/sender.c,
 * sim/core/rack.c and the transports only. */
#ifndef SIM_CORE_SENDER_H
#define SIM_CORE_SENDER_H
#include "base/compiler.h"
#include "sim/core/host.h"

static inline struct sender *sender_at(const struct worker *w, uint32_t handle)
{
	return slab_at(&w->senders, handle);
}

/* --- sender.c --- */

int64_t sender_timeout_ns(const struct engine *e, const struct sender *s);

/* Has the heap ask when the timer would run out as things stand, unless it asks earlier anyway. */
void sender_arm(const struct engine *e, struct host *h, struct sender *s);
void sender_start_timer(const struct engine *e, struct host *h, struct sender *s, int64_t now_ps);
void sender_begin_stretch(const struct engine *e, struct sender *s);
uint64_t sender_path(const struct engine *e, const struct host *h, struct sender *s,
		     int64_t now_ps);

/* The message of a segment that is sent again. */
const struct flow *sender_resent_message(const struct engine *e, struct sender *s,
					 uint32_t segment);

/* Counts the messages of which something is sent again, each once. */
static inline void sender_count_resent(struct host *h, struct sender *s, const struct flow *message)
{
	if (message->end_segment <= s->resent_end)
		return;
	s->resent_end = message->end_segment;
	h->retransmitted_flows++;
}

/* Where nothing more will come after what was acknowledged, the connection is gone. 0: not yet. */
int sender_may_finish(struct worker *w, struct sender *s, uint32_t handle);

/* --- tcp_send.c --- */

void tcp_open(struct worker *w, struct host *h, struct sender *s);
void tcp_try_to_send(struct worker *w, struct host *h, struct sender *s, uint32_t handle);
void tcp_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps);
void tcp_on_ack(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		struct weir_packet *packet);
void tcp_on_timeout(struct worker *w, struct host *h, struct sender *s, uint32_t handle);
void tcp_on_timer(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		  enum timer_kind kind);

/* --- rdma_send.c --- */

void rdma_open(struct worker *w, struct host *h, struct sender *s);
void rdma_try_to_send(struct worker *w, struct host *h, struct sender *s, uint32_t handle);
int rdma_is_due(struct host *h, struct sender *s);
void rdma_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps);
void rdma_on_ack(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		 struct weir_packet *packet);
void rdma_on_timeout(struct worker *w, struct host *h, struct sender *s, uint32_t handle);
void rdma_on_timer(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		   enum timer_kind kind);

/* --- in line --- */

static inline int sender_finished(struct worker *w, struct sender *s, uint32_t handle)
{
	return s->una == s->next && sender_may_finish(w, s, handle);
}

/* The cumulative point has moved: the timer starts anew (RFC 6298, 5.3). The heap is left alone as
 * long as the timeout has not become shorter than what it was asked for. */
static inline void sender_restart_timer(const struct engine *e, const struct transport *t,
					struct host *h, struct sender *s)
{
	s->progress_ps = h->now_ps;
	if (s->armed_ns > t->rto_min_ns && sender_timeout_ns(e, s) < s->armed_ns)
		sender_arm(e, h, s);
}

/* One sample a round trip, RFC 6298, section 4. */
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

/* Payload of segment next, which is about to be sent for the first time. */
static inline uint32_t sender_next_payload(const struct engine *e, const struct transport *t,
					   struct sender *s)
{
	if (s->next + 1 < s->send_end)
		return t->env.mss_bytes;
	if (s->next >= s->send_end)
		sender_begin_stretch(e, s);
	return message_payload(e, flow_at(e, s->send_message), s->next);
}

/* Puts a segment that is to be sent again, or else the next one, on the card's line. Returns the
 * packet there. */
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

		const struct flow *message = sender_resent_message(e, s, number);

		payload = message_payload(e, message, number);
		packet->class_id = message_class(e, message, number);
		packet->slack_ps = message_slack_ps(e, message);
		h->retransmits++;
		sender_count_resent(h, s, message);
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
		sender_start_timer(e, h, s, start_ps);
	if (UNLIKELY(has_board) && s->board->rack)
		rack_sent(e, h, s, number, start_ps);
	h->made_pkts++;
	return packet;
}
#endif
