/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.c -- the loop over windows, shared by threads. Nodes in a window are in nodes.c, building
 * is in engine_build.c. */
#include "base/compiler.h"
#include "sim/core/crew.h"
#include "sim/core/engine.h"
#include "sim/core/nodes.h"
#include "sim/parallel/ranks.h"
#include "sim/core/packet_memory.h"
#include "sim/core/host.h"
#include <assert.h>
#include <string.h>

void engine_wake_later(struct worker *w, uint32_t node, int64_t time_ps)
{
	const struct engine *e = w->engine;

	if (time_ps < w->end_ps)
		return; /* the same window: its bit is still set */

	uint64_t windows = 1 + (uint64_t)(time_ps - w->end_ps) / (uint64_t)e->window_ps;

	if (windows < e->slot_count) {
		wheel_set(w, w->window + windows, node);
	} else {
		heap_push(&w->later, time_ps, node);
		w->later_ps = w->later.entries[0].time_ps;
	}
}

void engine_wake(struct worker *w, uint32_t node, int64_t time_ps)
{
	const struct engine *e = w->engine;
	uint64_t windows = 1 + (uint64_t)(time_ps - w->end_ps) / (uint64_t)e->window_ps;

	wheel_set(w, w->window + (windows < e->slot_count ? windows : e->slot_count - 1), node);
}

int link_send_slow(struct worker *w, struct egress *out, int64_t start_ps)
{
	const struct engine *e = w->engine;
	uint32_t link = out->link;
	struct weir_packet *packet = link_reserve(w, out);

	if (start_ps >= e->net->links[link].fails_ps) {
		out->port.cold->drops[WEIR_DROP_LINK_DOWN]++;
		packet_retire(w, packet);
		return 1;
	}

	const struct flow *flow = packet->flags & SEGMENT_LINK_FRAME
					  ? NULL
					  : &e->flows.flows[packet_segment(packet)->connection];

	for (uint32_t i = 0; i < e->tap_count; i++)
		if (e->taps[i].link == link && (flow || e->taps[i].sees_frames))
			e->taps[i].see(e->taps[i].context, start_ps, packet, flow);
	return 0;
}

static int is_watched(const struct engine *e, uint32_t link)
{
	for (uint32_t i = 0; i < e->tap_count; i++)
		if (e->taps[i].link == link)
			return 1;
	return 0;
}

void link_queue_open(struct worker *w, struct egress *out)
{
	const struct engine *e = w->engine;

	if (e->net->links[out->link].fails_ps == WEIR_TIME_NEVER_PS && !is_watched(e, out->link))
		out->to &= ~EGRESS_SLOW_PATH;
	out->tail = engine_chunk_take(w) << WEIR_CHUNK_SHIFT;
	atomic_store_explicit(&e->line_first[out->link_queue], out->tail, memory_order_release);
}

/* Wake-ups from the heap that have come into the window that begins. Every thread rests: a switch
 * that another thread worked on for once waits in that one's heap. threads, here and below:
 * e->threads, and known when this is compiled where there is but one. */
static inline ALWAYS_INLINE void wake_due(struct engine *e, uint32_t threads)
{
	for (uint32_t i = 0; i < threads; i++) {
		struct worker *w = &e->workers[i];

		if (w->later_ps >= e->pass.end_ps)
			continue;
		while (w->later.count && w->later.entries[0].time_ps < e->pass.end_ps)
			wheel_set(w, e->pass.window, (uint32_t)heap_pop(&w->later).key);
		w->later_ps = w->later.count ? w->later.entries[0].time_ps : WEIR_TIME_NEVER_PS;
	}
}

static void clear_row(struct worker *w, uint64_t window)
{
	const struct engine *e = w->engine;
	uint32_t slot = (uint32_t)window & (e->slot_count - 1);

	memset(w->wheel + (size_t)slot * e->slot_stride, 0, e->slot_words * sizeof(*w->wheel));
	w->slot_busy[slot] = 0;
}

static int is_same_slot(const struct engine *e, uint64_t a, uint64_t b)
{
	return ((a ^ b) & (e->slot_count - 1)) == 0;
}

/* The thread goes on to what all have agreed on. Its row of the window before is free for another
 * one. */
static void take_pass(struct worker *w)
{
	const struct engine *e = w->engine;
	const struct pass *p = &e->pass;

	if (!is_same_slot(e, w->window, p->window))
		clear_row(w, w->window);
	w->pass = p->number;
	w->window = p->window;
	w->begin_ps = p->begin_ps;
	w->end_ps = p->end_ps;
	w->limit_ps = p->limit_ps;
	w->next_end_ps = p->next_end_ps;
	w->next_bits = w->wheel + ((p->window + 1) & (e->slot_count - 1)) * e->slot_stride;
}

/* Has somebody set bits of that window? */
static inline ALWAYS_INLINE int is_busy(const struct engine *e, uint64_t window, uint32_t threads)
{
	uint32_t slot = (uint32_t)window & (e->slot_count - 1);

	for (uint32_t i = 0; i < threads; i++)
		if (e->workers[i].slot_busy[slot])
			return 1;
	return 0;
}

/* The next window in which any node has something to do, after the current one. */
static inline ALWAYS_INLINE uint64_t next_window(struct engine *e, uint64_t window,
						 uint32_t threads)
{
	int64_t later_ps = WEIR_TIME_NEVER_PS;
	uint64_t best = UINT64_MAX;

	for (uint32_t i = 1; i < e->slot_count; i++) {
		if (is_busy(e, window + i, threads)) {
			best = window + i;
			break;
		}
	}
	for (uint32_t i = 0; i < threads; i++)
		if (e->workers[i].later_ps < later_ps)
			later_ps = e->workers[i].later_ps;
	/* Mostly all that lies far ahead comes after it. */
	if (later_ps != WEIR_TIME_NEVER_PS &&
	    (best == UINT64_MAX || later_ps < (int64_t)best * e->window_ps))
		best = (uint64_t)(later_ps / e->window_ps);
	return best;
}

/* A flow that waited gets its time. */
static void plan_waiting(struct worker *w, struct host *h, uint32_t flow, int64_t start_ps)
{
	struct flow *f = &w->engine->flows.flows[flow];

	assert(f->src == h->number);
	f->start_ps = start_ps;
	host_timer(h, start_ps, TIMER_START, flow);
	w->flows_opened += flow_ends(f);
	if (start_ps > w->opened_ps)
		w->opened_ps = start_ps;
}

/* A flow is done at the host and lets another one of that host in. */
struct local_start {
	struct worker *worker;
	struct host *host;
};

static void start_here(void *context, uint32_t flow, int64_t start_ps)
{
	const struct local_start *at = context;

	plan_waiting(at->worker, at->host, flow, start_ps);
}

void engine_flow_done(struct worker *w, uint32_t flow, enum flow_tie kind)
{
	struct engine *e = w->engine;
	const struct flow *f = &e->flows.flows[flow];
	struct host *h = &e->hosts[kind == FLOW_SIGNALS_SENT ? f->src : f->dst];
	struct gate_event event = { flow, kind, GATES_OF_HOST, h->now_ps };
	struct local_start at = { w, h };

	w->flows_done += kind == FLOW_SIGNALS_SENT;
	if (gates_signal(&e->flows.gates, &event, start_here, &at) == 0)
		return;
	if (w->ended_count == w->ended_capacity) {
		w->ended_capacity = w->ended_capacity ? 2 * w->ended_capacity : 16;
		w->ended = memory_grow(w->ended, w->ended_capacity, sizeof(*w->ended));
	}
	w->ended[w->ended_count++] = (struct ended_flow){ flow, kind };
}

/* A flow that waited starts, maybe at a host of another rank: all ranks know of it, and when. */
static void start_somewhere(struct engine *e, uint32_t flow, int64_t start_ps)
{
	struct flow *f = &e->flows.flows[flow];

	f->start_ps = start_ps;
	e->ranks->opened_now += flow_ends(f);
	if (start_ps > e->last_opened_ps)
		e->last_opened_ps = start_ps;
	if (!engine_owns_host(e, f->src))
		engine_wake_later(&e->workers[0], e->net->host_node[f->src], start_ps);
}

/* Calls at the end of a window. */
static void start_waiting(void *context, uint32_t flow, int64_t start_ps)
{
	struct engine *e = context;
	uint32_t src = e->flows.flows[flow].src;
	struct worker *w;

	if (e->ranks)
		start_somewhere(e, flow, start_ps);
	if (!engine_owns_host(e, src))
		return;
	w = engine_worker(e, e->hosts[src].node);
	plan_waiting(w, &e->hosts[src], flow, start_ps);
	engine_wake_later(w, e->hosts[src].node, start_ps);
}

/* A flow ended in the window that ends now. */
static void tell_all(struct engine *e, const struct ended_flow *ended)
{
	struct gate_event event = { ended->flow, ended->kind, GATES_OF_ALL, e->workers[0].end_ps };

	gates_signal(&e->flows.gates, &event, start_waiting, e);
}

/* Whole windows only: what is measured must not change when flows start. */
static inline ALWAYS_INLINE void open_gates(struct engine *e, uint32_t threads)
{
	for (uint32_t i = 0; i < threads; i++) {
		struct worker *w = &e->workers[i];

		for (uint32_t k = 0; k < w->ended_count; k++)
			tell_all(e, &w->ended[k]);
		w->ended_count = 0;
	}
	for (uint32_t i = 0; i < threads; i++)
		if (e->workers[i].opened_ps > e->last_opened_ps)
			e->last_opened_ps = e->workers[i].opened_ps;
}

/* The end of a window: flows that waited have their starts, and the next one is known. The same
 * where there are other ranks: what they have sent is here, too. */
static inline ALWAYS_INLINE uint64_t end_window(struct engine *e, uint64_t window, uint32_t threads)
{
	open_gates(e, threads);
	return next_window(e, window, threads);
}

static NOINLINE uint64_t end_window_of_ranks(struct engine *e, uint64_t window)
{
	struct ranks *r = e->ranks;
	uint64_t next;

	ranks_synchronize(e, RANKS_AT_WINDOW, next_window(e, window, e->threads));
	ranks_each_ended(e, tell_all);
	for (uint32_t i = 0; i < e->threads; i++)
		e->workers[i].ended_count = 0;
	if ((int64_t)r->agreed.most > e->last_opened_ps)
		e->last_opened_ps = (int64_t)r->agreed.most;
	next = next_window(e, window, e->threads);
	return r->agreed.least < next ? r->agreed.least : next;
}

/* Every thread rests at the end of limit_ps; decides what comes next. Called once more where the
 * last leg ended here: what was done then is not done twice, because nothing of it is left. */
static inline ALWAYS_INLINE void advance_with(struct engine *e, uint32_t threads)
{
	struct worker *first = &e->workers[0];
	uint64_t window = first->window;
	int64_t now_ps = first->limit_ps, end_ps = first->end_ps;

	if (now_ps == end_ps) {
		window = UNLIKELY(e->ranks != NULL) ? end_window_of_ranks(e, window)
						    : end_window(e, window, threads);
		/* Nothing is left to happen: go to the next stop at once. */
		end_ps = window >= e->window_limit ? WEIR_TIME_NEVER_PS
						   : (int64_t)(window + 1) * e->window_ps;
		e->is_over = end_ps == WEIR_TIME_NEVER_PS;
	} else if (e->ranks) {
		ranks_synchronize(e, RANKS_AT_STOP, UINT64_MAX);
	}

	int64_t begin_ps =
		end_ps == WEIR_TIME_NEVER_PS ? WEIR_TIME_NEVER_PS : end_ps - e->window_ps;

	/* The stop is reached, or lies before anything else happens. */
	if (e->stop_ps <= now_ps || e->stop_ps <= begin_ps) {
		e->finished = 1;
		e->leg = ENGINE_AT_STOP;
		return;
	}
	if (e->on_poll && e->on_poll(e->context, now_ps)) {
		e->finished = 1;
		e->leg = ENGINE_ENDED;
		return;
	}

	int64_t limit_ps = e->stop_ps < end_ps ? e->stop_ps : end_ps;

	packet_memory_check(e);
	if (e->tuner.adapts)
		thread_tuner_next(e);

	e->pass = (struct pass){ e->pass.number + 1,   window, begin_ps, end_ps, limit_ps,
				 end_ps + e->window_ps };
	/* A window that is the turn of the wheel later, or several, has the place of the one
	 * before. */
	if (window != first->window && is_same_slot(e, window, first->window))
		for (uint32_t i = 0; i < threads; i++)
			clear_row(&e->workers[i], window);
	wake_due(e, threads);
}

static void advance(struct engine *e)
{
	if (e->threads == 1)
		advance_with(e, 1);
	else
		advance_with(e, e->threads);
}

/* The last thread to come decides for all; the others wait. Returns 0 where the leg is over, or
 * goes on with one thread. By then the next one may have begun, so whoever waited asks which
 * meeting was the last and not whether the leg is over: there is no other last one before all have
 * met again. */
static int meet(struct engine *e)
{
	unsigned meeting = atomic_load_explicit(&e->generation, memory_order_relaxed) + 1;

	if (atomic_fetch_add_explicit(&e->arrived, 1, memory_order_acq_rel) == e->threads - 1) {
		int is_over;

		advance(e);
		is_over = e->finished || e->tuner.mode == THREADS_SERIAL;
		if (is_over)
			atomic_store_explicit(&e->last_meeting, meeting, memory_order_relaxed);
		atomic_store_explicit(&e->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&e->generation, meeting, memory_order_release);
		return !is_over;
	}
	for (uint32_t spins = 0;
	     atomic_load_explicit(&e->generation, memory_order_acquire) != meeting;)
		crew_spin(&spins);
	return atomic_load_explicit(&e->last_meeting, memory_order_relaxed) != meeting;
}

/* One thread's part of a leg, or of a stretch of it that threads share. */
static void work(void *argument)
{
	struct worker *w = argument;
	struct engine *e = w->engine;

	do {
		take_pass(w);
		nodes_run(w);
		if (w->shared)
			nodes_help(w);
	} while (meet(e));
}

/* The caller does everybody's part, up to the end of the leg or until the others are called. */
static void work_alone(struct engine *e)
{
	do {
		for (uint32_t i = 0; i < e->threads; i++)
			take_pass(&e->workers[i]);
		for (uint32_t i = 0; i < e->threads; i++)
			nodes_run(&e->workers[i]);
		advance(e);
	} while (!e->finished && e->tuner.mode == THREADS_SERIAL);
}

/* They go on where they are: advance has said until when. */
static int begin_crew(struct engine *e, struct weir_error *error)
{
	const struct crew_task task = { work, &e->workers[1], sizeof(e->workers[1]) };

	if (!e->crew && crew_new(&e->crew, e->threads - 1, &task, error))
		return -1;
	crew_begin(e->crew);
	return 0;
}

/* Where the caller has left the number of threads open and the system gives none, it stays
 * alone. */
static int work_together(struct engine *e, struct weir_error *error)
{
	if (begin_crew(e, error)) {
		if (!e->tuner.adapts)
			return -1;
		e->tuner = (struct thread_tuner){ .mode = THREADS_SERIAL };
		for (uint32_t i = 0; i < e->threads; i++)
			e->workers[i].shared = 0;
		return 0;
	}
	work(&e->workers[0]);
	return 0;
}

enum engine_status engine_advance_until(struct engine *e, int64_t stop_ps, struct weir_error *error)
{
	e->stop_ps = stop_ps;
	e->finished = 0;
	thread_tuner_start(e);
	advance(e);
	while (!e->finished) {
		if (e->tuner.mode == THREADS_SERIAL)
			work_alone(e);
		else if (work_together(e, error))
			return ENGINE_REFUSED;
	}
	return e->leg;
}

void engine_wake_stopped(struct engine *e, uint32_t node, int64_t time_ps)
{
	struct worker *w = engine_worker(e, node);

	if (time_ps < w->end_ps)
		wheel_set(w, w->window, node);
	else
		engine_wake_later(w, node, time_ps);
}

uint64_t engine_packets_in_network(const struct engine *e)
{
	uint64_t count = 0;

	for (uint32_t link = 0; link < e->net->link_count; link++) {
		const struct egress *out = engine_egress(e, link);
		uint32_t slot = link_queue_start(e, e->net->links[link].link_queue);

		count += out->port.pkts;
		while (slot != WEIR_SLOT_NONE && slot != out->tail) {
			count++;
			slot++;
			if ((slot & WEIR_CHUNK_MASK) == 0)
				slot = e->store.next[(slot - 1) >> WEIR_CHUNK_SHIFT]
				       << WEIR_CHUNK_SHIFT;
		}
	}
	return count;
}
