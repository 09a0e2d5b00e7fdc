/* SPDX-License-Identifier: BSD-3-Clause */
/* env.h -- the simulator as an environment for learners: what switches see goes out, which setting
 * each of their queues shall have comes in, and what it was worth comes back.
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
 *		... an action for each row that asks ...
 *		weir_env_step(env, actions, &view, &e);
 *	}
 *	weir_env_free(env);
 *
 * The text is a scenario file whose switch.tune names an agent that a learner can stand in for, as
 * acc does. The agent makes observations and rewards of what its queues did and settings of
 * actions; the learner only says which action. A step is one interval of all agents
 * (switch.tune-interval). Each queue of each agent is a row, in the order of switches, ports and
 * queues. A row that does not ask is idle: its setting stays, and its action is not looked at.
 *
 * An episode goes from time 0 to measure.to. Its end is none of the network's own: what comes after
 * the last observation would be worth something (a truncation, WEIR_LEARN_CUT).
 *
 * Link with libweir-sim and libweir. What happens depends on the text, the seed and the actions, on
 * nothing else. Several environments may be used at once, each by one thread at a time. Where
 * functions return int, 0 is success and -1 comes with a message; after a -1 of reset or step only
 * reset and free may follow. */
#ifndef WEIR_ENV_H
#define WEIR_ENV_H
#include "weir/begin.h"
#include "weir/error.h"
#include <stdint.h>

WEIR_BEGIN

struct weir_env;

struct weir_env_plan {
	int64_t end_ns; /* of an episode; 0: measure.to of the scenario */
};

struct weir_env_shape {
	uint32_t rows;             /* queues of all agents */
	uint32_t observation_size; /* numbers of each row */
	uint32_t action_count;     /* an action is a number below */
	uint32_t steps;            /* of an episode; reset has taken the first interval */
	int64_t interval_ns;
};

/* What an interval came to; arrays are the caller's. */
struct weir_env_view {
	float *observations; /* [rows][observation_size] */
	float *rewards;      /* [rows]: of the interval that ended */
	uint8_t *asks;       /* [rows]: 1: an action is asked for */
	uint8_t *done;       /* one: 1: the episode is over */
};

/* plan NULL: all zero. */
int weir_env_new(struct weir_env **env, const char *text, const struct weir_env_plan *plan,
		 struct weir_error *e);
void weir_env_free(struct weir_env *env); /* NULL is fine */
void weir_env_shape(const struct weir_env *env, struct weir_env_shape *shape);

/* A network at time 0 with that seed, whose first interval then passes with the settings that
 * agents begin with. */
int weir_env_reset(struct weir_env *env, uint64_t seed, const struct weir_env_view *view,
		   struct weir_error *e);

/* Actions come into force, and an interval passes. */
int weir_env_step(struct weir_env *env, const uint32_t *actions, const struct weir_env_view *view,
		  struct weir_error *e);

/* --- many at once --- */

/* So many environments of one text on threads. Arrays have one place more in front, that of the
 * environment: observations[count][rows][observation_size], done[count]. An environment whose
 * episode is over begins the next one at the following step, whatever its actions are, with a seed
 * that follows from the one it was given. */
struct weir_env_pool;

struct weir_env_pool_plan {
	struct weir_env_plan env;
	uint32_t count;   /* of environments; at least 1 */
	uint32_t threads; /* 0: one, the caller's; results do not depend on it */
};

int weir_env_pool_new(struct weir_env_pool **pool, const char *text,
		      const struct weir_env_pool_plan *plan, struct weir_error *e);
void weir_env_pool_free(struct weir_env_pool *pool); /* NULL is fine */
void weir_env_pool_shape(const struct weir_env_pool *pool, struct weir_env_shape *shape);

/* Each environment gets a seed of its own that follows from this one. */
int weir_env_pool_reset(struct weir_env_pool *pool, uint64_t seed, const struct weir_env_view *view,
			struct weir_error *e);
int weir_env_pool_step(struct weir_env_pool *pool, const uint32_t *actions,
		       const struct weir_env_view *view, struct weir_error *e);

WEIR_END
#endif
