/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_share.h -- statistics of the flow distribution that papers quote and tables do not have as
 * columns:
 *
 *	fct_small_within 1ms	share of small flows that completed within 1 ms
 *	slowdown_within 3	share of flows with a slowdown of at most 3
 *	fct_small_p97_ns	any percentile: p5, p97; p975 is 97.5 %
 *
 * Classes are those of flow_metric.h, which has priority: p50, p95, p99 and p999 are its metrics.
 * An unfinished flow counts as not completed within any time; percentiles cover completed flows
 * only. */
#ifndef LAB_ANALYSIS_FLOW_SHARE_H
#define LAB_ANALYSIS_FLOW_SHARE_H
#include "lab/store/flow_metric.h"

struct flow_share {
	enum flow_quantity quantity;
	enum flow_class class;
	enum flow_share_kind { SHARE_WITHIN, SHARE_QUANTILE } what;
	double level; /* WITHIN: nanoseconds, or a slowdown; QUANTILE: 0.97 */
};

/* 1: text is such a metric; 0: it is not; -1: it is malformed, with a message. */
int flow_share_read(struct flow_share *m, const char *text, struct weir_error *e);

const char *flow_share_unit(const struct flow_share *m); /* "ns" or "" */

/* NAN: there are no such flows. */
double flow_share_value(const struct flow_share *m, const struct flow_set *set);
#endif
