/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h -- a sweep as a cluster job: the estimated demand of its runs, the job's folder
 * (FOLDER.shards, beside the result folder), and Slurm, through sbatch, squeue and sacct.
 *
 *	job.sh      the script of an array job, one task per shard
 *	job         the job's number, and how the sweep is divided
 *	3/ 3.log    the result folder and log of shard 3
 *
 * While a shard's task is queued or running, its store belongs to the machine that runs it; other
 * processes open it only after the task has ended. Earlier progress is read from the campaign's
 * progress file (running.h). */
#ifndef LAB_CAMPAIGN_JOB_H
#define LAB_CAMPAIGN_JOB_H
#include "lab/campaign/shard.h"
#include "lab/scenario/scenario.h"
#include "lab/scenario/sweep.h"
#include <stdio.h>

struct job {
	char *out;    /* result folder */
	char *folder; /* out with ".shards" appended */
	uint64_t id;  /* 0: not submitted yet */
	uint32_t shards;
	uint64_t runs; /* of the sweep */
};

#define JOB_SUFFIX ".shards"

/* Fills in the names for a result folder; reads nothing. */
void job_init(struct job *j, const char *out);
void job_free(struct job *j);

/* 1: read; 0: there is no job; -1: unreadable or malformed. */
int job_read(struct job *j, struct weir_error *e);
int job_write(const struct job *j, struct weir_error *e);

/* Paths in the job's folder, freed by the caller: the script, and a shard's result folder and log
 * ("%a" for any shard). */
char *job_script(const struct job *j);
char *job_shard_folder(const struct job *j, uint32_t shard);
char *job_log(const struct job *j, uint32_t shard);

/* The last non-empty line of a shard's log; "" if there is none. */
struct job_log_line {
	char text[256];
};
struct job_log_line job_log_tail(const struct job *j, uint32_t shard);

/* Number of the shard's runs that a folder has. keys NULL: the keys of the folder's own plan. A
 * missing folder has none. -1: message. */
int job_count(const char *folder, const struct shard *s, const char (*keys)[RUN_KEY_SIZE],
	      uint64_t runs, uint64_t *done, struct weir_error *e);

/* --- estimated demand of a sweep's runs, by sim/measure/preview.h --- */

struct demand {
	double memory_bytes; /* maximum over all runs */
	double total_s, longest_s;
	double *run_s; /* [run], on one core */
};

/* Builds each combination of settings once for all of its seeds. On -1 there is nothing to free. */
int demand_estimate(struct demand *n, const struct sweep *w, struct scenario *s,
		    struct weir_error *e);
void demand_free(struct demand *n);

/* Number of shards: about ten minutes each, but enough of them to use the cluster in parallel. */
uint32_t demand_shards(const struct demand *n, uint64_t runs);

/* The resources to request per shard with that many runs at a time. Includes safety factors,
 * because the machine is unknown. */
struct demand_request {
	uint64_t memory_mb, minutes;
};
struct demand_request demand_request(const struct demand *n, uint64_t runs, uint32_t shards,
				     uint32_t jobs);

/* --- slurm.c --- */

/* The contents of the job script. */
struct slurm_script {
	const struct job *job;
	const char *name;             /* of the job */
	const char *here, *program;   /* working directory and program, as absolute paths */
	const char *const *arguments; /* of weir run; NULL-terminated */
	uint32_t jobs, threads;
	struct demand_request asked;
	const unsigned char *wanted; /* [shard - 1]: 1: to be done */
	const char *const *lines;    /* further sbatch options; terminated by NULL */
};
void slurm_write(FILE *f, const struct slurm_script *s);

/* Submits the job's script and stores the job number in j. */
int slurm_submit(struct job *j, struct weir_error *e);

/* State of a shard in Slurm. */
enum slurm_place { SLURM_NOWHERE, SLURM_WAITS, SLURM_RUNS };
struct slurm_task {
	enum slurm_place place;
	char state[24]; /* "PENDING", "RUNNING"; after the job has left the queue the state from
			   accounting, "FAILED" */
	char why[64];   /* the reason for waiting, or the node */
};

/* Queries every shard: tasks[shards]. */
int slurm_query(const struct job *j, struct slurm_task *tasks, struct weir_error *e);
#endif
