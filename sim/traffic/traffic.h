/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h -- [traffic] sections become a list of flows, sorted by (start, order of making). */
#ifndef SIM_TRAFFIC_TRAFFIC_H
#define SIM_TRAFFIC_TRAFFIC_H
#include "base/registry.h"
#include "config/config.h"
#include "sim/traffic/flow.h"
#include "sim/traffic/flow_path.h"
#include "sim/traffic/gate.h"
#include "sim/net/network.h"

struct flow_list {
	uint32_t count, capacity;
	struct flow *flows;
	struct gate_list gates; /* flows that wait for others; their start is WEIR_TIME_NEVER_PS */
	struct flow_path_list paths; /* flows that name theirs */
};

extern const struct registry traffic_registry;
extern const struct weir_traffic_ops *const traffic_all[]; /* ends with NULL */

/* The pattern of that name, or in the plug-in of that path. NULL with a message. */
const struct weir_traffic_ops *traffic_find(const char *pattern, struct weir_error *e);

/* Makes it the section's pattern, with the defaults of its keys. */
void traffic_choose(struct traffic_config *t, const struct weir_traffic_ops *ops);

/* Which flows of the pattern end something larger: FLOW_ENDS_IO, FLOW_ENDS_ROUND (gate.h) or 0. */
unsigned traffic_ends(const struct weir_traffic_ops *ops);

/* Every section, in order. Messages start with "traffic.NAME.key: ". Flows of which none starts
 * before measure.to are a mistake. Sets connection (and next to FLOW_NONE, tx/rx to FLOW_NONE,
 * finish to -1) of every flow. */
int traffic_generate(struct flow_list *list, const struct config *c, const struct network *net,
		     struct weir_error *e);
void flow_list_free(struct flow_list *list);

/* Has the section flows, but none that starts before measure.to? Where flows wait for others this
 * is known after the run. */
int traffic_is_late(const struct flow *flows, uint32_t count, uint32_t traffic,
		    const struct config *c);
#endif
