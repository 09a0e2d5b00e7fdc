/* SPDX-License-Identifier: BSD-3-Clause */
/* mq_ecn.c -- a threshold for each queue in proportion to what a round of the scheduler gives it.
 *
 * Bai, Chen, Chen, Wu, "Enabling ECN in Multi-Service Multi-Queue Data Centers", NSDI 2016: where
 * queues take turns, queue i sends at most quantum_i a round, so that it is worth a rate of
 *	C_i = min(quantum_i / T_round, C)	and a threshold of	K_i = C_i RTT lambda.
 * With k = C RTT lambda, the threshold of a queue that has the line to itself, K_i = k C_i / C.
 * All queues of a port share one T_round, and every turn of every queue is a sample of it.
 *
 * Details are those of the authors' code for ns-2 (HKUST-SING/MQ-ECN-NS2, queue/dwrr.cc):
 *	- a sample is the time from the end of the queue's last turn, or from when it became busy if
 *	  that is later, to the end of this turn;
 *	- T_round <- beta T_round + (1 - beta) sample;
 *	- while the port is idle every T_idle counts as a sample of 0, so that a queue which then
 *	  comes has the whole line's threshold soon.
 *
 * Differs: idle is a port whose line is free; the authors count from when the last packet begins
 * to be sent. As in ecn, marks begin when the length that a packet finds reaches the threshold.
 *
 * A quantum is meant to hold a frame: where it takes several rounds to send one, the time between
 * turns that sent something is longer than a round. */
#include "weir/compiler.h"
#include "weir/mark.h"
#include "lib/mark/red_common.h"
#include "weir/units.h"

struct mq_params {
	uint64_t k; /* WEIR_OPT_LENGTH */
	uint64_t beta_q32;
	uint64_t idle_ns; /* 0: what the largest frame takes */
};

struct mq_queue {
	int64_t since_ns;  /* end of its last turn, or when it became busy */
	uint64_t send_q16; /* ns that its quantum occupies the line */
};

enum { NO_QUEUE = WEIR_QUEUES_MAX, TIME_BITS = 16 };

struct mq_state {
	uint64_t round_q16; /* T_round in ns; 0: not known */
	int64_t idle_since_ns;
	uint64_t idle_ns;
	uint64_t ps_per_byte_q20;
	uint64_t rate_bps;
	uint32_t queues;
	uint32_t is_idle;
	uint32_t turn;   /* of the packet that left last ... */
	uint32_t holder; /* ... and whose it was; NO_QUEUE: it is over */
	uint8_t is_busy[WEIR_QUEUES_MAX];
	struct mq_queue queue[WEIR_QUEUES_MAX];
};

#define K_MAX (UINT64_C(4) * 1000 * 1000 * 1000)
#define BETA_MAX_Q32 (WEIR_ONE_Q32 * 99 / 100)
/* A quarter of an hour: far beyond any round, and it fits 56 bits when scaled. */
#define ROUND_MAX_NS (INT64_C(1) << 40)

static const struct weir_option mq_options[] = {
	{ "k", WEIR_OPT_LENGTH, offsetof(struct mq_params, k), "65pkts", 0, K_MAX,
	  "threshold of a queue that has the full link rate; others have it in proportion to "
	  "their share",
	  NULL },
	{ "beta", WEIR_OPT_FRACTION_Q32, offsetof(struct mq_params, beta_q32), "0.75", 0,
	  BETA_MAX_Q32,
	  "weight of the previous round-time estimate when a round gives a new "
	  "sample",
	  NULL },
	{ "idle", WEIR_OPT_TIME_NS, offsetof(struct mq_params, idle_ns), "0us", 0, WEIR_NS_PER_S,
	  "idle time after which the round time counts as zero; 0us: serialisation delay of the "
	  "largest frame",
	  NULL },
	{ .name = NULL },
};

static uint32_t mq_needs(const void *params)
{
	(void)params;
	return WEIR_MARK_NEEDS_ENQUEUE | WEIR_MARK_NEEDS_DEQUEUE | WEIR_MARK_NEEDS_ROUNDS;
}

/* No share is so small that an empty queue has reached it. */
static uint64_t mq_quiet_below(const void *params)
{
	const struct mq_params *p = params;

	return weir_length_number(p->k) > 0;
}

static int64_t mq_send_ns(const struct mq_state *s, uint32_t bytes)
{
	return weir_ps_to_ns(weir_bytes_to_ps(bytes, s->ps_per_byte_q20));
}

/* quantum 8 / C in ns, at most ROUND_MAX_NS. Quanta are below 2^38 bytes, so 38 + 33 + 16 bits. */
static uint64_t quantum_ns_q16(uint64_t quantum_bytes, uint64_t rate_bps)
{
	weir_u128 send_q16 =
		((weir_u128)quantum_bytes * WEIR_BITS_PER_BYTE * WEIR_NS_PER_S << TIME_BITS) /
		rate_bps;
	uint64_t most_q16 = (uint64_t)ROUND_MAX_NS << TIME_BITS;

	return send_q16 < most_q16 ? (uint64_t)send_q16 : most_q16;
}

static void mq_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct mq_state *s = state;
	const struct mq_params *p = params;

	s->ps_per_byte_q20 = weir_bps_to_ps_per_byte_q20(env->rate_bps);
	s->rate_bps = env->rate_bps;
	s->queues = env->queues;
	s->holder = NO_QUEUE;
	s->idle_ns = p->idle_ns ? p->idle_ns : (uint64_t)mq_send_ns(s, env->mtu_bytes);
	if (s->idle_ns == 0)
		s->idle_ns = 1;
	for (uint32_t q = 0; q < env->queues; q++)
		s->queue[q].send_q16 = quantum_ns_q16(env->quantum_bytes[q], env->rate_bps);
}

/* T_round <- beta T_round + (1 - beta) sample. The step is rounded towards the old value, so
 * T_round stops within 2^-16 / (1 - beta) ns of a constant sample. */
static void mq_sample(struct mq_state *s, uint64_t beta_q32, int64_t sample_ns)
{
	uint64_t sample_q16, weight_q32 = WEIR_ONE_Q32 - beta_q32;

	sample_ns = sample_ns < ROUND_MAX_NS ? sample_ns : ROUND_MAX_NS;
	sample_q16 = sample_ns > 0 ? (uint64_t)sample_ns << TIME_BITS : 0;
	if (sample_q16 >= s->round_q16)
		s->round_q16 += average_times_q32(sample_q16 - s->round_q16, weight_q32);
	else
		s->round_q16 -= average_times_q32(s->round_q16 - sample_q16, weight_q32);
}

/* As many samples of 0 as the idle time held: T_round <- beta^n T_round. The factor is less than
 * 126 * 2^-32 too small (red_common.h). */
static void mq_fade(struct mq_state *s, uint64_t beta_q32, int64_t now_ns)
{
	uint64_t idle_ns = now_ns > s->idle_since_ns ? (uint64_t)(now_ns - s->idle_since_ns) : 0;

	s->is_idle = 0;
	if (idle_ns >= s->idle_ns)
		s->round_q16 = average_times_q32(s->round_q16,
						 average_power_q32(beta_q32, idle_ns / s->idle_ns));
}

static void mq_end_turn(struct mq_state *s, uint64_t beta_q32, uint32_t q, int64_t end_ns)
{
	mq_sample(s, beta_q32, end_ns - s->queue[q].since_ns);
	s->queue[q].since_ns = end_ns;
	s->holder = NO_QUEUE;
}

/* A turn that leaves packets behind has ended when the next one begins, a turn that leaves none
 * when its last packet has been sent. A queue that was empty became busy when the packet came that
 * now leaves first. One queue alone has no rounds, and the whole line. */
static uint32_t mq_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct mq_state *s = state;
	const struct mq_params *p = params;
	struct mq_queue *queue = &s->queue[v->queue];

	if (s->queues == 1)
		return WEIR_MARK_PASS;
	if (s->is_idle)
		mq_fade(s, p->beta_q32, v->now_ns);
	if (s->holder != NO_QUEUE && s->turn != v->turn)
		mq_end_turn(s, p->beta_q32, s->holder, v->now_ns);
	if (!s->is_busy[v->queue] && queue->since_ns < v->now_ns - v->sojourn_ns)
		queue->since_ns = v->now_ns - v->sojourn_ns;
	s->is_busy[v->queue] = v->queue_pkts > 0;
	s->turn = v->turn;
	s->holder = v->queue;
	if (v->queue_pkts == 0)
		mq_end_turn(s, p->beta_q32, v->queue, v->now_ns + mq_send_ns(s, v->packet_bytes));
	if (v->port_pkts == 0) {
		s->is_idle = 1;
		s->idle_since_ns = v->now_ns + mq_send_ns(s, v->packet_bytes);
	}
	return WEIR_MARK_PASS;
}

/* length >= k min(quantum / (T_round C), 1), with quantum / C in ns as send:
 *	length >= k	or	length T_round >= k send,
 * where T_round 0 leaves the first alone. Lengths are below 2^32 and times below 2^57. */
static uint32_t mq_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct mq_state *s = state;
	const struct mq_params *p = params;
	uint64_t k = weir_length_number(p->k);
	uint64_t length = weir_length_is_packets(p->k) ? v->queue_pkts : v->queue_bytes;

	if (length >= k)
		return WEIR_MARK_CE;
	if ((weir_u128)length * s->round_q16 >= (weir_u128)k * s->queue[v->queue].send_q16)
		return WEIR_MARK_CE;
	return WEIR_MARK_PASS;
}

static double mq_read_round(const void *state, const void *params)
{
	const struct mq_state *s = state;

	(void)params;
	return (double)s->round_q16 / (double)(1 << TIME_BITS);
}

/* Capacity of the first queue; those of others are proportional to their quanta, up to the line
 * rate. */
static double mq_read_capacity(const void *state, const void *params)
{
	const struct mq_state *s = state;

	(void)params;
	if (s->queue[0].send_q16 >= s->round_q16)
		return (double)s->rate_bps;
	return (double)s->rate_bps * (double)s->queue[0].send_q16 / (double)s->round_q16;
}

static const struct weir_mark_value mq_values[] = {
	{ "round", "ns", mq_read_round },
	{ "capacity", "bps", mq_read_capacity },
	{ .name = NULL },
};

const struct weir_mark_ops weir_mark_mq_ecn = {
	.scheme = {
		.name = "mq-ecn",
		.help = "MQ-ECN: threshold proportional to the queue's share of the scheduler's "
			"round",
		.cite = "Bai et al., Enabling ECN in Multi-Service Multi-Queue Data Centers, NSDI 2016",
		.params_size = sizeof(struct mq_params),
		.options = mq_options,
	},
	.state_size = sizeof(struct mq_state),
	.scope = WEIR_MARK_STATE_PER_PORT,
	.reasons = { "length" },
	.values = mq_values,
	.needs = mq_needs,
	.quiet_below = mq_quiet_below,
	.init = mq_init,
	.enqueue = mq_enqueue,
	.dequeue = mq_dequeue,
};
