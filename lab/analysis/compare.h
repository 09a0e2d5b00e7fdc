/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h -- many runs as one table: rows are settings, columns are metrics, each cell a mean
 * over the remaining runs.
 *
 * A row is one combination of the compared settings. Runs that still differ, usually in the seed,
 * are averaged: a cell is the mean with its 95 % confidence interval by Student's t. A ratio pairs
 * runs with the same seed; its mean is geometric, and its interval is that of the mean logarithm.
 * Besides the metrics of a run there are metrics computed from its flow records
 * (lab/store/flow_metric.h). Rows may also be parts of runs: the flows of a traffic section, of a
 * class, or of a range of sizes. */
#ifndef LAB_ANALYSIS_COMPARE_H
#define LAB_ANALYSIS_COMPARE_H
#include "lab/store/flow_metric.h"
#include "lab/store/store.h"
#include <stdio.h>

struct compare_request {
	uint32_t by_count, also_count, metric_count;
	/* setting paths, or names from compare_split_names; empty: every setting except the seed
	 * that differs */
	const char *const *by;
	const char *const *also;    /* shown if they differ, even if a case determines them */
	const char *const *metrics; /* empty: the default columns (METRIC_IN_TABLES) */
	int is_usual;               /* 1: metrics are the defaults, of which some may be omitted */
	const char *normalize_to; /* NULL, or a value: rows are shown as ratios to the row with this
				     value */
	const char *sort;  /* NULL, or a metric to sort rows by, ascending; "-NAME": descending */
	const char *sizes; /* NULL, or boundaries of flow sizes, "10KB, 1MB"; default: deciles */
	enum {
		PERCENTILES_KNOWN,
		PERCENTILES_ALL
	} percentiles; /* ALL: percentiles of too few flows are shown, too */
	enum { ROWS_APART, ROWS_JOINED } same; /* JOINED: rows with identical numbers are merged */
	enum store_scope scope;
};

/* What the flows of a run are split by. */
enum compare_split_kind { SPLIT_TRAFFIC, SPLIT_CLASS, SPLIT_SIZE, SPLITS };

extern const char *const compare_split_names[SPLITS];

struct compare_split {
	enum compare_split_kind kind;
	uint32_t axis, count;
	char **names;    /* names of the values */
	uint64_t *above; /* TRAFFIC, CLASS: the value's number; SIZE: flows are larger than this ...
			  */
	double *middle;  /* ... and half of them are at most this size; NAN: no flows */
};

/* Number of flows behind a part's metrics. */
struct compare_flows {
	uint64_t counted[CLASSES], unfinished;
};

struct compare_axis {
	const char *path; /* "switch.marking"; "version" if builds differ */
	uint32_t value_count;
	const char **values; /* in order of first appearance */
	char **labels;       /* short form: "tcn", or "ecn(k=65pkts)" where k differs */
};

struct compare_column {
	const char *name, *unit;   /* name as requested; unit: "" for ratios */
	int metric;                /* index into metric_all; -1: computed from flow records */
	const struct metric *info; /* its description in either case */
};

struct compare_cell {
	double mean;      /* NAN: unknown */
	double low, high; /* confidence interval; NAN: unknown, as with one run */
	double half;      /* half width; NAN: unknown, or a ratio, whose interval is asymmetric */
	uint32_t count;   /* number of runs with a value */
	int is_even;      /* a ratio whose confidence interval includes 1: not significant */
	int is_doubtful;  /* a run behind it has unfinished flows or a PFC deadlock */
};

struct compare_row {
	uint32_t *value;            /* index into the values of each axis */
	uint32_t part;              /* part of the runs; 0 if runs are not split */
	uint32_t run_count, *runs;  /* indices into the stored runs */
	struct compare_cell *cells; /* one per column */
	struct health health;       /* summed over its runs */
};

struct comparison {
	struct stored_runs runs;
	enum store_scope scope;
	double *numbers;                  /* [run][part][column] */
	uint32_t split_count, part_count; /* part_count: 1 if runs are not split */
	struct compare_split splits[SPLITS];
	struct compare_flows
		*flows; /* [run][part]; NULL: no column is computed from flow records */
	uint32_t section_count;
	char **sections;  /* traffic sections with completed flows */
	int has_too_few;  /* 1: some percentile is omitted because it has too few flows */
	char **ports;     /* port at which each run's queue was measured; NULL: not needed */
	int ports_differ; /* 1: no setting fixes the port, and the longest queue is not always at
			     the same one */
	uint32_t axis_count, column_count, row_count;
	struct compare_axis *axes;
	struct compare_column *columns;
	struct compare_row *rows;
	char *joined;    /* "ecn = mq-ecn, a = b": merged rows; NULL: none */
	char mixed[256]; /* settings besides the seed that differ within rows; "": none */
};

/* -1: the request does not fit the runs; -2: the store cannot be read, or is damaged. On failure
 * there is nothing to free. */
int comparison_make(struct comparison *c, struct store *s, const struct compare_request *q,
		    struct weir_error *e);
void comparison_free(struct comparison *c);

/* Facts about a row, shown between its settings and its metrics if they carry information. */
enum compare_fact {
	FACT_RUNS,      /* number of runs, if rows differ */
	FACT_COUNTED,   /* flows behind the numbers, per run, if runs are split */
	FACT_FLOWS,     /* flows that completed, if some did not */
	FACT_DEADLOCKS, /* number of runs with a PFC deadlock */
	FACT_HELD_UP,   /* number of real-time runs that the machine disturbed */
	FACT_PORT,      /* port of the longest queue, if rows differ */
	FACTS,
};

enum { FACT_SIZE = 64 };

struct compare_fact_text {
	char text[FACT_SIZE];
};

int fact_is_shown(const struct comparison *c, enum compare_fact fact);
const char *fact_title(enum compare_fact fact);
struct compare_fact_text fact_text(const struct comparison *c, const struct compare_row *row,
				   enum compare_fact fact);

/* Receives sentences, one line per call, without line end. */
struct line_sink {
	void (*write)(void *context, const char *line);
	void *context;
};

/* Writes which port and runs the numbers refer to, and what the marks "!"
 * and "*" mean. */
void comparison_caveats(const struct comparison *c, const struct line_sink *sink);

/* "!": unfinished flows or PFC deadlock; "~": a ratio that is not significant (its 95 % confidence
 * interval includes 1); "*": fewer runs than the rest of the row; or "". */
const char *cell_mark(const struct compare_row *row, const struct compare_cell *cell);

/* The flows behind a row, summed over its runs. Only if c->flows is not NULL. */
struct compare_flows comparison_flows_of_row(const struct comparison *c,
					     const struct compare_row *row);

/* As CSV: one line per row; for each column the mean, both ends of the interval and the number of
 * runs. */
void comparison_csv(FILE *f, const struct comparison *c);

/* Layout of the printed table. */
struct compare_layout {
	int width;    /* columns of the terminal */
	int all;      /* 1: every column, in several tables if needed; 0: those that fit */
	int relative; /* 1: cells are ratios */
};

/* Prints a line of text, wrapped at that width. */
void comparison_print_line(FILE *f, int width, const char *line);

void comparison_print(FILE *f, const struct comparison *c, const struct compare_layout *l);

/* --- shared by the files of this module --- */

enum { COMPARE_COLUMNS_MAX = 96 };

/* Pseudo-settings: the program's version, the case (a set of settings), and the digest of a file
 * that a setting names. */
#define COMPARE_VERSION "version"
#define COMPARE_CASE "case"
#define COMPARE_DIGEST "digest."

/* "" if the run has no such setting. */
const char *compare_value(const struct stored_run *run, const char *path);

/* Does the setting differ between runs? */
int compare_differs(const struct stored_runs *runs, const char *path);

/* Is the setting determined by the case? Then it adds nothing to it. */
int compare_is_of_case(const struct stored_runs *runs, const char *path);

/* May the setting distinguish rows? Not the seed, which is averaged, nor what is recorded, which
 * changes no result. */
int compare_is_compared(const struct stored_runs *runs, const char *path);

void compare_row_free(struct compare_row *row);

/* Makes the rows without their cells. */
void comparison_make_rows(struct comparison *c);

/* Merges rows with identical numbers in every run and joins their labels. Only if one setting
 * distinguishes the rows. */
void comparison_join(struct comparison *c);

/* Finds settings that differ within a row: the row's mean then covers more than seeds. */
void comparison_find_mixed(struct comparison *c);

/* Is the column about the measured port, completed flows, or neither? */
enum metric_kind column_kind(const struct compare_column *column);

/* Fills c->ports. */
int comparison_ports(struct comparison *c, struct store *s, struct weir_error *e);

/* Fills the cells of all rows. */
int comparison_fill(struct comparison *c, const char *normalize_to, struct weir_error *e);

/* The denominator of ratios: a row, and the setting in which it differs. */
struct compare_reference {
	const struct compare_row *row; /* NULL: cells are not ratios */
	const char *path;
	uint32_t same_count;
	const char **same; /* settings in which two runs must be equal to form a pair */
};

/* For rows that differ in the axis. The caller sets its row and frees it. */
struct compare_reference comparison_reference(const struct comparison *c, uint32_t axis);
void comparison_reference_free(struct compare_reference *r);

/* Paired ratio or paired difference of a row and the reference, over runs with the same seed. */
enum compare_pairing { PAIR_RATIO, PAIR_DIFFERENCE };
struct compare_cell comparison_pair(const struct comparison *c, const struct compare_row *row,
				    const struct compare_reference *r, uint32_t column,
				    enum compare_pairing how);

/* Half width of the 95 % confidence interval of the mean (Student's t); NAN for fewer than two
 * numbers. */
double confidence_half(const double *numbers, uint32_t count);

/* Computes the metrics that need flow records for one whole run: numbers[k] for columns[k] whose
 * metric is -1. */
int flow_metrics(struct store *s, const struct stored_run *run, const struct comparison *c,
		 double *numbers, struct weir_error *e);

/* The same for each part of a run, into the comparison's own numbers, with the number of flows
 * behind them. */
int comparison_read_flows(struct comparison *c, struct store *s, uint32_t run,
			  const struct compare_request *q, struct weir_error *e);

/* Is any column about completed flows? */
int comparison_has_flows(const struct comparison *c);

/* Adds a split, as this axis, if name is one of compare_split_names. */
int comparison_add_split(struct comparison *c, const char *name, uint32_t axis);

/* The split behind an axis; NULL: the axis is a setting. */
const struct compare_split *comparison_split_of_axis(const struct comparison *c, uint32_t axis);

/* Finds the values of all splits over all runs. */
int comparison_find_parts(struct comparison *c, struct store *s, const struct compare_request *q,
			  struct weir_error *e);
void comparison_free_parts(struct comparison *c);

/* Iterator over the flows of a set, part by part. */
struct flow_parts {
	struct flow_set set;        /* flows of the current part, borrowed */
	uint32_t part, count;       /* current part; number of parts */
	struct counted_flow *flows; /* sorted by part, stable; NULL: there is one part */
	uint64_t *ends;             /* end of each part in flows */
};

/* Starts before the first part. The set must outlive the iteration. */
struct flow_parts comparison_parts_of(const struct comparison *c, const struct flow_set *set);

/* Advances to the next part. 0: there is none, and everything is freed. */
int comparison_next_part(struct flow_parts *p);

/* The part's value of the split. */
uint32_t comparison_part_value(const struct comparison *c, uint32_t part, uint32_t split);

/* Sorts the rows by a column; rows of one part stay together. */
int comparison_sort(struct comparison *c, const char *metric, struct weir_error *e);

/* Makes the short labels of an axis. */
void axis_labels(struct compare_axis *a);
#endif
