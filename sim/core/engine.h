/* SPDX-License-Identifier: BSD-3-Clause */
/* engine.h -- time, nodes and the links between them.
 *
 * There is no global event queue. The shortest link delay, plus the time the shortest packet takes
 * on the wire, is a window: whatever a node sends inside a window reaches others only in a later
 * one. So in each window every node with something to do works through its arrivals and timers
 * alone, in the order (time, kind, link), while its state is in cache; and threads can share the
 * nodes of a window without changing a byte of the result.
 *
 * Who has something to do is kept on a wheel: one bit per node and coming window. A sender of a
 * packet sets the bit of the receiver in the window of the arrival. Every thread has a wheel of its
 * own, and a node is looked up on all of them. What lies further ahead than the wheel reaches
 * (timers, flows to come) waits in a heap of the node's thread.
 *
 * A link is a list of packets that the sending node appends to and the receiving node takes from.
 * Ports do not have "transmission complete" events: before a packet joins a port at t, everything
 * that could leave by t leaves; at the end of a window every port that holds packets catches up. */
#ifndef SIM_CORE_ENGINE_H
#define SIM_CORE_ENGINE_H
#include "base/compiler.h"
#include "config/config.h"
#include "base/heap.h"
#include "base/memory.h"
#include "sim/net/network.h"
#include "sim/net/route.h"
#include "sim/core/thread_tuner.h"
#include "sim/core/segment.h"
#include "sim/traffic/traffic.h"
#include "weir/port_inline.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* The sending end of a link: its port and what turns a departure into an arrival. */
struct egress {
	int64_t delay_ps; /* to the receiver's transport: processing of a host is in it */
	uint32_t to; /* the receiving node; with EGRESS_SLOW_PATH there is more to do than usual */
	uint32_t
		tail; /* slot of the next packet on the line; WEIR_SLOT_NONE: see link_queue_open */
	uint32_t link_queue, link;
	struct weir_port port; /* continues beyond its struct, see port.h */
};

/* Its line has no chunk yet (tail is WEIR_SLOT_NONE), the link is to fail, or somebody watches
 * it. */
#define EGRESS_SLOW_PATH (UINT32_C(1) << 31)

_Static_assert(sizeof(struct egress) + sizeof(struct weir_queue) <= 128,
	       "a port with one queue is two cache lines");

/* Inputs of a switch; chunks of a line that are fetched before their turn comes, and where
 * PREFETCH_ALL. */
enum { SWITCH_INPUT_BITS = 22, PREFETCH_CHUNKS = 2, PREFETCH_CHUNKS_ALL = 4 };

/* What a switch does beside passing packets on through simple ports (weir/port.h), each with its
 * own memory. */
enum switch_feature {
	SWITCH_F_SHARED_BUFFER = 1, /* its memory among its ports */
	SWITCH_F_SLOW_DEQUEUE =
		2,        /* schedulers, or the marking as packets leave: some port is not simple */
	SWITCH_F_INT = 4, /* into data packets: sim/core/telemetry.h */
	SWITCH_F_PFC = 8, /* for its memory, input by input: sim/core/switch_pfc.h */
};

struct switch_state {
	/* Pass in which some thread works on it, or has worked. Switches share no cache line, and
	 * workers neither: others write into theirs. */
	_Alignas(64) _Atomic uint64_t claimed;
	struct weir_shared_buffer pool;
	struct engine *engine;
	struct worker *worker; /* set while the node is being worked on */
	uint64_t *backlog;     /* bit per egress port: packets wait there */
	char *ports;           /* its first egress; the next port_size bytes further */
	size_t port_size;
	uint64_t route_mask;
	uint32_t route_bits;
	uint32_t first_link, link_count;
	uint32_t first_link_queue, link_queue_count;
	uint32_t *heads; /* the engine's link_queue_head, from first_line on */
	uint32_t node;
	uint32_t arrivals;           /* in the window before */
	uint32_t features;           /* bits of enum switch_feature */
	struct event_switch *events; /* NULL: nothing that leaves concerns anybody else */
};

struct host;
struct crew;
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

/* Numbers of notes that are free (sim/core/telemetry.h): a thread's own, and what threads had too
 * many of. */
struct int_stack_pool {
	uint32_t free, free_count; /* a list of them; 0 ends it */
};

struct int_stack_store {
	pthread_mutex_t lock;
	uint32_t fresh, limit; /* never used from here on; and how many there are */
	uint32_t batches;      /* a list of lists */
};

/* struct weir_port_stats of ports that ever held a packet, which few have for long queues; and of
 * the same struct weir_port_sojourns, where measure.sojourn asks. */
enum { PORT_STATS_SIZES = 5 };

struct port_stats_store {
	pthread_mutex_t lock;
	struct slab sizes[PORT_STATS_SIZES], waits;
};

struct ended_flow {
	uint32_t flow;
	enum flow_tie kind;
};

/* What a thread has fetched before it works on it. */
enum worker_prefetch { PREFETCH_NOTHING, PREFETCH_SWITCHES, PREFETCH_ALL };

/* What all threads are to do next: written while all of them rest. */
struct pass {
	uint64_t number;  /* counts the times that threads go through the nodes: once a window or
			     oftener */
	uint64_t window;  /* number of the window */
	int64_t begin_ps; /* of the window */
	int64_t end_ps;
	int64_t limit_ps;    /* events before this are to be worked off now; <= end_ps */
	int64_t next_end_ps; /* of the window after it */
};

/* One thread's share of the work. */
struct worker {
	_Alignas(64) struct engine *engine;
	struct weir_packet_pool pool;
	struct int_stack_pool int_stacks;
	int64_t limit_ps; /* this and the next four: of the pass that it works on, see there */
	int64_t begin_ps;
	int64_t end_ps;
	int64_t next_end_ps;
	uint64_t window;
	uint64_t pass;
	_Atomic uint64_t *next_bits; /* the next window's row on its wheel */
	_Atomic uint64_t *wheel;     /* slot_words for each window, the next slot_stride further */
	_Atomic uint8_t *slot_busy;  /* a byte for each of its windows: some bit may be set */
	_Atomic uint32_t *link_queue_tail; /* the engine's */
	uint32_t index;
	uint64_t jitter_ps; /* the engine's, below 2^32 */
	uint32_t shared;    /* 1: other threads are at work, too */
	uint32_t prefetch;  /* enum worker_prefetch: what is probably not in this core's cache */
	uint64_t switched;  /* packets that came to switches, for thread_tuner.h */
	uint32_t range_count;
	struct node_range {
		uint32_t first, end;
	} ranges[TIERS_MAX + 1];
	struct slab senders, receivers;
	struct ring_store boards, arrivals, racks; /* of those that lack something */
	uint64_t *keys, *sorted;
	uint64_t *keys_full; /* keys from here on may lack room for a chunk's packets; NULL: there
				are none */
	uint32_t key_capacity;
	uint32_t *buckets;
	uint32_t ended_capacity;
	struct ended_flow *ended;
	uint64_t byte_errors; /* flows that received other bytes than were asked for */

	/* What is looked at when threads meet. */
	_Alignas(64) int64_t later_ps; /* of the first in later; WEIR_TIME_NEVER_PS: none */
	uint32_t ended_count;  /* flows that ended in this window and have somebody to tell */
	uint64_t flows_done;   /* that ended at this worker's hosts, by flow_ends */
	uint64_t flows_opened; /* that waited for others and have got their start, by flow_ends */
	int64_t opened_ps;     /* the last of these starts */
	struct heap later;     /* (time, node): wake-ups beyond the wheel */
};

/* Does it have switches fetched before their turn? Of those that threads share it is not known who
 * will take them. */
static inline int worker_prefetches_ahead(const struct worker *w)
{
	return w->prefetch == PREFETCH_ALL && !w->shared;
}

struct engine_tap {
	uint32_t link;
	void (*see)(void *context, int64_t start_ps, const struct weir_packet *packet,
		    const struct flow *flow);
	void *context;
	int sees_frames; /* those between neighbours, with flow NULL */
};

struct engine {
	const struct config *config;
	struct transport *transports; /* of host.cc, of each traffic section, then of pairs */
	uint32_t transport_count;
	struct network *net;
	struct route_table *routes;
	struct plugin_guard *guard; /* NULL: no plug-in decides in a switch */
	struct agents *agents;      /* NULL: nobody turns knobs; sim/core/agents.h */
	struct ranks *ranks;        /* NULL: all nodes are worked on here; ranks.h */
	struct flow_list flows;
	struct mailboxes *mail; /* NULL: nobody sends while the run goes on; mailbox.h */
	int64_t window_ps;
	uint64_t window_limit;      /* later windows than this have no times any more */
	int64_t jitter_ps;          /* host.jitter of this network */
	int64_t base_rtt_ps;        /* over the longest path, nothing queued */
	uint32_t longest_hops;      /* links of that, the host's own included */
	int64_t rdma_reordering_ps; /* least reordering window of queue pairs; 0: RFC 8985's own */

	/* links */
	char *egresses;
	size_t egress_size;
	struct weir_port_cold *port_cold; /* per link */
	struct link_pauses *pauses;       /* per link; NULL: nobody ever waits */
	struct weir_mark_ops nic_mark;    /* of hosts' cards */
	struct weir_port_class *classes;
	uint32_t class_count;
	struct marking_map *marking_maps; /* of classes whose queues mark differently; NULL: none */
	uint32_t *link_queue_head; /* slot of the next packet to arrive; WEIR_SLOT_NONE: look at
				line_first */
	_Atomic uint32_t
		*link_queue_tail; /* egress.tail at the end of a window, for the receiving side */
	_Atomic uint32_t *line_first; /* slot of the first packet ever */
	struct weir_packet_store store;
	uint32_t window_chunks;       /* of it that a window may take, packet_memory.h */
	uint32_t tidy_at;             /* so many chunks were ever in use: lines are looked through,
					 packet_memory.h */
	struct int_stack *int_stacks; /* by number; NULL: switches write nothing */
	struct int_stack_store int_stack_store;
	char *flow_counts; /* per link, of TELEMETRY_COUNT_SIZE; NULL: nobody counts flows */
	struct flow_census *flow_censuses;     /* per link; NULL: nobody counts them exactly */
	const struct weir_cc_rollout *rollout; /* NULL: no control is being trained */

	/* nodes */
	struct switch_state *switches; /* by switch number */
	struct host *hosts;            /* by host number */
	uint64_t *backlog_bits, backlog_words;
	uint32_t *start_order; /* flows by (host, start) */

	/* wheel */
	_Atomic uint64_t *wheels; /* by window, then thread: rows of slot_words */
	_Atomic uint8_t *slot_busy;
	uint32_t slot_count, slot_words, slot_stride;
	uint32_t wheel_is_short; /* 1: some links are longer than the wheel */

	/* threads */
	uint32_t threads;
	uint32_t prefetch; /* enum worker_prefetch, of a thread that is alone */
	struct thread_tuner tuner;
	struct worker *workers;
	_Alignas(64) atomic_uint arrived;
	_Alignas(64) atomic_uint generation; /* counts meetings of all threads */
	atomic_uint last_meeting;            /* of the leg that ended last */
	_Alignas(64) struct pass pass;
	int finished;      /* 1: this leg of the run is over */
	struct crew *crew; /* the threads but the caller's; NULL: there are none (yet) */

	/* Links that are watched: called by the thread of the link's sender, in order of time. */
	uint32_t tap_count;
	struct engine_tap *taps;

	/* measure.completion = sender: when the sender had the ACK of each flow's last byte, -1:
	 * not (yet). Written by the sender. NULL: flows end at the receiver, which writes
	 * flow.finish_ps. */
	int64_t *acked_ps;

	/* Packets that came marked, by flow, of connections that are over; NULL: no probe asks. */
	uint32_t *flow_marks;

	int64_t last_opened_ps; /* when flows that waited for others last started */

	/* Ports keep statistics from measure_from_ps on while measuring is set. */
	struct port_stats_store port_stats;
	int64_t measure_from_ps;
	uint32_t measuring;

	int64_t stop_ps; /* of this leg: everything before it happens and nothing after */
	int leg;         /* enum engine_status: how it ended */
	int is_over;     /* 1: nothing is left to happen, unless somebody outside begins it */

	/* Called after every window with every thread at rest; non-zero ends the leg. NULL: nobody
	 * asks. */
	int (*on_poll)(void *context, int64_t now_ps);
	void *context;
};

static inline struct egress *engine_egress(const struct engine *e, uint32_t link)
{
	return (struct egress *)(e->egresses + (size_t)link * e->egress_size);
}

/* To the transport of the receiver. */
static inline int64_t engine_delay_ps(const struct engine *e, uint32_t link)
{
	const struct net_link *l = &e->net->links[link];

	return l->delay_ps + (e->net->nodes[l->to].kind == NODE_HOST
				      ? (int64_t)e->config->host.processing_delay_ps
				      : 0);
}

/* Ends of a flow that a run waits for: the last byte there and, where another flow waits for that,
 * acknowledged. A flow of unlimited size has none. */
static inline uint32_t flow_ends(const struct flow *f)
{
	if (f->size_bytes == FLOW_UNLIMITED)
		return 0;
	return f->flags & FLOW_SIGNALS_SENT ? 2 : 1;
}

/* When a flow was complete, as measure.completion counts it; and the host where that is known. Not
 * for decisions of the simulation itself, which are the same whatever is measured. */
static inline int64_t *flow_end_ps(const struct engine *e, uint32_t flow)
{
	return e->acked_ps ? &e->acked_ps[flow] : &e->flows.flows[flow].finish_ps;
}

static inline uint32_t flow_end_host(const struct engine *e, const struct flow *f)
{
	return e->acked_ps ? f->src : f->dst;
}

struct engine_plan {
	uint32_t threads;               /* at least 1 */
	uint32_t adapts;                /* 1: no more of them than are faster, thread_tuner.h */
	uint32_t messages, connections; /* of each host, for mailbox.h; 0: there is none */
	const struct weir_cc_rollout *rollout; /* NULL: no control is being trained */
	struct exchange *exchange;             /* NULL: this process does all; ranks.h */
};

/* Builds everything from a checked config, network and flow list, which the engine then owns. Also
 * on -1 *out is to be freed. */
int engine_new(struct engine **out, const struct config *c, struct network *net,
	       struct flow_list *flows, const struct engine_plan *plan, struct weir_error *e);
void engine_free(struct engine *e);

/* What the port of a link is made from. */
struct weir_port_plan engine_port_plan(const struct engine *e, uint32_t link);

/* A full packet over the path from one host to another and a bare header back, nothing queued; and
 * the links of that path, the host's own included. */
struct base_trip {
	int64_t rtt_ps;
	uint32_t hops;
};
struct base_trip engine_base_trip(const struct engine *e, uint32_t from, uint32_t to);

/* What a control is told of a network, or pair, with that trip and line (RDMA). */
void engine_set_env(const struct engine *e, struct weir_cc_env *env, struct base_trip trip,
		    uint64_t rate_bps);

/* One leg of a run: until everything before stop_ps has happened and nothing after, or until
 * on_poll ends it. In between all threads rest and everything may be looked at. Legs have no say in
 * what happens: many give the same as one. Where switches may have agents: agents_advance_until. */
enum engine_status {
	ENGINE_AT_STOP = 0,
	ENGINE_ENDED,        /* by on_poll */
	ENGINE_REFUSED = -1, /* by the system, which has no thread for it: the message says so */
};
enum engine_status engine_advance_until(struct engine *e, int64_t stop_ps,
					struct weir_error *error);

/* Between two legs: the node has something to do at time_ps, no earlier than the stop. */
void engine_wake_stopped(struct engine *e, uint32_t node, int64_t time_ps);

/* A node's own wake-up, at or after the end of what it has worked off. */
void engine_wake_later(struct worker *w, uint32_t node, int64_t time_ps);

/* The thread that works on a node. */
struct worker *engine_worker(struct engine *e, uint32_t node);

/* A port holds packets, or is about to, for the first time while measuring: from now on it keeps
 * statistics, as one that held what it holds now (before: nothing) since measuring began. */
void port_stats_start(struct engine *e, struct weir_port *p);

/* Room for them. */
void port_stats_new(struct engine *e);
void port_stats_free(struct engine *e);

/* A flow is done at a host of this worker: those that wait for it at a gate of this host start now,
 * others when the window ends. */
void engine_flow_done(struct worker *w, uint32_t flow, enum flow_tie kind);

void switch_run(struct worker *w, struct switch_state *s);

/* Has fetched what switch_run will need. */
void switch_prefetch(const struct worker *w, const struct switch_state *s);
void switch_sync(struct weir_shared_buffer *pool, int64_t now_ps);

/* Arrivals of the window before limit_ps, in order: sort keys whose low SWITCH_INPUT_BITS are the
 * input. */
const uint64_t *switch_arrivals(struct worker *w, struct switch_state *s, uint32_t *count);

/* Packets on all links and in all queues: walks everything, at the end of a run. */
uint64_t engine_packets_in_network(const struct engine *e);

/* Wakes a node in the later window of time_ps, or when the wheel ends: the node then looks
 * again. */
void engine_wake(struct worker *w, uint32_t node, int64_t time_ps);

/* The link is to fail, or somebody watches it. Returns 1 where the packet is lost. */
int link_send_slow(struct worker *w, struct egress *out, int64_t start_ps);

/* Out of line for packet_retire. */
void int_stack_release(struct worker *w, struct weir_packet *packet);

/* Nobody has the packet any more: what switches wrote for it is free. */
static inline void packet_retire(struct worker *w, struct weir_packet *packet)
{
	if (UNLIKELY(w->engine->int_stacks != NULL))
		int_stack_release(w, packet);
}

/* Before the first packet on a line that has no chunk. */
void link_queue_open(struct worker *w, struct egress *out);

static inline void wheel_set(struct worker *w, uint64_t window, uint32_t node)
{
	struct engine *e = w->engine;
	uint32_t slot = (uint32_t)window & (e->slot_count - 1);
	_Atomic uint64_t *word = w->wheel + (size_t)slot * e->slot_stride + node / 64;
	uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);

	/* Nobody else writes here while threads are at work. */
	atomic_store_explicit(word, bits | UINT64_C(1) << (node % 64), memory_order_relaxed);
	atomic_store_explicit(&w->slot_busy[slot], 1, memory_order_relaxed);
}

/* A chunk of the worker's pool. The store cannot be full: packet_memory_grow grows it between
 * lookahead windows. */
static inline uint32_t engine_chunk_take(struct worker *w)
{
	if (weir_chunk_reserve(&w->pool))
		assert(0);
	return weir_chunk_take(&w->pool);
}

/* Where the next packet on the line goes. It is there once link_send is called. */
static inline ALWAYS_INLINE struct weir_packet *link_reserve(struct worker *w, struct egress *out)
{
	if (UNLIKELY(out->tail == WEIR_SLOT_NONE))
		link_queue_open(w, out);
	return &w->pool.slots[out->tail];
}

/* The packet at the end of the line travels to that node from end_ps on. */
static inline ALWAYS_INLINE void link_send_to(struct worker *w, struct egress *out, uint32_t to,
					      int64_t end_ps)
{
	uint32_t slot = out->tail, next = slot + 1;
	int64_t arrival_ps = end_ps + out->delay_ps;

	w->pool.slots[slot].time_ps = arrival_ps;
	if ((next & WEIR_CHUNK_MASK) == 0) {
		uint32_t chunk = engine_chunk_take(w);

		w->pool.next[slot >> WEIR_CHUNK_SHIFT] = chunk;
		next = chunk << WEIR_CHUNK_SHIFT;
	}
	out->tail = next;
	/* Mostly it arrives in the next window, in which the receiver has something to do
	 * anyway. */
	if (UNLIKELY(arrival_ps >= w->next_end_ps) ||
	    !(atomic_load_explicit(&w->next_bits[to / 64], memory_order_relaxed) >> (to % 64) & 1))
		engine_wake(w, to, arrival_ps);
}

/* The packet in link_reserve started at start_ps, occupies the line until end_ps and then travels,
 * unless the link is down. */
static inline ALWAYS_INLINE void link_send_until(struct worker *w, struct egress *out,
						 int64_t start_ps, int64_t end_ps)
{
	uint32_t to = out->to;

	if (UNLIKELY(to & EGRESS_SLOW_PATH)) {
		if (link_send_slow(w, out, start_ps))
			return;
		to &= ~EGRESS_SLOW_PATH;
	}
	link_send_to(w, out, to, end_ps);
}

/* The node has worked off a window: the receiver may take what was sent. Nobody needs it sooner,
 * and packet by packet threads that send to one node would take each other's cache line away. */
static inline void link_publish(const struct egress *out, _Atomic uint32_t *link_queue_tail)
{
	atomic_store_explicit(&link_queue_tail[out->link_queue], out->tail, memory_order_release);
}

static inline ALWAYS_INLINE void link_send(struct worker *w, struct egress *out, int64_t start_ps)
{
	link_send_until(w, out, start_ps, out->port.free_ps);
}

/* Has the packets of a line fetched that are to be taken from it soon. Only for who takes from the
 * line: nobody else may follow its chunks. */
static inline ALWAYS_INLINE void link_queue_prefetch(const struct weir_packet_pool *pool,
						     uint32_t slot, uint32_t tail, uint32_t chunks)
{
	uint32_t chunk = slot >> WEIR_CHUNK_SHIFT, last = tail >> WEIR_CHUNK_SHIFT;

	if (slot == tail || slot == WEIR_SLOT_NONE)
		return;
#pragma GCC unroll 8
	for (uint32_t i = 0; i < chunks; i++) {
		weir_chunk_fetch(pool, chunk);
		if (chunk == last)
			break;
		chunk = pool->next[chunk];
	}
}

/* The slot after this one on a line, giving back the chunk that ends. */
static inline uint32_t link_queue_advance(struct weir_packet_pool *pool, uint32_t slot)
{
	uint32_t next = slot + 1;

	if ((next & WEIR_CHUNK_MASK) == 0) {
		uint32_t chunk = slot >> WEIR_CHUNK_SHIFT;

		next = pool->next[chunk] << WEIR_CHUNK_SHIFT;
		weir_chunk_give(pool, chunk);
	}
	return next;
}

/* Where reading a line starts, or WEIR_SLOT_NONE where nothing was ever sent on it. */
static inline uint32_t link_queue_start(const struct engine *e, uint32_t line)
{
	uint32_t slot = e->link_queue_head[line];

	if (LIKELY(slot != WEIR_SLOT_NONE))
		return slot;
	return atomic_load_explicit(&e->line_first[line], memory_order_acquire);
}
#endif
