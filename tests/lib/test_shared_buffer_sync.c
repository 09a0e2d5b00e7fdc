/* SPDX-License-Identifier: BSD-3-Clause */
/* test_shared_buffer_sync.c -- schemes that ask for the fill of a shared buffer make all ports of
 * the switch catch up, also while a packet is just leaving one of them: nothing else may come of
 * it. */
#include "tests/sim.h"

/* Many packets of many sizes leave several ports at the same times. */
static void run_marking(struct sim *s, const char *marking, uint32_t threads)
{
	sim_read(s,
		 "[network]\ntopology = leaf-spine\nleaves = 3\nspines = 2\nhosts-per-leaf = 5\n"
		 "rate = 25Gbps\ndelay = 5us\n"
		 "[switch]\nmarking = %s\nbuffer = 8MB\nbuffer-per = switch\n"
		 "[host]\ncc = dctcp\nmss = 300B\n"
		 "[traffic x]\npattern = all-to-all\nsizes = uniform(min=1B, max=200KB)\nload = "
		 "0.9\n"
		 "flows = 150\n"
		 "[traffic y]\npattern = permutation\nsize = 300KB\n",
		 marking);
	sim_run(s, threads);
}

/* It looks, and never marks: the run is the same as if it had not looked. */
TEST(test_reading_the_shared_buffer_at_dequeue_changes_nothing)
{
	struct sim none, looks;

	run_marking(&none, "none", 1);
	for (uint32_t threads = 1; threads <= 2; threads++) {
		run_marking(&looks, "ecn(k=100MB, scope=pool, at=dequeue)", threads);
		CHECK_INT(looks.r.flow_count, none.r.flow_count);
		for (uint32_t i = 0; i < none.r.flow_count; i++)
			CHECK_INT(sim_fct_ps(&looks, i), sim_fct_ps(&none, i));
		CHECK_INT(sim_metric(&looks, "packet_hops"), sim_metric(&none, "packet_hops"));
		sim_end(&looks);
	}
	sim_end(&none);
}
