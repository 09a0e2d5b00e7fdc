/* SPDX-License-Identifier: BSD-3-Clause */
/* export.c -- runs for other programs, as CSV and as JSON: those of a store, or one that has just
 * ended. docs/reference/results.md describes every column.
 *
 * CSV is RFC 4180 with bare newlines. JSON is {"version", "runs": [{"run", the columns of a run,
 * "settings", "metrics", then every exported table}]}; long tables are {"columns": [names], "rows":
 * [[values]]}, short ones lists of objects, unknown values null. Runs are numbered from 1 in the
 * order of their sweep, so that output does not depend on the order in which runs ended. */
#include "base/memory.h"
#include "base/output.h"
#include "base/version.h"
#include "lab/store/results.h"
#include "lab/store/store.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The runs to export. */
struct export_source {
	const struct stored_runs *runs;
	struct store *store;                 /* NULL: the run is `finished` */
	const struct finished_run *finished; /* the only run, if store is NULL */
};

/* The rows of the run with that index. */
static int export_each(const struct export_source *x, uint32_t run, enum table_id table,
		       const struct row_visitor *v, struct weir_error *e)
{
	const struct row_source from = { x->store, x->runs->runs[run].id, x->finished };

	return rows_each(&from, table, v, e);
}

static int export_has_column(const struct export_source *x, const struct column *c, enum view view)
{
	unsigned views = (unsigned)view | (x->store ? VIEW_STORE : 0);

	return (c->hidden_in & views) == 0;
}

static struct run_head export_run_head(const struct stored_run *run)
{
	return (struct run_head){ run->key,          run->title,   run->version,
				  run->wall_seconds, run->held_up, run->partial };
}

/* --- CSV: rows --- */

/* A CSV file that is being written. */
struct csv_sheet {
	FILE *f;
	const struct export_source *x;
	const struct table *table;
	uint32_t run; /* number of the current run, from 1 */
};

static void csv_write_cell(FILE *f, struct cell cell)
{
	fputc(',', f);
	switch (cell.kind) {
	case CELL_INTEGER:
	case CELL_FLAG:
		write_integer(f, cell.integer);
		break;
	case CELL_REAL:
		if (isfinite(cell.real))
			fputs(format_exact(cell.real).text, f);
		break;
	case CELL_TEXT:
		csv_write_text(f, cell.text);
		break;
	case CELL_UNKNOWN:
		break;
	}
}

static void csv_write_head(const struct csv_sheet *s)
{
	fputs("run", s->f);
	for (const struct column *c = s->table->columns; c->name; c++)
		if (export_has_column(s->x, c, VIEW_CSV))
			fprintf(s->f, ",%s", column_csv_name(c));
}

static void csv_write_cells(const struct csv_sheet *s, const void *row, uint64_t point)
{
	write_integer(s->f, s->run);
	for (const struct column *c = s->table->columns; c->name; c++)
		if (export_has_column(s->x, c, VIEW_CSV))
			csv_write_cell(s->f, column_shown(c, row, point));
}

static int csv_write_row(void *context, const void *row)
{
	const struct csv_sheet *s = context;

	csv_write_cells(s, row, 0);
	fputc('\n', s->f);
	return 0;
}

/* One line per point of the series. */
static int csv_write_series(void *context, const void *row)
{
	const struct stored_series *series = row;
	const struct csv_sheet *s = context;

	for (uint64_t i = 0; i < series->count; i++) {
		csv_write_cells(s, row, i);
		fputc('\n', s->f);
	}
	return 0;
}

static int csv_write_rows(struct csv_sheet *s, struct weir_error *e)
{
	enum table_id table = (enum table_id)(s->table - table_all);
	const struct row_visitor each = { table == TABLE_SERIES ? csv_write_series : csv_write_row,
					  s };

	csv_write_head(s);
	fputc('\n', s->f);
	for (s->run = 1; s->run <= s->x->runs->count; s->run++)
		if (export_each(s->x, s->run - 1, table, &each, e))
			return -1;
	return 0;
}

/* --- CSV: runs.csv: its columns, then one for every setting, then one for every metric --- */

struct csv_paths {
	uint32_t count;
	const char **all;
};

/* Collects the settings that any run has. */
static void csv_collect_paths(struct csv_paths *p, const struct stored_runs *runs)
{
	memset(p, 0, sizeof(*p));
	for (uint32_t i = 0; i < runs->count; i++)
		for (uint32_t k = 0; k < runs->runs[i].setting_count; k++) {
			const char *path = runs->runs[i].settings[k].path;
			uint32_t at = 0;

			while (at < p->count && strcmp(p->all[at], path) != 0)
				at++;
			if (at < p->count)
				continue;
			p->all = memory_grow(p->all, p->count + 1, sizeof(*p->all));
			p->all[p->count++] = path;
		}
}

static void csv_write_run(const struct csv_sheet *s, const struct stored_run *run,
			  const struct csv_paths *p)
{
	const struct run_head head = export_run_head(run);

	csv_write_cells(s, &head, 0);
	for (uint32_t k = 0; k < p->count; k++) {
		const char *value = stored_setting(run, p->all[k]);

		fputc(',', s->f);
		if (value)
			csv_write_text(s->f, value);
	}
	for (size_t k = 0; metric_all[k].name; k++)
		csv_write_number(s->f, run->value[k]);
	fputc('\n', s->f);
}

static void csv_write_runs(struct csv_sheet *s)
{
	const struct stored_runs *runs = s->x->runs;
	struct csv_paths p;

	csv_collect_paths(&p, runs);
	csv_write_head(s);
	for (uint32_t k = 0; k < p.count; k++)
		fprintf(s->f, ",%s", p.all[k]);
	for (size_t k = 0; metric_all[k].name; k++)
		fprintf(s->f, ",%s", metric_all[k].name);
	fputc('\n', s->f);
	for (s->run = 1; s->run <= runs->count; s->run++)
		csv_write_run(s, &runs->runs[s->run - 1], &p);
	free(p.all);
}

/* --- CSV: files --- */

enum { CSV_NAME_SIZE = 32 };

/* One file per exported table. */
struct csv_files {
	struct output_file all[OUTPUT_FILES_MAX + 1];
	char names[OUTPUT_FILES_MAX][CSV_NAME_SIZE];
};

static void csv_files_make(struct csv_files *files)
{
	int count = 0;

	memset(files, 0, sizeof(*files));
	for (int i = 0; i < TABLES; i++) {
		if (!table_all[i].export_name)
			continue;
		snprintf(files->names[count], CSV_NAME_SIZE, "%s.csv", table_all[i].export_name);
		files->all[count] = (struct output_file){ files->names[count], &table_all[i] };
		count++;
	}
}

static int csv_write_file(FILE *f, const void *table, void *context, struct weir_error *e)
{
	struct csv_sheet s = { .f = f, .x = context, .table = table };

	if (table != &table_all[TABLE_RUN])
		return csv_write_rows(&s, e);
	csv_write_runs(&s);
	return 0;
}

static int export_write_csv(const char *folder, const struct export_source *x, struct weir_error *e)
{
	struct export_source here = *x;
	const struct output_writer writer = { csv_write_file, &here };
	struct csv_files files;

	csv_files_make(&files);
	return output_files(folder, files.all, &writer, e);
}

/* --- JSON: values --- */

/* A table that is being written; counts rows to separate them by commas. */
struct json_list {
	FILE *f;
	const struct export_source *x;
	const struct table *table;
	uint64_t count;
};

static void json_next(struct json_list *l)
{
	fputs(l->count++ ? ",\n" : "\n", l->f);
}

static void write_number(FILE *f, double value)
{
	fputs(isfinite(value) ? format_exact(value).text : "null", f);
}

static void json_write_cell(FILE *f, struct cell cell)
{
	switch (cell.kind) {
	case CELL_INTEGER:
		write_integer(f, cell.integer);
		break;
	case CELL_FLAG:
		fputs(cell.integer ? "true" : "false", f);
		break;
	case CELL_REAL:
		write_number(f, cell.real);
		break;
	case CELL_TEXT:
		json_write_string(f, cell.text);
		break;
	case CELL_UNKNOWN:
		fputs("null", f);
		break;
	}
}

/* Lists occur in series only. */
static void json_write_value(FILE *f, const struct column *c, const void *row)
{
	if (!column_is_list(c)) {
		json_write_cell(f, column_shown(c, row, 0));
		return;
	}
	fputc('[', f);
	for (uint64_t i = 0; i < ((const struct stored_series *)row)->count; i++) {
		fputs(i ? "," : "", f);
		json_write_cell(f, column_shown(c, row, i));
	}
	fputc(']', f);
}

/* --- JSON: rows --- */

/* Writes the columns of a row as members of an object, each preceded by `between`. */
static void json_write_members(const struct json_list *l, const void *row, const char *between)
{
	for (const struct column *c = l->table->columns; c->name; c++) {
		if (!export_has_column(l->x, c, VIEW_JSON))
			continue;
		fputs(between, l->f);
		json_write_string(l->f, c->name);
		fputs(": ", l->f);
		json_write_value(l->f, c, row);
		between = ", ";
	}
}

static int json_write_object(void *context, const void *row)
{
	struct json_list *l = context;

	json_next(l);
	fputc('{', l->f);
	json_write_members(l, row, "");
	fputc('}', l->f);
	return 0;
}

static int json_write_row(void *context, const void *row)
{
	const char *comma = "";
	struct json_list *l = context;

	json_next(l);
	fputc('[', l->f);
	for (const struct column *c = l->table->columns; c->name; c++) {
		if (!export_has_column(l->x, c, VIEW_JSON))
			continue;
		fputs(comma, l->f);
		json_write_value(l->f, c, row);
		comma = ",";
	}
	fputc(']', l->f);
	return 0;
}

static void json_write_columns(const struct json_list *l)
{
	const char *comma = "";

	fputs("{\"columns\": [", l->f);
	for (const struct column *c = l->table->columns; c->name; c++) {
		if (!export_has_column(l->x, c, VIEW_JSON))
			continue;
		fputs(comma, l->f);
		json_write_string(l->f, column_csv_name(c));
		comma = ", ";
	}
	fputs("], \"rows\": ", l->f);
}

static int json_write_table(struct json_list *l, uint32_t run, struct weir_error *e)
{
	int by_rows = l->table->json == JSON_ROWS;
	const struct row_visitor each = { by_rows ? json_write_row : json_write_object, l };

	fputs(",\n", l->f);
	json_write_string(l->f, l->table->export_name);
	fputs(": ", l->f);
	if (by_rows)
		json_write_columns(l);
	fputc('[', l->f);
	if (export_each(l->x, run, (enum table_id)(l->table - table_all), &each, e))
		return -1;
	fputs(by_rows ? "\n]}" : "\n]", l->f);
	return 0;
}

/* --- JSON: runs --- */

static void json_write_texts(FILE *f, const struct stored_run *run)
{
	struct json_list settings = { .f = f }, metrics = { .f = f };

	fputs(",\n\"settings\": {", f);
	for (uint32_t i = 0; i < run->setting_count; i++) {
		json_next(&settings);
		json_write_string(f, run->settings[i].path);
		fputs(": ", f);
		json_write_string(f, run->settings[i].value);
	}
	fputs("\n},\n\"metrics\": {", f);
	for (size_t i = 0; metric_all[i].name; i++) {
		json_next(&metrics);
		json_write_string(f, metric_all[i].name);
		fputs(": ", f);
		write_number(f, run->value[i]);
	}
	fputs("\n}", f);
}

static int json_write_run(FILE *f, const struct export_source *x, uint32_t run,
			  struct weir_error *e)
{
	const struct json_list runs = { .f = f, .x = x, .table = &table_all[TABLE_RUN] };
	const struct run_head head = export_run_head(&x->runs->runs[run]);

	fputs("{\"run\": ", f);
	write_integer(f, (int64_t)run + 1);
	json_write_members(&runs, &head, ", ");
	json_write_texts(f, &x->runs->runs[run]);
	for (int i = TABLE_RUN + 1; i < TABLES; i++) {
		struct json_list rows = { .f = f, .x = x, .table = &table_all[i] };

		if (rows.table->export_name && json_write_table(&rows, run, e))
			return -1;
	}
	fputc('}', f);
	return 0;
}

static int export_write_json(FILE *f, const struct export_source *x, struct weir_error *e)
{
	struct json_list all = { .f = f };

	fputs("{\"version\": ", f);
	json_write_string(f, version_of_results().text);
	fputs(", \"runs\": [", f);
	for (uint32_t i = 0; i < x->runs->count; i++) {
		json_next(&all);
		if (json_write_run(f, x, i, e))
			return -1;
	}
	fputs("\n]}\n", f);
	return 0;
}

/* --- runs of a store --- */

int export_csv(const char *folder, struct store *s, const struct stored_runs *runs,
	       struct weir_error *e)
{
	return export_write_csv(folder, &(struct export_source){ runs, s, NULL }, e);
}

int export_json(FILE *f, struct store *s, const struct stored_runs *runs, struct weir_error *e)
{
	return export_write_json(f, &(struct export_source){ runs, s, NULL }, e);
}

/* --- a run that has just ended --- */

/* Destination: one of the two. */
struct export_target {
	FILE *json;
	const char *folder;
};

static int export_finished(struct export_target to, const struct config *c,
			   const struct run_result *r, struct weir_error *e)
{
	struct stored_run run;
	const struct stored_runs runs = { .count = 1, .runs = &run };
	const struct finished_run finished = { run.key, c, r };
	const struct row_source from = { .finished = &finished };
	const struct export_source x = { &runs, NULL, &finished };
	int failed;

	memset(&run, 0, sizeof(run));
	failed = run_key(c, run.key, e) || stored_run_fill(&run, &from, e) ||
		 (to.json ? export_write_json(to.json, &x, e) : export_write_csv(to.folder, &x, e));
	stored_run_free(&run);
	return failed ? -1 : 0;
}

int results_json(FILE *f, const struct config *c, const struct run_result *r, struct weir_error *e)
{
	return export_finished((struct export_target){ .json = f }, c, r, e);
}

int results_csv(const char *folder, const struct config *c, const struct run_result *r,
		struct weir_error *e)
{
	return export_finished((struct export_target){ .folder = folder }, c, r, e);
}

int results_csv_probe(const char *folder, struct weir_error *e)
{
	struct csv_files files;

	csv_files_make(&files);
	return output_files_probe(folder, files.all, e);
}
