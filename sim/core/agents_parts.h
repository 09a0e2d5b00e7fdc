/* SPDX-License-Identifier: BSD-3-Clause */
/* agents_parts.h -- what the agents of a run are made of. For agents.c and agents_build.c only. */
#ifndef SIM_CORE_AGENTS_PARTS_H
#define SIM_CORE_AGENTS_PARTS_H
#include "lib/tune/meter.h"
#include "sim/core/agents.h"
#include "weir/rng.h"

/* A queue that is looked after. */
struct agent_row {
	struct weir_port *port;
	uint32_t queue;
	uint32_t agent; /* by whom */
};

struct agent {
	struct weir_agent_env env;
	void *state;
	size_t state_size;
	uint32_t first_row;
	struct weir_rng rng; /* of delays */
	int64_t apply_ps;    /* what it asked for comes into force; WEIR_TIME_NEVER_PS: it is */
};

struct agents {
	const struct config *config;
	const struct ranks *ranks; /* NULL: all switches are here */
	/* A tuner is run as the agent weir_tune_per_queue, with these params. */
	const struct weir_agent_ops *ops;
	const void *params;
	struct tune_per_queue each;
	struct weir_mark_ops mark; /* of the ports: a meter around config->mark */
	struct meter_plan meter;

	int64_t interval_ns;
	int64_t end_ps; /* of the interval that goes on */
	uint64_t steps;
	uint64_t refused;
	void *shared; /* NULL: they share nothing */
	size_t shared_size;

	uint32_t count, row_count, link_count;
	struct agent *agents;
	/* Per row: in the order of agents, and of each agent's queues. */
	struct agent_row *rows;
	struct weir_agent_queue *queues;
	struct weir_tune_knobs *asked, *in_force;
	struct weir_tune_telemetry *telemetry;
	uint32_t *first_row_of_link; /* of a switch; of others 0 */

	/* Per row, where somebody stands in; NULL: nobody does. */
	struct agents_observed observed;
	float *observations, *rewards;
	uint8_t *asks;
};

static inline void *row_state(const struct agent_row *r)
{
	return weir_port_mark_state(r->port, r->queue);
}

static inline int knobs_equal(const struct weir_tune_knobs *a, const struct weir_tune_knobs *b)
{
	return a->min_bytes == b->min_bytes && a->max_bytes == b->max_bytes &&
	       a->slope_q32 == b->slope_q32;
}

/* What agents asked for when they began is in force from the first packet on. */
void agents_first_settings(struct agents *a);
#endif
