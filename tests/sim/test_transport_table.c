/* SPDX-License-Identifier: BSD-3-Clause */
/* test_transport_table.c -- what happens to a connection goes to the transport of its control, and
 * to no other. */
#include "sim/core/host.h"
#include "tests/test.h"
#include <string.h>

/* A transport that neither TCP nor RDMA knows of: it writes down what it was asked, in the host's
 * counters, which nobody else here touches. */
static void third_send(struct worker *w, struct host *h, struct sender *s, int64_t start_ps)
{
	(void)w, (void)s;
	h->now_ps = start_ps;
	h->made_pkts++;
}

static void third_on_ack(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
			 struct weir_packet *packet)
{
	CHECK(s == slab_at(&w->senders, handle));
	CHECK_INT(packet_segment(packet)->connection, s->connection);
	h->received_pkts++;
}

static void third_on_timer(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
			   enum timer_kind kind)
{
	CHECK(s == slab_at(&w->senders, handle));
	h->timeouts += kind;
}

static void third_on_data(struct worker *w, struct host *h, struct receiver *r,
			  struct weir_packet *packet)
{
	(void)w;
	CHECK_INT(packet_segment(packet)->connection, r->connection);
	h->data_pkts++;
}

static const struct transport_ops third = {
	.send = third_send,
	.on_ack = third_on_ack,
	.on_timer = third_on_timer,
	.on_data = third_on_data,
};

/* A worker with one connection, number 1, both ends of which are here. */
struct hand {
	struct transport transports[2];
	struct flow flows[2];
	struct engine e;
	struct worker w;
	struct host h;
	struct weir_packet packet;
};

static void hand_open(struct hand *d)
{
	struct sender *s;
	struct receiver *r;

	memset(d, 0, sizeof(*d));
	d->transports[0].ops = &tcp_transport;
	d->transports[1].ops = &third;
	d->e.transports = d->transports;
	d->e.flows.flows = d->flows;
	d->w.engine = &d->e;
	slab_init(&d->w.senders, 4, sizeof(*s));
	slab_init(&d->w.receivers, 4, sizeof(*r));
	slab_alloc(&d->w.senders);
	d->flows[0].tx = d->flows[0].rx = FLOW_NONE;
	d->flows[1].tx = slab_alloc(&d->w.senders);
	d->flows[1].rx = slab_alloc(&d->w.receivers);
	s = slab_at(&d->w.senders, d->flows[1].tx);
	r = slab_at(&d->w.receivers, d->flows[1].rx);
	s->connection = r->connection = 1;
	s->transport = r->transport = 1;
	packet_segment(&d->packet)->connection = 1;
}

static void hand_close(struct hand *d)
{
	slab_free(&d->w.senders);
	slab_free(&d->w.receivers);
}

TEST(test_third_transport_hears_of_its_connections)
{
	struct hand d;

	hand_open(&d);
	sender_on_ack(&d.w, &d.h, &d.packet);
	CHECK_INT(d.h.received_pkts, 1);
	receiver_on_data(&d.w, &d.h, &d.packet);
	CHECK_INT(d.h.data_pkts, 1);
	sender_send_next(&d.w, &d.h, slab_at(&d.w.senders, d.flows[1].tx), 77);
	CHECK_INT(d.h.made_pkts, 1);
	CHECK_INT(d.h.now_ps, 77);
	sender_on_transport_timer(&d.w, &d.h, 1, TIMER_PACING);
	CHECK_INT(d.h.timeouts, TIMER_PACING);
	hand_close(&d);
}

TEST(test_transport_hears_nothing_of_connections_that_are_over)
{
	struct hand d;

	hand_open(&d);
	packet_segment(&d.packet)->connection = 0;
	sender_on_ack(&d.w, &d.h, &d.packet);
	sender_on_transport_timer(&d.w, &d.h, 0, TIMER_PACING);
	sender_on_timer(&d.w, &d.h, 0, TIMER_RETRANSMIT);
	CHECK_INT(d.h.received_pkts + d.h.timeouts, 0);
	hand_close(&d);
}

/* Only is_due may be left out. */
TEST(test_every_transport_has_its_hooks)
{
	static const struct transport_ops *const all[] = { &tcp_transport, &rdma_transport };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK(all[i]->plan && all[i]->open && all[i]->try_send && all[i]->send);
		CHECK(all[i]->on_ack && all[i]->on_rto && all[i]->on_timer && all[i]->on_data);
	}
}
