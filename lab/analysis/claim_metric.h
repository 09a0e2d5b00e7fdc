/* SPDX-License-Identifier: BSD-3-Clause */
/* claim_metric.h -- metrics that only claims have: statistics of a probe's time series, and of the
 * flow distribution, which papers quote and tables do not have as columns. */
#ifndef LAB_ANALYSIS_CLAIM_METRIC_H
#define LAB_ANALYSIS_CLAIM_METRIC_H
#include "lab/store/flow_metric.h"
#include "lab/store/store.h"

/* --- time series ---
 *
 * Reduces a probe's time series to one number:
 *
 *	series "queue sw->h0" mean 10ms..20ms		also min max p50 p95 p99 std sum last
 *	series "throughput flow:2" reaches 4.9Gbps after 60ms
 *	series "queue sw->h0" falls-to 25 after 60ms
 *
 * The name is the one in the store. The range may be open ("10ms..", "..20ms") or omitted, which
 * means the whole measured interval. A series recorded at each change is weighted by time. Samples
 * of a sampled series have equal weight; a sample of a rate or count (throughput, marks, drops)
 * covers the interval that ends with it, so 10ms..20ms takes the samples after 10 ms up to and
 * including 20 ms. "reaches" and "falls-to" give the nanoseconds from the given time until the
 * series is first at or above (at or below) the level; INFINITY: never. */

enum series_statistic {
	SERIES_MEAN,
	SERIES_MIN,
	SERIES_MAX,
	SERIES_P50,
	SERIES_P95,
	SERIES_P99,
	SERIES_STD, /* population standard deviation, not of a sample */
	SERIES_SUM, /* sum of the samples; for a series recorded at each change the integral over
		       seconds */
	SERIES_LAST,
	SERIES_REACHES,
	SERIES_FALLS_TO,
};

struct series_metric {
	char series[128]; /* "queue sw->h0" */
	enum series_statistic what;
	int64_t from_ps, to_ps; /* to_ps INT64_MAX: open */
	double level;           /* REACHES and FALLS_TO only */
	char level_unit[16];
};

/* Does the text of a metric begin with the word "series"? */
int is_series_metric(const char *text);

int series_metric_read(struct series_metric *m, const char *text, struct weir_error *e);

/* The unit if the name of the series implies it ("queue" is in pkts); NULL: a scheme's series,
 * whose unit only the store knows. */
const char *series_metric_unit(const struct series_metric *m);

/* How a series was recorded. */
struct series_origin {
	int at_each_change; /* 1: at each change; 0: sampled */
	int64_t end_ps;     /* end of the measured interval */
};

/* Derived from the settings of the run: its first probe with a series of that name. */
struct series_origin series_origin(const struct stored_run *run, const char *name);

/* NAN: no values within the range. */
double series_metric_value(const struct series_metric *m, const struct stored_series *s,
			   const struct series_origin *o);

/* Would a run with these settings have the series? series_check refuses a name that no probe makes;
 * series_metric_check also a range beyond the end of the measured interval. */
int series_check(const char *name, const struct stored_run *run, struct weir_error *e);
int series_metric_check(const struct series_metric *m, const struct stored_run *run,
			struct weir_error *e);

/* --- shares and percentiles of flows ---
 *
 *	fct_small_within 1ms	share of small flows that completed within 1 ms
 *	slowdown_within 3	share of flows with a slowdown of at most 3
 *	fct_small_p97_ns	any percentile: p5, p97; p975 is 97.5 %
 *
 * Classes are those of lab/store/flow_metric.h, which has priority: p50, p95, p99 and p999 are its
 * metrics. An unfinished flow counts as not completed within any time; percentiles cover completed
 * flows only. */

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
