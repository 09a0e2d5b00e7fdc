/* compare_split.c -- parts of runs: the flows of each traffic section, each class, each range of sizes.
 *
 * Where several tell flows apart, a part is a combination of their values: the number of the part has a digit
 * for each split, the first counting most. Parts are the same in all runs, so that they can be compared. */
#include "lab/compare/compare.h"
#include "sim/base/memory.h"
#include "lab/base/text.h"
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

/* --- which part --- */

static int value_of(const struct compare_split *p, const struct flow_set *set,
		    const struct counted_flow *f)
{
	int last = NO_PART;

	for (uint32_t i = 0; i < p->count; i++) {
		if (p->kind == SPLIT_TRAFFIC && strcmp(p->names[i], set->sections[f->section]) == 0)
			return (int)i;
		if (p->kind == SPLIT_CLASS && p->above[i] == f->class_id)
			return (int)i;
		if (p->kind == SPLIT_SIZE && (f->size_bytes > p->above[i] || i == 0))
			last = (int)i;
	}
	return last;
}

static uint32_t part_of(const struct comparison *c, const struct flow_set *set,
			const struct counted_flow *f)
{
	uint32_t part = 0;

	for (uint32_t i = 0; i < c->split_count; i++)
		part = part * c->splits[i].count + (uint32_t)value_of(&c->splits[i], set, f);
	return part;
}

struct part_of_set comparison_parts_of(const struct comparison *c, const struct flow_set *set)
{
	struct part_of_set p = { set, memory_grow(NULL, set->count, sizeof(*p.part_of)), 0 };

	for (uint64_t i = 0; i < set->count; i++)
		p.part_of[i] = part_of(c, set, &set->flows[i]);
	return p;
}

int comparison_is_in_part(const void *context, const struct counted_flow *f)
{
	const struct part_of_set *p = context;

	return p->part_of[f - p->set->flows] == p->part;
}

uint32_t comparison_part_value(const struct comparison *c, uint32_t part, uint32_t split)
{
	for (uint32_t i = c->split_count - 1; i > split; i--)
		part /= c->splits[i].count;
	return part % c->splits[split].count;
}

/* --- finding them --- */

/* All that was seen of the flows of all runs. */
struct survey {
	struct comparison *c;
	struct flow_set run;
	uint64_t size_count, size_room;
	uint64_t *sizes;
};

static void keep_size(struct survey *v, uint64_t size)
{
	if (v->size_count == v->size_room) {
		v->size_room = v->size_room ? 2 * v->size_room : 1024;
		v->sizes = memory_grow(v->sizes, v->size_room, sizeof(*v->sizes));
	}
	v->sizes[v->size_count++] = size;
}

static void note_flow(struct survey *v, const struct counted_flow *f)
{
	for (uint32_t i = 0; i < v->c->split_count; i++) {
		struct compare_split *p = &v->c->splits[i];
		char number[32];

		if (p->kind == SPLIT_SIZE) {
			keep_size(v, f->size_bytes);
		} else if (value_of(p, &v->run, f) == NO_PART) {
			snprintf(number, sizeof(number), "%u", f->class_id);
			add_value(p, p->kind == SPLIT_CLASS ? number : v->run.sections[f->section],
				  p->kind == SPLIT_CLASS ? f->class_id : f->section);
		}
	}
}

static int see_runs(struct survey *v, struct store *s, struct weir_error *e)
{
	int failed = 0;

	for (uint32_t i = 0; i < v->c->runs.count && !failed; i++) {
		const struct stored_run *run = &v->c->runs.runs[i];

		flow_set_measure(&v->run, run);
		failed = store_each_flow(s, run->id, flow_set_see, &v->run, e);
		for (uint64_t k = 0; k < v->run.count && !failed; k++)
			note_flow(v, &v->run.flows[k]);
		flow_set_free(&v->run);
	}
	return failed;
}

/* --- sizes --- */

static int compare_sizes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* "10KB, 1MB": where the ranges are divided, ascending. */
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

/* Every tenth of the flows is a range; one size that makes up more than that is one range. */
static void decile_edges(struct compare_split *p, const struct survey *v)
{
	add_value(p, "", 0);
	for (uint64_t i = 1; i < DECILES && v->size_count > 0; i++) {
		uint64_t edge = v->sizes[(v->size_count * i - 1) / DECILES];

		if (edge > p->above[p->count - 1] && edge < v->sizes[v->size_count - 1])
			add_value(p, "", edge);
	}
}

/* Names a range by the largest size that it may hold, and finds its middle. */
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
			text_print(&p->names[i], "above %s", human_bytes((double)p->above[i]).text);
		else if (is_last)
			text_print(&p->names[i], "all");
		else
			text_print(&p->names[i], "to %s",
				   human_bytes((double)p->above[i + 1]).text);
	}
}

static int find_sizes(struct compare_split *p, struct survey *v, const char *given,
		      struct weir_error *e)
{
	if (v->size_count)
		qsort(v->sizes, v->size_count, sizeof(*v->sizes), compare_sizes);
	if (given && given_edges(p, given, e))
		return -1;
	if (!given)
		decile_edges(p, v);
	name_ranges(p, v);
	return 0;
}

/* By their numbers: there are few. */
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
