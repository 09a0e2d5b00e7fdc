/* SPDX-License-Identifier: BSD-3-Clause */
/* fdcc_portrait.c -- what a policy of FDCC says where: its output while a queue, and the flow's
 * rate, stay as they are on a busy line. Where it falls with the rate, shares become equal; where
 * it rises, a winner takes all. */
#include "lib/cc/fdcc.h"
#include "base/memory.h"
#include "train/fan_in.h"
#include <stdio.h>

static const double queues[] = { 0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5 };
static const double rates[] = { 0.001, 0.01, 0.03, 0.1, 0.25, 0.5, 1 };

static void show_queue(const void *desk, uint32_t row, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%g", queues[row]);
}

static void show_rate(const void *desk, uint32_t column, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%g", rates[column]);
}

/* How the model sees rates, as its first text has it (weir_fdcc_features). */
static enum fdcc_rates rates_of(const struct weir_learn_model *model)
{
	return strstr(model->texts[0].value, "rates=root") ? FDCC_RATES_ROOT : FDCC_RATES_LINEAR;
}

/* Nine times the same observation serve every shape of network: as many as it reads in a row, or a
 * sequence. */
static void show_output(const void *desk, const struct weir_learn_model *model,
			const uint32_t at[2], struct train_cell *cell)
{
	double queue = queues[at[0]], rate = rates[at[1]];
	enum fdcc_rates how = rates_of(model);
	const float seen[FDCC_OBSERVATIONS] = { [FDCC_RTT] = (float)(1 + queue),
						[FDCC_QUEUE] = (float)queue,
						[FDCC_SWITCH_RATE] = 1,
						[FDCC_GOODPUT] =
							(float)weir_fdcc_rate_seen(how, 0.9 * rate),
						[FDCC_RATE] =
							(float)weir_fdcc_rate_seen(how, rate) };
	float inputs[FDCC_PAST_MAX + 1][FDCC_OBSERVATIONS], u;
	uint32_t steps = model->net->plan.sequence_size ? FDCC_PAST_MAX : 0;
	size_t floats = weir_learn_tape_floats(model->net, 1, steps, WEIR_LEARN_FORWARD_ONLY);
	float *tape = memory_new(floats, sizeof(*tape));

	(void)desk;
	for (uint32_t i = 0; i <= FDCC_PAST_MAX; i++)
		memcpy(inputs[i], seen, sizeof(seen));
	weir_learn_forward(
		model->net, model->weights,
		&(struct weir_learn_batch){
			.samples = 1, .steps = steps, .sequence = inputs[0], .current = inputs[0] },
		tape, &u);
	memory_free(tape, floats, sizeof(*tape));
	snprintf(cell->text, sizeof(cell->text), "%+.2f", (double)u);
}

const struct train_portrait fdcc_portrait = {
	.about = "Its output, from -1 to 1, while a queue (in bandwidth-delay products) and the "
		 "flow's share of its line stay as they are on a busy line.",
	.rows = "queue",
	.columns = "rate",
	.row_count = sizeof(queues) / sizeof(queues[0]),
	.column_count = sizeof(rates) / sizeof(rates[0]),
	.row = show_queue,
	.column = show_rate,
	.cell = show_output,
};
