/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_record.c -- the outcome of a search as its result folder keeps it:
 * lab/analysis/choice.h. */
#include "lab/campaign/choose.h"
#include "base/text.h"
#include "lab/store/store.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)CHOICE_RULES_MAX == (int)CHOOSE_KEEPS_MAX &&
		       (int)CHOICE_RANGES_MAX == (int)CHOOSE_RANGES_MAX &&
		       (int)CHOICE_ROUNDS == (int)CHOOSE_ROUNDS,
	       "a record holds every search");

static struct choice_metric record_metric(const struct choose_metric *m)
{
	struct choice_metric to;

	snprintf(to.name, sizeof(to.name), "%s", choose_metric_text(m).text);
	snprintf(to.unit, sizeof(to.unit), "%s", m->unit);
	return to;
}

static struct choice_numbers record_numbers(const struct choose *c, const struct candidate *x)
{
	struct choice_numbers n = { NAN, { NAN, NAN, NAN, NAN } };

	if (x->seeds == 0)
		return n;
	n.goal = x->goal;
	memcpy(n.rule, x->keep, c->q->keep_count * sizeof(n.rule[0]));
	return n;
}

static void record_request(const struct choose *c, struct choice *to)
{
	const struct choose_request *q = c->q;

	to->goal = record_metric(&q->goal);
	to->goal_is_most = q->goal_is_most;
	to->budget = q->budget;
	to->first_seed = c->first_seed;
	to->seeds = q->seeds;
	to->fresh_seeds = c->seeds;
	to->wins = c->wins;
	memcpy(to->sizes, c->sizes, sizeof(to->sizes));
	to->range_count = q->range_count;
	for (uint32_t i = 0; i < q->range_count; i++)
		to->ranges[i] = (struct choice_range){ text_copy(q->ranges[i].path),
						       text_copy(q->ranges[i].text) };
	to->rule_count = q->keep_count;
	for (uint32_t i = 0; i < q->keep_count; i++)
		to->rules[i] = (struct choice_rule){ record_metric(&q->keeps[i].metric),
						     q->keeps[i].is_most,
						     q->keeps[i].is_of_best,
						     q->keeps[i].number,
						     c->search_limits[i],
						     c->limits[i] };
}

static void record_setting(const struct choose *c, uint32_t candidate, struct choice_setting *to)
{
	const struct candidate *x = &c->all[candidate], *fresh = &c->judged[candidate];

	*to = (struct choice_setting){
		.point = text_copy(x->point),
		.seeds = x->seeds,
		.all = record_numbers(c, x),
		.first = record_numbers(c, x),
		.fresh = record_numbers(c, fresh),
		.is_kept = x->is_kept,
		.is_fresh_kept = fresh->is_kept,
		.is_judged = fresh->seeds > 0,
	};
	to->first.goal = x->first_goal;
	memcpy(to->first.rule, x->first_keep, c->q->keep_count * sizeof(to->first.rule[0]));
}

void choose_record(const struct choose *c, struct choice *to)
{
	uint32_t *order = memory_zeroed(c->count, sizeof(*order));
	uint32_t *place = memory_zeroed(c->count, sizeof(*place));

	memset(to, 0, sizeof(*to));
	record_request(c, to);
	to->count = c->count;
	to->all = memory_zeroed(c->count, sizeof(*to->all));
	choose_order(c, order);
	for (uint32_t i = 0; i < c->count; i++) {
		place[order[i]] = i;
		record_setting(c, order[i], &to->all[i]);
		to->all[i].is_front = c->q->keep_count && choose_is_in_front(c, order[i]);
	}
	to->own = place[0];
	to->run_count = c->run_count;
	to->runs = memory_zeroed(c->run_count, sizeof(*to->runs));
	for (uint64_t i = 0; i < c->run_count; i++) {
		memcpy(to->runs[i].key, c->runs[i].key, RUN_KEY_SIZE);
		to->runs[i].setting = place[c->runs[i].candidate];
	}
	free(order);
	free(place);
}
