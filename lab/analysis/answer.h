/* SPDX-License-Identifier: BSD-3-Clause */
/* answer.h -- answers "which setting is best, and what does it cost?" in a few sentences: one
 * ranking per traffic section by flow completion time, one for rounds (training, collectives) and
 * one for I/Os (storage).
 *
 * Settings are compared by paired differences of runs with the same seed, in several objectives at
 * once (rankings, below): the goal, and as costs goodput, goodput of unlimited flows, FCT of larger
 * flows, unfinished flows, drops and PFC pauses. A setting is never called best without its costs,
 * nor if another setting dominates it. Settings with unfinished flows or PFC deadlocks are named
 * but not ranked. weir run, table, report and view all print the sentences of answer_write. */
#ifndef LAB_ANALYSIS_ANSWER_H
#define LAB_ANALYSIS_ANSWER_H
#include "lab/analysis/compare.h"

/* Writes the answer if exactly one non-numeric setting (a scheme, a case) differs between the runs;
 * otherwise writes nothing. baseline: the value that others are compared with, as for
 * --normalize-to; NULL: ecn if present, else the first value. Nothing is written if the baseline is
 * not among the values. Non-zero: the store cannot be read. */
int answer_write(const struct comparison *c, struct store *s, const char *baseline,
		 const struct line_sink *sink, struct weir_error *e);

/* Metrics that answers use, the most important first, NULL after the last; and whether a metric is
 * a substitute, used only if none before it is known. */
const char *answer_metric(uint32_t i);
int answer_is_substitute(const char *metric);

/* The axis that the answer is about, or -1; and the default baseline. */
int answer_axis(const struct comparison *c);
const char *answer_baseline(const struct comparison *c, int axis);

/* --- shared by the files of this module: rankings ---
 *
 * A ranking compares settings in several objectives at once: which is best by the goal, which are
 * better than it in another objective (a cost of the best), and which are dominated.
 *
 * A setting is clearly better than another in an objective if the paired difference of their runs
 * (same seed, other settings equal) exceeds 1 % of the larger value and, with at least two pairs,
 * its 95 % confidence interval excludes zero. There is no correction for multiple comparisons. A
 * setting dominates another if it is clearly better in at least one objective and clearly worse in
 * none. */

enum { RANK_OBJECTIVES_MAX = 12, RANK_GOAL = 0 };

/* Source of an objective's values: one traffic section (FCTs), or the whole run. */
enum rank_source { RANK_PART, RANK_RUN, RANK_SOURCES };

struct rank_objective {
	const char *words; /* "p99 FCT of small flows" */
	const char *payer; /* whose cost it is, "large flows"; NULL: of the whole run */
	enum rank_source source;
	uint32_t column; /* column in the table of its source */
	const struct metric *info;
};

enum rank_state { RANK_RANKED, RANK_UNFINISHED, RANK_DEADLOCKED, RANK_WITHOUT_VALUE };

struct rank_entry {
	const char *label;
	const struct compare_row *rows[RANK_SOURCES]; /* NULL: no row */
	enum rank_state health; /* RANK_UNFINISHED, RANK_DEADLOCKED or RANK_RANKED */
	enum rank_state state;  /* whether it is ranked by the goal, and if not, why */
	int is_baseline;
};

struct ranking {
	const struct comparison *tables[RANK_SOURCES]; /* NULL: no objective uses this source */
	struct compare_reference pairs[RANK_SOURCES];
	uint32_t objective_count, entry_count;
	struct rank_objective objectives[RANK_OBJECTIVES_MAX]; /* [0] is the goal */
	struct rank_entry *entries;
};

/* 1: a is clearly better than b; -1: clearly worse; 0: neither, or unknown. */
int ranking_compare(const struct ranking *r, const struct rank_entry *a, const struct rank_entry *b,
		    uint32_t objective);

/* The entry that the answer recommends: the best by the goal, or the baseline if the best is not
 * clearly better than it, or an entry that dominates it. NULL: no entry is ranked. */
const struct rank_entry *ranking_subject(const struct ranking *r);

/* The best ranked entry in the objective among those clearly better than a; NULL: none is. */
const struct rank_entry *ranking_rival(const struct ranking *r, const struct rank_entry *a,
				       uint32_t objective);

/* The best by the goal among the entries that have no rival in any objective where a has one; NULL:
 * a has no rival, or every entry has. */
const struct rank_entry *ranking_without_costs(const struct ranking *r, const struct rank_entry *a);

/* Mean over the runs of the entry; NAN: unknown. */
double ranking_value(const struct ranking *r, const struct rank_entry *a, uint32_t objective);

/* Paired ratio a/b over the runs. */
struct compare_cell ranking_ratio(const struct ranking *r, const struct rank_entry *a,
				  const struct rank_entry *b, uint32_t objective);

/* where: prefix of each line, "web: " or "". */
void answer_write_ranking(const struct ranking *r, const char *where, const struct line_sink *sink);

/* Writes that no run has a value of the goal. */
void answer_write_unknown(const char *words, const char *where, const struct line_sink *sink);
#endif
