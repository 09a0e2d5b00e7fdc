/* SPDX-License-Identifier: BSD-3-Clause */
/* columns.h -- what is known of a run, declared once: table by table, column by column.
 *
 * The schema of a store, the rows that are written and read, the order of their digests, CSV, JSON
 * and the tables of docs/reference/results.md are all derived from table_all. A new column is a
 * line there and a field of its row, which the code that measures it fills in. (A new stored column
 * changes STORE_SCHEMA.) All tables are constant.
 *
 * Rows are made from a run that has just ended (finished_each) or read from a store (store_each);
 * code that writes them out does not depend on which. */
#ifndef LAB_STORE_COLUMNS_H
#define LAB_STORE_COLUMNS_H
#include "sim/run/run.h"
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
	COLUMN_DERIVED,    /* derived from other columns, in exports only */
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
	VIEW_STORE = 4, /* runs read from a store, not one that has just ended */
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
	/* What show returns, besides CELL_UNKNOWN: CELL_REAL for numbers. */
	enum cell_kind shows;
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

/* The kind of its exported values: CELL_REAL also for whole numbers that may be unknown. */
enum cell_kind column_shown_kind(const struct column *c);

static inline int column_is_list(const struct column *c)
{
	return c->type == COLUMN_TIMES || c->type == COLUMN_REALS;
}

/* Writes the part of docs/reference/results.md that is generated from the tables, as Markdown. */
void columns_markdown(FILE *f);

/* --- rows: what the columns describe --- */

/* Receives rows; returns non-zero to stop, which is not an error. */
struct row_visitor {
	int (*visit)(void *context, const void *row);
	void *context;
};

struct run_head {
	const char *key, *title, *version;
	double wall_seconds;
	const char *held_up; /* why a real-time run was disturbed; NULL: it was not */
	int partial;         /* 1: interrupted before its end; never in a store */
};

struct setting_row {
	const char *path, *value;
};

struct metric_row {
	const char *name;
	double value; /* NAN: unknown */
};

/* Name of a metric of one traffic section: "round_mean_ns of ai". */
enum { SECTION_METRIC_SIZE = 192 };

void section_metric_name(char name[SECTION_METRIC_SIZE], const char *metric, const char *section);

struct traffic_row {
	const char *name;
};

/* Rows of TABLE_REASON are struct reason_count. */

struct stored_flow {
	uint32_t flow;
	const char *traffic; /* name of its traffic section */
	uint32_t section;    /* number of the section */
	uint32_t class_id, src, dst;
	uint64_t size_bytes;                   /* FLOW_UNLIMITED */
	int64_t start_ps, finish_ps, ideal_ps; /* -1: unknown */
};

struct stored_port {
	const char *name;          /* "leaf0->h3" */
	int measured;              /* 1: the run's queue metrics refer to this port */
	struct port_result result; /* its link number is not valid */
};

/* PFC pauses of one class of a link. */
struct stored_pause {
	const char *link;           /* "leaf0->h3", "h3->leaf0" */
	struct pause_result result; /* its link number is not valid */
};

/* One sampled or traced quantity, as struct series of sim/measure/result.h. */
struct stored_series {
	const char *name, *unit;
	uint64_t count;
	const int64_t *time_ps;
	const double *value;
};

/* A run that has just ended. */
struct finished_run {
	const char *key;
	const struct config *c;
	const struct run_result *r;
};

/* Visits the rows of one of its tables. */
int finished_each(const struct finished_run *f, enum table_id table, const struct row_visitor *v,
		  struct weir_error *e);
#endif
