/* SPDX-License-Identifier: BSD-3-Clause */
/* setting.h -- what a keeper turns, as switches have it; how far it may be turned; and what
 * switches count.
 *
 * Integers throughout: a setting that is written is read back and compared. */
#ifndef KEEPER_CORE_SETTING_H
#define KEEPER_CORE_SETTING_H
#include "weir/tune.h"
#include <stdint.h>

/* A profile of WRED with ECN: nothing is marked below min, with probability p just below max. */
struct keeper_setting {
	uint64_t min_bytes, max_bytes;
	uint32_t p_ppm; /* parts per million */
};

enum { KEEPER_PPM = 1000 * 1000 };

/* What a switch can crash on is never written: more than a signed 32-bit number, or nothing at
 * all. */
#define KEEPER_BYTES_MAX UINT64_C(2147483647)

/* Hard bounds, and the largest step from what is in force. */
struct keeper_bounds {
	uint64_t min_from_bytes, min_to_bytes;
	uint64_t max_from_bytes, max_to_bytes;
	uint64_t p_from_q32, p_to_q32;
	uint64_t step_q32;   /* of min and of max, as a part of what they are */
	uint64_t p_step_q32; /* of p */
};

static inline int keeper_setting_equals(const struct keeper_setting *a,
					const struct keeper_setting *b)
{
	return a->min_bytes == b->min_bytes && a->max_bytes == b->max_bytes && a->p_ppm == b->p_ppm;
}

/* The values of a setting, one at a time. */
enum keeper_value { KEEPER_MIN, KEEPER_MAX, KEEPER_P, KEEPER_VALUES };

uint64_t keeper_setting_value(const struct keeper_setting *s, enum keeper_value value);

/* A set of values, a bit 1 << enum keeper_value each, for people: "min, p". */
struct keeper_values_text {
	char text[16];
};

struct keeper_values_text keeper_values_format(unsigned values);

struct weir_tune_knobs keeper_setting_knobs(const struct keeper_setting *s);

/* Is it inside the bounds? */
int keeper_setting_is_within(const struct keeper_setting *s, const struct keeper_bounds *b);

/* What of the tuner's wish may be written where now is in force and now is inside the bounds: p is
 * a multiple of p_unit_ppm. Returns -1, and allowed is now, where the wish is no setting at all. */
int keeper_setting_allow(const struct keeper_setting *now, const struct weir_tune_knobs *wish,
			 const struct keeper_bounds *b, uint32_t p_unit_ppm,
			 struct keeper_setting *allowed);

/* --- what switches count --- */

/* Of a profile: of all its queues together. What a switch does not count stays 0. */
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
	uint64_t queue_bytes;     /* now, of the longest queue */
	uint64_t watermark_bytes; /* of the longest queue, since the last time */
	uint64_t rate_bps;        /* of all lines together */
};

/* The interval between two readings. Returns -1 where a counter went back: it was reset, and
 * nothing is known. */
int keeper_telemetry(const struct keeper_counters *before, const struct keeper_counters *after,
		     int64_t interval_ns, uint32_t mtu_bytes, struct weir_tune_telemetry *t);
#endif
