/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_share.h -- what papers say of the distribution of flows, beyond the columns of a table:
 *
 *	fct_small_within 1ms	the share of small flows that ended within that time
 *	slowdown_within 3
 *	fct_small_p97_ns	any percentile: p5, p97, p975 is 97.5 %
 *
 * Classes are those of flow_metric.h, which is asked first: p50, p95, p99 and p999 are its own. A
 * flow that did not end did not end within any time; percentiles are of those that ended. */
#ifndef LAB_ANALYSIS_FLOW_SHARE_H
#define LAB_ANALYSIS_FLOW_SHARE_H
#include "lab/store/flow_metric.h"

struct flow_share {
	enum flow_quantity quantity;
	enum flow_class class;
	enum flow_share_kind { SHARE_WITHIN, SHARE_QUANTILE } what;
	double level; /* WITHIN: nanoseconds, or a slowdown; QUANTILE: 0.97 */
};

/* 1: it is one; 0: it is something else; -1: it is one with a mistake, and a message. */
int flow_share_read(struct flow_share *m, const char *text, struct weir_error *e);

const char *flow_share_unit(const struct flow_share *m); /* "ns" or "" */

/* NAN: there is no such flow. */
double flow_share_value(const struct flow_share *m, const struct flow_set *set);
#endif
