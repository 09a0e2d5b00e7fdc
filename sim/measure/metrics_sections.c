/* SPDX-License-Identifier: BSD-3-Clause */
/* metrics_sections.c -- metrics of each [traffic] section: goodput, pauses of its classes, I/Os and
 * rounds of flows (those of jobs: metrics_jobs.c). (Completion times of a section are made from its
 * flows: lab/store/flow_metric.h.) */
#include "sim/measure/metrics.h"
#include "sim/core/switch_pfc.h"
#include "sim/traffic/traffic.h"
#include <math.h>
#include <stdlib.h>

const struct section_metric section_metric_all[SECTION_METRICS] = {
	{ GOODPUT, SECTION_ANY },
	{ PAUSE_TIME, SECTION_LOSSLESS },
	{ PAUSE_FRACTION, SECTION_LOSSLESS },
	{ PAUSE_RATE, SECTION_LOSSLESS },
	{ IOPS, SECTION_IOS },
	{ READ_IOPS, SECTION_IOS },
	{ IO_READ_P50, SECTION_IOS },
	{ IO_READ_P99, SECTION_IOS },
	{ WRITE_IOPS, SECTION_IOS },
	{ IO_WRITE_P50, SECTION_IOS },
	{ IO_WRITE_P99, SECTION_IOS },
	{ ROUND_MEAN, SECTION_ROUNDS },
	{ ROUND_P50, SECTION_ROUNDS },
	{ ROUND_P99, SECTION_ROUNDS },
	{ ITERATIONS, SECTION_JOBS },
	{ ITERATION_MEAN, SECTION_JOBS },
	{ ALGBW, SECTION_JOBS },
	{ BUSBW, SECTION_JOBS },
	{ EXPOSED, SECTION_JOBS },
	{ RANK_LAG, SECTION_JOBS },
	{ JOB_TIME, SECTION_JOBS },
};

int section_metric_find(uint32_t metric)
{
	for (int i = 0; i < SECTION_METRICS; i++)
		if (section_metric_all[i].metric == metric)
			return i;
	return -1;
}

/* Is it one of the section's classes, and lossless? */
static int section_has_lossless_class(const struct config *c, uint32_t section, uint32_t class_id)
{
	const struct traffic_config *t = &c->traffic[section];

	return class_id >= t->class_id && class_id < t->class_id + t->classes &&
	       class_is_lossless(c->lossless, class_id);
}

int section_has(const struct config *c, uint32_t section, enum section_need need)
{
	int found = 0;

	switch (need) {
	case SECTION_IOS:
		return traffic_ends(c->traffic[section].ops) == FLOW_ENDS_IO;
	case SECTION_ROUNDS:
		return traffic_ends(c->traffic[section].ops) == FLOW_ENDS_ROUND ||
		       c->traffic[section].ops->messages == WEIR_MESSAGES_OF_JOB;
	case SECTION_JOBS:
		return c->traffic[section].ops->messages == WEIR_MESSAGES_OF_JOB;
	case SECTION_LOSSLESS:
		for (uint32_t k = 0; k < WEIR_PFC_CLASSES; k++)
			found |= section_has_lossless_class(c, section, k);
		return found;
	case SECTION_ANY:
	case SECTION_NEEDS:
		break;
	}
	return 1;
}

static double *section_values(const struct run_result *r, uint32_t section)
{
	return r->section_value + (uint64_t)section * SECTION_METRICS;
}

void section_set(const struct run_result *r, uint32_t section, enum metric_id metric, double value)
{
	section_values(r, section)[section_metric_find(metric)] = value;
}

static void sections_goodput(const struct measure *m, struct run_result *r, double interval_ps)
{
	double *bytes = memory_zeroed(r->section_count, sizeof(*bytes));

	for (uint32_t i = 0; i < r->flow_count; i++)
		bytes[r->flows[i].traffic] += (double)m->flow_bytes[i];
	for (uint32_t i = 0; i < r->section_count; i++)
		section_set(r, i, GOODPUT,
			    weir_bytes_to_bits(bytes[i]) * (double)WEIR_PS_PER_S / interval_ps);
	free(bytes);
}

/* As in metrics.c, for the section's classes: a class of several sections counts for each. */
static void sections_pauses(const struct measure *m, struct run_result *r, double interval_ps)
{
	double links = (double)m->engine->net->link_count;

	for (uint32_t s = 0; s < r->section_count; s++) {
		double paused_ps = 0, frames = 0;

		if (!section_has(m->config, s, SECTION_LOSSLESS))
			continue;
		for (uint32_t i = 0; i < r->pause_count; i++) {
			if (!section_has_lossless_class(m->config, s, r->pauses[i].class_id))
				continue;
			paused_ps += (double)r->pauses[i].paused_ps;
			frames += (double)r->pauses[i].pauses;
		}
		section_set(r, s, PAUSE_TIME, paused_ps / (double)WEIR_PS_PER_NS);
		section_set(r, s, PAUSE_FRACTION, paused_ps / (interval_ps * links));
		section_set(r, s, PAUSE_RATE,
			    weir_bytes_to_bits(frames * WEIR_PFC_FRAME_BYTES) *
				    (double)WEIR_PS_PER_S / interval_ps);
	}
}

/* Copies the run's metrics of rounds or I/Os to the one section that has any. */
static void section_copy_applications(const struct measure *m, struct run_result *r,
				      uint32_t section)
{
	for (int k = 0; k < SECTION_METRICS; k++) {
		enum section_need need = section_metric_all[k].need;

		if ((need == SECTION_IOS || need == SECTION_ROUNDS) &&
		    section_has(m->config, section, need))
			section_values(r, section)[k] = r->value[section_metric_all[k].metric];
	}
}

/* With several such sections: computes the run's metrics once for each, while the flags of all
 * other sections' flows are cleared. */
static void sections_split_applications(const struct measure *m, struct run_result *r)
{
	const uint8_t ends = FLOW_ENDS_IO | FLOW_ENDS_ROUND;
	uint8_t *ties = memory_new(r->flow_count, sizeof(*ties));
	double whole[METRICS_MAX];

	memcpy(whole, r->value, sizeof(whole));
	for (uint32_t i = 0; i < r->flow_count; i++)
		ties[i] = r->flows[i].flags;
	for (uint32_t s = 0; s < r->section_count; s++) {
		if (!traffic_ends(m->config->traffic[s].ops))
			continue;
		for (uint32_t i = 0; i < r->flow_count; i++)
			r->flows[i].flags =
				r->flows[i].traffic == s ? ties[i] : ties[i] & (uint8_t)~ends;
		metrics_of_applications(m, r);
		section_copy_applications(m, r, s);
	}
	for (uint32_t i = 0; i < r->flow_count; i++)
		r->flows[i].flags = ties[i];
	memcpy(r->value, whole, sizeof(whole));
	memory_free(ties, r->flow_count, sizeof(*ties));
}

void metrics_of_sections(const struct measure *m, struct run_result *r, double interval_ps)
{
	uint32_t with_ends = 0, last = 0;

	r->section_count = m->config->traffic_count;
	r->section_value =
		memory_grow(NULL, (uint64_t)r->section_count * SECTION_METRICS, sizeof(double));
	for (uint64_t i = 0; i < (uint64_t)r->section_count * SECTION_METRICS; i++)
		r->section_value[i] = (double)NAN;
	sections_goodput(m, r, interval_ps);
	sections_pauses(m, r, interval_ps);
	for (uint32_t i = 0; i < r->section_count; i++)
		if (traffic_ends(m->config->traffic[i].ops)) {
			with_ends++;
			last = i;
		}
	if (with_ends == 1)
		section_copy_applications(m, r, last);
	else if (with_ends > 1)
		sections_split_applications(m, r);
}
