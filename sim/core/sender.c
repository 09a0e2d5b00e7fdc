/* SPDX-License-Identifier: BSD-3-Clause */
/* sender.c -- the sending end of a connection, whatever its transport: opening and closing, the
 * messages on it and their segments, the retransmission and application timers. Runs on the worker
 * that owns the host. */
#include "base/compiler.h"
#include "sim/core/sender.h"
#include "sim/core/mailbox.h"
#include "sim/parallel/ranks.h"

/* --- retransmission timer --- */

int64_t sender_rto_ns(const struct engine *e, const struct sender *s)
{
	const struct transport *t = sender_transport(e, s);
	int64_t rto_ns = t->rto_initial_ns,
		max_ns = weir_ps_to_ns((int64_t)e->config->host.rto_max_ps);

	if (s->srtt_ns) {
		rto_ns = (s->srtt_ns >> 3) + s->rttvar_ns;
		if (rto_ns < t->rto_min_ns)
			rto_ns = t->rto_min_ns;
	}
	rto_ns <<= s->backoff; /* backoff <= 16 and rto < 2^37 ns (2 minutes): no overflow */
	return rto_ns < max_ns ? rto_ns : max_ns;
}

void sender_arm_rto(const struct engine *e, struct host *h, struct sender *s)
{
	int64_t rto_ns = sender_rto_ns(e, s), deadline_ps = s->progress_ps + weir_ns_to_ps(rto_ns);

	s->armed_ns = rto_ns;
	if (s->timer_ps > deadline_ps) {
		host_timer(h, deadline_ps, TIMER_RETRANSMIT, s->connection);
		s->timer_ps = deadline_ps;
	}
}

void sender_start_rto(const struct engine *e, struct host *h, struct sender *s, int64_t now_ps)
{
	s->timer_on = 1;
	s->progress_ps = now_ps;
	sender_arm_rto(e, h, s);
}

/* --- segments --- */

uint64_t sender_path(const struct engine *e, const struct host *h, struct sender *s, int64_t now_ps)
{
	struct path_state p = {
		&s->path,      &s->path_until_ps, &s->spray_count,
		s->flow_hash,  h->number,         flow_at(e, s->connection)->dst,
		s->connection,
	};

	return host_path(e, &p, now_ps);
}

void sender_load_message(const struct engine *e, struct sender *s)
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

const struct flow *sender_message_of(const struct engine *e, struct sender *s, uint32_t segment)
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

uint32_t sender_find_class(const struct engine *e, struct sender *s)
{
	if (s->lost) {
		uint32_t segment = scoreboard_first_lost(s);

		return message_class(e, sender_message_of(e, s, segment), segment);
	}
	if (s->next >= s->send_end)
		sender_load_message(e, s);
	return s->class_id;
}

void sender_send_next(struct worker *w, struct host *h, struct sender *s, int64_t start_ps)
{
	sender_transport(w->engine, s)->ops->send(w, h, s, start_ps);
}

static void sender_try_send(struct worker *w, struct host *h, struct sender *s, uint32_t handle)
{
	sender_transport(w->engine, s)->ops->try_send(w, h, s, handle);
}

/* --- opening --- */

/* Appends a message to its connection. Where the application is rate-limited, its timer makes the
 * segments available one by one. */
static void sender_append_message(struct worker *w, struct sender *s, uint32_t flow)
{
	const struct engine *e = w->engine;
	struct flow *f = flow_at(e, flow);
	uint32_t first =
		s->last_message == FLOW_NONE ? 0 : flow_at(e, s->last_message)->end_segment;

	f->end_segment =
		f->size_bytes == FLOW_UNLIMITED ? UINT32_MAX : first + message_segments(e, f);
	if (s->last_message != FLOW_NONE) {
		flow_at(e, s->last_message)->next = flow;
	} else {
		s->send_message = s->una_message = flow;
		sender_load_message(e, s);
	}
	if (w->engine->ranks)
		ranks_send_message(w, flow, s->last_message);
	s->last_message = flow;
	if (!flow_traffic(e, f)->app_rate_bps)
		s->end = f->end_segment;
}

/* Interval at which a rate-limited application writes one segment. */
static int64_t sender_application_ps(const struct engine *e, const struct flow *f)
{
	return weir_bytes_to_ps(flow_transport(e, f)->env.mss_bytes,
				weir_bps_to_ps_per_byte_q20(flow_traffic(e, f)->app_rate_bps));
}

static void sender_open(struct worker *w, struct host *h, uint32_t flow)
{
	const struct engine *e = w->engine;
	const struct flow *f = flow_at(e, flow);
	uint32_t handle = slab_alloc(&w->senders);
	struct sender *s = sender_at(w, handle);

	flow_at(e, flow)->tx = handle;
	s->connection = flow;
	s->transport = pair_transport_number(e, f);
	s->flow_hash = flow_route_hash(e->config->seed, flow);
	s->timer_ps = WEIR_TIME_NEVER_PS;
	s->last_message = s->ready_next = FLOW_NONE;
	s->state = SENDER_OPEN;
	sender_path(e, h, s, h->now_ps);
	if (flow_traffic(e, f)->app_rate_bps)
		host_timer(h, h->now_ps + sender_application_ps(e, f), TIMER_APPLICATION, flow);
	else if (f->stop_ps != WEIR_TIME_NEVER_PS)
		host_timer(h, f->stop_ps, TIMER_APPLICATION, flow);
	sender_transport(e, s)->ops->open(w, h, s);
}

void sender_start(struct worker *w, struct host *h, uint32_t flow)
{
	uint32_t connection = flow_at(w->engine, flow)->connection;

	if (connection == flow)
		sender_open(w, h, flow);

	uint32_t handle = flow_at(w->engine, connection)->tx;
	struct sender *s = sender_at(w, handle);

	sender_append_message(w, s, flow);
	sender_try_send(w, h, s, handle);
}

/* --- closing --- */

/* A sender on a ready list or among the paused senders is freed when it leaves it, because the list
 * runs through it. */
static void sender_close(struct worker *w, struct sender *s, uint32_t handle)
{
	struct flow *f = flow_at(w->engine, s->connection);

	f->tx = FLOW_NONE;
	if (f->flags & FLOW_SIGNALS_SENT)
		engine_flow_done(w, s->connection, FLOW_SIGNALS_SENT);
	scoreboard_free(w, s);
	if (s->in_ready) {
		s->state = SENDER_DONE;
		s->allowed_pkts = 0;
	} else {
		slab_release(&w->senders, handle);
	}
}

int sender_close_if_done(struct worker *w, struct sender *s, uint32_t handle)
{
	const struct flow *f = flow_at(w->engine, s->connection);

	if (s->una != f->end_segment ||
	    traffic_is_persistent(w->engine->config, flow_traffic(w->engine, f)))
		return 0;
	sender_close(w, s, handle);
	return 1;
}

/* --- completion at the sender --- */

/* Moves una_message over the messages that the ACK completes. */
void sender_record_completions(struct worker *w, struct host *h, struct sender *s,
			       const struct weir_packet *packet)
{
	const struct engine *e = w->engine;
	uint32_t acked = packet_segment((struct weir_packet *)packet)->expected;

	if (packet->flags & SEGMENT_CNP) /* acknowledges nothing */
		return;
	for (;;) {
		uint32_t message = s->una_message;
		const struct flow *f = flow_at(e, message);

		if (f->end_segment > acked || f->size_bytes == FLOW_UNLIMITED)
			return;
		/* Records beyond the scenario's flows are messages of a program (mailbox.h). */
		if (message >= e->flows.count) {
			if (f->flags & FLOW_SIGNALS_SENT)
				mailbox_on_ack(w, h, message);
		} else if (e->acked_ps && e->acked_ps[message] < 0) {
			e->acked_ps[message] = h->now_ps;
			w->flows_done++;
		}
		if (f->next == FLOW_NONE)
			return;
		s->una_message = f->next;
	}
}

/* --- timers --- */

/* The application writes another segment, or stops. */
static NOINLINE void sender_on_application(struct worker *w, struct host *h, struct sender *s,
					   uint32_t handle)
{
	struct flow *f = flow_at(w->engine, s->connection);

	if (h->now_ps >= f->stop_ps) {
		/* After go-back-N, next may be below what was sent already. */
		if (!flow_traffic(w->engine, f)->app_rate_bps)
			s->end = segment_before(s->next, s->recover) ? s->recover : s->next;
		f->end_segment = s->end;
		if (s->end < s->send_end)
			s->send_end = s->end;
		if (s->una == s->next)
			sender_close_if_done(w, s, handle);
		return;
	}
	s->end++;
	if (s->end != f->end_segment)
		host_timer(h, h->now_ps + sender_application_ps(w->engine, f), TIMER_APPLICATION,
			   s->connection);
	sender_try_send(w, h, s, handle);
}

static NOINLINE void sender_on_rto(struct worker *w, struct host *h, struct sender *s,
				   uint32_t handle)
{
	if (s->timer_ps != h->now_ps)
		return; /* superseded by an earlier timer */
	s->timer_ps = WEIR_TIME_NEVER_PS;
	if (!s->timer_on)
		return;
	if (s->progress_ps + weir_ns_to_ps(sender_rto_ns(w->engine, s)) > h->now_ps) {
		sender_arm_rto(w->engine, h, s);
		return;
	}
	h->timeouts++;
	if (sender_message_of(w->engine, s, s->una)->size_bytes <=
	    w->engine->config->measure.small_bytes)
		h->small_flow_timeouts++;
	if (s->backoff < 16)
		s->backoff++;
	sender_transport(w->engine, s)->ops->on_rto(w, h, s, handle);
}

void sender_on_timer(struct worker *w, struct host *h, uint32_t connection, enum timer_kind kind)
{
	uint32_t handle = flow_at(w->engine, connection)->tx;

	if (handle == FLOW_NONE)
		return; /* the connection is closed */

	struct sender *s = sender_at(w, handle);

	if (kind == TIMER_APPLICATION)
		sender_on_application(w, h, s, handle);
	else
		sender_on_rto(w, h, s, handle);
}

/* --- segments of a message ---
 *
 * A message is cut into segments of one MSS, the last one shorter. Its first bytes may have a class
 * of their own: PIAS with two priorities (Bai et al., "Information-Agnostic Flow Scheduling for
 * Commodity Data Centers", NSDI 2015), as the TCN study uses it (CoNEXT 2016, section 6.1.3). A
 * segment has the class of its first byte, in retransmissions too.
 *
 * Differs: their kernel module gives a retransmission the class of the flow's newest byte, because
 * it counts only bytes sent. Here a segment has the same class each time. */

/* A month: longer than any run. */
#define SLACK_MAX_PS (WEIR_PS_PER_S * 3600 * 24 * 30)

enum { BYTES_PER_KB = 1000 };

static uint64_t message_mss(const struct engine *e, const struct flow *message)
{
	return flow_transport(e, message)->env.mss_bytes;
}

uint32_t message_segments(const struct engine *e, const struct flow *message)
{
	uint64_t mss = message_mss(e, message);

	return (uint32_t)((message->size_bytes + mss - 1) / mss);
}

uint32_t message_payload(const struct engine *e, const struct flow *message, uint32_t segment)
{
	uint64_t mss = message_mss(e, message);

	if (segment + 1 != message->end_segment || message->size_bytes == FLOW_UNLIMITED)
		return (uint32_t)mss;
	return (uint32_t)(message->size_bytes - (message_segments(e, message) - UINT64_C(1)) * mss);
}

/* The first segment after the first-bytes of the message, which may be beyond its end; 0:
 * first-bytes is not set. A message of unlimited size is alone on its connection. */
static uint64_t message_first_end(const struct engine *e, const struct flow *message)
{
	uint64_t mss = message_mss(e, message), bytes = flow_traffic(e, message)->first_bytes;
	uint64_t begin = 0;

	if (!bytes)
		return 0;
	if (message->size_bytes != FLOW_UNLIMITED)
		begin = message->end_segment - message_segments(e, message);
	return begin + (bytes + mss - 1) / mss;
}

uint8_t message_class(const struct engine *e, const struct flow *message, uint32_t segment)
{
	return segment < message_first_end(e, message)
		       ? (uint8_t)flow_traffic(e, message)->first_class
		       : message->class_id;
}

uint32_t message_same_until(const struct engine *e, const struct flow *message, uint32_t segment)
{
	uint64_t first_end = message_first_end(e, message);

	if (segment < first_end && first_end < message->end_segment)
		return (uint32_t)first_end;
	return message->end_segment;
}

uint8_t message_first_class(const struct engine *e, const struct flow *message)
{
	const struct traffic_config *t = flow_traffic(e, message);

	return t->first_bytes ? (uint8_t)t->first_class : message->class_id;
}

uint8_t message_ack_class(const struct engine *e, const struct flow *message)
{
	uint64_t given = flow_traffic(e, message)->ack_class_plus_one;

	return given ? (uint8_t)(given - 1) : message_first_class(e, message);
}

/* slack + slack-per-kb * size; the product is below 2^40 bytes * 2^50 (1000 s in ps). Messages of
 * unlimited size have the longest slack, to which any time of a run can be added without
 * overflow. */
int64_t message_slack_ps(const struct engine *e, const struct flow *message)
{
	const struct traffic_config *t = flow_traffic(e, message);
	weir_u128 slack_ps = t->slack_per_kb_ps;

	if (e->config->telemetry)
		return 0; /* int_stack_index has its place in the packet: telemetry.h */
	if (!t->slack_per_kb_ps)
		return (int64_t)t->slack_ps;
	if (message->size_bytes == FLOW_UNLIMITED)
		return SLACK_MAX_PS;
	slack_ps = slack_ps * message->size_bytes / BYTES_PER_KB + t->slack_ps;
	return slack_ps < (uint64_t)SLACK_MAX_PS ? (int64_t)slack_ps : SLACK_MAX_PS;
}
