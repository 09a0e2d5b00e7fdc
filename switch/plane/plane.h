/* SPDX-License-Identifier: BSD-3-Clause */
/* plane.h -- the switch itself, without a clock and without a wire: frames and times in, frames and
 * times out.
 *
 * Whoever owns it says when a frame came in at which port. The frame is read (frame.h), its way out
 * is looked up (addresses.c), and it is offered to that port, which is the library's (weir/port.h):
 * the same object file decides here and in the simulator what waits, what is marked and what is
 * dropped. A packet that the port sends is on its line for the time that its bytes take and then
 * for the port's delay; at that time, its due time, the owner puts it on the real wire.
 *
 * Times are those of the owner, in picoseconds, and never go back: a frame that is said to have
 * come before what is already done comes now. Packets leave at the times at which the line was
 * free, also where the owner looks late; but not more than catch_up_ps ago, so that a process that
 * was held up sends no burst.
 *
 * A plane may be several switches with cables between them: a port that has a peer is at the end of
 * one. What is due there comes in at the peer at that time, exactly, and the owner has nothing to
 * do with it. Each switch has its own addresses and its own pool.
 *
 * A switch may also be several planes, each with a thread of its own: every one knows all ports,
 * but only those that are its own are there. What leaves by a port of another is given to that one
 * (struct plane_others), and so is what is learnt.
 *
 * Memory is asked for when it is made. Frames wait in buffers of one size; where none is left a
 * frame is dropped and counted. */
#ifndef SWITCH_PLANE_PLANE_H
#define SWITCH_PLANE_PLANE_H
#include <stdint.h>
#include "switch/plane/frame.h"
#include "weir/port.h"

enum { PLANE_PORTS_MAX = 64, PLANE_NAME_SIZE = 64, PLANE_DSCPS = 64 };

/* Why a frame that came in was offered to no port. */
enum plane_fault {
	PLANE_MALFORMED,
	PLANE_OVERSIZE,  /* more than the MTU */
	PLANE_POOL_FULL, /* no buffer was free */
	PLANE_NOWHERE,   /* for a host behind the same port, for neighbours only, or known to nobody
			  */
	PLANE_NOT_GIVEN, /* the plane that it leaves by took no more */
	PLANE_FAULTS,
};

extern const char *const plane_fault_names[PLANE_FAULTS];

enum plane_unknown { PLANE_UNKNOWN_FLOOD, PLANE_UNKNOWN_DROP };

struct plane_port_plan {
	const char *name;
	struct weir_port_plan plan; /* what it points at must outlive the plane */
	int64_t delay_ps;           /* from the end of a frame on the line until it is due */
	uint32_t part;              /* which of the plane's switches it belongs to, from 0 on */
	uint32_t peer_plus_one; /* 0: a wire; else the port at the other end of a cable inside the
				   plane */
};

struct plane_arrival;

/* How to reach the planes of the other ports. */
struct plane_others {
	void *context;
	/* The frame, which came in at port in, leaves by these, bit each. Returns by how many it
	 * cannot. */
	uint32_t (*give)(void *context, uint64_t ports, uint32_t in, const struct plane_arrival *a,
			 const struct frame_facts *f);
	/* That host is behind port now. -1: not everybody could be told. */
	int (*tell)(void *context, uint64_t address, uint32_t port, int64_t now_ps);
};

struct plane_plan {
	uint64_t seed;
	uint32_t port_count;
	const struct plane_port_plan *ports;
	uint32_t buffers;
	uint32_t mtu_bytes; /* of what a frame carries behind addresses, tags and type */
	int learns;
	enum plane_unknown unknown;
	int64_t age_ps;
	int64_t catch_up_ps;
	int shared_buffer; /* the memory of a switch's ports is one pool, WEIR_BUFFER_PER_SWITCH */
	uint8_t class_of_dscp[PLANE_DSCPS];
	uint64_t own; /* ports that are there, bit each; 0: all are, and there are no others */
	struct plane_others others;
};

struct plane_counts {
	uint64_t rx_pkts, rx_bytes;
	uint64_t rx_ce; /* of them came marked */
	uint64_t sent_pkts, sent_bytes;
	int64_t lost_ps; /* time beyond catch_up_ps that packets waited for the machine, not for the
			    link */
	uint64_t faults[PLANE_FAULTS]; /* of frames that came in here */
};

/* What was counted when measuring began. */
struct plane_since {
	int64_t time_ps;
	uint64_t tx_pkts, tx_bytes, marks, drops;
};

struct plane_port {
	char name[PLANE_NAME_SIZE];
	struct weir_port *port; /* NULL: it is not there */
	struct weir_port_plan plan;
	struct weir_port_class class;
	struct weir_port_stats stats;
	struct plane_counts counts;
	struct plane_since since;
	_Alignas(8) unsigned char mark_params[WEIR_SPEC_PARAMS_MAX]; /* after plane_change */
	int64_t delay_ps;
	uint32_t part, peer_plus_one;
	uint32_t line_first, line_last; /* buffers on the line, in order of time */
	int64_t late_until_ps;          /* lateness up to here is part of counts.lost_ps */
};

/* A frame on a line. */
struct plane_frame {
	int64_t due_ps;
	uint32_t next;
	uint32_t length;
	uint8_t data[];
};

struct plane;

struct plane *plane_new(const struct plane_plan *plan);
void plane_free(struct plane *p);

/* For the switch of that port the host of that address is behind it, and behind others where it is
 * told so; flows are spread among them. -1: there is no place for more addresses. */
int plane_add_address(struct plane *p, uint64_t address, uint32_t port);

/* A frame that came in. */
struct plane_arrival {
	const uint8_t *frame;
	uint32_t length;
	uint32_t lacks_sum; /* 1: its sender left the sum of TCP or UDP to a card */
	int64_t time_ps;
};

void plane_receive(struct plane *p, uint32_t port, const struct plane_arrival *a);

/* What others give and tell; the time is that at which it came there. */
void plane_receive_handed(struct plane *p, uint64_t ports, uint32_t in,
			  const struct plane_arrival *a, const struct frame_facts *f);
void plane_learn(struct plane *p, uint64_t address, uint32_t port, int64_t time_ps);

/* One came in of which not all is there, because it is longer than any that may pass. */
void plane_drop_oversize(struct plane *p, uint32_t port, uint32_t length);

/* All frames up to now_ps have come in: what could start by then starts. */
void plane_advance(struct plane *p, int64_t now_ps);

/* The frame that is due on that port, NULL: none is. It stays until plane_done. */
const struct plane_frame *plane_due(const struct plane *p, uint32_t port, int64_t now_ps);

/* The one behind it on the line, if it is due too. */
const struct plane_frame *plane_due_next(const struct plane *p, const struct plane_frame *f,
					 int64_t now_ps);

/* Adds the time that the first due frame of the port has been overdue to its lost_ps. The owner
 * calls it before it sends: a frame whose arrival the kernel timed while the process was held up
 * has left the modelled port on time, but not the machine. */
void plane_count_late(struct plane *p, uint32_t port, int64_t now_ps);

/* The first due frame of a port is on the wire, or cannot be: its link is down. */
enum plane_fate { PLANE_SENT, PLANE_LOST };
void plane_done(struct plane *p, uint32_t port, enum plane_fate fate);

/* When the next frame is due; WEIR_TIME_NEVER_PS: nothing waits. */
int64_t plane_next_ps(const struct plane *p);

/* The port's plan from now on, which may differ in rate and in the marking's settings. -1: the
 * scheme has made something of these when it began, and they cannot change. */
int plane_change(struct plane *p, uint32_t port, const struct weir_port_plan *plan);

/* --- looking --- */

/* Of one that is not there only faults are counted, of frames that came in there and were to leave
 * here. */
struct plane_port *plane_port(struct plane *p, uint32_t port);
uint32_t plane_buffers_free(const struct plane *p);

uint64_t plane_marks(const struct plane_port *port);
uint64_t plane_drops(const struct plane_port *port);

/* The time up to which everything is done. */
int64_t plane_now_ps(const struct plane *p);

/* Lengths of queues over time are measured from here on, and what is counted is remembered in
 * since. */
void plane_measure(struct plane *p);

/* Accounts for the time up to the last plane_advance. */
void plane_account(struct plane *p);
#endif
