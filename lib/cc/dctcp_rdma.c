/* SPDX-License-Identifier: BSD-3-Clause */
/* dctcp_rdma.c -- DCTCP for a queue pair: from line rate down, window and rate in step.
 *
 * DCTCP as in the simulations of Li et al., "HPCC", SIGCOMM 2019, section 5.1: no slow start; the
 * first window is one bandwidth-delay product. Once a window of data, alpha <- (1 - g) alpha + g M
 * with M the marked fraction (RFC 8257, section 3.3), and the window grows by a segment unless a
 * cut is being carried out. A mark cuts the window to (1 - alpha / 2) of itself, at most once a
 * window. The rate is the window over the base round-trip time: that share of the line rate which
 * the window is of the bandwidth-delay product.
 *
 * As there, losses change nothing; go-back-N and PFC are the transport's and the network's.
 *
 * Differs: M is of bytes, not of packets; the same but for a message's last packet. */
#include "weir/compiler.h"
#include "lib/cc/pace.h"

struct dctcp_rdma_params {
	uint64_t g_q32;
	uint64_t alpha_start_q32;
	uint64_t ai_bps; /* 0: a segment a round trip */
};

struct dctcp_rdma_state {
	struct weir_cc_pace pace;
	uint64_t share_bytes; /* the window before it is lifted to a packet: the rate follows it */
	uint64_t alpha_q32;
	uint64_t window_end_bytes; /* the observed window ends when this byte is acknowledged */
	uint64_t cut_end_bytes;    /* a cut is carried out when more than this is acknowledged */
	uint64_t acked_bytes, marked_bytes; /* in the observed window so far */
	uint32_t is_cutting;
};

static const struct weir_option dctcp_rdma_options[] = {
	{ "g", WEIR_OPT_FRACTION_Q32, offsetof(struct dctcp_rdma_params, g_q32), "1/16",
	  WEIR_ONE_Q32 >> 16, WEIR_ONE_Q32, "weight of the newest window in alpha", NULL },
	{ "alpha-start", WEIR_OPT_FRACTION_Q32, offsetof(struct dctcp_rdma_params, alpha_start_q32),
	  "1", 0, WEIR_ONE_Q32, "alpha of a new queue pair", NULL },
	{ "ai", WEIR_OPT_RATE_BPS, offsetof(struct dctcp_rdma_params, ai_bps), "0bps", 0,
	  PACE_RATE_MAX_BPS, "rate added in a round trip; 0bps: a full packet more in flight",
	  NULL },
	{ .name = NULL },
};

/* W between min rate x RTT, rounded up, and C x RTT; rate = C W / (C x RTT), rounded down by less
 * than a bit per second. C < 2^43 and W < 2^40: weir_u128. */
static void dctcp_rdma_set(struct dctcp_rdma_state *s, const struct weir_cc_env *env,
			   uint64_t bytes)
{
	weir_u128 least =
		((weir_u128)env->bdp_bytes * env->min_rate_bps + env->rate_bps - 1) / env->rate_bps;

	if (bytes < least)
		bytes = (uint64_t)least;
	if (bytes == 0)
		bytes = 1;
	if (bytes > env->bdp_bytes)
		bytes = env->bdp_bytes;
	s->share_bytes = bytes;
	s->pace.window_bytes = bytes > env->mss_bytes ? bytes : env->mss_bytes;
	s->pace.rate_bps = (uint64_t)((weir_u128)env->rate_bps * bytes / env->bdp_bytes);
}

static void dctcp_rdma_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct dctcp_rdma_state *s = state;
	const struct dctcp_rdma_params *p = params;

	s->alpha_q32 = p->alpha_start_q32;
	dctcp_rdma_set(s, env, env->bdp_bytes);
}

/* RFC 8257, 3.3: M = marked / acked, alpha = alpha (1 - g) + g M. Scaled by 2^32: M is rounded down
 * by less than 2^-32, the sum to the nearest, by at most 2^-33. An error made once fades by 1 - g
 * an update, so alpha is never off by more than 2^-33 / g + 2^-32: 2.1e-9 with g = 1/16. Factors
 * are at most 2^32, so the sum is at most 2^64: weir_u128. */
static void dctcp_rdma_end_window(struct dctcp_rdma_state *s, uint64_t g_q32)
{
	uint64_t m_q32 = (uint64_t)(((weir_u128)s->marked_bytes << 32) / s->acked_bytes);
	weir_u128 sum = (weir_u128)s->alpha_q32 * (WEIR_ONE_Q32 - g_q32) + (weir_u128)g_q32 * m_q32;

	s->alpha_q32 = (uint64_t)((sum + WEIR_ONE_Q32 / 2) >> 32);
	s->acked_bytes = 0;
	s->marked_bytes = 0;
}

/* Additive increase per round trip: a segment, or ai x RTT = ai / C of the bandwidth-delay product.
 */
static uint64_t dctcp_rdma_step(const struct dctcp_rdma_params *p, const struct weir_cc_env *env)
{
	return p->ai_bps ? (uint64_t)((weir_u128)env->bdp_bytes * p->ai_bps / env->rate_bps)
			 : env->mss_bytes;
}

/* The first observed window ends with what is in flight at the first ACK. */
static void dctcp_rdma_ack(void *state, const void *params, const struct weir_cc_env *env,
			   const struct weir_cc_ack *a)
{
	struct dctcp_rdma_state *s = state;
	const struct dctcp_rdma_params *p = params;
	int ends = s->window_end_bytes > 0 && a->una_bytes >= s->window_end_bytes;

	s->acked_bytes += a->acked_bytes;
	if (a->echo)
		s->marked_bytes += a->acked_bytes;
	if (ends && s->acked_bytes > 0)
		dctcp_rdma_end_window(s, p->g_q32);
	if (ends || s->window_end_bytes == 0)
		s->window_end_bytes = a->next_bytes;
	if (s->is_cutting && a->una_bytes > s->cut_end_bytes)
		s->is_cutting = 0;
	if (a->echo && !s->is_cutting) {
		s->is_cutting = 1;
		s->cut_end_bytes = a->next_bytes;
		dctcp_rdma_set(s, env,
			       s->share_bytes -
				       (uint64_t)((weir_u128)s->share_bytes * s->alpha_q32 >> 33));
	} else if (ends && !s->is_cutting) {
		dctcp_rdma_set(s, env, s->share_bytes + dctcp_rdma_step(p, env));
	}
}

const struct weir_cc_ops weir_cc_dctcp_rdma = {
	.scheme = {
		.name = "dctcp-rdma",
		.help = "DCTCP for queue pairs: begins at line rate, cuts by half the fraction that was "
			"marked",
		.cite = "Li et al., HPCC, SIGCOMM 2019, section 5.1; RFC 8257, Data Center TCP",
		.params_size = sizeof(struct dctcp_rdma_params),
		.options = dctcp_rdma_options,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_EXACT,
	.state_size = sizeof(struct dctcp_rdma_state),
	.init = dctcp_rdma_init,
	.ack = dctcp_rdma_ack,
};

_Static_assert(sizeof(struct dctcp_rdma_state) <= WEIR_CC_STATE_MAX,
	       "a queue pair has room for it");
