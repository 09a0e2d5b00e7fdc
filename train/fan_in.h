/* SPDX-License-Identifier: BSD-3-Clause */
/* fan_in.h -- training episodes for congestion controls, of varying fan-in: flows to one receiver
 * through the bottleneck of a dumbbell, with a log of their decisions (Zhang, FDCC, section 4.4).
 *
 * There are 2, 6, 12, 24, 48 or 96 flows, optionally 192, each with a sender of its own; links have
 * a delay of 150 ns to 1 us. In training episodes half of the flows end after about half of the
 * time. Episodes last some hundred decisions per flow: among many, a flow gets an ACK every few
 * round trips only. */
#ifndef TRAIN_FAN_IN_H
#define TRAIN_FAN_IN_H
#include "sim/measure/decision_log.h"
#include "train/trainer.h"

enum { FAN_IN_FLOWS_STANDARD = 96, FAN_IN_FLOWS_MAX = 192, FAN_IN_ROWS_MAX = 256 };

/* All senders are equally far from the receiver, or in half of the episodes some of them share its
 * switch (fan_in.c). */
enum fan_in_paths { FAN_IN_EQUAL, FAN_IN_MIXED };

struct fan_in {
	const char *cc; /* spec; its network is replaced by policy */
	uint64_t seed;
	/* EXPLORE draws the number of flows such that each number contributes about equally many
	 * decisions; JUDGE cycles through all numbers with short, then with long links: twelve
	 * episodes are a full set of the standard. */
	const struct train_episode *which;
	uint32_t flows_max; /* of an episode */
	enum fan_in_paths paths;
};

/* The flows_max of a curriculum at progress share, 0 to 1: sizes are added one by one, after equal
 * shares. */
uint32_t fan_in_stage(uint32_t flows_max, double share);

/* The text of its scenario, for the caller to free. */
char *fan_in_scenario(const struct fan_in *f);

/* Measured over the last quarter of the episode. */
struct fan_in_result {
	double jain, use;
	double unfair; /* (fastest rate - mean) / mean */
	double queue;  /* in bandwidth-delay products */
};

/* Runs an episode. Flows without a policy follow the spec. rollout->context is a decision log. */
int fan_in_run(const struct fan_in *f, const struct weir_learn_policy *policy,
	       const struct weir_cc_rollout *rollout, struct fan_in_result *r,
	       struct weir_error *e);

/* Rewards fairness, utilisation and a short queue together, as each alone is easy: utilisation / (1
 * + unfair ratio) - 0.3 queue, where the divisor is the fastest flow's rate over the mean. Jain's
 * index would not do: it is 0.99 where one flow of 64 has twice its share. */
static inline double fan_in_score(const struct fan_in_result *r)
{
	return r->use / (1 + r->unfair) - 0.3 * r->queue;
}

/* Cooperative rewards: replaces that share of each reward by the mean of the latest rewards of all
 * flows at the time it becomes known. rewards: [flows][rows_each], indexed like the log, each the
 * reward of the action of its row. */
void fan_in_share_rewards(const struct decision_log *log, double share, float *rewards);
#endif
