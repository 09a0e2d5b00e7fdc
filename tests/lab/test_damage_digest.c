/* SPDX-License-Identifier: BSD-3-Clause */
/* test_damage_digest.c -- what the digests of a store tell apart: values that look alike, and rows
 * that moved with their digest. */
#include "tests/damage.h"

enum { VALUES = 12 };

/* A text and one with zeros behind it, a number and a real of the same bits, numbers that differ in
 * their upper half alone. */
TEST(test_digests_of_values_that_look_alike_differ)
{
	static const char sql[] = "SELECT x'61', x'6100', x'610000', x'6100000000000000', x'', "
				  "x'00', 1, ?, NULL, 4294967297, 1.5, 'a'";
	const uint64_t one = 1;
	double tiny;
	uint64_t hash[VALUES];
	sqlite3_stmt *q;
	sqlite3 *db;

	memcpy(&tiny, &one, sizeof(tiny));
	CHECK_INT(sqlite3_open(":memory:", &db), SQLITE_OK);
	CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
	CHECK_INT(sqlite3_bind_double(q, 1, tiny), SQLITE_OK);
	CHECK_INT(sqlite3_step(q), SQLITE_ROW);
	for (int i = 0; i < VALUES; i++)
		hash[i] = store_hash_value(7, sqlite3_column_value(q, i));
	for (int i = 0; i < VALUES; i++)
		for (int k = 0; k < i; k++)
			CHECK(hash[i] != hash[k]);
	sqlite3_finalize(q);
	sqlite3_close(db);
}

/* The metrics of two runs change places, and so do their digests: each row is as it was stored, but
 * of another run. */
TEST(test_rows_that_moved_to_another_run_with_their_digest_are_noticed)
{
	static const char *const swaps[] = {
		"UPDATE metric SET run = -run WHERE run IN (1, 2)",
		"UPDATE metric SET run = 3 + run WHERE run < 0",
		"UPDATE digest SET run = -run WHERE run IN (1, 2) AND part = 'metric'",
		"UPDATE digest SET run = 3 + run WHERE run < 0",
	};
	struct folder f = folder_make();
	struct weir_error e = { "" };
	struct store *s;
	char *shown;

	damage_fill(&f);
	shown = damage_show(f.path, &e);
	CHECK(shown != NULL);
	free(shown);
	CHECK_INT(store_open(&s, f.path, STORE_ADD, &e), 0);
	for (size_t i = 0; i < sizeof(swaps) / sizeof(swaps[0]); i++)
		if (store_exec(s, swaps[i], &e))
			test_fail(__FILE__, __LINE__, "%s", e.text);
	store_close(s);
	CHECK(damage_show(f.path, &e) == NULL);
	CHECK_CONTAINS(e.text, "its metrics are not what was stored");
	folder_remove(&f);
}
