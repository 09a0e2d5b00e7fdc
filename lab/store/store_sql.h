/* store_sql.h -- the store's file as SQLite sees it: for store*.c alone. */
#ifndef LAB_STORE_STORE_SQL_H
#define LAB_STORE_STORE_SQL_H
#include "lab/store/store.h"
#include <sqlite3.h>

enum {
	STORE_APPLICATION = 0x57656972, /* "Weir", at byte 68 of the file */
	STORE_SCHEMA = 3,               /* changes when a table does, at byte 60 */
	STORE_SCHEMA_BARE = 2, /* the same without digests: is read, and sealed by writing */
};

struct store {
	sqlite3 *db;
	char *path;      /* of the file, for messages */
	int has_digests; /* 0: of the form before, nothing can be compared */
};

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

/* Numbers in blobs. */
static inline uint64_t little_endian(const unsigned char *bytes)
{
	uint64_t number = 0;

	for (int i = 0; i < 8; i++)
		number |= (uint64_t)bytes[i] << (8 * i);
	return number;
}

/* --- rows with digests: store_digest.c --- */

/* Those of a run, each a table; then those of the store. */
enum store_part {
	ROWS_RUN,
	ROWS_SETTING,
	ROWS_METRIC,
	ROWS_REASON,
	ROWS_TRAFFIC,
	ROWS_FLOW,
	ROWS_PORT,
	ROWS_PAUSES,
	ROWS_SERIES,
	STORE_RUN_PARTS,
	ROWS_LIST = STORE_RUN_PARTS,
	ROWS_PLAN,
	STORE_PARTS,
};

struct rows_of {
	int64_t run; /* 0: of the store */
	enum store_part part;
};

#define STORE_LIST ((struct rows_of){ 0, ROWS_LIST })
#define STORE_PLANNED_KEYS ((struct rows_of){ 0, ROWS_PLAN })

/* Who wants to see rows, in the columns of store_digest.c. Non-zero: there is no memory. */
struct row_taker {
	int (*take)(void *context, sqlite3_stmt *q);
	void *context;
};

/* Shows every row (t NULL: to nobody) and compares them with their digest: what was shown counts only
 * where this returns 0. */
int store_each_row(struct store *s, struct rows_of rows, const struct row_taker *t,
		   struct weir_error *e);

/* Writes digests of what is there now; for whoever has just put it there. */
int store_seal(struct store *s, struct rows_of rows, struct weir_error *e);
int store_seal_run(struct store *s, int64_t run, struct weir_error *e);
int store_seal_all(struct store *s, struct weir_error *e);

/* --- which runs there are: store_plan.c --- */

struct run_list {
	uint64_t count, room;
	struct listed_run {
		int64_t id, place; /* place: in the plan */
		int is_planned;
		char key[RUN_KEY_SIZE];
	} * runs;               /* in the order of the plan; others after these, as added */
	uint64_t planned, done; /* keys of the plan, and how many of these are there */
};

/* On -1 nothing is left to free. */
int store_list(struct store *s, struct run_list *l, struct weir_error *e);
void run_list_free(struct run_list *l);

/* Removes all rows of a run: store_add.c. */
int store_remove(struct store *s, int64_t run, struct weir_error *e);
#endif
