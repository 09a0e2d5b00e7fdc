/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_episode.h -- an episode of a congestion control that is trained: runs a scenario in which a
 * policy stands in for the neural network of every flow under that control, and scores the result.
 *
 * The scenario is the user's (--scenario), or drawn (fan_in.h). */
#ifndef TRAIN_FLOW_EPISODE_H
#define TRAIN_FLOW_EPISODE_H
#include "sim/measure/decision_log.h"
#include "train/fan_in.h"

struct flow_episode {
	const struct weir_cc_ops *cc; /* flows under it follow the policy, others their own */
	const char *file, *text;      /* the scenario; file: for messages */
	uint64_t seed;                /* in place of the scenario's */
	int is_given; /* 1: where no flow decides twice, nothing can be learned, ever: an error */
};

/* Measured from measure.from on. NAN: unknown. */
struct flow_result {
	double jain, use;
	double unfair;                      /* (fastest rate - mean) / mean */
	double queue;                       /* in bandwidth-delay products */
	double slowdown_mean, slowdown_p99; /* of completed flows */
	double completed;                   /* share of the flows that have a size */
	uint32_t flows, endless;            /* endless: without a size */
};

/* Decisions of a flow that are recorded: fewer where flows are more than 1024. */
enum { FLOW_ROWS_MAX = 256 };

/* Is the scenario valid, and can the policy, whose weights do not matter, control its flows? NULL:
 * only the first. -1 with a located message. */
int flow_episode_check(const struct flow_episode *ep, const struct weir_learn_policy *policy,
		       struct weir_error *e);

struct flow_run {
	const struct weir_learn_policy *policy; /* NULL: flows follow the spec */
	struct weir_cc_rollout *rollout; /* with exploration; NULL: decisions are not recorded */
	struct decision_log log;         /* the caller frees it, also after -1 */
	struct flow_result result;
};

int flow_episode_run(const struct flow_episode *ep, struct flow_run *r, struct weir_error *e);

/* Of flows without an end, rewards fairness, utilisation and a short queue together, as each alone
 * is easy: utilisation / (1 + unfair ratio) - 0.3 queue, where the divisor is the fastest flow's
 * rate over the mean. Jain's index would not do: it is 0.99 where one flow of 64 has twice its
 * share. Where flows have sizes, completion times count: 2 - log10(mean slowdown x p99 slowdown) /
 * 2, times the share of flows that complete. */
double flow_score(const struct flow_result *r);

/* Cooperative rewards: replaces that share of each reward by the mean of the latest rewards of all
 * flows at the time it becomes known. rewards: [flows][rows_each], indexed like the log, each the
 * reward of the action of its row. */
void flow_share_rewards(const struct decision_log *log, double share, float *rewards);

/* --- scenarios of a training --- */

/* Checks the scenarios of the input. */
int flow_check_input(const struct train_input *input, const struct weir_cc_ops *cc,
		     const struct weir_learn_policy *policy, struct weir_error *e);

/* The text of an episode's scenario, for the caller to free, and its name in messages: one of the
 * input, of which evaluations go through all in turn, or drawn. */
char *flow_text(const struct train_input *input, const struct fan_in *draw);
const char *flow_file(const struct train_input *input, const struct train_episode *which);
#endif
