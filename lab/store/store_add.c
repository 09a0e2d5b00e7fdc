/* SPDX-License-Identifier: BSD-3-Clause */
/* store_add.c -- a run on its way into the store: its name, and its rows in one transaction. */
#include "lab/store/store_sql.h"
#include <inttypes.h>
#include <stdio.h>

/* --- rows --- */

/* The rows of a table that are being inserted. */
struct rows {
	struct store *store;
	enum table_id table;
	sqlite3_stmt *insert;
	struct weir_error *error;
	int64_t count;
	int failed;
};

static int say_unbound(struct rows *r, const void *row, int code)
{
	const struct stored_series *series = row;

	if (code != SQLITE_TOOBIG || r->table != TABLE_SERIES)
		return store_fail(r->store, r->error);
	return weir_error_set(r->error,
			      "series %s has %" PRIu64
			      " points, more than a store holds; sample less often",
			      series->name, series->count);
}

/* Stops after the first failure, whose message is kept. */
static int put_row(void *context, const void *row)
{
	struct rows *r = context;
	int code = table_bind(r->insert, &table_all[r->table], row, r->count++);

	r->failed = code != SQLITE_OK ? say_unbound(r, row, code)
				      : store_step(r->store, r->insert, r->error);
	return r->failed != 0;
}

static int add_rows(struct store *s, const struct finished_run *f, struct rows_of rows,
		    struct weir_error *e)
{
	struct rows r = { .store = s, .table = (enum table_id)rows.part, .error = e };
	const struct row_visitor put = { put_row, &r };

	r.insert = store_prepare_run(s, table_insert(&table_all[r.table]).text, rows.run, e);
	if (!r.insert)
		return -1;
	if (finished_each(f, r.table, &put, e))
		r.failed = -1;
	sqlite3_finalize(r.insert);
	return r.failed;
}

/* --- the run --- */

int store_remove(struct store *s, int64_t run, struct weir_error *e)
{
	sqlite3_stmt *q;
	char sql[64];
	int failed = 0;

	for (int i = 0; i < TABLES && !failed; i++) {
		if (i == TABLE_PLAN)
			continue;
		snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE %s = ?", table_all[i].name,
			 i == TABLE_RUN ? "id" : "run");
		q = store_prepare_run(s, sql, run, e);
		if (!q)
			return -1;
		failed = store_step(s, q, e);
		sqlite3_finalize(q);
	}
	return failed;
}

int store_remove_key(struct store *s, const char *key, struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s, "SELECT id FROM run WHERE key = ?", e);
	int64_t run = 0;
	int code;

	if (!q)
		return -1;
	sqlite3_bind_text(q, 1, key, -1, SQLITE_TRANSIENT);
	code = sqlite3_step(q);
	if (code == SQLITE_ROW)
		run = sqlite3_column_int64(q, 0);
	else if (code != SQLITE_DONE)
		store_fail(s, e);
	sqlite3_finalize(q);
	if (code == SQLITE_DONE)
		return 0;
	return code == SQLITE_ROW ? store_remove(s, run, e) : -1;
}

static int is_kept(const struct finished_run *f, int table)
{
	return table != TABLE_FLOW || f->c->measure.kept_flows == FLOWS_ALL;
}

/* Inserts the run's own row first: all others refer to its id. */
static int add_run(struct store *s, const struct finished_run *f, struct weir_error *e)
{
	int64_t run;

	if (add_rows(s, f, (struct rows_of){ 0, TABLE_RUN }, e))
		return -1;
	run = sqlite3_last_insert_rowid(s->db);
	for (int table = TABLE_RUN + 1; table < RUN_TABLES; table++)
		if (is_kept(f, table) && add_rows(s, f, (struct rows_of){ run, table }, e))
			return -1;
	return store_seal_run(s, run, e);
}

int store_add(struct store *s, const char *key, const struct config *c, const struct run_result *r,
	      struct weir_error *e)
{
	const struct finished_run f = { key, c, r };
	/* Checks the list before its new digest is written, which would otherwise hide a missing
	 * run. */
	int failed = store_exec(s, "BEGIN IMMEDIATE", e) ||
		     store_each_row(s, STORE_LIST, NULL, e) || store_remove_key(s, key, e) ||
		     add_run(s, &f, e) || store_seal(s, STORE_LIST, e) ||
		     store_exec(s, "COMMIT", e);

	if (failed)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return failed ? -1 : 0;
}
