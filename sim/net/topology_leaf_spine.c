/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_leaf_spine.c -- topologies leaf-spine and fat-tree-2: two tiers, every leaf linked with
 * every spine.
 *
 * leaf-spine has one link from each leaf to each spine, at a rate of its own: the fabric of the
 * marking papers' simulations. fat-tree-2 is given the traffic that the fabric must carry: each
 * leaf has uplinks for the rate of all its hosts divided by the oversubscription, spread evenly
 * over the spines, as parallel links where needed.
 *
 * A host's NIC is the host's end of its link, with a queue where host.nic has one. Where the NIC is
 * to have the scheduler, buffer and marking of a switch, nic-rate gives every host of leaf-spine a
 * switch of its own. */
#include "sim/net/topology.h"

enum { LEAVES_MAX = 4096, SPINES_MAX = 1024, HOSTS_PER_LEAF_MAX = 4096 };

#define OVERSUBSCRIPTION_MAX_Q32 (64 * WEIR_ONE_Q32)

struct leaf_spine_params {
	uint64_t leaves, spines, hosts_per_leaf;
	uint64_t nic_rate_bps; /* leaf-spine: rate from a host to a switch of its own; 0: none */
	uint64_t oversubscription_q32; /* fat-tree-2: rate of a leaf's hosts over its uplinks */
	struct tier_wires wires;
};

#define AT(member) offsetof(struct leaf_spine_params, member)

#define TWO_TIER_OPTIONS(leaves_, spines_) \
	COUNT_OPTION("leaves", leaves, leaves_, 1, LEAVES_MAX, "leaf switches"), \
		COUNT_OPTION("spines", spines, spines_, 1, SPINES_MAX, "spine switches"), \
		COUNT_OPTION("hosts-per-leaf", hosts_per_leaf, "16", 1, HOSTS_PER_LEAF_MAX, \
			     "hosts on each leaf")

/* Adds hosts and leaves; fills in leaf[] with the nodes of the leaves. */
static void leaf_spine_add_racks(struct net_builder *b, const struct leaf_spine_params *p,
				 uint32_t *leaf)
{
	const uint32_t hosts = (uint32_t)p->hosts_per_leaf;
	const struct wire wire = host_wire(&p->wires);

	for (uint32_t l = 0; l < p->leaves; l++)
		leaf[l] = builder_rack(b, l * hosts, hosts,
				       &(struct net_node){ .tier = 1, .index = l }, &wire);
}

/* Adds hosts, a NIC switch for each (a rack of one), and then the leaves. */
static void leaf_spine_add_nics(struct net_builder *b, const struct leaf_spine_params *p,
				uint32_t *leaf)
{
	const uint32_t hosts = (uint32_t)(p->leaves * p->hosts_per_leaf);
	const struct wire wire = host_wire(&p->wires);
	const struct wire inside = { p->nic_rate_bps, fabric_wire(&p->wires).delay_ps };
	uint32_t first_node = b->net->node_count;

	for (uint32_t h = 0; h < hosts; h++)
		builder_rack(b, h, 1, &(struct net_node){ .tier = 1, .index = h }, &inside);
	for (uint32_t l = 0; l < p->leaves; l++)
		leaf[l] = builder_node(b, NODE_SWITCH, 2, l);
	for (uint32_t h = 0; h < hosts; h++)
		builder_cable(b, first_node + 2 * h + 1, leaf[h / p->hosts_per_leaf], &wire);
	b->net->access_bps = wire.rate_bps;
	b->net->racks_per_pod = (uint32_t)p->hosts_per_leaf;
}

static int leaf_spine_build_tiers(struct network *net, const struct leaf_spine_params *p,
				  uint32_t parallel, struct weir_error *e)
{
	const uint64_t hosts = p->leaves * p->hosts_per_leaf, nics = p->nic_rate_bps ? hosts : 0;
	const struct net_size size = {
		.hosts = hosts,
		.switches = nics + p->leaves + p->spines,
		.cables = nics + hosts + p->leaves * p->spines * parallel,
	};
	const struct wire fabric = fabric_wire(&p->wires);
	uint32_t leaf[LEAVES_MAX], tier = nics ? 2 : 1;
	struct net_builder b;

	if (nics)
		net->tier_names[1] = "card";
	net->tier_names[tier] = "leaf";
	net->tier_names[tier + 1] = "spine";
	if (builder_start(&b, net, &size, e))
		return -1;
	net->bisection_bps = p->leaves * p->spines * parallel * fabric.rate_bps / 2;
	net->racks_per_pod = 1;
	if (nics)
		leaf_spine_add_nics(&b, p, leaf);
	else
		leaf_spine_add_racks(&b, p, leaf);
	for (uint32_t s = 0; s < p->spines; s++) {
		uint32_t spine = builder_node(&b, NODE_SWITCH, (uint8_t)(tier + 1), s);

		for (uint32_t l = 0; l < p->leaves; l++)
			for (uint32_t i = 0; i < parallel; i++)
				builder_cable(&b, leaf[l], spine, &fabric);
	}
	builder_finish(&b);
	return 0;
}

static const struct weir_option leaf_spine_options[] = {
	TWO_TIER_OPTIONS("8", "8"),
	HOST_WIRE_OPTIONS,
	FABRIC_WIRE_OPTIONS,
	RATE_OPTION("nic-rate", nic_rate_bps, NULL,
		    "NIC with a switch port: each host sends at this rate to a switch of its own "
		    "(card0 for h0), from which the link to the leaf starts, at rate, with the "
		    "queues, buffer and marking of a switch; not given: the host's end of its link "
		    "is host.nic"),
	{ .name = NULL },
};

static int leaf_spine_build(struct network *net, const struct network_config *c,
			    struct weir_error *e)
{
	const struct leaf_spine_params *p = (const void *)c->params;

	return leaf_spine_build_tiers(net, p, 1, e);
}

const struct topology_ops topology_leaf_spine = {
	.scheme = {
		.name = "leaf-spine",
		.help = "hosts on leaves, one link from each leaf to each spine",
		.params_size = sizeof(struct leaf_spine_params),
		.options = leaf_spine_options,
	},
	.build = leaf_spine_build,
};

static const struct weir_option fat_tree_2_options[] = {
	TWO_TIER_OPTIONS("4", "4"),
	{ "oversubscription", WEIR_OPT_FRACTION_Q32, AT(oversubscription_q32), "1", WEIR_ONE_Q32,
	  OVERSUBSCRIPTION_MAX_Q32,
	  "oversubscription of a leaf: host bandwidth / uplink bandwidth; 1: full bisection",
	  NULL },
	HOST_WIRE_OPTIONS,
	FABRIC_WIRE_OPTIONS,
	{ .name = NULL },
};

/* Parallel links from each leaf to each spine, from
 *	hosts x rate = oversubscription x spines x links x fabric-rate
 * They must be a whole number, up to the rounding of the oversubscription. */
static int fat_tree_2_build(struct network *net, const struct network_config *c,
			    struct weir_error *e)
{
	const struct leaf_spine_params *p = (const void *)c->params;
	double over = (double)p->oversubscription_q32 / (double)WEIR_ONE_Q32;
	double down_bps = (double)p->hosts_per_leaf * (double)host_wire(&p->wires).rate_bps;
	double links =
		down_bps / over / (double)p->spines / (double)fabric_wire(&p->wires).rate_bps;
	double off;

	if (links > SPINES_MAX)
		return weir_error_set(
			e,
			"network.fabric-rate: too low: %.6g links from each leaf to each "
			"spine would be needed; at most %d",
			links, SPINES_MAX);
	off = links - (double)(uint32_t)(links + 0.5);
	if (links < 0.5 || off > 1e-6 || off < -1e-6)
		return weir_error_set(
			e,
			"network.oversubscription: %.6g gives %.6g links from each leaf to "
			"each spine; hosts-per-leaf x rate / (oversubscription x spines x "
			"fabric-rate) must be a whole number above 0",
			over, links);
	return leaf_spine_build_tiers(net, p, (uint32_t)(links + 0.5), e);
}

const struct topology_ops topology_fat_tree_2 = {
	.scheme = {
		.name = "fat-tree-2",
		.help = "two-level fat tree: the uplinks of a leaf have its hosts' bandwidth "
			"divided by the oversubscription, spread evenly over the spines in "
			"parallel links",
		.params_size = sizeof(struct leaf_spine_params),
		.options = fat_tree_2_options,
	},
	.build = fat_tree_2_build,
};
