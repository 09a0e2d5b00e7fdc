/* ranked.c -- queues ordered by rank: a pairing heap of packets, without memory of its own.
 *
 * Fredman, Sedgewick, Sleator, Tarjan, "The Pairing Heap", Algorithmica 1986: putting in takes one
 * comparison, taking out O(log n) amortised. Each packet has a chunk of the pool to itself; its node
 * lies in the chunk's second slot. */
#include "lib/port/ranked.h"

struct node {
	int64_t rank;
	uint32_t number;         /* in order of arrival */
	uint32_t child, sibling; /* chunks; SLOT_NONE: none */
} __attribute__((may_alias));

_Static_assert(sizeof(struct node) <= sizeof(struct packet), "a node fits a slot");

static struct packet *packet_of(struct packet_pool *pool, uint32_t chunk)
{
	return &pool->slots[chunk << CHUNK_SHIFT];
}

static struct node *node_of(struct packet_pool *pool, uint32_t chunk)
{
	return (struct node *)&pool->slots[(chunk << CHUNK_SHIFT) + 1];
}

static int is_before(const struct node *a, const struct node *b)
{
	return a->rank != b->rank ? a->rank < b->rank : (int32_t)(a->number - b->number) < 0;
}

/* Two heaps become one; returns its root. */
static uint32_t meld(struct packet_pool *pool, uint32_t a, uint32_t b)
{
	if (a == SLOT_NONE || b == SLOT_NONE)
		return a == SLOT_NONE ? b : a;
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
static uint32_t meld_children(struct packet_pool *pool, uint32_t child)
{
	uint32_t pairs = SLOT_NONE, root = SLOT_NONE;

	while (child != SLOT_NONE) {
		uint32_t first = child, second = node_of(pool, first)->sibling;

		child = second == SLOT_NONE ? SLOT_NONE : node_of(pool, second)->sibling;
		first = meld(pool, first, second);
		node_of(pool, first)->sibling = pairs;
		pairs = first;
	}
	while (pairs != SLOT_NONE) {
		uint32_t next = node_of(pool, pairs)->sibling;

		root = meld(pool, root, pairs);
		pairs = next;
	}
	return root;
}

static void show_head(struct packet_pool *pool, struct queue *q)
{
	q->head_bytes = packet_of(pool, q->head)->bytes;
	q->head_rank = node_of(pool, q->head)->rank;
}

void ranked_push(struct queue *q, struct packet_pool *pool, const struct packet *packet,
		 int64_t rank)
{
	uint32_t chunk = chunk_take(pool);

	*packet_of(pool, chunk) = *packet;
	*node_of(pool, chunk) = (struct node){
		.rank = rank,
		.number = q->tail++,
		.child = SLOT_NONE,
		.sibling = SLOT_NONE,
	};
	q->head = q->pkts ? meld(pool, q->head, chunk) : chunk;
	q->bytes += packet->bytes;
	q->pkts++;
	show_head(pool, q);
}

struct packet *ranked_pop(struct queue *q, struct packet_pool *pool)
{
	uint32_t chunk = q->head;
	struct packet *packet = packet_of(pool, chunk);

	q->bytes -= packet->bytes;
	q->pkts--;
	if (q->pkts) {
		q->head = meld_children(pool, node_of(pool, chunk)->child);
		show_head(pool, q);
	}
	chunk_give(pool, chunk);
	return packet;
}

/* The list of what was found is also that of where to look next. */
uint32_t ranked_list(const struct queue *q, const struct packet_store *s, uint32_t *slots)
{
	uint32_t count = 1;

	slots[0] = q->head << CHUNK_SHIFT;
	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = (const struct node *)&s->slots[slots[i] + 1];
		const uint32_t linked[] = { node->child, i ? node->sibling : SLOT_NONE };

		for (int k = 0; k < 2; k++) {
			if (linked[k] == SLOT_NONE)
				continue;
			if (count == q->pkts)
				return count + 1;
			slots[count++] = linked[k] << CHUNK_SHIFT;
		}
	}
	return count;
}
