/* SPDX-License-Identifier: BSD-3-Clause */
/* damage.h -- a small store, ways to damage it, and all that is ever shown of one. */
#ifndef TESTS_DAMAGE_H
#define TESTS_DAMAGE_H
#include "tests/folder.h" /* first: it says which functions there are */

#include "lab/analysis/compare.h"
#include "lab/store/results.h"
#include "lab/report/report.h"
#include "lab/store/store_sql.h"
#include "tests/sim.h"
#include "weir/rng.h"

/* Four runs with flows, ports, reasons, series and pauses; three of them planned. */
static inline void damage_fill(const struct folder *f)
{
	static const char text[] =
		"# Is it what it was?\nseed = %d\n[network]\ntopology = star\nhosts = 4\n"
		"[switch]\nmarking = %s\n[traffic a]\npattern = many-to-one\nsize = 60KB\n"
		"[measure]\nto = 1ms\nprobe = queue sw->h0 every 20us\n";
	char keys[4][RUN_KEY_SIZE];
	struct store *s;
	struct weir_error e = { "" };

	CHECK_INT(store_open(&s, f->path, STORE_WRITE, &e), 0);
	for (int i = 0; i < 4; i++) {
		struct sim sim;

		sim_read(&sim, text, 1 + i / 2, i % 2 ? "tcn" : "ecn(k=5pkts)");
		sim_run(&sim, 1);
		sim.r.pause_count = 1;
		sim.r.pauses = calloc(1, sizeof(*sim.r.pauses));
		sim.r.pauses[0] = (struct pause_result){ sim.r.ports[0].link, 3, 2, 77 };
		CHECK_INT(run_key(&sim.c, keys[i], &e), 0);
		CHECK_INT(store_add(s, keys[i], &sim.c, &sim.r, &e), 0);
		sim_end(&sim);
	}
	CHECK_INT(store_plan(s, (const char(*)[RUN_KEY_SIZE])keys, 3, &e), 0);
	store_close(s);
}

/* --- what is shown --- */

static inline int show_tables(FILE *f, struct store *s, enum store_scope scope,
			      struct weir_error *e)
{
	const struct compare_request q = { .scope = scope };
	const struct compare_layout wide = { .width = 120, .all = 1 };
	struct comparison c;
	uint64_t planned, done;

	if (comparison_make(&c, s, &q, e))
		return -1;
	comparison_print(f, &c, &wide);
	comparison_free(&c);
	if (store_progress(s, &planned, &done, e))
		return -1;
	fprintf(f, "%d of %d\n", (int)done, (int)planned);
	return 0;
}

static inline int show_export(FILE *f, struct store *s, struct weir_error *e)
{
	struct stored_runs runs;
	int failed;

	if (store_runs(s, STORE_ALL, &runs, e))
		return -1;
	failed = export_json(f, s, &runs, e);
	stored_runs_free(&runs);
	return failed;
}

static inline int show_report(FILE *f, struct store *s, struct weir_error *e)
{
	struct report r;

	if (report_read(&r, s, STORE_ALL, e))
		return -1;
	report_html(f, &r);
	report_free(&r);
	return 0;
}

/* Everything, for the caller to free; NULL: some of it was refused. */
static inline char *damage_show(const char *folder, struct weir_error *e)
{
	char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	struct store *s = NULL;
	int failed = !f || store_open(&s, folder, STORE_READ, e) ||
		     show_tables(f, s, STORE_PLANNED, e) || show_tables(f, s, STORE_ALL, e) ||
		     show_export(f, s, e) || show_report(f, s, e);

	store_close(s);
	if (f)
		fclose(f);
	if (failed) {
		free(text);
		return NULL;
	}
	return text;
}

/* --- damage --- */

/* Some bytes of the file become others. */
static inline void damage_bytes(char *file, size_t length, struct weir_rng *r)
{
	for (uint64_t i = 1 + weir_rng_below(r, 3); i > 0; i--) {
		char *at = &file[weir_rng_below(r, length)];

		if (weir_rng_below(r, 2))
			*at = (char)(*at ^ (1 << weir_rng_below(r, 8)));
		else
			*at = (char)weir_rng_u32(r);
	}
}

/* Some column of a table: one of its own, or the run that a row is of. */
static inline const char *damage_column(const struct table *t, struct weir_rng *r)
{
	const char *names[32];
	uint64_t count = 0;

	if (t->columns[0].type != COLUMN_ID)
		names[count++] = "run";
	for (const struct column *c = t->columns; c->name; c++)
		if (column_is_stored(c))
			names[count++] = c->name;
	return names[weir_rng_below(r, count)];
}

/* A value of a row becomes another, or the row is gone. What the tables do not allow does not
 * happen. */
static inline void damage_row(struct store *s, struct weir_rng *r)
{
	static const struct {
		const char *left,
			*right; /* right: after the value that is there, NULL: without it */
	} values[] = {
		{ "", " + 1" },
		{ "-", "" },
		{ "'x' || ", "" },
		{ "NULL", NULL },
		{ "0", NULL },
		{ "1", NULL },
		{ "2", NULL },
		{ "-1", NULL },
		{ "1e300", NULL },
		{ "'x'", NULL },
		{ "randomblob(24)", NULL },
		{ "zeroblob(8)", NULL },
		{ "", " + 2305843009213693952" }, /* 2^61: eight times it is nothing more */
		{ "9223372036854775807", NULL },
	};
	const struct table *t = &table_all[weir_rng_below(r, TABLES)];
	const char *column = damage_column(t, r),
		   *run = t->columns[0].type == COLUMN_ID ? "" : "run, ";
	uint64_t value = weir_rng_below(r, sizeof(values) / sizeof(values[0]) + 1);
	char change[160], sql[512];

	if (value == sizeof(values) / sizeof(values[0]))
		snprintf(change, sizeof(change), "DELETE FROM %s", t->name);
	else
		snprintf(change, sizeof(change), "UPDATE %s SET %s = %s%s%s", t->name, column,
			 values[value].left, values[value].right ? column : "",
			 values[value].right ? values[value].right : "");
	snprintf(sql, sizeof(sql),
		 "%s WHERE (%s%s) = (SELECT %s%s FROM %s LIMIT "
		 "1 OFFSET %u %% (SELECT count(*) FROM %s))",
		 change, run, t->key, run, t->key, t->name, (unsigned)weir_rng_below(r, 1000),
		 t->name);
	sqlite3_exec(s->db, sql, NULL, NULL, NULL);
}
#endif
