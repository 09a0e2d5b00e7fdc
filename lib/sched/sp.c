/* SPDX-License-Identifier: BSD-3-Clause */
/* sp.c -- strict priority: the first queue that holds a packet is served, queue 0 before all. */
#include "lib/sched/queues.h"

static uint32_t sp_pick(void *state, const void *params, const struct weir_queue *queues)
{
	(void)params;
	(void)queues;
	return busy_from(state, 0);
}

const struct weir_sched_ops weir_sched_sp = {
	.scheme = {
		.name = "sp",
		.help = "serves the lowest-numbered queue that holds a packet",
		.cite = "strict priority; IEEE 802.1Q, section 8.6.8.1",
	},
	.state_size = sizeof(struct busy),
	.activate = weir_busy_activate,
	.halt = weir_busy_halt,
	.pick = sp_pick,
	.sent = weir_busy_sent,
};
