/* SPDX-License-Identifier: BSD-3-Clause */
/* plane.h -- the data plane of the user-space switch, independent of clocks and network interfaces:
 * frames and timestamps in, frames and timestamps out.
 *
 * The owner reports each frame with its ingress port and arrival time. The plane parses it
 * (frame.h), looks up the egress ports (plane_make.c) and enqueues it at the library's port
 * (weir/port.h): the same object code decides here and in the simulator about queueing, marking and
 * dropping. A transmitted packet occupies the link for its serialisation delay, then the port's
 * configured delay passes; at that time, its due time, the owner sends the frame on the real
 * interface.
 *
 * Times are the owner's, in picoseconds, and never decrease: an arrival that is older than the work
 * already done is processed at the current time. Departures are computed from the time the link
 * became free, even if the owner calls late, but at most catch_up_ps in the past, so that a process
 * that was descheduled sends no burst.
 *
 * A plane may hold several switches with internal links between them: a port with a peer is one end
 * of such a link, and a frame due there arrives at the peer at exactly that time, without the
 * owner. Each switch has its own forwarding table and its own shared buffer.
 *
 * A switch may also be divided among several planes, one thread each: every plane knows all ports
 * but serves only its own. Frames for ports of another plane and learned addresses are passed
 * through struct plane_others.
 *
 * All memory is allocated at construction. Frames wait in fixed-size buffers; when none is free a
 * frame is dropped and counted. */
#ifndef SWITCH_PLANE_PLANE_H
#define SWITCH_PLANE_PLANE_H
#include <stdint.h>
#include "switch/plane/frame.h"
#include "weir/port_inline.h"

enum { PLANE_PORTS_MAX = 64, PLANE_NAME_SIZE = 64, PLANE_DSCPS = 64 };

/* Why a received frame was not enqueued at any port. */
enum plane_fault {
	PLANE_MALFORMED,
	PLANE_OVERSIZE,  /* longer than the MTU */
	PLANE_POOL_FULL, /* no frame buffer was free */
	PLANE_NOWHERE,   /* destination behind the ingress port, link-local, or unknown and not
			    flooded */
	PLANE_NOT_GIVEN, /* the plane that serves the egress port did not accept it */
	PLANE_FAULTS,
};

extern const char *const plane_fault_names[PLANE_FAULTS];

enum plane_unknown { PLANE_UNKNOWN_FLOOD, PLANE_UNKNOWN_DROP };

struct plane_port_plan {
	const char *name;
	struct weir_port_plan plan; /* what it points at must outlive the plane */
	int64_t delay_ps;           /* from the end of serialisation to the due time */
	uint32_t part;              /* index of the switch it belongs to, from 0 */
	uint32_t peer_plus_one;     /* 0: a network interface; else the port at the other end of an
				       internal link */
};

struct plane_arrival;

/* Callbacks to the planes that serve the other ports. */
struct plane_others {
	void *context;
	/* Passes a frame received at port in to the planes that serve these ports (bitmap). Returns
	 * for how many ports that failed. */
	uint32_t (*hand_over)(void *context, uint64_t ports, uint32_t in,
			      const struct plane_arrival *a, const struct frame_facts *f);
	/* Announces that the address is now behind the port. -1: some plane could not be
	 * informed. */
	int (*announce)(void *context, uint64_t address, uint32_t port, int64_t now_ps);
};

struct plane_plan {
	uint64_t seed;
	uint32_t port_count;
	const struct plane_port_plan *ports;
	uint32_t buffers;
	uint32_t mtu_bytes; /* MTU: what follows the addresses, tags and EtherType */
	int learns;
	enum plane_unknown unknown;
	int64_t age_ps;
	int64_t catch_up_ps;
	int shared_buffer; /* the ports of a switch share one buffer: WEIR_BUFFER_PER_SWITCH */
	uint8_t class_of_dscp[PLANE_DSCPS];
	uint64_t own; /* bitmap of the ports this plane serves; 0: all */
	struct plane_others others;
};

struct plane_counts {
	uint64_t rx_pkts, rx_bytes;
	uint64_t rx_ce; /* of these, arrived with CE */
	uint64_t sent_pkts, sent_bytes;
	int64_t lost_ps; /* delay beyond catch_up_ps that packets waited for the process, not for
			    the link */
	uint64_t faults[PLANE_FAULTS]; /* of frames received at this port */
};

/* Counters at the start of the measurement interval. */
struct plane_since {
	int64_t time_ps;
	uint64_t tx_pkts, tx_bytes, marks, drops;
};

struct plane_port {
	char name[PLANE_NAME_SIZE];
	struct weir_port *port; /* NULL: not served by this plane */
	struct weir_port_plan plan;
	struct weir_port_class class;
	struct weir_port_stats stats;
	struct plane_counts counts;
	struct plane_since since;
	_Alignas(8) unsigned char mark_params[WEIR_SPEC_PARAMS_MAX]; /* marking parameters in use
									after plane_change */
	int64_t delay_ps;
	uint32_t part, peer_plus_one;
	uint32_t inflight_first, inflight_last; /* in-flight queue: buffers in order of due time */
	int64_t late_until_ps; /* lateness up to here is included in counts.lost_ps */
};

/* A frame in a buffer. */
struct plane_frame {
	int64_t due_ps;
	uint32_t next;
	uint32_t length;
	uint8_t data[];
};

struct plane;

struct plane *plane_new(const struct plane_plan *plan);
void plane_free(struct plane *p);

/* Adds a static address behind the port, in the forwarding table of the port's switch. Called for
 * several ports, flows are hashed among them. -1: the table is full. */
int plane_add_address(struct plane *p, uint64_t address, uint32_t port);

/* A received frame. */
struct plane_arrival {
	const uint8_t *frame;
	uint32_t length;
	uint32_t needs_checksum; /* 1: the sender left the TCP or UDP checksum to NIC offload */
	int64_t time_ps;
};

void plane_receive(struct plane *p, uint32_t port, const struct plane_arrival *a);

/* The receiving side of plane_others: a frame or an announcement of another plane, with the time at
 * which it arrived there. */
void plane_receive_handed(struct plane *p, uint64_t ports, uint32_t in,
			  const struct plane_arrival *a, const struct frame_facts *f);
void plane_learn(struct plane *p, uint64_t address, uint32_t port, int64_t time_ps);

/* Counts a frame that was truncated on reception because it exceeds any allowed length. */
void plane_drop_oversize(struct plane *p, uint32_t port, uint32_t length);

/* All frames up to now_ps have been reported: runs every port up to then. */
void plane_advance(struct plane *p, int64_t now_ps);

/* The first frame due on the port, NULL: none. Valid until plane_done. */
const struct plane_frame *plane_due(const struct plane *p, uint32_t port, int64_t now_ps);

/* The next frame in the same in-flight queue, if it is due too. */
const struct plane_frame *plane_due_next(const struct plane *p, const struct plane_frame *f,
					 int64_t now_ps);

/* Adds to lost_ps how long the port's first due frame has been overdue. The owner calls it before
 * sending: when the process was descheduled, frames with kernel timestamps leave the modelled port
 * on time, but not the machine. */
void plane_count_late(struct plane *p, uint32_t port, int64_t now_ps);

/* Removes the port's first due frame: it was sent, or cannot be because the interface is down. */
enum plane_fate { PLANE_SENT, PLANE_LOST };
void plane_done(struct plane *p, uint32_t port, enum plane_fate fate);

/* Earliest due time; WEIR_TIME_NEVER_PS: nothing is queued. */
int64_t plane_next_ps(const struct plane *p);

/* Replaces the port's plan at run time: rate and marking parameters may differ. -1: the scheme
 * derived state from the parameters at initialisation and cannot accept new ones. */
int plane_change(struct plane *p, uint32_t port, const struct weir_port_plan *plan);

/* --- observation --- */

/* For a port of another plane only the faults of frames received there are counted. */
struct plane_port *plane_port(struct plane *p, uint32_t port);
uint32_t plane_buffers_free(const struct plane *p);

uint64_t plane_marks(const struct plane_port *port);
uint64_t plane_drops(const struct plane_port *port);

/* The time up to which the plane has run. */
int64_t plane_now_ps(const struct plane *p);

/* Restarts the measurement interval: queue statistics start anew, and counters are saved in
 * since. */
void plane_measure(struct plane *p);

/* Brings queue statistics up to the last plane_advance. */
void plane_account(struct plane *p);
#endif
