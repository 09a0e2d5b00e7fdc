/* SPDX-License-Identifier: BSD-3-Clause */
/* view_maker.c -- a forked process that builds one page. */
#define _DEFAULT_SOURCE
#include "lab/campaign/view_maker.h"
#include "base/clock.h"
#include "base/memory.h"
#include "weir/units.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NS_PER_US (WEIR_NS_PER_S / 1000000)

enum {
	PIECE = 1 << 16,
	NICE = 5, /* simulation runs on this machine have priority */
};

_Noreturn static void be_maker(int fd, void (*write)(void *, FILE *), void *context)
{
	FILE *f = fdopen(fd, "w");
	sigset_t none;

	/* Ctrl-C reaches every process of the terminal; the server ends this one. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (nice(NICE) < 0)
		errno = 0; /* on failure it keeps the normal priority */
	if (!f)
		_exit(1);
	write(context, f);
	_exit(fclose(f) == 0 ? 0 : 1);
}

int maker_start(struct maker *m, void (*write)(void *, FILE *), void *context)
{
	int ends[2];

	memset(m, 0, sizeof(*m));
	if (pipe(ends) != 0)
		return -1;
	m->pid = fork();
	if (m->pid == 0) {
		close(ends[0]);
		be_maker(ends[1], write, context);
	}
	close(ends[1]);
	if (m->pid < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
		close(ends[0]);
		m->pid = 0;
		return -1;
	}
	m->fd = ends[0];
	return 0;
}

/* Waits for a process that has ended or is about to. Non-zero: it failed. */
static int end(struct maker *m)
{
	struct rusage used = { .ru_maxrss = 0 };
	int status = 0;

	close(m->fd);
	while (wait4(m->pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	m->cpu_ns =
		(int64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * (int64_t)WEIR_NS_PER_S +
		(int64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * NS_PER_US;
	m->pid = 0;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

int maker_take(struct maker *m)
{
	for (;;) {
		ssize_t got;

		if (m->room - m->length < PIECE) {
			m->room = 2 * m->room + PIECE;
			m->bytes = memory_grow(m->bytes, m->room, 1);
		}
		got = read(m->fd, m->bytes + m->length, m->room - m->length);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (got > 0) {
			m->length += (size_t)got;
			continue;
		}
		if (end(m) == 0 && got == 0)
			return 1;
		free(m->bytes);
		m->bytes = NULL;
		return -1;
	}
}

void maker_stop(struct maker *m)
{
	if (!m->pid)
		return;
	kill(m->pid, SIGKILL);
	end(m);
	free(m->bytes);
	m->bytes = NULL;
}
