/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h -- one network on several processes (sim/parallel/exchange.h). Each rank has all of the
 * graph, the routes and the flow records, but works on its own nodes alone, with threads of its
 * own, and makes only the ports, hosts and switches that these need.
 *
 * At the end of a window every rank sends what has left its nodes for others': packets on lines
 * that are cut, with what switches wrote into them, and news of messages whose receiver is
 * elsewhere. What arrives does so in a later window, so nobody has to go back. In the same round
 * ranks agree on the next window, and on how many flows have begun and ended. Whoever decides does
 * so by what all agreed on: all decide the same, and the bytes of a run do not depend on the number
 * of ranks.
 *
 * Racks and pods stay whole; cut are links above them. */
#ifndef SIM_PARALLEL_RANKS_H
#define SIM_PARALLEL_RANKS_H
#include "sim/parallel/exchange.h"
#include "sim/core/engine.h"

/* Bits of votes.any. */
enum rank_vote {
	RANK_STOPPED = 1,  /* somebody was interrupted */
	RANK_TROUBLED = 2, /* something happened after which there is no result */
};

/* Of votes.sums: flow_ends of flows that waited and have begun, that have ended; flows that ended
 * and have others to tell. */
enum rank_sum { RANK_OPENED, RANK_DONE, RANK_UNTOLD };

/* A message has joined a connection whose receiver is elsewhere. */
struct message_news {
	int64_t start_ps;
	uint32_t flow, before; /* before: the message before it on the connection, or FLOW_NONE */
	uint32_t end_segment;
	uint32_t unused;
};

struct news_list {
	struct message_news *news;
	uint32_t count, capacity;
};

struct ranks {
	struct exchange *exchange;
	uint16_t *rank_of;  /* by node */
	uint64_t *own;      /* bit per node */
	uint16_t *class_of; /* by link: number of its port class */
	uint32_t cut_count;
	struct cut_line { /* that begin here and end elsewhere */
		uint32_t link_queue, rank;
	} * cuts;
	struct news_list *news; /* by thread */
	struct exchange_votes agreed;
	uint64_t
		opened_now; /* flow_ends of flows that gates have let in since then, at all ranks */
	uint64_t untold;    /* flows of all ranks that ended and have somebody to tell */
	uint64_t votes;     /* bits of enum rank_vote for the next round */
	uint64_t packets, windows; /* sent to others, and rounds of whole windows */
};

/* Who works on what, before anything is made of it. A network with fewer racks than ranks is
 * refused. */
int ranks_new(struct ranks **out, const struct network *net, struct exchange *x,
	      struct weir_error *e);

/* Lines are there: which are cut. Refuses ranks that build something else. */
int ranks_begin(struct engine *e, struct weir_error *error);
void ranks_free(struct engine *e);

/* ranks_part.c: the rank of every node. */
int ranks_part(const struct network *net, uint32_t ranks, uint16_t *rank_of, struct weir_error *e);

static inline int rank_owns(const struct ranks *r, uint32_t node)
{
	return !r || (r->own[node / 64] >> (node % 64) & 1);
}

/* Does this process work on the node? On that which sends on the link? */
static inline int engine_owns(const struct engine *e, uint32_t node)
{
	return rank_owns(e->ranks, node);
}

static inline int engine_owns_host(const struct engine *e, uint32_t host)
{
	return rank_owns(e->ranks, e->net->host_node[host]);
}

static inline int engine_owns_link(const struct engine *e, uint32_t link)
{
	return rank_owns(e->ranks, e->net->links[link].from);
}

/* The class of a link's port, wherever the port is. */
static inline const struct weir_port_class *engine_port_class(const struct engine *e, uint32_t link)
{
	return e->ranks ? &e->classes[e->ranks->class_of[link]] : engine_egress(e, link)->port.kind;
}

/* All threads of this rank rest. The end of a window: packets and news go and come; and at any
 * stop: what all agree on is in ranks->agreed. */
enum rank_barrier { RANKS_AT_STOP, RANKS_AT_WINDOW };
void ranks_synchronize(struct engine *e, enum rank_barrier meeting, uint64_t next_window);

/* Flows that ended in this window somewhere: each, in the same order everywhere. */
void ranks_each_ended(struct engine *e,
		      void (*each)(struct engine *e, const struct ended_flow *ended));

/* Of all ranks: has every flow ended that has begun or is to begin, timed_ends of them at a
 * time? */
static inline int ranks_flows_done(const struct ranks *r, uint64_t timed_ends)
{
	return r->agreed.sums[RANK_DONE] ==
		       timed_ends + r->agreed.sums[RANK_OPENED] + r->opened_now &&
	       !r->untold;
}

/* A message joins its connection, at the sending host. */
void ranks_send_message(struct worker *w, uint32_t flow, uint32_t before);
#endif
