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

/* Those of a run first: their numbers are in the digests. */
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

/* What a column is in the store, and which field of the row holds it. */
enum column_type {
	COLUMN_MADE,       /* of other columns, for exports alone: nothing in the store */
	COLUMN_ID,         /* SQLite's own number of the row; no field */
	COLUMN_KEY,        /* const char *, unlike that of every other row */
	COLUMN_PLACE,      /* rows of the run count themselves; no field */
	COLUMN_COUNT32,    /* uint32_t */
	COLUMN_COUNT,      /* uint64_t */
	COLUMN_FLAG,       /* int */
	COLUMN_TIME,       /* int64_t; never negative */
	COLUMN_MAYBE_TIME, /* int64_t; negative: unknown */
	COLUMN_MAYBE_SIZE, /* uint64_t; FLOW_UNLIMITED: none */
	COLUMN_REAL,       /* double */
	COLUMN_MAYBE_REAL, /* double; not finite: unknown */
	COLUMN_TEXT,       /* const char * */
	COLUMN_MAYBE_TEXT, /* const char *; NULL: there is none */
	COLUMN_TIMES,      /* const int64_t *, as many as the row has points */
	COLUMN_REALS,      /* const double *, as many */
	COLUMN_TYPES,
};

/* Who looks at a table; a column may be hidden from some. */
enum view {
	VIEW_CSV = 1,
	VIEW_JSON = 2,
	VIEW_KEPT = 4, /* runs of a store, and not one that has just ended */
	VIEW_EVERY = 7,
};

/* A value on its way out of a row. */
struct cell {
	enum cell_kind { CELL_UNKNOWN, CELL_INTEGER, CELL_FLAG, CELL_REAL, CELL_TEXT } kind;
	int64_t integer; /* also of a flag */
	double real;     /* not finite: unknown, whoever shows it */
	const char *text;
};

struct column {
	const char *name; /* NULL ends a table */
	enum column_type type;
	size_t offset; /* of the field */
	const char *unit;
	const char *help;
	const char *csv;                      /* its name in CSV, where that is another */
	unsigned hidden_in;                   /* views */
	struct cell (*show)(const void *row); /* what exports show; NULL: what the store holds */
	/* The form of the store (store_sql.h) that first had it; 0: all have it. Such a column may
	 * hold NULL, which is what runs of earlier forms have in it and what their digests were
	 * made without. */
	int since;
};

struct table {
	const char *name; /* in the store */
	const char *key;  /* the column that tells the rows of a run apart and orders them */
	const struct column *columns; /* in the order of digests */
	/* In JSON; with ".csv" the file's name. NULL: not exported, or as a part of runs. */
	const char *export_name;
	enum { JSON_OBJECTS, JSON_ROWS } json; /* few of them, or many */
	const char *words;                     /* for messages */
};

extern const struct table table_all[TABLES];

/* Whether a column is in the store. */
int column_is_stored(const struct column *c);

/* What the columns say in SQL: "INTEGER NOT NULL". NULL: nothing. */
const char *column_sql(const struct column *c);

/* Its name in CSV and in JSON's rows. */
const char *column_csv_name(const struct column *c);

/* The value that is stored, and the one that is shown; point: which one of a list. */
struct cell column_cell(const struct column *c, const void *row, uint64_t point);
struct cell column_shown(const struct column *c, const void *row, uint64_t point);

static inline int column_is_list(const struct column *c)
{
	return c->type == COLUMN_TIMES || c->type == COLUMN_REALS;
}

/* Whoever wants to see rows. Non-zero: this was enough. */
struct row_visitor {
	int (*see)(void *context, const void *row);
	void *context;
};

/* The part of docs/reference/results.md that follows from the tables, as Markdown. */
void columns_markdown(FILE *f);
#endif
