/* SPDX-License-Identifier: BSD-3-Clause */
/* report_html.c -- a report as one HTML file that needs nothing else: text, tables, the numbers of
 * the charts, the style, the script that draws them, and dygraphs, on which that script builds. */
#include "lab/report/report.h"
#include <assert.h>
#include <math.h>
#include <string.h>

const char *page_asset(const char *name)
{
	const struct asset *a = asset_all;

	while (strcmp(a->name, name) != 0)
		assert((++a)->name);
	return a->text;
}

void page_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	html_write_text(f, text);
	fprintf(f, "</%s>", name);
}

/* more: what the page may do beside showing what it brings. */
static void begin(FILE *f, const char *title, const char *more)
{
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:%s\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>Weir: ",
		more);
	html_write_text(f, title);
	fprintf(f, "</title>\n<style>\n%s\n%s</style>\n</head>\n<body>\n<main>\n",
		page_asset("dygraph.min.css"), page_asset("report.css"));
}

void page_begin(FILE *f, const char *title)
{
	begin(f, title, "");
}

void page_begin_live(FILE *f, const char *title)
{
	begin(f, title, "; connect-src 'self'");
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
		html_write_text(f, health_text(&all).text);
		fputs(". Numbers with ! are of the flows that ended, or of runs that are stuck or "
		      "were held up.</p>\n",
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
		html_write_text(f, r->axis->path);
	fprintf(f, "%s, %u seed%s; Weir ", r->axis ? "</code>" : "", seed ? seed->value_count : 1,
		seed && seed->value_count != 1 ? "s" : "");
	html_write_text(f, r->compare.runs.runs[0].version);
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
	fputs("</table></div>\n<h3>Settings common to all runs</h3>\n"
	      "<div class=\"wide\"><table class=\"settings\">\n",
	      f);
	for (uint32_t i = 0; i < r->setting_count; i++)
		if (r->settings[i].value_count == 1 && !report_is_default(&r->settings[i]))
			write_values(f, &r->settings[i]);
	fputs("</table></div>\n<details><summary>Settings at their defaults</summary>\n"
	      "<div class=\"wide\"><table class=\"settings\">\n",
	      f);
	for (uint32_t i = 0; i < r->setting_count; i++)
		if (report_is_default(&r->settings[i]))
			write_values(f, &r->settings[i]);
	fputs("</table></div>\n</details>\n</section>\n", f);
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

void page_chart_data(FILE *f, const struct chart *c)
{
	static const char *const kinds[] = { "curves", "steps", "means", "bars" };

	fprintf(f, "{\"kind\":\"%s\",\"logX\":%s,\"logY\":%s,\"x\":", kinds[c->kind],
		c->log_x ? "true" : "false", c->log_y ? "true" : "false");
	html_write_json_string(f, c->x_label);
	fputs(",\"y\":", f);
	html_write_json_string(f, c->y_label);
	fputs(",\"note\":", f);
	html_write_json_string(f, c->note);
	if (c->is_framed) {
		const double frame[] = { c->frame.x_min, c->frame.x_max, c->frame.y_min,
					 c->frame.y_max };

		for (int i = 0; i < 4; i++) {
			fputs(i ? "," : ",\"frame\":[", f);
			write_number(f, frame[i]);
		}
		fputc(']', f);
	}
	fputs(",\"lines\":[", f);
	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct chart_line *l = &c->lines[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", f);
		html_write_json_string(f, l->name);
		fprintf(f, ",\"style\":%u%s%s", l->style, l->is_muted ? ",\"muted\":true" : "",
			l->is_marks ? ",\"marks\":true" : "");
		write_field(f, "px", l, FIELD_X);
		write_field(f, "py", l, FIELD_Y);
		if (c->kind == CHART_MEANS || c->kind == CHART_BARS) {
			write_field(f, "low", l, FIELD_LOW);
			write_field(f, "high", l, FIELD_HIGH);
		}
		fputc('}', f);
	}
	fputs("]}", f);
}

static void write_data(FILE *f, const struct chart *c)
{
	fprintf(f, "<script type=\"application/json\" id=\"data-%s\">", c->id);
	page_chart_data(f, c);
	fputs("</script>\n", f);
}

static int same_place(const struct chart *a, const struct chart *b)
{
	return a->part == b->part && strcmp(a->title, b->title) == 0;
}

static uint64_t chart_points(const struct chart *c)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < c->line_count; i++)
		count += c->lines[i].count;
	return count;
}

/* Of charts in one place the last is shown, usually that of the highest load; but none that has
 * less than half of the points of another. */
static uint32_t shown_variant(const struct chart_list *list, uint32_t first, uint32_t *variants)
{
	uint32_t shown = first;
	uint64_t most = 0;

	*variants = 0;
	for (uint32_t i = first; i < list->count; i++) {
		uint64_t points = chart_points(&list->all[i]);

		if (!same_place(&list->all[first], &list->all[i]))
			continue;
		++*variants;
		shown = 2 * points >= most ? i : shown;
		most = points > most ? points : most;
	}
	return shown;
}

void page_chart(FILE *f, const struct chart_list *list, uint32_t first)
{
	const struct chart *c = &list->all[first];
	uint32_t variants, shown = shown_variant(list, first, &variants);

	fprintf(f, "<figure class=\"chart\" data-chart=\"%s\">\n<figcaption>", list->all[shown].id);
	page_element(f, "h3", c->title);
	if (variants > 1) {
		fputs("<label>for <select>", f);
		for (uint32_t i = first; i < list->count; i++)
			if (same_place(c, &list->all[i])) {
				fprintf(f, "<option value=\"%s\"%s>", list->all[i].id,
					i == shown ? " selected" : "");
				html_write_text(f, list->all[i].variant);
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

static int has_part(const struct chart_list *list, enum report_part part)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->all[i].part == part)
			return 1;
	return 0;
}

static void write_charts(FILE *f, const struct chart_list *list, enum report_part part)
{
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t before = 0;

		if (list->all[i].part != part)
			continue;
		while (!same_place(&list->all[before], &list->all[i]))
			before++;
		if (before == i)
			page_chart(f, list, i);
	}
}

static void write_part(FILE *f, const struct report *r, enum report_part part)
{
	static const struct {
		const char *id, *title, *empty;
	} parts[PART_COUNT] = {
		[PART_FCT] = { "fct", "Flow completion times",
			       "No flow ended in the measured interval." },
		[PART_SIZES] = { "sizes", "By flow size",
				 "No flows of several sizes ended in the measured interval." },
		[PART_CDF] = { "distributions", "Distributions and tails",
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

	fprintf(f, "<section id=\"%s\">\n<h2>%s</h2>\n", parts[part].id, parts[part].title);
	if (has_part(&r->charts, part))
		write_charts(f, &r->charts, part);
	else
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
	html_write_text(f, version);
	fprintf(f, ".%s</p></footer>\n</main>\n",
		kind == PAGE_CHARTS ? " Charts drawn with dygraphs (MIT licence)." : "");
	if (kind == PAGE_CHARTS)
		fprintf(f, "<script>\n%s\n%s</script>\n<script>\n%s</script>\n",
			page_asset("dygraphs-licence.js"), page_asset("dygraph.min.js"),
			page_asset("report.js"));
	fputs("</body>\n</html>\n", f);
}

void page_noscript(FILE *f)
{
	fputs("<noscript><p class=\"empty\">The charts below need "
	      "JavaScript, which is switched off here.</p></noscript>\n",
	      f);
}

/* What is behind one button, where a script can show one at a time; else all of it, one below the
 * other. */
static void begin_tab(FILE *f, const char *title)
{
	fprintf(f, "<div class=\"tab\" data-title=\"%s\">\n", title);
}

static void end_tab(FILE *f)
{
	fputs("</div>\n", f);
}

/* The first screen: who wins, the numbers that say so, and the slowdown of every size. */
static void write_answer(FILE *f, const struct report *r)
{
	fputs("<section id=\"answer\">\n", f);
	for (uint32_t i = 0; i < r->sentence_count; i++) {
		fputs("<p class=\"answer\">", f);
		html_write_text(f, r->sentences[i]);
		fputs("</p>\n", f);
	}
	page_caveats(f, &r->compare);
	report_table_choice(f, r);
	fprintf(f, "<div class=\"%s\">\n<div>\n",
		r->has_choice                      ? "first settings-first"
		: has_part(&r->charts, PART_FIRST) ? "first"
						   : "first alone");
	report_table_first(f, r);
	fputs("</div>\n<div>\n", f);
	write_charts(f, &r->charts, PART_FIRST);
	fputs("</div>\n</div>\n</section>\n", f);
}

void report_html(FILE *f, const struct report *r)
{
	const struct stored_run *first = &r->compare.runs.runs[0];

	page_begin(f, first->title);
	page_element(f, "h1", first->title[0] ? first->title : "Results");
	fputc('\n', f);
	write_answer(f, r);
	page_noscript(f);
	begin_tab(f, "All numbers");
	report_table_apps(f, r);
	report_table_all(f, r);
	write_part(f, r, PART_FCT);
	end_tab(f);
	if (r->parts.row_count) {
		begin_tab(f, "By traffic");
		report_table_parts(f, r);
		end_tab(f);
	}
	begin_tab(f, "By size");
	write_part(f, r, PART_SIZES);
	end_tab(f);
	begin_tab(f, "Tails");
	write_part(f, r, PART_CDF);
	end_tab(f);
	begin_tab(f, "Queues");
	report_table_tiers(f, r);
	write_part(f, r, PART_QUEUE);
	end_tab(f);
	begin_tab(f, "Series");
	for (int part = PART_THROUGHPUT; part < PART_COUNT; part++)
		write_part(f, r, (enum report_part)part);
	end_tab(f);
	begin_tab(f, "Settings");
	page_runs(f, r);
	end_tab(f);
	page_end(f, first->version, PAGE_CHARTS);
}
