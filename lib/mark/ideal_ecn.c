/* SPDX-License-Identifier: BSD-3-Clause */
/* ideal_ecn.c -- a threshold for each queue in proportion to the rate at which it drains.
 *
 * Bai, Chen, Chen, Kim, Wu, "Enabling ECN over Generic Packet Scheduling", CoNEXT 2016, sections
 * 3.1 and 3.3: K_i = C_i RTT lambda, with C_i measured by Algorithm 1, which is that of PIE (RFC
 * 8033, section 5.2). A measurement begins when a packet leaves dq_thresh or more behind, ends
 * when dq_thresh bytes have left, and gives a sample of the rate; while so much still waits, the
 * next begins at once. With k = C RTT lambda, the threshold of a queue that has the line to
 * itself, K_i = k C_i / C.
 *
 * The text prints no more of the algorithm's second step than its condition; what is missing is
 * RFC 8033's, with the averaging of the paper. As in the authors' ns-2 code a packet has left when
 * it is sent: a measurement runs from the begin of its first packet to the end of its last.
 * Otherwise dq_thresh bytes sent in a row would seem faster than the line. Until the first sample
 * C_i is C. */
#include "weir/compiler.h"
#include "weir/mark.h"
#include "weir/units.h"
#include <math.h>

struct ideal_params {
	uint64_t k; /* WEIR_OPT_LENGTH */
	uint64_t dq_thresh_bytes;
	uint64_t averaging_q32;
};

struct ideal_state {
	uint64_t threshold;   /* of the length, in bytes or packets as k is */
	uint64_t count_bytes; /* that left in this measurement */
	int64_t start_ns;
	uint64_t is_measuring;
	uint64_t sample_bps;
	uint64_t average_q16; /* bps; 0: no sample yet */
	uint64_t rate_bps;
	uint64_t ps_per_byte_q20;
};

enum { RATE_BITS = 16 };

#define K_MAX (UINT64_C(4) * 1000 * 1000 * 1000)
#define AVERAGING_MAX_Q32 (WEIR_ONE_Q32 * 99 / 100)

static const struct weir_option ideal_options[] = {
	{ "k", WEIR_OPT_LENGTH, offsetof(struct ideal_params, k), "65pkts", 0, K_MAX,
	  "threshold of a queue that has the full link rate; others have it in proportion to "
	  "their share",
	  NULL },
	{ "dq-thresh", WEIR_OPT_BYTES, offsetof(struct ideal_params, dq_thresh_bytes), "10KB", 1,
	  K_MAX, "backlog that starts a measurement of the drain rate, and bytes sent that end it",
	  NULL },
	{ "averaging", WEIR_OPT_FRACTION_Q32, offsetof(struct ideal_params, averaging_q32), "0.875",
	  0, AVERAGING_MAX_Q32,
	  "weight of the previous average when a measurement gives a new sample", NULL },
	{ .name = NULL },
};

/* No share is so small that an empty queue has reached it. */
static uint64_t ideal_quiet_below(const void *params)
{
	const struct ideal_params *p = params;

	return weir_length_number(p->k) > 0;
}

static void ideal_init(void *state, const void *params, const struct weir_mark_env *env)
{
	struct ideal_state *s = state;
	const struct ideal_params *p = params;

	s->threshold = weir_length_number(p->k);
	s->rate_bps = env->rate_bps;
	s->ps_per_byte_q20 = weir_bps_to_ps_per_byte_q20(env->rate_bps);
}

/* dq_rate = dq_count / (end - start) in bps, rounded down, between 1 and the line's rate: clocks in
 * whole ns may make a short interval too short. A count is below 2^33 bytes, so 33 + 33 bits. */
static uint64_t ideal_rate_bps(const struct ideal_state *s, int64_t end_ns)
{
	uint64_t interval_ns = end_ns > s->start_ns ? (uint64_t)(end_ns - s->start_ns) : 0;
	weir_u128 bits = (weir_u128)s->count_bytes * WEIR_BITS_PER_BYTE * WEIR_NS_PER_S;

	if (bits >= (weir_u128)interval_ns * s->rate_bps)
		return s->rate_bps;
	return bits < interval_ns ? 1 : (uint64_t)(bits / interval_ns);
}

/* avg_rate <- a avg_rate + (1 - a) dq_rate, the first sample as it is. The step is rounded towards
 * the old value, so the average stops within 2^-16 / (1 - a) bps of a constant sample. Rates are
 * below 2^43 bps, so 59 bits times 32.
 *
 * length >= k avg_rate / C holds for the same whole numbers as length >= that rounded up. */
static void ideal_sample(struct ideal_state *s, const struct ideal_params *p, uint64_t sample_bps)
{
	uint64_t sample_q16 = sample_bps << RATE_BITS, average = s->average_q16;
	uint64_t weight_q32 = average ? WEIR_ONE_Q32 - p->averaging_q32 : WEIR_ONE_Q32;
	weir_u128 rate_q16 = (weir_u128)s->rate_bps << RATE_BITS;

	if (sample_q16 >= average)
		average += (uint64_t)((weir_u128)(sample_q16 - average) * weight_q32 >> 32);
	else
		average -= (uint64_t)((weir_u128)(average - sample_q16) * weight_q32 >> 32);
	s->sample_bps = sample_bps;
	s->average_q16 = average;
	s->threshold = (uint64_t)(((weir_u128)weir_length_number(p->k) * average + rate_q16 - 1) /
				  rate_q16);
}

static uint32_t ideal_dequeue(void *state, const void *params, const struct weir_mark_view *v)
{
	struct ideal_state *s = state;
	const struct ideal_params *p = params;

	if (!s->is_measuring) {
		if (v->queue_bytes < p->dq_thresh_bytes)
			return WEIR_MARK_PASS;
		s->is_measuring = 1;
		s->count_bytes = 0;
		s->start_ns = v->now_ns;
	}
	s->count_bytes += v->packet_bytes;
	if (s->count_bytes < p->dq_thresh_bytes)
		return WEIR_MARK_PASS;

	int64_t end_ns =
		v->now_ns + weir_ps_to_ns(weir_bytes_to_ps(v->packet_bytes, s->ps_per_byte_q20));

	ideal_sample(s, p, ideal_rate_bps(s, end_ns));
	s->is_measuring = v->queue_bytes >= p->dq_thresh_bytes;
	s->count_bytes = 0;
	s->start_ns = end_ns;
	return WEIR_MARK_PASS;
}

static uint32_t ideal_enqueue(void *state, const void *params, const struct weir_mark_view *v)
{
	const struct ideal_state *s = state;
	const struct ideal_params *p = params;
	uint32_t length = weir_length_is_packets(p->k) ? v->queue_pkts : v->queue_bytes;

	return length >= s->threshold ? WEIR_MARK_CE : WEIR_MARK_PASS;
}

static double ideal_read_sample(const void *state, const void *params)
{
	const struct ideal_state *s = state;

	(void)params;
	return s->average_q16 ? (double)s->sample_bps : NAN;
}

static double ideal_read_capacity(const void *state, const void *params)
{
	const struct ideal_state *s = state;

	(void)params;
	return s->average_q16 ? (double)s->average_q16 / (double)(1 << RATE_BITS)
			      : (double)s->rate_bps;
}

static const struct weir_mark_value ideal_values[] = {
	{ "sample", "bps", ideal_read_sample },
	{ "capacity", "bps", ideal_read_capacity },
	{ .name = NULL },
};

const struct weir_mark_ops weir_mark_ideal_ecn = {
	.scheme = {
		.name = "ideal-ecn",
		.help = "ideal ECN: threshold proportional to the measured drain rate of the "
			"queue",
		.cite = "Bai et al., Enabling ECN over Generic Packet Scheduling, CoNEXT 2016, section 3.3",
		.params_size = sizeof(struct ideal_params),
		.options = ideal_options,
	},
	.state_size = sizeof(struct ideal_state),
	.reasons = { "length" },
	.values = ideal_values,
	.quiet_below = ideal_quiet_below,
	.init = ideal_init,
	.enqueue = ideal_enqueue,
	.dequeue = ideal_dequeue,
};
