/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.h -- the real switch at run time: threads that receive, advance the plane and send.
 *
 * Ports are divided into groups, one per thread (real.threads). A group's thread does everything
 * for its ports: it alone reads their interfaces and touches their queues. A frame for a port of
 * another group goes through a lock-free ring. A thread processes frames in the order of the
 * kernel's receive timestamps over all its ports, at these times, so a thread that wakes late makes
 * the decisions that it would have made in time. A frame that is handed over too late for that
 * arrives when it is dequeued from the ring.
 *
 * Other threads may read or change ports only while all group threads are paused: see serve.h. */
#ifndef SWITCH_RUN_LOOP_H
#define SWITCH_RUN_LOOP_H
#include "switch/plane/plane.h"
#include "switch/run/probe.h"
#include "switch/run/settings.h"
#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>

/* --- handover rings ---
 *
 * Lock-free ring buffers, single producer and single consumer (SPSC). A full ring accepts no more;
 * the producer counts the frames that it drops. */

enum { HANDOVER_SLOTS = 512, HANDOVER_ALIGN = 64 };

/* A frame received at port in, with its parsed headers. */
struct handed {
	uint64_t ports; /* egress ports (bitmap); 0: no frame, but an announcement that facts.from
			   is behind in */
	int64_t time_ps;
	uint32_t in, length, needs_checksum;
	struct frame_facts facts;
	uint8_t data[];
};

struct handover {
	size_t slot_bytes;
	uint8_t *slots;
	_Alignas(HANDOVER_ALIGN) _Atomic uint32_t put; /* producer's count */
	_Alignas(HANDOVER_ALIGN) _Atomic uint32_t taken;
};

struct handover *handover_new(uint32_t frame_bytes);
void handover_free(struct handover *h);

/* Producer: a slot to fill, NULL: the ring is full; then publishes it. */
struct handed *handover_room(struct handover *h);
void handover_put(struct handover *h);

/* Consumer: the oldest frame, NULL: empty; then releases it. */
const struct handed *handover_first(struct handover *h);
void handover_take(struct handover *h);

/* --- threads and their ports --- */

/* An observer of departures, called by the thread that serves the port. */
struct loop_tap {
	void (*see)(void *context, uint32_t port, const struct plane_frame *frame,
		    int64_t start_ps); /* transmission starts at start_ps; NULL: no observer */
	void *context;
};

struct loop;

/* The ports of one thread. */
struct loop_group {
	_Alignas(HANDOVER_ALIGN) struct loop *loop;
	uint32_t number;
	uint64_t ports; /* bitmap */
	struct plane *plane;
	struct handover *from[REAL_THREADS_MAX]; /* incoming rings by producer group; NULL: none */
	uint64_t given; /* groups that received something in this turn (bitmap): to be woken */
	int64_t link_checked_ns;
	uint64_t turns;
	int is_full; /* the kernel's send buffer was full in the last turn */
	int wake_fd; /* eventfd, doorbell of this thread's rings; -1: only one thread */
	_Alignas(HANDOVER_ALIGN) _Atomic int sleeps; /* 1: producers must write to wake_fd */
};

struct loop {
	const struct switch_settings *settings;
	uint32_t group_count;
	struct loop_group *groups;
	uint8_t group_of[PLANE_PORTS_MAX];
	struct wire *wires[PLANE_PORTS_MAX]; /* NULL: internal link */
	int is_up[PLANE_PORTS_MAX];
	int64_t start_ns;      /* origin of the planes' time, by CLOCK_MONOTONIC */
	struct tuning *tuning; /* NULL: no tuning */
	struct records records;
	struct loop_tap tap;
};

/* Opens every interface; after -1 there is nothing to close. */
int loop_open(struct loop *l, const struct switch_settings *s, struct weir_error *e);
void loop_close(struct loop *l);

/* Current time of the planes. */
int64_t loop_now_ps(const struct loop *l);

/* --- a group's thread --- */

/* Receives everything up to now, advances the plane and sends what is due. */
void loop_turn(struct loop_group *g);

/* How long the group can sleep in nanoseconds unless a frame arrives; at most longest_ns. */
int64_t loop_idle_ns(const struct loop_group *g, int64_t longest_ns);

/* Additional descriptors to poll; those of the group are appended. */
struct loop_polled {
	struct pollfd all[PLANE_PORTS_MAX + 64];
	uint32_t count;
};

/* Sleeps until a frame arrives, another thread hands one over, a descriptor is ready or the time
 * has passed. */
void loop_wait(struct loop_group *g, struct loop_polled *p, int64_t ns);
void loop_wake(struct loop_group *g);

/* --- observation --- */

struct plane *loop_plane(const struct loop *l, uint32_t port);
struct plane_port *loop_port(const struct loop *l, uint32_t port);

/* Faults of frames received at a port, summed over all groups. */
uint64_t loop_faults(const struct loop *l, uint32_t port, enum plane_fault fault);

/* Frames received at the port that the receive ring had no slot for. */
uint64_t loop_lost_pkts(const struct loop *l, uint32_t port);

/* The time up to which all groups have run. */
int64_t loop_done_ps(const struct loop *l);

/* plane_measure and plane_account for every group. */
void loop_measure(struct loop *l);
void loop_account(struct loop *l);

/* --- tuning.c: switch.tune on a real switch ---
 *
 * The agent or tuner sets the thresholds of the switch's marking, as in scenarios. Every egress
 * queue has a meter around its marking scheme (lib/tune/meter.h). At the end of an interval the
 * meters are read and the agent is called for its queues in the order (port, queue). Its settings
 * take effect at once; an invalid one is ignored and counted. */

/* NULL: switch.tune is not set. Comes before the planes are built, whose port plans pass through
 * tuning_plan. */
struct tuning *tuning_new(const struct switch_settings *s);
void tuning_plan(struct tuning *t, uint32_t port, struct weir_port_plan *plan);
void tuning_free(struct tuning *t);

/* After the planes are built: the agent's initial settings take effect. This and the following
 * functions do nothing when t is NULL. */
int tuning_start(struct tuning *t, struct plane *plane, struct weir_error *e);

/* The plane has run up to now_ps: ends the interval if it is over. */
void tuning_advance(struct tuning *t, int64_t now_ps);

/* End of the current interval; WEIR_TIME_NEVER_PS: none. */
int64_t tuning_next_ps(const struct tuning *t);

/* The settings in force for a queue; 0: not tuned. */
int tuning_knobs(const struct tuning *t, uint32_t port, uint32_t queue, struct weir_tune_knobs *k);
uint64_t tuning_refused(const struct tuning *t);
#endif
