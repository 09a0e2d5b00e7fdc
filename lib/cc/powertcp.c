/* SPDX-License-Identifier: BSD-3-Clause */
/* powertcp.c -- set the window by the product of a link's load and its backlog.
 *
 * Addanki, Michel and Schmid, "PowerTCP: Pushing the Performance Limits of Datacenter Networks",
 * NSDI 2022, Algorithm 1. From what switches write into two successive packets (as for hpcc) the
 * sender knows, for each link, the current, what arrives there (bytes sent plus the growth of the
 * queue), and the voltage, the queue plus rate x T, T being the base round trip. Their product,
 * power, is rate x all windows that share the link; over that of a full link without a queue it
 * says by which factor those windows are too large.
 *
 * Senders add beta each round trip: w = w eta / power + beta, and N of them settle at N w = eta
 * rate x T + N beta, with a queue of what is above rate x T.
 *
 * Window and rate: as in hpcc.c; the rate is window / T, of whole frames.
 *
 * Differs: by default the law is that of the authors' simulations, which made the paper's figures
 * (the ns3-datacenter repository), not that of the paper's text, in two places: they aim at eta =
 * 0.95 of a link (target=1 is the text), and what gamma leaves is of the old window (rest=window is
 * the text, where it is of the current one and so is gone after a few ACKs; windows then swing
 * more). Either way a few senders that begin at the same moment may go on to swing between too much
 * and too little. Theirs is also the additive increase, 150 Mb/s at 25 Gb/s; the text has line rate
 * x T / N for N flows at the sender's NIC. Smoothed power is 1 at first, as there. Lines 19 to 21
 * of the algorithm as printed overwrite the largest power so far; the text says that the largest is
 * meant. The variant without telemetry (theta-PowerTCP) is left out. */
#include "lib/cc/pace.h"
#include "lib/cc/telemetry.h"

enum powertcp_rest { REST_OLD, REST_WINDOW };

struct powertcp_params {
	uint64_t gamma_q32;
	uint64_t rest; /* enum powertcp_rest */
	uint64_t target_q32;
	uint64_t ai_bps; /* 0: by the line rate */
	uint64_t rtt_ns; /* 0: the network's */
};

struct powertcp_state {
	struct weir_cc_pace pace;
	struct telemetry last;
	double power; /* smoothed, 1: a full link without a queue */
	double window_bytes;
	double old_window_bytes; /* what it was when the data acknowledged now was sent */
	uint64_t round_bytes;    /* the round trip is over when more is acknowledged */
};

/* 150 Mb/s at 25 Gb/s. */
static const double powertcp_ai_share = 150. / 25000;

static const char *const powertcp_rests[] = { "old", "window", NULL };

static const struct weir_option powertcp_options[] = {
	{ "gamma", WEIR_OPT_FRACTION_Q32, offsetof(struct powertcp_params, gamma_q32), "0.9",
	  WEIR_ONE_Q32 >> 10, WEIR_ONE_Q32, "weight of what an ACK asks for in the window", NULL },
	{ "rest", WEIR_OPT_CHOICE, offsetof(struct powertcp_params, rest), "old", 0, 0,
	  "what the rest of that weight is of: the window of a round trip ago, or the current one",
	  powertcp_rests },
	{ "target", WEIR_OPT_FRACTION_Q32, offsetof(struct powertcp_params, target_q32), "0.95",
	  WEIR_ONE_Q32 >> 4, WEIR_ONE_Q32, "share of a link that may be in use", NULL },
	{ "ai", WEIR_OPT_RATE_BPS, offsetof(struct powertcp_params, ai_bps), "0bps", 0,
	  PACE_RATE_MAX_BPS, "rate added in a round trip; 0bps: 0.6 % of the line rate", NULL },
	RTT_OPTION(struct powertcp_params, rtt_ns),
	{ .name = NULL },
};

static void powertcp_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct powertcp_state *s = state;
	const struct powertcp_params *p = params;
	double rtt_ns = pace_rtt_ns(env, p->rtt_ns);

	s->power = 1;
	s->window_bytes =
		pace_by_window(&s->pace, env, rtt_ns, bps_to_bytes((double)env->rate_bps, rtt_ns));
	s->old_window_bytes = s->window_bytes;
}

/* NormPower of one link. With b its rate, q its queue, mu what it sent and q' the growth of its
 * queue,
 *	current x voltage / (b^2 T) = (q' + mu) (q + b T) / (b^2 T) = (q' + mu) / b (1 + q / (b T)).
 */
static double powertcp_of_link(const struct telemetry_change *c, double rtt_ns)
{
	double arrived_bytes = c->sent_bytes + c->queue_bytes - c->queue_before_bytes;
	double current = arrived_bytes / (c->span_ns * c->bytes_per_ns);

	return current * (1 + c->queue_bytes / (c->bytes_per_ns * rtt_ns));
}

/* The largest of all links, smoothed: (power (T - dt) + new dt) / T, dt = min(its time, T). Returns
 * 0 where no link can be compared or nothing arrived at any: a queue that drains while all senders
 * wait for it has no power, but that is not room for more. */
static int powertcp_measure(struct powertcp_state *s, const struct weir_cc_ack *a, double rtt_ns)
{
	struct telemetry_change c;
	double largest = 0, span_ns = 0;

	for (uint32_t i = 0; i < a->hop_count; i++) {
		double power;

		if (!telemetry_changed(&s->last, a, i, &c))
			continue;
		power = powertcp_of_link(&c, rtt_ns);
		if (power > largest) {
			largest = power;
			span_ns = c.span_ns;
		}
	}
	telemetry_keep(&s->last, a);
	if (span_ns <= 0)
		return 0;
	span_ns = smaller(span_ns, rtt_ns);
	s->power = (s->power * (rtt_ns - span_ns) + largest * span_ns) / rtt_ns;
	return 1;
}

/* UpdateWindow: gamma (old eta / power + beta) + (1 - gamma) old, or (1 - gamma) window. Power is
 * positive: only such is smoothed. */
static double powertcp_window(const struct powertcp_state *s, const struct powertcp_params *p,
			      double ai_bytes)
{
	double gamma = q32_to_double(p->gamma_q32);
	double rest_bytes = p->rest == REST_OLD ? s->old_window_bytes : s->window_bytes;
	double asked_bytes = s->old_window_bytes * q32_to_double(p->target_q32) / s->power;

	return gamma * (asked_bytes + ai_bytes) + (1 - gamma) * rest_bytes;
}

static void powertcp_ack(void *state, const void *params, const struct weir_cc_env *env,
			 const struct weir_cc_ack *a)
{
	struct powertcp_state *s = state;
	const struct powertcp_params *p = params;
	double rtt_ns = pace_rtt_ns(env, p->rtt_ns);
	double ai_bps = p->ai_bps ? (double)p->ai_bps : (double)env->rate_bps * powertcp_ai_share;

	if (powertcp_measure(s, a, rtt_ns))
		s->window_bytes = pace_by_window(
			&s->pace, env, rtt_ns, powertcp_window(s, p, bps_to_bytes(ai_bps, rtt_ns)));
	if (a->una_bytes > s->round_bytes) {
		s->old_window_bytes = s->window_bytes;
		s->round_bytes = a->next_bytes;
	}
}

const struct weir_cc_ops weir_cc_powertcp = {
	.scheme = {
		.name = "powertcp",
		.help = "sets its window by the power of the fullest link: what arrives there times what "
			"is in flight",
		.cite = "Addanki, Michel and Schmid, PowerTCP, NSDI 2022",
		.params_size = sizeof(struct powertcp_params),
		.options = powertcp_options,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_NONE,
	.needs = WEIR_CC_NEEDS_INT,
	.state_size = sizeof(struct powertcp_state),
	.init = powertcp_init,
	.ack = powertcp_ack,
};

_Static_assert(sizeof(struct powertcp_state) <= WEIR_CC_STATE_MAX, "a connection has room for it");
