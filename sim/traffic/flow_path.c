/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_path.c -- see flow_path.h. */
#include "sim/traffic/flow_path.h"
#include "base/memory.h"
#include "weir/units.h"
#include <stdlib.h>

/* The same switches the other way round, as a register. */
static uint64_t back_of(const struct network *net, const struct route *r)
{
	uint64_t path = 0;
	uint32_t shift = 0;

	for (uint32_t i = r->hops - 1; i-- > 0;) {
		uint32_t link = net->links[r->links[i]].reverse;
		const struct net_node *n = &net->nodes[net->links[link].from];

		path |= (uint64_t)(link - n->first_link) << shift;
		shift += node_route_bits(n);
	}
	return path;
}

void route_follow(const struct network *net, uint32_t from_host, uint64_t path, struct route *r)
{
	uint32_t link = net->nodes[net->host_node[from_host]].first_link;

	*r = (struct route){ .path = path, .until_ps = WEIR_TIME_NEVER_PS, .found = 1 };
	for (;;) {
		const struct net_node *n = &net->nodes[net->links[link].to];
		uint32_t bits = node_route_bits(n);

		r->links[r->hops++] = link;
		if (n->kind == NODE_HOST)
			return;
		link = n->first_link + (uint32_t)(path & ((UINT64_C(1) << bits) - 1));
		path >>= bits;
	}
}

/* Room doubles: grow whenever the count is a power of two. */
void flow_paths_add(struct flow_path_list *l, uint32_t flow, const struct network *net,
		    const struct route *route)
{
	if ((l->count & (l->count - 1)) == 0)
		l->paths = memory_grow(l->paths, l->count ? UINT64_C(2) * l->count : 1,
				       sizeof(*l->paths));
	l->paths[l->count++] = (struct flow_path){ flow, route->path, back_of(net, route) };
}

static int by_flow(const void *a, const void *b)
{
	const struct flow_path *x = a, *y = b;

	return (x->flow > y->flow) - (x->flow < y->flow);
}

void flow_paths_sort(struct flow_path_list *l, const uint32_t *number)
{
	for (uint32_t i = 0; i < l->count; i++)
		l->paths[i].flow = number[l->paths[i].flow];
	qsort(l->paths, l->count, sizeof(*l->paths), by_flow);
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
	return bsearch(&sought, l->paths, l->count, sizeof(*l->paths), by_flow);
}
