/* report_html.c -- a report as one HTML file that needs nothing else: text, tables, the numbers of the
 * charts, the style, the script that draws them, and dygraphs, on which that script builds. */
#include "lab/report/report.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const char *asset(const char *name)
{
	const struct asset *a = asset_all;

	while (strcmp(a->name, name) != 0)
		assert((++a)->name);
	return a->text;
}

void page_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	markup_text(f, text);
	fprintf(f, "</%s>", name);
}

void page_begin(FILE *f, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>Weir: ",
	      f);
	markup_text(f, title);
	fprintf(f, "</title>\n<style>\n%s\n%s</style>\n</head>\n<body>\n<main>\n",
		asset("dygraph.min.css"), asset("report.css"));
}

/* --- what was run --- */

static uint32_t title_count(const struct report *r)
{
	const struct stored_run *runs = r->compare.runs.runs;
	uint32_t count = 0;

	for (uint32_t i = 0; i < r->compare.runs.count; i++) {
		uint32_t before = 0;

		while (before < i && strcmp(runs[before].title, runs[i].title) != 0)
			before++;
		count += before == i;
	}
	return count;
}

static void write_values(FILE *f, const struct report_setting *s)
{
	fputs("<tr>", f);
	page_element(f, "th", s->path);
	fputs("<td>", f);
	for (uint32_t i = 0; i < s->value_count; i++) {
		if (i)
			fputs(", ", f);
		page_element(f, "code", s->values[i]);
	}
	fputs("</td></tr>\n", f);
}

void page_caveats(FILE *f, const struct comparison *c)
{
	struct health all = { .runs = 0 };

	for (uint32_t i = 0; i < c->runs.count; i++)
		health_add(&all, &c->runs.runs[i]);
	if (health_text(&all).text[0]) {
		fputs("<p class=\"warning\">Not all is well: ", f);
		markup_text(f, health_text(&all).text);
		fputs(". Numbers with ! are of the flows that "
		      "ended, or of runs that are stuck.</p>\n",
		      f);
	}
	if (c->runs.left_out)
		fprintf(f,
			"<p class=\"note\">%u run%s of other sweeps "
			"in the same folder %s not shown.</p>\n",
			c->runs.left_out, c->runs.left_out == 1 ? "" : "s",
			c->runs.left_out == 1 ? "is" : "are");
}

void page_runs(FILE *f, const struct report *r)
{
	const struct report_setting *seed = report_setting(r, "seed");
	uint32_t titles = title_count(r);

	fputs("<section id=\"runs\">\n<h2>What was run</h2>\n<p>", f);
	fprintf(f, "%u run%s: %u scheme%s", r->compare.runs.count,
		r->compare.runs.count == 1 ? "" : "s", r->scheme_count,
		r->scheme_count == 1 ? "" : "s");
	if (r->axis)
		fprintf(f, ", %u values of <code>", r->axis->value_count);
	if (r->axis)
		markup_text(f, r->axis->path);
	fprintf(f, "%s, %u seed%s; Weir ", r->axis ? "</code>" : "", seed ? seed->value_count : 1,
		seed && seed->value_count != 1 ? "s" : "");
	markup_text(f, r->compare.runs.runs[0].version);
	fputs(report_setting(r, "version")->value_count > 1 ? " and others." : ".", f);
	if (titles > 1)
		fprintf(f, " They come from %u scenarios; the title is that of the first.", titles);
	fputs("</p>\n", f);
	page_caveats(f, &r->compare);
	fputs("<h3>Settings that differ between runs</h3>\n"
	      "<div class=\"wide\"><table class=\"settings\">\n",
	      f);
	for (uint32_t i = 0; i < r->setting_count; i++)
		if (r->settings[i].value_count > 1)
			write_values(f, &r->settings[i]);
	if (r->compare.runs.count == 1)
		fputs("<tr><td>none: there is one run</td></tr>\n", f);
	fputs("</table></div>\n<details><summary>Settings common to all runs</summary>\n"
	      "<div class=\"wide\"><table class=\"settings\">\n",
	      f);
	for (uint32_t i = 0; i < r->setting_count; i++)
		if (r->settings[i].value_count == 1)
			write_values(f, &r->settings[i]);
	fputs("</table></div>\n</details>\n</section>\n", f);
}

/* --- the summary --- */

/* How the numbers of a column look: one unit and as many decimals as its largest number deserves. */
struct column_form {
	const char *head;
	int column; /* of the comparison */
	struct report_unit unit;
	int decimals;
};

static struct column_form column_form(const struct report *r, const struct report_metric *m)
{
	struct column_form form = { m->head, report_column(r, m->name), { 1, "" }, 0 };
	double largest = 0;
	int whole = 1;

	for (uint32_t i = 0; i < r->case_count; i++) {
		const struct compare_cell *cell = &r->cases[i].row->cells[form.column];

		if (isnan(cell->mean))
			continue;
		largest = fmax(largest, cell->mean);
		if (cell->mean != floor(cell->mean) || cell->half > 0)
			whole = 0;
	}
	form.unit = report_unit(largest, r->compare.columns[form.column].unit);
	largest /= form.unit.factor;
	if (!whole || form.unit.factor > 1)
		form.decimals = largest >= 1000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : 3;
	return form;
}

static void write_mean(FILE *f, const struct compare_row *row, const struct column_form *form)
{
	const struct compare_cell *m = &row->cells[form->column];
	const char *mark = cell_mark(row, m);

	if (isnan(m->mean)) {
		fputs("<td>–</td>", f);
		return;
	}
	if (m->is_doubtful)
		fprintf(f, "<td class=\"doubtful\" title=\"%s\">", health_text(&row->health).text);
	else if (*mark)
		fprintf(f, "<td title=\"of %u of %u runs\">", m->count, row->run_count);
	else
		fputs("<td>", f);
	fprintf(f, "%.*f%s", form->decimals, m->mean / form->unit.factor, mark);
	if (m->half > 0)
		fprintf(f, "<small> ± %.*f</small>", form->decimals, m->half / form->unit.factor);
	fputs("</td>", f);
}

/* "load" of "traffic.web.load", which is shown when pointed at. */
static void write_axis_head(FILE *f, const char *path)
{
	const char *dot = strrchr(path, '.');

	fputs("<th title=\"", f);
	markup_text(f, path);
	fputs("\">", f);
	markup_text(f, dot ? dot + 1 : path);
	fputs("</th>", f);
}

static void write_table_head(FILE *f, const struct report *r, const struct column_form *forms,
			     uint32_t count)
{
	fputs("<thead><tr><th>scheme</th>", f);
	if (r->axis)
		write_axis_head(f, r->axis->path);
	for (int i = 0; i < FACTS; i++)
		if (fact_is_shown(&r->compare, (enum compare_fact)i))
			page_element(f, "th", fact_title((enum compare_fact)i));
	for (uint32_t i = 0; i < count; i++) {
		int metric = r->compare.columns[forms[i].column].metric;

		fprintf(f, "<th title=\"%s\">", metric < 0 ? "" : metric_all[metric].help);
		markup_text(f, forms[i].head);
		if (forms[i].unit.name[0])
			fprintf(f, "<br><small>%s</small>", forms[i].unit.name);
		fputs("</th>", f);
	}
	fputs("</tr></thead>\n", f);
}

static void write_table(FILE *f, const struct report *r, const struct report_metric *metrics)
{
	struct column_form forms[REPORT_METRICS_MAX];
	uint32_t count = 0;

	for (; metrics->name; metrics++)
		if (report_column(r, metrics->name) >= 0)
			forms[count++] = column_form(r, metrics);
	fputs("<div class=\"wide\"><table class=\"numbers\">\n", f);
	write_table_head(f, r, forms, count);
	fputs("<tbody>\n", f);
	for (uint32_t i = 0; i < r->case_count; i++) {
		const struct report_case *k = &r->cases[i];

		fputs(i && r->cases[i - 1].scheme != k->scheme ? "<tr class=\"next\">" : "<tr>", f);
		page_element(f, "th", r->schemes[k->scheme]);
		if (r->axis)
			page_element(f, "th", k->x_text);
		for (int n = 0; n < FACTS; n++)
			if (fact_is_shown(&r->compare, (enum compare_fact)n))
				page_element(
					f, "td",
					fact_text(&r->compare, k->row, (enum compare_fact)n).text);
		for (uint32_t n = 0; n < count; n++)
			write_mean(f, k->row, &forms[n]);
		fputs("</tr>\n", f);
	}
	fputs("</tbody></table></div>\n", f);
}

static void write_caveat(void *context, const char *line)
{
	fputs("<p class=\"note\">", context);
	markup_text(context, line);
	fputs("</p>\n", context);
}

static void write_summary(FILE *f, const struct report *r)
{
	const struct report_setting *seed = report_setting(r, "seed");
	const struct report_setting *small = report_setting(r, "measure.small");
	const struct report_setting *large = report_setting(r, "measure.large");

	fputs("<section id=\"summary\">\n<h2>Summary</h2>\n<p>", f);
	if (seed && seed->value_count > 1)
		fputs("Means over seeds, ± half the width of the 95 % confidence interval. ", f);
	if (small && large && small->value_count == 1 && large->value_count == 1) {
		fputs("Flows are small up to ", f);
		markup_text(f, small->values[0]);
		fputs(" and large above ", f);
		markup_text(f, large->values[0]);
		fputs(". ", f);
	}
	fputs("</p>\n", f);
	write_table(f, r, report_flow_metrics);
	write_table(f, r, report_network_metrics);
	comparison_caveats(&r->compare, write_caveat, f);
	fputs("</section>\n", f);
}

/* --- charts --- */

static void write_number(FILE *f, double number)
{
	if (isfinite(number))
		fprintf(f, "%.7g", number);
	else
		fputs("null", f);
}

enum field { FIELD_X, FIELD_Y, FIELD_LOW, FIELD_HIGH };

static void write_field(FILE *f, const char *name, const struct chart_line *l, enum field field)
{
	fprintf(f, ",\"%s\":[", name);
	for (uint64_t i = 0; i < l->count; i++) {
		const struct chart_point *p = &l->points[i];
		const double values[] = { p->x, p->y, p->low, p->high };

		if (i)
			fputc(',', f);
		write_number(f, values[field]);
	}
	fputc(']', f);
}

static void write_data(FILE *f, const struct chart *c)
{
	static const char *const kinds[] = { "curves", "steps", "means", "bars" };

	fprintf(f,
		"<script type=\"application/json\" "
		"id=\"data-%s\">{\"kind\":\"%s\",\"logX\":%s,\"x\":",
		c->id, kinds[c->kind], c->log_x ? "true" : "false");
	markup_json(f, c->x_label);
	fputs(",\"y\":", f);
	markup_json(f, c->y_label);
	fputs(",\"note\":", f);
	markup_json(f, c->note);
	fputs(",\"lines\":[", f);
	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct chart_line *l = &c->lines[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", f);
		markup_json(f, l->name);
		fprintf(f, ",\"style\":%u", l->style);
		write_field(f, "px", l, FIELD_X);
		write_field(f, "py", l, FIELD_Y);
		if (c->kind == CHART_MEANS || c->kind == CHART_BARS) {
			write_field(f, "low", l, FIELD_LOW);
			write_field(f, "high", l, FIELD_HIGH);
		}
		fputc('}', f);
	}
	fputs("]}</script>\n", f);
}

static int same_place(const struct chart *a, const struct chart *b)
{
	return a->part == b->part && strcmp(a->title, b->title) == 0;
}

void page_chart(FILE *f, const struct chart_list *list, uint32_t first)
{
	const struct chart *c = &list->all[first];
	uint32_t last = first, variants = 0;

	for (uint32_t i = first; i < list->count; i++)
		if (same_place(c, &list->all[i])) {
			last = i;
			variants++;
		}
	fprintf(f, "<figure class=\"chart\" data-chart=\"%s\">\n<figcaption>", list->all[last].id);
	page_element(f, "h3", c->title);
	if (variants > 1) {
		fputs("<label>for <select>", f);
		for (uint32_t i = first; i < list->count; i++)
			if (same_place(c, &list->all[i])) {
				fprintf(f, "<option value=\"%s\"%s>", list->all[i].id,
					i == last ? " selected" : "");
				markup_text(f, list->all[i].variant);
				fputs("</option>", f);
			}
		fputs("</select></label>", f);
	} else if (c->variant[0]) {
		page_element(f, "p", c->variant);
	}
	fputs("</figcaption>\n", f);
	for (uint32_t i = first; i < list->count; i++)
		if (same_place(c, &list->all[i]))
			write_data(f, &list->all[i]);
	fputs("</figure>\n", f);
}

static void write_part(FILE *f, const struct report *r, enum report_part part)
{
	static const struct {
		const char *id, *title, *empty;
	} parts[PART_COUNT] = {
		[PART_FCT] = { "fct", "Flow completion times",
			       "No flow ended in the measured interval." },
		[PART_CDF] = { "distributions", "Distributions",
			       "No flow ended in the measured interval." },
		[PART_QUEUE] = { "queues", "Queue length over time",
				 "No queue was recorded. <code>probe = queue PORT every "
				 "10us</code> in "
				 "<code>[measure]</code> records one." },
		[PART_THROUGHPUT] = { "throughput", "Throughput over time",
				      "No throughput was recorded. <code>probe "
				      "= throughput flow:N every 100us</code> in "
				      "<code>[measure]</code> records that of a flow." },
		[PART_WINDOW] = { "windows", "Windows over time",
				  "No window was recorded. <code>probe = window flow:N every "
				  "100us</code> in "
				  "<code>[measure]</code> records that of a flow." },
		[PART_OTHER] = { "variables", "Scheme variables over time",
				 "No variable was recorded. <code>probe = scheme PORT "
				 "every 10us</code> in <code>[measure]</code> records "
				 "those that the marking scheme of a port publishes." },
	};
	const struct chart_list *list = &r->charts;
	int is_empty = 1;

	fprintf(f, "<section id=\"%s\">\n<h2>%s</h2>\n", parts[part].id, parts[part].title);
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t before = 0;

		if (list->all[i].part != part)
			continue;
		while (!same_place(&list->all[before], &list->all[i]))
			before++;
		if (before == i)
			page_chart(f, list, i);
		is_empty = 0;
	}
	if (is_empty)
		fprintf(f, "<p class=\"empty\">%s</p>\n", parts[part].empty);
	fputs("</section>\n", f);
}

void page_end(FILE *f, const char *version, enum page_kind kind)
{
	fputs("<footer>", f);
	if (kind == PAGE_CHARTS)
		fputs("<p>Drag across a chart to zoom in, double-click to see all of it again; "
		      "click a name to hide or show its line.</p>\n",
		      f);
	fputs("<p>Written by Weir ", f);
	markup_text(f, version);
	fprintf(f, ".%s</p></footer>\n</main>\n",
		kind == PAGE_CHARTS ? " Charts drawn with dygraphs (MIT licence)." : "");
	if (kind == PAGE_CHARTS)
		fprintf(f, "<script>\n%s\n%s</script>\n<script>\n%s</script>\n",
			asset("dygraphs-licence.js"), asset("dygraph.min.js"), asset("report.js"));
	fputs("</body>\n</html>\n", f);
}

void page_noscript(FILE *f)
{
	fputs("<noscript><p class=\"empty\">The charts below need "
	      "JavaScript, which is switched off here.</p></noscript>\n",
	      f);
}

void report_html(FILE *f, const struct report *r)
{
	const struct stored_run *first = &r->compare.runs.runs[0];

	page_begin(f, first->title);
	page_element(f, "h1", first->title[0] ? first->title : "Results");
	fputc('\n', f);
	page_runs(f, r);
	write_summary(f, r);
	page_noscript(f);
	for (int part = 0; part < PART_COUNT; part++)
		write_part(f, r, (enum report_part)part);
	page_end(f, first->version, PAGE_CHARTS);
}
