/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h -- what is counted between the beginning and the end of the measured interval. Private
 * to this room and run.c. */
#ifndef SIM_MEASURE_MEASURE_H
#define SIM_MEASURE_MEASURE_H
#include "sim/core/engine.h"
#include "sim/parallel/ranks.h"
#include "sim/core/host.h"
#include "sim/measure/probe.h"
#include "sim/measure/result.h"
#include <string.h>

enum measure_phase { PHASE_BEFORE, PHASE_MEASURING, PHASE_AFTER };

/* Counters that only grow; the interval's share is end minus beginning. */
struct port_counts {
	uint64_t tx_pkts, tx_bytes, marks, drops;
	int64_t unsent_ps; /* of the last frame counted: what was still to be sent */
};

struct host_counts {
	uint64_t data_pkts, marked_pkts, goodput_bytes, retransmits, timeouts;
	uint64_t small_flow_timeouts, retransmitted_flows;
	uint64_t arrival_bytes; /* of the goodput, until measure.goodput_to_ps */
};

/* What a port counted in the whole run. */
struct port_end {
	uint64_t tx_pkts, marks[WEIR_MARK_REASONS], drops[WEIR_PORT_DROPS];
};

struct measure {
	const struct config *config;
	struct engine *engine;
	enum measure_phase phase;
	int64_t from_ps, to_ps; /* to: WEIR_TIME_NEVER_PS until it is known */
	int64_t limit_ps;       /* the run ends here at the latest */
	int64_t now_ps;
	int64_t expected_ps; /* about when the run ends: measure.to, or the last start */
	/* Goodput is measured until then, if before to_ps; WEIR_TIME_NEVER_PS: until to_ps. */
	int64_t goodput_to_ps;
	uint64_t timed_ends; /* flow_ends of flows that start at a time, not when others end */
	double cpu_seconds;
	int64_t peak_kib; /* memory of other ranks, the largest */
	struct probe_set *probes;
	int64_t port_link; /* chosen port; -1: the one with the largest mean queue */
	/* in the interval */
	struct port_counts *ports;      /* per link */
	struct weir_port_stats **stats; /* per link; NULL: held nothing, or has no queue */
	struct link_pauses *pauses;     /* per link: count and sum_ps; NULL: nothing is lossless */
	struct host_counts hosts;       /* summed */
	struct port_end
		*ends;   /* per link, of ports of other ranks (gather.h); NULL: there are none */
	uint64_t *parts; /* per flow, likewise: what measure_part_bytes says of it there */
	uint64_t *flow_bytes; /* per flow that opened a connection: received in the interval */
};

int measure_new(struct measure *m, const struct config *c, struct weir_error *e);
void measure_free(struct measure *m);

/* May packets wait where the link begins? At switches, and at hosts whose cards have a queue. */
int measure_has_queue(const struct engine *e, uint32_t link);

/* Where measure.to is not set, the measured interval ends with the last flow, which a single
 * straggler may put off at will. Goodput is then measured until the last flow starts, which is the
 * same time for every setting; but not if flows come in a burst, faster than their receivers' links
 * could carry half of their payload, nor if some wait for others: then what counts is when all is
 * done. Called once the flows are known. */
void measure_plan_goodput(struct measure *m, int64_t last_start_ps);

void measure_begin(struct measure *m, int64_t now_ps);
/* At goodput_to_ps: keeps what has been received so far. */
void measure_goodput(struct measure *m);
void measure_end(struct measure *m, int64_t now_ps);
/* Has every flow ended that has begun or is to begin? Those whose gate stays shut never begin. */
int measure_flows_done(const struct measure *m);

static inline struct port_end measure_port_end(const struct measure *m, uint32_t link)
{
	const struct weir_port *p = &engine_egress(m->engine, link)->port;
	struct port_end end = { .tx_pkts = p->tx_pkts };

	if (!engine_owns_link(m->engine, link))
		return m->ends[link];
	memcpy(end.marks, p->cold->marks, sizeof(end.marks));
	memcpy(end.drops, p->cold->drops, sizeof(end.drops));
	return end;
}

/* What has arrived of a flow that did not end, where that counts; 0: it does not. */
uint64_t measure_part_bytes(const struct measure *m, uint32_t flow);

/* metrics.c */
void measure_results(struct measure *m, struct run_result *r);
#endif
