/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks_part.c -- partitions a network: assigns nodes to ranks.
 *
 * A switch that has hosts stays with them: a rack. Racks of a pod stay together where there are at
 * least as many pods as ranks. Racks are assigned in order, balanced by the number of their links.
 * A switch whose neighbours are all at one rank is put there, too (those of a pod); the others,
 * which connect the parts (spines, cores), fill up ranks in order. O(links * tiers). */
#include "sim/parallel/ranks.h"

#define RANK_NONE UINT16_MAX

struct partition_state {
	const struct network *net;
	uint32_t ranks;
	uint16_t *rank_of;
	uint64_t *load; /* links, by rank */
};

static uint32_t rack_node(const struct network *net, uint32_t host)
{
	return net->switch_node[net->nodes[net->host_node[host]].rack];
}

/* Links of every rack: of its switch and its hosts. By switch number; 0: it has no hosts. */
static uint32_t count_racks(const struct network *net, uint64_t *links)
{
	uint32_t racks = 0;

	for (uint32_t i = 0; i < net->host_count; i++) {
		uint32_t node = rack_node(net, i), number = net->nodes[node].number;

		if (!links[number]) {
			racks++;
			links[number] = net->nodes[node].link_count;
		}
		links[number] += net->nodes[net->host_node[i]].link_count;
	}
	return racks;
}

/* Assigns groups of that many racks, in order of their switches: a group goes to the rank in whose
 * share of all links its middle falls. */
static void assign_racks(struct partition_state *p, const uint64_t *links, uint32_t group)
{
	uint64_t total = 0, before = 0, sum = 0;
	uint32_t racks = 0, first = 0;

	for (uint32_t i = 0; i < p->net->switch_count; i++)
		total += links[i];
	for (uint32_t i = 0; i < p->net->switch_count; i++) {
		uint32_t rank;

		sum += links[i];
		racks += links[i] != 0;
		if (i + 1 < p->net->switch_count && racks < group)
			continue;
		rank = (uint32_t)((2 * before + sum) * p->ranks / (2 * total));
		for (; first <= i; first++)
			if (links[first])
				p->rank_of[p->net->switch_node[first]] = (uint16_t)rank;
		p->load[rank] += sum;
		before += sum;
		sum = racks = 0;
	}
	for (uint32_t i = 0; i < p->net->host_count; i++)
		p->rank_of[p->net->host_node[i]] = p->rank_of[rack_node(p->net, i)];
}

/* The rank of all its neighbours that have one; RANK_NONE: they differ, or none has. */
static uint16_t rank_of_neighbours(const struct partition_state *p, uint32_t node)
{
	const struct net_node *n = &p->net->nodes[node];
	uint16_t rank = RANK_NONE;

	for (uint32_t i = 0; i < n->link_count; i++) {
		uint16_t other = p->rank_of[p->net->links[n->first_link + i].to];

		if (other == RANK_NONE)
			continue;
		if (rank != RANK_NONE && other != rank)
			return RANK_NONE;
		rank = other;
	}
	return rank;
}

/* Puts switches at the rank of their neighbours, in passes until none is left. A pass sees the
 * state before it, so the order of nodes does not matter. */
static void assign_by_neighbours(struct partition_state *p)
{
	uint32_t count = p->net->switch_count, joined;
	uint16_t *join = memory_new(count, sizeof(*join));

	do {
		joined = 0;
		for (uint32_t i = 0; i < count; i++) {
			uint32_t node = p->net->switch_node[i];

			join[i] = p->rank_of[node] == RANK_NONE ? rank_of_neighbours(p, node)
								: RANK_NONE;
		}
		for (uint32_t i = 0; i < count; i++) {
			uint32_t node = p->net->switch_node[i];

			if (join[i] == RANK_NONE)
				continue;
			p->rank_of[node] = join[i];
			p->load[join[i]] += p->net->nodes[node].link_count;
			joined++;
		}
	} while (joined);
	memory_free(join, count, sizeof(*join));
}

/* Assigns the remaining switches in order: a rank gets them until it has its share of links. */
static void assign_rest(struct partition_state *p)
{
	uint64_t total = 0;
	uint32_t rank = 0;

	for (uint32_t i = 0; i < p->net->node_count; i++)
		total += p->net->nodes[i].link_count;
	for (uint32_t i = 0; i < p->net->switch_count; i++) {
		uint32_t node = p->net->switch_node[i];

		if (p->rank_of[node] != RANK_NONE)
			continue;
		while (rank + 1 < p->ranks && p->load[rank] * p->ranks >= total)
			rank++;
		p->rank_of[node] = (uint16_t)rank;
		p->load[rank] += p->net->nodes[node].link_count;
	}
}

int ranks_part(const struct network *net, uint32_t ranks, uint16_t *rank_of, struct weir_error *e)
{
	struct partition_state p = { net, ranks, rank_of, memory_new(ranks, sizeof(*p.load)) };
	uint64_t *links = memory_new(net->switch_count, sizeof(*links));
	uint32_t racks = count_racks(net, links), pods = 0;
	uint32_t is_short = racks < ranks;

	for (uint32_t i = 0; i < net->node_count; i++)
		rank_of[i] = RANK_NONE;
	if (net->racks_per_pod)
		pods = racks / net->racks_per_pod;
	if (!is_short) {
		assign_racks(&p, links, pods >= ranks ? net->racks_per_pod : 1);
		assign_by_neighbours(&p);
		assign_rest(&p);
	}
	for (uint32_t i = 0; i < ranks; i++)
		is_short |= p.load[i] == 0;
	memory_free(links, net->switch_count, sizeof(*links));
	memory_free(p.load, ranks, sizeof(*p.load));
	if (is_short)
		return weir_error_set(e,
				      "ranks: a switch and its hosts are not parted, and this "
				      "network has %u such: too few for %u ranks; take fewer, or "
				      "--threads",
				      racks, ranks);
	return 0;
}
