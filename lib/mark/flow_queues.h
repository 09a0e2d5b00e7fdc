/* SPDX-License-Identifier: BSD-3-Clause */
/* flow_queues.h -- a queue of its own for each active flow of a port, as far as there are queues.
 *
 * Huang et al., "DiffECN: Differential ECN Marking for Datacenter Networks", ToN 2024, section
 * IV-B, the queue mapping unit; lines 1-24 of its Algorithm 1. A flow is active while packets of it
 * wait. A new one has the empty queue of the smallest number. Where none is empty it goes to queue
 * 0, which is served before all others, and each further packet of it looks for an empty queue
 * again; what has gone that way is limited, and beyond the limit the flow joins the shortest queue.
 *
 * For schemes that choose queues (mark.h): weir_flow_queues_layout for the layout hook,
 * flow_queues_choose for choose_queue, flow_queues_leave first of all in dequeue.
 *
 * Flows are told apart by their place in a map of 512 entries a queue, which their hash names;
 * those that meet there are one flow. Of as many flows as queues a new one meets another with a
 * chance of at most 1/512.
 *
 * What the paper leaves open:
 * - The queues of a port include queue 0, and so does the number that caps N of equation (2).
 * - Its example (Fig. 8) lets two packets pass under a limit of two, while line 8 of Algorithm 1
 *   read with the packets before this one would let three: a packet counts itself.
 * - An empty queue is taken whatever has passed: beyond the limit it is the shortest.
 *
 * - In a queue that flows share, silence is that of all of them: a time is kept for each queue.
 *
 * Reading: the paper says twice when a queue is free. Section IV-B resets it with its last packet;
 * section VII-B has it stay its flow's, though empty, until that was silent for T_period, and has
 * only what comes later be a new flow. VII-B is the rule here (release=silent), because it says
 * what the period is for; by IV-B (release=drained) a flow whose packets come one by one may change
 * its queue with each of them. By either a flow is active, and counts, while packets of it wait.
 *
 * Differs: by release=drained a flow in queue 0 would be new after nearly every packet: served
 * first, queue 0 is almost always empty, and no flow would ever meet the limit. There a flow's
 * place, with what has passed, stays by VII-B's rule with both. */
#ifndef MARK_FLOW_QUEUES_H
#define MARK_FLOW_QUEUES_H
#include "base/compiler.h"
#include "weir/mark.h"
#include "weir/rng.h"
#include "weir/units.h"

enum {
	FLOW_QUEUES_MIN = 8,
	FLOW_MAP_PER_QUEUE = 512,
	FLOW_QUEUE_PRIORITY = 0, /* the queue that is served first */
	FLOW_PASSED_BITS = 24,
	FLOW_EMPTY_WORDS = WEIR_QUEUES_MAX / 64,
	FLOW_NO_QUEUE = WEIR_QUEUES_MAX,
};

/* Options that every scheme with these queues has. The first member of its params. */
struct flow_queues_params {
	uint64_t queues;
	uint64_t pass_limit; /* WEIR_OPT_LENGTH */
	uint64_t quantum_bytes;
	uint64_t rtt_ns, period_ns;
	uint64_t lambda_q32;
	uint64_t release; /* enum flow_release */
};

enum flow_release { FLOW_RELEASE_SILENT, FLOW_RELEASE_DRAINED };

extern const char *const weir_flow_releases[];

enum { PASS_LIMIT_MAX = 10 * 1000 * 1000, PASS_LIMIT_MAX_PKTS = 1000 };

#define FLOW_LAMBDA_MAX_Q32 (10 * WEIR_ONE_Q32)

#define FLOW_OPTION(name, type, field, def, min, max, help) \
	{ \
		name, type, offsetof(struct flow_queues_params, field), def, min, max, help, NULL \
	}

/* Their entries in an option table. */
#define FLOW_QUEUES_OPTIONS \
	FLOW_OPTION("queues", WEIR_OPT_COUNT, queues, "32", FLOW_QUEUES_MIN, WEIR_QUEUES_MAX, \
		    "queues of a port; the first is for flows that find no empty queue"), \
		FLOW_OPTION("pass-limit", WEIR_OPT_LENGTH, pass_limit, "10pkts", 0, \
			    PASS_LIMIT_MAX, \
			    "how much of a flow passes through the first queue, in bytes or full " \
			    "packets, before it joins the shortest"), \
		FLOW_OPTION("quantum", WEIR_OPT_BYTES, quantum_bytes, "1514B", 64, 1000000, \
			    "DRR quantum: bytes per round"), \
		FLOW_OPTION( \
			"lambda", WEIR_OPT_FRACTION_Q32, lambda_q32, "0.17", 0, \
			FLOW_LAMBDA_MAX_Q32, \
			"queueing delay allowed, in base round-trip times; DCTCP needs 0.17 in " \
			"theory"), \
		FLOW_OPTION("rtt", WEIR_OPT_TIME_NS, rtt_ns, "0us", 0, WEIR_NS_PER_S, \
			    "base round-trip time; 0us: that of the network"), \
		FLOW_OPTION("t-period", WEIR_OPT_TIME_NS, period_ns, "0us", 0, WEIR_NS_PER_S, \
			    "idle time after which a flow is new, and interval of counting " \
			    "flows; 0us: 1.5 round-trip times"), \
	{ \
		"release", WEIR_OPT_CHOICE, offsetof(struct flow_queues_params, release), \
			"silent", 0, 0, \
			"when a queue is free for another flow: once it is empty and its flow " \
			"was idle for t-period, or as soon as it has drained", \
			weir_flow_releases \
	}

/* An entry of the flow map. For a flow in queue 0, as a zeroed entry is: the bytes it sent there,
 * and when it last did. For others: the flow's queue, valid while that queue is busy or held and
 * has not been reassigned since. */
struct flow_place {
	uint32_t queue : 32 - FLOW_PASSED_BITS;
	uint32_t passed_bytes : FLOW_PASSED_BITS;
	uint32_t
		given; /* queue 0: low bits of the time of its last packet; others: owner[].given */
};

_Static_assert(sizeof(struct flow_place) == 8, "half a megabyte a port at most");

/* The owner of a queue: how often it was assigned to a new flow, and when its last packet came. */
struct flow_owner {
	int64_t heard_ns;
	uint32_t given, unused;
};

struct flow_queues {
	uint64_t empty[FLOW_EMPTY_WORDS]; /* bit per queue */
	uint32_t queues, filled;          /* number of queues; of those marked not empty */
	uint32_t unsure; /* a queue whose state is unsettled; FLOW_NO_QUEUE: none */
	uint32_t entries;
	uint32_t limit_bytes, period_ns;
	int64_t hold_ns;               /* silence for which an empty queue is held; -1: none */
	uint64_t priority_pkts, joins; /* packets sent to queue 0; flows that joined the shortest */
	struct flow_owner owner[WEIR_QUEUES_MAX];
	struct flow_place map[];
};

/* Options rtt and t-period, or their defaults from the network. */
static inline uint64_t flow_queues_rtt_ns(const struct flow_queues_params *p,
					  const struct weir_mark_env *env)
{
	return p->rtt_ns ? p->rtt_ns : (uint64_t)env->rtt_ns;
}

static inline uint64_t flow_queues_period_ns(const struct flow_queues_params *p,
					     const struct weir_mark_env *env)
{
	return p->period_ns ? p->period_ns : flow_queues_rtt_ns(p, env) * 3 / 2;
}

/* An arriving packet. */
struct flow_arrival {
	int64_t now_ns;
	uint32_t bytes;
};

int weir_flow_queues_check(const struct flow_queues_params *p, struct weir_error *e);
void weir_flow_queues_layout(const struct flow_queues_params *p, struct weir_mark_layout *l);
size_t weir_flow_queues_size(const struct flow_queues_params *p);

/* The memory is zero. The map, which is most of it, is not touched. */
void weir_flow_queues_init(struct flow_queues *f, const struct flow_queues_params *p,
			   const struct weir_mark_env *env);

/* Slow path: assigns a queue to a flow without one, and records it in the map. O(queues). */
uint32_t weir_flow_queues_assign(struct flow_queues *f, uint32_t flow_hash, struct flow_arrival a,
				 const struct weir_queue *queues);

static inline int flow_queues_is_empty(const struct flow_queues *f, uint32_t q)
{
	return f->empty[q / 64] >> (q % 64) & 1;
}

static inline void flow_queues_fill(struct flow_queues *f, uint32_t q)
{
	if (!flow_queues_is_empty(f, q))
		return;
	f->empty[q / 64] &= ~(UINT64_C(1) << (q % 64));
	f->filled++;
}

static inline void flow_queues_drain(struct flow_queues *f, uint32_t q)
{
	if (flow_queues_is_empty(f, q))
		return;
	f->empty[q / 64] |= UINT64_C(1) << (q % 64);
	f->filled--;
}

/* The hash is mixed first, as ECMP may have selected the flow's path by the same hash. */
static inline struct flow_place *flow_queues_place(struct flow_queues *f, uint32_t flow_hash)
{
	return &f->map[(weir_mix64(flow_hash) >> 32) * f->entries >> 32];
}

/* Does an empty queue still belong to its flow? */
static inline int flow_queues_is_held(const struct flow_queues *f, uint32_t q, int64_t now_ns)
{
	return now_ns - f->owner[q].heard_ns <= f->hold_ns;
}

/* The queue chosen last counts as busy although its packet may have been refused or sent at once.
 * The next arrival or departure settles whether it is. */
static inline void flow_queues_settle(struct flow_queues *f, const struct weir_queue *queues)
{
	uint32_t q = f->unsure;

	if (q != FLOW_NO_QUEUE && queues[q].pkts)
		flow_queues_fill(f, q);
}

/* Assigns the arriving packet to queue q, which counts as busy from now on; all others are settled.
 */
static inline uint32_t flow_queues_use(struct flow_queues *f, uint32_t q, int64_t now_ns,
				       const struct weir_queue *queues)
{
	f->owner[q].heard_ns = now_ns;
	f->unsure = queues[q].pkts ? FLOW_NO_QUEUE : q;
	return q;
}

/* Fast path: the queue of an arriving packet. */
static inline ALWAYS_INLINE uint32_t flow_queues_choose(struct flow_queues *f, uint32_t flow_hash,
							struct flow_arrival a,
							const struct weir_queue *queues)
{
	struct flow_place place = *flow_queues_place(f, flow_hash);
	struct flow_owner *owner = &f->owner[place.queue];
	uint32_t pkts = queues[place.queue].pkts;

	if (place.queue == FLOW_QUEUE_PRIORITY || place.given != owner->given ||
	    (pkts == 0 && a.now_ns - owner->heard_ns > f->hold_ns))
		return weir_flow_queues_assign(f, flow_hash, a, queues);
	owner->heard_ns = a.now_ns;
	if (pkts == 0 || f->unsure != FLOW_NO_QUEUE) {
		flow_queues_settle(f, queues);
		f->unsure = pkts ? FLOW_NO_QUEUE : place.queue;
	}
	return place.queue;
}

/* A packet left its queue, which holds queue_pkts now. */
static inline void flow_queues_leave(struct flow_queues *f, uint32_t queue, uint32_t queue_pkts)
{
	if (queue_pkts)
		return;
	if (queue == f->unsure)
		f->unsure = FLOW_NO_QUEUE;
	else
		flow_queues_drain(f, queue);
}

/* Number of queues that count as busy. */
static inline uint32_t flow_queues_busy(const struct flow_queues *f)
{
	return f->filled + (f->unsure != FLOW_NO_QUEUE);
}
#endif
