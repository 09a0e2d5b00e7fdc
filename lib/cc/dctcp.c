/* SPDX-License-Identifier: BSD-3-Clause */
/* dctcp.c -- cut the window by the fraction of the data that was marked.
 *
 * RFC 8257, "Data Center TCP", section 3.3; Alizadeh et al., SIGCOMM 2010, section 3.1. The
 * fraction M of bytes marked is taken over each window of data and averaged,
 * alpha <- (1 - g) alpha + g M; the first mark of a window cuts the window to (1 - alpha / 2) of
 * itself. Growth and what a loss does are Reno's.
 *
 * Differs: marks may cut the window down to one segment (min-window); RFC 8257 leaves the floor to
 * RFC 5681, which has two, as Linux does; ns-3 has none for ssthresh. */
#include "base/compiler.h"
#include "lib/cc/reno.h"

struct dctcp_params {
	struct reno_params reno;
	uint64_t g_q32;
	uint64_t alpha_start_q32;
};

struct dctcp_state {
	struct reno_window reno;
	uint64_t alpha_q32;
	uint64_t window_end_bytes; /* the observed window ends when this byte is acknowledged */
	uint64_t acked_bytes, marked_bytes; /* in the observed window so far */
};

static const struct weir_option dctcp_options[] = {
	{ "g", WEIR_OPT_FRACTION_Q32, offsetof(struct dctcp_params, g_q32), "1/16",
	  WEIR_ONE_Q32 >> 16, WEIR_ONE_Q32, "weight of the newest window in alpha", NULL },
	{ "alpha-start", WEIR_OPT_FRACTION_Q32, offsetof(struct dctcp_params, alpha_start_q32), "1",
	  0, WEIR_ONE_Q32, "alpha of a new connection", NULL },
	MIN_WINDOW_OPTION(struct dctcp_params, reno.min_window, "1pkts"),
	GROWTH_OPTION(struct dctcp_params, reno.growth),
	{ .name = NULL },
};

static void dctcp_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct dctcp_state *s = state;
	const struct dctcp_params *p = params;

	reno_init(&s->reno, env);
	s->alpha_q32 = p->alpha_start_q32;
}

/* RFC 8257, 3.3: M = marked / acked, alpha = alpha (1 - g) + g M.
 * Scaled by 2^32: M is rounded down by less than 2^-32, the sum to the nearest, by at most 2^-33.
 * An error made once fades by 1 - g an update, so alpha is never off by more than 2^-33 / g +
 * 2^-32: 2.1e-9 with g = 1/16. Factors are at most 2^32, so the sum is at most 2^64: weir_u128. */
static void dctcp_end_window(struct dctcp_state *s, uint64_t g_q32)
{
	uint64_t m_q32 = (uint64_t)(((weir_u128)s->marked_bytes << 32) / s->acked_bytes);
	weir_u128 sum = (weir_u128)s->alpha_q32 * (WEIR_ONE_Q32 - g_q32) + (weir_u128)g_q32 * m_q32;

	s->alpha_q32 = (uint64_t)((sum + WEIR_ONE_Q32 / 2) >> 32);
	s->acked_bytes = 0;
	s->marked_bytes = 0;
}

static inline void dctcp_grow(struct dctcp_state *s, const struct dctcp_params *p,
			      uint32_t mss_bytes, const struct weir_cc_ack *a)
{
	if (a->may_grow)
		reno_grow(&s->reno, &p->reno, mss_bytes, a->acked_bytes);
}

/* Not inlined, and called last, once a window, so that other ACKs save no registers. */
static NOINLINE void dctcp_end_and_grow(struct dctcp_state *s, const struct dctcp_params *p,
					uint32_t mss_bytes, const struct weir_cc_ack *a)
{
	dctcp_end_window(s, p->g_q32);
	s->window_end_bytes = a->next_bytes;
	dctcp_grow(s, p, mss_bytes, a);
}

/* The window ends whether or not it may grow: alpha goes on while a cut is carried out. */
static void dctcp_ack(void *state, const void *params, const struct weir_cc_env *env,
		      const struct weir_cc_ack *a)
{
	struct dctcp_state *s = state;
	const struct dctcp_params *p = params;

	s->acked_bytes += a->acked_bytes;
	if (a->echo)
		s->marked_bytes += a->acked_bytes;
	if (a->una_bytes >= s->window_end_bytes && s->acked_bytes > 0)
		dctcp_end_and_grow(s, p, env->mss_bytes, a);
	else
		dctcp_grow(s, p, env->mss_bytes, a);
}

static void dctcp_congestion(void *state, const void *params, const struct weir_cc_env *env,
			     enum weir_cc_event event, const struct weir_cc_ack *a)
{
	struct dctcp_state *s = state;
	const struct dctcp_params *p = params;
	uint64_t window = s->reno.cc.window_bytes;

	if (event == WEIR_CC_TIMEOUT) {
		reno_timeout(&s->reno, env->mss_bytes, a);
	} else if (event == WEIR_CC_LOSS) {
		reno_loss(&s->reno, env->mss_bytes);
	} else {
		uint64_t cut = (uint64_t)((weir_u128)window * s->alpha_q32 >> 33);

		reno_cut(&s->reno, larger_bytes(window - cut, segments_to_bytes(p->reno.min_window,
										env->mss_bytes)));
	}
}

const struct weir_cc_ops weir_cc_dctcp = {
	.scheme = {
		.name = "dctcp",
		.help = "cuts its window by half the fraction of bytes that were marked",
		.cite = "RFC 8257, Data Center TCP; Alizadeh et al., SIGCOMM 2010",
		.params_size = sizeof(struct dctcp_params),
		.options = dctcp_options,
	},
	.echo = WEIR_CC_ECHO_EXACT,
	.state_size = sizeof(struct dctcp_state),
	.init = dctcp_init,
	.ack = dctcp_ack,
	.congestion = dctcp_congestion,
};

_Static_assert(sizeof(struct dctcp_state) <= WEIR_CC_STATE_MAX, "a connection has room for it");
