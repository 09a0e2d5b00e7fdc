/* SPDX-License-Identifier: BSD-3-Clause */
/* report_plots.c -- the charts of a report for gnuplot and matplotlib: for each the numbers,
 * ID.dat, and a script, ID.gp, which writes ID.pdf; and plots.py, which draws all of them. */
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

static void write_number(FILE *f, double number)
{
	if (isfinite(number))
		fprintf(f, " %s", format_exact(number).text);
	else
		fputs(" nan", f);
}

/* Users' words, in the quotes of gnuplot and on a line of comment: neither has an end of line. */
static void write_words(FILE *f, const char *text, const char *escaped)
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

static void write_entry(FILE *f, const char *name, const char *text)
{
	fprintf(f, "# %s: ", name);
	write_words(f, text, "");
	fputc('\n', f);
}

/* A head of comments, then a block for each line: "x y low high", two empty lines between
 * blocks. */
static void write_data(FILE *f, const struct chart *c)
{
	static const char *const kinds[] = { "curves", "steps", "means", "bars" };

	write_entry(f, "title", c->title);
	write_entry(f, "variant", c->variant);
	write_entry(f, "x", c->x_label);
	write_entry(f, "y", c->y_label);
	fprintf(f, "# kind: %s\n# log-x: %d\n# log-y: %d\n", kinds[c->kind], c->log_x, c->log_y);
	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct chart_line *l = &c->lines[i];

		fputs(i ? "\n\n" : "", f);
		write_entry(f, "line", l->name);
		fprintf(f, "# style: %u\n", l->style);
		for (uint64_t k = 0; k < l->count; k++) {
			write_number(f, c->kind == CHART_BARS ? i : l->points[k].x);
			write_number(f, l->points[k].y);
			write_number(f, l->points[k].low);
			write_number(f, l->points[k].high);
			fputc('\n', f);
		}
	}
}

/* --- gnuplot --- */

static const char *colour_of(const struct chart_line *l)
{
	return chart_colours[l->style % CHART_COLOURS];
}

static uint32_t dash_of(const struct chart_line *l)
{
	return 1 + (l->style + l->style / CHART_COLOURS) % GNUPLOT_DASHES;
}

/* What a line looks like: as in chart_svg.c those of one colour differ in their dashes and
 * marks. */
static void write_style(FILE *f, const struct chart_line *l, enum chart_kind kind)
{
	static const int fills[] = { 3, 4, 1, 5, 2, 7 };
	const uint32_t shape = l->style + l->style / CHART_COLOURS;
	const uint64_t every = kind == CHART_MEANS ? 1 : 1 + l->count / MARKS_A_LINE;

	fprintf(f, " lc rgb \"%s\" lw 1.5", colour_of(l));
	if (kind == CHART_BARS) {
		fprintf(f, " fs pattern %d border lc rgb \"%s\"",
			fills[l->style % (sizeof(fills) / sizeof(fills[0]))], colour_of(l));
		return;
	}
	fprintf(f, " dt %u", dash_of(l));
	if (kind != CHART_STEPS)
		fprintf(f, " pt %u pi %" PRIu64, 1 + shape % GNUPLOT_MARKS, every);
}

static void write_set(FILE *f, const char *what, const char *text)
{
	fprintf(f, "set %s \"", what);
	write_words(f, text, "\"\\");
	fputs("\" noenhanced\n", f);
}

static void write_title(FILE *f, const struct chart *c)
{
	char *title = NULL;

	text_print(&title, c->variant[0] ? "%s, %s" : "%s", c->title, c->variant);
	write_set(f, "title", title);
	free(title);
}

static void write_names(FILE *f, const struct chart *c)
{
	fputs("set xtics rotate by -30 noenhanced (", f);
	for (uint32_t i = 0; i < c->line_count; i++) {
		fputs(i ? ", \"" : "\"", f);
		write_words(f, c->lines[i].name, "\"\\");
		fprintf(f, "\" %u", i);
	}
	fprintf(f, ")\nset xrange [-0.6:%u.6]\nset yrange [0:]\n", c->line_count - 1);
}

static int has_intervals(const struct chart_line *l)
{
	for (uint64_t i = 0; i < l->count; i++)
		if (isfinite(l->points[i].low) && isfinite(l->points[i].high))
			return 1;
	return 0;
}

/* Boxes have names on the axis and lines a title. Intervals are drawn apart: a box or a point
 * without one would be left out otherwise. (yerrorbars would leave a hole where the point is.) */
static void plot_line(FILE *f, const struct chart *c, uint32_t i)
{
	static const char *const styles[] = { "linespoints", "steps", "linespoints", "boxes" };
	const struct chart_line *l = &c->lines[i];

	fprintf(f, "%s\"%s.dat\" index %u using 1:2 with %s", i ? ", \\\n\t" : "plot ", c->id, i,
		styles[c->kind]);
	write_style(f, l, c->kind);
	fputs(c->kind == CHART_BARS ? " notitle" : " title \"", f);
	if (c->kind != CHART_BARS) {
		write_words(f, l->name, "\"\\");
		fputc('"', f);
	}
	if (has_intervals(l))
		fprintf(f,
			", \\\n\t\"%s.dat\" index %u using 1:2:3:4 with yerrorlines lc rgb \"%s\" "
			"dt %u ps 0 notitle",
			c->id, i, c->kind == CHART_BARS ? "black" : colour_of(l),
			c->kind == CHART_BARS ? 1 : dash_of(l));
}

static void write_gnuplot(FILE *f, const struct chart *c)
{
	fprintf(f,
		"# gnuplot %s.gp writes %s.pdf; for something else set own_terminal:\n"
		"# gnuplot -e 'own_terminal = 1; set terminal svg; set output \"%s.svg\"' %s.gp\n"
		"if (!exists(\"own_terminal\")) {\n"
		"\tset terminal pdfcairo size 16cm,10cm font \",11\"\n"
		"\tset output \"%s.pdf\"\n}\n",
		c->id, c->id, c->id, c->id, c->id);
	write_title(f, c);
	write_set(f, "xlabel", c->x_label);
	write_set(f, "ylabel", c->y_label);
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
		write_names(f, c);
	for (uint32_t i = 0; i < c->line_count; i++)
		plot_line(f, c, i);
	fputc('\n', f);
}

/* --- files --- */

static int write_file(const char *folder, const char *name, const char *end, const struct chart *c,
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
	if (!c)
		fputs(page_asset("plots.py"), o.stream);
	else if (strcmp(end, ".dat") == 0)
		write_data(o.stream, c);
	else
		write_gnuplot(o.stream, c);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

int report_plots(const char *folder, const struct report *r, struct weir_error *e)
{
	if (mkdir(folder, 0777) && errno != EEXIST)
		return weir_error_set(e, "%s: cannot be made: %s", folder, strerror(errno));
	for (uint32_t i = 0; i < r->charts.count; i++) {
		const struct chart *c = &r->charts.all[i];

		if (write_file(folder, c->id, ".dat", c, e) ||
		    write_file(folder, c->id, ".gp", c, e))
			return -1;
	}
	return write_file(folder, "plots.py", "", NULL, e);
}
