/* SPDX-License-Identifier: BSD-3-Clause */
/* store.c -- opens the results store, checks it and upgrades its schema.
 *
 * The file is an ordinary SQLite database with a rollback journal: at rest the folder holds a
 * single file that can be copied. A process that dies within a transaction leaves a journal, from
 * which the next process restores the state before. */
#define _POSIX_C_SOURCE 200809L
#include "lab/store/store_sql.h"
#include "base/text.h"
#include "base/memory.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BUSY_MS = 60 * 1000, /* longest wait for a lock of another process, milliseconds */
	HEADER_SIZE = 100,   /* header of every SQLite file */
	SCHEMA_OFFSET = 60,
	APPLICATION_OFFSET = 68,
};

static const char file_name[] = "results.db";

/* --- what went wrong --- */

int store_fail(struct store *s, struct weir_error *e)
{
	int code = s->db ? sqlite3_extended_errcode(s->db) : SQLITE_NOMEM;
	int number = s->db ? sqlite3_system_errno(s->db) : 0;
	const char *why = s->db ? sqlite3_errmsg(s->db) : "no memory";

	switch (code & 0xff) {
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
		return weir_error_set(
			e, "%.300s: is damaged (%.200s); move it away, or take a copy of it",
			s->path, why);
	case SQLITE_FULL:
		return weir_error_set(e, "%.300s: the disk is full; what was stored before is kept",
				      s->path);
	case SQLITE_BUSY:
		return weir_error_set(e, "%.300s: another program has locked it for a minute",
				      s->path);
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
		return weir_error_set(
			e,
			"%.300s: cannot be read or written: %.300s; what was stored before is kept",
			s->path, number != 0 ? strerror(number) : why);
	}
	return weir_error_set(e, "%.300s: %.300s", s->path, why);
}

int store_exec(struct store *s, const char *sql, struct weir_error *e)
{
	return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(s, e);
}

sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct weir_error *e)
{
	sqlite3_stmt *q = NULL;

	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK)
		store_fail(s, e);
	return q;
}

sqlite3_stmt *store_prepare_run(struct store *s, const char *sql, int64_t run, struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s, sql, e);

	if (q)
		sqlite3_bind_int64(q, 1, run);
	return q;
}

int store_step(struct store *s, sqlite3_stmt *q, struct weir_error *e)
{
	if (sqlite3_step(q) != SQLITE_DONE)
		return store_fail(s, e);
	sqlite3_reset(q);
	return 0;
}

/* --- opening --- */

static uint32_t big_endian(const unsigned char *b)
{
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* STORE_ADD accepts the current schema only; STORE_WRITE upgrades the file before workers open
 * it. */
static int store_check_schema(const char *path, uint32_t schema, enum store_mode mode,
			      struct weir_error *e)
{
	if (schema == STORE_SCHEMA ||
	    (schema >= STORE_SCHEMA_NO_DIGESTS && schema < STORE_SCHEMA && mode != STORE_ADD))
		return 0;
	return weir_error_set(
		e,
		"%.300s: was written by another version of Weir (schema %lu; this one reads "
		"schemas %d to %d); use another folder",
		path, (unsigned long)schema, STORE_SCHEMA_NO_DIGESTS, STORE_SCHEMA);
}

/* Refuses symbolic links: they might lead to another user's file. */
static int store_check_link(const char *path, struct weir_error *e)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return weir_error_set(
			e, "%.300s: is a symbolic link; name the folder that holds it", path);
	return 0;
}

/* Checks the file's header before SQLite opens it, so that a foreign file is never modified. */
static int store_check_header(const char *path, enum store_mode mode, struct weir_error *e)
{
	static const char magic[] = "SQLite format 3";
	unsigned char header[HEADER_SIZE] = { 0 };
	size_t length;
	FILE *f;

	if (store_check_link(path, e))
		return -1;
	f = fopen(path, "rb");
	if (!f && errno == ENOENT && mode == STORE_WRITE)
		return 0;
	if (!f)
		return weir_error_set(e, "%.300s: cannot be read: %s", path, strerror(errno));
	length = fread(header, 1, sizeof(header), f);
	if (ferror(f)) {
		weir_error_set(e, "%.300s: cannot be read: %s", path, strerror(errno));
		fclose(f);
		return -1;
	}
	fclose(f);
	if (length == 0) /* its creator was stopped before the first write */
		return mode == STORE_WRITE
			       ? 0
			       : weir_error_set(e, "%.300s: there are no runs in it", path);
	if (length < sizeof(header) || memcmp(header, magic, sizeof(magic)) != 0)
		return weir_error_set(e, "%.300s: is no results store, or its beginning is damaged",
				      path);
	if (big_endian(header + APPLICATION_OFFSET) != STORE_APPLICATION)
		return weir_error_set(e, "%.300s: is a database of another program", path);
	return store_check_schema(path, big_endian(header + SCHEMA_OFFSET), mode, e);
}

static int is_writer(enum store_mode mode)
{
	return mode == STORE_WRITE || mode == STORE_ADD;
}

static int store_check_folder(const char *folder, enum store_mode mode, struct weir_error *e)
{
	struct stat st;

	if (*folder == '\0')
		return weir_error_set(e, "a folder is missing");
	if (stat(folder, &st) != 0) {
		if (mode != STORE_WRITE)
			return weir_error_set(e, "%.300s: cannot be read: %s", folder,
					      strerror(errno));
		if (mkdir(folder, 0777) != 0 && errno != EEXIST)
			return weir_error_set(e, "%.300s: cannot be made: %s", folder,
					      strerror(errno));
		return 0;
	}
	if (!S_ISDIR(st.st_mode))
		return weir_error_set(e, "%.300s: is a file; a folder is needed", folder);
	if (is_writer(mode) && access(folder, W_OK | X_OK) != 0)
		return weir_error_set(e, "%.300s: cannot be written: %s", folder, strerror(errno));
	return 0;
}

int store_end(struct store *s, int failed)
{
	if (failed)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return failed ? -1 : 0;
}

/* Reads one number. */
static int store_number(struct store *s, const char *sql, int64_t *number, struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s, sql, e);
	int found;

	if (!q)
		return -1;
	found = sqlite3_step(q) == SQLITE_ROW;
	if (found)
		*number = sqlite3_column_int64(q, 0);
	else
		store_fail(s, e);
	sqlite3_finalize(q);
	return found ? 0 : -1;
}

static int store_add_column(struct store *s, const struct table *t, const struct column *c,
			    struct weir_error *e)
{
	char sql[192];
	int64_t there;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'",
		 t->name, c->name);
	if (store_number(s, sql, &there, e))
		return -1;
	snprintf(sql, sizeof(sql), "ALTER TABLE %s ADD COLUMN %s %s", t->name, c->name,
		 column_sql(c));
	return there ? 0 : store_exec(s, sql, e);
}

/* Adds the columns that later schemas introduced. */
static int store_add_columns(struct store *s, int64_t schema, struct weir_error *e)
{
	for (int i = 0; i < TABLES; i++)
		for (const struct column *c = table_all[i].columns; c->name; c++)
			if (c->since > schema && store_add_column(s, &table_all[i], c, e))
				return -1;
	return 0;
}

/* Upgrades a file of that schema to the current one: tables, columns, digests. */
static int store_upgrade(struct store *s, int64_t schema, struct weir_error *e)
{
	char id[96];

	if (schema == STORE_SCHEMA)
		return 0;
	snprintf(id, sizeof(id), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		 STORE_APPLICATION, STORE_SCHEMA);
	/* STORE_SCHEMA_NO_DIGESTS has all tables except that of digests */
	for (int i = schema == 0 ? 0 : TABLE_DIGEST; schema < STORE_SCHEMA_DIGESTS && i < TABLES;
	     i++)
		if (store_exec(s, table_create(&table_all[i]).text, e))
			return -1;
	if (schema > 0 && store_add_columns(s, schema, e))
		return -1;
	s->schema = STORE_SCHEMA;
	return (schema < STORE_SCHEMA_DIGESTS && store_write_all_digests(s, e)) ||
	       store_exec(s, id, e);
}

/* Two processes may create the same store; the second one finds the tables in place. */
int store_make_tables(struct store *s, struct weir_error *e)
{
	int64_t schema;
	int failed = store_exec(s, "BEGIN IMMEDIATE", e) ||
		     store_number(s, "PRAGMA user_version", &schema, e) ||
		     store_upgrade(s, schema, e) || store_exec(s, "COMMIT", e);

	return store_end(s, failed);
}

/* Reads the schema number and the number of digest tables in one transaction. */
static int store_read_schema(struct store *s, int64_t *schema, int64_t *tables,
			     struct weir_error *e)
{
	int failed = store_exec(s, "BEGIN", e) ||
		     store_number(s, "PRAGMA user_version", schema, e) ||
		     store_number(s, "SELECT count(*) FROM sqlite_master WHERE name = 'digest'",
				  tables, e);

	/* a read transaction: nothing to commit */
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return failed ? -1 : 0;
}

/* A file marked STORE_SCHEMA_NO_DIGESTS that has digests was written by a later schema: its header
 * is damaged. */
static int store_find_digests(struct store *s, struct weir_error *e)
{
	int64_t schema, tables;

	if (store_read_schema(s, &schema, &tables, e))
		return -1;
	s->schema = (int)schema;
	s->has_digests = schema >= STORE_SCHEMA_DIGESTS;
	if (schema < STORE_SCHEMA_DIGESTS && tables)
		return weir_error_set(
			e,
			"%.300s: is damaged (its schema is %d, but it has digests); move it "
			"away, or take a copy of it",
			s->path, (int)schema);
	return 0;
}

/* SQLite's integrity check. */
static int store_check_pages(struct store *s, struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s, "PRAGMA quick_check(1)", e);
	const char *found;
	int failed = 0;

	if (!q)
		return -1;
	if (sqlite3_step(q) != SQLITE_ROW) {
		failed = store_fail(s, e);
	} else {
		found = (const char *)sqlite3_column_text(q, 0);
		if (!found || strcmp(found, "ok") != 0)
			failed = weir_error_set(
				e,
				"%.300s: is damaged (%.200s); move it away, or take a copy "
				"of it",
				s->path, found ? found : "no memory");
	}
	sqlite3_finalize(q);
	return failed;
}

static int store_connect(struct store *s, enum store_mode mode, struct weir_error *e)
{
	/* read-write also for reading, because SQLite may have to roll back an interrupted
	 * transaction */
	int flags = SQLITE_OPEN_READWRITE | (mode == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);

	/* A store belongs to one thread, so SQLite needs no mutex for each value. */
	flags |= SQLITE_OPEN_NOMUTEX;
	if (sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK)
		return store_fail(s, e);
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	if (is_writer(mode) && sqlite3_db_readonly(s->db, "main") == 1)
		return weir_error_set(e, "%.300s: cannot be written: Permission denied", s->path);
	if ((mode == STORE_READ || mode == STORE_WRITE) && store_check_pages(s, e))
		return -1;
	if (mode != STORE_ADD && store_find_digests(s, e))
		return -1;
	if (mode == STORE_WRITE && store_make_tables(s, e))
		return -1;
	s->has_digests |= is_writer(mode);
	s->schema = is_writer(mode) ? STORE_SCHEMA : s->schema;
	if (is_writer(mode))
		return 0;
	/* STORE_READ keeps one read transaction until the store is closed, so that runs replaced
	 * meanwhile do not change. */
	s->has_snapshot = mode == STORE_READ;
	return store_exec(
		s, mode == STORE_READ ? "PRAGMA query_only = 1; BEGIN" : "PRAGMA query_only = 1",
		e);
}

int store_open(struct store **out, const char *folder, enum store_mode mode, struct weir_error *e)
{
	struct store *s;

	*out = NULL;
	if (store_check_folder(folder, mode, e))
		return -1;
	s = memory_zeroed(1, sizeof(*s));
	text_print(&s->path, "%s/%s", folder, file_name);
	if (store_check_header(s->path, mode, e) || store_connect(s, mode, e)) {
		store_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

const char *store_file(const struct store *s)
{
	return s->path;
}

int store_has_digests(const struct store *s)
{
	return s->has_digests;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	flow_cache_free(s->flow_cache);
	free(s->path);
	free(s);
}
