/* SPDX-License-Identifier: BSD-3-Clause */
/* choose.h -- a good setting by search: Latin hypercube, then successive halving (Jamieson and
 * Talwalkar, AISTATS 2016).
 *
 * Many settings get a few seeds each; the better half goes on and gets as many seeds again, twice.
 * Better is: the constraints are met, and the goal is less. The file's own setting takes part, and
 * the setting that is best at each constraint stays, so that "of best" means the same in every
 * round. The winner is judged on fresh seeds, which had no part in the choice: the least of many
 * means is too good to be true.
 *
 * All is decided by the scenario, the request and its seed. Runs are those of a sweep
 * (lab/scenario/sweep.h), one for each round. The caller has them done, kept in a store and seen
 * (choose_see_run), also those that the store had before; so a search resumes where it stopped. A
 * value that is missing ends the search: it must not count as infinitely good or bad. */
#ifndef LAB_CAMPAIGN_CHOOSE_H
#define LAB_CAMPAIGN_CHOOSE_H
#include "lab/scenario/sweep.h"
#include "lab/analysis/choice.h"
#include "lab/store/flow_metric.h"

/* --- what is searched --- */

/* A range of a setting: "switch.marking.min=5KB..500KB", or values one by one, "switch.marking=ecn,
 * tcn". Quantities with a unit are drawn on a logarithmic scale, since what matters of a length, a
 * time or a rate is its ratio to others; plain numbers and fractions on a linear one. */
enum range_scale { RANGE_LINEAR, RANGE_LOG, RANGE_LIST };

struct range {
	char *path;
	char *text; /* after the =, as written */
	enum range_scale scale;
	double low, high; /* in the unit */
	char unit[16];
	int is_whole;
	struct text_list list;
};

/* On -1 nothing is left to free. */
int range_read(struct range *r, const char *text, struct weir_error *e);
void range_free(struct range *r);

/* The value at a share of the range, 0 to 1, in three digits, as a user would write it. Returns
 * buffer. */
const char *range_value(const struct range *r, double share, char *buffer, size_t size);

/* A Latin hypercube: count points in the unit cube of so many dimensions, shares[point * dimensions
 * + d]. Each of the count equal slices of each dimension holds one point. */
void hypercube_draw(double *shares, uint32_t count, uint32_t dimensions, uint64_t seed);

/* --- the request --- */

enum { CHOOSE_RANGES_MAX = 16, CHOOSE_KEEPS_MAX = 4, CHOOSE_ROUNDS = 3 };

/* A number of a run or of one of its [traffic] sections: a metric of metric_all, "goodput" or
 * "round_mean of ai", or one that is made of flows, "fct_small_p99" or "fct_p99_ns of storage". */
struct choose_metric {
	char name[64], section[64]; /* section empty: the whole run */
	const char *unit;
	int index;               /* into metric_all; -1: made of flows */
	struct flow_metric flow; /* that */
};

struct choose_text {
	char text[192];
};

/* "fct_p99_ns of web" */
struct choose_text choose_metric_text(const struct choose_metric *m);

/* A constraint: "goodput >= 0.98 of best", "drops <= 100". */
struct choose_keep {
	struct choose_metric metric;
	int is_most; /* >= */
	double number;
	int is_of_best;
};

struct choose_request {
	struct choose_metric goal;
	int goal_is_most; /* "-NAME" */
	uint32_t keep_count, range_count;
	struct choose_keep keeps[CHOOSE_KEEPS_MAX];
	struct range ranges[CHOOSE_RANGES_MAX];
	uint64_t budget, seeds; /* runs in all; seeds of the first round */
};

int choose_read_goal(struct choose_request *q, const char *text, struct weir_error *e);
int choose_add_keep(struct choose_request *q, const char *text, struct weir_error *e);
int choose_add_range(struct choose_request *q, const char *text, struct weir_error *e);
void choose_request_free(struct choose_request *q);

/* The goal and the constraints' metrics of one run, or their means; all are finite. */
enum { CHOOSE_VALUES = 1 + CHOOSE_KEEPS_MAX };

struct candidate {
	char *point;            /* settings, for sweep_of_points */
	char key[RUN_KEY_SIZE]; /* of its run with the first seed: what tells it from others */
	uint32_t seeds;
	double goal, keep[CHOOSE_KEEPS_MAX];             /* means over these seeds */
	double first_goal, first_keep[CHOOSE_KEEPS_MAX]; /* on the seeds that all candidates had */
	int is_kept;                                     /* all constraints are met */
	double lack; /* 0: they are; else by how much not, relative, all added up */
};

/* A run of the search, and the candidate that it is of. */
struct choose_run {
	char key[RUN_KEY_SIZE];
	uint32_t candidate;
};

struct choose {
	const struct choose_request *q;
	uint64_t first_seed;
	uint32_t count; /* of candidates; 0 is the file's own */
	struct candidate *all;
	uint32_t refused; /* points that contradicted themselves and were drawn again */
	/* Of the round: which ones take part, and how many seeds each has. The last one judges. */
	uint32_t round, live_count, seeds;
	uint32_t *live;
	uint32_t sizes[CHOOSE_ROUNDS]; /* how many took part */
	/* Of the round's runs, by number in its sweep: candidate by candidate, seed by seed. */
	double (*values)[CHOOSE_VALUES];
	char (*run_keys)[RUN_KEY_SIZE];
	/* After the last round. */
	uint32_t winner;
	struct candidate
		*judged; /* on fresh seeds, by number; live says who was, the winner first */
	double limits[CHOOSE_KEEPS_MAX];        /* of the constraints, in the round */
	double search_limits[CHOOSE_KEEPS_MAX]; /* in the last round before the judging */
	uint32_t wins; /* fresh seeds on which the winner's goal is better than the file's own */
	/* Every run there was. */
	uint64_t run_count;
	struct choose_run *runs;
};

/* Draws the candidates. The scenario has neither lists nor cases to choose from, and its settings
 * are those of the last point tried afterwards. */
int choose_begin(struct choose *c, const struct choose_request *q, struct scenario *s,
		 struct weir_error *e);
void choose_free(struct choose *c);

/* Are the drawn settings few for the number of ranges? Then the budget with which there are about
 * ten for each, the usual advice for computer experiments (Loeppky, Sacks and Welch, Technometrics
 * 2009); 0: they are enough. */
uint64_t choose_advised_budget(const struct choose *c);

/* Begins a round: its runs, and room for their values; the caller frees the sweep. */
void choose_begin_round(struct choose *c, struct sweep *w);

/* Reads the values of a run of the round, which the store has. 1: one of them is missing, and the
 * message says why and what to change; -1: the store cannot be read. */
int choose_see_run(struct choose *c, uint64_t run, const char *key, struct store *store,
		   struct weir_error *e);

/* After all runs of the round have been seen: decides which candidates go on. 1: there is another
 * round; 0: that was the last, on fresh seeds. */
int choose_end_round(struct choose *c);

/* The candidates, the winner first: of two that took part in as many rounds the better one is
 * first. */
void choose_order(const struct choose *c, uint32_t *order);

/* Is it the winner, or does no other candidate beat it in both the goal and the first constraint,
 * on the seeds that all had? */
int choose_is_in_front(const struct choose *c, uint32_t number);

/* After the last round: all of it, for the result folder. The caller frees it. */
void choose_record(const struct choose *c, struct choice *to);
#endif
