/* store_read.c -- what is in the store, for tables, exports and reports. */
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
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

static int take_run(void *context, sqlite3_stmt *q)
{
	struct stored_run *run = context;

	run->title = column_copy(q, 2);
	run->version = column_copy(q, 3);
	run->wall_seconds = sqlite3_column_double(q, 4);
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

static int read_run(struct store *s, const struct listed_run *listed, struct stored_run *run,
		    struct weir_error *e)
{
	static const struct {
		enum store_part part;
		int (*take)(void *, sqlite3_stmt *);
	} parts[] = { { ROWS_RUN, take_run },
		      { ROWS_SETTING, take_setting },
		      { ROWS_METRIC, take_metric },
		      { ROWS_REASON, take_reason } };

	memset(run, 0, sizeof(*run));
	run->id = listed->id;
	run->planned = listed->is_planned;
	memcpy(run->key, listed->key, sizeof(run->key));
	for (int i = 0; i < METRICS_MAX; i++)
		run->value[i] = (double)NAN;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (store_each_row(s, (struct rows_of){ run->id, parts[i].part },
				   &(struct row_taker){ parts[i].take, run }, e))
			return -1;
	/* Without digests nobody else would notice a run that is in the list alone. */
	return run->title ? 0
			  : weir_error_set(e, "%.300s: is damaged (run %s is not there)", s->path,
					   run->key);
}

static int read_listed(struct store *s, const struct run_list *l, struct stored_runs *runs,
		       struct weir_error *e)
{
	uint64_t wanted = runs->left_out ? l->done : l->count;

	runs->runs = wanted < UINT32_MAX ? calloc(wanted + 1, sizeof(*runs->runs)) : NULL;
	if (!runs->runs)
		return weir_error_set(e, "%.300s: no memory", s->path);
	for (; runs->count < wanted; runs->count++)
		if (read_run(s, &l->runs[runs->count], &runs->runs[runs->count], e)) {
			runs->count++; /* what it has is to be freed */
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
	/* One view of the file, whoever adds to it meanwhile. */
	if (store_exec(s, "BEGIN", e))
		return -1;
	failed = store_list(s, &l, e);
	if (!failed) {
		if (scope == STORE_PLANNED && l.planned)
			runs->left_out = (uint32_t)(l.count - l.done);
		failed = read_listed(s, &l, runs, e);
		run_list_free(&l);
	}
	sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	if (failed)
		stored_runs_free(runs);
	return failed;
}

/* --- the parts of one run --- */

/* A visit on its way through the rows. */
struct visit {
	void *context;
	int ended;           /* the visitor has seen enough; the rest is only compared */
	int is_odd;          /* something is not what it should be, and is not shown */
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

	/* Then no difference of its times overflows. */
	v->is_odd |= f.start_ps < 0;
	if (!v->ended && !v->is_odd)
		v->ended = v->flow(v->context, &f);
	return 0;
}

/* Shows a part of a run to the visitor. */
static int visit_rows(struct store *s, struct rows_of rows, int (*show)(void *, sqlite3_stmt *),
		      struct visit *v, struct weir_error *e)
{
	const struct row_taker taker = { show, v };

	if (store_each_row(s, rows, &taker, e))
		return -1;
	return v->is_odd ? weir_error_set(e,
					  "%.300s: is damaged (a text, a time or a series is none)",
					  s->path)
			 : 0;
}

int store_each_flow(struct store *s, int64_t run, int (*visit)(void *, const struct stored_flow *),
		    void *context, struct weir_error *e)
{
	struct visit v = { .context = context, .flow = visit };
	int failed = visit_rows(s, (struct rows_of){ run, ROWS_TRAFFIC }, take_name, &v, e) ||
		     visit_rows(s, (struct rows_of){ run, ROWS_FLOW }, show_flow, &v, e);

	for (uint32_t i = 0; i < v.name_count; i++)
		free(v.names[i]);
	free(v.names);
	return failed ? -1 : 0;
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

	v->is_odd |= !p.name;
	if (!v->ended && !v->is_odd)
		v->ended = v->port(v->context, &p);
	return 0;
}

int store_each_port(struct store *s, int64_t run, int (*visit)(void *, const struct stored_port *),
		    void *context, struct weir_error *e)
{
	struct visit v = { .context = context, .port = visit };

	return visit_rows(s, (struct rows_of){ run, ROWS_PORT }, show_port, &v, e);
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

	v->is_odd |= !p.link;
	if (!v->ended && !v->is_odd)
		v->ended = v->pause(v->context, &p);
	return 0;
}

int store_each_pause(struct store *s, int64_t run,
		     int (*visit)(void *, const struct stored_pause *), void *context,
		     struct weir_error *e)
{
	struct visit v = { .context = context, .pause = visit };

	return visit_rows(s, (struct rows_of){ run, ROWS_PAUSES }, show_pause, &v, e);
}

/* Has it as many times and values as it says? The number may be anything; what is there is less than
 * 2^31 bytes, so that nothing after this can overflow. */
static int is_series(sqlite3_stmt *q, uint64_t count)
{
	const size_t one = sizeof(int64_t);
	size_t size = (size_t)sqlite3_column_bytes(q, 3);

	return size % one == 0 && size / one == count && (size_t)sqlite3_column_bytes(q, 4) == size;
}

/* Two arrays of count numbers in one allocation: times, then values. NULL: no memory. */
static int64_t *series_numbers(sqlite3_stmt *q, uint64_t count)
{
	const unsigned char *times = sqlite3_column_blob(q, 3), *values = sqlite3_column_blob(q, 4);
	int64_t *numbers = malloc(2 * sizeof(*numbers) * count + 1);
	double *doubles;

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
	int64_t *numbers;

	v->is_odd |= !one.name || !one.unit || !is_series(q, one.count);
	if (v->ended || v->is_odd)
		return 0;
	numbers = series_numbers(q, one.count);
	if (!numbers)
		return -1;
	one.time_ps = numbers;
	one.value = (const double *)(numbers + one.count);
	for (uint64_t i = 0; i < one.count; i++)
		v->is_odd |= numbers[i] < 0;
	if (!v->is_odd)
		v->ended = v->series(v->context, &one);
	free(numbers);
	return 0;
}

int store_each_series(struct store *s, int64_t run,
		      int (*visit)(void *, const struct stored_series *), void *context,
		      struct weir_error *e)
{
	struct visit v = { .context = context, .series = visit };

	return visit_rows(s, (struct rows_of){ run, ROWS_SERIES }, show_series, &v, e);
}
