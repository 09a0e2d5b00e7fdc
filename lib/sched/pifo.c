/* SPDX-License-Identifier: BSD-3-Clause */
/* pifo.c -- push in, first out: every packet has a rank and the lowest is sent next.
 *
 * Sivaraman et al., "Programmable Packet Scheduling at Line Rate", SIGCOMM 2016: what a scheduler
 * decides is a rank at arrival. Ranks here:
 *
 *	lstf	least slack time first (Mittal et al., "Universal Packet Scheduling", NSDI 2016):
 *		a packet carries its slack, the time it may still be queued on its path, and each
 *		port subtracts its sojourn time
 *	class	the packet's class, lowest first: strict priority with one queue
 *	fifo	the time of arrival
 *
 * Over several queues the packet with the lowest rank of all is served.
 *
 * Differs: LSTF in its paper counts slack to the last bit, so that of two equal ranks the shorter
 * packet goes first, and drops the packet with most slack when the buffer is full; here the
 * arriving packet is dropped. */
#include "lib/sched/queues.h"

enum pifo_rank { PIFO_LSTF, PIFO_CLASS, PIFO_FIFO };

struct pifo_params {
	uint64_t rank;
};

static const char *const ranks[] = { "lstf", "class", "fifo", NULL };

static const struct weir_option pifo_options[] = {
	{ "rank", WEIR_OPT_CHOICE, offsetof(struct pifo_params, rank), "lstf", 0, 0,
	  "which packet is sent first: the one with least slack (traffic.slack), of the lowest "
	  "class, or the first to arrive",
	  ranks },
	{ .name = NULL },
};

static int64_t pifo_rank(const void *params, const struct weir_packet *packet, int64_t now_ps)
{
	const struct pifo_params *p = params;

	if (p->rank == PIFO_CLASS)
		return packet->class_id;
	return p->rank == PIFO_LSTF ? now_ps + packet->slack_ps : now_ps;
}

/* Equal ranks: the lowest queue. */
static uint32_t pifo_pick(void *state, const void *params, const struct weir_queue *queues)
{
	uint32_t best = busy_from(state, 0);

	(void)params;
	for (uint32_t q = best; q < WEIR_QUEUES_MAX; q = busy_from(state, q + 1))
		if (queues[q].head_rank < queues[best].head_rank)
			best = q;
	return best;
}

const struct weir_sched_ops weir_sched_pifo = {
	.scheme = {
		.name = "pifo",
		.help = "ranks every packet on arrival and serves the lowest rank first",
		.cite = "Sivaraman et al., Programmable Packet Scheduling at Line Rate, SIGCOMM 2016",
		.params_size = sizeof(struct pifo_params),
		.options = pifo_options,
	},
	.state_size = sizeof(struct busy),
	.activate = weir_busy_activate,
	.halt = weir_busy_halt,
	.pick = pifo_pick,
	.rank = pifo_rank,
	.sent = weir_busy_sent,
};
