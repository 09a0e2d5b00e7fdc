/* SPDX-License-Identifier: BSD-3-Clause */
/* port_private.h -- what the files of lib/port share: limits of a class, and ranked queues. */
#ifndef LIB_PORT_PORT_PRIVATE_H
#define LIB_PORT_PORT_PRIVATE_H
#include "weir/port_inline.h"

static inline uint32_t clamp32(uint64_t x)
{
	return x < UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

/* Is the queue that of a lossless class? A port whose marking scheme chooses queues has one class,
 * which all of its queues hold. */
static inline int port_queue_is_lossless(const struct weir_port_class *c, uint32_t queue)
{
	uint32_t class_id = c->choose_queue ? 0 : queue;

	return class_id < 32 && c->lossless >> class_id & 1;
}

/* --- ranked.c: a queue ordered by rank, lowest first, equal ranks in order of arrival --- */

/* O(1). The pool must have a free chunk (weir_chunk_reserve). */
void weir_ranked_push(struct weir_queue *q, struct weir_packet_pool *pool,
		      const struct weir_packet *packet, int64_t rank);

/* Takes the first packet off a queue that is not empty; O(log n) amortised. The packet is the
 * caller's until the pool is used next. */
struct weir_packet *weir_ranked_pop(struct weir_queue *q, struct weir_packet_pool *pool);

/* Lists the slots of the packets of a queue that is not empty, in no particular order, into slots,
 * which has room for q->pkts. Returns how many there are, q->pkts + 1 if there are more. */
uint32_t weir_ranked_list(const struct weir_queue *q, const struct weir_packet_store *s,
			  uint32_t *slots);
#endif
