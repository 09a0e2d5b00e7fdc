/* SPDX-License-Identifier: BSD-3-Clause */
/* chart_svg.c -- draws a chart as SVG: as a file for a paper, and inside a page. Lines differ in
 * dashes, marks and colour, bars in hatching, so that a copy in black and white still reads.
 *
 * Both forms look the same. A page can also zoom: there, a line is written in the numbers of its
 * axes (logarithms on a logarithmic axis) under a transform to pixels, a mark is a group that is
 * moved as a whole, and the style sheet replaces the colours of paper. report.js depends on this
 * form. */
#include "lab/report/chart.h"
#include "base/text.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 480,
	PLOT_HEIGHT = 230,
	TOP = 12,
	RIGHT = 14,
	X_AXIS = 40,
	LEGEND_ROW = 16,
	FONT = 11,
	CHARACTER = 6, /* a width that text hardly exceeds */
	MARK_EVERY = 70,
	MARK = 4,
	WHISKER_EVERY = 4,
	SAMPLE = 34,
	DASHES = 6,
	MARKS = 7,
	HATCHES = 6,
	COLUMNS = 800,
};

const char *const chart_colours[CHART_COLOURS] = { "#0060a0", "#c04a00", "#00805c", "#1a1a1a",
						   "#a0408c", "#a07000", "#4a90c8" };
static const char *const dashes[DASHES] = { "", "7 3", "2 2.5", "9 3 2 3", "14 4", "6 2 2 2 2 2" };

/* Each in a cell of 8 by 8. */
static const char *const hatches[HATCHES] = {
	"M0 0H8V8H0Z",      "M-2 10L10 -2M-2 2L2 -2M6 10L10 6",
	"M0 2H8M0 6H8",     "M-2 -2L10 10M6 -2L10 2M-2 6L2 10",
	"M0 0L8 8M8 0L0 8", "M2 0V8M6 0V8"
};

/* Where the plot is, in pixels, and which numbers its edges are. */
struct svg_frame {
	const char *page_id; /* in a page: the chart's id, which makes ids of elements unique; NULL:
				a file */
	double left, width;
	double x_min, x_max, y_min, y_max; /* log10 on a logarithmic axis */
	int log_x, log_y;
	struct ticks x_ticks, y_ticks;
};

static double svg_x(const struct svg_frame *r, double x)
{
	double at = r->log_x ? log10(x) : x;

	return r->left + (at - r->x_min) / (r->x_max - r->x_min) * r->width;
}

static double svg_y(const struct svg_frame *r, double y)
{
	double at = r->log_y ? log10(y) : y;

	return TOP + PLOT_HEIGHT * (1 - (at - r->y_min) / (r->y_max - r->y_min));
}

static int svg_can_draw(const struct svg_frame *r, const struct chart_point *p)
{
	return isfinite(p->x) && isfinite(p->y) && (!r->log_x || p->x > 0) &&
	       (!r->log_y || p->y > 0);
}

/* In a page, begins the group of a mark, and the mark's coordinates are those of the group. */
static void svg_begin_mark(FILE *f, const struct svg_frame *r, double *x, double *y)
{
	if (!r->page_id)
		return;
	fprintf(f, "<g class=\"at\" transform=\"translate(%.1f %.1f)\">", *x, *y);
	*x = *y = 0;
}

static void svg_end_mark(FILE *f, const struct svg_frame *r)
{
	if (r->page_id)
		fputs("</g>\n", f);
}

/* --- axes --- */

static void svg_widen_range(double *min, double *max)
{
	if (*max > *min)
		return;

	double half = *max != 0 ? fabs(*max) / 2 : 0.5;

	*min -= half;
	*max += half;
}

/* Zero belongs to the axis unless all values are far from it. */
static void svg_choose_y(struct svg_frame *r, const struct chart *c, const struct chart_extent *x)
{
	double min = x->y_min, max = x->y_max;

	if (r->log_y) {
		r->y_min = log10(min);
		r->y_max = log10(max);
		svg_widen_range(&r->y_min, &r->y_max);
		ticks_log(&r->y_ticks, pow(10, r->y_min), pow(10, r->y_max));
		return;
	}
	if (min >= 0 && (c->kind == CHART_BARS || min < 0.5 * max || max == 0))
		min = 0;
	if (max > 1 || min < 0 || !c->is_share)
		max += (max - min) * 0.05;
	svg_widen_range(&min, &max);
	r->y_min = min;
	r->y_max = max;
	ticks_linear(&r->y_ticks, min, max, 5);
}

static size_t svg_tick_width(const struct ticks *t)
{
	size_t longest = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		int length = snprintf(NULL, 0, "%.6g", t->at[i]);

		if ((size_t)length > longest)
			longest = (size_t)length;
	}
	return longest * CHARACTER;
}

/* page_id: see struct svg_frame. */
static void svg_choose_frame(struct svg_frame *r, const struct chart *c, const char *page_id)
{
	struct chart_extent extent, *x = &extent;

	if (!chart_extent(c, x))
		extent = (struct chart_extent){ 1, 10, c->log_y, c->log_y ? 10 : 1 };
	*r = (struct svg_frame){ .page_id = page_id,
				 .log_x = c->log_x && c->kind != CHART_BARS,
				 .log_y = c->log_y && c->kind != CHART_BARS };
	svg_choose_y(r, c, x);
	r->left = 30 + (double)svg_tick_width(&r->y_ticks);
	r->width = WIDTH - RIGHT - r->left;
	if (c->kind == CHART_BARS) {
		r->x_min = 0;
		r->x_max = chart_bars(c);
		return;
	}
	r->x_min = r->log_x ? log10(x->x_min) : x->x_min;
	r->x_max = r->log_x ? log10(x->x_max) : x->x_max;
	svg_widen_range(&r->x_min, &r->x_max);
	if (c->kind == CHART_MEANS) {
		double margin = (r->x_max - r->x_min) * 0.05;

		r->x_min -= margin;
		r->x_max += margin;
	}
	if (r->log_x)
		ticks_log(&r->x_ticks, pow(10, r->x_min), pow(10, r->x_max));
	else
		ticks_linear(&r->x_ticks, r->x_min, r->x_max, 6);
}

static void svg_write_text(FILE *f, double x, double y, const char *anchor, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	html_write_text(f, text);
	fputs("</text>\n", f);
}

static void svg_write_axes(FILE *f, const struct svg_frame *r, const struct chart *c)
{
	char number[32];
	double bottom = TOP + PLOT_HEIGHT, middle = TOP + PLOT_HEIGHT / 2.0;

	fputs(r->page_id ? "<g class=\"ticks\">\n" : "", f);
	fputs("<g stroke=\"#d0d0d0\" stroke-width=\"0.6\">\n", f);
	for (uint32_t i = 0; i < r->y_ticks.count; i++)
		fprintf(f, "<path d=\"M%.1f %.1fH%.1f\"/>\n", r->left, svg_y(r, r->y_ticks.at[i]),
			r->left + r->width);
	for (uint32_t i = 0; i < r->x_ticks.count; i++)
		fprintf(f, "<path d=\"M%.1f %dV%.1f\"/>\n", svg_x(r, r->x_ticks.at[i]), TOP,
			bottom);
	fputs("</g>\n", f);
	fprintf(f, "<path d=\"M%.1f %dV%.1fH%.1f\" fill=\"none\" stroke=\"#000\"/>\n", r->left, TOP,
		bottom, r->left + r->width);
	for (uint32_t i = 0; i < r->y_ticks.count; i++) {
		snprintf(number, sizeof(number), "%.6g", r->y_ticks.at[i]);
		svg_write_text(f, r->left - 5, svg_y(r, r->y_ticks.at[i]) + 4, "end", number);
	}
	for (uint32_t i = 0; i < r->x_ticks.count; i++) {
		snprintf(number, sizeof(number), "%.6g", r->x_ticks.at[i]);
		svg_write_text(f, svg_x(r, r->x_ticks.at[i]), bottom + 14, "middle", number);
	}
	fputs(r->page_id ? "</g>\n" : "", f);
	svg_write_text(f, r->left + r->width / 2, bottom + 31, "middle", c->x_label);
	fprintf(f, "<text transform=\"translate(13 %.1f) rotate(-90)\" text-anchor=\"middle\">",
		middle);
	html_write_text(f, c->y_label);
	fputs("</text>\n", f);
}

/* --- lines --- */

static void svg_write_mark(FILE *f, uint32_t style, double x, double y)
{
	/* Paths relative to the middle; NULL: a disc. */
	static const struct {
		const char *path, *look;
	} marks[MARKS] = {
		{ NULL, NULL },
		{ "m-3.2 -3.2h6.4v6.4h-6.4z", "fill=\"#fff\" stroke=\"%s\"" },
		{ "m0 -4l4 7.2h-8z", "fill=\"%s\"" },
		{ "m0 -4l4 4l-4 4l-4 -4z", "fill=\"#fff\" stroke=\"%s\"" },
		{ "m0 4l4 -7.2h-8z", "fill=\"#fff\" stroke=\"%s\"" },
		{ "m-3.2 -3.2l6.4 6.4m0 -6.4l-6.4 6.4", "stroke=\"%s\" stroke-width=\"1.6\"" },
		{ "m-4 0h8m-4 -4v8", "stroke=\"%s\" stroke-width=\"1.6\"" },
	};
	/* Lines of one colour differ in their marks. */
	uint32_t mark = (style + style / CHART_COLOURS) % MARKS;
	const char *colour = chart_colours[style % CHART_COLOURS];

	if (!marks[mark].path) {
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.4\" fill=\"%s\"/>\n", x, y,
			colour);
		return;
	}
	fprintf(f, "<path d=\"M%.1f %.1f%s\" ", x, y, marks[mark].path);
	fprintf(f, marks[mark].look, colour);
	fputs("/>\n", f);
}

/* The interval of a point at x; shift: from the plot's y coordinates to those of the mark. */
static void svg_write_whisker(FILE *f, const struct svg_frame *r, const struct chart_point *p,
			      double x, double shift)
{
	if (!isfinite(p->low) || !isfinite(p->high))
		return;

	double low = svg_y(r, p->low) + shift, high = svg_y(r, p->high) + shift;

	fprintf(f, "<path d=\"M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6\" stroke=\"#000\"/>\n", x,
		low, high, x - 3, low, x - 3, high);
}

static void svg_write_stroke(FILE *f, const struct chart_line *l)
{
	uint32_t style = l->style;
	/* Lines of one mark differ in their dashes: in black and white, too, the first 37 can be
	 * told apart. */
	const char *dash = dashes[(style + style / CHART_COLOURS) % DASHES];

	if (l->is_muted) {
		fputs("fill=\"none\" stroke=\"#b0b0b0\" stroke-width=\"1\"", f);
		return;
	}
	fprintf(f, "fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\"",
		chart_colours[style % CHART_COLOURS]);
	if (dash[0])
		fprintf(f, " stroke-dasharray=\"%s\"", dash);
}

/* Coordinates alternate between x and y whatever the letters are: report.js reads them, also of
 * lines of marks, which in a page have a path without a stroke. */
static void svg_write_path(FILE *f, const struct svg_frame *r, enum chart_kind kind,
			   const struct chart_line *l)
{
	static const char *const form[] = { "M%.2f %.2f", "L%.2f %.2f", "H%.2fV%.2f" };
	static const char *const page_form[] = { "M%.7g %.7g", "L%.7g %.7g", "H%.7gV%.7g" };
	int is_begun = 0;

	fputs("<path ", f);
	if (l->is_marks)
		fputs("fill=\"none\" stroke=\"none\"", f);
	else
		svg_write_stroke(f, l);
	if (r->page_id) {
		double x_scale = r->width / (r->x_max - r->x_min);
		double y_scale = -PLOT_HEIGHT / (r->y_max - r->y_min);

		fprintf(f,
			" vector-effect=\"non-scaling-stroke\" transform=\"matrix(%.10g 0 0 %.10g "
			"%.10g "
			"%.10g)\"",
			x_scale, y_scale, r->left - r->x_min * x_scale, TOP - r->y_max * y_scale);
	}
	fputs(" d=\"", f);
	for (uint64_t i = 0; i < l->count; i++) {
		double x = l->points[i].x, y = l->points[i].y;
		int letter = !is_begun ? 0 : kind == CHART_STEPS ? 2 : 1;

		is_begun = svg_can_draw(r, &l->points[i]);
		if (!is_begun)
			continue;
		if (r->page_id)
			fprintf(f, page_form[letter], r->log_x ? log10(x) : x,
				r->log_y ? log10(y) : y);
		else
			fprintf(f, form[letter], svg_x(r, x), svg_y(r, y));
	}
	fputs("\"/>\n", f);
}

/* Marks every point of a chart of means, with its interval at a distance of `aside` pixels; on
 * other lines one point now and then, where each line begins at another place. */
static void svg_write_marks(FILE *f, const struct svg_frame *r, enum chart_kind kind,
			    const struct chart_line *l, double aside)
{
	double next = r->left + MARK_EVERY * fmod(0.15 + 0.382 * l->style, 1);

	for (uint64_t i = 0; i < l->count; i++) {
		const struct chart_point *p = &l->points[i];

		if (!svg_can_draw(r, p))
			continue;

		double x = svg_x(r, p->x), y = svg_y(r, p->y), plot_y = y;

		if (kind != CHART_MEANS) {
			if (x < next && l->count > 1)
				continue;
			next = x + MARK_EVERY;
		}
		svg_begin_mark(f, r, &x, &y);
		svg_write_whisker(f, r, p, x + aside, y - plot_y);
		svg_write_mark(f, l->style, x, y);
		svg_end_mark(f, r);
	}
}

/* On a bar the ring is filled, so that the mark stands out. */
static void svg_write_ring(FILE *f, uint32_t style, double x, double y, enum chart_kind kind)
{
	fprintf(f,
		"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"%s\" "
		"stroke-width=\"1.4\"/>\n",
		x, y, 2 * MARK, kind == CHART_BARS ? "#fff" : "none",
		chart_colours[style % CHART_COLOURS]);
	svg_write_mark(f, style, x, y);
}

/* Rings at points of a line; on bars x is the number of the bar. */
static void svg_write_rings(FILE *f, const struct svg_frame *r, const struct chart_line *l,
			    enum chart_kind kind)
{
	double middle = kind == CHART_BARS ? 0.5 : 0;

	for (uint64_t i = 0; i < l->count; i++) {
		if (!svg_can_draw(r, &l->points[i]))
			continue;

		double x = svg_x(r, l->points[i].x + middle), y = svg_y(r, l->points[i].y);

		svg_begin_mark(f, r, &x, &y);
		svg_write_ring(f, l->style, x, y, kind);
		svg_end_mark(f, r);
	}
}

static void svg_write_line(FILE *f, const struct svg_frame *r, const struct chart *c, uint32_t line)
{
	const struct chart_line *l = &c->lines[line];
	struct chart_line drawn = *l;

	drawn.points = memory_grow(NULL, l->count + 1, sizeof(*l->points));
	if (l->count)
		memcpy(drawn.points, l->points, l->count * sizeof(*l->points));
	if (!r->page_id) /* a page is zoomed */
		chart_line_reduce(&drawn, COLUMNS, r->log_x);
	if (!l->is_marks || r->page_id)
		svg_write_path(f, r, c->kind, &drawn);
	if (l->is_marks)
		svg_write_rings(f, r, l, c->kind);
	else if (!l->is_muted)
		svg_write_marks(f, r, c->kind, &drawn,
				WHISKER_EVERY * (line - (c->line_count - 1) / 2.0));
	free(drawn.points);
}

/* --- bars --- */

/* Refers to the pattern of a line. */
static void svg_write_hatch_name(FILE *f, const struct svg_frame *r, uint32_t line)
{
	if (r->page_id)
		fprintf(f, "hatch-%s-%u", r->page_id, line);
	else
		fprintf(f, "hatch%u", line);
}

static void svg_write_hatches(FILE *f, const struct svg_frame *r, const struct chart *c)
{
	fputs("<defs>\n", f);
	for (uint32_t i = 0; i < c->line_count; i++) {
		uint32_t style = c->lines[i].style;
		const char *colour = chart_colours[style % CHART_COLOURS];

		fputs("<pattern id=\"", f);
		svg_write_hatch_name(f, r, i);
		fprintf(f,
			"\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path "
			"d=\"%s\" "
			"fill=\"%s\" stroke=\"%s\" stroke-width=\"1.4\"/></pattern>\n",
			hatches[style % HATCHES], style % HATCHES ? "none" : colour, colour);
	}
	fputs("</defs>\n", f);
}

/* A rectangle with the pattern of a line. */
static void svg_write_box(FILE *f, const struct svg_frame *r, uint32_t line, const double at[4])
{
	fprintf(f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"url(#", at[0],
		at[1], at[2], at[3]);
	svg_write_hatch_name(f, r, line);
	fputs(")\" stroke=\"#000\"/>\n", f);
}

static void svg_write_bar(FILE *f, const struct svg_frame *r, const struct chart *c, uint32_t line)
{
	const struct chart_line *l = &c->lines[line];
	double left = svg_x(r, line + 0.2), right = svg_x(r, line + 0.8);

	if (l->is_marks)
		svg_write_rings(f, r, l, c->kind);
	if (l->is_marks || !l->count || !isfinite(l->points[0].y))
		return;

	double zero = svg_y(r, 0), y = svg_y(r, l->points[0].y);

	svg_write_box(f, r, line, (double[]){ left, fmin(y, zero), right - left, fabs(zero - y) });
	svg_write_whisker(f, r, &l->points[0], (left + right) / 2, 0);
}

/* Do the names of all bars fit below them? */
static int svg_names_fit(const struct svg_frame *r, const struct chart *c)
{
	for (uint32_t i = 0; i < chart_bars(c); i++)
		if ((double)strlen(c->lines[i].name) * CHARACTER > r->width / chart_bars(c))
			return 0;
	return 1;
}

/* --- legend --- */

/* The picture beside the name of a line: SAMPLE wide, from 12 above y to 4 below. */
static void svg_write_sample(FILE *f, const struct svg_frame *r, const struct chart *c,
			     uint32_t line, double x, double y)
{
	const struct chart_line *l = &c->lines[line];

	if (c->kind == CHART_BARS && !l->is_marks) {
		svg_write_box(f, r, line, (double[]){ x, y - 9, SAMPLE, 10 });
	} else if (l->is_marks) {
		svg_write_ring(f, l->style, x + SAMPLE / 2.0, y - 4, c->kind);
	} else {
		fprintf(f, "<path d=\"M%.1f %.1fh%d\" ", x, y - 4, SAMPLE);
		svg_write_stroke(f, l);
		fputs("/>\n", f);
		if (!l->is_muted)
			svg_write_mark(f, l->style, x + SAMPLE / 2.0, y - 4);
	}
}

/* Writes the legend of the lines from `first`, below y; f NULL: measures only. Returns its
 * height. */
static int svg_write_legend(FILE *f, const struct svg_frame *r, const struct chart *c,
			    uint32_t first, double y)
{
	const double left = 30;
	double x = left;
	int rows = first < c->line_count;

	for (uint32_t i = first; i < c->line_count; i++) {
		double width = SAMPLE + 20 + (double)strlen(c->lines[i].name) * CHARACTER;
		double line_y = y + (rows - 0.3) * LEGEND_ROW;

		if (x > left && x + width > WIDTH) {
			x = left;
			rows++;
			line_y += LEGEND_ROW;
		}
		if (f) {
			svg_write_sample(f, r, c, i, x, line_y);
			svg_write_text(f, x + SAMPLE + 5, line_y, "start", c->lines[i].name);
		}
		x += width;
	}
	return rows * LEGEND_ROW;
}

/* --- the whole --- */

/* Axes, lines and bars. */
static void svg_write_plot(FILE *f, const struct svg_frame *r, const struct chart *c)
{
	const char *id = r->page_id ? r->page_id : "", *dash = r->page_id ? "-" : "";

	svg_write_axes(f, r, c);
	if (c->kind == CHART_BARS)
		svg_write_hatches(f, r, c);
	fprintf(f,
		"<clipPath id=\"plot%s%s\"><rect x=\"%.1f\" y=\"0\" width=\"%.1f\" "
		"height=\"%d\"/></clipPath>\n"
		"<g clip-path=\"url(#plot%s%s)\">\n",
		dash, id, r->left - MARK, r->width + 2 * MARK, TOP + PLOT_HEIGHT + MARK, dash, id);
	for (uint32_t i = 0; i < c->line_count; i++) {
		fputs(r->page_id ? "<g class=\"line\">\n" : "", f);
		if (c->kind == CHART_BARS)
			svg_write_bar(f, r, c, i);
		else
			svg_write_line(f, r, c, i);
		fputs(r->page_id ? "</g>\n" : "", f);
	}
	fputs("</g>\n", f);
}

void chart_svg(FILE *f, const struct chart *c)
{
	const int plot_end = TOP + PLOT_HEIGHT + X_AXIS;
	struct svg_frame frame;
	uint32_t first; /* in the legend: the names before it stand below their bars */
	int legend;

	svg_choose_frame(&frame, c, NULL);
	first = c->kind == CHART_BARS && svg_names_fit(&frame, c) ? chart_bars(c) : 0;
	legend = svg_write_legend(NULL, &frame, c, first, 0);
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
		"font-size=\"%d\">\n",
		WIDTH, plot_end + legend + 4, WIDTH, plot_end + legend + 4, FONT);
	fputs("<title>", f);
	html_write_text(f, c->title);
	if (c->variant[0]) {
		fputs(", ", f);
		html_write_text(f, c->variant);
	}
	fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", f);
	svg_write_plot(f, &frame, c);
	for (uint32_t i = 0; i < first; i++)
		svg_write_text(f, svg_x(&frame, i + 0.5), TOP + PLOT_HEIGHT + 14, "middle",
			       c->lines[i].name);
	svg_write_legend(f, &frame, c, first, plot_end);
	fputs("</svg>\n", f);
}

/* --- in a page --- */

int chart_svg_names_fit(const struct chart *c)
{
	struct svg_frame r;

	svg_choose_frame(&r, c, c->id);
	return svg_names_fit(&r, c);
}

void chart_svg_plot(FILE *f, const struct chart *c)
{
	static const char *const kinds[] = { "curves", "steps", "means", "bars" };
	const int height = TOP + PLOT_HEIGHT + X_AXIS;
	struct svg_frame r;
	int fits;

	svg_choose_frame(&r, c, c->id);
	fits = svg_names_fit(&r, c);
	fputs("<svg class=\"plot\" role=\"img\" aria-label=\"", f);
	html_write_text(f, c->title);
	fprintf(f,
		"\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, "
		"Arial, "
		"sans-serif\" font-size=\"%d\" data-kind=\"%s\" data-frame=\"%.10g %d %.10g %d "
		"%.10g "
		"%.10g %.10g %.10g\" data-log=\"%d %d\" data-framed=\"%d\">\n",
		WIDTH, height, FONT, kinds[c->kind], r.left, TOP, r.width, PLOT_HEIGHT, r.x_min,
		r.x_max, r.y_min, r.y_max, r.log_x, r.log_y, c->is_framed);
	svg_write_plot(f, &r, c);
	for (uint32_t i = 0; c->kind == CHART_BARS && i < chart_bars(c); i++) {
		char number[16];

		snprintf(number, sizeof(number), "%u", i + 1);
		svg_write_text(f, svg_x(&r, i + 0.5), TOP + PLOT_HEIGHT + 14, "middle",
			       fits ? c->lines[i].name : number);
	}
	fputs("</svg>\n", f);
}

void chart_svg_sample(FILE *f, const struct chart *c, uint32_t line)
{
	const struct svg_frame r = { .page_id = c->id };

	fprintf(f, "<svg width=\"%d\" height=\"18\" viewBox=\"0 -13 %d 18\">", SAMPLE, SAMPLE);
	svg_write_sample(f, &r, c, line, 0, 0);
	fputs("</svg>", f);
}
