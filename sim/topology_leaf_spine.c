/* topology_leaf_spine.c -- two tiers of switches: every leaf linked with every spine.
 *
 * leaf-spine has one link from each leaf to each spine, at a rate of its own: the fabric of the
 * marking papers' simulations. fat-tree-2 is told what the fabric must carry instead: each leaf has
 * uplinks for all of its hosts' traffic, divided by the oversubscription, and spreads them evenly
 * over the spines, several parallel links to each where needed. */
#include "sim/topology.h"

enum { LEAVES_MAX = 4096, SPINES_MAX = 1024, HOSTS_PER_LEAF_MAX = 4096, OVERSUBSCRIPTION_MAX = 64 };

#define TWO_TIER_OPTIONS(leaves_, spines_) \
	COUNT_OPTION("leaves", leaves, leaves_, 1, LEAVES_MAX, "switches with hosts"), \
		COUNT_OPTION("spines", spines, spines_, 1, SPINES_MAX, \
			     "switches that link the leaves"), \
		COUNT_OPTION("hosts-per-leaf", hosts_per_leaf, "16", 1, HOSTS_PER_LEAF_MAX, \
			     "hosts on each leaf")

static int two_tier_build(struct network *net, const struct network_config *c, uint32_t parallel,
			  struct error *e)
{
	const struct net_size size = {
		.hosts = c->leaves * c->hosts_per_leaf,
		.switches = c->leaves + c->spines,
		.cables = c->leaves * (c->hosts_per_leaf + c->spines * parallel),
	};
	const struct wire wire = host_wire(c), fabric = fabric_wire(c);
	const uint32_t leaves = (uint32_t)c->leaves, spines = (uint32_t)c->spines;
	const uint32_t hosts = (uint32_t)c->hosts_per_leaf;
	struct net_builder b;
	uint32_t first_spine;

	net->tier_names[1] = "leaf";
	net->tier_names[2] = "spine";
	if (builder_start(&b, net, &size, e))
		return -1;
	net->bisection_bps = c->leaves * c->spines * parallel * fabric.rate_bps / 2;
	net->racks_per_pod = 1;
	for (uint32_t l = 0; l < leaves; l++)
		builder_rack(&b, l * hosts, hosts, &(struct net_node){ .tier = 1, .index = l },
			     &wire);
	first_spine = net->node_count;
	for (uint32_t s = 0; s < spines; s++)
		builder_node(&b, NODE_SWITCH, 2, s);
	for (uint32_t l = 0; l < leaves; l++)
		for (uint32_t s = 0; s < spines; s++)
			for (uint32_t i = 0; i < parallel; i++)
				builder_cable(&b, l * (hosts + 1) + hosts, first_spine + s,
					      &fabric);
	builder_finish(&b);
	return 0;
}

static const struct option leaf_spine_options[] = {
	TWO_TIER_OPTIONS("8", "8"),
	HOST_WIRE_OPTIONS,
	FABRIC_WIRE_OPTIONS,
	{ .name = NULL },
};

static int leaf_spine_build(struct network *net, const struct network_config *c, struct error *e)
{
	return two_tier_build(net, c, 1, e);
}

const struct topology_ops topology_leaf_spine = {
	.name = "leaf-spine",
	.help = "hosts on leaves, one link from each leaf to each spine",
	.options = leaf_spine_options,
	.build = leaf_spine_build,
};

static const struct option fat_tree_2_options[] = {
	TWO_TIER_OPTIONS("4", "4"),
	{ "oversubscription", OPT_FRACTION_Q32,
	  offsetof(struct network_config, oversubscription_q32), "1", ONE_Q32,
	  OVERSUBSCRIPTION_MAX *ONE_Q32,
	  "what a leaf's hosts can send over what its uplinks carry; 1: full bisection", NULL },
	HOST_WIRE_OPTIONS,
	FABRIC_WIRE_OPTIONS,
	{ .name = NULL },
};

/* Links from each leaf to each spine: hosts x rate = oversubscription x spines x links x
 * fabric-rate. Must come out whole, up to the rounding of the oversubscription. */
static int fat_tree_2_build(struct network *net, const struct network_config *c, struct error *e)
{
	double over = (double)c->oversubscription_q32 / (double)ONE_Q32;
	double down_bps = (double)c->hosts_per_leaf * (double)host_wire(c).rate_bps;
	double links = down_bps / over / (double)c->spines / (double)fabric_wire(c).rate_bps;
	double off;

	if (links > SPINES_MAX)
		return error_set(e,
				 "network.fabric-rate: too low: %.6g links from each leaf to each "
				 "spine would be needed; at most %d",
				 links, SPINES_MAX);
	off = links - (double)(uint32_t)(links + 0.5);
	if (links < 0.5 || off > 1e-6 || off < -1e-6)
		return error_set(
			e,
			"network.oversubscription: %.6g gives %.6g links from each leaf to "
			"each spine; hosts-per-leaf x rate / (oversubscription x spines x "
			"fabric-rate) must be a whole number above 0",
			over, links);
	return two_tier_build(net, c, (uint32_t)(links + 0.5), e);
}

const struct topology_ops topology_fat_tree_2 = {
	.name = "fat-tree-2",
	.help = "two-level fat tree: each leaf's uplinks carry its hosts' traffic divided by the "
		"oversubscription and are spread evenly, in parallel links, over the spines",
	.options = fat_tree_2_options,
	.build = fat_tree_2_build,
};
