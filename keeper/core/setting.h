/* SPDX-License-Identifier: BSD-3-Clause */
/* setting.h -- a profile's marking thresholds as switches represent them, the bounds of their
 * changes, and a switch's counters.
 *
 * All values are integers, because a setting is read back after a write and compared. */
#ifndef KEEPER_CORE_SETTING_H
#define KEEPER_CORE_SETTING_H
#include "weir/tune.h"
#include <stdint.h>

/* A WRED profile with ECN: queues below min are not marked; the marking probability rises to p at
 * max. */
struct keeper_setting {
	uint64_t min_bytes, max_bytes;
	uint32_t p_ppm; /* parts per million */
};

enum { KEEPER_PPM = 1000 * 1000 };

/* Some switches crash on lengths of 0 or above a signed 32-bit number, so neither is written. */
#define KEEPER_BYTES_MAX UINT64_C(2147483647)

/* Hard bounds, and the largest step from the setting in force. */
struct keeper_bounds {
	uint64_t min_from_bytes, min_to_bytes;
	uint64_t max_from_bytes, max_to_bytes;
	uint64_t p_from_q32, p_to_q32;
	uint64_t step_q32;   /* of min and of max, relative to the present value */
	uint64_t p_step_q32; /* of p */
};

static inline int keeper_setting_equals(const struct keeper_setting *a,
					const struct keeper_setting *b)
{
	return a->min_bytes == b->min_bytes && a->max_bytes == b->max_bytes && a->p_ppm == b->p_ppm;
}

/* Addresses one value of a setting. */
enum keeper_value { KEEPER_MIN, KEEPER_MAX, KEEPER_P, KEEPER_VALUES };

uint64_t keeper_setting_value(const struct keeper_setting *s, enum keeper_value value);

/* Formats a set of values, given as bits 1 << enum keeper_value: "min, p". */
struct keeper_values_text {
	char text[16];
};

struct keeper_values_text keeper_values_format(unsigned values);

struct weir_tune_knobs keeper_setting_knobs(const struct keeper_setting *s);

/* Is it inside the bounds? */
int keeper_setting_is_within(const struct keeper_setting *s, const struct keeper_bounds *b);

/* Limits the tuner's desired setting to the bounds and steps; now is in force and inside the
 * bounds. p is rounded to a multiple of p_unit_ppm. -1: desired is invalid, and allowed is now. */
int keeper_setting_allow(const struct keeper_setting *now, const struct weir_tune_knobs *desired,
			 const struct keeper_bounds *b, uint32_t p_unit_ppm,
			 struct keeper_setting *allowed);

/* --- counters --- */

/* Sums over all queues of a profile. Counters that a switch does not have stay 0. */
enum keeper_count {
	KEEPER_OUT_BYTES,
	KEEPER_DROPS,
	KEEPER_MARKED_PKTS,
	KEEPER_MARKED_BYTES,
	KEEPER_PFC_PKTS, /* pauses received */
	KEEPER_COUNTS,
};

struct keeper_counters {
	uint64_t since_start[KEEPER_COUNTS];
	uint64_t queue_bytes;     /* of the longest queue, at the time of reading */
	uint64_t watermark_bytes; /* of the longest queue, since the previous reading */
	uint64_t rate_bps;        /* sum of all link rates */
};

/* Telemetry of the interval between two readings. -1: a counter decreased, so it was reset, and
 * nothing is known of the interval. */
int keeper_telemetry(const struct keeper_counters *before, const struct keeper_counters *after,
		     int64_t interval_ns, uint32_t mtu_bytes, struct weir_tune_telemetry *t);
#endif
