/* SPDX-License-Identifier: BSD-3-Clause */
/* results.c -- the runs of a result folder, and the rows of its tables, as frames (weir/lab.h). The
 * columns are those of the CSV files (lab/store/export.c), from the same table. */
#include "lab/api/results.h"
#include "lab/api/frame.h"
#include "base/memory.h"
#include "base/text.h"
#include "lab/store/flow_metric.h"
#include "lab/store/results.h"
#include <stdlib.h>
#include <string.h>

int weir_results_open(struct weir_results **results, const char *folder, enum weir_runs which,
		      struct weir_error *e)
{
	struct weir_results *r = memory_zeroed(1, sizeof(*r));
	struct store *checked;
	int failed;

	r->folder = text_copy(folder);
	r->scope = which == WEIR_RUNS_ALL ? STORE_ALL : STORE_PLANNED;
	failed = store_open(&checked, folder, STORE_READ, e);
	if (!failed) {
		failed = store_runs(checked, r->scope, &r->runs, e) ||
			 store_open(&r->store, folder, STORE_FOLLOW, e);
		store_close(checked);
	}
	if (failed)
		weir_results_close(r);
	else
		*results = r;
	return failed ? -1 : 0;
}

void weir_results_close(struct weir_results *results)
{
	if (!results)
		return;
	stored_runs_free(&results->runs);
	if (results->store)
		store_close(results->store);
	free(results->folder);
	free(results);
}

int results_changed(const struct weir_results *r, struct weir_error *e)
{
	return weir_error_set(e, "%.300s: has changed since it was opened; open it again",
			      r->folder);
}

/* Is the run still the one that was there when the folder was opened? */
static int results_check_run(const struct weir_results *r, const struct stored_run *run,
			     struct weir_error *e)
{
	int64_t id;
	int found = store_find_run(r->store, run->key, &id, e);

	if (found < 0)
		return -1;
	return found && id == run->id ? 0 : results_changed(r, e);
}

uint32_t weir_results_run_count(const struct weir_results *results)
{
	return results->runs.count;
}

uint32_t weir_results_left_out(const struct weir_results *results)
{
	return results->runs.left_out;
}

int weir_results_progress(const char *folder, uint64_t *planned, uint64_t *done,
			  struct weir_error *e)
{
	struct store *store;
	int failed;

	if (store_open(&store, folder, STORE_FOLLOW, e))
		return -1;
	failed = store_progress(store, planned, done, e);
	store_close(store);
	return failed;
}

/* --- columns --- */

static int column_is_exported(const struct column *c)
{
	return (c->hidden_in & (VIEW_CSV | VIEW_STORE)) == 0;
}

static enum weir_column_type column_frame_type(const struct column *c)
{
	switch (column_shown_kind(c)) {
	case CELL_INTEGER:
	case CELL_FLAG:
		return WEIR_COLUMN_INTEGER;
	case CELL_TEXT:
		return WEIR_COLUMN_TEXT;
	case CELL_REAL:
	case CELL_UNKNOWN:
		break;
	}
	return WEIR_COLUMN_REAL;
}

enum { COLUMN_RUN = 0 }; /* the first column of every table */

/* Adds the column "run" and those of the table. */
static void frame_add_table_columns(struct weir_frame *frame, const struct table *t)
{
	frame_add_column(frame, "run", "", WEIR_COLUMN_INTEGER);
	for (const struct column *c = t->columns; c->name; c++)
		if (column_is_exported(c))
			frame_add_column(frame, column_csv_name(c), c->unit ? c->unit : "",
					 column_frame_type(c));
}

/* --- rows --- */

/* A frame that receives the rows of a table. */
struct row_frame {
	struct weir_frame *frame;
	const struct table *table;
	uint32_t run;                  /* the current run, from 1 */
	struct measure_config measure; /* flows: that of the run */
};

static void frame_set_cell(struct weir_frame *frame, uint32_t column, struct cell cell)
{
	switch (frame->columns[column].type) {
	case WEIR_COLUMN_INTEGER:
		frame_set_integer(frame, column, cell.integer);
		break;
	case WEIR_COLUMN_TEXT:
		if (cell.kind == CELL_TEXT)
			frame_set_text(frame, column, cell.text);
		break;
	case WEIR_COLUMN_REAL:
		if (cell.kind == CELL_REAL)
			frame_set_real(frame, column, cell.real);
		else if (cell.kind == CELL_INTEGER)
			frame_set_real(frame, column, (double)cell.integer);
		break;
	}
}

/* Adds a row; point: which point of a row with lists. */
static void row_frame_add(const struct row_frame *f, const void *row, uint64_t point)
{
	uint32_t column = COLUMN_RUN + 1;

	frame_add_row(f->frame);
	frame_set_integer(f->frame, COLUMN_RUN, f->run);
	for (const struct column *c = f->table->columns; c->name; c++)
		if (column_is_exported(c))
			frame_set_cell(f->frame, column++, column_shown(c, row, point));
}

static int row_frame_visit(void *context, const void *row)
{
	row_frame_add(context, row, 0);
	return 0;
}

/* The last column says whether the run's metrics cover the flow. */
static int row_frame_visit_flow(void *context, const void *row)
{
	const struct row_frame *f = context;

	row_frame_add(f, row, 0);
	frame_set_integer(f->frame, f->frame->column_count - 1, flow_is_counted(&f->measure, row));
	return 0;
}

static int row_frame_visit_series(void *context, const void *row)
{
	const struct stored_series *series = row;

	for (uint64_t i = 0; i < series->count; i++)
		row_frame_add(context, row, i);
	return 0;
}

/* The [measure] settings of a run. */
static struct measure_config results_measure(const struct stored_run *run)
{
	struct flow_set set = { .count = 0 };

	flow_set_measure(&set, run);
	return set.measure;
}

static int results_read_rows(struct weir_results *r, enum table_id table, uint32_t run,
			     struct weir_frame *frame, struct weir_error *e)
{
	struct row_frame f = { .frame = frame, .table = &table_all[table] };
	const struct row_visitor each = { table == TABLE_SERIES ? row_frame_visit_series
					  : table == TABLE_FLOW ? row_frame_visit_flow
								: row_frame_visit,
					  &f };

	frame_add_table_columns(frame, f.table);
	if (table == TABLE_FLOW)
		frame_add_column(frame, "counted", "", WEIR_COLUMN_INTEGER);
	for (uint32_t i = 0; i < r->runs.count; i++) {
		f.run = i + 1;
		if (run != 0 && run != f.run)
			continue;
		f.measure = results_measure(&r->runs.runs[i]);
		if (results_check_run(r, &r->runs.runs[i], e) ||
		    store_each(r->store, r->runs.runs[i].id, table, &each, e))
			return -1;
	}
	return 0;
}

/* --- runs: the columns of a run, then its settings, then its metrics --- */

/* The column of a setting, among those from `first` on; added if it is new. O(settings). */
static uint32_t frame_find_setting(struct weir_frame *frame, uint32_t first, const char *path)
{
	for (uint32_t i = first; i < frame->column_count; i++)
		if (strcmp(frame->columns[i].name, path) == 0)
			return i;
	return frame_add_column(frame, path, "", WEIR_COLUMN_TEXT);
}

static void frame_add_run_columns(struct weir_frame *frame, const struct stored_runs *runs,
				  uint32_t *first_setting, uint32_t *first_metric)
{
	frame_add_table_columns(frame, &table_all[TABLE_RUN]);
	*first_setting = frame->column_count;
	for (uint32_t i = 0; i < runs->count; i++)
		for (uint32_t k = 0; k < runs->runs[i].setting_count; k++)
			frame_find_setting(frame, *first_setting, runs->runs[i].settings[k].path);
	*first_metric = frame->column_count;
	for (size_t k = 0; metric_all[k].name; k++)
		frame_add_column(frame, metric_all[k].name, metric_all[k].unit, WEIR_COLUMN_REAL);
}

static void frame_fill_runs(struct weir_frame *frame, const struct stored_runs *runs, uint32_t only)
{
	struct row_frame f = { .frame = frame, .table = &table_all[TABLE_RUN] };
	uint32_t settings, metrics;

	frame_add_run_columns(frame, runs, &settings, &metrics);
	for (uint32_t i = 0; i < runs->count; i++) {
		const struct stored_run *run = &runs->runs[i];
		const struct run_head head = { run->key,          run->title,   run->version,
					       run->wall_seconds, run->held_up, run->partial };

		f.run = i + 1;
		if (only && only != f.run)
			continue;
		row_frame_add(&f, &head, 0);
		for (uint32_t k = 0; k < run->setting_count; k++)
			frame_set_text(frame,
				       frame_find_setting(frame, settings, run->settings[k].path),
				       run->settings[k].value);
		for (uint32_t k = 0; metric_all[k].name; k++)
			frame_set_real(frame, metrics + k, run->value[k]);
	}
}

/* --- tables by name --- */

static int table_find(enum table_id *table, const char *name, struct weir_error *e)
{
	const char *names[TABLES];
	size_t count = 0;

	for (int i = 0; i < TABLES; i++) {
		if (!table_all[i].export_name)
			continue;
		*table = (enum table_id)i;
		if (strcmp(table_all[i].export_name, name) == 0)
			return 0;
		names[count++] = table_all[i].export_name;
	}
	return weir_error_unknown(e, "table", name, names, count);
}

int weir_results_read(struct weir_results *results, const char *table, uint32_t run,
		      struct weir_frame **frame, struct weir_error *e)
{
	enum table_id id = TABLE_RUN;

	if (table_find(&id, table, e))
		return -1;
	if (run > results->runs.count)
		return weir_error_set(e, "run %u: there are %u runs, numbered from 1", run,
				      results->runs.count);
	*frame = frame_new();
	if (id == TABLE_RUN)
		frame_fill_runs(*frame, &results->runs, run);
	else if (results_read_rows(results, id, run, *frame, e)) {
		weir_frame_free(*frame);
		return -1;
	}
	return 0;
}
