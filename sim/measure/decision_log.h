/* SPDX-License-Identifier: BSD-3-Clause */
/* decision_log.h -- the decisions of flows whose control has a network, for those that train it.
 *
 *	struct decision_log log;
 *	const struct weir_cc_rollout trial = { decision_log_add, &log, seed, WEIR_CC_EXPLORE_NOISE,
 * 0.1F };
 *
 *	decision_log_new(&log, flows, rows);
 *	run(&config, &(struct run_control){ .threads = 1, .rollout = &trial }, &result, &e);
 *	rows of flow f: decision_log_rows(&log, f), log.counts[f] of them
 *
 * Rows are kept by flow in the order of time, so that they do not depend on threads. A row holds
 * what an action was based on; what it led to stands in the next one. So of n rows a flow has n - 1
 * steps (observation and action of row i, reward from row i + 1) and one last observation, after
 * which more could come. */
#ifndef SIM_MEASURE_DECISION_LOG_H
#define SIM_MEASURE_DECISION_LOG_H
#include "weir/cc.h"

struct decision_log {
	uint32_t flows, rows_each; /* what there is room for; what comes beyond is not kept */
	uint32_t *counts;          /* [flows] */
	struct weir_cc_decision *rows;
};

void decision_log_new(struct decision_log *l, uint32_t flows, uint32_t rows_each);
void decision_log_free(struct decision_log *l);

/* Nothing has happened yet: for the next run. */
void decision_log_clear(struct decision_log *l);

/* For weir_cc_rollout.record, with the log as its context. */
void decision_log_add(void *log, const struct weir_cc_decision *d);

static inline const struct weir_cc_decision *decision_log_rows(const struct decision_log *l,
							       uint32_t flow)
{
	return l->rows + (size_t)flow * l->rows_each;
}
#endif
