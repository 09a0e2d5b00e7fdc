/* SPDX-License-Identifier: BSD-3-Clause */
/* store_table.c -- the tables of columns.h as SQL: schema, inserting and reading rows. */
#include "lab/store/store_sql.h"
#include "base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- statements --- */

static void store_sql_add(struct store_sql *sql, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void store_sql_add(struct store_sql *sql, const char *format, ...)
{
	size_t used = strlen(sql->text);
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(sql->text + used, sizeof(sql->text) - used, format, arguments);
	va_end(arguments);
	assert(length >= 0 && (size_t)length < sizeof(sql->text) - used);
}

/* Runs and plan have ids of their own; rows of all other tables belong to a run. */
static int has_id(const struct table *t)
{
	return t->columns[0].type == COLUMN_ID;
}

static int is_key(const struct table *t, const struct column *c)
{
	return column_is_stored(c) && strcmp(c->name, t->key) == 0;
}

/* Primary key: the run and the table's key, WITHOUT ROWID; tables with long lists keep SQLite's
 * rowid, which is faster for long rows. */
struct store_sql table_create(const struct table *t)
{
	struct store_sql sql = { "" };
	int lists = 0;

	store_sql_add(&sql, "CREATE TABLE %s (", t->name);
	if (!has_id(t))
		store_sql_add(&sql, "run INTEGER NOT NULL, ");
	for (const struct column *c = t->columns; c->name; c++)
		if (is_key(t, c))
			store_sql_add(&sql, "%s %s", c->name, column_sql(c));
	for (const struct column *c = t->columns; c->name; c++) {
		if (column_is_stored(c) && !is_key(t, c))
			store_sql_add(&sql, ", %s %s", c->name, column_sql(c));
		lists += column_is_list(c);
	}
	if (!has_id(t))
		store_sql_add(&sql, ", PRIMARY KEY (run, %s)", t->key);
	store_sql_add(&sql, has_id(t) || lists > 0 ? ");" : ") WITHOUT ROWID;");
	return sql;
}

/* Columns of later schemas are selected as NULL. */
static void store_sql_add_names(struct store_sql *sql, const struct table *t, enum column_type but,
				int schema)
{
	const char *comma = "";

	for (const struct column *c = t->columns; c->name; c++) {
		if (!column_is_stored(c) || c->type == but)
			continue;
		store_sql_add(sql, "%s%s", comma, c->since <= schema ? c->name : "NULL");
		comma = ", ";
	}
}

struct store_sql table_insert(const struct table *t)
{
	struct store_sql sql = { "" };
	const char *comma = has_id(t) ? "" : "?, ";

	store_sql_add(&sql, "INSERT INTO %s (%s", t->name, has_id(t) ? "" : "run, ");
	store_sql_add_names(&sql, t, COLUMN_ID, STORE_SCHEMA);
	store_sql_add(&sql, ") VALUES (");
	for (const struct column *c = t->columns; c->name; c++) {
		if (!column_is_stored(c) || c->type == COLUMN_ID)
			continue;
		store_sql_add(&sql, "%s?", comma);
		comma = ", ";
	}
	store_sql_add(&sql, ")");
	return sql;
}

struct store_sql table_select(const struct table *t, int schema)
{
	struct store_sql sql = { "" };

	store_sql_add(&sql, "SELECT ");
	store_sql_add_names(&sql, t, COLUMN_DERIVED, schema);
	store_sql_add(&sql, " FROM %s WHERE %s = ? ORDER BY %s", t->name,
		      has_id(t) ? t->key : "run", t->key);
	return sql;
}

/* --- rows going in --- */

static int table_bind_cell(sqlite3_stmt *q, int at, struct cell cell)
{
	switch (cell.kind) {
	case CELL_INTEGER:
	case CELL_FLAG:
		return sqlite3_bind_int64(q, at, cell.integer);
	case CELL_REAL:
		return sqlite3_bind_double(q, at, cell.real); /* NAN becomes NULL */
	case CELL_TEXT:
		return sqlite3_bind_text(q, at, cell.text, -1, SQLITE_TRANSIENT);
	case CELL_UNKNOWN:
		break;
	}
	return sqlite3_bind_null(q, at);
}

/* Binds a list of `count` points (series only). */
static int table_bind_list(sqlite3_stmt *q, int at, const struct column *c,
			   const struct stored_series *row)
{
	unsigned char *bytes = memory_grow(NULL, row->count, sizeof(uint64_t));

	for (uint64_t i = 0; i < row->count; i++) {
		struct cell cell = column_cell(c, row, i);
		uint64_t bits = (uint64_t)cell.integer;

		if (cell.kind == CELL_REAL)
			memcpy(&bits, &cell.real, sizeof(bits));
		for (size_t k = 0; k < sizeof(bits); k++)
			bytes[sizeof(bits) * i + k] = (unsigned char)(bits >> (8 * k));
	}
	return sqlite3_bind_blob64(q, at, bytes, sizeof(uint64_t) * row->count, free);
}

int table_bind(sqlite3_stmt *q, const struct table *t, const void *row, int64_t place)
{
	int at = has_id(t) ? 1 : 2, code = SQLITE_OK;

	for (const struct column *c = t->columns; c->name && code == SQLITE_OK; c++) {
		if (!column_is_stored(c) || c->type == COLUMN_ID)
			continue;
		if (c->type == COLUMN_PLACE)
			code = sqlite3_bind_int64(q, at++, place);
		else if (column_is_list(c))
			code = table_bind_list(q, at++, c, row);
		else
			code = table_bind_cell(q, at++, column_cell(c, row, 0));
	}
	return code;
}

/* --- rows coming out --- */

/* NULL is read as -1, unknown. */
static int64_t value_known(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL ? -1 : sqlite3_value_int64(value);
}

static int table_read_column(const struct column *c, void *field, sqlite3_value *value)
{
	int64_t known;

	switch (c->type) {
	case COLUMN_KEY:
	case COLUMN_TEXT:
		*(const char **)field = (const char *)sqlite3_value_text(value);
		return *(const char **)field == NULL;
	case COLUMN_MAYBE_TEXT:
		*(const char **)field = (const char *)sqlite3_value_text(value);
		return 0;
	case COLUMN_COUNT32:
		*(uint32_t *)field = (uint32_t)sqlite3_value_int64(value);
		return 0;
	case COLUMN_COUNT:
		*(uint64_t *)field = (uint64_t)sqlite3_value_int64(value);
		return 0;
	case COLUMN_FLAG:
		*(int *)field = sqlite3_value_int(value);
		return 0;
	case COLUMN_TIME:
		/* times are not negative, so that no difference of two overflows */
		*(int64_t *)field = sqlite3_value_int64(value);
		return *(int64_t *)field < 0;
	case COLUMN_MAYBE_TIME:
		*(int64_t *)field = value_known(value);
		return 0;
	case COLUMN_MAYBE_SIZE:
		known = value_known(value);
		*(uint64_t *)field = known < 0 ? FLOW_UNLIMITED : (uint64_t)known;
		return 0;
	case COLUMN_REAL:
	case COLUMN_MAYBE_REAL:
		*(double *)field = sqlite3_value_type(value) == SQLITE_NULL
					   ? (double)NAN
					   : sqlite3_value_double(value);
		return 0;
	case COLUMN_DERIVED:
	case COLUMN_ID:
	case COLUMN_PLACE:
	case COLUMN_TIMES:
	case COLUMN_REALS:
	case COLUMN_TYPES:
		break;
	}
	return 0;
}

int table_read(const struct table *t, void *row, sqlite3_value *const *values)
{
	int at = 0, is_odd = 0;

	for (const struct column *c = t->columns; c->name; c++)
		if (column_is_stored(c))
			is_odd |= table_read_column(c, (char *)row + c->offset, values[at++]);
	return is_odd;
}

/* count is untrusted; SQLite's values have less than 2^31 bytes, so accepted counts cannot overflow
 * later. */
int list_is_whole(sqlite3_value *list, uint64_t count)
{
	const size_t one = sizeof(uint64_t);
	size_t size = (size_t)sqlite3_value_bytes(list);

	return size % one == 0 && size / one == count;
}

/* Integers and doubles are both stored as eight little-endian bytes. */
void *list_read(sqlite3_value *list, uint64_t count)
{
	const unsigned char *bytes = sqlite3_value_blob(list);
	char *numbers = memory_grow(NULL, count, sizeof(uint64_t));

	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits = little_endian(bytes + sizeof(bits) * i);

		memcpy(numbers + sizeof(bits) * i, &bits, sizeof(bits));
	}
	return numbers;
}
