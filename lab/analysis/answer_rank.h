/* SPDX-License-Identifier: BSD-3-Clause */
/* answer_rank.h -- settings compared in several objectives at once: which one is best by the goal,
 * which ones are better than it in something else, and which one another dominates. Private to this
 * module.
 *
 * One setting is clearly better than another in an objective if the paired difference of their runs
 * (same seed, same other settings) is more than a hundredth of the larger value and, where there
 * are two pairs or more, its 95 % interval does not hold zero. A setting dominates another if it is
 * clearly better in one objective and clearly worse in none. */
#ifndef LAB_ANALYSIS_ANSWER_RANK_H
#define LAB_ANALYSIS_ANSWER_RANK_H
#include "lab/analysis/compare.h"

enum { RANK_OBJECTIVES_MAX = 12, RANK_GOAL = 0 };

/* Where the values of an objective are: completion times of a section, or the whole run. */
enum rank_source { RANK_PART, RANK_RUN, RANK_SOURCES };

struct rank_objective {
	const char *words; /* "p99 completion time of small flows" */
	enum rank_source source;
	uint32_t column; /* of the comparison of the source */
	const struct metric *info;
};

enum rank_state { RANK_RANKED, RANK_UNFINISHED, RANK_DEADLOCKED, RANK_WITHOUT_VALUE };

struct rank_entry {
	const char *label;
	const struct compare_row *rows[RANK_SOURCES]; /* NULL: it has none there */
	enum rank_state health;                       /* UNFINISHED, DEADLOCKED, or RANKED */
	enum rank_state state;                        /* by the goal: RANKED, or why it is not */
	int is_baseline;
};

struct ranking {
	const struct comparison *tables[RANK_SOURCES]; /* NULL: no such objective */
	struct compare_reference pairs[RANK_SOURCES];
	uint32_t objective_count, entry_count;
	struct rank_objective objectives[RANK_OBJECTIVES_MAX]; /* the goal first */
	struct rank_entry *entries;
};

/* Is a clearly better (1) or worse (-1) than b? 0: neither, or unknown. */
int ranking_compare(const struct ranking *r, const struct rank_entry *a, const struct rank_entry *b,
		    uint32_t objective);

/* The ranked entry with the best goal; NULL: none is ranked. */
const struct rank_entry *ranking_best(const struct ranking *r);

/* The entry that the answer is about: the best by the goal or, where that is not clearly better,
 * the baseline; or what dominates it. NULL: none is ranked. */
const struct rank_entry *ranking_subject(const struct ranking *r);

/* The ranked entry that is best in the objective of those clearly better there than a; NULL: there
 * is none. */
const struct rank_entry *ranking_rival(const struct ranking *r, const struct rank_entry *a,
				       uint32_t objective);

/* The best by the goal of those that have no rival where a has one; NULL: a has none, or all
 * have. */
const struct rank_entry *ranking_without_costs(const struct ranking *r, const struct rank_entry *a);

/* The mean over the runs of the entry; NAN: unknown. */
double ranking_value(const struct ranking *r, const struct rank_entry *a, uint32_t objective);

/* a over b, run by run. */
struct compare_cell ranking_ratio(const struct ranking *r, const struct rank_entry *a,
				  const struct rank_entry *b, uint32_t objective);
#endif
