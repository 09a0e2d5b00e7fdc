/* gate.c -- see gate.h. */
#include "sim/gate.h"
#include "sim/memory.h"
#include <stdlib.h>
#include <string.h>

uint32_t gates_add(struct gate_list *l, uint32_t needed, uint32_t one_by_one)
{
	l->gates = memory_grow(l->gates, l->gate_count + UINT64_C(1), sizeof(*l->gates));
	l->gates[l->gate_count] = (struct gate){ .needed = needed, .one_by_one = one_by_one };
	return l->gate_count++;
}

void gates_tie(struct gate_list *l, struct gate_tie tie)
{
	int waits = tie.kind == FLOW_WAITS;
	struct gate_tie **ties = waits ? &l->waits : &l->tells;
	uint32_t *count = waits ? &l->wait_count : &l->tell_count;

	*ties = memory_grow(*ties, *count + UINT64_C(1), sizeof(**ties));
	(*ties)[(*count)++] = tie;
}

void gates_free(struct gate_list *l)
{
	free(l->gates);
	free(l->waits);
	free(l->tells);
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
	for (uint32_t i = 0; i < l->tell_count; i++)
		l->tells[i].flow = number[l->tells[i].flow];
	if (l->wait_count)
		qsort(l->waits, l->wait_count, sizeof(*l->waits), by_gate);
	if (l->tell_count)
		qsort(l->tells, l->tell_count, sizeof(*l->tells), by_flow);
	for (uint32_t i = l->wait_count; i-- > 0;)
		l->gates[l->waits[i].gate].first = i;
}

const struct gate_tie *gates_tells(const struct gate_list *l, uint32_t flow)
{
	uint32_t low = 0, high = l->tell_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (l->tells[middle].flow < flow)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->tell_count && l->tells[low].flow == flow ? &l->tells[low] : NULL;
}

/* The next flow at the gate, if any is left. */
static int start_next(struct gate_list *l, uint32_t gate,
		      void (*start)(void *context, uint32_t flow), void *context)
{
	uint32_t *first = &l->gates[gate].first;

	if (*first >= l->wait_count || l->waits[*first].gate != gate)
		return 0;
	start(context, l->waits[(*first)++].flow);
	return 1;
}

void gates_tell(struct gate_list *l, uint32_t flow, enum flow_tie kind,
		void (*start)(void *context, uint32_t flow), void *context)
{
	const struct gate_tie *tie = gates_tells(l, flow);

	for (; tie && tie < l->tells + l->tell_count && tie->flow == flow; tie++) {
		struct gate *g = &l->gates[tie->gate];

		if (tie->kind != (uint32_t)kind)
			continue;
		g->done++;
		if (g->one_by_one)
			start_next(l, tie->gate, start, context);
		else if (g->done == g->needed)
			while (start_next(l, tie->gate, start, context))
				;
	}
}
