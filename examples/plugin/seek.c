/* SPDX-License-Identifier: BSD-3-Clause */
/* seek.c -- a tuner as a plug-in: copy this file, rename it, change how it sets the knobs.
 *
 * Once per interval it receives a queue's telemetry and moves the threshold of RED by an eighth:
 * down if the mean queue was longer than the target, up if it was shorter. One instance per queue.
 */
#include <weir/plugin.h>

struct seek_params {
	uint64_t target_bytes;
};

/* Each option once: name, type, offset, default, range, help. 'weir help ./seek.so' shows them. */
static const struct weir_option seek_options[] = {
	{ "target", WEIR_OPT_BYTES, offsetof(struct seek_params, target_bytes), "20KB", 1,
	  1000000000, "mean queue that is wanted", NULL },
	{ .name = NULL },
};

/* A step function: probability 0 below the threshold, 1 from there on. */
static void set(struct weir_tune_knobs *knobs, uint64_t bytes)
{
	uint64_t most = 4000000;

	knobs->min_bytes = knobs->max_bytes = bytes < most ? bytes : most;
	knobs->slope_q32 = 0;
}

/* knobs: on entry from the scenario, on return for the first interval. */
static void seek_init(void *state, const void *params, uint32_t mtu_bytes,
		      struct weir_tune_knobs *knobs)
{
	const struct seek_params *p = params;

	(void)state;
	(void)mtu_bytes;
	set(knobs, p->target_bytes);
}

/* knobs: on entry of the last interval, on return for the next. */
static void seek_step(void *state, const void *params, const struct weir_tune_telemetry *t,
		      struct weir_tune_knobs *knobs)
{
	const struct seek_params *p = params;
	uint64_t bytes = knobs->max_bytes;

	(void)state;
	if (t->out_bytes == 0) /* no information from an idle line */
		return;
	if (t->queue_mean_bytes > p->target_bytes)
		bytes -= bytes / 8;
	else
		bytes += bytes / 8;
	set(knobs, bytes > t->mtu_bytes ? bytes : t->mtu_bytes);
}

static const struct weir_tune_ops seek = {
	.scheme = {
		.name = "seek",
		.help = "moves a threshold until the mean queue is as long as wanted",
		.params_size = sizeof(struct seek_params),
		.options = seek_options,
	},
	.init = seek_init,
	.step = seek_step,
};

/* The symbol that Weir looks for. */
const struct weir_plugin weir_plugin = { WEIR_ABI, .tune = &seek };
