/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_metric.h -- numbers that are made from the flows of a run, by name: fct or slowdown; of all
 * flows or _small, _medium, _large, _over_1mb; _mean, _p50, _p95, _p99 or _p999; and _ns after fct.
 *
 * The flows that count are those of the run's own metrics: started in the measured interval, and
 * completed. What small and large mean is a setting of the run. Memory that is missing ends the
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

/* The i-th name of those, and what it is; NULL when there are no more. */
const char *flow_metric_name(uint32_t i);
const char *flow_metric_help(uint32_t i);

/* What it is; NULL: none. For names that runs may have, too: metric_find (lab/store/results.h). */
const struct metric *flow_metric_info(const char *name);

/* Which one is it? 0: none. */
int flow_metric_find(const char *name, struct flow_metric *m);

/* Is it one, and in which unit? */
int flow_metric_known(const char *name, const char **unit);

/* --- the flows that count --- */

struct counted_flow {
	uint64_t size_bytes;
	int64_t fct_ps;  /* negative: it did not end */
	double slowdown; /* NAN: it did not end */
	uint32_t section, class_id;
};

/* Begins with its measure_config filled in, the rest zeroed. */
struct flow_set {
	struct measure_config measure;
	uint64_t count, room;
	struct counted_flow *flows;
	uint32_t section_count;
	char **sections; /* names by number; NULL: none of its flows is here */
};

/* The settings of [measure] of a stored run, from their texts. */
void flow_set_measure(struct flow_set *s, const struct stored_run *run);

/* Takes a row of TABLE_FLOW, where it counts; a visitor of flows. */
int flow_set_add(void *set, const struct stored_flow *f);

/* Adds the flows of another set to it; a section is named as where its number came first. */
void flow_set_join(struct flow_set *s, const struct flow_set *other);

void flow_set_free(struct flow_set *s);

/* Those of a run of a store. A store that is open for reading keeps what it has read once, up to a
 * limit, so that many may ask; the set is valid until another one is asked for. NULL: message. */
const struct flow_set *store_flow_set(struct store *s, const struct stored_run *run,
				      struct weir_error *e);

/* Those flows of a set for which is_in says so; NULL: all. */
struct flow_filter {
	int (*is_in)(const void *context, const struct counted_flow *f);
	const void *context;
};

/* How many flows of the set ended, class by class; returns how many did not. */
uint64_t flow_set_counts(const struct flow_set *s, uint64_t counted[CLASSES]);

/* How many of the class did not end. */
uint64_t flow_set_unfinished(const struct flow_set *s, enum flow_class class);

/* How many of them ended and are of the class. */
uint64_t flow_set_count(const struct flow_set *s, enum flow_class class,
			const struct flow_filter *filter);

/* The metric of these; sample has room for as many as the set. NAN: of none. */
double flow_set_metric(const struct flow_set *s, const struct flow_metric *m,
		       const struct flow_filter *filter, double *sample);

/* All statistics of a quantity of a class, for less than one by one. */
struct flow_numbers {
	double of[STATISTICS]; /* NAN: of none */
};

struct flow_numbers flow_set_numbers(const struct flow_set *s, enum flow_quantity quantity,
				     enum flow_class class, const struct flow_filter *filter,
				     double *sample);

/* Is it more than the largest of a few? See sample_has_quantile, sim/measure/sample.h. */
int flow_statistic_is_known(enum flow_statistic statistic, uint64_t flows);
#endif
