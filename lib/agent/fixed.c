/* fixed.c -- the same setting for every queue, at all times: what agents that learn are compared with. */
#include "weir/agent.h"

struct fixed_params {
	uint64_t min, max; /* WEIR_OPT_LENGTH */
	uint64_t p_q32;
};

#define AT(field) offsetof(struct fixed_params, field)

static const struct weir_option fixed_options[] = {
	{ "min", WEIR_OPT_LENGTH, AT(min), "5KB", 0, WEIR_TUNE_LENGTH_MAX,
	  "below this length no packet is marked", NULL },
	{ "max", WEIR_OPT_LENGTH, AT(max), "200KB", 0, WEIR_TUNE_LENGTH_MAX,
	  "at or above this length every packet is marked", NULL },
	{ "p", WEIR_OPT_FRACTION_Q32, AT(p_q32), "0.01", 0, WEIR_ONE_Q32,
	  "probability just below max, rising in a line from 0 at min", NULL },
	{ .name = NULL },
};

static int fixed_check(const void *params, struct weir_error *e)
{
	const struct fixed_params *p = params;

	if (weir_length_is_packets(p->min) != weir_length_is_packets(p->max))
		return weir_error_set(e, "min and max must both be in bytes or both in packets");
	return p->min <= p->max ? 0 : weir_error_set(e, "min is above max");
}

/* Nothing to decide, so the interval matters to nobody. */
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

static uint64_t length_bytes(uint64_t length, uint32_t mtu_bytes)
{
	uint64_t bytes =
		weir_length_number(length) * (weir_length_is_packets(length) ? mtu_bytes : 1);

	return bytes < WEIR_TUNE_LENGTH_MAX ? bytes : WEIR_TUNE_LENGTH_MAX;
}

static void fixed_init(void *state, const void *params, const struct weir_agent_env *env,
		       struct weir_tune_knobs *knobs)
{
	const struct fixed_params *p = params;

	(void)state;
	for (uint32_t q = 0; q < env->queue_count; q++) {
		uint64_t min_bytes = length_bytes(p->min, env->queues[q].mtu_bytes);
		uint64_t max_bytes = length_bytes(p->max, env->queues[q].mtu_bytes);

		knobs[q] = (struct weir_tune_knobs){ min_bytes, max_bytes, 0 };
		if (min_bytes < max_bytes)
			knobs[q].slope_q32 = weir_tune_slope_q32(min_bytes, max_bytes, p->p_q32);
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
