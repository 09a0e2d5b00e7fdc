/* SPDX-License-Identifier: BSD-3-Clause */
/* tcn.c -- mark a packet that waited longer than a fixed time.
 *
 * Bai, Chen, Chen, Kim, Wu, "Enabling ECN over Generic Packet Scheduling", CoNEXT 2016, section
 * 4.1: mark at departure iff sojourn > T, T = RTT x lambda. No state: whatever share of the line
 * the scheduler gave the queue, the time in it says what its length meant. The default is what
 * DCTCP's 65 packets of 1500 B take at 10 Gb/s.
 *
 * Section 4.3, for transports that want marks as RED gives them: nothing below T_min, everything
 * above T_max, and between with a probability that rises in a line from 0 to P_max. The paper says
 * only that it lies between; the line is RED's. */
#include "base/compiler.h"
#include "weir/mark.h"
#include "lib/mark/red_common.h"
#include "weir/rng.h"
#include "weir/units.h"

enum tcn_reason { TCN_SOJOURN, TCN_RAMP };

struct tcn_params {
	uint64_t threshold_ns;
	uint64_t min_ns, max_ns; /* max 0: the threshold counts */
	uint64_t p_q32;
};

struct tcn_state {
	struct weir_rng rng; /* for the line only */
};

static const struct weir_option tcn_options[] = {
	{ "threshold", WEIR_OPT_TIME_NS, offsetof(struct tcn_params, threshold_ns), "78us", 0,
	  WEIR_NS_PER_S, "sojourn time above which packets are marked", NULL },
	{ "t-min", WEIR_OPT_TIME_NS, offsetof(struct tcn_params, min_ns), "0us", 0, WEIR_NS_PER_S,
	  "with t-max: sojourn time below which no packet is marked", NULL },
	{ "t-max", WEIR_OPT_TIME_NS, offsetof(struct tcn_params, max_ns), "0us", 0, WEIR_NS_PER_S,
	  "in place of threshold: sojourn time above which every packet is marked; 0us: "
	  "threshold is used",
	  NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, offsetof(struct tcn_params, p_q32), "0.01", 0, WEIR_ONE_Q32,
	  "marking probability at t-max, linear from 0 at t-min", NULL },
	{ .name = NULL },
};

static int tcn_is_default(const char *name, const struct tcn_params *p)
{
	return weir_option_is_default(weir_option_find(tcn_options, name), p);
}

static int tcn_check(const void *params, struct weir_error *e)
{
	const struct tcn_params *p = params;

	if (p->max_ns == 0 && !(tcn_is_default("t-min", p) && tcn_is_default("p", p)))
		return weir_error_set(e, "t-min and p go with t-max, which is not given");
	if (p->max_ns > 0 && !tcn_is_default("threshold", p))
		return weir_error_set(e, "threshold and t-max exclude each other; give one");
	if (p->min_ns > p->max_ns)
		return weir_error_set(e, "t-min is above t-max");
	return 0;
}

static void tcn_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct tcn_state *s = state;

	(void)params;
	s->rng = weir_rng_make(env->seed, 0, WEIR_RNG_MARKING);
}

/* p (t - T_min) / (T_max - T_min); times are below 2^30. */
static uint32_t tcn_line(struct tcn_state *s, const struct tcn_params *p, int64_t sojourn_ns)
{
	if (sojourn_ns > (int64_t)p->max_ns)
		return WEIR_MARK_CE | weir_mark_reason(TCN_SOJOURN);
	if (sojourn_ns <= (int64_t)p->min_ns)
		return WEIR_MARK_PASS;
	if (ramp_hits(weir_rng_u32(&s->rng), p->p_q32, (uint64_t)sojourn_ns - p->min_ns,
		      p->max_ns - p->min_ns))
		return WEIR_MARK_CE | weir_mark_reason(TCN_RAMP);
	return WEIR_MARK_PASS;
}

/* A packet that finds the port idle has zero sojourn time, so it is never marked. */
static int tcn_passes_idle(const void *params)
{
	(void)params;
	return 1;
}

static uint32_t tcn_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct tcn_params *p = params;

	if (UNLIKELY(p->max_ns != 0))
		return tcn_line(state, p, v->sojourn_ns);
	return v->sojourn_ns > (int64_t)p->threshold_ns ? WEIR_MARK_CE : WEIR_MARK_PASS;
}

const struct weir_mark_ops weir_mark_tcn = {
	.scheme = {
		.name = "tcn",
		.help = "TCN: marks packets whose sojourn time exceeds a threshold",
		.cite = "Bai et al., Enabling ECN over Generic Packet Scheduling, CoNEXT 2016",
		.params_size = sizeof(struct tcn_params),
		.options = tcn_options,
		.check = tcn_check,
	},
	.state_size = sizeof(struct tcn_state),
	.reasons = { [TCN_SOJOURN] = "sojourn", [TCN_RAMP] = "ramp" },
	.init = tcn_init,
	.passes_idle = tcn_passes_idle,
	.dequeue = tcn_dequeue,
};
