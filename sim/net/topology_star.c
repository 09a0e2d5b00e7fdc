/* SPDX-License-Identifier: BSD-3-Clause */
/* topology_star.c -- topologies star, hosts on one switch, and dumbbell, hosts on two switches with
 * one link between them.
 *
 * The networks of single-bottleneck studies: in a star the bottleneck is the receiver's link, in a
 * dumbbell the link in the middle. */
#include "sim/net/topology.h"

enum { STAR_HOSTS_MAX = 1 << 16 };

struct star_params {
	uint64_t hosts;                   /* star */
	uint64_t left_hosts, right_hosts; /* dumbbell */
	struct tier_wires wires;
};

#define AT(member) offsetof(struct star_params, member)

static const struct weir_option star_options[] = {
	COUNT_OPTION("hosts", hosts, "17", 2, STAR_HOSTS_MAX, "hosts on the one switch"),
	HOST_WIRE_OPTIONS,
	{ .name = NULL },
};

static int star_build(struct network *net, const struct network_config *c, struct weir_error *e)
{
	const struct star_params *p = (const void *)c->params;
	const struct net_size size = { .hosts = p->hosts, .switches = 1, .cables = p->hosts };
	const struct net_node sw = { .tier = 1, .index = NODE_ALONE };
	const struct wire wire = host_wire(&p->wires);
	struct net_builder b;

	net->tier_names[1] = "sw";
	if (builder_start(&b, net, &size, e))
		return -1;
	builder_rack(&b, 0, (uint32_t)p->hosts, &sw, &wire);
	builder_finish(&b);
	return 0;
}

const struct topology_ops topology_star = {
	.scheme = {
		.name = "star",
		.help = "hosts h0, h1, ... on one switch, sw",
		.params_size = sizeof(struct star_params),
		.options = star_options,
	},
	.build = star_build,
};

static const struct weir_option dumbbell_options[] = {
	COUNT_OPTION("left-hosts", left_hosts, "16", 1, STAR_HOSTS_MAX, "hosts on the left switch"),
	COUNT_OPTION("right-hosts", right_hosts, "16", 1, STAR_HOSTS_MAX,
		     "hosts on the right switch; their numbers follow those of the left"),
	HOST_WIRE_OPTIONS,
	RATE_OPTION("fabric-rate", wires.fabric_rate_bps, NULL,
		    "rate of the link between the two switches; as rate unless given"),
	DELAY_OPTION("fabric-delay", wires.fabric_delay_ps, NULL, 1,
		     "one-way delay of the link between the two "
		     "switches, above zero; as delay unless given"),
	{ .name = NULL },
};

static int dumbbell_build(struct network *net, const struct network_config *c, struct weir_error *e)
{
	const struct star_params *p = (const void *)c->params;
	const struct net_size size = {
		.hosts = p->left_hosts + p->right_hosts,
		.switches = 2,
		.cables = p->left_hosts + p->right_hosts + 1,
	};
	const struct net_node left = { .tier = 1, .index = NODE_ALONE };
	const struct net_node right = { .tier = 2, .index = NODE_ALONE };
	const struct wire wire = host_wire(&p->wires), middle = fabric_wire(&p->wires);
	struct net_builder b;
	uint32_t left_node, right_node;

	net->tier_names[1] = "left";
	net->tier_names[2] = "right";
	net->bisection_bps = middle.rate_bps;
	net->racks_per_pod = 1;
	if (builder_start(&b, net, &size, e))
		return -1;
	left_node = builder_rack(&b, 0, (uint32_t)p->left_hosts, &left, &wire);
	right_node =
		builder_rack(&b, (uint32_t)p->left_hosts, (uint32_t)p->right_hosts, &right, &wire);
	builder_cable(&b, left_node, right_node, &middle);
	builder_finish(&b);
	return 0;
}

const struct topology_ops topology_dumbbell = {
	.scheme = {
		.name = "dumbbell",
		.help = "hosts on two switches, left and right, with one link between them",
		.params_size = sizeof(struct star_params),
		.options = dumbbell_options,
	},
	.build = dumbbell_build,
};
