/* SPDX-License-Identifier: BSD-3-Clause */
/* env.h -- the simulator as a reinforcement-learning environment: observations of switch queues, an
 * action for each queue, rewards.
 *
 *	struct weir_env *env;
 *	struct weir_env_shape shape;
 *	struct weir_error e;
 *
 *	if (weir_env_new(&env, text, NULL, &e))
 *		return complain(e.text); // what is wrong with the scenario, and where
 *	weir_env_shape(env, &shape);
 *	... arrays for shape.rows ...
 *	weir_env_reset(env, seed, &view, &e);
 *	while (!view.done[0]) {
 *		... an action for each row whose asks is 1 ...
 *		weir_env_step(env, actions, &view, &e);
 *	}
 *	weir_env_free(env);
 *
 * The text is a scenario file whose switch.tune names an agent that can learn, such as acc. The
 * agent turns queue statistics into observations and rewards, and actions into settings; the
 * learner chooses the actions. A step is one interval of all agents (switch.tune-interval). Each
 * queue of each agent is a row, in the order of switches, ports and queues. A row whose `asks` is
 * 0 is idle: its setting stays, and its action is ignored.
 *
 * An episode goes from time 0 to measure.to. Its end is a truncation (WEIR_LEARN_CUT), not a
 * terminal state: the network would go on.
 *
 * Link with libweir-sim and libweir. Results depend on the text, the seed and the actions only.
 * Threads: several environments may be used at once, each by one thread at a time. Ownership:
 * arrays are the caller's. Errors: functions that return int return 0, or -1 with a message; once
 * reset or step has returned -1, only reset and free may follow. */
#ifndef WEIR_ENV_H
#define WEIR_ENV_H
#include "weir/begin.h"
#include "weir/error.h"
#include <stdint.h>

WEIR_BEGIN

struct weir_env;

struct weir_env_plan {
	int64_t end_ns; /* end of an episode; 0: measure.to of the scenario */
};

struct weir_env_shape {
	uint32_t rows;             /* queues of all agents */
	uint32_t observation_size; /* numbers of each row */
	uint32_t action_count;     /* actions are numbers from 0 */
	uint32_t steps;            /* of an episode, after reset, which takes the first interval */
	int64_t interval_ns;
};

/* Result of an interval; the arrays are the caller's. */
struct weir_env_view {
	float *observations; /* [rows][observation_size] */
	float *rewards;      /* [rows]: of the interval that ended */
	uint8_t *asks;       /* [rows]: 1: the row needs an action */
	uint8_t *done;       /* one element, 1: the episode is over */
};

/* text: the content of a scenario file. plan NULL: all fields 0. */
int weir_env_new(struct weir_env **env, const char *text, const struct weir_env_plan *plan,
		 struct weir_error *e);
void weir_env_free(struct weir_env *env); /* NULL: nothing to do */
void weir_env_shape(const struct weir_env *env, struct weir_env_shape *shape);

/* Builds the network at time 0 with that seed, and simulates the first interval with the agents'
 * initial settings. */
int weir_env_reset(struct weir_env *env, uint64_t seed, const struct weir_env_view *view,
		   struct weir_error *e);

/* Applies actions [rows], and simulates an interval. */
int weir_env_step(struct weir_env *env, const uint32_t *actions, const struct weir_env_view *view,
		  struct weir_error *e);

/* --- vectorised --- */

/* Environments of one text, run by a pool of threads. Arrays have one dimension more, the
 * environment: observations[count][rows][observation_size], done[count]. An environment whose
 * episode is over starts the next one at the following step, which ignores its actions; the seed of
 * an episode follows from the environment's. */
struct weir_env_pool;

struct weir_env_pool_plan {
	struct weir_env_plan env;
	uint32_t count;   /* of environments; at least 1 */
	uint32_t threads; /* 0: one, the caller's. Results do not depend on it */
};

int weir_env_pool_new(struct weir_env_pool **pool, const char *text,
		      const struct weir_env_pool_plan *plan, struct weir_error *e);
void weir_env_pool_free(struct weir_env_pool *pool); /* NULL: nothing to do */
void weir_env_pool_shape(const struct weir_env_pool *pool, struct weir_env_shape *shape);

/* Each environment gets a seed of its own, which follows from this one. */
int weir_env_pool_reset(struct weir_env_pool *pool, uint64_t seed, const struct weir_env_view *view,
			struct weir_error *e);
int weir_env_pool_step(struct weir_env_pool *pool, const uint32_t *actions,
		       const struct weir_env_view *view, struct weir_error *e);

WEIR_END
#endif
