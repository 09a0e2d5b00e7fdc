/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model_learned.c -- controls with a network, and the rules beside them, in a simulated
 * dumbbell.
 *
 * RL-CC's linear rule, against where its signal is zero: n flows with the same rate have 1 / n of
 * the line each, and g = 0 where (rtt / base - 1) sqrt(1 / n) = target,	so the queue is
 * target sqrt(n) bandwidth-delay products. A flow with more than its share feels more of the same
 * delay and slows down, so shares become equal. */
#include "tests/sim.h"
#include <math.h>

/* 100 Gb/s, six links of 150 ns, three full packets (1118 B) there and three headers (118 B)
 * back. */
static const double base_rtt_ns = 6 * 150 + 3 * (1118 + 118) * 8 / 100.0;

static void read_flows(struct sim *s, const char *cc, int flows)
{
	sim_read_default(
		s,
		"[network]\ntopology = dumbbell\nleft-hosts = %d\nright-hosts = 1\n"
		"rate = 100Gbps\ndelay = 150ns\n"
		"[switch]\nmarking = none\nbuffer = 8MiB\nbuffer-per = switch\nlossless = all\n"
		"[host]\ncc = %s\n[rdma]\nheader = 118B\nint-header = 0B\n"
		"[traffic x]\npattern = many-to-one\nreceiver = %d\nsize = unlimited\n"
		"start = 0us..100us\n[measure]\nport = left->right\nfrom = 7ms\nto = 8ms\n",
		flows, cc, flows);
}

static double queue_bdp(const struct sim *s)
{
	return sim_metric(s, "queue_mean_bytes") / (base_rtt_ns * 100 / 8);
}

TEST(test_rl_cc_linear_rule_is_fair_and_settles_where_its_signal_is_zero)
{
	static const int flows[] = { 2, 4, 16 };

	for (int i = 0; i < 3; i++) {
		struct sim s;

		read_flows(&s, "rl-cc(policy=linear)", flows[i]);
		sim_run(&s, 1);
		CHECK(sim_metric(&s, "jain") > 0.995);
		CHECK(sim_metric(&s, "utilisation") > 0.97);
		CHECK_NEAR(queue_bdp(&s) / (0.064 * sqrt(flows[i])), 1, 0.25);
		sim_end(&s);
	}
}

/* What it is compared with. Nothing but the window: n windows of 15 packets less what is under way,
 * 13 packets, and everybody has the same. Always cutting: the least rate of 100 Mb/s each, as fair,
 * and the line is idle. So fair shares alone say nothing. */
TEST(test_fdcc_without_a_network_is_fair_and_good_for_nothing)
{
	struct sim s;

	read_flows(&s, "fdcc(policy=window-only)", 4);
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "jain") > 0.999);
	CHECK_NEAR(sim_metric(&s, "queue_mean_bytes") / 1118, 4 * 15 - 13, 1);
	sim_end(&s);
	read_flows(&s, "fdcc(policy=always-cut)", 4);
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "jain") > 0.99);
	CHECK_NEAR(sim_metric(&s, "utilisation"), 0.004, 0.0005);
	sim_end(&s);
}

/* Networks that are built in, with starts that they were not trained with: each flow has its share
 * of a busy link, and queueing takes less than half of a round trip. */
static void check_network(const char *cc, double jain)
{
	static const int flows[] = { 2, 4, 16 };

	for (int i = 0; i < 3; i++) {
		struct sim s;

		read_flows(&s, cc, flows[i]);
		sim_run(&s, 1);
		CHECK(sim_metric(&s, "jain") > jain);
		CHECK(sim_metric(&s, "utilisation") > 0.93);
		CHECK(queue_bdp(&s) < 0.5);
		sim_end(&s);
	}
}

TEST(test_built_in_networks_share_a_line_and_keep_it_busy)
{
	check_network("rl-cc", 0.99);
	check_network("rl-cc(rnn=none)", 0.99);
	/* Four of its flows have 0.90 with any jitter of hosts, 0.99 in the lockstep that it was
	 * trained in. */
	check_network("fdcc", 0.88);
}

/* The fastest flow's rate over the mean, less 1, of 16 flows to h0 of which `near` come from its
 * own switch and the others from other switches: four links in place of two. */
static double unfair_with_near(const char *cc, int near)
{
	struct sim s;
	char flows[1024];
	size_t used = 0;
	double unfair;

	for (int i = 0; i < 16; i++)
		used += (size_t)snprintf(flows + used, sizeof(flows) - used,
					 "flow = %d 0 unlimited %dus\n", i < near ? i + 1 : i + 17,
					 31 * i % 100);
	sim_read_default(&s,
			 "[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\n"
			 "hosts-per-leaf = 17\nrate = 100Gbps\nfabric-rate = 400Gbps\n"
			 "delay = 500ns\n[switch]\nmarking = none\nbuffer = 8MiB\n"
			 "buffer-per = switch\nlossless = all\n[host]\ncc = %s\n"
			 "[traffic x]\npattern = list\n%s"
			 "[measure]\nport = leaf0->h0\nfrom = 6ms\nto = 8ms\n",
			 cc, flows);
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "utilisation") > 0.9);
	unfair = sim_metric(&s, "unfair_ratio");
	sim_end(&s);
	return unfair;
}

/* A flow whose round trips were measured from the base of the network's longest path would take the
 * link from all near ones: unfair ratios of 13 (fdcc) and 1.4 (rl-cc) with 15 near flows. */
TEST(test_learned_controls_are_fair_where_paths_differ_in_length)
{
	static const int near[] = { 1, 8, 15 };

	for (int i = 0; i < 3; i++) {
		CHECK(unfair_with_near("fdcc", near[i]) < 0.15);
		CHECK(unfair_with_near("rl-cc", near[i]) < 0.15);
	}
	CHECK(unfair_with_near("fdcc(base=own)", 15) > 0.3);
}
