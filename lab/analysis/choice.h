/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.h -- the outcome of a search for a setting (weir choose), stored as choice.ini in the
 * result folder.
 *
 * lab/campaign writes it when a search has ended; reports and pages read it and show it beside the
 * runs. It holds the request, every candidate setting with its numbers, which one was chosen, and
 * the key of each run, so that the outcome can be recomputed from the store. If the folder's plan
 * names other runs, the outcome belongs to an earlier search and is ignored. Running out of memory
 * ends the program. */
#ifndef LAB_ANALYSIS_CHOICE_H
#define LAB_ANALYSIS_CHOICE_H
#include "lab/store/store.h"

struct line_sink;

enum { CHOICE_RULES_MAX = 4, CHOICE_RANGES_MAX = 16, CHOICE_ROUNDS = 3 };

struct choice_metric {
	char name[192]; /* "round_mean_ns of ai" */
	char unit[16];
};

struct choice_range {
	char *path, *text; /* "switch.marking.k", "10KB..400KB" */
};

/* A constraint: what it requires, and the limit that resulted on the seeds of the search and on
 * fresh seeds. */
struct choice_rule {
	struct choice_metric metric;
	int is_most; /* 1: lower bound (>=); 0: upper bound (<=) */
	int is_of_best;
	double number, search_limit, limit;
};

/* Means over seeds; NAN: unknown. */
struct choice_numbers {
	double goal, rule[CHOICE_RULES_MAX];
};

struct choice_setting {
	char *point;                        /* "switch.marking.k=64KB; host.cc.g=1/4" */
	uint32_t seeds;                     /* how many seeds it had in the search */
	struct choice_numbers all;          /* means over all of these seeds */
	struct choice_numbers first, fresh; /* first: over the seeds that every candidate had;
					       fresh: over fresh seeds, or NAN */
	int is_kept, is_fresh_kept; /* does it meet every constraint, in the search and on fresh
				       seeds? */
	int is_judged, is_front;
};

struct choice_run {
	char key[RUN_KEY_SIZE];
	uint32_t setting;
};

struct choice {
	struct choice_metric goal;
	int goal_is_most;
	uint32_t rule_count, range_count;
	struct choice_rule rules[CHOICE_RULES_MAX];
	struct choice_range ranges[CHOICE_RANGES_MAX];
	uint64_t budget, first_seed, seeds; /* seeds: per candidate in the first round */
	uint32_t sizes[CHOICE_ROUNDS];      /* candidates in each round */
	uint32_t fresh_seeds, wins; /* number of fresh seeds; wins: on how many the chosen setting
				       beats the file's own */
	uint32_t count;             /* settings, best first; [0] is the chosen one */
	uint32_t own;               /* index of the scenario file's own setting */
	struct choice_setting *all;
	uint64_t run_count;
	struct choice_run *runs; /* in plan order */
};

int choice_write(const struct choice *c, const char *folder, struct weir_error *e);

/* 1: read; 0: the folder has none, or one that belongs to other runs; -1: it is damaged. */
int choice_read(struct choice *c, struct store *s, struct weir_error *e);
void choice_free(struct choice *c);

/* Index of the setting that the run belongs to; UINT32_MAX: the run is not part of this search. */
uint32_t choice_setting_of(const struct choice *c, const char *key);

/* The Pareto front of the goal and the first constraint, sorted by goal. front has room for every
 * setting. Returns its size; 0 without a constraint. */
uint32_t choice_front(const struct choice *c, uint32_t *front);

/* --- text for reports --- */

struct choice_text {
	char text[1024];
};

/* "least fct_small_p99_ns, with goodput_bps >= 0.95 of best" */
struct choice_text choice_goal_text(const struct choice *c);

/* A constraint, "goodput_bps >= 0.95 of best". */
struct choice_text choice_rule_text(const struct choice_rule *r);

/* The settings of a point by the shortest distinct paths: "k=64KB, storage.min=5KB". */
struct choice_text choice_point_text(const struct choice *c, const struct choice_setting *s);

/* The setting's value for the path; "as in the file" where the point leaves it alone. */
struct choice_text choice_value_text(const struct choice_setting *s, const char *path);

/* The part of the path that distinguishes it: "storage.min". */
const char *choice_path_text(const struct choice *c, const char *path);

/* "chosen", "the file's", "best at goodput_bps" or "". */
struct choice_text choice_role_text(const struct choice *c, uint32_t setting);

/* "-" if unknown. */
struct choice_text choice_number_text(double value, const char *unit);

/* If no candidate met every constraint in the search: which ones the chosen setting misses; else
 * "". */
struct choice_text choice_search_text(const struct choice *c);

/* "On seeds 9 to 16, which had no part in the choice". */
struct choice_text choice_fresh_text(const struct choice *c);

/* Writes sentences: what was chosen; then, on fresh seeds, how it performs, which constraints it
 * misses, and whether the file's own setting is as good. */
void choice_describe(const struct choice *c, const struct line_sink *sink);
#endif
