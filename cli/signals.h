/* SPDX-License-Identifier: BSD-3-Clause */
/* signals.h -- Ctrl-C, for commands with threads and for those that fork; and crashes of
 * plug-ins.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H
#include <pthread.h>
#include <stdatomic.h>

/* Ctrl-C for commands with threads: the first SIGINT asks the run to stop and show what it knows,
 * the second kills.
 *
 * A thread of its own waits for the signal, so that no handler and no global is needed. Every
 * thread started between start and stop leaves the signal to it. */
struct interrupt {
	atomic_int stop; /* becomes 1 */
	pthread_t thread;
	int watching; /* 0: no thread could be had; Ctrl-C kills at once */
};

void interrupt_start(struct interrupt *i);
void interrupt_stop(struct interrupt *i);

/* Signals that a command blocks and polls: such a command can fork, for which it must not have a
 * second thread, and a signal never interrupts it in the middle of its work. */
enum signal_set { SIGNALS_INT, SIGNALS_INT_TERM };

void signals_block(enum signal_set which);
void signals_unblock(enum signal_set which);

/* Has one of them arrived since the last call? Does not wait. */
int signals_arrived(enum signal_set which);

/* Names the plug-in that crashes before the program dies of it. Called once, before any plug-in is
 * loaded; processes that are forked later inherit it. */
void crash_watch(void);
#endif
