/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.h -- a tuner inside a marking scheme: collects telemetry, calls the tuner, applies its
 * knobs.
 *
 * The scheme reports every arrival at a queue and nothing else: there is no timer, and departures
 * are not reported. Intervals that ended since the last arrival are caught up before the next one
 * is processed, with the same result as if they had been processed in time:
 *
 *	if (tune_loop_is_due(&s->loop, v->now_ns))
 *		weir_tune_loop_catch_up(&s->loop, &plan, &s->tuner, &arrival);
 *	tune_loop_arrive(&s->loop, &arrival);
 *
 * Bytes sent in an interval: those that arrived, plus those queued when it began, minus those left.
 *
 * The queue between two arrivals is known from what the first left behind (what it found and
 * itself) and what the second finds. Nothing came in, so the queue fell: in a line from one to the
 * other, or, where the second finds nothing, at the rate of the line until it was empty, and empty
 * from then on. With one queue on the line that is exact but for whole packets: a packet leaves the
 * queue at once when its sending begins, not byte by byte. So both lengths are off by less than one
 * packet, and so is the mean. A queue that shares the line with others and runs empty before the
 * next arrival may have done so later than at the line's rate; the mean is then too small. A packet
 * that is dropped after the scheme has seen it (it marks a packet that is not ECN-capable) is taken
 * for sent.
 *
 * A switch's own processor is slow to read and to write (PRED, appendix C.2). Intervals follow each
 * other without a gap; at the end of one the registers are read, which takes read_delay, then the
 * tuner decides, and its knobs are in force write_delay later. So an interval begins under the old
 * knobs where there are delays. Both together are at most one interval. */
#ifndef TUNE_LOOP_H
#define TUNE_LOOP_H
#include "weir/compiler.h"
#include "weir/rng.h"
#include "weir/tune.h"

/* Intervals in nanoseconds; telemetry that fits 64 bits is why there is a longest. */
#define TUNE_INTERVAL_MIN_NS UINT64_C(1000)
#define TUNE_INTERVAL_MAX_NS UINT64_C(1000000000)

struct tune_loop {
	int64_t due_ns;       /* the next thing to do: an interval's end, or knobs to be applied */
	int64_t last_ns;      /* the queue is accounted for up to here */
	uint64_t queue_bytes; /* that it held then */
	uint64_t area;        /* twice the queue's integral over the interval so far, in byte ns */
	uint64_t in_bytes;    /* that came in the interval so far */
	uint64_t ns_per_byte_q32;
	uint64_t max_bytes;
	uint64_t marked_pkts;
	struct weir_tune_knobs knobs; /* in force */
	struct weir_tune_knobs asked; /* by the tuner; in force from apply_ns on */
	int64_t apply_ns;             /* TUNE_NEVER: they are */
	int64_t end_ns;               /* of the interval */
	int64_t interval_ns;
	uint64_t begin_bytes; /* queued when the interval began */
	uint64_t rate_bps;
	struct weir_rng rng; /* for delays */
	uint32_t mtu_bytes;
	uint32_t flows;      /* set by the scheme */
	uint32_t idle_steps; /* consecutive idle intervals; saturates above two periods */
	uint32_t unused;
};

#define TUNE_NEVER INT64_MAX

/* Shared by all queues. */
struct tune_plan {
	const struct weir_tune_ops *ops;
	const void *params;
	struct weir_span_ps read_delay, write_delay; /* drawn anew for each interval */
};

struct tune_env {
	uint64_t seed;
	uint64_t rate_bps;
	uint64_t interval_ns; /* clamped to the range above */
	uint32_t mtu_bytes;
};

struct tune_arrival {
	int64_t now_ns;
	uint32_t queue_bytes; /* found by the packet */
	uint32_t packet_bytes;
};

/* The first interval begins at time 0, with these knobs. */
void weir_tune_loop_init(struct tune_loop *l, const struct tune_plan *plan, void *tuner,
			 const struct tune_env *env, const struct weir_tune_knobs *knobs);

static inline int tune_loop_is_due(const struct tune_loop *l, int64_t now_ns)
{
	return now_ns >= l->due_ns;
}

/* Processes everything due by the time of the arrival. Of idle intervals at most three periods (see
 * idle_steps) are processed one by one, however long the line was idle. */
void weir_tune_loop_catch_up(struct tune_loop *l, const struct tune_plan *plan, void *tuner,
			     const struct tune_arrival *a);

/* Time in which the queue drains at the line's rate. */
static inline int64_t tune_loop_fall_ns(const struct tune_loop *l)
{
	return (int64_t)((weir_u128)l->queue_bytes * l->ns_per_byte_q32 >> 32);
}

/* Accounts for an arrival; nothing is due. Lengths are below 2^32 and a packet and intervals at
 * most 10^9 ns, so that twice the area stays below 2^63.1. */
static inline void tune_loop_arrive(struct tune_loop *l, const struct tune_arrival *a)
{
	int64_t ns = a->now_ns - l->last_ns;
	uint64_t length = a->queue_bytes;

	if (length == 0) {
		int64_t fall_ns = tune_loop_fall_ns(l);

		ns = fall_ns < ns ? fall_ns : ns;
	}
	l->area += (l->queue_bytes + length) * (uint64_t)ns;
	length += a->packet_bytes;
	l->last_ns = a->now_ns;
	l->queue_bytes = length;
	l->in_bytes += a->packet_bytes;
	if (length > l->max_bytes)
		l->max_bytes = length;
}

/* The packet that has just arrived is marked. */
static inline void tune_loop_mark(struct tune_loop *l)
{
	l->marked_pkts++;
}
#endif
