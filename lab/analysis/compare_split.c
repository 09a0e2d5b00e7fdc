/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_split.c -- splits the flows of runs by traffic section, class or size, and computes
 * metrics from flow records, for whole runs or for each part.
 *
 * With several splits a part is a combination of their values. Its number is a mixed-radix number
 * with one digit per split, most significant first. Parts are numbered alike in all runs, so they
 * can be compared. */
#include "lab/analysis/compare.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DECILES = 10, NO_PART = -1 };

const char *const compare_split_names[SPLITS] = {
	[SPLIT_TRAFFIC] = "traffic",
	[SPLIT_CLASS] = "traffic-class",
	[SPLIT_SIZE] = "flow-size",
};

int comparison_add_split(struct comparison *c, const char *name, uint32_t axis)
{
	for (int kind = 0; kind < SPLITS; kind++)
		if (strcmp(compare_split_names[kind], name) == 0) {
			c->splits[c->split_count++] =
				(struct compare_split){ .kind = (enum compare_split_kind)kind,
							.axis = axis };
			return 1;
		}
	return 0;
}

static void split_add_value(struct compare_split *p, const char *name, uint64_t above)
{
	p->names = memory_grow(p->names, p->count + UINT64_C(1), sizeof(*p->names));
	p->above = memory_grow(p->above, p->count + UINT64_C(1), sizeof(*p->above));
	p->names[p->count] = NULL;
	text_print(&p->names[p->count], "%s", name);
	p->above[p->count++] = above;
}

/* --- assigning flows to parts --- */

static int split_value_of_section(const struct compare_split *p, const char *section)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (strcmp(p->names[i], section) == 0)
			return (int)i;
	return NO_PART;
}

static int split_value_of_number(const struct compare_split *p, uint64_t number)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->above[i] == number)
			return (int)i;
	return NO_PART;
}

static int split_value_of_size(const struct compare_split *p, uint64_t size)
{
	uint32_t i = p->count - 1;

	while (i > 0 && size <= p->above[i])
		i--;
	return (int)i;
}

/* Value of each split by flow. Sections are looked up once per set. */
struct split_values {
	const struct comparison *c;
	int *of_section; /* NULL: no split by section */
};

static struct split_values split_values_of(const struct comparison *c, const struct flow_set *set)
{
	struct split_values v = { c, NULL };

	for (uint32_t i = 0; i < c->split_count; i++) {
		if (c->splits[i].kind != SPLIT_TRAFFIC)
			continue;
		v.of_section = memory_zeroed(set->section_count, sizeof(*v.of_section));
		for (uint32_t k = 0; k < set->section_count; k++)
			if (set->sections[k])
				v.of_section[k] =
					split_value_of_section(&c->splits[i], set->sections[k]);
	}
	return v;
}

static uint32_t split_part_of(const struct split_values *v, const struct counted_flow *f)
{
	uint32_t part = 0;

	for (uint32_t i = 0; i < v->c->split_count; i++) {
		const struct compare_split *p = &v->c->splits[i];
		int value = p->kind == SPLIT_TRAFFIC ? v->of_section[f->section]
			    : p->kind == SPLIT_CLASS ? split_value_of_number(p, f->class_id)
						     : split_value_of_size(p, f->size_bytes);

		part = part * p->count + (uint32_t)value;
	}
	return part;
}

/* Sorts flows by part (counting sort) and records where each part ends. */
static void split_sort_flows(struct flow_parts *p, const struct split_values *v,
			     const struct flow_set *set)
{
	uint32_t *part = memory_grow(NULL, set->count + 1, sizeof(*part));
	uint64_t before = 0;

	p->flows = memory_grow(NULL, set->count + 1, sizeof(*p->flows));
	p->ends = memory_zeroed(p->count, sizeof(*p->ends));
	for (uint64_t i = 0; i < set->count; i++) {
		part[i] = split_part_of(v, &set->flows[i]);
		p->ends[part[i]]++;
	}
	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t here = p->ends[i];

		p->ends[i] = before;
		before += here;
	}
	for (uint64_t i = 0; i < set->count; i++)
		p->flows[p->ends[part[i]]++] = set->flows[i];
	free(part);
}

static void split_show_part(struct flow_parts *p)
{
	uint64_t begin = p->part ? p->ends[p->part - 1] : 0;

	p->set.flows = p->flows + begin;
	p->set.count = p->ends[p->part] - begin;
}

struct flow_parts comparison_parts_of(const struct comparison *c, const struct flow_set *set)
{
	struct flow_parts p = { .set = *set, .count = c->part_count };
	struct split_values v;

	if (c->split_count == 0)
		return p;
	v = split_values_of(c, set);
	split_sort_flows(&p, &v, set);
	split_show_part(&p);
	free(v.of_section);
	return p;
}

int comparison_next_part(struct flow_parts *p)
{
	if (++p->part < p->count) {
		split_show_part(p);
		return 1;
	}
	free(p->flows);
	free(p->ends);
	return 0;
}

uint32_t comparison_part_value(const struct comparison *c, uint32_t part, uint32_t split)
{
	for (uint32_t i = c->split_count - 1; i > split; i--)
		part /= c->splits[i].count;
	return part % c->splits[split].count;
}

/* --- finding the values of splits --- */

/* Accumulated over the flows of all runs. */
struct survey {
	struct comparison *c;
	uint64_t size_count, size_room;
	uint64_t *sizes;
};

static void split_add_classes(struct compare_split *p, const struct flow_set *set)
{
	for (uint64_t i = 0; i < set->count; i++) {
		char number[32];

		if (split_value_of_number(p, set->flows[i].class_id) != NO_PART)
			continue;
		snprintf(number, sizeof(number), "%u", set->flows[i].class_id);
		split_add_value(p, number, set->flows[i].class_id);
	}
}

static void split_add_sizes(struct survey *v, const struct flow_set *set)
{
	if (v->size_count + set->count > v->size_room) {
		v->size_room = 2 * v->size_room + set->count;
		v->sizes = memory_grow(v->sizes, v->size_room, sizeof(*v->sizes));
	}
	for (uint64_t i = 0; i < set->count; i++)
		v->sizes[v->size_count++] = set->flows[i].size_bytes;
}

static void split_add_flows(struct survey *v, const struct flow_set *set)
{
	for (uint32_t i = 0; i < v->c->split_count; i++) {
		struct compare_split *p = &v->c->splits[i];

		if (p->kind == SPLIT_CLASS)
			split_add_classes(p, set);
		else if (p->kind == SPLIT_SIZE)
			split_add_sizes(v, set);
		else
			for (uint32_t k = 0; k < set->section_count; k++)
				if (set->sections[k] &&
				    split_value_of_section(p, set->sections[k]) == NO_PART)
					split_add_value(p, set->sections[k], k);
	}
}

static int split_read_runs(struct survey *v, struct store *s, struct weir_error *e)
{
	for (uint32_t i = 0; i < v->c->runs.count; i++) {
		const struct flow_set *set = store_flow_set(s, &v->c->runs.runs[i], e);

		if (!set)
			return -1;
		split_add_flows(v, set);
	}
	return 0;
}

/* --- sizes --- */

/* Parses "10KB, 1MB" as ascending boundaries. */
static int split_given_edges(struct compare_split *p, const char *text, struct weir_error *e)
{
	static const struct weir_option option = { .name = "--sizes",
						   .type = WEIR_OPT_BYTES,
						   .def = "1B",
						   .min = 1,
						   .max = UINT64_MAX / 2,
						   .help = "" };
	uint64_t before = 0;

	split_add_value(p, "", 0);
	text += strspn(text, " ");
	while (*text) {
		size_t length = strcspn(text, ", ");
		char word[64];
		uint64_t edge;

		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		if (weir_option_parse(&edge, &option, word, e))
			return -1;
		if (edge <= before)
			return weir_error_set(e, "--sizes: %s is not larger than the one before it",
					      weir_quote(word).text);
		split_add_value(p, "", edge);
		before = edge;
		text += length;
		text += strspn(text, " ,");
	}
	return 0;
}

/* One range per decile of flows. A size that covers more than a decile becomes one range. */
static void split_decile_edges(struct compare_split *p, const struct survey *v)
{
	split_add_value(p, "", 0);
	for (uint64_t i = 1; i < DECILES && v->size_count > 0; i++) {
		uint64_t edge = v->sizes[(v->size_count * i - 1) / DECILES];

		if (edge > p->above[p->count - 1] && edge < v->sizes[v->size_count - 1])
			split_add_value(p, "", edge);
	}
}

/* Names each range by its largest size, and finds its median size. */
static void split_name_ranges(struct compare_split *p, const struct survey *v)
{
	uint64_t at = 0;

	p->middle = memory_grow(NULL, p->count, sizeof(*p->middle));
	for (uint32_t i = 0; i < p->count; i++) {
		uint64_t first = at;
		int is_last = i + 1 == p->count;

		while (at < v->size_count && (is_last || v->sizes[at] <= p->above[i + 1]))
			at++;
		p->middle[i] =
			at > first ? (double)v->sizes[first + (at - first - 1) / 2] : (double)NAN;
		if (is_last && i > 0)
			text_print(&p->names[i], "above %s",
				   format_bytes((double)p->above[i]).text);
		else if (is_last)
			text_print(&p->names[i], "all");
		else
			text_print(&p->names[i], "to %s",
				   format_bytes((double)p->above[i + 1]).text);
	}
}

static int split_find_sizes(struct compare_split *p, struct survey *v, const char *given,
			    struct weir_error *e)
{
	sort_counts(v->sizes, v->size_count);
	if (given && split_given_edges(p, given, e))
		return -1;
	if (!given)
		split_decile_edges(p, v);
	split_name_ranges(p, v);
	return 0;
}

/* Insertion sort: there are few. */
static void split_sort_values(struct compare_split *p)
{
	for (uint32_t i = 1; i < p->count; i++)
		for (uint32_t k = i; k > 0 && p->above[k - 1] > p->above[k]; k--) {
			uint64_t number = p->above[k];
			char *name = p->names[k];

			p->above[k] = p->above[k - 1];
			p->names[k] = p->names[k - 1];
			p->above[k - 1] = number;
			p->names[k - 1] = name;
		}
}

int comparison_find_parts(struct comparison *c, struct store *s, const struct compare_request *q,
			  struct weir_error *e)
{
	struct survey v = { .c = c };
	int failed = 0;

	c->part_count = 1;
	if (c->split_count > 0 && split_read_runs(&v, s, e))
		failed = -2;
	for (uint32_t i = 0; i < c->split_count && !failed; i++) {
		struct compare_split *p = &c->splits[i];

		if (p->kind == SPLIT_SIZE && split_find_sizes(p, &v, q->sizes, e))
			failed = -1;
		if (p->kind != SPLIT_SIZE)
			split_sort_values(p);
		if (!failed && (p->count == 0 || (p->kind == SPLIT_SIZE && v.size_count == 0)))
			failed = weir_error_set(e,
						"--by %s: no flow with a size starts in the "
						"measured interval",
						compare_split_names[p->kind]);
		c->part_count *= p->count;
	}
	free(v.sizes);
	return failed;
}

void comparison_free_parts(struct comparison *c)
{
	for (uint32_t i = 0; i < c->split_count; i++) {
		struct compare_split *p = &c->splits[i];

		for (uint32_t k = 0; k < p->count; k++)
			free(p->names[k]);
		free(p->names);
		free(p->above);
		free(p->middle);
	}
	for (uint32_t i = 0; i < c->section_count; i++)
		free(c->sections[i]);
	free(c->sections);
	free(c->flows);
}

/* --- metrics computed from flow records --- */

/* Lazily computed metrics of a set, one quantity and class at a time. */
struct set_numbers {
	const struct flow_set *set;
	double *sample;
	int is_known[QUANTITIES][CLASSES];
	struct flow_numbers of[QUANTITIES][CLASSES];
};

static double flow_metrics_set_number(struct set_numbers *n, const struct flow_metric *m)
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
static void flow_metrics_fill_numbers(const struct comparison *c, const struct flow_set *set,
				      double *numbers)
{
	struct set_numbers n = { .set = set };
	struct flow_metric m;

	for (uint32_t i = 0; i < c->column_count; i++)
		if (c->columns[i].metric < 0 && flow_metric_find(c->columns[i].name, &m))
			numbers[i] = flow_metrics_set_number(&n, &m);
	free(n.sample);
}

int flow_metrics(struct store *s, const struct stored_run *run, const struct comparison *c,
		 double *numbers, struct weir_error *e)
{
	const struct flow_set *set = store_flow_set(s, run, e);

	if (!set)
		return -1;
	flow_metrics_fill_numbers(c, set, numbers);
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

static void flow_metrics_add_section(struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->section_count; i++)
		if (strcmp(c->sections[i], name) == 0)
			return;
	c->sections =
		memory_grow(c->sections, c->section_count + UINT64_C(1), sizeof(*c->sections));
	c->sections[c->section_count] = NULL;
	text_print(&c->sections[c->section_count++], "%s", name);
}

static void flow_metrics_name_sections(struct comparison *c, const struct flow_set *set)
{
	unsigned char *ended = memory_grow(NULL, set->section_count + UINT64_C(1), 1);

	memset(ended, 0, set->section_count + (size_t)1);
	for (uint64_t i = 0; i < set->count; i++)
		if (set->flows[i].fct_ps >= 0)
			ended[set->flows[i].section] = 1;
	for (uint32_t i = 0; i < set->section_count; i++)
		if (ended[i])
			flow_metrics_add_section(c, set->sections[i]);
	free(ended);
}

/* Removes percentiles of too few flows, whether computed here or stored. A store may have a run's
 * numbers without its flows; then the count is unknown and they stay. */
static void flow_metrics_drop_too_few(struct comparison *c, const struct compare_flows *flows,
				      double *numbers)
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
	flow_metrics_name_sections(c, set);
	parts = comparison_parts_of(c, set);
	do {
		size_t at = (size_t)run * c->part_count + parts.part;
		double *numbers = c->numbers + at * c->column_count;
		struct compare_flows *flows = &c->flows[at];

		flows->unfinished = flow_set_counts(&parts.set, flows->counted);
		flow_metrics_fill_numbers(c, &parts.set, numbers);
		if (q->percentiles == PERCENTILES_KNOWN)
			flow_metrics_drop_too_few(c, flows, numbers);
	} while (comparison_next_part(&parts));
	return 0;
}
