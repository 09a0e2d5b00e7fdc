/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce.h -- the figures of papers that can be re-run: where their files are, what is known of
 * their claims, and the pages over them (weir reproduce).
 *
 * A figure is a scenario and its claims, PAPERS/PAPER/FIGURE.ini and FIGURE.claims; "pred/fig13" is
 * its label. Its results are a folder, OUT/PAPER/FIGURE, or FIGURE.full for the size of the paper.
 * Functions that return int return 0, or -1 with a message; then nothing is left to free. Running
 * out of memory ends the program. */
#ifndef LAB_REPORT_REPRODUCE_H
#define LAB_REPORT_REPRODUCE_H
#include "lab/analysis/verdict.h"
#include "lab/analysis/planned.h"
#include "lab/report/figure_report.h"
#include "lab/scenario/sweep.h"

struct ini_form;

/* The page of a figure, in its result folder; and of all figures, in OUT. */
#define FIGURE_PAGE "figure.html"
#define SUMMARY_PAGE "index.html"

/* --- figures.c: files --- */

struct figure_files {
	char *paper, *name;      /* "pred", "fig13" */
	char *label;             /* "pred/fig13" */
	char *scenario, *claims; /* files */
};

struct figure_list {
	char *folder; /* PAPERS */
	uint32_t count;
	struct figure_files *all; /* sorted by paper and name; fig3a is before fig11 */
};

/* Finds every figure in the folder; NULL: in ./scenarios/papers or, if that does not exist, in
 * share/weir/papers of the installation. */
int figures_find(struct figure_list *l, const char *folder, struct weir_error *e);
void figures_free(struct figure_list *l);

/* Neighbours in a list. */
struct figure_range {
	uint32_t first, count;
};

/* Selects figures by "pred/fig13", "pred" or "all". */
int figures_choose(const struct figure_list *l, const char *word, struct figure_range *r,
		   struct weir_error *e);

enum { FIGURE_SIZES = FIGURE_FULL + 1 };

extern const char *const figure_size_names[FIGURE_SIZES]; /* "quick", "full" */

/* The result folder, "OUT/pred/fig13.full", freed by the caller. */
char *figure_folder(const struct figure_files *f, const char *out, enum figure_size size);

/* Creates the folders above it, OUT and OUT/pred. */
int figure_prepare(const struct figure_files *f, const char *out, struct weir_error *e);

/* A file beside the scenarios of a paper, freed by the caller. Both readers return 1, or 0 if there
 * is no such file. load: the content as text, freed by the caller; NULL: none. */
char *paper_file(const char *scenario, const char *name);
int paper_file_load(const char *scenario, const char *name, const struct ini_form *form,
		    char **content, struct weir_error *e);
int paper_file_read(const char *scenario, const char *name, const struct ini_form *form, void *user,
		    struct weir_error *e);

/* A figure that is ready to run in one size: its scenario and sweep, checked against its claims. */
struct figure_job {
	struct figure figure;
	struct scenario scenario;
	struct sweep sweep;
};

/* Checks both sizes, so that a mistake in either is found before hours of simulation. */
int figure_job_read(struct figure_job *j, const struct figure_files *f, enum figure_size size,
		    struct weir_error *e);
void figure_job_free(struct figure_job *j);

/* figure_more_seeds for a job. On -1 the job is freed. */
int figure_job_more_seeds(struct figure_job *j, struct weir_error *e);

/* --- shipped.c: verdicts that ship with Weir, PAPERS/PAPER/paper.verdicts ---
 *
 *	[figure fig13.full]
 *	version = 0.2.0
 *	settings = 0a1b2c3d4e5f6071
 *	runs = 40
 *	seconds = 12.5
 *	[claims fig13.full]
 *	small-p99 = not reproduced here | 0.31 ±0.02, 5 seeds
 *	large = fitted (agrees) | 1.02 ±0.01, 5 seeds | in 1 of 5 runs 2 of 100 flows did not end
 *	[numbers fig13.full]
 *	small-p99 = 5e8f10aa23bc4d96 0.31 0.29 0.33 5
 *	large = 77aa01b2c3d4e5f6 1.02 1.01 1.03 5
 *
 * For each figure and size: the version of Weir that made the runs, the digest of the settings that
 * all cases share, the number of runs and their CPU time. For each claim, and claim of a reading
 * (NAME@READING): the verdict, the verdict by number in brackets if it differs, the measurement,
 * and why its runs are incomplete. And as numbers: the digest of what it measures and of the
 * settings of its cases, the mean, both ends of the interval, and the seeds.
 *
 * Verdicts are computed from these numbers by today's claims and rules; those in the file are for
 * its readers. Results of other settings than today's are out of date. Written by weir reproduce
 * --summary --ship. */

#define SHIPPED_FILE "paper.verdicts"

/* Reads one figure's results in each size, which are not judged yet; empty if there are none. */
int shipped_read(struct findings o[FIGURE_SIZES], const char *scenario, struct weir_error *e);

/* Writes the sections of a figure. */
void shipped_write(FILE *f, const char *figure, enum figure_size size, const struct findings *o);

/* --- scenario_digest.c --- */

/* Digests of a scenario in one size, without comments, and for quick size without [full]. */
struct scenario_digest {
	struct digest settings; /* of what all cases share: without cases and their list */
	struct digest whole;    /* of everything */
};

/* Also sets the digests of cases in the figure's claims. */
int scenario_digest(struct scenario_digest *d, struct figure *f, const char *scenario,
		    enum figure_size size, struct weir_error *e);

/* --- summary.c: results --- */

/* A result folder, and which files its runs should be of. */
struct figure_results {
	const char *folder;
	const char *scenario; /* NULL: freshness is not determined */
	enum figure_size size;
	/* Claims are judged if there are runs; with JUDGES_ALWAYS also if there are none. */
	enum { JUDGES_RUNS, JUDGES_ALWAYS } judges;
};

/* The results of a figure in one size. */
struct figure_state {
	uint64_t planned, done; /* runs; planned 0: the figure was never run in this size */
	double run_seconds;     /* CPU time of the done runs */
	struct figure_freshness freshness; /* zero if it was not determined */
	struct verdict *verdicts;          /* one per claim; NULL: not judged */
	struct verdict_counts claims, sentences;
	char version[FINDINGS_VERSION_SIZE]; /* version of Weir that made the runs; "several" */
};

int figure_state_read(struct figure_state *st, const struct figure *f,
		      const struct figure_results *at, struct weir_error *e);
void figure_state_free(struct figure_state *st);

/* Everything that is known of a figure. */
struct summary_entry {
	const struct figure_files *files;
	struct figure figure;
	struct figure_state states[FIGURE_SIZES];
	struct findings run[FIGURE_SIZES];           /* of the runs in the result folder */
	struct findings shipped[FIGURE_SIZES];       /* from paper.verdicts */
	struct scenario_digest digest[FIGURE_SIZES]; /* of today's scenario */
	int has_page[FIGURE_SIZES];                  /* 1: FIGURE_PAGE exists */
	char *text; /* PAPERS/PAPER/paper.md, Markdown about the paper's figures; NULL: none */
};

/* out: OUT. files must outlive the entry. */
int summary_entry_read(struct summary_entry *y, const struct figure_files *files, const char *out,
		       struct weir_error *e);
void summary_entry_free(struct summary_entry *y);

struct summary {
	uint32_t count;
	struct summary_entry *all; /* in the order of the list */
};

/* The list must outlive the summary. */
int summary_read(struct summary *s, const struct figure_list *l, const char *out,
		 struct weir_error *e);
void summary_free(struct summary *s);

/* Are there runs of today's scenario, all or some? */
int summary_is_run(const struct summary_entry *y, int size);

/* If not: are there shipped verdicts of today's scenario, or of another one? */
int summary_is_shipped(const struct summary_entry *y, int size);
int summary_is_outdated(const struct summary_entry *y, int size);

/* Findings that do not depend on this machine: of a complete set of runs, otherwise the shipped
 * ones, if they are up to date; NULL: none. */
const struct findings *summary_certain(const struct summary_entry *y, int size);

/* Writes the verdicts of all figures with a complete set of runs into the papers' folders; others
 * stay as they are. */
int summary_ship(const struct summary *s, struct weir_error *e);

/* --- summary_page.c --- */

/* The page describes the results on this machine and links to the figures' pages. The Markdown
 * document holds what is certain, and is the same everywhere. */
void summary_html(FILE *f, const struct summary *s);
void summary_markdown(FILE *f, const struct summary *s);

/* --- files --- */

/* Write the page of a figure into its result folder, and the page of all figures into OUT, which is
 * created if missing. *path: the page, freed by the caller; on -1 there is none. */
int figure_page_write(const struct figure_report *fr, const char *folder, char **path,
		      struct weir_error *e);
int summary_page_write(const struct summary *s, const char *out, char **path, struct weir_error *e);
int summary_document_write(const struct summary *s, const char *path, struct weir_error *e);
#endif
