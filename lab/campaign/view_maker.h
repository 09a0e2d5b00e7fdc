/* SPDX-License-Identifier: BSD-3-Clause */
/* view_maker.h -- builds a page in a forked process while the server keeps serving. Its memory is
 * returned when it exits, and a crash loses one page only. */
#ifndef LAB_CAMPAIGN_VIEW_MAKER_H
#define LAB_CAMPAIGN_VIEW_MAKER_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct maker {
	pid_t pid;      /* 0: idle */
	int fd;         /* read end of the pipe */
	int64_t cpu_ns; /* CPU time used, valid after it has ended */
	char *bytes;
	size_t length, room;
};

/* Starts the process, which calls write; what write prints to f is read here. 0: started; -1: fork
 * or pipe failed. */
int maker_start(struct maker *m, void (*write)(void *context, FILE *f), void *context);

/* Reads without blocking. 1: complete, the bytes are the caller's; 0: not yet; -1: the process
 * failed. */
int maker_take(struct maker *m);

/* Stops the process in any state. */
void maker_stop(struct maker *m);
#endif
