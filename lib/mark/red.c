/* SPDX-License-Identifier: BSD-3-Clause */
/* red.c -- mark with a probability that rises with the queue.
 *
 * Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Trans.
 * Networking 1(4), 1993, as switches do it: nothing below min, linear up to p at max, everything at
 * or above max. The same line in point-slope form, min and a slope per MB, is Du et al., "PRED",
 * NSDI 2025, section 2.1; max is then only the protection that its section 4.3 speaks of.
 *
 * A second line may be given for packets that cannot be marked, which are dropped by it: what
 * switches call WRED with ECN. Without it they are dropped where others are marked (RFC 3168,
 * section 5).
 *
 * Differs: each packet is marked independently of the others; the 1993 paper spaces marks by the
 * number of packets since the last one (its section 4). */
#include "lib/mark/red_common.h"
#include "weir/mark.h"
#include "weir/packet.h"
#include "weir/rng.h"
#include <math.h>

enum red_scope { RED_QUEUE, RED_PORT };
enum red_at { RED_AT_ENQUEUE, RED_AT_DEQUEUE };
enum red_reason { RED_RAMP, RED_MAX };

struct red_params {
	uint64_t min, max; /* WEIR_OPT_LENGTH, both in bytes or both in packets */
	uint64_t p_q32;
	uint64_t slope_q32; /* per MB; 0: p counts */
	uint64_t weight_q32;
	uint64_t scope, at;
	uint64_t drop_min, drop_max, drop_p_q32; /* drop_max 0: there is no second line */
};

struct red_state {
	struct weir_rng rng;
	struct average average;
};

#define LENGTH_MAX (UINT64_C(4) * 1000 * 1000 * 1000)
#define SLOPE_MAX_Q32 (RAMP_BYTES_PER_MB * WEIR_ONE_Q32)
#define WEIGHT_MIN_Q32 (WEIR_ONE_Q32 >> 16)
#define P_DEFAULT "0.01"
#define DROP_P_DEFAULT "1"

static const char *const scopes[] = { "queue", "port", NULL };
static const char *const places[] = { "enqueue", "dequeue", NULL };

static const struct weir_option red_options[] = {
	{ "min", WEIR_OPT_LENGTH, offsetof(struct red_params, min), "5KB", 0, LENGTH_MAX,
	  "queue length below which no packet is marked", NULL },
	{ "max", WEIR_OPT_LENGTH, offsetof(struct red_params, max), "200KB", 0, LENGTH_MAX,
	  "queue length from which on every packet is marked", NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, offsetof(struct red_params, p_q32), P_DEFAULT, 0,
	  WEIR_ONE_Q32, "marking probability at max, linear from 0 at min", NULL },
	{ "slope", WEIR_OPT_FRACTION_Q32, offsetof(struct red_params, slope_q32), "0", 0,
	  SLOPE_MAX_Q32, "in place of p: rise of the marking probability per MB of queue above min",
	  NULL },
	{ "weight", WEIR_OPT_FRACTION_Q32, offsetof(struct red_params, weight_q32), "1",
	  WEIGHT_MIN_Q32, WEIR_ONE_Q32,
	  "weight of each arrival in the moving average of the queue length; 1: instantaneous "
	  "length. Switches write it as a power of two: their weight 4 is 1/16",
	  NULL },
	{ "scope", WEIR_OPT_CHOICE, offsetof(struct red_params, scope), "queue", 0, 0,
	  "which length is compared: of the packet's queue or of its port", scopes },
	{ "at", WEIR_OPT_CHOICE, offsetof(struct red_params, at), "enqueue", 0, 0,
	  "when it is compared: at enqueue or at dequeue", places },
	{ "drop-min", WEIR_OPT_LENGTH, offsetof(struct red_params, drop_min), "0B", 0, LENGTH_MAX,
	  "with drop-max: queue length below which no packet is dropped", NULL },
	{ "drop-max", WEIR_OPT_LENGTH, offsetof(struct red_params, drop_max), "0B", 0, LENGTH_MAX,
	  "WRED of packets that are not ECN-capable: from this length on all of them are "
	  "dropped; 0B: they are dropped where others would be marked, or pass (switch.non-ect)",
	  NULL },
	{ "drop-p", WEIR_OPT_FRACTION_Q32, offsetof(struct red_params, drop_p_q32), DROP_P_DEFAULT,
	  0, WEIR_ONE_Q32, "with drop-max: drop probability at it, linear from 0 at drop-min",
	  NULL },
	{ .name = NULL },
};

static int red_is_given(const struct red_params *p, const char *name)
{
	return !weir_option_is_default(weir_option_find(red_options, name), p);
}

/* The line of packets that cannot be marked. */
static int red_check_drop(const struct red_params *p, struct weir_error *e)
{
	if (weir_length_number(p->drop_max) == 0)
		return red_is_given(p, "drop-min") || red_is_given(p, "drop-p") ||
				       red_is_given(p, "drop-max")
			       ? weir_error_set(e, "drop-min and drop-p need drop-max; give that "
						   "too")
			       : 0;
	if (weir_length_is_packets(p->drop_max) != weir_length_is_packets(p->min) ||
	    (weir_length_number(p->drop_min) &&
	     weir_length_is_packets(p->drop_min) != weir_length_is_packets(p->min)))
		return weir_error_set(
			e, "drop-min and drop-max must be in bytes or in packets as min is");
	if (weir_length_number(p->drop_min) > weir_length_number(p->drop_max))
		return weir_error_set(e, "drop-min is above drop-max");
	return 0;
}

static int red_check(const void *params, struct weir_error *e)
{
	const struct red_params *p = params;

	if (weir_length_is_packets(p->min) != weir_length_is_packets(p->max))
		return weir_error_set(e, "min and max must both be in bytes or both in packets");
	if (p->min > p->max)
		return weir_error_set(e, "min is above max");
	if (p->slope_q32 && weir_length_is_packets(p->min))
		return weir_error_set(e, "slope is per MB, so min and max must be in bytes");
	if (p->slope_q32 && red_is_given(p, "p"))
		return weir_error_set(e,
				      "p and slope are two ways to give the marking probability; "
				      "give one");
	if (p->scope == RED_PORT && p->weight_q32 != WEIR_ONE_Q32)
		return weir_error_set(e, "an average is kept per queue; scope=port needs weight=1");
	if (p->at == RED_AT_DEQUEUE && p->weight_q32 != WEIR_ONE_Q32)
		return weir_error_set(
			e, "the average is updated by arrivals; at=dequeue needs weight=1");
	return red_check_drop(p, e);
}

static uint32_t red_needs(const void *params)
{
	const struct red_params *p = params;

	if (p->at == RED_AT_DEQUEUE)
		return WEIR_MARK_NEEDS_DEQUEUE;
	return WEIR_MARK_NEEDS_ENQUEUE |
	       (p->weight_q32 == WEIR_ONE_Q32 ? 0u : WEIR_MARK_NEEDS_DEQUEUE);
}

/* An average needs every arrival; the length as it is only those from where the first line
 * begins. */
static uint64_t red_quiet_below(const void *params)
{
	const struct red_params *p = params;

	if (p->weight_q32 != WEIR_ONE_Q32)
		return 0;
	return p->drop_max && weir_length_number(p->drop_min) < weir_length_number(p->min)
		       ? p->drop_min
		       : p->min;
}

static void red_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct red_state *s = state;

	(void)params;
	s->rng = weir_rng_make(env->seed, 0, WEIR_RNG_MARKING);
	average_init(&s->average, env);
}

static uint64_t red_length(const struct red_params *p, const struct weir_mark_view *v)
{
	if (weir_length_is_packets(p->min))
		return p->scope == RED_PORT ? v->port_pkts : v->queue_pkts;
	return p->scope == RED_PORT ? v->port_bytes : v->queue_bytes;
}

/* Probability on the ramp: p (q - min) / (max - min), or slope (q - min) / 1 MB. */
static uint32_t red_verdict(struct red_state *s, const struct red_params *p, uint64_t length_q31)
{
	uint64_t min_q31 = weir_length_number(p->min) << AVERAGE_BITS;
	uint64_t max_q31 = weir_length_number(p->max) << AVERAGE_BITS;
	uint64_t rise_q32 = p->p_q32, run_q31 = max_q31 - min_q31;

	if (length_q31 < min_q31)
		return WEIR_MARK_PASS;
	if (length_q31 >= max_q31)
		return WEIR_MARK_CE | weir_mark_reason(RED_MAX);
	if (p->slope_q32) {
		rise_q32 = p->slope_q32;
		run_q31 = (uint64_t)RAMP_BYTES_PER_MB << AVERAGE_BITS;
	}
	if (ramp_hits(weir_rng_u32(&s->rng), rise_q32, length_q31 - min_q31, run_q31))
		return WEIR_MARK_CE | weir_mark_reason(RED_RAMP);
	return WEIR_MARK_PASS;
}

/* The second line, for packets that are not ECN-capable: drops. */
static uint32_t red_drop_verdict(struct red_state *s, const struct red_params *p,
				 uint64_t length_q31)
{
	uint64_t min_q31 = weir_length_number(p->drop_min) << AVERAGE_BITS;
	uint64_t max_q31 = weir_length_number(p->drop_max) << AVERAGE_BITS;

	if (length_q31 < min_q31)
		return WEIR_MARK_PASS;
	if (length_q31 >= max_q31)
		return WEIR_MARK_DROP;
	if (ramp_hits(weir_rng_u32(&s->rng), p->drop_p_q32, length_q31 - min_q31,
		      max_q31 - min_q31))
		return WEIR_MARK_DROP;
	return WEIR_MARK_PASS;
}

/* Decides by the line that applies to the packet. */
static uint32_t red_decide(struct red_state *s, const struct red_params *p,
			   const struct weir_mark_view *v, uint64_t length_q31)
{
	if (p->drop_max && !(v->ecn & WEIR_PACKET_ECT))
		return red_drop_verdict(s, p, length_q31);
	return red_verdict(s, p, length_q31);
}

static uint32_t red_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct red_state *s = state;
	const struct red_params *p = params;
	uint64_t length = red_length(p, v);

	if (p->at == RED_AT_DEQUEUE)
		return WEIR_MARK_PASS;
	return red_decide(s, p, v,
			  p->weight_q32 == WEIR_ONE_Q32
				  ? length << AVERAGE_BITS
				  : average_arrive(&s->average, p->weight_q32, length, v->now_ns));
}

/* Fast hooks apply without average and second line: the current queue length decides alone. */
static int red_is_fast(const void *params)
{
	const struct red_params *p = params;

	return p->at != RED_AT_DEQUEUE && p->weight_q32 == WEIR_ONE_Q32 && !p->drop_max &&
	       p->scope != RED_PORT && !weir_length_is_packets(p->min);
}

static uint32_t red_enqueue_fast(void *state, const void *params, const struct weir_packet *packet,
				 int64_t now_ns, const struct weir_queue *q)
{
	(void)packet;
	(void)now_ns;
	return red_verdict(state, params, (uint64_t)q->bytes << AVERAGE_BITS);
}

static const struct weir_mark_fast_hooks red_fast_hooks = {
	.suffice = red_is_fast,
	.enqueue = red_enqueue_fast,
};

static uint32_t red_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct red_state *s = state;
	const struct red_params *p = params;

	if (p->at == RED_AT_DEQUEUE)
		return red_decide(s, p, v, red_length(p, v) << AVERAGE_BITS);
	average_depart(&s->average, v);
	return WEIR_MARK_PASS;
}

/* Undefined without averaging. */
static double red_read_average(const void *state, const void *params)
{
	const struct red_state *s = state;
	const struct red_params *p = params;

	return p->weight_q32 == WEIR_ONE_Q32 ? NAN : average_read(&s->average);
}

/* Per MB, in whichever form the line was given; a step has none, and neither has a line over
 * packets. */
static double red_read_slope(const void *state, const void *params)
{
	const struct red_params *p = params;
	uint64_t slope_q32 = p->slope_q32;

	(void)state;
	if (weir_length_is_packets(p->min) || p->min == p->max)
		return NAN;
	if (!slope_q32)
		slope_q32 = weir_tune_slope_q32(p->min, p->max, p->p_q32);
	return (double)slope_q32 / (double)WEIR_ONE_Q32;
}

static const struct weir_mark_value red_values[] = {
	{ "average", "", red_read_average },
	{ "slope", "", red_read_slope },
	{ .name = NULL },
};

/* --- knobs --- */

/* In bytes, at most WEIR_TUNE_LENGTH_MAX. */
static uint64_t red_length_bytes(uint64_t length, uint32_t mtu_bytes)
{
	uint64_t bytes = weir_length_bytes(length, mtu_bytes);

	return bytes < WEIR_TUNE_LENGTH_MAX ? bytes : WEIR_TUNE_LENGTH_MAX;
}

static void red_read_knobs(const void *state, const void *params, uint32_t mtu_bytes,
			   struct weir_tune_knobs *knobs)
{
	const struct red_params *p = params;

	(void)state;
	knobs->min_bytes = red_length_bytes(p->min, mtu_bytes);
	knobs->max_bytes = red_length_bytes(p->max, mtu_bytes);
	knobs->slope_q32 = p->slope_q32;
	if (!p->slope_q32 && knobs->min_bytes < knobs->max_bytes)
		knobs->slope_q32 =
			weir_tune_slope_q32(knobs->min_bytes, knobs->max_bytes, p->p_q32);
}

/* A slope of 0 is a probability of 0, not that p counts. */
static void red_apply_knobs(void *state, void *params, const struct weir_tune_knobs *knobs)
{
	struct red_params *p = params;

	(void)state;
	p->min = knobs->min_bytes;
	p->max = knobs->max_bytes;
	p->slope_q32 = knobs->slope_q32;
	p->p_q32 = 0;
}

static const struct weir_mark_knobs red_knobs = { .read = red_read_knobs,
						  .apply = red_apply_knobs };

const struct weir_mark_ops weir_mark_red = {
	.scheme = {
		.name = "red",
		.help = "RED/WRED: marking probability rises linearly with queue length from min "
			"to max; with drop-max, separate drop thresholds for packets that are "
			"not ECN-capable",
		.cite = "Floyd and Jacobson 1993; Du et al., PRED, NSDI 2025, section 2.1 (slope)",
		.params_size = sizeof(struct red_params),
		.options = red_options,
		.check = red_check,
	},
	.state_size = sizeof(struct red_state),
	.reasons = { [RED_RAMP] = "ramp", [RED_MAX] = "max" },
	.values = red_values,
	.needs = red_needs,
	.quiet_below = red_quiet_below,
	.init = red_init,
	.enqueue = red_enqueue,
	.dequeue = red_dequeue,
	.knobs = &red_knobs,
	.fast_hooks = &red_fast_hooks,
};
