/* results.h -- a run's numbers for people (a table), for programs (JSON) and for both (CSV).
 *
 * Writers put out the same bytes for the same result; what depends on the machine (METRIC_COST)
 * is in a group of its own. A quantity that cannot be known is "-" in the table, null in JSON and
 * an empty field in CSV. */
#ifndef LAB_STORE_RESULTS_H
#define LAB_STORE_RESULTS_H
#include "lab/base/text.h"
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
/* "data", or "control" for a flow of some size that has no ideal completion time: sim/traffic/gate.h. */
const char *flow_kind(uint64_t size_bytes, int64_t ideal_ps);

/* Index into metric_all, or -1. */
int metric_index(const char *name);
#endif
