/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_sort.h -- tens of millions of flows in order of their start, in a second or two. */
#ifndef SIM_TRAFFIC_TRAFFIC_SORT_H
#define SIM_TRAFFIC_TRAFFIC_SORT_H
#include "sim/traffic/flow.h"

/* By start; flows that start together stay in their order. They are memory of memory_grow, and come
 * back in the same or in other. */
struct flow *flows_by_start(struct flow *flows, uint32_t count);
#endif
