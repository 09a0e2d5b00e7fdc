/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_loop.h -- what fuzzers share: attempts until a time is over, and the checks of tests'
 * headers without their runner. */
#ifndef TESTS_FUZZ_LOOP_H
#define TESTS_FUZZ_LOOP_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* clock_gettime */
#endif
#include "tests/test.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void test_fail(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "%s:%d: ", file, line);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	abort();
}

void test_check_int(const struct test_place *at, long long actual, long long expected)
{
	if (actual != expected)
		test_fail(at->file, at->line, "%lld is not %lld", actual, expected);
}

/* Calls attempt(context), which counts number, until the seconds are over. The clock is read once
 * in so many attempts. */
static inline void fuzz_loop(double seconds, uint64_t *number, void (*attempt)(void *context),
			     void *context)
{
	enum { ATTEMPTS_PER_CLOCK = 16 };
	struct timespec start, now;
	double passed = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (passed <= seconds) {
		attempt(context);
		if (++*number % ATTEMPTS_PER_CLOCK != 0)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &now);
		passed = (double)(now.tv_sec - start.tv_sec) +
			 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
	}
}
#endif
