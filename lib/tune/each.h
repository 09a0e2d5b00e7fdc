/* SPDX-License-Identifier: BSD-3-Clause */
/* each.h -- a tuner for each queue, as one agent: whoever runs agents runs tuners too. */
#ifndef TUNE_EACH_H
#define TUNE_EACH_H
#include "weir/agent.h"

/* The agent's params. What they point at must outlive it. */
struct tune_each {
	const struct weir_tune_ops *ops;
	const void *params;
};

/* Intervals of 5 round-trip times, as PRED has them. It has no name, and no values: see below. */
extern const struct weir_agent_ops weir_tune_per_queue;

/* What the tuner of a queue publishes. */
double weir_tune_per_queue_value(const void *state, const struct tune_each *each, uint32_t queue,
				 const struct weir_tune_value *value);
#endif
