/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.h -- dependencies between flows: flows that start when others are done.
 *
 * A gate opens when enough flows have signalled that they are done: sent (every byte acknowledged)
 * or received (every byte arrived). Flows that wait at it start at the end of the lookahead window
 * in which that happened, up to the shortest link delay later, because nodes cannot know of each
 * other sooner. At a local gate, where all flows signal and start at one host, they start at once.
 *
 * A local gate may belong to a server of its host, which serves a limited number of its gates at
 * once: the delay of a gate begins when the server has room for it, in the order of opening.
 *
 * The list is built with the flows and sorted once. During the run only counts and the times of
 * servers change: at the barrier or, for local gates, on the worker of their host. */
#ifndef SIM_TRAFFIC_GATE_H
#define SIM_TRAFFIC_GATE_H
#include "sim/traffic/flow.h"

struct gate {
	uint32_t needed;      /* signals that open it */
	uint32_t done, first; /* signals so far; the next entry of waits to start */
	uint8_t one_by_one;   /* 1: each signal starts one flow; 0: all start at `needed` */
	uint8_t is_local;     /* 1: of one host */
	uint32_t server;      /* number + 1, all its gates are local to one host; 0: none */
	int64_t delay_ps;     /* from opening until the flows start */
	int64_t closes_ps;    /* flows that would start from then on never do; 0: none */
};

/* Serves `slots` gates at once, each for its delay. All delays of a server are equal, so gates are
 * done in the order in which they began, and each begins when the one `slots` before it is done. */
struct gate_server {
	uint32_t slots, next; /* next: the slot that is free first */
	int64_t *done_ps;     /* of each slot */
};

struct gate_tie {
	uint32_t flow, gate;
	uint32_t kind; /* one of enum flow_tie */
};

struct gate_list {
	uint32_t gate_count, wait_count, signal_count, server_count;
	struct gate *gates;
	struct gate_server *servers;
	struct gate_tie *waits;   /* in the end by (gate, order of adding) */
	struct gate_tie *signals; /* flows that signal; in the end by (flow, kind) */
};

/* Add a gate and return its number; gates_add makes one for all hosts. Amortised O(1). */
uint32_t gates_add(struct gate_list *l, uint32_t needed, uint32_t one_by_one);
uint32_t gates_add_like(struct gate_list *l, const struct gate *g);

/* Adds a server and returns what gate.server is to be. slots: at least 1. */
uint32_t gates_add_server(struct gate_list *l, uint32_t slots);
void gates_tie(struct gate_list *l, struct gate_tie tie);

/* The flow list was sorted: renumbers flow i to number[i], and sorts the ties. O(n log n). */
void gates_sort(struct gate_list *l, const uint32_t *number);
void gates_free(struct gate_list *l);

/* The first gate that a flow signals; the others follow while .flow is the same. NULL: none. */
const struct gate_tie *gates_find_signals(const struct gate_list *l, uint32_t flow);

/* A flow is done; `gates` selects local gates or all others. */
struct gate_event {
	uint32_t flow;
	enum flow_tie kind;
	enum { GATES_OF_HOST, GATES_OF_ALL } gates;
	int64_t now_ps;
};

/* Calls start for each flow that may start now, with its time. Returns how many gates of the other
 * sort the flow signals. */
uint32_t gates_signal(struct gate_list *l, const struct gate_event *event,
		      void (*start)(void *context, uint32_t flow, int64_t start_ps), void *context);
#endif
