/* SPDX-License-Identifier: BSD-3-Clause */
/* sched.h -- the interface of a scheduler: which queue of a port is served next?
 *
 * A port calls its scheduler when a queue becomes busy, when the link is free and a queue has to be
 * picked, and when a packet was sent, on the port's thread. Hooks allocate nothing and cannot fail.
 * Ports are work-conserving: a link is never idle while an unpaused queue holds packets. A port
 * with one queue has no scheduler unless that ranks packets. Times are ps, lengths bytes. */
#ifndef WEIR_SCHED_H
#define WEIR_SCHED_H
#include "weir/begin.h"
#include "weir/option.h"
#include "weir/packet.h"
#include "weir/scheme.h"

WEIR_BEGIN

enum { WEIR_QUEUES_MAX = 128 };

/* One queue of a port, first in first out unless the scheduler ranks packets. Its packets lie in
 * the port's packet pool (weir/pool.h). Only the port writes here; schedulers and marking schemes
 * read. */
struct weir_queue {
	uint32_t head, tail; /* slots in the pool */
	uint32_t bytes, pkts;
	uint32_t head_bytes; /* frame bytes of the packet at the head, while pkts > 0 */
	uint32_t unused;
	int64_t head_rank; /* rank of that packet, with a scheduler that ranks */
};

struct weir_sched_ops {
	struct weir_scheme scheme;
	size_t state_size;       /* of the fixed part ... */
	size_t queue_state_size; /* ... plus this for each queue, in one array behind it */
	/* Do the options fit a port with that many queues? NULL: always. */
	int (*fits)(const void *params, uint32_t queues, struct weir_error *e);
	/* state is zero before. NULL: zeros are a valid state. */
	void (*init)(void *state, const void *params, uint32_t queues);
	/* Queue q was empty, or halted, and may now be served; head_bytes is valid. NULL: not
	 * needed. */
	void (*activate)(void *state, const void *params, uint32_t q,
			 const struct weir_queue *queues);
	/* Queue q holds packets but is paused (PFC): it must not be picked before it is activated
	 * again. NULL: queues of this scheduler cannot be paused. */
	void (*halt)(void *state, const void *params, uint32_t q);
	/* Returns the queue to serve: a busy one, of which there is at least one. Never an empty
	 * or a halted queue. */
	uint32_t (*pick)(void *state, const void *params, const struct weir_queue *queues);
	/* For round-robin schedulers, whose queues take turns, each once a round: the bytes that a
	 * turn grants queue q, and the number of the current turn, which changes with every turn
	 * and wraps. NULL: no rounds. */
	uint64_t (*quantum)(const void *params, uint32_t q, uint32_t mtu_bytes);
	uint32_t (*turn)(const void *state);
	/* The rank of an arriving packet, for queues ordered by rank: lowest first, equal ranks in
	 * order of arrival. NULL: first in first out. */
	int64_t (*rank)(const void *params, const struct weir_packet *packet, int64_t now_ps);
	/* The head of the picked queue q was dequeued; queues[q] no longer holds it. NULL: not
	 * needed. */
	void (*sent)(void *state, const void *params, uint32_t q, uint32_t bytes,
		     const struct weir_queue *queues);
};

extern const struct weir_sched_ops *const weir_sched_all[]; /* ends with NULL */

/* NULL: there is no scheduler of that name. */
const struct weir_sched_ops *weir_sched_find(const char *name);

/* Do the options fit a port with that many queues? Returns 0, or -1 with a message that begins with
 * the scheduler's name. */
int weir_sched_fits(const struct weir_sched_ops *ops, const void *params, uint32_t queues,
		    struct weir_error *e);

/* Reads "dwrr(quantum=1500B, weights=2:1)" into ops and params (WEIR_SPEC_PARAMS_MAX bytes,
 * 8-aligned) and checks it for a port with that many queues. Returns 0, or -1 with a message. */
int weir_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		     void *params, struct weir_error *e);

WEIR_END
#endif
