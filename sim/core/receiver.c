/* SPDX-License-Identifier: BSD-3-Clause */
/* receiver.c -- the receiving end of a connection, whatever its transport: ACKs, completion of
 * messages, opening and closing. Runs on the worker that owns the host.
 *
 * An ACK is sent for every packets-per-ack data packets, at once when something is out of order or
 * a message is complete, and after ack-delay at the latest. A flow is complete when its last byte
 * has arrived. */
#include "sim/core/receiver.h"
#include "sim/core/mailbox.h"

/* --- ACKs --- */

uint64_t receiver_path(const struct engine *e, const struct host *h, struct receiver *r)
{
	struct path_state p = {
		&r->path,      &r->path_until_ps, &r->spray_count,
		r->flow_hash,  h->number,         flow_at(e, r->connection)->src,
		r->connection,
	};

	return host_path(e, &p, h->now_ps);
}

void receiver_send_ack_slow(struct worker *w, struct host *h, struct receiver *r, uint8_t flags,
			    struct weir_packet *data)
{
	const struct transport *t = receiver_transport(w->engine, r);

	if (t->cc->transport == WEIR_CC_RDMA)
		receiver_send_ack(w, h, r, t, flags, data, WEIR_CC_RDMA);
	else
		receiver_send_ack(w, h, r, t, flags, data, WEIR_CC_TCP);
}

void receiver_delay_ack(struct worker *w, struct host *h, struct receiver *r)
{
	r->deadline_ps = h->now_ps + (int64_t)w->engine->config->host.ack_delay_ps;
	if (r->timer_set)
		return;
	r->timer_set = 1;
	host_timer(h, r->deadline_ps, TIMER_ACK, r->connection);
}

void receiver_send_delayed_ack(struct worker *w, struct host *h, struct receiver *r)
{
	const struct transport *t = receiver_transport(w->engine, r);
	int64_t arrived_ps = r->deadline_ps - (int64_t)w->engine->config->host.ack_delay_ps;

	if (t->ops->echo_excludes_ack_delay)
		r->echo_ps += h->now_ps - arrived_ps;
	receiver_send_ack_slow(w, h, r, receiver_ack_flags(t, r), NULL);
}

void receiver_on_timer(struct worker *w, struct host *h, uint32_t connection)
{
	uint32_t handle = flow_at(w->engine, connection)->rx;

	if (handle == FLOW_NONE)
		return;

	struct receiver *r = slab_at(&w->receivers, handle);

	r->timer_set = 0;
	if (!r->unacked_pkts)
		return;
	if (r->deadline_ps > h->now_ps) {
		r->timer_set = 1;
		host_timer(h, r->deadline_ps, TIMER_ACK, connection);
	} else {
		receiver_send_delayed_ack(w, h, r);
	}
}

/* --- opening --- */

static void receiver_init(const struct engine *e, const struct host *h, struct receiver *r,
			  uint32_t connection)
{
	r->connection = connection;
	r->transport = flow_transport_number(e, flow_at(e, connection));
	r->message = connection;
	r->message_end = flow_at(e, connection)->end_segment;
	r->class_id = message_ack_class(e, flow_at(e, connection));
	/* ACKs choose their path independently, as two hashes of one five-tuple would. */
	r->flow_hash = flow_route_hash(~e->config->seed, connection);
	receiver_path(e, h, r);
}

/* Data of a closed connection: the ACK of its last segment was lost or is in flight. Acknowledges
 * everything. */
static void receiver_ack_closed(struct worker *w, struct host *h, uint32_t connection,
				int64_t sent_ps)
{
	struct receiver r = { .echo_ps = sent_ps };

	receiver_init(w->engine, h, &r, connection);
	r.next = flow_at(w->engine, connection)->end_segment;
	receiver_send_ack_slow(w, h, &r, receiver_transport(w->engine, &r)->ack_flags, NULL);
}

uint32_t receiver_open(struct worker *w, struct host *h, const struct weir_packet *packet)
{
	const struct segment *data = packet_segment((struct weir_packet *)packet);
	struct flow *f = flow_at(w->engine, data->connection);

	if (f->finish_ps >= 0) {
		receiver_ack_closed(w, h, data->connection, data->sent_ps);
		return FLOW_NONE;
	}
	f->rx = slab_alloc(&w->receivers);
	receiver_init(w->engine, h, slab_at(&w->receivers, f->rx), data->connection);
	return f->rx;
}

/* --- completion and closing --- */

/* Completes the messages that end at or before receiver.next; returns 1 where there is one. Looks
 * up the next message only once data of it has arrived: until then the sender may be writing
 * flow.next, on another thread. */
static int receiver_complete_messages(struct worker *w, struct host *h, struct receiver *r)
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
		if (!e->acked_ps) { /* else flows are done at the sender */
			w->flows_done++;
			if (UNLIKELY(e->on_flow_done != NULL))
				e->on_flow_done(e->context, r->message);
		}
		if (f->flags & FLOW_SIGNALS_RECEIVED)
			engine_flow_done(w, r->message, FLOW_SIGNALS_RECEIVED);
		if (f->flags & FLOW_HAS_CALLBACK)
			mailbox_deliver(w, h, r->message);
		completed = 1;
	}
}

void receiver_free(struct worker *w, uint32_t handle)
{
	struct receiver *r = slab_at(&w->receivers, handle);

	arrivals_free(w, r);
	slab_release(&w->receivers, handle);
}

/* Closes the connection where its first message is complete and no other can follow. */
static void receiver_close_if_done(struct worker *w, struct receiver *r)
{
	struct engine *e = w->engine;
	struct flow *f = flow_at(e, r->connection);

	if (f->finish_ps < 0 || traffic_is_persistent(e->config, flow_traffic(e, f)))
		return;
	if (e->flow_marks)
		e->flow_marks[r->connection] = r->marked_pkts;
	receiver_free(w, f->rx);
	f->rx = FLOW_NONE;
}

void receiver_end_message(struct worker *w, struct host *h, struct receiver *r,
			  struct weir_packet *packet, int ack_at_once)
{
	const struct transport *t = receiver_transport(w->engine, r);
	int completed = receiver_complete_messages(w, h, r);

	if (completed || ack_at_once || r->unacked_pkts >= t->acks_per)
		receiver_send_ack_slow(w, h, r, receiver_ack_flags(t, r), packet);
	else
		receiver_delay_ack(w, h, r);
	if (completed)
		receiver_close_if_done(w, r);
}

/* --- data out of order --- */

int receiver_record_slow(struct worker *w, struct host *h, struct receiver *r,
			 const struct segment *data)
{
	if (segment_before(data->number, r->next))
		return 1; /* duplicate */
	if (data->number == r->next) {
		r->next++;
		arrivals_close_gap(w, r);
	} else if (!arrivals_add(w, r, data->number)) {
		return 1; /* duplicate */
	}
	r->bytes += data->payload_bytes;
	h->goodput_bytes += data->payload_bytes;
	return 1;
}
