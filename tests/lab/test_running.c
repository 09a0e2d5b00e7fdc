/* SPDX-License-Identifier: BSD-3-Clause */
/* test_running.c -- what a campaign leaves in its folder while it goes on, and what becomes of
 * that. */
#define _GNU_SOURCE
#include "tests/folder.h"
#include "lab/campaign/running.h"
#include "weir/rng.h"
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct running_campaign sample(void)
{
	return (struct running_campaign){ .pid = 4711,
					  .seconds = 12.5,
					  .total = 20,
					  .todo = 16,
					  .ended = 3,
					  .failed = 1,
					  .run_count = 2,
					  .runs = { { 7, 0.25, "tcn, seed 2" }, { 8, 0.75, "" } } };
}

TEST(test_a_campaign_under_way_is_read_as_it_was_written)
{
	struct folder f = folder_make();
	struct running_campaign c = sample(), back;

	CHECK_INT(running_read(f.path, &back), 0);
	running_write(f.path, &c);
	CHECK_INT(running_read(f.path, &back), 1);
	CHECK_INT(back.pid, 4711);
	CHECK_NEAR(back.seconds, 12.5, 0);
	CHECK_INT(back.todo, 16);
	CHECK_INT(back.run_count, 2);
	CHECK_INT(back.runs[0].task, 7);
	CHECK_NEAR(back.runs[0].share, 0.25, 0);
	CHECK_STR(back.runs[0].label, "tcn, seed 2");
	CHECK_STR(back.runs[1].label, "");
	/* 4 were there, 3 ended, 1 of them in vain. */
	CHECK_INT(running_done(&back), 6);
	/* 3 + 0.25 + 0.75 of 16 in 12.5 s: three times as long again. */
	CHECK_NEAR(running_share(&back), 0.25, 1e-12);
	CHECK_NEAR(running_seconds_left(back.seconds, running_share(&back)), 37.5, 1e-9);
	CHECK(isnan(running_seconds_left(1, 0)));
	running_remove(f.path, 4711);
	folder_remove(&f);
}

/* Makes a file of the folder so many seconds old. */
static void age(const struct folder *f, const char *name, int seconds)
{
	const struct timespec times[2] = { { time(NULL) - seconds, 0 },
					   { time(NULL) - seconds, 0 } };
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	CHECK_INT(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(test_what_a_killed_campaign_left_counts_for_nothing_and_is_cleared_away)
{
	struct folder f = folder_make();
	static const char killed[] = "weir running 1\nhost another.machine\nseconds 1\n";
	struct running_campaign back;

	folder_write(&f, "running.4711", killed, sizeof(killed) - 1);
	CHECK_INT(running_read(f.path, &back), 1);
	age(&f, "running.4711", 20);
	CHECK_INT(running_read(f.path, &back), 0);
	/* Not yet: its machine may only have been asleep. */
	running_remove(f.path, 4712);
	age(&f, "running.4711", 100);
	running_remove(f.path, 4712);
	folder_write(&f, "running.notes", "mine", 4);
	running_remove(f.path, 4712);
	CHECK_INT(access(f.path, F_OK), 0);
	{
		char path[400];
		struct stat st;

		snprintf(path, sizeof(path), "%s/running.4711", f.path);
		CHECK(stat(path, &st) != 0);
		snprintf(path, sizeof(path), "%s/running.notes", f.path);
		CHECK(stat(path, &st) == 0);
	}
	folder_remove(&f);
}

/* The number of a process that has ended. */
static int64_t ended_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	CHECK(waitpid(child, NULL, 0) == child);
	return child;
}

static int is_there(const struct folder *f, const char *format, int64_t pid)
{
	char name[64], path[400];
	struct stat st;

	snprintf(name, sizeof(name), format, (long long)pid);
	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	return stat(path, &st) == 0;
}

TEST(test_what_a_killed_campaign_of_this_machine_left_is_removed_at_once)
{
	struct folder f = folder_make();
	struct running_campaign killed = sample(), alive = sample();
	char name[64], other[] = "weir running 1\nhost another.machine\nseconds 1\n";

	killed.pid = ended_process();
	alive.pid = getppid();
	running_write(f.path, &killed);
	running_write(f.path, &alive);
	snprintf(name, sizeof(name), "running.%lld.7", (long long)killed.pid);
	folder_write(&f, name, "weir series 1\n", 14);
	running_remove(f.path, 4712);
	CHECK(!is_there(&f, "running.%lld", killed.pid));
	CHECK(!is_there(&f, "running.%lld.7", killed.pid));
	CHECK(is_there(&f, "running.%lld", alive.pid));
	/* Of another machine the process number says nothing. */
	snprintf(name, sizeof(name), "running.%lld", (long long)killed.pid);
	folder_write(&f, name, other, sizeof(other) - 1);
	running_remove(f.path, alive.pid);
	CHECK(is_there(&f, "running.%lld", killed.pid));
	running_remove(f.path, killed.pid);
	folder_remove(&f);
}

TEST(test_the_series_of_a_run_under_way_keep_their_peaks)
{
	enum { POINTS = 300000 };
	static int64_t time_ps[POINTS];
	static double value[POINTS];
	static struct running_series back[RUNNING_SERIES_MAX];
	struct series s = { .name = "queue sw->h0", .unit = "pkts", .count = POINTS };
	struct series none = { .name = "marks sw->h0", .unit = "" };
	struct series both[] = { none, s };
	struct run_progress p = { .series_count = 2, .series = both };
	struct folder f = folder_make();
	double most = 0;

	for (int i = 0; i < POINTS; i++) {
		time_ps[i] = (int64_t)i * 1000000;
		value[i] = i == POINTS - 1234 ? 99 : i % 7;
	}
	both[1].time_ps = time_ps;
	both[1].value = value;
	running_write_series(f.path, 4711, 3, &p);
	CHECK_INT(running_read_series(f.path, 4711, 4, back), 0);
	CHECK_INT(running_read_series(f.path, 4711, 3, back), 1);
	CHECK_STR(back[0].name, "queue sw->h0");
	CHECK_STR(back[0].unit, "pkts");
	CHECK(back[0].count > 100 && back[0].count < RUNNING_POINTS_MAX);
	for (uint32_t i = 0; i < back[0].count; i++)
		most = fmax(most, back[0].value[i]);
	CHECK_NEAR(most, 99, 0);
	CHECK_NEAR(back[0].time_ns[back[0].count - 1], (POINTS - 1) * 1000.0, 0);
	running_remove_series(f.path, 4711, 3);
	CHECK_INT(running_read_series(f.path, 4711, 3, back), 0);
	folder_remove(&f);
}

TEST(test_no_text_of_a_campaign_under_way_is_trusted)
{
	static const char campaign[] =
		"weir running 1\nseconds 12.500\ntotal 20\ntodo 16\nended 3\n"
		"failed 1\nrun 7 0.2500 tcn, seed 2\nrun 8 0.7500 \n";
	static const char series[] = "weir series 1\nseries pkts queue sw->h0\n0 1\n5.5 2\n7 1e3\n"
				     "series - marks sw->h0\n0 0\n1 nan\n2 inf\n3 4\n";
	static struct running_series all[RUNNING_SERIES_MAX];
	static struct running_campaign c;
	struct weir_rng rng = weir_rng_make(1, 0, WEIR_RNG_TEST);

	CHECK_INT(running_parse(&c, campaign), 1);
	CHECK_INT(running_parse_series(all, series), 2);
	CHECK_INT(all[1].count, 2);
	CHECK_INT(running_parse(&c, "weir running 2\n"), 0);
	CHECK_INT(running_parse(&c, "weir running 1\nseconds nan\n"), 0);
	CHECK_INT(running_parse(&c, "weir running 1\ntotal 1\ntodo 2\n"), 0);
	for (int i = 0; i < 60000; i++) {
		const char *from = i % 2 ? campaign : series;
		size_t length = strlen(from);
		char *text = malloc(length + 1);

		CHECK(text != NULL);
		memcpy(text, from, length + 1);
		for (uint64_t k = 1 + weir_rng_below(&rng, 5); k > 0; k--)
			text[strlen("weir running 1\n") + weir_rng_below(&rng, length - 15)] =
				weir_rng_below(&rng, 2) ? "\n -.e9"[weir_rng_below(&rng, 7)]
							: (char)weir_rng_below(&rng, 256);
		if (running_parse(&c, text)) {
			CHECK(c.run_count <= RUNNING_TASKS_MAX && running_done(&c) <= c.total);
			CHECK(running_share(&c) >= 0 && running_share(&c) <= 1);
		}
		CHECK(running_parse_series(all, text) <= RUNNING_SERIES_MAX);
		free(text);
	}
}
