/* SPDX-License-Identifier: BSD-3-Clause */
/* timely.c -- set the rate by whether the round-trip time rises or falls.
 *
 * Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, Algorithm
 * 1. Below T_low the rate rises, above T_high it falls by how far the round trip is above; in
 * between the smoothed difference of successive round trips, over the base round trip, decides.
 *
 * The original updates once a completed segment of 16 to 64 KB. Here it is once a round trip, as in
 * the simulations of the HPCC paper (Li et al., SIGCOMM 2019) and those that use the same code;
 * segment=16KB gives the original. The weight 0.875 of the newest difference is also from there;
 * the code that TIMELY's authors published recommends 0.02, for updates at each ACK.
 *
 * Differs: increases below T_low count for hyperactive increase and are made hyperactive by it, as
 * in the HPCC paper's simulations; hai=gradient is the original, where only the gradient counts.
 * Five increases go before the first hyperactive one. The first update only learns the round trip.
 *
 * Rates are of whole frames. There is no window unless asked for: the original has none. */
#include "lib/cc/pace.h"

enum timely_window { TIMELY_NONE, TIMELY_BDP, TIMELY_SCALED };
enum timely_hai { TIMELY_ANY, TIMELY_GRADIENT };

struct timely_params {
	uint64_t low_ns, high_ns;
	uint64_t alpha_q32;
	uint64_t beta_q32;
	uint64_t delta_bps;     /* 0: by the line rate */
	uint64_t hai_delta_bps; /* 0: by delta */
	uint64_t hai_after;
	uint64_t hai;    /* enum timely_hai */
	uint64_t window; /* enum timely_window */
	uint64_t segment_bytes;
	uint64_t rtt_ns; /* 0: the network's */
};

struct timely_state {
	struct weir_cc_pace pace;
	double rate_bps;
	double rise_ns; /* rtt_diff: smoothed difference of round trips */
	int64_t last_rtt_ns;
	uint64_t round_bytes; /* the round trip is over when more is acknowledged */
	uint64_t acked_bytes; /* since the last update */
	uint64_t increases;   /* that count for hyperactive increase */
};

/* 10 Mb/s at 10 Gb/s; a hyperactive increase is five times that. */
enum { TIMELY_DELTA_SHARE = 1000, TIMELY_HAI_FACTOR = 5 };

static const char *const timely_windows[] = { "none", "bdp", "scaled", NULL };
static const char *const timely_hais[] = { "any", "gradient", NULL };

/* The ranges of t-low and t-high touch in [50us, 500us], where check compares them. */
static const struct weir_option timely_options[] = {
	{ "t-low", WEIR_OPT_TIME_NS, offsetof(struct timely_params, low_ns), "50us", 0,
	  500 * WEIR_NS_PER_US, "round trips below this raise the rate", NULL },
	{ "t-high", WEIR_OPT_TIME_NS, offsetof(struct timely_params, high_ns), "500us",
	  50 * WEIR_NS_PER_US, WEIR_NS_PER_S, "round trips above this lower the rate", NULL },
	{ "alpha", WEIR_OPT_FRACTION_Q32, offsetof(struct timely_params, alpha_q32), "0.875",
	  WEIR_ONE_Q32 >> 10, WEIR_ONE_Q32, "weight of the newest difference of round trips",
	  NULL },
	{ "beta", WEIR_OPT_FRACTION_Q32, offsetof(struct timely_params, beta_q32), "0.8",
	  WEIR_ONE_Q32 >> 10, WEIR_ONE_Q32, "how much the rate falls", NULL },
	{ "delta", WEIR_OPT_RATE_BPS, offsetof(struct timely_params, delta_bps), "0bps", 0,
	  PACE_RATE_MAX_BPS, "how much the rate rises; 0bps: 1/1000 of the line rate", NULL },
	{ "hai-after", WEIR_OPT_COUNT, offsetof(struct timely_params, hai_after), "5", 0, 1000000,
	  "increases before they become larger, by hai-delta", NULL },
	{ "hai-delta", WEIR_OPT_RATE_BPS, offsetof(struct timely_params, hai_delta_bps), "0bps", 0,
	  PACE_RATE_MAX_BPS, "how much the rate rises then; 0bps: five times delta", NULL },
	{ "hai", WEIR_OPT_CHOICE, offsetof(struct timely_params, hai), "any", 0, 0,
	  "what counts as one: any increase, or round trips that do not rise, from t-low up",
	  timely_hais },
	{ "segment", WEIR_OPT_BYTES, offsetof(struct timely_params, segment_bytes), "0B", 0,
	  UINT64_C(1000) * 1000 * 1000, "bytes between two updates; 0B: what a round trip carries",
	  NULL },
	{ "window", WEIR_OPT_CHOICE, offsetof(struct timely_params, window), "none", 0, 0,
	  "limit of bytes in flight: none, line rate x round trip, or scaled with the rate",
	  timely_windows },
	RTT_OPTION(struct timely_params, rtt_ns),
	{ .name = NULL },
};

static int timely_check(const void *params, struct weir_error *e)
{
	const struct timely_params *p = params;

	if (p->low_ns > p->high_ns)
		return weir_error_set(e, "t-low must not be above t-high");
	return 0;
}

static void timely_set(struct timely_state *s, const struct timely_params *p,
		       const struct weir_cc_env *env, double rate_bps)
{
	s->rate_bps = pace_bound_bps(env, rate_bps);
	pace_rate(&s->pace, s->rate_bps);
	if (p->window == TIMELY_NONE)
		s->pace.window_bytes = WEIR_CC_NO_WINDOW;
	else if (p->window == TIMELY_BDP)
		pace_window(&s->pace, env, (double)env->bdp_bytes);
	else
		pace_window(&s->pace, env,
			    (double)env->bdp_bytes * s->rate_bps / (double)env->rate_bps);
}

static void timely_init(void *state, const void *params, const struct weir_cc_env *env)
{
	timely_set(state, params, env, (double)env->rate_bps);
}

/* The share by which the rate decreases; 0: the rate increases.
 *	beta (1 - T_high / rtt) above T_high;
 *	beta gradient from T_low up, where the gradient is positive.
 * A share above 1 is harmless: the lower bound of the rate applies. */
static double timely_decrease(const struct timely_params *p, double rtt_ns, double gradient)
{
	double beta = q32_to_double(p->beta_q32);

	if (rtt_ns < (double)p->low_ns)
		return 0;
	if (rtt_ns > (double)p->high_ns)
		return beta * (1 - (double)p->high_ns / rtt_ns);
	return beta * larger(gradient, 0);
}

/* Additive increase: delta, or N delta. */
static double timely_increase(const struct timely_state *s, const struct timely_params *p,
			      const struct weir_cc_env *env, double rtt_ns)
{
	double delta_bps =
		p->delta_bps ? (double)p->delta_bps : (double)env->rate_bps / TIMELY_DELTA_SHARE;

	if (p->hai == TIMELY_GRADIENT && rtt_ns < (double)p->low_ns)
		return delta_bps;
	if (s->increases < p->hai_after)
		return delta_bps;
	return p->hai_delta_bps ? (double)p->hai_delta_bps : TIMELY_HAI_FACTOR * delta_bps;
}

static void timely_update(struct timely_state *s, const struct timely_params *p,
			  const struct weir_cc_env *env, double rtt_ns)
{
	double alpha = q32_to_double(p->alpha_q32), gradient, decrease;

	s->rise_ns = (1 - alpha) * s->rise_ns + alpha * (rtt_ns - (double)s->last_rtt_ns);
	gradient = s->rise_ns / pace_rtt_ns(env, p->rtt_ns);
	decrease = timely_decrease(p, rtt_ns, gradient);
	if (decrease > 0)
		timely_set(s, p, env, s->rate_bps * (1 - decrease));
	else
		timely_set(s, p, env, s->rate_bps + timely_increase(s, p, env, rtt_ns));
	if (p->hai == TIMELY_GRADIENT ? gradient > 0 : decrease > 0)
		s->increases = 0;
	else
		s->increases++;
}

static void timely_ack(void *state, const void *params, const struct weir_cc_env *env,
		       const struct weir_cc_ack *a)
{
	struct timely_state *s = state;
	const struct timely_params *p = params;

	s->acked_bytes += a->acked_bytes;
	if (a->rtt_ns <= 0)
		return;
	if (p->segment_bytes ? s->acked_bytes < p->segment_bytes : a->una_bytes <= s->round_bytes)
		return;
	if (s->last_rtt_ns > 0)
		timely_update(s, p, env, (double)a->rtt_ns);
	s->last_rtt_ns = a->rtt_ns;
	s->round_bytes = a->next_bytes;
	s->acked_bytes = 0;
}

const struct weir_cc_ops weir_cc_timely = {
	.scheme = {
		.name = "timely",
		.help = "sets its rate by whether round-trip times rise or fall",
		.cite = "Mittal et al., TIMELY: RTT-based Congestion Control for the Datacenter, SIGCOMM "
			"2015",
		.params_size = sizeof(struct timely_params),
		.options = timely_options,
		.check = timely_check,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_NONE,
	.state_size = sizeof(struct timely_state),
	.init = timely_init,
	.ack = timely_ack,
};

_Static_assert(sizeof(struct timely_state) <= WEIR_CC_STATE_MAX, "a connection has room for it");
