/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c -- weir status: prints the progress of a submitted sweep (cli/submit.c) and merges
 * completed runs. */
#define _POSIX_C_SOURCE 200809L
#include "cli/options.h"
#include "lab/campaign/shard.h"
#include "lab/campaign/running.h"
#include "lab/campaign/job.h"
#include "base/memory.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct cli_option status_arguments[] = {
	{ "--wait", NULL, "until none of its jobs is in the queue", OFFER_NOTHING },
	{ .name = NULL },
};

enum { WAIT_S = 2 };

/* A shard: its folder, and how many of its runs are complete. */
struct status_shard {
	uint64_t own, done;
	int is_merged; /* 1: all its runs are merged */
};

struct status_job {
	struct job job;
	struct slurm_task *tasks;
	struct status_shard *parts;
	uint32_t queued;
};

/* --- the job --- */

/* The result folder of the shards: by either name, or the only one in the current directory. */
static int status_find_job(const struct arguments *a, char folder[FOLDER_SIZE],
			   struct weir_error *e)
{
	static const struct folder_kind shards = { JOB_SUFFIX, "weir submit" };

	if (folder_find(a, &shards, folder, e))
		return -1;
	while (folder[0] && folder[1] && folder[strlen(folder) - 1] == '/')
		folder[strlen(folder) - 1] = '\0';
	if (folder_has_suffix(folder, JOB_SUFFIX))
		folder[strlen(folder) - strlen(JOB_SUFFIX)] = '\0';
	return 0;
}

/* --- state of shards --- */

/* A queued shard is read by its progress file only: its store is open for writing on another
 * machine. */
static int status_read_shard(struct status_job *v, uint32_t i, struct weir_error *e)
{
	const struct shard s = { i + 1, v->job.shards };
	struct status_shard *p = &v->parts[i];
	char *folder = job_shard_folder(&v->job, s.number);
	struct running_campaign *now = memory_zeroed(1, sizeof(*now));
	uint64_t merged = 0;
	int failed = 0;

	p->own = shard_runs(&s, v->job.runs);
	if (v->tasks[i].place != SLURM_NOWHERE) {
		if (running_read(folder, now))
			p->done = running_done(now);
	} else {
		failed = job_count(v->job.out, &s, NULL, v->job.runs, &merged, e);
		p->is_merged = !failed && merged == p->own;
		p->done = merged;
		if (!failed && !p->is_merged)
			failed = job_count(folder, &s, NULL, v->job.runs, &p->done, e);
	}
	free(now);
	free(folder);
	return failed;
}

static int status_read_job(struct status_job *v, struct weir_error *e)
{
	v->queued = 0;
	memset(v->parts, 0, v->job.shards * sizeof(*v->parts));
	if (slurm_query(&v->job, v->tasks, e))
		return -1;
	for (uint32_t i = 0; i < v->job.shards; i++) {
		v->queued += v->tasks[i].place != SLURM_NOWHERE;
		if (status_read_shard(v, i, e))
			return -1;
	}
	return 0;
}

/* --- output --- */

static int status_ended_early(const struct status_job *v, uint32_t i)
{
	return v->tasks[i].place == SLURM_NOWHERE && v->parts[i].done < v->parts[i].own;
}

static void status_print_short(const struct status_job *v)
{
	for (uint32_t i = 0; i < v->job.shards; i++) {
		struct job_log_line word;
		char *log;

		if (!status_ended_early(v, i))
			continue;
		word = job_log_tail(&v->job, i + 1);
		log = job_log(&v->job, i + 1);
		printf("shard %" PRIu32 ": ended with %" PRIu64 " of %" PRIu64
		       " runs%s%s%s%s%s%s\n",
		       i + 1, v->parts[i].done, v->parts[i].own, v->tasks[i].state[0] ? ", " : "",
		       v->tasks[i].state, word.text[0] ? "; " : "", word.text[0] ? log : "",
		       word.text[0] ? ": " : "", word.text);
		free(log);
	}
}

static void status_print(const struct status_job *v)
{
	uint32_t places[SLURM_RUNS + 1] = { 0 }, lacking = 0;
	uint64_t done = 0;
	const char *why = "";

	for (uint32_t i = 0; i < v->job.shards; i++) {
		places[v->tasks[i].place]++;
		lacking += (uint32_t)status_ended_early(v, i);
		done += v->parts[i].done;
		if (v->tasks[i].place == SLURM_WAITS && !*why)
			why = v->tasks[i].why;
	}
	printf("job %" PRIu64 ": %" PRIu64 " of %" PRIu64 " runs; of %" PRIu32 " shards %" PRIu32
	       " done, %" PRIu32 " under way, %" PRIu32 " waiting%s%s, %" PRIu32 " ended early\n",
	       v->job.id, done, v->job.runs, v->job.shards, places[SLURM_NOWHERE] - lacking,
	       places[SLURM_RUNS], places[SLURM_WAITS], *why ? " " : "", why, lacking);
	status_print_short(v);
}

/* --- merging --- */

/* Merges shards that are not in the queue and not merged yet. */
static int status_merge_ended(const struct status_job *v)
{
	char **folders = memory_zeroed(v->job.shards, sizeof(*folders));
	struct merge m = { .folders = (const char *const *)folders, .out = v->job.out };
	struct weir_error e;
	int status = EXIT_FINE;

	for (uint32_t i = 0; i < v->job.shards; i++)
		if (v->tasks[i].place == SLURM_NOWHERE && !v->parts[i].is_merged &&
		    v->parts[i].done)
			folders[m.folder_count++] = job_shard_folder(&v->job, i + 1);
	if (m.folder_count && merge_folders(&m, &e))
		status = cli_error(EXIT_WORLD, &e);
	else if (m.added)
		printf("%s: %" PRIu64 " of %" PRIu64 " runs, %" PRIu64 " of them new\n", v->job.out,
		       m.planned - m.missing, m.planned, m.added);
	for (uint32_t i = 0; i < m.folder_count; i++)
		free(folders[i]);
	free(folders);
	merge_free(&m);
	return status;
}

static int status_finish(const struct status_job *v)
{
	int status = status_merge_ended(v), lacks = 0;

	for (uint32_t i = 0; i < v->job.shards; i++)
		lacks |= status_ended_early(v, i);
	if (!lacks)
		return status;
	fflush(stdout);
	fputs("weir: the same 'weir submit' command resubmits what ended early\n", stderr);
	return EXIT_WORLD;
}

static int status_follow(struct status_job *v, int waits)
{
	const struct timespec pause = { WAIT_S, 0 };
	struct weir_error e;

	v->tasks = memory_zeroed(v->job.shards, sizeof(*v->tasks));
	v->parts = memory_zeroed(v->job.shards, sizeof(*v->parts));
	if (status_read_job(v, &e))
		return cli_error(EXIT_WORLD, &e);
	while (waits && v->queued) {
		nanosleep(&pause, NULL);
		if (status_read_job(v, &e))
			return cli_error(EXIT_WORLD, &e);
	}
	status_print(v);
	return status_finish(v);
}

static int status_main(const struct arguments *a)
{
	struct status_job v = { .queued = 0 };
	char folder[FOLDER_SIZE];
	struct weir_error e;
	int status, found;

	if (status_find_job(a, folder, &e))
		return cli_error(EXIT_MISTAKE, &e);
	job_init(&v.job, folder);
	found = job_read(&v.job, &e);
	if (found > 0 && v.job.id) {
		status = status_follow(&v, arguments_option(a, "--wait") != NULL);
	} else {
		if (found >= 0)
			weir_error_set(&e, "%.200s: nothing was submitted from it", v.job.folder);
		status = cli_error(found < 0 ? EXIT_WORLD : EXIT_MISTAKE, &e);
	}
	free(v.tasks);
	free(v.parts);
	job_free(&v.job);
	return status;
}

const struct command command_status = {
	.name = "status",
	.usage = "[FOLDER]",
	.help = "prints the progress of a submitted sweep (default: the only *.shards here), and "
		"merges completed runs",
	.options = status_arguments,
	.words_max = 1,
	.run = status_main,
	.offer = OFFER_FOLDER,
};
