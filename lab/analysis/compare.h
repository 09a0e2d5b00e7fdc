/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.h -- many runs as one table: rows by settings, columns by metrics, means over the rest.
 *
 * A row is a combination of the settings that are compared. What its runs do not share, usually the
 * seed, is averaged: a cell is the mean and its 95 % confidence interval by Student's t. A ratio is
 * that of two runs of the same luck; its mean is the geometric one and its interval that of the
 * logarithms, which lies on one side of zero. Besides the metrics of a run there are those that are
 * made from its flows (lab/store/flow_metric.h). Rows may also be parts of runs: the flows of a
 * traffic section, of a class, of some sizes; columns are then what flows have. */
#ifndef LAB_ANALYSIS_COMPARE_H
#define LAB_ANALYSIS_COMPARE_H
#include "lab/store/flow_metric.h"
#include "lab/store/health.h"
#include <stdio.h>

struct compare_request {
	uint32_t by_count, also_count, metric_count;
	/* paths, or words of compare_split_names; no path: every setting but the seed that
	 * differs */
	const char *const *by;
	const char *const *also; /* where those differ, they are there even if a case holds them */
	const char *const *metrics; /* none: those that tables show (METRIC_IN_TABLES) */
	int is_usual;               /* 1: nobody asked for just these; some may be left out */
	const char *
		normalize_to; /* NULL, or a value: rows are shown relative to the one that has it */
	const char
		*sort; /* NULL, or a metric: rows with the least of it first; "-NAME": the most */
	const char *sizes; /* NULL, or where flow sizes are divided: "10KB, 1MB"; else by deciles */
	enum { PERCENTILES_KNOWN, PERCENTILES_ALL } percentiles; /* ALL: also of too few flows */
	enum { ROWS_APART, ROWS_JOINED } same; /* JOINED: rows with the same numbers are one */
	enum store_scope scope;
};

/* By what the flows of a run are told apart. */
enum compare_split_kind { SPLIT_TRAFFIC, SPLIT_CLASS, SPLIT_SIZE, SPLITS };

extern const char *const compare_split_names[SPLITS];

struct compare_split {
	enum compare_split_kind kind;
	uint32_t axis, count;
	char **names;    /* of its values */
	uint64_t *above; /* TRAFFIC, CLASS: its number; SIZE: flows are larger than this ... */
	double *middle;  /* ... and half of them no larger than this; NAN: there are none */
};

/* What a number of a part of a run is of. */
struct compare_flows {
	uint64_t counted[CLASSES], unfinished;
};

struct compare_axis {
	const char *path; /* "switch.marking"; "version" where programs differ */
	uint32_t value_count;
	const char **values; /* in the order of the runs */
	char **labels;       /* the same, short: "tcn", or "ecn(k=65pkts)" where k differs */
};

struct compare_column {
	const char *name, *unit;   /* of the metric, as asked for; unit "" where relative */
	int metric;                /* index into metric_all, -1: made from flows */
	const struct metric *info; /* what it is, either way */
};

struct compare_cell {
	double mean;      /* NAN: unknown */
	double low, high; /* of the interval; NAN: unknown, as where there is one run */
	double half;      /* of the interval; NAN: unknown, or a ratio's, which is longer above */
	uint32_t count;   /* runs that have a number */
	int is_even;      /* a ratio that may as well be 1 */
	int is_doubtful;  /* flows did not end, or links are stuck, in a run that it is made of */
};

struct compare_row {
	uint32_t *value;            /* index into the values of each axis */
	uint32_t part;              /* of these runs; 0 where they are not split */
	uint32_t run_count, *runs;  /* indices into the runs */
	struct compare_cell *cells; /* one a column */
	struct health health;       /* of its runs */
};

struct comparison {
	struct stored_runs runs;
	enum store_scope scope;
	double *numbers;                  /* run x part x column */
	uint32_t split_count, part_count; /* parts: 1 where runs are not split */
	struct compare_split splits[SPLITS];
	struct compare_flows *flows; /* run x part; NULL: no column is made of flows */
	uint32_t section_count;
	char **sections;  /* of traffic, those with flows that ended */
	int has_too_few;  /* 1: a percentile is not shown, because it is of too few flows */
	char **ports;     /* where each run's queue was measured; NULL: nobody asked */
	int ports_differ; /* 1: no setting names one port, and the longest queue is not always the
			     same */
	uint32_t axis_count, column_count, row_count;
	struct compare_axis *axes;
	struct compare_column *columns;
	struct compare_row *rows;
	char *joined;    /* "ecn = mq-ecn, a = b": rows that are one; NULL: none */
	char mixed[256]; /* settings that differ within rows, besides the seed; "" */
};

/* -1: the request does not fit the runs; -2: the store cannot be read, or is damaged. On both
 * nothing is left to free. */
int comparison_make(struct comparison *c, struct store *s, const struct compare_request *q,
		    struct weir_error *e);
void comparison_free(struct comparison *c);

/* What a row is, besides its settings and numbers. Each is shown only where there is something to
 * say. */
enum compare_fact {
	FACT_RUNS,      /* how many there are, where that differs */
	FACT_COUNTED,   /* how many flows the numbers are of, a run, where runs are split */
	FACT_FLOWS,     /* how many ended, where some did not */
	FACT_DEADLOCKS, /* in how many runs */
	FACT_HELD_UP,   /* how many real runs the machine disturbed */
	FACT_PORT,      /* where the queue was longest, where that differs */
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

/* Lines, each without its end, that say which port and which runs the numbers are of, and what "!"
 * and "*" beside them mean. */
void comparison_caveats(const struct comparison *c, void (*say)(void *context, const char *line),
			void *context);

/* "!": doubtful; "~": a ratio whose interval holds 1; "*": of fewer runs than its row; "". */
const char *cell_mark(const struct compare_row *row, const struct compare_cell *cell);

/* As CSV: a line for each row, with the mean, the ends of its interval and the runs of every
 * column. */
void comparison_csv(FILE *f, const struct comparison *c);

/* How it is laid out. */
struct compare_layout {
	int width;    /* of a line */
	int all;      /* 1: every column, in several tables where needed; 0: those that fit */
	int relative; /* 1: numbers are ratios */
};

/* A line of text in lines of that width. */
void comparison_print_line(FILE *f, int width, const char *line);

void comparison_print(FILE *f, const struct comparison *c, const struct compare_layout *l);

/* --- used between the files of this module --- */

enum { COMPARE_COLUMNS_MAX = 96 };

/* Paths that are more than settings: the program's version, the case that holds others, and what is
 * in a file that a setting names. */
#define COMPARE_VERSION "version"
#define COMPARE_CASE "case"
#define COMPARE_DIGEST "digest."

/* "" where the run has no such setting. */
const char *compare_value(const struct stored_run *run, const char *path);

/* Have the runs several values of it? */
int compare_differs(const struct stored_runs *runs, const char *path);

/* Is it the same in all runs of each case? Then it tells nothing apart that the case does not. */
int compare_is_of_case(const struct stored_runs *runs, const char *path);

/* May it tell rows apart? The seed is what is averaged; what is recorded changes no result. */
int compare_is_compared(const struct stored_runs *runs, const char *path);

void compare_row_free(struct compare_row *row);

/* Makes the rows, without their cells. */
void comparison_make_rows(struct comparison *c);

/* Rows that have the same numbers in every run become one, under the names of all; where one
 * setting tells rows apart. */
void comparison_join(struct comparison *c);

/* Which settings differ inside a row? Their mean is over more than luck. */
void comparison_find_mixed(struct comparison *c);

/* Is the column of the measured port, or of flows that completed? */
enum metric_kind column_kind(const struct compare_column *column);

/* Fills in c->ports. */
int comparison_ports(struct comparison *c, struct store *s, struct weir_error *e);

/* Fills the cells of all rows. */
int comparison_fill(struct comparison *c, const char *normalize_to, struct weir_error *e);

/* What rows are relative to: a row, and the setting in which it is another. */
struct compare_reference {
	const struct compare_row *row; /* NULL: rows are not relative */
	const char *path;
	uint32_t same_count;
	const char **same; /* settings in which two runs must agree to be compared */
};

/* For rows that differ in the axis; its row is the caller's to set. To be freed. */
struct compare_reference comparison_reference(const struct comparison *c, uint32_t axis);
void comparison_reference_free(struct compare_reference *r);

/* The row over that of the reference, or less it, run by run of the same luck. */
enum compare_pairing { PAIR_RATIO, PAIR_DIFFERENCE };
struct compare_cell comparison_pair(const struct comparison *c, const struct compare_row *row,
				    const struct compare_reference *r, uint32_t column,
				    enum compare_pairing how);

/* Half the width of the 95 % confidence interval of the mean; NAN for less than two numbers. */
double confidence_half(const double *numbers, uint32_t count);

/* Computes what is made from flows for one whole run: numbers[k] for columns[k] where its metric is
 * -1. */
int flow_metrics(struct store *s, const struct stored_run *run, const struct comparison *c,
		 double *numbers, struct weir_error *e);

/* The same for the parts of a run of the comparison, in its own numbers, and how many flows they
 * are of. */
int comparison_read_flows(struct comparison *c, struct store *s, uint32_t run,
			  const struct compare_request *q, struct weir_error *e);

/* Is any column of flows that completed? */
int comparison_has_flows(const struct comparison *c);

/* Is it one of compare_split_names? Then it becomes the next split, of that axis. */
int comparison_add_split(struct comparison *c, const char *name, uint32_t axis);

/* Finds what the splits tell apart, in all runs. */
int comparison_find_parts(struct comparison *c, struct store *s, const struct compare_request *q,
			  struct weir_error *e);
void comparison_free_parts(struct comparison *c);

/* The flows of a set, part by part. */
struct flow_parts {
	struct flow_set set;        /* of the part; none of it is its own */
	uint32_t part, count;       /* the current one, of how many */
	struct counted_flow *flows; /* by part, then as they were; NULL: there is one part */
	uint64_t *ends;             /* of each part */
};

/* Beginning with the first part; the set must stay. */
struct flow_parts comparison_parts_of(const struct comparison *c, const struct flow_set *set);

/* Goes on to the next; 0: there was none, and all is freed. */
int comparison_next_part(struct flow_parts *p);

/* The value that the part has of the split. */
uint32_t comparison_part_value(const struct comparison *c, uint32_t part, uint32_t split);

/* Orders the rows by a column; those of one part stay together. */
int comparison_sort(struct comparison *c, const char *metric, struct weir_error *e);

/* Short texts for the values of an axis. */
void axis_labels(struct compare_axis *a);
#endif
