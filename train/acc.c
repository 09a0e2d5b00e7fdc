/* SPDX-License-Identifier: BSD-3-Clause */
/* acc.c -- trains switch agents (weir/agent.h) that support external learners, such as acc, offline
 * by double DQN. The agent provides observations, rewards and settings; the network is trained
 * here.
 *
 * All rows share one replay memory, as the queues of a switch do in the paper (Yan et al., ACC,
 * SIGCOMM 2021, algorithm 1). Epsilon decays exponentially with the training steps. preset=weir
 * and preset=fct differ: an exploring action is held for several intervals, because its effect
 * takes several to show. */
#include "train/acc.h"
#include "base/memory.h"
#include "weir/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	MEMORY_MAX = 10 * 1000 * 1000,
	BATCH_MAX = 4096,
	COUNT_MAX = 1000 * 1000 * 1000,
	RETURNS_MAX = 100,
	HOLD_MAX = 1000
};

static const char *const preset_names[] = {
	[DRAW_FCT] = "fct", [DRAW_WEIR] = "weir", [DRAW_PAPER] = "paper", NULL
};

/* Hyperparameters of the presets, for options that the user leaves open. Those of weir were
 * searched with fourteen trainings of 250,000 steps from one seed: n-step returns of 1 to 20,
 * discount 0.95 to 0.99, learning rate 0.0002 and 0.0005, explore-hold 2 to 16, explore-end 0.05
 * and 0.15, with and without traces. On 64 drawn scenarios their mean reward was 0.870 to 0.883,
 * that of the best constant setting 0.847: the choice is not critical. At that time scenarios had
 * fewer kinds of traffic and 25 Gb/s only; on those of today five trainings of 300,000 steps
 * (replay memories of 100,000 and 400,000 rows, 128-128 neurons, 10-step returns with discount
 * 0.99, longer exploration) reached 0.819 to 0.829. */
#define WEIR_AGENT "hidden=64-64"

static const struct recipe {
	const char *agent;
	double rate, explore_end, updates;
	uint64_t batch, target_every, returns, explore_hold, memory;
} recipes[] = {
	[DRAW_FCT] = { WEIR_AGENT, 0.0002, 0.1, 2, 64, 200, 5, 8, 400000 },
	[DRAW_WEIR] = { WEIR_AGENT, 0.0002, 0.1, 2, 64, 200, 5, 8, 400000 },
	[DRAW_PAPER] = { "", 0.001, 0.05, 1, 32, 100, 1, 1, 100000 },
};

#define AT(member) offsetof(struct acc_options, member)

static const struct weir_option acc_options[] = {
	{ "preset", WEIR_OPT_CHOICE, AT(preset), "fct", 0, 0,
	  "the agent's preset, and where no scenario is given what is drawn: long flows, alone and "
	  "with bursts between them (weir), also with short flows and sender windows (fct), or the "
	  "paper's incasts and Clos networks",
	  preset_names },
	{ "agent", WEIR_OPT_TEXT, AT(agent), NULL, 0, 0,
	  "further options of the agent, as they would stand in its brackets: actions, discount, "
	  "hidden, loss; empty in weir and fct: " WEIR_AGENT,
	  NULL },
	{ "rate", WEIR_OPT_FRACTION_Q32, AT(rate_q32), "0", 0, WEIR_ONE_Q32,
	  "learning rate of Adam; 0: 0.001 in paper, 0.0002 in weir and fct", NULL },
	{ "batch", WEIR_OPT_COUNT, AT(batch), "0", 0, BATCH_MAX,
	  "steps of a minibatch; 0: 32 in paper, 64 in weir and fct", NULL },
	{ "target-every", WEIR_OPT_COUNT, AT(target_every), "0", 0, COUNT_MAX,
	  "minibatches between copies to the target network; 0: 100 in paper, 200 in weir and fct",
	  NULL },
	{ "updates", WEIR_OPT_FRACTION_Q32, AT(updates_q32), "0", 0, 64 * WEIR_ONE_Q32,
	  "minibatches for each step that is learnt from; 0: 1 in paper, 2 in weir and fct", NULL },
	{ "memory", WEIR_OPT_COUNT, AT(memory), "0", 0, MEMORY_MAX,
	  "steps that are remembered; 0: 100000 in paper, 400000 in weir and fct", NULL },
	{ "warm-up", WEIR_OPT_COUNT, AT(warm_up), "2000", 1, MEMORY_MAX,
	  "steps before the first minibatch", NULL },
	{ "returns", WEIR_OPT_COUNT, AT(returns), "0", 0, RETURNS_MAX,
	  "rewards that are summed up before the network's value stands for the rest; 0: 1 in "
	  "paper, 5 in weir and fct",
	  NULL },
	{ "baseline", WEIR_OPT_FRACTION_Q32, AT(baseline_q32), "0.8", 0, WEIR_ONE_Q32,
	  "taken off every reward: values are then small and sooner learnt, and which action is "
	  "best stays the same",
	  NULL },
	{ "explore-end", WEIR_OPT_FRACTION_Q32, AT(explore_end_q32), "0", 0, WEIR_ONE_Q32,
	  "probability of exploring falls from 1 to this; 0: 0.05 in paper, 0.1 in weir and fct",
	  NULL },
	{ "explore-share", WEIR_OPT_FRACTION_Q32, AT(explore_share_q32), "0.4", 1, WEIR_ONE_Q32,
	  "of all steps, in which it does", NULL },
	{ "explore-hold", WEIR_OPT_COUNT, AT(explore_hold), "0", 0, HOLD_MAX,
	  "intervals that an exploring action is held for, in the mean; 0: 1 in paper, 8 in weir "
	  "and fct",
	  NULL },
	{ .name = NULL },
};

static const struct train_figure acc_figures[] = {
	[ACC_REWARD] = { "reward", "", BY_EPISODE, "of what is learnt from, a step" },
	[ACC_USE] = { "use", "", BY_EPISODE, "share of the line that was used" },
	[ACC_QUEUE] = { "queue", "bytes", BY_EPISODE, "that waits at the ends of intervals" },
	[ACC_LOSS] = { "loss", "", BY_UPDATE, "of the minibatches of a round" },
	[ACC_EPSILON] = { "epsilon", "", BY_UPDATE, "probability of exploring in the next round" },
	{ .name = NULL },
};

/* --- context: options, nets, texts; constant after open --- */

static uint64_t acc_q32(double fraction)
{
	return (uint64_t)(fraction * (double)WEIR_ONE_Q32);
}

/* Sets options left to the preset. */
static void acc_follow_recipe(struct acc_options *o)
{
	const struct recipe *r = &recipes[o->preset];

	if (!o->agent[0])
		snprintf(o->agent, sizeof(o->agent), "%s", r->agent);
	if (!o->rate_q32)
		o->rate_q32 = acc_q32(r->rate);
	if (!o->updates_q32)
		o->updates_q32 = acc_q32(r->updates);
	if (!o->explore_end_q32)
		o->explore_end_q32 = acc_q32(r->explore_end);
	if (!o->batch)
		o->batch = r->batch;
	if (!o->target_every)
		o->target_every = r->target_every;
	if (!o->returns)
		o->returns = r->returns;
	if (!o->explore_hold)
		o->explore_hold = r->explore_hold;
	if (!o->memory)
		o->memory = r->memory;
}

static int acc_read_agent(struct acc_trainer *d, struct weir_error *e)
{
	int length = snprintf(
		d->tune, sizeof(d->tune), "acc(preset=%s, policy=untrained, learn=no%s%s)",
		preset_names[d->options.preset], d->options.agent[0] ? ", " : "", d->options.agent);

	if (length >= (int)sizeof(d->tune))
		return weir_error_set(e, "agent: is too long");
	if (weir_agent_parse(d->tune, &d->ops, d->params, e))
		return weir_error_prefix(e, "agent: ");
	return 0;
}

/* The agent's own learner, with more memory and other rates. */
static int acc_plan_learner(struct acc_trainer *d, struct weir_error *e)
{
	const struct weir_agent_learner *learner = d->ops->learner;

	learner->config(d->params, d->input.seed, &d->config);
	learner->meaning(d->params, &d->meaning);
	d->texts[0] = (struct weir_learn_text){ WEIR_LEARN_FEATURES, d->meaning.features };
	d->texts[1] = (struct weir_learn_text){ WEIR_LEARN_ACTIONS, d->meaning.actions };
	d->texts[2] = (struct weir_learn_text){ WEIR_LEARN_AGENT, d->meaning.agent };
	d->config.adam.rate = (float)((double)d->options.rate_q32 / (double)WEIR_ONE_Q32);
	d->config.training.batch = (uint32_t)d->options.batch;
	d->config.target_every = (uint32_t)d->options.target_every;
	d->config.training.return_steps = (uint32_t)d->options.returns;
	d->memory = (struct weir_learn_memory_plan){
		.rows = (uint32_t)d->options.memory,
		.observation_size = d->config.training.observation_size,
		.action_size = 1,
	};
	return weir_learn_dqn_check(&d->config, e);
}

static void acc_close(void *context)
{
	struct acc_trainer *d = context;

	memory_free(d->scratch, 1, d->scratch_size);
	memory_free(d, 1, sizeof(*d));
}

static int acc_open(void **context, const void *params, const struct train_input *input,
		    struct weir_error *e)
{
	struct acc_trainer *d = memory_new(1, sizeof(*d));

	d->options = *(const struct acc_options *)params;
	acc_follow_recipe(&d->options);
	d->input = *input;
	if (acc_read_agent(d, e) || acc_plan_learner(d, e) || acc_check_input(d, e)) {
		acc_close(d);
		return -1;
	}
	d->scratch_size = weir_learn_dqn_scratch_size(&d->config, 1);
	d->scratch = memory_new(1, d->scratch_size);
	d->layout = train_layout_of(weir_learn_dqn_size(&d->config),
				    weir_learn_memory_size(&d->memory));
	*context = d;
	return 0;
}

/* --- the state: learner, memory, count --- */

static size_t acc_size(const void *context)
{
	const struct acc_trainer *d = context;

	return train_layout_size(&d->layout);
}

static void acc_begin(const void *context, void *state)
{
	const struct acc_trainer *d = context;

	weir_learn_dqn_init(state, &d->config);
	weir_learn_memory_init(train_memory(&d->layout, state), &d->memory);
}

/* From 1 down to explore-end when explore-share of the steps is done, by a factor a step. */
float acc_epsilon(const struct acc_trainer *d, const void *state)
{
	double end = (double)d->options.explore_end_q32 / (double)WEIR_ONE_Q32;
	double share = (double)d->options.explore_share_q32 / (double)WEIR_ONE_Q32;
	double done =
		(double)train_count(&d->layout, state)->steps / (share * (double)d->input.steps);

	return (float)(done < 1 ? pow(end, done) : end);
}

static void acc_keep(const void *context, void *state, const struct train_record *r)
{
	const struct acc_trainer *d = context;
	struct weir_learn_memory *m = train_memory(&d->layout, state);
	uint32_t size = d->config.training.observation_size;
	float baseline = (float)((double)d->options.baseline_q32 / (double)WEIR_ONE_Q32);

	for (uint64_t i = 0; i < r->floats; i += acc_row_floats(d)) {
		const float *row = r->rows + i, *observation = row + 1;

		if (row[0] == (float)ACC_STEP)
			weir_learn_memory_step(m, observation, observation + size,
					       observation[size + 1] - baseline);
		else
			weir_learn_memory_end(m, observation, WEIR_LEARN_CUT);
	}
}

static void acc_update(const void *context, void *state, struct task_pool *pool, uint64_t steps,
		       double figures[TRAIN_FIGURES_MAX])
{
	const struct acc_trainer *d = context;
	const struct weir_learn_executor alone = { .workers = 1, .scratch = d->scratch };
	struct weir_learn_memory *m = train_memory(&d->layout, state);
	uint64_t updates =
		train_count_round(train_count(&d->layout, state), steps, d->options.warm_up,
				  (double)d->options.updates_q32 / (double)WEIR_ONE_Q32);
	double loss = 0;

	(void)pool; /* an update is shorter than waking a thread */
	for (uint64_t i = 0; i < updates; i++)
		loss += (double)weir_learn_dqn_update(state, m, &alone);
	figures[ACC_LOSS] = updates ? loss / (double)updates : 0;
	figures[ACC_EPSILON] = (double)acc_epsilon(d, state);
}

static void acc_model(const void *context, const void *state, struct weir_learn_model *model)
{
	const struct acc_trainer *d = context;

	*model = (struct weir_learn_model){
		.net = weir_learn_dqn_net(state),
		.weights = weir_learn_dqn_weights(state),
		.texts = d->texts,
		.text_count = d->meaning.agent[0] ? 3 : 2,
	};
}

/* --- the policy table: the setting that a policy settles on at a port of 25 Gb/s with constant
 * queue and rate, with packets marked as the setting in force would --- */

enum { SLOTS = 20, MTU_BYTES = 1048, KB = 1000 };

#define RATE_BPS (UINT64_C(25) * 1000 * 1000 * 1000)

static const uint64_t queues_kb[] = { 0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120 };
static const uint32_t percents[] = { 10, 25, 50, 75, 90, 100 };

static void acc_table_queue(const void *context, uint32_t row, struct train_cell *cell)
{
	(void)context;
	snprintf(cell->text, sizeof(cell->text), "%u KB", (unsigned)queues_kb[row]);
}

static void acc_table_rate(const void *context, uint32_t column, struct train_cell *cell)
{
	(void)context;
	snprintf(cell->text, sizeof(cell->text), "%u %%", percents[column]);
}

/* Share of packets that RED marks at that queue length. */
static double acc_table_share_marked(const struct weir_tune_knobs *k, uint64_t queue_bytes)
{
	double slope = (double)k->slope_q32 / (double)WEIR_ONE_Q32 / (KB * KB);
	double share;

	if (queue_bytes >= k->max_bytes)
		return 1;
	if (queue_bytes <= k->min_bytes)
		return 0;
	share = slope * (double)(queue_bytes - k->min_bytes);
	return share < 1 ? share : 1;
}

/* One queue, its agent and the policy. */
struct acc_table_port {
	const struct acc_trainer *context;
	struct weir_agent_queue queue;
	struct weir_agent_env env;
	struct weir_tune_knobs knobs;
	struct weir_tune_telemetry telemetry;
	void *state;
	size_t state_size;
	const struct weir_learn_model *model;
};

static void acc_table_step(struct acc_table_port *s)
{
	const struct weir_agent_learner *learner = s->context->ops->learner;
	size_t floats = weir_learn_tape_floats(s->model->net, 1, 0, WEIR_LEARN_FORWARD_ONLY);
	uint32_t inputs = s->context->config.training.observation_size, action;
	float *tape = memory_new(floats, sizeof(*tape)), reward;
	float *observation = memory_new(inputs, sizeof(*observation));
	float *values = memory_new(s->model->net->outputs, sizeof(*values));
	const struct weir_learn_batch one = { .samples = 1, .current = observation };
	const struct weir_learn_choice best = { .epsilon = 0 };
	uint8_t asks;

	s->telemetry.ce_bytes =
		(uint64_t)((double)s->telemetry.out_bytes *
			   acc_table_share_marked(&s->knobs, s->telemetry.queue_end_bytes));
	learner->observe(s->state, s->context->params, &s->env, &s->telemetry, observation, &reward,
			 &asks);
	weir_learn_forward(s->model->net, s->model->weights, &one, tape, values);
	action = weir_learn_choose_action(&best, values, s->model->net->outputs,
					  (struct weir_learn_draw){ 0, 0, 0 });
	learner->act(s->state, s->context->params, &s->env, &action, &s->knobs);
	memory_free(tape, floats, sizeof(*tape));
	memory_free(observation, inputs, sizeof(*observation));
	memory_free(values, s->model->net->outputs, sizeof(*values));
}

static void acc_table_setting(const void *context, const struct weir_learn_model *model,
			      const uint32_t at[2], struct train_cell *cell)
{
	const struct acc_trainer *d = context;
	uint64_t queue_bytes = queues_kb[at[0]] * KB;
	struct acc_table_port s = { .context = d,
				    .queue = { .rate_bps = RATE_BPS, .mtu_bytes = MTU_BYTES },
				    .model = model };

	s.env = (struct weir_agent_env){
		.interval_ns = d->ops->interval_ns(d->params, 5 * WEIR_NS_PER_US),
		.rtt_ns = 5 * WEIR_NS_PER_US,
		.queue_count = 1,
		.queues = &s.queue,
	};
	s.telemetry = (struct weir_tune_telemetry){
		.interval_ns = s.env.interval_ns,
		.rate_bps = RATE_BPS,
		.out_bytes = (uint64_t)((double)RATE_BPS / 8e9 * (double)s.env.interval_ns *
					percents[at[1]] / 100),
		.queue_mean_bytes = queue_bytes,
		.queue_max_bytes = queue_bytes,
		.queue_end_bytes = queue_bytes,
		.mtu_bytes = MTU_BYTES,
	};
	s.state_size = d->ops->size(d->params, &s.env);
	s.state = memory_new(1, s.state_size);
	d->ops->init(s.state, d->params, &s.env, &s.knobs);
	for (int i = 0; i < SLOTS; i++)
		acc_table_step(&s);
	memory_free(s.state, 1, s.state_size);
	snprintf(cell->text, sizeof(cell->text), "%u/%u/%.0f", (unsigned)(s.knobs.min_bytes / KB),
		 (unsigned)(s.knobs.max_bytes / KB),
		 s.knobs.min_bytes < s.knobs.max_bytes
			 ? 100 * acc_table_share_marked(&s.knobs, s.knobs.max_bytes - 1)
			 : 100);
}

static const struct train_policy_table acc_portrait = {
	.about = "The setting that it comes to hold at a port of 25 Gb/s whose queue and rate stay "
		 "as they are: "
		 "K_min in KB / K_max in KB / probability at K_max in percent.",
	.rows = "queue",
	.columns = "rate",
	.row_count = sizeof(queues_kb) / sizeof(queues_kb[0]),
	.column_count = sizeof(percents) / sizeof(percents[0]),
	.row = acc_table_queue,
	.column = acc_table_rate,
	.cell = acc_table_setting,
};

const struct trainer trainer_acc = {
	.scheme = {
		.name = "acc",
		.help = "ACC: switch agents that tune ECN thresholds, by double DQN",
		.cite = "Yan et al., ACC, SIGCOMM 2021",
		.params_size = sizeof(struct acc_options),
		.options = acc_options,
	},
	.steps_default = 200 * 1000,
	.figures = acc_figures,
	.open = acc_open,
	.close = acc_close,
	.size = acc_size,
	.begin = acc_begin,
	.scenario = acc_scenario,
	.episode = acc_episode,
	.keep = acc_keep,
	.update = acc_update,
	.model = acc_model,
	.policy_table = &acc_portrait,
};
