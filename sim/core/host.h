/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h -- a host: one link, a network card that asks its connections for packets, their two ends.
 *
 * The card takes one packet at a time when its line is free: control packets (ACKs, SYNs) first,
 * then one segment from each connection that may send, in turn. So a host never drops its own
 * packets, connections share the card fairly, and data waits in the application, not in a queue.
 * Other cards have a queue into which connections put what their windows allow, at once (card.h).
 *
 * host.c runs the clock and the card; sender.c and receiver.c are the two ends of a connection,
 * whatever its transport (transport.h), and connection.h what they remember; tcp_*.c and rdma_*.c
 * are the transports; message.c knows what the packets of a message carry. */
#ifndef SIM_CORE_HOST_H
#define SIM_CORE_HOST_H
#include "base/compiler.h"
#include "sim/core/link.h"
#include "sim/core/connection.h"
#include "sim/core/transport.h"
#include "sim/traffic/flow.h"
#include "weir/rng.h"

/* Turns at the card, and queues of control packets: one for each lossless class, one for all
 * others. */
enum { HOST_QUEUES = WEIR_PFC_CLASSES + 1 };

struct host {
	/* What is usual needs the first two cache lines only. */
	struct egress *out; /* its card */
	uint32_t number, node, link_queue;
	uint32_t jitter_state; /* of the generator in nic_end_ps_jittered */
	int64_t now_ps;        /* of the event being worked on, or the last one */
	int64_t timer_ps;      /* earliest of its timers; WEIR_TIME_NEVER_PS: none */
	int64_t due_ps;        /* a far wake-up is set for this time; WEIR_TIME_NEVER_PS: none */
	uint32_t work;      /* senders in turn and control packets that wait: 0: the card rests */
	uint32_t special;   /* bit per lossless class, HOST_QUEUE_PAUSES, HOST_NIC_QUEUE; 0: none of
			       these */
	uint32_t paused;    /* bit per class that the switch stopped, and HOST_QUEUE_PAUSES or
			       HOST_NIC_QUEUE */
	uint8_t is_timing;  /* 1: the handler of its first timer is running */
	uint8_t others;     /* turn of all lossy classes: the first that is no lossless one's */
	uint8_t last_turn;  /* the turn served last */
	uint32_t tso_bytes; /* payload that a connection may send in its turn; 0: one packet */
	uint32_t waiting;   /* bit per turn that is not empty */
	int64_t last_end_ps; /* when its last packet left the link, jitter included */
	/* counters; others below */
	uint64_t made_pkts, received_pkts;
	uint64_t data_pkts, marked_pkts; /* data received; of these with CE */
	uint64_t goodput_bytes;          /* payload received for the first time */
	/* Senders that may send; those of a lossless class in a turn of their own. FLOW_NONE:
	 * none. */
	struct turn {
		uint32_t first, last;
		uint32_t burst_bytes; /* that the first has sent in its turn so far */
	} turns[HOST_QUEUES];
	uint32_t next_start, start_end; /* its flows to come, in engine.start_order */
	struct heap timers;
	/* Where a fabric scheme stops flows (bfc): a bit for each queue of the card that must wait,
	 * and how many do; senders that found theirs to be one of them. */
	uint64_t *held;
	uint32_t nic_queues, held_count;
	struct turn parked;
	/* Round robin: a connection that sends the packet on the line and may send the next one,
	 * FLOW_NONE: none. It joins its turn when the line is free, after those that became ready
	 * meanwhile. host.work counts it. */
	uint32_t returning;
	struct delay_line *delays; /* of the card, where it has some: nic.c */
	uint64_t retransmits, timeouts, small_flow_timeouts;
	uint64_t retransmitted_flows; /* of which a segment was sent again */
};

_Static_assert(offsetof(struct host, turns) + 2 * sizeof(uint32_t) <= 128,
	       "the first turn is in the second cache line");

/* In host.special: a fabric scheme may stop flows; in host.paused: some must wait now. */
#define HOST_QUEUE_PAUSES (UINT32_C(1) << 31)

/* In host.paused and host.special: packets wait in a queue of the card, and work counts them; there
 * are no turns. So whoever wants to send at once is held up, and what is usual need not ask for
 * this. */
#define HOST_NIC_QUEUE (UINT32_C(1) << 30)

/* In host.special: round-robin arbitration, host.returning may name a connection. */
#define HOST_ROUND_ROBIN (UINT32_C(1) << 29)

_Static_assert(WEIR_PFC_CLASSES <= 29, "classes and flags share host.special");

/* Mostly a timer sets the next one, which then takes its place. */
static inline void host_timer(struct host *h, int64_t time_ps, enum timer_kind kind, uint32_t flow)
{
	uint64_t key = (uint64_t)kind << 32 | flow;

	if (h->is_timing) {
		h->is_timing = 0;
		heap_replace(&h->timers, time_ps, key);
		return;
	}
	heap_push(&h->timers, time_ps, key);
	if (time_ps < h->timer_ps)
		h->timer_ps = time_ps;
}

/* --- host.c --- */
void hosts_new(struct engine *e);
void hosts_free(struct engine *e);
void host_run(struct worker *w, struct host *h);

/* Where lossless classes are kept apart: the turn, or queue of control packets, of a class. */
static inline uint32_t host_queue(const struct host *h, uint32_t class_id)
{
	if (LIKELY(!h->special))
		return 0;
	return class_id < WEIR_PFC_CLASSES && h->special >> class_id & 1 ? class_id : h->others;
}

/* --- nic.c: cards that have a queue --- */

/* The marking of every card, fair ones included; and what a port with a queue is made from, whose
 * marking, rate and frames are the caller's. */
struct weir_mark_ops nic_marking(const struct config *c, const struct plugin_guard *guard);
void nic_plan_port(const struct config *c, const struct plugin_guard *guard,
		   struct weir_port_plan *plan);

/* The packet in link_reserve leaves at once, waits in the card, or is dropped. */
void nic_enqueue(struct worker *w, struct host *h, struct weir_packet *packet, int64_t now_ps);

/* Everything that can start before limit_ps leaves. */
void nic_run_queue(struct worker *w, struct host *h, int64_t limit_ps);

/* Where flows have delays: the first packet of a delay comes to the queue. */
void nic_delays_new(const struct config *c, struct host *h);
void nic_delays_free(const struct config *c, struct host *h);
void nic_on_delay_timer(struct worker *w, struct host *h, uint32_t delay);
uint64_t nic_delayed_pkts(const struct config *c, const struct host *h);

/* Sends a packet of header size, ahead of data unless the card has a queue. It is written where
 * nic_control_place says: on the line at once where the card is free, else in *spare. */
static inline struct weir_packet *nic_control_place(struct worker *w, struct host *h,
						    struct weir_packet *spare)
{
	if (h->out->port.pkts == 0 && h->out->port.free_ps <= h->now_ps && !h->paused)
		return link_reserve(w, h->out);
	return spare;
}

/* The time at which the last bit of a packet is on the link, which the NIC finishes at end_ps:
 * later by a jitter that is uniform in [0, host.jitter), and never before the packet ahead of it
 * (FIFO). The NIC itself is not delayed: jitter moves arrivals and costs no throughput.
 *
 * The state is odd, and a multiplicative generator of 32 bits (multiplier: L'Ecuyer, Math. Comp.
 * 68, 1999, table 5) of which the high bits count costs four instructions. It has to break ties
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

/* The packet in link_reserve has started at start_ps and occupies the link until the port's
 * free_ps. */
static inline ALWAYS_INLINE void nic_link_send(struct worker *w, struct host *h, int64_t start_ps)
{
	link_send_until(w, h->out, start_ps, nic_end_ps_jittered(w, h, h->out->port.free_ps));
}

/* The packet in link_reserve starts now and occupies the link, if there is a path for it. */
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

/* The same where it may be that the card has a queue. */
static inline ALWAYS_INLINE void nic_send_or_enqueue(struct worker *w, struct host *h,
						     struct weir_packet *packet, int64_t start_ps)
{
	if (UNLIKELY(h->paused & HOST_NIC_QUEUE))
		nic_enqueue(w, h, packet, start_ps);
	else
		nic_send(w, h, packet, start_ps);
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
	if (weir_port_reserve_slot(&w->pool, packet, q, &slot)) /* never: see engine_chunk_take */
		assert(0);
	weir_port_enqueue(&h->out->port, &w->pool, packet, q, slot);
	h->work++;
}

/* A queue of the card must wait, or may go on. */
void host_pause_queue(struct worker *w, struct host *h, uint32_t queue,
		      enum weir_pfc_signal signal);

/* The queue of the card that a flow has, of so many: flows that meet in one are stopped
 * together. */
static inline uint32_t host_flow_queue(uint32_t flow_hash, uint32_t queues)
{
	return (uint32_t)((weir_mix64(flow_hash) & UINT32_MAX) * queues >> 32);
}

/* The sender may send: it gets its turn at the card, or puts all that it may send into its
 * queue. */
void host_make_ready(struct worker *w, struct host *h, struct sender *s, uint32_t handle);

/* Likewise for one that has just put a packet on the line. */
void host_make_ready_again(struct worker *w, struct host *h, struct sender *s, uint32_t handle);

/* Which way a connection's data takes. */
static inline uint32_t flow_route_hash(uint64_t seed, uint32_t connection)
{
	return (uint32_t)weir_hash64(weir_hash64(seed, connection), WEIR_RNG_ROUTE);
}

/* Fills in the path, anew where it is out of date or each packet takes its own; that which the flow
 * names, where it does. */
struct path_state {
	uint64_t *path;
	int64_t *until_ps;
	uint32_t *sprayed;
	uint64_t hash;
	uint32_t from, to;
	uint32_t connection;
};
uint64_t host_path(const struct engine *e, const struct path_state *p, int64_t now_ps);

/* --- sender.c --- */
void sender_start(struct worker *w, struct host *h, uint32_t flow);

/* TIMER_RETRANSMIT or TIMER_APPLICATION; for others see sender_on_own_timer. */
void sender_on_timer(struct worker *w, struct host *h, uint32_t connection, enum timer_kind kind);

/* measure.completion = sender: before an ACK goes to the transport, which may free the
 * connection. */
void sender_note_completions(struct worker *w, const struct host *h, struct sender *s,
			     const struct weir_packet *packet);

/* Class of the segment that the sender would send next; sender_can_send holds. Mostly it is the one
 * after the last. */
uint32_t sender_find_class(const struct engine *e, struct sender *s);

static inline uint32_t sender_next_class(const struct engine *e, struct sender *s)
{
	return !s->lost && s->next < s->send_end ? s->class_id : sender_find_class(e, s);
}

/* The sender's next segment takes the line, which is free at start_ps; sender_can_send holds. */
void sender_send_next(struct worker *w, struct host *h, struct sender *s, int64_t start_ps);

/* --- receiver.c --- */

/* Data of a connection that nobody receives here: of a new one, whose handle is returned, or of one
 * that is over, which is answered: FLOW_NONE. */
uint32_t receiver_open(struct worker *w, struct host *h, const struct weir_packet *packet);
void receiver_on_timer(struct worker *w, struct host *h, uint32_t connection);
void receiver_free(struct worker *w, uint32_t handle);

/* --- shared by both ends --- */

static inline struct flow *flow_at(const struct engine *e, uint32_t flow)
{
	return &e->flows.flows[flow];
}

static inline const struct traffic_config *flow_traffic(const struct engine *e,
							const struct flow *f)
{
	return &e->config->traffic[f->traffic];
}

/* Traffic without a control of its own shares the first transport. */
static inline uint16_t flow_transport_number(const struct engine *e, const struct flow *f)
{
	return (uint16_t)(flow_traffic(e, f)->cc_ops ? f->traffic + 1 : 0);
}

static inline const struct transport *flow_transport(const struct engine *e, const struct flow *f)
{
	return &e->transports[flow_transport_number(e, f)];
}

/* --- what happens to a connection goes to its transport, and nowhere where the connection is over
 * --- */

static inline void sender_on_ack(struct worker *w, struct host *h, struct weir_packet *packet)
{
	uint32_t handle = flow_at(w->engine, packet_segment(packet)->connection)->tx;

	if (LIKELY(handle != FLOW_NONE)) {
		struct sender *s = slab_at(&w->senders, handle);

		if (UNLIKELY(w->engine->acked_ps != NULL))
			sender_note_completions(w, h, s, packet);
		sender_transport(w->engine, s)->ops->on_ack(w, h, s, handle, packet);
	}
}

/* One of the transport's own timers. */
static inline void sender_on_own_timer(struct worker *w, struct host *h, uint32_t connection,
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

/* --- message.c --- */

/* How many segments hold so many bytes. */
uint32_t message_segments(const struct engine *e, const struct flow *message);

/* Of a segment, by its number on the connection. */
uint32_t message_payload(const struct engine *e, const struct flow *message, uint32_t segment);
uint8_t message_class(const struct engine *e, const struct flow *message, uint32_t segment);

/* The segment after this one at which the class changes or the message ends. */
uint32_t message_same_until(const struct engine *e, const struct flow *message, uint32_t segment);

uint8_t message_first_class(const struct engine *e, const struct flow *message);
uint8_t message_ack_class(const struct engine *e, const struct flow *message);
int64_t message_slack_ps(const struct engine *e, const struct flow *message);
#endif
