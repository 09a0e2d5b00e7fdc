/* SPDX-License-Identifier: BSD-3-Clause */
/* route_table.h -- the distances that routes follow; built by route.c, used by route_walk.c.
 *
 * For each time at which paths change there is an epoch: the links between switches that work then,
 * and the distance of every switch from every rack (a switch with hosts), one byte each. Racks that
 * are linked with the same switches have the same distance to all others, and two hops between
 * them: they share a row of distances. A pod of a fat-tree has one row, and so has a leaf-spine. */
#ifndef SIM_NET_ROUTE_TABLE_H
#define SIM_NET_ROUTE_TABLE_H
#include "sim/net/route.h"
#include "weir/units.h"

enum { FAR = UINT8_MAX }; /* a distance: unreachable */

struct neighbour {
	uint32_t switch_number;
	uint32_t link;
};

struct epoch {
	int64_t start_ps;
	struct neighbour *neighbours; /* grouped by switch, over links that work */
	uint32_t *first_neighbour;    /* by switch; one more at the end */
	uint32_t *row_of;             /* by rack */
	uint32_t row_count;
	uint8_t *distance; /* [row][switch]; not for a rack itself: see row_distance */
};

struct route_table {
	const struct network *net;
	int64_t reroute_delay_ps;
	uint32_t rack_count, epoch_count;
	uint32_t *rack_of;     /* switch number -> rack, only for switches with hosts */
	uint32_t *rack_switch; /* rack -> switch number */
	struct epoch *epochs;  /* by start */
};

static inline const uint8_t *rack_row(const struct route_table *t, const struct epoch *epoch,
				      uint32_t rack)
{
	return epoch->distance + (uint64_t)epoch->row_of[rack] * t->net->switch_count;
}

/* Distance of switch s from the rack with that row and switch. */
static inline uint8_t row_distance(const uint8_t *row, uint32_t rack_switch, uint32_t s)
{
	return s == rack_switch ? 0 : row[s];
}

/* 1: at now_ps senders know that the link has failed, so that routes avoid it. */
static inline int is_known_dead(const struct route_table *t, const struct net_link *l,
				int64_t now_ps)
{
	return l->fails_ps != WEIR_TIME_NEVER_PS && l->fails_ps + t->reroute_delay_ps <= now_ps;
}

static inline const struct net_node *switch_node(const struct network *net, uint32_t number)
{
	return &net->nodes[net->switch_node[number]];
}
#endif
