/* SPDX-License-Identifier: BSD-3-Clause */
/* acc_state.c -- what ACC sees of a queue in a slot, what the slot was worth, and which queues are
 * idle.
 *
 * State (section 3.3): of each of the last k slots the queue's length at its end, the rate sent,
 * the rate sent with CE set, and the setting in force, normalised. How is not said. Here the rates
 * are shares of the line's, the setting is its number over the largest, and the length is the step
 * of E(n) it lies on, over ten: with bytes over 10 MB every queue that matters would be below 0.1.
 *
 * Traces (ours): three slots do not tell a queue that is steadily loaded from one between two
 * bursts, and the best settings of these are opposite. So the network may also see moving averages
 * over 8 and 64 slots of the rate sent, of the length's step and of the rate with CE, and for the
 * first two twice the mean deviation from that average; the setting once more as its own numbers,
 * for a place in a table says little; and the rate of the line as its share of itself and 25 Gb/s,
 * for thresholds are bytes.
 *
 * Reward (equation 2):
 *	r = w txRate / BW + (1 - w) D(L),  D(L) = 1 - n / 10,  n = min { n: E(n) >= L },  E(n) = 20
 ** 2^n KB where L is the mean queue of the slot; D is 0 above E(9), which the paper leaves open. Or
 * with D(L) = 1 - L / Q_max (appendix), or PRED's utility (lib/tune/qla.c).
 *
 * Idle (section 4.2): a queue below K_min, or whose reward did not change for three slots; until it
 * is above K_min. Taken by the letter, the second half lets a queue that is steadily too long keep
 * its bad setting for a slot in every few; and below K_min is also where the line is under-used
 * because too much was marked before. So idle=length and idle=none. */
#include "lib/agent/acc.h"
#include "lib/tune/qla.h"
#include "weir/units.h"
#include <math.h>
#include <string.h>

#define SHORTEST_BYTES (UINT64_C(20) * 1000)

uint32_t weir_acc_level(uint64_t bytes)
{
	uint32_t n = 0;

	while (n < ACC_LEVELS && bytes > SHORTEST_BYTES << n)
		n++;
	return n;
}

/* Of what the line carries in the slot, at most 1; no number where it carries nothing. */
static double line_share(uint64_t bytes, const struct weir_tune_telemetry *t)
{
	double capacity = (double)t->rate_bps * (double)t->interval_ns;
	double share = (double)bytes * WEIR_BITS_PER_BYTE * WEIR_NS_PER_S / capacity;

	if (!(capacity > 0.0))
		return NAN;
	return share < 1.0 ? share : 1.0;
}

/* --- reward --- */

static double shortness(const struct acc_params *p, uint64_t bytes)
{
	if (p->reward == ACC_STEP)
		return 1.0 - (double)weir_acc_level(bytes) / ACC_LEVELS;
	if (bytes >= p->queue_max_bytes)
		return 0.0;
	return 1.0 - (double)bytes / (double)p->queue_max_bytes;
}

static float utility(const struct acc_params *p, const struct weir_tune_telemetry *t,
		     uint64_t weight_q32)
{
	struct qla_params q = {
		.beta_q32 = weight_q32,
		.queue_left = p->queue_left,
		.queue_right = p->queue_right,
	};
	float u = acc_fraction(weir_qla_utility_q32(&q, t));

	return u < 1.0F ? u : 1.0F;
}

float weir_acc_reward(const struct acc_params *p, const struct weir_tune_telemetry *t)
{
	double weight, use = line_share(t->out_bytes, t);
	uint64_t weight_q32 = p->weight_q32;

	/* 0.7 is recommended in section 3.3, 0.4 in PRED 4.2. */
	if (!weight_q32)
		weight_q32 = WEIR_ONE_Q32 * (p->reward == ACC_UTILITY ? 4 : 7) / 10;
	if (p->reward == ACC_UTILITY)
		return utility(p, t, weight_q32);
	weight = (double)weight_q32 / (double)WEIR_ONE_Q32;
	return (float)(weight * (isnan(use) ? 0.0 : use) +
		       (1.0 - weight) * shortness(p, t->queue_mean_bytes));
}

/* --- idle queues --- */

static void look_whether_idle(struct acc_queue *q, const struct acc_params *p, uint64_t bytes)
{
	enum acc_idle rule = weir_acc_idle(p);
	int is_steady = rule == ACC_IDLE_PAPER && q->same >= p->idle_slots;

	if (rule == ACC_IDLE_NONE)
		q->is_idle = 0;
	else if (q->is_idle)
		q->is_idle = bytes <= q->min_bytes;
	else
		q->is_idle = bytes < q->min_bytes || is_steady;
}

/* --- traces --- */

static void follow(float *average, float value, float share)
{
	*average += share * (value - *average);
}

/* newest: length, rate, rate with CE. Averages begin with the first slot's. */
static void trace(struct acc_queue *q, const struct acc_params *p, const float *newest,
		  uint64_t rate_bps)
{
	static const float shares[ACC_SPANS] = { 1.0F / 8, 1.0F / 64 };

	for (uint32_t i = 0; i < ACC_SPANS; i++) {
		float *t = q->traces + i * ACC_SPAN_FEATURES, share = q->slots ? shares[i] : 1.0F;

		follow(&t[0], newest[1], share);
		follow(&t[1], 2.0F * fabsf(newest[1] - t[0]), share);
		follow(&t[2], newest[0], share);
		follow(&t[3], 2.0F * fabsf(newest[0] - t[2]), share);
		follow(&t[4], newest[2], share);
	}
	weir_acc_setting_features(p, q->setting, q->traces + ACC_SPANS * ACC_SPAN_FEATURES);
	q->traces[ACC_TRACE_FEATURES - 1] =
		(float)((double)rate_bps / ((double)rate_bps + (double)ACC_REFERENCE_BPS));
}

/* --- a slot --- */

uint32_t weir_acc_see(struct acc_queue *q, const struct acc_params *p,
		      const struct weir_tune_telemetry *t)
{
	uint32_t settings = weir_acc_setting_count(weir_acc_table(p)), strange;
	float *newest = q->seen[p->slots - 1], reward = weir_acc_reward(p, t);

	memmove(q->seen[0], q->seen[1], (p->slots - 1) * sizeof(q->seen[0]));
	newest[0] = (float)weir_acc_level(t->queue_end_bytes) / ACC_LEVELS;
	newest[1] = (float)line_share(t->out_bytes, t);
	newest[2] = (float)line_share(t->ce_bytes, t);
	newest[3] = (float)q->setting / (float)(settings - 1);
	strange = weir_learn_make_finite(newest, ACC_FEATURES);
	trace(q, p, newest, t->rate_bps);
	/* Before there are k slots the first stands for those that are missing. */
	for (uint32_t i = 0; !q->slots && i + 1 < p->slots; i++)
		memcpy(q->seen[i], newest, sizeof(q->seen[i]));
	q->same = q->slots && reward == q->reward ? q->same + 1 : 0;
	q->reward = reward;
	q->carries = t->out_bytes > 0 || t->queue_end_bytes > 0;
	q->slots = 1;
	look_whether_idle(q, p, t->queue_end_bytes);
	return strange;
}
