/* figure_report.c -- one figure of a paper as a page: what the paper says and what was measured, the
 * panels, and what was run. */
#include "lab/papers/figure_report.h"
#include "lab/papers/paper_about.h"
#include "lab/base/output.h"
#include "lab/papers/reproduce.h"
#include "sim/base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- verdicts --- */

struct verdict_counts verdict_count(const struct figure *f, const struct verdict *verdicts)
{
	struct verdict_counts counts = { { 0 } };

	for (uint32_t i = 0; i < f->claim_count; i++)
		counts.of[verdicts[i].kind]++;
	return counts;
}

const char *verdict_word(enum verdict_kind kind, uint32_t count)
{
	if (count != 1 && kind == VERDICT_AGREES)
		return "agree";
	if (count != 1 && kind == VERDICT_DISAGREES)
		return "disagree";
	return verdict_name(kind);
}

void verdict_html(FILE *out, enum verdict_kind kind, const char *word)
{
	static const char *const classes[VERDICTS] = { "agrees", "direction", "disagrees", "open",
						       "open" };

	fprintf(out, "<span class=\"verdict %s\">%s</span>", classes[kind], word);
}

static void write_counts(FILE *out, const struct verdict_counts *counts)
{
	const char *between = "";

	for (int i = 0; i < VERDICTS; i++) {
		enum verdict_kind kind = (enum verdict_kind)i;

		if (!counts->of[kind])
			continue;
		fprintf(out, "%s%u ", between, counts->of[kind]);
		verdict_html(out, kind, verdict_word(kind, counts->of[kind]));
		between = ", ";
	}
}

/* --- claims --- */

struct claim_text claim_place(const struct claim *c)
{
	struct claim_text t;

	snprintf(t.text, sizeof(t.text), "%s%.*s",
		 c->section[0] >= '0' && c->section[0] <= '9' ? "section " : "", 140, c->section);
	return t;
}

static void write_says(FILE *out, const struct claim *c, const struct verdict *v)
{
	fputs("<td>", out);
	markup_text(out, c->says);
	if (c->section[0]) {
		fputs(" <small>(", out);
		markup_text(out, claim_place(c).text);
		fputs(")</small>", out);
	}
	if (c->note[0] && (v->kind == VERDICT_DISAGREES || v->kind == VERDICT_SAME_DIRECTION)) {
		fputs("<p class=\"note\">", out);
		markup_text(out, c->note);
		fputs("</p>", out);
	}
	fputs("</td>", out);
}

/* "5 Gb/s (4.75 Gb/s..5.25 Gb/s)" may be broken before the bracket only. */
static void write_expected(FILE *out, const struct claim *c)
{
	struct claim_text expected = claim_expected(c);
	char text[3 * sizeof(expected.text)];
	size_t used = 0;

	for (const char *at = expected.text; *at; at++) {
		if (*at == ' ' && at[1] != '(') {
			text[used++] = '\xc2'; /* a no-break space, U+00A0 */
			text[used++] = '\xa0';
		} else {
			text[used++] = *at;
		}
	}
	text[used] = '\0';
	fputs("<td data-head=\"expected\">", out);
	markup_text(out, text);
	fputs("</td>", out);
}

/* The mean with its interval; below it, what it was made of. */
static void write_measured(FILE *out, const struct verdict *v)
{
	fputs("<td data-head=\"measured\">", out);
	if (v->kind == VERDICT_OTHER_SIZE || v->kind == VERDICT_NOT_MEASURED) {
		page_element(out, "small", v->why[0] ? v->why : "–");
		fputs("</td>", out);
		return;
	}
	markup_text(out, measured_text(&v->value, v->unit).text);
	fprintf(out, "<br><small>%u seed%s", v->value.count, v->value.count == 1 ? "" : "s");
	if (v->over.count) {
		fputs("; ", out);
		markup_text(out, measured_text(&v->of, v->metric_unit).text);
		fputs(" over ", out);
		markup_text(out, measured_text(&v->over, v->metric_unit).text);
	}
	if (v->value.count > 1 && !v->is_firm)
		fputs("; the interval reaches into another verdict", out);
	if (v->is_doubtful) {
		fputs("; <span class=\"warning\">", out);
		markup_text(out, health_text(&v->health).text);
		fputs("</span>", out);
	}
	fputs("</small></td>", out);
}

static void write_table(FILE *out, const struct figure *f, const struct verdict *verdicts)
{
	fputs("<table class=\"claims\">\n<thead><tr><th>verdict</th><th>the paper says</th>"
	      "<th>expected</th><th>measured</th></tr></thead>\n<tbody>\n",
	      out);
	for (uint32_t i = 0; i < f->claim_count; i++) {
		fputs("<tr id=\"claim-", out);
		markup_text(out, f->claims[i].name);
		fputs("\"><td>", out);
		verdict_html(out, verdicts[i].kind, verdict_name(verdicts[i].kind));
		fputs("</td>", out);
		write_says(out, &f->claims[i], &verdicts[i]);
		write_expected(out, &f->claims[i]);
		write_measured(out, &verdicts[i]);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
}

static void write_claims(FILE *out, const struct figure_report *fr)
{
	struct verdict_counts counts = verdict_count(fr->figure, fr->verdicts);

	fputs("<section id=\"claims\">\n<h2>What the paper says</h2>\n", out);
	if (fr->figure->claim_count == 0) {
		fputs("<p class=\"empty\">No claim is written down for this figure.</p>\n"
		      "</section>\n",
		      out);
		return;
	}
	fprintf(out, "<p>%u claim%s: ", fr->figure->claim_count,
		fr->figure->claim_count == 1 ? "" : "s");
	write_counts(out, &counts);
	fputs(".</p>\n", out);
	write_table(out, fr->figure, fr->verdicts);
	fputs("<p class=\"note\">Measured: the mean over seeds ± half the width of its 95 % "
	      "confidence interval. Expected: what the paper says and, in brackets, what agrees "
	      "with it. Same direction: the mean is not within that, but the whole interval lies "
	      "on "
	      "the paper's side of the other outcome, which is 1 where the claim is about a ratio. "
	      "Else it disagrees.</p>\n</section>\n",
	      out);
}

/* --- panels --- */

static void write_point(FILE *out, const struct chart_line *l, double x)
{
	fputs("<td>", out);
	for (uint64_t i = 0; i < l->count; i++) {
		const struct chart_point *p = &l->points[i];

		if (p->x < x || p->x > x)
			continue;
		fprintf(out, "%.4g", p->y);
		if (isfinite(p->high) && p->high > p->y)
			fprintf(out, "<small> ± %.2g</small>", p->high - p->y);
		fputs("</td>", out);
		return;
	}
	fputs("–</td>", out);
}

/* The smallest x of any line beyond the given one; INFINITY: there is none. */
static double next_x(const struct chart *c, double beyond)
{
	double next = (double)INFINITY;

	for (uint32_t i = 0; i < c->line_count; i++)
		for (uint64_t k = 0; k < c->lines[i].count; k++)
			if (c->lines[i].points[k].x > beyond)
				next = fmin(next, c->lines[i].points[k].x);
	return next;
}

/* Bars are one row; a second has what the paper says of them. */
static void write_bars(FILE *out, const struct chart *c)
{
	fputs("<tr><th>measured</th>", out);
	for (uint32_t i = 0; i < chart_bars(c); i++)
		write_point(out, &c->lines[i], 0);
	fputs("</tr>\n", out);
	for (uint32_t i = chart_bars(c); i < c->line_count; i++) {
		fputs("<tr>", out);
		page_element(out, "th", c->lines[i].name);
		for (uint32_t k = 0; k < chart_bars(c); k++)
			write_point(out, &c->lines[i], k);
		fputs("</tr>\n", out);
	}
}

static void write_means(FILE *out, const struct chart *c)
{
	for (double x = next_x(c, -(double)INFINITY); isfinite(x); x = next_x(c, x)) {
		fprintf(out, "<tr><th>%.6g</th>", x);
		for (uint32_t i = 0; i < c->line_count; i++)
			write_point(out, &c->lines[i], x);
		fputs("</tr>\n", out);
	}
}

/* What the chart shows, as a table: a row for each x, a column for each line or bar. */
static void write_numbers(FILE *out, const struct chart *c)
{
	uint32_t columns = c->kind == CHART_BARS ? chart_bars(c) : c->line_count;

	fputs("<details><summary>Its numbers", out);
	if (c->variant[0]) {
		fputs(" for ", out);
		markup_text(out, c->variant);
	}
	fputs("</summary>\n<p class=\"note\">", out);
	markup_text(out, c->y_label);
	fputs("</p>\n<div class=\"wide\"><table class=\"numbers\">\n<thead><tr>", out);
	page_element(out, "th", c->x_label);
	for (uint32_t i = 0; i < columns; i++)
		page_element(out, "th", c->lines[i].name);
	fputs("</tr></thead>\n<tbody>\n", out);
	if (c->kind == CHART_BARS)
		write_bars(out, c);
	else
		write_means(out, c);
	fputs("</tbody></table></div></details>\n", out);
}

static void write_panel(FILE *out, const struct panel *p, const struct chart_list *charts,
			uint32_t part)
{
	uint32_t first = 0;
	char *title = NULL;

	fputs("<div>\n", out);
	while (first < charts->count && charts->all[first].part != part)
		first++;
	if (first == charts->count) {
		panel_title(p, &title);
		page_element(out, "h3", title);
		free(title);
		fputs("\n<p class=\"empty\">None of its runs is there.</p>\n</div>\n", out);
		return;
	}
	page_chart(out, charts, first);
	for (uint32_t i = first; i < charts->count; i++)
		if (charts->all[i].part == part &&
		    (charts->all[i].kind == CHART_MEANS || charts->all[i].kind == CHART_BARS))
			write_numbers(out, &charts->all[i]);
	fputs("</div>\n", out);
}

static void write_panels(FILE *out, const struct figure *f, const struct report *r)
{
	fputs("<section id=\"figure\">\n<h2>The figure</h2>\n", out);
	page_noscript(out);
	if (f->panel_count == 0)
		fputs("<p class=\"empty\">No panel is written down for this figure.</p>\n", out);
	fputs("<div class=\"panels\">\n", out);
	for (uint32_t i = 0; i < f->panel_count; i++)
		write_panel(out, &f->panels[i], &r->charts, i);
	fputs("</div>\n</section>\n", out);
}

/* --- before anything runs --- */

static int values_are_numbers(const char *path, const struct stored_runs *runs)
{
	const char **values = memory_grow(NULL, runs->count + UINT64_C(1), sizeof(*values)), *unit;
	double *numbers = memory_grow(NULL, runs->count + UINT64_C(1), sizeof(*numbers));
	uint32_t count = 0;
	int fine;

	for (uint32_t i = 0; i < runs->count; i++) {
		const char *value = stored_setting(&runs->runs[i], path);

		if (value)
			values[count++] = value;
	}
	fine = report_numbers(values, count, numbers, &unit) == 0;
	free(values);
	free(numbers);
	return fine;
}

int figure_check_axes(const struct figure *f, const struct stored_runs *runs, struct weir_error *e)
{
	for (uint32_t i = 0; i < f->panel_count; i++)
		if (f->panels[i].x && !values_are_numbers(f->panels[i].x, runs))
			return weir_error_set(
				e, "%s:%d: [panel %s]: x: the values of %s are no numbers", f->file,
				f->panels[i].line, f->panels[i].name, f->panels[i].x);
	return 0;
}

/* --- the page --- */

/* "Wei Bai, Kai Chen: Enabling ECN. CoNEXT 2016. doi:10.1145/..." */
static void write_about(FILE *out, const struct paper_about *p)
{
	const char *authors = p->text[ABOUT_AUTHORS], *doi = p->text[ABOUT_DOI];

	if (!p->text[ABOUT_TITLE])
		return;
	fputs("<p>", out);
	if (authors) {
		markup_text(out, authors);
		fputs(": ", out);
	}
	page_element(out, "cite", p->text[ABOUT_TITLE]);
	if (p->text[ABOUT_VENUE]) {
		fputs(". ", out);
		markup_text(out, p->text[ABOUT_VENUE]);
	}
	fputc('.', out);
	if (doi) {
		fputs(" <a href=\"https://doi.org/", out);
		markup_text(out, doi);
		fputs("\">doi:", out);
		markup_text(out, doi);
		fputs("</a>", out);
	}
	fputs("</p>\n", out);
}

static void write_head(FILE *out, const struct figure_report *fr, const struct paper_about *about)
{
	char *title = NULL;

	text_print(&title, "%s: %s", fr->label, fr->figure->title);
	page_begin(out, title);
	free(title);
	fputs(fr->place == FIGURE_SERVED ? "<p><a href=\"/\">The runs</a></p>\n"
					 : "<p><a href=\"../../" SUMMARY_PAGE
					   "\">All papers</a></p>\n",
	      out);
	page_element(out, "h1", fr->figure->title);
	fputs("\n<p>", out);
	markup_text(out, fr->figure->paper);
	fprintf(out, "; re-run in %s by <code>weir reproduce ",
		fr->size == FIGURE_FULL ? "the size of the paper" : "quick size");
	markup_text(out, fr->label);
	fputs(fr->size == FIGURE_FULL ? " --full</code>" : "</code>", out);
	fputs(" from <code>", out);
	markup_text(out, fr->scenario);
	fputs("</code>, whose comments say what was assumed.</p>\n", out);
	write_about(out, about);
	if (fr->figure->about[0]) {
		page_element(out, "p", fr->figure->about);
		fputc('\n', out);
	}
}

static int write_page(const struct figure_report *fr, FILE *out, const struct report *r,
		      struct weir_error *e)
{
	struct paper_about about;

	if (paper_about_read(&about, fr->scenario, e))
		return -1;
	write_head(out, fr, &about);
	paper_about_free(&about);
	write_claims(out, fr);
	write_panels(out, fr->figure, r);
	page_runs(out, r);
	page_end(out, r->compare.runs.runs[0].version, PAGE_CHARTS);
	return 0;
}

/* The metrics that lines and bars need, each once. */
static uint32_t figure_metrics(const struct figure *f, const char *names[COMPARE_COLUMNS_MAX])
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->panel_count; i++) {
		const struct panel *p = &f->panels[i];
		uint32_t known = 0;

		if (p->kind != PANEL_LINES && p->kind != PANEL_BARS)
			continue;
		while (known < count && strcmp(names[known], p->y[0]) != 0)
			known++;
		if (known == count && count < COMPARE_COLUMNS_MAX)
			names[count++] = p->y[0];
	}
	return count;
}

/* What lines are told apart by, and drawn over. */
static uint32_t figure_axes(const struct figure *f, const char **paths)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->panel_count; i++) {
		paths[count++] = f->panels[i].by;
		if (f->panels[i].x)
			paths[count++] = f->panels[i].x;
	}
	return count;
}

int figure_compare(struct comparison *c, struct store *s, const struct figure *f,
		   struct weir_error *e)
{
	const char *names[COMPARE_COLUMNS_MAX] = { "flows_completed" };
	const char **axes = memory_grow(NULL, 2 * (size_t)f->panel_count + 1, sizeof(*axes));
	struct compare_request q = { .metrics = names,
				     .also = axes,
				     .percentiles = PERCENTILES_ALL };
	int failed;

	q.also_count = figure_axes(f, axes);
	q.metric_count = figure_metrics(f, names);
	if (q.metric_count == 0)
		q.metric_count = 1; /* or all the usual ones would be computed */
	failed = comparison_make(c, s, &q, e);
	free(axes);
	return failed;
}

int figure_report_html(const struct figure_report *fr, FILE *out, struct store *s,
		       struct weir_error *e)
{
	struct report r = { .setting_count = 0 };
	int failed;

	if (figure_compare(&r.compare, s, fr->figure, e))
		return -1;
	report_compare(&r);
	failed = figure_charts(&r, s, fr->figure, e) || write_page(fr, out, &r, e);
	report_free(&r);
	return failed ? -1 : 0;
}

int figure_report_write(const struct figure_report *fr, const char *path, struct store *s,
			struct weir_error *e)
{
	struct output o;

	if (output_open(&o, path, e))
		return -1;
	if (figure_report_html(fr, o.stream, s, e)) {
		output_abandon(&o);
		return -1;
	}
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}
