/* SPDX-License-Identifier: BSD-3-Clause */
/* executor.h -- who does tasks: takes them, and gives back for each that it is done, or the reason
 * why not.
 *
 * On this machine a task puts away itself what it makes (a run: into the store), and what comes
 * back is only how it ended. Where tasks are done on others, these know nothing but a parcel of
 * bytes, and send one back, which is put away here. An executor is a file with the hooks below and
 * a line in executor.c. All of them are called from one thread. */
#ifndef LAB_CAMPAIGN_EXECUTOR_H
#define LAB_CAMPAIGN_EXECUTOR_H
#include "lab/campaign/parcel.h"
#include "weir/error.h"
#include <stdint.h>

enum task_end {
	TASK_DONE,
	TASK_SKIPPED,  /* somebody else has done it */
	TASK_FAILED,   /* with a message */
	TASK_BUG,      /* the same, and it is ours */
	TASK_UNSTORED, /* with a message that holds for all: nothing more can be stored */
	TASK_KILLED,   /* by a signal; the message says which */
	TASK_STOPPED,  /* by us, because the user asked for it */
};

struct task_result {
	uint64_t task;
	enum task_end end;
	struct weir_error error; /* unless it is done, skipped or stopped */
};

struct running_task {
	uint64_t task;
	double share; /* of its work that is done, 0 to 1 */
};

/* To whom a task says how far it is. */
struct task_voice {
	void (*say_share)(struct task_voice *v, double share);
};

/* Does what a parcel asks for, in a process that knows nothing else. */
typedef enum task_end task_service(const struct parcel *asked, struct parcel *made,
				   struct task_voice *v, struct weir_error *e);

/* How a task is done. */
struct task_work {
	void *context;
	enum task_end (*perform)(void *context, uint64_t task, struct task_voice *v,
				 struct weir_error *e);
	/* The same in three steps, of which only the second is taken elsewhere: what is to be known
	 * of the task
	 * (-1: message), what is done with that, and what becomes of what was made. NULL: it stays
	 * on this machine. */
	int (*pack)(void *context, uint64_t task, struct parcel *asked, struct weir_error *e);
	task_service *serve;
	enum task_end (*keep)(void *context, uint64_t task, const struct parcel *made,
			      struct weir_error *e);
};

enum executor_answer {
	EXECUTOR_FAILED = -1, /* message */
	EXECUTOR_TAKEN,
	EXECUTOR_FULL, /* when one of its tasks has ended it may take another */
};

struct executor;

struct executor_ops {
	const char *name, *help;
	/* For up to so many tasks at the same time, at least 1. -1: message, and nothing is left to
	 * close. */
	int (*open)(struct executor **out, const struct task_work *work, uint32_t jobs,
		    struct weir_error *e);
	/* May a task be done here? If so it is under way. */
	enum executor_answer (*submit)(struct executor *x, uint64_t task, struct weir_error *e);
	/* Waits, a moment at most, for a task to end. 1: one has; 0: none yet. */
	int (*next)(struct executor *x, struct task_result *r);
	/* Those under way; returns how many. They are the executor's, and good until the next
	 * call. */
	uint32_t (*running)(const struct executor *x, const struct running_task **tasks);
	/* Those under way are to end now. Each still comes from next, as it ended. */
	void (*stop)(struct executor *x);
	/* Nothing is under way. */
	void (*close)(struct executor *x);
};

extern const struct executor_ops executor_processes; /* workers.c */
extern const struct executor_ops executor_farm;      /* farm.c */
extern const struct executor_ops executor_here;      /* here.c */

extern const struct executor_ops
	*const executor_all[]; /* the first where none is named; ends with NULL */

/* Tasks, and who watches them. */
struct task_list {
	uint32_t jobs; /* at the same time, at least 1 */
	uint64_t count;
	const uint64_t *tasks;
	struct task_work work;
	void *watcher;
	void (*ended)(void *watcher, const struct task_result *r);
	/* Called several times a second. Non-zero: the user wants an end. */
	int (*tick)(void *watcher, const struct running_task *running, uint32_t count);
};

/* Until every task has ended, or those that had been started when one could not be stored or the
 * user wanted an end. -1: nothing could be started at all; message. */
int executor_run(const struct executor_ops *ops, const struct task_list *l, struct weir_error *e);
#endif
