/* store_sql.h -- the store's file as SQLite sees it: for store*.c alone. */
#ifndef LAB_STORE_SQL_H
#define LAB_STORE_SQL_H
#include "lab/store.h"
#include <sqlite3.h>

enum {
	STORE_APPLICATION = 0x57656972, /* "Weir", at byte 68 of the file */
	STORE_SCHEMA = 2,               /* changes when a table does, at byte 60 */
};

struct store {
	sqlite3 *db;
	char *path; /* of the file, for messages */
};

/* Says what SQLite complains of, as "FOLDER/results.db: ...". Returns -1. */
int store_fail(struct store *s, struct error *e);

/* Statements without results. */
int store_exec(struct store *s, const char *sql, struct error *e);

/* One statement, for the caller to finalize; NULL with a message. */
sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct error *e);

/* The same, with its first parameter set to a run. */
sqlite3_stmt *store_prepare_run(struct store *s, const char *sql, int64_t run, struct error *e);

/* Runs a statement to its end and readies it for the next row. */
int store_step(struct store *s, sqlite3_stmt *q, struct error *e);
#endif
