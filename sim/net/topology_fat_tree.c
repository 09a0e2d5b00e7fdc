/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_fat_tree.c -- topology fat-tree: three levels of k-port switches.
 *
 * Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM
 * 2008, section 3: k pods of k/2 edge and k/2 aggregation switches, k/2 hosts on each edge switch,
 * (k/2)^2 core switches. Aggregation switch j of every pod is linked with cores j k/2 to
 * (j+1) k/2 - 1. */
#include "sim/net/topology.h"
#include <inttypes.h>

enum { TIER_EDGE = 1, TIER_AGG = 2, TIER_CORE = 3, K_MAX = 256 };

struct fat_tree_params {
	uint64_t k;
	struct tier_wires wires;
};

#define AT(member) offsetof(struct fat_tree_params, member)
static const struct weir_option fat_tree_options[] = {
	COUNT_OPTION("k", k, "4", 2, K_MAX, "ports of every switch, an even number; k^3/4 hosts"),
	HOST_WIRE_OPTIONS,
	RATE_OPTION("fabric-rate", wires.fabric_rate_bps, NULL,
		    "rate of the links between edge and aggregation; as rate unless given"),
	DELAY_OPTION(
		"fabric-delay", wires.fabric_delay_ps, NULL, 1,
		"one-way delay of the links between edge and aggregation, above zero; as delay "
		"unless given"),
	RATE_OPTION("core-rate", wires.core_rate_bps, NULL,
		    "rate of the links between aggregation and core; as fabric-rate unless given"),
	DELAY_OPTION("core-delay", wires.core_delay_ps, NULL, 1,
		     "one-way delay of the links between aggregation and core, above zero; as "
		     "fabric-delay unless given"),
	{ .name = NULL },
};

/* Node order: the racks of all pods, the aggregation switches pod by pod, the core switches. */
static void fat_tree_add_cables(struct net_builder *b, uint32_t k, const struct wire *fabric,
				const struct wire *core)
{
	const uint32_t half = k / 2, edges = k * half;
	const uint32_t first_agg = edges * (half + 1), first_core = first_agg + edges;

	for (uint32_t edge = 0; edge < edges; edge++)
		for (uint32_t j = 0; j < half; j++)
			builder_cable(b, edge * (half + 1) + half,
				      first_agg + edge / half * half + j, fabric);
	for (uint32_t agg = 0; agg < edges; agg++)
		for (uint32_t i = 0; i < half; i++)
			builder_cable(b, first_agg + agg, first_core + agg % half * half + i, core);
}

static int fat_tree_build(struct network *net, const struct network_config *c, struct weir_error *e)
{
	const struct fat_tree_params *p = (const void *)c->params;
	const uint32_t k = (uint32_t)p->k, half = k / 2, edges = k * half;
	const struct net_size size = {
		.hosts = (uint64_t)edges * half,
		.switches = (uint64_t)edges * 2 + (uint64_t)half * half,
		.cables = (uint64_t)edges * half * 3,
	};
	const struct wire wire = host_wire(&p->wires), fabric = fabric_wire(&p->wires),
			  core = core_wire(&p->wires);
	struct net_builder b;

	if (p->k % 2 != 0)
		return weir_error_set(e,
				      "network.k: %" PRIu64
				      " is odd; half of a switch's ports go up "
				      "and half down, so k must be even",
				      p->k);
	net->tier_names[TIER_EDGE] = "edge";
	net->tier_names[TIER_AGG] = "agg";
	net->tier_names[TIER_CORE] = "core";
	if (builder_start(&b, net, &size, e))
		return -1;
	net->bisection_bps = (uint64_t)edges * half * core.rate_bps / 2;
	net->racks_per_pod = half;
	for (uint32_t i = 0; i < edges; i++)
		builder_rack(&b, i * half, half,
			     &(struct net_node){ .tier = TIER_EDGE, .index = i }, &wire);
	for (uint32_t i = 0; i < edges; i++)
		builder_node(&b, NODE_SWITCH, TIER_AGG, i);
	for (uint32_t i = 0; i < half * half; i++)
		builder_node(&b, NODE_SWITCH, TIER_CORE, i);
	fat_tree_add_cables(&b, k, &fabric, &core);
	builder_finish(&b);
	return 0;
}

const struct topology_ops topology_fat_tree = {
	.scheme = {
		.name = "fat-tree",
		.help = "three levels of k-port switches: edge, agg and core, with k^3/4 hosts "
			"(Al-Fares et al., SIGCOMM 2008)",
		.params_size = sizeof(struct fat_tree_params),
		.options = fat_tree_options,
	},
	.build = fat_tree_build,
};
