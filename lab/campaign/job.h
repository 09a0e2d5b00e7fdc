/* SPDX-License-Identifier: BSD-3-Clause */
/* job.h -- a sweep that was given to a cluster: FOLDER.shards, beside the folder of its results.
 *
 *	job.sh      the script of an array job, one task a shard
 *	job         who has it: the number of the job, and how the sweep was divided
 *	3/ 3.log    the folder of a shard, and what was said while it was done
 *
 * A shard's store has one machine that writes to it, while its task is in the queue; only
 *afterwards does anybody else open it. What is known before is in the text that a campaign leaves
 *(running.h). */
#ifndef LAB_CAMPAIGN_JOB_H
#define LAB_CAMPAIGN_JOB_H
#include "lab/campaign/shard.h"
#include "lab/scenario/key.h"

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
#endif
