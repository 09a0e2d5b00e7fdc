/* SPDX-License-Identifier: BSD-3-Clause */
/* units.h -- conversions between units. Names of quantities carry their unit: _ps, _ns, _bytes,
 * _bps, _q20. All conversions in the project are functions of this file. */
#ifndef WEIR_UNITS_H
#define WEIR_UNITS_H
#include "weir/compiler.h"
#include "weir/begin.h"
#include <stdint.h>

WEIR_BEGIN

enum {
	WEIR_PS_PER_NS = 1000,
	WEIR_NS_PER_US = 1000,
	WEIR_NS_PER_MS = 1000 * 1000,
	WEIR_NS_PER_S = 1000 * 1000 * 1000,
	WEIR_BITS_PER_BYTE = 8,
	/* Wire time beyond the frame itself: preamble 7, delimiter 1, interframe gap 12. */
	WEIR_ETHERNET_OVERHEAD_BYTES = 20,
	WEIR_ETHERNET_MIN_FRAME_BYTES = 64,
};

#define WEIR_PS_PER_S INT64_C(1000000000000)
#define WEIR_TIME_NEVER_PS INT64_MAX

static inline int64_t weir_ns_to_ps(int64_t ns)
{
	return ns * WEIR_PS_PER_NS;
}

/* Rounds down; exact for the whole nanoseconds that schemes compare with. Times are never negative,
 * and the unsigned division compiles to one multiplication. */
static inline int64_t weir_ps_to_ns(int64_t ps)
{
	return (int64_t)((uint64_t)ps / WEIR_PS_PER_NS);
}

static inline double weir_ps_to_s(int64_t ps)
{
	return (double)ps / (double)WEIR_PS_PER_S;
}

/* Time to send one byte, in picoseconds scaled by 2^20, rounded to nearest. Exact for every rate
 * that divides 8 Tb/s (1, 10, 25, 40, 100, 400, 800 Gb/s); otherwise off by less than 2^-21 ps a
 * byte. From 1 Mb/s up the result stays below 2^43. */
static inline uint64_t weir_bps_to_ps_per_byte_q20(uint64_t bps)
{
	weir_u128 ps_q20 = ((weir_u128)WEIR_BITS_PER_BYTE * (weir_u128)WEIR_PS_PER_S) << 20;

	return (uint64_t)((ps_q20 + bps / 2) / bps);
}

/* Bytes that a line carries in a time, rounded up; ps < 2^50 (18 minutes), rate < 2^43 (8 Tb/s). */
static inline uint64_t weir_ps_to_bytes(int64_t ps, uint64_t rate_bps)
{
	return (uint64_t)(((weir_u128)ps * rate_bps + 8 * (weir_u128)WEIR_PS_PER_S - 1) /
			  (8 * (weir_u128)WEIR_PS_PER_S));
}

/* Serialisation delay. bytes < 2^17 and ps_per_byte_q20 < 2^43, so the product fits 60 bits. */
static inline int64_t weir_bytes_to_ps(uint32_t bytes, uint64_t ps_per_byte_q20)
{
	return (int64_t)((bytes * ps_per_byte_q20) >> 20);
}

/* Bytes that a line carries in a time, rounded down; 128 bits suffice for hours at 800 Gb/s. */
static inline uint64_t weir_bps_times_ns_to_bytes(uint64_t rate_bps, uint64_t ns)
{
	return (uint64_t)((weir_u128)rate_bps * ns /
			  ((uint64_t)WEIR_NS_PER_S * WEIR_BITS_PER_BYTE));
}

static inline double weir_bytes_to_bits(double bytes)
{
	return bytes * WEIR_BITS_PER_BYTE;
}

WEIR_END
#endif
