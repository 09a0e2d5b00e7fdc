/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_census.c -- see flow_census.h. Open addressing; a place that becomes free is filled by what
 * stood behind it. */
#include "sim/core/flow_census.h"
#include "base/memory.h"
#include "weir/rng.h"

enum { FLOW_CENSUS_FIRST_SIZE = 16 };

static uint32_t home_of(const struct flow_census *s, uint32_t place)
{
	return (uint32_t)weir_mix64(place) & (s->size - 1);
}

/* Where it is, or the free place where it belongs. */
static uint32_t find(const struct flow_census *s, uint32_t place)
{
	uint32_t at = home_of(s, place);

	while (s->places[at] && s->places[at] != place)
		at = (at + 1) & (s->size - 1);
	return at;
}

static void grow(struct flow_census *s)
{
	struct flow_census old = *s;

	s->size = old.size ? 2 * old.size : FLOW_CENSUS_FIRST_SIZE;
	s->places = memory_new(s->size, sizeof(*s->places));
	for (uint32_t i = 0; i < old.size; i++)
		if (old.places[i])
			s->places[find(s, old.places[i])] = old.places[i];
	flow_census_free(&old);
}

/* Those behind it, up to the next free place, move up where that is nearer to their home. */
static void take_out(struct flow_census *s, uint32_t at)
{
	uint32_t mask = s->size - 1;

	for (uint32_t next = (at + 1) & mask; s->places[next]; next = (next + 1) & mask) {
		uint32_t home = home_of(s, s->places[next]);

		if (((next - home) & mask) < ((next - at) & mask))
			continue;
		s->places[at] = s->places[next];
		at = next;
	}
	s->places[at] = 0;
	s->count--;
}

uint32_t flow_census_pass(struct flow_census *s, uint32_t connection,
			  enum flow_census_packet packet)
{
	uint32_t place = connection + 1, at;

	if (2 * s->count >= s->size)
		grow(s);
	at = find(s, place);
	s->count += s->places[at] == 0;
	s->places[at] = place;
	if (packet == FLOW_CENSUS_MORE)
		return s->count;
	take_out(s, at);
	return s->count + 1;
}

void flow_census_free(struct flow_census *s)
{
	memory_free(s->places, s->size, sizeof(*s->places));
}
