/* SPDX-License-Identifier: BSD-3-Clause */
/* route.h -- the way of a packet, chosen by its sender among all shortest paths.
 *
 * A path is a 64-bit shift register: each switch takes its lowest node_route_bits bits, the number
 * of its egress port, and shifts them out. Host to first switch needs no choice: a host has one
 * link. Built once; safe to ask from many threads. */
#ifndef SIM_NET_ROUTE_H
#define SIM_NET_ROUTE_H
#include "sim/net/network.h"

struct route_table;

/* Distances from every switch to every switch with hosts, once per time that paths change (0, then
 * each failure + reroute delay). Refuses a network where some host cannot reach another at time 0
 * and paths that do not fit the register. */
int route_table_new(struct route_table **out, const struct network *net, int64_t reroute_delay_ps,
		    struct weir_error *e);
void route_table_free(struct route_table *t);

enum { ROUTE_HOPS_MAX = 32 };

struct route {
	uint64_t path;    /* the register as the first switch must see it */
	int64_t until_ps; /* the path may be better chosen anew from then on; WEIR_TIME_NEVER_PS */
	uint32_t hops;    /* links, with the host's own */
	uint32_t links[ROUTE_HOPS_MAX];
	uint32_t found; /* 0: no way at this time; path is then meaningless */
};

/* hash picks among equals at every switch: the same hash, the same path. now_ps picks the epoch. */
void route_find(const struct route_table *t, uint32_t from_host, uint32_t to_host, uint64_t hash,
		int64_t now_ps, struct route *r);

/* How many shortest paths there are at time 0: a number that may be large. */
double route_count(const struct route_table *t, uint32_t from_host, uint32_t to_host);

/* A path by its choices: at each switch on it that has several links leading one step nearer, the
 * number of the one taken among these, counted from 0 in the order of the switch's links. */
struct route_choices {
	uint32_t count;
	uint32_t choice[ROUTE_HOPS_MAX];
};

/* The path of these choices, at time 0. */
int route_choose(const struct route_table *t, uint32_t from_host, uint32_t to_host,
		 const struct route_choices *choices, struct route *r, struct weir_error *e);

/* The register of the way back, over the same switches, for ACKs. */
uint64_t route_reverse(const struct network *net, const struct route *r);

/* Fills in the links that a host's path register leads over. */
void route_follow(const struct network *net, uint32_t from_host, uint64_t path, struct route *r);

/* How many bits a switch takes from the register: enough for its ports, at least 1. */
static inline uint32_t node_route_bits(const struct net_node *n)
{
	uint32_t bits = 1;

	while (n->link_count > (1u << bits))
		bits++;
	return bits;
}
#endif
