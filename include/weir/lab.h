/* SPDX-License-Identifier: BSD-3-Clause */
/* lab.h -- results as columns: runs, flows, ports and series of a result folder, its tables with
 * their statistics, and the claims of papers with their verdicts.
 *
 *	struct weir_results *results;
 *	struct weir_frame *flows;
 *	struct weir_error e;
 *
 *	if (weir_results_open(&results, "mine.results", WEIR_RUNS_LATEST, &e))
 *		return complain(e.text);
 *	if (weir_results_read(results, "flows", 0, &flows, &e) == 0)
 *		use(flows->columns, flows->row_count);
 *	weir_frame_free(flows);
 *	weir_results_close(results);
 *
 * Link with libweir-lab, which also has everything in weir/sim.h and weir/env.h. The Python package
 * is made from this header. Runs are executed by the program, weir run; the library only reads.
 *
 * Columns are arrays in memory, so that callers such as numpy use them without a copy. Everything
 * read is compared with the digests in the folder: a damaged run is an error that names it.
 *
 * Threads: an object belongs to one thread at a time; objects share nothing. Errors: functions that
 * return int return 0, or -1 with a message and nothing to free. When the system is out of memory
 * the program ends with a message. */
#ifndef WEIR_LAB_H
#define WEIR_LAB_H
#include "weir/begin.h"
#include "weir/error.h"
#include <stdint.h>

WEIR_BEGIN

/* --- frames: tables of columns --- */

enum weir_column_type {
	WEIR_COLUMN_INTEGER,
	WEIR_COLUMN_REAL, /* NAN: unknown; whole numbers that may be unknown are exact below 2^53 */
	WEIR_COLUMN_TEXT,
};

/* Of the three arrays only that of the type is there, with a value for each row. */
struct weir_column {
	const char *name, *unit; /* unit "": none */
	enum weir_column_type type;
	const int64_t *integers;
	const double *reals;
	const int32_t *codes;     /* TEXT: index into texts; -1: unknown */
	uint32_t text_count;      /* TEXT: distinct values ... */
	const char *const *texts; /* ... in order of first appearance */
};

struct weir_frame {
	uint64_t row_count;
	uint32_t column_count;
	const struct weir_column *columns;
};

void weir_frame_free(struct weir_frame *frame); /* NULL: nothing to do */

/* --- result folders --- */

/* An open folder with the runs that it had when it was opened. It keeps no other program from
 * adding runs; once one of its runs is replaced, or tables would have others, calls fail and say
 * so. */
struct weir_results;

/* LATEST: the runs of the latest sweep into the folder, as weir table shows them; ALL: weir table
 * --all. */
enum weir_runs { WEIR_RUNS_LATEST, WEIR_RUNS_ALL };

int weir_results_open(struct weir_results **results, const char *folder, enum weir_runs which,
		      struct weir_error *e);
void weir_results_close(struct weir_results *results); /* NULL: nothing to do */

uint32_t weir_results_run_count(const struct weir_results *results);
uint32_t weir_results_left_out(const struct weir_results *results); /* runs of other sweeps */

/* The rows of one run, numbered from 1 in the order of the sweep, or of all runs (run 0). table:
 * "runs", "flows", "ports", "pauses", "reasons" or "series", with the columns of the CSV file of
 * that name (docs/reference/results.md); flows also have "counted", 1 for those that metrics cover.
 * The caller frees *frame with weir_frame_free. O(rows). */
int weir_results_read(struct weir_results *results, const char *table, uint32_t run,
		      struct weir_frame **frame, struct weir_error *e);

/* How far is the sweep into a folder? May be called while the sweep runs. */
int weir_results_progress(const char *folder, uint64_t *planned, uint64_t *done,
			  struct weir_error *e);

/* --- tables of runs, as weir table --- */

/* All fields may be NULL or 0. The texts are as on the command line, see docs/reference/results.md.
 */
struct weir_table_request {
	const char *const *by;      /* --by */
	const char *const *metrics; /* --metric */
	uint32_t by_count, metric_count;
	const char *normalize_to; /* --normalize-to: cells are ratios of runs with the same seed */
	const char *sort;         /* --sort */
	const char *sizes;        /* --sizes */
	uint32_t width;           /* columns of text; 0: 100 */
};

/* The columns of frame: one for each setting that distinguishes rows, with its values and, as
 * "SETTING_label", their short form; "runs"; "flows" and "flows_unfinished" where metrics of flows
 * are shown; and for each metric its mean, NAME_low and NAME_high (95 % confidence interval),
 * NAME_runs (runs with a value) and NAME_mark ("!" not reliable, "~" a ratio that is not
 * significant, "*" not all runs, or ""). */
struct weir_table {
	struct weir_frame *frame;
	char *text;   /* the table as weir table prints it, with its footnotes */
	char *answer; /* lines: which setting is best and what it costs; "": none */
};

int weir_results_table(struct weir_results *results, const struct weir_table_request *request,
		       struct weir_table **table, struct weir_error *e);
void weir_table_free(struct weir_table *table); /* NULL: nothing to do */

/* --- figures of papers --- */

/* A figure is known by its label, "tcn/fig5". papers: folder of the figures, PAPER/FIGURE.ini and
 * FIGURE.claims; NULL: scenarios/papers in the current directory or, if there is none,
 * ../share/weir/papers beside the program of this process. */

/* One row for each figure: figure, title, paper, about, scenario (its file), claims (how many). */
int weir_papers_read(const char *papers, struct weir_frame **frame, struct weir_error *e);

/* One row for each claim of the figure and size: claim, size ("quick", "full"), says, section,
 * metric, expected, verdict, measured, source ("run": of the results in out; "shipped": of the
 * results that came with Weir; "out of date": those, of other files than today's; "": not judged),
 * version, doubt and note. out: the result folder of weir reproduce; NULL: ./reproduction. */
int weir_paper_claims(const char *papers, const char *figure, const char *out,
		      struct weir_frame **frame, struct weir_error *e);

WEIR_END
#endif
