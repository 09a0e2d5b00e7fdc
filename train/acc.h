/* SPDX-License-Identifier: BSD-3-Clause */
/* acc.h -- the parts of the trainer for switch agents.
 *
 * acc.c		the trainer: options, learner, updates, policy table
 * acc_episode.c	an episode: runs a network and records transitions
 * draw.c		random training scenarios
 */
#ifndef TRAIN_ACC_H
#define TRAIN_ACC_H
#include "train/trainer.h"
#include "weir/agent.h"

/* --- draw.c ---
 *
 * DRAW_WEIR is traffic in which the best setting differs: long flows alone, with short messages
 * among them, and with bursts that come and go, over senders that recover slowly (DCQCN).
 * DRAW_FCT has more of it, with short messages nearly always, and with senders of which half have a
 * window of one bandwidth-delay product; the agent's weight of throughput is drawn, too.
 * DRAW_PAPER is what ACC's authors say of their training (Yan et al., SIGCOMM 2021, section 4.3),
 * as far as it is public. */

enum draw_kind { DRAW_FCT, DRAW_WEIR, DRAW_PAPER };

struct draw {
	enum draw_kind kind;
	const char *tune; /* spec of switch.tune */
	uint64_t seed;
	int is_windowed; /* set by draw_scenario */
	double weight;
};

/* The text of a scenario, for the caller to free. measure.from and measure.port are the time and
 * port that count for the score. */
char *draw_scenario(const struct draw *given);

/* --- the trainer --- */

enum { ACC_TUNE_SIZE = 2 * WEIR_OPT_TEXT_SIZE };

struct acc_options {
	uint64_t preset; /* enum draw_kind */
	char agent[WEIR_OPT_TEXT_SIZE];
	uint64_t rate_q32, batch, target_every, updates_q32;
	uint64_t memory, warm_up, returns, baseline_q32;
	uint64_t explore_end_q32, explore_share_q32, explore_hold;
};

struct acc_trainer {
	struct acc_options options;
	struct train_input input;
	char tune[ACC_TUNE_SIZE]; /* the agent's spec, without its own network */
	const struct weir_agent_ops *ops;
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX]; /* of that */
	struct weir_agent_meaning meaning;
	struct weir_learn_text texts[3];
	struct weir_learn_dqn_config config;
	struct weir_learn_memory_plan memory;
	struct train_layout layout;
	void *scratch; /* for update, which is never concurrent */
	size_t scratch_size;
};

/* Figures, in the order of the table. */
enum acc_figure { ACC_REWARD, ACC_USE, ACC_QUEUE, ACC_LOSS, ACC_EPSILON };

float acc_epsilon(const struct acc_trainer *d, const void *state);

/* A row of a record: an observation, then the action and its reward; or the observation after the
 * last step. */
enum acc_row { ACC_STEP, ACC_LAST };

static inline uint32_t acc_row_floats(const struct acc_trainer *d)
{
	return 1 + d->config.training.observation_size + 2; /* which, observation, action, reward */
}

/* Do the agents of the given scenarios have the same inputs and outputs as this one? */
int acc_check_input(const struct acc_trainer *d, struct weir_error *e);

char *acc_scenario(const void *context, const struct train_episode *which);
int acc_episode(const void *context, const void *state, const struct train_episode *which,
		struct train_record *r, struct weir_error *e);

#endif
