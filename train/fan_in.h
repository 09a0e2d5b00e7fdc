/* SPDX-License-Identifier: BSD-3-Clause */
/* fan_in.h -- episodes to train congestion controls on: flows to one receiver through a dumbbell,
 * and what each of them decided (Zhang, FDCC, section 4.4).
 *
 * There are 2, 6, 12, 24, 48 or 96 flows, 192 if that is asked for, each with a sender of its own;
 * links have 150 ns to 1 us. Where there is to be learnt, half of the flows leave after about half
 * of the time. The time is so long that each flow makes some hundred decisions: in the middle of
 * many, a flow has a packet acknowledged every few round trips only. */
#ifndef TRAIN_FAN_IN_H
#define TRAIN_FAN_IN_H
#include "sim/measure/decision_log.h"
#include "train/trainer.h"

enum { FAN_IN_FLOWS_STANDARD = 96, FAN_IN_FLOWS_MAX = 192, FAN_IN_ROWS_MAX = 256 };

struct fan_in {
	const char *cc; /* spec; its network is replaced by policy */
	uint64_t seed;
	/* EXPLORE draws the number of flows so that each has about the same share of all decisions;
	 * JUDGE goes through all of them with short, then with long links by the number of the
	 * episode: twelve are a full set of the standard. */
	const struct train_episode *which;
	uint32_t flows_max; /* of an episode */
};

/* Of a curriculum that has come so far, 0 to 1: flows_max. One size after the other is added, each
 * after the same share. */
uint32_t fan_in_stage(uint32_t flows_max, double share);

/* The text of its scenario, for the caller to free. */
char *fan_in_scenario(const struct fan_in *f);

/* What came of the last quarter. */
struct fan_in_result {
	double jain, use;
	double unfair; /* by how much the fastest flow is faster than the mean, over the mean */
	double queue;  /* in bandwidth-delay products */
};

/* Flows without a network of their own do what the spec says. trial->context is the log's. */
int fan_in_run(const struct fan_in *f, const struct weir_learn_policy *policy,
	       const struct weir_cc_rollout *trial, struct fan_in_result *r, struct weir_error *e);

/* Fair, busy, and no queue: use / (1 + unfair ratio) - 0.3 queue, where the divisor is the fastest
 * flow's rate over the mean. Each of them alone is easily had. Not by Jain's index, which is 0.99
 * where one flow of 64 has twice its share. */
static inline double fan_in_score(const struct fan_in_result *r)
{
	return r->use / (1 + r->unfair) - 0.3 * r->queue;
}

/* What one flow does to the others counts for it, too: that share of each reward becomes the mean
 * of the last rewards of all flows at the time it becomes known. rewards: [flows][rows_each] as the
 * log has rows, each of the action of its row. */
void fan_in_share_rewards(const struct decision_log *log, double share, float *rewards);
#endif
