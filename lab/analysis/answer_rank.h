/* SPDX-License-Identifier: BSD-3-Clause */
/* answer_rank.h -- compares settings in several objectives at once: which is best by the goal,
 * which are better than it in another objective (a cost of the best), and which are dominated.
 * Private to answer.c and answer_say.c.
 *
 * A setting is clearly better than another in an objective if the paired difference of their runs
 * (same seed, other settings equal) exceeds 1 % of the larger value and, with at least two pairs,
 * its 95 % confidence interval excludes zero. A setting dominates another if it is clearly better
 * in at least one objective and clearly worse in none. */
#ifndef LAB_ANALYSIS_ANSWER_RANK_H
#define LAB_ANALYSIS_ANSWER_RANK_H
#include "lab/analysis/compare.h"

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

/* The ranked entry with the best goal; NULL: no entry is ranked. */
const struct rank_entry *ranking_best(const struct ranking *r);

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
#endif
