/* SPDX-License-Identifier: BSD-3-Clause */
/* test_model_fct.c -- how long a flow takes that is alone in the network, to the picosecond.
 *
 * Worked out by hand: at 10 Gb/s a byte takes 800 ps, so a full frame of 1514 bytes 1,211,200 ps
 * and a bare header of 54 bytes 43,200 ps. Frames are stored and forwarded at every switch. The
 * window is large enough never to matter, except where slow start itself is looked at. */
#include "tests/sim.h"
#include "weir/rng.h"

#define FULL_PS INT64_C(1211200) /* 1514 B at 10 Gb/s */
#define HEADER_PS INT64_C(43200) /* 54 B at 10 Gb/s */
#define US_PS INT64_C(1000000)

#define STAR "[network]\ntopology = star\nhosts = 2\nrate = 10Gbps\ndelay = 10us\n"
#define UNEVEN \
	"[network]\ntopology = explicit\n" \
	"link = h0 a 40Gbps 1us\nlink = a b 10Gbps 2us\nlink = b h1 100Gbps 3us\n"
#define WIDE "[host]\ninitial-window = 1000000\n"

/* Host 0 sends so many bytes to host 1 at 7 us; the network and host are the text's. */
static int64_t lone_fct_ps(const char *text, int bytes)
{
	struct sim s;
	int64_t fct_ps;

	sim_read(&s, "%s[traffic x]\npattern = list\nflow = 0 1 %dB 7us\n", text, bytes);
	sim_run(&s, 1);
	CHECK_INT(s.r.flow_count, 1);
	CHECK_INT(s.r.flows[0].start_ps, 7 * US_PS);
	fct_ps = sim_fct_ps(&s, 0);
	sim_end(&s);
	return fct_ps;
}

/* And no better is possible. */
static void check_ideal(const char *text, int bytes, int64_t fct_ps)
{
	struct sim s;

	CHECK_INT(lone_fct_ps(text, bytes), fct_ps);
	sim_read(&s, "%s[traffic x]\npattern = list\nflow = 0 1 %dB 7us\n", text, bytes);
	sim_run(&s, 1);
	CHECK_INT(s.r.ideal_ps[0], fct_ps);
	CHECK(sim_metric(&s, "slowdown_mean") == 1);
	CHECK(sim_metric(&s, "fct_mean_ns") == (double)fct_ps / WEIR_PS_PER_NS);
	sim_end(&s);
}

TEST(test_lone_flow_of_one_segment_takes_two_transmissions_and_two_delays)
{
	check_ideal(STAR WIDE, 100, 2 * 154 * 800 + 20 * US_PS);
	check_ideal(STAR WIDE, 1460, 2 * FULL_PS + 20 * US_PS);
	check_ideal(STAR WIDE, 1, 2 * 55 * 800 + 20 * US_PS);
}

TEST(test_lone_flow_of_many_segments_takes_one_transmission_more_than_it_has)
{
	check_ideal(STAR WIDE, 10 * 1460, 11 * FULL_PS + 20 * US_PS);
	check_ideal(STAR WIDE, 5000 * 1460, 5001 * FULL_PS + 20 * US_PS);
}

/* The 55-byte frame catches up with the full one before it at the switch and waits. */
TEST(test_lone_flow_with_a_short_last_segment)
{
	check_ideal(STAR WIDE, 10 * 1460 + 1, 11 * FULL_PS + 55 * 800 + 20 * US_PS);
	check_ideal(STAR WIDE, 1460 + 700, 2 * FULL_PS + 754 * 800 + 20 * US_PS);
}

/* 40, 10 and 100 Gb/s: 200, 800 and 80 ps a byte. All wait for the slow link in the middle. */
TEST(test_lone_flow_over_uneven_links)
{
	check_ideal(UNEVEN WIDE, 3 * 1460, 1514 * 200 + 3 * FULL_PS + 1514 * 80 + 6 * US_PS);
	/* The short one leaves the slow link 44,000 ps behind a full one, which takes 121,120 ps on
	 * the last. */
	check_ideal(UNEVEN WIDE, 2 * 1460 + 1,
		    1514 * 200 + 2 * FULL_PS + 1514 * 80 + 55 * 80 + 6 * US_PS);
	/* A frame of 400 bytes takes longer on the slow link than a full one on the last. */
	check_ideal(UNEVEN WIDE, 2 * 1460 + 346,
		    1514 * 200 + 2 * FULL_PS + 400 * 800 + 400 * 80 + 6 * US_PS);
}

/* 8/3 ns a byte: each transmission is rounded down to a picosecond. */
TEST(test_lone_flow_at_a_rate_that_does_not_divide)
{
	check_ideal("[network]\ntopology = star\nhosts = 2\nrate = 3Gbps\ndelay = 1us\n" WIDE,
		    2 * 1460, 3 * INT64_C(4037333) + 2 * US_PS);
}

TEST(test_lone_flow_through_a_fabric_crosses_four_links)
{
	check_ideal("[network]\ntopology = leaf-spine\nleaves = 2\nspines = 3\nhosts-per-leaf = 1\n"
		    "rate = 10Gbps\nfabric-rate = 40Gbps\ndelay = 2us\nfabric-delay = 500ns\n" WIDE,
		    20 * 1460, 21 * FULL_PS + 2 * 1514 * 200 + 5 * US_PS);
}

TEST(test_processing_delay_comes_once_before_the_receiver_has_the_data)
{
	check_ideal(STAR WIDE "processing-delay = 5us\n", 3 * 1460, 4 * FULL_PS + 25 * US_PS);
}

TEST(test_header_and_segment_size_are_what_is_sent)
{
	check_ideal(STAR WIDE "mss = 9000B\nheader = 78B\n", 2 * 9000, 3 * 9078 * 800 + 20 * US_PS);
}

/* 20 bytes more for every frame, and none shorter than 64. */
TEST(test_ethernet_overhead_lengthens_every_frame)
{
	check_ideal(STAR WIDE "[switch]\nethernet-overhead = yes\n", 100,
		    2 * 174 * 800 + 20 * US_PS);
	check_ideal(STAR WIDE "[switch]\nethernet-overhead = yes\n", 1, 2 * 84 * 800 + 20 * US_PS);
	check_ideal(STAR WIDE "[switch]\nethernet-overhead = yes\n", 3 * 1460,
		    4 * 1534 * 800 + 20 * US_PS);
}

/* SYN and SYN-ACK are bare headers. */
TEST(test_handshake_adds_a_round_trip_of_headers)
{
	int64_t round_trip_ps = 4 * HEADER_PS + 40 * US_PS;

	CHECK_INT(lone_fct_ps(STAR WIDE "handshake = yes\n", 5 * 1460),
		  round_trip_ps + 6 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(STAR WIDE "handshake = yes\nprocessing-delay = 3us\n", 1460),
		  round_trip_ps + 6 * US_PS + 2 * FULL_PS + 23 * US_PS);
}

/* --- slow start --- */

/* When the ACK of a full frame sent at 0 is back. */
#define ROUND_TRIP_PS (2 * FULL_PS + 2 * HEADER_PS + 40 * US_PS)

/* Ten segments leave at once. Each ACK then lets two more out, and two take longer than the next
 * ACK is away, so that the second round leaves in one go; so does the third. */
TEST(test_slow_start_doubles_the_window_every_round_trip)
{
	CHECK_INT(lone_fct_ps(STAR, 10 * 1460), 11 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(STAR, 11 * 1460), ROUND_TRIP_PS + 2 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(STAR, 30 * 1460), ROUND_TRIP_PS + 21 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(STAR, 31 * 1460), 2 * ROUND_TRIP_PS + 2 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(STAR, 60 * 1460), 2 * ROUND_TRIP_PS + 31 * FULL_PS + 20 * US_PS);
}

/* With a window of one each segment takes its round trip, until the receiver's window is in the
 * way: rounds of 1, 2, 4, 4, ... */
TEST(test_the_receivers_window_limits_what_is_in_flight)
{
	const char *text = STAR "[host]\ninitial-window = 1\nmax-window = 5840B\n";

	CHECK_INT(lone_fct_ps(text, 1460), 2 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(text, 2 * 1460), ROUND_TRIP_PS + 2 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(text, 7 * 1460), 2 * ROUND_TRIP_PS + 5 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(text, 8 * 1460), 3 * ROUND_TRIP_PS + 2 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(text, 11 * 1460), 3 * ROUND_TRIP_PS + 5 * FULL_PS + 20 * US_PS);
	CHECK_INT(lone_fct_ps(text, 12 * 1460), 4 * ROUND_TRIP_PS + 2 * FULL_PS + 20 * US_PS);
}

/* An application that writes a segment every 11.68 us: the last is written after n of these. */
TEST(test_a_rate_limited_flow_is_sent_as_it_is_written)
{
	struct sim s;

	sim_read(&s, STAR "[traffic x]\npattern = many-to-one\nsenders = 1\nreceiver = 1\n"
			  "size = 14600B\napp-rate = 1Gbps\n");
	sim_run(&s, 1);
	CHECK_INT(sim_fct_ps(&s, 0), 10 * INT64_C(11680000) + 2 * FULL_PS + 20 * US_PS);
	sim_end(&s);
}

/* --- any flow --- */

/* A hundred flows between random hosts of a fat tree, each alone because the next starts long after
 * it: all take the ideal time. */
TEST(test_lone_flows_of_any_size_between_any_hosts_take_the_ideal_time)
{
	struct weir_rng r = weir_rng_make(1, 0, WEIR_RNG_TEST);
	char flows[8192];
	int at = 0;
	struct sim s;

	for (int i = 0; i < 100; i++) {
		uint64_t src = weir_rng_below(&r, 16),
			 dst = (src + 1 + weir_rng_below(&r, 15)) % 16;
		uint64_t bytes = 1 + weir_rng_below(&r, i % 2 ? 3000 : 300000);

		at += snprintf(flows + at, sizeof(flows) - (size_t)at, "flow = %d %d %dB %dms\n",
			       (int)src, (int)dst, (int)bytes, i);
	}
	sim_read(&s,
		 "[network]\ntopology = fat-tree\nk = 4\nrate = 10Gbps\nfabric-rate = 25Gbps\n"
		 "core-rate = 40Gbps\ndelay = 1us\nfabric-delay = 3us\ncore-delay = 700ns\n"
		 "[switch]\nethernet-overhead = yes\nmarking = none\n" WIDE "cc = reno\n"
		 "[traffic x]\npattern = list\n%s",
		 flows);
	sim_run(&s, 1);
	CHECK_INT(s.r.flow_count, 100);
	for (uint32_t i = 0; i < 100; i++)
		CHECK_INT(sim_fct_ps(&s, i), s.r.ideal_ps[i]);
	sim_end(&s);
}
