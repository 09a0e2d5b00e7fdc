/* SPDX-License-Identifier: BSD-3-Clause */
/* setting.c -- limits of changes, and telemetry from counters. Contract in setting.h. */
#include "weir/compiler.h"
#include "keeper/core/setting.h"
#include "weir/tune.h"
#include "weir/units.h"
#include <stdio.h>
#include <string.h>

/* Rounds to the nearest ppm; at most 10^6. */
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
	return weir_tune_knobs_of(s->min_bytes, s->max_bytes,
				  ((uint64_t)s->p_ppm << 32) / KEEPER_PPM);
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

/* Intersects the bounds with now +- step. */
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

/* The multiple of the unit in the range that is nearest to p; the value in force if there is
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

/* If min would exceed max it becomes max. That is inside the bounds, because those of min are not
 * above those of max, and inside the step, which is the same fraction for both, with min <= max
 * before. */
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

/* --- telemetry --- */

/* Upper bound for the bytes of an interval: stale or corrupt counters can report more than the
 * links carry. */
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
	/* Switches report current and maximum queue length but not the mean, which is approximated
	 * by the average of both ends. */
	t->queue_mean_bytes =
		telemetry_queue_length(before->queue_bytes) / 2 + t->queue_end_bytes / 2;
	if (t->queue_mean_bytes > t->queue_max_bytes)
		t->queue_mean_bytes = t->queue_max_bytes;
	if (!t->ce_bytes)
		t->ce_bytes = t->marked_pkts * mtu_bytes;
	if (t->ce_bytes > t->out_bytes)
		t->ce_bytes = t->out_bytes;
	return 0;
}
