/* SPDX-License-Identifier: BSD-3-Clause */
/* executor.h -- where the tasks of a campaign are done: a table of operations, and one loop that
 * gets a list of tasks through any of them.
 *
 * An executor has slots. A slot has one task at a time, and messages say how far the task is and
 * how it ended. On this machine a task stores its own result (a run: in the result folder), and
 * only its end comes back. On other machines a task is a payload of bytes, and a payload comes back
 * that is stored here. All operations are called from one thread. */
#ifndef LAB_CAMPAIGN_EXECUTOR_H
#define LAB_CAMPAIGN_EXECUTOR_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

/* --- payloads: numbers and texts as bytes, the same on every machine --- */

/* Zeroed it is empty. */
struct payload {
	unsigned char *bytes;
	size_t size, room;
};

void payload_free(struct payload *p);
void payload_put_number(struct payload *p, uint64_t number);
void payload_put_text(struct payload *p, const char *text);
void payload_put_bytes(struct payload *p, const void *bytes, size_t size);

/* A payload is not trusted: one that is cut off reads as zeros and empty texts, and is_torn is
 * set. */
struct payload_reader {
	const unsigned char *at;
	size_t left;
	int is_torn;
};

uint64_t payload_number(struct payload_reader *r);
const char *payload_text(struct payload_reader *r); /* in the payload itself */

/* --- tasks --- */

enum task_end {
	TASK_DONE,
	TASK_SKIPPED,  /* another process has done it */
	TASK_FAILED,   /* with a message */
	TASK_BUG,      /* the same, and the fault is Weir's */
	TASK_UNSTORED, /* with a message that holds for all tasks: nothing more can be stored */
	TASK_KILLED,   /* by a signal; the message says which */
	TASK_STOPPED,  /* cancelled, because the user asked for it */
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

/* What a task says while it is done, and leaves. */
struct task_output {
	void (*report_share)(struct task_output *o, double share);
	struct payload made; /* for the store of another process; empty: it has stored it itself */
};

/* Does what a payload asks for, in a process that has nothing else of the campaign. */
typedef enum task_end task_service(const struct payload *asked, struct task_output *out,
				   struct weir_error *e);

/* How a task is done. */
struct task_work {
	void *context;
	enum task_end (*perform)(void *context, uint64_t task, struct task_output *out,
				 struct weir_error *e);
	/* The same on another machine, in three steps: pack says what to do (-1: message), serve
	 * does it there, and keep stores what it made. pack NULL: tasks stay on this machine. */
	int (*pack)(void *context, uint64_t task, struct payload *asked, struct weir_error *e);
	task_service *serve;
	enum task_end (*keep)(void *context, uint64_t task, const struct payload *made,
			      struct weir_error *e);
};

/* --- executors --- */

struct executor_message {
	enum executor_message_kind {
		EXECUTOR_PROGRESS, /* share */
		EXECUTOR_RESULT,   /* end, error and made; the slot is free */
		EXECUTOR_LOST,     /* the task has to be given again; the slot is free */
	} kind;
	uint32_t slot;
	double share;
	enum task_end end;
	struct weir_error error;
	struct payload made; /* the receiver's to free */
};

/* Base of every executor. */
struct executor {
	const struct executor_ops *ops;
};

struct executor_ops {
	/* An executor for up to `jobs` tasks, at least 1, at a time on this machine. *slots: how
	 * many it takes at a time wherever they are done. The lowest are used first. */
	struct executor *(*start)(const struct task_work *work, uint32_t jobs, uint32_t *slots);
	/* Gives a task to a slot that has none. -1: the slot cannot take one now; message. */
	int (*give)(struct executor *x, uint32_t slot, uint64_t task, struct weir_error *e);
	/* Waits for a message, so long at most. 1: m is one; 0: none came. */
	int (*wait)(struct executor *x, int wait_ms, struct executor_message *m);
	/* Ends the task of a slot soon. Its result still comes as a message. */
	void (*cancel)(struct executor *x, uint32_t slot);
	/* Frees the executor, whose slots have no tasks. */
	void (*end)(struct executor *x);
};

extern const struct executor_ops executor_processes; /* executor_processes.c */
extern const struct executor_ops executor_mpi;       /* executor_mpi.c */
extern const struct executor_ops executor_inline;    /* executor.c: tasks in this process */

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

/* Returns when every task has ended, or those under way have when one could not be stored or the
 * user wanted an end. -1: nothing could be started at all; message. */
int executor_run(const struct executor_ops *ops, const struct task_list *l, struct weir_error *e);

/* --- executor_mpi.c: in the other processes of the world --- */

/* For every rank but the first: does tasks until it is dismissed, or has heard nothing of the first
 * for an hour. */
void executor_mpi_serve(task_service *serve);

/* For the first: dismisses the others. */
void executor_mpi_dismiss(void);
#endif
