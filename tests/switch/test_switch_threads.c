/* SPDX-License-Identifier: BSD-3-Clause */
/* test_switch_threads.c -- ports divided among threads: a frame handed over arrives once and in
 * order, a full ring is a counted drop, and all planes learn an address. */
#define _POSIX_C_SOURCE 200809L
#include "switch/run/serve.h"
#include "switch/run/control.h"
#include "tests/memory_wire.h"

TEST(test_handover_keeps_order_and_rejects_when_full)
{
	struct handover *h = handover_new(100);
	uint32_t put = 0, taken = 0;

	CHECK(!handover_first(h));
	for (int round = 0; round < 3; round++) {
		struct handed *room;

		while ((room = handover_room(h))) {
			room->length = put++;
			handover_put(h);
		}
		CHECK_INT(put - taken, HANDOVER_SLOTS);
		for (int i = 0; i < 300; i++) {
			CHECK_INT(handover_first(h)->length, taken++);
			handover_take(h);
		}
	}
	handover_free(h);
}

/* a and b belong to the first thread, c to the second. */
TEST(test_switch_frame_leaves_by_a_port_of_another_thread)
{
	struct switch_settings s;
	struct loop l;

	start_threads(&s, &l, 2);
	CHECK_INT(l.groups[0].ports, 3);
	CHECK_INT(l.groups[1].ports, 4);
	wait_at(&l, 0, 1000);
	wait_at_for(&l, 2, 1, 1000);
	loop_turn(&l.groups[0]);
	CHECK_INT(l.wires[2]->sent, 0);
	for (int i = 0; i < 100000 && (!l.wires[2]->sent || !l.wires[1]->sent); i++) {
		loop_turn(&l.groups[1]);
		loop_turn(&l.groups[0]);
	}
	CHECK_INT(l.wires[2]->sent, 1);
	CHECK_INT(l.wires[1]->sent, 1);
	CHECK_INT(l.wires[0]->sent, 0);
	CHECK_INT(loop_port(&l, 0)->counts.rx_pkts, 1);
	CHECK_INT(loop_port(&l, 2)->port->tx_pkts, 1);
	end(&s, &l);
}

TEST(test_switch_full_ring_between_threads_is_a_counted_drop)
{
	struct switch_settings s;
	struct loop l;

	start_threads(&s, &l, 2);
	for (int i = 0; i < 600; i++)
		wait_at(&l, 0, 1000000 - i);
	for (int i = 0; i < 3; i++)
		loop_turn(&l.groups[0]);
	CHECK_INT(l.wires[0]->next, 600);
	CHECK_INT(loop_faults(&l, 0, PLANE_NOT_GIVEN), 600 - HANDOVER_SLOTS);
	for (int i = 0; i < 100000 && l.wires[2]->sent < HANDOVER_SLOTS; i++)
		loop_turn(&l.groups[1]);
	CHECK_INT(l.wires[2]->sent, HANDOVER_SLOTS);
	CHECK_INT(plane_buffers_free(l.groups[0].plane) + plane_buffers_free(l.groups[1].plane),
		  (long long)s.real.buffers);
	end(&s, &l);
}

/* When the egress thread has no free buffer, the fault is counted at the ingress port. */
TEST(test_switch_faults_of_other_threads_are_those_of_the_port_that_a_frame_came_in_at)
{
	struct switch_settings s;
	struct loop l;

	start_threads(&s, &l, 2);
	l.wires[2]->room = 0;
	plane_free(l.groups[1].plane);
	l.groups[1].plane = settings_plane(
		&s, NULL, &(struct settings_share){ .own = l.groups[1].ports, .buffers = 10 });
	for (int i = 0; i < 30; i++)
		wait_at(&l, 0, 1000);
	loop_turn(&l.groups[0]);
	loop_turn(&l.groups[1]);
	CHECK_INT(loop_faults(&l, 0, PLANE_POOL_FULL), 20);
	CHECK_INT(loop_port(&l, 0)->counts.faults[PLANE_POOL_FULL], 0);
	end(&s, &l);
}

/* Host 2 is learned at a, of the first thread: a frame for it that arrives at c, of the second,
 * leaves by a only. */
TEST(test_switch_threads_share_learned_addresses)
{
	static const char plain[] = "[real]\nthreads = 2\n[port a]\n[port b]\n[port c]\n";
	struct weir_error e = { "" };
	struct switch_settings s;
	struct made_frame f;
	struct loop l;

	CHECK_INT(settings_read_text(&s, "test", plain, strlen(plain), &e), 0);
	s.backend = &memory;
	CHECK_INT(loop_open(&l, &s, &e), 0);
	for (uint32_t i = 0; i < 3; i++)
		l.wires[i]->room = WAITING_MAX;
	frames_ipv4(&f, &(struct made_ip){ .to = 9, .from = 2, .ecn = 2, .whole = 100 });
	plane_receive(l.groups[0].plane, 0, &(struct plane_arrival){ f.data, f.length, 0, 1 });
	CHECK_INT(loop_port(&l, 1)->port->tx_pkts, 1); /* host 9 is unknown */
	loop_turn(&l.groups[1]);
	CHECK_INT(loop_port(&l, 2)->port->tx_pkts, 1);
	frames_ipv4(&f, &(struct made_ip){ .to = 2, .from = 5, .ecn = 2, .whole = 100 });
	plane_receive(l.groups[1].plane, 2, &(struct plane_arrival){ f.data, f.length, 0, 2 });
	loop_turn(&l.groups[0]);
	CHECK_INT(loop_port(&l, 0)->port->tx_pkts, 1);
	CHECK_INT(loop_port(&l, 1)->port->tx_pkts, 1);
	/* It moves to c; an older observation does not move it back. */
	frames_ipv4(&f, &(struct made_ip){ .to = 9, .from = 2, .ecn = 2, .whole = 100 });
	plane_receive(l.groups[1].plane, 2,
		      &(struct plane_arrival){ f.data, f.length, 0, WEIR_TIME_NEVER_PS - 1 });
	plane_learn(l.groups[1].plane, FRAMES_HOST(2), 0, 3);
	frames_ipv4(&f, &(struct made_ip){ .to = 2, .from = 5, .ecn = 2, .whole = 100 });
	plane_receive(l.groups[1].plane, 2,
		      &(struct plane_arrival){ f.data, f.length, 0, WEIR_TIME_NEVER_PS - 1 });
	CHECK_INT(loop_faults(&l, 2, PLANE_NOWHERE), 1);
	end(&s, &l);
}

/* With real threads, which are paused and inspected now and then: every frame leaves once and in
 * order. Under the thread sanitizer this also shows that no thread touches another's data. */
TEST(test_switch_workers_forward_everything_and_can_be_inspected_while_paused)
{
	struct weir_error e = { "" };
	struct switch_settings s;
	struct workers workers;
	struct loop l;
	char *text = NULL;
	size_t length;
	FILE *f;

	start_threads(&s, &l, 3);
	s.real.urgent = URGENT_NO;
	for (int i = 0; i < 400; i++) {
		wait_at(&l, 0, 100000000 - 1000 * i);
		wait_at_for(&l, 1, 0, 100000000 - 1000 * i);
		wait_at_for(&l, 2, 0, 100000000 - 1000 * i);
	}
	CHECK_INT(workers_open(&workers, &l, &e), 0);
	for (int i = 0; i < 100000 && (l.wires[2]->sent < 400 || l.wires[0]->sent < 600); i++) {
		workers_resume(&workers);
		loop_turn(&l.groups[0]);
		workers_pause(&workers);
	}
	f = open_memstream(&text, &length);
	status_json(f, &l);
	fclose(f);
	CHECK_CONTAINS(text, "\"threads\":3,");
	free(text);
	CHECK_INT(l.wires[2]->sent, 400);
	for (int i = 0; i < 400; i++)
		CHECK_INT(l.wires[2]->number[i], i % 256);
	CHECK_INT(l.wires[0]->sent, 600); /* its send buffer is full */
	CHECK_INT(loop_port(&l, 0)->port->tx_pkts + loop_port(&l, 0)->port->pkts, 800);
	workers_close(&workers);
	end(&s, &l);
}
