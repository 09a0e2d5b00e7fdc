/* SPDX-License-Identifier: BSD-3-Clause */
/* agents.h -- agents and tuners (weir/agent.h, weir/tune.h) at work on simulated switches:
 * switch.tune.
 *
 * Where a scenario names one, every egress queue of every switch has a meter around its marking
 * scheme (lib/tune/meter.h). Time is cut into intervals. At the end of each, with all threads at
 * rest, the meters are read and the agents called, in the order of their numbers, each with its
 * queues in the order (switch, port, queue); so the number of threads has no say in it. What an
 * agent asks for is in force at once, or after the delays of a control plane, drawn anew for each
 * agent and interval. A setting that is none is not obeyed but counted.
 *
 * Somebody outside may stand in the agents' place, where they are such that learn: see the end. */
#ifndef SIM_CORE_AGENTS_H
#define SIM_CORE_AGENTS_H
#include "sim/core/engine.h"
#include "weir/agent.h"

struct agents;

/* NULL where switch.tune asks for none. Before ports are made, whose plans go
 * through agents_plan; the meters then are the ports' marking. */
struct agents *agents_new(const struct config *c);
void agents_plan(const struct agents *a, struct weir_port_plan *plan);

/* Ports are there: makes the agents and lets them say what the first interval begins with. Refuses
 * agents that want more memory than there is. */
int agents_start(struct agents *a, struct engine *e, struct weir_error *error);
void agents_free(struct agents *a);

/* As engine_advance_until, with what agents have to do on the way and at the stop itself; every leg
 * of a run goes through this one. What comes into force at a stop is in force when it returns. */
enum engine_status agents_advance_until(struct engine *e, int64_t stop_ps,
					struct weir_error *error);

/* --- looking --- */

/* One agent, as it was made. */
struct agent_view {
	const struct weir_agent_ops *ops;
	const void *params;
	const struct weir_agent_env *env;
	void *state;
	uint32_t first_row; /* its queues' rows, env->queue_count of them, begin here */
};

uint32_t agents_count(const struct agents *a);
struct agent_view agents_at(const struct agents *a, uint32_t agent);

/* Queues of all agents together; each has a row, in the order of agents. */
uint32_t agents_rows(const struct agents *a);

/* When the interval that goes on ends. */
int64_t agents_end_ps(const struct agents *a);

/* Settings that were none, so far. */
uint64_t agents_rejected(const struct agents *a);

/* What of each queue can be watched: K_min, K_max and P_max, then the values of the agent or
 * tuner. */
uint32_t agents_values(const struct agents *a);
const char *agents_value_name(const struct agents *a, uint32_t value);
const char *agents_value_unit(const struct agents *a, uint32_t value);
double agents_value(const struct agents *a, uint32_t link, uint32_t queue, uint32_t value);

/* The inner scheme's parameters, as the agent has turned them. */
const void *agents_mark_params(struct weir_port *port, uint32_t queue);

/* --- standing in ---
 *
 *	agents_set_external(e->agents, &error);
 *	agents_advance_until(e, agents_end_ps(e->agents), &error);
 *	r = agents_observed(e->agents);		... what is to be done with these rows?
 *	agents_act(e->agents, actions);
 *	agents_advance_until(e, agents_end_ps(e->agents), &error);		... and so on
 *
 * Agents are not stepped any more and share nothing: each observes at the end of an interval, and
 * acts when agents_act is called, at the same stop. Without a call settings stay what they are. */

/* What all agents saw of the interval that ended last; a row for each queue. */
struct agents_observed {
	int64_t time_ps; /* when it ended; 0: none has */
	uint32_t rows, observation_size, action_count;
	const float *observations; /* [rows][observation_size] */
	const float *rewards;      /* [rows] */
	const uint8_t *asks;       /* [rows]: 1: the agent asks for an action */
};

/* Refuses agents in whose place nobody can stand (no ops->learner). */
int agents_set_external(struct agents *a, struct weir_error *e);
const struct agents_observed *agents_observed(const struct agents *a);

/* One action for each row, each below action_count. Delays pass before it is in force, as
 * always. */
void agents_act(struct agents *a, const uint32_t *actions);
#endif
