/* report_plots.c -- the charts of a report for gnuplot and matplotlib: for each the numbers, ID.dat, and a script,
 * ID.gp; and plots.py, which draws all of them. */
#define _POSIX_C_SOURCE 200809L
#include "lab/base/output.h"
#include "lab/report/report.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_number(FILE *f, double number)
{
	if (isfinite(number))
		fprintf(f, " %s", exact_number(number).text);
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

/* A head of comments, then a block for each line: "x y low high", two empty lines between blocks. */
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
		for (uint64_t k = 0; k < l->count; k++) {
			write_number(f, c->kind == CHART_BARS ? i : l->points[k].x);
			write_number(f, l->points[k].y);
			write_number(f, l->points[k].low);
			write_number(f, l->points[k].high);
			fputc('\n', f);
		}
	}
}

static void write_set(FILE *f, const char *what, const char *text)
{
	fprintf(f, "set %s \"", what);
	write_words(f, text, "\"\\");
	fputs("\" noenhanced\n", f);
}

static void write_gnuplot(FILE *f, const struct chart *c)
{
	static const char *const styles[] = { "linespoints", "steps", "yerrorlines", "boxes" };

	fprintf(f, "# gnuplot -e 'set terminal pdf; set output \"%s.pdf\"' %s.gp\n", c->id, c->id);
	write_set(f, "title", c->title);
	write_set(f, "xlabel", c->x_label);
	write_set(f, "ylabel", c->y_label);
	fputs("set key outside noenhanced\nset boxwidth 0.7\nset style fill pattern\n", f);
	if (c->log_x)
		fputs("set logscale x\n", f);
	if (c->log_y)
		fputs("set logscale y\n", f);
	fputs("plot", f);
	for (uint32_t i = 0; i < c->line_count; i++) {
		fprintf(f, "%s \"%s.dat\" index %u using %s with %s title \"", i ? ", \\\n\t" : "",
			c->id, i, c->kind == CHART_MEANS ? "1:2:3:4" : "1:2", styles[c->kind]);
		write_words(f, c->lines[i].name, "\"\\");
		fputc('"', f);
	}
	fputc('\n', f);
}

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
