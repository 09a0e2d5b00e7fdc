/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rdma_share.c -- queue pairs that lose packets, and queue pairs that share a NIC, with each
 * other and with TCP. */
#include "tests/rdma.h"

/* --- losses --- */

/* 40 senders at line rate into a port with room for 30 packets: most packets are lost at first. The
 * run itself checks that every flow received what it asked for. */
static void run_losses(struct sim *s, const char *recovery, const char *more)
{
	sim_read(s,
		 "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 2us\n"
		 "[switch]\nmarking = none\nbuffer = 30pkts\n"
		 "[rdma]\nrecovery = %s\nmax-window = 20000B\nrto = 200us\n%s\n"
		 "[host]\ncc = line-rate\n"
		 "[traffic x]\npattern = all-to-one\nsizes = uniform(min=1B, max=60KB)\nload = "
		 "0.95\n"
		 "flows = 300\n"
		 "[traffic y]\npattern = incast\nsenders = 8\nsize = 33333B\nperiod = 1ms\nflows = "
		 "80\n"
		 "connections = persistent\n",
		 recovery, more);
	sim_run(s, 1);
	CHECK_INT(sim_metric(s, "flows_completed"), 380);
	CHECK(sim_metric(s, "drops") > 200);
}

TEST(test_go_back_n_and_selective_repeat_deliver_every_byte)
{
	static const char *const more[] = { "", "acks-per = 5", "mtu = 333B" };

	for (int i = 0; i < 3; i++) {
		struct sim back, selective;

		run_losses(&back, "go-back-n", more[i]);
		run_losses(&selective, "selective", more[i]);
		/* Only what is missing, or everything from there on. */
		CHECK(sim_metric(&selective, "retransmits") < sim_metric(&back, "retransmits"));
		CHECK(sim_metric(&selective, "retransmits") <
		      1.5 * sim_metric(&selective, "drops"));
		CHECK(sim_metric(&selective, "fct_mean_ns") < sim_metric(&back, "fct_mean_ns"));
		sim_end(&back);
		sim_end(&selective);
	}
}

/* h0's and h1's packets come in pairs; the port has room for five. What is lost is asked for when
 * the next packet comes, once: the flow goes back to it, and no timer runs out. */
TEST(test_a_gap_is_reported_at_once_and_only_once)
{
	static struct seen acks;
	struct heard heard = { 0 };
	const struct fixed_params p = { .rate_bps = 10000000000,
					.window_bytes = 8000,
					.heard = &heard };
	uint32_t nacks = 0, last[2] = { UINT32_MAX, UINT32_MAX };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\nbuffer = 5pkts\n"
		     "[traffic x]\npattern = list\ncc = line-rate\nflow = 0 2 100KB 0us\n"
		     "flow = 1 2 30KB 0us\n"
		     "[measure]\ndrain = 20ms\n");
	use_fixed(&s, 0, &fixed_plain, &p);
	run_and_see(&s, "h2->sw", &acks);
	for (uint32_t i = 0; i < acks.count; i++) {
		if (!(acks.packet[i].flags & SEGMENT_NACK))
			continue;
		CHECK(acks.packet[i].number != last[acks.packet[i].connection]);
		last[acks.packet[i].connection] = acks.packet[i].number;
		nacks++;
	}
	CHECK(nacks > 0);
	CHECK_INT(heard.losses, nacks);
	CHECK_INT(heard.timeouts, 0);
	CHECK_INT(sim_metric(&s, "timeouts"), 0);
	CHECK_INT(sim_metric(&s, "flows_completed"), 2);
	sim_end(&s);
}

/* The timer of 100 us is shorter than the round trip of 400: senders go back although nothing is
 * lost, and then hear of packets beyond, four at a time. An unlimited flow that is told to stop
 * while it has gone back must end with what it ever sent, and be silent afterwards. */
TEST(test_a_flow_that_stops_after_going_back_ends)
{
	static struct seen seen;
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 2\nrate = 1Gbps\ndelay = 100us\n"
		     "[switch]\nmarking = none\n[rdma]\nrto = 100us\nacks-per = 4\n"
		     "[host]\ncc = line-rate\n"
		     "[traffic x]\npattern = list\nstop = 305us\nflow = 0 1 unlimited 0us\n"
		     "[measure]\nto = 20ms\n");
	run_and_see(&s, "h0->sw", &seen);
	CHECK(sim_metric(&s, "timeouts") > 0);
	CHECK(seen.count > 10 && seen.count < SEEN_MAX);
	CHECK(seen.packet[seen.count - 1].start_ps < US(2000));
	sim_end(&s);
}

/* --- shares --- */

/* 1 MB alone: not a picosecond more than its packets take. */
TEST(test_one_queue_pair_fills_the_line)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 2\nrate = 100Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\n[host]\ncc = dcqcn\n"
		     "[traffic x]\npattern = list\nflow = 0 1 1MB 0us\n");
	sim_run(&s, 1);
	/* 1001 x 83.84 ns and 2 us. */
	CHECK_INT(sim_fct_ps(&s, 0), 1001 * 83840 + 2000000);
	CHECK(sim_metric(&s, "slowdown_mean") == 1);
	sim_end(&s);
}

TEST(test_queue_pairs_share_a_nic_alike)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\n[host]\ncc = line-rate\n"
		     "[traffic x]\npattern = list\nflow = 0 1 5MB 0us\nflow = 0 2 5MB 0us\n"
		     "flow = 0 3 5MB 0us\nflow = 0 4 5MB 0us\nflow = 0 5 5MB 0us\n"
		     "flow = 0 6 5MB 0us\nflow = 0 7 5MB 0us\nflow = 0 8 5MB 0us\n");
	sim_run(&s, 1);
	/* The first has one packet ahead; so the last packets of all leave within two rounds. */
	for (uint32_t i = 1; i < 8; i++)
		CHECK_NEAR(sim_fct_ps(&s, i), sim_fct_ps(&s, 0), 16 * 838400);
	CHECK_NEAR(sim_fct_ps(&s, 0), 8 * 5000 * 838400.0, 10e6);
	sim_end(&s);
}

/* Four queue pairs of 1 Gb/s each, and TCP, from one NIC to a host each. A packet that is due
 * waits for the line, and the next is timed from when it left: a queue pair has at most its rate
 * and, waiting for two full frames of TCP and three of its kind in 8384 ns, no less than 60 % of
 * it. TCP has all the rest, whether they wait in one turn or in two. */
TEST(test_paced_queue_pairs_and_tcp_share_a_nic)
{
	static const char *const classes[] = {
		"marking = none",
		"marking = none\nlossless = 1\nbuffer-per = switch\nbuffer = 10MB\nqueues = 2\n"
		"scheduler = dwrr"
	};

	for (uint32_t k = 0; k < 2; k++) {
		struct heard heard = { 0 };
		const struct fixed_params p = { .rate_bps = 1000000000,
						.window_bytes = WEIR_CC_NO_WINDOW,
						.heard = &heard };
		double gbps[6];
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 1us\n"
			 "[switch]\n%s\n"
			 "[traffic x]\npattern = list\ncc = line-rate\nclass = %u\n"
			 "flow = 0 1 unlimited 0us\nflow = 0 2 unlimited 0us\n"
			 "flow = 0 3 unlimited 0us\nflow = 0 4 unlimited 0us\n"
			 "[traffic tcp]\npattern = list\ncc = reno\nflow = 0 5 unlimited 0us\n"
			 "[measure]\nfrom = 1ms\nto = 11ms\n",
			 classes[k], k);
		use_fixed(&s, 0, &fixed_plain, &p);
		sim_run(&s, 1);
		for (uint32_t i = 1; i <= 5; i++) {
			char port[16];

			snprintf(port, sizeof(port), "sw->h%u", i);
			gbps[i] = (double)sim_port(&s, port)->tx_bytes * 8 / 10e6;
		}
		for (uint32_t i = 1; i <= 4; i++) {
			CHECK(gbps[i] > 0.6 && gbps[i] <= 1.001);
			CHECK_NEAR(gbps[i], gbps[1], 0.01);
		}
		CHECK_NEAR(gbps[5], 10 - 4 * gbps[1], 0.05);
		sim_end(&s);
	}
}

/* Three transports in one run, each with packets of its own size. */
TEST(test_every_traffic_section_may_have_a_control_of_its_own)
{
	static const uint32_t bytes[] = { 1048, 1090, 1514 };
	static struct seen seen;
	uint32_t full[3] = { 0, 0, 0 };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 4\nrate = 10Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = ecn(k=50KB)\n[host]\ncc = cubic\n"
		     "[traffic a]\npattern = list\ncc = dcqcn\nflow = 0 3 1MB 0us\n"
		     "[traffic b]\npattern = list\ncc = hpcc\nflow = 1 3 1MB 0us\n"
		     "[traffic c]\npattern = list\nflow = 2 3 1MB 0us\n");
	run_and_see(&s, "sw->h3", &seen);
	CHECK_INT(sim_metric(&s, "flows_completed"), 3);
	for (uint32_t i = 0; i < seen.count; i++)
		if (!(seen.packet[i].flags & SEGMENT_ACK) &&
		    seen.packet[i].bytes == bytes[seen.packet[i].connection])
			full[seen.packet[i].connection]++;
	CHECK(full[0] >= 1000);
	CHECK(full[1] >= 1000);
	CHECK(full[2] >= 684);
	sim_end(&s);
}
