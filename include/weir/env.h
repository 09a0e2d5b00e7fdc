/* SPDX-License-Identifier: BSD-3-Clause */
/* env.h -- the simulator as a reinforcement-learning environment, for switches and for senders.
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
 * The text is a scenario file. Its schemes turn measurements into observations and rewards, and
 * actions into settings, rates or windows; the learner chooses the actions in place of their neural
 * networks. weir_env_plan.agents says which agents there are:
 *
 *	WEIR_ENV_QUEUES, WEIR_ENV_THRESHOLDS
 *		The queues of switches under switch.tune, which names an agent that can learn, such
 *		as acc. A step is one interval (switch.tune-interval). Each queue is a row, in the
 *		order of switches, ports and queues. A row whose `asks` is 0 is idle: its setting
 *		stays, and its action is ignored.
 *	WEIR_ENV_FLOWS
 *		The flows whose congestion control can learn, such as fdcc and rl-cc: host.cc, or cc
 *		of a traffic section. A flow asks at an ACK, when its control is due to decide, and
 *		its action takes effect at that ACK. A step ends with the lookahead window in which
 *		the first flow asks, and delivers all flows that ask by then, at most one of each
 *		host: rows are hosts. Within a lookahead window hosts cannot affect each other, so
 *		the result is the same as if each flow had been asked alone, in order of time. Only
 *		rows that ask are written. Messages of jobs (pattern = collective) follow their own
 *		network, and are not among the flows that are reported.
 *
 * An episode goes from time 0 to measure.to. Its end is a truncation (WEIR_LEARN_CUT), not a
 * terminal state: the network would go on. With WEIR_ENV_FLOWS it terminates earlier if all flows
 * that ask are complete.
 *
 * Link with libweir-sim and libweir. Results depend on the text, the settings, the seed and the
 * actions only. Threads: several environments may be used at once, each by one thread at a time.
 * Ownership: arrays are the caller's. Errors: functions that return int return 0, or -1 with a
 * message; once reset or step has failed in the simulation, only reset, set and free may follow. A
 * refused action changes nothing. */
#ifndef WEIR_ENV_H
#define WEIR_ENV_H
#include "weir/begin.h"
#include "weir/error.h"
#include <stdint.h>

WEIR_BEGIN

struct weir_env;

enum weir_env_agents {
	/* An action is the number of one of the agent's settings: uint32_t, below action_count. */
	WEIR_ENV_QUEUES,
	/* An action is three floats x in [0, 1], for any setting: K_max = 1 KiB 2^(12 x[1]), with
	 * straight lines between powers of two; K_min = x[0] K_max; P_max = x[2]. */
	WEIR_ENV_THRESHOLDS,
	/* An action is a float in [-1, 1], the output that the control expects of its network: the
	 * factor for its window (fdcc) or rate (rl-cc) is 1 + alpha u, or 1 / (1 - alpha u) below
	 * 0. */
	WEIR_ENV_FLOWS,
};

struct weir_env_plan {
	int64_t end_ns; /* end of an episode; 0: measure.to of the scenario */
	enum weir_env_agents agents;
	/* WEIR_ENV_FLOWS: name of the [traffic] section whose flows ask, while others follow their
	 * own network. NULL: all that can learn. */
	const char *traffic;
	/* WEIR_ENV_FLOWS: the number of the only flow that asks, plus one; 0: all of these. */
	uint32_t flow_plus_one;
	/* "SECTION.KEY=VALUE", as with --set; ends with NULL. NULL: none. */
	const char *const *settings;
};

struct weir_env_shape {
	uint32_t rows;             /* queues of all agents; WEIR_ENV_FLOWS: hosts */
	uint32_t agents;           /* queues; WEIR_ENV_FLOWS: flows of the scenario */
	uint32_t observation_size; /* numbers of each row */
	uint32_t action_count;     /* WEIR_ENV_QUEUES: how many; 0: actions are floats */
	uint32_t action_size;      /* floats of each row's action; WEIR_ENV_QUEUES: 0 */
	uint32_t measure_count;    /* see weir_env_measure */
	/* Of an episode, after reset, which takes the first interval; WEIR_ENV_FLOWS: 0, unknown */
	uint32_t steps;
	int64_t interval_ns; /* WEIR_ENV_FLOWS: 0 */
};

enum weir_env_done { WEIR_ENV_GOES_ON, WEIR_ENV_TRUNCATED, WEIR_ENV_TERMINATED };

/* Result of a step; the arrays are the caller's. */
struct weir_env_view {
	float *observations; /* [rows][observation_size]; finite, bounded by 10^6 */
	/* [rows]: of the interval that ended; WEIR_ENV_FLOWS: of the flow's last action, 0 at its
	 * first decision */
	float *rewards;
	uint8_t *asks;    /* [rows]: 1: the row needs an action */
	uint8_t *done;    /* one element: enum weir_env_done */
	uint32_t *agents; /* [rows]: number of the queue or flow that asks. NULL: not wanted */
	float *measures;  /* [rows][measure_count]: weir_env_measure. NULL: not wanted */
};

/* text: the content of a scenario file. plan NULL: all fields 0. */
int weir_env_new(struct weir_env **env, const char *text, const struct weir_env_plan *plan,
		 struct weir_error *e);
void weir_env_free(struct weir_env *env); /* NULL: nothing to do */
void weir_env_shape(const struct weir_env *env, struct weir_env_shape *shape);

/* Replaces the plan's settings; NULL: none. A reset must follow. -1: they are wrong, or change the
 * shape (but for agents and steps); nothing changes then. */
int weir_env_set(struct weir_env *env, const char *const *settings, struct weir_error *e);

/* Builds the network at time 0 with that seed, and simulates the first step with initial settings.
 */
int weir_env_reset(struct weir_env *env, uint64_t seed, const struct weir_env_view *view,
		   struct weir_error *e);

/* Applies actions, of all rows, and simulates a step: uint32_t [rows], or float
 * [rows][action_size]. */
int weir_env_step(struct weir_env *env, const void *actions, const struct weir_env_view *view,
		  struct weir_error *e);

/* --- more to learn from --- */

/* Unit and name of a measure, such as "queue_mean_bytes": raw quantities, for rewards of your own.
 * NULL: i is not below measure_count. */
const char *weir_env_measure(const struct weir_env *env, uint32_t i);

/* A flow that is complete. */
struct weir_env_flow {
	uint32_t flow, from, to; /* numbers of the flow, its hosts */
	uint32_t traffic;        /* and its section, from 0 */
	uint32_t agent;          /* the flow that opened its connection, which is the agent */
	uint32_t closes;         /* 1: no other flow follows on this connection */
	uint64_t bytes;
	int64_t start_ns;
	int64_t fct_ns;   /* completion time, as measure.completion defines it */
	int64_t ideal_ns; /* of the flow alone in the network; slowdown = fct / ideal */
};

/* The flows that were completed in the last step, in order of completion; returns how many. *flows
 * is valid until the next call that changes the environment. O(1). */
uint32_t weir_env_ended(const struct weir_env *env, const struct weir_env_flow **flows);

struct weir_env_fct {
	uint64_t flows;
	/* NaN: of no flow; p99: of fewer than 100 */
	double mean_ns, p99_ns, slowdown_mean, slowdown_p99;
};

/* The episode so far, from time 0 on. */
struct weir_env_summary {
	int64_t now_ns;
	/* Complete flows: all; up to measure.small; between; above measure.large. */
	struct weir_env_fct all, small, medium, large;
	double goodput_bps; /* of all hosts together */
	uint64_t delivered_bytes, drops, marks, pauses, retransmits, timeouts;
	int64_t paused_ns; /* of all ports and classes together */
};

/* O(flows log flows + ports). */
void weir_env_summary(const struct weir_env *env, struct weir_env_summary *summary);

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

/* One of the environments, for weir_env_ended, _summary and _set. Not to be freed. */
struct weir_env *weir_env_pool_at(struct weir_env_pool *pool, uint32_t i);

/* Each environment gets a seed of its own, which follows from this one. */
int weir_env_pool_reset(struct weir_env_pool *pool, uint64_t seed, const struct weir_env_view *view,
			struct weir_error *e);

/* The same with the seeds of the first episodes given, one for each environment. */
int weir_env_pool_reset_each(struct weir_env_pool *pool, const uint64_t *seeds,
			     const struct weir_env_view *view, struct weir_error *e);
int weir_env_pool_step(struct weir_env_pool *pool, const void *actions,
		       const struct weir_env_view *view, struct weir_error *e);

WEIR_END
#endif
