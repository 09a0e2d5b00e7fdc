/* SPDX-License-Identifier: BSD-3-Clause */
/* fixed.c -- one constant setting for every queue: the baseline for agents that learn. */
#include "weir/tune.h"
#include "weir/agent.h"

struct fixed_params {
	uint64_t min, max; /* WEIR_OPT_LENGTH */
	uint64_t p_q32;
	uint64_t thresholds; /* enum fixed_thresholds */
};

enum fixed_thresholds { FIXED_AS_GIVEN, FIXED_BY_RATE };

static const char *const thresholds_names[] = { "fixed", "rate", NULL };

#define LENGTH_MAX (UINT64_C(4) * 1000 * 1000 * 1000)
#define AT(field) offsetof(struct fixed_params, field)

static const struct weir_option fixed_options[] = {
	{ "min", WEIR_OPT_LENGTH, AT(min), "5KB", 0, LENGTH_MAX,
	  "below this length no packet is marked", NULL },
	{ "max", WEIR_OPT_LENGTH, AT(max), "200KB", 0, LENGTH_MAX,
	  "at or above this length every packet is marked", NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, AT(p_q32), "0.01", 0, WEIR_ONE_Q32,
	  "probability just below max, rising in a line from 0 at min", NULL },
	{ "thresholds", WEIR_OPT_CHOICE, AT(thresholds), "fixed", 0, 0,
	  "as they are given, or those times the port's rate / 25 Gb/s", thresholds_names },
	{ .name = NULL },
};

static int fixed_check(const void *params, struct weir_error *e)
{
	const struct fixed_params *p = params;

	if (weir_length_is_packets(p->min) != weir_length_is_packets(p->max))
		return weir_error_set(e, "min and max must both be in bytes or both in packets");
	return p->min <= p->max ? 0 : weir_error_set(e, "min is above max");
}

/* Nothing is decided, so any interval will do. */
static int64_t fixed_interval_ns(const void *params, int64_t rtt_ns)
{
	(void)params;
	return 100 * rtt_ns;
}

static size_t fixed_size(const void *params, const struct weir_agent_env *env)
{
	(void)params;
	(void)env;
	return 0;
}

/* A length in bytes for that queue. The capped length is below 2^32 bytes and the rate below 2^23
 * Mb/s, so the product cannot overflow. */
static uint64_t fixed_length_bytes(const struct fixed_params *p, uint64_t length,
				   const struct weir_agent_queue *q)
{
	const uint64_t bps_per_mbps = 1000 * 1000, reference_mbps = 25 * 1000;
	uint64_t bytes = weir_length_bytes(length, q->mtu_bytes);

	if (bytes > WEIR_TUNE_LENGTH_MAX)
		bytes = WEIR_TUNE_LENGTH_MAX;
	if (p->thresholds == FIXED_BY_RATE)
		bytes = bytes * (q->rate_bps / bps_per_mbps) / reference_mbps;
	return bytes < WEIR_TUNE_LENGTH_MAX ? bytes : WEIR_TUNE_LENGTH_MAX;
}

static void fixed_init(void *state, const void *params, const struct weir_agent_env *env,
		       struct weir_tune_knobs *knobs)
{
	const struct fixed_params *p = params;

	(void)state;
	for (uint32_t q = 0; q < env->queue_count; q++) {
		uint64_t min_bytes = fixed_length_bytes(p, p->min, &env->queues[q]);
		uint64_t max_bytes = fixed_length_bytes(p, p->max, &env->queues[q]);

		knobs[q] = weir_tune_knobs_of(min_bytes, max_bytes, p->p_q32);
	}
}

static void fixed_step(void *state, const void *params, const struct weir_agent_env *env,
		       const struct weir_tune_telemetry *telemetry, struct weir_tune_knobs *knobs)
{
	(void)state;
	(void)params;
	(void)env;
	(void)telemetry;
	(void)knobs;
}

const struct weir_agent_ops weir_agent_fixed = {
	.scheme = {
		.name = "fixed",
		.help = "one setting for every queue, which never changes",
		.params_size = sizeof(struct fixed_params),
		.options = fixed_options,
		.check = fixed_check,
	},
	.interval_ns = fixed_interval_ns,
	.size = fixed_size,
	.init = fixed_init,
	.step = fixed_step,
};
