/* SPDX-License-Identifier: BSD-3-Clause */
/* slurm.h -- Slurm, by the commands that its users have: sbatch, squeue and sacct. */
#ifndef LAB_CAMPAIGN_SLURM_H
#define LAB_CAMPAIGN_SLURM_H
#include "lab/campaign/job.h"
#include "lab/campaign/needs.h"
#include <stdio.h>

/* What a script is made of. */
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
