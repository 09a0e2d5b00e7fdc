/* SPDX-License-Identifier: BSD-3-Clause */
/* columns_markdown.c -- the tables of columns.c as a part of docs/reference/results.md. */
#include "lab/store/columns.h"
#include <string.h>

/* Length of the SQL type's first word, "INTEGER". */
static int word_length(const char *sql)
{
	return (int)strcspn(sql, " ");
}

/* Names the exports that show the column, unless all do. */
static const char *some_views(const struct column *c)
{
	return c->hidden_in & VIEW_JSON   ? " (CSV alone)"
	       : c->hidden_in & VIEW_KEPT ? " (`weir run` alone)"
					  : "";
}

/* Writes the exported name of a stored column. If exports have another order, a COLUMN_MADE column
 * of the same name represents it there. */
static void print_exported(FILE *f, const struct table *t, const struct column *stored)
{
	for (const struct column *c = t->columns; c->name && t->export_name; c++)
		if (strcmp(c->name, stored->name) == 0 && c->hidden_in != VIEW_EVERY)
			fprintf(f, "%s%s", column_csv_name(c), some_views(c));
}

static void print_table(FILE *f, const struct table *t)
{
	const char *name = t->name;

	for (const struct column *c = t->columns; c->name; c++) {
		if (!c->help) /* explained with the stored column */
			continue;
		fprintf(f, "| %s | ", name);
		if (column_is_stored(c))
			fprintf(f, "%s | %.*s | ", c->name, word_length(column_sql(c)),
				column_sql(c));
		else
			fputs(" | | ", f);
		fprintf(f, "%s | ", c->unit);
		print_exported(f, t, c);
		fprintf(f, " | %s |\n", c->help);
		name = "";
	}
}

static void print_file(FILE *f, const struct table *t)
{
	fprintf(f, "| %s.csv | run", t->export_name);
	for (const struct column *c = t->columns; c->name; c++)
		if (!(c->hidden_in & VIEW_CSV))
			fprintf(f, ", %s%s", column_csv_name(c),
				c->hidden_in & VIEW_KEPT ? some_views(c) : "");
	fprintf(f, "%s |\n",
		t == &table_all[TABLE_RUN] ? "; then every setting that some run has, by its path; "
					     "then every metric, by its name"
					   : "");
}

void columns_markdown(FILE *f)
{
	fputs("| table | column | type | unit | exported as | meaning "
	      "|\n|---|---|---|---|---|---|\n",
	      f);
	for (int i = 0; i < TABLES; i++)
		print_table(f, &table_all[i]);
	fputs("\n| file | columns |\n|---|---|\n", f);
	for (int i = 0; i < TABLES; i++)
		if (table_all[i].export_name)
			print_file(f, &table_all[i]);
}
