/* SPDX-License-Identifier: BSD-3-Clause */
/* ared.c -- RED that finds its own probability: the average queue is to stay half-way up the line.
 *
 * Floyd, Gummadi, Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of RED's
 * Active Queue Management", 2001. The average queue marks by a line from 0 at min to max_p at max,
 * and "gently" on to 1 at 2 max. Every interval max_p is adapted:
 *	avg above min + 0.6 (max - min):	max_p += min(0.01, max_p / 4)
 *	avg below min + 0.4 (max - min):	max_p *= 0.9
 * and stays within 0.01 and 0.5. The weight of an arrival in the average follows from the speed C
 * of the line in packets a second and a time constant t: w = 1 - exp(-1 / (C t)).
 *
 * The paper's times are for the Internet, interval = 0.5 s and t = 1 s: five and ten of the round
 * trips of 100 ms that it assumes. The defaults here are five and ten of 100 us. As there, max is
 * three times min, and half-way is about the K = 65 packets that DCTCP's paper has for 10 Gb/s.
 *
 * Differs: each packet is marked independently of the others, as in red.c. max_p is adapted by the
 * first packet that comes when it is due, once, however long nothing came, as Floyd's code for ns-2
 * does: without arrivals there is no new average. */
#include "lib/mark/red_common.h"
#include "weir/mark.h"
#include "weir/rng.h"
#include "weir/units.h"
#include <math.h>

enum ared_reason { ARED_RAMP, ARED_GENTLE, ARED_MAX };

struct ared_params {
	uint64_t min, max; /* WEIR_OPT_LENGTH, both in bytes or both in packets */
	uint64_t p_q32;
	uint64_t interval_ns, average_over_ns;
};

struct ared_state {
	struct weir_rng rng;
	struct average average;
	uint64_t weight_q32;
	uint64_t p_q32; /* max_p */
	int64_t adapt_at_ns;
};

#define LENGTH_MAX (UINT64_C(4) * 1000 * 1000 * 1000)
#define P_LEAST_Q32 ((WEIR_ONE_Q32 + 50) / 100) /* the nearest to 0.01 */
#define P_MOST_Q32 (WEIR_ONE_Q32 / 2)
#define P_STEP_Q32 P_LEAST_Q32

static const struct weir_option ared_options[] = {
	{ "min", WEIR_OPT_LENGTH, offsetof(struct ared_params, min), "32pkts", 0, LENGTH_MAX,
	  "below this average length no packet is marked", NULL },
	{ "max", WEIR_OPT_LENGTH, offsetof(struct ared_params, max), "96pkts", 1, LENGTH_MAX,
	  "average length to which the line of the probability runs; twice that marks every packet",
	  NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, offsetof(struct ared_params, p_q32), "0.1", P_LEAST_Q32,
	  P_MOST_Q32, "probability at max to begin with", NULL },
	{ "interval", WEIR_OPT_TIME_NS, offsetof(struct ared_params, interval_ns), "500us", 1,
	  WEIR_NS_PER_S,
	  "time between two adaptations of that probability; about five round-trip times", NULL },
	{ "average-over", WEIR_OPT_TIME_NS, offsetof(struct ared_params, average_over_ns), "1ms", 1,
	  WEIR_NS_PER_S, "time constant of the average length; about ten round-trip times", NULL },
	{ .name = NULL },
};

static int ared_check(const void *params, struct weir_error *e)
{
	const struct ared_params *p = params;

	if (weir_length_is_packets(p->min) != weir_length_is_packets(p->max))
		return weir_error_set(e, "min and max must both be in bytes or both in packets");
	if (p->min >= p->max)
		return weir_error_set(e, "min must be below max: the target lies between them");
	return 0;
}

/* Packets of the largest size are meant. The weight is rounded to a multiple of 2^-32, and is one
 * at least. */
static void ared_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct ared_state *s = state;
	const struct ared_params *p = params;
	double pkts_per_s = (double)env->rate_bps / weir_bytes_to_bits(env->mtu_bytes);
	double weight = -expm1(-1 / (pkts_per_s * (double)p->average_over_ns / WEIR_NS_PER_S));

	s->rng = weir_rng_make(env->seed, 0, WEIR_RNG_MARKING);
	average_init(&s->average, env);
	s->weight_q32 = (uint64_t)(weight * (double)WEIR_ONE_Q32 + 0.5);
	if (s->weight_q32 == 0)
		s->weight_q32 = 1;
	s->p_q32 = p->p_q32;
	s->adapt_at_ns = (int64_t)p->interval_ns;
}

/* avg > min + 3/5 (max - min), times five: lengths below 2^63, so the products need 66 bits. */
static void ared_adapt(struct ared_state *s, uint64_t above_min_q31, uint64_t run_q31)
{
	weir_u128 place = (weir_u128)above_min_q31 * 5, run = run_q31;
	uint64_t p_q32 = s->p_q32;

	if (place > run * 3)
		p_q32 += p_q32 / 4 < P_STEP_Q32 ? p_q32 / 4 : P_STEP_Q32;
	else if (place < run * 2)
		p_q32 -= p_q32 / 10;
	s->p_q32 = p_q32 > P_MOST_Q32 ? P_MOST_Q32 : p_q32 < P_LEAST_Q32 ? P_LEAST_Q32 : p_q32;
}

/* From max to 2 max: p = max_p + (1 - max_p) (avg - max) / max. A random 32-bit r marks iff
 *	r max < max_p max + (1 - max_p) (avg - max),
 * all scaled: below 2^32 times 2^63, twice, so the sum fits 96 bits. Rounded up to 2^-32. */
static int ared_gentle_hits(struct ared_state *s, uint64_t above_max_q31, uint64_t max_q31)
{
	return (weir_u128)weir_rng_u32(&s->rng) * max_q31 <
	       (weir_u128)s->p_q32 * max_q31 + (weir_u128)(WEIR_ONE_Q32 - s->p_q32) * above_max_q31;
}

static uint32_t ared_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct ared_state *s = state;
	const struct ared_params *p = params;
	uint64_t length = weir_length_is_packets(p->min) ? v->queue_pkts : v->queue_bytes;
	uint64_t average_q31 = average_arrive(&s->average, s->weight_q32, length, v->now_ns);
	uint64_t min_q31 = weir_length_number(p->min) << AVERAGE_BITS;
	uint64_t max_q31 = weir_length_number(p->max) << AVERAGE_BITS, run_q31 = max_q31 - min_q31;
	uint64_t above_min_q31 = average_q31 < min_q31 ? 0 : average_q31 - min_q31;

	if (v->now_ns >= s->adapt_at_ns) {
		ared_adapt(s, above_min_q31, run_q31);
		s->adapt_at_ns = v->now_ns + (int64_t)p->interval_ns;
	}
	if (average_q31 < min_q31)
		return WEIR_MARK_PASS;
	if (average_q31 < max_q31)
		return ramp_hits(weir_rng_u32(&s->rng), s->p_q32, above_min_q31, run_q31)
			       ? WEIR_MARK_CE | weir_mark_reason(ARED_RAMP)
			       : WEIR_MARK_PASS;
	if (average_q31 - max_q31 < max_q31)
		return ared_gentle_hits(s, average_q31 - max_q31, max_q31)
			       ? WEIR_MARK_CE | weir_mark_reason(ARED_GENTLE)
			       : WEIR_MARK_PASS;
	return WEIR_MARK_CE | weir_mark_reason(ARED_MAX);
}

static uint32_t ared_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct ared_state *s = state;

	(void)params;
	average_depart(&s->average, v);
	return WEIR_MARK_PASS;
}

static double ared_read_average(const void *state, const void *params)
{
	const struct ared_state *s = state;

	(void)params;
	return average_read(&s->average);
}

static double ared_read_p(const void *state, const void *params)
{
	const struct ared_state *s = state;

	(void)params;
	return (double)s->p_q32 / (double)WEIR_ONE_Q32;
}

static const struct weir_mark_value ared_values[] = {
	{ "average", "", ared_read_average },
	{ "p", "", ared_read_p },
	{ .name = NULL },
};

const struct weir_mark_ops weir_mark_ared = {
	.scheme = {
		.name = "ared",
		.help = "marks as red does with a probability that adapts to "
			"hold the average queue half-way between min and max",
		.cite = "Floyd, Gummadi, Shenker, Adaptive RED, 2001",
		.params_size = sizeof(struct ared_params),
		.options = ared_options,
		.check = ared_check,
	},
	.state_size = sizeof(struct ared_state),
	.reasons = { [ARED_RAMP] = "ramp", [ARED_GENTLE] = "gentle", [ARED_MAX] = "max" },
	.values = ared_values,
	.init = ared_init,
	.enqueue = ared_enqueue,
	.dequeue = ared_dequeue,
};
