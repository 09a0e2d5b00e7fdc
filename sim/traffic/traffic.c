/* SPDX-License-Identifier: BSD-3-Clause */
/* traffic.c -- every traffic pattern, one line each, and the list of flows that comes of them. */
#include "sim/traffic/traffic.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/schemes.h"
#include "sim/traffic/traffic_make.h"
#include "sim/traffic/traffic_sort.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const struct weir_traffic_ops traffic_many_to_one, traffic_permutation, traffic_all_to_all,
	traffic_all_to_one, traffic_inter_rack, traffic_incast, traffic_staggered, traffic_storage,
	traffic_training, traffic_ring, traffic_list, traffic_hpcc_flows, traffic_htsim,
	traffic_messages;

const struct weir_traffic_ops *const traffic_all[] = {
	&traffic_many_to_one, &traffic_permutation, &traffic_all_to_all,
	&traffic_all_to_one,  &traffic_inter_rack,  &traffic_incast,
	&traffic_staggered,   &traffic_storage,     &traffic_training,
	&traffic_ring,        &traffic_list,        &traffic_hpcc_flows,
	&traffic_htsim,       &traffic_messages,    NULL,
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

/* Gates and paths know flows by the order of making, which .next holds until everything is
 * sorted. */
static void renumber(struct flow_list *list)
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

static void sort_flows(struct flow_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		list->flows[i].next = i;
	list->flows = flows_by_start(list->flows, list->count);
	list->capacity = list->count;
	if (list->gates.gate_count || list->paths.count)
		renumber(list);
	for (uint32_t i = 0; i < list->count; i++) {
		list->flows[i].next = FLOW_NONE;
		list->flows[i].connection = i;
	}
}

/* Which of its pair's connections a flow takes: one generator for each, which draws once. */
static uint64_t lane_of(const struct config *c, const struct flow *flows, uint32_t i)
{
	uint64_t each = c->traffic[flows[i].traffic].connections_each;
	struct weir_rng random = weir_rng_make(c->seed, i, WEIR_RNG_CONNECTION);

	return each > 1 ? weir_rng_below(&random, each) : 0;
}

/* Where the first flow of a connection is, or is to be, in a table of size mask + 1. */
static uint32_t *connection_slot(uint32_t *table, uint64_t mask, const struct config *c,
				 const struct flow_list *list, uint32_t i)
{
	const struct flow *f = &list->flows[i];
	uint64_t lane = lane_of(c, list->flows, i);
	uint64_t slot = weir_hash64(((uint64_t)f->src << 32) | f->dst, lane << 32 | f->traffic);

	for (;; slot++) {
		uint32_t *at = &table[slot & mask];
		const struct flow *first;

		if (*at == FLOW_NONE)
			return at;
		first = &list->flows[*at];
		if (first->src == f->src && first->dst == f->dst && first->traffic == f->traffic &&
		    lane_of(c, list->flows, *at) == lane)
			return at;
	}
}

static int check_connections_each(const struct config *c, struct weir_error *e)
{
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		const struct traffic_config *t = &c->traffic[i];

		if (t->connections_each > 1 && !traffic_is_persistent(c, t))
			return weir_error_set(e,
					      "traffic.%s.connections-each: %" PRIu64
					      ", but none of its connections stays open; it goes "
					      "with connections = persistent",
					      t->name, t->connections_each);
	}
	return 0;
}

/* Flows of one section and pair are messages on the connection that the first of them opens, or on
 * one of so many. */
static int share_connections(struct flow_list *list, const struct config *c, struct weir_error *e)
{
	uint64_t size = 1;
	uint32_t persistent = 0;
	uint32_t *table;

	if (check_connections_each(c, e))
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

/* There would be nothing to measure. The first flow is the first to start. */
static int check_starts(const struct flow_list *list, const struct config *c, struct weir_error *e)
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

static int generate_all(struct flow_list *list, const struct config *c, const struct network *net,
			struct weir_error *e)
{
	if (c->traffic_count > UINT16_MAX)
		return weir_error_set(e, "traffic: %u sections; allowed are %d", c->traffic_count,
				      UINT16_MAX);
	for (uint32_t i = 0; i < c->traffic_count; i++) {
		struct maker m;

		maker_init(&m, list, &c->traffic[i], c, net);
		if (maker_generate(&m, e))
			return -1;
	}
	sort_flows(list);
	return check_starts(list, c, e) ? -1 : share_connections(list, c, e);
}

int traffic_generate(struct flow_list *list, const struct config *c, const struct network *net,
		     struct weir_error *e)
{
	memset(list, 0, sizeof(*list));
	if (generate_all(list, c, net, e)) {
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
	memset(list, 0, sizeof(*list));
}
