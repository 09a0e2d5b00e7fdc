/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c -- the loop over lookahead windows: barrier, choice of the next window, flows that wait
 * for others. Nodes inside a window are in timing_wheel.c, building is in engine_build.c.
 *
 * Functions with a parameter `threads` get e->threads; it is a constant 1 in the copy for a single
 * thread. */
#include "sim/core/engine.h"
#include "base/compiler.h"
#include "sim/core/decisions.h"
#include "sim/core/host.h"
#include "sim/core/link.h"
#include "sim/parallel/ranks.h"
#include <assert.h>
#include <string.h>

/* --- the timing wheel at the barrier --- */

/* Moves timers of the overflow heaps that fall into the next lookahead window onto the timing
 * wheel. Runs at the barrier, for all workers: a switch that was once stolen has its timer in the
 * heap of the worker that stole it. */
static inline ALWAYS_INLINE void wheel_move_overflow(struct engine *e, uint32_t threads)
{
	for (uint32_t i = 0; i < threads; i++) {
		struct worker *w = &e->workers[i];

		if (w->overflow_ps >= e->round.end_ps)
			continue;
		while (w->overflow.count && w->overflow.entries[0].time_ps < e->round.end_ps)
			timing_wheel_set(w, e->round.lookahead,
					 (uint32_t)heap_pop(&w->overflow).key);
		w->overflow_ps =
			w->overflow.count ? w->overflow.entries[0].time_ps : WEIR_TIME_NEVER_PS;
	}
}

static void wheel_clear_slot(struct worker *w, uint64_t lookahead)
{
	const struct timing_wheel *t = &w->engine->wheel;
	uint32_t slot = timing_wheel_slot(w->engine, lookahead);
	_Atomic uint64_t *words = w->wheel + (size_t)slot * t->stride;

	if (t->group_bits == 0)
		memset(words, 0, t->words * sizeof(*words));
	else
		for (uint64_t left = w->slot_busy[slot]; left; left &= left - 1)
			memset(words + ((size_t)__builtin_ctzll(left) << t->group_bits), 0,
			       sizeof(*words) << t->group_bits);
	w->slot_busy[slot] = 0;
}

static int is_same_slot(const struct engine *e, uint64_t a, uint64_t b)
{
	return ((a ^ b) & (e->wheel.slots - 1)) == 0;
}

/* Has any worker set bits of that lookahead window? */
static inline ALWAYS_INLINE int wheel_is_busy(const struct engine *e, uint64_t lookahead,
					      uint32_t threads)
{
	uint32_t slot = timing_wheel_slot(e, lookahead);

	for (uint32_t i = 0; i < threads; i++)
		if (e->workers[i].slot_busy[slot])
			return 1;
	return 0;
}

/* The next lookahead window after that one in which any node has events. */
static inline ALWAYS_INLINE uint64_t wheel_find_next(struct engine *e, uint64_t lookahead,
						     uint32_t threads)
{
	int64_t overflow_ps = WEIR_TIME_NEVER_PS;
	uint64_t best = UINT64_MAX;

	for (uint32_t i = 1; i < e->wheel.slots; i++) {
		if (wheel_is_busy(e, lookahead + i, threads)) {
			best = lookahead + i;
			break;
		}
	}
	for (uint32_t i = 0; i < threads; i++)
		if (e->workers[i].overflow_ps < overflow_ps)
			overflow_ps = e->workers[i].overflow_ps;
	/* Usually the overflow heap holds later timers only, and no division is needed. */
	if (overflow_ps != WEIR_TIME_NEVER_PS &&
	    (best == UINT64_MAX || overflow_ps < (int64_t)best * e->lookahead_ps))
		best = (uint64_t)(overflow_ps / e->lookahead_ps);
	return best;
}

/* --- flows that wait for others --- */

/* A flow at this worker's host starts at that time. */
static void flow_schedule(struct worker *w, struct host *h, uint32_t flow, int64_t start_ps)
{
	struct flow *f = &w->engine->flows.flows[flow];

	assert(f->src == h->number);
	f->start_ps = start_ps;
	host_timer(h, start_ps, TIMER_START, flow);
	w->flows_opened += flow_ends(f);
	if (start_ps > w->opened_ps)
		w->opened_ps = start_ps;
}

struct local_start {
	struct worker *worker;
	struct host *host;
};

/* Called by gates_signal inside a window: the flow that ended and the one that starts are at the
 * same host. */
static void flow_start_here(void *context, uint32_t flow, int64_t start_ps)
{
	const struct local_start *at = context;

	flow_schedule(at->worker, at->host, flow, start_ps);
}

void engine_flow_done(struct worker *w, uint32_t flow, enum flow_tie kind)
{
	struct engine *e = w->engine;
	const struct flow *f = &e->flows.flows[flow];
	struct host *h = &e->hosts[kind == FLOW_SIGNALS_SENT ? f->src : f->dst];
	struct gate_event event = { flow, kind, GATES_OF_HOST, h->now_ps };
	struct local_start at = { w, h };

	w->flows_done += kind == FLOW_SIGNALS_SENT;
	if (gates_signal(&e->flows.gates, &event, flow_start_here, &at) == 0)
		return;
	if (w->ended_count == w->ended_capacity) {
		w->ended_capacity = w->ended_capacity ? 2 * w->ended_capacity : 16;
		w->ended = memory_grow(w->ended, w->ended_capacity, sizeof(*w->ended));
	}
	w->ended[w->ended_count++] = (struct ended_flow){ flow, kind };
}

/* With ranks: a flow starts, maybe at a host of another rank; all ranks know when. */
static void flow_note_start_anywhere(struct engine *e, uint32_t flow, int64_t start_ps)
{
	struct flow *f = &e->flows.flows[flow];

	f->start_ps = start_ps;
	e->ranks->opened_now += flow_ends(f);
	if (start_ps > e->last_opened_ps)
		e->last_opened_ps = start_ps;
	if (!engine_owns_host(e, f->src))
		engine_wake_later(&e->workers[0], e->net->host_node[f->src], start_ps);
}

/* Called by gates_signal at the barrier. */
static void flow_start_anywhere(void *context, uint32_t flow, int64_t start_ps)
{
	struct engine *e = context;
	uint32_t src = e->flows.flows[flow].src;
	struct worker *w;

	if (e->ranks)
		flow_note_start_anywhere(e, flow, start_ps);
	if (!engine_owns_host(e, src))
		return;
	w = engine_worker(e, e->hosts[src].node);
	flow_schedule(w, &e->hosts[src], flow, start_ps);
	engine_wake_later(w, e->hosts[src].node, start_ps);
}

/* Opens the gates that waited for a flow which ended in this lookahead window. */
static void flow_signal_end(struct engine *e, const struct ended_flow *ended)
{
	struct gate_event event = { ended->flow, ended->kind, GATES_OF_ALL, e->workers[0].end_ps };

	gates_signal(&e->flows.gates, &event, flow_start_anywhere, e);
}

/* At the end of whole lookahead windows only: flows must not start at other times because of stops,
 * which depend on what is measured. */
static inline ALWAYS_INLINE void flows_start_waiting(struct engine *e, uint32_t threads)
{
	for (uint32_t i = 0; i < threads; i++) {
		struct worker *w = &e->workers[i];

		for (uint32_t k = 0; k < w->ended_count; k++)
			flow_signal_end(e, &w->ended[k]);
		w->ended_count = 0;
	}
	for (uint32_t i = 0; i < threads; i++)
		if (e->workers[i].opened_ps > e->last_opened_ps)
			e->last_opened_ps = e->workers[i].opened_ps;
}

/* --- the barrier --- */

/* The end of a lookahead window with ranks: exchanges packets and flow starts with the others.
 * Returns the next window in which any rank has events. */
static NOINLINE uint64_t end_lookahead_of_ranks(struct engine *e, uint64_t lookahead)
{
	struct ranks *r = e->ranks;
	uint64_t next;

	ranks_synchronize(e, RANKS_AT_WINDOW, wheel_find_next(e, lookahead, e->threads));
	ranks_each_ended(e, flow_signal_end);
	for (uint32_t i = 0; i < e->threads; i++)
		e->workers[i].ended_count = 0;
	if ((int64_t)r->agreed.most > e->last_opened_ps)
		e->last_opened_ps = (int64_t)r->agreed.most;
	next = wheel_find_next(e, lookahead, e->threads);
	return r->agreed.least < next ? r->agreed.least : next;
}

static void engine_finish(struct engine *e, enum engine_status status)
{
	e->finished = 1;
	e->status = status;
}

/* Barrier action: all workers have processed everything before limit_ps; writes the next round, or
 * ends the call. Also run at the start of each call, when it repeats the decision at which the last
 * call ended: nothing is left of the work of that window, so it is not done twice. */
static inline ALWAYS_INLINE void advance_with(struct engine *e, uint32_t threads)
{
	struct worker *first = &e->workers[0];
	uint64_t lookahead = first->lookahead;
	int64_t now_ps = first->limit_ps, end_ps = first->end_ps;

	if (now_ps == end_ps) {
		if (UNLIKELY(e->ranks != NULL)) {
			lookahead = end_lookahead_of_ranks(e, lookahead);
		} else {
			flows_start_waiting(e, threads);
			lookahead = wheel_find_next(e, lookahead, threads);
		}
		/* No event is left: go to the next stop at once. */
		end_ps = lookahead >= e->lookahead_limit
				 ? WEIR_TIME_NEVER_PS
				 : (int64_t)(lookahead + 1) * e->lookahead_ps;
		e->is_over = end_ps == WEIR_TIME_NEVER_PS;
	} else if (e->ranks) {
		ranks_synchronize(e, RANKS_AT_STOP, UINT64_MAX);
	}

	int64_t begin_ps =
		end_ps == WEIR_TIME_NEVER_PS ? WEIR_TIME_NEVER_PS : end_ps - e->lookahead_ps;

	/* The stop is reached, or comes before the next event. */
	if (e->stop_ps <= now_ps || e->stop_ps <= begin_ps) {
		engine_finish(e, ENGINE_AT_STOP);
		return;
	}
	if (e->on_poll && e->on_poll(e->context, now_ps)) {
		engine_finish(e, ENGINE_ENDED);
		return;
	}

	int64_t limit_ps = e->stop_ps < end_ps ? e->stop_ps : end_ps;

	packet_memory_check(e);
	if (e->tuner.adapts)
		thread_tuner_next(e);

	e->round = (struct engine_round){
		e->round.number + 1, lookahead, begin_ps, end_ps, limit_ps, end_ps + e->lookahead_ps
	};
	/* A window that is a multiple of the wheel's turn later has the slot of the last one. */
	if (lookahead != first->lookahead && is_same_slot(e, lookahead, first->lookahead))
		for (uint32_t i = 0; i < threads; i++)
			wheel_clear_slot(&e->workers[i], lookahead);
	wheel_move_overflow(e, threads);
}

static void engine_next_round(struct engine *e)
{
	if (e->threads == 1)
		advance_with(e, 1);
	else
		advance_with(e, e->threads);
}

/* The last thread to arrive runs the barrier action, the others wait. Returns 0 where the workers
 * stop. By then the caller may have started them again, so a thread that waited does not ask
 * whether the engine is finished, but whether its generation was the last one: that cannot change
 * before all threads have arrived again. */
static int barrier_wait(struct engine *e)
{
	struct barrier *b = &e->barrier;
	unsigned generation = atomic_load_explicit(&b->generation, memory_order_relaxed) + 1;

	if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == e->threads - 1) {
		int is_last;

		engine_next_round(e);
		is_last = e->finished || e->tuner.mode == THREADS_SERIAL;
		if (is_last)
			atomic_store_explicit(&b->last, generation, memory_order_relaxed);
		atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&b->generation, generation, memory_order_release);
		return !is_last;
	}
	for (uint32_t spins = 0;
	     atomic_load_explicit(&b->generation, memory_order_acquire) != generation;)
		thread_spin(&spins);
	return atomic_load_explicit(&b->last, memory_order_relaxed) != generation;
}

/* --- the loop --- */

/* The worker copies the round that the barrier action has written. Its slot of the last window is
 * free for a later one. */
static void worker_begin_round(struct worker *w)
{
	const struct engine *e = w->engine;
	const struct engine_round *r = &e->round;

	if (!is_same_slot(e, w->lookahead, r->lookahead))
		wheel_clear_slot(w, w->lookahead);
	w->round = r->number;
	w->lookahead = r->lookahead;
	w->begin_ps = r->begin_ps;
	w->end_ps = r->end_ps;
	w->limit_ps = r->limit_ps;
	w->next_end_ps = r->next_end_ps;
	w->next_bits = w->wheel + (size_t)timing_wheel_slot(e, r->lookahead + 1) * e->wheel.stride;
}

/* Body of a thread: processes rounds until the workers stop. */
static void worker_run(void *argument)
{
	struct worker *w = argument;

	do {
		worker_begin_round(w);
		worker_run_nodes(w);
		if (w->shared)
			worker_steal_switches(w);
	} while (barrier_wait(w->engine));
}

/* The caller's thread runs all workers, until the call ends or parallel mode begins. */
static void run_serial(struct engine *e)
{
	do {
		for (uint32_t i = 0; i < e->threads; i++)
			worker_begin_round(&e->workers[i]);
		for (uint32_t i = 0; i < e->threads; i++)
			worker_run_nodes(&e->workers[i]);
		if (UNLIKELY(e->decisions != NULL) && e->decisions->count) {
			engine_finish(e, ENGINE_WAITS);
			return;
		}
		engine_next_round(e);
	} while (!e->finished && e->tuner.mode == THREADS_SERIAL);
}

/* All threads process rounds, of which the first is written already. -1: the system has no threads;
 * with auto-tuning the engine then stays serial. */
static int run_parallel(struct engine *e, struct weir_error *error)
{
	const struct thread_pool_work others = { worker_run, &e->workers[1],
						 sizeof(e->workers[1]) };

	if (!e->pool && thread_pool_new(&e->pool, e->threads - 1, &others, error)) {
		if (!e->tuner.adapts)
			return -1;
		e->tuner = (struct thread_tuner){ .mode = THREADS_SERIAL };
		for (uint32_t i = 0; i < e->threads; i++)
			e->workers[i].shared = 0;
		return 0;
	}
	thread_pool_run(e->pool);
	worker_run(&e->workers[0]);
	return 0;
}

enum engine_status engine_advance_until(struct engine *e, int64_t stop_ps, struct weir_error *error)
{
	e->stop_ps = stop_ps;
	e->finished = 0;
	if (UNLIKELY(e->decisions != NULL) && decisions_resume(e))
		return ENGINE_WAITS;
	thread_tuner_start(e);
	engine_next_round(e);
	while (!e->finished) {
		if (e->tuner.mode == THREADS_SERIAL)
			run_serial(e);
		else if (run_parallel(e, error))
			return ENGINE_REFUSED;
	}
	return e->status;
}
