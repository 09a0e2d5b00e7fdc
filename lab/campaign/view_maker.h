/* SPDX-License-Identifier: BSD-3-Clause */
/* view_maker.h -- something that takes its time, made by a process of its own while others are
 * served: a page, from a store. Its memory goes back whole, and a crash costs one page. */
#ifndef LAB_CAMPAIGN_VIEW_MAKER_H
#define LAB_CAMPAIGN_VIEW_MAKER_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct maker {
	pid_t pid;      /* 0: nothing is being made */
	int fd;         /* from which it comes */
	int64_t cpu_ns; /* that it took, once it has ended */
	char *bytes;
	size_t length, room;
};

/* 0: it has begun; write is called in the new process, and what it writes to f arrives here. -1: no
 * process could be had. */
int maker_start(struct maker *m, void (*write)(void *context, FILE *f), void *context);

/* Takes what is there, without waiting. 1: all is there, and bytes are the caller's; 0: not yet;
 * -1: it came to nothing. */
int maker_take(struct maker *m);

/* Whatever it is doing. */
void maker_stop(struct maker *m);
#endif
