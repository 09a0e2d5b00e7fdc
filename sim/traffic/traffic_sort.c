/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic_sort.c -- see traffic_sort.h. Starts are sorted digit by digit, the lowest first,
 * together with the flows' numbers; then every flow is moved once. */
#include "sim/traffic/traffic_sort.h"
#include "base/memory.h"
#include "weir/units.h"
#include <stdlib.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

struct start {
	uint64_t ps;
	uint32_t flow;
};

static int is_sorted(const struct flow *flows, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (flows[i].start_ps < flows[i - 1].start_ps)
			return 0;
	return 1;
}

/* Flows that wait for others start at WEIR_TIME_NEVER_PS: just behind all others is enough, and has
 * fewer digits. Returns the largest start. */
static uint64_t list_starts(struct start *starts, const struct flow *flows, uint32_t count)
{
	uint64_t last_ps = 0;

	for (uint32_t i = 0; i < count; i++)
		if (flows[i].start_ps != WEIR_TIME_NEVER_PS &&
		    (uint64_t)flows[i].start_ps > last_ps)
			last_ps = (uint64_t)flows[i].start_ps;
	for (uint32_t i = 0; i < count; i++)
		starts[i] = (struct start){ flows[i].start_ps == WEIR_TIME_NEVER_PS
						    ? last_ps + 1
						    : (uint64_t)flows[i].start_ps,
					    i };
	return last_ps + 1;
}

static void sort_by_digit(struct start *to, const struct start *from, uint32_t count,
			  uint32_t shift)
{
	uint32_t place[DIGITS] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < count; i++)
		place[from[i].ps >> shift & (DIGITS - 1)]++;
	for (uint32_t d = 0; d < DIGITS; d++) {
		uint32_t here = place[d];

		place[d] = sum;
		sum += here;
	}
	for (uint32_t i = 0; i < count; i++)
		to[place[from[i].ps >> shift & (DIGITS - 1)]++] = from[i];
}

/* Flow starts[i].flow goes to place i. Into other memory: reads that do not wait for each other
 * take a fifth of the time of a walk from place to place. */
static struct flow *move_flows(struct flow *flows, const struct start *starts, uint32_t count)
{
	struct flow *moved = memory_grow(NULL, count, sizeof(*moved));

	for (uint32_t i = 0; i < count; i++)
		moved[i] = flows[starts[i].flow];
	free(flows);
	return moved;
}

struct flow *flows_by_start(struct flow *flows, uint32_t count)
{
	struct start *starts, *other;
	uint64_t last_ps;

	if (is_sorted(flows, count))
		return flows;
	starts = memory_new(count, sizeof(*starts));
	other = memory_new(count, sizeof(*other));
	last_ps = list_starts(starts, flows, count);
	for (uint32_t shift = 0; shift < 64 && last_ps >> shift; shift += DIGIT_BITS) {
		struct start *sorted = other;

		sort_by_digit(sorted, starts, count, shift);
		other = starts;
		starts = sorted;
	}
	memory_free(other, count, sizeof(*other));
	flows = move_flows(flows, starts, count);
	memory_free(starts, count, sizeof(*starts));
	return flows;
}
