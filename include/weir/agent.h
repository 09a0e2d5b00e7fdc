/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h -- one mind a switch: what all its queues did goes in, how each should mark comes out.
 *
 * An agent is what a tuner (weir/tune.h) is, over all the queues of a switch, or of a network, at
 * once: it may learn from each of them and use it in all. It is called once an interval, in a fixed
 * order of agents, while nothing moves. It knows neither the ports nor a clock, so the same agent
 * runs in the simulator, in a software switch, or against the management interface of a real
 * one. */
#ifndef WEIR_AGENT_H
#define WEIR_AGENT_H
#include "weir/begin.h"
#include "weir/scheme.h"
#include "weir/tune.h"

WEIR_BEGIN

struct weir_learn_dqn_config;

/* Where the other end of a port's line is. */
enum weir_agent_group {
	WEIR_AGENT_TO_HOST, /* at a host */
	WEIR_AGENT_UP,      /* at a switch that is farther from the hosts, or as far */
	WEIR_AGENT_DOWN,    /* at a switch that is nearer to them */
	WEIR_AGENT_GROUPS,
};

/* One of the queues an agent looks after. */
struct weir_agent_queue {
	uint64_t rate_bps; /* of its port */
	uint32_t mtu_bytes;
	uint32_t group; /* enum weir_agent_group */
	uint32_t node, port,
		queue; /* which switch, which of its ports, which of the port's queues */
};

struct weir_agent_env {
	uint64_t seed; /* this agent's own */
	int64_t interval_ns;
	int64_t rtt_ns; /* base round-trip time of the network */
	uint32_t agent; /* its number: agents are called in this order */
	uint32_t queue_count;
	const struct weir_agent_queue *queues;
};

enum weir_agent_scope { WEIR_AGENT_PER_SWITCH, WEIR_AGENT_PER_NETWORK };

/* A number that an agent lets others watch, one for each queue: "reward", "epsilon", "loss". */
struct weir_agent_value {
	const char *name; /* NULL ends a table */
	const char *unit;
	double (*read)(const void *state, const void *params, uint32_t queue);
};

enum { WEIR_AGENT_MEANING_SIZE = 128 };

struct weir_agent_meaning {
	char features[WEIR_AGENT_MEANING_SIZE], actions[WEIR_AGENT_MEANING_SIZE];
};

/* What a learner outside needs to stand in an agent's place: the agent still makes observations and
 * rewards of telemetry, and knobs of actions; which action to take is the learner's affair. */
struct weir_agent_learner {
	uint32_t (*observation_size)(const void *params);
	uint32_t (*action_count)(const void *params);
	/* An interval is over. For each queue: what is seen now, what the interval was worth, and
	 * whether an action is asked for (0: the queue is idle, and its setting stays). */
	void (*observe)(void *state, const void *params, const struct weir_agent_env *env,
			const struct weir_tune_telemetry *telemetry, float *observations,
			float *rewards, uint8_t *asks);
	/* One action for each queue that asked; those of others are not looked at. An action is
	 * below action_count. */
	void (*act)(void *state, const void *params, const struct weir_agent_env *env,
		    const uint32_t *actions, struct weir_tune_knobs *knobs);
	/* The learner that the agent itself would have: net, discount, batch. To be changed at
	 * will, but for the net's inputs and outputs. */
	void (*config)(const void *params, uint64_t seed, struct weir_learn_dqn_config *config);
	/* What a model's inputs and outputs mean, as its file says it (WEIR_LEARN_FEATURES and
	 * WEIR_LEARN_ACTIONS of weir/learn.h). */
	void (*meaning)(const void *params, struct weir_agent_meaning *meaning);
};

/* Telemetry and knobs are arrays with a place for each queue of the agent. */
struct weir_agent_ops {
	struct weir_scheme scheme;
	/* The interval it wants where the user asks for none. */
	int64_t (*interval_ns)(const void *params, int64_t rtt_ns);
	enum weir_agent_scope (*scope)(const void *params); /* NULL: per switch */
	/* Bytes of its state, which begins at a multiple of 64 and is zeroed before. */
	size_t (*size)(const void *params, const struct weir_agent_env *env);
	/* knobs are those to start from, and become those that it wants for the first interval. */
	void (*init)(void *state, const void *params, const struct weir_agent_env *env,
		     struct weir_tune_knobs *knobs);
	/* An interval is over; knobs are those asked for before it, and become those for the
	 * next. */
	void (*step)(void *state, const void *params, const struct weir_agent_env *env,
		     const struct weir_tune_telemetry *telemetry, struct weir_tune_knobs *knobs);
	/* What agents share, if they do: after every so many steps (0: never) all give in order,
	 * then all take in order. shared has shared_size bytes, as aligned and as zero as a state.
	 * May all be NULL. */
	uint64_t (*share_steps)(const void *params);
	size_t (*shared_size)(const void *params);
	void (*shared_init)(void *shared, const void *params);
	void (*export_experience)(void *state, const void *params, void *shared);
	void (*import_experience)(void *state, const void *params, const void *shared);
	const struct weir_agent_value *values;    /* ends with .name == NULL; may be NULL: none */
	const struct weir_agent_learner *learner; /* NULL: nobody can stand in its place */
};

extern const struct weir_agent_ops *const weir_agent_all[]; /* ends with NULL */

const struct weir_agent_ops *weir_agent_find(const char *name);

/* Reads "acc(preset=paper)" into ops and params (WEIR_SPEC_PARAMS_MAX bytes, 8-aligned). */
int weir_agent_parse(const char *spec, const struct weir_agent_ops **ops, void *params,
		     struct weir_error *e);

WEIR_END
#endif
