/* SPDX-License-Identifier: BSD-3-Clause */
/* wrr.c -- weighted round robin: each busy queue in turn sends as many packets as its weight.
 *
 * Katevenis, Sidiropoulos, Courcoubetis, "Weighted Round-Robin Cell Multiplexing in a
 * General-Purpose ATM Switch Chip", IEEE JSAC 9(8), 1991. Shares are of packets: of bytes only
 * where all packets are of one size. */
#include "lib/sched/queues.h"

struct wrr_params {
	struct weir_weights weights;
};

struct wrr_state {
	struct busy busy; /* first: for weir_busy_activate */
	uint32_t current; /* queue whose turn it is */
	uint32_t left;    /* packets it may still send in this turn */
	uint32_t turn;    /* counts turns */
};

static const struct weir_option wrr_options[] = {
	WEIGHTS_OPTION(struct wrr_params, weights),
	{ .name = NULL },
};

static int wrr_fits(const void *params, uint32_t queues, struct weir_error *e)
{
	const struct wrr_params *p = params;

	return weir_weights_check(&p->weights, 0, queues, e);
}

/* The first turn is then queue 0's. */
static void wrr_init(void *state, const void *params, uint32_t queues)
{
	struct wrr_state *s = state;

	(void)params;
	s->current = queues - 1;
}

/* A queue that is paused loses the rest of its turn. */
static void wrr_halt(void *state, const void *params, uint32_t q)
{
	struct wrr_state *s = state;

	(void)params;
	busy_remove(&s->busy, q);
	if (s->current == q)
		s->left = 0;
}

static uint32_t wrr_pick(void *state, const void *params, const struct weir_queue *queues)
{
	struct wrr_state *s = state;
	const struct wrr_params *p = params;

	(void)queues;
	if (s->left == 0) {
		s->current = busy_after(&s->busy, s->current, busy_from(&s->busy, 0));
		s->left = weights_of(&p->weights, s->current);
		s->turn++;
	}
	return s->current;
}

/* A queue that becomes empty loses the rest of its turn. */
static void wrr_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
		     const struct weir_queue *queues)
{
	struct wrr_state *s = state;

	(void)params;
	(void)bytes;
	s->left--;
	if (queues[q].pkts == 0) {
		busy_remove(&s->busy, q);
		s->left = 0;
	}
}

static uint64_t wrr_quantum(const void *params, uint32_t q, uint32_t mtu_bytes)
{
	const struct wrr_params *p = params;

	return (uint64_t)weights_of(&p->weights, q) * mtu_bytes;
}

static uint32_t wrr_turn(const void *state)
{
	const struct wrr_state *s = state;

	return s->turn;
}

const struct weir_sched_ops weir_sched_wrr = {
	.scheme = {
		.name = "wrr",
		.help = "lets each busy queue in turn send as many packets as its weight",
		.cite = "Katevenis et al., Weighted Round-Robin Cell Multiplexing, IEEE JSAC 1991",
		.params_size = sizeof(struct wrr_params),
		.options = wrr_options,
	},
	.state_size = sizeof(struct wrr_state),
	.fits = wrr_fits,
	.init = wrr_init,
	.activate = weir_busy_activate,
	.halt = wrr_halt,
	.pick = wrr_pick,
	.quantum = wrr_quantum,
	.turn = wrr_turn,
	.sent = wrr_sent,
};
