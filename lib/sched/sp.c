/* SPDX-License-Identifier: BSD-3-Clause */
/* sp.c -- strict priority: the first queue that holds a packet is served, queue 0 before all. */
#include "lib/sched/queues.h"

static void sp_activate(void *state, const void *params, uint32_t q,
			const struct weir_queue *queues)
{
	(void)params;
	(void)queues;
	busy_add(state, q);
}

static void sp_halt(void *state, const void *params, uint32_t q)
{
	(void)params;
	busy_remove(state, q);
}

static uint32_t sp_pick(void *state, const void *params, const struct weir_queue *queues)
{
	(void)params;
	(void)queues;
	return busy_from(state, 0);
}

static void sp_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
		    const struct weir_queue *queues)
{
	(void)params;
	(void)bytes;
	if (queues[q].pkts == 0)
		busy_remove(state, q);
}

const struct weir_sched_ops weir_sched_sp = {
	.scheme = {
		.name = "sp",
		.help = "serves the lowest-numbered queue that holds a packet",
		.cite = "strict priority; IEEE 802.1Q, section 8.6.8.1",
	},
	.state_size = sizeof(struct busy),
	.activate = sp_activate,
	.halt = sp_halt,
	.pick = sp_pick,
	.sent = sp_sent,
};
