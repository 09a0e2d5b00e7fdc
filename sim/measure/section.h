/* SPDX-License-Identifier: BSD-3-Clause */
/* section.h -- metrics of one [traffic] section, beside those of the whole run: its goodput, its
 * rounds or I/Os, and the pauses of its classes. (Completion times of a section are made from its
 * flows: lab/store/flow_metric.h.)
 *
 * Computed once, after the run, by measure_results; read by the store, which keeps them as "NAME of
 * SECTION". */
#ifndef SIM_MEASURE_SECTION_H
#define SIM_MEASURE_SECTION_H
#include "config/config.h"

/* What a section must have for the metric to mean something. */
enum section_need { SECTION_ANY, SECTION_IOS, SECTION_ROUNDS, SECTION_LOSSLESS, SECTION_NEEDS };

struct section_metric {
	uint32_t metric; /* index into metric_all */
	enum section_need need;
};

enum { SECTION_METRICS = 14 };

extern const struct section_metric section_metric_all[SECTION_METRICS];

/* The place of a metric in section_metric_all; -1: sections do not have it. */
int section_metric_find(uint32_t metric);

/* Does the section of the checked scenario meet the need? */
int section_has(const struct config *c, uint32_t section, enum section_need need);
#endif
