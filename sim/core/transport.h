/* SPDX-License-Identifier: BSD-3-Clause */
/* transport.h -- what connections of one congestion control share, and what a transport must be
 * able to do.
 *
 * sender.c and receiver.c know what every connection has: messages in segments, a retransmission
 * timer, a scoreboard, ACKs. A transport decides when a connection may send, and what it makes of
 * ACKs, timeouts and data: hooks in a file or two of its own, and a line in transport.c. Which
 * transport a connection has follows from its congestion control. */
#ifndef SIM_CORE_TRANSPORT_H
#define SIM_CORE_TRANSPORT_H
#include "weir/cc.h"
#include <stddef.h>
#include <stdint.h>

struct engine;
struct host;
struct receiver;
struct sender;
struct transport_ops;
struct weir_packet;
struct worker;

/* Near at hand; the fields of one transport are 0 for the others. */
struct transport {
	struct weir_cc_env env; /* mss, initial window, and for RDMA those of the fastest hosts */
	const struct weir_cc_ops *cc;
	const void *cc_params;
	const struct transport_ops *ops;
	uint64_t max_window_bytes;
	uint16_t header_bytes, ack_bytes; /* of every data packet; all of an ACK or notification */
	uint32_t acks_per;
	int64_t rto_min_ns, rto_initial_ns;
	uint8_t exact_echo;            /* RFC 8257; otherwise RFC 3168, or none */
	uint8_t data_flags, ack_flags; /* of every packet: ECN-capable? */
	/* TCP */
	uint8_t syn_flags;    /* of a SYN, and with SEGMENT_ACK of its answer */
	uint8_t spread_cuts;  /* proportional rate reduction */
	uint8_t idle_restart; /* RFC 5681, section 4.1 */
	/* RFC 8985, for both; RDMA sends no probes */
	uint8_t rack : 1, tail_probe : 1;
	/* RDMA */
	uint8_t go_back_n;
	int64_t cnp_interval_ps; /* -1: no notifications */
};

_Static_assert(sizeof(struct transport) == 128, "found by a shift");

/* What a host's timers are for, in their order at equal times. */
enum timer_kind {
	TIMER_ACK,
	TIMER_RETRANSMIT,
	TIMER_REORDER,
	TIMER_PROBE, /* TCP */
	TIMER_APPLICATION,
	TIMER_PACING,  /* RDMA */
	TIMER_CONTROL, /* RDMA */
	TIMER_START,
	TIMER_MAILBOX,   /* a call that a program asked for: mailbox.h */
	TIMER_NIC_DELAY, /* a packet has waited for its flow's delay: nic.c */
};

/* A sender is also named by its handle, under which the card knows it. */
struct transport_ops {
	/* What connections of that control share: all but cc, cc_params and ops, which are
	 * there. */
	void (*plan)(struct transport *t, const struct engine *e);

	/* A connection begins, without a message yet. */
	void (*open)(struct worker *w, struct host *h, struct sender *s);
	/* It may have become able to send: at once where the card is free, else in its turn. */
	void (*try_to_send)(struct worker *w, struct host *h, struct sender *s, uint32_t handle);
	/* sender_can_send holds; may it send now? NULL: always. */
	int (*is_due)(struct host *h, struct sender *s);
	/* Its next segment takes the line, which is free at start_ps. */
	void (*send)(struct worker *w, struct host *h, struct sender *s, int64_t start_ps);
	void (*on_ack)(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
		       struct weir_packet *packet);
	/* The retransmission timer has run out. */
	void (*on_timeout)(struct worker *w, struct host *h, struct sender *s, uint32_t handle);
	/* One of its own timers. */
	void (*on_timer)(struct worker *w, struct host *h, struct sender *s, uint32_t handle,
			 enum timer_kind kind);

	/* All but ACKs comes here. */
	void (*on_data)(struct worker *w, struct host *h, struct receiver *r,
			struct weir_packet *packet);
	size_t receiver_bytes; /* of state that follows struct receiver */
	/* 1: the time that an ACK echoes leaves out how long the ACK was held back. */
	uint8_t echo_skips_hold;
};

extern const struct transport_ops tcp_transport, rdma_transport;

/* How much longer than a round trip a packet of a queue pair may take before it is lost, at least,
 * where losses are detected by time; 0: what RFC 8985 says. */
int64_t rdma_reordering_window_ps(const struct engine *e);

/* Of host.cc and of every traffic section; those of pairs come later (pair.c). */
void transports_new(struct engine *e);
void transports_free(struct engine *e);
#endif
