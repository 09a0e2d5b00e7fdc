/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.h -- searches for a good setting: Latin hypercube sampling, then successive halving
 * (Jamieson and Talwalkar, AISTATS 2016).
 *
 * Many candidates start with a few seeds each; the better half proceeds with twice as many seeds,
 * twice. A candidate is better if it meets the constraints, and then by the goal. The file's own
 * setting always takes part, and the best candidate at each constraint is kept, so that "of best"
 * means the same in every round. Finally the winner is evaluated on fresh seeds that had no part in
 * the choice, because the minimum of many sample means is biased low.
 *
 * The scenario, the request and its seed determine everything. The runs of each round are a sweep
 * (lab/scenario/sweep.h). The caller has them done, stores them, and passes each to choose_add_run,
 * including those already stored; so a search resumes where it stopped. A run without a value ends
 * the search, because it must not count as infinitely good or bad. */
#ifndef LAB_CAMPAIGN_CHOOSE_H
#define LAB_CAMPAIGN_CHOOSE_H
#include "lab/scenario/sweep.h"
#include "lab/analysis/choice.h"
#include "lab/store/flow_metric.h"

/* --- search space --- */

/* The range of a setting: "switch.marking.min=5KB..500KB", or a list, "switch.marking=ecn, tcn".
 * Quantities with a unit are sampled on a logarithmic scale, because only ratios of sizes, times
 * and rates matter; plain numbers and fractions on a linear scale. */
enum range_scale { RANGE_LINEAR, RANGE_LOG, RANGE_LIST };

struct range {
	char *path;
	char *text; /* text after the =, as written */
	enum range_scale scale;
	double low, high; /* ends, in the unit */
	char unit[16];
	int is_whole;
	struct text_list list;
};

/* On -1 there is nothing to free. */
int range_read(struct range *r, const char *text, struct weir_error *e);
void range_free(struct range *r);

/* The value at a share of the range (0 to 1) with three significant digits, as a user would write
 * it. Returns buffer. */
const char *range_value(const struct range *r, double share, char *buffer, size_t size);

/* Latin hypercube sample: count points in the unit cube, shares[point * dimensions + d]. Each
 * dimension is divided into count equal slices, and each slice holds exactly one point. */
void hypercube_draw(double *shares, uint32_t count, uint32_t dimensions, uint64_t seed);

/* --- request --- */

enum { CHOOSE_RANGES_MAX = 16, CHOOSE_CONSTRAINTS_MAX = 4, CHOOSE_ROUNDS = 3 };

/* A metric of a run or of one [traffic] section: one of metric_all, "goodput" or "round_mean of
 * ai", or one computed from flow records, "fct_small_p99" or "fct_p99_ns of storage". */
struct choose_metric {
	char name[64], section[64]; /* section "": the whole run */
	const char *unit;
	int index;               /* into metric_all; -1: computed from flow records */
	struct flow_metric flow; /* valid if index is -1 */
};

struct choose_text {
	char text[192];
};

/* "fct_p99_ns of web" */
struct choose_text choose_metric_text(const struct choose_metric *m);

/* A constraint: "goodput >= 0.98 of best", "drops <= 100". */
struct choose_constraint {
	struct choose_metric metric;
	int is_most; /* 1: lower bound (>=); 0: upper bound (<=) */
	double number;
	int is_of_best;
};

struct choose_request {
	struct choose_metric goal;
	int goal_is_most; /* 1: maximise, "-NAME" */
	uint32_t constraint_count, range_count;
	struct choose_constraint constraints[CHOOSE_CONSTRAINTS_MAX];
	struct range ranges[CHOOSE_RANGES_MAX];
	uint64_t budget, seeds; /* budget: runs in total; seeds: per candidate in the first round */
};

int choose_read_goal(struct choose_request *q, const char *text, struct weir_error *e);
int choose_add_constraint(struct choose_request *q, const char *text, struct weir_error *e);
int choose_add_range(struct choose_request *q, const char *text, struct weir_error *e);
void choose_request_free(struct choose_request *q);

/* The values of one run, or their means: [0] the goal, then the constraints' metrics. All are
 * finite. */
enum { CHOOSE_VALUES = 1 + CHOOSE_CONSTRAINTS_MAX };

struct candidate {
	char *point;            /* settings as text, for sweep_of_points */
	char key[RUN_KEY_SIZE]; /* key of its run with the first seed: identifies the candidate */
	uint32_t seeds;
	struct choice_numbers all, first; /* means over all of its seeds; over the seeds that every
					     candidate had */
	int is_kept;                      /* 1: meets all constraints */
	double lack; /* 0 if it meets all constraints; else the sum of relative violations */
};

/* A run of the search and its candidate. */
struct choose_run {
	char key[RUN_KEY_SIZE];
	uint32_t candidate;
};

struct choose {
	const struct choose_request *q;
	uint64_t first_seed;
	uint32_t count; /* count of candidates; [0] is the file's own setting */
	struct candidate *all;
	uint32_t refused; /* points rejected as invalid and replaced */
	/* Current round: number of participating candidates, and seeds of each. The last round
	 * evaluates on fresh seeds. */
	uint32_t round, live_count, seeds;
	uint32_t *live;
	uint32_t sizes[CHOOSE_ROUNDS]; /* candidates in each round */
	/* By run number in the round's sweep: candidate-major, then seed. */
	double (*values)[CHOOSE_VALUES];
	char (*run_keys)[RUN_KEY_SIZE];
	/* Valid after the last round. */
	uint32_t winner;
	struct candidate *judged; /* candidates evaluated on fresh seeds, by number; live gives
				     their order, the winner first */
	double limits[CHOOSE_CONSTRAINTS_MAX]; /* limits of the constraints in the current round */
	double search_limits[CHOOSE_CONSTRAINTS_MAX]; /* limits in the last round before fresh seeds
						       */
	uint32_t wins; /* number of fresh seeds on which the winner's goal beats the file's own
			  setting */
	/* All runs so far. */
	uint64_t run_count;
	struct choose_run *runs;
};

/* Draws the candidates. The scenario must have neither lists nor cases. Afterwards its settings are
 * those of the last point that was tried. */
int choose_begin(struct choose *c, const struct choose_request *q, struct scenario *s,
		 struct weir_error *e);
void choose_free(struct choose *c);

/* Returns 0 if there are enough candidates for the number of ranges; else the budget that gives
 * about ten candidates per range, the usual advice for computer experiments (Loeppky, Sacks and
 * Welch, Technometrics 2009). */
uint64_t choose_advised_budget(const struct choose *c);

/* Starts a round: fills in its sweep and allocates room for values. The caller frees the sweep. */
void choose_begin_round(struct choose *c, struct sweep *w);

/* Reads the values of a stored run of the round. 1: a value is missing, and the message says why
 * and what to change; -1: the store cannot be read. */
int choose_add_run(struct choose *c, uint64_t run, const char *key, struct store *store,
		   struct weir_error *e);

/* Call after choose_add_run for all runs of the round. Selects the candidates that proceed. 1:
 * another round follows; 0: that was the last, on fresh seeds. */
int choose_end_round(struct choose *c);

/* Sorts the candidates, the winner first: by rounds survived, then by quality. */
void choose_order(const struct choose *c, uint32_t *order);

/* After the last round: copies the outcome for the result folder. The caller frees it. */
void choose_record(const struct choose *c, struct choice *to);
#endif
