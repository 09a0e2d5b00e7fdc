/* SPDX-License-Identifier: BSD-3-Clause */
/* setting.c -- see setting.h. */
#include "weir/compiler.h"
#include "keeper/core/setting.h"
#include "lib/agent/line.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

static uint64_t ppm_q32(uint32_t ppm)
{
	return ((uint64_t)ppm << 32) / KEEPER_PPM;
}

/* Rounded to the nearest; at most all. */
static uint32_t q32_ppm(uint64_t q32)
{
	uint64_t most = q32 < WEIR_ONE_Q32 ? q32 : WEIR_ONE_Q32;

	return (uint32_t)((most * KEEPER_PPM + WEIR_ONE_Q32 / 2) >> 32);
}

uint64_t keeper_setting_value(const struct keeper_setting *s, enum keeper_value value)
{
	const uint64_t values[KEEPER_VALUES] = { s->min_bytes, s->max_bytes, s->p_ppm };

	return values[value];
}

struct keeper_values_text keeper_values_format(unsigned values)
{
	static const char *const names[KEEPER_VALUES] = { "min", "max", "p" };
	struct keeper_values_text t = { "" };

	for (unsigned v = 0; v < KEEPER_VALUES; v++) {
		const size_t used = strlen(t.text);

		if (values & (1u << v))
			snprintf(t.text + used, sizeof(t.text) - used, "%s%s", used ? ", " : "",
				 names[v]);
	}
	return t;
}

struct weir_tune_knobs keeper_setting_knobs(const struct keeper_setting *s)
{
	return agent_line(s->min_bytes, s->max_bytes, ppm_q32(s->p_ppm));
}

int keeper_setting_is_within(const struct keeper_setting *s, const struct keeper_bounds *b)
{
	return s->min_bytes <= s->max_bytes && s->min_bytes >= b->min_from_bytes &&
	       s->min_bytes <= b->min_to_bytes && s->max_bytes >= b->max_from_bytes &&
	       s->max_bytes <= b->max_to_bytes && s->p_ppm >= q32_ppm(b->p_from_q32) &&
	       s->p_ppm <= q32_ppm(b->p_to_q32);
}

struct range {
	uint64_t from, to;
};

static uint64_t setting_clamp(uint64_t value, struct range r)
{
	return value < r.from ? r.from : value < r.to ? value : r.to;
}

/* What the bounds leave of a step to both sides. */
static struct range setting_step_range(uint64_t now, uint64_t step, struct range bounds)
{
	struct range r = { now > step ? now - step : 0, now + step };

	r.from = r.from > bounds.from ? r.from : bounds.from;
	r.to = r.to < bounds.to ? r.to : bounds.to;
	return r;
}

/* Lengths are below 2^31 and a step is at most 2^32: no overflow. */
static uint64_t setting_length_step(uint64_t now, const struct keeper_bounds *b)
{
	return (now * b->step_q32) >> 32;
}

/* A multiple of the unit that lies in the range, the nearest to p; what is in force where there is
 * none. */
static uint32_t setting_allow_p(uint32_t now_ppm, uint64_t p_ppm, const struct keeper_bounds *b,
				uint32_t unit_ppm)
{
	const struct range bounds = { q32_ppm(b->p_from_q32), q32_ppm(b->p_to_q32) };
	struct range r = setting_step_range(now_ppm, q32_ppm(b->p_step_q32), bounds);
	uint64_t units = (setting_clamp(p_ppm, r) + unit_ppm / 2) / unit_ppm;

	if (units * unit_ppm > r.to)
		units--;
	if (units * unit_ppm < r.from)
		units++;
	return units * unit_ppm > r.to ? now_ppm : (uint32_t)(units * unit_ppm);
}

/* Where min would come to lie above max it is max. That is inside the bounds, as those of min are
 * not above those of max, and inside the step, which is the same part of both and min was not above
 * max before. */
int keeper_setting_allow(const struct keeper_setting *now, const struct weir_tune_knobs *desired,
			 const struct keeper_bounds *b, uint32_t p_unit_ppm,
			 struct keeper_setting *allowed)
{
	const struct range min = { b->min_from_bytes, b->min_to_bytes };
	const struct range max = { b->max_from_bytes, b->max_to_bytes };

	*allowed = *now;
	if (!weir_tune_knobs_are_good(desired))
		return -1;
	allowed->min_bytes = setting_clamp(
		desired->min_bytes,
		setting_step_range(now->min_bytes, setting_length_step(now->min_bytes, b), min));
	allowed->max_bytes = setting_clamp(
		desired->max_bytes,
		setting_step_range(now->max_bytes, setting_length_step(now->max_bytes, b), max));
	if (allowed->min_bytes > allowed->max_bytes)
		allowed->min_bytes = allowed->max_bytes;
	allowed->p_ppm =
		setting_allow_p(now->p_ppm, q32_ppm(weir_tune_p_q32(desired)), b, p_unit_ppm);
	return 0;
}

/* --- what switches count --- */

/* Counters that are older than the interval, or garbage, can say more than the lines carry in
 * it. */
static uint64_t telemetry_limit_bytes(uint64_t bytes, uint64_t rate_bps, int64_t interval_ns)
{
	weir_u128 most =
		(weir_u128)rate_bps * (uint64_t)interval_ns / (UINT64_C(8) * WEIR_NS_PER_S);

	return bytes < most ? bytes : (uint64_t)most;
}

static uint64_t telemetry_queue_length(uint64_t bytes)
{
	return bytes < WEIR_TUNE_LENGTH_MAX ? bytes : WEIR_TUNE_LENGTH_MAX;
}

/* A switch says how long a queue is and was at most, but not its mean: half of what it was at both
 * ends. */
static uint64_t telemetry_mean_bytes(uint64_t before, uint64_t after, uint64_t most)
{
	uint64_t mean = before / 2 + after / 2;

	return mean < most ? mean : most;
}

int keeper_telemetry(const struct keeper_counters *before, const struct keeper_counters *after,
		     int64_t interval_ns, uint32_t mtu_bytes, struct weir_tune_telemetry *t)
{
	uint64_t in_interval[KEEPER_COUNTS], watermark = after->watermark_bytes;

	for (uint32_t i = 0; i < KEEPER_COUNTS; i++) {
		if (after->since_start[i] < before->since_start[i])
			return -1;
		in_interval[i] = after->since_start[i] - before->since_start[i];
	}
	*t = (struct weir_tune_telemetry){
		.interval_ns = interval_ns,
		.rate_bps = after->rate_bps,
		.out_bytes = telemetry_limit_bytes(in_interval[KEEPER_OUT_BYTES], after->rate_bps,
						   interval_ns),
		.marked_pkts = in_interval[KEEPER_MARKED_PKTS],
		.ce_bytes = in_interval[KEEPER_MARKED_BYTES],
		.queue_max_bytes = telemetry_queue_length(
			watermark > after->queue_bytes ? watermark : after->queue_bytes),
		.queue_end_bytes = telemetry_queue_length(after->queue_bytes),
		.mtu_bytes = mtu_bytes,
	};
	t->queue_mean_bytes = telemetry_mean_bytes(telemetry_queue_length(before->queue_bytes),
						   t->queue_end_bytes, t->queue_max_bytes);
	if (!t->ce_bytes)
		t->ce_bytes = t->marked_pkts * mtu_bytes;
	if (t->ce_bytes > t->out_bytes)
		t->ce_bytes = t->out_bytes;
	return 0;
}
