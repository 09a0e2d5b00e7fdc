/* tcp_send.c -- the sending end of a connection: what to send, when to send it again.
 *
 * Loss recovery after RFC 6675, retransmission timer after RFC 6298, cuts spread by proportional
 * rate reduction (RFC 6937) as Linux does, or made at once. Cuts for ECN echoes happen at most once
 * per window of data: a new one only when everything sent before the last has been acknowledged.
 * The window itself belongs to the congestion control (cc.h).
 *
 * Differs: windows count whole segments, so that a short last segment weighs as much as a full one,
 * as in Linux. */
#include "sim/host.h"
#include <assert.h>
#include <string.h>

static struct sender *sender_at(const struct worker *w, uint32_t handle)
{
	return slab_at(&w->senders, handle);
}

/* --- the retransmission timer --- */

static int64_t timeout_ns(const struct engine *e, const struct sender *s)
{
	const struct host_config *c = &e->config->host;
	int64_t rto_ns = ps_to_ns((int64_t)c->rto_initial_ps),
		max_ns = ps_to_ns((int64_t)c->rto_max_ps);

	if (s->srtt_ns) {
		rto_ns = (s->srtt_ns >> 3) + s->rttvar_ns;
		if (rto_ns < e->transport.rto_min_ns)
			rto_ns = e->transport.rto_min_ns;
	}
	rto_ns <<= s->backoff; /* backoff <= 16 and rto < 2^37 ns (2 minutes): no overflow */
	return rto_ns < max_ns ? rto_ns : max_ns;
}

/* Has the heap ask when the timer would run out as things stand, unless it asks earlier anyway. */
static void arm(const struct engine *e, struct host *h, struct sender *s)
{
	int64_t rto_ns = timeout_ns(e, s), deadline_ps = s->progress_ps + ns_to_ps(rto_ns);

	s->armed_ns = rto_ns;
	if (s->timer_ps > deadline_ps) {
		host_timer(h, deadline_ps, TIMER_RETRANSMIT, s->connection);
		s->timer_ps = deadline_ps;
	}
}

static void start_timer(const struct engine *e, struct host *h, struct sender *s, int64_t now_ps)
{
	s->timer_on = 1;
	s->progress_ps = now_ps;
	arm(e, h, s);
}

/* The cumulative point has moved: the timer starts anew (RFC 6298, 5.3). The heap is left alone as long
 * as the timeout has not become shorter than what it was asked for. */
static inline void restart_timer(const struct engine *e, struct host *h, struct sender *s)
{
	s->progress_ps = h->now_ps;
	if (s->armed_ns > e->transport.rto_min_ns && timeout_ns(e, s) < s->armed_ns)
		arm(e, h, s);
}

/* One sample a round trip, RFC 6298, section 4. */
static void sample_rtt(struct sender *s, int64_t rtt_ns)
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

/* So many bytes may be in flight: that many whole segments. */
static inline void allow(const struct engine *e, struct sender *s, uint64_t bytes)
{
	s->allowed_pkts = (uint32_t)(bytes / e->transport.env.mss_bytes);
}

/* --- sending --- */

static uint64_t sender_path(const struct engine *e, const struct host *h, struct sender *s,
			    int64_t now_ps)
{
	struct path_state p = {
		&s->path,     &s->path_until_ps, &s->sprayed,
		s->flow_hash, h->number,         flow_at(e, s->connection)->dst,
	};

	return host_path(e, &p, now_ps);
}

/* Segment next begins a message, or the part of one that has another class. */
static __attribute__((noinline)) void begin_stretch(const struct engine *e, struct sender *s)
{
	const struct flow *message = flow_at(e, s->send_message);

	while (s->next >= message->end_segment) {
		s->send_message = message->next;
		message = flow_at(e, s->send_message);
	}

	s->send_end = message_same_until(e, message, s->next);
	s->class_id = message_class(e, message, s->next);
	s->slack_ps = message_slack_ps(e, message);
}

/* Payload of segment next, which is about to be sent for the first time. */
static uint32_t next_payload(const struct engine *e, struct sender *s)
{
	if (s->next + 1 < s->send_end)
		return e->transport.env.mss_bytes;
	if (s->next >= s->send_end)
		begin_stretch(e, s);
	return message_payload(e, flow_at(e, s->send_message), s->next);
}

/* The message of a segment that is sent again. */
static const struct flow *resent_message(const struct engine *e, struct sender *s, uint32_t segment)
{
	const struct flow *message = flow_at(e, s->una_message);

	while (message->end_segment <= s->una) {
		s->una_message = message->next;
		message = flow_at(e, s->una_message);
	}
	while (message->end_segment <= segment)
		message = flow_at(e, message->next);
	return message;
}

static inline __attribute__((always_inline)) void send_segment(struct worker *w, struct host *h,
							       struct sender *s, int64_t start_ps)
{
	const struct engine *e = w->engine;
	const struct transport *t = &e->transport;
	struct packet *packet = egress_place(w, h->out);
	uint32_t number = s->next, payload;
	uint8_t flags = t->data_flags;

	if (s->lost) {
		number = scoreboard_resend(s);

		const struct flow *message = resent_message(e, s, number);

		payload = message_payload(e, message, number);
		packet->class_id = message_class(e, message, number);
		packet->slack_ps = message_slack_ps(e, message);
		h->retransmits++;
	} else {
		if (s->marks)
			scoreboard_extend(s);
		payload = next_payload(e, s);
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
	if (s->state == SENDER_CWR || s->state == SENDER_RECOVERY)
		s->prr_out += t->env.mss_bytes;
	if (!s->timer_on)
		start_timer(e, h, s, start_ps);
	h->made_pkts++;
	host_transmit(w, h->out, packet, start_ps);
}

void sender_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps)
{
	send_segment(w, h, s, start_ps);
}

/* The sender may have become able to send: at once where the card is free, else in its turn. */
static inline void try_to_send(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (s->in_ready || !sender_can_send(s))
		return;
	if (!(h->work | h->paused) && h->out->port.free_ps <= h->now_ps) {
		send_segment(w, h, s, h->now_ps);
		if (!sender_can_send(s))
			return;
	}
	host_join_turn(w, h, s, handle);
}

/* --- starting --- */

/* A message joins its connection. Rate-limited ones become available segment by segment. */
static void append_message(const struct engine *e, struct sender *s, uint32_t flow)
{
	struct flow *f = flow_at(e, flow);
	uint32_t begin =
		s->last_message == FLOW_NONE ? 0 : flow_at(e, s->last_message)->end_segment;

	f->end_segment = f->size_bytes == FLOW_UNLIMITED
				 ? UINT32_MAX
				 : begin + message_segments(e, f->size_bytes);
	if (s->last_message != FLOW_NONE) {
		flow_at(e, s->last_message)->next = flow;
	} else {
		s->send_message = s->una_message = flow;
		begin_stretch(e, s);
	}
	s->last_message = flow;
	if (!flow_traffic(e, f)->app_rate_bps)
		s->end = f->end_segment;
}

/* An application with a rate of its own writes a segment this often. */
static int64_t application_ps(const struct engine *e, const struct flow *f)
{
	return bytes_to_ps(e->transport.env.mss_bytes,
			   bps_to_ps_per_byte_q20(flow_traffic(e, f)->app_rate_bps));
}

static void send_syn(struct worker *w, struct host *h, struct sender *s)
{
	const struct engine *e = w->engine;
	struct packet spare, *packet = host_control_place(w, h, &spare);

	packet->flow_hash = s->flow_hash;
	packet->bytes = (uint16_t)e->transport.header_bytes;
	packet->class_id = message_first_class(e, flow_at(e, s->connection));
	packet->slack_ps = 0;
	packet->flags = SEGMENT_SYN;
	*packet_segment(packet) = (struct segment){
		.path = h->now_ps < s->path_until_ps ? s->path : sender_path(e, h, s, h->now_ps),
		.connection = s->connection,
		.sent_ps = h->now_ps,
	};
	host_control(w, h, packet, &spare);
	start_timer(e, h, s, h->now_ps);
}

static void open_connection(struct worker *w, struct host *h, uint32_t flow)
{
	const struct engine *e = w->engine;
	const struct config *c = e->config;
	const struct flow *f = flow_at(e, flow);
	uint32_t handle = slab_take(&w->senders);
	struct sender *s = sender_at(w, handle);

	flow_at(e, flow)->tx = handle;
	s->connection = flow;
	s->flow_hash = flow_route_hash(c->seed, flow);
	s->timer_ps = TIME_NEVER_PS;
	s->last_message = s->ready_next = FLOW_NONE;
	sender_path(e, h, s, h->now_ps);
	c->cc->init(sender_cc(s), c->cc_params, &e->transport.env);
	allow(e, s, sender_cc(s)->window_bytes);
	s->state = SENDER_OPEN;
	if (flow_traffic(e, f)->app_rate_bps)
		host_timer(h, h->now_ps + application_ps(e, f), TIMER_APPLICATION, flow);
	else if (f->stop_ps != TIME_NEVER_PS)
		host_timer(h, f->stop_ps, TIMER_APPLICATION, flow);
	if (c->host.handshake) {
		s->state = SENDER_SYN;
		s->allowed_pkts = 0;
		send_syn(w, h, s);
	}
}

void sender_start(struct worker *w, struct host *h, uint32_t flow)
{
	uint32_t connection = flow_at(w->engine, flow)->connection;

	if (connection == flow)
		open_connection(w, h, flow);

	uint32_t handle = flow_at(w->engine, connection)->tx;
	struct sender *s = sender_at(w, handle);

	append_message(w->engine, s, flow);
	try_to_send(w, h, s, handle);
}

/* --- congestion --- */

/* Calls the control and enters the state that carries the cut out. */
static void cut(const struct engine *e, struct sender *s, enum cc_event event,
		const struct cc_ack *a)
{
	const struct transport *t = &e->transport;

	s->prr_flight = (s->next - s->una) * (uint64_t)t->env.mss_bytes + a->acked_bytes;
	s->prr_delivered = s->prr_out = 0;
	s->recover = s->next;
	t->cc->congestion(sender_cc(s), t->cc_params, &t->env, event, a);
	s->state = event == CC_ECN ? SENDER_CWR : event == CC_LOSS ? SENDER_RECOVERY : SENDER_LOSS;
	if (event == CC_ECN && !t->exact_echo)
		s->send_cwr = 1;
}

/* RFC 6937: while a cut is carried out, how much may be in flight after this ACK. */
static uint64_t reduced_bytes(const struct sender *s, uint64_t ssthresh_bytes,
			      uint64_t arrived_bytes, uint64_t mss)
{
	uint64_t pipe_bytes = sender_pipe(s) * mss, send_bytes = 0;

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

static void update_allowed(const struct engine *e, struct sender *s, struct cc_window *window,
			   uint64_t arrived_bytes)
{
	const struct transport *t = &e->transport;

	uint64_t bytes = window->window_bytes < t->max_window_bytes ? window->window_bytes
								    : t->max_window_bytes;

	if (t->spread_cuts && (s->state == SENDER_CWR || s->state == SENDER_RECOVERY)) {
		s->prr_delivered += arrived_bytes;
		bytes = reduced_bytes(s, window->ssthresh_bytes, arrived_bytes, t->env.mss_bytes);
	}
	allow(e, s, bytes);
	/* The first repair does not wait for the window (RFC 6675, section 5, step 4.3). */
	if (s->state == SENDER_RECOVERY && !s->prr_out && s->allowed_pkts <= sender_pipe(s))
		s->allowed_pkts = sender_pipe(s) + 1;
}

/* Was the window what held the sender back? Where not, it must not grow (RFC 7661's concern). */
static int window_was_used(const struct cc_window *window, uint32_t pipe_before, uint64_t mss)
{
	uint64_t used = pipe_before * mss;

	if (window->window_bytes < window->ssthresh_bytes)
		return 2 * used >= window->window_bytes;
	return used + mss > window->window_bytes;
}

/* --- ACKs --- */

static void finish(struct worker *w, struct sender *s, uint32_t handle)
{
	struct flow *f = flow_at(w->engine, s->connection);

	f->tx = FLOW_NONE;
	if (f->ties & FLOW_TELLS_SENT)
		engine_tell(w, s->connection, FLOW_TELLS_SENT);
	scoreboard_free(s);
	if (s->in_ready) {
		s->state = SENDER_DONE; /* the card drops it when its turn comes */
		s->allowed_pkts = 0;
	} else {
		slab_give(&w->senders, handle);
	}
}

static int is_over(const struct engine *e, const struct sender *s)
{
	const struct flow *f = flow_at(e, s->connection);

	return s->una == s->next && s->una == f->end_segment &&
	       flow_traffic(e, f)->connections == CONNECTIONS_PER_FLOW;
}

/* A repair is over when everything sent before it is acknowledged. A cut for an echo lasts one
 * segment longer: the ACK of the last one sent before it may still carry an echo. */
static int cut_is_over(const struct sender *s)
{
	int32_t beyond = (int32_t)(s->una - s->recover);

	return s->state == SENDER_CWR ? beyond > 0 : s->state != SENDER_OPEN && beyond >= 0;
}

/* What an ACK says to the congestion control, and what the control says to the sender. */
static void react(const struct engine *e, struct sender *s, struct cc_ack *a, uint32_t pipe_before)
{
	const struct transport *t = &e->transport;
	struct cc_window *window = sender_cc(s);

	if (cut_is_over(s))
		s->state = SENDER_OPEN;
	a->may_grow = !a->echo && (s->state == SENDER_OPEN || s->state == SENDER_LOSS) &&
		      window_was_used(window, pipe_before, t->env.mss_bytes);
	if (a->acked_bytes)
		t->cc->ack(window, t->cc_params, &t->env, a);
	if (s->marks) {
		if (scoreboard_detect(s) && s->state != SENDER_RECOVERY && s->state != SENDER_LOSS)
			cut(e, s, CC_LOSS, a);
		scoreboard_tidy(s);
	}
	if (a->echo && s->state == SENDER_OPEN)
		cut(e, s, CC_ECN, a);
	update_allowed(e, s, window, a->acked_bytes);
	if (s->una == s->next)
		s->timer_on = 0;
}

static void established(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	if (s->state != SENDER_SYN)
		return;
	s->state = SENDER_OPEN;
	allow(w->engine, s, sender_cc(s)->window_bytes);
	s->timer_on = 0;
	s->backoff = 0;
	try_to_send(w, h, s, handle);
}

void sender_on_ack(struct worker *w, struct host *h, struct packet *packet)
{
	const struct engine *e = w->engine;
	const struct segment *ack = packet_segment(packet);
	uint32_t handle = flow_at(e, ack->connection)->tx;

	if (handle == FLOW_NONE)
		return; /* the connection is over: a late ACK */

	struct sender *s = sender_at(w, handle);
	uint32_t pipe_before = sender_pipe(s), arrived = 0;
	uint64_t mss = e->transport.env.mss_bytes;
	int64_t rtt_ns = ps_to_ns(h->now_ps - ack->sent_ps);

	if ((int32_t)(ack->number - s->rtt_end) >= 0)
		sample_rtt(s, rtt_ns);
	if (packet->flags & SEGMENT_SYN) {
		established(w, h, s, handle);
		return;
	}
	if ((int32_t)(ack->number - s->una) > 0) {
		arrived = scoreboard_ack(s, ack->number);
		s->backoff = 0;
		restart_timer(e, h, s);
	}
	if (ack->sack[0].count)
		arrived += scoreboard_sack(s, ack);

	struct cc_ack a = {
		.now_ns = ps_to_ns(h->now_ps),
		.rtt_ns = rtt_ns,
		.acked_bytes = arrived * mss,
		.una_bytes = s->una * mss,
		.next_bytes = s->next * mss,
		.echo = (packet->flags & SEGMENT_ECE) != 0,
	};

	react(e, s, &a, pipe_before);
	if (is_over(e, s))
		finish(w, s, handle);
	else
		try_to_send(w, h, s, handle);
}

/* --- timers --- */

static void on_timeout(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	const struct engine *e = w->engine;
	uint64_t mss = e->config->host.mss_bytes;
	struct cc_ack a = {
		.now_ns = ps_to_ns(h->now_ps),
		.una_bytes = s->una * mss,
		.next_bytes = s->next * mss,
	};

	h->timeouts++;
	if (s->backoff < 16)
		s->backoff++;
	if (s->state == SENDER_SYN) {
		send_syn(w, h, s);
		return;
	}
	scoreboard_lose_all(s);
	cut(e, s, CC_TIMEOUT, &a);
	allow(e, s, sender_cc(s)->window_bytes);
	start_timer(e, h, s, h->now_ps);
	try_to_send(w, h, s, handle);
}

/* The application writes another segment, or stops. */
static void on_application(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	struct flow *f = flow_at(w->engine, s->connection);

	if (h->now_ps >= f->stop_ps) {
		if (!flow_traffic(w->engine, f)->app_rate_bps)
			s->end = s->next;
		f->end_segment = s->end;
		if (s->end < s->send_end)
			s->send_end = s->end;
		if (is_over(w->engine, s))
			finish(w, s, handle);
		return;
	}
	s->end++;
	if (s->end != f->end_segment)
		host_timer(h, h->now_ps + application_ps(w->engine, f), TIMER_APPLICATION,
			   s->connection);
	try_to_send(w, h, s, handle);
}

void sender_on_timer(struct worker *w, struct host *h, uint32_t connection, enum timer_kind kind)
{
	uint32_t handle = flow_at(w->engine, connection)->tx;

	if (handle == FLOW_NONE)
		return; /* set by a connection that is over */

	struct sender *s = sender_at(w, handle);

	if (kind == TIMER_APPLICATION) {
		on_application(w, h, s, handle);
		return;
	}
	if (s->timer_ps != h->now_ps)
		return; /* an earlier one was set since */
	s->timer_ps = TIME_NEVER_PS;
	if (!s->timer_on)
		return;
	if (s->progress_ps + ns_to_ps(timeout_ns(w->engine, s)) > h->now_ps)
		arm(w->engine, h, s);
	else
		on_timeout(w, h, s, handle);
}
