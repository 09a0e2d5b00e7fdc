/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pair.c -- rdma.base-rtt: the round trip and rate of a queue pair's path, worked out by hand.
 *
 * Two racks of two hosts, 10 Gb/s and 5 us to the leaf, 40 Gb/s and 2 us to the spine. A frame of
 * 1050 bytes goes and one of 50 comes back: 0.88 us a link at 10 Gb/s, 0.22 us at 40 Gb/s.
 *	in the rack:	2 links,  2 x 10 us + 2 x 0.88 us                = 21.76 us, 27200 bytes
 *	across racks:	4 links,  2 x 14 us + 2 x 0.88 us + 2 x 0.22 us  = 30.20 us, 37750 bytes */
#include "tests/rdma.h"

#define STAGE \
	"[network]\ntopology = leaf-spine\nleaves = 2\nspines = 1\nhosts-per-leaf = 2\n" \
	"rate = 10Gbps\nfabric-rate = 40Gbps\ndelay = 5us\nfabric-delay = 2us\n" \
	"[switch]\nmarking = none\n[rdma]\nmtu = 1000B\nheader = 50B\n%s\n" \
	"[host]\ncc = line-rate(window=bdp)\n"

#define ONE_FLOW "[traffic x]\npattern = list\ncc = line-rate\nflow = %s 1MB 0us\n"

/* What the control of the first section's flow was told. */
static struct weir_cc_env told_to(const char *network, const char *hosts,
				  const struct weir_cc_ops *ops)
{
	struct heard heard = { 0 };
	const struct fixed_params p = { .rate_bps = UINT64_C(10000000000),
					.window_bytes = WEIR_CC_NO_WINDOW,
					.heard = &heard };
	char text[1024];
	struct sim s;

	snprintf(text, sizeof(text), "%s" ONE_FLOW, network, hosts);
	sim_read(&s, "%s", text);
	use_fixed(&s, 0, ops, &p);
	sim_run(&s, 1);
	sim_end(&s);
	return heard.env;
}

static struct weir_cc_env told(const char *network, const char *hosts)
{
	return told_to(network, hosts, &fixed_plain);
}

static const struct weir_cc_ops fixed_path = FIXED_OPS(WEIR_CC_NEEDS_PATH);

static struct weir_cc_env told_by(const char *rdma, const char *hosts,
				  const struct weir_cc_ops *ops)
{
	char network[1024];

	snprintf(network, sizeof(network), STAGE, rdma);
	return told_to(network, hosts, ops);
}

static struct weir_cc_env told_on_stage(const char *rdma, const char *hosts)
{
	return told_by(rdma, hosts, &fixed_plain);
}

TEST(test_windows_of_the_network_are_those_of_its_longest_path)
{
	static const char *const hosts[] = { "0 1", "0 3" };

	for (uint32_t i = 0; i < 2; i++) {
		struct weir_cc_env env = told_on_stage("", hosts[i]);

		CHECK_INT(env.base_rtt_ns, 30200);
		CHECK_INT(env.bdp_bytes, 37750);
		CHECK_INT(env.hops, 3);
	}
}

/* 30.20 us less 21.76 us for a pair inside a rack; only controls that need it are told. */
TEST(test_a_control_that_needs_its_path_knows_by_how_much_it_is_shorter)
{
	CHECK_INT(told_on_stage("", "0 1").path_shorter_ns, 0);
	CHECK_INT(told_by("", "0 1", &fixed_path).path_shorter_ns, 8440);
	CHECK_INT(told_by("", "0 3", &fixed_path).path_shorter_ns, 0);
	CHECK_INT(told_by("", "0 1", &fixed_path).base_rtt_ns, 30200);
	CHECK_INT(told_by("base-rtt = pair", "0 1", &fixed_path).path_shorter_ns, 0);
	CHECK_INT(told_by("base-rtt = pair", "0 1", &fixed_path).base_rtt_ns, 21760);
}

/* Four leaves around s0, and a cable of 100 us between two of them, which neither sweep for the
 * longest path crosses: h3 and h4 have a longer round trip than the network's, and are told 0. */
TEST(test_a_pair_beyond_the_longest_path_that_was_found_is_told_zero)
{
	static const char network[] =
		"[network]\ntopology = explicit\n"
		"link = h0 s0 10Gbps 1us\nlink = h1 s1 10Gbps 1us\nlink = h2 s2 10Gbps 1us\n"
		"link = h3 s3 10Gbps 1us\nlink = h4 s4 10Gbps 1us\nlink = s0 s1 10Gbps 9us\n"
		"link = s0 s2 10Gbps 8us\nlink = s0 s3 10Gbps 1us\nlink = s0 s4 10Gbps 1us\n"
		"link = s3 s4 10Gbps 100us\n[switch]\nmarking = none\n[rdma]\nmtu = 1000B\n"
		"header = 50B\n[host]\ncc = line-rate(window=bdp)\n";
	struct weir_cc_env env = told_to(network, "3 4", &fixed_path);

	CHECK(env.base_rtt_ns < 2 * 100000);
	CHECK_INT(env.path_shorter_ns, 0);
	CHECK(told_to(network, "0 3", &fixed_path).path_shorter_ns > 0);
}

TEST(test_windows_of_a_pair_are_those_of_its_own_path)
{
	struct weir_cc_env rack = told_on_stage("base-rtt = pair", "0 1");
	struct weir_cc_env across = told_on_stage("base-rtt = pair", "0 3");

	CHECK_INT(rack.base_rtt_ns, 21760);
	CHECK_INT(rack.bdp_bytes, 27200);
	CHECK_INT(rack.hops, 1);
	CHECK_INT(across.base_rtt_ns, 30200);
	CHECK_INT(across.bdp_bytes, 37750);
	CHECK_INT(across.hops, 3);
}

/* h2 has a line ten times as fast: 20 us, 0.88 us, 0.088 us, for h0 and for h2 alike. */
TEST(test_the_rate_of_a_pair_is_its_senders)
{
	static const char network[] =
		"[network]\ntopology = explicit\nlink = h0 s 10Gbps 5us\nlink = h1 s 10Gbps 5us\n"
		"link = h2 s 100Gbps 5us\n[switch]\nmarking = none\n"
		"[rdma]\nmtu = 1000B\nheader = 50B\nbase-rtt = pair\n";

	CHECK_INT(told(network, "0 2").rate_bps, UINT64_C(10000000000));
	CHECK_INT(told(network, "0 2").bdp_bytes, 26210);
	CHECK_INT(told(network, "2 0").rate_bps, UINT64_C(100000000000));
	CHECK_INT(told(network, "2 0").bdp_bytes, 262100);
}

/* One window of 28 packets (27200 bytes, rounded up) for the pair in the rack, of 38 for the other:
 * the most of each that is under way at once, seen at the NIC before the first ACK comes. */
TEST(test_a_queue_pair_sends_one_window_of_its_own)
{
	static const struct {
		const char *hosts;
		uint32_t window;
	} pairs[] = { { "0 1", 28 }, { "0 3", 38 } };

	for (uint32_t i = 0; i < 2; i++) {
		struct seen seen;
		struct sim s;
		uint32_t window = 0;

		sim_read(&s, STAGE "[traffic x]\npattern = list\nflow = %s 1MB 0us\n",
			 "base-rtt = pair\npackets-per-ack = 255", pairs[i].hosts);
		run_and_see(&s, "h0->leaf0", &seen);
		while (seen.packet[window].start_ps == window * INT64_C(840000))
			window++;
		CHECK_INT(window, pairs[i].window);
		sim_end(&s);
	}
}
