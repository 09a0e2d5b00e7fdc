/* SPDX-License-Identifier: BSD-3-Clause */
/* store_digest.c -- detects damage: does the store still hold what was stored?
 *
 * Every part (the rows of a run in one table) has a digest of 64 bits over the types and bytes of
 * all values, in reading order. A writer computes it by reading back what it has just written, in
 * the same transaction, so that writer and reader cannot disagree. Readers compare what they read
 * with the digest; parts that are not read cost nothing. The list of runs and the plan are two more
 * parts, of run 0. The digest detects disk errors and accidental edits, not deliberate forgery. */
#include "lab/store/store_sql.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

struct part {
	const char *name;  /* key in table "digest" */
	const char *words; /* for messages */
	struct store_sql select;
	const struct table *table; /* NULL: a part of the store, not of a run */
};

/* NOT INDEXED: reads the rows themselves, so that a damaged index cannot hide them. */
static struct part part_of(const struct store *s, struct part_id rows)
{
	const struct table *t;

	if (rows.part == ROWS_LIST)
		return (struct part){ "list",
				      "the list of runs",
				      { "SELECT id, key FROM run NOT INDEXED ORDER BY id" },
				      NULL };
	if (rows.part == ROWS_PLAN)
		return (struct part){ "plan",
				      "the plan of the latest sweep",
				      { "SELECT place, key FROM plan NOT INDEXED ORDER BY place" },
				      NULL };
	t = &table_all[rows.part];
	return (struct part){ t->name, t->words, table_select(t, s->schema), t };
}

/* --- digests --- */

/* A bijection of either argument for any value of the other, at the cost of one multiplication: one
 * changed word always changes the digest; several fail to do so with probability 2^-64. */
static uint64_t hash_word(uint64_t before, uint64_t word)
{
	uint64_t hash = (before ^ word) * UINT64_C(0x9e3779b97f4a7c15);

	return hash ^ hash >> 32;
}

/* Little-endian words of eight bytes: the same on every machine. */
static uint64_t hash_bytes(uint64_t before, const unsigned char *bytes, size_t size)
{
	uint64_t hash = hash_word(before, size), last = 0;
	size_t whole = size - size % sizeof(last);

	for (size_t at = 0; at < whole; at += sizeof(last))
		hash = hash_word(hash, little_endian(bytes + at));
	for (size_t at = whole; at < size; at++)
		last |= (uint64_t)bytes[at] << (8 * (at - whole));
	return hash_word(hash, last);
}

uint64_t store_hash_value(uint64_t before, sqlite3_value *value)
{
	int type = sqlite3_value_type(value);
	uint64_t hash = hash_word(before, (uint64_t)type), bits;
	const void *bytes;
	double real;

	switch (type) {
	case SQLITE_INTEGER:
		return hash_word(hash, (uint64_t)sqlite3_value_int64(value));
	case SQLITE_FLOAT:
		real = sqlite3_value_double(value);
		memcpy(&bits, &real, sizeof(bits));
		return hash_word(hash, bits);
	case SQLITE_NULL:
		return hash;
	default: /* bytes before size: SQLite may have to convert the value first */
		bytes = sqlite3_value_blob(value);
		return hash_bytes(hash, bytes, (size_t)sqlite3_value_bytes(value));
	}
}

enum { STORE_COLUMNS_MAX = 16 };

/* Bit set of the columns of table_select that later schemas introduced. NULL in such a column is
 * not hashed, so that digests of earlier schemas stay valid. */
static unsigned table_later_columns(const struct table *t)
{
	unsigned later = 0, bit = 1;

	for (const struct column *c = t ? t->columns : NULL; c && c->name; c++) {
		if (!column_is_stored(c))
			continue;
		later |= c->since ? bit : 0;
		bit <<= 1;
	}
	return later;
}

static uint64_t hash_row(uint64_t before, sqlite3_stmt *q, unsigned later,
			 sqlite3_value *values[STORE_COLUMNS_MAX])
{
	uint64_t hash = before;
	int columns = sqlite3_column_count(q);

	for (int i = 0; i < columns; i++) {
		values[i] = sqlite3_column_value(q, i);
		if (!(later >> i & 1) || sqlite3_value_type(values[i]) != SQLITE_NULL)
			hash = store_hash_value(hash, values[i]);
	}
	return hash;
}

/* Calls t for every row, unless it is NULL, and computes the digest of all rows. */
static int store_hash_rows(struct store *s, struct part_id rows, const struct row_receiver *t,
			   uint64_t *digest, struct weir_error *e)
{
	const struct part part = part_of(s, rows);
	sqlite3_stmt *q = store_prepare_run(s, part.select.text, rows.run, e);
	sqlite3_value *values[STORE_COLUMNS_MAX];
	unsigned later = table_later_columns(part.table);
	int code, failed = q ? 0 : -1;

	assert(!q || sqlite3_column_count(q) <= STORE_COLUMNS_MAX);
	*digest = hash_word((uint64_t)rows.run, (uint64_t)rows.part);
	while (!failed && (code = sqlite3_step(q)) != SQLITE_DONE) {
		if (code != SQLITE_ROW) {
			failed = store_fail(s, e);
			break;
		}
		*digest = hash_row(*digest, q, later, values);
		if (t)
			t->receive(t->context, values);
	}
	sqlite3_finalize(q);
	return failed;
}

/* --- comparing --- */

static int store_explain_damage(struct store *s, struct part_id rows, struct weir_error *e)
{
	sqlite3_stmt *q;
	const char *key = NULL;

	if (rows.run == 0)
		return weir_error_set(
			e,
			"%.300s: is damaged (%s is not what was stored); move it away, or "
			"take a copy of it",
			s->path, part_of(s, rows).words);
	q = store_prepare_run(s, "SELECT key FROM run WHERE id = ?", rows.run, e);
	if (q && sqlite3_step(q) == SQLITE_ROW)
		key = (const char *)sqlite3_column_text(q, 0);
	weir_error_set(
		e,
		"%.300s: run %s is damaged (its %s %s not what was stored); 'weir run --again' "
		"makes it anew",
		s->path, key ? weir_quote(key).text : "without a key", part_of(s, rows).words,
		rows.part == TABLE_RUN ? "is" : "are");
	sqlite3_finalize(q);
	return -1;
}

/* The stored digest. 1: found; 0: not found; -1: message. */
static int store_find_digest(struct store *s, struct part_id rows, uint64_t *digest,
			     struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare_run(
		s, "SELECT digest FROM digest WHERE run = ? AND part = ?", rows.run, e);
	int code;

	if (!q)
		return -1;
	sqlite3_bind_text(q, 2, part_of(s, rows).name, -1, SQLITE_STATIC);
	code = sqlite3_step(q);
	if (code == SQLITE_ROW)
		*digest = (uint64_t)sqlite3_column_int64(q, 0);
	else if (code != SQLITE_DONE)
		store_fail(s, e);
	sqlite3_finalize(q);
	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : -1;
}

int store_each_row(struct store *s, struct part_id rows, const struct row_receiver *t,
		   struct weir_error *e)
{
	uint64_t digest, stored = 0;
	int failed, found;

	/* savepoint: rows and digest from one snapshot */
	if (store_exec(s, "SAVEPOINT rows", e))
		return -1;
	failed = store_hash_rows(s, rows, t, &digest, e);
	if (!failed && s->has_digests) {
		found = store_find_digest(s, rows, &stored, e);
		if (found < 0)
			failed = -1;
		else if (!found || stored != digest)
			failed = store_explain_damage(s, rows, e);
	}
	sqlite3_exec(s->db, "RELEASE rows", NULL, NULL, NULL);
	return failed;
}

int store_check_run(struct store *s, int64_t run, struct weir_error *e)
{
	for (int part = 0; part < RUN_TABLES; part++)
		if (store_each_row(s, (struct part_id){ run, part }, NULL, e))
			return -1;
	return 0;
}

/* --- writing digests --- */

int store_write_digest(struct store *s, struct part_id rows, struct weir_error *e)
{
	sqlite3_stmt *q;
	uint64_t digest;
	int failed;

	if (store_hash_rows(s, rows, NULL, &digest, e))
		return -1;
	q = store_prepare_run(s, "INSERT OR REPLACE INTO digest VALUES (?, ?, ?)", rows.run, e);
	if (!q)
		return -1;
	sqlite3_bind_text(q, 2, part_of(s, rows).name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 3, (int64_t)digest);
	failed = store_step(s, q, e);
	sqlite3_finalize(q);
	return failed;
}

int store_write_run_digests(struct store *s, int64_t run, struct weir_error *e)
{
	for (int part = 0; part < RUN_TABLES; part++)
		if (store_write_digest(s, (struct part_id){ run, part }, e))
			return -1;
	return 0;
}

struct digest_writer {
	struct store *store;
	struct weir_error *error;
	int failed;
};

static void store_digest_listed_run(void *context, sqlite3_value *const *values)
{
	struct digest_writer *at = context;

	at->failed = at->failed ||
		     store_write_run_digests(at->store, sqlite3_value_int64(values[0]), at->error);
}

int store_write_all_digests(struct store *s, struct weir_error *e)
{
	struct digest_writer at = { s, e, 0 };
	const struct row_receiver every = { store_digest_listed_run, &at };
	uint64_t digest;

	if (store_hash_rows(s, STORE_LIST, &every, &digest, e) || at.failed)
		return -1;
	return store_write_digest(s, STORE_LIST, e) || store_write_digest(s, STORE_PLANNED_KEYS, e)
		       ? -1
		       : 0;
}
