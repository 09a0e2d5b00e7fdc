/* SPDX-License-Identifier: BSD-3-Clause */
/* interrupt.h -- Ctrl-C: the first asks the run to stop and show what it knows, the second kills.
 *
 * A thread of its own waits for the signal, so that no handler and no global is needed. Every
 * thread started between start and stop leaves the signal to it. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H
#include <pthread.h>
#include <stdatomic.h>

struct interrupt {
	atomic_int stop; /* becomes 1 */
	pthread_t thread;
	int watching; /* 0: no thread could be had; Ctrl-C kills at once */
};

void interrupt_start(struct interrupt *i);
void interrupt_stop(struct interrupt *i);
#endif
