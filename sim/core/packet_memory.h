/* SPDX-License-Identifier: BSD-3-Clause */
/* packet_memory.h -- memory for packets under way: as much as one window may need more than is in
 * use, grown with all threads at rest. So a small network asks for little address space, and none
 * ever runs out in a window. */
#ifndef SIM_CORE_PACKET_MEMORY_H
#define SIM_CORE_PACKET_MEMORY_H
#include "base/compiler.h"
#include "sim/core/engine.h"

/* Ports, lines and windows are there, workers not yet. */
void packet_memory_new(struct engine *e);
void packet_memory_free(struct engine *e);

/* For so many packets at least: the store, what switches write beside it, and where workers look
 * for both. */
void packet_memory_reserve(struct engine *e, uint64_t packets);

/* Too little is left for another window. */
void packet_memory_grow(struct engine *e);

/* Lines that are empty give their chunk back. The first time that there could be one for every
 * line, then whenever a quarter more is in use. */
void packet_memory_reclaim(struct engine *e);

static inline void packet_memory_check(struct engine *e)
{
	if (UNLIKELY(e->store.fresh > e->tidy_at))
		packet_memory_reclaim(e);
	if (UNLIKELY(e->store.chunk_limit - e->store.fresh < e->window_chunks))
		packet_memory_grow(e);
}
#endif
