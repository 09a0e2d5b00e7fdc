/* SPDX-License-Identifier: BSD-3-Clause */
/* test_keeper_plan.c -- a keeper's file: meaning of its keys, error messages; journals on disk. */
#define _GNU_SOURCE
#include "tests/keeper_fixture.h"
#include <stdlib.h>

#define HEAD "[keeper]\ndriver = fake\ntune = qla\n"

static int read_plan(struct keeper_plan *p, const char *text, struct weir_error *e)
{
	const struct ini_text in = { "k.ini", text, strlen(text) };

	return keeper_plan_read_text(p, &fake_registry, &in, e);
}

static void check_refused(const char *text, const char *message)
{
	struct keeper_plan p;
	struct weir_error e = { "" };

	CHECK_INT(read_plan(&p, text, &e), -1);
	CHECK_LIKE(e.text, message);
}

TEST(test_keeper_plan_of_a_profile_comes_before_limits_of_all)
{
	struct keeper_plan p;
	struct weir_error e = { "" };
	char path[WEIR_OPT_TEXT_SIZE];

	CHECK_INT(
		read_plan(&p,
			  "# leaf 3\n" HEAD "[profile one]\nstep = 10%\nqueue = Ethernet0 3\n"
			  "queue = Ethernet4 3\n[limits]\nwrites = 3\nstep = 20%\n[profile two]\n",
			  &e),
		0);
	CHECK_STR(p.title, "leaf 3");
	CHECK_STR(p.tune.scheme->name, "qla");
	CHECK_INT(p.profile_count, 2);
	CHECK_INT(p.profiles[0].limits.writes, 3);
	CHECK_NEAR((double)p.profiles[0].limits.bounds.step_q32 / WEIR_ONE_Q32, 0.1, 1e-6);
	CHECK_NEAR((double)p.profiles[1].limits.bounds.step_q32 / WEIR_ONE_Q32, 0.2, 1e-6);
	CHECK_INT(p.profiles[0].limits.queues.count, 2);
	keeper_plan_journal(&p, path);
	CHECK_STR(path, "/var/lib/weir/k.journal");
	keeper_plan_free(&p);
}

TEST(test_keeper_plan_names_line_key_and_what_is_allowed)
{
	check_refused("[keeper]\ndriver = fak\ntune = qla\n[profile a]\n",
		      "k.ini:2: keeper.driver: unknown driver 'fak'; ...");
	check_refused("[keeper]\ndriver = fake\ntune = qal\n[profile a]\n",
		      "k.ini:3: keeper.tune: unknown agent or tuner 'qal'; ...(nearest: qla)");
	check_refused("[keeper]\ndriver = fake\ntune = none\n[profile a]\n",
		      "k.ini:3: keeper.tune: none is not allowed; ...");
	check_refused("[keeper]\ndriver = fake\n[profile a]\n",
		      "k.ini:1: keeper.tune: is missing; ...");
	check_refused(HEAD "interva = 1s\n[profile a]\n",
		      "k.ini:4: keeper.interva: unknown key ... (nearest: interval)");
	check_refused(HEAD "interval = 1\n[profile a]\n", "k.ini:4: keeper.interval: ...");
	check_refused(HEAD, "k.ini: no profile; add a section such ...");
	check_refused(HEAD "[profile a]\nstep = 2\n", "k.ini:5: profile.a.step: ...");
	check_refused(HEAD "[profile a]\nstep = 0.2\nstep = 0.3\n",
		      "k.ini:6: profile.a.step: given twice, first in line 5");
	check_refused(HEAD "[profile a]\n[profile a]\n",
		      "k.ini:5: profile.a: given twice, first in line 4");
	check_refused(HEAD "[limits]\nmax-from = 5KB\n[profile a]\n",
		      "k.ini:6: profile.a: min-from is above max-from");
	check_refused(HEAD "[limits]\nmin-to = 5GB\n[profile a]\n", "k.ini:5: limits.min-to: ...");
	check_refused(HEAD "[profle a]\n", "k.ini:4: unknown section 'profle'; ...");
	check_refused("interval = 1s\n",
		      "k.ini:1: 'interval' stands before the first section; ...");
	check_refused("[profile a]\n", "k.ini: section [keeper] is missing");
}

/* --- journals --- */

static const struct keeper_record record = {
	.name = "one",
	.original = { 1, 2, 3 },
	.was = { 4, 5, 6 },
	.wrote = { 7, 8, 9 },
	.yielded = 1,
};

enum { PATH_SIZE = 80 };

static struct folder journal_name(char path[PATH_SIZE])
{
	const struct folder f = folder_make();

	snprintf(path, PATH_SIZE, "%s/journal", f.path);
	return f;
}

TEST(test_keeper_journal_reads_back_what_was_saved)
{
	struct keeper_record *read;
	struct weir_error e = { "" };
	uint32_t count;
	char path[PATH_SIZE];
	const struct folder f = journal_name(path);

	CHECK_INT(keeper_journal_save(path, &record, 1, &e), 0);
	CHECK_INT(keeper_journal_load(path, &read, &count, &e), 0);
	CHECK_INT(count, 1);
	CHECK_STR(read->name, "one");
	CHECK_INT(read->yielded, 1);
	CHECK(keeper_setting_equals(&read->original, &record.original));
	CHECK(keeper_setting_equals(&read->was, &record.was));
	CHECK(keeper_setting_equals(&read->wrote, &record.wrote));
	free(read);
	keeper_journal_remove(path);
	CHECK_INT(keeper_journal_load(path, &read, &count, &e), 0);
	CHECK(read == NULL);
	folder_remove(&f);
}

TEST(test_keeper_journal_that_is_cut_anywhere_is_refused_not_believed)
{
	static const char whole[] = "weir keeper journal 1\nkept one 1 2 3 4 5 6 7 8 9\nend\n";
	struct keeper_record *read;
	uint32_t count;
	char path[PATH_SIZE];
	const struct folder f = journal_name(path);

	for (size_t length = 0; length < sizeof(whole) - 1; length++) {
		struct weir_error e = { "" };
		FILE *file = fopen(path, "w");

		fwrite(whole, 1, length, file);
		fclose(file);
		CHECK_INT(keeper_journal_load(path, &read, &count, &e), -1);
		CHECK_CONTAINS(e.text, ": not a complete keeper journal; inspect it before "
				       "removing it, it may hold the originals");
		CHECK(read == NULL);
	}
	folder_remove(&f);
}

TEST(test_keeper_journal_is_one_keepers_at_a_time)
{
	struct weir_error e = { "" };
	int first, second;
	char path[PATH_SIZE];
	const struct folder f = journal_name(path);

	CHECK_INT(keeper_journal_lock(path, &first, &e), 0);
	CHECK_INT(keeper_journal_lock(path, &second, &e), -1);
	CHECK_CONTAINS(e.text, "another keeper");
	keeper_journal_unlock(first);
	CHECK_INT(keeper_journal_lock(path, &first, &e), 0);
	keeper_journal_unlock(first);
	folder_remove(&f);
}

/* --- telemetry --- */

TEST(test_keeper_telemetry_holds_no_more_than_the_line_carries)
{
	struct keeper_counters before = { .rate_bps = 8000 }, after = before;
	struct weir_tune_telemetry t;

	after.since_start[KEEPER_OUT_BYTES] = UINT64_MAX; /* malformed or stale */
	after.since_start[KEEPER_MARKED_PKTS] = 3;
	after.queue_bytes = 500;
	after.watermark_bytes = 200;
	CHECK_INT(keeper_telemetry(&before, &after, WEIR_NS_PER_S, 100, &t), 0);
	CHECK_INT(t.out_bytes, 1000);
	CHECK_INT(t.ce_bytes, 300);
	CHECK_INT(t.queue_max_bytes, 500);
	CHECK_INT(t.queue_mean_bytes, 250);
	CHECK_INT(keeper_telemetry(&after, &before, WEIR_NS_PER_S, 100, &t), -1);
}

TEST(test_keeper_plan_accepts_former_names_with_a_note)
{
	struct keeper_plan p;
	struct weir_error e = { "" };

	CHECK_INT(read_plan(&p,
			    HEAD "hold-off = 7s\n[mimic]\nsocket = /none\n[limits]\n"
				 "shortest = 3s\n[profile x]\n",
			    &e),
		  0);
	CHECK_INT(p.options.hold_off_ns, 7000000000);
	CHECK_STR(p.emulator.socket, "/none");
	CHECK_INT(p.profiles[0].limits.shortest_ns, 3000000000);
	CHECK_STR(p.renamed, "k.ini:4: hold-off is called hold-down now; its former name will go "
			     "with the next release");
	keeper_plan_free(&p);
}
