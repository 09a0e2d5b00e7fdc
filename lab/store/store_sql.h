/* SPDX-License-Identifier: BSD-3-Clause */
/* store_sql.h -- the store's file in terms of SQLite. Private to the files of this directory (and
 * tests, which damage files). */
#ifndef LAB_STORE_STORE_SQL_H
#define LAB_STORE_STORE_SQL_H
#include "lab/store/store.h"
#include <sqlite3.h>

enum {
	STORE_APPLICATION = 0x57656972, /* "Weir", at byte 68 of the file */
	STORE_SCHEMA = 4,               /* changes with any table; at byte 60 of the file */
	STORE_SCHEMA_DIGESTS =
		3, /* lacks columns added by 4; readable; opening for writing adds them */
	STORE_SCHEMA_NO_DIGESTS =
		2, /* also lacks digests; readable; opening for writing adds them */
};

struct flow_cache;

struct store {
	sqlite3 *db;
	char *path;                    /* path of the file, for messages */
	int schema;                    /* one of the three above */
	int has_digests;               /* 0: STORE_SCHEMA_NO_DIGESTS, nothing can be checked */
	int has_snapshot;              /* 1: reads from one snapshot until it is closed */
	struct flow_cache *flow_cache; /* NULL: no flows were read yet */
};

void flow_cache_free(struct flow_cache *cache);

/* Reports SQLite's error as "FOLDER/results.db: ..."; returns -1. */
int store_fail(struct store *s, struct weir_error *e);

/* Executes statements without results. */
int store_exec(struct store *s, const char *sql, struct weir_error *e);

/* One statement, which the caller finalizes; NULL: message. */
sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct weir_error *e);

/* The same, with the run bound to its first parameter. */
sqlite3_stmt *store_prepare_run(struct store *s, const char *sql, int64_t run,
				struct weir_error *e);

/* Runs a statement to its end and resets it for the next row. */
int store_step(struct store *s, sqlite3_stmt *q, struct weir_error *e);

/* Ends a transaction: rolls it back if it failed (the COMMIT included). Returns 0, or -1 if it
 * failed. */
int store_end(struct store *s, int failed);

/* Reads eight bytes, least significant first. */
static inline uint64_t little_endian(const unsigned char *bytes)
{
	uint64_t number = 0;

	for (int i = 0; i < 8; i++)
		number |= (uint64_t)bytes[i] << (8 * i);
	return number;
}

/* --- SQL statements of the tables: store_table.c --- */

enum { STORE_SQL_SIZE = 1024 };
struct store_sql {
	char text[STORE_SQL_SIZE];
};

struct store_sql table_create(const struct table *t);
struct store_sql
table_insert(const struct table *t); /* first parameter: the run, except for TABLE_RUN */
/* Selects the rows of the run in its parameter, in a store of that schema; later columns are
 * NULL. */
struct store_sql table_select(const struct table *t, int schema);

/* Binds all parameters of table_insert except the run. Returns SQLite's code. */
int table_bind(sqlite3_stmt *q, const struct table *t, const void *row, int64_t place);

/* Fills a row from the values of table_select, except lists. Texts belong to SQLite. Non-zero: a
 * text or time is malformed. */
int table_read(const struct table *t, void *row, sqlite3_value *const *values);

/* The numbers of a list, which the caller frees. */
void *list_read(sqlite3_value *list, uint64_t count);

/* Does the list have `count` numbers? */
int list_is_whole(sqlite3_value *list, uint64_t count);

/* --- rows with digests: store_digest.c --- */

/* A part is what one digest covers: each table of a run (enum table_id), and these two of the
 * store. */
enum store_part { ROWS_LIST = RUN_TABLES, ROWS_PLAN, STORE_PARTS };

struct part_id {
	int64_t run; /* 0: a part of the store */
	int part;
};

#define STORE_LIST ((struct part_id){ 0, ROWS_LIST })
#define STORE_PLANNED_KEYS ((struct part_id){ 0, ROWS_PLAN })

/* Receives rows as values of the columns of table_select. Each value is fetched once, for hashing
 * and for the receiver. (Values of sqlite3_column_value may be read, because a connection belongs
 * to one thread.) */
struct row_receiver {
	void (*receive)(void *context, sqlite3_value *const *values);
	void *context;
};

/* Passes every row to t (NULL: disabled) and compares them with their digest. Unless it returns 0,
 * the rows must be discarded. */
int store_each_row(struct store *s, struct part_id rows, const struct row_receiver *t,
		   struct weir_error *e);

/* Hashes a value into `before`. */
uint64_t store_hash_value(uint64_t before, sqlite3_value *value);

/* Writes digests of the present rows. To be called by writers only, in the transaction of the
 * write. */
int store_write_digest(struct store *s, struct part_id rows, struct weir_error *e);
int store_write_run_digests(struct store *s, int64_t run, struct weir_error *e);
int store_write_all_digests(struct store *s, struct weir_error *e);

/* --- which runs there are: store_plan.c --- */

struct listed_run {
	int64_t id, place; /* place: position in the plan */
	int is_planned;
	char key[RUN_KEY_SIZE];
};

struct run_list {
	uint64_t count, room;
	struct listed_run *runs; /* in plan order, then others in the order of their addition */
	uint64_t planned,
		done; /* number of keys in the plan; of these, number of runs in the store */
};

/* On -1 there is nothing to free. */
int store_list(struct store *s, struct run_list *l, struct weir_error *e);
void run_list_free(struct run_list *l);

/* Removes all rows of a run, or of the run of that key, if any. */
int store_remove(struct store *s, int64_t run, struct weir_error *e);

/* Creates the tables if there are none: store.c. */
int store_make_tables(struct store *s, struct weir_error *e);
#endif
