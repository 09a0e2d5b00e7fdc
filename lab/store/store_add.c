/* SPDX-License-Identifier: BSD-3-Clause */
/* store_add.c -- adds runs to a store, from a simulation or from another store, and removes them;
 * stores in memory, in which workers send runs. */
#include "base/memory.h"
#include "base/text.h"
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- rows --- */

/* The rows of a table that are being inserted. */
struct row_inserter {
	struct store *store;
	enum table_id table;
	sqlite3_stmt *insert;
	struct weir_error *error;
	int64_t count;
	int failed;
};

static int store_explain_bind(struct row_inserter *r, const void *row, int code)
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
static int store_insert_row(void *context, const void *row)
{
	struct row_inserter *r = context;
	int code = table_bind(r->insert, &table_all[r->table], row, r->count++);

	r->failed = code != SQLITE_OK ? store_explain_bind(r, row, code)
				      : store_step(r->store, r->insert, r->error);
	return r->failed != 0;
}

static int store_insert_rows(struct store *s, const struct finished_run *f, struct part_id rows,
			     struct weir_error *e)
{
	struct row_inserter r = { .store = s, .table = (enum table_id)rows.part, .error = e };
	const struct row_visitor put = { store_insert_row, &r };

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

static int store_remove_key(struct store *s, const char *key, struct weir_error *e)
{
	int64_t run;
	int found = store_find_run(s, key, &run, e);

	return found == 1 ? store_remove(s, run, e) : found;
}

/* Inserts the run's own row first: all others refer to its id. */
static int store_insert_run(struct store *s, const struct finished_run *f, struct weir_error *e)
{
	int64_t run;

	if (store_insert_rows(s, f, (struct part_id){ 0, TABLE_RUN }, e))
		return -1;
	run = sqlite3_last_insert_rowid(s->db);
	for (int table = TABLE_RUN + 1; table < RUN_TABLES; table++)
		if ((table != TABLE_FLOW || f->c->measure.kept_flows == FLOWS_ALL) &&
		    store_insert_rows(s, f, (struct part_id){ run, table }, e))
			return -1;
	return store_write_run_digests(s, run, e);
}

int store_add(struct store *s, const char *key, const struct config *c, const struct run_result *r,
	      struct weir_error *e)
{
	const struct finished_run f = { key, c, r };
	/* Checks the list before its new digest is written, which would otherwise hide a missing
	 * run. */
	int failed = store_exec(s, "BEGIN IMMEDIATE", e) ||
		     store_each_row(s, STORE_LIST, NULL, e) || store_remove_key(s, key, e) ||
		     store_insert_run(s, &f, e) || store_write_digest(s, STORE_LIST, e) ||
		     store_exec(s, "COMMIT", e);

	return store_end(s, failed);
}

/* --- what came out of a run --- */

struct run_hash {
	enum table_id table;
	int columns;
	uint64_t digest;
};

static int table_stored_columns(const struct table *t)
{
	int count = 0;

	for (const struct column *c = t->columns; c->name; c++)
		count += column_is_stored(c);
	return count;
}

/* METRIC_COST depends on the machine. */
static int store_is_cost(enum table_id table, sqlite3_value *const *values)
{
	struct metric_row row = { .name = NULL };
	int metric;

	if (table != TABLE_METRIC || table_read(&table_all[table], &row, values))
		return 0;
	metric = metric_stored_index(row.name);
	return metric >= 0 && metric_all[metric].kind == METRIC_COST;
}

static void store_hash_row(void *context, sqlite3_value *const *values)
{
	struct run_hash *p = context;

	if (store_is_cost(p->table, values))
		return;
	for (int i = 0; i < p->columns; i++)
		p->digest = store_hash_value(p->digest, values[i]);
}

/* Skips TABLE_RUN: it holds the name, which the key implies, and the wall time. */
int store_run_digest(struct store *s, int64_t run, uint64_t *digest, struct weir_error *e)
{
	struct run_hash p = { .digest = 0 };
	const struct row_receiver receiver = { store_hash_row, &p };

	for (int part = TABLE_RUN + 1; part < RUN_TABLES; part++) {
		p.table = (enum table_id)part;
		p.columns = table_stored_columns(&table_all[part]);
		if (store_each_row(s, (struct part_id){ run, part }, &receiver, e))
			return -1;
	}
	*digest = p.digest;
	return 0;
}

/* --- copying --- */

/* The rows of a part that are being copied. */
struct row_copier {
	struct store *to;
	sqlite3_stmt *insert;
	int columns, first; /* first column to copy: the one after the run's id */
	struct weir_error *error;
	int failed;
};

static void store_copy_row(void *context, sqlite3_value *const *values)
{
	struct row_copier *t = context;
	int parameter = t->first ? 1 : 2;

	for (int i = t->first; i < t->columns && !t->failed; i++)
		if (sqlite3_bind_value(t->insert, parameter++, values[i]) != SQLITE_OK)
			t->failed = store_fail(t->to, t->error);
	if (!t->failed)
		t->failed = store_step(t->to, t->insert, t->error);
}

static int store_copy_part(struct store *to, int64_t run, struct store *from, struct part_id rows,
			   struct weir_error *e)
{
	const struct table *table = &table_all[rows.part];
	struct row_copier t = { .to = to,
				.columns = table_stored_columns(table),
				.first = rows.part == TABLE_RUN,
				.error = e };
	const struct row_receiver receiver = { store_copy_row, &t };
	int failed;

	t.insert = rows.part == TABLE_RUN ? store_prepare(to, table_insert(table).text, e)
					  : store_prepare_run(to, table_insert(table).text, run, e);
	if (!t.insert)
		return -1;
	failed = store_each_row(from, rows, &receiver, e);
	if (!failed && t.failed)
		failed = -1;
	sqlite3_finalize(t.insert);
	return failed;
}

static int store_copy_run(struct store *to, struct store *from, int64_t id, struct weir_error *e)
{
	int64_t run;

	if (store_copy_part(to, 0, from, (struct part_id){ id, TABLE_RUN }, e))
		return -1;
	run = sqlite3_last_insert_rowid(to->db);
	for (int part = TABLE_RUN + 1; part < RUN_TABLES; part++)
		if (store_copy_part(to, run, from, (struct part_id){ id, part }, e))
			return -1;
	return store_write_run_digests(to, run, e);
}

static int store_copy_if(struct store *to, struct store *from, const struct planned_run *run,
			 enum store_copying copying, struct weir_error *e)
{
	int there;

	if (!run->id)
		return 0;
	if (copying == COPY_ALL)
		return store_remove_key(to, run->key, e) || store_copy_run(to, from, run->id, e)
			       ? -1
			       : 0;
	there = store_has(to, run->key, e);
	return there ? (there < 0 ? -1 : 0) : store_copy_run(to, from, run->id, e);
}

int store_copy(struct store *s, struct store *from, const struct planned_run *runs, uint64_t count,
	       enum store_copying copying, struct weir_error *e)
{
	/* As in store_add: checks the list before its new digest is written. */
	int failed = store_exec(s, "BEGIN IMMEDIATE", e) || store_each_row(s, STORE_LIST, NULL, e);

	for (uint64_t i = 0; i < count && !failed; i++)
		failed = store_copy_if(s, from, &runs[i], copying, e);
	failed = failed || store_write_digest(s, STORE_LIST, e) || store_exec(s, "COMMIT", e);
	return store_end(s, failed);
}

/* --- stores in memory --- */

static int store_load_bytes(struct store *s, const void *bytes, size_t size, struct weir_error *e)
{
	unsigned char *own = sqlite3_malloc64(size);

	if (!own)
		memory_refused(size);
	memcpy(own, bytes, size);
	/* SQLite owns the bytes now, also on failure */
	return sqlite3_deserialize(s->db, "main", own, (sqlite3_int64)size, (sqlite3_int64)size,
				   SQLITE_DESERIALIZE_FREEONCLOSE) == SQLITE_OK
		       ? 0
		       : store_fail(s, e);
}

int store_open_bytes(struct store **out, const void *bytes, size_t size, struct weir_error *e)
{
	struct store *s = memory_zeroed(1, sizeof(*s));
	int failed;

	s->path = text_copy("a result on its way");
	s->has_digests = s->has_snapshot = 1;
	s->schema = STORE_SCHEMA;
	failed = sqlite3_open_v2(":memory:", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				 NULL) != SQLITE_OK;
	failed = failed  ? store_fail(s, e)
		 : bytes ? store_load_bytes(s, bytes, size, e)
			 : store_make_tables(s, e);
	if (failed)
		store_close(s);
	else
		*out = s;
	return failed ? -1 : 0;
}

unsigned char *store_bytes(struct store *s, size_t *size, struct weir_error *e)
{
	sqlite3_int64 length = 0;
	unsigned char *bytes = sqlite3_serialize(s->db, "main", &length, 0);

	if (!bytes)
		store_fail(s, e);
	*size = (size_t)length;
	return bytes;
}

void store_bytes_free(unsigned char *bytes)
{
	sqlite3_free(bytes);
}
