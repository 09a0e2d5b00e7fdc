/* SPDX-License-Identifier: BSD-3-Clause */
/* helpers.h -- the threads of a switch besides its owner's, one for each group of ports but the
 * first.
 *
 * They work between helpers_go and helpers_rest. At all other times nobody works but the owner, who
 * may look at every port, change settings, write results or fork. */
#ifndef SWITCH_RUN_HELPERS_H
#define SWITCH_RUN_HELPERS_H
#include "switch/run/loop.h"
#include <pthread.h>
#include <semaphore.h>

struct helpers;

struct loop_thread {
	struct helpers *helpers;
	struct loop_group *group;
	pthread_t thread;
	sem_t go;
};

struct helpers {
	uint32_t count;
	struct loop_thread members[REAL_THREADS_MAX - 1];
	sem_t resting;     /* one for each who does */
	_Atomic int rests; /* 1: they are to */
	_Atomic int ends;
};

/* They rest first. On -1 none is left. */
int helpers_open(struct helpers *h, struct loop *l, struct weir_error *e);
void helpers_close(struct helpers *h); /* while they rest */

void helpers_go(struct helpers *h);
void helpers_rest(struct helpers *h);

/* The calling thread goes before others of the machine, as real.urgent says. */
void helpers_hurry(const struct switch_settings *s);
#endif
