/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_metric.h -- metrics computed from the flow records of a run, by name: fct or slowdown; of
 * all flows or _small, _medium, _large, _over_1mb; _mean, _p50, _p95, _p99 or _p999; and _ns after
 * fct.
 *
 * They cover the same flows as the run's own metrics: started in the measured interval, and
 * completed. The limits of small and large are settings of the run. Running out of memory ends the
 * program. */
#ifndef LAB_STORE_FLOW_METRIC_H
#define LAB_STORE_FLOW_METRIC_H
#include "lab/store/store.h"

enum flow_quantity { QUANTITY_FCT, QUANTITY_SLOWDOWN, QUANTITIES };
enum flow_class { CLASS_ALL, CLASS_SMALL, CLASS_MEDIUM, CLASS_LARGE, CLASS_OVER_1MB, CLASSES };
enum flow_statistic {
	STATISTIC_MEAN,
	STATISTIC_P50,
	STATISTIC_P95,
	STATISTIC_P99,
	STATISTIC_P999,
	STATISTICS
};

struct flow_metric {
	enum flow_quantity quantity;
	enum flow_class class;
	enum flow_statistic statistic;
};

enum { FLOW_METRICS = QUANTITIES * CLASSES * STATISTICS };

/* Name and help of the i-th metric; NULL: no more. */
const char *flow_metric_name(uint32_t i);
const char *flow_metric_help(uint32_t i);

/* Parses a name; 0: no flow metric. */
int flow_metric_find(const char *name, struct flow_metric *m);

/* Is it a flow metric? Sets its unit. */
int flow_metric_known(const char *name, const char **unit);

/* --- the flows that count --- */

struct counted_flow {
	uint64_t size_bytes;
	int64_t fct_ps;  /* negative: unfinished */
	double slowdown; /* NAN: unfinished */
	uint32_t section, class_id;
};

/* The flows of one run. Starts with `measure` filled in and the rest zeroed; freed by
 * flow_set_free. */
struct flow_set {
	struct measure_config measure;
	uint64_t count, room;
	struct counted_flow *flows;
	uint32_t section_count;
	char **sections; /* names by section number; NULL: the set has no flow of that section */
};

/* Sets `measure` from the [measure] settings of a stored run. */
void flow_set_measure(struct flow_set *s, const struct stored_run *run);

/* Do metrics of the run cover the flow? */
int flow_is_counted(const struct measure_config *m, const struct stored_flow *f);

/* Adds a row of TABLE_FLOW if it counts. A visitor for store_each_flow; always returns 0. */
int flow_set_add(void *set, const struct stored_flow *f);

/* Adds the flows of another set; section numbers keep the name they have in the first set. */
void flow_set_join(struct flow_set *s, const struct flow_set *other);

void flow_set_free(struct flow_set *s);

/* The flows of a stored run. A store opened with STORE_READ caches sets up to a limit. The set
 * belongs to the store and is valid until the next call. NULL: message. */
const struct flow_set *store_flow_set(struct store *s, const struct stored_run *run,
				      struct weir_error *e);

/* Selects flows of a set. Where a filter is NULL, all flows are selected. */
struct flow_filter {
	int (*is_in)(const void *context, const struct counted_flow *f);
	const void *context;
};

/* Counts completed flows by class; returns the number of unfinished ones. */
uint64_t flow_set_counts(const struct flow_set *s, uint64_t counted[CLASSES]);

/* Number of unfinished flows of the class. */
uint64_t flow_set_unfinished(const struct flow_set *s, enum flow_class class);

/* Number of selected flows of the class that completed. */
uint64_t flow_set_count(const struct flow_set *s, enum flow_class class,
			const struct flow_filter *filter);

/* The metric over the selected flows; NAN: there are none. sample: scratch space for set->count
 * numbers. */
double flow_set_metric(const struct flow_set *s, const struct flow_metric *m,
		       const struct flow_filter *filter, double *sample);

/* All statistics of a quantity of a class, with a single sort. */
struct flow_numbers {
	double of[STATISTICS]; /* NAN: no flows */
};

struct flow_numbers flow_set_numbers(const struct flow_set *s, enum flow_quantity quantity,
				     enum flow_class class, const struct flow_filter *filter,
				     double *sample);

/* Are there enough flows for this percentile? See sample_has_quantile, sim/measure/sample.h. */
int flow_statistic_is_known(enum flow_statistic statistic, uint64_t flows);
#endif
