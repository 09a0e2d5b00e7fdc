/* SPDX-License-Identifier: BSD-3-Clause */
/* helper.h -- one task in a process of its own, which sends back what it made through a pipe: for
 * executors whose results are put away by somebody else. A crash, or memory that the system
 * refuses, ends the helper alone. */
#ifndef LAB_CAMPAIGN_HELPER_H
#define LAB_CAMPAIGN_HELPER_H
#include "lab/campaign/executor.h"
#include <sys/types.h>

/* Zeroed it is idle. */
struct helper {
	pid_t pid; /* 0: idle */
	int fd;    /* to read from */
	double share;
	int was_stopped;
	struct parcel got; /* bytes that came, and of those the ones that were understood */
	size_t read;
	int has_end;
	enum task_end end;
	struct weir_error error;
};

/* What it is to do; called in the new process. */
typedef enum task_end helper_task(void *context, struct parcel *made, struct task_voice *v,
				  struct weir_error *e);

/* -1: there is no process to be had; message. */
int helper_start(struct helper *h, helper_task *task, void *context, struct weir_error *e);

/* Waits for so long at most, 0: not at all. 1: it has ended, end and error say how, and made is
 * what it made, the caller's to free; it is idle again. */
int helper_listen(struct helper *h, int wait_ms, struct parcel *made);

/* It is to end now; helper_listen says when it has. */
void helper_stop(struct helper *h);
#endif
