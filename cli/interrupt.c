/* SPDX-License-Identifier: BSD-3-Clause */
/* interrupt.c -- the thread that waits for Ctrl-C. */
#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"
#include <signal.h>
#include <unistd.h>

static sigset_t interrupt_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	return set;
}

static void *watch(void *context)
{
	struct interrupt *i = context;
	sigset_t set = interrupt_set();
	int number;

	sigwait(&set, &number);
	atomic_store(&i->stop, 1);
	sigwait(&set, &number);
	signal(SIGINT, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGINT);
	return NULL;
}

void interrupt_start(struct interrupt *i)
{
	sigset_t set = interrupt_set();

	atomic_init(&i->stop, 0);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	i->watching = pthread_create(&i->thread, NULL, watch, i) == 0;
	if (!i->watching)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void interrupt_stop(struct interrupt *i)
{
	sigset_t set = interrupt_set();

	if (!i->watching)
		return;
	pthread_cancel(i->thread); /* sigwait is where it can be cancelled */
	pthread_join(i->thread, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
