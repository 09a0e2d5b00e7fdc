/* SPDX-License-Identifier: BSD-3-Clause */
/* cc.h -- congestion control: how a sender reacts.
 *
 * The host's transport owns sequence numbers, loss recovery, timers and pacing. It passes each ACK
 * that acknowledges something, and each congestion event (at most one per window of data), to the
 * congestion control, which changes its window or rate. While a window reduction is carried out
 * (until everything sent before it is acknowledged) may_grow is 0.
 *
 * There are two transports. TCP sends what the window allows and announces reductions through
 * `congestion`. An RDMA queue pair starts at line rate and is paced; its control sets a rate and a
 * window in any hook: an ACK with the INT data of the switches on the path, a congestion
 * notification packet (CNP), bytes that were sent, a time at which it asked to be called.
 *
 * A control has one state per connection, in the caller's memory, and allocates nothing. Hooks of
 * different connections run on different threads at the same time, those of one connection never:
 * params and env are constant, and a control has no other shared data. Hooks cannot fail. */
#ifndef WEIR_CC_H
#define WEIR_CC_H
#include "weir/begin.h"
#include "weir/option.h"
#include "weir/scheme.h"

WEIR_BEGIN

/* First member of every TCP control's state; the transport reads it after each hook. */
struct weir_cc_window {
	uint64_t window_bytes;   /* limit on bytes in flight; need not be whole segments */
	uint64_t ssthresh_bytes; /* slow start below it */
};

#define WEIR_CC_SSTHRESH_START (UINT64_MAX / 4)

enum weir_cc_transport { WEIR_CC_TCP, WEIR_CC_RDMA };

/* First member of every RDMA control's state; the transport reads it after each hook, and bounds
 * the rate by min_rate_bps and the line rate. */
struct weir_cc_pace {
	uint64_t window_bytes; /* limit on bytes in flight; WEIR_CC_NO_WINDOW: none */
	uint64_t rate_bps;     /* sending rate, counting whole frames */
	int64_t wake_ns;       /* when to call the timer hook; 0: never */
};

#define WEIR_CC_NO_WINDOW UINT64_MAX

/* INT data: what a switch wrote into a data packet that left an egress port. Counters wrap. */
struct weir_cc_hop {
	uint32_t link;        /* identifies the port */
	uint32_t queue_bytes; /* queue length behind the packet */
	uint32_t tx_bytes;    /* sent by the port, this packet included */
	uint32_t time_ns;     /* of departure */
	uint32_t rate_mbps;   /* of the port */
	uint32_t flows;       /* active flows at the port, where they are counted; else 0 */
};

enum { WEIR_CC_HOPS_MAX = 6 };

/* Constants of a connection's environment. */
struct weir_cc_env {
	uint32_t mss_bytes; /* payload of a full segment */
	/* RDMA controls with WEIR_CC_NEEDS_PATH: by how much the round trip without queueing over
	 * the pair's own path is shorter than base_rtt_ns; 0 otherwise */
	uint32_t path_shorter_ns;
	uint64_t initial_window_bytes; /* TCP */
	/* RDMA */
	uint32_t header_bytes; /* of every packet, besides its payload */
	uint32_t hops;         /* switch egress ports on the longest path */
	uint64_t rate_bps;     /* line rate of the sender */
	uint64_t min_rate_bps; /* lower bound on rates, which the transport enforces */
	int64_t base_rtt_ns;   /* round trip without queueing, over the longest path */
	uint64_t bdp_bytes;    /* rate_bps x base_rtt_ns */
};

/* --- training of learned controls --- */

enum { WEIR_CC_OBSERVATIONS = 8 };

/* A decision of a learned control: observation, action, and the quantities that rewards are made
 * of. All are of the time up to the decision; the consequences of the action are in the flow's next
 * one. */
struct weir_cc_decision {
	int64_t now_ns;
	uint32_t flow;                           /* flow that opened the connection */
	uint32_t number;                         /* counts the flow's decisions, from 0 */
	float observation[WEIR_CC_OBSERVATIONS]; /* input of the neural network; unused ones are 0
						  */
	float action;                            /* in [-1, 1], exploration noise included */
	/* Relative quantities, not clipped; 0 where the control does not measure them. */
	float throughput;  /* goodput over the receiver's line rate */
	float flows;       /* active flows at the most congested port */
	float rtt;         /* in base round trips */
	float switch_rate; /* utilisation of that port */
	float queue;       /* queue of that port, in bandwidth-delay products */
	float signal;      /* rl-cc's: above 0, the flow should slow down */
};

enum weir_cc_exploration {
	WEIR_CC_EXPLORE_NOISE,   /* Gaussian noise on the output of the neural network */
	WEIR_CC_EXPLORE_UNIFORM, /* uniformly random actions */
};

/* What a rollout's choose answers. */
enum weir_cc_choice {
	WEIR_CC_CHOICE_OWN,   /* the control decides by itself */
	WEIR_CC_CHOICE_GIVEN, /* *action is the action */
	/* The action is not known yet: the owner restores the control's state, and passes the same
	 * ACK again when it is. */
	WEIR_CC_CHOICE_LATER,
};

/* A rollout: a run that records decisions for training. Noise is a function of (seed, flow,
 * decision number). record gets the decisions of one flow in order, those of different flows
 * possibly from different threads at the same time. choose replaces the control's neural network
 * by a learner's action (weir/env.h); d->action is not set yet. */
struct weir_cc_rollout {
	void (*record)(void *context, const struct weir_cc_decision *d); /* NULL: disabled */
	void *context;
	uint64_t seed;
	enum weir_cc_exploration exploration;
	float deviation; /* of the noise; 0: none */
	/* NULL: the control decides. */
	enum weir_cc_choice (*choose)(void *context, const struct weir_cc_decision *d,
				      float *action);
};

/* A control whose decisions an external learner may make: flow agents of weir/env.h. */
struct weir_cc_learner {
	uint32_t observation_size; /* of weir_cc_decision.observation: the first ones */
	/* Reward of the action before decision d, from what d observed. */
	float (*reward)(const void *params, const struct weir_cc_decision *d);
};

/* An ACK, or the circumstances of a congestion event. */
struct weir_cc_ack {
	int64_t now_ns;
	int64_t rtt_ns;       /* sample of this ACK; 0: none */
	uint64_t acked_bytes; /* newly acknowledged, cumulatively or selectively */
	uint64_t una_bytes;   /* first byte not acknowledged, after this ACK */
	uint64_t next_bytes;  /* first byte never sent */
	uint32_t echo;        /* 1: ECN echo: what this ACK acknowledges was marked */
	uint32_t may_grow;    /* 1: no reduction is in progress, and the window was the limit */
	/* TCP, with WEIR_CC_TIMEOUT: 1: the RTO expired again for a segment that it has already
	 * retransmitted, so ssthresh stays as it is (RFC 5681, section 3.1). */
	uint32_t timed_out_again;
	/* RDMA, with WEIR_CC_NEEDS_INT: INT data in order of the path. Valid during the hook. */
	uint32_t hop_count;
	const struct weir_cc_hop *hops;
	uint32_t rx_ns; /* the receiver's clock when it sent the ACK; wraps; 0: unknown */
	uint32_t flow;  /* RDMA: flow that opened the connection */
	const struct weir_cc_rollout *rollout; /* RDMA; NULL: not a rollout */
};

enum weir_cc_event {
	WEIR_CC_ECN,     /* first ECN echo since the last reduction was carried out */
	WEIR_CC_LOSS,    /* start of a loss recovery */
	WEIR_CC_TIMEOUT, /* RTO: everything in flight counts as lost */
};

/* How the receiver echoes ECN marks. */
enum weir_cc_echo {
	WEIR_CC_ECHO_NONE,    /* packets are not ECN-capable */
	WEIR_CC_ECHO_CLASSIC, /* ECE on every ACK until CWR (RFC 3168) */
	WEIR_CC_ECHO_EXACT,   /* ECE tells whether the packets of each ACK were marked (RFC 8257) */
};

enum { WEIR_CC_STATE_MAX = 512 };

/* What an RDMA control needs from switches and receivers. */
enum weir_cc_need {
	WEIR_CC_NEEDS_INT = 1,  /* switches write INT data into data packets; ACKs return it */
	WEIR_CC_NEEDS_CNP = 2,  /* receivers answer marked data with CNPs */
	WEIR_CC_NEEDS_PATH = 4, /* env.path_shorter_ns is that of the pair */
};

struct weir_cc_ops {
	struct weir_scheme scheme;
	enum weir_cc_transport transport;
	enum weir_cc_echo echo;
	/* The echo, where it depends on options. NULL: echo. */
	enum weir_cc_echo (*echo_of)(const void *params);
	uint32_t needs; /* bits of enum weir_cc_need */
	/* <= WEIR_CC_STATE_MAX; first member: struct weir_cc_window, RDMA: struct weir_cc_pace */
	size_t state_size;
	/* A connection opens. The state is zeroed; sets the window and, for RDMA, the rate. */
	void (*init)(void *state, const void *params, const struct weir_cc_env *env);
	/* An ACK that acknowledges something. RDMA: may be NULL in built-in controls. */
	void (*ack)(void *state, const void *params, const struct weir_cc_env *env,
		    const struct weir_cc_ack *a);
	/* A congestion event: sets ssthresh_bytes and window_bytes to their values after the
	 * reduction. RDMA: WEIR_CC_LOSS and WEIR_CC_TIMEOUT only; NULL: losses change nothing. */
	void (*congestion)(void *state, const void *params, const struct weir_cc_env *env,
			   enum weir_cc_event event, const struct weir_cc_ack *a);
	/* TCP: after an idle period longer than the RTO, the transport has reduced window_bytes to
	 * the initial window. NULL: nothing else changes. */
	void (*restart)(void *state, const void *params, const struct weir_cc_env *env);
	/* RDMA; NULL: ignored. cnp: a CNP has arrived. sent: the NIC has sent a packet of that many
	 * bytes, headers included. timer: wake_ns has come; it is reset to 0 before the call. */
	void (*cnp)(void *state, const void *params, const struct weir_cc_env *env, int64_t now_ns);
	void (*sent)(void *state, const void *params, const struct weir_cc_env *env, uint32_t bytes,
		     int64_t now_ns);
	void (*timer)(void *state, const void *params, const struct weir_cc_env *env,
		      int64_t now_ns);
	/* RDMA; NULL: no external learner can decide for it. Its ack hook asks the rollout's
	 * choose, and may run twice for one ACK. */
	const struct weir_cc_learner *learner;
};

static inline enum weir_cc_echo weir_cc_echo_of(const struct weir_cc_ops *ops, const void *params)
{
	return ops->echo_of ? ops->echo_of(params) : ops->echo;
}

/* All built-in congestion controls; ends with NULL. */
extern const struct weir_cc_ops *const weir_cc_all[];

/* NULL: no built-in control has that name. */
const struct weir_cc_ops *weir_cc_find(const char *name);

/* Reads "dctcp(g=1/16)" into ops and params (WEIR_SPEC_PARAMS_MAX bytes, 8-aligned). 0, or -1 with
 * a message in e. */
int weir_cc_parse(const char *spec, const struct weir_cc_ops **ops, void *params,
		  struct weir_error *e);

WEIR_END
#endif
