/* SPDX-License-Identifier: BSD-3-Clause */
/* marking_map.c -- see marking_map.h: the scheme of a map, building maps, wrong part names. */
#include "sim/core/marking_map.h"
#include "base/memory.h"
#include "config/markings.h"
#include "config/plugin.h"
#include <stdio.h>
#include <stdlib.h>

/* The scheme of a queue. */
struct queue_marking {
	const struct weir_mark_ops *mark;
	const void *params;
	uint8_t reasons[WEIR_MARK_REASONS]; /* the scheme's reason -> the map's */
};

/* The map of ports of a tier and rate: the params of its ops. */
struct marking_map {
	struct weir_mark_ops ops;
	struct marking_map *next;
	const char *tier;
	uint64_t rate_bps;
	uint32_t queue_count;
	struct queue_marking queues[];
};

/* --- the scheme of a map --- */

static uint32_t map_needs(const void *params)
{
	const struct marking_map *m = params;
	uint32_t needs = 0;

	for (uint32_t q = 0; q < m->queue_count; q++)
		needs |= weir_mark_needs(m->queues[q].mark, m->queues[q].params);
	return needs;
}

/* The largest state: a port lays them out at equal distances. */
static size_t map_size(const void *params)
{
	const struct marking_map *m = params;
	size_t largest = 0;

	for (uint32_t q = 0; q < m->queue_count; q++) {
		size_t size = weir_mark_state_size(m->queues[q].mark, m->queues[q].params);

		largest = size > largest ? size : largest;
	}
	return largest;
}

static void map_init(void *state, const void *params, const struct weir_mark_env *env)
{
	const struct queue_marking *q = &((const struct marking_map *)params)->queues[env->queue];

	if (q->mark->init)
		q->mark->init(state, q->params, env);
}

/* The verdict with the map's reason; WEIR_MARK_PASS has none. */
static uint32_t map_verdict(const struct queue_marking *q, uint32_t verdict)
{
	uint32_t what = verdict & ((1u << WEIR_MARK_VERDICT_BITS) - 1);

	if (what == WEIR_MARK_PASS)
		return WEIR_MARK_PASS;
	return what | weir_mark_reason(q->reasons[verdict >> WEIR_MARK_VERDICT_BITS]);
}

static uint32_t map_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct queue_marking *q = &((const struct marking_map *)params)->queues[v->queue];

	return q->mark->enqueue ? map_verdict(q, q->mark->enqueue(state, q->params, v))
				: WEIR_MARK_PASS;
}

static uint32_t map_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct queue_marking *q = &((const struct marking_map *)params)->queues[v->queue];

	return q->mark->dequeue ? map_verdict(q, q->mark->dequeue(state, q->params, v))
				: WEIR_MARK_PASS;
}

static const struct weir_mark_ops map_ops = {
	.scheme = { .name = "by-class", .help = "what the part of each class says" },
	.scope = WEIR_MARK_STATE_PER_QUEUE,
	.needs = map_needs,
	.size = map_size,
	.init = map_init,
	.enqueue = map_enqueue,
	.dequeue = map_dequeue,
};

/* --- building --- */

static struct queue_marking marking_at(const struct config *c, const char *tier, uint64_t rate_bps,
				       uint32_t queue)
{
	const struct marking_part *p = marking_part_of(c, tier, rate_bps, queue);

	return p ? (struct queue_marking){ .mark = p->mark, .params = p->params }
		 : (struct queue_marking){ .mark = c->mark, .params = c->mark_params };
}

/* A reason's number in the map. Schemes with the same reason share one; the last number takes all
 * reasons beyond the number that a port can count. */
static uint8_t map_reason(struct weir_mark_ops *ops, const char *name)
{
	uint8_t i = 0;

	while (i < WEIR_MARK_REASONS - 1 && ops->reasons[i] && strcmp(ops->reasons[i], name) != 0)
		i++;
	if (ops->reasons[i] && strcmp(ops->reasons[i], name) != 0)
		ops->reasons[i] = "other";
	else
		ops->reasons[i] = name;
	return i;
}

static struct marking_map *map_new(const struct config *c, const struct plugin_guard *guard,
				   const char *tier, uint64_t rate_bps)
{
	struct marking_map *m = memory_zeroed(1, sizeof(*m) + c->queues * sizeof(m->queues[0]));

	m->ops = map_ops;
	m->tier = tier;
	m->rate_bps = rate_bps;
	m->queue_count = c->queues;
	for (uint32_t q = 0; q < c->queues; q++) {
		m->queues[q] = marking_at(c, tier, rate_bps, q);
		plugin_guard_mark(guard, &m->queues[q].mark, &m->queues[q].params);
		for (uint32_t k = 0; k < WEIR_MARK_REASONS; k++)
			if (m->queues[q].mark->reasons[k])
				m->queues[q].reasons[k] =
					map_reason(&m->ops, m->queues[q].mark->reasons[k]);
	}
	return m;
}

static int map_queues_differ(const struct config *c, const char *tier, uint64_t rate_bps)
{
	const void *first = marking_at(c, tier, rate_bps, 0).params;

	for (uint32_t q = 1; q < c->queues; q++)
		if (marking_at(c, tier, rate_bps, q).params != first)
			return 1;
	return 0;
}

static const struct marking_map *map_find(const struct marking_map *maps, const char *tier,
					  uint64_t rate_bps)
{
	while (maps && (maps->rate_bps != rate_bps || strcmp(maps->tier, tier) != 0))
		maps = maps->next;
	return maps;
}

void marking_maps_plan(const struct marking_map *maps, const struct config *c, const char *tier,
		       struct weir_port_plan *plan)
{
	const struct marking_map *m = map_find(maps, tier, plan->rate_bps);
	struct queue_marking first = marking_at(c, tier, plan->rate_bps, 0);

	plan->mark = m ? &m->ops : first.mark;
	plan->mark_params = m ? m : first.params;
}

void marking_maps_free(struct marking_map *maps)
{
	while (maps) {
		struct marking_map *next = maps->next;

		free(maps);
		maps = next;
	}
}

const struct weir_mark_ops *marking_of_queue(const struct weir_port_class *kind, uint32_t queue,
					     const void **params)
{
	const struct marking_map *m = kind->mark_params;

	*params = kind->mark_params;
	if (kind->mark->enqueue != map_enqueue)
		return kind->mark;
	*params = m->queues[queue].params;
	return m->queues[queue].mark;
}

/* --- wrong part names --- */

enum { NAMES_MAX = 64, NAME_SIZE = 64 };

/* All names that a part may have, for messages. */
struct part_names {
	size_t count;
	char text[NAMES_MAX][NAME_SIZE];
	const char *names[NAMES_MAX];
	char missing[NAME_SIZE];
};

static void part_names_add(struct part_names *n, const char *name)
{
	for (size_t i = 0; i < n->count; i++)
		if (strcmp(n->names[i], name) == 0)
			return;
	if (n->count == NAMES_MAX)
		return;
	snprintf(n->text[n->count], NAME_SIZE, "%s", name);
	n->names[n->count] = n->text[n->count];
	n->count++;
}

static const char *rate_format(char text[NAME_SIZE], uint64_t rate_bps)
{
	static const struct weir_option rate = { "rate", WEIR_OPT_RATE_BPS, 0,  NULL,
						 0,      UINT64_MAX,        "", NULL };

	return weir_option_format(text, NAME_SIZE, &rate, &rate_bps);
}

static void part_names_list(struct part_names *n, const struct config *c, const struct network *net)
{
	*n = (struct part_names){ 0 };
	for (uint32_t i = 0; i < c->traffic_count; i++)
		part_names_add(n, c->traffic[i].name);
	for (uint32_t i = 0; i < net->switch_count; i++)
		part_names_add(n, net->tier_names[net->nodes[net->switch_node[i]].tier]);
	for (uint32_t i = 0; i < net->link_count; i++) {
		char text[NAME_SIZE];

		if (net->nodes[net->links[i].from].kind == NODE_SWITCH)
			part_names_add(n, rate_format(text, net->links[i].rate_bps));
	}
}

/* Does any switch port belong to the part? */
static int part_has_ports(const struct marking_part *p, const struct network *net)
{
	for (uint32_t i = 0; i < net->link_count; i++) {
		const struct net_node *from = &net->nodes[net->links[i].from];

		if (from->kind == NODE_SWITCH &&
		    (p->rate_bps == 0 || net->links[i].rate_bps == p->rate_bps) &&
		    (p->tier[0] == '\0' || strcmp(net->tier_names[from->tier], p->tier) == 0))
			return 1;
	}
	return 0;
}

static int check_parts(const struct config *c, const struct network *net, struct weir_error *e)
{
	struct part_names n;

	for (uint32_t i = 0; c->markings && i < c->markings->count; i++) {
		const struct marking_part *p = &c->markings->parts[i];
		struct marking_part tier_alone = *p;

		if (part_has_ports(p, net))
			continue;
		tier_alone.rate_bps = 0;
		part_names_list(&n, c, net);
		if (p->rate_bps && part_has_ports(&tier_alone, net))
			rate_format(n.missing, p->rate_bps);
		else
			snprintf(n.missing, sizeof(n.missing), "%s", p->tier);
		weir_error_unknown(e, "part of the switches", n.missing, n.names, n.count);
		return weir_error_prefix(e, "%s: ", p->path);
	}
	return 0;
}

int marking_maps_new(struct marking_map **maps, const struct config *c,
		     const struct plugin_guard *guard, const struct network *net,
		     struct weir_error *e)
{
	if (check_parts(c, net, e))
		return -1;
	for (uint32_t i = 0; c->markings && i < net->link_count; i++) {
		const struct net_node *from = &net->nodes[net->links[i].from];
		const char *tier = net->tier_names[from->tier];
		uint64_t rate_bps = net->links[i].rate_bps;
		struct marking_map *m;

		if (from->kind != NODE_SWITCH || map_find(*maps, tier, rate_bps) ||
		    !map_queues_differ(c, tier, rate_bps))
			continue;
		m = map_new(c, guard, tier, rate_bps);
		m->next = *maps;
		*maps = m;
	}
	return 0;
}
