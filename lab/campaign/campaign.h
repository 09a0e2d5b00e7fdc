/* SPDX-License-Identifier: BSD-3-Clause */
/* campaign.h -- the runs of a sweep that a result folder lacks: which they are, and that an
 * executor (executor.h) does them.
 *
 * On one machine the process that does a run adds its result to the store itself: no result passes
 * through another process, and one transaction makes it whole or nothing. So several programs may
 * work on one folder, a crash costs one run, and the same command continues. */
#ifndef LAB_CAMPAIGN_CAMPAIGN_H
#define LAB_CAMPAIGN_CAMPAIGN_H
#include "lab/campaign/executor.h"
#include "lab/campaign/shard.h"
#include "lab/scenario/sweep.h"
#include "sim/parallel/exchange.h"

enum campaign_extent {
	CAMPAIGN_MISSING, /* what the folder lacks */
	CAMPAIGN_AGAIN,   /* everything: runs that are there are replaced */
};

struct campaign {
	/* The caller's. */
	struct scenario *scenario;
	const struct sweep *sweep;
	const char *folder;
	enum campaign_extent extent;
	uint32_t threads;          /* of each run */
	uint32_t adapts;           /* 1: more, where that is faster than processors that rest */
	uint32_t ranks;            /* processes that share a run; 0 or 1: one does it */
	struct exchange *exchange; /* NULL, or those that share each run; executor_inline */
	struct shard shard;        /* all of the sweep, or the part of it that is done here */
	/* Found out. */
	char (*keys)[RUN_KEY_SIZE];
	uint64_t own_count;               /* runs of the shard */
	uint64_t *missing, missing_count; /* of these: runs to do */
	int64_t pid;                      /* of the process that has them done */
};

/* Is everything right that the user wrote? Nothing is changed. */
int campaign_check(struct campaign *c, struct weir_error *e);

/* After it: the store is good and can be written; what is missing is known. Nothing is changed but
 * the plan. */
int campaign_find_missing(struct campaign *c, struct weir_error *e);

/* Callbacks as in struct task_list; tasks are numbers of runs. */
struct campaign_watch {
	void *context;
	void (*ended)(void *context, const struct task_result *r);
	int (*tick)(void *context, const struct running_task *running, uint32_t count);
};

/* Has what is missing done, so many runs at a time; 0: as many as the machine has cores for. -1:
 * none could be started; message. */
int campaign_run(struct campaign *c, const struct executor_ops *executor, uint32_t jobs,
		 const struct campaign_watch *watch, struct weir_error *e);

void campaign_free(struct campaign *c);

/* --- run_task.c: a run as a task --- */

struct task_work run_task_work(struct campaign *c);

/* What another process must know of a run: all settings of the scenario as they are now, how many
 * threads the run has, and its key. */
void run_task_pack(struct payload *asked, const struct scenario *s, uint32_t threads,
		   const char *key);

/* Does it. What is made is a store with that run, as the bytes of its file. Refuses a run that has
 * another key here: then the program or the files that settings name are not the same. */
task_service run_task_serve;

/* Puts it into the store of the folder. */
enum task_end run_task_keep(const struct payload *made, const char *key, const char *folder,
			    enum store_copying copying, struct weir_error *e);

/* Where all ranks share each run, the others follow the first, run by run, until it dismisses
 * them. */
void campaign_follow(struct campaign *c);
void campaign_dismiss(struct exchange *x);
#endif
