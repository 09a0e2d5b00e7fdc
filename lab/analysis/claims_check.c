/* SPDX-License-Identifier: BSD-3-Clause */
/* claims_check.c -- checks, before anything runs, that the runs of a scenario have what the
 * figure's panels and claims name; and whether a figure needs per-flow records. */
#include "lab/analysis/claims.h"
#include "lab/store/results.h"
#include <string.h>

/* --- panels --- */

/* The value that others are divided by must exist. */
static int check_normalize(const struct panel *p, const struct stored_runs *runs,
			   struct weir_error *e)
{
	struct condition one = { p->by, p->normalize };
	const struct selection s = { .text = p->normalize, .count = 1, .conditions = &one };

	return selection_check(&s, runs, e);
}

/* At least one run shown in the panel must have the series. */
static int check_series(const struct panel *p, const char *name, const struct stored_runs *runs,
			struct weir_error *e)
{
	for (uint32_t i = 0; i < runs->count; i++)
		if (selection_has(&p->where, &runs->runs[i]) &&
		    series_check(name, &runs->runs[i], e) == 0)
			return 0;
	return -1;
}

static int check_panel(const struct panel *p, const struct stored_runs *runs, struct weir_error *e)
{
	if (p->where.count && selection_check(&p->where, runs, e))
		return weir_error_prefix(e, "where: ");
	if (p->x && path_check(p->x, runs, e))
		return weir_error_prefix(e, "x: ");
	/* Without cases there is a single line. */
	if (strcmp(p->by, "case") != 0 && path_check(p->by, runs, e))
		return weir_error_prefix(e, "by: ");
	if (p->normalize && check_normalize(p, runs, e))
		return weir_error_prefix(e, "normalize: ");
	for (uint32_t i = 0; p->kind == PANEL_TIME && i < p->y_count; i++)
		if (check_series(p, p->y[i], runs, e))
			return weir_error_prefix(e, "y: ");
	return 0;
}

/* --- claims --- */

static int check_side(const struct claim *c, const struct selection *s,
		      const struct stored_runs *runs, struct weir_error *e)
{
	const char *mixed;

	if (selection_check(s, runs, e))
		return -1;
	mixed = selection_mixes(s, runs, c->best);
	if (mixed)
		return weir_error_set(e, "the runs that it selects differ in %s; name its value",
				      mixed);
	for (uint32_t i = 0; c->is_series && i < runs->count; i++)
		if (selection_has(s, &runs->runs[i]))
			return series_metric_check(&c->series, &runs->runs[i], e);
	return 0;
}

static int check_claim(const struct claim *c, const struct stored_runs *runs, struct weir_error *e)
{
	if (c->best && path_check(c->best, runs, e))
		return weir_error_prefix(e, "best: ");
	if (check_side(c, &c->of, runs, e))
		return weir_error_prefix(e, "of: ");
	if (c->over.count && check_side(c, &c->over, runs, e))
		return weir_error_prefix(e, "over: ");
	return 0;
}

int figure_check(const struct figure *f, const struct stored_runs *runs, enum figure_size size,
		 struct weir_error *e)
{
	for (uint32_t i = 0; i < f->panel_count; i++)
		if (check_panel(&f->panels[i], runs, e))
			return weir_error_prefix(e, "%.200s:%d: [panel %s]: ", f->file,
						 f->panels[i].line, f->panels[i].name);
	for (uint32_t i = 0; i < f->claim_count; i++)
		if (f->claims[i].size <= size && check_claim(&f->claims[i], runs, e))
			return weir_error_prefix(e, "%.200s:%d: [claim %s]: ", f->file,
						 f->claims[i].line, f->claims[i].name);
	return 0;
}

/* --- need of per-flow records --- */

/* Every run stores the usual completion-time metrics itself. */
static int is_made_from_flows(const char *metric)
{
	const char *unit;

	return metric_index(metric) < 0 && flow_metric_known(metric, &unit);
}

static int claim_reads_flows(const struct claim *c)
{
	return c->is_share || (!c->is_series && is_made_from_flows(c->metric));
}

static int panel_reads_flows(const struct panel *p)
{
	if (p->kind == PANEL_CDF || p->kind == PANEL_SIZES)
		return 1;
	return p->kind != PANEL_TIME && is_made_from_flows(p->y[0]);
}

int figure_reads_flows(const struct figure *f)
{
	for (uint32_t i = 0; i < f->claim_count; i++)
		if (claim_reads_flows(&f->claims[i]))
			return 1;
	for (uint32_t i = 0; i < f->panel_count; i++)
		if (panel_reads_flows(&f->panels[i]))
			return 1;
	return 0;
}
