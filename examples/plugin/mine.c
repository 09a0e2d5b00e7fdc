/* SPDX-License-Identifier: BSD-3-Clause */
/* mine.c -- a marking scheme as a plug-in: copy this file, rename it, change what it does.
 *
 * Marks with hysteresis: from the time the queue reaches one length until it falls below another,
 * lower one, which toggles less often than a single threshold. */
#include <weir/plugin.h>

/* The parsed options: uint64_t each, or as enum weir_opt_type says. */
struct mine_params {
	uint64_t high, low; /* WEIR_OPT_LENGTH: in packets or in bytes */
};

/* State, zeroed at the start; here one per queue. */
struct mine_state {
	uint64_t marking;
};

/* Each option once: name, type, offset, default, range, help. 'weir help ./mine.so' shows them. */
static const struct weir_option mine_options[] = {
	{ "high", WEIR_OPT_LENGTH, offsetof(struct mine_params, high), "70pkts", 1, 1000000000,
	  "marking begins when a queue is this long", NULL },
	{ "low", WEIR_OPT_LENGTH, offsetof(struct mine_params, low), "30pkts", 0, 1000000000,
	  "marking ends when a queue is shorter than this", NULL },
	{ .name = NULL },
};

/* Refuses contradicting options: sets a message and returns -1. */
static int mine_check(const void *params, struct weir_error *e)
{
	const struct mine_params *p = params;

	if (weir_length_is_packets(p->high) != weir_length_is_packets(p->low))
		return weir_error_set(e, "high and low must both be in packets or both in bytes");
	return p->low <= p->high ? 0 : weir_error_set(e, "low is above high");
}

/* A packet is about to join its queue. Hooks must not use clocks, the heap or files. */
static uint32_t mine_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct mine_params *p = params;
	struct mine_state *s = state;

	if (weir_length_reached(p->high, v->queue_bytes, v->queue_pkts))
		s->marking = 1;
	else if (!weir_length_reached(p->low, v->queue_bytes, v->queue_pkts))
		s->marking = 0;
	return s->marking ? WEIR_MARK_CE : WEIR_MARK_PASS;
}

static const struct weir_mark_ops mine = {
	.scheme = {
		.name = "mine",
		.help = "marks from one queue length up until it is below another",
		.params_size = sizeof(struct mine_params),
		.options = mine_options,
		.check = mine_check,
	},
	.state_size = sizeof(struct mine_state),
	.scope = WEIR_MARK_STATE_PER_QUEUE,
	.reasons = { "length" },
	.enqueue = mine_enqueue,
};

/* The symbol that Weir looks for. */
const struct weir_plugin weir_plugin = { WEIR_ABI, .mark = &mine };
