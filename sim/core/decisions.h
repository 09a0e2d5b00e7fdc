/* SPDX-License-Identifier: BSD-3-Clause */
/* decisions.h -- flows whose congestion control is decided by a learner outside (weir/env.h).
 *
 * A flow whose control has a learner (weir_cc_ops.learner) asks for an action at an ACK, as it
 * would ask its neural network. Its host stops there, before anything follows from the ACK, while
 * other nodes finish the lookahead window: they cannot be affected within it. At the end of the
 * window engine_advance_until returns ENGINE_WAITS. The caller sets the actions of all waiting
 * flows, at most one for each host, and calls again: the hosts continue at the same picosecond. So
 * every action takes effect at the ACK that asked for it, and a run whose actions are those of the
 * control's own network is the same run.
 *
 * Threads: engines with one thread only; everything here runs on the caller's. */
#ifndef SIM_CORE_DECISIONS_H
#define SIM_CORE_DECISIONS_H
#include "sim/core/engine.h"
#include "weir/cc.h"
#include "weir/packet.h"

struct sender;

struct decisions_plan {
	int64_t traffic; /* the section whose flows ask; -1: all sections with such a control */
	int64_t flow;    /* the only flow that asks; -1: all of these */
};

/* A flow that waits for its action, and the ACK at which it asked. */
struct decision_wait {
	struct weir_cc_decision decision; /* action: to be set before the engine continues */
	struct host *host;
	uint32_t sender; /* handle */
	uint32_t delivered;
	struct weir_packet packet;
};

struct decisions {
	const struct engine *engine;
	struct weir_cc_rollout rollout; /* the engine's */
	struct decisions_plan plan;
	uint32_t count, capacity;              /* waiting flows; hosts */
	struct decision_wait *waits, *resumed; /* [capacity]; resumed: those of the last call */
	/* The ACK that is passed to the control. */
	const float *answer; /* NULL: the control may only ask */
	int asks;
	struct weir_cc_decision asked;
};

/* plan NULL: none. */
void decisions_new(struct engine *e, const struct decisions_plan *plan);
void decisions_free(struct engine *e);

/* Continues hosts whose flows have their actions, up to the end of the window. Returns the number
 * of flows that wait then: the same hosts may ask again. */
uint32_t decisions_resume(struct engine *e);

/* Does a learner decide for this flow, which opened its connection? Its control can learn, and the
 * plan has it. Never for messages of jobs. */
int decisions_has(const struct decisions *d, uint32_t flow);

/* --- for rdma.c --- */

/* Passes an ACK to a control with a learner. 1: the flow asks for an action, and the control's
 * state is as before. */
int decisions_pass_ack(struct decisions *d, struct sender *s, const struct transport *t,
		       const struct weir_cc_ack *a);

/* The flow that asked waits: stops its host, and keeps the ACK with its INT stack. */
void decisions_wait(struct worker *w, struct host *h, uint32_t sender, struct weir_packet *packet,
		    uint32_t delivered);

/* In rdma.c: the ACK goes on where it stopped; the control gets its answer. */
void rdma_resume_ack(struct worker *w, struct host *h, uint32_t sender, struct weir_packet *packet,
		     uint32_t delivered);
#endif
