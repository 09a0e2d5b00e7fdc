/* SPDX-License-Identifier: BSD-3-Clause */
/* runner.c -- runs the tests that the linker collected, several at a time.
 *
 *	weir-test [-jN] [--list] [--times] [SUBSTRING...]
 *
 * Each test runs in a process of its own, with what it prints kept in a file that is shown only
 * when it fails. With SUBSTRINGs, only tests whose name or file contains one of them. The last line
 * is "N passed, N failed"; the exit status is 1 when something failed or nothing matched. */
#define _POSIX_C_SOURCE 200809L
#include "tests/test.h"
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A guard against tests that hang, not a measure of speed: sanitizers on a busy machine are
 * slow. */
enum { HANG_SECONDS = 300, JOBS_MAX = 256 };

extern const struct test_case *const __start_weir_tests[];
extern const struct test_case *const __stop_weir_tests[];

/* --- what a failed check says --- */

_Noreturn void test_fail(const char *file, int line, const char *format, ...)
{
	va_list arguments;

	printf("%s:%d: ", file, line);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
	_exit(1);
}

void test_check_int(const struct test_place *at, long long actual, long long expected)
{
	if (actual != expected)
		test_fail(at->file, at->line, "%s is %lld, expected %lld", at->expression, actual,
			  expected);
}

void test_check_str(const struct test_place *at, const char *actual, const char *expected)
{
	if (actual == expected || (actual && expected && strcmp(actual, expected) == 0))
		return;
	test_fail(at->file, at->line, "%s is\n\t\"%s\"\nexpected\n\t\"%s\"", at->expression,
		  actual ? actual : "(NULL)", expected ? expected : "(NULL)");
}

static int is_like(const char *text, const char *pattern)
{
	for (; *pattern; text++, pattern++) {
		if (strncmp(pattern, "...", 3) == 0) {
			for (; *text; text++)
				if (is_like(text, pattern + 3))
					return 1;
			return pattern[3] == '\0';
		}
		if (*text != *pattern)
			return 0;
	}
	return *text == '\0';
}

void test_check_like(const struct test_place *at, const char *text, const char *pattern)
{
	if (!is_like(text, pattern))
		test_fail(at->file, at->line, "%s is\n\t\"%s\"\nwhich is not like\n\t\"%s\"",
			  at->expression, text, pattern);
}

void test_check_contains(const struct test_place *at, const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		test_fail(at->file, at->line, "%s is\n\t\"%s\"\nwhich does not contain\n\t\"%s\"",
			  at->expression, text ? text : "(NULL)", part);
}

void test_check_near(const struct test_place *at, double actual, double expected, double tolerance)
{
	if (!(fabs(actual - expected) <= tolerance))
		test_fail(at->file, at->line, "%s is %.9g, expected %.9g within %.3g",
			  at->expression, actual, expected, tolerance);
}

/* --- running --- */

/* A test under way. */
struct job {
	pid_t pid; /* 0: this place is free */
	const struct test_case *test;
	FILE *output;
	double started;
};

struct runner {
	struct job jobs[JOBS_MAX];
	int job_limit, running;
	int passed, failed;
	int show_times;
};

static double clock_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static void start_test(struct runner *r, const struct test_case *test)
{
	struct job *j = r->jobs;

	while (j->pid)
		j++;
	j->test = test;
	j->started = clock_seconds();
	j->output = tmpfile();
	if (!j->output)
		die("tmpfile");
	fflush(NULL);
	j->pid = fork();
	if (j->pid < 0)
		die("fork");
	if (j->pid == 0) {
		dup2(fileno(j->output), STDOUT_FILENO);
		dup2(fileno(j->output), STDERR_FILENO);
		alarm(HANG_SECONDS);
		test->run();
		exit(0); /* not _exit: the leak checker runs at exit */
	}
	r->running++;
}

static void show_output(FILE *output)
{
	char buffer[4096];
	size_t n;

	rewind(output);
	while ((n = fread(buffer, 1, sizeof buffer, output)) > 0)
		fwrite(buffer, 1, n, stdout);
}

static void finish_test(struct runner *r, struct job *j, int status)
{
	int ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	double seconds = clock_seconds() - j->started;

	if (ok) {
		r->passed++;
		if (r->show_times)
			printf("%8.3f s  %s\n", seconds, j->test->name);
	} else {
		r->failed++;
		printf("FAILED %s (%s) after %.1f s", j->test->name, j->test->file, seconds);
		if (WIFSIGNALED(status))
			printf(WTERMSIG(status) == SIGALRM ? ": hangs" : ": signal %d",
			       WTERMSIG(status));
		putchar('\n');
		show_output(j->output);
	}
	fclose(j->output);
	j->pid = 0;
	r->running--;
}

static void wait_for_one(struct runner *r)
{
	int status;
	pid_t pid = wait(&status);

	if (pid < 0)
		die("wait");
	for (int i = 0; i < r->job_limit; i++)
		if (r->jobs[i].pid == pid)
			finish_test(r, &r->jobs[i], status);
}

static int is_selected(const struct test_case *test, char *const *substrings)
{
	if (!*substrings)
		return 1;
	for (; *substrings; substrings++)
		if (strstr(test->name, *substrings) || strstr(test->file, *substrings))
			return 1;
	return 0;
}

static int cpu_count(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return cores < 1 ? 1 : cores > JOBS_MAX ? JOBS_MAX : (int)cores;
}

int main(int argc, char **argv)
{
	struct runner r = { .job_limit = cpu_count() };
	int list = 0, i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--list") == 0)
			list = 1;
		else if (strcmp(argv[i], "--times") == 0)
			r.show_times = 1;
		else if (sscanf(argv[i], "-j%d", &r.job_limit) != 1 || r.job_limit < 1 ||
			 r.job_limit > JOBS_MAX) {
			fprintf(stderr, "usage: %s [-jN] [--list] [--times] [SUBSTRING...]\n",
				argv[0]);
			return 2;
		}
	}
	for (const struct test_case *const *t = __start_weir_tests; t < __stop_weir_tests; t++) {
		if (!is_selected(*t, argv + i))
			continue;
		if (list) {
			puts((*t)->name);
			continue;
		}
		while (r.running >= r.job_limit)
			wait_for_one(&r);
		start_test(&r, *t);
	}
	while (r.running)
		wait_for_one(&r);
	if (list)
		return 0;
	printf("%d passed, %d failed\n", r.passed, r.failed);
	return r.failed || !r.passed;
}
