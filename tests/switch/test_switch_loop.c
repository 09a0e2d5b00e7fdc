/* SPDX-License-Identifier: BSD-3-Clause */
/* test_switch_loop.c -- one turn of a real switch on in-memory back-ends: the order of arrivals,
 * full send buffers, links that are down. */
#define _POSIX_C_SOURCE 200809L
#include "switch/run/control.h"
#include "tests/memory_wire.h"

TEST(test_switch_loop_works_in_the_order_in_which_frames_came)
{
	struct switch_settings s;
	struct loop l;

	start(&s, &l);
	wait_at(&l, 1, 900000000);
	wait_at(&l, 0, 800000000);
	wait_at(&l, 0, 700000000);
	wait_at(&l, 1, 600000000);
	turn_until(&l, 4);
	CHECK_INT(l.wires[2]->order[0], 1);
	CHECK_INT(l.wires[2]->order[1], 0);
	CHECK_INT(l.wires[2]->order[2], 0);
	CHECK_INT(l.wires[2]->order[3], 1);
	end(&s, &l);
}

/* The clock was stepped: the frame is treated as arriving now, and the switch continues. */
TEST(test_switch_loop_replaces_implausible_timestamps_by_now)
{
	struct switch_settings s;
	struct loop l;

	start(&s, &l);
	wait_at(&l, 0, INT64_C(86400) * 1000000000);
	wait_at(&l, 0, -INT64_C(86400) * 1000000000);
	turn_until(&l, 2);
	end(&s, &l);
}

TEST(test_switch_loop_keeps_frames_while_the_send_buffer_is_full)
{
	struct switch_settings s;
	struct loop l;

	start(&s, &l);
	l.wires[2]->room = 1;
	for (int i = 0; i < 3; i++)
		wait_at(&l, 0, 1000);
	turn_until(&l, 1);
	for (int i = 0; i < 100 && !l.groups[0].is_full; i++)
		loop_turn(&l.groups[0]);
	CHECK(l.groups[0].is_full);
	l.wires[2]->room = 10;
	turn_until(&l, 3);
	loop_turn(&l.groups[0]);
	CHECK(!l.groups[0].is_full);
	end(&s, &l);
}

TEST(test_switch_loop_loses_and_counts_frames_of_a_dead_link_and_goes_on)
{
	struct switch_settings s;
	struct loop l;
	const struct weir_port *port;

	start(&s, &l);
	port = loop_port(&l, 2)->port;
	l.wires[2]->down = 1;
	wait_at(&l, 0, 1000);
	for (int i = 0; i < 100000 && !port->cold->drops[WEIR_DROP_LINK_DOWN]; i++)
		loop_turn(&l.groups[0]);
	CHECK_INT(port->cold->drops[WEIR_DROP_LINK_DOWN], 1);
	CHECK(!l.is_up[2]);
	l.wires[2]->down = 0;
	wait_at(&l, 0, 1000);
	turn_until(&l, 1);
	end(&s, &l);
}

/* More than one turn can read: no frame is lost or duplicated. */
TEST(test_switch_loop_reads_a_long_ring_in_turns)
{
	struct switch_settings s;
	struct loop l;

	start(&s, &l);
	for (int i = 0; i < 600; i++)
		wait_at(&l, 0, 1000000 - i);
	loop_turn(&l.groups[0]);
	CHECK_INT(l.wires[0]->next, 256);
	turn_until(&l, 600);
	CHECK_INT(plane_buffers_free(l.groups[0].plane), (long long)s.real.buffers);
	end(&s, &l);
}

TEST(test_switch_changes_are_made_or_refused_with_a_reason)
{
	struct switch_settings s;
	struct weir_error e = { "" };
	struct loop l;

	start(&s, &l);
	CHECK_INT(change_apply(&l, "port.b.rate=50Mbps", &e), 0);
	CHECK_INT(loop_port(&l, 1)->port->kind->rate_bps, 50 * 1000 * 1000);
	CHECK_INT(change_apply(&l, "port.b.marking=ecn(k=9pkts)", &e), 0);
	CHECK_INT(change_apply(&l, "port.b.delay=1us", &e), 0);
	CHECK_INT(loop_port(&l, 1)->delay_ps, 1000000);
	CHECK_INT(change_apply(&l, "port.b.marking=red", &e), -1);
	CHECK_CONTAINS(e.text, "the scheme cannot change at run time (ecn)");
	CHECK_INT(change_apply(&l, "port.x.rate=50Mbps", &e), -1);
	CHECK_CONTAINS(e.text, "unknown port 'x'");
	CHECK_INT(change_apply(&l, "port.b.rat=50Mbps", &e), -1);
	CHECK_CONTAINS(e.text, "nearest: rate");
	CHECK_INT(change_apply(&l, "port.b.rate=0bps", &e), -1);
	CHECK_INT(change_apply(&l, "rate", &e), -1);
	CHECK_INT(change_apply(&l, "port.=", &e), -1);
	CHECK_INT(change_apply(&l, "", &e), -1);
	end(&s, &l);
}

/* qla aims at a queue near K_min: it moves red's thresholds away from their initial values,
 * interval by interval. */
TEST(test_switch_tuner_changes_thresholds_under_traffic)
{
	static const char tuned[] =
		"[switch]\nmarking = red(min=20KB, max=60KB, p=10%)\ntune = qla\n"
		"tune-interval = 1us\n[port a]\n[port b]\n";
	struct weir_tune_knobs before, now;
	struct switch_settings s;
	struct weir_error e = { "" };
	struct loop l;

	CHECK_INT(settings_read_text(&s, "test", tuned, strlen(tuned), &e), 0);
	s.backend = &memory;
	CHECK_INT(loop_open(&l, &s, &e), 0);
	CHECK(tuning_knobs(l.tuning, 1, 0, &before));
	now = before;
	for (int i = 0; i < 200000 && now.min_bytes == before.min_bytes &&
			now.max_bytes == before.max_bytes && now.slope_q32 == before.slope_q32;
	     i++) {
		struct made_frame f;

		frames_ipv4(&f, &(struct made_ip){ .to = 1, .from = 0, .ecn = 2, .whole = 1500 });
		plane_receive(l.groups[0].plane, 0,
			      &(struct plane_arrival){ f.data, f.length, 0,
						       plane_now_ps(l.groups[0].plane) });
		l.wires[1]->room = 1;
		l.wires[1]->sent = 0;
		loop_turn(&l.groups[0]);
		CHECK(tuning_knobs(l.tuning, 1, 0, &now));
	}
	CHECK(now.min_bytes != before.min_bytes || now.max_bytes != before.max_bytes ||
	      now.slope_q32 != before.slope_q32);
	CHECK_INT(tuning_refused(l.tuning), 0);
	CHECK_INT(change_apply(&l, "port.b.marking=red", &e), -1);
	CHECK_CONTAINS(e.text, "switch.tune = 'qla'");
	end(&s, &l);
}

TEST(test_switch_status_is_one_line_of_what_was_counted)
{
	struct switch_settings s;
	struct loop l;
	char *text = NULL;
	size_t length;
	FILE *f;

	start(&s, &l);
	wait_at(&l, 0, 1000);
	turn_until(&l, 1);
	f = open_memstream(&text, &length);
	status_json(f, &l);
	fclose(f);
	CHECK(text[length - 1] == '\n' && strchr(text, '\n') == text + length - 1);
	CHECK_LIKE(text, "{\"title\":\"\",\"file\":\"test\",...\"name\":\"c\",\"interface\":\"c\","
			 "\"up\":true,\"rate_bps\":100000000000,...\"tx_pkts\":1,\"tx_bytes\":100,"
			 "\"sent_pkts\":1,...}]}\n");
	free(text);
	end(&s, &l);
}
