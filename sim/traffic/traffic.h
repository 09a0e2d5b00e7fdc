/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h -- [traffic] sections become a list of flows, sorted by (start, order of adding).
 *
 * The list is built before the run at one thread. The engine owns it afterwards (see flow.h and
 * gate.h for who writes what during the run). */
#ifndef SIM_TRAFFIC_TRAFFIC_H
#define SIM_TRAFFIC_TRAFFIC_H
#include "base/registry.h"
#include "config/config.h"
#include "sim/traffic/flow.h"
#include "sim/net/route.h"
#include "sim/traffic/gate.h"
#include "sim/net/network.h"

/* Flows that name their path, so that those of another simulator can be replayed on the same paths.
 * The path is that of data; ACKs go back over the same switches. It does not change when links
 * fail, nor under packet spraying. Built with the flow list, then sorted once and only read. */
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

/* The flow list was sorted: renumbers flow i to number[i], and sorts. O(n log n). */
void flow_paths_sort(struct flow_path_list *l, const uint32_t *number);
void flow_paths_free(struct flow_path_list *l);

/* NULL: the flow names no path; its hash chooses one. O(log n). */
const struct flow_path *flow_path_find(const struct flow_path_list *l, uint32_t flow);

struct job_list;

struct flow_list {
	uint32_t count, capacity;
	struct flow *flows;
	struct gate_list gates; /* dependencies; a flow that waits starts at WEIR_TIME_NEVER_PS */
	struct flow_path_list paths; /* of flows that name their path */
	struct job_list *jobs;       /* NULL: none; job.h */
};

extern const struct registry traffic_registry;
extern const struct weir_traffic_ops *const traffic_all[]; /* ends with NULL */

/* The pattern of that name, or in the plug-in of that path. NULL: none, with a message in e. */
const struct weir_traffic_ops *traffic_find(const char *pattern, struct weir_error *e);

/* Sets a section's pattern, and its keys to their defaults. */
void traffic_choose(struct traffic_config *t, const struct weir_traffic_ops *ops);

/* The mark on flows that end an application's unit: FLOW_ENDS_IO, FLOW_ENDS_ROUND or 0: none. */
unsigned traffic_ends(const struct weir_traffic_ops *ops);

/* Builds the flows of every section, in order. 0, or -1 with a message ("traffic.NAME.key: ..."),
 * also where no flow starts before measure.to; the list is then empty. */
int traffic_generate(struct flow_list *list, const struct config *c, const struct network *net,
		     struct weir_error *e);
/* Sorts flows by start; flows that start together stay in order. They are memory of memory_grow,
 * and so is the result, which may be other memory. O(n) for each 11 bits of the last start. */
struct flow *flows_by_start(struct flow *flows, uint32_t count);
void flow_list_free(struct flow_list *list);

/* 1: the section has flows, but none that starts before measure.to. Where flows wait at gates this
 * is known only after the run. O(count). */
int traffic_is_late(const struct flow *flows, uint32_t count, uint32_t traffic,
		    const struct config *c);
#endif
