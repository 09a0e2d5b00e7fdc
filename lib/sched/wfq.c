/* SPDX-License-Identifier: BSD-3-Clause */
/* wfq.c -- weighted fair queueing by start tags, alone or below strict-priority queues.
 *
 * Goyal, Vin, Cheng, "Start-time Fair Queuing", SIGCOMM 1996, section 2. A packet's start tag is
 * max(virtual time, finish tag of the one before it in its queue), its finish tag length / weight
 * later; the smallest start tag is served and virtual time is the tag of the packet in service. The
 * packets of a busy queue follow each other without a gap, so one tag a queue is enough: the start
 * tag of the head while the queue is busy, the finish tag of the last packet while it is not.
 *
 * Differs: virtual time does not jump to the largest finish tag when the port becomes idle, because
 * the port does not report that its link is idle. After a pause a queue may thus be ahead of
 * another by at most one packet, which is within the paper's bound (theorem 1).
 *
 * wfq is sp-wfq with no priority queue: the strict queues have the lowest numbers, so while one is
 * busy it is the lowest busy queue of all, and while none is, all busy queues are weighted. */
#include "lib/sched/queues.h"

struct wfq_params {
	uint64_t strict_queues;
	struct weir_weights weights;
};

/* Tags count bytes of a queue of weight 1, scaled by 2^32, and wrap around. All that matters is how
 * far they lie ahead of virtual time, which is at most one packet: less than 2^48. */
struct wfq_queue {
	uint64_t tag_q32;
	uint64_t per_byte_q32; /* 2^32 / weight to the nearest: off by less than 2^-16 of itself */
};

struct wfq_state {
	struct busy busy; /* first: for weir_busy_halt */
	uint64_t virtual_q32;
	struct wfq_queue queue[];
};

#define PACKET_BYTES_MAX UINT64_C(65535)
#define AHEAD_MAX_Q32 (PACKET_BYTES_MAX << 32)

static const struct weir_option wfq_options[] = {
	WEIGHTS_OPTION(struct wfq_params, weights),
	{ .name = NULL },
};

static const struct weir_option sp_wfq_options[] = {
	PRIORITY_QUEUES_OPTION(struct wfq_params, strict_queues),
	WEIGHTS_OPTION(struct wfq_params, weights),
	{ .name = NULL },
};

static int wfq_fits(const void *params, uint32_t queues, struct weir_error *e)
{
	const struct wfq_params *p = params;

	return weir_weights_check(&p->weights, p->strict_queues, queues, e);
}

static void wfq_init(void *state, const void *params, uint32_t queues)
{
	struct wfq_state *s = state;
	const struct wfq_params *p = params;

	for (uint32_t q = (uint32_t)p->strict_queues; q < queues; q++) {
		uint32_t weight = weights_of(&p->weights, q - (uint32_t)p->strict_queues);

		s->queue[q].per_byte_q32 = (WEIR_ONE_Q32 + weight / 2) / weight;
	}
}

/* A finish tag behind virtual time is void. After tags have wrapped, a very old one may seem to lie
 * ahead; the queue is then delayed by one packet at most. */
static void wfq_activate(void *state, const void *params, uint32_t q,
			 const struct weir_queue *queues)
{
	struct wfq_state *s = state;

	(void)params;
	(void)queues;
	busy_add(&s->busy, q);
	if (s->queue[q].tag_q32 - s->virtual_q32 > AHEAD_MAX_Q32)
		s->queue[q].tag_q32 = s->virtual_q32;
}

/* Equal tags: the lowest queue. */
static uint32_t wfq_pick(void *state, const void *params, const struct weir_queue *queues)
{
	struct wfq_state *s = state;
	const struct wfq_params *p = params;
	uint32_t best = busy_from(&s->busy, 0);
	uint64_t ahead_q32;

	(void)queues;
	if (best < p->strict_queues)
		return best;
	ahead_q32 = s->queue[best].tag_q32 - s->virtual_q32;
	for (uint32_t w = 0; w < BUSY_WORDS; w++) {
		for (uint64_t left = s->busy.word[w]; left; left &= left - 1) {
			uint32_t q = w * BUSY_WORD_BITS + (uint32_t)__builtin_ctzll(left);
			uint64_t this_q32 = s->queue[q].tag_q32 - s->virtual_q32;

			if (this_q32 < ahead_q32) {
				ahead_q32 = this_q32;
				best = q;
			}
		}
	}
	return best;
}

static void wfq_sent(void *state, const void *params, uint32_t q, uint32_t bytes,
		     const struct weir_queue *queues)
{
	struct wfq_state *s = state;
	const struct wfq_params *p = params;

	if (queues[q].pkts == 0)
		busy_remove(&s->busy, q);
	if (q < p->strict_queues)
		return;
	s->virtual_q32 = s->queue[q].tag_q32;
	s->queue[q].tag_q32 += bytes * s->queue[q].per_byte_q32;
}

const struct weir_sched_ops weir_sched_wfq = {
	.scheme = {
		.name = "wfq",
		.help = "shares the link in bytes by weight, packet by packet",
		.cite = "Goyal, Vin, Cheng, Start-time Fair Queuing, SIGCOMM 1996",
		.params_size = sizeof(struct wfq_params),
		.options = wfq_options,
	},
	.state_size = sizeof(struct wfq_state),
	.queue_state_size = sizeof(struct wfq_queue),
	.fits = wfq_fits,
	.init = wfq_init,
	.activate = wfq_activate,
	.halt = weir_busy_halt,
	.pick = wfq_pick,
	.sent = wfq_sent,
};

const struct weir_sched_ops weir_sched_sp_wfq = {
	.scheme = {
		.name = "sp-wfq",
		.help = "serves the first queues by strict priority and shares the rest by wfq",
		.cite = "strict priority over Goyal, Vin, Cheng, SIGCOMM 1996",
		.params_size = sizeof(struct wfq_params),
		.options = sp_wfq_options,
	},
	.state_size = sizeof(struct wfq_state),
	.queue_state_size = sizeof(struct wfq_queue),
	.fits = wfq_fits,
	.init = wfq_init,
	.activate = wfq_activate,
	.halt = weir_busy_halt,
	.pick = wfq_pick,
	.sent = wfq_sent,
};
