/* SPDX-License-Identifier: BSD-3-Clause */
/* route.h -- paths of packets: source routing over all shortest paths.
 *
 * The sender chooses the path of a packet as a 64-bit shift register: each switch takes its lowest
 * node_route_bits bits, the number of its egress port, and shifts them out. The host's own link
 * needs no choice. The table is built once, before the simulation, and then read by all threads. */
#ifndef SIM_NET_ROUTE_H
#define SIM_NET_ROUTE_H
#include "sim/net/network.h"

struct route_table;

/* Builds the distances from every switch to every switch with hosts, for each time at which paths
 * change (0, then each failure + reroute delay). -1 with a message where a host cannot reach
 * another at time 0, a path does not fit the register, or the table is too large. */
int route_table_new(struct route_table **out, const struct network *net, int64_t reroute_delay_ps,
		    struct weir_error *e);
void route_table_free(struct route_table *t);

enum { ROUTE_HOPS_MAX = 32 };

struct route {
	uint64_t path;    /* the register that the first switch gets */
	int64_t until_ps; /* when paths change next; WEIR_TIME_NEVER_PS: never */
	uint32_t hops;    /* links, the host's own included */
	uint32_t links[ROUTE_HOPS_MAX];
	uint32_t found; /* 0: unreachable at this time; path is not valid */
};

/* ECMP: the path at now_ps that the hash chooses; the same hash chooses the same path. O(hops x
 * ports). */
void route_find(const struct route_table *t, uint32_t from_host, uint32_t to_host, uint64_t hash,
		int64_t now_ps, struct route *r);

/* Number of shortest paths at time 0, as a double because it may be large. */
double route_count(const struct route_table *t, uint32_t from_host, uint32_t to_host);

/* A path by its choices: at each switch on it with several links that lead one hop nearer, the
 * number of the link to take among these, counted from 0 in the order of the switch's links. */
struct route_choices {
	uint32_t count;
	uint32_t choice[ROUTE_HOPS_MAX];
};

/* The path of these choices at time 0; -1 with a message: there are too many or too few, or one is
 * too large. */
int route_choose(const struct route_table *t, uint32_t from_host, uint32_t to_host,
		 const struct route_choices *choices, struct route *r, struct weir_error *e);

/* The path register of the reverse path, over the same switches, for ACKs. */
uint64_t route_reverse(const struct network *net, const struct route *r);

/* Fills in the links that a host's path register leads over. */
void route_follow(const struct network *net, uint32_t from_host, uint64_t path, struct route *r);

/* Bits that a node takes from the register: enough to number its ports, at least 1. */
static inline uint32_t node_route_bits(const struct net_node *n)
{
	uint32_t bits = 1;

	while (n->link_count > (1u << bits))
		bits++;
	return bits;
}
#endif
