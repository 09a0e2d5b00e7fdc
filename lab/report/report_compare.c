/* SPDX-License-Identifier: BSD-3-Clause */
/* report_compare.c -- the settings of the runs, which of them is the axis, and which runs form a
 * scheme. */
#include "lab/report/report.h"
#include "lab/scenario/sections.h"
#include "base/units.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char absent[] = "-";

static const char *report_run_value(const struct stored_run *run, const char *path)
{
	const char *value = strcmp(path, "version") == 0 ? run->version : stored_setting(run, path);

	return value ? value : absent;
}

/* --- settings --- */

const struct report_setting *report_setting(const struct report *r, const char *path)
{
	for (uint32_t i = 0; i < r->setting_count; i++)
		if (strcmp(r->settings[i].path, path) == 0)
			return &r->settings[i];
	return NULL;
}

static void report_add_value(struct report_setting *s, const char *value)
{
	for (uint32_t i = 0; i < s->value_count; i++)
		if (strcmp(s->values[i], value) == 0)
			return;
	s->values = memory_grow(s->values, s->value_count + UINT64_C(1), sizeof(*s->values));
	s->values[s->value_count++] = value;
}

static void report_add_setting(struct report *r, const char *path)
{
	struct report_setting *s;

	if (report_setting(r, path))
		return;
	r->settings =
		memory_grow(r->settings, r->setting_count + UINT64_C(1), sizeof(*r->settings));
	s = &r->settings[r->setting_count++];
	*s = (struct report_setting){ path, 0, NULL };
	for (uint32_t i = 0; i < r->compare.runs.count; i++)
		report_add_value(s, report_run_value(&r->compare.runs.runs[i], path));
}

static void report_find_settings(struct report *r)
{
	report_add_setting(r, "version");
	for (uint32_t i = 0; i < r->compare.runs.count; i++)
		for (uint32_t k = 0; k < r->compare.runs.runs[i].setting_count; k++)
			report_add_setting(r, r->compare.runs.runs[i].settings[k].path);
}

/* --- numbers --- */

/* A value that is a number. Two values are comparable if type and kind of unit are equal. */
struct report_quantity {
	double number;           /* in the smallest unit */
	const struct unit *unit; /* NULL: has none */
	enum weir_opt_type type;
};

static int report_read_quantity(const char *text, struct report_quantity *q)
{
	static const enum weir_opt_type types[] = { WEIR_OPT_TIME_PS, WEIR_OPT_LENGTH,
						    WEIR_OPT_RATE_BPS };
	char *end;

	*q = (struct report_quantity){ strtod(text, &end), NULL, WEIR_OPT_COUNT };
	if (end == text || !isfinite(q->number))
		return -1;
	if (!*end)
		return 0;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		q->unit = weir_unit_find(weir_option_units(types[i]), end);
		q->type = types[i];
		if (q->unit) {
			q->number *= (double)q->unit->factor;
			return 0;
		}
	}
	return -1;
}

/* Are all values numbers of one kind? *unit: that of the largest; unchanged if they have none. */
static int report_is_numeric(const char *const *values, uint32_t count, const struct unit **unit)
{
	struct report_quantity first = { 0, NULL, WEIR_OPT_COUNT };
	double largest = -INFINITY;

	for (uint32_t i = 0; i < count; i++) {
		struct report_quantity q;

		if (report_read_quantity(values[i], &q))
			return 0;
		if (i == 0)
			first = q;
		if (q.type != first.type || !q.unit != !first.unit ||
		    (q.unit && q.unit->kind != first.unit->kind))
			return 0;
		if (q.number > largest) {
			largest = q.number;
			*unit = q.unit;
		}
	}
	return 1;
}

int report_numbers(const char *const *values, uint32_t count, double *numbers, const char **unit)
{
	const struct unit *found = NULL;

	if (!report_is_numeric(values, count, &found))
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		struct report_quantity q;

		report_read_quantity(values[i], &q);
		numbers[i] = q.number / (found ? (double)found->factor : 1);
	}
	*unit = found ? found->name : "";
	return 0;
}

/* Selects the swept numeric setting with the most values. Returns its unit; NULL: none. */
static const struct unit *report_find_axis(struct report *r)
{
	const struct unit *unit = NULL, *chosen = NULL;

	/* The points of a search lie on no line of one setting. */
	for (uint32_t i = 0; i < r->compare.axis_count && !r->has_choice; i++) {
		const struct compare_axis *a = &r->compare.axes[i];

		if (a->value_count < 2 || (r->axis && a->value_count <= r->axis->value_count) ||
		    !report_is_numeric(a->values, a->value_count, &unit))
			continue;
		r->axis = a;
		chosen = unit;
	}
	if (chosen)
		snprintf(r->axis_unit, sizeof(r->axis_unit), "%s", chosen->name);
	return chosen;
}

/* --- schemes --- */

/* Is the value a name ("tcn"), unlike "yes" or "5"? */
static int scheme_value_is_name(const char *value)
{
	return strcspn(value, "0123456789-") > 0 && strcmp(value, "yes") != 0 &&
	       strcmp(value, "no") != 0;
}

/* Does another axis have values of the same kind: marking or congestion control of another
 * section? */
static int report_has_sibling(const struct report *r, const struct compare_axis *a)
{
	size_t kind = strcspn(a->path, ".");

	kind += a->path[kind] ? 1 + strcspn(a->path + kind + 1, ".") : 0;
	for (uint32_t i = 0; i < r->compare.axis_count; i++) {
		const struct compare_axis *b = &r->compare.axes[i];

		if (b != a && b != r->axis &&
		    (strcmp(section_key_of(b->path), section_key_of(a->path)) == 0 ||
		     (strncmp(b->path, a->path, kind) == 0 &&
		      (b->path[kind] == '.' || b->path[kind] == '\0'))))
			return 1;
	}
	return 0;
}

/* "storage" of "switch.marking.storage", "web.cc" of "traffic.web.cc". */
static const char *report_axis_name(const char *path)
{
	static const char marking[] = "switch.marking.", traffic[] = "traffic.";

	if (strncmp(path, marking, strlen(marking)) == 0)
		return path + strlen(marking);
	return strncmp(path, traffic, strlen(traffic)) == 0 ? path + strlen(traffic)
							    : section_key_of(path);
}

/* Appends a value, with its setting's name if the value is not a name itself, or if another setting
 * could have it. */
static void report_append_value(struct report_text *t, const struct report *r,
				const struct compare_axis *a, uint32_t value)
{
	const char *label = a->labels[value][0] ? a->labels[value] : absent, *name = "";
	size_t used = strlen(t->text);

	if (report_has_sibling(r, a))
		name = report_axis_name(a->path);
	else if (!scheme_value_is_name(label))
		name = section_key_of(a->path);
	snprintf(t->text + used, sizeof(t->text) - used, "%s%s%s%s", used ? ", " : "", name,
		 name[0] ? "=" : "", label);
}

static struct report_text report_scheme_label(const struct report *r, const struct compare_row *row)
{
	const struct report_setting *marking = report_setting(r, "switch.marking");
	struct report_text t = { "" };

	for (uint32_t i = 0; i < r->compare.axis_count; i++)
		if (&r->compare.axes[i] != r->axis)
			report_append_value(&t, r, &r->compare.axes[i], row->value[i]);
	if (!t.text[0] && marking && marking->value_count == 1)
		snprintf(t.text, sizeof(t.text), "%.*s", (int)strcspn(marking->values[0], "("),
			 marking->values[0]);
	if (!t.text[0])
		snprintf(t.text, sizeof(t.text), "all runs");
	return t;
}

/* Do two rows differ in the axis only? */
static int report_same_scheme(const struct report *r, const struct compare_row *a,
			      const struct compare_row *b)
{
	for (uint32_t i = 0; i < r->compare.axis_count; i++)
		if (&r->compare.axes[i] != r->axis && a->value[i] != b->value[i])
			return 0;
	return 1;
}

static uint32_t report_find_scheme(struct report *r, const struct compare_row *row)
{
	for (uint32_t i = 0; i < r->case_count; i++)
		if (report_same_scheme(r, r->cases[i].row, row))
			return r->cases[i].scheme;
	r->schemes = memory_grow(r->schemes, r->scheme_count + UINT64_C(1), sizeof(*r->schemes));
	r->schemes[r->scheme_count] = NULL;
	if (r->has_choice)
		r->schemes[r->scheme_count] = report_choice_label(r, row);
	if (!r->schemes[r->scheme_count])
		text_print(&r->schemes[r->scheme_count], "%s", report_scheme_label(r, row).text);
	return r->scheme_count++;
}

/* --- cases --- */

static int compare_cases(const void *a, const void *b)
{
	const struct report_case *p = a, *q = b;

	if (p->scheme != q->scheme)
		return p->scheme < q->scheme ? -1 : 1;
	return (p->x > q->x) - (p->x < q->x);
}

void report_compare(struct report *r)
{
	const struct unit *unit;
	uint32_t *order = report_row_order(r);

	report_find_settings(r);
	unit = report_find_axis(r);
	r->cases = memory_grow(NULL, r->compare.row_count, sizeof(*r->cases));
	for (uint32_t i = 0; i < r->compare.row_count; i++) {
		const struct compare_row *row = &r->compare.rows[order[i]];
		struct report_case k = { report_find_scheme(r, row), 0, "", row };
		struct report_quantity q;

		if (r->axis) {
			k.x_text = r->axis->values[row->value[r->axis - r->compare.axes]];
			report_read_quantity(k.x_text, &q);
			k.x = q.number / (unit ? (double)unit->factor : 1);
		}
		r->cases[r->case_count++] = k;
	}
	free(order);
	qsort(r->cases, r->case_count, sizeof(*r->cases), compare_cases);
}

struct report_text report_x_name(const struct report *r, const struct report_case *k)
{
	struct report_text t = { "" };

	if (r->axis)
		snprintf(t.text, sizeof(t.text), "%s = %s", r->axis->path, k->x_text);
	return t;
}

int report_column(const struct comparison *c, const char *metric)
{
	for (uint32_t i = 0; i < c->column_count; i++)
		if (strcmp(c->columns[i].name, metric) == 0)
			return (int)i;
	return -1;
}

int report_goal(const struct report *r)
{
	const struct report_metrics first = report_metrics_of(REPORT_FIRST);

	for (uint32_t m = 0; m < first.count; m++) {
		int column = report_column(&r->compare, first.names[m]);

		for (uint32_t i = 0; column >= 0 && i < r->case_count; i++)
			if (!isnan(r->cases[i].row->cells[column].mean))
				return column;
	}
	return -1;
}

/* The row's value of the setting; NULL: the comparison has no such axis. */
static const char *report_value_of(const struct comparison *c, const struct compare_row *row,
				   const char *path)
{
	for (uint32_t i = 0; i < c->axis_count; i++)
		if (strcmp(c->axes[i].path, path) == 0)
			return c->axes[i].values[row->value[i]];
	return NULL;
}

const struct compare_row *report_row(const struct report *r, const struct comparison *c,
				     const struct report_case *k, uint32_t part)
{
	for (uint32_t i = 0; i < c->row_count; i++) {
		int same = c->rows[i].part == part;

		for (uint32_t a = 0; a < r->compare.axis_count && same; a++) {
			const struct compare_axis *axis = &r->compare.axes[a];
			const char *value = report_value_of(c, &c->rows[i], axis->path);

			same = value && strcmp(value, axis->values[k->row->value[a]]) == 0;
		}
		if (same)
			return &c->rows[i];
	}
	return NULL;
}
