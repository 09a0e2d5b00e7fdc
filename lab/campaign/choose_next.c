/* SPDX-License-Identifier: BSD-3-Clause */
/* choose_next.c -- the end of a round: which candidates proceed, which one wins, in which order
 * they are shown, and the outcome that the result folder stores (lab/analysis/choice.h). */
#include "lab/campaign/choose.h"
#include "base/memory.h"
#include "base/text.h"
#include "lab/store/store.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- a round --- */

/* Where the round's means of a candidate are stored: in the candidate, or for fresh seeds apart. */
static struct candidate *choose_numbers(const struct choose *c, uint32_t number)
{
	return c->round == CHOOSE_ROUNDS ? &c->judged[number] : &c->all[number];
}

static double choose_signed_goal(const struct choose *c, double goal)
{
	return c->q->goal_is_most ? -goal : goal;
}

/* Runs with the seeds of earlier rounds are already recorded. */
static void choose_note_run(struct choose *c, uint32_t candidate, const char *key, uint32_t seed)
{
	struct choose_run *to;

	if (c->round > 0 && c->round < CHOOSE_ROUNDS && seed < c->seeds / 2)
		return;
	if ((c->run_count & (c->run_count - 1)) == 0)
		c->runs =
			memory_grow(c->runs, c->run_count ? 2 * c->run_count : 1, sizeof(*c->runs));
	to = &c->runs[c->run_count++];
	memcpy(to->key, key, RUN_KEY_SIZE);
	to->candidate = candidate;
}

/* Counts the fresh seeds on which the winner's goal beats that of the file's own setting, live[1].
 * A tie is not a win. */
static void choose_count_wins(struct choose *c)
{
	c->wins = 0;
	for (uint32_t s = 0; s < c->seeds && c->live_count > 1; s++) {
		double won = choose_signed_goal(c, c->values[s][0]);
		double own = choose_signed_goal(c, c->values[c->seeds + s][0]);

		c->wins += won < own;
	}
}

static void choose_average(struct choose *c, uint32_t at)
{
	struct candidate *to = choose_numbers(c, c->live[at]);

	to->seeds = c->seeds;
	to->all = (struct choice_numbers){ .goal = 0 };
	to->lack = 0;
	for (uint32_t s = 0; s < c->seeds; s++) {
		uint64_t run = (uint64_t)at * c->seeds + s;

		to->all.goal += c->values[run][0] / c->seeds;
		for (uint32_t k = 0; k < c->q->constraint_count; k++)
			to->all.rule[k] += c->values[run][1 + k] / c->seeds;
		choose_note_run(c, c->live[at], c->run_keys[run], s);
	}
	if (c->round == 0)
		to->first = to->all;
}

/* The candidate with the most (or least, for an upper bound) of the k-th constraint's metric. */
static uint32_t choose_best_at(const struct choose *c, uint32_t k)
{
	uint32_t best = c->live[0];

	for (uint32_t i = 1; i < c->live_count; i++) {
		double value = choose_numbers(c, c->live[i])->all.rule[k],
		       most = choose_numbers(c, best)->all.rule[k];

		if (c->q->constraints[k].is_most ? value > most : value < most)
			best = c->live[i];
	}
	return best;
}

/* Scale of a constraint's violation: the limit or, if that is zero, the largest value of any
 * candidate. */
static double choose_lack_scale(const struct choose *c, uint32_t k)
{
	double largest = 0;

	for (uint32_t i = 0; i < c->live_count; i++)
		largest = fmax(largest, fabs(choose_numbers(c, c->live[i])->all.rule[k]));
	return c->limits[k] != 0 ? fabs(c->limits[k]) : largest;
}

static void choose_check_constraints(struct choose *c)
{
	for (uint32_t i = 0; i < c->live_count; i++)
		choose_numbers(c, c->live[i])->is_kept = 1;
	for (uint32_t k = 0; k < c->q->constraint_count; k++) {
		const struct choose_constraint *rule = &c->q->constraints[k];
		double limit = rule->number, scale;

		if (rule->is_of_best)
			limit *= choose_numbers(c, choose_best_at(c, k))->all.rule[k];
		c->limits[k] = limit;
		scale = choose_lack_scale(c, k);
		for (uint32_t i = 0; i < c->live_count; i++) {
			struct candidate *x = choose_numbers(c, c->live[i]);
			double lack =
				rule->is_most ? limit - x->all.rule[k] : x->all.rule[k] - limit;

			if (lack <= 0)
				continue;
			x->is_kept = 0;
			x->lack += lack / scale; /* positive, because value or limit is non-zero */
		}
	}
}

/* Is candidate a better than b? Ties go to the one drawn first. */
static int choose_is_better(const struct choose *c, uint32_t a, uint32_t b)
{
	const struct candidate *x = &c->all[a], *y = &c->all[b];
	double goal_x = choose_signed_goal(c, x->all.goal),
	       goal_y = choose_signed_goal(c, y->all.goal);

	if (x->is_kept != y->is_kept)
		return x->is_kept;
	if (!x->is_kept && x->lack != y->lack)
		return x->lack < y->lack;
	return goal_x < goal_y || (goal_x == goal_y && a < b);
}

static void choose_sort_live(struct choose *c)
{
	for (uint32_t i = 1; i < c->live_count; i++)
		for (uint32_t k = i; k > 0 && choose_is_better(c, c->live[k], c->live[k - 1]);
		     k--) {
			uint32_t swapped = c->live[k];

			c->live[k] = c->live[k - 1];
			c->live[k - 1] = swapped;
		}
}

static void choose_keep_candidate(struct choose *c, uint32_t number)
{
	for (uint32_t i = 0; i < c->live_count; i++)
		if (c->live[i] == number)
			return;
	c->live[c->live_count++] = number;
}

/* Keeps the first count candidates, the best at each constraint and, for the last round, the file's
 * own setting. */
static void choose_select(struct choose *c, uint32_t count)
{
	uint32_t best[CHOOSE_CONSTRAINTS_MAX];

	for (uint32_t k = 0; k < c->q->constraint_count; k++)
		best[k] = choose_best_at(c, k);
	c->live_count = count < c->live_count ? count : c->live_count;
	if (c->round + 1 == CHOOSE_ROUNDS)
		choose_keep_candidate(c, 0);
	for (uint32_t k = 0; k < c->q->constraint_count; k++)
		choose_keep_candidate(c, best[k]);
}

int choose_end_round(struct choose *c)
{
	for (uint32_t i = 0; i < c->live_count; i++)
		choose_average(c, i);
	choose_check_constraints(c);
	if (c->round == CHOOSE_ROUNDS) {
		choose_count_wins(c);
		return 0;
	}
	memcpy(c->search_limits, c->limits, sizeof(c->search_limits));
	choose_sort_live(c);
	c->sizes[c->round] = c->live_count;
	c->winner = c->live[0];
	if (c->round + 1 == CHOOSE_ROUNDS) {
		choose_select(c, 1);
	} else {
		choose_select(c, (c->live_count + 1) / 2);
		c->seeds *= 2;
	}
	c->round++;
	return 1;
}

/* --- order --- */

void choose_order(const struct choose *c, uint32_t *order)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct candidate *x = &c->all[i];
		uint32_t at = i;

		for (; at > 0; at--) {
			uint32_t before = order[at - 1];

			if (before == c->winner ||
			    (i != c->winner && (c->all[before].seeds > x->seeds ||
						(c->all[before].seeds == x->seeds &&
						 !choose_is_better(c, i, before)))))
				break;
			order[at] = before;
		}
		order[at] = i;
	}
}

/* --- Pareto front --- */

/* Pareto dominance: is a at least as good as b in both objectives, and better in one? */
static int choose_dominates(const struct choose *c, const struct candidate *a,
			    const struct candidate *b)
{
	double goal = choose_signed_goal(c, a->first.goal) - choose_signed_goal(c, b->first.goal);
	double kept = a->first.rule[0] - b->first.rule[0];

	kept = c->q->constraints[0].is_most ? kept : -kept;
	return goal <= 0 && kept >= 0 && (goal < 0 || kept > 0);
}

/* Is the candidate the winner, or on the Pareto front of the goal and the first constraint, on the
 * seeds that every candidate had? */
static int choose_is_in_front(const struct choose *c, uint32_t number)
{
	if (number == c->winner)
		return 1;
	for (uint32_t i = 0; i < c->count; i++)
		if (choose_dominates(c, &c->all[i], &c->all[number]))
			return 0;
	return 1;
}

/* --- the record --- */

_Static_assert((int)CHOICE_RULES_MAX == (int)CHOOSE_CONSTRAINTS_MAX &&
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

/* Unknown numbers are NAN: of a candidate that was not evaluated, and of constraints that the
 * request does not have. */
static struct choice_numbers record_numbers(const struct choose *c, const struct candidate *x,
					    const struct choice_numbers *from)
{
	struct choice_numbers n = { NAN, { NAN, NAN, NAN, NAN } };

	if (x->seeds == 0)
		return n;
	n.goal = from->goal;
	memcpy(n.rule, from->rule, c->q->constraint_count * sizeof(n.rule[0]));
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
	to->rule_count = q->constraint_count;
	for (uint32_t i = 0; i < q->constraint_count; i++)
		to->rules[i] = (struct choice_rule){ record_metric(&q->constraints[i].metric),
						     q->constraints[i].is_most,
						     q->constraints[i].is_of_best,
						     q->constraints[i].number,
						     c->search_limits[i],
						     c->limits[i] };
}

static void record_setting(const struct choose *c, uint32_t candidate, struct choice_setting *to)
{
	const struct candidate *x = &c->all[candidate], *fresh = &c->judged[candidate];

	*to = (struct choice_setting){
		.point = text_copy(x->point),
		.seeds = x->seeds,
		.all = record_numbers(c, x, &x->all),
		.first = record_numbers(c, x, &x->first),
		.fresh = record_numbers(c, fresh, &fresh->all),
		.is_kept = x->is_kept,
		.is_fresh_kept = fresh->is_kept,
		.is_judged = fresh->seeds > 0,
	};
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
		to->all[i].is_front = c->q->constraint_count && choose_is_in_front(c, order[i]);
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
