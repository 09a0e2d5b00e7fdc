/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h -- the conservative parallel discrete-event simulation of a network.
 *
 * There is no global event queue. Simulated time is cut into lookahead windows, each as long as the
 * shortest link delay plus the serialisation delay of the shortest packet: what a node sends in one
 * window arrives in a later one. Within a window every node that has events processes its arrivals
 * and timers alone, while its state is in cache. Simultaneous events are ordered by (kind, link),
 * so the result is deterministic to the byte for any number of threads. They share the nodes of a
 * window and synchronise at a barrier after it.
 *
 * Which nodes have events in which window is kept on a timing wheel (timing_wheel.h). A link is an
 * in-flight queue of packets (link.h). Nodes are store-and-forward, there is no cut-through: a
 * packet arrives with its last bit. Ports have no "transmission complete" events: before a packet
 * joins a port at t, everything that could leave by t leaves; at the end of a window every port
 * that holds packets catches up.
 *
 * Ownership: engine_new takes over network-sized memory and the flow list, engine_free returns it;
 * config and network are the caller's. Threads: a function that takes a struct worker runs on that
 * worker's thread inside a window; all others run on the caller's thread while the workers are
 * stopped. Units are in the names; times are picoseconds of simulated time. */
#ifndef SIM_CORE_ENGINE_H
#define SIM_CORE_ENGINE_H
#include "base/compiler.h"
#include "config/config.h"
#include "base/heap.h"
#include "base/memory.h"
#include "sim/net/network.h"
#include "sim/net/route.h"
#include "sim/core/segment.h"
#include "sim/core/threads.h"
#include "sim/traffic/traffic.h"
#include "weir/port_inline.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* --- links and switches --- */

/* Egress: the sending end of a link, its port and what turns a departure into an arrival. */
struct egress {
	int64_t delay_ps; /* propagation, and the processing delay of a receiving host */
	uint32_t to;      /* the receiving node, and EGRESS_SLOW_PATH */
	uint32_t tail;    /* slot of the next packet in flight; WEIR_SLOT_NONE: none yet */
	uint32_t link_queue, link;
	struct weir_port port; /* continues beyond its struct, see weir/port_inline.h */
};

/* Takes the slow path: the in-flight queue has no chunk yet (tail is WEIR_SLOT_NONE), the link is
 * to fail, or a tap watches it. */
#define EGRESS_SLOW_PATH (UINT32_C(1) << 31)

_Static_assert(sizeof(struct egress) + sizeof(struct weir_queue) <= 128,
	       "a port with one queue is two cache lines");

/* Bits of an ingress number; chunks that are prefetched of each in-flight queue, with
 * PREFETCH_SWITCHES and with PREFETCH_ALL. */
enum { SWITCH_INGRESS_BITS = 22, PREFETCH_CHUNKS = 2, PREFETCH_CHUNKS_ALL = 4 };

/* Features of a switch beyond forwarding through FIFO ports. The loop of switch.c has specialised
 * copies for the usual sets. */
enum switch_feature {
	SWITCH_F_SHARED_BUFFER = 1, /* ports share the switch's memory */
	SWITCH_F_SLOW_DEQUEUE = 2,  /* some port has a scheduler, or marks at dequeue */
	SWITCH_F_INT = 4,           /* writes telemetry into data packets: telemetry.h */
	SWITCH_F_PFC = 8,           /* accounts for its memory by ingress: switch_pfc.h */
};

struct switch_state {
	/* Round in which some thread has claimed it (work stealing). Switches share no cache line,
	 * and neither do workers: false sharing would slow down every claim. */
	_Alignas(64) _Atomic uint64_t claimed;
	struct weir_shared_buffer shared_buffer;
	struct engine *engine;
	struct worker *worker; /* the one that runs the switch; set while it does */
	uint64_t *backlog;     /* bit per egress port: packets are queued there */
	char *ports;           /* its first egress; the next is port_size bytes further */
	size_t port_size;
	uint64_t route_mask;
	uint32_t route_bits;
	uint32_t first_link, link_count;
	uint32_t first_link_queue, link_queue_count;
	uint32_t *heads; /* the engine's link_queue_head, from first_link_queue on */
	uint32_t node;
	uint32_t arrivals;           /* in the lookahead window before */
	uint32_t features;           /* bits of enum switch_feature */
	struct event_switch *events; /* NULL: ports do not depend on each other */
};

struct host;
struct thread_pool;
struct mailboxes;
struct transport;
struct event_switch;
struct link_pauses;
struct int_stack;
struct plugin_guard;
struct flow_census;
struct weir_cc_rollout;
struct agents;
struct ranks;
struct exchange;

/* Free INT stacks (telemetry.h), by index: of a worker, and the surplus of all workers. */
struct int_stack_pool {
	uint32_t free, free_count; /* a list; 0 ends it */
};

struct int_stack_store {
	pthread_mutex_t lock;
	uint32_t fresh, limit; /* first never used; number of stacks */
	uint32_t batches;      /* a list of batches, each a list of stacks */
};

/* Slabs of struct weir_port_stats, by size, and of struct weir_port_sojourns where measure.sojourn
 * is set. A port gets statistics with its first packet: most ports never have a long queue. */
enum { PORT_STATS_SIZES = 5 };

struct port_stats_store {
	pthread_mutex_t lock;
	struct slab sizes[PORT_STATS_SIZES], sojourns;
};

/* --- threads --- */

/* An end of a flow that another flow may wait for. */
struct ended_flow {
	uint32_t flow;
	enum flow_tie kind;
};

/* Which nodes a worker prefetches: those whose state is probably not in its core's cache. */
enum worker_prefetch { PREFETCH_NOTHING, PREFETCH_SWITCHES, PREFETCH_ALL };

/* One round of all workers through their nodes: a lookahead window, or the part of it before a
 * stop. Written at the barrier, by the last thread to arrive. */
struct engine_round {
	uint64_t number;
	uint64_t lookahead; /* number of the lookahead window */
	int64_t begin_ps;   /* of the lookahead window */
	int64_t end_ps;
	int64_t limit_ps;    /* events before this are processed in this round; <= end_ps */
	int64_t next_end_ps; /* of the lookahead window after it */
};

/* One thread's share of the network: hosts and switches of its ranges, and their memory. */
struct worker {
	_Alignas(64) struct engine *engine;
	struct weir_packet_pool pool;
	struct int_stack_pool int_stacks;
	int64_t limit_ps; /* this and the next five are copies from the engine's round */
	int64_t begin_ps;
	int64_t end_ps;
	int64_t next_end_ps;
	uint64_t lookahead;
	uint64_t round;
	_Atomic uint64_t *next_bits; /* slot of the next lookahead window on its timing wheel */
	_Atomic uint64_t *wheel;     /* its part of the first slot; see timing_wheel.h */
	_Atomic uint8_t *slot_busy;  /* per slot, 1: some bit may be set */
	_Atomic uint32_t *link_queue_tail; /* the engine's */
	uint32_t index;
	uint64_t jitter_ps; /* the engine's, below 2^32 */
	uint32_t shared;    /* 1: other threads run, too */
	uint32_t prefetch;  /* enum worker_prefetch */
	uint64_t switched;  /* packets that arrived at switches, for thread auto-tuning */
	uint32_t range_count;
	struct node_range {
		uint32_t first, end;
	} ranges[TIERS_MAX + 1];
	struct slab senders, receivers;
	struct ring_store boards, arrivals, racks; /* of connections with losses or reordering */
	uint64_t *keys, *sorted;
	uint64_t *keys_full; /* beyond it keys may lack room for a chunk's packets; NULL: no keys */
	uint32_t key_capacity;
	uint32_t *buckets;
	uint32_t ended_capacity;
	struct ended_flow *ended;
	uint64_t byte_errors; /* flows that received other bytes than were sent */

	/* Read at the barrier. */
	_Alignas(64) int64_t overflow_ps; /* first entry of the overflow heap, or never */
	uint32_t ended_count; /* ends of this lookahead window that flows at other hosts wait for */
	uint64_t flows_done;  /* at this worker's hosts, counted as by flow_ends */
	uint64_t flows_opened; /* that waited for others and have their start, by flow_ends */
	int64_t opened_ps;     /* the last of these starts */
	struct heap overflow;  /* (time, node): timers beyond the timing wheel */
};

/* True if the worker prefetches switches ahead of their turn. Only while it runs alone: with work
 * stealing it is not known which thread will process a switch. */
static inline int worker_prefetches_ahead(const struct worker *w)
{
	return w->prefetch == PREFETCH_ALL && !w->shared;
}

/* Sense-reversing barrier of the workers. The counters are in cache lines of their own: arriving
 * threads write one while waiting threads spin on the other. */
struct barrier {
	_Alignas(64) atomic_uint arrived;
	_Alignas(64) atomic_uint generation; /* barriers passed */
	atomic_uint last;                    /* generation at which the workers stopped */
};

/* Dimensions of the timing wheel, and its memory. See timing_wheel.h. */
struct timing_wheel {
	_Atomic uint64_t *bits; /* by slot, then worker: `words` words each */
	_Atomic uint8_t *busy;  /* by worker, then slot */
	uint32_t slots;         /* a power of two */
	uint32_t words;         /* of one worker in one slot */
	uint32_t stride;        /* words of a slot: of all workers */
	uint32_t is_short;      /* 1: some packet may arrive beyond the last slot */
};

/* Sees every packet that starts on a link. */
struct engine_tap {
	uint32_t link;
	void (*see)(void *context, int64_t start_ps, const struct weir_packet *packet,
		    const struct flow *flow);
	void *context;
	int sees_frames; /* also link frames (PFC and such), with flow NULL */
};

/* --- the engine --- */

struct engine {
	/* The scenario: configuration, network and flows. */
	const struct config *config;
	struct transport *transports; /* of host.cc, of each traffic section, then of pairs */
	uint32_t transport_count;
	struct network *net;
	struct route_table *routes;
	struct plugin_guard *guard; /* NULL: no plug-in decides in a switch */
	struct agents *agents;      /* NULL: no agent tunes switches; agents.h */
	struct ranks *ranks;        /* NULL: all nodes are in this process; ranks.h */
	struct flow_list flows;
	struct mailboxes *mail; /* NULL: no messages from outside; mailbox.h */

	/* Times. */
	int64_t lookahead_ps;       /* length of a lookahead window */
	uint64_t lookahead_limit;   /* the last window whose times fit into 63 bits */
	int64_t jitter_ps;          /* host.jitter of this network */
	int64_t base_rtt_ps;        /* of the longest path, with empty queues */
	uint32_t longest_hops;      /* links of that path, the host's own included */
	int64_t rdma_reordering_ps; /* shortest RACK window of queue pairs; 0: RFC 8985's own */

	/* Links. */
	char *egresses;
	size_t egress_size;
	struct weir_port_cold *port_cold; /* per link */
	struct link_pauses *pauses;       /* per link; NULL: no link is ever paused */
	struct weir_mark_ops nic_mark;    /* of hosts' NICs */
	struct weir_port_class *classes;
	uint32_t class_count;
	struct marking_map *marking_maps; /* of ports whose queues mark differently; NULL: none */
	/* In-flight queues, see link.h. Head: slot of the next packet to arrive, WEIR_SLOT_NONE:
	 * see first; the receiver's. Tail: egress.tail at the end of a lookahead window. First:
	 * slot of the first packet ever. */
	uint32_t *link_queue_head;
	_Atomic uint32_t *link_queue_tail;
	_Atomic uint32_t *link_queue_first;
	struct weir_packet_store store;
	uint32_t lookahead_chunks;    /* chunks of it that one lookahead window may need */
	uint32_t reclaim_at;          /* chunks in use that trigger packet_memory_reclaim */
	struct int_stack *int_stacks; /* by number; NULL: switches do not write INT */
	struct int_stack_store int_stack_store;
	char *flow_counts;                 /* per link, of TELEMETRY_COUNT_SIZE; NULL: disabled */
	struct flow_census *flow_censuses; /* per link; NULL: disabled */
	const struct weir_cc_rollout *rollout; /* NULL: no congestion control is being trained */

	/* Nodes. */
	struct switch_state *switches; /* by switch number */
	struct host *hosts;            /* by host number */
	uint64_t *backlog_bits, backlog_words;
	uint32_t *start_order; /* flows by (host, start) */
	struct timing_wheel wheel;

	/* Threads. */
	uint32_t threads;
	uint32_t prefetch; /* enum worker_prefetch of a thread that runs alone */
	struct thread_tuner tuner;
	struct worker *workers;
	struct barrier barrier;
	_Alignas(64) struct engine_round round;
	int finished;             /* 1: the workers stop at this barrier */
	struct thread_pool *pool; /* threads but the caller's; NULL: not started (yet) */

	/* Taps, called on the thread of the link's sender, in order of time. */
	uint32_t tap_count;
	struct engine_tap *taps;

	/* measure.completion = sender: when the sender had the ACK of each flow's last byte, -1:
	 * not (yet). Written by the sender. NULL: flows end at the receiver, which writes
	 * flow.finish_ps. */
	int64_t *acked_ps;
	uint32_t sees_acks; /* 1: acked_ps is kept, or jobs wait for acknowledgements */

	/* Packets that arrived marked, by flow, of connections that are over; NULL: no probe reads
	 * them. */
	uint32_t *flow_marks;

	int64_t last_opened_ps; /* when flows that waited for others last started */

	/* Ports keep statistics from measure_from_ps on while measuring is set. */
	struct port_stats_store port_stats;
	int64_t measure_from_ps;
	uint32_t measuring;

	/* The call of engine_advance_until that runs. */
	int64_t stop_ps; /* events before it happen, later ones do not */
	int status;      /* enum engine_status: how it ended */
	int is_over;     /* 1: no event is left, unless the caller causes one */

	/* Called at every barrier, with all threads stopped; non-zero ends the call. NULL:
	 * disabled. */
	int (*on_poll)(void *context, int64_t now_ps);
	void *context;
};

static inline struct egress *engine_egress(const struct engine *e, uint32_t link)
{
	return (struct egress *)(e->egresses + (size_t)link * e->egress_size);
}

/* Propagation delay of a link and, at a host, its processing delay: from the last bit sent to the
 * transport that receives the packet. */
static inline int64_t engine_delay_ps(const struct engine *e, uint32_t link)
{
	const struct net_link *l = &e->net->links[link];

	return l->delay_ps + (e->net->nodes[l->to].kind == NODE_HOST
				      ? (int64_t)e->config->host.processing_delay_ps
				      : 0);
}

/* Ends of a flow that a run waits for: its last byte received and, where another flow waits for
 * that, acknowledged. 0: its size is unlimited. */
static inline uint32_t flow_ends(const struct flow *f)
{
	if (f->size_bytes == FLOW_UNLIMITED)
		return 0;
	return f->flags & FLOW_SIGNALS_SENT ? 2 : 1;
}

/* When a flow was complete, as measure.completion defines it; and the host where that is known. For
 * results only: decisions of the simulation must not depend on what is measured. */
static inline int64_t *flow_end_ps(const struct engine *e, uint32_t flow)
{
	return e->acked_ps ? &e->acked_ps[flow] : &e->flows.flows[flow].finish_ps;
}

static inline uint32_t flow_end_host(const struct engine *e, const struct flow *f)
{
	return e->acked_ps ? f->src : f->dst;
}

/* --- building: engine_build.c --- */

struct engine_plan {
	uint32_t threads;                      /* at least 1 */
	uint32_t adapts;                       /* 1: thread auto-tuning, threads is the most */
	uint32_t messages, connections;        /* of each host, for mailbox.h; 0: none */
	const struct weir_cc_rollout *rollout; /* NULL: no congestion control is being trained */
	struct exchange *exchange;             /* NULL: one process; ranks.h */
};

/* Builds everything from a checked config, network and flow list; the flow list moves to the
 * engine. -1: message; the caller frees *out in this case, too. */
int engine_new(struct engine **out, const struct config *c, struct network *net,
	       struct flow_list *flows, const struct engine_plan *plan, struct weir_error *e);

/* Base round trip between two hosts, and the environment of a congestion control (weir_cc_env) that
 * has such a trip and such a line rate: the network's longest, or a pair's own (RDMA). */
struct base_trip {
	int64_t rtt_ps; /* of a full packet there and a bare header back, with empty queues */
	uint32_t hops;  /* links of the forward path, the host's own included */
};
struct base_trip engine_base_trip(const struct engine *e, uint32_t from, uint32_t to);
void engine_set_env(const struct engine *e, struct weir_cc_env *env, struct base_trip trip,
		    uint64_t rate_bps);

/* The worker that owns a node; NULL: another rank's node. */
struct worker *engine_worker(struct engine *e, uint32_t node);
void engine_free(struct engine *e);

/* --- ports: engine_ports.c --- */

/* What the port of a link is made from. */
struct weir_port_plan engine_port_plan(const struct engine *e, uint32_t link);

/* Makes port classes, the ports of this rank, and the store of their statistics. Switches exist. */
void engine_build_ports(struct engine *e);

void port_stats_new(struct engine *e);
void port_stats_free(struct engine *e);

/* A port holds packets, or is about to, for the first time while measuring: from now on it keeps
 * statistics, as if since measuring began. Any thread. */
void port_stats_start(struct engine *e, struct weir_port *p);

/* --- running: engine.c --- */

enum engine_status {
	ENGINE_AT_STOP = 0,
	ENGINE_ENDED,        /* by on_poll */
	ENGINE_REFUSED = -1, /* the system has no threads: the message says so */
};

/* Processes all events before stop_ps, and none after; on_poll may end it earlier. When it returns
 * the workers are stopped and everything may be read. Results do not depend on how a run is divided
 * into calls. Networks that may have agents go through agents_advance_until. */
enum engine_status engine_advance_until(struct engine *e, int64_t stop_ps,
					struct weir_error *error);

/* A flow is complete at a host of this worker: flows of this host that wait for it start now,
 * others at the end of the lookahead window. */
void engine_flow_done(struct worker *w, uint32_t flow, enum flow_tie kind);

/* --- switches: switch.c --- */

/* Processes the arrivals and departures of a switch in the worker's round. */
void switch_run(struct worker *w, struct switch_state *s);

/* Prefetches what switch_run will read. */
void switch_prefetch(const struct worker *w, const struct switch_state *s);

/* weir_shared_buffer.sync: lets all ports of the switch send what they could by now_ps, so that the
 * fill of the shared buffer is exact. */
void switch_sync(struct weir_shared_buffer *shared, int64_t now_ps);

/* Arrivals of the round, in order of time: sort keys whose low SWITCH_INGRESS_BITS are the ingress
 * port. Valid until the next switch runs. */
const uint64_t *switch_arrivals(struct worker *w, struct switch_state *s, uint32_t *count);

#endif
