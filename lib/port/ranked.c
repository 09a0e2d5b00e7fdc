/* SPDX-License-Identifier: BSD-3-Clause */
/* ranked.c -- queues ordered by rank: a pairing heap of packets in the packet pool.
 *
 * Fredman, Sedgewick, Sleator, Tarjan, "The Pairing Heap", Algorithmica 1986: an insertion takes
 * one comparison, removing the minimum O(log n) amortised. Each packet has a chunk of the pool to
 * itself; its node lies in the chunk's second slot. */
#include "lib/port/port_private.h"

struct ranked_node {
	int64_t rank;
	uint32_t number;         /* order of arrival */
	uint32_t child, sibling; /* chunks; WEIR_SLOT_NONE: none */
} __attribute__((may_alias));

_Static_assert(sizeof(struct ranked_node) <= sizeof(struct weir_packet), "a node fits a slot");

static struct weir_packet *ranked_packet(struct weir_packet_pool *pool, uint32_t chunk)
{
	return &pool->slots[chunk << WEIR_CHUNK_SHIFT];
}

static struct ranked_node *ranked_node(struct weir_packet_pool *pool, uint32_t chunk)
{
	return (struct ranked_node *)&pool->slots[(chunk << WEIR_CHUNK_SHIFT) + 1];
}

static int ranked_precedes(const struct ranked_node *a, const struct ranked_node *b)
{
	return a->rank != b->rank ? a->rank < b->rank : (int32_t)(a->number - b->number) < 0;
}

/* Merges two heaps; returns the root. */
static uint32_t ranked_meld(struct weir_packet_pool *pool, uint32_t a, uint32_t b)
{
	if (a == WEIR_SLOT_NONE || b == WEIR_SLOT_NONE)
		return a == WEIR_SLOT_NONE ? b : a;
	if (ranked_precedes(ranked_node(pool, b), ranked_node(pool, a))) {
		uint32_t other = a;

		a = b;
		b = other;
	}
	ranked_node(pool, b)->sibling = ranked_node(pool, a)->child;
	ranked_node(pool, a)->child = b;
	return a;
}

/* Merges the children of a removed root: in pairs from first to last, then the pairs from last to
 * first. */
static uint32_t ranked_meld_children(struct weir_packet_pool *pool, uint32_t child)
{
	uint32_t pairs = WEIR_SLOT_NONE, root = WEIR_SLOT_NONE;

	while (child != WEIR_SLOT_NONE) {
		uint32_t first = child, second = ranked_node(pool, first)->sibling;

		child = second == WEIR_SLOT_NONE ? WEIR_SLOT_NONE
						 : ranked_node(pool, second)->sibling;
		first = ranked_meld(pool, first, second);
		ranked_node(pool, first)->sibling = pairs;
		pairs = first;
	}
	while (pairs != WEIR_SLOT_NONE) {
		uint32_t next = ranked_node(pool, pairs)->sibling;

		root = ranked_meld(pool, root, pairs);
		pairs = next;
	}
	return root;
}

static void ranked_update_head(struct weir_packet_pool *pool, struct weir_queue *q)
{
	q->head_bytes = ranked_packet(pool, q->head)->bytes;
	q->head_rank = ranked_node(pool, q->head)->rank;
}

void weir_ranked_push(struct weir_queue *q, struct weir_packet_pool *pool,
		      const struct weir_packet *packet, int64_t rank)
{
	uint32_t chunk = weir_chunk_alloc(pool);

	*ranked_packet(pool, chunk) = *packet;
	*ranked_node(pool, chunk) = (struct ranked_node){
		.rank = rank,
		.number = q->tail++,
		.child = WEIR_SLOT_NONE,
		.sibling = WEIR_SLOT_NONE,
	};
	q->head = q->pkts ? ranked_meld(pool, q->head, chunk) : chunk;
	q->bytes += packet->bytes;
	q->pkts++;
	ranked_update_head(pool, q);
}

struct weir_packet *weir_ranked_pop(struct weir_queue *q, struct weir_packet_pool *pool)
{
	uint32_t chunk = q->head;
	struct weir_packet *packet = ranked_packet(pool, chunk);

	q->bytes -= packet->bytes;
	q->pkts--;
	if (q->pkts) {
		q->head = ranked_meld_children(pool, ranked_node(pool, chunk)->child);
		ranked_update_head(pool, q);
	}
	weir_chunk_free(pool, chunk);
	return packet;
}

/* Breadth first: slots is at once the result and the queue of nodes to visit. */
uint32_t weir_ranked_list(const struct weir_queue *q, const struct weir_packet_store *s,
			  uint32_t *slots)
{
	uint32_t count = 1;

	slots[0] = q->head << WEIR_CHUNK_SHIFT;
	for (uint32_t i = 0; i < count; i++) {
		const struct ranked_node *node =
			(const struct ranked_node *)&s->slots[slots[i] + 1];
		const uint32_t linked[] = { node->child, i ? node->sibling : WEIR_SLOT_NONE };

		for (int k = 0; k < 2; k++) {
			if (linked[k] == WEIR_SLOT_NONE)
				continue;
			if (count == q->pkts)
				return count + 1;
			slots[count++] = linked[k] << WEIR_CHUNK_SHIFT;
		}
	}
	return count;
}
