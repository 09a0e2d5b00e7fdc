/* SPDX-License-Identifier: BSD-3-Clause */
/* test_flow_path.c -- which way a flow takes: the one it names, or that of its hash. */
#include "tests/folder.h"
#include "sim/core/host.h"
#include "tests/sim.h"
#include "tests/world.h"

#define LEAF_SPINE \
	"[network]\ntopology = leaf-spine\nleaves = 2\nspines = 4\nhosts-per-leaf = 2\n" \
	"rate = 10Gbps\ndelay = 5us\n%s\n[switch]\nmarking = none\n"

TEST(test_a_flow_takes_the_path_that_it_names_and_its_acks_go_back_by_it)
{
	for (int spine = 0; spine < 4; spine++) {
		struct sim s;
		char name[32];

		sim_read(&s,
			 LEAF_SPINE "[traffic x]\npattern = list\nflow = 0 2 14600B 0us path=%d\n",
			 "", spine);
		sim_run(&s, 1);
		for (int i = 0; i < 4; i++) {
			snprintf(name, sizeof(name), "leaf0->spine%d", i);
			CHECK_INT(sim_port(&s, name)->tx_pkts, i == spine ? 10 : 0);
			snprintf(name, sizeof(name), "leaf1->spine%d", i);
			CHECK((sim_port(&s, name)->tx_pkts > 0) == (i == spine));
		}
		sim_end(&s);
	}
}

/* Flows are sorted by their start. The one that is written first starts last, and the one without a
 * path goes by its hash: flow 1 of seed 1 takes spine 2 of 4. */
TEST(test_paths_stay_with_their_flows)
{
	struct sim s;

	sim_read(&s,
		 LEAF_SPINE "[traffic x]\npattern = list\nflow = 0 2 29200B 2ms path=1\n"
			    "flow = 0 3 14600B 1ms\nflow = 1 2 43800B 0us path=2\n",
		 "");
	sim_run(&s, 1);
	CHECK_INT(sim_port(&s, "leaf0->spine1")->tx_pkts, 20);
	CHECK_INT(sim_port(&s, "leaf0->spine2")->tx_pkts, 30 + 10);
	sim_end(&s);
}

/* Sprayed packets of other flows do not change it, nor does a failure: what is sent into it is
 * lost. */
TEST(test_a_named_path_is_neither_sprayed_nor_rerouted)
{
	struct sim s;

	sim_read(&s, LEAF_SPINE "[traffic x]\npattern = list\nflow = 0 2 146000B 0us path=2\n",
		 "ecmp = packet");
	sim_run(&s, 1);
	CHECK_INT(sim_port(&s, "leaf0->spine2")->tx_pkts, 100);
	sim_end(&s);
	sim_read(&s,
		 LEAF_SPINE "[traffic x]\npattern = list\nflow = 0 2 1MB 0us path=2\n"
			    "[measure]\ndrain = 50ms\n",
		 "fail = leaf0 spine2 200us");
	sim_run(&s, 1);
	CHECK_INT(sim_metric(&s, "flows_completed"), 0);
	CHECK_INT(sim_port(&s, "leaf0->spine1")->tx_pkts, 0);
	CHECK(sim_port(&s, "leaf0->spine2")->drops > 0);
	sim_end(&s);
}

/* k = 4: h0 is on edge0 of pod 0, which has agg0 and agg1; agg1 has the cores 2 and 3. Two windows:
 * the second waits for ACKs. */
TEST(test_a_path_may_have_a_choice_at_each_of_several_switches)
{
	struct sim s;

	sim_read(&s, "[network]\ntopology = fat-tree\nk = 4\nrate = 10Gbps\ndelay = 5us\n"
		     "[switch]\nmarking = none\n"
		     "[traffic x]\npattern = list\nflow = 0 15 29200B 0us path=1,0\n");
	sim_run(&s, 1);
	CHECK_INT(sim_port(&s, "edge0->agg1")->tx_pkts, 20);
	CHECK_INT(sim_port(&s, "agg1->core2")->tx_pkts, 20);
	CHECK_INT(sim_port(&s, "core2->agg7")->tx_pkts, 20);
	CHECK(sim_port(&s, "agg7->core2")->tx_pkts > 0);
	CHECK(sim_port(&s, "agg1->edge0")->tx_pkts > 0);
	sim_end(&s);
}

/* Parallel links are ways of their own, in order; the time of a flow alone is that of its own way:
 * here at 1 and at 40 Gb/s. */
TEST(test_the_time_of_a_flow_alone_is_that_of_the_path_it_names)
{
	for (int way = 0; way < 2; way++) {
		struct sim s;

		sim_read(
			&s,
			"[network]\ntopology = explicit\nlink = h0 s0 10Gbps 5us\n"
			"link = s0 s1 1Gbps 5us\nlink = s0 s1 40Gbps 5us\nlink = s1 h1 10Gbps 5us\n"
			"[switch]\nmarking = none\n[host]\ninitial-window = 1000\n"
			"[traffic x]\npattern = list\nflow = 0 1 146000B 0us path=%d\n",
			way);
		sim_run(&s, 1);
		CHECK_INT(sim_fct_ps(&s, 0), s.r.ideal_ps[0]);
		CHECK((s.r.ideal_ps[0] > weir_ns_to_ps(WEIR_NS_PER_MS)) == (way == 0));
		sim_end(&s);
	}
}

/* --- the hash --- */

/* Worked with another program from what docs/internals.md says: flow 0 of seed 1. */
TEST(test_the_way_of_a_hash_is_the_documented_one)
{
	struct world w = world_of("leaf-spine");
	struct route r;

	CHECK_INT(flow_route_hash(1, 0), UINT32_C(0xb53fcd7f));
	CHECK_INT(flow_route_hash(~UINT64_C(1), 0), UINT32_C(0x1033e2e7));
	world_routes(&w);
	route_find(w.routes, 0, 16, flow_route_hash(1, 0), 0, &r);
	CHECK_INT(r.links[1], world_link_number(&w, "leaf0->spine3"));
	route_find(w.routes, 16, 0, flow_route_hash(~UINT64_C(1), 0), 0, &r);
	CHECK_INT(r.links[1], world_link_number(&w, "leaf1->spine5"));
	world_end(&w);
}

/* --- what is refused --- */

static void check_path_refused(const char *flow, const char *connections, const char *message)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "leaf-spine", "list");

	traffic_set(t, "connections", connections);
	line_list_add(&t->flow_lines, flow, 0);
	check_traffic_refused(&w, message);
}

TEST(test_paths_that_do_not_exist_are_refused)
{
	check_path_refused("0 16 2MB 10us path=8", "per-flow",
			   "traffic.x.flow: '0 16 2MB 10us path=8': path=8: leaf0 has no way 8; it "
			   "has 8, 0 to 7");
	check_path_refused("0 16 2MB 10us path=1,2", "per-flow",
			   "traffic.x.flow: '0 16 2MB 10us path=1,2': path=1,2: 2 choices are too "
			   "many: the way has 1");
	check_path_refused("0 1 2MB 10us path=1", "per-flow",
			   "traffic.x.flow: '0 1 2MB 10us path=1': path=1: 1 choices are too many: "
			   "the way has 0");
	check_path_refused(
		"0 16 2MB 10us path=1,", "per-flow",
		"traffic.x.flow: '0 16 2MB 10us path=1,': path=1,: a path is numbers, as "
		"in path=3 or path=1,2");
	check_path_refused("0 16 2MB 10us path=", "per-flow",
			   "traffic.x.flow: '0 16 2MB 10us path=': path=: a path is numbers, as in "
			   "path=3 or path=1,2");
	check_path_refused(
		"0 16 2MB 10us pth=1", "per-flow",
		"traffic.x.flow: '0 16 2MB 10us pth=1': 'pth=1': behind the start stands "
		"path=, as in path=3");
	check_path_refused("0 16 2MB 10us path=1", "persistent",
			   "traffic.x.flow: '0 16 2MB 10us path=1': 'path=1': a path goes with "
			   "connections = per-flow");
}

TEST(test_a_path_with_too_few_choices_is_refused)
{
	struct world w;
	struct traffic_config *t = world_start(&w, "fat-tree", "list");

	*network_number(&w.c.network, "k") = 4;
	line_list_add(&t->flow_lines, "0 15 2MB 10us path=1", 0);
	check_traffic_refused(&w, "traffic.x.flow: '0 15 2MB 10us path=1': path=1: 1 choices are "
				  "too few: agg1 has 2 ways on");
}

/* A file's line is named. */
TEST(test_a_bad_path_in_a_file_is_found_by_its_line)
{
	struct folder folder = folder_make();
	struct world w;
	struct traffic_config *t = world_start(&w, "leaf-spine", "list");
	char name[128], message[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s/flows.txt", folder.path);
	f = fopen(name, "w");
	CHECK(f != NULL);
	fputs("0 16 2MB 10us path=7\n# a comment\n0 17 2MB 10us path=9\n", f);
	fclose(f);
	traffic_set(t, "file", name);
	snprintf(message, sizeof(message),
		 "traffic.x.file: %s:3: path=9: leaf0 has no way 9; it has 8, 0 to 7", name);
	check_traffic_refused(&w, message);
	folder_remove(&folder);
}
