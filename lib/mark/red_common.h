/* SPDX-License-Identifier: BSD-3-Clause */
/* red_common.h -- what RED and the schemes derived from it share: the marking line and the moving
 * average of the queue length. Integers only; each state belongs to one queue and its thread. */
#ifndef MARK_RED_COMMON_H
#define MARK_RED_COMMON_H
#include "weir/compiler.h"
#include "weir/mark.h"
#include "weir/units.h"

/* --- the marking line, from probability 0 to 1 ---
 *
 * The same line has two forms (Du et al., "PRED", NSDI 2025, section 2.1): two points, probability
 * 0 at min and p at max; or a point and a slope in probability per MB above min. slope = p / (max -
 * min): min 5 KB, max 200 KB, p 0.1 is 0.51 per MB. weir/tune.h converts one into the other. */

enum { RAMP_BYTES_PER_MB = 1000 * 1000 };

/* Does a random 32-bit number fall below rise_q32 * above / run? Compared without dividing, so that
 * the probability is the exact one rounded up to a multiple of 2^-32. Both products fit 128
 * bits. */
static inline int ramp_hits(uint32_t random, uint64_t rise_q32, uint64_t above, uint64_t run)
{
	return (weir_u128)random * run < (weir_u128)rise_q32 * above;
}

/* --- the moving average ---
 *
 * Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Trans.
 * Networking 1(4), 1993, section 4: avg <- (1 - w) avg + w q at each arrival; after an idle time in
 * which m packets of the largest size could have been sent, first avg <- (1 - w)^m avg. A scheme
 * calls average_arrive for every packet at enqueue and average_depart at dequeue. Lengths are in
 * bytes or in packets, below 2^32. */

enum { AVERAGE_BITS = 31 };

struct average {
	uint64_t value_q31;
	int64_t idle_since_ns; /* the line was free and the queue empty from here on */
	uint64_t ps_per_byte_q20;
	uint32_t mtu_bytes;
	uint32_t is_empty;
};

static inline void average_init(struct average *a, const struct weir_mark_env *env)
{
	a->ps_per_byte_q20 = weir_bps_to_ps_per_byte_q20(env->rate_bps);
	a->mtu_bytes = env->mtu_bytes;
}

static inline uint64_t average_times_q32(uint64_t x, uint64_t factor_q32)
{
	return (uint64_t)((weir_u128)x * factor_q32 >> 32);
}

/* base^exponent by squaring; base <= 1. Each of the at most 126 products is rounded down and none
 * exceeds 1, so the result is less than 126 * 2^-32 too small. */
static inline uint64_t average_power_q32(uint64_t base_q32, uint64_t exponent)
{
	uint64_t power_q32 = WEIR_ONE_Q32;

	for (; exponent > 0 && power_q32 > 0; exponent >>= 1) {
		if (exponent & 1)
			power_q32 = average_times_q32(power_q32, base_q32);
		base_q32 = average_times_q32(base_q32, base_q32);
	}
	return power_q32;
}

static inline int64_t average_send_ns(const struct average *a, uint32_t bytes)
{
	return weir_ps_to_ns(weir_bytes_to_ps(bytes, a->ps_per_byte_q20));
}

/* An arriving packet finds this length. The step is rounded towards the average, which therefore
 * stops within 2^-31 / w of a constant length; length and average fit 63 bits. */
static inline uint64_t average_arrive(struct average *a, uint64_t weight_q32, uint64_t length,
				      int64_t now_ns)
{
	uint64_t length_q31 = length << AVERAGE_BITS, value_q31 = a->value_q31;

	if (a->is_empty && now_ns > a->idle_since_ns) {
		uint64_t idle_ns = (uint64_t)(now_ns - a->idle_since_ns);
		uint64_t packet_ns = (uint64_t)average_send_ns(a, a->mtu_bytes);
		uint64_t missed = idle_ns / (packet_ns ? packet_ns : 1);

		value_q31 = average_times_q32(value_q31,
					      average_power_q32(WEIR_ONE_Q32 - weight_q32, missed));
	}
	a->is_empty = 0;
	if (length_q31 >= value_q31)
		value_q31 += average_times_q32(length_q31 - value_q31, weight_q32);
	else
		value_q31 -= average_times_q32(value_q31 - length_q31, weight_q32);
	a->value_q31 = value_q31;
	return value_q31;
}

/* A packet leaves; v is the view of the dequeue hook. */
static inline void average_depart(struct average *a, const struct weir_mark_view *v)
{
	if (v->queue_pkts == 0) {
		a->is_empty = 1;
		a->idle_since_ns = v->now_ns + average_send_ns(a, v->packet_bytes);
	}
}

/* In units of the length, for probes. */
static inline double average_read(const struct average *a)
{
	return (double)a->value_q31 / (double)(UINT64_C(1) << AVERAGE_BITS);
}
#endif
