/* SPDX-License-Identifier: BSD-3-Clause */
/* env_state.h -- what the parts of an environment share: env.c has construction and episodes,
 * env_queues.c and env_flows.c the kinds of agents, env_info.c flows and summaries. */
#ifndef SIM_RUN_ENV_STATE_H
#define SIM_RUN_ENV_STATE_H
#include "sim/core/engine.h"
#include "sim/net/network.h"
#include "sim/run/env.h"

/* Bounds observations, so that every number is finite. */
#define ENV_OBSERVATION_MAX 1e6F

/* A kind of agents: the hooks by which they differ. */
struct env_kind {
	/* Prepares an episode; the engine is at time 0. -1: message. */
	int (*start)(struct weir_env *env, struct weir_error *e);
	/* Sets the shape; an episode is prepared. -1: message. */
	int (*find_shape)(struct weir_env *env, struct weir_error *e);
	/* Actions come from outside: any value is possible. -1: message; nothing has changed. */
	int (*check)(const struct weir_env *env, const void *actions, struct weir_error *e);
	void (*act)(struct weir_env *env, const void *actions);
	/* Simulates up to the end of a step, and fills the view. */
	enum engine_status (*advance)(struct weir_env *env, const struct weir_env_view *view,
				      struct weir_error *e);
	const char *const *measures; /* ends with NULL */
	uint32_t needs_decisions;    /* 1: flows ask (sim/core/decisions.h) */
};

extern const struct env_kind env_queues_kind, env_thresholds_kind, env_flows_kind;

struct weir_env {
	const struct env_kind *kind;
	struct config config;
	struct network net;
	struct engine *engine; /* of the episode; NULL: none, or its last call failed */
	struct weir_env_shape shape;
	struct weir_env_plan plan; /* without its pointers */
	char traffic[WEIR_OPT_TEXT_SIZE];
	char *text;
	int64_t end_ps, now_ps;
	int has_begun;         /* reset has returned 0 */
	uint32_t done;         /* enum weir_env_done */
	uint32_t *links;       /* queues: by row */
	int64_t measured_link; /* of measure.port; -1: none */

	/* Flows: how many of those that ask are not complete; UINT64_MAX: some never are. */
	uint64_t left;

	/* Complete flows of the episode; those from step_first on in the last step. */
	struct weir_env_flow *ended;
	uint32_t ended_count, ended_capacity, step_first;
};

static inline float env_bound(float x)
{
	if (x > ENV_OBSERVATION_MAX)
		return ENV_OBSERVATION_MAX;
	if (x < -ENV_OBSERVATION_MAX)
		return -ENV_OBSERVATION_MAX;
	return x == x ? x : 0;
}

/* --- env_info.c --- */

void env_info_start(struct weir_env *env);
void env_info_begin_step(struct weir_env *env);
void env_info_end_step(struct weir_env *env);
void env_info_free(struct weir_env *env);
#endif
