/* SPDX-License-Identifier: BSD-3-Clause */
/* test_transport_prr.c -- proportional rate reduction (RFC 6937) where losses leave less in flight
 * than is allowed, and where what is allowed is a fraction of a segment. */
#include "tests/sim.h"

#define US_PS INT64_C(1000000)

/* A burst of host 2 drops all but the first and the last few of the forty segments of host 0, which
 * can send twice as fast as ACKs come. There is much less in flight than ssthresh, so each ACK lets
 * out as much as has arrived and a segment more (the slow start reduction bound), and each round
 * trip repairs twice as many losses as the one before. The losses are found in the first round trip
 * and repaired in three more, of at most 80 us each with the queue that the burst leaves. With one
 * segment for each ACK the same number is repaired in every round trip, and the flow takes 510 us
 * and more. */
TEST(test_a_repair_of_many_losses_grows_like_slow_start)
{
	static const int burst_ns[] = { 97000, 97300, 97600, 98000 };

	for (int i = 0; i < 4; i++) {
		struct sim s;

		sim_read(&s,
			 "[network]\ntopology = explicit\nlink = h0 s 20Gbps 10us\n"
			 "link = s t 20Gbps 10us\nlink = t h1 10Gbps 10us\n"
			 "link = h2 s 100Gbps 10us\nlink = t h3 100Gbps 10us\n"
			 "[switch]\nmarking = none\nbuffer = 30pkts\n"
			 "[host]\ncc = reno\ninitial-window = 200\nrecovery = prr\n"
			 "[traffic x]\npattern = list\nflow = 0 1 58400B 100us\n"
			 "[traffic burst]\npattern = list\nflow = 2 3 274480B %dns\n",
			 burst_ns[i]);
		sim_run(&s, 1);
		printf("%g us\n", (double)sim_fct_ps(&s, 1) / (double)US_PS);
		CHECK(sim_metric(&s, "drops") > 24);
		CHECK(sim_fct_ps(&s, 1) < 4 * 80 * US_PS);
		sim_end(&s);
	}
}

/* Halving an odd number of bytes leaves half a byte less than the share of a segment that an ACK
 * stands for. Rounded up, as RFC 6937 says, every second ACK lets out a segment; rounded down the
 * segment waits for the ACK after it, and the flow ends the time of one frame later. Frames of 1447
 * + 54 B take 1200.8 ns on the slow line. 23 segments take one round trip, of 40 us, two lines and
 * an ACK, for the first eleven, and leave then for every ACK, or every second. */
TEST(test_a_reduction_is_rounded_up_to_the_byte)
{
	const int64_t arrival_ps = INT64_C(1501) * 880 + 20 * US_PS;
	const int64_t round_ps = arrival_ps + INT64_C(54) * 880 + 20 * US_PS;
	struct sim s;

	sim_read(&s, "[network]\ntopology = explicit\n"
		     "link = h0 s 100Gbps 10us\nlink = s h1 10Gbps 10us\n"
		     "[switch]\nmarking = red(min=4000B, max=4000B)\nbuffer = 100pkts\n"
		     "[host]\ncc = ecn-star\nmss = 1447B\ninitial-window = 11\nrecovery = prr\n"
		     "[traffic x]\npattern = list\nflow = 0 1 33281B 0us\n");
	sim_run(&s, 1);
	CHECK_INT(sim_fct_ps(&s, 0), 2 * round_ps + arrival_ps);
	sim_end(&s);
}
