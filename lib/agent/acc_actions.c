/* SPDX-License-Identifier: BSD-3-Clause */
/* acc_actions.c -- the tables of settings that ACC chooses from.
 *
 * A setting is (K_min, K_max, P_max). Yan et al. give three sizes of the table, and which is meant
 * where is theirs to know: grid		section 3.3: K_min of E(n) = 20 * 2^n KB, n = 0..9;
 * K_max of 1, 2, 5, 10 MB; P_max of 1 %, 5 %, 10 %, ..., 100 %; K_min <= K_max. With 1 MB = 1000 KB
 * 630. square		section 5.4 counts 55 * 20: both thresholds of E(n), P_max of 5 %, ..., 100
 * %. 1100. template	section 6 counts operations and bytes that fit a net with 20 outputs only.
 * Which 20 is not said; these are ours: five K_min, K_max 1 MB, four P_max.
 *	pred		Du et al., "PRED", NSDI 2025, section 6.3.3, of ACC as they built it:
 * thresholds in packets. 252.
 *	weir		ours: twelve settings each of which is the best constant for some kind of
 * traffic, from the tightest (incast of long flows) to hardly any marking (bursts that come and go
 *			over senders that recover slowly). The tables above have neither end. */
#include "weir/compiler.h"
#include "lib/agent/acc.h"
#include "weir/tune.h"
#include "weir/units.h"
#include <assert.h>

enum { BYTES_PER_KB = 1000, PERCENT = 100 };

struct setting {
	uint32_t min, max; /* in KB or packets */
	uint32_t percent;
};

/* Every combination with min <= max, or a list where mins are NULL. */
struct table {
	const char *name;
	const uint32_t *mins, *maxes, *percents; /* each ends with 0 */
	const struct setting *list;
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

static const struct setting both_ends[] = {
	{ 5, 200, 100 },      /* incast of long flows */
	{ 5, 1000, 100 },     /* the same with long round trips, or with mice among them */
	{ 20, 20, 100 },      /* a step: many flows, DCTCP, open-loop incast */
	{ 20, 1000, 25 },     /* few flows and mice */
	{ 20, 1000, 100 },    /* Clos, web search; the best of the template */
	{ 20, 10000, 5 },     /* bursts that come and go */
	{ 20, 10000, 25 },    /* short bursts over few flows; the best constant of the mix */
	{ 20, 10000, 100 },   /* bursts that nobody has seen before */
	{ 40, 1000, 100 },    /* elephants and a tenth of mice */
	{ 640, 1000, 5 },     /* many short messages at once over some long flows */
	{ 640, 1000, 100 },   /* storage */
	{ 2560, 10000, 100 }, /* long bursts: next to no marking */
};

static const struct table tables[ACC_TABLES] = {
	[ACC_TEMPLATE] = { "template", few_mins, one_max, few_percents, NULL, 20, 0 },
	[ACC_GRID] = { "grid", exponential, coarse_maxes, percents_from_1, NULL, 630, 0 },
	[ACC_SQUARE] = { "square", exponential, exponential, percents_from_1 + 1, NULL, 1100, 0 },
	[ACC_PRED] = { "pred", packet_mins, packet_maxes, percents_from_1, NULL, 252, 1 },
	[ACC_BOTH_ENDS] = { "weir", NULL, NULL, NULL, both_ends,
			    sizeof(both_ends) / sizeof(both_ends[0]), 0 },
};

uint32_t weir_acc_setting_count(enum acc_actions table)
{
	return tables[table].count;
}

const char *weir_acc_table_name(enum acc_actions table)
{
	return tables[table].name;
}

static uint32_t length_of(const uint32_t *numbers)
{
	uint32_t n = 0;

	while (numbers[n])
		n++;
	return n;
}

/* The setting-th in the order of (min, max, percent). */
static struct setting setting_at(const struct table *t, uint32_t setting)
{
	uint32_t percents, pair;

	assert(setting < t->count);
	if (t->list)
		return t->list[setting];
	percents = length_of(t->percents);
	pair = setting / percents;
	for (const uint32_t *min = t->mins; *min; min++)
		for (const uint32_t *max = t->maxes; *max; max++)
			if (*min <= *max && pair-- == 0)
				return (struct setting){ *min, *max,
							 t->percents[setting % percents] };
	assert(0); /* a table's count is that of its combinations */
	return (struct setting){ 0, 0, 0 };
}

void weir_acc_setting_features(const struct acc_params *p, uint32_t setting, float *features)
{
	struct setting s = setting_at(&tables[weir_acc_table(p)], setting);

	features[0] = (float)weir_acc_level((uint64_t)s.min * BYTES_PER_KB) / ACC_LEVELS;
	features[1] = (float)weir_acc_level((uint64_t)s.max * BYTES_PER_KB) / ACC_LEVELS;
	features[2] = (float)s.percent / PERCENT;
}

/* --- settings as knobs --- */

/* Bytes at 25 Gb/s as bytes at another rate; thresholds are below 2^34, rates below 2^44. */
static uint64_t at_rate(uint64_t bytes, uint64_t rate_bps)
{
	return (uint64_t)((weir_u128)bytes * rate_bps / ACC_REFERENCE_BPS);
}

static uint64_t percent_q32(uint32_t percent)
{
	return (WEIR_ONE_Q32 * percent + PERCENT / 2) / PERCENT;
}

struct weir_tune_knobs weir_acc_knobs(const struct acc_params *p, uint32_t setting,
				      const struct weir_agent_queue *q)
{
	const struct table *t = &tables[weir_acc_table(p)];
	struct setting at = setting_at(t, setting);
	uint64_t unit = t->in_packets ? q->mtu_bytes : BYTES_PER_KB;
	uint64_t min = at.min * unit, max = at.max * unit;

	if (p->thresholds == ACC_BY_RATE) {
		min = at_rate(min, q->rate_bps);
		max = at_rate(max, q->rate_bps);
	}
	return weir_tune_knobs_of(min, max, percent_q32(at.percent));
}

struct weir_tune_knobs weir_acc_secn2(uint64_t rate_bps)
{
	return weir_tune_knobs_of(at_rate(100 * BYTES_PER_KB, rate_bps),
				  at_rate(400 * BYTES_PER_KB, rate_bps), percent_q32(20));
}

static int is_below(const struct weir_tune_knobs *a, const struct weir_tune_knobs *b)
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

		if (!is_below(&at, k))
			break;
	}
	return i;
}

/* C-ACC: digits to the base of ACC_SAMPLED, one for each group, each a setting from evenly over the
 * table. */
uint32_t weir_acc_setting_of(const struct acc_params *p, uint32_t action,
			     const struct weir_agent_queue *q)
{
	uint32_t last = weir_acc_setting_count(weir_acc_table(p)) - 1;

	if (p->scope == WEIR_AGENT_PER_SWITCH)
		return action;
	for (uint32_t group = 0; group < q->group; group++)
		action /= ACC_SAMPLED;
	return action % ACC_SAMPLED * last / (ACC_SAMPLED - 1);
}
