/* SPDX-License-Identifier: BSD-3-Clause */
/* test_deadlock_fabric.c -- a fabric scheme that keeps packets back may let them go by means that
 * the search for deadlocks does not know: a circle through a switch that keeps some is not called
 * one. */
#include "tests/sim.h"

/* Five switches in a ring with a host each; every flow travels two links clockwise. */
#define RING \
	"[network]\ntopology = explicit\nlink = h0 s0 10Gbps 1us\nlink = h1 s1 10Gbps 1us\n" \
	"link = h2 s2 10Gbps 1us\nlink = h3 s3 10Gbps 1us\nlink = h4 s4 10Gbps 1us\n" \
	"link = s0 s1 10Gbps 1us\nlink = s1 s2 10Gbps 1us\nlink = s2 s3 10Gbps 1us\n" \
	"link = s3 s4 10Gbps 1us\nlink = s4 s0 10Gbps 1us\n" \
	"[switch]\nmarking = none\nbuffer = %s\nbuffer-per = switch\nlossless = all\n" \
	"fabric = floodgate(window=64)\n[host]\ncc = line-rate\n" \
	"[traffic x]\npattern = list\nflow = 0 2 1MB 0us\nflow = 1 3 1MB 1us\n" \
	"flow = 2 4 1MB 2us\nflow = 3 0 1MB 3us\nflow = 4 1 1MB 4us\n" \
	"[measure]\ndrain = 5ms\n"

/* With 600 KB the windows are never used up: every packet is in a port's queue, and the cycle is
 * one of PFC alone. With 1 MB some are kept. Both stand still; only the first is certain. */
TEST(test_a_cycle_through_packets_that_a_fabric_scheme_keeps_is_not_called_a_deadlock)
{
	struct sim s;

	sim_read(&s, RING, "600KB");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "pfc_deadlocks"), 1);
	sim_end(&s);
	sim_read(&s, RING, "1MB");
	sim_run(&s, 1);
	CHECK(sim_metric(&s, "pause_ns") > 1e6);
	CHECK_INT(sim_metric(&s, "pfc_deadlocks"), 0);
	CHECK_INT(sim_metric(&s, "flows_unfinished"), 5); /* the run says so all the same */
	sim_end(&s);
}
