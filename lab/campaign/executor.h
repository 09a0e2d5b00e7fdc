/* SPDX-License-Identifier: BSD-3-Clause */
/* executor.h -- executes the tasks of a campaign: a table of operations, and one loop that passes a
 * list of tasks through any implementation of them.
 *
 * An executor has slots, each with at most one task. Messages report a task's progress and its end.
 * On this machine a task stores its result itself and only its end is reported. On other machines
 * the task is sent as a payload of bytes, and the payload that it returns is stored here. All
 * operations are called from one thread. */
#ifndef LAB_CAMPAIGN_EXECUTOR_H
#define LAB_CAMPAIGN_EXECUTOR_H
#include "weir/error.h"
#include <stddef.h>
#include <stdint.h>

/* --- payloads: numbers and texts as bytes, independent of the machine --- */

/* Zero-initialised: empty. */
struct payload {
	unsigned char *bytes;
	size_t size, room;
};

void payload_free(struct payload *p);
void payload_put_number(struct payload *p, uint64_t number);
void payload_put_text(struct payload *p, const char *text);
void payload_put_bytes(struct payload *p, const void *bytes, size_t size);

/* Payloads are untrusted input: a truncated one reads as zeros and empty texts, and sets
 * is_truncated. */
struct payload_reader {
	const unsigned char *at;
	size_t left;
	int is_truncated;
};

uint64_t payload_number(struct payload_reader *r);
const char *payload_text(struct payload_reader *r); /* points into the payload */

/* --- tasks --- */

enum task_end {
	TASK_DONE,
	TASK_SKIPPED,  /* another process had already done it */
	TASK_FAILED,   /* with a message */
	TASK_BUG,      /* with a message; a bug in Weir */
	TASK_UNSTORED, /* the result could not be stored, nor could that of any other task; with a
			  message */
	TASK_KILLED,   /* by a signal; the message names it */
	TASK_STOPPED,  /* cancelled by the user */
};

struct task_result {
	uint64_t task;
	enum task_end end;
	struct weir_error error; /* set unless the task is done, skipped or stopped */
};

struct running_task {
	uint64_t task;
	double share; /* finished share of its work, 0 to 1 */
};

/* How a task reports progress, and its result. */
struct task_output {
	void (*report_share)(struct task_output *o, double share);
	struct payload made; /* result for another process to store; empty: the task has stored it
				itself */
};

/* Does the task of a payload in a process that has no campaign. */
typedef enum task_end task_service(const struct payload *asked, struct task_output *out,
				   struct weir_error *e);

/* How tasks are done. */
struct task_work {
	void *context;
	enum task_end (*perform)(void *context, uint64_t task, struct task_output *out,
				 struct weir_error *e);
	/* For other machines, in three steps: pack serialises the task (-1: message), serve does it
	 * there, keep stores the result here. pack NULL: tasks run on this machine only. */
	int (*pack)(void *context, uint64_t task, struct payload *asked, struct weir_error *e);
	task_service *serve;
	enum task_end (*keep)(void *context, uint64_t task, const struct payload *made,
			      struct weir_error *e);
};

/* --- executors --- */

struct executor_message {
	enum executor_message_kind {
		EXECUTOR_PROGRESS, /* share is valid */
		EXECUTOR_RESULT,   /* end, error and made are valid; the slot is free */
		EXECUTOR_LOST,     /* the task must be retried; the slot is free */
	} kind;
	uint32_t slot;
	double share;
	enum task_end end;
	struct weir_error error;
	struct payload made; /* freed by the receiver */
};

/* Base of every executor; implementations embed it first. */
struct executor {
	const struct executor_ops *ops;
};

struct executor_ops {
	/* Creates an executor for up to `jobs` (at least 1) tasks at a time on this machine.
	 * *slots: its capacity, here and elsewhere. Slots with low numbers are used first. */
	struct executor *(*start)(const struct task_work *work, uint32_t jobs, uint32_t *slots);
	/* Assigns a task to a free slot. -1: the slot cannot take one now; message. */
	int (*assign)(struct executor *x, uint32_t slot, uint64_t task, struct weir_error *e);
	/* Waits for a message for at most wait_ms. 1: m is valid; 0: timeout. */
	int (*wait)(struct executor *x, int wait_ms, struct executor_message *m);
	/* Requests the early end of a slot's task. The result still arrives as a message. */
	void (*cancel)(struct executor *x, uint32_t slot);
	/* Frees the executor. No slot may have a task. */
	void (*end)(struct executor *x);
};

extern const struct executor_ops executor_processes; /* executor_processes.c */
extern const struct executor_ops executor_mpi;       /* executor_mpi.c */
extern const struct executor_ops executor_inline;    /* executor.c: tasks run in this process */

/* A list of tasks and its watcher. */
struct task_list {
	uint32_t jobs; /* tasks at a time, at least 1 */
	uint64_t count;
	const uint64_t *tasks;
	struct task_work work;
	void *watcher;
	void (*ended)(void *watcher, const struct task_result *r);
	/* Called several times a second. Non-zero: the user wants to stop. */
	int (*tick)(void *watcher, const struct running_task *running, uint32_t count);
};

/* Returns when every task has ended or, if a result could not be stored or the user wants to stop,
 * when the running ones have. -1: no task could be started; message. */
int executor_run(const struct executor_ops *ops, const struct task_list *l, struct weir_error *e);

/* --- executor_mpi.c: the other processes of MPI_COMM_WORLD --- */

/* For every rank except 0: does tasks until rank 0 dismisses it, or was silent for an hour. */
void executor_mpi_serve(task_service *serve);

/* For rank 0: dismisses the other ranks. */
void executor_mpi_dismiss(void);
#endif
