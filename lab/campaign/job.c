/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c -- the folder of a cluster job, and the estimated demand of its runs. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/job.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char job_first_line[] = "weir job 1";

void job_init(struct job *j, const char *out)
{
	memset(j, 0, sizeof(*j));
	text_print(&j->out, "%s", out);
	text_print(&j->folder, "%s" JOB_SUFFIX, out);
}

void job_free(struct job *j)
{
	free(j->out);
	free(j->folder);
}

static char *job_path(const struct job *j, const char *name)
{
	char *path = NULL;

	text_print(&path, "%s/%s", j->folder, name);
	return path;
}

char *job_script(const struct job *j)
{
	return job_path(j, "job.sh");
}

char *job_shard_folder(const struct job *j, uint32_t shard)
{
	char *path = NULL;

	text_print(&path, "%s/%" PRIu32, j->folder, shard);
	return path;
}

char *job_log(const struct job *j, uint32_t shard)
{
	char *path = NULL;

	text_print(&path, "%s/%" PRIu32 ".log", j->folder, shard);
	return path;
}

/* --- the file "job" --- */

static int job_parse(struct job *j, FILE *f)
{
	char line[128];

	if (!fgets(line, sizeof(line), f) ||
	    strncmp(line, job_first_line, sizeof(job_first_line) - 1) != 0)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "id %" SCNu64, &j->id);
		sscanf(line, "shards %" SCNu32, &j->shards);
		sscanf(line, "runs %" SCNu64, &j->runs);
	}
	return j->shards && j->shards <= SHARDS_MAX && j->runs ? 0 : -1;
}

int job_read(struct job *j, struct weir_error *e)
{
	char *path = job_path(j, "job");
	struct stat st;
	const char *why;
	int failed;
	FILE *f;

	if (stat(path, &st) != 0 && errno == ENOENT) {
		free(path);
		return 0;
	}
	f = input_open(path, &why);
	if (!f) {
		weir_error_set(e, "%.300s: cannot be read: %s", path, why);
		free(path);
		return -1;
	}
	failed = job_parse(j, f);
	fclose(f);
	if (failed)
		weir_error_set(e,
			       "%.300s: says nothing of a job of Weir; delete %.200s to begin anew",
			       path, j->folder);
	free(path);
	return failed ? -1 : 1;
}

int job_write(const struct job *j, struct weir_error *e)
{
	struct output o;

	if (output_open_in(&o, j->folder, "job", e))
		return -1;
	fprintf(o.stream, "%s\nid %" PRIu64 "\nshards %" PRIu32 "\nruns %" PRIu64 "\n",
		job_first_line, j->id, j->shards, j->runs);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

/* --- shards --- */

struct job_log_line job_log_tail(const struct job *j, uint32_t shard)
{
	char *path = job_log(j, shard), line[sizeof(((struct job_log_line *)0)->text)];
	struct job_log_line word = { "" };
	const char *why;
	FILE *f = input_open(path, &why);

	free(path);
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0])
			memcpy(word.text, line, sizeof(line));
	}
	if (f)
		fclose(f);
	return word;
}

int job_count(const char *folder, const struct shard *s, const char (*keys)[RUN_KEY_SIZE],
	      uint64_t runs, uint64_t *done, struct weir_error *e)
{
	struct planned_run *planned = NULL;
	struct store *store;
	uint64_t count = 0;
	int failed;

	*done = 0;
	if (!shard_has_store(folder))
		return 0;
	if (store_open(&store, folder, STORE_READ, e))
		return -1;
	failed = store_planned(store, &planned, &count, e);
	for (uint64_t i = 0; !failed && i < runs && i < count; i++)
		*done += shard_has(s, i) && planned[i].id != 0 &&
			 (!keys || strcmp(planned[i].key, keys[i]) == 0);
	free(planned);
	store_close(store);
	return failed ? -1 : 0;
}

/* --- demand of the runs --- */

#define BYTES_PER_MB 1e6

/* safety factor: estimates omit packets and connections in flight, and cores differ */
#define MEMORY_ROOM 1.5
#define MEMORY_BASE_MB 200.0 /* the program, SQLite and a result */
#define MEMORY_STEP_MB 100.0
#define TIME_ROOM 4.0
#define TIME_BASE_MINUTES 5.0

enum { SHARD_SECONDS = 600, SHARDS_FEW = 16, SHARDS_MANY = 1000, SECONDS_PER_MINUTE = 60 };

/* The run with the same settings and the first seed, which has the same estimate. */
static uint64_t demand_first_seed(const struct sweep *w, uint64_t run)
{
	uint64_t stride = 1;

	for (uint32_t i = w->axis_count; i-- > 0;) {
		uint32_t count = w->axes[i].values.count;

		if (strcmp(w->axes[i].path, "seed") == 0)
			return run - run / stride % count * stride;
		stride *= count;
	}
	return run;
}

static int demand_estimate_run(const struct sweep *w, uint64_t number, struct scenario *s,
			       struct estimate *found, struct weir_error *e)
{
	const struct run_control control = { .threads = 1, .extent = RUN_ONLY_BUILT };
	struct run_result result;
	struct config c;
	int failed;

	if (sweep_apply(w, number, s, e) || scenario_config(s, &c, e))
		return -1;
	failed = run(&c, &control, &result, e);
	if (!failed) {
		*found = result.estimate;
		run_result_free(&result);
	}
	config_free(&c);
	return failed ? -1 : 0;
}

int demand_estimate(struct demand *n, const struct sweep *w, struct scenario *s,
		    struct weir_error *e)
{
	memset(n, 0, sizeof(*n));
	n->run_s = memory_zeroed(w->run_count, sizeof(*n->run_s));
	for (uint64_t i = 0; i < w->run_count; i++) {
		uint64_t first = demand_first_seed(w, i);
		struct estimate found = { .memory_bytes = 0 };

		if (first == i && demand_estimate_run(w, i, s, &found, e)) {
			demand_free(n);
			return -1;
		}
		n->run_s[i] = first == i ? found.cpu_seconds : n->run_s[first];
		n->memory_bytes = fmax(n->memory_bytes, found.memory_bytes);
		n->longest_s = fmax(n->longest_s, n->run_s[i]);
		n->total_s += n->run_s[i];
	}
	return 0;
}

void demand_free(struct demand *n)
{
	free(n->run_s);
	memset(n, 0, sizeof(*n));
}

uint32_t demand_shards(const struct demand *n, uint64_t runs)
{
	double wanted = fmax(ceil(n->total_s / SHARD_SECONDS), SHARDS_FEW);

	return (uint32_t)fmin(fmin(wanted, SHARDS_MANY), (double)runs);
}

/* Upper bound for the duration of any shard, whatever the order of its runs. */
static double demand_slowest_shard_s(const struct demand *n, uint64_t runs, uint32_t shards,
				     uint32_t jobs)
{
	double slowest = 0;

	for (uint32_t k = 0; k < shards; k++) {
		double sum = 0;

		for (uint64_t i = k; i < runs; i += shards)
			sum += n->run_s[i];
		slowest = fmax(slowest, sum);
	}
	return jobs > 1 ? slowest / jobs + n->longest_s : slowest;
}

struct demand_request demand_request(const struct demand *n, uint64_t runs, uint32_t shards,
				     uint32_t jobs)
{
	double mb = MEMORY_BASE_MB + MEMORY_ROOM * jobs * n->memory_bytes / BYTES_PER_MB;
	double minutes = TIME_BASE_MINUTES + TIME_ROOM *
						     demand_slowest_shard_s(n, runs, shards, jobs) /
						     SECONDS_PER_MINUTE;

	return (struct demand_request){ (uint64_t)(ceil(mb / MEMORY_STEP_MB) * MEMORY_STEP_MB),
					(uint64_t)ceil(minutes) };
}
