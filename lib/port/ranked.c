/* SPDX-License-Identifier: BSD-3-Clause */
/* ranked.c -- queues ordered by rank: a pairing heap of packets, without memory of its own.
 *
 * Fredman, Sedgewick, Sleator, Tarjan, "The Pairing Heap", Algorithmica 1986: putting in takes one
 * comparison, taking out O(log n) amortised. Each packet has a chunk of the pool to itself; its
 * node lies in the chunk's second slot. */
#include "lib/port/ranked.h"

struct node {
	int64_t rank;
	uint32_t number;         /* in order of arrival */
	uint32_t child, sibling; /* chunks; WEIR_SLOT_NONE: none */
} __attribute__((may_alias));

_Static_assert(sizeof(struct node) <= sizeof(struct weir_packet), "a node fits a slot");

static struct weir_packet *packet_of(struct weir_packet_pool *pool, uint32_t chunk)
{
	return &pool->slots[chunk << WEIR_CHUNK_SHIFT];
}

static struct node *node_of(struct weir_packet_pool *pool, uint32_t chunk)
{
	return (struct node *)&pool->slots[(chunk << WEIR_CHUNK_SHIFT) + 1];
}

static int is_before(const struct node *a, const struct node *b)
{
	return a->rank != b->rank ? a->rank < b->rank : (int32_t)(a->number - b->number) < 0;
}

/* Two heaps become one; returns its root. */
static uint32_t meld(struct weir_packet_pool *pool, uint32_t a, uint32_t b)
{
	if (a == WEIR_SLOT_NONE || b == WEIR_SLOT_NONE)
		return a == WEIR_SLOT_NONE ? b : a;
	if (is_before(node_of(pool, b), node_of(pool, a))) {
		uint32_t other = a;

		a = b;
		b = other;
	}
	node_of(pool, b)->sibling = node_of(pool, a)->child;
	node_of(pool, a)->child = b;
	return a;
}

/* The children of a root that has gone, two by two and then all, from the last to the first. */
static uint32_t meld_children(struct weir_packet_pool *pool, uint32_t child)
{
	uint32_t pairs = WEIR_SLOT_NONE, root = WEIR_SLOT_NONE;

	while (child != WEIR_SLOT_NONE) {
		uint32_t first = child, second = node_of(pool, first)->sibling;

		child = second == WEIR_SLOT_NONE ? WEIR_SLOT_NONE : node_of(pool, second)->sibling;
		first = meld(pool, first, second);
		node_of(pool, first)->sibling = pairs;
		pairs = first;
	}
	while (pairs != WEIR_SLOT_NONE) {
		uint32_t next = node_of(pool, pairs)->sibling;

		root = meld(pool, root, pairs);
		pairs = next;
	}
	return root;
}

static void show_head(struct weir_packet_pool *pool, struct weir_queue *q)
{
	q->head_bytes = packet_of(pool, q->head)->bytes;
	q->head_rank = node_of(pool, q->head)->rank;
}

void weir_ranked_push(struct weir_queue *q, struct weir_packet_pool *pool,
		      const struct weir_packet *packet, int64_t rank)
{
	uint32_t chunk = weir_chunk_take(pool);

	*packet_of(pool, chunk) = *packet;
	*node_of(pool, chunk) = (struct node){
		.rank = rank,
		.number = q->tail++,
		.child = WEIR_SLOT_NONE,
		.sibling = WEIR_SLOT_NONE,
	};
	q->head = q->pkts ? meld(pool, q->head, chunk) : chunk;
	q->bytes += packet->bytes;
	q->pkts++;
	show_head(pool, q);
}

struct weir_packet *weir_ranked_pop(struct weir_queue *q, struct weir_packet_pool *pool)
{
	uint32_t chunk = q->head;
	struct weir_packet *packet = packet_of(pool, chunk);

	q->bytes -= packet->bytes;
	q->pkts--;
	if (q->pkts) {
		q->head = meld_children(pool, node_of(pool, chunk)->child);
		show_head(pool, q);
	}
	weir_chunk_give(pool, chunk);
	return packet;
}

/* The list of what was found is also that of where to look next. */
uint32_t weir_ranked_list(const struct weir_queue *q, const struct weir_packet_store *s,
			  uint32_t *slots)
{
	uint32_t count = 1;

	slots[0] = q->head << WEIR_CHUNK_SHIFT;
	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = (const struct node *)&s->slots[slots[i] + 1];
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
