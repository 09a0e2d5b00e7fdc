/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_path.h -- flows that name their path, so that those of another simulator can be replayed way
 * by way. Most flows name none: their path is a matter of their hash (route.h).
 *
 * A named path is that of data; ACKs go back by the same switches. It stays what it is, whatever
 * link fails and whether packets are sprayed or not.
 *
 * Made with the flow list, then sorted once, read by everybody. */
#ifndef SIM_TRAFFIC_FLOW_PATH_H
#define SIM_TRAFFIC_FLOW_PATH_H
#include "sim/net/route.h"

struct flow_path {
	uint32_t flow;
	uint64_t there, back; /* registers, see route.h */
};

struct flow_path_list {
	uint32_t count;
	struct flow_path *paths; /* in the end by flow */
};

void flow_paths_add(struct flow_path_list *l, uint32_t flow, const struct network *net,
		    const struct route *route);

/* Flows have got other numbers, number[old]. */
void flow_paths_sort(struct flow_path_list *l, const uint32_t *number);
void flow_paths_free(struct flow_path_list *l);

/* NULL: the flow names none. */
const struct flow_path *flow_path_find(const struct flow_path_list *l, uint32_t flow);

/* Fills in the links of the path that a host's register stands for. */
void route_follow(const struct network *net, uint32_t from_host, uint64_t path, struct route *r);
#endif
