/* SPDX-License-Identifier: BSD-3-Clause */
/* rl_cc.h -- the interface between RL-CC (rl_cc.c) and its trainer (train/rl_cc.c): inputs and
 * texts of a model. */
#ifndef CC_RL_CC_H
#define CC_RL_CC_H

/* (factor, signal g) of the previous decision and of this one. */
enum { WEIR_RL_CC_INPUTS = 4 };

/* The texts WEIR_LEARN_FEATURES and WEIR_LEARN_ACTIONS that a model must have. */
#define WEIR_RL_CC_FEATURES "1 factor, signal, twice"
#define WEIR_RL_CC_ACTIONS "rate factor"
#endif
