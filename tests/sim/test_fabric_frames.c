/* SPDX-License-Identifier: BSD-3-Clause */
/* test_fabric_frames.c -- how many frames a fabric scheme sends. */
#include "tests/sim.h"

/* Two flows of 500 packets to a third host. A sender that is told to stop has a round trip of the
 * hop, 2 us, of packets on its way, so of each flow a stop and its end come at most once in that
 * time, and the packets pass the last link in 84 us. Were each counted packet that leaves worth a
 * frame, there would be hundreds. */
TEST(test_bfc_sends_one_frame_for_a_stop_and_one_for_its_end)
{
	struct sim s;
	double frames;

	sim_read(&s, "[network]\ntopology = star\nhosts = 3\nrate = 100Gbps\ndelay = 1us\n"
		     "[switch]\nmarking = none\nbuffer = 4MB\nbuffer-per = switch\n"
		     "fabric = bfc(tau=1/2)\n[host]\ncc = line-rate\n"
		     "[traffic x]\npattern = many-to-one\nreceiver = 2\nsize = 500KB\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 2);
	CHECK_INT(sim_metric(&s, "drops"), 0);
	frames = sim_metric(&s, "packet_hops") - 2 * 2 * 2 * 500;
	printf("%g frames\n", frames);
	CHECK(frames >= 4);
	CHECK(frames <= 2 * 2 * 84 / 2);
	sim_end(&s);
}
