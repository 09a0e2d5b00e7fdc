/* SPDX-License-Identifier: BSD-3-Clause */
/* fdcc.c -- trains FDCC (lib/cc/fdcc.h) by TD3, as its thesis does: all flows of an episode follow
 * one policy and share one replay memory (Zhang, FDCC, sections 4.2 to 4.4).
 *
 * Differs: numbers of flows from 2 to 96 are mixed from the start, instead of a curriculum up to 32
 * (curriculum=yes); the best of the evaluated policies is kept, because policies oscillate. In
 * addition, preset weir rewards throughput in fair shares (lib/cc/reward.h), observes square roots
 * of rates, stacks four observations instead of an LSTM over eight, and uses gamma 0.9. */
#include "lib/cc/fdcc.h"
#include "lib/cc/reward.h"
#include "base/memory.h"
#include "train/fan_in.h"
#include "train/flow_episode.h"
#include "weir/rng.h"
#include <stdio.h>
#include <stdlib.h>

enum { MEMORY_MAX = 10 * 1000 * 1000, HIDDEN_MAX = 512, RETURNS_MAX = 64, SPEC_SIZE = 512 };

enum net_kind { NET_STACK, NET_RECALL };

struct fdcc_options {
	uint64_t preset;
	char control[WEIR_OPT_TEXT_SIZE];
	uint64_t reward, net, past, hidden;
	uint64_t rate_q32, gamma_q32, returns, overlapping;
	uint64_t batch, memory, warm_up, updates_q32, noise_q32, actor_after;
	uint64_t flows, curriculum, team_q32, critic_flows, paths, networks;
};

struct fdcc_trainer {
	struct fdcc_options options;
	struct train_input input;
	char cc[SPEC_SIZE];
	const struct weir_cc_ops *ops;
	struct weir_learn_td3_config config;
	struct weir_learn_memory_plan memory;
	struct weir_learn_text texts[2];
	struct train_layout layout;
};

static const char *const preset_names[] = { "weir", "thesis", NULL };
static const char *const reward_names[] = { "staged", "shares", NULL };
static const char *const paths_names[] = { "equal", "mixed", NULL };
static const char *const networks_names[] = { "fan-in", "varied", NULL };
static const char *const net_names[] = { "stack", "recall", NULL };

#define AT(member) offsetof(struct fdcc_options, member)
static const struct weir_option fdcc_options[] = {
	{ "preset", WEIR_OPT_CHOICE, AT(preset), "weir", 0, 0,
	  "of the control: how the thesis is read", preset_names },
	{ "control", WEIR_OPT_TEXT, AT(control), NULL, 0, 0,
	  "further options of the control, as they would stand in its brackets", NULL },
	{ "reward", WEIR_OPT_CHOICE, AT(reward), "shares", 0, 0,
	  "Algorithm 1 of the thesis, or throughput in fair shares", reward_names },
	{ "net", WEIR_OPT_CHOICE, AT(net), "stack", 0, 0,
	  "dense layers over observations in a row, or an LSTM over eight past ones (the thesis)",
	  net_names },
	{ "past", WEIR_OPT_COUNT, AT(past), "3", 0, FDCC_PAST_MAX,
	  "of a stack: observations before the current one", NULL },
	{ "hidden", WEIR_OPT_COUNT, AT(hidden), "64", 1, HIDDEN_MAX, "units of each layer", NULL },
	{ "rate", WEIR_OPT_FRACTION_Q32, AT(rate_q32), "0.001", 1, WEIR_ONE_Q32,
	  "learning rate of Adam", NULL },
	{ "gamma", WEIR_OPT_FRACTION_Q32, AT(gamma_q32), "0.9", 0, WEIR_ONE_Q32,
	  "what a reward one step on is worth", NULL },
	{ "returns", WEIR_OPT_COUNT, AT(returns), "4", 1, RETURNS_MAX,
	  "rewards that are summed up before the critics' value stands for the rest", NULL },
	{ "overlapping", WEIR_OPT_FLAG, AT(overlapping), "no", 0, 1,
	  "that value is of the next observation, as the thesis has it, not of the one behind the "
	  "rewards",
	  NULL },
	{ "batch", WEIR_OPT_COUNT, AT(batch), "128", 1, 65536, "transitions of an update", NULL },
	{ "memory", WEIR_OPT_COUNT, AT(memory), "500000", 1, MEMORY_MAX,
	  "steps that are remembered", NULL },
	{ "warm-up", WEIR_OPT_COUNT, AT(warm_up), "100000", 1, MEMORY_MAX,
	  "steps of uniformly drawn actions before the first update", NULL },
	{ "updates", WEIR_OPT_FRACTION_Q32, AT(updates_q32), "1/64", 1, 4 * WEIR_ONE_Q32,
	  "for each step that is learnt from", NULL },
	{ "noise", WEIR_OPT_FRACTION_Q32, AT(noise_q32), "0.1", 0, WEIR_ONE_Q32,
	  "standard deviation of what is added to actions", NULL },
	{ "actor-after", WEIR_OPT_COUNT, AT(actor_after), "2000", 0, MEMORY_MAX,
	  "updates of the critics before the actor's first", NULL },
	{ "flows", WEIR_OPT_COUNT, AT(flows), "96", 2, FAN_IN_FLOWS_MAX,
	  "of an episode, at most: 2, 6, 12, 24, 48, 96 and 192 are there", NULL },
	{ "curriculum", WEIR_OPT_FLAG, AT(curriculum), "no", 0, 1,
	  "begins with two flows and has more by and by, as the thesis does, in place of all "
	  "numbers "
	  "from the beginning",
	  NULL },
	{ "team", WEIR_OPT_FRACTION_Q32, AT(team_q32), "0", 0, WEIR_ONE_Q32,
	  "of a reward: share of what all flows of the episode have in the mean at that time",
	  NULL },
	{ "critic-flows", WEIR_OPT_FLAG, AT(critic_flows), "no", 0, 1,
	  "critics are told how many flows there are, which the policy never is", NULL },
	{ "paths", WEIR_OPT_CHOICE, AT(paths), "equal", 0, 0,
	  "all senders are equally far from the receiver, or in half of the episodes some share "
	  "its "
	  "switch",
	  paths_names },
	{ "networks", WEIR_OPT_CHOICE, AT(networks), "fan-in", 0, 0,
	  "episodes are fan-ins at 100 Gb/s; or fan-ins of 10 to 400 Gb/s and base round trips of "
	  "1 "
	  "to 50 us, parking lots, and leaf-spine networks with incasts (varied)",
	  networks_names },
	{ .name = NULL },
};
#undef AT

enum fdcc_figure {
	FDCC_FIG_REWARD,
	FDCC_FIG_JAIN,
	FDCC_FIG_USE,
	FDCC_FIG_WAIT,
	FDCC_FIG_LOSS,
	FDCC_FIG_VALUE
};

static const struct train_figure fdcc_figures[] = {
	[FDCC_FIG_REWARD] = { "reward", "", BY_EPISODE, "of what is learnt from, a step" },
	[FDCC_FIG_JAIN] = { "jain", "", BY_EPISODE, "Jain's index of the flows' rates" },
	[FDCC_FIG_USE] = { "use", "", BY_EPISODE, "share of the line that was used" },
	[FDCC_FIG_WAIT] = { "queue", "", BY_EPISODE, "mean, in bandwidth-delay products" },
	[FDCC_FIG_LOSS] = { "loss", "", BY_UPDATE, "of the critics" },
	[FDCC_FIG_VALUE] = { "value", "", BY_UPDATE, "mean of what actions are held to be worth" },
	{ .name = NULL },
};

static double fdcc_double(uint64_t value_q32)
{
	return (double)value_q32 / (double)WEIR_ONE_Q32;
}

/* --- context: options, nets, texts; constant after open --- */

/* Parses the control once, for the metadata of its model. */
static int fdcc_read_control(struct fdcc_trainer *d, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	int length = snprintf(d->cc, sizeof(d->cc), "fdcc(preset=%s, policy=untrained%s%s)",
			      preset_names[d->options.preset], d->options.control[0] ? ", " : "",
			      d->options.control);

	if (length >= (int)sizeof(d->cc))
		return weir_error_set(e, "control: is too long");
	if (weir_cc_parse(d->cc, &d->ops, params, e))
		return weir_error_prefix(e, "control: ");
	d->texts[0] = (struct weir_learn_text){ WEIR_LEARN_FEATURES,
						weir_fdcc_features((const void *)params) };
	d->texts[1] = (struct weir_learn_text){ WEIR_LEARN_ACTIONS,
						weir_fdcc_actions((const void *)params) };
	return 0;
}

/* The actor ends in tanh; the critic has the action, and optionally the number of flows, as further
 * inputs, and a linear output. */
static struct weir_learn_plan fdcc_plan(const struct fdcc_options *o, uint32_t actions)
{
	enum weir_learn_activation output = actions ? WEIR_LEARN_LINEAR : WEIR_LEARN_TANH;
	uint32_t hidden = (uint32_t)o->hidden;

	if (o->net == NET_RECALL)
		return weir_learn_plan_recurrent(
			&(struct weir_learn_recurrent){ .observation_size = FDCC_OBSERVATIONS,
							.action_size = actions,
							.hidden = hidden,
							.outputs = 1,
							.output = output });
	return weir_learn_plan_stack(&(struct weir_learn_stack){
		.inputs = (uint32_t)(o->past + 1) * FDCC_OBSERVATIONS + actions,
		.outputs = 1,
		.hidden = { hidden, hidden },
		.output = output,
	});
}

static int fdcc_plan_learner(struct fdcc_trainer *d, struct weir_error *e)
{
	const struct fdcc_options *o = &d->options;
	const struct weir_learn_adam adam = { (float)fdcc_double(o->rate_q32), 0.9F, 0.999F,
					      1e-8F };

	d->config = (struct weir_learn_td3_config){
		.training = { .observation_size = FDCC_OBSERVATIONS,
			      .past = o->net == NET_RECALL ? FDCC_PAST_MAX : (uint32_t)o->past,
			      .batch = (uint32_t)o->batch,
			      .return_steps = (uint32_t)o->returns,
			      .gamma = fdcc_double(o->gamma_q32),
			      .returns =
				      o->overlapping ? WEIR_LEARN_OVERLAPPING : WEIR_LEARN_PROPER,
			      .clip_norm = 1,
			      .seed = d->input.seed },
		.actor = fdcc_plan(o, 0),
		.critic = fdcc_plan(o, 1 + (uint32_t)o->critic_flows),
		.actor_adam = adam,
		.critic_adam = adam,
		.share = 0.005F,
		.smoothing = 0.2F,
		.smoothing_limit = 0.5F,
		.delay = 2,
		.actor_after = o->actor_after,
		.privileged = o->critic_flows,
	};
	d->memory = (struct weir_learn_memory_plan){ .rows = (uint32_t)o->memory,
						     .observation_size = FDCC_OBSERVATIONS,
						     .action_size = 1 + (uint32_t)o->critic_flows };
	return weir_learn_td3_check(&d->config, e);
}

static void fdcc_close(void *context)
{
	struct fdcc_trainer *d = context;

	memory_free(d, 1, sizeof(*d));
}

/* A policy of the shape and the meaning of that to be trained, for checks of scenarios. */
static int fdcc_check_scenarios(const struct fdcc_trainer *d, struct weir_error *e)
{
	struct weir_learn_net net;
	const struct weir_learn_policy policy = { .name = "",
						  .scheme = d->ops->scheme.name,
						  .features = d->texts[0].value,
						  .actions = d->texts[1].value,
						  .net = &net };

	if (!d->input.scenario_count)
		return 0;
	if (d->options.curriculum)
		return weir_error_set(e, "curriculum: it orders fan-ins by their flows; scenarios "
					 "that are given have no order");
	return weir_learn_net_init(&net, &d->config.actor, e) ||
	       flow_check_input(&d->input, d->ops, &policy, e);
}

static int fdcc_open(void **context, const void *params, const struct train_input *input,
		     struct weir_error *e)
{
	struct fdcc_trainer *d = memory_new(1, sizeof(*d));

	d->options = *(const struct fdcc_options *)params;
	d->input = *input;
	if (fdcc_read_control(d, e) || fdcc_plan_learner(d, e) || fdcc_check_scenarios(d, e)) {
		fdcc_close(d);
		return -1;
	}
	d->layout = train_layout_of(weir_learn_td3_size(&d->config),
				    weir_learn_memory_size(&d->memory));
	*context = d;
	return 0;
}

/* --- the state --- */

static size_t fdcc_size(const void *context)
{
	const struct fdcc_trainer *d = context;

	return train_layout_size(&d->layout);
}

static void fdcc_begin(const void *context, void *state)
{
	const struct fdcc_trainer *d = context;

	weir_learn_td3_init(state, &d->config);
	weir_learn_memory_init(train_memory(&d->layout, state), &d->memory);
}

/* --- episodes --- */

/* The text of the episode after that many training steps. */
static char *fdcc_text(const struct fdcc_trainer *d, const struct train_episode *which,
		       uint64_t steps)
{
	struct fan_in f = { .cc = d->cc,
			    .seed = which->seed,
			    .which = which,
			    .flows_max = (uint32_t)d->options.flows,
			    .paths = (enum fan_in_paths)d->options.paths,
			    .networks = (enum fan_in_networks)d->options.networks };

	if (d->options.curriculum && which->purpose == TRAIN_EXPLORE)
		f.flows_max = fan_in_stage(f.flows_max, (double)steps / (double)d->input.steps);
	return flow_text(&d->input, &f);
}

static char *fdcc_scenario(const void *context, const struct train_episode *which)
{
	return fdcc_text(context, which, 0);
}

/* A row of a record: is it the last observation?, the observation, the action, the number of flows
 * for critics, the reward that followed. */
enum {
	ROW_LAST,
	ROW_SEEN,
	ROW_ACTION = ROW_SEEN + FDCC_OBSERVATIONS,
	ROW_FLOWS,
	ROW_REWARD,
	ROW_FLOATS
};

static void fdcc_record_flow(const struct weir_cc_decision *rows, uint32_t count,
			     const float *rewards, struct train_record *r)
{
	for (uint32_t i = 0; count > 1 && i < count; i++) {
		float *row = train_record_add(r, ROW_FLOATS), flows = rows[i].flows;
		int is_last = i + 1 == count;

		row[ROW_LAST] = (float)is_last;
		memcpy(row + ROW_SEEN, rows[i].observation, sizeof(rows[i].observation));
		row[ROW_ACTION] = rows[i].action;
		row[ROW_FLOWS] = (float)weir_fdcc_rate_seen(FDCC_RATES_ROOT,
							    1 / (double)(flows > 1 ? flows : 1));
		row[ROW_REWARD] = is_last ? 0 : rewards[i];
		r->steps += !is_last;
		r->figures[FDCC_FIG_REWARD] += (double)row[ROW_REWARD];
	}
}

static void fdcc_record_flows(const struct fdcc_trainer *d, const struct decision_log *log,
			      struct train_record *r)
{
	size_t count = (size_t)log->flows * log->rows_each;
	float *rewards = memory_new(count, sizeof(*rewards));

	for (uint32_t f = 0; f < log->flows; f++)
		for (uint32_t i = 1; i < log->counts[f]; i++)
			rewards[(size_t)f * log->rows_each + i - 1] =
				weir_fdcc_reward((enum weir_fdcc_reward)d->options.reward,
						 decision_log_rows(log, f) + i);
	if (d->options.team_q32)
		flow_share_rewards(log, fdcc_double(d->options.team_q32), rewards);
	for (uint32_t f = 0; f < log->flows; f++)
		fdcc_record_flow(decision_log_rows(log, f), log->counts[f],
				 rewards + (size_t)f * log->rows_each, r);
	memory_free(rewards, count, sizeof(*rewards));
	if (r->steps)
		r->figures[FDCC_FIG_REWARD] /= (double)r->steps;
}

static int fdcc_episode(const void *context, const void *state, const struct train_episode *which,
			struct train_record *r, struct weir_error *e)
{
	const struct fdcc_trainer *d = context;
	uint64_t steps = train_count(&d->layout, state)->steps;
	int judges = which->purpose == TRAIN_JUDGE;
	const struct weir_learn_policy policy = {
		.net = weir_learn_td3_net(state),
		.weights =
			judges ? weir_learn_td3_target_actor(state) : weir_learn_td3_actor(state),
	};
	struct weir_cc_rollout rollout = { .seed = which->seed,
					   .deviation = (float)fdcc_double(d->options.noise_q32) };
	struct flow_run run = { .policy = &policy, .rollout = judges ? NULL : &rollout };
	char *text = fdcc_text(d, which, steps);
	const struct flow_episode ep = { d->ops, flow_file(&d->input, which), text, which->seed,
					 d->input.scenario_count > 0 };
	int failed;

	if (steps < d->options.warm_up)
		rollout.exploration = WEIR_CC_EXPLORE_UNIFORM;
	failed = flow_episode_run(&ep, &run, e);
	free(text);
	if (!failed && !judges)
		fdcc_record_flows(d, &run.log, r);
	decision_log_free(&run.log);
	if (failed)
		return -1;
	r->figures[FDCC_FIG_JAIN] = run.result.jain;
	r->figures[FDCC_FIG_USE] = run.result.use;
	r->figures[FDCC_FIG_WAIT] = run.result.queue;
	r->score = flow_score(&run.result);
	return 0;
}

/* --- learning --- */

/* The end of a flow is not predictable from observations, so episodes count as truncated. */
static void fdcc_keep(const void *context, void *state, const struct train_record *r)
{
	const struct fdcc_trainer *d = context;
	struct weir_learn_memory *m = train_memory(&d->layout, state);

	for (uint64_t i = 0; i < r->floats; i += ROW_FLOATS) {
		const float *row = r->rows + i;

		if (row[ROW_LAST] > 0)
			weir_learn_memory_end(m, row + ROW_SEEN, WEIR_LEARN_CUT);
		else
			weir_learn_memory_step(m, row + ROW_SEEN, row + ROW_ACTION,
					       row[ROW_REWARD]);
	}
}

static void fdcc_run_chunks(void *pool, weir_learn_chunk *chunk, void *job)
{
	task_pool_run(pool, WEIR_LEARN_CHUNKS, chunk, job);
}

/* An update with an LSTM takes milliseconds and runs on all threads; without one it is hardly
 * longer than waking them. The result is the same. */
static struct weir_learn_executor fdcc_executor(const struct fdcc_trainer *d,
						struct task_pool *pool)
{
	if (d->options.net == NET_RECALL)
		return (struct weir_learn_executor){ .run = fdcc_run_chunks,
						     .context = pool,
						     .workers = task_pool_workers(pool) };
	return (struct weir_learn_executor){ .workers = 1 };
}

static void fdcc_do_updates(const struct fdcc_trainer *d, void *state, struct task_pool *pool,
			    uint64_t updates, double figures[TRAIN_FIGURES_MAX])
{
	struct weir_learn_executor executor = fdcc_executor(d, pool);
	size_t scratch_size = weir_learn_td3_scratch_size(&d->config, executor.workers);

	executor.scratch = memory_new(1, scratch_size);
	for (uint64_t i = 0; i < updates; i++) {
		struct weir_learn_td3_report report =
			weir_learn_td3_update(state, train_memory(&d->layout, state), &executor);

		figures[FDCC_FIG_LOSS] += (double)report.critic_loss / (double)updates;
		figures[FDCC_FIG_VALUE] += (double)report.value / (double)updates;
	}
	memory_free(executor.scratch, 1, scratch_size);
}

static void fdcc_update(const void *context, void *state, struct task_pool *pool, uint64_t steps,
			double figures[TRAIN_FIGURES_MAX])
{
	const struct fdcc_trainer *d = context;
	uint64_t updates =
		train_count_round(train_count(&d->layout, state), steps, d->options.warm_up,
				  fdcc_double(d->options.updates_q32));

	if (updates)
		fdcc_do_updates(d, state, pool, updates, figures);
}

static void fdcc_model(const void *context, const void *state, struct weir_learn_model *model)
{
	const struct fdcc_trainer *d = context;

	*model = (struct weir_learn_model){
		.net = weir_learn_td3_net(state),
		.weights = weir_learn_td3_target_actor(state),
		.texts = d->texts,
		.text_count = 2,
	};
}

/* --- the policy table: outputs while an observation stays constant on a busy link. Where the
 * output falls with the rate, shares converge; where it rises, one flow starves the others. --- */

static const double fdcc_table_queues[] = { 0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5 };
static const double fdcc_table_rates[] = { 0.001, 0.01, 0.03, 0.1, 0.25, 0.5, 1 };

static void fdcc_table_queue(const void *context, uint32_t row, struct train_cell *cell)
{
	(void)context;
	snprintf(cell->text, sizeof(cell->text), "%g", fdcc_table_queues[row]);
}

static void fdcc_table_rate(const void *context, uint32_t column, struct train_cell *cell)
{
	(void)context;
	snprintf(cell->text, sizeof(cell->text), "%g", fdcc_table_rates[column]);
}

static void fdcc_table_output(const void *context, const struct weir_learn_model *model,
			      const uint32_t at[2], struct train_cell *cell)
{
	double queue = fdcc_table_queues[at[0]], rate = fdcc_table_rates[at[1]];
	/* How the model sees rates, as its first text has it (weir_fdcc_features). */
	enum fdcc_rates how =
		strstr(model->texts[0].value, "rates=root") ? FDCC_RATES_ROOT : FDCC_RATES_LINEAR;
	const float seen[FDCC_OBSERVATIONS] = { [FDCC_RTT] = (float)(1 + queue),
						[FDCC_QUEUE] = (float)queue,
						[FDCC_SWITCH_RATE] = 1,
						[FDCC_GOODPUT] =
							(float)weir_fdcc_rate_seen(how, 0.9 * rate),
						[FDCC_RATE] =
							(float)weir_fdcc_rate_seen(how, rate) };
	float inputs[FDCC_PAST_MAX + 1][FDCC_OBSERVATIONS], u;

	(void)context;
	for (uint32_t i = 0; i <= FDCC_PAST_MAX; i++)
		memcpy(inputs[i], seen, sizeof(seen));
	train_policy_forward(model, inputs[0], model->net->plan.sequence_size ? FDCC_PAST_MAX : 0,
			     &u);
	snprintf(cell->text, sizeof(cell->text), "%+.2f", (double)u);
}

static const struct train_policy_table fdcc_policy_table = {
	.about = "Its output, from -1 to 1, while a queue (in bandwidth-delay products) and the "
		 "flow's share of its line stay as they are on a busy line.",
	.rows = "queue",
	.columns = "rate",
	.row_count = sizeof(fdcc_table_queues) / sizeof(fdcc_table_queues[0]),
	.column_count = sizeof(fdcc_table_rates) / sizeof(fdcc_table_rates[0]),
	.row = fdcc_table_queue,
	.column = fdcc_table_rate,
	.cell = fdcc_table_output,
};

const struct trainer trainer_fdcc = {
	.scheme = {
		.name = "fdcc",
		.help = "FDCC: a congestion control with a continuous window factor, by TD3",
		.cite = "Zhang, FDCC, University of Alberta 2023",
		.params_size = sizeof(struct fdcc_options),
		.options = fdcc_options,
	},
	.steps_default = 3000 * 1000,
	.worst_weight = 0.5,
	.figures = fdcc_figures,
	.open = fdcc_open,
	.close = fdcc_close,
	.size = fdcc_size,
	.begin = fdcc_begin,
	.scenario = fdcc_scenario,
	.episode = fdcc_episode,
	.keep = fdcc_keep,
	.update = fdcc_update,
	.model = fdcc_model,
	.policy_table = &fdcc_policy_table,
};
