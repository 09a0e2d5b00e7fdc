/* SPDX-License-Identifier: BSD-3-Clause */
/* test_topology.c -- what every topology must satisfy, and each by its numbers. */
#include "sim/net/topology.h"
#include "tests/world.h"

/* --- contract --- */

static void check_links(const struct network *net)
{
	for (uint32_t i = 0; i < net->link_count; i++) {
		const struct net_link *l = &net->links[i], *back = &net->links[l->reverse];
		const struct net_node *from = &net->nodes[l->from], *to = &net->nodes[l->to];

		CHECK(i == 0 || net->links[i - 1].from <= l->from);
		CHECK(i >= from->first_link && i < from->first_link + from->link_count);
		CHECK(l->link_queue >= to->first_link_queue &&
		      l->link_queue < to->first_link_queue + to->link_queue_count);
		CHECK_INT(net->link_queue_link[l->link_queue], i);
		CHECK_INT(back->reverse, i);
		CHECK_INT(back->from, l->to);
		CHECK_INT(back->to, l->from);
		CHECK_INT(back->rate_bps, l->rate_bps);
		CHECK_INT(back->delay_ps, l->delay_ps);
		CHECK(l->delay_ps > 0 && l->rate_bps > 0 && l->fails_ps == WEIR_TIME_NEVER_PS);
	}
}

static void check_nodes(const struct network *net)
{
	uint32_t hosts = 0, switches = 0, links = 0, lines = 0;

	for (uint32_t i = 0; i < net->node_count; i++) {
		const struct net_node *n = &net->nodes[i];
		uint32_t top = n->kind == NODE_HOST ? net->links[n->first_link].to : 0;

		CHECK_INT(n->first_link, links);
		CHECK_INT(n->first_link_queue, lines);
		links += n->link_count;
		lines += n->link_queue_count;
		if (n->kind == NODE_SWITCH) {
			CHECK_INT(n->number, switches);
			CHECK_INT(net->switch_node[switches++], i);
			continue;
		}
		CHECK_INT(n->number, hosts);
		CHECK_INT(net->host_node[hosts++], i);
		CHECK_INT(n->link_count, 1);
		CHECK_INT(net->nodes[top].kind, NODE_SWITCH);
		CHECK_INT(n->rack, net->nodes[top].number);
		CHECK(top > i);
		/* Between a host and its switch there are only hosts of the same switch. */
		CHECK(top == i + 1 || net->nodes[i + 1].rack == n->rack);
	}
	CHECK_INT(hosts, net->host_count);
	CHECK_INT(switches, net->switch_count);
	CHECK_INT(hosts + switches, net->node_count);
	CHECK_INT(links, net->link_count);
	CHECK_INT(lines, net->link_count);
}

static void check_names(const struct network *net)
{
	char name[128];
	struct weir_error e;

	for (uint32_t i = 0; i < net->node_count; i++)
		CHECK_INT(node_find(net, node_name(net, i, name, sizeof(name)), &e), i);
	for (uint32_t i = 0; i < net->link_count; i++)
		CHECK_INT(link_find(net, link_name(net, i, name, sizeof(name)), &e), i);
	for (uint32_t h = 0; h < net->host_count; h++) {
		char wanted[32];

		snprintf(wanted, sizeof(wanted), "h%u", h);
		CHECK_STR(node_name(net, net->host_node[h], name, sizeof(name)), wanted);
	}
}

TEST(test_every_topology_is_a_sorted_two_way_graph)
{
	for (size_t i = 0; topology_all[i]; i++) {
		struct world w = world_of(topology_all[i]->scheme.name);

		if (topology_all[i]->has_links)
			world_small_graph(&w);
		world_network(&w);
		check_links(&w.net);
		check_nodes(&w.net);
		check_names(&w.net);
		world_end(&w);
	}
}

TEST(test_unknown_topology_gets_the_nearest_name)
{
	struct weir_error e;

	CHECK(topology_find("leafspine", &e) == NULL);
	CHECK_STR(e.text, "unknown topology 'leafspine'; there are star, dumbbell, "
			  "leaf-spine, fat-tree-2, fat-tree, explicit, hpcc (nearest: leaf-spine)");
}

/* --- each by its numbers --- */

TEST(test_star_has_its_switch_behind_its_hosts)
{
	struct world w = world_of("star");

	*network_number(&w.c.network, "hosts") = 3;
	*network_number(&w.c.network, "rate") = 25 * GBPS;
	*network_number(&w.c.network, "delay") = 7;
	world_network(&w);
	CHECK_INT(w.net.node_count, 4);
	CHECK_INT(w.net.link_count, 6);
	check_node_name(&w, 3, "sw");
	CHECK_INT(world_link_of(&w, "sw->h2")->rate_bps, 25 * GBPS);
	CHECK_INT(world_link_of(&w, "h1->sw")->delay_ps, 7);
	CHECK_INT(w.net.bisection_bps, 0);
	world_end(&w);
}

TEST(test_dumbbell_has_one_link_in_the_middle)
{
	struct world w = world_of("dumbbell");

	*network_number(&w.c.network, "left-hosts") = 2;
	*network_number(&w.c.network, "right-hosts") = 3;
	*network_number(&w.c.network, "fabric-rate") = 5 * GBPS;
	*network_number(&w.c.network, "fabric-delay") = 20;
	*network_number(&w.c.network, "delay") = 10;
	world_network(&w);
	CHECK_INT(w.net.host_count, 5);
	check_node_name(&w, 2, "left");
	check_node_name(&w, 6, "right");
	CHECK_INT(world_link_of(&w, "left->right")->rate_bps, 5 * GBPS);
	CHECK_INT(world_link_of(&w, "left->right")->delay_ps, 20);
	CHECK_INT(world_link_of(&w, "right->h4")->rate_bps, 10 * GBPS);
	CHECK_INT(world_link_of(&w, "right->h4")->delay_ps, 10);
	CHECK(world_has_link(&w, "left->h1") && !world_has_link(&w, "left->h2"));
	CHECK_INT(w.net.bisection_bps, 5 * GBPS);
	world_end(&w);
}

TEST(test_leaf_spine_with_nics_has_a_switch_for_every_host)
{
	struct world w = world_of("leaf-spine");
	static const char *const order[] = { "h0", "card0", "h1",    "card1", "h2",    "card2",
					     "h3", "card3", "leaf0", "leaf1", "spine0" };

	*network_number(&w.c.network, "leaves") = 2;
	*network_number(&w.c.network, "spines") = 1;
	*network_number(&w.c.network, "hosts-per-leaf") = 2;
	*network_number(&w.c.network, "delay") = 10;
	*network_number(&w.c.network, "fabric-delay") = 3;
	*network_number(&w.c.network, "card-rate") = 100 * GBPS;
	world_network(&w);
	CHECK_INT(w.net.node_count, 11);
	for (uint32_t i = 0; i < 11; i++)
		check_node_name(&w, i, order[i]);
	CHECK_INT(w.net.link_count, 2 * (4 + 4 + 2));
	CHECK_INT(world_link_of(&w, "h3->card3")->rate_bps, 100 * GBPS);
	CHECK_INT(world_link_of(&w, "h3->card3")->delay_ps, 3);
	CHECK_INT(world_link_of(&w, "card3->leaf1")->rate_bps, 10 * GBPS);
	CHECK_INT(world_link_of(&w, "leaf1->card3")->delay_ps, 10);
	CHECK_INT(world_link_of(&w, "leaf1->spine0")->delay_ps, 3);
	CHECK_NEAR(host_access_bps(&w.net, 3), 10e9, 0);
	CHECK_INT(w.net.bisection_bps, 10 * GBPS);
	CHECK_INT(w.net.racks_per_pod, 2);
	world_end(&w);
}

TEST(test_leaf_spine_links_every_leaf_with_every_spine)
{
	struct world w = world_of("leaf-spine");
	static const char *const order[] = { "h0", "h1",    "h2",     "leaf0",  "h3",    "h4",
					     "h5", "leaf1", "spine0", "spine1", "spine2" };

	*network_number(&w.c.network, "leaves") = 2;
	*network_number(&w.c.network, "spines") = 3;
	*network_number(&w.c.network, "hosts-per-leaf") = 3;
	*network_number(&w.c.network, "fabric-rate") = 40 * GBPS;
	world_network(&w);
	CHECK_INT(w.net.node_count, 11);
	for (uint32_t i = 0; i < 11; i++)
		check_node_name(&w, i, order[i]);
	CHECK_INT(w.net.link_count, 2 * (6 + 6));
	CHECK_INT(w.net.nodes[3].link_count, 6);
	CHECK_INT(world_link_of(&w, "leaf1->spine2")->rate_bps, 40 * GBPS);
	CHECK_INT(world_link_of(&w, "spine2->leaf0")->delay_ps, 10 * US); /* as delay */
	CHECK_INT(world_link_of(&w, "h4->leaf1")->rate_bps, 10 * GBPS);
	/* Six uplinks of 40 Gb/s, half of them leave either half. */
	CHECK_INT(w.net.bisection_bps, 120 * GBPS);
	world_end(&w);
}

TEST(test_fat_tree_2_has_uplinks_for_all_its_hosts)
{
	struct world w = world_of("fat-tree-2");

	*network_number(&w.c.network, "leaves") =
		2; /* 16 hosts of 10 Gb/s each, 4 spines: 4 links to each */
	world_network(&w);
	CHECK_INT(w.net.nodes[world_link_of(&w, "leaf1->h16")->from].link_count, 16 + 16);
	CHECK(world_has_link(&w, "leaf1->spine3#3") && !world_has_link(&w, "leaf1->spine3#4"));
	CHECK_INT(w.net.bisection_bps, 160 * GBPS);

	*network_number(&w.c.network, "oversubscription") = 2 * WEIR_ONE_Q32;
	world_network(&w);
	CHECK(world_has_link(&w, "leaf1->spine3#1") && !world_has_link(&w, "leaf1->spine3#2"));
	CHECK_INT(w.net.bisection_bps, 80 * GBPS);

	*network_number(&w.c.network, "oversubscription") =
		(4 * WEIR_ONE_Q32 + 1) / 3; /* 4/3, rounded: 3 links */
	world_network(&w);
	CHECK(world_has_link(&w, "leaf1->spine3#2") && !world_has_link(&w, "leaf1->spine3#3"));

	*network_number(&w.c.network, "oversubscription") = 3 * WEIR_ONE_Q32;
	check_network_refused(
		&w, "network.oversubscription: 3 gives 1.33333 links from each leaf to each "
		    "spine; hosts-per-leaf x rate / (oversubscription x spines x fabric-rate) "
		    "must be a whole number above 0");
	*network_number(&w.c.network, "oversubscription") = WEIR_ONE_Q32;
	*network_number(&w.c.network, "fabric-rate") = 400 * GBPS;
	check_network_refused(
		&w, "network.oversubscription: 1 gives 0.1 links from each leaf to each spine; "
		    "hosts-per-leaf x rate / (oversubscription x spines x fabric-rate) must be a "
		    "whole number above 0");
	world_end(&w);
}

TEST(test_fat_tree_of_four_ports_is_wired_as_published)
{
	struct world w = world_of("fat-tree");

	*network_number(&w.c.network, "fabric-rate") = 20 * GBPS;
	*network_number(&w.c.network, "core-rate") = 40 * GBPS;
	*network_number(&w.c.network, "core-delay") = 99;
	world_network(&w);
	CHECK_INT(w.net.host_count, 16);
	CHECK_INT(w.net.switch_count, 8 + 8 + 4);
	CHECK_INT(w.net.link_count, 2 * 48);
	for (uint32_t s = 0; s < w.net.switch_count; s++)
		CHECK_INT(w.net.nodes[w.net.switch_node[s]].link_count, 4);
	/* Pod 1 is edges 2 and 3 with aggs 2 and 3; the first agg of each pod has cores 0 and 1. */
	CHECK(world_has_link(&w, "h5->edge2") && world_has_link(&w, "edge2->agg3"));
	CHECK(!world_has_link(&w, "edge2->agg4") && !world_has_link(&w, "edge2->agg1"));
	CHECK(world_has_link(&w, "agg2->core1") && world_has_link(&w, "agg3->core2"));
	CHECK(!world_has_link(&w, "agg2->core2"));
	CHECK_INT(world_link_of(&w, "edge2->agg3")->rate_bps, 20 * GBPS);
	CHECK_INT(world_link_of(&w, "edge2->agg3")->delay_ps, 10 * US);
	CHECK_INT(world_link_of(&w, "core3->agg7")->rate_bps, 40 * GBPS);
	CHECK_INT(world_link_of(&w, "core3->agg7")->delay_ps, 99);
	CHECK_INT(w.net.bisection_bps, 16 * 40 * GBPS / 2);
	CHECK_INT(w.net.racks_per_pod, 2);
	*network_number(&w.c.network, "k") = 5;
	check_network_refused(
		&w, "network.k: 5 is odd; half of a switch's ports go up and half down, so k "
		    "must be even");
	world_end(&w);
}

TEST(test_fat_tree_of_64_ports_has_65536_hosts)
{
	struct world w = world_of("fat-tree");

	*network_number(&w.c.network, "k") = 64;
	world_network(&w);
	CHECK_INT(w.net.host_count, 65536);
	CHECK_INT(w.net.switch_count, 5120);
	CHECK_INT(w.net.link_count, 2 * 3 * 65536);
	check_links(&w.net);
	check_nodes(&w.net);
	world_end(&w);
}

TEST(test_network_size_is_limited)
{
	struct world w = world_of("leaf-spine");

	*network_number(&w.c.network, "leaves") = *network_number(&w.c.network, "hosts-per-leaf") =
		4096;
	check_network_refused(&w, "network.topology: 16777216 hosts; allowed are 2 to 4194304");
	world_end(&w);
	w = world_of("leaf-spine");
	*network_number(&w.c.network, "leaves") = *network_number(&w.c.network, "spines") = 4096;
	*network_number(&w.c.network, "hosts-per-leaf") = 1;
	check_network_refused(
		&w,
		"network.topology: 12288 hosts and switches with 16781312 links; allowed are at "
		"most 8388608 with 16777216");
	world_end(&w);
	w = world_of("leaf-spine");
	*network_number(&w.c.network, "leaves") = *network_number(&w.c.network, "hosts-per-leaf") =
		1;
	check_network_refused(&w, "network.topology: 1 hosts; allowed are 2 to 4194304");
	world_end(&w);
}

TEST(test_zero_delay_is_refused_with_the_reason)
{
	struct world w = world_of("star");

	*network_number(&w.c.network, "delay") = 0;
	check_network_refused(
		&w, "network.delay: 0 is refused: a link needs a delay above zero, since nodes "
		    "work ahead of each other by the shortest one");
	world_end(&w);
}
