/* SPDX-License-Identifier: BSD-3-Clause */
/* average.h -- the moving average of a queue's length by which RED and its kin decide.
 *
 * Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM Trans.
 * Networking 1(4), 1993, section 4: avg <- (1 - w) avg + w q at each arrival; after an idle time in
 * which m packets could have been sent, first avg <- (1 - w)^m avg. Packets of the largest size are
 * meant. A scheme calls average_arrive for every packet that comes and average_depart for every one
 * that leaves. Lengths are in bytes or in packets, below 2^32. */
#ifndef MARK_AVERAGE_H
#define MARK_AVERAGE_H
#include "weir/compiler.h"
#include "weir/mark.h"
#include "weir/units.h"

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

/* A packet finds the queue that long. The step is rounded towards the average, which therefore
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

/* A packet leaves; v is what the dequeue hook was shown. */
static inline void average_depart(struct average *a, const struct weir_mark_view *v)
{
	if (v->queue_pkts == 0) {
		a->is_empty = 1;
		a->idle_since_ns = v->now_ns + average_send_ns(a, v->packet_bytes);
	}
}

/* For whoever watches. */
static inline double average_read(const struct average *a)
{
	return (double)a->value_q31 / (double)(UINT64_C(1) << AVERAGE_BITS);
}
#endif
