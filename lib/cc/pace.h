/* SPDX-License-Identifier: BSD-3-Clause */
/* pace.h -- what RDMA congestion controls share: bounds of the rate, the window that goes with it,
 * the base round trip. Rates are of whole frames; windows are bytes of payload, and 1 packet at
 * least: below that the rate alone holds the sender back. */
#ifndef CC_PACE_H
#define CC_PACE_H
#include "weir/cc.h"
#include "weir/units.h"

static inline double q32_to_double(uint64_t value_q32)
{
	return (double)value_q32 / (double)WEIR_ONE_Q32;
}

/* In floating point; units.h rounds to whole bytes. */
static inline double bps_to_bytes(double rate_bps, double ns)
{
	return rate_bps * ns / ((double)WEIR_NS_PER_S * WEIR_BITS_PER_BYTE);
}

static inline double bytes_to_bps(double bytes, double ns)
{
	return bytes * ((double)WEIR_NS_PER_S * WEIR_BITS_PER_BYTE) / ns;
}

static inline double smaller(double a, double b)
{
	return a < b ? a : b;
}

static inline double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Bounds a rate: at least env->min_rate_bps and 1 bit/s, so that no sender stops for ever; at most
 * the line rate. */
static inline double pace_bound_bps(const struct weir_cc_env *env, double rate_bps)
{
	rate_bps = larger(rate_bps, larger((double)env->min_rate_bps, 1));
	return smaller(rate_bps, (double)env->rate_bps);
}

/* Sets the rate, rounded to the nearest; it is bounded already, so rounding keeps the bounds. */
static inline void pace_rate(struct weir_cc_pace *pace, double rate_bps)
{
	pace->rate_bps = (uint64_t)(rate_bps + 0.5);
}

static inline void pace_window(struct weir_cc_pace *pace, const struct weir_cc_env *env,
			       double window_bytes)
{
	pace->window_bytes = (uint64_t)(larger(window_bytes, env->mss_bytes) + 0.5);
}

/* Largest rate in an option: 1 Tb/s. */
#define PACE_RATE_MAX_BPS UINT64_C(1000000000000)

#define RTT_OPTION(type, member) \
	{ \
		"rtt", WEIR_OPT_TIME_NS, offsetof(type, member), "0us", 0, WEIR_NS_PER_S, \
			"base round-trip time; 0us: that of the network", NULL \
	}

static inline double pace_rtt_ns(const struct weir_cc_env *env, uint64_t option_ns)
{
	return option_ns > 0 ? (double)option_ns : (double)env->base_rtt_ns;
}

/* For a control whose rate is window / base round trip: bounds the window so that the rate is
 * within its own bounds, sets both and returns the window. */
static inline double pace_by_window(struct weir_cc_pace *pace, const struct weir_cc_env *env,
				    double rtt_ns, double window_bytes)
{
	double rate_bps = pace_bound_bps(env, bytes_to_bps(window_bytes, rtt_ns));

	window_bytes = bps_to_bytes(rate_bps, rtt_ns);
	pace_rate(pace, rate_bps);
	pace_window(pace, env, window_bytes);
	return window_bytes;
}
#endif
