/* answer.c -- see answer.h. */
#include "lab/compare/answer.h"
#include "lab/base/quantity.h"
#include "lab/compare/selection.h"
#include <math.h>
#include <string.h>

enum { LINE_SIZE = 512, NONE = -1 };

/* What is asked of a scheme, and what it may cost. The first that is known counts. */
static const struct {
	const char *metric, *words;
} goals[] = {
	{ "fct_small_p99_ns", "the p99 completion time of small flows" },
	{ "fct_p99_ns", "the p99 completion time" },
	{ "fct_mean_ns", "the mean completion time" },
}, costs[] = {
	{ "fct_large_mean_ns", "large flows" },
	{ "fct_medium_mean_ns", "medium flows" },
};

enum { GOALS = sizeof(goals) / sizeof(goals[0]), COSTS = sizeof(costs) / sizeof(costs[0]) };

static int has_numbers(const struct compare_axis *a)
{
	struct weir_error ignored;
	struct quantity q;

	for (uint32_t i = 0; i < a->value_count; i++)
		if (quantity_read(&q, a->values[i], &ignored))
			return 0;
	return 1;
}

static int is_split(const struct comparison *c, uint32_t axis)
{
	for (uint32_t i = 0; i < c->split_count; i++)
		if (c->splits[i].axis == axis)
			return 1;
	return 0;
}

int answer_axis(const struct comparison *c)
{
	int found = NONE;

	for (uint32_t i = 0; i < c->axis_count; i++) {
		if (c->axes[i].value_count < 2 || is_split(c, i) || has_numbers(&c->axes[i]))
			continue;
		if (found != NONE)
			return NONE;
		found = (int)i;
	}
	return found;
}

const char *answer_baseline(const struct comparison *c, int axis)
{
	const struct compare_axis *a = &c->axes[axis];

	for (uint32_t i = 0; i < a->value_count; i++)
		if (setting_is(a->values[i], "ecn"))
			return a->values[i];
	return a->values[0];
}

/* The label that the reader sees for a value of the other comparison. */
static const char *label_of(const struct compare_axis *shown, const char *value)
{
	for (uint32_t i = 0; i < shown->value_count; i++)
		if (strcmp(shown->values[i], value) == 0)
			return shown->labels[i];
	return value;
}

/* The rows of a part, and what a sentence about them needs. */
struct race {
	const struct comparison *c; /* ratios; columns are goals and costs */
	const struct compare_axis *shown;
	uint32_t part, axis;
	const char *baseline;
	uint32_t goal, cost; /* columns; cost may be that of none */
	char where[96];      /* "web: " where there are several sections */
};

static const char *value_of(const struct race *r, const struct compare_row *row)
{
	return r->c->axes[r->axis].values[row->value[r->axis]];
}

static int is_baseline(const struct race *r, const struct compare_row *row)
{
	return strcmp(value_of(r, row), r->baseline) == 0;
}

static int is_known(const struct race *r, uint32_t column)
{
	for (uint32_t i = 0; i < r->c->row_count; i++)
		if (r->c->rows[i].part == r->part && !is_baseline(r, &r->c->rows[i]) &&
		    isfinite(r->c->rows[i].cells[column].mean))
			return 1;
	return 0;
}

/* The shortest, besides the baseline, of those whose numbers are whole. */
static const struct compare_row *fastest(const struct race *r)
{
	const struct compare_row *best = NULL;

	for (uint32_t i = 0; i < r->c->row_count; i++) {
		const struct compare_row *row = &r->c->rows[i];
		const struct compare_cell *cell = &row->cells[r->goal];

		if (row->part == r->part && !is_baseline(r, row) && isfinite(cell->mean) &&
		    !cell->is_doubtful && (!best || cell->mean < best->cells[r->goal].mean))
			best = row;
	}
	return best;
}

/* "0.49 (0.29..0.83)" */
static const char *ratio_text(const struct compare_cell *cell, char text[64])
{
	if (cell->low < cell->high)
		snprintf(text, 64, "%.2f (%.2f..%.2f)", cell->mean, cell->low, cell->high);
	else
		snprintf(text, 64, "%.2f", cell->mean);
	return text;
}

static void sentence(const struct race *r, char line[LINE_SIZE])
{
	const struct compare_row *best = fastest(r);
	const struct compare_cell *goal = best ? &best->cells[r->goal] : NULL;
	const char *baseline = label_of(r->shown, r->baseline), *words = goals[r->goal].words;
	char text[64];
	int used;

	if (!best) {
		line[0] = '\0';
		return;
	}
	if (goal->is_even || goal->mean >= 1) {
		snprintf(line, LINE_SIZE,
			 "%sNothing is clearly better than %s by %s: %s has %s of it%s.", r->where,
			 baseline, words, label_of(r->shown, value_of(r, best)),
			 ratio_text(goal, text), goal->is_even ? ", and the interval holds 1" : "");
		return;
	}
	used = snprintf(line, LINE_SIZE, "%s%s wins by %s: %s of that of %s", r->where,
			label_of(r->shown, value_of(r, best)), words, ratio_text(goal, text),
			baseline);
	if (r->cost < GOALS + COSTS && used < LINE_SIZE)
		used += snprintf(line + used, LINE_SIZE - (size_t)used,
				 "; its %s take %s of the time", costs[r->cost - GOALS].words,
				 ratio_text(&best->cells[r->cost], text));
	if (used < LINE_SIZE)
		snprintf(line + used, LINE_SIZE - (size_t)used, ".%s",
			 goal->count > 1 ? "" : " One run each: luck is in it.");
}

static void say_parts(struct race *r, const struct answer_ear *ear)
{
	for (r->part = 0; r->part < r->c->part_count; r->part++) {
		char line[LINE_SIZE];

		r->goal = 0;
		while (r->goal < GOALS && !is_known(r, r->goal))
			r->goal++;
		if (r->goal == GOALS)
			continue;
		r->cost = GOALS;
		while (r->cost < GOALS + COSTS && !is_known(r, r->cost))
			r->cost++;
		if (r->c->part_count > 1)
			snprintf(r->where, sizeof(r->where),
				 "%.80s: ", r->c->splits[0].names[r->part]);
		sentence(r, line);
		if (line[0])
			ear->say(ear->context, line);
	}
}

int answer_say(const struct comparison *c, struct store *s, const char *baseline,
	       const struct answer_ear *ear, struct weir_error *e)
{
	int axis = answer_axis(c), failed;
	const char *metrics[GOALS + COSTS], *by[2] = { compare_split_names[SPLIT_TRAFFIC] };
	struct compare_request q = { .by = by,
				     .by_count = 2,
				     .metrics = metrics,
				     .metric_count = GOALS + COSTS,
				     .normalize_to = baseline,
				     .scope = c->scope };
	struct comparison ratios;
	struct race r;

	if (axis == NONE || c->section_count == 0)
		return 0;
	for (int i = 0; i < GOALS; i++)
		metrics[i] = goals[i].metric;
	for (int i = 0; i < COSTS; i++)
		metrics[GOALS + i] = costs[i].metric;
	by[1] = c->axes[axis].path;
	if (!baseline)
		q.normalize_to = answer_baseline(c, axis);
	failed = comparison_make(&ratios, s, &q, e);
	if (failed)
		return failed;
	r = (struct race){ .c = &ratios, .shown = &c->axes[axis], .axis = 1 };
	for (uint32_t i = 0; i < ratios.axes[1].value_count; i++)
		if (strcmp(ratios.axes[1].labels[i], q.normalize_to) == 0 ||
		    setting_is(ratios.axes[1].values[i], q.normalize_to))
			r.baseline = ratios.axes[1].values[i];
	if (r.baseline)
		say_parts(&r, ear);
	comparison_free(&ratios);
	return 0;
}
