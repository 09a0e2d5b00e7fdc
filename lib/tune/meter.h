/* SPDX-License-Identifier: BSD-3-Clause */
/* meter.h -- telemetry of queues for tuners and agents: a wrapper around a marking scheme that
 * measures each queue and lets its knobs be set.
 *
 * The wrapped scheme must have knobs (struct weir_mark_knobs). To ports the wrapper is an ordinary
 * marking scheme: it forwards every packet to the inner scheme, returns its verdict, and accounts
 * arrivals and departures. A queue's state is the inner state, then struct meter, then the queue's
 * own copy of the inner params, so each queue can be tuned by itself. Ports without a tuner pay
 * nothing. Hooks run in the port's thread; owners read meters where that thread is stopped.
 *
 * Every arrival and departure is accounted, so the mean length is exact to the nanosecond. A packet
 * that finds the line free was never in the queue. */
#ifndef TUNE_METER_H
#define TUNE_METER_H
#include "weir/agent.h"
#include "weir/mark.h"
#include "weir/tune.h"

/* The params of wrapped ports. The plan and the inner params must outlive the ports. */
struct meter_plan {
	const struct weir_mark_ops *inner;
	const void *inner_params;
	uint32_t inner_size;   /* of a state, a multiple of 8 */
	uint32_t inner_needs;  /* enum weir_mark_need */
	uint32_t pass_not_ect; /* as in struct weir_port_plan: a mark leaves such packets alone */
	uint32_t unused;
};

/* The running interval of one queue. */
struct meter {
	int64_t begin_ns, last_ns; /* accounted for up to last_ns */
	uint64_t area;             /* integral of the length up to then, in byte ns */
	uint64_t max_bytes;
	uint64_t out_bytes, ce_bytes;
	uint64_t marked_pkts;
};

/* Initialises the plan and returns the ops of the wrapper: the inner ones but for the hooks that
 * measure. */
struct weir_mark_ops weir_meter_init(struct meter_plan *plan, const struct weir_mark_ops *inner,
				     const void *inner_params);

static inline struct meter *meter_of(void *state, const struct meter_plan *plan)
{
	return (struct meter *)((char *)state + plan->inner_size);
}

/* The queue's own params, with the knobs last applied. */
static inline void *meter_inner_params(void *state, const struct meter_plan *plan)
{
	return meter_of(state, plan) + 1;
}

/* Ends the interval with the given queue length and starts the next. The caller fills in rate,
 * flows and MTU. */
void weir_meter_read(struct meter *m, int64_t now_ns, uint64_t queue_bytes,
		     struct weir_tune_telemetry *t);

/* --- a tuner per queue, as one agent, so that owners run agents only --- */

/* The agent's params. What they point at must outlive it. */
struct tune_per_queue {
	const struct weir_tune_ops *ops;
	const void *params;
};

/* Decides every 5 round-trip times, as PRED does. It has no name and no values: the tuner's values
 * are read with the function below. */
extern const struct weir_agent_ops weir_tune_per_queue;

double weir_tune_per_queue_value(const void *state, const struct tune_per_queue *tuner,
				 uint32_t queue, const struct weir_tune_value *value);
#endif
