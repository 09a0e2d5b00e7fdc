/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h -- counts what happens between the beginning and the end of the measured interval.
 *
 * Private to sim/measure and sim/run/run.c, which owns struct measure and calls everything here at
 * a barrier, with all workers stopped. */
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
	int64_t unsent_ps; /* serialisation time left of the last frame counted */
};

struct host_counts {
	uint64_t data_pkts, marked_pkts, goodput_bytes, retransmits, timeouts;
	uint64_t small_flow_timeouts, retransmitted_flows;
	uint64_t arrival_bytes; /* of the goodput, until measure.goodput_to_ps */
};

/* Counters of a port over the whole run. */
struct port_end {
	uint64_t tx_pkts, marks[WEIR_MARK_REASONS], drops[WEIR_PORT_DROPS];
};

struct measure {
	const struct config *config;
	struct engine *engine;
	enum measure_phase phase;
	int64_t from_ps, to_ps; /* to_ps: WEIR_TIME_NEVER_PS until it is known */
	int64_t limit_ps;       /* the run ends here at the latest */
	int64_t now_ps;
	int64_t expected_ps; /* expected end of the run: measure.to, or the last start */
	/* Goodput is measured until then, if before to_ps; WEIR_TIME_NEVER_PS: until to_ps. */
	int64_t goodput_to_ps;
	uint64_t timed_ends; /* sum of flow_ends of the flows that have a start time */
	double cpu_seconds;
	int64_t peak_kib; /* largest memory of the other ranks */
	struct probe_set *probes;
	int64_t port_link; /* measure.port; -1: the port with the largest mean queue */
	/* in the interval */
	struct port_counts *ports;      /* per link */
	struct weir_port_stats **stats; /* per link; NULL: never held a packet, or has no queue */
	struct link_pauses *pauses;     /* per link: count and sum_ps; NULL: no lossless class */
	struct host_counts hosts;       /* summed */
	struct port_end *ends; /* per link, of ports of other ranks (gather.c); NULL: one rank */
	uint64_t *parts; /* per flow of other ranks: its measure_part_bytes there; NULL: one rank */
	uint64_t *job_bytes;  /* per job: received by its ranks in the interval; NULL: no jobs */
	uint64_t *flow_bytes; /* per flow that opened a connection: received in the interval */
};

int measure_new(struct measure *m, const struct config *c, struct weir_error *e);
void measure_free(struct measure *m);

/* Can packets queue at the sending end of the link? At switches, and at hosts whose NICs have a
 * queue. */
int measure_has_queue(const struct engine *e, uint32_t link);

/* Chooses goodput_to_ps, once the flows are known. Without measure.to the measured interval ends
 * with the last flow, which one straggler may delay without limit. Goodput is then measured until
 * the last flow starts, the same time for all settings; except if the flows are a burst, offered
 * faster than GOODPUT_BURST times the rate of their receivers' links, or wait for each other: then
 * the completion of all is what counts. */
void measure_plan_goodput(struct measure *m, int64_t last_start_ps);

void measure_begin(struct measure *m, int64_t now_ps);

/* At goodput_to_ps: records the goodput so far. */
void measure_goodput(struct measure *m);
void measure_end(struct measure *m, int64_t now_ps);

/* Has every flow ended that has started or will? Flows whose gate stays closed never start. */
int measure_flows_done(const struct measure *m);

/* Counters of a port over the whole run, of any rank. */
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

/* Bytes received of an unfinished flow, if it counts (measure.unfinished); else 0. */
uint64_t measure_part_bytes(const struct measure *m, uint32_t flow);

/* --- metrics.c --- */

/* Computes all metrics from the interval, after measure_end and gather_results. */
void measure_results(struct measure *m, struct run_result *r);

/* --- gather.c --- */

/* After measure_end, called by all ranks: rank 0 collects what the others measured and then has
 * what one process would have. With one process nothing to do. */
void gather_results(struct measure *m);
void gather_free(struct measure *m);

/* --- audit.c --- */

/* Checks that all accounts of a run agree with the state they count: packets sent with packets
 * delivered, dropped and in flight; the bytes of a queue with its packets; the shared buffer of a
 * switch with its queues; PFC's ingress accounts with the packets that arrived there and are still
 * in the switch; received bytes with arrivals. Walks all packets. Returns 0, or -1 with a message:
 * a bug, and the run is no result. */
int audit_run(struct engine *e, struct weir_error *error);

/* --- metrics_flows.c --- */

/* At the end of a run: finds unfinished flows that no path is left for. Links do not recover, so
 * they never finish. */
void partition_find(const struct engine *e, int64_t now_ps, struct partition *p);
#endif
