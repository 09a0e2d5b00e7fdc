/* SPDX-License-Identifier: BSD-3-Clause */
/* store_copy.c -- runs on their way from one store to another, and what tells whether two of them
 * are the same. */
#include "base/text.h"
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
#include "base/memory.h"
#include <string.h>

/* --- what came out of a run --- */

struct portrait {
	enum table_id table;
	int columns;
	uint64_t digest;
};

static int stored_columns(const struct table *t)
{
	int count = 0;

	for (const struct column *c = t->columns; c->name; c++)
		count += column_is_stored(c);
	return count;
}

/* METRIC_COST depends on the machine. */
static int is_cost(enum table_id table, sqlite3_value *const *values)
{
	struct metric_row row = { .name = NULL };
	int metric;

	if (table != TABLE_METRIC || table_read(&table_all[table], &row, values))
		return 0;
	metric = metric_stored_index(row.name);
	return metric >= 0 && metric_all[metric].kind == METRIC_COST;
}

static void look(void *context, sqlite3_value *const *values)
{
	struct portrait *p = context;

	if (is_cost(p->table, values))
		return;
	for (int i = 0; i < p->columns; i++)
		p->digest = store_hash_value(p->digest, values[i]);
}

/* Skips TABLE_RUN: it holds the name, which the key implies, and the wall time. */
int store_run_digest(struct store *s, int64_t run, uint64_t *digest, struct weir_error *e)
{
	struct portrait p = { .digest = 0 };
	const struct row_taker taker = { look, &p };

	for (int part = TABLE_RUN + 1; part < RUN_TABLES; part++) {
		p.table = (enum table_id)part;
		p.columns = stored_columns(&table_all[part]);
		if (store_each_row(s, (struct rows_of){ run, part }, &taker, e))
			return -1;
	}
	*digest = p.digest;
	return 0;
}

/* --- copying --- */

/* The rows of a part that are being copied. */
struct transfer {
	struct store *to;
	sqlite3_stmt *insert;
	int columns, first; /* first column to copy: the one after the run's id */
	struct weir_error *error;
	int failed;
};

static void put_values(void *context, sqlite3_value *const *values)
{
	struct transfer *t = context;
	int parameter = t->first ? 1 : 2;

	for (int i = t->first; i < t->columns && !t->failed; i++)
		if (sqlite3_bind_value(t->insert, parameter++, values[i]) != SQLITE_OK)
			t->failed = store_fail(t->to, t->error);
	if (!t->failed)
		t->failed = store_step(t->to, t->insert, t->error);
}

static int copy_part(struct store *to, int64_t run, struct store *from, struct rows_of rows,
		     struct weir_error *e)
{
	const struct table *table = &table_all[rows.part];
	struct transfer t = { .to = to,
			      .columns = stored_columns(table),
			      .first = rows.part == TABLE_RUN,
			      .error = e };
	const struct row_taker taker = { put_values, &t };
	int failed;

	t.insert = rows.part == TABLE_RUN ? store_prepare(to, table_insert(table).text, e)
					  : store_prepare_run(to, table_insert(table).text, run, e);
	if (!t.insert)
		return -1;
	failed = store_each_row(from, rows, &taker, e);
	if (!failed && t.failed)
		failed = -1;
	sqlite3_finalize(t.insert);
	return failed;
}

static int copy_run(struct store *to, struct store *from, int64_t id, struct weir_error *e)
{
	int64_t run;

	if (copy_part(to, 0, from, (struct rows_of){ id, TABLE_RUN }, e))
		return -1;
	run = sqlite3_last_insert_rowid(to->db);
	for (int part = TABLE_RUN + 1; part < RUN_TABLES; part++)
		if (copy_part(to, run, from, (struct rows_of){ id, part }, e))
			return -1;
	return store_seal_run(to, run, e);
}

static int copy_one(struct store *to, struct store *from, const struct planned_run *run,
		    enum store_copying copying, struct weir_error *e)
{
	int there;

	if (!run->id)
		return 0;
	if (copying == COPY_ALL)
		return store_remove_key(to, run->key, e) || copy_run(to, from, run->id, e) ? -1 : 0;
	there = store_has(to, run->key, e);
	return there ? (there < 0 ? -1 : 0) : copy_run(to, from, run->id, e);
}

static int copy_runs(struct store *to, struct store *from, const struct planned_run *runs,
		     uint64_t count, enum store_copying copying, struct weir_error *e)
{
	for (uint64_t i = 0; i < count; i++)
		if (copy_one(to, from, &runs[i], copying, e))
			return -1;
	return 0;
}

int store_copy(struct store *s, struct store *from, const struct planned_run *runs, uint64_t count,
	       enum store_copying copying, struct weir_error *e)
{
	/* As in store_add: checks the list before its new digest is written. */
	int failed = store_exec(s, "BEGIN IMMEDIATE", e) ||
		     store_each_row(s, STORE_LIST, NULL, e) ||
		     copy_runs(s, from, runs, count, copying, e) || store_seal(s, STORE_LIST, e) ||
		     store_exec(s, "COMMIT", e);

	if (failed)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return failed ? -1 : 0;
}

/* --- stores in memory --- */

static int fill(struct store *s, const void *bytes, size_t size, struct weir_error *e)
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
	s->has_digests = s->is_still = 1;
	s->form = STORE_SCHEMA;
	failed = sqlite3_open_v2(":memory:", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
				 NULL) != SQLITE_OK;
	failed = failed  ? store_fail(s, e)
		 : bytes ? fill(s, bytes, size, e)
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
