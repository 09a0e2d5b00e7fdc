/* compare_print.c -- a comparison as aligned columns, in tables that are no wider than a line.
 *
 * A column has one unit, which its smallest value suits; a cell has four digits. */
#include "lab/compare/compare.h"
#include "sim/base/memory.h"
#include "weir/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 64, LABEL_MAX = 60, GAP = 2 };

/* What people look at first, most wanted first; shown in the order of the comparison. */
static const char *const wanted[] = {
	"fct_mean_ns",
	"fct_p99_ns",
	"fct_small_p99_ns",
	"queue_mean_pkts",
	"network_queue_mean_pkts",
	"goodput_bps",
	"drops",
	"fct_large_mean_ns",
	"timeouts",
	"queue_p99_pkts",
	"fct_small_mean_ns",
	"mark_fraction",
	"slowdown_mean",
	"fct_medium_mean_ns",
	"slowdown_p99",
	NULL,
};

struct scale {
	double factor;
	const char *unit;
};

static const struct scale times[] = { { 1, "ns" },
				      { WEIR_NS_PER_US, "us" },
				      { WEIR_NS_PER_MS, "ms" },
				      { WEIR_NS_PER_S, "s" },
				      { 0, NULL } };
static const struct scale rates[] = { { 1, "b/s" },    { 1e3, "Kb/s" },  { 1e6, "Mb/s" },
				      { 1e9, "Gb/s" }, { 1e12, "Tb/s" }, { 0, NULL } };
static const struct scale sizes[] = {
	{ 1, "B" }, { 1e3, "KB" }, { 1e6, "MB" }, { 1e9, "GB" }, { 0, NULL }
};
static const struct scale seconds[] = { { 1, "s" }, { 0, NULL } };
static const struct scale packets[] = { { 1, "pkts" }, { 0, NULL } };
static const struct scale fractions[] = { { 0.01, "%" }, { 0, NULL } };
static const struct scale plain[] = { { 1, "" }, { 0, NULL } };

/* How a column is shown. */
struct look {
	struct scale scale;
	char title[2][TEXT_SIZE];   /* "FCT small", "p99" */
	int mean_width, half_width; /* half 0: there is none */
	int width;                  /* of all of it */
	int shown;
	int is_marked; /* some of its numbers are not what they seem */
};

static int is_fraction(const char *name)
{
	return strstr(name, "fraction") != NULL || strcmp(name, "utilisation") == 0;
}

static const struct scale *scales_of(const struct compare_column *k, int relative)
{
	static const struct {
		const char *unit;
		const struct scale *scales;
	} all[] = { { "ns", times },
		    { "bps", rates },
		    { "bytes", sizes },
		    { "s", seconds },
		    { "pkts", packets } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].unit, k->unit) == 0)
			return all[i].scales;
	return !relative && is_fraction(k->name) ? fractions : plain;
}

/* The largest unit in which the smallest value is at least one. */
static struct scale choose_scale(const struct comparison *c, uint32_t column, int relative)
{
	const struct scale *s = scales_of(&c->columns[column], relative);
	double smallest = INFINITY;

	for (uint32_t i = 0; i < c->row_count; i++) {
		double x = fabs(c->rows[i].cells[column].mean);

		if (x > 0 && x < smallest)
			smallest = x;
	}
	while (s[1].unit && isfinite(smallest) && smallest >= s[1].factor)
		s++;
	return *s;
}

/* --- texts --- */

/* "fct_small_p999_ns" becomes "FCT small" and "p99.9". */
static void make_title(struct look *l, const struct compare_column *k)
{
	static const char *const units[] = { "_ns", "_bps", "_pkts", "_bytes" };
	char text[TEXT_SIZE], *last;

	snprintf(text, sizeof(text), "%s", k->name);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		last = strstr(text, units[i]);
		if (last && strcmp(last, units[i]) == 0)
			*last = '\0';
	}
	for (char *at = text; *at; at++)
		*at = *at == '_' ? ' ' : *at;
	last = strstr(text, "over 1mb");
	if (last) {
		memcpy(last, ">1MB", 4);
		memmove(last + 4, last + 8, strlen(last + 8) + 1);
	}
	if (strncmp(text, "fct", 3) == 0)
		memcpy(text, "FCT", 3);
	last = strrchr(text, ' ');
	if (last)
		*last++ = '\0';
	snprintf(l->title[0], sizeof(l->title[0]), "%s", last ? text : "");
	snprintf(l->title[1], sizeof(l->title[1]), "%s",
		 !last                       ? text
		 : strcmp(last, "p999") == 0 ? "p99.9"
					     : last);
}

/* Decimals that make four digits. */
static int decimals_of(double x)
{
	x = fabs(x);
	return !isfinite(x) || x == floor(x) ? 0
	       : x < 9.9995                  ? 3
	       : x < 99.995                  ? 2
	       : x < 999.95                  ? 1
					     : 0;
}

static const char *mean_text(const struct compare_row *row, const struct look *l, uint32_t column,
			     char *text)
{
	const struct compare_cell *cell = &row->cells[column];
	double x = cell->mean / l->scale.factor;

	if (isnan(x))
		snprintf(text, TEXT_SIZE, "-");
	else
		snprintf(text, TEXT_SIZE, "%.*f%s", decimals_of(x), x, cell_mark(row, cell));
	return text;
}

/* Room for the mark that other numbers of the column have, but this one has not. */
static int mark_room(const struct compare_row *row, const struct look *l, uint32_t column)
{
	return l->is_marked && !*cell_mark(row, &row->cells[column]);
}

static int interval_decimals(double x)
{
	return x == 0 ? 0 : x < 10 ? 2 : x < 100 ? 1 : 0;
}

/* "±0.35"; of a ratio both ends, "3.21..64.3", as it is longer on one side. */
static const char *interval_text(const struct compare_row *row, const struct look *l,
				 uint32_t column, char *text)
{
	const struct compare_cell *cell = &row->cells[column];
	double x = cell->half / l->scale.factor;

	text[0] = '\0';
	if (!isnan(x))
		snprintf(text, TEXT_SIZE, "\xc2\xb1%.*f", interval_decimals(x), x);
	else if (cell->low < cell->high)
		snprintf(text, TEXT_SIZE, "%.*f..%.*f", interval_decimals(cell->low), cell->low,
			 interval_decimals(cell->high), cell->high);
	return text;
}

/* Columns on a screen: UTF-8 has bytes that take none. */
static int screen_width(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static void make_look(struct look *l, const struct comparison *c, uint32_t column, int relative)
{
	char text[TEXT_SIZE];

	memset(l, 0, sizeof(*l));
	l->scale = choose_scale(c, column, relative);
	make_title(l, &c->columns[column]);
	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct compare_cell *cell = &c->rows[i].cells[column];

		l->shown |= !isnan(cell->mean);
		l->is_marked |= *cell_mark(&c->rows[i], cell) != '\0';
	}
	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		l->mean_width =
			larger(l->mean_width, screen_width(mean_text(row, l, column, text)) +
						      mark_room(row, l, column));
		l->half_width =
			larger(l->half_width, screen_width(interval_text(row, l, column, text)));
	}
	for (int i = 0; i < 2; i++)
		l->mean_width =
			larger(l->mean_width,
			       screen_width(l->title[i]) - (l->half_width ? l->half_width + 1 : 0));
	l->mean_width = larger(l->mean_width, screen_width(l->scale.unit));
	l->width = GAP + l->mean_width + (l->half_width ? l->half_width + 1 : 0);
}

/* --- the settings on the left --- */

static const char *axis_title(const struct comparison *c, uint32_t axis)
{
	const char *path = c->axes[axis].path, *dot = strrchr(path, '.');
	const char *key = dot ? dot + 1 : path;

	for (uint32_t i = 0; i < c->axis_count; i++) {
		const char *other = strrchr(c->axes[i].path, '.');

		if (i != axis && strcmp(other ? other + 1 : c->axes[i].path, key) == 0)
			return path;
	}
	return key;
}

static int axis_width(const struct comparison *c, uint32_t axis)
{
	int width = screen_width(axis_title(c, axis));

	for (uint32_t i = 0; i < c->axes[axis].value_count; i++)
		width = larger(width, screen_width(c->axes[axis].labels[i]));
	return width > LABEL_MAX ? LABEL_MAX : width;
}

static int has_port_columns(const struct comparison *c)
{
	for (uint32_t k = 0; k < c->column_count; k++)
		if (column_kind(&c->columns[k]) == METRIC_PORT)
			return 1;
	return 0;
}

/* What is said of a row between its settings and its numbers; 0: it is not shown. */
static int fact_width(const struct comparison *c, enum compare_fact fact)
{
	int width = screen_width(fact_title(fact));

	if (!fact_is_shown(c, fact) || (fact == FACT_PORT && !has_port_columns(c)))
		return 0;
	for (uint32_t i = 0; i < c->row_count; i++)
		width = larger(width, screen_width(fact_text(c, &c->rows[i], fact).text));
	return width;
}

/* Writes a line; blanks wait until something follows them. */
struct pen {
	FILE *f;
	int blanks;
};

static void put(struct pen *p, const char *text)
{
	if (*text == '\0')
		return;
	fprintf(p->f, "%*s%s", p->blanks, "", text);
	p->blanks = 0;
}

static void put_left(struct pen *p, const char *text, int width)
{
	char part[LABEL_MAX * 4 + 1];
	int length = screen_width(text);

	if (length > width) { /* cut; labels are plain text */
		snprintf(part, sizeof(part), "%.*s~", width - 1, text);
		text = part;
		length = width;
	}
	put(p, text);
	p->blanks += width - length;
}

static void put_right(struct pen *p, const char *text, int width)
{
	int length = screen_width(text);

	p->blanks += width > length ? width - length : 0;
	put(p, text);
}

static void end_line(struct pen *p)
{
	fputc('\n', p->f);
	p->blanks = 0;
}

/* row NULL: the titles where last, blanks where not. */
static void put_labels(struct pen *p, const struct comparison *c, const struct compare_row *row,
		       int last)
{
	for (uint32_t a = 0; a < c->axis_count; a++) {
		const char *text = row    ? c->axes[a].labels[row->value[a]]
				   : last ? axis_title(c, a)
					  : "";

		p->blanks += a ? GAP : 0;
		put_left(p, text, axis_width(c, a));
	}
}

static int labels_width(const struct comparison *c)
{
	int width = 0;

	for (uint32_t a = 0; a < c->axis_count; a++)
		width += axis_width(c, a) + (a ? GAP : 0);
	return width;
}

/* --- tables --- */

/* Columns first to end, but for those that are not shown. Facts are in the first block alone. */
struct block {
	const struct comparison *c;
	const struct look *looks;
	uint32_t first, end;
	int fact_width[FACTS]; /* 0: it is not shown */
};

/* Of all facts and the gaps before them; computes those of each. */
static int measure_facts(struct block *b)
{
	int width = 0;

	for (int i = 0; i < FACTS; i++) {
		b->fact_width[i] = fact_width(b->c, (enum compare_fact)i);
		width += b->fact_width[i] ? GAP + b->fact_width[i] : 0;
	}
	return width;
}

/* As put_labels. */
static void put_facts(struct pen *p, const struct block *b, const struct compare_row *row, int last)
{
	for (int i = 0; i < FACTS && b->first == 0; i++) {
		enum compare_fact fact = (enum compare_fact)i;

		if (!b->fact_width[i])
			continue;
		p->blanks += GAP;
		put_right(p,
			  row    ? fact_text(b->c, row, fact).text
			  : last ? fact_title(fact)
				 : "",
			  b->fact_width[i]);
	}
}

static void print_head(struct pen *p, const struct block *b, int line)
{
	put_labels(p, b->c, NULL, line == 2);
	put_facts(p, b, NULL, line == 2);
	for (uint32_t k = b->first; k < b->end; k++) {
		const struct look *l = &b->looks[k];

		if (l->shown)
			put_right(p, line == 2 ? l->scale.unit : l->title[line], l->width);
	}
	end_line(p);
}

static void print_row(struct pen *p, const struct block *b, const struct compare_row *row)
{
	char text[TEXT_SIZE];

	put_labels(p, b->c, row, 1);
	put_facts(p, b, row, 1);
	for (uint32_t k = b->first; k < b->end; k++) {
		const struct look *l = &b->looks[k];

		if (!l->shown)
			continue;
		put_right(p, mean_text(row, l, k, text),
			  GAP + l->mean_width - mark_room(row, l, k));
		p->blanks += mark_room(row, l, k);
		if (l->half_width) {
			p->blanks++;
			put_left(p, interval_text(row, l, k, text), l->half_width);
		}
	}
	end_line(p);
}

static void print_block(FILE *f, const struct block *b)
{
	struct pen p = { f, 0 };

	for (int line = 0; line < 3; line++)
		print_head(&p, b, line);
	for (uint32_t i = 0; i < b->c->row_count; i++)
		print_row(&p, b, &b->c->rows[i]);
}

/* Shows the most wanted columns that fit; returns how many others there are. */
static uint32_t choose_shown(const struct comparison *c, struct look *looks, int room)
{
	uint32_t hidden = 0;
	int full = 0;

	for (uint32_t k = 0; k < c->column_count; k++) {
		hidden += (uint32_t)looks[k].shown;
		looks[k].shown = looks[k].shown ? -1 : 0; /* could be */
	}
	for (size_t i = 0; wanted[i] && !full; i++)
		for (uint32_t k = 0; k < c->column_count; k++) {
			if (looks[k].shown >= 0 || strcmp(c->columns[k].name, wanted[i]) != 0)
				continue;
			full = looks[k].width > room;
			if (full)
				break;
			room -= looks[k].width;
			looks[k].shown = 1;
			hidden--;
		}
	for (uint32_t k = 0; k < c->column_count; k++)
		looks[k].shown = looks[k].shown == 1;
	return hidden;
}

static void print_caveat(void *context, const char *line)
{
	fprintf(context, "%s\n", line);
}

/* Says what a number with an interval is, and what to know of it. */
static void print_notes(FILE *f, const struct comparison *c, uint32_t hidden, int relative)
{
	const char *mean = relative ? "Geometric mean" : "Mean";
	uint32_t least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < c->row_count; i++) {
		uint32_t count = c->rows[i].run_count;

		least = count < least ? count : least;
		most = count > most ? count : most;
	}
	if (most > 1 && least == most)
		fprintf(f, "%s of %u runs and its 95 %% confidence interval.\n", mean, most);
	else if (most > 1)
		fprintf(f, "%s of %u to %u runs and its 95 %% confidence interval.\n", mean, least,
			most);
	comparison_caveats(c, print_caveat, f);
	if (c->mixed[0])
		fprintf(f, "Runs of one row differ in %s.\n", c->mixed);
	if (hidden)
		fprintf(f, "%u more column%s: weir table --wide, or --metric NAME.\n", hidden,
			hidden == 1 ? "" : "s");
}

void comparison_print(FILE *f, const struct comparison *c, const struct compare_layout *l)
{
	struct look *looks = memory_zeroed(c->column_count, sizeof(*looks));
	struct block b = { .c = c, .looks = looks };
	uint32_t hidden = 0;
	int labels = labels_width(c), facts = measure_facts(&b), used;

	for (uint32_t k = 0; k < c->column_count; k++)
		make_look(&looks[k], c, k, l->relative);
	if (!l->all)
		hidden = choose_shown(c, looks, l->width - labels - facts);
	while (b.first < c->column_count) {
		int left = labels + (b.first ? 0 : facts);

		used = left;
		for (b.end = b.first; b.end < c->column_count; b.end++) {
			int width = looks[b.end].shown ? looks[b.end].width : 0;

			if (used > left && used + width > l->width)
				break;
			used += width;
		}
		if (b.first > 0 && used > left)
			fputc('\n', f);
		if (used > left || b.first == 0)
			print_block(f, &b);
		b.first = b.end;
	}
	print_notes(f, c, hidden, l->relative);
	free(looks);
}
