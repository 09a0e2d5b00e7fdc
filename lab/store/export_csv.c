/* SPDX-License-Identifier: BSD-3-Clause */
/* export_csv.c -- runs as CSV: RFC 4180 with newlines alone. Runs are numbered from 1 in the order
 * of their sweep, so that the files do not depend on which run ended first. */
#include "base/output.h"
#include "lab/store/exported.h"
#include "lab/store/results.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A CSV file that is being written. */
struct sheet {
	FILE *f;
	const struct exported *x;
	const struct table *table;
	uint32_t run; /* number of the current run, from 1 */
};

/* --- rows --- */

static void write_cell(FILE *f, struct cell cell)
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

static void write_head(const struct sheet *s)
{
	fputs("run", s->f);
	for (const struct column *c = s->table->columns; c->name; c++)
		if (exported_has(s->x, c, VIEW_CSV))
			fprintf(s->f, ",%s", column_csv_name(c));
}

static void write_cells(const struct sheet *s, const void *row, uint64_t point)
{
	write_integer(s->f, s->run);
	for (const struct column *c = s->table->columns; c->name; c++)
		if (exported_has(s->x, c, VIEW_CSV))
			write_cell(s->f, column_shown(c, row, point));
}

static int write_row(void *context, const void *row)
{
	const struct sheet *s = context;

	write_cells(s, row, 0);
	fputc('\n', s->f);
	return 0;
}

/* One line per point of the series. */
static int write_series(void *context, const void *row)
{
	const struct stored_series *series = row;
	const struct sheet *s = context;

	for (uint64_t i = 0; i < series->count; i++) {
		write_cells(s, row, i);
		fputc('\n', s->f);
	}
	return 0;
}

static int write_rows(struct sheet *s, struct weir_error *e)
{
	enum table_id table = (enum table_id)(s->table - table_all);
	const struct row_visitor each = { table == TABLE_SERIES ? write_series : write_row, s };

	write_head(s);
	fputc('\n', s->f);
	for (s->run = 1; s->run <= s->x->runs->count; s->run++)
		if (exported_each(s->x, s->run - 1, table, &each, e))
			return -1;
	return 0;
}

/* --- runs.csv: its columns, then one for every setting, then one for every metric --- */

struct paths {
	uint32_t count;
	const char **all;
};

/* Collects the settings that any run has. */
static void collect_paths(struct paths *p, const struct stored_runs *runs)
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

static void write_run(const struct sheet *s, const struct stored_run *run, const struct paths *p)
{
	const struct run_head head = exported_head(run);

	write_cells(s, &head, 0);
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

static void write_runs(struct sheet *s)
{
	const struct stored_runs *runs = s->x->runs;
	struct paths p;

	collect_paths(&p, runs);
	write_head(s);
	for (uint32_t k = 0; k < p.count; k++)
		fprintf(s->f, ",%s", p.all[k]);
	for (size_t k = 0; metric_all[k].name; k++)
		fprintf(s->f, ",%s", metric_all[k].name);
	fputc('\n', s->f);
	for (s->run = 1; s->run <= runs->count; s->run++)
		write_run(s, &runs->runs[s->run - 1], &p);
	free(p.all);
}

/* --- files --- */

enum { NAME_SIZE = 32 };

/* One file per exported table. */
struct files {
	struct output_file all[OUTPUT_FILES_MAX + 1];
	char names[OUTPUT_FILES_MAX][NAME_SIZE];
};

static void files_make(struct files *files)
{
	int count = 0;

	memset(files, 0, sizeof(*files));
	for (int i = 0; i < TABLES; i++) {
		if (!table_all[i].export_name)
			continue;
		snprintf(files->names[count], NAME_SIZE, "%s.csv", table_all[i].export_name);
		files->all[count] = (struct output_file){ files->names[count], &table_all[i] };
		count++;
	}
}

static int write_file(FILE *f, const void *table, void *context, struct weir_error *e)
{
	struct sheet s = { .f = f, .x = context, .table = table };

	if (table != &table_all[TABLE_RUN])
		return write_rows(&s, e);
	write_runs(&s);
	return 0;
}

int exported_csv(const char *folder, const struct exported *x, struct weir_error *e)
{
	struct exported here = *x;
	const struct output_writer writer = { write_file, &here };
	struct files files;

	files_make(&files);
	return output_files(folder, files.all, &writer, e);
}

int exported_csv_probe(const char *folder, struct weir_error *e)
{
	struct files files;

	files_make(&files);
	return output_files_probe(folder, files.all, e);
}
