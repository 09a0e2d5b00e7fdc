/* SPDX-License-Identifier: BSD-3-Clause */
/* pie.c -- a controller that turns the marking probability until packets queue for a target time.
 *
 * RFC 8033, "Proportional Integral Controller Enhanced (PIE)", section 4, with the queueing delay
 * from timestamps (4.3), ECN (5.1) and the cap of a step (5.5). Every t-update
 *	p += alpha (delay - target) + beta (delay - delay an update before),
 * the sum divided by 2 to 2048 while p is small (4.2); p fades while nothing queues. Packets are
 * marked with probability p on arrival, but none
 *	- for max-burst from when congestion begins (4.4);
 *	- while packets queue for less than half of the target and p is below 20 % (4.1);
 *	- that finds no more than two packets in its queue (4.1).
 *
 * The RFC's own settings are for the Internet: target=15ms, t-update=15ms, max-burst=150ms,
 * alpha=0.125, beta=1.25, drop-above=10%. Seen from a flow, a network whose round trips take 100 us
 * instead of 100 ms is the same one a thousand times as fast; so the defaults here are those times
 * over a thousand and those rates times a thousand. Drops above 10 % are for senders that ignore
 * marks; here the default is to mark always.
 *
 * Differs: what is due at a time is done by the next packet that comes or goes. Marks are
 * independent of each other; the RFC's ways of spacing them (5.4) and of switching PIE off (5.3)
 * are optional there and left out. */
#include "weir/compiler.h"
#include "weir/mark.h"
#include "weir/rng.h"
#include "weir/units.h"

enum {
	P_BITS = 48,
	GAIN_BITS = 72,
	FADE_SHIFT = 6,      /* RFC 8033, 4.2: times 0.98, or 1 - 1/64 */
	QUIET_PKTS = 3,      /* 4.1: more than two packets */
	CATCH_UP_MAX = 2048, /* updates caught up; p decays from 1 to 0 in fewer */
};

#define P_ONE (INT64_C(1) << P_BITS)
#define RATE_MAX_Q32 (UINT64_C(1000) * 1000 * WEIR_ONE_Q32)

struct pie_params {
	uint64_t target_ns, update_ns, burst_ns;
	uint64_t alpha_q32, beta_q32; /* per second */
	uint64_t drop_above_q32;
};

struct pie_state {
	struct weir_rng rng;
	int64_t p_q48;
	int64_t update_at_ns;        /* when the next update is due */
	int64_t delay_ns;            /* of the packet that left last */
	int64_t old_delay_ns;        /* at the last update */
	uint64_t burst_left_ns;      /* no marks until this is used up */
	int64_t alpha_q72, beta_q72; /* per nanosecond */
	uint64_t is_empty;           /* nothing queued when it left */
};

static const struct weir_option pie_options[] = {
	{ "target", WEIR_OPT_TIME_NS, offsetof(struct pie_params, target_ns), "15us", 1,
	  WEIR_NS_PER_S, "target queueing delay", NULL },
	{ "t-update", WEIR_OPT_TIME_NS, offsetof(struct pie_params, update_ns), "15us", 1,
	  WEIR_NS_PER_S, "update interval of the marking probability", NULL },
	{ "max-burst", WEIR_OPT_TIME_NS, offsetof(struct pie_params, burst_ns), "150us", 0,
	  WEIR_NS_PER_S, "burst allowance: time without marking after an idle period", NULL },
	{ "alpha", WEIR_OPT_FRACTION_Q32, offsetof(struct pie_params, alpha_q32), "125", 0,
	  RATE_MAX_Q32,
	  "integral gain: rise of the probability per update, per second of delay above the "
	  "target",
	  NULL },
	{ "beta", WEIR_OPT_FRACTION_Q32, offsetof(struct pie_params, beta_q32), "1250", 0,
	  RATE_MAX_Q32,
	  "proportional gain: rise of the probability per update, per second by which the delay "
	  "has grown",
	  NULL },
	{ "drop-above", WEIR_OPT_FRACTION_Q32, offsetof(struct pie_params, drop_above_q32), "1", 0,
	  WEIR_ONE_Q32,
	  "probability from which on packets are dropped instead of marked; 1: "
	  "never",
	  NULL },
	{ .name = NULL },
};

static int pie_check(const void *params, struct weir_error *e)
{
	const struct pie_params *p = params;

	if (p->alpha_q32 == 0)
		return weir_error_set(e, "alpha must be above 0; without it the target is not "
					 "held");
	return 0;
}

/* pie_enqueue passes every packet that finds fewer. */
static uint64_t pie_quiet_below(const void *params)
{
	(void)params;
	return QUIET_PKTS | WEIR_LENGTH_IN_PACKETS;
}

/* Per nanosecond, from per second; below 2^63 and rounded down. */
static int64_t gain_q72(uint64_t per_s_q32)
{
	return (int64_t)(((weir_i128)per_s_q32 << (GAIN_BITS - 32)) / WEIR_NS_PER_S);
}

static void pie_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct pie_state *s = state;
	const struct pie_params *p = params;

	s->rng = weir_rng_make(env->seed, 0, WEIR_RNG_MARKING);
	s->is_empty = 1;
	s->update_at_ns = (int64_t)p->update_ns;
	s->burst_left_ns = p->burst_ns;
	s->alpha_q72 = gain_q72(p->alpha_q32);
	s->beta_q72 = gain_q72(p->beta_q32);
}

/* RFC 8033, 4.2: the smaller p is, the smaller the step. */
static uint32_t pie_tune_shift(int64_t p_q48)
{
	if (p_q48 < P_ONE / 1000000)
		return 11;
	if (p_q48 < P_ONE / 100000)
		return 9;
	if (p_q48 < P_ONE / 10000)
		return 7;
	if (p_q48 < P_ONE / 1000)
		return 5;
	if (p_q48 < P_ONE / 100)
		return 3;
	return p_q48 < P_ONE / 10 ? 1 : 0;
}

/* RFC 8033, 4.2: alpha (delay - target) + beta (delay - old delay), over 2^shift. Scaled:
 *	(alpha_q72 ns + beta_q72 ns) / 2^(24 + shift),
 * rounded down, so off by less than 2^-48 and 2^-72 for each nanosecond of the differences. The
 * gains are below 2^63 and delays below 2^60 ns, so the sum fits 125 bits. 5.5: from 10 % on no
 * more than 2 % at once. */
static int64_t pie_step_q48(const struct pie_state *s, const struct pie_params *p, int64_t delay_ns)
{
	weir_i128 sum_q72 = (weir_i128)s->alpha_q72 * (delay_ns - (int64_t)p->target_ns) +
			    (weir_i128)s->beta_q72 * (delay_ns - s->old_delay_ns);
	weir_i128 step = sum_q72 >> (GAIN_BITS - P_BITS + pie_tune_shift(s->p_q48));

	if (s->p_q48 >= P_ONE / 10 && step > P_ONE / 50)
		return P_ONE / 50;
	return (int64_t)(step > P_ONE ? P_ONE : step < -P_ONE ? -P_ONE : step);
}

/* RFC 8033, 4.4: the allowance is full again when congestion has gone, and runs down otherwise.
 * Differs: it is filled up by updates and not by arrivals. */
static void pie_spend_burst(struct pie_state *s, const struct pie_params *p, int64_t delay_ns,
			    uint64_t updates)
{
	int64_t half_ns = (int64_t)(p->target_ns / 2);
	uint64_t spent_ns = updates * p->update_ns;

	if (s->p_q48 == 0 && delay_ns < half_ns && s->old_delay_ns < half_ns)
		s->burst_left_ns = p->burst_ns;
	else
		s->burst_left_ns -= spent_ns < s->burst_left_ns ? spent_ns : s->burst_left_ns;
}

static void pie_update(struct pie_state *s, const struct pie_params *p, int64_t delay_ns)
{
	int64_t p_q48 = s->p_q48 + pie_step_q48(s, p, delay_ns);

	p_q48 = p_q48 < 0 ? 0 : p_q48;
	if (delay_ns == 0 && s->old_delay_ns == 0)
		p_q48 -= (p_q48 + (1 << FADE_SHIFT) - 1) >> FADE_SHIFT;
	s->p_q48 = p_q48 > P_ONE ? P_ONE : p_q48;
	pie_spend_burst(s, p, delay_ns, 1);
	s->old_delay_ns = delay_ns;
}

/* The delay while no packet comes or goes: 0 if the last one left the queue empty. */
static int64_t pie_delay_ns(const struct pie_state *s)
{
	return s->is_empty ? 0 : s->delay_ns;
}

/* Slow path after a silence: runs several updates until the state reaches a fixed point. */
static void pie_catch_up_slow(struct pie_state *s, const struct pie_params *p, int64_t now_ns)
{
	uint64_t due = (uint64_t)(now_ns - s->update_at_ns) / p->update_ns + 1, done = 0;
	int64_t delay_ns = pie_delay_ns(s);

	s->update_at_ns += (int64_t)(due * p->update_ns);
	while (done < due && done < CATCH_UP_MAX) {
		int64_t before_q48 = s->p_q48, before_ns = s->old_delay_ns;

		pie_update(s, p, delay_ns);
		done++;
		if (s->p_q48 == before_q48 && before_ns == delay_ns)
			break;
	}
	if (done < due)
		pie_spend_burst(s, p, delay_ns, due - done);
}

/* Runs the updates that are due; the fast path has at most one. */
static inline void pie_catch_up(struct pie_state *s, const struct pie_params *p, int64_t now_ns)
{
	if (now_ns < s->update_at_ns)
		return;
	if (now_ns - s->update_at_ns >= (int64_t)p->update_ns) {
		pie_catch_up_slow(s, p, now_ns);
		return;
	}
	s->update_at_ns += (int64_t)p->update_ns;
	pie_update(s, p, pie_delay_ns(s));
}

static uint32_t pie_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct pie_state *s = state;
	const struct pie_params *p = params;

	if (v->queue_pkts < QUIET_PKTS)
		return WEIR_MARK_PASS;
	pie_catch_up(s, p, v->now_ns);
	s->is_empty = 0;
	if (s->burst_left_ns > 0)
		return WEIR_MARK_PASS;
	if (s->old_delay_ns < (int64_t)(p->target_ns / 2) && s->p_q48 < P_ONE / 5)
		return WEIR_MARK_PASS;
	if ((int64_t)(weir_rng_u64(&s->rng) >> (64 - P_BITS)) >= s->p_q48)
		return WEIR_MARK_PASS;
	if (p->drop_above_q32 < WEIR_ONE_Q32 &&
	    s->p_q48 >= (int64_t)(p->drop_above_q32 << (P_BITS - 32)))
		return WEIR_MARK_DROP;
	return WEIR_MARK_CE;
}

static uint32_t pie_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct pie_state *s = state;

	pie_catch_up(s, params, v->now_ns);
	s->delay_ns = v->sojourn_ns;
	s->is_empty = v->queue_pkts == 0;
	return WEIR_MARK_PASS;
}

static double pie_read_probability(const void *state, const void *params)
{
	const struct pie_state *s = state;

	(void)params;
	return (double)s->p_q48 / (double)P_ONE;
}

static double pie_read_delay(const void *state, const void *params)
{
	const struct pie_state *s = state;

	(void)params;
	return (double)pie_delay_ns(s);
}

static const struct weir_mark_value pie_values[] = {
	{ "probability", "", pie_read_probability },
	{ "delay", "ns", pie_read_delay },
	{ .name = NULL },
};

const struct weir_mark_ops weir_mark_pie = {
	.scheme = {
		.name = "pie",
		.help = "PIE: a proportional-integral controller sets the marking probability to "
			"hold a target queueing delay",
		.cite = "RFC 8033, Proportional Integral Controller Enhanced (PIE)",
		.params_size = sizeof(struct pie_params),
		.options = pie_options,
		.check = pie_check,
	},
	.state_size = sizeof(struct pie_state),
	.reasons = { "delay" },
	.values = pie_values,
	.quiet_below = pie_quiet_below,
	.init = pie_init,
	.enqueue = pie_enqueue,
	.dequeue = pie_dequeue,
};
