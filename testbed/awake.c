/* SPDX-License-Identifier: BSD-3-Clause */
/* awake.c -- see awake.h. */
#define _GNU_SOURCE
#include "testbed/awake.h"
#include <sched.h>
#include <signal.h>

/* Until it is cancelled. */
static void *idle(void *none)
{
	const struct sched_param lowest = { 0 };

	if (sched_setscheduler(0, SCHED_IDLE, &lowest))
		return none;
	for (;;) {
		for (int i = 0; i < 1000; i++)
			__asm__ volatile(""); /* or there would be no loop */
		pthread_testcancel();
	}
}

static int start_on(size_t processor, pthread_t *thread)
{
	pthread_attr_t attr;
	cpu_set_t one;
	int failed;

	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	pthread_attr_init(&attr);
	failed = pthread_attr_setaffinity_np(&attr, sizeof(one), &one) ||
		 pthread_create(thread, &attr, idle, NULL);
	pthread_attr_destroy(&attr);
	return failed;
}

void awake_start(struct awake *a)
{
	cpu_set_t usable;
	sigset_t all, before;

	a->count = 0;
	if (sched_getaffinity(0, sizeof(usable), &usable))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for those who do something */
	for (size_t i = 0; i < CPU_SETSIZE && a->count < AWAKE_MAX; i++)
		if (CPU_ISSET(i, &usable) && !start_on(i, &a->threads[a->count]))
			a->count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void awake_end(struct awake *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		pthread_cancel(a->threads[i]);
		pthread_join(a->threads[i], NULL);
	}
}
