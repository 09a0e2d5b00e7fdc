/* SPDX-License-Identifier: BSD-3-Clause */
/* nodes.c -- see nodes.h. */
#include "base/compiler.h"
#include "sim/core/nodes.h"
#include "sim/core/engine.h"
#include "sim/parallel/ranks.h"
#include "sim/core/host.h"

/* Nodes that have something to do in the window, 64 of them: whoever has set their bits. row is the
 * first thread's. */
static inline uint64_t due_nodes(const struct engine *e, const _Atomic uint64_t *row, uint32_t word)
{
	uint64_t bits = 0;

	for (uint32_t i = 0; i < e->slot_stride; i += e->slot_words)
		bits |= atomic_load_explicit(&row[i + word], memory_order_relaxed);
	return bits;
}

static const _Atomic uint64_t *first_row(const struct worker *w)
{
	const struct engine *e = w->engine;

	return e->wheels + (w->window & (e->slot_count - 1)) * e->slot_stride;
}

/* A switch is worked on by whoever comes first. */
static int claim(struct worker *w, struct switch_state *s)
{
	return !w->shared ||
	       atomic_exchange_explicit(&s->claimed, w->pass, memory_order_relaxed) != w->pass;
}

static void node_run(struct worker *w, uint32_t node)
{
	struct engine *e = w->engine;
	const struct net_node *n = &e->net->nodes[node];

	if (n->kind == NODE_HOST)
		host_run(w, &e->hosts[n->number]);
	else if (claim(w, &e->switches[n->number]))
		switch_run(w, &e->switches[n->number]);
}

/* A node that is to be worked on soon. */
static inline void node_fetch(const struct worker *w, uint32_t node)
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

/* The one that is next, once that is here: whose packets they are that come to a host, those of the
 * first chunk. */
static inline void flows_fetch(const struct worker *w, uint32_t node)
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

/* Those of the worker's nodes that have something to do, in order; of these the rank's own, where
 * that is not NULL. */
static inline ALWAYS_INLINE void run_nodes_among(struct worker *w, const uint64_t *own,
						 uint32_t fetches)
{
	const struct engine *e = w->engine;
	const _Atomic uint64_t *row = first_row(w);

	for (uint32_t i = 0; i < w->range_count; i++) {
		uint32_t first = w->ranges[i].first, end = w->ranges[i].end;

		for (uint32_t word = first / 64; word * 64 < end; word++) {
			uint64_t bits = due_nodes(e, row, word);

			if (word == first / 64)
				bits &= UINT64_MAX << (first % 64);
			if (end - word * 64 < 64)
				bits &= (UINT64_C(1) << (end - word * 64)) - 1;
			if (own)
				bits &= own[word];
			while (bits) {
				uint32_t node = first_of(word, bits);

				bits &= bits - 1;
				if (fetches && bits) {
					uint64_t later = bits & (bits - 1);

					flows_fetch(w, first_of(word, bits));
					if (later)
						node_fetch(w, first_of(word, later));
				}
				node_run(w, node);
			}
		}
	}
}

static NOINLINE void run_own_nodes(struct worker *w)
{
	run_nodes_among(w, w->engine->ranks->own, 1);
}

static NOINLINE void run_nodes_ahead(struct worker *w)
{
	run_nodes_among(w, NULL, 1);
}

void nodes_run(struct worker *w)
{
	if (UNLIKELY(w->engine->ranks != NULL))
		run_own_nodes(w);
	else if (w->prefetch == PREFETCH_ALL)
		run_nodes_ahead(w);
	else
		run_nodes_among(w, NULL, 0);
}

/* Whoever is done with its own nodes takes over switches that others have not begun, which evens
 * out uneven traffic. Hosts stay with their thread: it keeps the state of their connections. */
void nodes_help(struct worker *w)
{
	struct engine *e = w->engine;
	const _Atomic uint64_t *row = first_row(w);

	for (uint32_t i = e->net->switch_count; i-- > 0;) {
		struct switch_state *s = &e->switches[i];

		if (atomic_load_explicit(&s->claimed, memory_order_relaxed) == w->pass ||
		    !engine_owns(e, s->node) ||
		    !(due_nodes(e, row, s->node / 64) >> (s->node % 64) & 1))
			continue;
		if (claim(w, s))
			switch_run(w, s);
	}
}
