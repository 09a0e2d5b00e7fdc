/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.h -- a real switch at work: threads that read wires, advance the plane and send.
 *
 * Ports are divided into groups, one for each of real.threads. A group's thread does everything for
 * its ports: it reads their wires, and only it touches their queues. A frame that leaves by a port
 * of another group is handed over through a ring. A thread processes frames in the order of the
 * kernel's receive timestamps, over all ports of its group, at the times of these; a thread that
 * wakes late so takes the decisions that it would have taken in time. A frame that is handed over
 * too late for that arrives when it is taken.
 *
 * Other threads may look at ports or change them only while no group's thread works: see serve.h.
 */
#ifndef SWITCH_RUN_LOOP_H
#define SWITCH_RUN_LOOP_H
#include "switch/plane/plane.h"
#include "switch/run/probe.h"
#include "switch/run/settings.h"
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>

/* --- frames from one thread to another ---
 *
 * A lock-free ring with one producer and one consumer. A full ring accepts no more; the producer
 * counts the frames that it drops. */

enum { HANDOVER_SLOTS = 512, HANDOVER_ALIGN = 64 };

/* A frame that came in at port in, and what is known of it. */
struct handed {
	uint64_t ports; /* that it leaves by, bit each; 0: no frame, but facts.from is behind in */
	int64_t time_ps;
	uint32_t in, length, lacks_sum;
	struct frame_facts facts;
	uint8_t data[];
};

struct handover {
	size_t slot_bytes;
	uint8_t *slots;
	_Alignas(HANDOVER_ALIGN) _Atomic uint32_t put; /* so far; the giver writes it */
	_Alignas(HANDOVER_ALIGN) _Atomic uint32_t taken;
};

struct handover *handover_new(uint32_t frame_bytes);
void handover_free(struct handover *h);

/* The giver's: a place to fill, NULL: there is none; what was filled is there. */
struct handed *handover_room(struct handover *h);
void handover_put(struct handover *h);

/* The taker's: what is there, NULL: nothing; it was taken. */
const struct handed *handover_first(struct handover *h);
void handover_take(struct handover *h);

/* --- threads and their ports --- */

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
	int64_t link_checked_ns;
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

/* --- tuning.c: switch.tune on a real switch ---
 *
 * The agent or tuner of scenarios sets the thresholds of the switch's marking. Every egress queue
 * has a meter around its marking scheme (lib/tune/meter.h). When an interval ends the meters are
 * read and the agent is called, with its queues in the order (port, queue). Its settings are in
 * force at once; an invalid one is ignored and counted. */

/* NULL: switch.tune asks for none. Before the plane is made, whose ports' plans go through
 * tuning_plan. */
struct tuning *tuning_new(const struct switch_settings *s);
void tuning_plan(struct tuning *t, uint32_t port, struct weir_port_plan *plan);
void tuning_free(struct tuning *t);

/* The plane is made: the agent says what the first interval begins with. Does nothing where t is
 * NULL, as all of the following. */
int tuning_begin(struct tuning *t, struct plane *plane, struct weir_error *e);

/* Everything up to now_ps is done: ends the interval if it is over. */
void tuning_work(struct tuning *t, int64_t now_ps);

/* When the interval is over; WEIR_TIME_NEVER_PS: there are none. */
int64_t tuning_next_ps(const struct tuning *t);

/* The knobs of a queue in force; 0: nobody turns them. */
int tuning_knobs(const struct tuning *t, uint32_t port, uint32_t queue, struct weir_tune_knobs *k);
uint64_t tuning_refused(const struct tuning *t);
#endif
