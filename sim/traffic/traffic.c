/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c -- the table of traffic patterns, and the flow list that they build: sorted by start,
 * with the paths that flows name and the connections that they share.
 *
 * Runs once, at one thread, before the simulation. */
#include "sim/traffic/traffic.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/schemes.h"
#include "sim/traffic/flow_builder.h"
#include "sim/traffic/job.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const struct weir_traffic_ops traffic_many_to_one, traffic_permutation, traffic_all_to_all,
	traffic_all_to_one, traffic_inter_rack, traffic_incast, traffic_staggered, traffic_storage,
	traffic_training, traffic_ring, traffic_list, traffic_hpcc_flows, traffic_htsim,
	traffic_messages, traffic_collective, traffic_goal, traffic_simai, traffic_chakra,
	traffic_transformer;

const struct weir_traffic_ops *const traffic_all[] = {
	&traffic_many_to_one, &traffic_permutation, &traffic_all_to_all,  &traffic_all_to_one,
	&traffic_inter_rack,  &traffic_incast,      &traffic_staggered,   &traffic_storage,
	&traffic_training,    &traffic_ring,        &traffic_list,        &traffic_hpcc_flows,
	&traffic_htsim,       &traffic_messages,    &traffic_collective,  &traffic_goal,
	&traffic_simai,       &traffic_chakra,      &traffic_transformer, NULL,
};

const struct registry traffic_registry = REGISTRY("pattern", traffic_all);

const struct weir_traffic_ops *traffic_find(const char *pattern, struct weir_error *e)
{
	if (is_plugin(pattern) && strchr(pattern, '(')) {
		weir_error_set(e, "%s; options of a pattern are keys of its section",
			       weir_quote(pattern).text);
		return NULL;
	}
	return scheme_find(&traffic_registry, PLUGIN_TRAFFIC, pattern, e);
}

void traffic_choose(struct traffic_config *t, const struct weir_traffic_ops *ops)
{
	t->ops = ops;
	memset(t->params, 0, sizeof(t->params));
	weir_options_default(t->params, ops->scheme.options);
}

unsigned traffic_ends(const struct weir_traffic_ops *ops)
{
	static const struct {
		const struct weir_traffic_ops *ops;
		unsigned mark;
	} marked[] = { { &traffic_storage, FLOW_ENDS_IO },
		       { &traffic_training, FLOW_ENDS_ROUND },
		       { &traffic_ring, FLOW_ENDS_ROUND } };

	for (size_t i = 0; i < sizeof(marked) / sizeof(marked[0]); i++)
		if (marked[i].ops == ops)
			return marked[i].mark;
	return 0;
}

/* --- flows by start: a radix sort, as runs have tens of millions of flows --- */

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

struct start {
	uint64_t ps;
	uint32_t flow;
};

static int flows_are_sorted(const struct flow *flows, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (flows[i].start_ps < flows[i - 1].start_ps)
			return 0;
	return 1;
}

/* The keys. Flows that wait at a gate (WEIR_TIME_NEVER_PS) get the key after the last start, which
 * has fewer digits. Returns the largest key. */
static uint64_t flows_list_starts(struct start *starts, const struct flow *flows, uint32_t count)
{
	uint64_t last_ps = 0;

	for (uint32_t i = 0; i < count; i++)
		if (flows[i].start_ps != WEIR_TIME_NEVER_PS &&
		    (uint64_t)flows[i].start_ps > last_ps)
			last_ps = (uint64_t)flows[i].start_ps;
	for (uint32_t i = 0; i < count; i++)
		starts[i] = (struct start){ flows[i].start_ps == WEIR_TIME_NEVER_PS
						    ? last_ps + 1
						    : (uint64_t)flows[i].start_ps,
					    i };
	return last_ps + 1;
}

static void flows_sort_by_digit(struct start *to, const struct start *from, uint32_t count,
				uint32_t shift)
{
	uint32_t place[DIGITS] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < count; i++)
		place[from[i].ps >> shift & (DIGITS - 1)]++;
	for (uint32_t d = 0; d < DIGITS; d++) {
		uint32_t here = place[d];

		place[d] = sum;
		sum += here;
	}
	for (uint32_t i = 0; i < count; i++)
		to[place[from[i].ps >> shift & (DIGITS - 1)]++] = from[i];
}

/* Moves flow starts[i].flow to place i, in new memory: independent reads take a fifth of the time
 * of following cycles in place. */
static struct flow *flows_move(struct flow *flows, const struct start *starts, uint32_t count)
{
	struct flow *moved = memory_grow(NULL, count, sizeof(*moved));

	for (uint32_t i = 0; i < count; i++)
		moved[i] = flows[starts[i].flow];
	free(flows);
	return moved;
}

struct flow *flows_by_start(struct flow *flows, uint32_t count)
{
	struct start *starts, *other;
	uint64_t last_ps;

	if (flows_are_sorted(flows, count))
		return flows;
	starts = memory_new(count, sizeof(*starts));
	other = memory_new(count, sizeof(*other));
	last_ps = flows_list_starts(starts, flows, count);
	for (uint32_t shift = 0; shift < 64 && last_ps >> shift; shift += DIGIT_BITS) {
		struct start *sorted = other;

		flows_sort_by_digit(sorted, starts, count, shift);
		other = starts;
		starts = sorted;
	}
	memory_free(other, count, sizeof(*other));
	flows = flows_move(flows, starts, count);
	memory_free(starts, count, sizeof(*starts));
	return flows;
}

/* --- paths that flows name --- */

/* The room doubles, so it is full whenever count is a power of two. */
void flow_paths_add(struct flow_path_list *l, uint32_t flow, const struct network *net,
		    const struct route *route)
{
	if ((l->count & (l->count - 1)) == 0)
		l->paths = memory_grow(l->paths, l->count ? UINT64_C(2) * l->count : 1,
				       sizeof(*l->paths));
	l->paths[l->count++] = (struct flow_path){ flow, route->path, route_reverse(net, route) };
}

static int flow_paths_by_flow(const void *a, const void *b)
{
	const struct flow_path *x = a, *y = b;

	return (x->flow > y->flow) - (x->flow < y->flow);
}

void flow_paths_sort(struct flow_path_list *l, const uint32_t *number)
{
	for (uint32_t i = 0; i < l->count; i++)
		l->paths[i].flow = number[l->paths[i].flow];
	qsort(l->paths, l->count, sizeof(*l->paths), flow_paths_by_flow);
}

void flow_paths_free(struct flow_path_list *l)
{
	free(l->paths);
	*l = (struct flow_path_list){ 0 };
}

const struct flow_path *flow_path_find(const struct flow_path_list *l, uint32_t flow)
{
	const struct flow_path sought = { .flow = flow };

	if (l->count == 0)
		return NULL;
	return bsearch(&sought, l->paths, l->count, sizeof(*l->paths), flow_paths_by_flow);
}

/* --- the list --- */

/* After sorting: gates and paths refer to flows by the order of adding, which .next holds until
 * here. */
static void flow_list_renumber(struct flow_list *list)
{
	uint32_t *number = memory_new(list->count, sizeof(*number));

	for (uint32_t i = 0; i < list->count; i++)
		number[list->flows[i].next] = i;
	if (list->gates.gate_count)
		gates_sort(&list->gates, number);
	if (list->paths.count)
		flow_paths_sort(&list->paths, number);
	memory_free(number, list->count, sizeof(*number));
}

static void flow_list_sort(struct flow_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		list->flows[i].next = i;
	list->flows = flows_by_start(list->flows, list->count);
	list->capacity = list->count;
	if (list->gates.gate_count || list->paths.count)
		flow_list_renumber(list);
	for (uint32_t i = 0; i < list->count; i++) {
		list->flows[i].next = FLOW_NONE;
		list->flows[i].connection = i;
	}
}

/* Which of its pair's connections a flow takes. Each flow has a generator that draws once. */
static uint64_t connection_lane(const struct config *c, const struct flow *flows, uint32_t i)
{
	uint64_t each = c->traffic[flows[i].traffic].connections_each;
	struct weir_rng random = weir_rng_make(c->seed, i, WEIR_RNG_CONNECTION);

	return each > 1 ? weir_rng_below(&random, each) : 0;
}

/* Slot of a connection's first flow in a hash table of mask + 1 slots; FLOW_NONE in it: none yet.
 */
static uint32_t *connection_slot(uint32_t *table, uint64_t mask, const struct config *c,
				 const struct flow_list *list, uint32_t i)
{
	const struct flow *f = &list->flows[i];
	uint64_t lane = connection_lane(c, list->flows, i);
	uint64_t slot = weir_hash64(((uint64_t)f->src << 32) | f->dst, lane << 32 | f->traffic);

	for (;; slot++) {
		uint32_t *at = &table[slot & mask];
		const struct flow *first;

		if (*at == FLOW_NONE)
			return at;
		first = &list->flows[*at];
		if (first->src == f->src && first->dst == f->dst && first->traffic == f->traffic &&
		    connection_lane(c, list->flows, *at) == lane)
			return at;
	}
}

static int connections_check_each(const struct config *c, struct weir_error *e)
{
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		const struct traffic_config *t = &c->traffic[i];

		if (t->connections_each > 1 && !traffic_is_persistent(c, t))
			return weir_error_set(e,
					      "traffic.%s.connections-per-pair: %" PRIu64
					      ", but none of its connections stays open; it goes "
					      "with connections = persistent",
					      t->name, t->connections_each);
	}
	return 0;
}

/* Persistent connections: flows of one section and pair become messages on the connection that the
 * first of them opens (connections-per-pair: on one of several). O(flows). */
static int flow_list_share_connections(struct flow_list *list, const struct config *c,
				       struct weir_error *e)
{
	uint64_t size = 1;
	uint32_t persistent = 0;
	uint32_t *table;

	if (connections_check_each(c, e))
		return -1;
	for (uint32_t i = 0; i < list->count; i++)
		persistent += traffic_is_persistent(c, &c->traffic[list->flows[i].traffic]) != 0;
	if (persistent == 0)
		return 0;
	while (size < (uint64_t)persistent * 2)
		size *= 2;
	table = memory_grow(NULL, size, sizeof(*table));
	memset(table, 0xff, size * sizeof(*table));
	for (uint32_t i = 0; i < list->count; i++) {
		struct flow *f = &list->flows[i];
		const struct traffic_config *t = &c->traffic[f->traffic];
		uint32_t *first;

		if (!traffic_is_persistent(c, t))
			continue;
		if (f->flags && !(t->ops->keeps_order && t->ops->keeps_order(t->params))) {
			free(table);
			return weir_error_set(
				e,
				"traffic.%s.connections: persistent, but some of its flows "
				"wait for others; allowed is per-flow",
				t->name);
		}
		first = connection_slot(table, size - 1, c, list, i);
		if (*first == FLOW_NONE)
			*first = i;
		f->connection = *first;
	}
	free(table);
	return 0;
}

int traffic_is_late(const struct flow *flows, uint32_t count, uint32_t traffic,
		    const struct config *c)
{
	int has_flows = 0;

	for (uint32_t i = 0; c->measure.to_ps && i < count; i++) {
		if (flows[i].traffic != traffic)
			continue;
		if (flows[i].start_ps < (int64_t)c->measure.to_ps)
			return 0;
		has_flows = 1;
	}
	return has_flows;
}

/* Refuses a run in which nothing starts before measure.to. The list is sorted. */
static int flow_list_check_starts(const struct flow_list *list, const struct config *c,
				  struct weir_error *e)
{
	const struct flow *first = list->flows;

	if (!list->count || !c->measure.to_ps || first->start_ps < (int64_t)c->measure.to_ps)
		return 0;
	return weir_error_set(
		e,
		"traffic.%s.start: the first flow of all starts at %s, but the run is "
		"measured until measure.to = %s",
		c->traffic[first->traffic].name, format_exact_ps((uint64_t)first->start_ps).text,
		format_exact_ps(c->measure.to_ps).text);
}

static int traffic_generate_all(struct flow_list *list, const struct config *c,
				const struct network *net, struct weir_error *e)
{
	if (c->traffic_count > UINT16_MAX)
		return weir_error_set(e, "traffic: %u sections; allowed are %d", c->traffic_count,
				      UINT16_MAX);
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		struct flow_builder b;

		flow_builder_init(&b, list, &c->traffic[i], c, net);
		if (flow_builder_generate(&b, e))
			return -1;
	}
	flow_list_sort(list);
	return flow_list_check_starts(list, c, e) ? -1 : flow_list_share_connections(list, c, e);
}

int traffic_generate(struct flow_list *list, const struct config *c, const struct network *net,
		     struct weir_error *e)
{
	memset(list, 0, sizeof(*list));
	if (traffic_generate_all(list, c, net, e)) {
		flow_list_free(list);
		return -1;
	}
	return 0;
}

void flow_list_free(struct flow_list *list)
{
	free(list->flows);
	gates_free(&list->gates);
	flow_paths_free(&list->paths);
	job_list_free(list->jobs);
	memset(list, 0, sizeof(*list));
}
