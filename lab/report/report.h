/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h -- a report on the runs of a result folder: which runs there are, how they compare, and
 * charts. It is read from a store once, and written as an HTML page, as SVG files, or as data for
 * gnuplot and matplotlib.
 *
 * Runs that differ in the seed only are a case, one row of the comparison, whose numbers are means
 * over the seeds. One swept numeric setting is the axis (a load, a threshold); cases that differ in
 * it only are a scheme, one line of a chart. Functions that return int return 0, or -1 with a
 * message unless stated otherwise. Running out of memory ends the program. */
#ifndef LAB_REPORT_REPORT_H
#define LAB_REPORT_REPORT_H
#include "lab/analysis/answer.h"
#include "lab/analysis/choice.h"
#include "lab/report/chart.h"
#include "lab/report/document.h"

/* A setting and its distinct values, in the order of the runs. */
struct report_setting {
	const char *path; /* also "version" */
	uint32_t value_count;
	const char **values; /* "-": a run does not have it */
};

/* A row of the comparison as a point of charts. */
struct report_case {
	uint32_t scheme;    /* index into report.schemes */
	double x;           /* value of the axis, in axis_unit; 0: there is no axis */
	const char *x_text; /* as in the scenario; "": there is no axis */
	const struct compare_row *row;
};

enum report_part {
	PART_FIRST, /* on the first screen */
	PART_FCT,
	PART_SIZES,
	PART_CDF,
	PART_QUEUE,
	PART_THROUGHPUT,
	PART_WINDOW,
	PART_OTHER,
	PART_COUNT
};

struct report {
	struct comparison compare;
	uint32_t setting_count;
	struct report_setting *settings; /* all settings, with seed and version */
	const struct compare_axis *axis; /* NULL: no numeric setting was swept */
	char axis_unit[16];
	uint32_t scheme_count;
	char **schemes; /* labels */
	uint32_t case_count;
	struct report_case *cases; /* sorted by scheme, then by x */
	struct chart_list charts;
	uint32_t sentence_count;
	char **sentences;         /* the answer: lab/analysis/answer.h */
	struct comparison ratios; /* each run relative to the baseline's with the same seed; no
				     rows: there is no baseline */
	struct comparison parts;  /* by traffic section; no rows: there is one section */
	int has_choice;           /* 1: the runs belong to a search */
	struct choice choice;     /* its outcome */
};

/* -1: the store has no runs; -2: it cannot be read or is damaged. Then nothing is left to free. */
int report_read(struct report *r, struct store *s, enum store_scope scope, struct weir_error *e);
void report_free(struct report *r);

/* The same without charts and parts: what the sentences and the first table need. */
int report_read_first(struct report *r, struct store *s, enum store_scope scope,
		      struct weir_error *e);

/* --- output --- */

void report_html(FILE *f, const struct report *r);

/* Write one file for each chart into a folder, which is created if missing: ID.svg; or ID.dat and
 * ID.gp for gnuplot, with plots.py for matplotlib. */
int report_svg(const char *folder, const struct report *r, struct weir_error *e);
int report_plots(const char *folder, const struct report *r, struct weir_error *e);

/* Add parts of the page to another one. runs: the section "What was run". caveats: unfinished
 * flows, PFC deadlock, runs that are not shown; nothing if there are none. */
void report_add_runs(struct document *d, const struct report *r);
void report_add_caveats(struct document *d, const struct comparison *c);

/* Tables (report_tables.c, report_choice.c). first: few numbers with their ratios. choice: nothing
 * if the runs belong to no search. apps: nothing if no run has I/Os or rounds. */
void report_table_first(struct document *d, const struct report *r);
void report_table_all(struct document *d, const struct report *r);
void report_table_parts(struct document *d, const struct report *r);
void report_table_tiers(struct document *d, const struct report *r);
void report_table_choice(struct document *d, const struct report *r);
void report_table_apps(struct document *d, const struct report *r);

/* --- used between the files of this module --- */

/* Determines settings, axis, schemes and cases from the rows of the comparison. */
void report_compare(struct report *r);

/* Fill in r->charts. */
int report_charts(struct report *r, struct store *s, struct weir_error *e);
int report_sizes(struct report *r, struct store *s, struct weir_error *e);

void report_add_sentence(struct report *r, const char *line);

/* A search: adds its sentences; the label of a row, freed by the caller, NULL if its runs belong to
 * no setting of the search; the rows in the order in which they are shown, the chosen setting
 * first, freed by the caller. */
void report_choice_sentences(struct report *r);
char *report_choice_label(const struct report *r, const struct compare_row *row);
uint32_t *report_row_order(const struct report *r);

/* The row of another comparison of the same runs for the case and the part; NULL: none. */
const struct compare_row *report_row(const struct report *r, const struct comparison *c,
				     const struct report_case *k, uint32_t part);

/* NULL: no run has it. */
const struct report_setting *report_setting(const struct report *r, const char *path);

struct report_text {
	char text[256];
};

/* "traffic.web.load = 0.8"; "" if there is no axis. */
struct report_text report_x_name(const struct report *r, const struct report_case *k);

/* The column of a metric; -1: none. */
int report_column(const struct comparison *c, const char *metric);

/* The metrics of a table (METRIC_IN_REPORTS), under the titles of metric_title. FIRST: those of
 * answers, the most important first. */
enum report_table {
	REPORT_FLOWS,
	REPORT_NETWORK,
	REPORT_TIERS,
	REPORT_APPLICATIONS,
	REPORT_FIRST,
	REPORT_PARTS
};

enum { REPORT_METRICS_MAX = 32 };

struct report_metrics {
	uint32_t count;
	const char *names[REPORT_METRICS_MAX];
};

struct report_metrics report_metrics_of(enum report_table table);

/* The column by which cases without an axis are sorted: the first metric of REPORT_FIRST that has a
 * number; -1: none. */
int report_goal(const struct report *r);

/* A unit and the factor to divide by: 2e6 "ns" is 2 "ms". */
struct report_unit {
	double factor;
	const char *name;
};

/* The unit that suits the number, which is in `unit`. */
struct report_unit report_unit(double number, const char *unit);

/* The unit with that name for numbers in `unit`, "ms" for "ns"; 0: there is none. */
int report_unit_find(const char *name, const char *unit, struct report_unit *found);

/* Reads values that are numbers of one kind (0.9, 20KB) in the unit of the largest, whose name is
 * "" if they have none. -1, without a message: they are not. */
int report_numbers(const char *const *values, uint32_t count, double *numbers, const char **unit);

/* --- parts of charts --- */

/* Completed flows, as metrics count them. Initialise with zeros and the section. */
struct flow_sample {
	const char *section; /* traffic section; NULL: all */
	uint64_t count;
	double *fct_us, *slowdown;
};

int flow_sample_add(struct flow_sample *sample, struct store *s, const struct stored_run *run,
		    struct weir_error *e);
void flow_sample_free(struct flow_sample *sample);

/* The chart with that part, title and variant, which is added if it does not exist. */
struct chart *report_chart(struct chart_list *list, uint32_t part, const char *title,
			   const char *variant);

/* "web, traffic.web.load = 0.8": the variant of a chart for a traffic section, "": all, and a case.
 */
struct report_text report_variant(const struct report *r, const char *section,
				  const struct report_case *k);

/* Appends the distribution of the positive values, for a logarithmic axis. Changes the values. */
void report_cdf(struct chart_line *l, double *values, uint64_t count);

/* The flows of a row, compared by flow size. */
struct size_line {
	struct store *s;
	const struct stored_runs *runs;
	const struct compare_row *row;
	const struct comparison *bins; /* by flow size, possibly after traffic */
	struct flow_metric metric;
};

/* Appends a point for each range of sizes with enough flows, at their middle size in bytes. */
int report_size_line(struct chart_line *l, const struct size_line *of, struct weir_error *e);

/* Scales and labels the x axis "flow size (KB)". */
void report_size_axis(struct chart *c);

/* Appends the points of a series over time in ns, as many as a zoomed chart can show. */
void report_series(struct chart_line *l, const struct stored_series *s);
enum chart_kind report_series_kind(const char *name);

/* Scales and labels both axes of a chart over time; unit: of y. */
void report_finish_series(struct chart *c, const char *unit);

/* Scales y to a unit that suits the largest number, and labels it "what (unit)". unit: of y. */
void report_y_unit(struct chart *c, const char *what, const char *unit);

/* Adds a warning to the chart's note if runs have unfinished flows or PFC deadlock. */
void report_note_health(const struct report *r, struct chart *c);

/* Reduces lines until the file has a size that browsers open. */
void report_limit_points(struct chart_list *list);
#endif
