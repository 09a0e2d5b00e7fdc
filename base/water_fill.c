/* SPDX-License-Identifier: BSD-3-Clause */
/* water_fill.c -- see water_fill.h. */
#include "base/water_fill.h"

/* The paper raises all shares together until one demand is met, and goes on with the rest. The same
 * level from below: with all demands up to the level met, the rest share what is left equally,
 *	level = (capacity - sum of demands <= level) / number of demands > level,
 * which is at least the level before, since no met demand exceeds it. Each round meets one demand
 * more or is the last, so there are at most count + 1.
 *
 * Rounding down loses no demand: where one lies between the rounded level and the exact one, it is
 * not whole. What is left over is below the number of unmet demands. */
uint64_t weir_water_level(const uint64_t *demand, uint32_t count, uint64_t capacity)
{
	uint64_t level = 0;
	uint32_t met, met_before = UINT32_MAX;

	for (;;) {
		uint64_t left = capacity;

		met = 0;
		for (uint32_t i = 0; i < count; i++) {
			if (demand[i] > level)
				continue;
			left -= demand[i];
			met++;
		}
		if (met == count)
			return UINT64_MAX;
		if (met == met_before)
			return level;
		met_before = met;
		level = left / (count - met);
	}
}

void weir_water_fill(const uint64_t *demand, uint64_t *share, uint32_t count, uint64_t capacity)
{
	uint64_t level = weir_water_level(demand, count, capacity), left = capacity;

	for (uint32_t i = 0; i < count; i++) {
		share[i] = demand[i] < level ? demand[i] : level;
		left -= share[i];
	}
	for (uint32_t i = 0; i < count && left > 0 && level != UINT64_MAX; i++) {
		if (demand[i] <= level)
			continue;
		share[i]++;
		left--;
	}
}
