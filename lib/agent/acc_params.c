/* SPDX-License-Identifier: BSD-3-Clause */
/* acc_params.c -- ACC's options and presets, and which models fit them.
 *
 * preset=paper follows Yan et al.; what they leave open is chosen here and is an option.
 * preset=weir keeps the method and changes what measurements in the simulator argue against: a
 * table with both useful ends; slots of 1 ms, as queues respond to a looser setting after 1 to 2
 * ms, however short the round trip; a discount of 0.98, as the cost of a burst's marks spreads over
 * 50 ms; and no idle queues, as that cost shows while the queue is below K_min.
 *
 * preset=fct differs from weir in what follows from completion times (docs/results/acc.md): a table
 * of settings on the fronts of p99 and goodput; a queue term that is linear up to 4 MB, as doubling
 * a short queue costs little and doubling a long one much; the weight of throughput among the
 * inputs, so that one network serves operators who value throughput or tail latency; a margin over
 * a setting that is on nearly every front; and a constant on switches between switches. As no
 * training is nowhere behind the constants, policy=constant is what fct does without a model. */
#include "lib/agent/acc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the inputs mean; models carry it. */
#define FEATURES "1: queue step, rate, CE rate, setting"
#define TRACED FEATURES "; means and deviations over 8 and 64; rate of the line"
#define WEIGHTED "; weight of throughput"

enum { COUNT_MAX = 1000 * 1000 * 1000, BATCH_MAX = 4096, MEMORY_MAX = 10 * 1000 * 1000 };

#define BYTES_MAX (UINT64_C(4) * 1000 * 1000 * 1000)

static const struct preset {
	enum acc_actions actions;
	enum acc_idle idle;
	enum acc_learn learn;
	enum acc_traces traces;
	enum acc_reward reward;
	enum acc_fabric fabric;
	double discount, weight, margin, bound;
	uint64_t queue_max_bytes;
	const char *model;
} presets[] = {
	[ACC_PAPER] = { ACC_TEMPLATE, ACC_IDLE_PAPER, ACC_LEARN_YES, ACC_TRACES_NO, ACC_STEP,
			ACC_FABRIC_TUNED, 0.9, 0.7, 0, 0, 10000000, "acc-paper" },
	[ACC_WEIR] = { ACC_BOTH_ENDS, ACC_IDLE_NONE, ACC_LEARN_NO, ACC_TRACES_YES, ACC_STEP,
		       ACC_FABRIC_TUNED, 0.98, 0.7, 0, 0.02, 10000000, "acc-weir" },
	[ACC_FCT] = { ACC_FRONT, ACC_IDLE_NONE, ACC_LEARN_NO, ACC_TRACES_YES, ACC_LINEAR,
		      ACC_FABRIC_HELD, 0.98, 0.5, 0.02, 0.02, 4000000, "acc-fct" },
};

static const char *const preset_names[] = { "auto", "paper", "weir", "fct", NULL };
static const char *const control_names[] = { "auto",   "trained",  "untrained",
					     "random", "constant", NULL };
static const char *const scope_names[] = { "auto", "switch", "network", NULL };
static const char *const actions_names[] = { "preset", "template", "grid",  "square",
					     "pred",   "weir",     "front", NULL };
static const char *const fabric_names[] = { "preset", "tuned", "held", NULL };
static const char *const thresholds_names[] = { "auto", "fixed", "rate", NULL };
static const char *const start_names[] = { "secn2", "given", NULL };
static const char *const reward_names[] = { "preset", "step", "linear", "pred", NULL };
static const char *const idle_names[] = { "preset", "paper", "length", "none", NULL };
static const char *const learn_names[] = { "preset", "no", "yes", NULL };
static const char *const loss_names[] = { "squared", "huber", NULL };

#define AT(member) offsetof(struct acc_params, member)

const struct weir_option weir_acc_options[] = {
	{ "preset", WEIR_OPT_CHOICE, AT(preset), "auto", 0, 0,
	  "the paper's agent, or the same method with parameters chosen here by ACC's reward "
	  "(weir) "
	  "or by completion times (fct); options that are set override it; auto: that of the "
	  "model, "
	  "fct without one",
	  preset_names },
	{ "policy", WEIR_OPT_CHOICE, AT(control), "auto", 0, 0,
	  "trained Q-network; untrained Q-network, or random actions as a baseline; constant: "
	  "20KB, "
	  "1MB, 100% per 25 Gb/s where all ports of a switch lead to hosts, 50KB, 400KB, 1% "
	  "elsewhere; auto: constant in fct without a model, else trained",
	  control_names },
	{ "model", WEIR_OPT_TEXT, AT(model), NULL, 0, 0,
	  "trained model: a file, or a built-in name; empty: the preset's", NULL },
	{ "scope", WEIR_OPT_CHOICE, AT(scope), "auto", 0, 0,
	  "one agent per switch, or one for the network that sets each of three groups of ports; "
	  "auto: that of the model, switch without one",
	  scope_names },
	{ "actions", WEIR_OPT_CHOICE, AT(actions), "preset", 0, 0,
	  "action space, the settings to choose from: that of the model; without one template in "
	  "paper, weir in weir, front in fct",
	  actions_names },
	{ "thresholds", WEIR_OPT_CHOICE, AT(thresholds), "auto", 0, 0,
	  "thresholds as in the table, or scaled by the port's rate / 25 Gb/s; auto: as the model "
	  "has them, fixed without one",
	  thresholds_names },
	{ "start", WEIR_OPT_CHOICE, AT(start), "secn2", 0, 0,
	  "setting before the first action: 100KB, 400KB, 20% for 25 Gb/s, or that of the "
	  "marking scheme",
	  start_names },
	{ "slots", WEIR_OPT_COUNT, AT(slots), "0", 0, ACC_SLOTS_MAX,
	  "history: past intervals in an observation; 0: that of the model, 3 without one", NULL },
	{ "traces", WEIR_OPT_CHOICE, AT(traces), "preset", 0, 0,
	  "observations include moving averages over 8 and 64 intervals: as the model has them; "
	  "without one no in paper, yes in weir and fct",
	  learn_names },
	{ "hidden", WEIR_OPT_TEXT, AT(hidden), NULL, 0, 0,
	  "hidden layers, in units, as in 20-40-40; empty: 20-40-40, and 20-40-40-20 for more "
	  "than 20 actions; a model has its own",
	  NULL },
	{ "reward", WEIR_OPT_CHOICE, AT(reward), "preset", 0, 0,
	  "queue term of the reward: in steps of powers of two (paper, weir), linear (fct), or "
	  "PRED's utility",
	  reward_names },
	{ "weight", WEIR_OPT_FRACTION_Q32, AT(weight_q32), "0", 0, WEIR_ONE_Q32,
	  "weight of link utilisation in the reward; the rest is the weight of a short queue; in "
	  "fct an input of the network, so that it moves a trained model between tail latency and "
	  "throughput; 0: 0.7, 0.5 in fct, and 0.4 with reward=pred",
	  NULL },
	{ "queue-max", WEIR_OPT_BYTES, AT(queue_max_bytes), "0B", 0, BYTES_MAX,
	  "reward=linear: mean queue from which on the queue term is 0; 0B: 10MB, 4MB in fct",
	  NULL },
	{ "fabric", WEIR_OPT_CHOICE, AT(fabric), "preset", 0, 0,
	  "switches with a switch as neighbour are tuned (paper, weir), or hold 50KB, 400KB, 1% "
	  "(fct): their pauses reach flows that are not the cause",
	  fabric_names },
	{ "margin", WEIR_OPT_FRACTION_Q32, AT(margin_q32), "0", 0, 100 * WEIR_ONE_Q32,
	  "actions=front: value by which a setting must exceed that of 400KB, 4MB, 20% to be "
	  "chosen instead; 0: 0.02 in fct",
	  NULL },
	{ "q-left", WEIR_OPT_LENGTH, AT(queue_left), "15pkts", 0, BYTES_MAX,
	  "reward=pred: mean queue up to which the queue term is 1", NULL },
	{ "q-right", WEIR_OPT_LENGTH, AT(queue_right), "500KB", 0, BYTES_MAX,
	  "reward=pred: mean queue from which on the queue term is 0", NULL },
	{ "idle", WEIR_OPT_CHOICE, AT(idle), "preset", 0, 0,
	  "a queue is idle below min, or also while its reward stays the same (paper), or never: "
	  "paper in paper, none in weir and fct",
	  idle_names },
	{ "idle-slots", WEIR_OPT_COUNT, AT(idle_slots), "3", 1, COUNT_MAX,
	  "idle=paper: number of intervals", NULL },
	{ "learn", WEIR_OPT_CHOICE, AT(learn), "preset", 0, 0,
	  "online learning during the run: yes in paper, no in weir and fct", learn_names },
	{ "discount", WEIR_OPT_FRACTION_Q32, AT(discount_q32), "0", 0, WEIR_ONE_Q32,
	  "discount factor gamma; 0: that of the model; without one 0.9 in paper, 0.98 in weir and "
	  "fct",
	  NULL },
	{ "baseline", WEIR_OPT_FRACTION_Q32, AT(baseline_q32), "0.8", 0, WEIR_ONE_Q32,
	  "with learn: subtracted from every reward, as in training; does not change the best "
	  "action",
	  NULL },
	{ "rate", WEIR_OPT_FRACTION_Q32, AT(step_q32), "0.0001", 1, WEIR_ONE_Q32,
	  "learning rate of Adam", NULL },
	{ "batch", WEIR_OPT_COUNT, AT(batch), "32", 1, BATCH_MAX,
	  "minibatch size; one minibatch per interval", NULL },
	{ "target-every", WEIR_OPT_COUNT, AT(target_every), "100", 1, COUNT_MAX,
	  "minibatches between updates of the target network", NULL },
	{ "after", WEIR_OPT_COUNT, AT(after), "1000", 1, MEMORY_MAX,
	  "transitions in replay memory before the first minibatch", NULL },
	{ "loss", WEIR_OPT_CHOICE, AT(loss), "squared", 0, 0,
	  "loss: squared error, or Huber with delta 1", loss_names },
	{ "explore", WEIR_OPT_FRACTION_Q32, AT(explore_q32), "0.1", 0, WEIR_ONE_Q32,
	  "with learn: initial epsilon of epsilon-greedy exploration", NULL },
	{ "explore-end", WEIR_OPT_FRACTION_Q32, AT(explore_end_q32), "0.01", 0, WEIR_ONE_Q32,
	  "final epsilon, at most explore", NULL },
	{ "half-life", WEIR_OPT_COUNT, AT(half_life_slots), "1000", 1, COUNT_MAX,
	  "half-life of epsilon, in intervals", NULL },
	{ "temperature", WEIR_OPT_FRACTION_Q32, AT(temperature_q32), "0.05", 0, 100 * WEIR_ONE_Q32,
	  "exploratory actions are drawn by softmax(value / temperature); 0: uniformly", NULL },
	{ "memory", WEIR_OPT_COUNT, AT(memory), "10000", 1, MEMORY_MAX,
	  "size of an agent's replay memory, in transitions", NULL },
	{ "shared-memory", WEIR_OPT_COUNT, AT(shared_memory), "100000", 1, MEMORY_MAX,
	  "size of the replay memory shared by agents, in transitions", NULL },
	{ "exchange-every", WEIR_OPT_COUNT, AT(exchange_slots), "100", 0, COUNT_MAX,
	  "intervals between exchanges with the shared memory; 0: never", NULL },
	{ "exchange", WEIR_OPT_COUNT, AT(exchange_transitions), "256", 1, MEMORY_MAX,
	  "transitions per exchange, in each direction", NULL },
	{ "bound", WEIR_OPT_FRACTION_Q32, AT(bound_q32), "0", 0, WEIR_ONE_Q32,
	  "with learn: mean reward by which the learned network may fall behind the trained one, "
	  "which acts in a quarter of the time for comparison, before it is loaded again; 0: none "
	  "in paper, 0.02 in weir and fct",
	  NULL },
	{ .name = NULL },
};

/* --- values left open --- */

static const struct preset *acc_preset(const struct acc_params *p)
{
	return &presets[p->preset ? p->preset : ACC_FCT];
}

/* C-ACC has a model of the paper's only. */
enum acc_control weir_acc_control(const struct acc_params *p)
{
	if (p->control != ACC_CONTROL_AUTO)
		return (enum acc_control)p->control;
	return p->model[0] || weir_acc_is_central(p) || acc_preset(p) != &presets[ACC_FCT]
		       ? ACC_TRAINED
		       : ACC_CONSTANT;
}

int weir_acc_is_paper(const struct acc_params *p)
{
	return acc_preset(p) == &presets[ACC_PAPER];
}

int weir_acc_holds_fabric(const struct acc_params *p)
{
	return (p->fabric ? p->fabric : acc_preset(p)->fabric) == ACC_FABRIC_HELD;
}

enum acc_reward weir_acc_reward_kind(const struct acc_params *p)
{
	return p->reward ? (enum acc_reward)p->reward : acc_preset(p)->reward;
}

/* 0.7 is recommended in section 3.3, 0.4 in PRED 4.2. */
uint64_t weir_acc_weight_q32(const struct acc_params *p)
{
	double weight = weir_acc_reward_kind(p) == ACC_UTILITY ? 0.4 : acc_preset(p)->weight;

	return p->weight_q32 ? p->weight_q32 : (uint64_t)(weight * (double)WEIR_ONE_Q32);
}

uint64_t weir_acc_queue_max(const struct acc_params *p)
{
	return p->queue_max_bytes ? p->queue_max_bytes : acc_preset(p)->queue_max_bytes;
}

float weir_acc_margin(const struct acc_params *p)
{
	if (weir_acc_table(p) != ACC_FRONT)
		return 0.0F;
	return p->margin_q32 ? acc_fraction(p->margin_q32) : (float)acc_preset(p)->margin;
}

float weir_acc_bound(const struct acc_params *p)
{
	return p->bound_q32 ? acc_fraction(p->bound_q32) : (float)acc_preset(p)->bound;
}

/* Is the weight among the inputs? */
int weir_acc_has_weight(const struct acc_params *p)
{
	return acc_preset(p) == &presets[ACC_FCT];
}

int weir_acc_is_central(const struct acc_params *p)
{
	return p->scope == ACC_PER_NETWORK;
}

int weir_acc_is_by_rate(const struct acc_params *p)
{
	return p->thresholds == ACC_BY_RATE;
}

uint32_t weir_acc_slots(const struct acc_params *p)
{
	enum { SLOTS = 3 };

	return p->slots ? (uint32_t)p->slots : SLOTS;
}

enum acc_actions weir_acc_table(const struct acc_params *p)
{
	return p->actions ? (enum acc_actions)p->actions : acc_preset(p)->actions;
}

enum acc_idle weir_acc_idle(const struct acc_params *p)
{
	return p->idle ? (enum acc_idle)p->idle : acc_preset(p)->idle;
}

int weir_acc_is_learning(const struct acc_params *p)
{
	uint64_t learn = p->learn ? p->learn : acc_preset(p)->learn;

	return learn == ACC_LEARN_YES && weir_acc_control(p) != ACC_RANDOM;
}

static double acc_discount(const struct acc_params *p)
{
	return p->discount_q32 ? (double)p->discount_q32 / (double)WEIR_ONE_Q32
			       : acc_preset(p)->discount;
}

/* --- the network --- */

int weir_acc_has_traces(const struct acc_params *p)
{
	uint64_t traces = p->traces ? p->traces : acc_preset(p)->traces;

	return traces == ACC_TRACES_YES;
}

uint32_t weir_acc_inputs(const struct acc_params *p)
{
	uint32_t groups = weir_acc_is_central(p) ? WEIR_AGENT_GROUPS : 1;

	return groups * (weir_acc_slots(p) * ACC_FEATURES +
			 (weir_acc_has_traces(p) ? ACC_TRACE_FEATURES : 0) +
			 (weir_acc_has_weight(p) ? 1 : 0));
}

uint32_t weir_acc_outputs(const struct acc_params *p)
{
	return weir_acc_is_central(p) ? ACC_COMBINATIONS
				      : weir_acc_setting_count(weir_acc_table(p));
}

/* Parses "20-40-40" into numbers, with 0 behind the last. -1: malformed. */
static int acc_read_hidden(const char *text, uint32_t units[ACC_HIDDEN_MAX + 1])
{
	char *end = (char *)text;

	memset(units, 0, (ACC_HIDDEN_MAX + 1) * sizeof(units[0]));
	for (int i = 0; i < ACC_HIDDEN_MAX; i++, text = end + 1) {
		unsigned long n = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;

		if (n == 0 || n > WEIR_LEARN_UNITS_MAX)
			return -1;
		units[i] = (uint32_t)n;
		if (*end == '\0')
			return 0;
		if (*end != '-')
			return -1;
	}
	return -1;
}

struct weir_learn_plan weir_acc_plan(const struct acc_params *p)
{
	struct weir_learn_stack stack = { .inputs = weir_acc_inputs(p),
					  .outputs = weir_acc_outputs(p) };
	int is_large = stack.outputs > weir_acc_setting_count(ACC_TEMPLATE);
	const char *standard = is_large ? "20-40-40-20" : "20-40-40";

	if (p->policy)
		return p->policy->net->plan;
	acc_read_hidden(p->hidden[0] ? p->hidden : standard, stack.hidden);
	return weir_learn_plan_stack(&stack);
}

void weir_acc_config(const void *params, uint64_t seed, struct weir_learn_dqn_config *config)
{
	const struct acc_params *p = params;
	struct weir_learn_adam adam = WEIR_LEARN_ADAM_DEFAULT;

	adam.rate = acc_fraction(p->step_q32);
	*config = (struct weir_learn_dqn_config){
		.training = { .observation_size = weir_acc_inputs(p),
			      .batch = (uint32_t)p->batch,
			      .return_steps = 1,
			      .gamma = acc_discount(p),
			      .returns = WEIR_LEARN_PROPER,
			      .loss = (enum weir_learn_loss)p->loss,
			      .huber_delta = 1.0F,
			      .start = WEIR_LEARN_HE_UNIFORM,
			      .seed = seed,
			      .stream = ACC_LEARNER },
		.plan = weir_acc_plan(p),
		.adam = adam,
		.target_every = (uint32_t)p->target_every,
	};
}

int weir_acc_check(const void *params, struct weir_error *e)
{
	const struct acc_params *p = params;
	struct weir_learn_dqn_config config;
	uint32_t units[ACC_HIDDEN_MAX + 1];

	if (p->hidden[0] && acc_read_hidden(p->hidden, units))
		return weir_error_set(
			e,
			"hidden is '%s'; it must be 1 to %d numbers of units, each 1 to "
			"%d, as in 20-40-40",
			p->hidden, ACC_HIDDEN_MAX, WEIR_LEARN_UNITS_MAX);
	if (p->control == ACC_RANDOM && p->learn == ACC_LEARN_YES)
		return weir_error_set(e, "policy=random has nothing to learn; leave out learn=yes");
	if (weir_acc_control(p) != ACC_TRAINED && p->model[0])
		return weir_error_set(e, "a model is given, but policy=%s does not use it",
				      control_names[p->control]);
	if (weir_acc_control(p) == ACC_CONSTANT &&
	    (p->weight_q32 || p->margin_q32 || p->actions || p->learn == ACC_LEARN_YES))
		return weir_error_set(e, "weight, margin, actions and learn=yes are for a network; "
					 "add policy=trained or a model");
	if (p->after > p->memory)
		return weir_error_set(e, "after is %llu; memory holds %llu transitions",
				      (unsigned long long)p->after, (unsigned long long)p->memory);
	weir_acc_config(p, 0, &config);
	return weir_learn_dqn_check(&config, e);
}

/* --- models --- */

#define BY_RATE ", thresholds by rate"
#define BY_GROUP ", 7 for each of 3 groups"

void weir_acc_meaning(const void *params, struct weir_agent_meaning *meaning)
{
	const struct acc_params *p = params;
	enum acc_actions table = weir_acc_table(p);

	snprintf(meaning->features, sizeof(meaning->features), "%s%s",
		 weir_acc_has_traces(p) ? TRACED : FEATURES,
		 weir_acc_has_weight(p) ? WEIGHTED : "");
	snprintf(meaning->actions, sizeof(meaning->actions), "%s %u%s%s",
		 weir_acc_table_name(table), weir_acc_setting_count(table),
		 weir_acc_is_by_rate(p) ? BY_RATE : "", weir_acc_is_central(p) ? BY_GROUP : "");
	snprintf(meaning->agent, sizeof(meaning->agent), "preset=%s, discount=%.4f",
		 preset_names[acc_preset(p) - presets], acc_discount(p));
}

static const char *acc_standard_model(const void *params)
{
	const struct acc_params *p = params;

	if (weir_acc_control(p) != ACC_TRAINED)
		return NULL;
	return weir_acc_is_central(p) ? "acc-network" : acc_preset(p)->model;
}

/* The preset that a model names; of models that name none those with traces are of weir. */
static enum acc_preset acc_model_preset(const struct weir_learn_policy *m)
{
	for (enum acc_preset i = ACC_PAPER; i < ACC_PRESETS; i++) {
		size_t length = strlen(preset_names[i]);

		if (m->agent && strncmp(m->agent, "preset=", 7) == 0 &&
		    strncmp(m->agent + 7, preset_names[i], length) == 0 &&
		    m->agent[7 + length] == ',')
			return i;
	}
	if (strcmp(m->features, TRACED WEIGHTED) == 0)
		return ACC_FCT;
	return strcmp(m->features, TRACED) == 0 ? ACC_WEIR : ACC_PAPER;
}

/* The table that a model names first among its actions; its preset's where that is unknown. */
static enum acc_actions acc_model_table(const struct weir_learn_policy *m,
					const struct acc_params *p)
{
	for (enum acc_actions i = ACC_TEMPLATE; i < ACC_TABLES; i++) {
		size_t length = strlen(weir_acc_table_name(i));

		if (strncmp(m->actions, weir_acc_table_name(i), length) == 0 &&
		    m->actions[length] == ' ')
			return i;
	}
	return acc_preset(p)->actions;
}

static uint64_t acc_model_slots(const struct weir_learn_policy *m, const struct acc_params *p)
{
	uint32_t inputs = m->net->plan.current_size /
			  (weir_acc_is_central(p) ? (uint32_t)WEIR_AGENT_GROUPS : 1);
	uint32_t traces = (weir_acc_has_traces(p) ? ACC_TRACE_FEATURES : 0U) +
			  (weir_acc_has_weight(p) ? 1U : 0U);

	return inputs > traces ? (inputs - traces) / ACC_FEATURES : 0;
}

static uint64_t acc_model_discount(const struct weir_learn_policy *m)
{
	static const char key[] = "discount=";
	const char *at = m->agent ? strstr(m->agent, key) : NULL;
	double discount = at ? strtod(at + strlen(key), NULL) : 0.0;

	return discount > 0.0 && discount <= 1.0 ? (uint64_t)(discount * (double)WEIR_ONE_Q32) : 0;
}

/* Sets what is open and what the preset would not give. A model of another preset than the one
 * asked for is not followed, so that weir_acc_model refuses it. */
static void acc_model_adopt(void *params, const struct weir_learn_policy *m)
{
	struct acc_params *p = params;
	int is_own = m && strcmp(m->scheme, "acc") == 0, is_traced;

	p->control = p->control || !m ? weir_acc_control(p) : ACC_TRAINED;
	if (!p->preset)
		p->preset = is_own ? acc_model_preset(m) : ACC_FCT;
	is_own = is_own && acc_model_preset(m) == (enum acc_preset)p->preset;
	if (!p->scope)
		p->scope =
			is_own && strstr(m->actions, BY_GROUP) ? ACC_PER_NETWORK : ACC_PER_SWITCH;
	if (!p->thresholds)
		p->thresholds =
			p->control == ACC_CONSTANT || (is_own && strstr(m->actions, BY_RATE))
				? ACC_BY_RATE
				: ACC_FIXED;
	if (!p->reward)
		p->reward = acc_preset(p)->reward;
	p->queue_max_bytes = weir_acc_queue_max(p);
	is_traced = is_own && strncmp(m->features, TRACED, strlen(TRACED)) == 0;
	if (is_own && !p->traces && is_traced != weir_acc_has_traces(p))
		p->traces = is_traced ? ACC_TRACES_YES : ACC_TRACES_NO;
	if (is_own && !p->actions && acc_model_table(m, p) != acc_preset(p)->actions)
		p->actions = acc_model_table(m, p);
	if (is_own && !p->discount_q32 &&
	    acc_model_discount(m) != (uint64_t)(acc_preset(p)->discount * (double)WEIR_ONE_Q32))
		p->discount_q32 = acc_model_discount(m);
	if (!p->slots && is_own && acc_model_slots(m, p) <= ACC_SLOTS_MAX)
		p->slots = acc_model_slots(m, p);
	p->slots = weir_acc_slots(p);
}

static int acc_model_fits(const void *params, const struct weir_learn_policy *policy,
			  struct weir_error *e)
{
	const struct acc_params *p = params;
	struct weir_agent_meaning meaning;
	const struct weir_learn_plan *plan = &policy->net->plan;

	weir_acc_meaning(p, &meaning);
	if (strcmp(policy->scheme, "acc") != 0)
		return weir_error_set(e, "is one of '%s', not of acc", policy->scheme);
	if (strcmp(policy->features, meaning.features) != 0)
		return weir_error_set(e,
				      "has the features '%s'; the options ask for "
				      "'%s'; leave out preset and traces",
				      policy->features, meaning.features);
	if (strcmp(policy->actions, meaning.actions) != 0)
		return weir_error_set(e,
				      "has the actions '%s'; the options ask for '%s'; "
				      "leave out preset, actions, thresholds and scope",
				      policy->actions, meaning.actions);
	if (plan->sequence_size || plan->current_size != weir_acc_inputs(p))
		return weir_error_set(e, "has %u inputs; %u are needed",
				      plan->sequence_size ? plan->sequence_size
							  : plan->current_size,
				      weir_acc_inputs(p));
	if (policy->net->outputs != weir_acc_outputs(p))
		return weir_error_set(e, "has %u outputs; %u are needed", policy->net->outputs,
				      weir_acc_outputs(p));
	return 0;
}

const struct weir_scheme_model weir_acc_model = {
	.name_offset = offsetof(struct acc_params, model),
	.policy_offset = offsetof(struct acc_params, policy),
	.standard = acc_standard_model,
	.fits = acc_model_fits,
	.adopt = acc_model_adopt,
};
