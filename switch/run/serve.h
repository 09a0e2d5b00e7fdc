/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.h -- a switch from its start to its end: its threads, waiting, and answering requests. */
#ifndef SWITCH_RUN_SERVE_H
#define SWITCH_RUN_SERVE_H
#include "base/responder.h"
#include "switch/run/control.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

/* --- the threads besides the owner's, one for each group of ports but the first ---
 *
 * They work between workers_resume and workers_pause. At all other times only the owner's thread
 * runs, and may look at every port, change settings, write results or fork. */

struct workers;

struct loop_thread {
	struct workers *workers;
	struct loop_group *group;
	pthread_t thread;
	sem_t go;
};

struct workers {
	uint32_t count;
	struct loop_thread members[REAL_THREADS_MAX - 1];
	sem_t resting;     /* one for each who does */
	_Atomic int rests; /* 1: they are to */
	_Atomic int ends;
};

/* They rest first. On -1 none is left. */
int workers_open(struct workers *h, struct loop *l, struct weir_error *e);
void workers_close(struct workers *h); /* while they rest */

void workers_resume(struct workers *h);
void workers_pause(struct workers *h);

/* The calling thread goes before others of the machine, as real.urgent says. */
void workers_set_priority(const struct switch_settings *s);

/* --- the owner's thread --- */

struct real_server {
	int signals;     /* descriptor */
	sigset_t before; /* signals that were blocked */
	struct responder responder;
	struct workers workers;
};

/* The switch's other threads are there, and rest but for real_run. From here on SIGINT, SIGTERM and
 * SIGHUP wait to be heard, and Prometheus where the settings let it. */
int real_open(struct real_server *s, struct loop *l, struct weir_error *e);
void real_close(struct real_server *s);

/* Runs until that time of the plane, WEIR_TIME_NEVER_PS: for ever. Returns 1 where one of these
 * signals came before, or a request to stop. */
int real_run(struct real_server *s, struct loop *l, struct control *c, int64_t until_ps);
#endif
