/* SPDX-License-Identifier: BSD-3-Clause */
/* agent.h -- interface of agents, which tune the marking of all queues of a switch, or of a
 * network, from their telemetry.
 *
 * An agent is a tuner (weir/tune.h) over many queues at once, so it can learn from each of them for
 * all. Its owner calls it once per interval and in a fixed order of agents; in the simulator that
 * is at a barrier, where no packet moves. Hooks of one agent are never called concurrently. An
 * agent has no access to ports or clocks, so the same code runs in the simulator, in a software
 * switch, and against the management interface of a real switch. It must not allocate: its owner
 * provides the state, of the size that the agent asks for. */
#ifndef WEIR_AGENT_H
#define WEIR_AGENT_H
#include "weir/begin.h"
#include "weir/scheme.h"
#include "weir/tune.h"

WEIR_BEGIN

struct weir_learn_dqn_config;

/* What a port's link leads to. */
enum weir_agent_group {
	WEIR_AGENT_TO_HOST, /* a host */
	WEIR_AGENT_UP,      /* a switch at least as far from the hosts */
	WEIR_AGENT_DOWN,    /* a switch nearer to the hosts */
	WEIR_AGENT_GROUPS,
};

/* One of the queues that an agent tunes. */
struct weir_agent_queue {
	uint64_t rate_bps; /* of the port */
	uint32_t mtu_bytes;
	uint32_t group;             /* enum weir_agent_group */
	uint32_t node, port, queue; /* numbers of the switch, its port, the port's queue */
};

struct weir_agent_env {
	uint64_t seed; /* for this agent alone */
	int64_t interval_ns;
	int64_t rtt_ns; /* base round-trip time of the network */
	uint32_t agent; /* agents are called in ascending order of this number */
	uint32_t queue_count;
	const struct weir_agent_queue *queues;
};

enum weir_agent_scope { WEIR_AGENT_PER_SWITCH, WEIR_AGENT_PER_NETWORK };

/* A per-queue value that an agent publishes for probes: "reward", "epsilon", "loss". */
struct weir_agent_value {
	const char *name; /* NULL ends a table */
	const char *unit;
	double (*read)(const void *state, const void *params, uint32_t queue);
};

enum { WEIR_AGENT_MEANING_SIZE = 128 };

struct weir_agent_meaning {
	char features[WEIR_AGENT_MEANING_SIZE], actions[WEIR_AGENT_MEANING_SIZE];
	char agent[WEIR_AGENT_MEANING_SIZE]; /* "": none */
};

/* Lets an external learner choose the actions: the agent still turns telemetry into observations
 * and rewards, and actions into knobs. Used by train/ and weir/env.h. */
struct weir_agent_learner {
	uint32_t (*observation_size)(const void *params);
	uint32_t (*action_count)(const void *params);
	/* At the end of an interval: sets for each queue the observation, the reward of the
	 * interval, and whether an action is requested (0: the queue is idle and keeps its
	 * setting). */
	void (*observe)(void *state, const void *params, const struct weir_agent_env *env,
			const struct weir_tune_telemetry *telemetry, float *observations,
			float *rewards, uint8_t *asks);
	/* Applies an action, below action_count, for each queue that requested one; the others'
	 * entries are ignored. */
	void (*act)(void *state, const void *params, const struct weir_agent_env *env,
		    const uint32_t *actions, struct weir_tune_knobs *knobs);
	/* The queues have these knobs now, which a learner outside chose as numbers. NULL: it
	 * chooses among the agent's actions only. */
	void (*note)(void *state, const void *params, const struct weir_agent_env *env,
		     const struct weir_tune_knobs *knobs);
	/* The configuration of the agent's own learner: net, discount, batch. Everything but the
	 * net's inputs and outputs may be changed. */
	void (*config)(const void *params, uint64_t seed, struct weir_learn_dqn_config *config);
	/* The meaning of a model's inputs and outputs, as in its file (WEIR_LEARN_FEATURES,
	 * WEIR_LEARN_ACTIONS and WEIR_LEARN_AGENT of weir/learn.h). */
	void (*meaning)(const void *params, struct weir_agent_meaning *meaning);
};

/* Telemetry and knobs are arrays with an entry per queue of the agent. */
struct weir_agent_ops {
	struct weir_scheme scheme;
	/* The interval, unless the user sets one. */
	int64_t (*interval_ns)(const void *params, int64_t rtt_ns);
	enum weir_agent_scope (*scope)(const void *params); /* NULL: per switch */
	/* Bytes of the state, which is aligned to 64 bytes and zeroed before init. */
	size_t (*size)(const void *params, const struct weir_agent_env *env);
	/* knobs: on entry the initial settings, on return those for the first interval. */
	void (*init)(void *state, const void *params, const struct weir_agent_env *env,
		     struct weir_tune_knobs *knobs);
	/* At the end of an interval. knobs: on entry the settings last returned, on return those
	 * for the next interval. */
	void (*step)(void *state, const void *params, const struct weir_agent_env *env,
		     const struct weir_tune_telemetry *telemetry, struct weir_tune_knobs *knobs);
	/* Sharing between agents: after every share_steps steps (0: never) all agents export in
	 * order, then all import in order. shared has shared_size bytes, aligned and zeroed like a
	 * state. All five may be NULL: agents share nothing. */
	uint64_t (*share_steps)(const void *params);
	size_t (*shared_size)(const void *params);
	void (*shared_init)(void *shared, const void *params);
	void (*export_experience)(void *state, const void *params, void *shared);
	void (*import_experience)(void *state, const void *params, const void *shared);
	const struct weir_agent_value *values;    /* ends with .name == NULL; NULL: none */
	const struct weir_agent_learner *learner; /* NULL: external learners are not supported */
};

extern const struct weir_agent_ops *const weir_agent_all[]; /* ends with NULL */

const struct weir_agent_ops *weir_agent_find(const char *name);

/* Parses "acc(preset=paper)" into ops and params (WEIR_SPEC_PARAMS_MAX bytes, 8-aligned). -1 with a
 * message. */
int weir_agent_parse(const char *spec, const struct weir_agent_ops **ops, void *params,
		     struct weir_error *e);

WEIR_END
#endif
