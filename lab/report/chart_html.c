/* SPDX-License-Identifier: BSD-3-Clause */
/* chart_html.c -- charts in a page: one place for all variants of a chart, each with its legend,
 * its plot (chart_svg.c) and its note. Complete without a script; report.js adds zooming, values at
 * the pointer, hiding of lines and saving. */
#include "base/text.h"
#include "lab/report/chart.h"
#include <string.h>

static int chart_is_same_place(const struct chart *a, const struct chart *b)
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

/* Selects the variant that is visible at first: the last one, usually of the highest load, among
 * those with at least half of the points of those before it. */
static uint32_t chart_shown_variant(const struct chart_list *list, uint32_t first,
				    uint32_t *variants)
{
	uint32_t shown = first;
	uint64_t most = 0;

	*variants = 0;
	for (uint32_t i = first; i < list->count; i++) {
		uint64_t points = chart_points(&list->all[i]);

		if (!chart_is_same_place(&list->all[first], &list->all[i]))
			continue;
		++*variants;
		shown = 2 * points >= most ? i : shown;
		most = points > most ? points : most;
	}
	return shown;
}

/* Sets *unit to "ms" of the label "mean FCT (ms)". Returns its length; 0: the label has none. */
static int chart_unit(const struct chart *c, const char **unit)
{
	const char *at = c->y_label ? strrchr(c->y_label, '(') : NULL;

	*unit = "";
	if (!at || at[strlen(at) - 1] != ')')
		return 0;
	*unit = at + 1;
	return (int)strlen(at) - 2;
}

/* A button for each line, with room for its value at the pointer. A bar has its value always. */
static void chart_write_legend(FILE *f, const struct chart *c)
{
	int is_numbered = c->kind == CHART_BARS && !chart_svg_names_fit(c), unit_length;
	const char *unit;

	unit_length = chart_unit(c, &unit);

	fputs("<ul class=\"legend\">\n", f);
	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct chart_line *l = &c->lines[i];

		fprintf(f, "<li%s><button type=\"button\" aria-pressed=\"true\">",
			l->is_muted ? " class=\"muted\"" : "");
		chart_svg_sample(f, c, i);
		fputs("<span>", f);
		if (is_numbered && !l->is_marks)
			fprintf(f, "%u ", i + 1);
		html_write_text(f, l->name);
		fputs("</span><output>", f);
		if (c->kind == CHART_BARS && !l->is_marks && l->count)
			fprintf(f, "%.4g%s%.*s", l->points[0].y, unit_length ? " " : "",
				unit_length, unit);
		fputs("</output></button></li>\n", f);
	}
	fputs("</ul>\n", f);
}

void chart_write_variant(FILE *f, const struct chart *c)
{
	chart_write_legend(f, c);
	chart_svg_plot(f, c);
	if (!c->note[0])
		return;
	fputs("<p class=\"note\">", f);
	html_write_text(f, c->note);
	fputs("</p>\n", f);
}

void chart_write_html(FILE *f, const struct chart_list *list, uint32_t first)
{
	const struct chart *c = &list->all[first];
	uint32_t variants, shown = chart_shown_variant(list, first, &variants);

	fputs("<figure class=\"chart\">\n<figcaption><h3>", f);
	html_write_text(f, c->title);
	fputs(variants > 1 ? "</h3><label>for <select>" : "</h3>", f);
	for (uint32_t i = first; i < list->count && variants > 1; i++)
		if (chart_is_same_place(c, &list->all[i])) {
			fprintf(f, "<option value=\"%s\"%s>", list->all[i].id,
				i == shown ? " selected" : "");
			html_write_text(f, list->all[i].variant);
			fputs("</option>", f);
		}
	if (variants > 1) {
		fputs("</select></label>", f);
	} else if (c->variant[0]) {
		fputs("<p>", f);
		html_write_text(f, c->variant);
		fputs("</p>", f);
	}
	fputs("</figcaption>\n", f);
	for (uint32_t i = first; i < list->count; i++) {
		if (!chart_is_same_place(c, &list->all[i]))
			continue;
		fprintf(f, "<div class=\"variant\" data-chart=\"%s\"%s>\n", list->all[i].id,
			i == shown ? "" : " hidden");
		chart_write_variant(f, &list->all[i]);
		fputs("</div>\n", f);
	}
	fputs("</figure>\n", f);
}
