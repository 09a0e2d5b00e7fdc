/* SPDX-License-Identifier: BSD-3-Clause */
/* test_rdma.c -- queue pairs: pacing, windows, acknowledgements, notifications, what switches write
 * into packets; times and counts by hand. Losses and shares are in test_rdma_share.c. */
#include "tests/rdma.h"

#define STAR3 "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 1us\n"

static const char one_flow[] = STAR3 "[switch]\nmarking = none\n"
				     "[traffic x]\npattern = list\ncc = line-rate\n"
				     "flow = 0 1 unlimited 0us\n";

/* --- pacing --- */

/* 1048 bytes at 3 Gb/s are 2794.666 ns. */
TEST(test_packets_leave_as_far_apart_as_the_rate_says)
{
	static struct seen seen;
	struct heard heard = { 0 };
	const struct fixed_params p = { .rate_bps = 3000000000,
					.window_bytes = WEIR_CC_NO_WINDOW,
					.heard = &heard };
	struct sim s;

	sim_read(&s, "%s[measure]\nto = 1ms\n", one_flow);
	use_fixed(&s, 0, &fixed_plain, &p);
	run_and_see(&s, "h0->sw", &seen);
	CHECK_INT(seen.count, 358); /* 1 ms / 2794.666 ns = 357.8 */
	for (uint32_t i = 0; i < seen.count; i++)
		CHECK_INT(seen.packet[i].start_ps, i * INT64_C(2794666));
	sim_end(&s);
}

/* At 10 us the rate goes from 1 to 8 Gb/s: the last packet left at 8384 ns, the next may leave 1048
 * ns later, which is over: it leaves at once. From 8 to 1: the last left at 9432 ns, the next
 * leaves 8384 ns later. */
TEST(test_a_change_of_the_rate_moves_the_next_packet)
{
	static const struct {
		uint64_t before_bps, after_bps;
		uint32_t next;
		int64_t next_ns, last_ns;
	} cases[] = {
		{ 1000000000, 8000000000, 2, 10000, 8384 },
		{ 8000000000, 1000000000, 10, 17816, 9432 },
	};

	for (int i = 0; i < 2; i++) {
		static struct seen seen;
		struct heard heard = { 0 };
		const struct fixed_params p = { cases[i].before_bps, WEIR_CC_NO_WINDOW, 10000,
						cases[i].after_bps, &heard };
		struct sim s;

		sim_read(&s, "%s[measure]\nto = 20us\n", one_flow);
		use_fixed(&s, 0, &fixed_plain, &p);
		run_and_see(&s, "h0->sw", &seen);
		CHECK_INT(seen.packet[cases[i].next - 1].start_ps, weir_ns_to_ps(cases[i].last_ns));
		CHECK_INT(seen.packet[cases[i].next].start_ps, weir_ns_to_ps(cases[i].next_ns));
		sim_end(&s);
	}
}

/* Packets of 9048 bytes, 7238.4 ns on the line. Flow 0 sends at line rate and flow 1 at 5 Gb/s: its
 * first packet leaves third, at 14476.8 ns, and its second is due at 28953.6, when flow 0 takes the
 * line until 36192. At 30 us its rate falls to 1 Gb/s: it has to wait until 14476.8 + 72384 ns,
 * though it stood in turn. Then flow 0 has one packet on the line and one in turn. */
TEST(test_a_rate_that_falls_holds_back_a_packet_that_waits_for_the_nic)
{
	static struct seen seen;
	struct heard heard[2] = { { 0 }, { 0 } };
	const struct fixed_params full = { .rate_bps = 10000000000,
					   .window_bytes = WEIR_CC_NO_WINDOW,
					   .heard = &heard[0] };
	const struct fixed_params falls = { 5000000000, WEIR_CC_NO_WINDOW, 30000, 1000000000,
					    &heard[1] };
	struct sim s;
	int64_t start_ps[2];
	uint32_t count = 0;

	sim_read(&s, STAR3 "[switch]\nmarking = none\n[rdma]\nmtu = 9000B\n"
			   "[traffic x]\npattern = list\ncc = line-rate\nflow = 0 1 unlimited 0us\n"
			   "[traffic y]\npattern = list\ncc = line-rate\nflow = 0 2 unlimited 0us\n"
			   "[measure]\nto = 150us\n");
	use_fixed(&s, 0, &fixed_plain, &full);
	use_fixed(&s, 1, &fixed_plain, &falls);
	run_and_see(&s, "h0->sw", &seen);
	for (uint32_t i = 0; i < seen.count && count < 2; i++)
		if (seen.packet[i].connection == 1)
			start_ps[count++] = seen.packet[i].start_ps;
	CHECK_INT(count, 2);
	CHECK_INT(start_ps[0], 14476800);
	CHECK_INT(start_ps[1], 14476800 + 72384000 + 2 * 7238400);
	sim_end(&s);
}

/* --- windows and answers --- */

/* 100 us a link: a packet is at the other host after 2 x (838.4 ns + 100 us) and its ACK of 48
 * bytes back after 2 x (38.4 ns + 100 us) more: 401753.6 ns in all. With a window of 4500 bytes,
 * five packets may be under way: as long as less than the window is, another goes. */
TEST(test_a_window_caps_what_is_in_flight_and_samples_are_the_true_time)
{
	static struct seen seen;
	struct heard heard = { 0 };
	const struct fixed_params p = { .rate_bps = 10000000000,
					.window_bytes = 4500,
					.heard = &heard };
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\nrate = 10Gbps\ndelay = 100us\n"
		     "[switch]\nmarking = none\n"
		     "[traffic x]\npattern = list\ncc = line-rate\nflow = 0 1 unlimited 0us\n"
		     "[measure]\nto = 3ms\n");
	use_fixed(&s, 0, &fixed_plain, &p);
	run_and_see(&s, "h0->sw", &seen);
	for (uint32_t i = 0; i < 35; i++)
		CHECK_INT(seen.packet[i].start_ps, i / 5 * INT64_C(401753600) + i % 5 * 838400);
	CHECK(heard.acks >= 30);
	for (uint32_t i = 0; i < 30; i++) {
		CHECK_INT(heard.ack[i].rtt_ns, 401753);
		CHECK_INT(heard.ack[i].acked_bytes, 1000);
		CHECK_INT(heard.ack[i].una_bytes, (i + 1) * 1000);
	}
	CHECK_INT(heard.env.base_rtt_ns, 401753);
	CHECK_INT(heard.env.bdp_bytes, 502192); /* 401753.6 ns at 1.25 bytes/ns */
	sim_end(&s);
}

/* 42 packets and an ACK for every 4: eleven ACKs, and the run is over when the last is on its way.
 * Each tells the time of the packet that called for it, so that waiting for four does not look like
 * a queue; neither does waiting in vain, 500 us, for a fourth. */
TEST(test_one_ack_for_n_packets_tells_the_time_of_the_last)
{
	static struct seen seen;
	struct heard heard = { 0 };
	const struct fixed_params p = { .rate_bps = 1000000000,
					.window_bytes = WEIR_CC_NO_WINDOW,
					.heard = &heard };
	struct sim s;

	sim_read(&s, STAR3 "[switch]\nmarking = none\n[rdma]\nacks-per = 4\n"
			   "[traffic x]\npattern = list\ncc = line-rate\nflow = 0 1 42KB 0us\n");
	use_fixed(&s, 0, &fixed_plain, &p);
	run_and_see(&s, "h1->sw", &seen);
	CHECK_INT(seen.count, 11);
	CHECK_INT(seen.packet[10].number, 42);
	CHECK_INT(heard.acks, 10);
	for (uint32_t i = 0; i < 10; i++) {
		CHECK_INT(seen.packet[i].number, 4 * (i + 1));
		CHECK_INT(seen.packet[i].bytes, 48);
		CHECK_INT(heard.ack[i].acked_bytes, 4000);
		CHECK_INT(heard.ack[i].rtt_ns, 5753); /* 4 us + 2 x 838.4 + 2 x 38.4 ns */
	}
	sim_end(&s);

	heard.acks = 0;
	sim_read(&s, "%s[rdma]\nacks-per = 4\nmax-window = 2000B\n[measure]\nto = 2ms\n", one_flow);
	use_fixed(&s, 0, &fixed_plain, &p);
	sim_run(&s, 1);
	CHECK_INT(heard.acks, 3); /* every 514 us */
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(heard.ack[i].rtt_ns, 5753);
	sim_end(&s);
}

/* Every packet is marked from the second on; the receiver notifies at once and then every 50 us. */
TEST(test_notifications_come_at_most_once_an_interval)
{
	static struct seen seen;
	struct heard heard[2] = { { 0 }, { 0 } };
	struct fixed_params p = { .rate_bps = 6000000000, .window_bytes = WEIR_CC_NO_WINDOW };
	uint32_t count[2] = { 0, 0 };
	int64_t last_ps[2] = { 0, 0 };
	struct sim s;

	sim_read(&s, STAR3 "[switch]\nmarking = ecn(k=1pkts)\nbuffer = 10000pkts\n"
			   "[traffic x]\npattern = list\ncc = dcqcn\nflow = 0 2 unlimited 0us\n"
			   "[traffic y]\npattern = list\ncc = dcqcn\nflow = 1 2 unlimited 0us\n"
			   "[measure]\nto = 1ms\n");
	for (uint32_t i = 0; i < 2; i++) {
		p.heard = &heard[i];
		use_fixed(&s, i, &fixed_cnps, &p);
	}
	run_and_see(&s, "h2->sw", &seen);
	for (uint32_t i = 0; i < seen.count; i++) {
		uint32_t k = seen.packet[i].connection;

		if (!(seen.packet[i].flags & SEGMENT_CNP))
			continue;
		if (count[k]++)
			CHECK_NEAR(seen.packet[i].start_ps - last_ps[k], US(51), US(1));
		last_ps[k] = seen.packet[i].start_ps;
	}
	CHECK_NEAR(count[0], 19, 1);
	CHECK_NEAR(count[1], 19, 1);
	CHECK_NEAR(heard[0].cnps, count[0], 1);
	sim_end(&s);
}

/* --- what switches write --- */

/* h0 on the left, h1 on the right, alone: every packet finds both ports idle. It leaves the left
 * switch 2090 ns after its start: 1090 bytes at 10 Gb/s take 872 ns, the link 1000, and 218 ns at
 * 40 Gb/s to the right one. */
TEST(test_notes_are_those_of_every_port_in_order)
{
	static struct seen seen;
	struct heard heard = { 0 };
	const struct fixed_params p = { .rate_bps = 4360000000, /* a packet every 2 us */
					.window_bytes = WEIR_CC_NO_WINDOW,
					.heard = &heard };
	struct sim s;

	sim_read(&s, "[network]\ntopology = dumbbell\nleft-hosts = 1\nright-hosts = 1\n"
		     "rate = 10Gbps\nfabric-rate = 40Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\n"
		     "[traffic x]\npattern = list\ncc = hpcc\nflow = 0 1 unlimited 0us\n"
		     "[measure]\nto = 100us\n");
	use_fixed(&s, 0, &fixed_int, &p);
	run_and_see(&s, "h0->left", &seen);
	CHECK_INT(seen.packet[0].bytes, 1000 + 48 + 42);
	CHECK(heard.acks > 40);
	CHECK_INT(heard.env.hops, 2);
	CHECK_INT(heard.env.header_bytes, 90);
	for (uint32_t i = 0; i < 40; i++) {
		const struct weir_cc_hop *hop = heard.hop[i];
		uint32_t start_ns = 2000 * i;

		CHECK_INT(heard.ack[i].hop_count, 2);
		CHECK_INT(hop[0].time_ns, start_ns + 872 + 1000);
		CHECK_INT(hop[1].time_ns, start_ns + 872 + 1000 + 218 + 1000);
		CHECK_INT(hop[0].rate_mbps, 40000);
		CHECK_INT(hop[1].rate_mbps, 10000);
		for (uint32_t k = 0; k < 2; k++) {
			CHECK_INT(hop[k].tx_bytes, 1090 * (i + 1));
			CHECK_INT(hop[k].queue_bytes, 0);
		}
		/* ACKs of 90 bytes: 72 + 18 + 72 ns. */
		CHECK_INT(heard.ack[i].rtt_ns, 2 * 872 + 218 + 2 * 72 + 18 + 6 * 1000);
	}
	CHECK_INT(heard.env.base_rtt_ns, heard.ack[0].rtt_ns);
	sim_end(&s);
}

/* Two at line rate into one port, and for a while two more into another: packets come in pairs
 * every 872 ns and one leaves, h0's and h1's in turn. The n-th to leave (from 0) leaves n - 1
 * behind it, at 1872 + 872 n ns. Notes wait in the queue with it. */
static void check_queue_notes(const char *more)
{
	struct heard heard[2] = { { 0 }, { 0 } };
	struct fixed_params p = { .rate_bps = 10000000000, .window_bytes = WEIR_CC_NO_WINDOW };
	struct sim s;

	sim_read(&s,
		 "[network]\ntopology = star\nhosts = 6\nrate = 10Gbps\ndelay = 1us\n[switch]\n%s\n"
		 "[traffic x]\npattern = list\ncc = hpcc\nflow = 0 2 unlimited 0us\n"
		 "[traffic y]\npattern = list\ncc = hpcc\nflow = 1 2 unlimited 0us\n"
		 "[traffic z]\npattern = list\ncc = hpcc\nflow = 3 5 unlimited 0us\n"
		 "flow = 4 5 unlimited 0us\n"
		 "[measure]\nto = 100us\n",
		 more);
	for (uint32_t i = 0; i < 2; i++) {
		p.heard = &heard[i];
		use_fixed(&s, i, &fixed_int, &p);
	}
	sim_run(&s, 1);
	for (uint32_t n = 0; n < 100; n++) {
		const struct weir_cc_hop *hop = heard[n % 2].hop[n / 2];

		CHECK_INT(heard[n % 2].ack[n / 2].hop_count, 1);
		CHECK_INT(hop->time_ns, 1872 + 872 * n);
		CHECK_INT(hop->queue_bytes, n ? 1090 * (n - 1) : 0);
		CHECK_INT(hop->tx_bytes, 1090 * (n + 1));
	}
	sim_end(&s);
}

TEST(test_notes_show_the_queue_behind_a_packet)
{
	check_queue_notes("marking = none\nbuffer = 1000pkts");
	check_queue_notes("marking = none\nbuffer = 10MB\nbuffer-per = switch\nlossless = 0");
	check_queue_notes(
		"marking = none\nbuffer = 10MB\nbuffer-per = switch\nqueues = 2\nscheduler = dwrr");
	/* A scheme that looks at the pool when packets leave must not make ports catch up by
	 * themselves. */
	check_queue_notes("marking = ecn(k=1MB, scope=pool, at=dequeue)\nbuffer = 10MB\n"
			  "buffer-per = switch");
}
