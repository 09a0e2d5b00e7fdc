/* SPDX-License-Identifier: BSD-3-Clause */
/* rdma.c -- RDMA queue pairs: pacing, window and loss recovery of a sender, CNPs and NACKs of a
 * receiver. Runs on the worker that owns the host.
 *
 * A queue pair starts at line rate. The gap between its packets follows the rate of its congestion
 * control; a change of the rate moves the next packet at once, as the NICs of the HPCC study do.
 * Loss recovery: go-back-N retransmits everything from the lost packet on; selective recovery
 * retransmits what is missing, by the scoreboard that TCP uses (Mittal et al., "Revisiting Network
 * Support for RDMA", SIGCOMM 2018). Selective recovery detects losses by the order of arrival or,
 * under packet spraying, by time (rack.c): the receiver then places what arrives out of order, and
 * an overtaken packet is no loss.
 *
 * The receiver answers marked data with CNPs (DCQCN, SIGCOMM 2015, section 3.1) and, with
 * go-back-N, data out of order with a NACK. */
#include "base/compiler.h"
#include "config/config.h"
#include "sim/core/decisions.h"
#include "sim/core/receiver.h"
#include "sim/core/sender.h"
#include "sim/core/telemetry.h"

/* --- building --- */

static uint64_t rdma_fastest_host_bps(const struct network *net)
{
	uint64_t fastest = 0;

	for (uint32_t i = 0; i < net->host_count; i++)
		if (host_link(net, i)->rate_bps > fastest)
			fastest = host_link(net, i)->rate_bps;
	return fastest;
}

/* Buffer of a switch port; where it is given in packets, of frames of full size. */
static uint64_t rdma_port_buffer_bytes(const struct config *c)
{
	uint64_t bytes = weir_length_number(c->switches.buffer);

	if (weir_length_is_packets(c->switches.buffer))
		bytes *= c->frame_max_bytes;
	return c->switches.buffer_per == WEIR_BUFFER_PER_QUEUE ? bytes * c->queues : bytes;
}

static uint64_t rdma_slowest_switch_bps(const struct network *net)
{
	uint64_t slowest = UINT64_MAX;

	for (uint32_t i = 0; i < net->link_count; i++)
		if (net->nodes[net->links[i].from].kind != NODE_HOST &&
		    net->links[i].rate_bps < slowest)
			slowest = net->links[i].rate_bps;
	return slowest;
}

/* Under packet spraying: a base round trip and the time that a full switch port takes to drain, by
 * which one path may be slower than another. IRN (Mittal et al., SIGCOMM 2018) sets its RTO_high by
 * the same sum. In a lossless network pauses fill the ports of every switch of a path, so the time
 * counts once for each; losses are rare there. A window that is learnt from how late packets were
 * (rack.c) is too short for the first packets of a flow that meet a long queue on one of its paths.
 * A window longer than the RTO has no effect.
 *
 * Fewer than 2^32 packets of 2^14 B in each of 2^5 queues, 2^5 switches: bits x 10^12 < 2^99. */
int64_t rdma_reordering_window_ps(const struct engine *e)
{
	const struct config *c = e->config;
	weir_u128 bits, drain_ps;

	if (c->rdma.reordering_window_ps || !config_sprays(c))
		return (int64_t)c->rdma.reordering_window_ps;
	bits = (weir_u128)rdma_port_buffer_bytes(c) * WEIR_BITS_PER_BYTE;
	drain_ps = bits * (uint64_t)WEIR_PS_PER_S / rdma_slowest_switch_bps(e->net);
	if (c->lossless)
		drain_ps *= e->longest_hops - 1;
	drain_ps += (uint64_t)e->base_rtt_ps;
	return drain_ps < c->rdma.rto_ps ? (int64_t)drain_ps : (int64_t)c->rdma.rto_ps;
}

/* Every packet of an RDMA host is ECN-capable (ECT): in a lossless class no packet may be dropped
 * where others would be marked. */
static void rdma_plan(struct transport *t, const struct engine *e)
{
	const struct rdma_config *c = &e->config->rdma;
	uint32_t needs = t->cc->needs;
	uint32_t telemetry = needs & WEIR_CC_NEEDS_INT ? (uint32_t)c->int_bytes : 0;

	t->env.mss_bytes = (uint32_t)c->mtu_bytes;
	t->env.header_bytes = (uint32_t)c->header_bytes + telemetry;
	t->header_bytes = (uint16_t)t->env.header_bytes;
	t->ack_bytes = (uint16_t)(rdma_ack_bytes(c) + telemetry);
	engine_set_env(e, &t->env, (struct base_trip){ e->base_rtt_ps, e->longest_hops },
		       rdma_fastest_host_bps(e->net));
	t->max_window_bytes = c->max_window_bytes;
	t->acks_per = (uint32_t)c->acks_per;
	t->rto_min_ns = t->rto_initial_ns = weir_ps_to_ns((int64_t)c->rto_ps);
	t->exact_echo = 1;
	t->data_flags = WEIR_PACKET_ECT;
	t->ack_flags = SEGMENT_ACK | WEIR_PACKET_ECT;
	t->go_back_n = config_rdma_recovery(e->config) == RDMA_GO_BACK_N;
	t->rack = config_rdma_has_rack(e->config) != 0;
	t->cnp_interval_ps = needs & WEIR_CC_NEEDS_CNP ? (int64_t)c->cnp_interval_ps : -1;
}

/* --- congestion control --- */

/* Applies what the congestion control has set: bounds the rate, turns the window into packets, and
 * sets its timer. */
static inline void rdma_apply_pace(const struct engine *e, struct host *h, struct sender *s)
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
	/* A packet may be sent while less than the window is in flight: rounded up. */
	if (window)
		pkts = (window - 1) / t->env.mss_bytes + 1;
	s->allowed_pkts = pkts < UINT32_MAX ? (uint32_t)pkts : UINT32_MAX;
	if (pace->wake_ns && wake_ps < s->wake_ps) {
		s->wake_ps = wake_ps > h->now_ps ? wake_ps : h->now_ps;
		host_timer(h, s->wake_ps, TIMER_CONTROL, s->connection);
	}
}

static void rdma_open(struct worker *w, struct host *h, struct sender *s)
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
	rdma_apply_pace(w->engine, h, s);
}

/* --- sending --- */

/* Earliest start of the next packet at the current rate. A frame has less than 2^14 bytes: bits x
 * 10^12 < 2^57. */
static int64_t rdma_next_start_ps(struct sender *s)
{
	uint64_t bits = (uint64_t)s->last_bytes * WEIR_BITS_PER_BYTE;

	return s->last_ps + (int64_t)(bits * (uint64_t)WEIR_PS_PER_S / sender_pace(s)->rate_bps);
}

/* Flags the last packet of a message, for switches that count flows by their first and last
 * packets. */
static void rdma_flag_last(const struct engine *e, const struct sender *s,
			   struct weir_packet *packet)
{
	if (packet_segment(packet)->number + 1 == flow_at(e, s->send_message)->end_segment)
		packet->flags = (uint8_t)(packet->flags | SEGMENT_LAST);
}

/* Tells the congestion control that bytes were sent. Rate and window rarely change, and are then
 * applied already. */
static inline void rdma_cc_sent(const struct engine *e, struct host *h, struct sender *s,
				const struct transport *t, int64_t start_ps)
{
	const struct weir_cc_pace *pace = sender_pace(s), before = *pace;

	t->cc->sent(sender_pace(s), t->cc_params, &t->env, s->last_bytes, weir_ps_to_ns(start_ps));
	if (pace->rate_bps != before.rate_bps || pace->wake_ns != before.wake_ns ||
	    pace->window_bytes != before.window_bytes)
		rdma_apply_pace(e, h, s);
}

/* has_no_queue is a compile-time constant in every specialised copy. 1: the NIC has no queue; 0: it
 * may have one. */
static inline ALWAYS_INLINE void rdma_send_segment(struct worker *w, struct host *h,
						   struct sender *s, int64_t start_ps,
						   int has_no_queue)
{
	const struct transport *t = sender_transport(w->engine, s);
	struct weir_packet *packet = sender_build_segment(w, h, s, t, start_ps);

	s->last_ps = start_ps;
	s->last_bytes = packet->bytes;
	if (UNLIKELY(w->engine->int_stacks != NULL)) {
		int_stack_attach(w, packet);
		if (w->engine->flow_censuses)
			rdma_flag_last(w->engine, s, packet);
	}
	if (has_no_queue)
		nic_send(w, h, packet, start_ps);
	else
		nic_send_or_enqueue(w, h, packet, start_ps);
	if (t->cc->sent)
		rdma_cc_sent(w->engine, h, s, t, start_ps);
}

static void rdma_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps)
{
	rdma_send_segment(w, h, s, start_ps, 0);
}

/* Sets the pacing timer. Not inlined, so that an ACK that changes nothing saves no registers. */
static NOINLINE void rdma_set_pacing_timer(struct host *h, struct sender *s, int64_t next_ps)
{
	s->pace_ps = next_ps;
	host_timer(h, next_ps, TIMER_PACING, s->connection);
}

/* Does the rate allow the next packet now? If not, sets the pacing timer. The queue pair has sent a
 * packet before. */
static inline int rdma_is_in_pace(struct host *h, struct sender *s)
{
	int64_t next_ps = rdma_next_start_ps(s);

	if (next_ps <= h->now_ps)
		return 1;
	/* The link is busy until then: the packet may become ready now. Not in a NIC with a queue,
	 * where it would join the queue too early. */
	if (next_ps <= h->out->port.free_ps && !(h->paused & HOST_NIC_QUEUE))
		return 1;
	if (next_ps < s->pace_ps)
		rdma_set_pacing_timer(h, s, next_ps);
	return 0;
}

static inline int rdma_is_due_inline(struct host *h, struct sender *s)
{
	return s->last_ps < 0 || rdma_is_in_pace(h, s);
}

static int rdma_is_due(struct host *h, struct sender *s)
{
	return rdma_is_due_inline(h, s);
}

/* Sends a segment if the NIC is idle, else makes the sender ready. */
static NOINLINE void rdma_send_or_make_ready(struct worker *w, struct host *h, struct sender *s,
					     uint32_t handle)
{
	if (!(h->pending | h->paused) && h->out->port.free_ps <= h->now_ps) {
		rdma_send_segment(w, h, s, h->now_ps, 1);
		if (sender_can_send(s) && rdma_is_in_pace(h, s))
			host_make_ready_again(w, h, s, handle);
	} else {
		host_make_ready(w, h, s, handle);
	}
}

static inline void rdma_try_send_inline(struct worker *w, struct host *h, struct sender *s,
					uint32_t handle)
{
	if (!s->in_ready && sender_can_send(s) && rdma_is_due_inline(h, s))
		rdma_send_or_make_ready(w, h, s, handle);
}

static void rdma_try_send(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	rdma_try_send_inline(w, h, s, handle);
}

/* --- loss recovery --- */

/* Go-back-N: everything from una on is retransmitted. */
static void rdma_go_back(const struct engine *e, struct host *h, struct sender *s)
{
	h->retransmits += s->next - s->una;
	if (segment_before(s->recover, s->next))
		s->recover = s->next;
	/* Moves una_message to the message of una. */
	sender_count_retransmitted(h, s, sender_message_of(e, s, s->una));
	s->next = s->una;
	s->send_message = s->una_message;
	s->send_end = s->next;
	s->rtt_end = s->next;
}

static void rdma_on_loss(struct worker *w, struct host *h, struct sender *s,
			 enum weir_cc_event event)
{
	const struct engine *e = w->engine;
	const struct transport *t = sender_transport(e, s);
	const struct weir_cc_ack a = { .now_ns = weir_ps_to_ns(h->now_ps) };

	if (t->go_back_n)
		rdma_go_back(e, h, s);
	else if (event == WEIR_CC_TIMEOUT)
		scoreboard_lose_all(w, s);
	if (t->cc->congestion)
		t->cc->congestion(sender_pace(s), t->cc_params, &t->env, event, &a);
	rdma_apply_pace(e, h, s);
}

/* Selective recovery: losses were detected. Reports at most one loss per window of data to the
 * congestion control. */
static void rdma_enter_recovery(struct worker *w, struct host *h, struct sender *s)
{
	if (segment_before(s->una, s->recover))
		return;
	s->recover = s->next;
	if (s->board->rack)
		s->state = SENDER_RECOVERY;
	rdma_on_loss(w, h, s, WEIR_CC_LOSS);
}

static uint32_t rdma_detect_by_time(struct host *h, struct sender *s, const struct segment *ack)
{
	if (s->state != SENDER_OPEN && !segment_before(s->una, s->recover)) {
		rack_recovered(s);
		s->state = SENDER_OPEN;
	}
	rack_on_ack(h, s, ack);
	return rack_detect(h, s);
}

/* --- ACKs and CNPs --- */

static void rdma_on_cnp(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	const struct transport *t = sender_transport(w->engine, s);

	if (t->cc->cnp)
		t->cc->cnp(sender_pace(s), t->cc_params, &t->env, weir_ps_to_ns(h->now_ps));
	rdma_apply_pace(w->engine, h, s);
	rdma_try_send(w, h, s, handle);
}

/* Passes an ACK of `delivered` > 0 segments to the congestion control. Returns 1 where the flow
 * waits for an action (decisions.h). */
static inline int rdma_cc_ack(const struct engine *e, const struct host *h, struct sender *s,
			      struct weir_packet *packet, uint32_t delivered)
{
	const struct transport *t = sender_transport(e, s);
	const struct int_stack *stack = e->int_stacks ? packet_int_stack(e, packet) : NULL;
	uint64_t mss = t->env.mss_bytes;
	struct weir_cc_ack a = {
		.now_ns = weir_ps_to_ns(h->now_ps),
		.rtt_ns = weir_ps_to_ns(h->now_ps - packet_segment(packet)->echo_ps),
		.acked_bytes = delivered * mss,
		.una_bytes = s->una * mss,
		.next_bytes = s->next * mss,
		.echo = (packet->flags & SEGMENT_ECE) != 0,
		.may_grow = 1,
		.hop_count = stack ? stack->count : 0,
		.hops = stack ? stack->hop : NULL,
		.rx_ns = stack ? stack->rx_ns : 0,
		.flow = s->connection,
		.rollout = e->rollout,
	};

	if (UNLIKELY(e->decisions != NULL) && t->cc->learner)
		return decisions_pass_ack(e->decisions, s, t, &a);
	t->cc->ack(sender_pace(s), t->cc_params, &t->env, &a);
	return 0;
}

/* Only while there is a scoreboard: something is out of order, or RACK is on. */
static NOINLINE int rdma_apply_ack_with_board(struct worker *w, struct host *h, struct sender *s,
					      struct weir_packet *packet, uint32_t delivered)
{
	const struct engine *e = w->engine;

	if (delivered && sender_transport(e, s)->cc->ack && rdma_cc_ack(e, h, s, packet, delivered))
		return 1;
	if (s->board->rack ? rdma_detect_by_time(h, s, packet_segment(packet))
			   : scoreboard_detect(s))
		rdma_enter_recovery(w, h, s);
	scoreboard_close_if_clean(w, s);
	rdma_apply_pace(e, h, s);
	return 0;
}

/* Returns 1 where the flow waits for an action: nothing of the ACK has been applied but what the
 * transport itself has noted. */
static inline int rdma_apply_ack(struct worker *w, struct host *h, struct sender *s,
				 const struct transport *t, struct weir_packet *packet,
				 uint32_t delivered)
{
	const struct engine *e = w->engine;

	if (UNLIKELY(s->board != NULL))
		return rdma_apply_ack_with_board(w, h, s, packet, delivered);
	if (t->cc->ack) {
		if (delivered && rdma_cc_ack(e, h, s, packet, delivered))
			return 1;
		rdma_apply_pace(e, h, s);
	}
	return 0;
}

/* What an ACK leads to once the congestion control has seen it. */
static inline void rdma_finish_ack(struct worker *w, struct host *h, struct sender *s,
				   uint32_t handle, struct weir_packet *packet)
{
	const struct segment *ack = packet_segment(packet);

	if (s->una == s->next) {
		s->timer_on = 0;
		if (sender_close_if_done(w, s, handle))
			return;
	} else if (packet->flags & SEGMENT_NACK && ack->expected == s->una) {
		rdma_on_loss(w, h, s, WEIR_CC_LOSS);
	}
	rdma_try_send_inline(w, h, s, handle);
}

static void rdma_on_ack(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
			struct weir_packet *packet)
{
	const struct engine *e = w->engine;
	const struct transport *t = sender_transport(e, s);
	const struct segment *ack = packet_segment(packet);
	uint32_t delivered = 0;

	if (UNLIKELY(packet->flags & SEGMENT_CNP)) {
		rdma_on_cnp(w, h, s, handle);
		return;
	}
	if ((int32_t)(ack->expected - s->rtt_end) >= 0)
		sender_sample_rtt(s, weir_ps_to_ns(h->now_ps - ack->echo_ps));
	if ((int32_t)(ack->expected - s->una) > 0) {
		/* After going back, ACKs of what was sent before may still arrive. */
		if ((int32_t)(ack->expected - s->next) > 0)
			s->next = ack->expected;
		delivered = scoreboard_ack(s, ack->expected);
		s->backoff = 0;
		sender_restart_rto(e, t, h, s);
	}
	if (ack->sack[0].count)
		delivered += scoreboard_sack(w, s, ack);
	if (UNLIKELY(rdma_apply_ack(w, h, s, t, packet, delivered)))
		decisions_wait(w, h, handle, packet, delivered);
	else
		rdma_finish_ack(w, h, s, handle, packet);
}

void rdma_resume_ack(struct worker *w, struct host *h, uint32_t handle, struct weir_packet *packet,
		     uint32_t delivered)
{
	struct sender *s = slab_at(&w->senders, handle);

	rdma_apply_ack(w, h, s, sender_transport(w->engine, s), packet, delivered);
	rdma_finish_ack(w, h, s, handle, packet);
}

/* --- timers --- */

static void rdma_on_rto(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (sender_transport(w->engine, s)->rack) {
		s->recover = s->next;
		s->state = SENDER_LOSS;
	}
	rdma_on_loss(w, h, s, WEIR_CC_TIMEOUT);
	sender_start_rto(w->engine, h, s, h->now_ps);
	rdma_try_send(w, h, s, handle);
}

static NOINLINE void rdma_on_control_timer(struct worker *w, struct host *h, struct sender *s,
					   uint32_t handle)
{
	const struct transport *t = sender_transport(w->engine, s);
	struct weir_cc_pace *pace = sender_pace(s);

	if (s->wake_ps == h->now_ps)
		s->wake_ps = WEIR_TIME_NEVER_PS;
	if (pace->wake_ns && weir_ns_to_ps(pace->wake_ns) <= h->now_ps) {
		pace->wake_ns = 0;
		t->cc->timer(pace, t->cc_params, &t->env, weir_ps_to_ns(h->now_ps));
	}
	rdma_apply_pace(w->engine, h, s);
	rdma_try_send(w, h, s, handle);
}

static NOINLINE void rdma_on_reorder_timer(struct worker *w, struct host *h, struct sender *s,
					   uint32_t handle)
{
	if (!rack_reorder_is_due(h, s) || !rack_detect(h, s))
		return;
	rdma_enter_recovery(w, h, s);
	rdma_try_send(w, h, s, handle);
}

static void rdma_on_timer(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
			  enum timer_kind kind)
{
	if (kind == TIMER_CONTROL) {
		rdma_on_control_timer(w, h, s, handle);
		return;
	}
	if (kind == TIMER_REORDER) {
		rdma_on_reorder_timer(w, h, s, handle);
		return;
	}
	if (s->pace_ps == h->now_ps)
		s->pace_ps = WEIR_TIME_NEVER_PS;
	rdma_try_send_inline(w, h, s, handle);
}

/* --- receiving --- */

/* Data was marked since the last CNP: sends another, but at most one per interval. A mark within
 * the interval is answered with the first packet after it. */
static void rdma_send_cnp(struct worker *w, struct host *h, struct receiver *r,
			  const struct transport *t)
{
	const struct engine *e = w->engine;
	struct rdma_receiver *more = receiver_rdma(r);
	struct weir_packet spare, *packet;

	more->is_marked = 1;
	if (more->cnp_ps && h->now_ps - more->cnp_ps < t->cnp_interval_ps)
		return;
	more->cnp_ps = h->now_ps;
	more->is_marked = 0;
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

/* Go-back-N discards data out of order and sends one NACK for each missing segment. */
static void rdma_discard(struct worker *w, struct host *h, struct receiver *r,
			 struct weir_packet *packet)
{
	const struct transport *t = receiver_transport(w->engine, r);
	struct rdma_receiver *more = receiver_rdma(r);

	if (more->nacked == r->next + 1)
		return;
	more->nacked = r->next + 1;
	receiver_send_ack(w, h, r, t, SEGMENT_NACK | receiver_ack_flags(t, r), packet,
			  WEIR_CC_RDMA);
}

/* An ACK echoes when the last packet that it covers was sent. */
static void rdma_on_data(struct worker *w, struct host *h, struct receiver *r,
			 struct weir_packet *packet)
{
	const struct transport *t = receiver_transport(w->engine, r);
	const struct segment *data = packet_segment(packet);
	int ack_at_once = receiver_update_echo(w, h, r, t, packet);

	r->echo_ps = data->sent_ps;
	if ((packet->flags & WEIR_PACKET_CE || receiver_rdma(r)->is_marked) &&
	    t->cnp_interval_ps >= 0)
		rdma_send_cnp(w, h, r, t);
	if (t->go_back_n && segment_before(r->next, data->number))
		rdma_discard(w, h, r, packet);
	else
		receiver_accept(w, h, r, t, packet, ack_at_once, WEIR_CC_RDMA);
}

/* RTT samples for the congestion control exclude the ACK delay at the receiver. */
const struct transport_ops rdma_transport = {
	.plan = rdma_plan,
	.open = rdma_open,
	.try_send = rdma_try_send,
	.is_due = rdma_is_due,
	.send = rdma_send,
	.on_ack = rdma_on_ack,
	.on_rto = rdma_on_rto,
	.on_timer = rdma_on_timer,
	.on_data = rdma_on_data,
	.receiver_bytes = sizeof(struct rdma_receiver),
	.echo_excludes_ack_delay = 1,
};
