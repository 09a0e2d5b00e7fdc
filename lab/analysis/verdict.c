/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c -- judges claims: reads the number that each run of a figure's store has for a claim,
 * collects the runs that the claim selects, computes mean and confidence interval, and applies the
 * rules of verdict_rule.c. */
#include "lab/analysis/verdict.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "lab/analysis/compare.h"
#include "lab/store/results.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a claim's number comes from: a stored metric, flow records (a table metric or a share), or
 * a probe's series. */
enum source { FROM_RUN, FROM_FLOWS, FROM_SHARE, FROM_SERIES };

struct claim_source {
	enum source source;
	uint32_t index; /* index into metric_all, or a column below */
	char unit[16];  /* of the metric; for a scheme's series known once it was read */
	int unit_known;
};

struct evidence {
	struct store *store; /* NULL: there are no results */
	const struct figure *figure;
	struct stored_runs runs;
	struct claim_source *sources; /* one per claim */
	/* Computed from flow records and series when a claim first needs them for a run, then
	 * cached. */
	struct comparison flows; /* only its columns are used */
	uint32_t series_count;
	uint32_t *series_claim;                  /* claim of each column */
	double *flow_numbers, *series_numbers;   /* [run][column] */
	unsigned char *flows_read, *series_read; /* [run]: 1: cached */
};

/* --- sources of numbers --- */

/* Claims with the same metric share a column of flow metrics. */
static uint32_t evidence_flow_column(struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->column_count; i++)
		if (strcmp(c->columns[i].name, name) == 0)
			return i;
	c->columns[c->column_count] = (struct compare_column){ name, "", -1, metric_find(name) };
	return c->column_count++;
}

static void evidence_find_source(struct evidence *v, uint32_t claim)
{
	const struct claim *c = &v->figure->claims[claim];
	struct claim_source *s = &v->sources[claim];
	int metric = c->is_series || c->is_share ? -1 : metric_index(c->metric);
	const char *unit = "";

	if (c->is_series) {
		s->source = FROM_SERIES;
		s->index = v->series_count;
		v->series_claim[v->series_count++] = claim;
		unit = series_metric_unit(&c->series);
	} else if (c->is_share) {
		s->source = FROM_SHARE;
		unit = flow_share_unit(&c->share);
	} else if (metric >= 0) {
		s->source = FROM_RUN;
		s->index = (uint32_t)metric;
		unit = metric_all[metric].unit;
	} else {
		s->source = FROM_FLOWS;
		s->index = evidence_flow_column(&v->flows, c->metric);
		flow_metric_known(c->metric, &unit);
	}
	s->unit_known = unit != NULL;
	snprintf(s->unit, sizeof(s->unit), "%s", unit ? unit : "");
}

int evidence_new(struct evidence **out, struct store *s, const struct figure *f,
		 struct weir_error *e)
{
	struct evidence *v = memory_zeroed(1, sizeof(*v));
	uint64_t runs;

	*out = v;
	v->store = s;
	v->figure = f;
	v->sources = memory_zeroed(f->judged_count, sizeof(*v->sources));
	v->series_claim = memory_zeroed(f->judged_count, sizeof(*v->series_claim));
	v->flows.columns = memory_zeroed(f->judged_count, sizeof(*v->flows.columns));
	for (uint32_t i = 0; i < f->judged_count; i++)
		evidence_find_source(v, i);
	if (s && store_runs(s, STORE_PLANNED, &v->runs, e))
		return -1;
	runs = v->runs.count;
	v->flow_numbers = memory_zeroed(runs * v->flows.column_count, sizeof(*v->flow_numbers));
	v->series_numbers = memory_zeroed(runs * v->series_count, sizeof(*v->series_numbers));
	v->flows_read = memory_zeroed(runs, 1);
	v->series_read = memory_zeroed(runs, 1);
	return 0;
}

void evidence_free(struct evidence *v)
{
	if (!v)
		return;
	stored_runs_free(&v->runs);
	free(v->sources);
	free(v->series_claim);
	free(v->flows.columns);
	free(v->flow_numbers);
	free(v->series_numbers);
	free(v->flows_read);
	free(v->series_read);
	free(v);
}

/* --- numbers of a run --- */

struct series_visit {
	struct evidence *v;
	uint32_t run;
	double *numbers;
	unsigned char *seen; /* per column: set once a series of that name was read; the first one
				counts */
	struct weir_error *e;
	int failed;
};

/* Unless the claim's unit is known, the scheme's series defines it. Refuses a claim with another
 * unit. */
static int evidence_check_unit(struct evidence *v, uint32_t claim, const struct stored_series *s,
			       struct weir_error *e)
{
	const struct claim *c = &v->figure->claims[claim];
	struct claim_source *source = &v->sources[claim];
	int is_level = c->series.what >= SERIES_REACHES;
	const char *given = is_level ? c->series.level_unit : c->unit;

	if ((is_level || c->over.count == 0) && !unit_fits(given, s->unit))
		return weir_error_set(e, "%s:%d: [claim %s]: series %s is in %s, not in %s",
				      v->figure->file, c->line, c->name, weir_quote(s->name).text,
				      *s->unit ? s->unit : "plain numbers",
				      *given ? given : "plain numbers");
	if (!source->unit_known)
		snprintf(source->unit, sizeof(source->unit), "%s", s->unit);
	return 0;
}

static int evidence_on_series(void *context, const struct stored_series *s)
{
	struct series_visit *at = context;
	struct evidence *v = at->v;

	for (uint32_t i = 0; i < v->series_count; i++) {
		const struct series_metric *m = &v->figure->claims[v->series_claim[i]].series;
		struct series_origin o;

		if (at->seen[i] || strcmp(m->series, s->name) != 0)
			continue;
		at->seen[i] = 1;
		at->failed = evidence_check_unit(v, v->series_claim[i], s, at->e);
		if (at->failed)
			return 1;
		o = series_origin(&v->runs.runs[at->run], s->name);
		at->numbers[i] = series_metric_value(m, s, &o);
	}
	return 0;
}

static int evidence_read_series(struct evidence *v, uint32_t run, double *numbers,
				struct weir_error *e)
{
	struct series_visit at = { v, run, numbers, memory_zeroed(v->series_count, 1), e, 0 };
	int failed;

	for (uint32_t i = 0; i < v->series_count; i++)
		numbers[i] = (double)NAN;
	failed = store_each_series(v->store, v->runs.runs[run].id, evidence_on_series, &at, e);
	free(at.seen);
	return failed || at.failed ? -1 : 0;
}

/* Whether the claim's metric covers completed flows, or everything. */
static enum metric_kind evidence_kind(const struct evidence *v, uint32_t claim)
{
	const struct claim_source *s = &v->sources[claim];

	return s->source == FROM_RUN      ? metric_all[s->index].kind
	       : s->source == FROM_SERIES ? METRIC_RESULT
					  : METRIC_FLOW;
}

/* The number of one run for the claim; NAN: it has none. */
static int evidence_number(struct evidence *v, uint32_t claim, uint32_t run, double *number,
			   struct weir_error *e)
{
	const struct claim_source *s = &v->sources[claim];
	double *flows = v->flow_numbers + (size_t)run * v->flows.column_count;
	double *series = v->series_numbers + (size_t)run * v->series_count;

	if (s->source == FROM_RUN) {
		*number = v->runs.runs[run].value[s->index];
		return 0;
	}
	if (s->source == FROM_SHARE) {
		const struct flow_set *set = store_flow_set(v->store, &v->runs.runs[run], e);

		if (set)
			*number = flow_share_value(&v->figure->claims[claim].share, set);
		return set ? 0 : -1;
	}
	if (s->source == FROM_FLOWS && !v->flows_read[run]) {
		if (flow_metrics(v->store, &v->runs.runs[run], &v->flows, flows, e))
			return -1;
		v->flows_read[run] = 1;
	}
	if (s->source == FROM_SERIES && !v->series_read[run]) {
		if (evidence_read_series(v, run, series, e))
			return -1;
		v->series_read[run] = 1;
	}
	*number = s->source == FROM_FLOWS ? flows[s->index] : series[s->index];
	return 0;
}

/* --- one side of a claim: numerator or denominator --- */

struct seed_number {
	const char *seed;
	double number;
};

/* The numbers of the selected runs with their seeds. */
struct side {
	uint32_t count;
	int is_alike;         /* 1: these runs have identical results */
	struct health health; /* summed over these runs */
	struct seed_number *runs;
};

/* Is the run at the given point of the claim's sweep? at NULL: the claim has no sweep. */
static int run_is_at_point(const struct stored_run *run, const struct claim *c, const char *point)
{
	const char *value = point ? stored_setting(run, c->best) : NULL;

	return !point || (value && strcmp(value, point) == 0);
}

/* Compares all results of two runs except their cost (time and memory). */
static int runs_are_alike(const struct stored_run *a, const struct stored_run *b)
{
	for (int i = 0; metric_all[i].name; i++) {
		double x = a->value[i], y = b->value[i];

		if (metric_all[i].kind != METRIC_COST && !(isnan(x) && isnan(y)) &&
		    (x < y || x > y || isnan(x) || isnan(y)))
			return 0;
	}
	return 1;
}

static int side_collect(struct evidence *v, const struct claim *c, const char *point,
			const struct selection *s, struct side *side, struct weir_error *e)
{
	uint32_t claim = (uint32_t)(c - v->figure->claims);
	const struct stored_run *first = NULL;

	side->count = 0;
	side->is_alike = 1;
	side->health = (struct health){ 0 };
	for (uint32_t i = 0; i < v->runs.count; i++) {
		const struct stored_run *run = &v->runs.runs[i];
		struct seed_number *one = &side->runs[side->count];

		if (!selection_has(s, run) || !run_is_at_point(run, c, point))
			continue;
		first = first ? first : run;
		one->seed = compare_value(run, "seed");
		if (evidence_number(v, claim, i, &one->number, e))
			return -1;
		side->is_alike &= runs_are_alike(first, run);
		health_add(&side->health, run);
		side->count++;
	}
	return 0;
}

static const struct measured nothing = {
	.mean = (double)NAN, .half = (double)NAN, .low = (double)NAN, .high = (double)NAN
};

/* Mean and confidence interval of the numbers that are known, which are moved to the front. */
static struct measured measured_of(double *numbers, uint32_t count)
{
	struct measured m = nothing;
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!isnan(numbers[i])) {
			double x = numbers[i];

			m.low = fmin(m.low, x);
			m.high = fmax(m.high, x);
			numbers[m.count++] = x;
			sum += x;
		}
	if (m.count == 0)
		return m;
	m.mean = sum / m.count;
	m.half = confidence_half(numbers, m.count); /* NAN if a number is INFINITY ("never") */
	if (isfinite(m.half)) {
		m.low = m.mean - m.half;
		m.high = m.mean + m.half;
	}
	return m;
}

static double side_of_seed(const struct side *side, const char *seed, uint32_t *met)
{
	for (uint32_t i = 0; i < side->count; i++)
		if (strcmp(side->runs[i].seed, seed) == 0) {
			++*met;
			return side->runs[i].number;
		}
	return (double)NAN;
}

/* --- verdict --- */

struct sides {
	struct side of, over;
	double *numbers; /* room for one number per run */
};

static void side_measure(const struct side *side, struct sides *s, struct measured *m)
{
	for (uint32_t i = 0; i < side->count; i++)
		s->numbers[i] = side->runs[i].number;
	*m = measured_of(s->numbers, side->count);
	m->is_alike = side->is_alike && m->count >= VERDICT_SEEDS_ALIKE;
}

/* Pairs the sides by seed. Without a common seed: the ratio of the means, which has no seed and no
 * interval. Division by zero gives no number. */
static void verdict_measure_ratio(struct sides *s, struct verdict *v)
{
	uint32_t met = 0;

	for (uint32_t i = 0; i < s->of.count; i++) {
		double over = side_of_seed(&s->over, s->of.runs[i].seed, &met);

		s->numbers[i] = over == 0 ? (double)NAN : s->of.runs[i].number / over;
	}
	v->value = measured_of(s->numbers, s->of.count);
	if (met == 0 && v->of.count && v->over.count && v->over.mean != 0)
		v->value.mean = v->of.mean / v->over.mean;
}

static void verdict_explain(const struct claim *c, const struct sides *s, struct verdict *v)
{
	const struct selection *empty = s->of.count == 0 ? &c->of : &c->over;

	if (s->of.count == 0 || (c->over.count && s->over.count == 0))
		snprintf(v->why, sizeof(v->why), "no run%s%.150s is there",
			 empty->text ? " with " : "", empty->text ? empty->text : "");
	else if (v->of.count == 0 || (c->over.count && v->over.count == 0))
		snprintf(v->why, sizeof(v->why), "no run%s%.150s has a value for it",
			 v->of.count || !c->of.text ? "" : " with ",
			 v->of.count  ? " of over"
			 : c->of.text ? c->of.text
				      : "");
	else
		snprintf(v->why, sizeof(v->why), "%s",
			 v->over.mean == 0 ? "there is no ratio to zero"
					   : "no seed has a value on both sides");
}

static struct verdict verdict_none(const struct claim *c)
{
	struct verdict v = { .kind = VERDICT_NOT_MEASURED,
			     .by_number = VERDICT_NOT_MEASURED,
			     .value = nothing,
			     .of = nothing,
			     .over = nothing };

	snprintf(v.unit, sizeof(v.unit), "%s", c->unit);
	return v;
}

static void verdict_judge_sides(struct evidence *ev, const struct claim *c, struct sides *s,
				struct verdict *v)
{
	uint32_t claim = (uint32_t)(c - ev->figure->claims);

	side_measure(&s->over, s, &v->over);
	side_measure(&s->of, s, &v->of);
	health_join(&v->health, &s->of.health);
	health_join(&v->health, &s->over.health);
	v->is_doubtful = health_is_doubtful(&v->health, evidence_kind(ev, claim));
	v->value = v->of;
	if (c->over.count) {
		verdict_measure_ratio(s, v);
		v->value.is_alike = v->value.count && v->of.is_alike && v->over.is_alike;
	}
	snprintf(v->metric_unit, sizeof(v->metric_unit), "%s", ev->sources[claim].unit);
	if (isnan(v->value.mean))
		verdict_explain(c, s, v);
	else
		verdict_rule(c, v);
}

/* Judges the claim at one point of its sweep; at NULL: it has none. */
static int claim_judge_at(struct evidence *ev, const struct claim *c, const char *point,
			  struct sides *s, struct verdict *v, struct weir_error *e)
{
	*v = verdict_none(c);
	s->over.count = 0;
	s->over.health = (struct health){ 0 };
	if (side_collect(ev, c, point, &c->of, &s->of, e) ||
	    (c->over.count && side_collect(ev, c, point, &c->over, &s->over, e)))
		return -1;
	if (point)
		snprintf(v->best, sizeof(v->best), "%s", point);
	verdict_judge_sides(ev, c, s, v);
	return 0;
}

/* Is v farther on the paper's side than best, or best unknown? */
static int verdict_is_better(const struct claim *c, const struct verdict *v,
			     const struct verdict *best)
{
	if (isnan(v->value.mean) || isnan(best->value.mean))
		return !isnan(v->value.mean);
	return claim_is_above(c) ? v->value.mean > best->value.mean
				 : v->value.mean < best->value.mean;
}

static int claim_judge_best(struct evidence *ev, const struct claim *c, struct sides *s,
			    struct verdict *best, struct weir_error *e)
{
	for (uint32_t i = 0; i < ev->runs.count; i++) {
		const char *point = stored_setting(&ev->runs.runs[i], c->best);
		struct verdict v;

		if (!point || !selection_has(&c->of, &ev->runs.runs[i]))
			continue;
		if (claim_judge_at(ev, c, point, s, &v, e))
			return -1;
		if (verdict_is_better(c, &v, best) || (!best->best[0] && isnan(best->value.mean)))
			*best = v;
	}
	return 0;
}

static int claim_check_mixed(const struct evidence *ev, const struct claim *c, struct weir_error *e)
{
	const char *of = selection_mixes(&c->of, &ev->runs, c->best), *over = NULL;

	if (!of && c->over.count)
		over = selection_mixes(&c->over, &ev->runs, c->best);

	if (!of && !over)
		return 0;
	return weir_error_set(e,
			      "%s:%d: [claim %s]: %s: the runs that it selects differ in %s; name "
			      "its value",
			      ev->figure->file, c->line, c->name, of ? "of" : "over",
			      of ? of : over);
}

int claim_judge(struct evidence *ev, const struct claim *c, enum figure_size size,
		struct verdict *v, struct weir_error *e)
{
	uint32_t count = ev->runs.count;
	struct sides s = { .numbers = memory_zeroed(count, sizeof(double)),
			   .of.runs = memory_zeroed(count, sizeof(struct seed_number)),
			   .over.runs = memory_zeroed(count, sizeof(struct seed_number)) };
	int failed = 0;

	*v = verdict_none(c);
	if (size < c->size)
		v->kind = VERDICT_OTHER_SIZE;
	else
		failed = claim_check_mixed(ev, c, e) ||
			 (c->best ? claim_judge_best(ev, c, &s, v, e)
				  : claim_judge_at(ev, c, NULL, &s, v, e));
	free(s.of.runs);
	free(s.over.runs);
	free(s.numbers);
	return failed ? -1 : 0;
}

int figure_judge(struct store *s, const struct figure *f, enum figure_size size,
		 struct verdict *verdicts, struct weir_error *e)
{
	struct evidence *v;
	int failed = evidence_new(&v, s, f, e);

	for (uint32_t i = 0; i < f->judged_count && !failed; i++)
		failed = claim_judge(v, &f->claims[i], size, &verdicts[i], e);
	evidence_free(v);
	return failed;
}
