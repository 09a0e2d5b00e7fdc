/* SPDX-License-Identifier: BSD-3-Clause */
/* series_metric.h -- one number from a probe's series:
 *
 *	series "queue sw->h0" mean 10ms..20ms		also min max p50 p95 p99 std sum last
 *	series "throughput flow:2" reaches 4.9Gbps after 60ms
 *	series "queue sw->h0" falls-to 25 after 60ms
 *
 * The name is the store's. The range may be open ("10ms..", "..20ms") or left out: all that was
 * measured. A series that was recorded at each change is weighted by time; of a sampled one every
 * sample counts alike, and one that tells what happened since the last (throughput, marks, drops)
 * belongs to the time before it: to 10ms..20ms the samples after 10 ms up to that of 20 ms.
 * "reaches" and "falls-to" are nanoseconds from the given time until the series first is at or
 * above, at or below the level; INFINITY where it never is. */
#ifndef LAB_ANALYSIS_SERIES_METRIC_H
#define LAB_ANALYSIS_SERIES_METRIC_H
#include "lab/store/store.h"

enum series_statistic {
	SERIES_MEAN,
	SERIES_MIN,
	SERIES_MAX,
	SERIES_P50,
	SERIES_P95,
	SERIES_P99,
	SERIES_STD, /* standard deviation, of the whole and not of a sample */
	SERIES_SUM, /* of the samples; of a recorded series, the integral over seconds */
	SERIES_LAST,
	SERIES_REACHES,
	SERIES_FALLS_TO,
};

struct series_metric {
	char series[128]; /* "queue sw->h0" */
	enum series_statistic what;
	int64_t from_ps, to_ps; /* to_ps: INT64_MAX where open */
	double level;           /* REACHES and FALLS_TO */
	char level_unit[16];
};

/* Is the text of a metric one of these? Begins with the word series. */
int is_series_metric(const char *text);

int series_metric_read(struct series_metric *m, const char *text, struct weir_error *e);

/* The unit of the metric where the name of the series tells it ("queue" is in pkts); NULL: it is a
 * scheme's value, whose unit the store knows. */
const char *series_metric_unit(const struct series_metric *m);

/* How a series came to be. */
struct series_origin {
	int at_each_change; /* 1: recorded at each change; 0: sampled */
	int64_t end_ps;     /* when measuring ended */
};

/* By the settings of the run: its first probe of that name. */
struct series_origin series_origin(const struct stored_run *run, const char *name);

/* NAN: nothing of the series lies in the range. */
double series_metric_value(const struct series_metric *m, const struct stored_series *s,
			   const struct series_origin *o);

/* Would a run with these settings have the series? Refuses a name that none of its probes makes;
 * the second also a range that lies beyond the end of measuring. */
int series_check(const char *name, const struct stored_run *run, struct weir_error *e);
int series_metric_check(const struct series_metric *m, const struct stored_run *run,
			struct weir_error *e);
#endif
