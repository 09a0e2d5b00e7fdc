/* SPDX-License-Identifier: BSD-3-Clause */
/* port.h -- the egress port of a switch or host: classify, admit, mark, queue, schedule, mark,
 * send.
 *
 * For programs that embed a port and need not see inside it: classes and ports are opaque, and each
 * call below is a call into the library. Where a function call per packet is too much,
 * weir/port_inline.h has the same port with its layout and its fast path inline.
 *
 * The owner of a port drives it and is its clock: it calls weir_port_offer for a packet that wants
 * to leave and weir_port_next when the link is free and packets are queued. The port decides and
 * counts; the owner puts the packet on the wire at the time the port names. Times are picoseconds,
 * because a byte at 100 Gb/s takes 80 of them; marking schemes see nanoseconds.
 *
 * Threads: a port, its packet pool and the shared buffer of its switch belong to one thread at a
 * time. A class is read-only after weir_port_class_init and may be shared by all threads.
 *
 * Errors: nothing here allocates or fails on the data path. A packet that cannot be sent is dropped
 * for a reason, and each reason has its counter; a full packet store is one of them. Settings that
 * a user may have chosen go through weir_port_plan_check first. */
#ifndef WEIR_PORT_H
#define WEIR_PORT_H
#include "weir/begin.h"
#include "weir/buffer.h"
#include "weir/mark.h"
#include "weir/packet.h"
#include "weir/pool.h"
#include "weir/sched.h"
#include <stddef.h>
#include <stdint.h>

WEIR_BEGIN

/* Why a packet was dropped: index of weir_port_status.drops. */
enum weir_port_drop {
	WEIR_DROP_QUEUE_FULL,         /* the queue's limit */
	WEIR_DROP_PORT_FULL,          /* the port's limit */
	WEIR_DROP_SHARED_BUFFER_FULL, /* the switch's memory, or the queue's dynamic threshold */
	WEIR_DROP_NOT_ECT,            /* the scheme marked a packet that is not ECN-capable */
	WEIR_DROP_SCHEME,             /* the scheme's verdict was to drop */
	WEIR_DROP_LINK_DOWN,          /* counted by the owner */
	WEIR_DROP_STORE_FULL,         /* the packet store (weir/pool.h) has no free chunk */
	WEIR_PORT_DROPS,
};

extern const char *const weir_port_drop_names[WEIR_PORT_DROPS];

enum weir_port_answer {
	WEIR_PORT_SEND, /* the packet starts on the link now and occupies it until it is sent */
	WEIR_PORT_QUEUED,
	WEIR_PORT_DROPPED,
};

/* What a class of ports is made from. The caller owns what the pointers name, and keeps it for as
 * long as the class is used. */
struct weir_port_plan {
	uint64_t rate_bps;
	int64_t rtt_ns; /* base round-trip time of the network, for schemes that scale by it */
	uint32_t queues;
	const struct weir_mark_ops *mark;
	const void *mark_params;
	const struct weir_sched_ops *sched; /* may be NULL with one queue */
	const void *sched_params;
	struct weir_buffer_params buffer;
	uint32_t overhead_bytes, min_bytes; /* on the wire a frame has max(bytes, min) + overhead */
	uint32_t pass_not_ect;   /* 1: a mark passes packets that are not ECN-capable; 0: drops */
	uint32_t lossless;       /* bit per class: the owner admits its packets, not the port */
	uint32_t counts_sojourn; /* 1: packets that leave enter weir_port_stats.sojourns */
	uint32_t mtu_bytes;      /* largest frame */
	uint32_t cold_is_apart;  /* 1: the owner sets weir_port.cold (port_inline.h), zeroed, after
				  * weir_port_init; 0: it is part of the port */
};

struct weir_port_class; /* what ports share that differ in nothing but their load */
struct weir_port;

/* Checks that queues, scheduler and marking scheme go together and that rates and sizes are within
 * their limits. Returns 0, or -1 with a message; such a plan must not become a class. */
int weir_port_plan_check(const struct weir_port_plan *plan, struct weir_error *e);

/* Makes a class in the caller's memory, weir_port_class_size() bytes, 8-aligned. Packets of class i
 * go to queue i, those of classes beyond the last queue to the last. */
size_t weir_port_class_size(void);
void weir_port_class_init(struct weir_port_class *c, const struct weir_port_plan *plan);

/* Makes a port in the caller's memory: weir_port_size() bytes, 8-aligned and zero. shared: the
 * switch's memory, which its ports have in common, with WEIR_BUFFER_PER_SWITCH; else NULL. seed:
 * this port's own, for schemes that draw random numbers. */
size_t weir_port_size(const struct weir_port_class *c);
void weir_port_init(struct weir_port *p, const struct weir_port_class *c,
		    struct weir_shared_buffer *shared, uint64_t seed);

/* Offers a packet that wants to leave at now_ps, once every packet that could start by now_ps has
 * started (weir_port_next). Returns enum weir_port_answer. WEIR_PORT_SEND: the owner sends *packet,
 * which may have been marked; WEIR_PORT_QUEUED: the port holds a copy. */
int weir_port_offer(struct weir_port *p, struct weir_packet_pool *pool, struct weir_packet *packet,
		    int64_t now_ps);

/* When weir_port_next can next be called: the earliest start of a queued packet. INT64_MAX: nothing
 * is queued, or all that is queued is paused. */
int64_t weir_port_next_ps(const struct weir_port *p);

/* Dequeues the packet that starts on the link at weir_port_next_ps, which must not be INT64_MAX.
 * The packet is the caller's until the pool is used next. NULL: the packet was dropped on its way
 * out and the link is still free, or all that is queued is paused. */
struct weir_packet *weir_port_next(struct weir_port *p, struct weir_packet_pool *pool);

/* Pauses and resumes a queue (PFC). Every packet that could start by now_ps has started; a packet
 * on the wire is not stopped. Pausing a paused queue, or resuming another, does nothing. */
void weir_port_pause(struct weir_port *p, uint32_t queue);
void weir_port_resume(struct weir_port *p, uint32_t queue, int64_t now_ps);

/* Sends a control frame of the owner's own, such as a PFC frame, ahead of everything queued, paused
 * or not. Returns its start; the link is then busy until it is sent. */
int64_t weir_port_send_control(struct weir_port *p, uint32_t bytes, int64_t now_ps);

/* Counters of a port since weir_port_init, and what it holds. */
struct weir_port_status {
	uint32_t bytes, pkts;       /* queued, over all queues */
	uint64_t tx_pkts, tx_bytes; /* frames that started on the link, without overhead */
	uint64_t marks[WEIR_MARK_REASONS];
	uint64_t drops[WEIR_PORT_DROPS];
};

void weir_port_read(const struct weir_port *p, struct weir_port_status *status);

WEIR_END
#endif
