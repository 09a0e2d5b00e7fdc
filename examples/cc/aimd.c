/* SPDX-License-Identifier: BSD-3-Clause */
/* aimd.c -- a congestion control as a plug-in: adds a fixed number of segments per round trip, and
 * multiplies the window by a fraction on a mark.
 *
 *	cc -std=c11 -O2 -shared -fPIC $(pkg-config --cflags weir) aimd.c -o aimd.so
 *	weir help ./aimd.so
 *	weir run scenario.ini --cc './aimd.so(increase=2, keep=3/4)'
 *
 * Additive increase, multiplicative decrease: Chiu and Jain, 1989. With its defaults it equals
 * reno(ecn=yes). */
#include <weir/plugin.h>

struct aimd_params {
	uint64_t increase;
	uint64_t keep_q32; /* WEIR_OPT_FRACTION_Q32: scaled by 2^32 */
};

struct aimd_state {
	struct weir_cc_window cc; /* must come first: the transport reads it after every call */
	uint64_t credit;          /* remainder of the division in aimd_ack */
};

static const struct weir_option aimd_options[] = {
	{ "increase", WEIR_OPT_COUNT, offsetof(struct aimd_params, increase), "1", 1, 1000,
	  "segments that the window grows by in a round trip", NULL },
	{ "keep", WEIR_OPT_FRACTION_Q32, offsetof(struct aimd_params, keep_q32), "1/2",
	  WEIR_ONE_Q32 >> 16, WEIR_ONE_Q32 - (WEIR_ONE_Q32 >> 16),
	  "fraction of the window that is left after a mark or a loss", NULL },
	{ .name = NULL },
};

static void aimd_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct aimd_state *s = state;

	(void)params;
	s->cc.window_bytes = env->initial_window_bytes;
	s->cc.ssthresh_bytes = WEIR_CC_SSTHRESH_START;
}

/* Slow start up to ssthresh; then window += increase * mss * acked / window. */
static void aimd_ack(void *state, const void *params, const struct weir_cc_env *env,
		     const struct weir_cc_ack *a)
{
	const struct aimd_params *p = params;
	struct aimd_state *s = state;
	uint64_t acked_bytes = a->acked_bytes, step;

	if (!a->may_grow)
		return;
	if (s->cc.window_bytes < s->cc.ssthresh_bytes) {
		step = s->cc.ssthresh_bytes - s->cc.window_bytes;
		if (step > acked_bytes)
			step = acked_bytes;
		s->cc.window_bytes += step;
		acked_bytes -= step;
	}
	s->credit += p->increase * env->mss_bytes * acked_bytes;
	step = s->credit / s->cc.window_bytes;
	s->credit -= step * s->cc.window_bytes;
	s->cc.window_bytes += step;
}

/* The transport calls this at most once per window of data. The minimum is two segments (RFC 5681).
 */
static void aimd_congestion(void *state, const void *params, const struct weir_cc_env *env,
			    enum weir_cc_event event, const struct weir_cc_ack *a)
{
	const struct aimd_params *p = params;
	struct aimd_state *s = state;
	uint64_t least_bytes = 2 * (uint64_t)env->mss_bytes;
	uint64_t left_bytes =
		s->cc.window_bytes * (p->keep_q32 >> 16) >> 16; /* windows are below 2^40 */

	if (left_bytes < least_bytes)
		left_bytes = least_bytes;
	if (event != WEIR_CC_TIMEOUT || !a->timed_out_again)
		s->cc.ssthresh_bytes = left_bytes;
	if (event == WEIR_CC_TIMEOUT)
		left_bytes = env->mss_bytes;
	if (s->cc.window_bytes > left_bytes)
		s->cc.window_bytes = left_bytes;
}

static const struct weir_cc_ops aimd = {
	.scheme = {
		.name = "aimd",
		.help = "grows by a number of segments a round trip, keeps a fraction of its window "
			"at a mark",
		.cite = "Chiu, Jain, Analysis of the Increase and Decrease Algorithms, 1989",
		.params_size = sizeof(struct aimd_params),
		.options = aimd_options,
	},
	.echo = WEIR_CC_ECHO_CLASSIC,
	.state_size = sizeof(struct aimd_state),
	.init = aimd_init,
	.ack = aimd_ack,
	.congestion = aimd_congestion,
};

const struct weir_plugin weir_plugin = { WEIR_ABI, .cc = &aimd };
