/* SPDX-License-Identifier: BSD-3-Clause */
/* swift.c -- hold the delay at a target by adding to the window or cutting it.
 *
 * Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter",
 * SIGCOMM 2020, Algorithm 1 and section 3.5. Below the target the window grows by ai packets a
 * round trip; above it, at most once a round trip, it is cut by how far the delay is above. The
 * target is larger for longer paths and for smaller windows, because many flows collide more and a
 * small window means many flows.
 *
 * Windows are packets here, as in the paper, and may be less than one: then packets leave one by
 * one, a round trip / window apart. From one packet up nothing but the window holds them back: the
 * rate is the line rate. Window bytes are of payload, the rate is of whole frames.
 *
 * The paper names its constants but gives few: 25 us for the base target (5.1, 5.2), 0.001 packets
 * for the smallest window (3.4). The others are those of the csg-htsim simulator: ai 1, beta 0.8,
 * largest cut 0.5, flow scaling of 100 us between windows of 0.1 and 100 packets, 3 us a hop, reset
 * at the fifth timeout.
 *
 * Differs: the delay is all of the round trip. The paper splits off what hosts add and has a second
 * window for it; a simulated host adds nothing. Hops are those of the longest path in the network.
 * Where the window stays as it was, the paper counts that as a decrease: ACKs above the target
 * would put off the next cut as long as they come. Here only a cut is one. The largest window,
 * which the paper leaves open, is what the line carries in the time of the base target: a larger
 * one would be above target as soon as it is used. */
#include "lib/cc/pace.h"
#include <math.h>

struct swift_params {
	uint64_t target_ns;
	uint64_t hop_ns;
	uint64_t flow_range_ns;
	uint64_t flow_min_q32, flow_max_q32; /* packets */
	uint64_t ai_q32;                     /* packets */
	uint64_t beta_q32;
	uint64_t max_cut_q32;
	uint64_t min_window_q32; /* packets */
	uint64_t reset_after;
};

struct swift_state {
	struct weir_cc_pace pace;
	double window_pkts;
	double scale_ns; /* alpha of flow scaling; its beta is -alpha / sqrt(flow_max) */
	int64_t last_decrease_ns;
	int64_t rtt_ns;    /* the last one */
	uint64_t timeouts; /* since the last ACK */
};

static const struct weir_option swift_options[] = {
	{ "target", WEIR_OPT_TIME_NS, offsetof(struct swift_params, target_ns), "25us",
	  WEIR_NS_PER_US, 100 * WEIR_NS_PER_MS,
	  "delay to hold, without what hops and flows add to it", NULL },
	{ "per-hop", WEIR_OPT_TIME_NS, offsetof(struct swift_params, hop_ns), "3us", 0,
	  WEIR_NS_PER_MS, "what each switch on the way adds to the target", NULL },
	{ "flow-range", WEIR_OPT_TIME_NS, offsetof(struct swift_params, flow_range_ns), "100us", 0,
	  100 * WEIR_NS_PER_MS, "most that small windows add to the target", NULL },
	{ "flow-min", WEIR_OPT_FRACTION_Q32, offsetof(struct swift_params, flow_min_q32), "0.1",
	  WEIR_ONE_Q32 >> 10, WEIR_ONE_Q32, "window in packets at which they add that much", NULL },
	{ "flow-max", WEIR_OPT_FRACTION_Q32, offsetof(struct swift_params, flow_max_q32), "100",
	  2 * WEIR_ONE_Q32, 100000 * WEIR_ONE_Q32,
	  "window in packets from which on they add nothing", NULL },
	{ "ai", WEIR_OPT_FRACTION_Q32, offsetof(struct swift_params, ai_q32), "1",
	  WEIR_ONE_Q32 >> 10, 1000 * WEIR_ONE_Q32,
	  "packets that the window grows by in a round trip", NULL },
	{ "beta", WEIR_OPT_FRACTION_Q32, offsetof(struct swift_params, beta_q32), "0.8",
	  WEIR_ONE_Q32 >> 10, WEIR_ONE_Q32, "how much of the excess delay a cut takes away", NULL },
	{ "max-cut", WEIR_OPT_FRACTION_Q32, offsetof(struct swift_params, max_cut_q32), "0.5",
	  WEIR_ONE_Q32 >> 10, WEIR_ONE_Q32 - (WEIR_ONE_Q32 >> 10),
	  "largest share of the window that a cut takes", NULL },
	{ "min-window", WEIR_OPT_FRACTION_Q32, offsetof(struct swift_params, min_window_q32),
	  "0.001", WEIR_ONE_Q32 >> 20, WEIR_ONE_Q32, "smallest window, in packets", NULL },
	{ "reset-after", WEIR_OPT_COUNT, offsetof(struct swift_params, reset_after), "5", 1, 1000,
	  "timeouts in a row that make the window the smallest", NULL },
	{ .name = NULL },
};

/* t = base_target + hops h + max(0, min(alpha / sqrt(window) + beta, fs_range)). */
static double swift_target_ns(const struct swift_state *s, const struct swift_params *p,
			      const struct weir_cc_env *env)
{
	double by_flows_ns = s->scale_ns / sqrt(s->window_pkts) -
			     s->scale_ns / sqrt(q32_to_double(p->flow_max_q32));

	return (double)(p->target_ns + env->hops * p->hop_ns) +
	       larger(0, smaller(by_flows_ns, (double)p->flow_range_ns));
}

static double swift_line_pkts(const struct weir_cc_env *env, double ns)
{
	return bps_to_bytes((double)env->rate_bps, ns) / (env->mss_bytes + env->header_bytes);
}

static double swift_largest_pkts(const struct swift_params *p, const struct weir_cc_env *env)
{
	double base_ns = (double)(p->target_ns + env->hops * p->hop_ns);

	return larger(swift_line_pkts(env, larger(base_ns, (double)env->base_rtt_ns)), 1);
}

/* Applies bounds and pacing, the end of the algorithm. */
static void swift_set(struct swift_state *s, const struct swift_params *p,
		      const struct weir_cc_env *env, double window_pkts)
{
	double frame_bytes = env->mss_bytes + env->header_bytes;
	double rate_bps = (double)env->rate_bps;

	window_pkts = larger(window_pkts, q32_to_double(p->min_window_q32));
	s->window_pkts = smaller(window_pkts, swift_largest_pkts(p, env));
	if (s->window_pkts < 1)
		rate_bps = bytes_to_bps(s->window_pkts * frame_bytes, (double)s->rtt_ns);
	pace_rate(&s->pace, pace_bound_bps(env, rate_bps));
	pace_window(&s->pace, env, s->window_pkts * env->mss_bytes);
}

/* alpha = fs_range / (1 / sqrt(fs_min) - 1 / sqrt(fs_max)); fs_min <= 1 < fs_max by their
 * ranges. */
static void swift_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct swift_state *s = state;
	const struct swift_params *p = params;

	s->scale_ns = (double)p->flow_range_ns / (1 / sqrt(q32_to_double(p->flow_min_q32)) -
						  1 / sqrt(q32_to_double(p->flow_max_q32)));
	s->last_decrease_ns = INT64_MIN / 2;
	s->rtt_ns = env->base_rtt_ns;
	swift_set(s, p, env, swift_line_pkts(env, (double)env->base_rtt_ns));
}

static void swift_grow(struct swift_state *s, const struct swift_params *p,
		       const struct weir_cc_env *env, uint64_t acked_bytes)
{
	double step_pkts = q32_to_double(p->ai_q32) * (double)acked_bytes / env->mss_bytes;

	if (s->window_pkts >= 1)
		step_pkts /= s->window_pkts;
	swift_set(s, p, env, s->window_pkts + step_pkts);
}

/* At most once a round trip. */
static void swift_cut(struct swift_state *s, const struct swift_params *p,
		      const struct weir_cc_env *env, double share, int64_t now_ns)
{
	if (now_ns - s->last_decrease_ns < s->rtt_ns)
		return;
	s->last_decrease_ns = now_ns;
	share = smaller(share, q32_to_double(p->max_cut_q32));
	swift_set(s, p, env, s->window_pkts * (1 - share));
}

static void swift_ack(void *state, const void *params, const struct weir_cc_env *env,
		      const struct weir_cc_ack *a)
{
	struct swift_state *s = state;
	const struct swift_params *p = params;
	double delay_ns = (double)a->rtt_ns, target_ns;

	s->timeouts = 0;
	if (a->rtt_ns <= 0)
		return;
	s->rtt_ns = a->rtt_ns;
	target_ns = swift_target_ns(s, p, env);
	if (delay_ns < target_ns)
		swift_grow(s, p, env, a->acked_bytes);
	else
		swift_cut(s, p, env, q32_to_double(p->beta_q32) * (delay_ns - target_ns) / delay_ns,
			  a->now_ns);
}

static void swift_congestion(void *state, const void *params, const struct weir_cc_env *env,
			     enum weir_cc_event event, const struct weir_cc_ack *a)
{
	struct swift_state *s = state;
	const struct swift_params *p = params;

	s->timeouts = event == WEIR_CC_TIMEOUT ? s->timeouts + 1 : 0;
	if (s->timeouts < p->reset_after) {
		swift_cut(s, p, env, 1, a->now_ns);
	} else {
		swift_set(s, p, env, 0);
		s->last_decrease_ns = a->now_ns;
	}
}

const struct weir_cc_ops weir_cc_swift = {
	.scheme = {
		.name = "swift",
		.help = "holds the delay at a target; windows below one packet are paced",
		.cite = "Kumar et al., Swift: Delay is Simple and Effective for Congestion Control in the "
			"Datacenter, SIGCOMM 2020",
		.params_size = sizeof(struct swift_params),
		.options = swift_options,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_NONE,
	.state_size = sizeof(struct swift_state),
	.init = swift_init,
	.ack = swift_ack,
	.congestion = swift_congestion,
};

_Static_assert(sizeof(struct swift_state) <= WEIR_CC_STATE_MAX, "a connection has room for it");
