/* loop.h -- a real switch at work: one thread that reads all wires, moves the plane on and sends.
 *
 * It sleeps until a frame comes or the next one is due. Frames are worked on in the order in which the
 * kernel saw them come, over all ports, at the times that it wrote down; so a thread that wakes late decides
 * what it would have decided in time. */
#ifndef SWITCH_RUN_LOOP_H
#define SWITCH_RUN_LOOP_H
#include "switch/run/record.h"
#include "switch/run/tuning.h"

/* Who wants to see what leaves a port, when it has. */
struct loop_tap {
	void (*see)(void *context, uint32_t port, const struct plane_frame *frame,
		    int64_t start_ps); /* on the line; NULL: nobody does */
	void *context;
};

struct loop {
	const struct switch_settings *settings;
	struct plane *plane;
	struct wire *wires[PLANE_PORTS_MAX]; /* NULL: a cable inside */
	int is_up[PLANE_PORTS_MAX];
	int64_t start_ns; /* by CLOCK_MONOTONIC: time 0 of the plane */
	int64_t mended_ns;
	struct tuning *tuning; /* NULL: nobody turns knobs */
	struct records records;
	struct loop_tap tap;
	uint64_t turns;
	int is_full; /* in the last turn the kernel had no room for some frame that was due */
};

/* Opens every wire; on -1 nothing is left to close. */
int loop_open(struct loop *l, const struct switch_settings *s, struct weir_error *e);
void loop_close(struct loop *l);

/* The time of the plane now. */
int64_t loop_now_ps(const struct loop *l);

/* Reads what came up to now, moves the plane on and sends what is due. */
void loop_turn(struct loop *l);

/* Frames that came in at that port while its ring had no room. */
uint64_t loop_lost_pkts(const struct loop *l, uint32_t port);

/* How long there is nothing to do, in nanoseconds, unless a frame comes; at most longest_ns. */
int64_t loop_idle_ns(const struct loop *l, int64_t longest_ns);
#endif
