/* SPDX-License-Identifier: BSD-3-Clause */
/* dwrr.c -- deficit weighted round robin, alone or below strict-priority queues.
 *
 * Shreedhar and Varghese, "Efficient Fair Queueing using Deficit Round Robin", SIGCOMM 1995: each
 * busy queue in turn is given quantum x weight bytes of credit and sends while the credit covers
 * the packet at its head; it keeps the rest for its next turn, unless it becomes empty.
 *
 * Differs: busy queues take turns in the order of their numbers, not of becoming busy. Either way
 * a queue gets one turn a round.
 *
 * dwrr is sp-dwrr with no priority queue: the strict queues have the lowest numbers, so while one
 * is busy it is the lowest busy queue of all, and while none is, all busy queues are weighted. */
#include "lib/sched/queues.h"

struct dwrr_params {
	uint64_t quantum_bytes;
	uint64_t strict_queues;
	struct weir_weights weights;
};

struct dwrr_state {
	struct busy busy;        /* first: for weir_busy_activate */
	uint32_t current;        /* weighted queue whose turn it is */
	uint32_t in_turn;        /* 1: it has had this turn's credit */
	uint32_t turn;           /* counts turns */
	uint64_t credit_bytes[]; /* of each queue */
};

enum { QUANTUM_MIN_BYTES = 64, QUANTUM_MAX_BYTES = 1000 * 1000 };

#define QUANTUM_OPTION \
	{ \
		"quantum", WEIR_OPT_BYTES, offsetof(struct dwrr_params, quantum_bytes), "1500B", \
			QUANTUM_MIN_BYTES, QUANTUM_MAX_BYTES, \
			"bytes that a turn gives a queue of weight 1", NULL \
	}

static const struct weir_option dwrr_options[] = {
	QUANTUM_OPTION,
	WEIGHTS_OPTION(struct dwrr_params, weights),
	{ .name = NULL },
};

static const struct weir_option sp_dwrr_options[] = {
	PRIORITY_QUEUES_OPTION(struct dwrr_params, strict_queues),
	QUANTUM_OPTION,
	WEIGHTS_OPTION(struct dwrr_params, weights),
	{ .name = NULL },
};

static int dwrr_fits(const void *params, uint32_t queues, struct weir_error *e)
{
	const struct dwrr_params *p = params;

	return weir_weights_check(&p->weights, p->strict_queues, queues, e);
}

/* The first turn is then the first weighted queue's. */
static void dwrr_init(void *state, const void *params, uint32_t queues)
{
	struct dwrr_state *s = state;

	(void)params;
	s->current = queues - 1;
}

/* A queue that is paused loses the rest of its turn: if it kept the credit, pauses would accumulate
 * turns. */
static void dwrr_halt(void *state, const void *params, uint32_t q)
{
	struct dwrr_state *s = state;

	(void)params;
	busy_remove(&s->busy, q);
	if (s->current == q && s->in_turn) {
		s->credit_bytes[q] = 0;
		s->in_turn = 0;
	}
}

/* Terminates: in each round every busy queue gains at least QUANTUM_MIN_BYTES, and no packet is
 * longer than 2^16 bytes. Credit stays below quantum x weight + 2^16 < 2^37. */
static uint32_t dwrr_pick(void *state, const void *params, const struct weir_queue *queues)
{
	struct dwrr_state *s = state;
	const struct dwrr_params *p = params;
	uint32_t first = busy_from(&s->busy, 0), strict = (uint32_t)p->strict_queues;

	if (first < strict)
		return first;
	while (!s->in_turn || s->credit_bytes[s->current] < queues[s->current].head_bytes) {
		s->current = busy_after(&s->busy, s->current, first);
		s->in_turn = 1;
		s->turn++;
		s->credit_bytes[s->current] +=
			p->quantum_bytes * weights_of(&p->weights, s->current - strict);
	}
	return s->current;
}

static void dwrr_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
		      const struct weir_queue *queues)
{
	struct dwrr_state *s = state;
	const struct dwrr_params *p = params;

	if (queues[q].pkts) {
		if (q >= p->strict_queues)
			s->credit_bytes[q] -= bytes;
		return;
	}
	busy_remove(&s->busy, q);
	if (q >= p->strict_queues) {
		s->credit_bytes[q] = 0;
		s->in_turn = 0;
	}
}

static uint64_t dwrr_quantum(const void *params, uint32_t q, uint32_t mtu_bytes)
{
	const struct dwrr_params *p = params;

	(void)mtu_bytes;
	return p->quantum_bytes * weights_of(&p->weights, q);
}

static uint32_t dwrr_turn(const void *state)
{
	const struct dwrr_state *s = state;

	return s->turn;
}

const struct weir_sched_ops weir_sched_dwrr = {
	.scheme = {
		.name = "dwrr",
		.help = "shares the link in bytes by weight; queues take turns",
		.cite = "Shreedhar and Varghese, Efficient Fair Queueing using Deficit Round Robin, "
			"SIGCOMM 1995",
		.params_size = sizeof(struct dwrr_params),
		.options = dwrr_options,
	},
	.state_size = sizeof(struct dwrr_state),
	.queue_state_size = sizeof(uint64_t),
	.fits = dwrr_fits,
	.init = dwrr_init,
	.activate = weir_busy_activate,
	.halt = dwrr_halt,
	.pick = dwrr_pick,
	.quantum = dwrr_quantum,
	.turn = dwrr_turn,
	.sent = dwrr_sent,
};

const struct weir_sched_ops weir_sched_sp_dwrr = {
	.scheme = {
		.name = "sp-dwrr",
		.help = "serves the first queues by strict priority and shares the rest by dwrr",
		.cite = "strict priority over Shreedhar and Varghese, SIGCOMM 1995",
		.params_size = sizeof(struct dwrr_params),
		.options = sp_dwrr_options,
	},
	.state_size = sizeof(struct dwrr_state),
	.queue_state_size = sizeof(uint64_t),
	.fits = dwrr_fits,
	.init = dwrr_init,
	.activate = weir_busy_activate,
	.halt = dwrr_halt,
	.pick = dwrr_pick,
	.sent = dwrr_sent,
};
