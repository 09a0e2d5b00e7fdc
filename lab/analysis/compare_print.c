/* SPDX-License-Identifier: BSD-3-Clause */
/* compare_print.c -- prints a comparison as aligned columns, split into tables that fit the width;
 * or as CSV. */
#include "lab/analysis/compare_format.h"
#include "base/text.h"
#include "lab/scenario/sections.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 60, INDENT = 2 };

/* --- settings, on the left --- */

static const char *axis_title(const struct comparison *c, uint32_t axis)
{
	const char *path = c->axes[axis].path, *key = section_key_of(path);

	for (uint32_t i = 0; i < c->axis_count; i++)
		if (i != axis && strcmp(section_key_of(c->axes[i].path), key) == 0)
			return path;
	return key;
}

static int axis_width(const struct comparison *c, uint32_t axis)
{
	int width = screen_width(axis_title(c, axis));

	for (uint32_t i = 0; i < c->axes[axis].value_count; i++)
		width = larger(width, screen_width(c->axes[axis].labels[i]));
	return width > LABEL_MAX ? LABEL_MAX : width;
}

static int comparison_has_port_columns(const struct comparison *c)
{
	for (uint32_t k = 0; k < c->column_count; k++)
		if (column_kind(&c->columns[k]) == METRIC_PORT)
			return 1;
	return 0;
}

/* Width of a fact between settings and metrics; 0: not shown. */
static int fact_width(const struct comparison *c, enum compare_fact fact)
{
	int width = screen_width(fact_title(fact));

	if (!fact_is_shown(c, fact) || (fact == FACT_PORT && !comparison_has_port_columns(c)))
		return 0;
	for (uint32_t i = 0; i < c->row_count; i++)
		width = larger(width, screen_width(fact_text(c, &c->rows[i], fact).text));
	return width;
}

/* Writes a line. Blanks are deferred so that no line ends with them. */
struct print_line {
	FILE *f;
	int blanks;
};

static void print_text(struct print_line *p, const char *text)
{
	if (*text == '\0')
		return;
	fprintf(p->f, "%*s%s", p->blanks, "", text);
	p->blanks = 0;
}

static void print_left(struct print_line *p, const char *text, int width)
{
	char part[LABEL_MAX * 4 + 1];
	int length = screen_width(text);

	if (length > width) { /* truncates; labels are ASCII */
		snprintf(part, sizeof(part), "%.*s~", width - 1, text);
		text = part;
		length = width;
	}
	print_text(p, text);
	p->blanks += width - length;
}

static void print_right(struct print_line *p, const char *text, int width)
{
	int length = screen_width(text);

	p->blanks += width > length ? width - length : 0;
	print_text(p, text);
}

static void print_end_line(struct print_line *p)
{
	fputc('\n', p->f);
	p->blanks = 0;
}

/* row NULL: the titles if is_last, blanks otherwise. */
static void print_labels(struct print_line *p, const struct comparison *c,
			 const struct compare_row *row, int last)
{
	for (uint32_t a = 0; a < c->axis_count; a++) {
		const char *text = row    ? c->axes[a].labels[row->value[a]]
				   : last ? axis_title(c, a)
					  : "";

		p->blanks += a ? GAP : 0;
		print_left(p, text, axis_width(c, a));
	}
}

/* Labels on a line of their own, followed by the facts of the row. */
static void print_tall_labels(struct print_line *p, const struct comparison *c,
			      const struct compare_row *row)
{
	for (uint32_t a = 0; a < c->axis_count; a++) {
		p->blanks += a ? GAP : 0;
		print_text(p, row ? c->axes[a].labels[row->value[a]] : axis_title(c, a));
	}
	for (int i = 0; i < FACTS; i++) {
		enum compare_fact fact = (enum compare_fact)i;

		if (!fact_width(c, fact))
			continue;
		p->blanks += GAP;
		print_text(p, row ? fact_text(c, row, fact).text : fact_title(fact));
	}
	print_end_line(p);
}

static int print_labels_width(const struct comparison *c)
{
	int width = 0;

	for (uint32_t a = 0; a < c->axis_count; a++)
		width += axis_width(c, a) + (a ? GAP : 0);
	return width;
}

/* --- tables --- */

/* A table of columns first to end, without the hidden ones. Only the first block shows facts. */
struct print_table {
	const struct comparison *c;
	const struct column_format *formats;
	uint32_t first, end;
	int fact_width[FACTS]; /* 0: not shown */
	int is_tall; /* 1: the terminal is too narrow for settings and numbers side by side */
};

/* Computes the width of each fact; returns the sum with gaps. */
static int print_measure_facts(struct print_table *b)
{
	int width = 0;

	for (int i = 0; i < FACTS; i++) {
		b->fact_width[i] = fact_width(b->c, (enum compare_fact)i);
		width += b->fact_width[i] ? GAP + b->fact_width[i] : 0;
	}
	return width;
}

/* row NULL as in print_labels. */
static void print_facts(struct print_line *p, const struct print_table *b,
			const struct compare_row *row, int last)
{
	for (int i = 0; i < FACTS && b->first == 0; i++) {
		enum compare_fact fact = (enum compare_fact)i;

		if (!b->fact_width[i])
			continue;
		p->blanks += GAP;
		print_right(p,
			    row    ? fact_text(b->c, row, fact).text
			    : last ? fact_title(fact)
				   : "",
			    b->fact_width[i]);
	}
}

static void print_left_side(struct print_line *p, const struct print_table *b,
			    const struct compare_row *row, int last)
{
	if (b->is_tall) {
		p->blanks += INDENT;
		return;
	}
	print_labels(p, b->c, row, last);
	print_facts(p, b, row, last);
}

static void print_head(struct print_line *p, const struct print_table *b, int line)
{
	if (b->is_tall && line == 0)
		print_tall_labels(p, b->c, NULL);
	print_left_side(p, b, NULL, line == 2);
	for (uint32_t k = b->first; k < b->end; k++) {
		const struct column_format *l = &b->formats[k];

		if (l->shown)
			print_right(p, line == 2 ? l->scale.label : l->title.part[line], l->width);
	}
	print_end_line(p);
}

static void print_row(struct print_line *p, const struct print_table *b,
		      const struct compare_row *row)
{
	char text[TEXT_SIZE];

	if (b->is_tall)
		print_tall_labels(p, b->c, row);
	print_left_side(p, b, row, 1);
	for (uint32_t k = b->first; k < b->end; k++) {
		const struct column_format *l = &b->formats[k];

		if (!l->shown)
			continue;
		print_right(p, column_mean(row, l, k, text),
			    GAP + l->mean_width - column_mark_room(row, l, k));
		p->blanks += column_mark_room(row, l, k);
		if (l->half_width) {
			p->blanks++;
			print_left(p, column_interval(row, l, k, text), l->half_width);
		}
	}
	print_end_line(p);
}

/* Has a column a title of two words? Otherwise the first line of heads would be empty. */
static int print_has_first_words(const struct print_table *b)
{
	for (uint32_t k = b->first; k < b->end; k++)
		if (b->formats[k].shown && b->formats[k].title.part[0][0])
			return 1;
	return b->is_tall;
}

static void print_table(FILE *f, const struct print_table *b)
{
	struct print_line p = { f, 0 };

	for (int line = print_has_first_words(b) ? 0 : 1; line < 3; line++)
		print_head(&p, b, line);
	for (uint32_t i = 0; i < b->c->row_count; i++)
		print_row(&p, b, &b->c->rows[i]);
}

static int print_last_rank(const struct comparison *c)
{
	int last = 0;

	for (uint32_t k = 0; k < c->column_count; k++)
		last = larger(last, c->columns[k].info->rank);
	return last;
}

/* Selects the columns that fit, by rank; returns how many are hidden. */
static uint32_t print_choose_columns(const struct comparison *c, struct column_format *formats,
				     int width)
{
	int last = print_last_rank(c), full = 0;
	uint32_t hidden = 0;

	for (uint32_t k = 0; k < c->column_count; k++) {
		hidden += (uint32_t)formats[k].shown;
		formats[k].shown = formats[k].shown ? -1 : 0; /* candidate */
	}
	for (int rank = 1; rank <= last && !full; rank++)
		for (uint32_t k = 0; k < c->column_count; k++) {
			if (formats[k].shown >= 0 || c->columns[k].info->rank != rank)
				continue;
			full = formats[k].width > width;
			if (full)
				break;
			width -= formats[k].width;
			formats[k].shown = 1;
			hidden--;
		}
	for (uint32_t k = 0; k < c->column_count; k++)
		formats[k].shown = formats[k].shown == 1;
	return hidden;
}

void comparison_print_line(FILE *f, int width, const char *line)
{
	int at = 0;

	while (*line) {
		size_t word = strcspn(line, " ");

		if (at > 0 && at + 1 + (int)word > width) {
			fputc('\n', f);
			at = 0;
		}
		at += fprintf(f, "%s%.*s", at ? " " : "", (int)word, line);
		line += word;
		line += strspn(line, " ");
	}
	fputc('\n', f);
}

/* Writes notes, wrapped at the table's width. */
struct note_writer {
	FILE *f;
	int width;
};

static void print_caveat(void *context, const char *line)
{
	const struct note_writer *n = context;

	comparison_print_line(n->f, n->width, line);
}

/* Explains intervals and marks, and lists the caveats. */
static void print_notes(FILE *f, const struct comparison *c, uint32_t hidden,
			const struct compare_layout *l)
{
	const char *mean = l->relative ? "Geometric mean" : "Mean";
	struct note_writer notes = { f, l->width };
	uint32_t least = UINT32_MAX, most = 0;
	char line[320];

	for (uint32_t i = 0; i < c->row_count; i++) {
		uint32_t count = c->rows[i].run_count;

		least = count < least ? count : least;
		most = count > most ? count : most;
	}
	snprintf(line, sizeof(line), "%s of %u%s%.0u runs and its 95 %% confidence interval.", mean,
		 least, least < most ? " to " : "", least < most ? most : 0);
	if (most > 1)
		print_caveat(&notes, line);
	else if (c->row_count > 1 && !l->all)
		print_caveat(&notes, "One run per row: no confidence interval. For intervals list "
				     "seeds in [sweep]: seed = 1..5.");
	comparison_caveats(c, &(struct line_sink){ print_caveat, &notes });
	snprintf(line, sizeof(line), "Runs of one row differ in %s.", c->mixed);
	if (c->mixed[0])
		print_caveat(&notes, line);
	snprintf(line, sizeof(line), "%u more column%s: weir table --wide, or --metric NAME.",
		 hidden, hidden == 1 ? "" : "s");
	if (hidden)
		print_caveat(&notes, line);
}

/* Is there a visible column that does not fit beside the settings? Of the columns that may be
 * hidden, only those of the first rank must fit. */
static int print_is_too_narrow(const struct comparison *c, const struct column_format *formats,
			       int width, int all)
{
	int last = print_last_rank(c);

	for (uint32_t k = 0; k < c->column_count && all; k++)
		if (formats[k].shown && formats[k].width > width)
			return 1;
	for (int rank = 1; rank <= last && !all; rank++)
		for (uint32_t k = 0; k < c->column_count; k++)
			if (formats[k].shown && c->columns[k].info->rank == rank)
				return formats[k].width > width;
	return 0;
}

void comparison_print(FILE *f, const struct comparison *c, const struct compare_layout *l)
{
	struct column_format *formats = memory_zeroed(c->column_count, sizeof(*formats));
	struct print_table b = { .c = c, .formats = formats };
	uint32_t hidden = 0;
	int labels = print_labels_width(c), facts = print_measure_facts(&b), used;

	for (uint32_t k = 0; k < c->column_count; k++)
		column_format_init(&formats[k], c, k, l->relative ? FORM_RATIOS : FORM_NUMBERS);
	b.is_tall = print_is_too_narrow(c, formats, l->width - labels - facts, l->all);
	if (b.is_tall) {
		labels = INDENT;
		facts = 0;
	}
	if (!l->all)
		hidden = print_choose_columns(c, formats, l->width - labels - facts);
	while (b.first < c->column_count) {
		int left = labels + (b.first ? 0 : facts);

		used = left;
		for (b.end = b.first; b.end < c->column_count; b.end++) {
			int width = formats[b.end].shown ? formats[b.end].width : 0;

			if (used > left && used + width > l->width)
				break;
			used += width;
		}
		if (b.first > 0 && used > left)
			fputc('\n', f);
		if (used > left || b.first == 0)
			print_table(f, &b);
		b.first = b.end;
	}
	print_notes(f, c, hidden, l);
	free(formats);
}

/* --- CSV: all columns, all digits, in the base units of the metrics --- */

static void comparison_csv_head(FILE *f, const struct comparison *c)
{
	for (uint32_t a = 0; a < c->axis_count; a++) {
		csv_write_text(f, c->axes[a].path);
		fputc(',', f);
	}
	fputs("runs", f);
	if (c->flows)
		fputs(",flows,flows_unfinished", f);
	for (uint32_t k = 0; k < c->column_count; k++)
		fprintf(f, ",%s,%s_low,%s_high,%s_runs", c->columns[k].name, c->columns[k].name,
			c->columns[k].name, c->columns[k].name);
	fputc('\n', f);
}

static void comparison_csv_flows(FILE *f, const struct comparison *c, const struct compare_row *row)
{
	struct compare_flows flows = comparison_flows_of_row(c, row);

	csv_write_number(f, (double)flows.counted[CLASS_ALL]);
	csv_write_number(f, (double)flows.unfinished);
}

void comparison_csv(FILE *f, const struct comparison *c)
{
	comparison_csv_head(f, c);
	for (uint32_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];

		for (uint32_t a = 0; a < c->axis_count; a++) {
			csv_write_text(f, c->axes[a].values[row->value[a]]);
			fputc(',', f);
		}
		fprintf(f, "%u", row->run_count);
		if (c->flows)
			comparison_csv_flows(f, c, row);
		for (uint32_t k = 0; k < c->column_count; k++) {
			csv_write_number(f, row->cells[k].mean);
			csv_write_number(f, row->cells[k].low);
			csv_write_number(f, row->cells[k].high);
			csv_write_number(f, row->cells[k].count);
		}
		fputc('\n', f);
	}
}
