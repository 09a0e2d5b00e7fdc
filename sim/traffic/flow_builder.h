/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_builder.h -- what the built-in traffic patterns share. For sim/traffic only.
 *
 * The builder of a section holds its random stream and appends flows to the list. Built-in patterns
 * check their flows themselves; a pattern in a plug-in sees only struct weir_flow_builder
 * (weir/traffic.h), whose add checks every flow.
 *
 * Builders run once, at one thread, before the simulation. Unless said otherwise, functions return
 * 0, or -1 with a message in b->e that names section and key. */
#ifndef SIM_TRAFFIC_FLOW_BUILDER_H
#define SIM_TRAFFIC_FLOW_BUILDER_H
#include "base/input.h"
#include "sim/traffic/traffic.h"
#include "sim/traffic/workload.h"
#include "weir/rng.h"
#include "weir/units.h"

/* Longest time a flow may start at: sums of a few of them stay far from the end of int64. */
#define START_MAX_PS (1000 * WEIR_PS_PER_S)

struct flow_builder {
	struct weir_flow_builder pub;
	const void *params; /* the pattern's own, see flow_builder_of */
	struct flow_list *list;
	const struct traffic_config *t;
	const struct config *c;
	const struct network *net;
	struct weir_error *e;
	struct weir_rng rng;
	uint32_t first;             /* number of the section's first flow */
	int refused;                /* 1: a plug-in added an invalid flow; the message says so */
	uint64_t stop_ps;           /* unlimited flows end here; 0: with the run */
	struct route_table *routes; /* pattern list, once a flow names its path; else NULL */
};

/* For a section whose pattern is chosen. The builder must not be moved: pub.rng points into it. */
void flow_builder_init(struct flow_builder *b, struct flow_list *list,
		       const struct traffic_config *t, const struct config *c,
		       const struct network *net);

/* Calls the pattern, which adds the section's flows. */
int flow_builder_generate(struct flow_builder *b, struct weir_error *e);

/* The whole builder, for a built-in pattern's generate hook. */
static inline struct flow_builder *flow_builder_of(struct weir_flow_builder *pub,
						   const void *params)
{
	struct flow_builder *b = (struct flow_builder *)pub;

	b->params = params;
	return b;
}

/* Sets the message "traffic.SECTION.KEY: ..."; returns -1. */
int flow_builder_error(struct flow_builder *b, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Makes room for that many more flows; or for one more, where their number is not known before
 * (amortised O(1)). */
int flow_builder_reserve(struct flow_builder *b, uint64_t flows);
int flow_builder_reserve_one(struct flow_builder *b);

/* What a pattern decides about a flow; its section decides the rest. */
struct flow_plan {
	uint32_t src, dst;
	uint64_t size_bytes;
	int64_t start_ps; /* WEIR_TIME_NEVER_PS: waits at a gate */
};

/* Appends a flow, for which room is reserved; returns its number in the list. */
uint32_t flow_builder_add(struct flow_builder *b, const struct flow_plan *p);

/* Adds a gate of one host that opens, delay_ps later, when `needed` flows have arrived there. */
uint32_t flow_builder_add_gate(struct flow_builder *b, uint64_t needed, uint64_t delay_ps);

/* Makes a flow wait at a gate, or signal it. */
void flow_builder_tie(struct flow_builder *b, uint32_t flow, uint32_t gate, enum flow_tie kind);

/* A uniformly random host other than this one. */
uint32_t flow_builder_other_host(struct flow_builder *b, uint32_t host);

/* A uniformly random time in the section's start span. */
int64_t flow_builder_draw_start(struct flow_builder *b);

int flow_builder_check_receiver(struct flow_builder *b, uint64_t receiver);

/* Number of senders: as configured or, at 0, all hosts but the receiver. */
int flow_builder_count_senders(struct flow_builder *b, uint64_t asked, uint32_t *senders);

/* A stop is for unlimited flows only, and after the last start. */
int flow_builder_check_stop(struct flow_builder *b, int is_unlimited);

/* For flows that are listed one by one: refuses an unlimited flow that shares a connection or never
 * stops. The message in e names neither section nor key. */
int flow_builder_check_endless(const struct flow_builder *b, const struct flow_plan *p,
			       struct weir_error *e);

/* Is a flow from number `since` on unlimited? */
int flow_builder_any_endless(const struct flow_builder *b, uint32_t since);

/* The time span in which a pattern's flows start, where it is given: by start = a..b, or from start
 * to measure.to. length_ps 0: by neither; the number of flows decides (0: not given). */
struct arrival_window {
	int64_t first_ps;
	double length_ps;
};

int flow_builder_window(struct flow_builder *b, uint64_t flows, struct arrival_window *w);

/* --- sizes: keys size and sizes of a section, 0 and "" where not given --- */

struct flow_sizes {
	uint64_t fixed_bytes; /* 0: drawn from the workload */
	struct workload *workload;
};

enum sizes_allowed { SIZES_FINITE, SIZES_ANY };

int flow_sizes_open(struct flow_sizes *s, struct flow_builder *b, uint64_t size_bytes,
		    const char *sizes, enum sizes_allowed allowed);
void flow_sizes_close(struct flow_sizes *s);
double flow_sizes_mean_bytes(const struct flow_sizes *s);
/* The size at quantile u, 0 <= u <= 1. */
uint64_t flow_sizes_at(const struct flow_sizes *s, double u);

/* --- patterns whose flows are in the file of another simulator --- */

struct flow_import_params {
	char file[WEIR_OPT_TEXT_SIZE];
	uint64_t stop_ps; /* htsim */
	uint64_t prio;    /* htsim: enum flow_import_prio */
};

enum flow_import_prio { PRIO_REFUSE, PRIO_IGNORE };

struct flow_import {
	struct flow_builder *b;
	struct line_file in;
};

/* Opens the section's file and calls the pattern's reader, whose messages get section and key in
 * front. */
int flow_import_file(struct flow_import *i, int (*read)(struct flow_import *));

/* Adds a flow of the file, whose start counts from the section's start. */
int flow_import_add(struct flow_import *i, const struct flow_plan *p);

/* --- options that several patterns share; AT(member) is an offset in the pattern's params --- */

#define FLOW_SIZE_MAX_BYTES (UINT64_C(1000) * 1000 * 1000 * 1000)
#define APP_RATE_MIN_BPS 1000
#define APP_RATE_MAX_BPS (UINT64_C(4) * 1000 * 1000 * 1000 * 1000)

#define SENDERS_OPTION(help_) \
	{ \
		"senders", WEIR_OPT_COUNT, AT(senders), NULL, 1, UINT32_MAX, help_, NULL \
	}
#define RECEIVER_OPTION \
	{ \
		"receiver", WEIR_OPT_COUNT, AT(receiver), "0", 0, UINT32_MAX, \
			"number of the host that receives", NULL \
	}
#define ANY_SIZE_OPTION \
	{ \
		"size", WEIR_OPT_SIZE, AT(size_bytes), NULL, 1, FLOW_SIZE_MAX_BYTES, \
			"bytes of every flow; unlimited: until stop", NULL \
	}
#define FINITE_SIZE_OPTION \
	{ \
		"size", WEIR_OPT_BYTES, AT(size_bytes), NULL, 1, FLOW_SIZE_MAX_BYTES, \
			"bytes of every flow", NULL \
	}
#define SIZES_OPTION \
	{ \
		"sizes", WEIR_OPT_SCHEME, AT(sizes), NULL, 0, 0, \
			"distribution of the flows' bytes: a workload, fixed(size), " \
			"exponential(mean), " \
			"uniform(min,max) or a file", \
			workload_specs.kind \
	}
#define STOP_OPTION \
	{ \
		"stop", WEIR_OPT_TIME_PS, AT(stop_ps), NULL, 1, (uint64_t)START_MAX_PS, \
			"when unlimited flows end; at the end of the run unless given", NULL \
	}
#define APP_RATE_OPTION \
	{ \
		"app-rate", WEIR_OPT_RATE_BPS, AT(app_rate_bps), NULL, APP_RATE_MIN_BPS, \
			APP_RATE_MAX_BPS, \
			"the application writes at this rate; all at once unless given", NULL \
	}
#define FLOWS_OPTION(help_) \
	{ \
		"flows", WEIR_OPT_COUNT, AT(flows), NULL, 1, UINT32_MAX - 2, help_, NULL \
	}
#endif
