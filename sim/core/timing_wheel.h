/* SPDX-License-Identifier: BSD-3-Clause */
/* timing_wheel.h -- which nodes have events in which lookahead window: a timing wheel of nodes, in
 * place of the global event queue (binary heap, calendar queue) of other simulators.
 *
 * A slot of the wheel stands for a lookahead window and has a bit for each node. Every worker has a
 * wheel of its own, so that setting a bit needs no atomic read-modify-write and causes no false
 * sharing; a node has events where any worker has set its bit. Slots of one window lie side by
 * side: worker i has words [i * words, (i + 1) * words) of the slot's stride. Timers beyond the
 * last slot wait in the worker's overflow heap until their window comes. O(1) to set a bit. The
 * words of a slot form 64 groups, and a word has a bit for each group with events, so that few
 * nodes of a large network are found quickly.
 *
 * Threads: inside a window a worker writes its own wheel only; between windows, at the barrier, one
 * thread may touch all of them. */
#ifndef SIM_CORE_TIMING_WHEEL_H
#define SIM_CORE_TIMING_WHEEL_H
#include "sim/core/engine.h"

/* Sizes the wheel by the longest delay in the network and sets the lookahead: ports exist. -1: some
 * link has no delay. */
int timing_wheel_init(struct engine *e, struct weir_error *error);

/* Allocates the wheel. The number of threads is known and workers exist. */
void timing_wheel_new(struct engine *e);
void timing_wheel_free(struct engine *e);

/* Wakes a node in the lookahead window of time_ps, a later one than the current; where that is
 * beyond the wheel, in its last slot: the node then sets its next wake-up. For packet arrivals. */
void engine_wake(struct worker *w, uint32_t node, int64_t time_ps);

/* Wakes a node of this worker at time_ps, in this lookahead window or any later one. For timers. */
void engine_wake_later(struct worker *w, uint32_t node, int64_t time_ps);

/* The same between two calls of engine_advance_until; time_ps is not before the stop. */
void engine_wake_stopped(struct engine *e, uint32_t node, int64_t time_ps);

/* Runs the worker's nodes that have events in its round, in order. */
void worker_run_nodes(struct worker *w);

/* Work stealing, once its own nodes are done: runs switches of other workers that no thread has
 * claimed in this round (load balancing where traffic is uneven). Hosts are never stolen: they use
 * slabs of their worker. */
void worker_steal_switches(struct worker *w);

static inline uint32_t timing_wheel_slot(const struct engine *e, uint64_t lookahead)
{
	return (uint32_t)lookahead & (e->wheel.slots - 1);
}

static inline void timing_wheel_set(struct worker *w, uint64_t lookahead, uint32_t node)
{
	struct engine *e = w->engine;
	uint32_t slot = timing_wheel_slot(e, lookahead);
	_Atomic uint64_t *word = w->wheel + (size_t)slot * e->wheel.stride + node / 64;
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);

	/* No other thread writes here inside a window. */
	atomic_store_explicit(word, bits | UINT64_C(1) << (node % 64), memory_order_relaxed);
	if (bits) /* then its group's bit is set, too */
		return;
	bits = atomic_load_explicit(&w->slot_busy[slot], memory_order_relaxed);
	atomic_store_explicit(&w->slot_busy[slot],
			      bits | UINT64_C(1) << (node / 64 >> e->wheel.group_bits),
			      memory_order_relaxed);
}
#endif
