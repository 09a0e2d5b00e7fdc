/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c -- tables of runs as frames (weir/lab.h). The statistics are those of
 * lab/analysis/compare.h, the answer that of lab/analysis/answer.h; nothing is computed here. */
#define _POSIX_C_SOURCE 200809L
#include "lab/api/frame.h"
#include "lab/api/results.h"
#include "base/memory.h"
#include "base/text.h"
#include "lab/analysis/answer.h"
#include "lab/analysis/compare.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_TEXT_WIDTH = 100 };

/* --- frame --- */

/* The columns of a metric, in this order. */
enum cell_column { CELL_MEAN, CELL_LOW, CELL_HIGH, CELL_RUNS, CELL_MARK, CELL_COLUMNS };

static const struct {
	const char *suffix;
	enum weir_column_type type;
} cell_columns[CELL_COLUMNS] = {
	[CELL_MEAN] = { "", WEIR_COLUMN_REAL },      [CELL_LOW] = { "_low", WEIR_COLUMN_REAL },
	[CELL_HIGH] = { "_high", WEIR_COLUMN_REAL }, [CELL_RUNS] = { "_runs", WEIR_COLUMN_INTEGER },
	[CELL_MARK] = { "_mark", WEIR_COLUMN_TEXT },
};

static void frame_add_suffixed(struct weir_frame *frame, const char *name, const char *suffix,
			       const char *unit, enum weir_column_type type)
{
	char *whole = NULL;

	text_print(&whole, "%s%s", name, suffix);
	frame_add_column(frame, whole, unit, type);
	free(whole);
}

static void table_add_columns(struct weir_frame *frame, const struct comparison *c)
{
	for (uint32_t a = 0; a < c->axis_count; a++) {
		frame_add_column(frame, c->axes[a].path, "", WEIR_COLUMN_TEXT);
		frame_add_suffixed(frame, c->axes[a].path, "_label", "", WEIR_COLUMN_TEXT);
	}
	frame_add_column(frame, "runs", "", WEIR_COLUMN_INTEGER);
	if (c->flows) {
		frame_add_column(frame, "flows", "", WEIR_COLUMN_INTEGER);
		frame_add_column(frame, "flows_unfinished", "", WEIR_COLUMN_INTEGER);
	}
	for (uint32_t k = 0; k < c->column_count; k++)
		for (int i = 0; i < CELL_COLUMNS; i++)
			frame_add_suffixed(frame, c->columns[k].name, cell_columns[i].suffix,
					   i < CELL_RUNS ? c->columns[k].unit : "",
					   cell_columns[i].type);
}

static void table_add_cell(struct weir_frame *frame, uint32_t column, const struct compare_row *row,
			   const struct compare_cell *cell)
{
	frame_set_real(frame, column + CELL_MEAN, cell->mean);
	frame_set_real(frame, column + CELL_LOW, cell->low);
	frame_set_real(frame, column + CELL_HIGH, cell->high);
	frame_set_integer(frame, column + CELL_RUNS, cell->count);
	frame_set_text(frame, column + CELL_MARK, cell_mark(row, cell));
}

static void table_add_row(struct weir_frame *frame, const struct comparison *c,
			  const struct compare_row *row)
{
	uint32_t column = 0;

	frame_add_row(frame);
	for (uint32_t a = 0; a < c->axis_count; a++) {
		frame_set_text(frame, column++, c->axes[a].values[row->value[a]]);
		frame_set_text(frame, column++, c->axes[a].labels[row->value[a]]);
	}
	frame_set_integer(frame, column++, row->run_count);
	if (c->flows) {
		struct compare_flows sum = comparison_flows_of_row(c, row);

		frame_set_integer(frame, column++, (int64_t)sum.counted[CLASS_ALL]);
		frame_set_integer(frame, column++, (int64_t)sum.unfinished);
	}
	for (uint32_t k = 0; k < c->column_count; k++, column += CELL_COLUMNS)
		table_add_cell(frame, column, row, &row->cells[k]);
}

/* --- text --- */

/* A text that is written like a file. */
struct text_stream {
	FILE *f;
	char *text;
	size_t length;
};

static void text_stream_open(struct text_stream *s)
{
	s->text = NULL;
	s->f = open_memstream(&s->text, &s->length);
	if (!s->f)
		memory_refused(sizeof(*s->f));
}

static char *text_stream_close(struct text_stream *s)
{
	if (fclose(s->f))
		memory_refused(s->length);
	return s->text;
}

static void text_stream_add_line(void *context, const char *line)
{
	const struct text_stream *s = context;

	fprintf(s->f, "%s\n", line);
}

static char *table_text(const struct comparison *c, const struct weir_table_request *q)
{
	const struct compare_layout layout = {
		.width = q->width ? (int)q->width : TABLE_TEXT_WIDTH,
		.all = q->metric_count > 0,
		.relative = q->normalize_to != NULL,
	};
	struct text_stream s;

	text_stream_open(&s);
	comparison_print(s.f, c, &layout);
	return text_stream_close(&s);
}

/* NULL: the store cannot be read. */
static char *table_answer(const struct comparison *c, struct store *store, const char *baseline,
			  struct weir_error *e)
{
	struct text_stream s;
	const struct line_sink sink = { text_stream_add_line, &s };
	char *text;
	int failed;

	text_stream_open(&s);
	failed = answer_write(c, store, baseline, &sink, e);
	text = text_stream_close(&s);
	if (!failed)
		return text;
	free(text);
	return NULL;
}

/* --- entry points --- */

/* Is the table of the runs that were there when the folder was opened? */
static int table_has_runs(const struct comparison *c, const struct weir_results *r)
{
	int same = c->runs.count == r->runs.count;

	for (uint32_t i = 0; i < c->runs.count && same; i++)
		same = c->runs.runs[i].id == r->runs.runs[i].id &&
		       strcmp(c->runs.runs[i].key, r->runs.runs[i].key) == 0;
	return same;
}

int weir_results_table(struct weir_results *results, const struct weir_table_request *q,
		       struct weir_table **table, struct weir_error *e)
{
	int is_whole = q->by_count + q->metric_count == 0;
	const struct compare_request request = { .by_count = q->by_count,
						 .metric_count = q->metric_count,
						 .by = q->by,
						 .metrics = q->metrics,
						 .normalize_to = q->normalize_to,
						 .sort = q->sort,
						 .sizes = q->sizes,
						 .same = is_whole ? ROWS_JOINED : ROWS_APART,
						 .scope = results->scope };
	struct comparison c;
	struct store *store;
	char *answer = NULL;

	if (store_open(&store, results->folder, STORE_READ, e))
		return -1;
	if (comparison_make(&c, store, &request, e)) {
		store_close(store);
		return -1;
	}
	if (!table_has_runs(&c, results))
		results_changed(results, e);
	else
		answer = is_whole ? table_answer(&c, store, q->normalize_to, e) : text_copy("");
	store_close(store);
	if (answer) {
		*table = memory_zeroed(1, sizeof(**table));
		(*table)->frame = frame_new();
		(*table)->text = table_text(&c, q);
		(*table)->answer = answer;
		table_add_columns((*table)->frame, &c);
		for (uint32_t i = 0; i < c.row_count; i++)
			table_add_row((*table)->frame, &c, &c.rows[i]);
	}
	comparison_free(&c);
	return answer ? 0 : -1;
}

void weir_table_free(struct weir_table *table)
{
	if (!table)
		return;
	weir_frame_free(table->frame);
	free(table->text);
	free(table->answer);
	free(table);
}
