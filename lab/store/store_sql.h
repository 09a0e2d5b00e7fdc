/* SPDX-License-Identifier: BSD-3-Clause */
/* store_sql.h -- the store's file as SQLite sees it: for store*.c alone. */
#ifndef LAB_STORE_STORE_SQL_H
#define LAB_STORE_STORE_SQL_H
#include "lab/store/store.h"
#include <sqlite3.h>

enum {
	STORE_APPLICATION = 0x57656972, /* "Weir", at byte 68 of the file */
	STORE_SCHEMA = 4,               /* changes when a table does, at byte 60 */
	STORE_SCHEMA_SEALED = 3,        /* lacks columns since 4: is read; writing adds them */
	STORE_SCHEMA_BARE = 2,          /* without digests, too: is read, and sealed by writing */
};

struct flow_shelf;

struct store {
	sqlite3 *db;
	char *path;               /* of the file, for messages */
	int form;                 /* one of the three above */
	int has_digests;          /* 0: of the bare form, nothing can be compared */
	int is_still;             /* 1: what is read stays as it is until it is closed */
	struct flow_shelf *shelf; /* NULL: no flows were asked for */
};

/* In store_flows.c. */
void flow_shelf_free(struct flow_shelf *shelf);

/* Says what SQLite complains of, as "FOLDER/results.db: ...". Returns -1. */
int store_fail(struct store *s, struct weir_error *e);

/* Statements without results. */
int store_exec(struct store *s, const char *sql, struct weir_error *e);

/* One statement, for the caller to finalize; NULL with a message. */
sqlite3_stmt *store_prepare(struct store *s, const char *sql, struct weir_error *e);

/* The same, with its first parameter set to a run. */
sqlite3_stmt *store_prepare_run(struct store *s, const char *sql, int64_t run,
				struct weir_error *e);

/* Runs a statement to its end and readies it for the next row. */
int store_step(struct store *s, sqlite3_stmt *q, struct weir_error *e);

/* One number. */
int store_number(struct store *s, const char *sql, int64_t *number, struct weir_error *e);

/* Eight bytes of a text, a blob or a list. */
static inline uint64_t little_endian(const unsigned char *bytes)
{
	uint64_t number = 0;

	for (int i = 0; i < 8; i++)
		number |= (uint64_t)bytes[i] << (8 * i);
	return number;
}

/* --- tables as SQL says them: store_table.c --- */

enum { STORE_SQL_SIZE = 1024 };
struct store_sql {
	char text[STORE_SQL_SIZE];
};

struct store_sql table_create(const struct table *t);
struct store_sql table_insert(const struct table *t); /* first parameter: the run, but of runs */
/* Rows of the run that is its parameter, in a store of that form; later columns are NULL. */
struct store_sql table_select(const struct table *t, int form);

/* Sets all parameters of table_insert but the run. Returns SQLite's code. */
int table_bind(sqlite3_stmt *q, const struct table *t, const void *row, int64_t place);

/* A row of table_select by its values, but for lists; texts are SQLite's. Non-zero: a text or a
 * time is none. */
int table_read(const struct table *t, void *row, sqlite3_value *const *values);

/* The numbers of a list, for the caller to free. */
void *list_read(sqlite3_value *list, uint64_t count);

/* Has it as many numbers as it should? */
int list_is_whole(sqlite3_value *list, uint64_t count);

/* --- rows with digests: store_digest.c --- */

/* Every table of a run (enum table_id) is a part; these are of the store. */
enum store_part { ROWS_LIST = RUN_TABLES, ROWS_PLAN, STORE_PARTS };

struct rows_of {
	int64_t run; /* 0: of the store */
	int part;
};

#define STORE_LIST ((struct rows_of){ 0, ROWS_LIST })
#define STORE_PLANNED_KEYS ((struct rows_of){ 0, ROWS_PLAN })

/* Who wants to see rows, by their values in the columns of table_select. SQLite looks a value up
 * for each that asks; here it is done once for all. (What sqlite3_column_value gives may be read
 * where a connection belongs to one thread.) */
struct row_taker {
	void (*take)(void *context, sqlite3_value *const *values);
	void *context;
};

/* Shows every row (t NULL: to nobody) and compares them with their digest: what was shown counts
 * only where this returns 0. */
int store_each_row(struct store *s, struct rows_of rows, const struct row_taker *t,
		   struct weir_error *e);

/* A value, mixed into what was before. */
uint64_t store_hash_value(uint64_t before, sqlite3_value *value);

/* Writes digests of what is there now; for whoever has just put it there. */
int store_seal(struct store *s, struct rows_of rows, struct weir_error *e);
int store_seal_run(struct store *s, int64_t run, struct weir_error *e);
int store_seal_all(struct store *s, struct weir_error *e);

/* --- which runs there are: store_plan.c --- */

struct listed_run {
	int64_t id, place; /* place: in the plan */
	int is_planned;
	char key[RUN_KEY_SIZE];
};

struct run_list {
	uint64_t count, room;
	struct listed_run *runs; /* in the order of the plan; others after these, as added */
	uint64_t planned, done;  /* keys of the plan, and how many of these are there */
};

/* On -1 nothing is left to free. */
int store_list(struct store *s, struct run_list *l, struct weir_error *e);
void run_list_free(struct run_list *l);

/* Removes all rows of a run, and of the run of a key, if there is one: store_add.c. */
int store_remove(struct store *s, int64_t run, struct weir_error *e);
int store_remove_key(struct store *s, const char *key, struct weir_error *e);

/* Makes the tables where there are none: store.c. */
int store_make_tables(struct store *s, struct weir_error *e);
#endif
