/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h -- what a result folder holds, told to a reader: which runs there are, how they compare,
 * and charts of it. The program reads a report from a store once and writes it as one HTML file or
 * its charts as SVG files.
 *
 * Runs that differ in the seed only are a case, a row of the comparison; its numbers are means over
 * the seeds. Cases that differ in one chosen setting with numbers (the axis: a load, a threshold)
 * are a scheme: one line in a chart. Memory that is missing ends the program. */
#ifndef LAB_REPORT_REPORT_H
#define LAB_REPORT_REPORT_H
#include "lab/report/chart.h"
#include "lab/analysis/answer.h"
#include "lab/analysis/choice.h"

/* A setting and every value it has in the runs, in the order of the runs. */
struct report_setting {
	const char *path; /* "version" too */
	uint32_t value_count;
	const char **values; /* "-": a run does not have it */
};

/* Rows of the comparison, one a case, seen as points of charts. */
struct report_case {
	uint32_t scheme;    /* index into report.schemes */
	double x;           /* value of the axis, in axis_unit; 0: there is no axis */
	const char *x_text; /* as a user would write it; "": there is no axis */
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
	struct report_setting *settings; /* seed and all others */
	const struct compare_axis *axis; /* NULL: no setting with numbers was swept */
	char axis_unit[16];
	uint32_t scheme_count;
	char **schemes; /* labels */
	uint32_t case_count;
	struct report_case *cases; /* by scheme, then by x */
	struct chart_list charts;
	uint32_t sentence_count;
	char **sentences;         /* who wins: lab/analysis/answer.h */
	struct comparison ratios; /* each run over that of the same seed that the sentence compares
				   * with; no rows: there is none */
	struct comparison parts;  /* by traffic section; no rows: there is one */
	int has_choice;           /* 1: the runs are those of a search */
	struct choice choice;     /* its outcome */
};

/* Refuses a store without runs, by -1; -2: the store cannot be read, or is damaged. On both nothing
 * is left to free. */
int report_read(struct report *r, struct store *s, enum store_scope scope, struct weir_error *e);
void report_free(struct report *r);

/* The same without charts and parts: what the first table and its sentences need. */
int report_read_first(struct report *r, struct store *s, enum store_scope scope,
		      struct weir_error *e);

void report_html(FILE *f, const struct report *r);

/* One file for each chart in a folder that is made where it does not exist. */
int report_svg(const char *folder, const struct report *r, struct weir_error *e);

/* The numbers of each chart and what draws them with gnuplot or matplotlib. */
int report_plots(const char *folder, const struct report *r, struct weir_error *e);

/* --- the page, also for other pages of this look --- */

enum page_kind { PAGE_TEXT, PAGE_CHARTS }; /* with or without what draws charts */

/* Everything up to the first thing that is seen, and everything after the last. A live page may ask
 * its server. */
void page_begin(FILE *f, const char *title);
void page_begin_live(FILE *f, const char *title);
void page_end(FILE *f, const char *version, enum page_kind kind);

/* <name>text</name>, with what users wrote escaped. */
void page_element(FILE *f, const char *name, const char *text);

/* Stands above charts for those whose browser will not draw them. */
void page_noscript(FILE *f);

/* The section "What was run": how many runs, and their settings. */
void page_runs(FILE *f, const struct report *r);

/* What the numbers of the runs do not say by themselves: flows that did not end, links that are
 * stuck, runs that are not shown; nothing where all is well. */
void page_caveats(FILE *f, const struct comparison *c);

/* The numbers of a chart, as the script reads them: an object of JSON. */
void page_chart_data(FILE *f, const struct chart *c);

/* One place for all charts that have part and title of the first. */
void page_chart(FILE *f, const struct chart_list *list, uint32_t first);

/* --- used between the files of this module --- */

/* Finds the settings, and schemes, axis and cases from the rows of the comparison. */
void report_compare(struct report *r);

/* Fills in r->charts. */
int report_charts(struct report *r, struct store *s, struct weir_error *e);

/* Sentences and ratios. */
int report_answers(struct report *r, struct store *s, struct weir_error *e);

void report_add_sentence(struct report *r, const char *line);

/* A search, in report_choice.c: its sentences; the name of a row, for the caller to free, NULL
 * where its runs are of no setting of the search; and the rows in the order in which they are
 * shown, the chosen setting first. */
void report_choice_sentences(struct report *r);
char *report_choice_label(const struct report *r, const struct compare_row *row);
uint32_t *report_row_order(const struct report *r);

/* Charts of slowdown and completion time by flow size, in report_sizes.c. */
int report_sizes(struct report *r, struct store *s, struct weir_error *e);

/* The row of another comparison of the same runs that is of the case, and of a part; NULL: none. */
const struct compare_row *report_row(const struct report *r, const struct comparison *c,
				     const struct report_case *k, uint32_t part);

/* Tables, in report_tables.c: those few numbers that come first, beside their ratios; all; by
 * section. */
void report_table_first(FILE *f, const struct report *r);
void report_table_all(FILE *f, const struct report *r);
void report_table_parts(FILE *f, const struct report *r);
void report_table_tiers(FILE *f, const struct report *r);

/* Nothing where the runs are not those of a search. */
void report_table_choice(FILE *f, const struct report *r);

/* Nothing where no run has an I/O or a round. */
void report_table_apps(FILE *f, const struct report *r);

const struct report_setting *report_setting(const struct report *r, const char *path);

/* Is it what it would be had nobody written it? */
int report_is_default(const struct report_setting *s);

/* "traffic.web.load = 0.8"; "" where there is no axis. */
struct report_text {
	char text[256];
};

struct report_text report_x_name(const struct report *r, const struct report_case *k);

/* The column of a metric, or -1: it is not known. */
int report_column(const struct report *r, const char *metric);

/* Which metrics a table shows (METRIC_IN_REPORTS), under the titles of metric_title; FIRST: what
 * answers are about, most important first (lab/analysis/answer.h). */
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

/* The column by which cases are ordered where there is no axis: the first of REPORT_FIRST that is
 * known. */
int report_goal(const struct report *r);

/* A unit that suits the number, and what to divide by: 2e6 "ns" is 2 "ms". */
struct report_unit {
	double factor;
	const char *name;
};

struct report_unit report_unit(double number, const char *unit);

/* The one of that name for numbers in unit, "ms" for "ns"; 0: there is none. */
int report_unit_find(const char *name, const char *unit, struct report_unit *found);

/* Are all values numbers of one kind (0.9, 20KB)? Gives these, in the unit of the largest; its name
 * is
 * "" where they have none. -1: they are not. */
int report_numbers(const char *const *values, uint32_t count, double *numbers, const char **unit);

/* --- what charts are made of --- */

/* Completed flows of some runs: those that the metrics count. Begins zeroed but for the section. */
struct flow_sample {
	const char *section; /* of traffic, whose flows are taken; NULL: all */
	uint64_t count;
	double *fct_us, *slowdown;
};

int flow_sample_add(struct flow_sample *sample, struct store *s, const struct stored_run *run,
		    struct weir_error *e);
void flow_sample_free(struct flow_sample *sample);

/* The chart of that part, title and variant; a new one where there is none yet. */
struct chart *report_chart(struct chart_list *list, uint32_t part, const char *title,
			   const char *variant);

/* The distribution of those values that are positive, on a logarithmic axis. Changes them. */
void report_cdf(struct chart_line *l, double *values, uint64_t count);

/* The flows of some runs in a comparison by flow size (which may be by traffic, too, before
 * that). */
struct size_line {
	struct store *s;
	const struct stored_runs *runs;
	const struct compare_row *row; /* whose runs */
	const struct comparison *bins;
	struct flow_metric metric;
};

/* A point for each range of sizes that has flows enough, at their middle size in bytes. */
int report_size_line(struct chart_line *l, const struct size_line *of, struct weir_error *e);

/* The x axis "flow size (KB)". */
void report_size_axis(struct chart *c);

/* The points of a series, time in nanoseconds, as many as a zoomed chart can show. */
void report_series(struct chart_line *l, const struct stored_series *s);

/* Axis and label "what (unit)" in a unit that suits the largest number, which is in the given
 * unit. */
void report_y_unit(struct chart *c, const char *what, const char *unit);

/* Adds to the chart's note where flows of some run did not end, or links are stuck. */
void report_note_health(const struct report *r, struct chart *c);

/* However many runs there are, the file must be one that a browser opens. */
void report_limit_points(struct chart_list *list);

/* The text of one that there is. */
const char *page_asset(const char *name);

/* Files that travel inside the program: dygraphs, style, script. */
struct asset {
	const char *name, *text;
};

extern const struct asset asset_all[]; /* ends with .name == NULL */
#endif
