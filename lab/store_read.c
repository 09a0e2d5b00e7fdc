/* store_read.c -- what is in the store, for tables, exports and reports. */
#include "lab/results.h"
#include "lab/store_sql.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *column_copy(sqlite3_stmt *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q, column);
	size_t size = text ? strlen(text) + 1 : 0;
	char *copy = text ? malloc(size) : NULL;

	return copy ? memcpy(copy, text, size) : NULL;
}

/* NULL: unknown. */
static int64_t column_time(sqlite3_stmt *q, int column)
{
	return sqlite3_column_type(q, column) == SQLITE_NULL ? -1 : sqlite3_column_int64(q, column);
}

static double column_double(sqlite3_stmt *q, int column)
{
	return sqlite3_column_type(q, column) == SQLITE_NULL ? (double)NAN
							     : sqlite3_column_double(q, column);
}

/* Room for one more of size bytes, when the room is used up by whole powers of two. NULL: no memory;
 * what was there stays. */
static void *grow(void *array, uint32_t count, size_t size)
{
	if (count != 0 && (count & (count - 1)) != 0)
		return array;
	return realloc(array, 2 * (size_t)(count ? count : 1) * size);
}

/* --- runs --- */

void stored_run_free(struct stored_run *run)
{
	for (uint32_t i = 0; i < run->setting_count; i++) {
		free(run->settings[i].path);
		free(run->settings[i].value);
	}
	for (uint32_t i = 0; i < run->reason_count; i++)
		free(run->reasons[i].name);
	free(run->settings);
	free(run->reasons);
	free(run->title);
	free(run->version);
}

void stored_runs_free(struct stored_runs *runs)
{
	for (uint32_t i = 0; i < runs->count; i++)
		stored_run_free(&runs->runs[i]);
	free(runs->runs);
	memset(runs, 0, sizeof(*runs));
}

const char *stored_setting(const struct stored_run *run, const char *path)
{
	for (uint32_t i = 0; i < run->setting_count; i++)
		if (strcmp(run->settings[i].path, path) == 0)
			return run->settings[i].value;
	return NULL;
}

/* Calls take for every row; -1 from it means that there is no memory. */
static int each_row(struct store *s, sqlite3_stmt *q, int (*take)(void *, sqlite3_stmt *),
		    void *context, struct error *e)
{
	int code, failed = q ? 0 : -1;

	while (!failed && (code = sqlite3_step(q)) != SQLITE_DONE) {
		if (code != SQLITE_ROW)
			failed = store_fail(s, e);
		else if (take(context, q))
			failed = error_set(e, "%.300s: no memory", s->path);
	}
	sqlite3_finalize(q);
	return failed;
}

static int take_run(void *context, sqlite3_stmt *q)
{
	struct stored_runs *runs = context;
	struct stored_run *grown = grow(runs->runs, runs->count, sizeof(*grown)), *run;
	const char *key = (const char *)sqlite3_column_text(q, 1);

	if (!grown)
		return -1;
	runs->runs = grown;
	run = &grown[runs->count++];
	memset(run, 0, sizeof(*run));
	run->id = sqlite3_column_int64(q, 0);
	snprintf(run->key, sizeof(run->key), "%s", key ? key : "");
	run->title = column_copy(q, 2);
	run->version = column_copy(q, 3);
	run->wall_seconds = sqlite3_column_double(q, 4);
	run->planned = sqlite3_column_int(q, 5);
	for (int i = 0; i < METRICS_MAX; i++)
		run->value[i] = (double)NAN;
	return run->title && run->version ? 0 : -1;
}

static int take_setting(void *context, sqlite3_stmt *q)
{
	struct stored_run *run = context;
	struct stored_setting *grown = grow(run->settings, run->setting_count, sizeof(*grown)),
			      *one;

	if (!grown)
		return -1;
	run->settings = grown;
	one = &grown[run->setting_count++];
	one->path = column_copy(q, 0);
	one->value = column_copy(q, 1);
	return one->path && one->value ? 0 : -1;
}

/* Metrics that this version does not know are passed over, those that it alone knows stay NAN. */
static int take_metric(void *context, sqlite3_stmt *q)
{
	struct stored_run *run = context;
	const char *name = (const char *)sqlite3_column_text(q, 0);
	int i = name ? metric_index(name) : -1;

	if (i >= 0)
		run->value[i] = column_double(q, 1);
	return 0;
}

static int take_reason(void *context, sqlite3_stmt *q)
{
	struct stored_run *run = context;
	struct stored_reason *grown = grow(run->reasons, run->reason_count, sizeof(*grown)), *one;

	if (!grown)
		return -1;
	run->reasons = grown;
	one = &grown[run->reason_count++];
	one->name = column_copy(q, 0);
	one->is_mark = sqlite3_column_int(q, 1);
	one->count = (uint64_t)sqlite3_column_int64(q, 2);
	return one->name ? 0 : -1;
}

static int read_parts(struct store *s, struct stored_run *run, struct error *e)
{
	static const char settings[] =
		"SELECT path, value FROM setting WHERE run = ? ORDER BY place";
	static const char metrics[] = "SELECT name, value FROM metric WHERE run = ?";
	static const char reasons[] =
		"SELECT name, is_mark, count FROM reason WHERE run = ? ORDER BY place";

	if (each_row(s, store_prepare_run(s, settings, run->id, e), take_setting, run, e) ||
	    each_row(s, store_prepare_run(s, metrics, run->id, e), take_metric, run, e))
		return -1;
	return each_row(s, store_prepare_run(s, reasons, run->id, e), take_reason, run, e);
}

int store_runs(struct store *s, struct stored_runs *runs, struct error *e)
{
	static const char list[] = "SELECT run.id, run.key, title, version, wall_seconds,"
				   " plan.place IS NOT NULL FROM run LEFT JOIN plan USING (key)"
				   " ORDER BY plan.place IS NULL, plan.place, run.id";
	int failed;

	memset(runs, 0, sizeof(*runs));
	/* One view of the file, whoever adds to it meanwhile. */
	if (store_exec(s, "BEGIN", e))
		return -1;
	failed = each_row(s, store_prepare(s, list, e), take_run, runs, e);
	for (uint32_t i = 0; i < runs->count && !failed; i++)
		failed = read_parts(s, &runs->runs[i], e);
	sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	if (failed)
		stored_runs_free(runs);
	return failed;
}

/* --- the parts of one run --- */

/* A visit on its way through the rows. */
struct visit {
	void *context;
	int ended;           /* the visitor has seen enough */
	uint32_t name_count; /* of [traffic] sections */
	char **names;
	int (*flow)(void *, const struct stored_flow *);
	int (*port)(void *, const struct stored_port *);
	int (*pause)(void *, const struct stored_pause *);
	int (*series)(void *, const struct stored_series *);
};

static int take_name(void *context, sqlite3_stmt *q)
{
	struct visit *v = context;
	char **grown = grow(v->names, v->name_count, sizeof(*grown));

	if (!grown)
		return -1;
	v->names = grown;
	grown[v->name_count] = column_copy(q, 0);
	return grown[v->name_count++] ? 0 : -1;
}

static int show_flow(void *context, sqlite3_stmt *q)
{
	struct visit *v = context;
	int64_t traffic = sqlite3_column_int64(q, 1), size = column_time(q, 5);
	struct stored_flow f = {
		.flow = (uint32_t)sqlite3_column_int64(q, 0),
		.traffic = traffic >= 0 && traffic < v->name_count ? v->names[traffic] : "",
		.class_id = (uint32_t)sqlite3_column_int64(q, 2),
		.src = (uint32_t)sqlite3_column_int64(q, 3),
		.dst = (uint32_t)sqlite3_column_int64(q, 4),
		.size_bytes = size < 0 ? FLOW_UNLIMITED : (uint64_t)size,
		.start_ps = sqlite3_column_int64(q, 6),
		.finish_ps = column_time(q, 7),
		.ideal_ps = column_time(q, 8),
	};

	if (!v->ended)
		v->ended = v->flow(v->context, &f);
	return 0;
}

/* As each_row, but ends when the visitor has seen enough. */
static int visit_rows(struct store *s, sqlite3_stmt *q, int (*show)(void *, sqlite3_stmt *),
		      struct visit *v, struct error *e)
{
	int code = SQLITE_DONE, failed = q ? 0 : -1;

	while (!failed && !v->ended && (code = sqlite3_step(q)) == SQLITE_ROW)
		if (show(v, q))
			failed = error_set(e, "%.300s: no memory, or a series is damaged", s->path);
	if (!failed && !v->ended && code != SQLITE_DONE)
		failed = store_fail(s, e);
	sqlite3_finalize(q);
	return failed;
}

int store_each_flow(struct store *s, int64_t run, int (*visit)(void *, const struct stored_flow *),
		    void *context, struct error *e)
{
	static const char names[] = "SELECT name FROM traffic WHERE run = ? ORDER BY traffic";
	static const char flows[] = "SELECT flow, traffic, class, src, dst, size_bytes, start_ps,"
				    " finish_ps, ideal_ps FROM flow WHERE run = ? ORDER BY flow";
	struct visit v = { .context = context, .flow = visit };
	int failed = each_row(s, store_prepare_run(s, names, run, e), take_name, &v, e);

	if (!failed)
		failed = visit_rows(s, store_prepare_run(s, flows, run, e), show_flow, &v, e);
	for (uint32_t i = 0; i < v.name_count; i++)
		free(v.names[i]);
	free(v.names);
	return failed;
}

static int show_port(void *context, sqlite3_stmt *q)
{
	struct visit *v = context;
	struct stored_port p = {
		.name = (const char *)sqlite3_column_text(q, 0),
		.measured = sqlite3_column_int(q, 1),
		.result = {
			.tx_pkts = (uint64_t)sqlite3_column_int64(q, 2),
			.tx_bytes = (uint64_t)sqlite3_column_int64(q, 3),
			.marks = (uint64_t)sqlite3_column_int64(q, 4),
			.drops = (uint64_t)sqlite3_column_int64(q, 5),
			.queue_mean_bytes = column_double(q, 6),
			.queue_mean_pkts = column_double(q, 7),
			.queue_max_pkts = (uint32_t)sqlite3_column_int64(q, 8),
		},
	};

	if (!p.name)
		return -1;
	v->ended = v->port(v->context, &p);
	return 0;
}

int store_each_port(struct store *s, int64_t run, int (*visit)(void *, const struct stored_port *),
		    void *context, struct error *e)
{
	static const char ports[] = "SELECT name, measured, tx_pkts, tx_bytes, marks, drops,"
				    " queue_mean_bytes, queue_mean_pkts, queue_max_pkts FROM port "
				    "WHERE run = ? ORDER BY port";
	struct visit v = { .context = context, .port = visit };

	return visit_rows(s, store_prepare_run(s, ports, run, e), show_port, &v, e);
}

static int show_pause(void *context, sqlite3_stmt *q)
{
	struct visit *v = context;
	struct stored_pause p = {
		.link = (const char *)sqlite3_column_text(q, 0),
		.result = {
			.class_id = (uint32_t)sqlite3_column_int64(q, 1),
			.pauses = (uint64_t)sqlite3_column_int64(q, 2),
			.paused_ps = sqlite3_column_int64(q, 3),
		},
	};

	if (!p.link)
		return -1;
	v->ended = v->pause(v->context, &p);
	return 0;
}

int store_each_pause(struct store *s, int64_t run,
		     int (*visit)(void *, const struct stored_pause *), void *context,
		     struct error *e)
{
	static const char pauses[] = "SELECT link, class, count, paused_ps FROM pauses"
				     " WHERE run = ? ORDER BY place";
	struct visit v = { .context = context, .pause = visit };

	return visit_rows(s, store_prepare_run(s, pauses, run, e), show_pause, &v, e);
}

static uint64_t little_endian(const unsigned char *bytes)
{
	uint64_t number = 0;

	for (int i = 0; i < 8; i++)
		number |= (uint64_t)bytes[i] << (8 * i);
	return number;
}

/* Two arrays of count numbers in one allocation: times, then values. NULL: no memory, or the bytes are
 * not count numbers. */
static int64_t *series_numbers(sqlite3_stmt *q, uint64_t count)
{
	const unsigned char *times = sqlite3_column_blob(q, 3), *values = sqlite3_column_blob(q, 4);
	uint64_t size = sizeof(int64_t) * count;
	int64_t *numbers;
	double *doubles;

	if ((uint64_t)sqlite3_column_bytes(q, 3) != size ||
	    (uint64_t)sqlite3_column_bytes(q, 4) != size)
		return NULL;
	numbers = malloc(2 * size + 1);
	if (!numbers)
		return NULL;
	doubles = (double *)(numbers + count);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t bits = little_endian(values + sizeof(bits) * i);

		numbers[i] = (int64_t)little_endian(times + sizeof(bits) * i);
		memcpy(&doubles[i], &bits, sizeof(bits));
	}
	return numbers;
}

static int show_series(void *context, sqlite3_stmt *q)
{
	struct visit *v = context;
	struct stored_series one = {
		.name = (const char *)sqlite3_column_text(q, 0),
		.unit = (const char *)sqlite3_column_text(q, 1),
		.count = (uint64_t)sqlite3_column_int64(q, 2),
	};
	int64_t *numbers = series_numbers(q, one.count);

	if (!one.name || !one.unit || !numbers) {
		free(numbers);
		return -1;
	}
	one.time_ps = numbers;
	one.value = (const double *)(numbers + one.count);
	v->ended = v->series(v->context, &one);
	free(numbers);
	return 0;
}

int store_each_series(struct store *s, int64_t run,
		      int (*visit)(void *, const struct stored_series *), void *context,
		      struct error *e)
{
	static const char series[] = "SELECT name, unit, count, time_ps, value FROM series"
				     " WHERE run = ? ORDER BY place";
	struct visit v = { .context = context, .series = visit };

	return visit_rows(s, store_prepare_run(s, series, run, e), show_series, &v, e);
}
