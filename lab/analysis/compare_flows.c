/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_flows.c -- the table's metrics from flow records, run by run: of all flows, or of each
 * part. */
#include "lab/analysis/compare.h"
#include "base/text.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lazily computed metrics of a set, one quantity and class at a time. */
struct set_numbers {
	const struct flow_set *set;
	double *sample;
	int is_known[QUANTITIES][CLASSES];
	struct flow_numbers of[QUANTITIES][CLASSES];
};

static double set_number(struct set_numbers *n, const struct flow_metric *m)
{
	if (!n->sample)
		n->sample = memory_grow(NULL, n->set->count + 1, sizeof(*n->sample));
	if (!n->is_known[m->quantity][m->class])
		n->of[m->quantity][m->class] =
			flow_set_numbers(n->set, m->quantity, m->class, NULL, n->sample);
	n->is_known[m->quantity][m->class] = 1;
	return n->of[m->quantity][m->class].of[m->statistic];
}

/* Fills the columns that are computed from flow records. */
static void fill_numbers(const struct comparison *c, const struct flow_set *set, double *numbers)
{
	struct set_numbers n = { .set = set };
	struct flow_metric m;

	for (uint32_t i = 0; i < c->column_count; i++)
		if (c->columns[i].metric < 0 && flow_metric_find(c->columns[i].name, &m))
			numbers[i] = set_number(&n, &m);
	free(n.sample);
}

int flow_metrics(struct store *s, const struct stored_run *run, const struct comparison *c,
		 double *numbers, struct weir_error *e)
{
	const struct flow_set *set = store_flow_set(s, run, e);

	if (!set)
		return -1;
	fill_numbers(c, set, numbers);
	return 0;
}

int comparison_has_flows(const struct comparison *c)
{
	for (uint32_t i = 0; i < c->column_count; i++)
		if (column_kind(&c->columns[i]) == METRIC_FLOW)
			return 1;
	return 0;
}

/* --- parts --- */

static void add_section(struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->section_count; i++)
		if (strcmp(c->sections[i], name) == 0)
			return;
	c->sections =
		memory_grow(c->sections, c->section_count + UINT64_C(1), sizeof(*c->sections));
	c->sections[c->section_count] = NULL;
	text_print(&c->sections[c->section_count++], "%s", name);
}

static void name_sections(struct comparison *c, const struct flow_set *set)
{
	unsigned char *ended = memory_grow(NULL, set->section_count + UINT64_C(1), 1);

	memset(ended, 0, set->section_count + (size_t)1);
	for (uint64_t i = 0; i < set->count; i++)
		if (set->flows[i].fct_ps >= 0)
			ended[set->flows[i].section] = 1;
	for (uint32_t i = 0; i < set->section_count; i++)
		if (ended[i])
			add_section(c, set->sections[i]);
	free(ended);
}

/* Removes percentiles of too few flows, whether computed here or stored. A store may have a run's
 * numbers without its flows; then the count is unknown and they stay. */
static void drop_too_few(struct comparison *c, const struct compare_flows *flows, double *numbers)
{
	struct flow_metric m;

	if (flows->counted[CLASS_ALL] + flows->unfinished == 0)
		return;
	for (uint32_t i = 0; i < c->column_count; i++) {
		if (isnan(numbers[i]) || !flow_metric_find(c->columns[i].name, &m) ||
		    flow_statistic_is_known(m.statistic, flows->counted[m.class]))
			continue;
		numbers[i] = (double)NAN;
		c->has_too_few = 1;
	}
}

int comparison_read_flows(struct comparison *c, struct store *s, uint32_t run,
			  const struct compare_request *q, struct weir_error *e)
{
	const struct flow_set *set = store_flow_set(s, &c->runs.runs[run], e);
	struct flow_parts parts;

	if (!set)
		return -1;
	name_sections(c, set);
	parts = comparison_parts_of(c, set);
	do {
		size_t at = (size_t)run * c->part_count + parts.part;
		double *numbers = c->numbers + at * c->column_count;
		struct compare_flows *flows = &c->flows[at];

		flows->unfinished = flow_set_counts(&parts.set, flows->counted);
		fill_numbers(c, &parts.set, numbers);
		if (q->percentiles == PERCENTILES_KNOWN)
			drop_too_few(c, flows, numbers);
	} while (comparison_next_part(&parts));
	return 0;
}
