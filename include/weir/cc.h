/* SPDX-License-Identifier: BSD-3-Clause */
/* cc.h -- how does a sender react?
 *
 * The host's transport owns sequence numbers, loss recovery, timers and pacing. It shows a
 * congestion control each ACK that acknowledges something and each congestion event, at most one a
 * window of data; the control answers by changing its window. While a cut is being carried out
 * (until everything sent before it is acknowledged) may_grow is 0.
 *
 * There are two transports. TCP sends what the window allows and asks for cuts (congestion). An
 * RDMA queue pair starts at line rate, is paced, and its control answers with a rate and a window
 * whenever it is told anything: an ACK with what the switches on the way wrote into it, a
 * congestion notification packet, bytes that were sent, a time it asked to be called at. */
#ifndef WEIR_CC_H
#define WEIR_CC_H
#include "weir/begin.h"
#include "weir/option.h"
#include "weir/scheme.h"

WEIR_BEGIN

/* Every control's state begins with this; the transport reads it after each call. */
struct weir_cc_window {
	uint64_t window_bytes;   /* may be in flight; a multiple of a byte, not of a segment */
	uint64_t ssthresh_bytes; /* below it the window is in slow start */
};

#define WEIR_CC_SSTHRESH_START (UINT64_MAX / 4)

enum weir_cc_transport { WEIR_CC_TCP, WEIR_CC_RDMA };

/* In its place, every control's state for RDMA begins with this. */
struct weir_cc_pace {
	uint64_t window_bytes; /* may be in flight; WEIR_CC_NO_WINDOW: the rate alone decides */
	uint64_t rate_bps;     /* of whole frames */
	int64_t wake_ns;       /* call timer then; 0: not at all */
};

#define WEIR_CC_NO_WINDOW UINT64_MAX

/* What a switch wrote into a data packet when it left an egress port. Counters wrap around. */
struct weir_cc_hop {
	uint32_t link;        /* which port */
	uint32_t queue_bytes; /* waiting there, behind the packet */
	uint32_t tx_bytes;    /* sent by the port so far, this packet included */
	uint32_t time_ns;     /* of departure */
	uint32_t rate_mbps;   /* of the port */
	uint32_t flows;       /* that pass it, where that is counted; else 0 */
};

enum { WEIR_CC_HOPS_MAX = 6 };

struct weir_cc_env {
	uint32_t mss_bytes;
	uint64_t initial_window_bytes;
	/* RDMA */
	uint32_t header_bytes; /* of every packet, beside its payload */
	uint32_t hops;         /* egress ports of switches on the longest path */
	uint64_t rate_bps;     /* of the sender's line */
	uint64_t min_rate_bps; /* rates never fall below this; the transport sees to it */
	int64_t base_rtt_ns;   /* nothing queued, over the longest path */
	uint64_t bdp_bytes;    /* rate_bps x base_rtt_ns */
};

/* --- for those that train a control --- */

enum { WEIR_CC_OBSERVATIONS = 8 };

/* A decision of a control that learns: what it saw, what it did, and what a reward is made of. All
 * of it is of the time up to the decision: what an action led to stands in the flow's next row. */
struct weir_cc_decision {
	int64_t now_ns;
	uint32_t flow;                           /* that opened the connection */
	uint32_t number;                         /* of the flow's decisions, from 0 */
	float observation[WEIR_CC_OBSERVATIONS]; /* as the network gets them; unused ones are 0 */
	float action;                            /* in [-1, 1], with what was added to explore */
	/* As shares of what is possible, not clipped. A control leaves at 0 what it does not
	 * know. */
	float throughput;  /* payload that arrived in order, of the receiver's line */
	float flows;       /* that pass the most congested port */
	float rtt;         /* in base round trips */
	float switch_rate; /* of that port, of its line */
	float queue;       /* at that port, in bandwidth-delay products */
	float signal;      /* rl-cc's: above 0 the flow is to slow down */
};

enum weir_cc_exploration {
	WEIR_CC_EXPLORE_NOISE,   /* normal noise on what the network says */
	WEIR_CC_EXPLORE_UNIFORM, /* anything, whatever the network says */
};

/* A run for the sake of learning. Noise is a function of (seed, flow, number of the decision), and
 * the rows of a flow come in order, of different flows maybe from different threads at the same
 * time: what is kept by flow does not depend on threads. */
struct weir_cc_rollout {
	void (*record)(void *context, const struct weir_cc_decision *d); /* NULL: nobody looks */
	void *context;
	uint64_t seed;
	enum weir_cc_exploration exploration;
	float deviation; /* of the noise; 0: none */
};

struct weir_cc_ack {
	int64_t now_ns;
	int64_t rtt_ns;       /* sample of this ACK; 0: none */
	uint64_t acked_bytes; /* newly acknowledged, cumulatively or selectively */
	uint64_t una_bytes;   /* first byte not acknowledged, after this ACK */
	uint64_t next_bytes;  /* first byte never sent */
	uint32_t echo;        /* 1: this ACK says that what it acknowledges was marked */
	uint32_t may_grow;    /* 1: no cut is being carried out and the window was in use */
	/* TCP, with WEIR_CC_TIMEOUT: 1: the timer ran out for a segment that it has had sent again
	 * before. Nothing more is known of the network than then, so ssthresh stays as it is (RFC
	 * 5681, section 3.1). */
	uint32_t timed_out_again;
	/* RDMA, where switches write into packets: what they wrote, in order of the path. */
	uint32_t hop_count;
	const struct weir_cc_hop *hops;
	uint32_t rx_ns; /* and the receiver's clock when it answered; wraps around; 0: not known */
	uint32_t flow;  /* RDMA: that opened the connection */
	const struct weir_cc_rollout *rollout; /* RDMA: NULL: nobody trains */
};

enum weir_cc_event {
	WEIR_CC_ECN,     /* first echo since the last cut was carried out */
	WEIR_CC_LOSS,    /* recovery begins */
	WEIR_CC_TIMEOUT, /* everything in flight is taken for lost */
};

/* How an ECN-capable receiver answers. */
enum weir_cc_echo {
	WEIR_CC_ECHO_NONE,    /* packets are not ECN-capable */
	WEIR_CC_ECHO_CLASSIC, /* ECE on every ACK until CWR (RFC 3168) */
	WEIR_CC_ECHO_EXACT,   /* each ACK says whether its packets were marked (RFC 8257) */
};

enum { WEIR_CC_STATE_MAX = 512 };

/* What an RDMA control needs of the network. */
enum weir_cc_need {
	WEIR_CC_NEEDS_INT =
		1, /* switches write a cc_hop into data packets; each ACK brings them back */
	WEIR_CC_NEEDS_CNP = 2, /* receivers answer marked data with notification packets */
};

struct weir_cc_ops {
	struct weir_scheme scheme;
	enum weir_cc_transport transport;
	enum weir_cc_echo echo;
	/* Where options decide how receivers answer. NULL: echo. */
	enum weir_cc_echo (*echo_of)(const void *params);
	uint32_t needs; /* bits of enum weir_cc_need */
	/* <= WEIR_CC_STATE_MAX; begins with struct weir_cc_window, or cc_pace for RDMA */
	size_t state_size;
	/* State is zeroed before; must set the window, and the rate for RDMA. */
	void (*init)(void *state, const void *params, const struct weir_cc_env *env);
	/* NULL, for RDMA: acknowledgements say nothing. A plug-in has it. */
	void (*ack)(void *state, const void *params, const struct weir_cc_env *env,
		    const struct weir_cc_ack *a);
	/* Sets ssthresh_bytes and window_bytes to what they are after the cut. RDMA: WEIR_CC_LOSS
	 * and WEIR_CC_TIMEOUT only, and may be NULL: losses change nothing. */
	void (*congestion)(void *state, const void *params, const struct weir_cc_env *env,
			   enum weir_cc_event event, const struct weir_cc_ack *a);
	/* TCP: the connection rested, and the transport has set window_bytes to the initial window,
	 * which is less than it was. NULL: of no interest. */
	void (*restart)(void *state, const void *params, const struct weir_cc_env *env);
	/* RDMA; each may be NULL: of no interest. A notification came; bytes left the card, as
	 * frames; wake_ns has come (it is 0 again when this is called). */
	void (*cnp)(void *state, const void *params, const struct weir_cc_env *env, int64_t now_ns);
	void (*sent)(void *state, const void *params, const struct weir_cc_env *env, uint32_t bytes,
		     int64_t now_ns);
	void (*timer)(void *state, const void *params, const struct weir_cc_env *env,
		      int64_t now_ns);
};

static inline enum weir_cc_echo weir_cc_echo_of(const struct weir_cc_ops *ops, const void *params)
{
	return ops->echo_of ? ops->echo_of(params) : ops->echo;
}

extern const struct weir_cc_ops *const weir_cc_all[];

const struct weir_cc_ops *weir_cc_find(const char *name);
int weir_cc_parse(const char *spec, const struct weir_cc_ops **ops, void *params,
		  struct weir_error *e);

WEIR_END
#endif
