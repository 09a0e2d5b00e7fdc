/* SPDX-License-Identifier: BSD-3-Clause */
/* rdma_send.c -- the sending end of a queue pair: paced, with a window beside the rate.
 *
 * A queue pair starts at line rate. Its packets leave so far apart that it keeps to its rate; a
 * change of the rate moves the next one at once, as the HPCC study's cards do. Loss: everything
 * from the lost packet on is sent again (go back n), or what is missing (selective, by the
 * scoreboard that TCP uses; Mittal et al., "Revisiting Network Support for RDMA", SIGCOMM 2018).
 * What is missing is found by the order of arrival, or, where packets of a flow take several paths,
 * by time (rack.c): the receiver places what arrives out of order, and a packet that is overtaken
 * is no loss. */
#include "base/compiler.h"
#include "sim/core/sender.h"
#include "sim/core/telemetry.h"

/* Earliest start of the next packet at the rate that is in force. A frame has less than 2^14 bytes:
 * bits x 10^12 < 2^57. */
static int64_t next_start_ps(struct sender *s)
{
	uint64_t bits = (uint64_t)s->last_bytes * 8;

	return s->last_ps + (int64_t)(bits * (uint64_t)WEIR_PS_PER_S / sender_pace(s)->rate_bps);
}

/* --- the control --- */

/* What the control says becomes what the sender does. */
static inline void obey(const struct engine *e, struct host *h, struct sender *s)
{
	const struct transport *t = sender_transport(e, s);
	struct weir_cc_pace *pace = sender_pace(s);
	uint64_t line_bps = h->out->port.kind->rate_bps, pkts = 1;
	uint64_t window =
		pace->window_bytes < t->max_window_bytes ? pace->window_bytes : t->max_window_bytes;
	int64_t wake_ps = weir_ns_to_ps(pace->wake_ns);

	if (pace->rate_bps > line_bps)
		pace->rate_bps = line_bps;
	if (pace->rate_bps < t->env.min_rate_bps)
		pace->rate_bps = t->env.min_rate_bps;
	/* As long as less than the window is in flight another packet may go. */
	if (window)
		pkts = (window - 1) / t->env.mss_bytes + 1;
	s->allowed_pkts = pkts < UINT32_MAX ? (uint32_t)pkts : UINT32_MAX;
	if (pace->wake_ns && wake_ps < s->wake_ps) {
		s->wake_ps = wake_ps > h->now_ps ? wake_ps : h->now_ps;
		host_timer(h, s->wake_ps, TIMER_CONTROL, s->connection);
	}
}

void rdma_open(struct worker *w, struct host *h, struct sender *s)
{
	const struct transport *t = sender_transport(w->engine, s);

	s->last_ps = -1;
	s->pace_ps = s->wake_ps = WEIR_TIME_NEVER_PS;
	t->cc->init(sender_pace(s), t->cc_params, &t->env);
	if (t->rack) {
		scoreboard_open_rack(w, s);
		if (w->engine->rdma_reordering_ps)
			rack_expect_reordering(s, w->engine->rdma_reordering_ps);
	}
	obey(w->engine, h, s);
}

/* --- sending --- */

/* Switches that count flows by their first and last packets are told of the last of a message. */
static void say_if_last(const struct engine *e, const struct sender *s, struct weir_packet *packet)
{
	if (packet_segment(packet)->number + 1 == flow_at(e, s->send_message)->end_segment)
		packet->flags = (uint8_t)(packet->flags | SEGMENT_LAST);
}

/* Mostly the control says after it what it said before, which was obeyed. */
static inline void tell_sent(const struct engine *e, struct host *h, struct sender *s,
			     const struct transport *t, int64_t start_ps)
{
	const struct weir_cc_pace *pace = sender_pace(s), before = *pace;

	t->cc->sent(sender_pace(s), t->cc_params, &t->env, s->last_bytes, weir_ps_to_ns(start_ps));
	if (pace->rate_bps != before.rate_bps || pace->wake_ns != before.wake_ns ||
	    pace->window_bytes != before.window_bytes)
		obey(e, h, s);
}

/* is_free, known when this is compiled: 1: the card has no queue. */
static inline ALWAYS_INLINE void send_segment(struct worker *w, struct host *h, struct sender *s,
					      int64_t start_ps, int is_free)
{
	const struct transport *t = sender_transport(w->engine, s);
	struct weir_packet *packet = sender_build_segment(w, h, s, t, start_ps);

	s->last_ps = start_ps;
	s->last_bytes = packet->bytes;
	if (UNLIKELY(w->engine->int_stacks != NULL)) {
		int_stack_attach(w, packet);
		if (w->engine->flow_censuses)
			say_if_last(w->engine, s, packet);
	}
	if (is_free)
		nic_send(w, h, packet, start_ps);
	else
		nic_send_or_enqueue(w, h, packet, start_ps);
	if (t->cc->sent)
		tell_sent(w->engine, h, s, t, start_ps);
}

void rdma_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps)
{
	send_segment(w, h, s, start_ps, 0);
}

/* The next packet has to wait for its time, then. Apart, so that an ACK that changes nothing saves
 * no registers. */
static NOINLINE void wait_until(struct host *h, struct sender *s, int64_t next_ps)
{
	s->pace_ps = next_ps;
	host_timer(h, next_ps, TIMER_PACING, s->connection);
}

/* Where its rate makes it wait, a timer is set. It has sent something before. */
static inline int is_in_pace(struct host *h, struct sender *s)
{
	int64_t next_ps = next_start_ps(s);

	if (next_ps <= h->now_ps)
		return 1;
	/* What waits in a queue of the card is ahead of it, whenever it joins. */
	if (next_ps <= h->out->port.free_ps && !(h->paused & HOST_NIC_QUEUE))
		return 1;
	if (next_ps < s->pace_ps)
		wait_until(h, s, next_ps);
	return 0;
}

static inline int is_due(struct host *h, struct sender *s)
{
	return s->last_ps < 0 || is_in_pace(h, s);
}

int rdma_is_due(struct host *h, struct sender *s)
{
	return is_due(h, s);
}

static inline int may_send(struct host *h, struct sender *s)
{
	return sender_can_send(s) && is_due(h, s);
}

/* At once where the card is free, else in its turn. */
static NOINLINE void go(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (!(h->work | h->paused) && h->out->port.free_ps <= h->now_ps) {
		send_segment(w, h, s, h->now_ps, 1);
		if (sender_can_send(s) && is_in_pace(h, s))
			host_make_ready_again(w, h, s, handle);
	} else {
		host_make_ready(w, h, s, handle);
	}
}

static inline void try_here(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (!s->in_ready && may_send(h, s))
		go(w, h, s, handle);
}

void rdma_try_to_send(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	try_here(w, h, s, handle);
}

/* --- answers --- */

/* Everything from una on is sent again. */
static void go_back(const struct engine *e, struct host *h, struct sender *s)
{
	h->retransmits += s->next - s->una;
	if (segment_before(s->recover, s->next))
		s->recover = s->next;
	/* Moves una_message to the message of una. */
	sender_count_resent(h, s, sender_resent_message(e, s, s->una));
	s->next = s->una;
	s->send_message = s->una_message;
	s->send_end = s->next;
	s->rtt_end = s->next;
}

static void lose(struct worker *w, struct host *h, struct sender *s, enum weir_cc_event event)
{
	const struct engine *e = w->engine;
	const struct transport *t = sender_transport(e, s);
	const struct weir_cc_ack a = { .now_ns = weir_ps_to_ns(h->now_ps) };

	if (t->go_back_n)
		go_back(e, h, s);
	else if (event == WEIR_CC_TIMEOUT)
		scoreboard_lose_all(w, s);
	if (t->cc->congestion)
		t->cc->congestion(sender_pace(s), t->cc_params, &t->env, event, &a);
	obey(e, h, s);
}

/* A notification says no more than that. */
static void on_notification(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	const struct transport *t = sender_transport(w->engine, s);

	if (t->cc->cnp)
		t->cc->cnp(sender_pace(s), t->cc_params, &t->env, weir_ps_to_ns(h->now_ps));
	obey(w->engine, h, s);
	rdma_try_to_send(w, h, s, handle);
}

/* The control learns what has arrived. */
static inline void tell_arrived(const struct engine *e, const struct host *h, struct sender *s,
				struct weir_packet *packet, uint32_t arrived)
{
	const struct transport *t = sender_transport(e, s);
	const struct int_stack *notes = e->int_stacks ? packet_int_stack(e, packet) : NULL;
	uint64_t mss = t->env.mss_bytes;
	struct weir_cc_ack a = {
		.now_ns = weir_ps_to_ns(h->now_ps),
		.rtt_ns = weir_ps_to_ns(h->now_ps - packet_segment(packet)->echo_ps),
		.acked_bytes = arrived * mss,
		.una_bytes = s->una * mss,
		.next_bytes = s->next * mss,
		.echo = (packet->flags & SEGMENT_ECE) != 0,
		.may_grow = 1,
		.hop_count = notes ? notes->count : 0,
		.hops = notes ? notes->hop : NULL,
		.rx_ns = notes ? notes->rx_ns : 0,
		.flow = s->connection,
		.rollout = e->rollout,
	};

	t->cc->ack(sender_pace(s), t->cc_params, &t->env, &a);
}

/* Segments were found to be lost. The control is told once a window of data. */
static void repair(struct worker *w, struct host *h, struct sender *s)
{
	if (segment_before(s->una, s->recover))
		return;
	s->recover = s->next;
	if (s->board->rack)
		s->state = SENDER_RECOVERY;
	lose(w, h, s, WEIR_CC_LOSS);
}

static uint32_t detect_by_time(struct host *h, struct sender *s, const struct segment *ack)
{
	if (s->state != SENDER_OPEN && !segment_before(s->una, s->recover)) {
		rack_recovered(s);
		s->state = SENDER_OPEN;
	}
	rack_on_ack(h, s, ack);
	return rack_detect(h, s);
}

/* Something is out of order, or losses are detected by time. */
static NOINLINE void react_by_board(struct worker *w, struct host *h, struct sender *s,
				    struct weir_packet *packet, uint32_t arrived)
{
	const struct engine *e = w->engine;

	if (arrived && sender_transport(e, s)->cc->ack)
		tell_arrived(e, h, s, packet, arrived);
	if (s->board->rack ? detect_by_time(h, s, packet_segment(packet)) : scoreboard_detect(s))
		repair(w, h, s);
	scoreboard_close_if_clean(w, s);
	obey(e, h, s);
}

static inline void react(struct worker *w, struct host *h, struct sender *s,
			 const struct transport *t, struct weir_packet *packet, uint32_t arrived)
{
	const struct engine *e = w->engine;

	if (UNLIKELY(s->board != NULL)) {
		react_by_board(w, h, s, packet, arrived);
	} else if (t->cc->ack) {
		if (arrived)
			tell_arrived(e, h, s, packet, arrived);
		obey(e, h, s);
	}
}

void rdma_on_ack(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		 struct weir_packet *packet)
{
	const struct engine *e = w->engine;
	const struct transport *t = sender_transport(e, s);
	const struct segment *ack = packet_segment(packet);
	uint32_t arrived = 0;

	if (UNLIKELY(packet->flags & SEGMENT_CNP)) {
		on_notification(w, h, s, handle);
		return;
	}
	if ((int32_t)(ack->expected - s->rtt_end) >= 0)
		sender_sample_rtt(s, weir_ps_to_ns(h->now_ps - ack->echo_ps));
	if ((int32_t)(ack->expected - s->una) > 0) {
		/* After going back the answer to what was sent before may still come. */
		if ((int32_t)(ack->expected - s->next) > 0)
			s->next = ack->expected;
		arrived = scoreboard_ack(s, ack->expected);
		s->backoff = 0;
		sender_restart_timer(e, t, h, s);
	}
	if (ack->sack[0].count)
		arrived += scoreboard_sack(w, s, ack);
	react(w, h, s, t, packet, arrived);
	if (s->una == s->next) {
		s->timer_on = 0;
		if (sender_may_finish(w, s, handle))
			return;
	} else if (packet->flags & SEGMENT_NACK && ack->expected == s->una) {
		lose(w, h, s, WEIR_CC_LOSS);
	}
	try_here(w, h, s, handle);
}

/* --- timers --- */

void rdma_on_timeout(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (sender_transport(w->engine, s)->rack) {
		s->recover = s->next;
		s->state = SENDER_LOSS;
	}
	lose(w, h, s, WEIR_CC_TIMEOUT);
	sender_start_timer(w->engine, h, s, h->now_ps);
	rdma_try_to_send(w, h, s, handle);
}

static NOINLINE void on_control(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	const struct transport *t = sender_transport(w->engine, s);
	struct weir_cc_pace *pace = sender_pace(s);

	if (s->wake_ps == h->now_ps)
		s->wake_ps = WEIR_TIME_NEVER_PS;
	if (pace->wake_ns && weir_ns_to_ps(pace->wake_ns) <= h->now_ps) {
		pace->wake_ns = 0;
		t->cc->timer(pace, t->cc_params, &t->env, weir_ps_to_ns(h->now_ps));
	}
	obey(w->engine, h, s);
	rdma_try_to_send(w, h, s, handle);
}

static NOINLINE void on_reorder(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (!rack_reorder_is_due(h, s) || !rack_detect(h, s))
		return;
	repair(w, h, s);
	rdma_try_to_send(w, h, s, handle);
}

void rdma_on_timer(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		   enum timer_kind kind)
{
	if (kind == TIMER_CONTROL) {
		on_control(w, h, s, handle);
		return;
	}
	if (kind == TIMER_REORDER) {
		on_reorder(w, h, s, handle);
		return;
	}
	if (s->pace_ps == h->now_ps)
		s->pace_ps = WEIR_TIME_NEVER_PS;
	try_here(w, h, s, handle);
}
