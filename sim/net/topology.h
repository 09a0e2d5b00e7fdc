/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.h -- how topologies build their networks. For sim/net and, the HPCC reader, imports.
 *
 * A topology starts a builder with the numbers of nodes and cables, adds the nodes in their final
 * order and the cables in any order, and finishes. A node's egress ports are in the order in which
 * its cables were added. Unless said otherwise, functions return 0, or -1 with a message. */
#ifndef SIM_NET_TOPOLOGY_H
#define SIM_NET_TOPOLOGY_H
#include "sim/net/network.h"
#include "weir/units.h"

/* Limits: a fat-tree of k = 256 has 2^22 hosts. Each 2^20 hosts take about 2 GB before the first
 * packet. */
enum { HOSTS_MAX = 1 << 22, NODES_MAX = 1 << 23, CABLES_MAX = 1 << 24 };

#define ZERO_DELAY_REASON \
	"a link needs a delay above zero, since nodes work ahead of each other by the shortest " \
	"one"

/* Name of tier 0 in every topology. */
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

/* Size of a network to build; 64 bits so that products of options cannot overflow. */
struct net_size {
	uint64_t hosts, switches, cables;
};

int builder_start(struct net_builder *b, struct network *net, const struct net_size *size,
		  struct weir_error *e);

/* Adds a node and returns it. index: within its tier; NODE_ALONE: named by its tier alone. */
uint32_t builder_node(struct net_builder *b, enum node_kind kind, uint8_t tier, uint32_t index);

/* Adds a rack: `count` hosts numbered from `first` on, a switch with tier and index of `top`, and
 * the cables between; returns the switch. */
uint32_t builder_rack(struct net_builder *b, uint32_t first, uint32_t count,
		      const struct net_node *top, const struct wire *wire);
void builder_cable(struct net_builder *b, uint32_t a, uint32_t z, const struct wire *wire);

/* Sorts the links, numbers them and the racks, and frees what the builder holds. O(links). */
void builder_finish(struct net_builder *b);

/* The node of that name; -1 with a message that names the nodes there are and the nearest name. */
int64_t node_find(const struct network *net, const char *name, struct weir_error *e);

/* Builds the network of lines "h0 s0 10Gbps 5us"; see topology_explicit.c. */
int explicit_build(struct network *net, const struct line_list *lines, struct weir_error *e);

/* --- topology_hpcc.c: topology files of the HPCC simulator and its descendants ---
 *
 *	5 1 4			nodes, switches, links
 *	4			the nodes that are switches; all others are hosts
 *	0 4 100Gbps 0.001ms 0	a link a line: two nodes, rate, delay, error rate
 *	...
 *
 * Like the original, the reader ignores what follows the last link. Weir calls the hosts h0, h1,
 * ... in the order of their node numbers, and switch 4 is s4; where the hosts come first, as is
 * usual, node 3 is h3. */

struct hpcc_topology {
	uint32_t node_count, switch_count, host_count;
	uint32_t *host_ids;     /* host number -> node number in the file, ascending */
	struct line_list links; /* in the form of topology explicit: "h0 s4 100Gbps 0.001ms" */
};

/* Messages say file and line. On -1 there is nothing to free. */
int hpcc_read(struct hpcc_topology *t, const char *file, struct weir_error *e);
void hpcc_free(struct hpcc_topology *t);

/* Part of a topology's params: the links of its tiers; 0: as the tier below. */
struct tier_wires {
	uint64_t rate_bps, fabric_rate_bps, core_rate_bps;
	uint64_t delay_ps, fabric_delay_ps, core_delay_ps; /* one-way */
};

/* The links of a tier, defaults filled in. */
struct wire host_wire(const struct tier_wires *t);
struct wire fabric_wire(const struct tier_wires *t);
struct wire core_wire(const struct tier_wires *t);

/* Options that several topologies share; AT(member) is an offset in the topology's params. */
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

/* Accepts a delay of 0, so that network_build can say why it is refused. */
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
