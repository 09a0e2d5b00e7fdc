/* SPDX-License-Identifier: BSD-3-Clause */
/* cc_portraits.c -- the output of trained congestion controls while what a flow observes stays as
 * it is on a busy link: FDCC over queue and rate, RL-CC over signal and last factor. Where the
 * output falls with the rate or the signal, shares become equal; where it rises, one flow takes
 * all. */
#include "base/memory.h"
#include "lib/cc/fdcc.h"
#include "lib/cc/reward.h"
#include "train/fan_in.h"
#include <stdio.h>

/* Nine or sixteen times the same observation serve every shape of network: as many as it reads in a
 * row (current), or a sequence of steps. */
static void portrait_forward(const struct weir_learn_model *model, const float *inputs,
			     uint32_t steps, float *outputs)
{
	size_t floats = weir_learn_tape_floats(model->net, 1, steps, WEIR_LEARN_FORWARD_ONLY);
	const struct weir_learn_batch batch = {
		.samples = 1, .steps = steps, .sequence = inputs, .current = inputs
	};
	float *tape = memory_new(floats, sizeof(*tape));

	weir_learn_forward(model->net, model->weights, &batch, tape, outputs);
	memory_free(tape, floats, sizeof(*tape));
}

/* --- FDCC --- */

static const double queues[] = { 0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5 };
static const double rates[] = { 0.001, 0.01, 0.03, 0.1, 0.25, 0.5, 1 };

static void fdcc_portrait_queue(const void *desk, uint32_t row, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%g", queues[row]);
}

static void fdcc_portrait_rate(const void *desk, uint32_t column, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%g", rates[column]);
}

static void fdcc_portrait_output(const void *desk, const struct weir_learn_model *model,
				 const uint32_t at[2], struct train_cell *cell)
{
	double queue = queues[at[0]], rate = rates[at[1]];
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

	(void)desk;
	for (uint32_t i = 0; i <= FDCC_PAST_MAX; i++)
		memcpy(inputs[i], seen, sizeof(seen));
	portrait_forward(model, inputs[0], model->net->plan.sequence_size ? FDCC_PAST_MAX : 0, &u);
	snprintf(cell->text, sizeof(cell->text), "%+.2f", (double)u);
}

const struct train_policy_table fdcc_policy_table = {
	.about = "Its output, from -1 to 1, while a queue (in bandwidth-delay products) and the "
		 "flow's share of its line stay as they are on a busy line.",
	.rows = "queue",
	.columns = "rate",
	.row_count = sizeof(queues) / sizeof(queues[0]),
	.column_count = sizeof(rates) / sizeof(rates[0]),
	.row = fdcc_portrait_queue,
	.column = fdcc_portrait_rate,
	.cell = fdcc_portrait_output,
};

/* --- RL-CC: the signal grows with the delay and with the flow's rate --- */

static const double signals[] = { -0.8, -0.5, -0.2, 0, 0.2, 0.5, 1, 2, 5, 50 };
static const double factors[] = { 0.85, 0.95, 1, 1.05, 1.2 };

enum { SETTLING = 16 }; /* round trips, for an LSTM */

static void rl_portrait_signal(const void *desk, uint32_t row, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%g", signals[row]);
}

static void rl_portrait_factor(const void *desk, uint32_t column, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%g", factors[column]);
}

static void rl_portrait_output(const void *desk, const struct weir_learn_model *model,
			       const uint32_t at[2], struct train_cell *cell)
{
	uint32_t steps = model->net->plan.sequence_size ? SETTLING : 0;
	float inputs[SETTLING][WEIR_RL_CC_INPUTS], outputs[SETTLING];

	(void)desk;
	for (uint32_t i = 0; i < SETTLING; i++)
		for (uint32_t k = 0; k < WEIR_RL_CC_INPUTS; k += 2) {
			inputs[i][k] = (float)factors[at[1]];
			inputs[i][k + 1] = (float)signals[at[0]];
		}
	portrait_forward(model, inputs[0], steps, outputs);
	snprintf(cell->text, sizeof(cell->text), "%+.2f", (double)outputs[steps ? steps - 1 : 0]);
}

const struct train_policy_table rl_cc_policy_table = {
	.about = "Its output, from -1 to 1, while the signal and the last factor stay as they are. "
		 "The signal is above 0 where delay times the root of the flow's share of its line "
		 "is above the target.",
	.rows = "signal",
	.columns = "factor",
	.row_count = sizeof(signals) / sizeof(signals[0]),
	.column_count = sizeof(factors) / sizeof(factors[0]),
	.row = rl_portrait_signal,
	.column = rl_portrait_factor,
	.cell = rl_portrait_output,
};
