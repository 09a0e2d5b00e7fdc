/* SPDX-License-Identifier: BSD-3-Clause */
/* mark.h -- the door between a marking scheme and whoever owns the queue.
 *
 * A scheme sees a packet twice: before it joins the queue and when it leaves. Each time it answers
 * with a verdict; it never touches the packet, the clock, the heap or a file, and does not keep the
 * view. The owner turns WEIR_MARK_CE into a CE mark, or into a drop when the packet is not
 * ECN-capable, and counts which of the two happened and why.
 *
 * There is no clock to wake a scheme: what is due at a time it does when the next packet comes. */
#ifndef WEIR_MARK_H
#define WEIR_MARK_H
#include "weir/begin.h"
#include "weir/option.h"
#include "weir/sched.h"
#include "weir/scheme.h"
#include "weir/tune.h"

WEIR_BEGIN

/* A verdict is one of these three, plus the scheme's own reason: WEIR_MARK_CE |
 * weir_mark_reason(1). */
enum weir_mark_verdict {
	WEIR_MARK_PASS = 0,
	WEIR_MARK_CE = 1,
	WEIR_MARK_DROP = 2,
	WEIR_MARK_VERDICT_BITS = 2
};

enum { WEIR_MARK_REASONS = 4 };

static inline uint32_t weir_mark_reason(uint32_t index)
{
	return index << WEIR_MARK_VERDICT_BITS;
}

/* What the owner shows for one decision. Valid only during the call. Lengths never count the packet
 * itself: at enqueue they are what it finds, at dequeue what it leaves behind. The packet being
 * sent is in no queue. */
struct weir_mark_view {
	int64_t now_ns;
	int64_t sojourn_ns;           /* time in queue; 0 at enqueue */
	uint64_t rate_bps;            /* of the port */
	uint64_t shared_buffer_bytes; /* whole buffer pool of the switch; 0 where there is none */
	uint32_t packet_bytes;
	uint32_t flow_hash;
	uint32_t queue; /* index of the packet's queue in the port */
	uint32_t queue_bytes, queue_pkts;
	uint32_t port_bytes, port_pkts; /* all queues of the port */
	uint32_t turn; /* WEIR_MARK_NEEDS_ROUNDS, at dequeue: number of the scheduler's turn, see
			  sched.h */
	uint32_t ecn;  /* WEIR_PACKET_ECT and WEIR_PACKET_CE (packet.h), as far as set before */
};

/* What a scheme may know when it starts. */
struct weir_mark_env {
	uint64_t seed; /* this owner's own: use it for weir_rng_make with WEIR_RNG_MARKING */
	uint64_t rate_bps;
	int64_t rtt_ns;     /* of a full packet and its ACK over the longest path, nothing queued */
	uint32_t queues;    /* of the port */
	uint32_t queue;     /* the state's own; 0 where it is the port's */
	uint32_t mtu_bytes; /* largest frame */
	/* WEIR_MARK_NEEDS_ROUNDS: bytes that a turn gives each queue. */
	const uint64_t *quantum_bytes;
};

enum weir_mark_scope { WEIR_MARK_STATE_PER_QUEUE, WEIR_MARK_STATE_PER_PORT };

/* What a scheme asks of its owner, given its options. */
enum weir_mark_need {
	WEIR_MARK_NEEDS_SHARED_BUFFER = 1, /* v->shared_buffer_bytes must be exact */
	WEIR_MARK_NEEDS_ENQUEUE = 2,       /* a hook that is not needed would always pass: */
	WEIR_MARK_NEEDS_DEQUEUE = 4,       /* the owner may spare the call */
	WEIR_MARK_NEEDS_ROUNDS = 8, /* a scheduler whose queues take turns: v->turn must be right */
};

/* How a scheme that chooses queues itself wants its ports. */
struct weir_mark_layout {
	uint32_t queues;
	char scheduler[128]; /* spec, as in "sp-dwrr(priority-queues=1)" */
};

/* A number that a scheme lets others watch, such as its average queue. */
struct weir_mark_value {
	const char *name; /* "average"; NULL ends a table */
	const char *unit; /* "bytes", "pkts", "ns" or "" */
	/* NAN: with these options there is no such value. */
	double (*read)(const void *state, const void *params);
};

/* Of a scheme that marks by the line of struct weir_tune_knobs: it lets others turn them. Goes with
 * a state per queue. params are then a copy of that queue's own, which the scheme may write
 * into. */
struct weir_mark_knobs {
	/* Refuses options with which the scheme turns its knobs itself. NULL: none does. */
	int (*fits)(const void *params, struct weir_error *e);
	/* Those in force. */
	void (*read)(const void *state, const void *params, uint32_t mtu_bytes,
		     struct weir_tune_knobs *knobs);
	/* These are in force from now on; weir_tune_knobs_are_good. */
	void (*turn)(void *state, void *params, const struct weir_tune_knobs *knobs);
};

/* Hooks of the same names, for decisions that need no view, which costs more to make than many a
 * decision. Each may be NULL: then it is the other one that is called. Whoever wraps a scheme
 * leaves them out. */
struct weir_mark_fast_hooks {
	/* Do they say what the others would? NULL: with all options. */
	int (*suffice)(const void *params);
	uint32_t (*choose_queue)(void *state, const void *params, const struct weir_packet *packet,
				 int64_t now_ns, const struct weir_queue *queues);
	/* q: what the packet finds in its queue, and at dequeue what it leaves there. */
	uint32_t (*enqueue)(void *state, const void *params, const struct weir_packet *packet,
			    int64_t now_ns, const struct weir_queue *q);
	uint32_t (*dequeue)(void *state, const void *params, uint32_t queue,
			    const struct weir_queue *q);
};

struct weir_mark_ops {
	struct weir_scheme scheme;
	size_t state_size;
	enum weir_mark_scope scope; /* one state per queue or per port */
	/* Bits of enum weir_mark_need. NULL: the hooks that are there, and no pool. */
	uint32_t (*needs)(const void *params);
	const char *reasons[WEIR_MARK_REASONS]; /* names of the reasons the scheme gives */
	const struct weir_mark_value *values;   /* ends with .name == NULL; may be NULL: none */
	/* Bytes of a state, where options decide; a multiple of 8. NULL: state_size. */
	size_t (*size)(const void *params);
	/* The queues and the scheduler of every port; settings of these then have no say. Goes with
	 * choose_queue and a state per port. NULL: the scheme takes what is there. */
	void (*layout)(const void *params, struct weir_mark_layout *l);
	/* NULL: the zeroed state is the right one. */
	void (*init)(void *state, const void *params, const struct weir_mark_env *env);
	/* The enqueue hook passes every packet that finds less than this in its port, and does not
	 * need to see it: the owner may spare the call. A length in bytes or in packets
	 * (WEIR_OPT_LENGTH). NULL: the hook wants to see every packet. */
	uint64_t (*quiet_below)(const void *params);
	/* 1: the dequeue hook passes every packet that finds its port empty and the line free, and
	 * does not need to see it: the owner may spare the call. NULL: the hook wants to see every
	 * packet. */
	int (*passes_idle)(const void *params);
	/* The queue for a packet that has come; v->queue is the one of its class, whose lengths v
	 * shows. It may still be refused, or sent without waiting. NULL: by class. */
	uint32_t (*choose_queue)(void *state, const void *params, const struct weir_mark_view *v,
				 const struct weir_queue *queues);
	/* Either may be NULL: always WEIR_MARK_PASS. Return a verdict with its reason. */
	uint32_t (*enqueue)(void *state, const void *params, const struct weir_mark_view *v);
	uint32_t (*dequeue)(void *state, const void *params, const struct weir_mark_view *v);
	const struct weir_mark_knobs *knobs;           /* NULL: it has none */
	const struct weir_mark_fast_hooks *fast_hooks; /* likewise */
};

static inline uint32_t weir_mark_needs(const struct weir_mark_ops *ops, const void *params)
{
	uint32_t needs = 0;

	if (ops->needs)
		return ops->needs(params);
	if (ops->enqueue)
		needs |= WEIR_MARK_NEEDS_ENQUEUE;
	if (ops->dequeue)
		needs |= WEIR_MARK_NEEDS_DEQUEUE;
	return needs;
}

static inline size_t weir_mark_state_size(const struct weir_mark_ops *ops, const void *params)
{
	return ops->size ? ops->size(params) : ops->state_size;
}

extern const struct weir_mark_ops *const weir_mark_all[]; /* ends with NULL */

const struct weir_mark_ops *weir_mark_find(const char *name);

/* Reads "red(min=5KB, p=1%)" into ops and params (WEIR_SPEC_PARAMS_MAX bytes, 8-aligned). */
int weir_mark_parse(const char *spec, const struct weir_mark_ops **ops, void *params,
		    struct weir_error *e);

WEIR_END
#endif
