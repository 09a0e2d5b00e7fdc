/* SPDX-License-Identifier: BSD-3-Clause */
/* mark.h -- interface of marking schemes (AQM): for each packet a verdict at enqueue and at
 * dequeue.
 *
 * The port that owns the queue (weir/port.h) calls the hooks, from the one thread that works on it.
 * A scheme never touches the packet, clocks, the heap or files, and does not keep the view. The
 * port applies the verdict: WEIR_MARK_CE becomes a CE mark, or a drop where the packet is not
 * ECN-capable, and each outcome is counted with its reason. Integer arithmetic only: hooks run per
 * packet.
 *
 * Schemes have no timers: an action that is due runs when the next packet arrives or leaves. */
#ifndef WEIR_MARK_H
#define WEIR_MARK_H
#include "weir/begin.h"
#include "weir/option.h"
#include "weir/sched.h"
#include "weir/scheme.h"
#include "weir/tune.h"

WEIR_BEGIN

/* A verdict is one of these three with the scheme's reason: WEIR_MARK_CE | weir_mark_reason(1). */
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

/* The input of one decision, valid during the call. Lengths exclude the packet itself: at enqueue
 * they are what it finds, at dequeue what it leaves behind. The packet on the wire is in no
 * queue. */
struct weir_mark_view {
	int64_t now_ns;
	int64_t sojourn_ns;           /* time in queue; 0 at enqueue */
	uint64_t rate_bps;            /* of the port */
	uint64_t shared_buffer_bytes; /* fill of the shared buffer; 0: there is none */
	uint32_t packet_bytes;
	uint32_t flow_hash;
	uint32_t queue; /* index of the packet's queue in the port */
	uint32_t queue_bytes, queue_pkts;
	uint32_t port_bytes, port_pkts; /* all queues of the port */
	uint32_t turn; /* with WEIR_MARK_NEEDS_ROUNDS, at dequeue: the scheduler's turn (sched.h) */
	uint32_t ecn;  /* WEIR_PACKET_ECT and WEIR_PACKET_CE (packet.h) before this decision */
};

/* The environment of a state, for init. */
struct weir_mark_env {
	uint64_t seed; /* of this state alone, for weir_rng_make with WEIR_RNG_MARKING */
	uint64_t rate_bps;
	int64_t rtt_ns;     /* base round trip of a full packet and its ACK over the longest path */
	uint32_t queues;    /* of the port */
	uint32_t queue;     /* of a state per queue; 0 for a state per port */
	uint32_t mtu_bytes; /* largest frame */
	/* With WEIR_MARK_NEEDS_ROUNDS: each queue's quantum. */
	const uint64_t *quantum_bytes;
};

enum weir_mark_scope { WEIR_MARK_STATE_PER_QUEUE, WEIR_MARK_STATE_PER_PORT };

/* What a scheme needs from the port, given its options. */
enum weir_mark_need {
	WEIR_MARK_NEEDS_SHARED_BUFFER = 1, /* v->shared_buffer_bytes must be exact */
	WEIR_MARK_NEEDS_ENQUEUE = 2,       /* hooks that are not needed always pass, */
	WEIR_MARK_NEEDS_DEQUEUE = 4,       /* so the port may skip the call */
	WEIR_MARK_NEEDS_ROUNDS = 8,        /* a round-robin scheduler; v->turn must be valid */
};

/* The ports of a scheme that assigns packets to queues itself. */
struct weir_mark_layout {
	uint32_t queues;
	char scheduler[128]; /* spec, as in "sp-dwrr(priority-queues=1)" */
};

/* A value that a scheme publishes for probes, such as its average queue. */
struct weir_mark_value {
	const char *name; /* "average"; NULL ends a table */
	const char *unit; /* "bytes", "pkts", "ns" or "" */
	/* NAN: undefined with these options. */
	double (*read)(const void *state, const void *params);
};

/* For schemes that mark by the line of struct weir_tune_knobs: lets tuners and agents change it at
 * run time. Requires a state per queue; params are then that queue's own copy, which the scheme may
 * modify. */
struct weir_mark_knobs {
	/* Refuses options with which the scheme tunes itself. NULL: none does. */
	int (*fits)(const void *params, struct weir_error *e);
	/* The knobs in force. */
	void (*read)(const void *state, const void *params, uint32_t mtu_bytes,
		     struct weir_tune_knobs *knobs);
	/* Puts knobs into force; they satisfy weir_tune_knobs_are_good. */
	void (*apply)(void *state, void *params, const struct weir_tune_knobs *knobs);
};

/* Fast hooks: the same decisions taken from packet and queue directly. Building a view can cost
 * more than the decision. NULL: the hook of the same name in struct weir_mark_ops is called.
 * Wrappers of a scheme omit them. */
struct weir_mark_fast_hooks {
	/* Do they decide like the full hooks with these options? NULL: with all options. */
	int (*suffice)(const void *params);
	uint32_t (*choose_queue)(void *state, const void *params, const struct weir_packet *packet,
				 int64_t now_ns, const struct weir_queue *queues);
	/* q: what the packet finds in its queue, at dequeue what it leaves behind. */
	uint32_t (*enqueue)(void *state, const void *params, const struct weir_packet *packet,
			    int64_t now_ns, const struct weir_queue *q);
	uint32_t (*dequeue)(void *state, const void *params, uint32_t queue,
			    const struct weir_queue *q);
};

struct weir_mark_ops {
	struct weir_scheme scheme;
	size_t state_size;
	enum weir_mark_scope scope; /* one state per queue or per port */
	/* Bits of enum weir_mark_need. NULL: the hooks that are not NULL. */
	uint32_t (*needs)(const void *params);
	const char *reasons[WEIR_MARK_REASONS]; /* names of the reasons the scheme gives */
	const struct weir_mark_value *values;   /* ends with .name == NULL; NULL: none */
	/* Bytes of a state, if they depend on options; a multiple of 8. NULL: state_size. */
	size_t (*size)(const void *params);
	/* The queues and scheduler of every port, in place of the settings. Requires choose_queue
	 * and a state per port. NULL: the settings decide. */
	void (*layout)(const void *params, struct weir_mark_layout *l);
	/* The state is zeroed before. NULL: zeros are valid. */
	void (*init)(void *state, const void *params, const struct weir_mark_env *env);
	/* The enqueue hook passes every packet that finds less than this in its port and has no
	 * side effect then, so the port may skip the call. A WEIR_OPT_LENGTH. NULL: never skipped.
	 */
	uint64_t (*quiet_below)(const void *params);
	/* 1: the dequeue hook passes every packet that finds its port empty and the line free, and
	 * has no side effect then, so the port may skip the call. NULL: never skipped. */
	int (*passes_idle)(const void *params);
	/* The queue of an arriving packet; v->queue and the lengths in v are those of its class.
	 * The packet may still be refused, or sent at once. NULL: the queue of its class. */
	uint32_t (*choose_queue)(void *state, const void *params, const struct weir_mark_view *v,
				 const struct weir_queue *queues);
	/* Return a verdict with its reason. NULL: always WEIR_MARK_PASS. */
	uint32_t (*enqueue)(void *state, const void *params, const struct weir_mark_view *v);
	uint32_t (*dequeue)(void *state, const void *params, const struct weir_mark_view *v);
	const struct weir_mark_knobs *knobs;           /* NULL: cannot be tuned */
	const struct weir_mark_fast_hooks *fast_hooks; /* NULL: none */
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

/* Parses "red(min=5KB, p=1%)" into ops and params (WEIR_SPEC_PARAMS_MAX bytes, 8-aligned). -1 with
 * a message. */
int weir_mark_parse(const char *spec, const struct weir_mark_ops **ops, void *params,
		    struct weir_error *e);

WEIR_END
#endif
