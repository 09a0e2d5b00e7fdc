/* SPDX-License-Identifier: BSD-3-Clause */
/* gate.c -- see gate.h. */
#include "sim/traffic/gate.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* Makes room for one more entry. The room doubles, so it is full whenever count is a power of
 * two. */
static void *gates_reserve_one(void *p, uint32_t count, size_t size)
{
	return count & (count - 1) ? p : memory_grow(p, count ? 2 * (uint64_t)count : 1, size);
}

uint32_t gates_add_like(struct gate_list *l, const struct gate *g)
{
	l->gates = gates_reserve_one(l->gates, l->gate_count, sizeof(*l->gates));
	l->gates[l->gate_count] = *g;
	return l->gate_count++;
}

uint32_t gates_add(struct gate_list *l, uint32_t needed, uint32_t one_by_one)
{
	struct gate g = { .needed = needed, .one_by_one = one_by_one != 0 };

	return gates_add_like(l, &g);
}

uint32_t gates_add_server(struct gate_list *l, uint32_t slots)
{
	struct gate_server s = { .slots = slots };

	s.done_ps = memory_grow(NULL, slots, sizeof(*s.done_ps));
	memset(s.done_ps, 0, slots * sizeof(*s.done_ps));
	l->servers = gates_reserve_one(l->servers, l->server_count, sizeof(*l->servers));
	l->servers[l->server_count++] = s;
	return l->server_count;
}

void gates_tie(struct gate_list *l, struct gate_tie tie)
{
	int waits = tie.kind == FLOW_WAITS;
	struct gate_tie **ties = waits ? &l->waits : &l->signals;
	uint32_t *count = waits ? &l->wait_count : &l->signal_count;

	*ties = gates_reserve_one(*ties, *count, sizeof(**ties));
	(*ties)[(*count)++] = tie;
}

void gates_free(struct gate_list *l)
{
	for (uint32_t i = 0; i < l->server_count; i++)
		free(l->servers[i].done_ps);
	free(l->servers);
	free(l->gates);
	free(l->waits);
	free(l->signals);
	memset(l, 0, sizeof(*l));
}

static int by_gate(const void *a, const void *b)
{
	const struct gate_tie *x = a, *y = b;

	if (x->gate != y->gate)
		return x->gate < y->gate ? -1 : 1;
	return (x->flow > y->flow) - (x->flow < y->flow);
}

static int by_flow(const void *a, const void *b)
{
	const struct gate_tie *x = a, *y = b;

	if (x->flow != y->flow)
		return x->flow < y->flow ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

void gates_sort(struct gate_list *l, const uint32_t *number)
{
	if (!l->gate_count)
		return;
	for (uint32_t i = 0; i < l->wait_count; i++)
		l->waits[i].flow = number[l->waits[i].flow];
	for (uint32_t i = 0; i < l->signal_count; i++)
		l->signals[i].flow = number[l->signals[i].flow];
	if (l->wait_count)
		qsort(l->waits, l->wait_count, sizeof(*l->waits), by_gate);
	if (l->signal_count)
		qsort(l->signals, l->signal_count, sizeof(*l->signals), by_flow);
	for (uint32_t i = l->wait_count; i-- > 0;)
		l->gates[l->waits[i].gate].first = i;
}

const struct gate_tie *gates_find_signals(const struct gate_list *l, uint32_t flow)
{
	uint32_t low = 0, high = l->signal_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (l->signals[middle].flow < flow)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->signal_count && l->signals[low].flow == flow ? &l->signals[low] : NULL;
}

/* Removes the next flow that waits at the gate; returns 0 where none is left. */
static int gate_next_flow(struct gate_list *l, uint32_t gate, uint32_t *flow)
{
	uint32_t *first = &l->gates[gate].first;

	if (*first >= l->wait_count || l->waits[*first].gate != gate)
		return 0;
	*flow = l->waits[(*first)++].flow;
	return 1;
}

/* When the flows of a gate that opens now start. */
static int64_t gate_start_ps(const struct gate_list *l, const struct gate *g, int64_t now_ps)
{
	if (!g->server)
		return now_ps + g->delay_ps;

	struct gate_server *s = &l->servers[g->server - 1];
	int64_t *done_ps = &s->done_ps[s->next];

	*done_ps = (*done_ps > now_ps ? *done_ps : now_ps) + g->delay_ps;
	s->next = (s->next + 1) % s->slots;
	return *done_ps;
}

uint32_t gates_signal(struct gate_list *l, const struct gate_event *event,
		      void (*start)(void *context, uint32_t flow, int64_t start_ps), void *context)
{
	const struct gate_tie *tie = gates_find_signals(l, event->flow);
	uint32_t others = 0, flow;

	for (; tie && tie < l->signals + l->signal_count && tie->flow == event->flow; tie++) {
		struct gate *g = &l->gates[tie->gate];
		int64_t start_ps;

		if (tie->kind != (uint32_t)event->kind)
			continue;
		if (g->is_local != (event->gates == GATES_OF_HOST)) {
			others++;
			continue;
		}
		g->done++;
		if (!g->one_by_one && g->done != g->needed)
			continue;
		start_ps = gate_start_ps(l, g, event->now_ps);
		if (g->closes_ps && start_ps >= g->closes_ps)
			continue;
		while (gate_next_flow(l, tie->gate, &flow)) {
			start(context, flow, start_ps);
			if (g->one_by_one)
				break;
		}
	}
	return others;
}
