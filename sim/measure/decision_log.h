/* SPDX-License-Identifier: BSD-3-Clause */
/* decision_log.h -- records decisions of congestion controls with a policy network, for training.
 *
 *	struct decision_log log;
 *	const struct weir_cc_rollout rollout = {
 *		decision_log_add, &log, seed, WEIR_CC_EXPLORE_NOISE, 0.1F
 *	};
 *
 *	decision_log_new(&log, flows, rows);
 *	run(&config, &(struct run_control){ .threads = 1, .rollout = &rollout }, &result, &e);
 *	rows of flow f: decision_log_rows(&log, f), log.counts[f] of them
 *
 * Rows are kept by flow in order of time, so that they do not depend on the number of threads. A
 * row holds an observation and the action taken; the next row holds its outcome. So n rows of a
 * flow are n - 1 steps (observation and action of row i, reward from row i + 1) and a last
 * observation, after which the flow may continue. */
#ifndef SIM_MEASURE_DECISION_LOG_H
#define SIM_MEASURE_DECISION_LOG_H
#include "weir/cc.h"

struct decision_log {
	uint32_t flows, rows_each; /* capacity; decisions beyond it are discarded */
	uint32_t *counts;          /* [flows] */
	struct weir_cc_decision *rows;
};

void decision_log_new(struct decision_log *l, uint32_t flows, uint32_t rows_each);
void decision_log_free(struct decision_log *l);

/* Empties the log for the next run. */
void decision_log_clear(struct decision_log *l);

/* For weir_cc_rollout.record, with the log as its context. */
void decision_log_add(void *log, const struct weir_cc_decision *d);

static inline const struct weir_cc_decision *decision_log_rows(const struct decision_log *l,
							       uint32_t flow)
{
	return l->rows + (size_t)flow * l->rows_each;
}
#endif
