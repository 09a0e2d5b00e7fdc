/* choose.h -- a good setting by search: Latin hypercube, then successive halving (Jamieson and Talwalkar, AISTATS
 * 2016).
 *
 * Many settings get a few seeds each; the better half goes on and gets as many seeds again, twice. Better is: what
 * is to be kept is kept, and the goal is less. The file's own setting takes part, and whichever setting is best at
 * what is to be kept stays, so that "of best" means the same in every round. What wins is judged anew on seeds that had
 * no part in the choice: the least of many means is too good to be true.
 *
 * All is decided by the scenario, the request and its seed. Runs are those of a sweep (lab/scenario/sweep.h), one
 * for each round, which the caller has done and kept in a store; so a search goes on where it stopped. */
#ifndef LAB_CAMPAIGN_CHOOSE_H
#define LAB_CAMPAIGN_CHOOSE_H
#include "lab/campaign/range.h"
#include "lab/store/flow_metric.h"

enum { CHOOSE_RANGES_MAX = 16, CHOOSE_KEEPS_MAX = 4, CHOOSE_ROUNDS = 3 };

/* A number of a run: a metric, or one of its flows, "fct_small_p99" or "fct_p99_ns of storage". */
struct choose_metric {
	char name[64], section[64]; /* section empty: all flows */
	const char *unit;
	int index;               /* into metric_all; -1: of the flows */
	struct flow_metric flow; /* that */
};

/* "goodput >= 0.98 of best", "drops <= 100". */
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

struct candidate {
	char *point;            /* settings, for sweep_of_points */
	char key[RUN_KEY_SIZE]; /* of its run with the first seed: what tells it from others */
	uint32_t seeds;
	double goal, keep[CHOOSE_KEEPS_MAX]; /* means over these seeds; NAN: unknown */
	double first_goal, first_keep; /* on the seeds that all candidates had; of the first keep */
	int is_kept;                   /* all of what is to be kept is */
	double lack;                   /* where it is not: by how much, relative */
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
	/* After the last round. */
	uint32_t winner;
	struct candidate
		*judged; /* on fresh seeds, by number; live says who was, the winner first */
	uint32_t better; /* fresh seeds on which the winner's goal beats the file's own */
	/* Every run there was. */
	uint64_t key_count;
	char (*keys)[RUN_KEY_SIZE];
};

/* Draws the candidates. The scenario has neither lists nor cases to choose from, and its settings are those of
 * the last point tried afterwards. */
int choose_begin(struct choose *c, const struct choose_request *q, struct scenario *s,
		 struct weir_error *e);
void choose_free(struct choose *c);

/* The runs of the round; the caller frees the sweep. */
void choose_sweep(const struct choose *c, struct sweep *w);

/* Takes in what the store's plan, which is that sweep, has brought, and says who goes on. 1: there is another
 * round; 0: that was the last, on fresh seeds; -1: message. */
int choose_next(struct choose *c, struct store *store, struct weir_error *e);

/* The winner, and the candidates that no other beats in both the goal and what is to be kept first, on the seeds
 * that all had; by goal, room for all. Returns how many. */
uint32_t choose_front(const struct choose *c, uint32_t *front);
#endif
