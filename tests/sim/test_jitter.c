/* SPDX-License-Identifier: BSD-3-Clause */
/* test_jitter.c -- host.jitter: how late packets are, that they stay in order, and what their
 * lateness is for.
 *
 * Expected: flows that share a drop-tail port have about the same throughput.
 * Buggy: without jitter, with all rates and delays equal, a sender refills each slot of the queue
 * at the instant at which it is freed. It never meets a full queue, and the other flows get nothing
 * (phase effects: Floyd and Jacobson, On Traffic Phase Effects in Packet-Switched Gateways,
 * 1992). */
#include "tests/sim.h"

/* 843.2 ns for each of two links, and 10 us of delay twice; the time of each packet is its own. */
TEST(test_jitter_delays_a_packet_by_less_than_its_value)
{
	enum { FLOWS = 400, IDEAL_PS = 21686400, JITTER_PS = 100000 };
	struct sim s;
	double sum_ps = 0;

	sim_read_default(&s,
			 "[network]\ntopology = star\nhosts = 2\nrate = 10Gbps\ndelay = 10us\n"
			 "[host]\njitter = 100ns\nmss = 1446B\nheader = 54B\n"
			 "[traffic x]\npattern = incast\nsenders = 1\nreceiver = 0\nsize = 1000B\n"
			 "period = 100us\n[measure]\nfrom = 0us\nto = 40ms\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.flow_count, FLOWS);
	for (uint32_t i = 0; i < FLOWS; i++) {
		int64_t late_ps = sim_fct_ps(&s, i) - IDEAL_PS;

		CHECK(late_ps >= 0 && late_ps < JITTER_PS);
		sum_ps += (double)late_ps;
	}
	/* The mean of 400 uniform numbers has a standard error of 1.4 % of the range. */
	CHECK_NEAR(sum_ps / FLOWS, JITTER_PS / 2, 0.06 * JITTER_PS);
	sim_end(&s);
}

/* A jitter of 15 full packets: whatever arrived out of order would make duplicate ACKs, and
 * retransmissions. */
TEST(test_jitter_keeps_the_order_of_packets)
{
	struct sim s;

	sim_read_default(
		&s,
		"[network]\ntopology = star\nhosts = 3\nrate = 100Gbps\ndelay = 1us\n"
		"[switch]\nmarking = none\nbuffer = 10000pkts\n[host]\njitter = 2us\ncc = reno\n"
		"[traffic x]\npattern = many-to-one\nsize = 5MB\n[measure]\nto = 20ms\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 2);
	CHECK_INT(sim_metric(&s, "retransmits"), 0);
	sim_end(&s);
}

static double jain_of_drop_tail(const char *network, const char *host, int receiver)
{
	struct sim s;
	double jain;

	sim_read_default(&s,
			 "[network]\n%s\n[switch]\nmarking = none\nbuffer = 61pkts\n[host]\n%s\n"
			 "[traffic x]\npattern = many-to-one\nsenders = 4\nsize = unlimited\n"
			 "start = 0us..20ms\nreceiver = %d\n[measure]\nfrom = 100ms\nto = 500ms\n",
			 network, host, receiver);
	sim_run(&s, 1);
	jain = sim_metric(&s, "jain");
	sim_end(&s);
	return jain;
}

TEST(test_drop_tail_starves_no_flow_where_all_links_are_equal)
{
	const char *star = "topology = star\nhosts = 5\nrate = 1Gbps\ndelay = 50us";
	const char *dumbbell =
		"topology = dumbbell\nleft-hosts = 4\nright-hosts = 4\nrate = 1Gbps\ndelay = 20us";

	CHECK(jain_of_drop_tail(star, "cc = reno", 0) > 0.95);
	CHECK(jain_of_drop_tail(star, "cc = cubic", 0) > 0.95);
	CHECK(jain_of_drop_tail(star, "cc = reno\nloss-detection = rack\ntail-probe = yes", 0) >
	      0.95);
	CHECK(jain_of_drop_tail(dumbbell, "cc = reno", 4) > 0.95);
}

/* What the jitter is against. */
TEST(test_drop_tail_without_jitter_starves_all_flows_but_one)
{
	const char *star = "topology = star\nhosts = 5\nrate = 1Gbps\ndelay = 50us";

	CHECK_NEAR(jain_of_drop_tail(star, "cc = reno\njitter = 0ns", 0), 0.25, 0.01);
}

/* The table of such a run says so, and names the setting that makes an artefact of it. */
TEST(test_flows_that_starve_are_counted)
{
	static const char *const jitter[] = { "0ns", "auto" };
	static const int starved[] = { 3, 0 };

	for (int i = 0; i < 2; i++) {
		struct sim s;

		sim_read_default(
			&s,
			"[network]\ntopology = star\nhosts = 5\nrate = 1Gbps\ndelay = 50us\n"
			"[switch]\nmarking = none\nbuffer = 61pkts\n"
			"[host]\ncc = reno\njitter = %s\n"
			"[traffic x]\npattern = many-to-one\nsize = unlimited\nstart = 0us..20ms\n"
			"[measure]\nfrom = 100ms\nto = 500ms\n",
			jitter[i]);
		sim_run(&s, 1);
		CHECK_INT((int)sim_metric(&s, "flows_starved"), starved[i]);
		sim_end(&s);
	}
}

/* Three DCTCP flows at K = 10 had a Jain's index of 1.00 with real packets ('weir testbed') and
 * 0.91 in lockstep. */
TEST(test_three_dctcp_flows_share_a_port_as_on_the_testbed)
{
	for (int seed = 1; seed <= 3; seed++) {
		struct sim s;

		sim_read_default(
			&s,
			"seed = %d\n[network]\ntopology = star\nhosts = 9\nrate = 100Mbps\n"
			"delay = 50us\n[switch]\nmarking = ecn(k=10pkts)\nbuffer = 500pkts\n"
			"[host]\ncc = dctcp(min-window=2pkts, growth=segments)\nrecovery = prr\n"
			"[traffic long]\npattern = many-to-one\nsenders = 3\nreceiver = 0\n"
			"size = unlimited\nstart = 0us..50ms\n[measure]\nfrom = 1s\nto = 3s\n",
			seed);
		sim_run(&s, 1);
		CHECK(sim_metric(&s, "jain") > 0.98);
		sim_end(&s);
	}
}
