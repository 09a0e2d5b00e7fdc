/* traffic.h -- [traffic] sections become a list of flows, sorted by (start, order of making). */
#ifndef SIM_TRAFFIC_TRAFFIC_H
#define SIM_TRAFFIC_TRAFFIC_H
#include "sim/config/config.h"
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

struct traffic_ops {
	const char *name; /* "many-to-one" */
	const char *help;
	const struct weir_option *options; /* over struct traffic_config, besides traffic_options */
	int (*generate)(struct flow_list *list, const struct traffic_config *t,
			const struct config *c, const struct network *net, struct weir_error *e);
	/* 1: flows of a pair start in the order they were made, even where they wait for others;
	 * so they may share a connection, which the first one opens. */
	int keeps_order;
	int takes_messages; /* 1: its flows are what a program sends (weir/sim.h) */
};

extern const struct traffic_ops *const traffic_all[];

const struct traffic_ops *traffic_find(const char *name);

/* Every section, in order. Messages start with "traffic.NAME.key: ". Flows of which none starts before
 * measure.to are a mistake. Sets connection (and next to
 * FLOW_NONE, tx/rx to FLOW_NONE, finish to -1) of every flow. */
int traffic_generate(struct flow_list *list, const struct config *c, const struct network *net,
		     struct weir_error *e);
void flow_list_free(struct flow_list *list);

/* Has the section flows, but none that starts before measure.to? Where flows wait for others this is
 * known after the run. */
int traffic_is_late(const struct flow *flows, uint32_t count, uint32_t traffic,
		    const struct config *c);
#endif
