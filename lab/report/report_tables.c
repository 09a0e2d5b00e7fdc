/* SPDX-License-Identifier: BSD-3-Clause */
/* report_tables.c -- the tables of a report, with a row for each case, sorted by scheme or the best
 * first. */
#include "lab/report/report.h"
#include "lab/store/results.h"
#include "lab/scenario/sections.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_COLUMNS = 5 };

/* The contents of a table: a comparison, or one part of it. */
struct table_view {
	const struct report *r;
	const struct comparison *c, *ratios; /* ratios: shown below the numbers; NULL: none */
	uint32_t part;
	enum report_table table;
	uint32_t column_max; /* limit for columns with numbers; 0: none */
	enum { ORDER_SCHEMES, ORDER_BEST } order;
	enum { FACTS_ALL, FACTS_NONE } facts;
};

/* The format of a column: one unit, and decimals for four digits of its largest number. */
struct column_form {
	struct metric_title title;
	int column, ratio; /* columns of v->c and v->ratios; -1: none */
	struct report_unit unit;
	int decimals;
	int is_known; /* 1: some row has a number */
	int is_zero;  /* 1: all numbers are 0 */
};

static struct column_form table_column_form(const struct table_view *v, const char *name)
{
	struct column_form form = { .title = metric_title(name),
				    .column = report_column(v->c, name) };
	double largest = 0;
	int whole = 1;

	form.ratio = v->ratios ? report_column(v->ratios, name) : -1;
	if (form.column < 0)
		return form;
	for (uint32_t i = 0; i < v->c->row_count; i++) {
		const struct compare_cell *cell = &v->c->rows[i].cells[form.column];

		if (v->c->rows[i].part != v->part || isnan(cell->mean))
			continue;
		form.is_known = 1;
		largest = fmax(largest, cell->mean);
		if (cell->mean != floor(cell->mean) || cell->half > 0)
			whole = 0;
	}
	form.is_zero = form.is_known && largest <= 0;
	form.unit = v->c->columns[form.column].info->form == METRIC_PERCENT
			    ? (struct report_unit){ 0.01, "%" }
			    : report_unit(largest, v->c->columns[form.column].unit);
	largest /= form.unit.factor;
	if (!whole || form.unit.factor != 1)
		form.decimals = largest >= 1000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : 3;
	return form;
}

/* --- cells --- */

/* "x 0.52 (0.46..0.59)" below a number: better or worse than the baseline, or neither. */
static void table_add_ratio(struct document *d, const struct compare_cell *m,
			    enum metric_better better)
{
	/* A ratio that is shown as 1.000 has no colour. */
	int is_even = m->is_even || better == METRIC_NEITHER || !(m->low > 1 || m->high < 1) ||
		      fabs(m->mean - 1) < 0.0005;
	/* Two decimals would show a difference of 0.4 % as 1.00. */
	int decimals = fabs(m->mean - 1) < 0.1 ? 3 : 2;

	if (isnan(m->mean))
		return;
	document_append(d, "<br><small class=\"%s\">× %.*f%s",
			is_even                                     ? "even"
			: (m->low > 1) == (better == METRIC_HIGHER) ? "better"
								    : "worse",
			decimals, m->mean, m->is_even ? "~" : "");
	if (m->low < m->high)
		document_append(d, " <span class=\"interval\">%.*f..%.*f</span>", decimals, m->low,
				decimals, m->high);
	document_append(d, "</small>");
}

static void table_add_mean(struct document *d, const struct compare_row *row,
			   const struct column_form *form)
{
	const struct compare_cell *m = &row->cells[form->column];
	const char *mark = cell_mark(row, m);
	char *runs = NULL;

	if (isnan(m->mean)) {
		document_add(d, DOCUMENT_CELL, NULL, "–");
		return;
	}
	document_add(d, DOCUMENT_CELL, m->is_doubtful ? "doubtful" : NULL, "%.*f%s", form->decimals,
		     m->mean / form->unit.factor, mark);
	if (m->half > 0 && form->ratio < 0)
		document_append(d, "<small> ± %.*f</small>", form->decimals,
				m->half / form->unit.factor);
	if (m->is_doubtful) {
		document_tooltip(d, health_text(&row->health).text);
	} else if (*mark) {
		text_print(&runs, "of %u of %u runs", m->count, row->run_count);
		document_tooltip(d, runs);
		free(runs);
	}
}

static int table_has_fact(const struct table_view *v, int fact)
{
	return v->facts == FACTS_ALL && fact_is_shown(v->c, (enum compare_fact)fact);
}

static void table_add_heads(struct document *d, const struct table_view *v,
			    const struct column_form *forms, uint32_t count)
{
	const struct compare_axis *axis = v->r->axis;

	document_head_row(d);
	document_add(d, DOCUMENT_HEAD, NULL, "scheme");
	if (axis) { /* "load", and "traffic.web.load" as its tooltip */
		document_add(d, DOCUMENT_HEAD, NULL, "%s", section_key_of(axis->path));
		document_tooltip(d, axis->path);
	}
	for (int i = 0; i < FACTS; i++)
		if (table_has_fact(v, i))
			document_add(d, DOCUMENT_HEAD, NULL, "%s",
				     fact_title((enum compare_fact)i));
	for (uint32_t i = 0; i < count; i++) {
		const struct metric_title *title = &forms[i].title;

		document_add(d, DOCUMENT_HEAD, NULL, "%s%s%s", title->part[0],
			     title->part[0][0] ? " " : "", title->part[1]);
		document_tooltip(d, v->c->columns[forms[i].column].info->help);
		if (forms[i].unit.name[0])
			document_append(d, "<br><small>%s</small>", forms[i].unit.name);
	}
}

/* --- rows --- */

enum { PARAMETERS_SHOWN = 3 };

/* Length of an option of a scheme: up to the next comma or closing bracket outside brackets. */
static size_t parameter_length(const char *option)
{
	int depth = 0;
	size_t i;

	for (i = 0; option[i] && (depth > 0 || !strchr(",)", option[i])); i++)
		depth += (option[i] == '(') - (option[i] == ')');
	return i;
}

/* Is the option "t-max=0s" or "drop-min=0B"? Such a value stands for off or for computed. */
static int parameter_is_unset(const char *option)
{
	const char *value = option + strcspn(option, "=,)");

	return value[0] == '=' && value[1] == '0' && !strchr(".0123456789", value[2]);
}

static int report_setting_is_scheme(const struct report_setting *s)
{
	int has_options = 0;

	for (uint32_t i = 0; i < s->value_count; i++)
		has_options |= strchr(s->values[i], '(') != NULL;
	return has_options && s->value_count > 1;
}

/* Below the label of a row: the first parameters of the scheme in which rows differ. */
static void table_add_parameters(struct document *d, const struct report *r,
				 const struct report_case *k)
{
	const struct stored_run *run = &r->compare.runs.runs[k->row->runs[0]];

	for (uint32_t i = 0; i < r->setting_count; i++) {
		const char *spec = stored_setting(run, r->settings[i].path);
		uint32_t shown = 0;

		if (!report_setting_is_scheme(&r->settings[i]) || !spec)
			continue;
		spec += strcspn(spec, "(");
		while (*spec && *spec != ')') {
			const char *option = spec + 1 + (spec[1] == ' ');
			size_t length = parameter_length(option);

			spec = option + length;
			if (parameter_is_unset(option) || shown++ >= PARAMETERS_SHOWN)
				continue;
			if (shown == 1)
				document_append(d, "<br><small>");
			document_append(d, "%s<span class=\"option\">%.*s</span>",
					shown == 1 ? "" : ", ", (int)length, option);
		}
		if (shown)
			document_append(d, "%s</small>", shown > PARAMETERS_SHOWN ? ", ..." : "");
		return;
	}
}

static void table_add_row(struct document *d, const struct table_view *v,
			  const struct report_case *k, const struct column_form *forms,
			  uint32_t count)
{
	const struct compare_row *row = report_row(v->r, v->c, k, v->part);
	const struct compare_row *ratio = v->ratios ? report_row(v->r, v->ratios, k, 0) : NULL;

	document_add(d, DOCUMENT_HEAD, NULL, "%s", v->r->schemes[k->scheme]);
	if (v->table == REPORT_FIRST)
		table_add_parameters(d, v->r, k);
	if (v->r->axis)
		document_add(d, DOCUMENT_HEAD, NULL, "%s", k->x_text);
	for (int n = 0; n < FACTS; n++)
		if (table_has_fact(v, n))
			document_add(d, DOCUMENT_CELL, NULL, "%s",
				     row ? fact_text(v->c, row, (enum compare_fact)n).text : "");
	for (uint32_t n = 0; n < count; n++) {
		if (!row) {
			document_add(d, DOCUMENT_CELL, NULL, "–");
			continue;
		}
		table_add_mean(d, row, &forms[n]);
		if (ratio && forms[n].ratio >= 0)
			table_add_ratio(d, &ratio->cells[forms[n].ratio],
					v->c->columns[forms[n].column].info->better);
	}
}

/* A case and the number by which cases are sorted. */
struct ranked_case {
	double number;
	uint32_t at;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_case *p = a, *q = b;

	if (p->number != q->number && !(isnan(p->number) && isnan(q->number)))
		return isnan(q->number) || p->number < q->number ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

/* The order of rows, freed by the caller: the best case first, but schemes stay together where
 * there is an axis, and a search has an order of its own. */
static struct ranked_case *table_rank_cases(const struct table_view *v)
{
	const struct report *r = v->r;
	struct ranked_case *ranked = memory_grow(NULL, r->case_count, sizeof(*ranked));
	int goal = v->order == ORDER_BEST && !r->axis && !r->has_choice ? report_goal(r) : -1;

	for (uint32_t i = 0; i < r->case_count; i++)
		ranked[i] =
			(struct ranked_case){ goal < 0 ? 0 : r->cases[i].row->cells[goal].mean, i };
	qsort(ranked, r->case_count, sizeof(*ranked), compare_ranked);
	return ranked;
}

/* Adds nothing if no metric of the table has a number. Returns the number of columns. */
static uint32_t table_add(struct document *d, const struct table_view *v)
{
	const struct report_metrics metrics = report_metrics_of(v->table);
	struct column_form forms[REPORT_METRICS_MAX];
	struct ranked_case *ranked;
	uint32_t count = 0, before = UINT32_MAX;

	for (uint32_t i = 0; i < metrics.count && (!v->column_max || count < v->column_max); i++) {
		forms[count] = table_column_form(v, metrics.names[i]);
		/* The first table leaves out what adds nothing to the columns before it. */
		if (v->table == REPORT_FIRST && count > 0 &&
		    (answer_is_substitute(metrics.names[i]) || forms[count].is_zero))
			continue;
		count += (uint32_t)forms[count].is_known;
	}
	if (count == 0)
		return 0;
	ranked = table_rank_cases(v);
	document_open(d, DOCUMENT_TABLE, "numbers");
	table_add_heads(d, v, forms, count);
	for (uint32_t i = 0; i < v->r->case_count; i++) {
		const struct report_case *k = &v->r->cases[ranked[i].at];

		document_row(d, i && v->r->axis && before != k->scheme ? "next" : NULL);
		before = k->scheme;
		table_add_row(d, v, k, forms, count);
	}
	document_close(d);
	free(ranked);
	return count;
}

/* --- the tables --- */

static void table_add_note(void *context, const char *line)
{
	document_add(context, DOCUMENT_PARAGRAPH, "note", "%s", line);
}

static const char *table_baseline_label(const struct report *r)
{
	int axis = answer_axis(&r->compare);
	const struct compare_axis *a = axis < 0 ? NULL : &r->compare.axes[axis];
	const char *value = a ? answer_baseline(&r->compare, axis) : "";

	for (uint32_t i = 0; a && i < a->value_count; i++)
		if (strcmp(a->values[i], value) == 0)
			return a->labels[i];
	return value;
}

void report_table_first(struct document *d, const struct report *r)
{
	const struct table_view view = { .r = r,
					 .c = &r->compare,
					 .ratios = r->ratios.row_count ? &r->ratios : NULL,
					 .table = REPORT_FIRST,
					 .column_max = FIRST_COLUMNS,
					 .order = ORDER_BEST,
					 .facts = FACTS_NONE };

	table_add(d, &view);
	if (view.ratios)
		document_add(d, DOCUMENT_PARAGRAPH, "note",
			     "×: ratio to %s, paired by seed, with its 95 %% CI; ~: not "
			     "significant (95 %% CI includes 1).",
			     table_baseline_label(r));
	if (r->parts.row_count)
		document_add(d, DOCUMENT_PARAGRAPH, "note",
			     "Flows of all traffic sections together; <em>By traffic</em> "
			     "separates them.");
	if (r->compare.joined)
		document_add(d, DOCUMENT_PARAGRAPH, "note", "%s: identical in every run.",
			     r->compare.joined);
}

void report_table_all(struct document *d, const struct report *r)
{
	const struct report_setting *seed = report_setting(r, "seed");
	const struct report_setting *small = report_setting(r, "measure.small");
	const struct report_setting *large = report_setting(r, "measure.large");
	struct table_view view = { .r = r, .c = &r->compare, .table = REPORT_FLOWS };

	document_open(d, DOCUMENT_SECTION, "summary");
	document_add(d, DOCUMENT_HEADING_2, NULL, "Summary");
	document_add(
		d, DOCUMENT_PARAGRAPH, NULL, "%s",
		seed && seed->value_count > 1
			? "Means over seeds, ± half the width of the 95 % confidence interval. "
			: "");
	if (small && large && small->value_count == 1 && large->value_count == 1)
		document_append(d, "Flows are small up to %s and large above %s. ",
				small->values[0], large->values[0]);
	table_add(d, &view);
	view.table = REPORT_NETWORK;
	table_add(d, &view);
	comparison_caveats(&r->compare, &(struct line_sink){ table_add_note, d });
	document_close(d);
}

void report_table_parts(struct document *d, const struct report *r)
{
	struct table_view view = { .r = r, .c = &r->parts, .table = REPORT_PARTS };

	document_open(d, DOCUMENT_SECTION, "traffic");
	document_add(d, DOCUMENT_HEADING_2, NULL, "By traffic section");
	for (view.part = 0; view.part < r->parts.part_count; view.part++) {
		document_add(d, DOCUMENT_HEADING_3, NULL, "%s",
			     r->parts.splits[0].names[view.part]);
		table_add(d, &view);
	}
	comparison_caveats(&r->parts, &(struct line_sink){ table_add_note, d });
	document_close(d);
}

void report_table_tiers(struct document *d, const struct report *r)
{
	const struct table_view view = { .r = r, .c = &r->compare, .table = REPORT_TIERS };

	document_open(d, DOCUMENT_SECTION, "tiers");
	document_add(d, DOCUMENT_HEADING_2, NULL, "All ports, and links by tier");
	table_add(d, &view);
	document_add(d, DOCUMENT_PARAGRAPH, "note",
		     "Up: away from hosts, or within a tier; down: towards hosts.");
	document_close(d);
}

void report_table_apps(struct document *d, const struct report *r)
{
	const struct table_view view = { .r = r, .c = &r->compare, .table = REPORT_APPLICATIONS };
	struct document table = { .count = 0 };

	if (table_add(&table, &view)) {
		document_open(d, DOCUMENT_SECTION, "applications");
		document_add(d, DOCUMENT_HEADING_2, NULL, "Applications");
		table_add(d, &view);
		document_close(d);
	}
	document_free(&table);
}
