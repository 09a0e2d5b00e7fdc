/* verdict.c -- see verdict.h. */
#include "lab/papers/verdict.h"
#include "lab/compare/compare.h"
#include "lab/base/quantity.h"
#include "lab/store/results.h"
#include "sim/base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a claim's number comes from. */
enum source { FROM_RUN, FROM_FLOWS, FROM_SERIES };

struct claim_source {
	enum source source;
	uint32_t index; /* metric of metric_all, or column of what is read below */
	char unit[16];  /* of the metric; of a scheme's series known when it is read */
	int unit_known;
};

struct evidence {
	struct store *store; /* NULL: there are no results */
	const struct figure *figure;
	struct stored_runs runs;
	struct claim_source *sources; /* one a claim */
	/* Made from flows and series when a claim first needs those of a run. */
	struct comparison flows; /* its columns only */
	uint32_t series_count;
	uint32_t *series_claim;                  /* claim of each column */
	double *flow_numbers, *series_numbers;   /* run x column */
	unsigned char *flows_read, *series_read; /* per run */
};

const char *verdict_name(enum verdict_kind kind)
{
	static const char *const names[VERDICTS] = {
		[VERDICT_AGREES] = "agrees",
		[VERDICT_SAME_DIRECTION] = "same direction",
		[VERDICT_DISAGREES] = "disagrees",
		[VERDICT_OTHER_SIZE] = "not at this size",
		[VERDICT_NOT_MEASURED] = "not measured",
	};

	return names[kind];
}

/* --- what there is --- */

/* The flows' columns are shared by claims of the same metric. */
static uint32_t flow_column(struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->column_count; i++)
		if (strcmp(c->columns[i].name, name) == 0)
			return i;
	c->columns[c->column_count] = (struct compare_column){ name, "", -1 };
	return c->column_count++;
}

static void find_source(struct evidence *v, uint32_t claim)
{
	const struct claim *c = &v->figure->claims[claim];
	struct claim_source *s = &v->sources[claim];
	int metric = c->is_series ? -1 : metric_index(c->metric);
	const char *unit = "";

	if (c->is_series) {
		s->source = FROM_SERIES;
		s->index = v->series_count;
		v->series_claim[v->series_count++] = claim;
		unit = series_metric_unit(&c->series);
	} else if (metric >= 0) {
		s->source = FROM_RUN;
		s->index = (uint32_t)metric;
		unit = metric_all[metric].unit;
	} else {
		s->source = FROM_FLOWS;
		s->index = flow_column(&v->flows, c->metric);
		flow_metric_known(c->metric, &unit);
	}
	s->unit_known = unit != NULL;
	snprintf(s->unit, sizeof(s->unit), "%s", unit ? unit : "");
}

/* Runs of the latest plan, where there is one. */
static int read_runs(struct evidence *v, struct weir_error *e)
{
	return v->store ? store_runs(v->store, STORE_PLANNED, &v->runs, e) : 0;
}

int evidence_new(struct evidence **out, struct store *s, const struct figure *f,
		 struct weir_error *e)
{
	struct evidence *v = memory_zeroed(1, sizeof(*v));
	uint64_t runs;

	*out = v;
	v->store = s;
	v->figure = f;
	v->sources = memory_zeroed(f->claim_count, sizeof(*v->sources));
	v->series_claim = memory_zeroed(f->claim_count, sizeof(*v->series_claim));
	v->flows.columns = memory_zeroed(f->claim_count, sizeof(*v->flows.columns));
	for (uint32_t i = 0; i < f->claim_count; i++)
		find_source(v, i);
	if (read_runs(v, e))
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
	unsigned char *seen; /* per column: the first series of that name counts */
	struct weir_error *e;
	int failed;
};

/* A scheme's series says its unit; does the claim have the same? */
static int check_unit(struct evidence *v, uint32_t claim, const struct stored_series *s,
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

static int visit_series(void *context, const struct stored_series *s)
{
	struct series_visit *at = context;
	struct evidence *v = at->v;

	for (uint32_t i = 0; i < v->series_count; i++) {
		const struct series_metric *m = &v->figure->claims[v->series_claim[i]].series;
		struct series_origin o;

		if (at->seen[i] || strcmp(m->series, s->name) != 0)
			continue;
		at->seen[i] = 1;
		at->failed = check_unit(v, v->series_claim[i], s, at->e);
		if (at->failed)
			return 1;
		o = series_origin(&v->runs.runs[at->run], s->name);
		at->numbers[i] = series_metric_value(m, s, &o);
	}
	return 0;
}

static int read_series(struct evidence *v, uint32_t run, double *numbers, struct weir_error *e)
{
	struct series_visit at = { v, run, numbers, memory_zeroed(v->series_count, 1), e, 0 };
	int failed;

	for (uint32_t i = 0; i < v->series_count; i++)
		numbers[i] = (double)NAN;
	failed = store_each_series(v->store, v->runs.runs[run].id, visit_series, &at, e);
	free(at.seen);
	return failed || at.failed ? -1 : 0;
}

static enum metric_kind kind_of_source(const struct claim_source *s)
{
	return s->source == FROM_RUN     ? metric_all[s->index].kind
	       : s->source == FROM_FLOWS ? METRIC_FLOW
					 : METRIC_RESULT;
}

/* The claim's metric of one run. */
static int number_of(struct evidence *v, uint32_t claim, uint32_t run, double *number,
		     struct weir_error *e)
{
	const struct claim_source *s = &v->sources[claim];
	double *flows = v->flow_numbers + (size_t)run * v->flows.column_count;
	double *series = v->series_numbers + (size_t)run * v->series_count;

	if (s->source == FROM_RUN) {
		*number = v->runs.runs[run].value[s->index];
		return 0;
	}
	if (s->source == FROM_FLOWS && !v->flows_read[run]) {
		if (flow_metrics(v->store, &v->runs.runs[run], &v->flows, flows, e))
			return -1;
		v->flows_read[run] = 1;
	}
	if (s->source == FROM_SERIES && !v->series_read[run]) {
		if (read_series(v, run, series, e))
			return -1;
		v->series_read[run] = 1;
	}
	*number = s->source == FROM_FLOWS ? flows[s->index] : series[s->index];
	return 0;
}

/* --- one side of a claim --- */

struct seed_number {
	const char *seed;
	double number;
};

/* The numbers of the selected runs, each with its seed. */
struct side {
	uint32_t count;
	struct health health; /* of these runs */
	struct seed_number *runs;
};

static const char *seed_of(const struct stored_run *run)
{
	const char *seed = stored_setting(run, "seed");

	return seed ? seed : "";
}

static int collect(struct evidence *v, const struct claim *c, const struct selection *s,
		   struct side *side, struct weir_error *e)
{
	uint32_t claim = (uint32_t)(c - v->figure->claims);
	const char *mixed = selection_mixes(s, &v->runs);

	side->runs = memory_zeroed(v->runs.count, sizeof(*side->runs));
	if (mixed)
		return weir_error_set(
			e,
			"%s:%d: [claim %s]: %s: the runs that it selects differ in %s; name "
			"its value",
			v->figure->file, c->line, c->name, s == &c->of ? "of" : "over", mixed);
	for (uint32_t i = 0; i < v->runs.count; i++) {
		struct seed_number *one = &side->runs[side->count];

		if (!selection_has(s, &v->runs.runs[i]))
			continue;
		one->seed = seed_of(&v->runs.runs[i]);
		if (number_of(v, claim, i, &one->number, e))
			return -1;
		health_add(&side->health, &v->runs.runs[i]);
		side->count++;
	}
	return 0;
}

/* Mean and interval of those that are known. */
static struct measured measure(const double *numbers, uint32_t count, double *known)
{
	struct measured m = { (double)NAN, (double)NAN, 0 };
	double sum = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!isnan(numbers[i])) {
			known[m.count++] = numbers[i];
			sum += numbers[i];
		}
	if (m.count == 0)
		return m;
	m.mean = sum / m.count;
	m.half = confidence_half(known, m.count); /* NAN beside what is never reached */
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

/* --- the verdict --- */

struct sides {
	struct side of, over;
	double *numbers, *known; /* room for as many as there are runs */
};

static void measure_side(const struct side *side, struct sides *s, struct measured *m)
{
	for (uint32_t i = 0; i < side->count; i++)
		s->numbers[i] = side->runs[i].number;
	*m = measure(s->numbers, side->count, s->known);
}

/* Ratios seed by seed; where the sides have no seed in common, the ratio of their means, whose interval
 * is not known. Over zero there is no ratio. */
static void measure_ratio(struct sides *s, struct verdict *v)
{
	uint32_t met = 0;

	for (uint32_t i = 0; i < s->of.count; i++) {
		double over = of_seed(&s->over, s->of.runs[i].seed, &met);

		s->numbers[i] = over == 0 ? (double)NAN : s->of.runs[i].number / over;
	}
	v->value = measure(s->numbers, s->of.count, s->known);
	if (met == 0 && v->of.count && v->over.count && v->over.mean != 0) {
		v->value.mean = v->of.mean / v->over.mean;
		v->value.count = v->of.count < v->over.count ? v->of.count : v->over.count;
	}
}

static enum verdict_kind kind_of_number(const struct claim *c, double measured)
{
	int above;

	if ((measured >= c->accept_low && measured <= c->accept_high) ||
	    is_same_number(measured, c->accept_low) || is_same_number(measured, c->accept_high))
		return VERDICT_AGREES;
	if (isnan(c->against))
		return VERDICT_DISAGREES;
	above = c->low >= c->against;
	return (above ? measured > c->against : measured < c->against) ? VERDICT_SAME_DIRECTION
								       : VERDICT_DISAGREES;
}

/* A direction is only known where the whole interval lies on that side. */
static enum verdict_kind kind_of(const struct claim *c, const struct measured *m)
{
	enum verdict_kind kind = kind_of_number(c, m->mean);
	double nearest = c->low >= c->against ? m->mean - m->half : m->mean + m->half;

	if (kind == VERDICT_SAME_DIRECTION && isfinite(m->half) &&
	    kind_of_number(c, nearest) == VERDICT_DISAGREES)
		return VERDICT_DISAGREES;
	return kind;
}

/* Both ends of the interval are judged like its middle, and what agrees does not lie between them. */
static int is_firm(const struct claim *c, const struct verdict *v)
{
	double low = v->value.mean - v->value.half, high = v->value.mean + v->value.half;

	if (!isfinite(v->value.half) || kind_of_number(c, low) != v->kind ||
	    kind_of_number(c, high) != v->kind)
		return 0;
	return v->kind == VERDICT_AGREES || high < c->accept_low || low > c->accept_high;
}

static void explain(const struct claim *c, const struct sides *s, struct verdict *v)
{
	const struct selection *empty = s->of.count == 0 ? &c->of : &c->over;

	if (s->of.count == 0 || (c->over.count && s->over.count == 0))
		snprintf(v->why, sizeof(v->why), "no run%s%.150s is there",
			 empty->text ? " with " : "", empty->text ? empty->text : "");
	else if (v->of.count == 0 || (c->over.count && v->over.count == 0))
		snprintf(v->why, sizeof(v->why), "no run%s%.150s has a number for it",
			 v->of.count || !c->of.text ? "" : " with ",
			 v->of.count  ? " of over"
			 : c->of.text ? c->of.text
				      : "");
	else
		snprintf(v->why, sizeof(v->why), "%s",
			 v->over.mean == 0 ? "there is no ratio to zero"
					   : "no seed has a number on both sides");
}

static int judge(struct evidence *ev, const struct claim *c, struct sides *s, struct verdict *v,
		 struct weir_error *e)
{
	if (collect(ev, c, &c->of, &s->of, e) ||
	    (c->over.count && collect(ev, c, &c->over, &s->over, e)))
		return -1;
	measure_side(&s->of, s, &v->of);
	measure_side(&s->over, s, &v->over);
	health_join(&v->health, &s->of.health);
	health_join(&v->health, &s->over.health);
	v->is_doubtful = health_is_doubtful(&v->health,
					    kind_of_source(&ev->sources[c - ev->figure->claims]));
	if (c->over.count)
		measure_ratio(s, v);
	else
		v->value = v->of;
	snprintf(v->metric_unit, sizeof(v->metric_unit), "%s",
		 ev->sources[c - ev->figure->claims].unit);
	if (isnan(v->value.mean)) {
		explain(c, s, v);
		return 0;
	}
	v->kind = kind_of(c, &v->value);
	v->is_firm = is_firm(c, v);
	return 0;
}

int claim_judge(struct evidence *ev, const struct claim *c, enum figure_size size,
		struct verdict *v, struct weir_error *e)
{
	const struct measured nothing = { (double)NAN, (double)NAN, 0 };
	struct sides s = { .numbers = memory_zeroed(ev->runs.count, sizeof(double)),
			   .known = memory_zeroed(ev->runs.count, sizeof(double)) };
	int failed = 0;

	*v = (struct verdict){
		.kind = VERDICT_NOT_MEASURED, nothing, .of = nothing, .over = nothing
	};
	snprintf(v->unit, sizeof(v->unit), "%s", c->unit);
	if (size < c->size)
		v->kind = VERDICT_OTHER_SIZE;
	else
		failed = judge(ev, c, &s, v, e);
	free(s.of.runs);
	free(s.over.runs);
	free(s.numbers);
	free(s.known);
	return failed;
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

/* An uncertainty is known to two digits at best. */
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
