/* SPDX-License-Identifier: BSD-3-Clause */
/* results.h -- output of one run: a table for people, JSON and CSV for programs; metrics by name.
 *
 * The same result gives the same bytes; metrics that depend on the machine (METRIC_COST) are a
 * group of their own. An unknown value is "-" in the table, null in JSON and an empty field in CSV.
 */
#ifndef LAB_STORE_RESULTS_H
#define LAB_STORE_RESULTS_H
#include "base/text.h"
#include "sim/run/run.h"
#include <stdio.h>

struct store;
struct stored_runs;

/* Prints the table for a terminal of `width` columns, at least 40. */
void results_table(FILE *f, const struct config *c, const struct run_result *r, int width);

/* Everything in a store: runs.csv, reasons.csv, flows.csv, ports.csv, pauses.csv and series.csv in
 * a folder, which is created if missing (either all files appear, or none); and the same as JSON.
 */
int export_csv(const char *folder, struct store *s, const struct stored_runs *runs,
	       struct weir_error *e);
int export_json(FILE *f, struct store *s, const struct stored_runs *runs, struct weir_error *e);

/* The same form as export_json and export_csv for one run that has just ended, plus whether the run
 * is partial. */
int results_json(FILE *f, const struct config *c, const struct run_result *r, struct weir_error *e);
int results_csv(const char *folder, const struct config *c, const struct run_result *r,
		struct weir_error *e);

/* Can results_csv write to that folder? To be called before a run; leaves no file. */
int results_csv_probe(const char *folder, struct weir_error *e);

/* "completed", "unfinished", "unlimited", or "never-started" (its dependencies never completed). */
const char *flow_state(uint64_t size_bytes, int64_t start_ps, int64_t finish_ps);

/* Index into metric_all, or -1. */
int metric_index(const char *name);

/* The name of a run's metric in a result folder, and its index by that name; -1: unknown, or the
 * name of an earlier definition. */
const char *metric_stored_name(const struct metric *m);
int metric_stored_index(const char *name);

/* A metric of runs, or one computed from flows (lab/store/flow_metric.h); NULL: unknown. */
const struct metric *metric_find(const char *name);

/* The name as a column title in two lines, without unit: "fct_small_p999_ns" is "FCT small",
 * "p99.9". */
enum { METRIC_TITLE_SIZE = 64 };
struct metric_title {
	char part[2][METRIC_TITLE_SIZE];
};
struct metric_title metric_title(const char *name);
#endif
