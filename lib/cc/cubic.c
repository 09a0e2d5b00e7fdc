/* SPDX-License-Identifier: BSD-3-Clause */
/* cubic.c -- the window as a cubic function of the time since the last cut.
 *
 * RFC 9438, "CUBIC for Fast and Long-Distance Networks". In congestion avoidance, t after it began,
 *	W_cubic(t) = C (t - K)^3 + W_max,	K = cbrt((W_max - cwnd_epoch) / C)
 * (section 4.2) and never less than what Reno would have (4.3). Windows are in segments and times
 * in seconds here, as in the RFC; it is the one control in floating point. Slow start ends by
 * HyStart++ (4.10), where it is not switched off. With ecn, a mark is as good as a loss (4.6).
 *
 * Differs: t counts only while the window may grow, so that a recovery, or an application that has
 * nothing to send, does not make the curve run ahead (section 5.8 asks for the latter); from one
 * ACK to the next it moves by a round trip at most, as more than that is a pause. */
#include "lib/cc/reno.h"
#include "weir/units.h"
#include <math.h>

/* --- HyStart++ (RFC 9406): a slow start that ends before the queue is full ---
 *
 * A round is a window of data. When even the fastest round trip of a round, of at least eight
 * samples, is longer than that of the round before by an eighth (section 4.2), a queue is building
 * up. The window then grows at a quarter of the pace, in conservative slow start, and after five
 * such rounds slow start is over; if round trips have become shorter again by then it resumes. For
 * the first slow start of a connection only, as section 4.3 advises: once ssthresh is set,
 * hystart_ack is not called.
 *
 * Differs: the RFC's bounds of the rise, 4 ms and 16 ms, are made for the Internet; in a datacenter
 * a full buffer is less than 4 ms, so that slow start would never end so. Both are options, and the
 * first is a thousand times smaller by default, as round-trip times are. */

enum {
	HYSTART_SAMPLES = 8,      /* N_RTT_SAMPLE: samples of a round before its minimum counts */
	HYSTART_DIVISOR = 8,      /* MIN_RTT_DIVISOR */
	HYSTART_CSS_ROUNDS = 5,   /* CSS_ROUNDS; the one in which it begins is the first */
	HYSTART_CSS_DIVISOR = 4,  /* CSS_GROWTH_DIVISOR */
	HYSTART_ACK_SEGMENTS = 8, /* L: what one ACK may add at most, as TCP is not paced here */
};

struct hystart_params {
	uint64_t is_on;
	uint64_t min_rise_ns, max_rise_ns; /* MIN_RTT_THRESH, MAX_RTT_THRESH */
};

struct hystart {
	/* Shortest round trips, 0: none; of the round before, of this one, and of the one in which
	 * conservative slow start began, if it has. */
	int64_t last_min_ns, round_min_ns, baseline_ns;
	uint64_t round_end_bytes; /* the round ends when this byte is acknowledged; 0: none began */
	uint32_t samples;         /* of this round */
	uint32_t css_rounds;      /* of conservative slow start that are over */
};

/* Section 4.2: RttThresh = max(MIN_RTT_THRESH, min(lastRoundMinRTT / MIN_RTT_DIVISOR,
 * MAX_RTT_THRESH)). */
static int64_t hystart_rise_ns(const struct hystart *h, const struct hystart_params *p)
{
	int64_t rise = h->last_min_ns / HYSTART_DIVISOR;

	if (rise > (int64_t)p->max_rise_ns)
		rise = (int64_t)p->max_rise_ns;
	return rise > (int64_t)p->min_rise_ns ? rise : (int64_t)p->min_rise_ns;
}

/* After HYSTART_SAMPLES samples of a round: enters conservative slow start, or leaves it again. */
static void hystart_update_phase(struct hystart *h, const struct hystart_params *p)
{
	if (h->baseline_ns) {
		if (h->round_min_ns < h->baseline_ns)
			h->baseline_ns = 0;
	} else if (h->last_min_ns && h->round_min_ns >= h->last_min_ns + hystart_rise_ns(h, p)) {
		h->baseline_ns = h->round_min_ns;
		h->css_rounds = 0;
	}
}

static void hystart_end_round(struct hystart *h, uint64_t next_bytes)
{
	h->css_rounds += h->baseline_ns != 0;
	h->last_min_ns = h->round_min_ns;
	h->round_min_ns = 0;
	h->samples = 0;
	h->round_end_bytes = next_bytes;
}

/* An ACK in slow start. Returns by how many bytes a window that may grow grows. The first round is
 * what was sent before the first ACK. */
static uint64_t hystart_ack(struct hystart *h, const struct hystart_params *p,
			    const struct weir_cc_ack *a, uint32_t mss_bytes)
{
	uint64_t most_bytes = HYSTART_ACK_SEGMENTS * (uint64_t)mss_bytes;
	uint64_t bytes = a->acked_bytes < most_bytes ? a->acked_bytes : most_bytes;

	if (!h->round_end_bytes)
		h->round_end_bytes = a->next_bytes;
	if (a->rtt_ns > 0) {
		if (!h->round_min_ns || a->rtt_ns < h->round_min_ns)
			h->round_min_ns = a->rtt_ns;
		h->samples++;
	}
	if (h->samples >= HYSTART_SAMPLES)
		hystart_update_phase(h, p);
	if (h->baseline_ns)
		bytes /= HYSTART_CSS_DIVISOR;
	if (a->una_bytes >= h->round_end_bytes)
		hystart_end_round(h, a->next_bytes);
	return bytes;
}

/* 1: slow start is over; ssthresh should be the window. */
static int hystart_is_over(const struct hystart *h)
{
	return h->css_rounds == HYSTART_CSS_ROUNDS;
}

/* --- CUBIC --- */

struct cubic_params {
	uint64_t c_q32;
	uint64_t beta_q32;
	uint64_t fast_convergence;
	uint64_t ecn;
	uint64_t min_window; /* WEIR_OPT_LENGTH */
	struct hystart_params hystart;
};

struct cubic_state {
	struct weir_cc_window cc;
	double w_max;      /* window before the last cut, or a little less: fast convergence */
	double k_s;        /* K: when the curve is back at w_max */
	double w_est;      /* what Reno's window would be */
	double w_prior;    /* window before the last cut */
	double rest_bytes; /* growth that is less than a byte */
	int64_t t_ns;      /* of congestion avoidance, while the window could grow */
	int64_t last_ack_ns;
	int64_t rtt_ns;    /* smoothed as in RFC 6298 */
	uint32_t in_epoch; /* 1: congestion avoidance has begun since the last cut */
	uint32_t after_timeout;
	struct hystart hystart;
};

#define RISE_MAX_NS ((uint64_t)WEIR_NS_PER_S)

static const struct weir_option cubic_options[] = {
	{ "c", WEIR_OPT_FRACTION_Q32, offsetof(struct cubic_params, c_q32), "0.4",
	  WEIR_ONE_Q32 >> 16, 1000 * WEIR_ONE_Q32,
	  "how fast the curve rises, in segments per cubic second", NULL },
	{ "beta", WEIR_OPT_FRACTION_Q32, offsetof(struct cubic_params, beta_q32), "0.7",
	  WEIR_ONE_Q32 >> 3, WEIR_ONE_Q32 - (WEIR_ONE_Q32 >> 5), "what a cut leaves of the window",
	  NULL },
	{ "fast-convergence", WEIR_OPT_FLAG, offsetof(struct cubic_params, fast_convergence), "yes",
	  0, 1, "a flow whose windows shrink from cut to cut makes more room for others", NULL },
	{ "ecn", WEIR_OPT_FLAG, offsetof(struct cubic_params, ecn), "no", 0, 1,
	  "packets are ECN-capable and a mark cuts the window like a loss (RFC 3168)", NULL },
	MIN_WINDOW_OPTION(struct cubic_params, min_window, "2pkts"),
	{ "hystart", WEIR_OPT_FLAG, offsetof(struct cubic_params, hystart.is_on), "yes", 0, 1,
	  "the first slow start ends when round-trip times rise (HyStart++, RFC 9406)", NULL },
	{ "hystart-min-rise", WEIR_OPT_TIME_NS, offsetof(struct cubic_params, hystart.min_rise_ns),
	  "4us", 0, RISE_MAX_NS,
	  "a rise of round-trip times by an eighth counts if it is no less (RFC 9406: 4 ms, longer "
	  "than a datacenter's queues)",
	  NULL },
	{ "hystart-max-rise", WEIR_OPT_TIME_NS, offsetof(struct cubic_params, hystart.max_rise_ns),
	  "16ms", 0, RISE_MAX_NS, "a rise of round-trip times by so much counts in any case",
	  NULL },
	{ .name = NULL },
};

static enum weir_cc_echo cubic_echo(const void *params)
{
	const struct cubic_params *p = params;

	return p->ecn ? WEIR_CC_ECHO_CLASSIC : WEIR_CC_ECHO_NONE;
}

static double q32_to_double(uint64_t value_q32)
{
	return (double)value_q32 / (double)WEIR_ONE_Q32;
}

static double ns_to_s(int64_t ns)
{
	return (double)ns / WEIR_NS_PER_S;
}

static int64_t shorter_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static double window_in_segments(const struct cubic_state *s, const struct weir_cc_env *env)
{
	return (double)s->cc.window_bytes / env->mss_bytes;
}

static void cubic_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct cubic_state *s = state;

	(void)params;
	s->cc.window_bytes = env->initial_window_bytes;
	s->cc.ssthresh_bytes = WEIR_CC_SSTHRESH_START;
}

/* Section 4.2; after a timeout, or where no loss ended slow start, the curve starts at its middle
 * (4.8, 4.10). */
static void cubic_begin_epoch(struct cubic_state *s, double c, double cwnd)
{
	s->in_epoch = 1;
	s->t_ns = 0;
	s->w_est = cwnd;
	s->rest_bytes = 0;
	if (s->after_timeout || s->w_max < cwnd)
		s->w_max = cwnd;
	s->after_timeout = 0;
	s->k_s = cbrt((s->w_max - cwnd) / c);
}

static double cubic_curve(const struct cubic_state *s, double c, double t_s)
{
	double from_k = t_s - s->k_s;

	return c * from_k * from_k * from_k + s->w_max;
}

/* Section 4.3: Reno's average window, reached with cuts of beta, until it is back where it was. */
static void cubic_follow_reno(struct cubic_state *s, double beta, double acked, double cwnd)
{
	double alpha = s->w_est < s->w_prior ? 3 * (1 - beta) / (1 + beta) : 1;

	s->w_est += alpha * acked / cwnd;
}

/* The window after an ACK of `acked` segments, in segments. */
static double cubic_window(struct cubic_state *s, const struct cubic_params *p, double acked,
			   double cwnd)
{
	double c = q32_to_double(p->c_q32), target;

	cubic_follow_reno(s, q32_to_double(p->beta_q32), acked, cwnd);
	if (cubic_curve(s, c, ns_to_s(s->t_ns)) < s->w_est)
		return fmax(s->w_est, cwnd);
	target = cubic_curve(s, c, ns_to_s(s->t_ns + s->rtt_ns));
	target = fmin(fmax(target, cwnd), 1.5 * cwnd);
	return cwnd + (target - cwnd) / cwnd * acked;
}

static void cubic_avoid(struct cubic_state *s, const struct cubic_params *p,
			const struct weir_cc_env *env, uint64_t acked_bytes)
{
	double cwnd = window_in_segments(s, env), grown_bytes;

	if (!s->in_epoch)
		cubic_begin_epoch(s, q32_to_double(p->c_q32), cwnd);
	grown_bytes = (cubic_window(s, p, (double)acked_bytes / env->mss_bytes, cwnd) - cwnd) *
			      env->mss_bytes +
		      s->rest_bytes;
	s->cc.window_bytes += (uint64_t)grown_bytes;
	s->rest_bytes = grown_bytes - floor(grown_bytes);
}

/* Returns the acknowledged bytes left over for congestion avoidance. */
static uint64_t cubic_slow_start(struct cubic_state *s, const struct cubic_params *p,
				 const struct weir_cc_env *env, const struct weir_cc_ack *a)
{
	uint64_t bytes;

	if (!p->hystart.is_on || s->cc.ssthresh_bytes != WEIR_CC_SSTHRESH_START)
		return a->may_grow ? slow_start_grow(&s->cc, a->acked_bytes) : 0;
	bytes = hystart_ack(&s->hystart, &p->hystart, a, env->mss_bytes);
	if (a->may_grow)
		s->cc.window_bytes += bytes;
	if (hystart_is_over(&s->hystart))
		s->cc.ssthresh_bytes = s->cc.window_bytes;
	return 0;
}

static void cubic_ack(void *state, const void *params, const struct weir_cc_env *env,
		      const struct weir_cc_ack *a)
{
	struct cubic_state *s = state;
	uint64_t left = cubic_slow_start(s, params, env, a);

	if (a->rtt_ns > 0)
		s->rtt_ns = s->rtt_ns ? s->rtt_ns + (a->rtt_ns - s->rtt_ns) / 8 : a->rtt_ns;
	if (a->may_grow)
		s->t_ns += shorter_ns(a->now_ns - s->last_ack_ns, s->rtt_ns);
	if (left > 0)
		cubic_avoid(s, params, env, left);
	s->last_ack_ns = a->now_ns;
}

/* Sections 4.6 to 4.8. Marks cut like losses; the gentler cut of RFC 8511 is not here. */
static void cubic_congestion(void *state, const void *params, const struct weir_cc_env *env,
			     enum weir_cc_event event, const struct weir_cc_ack *a)
{
	struct cubic_state *s = state;
	const struct cubic_params *p = params;
	double cwnd = window_in_segments(s, env), beta = q32_to_double(p->beta_q32);
	uint64_t floor_bytes = event == WEIR_CC_ECN
				       ? segments_to_bytes(p->min_window, env->mss_bytes)
				       : 2 * (uint64_t)env->mss_bytes;

	if (event != WEIR_CC_TIMEOUT || !a->timed_out_again) {
		s->w_prior = cwnd;
		s->w_max = p->fast_convergence && cwnd < s->w_max ? cwnd * (1 + beta) / 2 : cwnd;
		s->cc.ssthresh_bytes = larger_bytes(
			(uint64_t)((double)s->cc.window_bytes * beta + 0.5), floor_bytes);
	}
	s->cc.window_bytes =
		smaller_bytes(s->cc.window_bytes,
			      event == WEIR_CC_TIMEOUT ? env->mss_bytes : s->cc.ssthresh_bytes);
	s->after_timeout = event == WEIR_CC_TIMEOUT;
	s->in_epoch = 0;
}

/* A new curve from where the window is now to where it was at the last cut. */
static void cubic_restart(void *state, const void *params, const struct weir_cc_env *env)
{
	struct cubic_state *s = state;

	(void)params;
	(void)env;
	s->in_epoch = 0;
}

const struct weir_cc_ops weir_cc_cubic = {
	.scheme = {
		.name = "cubic",
		.help = "grows its window as a cubic function of time since the last loss; deaf to marks "
			"unless ecn=yes",
		.cite = "RFC 9438, CUBIC for Fast and Long-Distance Networks; RFC 9406; RFC 3168",
		.params_size = sizeof(struct cubic_params),
		.options = cubic_options,
	},
	.echo_of = cubic_echo,
	.state_size = sizeof(struct cubic_state),
	.init = cubic_init,
	.ack = cubic_ack,
	.congestion = cubic_congestion,
	.restart = cubic_restart,
};

_Static_assert(sizeof(struct cubic_state) <= WEIR_CC_STATE_MAX, "a connection has room for it");
