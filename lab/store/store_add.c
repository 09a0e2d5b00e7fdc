/* store_add.c -- a run on its way into the store: its name, and its rows in one transaction. */
#include "lab/scenario/scenario.h"
#include "lab/store/store_sql.h"
#include "lab/base/version.h"
#include "weir/rng.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- rows --- */

/* A table's rows of one run. */
struct rows {
	struct store *store;
	sqlite3_stmt *insert;
	struct weir_error *error;
	int64_t count;
	int failed;
};

static struct rows rows_begin(struct store *s, const char *sql, int64_t run, struct weir_error *e)
{
	struct rows r = { .store = s, .error = e };

	r.insert = store_prepare_run(s, sql, run, e);
	r.failed = r.insert == NULL;
	return r;
}

/* Most tables count their rows in the second column. */
static sqlite3_stmt *rows_next(struct rows *r)
{
	if (!r->failed)
		sqlite3_bind_int64(r->insert, 2, r->count++);
	return r->insert;
}

static void rows_put(struct rows *r)
{
	if (!r->failed)
		r->failed = store_step(r->store, r->insert, r->error);
}

static int rows_end(struct rows *r)
{
	sqlite3_finalize(r->insert);
	return r->failed;
}

static void bind_text(sqlite3_stmt *q, int column, const char *text)
{
	sqlite3_bind_text(q, column, text, -1, SQLITE_TRANSIENT);
}

/* Negative: unknown. */
static void bind_time(sqlite3_stmt *q, int column, int64_t time_ps)
{
	if (time_ps < 0)
		sqlite3_bind_null(q, column);
	else
		sqlite3_bind_int64(q, column, time_ps);
}

static void put_setting(void *context, const char *path, const char *value)
{
	struct rows *r = context;
	sqlite3_stmt *q = rows_next(r);

	bind_text(q, 3, path);
	bind_text(q, 4, value);
	rows_put(r);
}

static int add_settings(struct store *s, int64_t run, const struct config *c, struct weir_error *e)
{
	struct rows r = rows_begin(s, "INSERT INTO setting VALUES (?, ?, ?, ?)", run, e);

	if (!r.failed && scenario_settings(c, put_setting, &r, e))
		r.failed = -1;
	return rows_end(&r);
}

static int add_metrics(struct store *s, int64_t run, const struct run_result *result,
		       struct weir_error *e)
{
	struct rows r = rows_begin(s, "INSERT INTO metric VALUES (?, ?, ?)", run, e);

	for (size_t i = 0; metric_all[i].name && !r.failed; i++) {
		bind_text(r.insert, 2, metric_all[i].name);
		sqlite3_bind_double(r.insert, 3, result->value[i]); /* NAN becomes NULL */
		rows_put(&r);
	}
	return rows_end(&r);
}

static int add_reasons(struct store *s, int64_t run, const struct run_result *result,
		       struct weir_error *e)
{
	struct rows r = rows_begin(s, "INSERT INTO reason VALUES (?, ?, ?, ?, ?)", run, e);

	for (uint32_t i = 0; i < result->reason_count && !r.failed; i++) {
		sqlite3_stmt *q = rows_next(&r);

		bind_text(q, 3, result->reasons[i].name);
		sqlite3_bind_int(q, 4, result->reasons[i].is_mark);
		sqlite3_bind_int64(q, 5, (int64_t)result->reasons[i].count);
		rows_put(&r);
	}
	return rows_end(&r);
}

static int add_traffic(struct store *s, int64_t run, const struct config *c, struct weir_error *e)
{
	struct rows r = rows_begin(s, "INSERT INTO traffic VALUES (?, ?, ?)", run, e);

	for (uint32_t i = 0; i < c->traffic_count && !r.failed; i++) {
		bind_text(rows_next(&r), 3, c->traffic[i].name);
		rows_put(&r);
	}
	return rows_end(&r);
}

static int add_flows(struct store *s, int64_t run, const struct run_result *result,
		     struct weir_error *e)
{
	struct rows r =
		rows_begin(s, "INSERT INTO flow VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", run, e);

	for (uint32_t i = 0; i < result->flow_count && !r.failed; i++) {
		const struct flow *f = &result->flows[i];
		sqlite3_stmt *q = rows_next(&r);

		sqlite3_bind_int(q, 3, f->traffic);
		sqlite3_bind_int(q, 4, f->class_id);
		sqlite3_bind_int64(q, 5, f->src);
		sqlite3_bind_int64(q, 6, f->dst);
		bind_time(q, 7, f->size_bytes == FLOW_UNLIMITED ? -1 : (int64_t)f->size_bytes);
		sqlite3_bind_int64(q, 8, f->start_ps);
		bind_time(q, 9, f->finish_ps);
		bind_time(q, 10, result->ideal_ps[i]);
		rows_put(&r);
	}
	return rows_end(&r);
}

static int add_ports(struct store *s, int64_t run, const struct run_result *result,
		     struct weir_error *e)
{
	struct rows r =
		rows_begin(s, "INSERT INTO port VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", run, e);
	char name[128];

	for (uint32_t i = 0; i < result->port_count && !r.failed; i++) {
		const struct port_result *p = &result->ports[i];
		sqlite3_stmt *q = rows_next(&r);

		bind_text(q, 3, link_name(&result->network, p->link, name, sizeof(name)));
		sqlite3_bind_int(q, 4, i == result->measured_port);
		sqlite3_bind_int64(q, 5, (int64_t)p->tx_pkts);
		sqlite3_bind_int64(q, 6, (int64_t)p->tx_bytes);
		sqlite3_bind_int64(q, 7, (int64_t)p->marks);
		sqlite3_bind_int64(q, 8, (int64_t)p->drops);
		sqlite3_bind_double(q, 9, p->queue_mean_bytes);
		sqlite3_bind_double(q, 10, p->queue_mean_pkts);
		sqlite3_bind_int64(q, 11, p->queue_max_pkts);
		rows_put(&r);
	}
	return rows_end(&r);
}

static int add_pauses(struct store *s, int64_t run, const struct run_result *result,
		      struct weir_error *e)
{
	struct rows r = rows_begin(s, "INSERT INTO pauses VALUES (?, ?, ?, ?, ?, ?)", run, e);
	char name[128];

	for (uint32_t i = 0; i < result->pause_count && !r.failed; i++) {
		const struct pause_result *p = &result->pauses[i];
		sqlite3_stmt *q = rows_next(&r);

		bind_text(q, 3, link_name(&result->network, p->link, name, sizeof(name)));
		sqlite3_bind_int64(q, 4, p->class_id);
		sqlite3_bind_int64(q, 5, (int64_t)p->pauses);
		sqlite3_bind_int64(q, 6, p->paused_ps);
		rows_put(&r);
	}
	return rows_end(&r);
}

static void put_little_endian(unsigned char *bytes, uint64_t number)
{
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(number >> (8 * i));
}

/* Both columns of a series as bytes, one after the other; for the caller to free. */
static unsigned char *series_bytes(const struct series *s)
{
	unsigned char *bytes = malloc(2 * sizeof(uint64_t) * s->count + 1);

	for (uint64_t i = 0; bytes && i < s->count; i++) {
		uint64_t bits;

		memcpy(&bits, &s->value[i], sizeof(bits));
		put_little_endian(bytes + sizeof(bits) * i, (uint64_t)s->time_ps[i]);
		put_little_endian(bytes + sizeof(bits) * (s->count + i), bits);
	}
	return bytes;
}

static int add_series(struct store *s, int64_t run, const struct run_result *result,
		      struct weir_error *e)
{
	struct rows r = rows_begin(s, "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?)", run, e);

	for (uint32_t i = 0; i < result->series_count && !r.failed; i++) {
		const struct series *one = &result->series[i];
		uint64_t size = sizeof(uint64_t) * one->count;
		unsigned char *bytes = series_bytes(one);
		sqlite3_stmt *q = rows_next(&r);

		if (!bytes) {
			r.failed = weir_error_set(e, "%.300s: no memory", s->path);
			break;
		}
		bind_text(q, 3, one->name);
		bind_text(q, 4, one->unit);
		sqlite3_bind_int64(q, 5, (int64_t)one->count);
		if (sqlite3_bind_blob64(q, 6, bytes, size, SQLITE_STATIC) != SQLITE_OK ||
		    sqlite3_bind_blob64(q, 7, bytes + size, size, SQLITE_STATIC) != SQLITE_OK)
			r.failed = weir_error_set(e,
						  "series %s has %" PRIu64
						  " points, more than a store holds; "
						  "sample less often",
						  one->name, one->count);
		rows_put(&r);
		free(bytes);
	}
	return rows_end(&r);
}

/* --- the run --- */

int store_remove(struct store *s, int64_t run, struct weir_error *e)
{
	static const char *const tables[] = { "setting", "metric", "reason", "traffic", "flow",
					      "port",    "pauses", "series", "digest" };
	sqlite3_stmt *q;
	char sql[64];
	int failed = 0;

	for (size_t i = 0; i <= sizeof(tables) / sizeof(tables[0]) && !failed; i++) {
		if (i == sizeof(tables) / sizeof(tables[0]))
			snprintf(sql, sizeof(sql), "DELETE FROM run WHERE id = ?");
		else
			snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE run = ?", tables[i]);
		q = store_prepare_run(s, sql, run, e);
		if (!q)
			return -1;
		failed = store_step(s, q, e);
		sqlite3_finalize(q);
	}
	return failed;
}

/* What replaces a run begins by removing it. */
static int remove_key(struct store *s, const char *key, struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s, "SELECT id FROM run WHERE key = ?", e);
	int64_t run = 0;
	int code;

	if (!q)
		return -1;
	bind_text(q, 1, key);
	code = sqlite3_step(q);
	if (code == SQLITE_ROW)
		run = sqlite3_column_int64(q, 0);
	else if (code != SQLITE_DONE)
		store_fail(s, e);
	sqlite3_finalize(q);
	if (code == SQLITE_DONE)
		return 0;
	return code == SQLITE_ROW ? store_remove(s, run, e) : -1;
}

static int add_run(struct store *s, const char *key, const struct config *c,
		   const struct run_result *r, struct weir_error *e)
{
	sqlite3_stmt *q = store_prepare(s,
					"INSERT INTO run (key, title, version, wall_seconds) "
					"VALUES (?, ?, ?, ?)",
					e);
	int failed;

	if (!q)
		return -1;
	bind_text(q, 1, key);
	bind_text(q, 2, c->title);
	bind_text(q, 3, version_of_results().text);
	sqlite3_bind_double(q, 4, r->wall_seconds);
	failed = store_step(s, q, e);
	sqlite3_finalize(q);
	return failed;
}

static int add_parts(struct store *s, const struct config *c, const struct run_result *r,
		     struct weir_error *e)
{
	int64_t run = sqlite3_last_insert_rowid(s->db);

	return add_settings(s, run, c, e) || add_metrics(s, run, r, e) ||
	       add_reasons(s, run, r, e) || add_traffic(s, run, c, e) || add_flows(s, run, r, e) ||
	       add_ports(s, run, r, e) || add_pauses(s, run, r, e) || add_series(s, run, r, e) ||
	       store_seal_run(s, run, e);
}

int store_add(struct store *s, const char *key, const struct config *c, const struct run_result *r,
	      struct weir_error *e)
{
	/* The list is compared before it is sealed again: or what is missing would be sealed, too. */
	int failed = store_exec(s, "BEGIN IMMEDIATE", e) ||
		     store_each_row(s, STORE_LIST, NULL, e) || remove_key(s, key, e) ||
		     add_run(s, key, c, r, e) || add_parts(s, c, r, e) ||
		     store_seal(s, STORE_LIST, e) || store_exec(s, "COMMIT", e);

	if (failed)
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return failed ? -1 : 0;
}
