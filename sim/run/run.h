/* SPDX-License-Identifier: BSD-3-Clause */
/* run.h -- one run: a config in, numbers out. Several may go on in one process at once. */
#ifndef SIM_RUN_RUN_H
#define SIM_RUN_RUN_H
#include "config/config.h"
#include "sim/measure/result.h"
#include "weir/cc.h"
#include "weir/packet.h"
#include <stdatomic.h>

/* Somebody who wants to see every packet that starts on a link, in order of time. Called by one
 * thread at a time. The flow is the one that opened the packet's connection, and stands among all
 * flows in the place of that number. Frames between neighbours are seen only where the run is told
 * so, without a flow. */
struct tap {
	const char *port; /* "leaf0->h3" */
	void (*see)(void *context, int64_t start_ps, const struct weir_packet *packet,
		    const struct flow *flow);
	void *context;
};

/* How far a run is. */
struct run_progress {
	int64_t now_ps,
		end_ps; /* simulated time, and when the run is expected to end; 0: unknown */
	uint32_t series_count;
	const struct series *series; /* as far as they go; some may hold nothing yet */
};

struct run_control {
	uint32_t threads; /* at least 1 */
	uint32_t adapts;  /* 1: no more of them than are faster */
	atomic_int *stop; /* NULL or: becomes non-zero when the user interrupts */
	/* NULL or: called now and then by one thread, while the others rest. What it is shown is
	 * good until it returns. */
	void (*progress)(void *context, const struct run_progress *p);
	void *context;
	uint32_t tap_count;
	const struct tap *taps;
	int taps_see_frames; /* 1: those between neighbours, too */
	/* NULL or: RDMA controls with a network explore, and their decisions are seen;
	 * weir/cc.h. */
	const struct weir_cc_rollout *rollout;
	/* Whether everything adds up (audit.h) is asked at the end and, for tests, after every so
	 * many windows. 0: only at the end. */
	uint32_t audit_windows;
	/* NULL, or: the other processes that work on this run, which call with the same config;
	 * what came of it is known at rank 0. */
	struct exchange *exchange;
	/* Everything is made, and nothing run: of the result only network, flows and estimate are
	 * there. */
	enum { RUN_WHOLE, RUN_ONLY_BUILT } extent;
};

enum run_status {
	RUN_DONE = 0,          /* maybe partial */
	RUN_REFUSED = -1,      /* the config cannot be run */
	RUN_AUDIT_FAILED = -2, /* packets or bytes do not add up, which is a bug of ours */
	RUN_PLUGIN_FAULT = -3, /* a plug-in gave an answer that is none */
	RUN_FAILED = -4,       /* the system does not give what is needed */
};

/* Returns one of these; but for RUN_DONE with a message in e. The result is the caller's to free
 * unless RUN_REFUSED or RUN_FAILED. */
int run(const struct config *c, const struct run_control *control, struct run_result *r,
	struct weir_error *e);
#endif
