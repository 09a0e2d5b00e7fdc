/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_split.c -- splits the flows of runs by traffic section, class or size.
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

static void add_value(struct compare_split *p, const char *name, uint64_t above)
{
	p->names = memory_grow(p->names, p->count + UINT64_C(1), sizeof(*p->names));
	p->above = memory_grow(p->above, p->count + UINT64_C(1), sizeof(*p->above));
	p->names[p->count] = NULL;
	text_print(&p->names[p->count], "%s", name);
	p->above[p->count++] = above;
}

/* --- assigning flows to parts --- */

static int value_of_section(const struct compare_split *p, const char *section)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (strcmp(p->names[i], section) == 0)
			return (int)i;
	return NO_PART;
}

static int value_of_number(const struct compare_split *p, uint64_t number)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (p->above[i] == number)
			return (int)i;
	return NO_PART;
}

static int value_of_size(const struct compare_split *p, uint64_t size)
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

static struct split_values values_of(const struct comparison *c, const struct flow_set *set)
{
	struct split_values v = { c, NULL };

	for (uint32_t i = 0; i < c->split_count; i++) {
		if (c->splits[i].kind != SPLIT_TRAFFIC)
			continue;
		v.of_section = memory_zeroed(set->section_count, sizeof(*v.of_section));
		for (uint32_t k = 0; k < set->section_count; k++)
			if (set->sections[k])
				v.of_section[k] = value_of_section(&c->splits[i], set->sections[k]);
	}
	return v;
}

static uint32_t part_of(const struct split_values *v, const struct counted_flow *f)
{
	uint32_t part = 0;

	for (uint32_t i = 0; i < v->c->split_count; i++) {
		const struct compare_split *p = &v->c->splits[i];
		int value = p->kind == SPLIT_TRAFFIC ? v->of_section[f->section]
			    : p->kind == SPLIT_CLASS ? value_of_number(p, f->class_id)
						     : value_of_size(p, f->size_bytes);

		part = part * p->count + (uint32_t)value;
	}
	return part;
}

/* Sorts flows by part (counting sort) and records where each part ends. */
static void sort_flows(struct flow_parts *p, const struct split_values *v,
		       const struct flow_set *set)
{
	uint32_t *part = memory_grow(NULL, set->count + 1, sizeof(*part));
	uint64_t before = 0;

	p->flows = memory_grow(NULL, set->count + 1, sizeof(*p->flows));
	p->ends = memory_zeroed(p->count, sizeof(*p->ends));
	for (uint64_t i = 0; i < set->count; i++) {
		part[i] = part_of(v, &set->flows[i]);
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

static void show_part(struct flow_parts *p)
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
	v = values_of(c, set);
	sort_flows(&p, &v, set);
	show_part(&p);
	free(v.of_section);
	return p;
}

int comparison_next_part(struct flow_parts *p)
{
	if (++p->part < p->count) {
		show_part(p);
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

static void note_sections(struct compare_split *p, const struct flow_set *set)
{
	for (uint32_t i = 0; i < set->section_count; i++)
		if (set->sections[i] && value_of_section(p, set->sections[i]) == NO_PART)
			add_value(p, set->sections[i], i);
}

static void note_classes(struct compare_split *p, const struct flow_set *set)
{
	for (uint64_t i = 0; i < set->count; i++) {
		char number[32];

		if (value_of_number(p, set->flows[i].class_id) != NO_PART)
			continue;
		snprintf(number, sizeof(number), "%u", set->flows[i].class_id);
		add_value(p, number, set->flows[i].class_id);
	}
}

static void note_sizes(struct survey *v, const struct flow_set *set)
{
	if (v->size_count + set->count > v->size_room) {
		v->size_room = 2 * v->size_room + set->count;
		v->sizes = memory_grow(v->sizes, v->size_room, sizeof(*v->sizes));
	}
	for (uint64_t i = 0; i < set->count; i++)
		v->sizes[v->size_count++] = set->flows[i].size_bytes;
}

static void note_flows(struct survey *v, const struct flow_set *set)
{
	for (uint32_t i = 0; i < v->c->split_count; i++) {
		struct compare_split *p = &v->c->splits[i];

		if (p->kind == SPLIT_TRAFFIC)
			note_sections(p, set);
		else if (p->kind == SPLIT_CLASS)
			note_classes(p, set);
		else
			note_sizes(v, set);
	}
}

static int see_runs(struct survey *v, struct store *s, struct weir_error *e)
{
	for (uint32_t i = 0; i < v->c->runs.count; i++) {
		const struct flow_set *set = store_flow_set(s, &v->c->runs.runs[i], e);

		if (!set)
			return -1;
		note_flows(v, set);
	}
	return 0;
}

/* --- sizes --- */

/* Parses "10KB, 1MB" as ascending boundaries. */
static int given_edges(struct compare_split *p, const char *text, struct weir_error *e)
{
	static const struct weir_option option = { .name = "--sizes",
						   .type = WEIR_OPT_BYTES,
						   .def = "1B",
						   .min = 1,
						   .max = UINT64_MAX / 2,
						   .help = "" };
	uint64_t before = 0;

	add_value(p, "", 0);
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
		add_value(p, "", edge);
		before = edge;
		text += length;
		text += strspn(text, " ,");
	}
	return 0;
}

/* One range per decile of flows. A size that covers more than a decile becomes one range. */
static void decile_edges(struct compare_split *p, const struct survey *v)
{
	add_value(p, "", 0);
	for (uint64_t i = 1; i < DECILES && v->size_count > 0; i++) {
		uint64_t edge = v->sizes[(v->size_count * i - 1) / DECILES];

		if (edge > p->above[p->count - 1] && edge < v->sizes[v->size_count - 1])
			add_value(p, "", edge);
	}
}

/* Names each range by its largest size, and finds its median size. */
static void name_ranges(struct compare_split *p, const struct survey *v)
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

static int find_sizes(struct compare_split *p, struct survey *v, const char *given,
		      struct weir_error *e)
{
	sort_counts(v->sizes, v->size_count);
	if (given && given_edges(p, given, e))
		return -1;
	if (!given)
		decile_edges(p, v);
	name_ranges(p, v);
	return 0;
}

/* Insertion sort: there are few. */
static void sort_values(struct compare_split *p)
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
	if (c->split_count > 0 && see_runs(&v, s, e))
		failed = -2;
	for (uint32_t i = 0; i < c->split_count && !failed; i++) {
		struct compare_split *p = &c->splits[i];

		if (p->kind == SPLIT_SIZE && find_sizes(p, &v, q->sizes, e))
			failed = -1;
		if (p->kind != SPLIT_SIZE)
			sort_values(p);
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
