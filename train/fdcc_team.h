/* SPDX-License-Identifier: BSD-3-Clause */
/* fdcc_team.h -- rewards that flows of an episode have in common (train/fdcc.c). */
#ifndef TRAIN_FDCC_TEAM_H
#define TRAIN_FDCC_TEAM_H
#include "sim/measure/decision_log.h"

/* rewards: [flows][rows_each] as the log has rows, each of the action of its row. That share of
 * each becomes the mean of what all flows have had last when it comes to be known. */
void fdcc_team_rewards(const struct decision_log *log, double share, float *rewards);
#endif
