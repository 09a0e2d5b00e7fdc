/* choose_next.c -- what a round has brought, and who goes on. */
#include "lab/campaign/choose.h"
#include "sim/base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the numbers of a run --- */

/* A run of the round. */
struct reading {
	struct store *store;
	const struct stored_run *run;
	struct flow_set flows;
	double *sample;
	int is_loaded;
};

static int load_flows(struct reading *r, struct weir_error *e)
{
	if (r->is_loaded)
		return 0;
	r->is_loaded = 1;
	flow_set_measure(&r->flows, r->run);
	if (store_each_flow(r->store, r->run->id, flow_set_see, &r->flows, e))
		return -1;
	r->sample = memory_zeroed(r->flows.count + 1, sizeof(*r->sample));
	return 0;
}

static int is_of_section(const void *context, const struct counted_flow *f)
{
	const uint32_t *section = context;

	return f->section == *section;
}

static int read_value(struct reading *r, const struct choose_metric *m, double *value,
		      struct weir_error *e)
{
	uint32_t section = 0;
	const struct flow_filter filter = { is_of_section, &section };

	*value = m->index >= 0 ? r->run->value[m->index] : NAN;
	if (m->index >= 0)
		return 0;
	if (load_flows(r, e))
		return -1;
	while (section < r->flows.section_count && m->section[0] &&
	       (!r->flows.sections[section] || strcmp(r->flows.sections[section], m->section) != 0))
		section++;
	*value = flow_set_metric(&r->flows, &m->flow, m->section[0] ? &filter : NULL, r->sample);
	return 0;
}

/* Adds the numbers of one run to a candidate's. */
static int add_run(const struct choose *c, struct store *store, const struct stored_run *run,
		   struct candidate *to, struct weir_error *e)
{
	struct reading r = { .store = store, .run = run };
	double value;
	int failed = read_value(&r, &c->q->goal, &value, e);

	to->goal += value / c->seeds;
	for (uint32_t k = 0; k < c->q->keep_count && !failed; k++) {
		failed = read_value(&r, &c->q->keeps[k].metric, &value, e);
		to->keep[k] += value / c->seeds;
	}
	flow_set_free(&r.flows);
	free(r.sample);
	return failed;
}

/* --- a round --- */

/* Where a candidate's numbers of the round go. */
static struct candidate *place(const struct choose *c, uint32_t number)
{
	return c->round == CHOOSE_ROUNDS ? &c->judged[number] : &c->all[number];
}

static double signed_goal(const struct choose *c, double goal)
{
	return c->q->goal_is_most ? -goal : goal;
}

/* Runs that were there in the round before are known. */
static void note_key(struct choose *c, const struct stored_run *run, uint32_t seed)
{
	if (c->round > 0 && c->round < CHOOSE_ROUNDS && seed < c->seeds / 2)
		return;
	if ((c->key_count & (c->key_count - 1)) == 0)
		c->keys =
			memory_grow(c->keys, c->key_count ? 2 * c->key_count : 1, sizeof(*c->keys));
	memcpy(c->keys[c->key_count++], run->key, RUN_KEY_SIZE);
}

/* On how many seeds is the winner better than the file's own? live[1] is the latter. */
static int count_better(struct choose *c, struct store *store, const struct stored_runs *runs,
			struct weir_error *e)
{
	for (uint32_t s = 0; s < c->seeds && c->live_count > 1; s++) {
		struct candidate won = { 0 }, own = { 0 };

		if (add_run(c, store, &runs->runs[s], &won, e) ||
		    add_run(c, store, &runs->runs[c->seeds + s], &own, e))
			return -1;
		c->better += signed_goal(c, won.goal) < signed_goal(c, own.goal);
	}
	return 0;
}

static int take_runs(struct choose *c, struct store *store, const struct stored_runs *runs,
		     struct weir_error *e)
{
	if (runs->count != c->live_count * c->seeds)
		return weir_error_set(e, "not all runs are there");
	for (uint32_t i = 0; i < c->live_count; i++) {
		struct candidate *to = place(c, c->live[i]);

		to->seeds = c->seeds;
		to->goal = to->lack = 0;
		memset(to->keep, 0, sizeof(to->keep));
		for (uint32_t s = 0; s < c->seeds; s++) {
			const struct stored_run *run = &runs->runs[i * c->seeds + s];

			if (add_run(c, store, run, to, e))
				return -1;
			note_key(c, run, s);
		}
		if (c->round == 0) {
			to->first_goal = to->goal;
			to->first_keep = to->keep[0];
		}
	}
	return c->round == CHOOSE_ROUNDS ? count_better(c, store, runs, e) : 0;
}

/* Who has most, or least, of the k-th thing to be kept. */
static uint32_t best_at(const struct choose *c, uint32_t k)
{
	uint32_t best = c->live[0];

	for (uint32_t i = 1; i < c->live_count; i++) {
		double value = place(c, c->live[i])->keep[k], most = place(c, best)->keep[k];

		if (isnan(most) || (c->q->keeps[k].is_most ? value > most : value < most))
			best = c->live[i];
	}
	return best;
}

static void judge_keeps(const struct choose *c)
{
	for (uint32_t i = 0; i < c->live_count; i++)
		place(c, c->live[i])->is_kept = 1;
	for (uint32_t k = 0; k < c->q->keep_count; k++) {
		const struct choose_keep *keep = &c->q->keeps[k];
		double limit = keep->number;

		if (keep->is_of_best)
			limit *= place(c, best_at(c, k))->keep[k];
		for (uint32_t i = 0; i < c->live_count; i++) {
			struct candidate *x = place(c, c->live[i]);
			double lack = keep->is_most ? limit - x->keep[k] : x->keep[k] - limit;

			if (lack <= 0)
				continue;
			x->is_kept = 0;
			x->lack += isnan(lack) ? INFINITY : lack / fmax(fabs(limit), 1e-300);
		}
	}
}

/* Is a better than b? Of equals the first drawn. */
static int is_better(const struct choose *c, uint32_t a, uint32_t b)
{
	const struct candidate *x = &c->all[a], *y = &c->all[b];
	double goal_x = signed_goal(c, x->goal), goal_y = signed_goal(c, y->goal);

	if (isnan(goal_x) || isnan(goal_y))
		return isnan(goal_y) && (!isnan(goal_x) || a < b);
	if (x->is_kept != y->is_kept)
		return x->is_kept;
	if (!x->is_kept && x->lack != y->lack)
		return x->lack < y->lack;
	return goal_x < goal_y || (goal_x == goal_y && a < b);
}

static void sort_live(struct choose *c)
{
	for (uint32_t i = 1; i < c->live_count; i++)
		for (uint32_t k = i; k > 0 && is_better(c, c->live[k], c->live[k - 1]); k--) {
			uint32_t swapped = c->live[k];

			c->live[k] = c->live[k - 1];
			c->live[k - 1] = swapped;
		}
}

static void let_live(struct choose *c, uint32_t number)
{
	for (uint32_t i = 0; i < c->live_count; i++)
		if (c->live[i] == number)
			return;
	c->live[c->live_count++] = number;
}

/* The first so many, the file's own where all is judged, and whoever is best at what is to be kept. */
static void let_go_on(struct choose *c, uint32_t count)
{
	uint32_t best[CHOOSE_KEEPS_MAX];

	for (uint32_t k = 0; k < c->q->keep_count; k++)
		best[k] = best_at(c, k);
	c->live_count = count < c->live_count ? count : c->live_count;
	if (c->round + 1 == CHOOSE_ROUNDS)
		let_live(c, 0);
	for (uint32_t k = 0; k < c->q->keep_count; k++)
		let_live(c, best[k]);
}

int choose_next(struct choose *c, struct store *store, struct weir_error *e)
{
	struct stored_runs runs;
	int failed;

	if (store_runs(store, STORE_PLANNED, &runs, e))
		return -1;
	failed = take_runs(c, store, &runs, e);
	stored_runs_free(&runs);
	if (failed)
		return -1;
	judge_keeps(c);
	if (c->round == CHOOSE_ROUNDS)
		return 0;
	sort_live(c);
	c->sizes[c->round] = c->live_count;
	c->winner = c->live[0];
	if (c->round + 1 == CHOOSE_ROUNDS) {
		if (isnan(c->all[c->winner].goal))
			return weir_error_set(e,
					      "%s is not known of any setting; are there such "
					      "flows in every run?",
					      c->q->goal.name);
		let_go_on(c, 1);
	} else {
		let_go_on(c, (c->live_count + 1) / 2);
		c->seeds *= 2;
	}
	c->round++;
	return 1;
}

/* --- the front --- */

/* Is a at least as good as b in both, and better in one? */
static int dominates(const struct choose *c, const struct candidate *a, const struct candidate *b)
{
	double goal = signed_goal(c, a->first_goal) - signed_goal(c, b->first_goal);
	double kept = a->first_keep - b->first_keep;

	kept = c->q->keeps[0].is_most ? kept : -kept;
	return goal <= 0 && kept >= 0 && (goal < 0 || kept > 0);
}

static int is_in_front(const struct choose *c, uint32_t number)
{
	const struct candidate *x = &c->all[number];

	if (number == c->winner)
		return 1;
	if (isnan(x->first_goal) || isnan(x->first_keep))
		return 0;
	for (uint32_t i = 0; i < c->count; i++)
		if (dominates(c, &c->all[i], x))
			return 0;
	return 1;
}

uint32_t choose_front(const struct choose *c, uint32_t *front)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		double goal = signed_goal(c, c->all[i].first_goal);
		uint32_t at = count;

		if (!is_in_front(c, i))
			continue;
		for (; at > 0 && signed_goal(c, c->all[front[at - 1]].first_goal) > goal; at--)
			front[at] = front[at - 1];
		front[at] = i;
		count++;
	}
	return count;
}
