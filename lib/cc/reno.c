/* SPDX-License-Identifier: BSD-3-Clause */
/* reno.c -- slow start, congestion avoidance, half the window at a loss (AIMD).
 *
 * RFC 5681; loss recovery is the transport's. With ecn, a mark is as good as a loss: packets are
 * ECN-capable, receivers echo until CWR, and the window is halved at most once a window of data
 * (RFC 3168, section 6.1.2). The gentler cut for marks of RFC 8511 is not here.
 *
 * Differs: what is sent again is ECN-capable like all data here, as RFC 8311 allows and RFC 3168
 * did not. */
#include "lib/cc/reno.h"

struct reno_ecn_params {
	struct reno_params reno;
	uint64_t ecn;
};

const char *const weir_reno_growth_choices[] = { "bytes", "segments", NULL };

static const struct weir_option reno_options[] = {
	{ "ecn", WEIR_OPT_FLAG, offsetof(struct reno_ecn_params, ecn), "no", 0, 1,
	  "packets are ECN-capable, and a mark reduces the window like a loss (RFC 3168)", NULL },
	MIN_WINDOW_OPTION(struct reno_ecn_params, reno.min_window, "2pkts"),
	GROWTH_OPTION(struct reno_ecn_params, reno.growth),
	{ .name = NULL },
};

static enum weir_cc_echo reno_echo(const void *params)
{
	const struct reno_ecn_params *p = params;

	return p->ecn ? WEIR_CC_ECHO_CLASSIC : WEIR_CC_ECHO_NONE;
}

void weir_reno_grow_by_segments(struct reno_window *w, uint32_t mss_bytes, uint64_t acked_bytes)
{
	uint64_t whole_bytes =
		larger_bytes(w->cc.window_bytes - w->cc.window_bytes % mss_bytes, mss_bytes);

	if (w->credit >= whole_bytes) {
		w->credit = 0;
		w->cc.window_bytes += mss_bytes;
	}
	w->credit += acked_bytes;

	uint64_t windows = w->credit / whole_bytes;

	w->credit -= windows * whole_bytes;
	w->cc.window_bytes += windows * mss_bytes;
}

static void reno_open(void *state, const void *params, const struct weir_cc_env *env)
{
	(void)params;
	reno_init(state, env);
}

static void reno_on_ack(void *state, const void *params, const struct weir_cc_env *env,
			const struct weir_cc_ack *a)
{
	if (a->may_grow)
		reno_grow(state, params, env->mss_bytes, a->acked_bytes);
}

static void reno_on_congestion(void *state, const void *params, const struct weir_cc_env *env,
			       enum weir_cc_event event, const struct weir_cc_ack *a)
{
	const struct reno_params *p = params;
	struct reno_window *w = state;

	if (event == WEIR_CC_TIMEOUT)
		reno_timeout(w, env->mss_bytes, a);
	else if (event == WEIR_CC_LOSS)
		reno_loss(w, env->mss_bytes);
	else
		reno_cut(w, larger_bytes(w->cc.window_bytes / 2,
					 segments_to_bytes(p->min_window, env->mss_bytes)));
}

const struct weir_cc_ops weir_cc_reno = {
	.scheme = {
		.name = "reno",
		.help = "NewReno: halves its window on a loss; ignores marks unless ecn=yes",
		.cite = "RFC 5681, TCP Congestion Control; RFC 3168",
		.params_size = sizeof(struct reno_ecn_params),
		.options = reno_options,
	},
	.echo_of = reno_echo,
	.state_size = sizeof(struct reno_window),
	.init = reno_open,
	.ack = reno_on_ack,
	.congestion = reno_on_congestion,
};

/* --- ecn-star: Reno that takes a mark for a loss ---
 *
 * ECN* of Wu et al., "Tuning ECN for Data Center Networks", CoNEXT 2012: plain ECN-capable TCP as
 * in RFC 3168, section 6.1.2; reno(ecn=yes) by another name, but that a mark may cut the window
 * down to one segment. The loss of a packet, as in RFC 5681, leaves two. */
static const struct weir_option ecn_star_options[] = {
	MIN_WINDOW_OPTION(struct reno_params, min_window, "1pkts"),
	GROWTH_OPTION(struct reno_params, growth),
	{ .name = NULL },
};

const struct weir_cc_ops weir_cc_ecn_star = {
	.scheme = {
		.name = "ecn-star",
		.help = "ECN*: halves its window once per window with a mark",
		.cite = "Wu et al., Tuning ECN for Data Center Networks, CoNEXT 2012; RFC 3168",
		.params_size = sizeof(struct reno_params),
		.options = ecn_star_options,
	},
	.echo = WEIR_CC_ECHO_CLASSIC,
	.state_size = sizeof(struct reno_window),
	.init = reno_open,
	.ack = reno_on_ack,
	.congestion = reno_on_congestion,
};
