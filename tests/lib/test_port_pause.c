/* SPDX-License-Identifier: BSD-3-Clause */
/* test_port_pause.c -- what pauses, resumes and interjected frames do to a port, by hand and at
 * random. */
#include "tests/port_fixture.h"
#include "weir/pfc.h"
#include "weir/rng.h"

enum { PACKET = 1000 };

#define NS(n) weir_ns_to_ps(n)
#define PACKET_PS NS(800) /* 1000 bytes at 10 Gb/s */

/* --- a port with one queue --- */

static void open_plain(struct fixture *d)
{
	struct weir_port_plan plan = fixture_plan();

	fixture_open(d, &plan, NULL);
}

/* The next departure, all at its exact time. */
static int64_t next_start(struct fixture *d, int64_t now_ps)
{
	int64_t start_ps = d->port->free_ps;

	CHECK(d->port->pkts > 0 && start_ps <= now_ps);
	CHECK(weir_port_next(d->port, &d->pool) != NULL);
	return start_ps;
}

/* Three packets come at 0; the first is on the link when the pause comes at 300 ns and stays there.
 * At 5000 ns the second starts, at once, and the third when the second is over. */
TEST(test_paused_port_finishes_its_frame_and_goes_on_when_told)
{
	struct fixture d;

	open_plain(&d);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, 0), WEIR_PORT_SEND);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, 0), WEIR_PORT_QUEUED);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, 0), WEIR_PORT_QUEUED);
	weir_port_pause(d.port, 0);
	CHECK_INT(d.port->free_ps, WEIR_PORT_BLOCKED_PS);
	CHECK_INT(weir_port_link_free_ps(d.port), PACKET_PS);
	CHECK_INT(fixture_catch_up(&d, NS(4999)), 0);
	weir_port_resume(d.port, 0, NS(5000));
	CHECK_INT(next_start(&d, NS(5000)), NS(5000));
	CHECK_INT(fixture_catch_up(&d, NS(5799)), 0);
	CHECK_INT(next_start(&d, NS(5800)), NS(5800));
	CHECK_INT(d.port->tx_pkts, 3);
	fixture_close(&d);
}

/* Packets that come while an empty port is paused wait for the resume, not for less. */
TEST(test_packets_that_come_during_a_pause_start_at_the_resume)
{
	struct fixture d;

	open_plain(&d);
	weir_port_pause(d.port, 0);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, NS(100)), WEIR_PORT_QUEUED);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, NS(200)), WEIR_PORT_QUEUED);
	weir_port_resume(d.port, 0, NS(1000));
	CHECK_INT(d.port->paused_pkts, 0);
	CHECK_INT(next_start(&d, NS(1000)), NS(1000));
	weir_port_pause(d.port, 0);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, NS(1100)), WEIR_PORT_QUEUED);
	weir_port_resume(d.port, 0, NS(3000));
	CHECK_INT(next_start(&d, NS(3000)), NS(3000));
	CHECK_INT(next_start(&d, NS(9000)), NS(3800));
	CHECK_INT(d.port->paused_pkts, 0);
	fixture_close(&d);
}

TEST(test_resume_while_the_link_is_busy_waits_for_the_link)
{
	struct fixture d;

	open_plain(&d);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, NS(100)), WEIR_PORT_SEND);
	weir_port_pause(d.port, 0);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, NS(200)), WEIR_PORT_QUEUED);
	weir_port_resume(d.port, 0, NS(300));
	CHECK_INT(d.port->free_ps, NS(900));
	/* Said twice, as nothing. */
	weir_port_resume(d.port, 0, NS(400));
	CHECK_INT(d.port->free_ps, NS(900));
	weir_port_pause(d.port, 0);
	weir_port_pause(d.port, 0);
	weir_port_resume(d.port, 0, NS(2000));
	CHECK_INT(next_start(&d, NS(2000)), NS(2000));
	fixture_close(&d);
}

TEST(test_resume_of_an_empty_port_leaves_its_link_as_it_is)
{
	struct fixture d;

	open_plain(&d);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, 0), WEIR_PORT_SEND);
	weir_port_pause(d.port, 0);
	weir_port_resume(d.port, 0, NS(5000));
	CHECK_INT(d.port->free_ps, PACKET_PS);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, NS(6000)), WEIR_PORT_SEND);
	CHECK_INT(d.port->free_ps, NS(6800));
	fixture_close(&d);
}

/* A frame of 64 bytes takes 51.2 ns. It waits for the link, not for the pause, and data waits for
 * it. */
TEST(test_control_frames_are_sent_first_paused_or_not)
{
	struct fixture d;

	open_plain(&d);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, 0), WEIR_PORT_SEND);
	CHECK_INT(fixture_offer_bytes(&d, PACKET, 0), WEIR_PORT_QUEUED);
	CHECK_INT(weir_port_send_control(d.port, WEIR_PFC_FRAME_BYTES, NS(10)), NS(800));
	CHECK_INT(weir_port_send_control(d.port, WEIR_PFC_FRAME_BYTES, NS(20)), 851200);
	CHECK_INT(d.port->free_ps, 902400);
	weir_port_pause(d.port, 0);
	CHECK_INT(weir_port_send_control(d.port, WEIR_PFC_FRAME_BYTES, NS(2000)), NS(2000));
	CHECK_INT(d.port->free_ps, WEIR_PORT_BLOCKED_PS);
	weir_port_resume(d.port, 0, NS(2010));
	CHECK_INT(next_start(&d, NS(9000)), 2051200);
	CHECK_INT(d.port->tx_pkts, 5);
	CHECK_INT(d.port->tx_bytes, 2 * PACKET + 3 * WEIR_PFC_FRAME_BYTES);
	fixture_close(&d);
}

/* --- several queues --- */

static const char *const schedulers[] = { "sp",
					  "dwrr(weights=2:1:1)",
					  "wrr(weights=2:1:1)",
					  "wfq(weights=2:1:1)",
					  "pifo(rank=fifo)",
					  "sp-dwrr(priority-queues=1, weights=2:1)",
					  "sp-wfq(priority-queues=1, weights=2:1)" };

enum { QUEUES = 3, SCHEDULERS = sizeof(schedulers) / sizeof(schedulers[0]) };

static void open_queues(struct fixture *d, struct fixture_params *params, const char *scheduler,
			uint32_t queues)
{
	struct weir_port_plan plan = fixture_plan();

	plan.queues = queues;
	fixture_schemes(&plan, params, "none", scheduler);
	fixture_open(d, &plan, NULL);
}

static int offer_class(struct fixture *d, uint8_t class_id, int64_t now_ps)
{
	struct weir_packet packet = fixture_packet(PACKET);

	packet.class_id = class_id;
	return fixture_offer(d, &packet, now_ps);
}

/* Everything that may start by now_ps, whose classes are counted; nothing of the paused class. */
static void drain(struct fixture *d, int64_t now_ps, uint32_t paused, uint32_t sent[QUEUES])
{
	memset(sent, 0, QUEUES * sizeof(*sent));
	while (d->port->pkts && d->port->free_ps <= now_ps) {
		const struct weir_packet *packet = weir_port_next(d->port, &d->pool);

		if (!packet)
			continue;
		CHECK(packet->class_id != paused);
		sent[packet->class_id]++;
	}
}

/* One on the link, three of each class; class 1 is paused: the others go, the port is blocked when
 * only class 1 is left, and at the resume its first leaves at once. */
TEST(test_pause_of_one_queue_leaves_the_others_alone_under_every_scheduler)
{
	for (size_t s = 0; s < SCHEDULERS; s++) {
		struct fixture_params params;
		struct fixture d;
		uint32_t sent[QUEUES];

		open_queues(&d, &params, schedulers[s], QUEUES);
		CHECK_INT(offer_class(&d, 0, 0), WEIR_PORT_SEND);
		for (int i = 0; i < 3; i++)
			for (uint8_t k = 0; k < QUEUES; k++)
				CHECK_INT(offer_class(&d, k, 0), WEIR_PORT_QUEUED);
		weir_port_pause(d.port, 1);
		CHECK_INT(d.port->paused_pkts, 3);
		drain(&d, NS(100000), 1, sent);
		CHECK_INT(sent[0], 3);
		CHECK_INT(sent[2], 3);
		CHECK_INT(d.port->free_ps, WEIR_PORT_BLOCKED_PS);
		CHECK_INT(weir_port_link_free_ps(d.port), 7 * PACKET_PS);

		CHECK_INT(offer_class(&d, 1, NS(100000)), WEIR_PORT_QUEUED);
		CHECK_INT(d.port->paused_pkts, 4);
		CHECK_INT(d.port->free_ps, WEIR_PORT_BLOCKED_PS);
		/* Another class passes the paused one, straight through and then behind itself. */
		CHECK_INT(offer_class(&d, 2, NS(110000)), WEIR_PORT_SEND);
		CHECK_INT(offer_class(&d, 2, NS(110100)), WEIR_PORT_QUEUED);
		CHECK_INT(next_start(&d, NS(110800)), NS(110800));
		/* A frame while it is blocked moves the link on. */
		drain(&d, NS(120000), 1, sent);
		CHECK_INT(weir_port_send_control(d.port, WEIR_PFC_FRAME_BYTES, NS(130000)),
			  NS(130000));
		CHECK_INT(d.port->free_ps, WEIR_PORT_BLOCKED_PS);

		weir_port_resume(d.port, 1, NS(130001));
		CHECK_INT(d.port->paused_pkts, 0);
		CHECK_INT(next_start(&d, NS(130100)), 130051200);
		drain(&d, NS(200000), UINT32_MAX, sent);
		CHECK_INT(sent[1], 3);
		CHECK_INT(d.port->pkts, 0);
		CHECK_INT(d.port->free_ps, 130051200 + 4 * PACKET_PS);
		fixture_close(&d);
	}
}

/* A queue that is paused and let go again and again after one packet of its turn must not save up
 * turns. Both queues are always busy; after that they share the link by half. */
TEST(test_pauses_do_not_save_up_credit)
{
	static const char *const by_half[] = { "dwrr(quantum=9000B)", "wrr(weights=9:9:9)", "wfq" };

	for (size_t s = 0; s < sizeof(by_half) / sizeof(by_half[0]); s++) {
		struct fixture_params params;
		struct fixture d;
		uint32_t sent[QUEUES] = { 0 };
		int64_t now_ps = 0;

		open_queues(&d, &params, by_half[s], QUEUES);
		for (int i = 0; i < 2000; i++)
			for (uint8_t k = 0; k < 2; k++)
				offer_class(&d, k, 0);
		for (int i = 0; i < 600; i++) {
			const struct weir_packet *packet;

			now_ps = d.port->free_ps;
			packet = weir_port_next(d.port, &d.pool);
			if (packet && packet->class_id == 1) {
				weir_port_pause(d.port, 1);
				weir_port_resume(d.port, 1, now_ps);
			}
		}
		drain(&d, now_ps + 180 * PACKET_PS, UINT32_MAX, sent);
		CHECK_NEAR(sent[1], sent[0], 18);
		fixture_close(&d);
	}
}

/* The queue over time, by hand: nothing until 1000 ns, then one packet that is paused on an idle
 * line until 3000 ns, then nothing until 5000 ns. Its mean is 2/5, and no change is told out of
 * order. */
static void see_change(void *context, const struct weir_port *p, int64_t since_ps)
{
	int64_t *last_ps = context;

	(void)p;
	CHECK(since_ps >= *last_ps);
	*last_ps = since_ps;
}

TEST(test_a_paused_packet_on_an_idle_link_is_counted_as_queued)
{
	for (size_t s = 0; s < SCHEDULERS; s++) {
		struct fixture_params params;
		struct weir_port_stats stats;
		struct fixture d;
		int64_t last_ps = 0;

		open_queues(&d, &params, schedulers[s], QUEUES);
		weir_port_stats_start(d.port, &stats, 0);
		stats.on_change = see_change;
		stats.context = &last_ps;
		weir_port_pause(d.port, 1);
		CHECK_INT(offer_class(&d, 1, NS(1000)), WEIR_PORT_QUEUED);
		fixture_catch_up(&d, NS(2000));
		weir_port_resume(d.port, 1, NS(3000));
		fixture_catch_up(&d, NS(4000));
		weir_port_stats_stop(d.port, NS(5000));
		CHECK_INT(weir_port_stats_pkts_ps(&stats), NS(2000));
		CHECK_INT(stats.bucket_ps[0], NS(3000));
		CHECK_INT(stats.bucket_ps[1], NS(2000));
		CHECK_INT(stats.max_pkts, 1);
		fixture_close(&d);
	}
}

/* --- at random --- */

/* What a port must do, said simply: packets wait in their queue in order; the link carries one
 * frame at a time; a packet starts when the link is free and something may leave, no earlier and no
 * later. */
struct model {
	uint32_t queues;
	uint32_t first[QUEUES], next[QUEUES]; /* numbers of the packets that wait in each queue */
	uint32_t paused[QUEUES];
	int64_t link_free_ps;
	int64_t ready_ps; /* since then something may leave */
};

static int may_send(const struct model *m)
{
	for (uint32_t q = 0; q < m->queues; q++)
		if (!m->paused[q] && m->first[q] != m->next[q])
			return 1;
	return 0;
}

static int64_t model_start_ps(const struct model *m)
{
	return m->link_free_ps > m->ready_ps ? m->link_free_ps : m->ready_ps;
}

/* Its number is in flow_hash, its size in bytes. */
static void model_sends(struct model *m, const struct weir_packet *packet, int64_t start_ps)
{
	uint32_t q = packet->class_id;

	CHECK(!m->paused[q]);
	CHECK(m->first[q] != m->next[q]);
	CHECK_INT(packet->flow_hash, m->first[q]);
	CHECK_INT(start_ps, model_start_ps(m));
	m->first[q]++;
	m->link_free_ps = start_ps + packet->bytes * INT64_C(800);
}

static void catch_up(struct fixture *d, struct model *m, int64_t now_ps)
{
	while (d->port->pkts && d->port->free_ps <= now_ps) {
		int64_t start_ps = d->port->free_ps;
		const struct weir_packet *packet = weir_port_next(d->port, &d->pool);

		if (packet)
			model_sends(m, packet, start_ps);
	}
	/* Nothing that could have started by now is still there. */
	CHECK(!may_send(m) || model_start_ps(m) > now_ps);
}

static void random_offer(struct fixture *d, struct model *m, struct weir_rng *rng, int64_t now_ps)
{
	uint32_t q = (uint32_t)weir_rng_below(rng, m->queues);
	struct weir_packet packet = fixture_packet(64 + (uint32_t)weir_rng_below(rng, 1437));
	int could = may_send(m);

	packet.class_id = (uint8_t)q;
	packet.flow_hash = m->next[q]++;
	if (!could)
		m->ready_ps = now_ps;
	if (weir_port_offer(d->port, &d->pool, &packet, now_ps) == WEIR_PORT_SEND)
		model_sends(m, &packet, now_ps);
}

static void random_step(struct fixture *d, struct model *m, struct weir_rng *rng, int64_t now_ps)
{
	uint32_t q = (uint32_t)weir_rng_below(rng, m->queues), held = 0;
	int could = may_send(m);

	switch (weir_rng_below(rng, 8)) {
	case 0:
		weir_port_pause(d->port, q);
		m->paused[q] = 1;
		break;
	case 1:
	case 2:
		weir_port_resume(d->port, q, now_ps);
		m->paused[q] = 0;
		if (!could)
			m->ready_ps = now_ps;
		break;
	case 3: {
		int64_t start_ps = m->link_free_ps > now_ps ? m->link_free_ps : now_ps;

		CHECK_INT(weir_port_send_control(d->port, WEIR_PFC_FRAME_BYTES, now_ps), start_ps);
		m->link_free_ps = start_ps + 51200;
		break;
	}
	default:
		random_offer(d, m, rng, now_ps);
	}
	for (q = 0; q < m->queues; q++)
		held += m->paused[q] ? m->next[q] - m->first[q] : 0;
	if (m->queues > 1)
		CHECK_INT(d->port->paused_pkts, held);
}

static void check_at_random(const char *scheduler, uint32_t queues, uint64_t seed)
{
	struct weir_rng rng = weir_rng_make(seed, 2, WEIR_RNG_TEST);
	struct fixture_params params;
	struct model m = { .queues = queues };
	struct fixture d;
	int64_t now_ps = 0;

	open_queues(&d, &params, scheduler, queues);
	for (int step = 0; step < 3000; step++) {
		now_ps += (int64_t)weir_rng_below(&rng, 1500000);
		catch_up(&d, &m, now_ps);
		random_step(&d, &m, &rng, now_ps);
	}
	for (uint32_t q = 0; q < queues; q++) {
		int could = may_send(&m);

		weir_port_resume(d.port, q, now_ps);
		m.paused[q] = 0;
		if (!could)
			m.ready_ps = now_ps;
	}
	catch_up(&d, &m, WEIR_PORT_BLOCKED_PS - 1);
	CHECK_INT(d.port->pkts, 0);
	for (uint32_t q = 0; q < queues; q++)
		CHECK_INT(m.first[q], m.next[q]);
	fixture_close(&d);
}

TEST(test_a_port_that_is_paused_at_random_does_as_the_model_says)
{
	for (size_t s = 0; s < SCHEDULERS; s++)
		for (uint64_t seed = 1; seed <= 5; seed++)
			check_at_random(schedulers[s], QUEUES, seed);
	for (uint64_t seed = 1; seed <= 5; seed++) {
		check_at_random("fifo", 1, seed);
		check_at_random("pifo(rank=fifo)", 1, seed);
	}
}
