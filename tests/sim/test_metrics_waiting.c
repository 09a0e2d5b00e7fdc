/* SPDX-License-Identifier: BSD-3-Clause */
/* test_metrics_waiting.c -- how long packets wait: by hand, by tier, at the worst port; and that
 * looking changes nothing. */
#include "tests/sim.h"
#include <math.h>

/* The port that a run names. */
static void check_port(const struct sim *s, uint32_t port, const char *name)
{
	char text[64];

	CHECK_STR(link_name(&s->r.network, s->r.ports[port].link, text, sizeof(text)), name);
}

/* 100 hosts send a packet each to h0 at the same time: the i-th waits i times 1211.2 ns, and no ACK
 * waits. Of the 100 packets at that port the 99th by its wait is that of i = 98, of the 200 at all
 * ports the 198th that of i = 97. Buckets are 1/32 of a length wide. The queue is 99 long at first
 * and for 1/100 of the time that it is not empty. */
TEST(test_waits_of_packets_are_those_worked_out_by_hand)
{
	const double packet_ns = 1211.2;
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 101\nrate = 10Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\nbuffer = 1000pkts\n"
		     "[traffic x]\npattern = many-to-one\nreceiver = 0\nsize = 1460B\n"
		     "[measure]\nsojourn = yes\n");
	sim_run(&s, 1);
	CHECK_NEAR(sim_metric(&s, "worst_wait_p99_ns"), 98 * packet_ns * 63 / 64,
		   98 * packet_ns / 64 + 1);
	CHECK_NEAR(sim_metric(&s, "network_wait_p99_ns"), 97 * packet_ns * 63 / 64,
		   97 * packet_ns / 64 + 1);
	CHECK(sim_metric(&s, "wait_p99_to_hosts_ns") == sim_metric(&s, "network_wait_p99_ns"));
	CHECK(isnan(sim_metric(&s, "wait_p99_up_ns")));
	CHECK(isnan(sim_metric(&s, "wait_p99_from_hosts_ns")));
	check_port(&s, s.r.worst_wait_port, "sw->h0");
	CHECK_INT(sim_metric(&s, "worst_queue_p99_pkts"), sim_metric(&s, "queue_p99_pkts"));
	check_port(&s, s.r.worst_queue_port, "sw->h0");
	sim_end(&s);
}

/* The measured port has the largest mean queue; another that is long for a short time has the
 * larger p99. */
TEST(test_the_worst_port_by_p99_need_not_be_the_one_with_the_largest_mean)
{
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 12\nrate = 10Gbps\ndelay = 1us\n"
		 "[switch]\nmarking = ecn(k=40KB)\nbuffer = 10MB\n[host]\ninitial-window = 100\n"
		 "[traffic steady]\npattern = list\nflow = h1 h0 unlimited 0us\n"
		 "flow = h2 h0 unlimited 0us\n"
		 "[traffic burst]\npattern = incast\nreceiver = 3\nsenders = 4\nsize = 100KB\n"
		 "period = 9ms\n"
		 "[measure]\nfrom = 1ms\nto = 20ms\nsojourn = yes\n");
	sim_run(&s, 1);
	check_port(&s, s.r.measured_port, "sw->h0");
	check_port(&s, s.r.worst_queue_port, "sw->h3");
	check_port(&s, s.r.worst_wait_port, "sw->h3");
	CHECK(sim_metric(&s, "worst_queue_p99_pkts") > sim_metric(&s, "queue_p99_pkts"));
	sim_end(&s);
}

/* Metrics of waits are those of the other run, so that all else can be compared. */
static void check_same_but_waits(struct run_result *with, const struct run_result *without)
{
	for (uint32_t i = 0; metric_all[i].name; i++)
		if (strstr(metric_all[i].name, "wait_p99")) {
			CHECK(isnan(without->value[i]));
			with->value[i] = without->value[i];
		}
	sim_check_same(with, without);
}

TEST(test_counting_waits_changes_nothing_else)
{
	static const char *const switches[] = {
		"marking = ecn(k=20KB)\n",
		"marking = tcn(threshold=20us)\n",
		"marking = pie\n",
		"marking = red\nqueues = 2\nscheduler = dwrr\n",
		"marking = ecn(k=20KB)\nscheduler = pifo(rank=lstf)\n",
		"marking = red\nbuffer = 1MB\nbuffer-per = switch\nlossless = all\n",
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		struct sim asked, unasked;
		struct sim *const sims[] = { &asked, &unasked };

		for (int k = 0; k < 2; k++) {
			sim_read(sims[k],
				 "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\n"
				 "hosts-per-leaf = 4\nrate = 10Gbps\ndelay = 1us\n"
				 "[switch]\n%s[traffic x]\npattern = all-to-all\n"
				 "sizes = uniform(min=1KB, max=300KB)\nload = 0.8\nflows = 300\n"
				 "[measure]\nsojourn = %s\n",
				 switches[i], k ? "no" : "yes");
			sim_run(sims[k], (uint32_t)k + 1);
		}
		CHECK(sim_metric(&asked, "network_wait_p99_ns") > 0);
		CHECK(sim_metric(&asked, "wait_p99_up_ns") <=
		      sim_metric(&asked, "worst_wait_p99_ns"));
		check_same_but_waits(&asked.r, &unasked.r);
		sim_end(&asked);
		sim_end(&unasked);
	}
}
