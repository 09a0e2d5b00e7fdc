/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.c -- the table of topologies, and the builder that turns nodes and cables into a
 * network: sorted links, numbers, racks. Runs once, at one thread, before the simulation. */
#include "sim/net/network.h"
#include "base/memory.h"
#include "sim/net/topology.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

extern const struct topology_ops topology_star, topology_dumbbell, topology_leaf_spine,
	topology_fat_tree_2, topology_fat_tree, topology_explicit, topology_hpcc;

const struct topology_ops *const topology_all[] = {
	&topology_star,     &topology_dumbbell, &topology_leaf_spine, &topology_fat_tree_2,
	&topology_fat_tree, &topology_explicit, &topology_hpcc,       NULL,
};

const struct registry topology_registry = REGISTRY("topology", topology_all);

const struct topology_ops *topology_find(const char *name, struct weir_error *e)
{
	const struct topology_ops *ops = weir_registry_find(&topology_registry, name);

	if (!ops)
		weir_registry_unknown(&topology_registry, name, e);
	return ops;
}

void topology_choose(struct network_config *c, const struct topology_ops *ops)
{
	c->ops = ops;
	memset(c->params, 0, sizeof(c->params));
	weir_options_default(c->params, ops->scheme.options);
}

/* --- building --- */

struct wire host_wire(const struct tier_wires *t)
{
	return (struct wire){ t->rate_bps, (int64_t)t->delay_ps };
}

struct wire fabric_wire(const struct tier_wires *t)
{
	struct wire w = host_wire(t);

	if (t->fabric_rate_bps != 0)
		w.rate_bps = t->fabric_rate_bps;
	if (t->fabric_delay_ps != 0)
		w.delay_ps = (int64_t)t->fabric_delay_ps;
	return w;
}

struct wire core_wire(const struct tier_wires *t)
{
	struct wire w = fabric_wire(t);

	if (t->core_rate_bps != 0)
		w.rate_bps = t->core_rate_bps;
	if (t->core_delay_ps != 0)
		w.delay_ps = (int64_t)t->core_delay_ps;
	return w;
}

int builder_start(struct net_builder *b, struct network *net, const struct net_size *size,
		  struct weir_error *e)
{
	if (size->hosts < 2 || size->hosts > HOSTS_MAX)
		return weir_error_set(e, "network.topology: %" PRIu64 " hosts; allowed are 2 to %d",
				      size->hosts, HOSTS_MAX);
	if (size->hosts + size->switches > NODES_MAX || size->cables > CABLES_MAX)
		return weir_error_set(
			e,
			"network.topology: %" PRIu64 " hosts and switches with %" PRIu64
			" links; allowed are at most %d with %d",
			size->hosts + size->switches, size->cables, NODES_MAX, CABLES_MAX);
	b->net = net;
	b->nodes_max = (uint32_t)(size->hosts + size->switches);
	b->cables_max = (uint32_t)size->cables;
	b->cable_count = 0;
	net->tier_names[0] = HOST_TIER_NAME;
	net->nodes = memory_zeroed(b->nodes_max, sizeof(*net->nodes));
	net->host_node = memory_zeroed(size->hosts, sizeof(*net->host_node));
	net->switch_node = memory_zeroed(size->switches, sizeof(*net->switch_node));
	net->links = memory_zeroed(size->cables * 2, sizeof(*net->links));
	net->link_queue_link = memory_zeroed(size->cables * 2, sizeof(*net->link_queue_link));
	b->cables = memory_zeroed(size->cables, sizeof(*b->cables));
	return 0;
}

uint32_t builder_node(struct net_builder *b, enum node_kind kind, uint8_t tier, uint32_t index)
{
	struct network *net = b->net;
	struct net_node *n = &net->nodes[net->node_count];

	assert(net->node_count < b->nodes_max);
	n->kind = (uint8_t)kind;
	n->tier = tier;
	n->index = index;
	if (kind == NODE_HOST) {
		n->number = net->host_count;
		net->host_node[net->host_count++] = net->node_count;
	} else {
		n->number = net->switch_count;
		net->switch_node[net->switch_count++] = net->node_count;
	}
	return net->node_count++;
}

void builder_cable(struct net_builder *b, uint32_t a, uint32_t z, const struct wire *wire)
{
	assert(b->cable_count < b->cables_max && a != z);
	b->cables[b->cable_count++] = (struct cable){ a, z, *wire };
}

uint32_t builder_rack(struct net_builder *b, uint32_t first, uint32_t count,
		      const struct net_node *top, const struct wire *wire)
{
	uint32_t switch_node = b->net->node_count + count;

	for (uint32_t i = 0; i < count; i++)
		builder_cable(b, builder_node(b, NODE_HOST, 0, first + i), switch_node, wire);
	return builder_node(b, NODE_SWITCH, top->tier, top->index);
}

/* Adds a link to a node, whose first_link is known; returns it. */
static uint32_t builder_add_link(struct network *net, uint32_t from, uint32_t to,
				 const struct wire *wire)
{
	struct net_node *n = &net->nodes[from];
	uint32_t link = n->first_link + n->link_count++;

	net->links[link] = (struct net_link){ .from = from,
					      .to = to,
					      .rate_bps = wire->rate_bps,
					      .delay_ps = wire->delay_ps,
					      .fails_ps = WEIR_TIME_NEVER_PS };
	return link;
}

/* Counting sort of the links by sender. Every cable is two links, so a node has as many in-flight
 * queues to receive from as links to send on, and both start at the same number. */
static void builder_sort_links(struct net_builder *b)
{
	struct network *net = b->net;
	uint32_t first = 0;

	for (uint32_t i = 0; i < b->cable_count; i++) {
		net->nodes[b->cables[i].a].link_count++;
		net->nodes[b->cables[i].b].link_count++;
	}
	for (uint32_t i = 0; i < net->node_count; i++) {
		struct net_node *n = &net->nodes[i];

		n->first_link = n->first_link_queue = first;
		first += n->link_count;
		n->link_count = 0;
	}
	net->link_count = first;
	for (uint32_t i = 0; i < b->cable_count; i++) {
		const struct cable *c = &b->cables[i];
		uint32_t forth = builder_add_link(net, c->a, c->b, &c->wire);
		uint32_t back = builder_add_link(net, c->b, c->a, &c->wire);

		net->links[forth].reverse = back;
		net->links[back].reverse = forth;
	}
}

void builder_finish(struct net_builder *b)
{
	struct network *net = b->net;

	assert(net->node_count == b->nodes_max && b->cable_count == b->cables_max);
	builder_sort_links(b);
	for (uint32_t i = 0; i < net->link_count; i++) {
		struct net_node *to = &net->nodes[net->links[i].to];
		uint32_t line = to->first_link_queue + to->link_queue_count++;

		net->links[i].link_queue = line;
		net->link_queue_link[line] = i;
	}
	for (uint32_t h = 0; h < net->host_count; h++) {
		struct net_node *n = &net->nodes[net->host_node[h]];
		const struct net_node *top = &net->nodes[net->links[n->first_link].to];

		assert(n->link_count == 1 && top->kind == NODE_SWITCH);
		n->rack = top->number;
	}
	free(b->cables);
}
