/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp_send.c -- the sending end of a TCP connection: what to send, when to send it again.
 *
 * Loss recovery after RFC 6675, or RFC 8985 (rack.c), retransmission timer after RFC 6298, cuts
 * spread by proportional rate reduction (RFC 6937) as Linux does, or made at once. Cuts for ECN
 * echoes happen at most once per window of data: a new one only when everything sent before the
 * last has been acknowledged. The window itself belongs to the congestion control (cc.h).
 *
 * Differs: windows count whole segments, so that a short last segment weighs as much as a full one,
 * as in Linux. */
#include "base/compiler.h"
#include "sim/core/sender.h"
#include <assert.h>
#include <string.h>

/* So many bytes may be in flight: that many whole segments. */
static inline void allow(const struct transport *t, struct sender *s, uint64_t bytes)
{
	s->allowed_pkts = (uint32_t)(bytes / t->env.mss_bytes);
}

/* --- sending --- */

static inline ALWAYS_INLINE struct weir_packet *put_segment(struct worker *w, struct host *h,
							    struct sender *s,
							    const struct transport *t,
							    int64_t start_ps)
{
	struct weir_packet *packet = sender_build_segment(w, h, s, t, start_ps);

	if (s->state == SENDER_CWR || s->state == SENDER_RECOVERY)
		s->prr_out += t->env.mss_bytes;
	return packet;
}

void tcp_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps)
{
	const struct transport *t = sender_transport(w->engine, s);

	nic_send_or_enqueue(w, h, put_segment(w, h, s, t, start_ps), start_ps);
}

/* The sender may have become able to send: at once where the card is free, else in its turn. */
static inline ALWAYS_INLINE void try_here(struct worker *w, struct host *h, struct sender *s,
					  uint32_t handle, const struct transport *t)
{
	if (s->in_ready || !sender_can_send(s))
		return;
	if (!(h->work | h->paused) && h->out->port.free_ps <= h->now_ps) {
		nic_send(w, h, put_segment(w, h, s, t, h->now_ps), h->now_ps);
		if (sender_can_send(s))
			host_make_ready_again(w, h, s, handle);
	} else {
		host_make_ready(w, h, s, handle);
	}
}

static NOINLINE void try_rarely(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	try_here(w, h, s, handle, sender_transport(w->engine, s));
}

/* There is something to send again after a pause. One longer than the timeout leaves the initial
 * window and ssthresh as it was (RFC 5681, section 4.1). Linux comes down to that by halves, one
 * for each timeout that passed, and lifts ssthresh; the plain rule is the standard's, and the
 * strictest.
 *
 * Differs: a pause begins with the last ACK, a round trip after the last segment was sent. */
static void restart_after_pause(const struct engine *e, const struct host *h, struct sender *s)
{
	const struct transport *t = sender_transport(e, s);
	struct weir_cc_window *window = sender_cc(s);
	uint64_t initial_bytes = t->env.initial_window_bytes;

	if (s->una != s->next || window->window_bytes <= initial_bytes ||
	    h->now_ps - s->progress_ps <= weir_ns_to_ps(sender_timeout_ns(e, s)))
		return;
	window->window_bytes = initial_bytes;
	if (t->cc->restart)
		t->cc->restart(window, t->cc_params, &t->env);
	allow(t, s, initial_bytes < t->max_window_bytes ? initial_bytes : t->max_window_bytes);
}

void tcp_try_to_send(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (sender_transport(w->engine, s)->idle_restart)
		restart_after_pause(w->engine, h, s);
	try_rarely(w, h, s, handle);
}

/* --- starting --- */

static void send_syn(struct worker *w, struct host *h, struct sender *s)
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
	sender_start_timer(e, h, s, h->now_ps);
}

void tcp_open(struct worker *w, struct host *h, struct sender *s)
{
	const struct transport *t = sender_transport(w->engine, s);

	t->cc->init(sender_cc(s), t->cc_params, &t->env);
	allow(t, s, sender_cc(s)->window_bytes);
	if (t->rack) {
		scoreboard_open_rack(w, s);
		if (config_sprays(w->engine->config))
			rack_expect_reordering(s, 0);
	}
	if (w->engine->config->host.handshake) {
		s->state = SENDER_SYN;
		s->allowed_pkts = 0;
		send_syn(w, h, s);
	}
}

/* --- congestion --- */

/* Calls the control and enters the state that carries the cut out. */
static void cut(const struct engine *e, struct sender *s, enum weir_cc_event event,
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

/* RFC 6937: while a cut is carried out, how much may be in flight after this ACK. */
static uint64_t reduced_bytes(const struct sender *s, uint64_t ssthresh_bytes,
			      uint64_t arrived_bytes, uint64_t mss)
{
	uint64_t pipe_bytes = sender_in_flight(s) * mss, send_bytes = 0;

	if (pipe_bytes > ssthresh_bytes) {
		uint64_t due =
			(s->prr_delivered * ssthresh_bytes + s->prr_flight - 1) / s->prr_flight;

		if (due > s->prr_out)
			send_bytes = due - s->prr_out;
	} else {
		uint64_t limit = s->prr_delivered > s->prr_out ? s->prr_delivered - s->prr_out : 0;

		if (limit < arrived_bytes)
			limit = arrived_bytes;
		limit += mss;
		send_bytes = ssthresh_bytes - pipe_bytes;
		if (send_bytes > limit)
			send_bytes = limit;
	}
	/* One goes out at once, be it a repair. */
	if (s->prr_out == 0 && send_bytes < mss)
		send_bytes = mss;
	return pipe_bytes + send_bytes;
}

static inline ALWAYS_INLINE void update_allowed(const struct transport *t, struct sender *s,
						struct weir_cc_window *window,
						uint64_t arrived_bytes)
{
	uint64_t bytes = window->window_bytes < t->max_window_bytes ? window->window_bytes
								    : t->max_window_bytes;

	if (t->spread_cuts && (s->state == SENDER_CWR || s->state == SENDER_RECOVERY)) {
		s->prr_delivered += arrived_bytes;
		bytes = reduced_bytes(s, window->ssthresh_bytes, arrived_bytes, t->env.mss_bytes);
	}
	allow(t, s, bytes);
	/* The first repair does not wait for the window (RFC 6675, section 5, step 4.3). */
	if (s->state == SENDER_RECOVERY && !s->prr_out && s->allowed_pkts <= sender_in_flight(s))
		s->allowed_pkts = sender_in_flight(s) + 1;
}

/* Was the window what held the sender back? Where not, it must not grow (RFC 7661's concern). */
static int window_was_used(const struct weir_cc_window *window, uint32_t pipe_before, uint64_t mss)
{
	uint64_t used = pipe_before * mss;

	if (window->window_bytes < window->ssthresh_bytes)
		return 2 * used >= window->window_bytes;
	return used + mss > window->window_bytes;
}

/* --- ACKs --- */

/* A repair is over when everything sent before it is acknowledged. A cut for an echo lasts one
 * segment longer: the ACK of the last one sent before it may still carry an echo. */
static inline int cut_is_over(const struct sender *s)
{
	int32_t beyond = (int32_t)(s->una - s->recover);

	return s->state == SENDER_CWR ? beyond > 0 : beyond >= 0;
}

static inline void end_cut(struct sender *s)
{
	if (s->state != SENDER_CWR && s->board && s->board->rack)
		rack_recovered(s);
	s->state = SENDER_OPEN;
}

static inline int window_may_grow(const struct transport *t, struct sender *s, uint32_t pipe_before)
{
	return (s->state == SENDER_OPEN || s->state == SENDER_LOSS) &&
	       window_was_used(sender_cc(s), pipe_before, t->env.mss_bytes);
}

/* Segments were found to be lost: the repair begins, unless one is going on. */
static void repair(const struct engine *e, struct sender *s, const struct weir_cc_ack *a)
{
	if (s->state != SENDER_RECOVERY && s->state != SENDER_LOSS)
		cut(e, s, WEIR_CC_LOSS, a);
}

/* Something is out of order, or time is watched at all times. */
static void find_losses(struct worker *w, struct host *h, struct sender *s,
			const struct weir_cc_ack *a, const struct segment *ack)
{
	if (s->board->rack) {
		rack_on_ack(h, s, ack);
		if (rack_detect(h, s) + (uint32_t)rack_probe_found_loss(s, ack))
			repair(w->engine, s, a);
		if (sender_transport(w->engine, s)->tail_probe)
			rack_plan_probe(w->engine, h, s);
	} else if (scoreboard_detect(s)) {
		repair(w->engine, s, a);
	}
	scoreboard_close_if_clean(w, s);
}

/* What an ACK says to the congestion control, and what the control says to the sender. */
static inline ALWAYS_INLINE void react(struct worker *w, struct host *h, struct sender *s,
				       const struct transport *t, const struct weir_cc_ack *a,
				       const struct segment *ack)
{
	struct weir_cc_window *window = sender_cc(s);

	if (a->acked_bytes)
		t->cc->ack(window, t->cc_params, &t->env, a);
	if (s->board)
		find_losses(w, h, s, a, ack);
	if (a->echo && s->state == SENDER_OPEN)
		cut(w->engine, s, WEIR_CC_ECN, a);
	update_allowed(t, s, window, a->acked_bytes);
}

static void established(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (s->state != SENDER_SYN)
		return;
	s->state = SENDER_OPEN;
	allow(sender_transport(w->engine, s), s, sender_cc(s)->window_bytes);
	s->timer_on = 0;
	s->backoff = 0;
	try_rarely(w, h, s, handle);
}

void tcp_on_ack(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		struct weir_packet *packet)
{
	const struct engine *e = w->engine;
	const struct transport *t = sender_transport(e, s);
	const struct segment *ack = packet_segment(packet);
	uint32_t pipe_before = sender_in_flight(s), arrived = 0;
	uint64_t mss = t->env.mss_bytes;
	int64_t rtt_ns = weir_ps_to_ns(h->now_ps - ack->echo_ps);

	if ((int32_t)(ack->expected - s->rtt_end) >= 0)
		sender_sample_rtt(s, rtt_ns);
	if (packet->flags & SEGMENT_SYN) {
		established(w, h, s, handle);
		return;
	}
	if ((int32_t)(ack->expected - s->una) > 0) {
		arrived = scoreboard_ack(s, ack->expected);
		s->backoff = 0;
		sender_restart_timer(e, t, h, s);
	}
	if (ack->sack[0].count)
		arrived += scoreboard_sack(w, s, ack);
	if (s->state != SENDER_OPEN && cut_is_over(s))
		end_cut(s);

	uint32_t echo = (packet->flags & SEGMENT_ECE) != 0;

	struct weir_cc_ack a = {
		.now_ns = weir_ps_to_ns(h->now_ps),
		.rtt_ns = rtt_ns,
		.acked_bytes = arrived * mss,
		.una_bytes = s->una * mss,
		.next_bytes = s->next * mss,
		.echo = echo,
		.may_grow = !echo && window_may_grow(t, s, pipe_before),
	};

	react(w, h, s, t, &a, ack);
	if (s->una == s->next) {
		s->timer_on = 0;
		if (sender_may_finish(w, s, handle))
			return;
	}
	try_here(w, h, s, handle, t);
}

/* --- timers --- */

/* What the congestion control is told where no ACK came. */
static struct weir_cc_ack no_ack(const struct transport *t, const struct host *h,
				 const struct sender *s)
{
	uint64_t mss = t->env.mss_bytes;

	return (struct weir_cc_ack){
		.now_ns = weir_ps_to_ns(h->now_ps),
		.una_bytes = s->una * mss,
		.next_bytes = s->next * mss,
	};
}

void tcp_on_timeout(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	const struct engine *e = w->engine;
	const struct transport *t = sender_transport(e, s);
	struct weir_cc_ack a = no_ack(t, h, s);

	if (s->state == SENDER_SYN) {
		send_syn(w, h, s);
		return;
	}
	/* The backoff is undone as soon as una moves. */
	a.timed_out_again = s->state == SENDER_LOSS && s->backoff > 1;
	scoreboard_lose_all(w, s);
	cut(e, s, WEIR_CC_TIMEOUT, &a);
	allow(t, s, sender_cc(s)->window_bytes);
	sender_start_timer(e, h, s, h->now_ps);
	try_rarely(w, h, s, handle);
}

void tcp_on_timer(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		  enum timer_kind kind)
{
	const struct engine *e = w->engine;

	if (kind == TIMER_PROBE) {
		if (!rack_probe(e, h, s))
			return;
		/* It does not wait for the window, and the timer waits for its answer
		 * (section 7.3). */
		if (s->allowed_pkts <= sender_in_flight(s))
			s->allowed_pkts = sender_in_flight(s) + 1;
		sender_start_timer(e, h, s, h->now_ps);
	} else {
		const struct weir_cc_ack a = no_ack(sender_transport(e, s), h, s);

		if (!rack_reorder_is_due(h, s))
			return;
		if (rack_detect(h, s))
			repair(e, s, &a);
		update_allowed(sender_transport(e, s), s, sender_cc(s), 0);
	}
	try_rarely(w, h, s, handle);
}
