/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.h -- Ctrl-C, for commands with threads and for those that fork; and crashes of
 * plug-ins.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H
#include <pthread.h>
#include <stdatomic.h>

/* SIGINT for commands with threads: the first one requests a stop with partial results, the
 * second kills.
 *
 * A thread waits for the signal, so that no handler and no global is needed. Threads started
 * between interrupt_start and interrupt_stop have the signal blocked. */
struct interrupt {
	atomic_int stop; /* becomes 1 */
	pthread_t thread;
	int watching; /* 0: the thread could not be created; SIGINT kills at once */
};

void interrupt_start(struct interrupt *i);
void interrupt_stop(struct interrupt *i);

/* Signals that a command blocks and polls, for commands that fork and therefore must not have a
 * second thread. */
enum signal_set { SIGNALS_INT, SIGNALS_INT_TERM };

void signals_block(enum signal_set which);
void signals_unblock(enum signal_set which);

/* Has one arrived since the last call? Does not block. */
int signals_arrived(enum signal_set which);

/* Installs a handler that prints the name of a plug-in that crashes. Called once, before any
 * plug-in is loaded; inherited by forked processes. */
void crash_watch(void);
#endif
