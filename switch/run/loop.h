/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.h -- a real switch at work: threads that read wires, move the plane on and send.
 *
 * Ports are divided into groups, one for each of real.threads, and a thread does all that its
 * group's ports need: it reads their wires, and it alone touches their queues. What leaves by a
 * port of another group is handed over (handover.h). Frames are worked on in the order in which the
 * kernel saw them come, over all ports of the group, at the times that it wrote down; so a thread
 * that wakes late decides what it would have decided in time. One that is handed over too late for
 * that comes when it is taken.
 *
 * Whoever looks at ports or changes them does so while no thread works but its own: see
 * helpers.h. */
#ifndef SWITCH_RUN_LOOP_H
#define SWITCH_RUN_LOOP_H
#include "switch/run/handover.h"
#include "switch/run/record.h"
#include "switch/run/tuning.h"
#include <poll.h>

/* Who wants to see what leaves a port, when it has; called by the thread of that port. */
struct loop_tap {
	void (*see)(void *context, uint32_t port, const struct plane_frame *frame,
		    int64_t start_ps); /* on the line; NULL: nobody does */
	void *context;
};

struct loop;

/* The ports of a thread. */
struct loop_group {
	_Alignas(HANDOVER_ALIGN) struct loop *loop;
	uint32_t number;
	uint64_t ports; /* bit each */
	struct plane *plane;
	struct handover *from[REAL_THREADS_MAX]; /* other groups; NULL: itself, or there is none */
	uint64_t given; /* groups that were given something in this turn, bit each */
	int64_t mended_ns;
	uint64_t turns;
	int is_full; /* in the last turn the kernel had no room for some frame that was due */
	int wake_fd; /* an eventfd; -1: there is one thread */
	_Alignas(HANDOVER_ALIGN) _Atomic int sleeps; /* others write to wake_fd */
};

struct loop {
	const struct switch_settings *settings;
	uint32_t group_count;
	struct loop_group *groups;
	uint8_t group_of[PLANE_PORTS_MAX];
	struct wire *wires[PLANE_PORTS_MAX]; /* NULL: a cable inside */
	int is_up[PLANE_PORTS_MAX];
	int64_t start_ns;      /* by CLOCK_MONOTONIC: time 0 of the planes */
	struct tuning *tuning; /* NULL: nobody turns knobs */
	struct records records;
	struct loop_tap tap;
};

/* Opens every wire; on -1 nothing is left to close. */
int loop_open(struct loop *l, const struct switch_settings *s, struct weir_error *e);
void loop_close(struct loop *l);

/* The time of the planes now. */
int64_t loop_now_ps(const struct loop *l);

/* --- a group's thread --- */

/* Reads what came up to now, moves the plane on and sends what is due. */
void loop_turn(struct loop_group *g);

/* How long the group has nothing to do, in nanoseconds, unless a frame comes; at most
 * longest_ns. */
int64_t loop_idle_ns(const struct loop_group *g, int64_t longest_ns);

/* Descriptors to wait for besides those of the group, which are put behind them. */
struct loop_polled {
	struct pollfd all[PLANE_PORTS_MAX + 64];
	uint32_t count;
};

/* Waits until a frame comes, somebody hands one over, one of the descriptors is ready, or that time
 * has passed. */
void loop_wait(struct loop_group *g, struct loop_polled *p, int64_t ns);
void loop_wake(struct loop_group *g);

/* --- looking --- */

struct plane *loop_plane(const struct loop *l, uint32_t port);
struct plane_port *loop_port(const struct loop *l, uint32_t port);

/* Of frames that came in at a port, in whatever thread. */
uint64_t loop_faults(const struct loop *l, uint32_t port, enum plane_fault fault);

/* Frames that came in at that port while its ring had no room. */
uint64_t loop_lost_pkts(const struct loop *l, uint32_t port);

/* The time up to which everything is done. */
int64_t loop_done_ps(const struct loop *l);

/* plane_measure and plane_account of all. */
void loop_measure(struct loop *l);
void loop_account(struct loop *l);
#endif
