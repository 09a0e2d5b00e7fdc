/* SPDX-License-Identifier: BSD-3-Clause */
/* choice.h -- the outcome of a search for a setting (weir choose), as a result folder keeps it in
 * choice.ini.
 *
 * Written when a search has ended, by lab/campaign; read by reports and pages, which show it beside
 * the runs. It holds the request, every setting that was tried with its numbers, which one was
 * chosen, and the key of each run, from which all of that can be computed again. Where the folder's
 * plan names other runs, the outcome is of an earlier search and is not read. Memory that is
 * missing ends the program. */
#ifndef LAB_ANALYSIS_CHOICE_H
#define LAB_ANALYSIS_CHOICE_H
#include "lab/store/store.h"

enum { CHOICE_RULES_MAX = 4, CHOICE_RANGES_MAX = 16, CHOICE_ROUNDS = 3 };

struct choice_metric {
	char name[192]; /* "round_mean_ns of ai" */
	char unit[16];
};

struct choice_range {
	char *path, *text; /* "switch.marking.k", "10KB..400KB" */
};

/* A constraint: what it demands, and what that came to on the seeds of the search and on fresh
 * ones. */
struct choice_rule {
	struct choice_metric metric;
	int is_most; /* 1: >= */
	int is_of_best;
	double number, search_limit, limit;
};

/* Means over seeds; NAN: none. */
struct choice_numbers {
	double goal, rule[CHOICE_RULES_MAX];
};

struct choice_setting {
	char *point;                        /* "switch.marking.k=64KB; host.cc.g=1/4" */
	uint32_t seeds;                     /* on which it took part in the search */
	struct choice_numbers all;          /* over these */
	struct choice_numbers first, fresh; /* on the seeds that all had; on fresh ones, or NAN */
	int is_kept, is_fresh_kept;         /* are all constraints met? */
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
	uint64_t budget, first_seed, seeds; /* seeds: of the first round */
	uint32_t sizes[CHOICE_ROUNDS];      /* settings of each round */
	uint32_t fresh_seeds, wins; /* on how many of these the chosen one beats the file's own */
	uint32_t count;             /* settings, the best first; [0] was chosen */
	uint32_t own;               /* the file's own */
	struct choice_setting *all;
	uint64_t run_count;
	struct choice_run *runs; /* in the order of the plan */
};

int choice_write(const struct choice *c, const char *folder, struct weir_error *e);

/* 1: read; 0: the folder of the store has none, or one of other runs; -1: it is damaged. */
int choice_read(struct choice *c, struct store *s, struct weir_error *e);
void choice_free(struct choice *c);

/* The number of the setting that the run is of; UINT32_MAX: it is not of this search. */
uint32_t choice_setting_of(const struct choice *c, const char *key);

/* Those that no other setting beats in both the goal and the first constraint, by goal; room for
 * all. Returns how many: 0 where there is no constraint. */
uint32_t choice_front(const struct choice *c, uint32_t *front);

/* --- for people --- */

struct choice_text {
	char text[1024];
};

/* "least fct_small_p99_ns, with goodput_bps >= 0.95 of best" */
struct choice_text choice_goal_text(const struct choice *c);

/* A constraint, "goodput_bps >= 0.95 of best". */
struct choice_text choice_rule_text(const struct choice_rule *r);

/* "k=64KB, storage.min=5KB": the settings of a point by what tells their paths apart. */
struct choice_text choice_point_text(const struct choice *c, const struct choice_setting *s);

/* The value that the setting has of the path; "as in the file" where the point gives none. */
struct choice_text choice_value_text(const struct choice_setting *s, const char *path);

/* What tells the path apart: "storage.min". */
const char *choice_path_text(const struct choice *c, const char *path);

/* "chosen", "the file's", "best at goodput_bps" or "". */
struct choice_text choice_role_text(const struct choice *c, uint32_t setting);

/* "-" where there is none. */
struct choice_text choice_number_text(double value, const char *unit);

/* Where no setting met every constraint in the search: which ones the chosen setting missed; else
 * "". */
struct choice_text choice_search_text(const struct choice *c);

/* "On seeds 9 to 16, which had no part in the choice" */
struct choice_text choice_fresh_text(const struct choice *c);

/* Sentences: first what was chosen; then, of the fresh seeds, how it does, which constraints it
 * misses, and whether the file's own setting is as good. */
void choice_say(const struct choice *c, void (*say)(void *context, const char *line),
		void *context);
#endif
