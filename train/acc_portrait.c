/* SPDX-License-Identifier: BSD-3-Clause */
/* acc_portrait.c -- what a policy of switch agents does where: the setting that it comes to hold at
 * a port of 25 Gb/s whose queue and rate stay as they are, while packets are marked as the setting
 * in force would mark them. */
#include "train/acc.h"
#include "base/memory.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

enum { SLOTS = 20, MTU_BYTES = 1048, KB = 1000 };

#define RATE_BPS (UINT64_C(25) * 1000 * 1000 * 1000)

static const uint64_t queues_kb[] = { 0, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120 };
static const uint32_t percents[] = { 10, 25, 50, 75, 90, 100 };

static void show_queue(const void *desk, uint32_t row, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%u KB", (unsigned)queues_kb[row]);
}

static void show_rate(const void *desk, uint32_t column, struct train_cell *cell)
{
	(void)desk;
	snprintf(cell->text, sizeof(cell->text), "%u %%", percents[column]);
}

/* Of the packets that leave a queue of that length, those that RED's line marks. */
static double share_marked(const struct weir_tune_knobs *k, uint64_t queue_bytes)
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
struct sitter {
	const struct acc_desk *desk;
	struct weir_agent_queue queue;
	struct weir_agent_env env;
	struct weir_tune_knobs knobs;
	struct weir_tune_telemetry telemetry;
	void *state;
	size_t state_size;
	const struct weir_learn_model *model;
};

static void sit(struct sitter *s)
{
	const struct weir_agent_learner *learner = s->desk->ops->learner;
	size_t floats = weir_learn_tape_floats(s->model->net, 1, 0, WEIR_LEARN_FORWARD_ONLY);
	uint32_t inputs = s->desk->config.training.observation_size, action;
	float *tape = memory_new(floats, sizeof(*tape)), reward;
	float *observation = memory_new(inputs, sizeof(*observation));
	float *values = memory_new(s->model->net->outputs, sizeof(*values));
	const struct weir_learn_batch one = { .samples = 1, .current = observation };
	const struct weir_learn_choice best = { .epsilon = 0 };
	uint8_t asks;

	s->telemetry.ce_bytes = (uint64_t)((double)s->telemetry.out_bytes *
					   share_marked(&s->knobs, s->telemetry.queue_end_bytes));
	learner->observe(s->state, s->desk->params, &s->env, &s->telemetry, observation, &reward,
			 &asks);
	weir_learn_forward(s->model->net, s->model->weights, &one, tape, values);
	action = weir_learn_choose(&best, values, s->model->net->outputs,
				   (struct weir_learn_draw){ 0, 0, 0 });
	learner->act(s->state, s->desk->params, &s->env, &action, &s->knobs);
	memory_free(tape, floats, sizeof(*tape));
	memory_free(observation, inputs, sizeof(*observation));
	memory_free(values, s->model->net->outputs, sizeof(*values));
}

static void show_setting(const void *desk, const struct weir_learn_model *model,
			 const uint32_t at[2], struct train_cell *cell)
{
	const struct acc_desk *d = desk;
	uint64_t queue_bytes = queues_kb[at[0]] * KB;
	struct sitter s = { .desk = d,
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
		sit(&s);
	memory_free(s.state, 1, s.state_size);
	snprintf(cell->text, sizeof(cell->text), "%u/%u/%.0f", (unsigned)(s.knobs.min_bytes / KB),
		 (unsigned)(s.knobs.max_bytes / KB),
		 s.knobs.min_bytes < s.knobs.max_bytes
			 ? 100 * share_marked(&s.knobs, s.knobs.max_bytes - 1)
			 : 100);
}

const struct train_portrait acc_portrait = {
	.about = "The setting that it comes to hold at a port of 25 Gb/s whose queue and rate stay "
		 "as they are: "
		 "K_min in KB / K_max in KB / probability at K_max in percent.",
	.rows = "queue",
	.columns = "rate",
	.row_count = sizeof(queues_kb) / sizeof(queues_kb[0]),
	.column_count = sizeof(percents) / sizeof(percents[0]),
	.row = show_queue,
	.column = show_rate,
	.cell = show_setting,
};
