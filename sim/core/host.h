/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h -- a host: one link, a NIC that pulls packets from the connections, and both ends of
 * these.
 *
 * By default the NIC has no queue. Whenever its link is idle it sends one packet: control packets
 * (ACKs, SYNs, CNPs) first, then one segment of each ready connection in round robin. A host
 * therefore never drops its own packets, connections share the NIC fairly, and data waits in the
 * application. The other NICs (config/nic.h) have a queue into which connections push whatever
 * window and rate allow, at once.
 *
 * host.c is the node's event loop and the arbitration of the NIC, nic.c the NICs with a queue.
 * sender.c and receiver.c are the two ends of a connection that all transports share (state:
 * connection.h), and the segments that a message consists of; tcp.c and rdma.c are the transports
 * (hooks: transport.h).
 *
 * A host belongs to one worker, which alone reads and writes it, its timers and the connection ends
 * on it while a lookahead window is simulated. Other threads read it at barriers only. */
#ifndef SIM_CORE_HOST_H
#define SIM_CORE_HOST_H
#include "base/compiler.h"
#include "sim/core/link.h"
#include "sim/core/connection.h"
#include "sim/core/transport.h"
#include "sim/traffic/flow.h"
#include "weir/rng.h"

/* Ready lists, and queues of control packets: one for each lossless class, one for all lossy
 * classes together, so that PFC pauses of one class do not block the others (no head-of-line
 * blocking at the NIC). */
enum { HOST_QUEUES = WEIR_PFC_CLASSES + 1 };

struct host {
	/* Fast path: the first two cache lines. */
	struct egress *out; /* the NIC's port */
	uint32_t number, node, link_queue;
	uint32_t jitter_state;  /* of the generator in nic_end_ps_jittered */
	int64_t now_ps;         /* time of the current event, or of the last one */
	int64_t timer_ps;       /* earliest timer; WEIR_TIME_NEVER_PS: none */
	int64_t wake_ps;        /* overflow wake-up already set; WEIR_TIME_NEVER_PS: none */
	uint32_t pending;       /* ready senders and queued control packets; 0: the NIC is idle */
	uint32_t slow_features; /* bit per lossless class, HOST_ flags below; 0: fast path only */
	uint32_t paused;        /* bit per class paused by PFC, HOST_ flags below */
	uint8_t in_timer;       /* 1: the handler of timers.entries[0] is running */
	uint8_t lossy_list;     /* ready list of all lossy classes */
	uint8_t last_list;      /* ready list served last */
	uint32_t tso_bytes; /* segmentation offload: payload of one sender's burst; 0: one packet */
	uint32_t ready_set; /* bit per ready list that is not empty */
	int64_t last_end_ps; /* when the last packet left the link, jitter included */
	/* Counters of the fast path; the others are below. */
	uint64_t made_pkts, received_pkts;
	uint64_t data_pkts, marked_pkts; /* data received; of these with CE */
	uint64_t goodput_bytes;          /* payload received for the first time */
	/* FIFOs of senders that may send, by handle, linked by sender.ready_next. FLOW_NONE:
	 * empty. */
	struct ready_list {
		uint32_t first, last;
		uint32_t burst_bytes; /* sent by the first in its current burst */
	} ready[HOST_QUEUES];
	uint32_t next_start, start_end; /* flows to start: range of engine.start_order */
	struct heap timers;
	/* BFC: bit per NIC queue that the switch has paused, how many are, and the senders of
	 * paused queues, which are on no ready list. */
	uint64_t *paused_queues;
	uint32_t nic_queues, paused_queue_count;
	struct ready_list paused_senders;
	/* Arbitration round-robin: the connection that sent the packet now on the link and may send
	 * again; FLOW_NONE: none. It joins its ready list when the link is idle, behind those that
	 * became ready meanwhile. host.pending counts it. */
	uint32_t returning;
	struct delay_line *delays; /* of the NIC: nic.c; NULL: none */
	uint64_t retransmits, timeouts, small_flow_timeouts;
	uint64_t retransmitted_flows; /* with at least one retransmission */
};

_Static_assert(offsetof(struct host, ready) + 2 * sizeof(uint32_t) <= 128,
	       "the first ready list is in the second cache line");

/* In slow_features: BFC may pause NIC queues; in paused: some are paused now. */
#define HOST_QUEUE_PAUSES (UINT32_C(1) << 31)

/* In slow_features and paused: the NIC has a queue, host.pending is its length, and there are no
 * ready lists. As a bit of `paused` it keeps connections off the fast path (send at once) without
 * a test of its own. */
#define HOST_NIC_QUEUE (UINT32_C(1) << 30)

/* In slow_features: arbitration is round-robin; host.returning may name a connection. */
#define HOST_ROUND_ROBIN (UINT32_C(1) << 29)

_Static_assert(WEIR_PFC_CLASSES <= 29, "classes and flags share host.slow_features");

/* Sets a timer of the host for `flow`, which is its key. The first timer set by a timer's handler
 * replaces the heap's root, which saves a pop and a push. O(log n) timers of the host. */
static inline void host_timer(struct host *h, int64_t time_ps, enum timer_kind kind, uint32_t flow)
{
	uint64_t key = (uint64_t)kind << 32 | flow;

	if (h->in_timer) {
		h->in_timer = 0;
		heap_replace(&h->timers, time_ps, key);
		return;
	}
	heap_push(&h->timers, time_ps, key);
	if (time_ps < h->timer_ps)
		h->timer_ps = time_ps;
}

/* --- host.c: events and arbitration --- */

/* Built once, at one thread; hosts_new also sets the timers of the first flows. */
void hosts_new(struct engine *e);
void hosts_free(struct engine *e);

/* Simulates the host through the worker's current lookahead window. */
void host_run(struct worker *w, struct host *h);

/* The ready list, or queue of control packets, of a class. */
static inline uint32_t host_queue(const struct host *h, uint32_t class_id)
{
	if (LIKELY(!h->slow_features))
		return 0;
	return class_id < WEIR_PFC_CLASSES && h->slow_features >> class_id & 1 ? class_id
									       : h->lossy_list;
}

/* The sender may send, is on no list, and is not sending now: appends it to its ready list (or,
 * paused by BFC, to the paused senders). With a NIC queue it sends all that it may, at once. */
void host_make_ready(struct worker *w, struct host *h, struct sender *s, uint32_t handle);

/* The same for a sender whose packet is now on the link. */
void host_make_ready_again(struct worker *w, struct host *h, struct sender *s, uint32_t handle);

/* BFC: the switch pauses or resumes a queue of the NIC. */
void host_pause_queue(struct worker *w, struct host *h, uint32_t queue,
		      enum weir_pfc_signal signal);

/* The NIC queue of a flow, out of `queues`: flows that share one are paused together. Scaled from
 * 32 bits by a multiplication, which needs no division. */
static inline uint32_t host_flow_queue(uint32_t flow_hash, uint32_t queues)
{
	return (uint32_t)((weir_mix64(flow_hash) & UINT32_MAX) * queues >> 32);
}

/* ECMP hash of a connection's data. */
static inline uint32_t flow_route_hash(uint64_t seed, uint32_t connection)
{
	return (uint32_t)weir_hash64(weir_hash64(seed, connection), WEIR_RNG_ROUTE);
}

/* The path register for the next packet of one end of a connection: the path the flow names, or the
 * ECMP choice, renewed where routes have changed since (until_ps) and for every packet under
 * packet spraying. Returns what it stores in *path; PATH_NONE: the destination is unreachable. */
struct path_state {
	uint64_t *path;
	int64_t *until_ps;
	uint32_t *spray_count;
	uint64_t hash;
	uint32_t from, to;
	uint32_t connection;
};
uint64_t host_path(const struct engine *e, const struct path_state *p, int64_t now_ps);

/* --- nic.c: NICs with a queue --- */

/* Marking scheme of every NIC, also of those without a queue ("none"). */
struct weir_mark_ops nic_marking(const struct config *c, const struct plugin_guard *guard);

/* What a port with a queue is made from, except for marking scheme, rate and frames, which are the
 * caller's. */
void nic_plan_port(const struct config *c, const struct plugin_guard *guard,
		   struct weir_port_plan *plan);

/* The packet in link_reserve is sent now, queued, delayed or dropped. */
void nic_enqueue(struct worker *w, struct host *h, struct weir_packet *packet, int64_t now_ps);

/* Sends from the queue whatever can start before limit_ps. */
void nic_run_queue(struct worker *w, struct host *h, int64_t limit_ps);

/* Delay lines: allocated and freed with the host; packets in them, for the audit. */
void nic_delays_new(const struct config *c, struct host *h);
void nic_delays_free(const struct config *c, struct host *h);
uint64_t nic_delayed_pkts(const struct config *c, const struct host *h);

/* TIMER_NIC_DELAY: the first packet of that delay line enters the queue. */
void nic_on_delay_timer(struct worker *w, struct host *h, uint32_t delay);

/* Time at which the last bit of a packet is on the link, which the NIC finishes at end_ps: later by
 * a jitter that is uniform in [0, host.jitter), but never before the packet ahead of it (FIFO). The
 * NIC itself is not delayed: jitter moves arrivals and costs no throughput.
 *
 * A 32-bit multiplicative generator with odd state (multiplier: L'Ecuyer, Math. Comp. 68, 1999,
 * table 5), of which only the high bits count, costs four instructions. It only has to break ties
 * between hosts with equal clocks. */
static inline int64_t nic_end_ps_jittered(const struct worker *w, struct host *h, int64_t end_ps)
{
	h->jitter_state *= 741103597u;
	end_ps += (int64_t)(h->jitter_state * w->jitter_ps >> 32);
	if (end_ps < h->last_end_ps)
		end_ps = h->last_end_ps;
	h->last_end_ps = end_ps;
	return end_ps;
}

/* The packet in link_reserve started at start_ps and occupies the link until the port's free_ps. */
static inline ALWAYS_INLINE void nic_link_send(struct worker *w, struct host *h, int64_t start_ps)
{
	link_send_until(w, h->out, start_ps, nic_end_ps_jittered(w, h, h->out->port.free_ps));
}

/* Sends the packet in link_reserve: the link is idle at start_ps and the NIC has no queue. A packet
 * without a path is dropped. */
static inline ALWAYS_INLINE void nic_send(struct worker *w, struct host *h,
					  struct weir_packet *packet, int64_t start_ps)
{
	struct egress *out = h->out;

	weir_port_occupy(&out->port, packet->bytes, start_ps);
	if (UNLIKELY(packet_segment(packet)->path == PATH_NONE)) {
		out->port.cold->drops[WEIR_DROP_LINK_DOWN]++;
		packet_retire(w, packet);
		return;
	}
	nic_link_send(w, h, start_ps);
}

/* nic_send or, where the NIC has a queue, nic_enqueue. */
static inline ALWAYS_INLINE void nic_send_or_enqueue(struct worker *w, struct host *h,
						     struct weir_packet *packet, int64_t start_ps)
{
	if (UNLIKELY(h->paused & HOST_NIC_QUEUE))
		nic_enqueue(w, h, packet, start_ps);
	else
		nic_send(w, h, packet, start_ps);
}

/* Control packets (ACK, SYN, CNP) are sent in two steps: the caller fills in the packet that
 * nic_control_place returns, which is the link's next slot where the packet can be sent at once,
 * else *spare; then nic_send_control sends or queues it. They go ahead of data unless the NIC has
 * a queue. */
static inline struct weir_packet *nic_control_place(struct worker *w, struct host *h,
						    struct weir_packet *spare)
{
	if (h->out->port.pkts == 0 && h->out->port.free_ps <= h->now_ps && !h->paused)
		return link_reserve(w, h->out);
	return spare;
}

static inline ALWAYS_INLINE void nic_send_control(struct worker *w, struct host *h,
						  struct weir_packet *packet,
						  const struct weir_packet *spare)
{
	struct weir_queue *q;
	uint32_t slot;

	h->made_pkts++;
	if (LIKELY(packet != spare)) {
		nic_send(w, h, packet, h->now_ps);
		return;
	}
	if (UNLIKELY(h->paused & HOST_NIC_QUEUE)) {
		struct weir_packet *place = link_reserve(w, h->out);

		*place = *packet;
		nic_enqueue(w, h, place, h->now_ps);
		return;
	}
	q = weir_port_queues(&h->out->port) + host_queue(h, packet->class_id);
	if (weir_port_reserve_slot(&w->pool, packet, q, &slot)) /* never: see engine_chunk_alloc */
		assert(0);
	weir_port_enqueue(&h->out->port, &w->pool, packet, q, slot);
	h->pending++;
}

/* --- sender.c --- */

/* A flow starts: opens its connection, or appends the flow's message to the open one. */
void sender_start(struct worker *w, struct host *h, uint32_t flow);

/* TIMER_RETRANSMIT or TIMER_APPLICATION; the transport's own go to sender_on_transport_timer. */
void sender_on_timer(struct worker *w, struct host *h, uint32_t connection, enum timer_kind kind);

/* engine.sees_acks: records the completion of messages that the ACK acknowledges. Called
 * before the transport gets the ACK, because it may free the connection. */
void sender_record_completions(struct worker *w, struct host *h, struct sender *s,
			       const struct weir_packet *packet);

/* Class of the segment that the sender would send next; sender_can_send holds. Fast path: the
 * segment after the last one. */
uint32_t sender_find_class(const struct engine *e, struct sender *s);

static inline uint32_t sender_next_class(const struct engine *e, struct sender *s)
{
	return !s->lost && s->next < s->send_end ? s->class_id : sender_find_class(e, s);
}

/* Sends the next segment on the link, idle at start_ps; sender_can_send holds. */
void sender_send_next(struct worker *w, struct host *h, struct sender *s, int64_t start_ps);

/* --- receiver.c --- */

/* Data for a connection without a receiver: opens one and returns its handle. FLOW_NONE: the
 * connection is closed already, and the data was answered with an ACK. */
uint32_t receiver_open(struct worker *w, struct host *h, const struct weir_packet *packet);

/* TIMER_ACK: the delayed-ACK timer. */
void receiver_on_timer(struct worker *w, struct host *h, uint32_t connection);
void receiver_free(struct worker *w, uint32_t handle);

/* --- both ends --- */

static inline struct flow *flow_at(const struct engine *e, uint32_t flow)
{
	return &e->flows.flows[flow];
}

static inline const struct traffic_config *flow_traffic(const struct engine *e,
							const struct flow *f)
{
	return &e->config->traffic[f->traffic];
}

/* Sections without a congestion control of their own share transport 0, that of host.cc. */
static inline uint16_t flow_transport_number(const struct engine *e, const struct flow *f)
{
	return (uint16_t)(flow_traffic(e, f)->cc_ops ? f->traffic + 1 : 0);
}

static inline const struct transport *flow_transport(const struct engine *e, const struct flow *f)
{
	return &e->transports[flow_transport_number(e, f)];
}

/* --- dispatch to the transport; events of closed connections are dropped --- */

static inline void sender_on_ack(struct worker *w, struct host *h, struct weir_packet *packet)
{
	uint32_t handle = flow_at(w->engine, packet_segment(packet)->connection)->tx;

	if (LIKELY(handle != FLOW_NONE)) {
		struct sender *s = slab_at(&w->senders, handle);

		if (UNLIKELY(w->engine->sees_acks))
			sender_record_completions(w, h, s, packet);
		sender_transport(w->engine, s)->ops->on_ack(w, h, s, handle, packet);
	}
}

static inline void sender_on_transport_timer(struct worker *w, struct host *h, uint32_t connection,
					     enum timer_kind kind)
{
	uint32_t handle = flow_at(w->engine, connection)->tx;

	if (LIKELY(handle != FLOW_NONE)) {
		struct sender *s = slab_at(&w->senders, handle);

		sender_transport(w->engine, s)->ops->on_timer(w, h, s, handle, kind);
	}
}

static inline void receiver_on_data(struct worker *w, struct host *h, struct weir_packet *packet)
{
	uint32_t handle = flow_at(w->engine, packet_segment(packet)->connection)->rx;

	if (UNLIKELY(handle == FLOW_NONE)) {
		handle = receiver_open(w, h, packet);
		if (handle == FLOW_NONE)
			return;
	}

	struct receiver *r = slab_at(&w->receivers, handle);

	w->engine->transports[r->transport].ops->on_data(w, h, r, packet);
}

/* --- segments of a message: sender.c --- */

/* Number of segments of the message. */
uint32_t message_segments(const struct engine *e, const struct flow *message);

/* Payload in bytes, and class, of a segment, given by its number on the connection. */
uint32_t message_payload(const struct engine *e, const struct flow *message, uint32_t segment);
uint8_t message_class(const struct engine *e, const struct flow *message, uint32_t segment);

/* First segment after this one that has another class or belongs to the next message. */
uint32_t message_same_until(const struct engine *e, const struct flow *message, uint32_t segment);

uint8_t message_first_class(const struct engine *e, const struct flow *message);
uint8_t message_ack_class(const struct engine *e, const struct flow *message);
int64_t message_slack_ps(const struct engine *e, const struct flow *message);
#endif
