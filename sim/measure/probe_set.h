/* SPDX-License-Identifier: BSD-3-Clause */
/* probe_set.h -- probes as they were read: shared by probe.c, probe_read.c and gather.c. */
#ifndef SIM_MEASURE_PROBE_SET_H
#define SIM_MEASURE_PROBE_SET_H
#include "sim/parallel/ranks.h"
#include "sim/measure/probe.h"

enum probe_kind {
	PROBE_QUEUE,
	PROBE_QUEUE_BYTES,
	PROBE_THROUGHPUT,
	PROBE_WINDOW,
	PROBE_MARKS,
	PROBE_DROPS,
	PROBE_PAUSES,
	PROBE_REWARD,
	PROBE_FCT,
	PROBE_SCHEME
};

/* Targets that a kind of probe may have, and how it is sampled: at each change without "every", as
 * the difference of a counter. */
enum {
	PROBE_ON_PORT = 1,
	PROBE_ON_QUEUE = 2,
	PROBE_ON_FLOW = 4,
	PROBE_ON_TRAFFIC = 8,
	PROBE_AT_CHANGE = 16,
	PROBE_COUNTS = 32
};

enum { PROBE_KINDS = PROBE_SCHEME + 1, PROBE_WHOLE_PORT = -1 };

struct probe_form {
	const char *name, *unit;
	uint32_t may; /* bits of the enum above */
};

extern const struct probe_form probe_forms[PROBE_KINDS];

struct probe {
	enum probe_kind kind;
	uint32_t on;      /* PROBE_ON_PORT, PROBE_ON_QUEUE, PROBE_ON_FLOW or PROBE_ON_TRAFFIC */
	uint32_t target;  /* link, flow or traffic section */
	int queue;        /* PROBE_WHOLE_PORT, or a queue of it; PROBE_PAUSES: a class */
	int64_t every_ps; /* 0: at each change */
	int64_t next_ps;
	double before;  /* value of the counter at the last sample */
	double area;    /* PROBE_REWARD: integral of the queue at the last sample, byte ps; NAN:
			   unknown */
	uint64_t bytes; /* sent by the queue; or received on the section's closed connections */
	/* Flows that opened the section's open connections; PROBE_FCT: its unfinished flows. */
	uint32_t open_count, *open;
	uint32_t series;                     /* index of its first series */
	const struct weir_mark_value *value; /* PROBE_SCHEME; NULL: an agent's value, */
	uint32_t agent_value;                /* of this index (agents.h) */
	struct probe_set *set;
};

struct probe_set {
	struct engine *engine;
	uint32_t probe_count, series_count;
	struct probe *probes;
	struct series *series;
};

/* The rank that samples the probe: that of a flow's receiver, for its window that of its sender.
 * Probes of a section are sampled by all ranks together; rank 0 keeps the series. */
static inline uint32_t probe_rank(const struct probe *p)
{
	const struct engine *e = p->set->engine;
	uint32_t node;

	if (!e->ranks || p->on == PROBE_ON_TRAFFIC)
		return 0;
	if (p->on == PROBE_ON_FLOW) {
		const struct flow *f = &e->flows.flows[p->target];

		node = e->net->host_node[p->kind == PROBE_WINDOW ? f->src : f->dst];
	} else {
		node = e->net->links[p->target].from;
	}
	return e->ranks->rank_of[node];
}

static inline int probe_is_here(const struct probe *p)
{
	const struct ranks *r = p->set->engine->ranks;

	return !r || p->on == PROBE_ON_TRAFFIC || probe_rank(p) == r->exchange->rank;
}

/* Reads one line of measure.probe into the set. Returns 0, or -1 with a message. */
int probe_read(struct probe_set *set, const char *line, struct weir_error *e);
#endif
