/* SPDX-License-Identifier: BSD-3-Clause */
/* evidence.c -- the runs of a figure's store, and the number that each run has for a claim. */
#include "lab/analysis/evidence.h"
#include "base/quantity.h"
#include "lab/store/results.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sources of numbers --- */

/* Claims with the same metric share a column of flow metrics. */
static uint32_t flow_column(struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->column_count; i++)
		if (strcmp(c->columns[i].name, name) == 0)
			return i;
	c->columns[c->column_count] = (struct compare_column){ name, "", -1, metric_find(name) };
	return c->column_count++;
}

static void find_source(struct evidence *v, uint32_t claim)
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
		s->index = flow_column(&v->flows, c->metric);
		flow_metric_known(c->metric, &unit);
	}
	s->unit_known = unit != NULL;
	snprintf(s->unit, sizeof(s->unit), "%s", unit ? unit : "");
}

/* Reads the runs of the store's latest plan if it has one, else all runs. */
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
	unsigned char *seen; /* per column: set once a series of that name was read; the first one
				counts */
	struct weir_error *e;
	int failed;
};

/* Unless the claim's unit is known, the scheme's series defines it. Refuses a claim with another
 * unit. */
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

enum metric_kind evidence_kind(const struct evidence *v, uint32_t claim)
{
	const struct claim_source *s = &v->sources[claim];

	return s->source == FROM_RUN      ? metric_all[s->index].kind
	       : s->source == FROM_SERIES ? METRIC_RESULT
					  : METRIC_FLOW;
}

static int read_share(struct evidence *v, const struct flow_share *m, uint32_t run, double *number,
		      struct weir_error *e)
{
	const struct flow_set *set = store_flow_set(v->store, &v->runs.runs[run], e);

	if (!set)
		return -1;
	*number = flow_share_value(m, set);
	return 0;
}

int evidence_number(struct evidence *v, uint32_t claim, uint32_t run, double *number,
		    struct weir_error *e)
{
	const struct claim_source *s = &v->sources[claim];
	double *flows = v->flow_numbers + (size_t)run * v->flows.column_count;
	double *series = v->series_numbers + (size_t)run * v->series_count;

	if (s->source == FROM_RUN) {
		*number = v->runs.runs[run].value[s->index];
		return 0;
	}
	if (s->source == FROM_SHARE)
		return read_share(v, &v->figure->claims[claim].share, run, number, e);
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
