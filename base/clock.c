/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c -- the POSIX clocks behind clock.h. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* CLOCK_BOOTTIME */
#include "base/clock.h"
#include "weir/units.h"
#include <time.h>
#include <unistd.h>

static int64_t clock_read_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * WEIR_NS_PER_S + t.tv_nsec;
}

int64_t clock_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

int64_t clock_boot_ns(void)
{
	return clock_read_ns(CLOCK_BOOTTIME);
}

int64_t clock_wall_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

int64_t clock_cpu_ns(void)
{
	return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint32_t cpu_count(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores > 0 ? (uint32_t)cores : 1;
}
