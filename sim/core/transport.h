/* SPDX-License-Identifier: BSD-3-Clause */
/* transport.h -- transports: what connections of one congestion control share, and the hooks of TCP
 * and RDMA.
 *
 * sender.c and receiver.c hold what every connection has: messages in segments, a retransmission
 * timer, a SACK scoreboard, ACKs. A transport decides when a connection may send and what ACKs,
 * timeouts and data lead to. Its hooks are in a file of its own, and its ops in the table of
 * transport.c. The congestion control says which transport it needs.
 *
 * Transports are built once, at one thread, and only read afterwards. Hooks run on the worker that
 * owns the host. */
#ifndef SIM_CORE_TRANSPORT_H
#define SIM_CORE_TRANSPORT_H
#include "weir/cc.h"
#include <stddef.h>
#include <stdint.h>

struct engine;
struct flow;
struct host;
struct receiver;
struct sender;
struct transport_ops;
struct weir_error;
struct weir_packet;
struct worker;

/* Hot constants of a connection's transport, two cache lines; the fields of the other transport are
 * 0. */
struct transport {
	struct weir_cc_env env; /* RDMA: of the network's fastest hosts, or of a pair */
	const struct weir_cc_ops *cc;
	const void *cc_params;
	const struct transport_ops *ops;
	uint64_t max_window_bytes;
	uint16_t header_bytes, ack_bytes; /* of every data packet; whole ACK or CNP */
	uint32_t acks_per;                /* data packets an ACK */
	int64_t rto_min_ns, rto_initial_ns;
	uint8_t exact_echo;            /* 1: RFC 8257; 0: RFC 3168, or no ECN */
	uint8_t data_flags, ack_flags; /* of every packet: ECN-capable? */
	/* TCP */
	uint8_t syn_flags;    /* of a SYN, and with SEGMENT_ACK of a SYN-ACK */
	uint8_t prr;          /* proportional rate reduction, RFC 6937 */
	uint8_t idle_restart; /* RFC 5681, section 4.1 */
	/* Both: RACK loss detection, RFC 8985; TCP: its tail-loss probe */
	uint8_t rack : 1, tail_probe : 1;
	/* RDMA */
	uint8_t go_back_n;
	int64_t cnp_interval_ps; /* -1: receivers send no CNPs */
};

_Static_assert(sizeof(struct transport) == 128, "indexed by a shift");

/* Kinds of host timers, in the order in which simultaneous ones run. */
enum timer_kind {
	TIMER_ACK,         /* delayed ACK */
	TIMER_RETRANSMIT,  /* RTO */
	TIMER_REORDER,     /* RACK's reordering timer */
	TIMER_PROBE,       /* TCP: tail-loss probe */
	TIMER_APPLICATION, /* a rate-limited application writes, or the flow stops */
	TIMER_PACING,      /* RDMA: the next packet may be sent */
	TIMER_CONTROL,     /* RDMA: weir_cc_pace.wake_ns */
	TIMER_START,       /* a flow starts */
	TIMER_MAILBOX,     /* a program's callback: mailbox.h */
	TIMER_NIC_DELAY,   /* end of a flow's delay in the NIC: nic.c */
};

/* `handle` is the sender's index in the worker's slab, by which ready lists name it. */
struct transport_ops {
	/* Fills in a transport, whose cc, cc_params and ops are set. */
	void (*plan)(struct transport *t, const struct engine *e);

	/* A connection opens; it has no message yet. */
	void (*open)(struct worker *w, struct host *h, struct sender *s);
	/* The sender may have become able to send: sends a segment if the NIC is idle, else makes
	 * the sender ready. */
	void (*try_send)(struct worker *w, struct host *h, struct sender *s, uint32_t handle);
	/* Does pacing allow the next segment now? sender_can_send holds. NULL: always. */
	int (*is_due)(struct host *h, struct sender *s);
	/* Sends the next segment on the link, idle at start_ps; sender_can_send holds. */
	void (*send)(struct worker *w, struct host *h, struct sender *s, int64_t start_ps);
	void (*on_ack)(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		       struct weir_packet *packet);
	/* The RTO has expired. */
	void (*on_rto)(struct worker *w, struct host *h, struct sender *s, uint32_t handle);
	/* A timer of the transport: REORDER, PROBE, PACING or CONTROL. */
	void (*on_timer)(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
			 enum timer_kind kind);

	/* Data or a SYN has arrived. */
	void (*on_data)(struct worker *w, struct host *h, struct receiver *r,
			struct weir_packet *packet);
	size_t receiver_bytes; /* of state that follows struct receiver */
	/* 1: the time that an ACK echoes excludes how long the ACK was delayed. */
	uint8_t echo_excludes_ack_delay;
};

extern const struct transport_ops tcp_transport, rdma_transport;

/* Least RACK reordering window of queue pairs, in ps; 0: RFC 8985's own. */
int64_t rdma_reordering_window_ps(const struct engine *e);

/* --- transport.c --- */

/* One transport for host.cc and one for every traffic section. */
void transports_new(struct engine *e);
void transports_free(struct engine *e);

/* Adds a transport for each kind of pair that opens a connection, or may (messages), where its
 * control is told of its own path. -1 with a message: there are too many kinds. */
int pairs_new(struct engine *e, struct weir_error *error);

/* Number of the transport of a connection's sender: its pair's, or its section's. */
uint16_t pair_transport_number(const struct engine *e, const struct flow *f);
#endif
