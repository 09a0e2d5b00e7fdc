/* SPDX-License-Identifier: BSD-3-Clause */
/* world.h -- a config with the network, routes and flows made of it, for tests of these. */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H
#include "sim/net/route.h"
#include "sim/traffic/traffic.h"
#include "tests/own_keys.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

#define US ((int64_t)WEIR_PS_PER_NS * WEIR_NS_PER_US)
#define MS ((int64_t)WEIR_PS_PER_NS * WEIR_NS_PER_MS)
#define GBPS UINT64_C(1000000000)

struct world {
	struct config c;
	struct network net;
	struct route_table *routes;
	struct flow_list list;
};

/* No traffic yet, and the defaults of the topology. */
static inline struct world world_of(const char *topology)
{
	struct weir_error e;
	struct world w;

	memset(&w, 0, sizeof(w));
	config_init(&w.c);
	snprintf(w.c.network.topology, sizeof(w.c.network.topology), "%s", topology);
	topology_choose(&w.c.network, topology_find(topology, &e));
	if (strcmp(topology, "hpcc") == 0)
		strcpy(network_text(&w.c.network, "file"), "tests/import/topology.txt");
	return w;
}

static inline void world_end(struct world *w)
{
	flow_list_free(&w->list);
	route_table_free(w->routes);
	network_free(&w->net);
	config_free(&w->c);
}

static inline void world_link(struct world *w, const char *text)
{
	line_list_add(&w->c.network.links, text, 0);
}

static inline void world_fail(struct world *w, const char *text)
{
	line_list_add(&w->c.network.fails, text, 0);
}

/* Two hosts on two switches with two parallel links between. */
static inline void world_small_graph(struct world *w)
{
	world_link(w, "h0 s0 10Gbps 1us");
	world_link(w, "s0 s1 40Gbps 2us");
	world_link(w, "s1 h1 10Gbps 3us");
	world_link(w, "s1  s0\t40Gbps 2us");
}

/* Makes the network, anew where it was made before. */
static inline void world_network(struct world *w)
{
	struct weir_error e = { "" };

	network_free(&w->net);
	if (network_build(&w->net, &w->c.network, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

static inline void world_routes(struct world *w)
{
	struct weir_error e = { "" };

	world_network(w);
	if (route_table_new(&w->routes, &w->net, (int64_t)w->c.network.reroute_delay_ps, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* Another section, with the defaults of its pattern. Earlier ones move. */
static inline struct traffic_config *world_traffic(struct world *w, const char *name,
						   const char *pattern)
{
	struct traffic_config *t = config_add_traffic(&w->c, name);
	struct weir_error e;

	CHECK(t != NULL);
	snprintf(t->pattern, sizeof(t->pattern), "%s", pattern);
	traffic_choose(t, traffic_find(pattern, &e));
	return t;
}

/* A world of one section, called x. */
static inline struct traffic_config *world_start(struct world *w, const char *topology,
						 const char *pattern)
{
	*w = world_of(topology);
	return world_traffic(w, "x", pattern);
}

static inline void traffic_set(struct traffic_config *t, const char *key, const char *value)
{
	const struct weir_option *own = weir_option_find(t->ops->scheme.options, key);
	const struct weir_option *o = own ? own : weir_option_find(traffic_options, key);
	struct weir_error e;

	CHECK(o != NULL);
	if (weir_option_parse(own ? (void *)t->params : t, o, value, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* The network is refused with that message. */
static inline void check_network_refused(struct world *w, const char *message)
{
	struct weir_error e = { "" };

	network_free(&w->net);
	CHECK_INT(network_build(&w->net, &w->c.network, &e), -1);
	CHECK_STR(e.text, message);
	CHECK(w->net.nodes == NULL);
}

/* Makes network and flows, anew where they were made before. */
static inline void world_flows(struct world *w)
{
	struct weir_error e = { "" };

	flow_list_free(&w->list);
	world_network(w);
	if (traffic_generate(&w->list, &w->c, &w->net, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
}

/* The flows are refused with that message. Ends the world. */
static inline void check_traffic_refused(struct world *w, const char *message)
{
	struct weir_error e = { "" };

	world_network(w);
	CHECK_INT(traffic_generate(&w->list, &w->c, &w->net, &e), -1);
	CHECK_STR(e.text, message);
	CHECK(w->list.flows == NULL);
	world_end(w);
}

static inline int world_has_link(const struct world *w, const char *name)
{
	struct weir_error e;

	return link_find(&w->net, name, &e) >= 0;
}

static inline void check_node_name(const struct world *w, uint32_t node, const char *name)
{
	char buffer[64];

	CHECK_STR(node_name(&w->net, node, buffer, sizeof(buffer)), name);
}

static inline uint32_t world_link_number(const struct world *w, const char *name)
{
	struct weir_error e;
	int64_t l = link_find(&w->net, name, &e);

	if (l < 0)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	return (uint32_t)l;
}

static inline const struct net_link *world_link_of(const struct world *w, const char *name)
{
	return &w->net.links[world_link_number(w, name)];
}
#endif
