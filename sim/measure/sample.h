/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.h -- samples of numbers, their mean and quantiles. The creator frees values. */
#ifndef SIM_MEASURE_SAMPLE_H
#define SIM_MEASURE_SAMPLE_H
#include "base/memory.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct sample {
	double *values;
	uint32_t count;
};

static inline void sample_add(struct sample *s, double value)
{
	s->values[s->count++] = value;
}

static inline double sample_mean(const struct sample *s)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->count; i++)
		sum += s->values[i];
	return s->count ? sum / s->count : NAN;
}

static inline int sample_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Quantile by nearest rank. The sample must be sorted. */
static inline double sample_quantile(const struct sample *s, double fraction)
{
	double rank = ceil(fraction * s->count);

	if (!s->count)
		return NAN;
	return s->values[rank < 1 ? 0 : (uint32_t)rank - 1];
}

static inline void sample_sort(struct sample *s)
{
	qsort(s->values, s->count, sizeof(*s->values), sample_compare);
}

static inline struct sample sample_new(uint32_t capacity)
{
	return (struct sample){ memory_grow(NULL, capacity, sizeof(double)), 0 };
}

/* A quantile q of n numbers is meaningful if n (1 - q) is at least this, so that one of them lies
 * beyond it: p50 takes 2 numbers, p95 20, p99 100, p99.9 1000. */
enum { SAMPLE_BEYOND = 1 };

static inline int sample_has_quantile(uint64_t count, double fraction)
{
	const double rounding = 1e-9;

	return (double)count * (1 - fraction) >= SAMPLE_BEYOND - rounding;
}

/* The quantile if it is meaningful, else NAN. The sample must be sorted. */
static inline double sample_known_quantile(const struct sample *s, double fraction)
{
	return sample_has_quantile(s->count, fraction) ? sample_quantile(s, fraction) : NAN;
}
#endif
