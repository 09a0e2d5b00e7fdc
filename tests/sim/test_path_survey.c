/* SPDX-License-Identifier: BSD-3-Clause */
/* test_path_survey.c -- the paths of flows, surveyed before a run. */
#include "sim/measure/preview.h"
#include "tests/sim.h"

static struct path_survey survey(const char *text)
{
	const struct run_control control = { .threads = 1, .extent = RUN_ONLY_BUILT };
	struct run_result r = { .flow_count = 0 };
	struct weir_error e;
	struct path_survey w;
	struct sim s;

	sim_read(&s, "%s", text);
	if (run(&s.c, &control, &r, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	w = r.paths;
	run_result_free(&r);
	sim_end(&s);
	return w;
}

static void check_range(struct path_range r, double least, double most)
{
	CHECK_NEAR(r.least, least, 1e-9);
	CHECK_NEAR(r.most, most, 1e-9);
}

#define ALL "[traffic a]\npattern = all-to-all\nload = 10%\nsize = 10KB\nflows = 400\n"

/* 1500 B and an ACK of 40 B at 10 Gb/s are 1200 ns and 32 ns on each of two links, and each link is
 * passed twice: 4 x 5 us. All hosts hang on one switch. */
TEST(test_paths_of_a_star_are_two_links_and_one_round_trip)
{
	struct path_survey w =
		survey("[network]\ntopology = star\nhosts = 9\nrate = 10Gbps\ndelay = 5us\n"
		       "[host]\nmss = 1460B\nheader = 40B\n" ALL);

	check_range(w.links_within, 2, 2);
	check_range(w.links_between, 0, 0);
	check_range(w.paths, 0, 0);
	check_range(w.rtt_ps, 22464e3, 22464e3);
	CHECK_NEAR(w.rtt_typical_ps, 22464e3, 1e-9);
}

/* Every spine is a path. 3 of 11 others are in the same rack, so the typical flow leaves it: 8 x 1
 * us and 2 x (1200 + 32) more. */
TEST(test_paths_of_a_leaf_spine_are_as_many_as_its_spines)
{
	struct path_survey w = survey("[network]\ntopology = leaf-spine\nleaves = 3\nspines = 5\n"
				      "hosts-per-leaf = 4\nrate = 10Gbps\ndelay = 1us\n"
				      "[host]\nmss = 1460B\nheader = 40B\n" ALL);

	check_range(w.links_within, 2, 2);
	check_range(w.links_between, 4, 4);
	check_range(w.paths, 5, 5);
	check_range(w.rtt_ps, 4e6 + 2 * 1232e3, 8e6 + 4 * 1232e3);
	CHECK_NEAR(w.rtt_typical_ps, 8e6 + 4 * 1232e3, 1e-9);
}

/* k = 6: three aggregation switches in a pod, each with three cores. */
TEST(test_paths_of_a_fat_tree_are_fewer_within_a_pod)
{
	struct path_survey w = survey("[network]\ntopology = fat-tree\nk = 6\nrate = 10Gbps\n"
				      "delay = 1us\n" ALL);

	check_range(w.links_between, 4, 6);
	check_range(w.paths, 3, 9);
}

/* Parallel links are separate paths. */
TEST(test_paths_count_parallel_links)
{
	struct path_survey w =
		survey("[network]\ntopology = explicit\nlink = h0 s 10Gbps 1us\n"
		       "link = h1 t 10Gbps 1us\nlink = s t 10Gbps 1us\nlink = s t 10Gbps "
		       "1us\n[traffic a]\npattern = permutation\nsize = 1KB\n");

	check_range(w.paths, 2, 2);
	check_range(w.links_between, 3, 3);
}
