/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h -- a sweep that is given to a cluster: what its runs will take, the folder of the job
 * (FOLDER.shards, beside the folder of its results), and Slurm, by the commands that its users
 * have: sbatch, squeue and sacct.
 *
 *	job.sh      the script of an array job, one task a shard
 *	job         the number of the job, and how the sweep was divided
 *	3/ 3.log    the folder of a shard, and what was said while it was done
 *
 * A shard's store has one machine that writes to it, while its task is in the queue; nobody else
 * opens it before that has ended. What is known earlier is in the text that a campaign leaves
 * (running.h). */
#ifndef LAB_CAMPAIGN_JOB_H
#define LAB_CAMPAIGN_JOB_H
#include "lab/campaign/shard.h"
#include "lab/scenario/key.h"
#include "lab/scenario/sweep.h"
#include <stdio.h>

struct job {
	char *out;    /* folder of the results */
	char *folder; /* out and ".shards" */
	uint64_t id;  /* 0: none was submitted yet */
	uint32_t shards;
	uint64_t runs; /* of the sweep */
};

#define JOB_SUFFIX ".shards"

/* For the results of that folder; nothing is read. */
void job_init(struct job *j, const char *out);
void job_free(struct job *j);

/* 1: there is one; 0: not; -1: it cannot be read, or understood. */
int job_read(struct job *j, struct weir_error *e);
int job_write(const struct job *j, struct weir_error *e);

/* Names in the folder, for the caller to free: of the script, of a shard's results and log, "%a"
 * for any. */
char *job_script(const struct job *j);
char *job_shard_folder(const struct job *j, uint32_t shard);
char *job_log(const struct job *j, uint32_t shard);

/* The last line of a shard's log that is not empty; "" where there is none. */
struct job_word {
	char text[256];
};
struct job_word job_last_word(const struct job *j, uint32_t shard);

/* How many of the runs of a shard a folder has; keys NULL: those that it has planned itself. A
 * folder that is not there has none. -1: message. */
int job_count(const char *folder, const struct shard *s, const char (*keys)[RUN_KEY_SIZE],
	      uint64_t runs, uint64_t *done, struct weir_error *e);

/* --- what the runs of a sweep will take, by sim/measure/estimate.h --- */

struct needs {
	double memory_bytes; /* of the run that takes most */
	double total_s, longest_s;
	double *run_s; /* by run, of one core */
};

/* Builds each combination once, for all of its seeds. On -1 nothing is left to free. */
int needs_find(struct needs *n, const struct sweep *w, struct scenario *s, struct weir_error *e);
void needs_free(struct needs *n);

/* Into how many shards: of about ten minutes each, but enough of them to be done in parallel. */
uint32_t needs_shards(const struct needs *n, uint64_t runs);

/* What to ask for, for each of the shards with so many runs at a time, with room for error: the
 * machine that will do it is unknown. */
struct needs_asked {
	uint64_t memory_mb, minutes;
};
struct needs_asked needs_asked(const struct needs *n, uint64_t runs, uint32_t shards,
			       uint32_t jobs);

/* --- slurm.c --- */

/* The contents of a script. */
struct slurm_script {
	const struct job *job;
	const char *name;             /* of the job */
	const char *here, *program;   /* where it is run, and what; whole paths */
	const char *const *arguments; /* of weir run, without those of shards; ends with NULL */
	uint32_t jobs, threads;
	struct needs_asked asked;
	const unsigned char *wanted; /* by shard, from 0: is it to be done? */
	const char *const *lines;    /* further options of sbatch; ends with NULL */
};
void slurm_write(FILE *f, const struct slurm_script *s);

/* Gives the script of the job to Slurm, and the job its number. */
int slurm_submit(struct job *j, struct weir_error *e);

/* What Slurm says of a shard. */
enum slurm_place { SLURM_NOWHERE, SLURM_WAITS, SLURM_RUNS };
struct slurm_task {
	enum slurm_place place;
	char state[24]; /* "PENDING", "RUNNING"; once it is in no queue, as far as it is known,
			   "FAILED" */
	char why[64];   /* why it waits, or where it is */
};

/* Of every shard, tasks[shards]. */
int slurm_ask(const struct job *j, struct slurm_task *tasks, struct weir_error *e);
#endif
