/* SPDX-License-Identifier: BSD-3-Clause */
/* test_partition.c -- failed links that leave no path are noticed and named. */
#include "tests/sim.h"

#define CUT \
	"[network]\ntopology = leaf-spine\nleaves = 2\nspines = 2\nhosts-per-leaf = 2\n" \
	"rate = 10Gbps\nfabric-rate = 10Gbps\ndelay = 5us\nreroute-delay = 300us\n"

/* The first failure leaves a path, the second none. Of the flows of leaf 0 to leaf 1 one ended
 * before. */
TEST(test_flows_without_a_path_are_counted_and_named)
{
	struct sim s;

	sim_read(&s, CUT "fail = leaf0 spine0 1ms\nfail = leaf0 spine1 2ms\n"
			 "[traffic x]\npattern = list\nflow = 0 2 1KB 0us\nflow = 1 3 100MB 0us\n"
			 "flow = 3 0 unlimited 0us\nflow = 0 1 10KB 5ms\nflow = 0 3 10KB 5ms\n"
			 "[measure]\nto = 10ms\ndrain = 20ms\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.partition.flows, 3);
	CHECK_INT(sim_metric(&s, "flows_without_path"), 3);
	CHECK_INT(s.r.partition.src, 1);
	CHECK_INT(s.r.partition.dst, 3);
	CHECK_INT(s.r.partition.since_ps, INT64_C(2000000000));
	sim_end(&s);
}

/* Here and there packets were lost, but there always was a way. An endless flow had stopped before
 * its path was lost. */
TEST(test_flows_with_a_path_left_are_not_without_one)
{
	struct sim s;

	sim_read(&s, CUT "fail = leaf0 spine0 1ms\nfail = h3 leaf1 5ms\n"
			 "[traffic x]\npattern = list\nflow = 0 2 2MB 0us\n"
			 "[traffic y]\npattern = list\nstop = 4ms\nflow = 1 3 unlimited 0us\n"
			 "[measure]\nto = 10ms\n");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 1);
	CHECK_INT(s.r.partition.flows, 0);
	CHECK_INT(sim_metric(&s, "flows_without_path"), 0);
	sim_end(&s);
}

/* The failure has happened, although senders do not know of it when the run ends. */
TEST(test_a_path_is_lost_when_the_link_fails_not_when_senders_learn)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = star\nhosts = 2\nrate = 10Gbps\ndelay = 5us\n"
		     "fail = h1 sw 2ms\nreroute-delay = 20ms\n"
		     "[traffic x]\npattern = many-to-one\nsize = unlimited\n[measure]\nto = 3ms\n");
	sim_run(&s, 1);
	CHECK_INT(s.r.partition.flows, 1);
	CHECK_INT(s.r.partition.since_ps, INT64_C(2000000000));
	sim_end(&s);
}
