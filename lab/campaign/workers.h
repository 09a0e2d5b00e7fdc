/* workers.h -- tasks in processes of their own, a few at a time.
 *
 * A crash ends one task. Processes and not threads, because a run that fails must not take the others
 * along, and because the memory of a run goes back whole when it ends. What a worker has to say comes
 * through a pipe; should this process die, its workers do when they next write to it. */
#ifndef LAB_CAMPAIGN_WORKERS_H
#define LAB_CAMPAIGN_WORKERS_H
#include "weir/error.h"
#include <stdatomic.h>
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

/* What a worker writes to. */
struct worker_pipe {
	int fd;
};

struct running_task {
	uint64_t task;
	double share; /* of its work that is done, 0 to 1 */
};

struct workers {
	uint32_t jobs; /* at the same time, at least 1 */
	uint64_t count;
	const uint64_t *tasks;
	atomic_int *stop; /* becomes non-zero when the user interrupts */
	void *context;
	/* Does a task, in a process of its own. */
	enum task_end (*work)(void *context, uint64_t task, struct worker_pipe *p,
			      struct weir_error *e);
	/* Hears how a task ended. Non-zero: no further ones are to be started. */
	int (*ended)(void *context, uint64_t task, enum task_end end, const struct weir_error *e);
	/* Called several times a second. */
	void (*tick)(void *context, const struct running_task *running, uint32_t count);
};

/* Until every task has ended, or those that had been started. -1: no process could be started at all;
 * message. */
int workers_run(const struct workers *w, struct weir_error *e);

/* For a worker: how far it is. */
void worker_share(struct worker_pipe *p, double share);
#endif
