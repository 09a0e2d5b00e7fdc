/* SPDX-License-Identifier: BSD-3-Clause */
/* rl_cc.c -- trains RL-CC (lib/cc/rl_cc.c) by its analytic policy gradient: there is no critic, as
 * the signal that follows an action tells in which direction it should have differed (Tessler et
 * al., 2022; the loss is in lib/cc/reward.h).
 *
 * A round is one step of Adam over all flows of its episodes. A flow's decisions form one sequence,
 * starting from a zero state of the network; the loss is computed over stretches of 32 decisions,
 * within which actions are compared. */
#include "lib/cc/reward.h"
#include "base/memory.h"
#include "train/flow_episode.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCH = 32, HIDDEN_MAX = 32, SPEC_SIZE = 512 };

struct rl_options {
	uint64_t preset, rnn, hidden, networks;
	char control[WEIR_OPT_TEXT_SIZE];
	uint64_t rate_q32, smooth_q32, gamma_q32, clip_q32;
};

struct rl_trainer {
	struct rl_options options;
	struct train_input input;
	char cc[SPEC_SIZE];
	const struct weir_cc_ops *ops;
	struct weir_learn_net net;
	struct weir_learn_adam adam;
	struct weir_rl_cc_loss loss;
	/* Scratch of keep and update, which are never concurrent. */
	float *transposed, *tape, *outputs, *gradients, *inputs;
	size_t tape_floats;
};

/* The head of the state; followed by weights, both moments of Adam, and the gradient of the round.
 */
struct rl_state {
	double power1, power2;
	double loss;            /* sum over flows of the round */
	uint64_t flows;         /* in the gradient */
	uint64_t is_transposed; /* context->transposed matches the weights */
	uint64_t unused[3];
	float numbers[];
};

static const char *const preset_names[] = { "weir", "literal", "nvlabs", NULL };
static const char *const networks_names[] = { "fan-in", "varied", NULL };
static const char *const rnn_names[] = { "lstm", "none", NULL };

#define AT(member) offsetof(struct rl_options, member)
static const struct weir_option rl_options[] = {
	{ "preset", WEIR_OPT_CHOICE, AT(preset), "weir", 0, 0, "of the control: its signal",
	  preset_names },
	{ "rnn", WEIR_OPT_CHOICE, AT(rnn), "lstm", 0, 0,
	  "an LSTM stands behind the dense layers, or none", rnn_names },
	{ "hidden", WEIR_OPT_COUNT, AT(hidden), "12", 1, HIDDEN_MAX, "units of each layer", NULL },
	{ "control", WEIR_OPT_TEXT, AT(control), NULL, 0, 0,
	  "further options of the control, as they would stand in its brackets", NULL },
	{ "rate", WEIR_OPT_FRACTION_Q32, AT(rate_q32), "0.003", 1, WEIR_ONE_Q32,
	  "learning rate of Adam", NULL },
	{ "smooth", WEIR_OPT_FRACTION_Q32, AT(smooth_q32), "0.2", 0, 1000 * WEIR_ONE_Q32,
	  "weight of differences between actions; 1 in the published code", NULL },
	{ "gamma", WEIR_OPT_FRACTION_Q32, AT(gamma_q32), "0.99", 0, WEIR_ONE_Q32,
	  "weight of a signal one decision on", NULL },
	{ "clip", WEIR_OPT_FRACTION_Q32, AT(clip_q32), "0.5", 1, 1000 * WEIR_ONE_Q32,
	  "largest slope of a weight", NULL },
	{ "networks", WEIR_OPT_CHOICE, AT(networks), "fan-in", 0, 0,
	  "episodes are fan-ins at 100 Gb/s; or fan-ins of 10 to 400 Gb/s and base round trips of "
	  "1 "
	  "to 50 us, parking lots, and leaf-spine networks with incasts (varied)",
	  networks_names },
	{ .name = NULL },
};
#undef AT

enum rl_figure { RL_JAIN, RL_USE, RL_QUEUE, RL_LOSS };

static const struct train_figure rl_figures[] = {
	[RL_JAIN] = { "jain", "", BY_EPISODE, "Jain's index of the flows' rates" },
	[RL_USE] = { "use", "", BY_EPISODE, "share of the line that was used" },
	[RL_QUEUE] = { "queue", "", BY_EPISODE, "mean, in bandwidth-delay products" },
	[RL_LOSS] = { "loss", "", BY_UPDATE, "mean over flows" },
	{ .name = NULL },
};

static float rl_float(uint64_t value_q32)
{
	return (float)((double)value_q32 / (double)WEIR_ONE_Q32);
}

/* --- context: options, nets, texts; constant after open --- */

static int rl_read_control(struct rl_trainer *d, struct weir_error *e)
{
	_Alignas(8) unsigned char params[WEIR_SPEC_PARAMS_MAX];
	int length = snprintf(d->cc, sizeof(d->cc), "rl-cc(preset=%s, policy=untrained%s%s)",
			      preset_names[d->options.preset], d->options.control[0] ? ", " : "",
			      d->options.control);

	if (length >= (int)sizeof(d->cc))
		return weir_error_set(e, "control: is too long");
	return weir_cc_parse(d->cc, &d->ops, params, e) ? weir_error_prefix(e, "control: ") : 0;
}

/* No biases: a zero signal gives a zero action. */
static int rl_plan_net(struct rl_trainer *d, struct weir_error *e)
{
	uint32_t hidden = (uint32_t)d->options.hidden;
	struct weir_learn_plan plan = weir_learn_plan_stack(
		&(struct weir_learn_stack){ .inputs = WEIR_RL_CC_INPUTS,
					    .outputs = 1,
					    .hidden = { hidden, hidden },
					    .lstm_units = d->options.rnn == 0 ? hidden : 0,
					    .output = WEIR_LEARN_TANH,
					    .bias = WEIR_LEARN_NO_BIAS });

	if (weir_learn_net_init(&d->net, &plan, e))
		return -1;
	d->adam = (struct weir_learn_adam){ rl_float(d->options.rate_q32), 0.9F, 0.999F, 1e-5F };
	d->loss = (struct weir_rl_cc_loss)WEIR_RL_CC_LOSS_DEFAULT;
	d->loss.gamma = rl_float(d->options.gamma_q32);
	d->loss.smooth = rl_float(d->options.smooth_q32);
	return 0;
}

/* A recurrent net gets one sample of count steps, a feed-forward one count samples. */
static struct weir_learn_batch rl_batch(const struct rl_trainer *d, uint32_t count)
{
	if (d->net.plan.sequence_size)
		return (struct weir_learn_batch){ .samples = 1,
						  .steps = count,
						  .sequence = d->inputs };
	return (struct weir_learn_batch){ .samples = count, .current = d->inputs };
}

static void rl_close(void *context)
{
	struct rl_trainer *d = context;

	memory_free(d->transposed, d->net.transposed_floats, sizeof(float));
	memory_free(d->tape, d->tape_floats, sizeof(float));
	memory_free(d->outputs, FLOW_ROWS_MAX, sizeof(float));
	memory_free(d->gradients, FLOW_ROWS_MAX, sizeof(float));
	memory_free(d->inputs, FLOW_ROWS_MAX, WEIR_RL_CC_INPUTS * sizeof(float));
	memory_free(d, 1, sizeof(*d));
}

static int rl_check_scenarios(const struct rl_trainer *d, struct weir_error *e)
{
	const struct weir_learn_policy policy = { .name = "",
						  .scheme = d->ops->scheme.name,
						  .features = WEIR_RL_CC_FEATURES,
						  .actions = WEIR_RL_CC_ACTIONS,
						  .net = &d->net };

	return flow_check_input(&d->input, d->ops, &policy, e);
}

static int rl_open(void **context, const void *params, const struct train_input *input,
		   struct weir_error *e)
{
	struct rl_trainer *d = memory_new(1, sizeof(*d));
	struct weir_learn_batch batch;

	d->options = *(const struct rl_options *)params;
	d->input = *input;
	if (rl_read_control(d, e) || rl_plan_net(d, e) || rl_check_scenarios(d, e)) {
		rl_close(d);
		return -1;
	}
	batch = rl_batch(d, FLOW_ROWS_MAX);
	d->tape_floats = weir_learn_tape_floats(&d->net, batch.samples, batch.steps,
						WEIR_LEARN_FORWARD_AND_BACKWARD);
	d->transposed = memory_new(d->net.transposed_floats, sizeof(float));
	d->tape = memory_new(d->tape_floats, sizeof(float));
	d->outputs = memory_new(FLOW_ROWS_MAX, sizeof(float));
	d->gradients = memory_new(FLOW_ROWS_MAX, sizeof(float));
	d->inputs = memory_new(FLOW_ROWS_MAX, WEIR_RL_CC_INPUTS * sizeof(float));
	*context = d;
	return 0;
}

/* --- the state --- */

enum rl_part { RL_WEIGHTS, RL_MEAN, RL_SQUARE, RL_GRADIENT, RL_PARTS };

static float *rl_part(const struct rl_trainer *d, const void *state, enum rl_part part)
{
	return ((struct rl_state *)state)->numbers + (size_t)part * d->net.weight_floats;
}

static size_t rl_size(const void *context)
{
	const struct rl_trainer *d = context;

	return sizeof(struct rl_state) + RL_PARTS * (size_t)d->net.weight_floats * sizeof(float);
}

static void rl_begin(const void *context, void *state)
{
	const struct rl_trainer *d = context;
	struct rl_state *s = state;

	s->power1 = s->power2 = 1;
	weir_learn_net_init_weights(&d->net, WEIR_LEARN_ORTHOGONAL,
				    (struct weir_learn_draw){ d->input.seed, 0, 0 },
				    rl_part(d, s, RL_WEIGHTS));
}

/* --- episodes --- */

static char *rl_scenario(const void *context, const struct train_episode *which)
{
	const struct rl_trainer *d = context;
	const struct fan_in f = { .cc = d->cc,
				  .seed = which->seed,
				  .which = which,
				  .flows_max = FAN_IN_FLOWS_STANDARD,
				  .networks = (enum fan_in_networks)d->options.networks };

	return flow_text(&d->input, &f);
}

/* A row of a record: the flow's remaining steps, the observation, the action, the signal that
 * followed. */
enum { ROW_FLOATS = 1 + WEIR_RL_CC_INPUTS + 2 };

static void rl_record_flow(const struct weir_cc_decision *rows, uint32_t count,
			   struct train_record *r)
{
	for (uint32_t i = 0; i + 1 < count; i++) {
		float *row = train_record_add(r, ROW_FLOATS);

		row[0] = (float)(count - 1 - i);
		memcpy(row + 1, rows[i].observation, WEIR_RL_CC_INPUTS * sizeof(*row));
		row[1 + WEIR_RL_CC_INPUTS] = rows[i].action;
		row[2 + WEIR_RL_CC_INPUTS] = rows[i + 1].signal;
		r->steps++;
	}
}

static int rl_episode(const void *context, const void *state, const struct train_episode *which,
		      struct train_record *r, struct weir_error *e)
{
	const struct rl_trainer *d = context;
	const struct weir_learn_policy policy = { .net = &d->net,
						  .weights = rl_part(d, state, RL_WEIGHTS) };
	struct weir_cc_rollout rollout = { .deviation = 0 };
	struct flow_run run = { .policy = &policy, .rollout = &rollout };
	char *text = rl_scenario(d, which);
	const struct flow_episode ep = { d->ops, flow_file(&d->input, which), text, which->seed,
					 d->input.scenario_count > 0 };
	int failed = flow_episode_run(&ep, &run, e);

	free(text);
	for (uint32_t i = 0; !failed && i < run.log.flows; i++)
		rl_record_flow(decision_log_rows(&run.log, i), run.log.counts[i], r);
	decision_log_free(&run.log);
	if (failed)
		return -1;
	r->figures[RL_JAIN] = run.result.jain;
	r->figures[RL_USE] = run.result.use;
	r->figures[RL_QUEUE] = run.result.queue;
	r->score = flow_score(&run.result);
	return 0;
}

/* --- learning --- */

/* Adds the gradient of a flow's loss: with respect to its actions, then to the weights. */
static void rl_learn_flow(const struct rl_trainer *d, struct rl_state *s, const float *rows,
			  uint32_t count)
{
	struct weir_learn_batch batch = rl_batch(d, count);
	float actions[STRETCH], signals[STRETCH], *weights = rl_part(d, s, RL_WEIGHTS);
	double loss = 0;

	for (uint32_t i = 0; i < count; i++)
		memcpy(d->inputs + (size_t)i * WEIR_RL_CC_INPUTS, rows + (size_t)i * ROW_FLOATS + 1,
		       WEIR_RL_CC_INPUTS * sizeof(float));
	for (uint32_t from = 0; from < count; from += STRETCH) {
		uint32_t length = count - from < STRETCH ? count - from : STRETCH;

		for (uint32_t i = 0; i < length; i++) {
			const float *row = rows + (size_t)(from + i) * ROW_FLOATS;

			actions[i] = row[1 + WEIR_RL_CC_INPUTS];
			signals[i] = row[2 + WEIR_RL_CC_INPUTS];
		}
		loss += (double)weir_rl_cc_loss(&d->loss, actions, signals, length,
						d->gradients + from);
	}
	weir_learn_forward(&d->net, weights, &batch, d->tape, d->outputs);
	if (!s->is_transposed)
		weir_learn_net_transpose(&d->net, weights, d->transposed);
	s->is_transposed = 1;
	weir_learn_backward(&d->net, d->transposed, &batch, d->tape,
			    &(struct weir_learn_gradient){ .output = d->gradients,
							   .weights = rl_part(d, s, RL_GRADIENT) });
	s->loss += loss * STRETCH / count;
	s->flows++;
}

static void rl_keep(const void *context, void *state, const struct train_record *r)
{
	for (uint64_t i = 0; i < r->floats;) {
		uint32_t count = (uint32_t)r->rows[i];

		rl_learn_flow(context, state, r->rows + i, count);
		i += (uint64_t)count * ROW_FLOATS;
	}
}

static void rl_update(const void *context, void *state, struct task_pool *pool, uint64_t steps,
		      double figures[TRAIN_FIGURES_MAX])
{
	const struct rl_trainer *d = context;
	struct rl_state *s = state;
	struct weir_learn_moments moments = { s->power1, s->power2, rl_part(d, s, RL_MEAN),
					      rl_part(d, s, RL_SQUARE) };
	float *gradient = rl_part(d, s, RL_GRADIENT);
	uint32_t count = d->net.weight_floats;

	(void)pool;
	(void)steps;
	for (uint32_t i = 0; i < count && s->flows; i++)
		gradient[i] /= (float)s->flows;
	weir_learn_make_finite(gradient, count);
	weir_learn_clip_value(gradient, count, rl_float(d->options.clip_q32));
	weir_learn_adam_step(&d->adam, &moments, rl_part(d, s, RL_WEIGHTS), gradient, count);
	s->power1 = moments.power1;
	s->power2 = moments.power2;
	figures[RL_LOSS] = s->flows ? s->loss / (double)s->flows : 0;
	memset(gradient, 0, count * sizeof(*gradient));
	s->loss = 0;
	s->flows = s->is_transposed = 0;
}

static void rl_model(const void *context, const void *state, struct weir_learn_model *model)
{
	static const struct weir_learn_text texts[] = {
		{ WEIR_LEARN_FEATURES, WEIR_RL_CC_FEATURES },
		{ WEIR_LEARN_ACTIONS, WEIR_RL_CC_ACTIONS }
	};
	const struct rl_trainer *d = context;

	*model = (struct weir_learn_model){
		.net = &d->net,
		.weights = rl_part(d, state, RL_WEIGHTS),
		.texts = texts,
		.text_count = 2,
	};
}

/* --- the policy table: the signal grows with the delay and with the flow's rate --- */

static const double rl_table_signals[] = { -0.8, -0.5, -0.2, 0, 0.2, 0.5, 1, 2, 5, 50 };
static const double rl_table_factors[] = { 0.85, 0.95, 1, 1.05, 1.2 };

enum { SETTLING = 16 }; /* round trips, for an LSTM */

static void rl_table_signal(const void *context, uint32_t row, struct train_cell *cell)
{
	(void)context;
	snprintf(cell->text, sizeof(cell->text), "%g", rl_table_signals[row]);
}

static void rl_table_factor(const void *context, uint32_t column, struct train_cell *cell)
{
	(void)context;
	snprintf(cell->text, sizeof(cell->text), "%g", rl_table_factors[column]);
}

static void rl_table_output(const void *context, const struct weir_learn_model *model,
			    const uint32_t at[2], struct train_cell *cell)
{
	uint32_t steps = model->net->plan.sequence_size ? SETTLING : 0;
	float inputs[SETTLING][WEIR_RL_CC_INPUTS], outputs[SETTLING];

	(void)context;
	for (uint32_t i = 0; i < SETTLING; i++)
		for (uint32_t k = 0; k < WEIR_RL_CC_INPUTS; k += 2) {
			inputs[i][k] = (float)rl_table_factors[at[1]];
			inputs[i][k + 1] = (float)rl_table_signals[at[0]];
		}
	train_policy_forward(model, inputs[0], steps, outputs);
	snprintf(cell->text, sizeof(cell->text), "%+.2f", (double)outputs[steps ? steps - 1 : 0]);
}

static const struct train_policy_table rl_cc_policy_table = {
	.about = "Its output, from -1 to 1, while the signal and the last factor stay as they are. "
		 "The signal is above 0 where delay times the root of the flow's share of its line "
		 "is above the target.",
	.rows = "signal",
	.columns = "factor",
	.row_count = sizeof(rl_table_signals) / sizeof(rl_table_signals[0]),
	.column_count = sizeof(rl_table_factors) / sizeof(rl_table_factors[0]),
	.row = rl_table_signal,
	.column = rl_table_factor,
	.cell = rl_table_output,
};

const struct trainer trainer_rl_cc = {
	.scheme = {
		.name = "rl-cc",
		.help = "RL-CC: a congestion control with a continuous rate factor, by an "
			"analytic policy gradient",
		.cite = "Tessler et al., Reinforcement Learning for Datacenter Congestion Control, 2022",
		.params_size = sizeof(struct rl_options),
		.options = rl_options,
	},
	.steps_default = 3000 * 1000,
	.worst_weight = 0.5,
	.figures = rl_figures,
	.open = rl_open,
	.close = rl_close,
	.size = rl_size,
	.begin = rl_begin,
	.scenario = rl_scenario,
	.episode = rl_episode,
	.keep = rl_keep,
	.update = rl_update,
	.model = rl_model,
	.policy_table = &rl_cc_policy_table,
};
