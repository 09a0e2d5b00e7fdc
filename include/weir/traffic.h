/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h -- interface of traffic patterns, which generate the flows of a scenario.
 *
 * Before a run, generate is called once per [traffic] section that names the pattern, and adds
 * flows through a flow builder. The section's own keys decide everything else: class, congestion
 * control, sharing of connections. The pattern's options are further keys of the section.
 *
 * The builder belongs to the caller and is valid during the call. */
#ifndef WEIR_TRAFFIC_H
#define WEIR_TRAFFIC_H
#include "weir/begin.h"
#include "weir/rng.h"
#include "weir/scheme.h"

WEIR_BEGIN

/* As a size: the flow sends until the run ends. */
#define WEIR_FLOW_UNLIMITED UINT64_MAX

struct weir_flow {
	uint32_t src, dst; /* different hosts */
	uint64_t size_bytes;
	int64_t start_ps;
};

struct weir_flow_builder {
	uint32_t hosts;                        /* of the network, numbered from 0 */
	int64_t start_first_ps, start_last_ps; /* option start of the section; equal, or a span */
	int64_t end_ps;           /* flows that start later are not measured; 0: no limit */
	struct weir_rng *rng;     /* seeded for this section */
	struct weir_error *error; /* for weir_error_set, before -1 is returned */
	/* Rate of the host's link. */
	uint64_t (*rate_bps)(const struct weir_flow_builder *m, uint32_t host);
	/* Adds a flow, in any order of start times. -1: failed with a message; return -1, too. */
	int (*add)(struct weir_flow_builder *m, const struct weir_flow *f);
};

/* The unit whose completion the applications wait for; headline metrics follow it. */
enum weir_traffic_unit {
	WEIR_TRAFFIC_FLOWS,  /* flows */
	WEIR_TRAFFIC_ROUNDS, /* rounds of flows: training, collectives */
	WEIR_TRAFFIC_IOS     /* I/Os of several flows: storage */
};

enum weir_traffic_messages {
	WEIR_MESSAGES_NONE,
	WEIR_MESSAGES_OF_PROGRAM, /* that embeds the simulator: weir/sim.h */
	WEIR_MESSAGES_OF_JOB,     /* built in only */
};

struct weir_traffic_ops {
	struct weir_scheme scheme;
	/* Adds all flows of a section, at least one. -1 with a message. */
	int (*generate)(struct weir_flow_builder *m, const void *params);
	/* Rate at which applications write data to the sender. NULL, or 0: all at once. */
	uint64_t (*app_rate_bps)(const void *params);
	/* 1: flows are unlimited, so the run needs measure.to. NULL: no. */
	int (*is_endless)(const void *params);
	/* 1: flows of a pair start in the order in which they were added, so they can share a
	 * persistent connection; over RDMA they do by default, as such applications keep their
	 * queue pairs. NULL: no. */
	int (*keeps_order)(const void *params);
	/* Not WEIR_MESSAGES_NONE: generate adds no flow. Messages of a pair share a connection. */
	enum weir_traffic_messages messages;
	enum weir_traffic_unit unit;
};

WEIR_END
#endif
