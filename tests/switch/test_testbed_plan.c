/* SPDX-License-Identifier: BSD-3-Clause */
/* test_testbed_plan.c -- translation of a scenario to a testbed: what is possible, the settings of
 * its switch and hosts, and the evaluation of what hosts count. No packet is sent here:
 * tests/cli/testbed.sh does that. */
#include "lab/scenario/scenario.h"
#include "switch/run/settings.h"
#include "testbed/testbed.h"
#include "testbed/plan.h"
#include "tests/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STAR "[network]\ntopology = star\nhosts = 3\nrate = 100Mbps\ndelay = 100us\n"
#define LONG "[traffic long]\npattern = many-to-one\nreceiver = 0\nsize = unlimited\n"
#define MEASURE "[measure]\nto = 1s\n"

static void make_config(const char *text, struct config *c)
{
	struct weir_error e = { "" };
	struct scenario s;

	if (scenario_read_text(&s, "t.ini", text, strlen(text), &e) || scenario_config(&s, c, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	scenario_free(&s);
}

/* The message with which a plan is rejected; empty: accepted. */
static struct weir_error refusal(const char *text)
{
	struct weir_error e = { "" };
	struct testbed_plan p;
	struct config c;

	make_config(text, &c);
	if (!plan_make(&p, &c, &e))
		plan_free(&p);
	config_free(&c);
	return e;
}

TEST(test_testbed_refuses_what_reality_does_not_have_and_names_what_it_has)
{
	CHECK_STR(refusal(STAR LONG "cc = dctcp\n" MEASURE).text, "");
	CHECK_STR(refusal(STAR LONG "cc = hpcc\n" MEASURE).text,
		  "traffic.long.cc: hpcc is for simulated hosts; a testbed has dctcp, cubic and "
		  "reno, with cubic(ecn=yes) and reno(ecn=yes)");
	CHECK_STR(refusal(STAR LONG "cc = dctcp(g=1/8)\n" MEASURE).text,
		  "traffic.long.cc: option 'g' of dctcp cannot be set in a real kernel");
	CHECK_STR(refusal("[network]\ntopology = leaf-spine\nleaves = 10\nspines = 5\n"
			  "hosts-per-leaf = 1\nrate = 100Mbps\n" LONG MEASURE)
			  .text,
		  "network.topology: a testbed's switches have at most 64 ports together");
	CHECK_STR(refusal(STAR LONG MEASURE "port = h1->sw\n").text,
		  "measure.port: a testbed measures switch ports only");
	CHECK_STR(refusal("[network]\ntopology = star\nhosts = 21\nrate = 100Mbps\n" LONG MEASURE)
			  .text,
		  "network.hosts: a testbed has at most 20 hosts, not 21");
	CHECK(strstr(refusal("[network]\ntopology = star\nrate = 10Gbps\n" LONG MEASURE).text,
		     "at most 1000 Mb/s"));
	CHECK_STR(refusal(STAR "[host]\nheader = 66B\n" LONG MEASURE).text, "");
	CHECK_STR(refusal(STAR LONG MEASURE "completion = sender\n").text,
		  "measure.completion: in a testbed flows complete at the receiving application; "
		  "take receiver");
	CHECK_STR(refusal(STAR "[host]\nheader = 70B\n" LONG MEASURE).text,
		  "host.header: real packets have 54 bytes of it, or 66 with timestamps");
	CHECK_STR(refusal(STAR "[traffic ring]\npattern = ring\nsize = 1MB\n" MEASURE).text,
		  "traffic.ring.pattern: its flows depend on others, which a testbed does not "
		  "support");
}

TEST(test_testbed_switch_has_the_scenarios_ports_and_a_round_trip_of_its_cables)
{
	struct weir_error e = { "" };
	struct switch_settings s;
	struct testbed_plan p;
	struct config c;

	make_config(
		STAR
		"[switch]\nmarking = ecn(k=20pkts)\nqueues = 2\nscheduler = dwrr\n" LONG MEASURE,
		&c);
	CHECK_INT(plan_make(&p, &c, &e), 0);
	CHECK_INT(settings_read_text(&s, "t", p.switch_text, strlen(p.switch_text), &e), 0);
	CHECK_STR(e.text, "");
	CHECK_INT(s.port_count, 3);
	CHECK_STR(s.ports[2].name, "h2");
	CHECK_INT(s.ports[2].rate_bps, 100000000);
	/* 100 us round trip; half of 1514 B at 100 Mb/s (121.12 us), less 25 us for the machine. */
	CHECK_INT(s.ports[2].delay_ps, 235560000);
	CHECK_INT(s.class_of_dscp[1], 1);
	CHECK_INT(s.real.mtu_bytes, 1500);
	settings_free(&s);
	plan_free(&p);
	config_free(&c);
}

/* Two leaves with two hosts each, two spines: a leaf reaches the hosts of the other by its two
 * uplinks. */
TEST(test_testbed_several_switches_are_parts_with_cables_between_them)
{
	struct weir_error e = { "" };
	struct switch_settings s;
	struct testbed_plan p;
	struct config c;
	uint32_t port, up[2], reached[2] = { 0, 0 };

	make_config("[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\nhosts-per-leaf = 2\n"
		    "rate = 100Mbps\ndelay = 100us\nfabric-delay = 30us\n" LONG MEASURE
		    "port = spine1->leaf0\n",
		    &c);
	CHECK_INT(plan_make(&p, &c, &e), 0);
	CHECK_INT(settings_read_text(&s, "t", p.switch_text, strlen(p.switch_text), &e), 0);
	CHECK_STR(e.text, "");
	CHECK_INT(s.port_count, 4 + 8);
	CHECK_INT(settings_port(&s, "leaf0-spine0", &up[0], &e), 0);
	CHECK_INT(settings_port(&s, "leaf0-spine1", &up[1], &e), 0);
	CHECK_INT(settings_port(&s, "spine1-leaf0", &port, &e), 0);
	CHECK_INT(p.measured_port, port);
	CHECK_INT(s.ports[up[1]].peer_plus_one, port + 1);
	CHECK_INT(s.ports[port].peer_plus_one, up[1] + 1);
	CHECK_INT(s.ports[up[1]].delay_ps, 30000000);
	CHECK(s.ports[up[1]].part_number != s.ports[port].part_number);
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < s.ports[up[i]].addresses.count; k++)
			reached[i] += 1u << (s.ports[up[i]].addresses.lines[k].text[16] - '0');
	CHECK_INT(reached[0], 1 << 3 | 1 << 4); /* h2 and h3 */
	CHECK_INT(reached[1], reached[0]);
	settings_free(&s);
	plan_free(&p);
	config_free(&c);
}

/* A board with a plan, freed by the caller. */
static struct bed_board *make_board(const struct testbed_plan *p, const struct config *c)
{
	struct bed_board *b = calloc(1, sizeof(*b) + p->flows.count * sizeof(struct bed_flow));

	b->flow_count = p->flows.count;
	plan_write(p, c, b);
	return b;
}

TEST(test_testbed_messages_of_a_pair_follow_each_other_on_its_connection)
{
	struct weir_error e = { "" };
	struct testbed_plan p;
	struct config c;
	struct bed_board *b;

	make_config(STAR "[traffic list]\npattern = list\nconnections = persistent\nclass = 1\n"
			 "flow = 1 0 10KB 1ms\nflow = 2 0 10KB 2ms\nflow = 1 0 20KB 3ms\n"
			 "[switch]\nqueues = 2\nscheduler = dwrr\n" MEASURE,
		    &c);
	CHECK_INT(plan_make(&p, &c, &e), 0);
	b = make_board(&p, &c);
	CHECK_INT(b->flow_count, 3);
	CHECK_INT(b->flows[0].next, 2);
	CHECK_INT(b->flows[2].connection, 0);
	CHECK_INT(b->flows[1].next, BED_NONE);
	CHECK_INT(b->flows[0].tos, 4);
	CHECK_INT(b->flows[0].ack_tos, 4);
	/* 100 Mb/s carry 1460 of every 1514 bytes as payload. */
	CHECK_INT(b->hosts[1].line_Bps, 12054161);
	free(b);
	plan_free(&p);
	config_free(&c);
}

TEST(test_testbed_counts_a_goodput_over_the_time_in_which_it_was_counted)
{
	struct weir_error e = { "" };
	struct run_result r = { .port_count = 0 };
	struct testbed_plan p;
	struct config c;
	struct bed_board *b;

	make_config(STAR "[traffic list]\npattern = list\nflow = 1 0 14600B 1ms\nflow = 2 0 1MB "
			 "2ms\n" MEASURE,
		    &c);
	CHECK_INT(plan_make(&p, &c, &e), 0);
	b = make_board(&p, &c);
	b->flows[0].began_ns = 1100000;
	b->flows[0].finish_ns = 5100000;
	b->flows[0].to_bytes = 14600;
	b->flows[1].began_ns = 2000000;
	b->flows[1].to_bytes = 985400;
	b->hosts[0].to = (struct bed_counts){ .time_ns = 2000000000, .data_segments = 800 };
	for (uint32_t i = 1; i < b->host_count; i++)
		b->hosts[i].to.time_ns = 1000000000;
	outcome_add(&p, &c, b, &r);
	/* 1 MB in two seconds, because the host was late. */
	CHECK_NEAR(run_metric(&r, "goodput_bps"), 4e6, 1);
	CHECK_INT(run_metric(&r, "flows_completed"), 1);
	CHECK_INT(run_metric(&r, "flows_unfinished"), 1);
	CHECK_NEAR(run_metric(&r, "fct_mean_ns"), 4e6, 1e-3);
	/* Ten serialisation delays of 121.12 us, the last packet over two links, and 200 us of
	 * propagation delay. */
	CHECK_INT(r.ideal_ps[0], 11 * 121120000LL + 200000000);
	CHECK_NEAR(run_metric(&r, "goodput_span_ns"), (double)(b->to_ns - b->from_ns), 0);
	run_result_free(&r);
	/* In simulation it would run until the last start. */
	c.measure.to_ps = 0;
	outcome_add(&p, &c, b, &r);
	CHECK(isnan(run_metric(&r, "goodput_bps")));
	free(b);
	run_result_free(&r);
	plan_free(&p);
	config_free(&c);
}
