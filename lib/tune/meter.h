/* SPDX-License-Identifier: BSD-3-Clause */
/* meter.h -- a marking scheme that measures: what each queue did in an interval, and knobs to turn.
 *
 * A meter is made from a scheme that has knobs (struct weir_mark_knobs). To ports it is a marking
 * scheme like any other; it asks the inner one about every packet and answers with its verdict, and
 * writes down what came and left. A queue's state is the inner scheme's, then its struct meter,
 * then the queue's own copy of the inner parameters; so the inner scheme works as ever, and each
 * queue can be turned alone.
 *
 * Ports that are not metered know nothing of this.
 *
 * Every arrival and departure is seen, so the mean is that of the length at every nanosecond. A
 * packet that finds the line free has not been in the queue. */
#ifndef TUNE_METER_H
#define TUNE_METER_H
#include "weir/agent.h"
#include "weir/mark.h"
#include "weir/tune.h"

/* What the ports' params are. Must outlive them, and so must the inner params. */
struct meter_plan {
	const struct weir_mark_ops *inner;
	const void *inner_params;
	uint32_t inner_size;   /* of a state, a multiple of 8 */
	uint32_t inner_needs;  /* enum weir_mark_need */
	uint32_t pass_not_ect; /* as in struct weir_port_plan: a mark leaves such packets alone */
	uint32_t unused;
};

/* One interval of one queue, so far. */
struct meter {
	int64_t begin_ns, last_ns; /* accounted for up to last_ns */
	uint64_t area;             /* integral of the length up to then, in byte ns */
	uint64_t max_bytes;
	uint64_t out_bytes, ce_bytes;
	uint64_t marked_pkts;
};

/* The ops of ports whose params are that plan. A copy of the inner ones but for the hooks that
 * measure. */
struct weir_mark_ops weir_meter_init(struct meter_plan *plan, const struct weir_mark_ops *inner,
				     const void *inner_params);

static inline struct meter *meter_of(void *state, const struct meter_plan *plan)
{
	return (struct meter *)((char *)state + plan->inner_size);
}

/* The queue's own, as last turned. */
static inline void *meter_inner_params(void *state, const struct meter_plan *plan)
{
	return meter_of(state, plan) + 1;
}

/* The interval ends now, with so much in the queue; the next begins. Leaves rate, flows and MTU to
 * the caller, who knows them. */
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
