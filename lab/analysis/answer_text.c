/* SPDX-License-Identifier: BSD-3-Clause */
/* answer_text.c -- writes a ranking as sentences. Every "better" means clearly better in the sense
 * of answer.h: significant and larger than the tolerance. */
#define _POSIX_C_SOURCE 200809L
#include "lab/analysis/answer.h"
#include "base/text.h"
#include "base/memory.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 3 };

/* The line that is being composed. */
struct phrase {
	FILE *f;
	char *text;
	size_t size;
};

static void phrase_init(struct phrase *p, const char *where)
{
	p->f = open_memstream(&p->text, &p->size);
	if (!p->f)
		memory_refused(sizeof(*p));
	fputs(where, p->f);
}

static void phrase_end(struct phrase *p, const struct line_sink *sink)
{
	fclose(p->f);
	sink->write(sink->context, p->text);
	free(p->text);
}

static struct format_text answer_value_text(const struct ranking *r, const struct rank_entry *a,
					    uint32_t k)
{
	const struct metric *info = r->objectives[k].info;
	double value = ranking_value(r, a, k);

	if (isnan(value))
		return (struct format_text){ "unknown" };
	return info->form == METRIC_PERCENT ? format_percent(value)
					    : format_quantity(value, info->unit);
}

/* ", 95 % CI 0.29-0.83", if there is a confidence interval. */
static void phrase_interval(struct phrase *p, const struct compare_cell *ratio, const char *before)
{
	if (ratio->low < ratio->high)
		fprintf(p->f, "%s95 %% CI %.2f-%.2f", before, ratio->low, ratio->high);
}

/* "0.49, 95 % CI 0.29-0.83": mean ratio by the goal. */
static void phrase_ratio(struct phrase *p, const struct ranking *r, const struct rank_entry *a,
			 const struct rank_entry *b)
{
	const struct compare_cell ratio = ranking_ratio(r, a, b, RANK_GOAL);

	fprintf(p->f, "%.2f", ratio.mean);
	phrase_interval(p, &ratio, ", ");
}

/* Writes the selected names as "a, b and c", or their number if there are more than NAMES_MAX.
 * Returns how many there are. */
static uint32_t phrase_names(struct phrase *p, const struct ranking *r, const unsigned char *wanted)
{
	uint32_t count = 0, at = 0;

	for (uint32_t i = 0; i < r->entry_count; i++)
		count += wanted[i];
	for (uint32_t i = 0; i < r->entry_count && at < NAMES_MAX; i++) {
		if (!wanted[i])
			continue;
		at++;
		fprintf(p->f, "%s%s",
			at == 1                             ? ""
			: at == count && count <= NAMES_MAX ? " and "
							    : ", ",
			r->entries[i].label);
	}
	if (count > NAMES_MAX)
		fprintf(p->f, " and %" PRIu32 " others", count - NAMES_MAX);
	return count;
}

/* Writes "goodput, drops and time paused": every objective except the goal. */
static void phrase_costs(struct phrase *p, const struct ranking *r)
{
	for (uint32_t k = RANK_GOAL + 1; k < r->objective_count; k++)
		fprintf(p->f, "%s%s",
			k == RANK_GOAL + 1            ? ""
			: k + 1 == r->objective_count ? " or "
						      : ", ",
			r->objectives[k].words);
}

static int answer_has_costs(const struct ranking *r, const struct rank_entry *a)
{
	for (uint32_t k = RANK_GOAL + 1; k < r->objective_count; k++)
		if (ranking_rival(r, a, k))
			return 1;
	return 0;
}

static uint32_t ranking_count(const struct ranking *r)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->entry_count; i++)
		count += r->entries[i].state == RANK_RANKED;
	return count;
}

static const struct rank_entry *ranking_baseline_entry(const struct ranking *r)
{
	for (uint32_t i = 0; i < r->entry_count; i++)
		if (r->entries[i].is_baseline)
			return &r->entries[i];
	return NULL;
}

/* --- sentences --- */

/* The second best by the goal: the best of all entries but a. */
static const struct rank_entry *ranking_next(const struct ranking *r, const struct rank_entry *a)
{
	const struct rank_entry *best = NULL;

	for (uint32_t i = 0; i < r->entry_count; i++) {
		const struct rank_entry *b = &r->entries[i];

		if (b != a && b->state == RANK_RANKED &&
		    (!best || ranking_value(r, b, RANK_GOAL) < ranking_value(r, best, RANK_GOAL)))
			best = b;
	}
	return best;
}

/* "; no setting is significantly better (by over 1 %) in goodput or drops", of a setting without
 * costs. */
static void phrase_no_costs(struct phrase *p, const struct ranking *r, const struct rank_entry *a)
{
	if (answer_has_costs(r, a) || r->objective_count == 1)
		return;
	fputs("; no setting is significantly better (by over 1 %) in ", p->f);
	phrase_costs(p, r);
}

/* Case 1: no setting is clearly better than the baseline by the goal. */
static void answer_write_baseline(struct phrase *p, const struct ranking *r,
				  const struct rank_entry *a)
{
	const struct rank_entry *next = ranking_next(r, a);

	fprintf(p->f, "No setting significantly lowers the %s by over 1 %% against %s (%s",
		r->objectives[RANK_GOAL].words, a->label, answer_value_text(r, a, RANK_GOAL).text);
	if (next) {
		fprintf(p->f, "; next %s: ", next->label);
		phrase_ratio(p, r, next, a);
	}
	fputs(")", p->f);
}

/* Case 2: the subject dominates the baseline without being clearly better by the goal. */
static void answer_write_dominator(struct phrase *p, const struct ranking *r,
				   const struct rank_entry *a, const struct rank_entry *baseline)
{
	int begun = 0;

	fprintf(p->f, "%s is better than %s: ", a->label, baseline->label);
	for (uint32_t k = RANK_GOAL + 1; k < r->objective_count; k++) {
		if (ranking_compare(r, a, baseline, k) <= 0)
			continue;
		fprintf(p->f, "%s%s %s against %s", begun++ ? ", " : "", r->objectives[k].words,
			answer_value_text(r, a, k).text, answer_value_text(r, baseline, k).text);
	}
	fprintf(p->f, "%s no significant difference in %s (%s; ", begun ? ", with" : "",
		r->objectives[RANK_GOAL].words, answer_value_text(r, a, RANK_GOAL).text);
	phrase_ratio(p, r, a, baseline);
	fputs(")", p->f);
}

static void phrase_ties(struct phrase *p, const struct ranking *r, const struct rank_entry *a)
{
	unsigned char *ties = memory_zeroed(r->entry_count, 1);
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->entry_count; i++) {
		const struct rank_entry *b = &r->entries[i];

		ties[i] = b != a && b->state == RANK_RANKED &&
			  ranking_compare(r, a, b, RANK_GOAL) <= 0;
		count += ties[i];
	}
	if (count) {
		fputs("; no significant difference over 1 % from ", p->f);
		phrase_names(p, r, ties);
	}
	free(ties);
}

/* Case 3: the subject is clearly better than the baseline by the goal, or the baseline is not
 * ranked: "tcn halves the mean FCT against ecn: 53 us (0.50, 95 % CI 0.45-0.57)". */
static void answer_write_best(struct phrase *p, const struct ranking *r, const struct rank_entry *a,
			      const struct rank_entry *baseline)
{
	const char *goal = r->objectives[RANK_GOAL].words;

	if (baseline && baseline->state == RANK_RANKED && baseline != a) {
		double ratio = ranking_ratio(r, a, baseline, RANK_GOAL).mean;

		if (ratio > 0.45 && ratio < 0.55)
			fprintf(p->f, "%s halves the %s", a->label, goal);
		else
			fprintf(p->f, "%s lowers the %s by %.0f %%", a->label, goal,
				100 * (1 - ratio));
		fprintf(p->f, " against %s: %s (", baseline->label,
			answer_value_text(r, a, RANK_GOAL).text);
		phrase_ratio(p, r, a, baseline);
		fputs(")", p->f);
	} else {
		fprintf(p->f, "%s has the lowest %s: %s", a->label, goal,
			answer_value_text(r, a, RANK_GOAL).text);
	}
	phrase_ties(p, r, a);
}

/* "large flows pay 2 %", "goodput 73 % lower (26 Gb/s; pie 95.2 Gb/s)", "drops 506 (ecn 0)". */
static void phrase_cost(struct phrase *p, const struct ranking *r, const struct rank_entry *a,
			const struct rank_entry *rival, uint32_t k)
{
	const struct rank_objective *o = &r->objectives[k];
	double percent = 100 * (ranking_ratio(r, a, rival, k).mean - 1);

	if (o->payer && isfinite(percent)) {
		fprintf(p->f, "%s pay %.0f %%", o->payer, percent);
		if (!rival->is_baseline)
			fprintf(p->f, " against %s", rival->label);
		return;
	}
	fputs(o->words, p->f);
	if (o->info->form != METRIC_PERCENT && o->info->better == METRIC_HIGHER &&
	    isfinite(percent))
		fprintf(p->f, " %.0f %% lower", -percent);
	fprintf(p->f, " (%s; ", answer_value_text(r, a, k).text);
	fprintf(p->f, "%s %s)", rival->label, answer_value_text(r, rival, k).text);
}

/* Objectives in which others are clearly better than the subject (its costs), against the baseline
 * where it is among them; and the best setting by the goal without these costs. */
static void answer_write_costs(struct phrase *p, const struct ranking *r,
			       const struct rank_entry *a)
{
	const struct rank_entry *other = ranking_without_costs(r, a),
				*baseline = ranking_baseline_entry(r);
	int begun = 0;

	fprintf(p->f, "; %s%s", a->is_baseline ? a->label : "", a->is_baseline ? " pays: " : "");
	for (uint32_t k = RANK_GOAL + 1; k < r->objective_count; k++) {
		const struct rank_entry *rival = ranking_rival(r, a, k);

		if (!rival)
			continue;
		if (baseline && baseline->state == RANK_RANKED &&
		    ranking_compare(r, baseline, a, k) > 0)
			rival = baseline;
		fputs(begun++ ? ", " : "", p->f);
		phrase_cost(p, r, a, rival, k);
	}
	fputs(".", p->f);
	if (other && ranking_count(r) > 2) {
		const struct compare_cell ratio = ranking_ratio(r, other, a, RANK_GOAL);

		fprintf(p->f, " The best without these costs is %s: %s, %.2f times as much",
			other->label, answer_value_text(r, other, RANK_GOAL).text, ratio.mean);
		phrase_interval(p, &ratio, ", ");
		fputs(".", p->f);
	}
}

/* Settings whose completion times are not trustworthy: unfinished flows or PFC deadlock. */
static void answer_write_unranked(const struct ranking *r, const char *where,
				  const struct line_sink *sink)
{
	static const struct {
		enum rank_state state;
		const char *words;
	} reasons[] = { { RANK_UNFINISHED, "unfinished flows" },
			{ RANK_DEADLOCKED, "PFC deadlock" },
			{ RANK_WITHOUT_VALUE, "no value in some runs" } };
	unsigned char *here = memory_zeroed(r->entry_count, 1);

	for (size_t n = 0; n < sizeof(reasons) / sizeof(reasons[0]); n++) {
		struct phrase p;
		uint32_t count = 0;

		for (uint32_t i = 0; i < r->entry_count; i++) {
			here[i] = r->entries[i].state == reasons[n].state;
			count += here[i];
		}
		if (!count)
			continue;
		phrase_init(&p, where);
		fprintf(p.f, "Not ranked (%s): ", reasons[n].words);
		phrase_names(&p, r, here);
		fputs(".", p.f);
		phrase_end(&p, sink);
	}
	free(here);
}

static int answer_is_one_run(const struct ranking *r, const struct rank_entry *a)
{
	const struct rank_objective *goal = &r->objectives[RANK_GOAL];

	return a->rows[goal->source]->cells[goal->column].count == 1;
}

void answer_write_ranking(const struct ranking *r, const char *where, const struct line_sink *sink)
{
	const struct rank_entry *a = ranking_subject(r), *baseline = ranking_baseline_entry(r);
	struct phrase p;

	if (a) {
		phrase_init(&p, where);
		if (r->entry_count == 1)
			fprintf(p.f, "No difference: %s", a->label);
		else if (ranking_count(r) == 1)
			fprintf(p.f, "Only %s can be ranked: %s %s", a->label,
				r->objectives[RANK_GOAL].words,
				answer_value_text(r, a, RANK_GOAL).text);
		else if (a == baseline)
			answer_write_baseline(&p, r, a);
		else if (baseline && baseline->state == RANK_RANKED &&
			 ranking_compare(r, a, baseline, RANK_GOAL) <= 0)
			answer_write_dominator(&p, r, a, baseline);
		else
			answer_write_best(&p, r, a, baseline);
		if (ranking_count(r) > 1 && r->entry_count > 1)
			phrase_no_costs(&p, r, a);
		if (answer_has_costs(r, a))
			answer_write_costs(&p, r, a);
		else
			fputs(".", p.f);
		if (answer_is_one_run(r, a))
			fputs(" One run per setting: no confidence interval.", p.f);
		phrase_end(&p, sink);
	}
	answer_write_unranked(r, where, sink);
}

void answer_write_unknown(const char *words, const char *where, const struct line_sink *sink)
{
	struct phrase p;

	phrase_init(&p, where);
	fprintf(p.f,
		"No setting is ranked: no %s is known of these runs; is measure.to or "
		"measure.drain too short?",
		words);
	phrase_end(&p, sink);
}
