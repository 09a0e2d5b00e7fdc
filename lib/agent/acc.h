/* SPDX-License-Identifier: BSD-3-Clause */
/* acc.h -- the parts of ACC: parameters, the decision process, and online learning. Internal to
 * lib/agent, sim/measure/probe.c and tests; single-threaded, all memory is the agent's state block.
 *
 * acc.c		the agent: its hooks, and a slot from observation to action
 * acc_params.c		options, presets, and which models fit
 * acc_mdp.c		observations, rewards, idle queues, and tables of settings
 * acc_online.c		learning online, and the exchange of experience between switches
 *
 * A slot is an interval of the agent. A place is where an action is requested: every queue, or
 * under C-ACC (one agent for the network) the first queue alone, whose action is for all. */
#ifndef AGENT_ACC_H
#define AGENT_ACC_H
#include "weir/agent.h"
#include "weir/learn.h"

enum acc_preset { ACC_AUTO, ACC_PAPER, ACC_WEIR, ACC_FCT, ACC_PRESETS };
enum acc_control { ACC_CONTROL_AUTO, ACC_TRAINED, ACC_UNTRAINED, ACC_RANDOM, ACC_CONSTANT };
enum acc_actions {
	ACC_ACTIONS_PRESET,
	ACC_TEMPLATE,
	ACC_GRID,
	ACC_SQUARE,
	ACC_PRED,
	ACC_BOTH_ENDS,
	ACC_FRONT,
	ACC_TABLES
};
enum acc_scope { ACC_SCOPE_AUTO, ACC_PER_SWITCH, ACC_PER_NETWORK };
enum acc_thresholds { ACC_THRESHOLDS_AUTO, ACC_FIXED, ACC_BY_RATE };
enum acc_start { ACC_SECN2, ACC_GIVEN };
enum acc_reward { ACC_REWARD_PRESET, ACC_STEP, ACC_LINEAR, ACC_UTILITY };
enum acc_idle { ACC_IDLE_PRESET, ACC_IDLE_PAPER, ACC_IDLE_LENGTH, ACC_IDLE_NONE };
enum acc_learn { ACC_LEARN_PRESET, ACC_LEARN_NO, ACC_LEARN_YES };
enum acc_traces { ACC_TRACES_PRESET, ACC_TRACES_NO, ACC_TRACES_YES };
enum acc_fabric { ACC_FABRIC_PRESET, ACC_FABRIC_TUNED, ACC_FABRIC_HELD };

enum { ACC_SLOTS_MAX = 8, ACC_FEATURES = 4, ACC_HIDDEN_MAX = 5 };

/* Traces: moving averages over a short and a long span of slots; then the setting's numbers and the
 * rate of the line. */
enum {
	ACC_SPANS = 2,
	ACC_SPAN_FEATURES = 5,
	ACC_SETTING_FEATURES = 3,
	ACC_RATE_FEATURES = 1,
	ACC_TRACE_FEATURES =
		ACC_SPANS * ACC_SPAN_FEATURES + ACC_SETTING_FEATURES + ACC_RATE_FEATURES
};

/* The link rate that thresholds scale from, with thresholds=rate. */
#define ACC_REFERENCE_BPS (UINT64_C(25) * 1000 * 1000 * 1000)

/* C-ACC: settings that a group can choose from, and combinations over the groups. */
enum { ACC_SAMPLED = 7, ACC_COMBINATIONS = ACC_SAMPLED * ACC_SAMPLED * ACC_SAMPLED };

struct acc_params {
	char model[WEIR_OPT_TEXT_SIZE];
	char hidden[WEIR_OPT_TEXT_SIZE]; /* "20-40-40"; empty: by the table */
	const struct weir_learn_policy *policy;
	uint64_t preset, control, scope;     /* enums */
	uint64_t slots;                      /* k; 0: left open */
	uint64_t actions, thresholds, start; /* enums */
	uint64_t reward;                     /* enum acc_reward */
	uint64_t weight_q32;                 /* omega_1; 0: by the reward */
	uint64_t queue_max_bytes;            /* Q_max of the linear reward; 0: by the preset */
	uint64_t fabric;                     /* enum acc_fabric */
	uint64_t margin_q32;                 /* 0: by the preset */
	uint64_t queue_left, queue_right;    /* WEIR_OPT_LENGTH, of PRED's utility */
	uint64_t idle, idle_slots;           /* enum acc_idle */
	uint64_t learn;                      /* enum acc_learn */
	uint64_t traces;                     /* enum acc_traces */
	uint64_t discount_q32;               /* gamma; 0: by the preset */
	uint64_t baseline_q32;               /* taken off rewards that are learned from */
	uint64_t step_q32;                   /* of Adam */
	uint64_t batch, target_every, after, loss; /* loss: enum weir_learn_loss */
	uint64_t explore_q32, explore_end_q32, half_life_slots, temperature_q32;
	uint64_t memory, shared_memory; /* transitions */
	uint64_t exchange_slots, exchange_transitions;
	uint64_t bound_q32; /* 0: by the preset */
};

_Static_assert(sizeof(struct acc_params) <= WEIR_SPEC_PARAMS_MAX, "a spec's params");

extern const struct weir_option weir_acc_options[];
extern const struct weir_scheme_model weir_acc_model;

int weir_acc_check(const void *params, struct weir_error *e);

/* The values of options that were left open: those of the preset, which weir_acc_model sets to that
 * of the model. */
enum acc_control weir_acc_control(const struct acc_params *p);
int weir_acc_is_paper(const struct acc_params *p);
int weir_acc_is_central(const struct acc_params *p); /* one agent for the network */
int weir_acc_is_by_rate(const struct acc_params *p); /* thresholds */
uint32_t weir_acc_slots(const struct acc_params *p);
enum acc_actions weir_acc_table(const struct acc_params *p);
enum acc_idle weir_acc_idle(const struct acc_params *p);
int weir_acc_is_learning(const struct acc_params *p);
int weir_acc_has_traces(const struct acc_params *p);
int weir_acc_has_weight(const struct acc_params *p);   /* among the inputs */
int weir_acc_holds_fabric(const struct acc_params *p); /* switches between switches hold SECN2 */
enum acc_reward weir_acc_reward_kind(const struct acc_params *p);
uint64_t weir_acc_weight_q32(const struct acc_params *p);
uint64_t weir_acc_queue_max(const struct acc_params *p);
float weir_acc_margin(const struct acc_params *p);
float weir_acc_bound(const struct acc_params *p); /* 0: learning is not guarded */

uint32_t weir_acc_inputs(const struct acc_params *p);
uint32_t weir_acc_outputs(const struct acc_params *p);
void weir_acc_meaning(const void *params, struct weir_agent_meaning *meaning);

/* The policy's plan; without a policy the one that suits the table. */
struct weir_learn_plan weir_acc_plan(const struct acc_params *p);
void weir_acc_config(const void *params, uint64_t seed, struct weir_learn_dqn_config *config);

/* --- actions --- */

/* Settings of the table, ordered by (K_min, K_max, P_max). */
uint32_t weir_acc_setting_count(enum acc_actions table);
const char *weir_acc_table_name(enum acc_actions table);

/* K_min and K_max as steps of E(n) over ten, a packet counting as 1 KB, and P_max. */
void weir_acc_setting_features(const struct acc_params *p, uint32_t setting, float *features);

struct weir_tune_knobs weir_acc_knobs(const struct acc_params *p, uint32_t setting,
				      const struct weir_agent_queue *q);

/* SECN2: 100 KB, 400 KB, 20 % at 25 Gb/s, thresholds in proportion to the rate. */
struct weir_tune_knobs weir_acc_secn2(uint64_t rate_bps);

/* 20 KB, 1 MB, 100 % at 25 Gb/s, thresholds in proportion to the rate: the setting of
 * policy=constant on switches whose ports all lead to hosts. Others are behind the front of
 * constants less often, and have a multiple of its p99 under steady load. */
struct weir_tune_knobs weir_acc_constant(uint64_t rate_bps);

/* 50 KB, 400 KB, 1 %: the setting of switches between switches with fabric=held. Of 50 constants
 * the one that is nowhere behind the others by more than 3 % in four Clos networks with and without
 * a sender window. */
struct weir_tune_knobs weir_acc_held(void);

/* Index of the first setting not below those knobs; the last index if there is none. */
uint32_t weir_acc_nearest(const struct acc_params *p, const struct weir_tune_knobs *k,
			  const struct weir_agent_queue *q);

/* The setting that an action selects for a queue. */
uint32_t weir_acc_setting_of(const struct acc_params *p, uint32_t action,
			     const struct weir_agent_queue *q);

/* --- observations --- */

struct acc_queue {
	float seen[ACC_SLOTS_MAX][ACC_FEATURES]; /* the last slots, oldest first */
	float traces[ACC_TRACE_FEATURES];
	uint64_t min_bytes; /* K_min in force */
	uint32_t setting;   /* in force */
	float reward;       /* of the last slot */
	uint32_t slots;     /* 1 from the first slot on */
	uint32_t same;      /* slots in a row whose reward was that of the slot before */
	uint32_t is_idle;   /* no action is requested */
	uint32_t carries;   /* sent or queued something in the last slot */
};

/* The setting that an agent with a margin falls back to. */
uint32_t weir_acc_anchor(const struct acc_params *p);

enum { ACC_LEVELS = 10 };

/* n of the smallest E(n) = 20 * 2^n KB, n = 0..9, that a queue fits in; 10 beyond. Equation 1. */
uint32_t weir_acc_level(uint64_t bytes);

/* Equation 2, in [0, 1]. */
float weir_acc_reward(const struct acc_params *p, const struct weir_tune_telemetry *t);

/* Updates the queue at the end of a slot. Returns the number of features that were not finite. */
uint32_t weir_acc_observe(struct acc_queue *q, const struct acc_params *p,
			  const struct weir_tune_telemetry *t);

/* --- learning online --- */

/* Compares the learned weights with the initial ones: blocks of slots act by either, and the mean
 * rewards of queues with traffic are averaged over blocks. */
enum { ACC_BLOCK_SLOTS = 64, ACC_BLOCKS = 4 };

struct acc_guard {
	const float *initial; /* weights */
	float mean[2];        /* by the weights that act: initial, learned */
	uint32_t blocks[2];   /* since the last rollback, of both kinds */
	double sum;           /* of the block */
	uint64_t count;
	uint64_t rollbacks;
};

struct acc_online {
	struct weir_learn_dqn *learner; /* NULL: it does not learn */
	struct weir_learn_memory *memory;
	void *scratch;
	float *before;  /* [places][inputs]: where the last action was chosen */
	uint8_t *waits; /* [places]: the reward of the last action is outstanding */
	uint64_t seed;
	uint64_t slots;        /* seen */
	uint64_t given, taken; /* exchanges */
	float loss;            /* of the last minibatch */
	struct acc_guard guard;
};

/* A slot: for each place the observation, the reward of the previous action, and whether an action
 * is requested. */
struct acc_slot {
	float *observations, *rewards;
	uint8_t *asks;
	uint8_t *carries;  /* did the queue send or hold something? */
	uint32_t *actions; /* in force; then those chosen */
	uint32_t places, inputs;
};

/* Stores the transitions that the slot completes. */
void weir_acc_store_transitions(struct acc_online *o, const struct acc_params *p,
				const struct acc_slot *slot);

/* After the choice of actions: remembers their observations, then trains on one minibatch. */
void weir_acc_train(struct acc_online *o, const struct acc_params *p, const struct acc_slot *slot);

/* Do the initial weights act in this slot? One block of ACC_BLOCKS, so that there is something to
 * compare with. */
int weir_acc_is_reference(const struct acc_online *o, const struct acc_params *p);

/* At the end of a slot: loads the initial weights again where the learned ones earned less by more
 * than the bound. */
void weir_acc_guard(struct acc_online *o, const struct acc_params *p, const struct acc_slot *slot);

/* Memory shared by agents. */
struct acc_shared {
	uint64_t first_seed, exporters; /* of the agent that exported first; 2: others did, too */
	_Alignas(WEIR_LEARN_ALIGNMENT) unsigned char memory[];
};

static inline struct weir_learn_memory *acc_shared_memory(struct acc_shared *shared)
{
	return (struct weir_learn_memory *)(void *)shared->memory;
}

/* Probability of exploring in this slot. */
float weir_acc_epsilon(const struct acc_online *o, const struct acc_params *p);

struct weir_learn_memory_plan weir_acc_memory_plan(const struct acc_params *p,
						   uint64_t transitions);

uint64_t weir_acc_share_steps(const void *params);
size_t weir_acc_shared_size(const void *params);
void weir_acc_shared_init(void *shared, const void *params);
void weir_acc_export(struct acc_online *o, const struct acc_params *p, struct acc_shared *shared);
void weir_acc_import(struct acc_online *o, const struct acc_params *p,
		     const struct acc_shared *shared);

/* Random streams: .stream of a struct weir_learn_draw. */
enum acc_stream { ACC_LEARNER = 1, ACC_CHOICE, ACC_GIVE, ACC_TAKE };

static inline float acc_fraction(uint64_t q32)
{
	return (float)((double)q32 / (double)WEIR_ONE_Q32);
}
#endif
