/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_set.h -- what the two files of probe.h share: a probe as it was read. */
#ifndef SIM_MEASURE_PROBE_SET_H
#define SIM_MEASURE_PROBE_SET_H
#include "sim/parallel/ranks.h"
#include "sim/measure/probe.h"

enum probe_kind {
	QUEUE,
	QUEUE_BYTES,
	THROUGHPUT,
	WINDOW,
	MARKS,
	DROPS,
	PAUSES,
	REWARD,
	FCT,
	SCHEME
};

/* What a probe may be of, and how it looks at that. */
enum { ON_PORT = 1, ON_QUEUE = 2, ON_FLOW = 4, ON_TRAFFIC = 8, AT_CHANGE = 16, COUNTS = 32 };

enum { PROBE_KINDS = SCHEME + 1, WHOLE_PORT = -1 };

struct probe_form {
	const char *name, *unit;
	uint32_t may;
};

extern const struct probe_form probe_forms[PROBE_KINDS];

struct probe {
	enum probe_kind kind;
	uint32_t on;      /* ON_PORT, ON_QUEUE, ON_FLOW or ON_TRAFFIC */
	uint32_t target;  /* link, flow or traffic section */
	int queue;        /* WHOLE_PORT, or one of its queues; PAUSES: a class */
	int64_t every_ps; /* 0: at each change */
	int64_t next_ps;
	double before;  /* of a counter, at the last sample */
	double area;    /* REWARD: integral of the queue over time then, in byte ps; NAN: unknown */
	uint64_t bytes; /* sent by the queue; of the section's connections that are over */
	/* Openers of the section's connections that are not; FCT: its flows that have not ended. */
	uint32_t open_count, *open;
	uint32_t series;                     /* its first */
	const struct weir_mark_value *value; /* SCHEME; NULL: it is one of agents (agents.h), ... */
	uint32_t agent_value;                /* ... the one of this number */
	struct probe_set *set;
};

struct probe_set {
	struct engine *engine;
	uint32_t probe_count, series_count;
	struct probe *probes;
	struct series *series;
};

/* The rank that sees what the probe is of: a flow's receiver, but its sender for its window. What
 * is of a whole section all see together, and rank 0 keeps it. */
static inline uint32_t probe_rank(const struct probe *p)
{
	const struct engine *e = p->set->engine;
	uint32_t node;

	if (!e->ranks || p->on == ON_TRAFFIC)
		return 0;
	if (p->on == ON_FLOW) {
		const struct flow *f = &e->flows.flows[p->target];

		node = e->net->host_node[p->kind == WINDOW ? f->src : f->dst];
	} else {
		node = e->net->links[p->target].from;
	}
	return e->ranks->rank_of[node];
}

static inline int probe_is_here(const struct probe *p)
{
	const struct ranks *r = p->set->engine->ranks;

	return !r || p->on == ON_TRAFFIC || probe_rank(p) == r->exchange->rank;
}

/* One line of the scenario. */
int probe_read(struct probe_set *set, const char *line, struct weir_error *e);
#endif
