/* SPDX-License-Identifier: BSD-3-Clause */
/* store_read.c -- what is in the store, for tables, exports and reports. */
#include "base/text.h"
#include "lab/store/store_sql.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* --- rows --- */

/* Buffer for a row of any table. */
union any_row {
	struct run_head run;
	struct setting_row setting;
	struct metric_row metric;
	struct reason_count reason;
	struct traffic_row traffic;
	struct stored_flow flow;
	struct stored_port port;
	struct stored_pause pause;
	struct stored_series series;
};

/* State of a visit to the rows of a table. */
struct visit {
	const struct table *table;
	const struct row_visitor *visitor;
	int ended;           /* the visitor has stopped; the rest is only hashed */
	int is_odd;          /* a value is malformed; the row was not passed on */
	uint32_t name_count; /* number of names of [traffic] sections */
	char **names;
};

static void pass_row(struct visit *v, const void *row)
{
	if (!v->ended && !v->is_odd)
		v->ended = v->visitor->see(v->visitor->context, row) != 0;
}

static void show_row(void *context, sqlite3_value *const *values)
{
	struct visit *v = context;
	union any_row row;

	memset(&row, 0, sizeof(row)); /* stored runs are never partial */
	v->is_odd |= table_read(v->table, &row, values);
	pass_row(v, &row);
}

static void show_flow(void *context, sqlite3_value *const *values)
{
	struct visit *v = context;
	struct stored_flow f;

	v->is_odd |= table_read(v->table, &f, values);
	f.traffic = f.section < v->name_count ? v->names[f.section] : "";
	pass_row(v, &f);
}

/* Index of a column among those of table_select. */
static int column_place(const struct table *t, enum column_type type)
{
	int at = 0;

	for (const struct column *c = t->columns; c->type != type; c++)
		at += column_is_stored(c);
	return at;
}

static void show_series(void *context, sqlite3_value *const *values)
{
	struct visit *v = context;
	sqlite3_value *times = values[column_place(v->table, COLUMN_TIMES)],
		      *reals = values[column_place(v->table, COLUMN_REALS)];
	struct stored_series one;
	int64_t *time_ps;
	double *value;

	v->is_odd |= table_read(v->table, &one, values) || !list_is_whole(times, one.count) ||
		     !list_is_whole(reals, one.count);
	if (v->ended || v->is_odd)
		return;
	one.time_ps = time_ps = list_read(times, one.count);
	one.value = value = list_read(reals, one.count);
	for (uint64_t i = 0; i < one.count; i++)
		v->is_odd |= time_ps[i] < 0;
	pass_row(v, &one);
	free(time_ps);
	free(value);
}

static int visit_rows(struct store *s, struct rows_of rows, struct visit *v, struct weir_error *e)
{
	const struct row_taker taker = { rows.part == TABLE_FLOW     ? show_flow
					 : rows.part == TABLE_SERIES ? show_series
								     : show_row,
					 v };

	v->table = &table_all[rows.part];
	if (store_each_row(s, rows, &taker, e))
		return -1;
	return v->is_odd ? weir_error_set(e,
					  "%.300s: is damaged (a text, a time or a series is none)",
					  s->path)
			 : 0;
}

static int keep_name(void *context, const void *row)
{
	const struct traffic_row *traffic = row;
	struct visit *v = context;

	v->names = memory_grow(v->names, v->name_count + UINT64_C(1), sizeof(*v->names));
	v->names[v->name_count++] = text_copy(traffic->name);
	return 0;
}

int store_each(struct store *s, int64_t run, enum table_id table, const struct row_visitor *visitor,
	       struct weir_error *e)
{
	struct visit v = { .visitor = visitor };
	const struct row_visitor names = { keep_name, &v };
	struct visit sections = { .visitor = &names };
	int failed = (table == TABLE_FLOW &&
		      visit_rows(s, (struct rows_of){ run, TABLE_TRAFFIC }, &sections, e)) ||
		     visit_rows(s, (struct rows_of){ run, (int)table }, &v, e);

	for (uint32_t i = 0; i < v.name_count; i++)
		free(v.names[i]);
	free(v.names);
	return failed ? -1 : 0;
}

/* --- runs --- */

static int read_run(struct store *s, const struct listed_run *listed, struct stored_run *run,
		    struct weir_error *e)
{
	const struct rows_from from = { .store = s, .run = listed->id };

	memset(run, 0, sizeof(*run));
	run->id = listed->id;
	run->planned = listed->is_planned;
	memcpy(run->key, listed->key, sizeof(run->key));
	if (stored_run_fill(run, &from, e))
		return -1;
	/* Without digests nothing else detects a run that has no row of its own. */
	return run->title ? 0
			  : weir_error_set(e, "%.300s: is damaged (run %s is not there)", s->path,
					   run->key);
}

/* The id of the run of that key, without reading the list of all runs; -1: message. */
static int64_t find_run(struct store *s, const char *key, struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s, "SELECT id FROM run WHERE key = ?", e);
	int64_t id = -1;
	int code;

	if (!q)
		return -1;
	sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
	code = sqlite3_step(q);
	if (code == SQLITE_ROW)
		id = sqlite3_column_int64(q, 0);
	else if (code == SQLITE_DONE)
		weir_error_set(e, "%.300s: run %s is not there", s->path, key);
	else
		store_fail(s, e);
	sqlite3_finalize(q);
	return id;
}

int store_run_of_key(struct store *s, const char *key, struct stored_run *run, struct weir_error *e)
{
	struct listed_run listed = { .is_planned = 1 };

	memset(run, 0, sizeof(*run));
	listed.id = find_run(s, key, e);
	snprintf(listed.key, sizeof(listed.key), "%s", key);
	return listed.id < 0 ? -1 : read_run(s, &listed, run, e);
}

static int read_listed(struct store *s, const struct run_list *l, struct stored_runs *runs,
		       struct weir_error *e)
{
	uint64_t wanted = runs->left_out ? l->done : l->count;

	runs->runs = memory_zeroed(wanted, sizeof(*runs->runs));
	for (; runs->count < wanted; runs->count++)
		if (read_run(s, &l->runs[runs->count], &runs->runs[runs->count], e)) {
			runs->count++; /* counted now, so that it is freed on failure */
			return -1;
		}
	return 0;
}

int store_runs(struct store *s, enum store_scope scope, struct stored_runs *runs,
	       struct weir_error *e)
{
	struct run_list l;
	int failed;

	memset(runs, 0, sizeof(*runs));
	failed = store_list(s, &l, e);
	if (!failed) {
		if (scope == STORE_PLANNED && l.planned)
			runs->left_out = (uint32_t)(l.count - l.done);
		failed = read_listed(s, &l, runs, e);
		run_list_free(&l);
	}
	if (failed)
		stored_runs_free(runs);
	return failed;
}

/* --- the long tables of a run, by the types of their rows --- */

struct typed_visit {
	void *context;
	int (*flow)(void *, const struct stored_flow *);
	int (*port)(void *, const struct stored_port *);
	int (*pause)(void *, const struct stored_pause *);
	int (*series)(void *, const struct stored_series *);
};

static int see_flow(void *context, const void *row)
{
	const struct typed_visit *v = context;

	return v->flow(v->context, row) != 0;
}

static int see_port(void *context, const void *row)
{
	const struct typed_visit *v = context;

	return v->port(v->context, row) != 0;
}

static int see_pause(void *context, const void *row)
{
	const struct typed_visit *v = context;

	return v->pause(v->context, row) != 0;
}

static int see_series(void *context, const void *row)
{
	const struct typed_visit *v = context;

	return v->series(v->context, row) != 0;
}

int store_each_flow(struct store *s, int64_t run, int (*visit)(void *, const struct stored_flow *),
		    void *context, struct weir_error *e)
{
	struct typed_visit v = { .context = context, .flow = visit };

	return store_each(s, run, TABLE_FLOW, &(struct row_visitor){ see_flow, &v }, e);
}

int store_each_port(struct store *s, int64_t run, int (*visit)(void *, const struct stored_port *),
		    void *context, struct weir_error *e)
{
	struct typed_visit v = { .context = context, .port = visit };

	return store_each(s, run, TABLE_PORT, &(struct row_visitor){ see_port, &v }, e);
}

int store_each_pause(struct store *s, int64_t run,
		     int (*visit)(void *, const struct stored_pause *), void *context,
		     struct weir_error *e)
{
	struct typed_visit v = { .context = context, .pause = visit };

	return store_each(s, run, TABLE_PAUSES, &(struct row_visitor){ see_pause, &v }, e);
}

int store_each_series(struct store *s, int64_t run,
		      int (*visit)(void *, const struct stored_series *), void *context,
		      struct weir_error *e)
{
	struct typed_visit v = { .context = context, .series = visit };

	return store_each(s, run, TABLE_SERIES, &(struct row_visitor){ see_series, &v }, e);
}
