/* SPDX-License-Identifier: BSD-3-Clause */
/* agents.h -- agents and tuners (weir/agent.h, weir/tune.h) on simulated switches: switch.tune.
 *
 * Where a scenario names one, every egress queue of every switch has a meter around its marking
 * scheme (lib/tune/meter.h). Time is divided into intervals. At the end of each, with the workers
 * stopped, the meters are read and the agents called, in the order of their numbers, each with its
 * queues in the order (switch, port, queue); so results do not depend on the number of threads.
 * Desired settings are applied at once, or after the delays of a control plane, drawn for each
 * agent and interval. An invalid setting is counted and not applied.
 *
 * A learner outside may act instead of agents that can learn: see "external actions" at the end.
 *
 * Threads: everything here runs on the caller's thread while the workers are stopped. */
#ifndef SIM_CORE_AGENTS_H
#define SIM_CORE_AGENTS_H
#include "lib/tune/meter.h"
#include "sim/core/engine.h"
#include "weir/agent.h"
#include "weir/rng.h"

/* --- state: for agents.c and agents_build.c --- */

/* What all agents observed in the interval that ended last; a row for each queue. */
struct agents_observed {
	int64_t time_ps; /* when it ended; 0: none has */
	uint32_t rows, observation_size, action_count;
	const float *observations; /* [rows][observation_size] */
	const float *rewards;      /* [rows] */
	const uint8_t *asks;       /* [rows]: 1: the agent needs an action */
};

/* A queue under an agent. */
struct agent_row {
	struct weir_port *port;
	uint32_t queue;
	uint32_t agent; /* number of its agent */
};

struct agent {
	struct weir_agent_env env;
	void *state;
	size_t state_size;
	uint32_t first_row;
	struct weir_rng rng; /* of delays */
	int64_t apply_ps; /* when its desired settings are applied; WEIR_TIME_NEVER_PS: none pend */
};

struct agents {
	const struct config *config;
	const struct ranks *ranks; /* NULL: all switches are in this process */
	/* A tuner runs as the agent weir_tune_per_queue, with `each` as params. */
	const struct weir_agent_ops *ops;
	const void *params;
	struct tune_per_queue each;
	struct weir_mark_ops mark; /* of the ports: a meter around config->mark */
	struct meter_plan meter;

	int64_t interval_ns;
	int64_t end_ps; /* of the current interval */
	uint64_t steps;
	uint64_t rejected; /* invalid settings */
	void *shared;      /* NULL: agents share nothing */
	size_t shared_size;

	uint32_t count, row_count, link_count;
	struct agent *agents;
	/* Per row: in the order of agents, and of each agent's queues. */
	struct agent_row *rows;
	struct weir_agent_queue *queues;
	struct weir_tune_knobs *desired, *applied;
	struct weir_tune_telemetry *telemetry;
	uint32_t *first_row_of_link; /* of a switch; of others 0 */

	/* Per row, for external actions; NULL: disabled. */
	struct agents_observed observed;
	float *observations, *rewards;
	uint8_t *asks;
};

static inline void *agent_row_state(const struct agent_row *r)
{
	return weir_port_mark_state(r->port, r->queue);
}

static inline int agent_knobs_equal(const struct weir_tune_knobs *a,
				    const struct weir_tune_knobs *b)
{
	return a->min_bytes == b->min_bytes && a->max_bytes == b->max_bytes &&
	       a->slope_q32 == b->slope_q32;
}

/* --- building --- */

/* NULL: switch.tune = none. Before ports are built: their plans go through agents_plan, which makes
 * the meter the ports' marking. */
struct agents *agents_new(const struct config *c);
void agents_plan(const struct agents *a, struct weir_port_plan *plan);

/* After ports are built: creates the agents and applies their initial settings. -1: they need more
 * memory than there is; message. */
int agents_start(struct agents *a, struct engine *e, struct weir_error *error);
void agents_free(struct agents *a);

/* As engine_advance_until, and ends the agents' intervals up to and including the stop. All runs go
 * through this function. A setting that is due at the stop is applied when it returns. */
enum engine_status agents_advance_until(struct engine *e, int64_t stop_ps,
					struct weir_error *error);

/* Applies the agents' initial settings, without delay. Called by agents_start. */
void agents_apply_initial(struct agents *a);

/* --- reading --- */

/* One agent. */
struct agent_view {
	const struct weir_agent_ops *ops;
	const void *params;
	const struct weir_agent_env *env;
	void *state;
	uint32_t first_row; /* of env->queue_count rows, one for each of its queues */
};

uint32_t agents_count(const struct agents *a);
struct agent_view agents_at(const struct agents *a, uint32_t agent);

/* Rows: queues of all agents, in the order of agents. */
uint32_t agents_rows(const struct agents *a);

/* End of the current interval. */
int64_t agents_end_ps(const struct agents *a);

/* Invalid settings so far. */
uint64_t agents_rejected(const struct agents *a);

/* Values of a queue that probes can read: K_min, K_max and P_max, then those of the agent or
 * tuner. */
uint32_t agents_values(const struct agents *a);
const char *agents_value_name(const struct agents *a, uint32_t value);
const char *agents_value_unit(const struct agents *a, uint32_t value);
double agents_value(const struct agents *a, uint32_t link, uint32_t queue, uint32_t value);

/* The inner scheme's parameters with the agent's settings. */
const void *agents_mark_params(struct weir_port *port, uint32_t queue);

/* --- external actions ---
 *
 *	agents_set_external(e->agents, &error);
 *	agents_advance_until(e, agents_end_ps(e->agents), &error);
 *	r = agents_observed(e->agents);		... choose an action for each row ...
 *	agents_act(e->agents, actions);
 *	agents_advance_until(e, agents_end_ps(e->agents), &error);		... and so on
 *
 * Agents are not stepped and share nothing: each observes at the end of an interval, and acts when
 * agents_act is called, at the same stop. Without a call settings stay as they are. */

/* -1: the agent cannot learn (no ops->learner); message. */
int agents_set_external(struct agents *a, struct weir_error *e);
const struct agents_observed *agents_observed(const struct agents *a);

/* One action for each row, below action_count. Settings are applied after the usual delays. */
void agents_act(struct agents *a, const uint32_t *actions);

/* Instead of agents_act: knobs for each row that asks. The agent has learner->note. */
void agents_set_knobs(struct agents *a, const struct weir_tune_knobs *knobs);
#endif
