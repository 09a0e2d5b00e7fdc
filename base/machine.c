/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c -- what is known of the machine. */
#define _POSIX_C_SOURCE 200809L
#include "base/machine.h"
#include <time.h>
#include <unistd.h>

int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

uint32_t core_count(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores > 0 ? (uint32_t)cores : 1;
}
