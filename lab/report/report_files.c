/* SPDX-License-Identifier: BSD-3-Clause */
/* report_files.c -- the charts of a report as files: as SVG; and for gnuplot and matplotlib, for
 * each chart the numbers, ID.dat, and a script, ID.gp, which writes ID.pdf, with plots.py, which
 * draws all of them. */
#define _POSIX_C_SOURCE 200809L
#include "base/output.h"
#include "lab/report/report.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	GNUPLOT_DASHES = 5,
	GNUPLOT_MARKS = 13,
	MARKS_A_LINE = 12,
};

static void plot_write_number(FILE *f, double number)
{
	if (isfinite(number))
		fprintf(f, " %s", format_exact(number).text);
	else
		fputs(" nan", f);
}

/* Text for a quoted string of gnuplot or a comment, neither of which may contain a line end. */
static void plot_write_words(FILE *f, const char *text, const char *escaped)
{
	for (; *text; text++) {
		if (*text == '\n' || *text == '\r') {
			fputc(' ', f);
			continue;
		}
		if (strchr(escaped, *text))
			fputc('\\', f);
		fputc(*text, f);
	}
}

static void plot_write_entry(FILE *f, const char *name, const char *text)
{
	fprintf(f, "# %s: ", name);
	plot_write_words(f, text, "");
	fputc('\n', f);
}

/* A head of comments, then a block for each line: "x y low high", two empty lines between
 * blocks. */
static void plot_write_data(FILE *f, const struct chart *c)
{
	static const char *const kinds[] = { "curves", "steps", "means", "bars" };

	plot_write_entry(f, "title", c->title);
	plot_write_entry(f, "variant", c->variant);
	plot_write_entry(f, "x", c->x_label);
	plot_write_entry(f, "y", c->y_label);
	fprintf(f, "# kind: %s\n# log-x: %d\n# log-y: %d\n", kinds[c->kind], c->log_x, c->log_y);
	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct chart_line *l = &c->lines[i];

		fputs(i ? "\n\n" : "", f);
		plot_write_entry(f, "line", l->name);
		fprintf(f, "# style: %u\n", l->style);
		for (uint64_t k = 0; k < l->count; k++) {
			plot_write_number(f, c->kind == CHART_BARS ? i : l->points[k].x);
			plot_write_number(f, l->points[k].y);
			plot_write_number(f, l->points[k].low);
			plot_write_number(f, l->points[k].high);
			fputc('\n', f);
		}
	}
}

/* --- gnuplot --- */

static const char *plot_colour_of(const struct chart_line *l)
{
	return chart_colours[l->style % CHART_COLOURS];
}

static uint32_t plot_dash_of(const struct chart_line *l)
{
	return 1 + (l->style + l->style / CHART_COLOURS) % GNUPLOT_DASHES;
}

/* The look of a line. As in chart_svg.c, lines of one colour differ in dashes and marks. */
static void plot_write_style(FILE *f, const struct chart_line *l, enum chart_kind kind)
{
	static const int fills[] = { 3, 4, 1, 5, 2, 7 };
	const uint32_t shape = l->style + l->style / CHART_COLOURS;
	const uint64_t every = kind == CHART_MEANS ? 1 : 1 + l->count / MARKS_A_LINE;

	fprintf(f, " lc rgb \"%s\" lw 1.5", plot_colour_of(l));
	if (kind == CHART_BARS) {
		fprintf(f, " fs pattern %d border lc rgb \"%s\"",
			fills[l->style % (sizeof(fills) / sizeof(fills[0]))], plot_colour_of(l));
		return;
	}
	fprintf(f, " dt %u", plot_dash_of(l));
	if (kind != CHART_STEPS)
		fprintf(f, " pt %u pi %" PRIu64, 1 + shape % GNUPLOT_MARKS, every);
}

static void plot_write_set(FILE *f, const char *what, const char *text)
{
	fprintf(f, "set %s \"", what);
	plot_write_words(f, text, "\"\\");
	fputs("\" noenhanced\n", f);
}

static void plot_write_title(FILE *f, const struct chart *c)
{
	char *title = NULL;

	text_print(&title, c->variant[0] ? "%s, %s" : "%s", c->title, c->variant);
	plot_write_set(f, "title", title);
	free(title);
}

static void plot_write_names(FILE *f, const struct chart *c)
{
	fputs("set xtics rotate by -30 noenhanced (", f);
	for (uint32_t i = 0; i < c->line_count; i++) {
		fputs(i ? ", \"" : "\"", f);
		plot_write_words(f, c->lines[i].name, "\"\\");
		fprintf(f, "\" %u", i);
	}
	fprintf(f, ")\nset xrange [-0.6:%u.6]\nset yrange [0:]\n", c->line_count - 1);
}

static int plot_has_intervals(const struct chart_line *l)
{
	for (uint64_t i = 0; i < l->count; i++)
		if (isfinite(l->points[i].low) && isfinite(l->points[i].high))
			return 1;
	return 0;
}

/* Boxes have names on the axis, lines a title. Intervals are a plot of their own, because gnuplot
 * leaves out a box or a point without one. (yerrorbars would leave a hole at the point.) */
static void plot_write_line(FILE *f, const struct chart *c, uint32_t i)
{
	static const char *const styles[] = { "linespoints", "steps", "linespoints", "boxes" };
	const struct chart_line *l = &c->lines[i];

	fprintf(f, "%s\"%s.dat\" index %u using 1:2 with %s", i ? ", \\\n\t" : "plot ", c->id, i,
		styles[c->kind]);
	plot_write_style(f, l, c->kind);
	fputs(c->kind == CHART_BARS ? " notitle" : " title \"", f);
	if (c->kind != CHART_BARS) {
		plot_write_words(f, l->name, "\"\\");
		fputc('"', f);
	}
	if (plot_has_intervals(l))
		fprintf(f,
			", \\\n\t\"%s.dat\" index %u using 1:2:3:4 with yerrorlines lc rgb \"%s\" "
			"dt %u ps 0 notitle",
			c->id, i, c->kind == CHART_BARS ? "black" : plot_colour_of(l),
			c->kind == CHART_BARS ? 1 : plot_dash_of(l));
}

static void plot_write_gnuplot(FILE *f, const struct chart *c)
{
	fprintf(f,
		"# gnuplot %s.gp writes %s.pdf; for something else set own_terminal:\n"
		"# gnuplot -e 'own_terminal = 1; set terminal svg; set output \"%s.svg\"' %s.gp\n"
		"if (!exists(\"own_terminal\")) {\n"
		"\tset terminal pdfcairo size 16cm,10cm font \",11\"\n"
		"\tset output \"%s.pdf\"\n}\n",
		c->id, c->id, c->id, c->id, c->id);
	plot_write_title(f, c);
	plot_write_set(f, "xlabel", c->x_label);
	plot_write_set(f, "ylabel", c->y_label);
	fputs("set key outside below noenhanced\nset boxwidth 0.7\nset grid ytics lc rgb "
	      "\"#d0d0d0\"\n",
	      f);
	if (c->kind == CHART_MEANS)
		fputs("set offsets graph 0.04, graph 0.04, 0, 0\n", f);
	if (c->log_x)
		fputs("set logscale x\n", f);
	if (c->log_y)
		fputs("set logscale y\n", f);
	if (c->kind == CHART_BARS)
		plot_write_names(f, c);
	for (uint32_t i = 0; i < c->line_count; i++)
		plot_write_line(f, c, i);
	fputc('\n', f);
}

/* --- files --- */

static void plot_write_script(FILE *f, const struct chart *c)
{
	(void)c;
	fputs(asset_text("plots.py"), f);
}

static int report_write_file(const char *folder, const char *name, const char *end,
			     void (*write)(FILE *f, const struct chart *c), const struct chart *c,
			     struct weir_error *e)
{
	char *path = NULL;
	struct output o;
	int failed;

	text_print(&path, "%s/%s%s", folder, name, end);
	failed = output_open(&o, path, e);
	free(path);
	if (failed)
		return -1;
	write(o.stream, c);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

static int report_make_folder(const char *folder, struct weir_error *e)
{
	if (mkdir(folder, 0777) && errno != EEXIST)
		return weir_error_set(e, "%s: cannot be made: %s", folder, strerror(errno));
	return 0;
}

int report_svg(const char *folder, const struct report *r, struct weir_error *e)
{
	int failed = report_make_folder(folder, e);

	for (uint32_t i = 0; i < r->charts.count && !failed; i++) {
		const struct chart *c = &r->charts.all[i];

		failed = report_write_file(folder, c->id, ".svg", chart_svg, c, e);
	}
	return failed;
}

int report_plots(const char *folder, const struct report *r, struct weir_error *e)
{
	int failed = report_make_folder(folder, e);

	for (uint32_t i = 0; i < r->charts.count && !failed; i++) {
		const struct chart *c = &r->charts.all[i];

		failed = report_write_file(folder, c->id, ".dat", plot_write_data, c, e) ||
			 report_write_file(folder, c->id, ".gp", plot_write_gnuplot, c, e);
	}
	if (!failed)
		failed = report_write_file(folder, "plots.py", "", plot_write_script, NULL, e);
	return failed ? -1 : 0;
}
