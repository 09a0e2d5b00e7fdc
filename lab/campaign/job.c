/* SPDX-License-Identifier: BSD-3-Clause */
/* job.c -- see job.h. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/job.h"
#include "base/output.h"
#include "base/text.h"
#include "lab/store/store.h"
#include "base/input.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char first_line[] = "weir job 1";

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

static char *path_in(const struct job *j, const char *name)
{
	char *path = NULL;

	text_print(&path, "%s/%s", j->folder, name);
	return path;
}

char *job_script(const struct job *j)
{
	return path_in(j, "job.sh");
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

/* --- who has it --- */

static int parse(struct job *j, FILE *f)
{
	char line[128];

	if (!fgets(line, sizeof(line), f) || strncmp(line, first_line, sizeof(first_line) - 1) != 0)
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
	char *path = path_in(j, "job");
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
	failed = parse(j, f);
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
	fprintf(o.stream, "%s\nid %" PRIu64 "\nshards %" PRIu32 "\nruns %" PRIu64 "\n", first_line,
		j->id, j->shards, j->runs);
	return output_finish(&o, e) ? -1 : output_publish(&o, e);
}

/* --- shards --- */

struct job_word job_last_word(const struct job *j, uint32_t shard)
{
	char *path = job_log(j, shard), line[sizeof(((struct job_word *)0)->text)];
	struct job_word word = { "" };
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

static int has_store(const char *folder)
{
	char *path = NULL;
	struct stat st;
	int found;

	text_print(&path, "%s/results.db", folder);
	found = stat(path, &st) == 0 && st.st_size > 0;
	free(path);
	return found;
}

int job_count(const char *folder, const struct shard *s, const char (*keys)[RUN_KEY_SIZE],
	      uint64_t runs, uint64_t *done, struct weir_error *e)
{
	struct planned_run *planned = NULL;
	struct store *store;
	uint64_t count = 0;
	int failed;

	*done = 0;
	if (!has_store(folder))
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
