/* SPDX-License-Identifier: BSD-3-Clause */
/* telemetry.c -- see telemetry.h: the store of INT stacks that workers share, and the exact count
 * of flows at a port. */
#include "sim/core/telemetry.h"
#include "base/memory.h"
#include "weir/rng.h"
#include <assert.h>

void int_stacks_grow(struct engine *e, uint64_t packets)
{
	struct int_stack_store *s = &e->int_stack_store;
	/* A packet has one stack at most; stack 0 is unused, and workers keep free ones. */
	uint64_t count = packets + 1 + (uint64_t)e->threads * (INT_STACKS_KEEP + INT_STACKS_BATCH);

	assert(count <= UINT32_MAX);
	if (e->int_stacks) {
		e->int_stacks =
			memory_resize(e->int_stacks, s->limit, count, sizeof(*e->int_stacks));
	} else {
		e->int_stacks = memory_new(count, sizeof(*e->int_stacks));
		pthread_mutex_init(&s->lock, NULL);
		s->fresh = 1;
	}
	s->limit = (uint32_t)count;
}

void int_stacks_free(struct engine *e)
{
	if (!e->int_stacks)
		return;
	pthread_mutex_destroy(&e->int_stack_store.lock);
	memory_free(e->int_stacks, e->int_stack_store.limit, sizeof(*e->int_stacks));
	e->int_stacks = NULL;
}

/* Takes a batch of free stacks from the store, or makes one of stacks never used. */
void int_stacks_refill(struct worker *w)
{
	struct int_stack *stacks = w->engine->int_stacks;
	struct int_stack_store *s = &w->engine->int_stack_store;

	pthread_mutex_lock(&s->lock);
	if (s->batches) {
		w->int_stacks.free = s->batches;
		s->batches = stacks[s->batches].next_batch;
	} else {
		assert(s->limit - s->fresh >= INT_STACKS_BATCH);
		for (uint32_t i = 0; i < INT_STACKS_BATCH; i++)
			stacks[s->fresh + i].next_free =
				i + 1 < INT_STACKS_BATCH ? s->fresh + i + 1 : 0;
		w->int_stacks.free = s->fresh;
		s->fresh += INT_STACKS_BATCH;
	}
	pthread_mutex_unlock(&s->lock);
	w->int_stacks.free_count = INT_STACKS_BATCH;
}

void int_stacks_spill(struct worker *w)
{
	struct int_stack *stacks = w->engine->int_stacks;
	struct int_stack_store *s = &w->engine->int_stack_store;
	uint32_t first = w->int_stacks.free, last = first;

	for (uint32_t i = 1; i < INT_STACKS_BATCH; i++)
		last = stacks[last].next_free;
	w->int_stacks.free = stacks[last].next_free;
	w->int_stacks.free_count -= INT_STACKS_BATCH;
	stacks[last].next_free = 0;
	pthread_mutex_lock(&s->lock);
	stacks[first].next_batch = s->batches;
	s->batches = first;
	pthread_mutex_unlock(&s->lock);
}

void int_stack_release(struct worker *w, struct weir_packet *packet)
{
	if (!packet->int_stack_index)
		return;
	packet_int_stack(w->engine, packet)->next_free = w->int_stacks.free;
	w->int_stacks.free = (uint32_t)packet->int_stack_index;
	packet->int_stack_index = 0;
	if (++w->int_stacks.free_count > INT_STACKS_KEEP)
		int_stacks_spill(w);
}

/* --- flow census: open addressing, linear probing, deletion by shifting back --- */

enum { FLOW_CENSUS_FIRST_SIZE = 16 };

static uint32_t flow_census_home(const struct flow_census *s, uint32_t place)
{
	return (uint32_t)weir_mix64(place) & (s->size - 1);
}

/* Its place, or the free place where it belongs. */
static uint32_t flow_census_find(const struct flow_census *s, uint32_t place)
{
	uint32_t at = flow_census_home(s, place);

	while (s->places[at] && s->places[at] != place)
		at = (at + 1) & (s->size - 1);
	return at;
}

static void flow_census_grow(struct flow_census *s)
{
	struct flow_census old = *s;

	s->size = old.size ? 2 * old.size : FLOW_CENSUS_FIRST_SIZE;
	s->places = memory_new(s->size, sizeof(*s->places));
	for (uint32_t i = 0; i < old.size; i++)
		if (old.places[i])
			s->places[flow_census_find(s, old.places[i])] = old.places[i];
	flow_census_free(&old);
}

/* Entries behind it, up to the next free place, move back where that is closer to their home. */
static void flow_census_remove(struct flow_census *s, uint32_t at)
{
	uint32_t mask = s->size - 1;

	for (uint32_t next = (at + 1) & mask; s->places[next]; next = (next + 1) & mask) {
		uint32_t home = flow_census_home(s, s->places[next]);

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
		flow_census_grow(s);
	at = flow_census_find(s, place);
	s->count += s->places[at] == 0;
	s->places[at] = place;
	if (packet == FLOW_CENSUS_MORE)
		return s->count;
	flow_census_remove(s, at);
	return s->count + 1;
}

void flow_census_free(struct flow_census *s)
{
	memory_free(s->places, s->size, sizeof(*s->places));
}
