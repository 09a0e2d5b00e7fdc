/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h -- one simulation run, from a config to a result. Used by the campaign runner, `weir run`
 * and tests. Several runs may be in progress in one process, each on a thread of its own. */
#ifndef SIM_RUN_RUN_H
#define SIM_RUN_RUN_H
#include "config/config.h"
#include "sim/measure/result.h"
#include "weir/cc.h"
#include "weir/packet.h"
#include <stdatomic.h>

/* Sees every packet that starts on a link, in order of time, one call at a time but on any thread.
 * flow is the one that opened the packet's connection, an element of the array of all flows; NULL
 * for a link frame (PFC and such), which is shown only with run_control.taps_see_frames. */
struct tap {
	const char *port; /* "leaf0->h3" */
	void (*see)(void *context, int64_t start_ps, const struct weir_packet *packet,
		    const struct flow *flow);
	void *context;
};

/* Progress of a run. */
struct run_progress {
	int64_t now_ps; /* simulated time */
	int64_t end_ps; /* expected end; 0: unknown */
	uint32_t series_count;
	const struct series *series; /* so far; some may be empty */
};

struct engine;
struct engine_plan;
struct network;

struct run_control {
	uint32_t threads; /* at least 1 */
	uint32_t adapts;  /* 1: thread auto-tuning, threads is the most */
	atomic_int *stop; /* non-zero: the user interrupts; NULL: never */
	/* Called now and then at a barrier; *p is valid until it returns. NULL: disabled. */
	void (*progress)(void *context, const struct run_progress *p);
	void *context;
	uint32_t tap_count;
	const struct tap *taps;
	int taps_see_frames; /* 1: link frames, too */
	/* A rollout of learning congestion controls (weir/cc.h); NULL: none. */
	const struct weir_cc_rollout *rollout;
	/* Lookahead windows between audits (measure.h), for tests. 0: one audit, at the end. */
	uint32_t audit_windows;
	/* The other ranks of this run, which call with the same config; the result is at rank 0.
	 * NULL: one process. */
	struct exchange *exchange;
	/* RUN_ONLY_BUILT: builds everything and simulates nothing; of the result only network,
	 * flows, ways and estimate are set. */
	enum { RUN_WHOLE, RUN_ONLY_BUILT } extent;
};

enum run_status {
	RUN_DONE = 0,          /* maybe partial: interrupted */
	RUN_REFUSED = -1,      /* the config cannot be run */
	RUN_AUDIT_FAILED = -2, /* packets or bytes do not add up: a bug of Weir */
	RUN_PLUGIN_FAULT = -3, /* a plug-in returned an invalid value */
	RUN_FAILED = -4,       /* the system lacks a resource, such as threads */
};

/* Returns one of these, with a message unless RUN_DONE. The caller frees the result with
 * run_result_free, except after RUN_REFUSED or RUN_FAILED. */
int run(const struct config *c, const struct run_control *control, struct run_result *r,
	struct weir_error *e);

/* Builds network, flows and engine of a config, for run() and for simulations that are driven from
 * outside. The caller frees net, and *e unless NULL, also on -1. */
int build_engine(struct engine **e, struct network *net, const struct config *c,
		 const struct engine_plan *plan, struct weir_error *error);
#endif
