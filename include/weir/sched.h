/* SPDX-License-Identifier: BSD-3-Clause */
/* sched.h -- which queue of a port is served next?
 *
 * The port tells a scheduler when a queue becomes busy and what was sent, and asks for the next
 * queue whenever the line is free and something waits. Ports with one queue ask nobody. */
#ifndef WEIR_SCHED_H
#define WEIR_SCHED_H
#include "weir/begin.h"
#include "weir/option.h"
#include "weir/packet.h"
#include "weir/scheme.h"

WEIR_BEGIN

enum { WEIR_QUEUES_MAX = 128 };

/* One queue of a port, first in first out unless the scheduler ranks packets; the packets are in
 * the port's pool. Schedulers read it, only the port writes. */
struct weir_queue {
	uint32_t head, tail; /* slots in the pool */
	uint32_t bytes, pkts;
	uint32_t head_bytes; /* frame bytes of the packet at the head, while pkts > 0 */
	uint32_t unused;
	int64_t head_rank; /* its rank, where packets are ranked */
};

struct weir_sched_ops {
	struct weir_scheme scheme;
	size_t state_size;       /* of the fixed part ... */
	size_t queue_state_size; /* ... plus this for each queue, in one array behind it */
	/* Do the options go with a port of so many queues? NULL: always. */
	int (*fits)(const void *params, uint32_t queues, struct weir_error *e);
	/* The state is zeroed before. NULL: zeros are right. */
	void (*init)(void *state, const void *params, uint32_t queues);
	/* Queue q was empty and now holds a first packet (q->pkts == 1, head_bytes valid). NULL: no
	 * need. */
	void (*activate)(void *state, const void *params, uint32_t q,
			 const struct weir_queue *queues);
	/* Queue q holds packets, but may not be served before it is activated again. NULL: queues
	 * of this scheduler cannot be paused. */
	void (*halt)(void *state, const void *params, uint32_t q);
	/* The queue to serve; at least one is busy. Never returns an empty one, nor one that is
	 * halted. */
	uint32_t (*pick)(void *state, const void *params, const struct weir_queue *queues);
	/* Queues take turns, each once a round: the bytes that a turn gives queue q, and the number
	 * of the turn that is going on (it changes with every turn, and wraps). NULL: there are no
	 * rounds. */
	uint64_t (*quantum)(const void *params, uint32_t q, uint32_t mtu_bytes);
	uint32_t (*turn)(const void *state);
	/* A queue is ordered by rank, lowest first, equal ones as they came; this is the rank of a
	 * packet that comes. NULL: first in first out. */
	int64_t (*rank)(const void *params, const struct weir_packet *packet, int64_t now_ps);
	/* The packet that pick asked for has left queue q (already taken off queues[q]). NULL: no
	 * need. */
	void (*sent)(void *state, const void *params, uint32_t q, uint32_t bytes,
		     const struct weir_queue *queues);
};

extern const struct weir_sched_ops *const weir_sched_all[];

const struct weir_sched_ops *weir_sched_find(const char *name);

/* Do the options go with a port of so many queues? The message begins with the scheduler's name. */
int weir_sched_fits(const struct weir_sched_ops *ops, const void *params, uint32_t queues,
		    struct weir_error *e);

/* Reads "dwrr(quantum=1500B, weights=2:1)" and checks it for a port of so many queues. */
int weir_sched_parse(const char *spec, uint32_t queues, const struct weir_sched_ops **ops,
		     void *params, struct weir_error *e);

WEIR_END
#endif
