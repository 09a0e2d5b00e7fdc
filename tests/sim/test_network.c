/* SPDX-License-Identifier: BSD-3-Clause */
/* test_network.c -- networks listed link by link, links that fail, and how nodes and links are
 * found by their names. */
#include "tests/world.h"

/* --- explicit --- */

TEST(test_explicit_network_keeps_names_and_numbers)
{
	struct world w = world_of("explicit");

	world_link(&w, "tor-a h1 10Gbps 1us");
	world_link(&w, "tor-b tor-a 40Gbps 2us");
	world_link(&w, "h0 tor-a 10Gbps 1us");
	world_link(&w, "h2 tor-b 25Gbps 500ns");
	world_link(&w, "top tor-b 40Gbps 2us");
	world_network(&w);
	/* h0 and h1 with their switch, h2 with its own, then the switch without hosts. */
	check_node_name(&w, 0, "h0");
	check_node_name(&w, 1, "h1");
	check_node_name(&w, 2, "tor-a");
	check_node_name(&w, 3, "h2");
	check_node_name(&w, 4, "tor-b");
	check_node_name(&w, 5, "top");
	CHECK_INT(w.net.host_count, 3);
	CHECK_INT(world_link_of(&w, "tor-b->h2")->rate_bps, 25 * GBPS);
	CHECK_INT(world_link_of(&w, "tor-b->h2")->delay_ps, US / 2);
	CHECK_INT(w.net.bisection_bps, 0);
	world_end(&w);
}

TEST(test_explicit_parallel_links_have_names_of_their_own)
{
	struct world w = world_of("explicit");
	char name[64];

	world_small_graph(&w);
	world_network(&w);
	CHECK(world_link_number(&w, "s0->s1") != world_link_number(&w, "s0->s1#1"));
	CHECK(world_link_number(&w, "s0->s1#0") == world_link_number(&w, "s0->s1"));
	link_name(&w.net, world_link_of(&w, "s0->s1#1")->reverse, name, sizeof(name));
	CHECK_STR(name, "s1->s0#1");
	world_end(&w);
}

/* One bad line behind two good ones. */
static void check_link_refused(const char *line, const char *message)
{
	struct world w = world_of("explicit");

	world_link(&w, "h0 s0 10Gbps 1us");
	world_link(&w, "h1 s0 10Gbps 1us");
	world_link(&w, line);
	check_network_refused(&w, message);
	world_end(&w);
}

TEST(test_explicit_links_say_what_is_wrong)
{
	struct world w = world_of("explicit");

	check_network_refused(
		&w, "network.link: not given; topology explicit needs lines such as link = h0 s0 "
		    "10Gbps 5us");
	check_link_refused("s0 s1 10Gbps",
			   "network.link: 's0 s1 10Gbps': a link is two nodes, a rate "
			   "and a delay, as in h0 s0 10Gbps 5us");
	check_link_refused("s0 s1 10Gbps 1us more",
			   "network.link: 's0 s1 10Gbps 1us more': a link is "
			   "two nodes, a rate and a delay, as in h0 s0 10Gbps 5us");
	check_link_refused("s0 s#1 10Gbps 1us",
			   "network.link: 's0 s#1 10Gbps 1us': 's#1' cannot name a "
			   "node; allowed are up to 31 letters, digits and _.-");
	check_link_refused("s0 s0 10Gbps 1us", "network.link: 's0 s0 10Gbps 1us': a link needs two "
					       "nodes; both are s0");
	check_link_refused("h2 h3 10Gbps 1us",
			   "network.link: 'h2 h3 10Gbps 1us': h2 and h3 are both "
			   "hosts; a host's link goes to a switch");
	check_link_refused("s0 s1 10 1us",
			   "network.link: 's0 s1 10 1us': rate: '10' has no unit (bps, "
			   "Kbps, Mbps, Gbps, Tbps); allowed: 1Mbps to 4Tbps");
	check_link_refused("s0 s1 10Gbps 0us",
			   "network.link: 's0 s1 10Gbps 0us': delay 0 is refused: a "
			   "link needs a delay above zero, since nodes work ahead "
			   "of each other by the shortest one");
	check_link_refused("h1 s1 10Gbps 1us",
			   "network.link: 'h1 s1 10Gbps 1us': host h1 has a second "
			   "link; a host has one (names that are not h and a number "
			   "are switches)");
	check_link_refused("h3 s0 10Gbps 1us",
			   "network.link: 'h3 s0 10Gbps 1us': no host may be called "
			   "h3: there are 3 hosts, so their names are h0 to h2");
	check_link_refused("h02 s0 10Gbps 1us",
			   "network.link: 'h02 s0 10Gbps 1us': no host may be called "
			   "h02: there are 3 hosts, so their names are h0 to h2");
	world_end(&w);
}

TEST(test_links_belong_to_the_explicit_topology_only)
{
	struct world w = world_of("star");

	world_link(&w, "h0 s0 10Gbps 1us");
	check_network_refused(
		&w, "network.link: 'h0 s0 10Gbps 1us': only topology = explicit has links of its "
		    "own, not star");
	world_end(&w);
}

/* --- failures and names --- */

TEST(test_failure_takes_both_directions_of_every_parallel_link)
{
	struct world w = world_of("fat-tree-2");
	uint32_t failed = 0;

	*network_number(&w.c.network, "oversubscription") =
		2 * WEIR_ONE_Q32; /* two links from each leaf to each spine */
	world_fail(&w, "leaf0 spine1 10ms");
	world_fail(&w, "spine3 leaf2#1 1us");
	world_network(&w);
	for (uint32_t i = 0; i < w.net.link_count; i++)
		failed += w.net.links[i].fails_ps != WEIR_TIME_NEVER_PS;
	CHECK_INT(failed, 6);
	CHECK_INT(world_link_of(&w, "leaf0->spine1")->fails_ps, 10000 * US);
	CHECK_INT(world_link_of(&w, "spine1->leaf0#1")->fails_ps, 10000 * US);
	CHECK_INT(world_link_of(&w, "leaf2->spine3")->fails_ps, WEIR_TIME_NEVER_PS);
	CHECK_INT(world_link_of(&w, "leaf2->spine3#1")->fails_ps, US);
	world_end(&w);
}

static void check_fail_refused(const char *line, const char *message)
{
	struct world w = world_of("leaf-spine");

	world_fail(&w, line);
	check_network_refused(&w, message);
	world_end(&w);
}

TEST(test_failures_say_what_is_wrong)
{
	check_fail_refused("leaf0 spine1",
			   "network.fail: 'leaf0 spine1': a failure is two nodes and a "
			   "time, as in leaf0 spine1 10ms");
	check_fail_refused("leef3 spine1 1ms",
			   "network.fail: 'leef3 spine1 1ms': there is no node "
			   "'leef3', but h0 to h127, leaf0 to leaf7, spine0 to spine7 "
			   "(nearest: leaf3)");
	check_fail_refused("leaf0 spine9 1ms",
			   "network.fail: 'leaf0 spine9 1ms': there is no node "
			   "'spine9', but h0 to h127, leaf0 to leaf7, spine0 to "
			   "spine7 (nearest: spine7)");
	check_fail_refused("leaf0 leaf1 1ms",
			   "network.fail: 'leaf0 leaf1 1ms': no link from leaf0 to "
			   "leaf1; leaf0 has 24, the first to h0, the last to spine7");
	check_fail_refused("leaf0 spine1#1 1ms",
			   "network.fail: 'leaf0 spine1#1 1ms': no link from leaf0 to "
			   "spine1#1; leaf0 has 24, the first to h0, the last to spine7");
	check_fail_refused("leaf0 spine1#x 1ms",
			   "network.fail: 'leaf0 spine1#x 1ms': 'spine1#x': behind "
			   "# stands the number of a parallel link, as in spine1#2");
	check_fail_refused("leaf0 spine1 1",
			   "network.fail: 'leaf0 spine1 1': time: '1' has no unit (ps, "
			   "ns, us, ms, s); allowed: 0s to 1000s");
}

TEST(test_link_find_says_what_is_wrong)
{
	struct world w = world_of("star");
	struct weir_error e;

	world_network(&w);
	CHECK_INT(link_find(&w.net, "sw", &e), -1);
	CHECK_STR(e.text, "'sw' does not name a link; write from->to, as in leaf0->h3");
	CHECK_INT(link_find(&w.net, "sw->h17", &e), -1);
	CHECK_STR(e.text, "there is no node 'h17', but h0 to h16, sw (nearest: h16)");
	CHECK_INT(link_find(&w.net, "h1->h2", &e), -1);
	CHECK_STR(e.text, "no link from h1 to h2; h1 has 1, the first to sw, the last to sw");
	world_end(&w);

	w = world_of("explicit");
	world_small_graph(&w);
	world_network(&w);
	CHECK_INT(link_find(&w.net, "s0->s11", &e), -1);
	CHECK_STR(e.text, "no link has a node 's11' (nearest: s1)");
	world_end(&w);
}
