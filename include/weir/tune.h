/* SPDX-License-Identifier: BSD-3-Clause */
/* tune.h -- interface of tuners: control loops that adjust the marking line of one queue from its
 * telemetry.
 *
 * A tuner receives telemetry once per interval and returns knobs. It has no access to ports or
 * clocks, so the same code runs inside a marking scheme (lib/tune/loop.h), in a software switch,
 * and against the management interface of a real switch. It runs per interval, not per packet, so
 * it may use floating point. Calls for one state are never concurrent; it must not allocate. */
#ifndef WEIR_TUNE_H
#define WEIR_TUNE_H
#include "weir/compiler.h"
#include "weir/begin.h"
#include "weir/option.h"
#include "weir/scheme.h"

WEIR_BEGIN

/* RED's marking line: probability 0 up to min, then rising by slope per MB. */
struct weir_tune_knobs {
	uint64_t min_bytes;
	uint64_t max_bytes; /* probability 1 from here on */
	uint64_t slope_q32; /* per MB */
};

/* Ranges: the longest queue, and a rise from 0 to 1 within a byte. */
#define WEIR_TUNE_LENGTH_MAX ((uint64_t)UINT32_MAX)
#define WEIR_TUNE_SLOPE_MAX_Q32 (UINT64_C(1000) * 1000 * WEIR_ONE_Q32)

/* The same line by two points, probability 0 at min and p at max (PRED, NSDI 2025, section 2.1):
 * the slope, per MB, rounded down. max > min. */
static inline uint64_t weir_tune_slope_q32(uint64_t min_bytes, uint64_t max_bytes, uint64_t p_q32)
{
	return (uint64_t)((weir_u128)p_q32 * 1000 * 1000 / (max_bytes - min_bytes));
}

/* The probability that the line reaches at max; may exceed 1; rounded down. */
static inline uint64_t weir_tune_p_q32(const struct weir_tune_knobs *k)
{
	return (uint64_t)((weir_u128)k->slope_q32 * (k->max_bytes - k->min_bytes) / (1000 * 1000));
}

/* The knobs of a setting as switches have it, (K_min, K_max, P_max): slope P_max / (K_max - K_min),
 * per MB, rounded to the nearest. Where both thresholds are equal the line rises to P_max within a
 * byte. p_q32 <= 2^32, so the product is below 2^52. */
static inline struct weir_tune_knobs weir_tune_knobs_of(uint64_t min_bytes, uint64_t max_bytes,
							uint64_t p_q32)
{
	const uint64_t mb_bytes = 1000 * 1000;
	uint64_t width = max_bytes > min_bytes ? max_bytes - min_bytes : 1;
	struct weir_tune_knobs k = { min_bytes, max_bytes, (p_q32 * mb_bytes + width / 2) / width };

	return k;
}

/* Are the knobs in range? Their owner checks this before it applies them. */
static inline int weir_tune_knobs_are_good(const struct weir_tune_knobs *k)
{
	return k->min_bytes <= k->max_bytes && k->max_bytes <= WEIR_TUNE_LENGTH_MAX &&
	       k->slope_q32 <= WEIR_TUNE_SLOPE_MAX_Q32;
}

/* Measurements of one interval, of a port or of one of its queues. */
struct weir_tune_telemetry {
	int64_t interval_ns;
	uint64_t rate_bps;
	uint64_t out_bytes;
	uint64_t marked_pkts;
	uint64_t ce_bytes; /* part of out_bytes that left with CE, set here or upstream */
	uint64_t queue_mean_bytes, queue_max_bytes, queue_end_bytes;
	uint32_t flows; /* active ones; 0: unknown */
	uint32_t mtu_bytes;
};

/* A value that a tuner publishes for probes. */
struct weir_tune_value {
	const char *name; /* NULL ends a table */
	const char *unit;
	double (*read)(const void *state, const void *params);
};

struct weir_tune_ops {
	struct weir_scheme scheme;
	size_t state_size;
	const struct weir_tune_value *values; /* ends with .name == NULL; NULL: none */
	/* On an idle line (nothing sent, nothing queued) the tuner's state is periodic with this
	 * many steps, from the third period on: the owner may skip whole periods. 0: it may not. */
	uint32_t idle_steps;
	/* The state is zeroed before. knobs: on entry the initial ones, on return those for the
	 * first interval. */
	void (*init)(void *state, const void *params, uint32_t mtu_bytes,
		     struct weir_tune_knobs *knobs);
	/* At the end of an interval. knobs: on entry those last returned, on return those for the
	 * next interval. */
	void (*step)(void *state, const void *params, const struct weir_tune_telemetry *t,
		     struct weir_tune_knobs *knobs);
};

extern const struct weir_tune_ops *const weir_tune_all[]; /* ends with NULL */

const struct weir_tune_ops *weir_tune_find(const char *name);

/* Parses "qla(beta=0.4)" into ops and params (WEIR_SPEC_PARAMS_MAX bytes, 8-aligned). -1 with a
 * message. */
int weir_tune_parse(const char *spec, const struct weir_tune_ops **ops, void *params,
		    struct weir_error *e);

WEIR_END
#endif
