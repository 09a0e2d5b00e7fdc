/* SPDX-License-Identifier: BSD-3-Clause */
/* report_tables.c -- the tables of a report: a row for each case, in the order of schemes, or the
 * best first. */
#include "lab/report/report.h"
#include "lab/store/results.h"
#include "lab/scenario/sections.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_COLUMNS = 5 };

/* What a table is of: a comparison, or a part of it. */
struct table_view {
	const struct report *r;
	const struct comparison *c, *ratios; /* ratios: beside the numbers; NULL: none */
	uint32_t part;
	enum report_table table;
	uint32_t column_max; /* of those that are known */
	enum { ORDER_SCHEMES, ORDER_BEST } order;
	enum { FACTS_ALL, FACTS_NONE } facts;
};

static int column_of(const struct comparison *c, const char *name)
{
	for (uint32_t i = 0; i < c->column_count; i++)
		if (strcmp(c->columns[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* How the numbers of a column look: one unit and as many decimals as its largest number
 * deserves. */
struct column_form {
	struct metric_title title;
	int column, ratio; /* of the comparisons */
	struct report_unit unit;
	int decimals;
	int is_known; /* some row has a number */
	int is_zero;  /* and all of them are 0 */
};

static struct column_form column_form(const struct table_view *v, const char *name)
{
	struct column_form form = { .title = metric_title(name), .column = column_of(v->c, name) };
	double largest = 0;
	int whole = 1;

	form.ratio = v->ratios ? column_of(v->ratios, name) : -1;
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

/* The class of a ratio: better or worse than the baseline, or neither. */
static const char *ratio_class(const struct compare_cell *m, enum metric_better better)
{
	if (m->is_even || better == METRIC_NEITHER || !(m->low > 1 || m->high < 1))
		return "even";
	return (m->low > 1) == (better == METRIC_HIGHER) ? "better" : "worse";
}

/* "x 0.52 (0.46..0.59)", and what it is worth. */
static void write_ratio(FILE *f, const struct compare_cell *m, enum metric_better better)
{
	if (isnan(m->mean))
		return;
	fprintf(f, "<br><small class=\"%s\">× %.2f%s", ratio_class(m, better), m->mean,
		m->is_even ? "~" : "");
	if (m->low < m->high)
		fprintf(f, " <span class=\"interval\">%.2f..%.2f</span>", m->low, m->high);
	fputs("</small>", f);
}

static void write_mean(FILE *f, const struct compare_row *row, const struct column_form *form)
{
	const struct compare_cell *m = &row->cells[form->column];
	const char *mark = cell_mark(row, m);

	if (isnan(m->mean)) {
		fputs("<td>–", f);
		return;
	}
	if (m->is_doubtful)
		fprintf(f, "<td class=\"doubtful\" title=\"%s\">", health_text(&row->health).text);
	else if (*mark)
		fprintf(f, "<td title=\"of %u of %u runs\">", m->count, row->run_count);
	else
		fputs("<td>", f);
	fprintf(f, "%.*f%s", form->decimals, m->mean / form->unit.factor, mark);
	if (m->half > 0 && form->ratio < 0)
		fprintf(f, "<small> ± %.*f</small>", form->decimals, m->half / form->unit.factor);
}

/* "load" of "traffic.web.load", which is shown when pointed at. */
static void write_axis_head(FILE *f, const char *path)
{
	fputs("<th title=\"", f);
	html_write_text(f, path);
	fputs("\">", f);
	html_write_text(f, section_key_of(path));
	fputs("</th>", f);
}

static int has_fact(const struct table_view *v, int fact)
{
	return v->facts == FACTS_ALL && fact_is_shown(v->c, (enum compare_fact)fact);
}

static void write_head(FILE *f, const struct table_view *v, const struct column_form *forms,
		       uint32_t count)
{
	fputs("<thead><tr><th>scheme</th>", f);
	if (v->r->axis)
		write_axis_head(f, v->r->axis->path);
	for (int i = 0; i < FACTS; i++)
		if (has_fact(v, i))
			page_element(f, "th", fact_title((enum compare_fact)i));
	for (uint32_t i = 0; i < count; i++) {
		const struct metric_title *title = &forms[i].title;

		fprintf(f, "<th title=\"%s\">", v->c->columns[forms[i].column].info->help);
		fprintf(f, "%s%s", title->part[0], title->part[0][0] ? " " : "");
		fputs(title->part[1], f);
		if (forms[i].unit.name[0])
			fprintf(f, "<br><small>%s</small>", forms[i].unit.name);
		fputs("</th>", f);
	}
	fputs("</tr></thead>\n", f);
}

/* --- rows --- */

static void write_row(FILE *f, const struct table_view *v, const struct report_case *k,
		      const struct column_form *forms, uint32_t count)
{
	const struct compare_row *row = report_row(v->r, v->c, k, v->part);
	const struct compare_row *ratio = v->ratios ? report_row(v->r, v->ratios, k, 0) : NULL;

	page_element(f, "th", v->r->schemes[k->scheme]);
	if (v->r->axis)
		page_element(f, "th", k->x_text);
	for (int n = 0; n < FACTS; n++)
		if (has_fact(v, n))
			page_element(f, "td",
				     row ? fact_text(v->c, row, (enum compare_fact)n).text : "");
	for (uint32_t n = 0; n < count; n++) {
		if (!row) {
			fputs("<td>–</td>", f);
			continue;
		}
		write_mean(f, row, &forms[n]);
		if (ratio && forms[n].ratio >= 0)
			write_ratio(f, &ratio->cells[forms[n].ratio],
				    v->c->columns[forms[n].column].info->better);
		fputs("</td>", f);
	}
}

/* A case and the number that orders it. */
struct ranked {
	double number;
	uint32_t at;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *p = a, *q = b;

	if (p->number != q->number && !(isnan(p->number) && isnan(q->number)))
		return isnan(q->number) || p->number < q->number ? -1 : 1;
	return (p->at > q->at) - (p->at < q->at);
}

/* The best first; where there is an axis, schemes stay together. */
static struct ranked *rank_cases(const struct table_view *v)
{
	const struct report *r = v->r;
	struct ranked *ranked = memory_grow(NULL, r->case_count, sizeof(*ranked));
	/* A search has an order of its own. */
	int goal = v->order == ORDER_BEST && !r->axis && !r->has_choice ? report_goal(r) : -1;

	for (uint32_t i = 0; i < r->case_count; i++)
		ranked[i] = (struct ranked){ goal < 0 ? 0 : r->cases[i].row->cells[goal].mean, i };
	qsort(ranked, r->case_count, sizeof(*ranked), compare_ranked);
	return ranked;
}

static void write_table(FILE *f, const struct table_view *v)
{
	const struct report_metrics metrics = report_metrics_of(v->table);
	struct column_form forms[REPORT_METRICS_MAX];
	struct ranked *ranked = rank_cases(v);
	uint32_t count = 0, before = UINT32_MAX;

	for (uint32_t i = 0; i < metrics.count && count < v->column_max; i++) {
		forms[count] = column_form(v, metrics.names[i]);
		if (v->table == REPORT_FIRST && count > 0 &&
		    (answer_is_substitute(metrics.names[i]) || forms[count].is_zero))
			continue; /* it would say nothing more */
		count += (uint32_t)forms[count].is_known;
	}
	if (count == 0) {
		free(ranked);
		return;
	}
	fputs("<div class=\"wide\"><table class=\"numbers\">\n", f);
	write_head(f, v, forms, count);
	fputs("<tbody>\n", f);
	for (uint32_t i = 0; i < v->r->case_count; i++) {
		const struct report_case *k = &v->r->cases[ranked[i].at];

		fputs(i && v->r->axis && before != k->scheme ? "<tr class=\"next\">" : "<tr>", f);
		before = k->scheme;
		write_row(f, v, k, forms, count);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
	free(ranked);
}

/* --- the tables --- */

static void write_caveat(void *context, const char *line)
{
	fputs("<p class=\"note\">", context);
	html_write_text(context, line);
	fputs("</p>\n", context);
}

static const char *baseline_label(const struct report *r)
{
	int axis = answer_axis(&r->compare);
	const struct compare_axis *a = axis < 0 ? NULL : &r->compare.axes[axis];
	const char *value = a ? answer_baseline(&r->compare, axis) : "";

	for (uint32_t i = 0; a && i < a->value_count; i++)
		if (strcmp(a->values[i], value) == 0)
			return a->labels[i];
	return value;
}

void report_table_first(FILE *f, const struct report *r)
{
	const struct table_view view = { .r = r,
					 .c = &r->compare,
					 .ratios = r->ratios.row_count ? &r->ratios : NULL,
					 .table = REPORT_FIRST,
					 .column_max = FIRST_COLUMNS,
					 .order = ORDER_BEST,
					 .facts = FACTS_NONE };

	write_table(f, &view);
	if (view.ratios) {
		fputs("<p class=\"note\">×: over the run of ", f);
		html_write_text(f, baseline_label(r));
		fputs(" with the same seed, and the 95 % interval; ~ where that holds 1: no "
		      "difference "
		      "is shown.</p>\n",
		      f);
	}
	if (r->parts.row_count)
		fputs("<p class=\"note\">Flows of all traffic sections are in one pool here; "
		      "<em>By "
		      "traffic</em> tells them apart.</p>\n",
		      f);
	if (r->compare.joined) {
		fputs("<p class=\"note\">", f);
		html_write_text(f, r->compare.joined);
		fputs(": the same numbers in every run.</p>\n", f);
	}
}

void report_table_all(FILE *f, const struct report *r)
{
	const struct report_setting *seed = report_setting(r, "seed");
	const struct report_setting *small = report_setting(r, "measure.small");
	const struct report_setting *large = report_setting(r, "measure.large");
	struct table_view view = {
		.r = r, .c = &r->compare, .table = REPORT_FLOWS, .column_max = REPORT_METRICS_MAX
	};

	fputs("<section id=\"summary\">\n<h2>Summary</h2>\n<p>", f);
	if (seed && seed->value_count > 1)
		fputs("Means over seeds, ± half the width of the 95 % confidence interval. ", f);
	if (small && large && small->value_count == 1 && large->value_count == 1) {
		fputs("Flows are small up to ", f);
		html_write_text(f, small->values[0]);
		fputs(" and large above ", f);
		html_write_text(f, large->values[0]);
		fputs(". ", f);
	}
	fputs("</p>\n", f);
	write_table(f, &view);
	view.table = REPORT_NETWORK;
	write_table(f, &view);
	comparison_caveats(&r->compare, &(struct line_sink){ write_caveat, f });
	fputs("</section>\n", f);
}

void report_table_parts(FILE *f, const struct report *r)
{
	struct table_view view = {
		.r = r, .c = &r->parts, .table = REPORT_PARTS, .column_max = REPORT_METRICS_MAX
	};

	fputs("<section id=\"traffic\">\n<h2>By traffic section</h2>\n", f);
	for (view.part = 0; view.part < r->parts.part_count; view.part++) {
		page_element(f, "h3", r->parts.splits[0].names[view.part]);
		write_table(f, &view);
	}
	comparison_caveats(&r->parts, &(struct line_sink){ write_caveat, f });
	fputs("</section>\n", f);
}

void report_table_tiers(FILE *f, const struct report *r)
{
	const struct table_view view = {
		.r = r, .c = &r->compare, .table = REPORT_TIERS, .column_max = REPORT_METRICS_MAX
	};

	fputs("<section id=\"tiers\">\n<h2>All ports, and links by tier</h2>\n", f);
	write_table(f, &view);
	fputs("<p class=\"note\">Up is away from hosts, or between switches equally far from them. "
	      "Busy: the "
	      "share of their rate that links send; paused: the share of the time.</p>\n"
	      "</section>\n",
	      f);
}

void report_table_apps(FILE *f, const struct report *r)
{
	const struct table_view view = { .r = r,
					 .c = &r->compare,
					 .table = REPORT_APPLICATIONS,
					 .column_max = REPORT_METRICS_MAX };
	const struct report_metrics metrics = report_metrics_of(REPORT_APPLICATIONS);
	int known = 0;

	for (uint32_t i = 0; i < metrics.count; i++)
		known |= column_form(&view, metrics.names[i]).is_known;
	if (!known)
		return;
	fputs("<section id=\"applications\">\n<h2>Applications</h2>\n", f);
	write_table(f, &view);
	fputs("</section>\n", f);
}
