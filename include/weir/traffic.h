/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.h -- who sends to whom, when and how much: a pattern of traffic.
 *
 * A pattern is asked once for every section of a scenario that names it, before the run, and adds
 * its flows to a maker. What it does not say the section's own keys do: class, congestion control,
 * whether flows share connections. Its options are keys of the section, beside these.
 *
 * The maker is the caller's; a pattern keeps nothing of it. */
#ifndef WEIR_TRAFFIC_H
#define WEIR_TRAFFIC_H
#include "weir/begin.h"
#include "weir/rng.h"
#include "weir/scheme.h"

WEIR_BEGIN

/* A size: the flow sends until the run ends. */
#define WEIR_FLOW_UNLIMITED UINT64_MAX

struct weir_flow {
	uint32_t src, dst; /* two hosts */
	uint64_t size_bytes;
	int64_t start_ps;
};

struct weir_flow_builder {
	uint32_t hosts;                        /* of the network, numbered from 0 */
	int64_t start_first_ps, start_last_ps; /* the section's start: a time, or a span */
	int64_t end_ps;           /* flows that start from here on are not measured; 0: none such */
	struct weir_rng *rng;     /* the section's own: same seed, same flows */
	struct weir_error *error; /* for weir_error_set, before -1 is returned */
	/* Of the host's line. */
	uint64_t (*rate_bps)(const struct weir_flow_builder *m, uint32_t host);
	/* Adds a flow; in any order of time. -1, with a message set: return it. */
	int (*add)(struct weir_flow_builder *m, const struct weir_flow *f);
};

/* What the applications of a section wait for, and so what a setting is judged by. */
enum weir_traffic_unit {
	WEIR_TRAFFIC_FLOWS,  /* each flow for itself */
	WEIR_TRAFFIC_ROUNDS, /* rounds of flows: training, collectives */
	WEIR_TRAFFIC_IOS     /* I/Os of several flows: storage */
};

struct weir_traffic_ops {
	struct weir_scheme scheme;
	/* Adds every flow of a section, at least one. 0, or -1 with a message. */
	int (*generate)(struct weir_flow_builder *m, const void *params);
	/* Rate at which applications write what their flows send. NULL, or 0: all at once. */
	uint64_t (*app_rate_bps)(const void *params);
	/* 1: its flows never end by themselves, so that the run must be told when to. NULL: they
	 * do. */
	int (*is_endless)(const void *params);
	/* 1: flows of a pair start in the order they were made, even where they wait for others;
	 * so they may share a connection, which the first one opens, and over RDMA do unless told
	 * otherwise: hosts of such applications keep their queue pairs. NULL: they do not. */
	int (*keeps_order)(const void *params);
	int takes_messages; /* 1: its flows are what a program sends (weir/sim.h), and it adds none
			     */
	enum weir_traffic_unit unit;
};

WEIR_END
#endif
