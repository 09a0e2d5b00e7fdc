/* SPDX-License-Identifier: BSD-3-Clause */
/* verdict.c -- judges claims: collects the runs that a claim selects, their mean and interval, and
 * applies the rules of verdict_rule.c. */
#include "lab/analysis/evidence.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static const char *seed_of(const struct stored_run *run)
{
	const char *seed = stored_setting(run, "seed");

	return seed ? seed : "";
}

static const char *mixed_in(const struct evidence *v, const struct claim *c,
			    const struct selection *s)
{
	return selection_mixes(s, &v->runs, c->best);
}

/* Is the run at the given point of the claim's sweep? at NULL: the claim has no sweep. */
static int is_at(const struct stored_run *run, const struct claim *c, const char *point)
{
	const char *value = point ? stored_setting(run, c->best) : NULL;

	return !point || (value && strcmp(value, point) == 0);
}

/* Compares all results of two runs except their cost (time and memory). */
static int have_same_results(const struct stored_run *a, const struct stored_run *b)
{
	for (int i = 0; metric_all[i].name; i++) {
		double x = a->value[i], y = b->value[i];

		if (metric_all[i].kind != METRIC_COST && !(isnan(x) && isnan(y)) &&
		    (x < y || x > y || isnan(x) || isnan(y)))
			return 0;
	}
	return 1;
}

static int collect(struct evidence *v, const struct claim *c, const char *point,
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

		if (!selection_has(s, run) || !is_at(run, c, point))
			continue;
		first = first ? first : run;
		one->seed = seed_of(run);
		if (evidence_number(v, claim, i, &one->number, e))
			return -1;
		side->is_alike &= have_same_results(first, run);
		health_add(&side->health, run);
		side->count++;
	}
	return 0;
}

/* Mean and confidence interval of the known numbers. */
static struct measured measure(const double *numbers, uint32_t count, double *known)
{
	struct measured m = { (double)NAN, (double)NAN, 0, 0 };
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!isnan(numbers[i])) {
			known[m.count++] = numbers[i];
			sum += numbers[i];
		}
	if (m.count == 0)
		return m;
	m.mean = sum / m.count;
	m.half = confidence_half(known, m.count); /* NAN if a number is INFINITY ("never") */
	return m;
}

static double of_seed(const struct side *side, const char *seed, uint32_t *met)
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
	double *numbers, *known; /* each has room for one number per run; known: numbers of the
				    value, without NAN */
};

static void measure_side(const struct side *side, struct sides *s, struct measured *m)
{
	for (uint32_t i = 0; i < side->count; i++)
		s->numbers[i] = side->runs[i].number;
	*m = measure(s->numbers, side->count, s->known);
	m->is_alike = side->is_alike && m->count >= VERDICT_SEEDS_ALIKE;
}

/* Pairs the sides by seed. Without a common seed: the ratio of the means, which has no seed and no
 * interval. Division by zero gives no number. */
static void measure_ratio(struct sides *s, struct verdict *v)
{
	uint32_t met = 0;

	for (uint32_t i = 0; i < s->of.count; i++) {
		double over = of_seed(&s->over, s->of.runs[i].seed, &met);

		s->numbers[i] = over == 0 ? (double)NAN : s->of.runs[i].number / over;
	}
	v->value = measure(s->numbers, s->of.count, s->known);
	if (met == 0 && v->of.count && v->over.count && v->over.mean != 0)
		v->value.mean = v->of.mean / v->over.mean;
}

static void explain(const struct claim *c, const struct sides *s, struct verdict *v)
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

static const struct measured nothing = { (double)NAN, (double)NAN, 0, 0 };

static struct verdict no_verdict(const struct claim *c)
{
	struct verdict v = { .kind = VERDICT_NOT_MEASURED,
			     .by_number = VERDICT_NOT_MEASURED,
			     .value = nothing,
			     .of = nothing,
			     .over = nothing };

	snprintf(v.unit, sizeof(v.unit), "%s", c->unit);
	return v;
}

static void judge_sides(struct evidence *ev, const struct claim *c, struct sides *s,
			struct verdict *v)
{
	uint32_t claim = (uint32_t)(c - ev->figure->claims);

	measure_side(&s->over, s, &v->over);
	measure_side(&s->of, s, &v->of);
	health_join(&v->health, &s->of.health);
	health_join(&v->health, &s->over.health);
	v->is_doubtful = health_is_doubtful(&v->health, evidence_kind(ev, claim));
	v->value = v->of;
	if (c->over.count) {
		measure_ratio(s, v);
		v->value.is_alike = v->value.count && v->of.is_alike && v->over.is_alike;
	}
	snprintf(v->metric_unit, sizeof(v->metric_unit), "%s", ev->sources[claim].unit);
	if (isnan(v->value.mean))
		explain(c, s, v);
	else
		verdict_rule(c, s->known, v);
}

/* Judges the claim at one point of its sweep; at NULL: it has none. */
static int judge_at(struct evidence *ev, const struct claim *c, const char *point, struct sides *s,
		    struct verdict *v, struct weir_error *e)
{
	*v = no_verdict(c);
	s->over.count = 0;
	s->over.health = (struct health){ 0 };
	if (collect(ev, c, point, &c->of, &s->of, e) ||
	    (c->over.count && collect(ev, c, point, &c->over, &s->over, e)))
		return -1;
	if (point)
		snprintf(v->best, sizeof(v->best), "%s", point);
	judge_sides(ev, c, s, v);
	return 0;
}

/* Is v farther on the paper's side than best, or best unknown? */
static int is_better(const struct claim *c, const struct verdict *v, const struct verdict *best)
{
	if (isnan(v->value.mean) || isnan(best->value.mean))
		return !isnan(v->value.mean);
	return claim_is_above(c) ? v->value.mean > best->value.mean
				 : v->value.mean < best->value.mean;
}

static int judge_best(struct evidence *ev, const struct claim *c, struct sides *s,
		      struct verdict *best, struct weir_error *e)
{
	for (uint32_t i = 0; i < ev->runs.count; i++) {
		const char *point = stored_setting(&ev->runs.runs[i], c->best);
		struct verdict v;

		if (!point || !selection_has(&c->of, &ev->runs.runs[i]))
			continue;
		if (judge_at(ev, c, point, s, &v, e))
			return -1;
		if (is_better(c, &v, best) || (!best->best[0] && isnan(best->value.mean)))
			*best = v;
	}
	return 0;
}

static int check_mixed(const struct evidence *ev, const struct claim *c, struct weir_error *e)
{
	const char *of = mixed_in(ev, c, &c->of);
	const char *over = !of && c->over.count ? mixed_in(ev, c, &c->over) : NULL;

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
			   .known = memory_zeroed(count, sizeof(double)),
			   .of.runs = memory_zeroed(count, sizeof(struct seed_number)),
			   .over.runs = memory_zeroed(count, sizeof(struct seed_number)) };
	int failed = 0;

	*v = no_verdict(c);
	if (size < c->size)
		v->kind = VERDICT_OTHER_SIZE;
	else
		failed = check_mixed(ev, c, e) ||
			 (c->best ? judge_best(ev, c, &s, v, e) : judge_at(ev, c, NULL, &s, v, e));
	free(s.of.runs);
	free(s.over.runs);
	free(s.numbers);
	free(s.known);
	return failed ? -1 : 0;
}

int figure_judge(struct store *s, const struct figure *f, enum figure_size size,
		 struct verdict *verdicts, struct weir_error *e)
{
	struct evidence *v;
	int failed = evidence_new(&v, s, f, e);

	for (uint32_t i = 0; i < f->claim_count && !failed; i++)
		failed = claim_judge(v, &f->claims[i], size, &verdicts[i], e);
	evidence_free(v);
	return failed;
}

/* Rounds an uncertainty to two significant digits. */
static double two_digits(double x)
{
	double step = x > 0 ? pow(10, floor(log10(x)) - 1) : 1;

	return round(x / step) * step;
}

struct claim_text measured_text(const struct measured *m, const char *unit)
{
	struct claim_text t = claim_number(m->mean, unit);
	size_t used = strlen(t.text);

	if (isfinite(m->mean) && isfinite(m->half))
		snprintf(t.text + used, sizeof(t.text) - used, " \xc2\xb1%.60s",
			 claim_number(two_digits(m->half), unit).text);
	return t;
}
