/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.c -- Slurm: writes the script of a job, and parses the output of its commands. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/job.h"
#include "base/text.h"
#include "lab/campaign/executor.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the script --- */

/* Quotes a word for the shell. */
static void slurm_write_word(FILE *f, const char *word)
{
	fputc('\'', f);
	for (const char *c = word; *c; c++)
		if (*c == '\'')
			fputs("'\\''", f);
		else
			fputc(*c, f);
	fputc('\'', f);
}

/* Writes an array specification: "1-16", "3,7-9". */
static void slurm_write_array(FILE *f, const unsigned char *wanted, uint32_t shards)
{
	const char *comma = "";

	for (uint32_t i = 0; i < shards; i++) {
		uint32_t first = i;

		if (!wanted[i])
			continue;
		while (i + 1 < shards && wanted[i + 1])
			i++;
		fprintf(f, "%s%" PRIu32, comma, first + 1);
		if (i > first)
			fprintf(f, "-%" PRIu32, i + 1);
		comma = ",";
	}
}

void slurm_write(FILE *f, const struct slurm_script *s)
{
	fputs("#!/bin/sh\n#SBATCH --job-name=", f);
	fputs(s->name, f);
	fputs("\n#SBATCH --array=", f);
	slurm_write_array(f, s->wanted, s->job->shards);
	fprintf(f,
		"\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=%" PRIu32 "\n#SBATCH --mem=%" PRIu64
		"M\n#SBATCH --time=%" PRIu64 "\n",
		s->jobs * s->threads, s->asked.memory_mb, s->asked.minutes);
	/* --requeue: runs on a lost node are repeated; finished ones are in the shard's folder. */
	fputs("#SBATCH --output=\"", f);
	for (const char *c = s->job->folder; *c; c++)
		fprintf(f, *c == '%' ? "%%%%" : "%c", *c);
	fputs("/%a.log\"\n#SBATCH --open-mode=append\n#SBATCH --requeue\n", f);
	for (const char *const *line = s->lines; *line; line++)
		fprintf(f, "#SBATCH %s\n", *line);
	fputs("cd ", f);
	slurm_write_word(f, s->here);
	fputs(" || exit 1\nexec ", f);
	slurm_write_word(f, s->program);
	fputs(" run", f);
	for (const char *const *word = s->arguments; *word; word++) {
		fputc(' ', f);
		slurm_write_word(f, *word);
	}
	fprintf(f,
		" --jobs %" PRIu32 " --threads %" PRIu32
		" --quiet --shard \"$SLURM_ARRAY_TASK_ID/%" PRIu32 "\" --out ",
		s->jobs, s->threads, s->job->shards);
	slurm_write_word(f, s->job->folder);
	fputs("/\"$SLURM_ARRAY_TASK_ID\"\n", f);
}

/* --- commands --- */

struct command_output {
	struct payload text; /* terminated by a zero byte */
	int status;          /* exit status; -1: it could not be started */
};

/* Runs a command and captures stdout and stderr. */
static struct command_output slurm_command(const char *const *words)
{
	struct command_output s = { .status = -1 };
	char bytes[4096];
	ssize_t length;
	int ends[2];
	pid_t pid;

	if (pipe(ends) != 0) {
		payload_put_bytes(&s.text, "", 1);
		return s;
	}
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		close(ends[1]);
		execvp(words[0], (char *const *)words);
		_exit(errno == ENOENT ? 127 : 126);
	}
	close(ends[1]);
	while (pid > 0 && ((length = read(ends[0], bytes, sizeof(bytes))) > 0 ||
			   (length < 0 && errno == EINTR)))
		if (length > 0)
			payload_put_bytes(&s.text, bytes, (size_t)length);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &s.status, 0) < 0 && errno == EINTR)
		;
	s.status = pid > 0 && WIFEXITED(s.status) ? WEXITSTATUS(s.status) : -1;
	payload_put_bytes(&s.text, "", 1);
	return s;
}

static int slurm_refuse(const char *command, const struct command_output *s, struct weir_error *e)
{
	const char *text = (const char *)s->text.bytes;

	if (s->status == 127)
		return weir_error_set(e,
				      "%s: there is no such command here; is this a machine of the "
				      "cluster?",
				      command);
	return weir_error_set(e, "%s: %.*s", command, (int)strcspn(text, "\n"),
			      *text ? text : "failed, and did not say why");
}

int slurm_submit(struct job *j, struct weir_error *e)
{
	char *script = job_script(j);
	const char *const words[] = { "sbatch", "--parsable", script, NULL };
	struct command_output s = slurm_command(words);
	int failed = 0;

	/* "123" or "123;cluster", possibly after lines of a site's wrapper. */
	if (s.status == 0) {
		const char *at = (const char *)s.text.bytes, *end;

		j->id = 0;
		for (; *at && !j->id; at = *end ? end + 1 : end) {
			end = at + strcspn(at, "\n");
			j->id = strtoull(at, NULL, 10);
		}
	}
	if (s.status != 0 || !j->id)
		failed = slurm_refuse("sbatch", &s, e);
	payload_free(&s.text);
	free(script);
	return failed;
}

/* --- the queue --- */

/* A line of squeue: "3|RUNNING|node7". */
static void slurm_read_queued(const struct job *j, struct slurm_task *tasks, const char *line)
{
	struct slurm_task t = { .place = SLURM_NOWHERE };
	unsigned shard;

	if (sscanf(line, "%u|%23[^|\n]|%63[^\n]", &shard, t.state, t.why) < 2 || shard < 1 ||
	    shard > j->shards)
		return;
	t.place = strcmp(t.state, "PENDING") == 0 ? SLURM_WAITS : SLURM_RUNS;
	tasks[shard - 1] = t;
}

/* A line of sacct for a job that has left the queue: "123_3|FAILED". */
static void slurm_read_ended(const struct job *j, struct slurm_task *tasks, const char *line)
{
	char state[24];
	uint64_t id;
	unsigned shard;

	if (sscanf(line, "%" SCNu64 "_%u|%23[^|\n]", &id, &shard, state) == 3 && id == j->id &&
	    shard >= 1 && shard <= j->shards && tasks[shard - 1].place == SLURM_NOWHERE)
		memcpy(tasks[shard - 1].state, state, sizeof(state));
}

static void
slurm_each_line(const struct job *j, struct slurm_task *tasks, const struct command_output *s,
		void (*read_line)(const struct job *, struct slurm_task *, const char *))
{
	const char *at = (const char *)s->text.bytes;

	while (*at) {
		read_line(j, tasks, at);
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
}

int slurm_query(const struct job *j, struct slurm_task *tasks, struct weir_error *e)
{
	char id[32];
	const char *const queue[] = { "squeue", "-h", "-r", "-j", id, "-o", "%K|%T|%R", NULL };
	const char *const ended[] = {
		"sacct", "-n", "-X", "-P", "-j", id, "-o", "JobID,State", NULL
	};
	struct command_output s;
	int failed = 0;

	memset(tasks, 0, j->shards * sizeof(*tasks));
	snprintf(id, sizeof(id), "%" PRIu64, j->id);
	s = slurm_command(queue);
	/* Slurm soon forgets ended jobs, so an error of squeue is not a failure. */
	if (s.status == 0)
		slurm_each_line(j, tasks, &s, slurm_read_queued);
	else if (!strstr((const char *)s.text.bytes, "Invalid job id"))
		failed = slurm_refuse("squeue", &s, e);
	payload_free(&s.text);
	if (failed)
		return -1;
	/* Accounting may be disabled on a cluster; then the final state is unknown. */
	s = slurm_command(ended);
	if (s.status == 0)
		slurm_each_line(j, tasks, &s, slurm_read_ended);
	payload_free(&s.text);
	return 0;
}
