/* SPDX-License-Identifier: BSD-3-Clause */
/* reward.h -- objectives of training, the reward of FDCC and the loss of RL-CC, and the inputs of
 * RL-CC's model. Rewards and losses are for train/ and environments; a run
 * does not use them. */
#ifndef CC_REWARD_H
#define CC_REWARD_H
#include "weir/cc.h"

enum weir_fdcc_reward {
	WEIR_FDCC_STAGED, /* the thesis, Algorithm 1 */
	WEIR_FDCC_SHARES, /* throughput in units of the fair share */
};

/* Reward of the action before decision d, from what d observed. d->flows = 0 counts as 1. */
float weir_fdcc_reward(enum weir_fdcc_reward reward, const struct weir_cc_decision *d);

struct weir_rl_cc_loss {
	float gamma;  /* of signals further on */
	float weight; /* c: of actions that go the wrong way */
	float smooth; /* k: of actions that differ */
};

#define WEIR_RL_CC_LOSS_DEFAULT \
	{ \
		0.99F, 1.0F, 1.0F \
	}

/* Loss of one flow with count > 0 actions, and the signal that followed each. Fills in slopes with
 * d loss / d action; NULL: not needed. O(count). */
float weir_rl_cc_loss(const struct weir_rl_cc_loss *l, const float *actions, const float *signals,
		      uint32_t count, float *slopes);

/* --- model of RL-CC: what rl_cc.c and its trainer agree on --- */

/* (factor, signal g) of the previous decision and of this one. */
enum { WEIR_RL_CC_INPUTS = 4 };

/* The texts WEIR_LEARN_FEATURES and WEIR_LEARN_ACTIONS that a model must have. */
#define WEIR_RL_CC_FEATURES "1 factor, signal, twice"
#define WEIR_RL_CC_ACTIONS "rate factor"
#endif
