/* compare_flows.c -- what a table shows of flows, run by run: of all that count, or of parts of them. */
#include "lab/compare/compare.h"
#include "lab/base/text.h"
#include "sim/base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int read_set(struct flow_set *set, struct store *s, const struct stored_run *run,
		    struct weir_error *e)
{
	*set = (struct flow_set){ .count = 0 };
	flow_set_measure(set, run);
	return store_each_flow(s, run->id, flow_set_see, set, e);
}

int flow_metrics(struct store *s, const struct stored_run *run, const struct comparison *c,
		 double *numbers, struct weir_error *e)
{
	struct flow_metric m;
	struct flow_set set;
	double *sample;
	int failed = read_set(&set, s, run, e);

	sample = memory_grow(NULL, set.count + 1, sizeof(*sample));
	for (uint32_t i = 0; i < c->column_count && !failed; i++)
		if (c->columns[i].metric < 0 && flow_metric_find(c->columns[i].name, &m))
			numbers[i] = flow_set_metric(&set, &m, NULL, sample);
	free(sample);
	flow_set_free(&set);
	return failed;
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
		if (!isnan(set->flows[i].fct_ns))
			ended[set->flows[i].section] = 1;
	for (uint32_t i = 0; i < set->section_count; i++)
		if (ended[i])
			add_section(c, set->sections[i]);
	free(ended);
}

/* The columns of a part that are made from flows; percentiles of too few are taken out wherever they came
 * from. */
static void fill_part(struct comparison *c, const struct flow_set *set,
		      const struct flow_filter *in, struct compare_flows *flows, double *numbers)
{
	double *sample = memory_grow(NULL, set->count + 1, sizeof(*sample));
	struct flow_metric m;

	for (int k = 0; k < CLASSES; k++)
		flows->counted[k] = flow_set_count(set, (enum flow_class)k, in);
	for (uint64_t i = 0; i < set->count; i++)
		flows->unfinished +=
			isnan(set->flows[i].fct_ns) && in->is_in(in->context, &set->flows[i]);
	for (uint32_t i = 0; i < c->column_count; i++) {
		if (!flow_metric_find(c->columns[i].name, &m))
			continue;
		if (c->columns[i].metric < 0)
			numbers[i] = flow_set_metric(set, &m, in, sample);
	}
	free(sample);
}

/* A store may hold numbers of a run without its flows: then nothing is known against them. */
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
	struct part_of_set part;
	const struct flow_filter in = { comparison_is_in_part, &part };
	struct flow_set set;

	if (read_set(&set, s, &c->runs.runs[run], e)) {
		flow_set_free(&set);
		return -1;
	}
	name_sections(c, &set);
	for (part = comparison_parts_of(c, &set); part.part < c->part_count; part.part++) {
		size_t at = (size_t)run * c->part_count + part.part;

		fill_part(c, &set, &in, &c->flows[at], c->numbers + at * c->column_count);
		if (q->percentiles == PERCENTILES_KNOWN)
			drop_too_few(c, &c->flows[at], c->numbers + at * c->column_count);
	}
	free(part.part_of);
	flow_set_free(&set);
	return 0;
}
