/* tcp_receive.c -- the receiving end of a connection: what arrived, what to tell the sender.
 *
 * An ACK goes out for every acks-per data packets, at once when something is out of order or a
 * message is complete, and after ack-delay at the latest. ECN echo: classic (RFC 3168: every ACK
 * until CWR) or exact (RFC 8257: an ACK speaks only of packets that were all marked or all not
 * marked). A flow ends when its last byte is here. */
#include "sim/host/host.h"
#include "sim/host/mailbox.h"
#include "sim/switch/telemetry.h"

/* --- ACKs --- */

static const struct transport *receiver_transport(const struct engine *e, const struct receiver *r)
{
	return &e->transports[r->transport];
}

uint64_t receiver_path(const struct engine *e, const struct host *h, struct receiver *r)
{
	struct path_state p = {
		&r->path,      &r->path_until_ps, &r->sprayed,
		r->flow_hash,  h->number,         flow_at(e, r->connection)->src,
		r->connection,
	};

	return host_path(e, &p, h->now_ps);
}

/* data: the packet that calls for the ACK, whose notes go back with it; NULL: none does. */
static inline __attribute__((always_inline)) void send_ack_here(struct worker *w, struct host *h,
								struct receiver *r, uint8_t flags,
								const struct weir_packet *data)
{
	const struct transport *t = receiver_transport(w->engine, r);
	struct weir_packet spare, *packet = host_control_place(w, h, &spare);

	packet->flow_hash = r->flow_hash;
	packet->bytes = (uint16_t)t->header_bytes;
	packet->class_id = r->class_id;
	packet->slack_ps = 0;
	packet->flags = flags;
	*packet_segment(packet) = (struct segment){
		.path = h->now_ps < r->path_until_ps ? r->path : receiver_path(w->engine, h, r),
		.connection = r->connection,
		.number = r->next,
		.sent_ps = r->echo_ps,
	};
	if (r->arrived_count)
		arrivals_report(r, packet_segment(packet));
	r->held = 0;
	if (__builtin_expect(w->engine->notes != NULL, 0)) {
		struct int_stack none = { .count = 0 };

		host_control_notes(w, h, packet, &spare, data ? packet_notes(w, data) : &none);
	} else {
		host_control(w, h, packet, &spare);
	}
}

/* For all but the usual ACK, which is made in line. */
static __attribute__((noinline)) void send_ack(struct worker *w, struct host *h, struct receiver *r,
					       uint8_t flags)
{
	send_ack_here(w, h, r, flags, NULL);
}

static uint8_t ack_flags(const struct transport *t, const struct receiver *r)
{
	int echo = t->exact_echo ? r->ce : r->latched;

	return (uint8_t)(t->ack_flags | (echo ? SEGMENT_ECE : 0));
}

static void hold_ack(struct worker *w, struct host *h, struct receiver *r)
{
	r->deadline_ps = h->now_ps + (int64_t)w->engine->config->host.ack_delay_ps;
	if (r->timer_set)
		return;
	r->timer_set = 1;
	host_timer(h, r->deadline_ps, TIMER_ACK, r->connection);
}

/* A queue pair's samples of the round trip do not count how long the receiver held an ACK back. */
static void send_held_ack(struct worker *w, struct host *h, struct receiver *r)
{
	const struct transport *t = receiver_transport(w->engine, r);
	int64_t came_ps = r->deadline_ps - (int64_t)w->engine->config->host.ack_delay_ps;

	if (t->is_rdma)
		r->echo_ps += h->now_ps - came_ps;
	send_ack(w, h, r, ack_flags(t, r));
}

void receiver_on_timer(struct worker *w, struct host *h, uint32_t connection)
{
	uint32_t handle = flow_at(w->engine, connection)->rx;

	if (handle == FLOW_NONE)
		return;

	struct receiver *r = slab_at(&w->receivers, handle);

	r->timer_set = 0;
	if (!r->held)
		return;
	if (r->deadline_ps > h->now_ps) {
		r->timer_set = 1;
		host_timer(h, r->deadline_ps, TIMER_ACK, connection);
	} else {
		send_held_ack(w, h, r);
	}
}

/* --- connections --- */

static void receiver_init(const struct engine *e, const struct host *h, struct receiver *r,
			  uint32_t connection)
{
	r->connection = connection;
	r->transport = flow_transport_number(e, flow_at(e, connection));
	r->message = connection;
	r->message_end = flow_at(e, connection)->end_segment;
	r->class_id = message_ack_class(e, flow_at(e, connection));
	/* The way back is chosen on its own, as two hashes of one five-tuple would. */
	r->flow_hash = flow_route_hash(~e->config->seed, connection);
	receiver_path(e, h, r);
}

void receiver_free(struct worker *w, uint32_t handle)
{
	struct receiver *r = slab_at(&w->receivers, handle);

	arrivals_free(w, r);
	slab_give(&w->receivers, handle);
}

/* Data of a connection that is over here: the ACK that said so was lost or is on its way. */
static void answer_late(struct worker *w, struct host *h, uint32_t connection, int64_t sent_ps)
{
	struct receiver r = { .echo_ps = sent_ps };

	receiver_init(w->engine, h, &r, connection);
	r.next = flow_at(w->engine, connection)->end_segment;
	send_ack(w, h, &r, receiver_transport(w->engine, &r)->ack_flags);
}

/* Messages that end at or before next are complete. Returns 1 where one is, after which the
 * connection may be gone. The next message is looked up only when data of it has arrived: its sender
 * may be naming it right now, on another thread. */
static int complete_messages(struct worker *w, struct host *h, struct receiver *r)
{
	struct engine *e = w->engine;
	int completed = 0;

	for (;;) {
		struct flow *f = flow_at(e, r->message);

		if (f->finish_ps >= 0) {
			if (r->next <= r->message_end)
				return completed;
			r->message = f->next;
			r->message_end = flow_at(e, r->message)->end_segment;
			r->class_id = message_ack_class(e, flow_at(e, r->message));
			continue;
		}
		if (f->size_bytes == FLOW_UNLIMITED || r->next < r->message_end)
			return completed;
		f->finish_ps = h->now_ps;
		r->message_bytes += f->size_bytes;
		if (r->next == r->message_end && !r->arrived_count && r->bytes != r->message_bytes)
			w->byte_errors++;
		w->flows_done++;
		if (f->ties & FLOW_TELLS_RECEIVED)
			engine_tell(w, r->message, FLOW_TELLS_RECEIVED);
		if (f->ties & FLOW_CALLS)
			mail_deliver(w, h, r->message);
		completed = 1;
	}
}

/* --- data --- */

/* Returns 1 where the packet calls for an ACK at once. RFC 8257, section 3.2: one whose mark is another
 * than the last one's does; what was held back is acknowledged first, with the mark that it had. (The
 * RFC leaves that first ACK to the implementation; Linux sends both as well.) */
static int note_marks(struct worker *w, struct host *h, struct receiver *r,
		      const struct weir_packet *packet)
{
	const struct transport *t = receiver_transport(w->engine, r);
	uint8_t ce = (packet->flags & WEIR_PACKET_CE) != 0;

	if (t->exact_echo) {
		int changed = ce != r->ce;

		if (changed && r->held)
			send_held_ack(w, h, r);
		r->ce = ce;
		return changed;
	}
	if (packet->flags & SEGMENT_CWR)
		r->latched = 0;
	if (ce)
		r->latched = 1;
	return 0;
}

/* Books the segment; returns 1 where it calls for an ACK at once. */
static int accept_segment(struct worker *w, struct host *h, struct receiver *r,
			  const struct segment *data)
{
	if (segment_before(data->number, r->next))
		return 1; /* again */
	if (data->number == r->next) {
		int gap = r->arrived_count > 0;

		r->next++;
		if (segment_before(r->highest, r->next))
			r->highest = r->next;
		if (gap)
			arrivals_close_gap(w, r);
		r->bytes += data->payload_bytes;
		h->goodput_bytes += data->payload_bytes;
		return gap;
	}
	if (arrivals_add(w, r, data->number)) {
		r->bytes += data->payload_bytes;
		h->goodput_bytes += data->payload_bytes;
	}
	return 1;
}

/* A mark on a SYN or on its answer says nothing to anybody: there is no window to cut yet. */
static void answer_syn(struct worker *w, struct host *h, struct receiver *r, int64_t sent_ps)
{
	r->echo_ps = sent_ps;
	send_ack(w, h, r, receiver_transport(w->engine, r)->syn_flags | SEGMENT_ACK);
}

void receiver_on_data(struct worker *w, struct host *h, struct weir_packet *packet)
{
	struct engine *e = w->engine;
	const struct segment *data = packet_segment(packet);
	struct flow *f = flow_at(e, data->connection);

	if (f->rx == FLOW_NONE) {
		if (f->finish_ps >= 0) {
			answer_late(w, h, data->connection, data->sent_ps);
			return;
		}
		f->rx = slab_take(&w->receivers);
		receiver_init(e, h, slab_at(&w->receivers, f->rx), data->connection);
	}

	struct receiver *r = slab_at(&w->receivers, f->rx);

	if (packet->flags & SEGMENT_SYN) {
		answer_syn(w, h, r, data->sent_ps);
		return;
	}
	h->data_pkts++;
	if (packet->flags & WEIR_PACKET_CE) {
		h->marked_pkts++;
		r->marked_pkts++;
	}
	const struct transport *t = receiver_transport(e, r);

	int at_once = note_marks(w, h, r, packet);

	if (__builtin_expect(t->is_rdma, 0)) {
		if (t->cnp_interval_ps >= 0)
			rdma_notify(w, h, r, (packet->flags & WEIR_PACKET_CE) != 0);
		if (t->go_back_n && segment_before(r->next, data->number)) {
			r->echo_ps = data->sent_ps;
			if (rdma_refuse(r) == 0)
				send_ack_here(w, h, r, SEGMENT_NACK | ack_flags(t, r), packet);
			return;
		}
	}

	at_once |= accept_segment(w, h, r, data);
	if (r->held++ == 0 || t->is_rdma)
		r->echo_ps = data->sent_ps;
	if (r->next >= r->message_end)
		at_once |= complete_messages(w, h, r);
	if (at_once || r->held >= t->acks_per)
		send_ack_here(w, h, r, ack_flags(t, r), packet);
	else
		hold_ack(w, h, r);
	if (f->finish_ps >= 0 && flow_traffic(e, f)->connections == CONNECTIONS_PER_FLOW) {
		if (e->flow_marks)
			e->flow_marks[data->connection] = r->marked_pkts;
		receiver_free(w, f->rx);
		f->rx = FLOW_NONE;
	}
}
