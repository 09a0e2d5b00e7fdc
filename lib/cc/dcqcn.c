/* SPDX-License-Identifier: BSD-3-Clause */
/* dcqcn.c -- a rate that notification packets cut and that timer and bytes bring back.
 *
 * Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, section 5: the
 * reaction point. A cut makes the rate the target and takes half of alpha off the rate,
 *	R_T = R_C,	R_C = R_C (1 - alpha / 2),	alpha = (1 - g) alpha + g	(1)
 * and alpha falls to (1 - g) alpha for each alpha-timer without a notification (2). After a cut,
 * each increase-timer and each byte-counter of data ends a round. With T and BC rounds already
 * over,
 *	max(T, BC) < F:	fast recovery		R_C = (R_T + R_C) / 2		(3)
 *	min(T, BC) > F:	hyper increase		R_T = R_T + R_HAI, then (3)
 *	else:		additive increase	R_T = R_T + R_AI, then (3)	(4)
 * NICs, and the simulations of Li et al., "HPCC", SIGCOMM 2019, do it with clocks that run
 * freely from the first notification on (react=polled). Each alpha-timer alpha becomes (1 - g)
 * alpha + g [a notification came], each decrease-interval the rate is cut if one came; there is no
 * byte counter, and the target stays if no round has ended since the last cut (clamp-target=no).
 *
 * The default is the study's: the first cuts of the paper's parameters halve a flow that starts at
 * line rate, and 40 Mb/s of 40 Gb/s in 55 us bring it back slowly. Two long flows have 27 to 32 %
 * of a link in their first 10 ms at any rate from 10 to 400 Gb/s, 93 to 94 % with the study's,
 * whose queues are longer.
 *
 * No clock ticks here that changes nothing. Alpha is brought up to date when it is needed: k
 * periods without a notification are one power. A queue pair at line rate asks for no call at all.
 *
 * Differs: the paper leaves the rate of cuts to the receiver, which sends a notification per 50 us
 * at most. Here the sender sees to decrease-interval, too: a notification that comes early is kept
 * and cuts when the interval is over. Hyper increase, which the paper takes from QCN, adds the same
 * step each round, as NICs do. */
#include "weir/compiler.h"
#include "weir/cc.h"
#include "weir/units.h"

enum { PAPER, HPCC };
enum { REACT_PRESET, REACT_AT_ONCE, REACT_POLLED };
enum { CLAMP_PRESET, CLAMP_NO, CLAMP_YES };
enum { WINDOW_NONE, WINDOW_BDP, WINDOW_SCALED };

struct dcqcn_params {
	uint64_t preset;
	uint64_t react;
	uint64_t alpha_timer_ns, decrease_interval_ns, increase_timer_ns;
	uint64_t byte_counter_bytes; /* UINT64_MAX: none */
	uint64_t fast_recovery_rounds;
	uint64_t g_q32;
	uint64_t additive_bps, hyper_bps;
	uint64_t clamp_target;
	uint64_t window;
};

/* Defaults of a preset, for options that are not given. Steps are shares of the line rate. */
struct preset {
	uint64_t react, alpha_timer_ns, decrease_interval_ns, increase_timer_ns;
	uint64_t byte_counter_bytes, fast_recovery_rounds, g_q32;
	uint64_t additive_share, hyper_share;
	uint64_t clamp_target;
};

#define US (UINT64_C(1) * WEIR_NS_PER_US)

static const struct preset presets[] = {
	/* 40 Mb/s and 200 Mb/s at 40 Gb/s */
	[PAPER] = { REACT_AT_ONCE, 55 * US, 50 * US, 55 * US, 10 * 1000 * 1000, 5,
		    WEIR_ONE_Q32 / 256, 1000, 200, CLAMP_YES },
	/* 5 Mb/s and 50 Mb/s at 25 Gb/s */
	[HPCC] = { REACT_POLLED, 1 * US, 4 * US, 300 * US, UINT64_MAX, 1, WEIR_ONE_Q32 / 256, 5000,
		   500, CLAMP_NO },
};

struct dcqcn_state {
	struct weir_cc_pace pace;
	uint64_t target_bps;    /* rate <= target <= line rate */
	uint64_t counted_bytes; /* since the last round by bytes, or cut */
	uint64_t alpha_q32;     /* as it was at alpha_ns */
	int64_t alpha_ns;       /* a period of the alpha timer begins */
	int64_t clock_ns;    /* at-once: the last cut; polled: looks are whole intervals after it */
	int64_t cut_ns;      /* a kept notification cuts then; 0: none is kept */
	int64_t increase_ns; /* end of the round by time; 0: nothing is left to increase */
	uint32_t timer_rounds, byte_rounds; /* over since the last cut */
	uint32_t notified;                  /* 1: a first notification came */
	uint32_t alpha_notified; /* polled: 1: a notification in this period of the alpha timer */
};

static const char *const preset_names[] = { "paper", "hpcc", NULL };
static const char *const react_names[] = { "preset", "at-once", "polled", NULL };
static const char *const clamp_names[] = { "preset", "no", "yes", NULL };
static const char *const window_names[] = { "none", "bdp", "scaled", NULL };

#define AT(member) offsetof(struct dcqcn_params, member)
#define STEP_MAX_BPS (UINT64_C(1000) * 1000 * 1000 * 1000)

static const struct weir_option dcqcn_options[] = {
	{ "preset", WEIR_OPT_CHOICE, AT(preset), "hpcc", 0, 0,
	  "parameters of the HPCC study, which a NIC vendor recommended, or of the DCQCN paper, "
	  "with "
	  "which two flows use a third of a link; an option that is given goes before",
	  preset_names },
	{ "react", WEIR_OPT_CHOICE, AT(react), "preset", 0, 0,
	  "to a notification, or by clocks that look whether one came", react_names },
	{ "alpha-timer", WEIR_OPT_TIME_NS, AT(alpha_timer_ns), "0us", 0, WEIR_NS_PER_S,
	  "alpha falls once per this time without notification; 0us: 55us in paper, 1us in hpcc",
	  NULL },
	{ "decrease-interval", WEIR_OPT_TIME_NS, AT(decrease_interval_ns), "0us", 0, WEIR_NS_PER_S,
	  "between two cuts at least; 0us: 50us in paper, 4us in hpcc", NULL },
	{ "increase-timer", WEIR_OPT_TIME_NS, AT(increase_timer_ns), "0us", 0, WEIR_NS_PER_S,
	  "length of a round by time; 0us: 55us in paper, 300us in hpcc", NULL },
	{ "byte-counter", WEIR_OPT_SIZE, AT(byte_counter_bytes), "0B", 0, UINT64_MAX,
	  "length of a round by bytes sent; unlimited: none; 0B: 10MB in paper, none in hpcc",
	  NULL },
	{ "fast-recovery", WEIR_OPT_COUNT, AT(fast_recovery_rounds), "0", 0, 1000,
	  "rounds before the target rises; 0: 5 in paper, 1 in hpcc", NULL },
	{ "g", WEIR_OPT_FRACTION_Q32, AT(g_q32), "0", 0, WEIR_ONE_Q32,
	  "weight of the newest notification in alpha; 0: 1/256 in both", NULL },
	{ "additive", WEIR_OPT_RATE_BPS, AT(additive_bps), "0bps", 0, STEP_MAX_BPS,
	  "step of additive increase; 0bps: line rate / 1000 in paper, / 5000 in hpcc", NULL },
	{ "hyper", WEIR_OPT_RATE_BPS, AT(hyper_bps), "0bps", 0, STEP_MAX_BPS,
	  "step of hyper increase; 0bps: line rate / 200 in paper, / 500 in hpcc", NULL },
	{ "clamp-target", WEIR_OPT_CHOICE, AT(clamp_target), "preset", 0, 0,
	  "a cut with no round since the last one lowers the target, too: yes in paper, no in hpcc",
	  clamp_names },
	{ "window", WEIR_OPT_CHOICE, AT(window), "none", 0, 0,
	  "limit of bytes in flight: none, one BDP, or the share of it that the rate is of the "
	  "line's",
	  window_names },
	{ .name = NULL },
};

static const struct preset *preset_of(const struct dcqcn_params *p)
{
	return &presets[p->preset];
}

static uint64_t given_or(uint64_t given, uint64_t otherwise)
{
	return given ? given : otherwise;
}

static int64_t period(uint64_t given_ns, uint64_t otherwise_ns)
{
	return (int64_t)given_or(given_ns, otherwise_ns);
}

static uint64_t weight_q32(const struct dcqcn_params *p)
{
	return given_or(p->g_q32, preset_of(p)->g_q32);
}

static int64_t decrease_interval(const struct dcqcn_params *p)
{
	return period(p->decrease_interval_ns, preset_of(p)->decrease_interval_ns);
}

static int64_t increase_timer(const struct dcqcn_params *p)
{
	return period(p->increase_timer_ns, preset_of(p)->increase_timer_ns);
}

static int is_polled(const struct dcqcn_params *p)
{
	return given_or(p->react, preset_of(p)->react) == REACT_POLLED;
}

/* Shorter times and counts only oscillate; a smaller g vanishes in alpha's 32 bits. */
#define TIMER_MIN_NS 100
#define COUNTER_MIN_BYTES 10000
#define G_MIN_Q32 (WEIR_ONE_Q32 >> 16)

static int dcqcn_check(const void *params, struct weir_error *e)
{
	static const char *const timers[] = { "alpha-timer", "decrease-interval",
					      "increase-timer" };
	const struct dcqcn_params *p = params;
	const uint64_t times_ns[] = { p->alpha_timer_ns, p->decrease_interval_ns,
				      p->increase_timer_ns };

	for (size_t i = 0; i < sizeof(timers) / sizeof(timers[0]); i++)
		if (times_ns[i] && times_ns[i] < TIMER_MIN_NS)
			return weir_error_set(e, "%s must be 100ns or more, or 0us: as the preset",
					      timers[i]);
	if (p->byte_counter_bytes && p->byte_counter_bytes < COUNTER_MIN_BYTES)
		return weir_error_set(e, "byte-counter must be 10KB or more, or 0B: as the preset");
	if (p->g_q32 && p->g_q32 < G_MIN_Q32)
		return weir_error_set(e, "g must be 1/65536 or more, or 0: as the preset");
	return 0;
}

/* (base / 2^32)^exponent, scaled by 2^62, by squaring. Each product is rounded by at most 2^-63.
 * Squaring b doubles its error and multiplies it by b, so what the i-th squaring inherits is at
 * most 2^i b^(2^i) <= 1 / g times the first error; over at most 64 squarings and products, and with
 * g >= 2^-16, that is below 2^-40. Factors are at most 2^62: weir_u128. */
static uint64_t power_q62(uint64_t base_q32, uint64_t exponent)
{
	const uint64_t half = UINT64_C(1) << 61;
	uint64_t base_q62 = base_q32 << 30, power = UINT64_C(1) << 62;

	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			power = (uint64_t)(((weir_u128)power * base_q62 + half) >> 62);
		base_q62 = (uint64_t)(((weir_u128)base_q62 * base_q62 + half) >> 62);
	}
	return power;
}

/* Equation (2), k times: alpha (1 - g)^k. Rounded once, by at most 2^-33 beside the power's
 * error. */
static uint64_t faded_q32(uint64_t alpha_q32, uint64_t g_q32, uint64_t times)
{
	weir_u128 product = (weir_u128)alpha_q32 * power_q62(WEIR_ONE_Q32 - g_q32, times);

	return (uint64_t)((product + (UINT64_C(1) << 61)) >> 62);
}

/* Alpha's part of equation (1): (1 - g) alpha + g, at most 2^32 as alpha is. */
static uint64_t raised_q32(uint64_t alpha_q32, uint64_t g_q32)
{
	return faded_q32(alpha_q32, g_q32, 1) + g_q32;
}

/* Brings alpha up to date: the periods of the alpha timer that are over. In polled the first of
 * them may have seen a notification. An error made once fades by 1 - g a period, so alpha is never
 * off by more than (2^-33 + 2^-40) / g: 3e-8 with g = 1/256. */
static void dcqcn_age_alpha(struct dcqcn_state *s, const struct dcqcn_params *p, int64_t now_ns)
{
	int64_t timer_ns = period(p->alpha_timer_ns, preset_of(p)->alpha_timer_ns);
	uint64_t periods = (uint64_t)((now_ns - s->alpha_ns) / timer_ns);

	if (periods == 0)
		return;
	s->alpha_ns += (int64_t)periods * timer_ns;
	if (s->alpha_notified) {
		s->alpha_q32 = raised_q32(s->alpha_q32, weight_q32(p));
		s->alpha_notified = 0;
		periods--;
	}
	s->alpha_q32 = faded_q32(s->alpha_q32, weight_q32(p), periods);
}

/* At least one packet: a smaller window would stop the sender. bdp < 2^40 and rate <= line rate <
 * 2^43: weir_u128. */
static uint64_t dcqcn_window(const struct dcqcn_state *s, const struct dcqcn_params *p,
			     const struct weir_cc_env *env)
{
	uint64_t window = env->bdp_bytes;

	if (p->window == WINDOW_NONE)
		return WEIR_CC_NO_WINDOW;
	if (p->window == WINDOW_SCALED)
		window = (uint64_t)((weir_u128)window * s->pace.rate_bps / env->rate_bps);
	return window > env->mss_bytes ? window : env->mss_bytes;
}

/* Called after each change: a rate of 0 could not be paced, and at line rate there are no rounds.
 */
static void dcqcn_set(struct dcqcn_state *s, const struct dcqcn_params *p,
		      const struct weir_cc_env *env, uint64_t rate_bps)
{
	uint64_t least_bps = env->min_rate_bps ? env->min_rate_bps : 1;

	s->pace.rate_bps = rate_bps > least_bps ? rate_bps : least_bps;
	if (s->pace.rate_bps > s->target_bps)
		s->pace.rate_bps = s->target_bps;
	s->pace.window_bytes = dcqcn_window(s, p, env);
	if (s->pace.rate_bps == env->rate_bps)
		s->increase_ns = 0;
}

static void dcqcn_set_wake(struct dcqcn_state *s)
{
	s->pace.wake_ns = s->increase_ns;
	if (s->cut_ns && (!s->pace.wake_ns || s->cut_ns < s->pace.wake_ns))
		s->pace.wake_ns = s->cut_ns;
}

static void dcqcn_init(void *state, const void *params, const struct weir_cc_env *env)
{
	struct dcqcn_state *s = state;

	s->alpha_q32 = WEIR_ONE_Q32;
	s->target_bps = env->rate_bps;
	dcqcn_set(s, params, env, env->rate_bps);
}

/* Equation (1), but for alpha. Rate rounded up, by less than a bit per second: rate < 2^43 and
 * alpha <= 2^32, so the product needs 75 bits. */
static void dcqcn_cut(struct dcqcn_state *s, const struct dcqcn_params *p,
		      const struct weir_cc_env *env, int64_t now_ns)
{
	uint64_t rate_bps = s->pace.rate_bps;
	int clamps = given_or(p->clamp_target, preset_of(p)->clamp_target) == CLAMP_YES;

	if (clamps || s->timer_rounds || s->byte_rounds)
		s->target_bps = rate_bps;
	s->timer_rounds = 0;
	s->byte_rounds = 0;
	s->counted_bytes = 0;
	s->increase_ns = now_ns + increase_timer(p);
	dcqcn_set(s, p, env, rate_bps - (uint64_t)((weir_u128)rate_bps * s->alpha_q32 >> 33));
}

/* End of a round. The mean is rounded up, so that the rate reaches its target. Where the byte
 * counter is off, rounds by time stand for both. */
static void dcqcn_increase(struct dcqcn_state *s, const struct dcqcn_params *p,
			   const struct weir_cc_env *env)
{
	const struct preset *preset = preset_of(p);
	uint64_t threshold = given_or(p->fast_recovery_rounds, preset->fast_recovery_rounds);
	uint64_t most = s->timer_rounds, least = most, step_bps = 0;

	if (given_or(p->byte_counter_bytes, preset->byte_counter_bytes) != UINT64_MAX) {
		most = s->byte_rounds > most ? s->byte_rounds : most;
		least = s->byte_rounds < least ? s->byte_rounds : least;
	}
	if (least > threshold)
		step_bps = given_or(p->hyper_bps, env->rate_bps / preset->hyper_share);
	else if (most >= threshold)
		step_bps = given_or(p->additive_bps, env->rate_bps / preset->additive_share);
	s->target_bps += step_bps;
	if (s->target_bps > env->rate_bps)
		s->target_bps = env->rate_bps;
	dcqcn_set(s, p, env, s->pace.rate_bps + (s->target_bps - s->pace.rate_bps + 1) / 2);
}

/* react=at-once: equation (1). */
static void dcqcn_cut_at_once(struct dcqcn_state *s, const struct dcqcn_params *p,
			      const struct weir_cc_env *env, int64_t now_ns)
{
	dcqcn_cut(s, p, env, now_ns);
	s->alpha_q32 = raised_q32(s->alpha_q32, weight_q32(p));
	s->clock_ns = now_ns;
	s->cut_ns = 0;
}

/* Every notification starts the alpha timer anew. */
static void dcqcn_notify_at_once(struct dcqcn_state *s, const struct dcqcn_params *p,
				 const struct weir_cc_env *env, int64_t now_ns)
{
	if (s->notified)
		dcqcn_age_alpha(s, p, now_ns);
	s->alpha_ns = now_ns;
	if (!s->notified || now_ns - s->clock_ns >= decrease_interval(p))
		dcqcn_cut_at_once(s, p, env, now_ns);
	else
		s->cut_ns = s->clock_ns + decrease_interval(p);
	s->notified = 1;
}

/* react=polled: the rate is polled a nanosecond after alpha, so that alpha is up to date. The first
 * notification starts both clocks and counts for the rate only. */
static void dcqcn_notify_polled(struct dcqcn_state *s, const struct dcqcn_params *p, int64_t now_ns)
{
	int64_t interval_ns = decrease_interval(p);

	if (s->notified) {
		dcqcn_age_alpha(s, p, now_ns);
		s->alpha_notified = 1;
	} else {
		s->alpha_ns = now_ns;
		s->clock_ns = now_ns + 1;
		s->notified = 1;
	}
	if (!s->cut_ns)
		s->cut_ns = s->clock_ns + ((now_ns - s->clock_ns) / interval_ns + 1) * interval_ns;
}

static void dcqcn_cnp(void *state, const void *params, const struct weir_cc_env *env,
		      int64_t now_ns)
{
	struct dcqcn_state *s = state;

	if (is_polled(params))
		dcqcn_notify_polled(s, params, now_ns);
	else
		dcqcn_notify_at_once(s, params, env, now_ns);
	dcqcn_set_wake(s);
}

static void dcqcn_sent(void *state, const void *params, const struct weir_cc_env *env,
		       uint32_t bytes, int64_t now_ns)
{
	struct dcqcn_state *s = state;
	const struct dcqcn_params *p = params;
	uint64_t counter = given_or(p->byte_counter_bytes, preset_of(p)->byte_counter_bytes);

	(void)now_ns;
	if (!s->increase_ns)
		return;
	s->counted_bytes += bytes;
	if (s->counted_bytes < counter)
		return;
	s->counted_bytes %= counter;
	dcqcn_increase(s, p, env);
	s->byte_rounds++;
	dcqcn_set_wake(s);
}

/* End of a timer round, due at increase_ns. Rounds follow each other without a gap, but a call that
 * is more than a round late counts as one. */
static void dcqcn_end_round(struct dcqcn_state *s, const struct dcqcn_params *p,
			    const struct weir_cc_env *env, int64_t now_ns)
{
	s->increase_ns += increase_timer(p);
	if (s->increase_ns <= now_ns)
		s->increase_ns = now_ns + increase_timer(p);
	dcqcn_increase(s, p, env);
	s->timer_rounds++;
}

/* A round that ends at the time of a cut ends before it. */
static void dcqcn_timer(void *state, const void *params, const struct weir_cc_env *env,
			int64_t now_ns)
{
	struct dcqcn_state *s = state;

	if (s->increase_ns && s->increase_ns <= now_ns &&
	    (!s->cut_ns || s->increase_ns <= s->cut_ns))
		dcqcn_end_round(s, params, env, now_ns);
	if (s->cut_ns && s->cut_ns <= now_ns) {
		dcqcn_age_alpha(s, params, now_ns);
		if (is_polled(params)) {
			dcqcn_cut(s, params, env, now_ns);
			s->cut_ns = 0;
		} else {
			dcqcn_cut_at_once(s, params, env, now_ns);
		}
	}
	dcqcn_set_wake(s);
}

/* No ack hook: ACKs carry nothing that CNPs do not. */
const struct weir_cc_ops weir_cc_dcqcn = {
	.scheme = {
		.name = "dcqcn",
		.help = "cuts its rate when the receiver notifies it of marks, and recovers by timer and "
			"bytes",
		.cite = "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM 2015",
		.params_size = sizeof(struct dcqcn_params),
		.options = dcqcn_options,
		.check = dcqcn_check,
	},
	.transport = WEIR_CC_RDMA,
	.echo = WEIR_CC_ECHO_EXACT,
	.needs = WEIR_CC_NEEDS_CNP,
	.state_size = sizeof(struct dcqcn_state),
	.init = dcqcn_init,
	.cnp = dcqcn_cnp,
	.sent = dcqcn_sent,
	.timer = dcqcn_timer,
};

_Static_assert(sizeof(struct dcqcn_state) <= WEIR_CC_STATE_MAX, "a queue pair has room for it");
