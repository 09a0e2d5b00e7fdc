/* compare.h -- many runs as one table: rows by settings, columns by metrics, means over the rest.
 *
 * A row is a combination of the settings that are compared. What its runs do not share, usually the
 * seed, is averaged: a cell is the mean and its 95 % confidence interval by Student's t. A ratio is that of
 * two runs of the same luck; its mean is the geometric one and its interval that of the logarithms, which
 * lies on one side of zero. Besides the metrics of a run there are those that are made from its flows, by name:
 * fct or slowdown, _small, _medium, _large or _over_1mb, _mean, _p50, _p99 or _p999, and _ns after fct. */
#ifndef LAB_COMPARE_COMPARE_H
#define LAB_COMPARE_COMPARE_H
#include "lab/store/health.h"
#include "lab/store/store.h"
#include <stdio.h>

struct compare_request {
	uint32_t by_count, also_count, metric_count;
	const char *const *by;   /* paths; none: every setting but the seed that differs */
	const char *const *also; /* where those differ, they are there even if a case holds them */
	const char *const *metrics; /* none: those that people look at first */
	int is_usual;               /* 1: nobody asked for just these; some may be left out */
	const char *
		normalize_to; /* NULL, or a value: rows are shown relative to the one that has it */
	enum store_scope scope;
};

struct compare_axis {
	const char *path; /* "switch.marking"; "version" where programs differ */
	uint32_t value_count;
	const char **values; /* in the order of the runs */
	char **labels;       /* the same, short: "tcn", or "ecn(k=65pkts)" where k differs */
};

struct compare_column {
	const char *name, *unit; /* of the metric, as asked for; unit "" where relative */
	int metric;              /* index into metric_all, -1: made from flows */
};

struct compare_cell {
	double mean;      /* NAN: unknown */
	double low, high; /* of the interval; NAN: unknown, as where there is one run */
	double half;      /* of the interval; NAN: unknown, or a ratio's, which is longer above */
	uint32_t count;   /* runs that have a number */
	int is_doubtful;  /* flows did not end, or links are stuck, in a run that it is made of */
};

struct compare_row {
	uint32_t *value;            /* index into the values of each axis */
	uint32_t run_count, *runs;  /* indices into the runs */
	struct compare_cell *cells; /* one a column */
	struct health health;       /* of its runs */
};

struct comparison {
	struct stored_runs runs;
	double *numbers; /* run x column */
	char **ports;    /* where each run's queue was measured; NULL: nobody asked */
	int ports_differ; /* 1: no setting names one port, and the longest queue is not always the same */
	uint32_t axis_count, column_count, row_count;
	struct compare_axis *axes;
	struct compare_column *columns;
	struct compare_row *rows;
	char mixed[256]; /* settings that differ within rows, besides the seed; "" */
};

/* -1: the request does not fit the runs; -2: the store cannot be read, or is damaged. On both nothing is
 * left to free. */
int comparison_make(struct comparison *c, struct store *s, const struct compare_request *q,
		    struct weir_error *e);
void comparison_free(struct comparison *c);

/* What a row is, besides its settings and numbers. Each is shown only where there is something to say. */
enum compare_fact {
	FACT_RUNS,      /* how many there are, where that differs */
	FACT_FLOWS,     /* how many ended, where some did not */
	FACT_DEADLOCKS, /* in how many runs */
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

/* Lines, each without its end, that say which port and which runs the numbers are of, and what "!" and "*"
 * beside them mean. */
void comparison_caveats(const struct comparison *c, void (*say)(void *context, const char *line),
			void *context);

/* "!": doubtful; "*": of fewer runs than its row; "". */
const char *cell_mark(const struct compare_row *row, const struct compare_cell *cell);

/* How it is laid out. */
struct compare_layout {
	int width;    /* of a line */
	int all;      /* 1: every column, in several tables where needed; 0: those that fit */
	int relative; /* 1: numbers are ratios */
};

void comparison_print(FILE *f, const struct comparison *c, const struct compare_layout *l);

/* Columns where none are asked for: those that people look at first, and all that are usual. */
extern const char *const compare_usual[]; /* ends with NULL */

/* --- used between the files of this module --- */

enum { COMPARE_COLUMNS_MAX = 64 };

/* Paths that are more than settings: the program's version, the case that holds others, and what is in
 * a file that a setting names. */
#define COMPARE_VERSION "version"
#define COMPARE_CASE "case"
#define COMPARE_DIGEST "digest."

/* "" where the run has no such setting. */
const char *compare_value(const struct stored_run *run, const char *path);

/* Have the runs several values of it? */
int compare_differs(const struct stored_runs *runs, const char *path);

/* Is it the same in all runs of each case? Then it tells nothing apart that the case does not. */
int compare_is_of_case(const struct stored_runs *runs, const char *path);

/* Is the column of the measured port, or of flows that completed? */
enum metric_kind column_kind(const struct compare_column *column);

/* Fills in c->ports. */
int comparison_ports(struct comparison *c, struct store *s, struct weir_error *e);

/* Fills the cells of all rows. */
int comparison_fill(struct comparison *c, const char *normalize_to, struct weir_error *e);

/* Half the width of the 95 % confidence interval of the mean; NAN for less than two numbers. */
double confidence_half(const double *numbers, uint32_t count);

/* Is it a metric that is made from flows? Gives its unit. */
int flow_metric_known(const char *name, const char **unit);

/* The i-th name of those, into name of at least 64 bytes; 0 when there are no more. */
int flow_metric_name(uint32_t i, char *name);

/* Computes them for one run: numbers[k] for columns[k] where its metric is -1. */
int flow_metrics(struct store *s, const struct stored_run *run, const struct comparison *c,
		 double *numbers, struct weir_error *e);

/* Short texts for the values of an axis. */
void axis_labels(struct compare_axis *a);
#endif
