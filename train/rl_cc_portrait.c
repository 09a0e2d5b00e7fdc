/* SPDX-License-Identifier: BSD-3-Clause */
/* rl_cc_portrait.c -- what a policy of RL-CC says where: its output while the signal, which grows
 * with the delay and with the flow's rate, and the factor stay as they are. Where it falls with the
 * signal, queues are short and shares become equal. */
#include "lib/cc/rl_cc.h"
#include "base/memory.h"
#include "train/fan_in.h"
#include <stdio.h>

static const double signals[] = { -0.8, -0.5, -0.2, 0, 0.2, 0.5, 1, 2, 5, 50 };
static const double factors[] = { 0.85, 0.95, 1, 1.05, 1.2 };

enum { SETTLING = 16 }; /* round trips, for an LSTM */

static void show_signal(const void *desk, uint32_t row, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%g", signals[row]);
}

static void show_factor(const void *desk, uint32_t column, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%g", factors[column]);
}

static void show_output(const void *desk, const struct weir_learn_model *model,
			const uint32_t at[2], struct train_cell *cell)
{
	uint32_t steps = model->net->plan.sequence_size ? SETTLING : 0,
		 last = steps ? steps - 1 : 0;
	size_t floats = weir_learn_tape_floats(model->net, 1, steps, WEIR_LEARN_FORWARD_ONLY);
	float *tape = memory_new(floats, sizeof(*tape));
	float inputs[SETTLING][WEIR_RL_CC_INPUTS], outputs[SETTLING];

	(void)desk;
	for (uint32_t i = 0; i < SETTLING; i++)
		for (uint32_t k = 0; k < WEIR_RL_CC_INPUTS; k += 2) {
			inputs[i][k] = (float)factors[at[1]];
			inputs[i][k + 1] = (float)signals[at[0]];
		}
	weir_learn_forward(
		model->net, model->weights,
		&(struct weir_learn_batch){
			.samples = 1, .steps = steps, .sequence = inputs[0], .current = inputs[0] },
		tape, outputs);
	memory_free(tape, floats, sizeof(*tape));
	snprintf(cell->text, sizeof(cell->text), "%+.2f", (double)outputs[last]);
}

const struct train_portrait rl_cc_portrait = {
	.about = "Its output, from -1 to 1, while the signal and the last factor stay as they are. "
		 "The signal "
		 "is above 0 where delay times the root of the flow's share of its line is above "
		 "the "
		 "target.",
	.rows = "signal",
	.columns = "factor",
	.row_count = sizeof(signals) / sizeof(signals[0]),
	.column_count = sizeof(factors) / sizeof(factors[0]),
	.row = show_signal,
	.column = show_factor,
	.cell = show_output,
};
