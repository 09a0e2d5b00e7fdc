/* SPDX-License-Identifier: BSD-3-Clause */
/* test_port.c -- the egress port by itself: times on the wire, order, limits, marks and
 * counters. */
#include "sim/core/engine.h"
#include "tests/port_fixture.h"
#include <stdio.h>

/* --- times --- */

TEST(test_idle_port_sends_at_once_and_is_busy_for_the_frame)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture d;

	fixture_open(&d, &plan, NULL);
	CHECK_INT(fixture_offer_bytes(&d, 1500, 5000), WEIR_PORT_SEND);
	CHECK_INT(d.port->free_ps, 5000 + 1500 * 800);
	CHECK_INT(d.port->pkts, 0);
	/* One picosecond early it waits, on time it does not. */
	CHECK_INT(fixture_offer_bytes(&d, 100, 5000 + 1500 * 800 - 1), WEIR_PORT_QUEUED);
	CHECK_INT(fixture_catch_up(&d, 5000 + 1500 * 800), 1);
	CHECK_INT(d.port->free_ps, 5000 + 1600 * 800);
	CHECK_INT(fixture_offer_bytes(&d, 200, 5000 + 1600 * 800), WEIR_PORT_SEND);
	CHECK_INT(d.port->tx_pkts, 3);
	CHECK_INT(d.port->tx_bytes, 1800);
	fixture_close(&d);
}

TEST(test_waiting_packets_follow_each_other_without_a_gap)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture d;
	int64_t at_ps = 0;

	fixture_open(&d, &plan, NULL);
	for (uint32_t i = 0; i < 100; i++)
		CHECK_INT(fixture_offer_bytes(&d, 64 + i, 0),
			  i ? WEIR_PORT_QUEUED : WEIR_PORT_SEND);
	CHECK_INT(d.port->pkts, 99);
	for (uint32_t i = 0; i < 100; i++) {
		at_ps += (64 + i) * 800;
		CHECK_INT(d.port->free_ps, at_ps);
		if (i < 99)
			CHECK_INT(weir_port_next(d.port, &d.pool)->bytes, 65 + i);
	}
	CHECK_INT(d.port->bytes, 0);
	fixture_close(&d);
}

static int64_t wire_ps(uint64_t rate_bps, uint32_t overhead_bytes, uint32_t min_bytes,
		       uint32_t bytes)
{
	struct weir_port_plan plan = fixture_plan();
	struct weir_port_class class;

	plan.rate_bps = rate_bps;
	plan.overhead_bytes = overhead_bytes;
	plan.min_bytes = min_bytes;
	weir_port_class_init(&class, &plan);
	return weir_port_wire_ps(&class, bytes);
}

/* 800, 320, 80 and 10 ps a byte. */
TEST(test_times_on_the_wire_are_exact_to_the_byte)
{
	CHECK_INT(wire_ps(TEN_GBPS, 0, 0, 1), 800);
	CHECK_INT(wire_ps(TEN_GBPS, 0, 0, 1514), 1211200);
	CHECK_INT(wire_ps(TEN_GBPS / 2 * 5, 0, 0, 1514), 484480);
	CHECK_INT(wire_ps(TEN_GBPS * 10, 0, 0, 9216), 737280);
	CHECK_INT(wire_ps(TEN_GBPS * 80, 0, 0, 1), 10);
	CHECK_INT(wire_ps(TEN_GBPS, WEIR_ETHERNET_OVERHEAD_BYTES, WEIR_ETHERNET_MIN_FRAME_BYTES,
			  1514),
		  1534 * 800);
	CHECK_INT(
		wire_ps(TEN_GBPS, WEIR_ETHERNET_OVERHEAD_BYTES, WEIR_ETHERNET_MIN_FRAME_BYTES, 65),
		85 * 800);
	CHECK_INT(
		wire_ps(TEN_GBPS, WEIR_ETHERNET_OVERHEAD_BYTES, WEIR_ETHERNET_MIN_FRAME_BYTES, 64),
		84 * 800);
	CHECK_INT(wire_ps(TEN_GBPS, WEIR_ETHERNET_OVERHEAD_BYTES, WEIR_ETHERNET_MIN_FRAME_BYTES, 1),
		  84 * 800);
}

/* --- order and memory --- */

TEST(test_packets_leave_a_queue_as_they_came_and_whole)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture d;
	uint64_t in = 0, out = 0, value;

	fixture_open(&d, &plan, NULL);
	fixture_offer_bytes(&d, 1000, 0);
	for (uint32_t round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < 3 * round % 41; i++, in++) {
			struct weir_packet packet = fixture_packet(100);

			memcpy(packet.owner + WEIR_PACKET_OWNER_BYTES - sizeof(in), &in,
			       sizeof(in));
			packet.flow_hash = (uint32_t)in * 7;
			CHECK_INT(weir_port_offer(d.port, &d.pool, &packet, 1), WEIR_PORT_QUEUED);
		}
		for (uint32_t i = 0; i < 3 * round % 37 && d.port->pkts; i++, out++) {
			const struct weir_packet *packet = weir_port_next(d.port, &d.pool);

			memcpy(&value, packet->owner + WEIR_PACKET_OWNER_BYTES - sizeof(value),
			       sizeof(value));
			CHECK_INT(value, out);
			CHECK_INT(packet->flow_hash, out * 7);
			CHECK_INT(packet->time_ps, 1);
		}
		CHECK_INT(d.port->pkts, in - out);
	}
	CHECK(in > 900 && out > 800);
	fixture_close(&d);
}

/* However often packets come and go, the store does not grow. */
TEST(test_memory_of_packets_that_left_is_used_again)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture d;
	uint64_t used;

	fixture_open(&d, &plan, NULL);
	fixture_offer_bytes(&d, 1000, 0);
	for (uint32_t i = 0; i < 100; i++)
		fixture_offer_bytes(&d, 100, 1);
	used = weir_packet_store_used_bytes(&d.store);
	for (uint32_t i = 0; i < 100000; i++) {
		CHECK(weir_port_next(d.port, &d.pool) != NULL);
		fixture_offer_bytes(&d, 100, 1);
	}
	CHECK_INT(weir_packet_store_used_bytes(&d.store), used);
	fixture_close(&d);
}

TEST(test_a_class_is_a_queue_and_classes_beyond_the_last_share_it)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture_params params;
	struct fixture d;

	plan.queues = 3;
	fixture_schemes(&plan, &params, "none", "sp");
	fixture_open(&d, &plan, NULL);
	fixture_offer_bytes(&d, 1000, 0);
	for (uint32_t i = 0; i < 6; i++) {
		struct weir_packet packet = fixture_packet(100 + i);

		packet.class_id = (uint8_t)(5 - i);
		CHECK_INT(fixture_offer(&d, &packet, 1), WEIR_PORT_QUEUED);
	}
	CHECK_INT(weir_port_queues(d.port)[0].pkts, 1);
	CHECK_INT(weir_port_queues(d.port)[1].pkts, 1);
	CHECK_INT(weir_port_queues(d.port)[2].pkts, 4);
	CHECK_INT(weir_port_queues(d.port)[2].bytes, 100 + 101 + 102 + 103);
	/* Strict priority: class 0 came last and leaves first. */
	CHECK_INT(weir_port_next(d.port, &d.pool)->class_id, 0);
	CHECK_INT(weir_port_next(d.port, &d.pool)->class_id, 1);
	CHECK_INT(weir_port_next(d.port, &d.pool)->class_id, 5);
	fixture_close(&d);
}

/* --- limits --- */

/* One on the wire, then as many as fit; the reason has its counter and the others stay 0. */
TEST(test_a_limit_per_queue_counts_each_queue_by_itself)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture_params params;
	struct fixture d;

	plan.queues = 2;
	fixture_schemes(&plan, &params, "none", "dwrr");
	fixture_limit(&plan, WEIR_BUFFER_PER_QUEUE, 5 | WEIR_LENGTH_IN_PACKETS);
	fixture_open(&d, &plan, NULL);
	CHECK_INT(fixture_fill(&d, 1000, 0, 0), 6);
	CHECK_INT(fixture_fill(&d, 1000, 1, 0), 5);
	CHECK_INT(d.port->pkts, 10);
	CHECK_INT(d.port->cold->drops[WEIR_DROP_QUEUE_FULL], 2);
	CHECK_INT(fixture_drops(&d), 2);
	fixture_close(&d);
}

TEST(test_a_limit_in_bytes_is_reached_to_the_byte)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture d;

	for (enum weir_buffer_scope scope = WEIR_BUFFER_PER_QUEUE; scope <= WEIR_BUFFER_PER_PORT;
	     scope++) {
		enum weir_port_drop reason =
			scope == WEIR_BUFFER_PER_QUEUE ? WEIR_DROP_QUEUE_FULL : WEIR_DROP_PORT_FULL;

		fixture_limit(&plan, scope, 5000);
		fixture_open(&d, &plan, NULL);
		CHECK_INT(fixture_fill(&d, 1500, 0, 0), 1 + 3);
		CHECK_INT(fixture_offer_bytes(&d, 501, 0), WEIR_PORT_DROPPED);
		CHECK_INT(fixture_offer_bytes(&d, 500, 0), WEIR_PORT_QUEUED);
		CHECK_INT(d.port->bytes, 5000);
		CHECK_INT(fixture_offer_bytes(&d, 1, 0), WEIR_PORT_DROPPED);
		CHECK_INT(d.port->cold->drops[reason], 3);
		CHECK_INT(fixture_drops(&d), 3);
		fixture_close(&d);
	}
}

TEST(test_a_limit_per_port_is_shared_first_come_first_served)
{
	struct weir_port_plan plan = fixture_plan();
	struct fixture_params params;
	struct fixture d;

	plan.queues = 2;
	fixture_schemes(&plan, &params, "none", "dwrr");
	fixture_limit(&plan, WEIR_BUFFER_PER_PORT, 5 | WEIR_LENGTH_IN_PACKETS);
	fixture_open(&d, &plan, NULL);
	CHECK_INT(fixture_fill(&d, 1000, 0, 0), 6);
	CHECK_INT(fixture_fill(&d, 1000, 1, 0), 0);
	CHECK_INT(d.port->cold->drops[WEIR_DROP_PORT_FULL], 2);
	/* When one has left, the first to arrive takes its place. */
	CHECK_INT(fixture_catch_up(&d, 800000), 1);
	CHECK_INT(fixture_fill(&d, 1000, 1, 800000), 1);
	CHECK_INT(fixture_fill(&d, 1000, 0, 800000), 0);
	CHECK_INT(d.port->cold->drops[WEIR_DROP_PORT_FULL], 4);
	CHECK_INT(fixture_drops(&d), 4);
	fixture_close(&d);
}

/* --- the shared buffer --- */

enum { POOL_BYTES = 12000 };

static void pool_plan(struct weir_port_plan *plan, uint64_t alpha_q32)
{
	*plan = fixture_plan();
	weir_buffer_params_init(&plan->buffer, WEIR_BUFFER_PER_SWITCH, POOL_BYTES, alpha_q32);
}

/* How many packets of 1000 bytes wait in the only busy port of a switch with 12,000 bytes. */
static uint32_t one_busy_port(uint64_t alpha_q32)
{
	struct weir_shared_buffer pool = { 0 };
	struct weir_port_plan plan;
	struct fixture d;
	uint32_t waiting;

	pool_plan(&plan, alpha_q32);
	fixture_open(&d, &plan, &pool);
	fixture_fill(&d, 1000, 0, 0);
	CHECK_INT(d.port->cold->drops[WEIR_DROP_SHARED_BUFFER_FULL], 1);
	CHECK_INT(fixture_drops(&d), 1);
	waiting = d.port->pkts;
	CHECK_INT(pool.used_bytes, waiting * 1000);
	fixture_catch_up(&d, INT64_C(1000000000));
	CHECK_INT(pool.used_bytes, 0);
	fixture_close(&d);
	return waiting;
}

/* Choudhury and Hahne, section III: S queues hold alpha B / (1 + alpha S) each; here S = 1. */
TEST(test_dynamic_threshold_holds_one_queue_at_its_share_of_the_shared_buffer)
{
	CHECK_INT(one_busy_port(WEIR_ONE_Q32 / 2), 4);
	CHECK_INT(one_busy_port(WEIR_ONE_Q32), 6);
	CHECK_INT(one_busy_port(2 * WEIR_ONE_Q32), 8);
	CHECK_INT(one_busy_port(11 * WEIR_ONE_Q32), 11);
	CHECK_INT(one_busy_port(128 * WEIR_ONE_Q32), 12); /* all there is */
}

/* Alpha 1. The first port takes 6000 of 12,000. The second then 3000, since with 3000 free a fourth
 * would exceed them. As the first drains the threshold rises, until both hold 4000 and 4000 are
 * free. */
TEST(test_dynamic_threshold_makes_room_for_a_second_queue_as_the_first_drains)
{
	struct weir_shared_buffer pool = { 0 };
	struct weir_port_plan plan;
	struct fixture a, b;

	pool_plan(&plan, WEIR_ONE_Q32);
	fixture_open(&a, &plan, &pool);
	fixture_open(&b, &plan, &pool);
	fixture_fill(&a, 1000, 0, 0);
	fixture_fill(&b, 1000, 0, 0);
	CHECK_INT(a.port->pkts, 6);
	CHECK_INT(b.port->pkts, 3);
	CHECK_INT(pool.used_bytes, 9000);
	CHECK_INT(weir_port_next(a.port, &a.pool)->bytes, 1000);
	CHECK_INT(fixture_offer_bytes(&b, 1000, 0), WEIR_PORT_QUEUED);
	CHECK_INT(fixture_offer_bytes(&b, 1000, 0), WEIR_PORT_DROPPED);
	CHECK_INT(weir_port_next(a.port, &a.pool)->bytes, 1000);
	CHECK_INT(fixture_offer_bytes(&b, 1, 0), WEIR_PORT_DROPPED);
	CHECK_INT(fixture_offer_bytes(&a, 1, 0), WEIR_PORT_DROPPED);
	CHECK_INT(a.port->bytes, 4000);
	CHECK_INT(b.port->bytes, 4000);
	CHECK_INT(b.port->cold->drops[WEIR_DROP_SHARED_BUFFER_FULL], 3);
	fixture_close(&a);
	fixture_close(&b);
}

/* A shared buffer whose ports are behind the clock: sync takes off what has left meanwhile. */
struct lagging {
	struct weir_shared_buffer pool;
	uint64_t gone_bytes;
	int syncs;
};

static void lagging_sync(struct weir_shared_buffer *pool, int64_t now_ps)
{
	struct lagging *l = pool->owner;

	CHECK_INT(now_ps, 77);
	l->syncs++;
	pool->used_bytes -= l->gone_bytes;
	l->gone_bytes = 0;
}

TEST(test_a_stale_shared_buffer_refuses_no_packet)
{
	struct lagging l = { .pool = { .used_bytes = 5000, .sync = lagging_sync, .owner = &l } };
	struct weir_port_plan plan;
	struct fixture d;

	pool_plan(&plan, WEIR_ONE_Q32);
	fixture_open(&d, &plan, &l.pool);
	CHECK_INT(fixture_offer_bytes(&d, 1000, 77), WEIR_PORT_SEND);
	CHECK_INT(l.syncs, 0);
	l.pool.used_bytes = 11800;
	l.gone_bytes = 1800;
	CHECK_INT(fixture_offer_bytes(&d, 1000, 77), WEIR_PORT_QUEUED);
	CHECK_INT(l.syncs, 1);
	CHECK_INT(fixture_offer_bytes(&d, 1000, 77), WEIR_PORT_DROPPED);
	CHECK_INT(l.syncs, 2);
	fixture_close(&d);
}

/* --- memory --- */

/* With one queue and a scheme without tables: what the simulator has for a port of its own and the
 * port. */
TEST(test_an_idle_port_takes_at_most_five_cache_lines)
{
	for (uint32_t i = 0; weir_mark_all[i]; i++) {
		struct weir_port_plan plan = fixture_plan();
		struct fixture_params params;
		struct weir_port_class class;

		fixture_schemes(&plan, &params, weir_mark_all[i]->scheme.name, "fifo");
		if (weir_mark_state_size(plan.mark, plan.mark_params) > 64)
			continue;
		weir_port_class_init(&class, &plan);
		printf("%s: %u\n", weir_mark_all[i]->scheme.name, (unsigned)class.size);
		CHECK(offsetof(struct egress, port) + class.size <= 320);
	}
}
