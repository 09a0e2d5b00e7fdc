/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c -- TCP: congestion window, loss recovery and ECN of a sender, ECN echo of a receiver. Runs
 * on the worker that owns the host.
 *
 * Loss recovery after RFC 6675 (scoreboard.c) or RFC 8985 (rack.c), RTO after RFC 6298. Window
 * reductions are spread by proportional rate reduction (RFC 6937) as in Linux, or made at once.
 * Reductions for ECN echoes happen at most once per window of data: a new one only when everything
 * sent before the last has been acknowledged. The window itself belongs to the congestion control
 * (weir/cc.h).
 *
 * ECN echo: classic (RFC 3168: ECE on every ACK until CWR) or exact (RFC 8257: an ACK covers
 * packets that were all marked or all not marked).
 *
 * Differs: windows count whole segments, so that a short last segment weighs as much as a full one,
 * as in Linux. */
#include "base/compiler.h"
#include "sim/core/receiver.h"
#include "sim/core/sender.h"
#include <assert.h>
#include <string.h>

/* A congestion control with exact echo has ECN-capable SYNs and SYN-ACKs: queues that mark would
 * drop others (RFC 8257, section 3.5). With classic ECN neither is (RFC 3168, section 6.1.1). */
static void tcp_plan(struct transport *t, const struct engine *e)
{
	const struct config *c = e->config;
	enum weir_cc_echo echo = weir_cc_echo_of(t->cc, t->cc_params);
	int ecn = echo != WEIR_CC_ECHO_NONE;

	t->env.mss_bytes = (uint32_t)c->host.mss_bytes;
	t->env.initial_window_bytes = c->host.initial_window_pkts * c->host.mss_bytes;
	t->max_window_bytes = c->host.max_window_bytes;
	t->header_bytes = t->ack_bytes = (uint16_t)c->host.header_bytes;
	t->acks_per = (uint32_t)c->host.acks_per;
	t->rto_min_ns = weir_ps_to_ns((int64_t)c->host.rto_min_ps);
	t->rto_initial_ns = weir_ps_to_ns((int64_t)c->host.rto_initial_ps);
	t->exact_echo = echo == WEIR_CC_ECHO_EXACT;
	t->data_flags = ecn ? WEIR_PACKET_ECT : 0;
	t->ack_flags = SEGMENT_ACK | (ecn && c->host.ecn_acks ? WEIR_PACKET_ECT : 0);
	t->syn_flags = SEGMENT_SYN | (echo == WEIR_CC_ECHO_EXACT ? WEIR_PACKET_ECT : 0);
	t->prr = c->host.recovery == RECOVERY_PRR;
	t->idle_restart = c->host.idle_restart != 0;
	t->rack = config_has_rack(c) != 0;
	t->tail_probe = c->host.tail_probe != 0;
}

/* --- sending --- */

/* Allows that many bytes in flight, rounded down to whole segments. */
static inline void tcp_allow(const struct transport *t, struct sender *s, uint64_t bytes)
{
	s->allowed_pkts = (uint32_t)(bytes / t->env.mss_bytes);
}

static inline ALWAYS_INLINE struct weir_packet *tcp_build_segment(struct worker *w, struct host *h,
								  struct sender *s,
								  const struct transport *t,
								  int64_t start_ps)
{
	struct weir_packet *packet = sender_build_segment(w, h, s, t, start_ps);

	if (s->state == SENDER_CWR || s->state == SENDER_RECOVERY)
		s->prr_out += t->env.mss_bytes;
	return packet;
}

static void tcp_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps)
{
	const struct transport *t = sender_transport(w->engine, s);

	nic_send_or_enqueue(w, h, tcp_build_segment(w, h, s, t, start_ps), start_ps);
}

/* The sender may have become able to send: sends a segment if the NIC is idle, else makes the
 * sender ready. Inlined into the ACK path. */
static inline ALWAYS_INLINE void tcp_try_send_inline(struct worker *w, struct host *h,
						     struct sender *s, uint32_t handle,
						     const struct transport *t)
{
	if (s->in_ready || !sender_can_send(s))
		return;
	if (!(h->pending | h->paused) && h->out->port.free_ps <= h->now_ps) {
		nic_send(w, h, tcp_build_segment(w, h, s, t, h->now_ps), h->now_ps);
		if (sender_can_send(s))
			host_make_ready_again(w, h, s, handle);
	} else {
		host_make_ready(w, h, s, handle);
	}
}

static NOINLINE void tcp_try_send_slow(struct worker *w, struct host *h, struct sender *s,
				       uint32_t handle)
{
	tcp_try_send_inline(w, h, s, handle, sender_transport(w->engine, s));
}

/* New data after an idle period. One longer than the RTO resets the window to the initial window
 * and keeps ssthresh (RFC 5681, section 4.1). Linux halves the window for each RTO that has passed
 * and raises ssthresh; the plain rule is the standard's, and the strictest.
 *
 * Differs: the idle period begins with the last ACK, a round trip after the last segment was
 * sent. */
static void tcp_restart_after_idle(const struct engine *e, const struct host *h, struct sender *s)
{
	const struct transport *t = sender_transport(e, s);
	struct weir_cc_window *window = sender_cc(s);
	uint64_t initial_bytes = t->env.initial_window_bytes;

	if (s->una != s->next || window->window_bytes <= initial_bytes ||
	    h->now_ps - s->progress_ps <= weir_ns_to_ps(sender_rto_ns(e, s)))
		return;
	window->window_bytes = initial_bytes;
	if (t->cc->restart)
		t->cc->restart(window, t->cc_params, &t->env);
	tcp_allow(t, s, initial_bytes < t->max_window_bytes ? initial_bytes : t->max_window_bytes);
}

static void tcp_try_send(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (sender_transport(w->engine, s)->idle_restart)
		tcp_restart_after_idle(w->engine, h, s);
	tcp_try_send_slow(w, h, s, handle);
}

/* --- opening --- */

static void tcp_send_syn(struct worker *w, struct host *h, struct sender *s)
{
	const struct engine *e = w->engine;
	struct weir_packet spare, *packet = nic_control_place(w, h, &spare);

	packet->flow_hash = s->flow_hash;
	packet->bytes = sender_transport(e, s)->header_bytes;
	packet->class_id = message_first_class(e, flow_at(e, s->connection));
	packet->slack_ps = 0;
	packet->flags = sender_transport(e, s)->syn_flags;
	*packet_segment(packet) = (struct segment){
		.path = h->now_ps < s->path_until_ps ? s->path : sender_path(e, h, s, h->now_ps),
		.connection = s->connection,
		.sent_ps = h->now_ps,
	};
	nic_send_control(w, h, packet, &spare);
	sender_start_rto(e, h, s, h->now_ps);
}

static void tcp_open(struct worker *w, struct host *h, struct sender *s)
{
	const struct transport *t = sender_transport(w->engine, s);

	t->cc->init(sender_cc(s), t->cc_params, &t->env);
	tcp_allow(t, s, sender_cc(s)->window_bytes);
	if (t->rack) {
		scoreboard_open_rack(w, s);
		if (config_sprays(w->engine->config))
			rack_expect_reordering(s, 0);
	}
	if (w->engine->config->host.handshake) {
		s->state = SENDER_SYN;
		s->allowed_pkts = 0;
		tcp_send_syn(w, h, s);
	}
}

/* --- congestion --- */

/* Reduces the window: calls the congestion control and enters the state that carries the reduction
 * out. */
static void tcp_reduce_window(const struct engine *e, struct sender *s, enum weir_cc_event event,
			      const struct weir_cc_ack *a)
{
	const struct transport *t = sender_transport(e, s);

	s->prr_flight = (s->next - s->una) * (uint64_t)t->env.mss_bytes + a->acked_bytes;
	s->prr_delivered = s->prr_out = 0;
	s->recover = s->next;
	t->cc->congestion(sender_cc(s), t->cc_params, &t->env, event, a);
	s->state = event == WEIR_CC_ECN    ? SENDER_CWR
		   : event == WEIR_CC_LOSS ? SENDER_RECOVERY
					   : SENDER_LOSS;
	if (event == WEIR_CC_ECN && !t->exact_echo)
		s->send_cwr = 1;
	if (event != WEIR_CC_ECN && s->board->rack)
		s->board->rack->probe = PROBE_NONE;
}

/* RFC 6937, section 3: bytes that may be in flight after this ACK, during a reduction. While pipe >
 * ssthresh,
 *	sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out
 * else slow start up to ssthresh, bounded by the slow-start reduction bound
 *	limit = MAX(prr_delivered - prr_out, DeliveredData) + MSS */
static uint64_t tcp_prr_bytes(const struct sender *s, uint64_t ssthresh_bytes,
			      uint64_t delivered_bytes, uint64_t mss)
{
	uint64_t pipe_bytes = sender_in_flight(s) * mss, send_bytes = 0;

	if (pipe_bytes > ssthresh_bytes) {
		uint64_t due =
			(s->prr_delivered * ssthresh_bytes + s->prr_flight - 1) / s->prr_flight;

		if (due > s->prr_out)
			send_bytes = due - s->prr_out;
	} else {
		uint64_t limit = s->prr_delivered > s->prr_out ? s->prr_delivered - s->prr_out : 0;

		if (limit < delivered_bytes)
			limit = delivered_bytes;
		limit += mss;
		send_bytes = ssthresh_bytes - pipe_bytes;
		if (send_bytes > limit)
			send_bytes = limit;
	}
	/* The first packet, which may be a fast retransmission, is sent at once. */
	if (s->prr_out == 0 && send_bytes < mss)
		send_bytes = mss;
	return pipe_bytes + send_bytes;
}

static inline ALWAYS_INLINE void tcp_update_allowed(const struct transport *t, struct sender *s,
						    struct weir_cc_window *window,
						    uint64_t delivered_bytes)
{
	uint64_t bytes = window->window_bytes < t->max_window_bytes ? window->window_bytes
								    : t->max_window_bytes;

	if (t->prr && (s->state == SENDER_CWR || s->state == SENDER_RECOVERY)) {
		s->prr_delivered += delivered_bytes;
		bytes = tcp_prr_bytes(s, window->ssthresh_bytes, delivered_bytes, t->env.mss_bytes);
	}
	tcp_allow(t, s, bytes);
	/* The first retransmission does not wait for the window (RFC 6675, section 5, step 4.3). */
	if (s->state == SENDER_RECOVERY && !s->prr_out && s->allowed_pkts <= sender_in_flight(s))
		s->allowed_pkts = sender_in_flight(s) + 1;
}

/* Was the sender limited by the window? Where it was not, the window must not grow (the concern of
 * RFC 7661). */
static int tcp_is_window_limited(const struct weir_cc_window *window, uint32_t flight_pkts,
				 uint64_t mss)
{
	uint64_t used = flight_pkts * mss;

	if (window->window_bytes < window->ssthresh_bytes)
		return 2 * used >= window->window_bytes;
	return used + mss > window->window_bytes;
}

/* --- ACKs --- */

/* A recovery is over when everything sent before it is acknowledged. A reduction for an ECN echo
 * lasts one segment longer: the ACK of the last segment sent before it may still carry an echo. */
static inline int tcp_reduction_is_over(const struct sender *s)
{
	int32_t beyond = (int32_t)(s->una - s->recover);

	return s->state == SENDER_CWR ? beyond > 0 : beyond >= 0;
}

static inline void tcp_end_reduction(struct sender *s)
{
	if (s->state != SENDER_CWR && s->board && s->board->rack)
		rack_recovered(s);
	s->state = SENDER_OPEN;
}

static inline int tcp_window_may_grow(const struct transport *t, struct sender *s,
				      uint32_t flight_pkts)
{
	return (s->state == SENDER_OPEN || s->state == SENDER_LOSS) &&
	       tcp_is_window_limited(sender_cc(s), flight_pkts, t->env.mss_bytes);
}

/* Losses were detected: enters fast recovery, unless a recovery is in progress. */
static void tcp_enter_recovery(const struct engine *e, struct sender *s,
			       const struct weir_cc_ack *a)
{
	if (s->state != SENDER_RECOVERY && s->state != SENDER_LOSS)
		tcp_reduce_window(e, s, WEIR_CC_LOSS, a);
}

/* Only while there is a scoreboard: something is out of order, or RACK is on. */
static void tcp_detect_losses(struct worker *w, struct host *h, struct sender *s,
			      const struct weir_cc_ack *a, const struct segment *ack)
{
	if (s->board->rack) {
		rack_on_ack(h, s, ack);
		if (rack_detect(h, s) + (uint32_t)rack_probe_found_loss(s, ack))
			tcp_enter_recovery(w->engine, s, a);
		if (sender_transport(w->engine, s)->tail_probe)
			rack_plan_probe(w->engine, h, s);
	} else if (scoreboard_detect(s)) {
		tcp_enter_recovery(w->engine, s, a);
	}
	scoreboard_close_if_clean(w, s);
}

/* Passes an ACK to the congestion control and loss detection, and applies the new window. */
static inline ALWAYS_INLINE void tcp_apply_ack(struct worker *w, struct host *h, struct sender *s,
					       const struct transport *t,
					       const struct weir_cc_ack *a,
					       const struct segment *ack)
{
	struct weir_cc_window *window = sender_cc(s);

	if (a->acked_bytes)
		t->cc->ack(window, t->cc_params, &t->env, a);
	if (s->board)
		tcp_detect_losses(w, h, s, a, ack);
	if (a->echo && s->state == SENDER_OPEN)
		tcp_reduce_window(w->engine, s, WEIR_CC_ECN, a);
	tcp_update_allowed(t, s, window, a->acked_bytes);
}

static void tcp_on_syn_ack(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (s->state != SENDER_SYN)
		return;
	s->state = SENDER_OPEN;
	tcp_allow(sender_transport(w->engine, s), s, sender_cc(s)->window_bytes);
	s->timer_on = 0;
	s->backoff = 0;
	tcp_try_send_slow(w, h, s, handle);
}

static void tcp_on_ack(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		       struct weir_packet *packet)
{
	const struct engine *e = w->engine;
	const struct transport *t = sender_transport(e, s);
	const struct segment *ack = packet_segment(packet);
	uint32_t flight_pkts = sender_in_flight(s), delivered = 0;
	uint64_t mss = t->env.mss_bytes;
	int64_t rtt_ns = weir_ps_to_ns(h->now_ps - ack->echo_ps);

	if ((int32_t)(ack->expected - s->rtt_end) >= 0)
		sender_sample_rtt(s, rtt_ns);
	if (packet->flags & SEGMENT_SYN) {
		tcp_on_syn_ack(w, h, s, handle);
		return;
	}
	if ((int32_t)(ack->expected - s->una) > 0) {
		delivered = scoreboard_ack(s, ack->expected);
		s->backoff = 0;
		sender_restart_rto(e, t, h, s);
	}
	if (ack->sack[0].count)
		delivered += scoreboard_sack(w, s, ack);
	if (s->state != SENDER_OPEN && tcp_reduction_is_over(s))
		tcp_end_reduction(s);

	uint32_t echo = (packet->flags & SEGMENT_ECE) != 0;

	struct weir_cc_ack a = {
		.now_ns = weir_ps_to_ns(h->now_ps),
		.rtt_ns = rtt_ns,
		.acked_bytes = delivered * mss,
		.una_bytes = s->una * mss,
		.next_bytes = s->next * mss,
		.echo = echo,
		.may_grow = !echo && tcp_window_may_grow(t, s, flight_pkts),
	};

	tcp_apply_ack(w, h, s, t, &a, ack);
	if (s->una == s->next) {
		s->timer_on = 0;
		if (sender_close_if_done(w, s, handle))
			return;
	}
	tcp_try_send_inline(w, h, s, handle, t);
}

/* --- timers --- */

/* For the congestion control, where an event is not caused by an ACK. */
static struct weir_cc_ack tcp_no_ack(const struct transport *t, const struct host *h,
				     const struct sender *s)
{
	uint64_t mss = t->env.mss_bytes;

	return (struct weir_cc_ack){
		.now_ns = weir_ps_to_ns(h->now_ps),
		.una_bytes = s->una * mss,
		.next_bytes = s->next * mss,
	};
}

static void tcp_on_rto(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	const struct engine *e = w->engine;
	const struct transport *t = sender_transport(e, s);
	struct weir_cc_ack a = tcp_no_ack(t, h, s);

	if (s->state == SENDER_SYN) {
		tcp_send_syn(w, h, s);
		return;
	}
	/* The backoff is reset as soon as una advances. */
	a.timed_out_again = s->state == SENDER_LOSS && s->backoff > 1;
	scoreboard_lose_all(w, s);
	tcp_reduce_window(e, s, WEIR_CC_TIMEOUT, &a);
	tcp_allow(t, s, sender_cc(s)->window_bytes);
	sender_start_rto(e, h, s, h->now_ps);
	tcp_try_send_slow(w, h, s, handle);
}

static void tcp_on_timer(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
			 enum timer_kind kind)
{
	const struct engine *e = w->engine;

	if (kind == TIMER_PROBE) {
		if (!rack_probe(e, h, s))
			return;
		/* The probe does not wait for the window, and the RTO starts anew (RFC 8985,
		 * section 7.3). */
		if (s->allowed_pkts <= sender_in_flight(s))
			s->allowed_pkts = sender_in_flight(s) + 1;
		sender_start_rto(e, h, s, h->now_ps);
	} else {
		const struct weir_cc_ack a = tcp_no_ack(sender_transport(e, s), h, s);

		if (!rack_reorder_is_due(h, s))
			return;
		if (rack_detect(h, s))
			tcp_enter_recovery(e, s, &a);
		tcp_update_allowed(sender_transport(e, s), s, sender_cc(s), 0);
	}
	tcp_try_send_slow(w, h, s, handle);
}

/* --- receiving --- */

/* A SYN is answered with a SYN-ACK, without ECN echo: there is no window to reduce yet. */
static void tcp_on_data(struct worker *w, struct host *h, struct receiver *r,
			struct weir_packet *packet)
{
	const struct transport *t = receiver_transport(w->engine, r);

	if (packet->flags & SEGMENT_SYN) {
		r->echo_ps = packet_segment(packet)->sent_ps;
		receiver_send_ack_slow(w, h, r, t->syn_flags | SEGMENT_ACK, NULL);
	} else {
		receiver_accept(w, h, r, t, packet, receiver_update_echo(w, h, r, t, packet),
				WEIR_CC_TCP);
	}
}

const struct transport_ops tcp_transport = {
	.plan = tcp_plan,
	.open = tcp_open,
	.try_send = tcp_try_send,
	.send = tcp_send,
	.on_ack = tcp_on_ack,
	.on_rto = tcp_on_rto,
	.on_timer = tcp_on_timer,
	.on_data = tcp_on_data,
};
