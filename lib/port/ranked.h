/* SPDX-License-Identifier: BSD-3-Clause */
/* ranked.h -- a queue ordered by rank, lowest first, equal ones as they came. */
#ifndef PORT_RANKED_H
#define PORT_RANKED_H
#include "weir/pool.h"
#include "weir/sched.h"

/* The pool has a free chunk (weir_chunk_reserve). */
void weir_ranked_push(struct weir_queue *q, struct weir_packet_pool *pool,
		      const struct weir_packet *packet, int64_t rank);

/* The packet is the caller's until the pool is used next. The queue is not empty. */
struct weir_packet *weir_ranked_pop(struct weir_queue *q, struct weir_packet_pool *pool);

/* The slots of its packets, with room for q->pkts; returns how many there are, one more where that
 * is too little. The queue is not empty. */
uint32_t weir_ranked_list(const struct weir_queue *q, const struct weir_packet_store *s,
			  uint32_t *slots);
#endif
