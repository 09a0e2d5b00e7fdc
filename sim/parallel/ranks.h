/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks.h -- one network simulated by several processes (sim/parallel/exchange.h).
 *
 * Each rank has the whole graph, the routes and all flow records, but simulates its own nodes only,
 * with threads of its own, and builds only the ports, hosts and switches that these need.
 *
 * At the end of a lookahead window every rank sends what has left its nodes for those of others:
 * packets on cut links, with their INT stacks, and updates of messages whose receiver is elsewhere.
 * All of it takes effect in a later window: conservative synchronisation, no rollback. In the same
 * round ranks agree on the next window and on the numbers of flows that have started and ended.
 * Decisions use agreed values only, so all ranks decide the same and results do not depend on the
 * number of ranks.
 *
 * Racks and pods are never split: cut links are above them.
 *
 * Threads: ranks_send_message on the sending host's worker, all else at the barrier or while the
 * workers are stopped. */
#ifndef SIM_PARALLEL_RANKS_H
#define SIM_PARALLEL_RANKS_H
#include "sim/parallel/exchange.h"
#include "sim/core/engine.h"

/* Bits of votes.any. */
enum rank_vote {
	RANK_STOPPED = 1,  /* a rank was interrupted */
	RANK_TROUBLED = 2, /* a rank has an error: there will be no result */
};

/* Of votes.sums: flow_ends of waiting flows that have started; flow_ends that have happened; ends
 * that other flows wait for and that have not been signalled yet. */
enum rank_sum { RANK_OPENED, RANK_DONE, RANK_UNSIGNALLED };

/* Update of a flow record: a message has joined a connection whose receiver is elsewhere. */
struct message_update {
	int64_t start_ps;
	uint32_t flow, before; /* before: the message before it on the connection, or FLOW_NONE */
	uint32_t end_segment;
	uint32_t unused;
};

struct update_list {
	struct message_update *updates;
	uint32_t count, capacity;
};

struct ranks {
	struct exchange *exchange;
	uint16_t *rank_of;  /* by node */
	uint64_t *own;      /* bit per node */
	uint16_t *class_of; /* by link: number of its port class */
	uint32_t cut_count;
	struct cut_link { /* from a node of this rank to a node of another one */
		uint32_t link_queue, rank;
	} * cuts;
	struct update_list *updates; /* by thread */
	struct exchange_votes agreed;
	uint64_t opened_now;       /* flow_ends that started at all ranks since the last round */
	uint64_t unsignalled;      /* ends at all ranks that other flows wait for */
	uint64_t votes;            /* bits of enum rank_vote for the next round */
	uint64_t packets, windows; /* sent to others; rounds of whole lookahead windows */
};

/* Partitions the network, before anything is built. *out is NULL without an exchange. -1: fewer
 * racks than ranks; message. */
int ranks_new(struct ranks **out, const struct network *net, struct exchange *x,
	      struct weir_error *e);

/* After links are built: finds those that are cut. Collective. -1: ranks have read different
 * scenarios, or are different builds; message. */
int ranks_begin(struct engine *e, struct weir_error *error);
void ranks_free(struct engine *e);

/* ranks_part.c: writes the rank of every node. */
int ranks_part(const struct network *net, uint32_t ranks, uint16_t *rank_of, struct weir_error *e);

static inline int rank_owns(const struct ranks *r, uint32_t node)
{
	return !r || (r->own[node / 64] >> (node % 64) & 1);
}

/* Does this process simulate the node, the host, the sender of the link? */
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

/* The class of a link's port, at whichever rank the port is. */
static inline const struct weir_port_class *engine_port_class(const struct engine *e, uint32_t link)
{
	return e->ranks ? &e->classes[e->ranks->class_of[link]] : engine_egress(e, link)->port.kind;
}

/* Barrier of all ranks, collective, at the end of a lookahead window or at a stop inside one. At
 * the end of a window packets and updates are exchanged. next_lookahead: the next window in which
 * this rank has events. Agreed values are in ranks->agreed afterwards. */
enum rank_barrier { RANKS_AT_STOP, RANKS_AT_WINDOW };
void ranks_synchronize(struct engine *e, enum rank_barrier barrier, uint64_t next_lookahead);

/* Calls each() for the ends of this lookahead window at all ranks that other flows wait for, in the
 * same order at each rank. Collective. */
void ranks_each_ended(struct engine *e,
		      void (*each)(struct engine *e, const struct ended_flow *ended));

/* Have all flows of all ranks ended? timed_ends: flow_ends of flows that start at a time; the
 * others wait for flows. */
static inline int ranks_flows_done(const struct ranks *r, uint64_t timed_ends)
{
	return r->agreed.sums[RANK_DONE] ==
		       timed_ends + r->agreed.sums[RANK_OPENED] + r->opened_now &&
	       !r->unsignalled;
}

/* Announces to the receiver's rank that a message has joined its connection after the message
 * `before` (FLOW_NONE: it is the first). */
void ranks_send_message(struct worker *w, uint32_t flow, uint32_t before);
#endif
