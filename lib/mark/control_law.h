/* SPDX-License-Identifier: BSD-3-Clause */
/* control_law.h -- ever shorter steps between marks: interval / sqrt(count).
 *
 * RFC 8289, section 5.6 (control_law): the throughput of TCP goes with one over the square root of
 * its marks, so marks that come closer by that root lower it step by step. CoDel and ECN# share
 * it. */
#ifndef MARK_CONTROL_LAW_H
#define MARK_CONTROL_LAW_H
#include <stdint.h>

/* Largest r with r * r <= n, two bits of n at a time from its highest on. */
static inline uint64_t control_law_root(uint64_t n)
{
	uint64_t root = 0, highest = n ? (63 - (uint32_t)__builtin_clzll(n)) & ~1u : 0;

	for (uint64_t bit = UINT64_C(1) << highest; bit > 0; bit >>= 2) {
		uint64_t take = n >= root + bit;

		n -= take ? root + bit : 0;
		root = (root >> 1) + (take ? bit : 0);
	}
	return root;
}

/* t + interval / sqrt(count), here as t + floor(sqrt(floor(interval^2 / count))), which is the same
 * rounded down: at most 1 ns early. interval <= 10^9 ns, so that its square fits. Runs once a mark,
 * not once a packet. */
static inline int64_t control_law(int64_t t_ns, uint64_t interval_ns, uint32_t count)
{
	return t_ns + (int64_t)control_law_root(interval_ns * interval_ns / count);
}
#endif
