/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.h -- what is known of a run, table by table and column by column, declared once.
 *
 * The schema of a store, the rows that go into it and come out of it, the order of their digests,
 * CSV, JSON and the tables of docs/reference/results.md all follow from table_all. A new column is
 * a line there and a field of its row, which whoever measures it fills. (Columns of the store are
 * part of its form: STORE_SCHEMA.) */
#ifndef LAB_STORE_COLUMNS_H
#define LAB_STORE_COLUMNS_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Tables of a run come first: their numbers are hashed into digests. */
enum table_id {
	TABLE_RUN,
	TABLE_SETTING,
	TABLE_METRIC,
	TABLE_REASON,
	TABLE_TRAFFIC,
	TABLE_FLOW,
	TABLE_PORT,
	TABLE_PAUSES,
	TABLE_SERIES,
	RUN_TABLES,
	TABLE_PLAN = RUN_TABLES,
	TABLE_DIGEST,
	TABLES,
};

/* Type of a column in the store, and of the field of its row. */
enum column_type {
	COLUMN_MADE,       /* derived from other columns, in exports only */
	COLUMN_ID,         /* SQLite's rowid; no field */
	COLUMN_KEY,        /* const char *, unique */
	COLUMN_PLACE,      /* number of the row within the run; no field */
	COLUMN_COUNT32,    /* uint32_t */
	COLUMN_COUNT,      /* uint64_t */
	COLUMN_FLAG,       /* int */
	COLUMN_TIME,       /* int64_t; never negative */
	COLUMN_MAYBE_TIME, /* int64_t; negative: unknown */
	COLUMN_MAYBE_SIZE, /* uint64_t; FLOW_UNLIMITED: none */
	COLUMN_REAL,       /* double */
	COLUMN_MAYBE_REAL, /* double; not finite: unknown */
	COLUMN_TEXT,       /* const char * */
	COLUMN_MAYBE_TEXT, /* const char *; NULL: none */
	COLUMN_TIMES,      /* const int64_t *, one per point of the row */
	COLUMN_REALS,      /* const double *, one per point of the row */
	COLUMN_TYPES,
};

/* Outputs that show tables; a column may be hidden in some. */
enum view {
	VIEW_CSV = 1,
	VIEW_JSON = 2,
	VIEW_KEPT = 4, /* runs read from a store, not one that has just ended */
	VIEW_EVERY = 7,
};

/* A value of a row, for exports. */
struct cell {
	enum cell_kind { CELL_UNKNOWN, CELL_INTEGER, CELL_FLAG, CELL_REAL, CELL_TEXT } kind;
	int64_t integer; /* integers and flags */
	double real;     /* not finite: unknown */
	const char *text;
};

struct column {
	const char *name; /* NULL terminates a table */
	enum column_type type;
	size_t offset; /* of the row's field */
	const char *unit;
	const char *help;
	const char *csv;                      /* name in CSV; NULL: the same */
	unsigned hidden_in;                   /* bit set of enum view */
	struct cell (*show)(const void *row); /* value in exports; NULL: the stored one */
	/* Schema version (store_sql.h) that introduced the column; 0: present in all. Such a column
	 * may be NULL, which is its value in runs of earlier schemas; NULL is not hashed, so their
	 * digests stay valid. */
	int since;
};

struct table {
	const char *name;             /* in the store */
	const char *key;              /* column that identifies and orders the rows of a run */
	const struct column *columns; /* in the order in which digests hash them */
	/* Name in JSON; with ".csv", the file's name. NULL: not exported, or as part of runs. */
	const char *export_name;
	enum { JSON_OBJECTS, JSON_ROWS } json; /* OBJECTS for few rows, ROWS for many */
	const char *words;                     /* for messages */
};

extern const struct table table_all[TABLES];

int column_is_stored(const struct column *c);

/* The column's SQL type, "INTEGER NOT NULL"; NULL: not stored. */
const char *column_sql(const struct column *c);

/* The column's name in CSV and in rows of JSON. */
const char *column_csv_name(const struct column *c);

/* The stored value, and the exported one; point: index into a list. */
struct cell column_cell(const struct column *c, const void *row, uint64_t point);
struct cell column_shown(const struct column *c, const void *row, uint64_t point);

static inline int column_is_list(const struct column *c)
{
	return c->type == COLUMN_TIMES || c->type == COLUMN_REALS;
}

/* Receives rows; returns non-zero to stop, which is not an error. */
struct row_visitor {
	int (*see)(void *context, const void *row);
	void *context;
};

/* Writes the part of docs/reference/results.md that is generated from the tables, as Markdown. */
void columns_markdown(FILE *f);
#endif
