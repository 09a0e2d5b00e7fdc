/* SPDX-License-Identifier: BSD-3-Clause */
/* test_route.c -- paths are shortest, the register leads along them, equals get equal shares. */
#include "tests/world.h"
#include "weir/rng.h"
#include <stdlib.h>

/* The routes are refused with that message. Ends the world. */
static void check_refused(struct world *w, const char *message)
{
	struct weir_error e = { "" };

	world_network(w);
	CHECK_INT(route_table_new(&w->routes, &w->net, (int64_t)w->c.network.reroute_delay_ps, &e),
		  -1);
	CHECK_STR(e.text, message);
	CHECK(w->routes == NULL);
	world_end(w);
}

/* --- every pair of every topology --- */

/* Reference: the number of links between every two nodes, by Floyd and Warshall's algorithm. */
static uint32_t *all_distances(const struct network *net)
{
	size_t n = net->node_count;
	uint32_t *d = malloc(n * n * sizeof(*d));

	for (size_t i = 0; i < n * n; i++)
		d[i] = i % (n + 1) == 0 ? 0 : 10000;
	for (uint32_t l = 0; l < net->link_count; l++)
		d[net->links[l].from * n + net->links[l].to] = 1;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				if (d[i * n + k] + d[k * n + j] < d[i * n + j])
					d[i * n + j] = d[i * n + k] + d[k * n + j];
	return d;
}

/* Follows the register from switch to switch, as packets do. */
static void check_register(const struct network *net, const struct route *r, uint32_t to_host)
{
	uint32_t node = net->links[r->links[0]].to;
	uint64_t path = r->path;

	for (uint32_t i = 1; i < r->hops; i++) {
		const struct net_node *n = &net->nodes[node];
		uint32_t bits = node_route_bits(n);
		uint32_t link = n->first_link + (uint32_t)(path & ((UINT64_C(1) << bits) - 1));

		CHECK_INT(n->kind, NODE_SWITCH);
		CHECK_INT(link, r->links[i]);
		node = net->links[link].to;
		path >>= bits;
	}
	CHECK_INT(node, net->host_node[to_host]);
	CHECK_INT(path, 0);
}

static void check_all_pairs(const struct world *w)
{
	const struct network *net = &w->net;
	uint32_t *distance = all_distances(net);
	struct weir_rng rng = weir_rng_make(1, 0, WEIR_RNG_TEST);
	struct route r;

	for (uint32_t a = 0; a < net->host_count; a++)
		for (uint32_t b = 0; b < net->host_count; b++) {
			uint32_t from = net->host_node[a], to = net->host_node[b];

			if (a == b)
				continue;
			route_find(w->routes, a, b, weir_rng_u64(&rng), 0, &r);
			CHECK_INT(r.found, 1);
			CHECK_INT(r.links[0], net->nodes[from].first_link);
			CHECK_INT(r.hops, distance[(size_t)from * net->node_count + to]);
			CHECK_INT(r.until_ps, WEIR_TIME_NEVER_PS);
			check_register(net, &r, b);
		}
	free(distance);
}

TEST(test_register_leads_along_a_shortest_path_in_every_topology)
{
	for (size_t i = 0; topology_all[i]; i++) {
		struct world w = world_of(topology_all[i]->scheme.name);

		/* Small enough for the reference. */
		if (weir_option_find(topology_all[i]->scheme.options, "hosts-per-leaf"))
			*network_number(&w.c.network, "hosts-per-leaf") = 4;
		if (strcmp(topology_all[i]->scheme.name, "explicit") == 0) {
			world_link(&w, "h0 a 10Gbps 1us");
			world_link(&w, "h1 d 10Gbps 1us");
			world_link(&w, "h2 e 10Gbps 1us");
			world_link(&w, "a b 10Gbps 1us");
			world_link(&w, "b d 10Gbps 1us");
			world_link(&w, "a c 10Gbps 1us");
			world_link(&w, "c d 10Gbps 1us");
			world_link(&w, "d e 10Gbps 1us");
			world_link(&w, "d e 10Gbps 1us");
		}
		world_routes(&w);
		check_all_pairs(&w);
		world_end(&w);
	}
}

TEST(test_fat_tree_paths_have_two_four_or_six_links)
{
	struct world w = world_of("fat-tree");
	struct route r;

	*network_number(&w.c.network, "k") = 64; /* 32 hosts a rack, 1024 a pod */
	world_routes(&w);
	route_find(w.routes, 0, 31, 5, 0, &r);
	CHECK_INT(r.hops, 2);
	route_find(w.routes, 0, 32, 5, 0, &r);
	CHECK_INT(r.hops, 4);
	route_find(w.routes, 1023, 1024, 5, 0, &r);
	CHECK_INT(r.hops, 6);
	check_register(&w.net, &r, 1024);
	route_find(w.routes, 65535, 0, 5, 0, &r);
	CHECK_INT(r.hops, 6);
	check_register(&w.net, &r, 0);
	world_end(&w);
}

TEST(test_path_of_the_worked_example)
{
	struct world w = world_of("leaf-spine");
	struct route r;
	uint64_t up;

	*network_number(&w.c.network, "leaves") = *network_number(&w.c.network, "spines") = 2;
	*network_number(&w.c.network, "hosts-per-leaf") =
		3; /* a leaf has ports 0-2 down, 3-4 up: 3 bits; a spine 0-1: 1 bit */
	world_routes(&w);
	route_find(w.routes, 1, 5, 77, 0, &r);
	up = r.path & 7;
	CHECK(up == 3 || up == 4);
	CHECK_INT(r.path, up | 1 << 3 | 2 << 4);
	CHECK_INT(r.hops, 4);
	CHECK_INT(r.links[0], world_link_number(&w, "h1->leaf0"));
	CHECK_INT(r.links[1], world_link_number(&w, up == 3 ? "leaf0->spine0" : "leaf0->spine1"));
	CHECK_INT(r.links[3], world_link_number(&w, "leaf1->h5"));
	world_end(&w);
}

/* --- choice --- */

TEST(test_same_hash_takes_the_same_path)
{
	struct world w = world_of("fat-tree");
	struct route r, again;

	world_routes(&w);
	for (uint64_t hash = 0; hash < 100; hash++) {
		route_find(w.routes, 0, 15, hash, 0, &r);
		route_find(w.routes, 0, 15, hash, 5 * MS, &again);
		CHECK(r.path == again.path);
	}
	world_end(&w);
}

/* How often each link carries one of count flows from host a to b. */
static uint32_t *count_links(const struct world *w, uint32_t a, uint32_t b, uint32_t count)
{
	uint32_t *used = calloc(w->net.link_count, sizeof(*used));
	struct weir_rng rng = weir_rng_make(7, 0, WEIR_RNG_TEST);
	struct route r;

	for (uint32_t i = 0; i < count; i++) {
		route_find(w->routes, a, b, weir_rng_u64(&rng), 0, &r);
		for (uint32_t h = 0; h < r.hops; h++)
			used[r.links[h]]++;
	}
	return used;
}

/* Expected mean, with five standard deviations of a binomial of that many. */
static void check_share(uint32_t used, uint32_t of, uint32_t among)
{
	double p = 1.0 / among, variance = of * p * (1 - p);

	CHECK((used - of * p) * (used - of * p) < 25 * variance);
}

TEST(test_every_spine_gets_its_share)
{
	struct world w = world_of("leaf-spine");
	uint32_t *used;

	world_routes(&w);
	used = count_links(&w, 0, 127, 16000);
	for (uint32_t s = 0; s < 8; s++) {
		char name[32];

		snprintf(name, sizeof(name), "leaf0->spine%u", s);
		check_share(used[world_link_number(&w, name)], 16000, 8);
	}
	free(used);
	world_end(&w);
}

TEST(test_parallel_links_count_each)
{
	struct world w = world_of("explicit");
	uint32_t *used;

	world_link(&w, "h0 a 10Gbps 1us");
	world_link(&w, "h1 d 10Gbps 1us");
	world_link(&w, "a b 10Gbps 1us");
	world_link(&w, "a b 10Gbps 1us");
	world_link(&w, "a c 10Gbps 1us");
	world_link(&w, "b d 10Gbps 1us");
	world_link(&w, "c d 10Gbps 1us");
	world_routes(&w);
	used = count_links(&w, 0, 1, 9000);
	check_share(used[world_link_number(&w, "a->b")], 9000, 3);
	check_share(used[world_link_number(&w, "a->b#1")], 9000, 3);
	check_share(used[world_link_number(&w, "a->c")], 9000, 3);
	free(used);
	world_end(&w);
}

TEST(test_switches_choose_independently_of_each_other)
{
	struct world w = world_of("fat-tree");
	uint32_t *used;

	*network_number(&w.c.network, "k") = 8;
	world_routes(&w);
	/* From pod 0 to pod 7: 4 aggs, each with 4 cores; each of the 16 paths as likely. */
	used = count_links(&w, 0, 127, 16000);
	for (uint32_t core = 0; core < 16; core++) {
		char name[32];

		snprintf(name, sizeof(name), "agg%u->core%u", core / 4, core);
		check_share(used[world_link_number(&w, name)], 16000, 16);
	}
	free(used);
	world_end(&w);
}

/* --- failures --- */

TEST(test_flows_leave_a_failed_link_after_the_reroute_delay)
{
	struct world w = world_of("leaf-spine");
	uint32_t up;
	uint32_t before = 0;
	struct route r;

	*network_number(&w.c.network, "leaves") = *network_number(&w.c.network, "spines") = 2;
	w.c.network.reroute_delay_ps = (uint64_t)MS;
	world_fail(&w, "leaf0 spine1 10ms");
	world_fail(&w, "leaf1 spine0 20ms");
	world_routes(&w);
	up = world_link_number(&w, "leaf0->spine1");
	for (uint64_t hash = 0; hash < 64; hash++) {
		route_find(w.routes, 0, 20, hash, 11 * MS - 1, &r);
		before += r.links[1] == up;
		CHECK_INT(r.until_ps, 11 * MS);
		route_find(w.routes, 0, 20, hash, 11 * MS, &r);
		CHECK_INT(r.found, 1);
		CHECK(r.links[1] != up);
		CHECK_INT(r.until_ps, 21 * MS);
		/* The way back uses the same cable, so it has failed too. */
		route_find(w.routes, 20, 0, hash, 11 * MS, &r);
		CHECK(r.links[2] != w.net.links[up].reverse);
		/* leaf0 has only spine0 left, leaf1 only spine1. */
		route_find(w.routes, 0, 20, hash, 21 * MS, &r);
		CHECK_INT(r.found, 0);
		CHECK_INT(r.until_ps, WEIR_TIME_NEVER_PS);
	}
	CHECK(before > 16 && before < 48);
	world_end(&w);
}

TEST(test_host_is_unreachable_once_its_own_link_has_failed)
{
	struct world w = world_of("star");
	struct route r;

	world_fail(&w, "h3 sw 1ms");
	world_routes(&w);
	route_find(w.routes, 3, 4, 0, MS - 1, &r);
	CHECK_INT(r.found, 1);
	route_find(w.routes, 3, 4, 0, MS, &r);
	CHECK_INT(r.found, 0);
	route_find(w.routes, 4, 3, 0, MS, &r);
	CHECK_INT(r.found, 0);
	route_find(w.routes, 4, 5, 0, MS, &r);
	CHECK_INT(r.found, 1);
	world_end(&w);
}

TEST(test_network_in_pieces_is_refused)
{
	struct world w = world_of("explicit");

	world_link(&w, "h0 a 10Gbps 1us");
	world_link(&w, "h1 a 10Gbps 1us");
	world_link(&w, "h2 b 10Gbps 1us");
	check_refused(&w, "network.topology: there is no path from h0 to h2");

	w = world_of("star");
	world_fail(&w, "h3 sw 0us");
	check_refused(&w,
		      "network.topology: there is no path from h0 to h3: its link fails at once");

	w = world_of("star");
	world_fail(&w, "h0 sw 0us");
	check_refused(&w,
		      "network.topology: there is no path from h1 to h0: its link fails at once");
}

/* --- limits --- */

/* A row of switches s0 to s(n-1) with h0 on the first and h1 on the last. */
static struct world row_of(uint32_t switches)
{
	struct world w = world_of("explicit");
	char line[64];

	world_link(&w, "h0 s0 10Gbps 1us");
	snprintf(line, sizeof(line), "h1 s%u 10Gbps 1us", switches - 1);
	world_link(&w, line);
	for (uint32_t i = 1; i < switches; i++) {
		snprintf(line, sizeof(line), "s%u s%u 10Gbps 1us", i - 1, i);
		world_link(&w, line);
	}
	return w;
}

static void add_hosts(struct world *w, uint32_t first, uint32_t count, const char *top)
{
	char line[64];

	for (uint32_t i = first; i < first + count; i++) {
		snprintf(line, sizeof(line), "h%u %s 10Gbps 1us", i, top);
		world_link(w, line);
	}
}

TEST(test_longest_path_has_32_links)
{
	struct world w = row_of(31);
	struct route r;

	world_routes(&w);
	route_find(w.routes, 0, 1, 0, 0, &r);
	CHECK_INT(r.hops, ROUTE_HOPS_MAX);
	check_register(&w.net, &r, 1);
	world_end(&w);
	w = row_of(32);
	check_refused(&w, "network.topology: some path between hosts "
			  "takes 33 links; allowed are at most 32");
}

TEST(test_longest_path_has_64_bits)
{
	struct world w = row_of(11);
	struct route r;

	/* One switch of 66 ports takes 7 bits, the ten others 1 each: fits, though 77 would not. */
	add_hosts(&w, 2, 64, "s5");
	world_routes(&w);
	route_find(w.routes, 0, 1, 0, 0, &r);
	check_register(&w.net, &r, 1);
	world_end(&w);

	/* Ten switches of 66 ports; the last, with its 65, takes 7 as well. */
	w = row_of(10);
	for (uint32_t i = 0; i < 10; i++) {
		char top[16];

		snprintf(top, sizeof(top), "s%u", i);
		add_hosts(&w, 2 + 64 * i, 64, top);
	}
	check_refused(
		&w,
		"network.topology: some path between hosts takes 70 bits to number the ports of "
		"its switches; allowed are at most 64");
}

TEST(test_detour_after_a_failure_must_fit_too)
{
	struct world w = row_of(32);

	world_link(&w, "s0 s31 10Gbps 1us"); /* a ring: one step instead of 31 */
	world_fail(&w, "s0 s31 2ms");
	check_refused(
		&w, "network.fail: with the links left at 0.002 s some path between hosts takes 33 "
		    "links; allowed are at most 32");
}
