/* SPDX-License-Identifier: BSD-3-Clause */
/* test_columns.c -- columns are declared once; what follows from them is what it was when they were
 * not. */
#define _XOPEN_SOURCE 700
#include "tests/folder.h" /* first: it says which functions there are */

#include "base/output.h"
#include "lab/store/results.h"
#include "lab/store/store_sql.h"
#include "tests/sim.h"

/* A file of the tree, whole; for the caller to free. */
static char *data_text(const char *name)
{
	static const struct folder data = { "tests/data" };
	size_t length;

	return folder_read(&data, name, &length);
}

/* A store that an earlier program wrote. */
static void make_earlier(const struct folder *f)
{
	char path[96], *sql = data_text("store-form3.sql");
	sqlite3 *db;

	snprintf(path, sizeof(path), "%s/results.db", f->path);
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	free(sql);
}

/* All rows of a query whose only column is a text. */
static char *query(struct store *s, const char *sql)
{
	struct weir_error e = { "" };
	sqlite3_stmt *q = store_prepare(s, sql, &e);
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	CHECK(q != NULL);
	while (sqlite3_step(q) == SQLITE_ROW)
		fprintf(f, "%s\n", (const char *)sqlite3_column_text(q, 0));
	sqlite3_finalize(q);
	fclose(f);
	return text;
}

TEST(test_schema_from_the_columns_is_that_of_earlier_stores_and_what_came_since)
{
	static const char tables[] =
		"SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name";
	struct folder before = folder_make(), now = folder_make();
	struct weir_error e = { "" };
	struct store *s;
	char *texts[2];

	make_earlier(&before);
	CHECK_INT(store_open(&s, before.path, STORE_WRITE, &e), 0); /* brought up to this form */
	texts[0] = query(s, tables);
	store_close(s);
	CHECK_INT(store_open(&s, now.path, STORE_WRITE, &e), 0);
	texts[1] = query(s, tables);
	store_close(s);
	CHECK_CONTAINS(texts[0], "CREATE TABLE port (run INTEGER NOT NULL, port");
	CHECK_CONTAINS(texts[0], "wall_seconds REAL NOT NULL, held_up TEXT)");
	CHECK_STR(texts[1], texts[0]);
	free(texts[0]);
	free(texts[1]);
	folder_remove(&before);
	folder_remove(&now);
}

TEST(test_rows_of_an_earlier_store_have_the_digests_that_were_stored)
{
	static const char digests[] = "SELECT run || part || digest FROM digest ORDER BY run, part";
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct store *s;
	char *before, *rewritten;

	make_earlier(&f);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	if (store_check_run(s, 1, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	before = query(s, digests);
	CHECK_INT(store_write_all_digests(s, &e), 0);
	rewritten = query(s, digests);
	CHECK_STR(rewritten, before);
	free(before);
	free(rewritten);
	store_close(s);
	folder_remove(&f);
}

static char *export_text(struct store *s)
{
	struct stored_runs runs;
	struct weir_error e = { "" };
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	CHECK_INT(export_json(f, s, &runs, &e), 0);
	stored_runs_free(&runs);
	fclose(f);
	return text;
}

/* Metrics may be more by now: what stands between begin and end is taken out. */
static void cut(char *text, const char *begin, const char *end)
{
	char *from = strstr(text, begin), *to = from ? strstr(from, end) : NULL;

	CHECK(to != NULL);
	memmove(from, to, strlen(to) + 1);
}

TEST(test_earlier_store_is_exported_as_it_was_to_the_byte)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	char *was = data_text("store-form3.json"), *is;
	struct store *s;

	make_earlier(&f);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	is = export_text(s);
	CHECK_CONTAINS(is, "\"goodput_bps\": 1");
	cut(was, "\"metrics\"", "\"reasons\"");
	cut(is, "\"metrics\"", "\"reasons\"");
	CHECK_STR(strchr(is, '\n') + 1, was); /* the first line names the program that exports */
	free(was);
	free(is);
	store_close(s);
	folder_remove(&f);
}

/* --- one form --- */

static const char everything[] =
	"# Is it one form?\n[network]\ntopology = star\nhosts = 3\n"
	"[switch]\nmarking = ecn(k=5pkts)\nbuffer-per = switch\nlossless = 0\nbuffer = 200KB\n"
	"pfc-headroom = 50000B\n[host]\ncc = line-rate\n"
	"[traffic a]\npattern = many-to-one\nreceiver = 2\nsize = unlimited\n"
	"[traffic b]\npattern = storage\nmix = oltp\ndepth = 1\n"
	"[measure]\nto = 100us\nprobe = queue sw->h2 every 30us\n";

/* The run itself as JSON. */
static char *finished_text(const struct sim *sim)
{
	struct weir_error e = { "" };
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	CHECK_INT(results_json(f, &sim->c, &sim->r, &e), 0);
	fclose(f);
	return text;
}

TEST(test_json_of_a_run_is_that_of_its_store_and_whether_it_is_partial)
{
	struct folder f = folder_make();
	char key[RUN_KEY_SIZE], *kept, *finished;
	struct weir_error e = { "" };
	struct store *s;
	struct sim sim;

	sim_read(&sim, everything);
	sim_run(&sim, 1);
	CHECK(sim.r.pause_count > 0 && sim.r.series_count > 0 && sim.r.reason_count > 0);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_add(s, key, &sim.c, &sim.r, &e), 0);
	kept = export_text(s);
	finished = finished_text(&sim);
	CHECK_CONTAINS(finished, ", \"partial\": false,\n\"settings\": {\n");
	cut(finished, ", \"partial\"", ",\n\"settings\"");
	CHECK_STR(finished, kept);
	free(finished);
	sim.r.partial = 1;
	finished = finished_text(&sim);
	CHECK_CONTAINS(finished, ", \"partial\": true,\n");
	free(finished);
	free(kept);
	store_close(s);
	sim_end(&sim);
	folder_remove(&f);
}

TEST(test_csv_of_a_run_is_that_of_its_store_and_whether_it_is_partial)
{
	static const char *const files[] = { "reasons.csv", "flows.csv",  "ports.csv",
					     "pauses.csv",  "series.csv", "runs.csv" };
	struct folder store = folder_make(), kept = folder_make(), finished = folder_make();
	struct stored_runs runs;
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct store *s;
	struct sim sim;

	sim_read(&sim, everything);
	sim_run(&sim, 1);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_open(&s, store.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_add(s, key, &sim.c, &sim.r, &e), 0);
	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	CHECK_INT(export_csv(kept.path, s, &runs, &e), 0);
	CHECK_INT(results_csv(finished.path, &sim.c, &sim.r, &e), 0);
	for (int i = 0; i < 6; i++) {
		size_t length;
		char *a = folder_read(&kept, files[i], &length),
		     *b = folder_read(&finished, files[i], &length);

		CHECK(strchr(a, '\n')[1] != '\0'); /* there are rows to compare */
		if (i < 5)
			CHECK_STR(b, a);
		else
			CHECK(strncmp(b, "run,key,version,title,wall_seconds,held_up,partial,seed,",
				      56) == 0);
		free(a);
		free(b);
	}
	stored_runs_free(&runs);
	store_close(s);
	sim_end(&sim);
	folder_remove(&store);
	folder_remove(&kept);
	folder_remove(&finished);
}

/* --- what came with form 4 --- */

#define HELD_UP "the switch stood still for 3.2 % of the time"

static int change(const struct folder *f, const char *sql)
{
	char path[96];
	sqlite3 *db;
	int code;

	snprintf(path, sizeof(path), "%s/results.db", f->path);
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	code = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	return code;
}

static void add_held_up(struct store *s, const char *why)
{
	char key[RUN_KEY_SIZE];
	struct weir_error e = { "" };
	struct sim sim;

	sim_read(&sim, everything);
	sim.c.seed = why[0] ? 7 : 8;
	sim_run(&sim, 1);
	snprintf(sim.r.held_up, sizeof(sim.r.held_up), "%s", why);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_add(s, key, &sim.c, &sim.r, &e), 0);
	sim_end(&sim);
}

TEST(test_run_that_was_held_up_is_so_in_a_store_that_an_earlier_program_began)
{
	struct folder f = folder_make(), copy = folder_make();
	struct weir_error e = { "" };
	struct stored_runs runs;
	struct planned_run third = { .id = 2 };
	struct store *s, *to;
	char *text;

	make_earlier(&f);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0); /* before anything is written to it */
	CHECK(runs.count == 1 && runs.runs[0].held_up == NULL);
	stored_runs_free(&runs);
	store_close(s);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	add_held_up(s, HELD_UP);
	add_held_up(s, "");
	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 3);
	CHECK(runs.runs[0].held_up == NULL && runs.runs[2].held_up == NULL);
	CHECK_STR(runs.runs[1].held_up, HELD_UP);
	snprintf(third.key, sizeof(third.key), "%s", runs.runs[1].key);
	stored_runs_free(&runs);
	text = export_text(s);
	CHECK_CONTAINS(text, "\"held_up\": \"" HELD_UP "\"");
	CHECK_CONTAINS(text, "\"held_up\": null");
	free(text);
	CHECK_INT(store_open(&to, copy.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_copy(to, s, &third, 1, COPY_ALL, &e), 0);
	CHECK_INT(store_runs(to, STORE_ALL, &runs, &e), 0);
	CHECK_STR(runs.runs[0].held_up, HELD_UP);
	stored_runs_free(&runs);
	store_close(to);
	store_close(s);
	folder_remove(&f);
	folder_remove(&copy);
}

/* A change that makes a run look sound, or unsound, is damage. */
TEST(test_store_in_which_a_held_up_run_was_changed_is_damaged)
{
	static const char *const changes[] = {
		"UPDATE run SET held_up = NULL WHERE id = 1",
		"UPDATE run SET held_up = 'no' WHERE id = 1",
		"UPDATE run SET held_up = 'yes' WHERE id = 2",
	};

	for (int i = 0; i < 3; i++) {
		struct folder f = folder_make();
		struct weir_error e = { "" };
		struct store *s;

		CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
		add_held_up(s, HELD_UP);
		add_held_up(s, "");
		CHECK_INT(store_check_run(s, 1, &e), 0);
		CHECK_INT(store_check_run(s, 2, &e), 0);
		store_close(s);
		CHECK_INT(change(&f, changes[i]), SQLITE_OK);
		CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
		CHECK_INT(store_check_run(s, i < 2 ? 1 : 2, &e), -1);
		CHECK_CONTAINS(e.text, "is damaged");
		store_close(s);
		folder_remove(&f);
	}
}

/* --- the tables themselves --- */

TEST(test_every_column_says_what_it_is_and_every_table_has_its_key)
{
	int exported = 0;

	for (int i = 0; i < TABLES; i++) {
		const struct table *t = &table_all[i];
		int keys = 0;

		exported += t->export_name != NULL;
		for (const struct column *c = t->columns; c->name; c++) {
			CHECK(c->type == COLUMN_DERIVED ? c->show != NULL : c->help && *c->help);
			CHECK((column_sql(c) != NULL) == column_is_stored(c));
			CHECK(!column_is_list(c) || i == TABLE_SERIES);
			keys += column_is_stored(c) && strcmp(c->name, t->key) == 0;
		}
		CHECK_INT(keys, 1);
		CHECK(i >= RUN_TABLES || t->words);
	}
	CHECK(exported <= OUTPUT_FILES_MAX);
}
