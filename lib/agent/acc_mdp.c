/* SPDX-License-Identifier: BSD-3-Clause */
/* acc_mdp.c -- the decision process of ACC: what the agent observes of a queue, what a slot is
 * worth, which queues are idle, and the tables of settings that are its actions.
 *
 * State (section 3.3): of each of the last k slots the queue's length at its end, the rate sent,
 * the rate sent with CE set, and the setting in force, normalised. How is not said. Here the rates
 * are shares of the line's, the setting is its index over the largest, and the length is the step
 * of E(n) it lies on, over ten: with bytes over 10 MB every queue that matters would be below 0.1.
 *
 * Traces (ours): three slots do not distinguish a steadily loaded queue from one between two
 * bursts, and the best settings of these are opposite. So the network may also see moving averages
 * over 8 and 64 slots of the rate sent, of the length's step and of the rate with CE, and for the
 * first two twice the mean deviation from that average; the numbers of the setting, as its index
 * says little; and the rate of the line as its share of itself and 25 Gb/s, as thresholds are
 * in bytes.
 *
 * Reward (equation 2):
 *	r = w txRate / BW + (1 - w) D(L),
 *	D(L) = 1 - n / 10,  n = min { n: E(n) >= L },  E(n) = 20 * 2^n KB,
 * where L is the mean queue of the slot; D is 0 above E(9), which the paper leaves open. Or
 *	D(L) = 1 - L / Q_max (appendix), or PRED's utility (lib/tune/qla.c).
 *
 * Idle (section 4.2): a queue below K_min, or whose reward did not change for three slots; until it
 * is above K_min. Taken literally, the second half lets a queue that is steadily too long keep its
 * bad setting for a slot in every few; and below K_min is also where the line is under-utilised
 * because too much was marked before. So idle=length and idle=none.
 *
 * Actions: a setting is (K_min, K_max, P_max). Yan et al. give three sizes of the table and do not
 * say where each is used:
 *	grid		section 3.3: K_min of E(n) = 20 * 2^n KB, n = 0..9; K_max of 1, 2, 5, 10 MB;
 *			P_max of 1 %, 5 %, 10 %, ..., 100 %; K_min <= K_max. With 1 MB = 1000 KB
 *			630.
 *	square		section 5.4 counts 55 * 20: both thresholds of E(n), P_max of 5 %, ...,
 *			100 %. 1100.
 *	template	section 6 counts operations and bytes that fit a net with 20 outputs only.
 *			Which 20 is not said; these are ours: five K_min, K_max 1 MB, four P_max.
 *	pred		Du et al., "PRED", NSDI 2025, section 6.3.3, of ACC as they built it:
 *			thresholds in packets. 252.
 *	front		ours: sixteen settings on fronts of completion time and goodput, of
 *			networks with one switch (docs/results/acc.md).
 *	weir		ours: twelve settings each of which is the best constant for some kind of
 *			traffic, from the tightest (incast of long flows) to hardly any marking
 *			(bursts that come and go over senders that recover slowly). The tables
 *			above have neither end. */
#include "lib/agent/acc.h"
#include "lib/tune/qla.h"
#include "weir/compiler.h"
#include "weir/tune.h"
#include "weir/units.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* --- states and rewards --- */

#define LEVEL_0_BYTES (UINT64_C(20) * 1000)

uint32_t weir_acc_level(uint64_t bytes)
{
	uint32_t n = 0;

	while (n < ACC_LEVELS && bytes > LEVEL_0_BYTES << n)
		n++;
	return n;
}

/* Share of the line's capacity in the slot, at most 1; NAN where the capacity is 0. */
static double acc_line_share(uint64_t bytes, const struct weir_tune_telemetry *t)
{
	double capacity = (double)t->rate_bps * (double)t->interval_ns;
	double share = (double)bytes * WEIR_BITS_PER_BYTE * WEIR_NS_PER_S / capacity;

	if (!(capacity > 0.0))
		return NAN;
	return share < 1.0 ? share : 1.0;
}

static double acc_shortness(const struct acc_params *p, uint64_t bytes)
{
	if (weir_acc_reward_kind(p) == ACC_STEP)
		return 1.0 - (double)weir_acc_level(bytes) / ACC_LEVELS;
	if (bytes >= weir_acc_queue_max(p))
		return 0.0;
	return 1.0 - (double)bytes / (double)weir_acc_queue_max(p);
}

static float acc_utility(const struct acc_params *p, const struct weir_tune_telemetry *t,
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
	double weight, use = acc_line_share(t->out_bytes, t);
	uint64_t weight_q32 = weir_acc_weight_q32(p);

	if (weir_acc_reward_kind(p) == ACC_UTILITY)
		return acc_utility(p, t, weight_q32);
	weight = (double)weight_q32 / (double)WEIR_ONE_Q32;
	return (float)(weight * (isnan(use) ? 0.0 : use) +
		       (1.0 - weight) * acc_shortness(p, t->queue_mean_bytes));
}

static void acc_update_idle(struct acc_queue *q, const struct acc_params *p, uint64_t bytes)
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

static void acc_average(float *average, float value, float share)
{
	*average += share * (value - *average);
}

/* newest: length, rate, rate with CE. The averages start at the first slot's values. */
static void acc_update_traces(struct acc_queue *q, const struct acc_params *p, const float *newest,
			      uint64_t rate_bps)
{
	static const float shares[ACC_SPANS] = { 1.0F / 8, 1.0F / 64 };

	for (uint32_t i = 0; i < ACC_SPANS; i++) {
		float *t = q->traces + i * ACC_SPAN_FEATURES, share = q->slots ? shares[i] : 1.0F;

		acc_average(&t[0], newest[1], share);
		acc_average(&t[1], 2.0F * fabsf(newest[1] - t[0]), share);
		acc_average(&t[2], newest[0], share);
		acc_average(&t[3], 2.0F * fabsf(newest[0] - t[2]), share);
		acc_average(&t[4], newest[2], share);
	}
	weir_acc_setting_features(p, q->setting, q->traces + ACC_SPANS * ACC_SPAN_FEATURES);
	q->traces[ACC_TRACE_FEATURES - 1] =
		(float)((double)rate_bps / ((double)rate_bps + (double)ACC_REFERENCE_BPS));
}

uint32_t weir_acc_observe(struct acc_queue *q, const struct acc_params *p,
			  const struct weir_tune_telemetry *t)
{
	uint32_t settings = weir_acc_setting_count(weir_acc_table(p)), strange;
	uint32_t slots = weir_acc_slots(p);
	float *newest = q->seen[slots - 1], reward = weir_acc_reward(p, t);

	memmove(q->seen[0], q->seen[1], (slots - 1) * sizeof(q->seen[0]));
	newest[0] = (float)weir_acc_level(t->queue_end_bytes) / ACC_LEVELS;
	newest[1] = (float)acc_line_share(t->out_bytes, t);
	newest[2] = (float)acc_line_share(t->ce_bytes, t);
	newest[3] = (float)q->setting / (float)(settings - 1);
	strange = weir_learn_make_finite(newest, ACC_FEATURES);
	acc_update_traces(q, p, newest, t->rate_bps);
	/* Until there are k slots the first one stands in for missing ones. */
	for (uint32_t i = 0; !q->slots && i + 1 < slots; i++)
		memcpy(q->seen[i], newest, sizeof(q->seen[i]));
	q->same = q->slots && reward == q->reward ? q->same + 1 : 0;
	q->reward = reward;
	q->carries = t->out_bytes > 0 || t->queue_end_bytes > 0;
	q->slots = 1;
	acc_update_idle(q, p, t->queue_end_bytes);
	return strange;
}

/* --- actions: tables of settings --- */

enum { BYTES_PER_KB = 1000, PERCENT = 100 };

struct acc_setting {
	uint32_t min, max; /* in KB or packets */
	uint32_t percent;
};

/* Every combination with min <= max, or a list where mins are NULL. */
struct acc_table {
	const char *name;
	const uint32_t *mins, *maxes, *percents; /* each ends with 0 */
	const struct acc_setting *list;
	uint32_t count;
	uint32_t in_packets;
};

static const uint32_t exponential[] = { 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 0 };
static const uint32_t few_mins[] = { 20, 40, 80, 160, 640, 0 };
static const uint32_t one_max[] = { 1000, 0 };
static const uint32_t coarse_maxes[] = { 1000, 2000, 5000, 10000, 0 };
static const uint32_t packet_mins[] = { 2, 4, 8, 16, 0 };
static const uint32_t packet_maxes[] = { 20, 50, 100, 0 };
static const uint32_t few_percents[] = { 5, 25, 50, 100, 0 };
static const uint32_t percents_from_1[] = { 1,  5,  10, 15, 20, 25, 30, 35, 40, 45,  50,
					    55, 60, 65, 70, 75, 80, 85, 90, 95, 100, 0 };

static const struct acc_setting both_ends[] = {
	{ 5, 200, 100 },      /* incast of long flows */
	{ 5, 1000, 100 },     /* the same with long round trips, or with mice among them */
	{ 20, 20, 100 },      /* a step: many flows, DCTCP, open-loop incast */
	{ 20, 1000, 25 },     /* few flows and mice */
	{ 20, 1000, 100 },    /* Clos, web search; the best of the template */
	{ 20, 10000, 5 },     /* bursts that come and go */
	{ 20, 10000, 25 },    /* short bursts over few flows; the best constant of the mix */
	{ 20, 10000, 100 },   /* bursts unlike those of training */
	{ 40, 1000, 100 },    /* elephants and a tenth of mice */
	{ 640, 1000, 5 },     /* many short messages at once over some long flows */
	{ 640, 1000, 100 },   /* storage */
	{ 2560, 10000, 100 }, /* long bursts: next to no marking */
};

/* ANCHOR is the setting that no constant dominates on most networks of one switch. */
enum { ANCHOR = 12 };

static const struct acc_setting front[] = {
	{ 5, 200, 5 }, /* from the shortest queue to the highest goodput */
	{ 5, 200, 50 },     { 20, 200, 5 },    { 20, 200, 50 },      { 20, 1000, 5 },
	{ 20, 1000, 20 },   { 20, 1000, 100 }, { 50, 400, 20 },      { 100, 400, 50 },
	{ 100, 1600, 5 },   { 100, 1600, 50 }, { 400, 4000, 5 },     [ANCHOR] = { 400, 4000, 20 },
	{ 400, 4000, 100 }, { 1000, 4000, 1 }, { 2560, 10000, 100 },
};

static const struct acc_table acc_tables[ACC_TABLES] = {
	[ACC_TEMPLATE] = { "template", few_mins, one_max, few_percents, NULL, 20, 0 },
	[ACC_GRID] = { "grid", exponential, coarse_maxes, percents_from_1, NULL, 630, 0 },
	[ACC_SQUARE] = { "square", exponential, exponential, percents_from_1 + 1, NULL, 1100, 0 },
	[ACC_PRED] = { "pred", packet_mins, packet_maxes, percents_from_1, NULL, 252, 1 },
	[ACC_BOTH_ENDS] = { "weir", NULL, NULL, NULL, both_ends,
			    sizeof(both_ends) / sizeof(both_ends[0]), 0 },
	[ACC_FRONT] = { "front", NULL, NULL, NULL, front, sizeof(front) / sizeof(front[0]), 0 },
};

uint32_t weir_acc_setting_count(enum acc_actions table)
{
	return acc_tables[table].count;
}

const char *weir_acc_table_name(enum acc_actions table)
{
	return acc_tables[table].name;
}

uint32_t weir_acc_anchor(const struct acc_params *p)
{
	return weir_acc_table(p) == ACC_FRONT ? ANCHOR : 0;
}

static uint32_t acc_length(const uint32_t *numbers)
{
	uint32_t n = 0;

	while (numbers[n])
		n++;
	return n;
}

/* The setting-th in the order of (min, max, percent). */
static struct acc_setting acc_setting_at(const struct acc_table *t, uint32_t setting)
{
	uint32_t percents, pair;

	assert(setting < t->count);
	if (t->list)
		return t->list[setting];
	percents = acc_length(t->percents);
	pair = setting / percents;
	for (const uint32_t *min = t->mins; *min; min++)
		for (const uint32_t *max = t->maxes; *max; max++)
			if (*min <= *max && pair-- == 0)
				return (struct acc_setting){ *min, *max,
							     t->percents[setting % percents] };
	assert(0); /* .count is the number of combinations */
	return (struct acc_setting){ 0, 0, 0 };
}

void weir_acc_setting_features(const struct acc_params *p, uint32_t setting, float *features)
{
	struct acc_setting s = acc_setting_at(&acc_tables[weir_acc_table(p)], setting);

	features[0] = (float)weir_acc_level((uint64_t)s.min * BYTES_PER_KB) / ACC_LEVELS;
	features[1] = (float)weir_acc_level((uint64_t)s.max * BYTES_PER_KB) / ACC_LEVELS;
	features[2] = (float)s.percent / PERCENT;
}

/* Bytes at 25 Gb/s as bytes at another rate; thresholds are below 2^34, rates below 2^44. */
static uint64_t acc_at_rate(uint64_t bytes, uint64_t rate_bps)
{
	return (uint64_t)((weir_u128)bytes * rate_bps / ACC_REFERENCE_BPS);
}

static uint64_t acc_percent_q32(uint32_t percent)
{
	return (WEIR_ONE_Q32 * percent + PERCENT / 2) / PERCENT;
}

struct weir_tune_knobs weir_acc_knobs(const struct acc_params *p, uint32_t setting,
				      const struct weir_agent_queue *q)
{
	const struct acc_table *t = &acc_tables[weir_acc_table(p)];
	struct acc_setting at = acc_setting_at(t, setting);
	uint64_t unit = t->in_packets ? q->mtu_bytes : BYTES_PER_KB;
	uint64_t min = at.min * unit, max = at.max * unit;

	if (weir_acc_is_by_rate(p)) {
		min = acc_at_rate(min, q->rate_bps);
		max = acc_at_rate(max, q->rate_bps);
	}
	return weir_tune_knobs_of(min, max, acc_percent_q32(at.percent));
}

struct weir_tune_knobs weir_acc_secn2(uint64_t rate_bps)
{
	return weir_tune_knobs_of(acc_at_rate(100 * BYTES_PER_KB, rate_bps),
				  acc_at_rate(400 * BYTES_PER_KB, rate_bps), acc_percent_q32(20));
}

struct weir_tune_knobs weir_acc_constant(uint64_t rate_bps)
{
	return weir_tune_knobs_of(acc_at_rate(20 * BYTES_PER_KB, rate_bps),
				  acc_at_rate(1000 * BYTES_PER_KB, rate_bps), WEIR_ONE_Q32);
}

struct weir_tune_knobs weir_acc_held(void)
{
	return weir_tune_knobs_of(50 * BYTES_PER_KB, 400 * BYTES_PER_KB, acc_percent_q32(1));
}

static int acc_is_below(const struct weir_tune_knobs *a, const struct weir_tune_knobs *b)
{
	if (a->min_bytes != b->min_bytes)
		return a->min_bytes < b->min_bytes;
	if (a->max_bytes != b->max_bytes)
		return a->max_bytes < b->max_bytes;
	return a->slope_q32 < b->slope_q32;
}

uint32_t weir_acc_nearest(const struct acc_params *p, const struct weir_tune_knobs *k,
			  const struct weir_agent_queue *q)
{
	uint32_t last = weir_acc_setting_count(weir_acc_table(p)) - 1, i = 0;

	for (; i < last; i++) {
		struct weir_tune_knobs at = weir_acc_knobs(p, i, q);

		if (!acc_is_below(&at, k))
			break;
	}
	return i;
}

/* C-ACC: an action is a number to the base ACC_SAMPLED with a digit per group; a digit selects one
 * of ACC_SAMPLED settings spread evenly over the table. */
uint32_t weir_acc_setting_of(const struct acc_params *p, uint32_t action,
			     const struct weir_agent_queue *q)
{
	uint32_t last = weir_acc_setting_count(weir_acc_table(p)) - 1;

	if (!weir_acc_is_central(p))
		return action;
	for (uint32_t group = 0; group < q->group; group++)
		action /= ACC_SAMPLED;
	return action % ACC_SAMPLED * last / (ACC_SAMPLED - 1);
}
