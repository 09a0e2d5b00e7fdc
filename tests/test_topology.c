/* test_topology.c -- the network graph: what every topology must satisfy, and each by its numbers. */
#include "sim/network.h"
#include "sim/topology.h"
#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US ((int64_t)PS_PER_NS * NS_PER_US)
#define GBPS UINT64_C(1000000000)

/* The defaults of a topology. */
static struct network_config config_of(const char *topology)
{
	struct network_config c;

	memset(&c, 0, sizeof(c));
	snprintf(c.topology, sizeof(c.topology), "%s", topology);
	options_default(&c, topology_find(topology)->options);
	return c;
}

static void add_line(struct line_list *list, const char *text)
{
	CHECK(line_list_add(list, text, 0) == 0);
}

static void free_lines(struct line_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->lines[i].text);
	free(list->lines);
}

static void config_lines_free(struct network_config *c)
{
	free_lines(&c->links);
	free_lines(&c->fails);
}

static struct network build(const struct network_config *c)
{
	struct network net;
	struct error e = { "" };

	if (network_build(&net, c, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return net;
}

static void check_refused(const struct network_config *c, const char *message)
{
	struct network net;
	struct error e = { "" };

	CHECK_INT(network_build(&net, c, &e), -1);
	CHECK_STR(e.text, message);
	CHECK(net.nodes == NULL);
}

static void check_name(const struct network *net, uint32_t node, const char *wanted)
{
	char buffer[64];

	CHECK_STR(node_name(net, node, buffer, sizeof(buffer)), wanted);
}

static uint32_t node_called(const struct network *net, const char *name)
{
	struct error e;
	int64_t n = node_find(net, name, &e);

	if (n < 0)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return (uint32_t)n;
}

static const struct net_link *link_of(const struct network *net, const char *name)
{
	struct error e;
	int64_t l = link_find(net, name, &e);

	if (l < 0)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return &net->links[l];
}

static uint32_t has_link(const struct network *net, const char *name)
{
	struct error e;

	return link_find(net, name, &e) >= 0;
}

/* --- contract --- */

static void check_links(const struct network *net)
{
	for (uint32_t i = 0; i < net->link_count; i++) {
		const struct net_link *l = &net->links[i], *back = &net->links[l->reverse];
		const struct net_node *from = &net->nodes[l->from], *to = &net->nodes[l->to];

		CHECK(i == 0 || net->links[i - 1].from <= l->from);
		CHECK(i >= from->first_link && i < from->first_link + from->link_count);
		CHECK(l->line >= to->first_line && l->line < to->first_line + to->line_count);
		CHECK_INT(net->line_link[l->line], i);
		CHECK_INT(back->reverse, i);
		CHECK_INT(back->from, l->to);
		CHECK_INT(back->to, l->from);
		CHECK_INT(back->rate_bps, l->rate_bps);
		CHECK_INT(back->delay_ps, l->delay_ps);
		CHECK(l->delay_ps > 0 && l->rate_bps > 0 && l->fails_ps == TIME_NEVER_PS);
	}
}

static void check_nodes(const struct network *net)
{
	uint32_t hosts = 0, switches = 0, links = 0, lines = 0;

	for (uint32_t i = 0; i < net->node_count; i++) {
		const struct net_node *n = &net->nodes[i];
		uint32_t top = n->kind == NODE_HOST ? net->links[n->first_link].to : 0;

		CHECK_INT(n->first_link, links);
		CHECK_INT(n->first_line, lines);
		links += n->link_count;
		lines += n->line_count;
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
	struct error e;

	for (uint32_t i = 0; i < net->node_count; i++)
		CHECK_INT(node_find(net, node_name(net, i, name, sizeof(name)), &e), i);
	for (uint32_t i = 0; i < net->link_count; i++)
		CHECK_INT(link_find(net, link_name(net, i, name, sizeof(name)), &e), i);
	for (uint32_t h = 0; h < net->host_count; h++) {
		char wanted[32];

		snprintf(wanted, sizeof(wanted), "h%u", h);
		check_name(net, net->host_node[h], wanted);
	}
}

static void add_small_graph(struct network_config *c)
{
	add_line(&c->links, "h0 s0 10Gbps 1us");
	add_line(&c->links, "s0 s1 40Gbps 2us");
	add_line(&c->links, "s1 h1 10Gbps 3us");
	add_line(&c->links, "s1  s0\t40Gbps 2us");
}

TEST(test_every_topology_is_a_sorted_two_way_graph)
{
	for (size_t i = 0; topology_all[i]; i++) {
		struct network_config c = config_of(topology_all[i]->name);
		struct network net;

		if (topology_all[i] == topology_find("explicit"))
			add_small_graph(&c);
		net = build(&c);
		check_links(&net);
		check_nodes(&net);
		check_names(&net);
		network_free(&net);
		config_lines_free(&c);
	}
}

TEST(test_every_topology_declares_sane_options)
{
	for (size_t i = 0; topology_all[i]; i++) {
		const struct topology_ops *t = topology_all[i];

		CHECK(t->name && t->help && t->options && t->build);
		CHECK(topology_find(t->name) == t);
		for (const struct option *o = t->options; o->name; o++) {
			CHECK(o->help && o->help[0] && o->help[strlen(o->help) - 1] != '.');
			CHECK(option_find(t->options, o->name) == o);
			CHECK(o->min <= o->max && o->offset < sizeof(struct network_config));
			CHECK(option_find(network_options, o->name) == NULL);
		}
	}
	CHECK(topology_find("torus") == NULL);
}

TEST(test_unknown_topology_gets_the_nearest_name)
{
	struct network_config c = config_of("star");

	strcpy(c.topology, "leafspine");
	check_refused(&c, "network.topology: unknown topology 'leafspine'; there are star, dumbbell, "
			  "leaf-spine, fat-tree-2, fat-tree, explicit (nearest: leaf-spine)");
}

/* --- each by its numbers --- */

TEST(test_star_has_its_switch_behind_its_hosts)
{
	struct network_config c = config_of("star");
	struct network net;

	c.hosts = 3;
	c.rate_bps = 25 * GBPS;
	c.delay_ps = 7;
	net = build(&c);
	CHECK_INT(net.node_count, 4);
	CHECK_INT(net.link_count, 6);
	check_name(&net, 3, "sw");
	CHECK_INT(link_of(&net, "sw->h2")->rate_bps, 25 * GBPS);
	CHECK_INT(link_of(&net, "h1->sw")->delay_ps, 7);
	CHECK_INT(net.bisection_bps, 0);
	network_free(&net);
}

TEST(test_dumbbell_has_one_link_in_the_middle)
{
	struct network_config c = config_of("dumbbell");
	struct network net;

	c.left_hosts = 2;
	c.right_hosts = 3;
	c.fabric_rate_bps = 5 * GBPS;
	c.fabric_delay_ps = 20;
	c.delay_ps = 10;
	net = build(&c);
	CHECK_INT(net.host_count, 5);
	check_name(&net, 2, "left");
	check_name(&net, 6, "right");
	CHECK_INT(link_of(&net, "left->right")->rate_bps, 5 * GBPS);
	CHECK_INT(link_of(&net, "left->right")->delay_ps, 20);
	CHECK_INT(link_of(&net, "right->h4")->rate_bps, 10 * GBPS);
	CHECK_INT(link_of(&net, "right->h4")->delay_ps, 10);
	CHECK(has_link(&net, "left->h1") && !has_link(&net, "left->h2"));
	CHECK_INT(net.bisection_bps, 5 * GBPS);
	network_free(&net);
}

TEST(test_leaf_spine_links_every_leaf_with_every_spine)
{
	struct network_config c = config_of("leaf-spine");
	static const char *const order[] = { "h0", "h1", "h2", "leaf0", "h3", "h4", "h5", "leaf1",
					     "spine0", "spine1", "spine2" };
	struct network net;

	c.leaves = 2;
	c.spines = 3;
	c.hosts_per_leaf = 3;
	c.fabric_rate_bps = 40 * GBPS;
	net = build(&c);
	CHECK_INT(net.node_count, 11);
	for (uint32_t i = 0; i < 11; i++)
		check_name(&net, i, order[i]);
	CHECK_INT(net.link_count, 2 * (6 + 6));
	CHECK_INT(net.nodes[3].link_count, 6);
	CHECK_INT(link_of(&net, "leaf1->spine2")->rate_bps, 40 * GBPS);
	CHECK_INT(link_of(&net, "spine2->leaf0")->delay_ps, 10 * US);	/* as delay */
	CHECK_INT(link_of(&net, "h4->leaf1")->rate_bps, 10 * GBPS);
	/* Six uplinks of 40 Gb/s, half of them leave either half. */
	CHECK_INT(net.bisection_bps, 120 * GBPS);
	network_free(&net);
}

TEST(test_fat_tree_2_has_uplinks_for_all_its_hosts)
{
	struct network_config c = config_of("fat-tree-2");
	struct network net;

	c.leaves = 2;		/* 16 hosts of 10 Gb/s each, 4 spines: 4 links to each */
	net = build(&c);
	CHECK_INT(net.nodes[node_called(&net, "leaf1")].link_count, 16 + 16);
	CHECK(has_link(&net, "leaf1->spine3#3") && !has_link(&net, "leaf1->spine3#4"));
	CHECK_INT(net.bisection_bps, 160 * GBPS);
	network_free(&net);

	c.oversubscription_q32 = 2 * ONE_Q32;
	net = build(&c);
	CHECK(has_link(&net, "leaf1->spine3#1") && !has_link(&net, "leaf1->spine3#2"));
	CHECK_INT(net.bisection_bps, 80 * GBPS);
	network_free(&net);

	c.oversubscription_q32 = (4 * ONE_Q32 + 1) / 3;	/* 4/3, rounded: 3 links */
	net = build(&c);
	CHECK(has_link(&net, "leaf1->spine3#2") && !has_link(&net, "leaf1->spine3#3"));
	network_free(&net);

	c.oversubscription_q32 = 3 * ONE_Q32;
	check_refused(&c, "network.oversubscription: 3 gives 1.33333 links from each leaf to each "
			  "spine; hosts-per-leaf x rate / (oversubscription x spines x fabric-rate) "
			  "must be a whole number above 0");
	c.oversubscription_q32 = ONE_Q32;
	c.fabric_rate_bps = 400 * GBPS;
	check_refused(&c, "network.oversubscription: 1 gives 0.1 links from each leaf to each spine; "
			  "hosts-per-leaf x rate / (oversubscription x spines x fabric-rate) must be a "
			  "whole number above 0");
}

TEST(test_fat_tree_of_four_ports_is_wired_as_published)
{
	struct network_config c = config_of("fat-tree");
	struct network net;

	c.fabric_rate_bps = 20 * GBPS;
	c.core_rate_bps = 40 * GBPS;
	c.core_delay_ps = 99;
	net = build(&c);
	CHECK_INT(net.host_count, 16);
	CHECK_INT(net.switch_count, 8 + 8 + 4);
	CHECK_INT(net.link_count, 2 * 48);
	for (uint32_t s = 0; s < net.switch_count; s++)
		CHECK_INT(net.nodes[net.switch_node[s]].link_count, 4);
	/* Pod 1 is edges 2 and 3 with aggs 2 and 3; the first agg of each pod has cores 0 and 1. */
	CHECK(has_link(&net, "h5->edge2") && has_link(&net, "edge2->agg3"));
	CHECK(!has_link(&net, "edge2->agg4") && !has_link(&net, "edge2->agg1"));
	CHECK(has_link(&net, "agg2->core1") && has_link(&net, "agg3->core2"));
	CHECK(!has_link(&net, "agg2->core2"));
	CHECK_INT(link_of(&net, "edge2->agg3")->rate_bps, 20 * GBPS);
	CHECK_INT(link_of(&net, "edge2->agg3")->delay_ps, 10 * US);
	CHECK_INT(link_of(&net, "core3->agg7")->rate_bps, 40 * GBPS);
	CHECK_INT(link_of(&net, "core3->agg7")->delay_ps, 99);
	CHECK_INT(net.bisection_bps, 16 * 40 * GBPS / 2);
	CHECK_INT(net.racks_per_pod, 2);
	network_free(&net);
	c.k = 5;
	check_refused(&c, "network.k: 5 is odd; half of a switch's ports go up and half down, so k "
			  "must be even");
}

TEST(test_fat_tree_of_64_ports_has_65536_hosts)
{
	struct network_config c = config_of("fat-tree");
	struct network net;

	c.k = 64;
	net = build(&c);
	CHECK_INT(net.host_count, 65536);
	CHECK_INT(net.switch_count, 5120);
	CHECK_INT(net.link_count, 2 * 3 * 65536);
	check_links(&net);
	check_nodes(&net);
	network_free(&net);
}

TEST(test_network_size_is_limited)
{
	struct network_config c = config_of("leaf-spine");

	c.leaves = c.hosts_per_leaf = 4096;
	check_refused(&c, "network.topology: 16777216 hosts; allowed are 2 to 1048576");
	c = config_of("leaf-spine");
	c.leaves = 4096;
	c.spines = 1024;
	c.hosts_per_leaf = 1;
	check_refused(&c, "network.topology: 9216 hosts and switches with 4198400 links; allowed are at "
			  "most 2097152 with 4194304");
	c = config_of("leaf-spine");
	c.leaves = c.hosts_per_leaf = 1;
	check_refused(&c, "network.topology: 1 hosts; allowed are 2 to 1048576");
}

TEST(test_zero_delay_is_refused_with_the_reason)
{
	struct network_config c = config_of("star");

	c.delay_ps = 0;
	check_refused(&c, "network.delay: 0 is refused: a link needs a delay above zero, since nodes "
			  "work ahead of each other by the shortest one");
}

/* --- explicit --- */

TEST(test_explicit_network_keeps_names_and_numbers)
{
	struct network_config c = config_of("explicit");
	struct network net;

	add_line(&c.links, "tor-a h1 10Gbps 1us");
	add_line(&c.links, "tor-b tor-a 40Gbps 2us");
	add_line(&c.links, "h0 tor-a 10Gbps 1us");
	add_line(&c.links, "h2 tor-b 25Gbps 500ns");
	add_line(&c.links, "top tor-b 40Gbps 2us");
	net = build(&c);
	/* h0 and h1 with their switch, h2 with its own, then the switch without hosts. */
	check_name(&net, 0, "h0");
	check_name(&net, 1, "h1");
	check_name(&net, 2, "tor-a");
	check_name(&net, 3, "h2");
	check_name(&net, 4, "tor-b");
	check_name(&net, 5, "top");
	CHECK_INT(net.host_count, 3);
	CHECK_INT(link_of(&net, "tor-b->h2")->rate_bps, 25 * GBPS);
	CHECK_INT(link_of(&net, "tor-b->h2")->delay_ps, US / 2);
	CHECK_INT(net.bisection_bps, 0);
	network_free(&net);
	config_lines_free(&c);
}

TEST(test_explicit_parallel_links_have_names_of_their_own)
{
	struct network_config c = config_of("explicit");
	struct network net;
	char name[64];

	add_small_graph(&c);
	net = build(&c);
	CHECK(link_of(&net, "s0->s1") != link_of(&net, "s0->s1#1"));
	CHECK(link_of(&net, "s0->s1#0") == link_of(&net, "s0->s1"));
	link_name(&net, link_of(&net, "s0->s1#1")->reverse, name, sizeof(name));
	CHECK_STR(name, "s1->s0#1");
	network_free(&net);
	config_lines_free(&c);
}

/* One bad line behind two good ones. */
static void check_link_refused(const char *line, const char *message)
{
	struct network_config c = config_of("explicit");

	add_line(&c.links, "h0 s0 10Gbps 1us");
	add_line(&c.links, "h1 s0 10Gbps 1us");
	add_line(&c.links, line);
	check_refused(&c, message);
	config_lines_free(&c);
}

TEST(test_explicit_links_say_what_is_wrong)
{
	struct network_config c = config_of("explicit");

	check_refused(&c, "network.link: not given; topology explicit needs lines such as link = h0 s0 "
			  "10Gbps 5us");
	check_link_refused("s0 s1 10Gbps", "network.link: 's0 s1 10Gbps': a link is two nodes, a rate "
					   "and a delay, as in h0 s0 10Gbps 5us");
	check_link_refused("s0 s1 10Gbps 1us more", "network.link: 's0 s1 10Gbps 1us more': a link is "
						    "two nodes, a rate and a delay, as in h0 s0 10Gbps "
						    "5us");
	check_link_refused("s0 s#1 10Gbps 1us", "network.link: 's0 s#1 10Gbps 1us': 's#1' cannot name a "
						"node; allowed are up to 31 letters, digits and _.-");
	check_link_refused("s0 s0 10Gbps 1us", "network.link: 's0 s0 10Gbps 1us': a link needs two "
					       "nodes; both are s0");
	check_link_refused("h2 h3 10Gbps 1us", "network.link: 'h2 h3 10Gbps 1us': h2 and h3 are both "
					       "hosts; a host's link goes to a switch");
	check_link_refused("s0 s1 10 1us", "network.link: 's0 s1 10 1us': rate: '10' has no unit (bps, "
					   "Kbps, Mbps, Gbps, Tbps); allowed: 1Mbps to 4Tbps");
	check_link_refused("s0 s1 10Gbps 0us", "network.link: 's0 s1 10Gbps 0us': delay 0 is refused: a "
					       "link needs a delay above zero, since nodes work ahead "
					       "of each other by the shortest one");
	check_link_refused("h1 s1 10Gbps 1us", "network.link: 'h1 s1 10Gbps 1us': host h1 has a second "
					       "link; a host has one (names that are not h and a number "
					       "are switches)");
	check_link_refused("h3 s0 10Gbps 1us", "network.link: 'h3 s0 10Gbps 1us': no host may be called "
					       "h3: there are 3 hosts, so their names are h0 to h2");
	check_link_refused("h02 s0 10Gbps 1us", "network.link: 'h02 s0 10Gbps 1us': no host may be "
						"called h02: there are 3 hosts, so their names are h0 to "
						"h2");
}

TEST(test_links_belong_to_the_explicit_topology_only)
{
	struct network_config c = config_of("star");

	add_line(&c.links, "h0 s0 10Gbps 1us");
	check_refused(&c, "network.link: 'h0 s0 10Gbps 1us': only topology = explicit has links of its "
			  "own, not star");
	config_lines_free(&c);
}

/* --- failures and names --- */

TEST(test_failure_takes_both_directions_of_every_parallel_link)
{
	struct network_config c = config_of("fat-tree-2");
	struct network net;
	uint32_t failed = 0;

	c.oversubscription_q32 = 2 * ONE_Q32;	/* two links from each leaf to each spine */
	add_line(&c.fails, "leaf0 spine1 10ms");
	add_line(&c.fails, "spine3 leaf2#1 1us");
	net = build(&c);
	for (uint32_t i = 0; i < net.link_count; i++)
		failed += net.links[i].fails_ps != TIME_NEVER_PS;
	CHECK_INT(failed, 6);
	CHECK_INT(link_of(&net, "leaf0->spine1")->fails_ps, 10000 * US);
	CHECK_INT(link_of(&net, "spine1->leaf0#1")->fails_ps, 10000 * US);
	CHECK_INT(link_of(&net, "leaf2->spine3")->fails_ps, TIME_NEVER_PS);
	CHECK_INT(link_of(&net, "leaf2->spine3#1")->fails_ps, US);
	network_free(&net);
	config_lines_free(&c);
}

static void check_fail_refused(const char *line, const char *message)
{
	struct network_config c = config_of("leaf-spine");

	add_line(&c.fails, line);
	check_refused(&c, message);
	config_lines_free(&c);
}

TEST(test_failures_say_what_is_wrong)
{
	check_fail_refused("leaf0 spine1", "network.fail: 'leaf0 spine1': a failure is two nodes and a "
					   "time, as in leaf0 spine1 10ms");
	check_fail_refused("leef0 spine1 1ms", "network.fail: 'leef0 spine1 1ms': there is no node "
					       "'leef0', but h0 to h127, leaf0 to leaf7, spine0 to spine7 "
					       "(nearest: leaf0)");
	check_fail_refused("leaf0 spine9 1ms", "network.fail: 'leaf0 spine9 1ms': there is no node "
					       "'spine9', but h0 to h127, leaf0 to leaf7, spine0 to "
					       "spine7 (nearest: spine7)");
	check_fail_refused("leaf0 leaf1 1ms", "network.fail: 'leaf0 leaf1 1ms': no link from leaf0 to "
					      "leaf1; leaf0 has 24, the first to h0, the last to spine7");
	check_fail_refused("leaf0 spine1#1 1ms", "network.fail: 'leaf0 spine1#1 1ms': no link from leaf0 "
						 "to spine1#1; leaf0 has 24, the first to h0, the last to "
						 "spine7");
	check_fail_refused("leaf0 spine1#x 1ms", "network.fail: 'leaf0 spine1#x 1ms': 'spine1#x': behind "
						 "# stands the number of a parallel link, as in spine1#2");
	check_fail_refused("leaf0 spine1 1", "network.fail: 'leaf0 spine1 1': time: '1' has no unit (ps, "
					     "ns, us, ms, s); allowed: 0s to 1000s");
}

TEST(test_link_find_says_what_is_wrong)
{
	struct network_config star = config_of("star"), graph = config_of("explicit");
	struct network net = build(&star);
	struct error e;

	CHECK_INT(link_find(&net, "sw", &e), -1);
	CHECK_STR(e.text, "'sw' does not name a link; write from->to, as in leaf0->h3");
	CHECK_INT(link_find(&net, "sw->h17", &e), -1);
	CHECK_STR(e.text, "there is no node 'h17', but h0 to h16, sw (nearest: h16)");
	CHECK_INT(link_find(&net, "h1->h2", &e), -1);
	CHECK_STR(e.text, "no link from h1 to h2; h1 has 1, the first to sw, the last to sw");
	network_free(&net);

	add_small_graph(&graph);
	net = build(&graph);
	CHECK_INT(link_find(&net, "s0->s11", &e), -1);
	CHECK_STR(e.text, "no link has a node 's11' (nearest: s1)");
	network_free(&net);
	config_lines_free(&graph);
}
