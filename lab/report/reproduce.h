/* SPDX-License-Identifier: BSD-3-Clause */
/* reproduce.h -- the figures of papers that can be re-run: which there are and where their results
 * go.
 *
 * A figure is a scenario and its claims, PAPERS/PAPER/FIGURE.ini and FIGURE.claims; "pred/fig13" is
 * its name. Its results are a folder, OUT/PAPER/FIGURE, or FIGURE.full for the size of the
 * paper. */
#ifndef LAB_REPORT_REPRODUCE_H
#define LAB_REPORT_REPRODUCE_H
#include "lab/report/figure_report.h"
#include "lab/report/shipped.h"
#include "lab/analysis/planned.h"

/* Pages: of a figure, in its folder of results; of them all, in OUT. */
#define FIGURE_PAGE "figure.html"
#define SUMMARY_PAGE "index.html"

struct figure_files {
	char *paper, *name;      /* "pred", "fig13" */
	char *label;             /* "pred/fig13" */
	char *scenario, *claims; /* files */
};

struct figure_list {
	char *folder; /* where they are */
	uint32_t count;
	struct figure_files *all; /* by paper, and fig3a before fig11 */
};

/* Every figure in the folder; NULL: in scenarios/papers here, or else in share/weir/papers of the
 * place where the program is installed. On -1 nothing is left to free. */
int figures_find(struct figure_list *l, const char *folder, struct weir_error *e);
void figures_free(struct figure_list *l);

/* Neighbours in a list. */
struct figure_range {
	uint32_t first, count;
};

/* Which figures a word means: "pred/fig13", "pred", "all". */
int figures_choose(const struct figure_list *l, const char *word, struct figure_range *r,
		   struct weir_error *e);

enum { FIGURE_SIZES = FIGURE_FULL + 1 };

extern const char *const figure_size_names[FIGURE_SIZES]; /* "quick", "full" */

/* Where the results are, "OUT/pred/fig13.full"; the caller frees it. */
char *figure_folder(const struct figure_files *f, const char *out, enum figure_size size);

/* Makes the folders above it, OUT and OUT/pred. */
int figure_prepare(const struct figure_files *f, const char *out, struct weir_error *e);

/* How far a figure is in one size. */
struct figure_state {
	uint64_t planned, done;            /* runs; planned 0: none were ever asked for */
	double run_seconds;                /* on one core, of those that are done, added up */
	struct figure_freshness freshness; /* of those that are done; 0 where that was not asked */
	struct verdict *verdicts;          /* one a claim */
	struct verdict_counts claims, sentences;
	char version[FINDINGS_VERSION_SIZE]; /* of Weir that made them; "several" */
};

/* Where the runs of a figure are, and what they were made from. */
struct figure_results {
	const char *folder;
	const char *scenario; /* NULL: it is not asked whether the runs are of today's */
	enum figure_size size;
};

/* From the results in the folder, if there are any. On -1 nothing is left to free. */
int figure_state_read(struct figure_state *st, const struct figure *f,
		      const struct figure_results *at, struct weir_error *e);
void figure_state_free(struct figure_state *st);

/* A figure with all that is known of it. */
struct summary_entry {
	const struct figure_files *files;
	struct figure figure;
	struct figure_state states[FIGURE_SIZES];
	struct findings run[FIGURE_SIZES];     /* of the runs that are here, whatever they are of */
	struct findings shipped[FIGURE_SIZES]; /* what Weir came with */
	struct digest digest[FIGURE_SIZES];    /* of what is judged today */
	int has_page[FIGURE_SIZES];            /* 1: FIGURE_PAGE is there */
	/* PAPERS/PAPER/paper.md: what people say of the paper's figures, in Markdown; NULL:
	 * nothing. */
	char *text;
};

/* out: where the results are. files must outlive it. On -1 nothing is left to free. */
int summary_entry_read(struct summary_entry *y, const struct figure_files *files, const char *out,
		       struct weir_error *e);
void summary_entry_free(struct summary_entry *y);

/* Figures of papers, and what became of them. */
struct summary {
	uint32_t count;
	struct summary_entry *all; /* in the order of the list */
};

/* The list must outlive the summary. On -1 nothing is left to free. */
int summary_read(struct summary *y, const struct figure_list *l, const char *out,
		 struct weir_error *e);
void summary_free(struct summary *y);

/* Are runs of today's scenario there in that size, some or all? */
int summary_is_run(const struct summary_entry *y, int size);

/* Are there none, and is it known what to expect? */
int summary_is_shipped(const struct summary_entry *y, int size);

/* Likewise, but was that of other settings or claims than today's? */
int summary_is_outdated(const struct summary_entry *y, int size);

/* What is known for certain: of runs, where all of today's are there, or else what was shipped,
 * where it is not out of date; NULL: nothing. */
const struct findings *summary_certain(const struct summary_entry *y, int size);

/* Writes the verdicts of all figures whose runs of today's scenario are all there as those that
 * Weir comes with, into the papers' folders; the others stay. */
int summary_ship(const struct summary *y, struct weir_error *e);

/* A page with links to the figures' pages, of what is there now. And a document, of what is known
 * for certain: it is the same whether that was run here or was shipped. */
void summary_html(FILE *f, const struct summary *y);
void summary_markdown(FILE *f, const struct summary *y);
#endif
