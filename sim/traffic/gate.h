/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.h -- flows that start when others end.
 *
 * A gate opens when enough flows have told it that they are done: sent (every byte acknowledged) or
 * received (every byte there). Flows that wait at it start when the window of the engine in which
 * that happened ends, so up to the shortest link delay later: nodes cannot know sooner of each
 * other. At a gate of one host, where everything that it waits for ends and everything that waits
 * starts, they start at once.
 *
 * Made with the flow list, then sorted once; only the counts change while a run goes on: with every
 * thread at rest or, for a host's gates, by the thread of that host. */
#ifndef SIM_TRAFFIC_GATE_H
#define SIM_TRAFFIC_GATE_H
#include <stdint.h>

/* What ties a flow to gates: bits of flow.flags. */
enum flow_tie { FLOW_WAITS = 1, FLOW_SIGNALS_SENT = 2, FLOW_SIGNALS_RECEIVED = 4 };

/* Marks on flows for metrics.c, also bits of flow.flags. The flows of a round are made together,
 * and that which ends it last. Control only asks for data or says that it came (the request of a
 * read, the answer to a write): how long it takes is in nobody's completion times. */
enum flow_mark { FLOW_ENDS_IO = 8, FLOW_ENDS_ROUND = 16, FLOW_IS_CONTROL = 32 };

/* Another: it was drawn in case there would be time for it. Where it never starts it is in nobody's
 * results. */
enum { FLOW_IS_SPARE = 128 };

/* Another: somebody is called when the message is there (mailbox.h). */
enum { FLOW_HAS_CALLBACK = 64 };

struct gate {
	uint32_t needed;      /* flows that must be done */
	uint32_t done, first; /* first: of its entries in waits, the next to start */
	uint8_t one_by_one;   /* 1: each lets the next one in; 0: all start when needed are done */
	uint8_t is_local;     /* 1: of one host */
	int64_t delay_ps;     /* from then on until they start */
	int64_t closes_ps;    /* what would not start before this never does; 0: it stays open */
};

struct gate_tie {
	uint32_t flow, gate;
	uint32_t kind; /* one of enum flow_tie */
};

struct gate_list {
	uint32_t gate_count, wait_count, tell_count;
	struct gate *gates;
	struct gate_tie *waits; /* in the end by (gate, order of making) */
	struct gate_tie *tells; /* in the end by (flow, kind) */
};

/* Each returns the number of the new gate; gates_add makes one for all hosts. */
uint32_t gates_add(struct gate_list *l, uint32_t needed, uint32_t one_by_one);
uint32_t gates_add_like(struct gate_list *l, const struct gate *g);
void gates_tie(struct gate_list *l, struct gate_tie tie);

/* Flows have got other numbers, number[old]: sorts the ties for use. */
void gates_sort(struct gate_list *l, const uint32_t *number);
void gates_free(struct gate_list *l);

/* The first of the tells of a flow, or NULL; the others follow while flow is the same. */
const struct gate_tie *gates_find_signals(const struct gate_list *l, uint32_t flow);

/* A flow is done, and which gates are to know. */
struct gate_event {
	uint32_t flow;
	enum flow_tie kind;
	enum { GATES_OF_HOST, GATES_OF_ALL } gates;
	int64_t now_ps;
};

/* Calls start for each flow that may now start, with its time. Returns how many gates of the other
 * sort the flow has to tell. */
uint32_t gates_signal(struct gate_list *l, const struct gate_event *event,
		      void (*start)(void *context, uint32_t flow, int64_t start_ps), void *context);
#endif
