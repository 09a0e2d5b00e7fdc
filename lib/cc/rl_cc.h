/* SPDX-License-Identifier: BSD-3-Clause */
/* rl_cc.h -- what whoever trains RL-CC must agree on with rl_cc.c. */
#ifndef CC_RL_CC_H
#define CC_RL_CC_H

/* (factor, g) of the decision before and of this one. */
enum { WEIR_RL_CC_INPUTS = 4 };

/* The texts that a model must have under WEIR_LEARN_FEATURES and WEIR_LEARN_ACTIONS. */
#define WEIR_RL_CC_FEATURES "1 factor, signal, twice"
#define WEIR_RL_CC_ACTIONS "rate factor"
#endif
