/* SPDX-License-Identifier: BSD-3-Clause */
/* results.h -- a run's numbers for people (a table), for programs (JSON) and for both (CSV).
 *
 * Writers put out the same bytes for the same result; what depends on the machine (METRIC_COST)
 * is in a group of its own. A quantity that cannot be known is "-" in the table, null in JSON and
 * an empty field in CSV. */
#ifndef LAB_STORE_RESULTS_H
#define LAB_STORE_RESULTS_H
#include "base/text.h"
#include "sim/run/run.h"
#include <stdio.h>

/* For a screen of that many columns, at least 40. */
void results_table(FILE *f, const struct config *c, const struct run_result *r, int width);

/* As export_json and export_csv (export.h) write runs of a store, and whether it is partial. */
int results_json(FILE *f, const struct config *c, const struct run_result *r, struct weir_error *e);
int results_csv(const char *folder, const struct config *c, const struct run_result *r,
		struct weir_error *e);

/* Could results_csv write there? Asked before a run; leaves nothing behind. */
int results_csv_probe(const char *folder, struct weir_error *e);

/* "completed", "unfinished", "unlimited", or "never-started": waited for others in vain. */
const char *flow_state(uint64_t size_bytes, int64_t start_ps, int64_t finish_ps);
/* "data", or "control" for a flow of some size that has no ideal completion time:
 * sim/traffic/gate.h. */
const char *flow_kind(uint64_t size_bytes, int64_t ideal_ps);

/* Index into metric_all, or -1. */
int metric_index(const char *name);

/* The name under which a metric of a run is in a result folder, and back: -1 for an unknown name
 * and for that of an earlier definition. */
const char *metric_stored_name(const struct metric *m);
int metric_stored_index(const char *name);

/* A metric of a run, or one that is made from flows (lab/store/flow_metric.h); NULL: there is
 * none. */
const struct metric *metric_find(const char *name);

/* The name as the title of a column, without its unit: "fct_small_p999_ns" is "FCT small",
 * "p99.9". */
enum { METRIC_TITLE_SIZE = 64 };
struct metric_title {
	char part[2][METRIC_TITLE_SIZE];
};
struct metric_title metric_title(const char *name);
#endif
