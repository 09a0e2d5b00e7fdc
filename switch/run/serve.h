/* SPDX-License-Identifier: BSD-3-Clause */
/* serve.h -- the life of a switch process: worker threads, the main loop, control requests. */
#ifndef SWITCH_RUN_SERVE_H
#define SWITCH_RUN_SERVE_H
#include "base/http_server.h"
#include "switch/run/control.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

/* --- worker threads: one for each group of ports but the first ---
 *
 * They run between workers_resume and workers_pause. Otherwise only the owner's thread runs, which
 * may then read every port, change settings, write results or fork. */

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
	sem_t resting;     /* posted once by each paused worker */
	_Atomic int rests; /* 1: workers must pause */
	_Atomic int ends;
};

/* Starts them paused. After -1 none is running. */
int workers_open(struct workers *h, struct loop *l, struct weir_error *e);
void workers_close(struct workers *h); /* only while they are paused */

void workers_resume(struct workers *h);
void workers_pause(struct workers *h);

/* Raises the calling thread's scheduling priority as real.urgent demands. */
void workers_set_priority(const struct switch_settings *s);

/* --- the owner's thread --- */

struct real_server {
	int signals;     /* signalfd */
	sigset_t before; /* signals that were blocked before */
	struct http_server http_server;
	struct workers workers;
};

/* Starts the worker threads, paused except during real_run. From here on SIGINT, SIGTERM and SIGHUP
 * are read from the signalfd, and the Prometheus endpoint is served if the settings ask for it. */
int real_open(struct real_server *s, struct loop *l, struct weir_error *e);
void real_close(struct real_server *s);

/* Runs until the given plane time (WEIR_TIME_NEVER_PS: forever). Returns 1 if a signal or a stop
 * request ended it. */
int real_run(struct real_server *s, struct loop *l, struct control *c, int64_t until_ps);
#endif
