/* SPDX-License-Identifier: BSD-3-Clause */
/* store_read.c -- reads runs and their rows, for tables, exports and reports. */
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
	int is_malformed;    /* a value is malformed; the row was not passed on */
	uint32_t name_count; /* number of names of [traffic] sections */
	char **names;
};

static void visit_pass(struct visit *v, const void *row)
{
	if (!v->ended && !v->is_malformed)
		v->ended = v->visitor->visit(v->visitor->context, row) != 0;
}

static void visit_row(void *context, sqlite3_value *const *values)
{
	struct visit *v = context;
	union any_row row;

	memset(&row, 0, sizeof(row)); /* stored runs are never partial */
	v->is_malformed |= table_read(v->table, &row, values);
	visit_pass(v, &row);
}

static void visit_flow(void *context, sqlite3_value *const *values)
{
	struct visit *v = context;
	struct stored_flow f;

	v->is_malformed |= table_read(v->table, &f, values);
	f.traffic = f.section < v->name_count ? v->names[f.section] : "";
	visit_pass(v, &f);
}

/* Index of a column among those of table_select. */
static int table_column_index(const struct table *t, enum column_type type)
{
	int at = 0;

	for (const struct column *c = t->columns; c->type != type; c++)
		at += column_is_stored(c);
	return at;
}

static void visit_series(void *context, sqlite3_value *const *values)
{
	struct visit *v = context;
	sqlite3_value *times = values[table_column_index(v->table, COLUMN_TIMES)],
		      *reals = values[table_column_index(v->table, COLUMN_REALS)];
	struct stored_series one;
	int64_t *time_ps;
	double *value;

	v->is_malformed |= table_read(v->table, &one, values) || !list_is_whole(times, one.count) ||
			   !list_is_whole(reals, one.count);
	if (v->ended || v->is_malformed)
		return;
	one.time_ps = time_ps = list_read(times, one.count);
	one.value = value = list_read(reals, one.count);
	for (uint64_t i = 0; i < one.count; i++)
		v->is_malformed |= time_ps[i] < 0;
	visit_pass(v, &one);
	free(time_ps);
	free(value);
}

static int store_visit_rows(struct store *s, struct part_id rows, struct visit *v,
			    struct weir_error *e)
{
	const struct row_receiver receiver = { rows.part == TABLE_FLOW     ? visit_flow
					       : rows.part == TABLE_SERIES ? visit_series
									   : visit_row,
					       v };

	v->table = &table_all[rows.part];
	if (store_each_row(s, rows, &receiver, e))
		return -1;
	return v->is_malformed
		       ? weir_error_set(e, "%.300s: is damaged (a malformed text, time or series)",
					s->path)
		       : 0;
}

static int visit_keep_name(void *context, const void *row)
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
	const struct row_visitor names = { visit_keep_name, &v };
	struct visit sections = { .visitor = &names };
	int failed = (table == TABLE_FLOW &&
		      store_visit_rows(s, (struct part_id){ run, TABLE_TRAFFIC }, &sections, e)) ||
		     store_visit_rows(s, (struct part_id){ run, (int)table }, &v, e);

	for (uint32_t i = 0; i < v.name_count; i++)
		free(v.names[i]);
	free(v.names);
	return failed ? -1 : 0;
}

/* --- runs --- */

static int store_read_run(struct store *s, const struct listed_run *listed, struct stored_run *run,
			  struct weir_error *e)
{
	const struct row_source from = { .store = s, .run = listed->id };

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

int store_run_of_key(struct store *s, const char *key, struct stored_run *run, struct weir_error *e)
{
	struct listed_run listed = { .is_planned = 1 };

	memset(run, 0, sizeof(*run));
	snprintf(listed.key, sizeof(listed.key), "%s", key);
	switch (store_find_run(s, key, &listed.id, e)) {
	case 1:
		return store_read_run(s, &listed, run, e);
	case 0:
		return weir_error_set(e, "%.300s: run %s is not there", s->path, key);
	default:
		return -1;
	}
}

static int store_read_listed(struct store *s, const struct run_list *l, struct stored_runs *runs,
			     struct weir_error *e)
{
	uint64_t wanted = runs->left_out ? l->done : l->count;

	runs->runs = memory_zeroed(wanted, sizeof(*runs->runs));
	for (; runs->count < wanted; runs->count++)
		if (store_read_run(s, &l->runs[runs->count], &runs->runs[runs->count], e)) {
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
		failed = store_read_listed(s, &l, runs, e);
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
	int (*series)(void *, const struct stored_series *);
};

static int typed_flow(void *context, const void *row)
{
	const struct typed_visit *v = context;

	return v->flow(v->context, row) != 0;
}

static int typed_port(void *context, const void *row)
{
	const struct typed_visit *v = context;

	return v->port(v->context, row) != 0;
}

static int typed_series(void *context, const void *row)
{
	const struct typed_visit *v = context;

	return v->series(v->context, row) != 0;
}

int store_each_flow(struct store *s, int64_t run, int (*visit)(void *, const struct stored_flow *),
		    void *context, struct weir_error *e)
{
	struct typed_visit v = { .context = context, .flow = visit };

	return store_each(s, run, TABLE_FLOW, &(struct row_visitor){ typed_flow, &v }, e);
}

int store_each_port(struct store *s, int64_t run, int (*visit)(void *, const struct stored_port *),
		    void *context, struct weir_error *e)
{
	struct typed_visit v = { .context = context, .port = visit };

	return store_each(s, run, TABLE_PORT, &(struct row_visitor){ typed_port, &v }, e);
}

int store_each_series(struct store *s, int64_t run,
		      int (*visit)(void *, const struct stored_series *), void *context,
		      struct weir_error *e)
{
	struct typed_visit v = { .context = context, .series = visit };

	return store_each(s, run, TABLE_SERIES, &(struct row_visitor){ typed_series, &v }, e);
}
