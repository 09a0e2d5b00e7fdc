/* SPDX-License-Identifier: BSD-3-Clause */
/* test_awake.c -- the threads that keep cores out of idle states yield to every other thread. */
#define _GNU_SOURCE
#include "testbed/machine.h"
#include "tests/test.h"
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/* Threads of this process, besides the first, with the lowest priority and bound to one core
 * each. */
static uint32_t idle_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	uint32_t count = 0;

	CHECK(tasks != NULL);
	for (struct dirent *d; (d = readdir(tasks));) {
		pid_t task = (pid_t)atoi(d->d_name);
		cpu_set_t usable;

		count += task > 0 && sched_getscheduler(task) == SCHED_IDLE &&
			 !sched_getaffinity(task, sizeof(usable), &usable) &&
			 CPU_COUNT(&usable) == 1;
	}
	closedir(tasks);
	return count;
}

static uint32_t processors(void)
{
	cpu_set_t usable;

	CHECK(!sched_getaffinity(0, sizeof(usable), &usable));
	return CPU_COUNT(&usable) < AWAKE_MAX ? (uint32_t)CPU_COUNT(&usable) : AWAKE_MAX;
}

TEST(test_awake_has_an_idle_thread_on_each_processor_until_it_ends)
{
	uint32_t before = idle_threads();
	struct awake a;

	awake_start(&a);
	CHECK_INT(a.count, processors());
	while (idle_threads() < before + a.count) /* the last one has not started yet */
		usleep(1000);
	awake_end(&a);
	CHECK_INT(idle_threads(), before);
	CHECK(sched_getscheduler(0) != SCHED_IDLE);
}
