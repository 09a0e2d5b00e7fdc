/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h -- how a topology lays out its network; for sim/net/topology_*.c and network.c only.
 *
 * A topology starts a builder with the numbers of nodes and cables it is going to add, adds the
 * nodes in their final order and the cables in any order, and finishes. A node's egress ports are
 * in the order its cables were added. */
#ifndef SIM_NET_TOPOLOGY_H
#define SIM_NET_TOPOLOGY_H
#include "sim/net/network.h"
#include "weir/units.h"

/* Limits of what may be built, a fat-tree of k=256: 2^20 hosts take about two gigabytes before the
 * first packet. */
enum { HOSTS_MAX = 1 << 22, NODES_MAX = 1 << 23, CABLES_MAX = 1 << 24 };

#define ZERO_DELAY_REASON \
	"a link needs a delay above zero, since nodes work ahead of each other by the shortest " \
	"one"

/* Every topology's tier 0. */
#define HOST_TIER_NAME "h"

struct wire {
	uint64_t rate_bps;
	int64_t delay_ps;
};

struct cable {
	uint32_t a, b;
	struct wire wire;
};

struct net_builder {
	struct network *net;
	struct cable *cables;
	uint32_t nodes_max, cables_max;
	uint32_t cable_count;
};

/* How large a network is going to be; 64 bits so that products of options cannot overflow. */
struct net_size {
	uint64_t hosts, switches, cables;
};

int builder_start(struct net_builder *b, struct network *net, const struct net_size *size,
		  struct weir_error *e);
/* Returns the node. index is NODE_ALONE for a switch that its tier's name names. */
uint32_t builder_node(struct net_builder *b, enum node_kind kind, uint8_t tier, uint32_t index);
/* count hosts with numbers from first on, their switch with the tier and index of top, and the
 * cables between; returns the switch. */
uint32_t builder_rack(struct net_builder *b, uint32_t first, uint32_t count,
		      const struct net_node *top, const struct wire *wire);
void builder_cable(struct net_builder *b, uint32_t a, uint32_t z, const struct wire *wire);
/* Sorts the links and numbers everything. The builder is gone afterwards. */
void builder_finish(struct net_builder *b);

/* The node of that name, or -1 with a message that shows what there is and the nearest. */
int64_t node_find(const struct network *net, const char *name, struct weir_error *e);

/* The network of lines "h0 s0 10Gbps 5us"; see topology_explicit.c. */
int explicit_build(struct network *net, const struct line_list *lines, struct weir_error *e);

/* --- topology_hpcc.c: topology files of the HPCC simulator --- */

struct hpcc_topology {
	uint32_t node_count, switch_count, host_count;
	uint32_t *host_ids;     /* host number -> node number in the file, ascending */
	struct line_list links; /* as topology explicit has them: "h0 s4 100Gbps 0.001ms" */
};

/* The message says file and line. On -1 nothing is left to free. */
int hpcc_read(struct hpcc_topology *t, const char *file, struct weir_error *e);
void hpcc_free(struct hpcc_topology *t);

/* Part of a topology's params: the wires of its tiers, 0 where they are as the tier below. */
struct tier_wires {
	uint64_t rate_bps, fabric_rate_bps, core_rate_bps;
	uint64_t delay_ps, fabric_delay_ps, core_delay_ps; /* one-way */
};

/* With "as the tier below" filled in. */
struct wire host_wire(const struct tier_wires *t);
struct wire fabric_wire(const struct tier_wires *t);
struct wire core_wire(const struct tier_wires *t);

/* Options that several topologies share; AT(member) is a place in the topology's params. */
#define RATE_MIN_BPS (UINT64_C(1000) * 1000)
#define RATE_MAX_BPS (UINT64_C(4) * 1000 * 1000 * 1000 * 1000)
#define DELAY_MAX_PS ((uint64_t)WEIR_PS_PER_S)

_Static_assert(RATE_MAX_BPS <= UINT64_MAX / HOSTS_MAX,
	       "rates of the links of a tier can be added up");

#define RATE_OPTION(name_, member, default_, help_) \
	{ \
		name_, WEIR_OPT_RATE_BPS, AT(member), default_, RATE_MIN_BPS, RATE_MAX_BPS, help_, \
			NULL \
	}
#define DELAY_OPTION(name_, member, default_, min_, help_) \
	{ \
		name_, WEIR_OPT_TIME_PS, AT(member), default_, min_, DELAY_MAX_PS, help_, NULL \
	}
#define COUNT_OPTION(name_, member, default_, min_, max_, help_) \
	{ \
		name_, WEIR_OPT_COUNT, AT(member), default_, min_, max_, help_, NULL \
	}

/* Zero is let through here so that network_build can say why it is refused. */
#define HOST_WIRE_OPTIONS \
	RATE_OPTION("rate", wires.rate_bps, "10Gbps", "rate of the links to hosts"), \
		DELAY_OPTION("delay", wires.delay_ps, "10us", 0, \
			     "one-way delay of the links to hosts, above zero")
#define FABRIC_WIRE_OPTIONS \
	RATE_OPTION("fabric-rate", wires.fabric_rate_bps, NULL, \
		    "rate of the links between switches; as rate unless given"), \
		DELAY_OPTION("fabric-delay", wires.fabric_delay_ps, NULL, 1, \
			     "one-way delay of the links between switches, above zero; as delay " \
			     "unless given")
#endif
