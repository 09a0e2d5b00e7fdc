/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_rows.c -- assigns runs, and parts of runs, to rows, and makes the short labels of values.
 */
#include "lab/analysis/compare.h"
#include "base/text.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t axis_value_index(struct compare_axis *a, const char *value)
{
	for (uint32_t i = 0; i < a->value_count; i++)
		if (strcmp(a->values[i], value) == 0)
			return i;
	a->values = memory_grow(a->values, a->value_count + 1, sizeof(*a->values));
	a->values[a->value_count] = value;
	return a->value_count++;
}

static struct compare_row *compare_find_row(struct comparison *c, const uint32_t *value)
{
	size_t size = c->axis_count * sizeof(*value);
	struct compare_row *row;

	for (uint32_t i = 0; i < c->row_count; i++)
		if (size == 0 || memcmp(c->rows[i].value, value, size) == 0)
			return &c->rows[i];
	c->rows = memory_grow(c->rows, c->row_count + 1, sizeof(*c->rows));
	row = &c->rows[c->row_count++];
	*row = (struct compare_row){
		.value = memory_grow(NULL, c->axis_count, sizeof(*value)),
		.runs = memory_zeroed(c->runs.count, sizeof(*row->runs)),
		.cells = memory_zeroed(c->column_count, sizeof(*row->cells)),
	};
	memcpy(row->value, value, size);
	return row;
}

const struct compare_split *comparison_split_of_axis(const struct comparison *c, uint32_t axis)
{
	for (uint32_t i = 0; i < c->split_count; i++)
		if (c->splits[i].axis == axis)
			return &c->splits[i];
	return NULL;
}

static const char *compare_axis_value(const struct comparison *c, uint32_t axis, uint32_t run,
				      uint32_t part)
{
	const struct compare_split *split = comparison_split_of_axis(c, axis);

	return split ? split->names[comparison_part_value(c, part, (uint32_t)(split - c->splits))]
		     : compare_value(&c->runs.runs[run], c->axes[axis].path);
}

/* If a part's flows are known, unfinished flows are counted for the part, not for the whole run. */
static void compare_add_health(struct health *h, const struct comparison *c, uint32_t run,
			       uint32_t part)
{
	const struct compare_flows *flows = &c->flows[(size_t)run * c->part_count + part];
	struct health whole = { .runs = 0 };

	health_add(&whole, &c->runs.runs[run]);
	whole.incomplete = flows->unfinished > 0;
	whole.completed = (double)flows->counted[CLASS_ALL];
	whole.unfinished = (double)flows->unfinished;
	health_join(h, &whole);
}

static int compare_part_is_empty(const struct comparison *c, uint32_t run, uint32_t part)
{
	const struct compare_flows *flows = &c->flows[(size_t)run * c->part_count + part];

	return flows->counted[CLASS_ALL] + flows->unfinished == 0;
}

static void compare_add_to_row(struct comparison *c, uint32_t run, uint32_t part, uint32_t *value)
{
	struct compare_row *row;

	if (c->split_count && compare_part_is_empty(c, run, part))
		return;
	for (uint32_t k = 0; k < c->axis_count; k++)
		value[k] = axis_value_index(&c->axes[k], compare_axis_value(c, k, run, part));
	row = compare_find_row(c, value);
	row->part = part;
	row->runs[row->run_count++] = run;
	if (c->split_count)
		compare_add_health(&row->health, c, run, part);
	else
		health_add(&row->health, &c->runs.runs[run]);
}

/* Parts come first if they are the leftmost axes. */
void comparison_make_rows(struct comparison *c)
{
	uint32_t *value = memory_zeroed(c->axis_count, sizeof(*value));
	int by_part = c->split_count > 0 && c->splits[0].axis == 0;
	uint32_t outer = by_part ? c->part_count : c->runs.count;
	uint32_t inner = by_part ? c->runs.count : c->part_count;

	for (uint32_t i = 0; i < outer; i++)
		for (uint32_t k = 0; k < inner; k++)
			compare_add_to_row(c, by_part ? k : i, by_part ? i : k, value);
	free(value);
	for (uint32_t k = 0; k < c->axis_count; k++)
		axis_labels(&c->axes[k]);
}

void comparison_find_mixed(struct comparison *c)
{
	size_t used = 0;

	for (uint32_t r = 0; r < c->row_count; r++) {
		const struct compare_row *row = &c->rows[r];
		const struct stored_run *first = &c->runs.runs[row->runs[0]];

		for (uint32_t k = 0; k < first->setting_count; k++) {
			const char *path = first->settings[k].path;
			int mixed = 0;

			for (uint32_t i = 1;
			     i < row->run_count && compare_is_compared(&c->runs, path); i++)
				mixed |= strcmp(compare_value(&c->runs.runs[row->runs[i]], path),
						first->settings[k].value) != 0;
			if (mixed && !strstr(c->mixed, path) && used < sizeof(c->mixed))
				used += (size_t)snprintf(c->mixed + used, sizeof(c->mixed) - used,
							 "%s%s", used ? ", " : "", path);
		}
	}
}

void compare_row_free(struct compare_row *row)
{
	free(row->value);
	free(row->runs);
	free(row->cells);
}

/* --- identical rows --- */

/* Bit-identical in every run. Unknown numbers are equal to each other. */
static int compare_rows_are_equal(const struct comparison *c, const struct compare_row *a,
				  const struct compare_row *b)
{
	if (a->run_count != b->run_count)
		return 0;
	for (uint32_t i = 0; i < a->run_count; i++)
		for (uint32_t k = 0; k < c->column_count; k++) {
			double x = c->numbers[(size_t)a->runs[i] * c->column_count + k];
			double y = c->numbers[(size_t)b->runs[i] * c->column_count + k];

			if (x != y && !(isnan(x) && isnan(y)))
				return 0;
		}
	return 1;
}

/* Gives both values the joined label. */
static void compare_join_labels(struct compare_axis *a, uint32_t first, uint32_t other)
{
	char *both = NULL;

	text_print(&both, "%s = %s", a->labels[first], a->labels[other]);
	for (uint32_t i = 0; i < a->value_count; i++)
		if (i != first && i != other && strcmp(a->labels[i], a->labels[first]) == 0)
			text_print(&a->labels[i], "%s", both);
	text_print(&a->labels[other], "%s", both);
	free(a->labels[first]);
	a->labels[first] = both;
}

static void compare_list_joined(struct comparison *c)
{
	const struct compare_axis *a = &c->axes[0];

	for (uint32_t i = 0; i < c->row_count; i++) {
		const char *label = a->labels[c->rows[i].value[0]];
		char *longer = NULL;

		if (!strstr(label, " = "))
			continue;
		text_print(&longer, "%s%s%s", c->joined ? c->joined : "", c->joined ? "; " : "",
			   label);
		free(c->joined);
		c->joined = longer;
	}
}

void comparison_join(struct comparison *c)
{
	uint32_t kept = 0;

	if (c->axis_count != 1 || c->split_count > 0)
		return;
	for (uint32_t i = 0; i < c->row_count; i++) {
		uint32_t same = 0;

		while (same < kept && !compare_rows_are_equal(c, &c->rows[same], &c->rows[i]))
			same++;
		if (same < kept) {
			compare_join_labels(&c->axes[0], c->rows[same].value[0],
					    c->rows[i].value[0]);
			compare_row_free(&c->rows[i]);
		} else {
			c->rows[kept++] = c->rows[i];
		}
	}
	c->row_count = kept;
	compare_list_joined(c);
}

/* --- short labels: the scheme, with the options in which schemes of that name differ --- */

enum { LABEL_SIZE = 1024 };

static size_t label_name_length(const char *value)
{
	return strcspn(value, "(");
}

static int label_same_name(const char *a, const char *b)
{
	size_t length = label_name_length(a);

	return length == label_name_length(b) && strncmp(a, b, length) == 0;
}

static int label_has_option(const char *value, const char *option, size_t length)
{
	const char *at = value + label_name_length(value), *found;
	size_t found_length;

	while (spec_next_argument(&at, &found, &found_length))
		if (found_length == length && strncmp(found, option, length) == 0)
			return 1;
	return 0;
}

/* Do all schemes with the value's name have the same option? */
static int label_option_is_shared(const struct compare_axis *a, const char *value,
				  const char *option, size_t length)
{
	for (uint32_t i = 0; i < a->value_count; i++)
		if (label_same_name(a->values[i], value) &&
		    !label_has_option(a->values[i], option, length))
			return 0;
	return 1;
}

static int label_name_is_unique(const struct compare_axis *a, const char *value)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < a->value_count; i++)
		count += (uint32_t)label_same_name(a->values[i], value);
	return count == 1;
}

static char *label_make(const struct compare_axis *a, const char *value)
{
	char text[LABEL_SIZE];
	size_t used = label_name_length(value), length;
	const char *at = value + used, *option;
	const char *between = "(";

	if (*at != '(' || used >= sizeof(text) / 2) {
		snprintf(text, sizeof(text), "%s", value);
	} else {
		snprintf(text, sizeof(text), "%.*s", (int)used, value);
		while (!label_name_is_unique(a, value) &&
		       spec_next_argument(&at, &option, &length)) {
			if (!length || label_option_is_shared(a, value, option, length) ||
			    used + length + 8 > sizeof(text))
				continue;
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.*s",
						 between, (int)length, option);
			between = ", ";
		}
		if (*between == ',')
			snprintf(text + used, sizeof(text) - used, ")");
	}
	return memory_text(text, strlen(text));
}

void axis_labels(struct compare_axis *a)
{
	a->labels = memory_zeroed(a->value_count, sizeof(*a->labels));
	for (uint32_t i = 0; i < a->value_count; i++)
		a->labels[i] = label_make(a, a->values[i]);
}
