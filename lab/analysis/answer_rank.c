/* SPDX-License-Identifier: BSD-3-Clause */
/* answer_rank.c -- pairwise comparison of ranked settings: significance, domination, costs. */
#include "lab/analysis/answer.h"
#include <math.h>

/* Smaller differences are ignored as negligible effect sizes: relative to the larger value, or
 * absolute for shares of a whole. */
#define RANK_TOLERANCE 0.01
#define RANK_SHARE_TOLERANCE 1e-5

static const struct compare_row *row_of(const struct ranking *r, const struct rank_entry *a,
					uint32_t objective)
{
	return a->rows[r->objectives[objective].source];
}

double ranking_value(const struct ranking *r, const struct rank_entry *a, uint32_t objective)
{
	const struct compare_row *row = row_of(r, a, objective);

	return row ? row->cells[r->objectives[objective].column].mean : (double)NAN;
}

static struct compare_cell ranking_pair(const struct ranking *r, const struct rank_entry *a,
					const struct rank_entry *b, uint32_t objective,
					enum compare_pairing how)
{
	const struct rank_objective *o = &r->objectives[objective];
	struct compare_reference over = r->pairs[o->source];

	over.row = row_of(r, b, objective);
	return comparison_pair(r->tables[o->source], row_of(r, a, objective), &over, o->column,
			       how);
}

struct compare_cell ranking_ratio(const struct ranking *r, const struct rank_entry *a,
				  const struct rank_entry *b, uint32_t objective)
{
	return ranking_pair(r, a, b, objective, PAIR_RATIO);
}

/* Ratios have the narrower confidence interval where values are positive. Counts may be zero, so
 * their differences are tested. */
static int ranking_is_tie(const struct ranking *r, const struct rank_entry *a,
			  const struct rank_entry *b, uint32_t objective,
			  const struct compare_cell *difference)
{
	struct compare_cell ratio;

	if (difference->count < 2)
		return 0;
	ratio = ranking_pair(r, a, b, objective, PAIR_RATIO);
	if (ratio.count == difference->count && ratio.low <= ratio.high)
		return ratio.is_even;
	return difference->is_even;
}

int ranking_compare(const struct ranking *r, const struct rank_entry *a, const struct rank_entry *b,
		    uint32_t objective)
{
	const struct rank_objective *o = &r->objectives[objective];
	struct compare_cell d;
	double larger;

	if (a == b || !row_of(r, a, objective) || !row_of(r, b, objective))
		return 0;
	larger = fmax(fabs(ranking_value(r, a, objective)), fabs(ranking_value(r, b, objective)));
	d = ranking_pair(r, a, b, objective, PAIR_DIFFERENCE);
	if (d.count == 0 || fabs(d.mean) <= RANK_TOLERANCE * larger ||
	    (o->info->form == METRIC_PERCENT && fabs(d.mean) <= RANK_SHARE_TOLERANCE) ||
	    ranking_is_tie(r, a, b, objective, &d))
		return 0;
	return (d.mean < 0) == (o->info->better == METRIC_LOWER) ? 1 : -1;
}

/* Compares by the mean of paired differences. While a sweep is incomplete, plain means would cover
 * different seeds or loads. */
static int ranking_is_better_value(const struct ranking *r, const struct rank_entry *a,
				   const struct rank_entry *b, uint32_t objective)
{
	double difference = ranking_pair(r, a, b, objective, PAIR_DIFFERENCE).mean;

	if (isnan(difference))
		difference = ranking_value(r, a, objective) - ranking_value(r, b, objective);
	return r->objectives[objective].info->better == METRIC_LOWER ? difference < 0
								     : difference > 0;
}

/* The ranked entry with the best goal; NULL: no entry is ranked. */
static const struct rank_entry *ranking_best(const struct ranking *r)
{
	const struct rank_entry *best = NULL;

	for (uint32_t i = 0; i < r->entry_count; i++) {
		const struct rank_entry *a = &r->entries[i];

		if (a->state == RANK_RANKED &&
		    (!best || ranking_is_better_value(r, a, best, RANK_GOAL)))
			best = a;
	}
	return best;
}

static int ranking_dominates(const struct ranking *r, const struct rank_entry *a,
			     const struct rank_entry *b)
{
	int better = 0;

	for (uint32_t k = 0; k < r->objective_count; k++) {
		int order = ranking_compare(r, a, b, k);

		if (order < 0)
			return 0;
		better |= order > 0;
	}
	return better;
}

/* The entry that dominates a and has the best goal; NULL: none dominates it. */
static const struct rank_entry *ranking_dominator(const struct ranking *r,
						  const struct rank_entry *a)
{
	const struct rank_entry *best = NULL;

	for (uint32_t i = 0; i < r->entry_count; i++) {
		const struct rank_entry *b = &r->entries[i];

		if (b->state == RANK_RANKED && ranking_dominates(r, b, a) &&
		    (!best || ranking_is_better_value(r, b, best, RANK_GOAL)))
			best = b;
	}
	return best;
}

/* With noise, domination need not be transitive, so the walk is bounded by the number of
 * entries. */
const struct rank_entry *ranking_subject(const struct ranking *r)
{
	const struct rank_entry *subject = ranking_best(r), *baseline = NULL;

	for (uint32_t i = 0; i < r->entry_count; i++)
		if (r->entries[i].is_baseline && r->entries[i].state == RANK_RANKED)
			baseline = &r->entries[i];
	if (baseline && ranking_compare(r, subject, baseline, RANK_GOAL) <= 0)
		subject = baseline;
	for (uint32_t i = 0; subject && i < r->entry_count; i++) {
		const struct rank_entry *next = ranking_dominator(r, subject);

		if (!next)
			break;
		subject = next;
	}
	return subject;
}

const struct rank_entry *ranking_rival(const struct ranking *r, const struct rank_entry *a,
				       uint32_t objective)
{
	const struct rank_entry *best = NULL;

	for (uint32_t i = 0; i < r->entry_count; i++) {
		const struct rank_entry *b = &r->entries[i];

		if (b->state == RANK_RANKED && ranking_compare(r, b, a, objective) > 0 &&
		    (!best || ranking_is_better_value(r, b, best, objective)))
			best = b;
	}
	return best;
}

/* Is b as good as the rivals of a in every objective where a has a rival? */
static int ranking_avoids_costs_of(const struct ranking *r, const struct rank_entry *a,
				   const struct rank_entry *b)
{
	int costs = 0;

	for (uint32_t k = RANK_GOAL + 1; k < r->objective_count; k++) {
		const struct rank_entry *rival = ranking_rival(r, a, k);

		costs += rival != NULL;
		if (rival && ranking_compare(r, rival, b, k) > 0)
			return 0;
	}
	return costs > 0;
}

const struct rank_entry *ranking_without_costs(const struct ranking *r, const struct rank_entry *a)
{
	const struct rank_entry *best = NULL;

	for (uint32_t i = 0; i < r->entry_count; i++) {
		const struct rank_entry *b = &r->entries[i];

		if (b != a && b->state == RANK_RANKED && ranking_avoids_costs_of(r, a, b) &&
		    (!best || ranking_is_better_value(r, b, best, RANK_GOAL)))
			best = b;
	}
	return best;
}
