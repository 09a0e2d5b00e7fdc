/* SPDX-License-Identifier: BSD-3-Clause */
/* timing_wheel.c -- see timing_wheel.h: sizing the wheel, waking nodes, and running those that have
 * events in a lookahead window. */
#include "sim/core/timing_wheel.h"
#include "sim/core/event_switch.h"
#include "sim/core/host.h"
#include "sim/parallel/ranks.h"

enum {
	WORDS_OF_CACHE_LINE = 8,
	SLOTS_MIN = 64,
	SLOTS_MAX = 4096,
	LINK_FRAMES_QUEUED = 64, /* PFC frames that may queue at a port */
};

/* --- sizes --- */

/* host.jitter = auto: a twelfth of the serialisation delay of a full packet on the fastest link of
 * a host, and 20 ns at least. */
static int64_t find_jitter_ps(const struct engine *e)
{
	enum { PART = 12, LEAST_NS = 20 };
	int64_t packet_ps = WEIR_TIME_NEVER_PS;

	if (e->config->host.jitter_ps != WEIR_OPT_AUTO)
		return (int64_t)e->config->host.jitter_ps;
	for (uint32_t i = 0; i < e->net->host_count; i++) {
		uint32_t link = e->net->nodes[e->net->host_node[i]].first_link;
		int64_t wire_ps =
			weir_port_wire_ps(engine_port_class(e, link), e->config->frame_max_bytes);

		packet_ps = wire_ps < packet_ps ? wire_ps : packet_ps;
	}
	return packet_ps / PART > LEAST_NS * WEIR_PS_PER_NS ? packet_ps / PART
							    : LEAST_NS * WEIR_PS_PER_NS;
}

int timing_wheel_init(struct engine *e, struct weir_error *error)
{
	uint32_t shortest = e->config->frame_min_bytes, longest = e->config->frame_max_bytes;
	int64_t reach_ps = 0;

	e->jitter_ps = find_jitter_ps(e);
	/* The lookahead decides when flows that wait for others start: with telemetry it is that of
	 * lossless networks. */
	if ((e->config->lossless || e->config->telemetry || fabric_is_on(e->config)) &&
	    shortest > WEIR_PFC_FRAME_BYTES)
		shortest = WEIR_PFC_FRAME_BYTES;
	e->lookahead_ps = WEIR_TIME_NEVER_PS;
	for (uint32_t i = 0; i < e->net->link_count; i++) {
		const struct weir_port_class *kind = engine_port_class(e, i);
		int64_t delay_ps = engine_delay_ps(e, i);
		int64_t ahead_ps = delay_ps + weir_port_wire_ps(kind, shortest);
		int64_t far_ps = delay_ps + weir_port_wire_ps(kind, longest) + e->jitter_ps;

		/* A PFC frame waits for the packet on the wire, and for a few other frames. */
		if (e->config->lossless)
			far_ps +=
				weir_port_wire_ps(kind, longest) +
				LINK_FRAMES_QUEUED * weir_port_wire_ps(kind, WEIR_PFC_FRAME_BYTES);
		if (ahead_ps < e->lookahead_ps)
			e->lookahead_ps = ahead_ps;
		if (far_ps > reach_ps)
			reach_ps = far_ps;
	}
	if (e->lookahead_ps <= 0)
		return weir_error_set(error, "network: some link has no delay");

	e->lookahead_limit = (uint64_t)(WEIR_TIME_NEVER_PS / e->lookahead_ps) - 1;

	/* Propagation and processing delay are at most a second each, the shortest packet takes 9
	 * ms at 1 Mb/s. */
	assert(e->lookahead_ps < INT64_C(1) << (64 - SWITCH_INGRESS_BITS));

	uint64_t needed = (uint64_t)(reach_ps / e->lookahead_ps) + 4;

	e->wheel.slots = SLOTS_MIN;
	while (e->wheel.slots < needed && e->wheel.slots < SLOTS_MAX)
		e->wheel.slots *= 2;
	/* The number of frames of a fabric scheme that may queue at a port has no bound. */
	e->wheel.is_short = e->wheel.slots < needed || fabric_is_on(e->config);
	return 0;
}

/* A worker's part of a slot is a whole number of cache lines: no false sharing. */
void timing_wheel_new(struct engine *e)
{
	struct timing_wheel *t = &e->wheel;
	uint64_t parts = (uint64_t)t->slots * e->threads;

	t->words = ((e->net->node_count + 63) / 64 + WORDS_OF_CACHE_LINE - 1) &
		   ~(WORDS_OF_CACHE_LINE - 1u);
	t->group_bits = 0;
	while ((t->words - 1) >> t->group_bits >= 64)
		t->group_bits++;
	t->words = (((t->words - 1) >> t->group_bits) + 1) << t->group_bits;
	t->stride = t->words * e->threads;
	t->bits = memory_new(parts * t->words, sizeof(*t->bits));
	t->busy = memory_new(parts, sizeof(*t->busy));
	for (uint32_t i = 0; i < e->threads; i++) {
		e->workers[i].wheel = t->bits + (size_t)i * t->words;
		e->workers[i].slot_busy = t->busy + (size_t)i * t->slots;
	}
}

void timing_wheel_free(struct engine *e)
{
	struct timing_wheel *t = &e->wheel;

	memory_free(t->bits, (uint64_t)t->slots * t->stride, sizeof(*t->bits));
	memory_free(t->busy, (uint64_t)t->slots * e->threads, sizeof(*t->busy));
}

/* --- waking nodes --- */

/* Distance of a later time from the worker's lookahead window, in windows. */
static inline uint64_t windows_ahead(const struct worker *w, int64_t time_ps)
{
	return 1 + (uint64_t)(time_ps - w->end_ps) / (uint64_t)w->engine->lookahead_ps;
}

void engine_wake(struct worker *w, uint32_t node, int64_t time_ps)
{
	const struct engine *e = w->engine;
	uint64_t ahead = windows_ahead(w, time_ps);

	timing_wheel_set(w, w->lookahead + (ahead < e->wheel.slots ? ahead : e->wheel.slots - 1),
			 node);
}

void engine_wake_later(struct worker *w, uint32_t node, int64_t time_ps)
{
	if (time_ps < w->end_ps)
		return; /* the same window: its bit is still set */

	uint64_t ahead = windows_ahead(w, time_ps);

	if (ahead < w->engine->wheel.slots) {
		timing_wheel_set(w, w->lookahead + ahead, node);
	} else {
		heap_push(&w->overflow, time_ps, node);
		w->overflow_ps = w->overflow.entries[0].time_ps;
	}
}

void engine_wake_stopped(struct engine *e, uint32_t node, int64_t time_ps)
{
	struct worker *w = engine_worker(e, node);

	if (time_ps < w->end_ps)
		timing_wheel_set(w, w->lookahead, node);
	else
		engine_wake_later(w, node, time_ps);
}

/* --- running nodes --- */

/* 64 nodes, 1: it has events in the window, whichever worker has set its bit. slot is the first
 * worker's part. */
static inline uint64_t due_nodes(const struct engine *e, const _Atomic uint64_t *slot,
				 uint32_t word)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < e->wheel.stride; i += e->wheel.words)
		bits |= atomic_load_explicit(&slot[i + word], memory_order_relaxed);
	return bits;
}

/* Groups of words of a window with events, whichever worker has set their bits. */
static uint64_t due_groups(const struct worker *w)
{
	const struct engine *e = w->engine;
	uint32_t slot = timing_wheel_slot(e, w->lookahead);
	uint64_t groups = 0;

	for (uint32_t i = 0; i < e->threads; i++)
		groups |=
			atomic_load_explicit(&e->workers[i].slot_busy[slot], memory_order_relaxed);
	return groups;
}

static const _Atomic uint64_t *current_slot(const struct worker *w)
{
	const struct engine *e = w->engine;

	return e->wheel.bits + (w->lookahead & (e->wheel.slots - 1)) * e->wheel.stride;
}

/* The first worker that claims a switch in a round, by an atomic exchange, runs it. Relaxed order
 * is enough: the barrier orders everything else. */
static int switch_claim(struct worker *w, struct switch_state *s)
{
	return !w->shared ||
	       atomic_exchange_explicit(&s->claimed, w->round, memory_order_relaxed) != w->round;
}

static void node_run(struct worker *w, uint32_t node)
{
	struct engine *e = w->engine;
	const struct net_node *n = &e->net->nodes[node];

	if (n->kind == NODE_HOST)
		host_run(w, &e->hosts[n->number]);
	else if (switch_claim(w, &e->switches[n->number]))
		switch_run(w, &e->switches[n->number]);
}

/* Prefetches the state of the node after the next, and the packets that arrive at it. */
static inline void node_prefetch(const struct worker *w, uint32_t node)
{
	const struct engine *e = w->engine;
	const struct net_node *n = &e->net->nodes[node];

	if (n->kind == NODE_HOST) {
		const char *host = (const char *)&e->hosts[n->number];
		const char *out = (const char *)engine_egress(e, n->first_link);

		__builtin_prefetch(host);
		__builtin_prefetch(host + 64);
		__builtin_prefetch(out);
		__builtin_prefetch(out + 64);
		link_queue_prefetch(&w->pool, e->link_queue_head[n->first_link_queue],
				    atomic_load_explicit(&e->link_queue_tail[n->first_link_queue],
							 memory_order_acquire),
				    PREFETCH_CHUNKS_ALL);
	} else if (worker_prefetches_ahead(w)) {
		switch_prefetch(w, &e->switches[n->number]);
	}
}

/* Prefetches the flows of packets that arrive at the next node, a host: those of the first chunk,
 * which node_prefetch has brought in. */
static inline void host_prefetch_flows(const struct worker *w, uint32_t node)
{
	const struct engine *e = w->engine;
	const struct net_node *n = &e->net->nodes[node];

	if (n->kind != NODE_HOST)
		return;

	uint32_t slot = e->link_queue_head[n->first_link_queue];
	uint32_t tail = atomic_load_explicit(&e->link_queue_tail[n->first_link_queue],
					     memory_order_acquire);

	if (slot == WEIR_SLOT_NONE || slot == tail)
		return;
	do {
		struct weir_packet *packet = &w->pool.slots[slot++];

		__builtin_prefetch(&e->flows.flows[packet_segment(packet)->connection]);
	} while (slot & WEIR_CHUNK_MASK && slot != tail);
}

static inline uint32_t first_of(uint32_t word, uint64_t bits)
{
	return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* What a specialised copy of run_nodes_among does beside running nodes. */
enum run_nodes_feature {
	RUN_NODES_PREFETCHING = 1,
	RUN_NODES_DECIDING = 2, /* a host that waits for an action has lowered limit_ps */
};

/* own: bit per node of this rank; NULL: all nodes are here. own and features are constants in each
 * specialised copy. */
static inline ALWAYS_INLINE void run_nodes_among(struct worker *w, const uint64_t *own,
						 uint32_t features)
{
	const struct engine *e = w->engine;
	const _Atomic uint64_t *slot = current_slot(w);
	uint32_t group_bits = e->wheel.group_bits;
	uint64_t groups = due_groups(w);

	for (uint32_t i = 0; i < w->range_count; i++) {
		uint32_t first = w->ranges[i].first, end = w->ranges[i].end;

		for (uint32_t word = first / 64; word * 64 < end; word++) {
			uint64_t bits;

			if (!(groups >> (word >> group_bits) & 1)) {
				word |= (1u << group_bits) - 1;
				continue;
			}
			bits = due_nodes(e, slot, word);
			if (word == first / 64)
				bits &= UINT64_MAX << (first % 64);
			if (end - word * 64 < 64)
				bits &= (UINT64_C(1) << (end - word * 64)) - 1;
			if (own)
				bits &= own[word];
			while (bits) {
				uint32_t node = first_of(word, bits);

				bits &= bits - 1;
				if (features & RUN_NODES_PREFETCHING && bits) {
					uint64_t later = bits & (bits - 1);

					host_prefetch_flows(w, first_of(word, bits));
					if (later)
						node_prefetch(w, first_of(word, later));
				}
				node_run(w, node);
				if (features & RUN_NODES_DECIDING)
					w->limit_ps = e->round.limit_ps;
			}
		}
	}
}

static NOINLINE void run_nodes_of_rank(struct worker *w)
{
	run_nodes_among(w, w->engine->ranks->own, RUN_NODES_PREFETCHING);
}

static NOINLINE void run_nodes_prefetching(struct worker *w)
{
	run_nodes_among(w, NULL, RUN_NODES_PREFETCHING);
}

static NOINLINE void run_nodes_deciding(struct worker *w)
{
	run_nodes_among(w, NULL, RUN_NODES_DECIDING);
}

void worker_run_nodes(struct worker *w)
{
	if (UNLIKELY(w->engine->ranks != NULL))
		run_nodes_of_rank(w);
	else if (UNLIKELY(w->engine->decisions != NULL))
		run_nodes_deciding(w);
	else if (w->prefetch == PREFETCH_ALL)
		run_nodes_prefetching(w);
	else
		run_nodes_among(w, NULL, 0);
}

void worker_steal_switches(struct worker *w)
{
	struct engine *e = w->engine;
	const _Atomic uint64_t *slot = current_slot(w);

	for (uint32_t i = e->net->switch_count; i-- > 0;) {
		struct switch_state *s = &e->switches[i];

		if (atomic_load_explicit(&s->claimed, memory_order_relaxed) == w->round ||
		    !engine_owns(e, s->node) ||
		    !(due_nodes(e, slot, s->node / 64) >> (s->node % 64) & 1))
			continue;
		if (switch_claim(w, s))
			switch_run(w, s);
	}
}
