/* SPDX-License-Identifier: BSD-3-Clause */
/* test_damage.c -- a store that was changed is found out, and nothing of it passes for a result. */
#define _XOPEN_SOURCE 700
#include "tests/damage.h"

enum { DAMAGES = 300 };

/* Changes the rows of a file by SQL, as a stray hand would. */
static void change_rows(const struct folder *f, struct weir_rng *r)
{
	struct store *s;
	struct weir_error e = { "" };

	CHECK_INT(store_open(&s, f->path, STORE_ADD, &e), 0);
	damage_row(s, r);
	store_close(s);
}

static void change_by(const struct folder *f, const char *sql)
{
	struct store *s;
	struct weir_error e = { "" };

	CHECK_INT(store_open(&s, f->path, STORE_ADD, &e), 0);
	if (store_exec(s, sql, &e))
		test_fail(__FILE__, __LINE__, "%s", e.text);
	store_close(s);
}

TEST(test_no_damage_of_a_store_changes_what_is_shown_silently)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	int silent = 0, noticed = 0;
	char *good, *bytes;
	size_t length;

	damage_fill(&f);
	bytes = folder_read(&f, "results.db", &length);
	good = damage_show(f.path, &e);
	if (!good)
		test_fail(__FILE__, __LINE__, "%s", e.text);
	for (uint64_t i = 0; i < DAMAGES; i++) {
		struct weir_rng r = weir_rng_make(i, 0, WEIR_RNG_TEST);
		char *bad = malloc(length), *shown;

		memcpy(bad, bytes, length);
		if (i % 2)
			damage_bytes(bad, length, &r);
		folder_write(&f, "results.db", bad, length);
		if (i % 2 == 0)
			change_rows(&f, &r);
		shown = damage_show(f.path, &e);
		noticed += !shown;
		silent += shown && strcmp(shown, good) != 0;
		free(shown);
		free(bad);
	}
	CHECK_INT(silent, 0);
	CHECK(noticed > DAMAGES / 3); /* it was damage */
	free(bytes);
	free(good);
	folder_remove(&f);
}

TEST(test_damaged_run_is_named_by_its_key_and_part)
{
	static const struct {
		const char *sql, *message;
	} cases[] = {
		{ "UPDATE flow SET finish_ps = finish_ps + 1 WHERE run = 2 AND flow = 1",
		  "its flows are not what was stored" },
		{ "UPDATE metric SET value = value * 1.01 WHERE run = 2 AND name = 'goodput_bps.2'",
		  "its metrics are not what was stored" },
		{ "UPDATE setting SET value = '3' WHERE run = 2 AND path = 'seed'",
		  "its settings are not what was stored" },
		{ "UPDATE run SET title = 'another question' WHERE id = 2",
		  "its title is not what was stored" },
		{ "DELETE FROM digest WHERE run = 2 AND part = 'series'",
		  "its series are not what was stored" },
	};
	struct folder f = folder_make();
	struct stored_runs runs;
	struct weir_error e = { "" };
	char key[RUN_KEY_SIZE], *bytes;
	struct store *s;
	size_t length;

	damage_fill(&f);
	bytes = folder_read(&f, "results.db", &length);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	memcpy(key, runs.runs[1].key, sizeof(key));
	stored_runs_free(&runs);
	store_close(s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		folder_write(&f, "results.db", bytes, length);
		change_by(&f, cases[i].sql);
		CHECK(damage_show(f.path, &e) == NULL);
		CHECK_CONTAINS(e.text, key);
		CHECK_CONTAINS(e.text, cases[i].message);
	}
	free(bytes);
	folder_remove(&f);
}

TEST(test_export_of_damaged_flows_leaves_no_file)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct stored_runs runs;
	char *path = NULL;
	struct store *s;

	damage_fill(&f);
	change_by(&f, "UPDATE flow SET finish_ps = finish_ps + 1 WHERE run = 2 AND flow = 1");
	text_print(&path, "%s/csv", f.path);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	CHECK_INT(export_csv(path, s, &runs, &e), -1);
	CHECK_CONTAINS(e.text, "its flows are not what was stored");
	CHECK(access(path, F_OK) != 0);
	stored_runs_free(&runs);
	store_close(s);
	free(path);
	folder_remove(&f);
}

TEST(test_run_that_vanished_is_noticed_and_not_sealed_by_the_next)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	char key[RUN_KEY_SIZE];
	struct store *s;
	struct sim sim;

	damage_fill(&f);
	change_by(&f, "DELETE FROM run WHERE id = 3");
	CHECK(damage_show(f.path, &e) == NULL);
	CHECK_CONTAINS(e.text, "the list of runs is not what was stored");
	sim_read(&sim, "[network]\ntopology = star\n[traffic a]\npattern = list\n"
		       "flow = 0 1 1KB 0us\n");
	sim_run(&sim, 1);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	CHECK_INT(store_open(&s, f.path, STORE_ADD, &e), 0);
	CHECK_INT(store_add(s, key, &sim.c, &sim.r, &e), -1);
	CHECK_CONTAINS(e.text, "the list of runs is not what was stored");
	store_close(s);
	sim_end(&sim);
	folder_remove(&f);
}

TEST(test_damaged_run_is_replaced_by_the_same_run_made_anew)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	char key[RUN_KEY_SIZE], *shown;
	struct store *s;
	struct sim sim;

	sim_read(&sim, "[network]\ntopology = star\n[traffic a]\npattern = list\n"
		       "flow = 0 1 1KB 0us\n");
	sim_run(&sim, 1);
	CHECK_INT(run_key(&sim.c, key, &e), 0);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
		CHECK_INT(store_add(s, key, &sim.c, &sim.r, &e), 0);
		store_close(s);
		shown = damage_show(f.path, &e);
		CHECK(shown != NULL);
		free(shown);
		change_by(&f, "UPDATE flow SET src = 7");
		CHECK(damage_show(f.path, &e) == NULL);
	}
	sim_end(&sim);
	folder_remove(&f);
}

/* As the form before was: the same tables, no digests. */
static void strip_digests(const struct folder *f)
{
	change_by(f, "DROP TABLE digest; PRAGMA user_version = 2");
}

TEST(test_store_without_digests_is_read_and_upgraded_when_it_is_written)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	char *good, *without, *upgraded;
	struct store *s;

	damage_fill(&f);
	good = damage_show(f.path, &e);
	strip_digests(&f);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	CHECK_INT(store_has_digests(s), 0);
	store_close(s);
	without = damage_show(f.path, &e);
	CHECK_STR(without, good);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_has_digests(s), 1);
	store_close(s);
	CHECK_INT(store_open(&s, f.path, STORE_READ, &e), 0);
	CHECK_INT(store_has_digests(s), 1);
	store_close(s);
	upgraded = damage_show(f.path, &e);
	CHECK_STR(upgraded, good);
	change_by(&f, "UPDATE port SET drops = drops + 1 WHERE run = 1 AND port = 0");
	CHECK(damage_show(f.path, &e) == NULL);
	free(good);
	free(without);
	free(upgraded);
	folder_remove(&f);
}

TEST(test_store_whose_header_lost_a_bit_of_its_form_is_damaged)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };

	damage_fill(&f);
	change_by(&f, "PRAGMA user_version = 2");
	CHECK(damage_show(f.path, &e) == NULL);
	CHECK_CONTAINS(e.text, "is damaged (its schema is 2, but it has digests)");
	folder_remove(&f);
}

TEST(test_series_that_says_more_points_than_it_has_is_refused)
{
	static const char *const counts[] = { "2305843009213693952", "-1", "1",
					      "1152921504606846976", "9223372036854775807" };
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct store *s;
	char sql[128];

	damage_fill(&f);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		snprintf(sql, sizeof(sql),
			 "UPDATE series SET count = %s, time_ps = x'', value = x''", counts[i]);
		change_by(&f, sql);
		CHECK_INT(store_open(&s, f.path, STORE_ADD, &e), 0);
		CHECK_INT(store_write_all_digests(s, &e),
			  0); /* whoever made this knew of digests */
		store_close(s);
		CHECK(damage_show(f.path, &e) == NULL);
		CHECK_CONTAINS(e.text, "is damaged (a malformed text, time or series)");
	}
	folder_remove(&f);
}

TEST(test_store_behind_a_symbolic_link_is_refused)
{
	static const enum store_mode modes[] = { STORE_READ, STORE_WRITE, STORE_ADD };
	struct folder f = folder_make(), other = folder_make();
	char from[96], to[96];
	struct weir_error e = { "" };
	struct store *s;

	damage_fill(&f);
	snprintf(to, sizeof(to), "%s/results.db", f.path);
	snprintf(from, sizeof(from), "%s/results.db", other.path);
	CHECK_INT(symlink(to, from), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(store_open(&s, other.path, modes[i], &e), -1);
		CHECK_CONTAINS(e.text, "/results.db: is a symbolic link");
	}
	CHECK_INT(unlink(from), 0);
	CHECK_INT(symlink("/none/such", from), 0); /* would be made, elsewhere */
	CHECK_INT(store_open(&s, other.path, STORE_WRITE, &e), -1);
	CHECK_CONTAINS(e.text, "/results.db: is a symbolic link");
	folder_remove(&other);
	folder_remove(&f);
}

/* --- pruning --- */

TEST(test_prune_deletes_what_the_plan_does_not_name_and_frees_its_room)
{
	struct folder f = folder_make();
	struct stored_runs runs;
	uint64_t pruned, planned, done;
	struct weir_error e = { "" };
	size_t before, after;
	struct store *s;

	damage_fill(&f);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_runs(s, STORE_PLANNED, &runs, &e), 0);
	CHECK_INT(runs.count, 3);
	CHECK_INT(runs.left_out, 1);
	CHECK_INT(store_plan(s, &runs.runs[0].key, 1, &e), 0);
	stored_runs_free(&runs);
	CHECK_INT(store_prune(s, PRUNE_DRY, &pruned, &e), 0);
	CHECK_INT(pruned, 3);
	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 4);
	CHECK_INT(runs.left_out, 0);
	stored_runs_free(&runs);
	free(folder_read(&f, "results.db", &before));
	CHECK_INT(store_prune(s, PRUNE, &pruned, &e), 0);
	CHECK_INT(pruned, 3);
	CHECK_INT(store_runs(s, STORE_ALL, &runs, &e), 0);
	CHECK_INT(runs.count, 1);
	stored_runs_free(&runs);
	CHECK_INT(store_progress(s, &planned, &done, &e), 0);
	CHECK_INT(planned, 1);
	CHECK_INT(done, 1);
	CHECK_INT(store_prune(s, PRUNE, &pruned, &e), 0);
	CHECK_INT(pruned, 0);
	store_close(s);
	free(folder_read(&f, "results.db", &after));
	CHECK(after < before);
	folder_remove(&f);
}

TEST(test_prune_of_a_store_without_a_plan_deletes_nothing)
{
	struct folder f = folder_make();
	struct weir_error e = { "" };
	uint64_t pruned;
	struct store *s;

	damage_fill(&f);
	CHECK_INT(store_open(&s, f.path, STORE_WRITE, &e), 0);
	CHECK_INT(store_plan(s, NULL, 0, &e), 0);
	CHECK_INT(store_prune(s, PRUNE, &pruned, &e), -1);
	CHECK_CONTAINS(e.text, "no sweep is planned in it; nothing is deleted");
	store_close(s);
	folder_remove(&f);
}
