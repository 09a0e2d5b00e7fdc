/* SPDX-License-Identifier: BSD-3-Clause */
/* export_json.c -- runs as JSON: {"version", "runs": [{"run", the columns of a run, "settings",
 * "metrics", then every table that is exported}]}. Long tables are {"columns": [names], "rows":
 * [[values]]}, short ones lists of objects. What is not known is null. */
#include "base/version.h"
#include "lab/store/exported.h"
#include "lab/store/results.h"
#include <math.h>

/* A table that is being written; counts rows to separate them by commas. */
struct list {
	FILE *f;
	const struct exported *x;
	const struct table *table;
	uint64_t count;
};

static void next(struct list *l)
{
	fputs(l->count++ ? ",\n" : "\n", l->f);
}

/* --- values --- */

static void write_number(FILE *f, double value)
{
	fputs(isfinite(value) ? format_exact(value).text : "null", f);
}

static void write_cell(FILE *f, struct cell cell)
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
static void write_value(FILE *f, const struct column *c, const void *row)
{
	if (!column_is_list(c)) {
		write_cell(f, column_shown(c, row, 0));
		return;
	}
	fputc('[', f);
	for (uint64_t i = 0; i < ((const struct stored_series *)row)->count; i++) {
		fputs(i ? "," : "", f);
		write_cell(f, column_shown(c, row, i));
	}
	fputc(']', f);
}

/* --- rows --- */

/* Writes the columns of a row as members of an object, each preceded by `between`. */
static void write_members(const struct list *l, const void *row, const char *between)
{
	for (const struct column *c = l->table->columns; c->name; c++) {
		if (!exported_has(l->x, c, VIEW_JSON))
			continue;
		fputs(between, l->f);
		json_write_string(l->f, c->name);
		fputs(": ", l->f);
		write_value(l->f, c, row);
		between = ", ";
	}
}

static int write_object(void *context, const void *row)
{
	struct list *l = context;

	next(l);
	fputc('{', l->f);
	write_members(l, row, "");
	fputc('}', l->f);
	return 0;
}

static int write_row(void *context, const void *row)
{
	const char *comma = "";
	struct list *l = context;

	next(l);
	fputc('[', l->f);
	for (const struct column *c = l->table->columns; c->name; c++) {
		if (!exported_has(l->x, c, VIEW_JSON))
			continue;
		fputs(comma, l->f);
		write_value(l->f, c, row);
		comma = ",";
	}
	fputc(']', l->f);
	return 0;
}

static void write_columns(const struct list *l)
{
	const char *comma = "";

	fputs("{\"columns\": [", l->f);
	for (const struct column *c = l->table->columns; c->name; c++) {
		if (!exported_has(l->x, c, VIEW_JSON))
			continue;
		fputs(comma, l->f);
		json_write_string(l->f, column_csv_name(c));
		comma = ", ";
	}
	fputs("], \"rows\": ", l->f);
}

static int write_table(struct list *l, uint32_t run, struct weir_error *e)
{
	int by_rows = l->table->json == JSON_ROWS;
	const struct row_visitor each = { by_rows ? write_row : write_object, l };

	fputs(",\n", l->f);
	json_write_string(l->f, l->table->export_name);
	fputs(": ", l->f);
	if (by_rows)
		write_columns(l);
	fputc('[', l->f);
	if (exported_each(l->x, run, (enum table_id)(l->table - table_all), &each, e))
		return -1;
	fputs(by_rows ? "\n]}" : "\n]", l->f);
	return 0;
}

/* --- runs --- */

static void write_texts(FILE *f, const struct stored_run *run)
{
	struct list settings = { .f = f }, metrics = { .f = f };

	fputs(",\n\"settings\": {", f);
	for (uint32_t i = 0; i < run->setting_count; i++) {
		next(&settings);
		json_write_string(f, run->settings[i].path);
		fputs(": ", f);
		json_write_string(f, run->settings[i].value);
	}
	fputs("\n},\n\"metrics\": {", f);
	for (size_t i = 0; metric_all[i].name; i++) {
		next(&metrics);
		json_write_string(f, metric_all[i].name);
		fputs(": ", f);
		write_number(f, run->value[i]);
	}
	fputs("\n}", f);
}

static int write_run(FILE *f, const struct exported *x, uint32_t run, struct weir_error *e)
{
	const struct list runs = { .f = f, .x = x, .table = &table_all[TABLE_RUN] };
	const struct run_head head = exported_head(&x->runs->runs[run]);

	fputs("{\"run\": ", f);
	write_integer(f, (int64_t)run + 1);
	write_members(&runs, &head, ", ");
	write_texts(f, &x->runs->runs[run]);
	for (int i = TABLE_RUN + 1; i < TABLES; i++) {
		struct list rows = { .f = f, .x = x, .table = &table_all[i] };

		if (rows.table->export_name && write_table(&rows, run, e))
			return -1;
	}
	fputc('}', f);
	return 0;
}

int exported_json(FILE *f, const struct exported *x, struct weir_error *e)
{
	struct list all = { .f = f };

	fputs("{\"version\": ", f);
	json_write_string(f, version_of_results().text);
	fputs(", \"runs\": [", f);
	for (uint32_t i = 0; i < x->runs->count; i++) {
		next(&all);
		if (write_run(f, x, i, e))
			return -1;
	}
	fputs("\n]}\n", f);
	return 0;
}
