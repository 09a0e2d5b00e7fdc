/* SPDX-License-Identifier: BSD-3-Clause */
/* longest.c -- a scheduler as a plug-in: serves the longest queue first.
 *
 *	cc -std=c11 -O2 -shared -fPIC $(pkg-config --cflags weir) longest.c -o longest.so
 *	weir help ./longest.so
 *	weir run scenario.ini --set switch.queues=4 --scheduler ./longest.so
 *
 * Length in bytes; of equally long queues the first is served. */
#include <weir/plugin.h>

struct longest_state {
	uint32_t queues;
	uint8_t may_send[WEIR_QUEUES_MAX]; /* holds packets and is not halted */
};

static void longest_init(void *state, const void *params, uint32_t queues)
{
	struct longest_state *s = state;

	(void)params;
	s->queues = queues;
}

static void longest_activate(void *state, const void *params, uint32_t q,
			     const struct weir_queue *queues)
{
	struct longest_state *s = state;

	(void)params;
	(void)queues;
	s->may_send[q] = 1;
}

/* The queue was paused (PFC); activate is called again on resume. */
static void longest_halt(void *state, const void *params, uint32_t q)
{
	struct longest_state *s = state;

	(void)params;
	s->may_send[q] = 0;
}

static uint32_t longest_pick(void *state, const void *params, const struct weir_queue *queues)
{
	const struct longest_state *s = state;
	uint32_t best = 0, best_bytes = 0;

	(void)params;
	for (uint32_t q = 0; q < s->queues; q++)
		if (s->may_send[q] && queues[q].bytes > best_bytes) {
			best = q;
			best_bytes = queues[q].bytes;
		}
	return best;
}

static void longest_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
			 const struct weir_queue *queues)
{
	struct longest_state *s = state;

	(void)params;
	(void)bytes;
	s->may_send[q] = queues[q].pkts > 0;
}

static const struct weir_sched_ops longest = {
	.scheme = {
		.name = "longest",
		.help = "serves the queue that holds the most bytes",
		.cite = "longest queue first",
	},
	.state_size = sizeof(struct longest_state),
	.init = longest_init,
	.activate = longest_activate,
	.halt = longest_halt,
	.pick = longest_pick,
	.sent = longest_sent,
};

const struct weir_plugin weir_plugin = { WEIR_ABI, .sched = &longest };
