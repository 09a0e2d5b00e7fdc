/* SPDX-License-Identifier: BSD-3-Clause */
/* telemetry.c -- see telemetry.h. */
#include "sim/core/telemetry.h"
#include <assert.h>

/* Every packet has one at most; threads have more in hand. */
static uint64_t notes_for(const struct engine *e, uint64_t packets)
{
	return packets + 1 + (uint64_t)e->threads * (NOTES_KEEP + NOTES_BATCH);
}

void notes_grow(struct engine *e, uint64_t packets)
{
	struct note_store *s = &e->note_store;
	uint64_t count = notes_for(e, packets);

	assert(count <= UINT32_MAX);
	if (e->notes) {
		e->notes = memory_stretch(e->notes, s->limit, count, sizeof(*e->notes));
	} else {
		e->notes = memory_new(count, sizeof(*e->notes));
		pthread_mutex_init(&s->lock, NULL);
		s->fresh = 1;
	}
	s->limit = (uint32_t)count;
}

void notes_free(struct engine *e)
{
	if (!e->notes)
		return;
	pthread_mutex_destroy(&e->note_store.lock);
	memory_free(e->notes, e->note_store.limit, sizeof(*e->notes));
	e->notes = NULL;
}

/* Takes a list of NOTES_BATCH free INT stacks from the store, or makes one of stacks never used. */
void notes_refill(struct worker *w)
{
	struct int_stack *notes = w->engine->notes;
	struct note_store *s = &w->engine->note_store;

	pthread_mutex_lock(&s->lock);
	if (s->batches) {
		w->notes.free = s->batches;
		s->batches = notes[s->batches].next_batch;
	} else {
		assert(s->limit - s->fresh >= NOTES_BATCH);
		for (uint32_t i = 0; i < NOTES_BATCH; i++)
			notes[s->fresh + i].next_free = i + 1 < NOTES_BATCH ? s->fresh + i + 1 : 0;
		w->notes.free = s->fresh;
		s->fresh += NOTES_BATCH;
	}
	pthread_mutex_unlock(&s->lock);
	w->notes.free_count = NOTES_BATCH;
}

void notes_spill(struct worker *w)
{
	struct int_stack *notes = w->engine->notes;
	struct note_store *s = &w->engine->note_store;
	uint32_t first = w->notes.free, last = first;

	for (uint32_t i = 1; i < NOTES_BATCH; i++)
		last = notes[last].next_free;
	w->notes.free = notes[last].next_free;
	w->notes.free_count -= NOTES_BATCH;
	notes[last].next_free = 0;
	pthread_mutex_lock(&s->lock);
	notes[first].next_batch = s->batches;
	s->batches = first;
	pthread_mutex_unlock(&s->lock);
}

void notes_drop(struct worker *w, struct weir_packet *packet)
{
	if (!packet->int_stack_index)
		return;
	packet_notes(w->engine, packet)->next_free = w->notes.free;
	w->notes.free = (uint32_t)packet->int_stack_index;
	packet->int_stack_index = 0;
	if (++w->notes.free_count > NOTES_KEEP)
		notes_spill(w);
}
