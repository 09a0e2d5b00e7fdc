/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h -- the network: nodes, and links with rate and delay.
 *
 * A topology builds it once, before the simulation; afterwards it is only read. Links are directed;
 * a cable is two of them. They are sorted by the sending node, so that a switch's egress ports are
 * neighbours in memory, and have a second number, link_queue, sorted by the receiving node. */
#ifndef SIM_NET_NETWORK_H
#define SIM_NET_NETWORK_H
#include "base/registry.h"
#include "config/config.h"
#include <stdint.h>

enum node_kind { NODE_HOST, NODE_SWITCH };

/* Index of a node that is named by its tier alone: "sw". */
#define NODE_ALONE UINT32_MAX

struct net_node {
	uint8_t kind;                    /* enum node_kind */
	uint8_t tier;                    /* into network.tier_names */
	uint32_t index;                  /* within its tier: leaf3 has index 3; or NODE_ALONE */
	uint32_t number;                 /* hosts: host number; switches: switch number */
	uint32_t first_link, link_count; /* links it sends on */
	uint32_t first_link_queue, link_queue_count; /* lines it receives on */
	uint32_t rack;                               /* of a host: the number of its switch */
};

struct net_link {
	uint32_t from, to; /* nodes */
	uint32_t link_queue;
	uint32_t reverse; /* the same cable, other direction */
	uint64_t rate_bps;
	int64_t delay_ps; /* > 0 */
	int64_t fails_ps; /* WEIR_TIME_NEVER_PS: never */
};

enum { TIERS_MAX = 8 };

struct network {
	/* In node order a switch follows its own hosts, so that nodes that exchange packets are
	 * near in memory. Hosts and switches are numbered in node order. */
	uint32_t node_count, host_count, switch_count, link_count;
	struct net_node *nodes;
	struct net_link *links;
	uint32_t *host_node;       /* host number -> node */
	uint32_t *switch_node;     /* switch number -> node */
	uint32_t *link_queue_link; /* line -> link */
	/* One direction of the bisection (load-of = bisection): half of the links up to the top
	 * tier. Flows cross these links unless they stay within a pod of racks_per_pod racks. 0: no
	 * bisection. */
	uint64_t bisection_bps;
	uint32_t racks_per_pod;
	/* What a host can send, where its own link is not the limit; 0: its link's rate. */
	uint64_t access_bps;
	const char *tier_names[TIERS_MAX];
	char **node_names; /* topologies explicit and hpcc: given names, else NULL */
	uint32_t *
		host_ids; /* topology hpcc: host number -> node in its file, ascending; else NULL */
};

struct topology_ops {
	struct weir_scheme scheme; /* its options are keys of [network], beside network_options */
	int (*build)(struct network *net, const struct network_config *c, struct weir_error *e);
	int has_links; /* 1: reads the "link = ..." lines of [network] */
};

extern const struct registry topology_registry;
extern const struct topology_ops *const topology_all[]; /* ends with NULL */

/* NULL with a message: no topology has that name. */
const struct topology_ops *topology_find(const char *name, struct weir_error *e);

/* Sets the network's topology, and its keys to their defaults. */
void topology_choose(struct network_config *c, const struct topology_ops *ops);

/* Builds the topology and applies the failures. 0, or -1 with a message. A link without delay is
 * refused: the shortest delay is the lookahead of the simulation. */
int network_build(struct network *net, const struct network_config *c, struct weir_error *e);
void network_free(struct network *net);

/* "h3", "leaf0", "spine1", "sw", "edge4"...; for a link "leaf0->h3", for the second and third of
 * parallel links "leaf0->spine1#1" and "leaf0->spine1#2". They return buffer. */
const char *node_name(const struct network *net, uint32_t node, char *buffer, size_t size);
const char *link_name(const struct network *net, uint32_t link, char *buffer, size_t size);

/* A host's only link, towards its switch. */
static inline const struct net_link *host_link(const struct network *net, uint32_t host)
{
	return &net->links[net->nodes[net->host_node[host]].first_link];
}

/* Hosts whose links are alike have the same base RTT to any third host. */
static inline int links_are_alike(const struct net_link *a, const struct net_link *b)
{
	return a->to == b->to && a->rate_bps == b->rate_bps && a->delay_ps == b->delay_ps;
}

/* What a host can send and receive. */
static inline double host_access_bps(const struct network *net, uint32_t host)
{
	uint64_t own_bps = host_link(net, host)->rate_bps;

	return (double)(net->access_bps ? net->access_bps : own_bps);
}

/* The link of that name; -1 with a message that names the nearest. */
int64_t link_find(const struct network *net, const char *name, struct weir_error *e);
#endif
