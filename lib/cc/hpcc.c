/* SPDX-License-Identifier: BSD-3-Clause */
/* hpcc.c -- set the window by how much is in flight on the fullest link of the path.
 *
 * Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019, Algorithm 1. Switches write
 * queue, bytes sent, time and rate into each data packet. From two successive ACKs the sender
 * knows, for each link, what is in flight there as a share U of rate x T, T being the base round
 * trip, and steers the fullest link to U = eta. It reacts to every ACK, but against a reference
 * window that changes once a round trip, so that it does not react to the same bytes twice.
 *
 * Window and rate: the rate is W / T, of whole frames, and W is bounded so that the rate is. As in
 * the authors' simulator the same W bounds the payload in flight, so that headers give the window a
 * little slack, and it is the rate that binds while the round trip is T.
 *
 * window=none is what the window is there for: the rate alone, as if nothing but the switches'
 * reports held a sender back.
 *
 * Differs: the paper throws away what it knows of all links when the path changes; here a hop whose
 * link is the same stays known, and U goes on. The paper does not say what U is at first: 1, as in
 * the authors' simulator, because a sender begins at line rate. The first ACK only shows where the
 * counters are. */
#include "lib/cc/pace.h"
#include "lib/cc/telemetry.h"

struct hpcc_params {
	uint64_t eta_q32;
	uint64_t max_stage;
	uint64_t ai_bps; /* 0: by the line rate */
	uint64_t react;  /* index into react_names */
	uint64_t window; /* index into window_names */
	uint64_t rtt_ns; /* 0: the network's */
};

struct hpcc_state {
	struct weir_cc_pace pace;
	struct telemetry last;
	uint32_t stage; /* additive steps since the last multiplicative one */
	double load;    /* U, smoothed: bytes in flight on the most loaded link over rate x T */
	double reference_bytes; /* Wc: reference window of this round trip */
	uint64_t round_bytes;   /* lastUpdateSeq: the round trip ends when more is acknowledged */
};

/* 10 Mb/s at 25 Gb/s, as in the authors' simulations: the paper's rule of line rate x (1 - eta) / N
 * for N = 125 senders. */
enum { HPCC_AI_SHARE = 2500 };

enum hpcc_reacts { HPCC_TO_ACK, HPCC_TO_ROUND };
enum hpcc_windows { HPCC_SCALED, HPCC_NONE };

static const char *const react_names[] = { "ack", "round", NULL };
static const char *const window_names[] = { "scaled", "none", NULL };

static const struct weir_option hpcc_options[] = {
	{ "eta", WEIR_OPT_FRACTION_Q32, offsetof(struct hpcc_params, eta_q32), "0.95",
	  WEIR_ONE_Q32 >> 4, WEIR_ONE_Q32, "share of a link that may be in use", NULL },
	{ "max-stage", WEIR_OPT_COUNT, offsetof(struct hpcc_params, max_stage), "5", 0, 1000,
	  "additive steps before the window may grow by a factor; 0: it always may", NULL },
	{ "ai", WEIR_OPT_RATE_BPS, offsetof(struct hpcc_params, ai_bps), "0bps", 0,
	  PACE_RATE_MAX_BPS, "rate added in a round trip; 0bps: 1/2500 of the line rate", NULL },
	{ "react", WEIR_OPT_CHOICE, offsetof(struct hpcc_params, react), "ack", 0, 0,
	  "to every ACK, or to one a round trip, which then speaks of all of it (FAST_REACT = 0 in "
	  "the authors' simulator)",
	  react_names },
	{ "window", WEIR_OPT_CHOICE, offsetof(struct hpcc_params, window), "scaled", 0, 0,
	  "payload in flight is bounded by rate x base round trip (scaled), or by nothing (none)",
	  window_names },
	RTT_OPTION(struct hpcc_params, rtt_ns),
	{ .name = NULL },
};

static double hpcc_pace(struct hpcc_state *s, const struct hpcc_params *p,
			const struct weir_cc_env *env, double window_bytes)
{
	window_bytes = pace_by_window(&s->pace, env, pace_rtt_ns(env, p->rtt_ns), window_bytes);
	if (p->window == HPCC_NONE)
		s->pace.window_bytes = WEIR_CC_NO_WINDOW;
	return window_bytes;
}

static void hpcc_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct hpcc_state *s = state;
	const struct hpcc_params *p = params;
	double rtt_ns = pace_rtt_ns(env, p->rtt_ns);

	s->load = 1;
	s->reference_bytes = hpcc_pace(s, p, env, bps_to_bytes((double)env->rate_bps, rtt_ns));
}

/* MeasureInflight. With B the rate of a link and L what it said before,
 *	u = min(qlen, L.qlen) / (B T) + txRate / B,
 *	txRate = (txBytes - L.txBytes) / (ts - L.ts),
 * of the link where it is largest; then U = (1 - tau / T) U + tau / T u, tau = min(ts - L.ts, T).
 * The lesser of two queues, because a queue that comes and goes is noise. Returns 0 where no link
 * can be compared or none sent anything. */
static int hpcc_measure(struct hpcc_state *s, const struct weir_cc_ack *a, double rtt_ns)
{
	struct telemetry_change c;
	double largest = 0, span_ns = 0;

	for (uint32_t i = 0; i < a->hop_count; i++) {
		double share;

		if (!telemetry_changed(&s->last, a, i, &c))
			continue;
		share = (smaller(c.queue_before_bytes, c.queue_bytes) / rtt_ns +
			 c.sent_bytes / c.span_ns) /
			c.bytes_per_ns;
		if (share > largest) {
			largest = share;
			span_ns = c.span_ns;
		}
	}
	telemetry_keep(&s->last, a);
	if (span_ns <= 0)
		return 0;
	span_ns = smaller(span_ns, rtt_ns) / rtt_ns;
	s->load = (1 - span_ns) * s->load + span_ns * largest;
	return 1;
}

/* 1: multiplicative step: too much is in flight, or maxStage additive steps were made. */
static int hpcc_is_factor(const struct hpcc_state *s, const struct hpcc_params *p)
{
	return s->load >= q32_to_double(p->eta_q32) || s->stage >= p->max_stage;
}

/* ComputeWind: Wc / (U / eta) + W_AI, or Wc + W_AI while U < eta and fewer than maxStage such steps
 * were made. U is positive: only such is smoothed. */
static double hpcc_window(const struct hpcc_state *s, const struct hpcc_params *p, double ai_bytes)
{
	double window_bytes = s->reference_bytes;

	if (hpcc_is_factor(s, p))
		window_bytes /= s->load / q32_to_double(p->eta_q32);
	return window_bytes + ai_bytes;
}

static void hpcc_begin_round(struct hpcc_state *s, const struct hpcc_params *p, double window_bytes)
{
	s->stage = hpcc_is_factor(s, p) ? 0 : s->stage + 1;
	s->reference_bytes = window_bytes;
}

static void hpcc_ack(void *state, const void *params, const struct weir_cc_env *env,
		     const struct weir_cc_ack *a)
{
	struct hpcc_state *s = state;
	const struct hpcc_params *p = params;
	double rtt_ns = pace_rtt_ns(env, p->rtt_ns), window_bytes;
	double ai_bps = p->ai_bps ? (double)p->ai_bps : (double)env->rate_bps / HPCC_AI_SHARE;

	if (p->react == HPCC_TO_ROUND && s->round_bytes && a->una_bytes <= s->round_bytes)
		return;
	if (!hpcc_measure(s, a, rtt_ns)) {
		if (s->round_bytes == 0)
			s->round_bytes = a->next_bytes;
		return;
	}
	window_bytes = hpcc_pace(s, p, env, hpcc_window(s, p, bps_to_bytes(ai_bps, rtt_ns)));
	if (a->una_bytes > s->round_bytes) {
		hpcc_begin_round(s, p, window_bytes);
		s->round_bytes = a->next_bytes;
	}
}

const struct weir_cc_ops weir_cc_hpcc = {
	.scheme = {
		.name = "hpcc",
		.help = "sets its window by the bytes in flight on the fullest link, as switches report "
			"them",
		.cite = "Li et al., HPCC: High Precision Congestion Control, SIGCOMM 2019",
		.params_size = sizeof(struct hpcc_params),
		.options = hpcc_options,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_NONE,
	.needs = WEIR_CC_NEEDS_INT,
	.state_size = sizeof(struct hpcc_state),
	.init = hpcc_init,
	.ack = hpcc_ack,
};

_Static_assert(sizeof(struct hpcc_state) <= WEIR_CC_STATE_MAX, "a connection has room for it");
