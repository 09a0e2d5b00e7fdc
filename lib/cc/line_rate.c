/* SPDX-License-Identifier: BSD-3-Clause */
/* line_rate.c -- no congestion control: a queue pair sends as fast as its line, for networks that
 * stop flows themselves (switch.fabric = bfc).
 *
 * Goyal et al., "Backpressure Flow Control", NSDI 2022: hosts send at line rate from the first
 * packet to the last and obey the pauses of their switch; what is in flight may be capped at a
 * bandwidth-delay product, which the authors' simulator has as an option that is off. */
#include "weir/cc.h"

enum line_rate_window { LINE_RATE_NONE, LINE_RATE_BDP };

struct line_rate_params {
	uint64_t window; /* enum line_rate_window */
};

static const char *const window_choices[] = { "none", "bdp", NULL };

static const struct weir_option line_rate_options[] = {
	{ "window", WEIR_OPT_CHOICE, offsetof(struct line_rate_params, window), "none", 0, 1,
	  "what may be in flight: anything, or one bandwidth-delay product of the longest path",
	  window_choices },
	{ .name = NULL },
};

static void line_rate_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct weir_cc_pace *s = state;
	const struct line_rate_params *p = params;

	s->rate_bps = env->rate_bps;
	s->window_bytes = p->window == LINE_RATE_BDP ? env->bdp_bytes : WEIR_CC_NO_WINDOW;
}

const struct weir_cc_ops weir_cc_line_rate = {
	.scheme = {
		.name = "line-rate",
		.help = "queue pairs send at line rate whatever happens; for networks that stop flows "
			"themselves",
		.cite = "Goyal et al., Backpressure Flow Control, NSDI 2022",
		.params_size = sizeof(struct line_rate_params),
		.options = line_rate_options,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_NONE,
	.state_size = sizeof(struct weir_cc_pace),
	.init = line_rate_init,
};
