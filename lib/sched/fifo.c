/* SPDX-License-Identifier: BSD-3-Clause */
/* fifo.c -- one queue, served in the order of arrival (FIFO, first come first served). */
#include "weir/sched.h"
#include <inttypes.h>

static int fifo_fits(const void *params, uint32_t queues, struct weir_error *e)
{
	(void)params;
	if (queues != 1)
		return weir_error_set(e,
				      "serves one queue, but the port has %" PRIu32
				      "; take one queue, "
				      "or a scheduler such as sp, dwrr or wfq",
				      queues);
	return 0;
}

static uint32_t fifo_pick(void *state, const void *params, const struct weir_queue *queues)
{
	(void)state;
	(void)params;
	(void)queues;
	return 0;
}

const struct weir_sched_ops weir_sched_fifo = {
	.scheme = {
		.name = "fifo",
		.help = "first in, first out: one queue",
		.cite = "first come, first served",
	},
	.fits = fifo_fits,
	.pick = fifo_pick,
};
