/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign.h -- determines which runs of a sweep a result folder lacks, and has an executor
 * (executor.h) do them.
 *
 * On one machine, the worker process that does a run adds its result to the store itself, in one
 * transaction. Therefore several programs may work on one folder, a crash loses one run, and
 * repeating the command resumes the sweep. */
#ifndef LAB_CAMPAIGN_CAMPAIGN_H
#define LAB_CAMPAIGN_CAMPAIGN_H
#include "lab/campaign/executor.h"
#include "lab/campaign/shard.h"
#include "lab/scenario/sweep.h"
#include "sim/parallel/exchange.h"

enum campaign_extent {
	CAMPAIGN_MISSING, /* runs that the folder lacks */
	CAMPAIGN_AGAIN,   /* all runs: stored ones are replaced */
};

struct campaign {
	/* Set by the caller. */
	struct scenario *scenario;
	const struct sweep *sweep;
	const char *folder;
	enum campaign_extent extent;
	uint32_t threads; /* threads per run */
	uint32_t adapts;  /* 1: thread auto-tuning: more threads if that is faster than idle
			     processors */
	uint32_t ranks;   /* processes per run (ranks); 0 or 1: one process */
	struct exchange
		*exchange;  /* NULL, or the ranks that share each run; requires executor_inline */
	struct shard shard; /* the part of the sweep that is done here; default: all of it */
	/* Set by campaign_check and campaign_find_missing. */
	char (*keys)[RUN_KEY_SIZE];
	uint64_t own_count;               /* runs of the shard */
	uint64_t *missing, missing_count; /* runs to do, by number */
	int64_t pid;                      /* process that runs the campaign */
};

/* Checks the user's input. Changes nothing. */
int campaign_check(struct campaign *c, struct weir_error *e);

/* Call after campaign_check. Verifies that the store is valid and writable, and finds the missing
 * runs. Writes nothing but the plan. */
int campaign_find_missing(struct campaign *c, struct weir_error *e);

/* Callbacks as in struct task_list; tasks are run numbers. */
struct campaign_watch {
	void *context;
	void (*ended)(void *context, const struct task_result *r);
	int (*tick)(void *context, const struct running_task *running, uint32_t count);
};

/* Does the missing runs, up to jobs at a time; jobs 0: as many as the machine has cores for. -1: no
 * run could be started; message. */
int campaign_run(struct campaign *c, const struct executor_ops *executor, uint32_t jobs,
		 const struct campaign_watch *watch, struct weir_error *e);

void campaign_free(struct campaign *c);

/* --- run_task.c: a run as a task of an executor --- */

struct task_work run_task_work(struct campaign *c);

/* Serialises what another process needs: all current settings of the scenario, the number of
 * threads, and the run's key. */
void run_task_pack(struct payload *asked, const struct scenario *s, uint32_t threads,
		   const char *key);

/* Does a serialised run. The payload it makes is the SQLite file of a store with that run. Refuses
 * a run whose key differs here: then the program, or a file that a setting names, is not the
 * same. */
task_service run_task_serve;

/* Copies the run of such a payload into the folder's store. */
enum task_end run_task_keep(const struct payload *made, const char *key, const char *folder,
			    enum store_copying copying, struct weir_error *e);

/* For ranks that share runs with rank 0: participates in each run until rank 0 dismisses them. */
void campaign_follow(struct campaign *c);
void campaign_dismiss(struct exchange *x);
#endif
