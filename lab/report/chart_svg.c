/* SPDX-License-Identifier: BSD-3-Clause */
/* chart_svg.c -- a chart as an SVG file for a paper: black text on white, lines that differ in
 * dashes, marks and colour, bars that differ in hatching, so that a copy in black and white still
 * reads. */
#include "lab/report/chart.h"
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

/* Where the plot is on the page, and which numbers its edges are. */
struct frame {
	double left, width;
	double x_min, x_max, y_min, y_max; /* in log10 where the axis is */
	int log_x, log_y;
	struct ticks x_ticks, y_ticks;
};

static double page_x(const struct frame *r, double x)
{
	double at = r->log_x ? log10(x) : x;

	return r->left + (at - r->x_min) / (r->x_max - r->x_min) * r->width;
}

static double page_y(const struct frame *r, double y)
{
	double at = r->log_y ? log10(y) : y;

	return TOP + PLOT_HEIGHT * (1 - (at - r->y_min) / (r->y_max - r->y_min));
}

static int can_draw(const struct frame *r, const struct chart_point *p)
{
	return isfinite(p->x) && isfinite(p->y) && (!r->log_x || p->x > 0) &&
	       (!r->log_y || p->y > 0);
}

/* --- axes --- */

static void widen(double *min, double *max)
{
	if (*max > *min)
		return;

	double half = *max != 0 ? fabs(*max) / 2 : 0.5;

	*min -= half;
	*max += half;
}

/* Zero belongs to the axis unless all that happens is far from it. */
static void choose_y(struct frame *r, const struct chart *c, const struct chart_extent *x)
{
	double min = x->y_min, max = x->y_max;

	if (r->log_y) {
		r->y_min = log10(min);
		r->y_max = log10(max);
		widen(&r->y_min, &r->y_max);
		ticks_log(&r->y_ticks, pow(10, r->y_min), pow(10, r->y_max));
		return;
	}
	if (min >= 0 && (c->kind == CHART_BARS || min < 0.5 * max || max == 0))
		min = 0;
	if (max > 1 || min < 0 || strncmp(c->y_label, "share", 5) != 0)
		max += (max - min) * 0.05;
	widen(&min, &max);
	r->y_min = min;
	r->y_max = max;
	ticks_linear(&r->y_ticks, min, max, 5);
}

static size_t tick_width(const struct ticks *t)
{
	size_t longest = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		int length = snprintf(NULL, 0, "%.6g", t->at[i]);

		if ((size_t)length > longest)
			longest = (size_t)length;
	}
	return longest * CHARACTER;
}

static void choose_frame(struct frame *r, const struct chart *c, const struct chart_extent *x)
{
	*r = (struct frame){ .log_x = c->log_x && c->kind != CHART_BARS,
			     .log_y = c->log_y && c->kind != CHART_BARS };
	choose_y(r, c, x);
	r->left = 30 + (double)tick_width(&r->y_ticks);
	r->width = WIDTH - RIGHT - r->left;
	if (c->kind == CHART_BARS) {
		r->x_min = 0;
		r->x_max = chart_bars(c);
		return;
	}
	r->x_min = r->log_x ? log10(x->x_min) : x->x_min;
	r->x_max = r->log_x ? log10(x->x_max) : x->x_max;
	widen(&r->x_min, &r->x_max);
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

static void text_at(FILE *f, double x, double y, const char *anchor, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	html_write_text(f, text);
	fputs("</text>\n", f);
}

static void write_axes(FILE *f, const struct frame *r, const struct chart *c)
{
	char number[32];
	double bottom = TOP + PLOT_HEIGHT, middle = TOP + PLOT_HEIGHT / 2.0;

	fputs("<g stroke=\"#d0d0d0\" stroke-width=\"0.6\">\n", f);
	for (uint32_t i = 0; i < r->y_ticks.count; i++)
		fprintf(f, "<path d=\"M%.1f %.1fH%.1f\"/>\n", r->left, page_y(r, r->y_ticks.at[i]),
			r->left + r->width);
	for (uint32_t i = 0; i < r->x_ticks.count; i++)
		fprintf(f, "<path d=\"M%.1f %dV%.1f\"/>\n", page_x(r, r->x_ticks.at[i]), TOP,
			bottom);
	fputs("</g>\n", f);
	fprintf(f, "<path d=\"M%.1f %dV%.1fH%.1f\" fill=\"none\" stroke=\"#000\"/>\n", r->left, TOP,
		bottom, r->left + r->width);
	for (uint32_t i = 0; i < r->y_ticks.count; i++) {
		snprintf(number, sizeof(number), "%.6g", r->y_ticks.at[i]);
		text_at(f, r->left - 5, page_y(r, r->y_ticks.at[i]) + 4, "end", number);
	}
	for (uint32_t i = 0; i < r->x_ticks.count; i++) {
		snprintf(number, sizeof(number), "%.6g", r->x_ticks.at[i]);
		text_at(f, page_x(r, r->x_ticks.at[i]), bottom + 14, "middle", number);
	}
	text_at(f, r->left + r->width / 2, bottom + 31, "middle", c->x_label);
	fprintf(f, "<text transform=\"translate(13 %.1f) rotate(-90)\" text-anchor=\"middle\">",
		middle);
	html_write_text(f, c->y_label);
	fputs("</text>\n", f);
}

/* --- lines --- */

static void write_mark(FILE *f, uint32_t style, double x, double y)
{
	const char *colour = chart_colours[style % CHART_COLOURS];
	const double s = MARK;

	switch ((style + style / CHART_COLOURS) %
		MARKS) { /* lines of one colour differ in their marks */
	case 0:
		fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x, y,
			s * 0.85, colour);
		return;
	case 1:
		fprintf(f, "<path d=\"M%.1f %.1fh%.1fv%.1fh%.1fz\" fill=\"#fff\" stroke=\"%s\"/>\n",
			x - s * 0.8, y - s * 0.8, s * 1.6, s * 1.6, -s * 1.6, colour);
		return;
	case 2:
		fprintf(f, "<path d=\"M%.1f %.1fl%.1f %.1fh%.1fz\" fill=\"%s\"/>\n", x, y - s, s,
			s * 1.8, -2 * s, colour);
		return;
	case 3:
		fprintf(f,
			"<path d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\" fill=\"#fff\" "
			"stroke=\"%s\"/>\n",
			x, y - s, s, s, -s, s, -s, -s, colour);
		return;
	case 4:
		fprintf(f, "<path d=\"M%.1f %.1fl%.1f %.1fh%.1fz\" fill=\"#fff\" stroke=\"%s\"/>\n",
			x, y + s, s, -s * 1.8, -2 * s, colour);
		return;
	case 5:
		fprintf(f,
			"<path d=\"M%.1f %.1fl%.1f %.1fm0 %.1fl%.1f %.1f\" stroke=\"%s\" "
			"stroke-width=\"1.6\"/>\n",
			x - s * 0.8, y - s * 0.8, s * 1.6, s * 1.6, -s * 1.6, -s * 1.6, s * 1.6,
			colour);
		return;
	default:
		fprintf(f,
			"<path d=\"M%.1f %.1fh%.1fm%.1f %.1fv%.1f\" stroke=\"%s\" "
			"stroke-width=\"1.6\"/>\n",
			x - s, y, 2 * s, -s, -s, 2 * s, colour);
	}
}

static void write_whisker(FILE *f, const struct frame *r, const struct chart_point *p, double x)
{
	if (!isfinite(p->low) || !isfinite(p->high))
		return;
	fprintf(f, "<path d=\"M%.1f %.1fV%.1fM%.1f %.1fh6M%.1f %.1fh6\" stroke=\"#000\"/>\n", x,
		page_y(r, p->low), page_y(r, p->high), x - 3, page_y(r, p->low), x - 3,
		page_y(r, p->high));
}

static void write_stroke(FILE *f, const struct chart_line *l)
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

static void write_path(FILE *f, const struct frame *r, enum chart_kind kind,
		       const struct chart_line *l)
{
	int begun = 0;

	fputs("<path ", f);
	write_stroke(f, l);
	fputs(" d=\"", f);
	for (uint64_t i = 0; i < l->count; i++) {
		const struct chart_point *p = &l->points[i];

		if (!can_draw(r, p)) {
			begun = 0;
			continue;
		}

		double x = page_x(r, p->x), y = page_y(r, p->y);

		if (!begun)
			fprintf(f, "M%.2f %.2f", x, y);
		else if (kind == CHART_STEPS)
			fprintf(f, "H%.2fV%.2f", x, y);
		else
			fprintf(f, "L%.2f %.2f", x, y);
		begun = 1;
	}
	fputs("\"/>\n", f);
}

/* Every point of a chart of means, its interval aside by so much; of other lines a point now and
 * then, each line from another place on. */
static void write_marks(FILE *f, const struct frame *r, enum chart_kind kind,
			const struct chart_line *l, double aside)
{
	double next = r->left + MARK_EVERY * fmod(0.15 + 0.382 * l->style, 1);

	for (uint64_t i = 0; i < l->count; i++) {
		const struct chart_point *p = &l->points[i];

		if (!can_draw(r, p))
			continue;

		double x = page_x(r, p->x);

		if (kind != CHART_MEANS) {
			if (x < next && l->count > 1)
				continue;
			next = x + MARK_EVERY;
		}
		write_whisker(f, r, p, x + aside);
		write_mark(f, l->style, x, page_y(r, p->y));
	}
}

static void write_ring(FILE *f, uint32_t style, double x, double y)
{
	write_mark(f, style, x, y);
	fprintf(f,
		"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"none\" stroke=\"%s\" "
		"stroke-width=\"1.4\"/>\n",
		x, y, 2 * MARK, chart_colours[style % CHART_COLOURS]);
}

/* On their lines, or on their bars, which are counted. */
static void write_rings(FILE *f, const struct frame *r, const struct chart_line *l,
			enum chart_kind kind)
{
	double middle = kind == CHART_BARS ? 0.5 : 0;

	for (uint64_t i = 0; i < l->count; i++)
		if (can_draw(r, &l->points[i]))
			write_ring(f, l->style, page_x(r, l->points[i].x + middle),
				   page_y(r, l->points[i].y));
}

static void write_line(FILE *f, const struct frame *r, const struct chart *c, uint32_t line)
{
	const struct chart_line *l = &c->lines[line];
	struct chart_line drawn = *l;

	drawn.points = memory_grow(NULL, l->count + 1, sizeof(*l->points));
	if (l->count)
		memcpy(drawn.points, l->points, l->count * sizeof(*l->points));
	chart_line_reduce(&drawn, COLUMNS, r->log_x);
	if (l->is_marks) {
		write_rings(f, r, l, c->kind);
		free(drawn.points);
		return;
	}
	write_path(f, r, c->kind, &drawn);
	if (!l->is_muted)
		write_marks(f, r, c->kind, &drawn,
			    WHISKER_EVERY * (line - (c->line_count - 1) / 2.0));
	free(drawn.points);
}

/* --- bars --- */

static void write_hatches(FILE *f, const struct chart *c)
{
	fputs("<defs>\n", f);
	for (uint32_t i = 0; i < c->line_count; i++) {
		uint32_t style = c->lines[i].style;

		fprintf(f,
			"<pattern id=\"hatch%u\" width=\"8\" height=\"8\" "
			"patternUnits=\"userSpaceOnUse\"><path d=\"%s\" fill=\"%s\" stroke=\"%s\" "
			"stroke-width=\"1.4\"/></pattern>\n",
			i, hatches[style % HATCHES],
			style % HATCHES ? "none" : chart_colours[style % CHART_COLOURS],
			chart_colours[style % CHART_COLOURS]);
	}
	fputs("</defs>\n", f);
}

static void write_bar(FILE *f, const struct frame *r, const struct chart *c, uint32_t line)
{
	const struct chart_line *l = &c->lines[line];
	double left = page_x(r, line + 0.2), right = page_x(r, line + 0.8);

	if (l->is_marks)
		write_rings(f, r, l, c->kind);
	if (l->is_marks || !l->count || !isfinite(l->points[0].y))
		return;

	double zero = page_y(r, 0), y = page_y(r, l->points[0].y);

	fprintf(f,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"url(#hatch%u)\" "
		"stroke=\"#000\"/>\n",
		left, fmin(y, zero), right - left, fabs(zero - y), line);
	write_whisker(f, r, &l->points[0], (left + right) / 2);
}

/* Names stand below their bars where all of them fit. */
static int names_fit(const struct frame *r, const struct chart *c)
{
	for (uint32_t i = 0; i < chart_bars(c); i++)
		if ((double)strlen(c->lines[i].name) * CHARACTER > r->width / chart_bars(c))
			return 0;
	return 1;
}

/* --- legend --- */

static double legend_width(const struct chart_line *l)
{
	return SAMPLE + 20 + (double)strlen(l->name) * CHARACTER;
}

static void write_sample(FILE *f, const struct chart *c, uint32_t line, double x, double y)
{
	if (c->kind == CHART_BARS && !c->lines[line].is_marks) {
		fprintf(f,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"10\" "
			"fill=\"url(#hatch%u)\" stroke=\"#000\"/>\n",
			x, y - 9, SAMPLE, line);
	} else if (c->lines[line].is_marks) {
		write_ring(f, c->lines[line].style, x + SAMPLE / 2.0, y - 4);
	} else {
		fprintf(f, "<path d=\"M%.1f %.1fh%d\" ", x, y - 4, SAMPLE);
		write_stroke(f, &c->lines[line]);
		fputs("/>\n", f);
		if (!c->lines[line].is_muted)
			write_mark(f, c->lines[line].style, x + SAMPLE / 2.0, y - 4);
	}
	text_at(f, x + SAMPLE + 5, y, "start", c->lines[line].name);
}

/* Writes the legend of the lines from the first on, from y on, or only measures where f is NULL.
 * Returns its height. */
static int write_legend(FILE *f, const struct chart *c, uint32_t first, double y)
{
	const double left = 30;
	double x = left;
	int rows = first < c->line_count;

	for (uint32_t i = first; i < c->line_count; i++) {
		if (x > left && x + legend_width(&c->lines[i]) > WIDTH) {
			x = left;
			rows++;
		}
		if (f)
			write_sample(f, c, i, x, y + (rows - 0.3) * LEGEND_ROW);
		x += legend_width(&c->lines[i]);
	}
	return rows * LEGEND_ROW;
}

void chart_svg(FILE *f, const struct chart *c)
{
	struct chart_extent extent;
	struct frame frame;
	const int plot_end = TOP + PLOT_HEIGHT + X_AXIS;
	uint32_t first; /* in the legend: the names before it stand below their bars */
	int legend;

	if (!chart_extent(c, &extent))
		extent = (struct chart_extent){ 1, 10, 0, 1 };
	choose_frame(&frame, c, &extent);
	first = c->kind == CHART_BARS && names_fit(&frame, c) ? chart_bars(c) : 0;
	legend = write_legend(NULL, c, first, 0);
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
	write_axes(f, &frame, c);
	if (c->kind == CHART_BARS)
		write_hatches(f, c);
	fprintf(f,
		"<clipPath id=\"plot\"><rect x=\"%.1f\" y=\"0\" width=\"%.1f\" "
		"height=\"%d\"/></clipPath>\n"
		"<g clip-path=\"url(#plot)\">\n",
		frame.left - MARK, frame.width + 2 * MARK, TOP + PLOT_HEIGHT + MARK);
	for (uint32_t i = 0; i < c->line_count; i++) {
		if (c->kind == CHART_BARS)
			write_bar(f, &frame, c, i);
		else
			write_line(f, &frame, c, i);
	}
	fputs("</g>\n", f);
	for (uint32_t i = 0; i < first; i++)
		text_at(f, page_x(&frame, i + 0.5), TOP + PLOT_HEIGHT + 14, "middle",
			c->lines[i].name);
	write_legend(f, c, first, plot_end);
	fputs("</svg>\n", f);
}
