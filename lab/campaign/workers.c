/* SPDX-License-Identifier: BSD-3-Clause */
/* workers.c -- tasks in processes of this machine, a few at a time.
 *
 * A crash ends one task. Processes and not threads, because a run that fails must not take the
 * others along, and because the memory of a run goes back whole when it ends. What a worker has to
 * say comes through a pipe; should this process die, its workers do when they next write to it. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/executor.h"
#include "base/memory.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 200 };

enum message_kind { MESSAGE_SHARE, MESSAGE_END };

/* Small enough that a pipe takes it whole. */
struct message {
	enum message_kind kind;
	enum task_end end;
	double share;
	struct weir_error error;
};

_Static_assert(sizeof(struct message) <= PIPE_BUF, "messages are not torn");

struct worker {
	pid_t pid;
	int fd;              /* to read from */
	struct message last; /* of kind MESSAGE_END once it has said how it ended */
};

struct executor {
	struct task_work work;
	uint32_t jobs, count; /* at most, and now */
	struct worker *workers;
	struct running_task *running; /* the same workers */
	struct pollfd *polls;
	int stopped; /* those that run were told to end */
};

/* --- in the worker --- */

struct worker_voice {
	struct task_voice voice; /* first: what a task is given */
	int fd;
};

static void tell(int fd, const struct message *m)
{
	ssize_t written;

	do
		written = write(fd, m, sizeof(*m));
	while (written < 0 && errno == EINTR);
}

static void say_share(struct task_voice *v, double share)
{
	struct message m;

	memset(&m, 0, sizeof(m));
	m.kind = MESSAGE_SHARE;
	m.share = share;
	tell(((struct worker_voice *)v)->fd, &m);
}

_Noreturn static void be_worker(const struct executor *x, uint64_t task, int fd)
{
	struct worker_voice v = { { say_share }, fd };
	struct message m;

	/* Whose pipes we hold open would not notice that their reader is gone. */
	for (uint32_t i = 0; i < x->count; i++)
		close(x->workers[i].fd);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	memset(&m, 0, sizeof(m));
	m.kind = MESSAGE_END;
	m.end = x->work.perform(x->work.context, task, &v.voice, &m.error);
	tell(fd, &m);
	_exit(0);
}

/* --- in the process that has them --- */

static void workers_close(struct executor *x)
{
	free(x->workers);
	free(x->running);
	free(x->polls);
	free(x);
}

static int workers_open(struct executor **out, const struct task_work *work, uint32_t jobs,
			struct weir_error *e)
{
	struct executor *x = memory_zeroed(1, sizeof(*x));

	(void)e;
	x->work = *work;
	x->jobs = jobs;
	x->workers = memory_zeroed(jobs, sizeof(*x->workers));
	x->running = memory_zeroed(jobs, sizeof(*x->running));
	x->polls = memory_zeroed(jobs, sizeof(*x->polls));
	*out = x;
	return 0;
}

static enum executor_answer workers_submit(struct executor *x, uint64_t task, struct weir_error *e)
{
	struct worker *one = &x->workers[x->count];
	int ends[2];

	if (x->count == x->jobs)
		return EXECUTOR_FULL;
	if (pipe(ends) != 0) {
		weir_error_set(e, "no pipe for a run: %s", strerror(errno));
		return EXECUTOR_FAILED;
	}
	memset(one, 0, sizeof(*one));
	one->pid = fork();
	if (one->pid == 0) {
		close(ends[0]);
		be_worker(x, task, ends[1]);
	}
	close(ends[1]);
	if (one->pid < 0) {
		weir_error_set(e, "no process for a run: %s", strerror(errno));
		close(ends[0]);
		return EXECUTOR_FAILED;
	}
	one->fd = ends[0];
	x->running[x->count] = (struct running_task){ task, 0 };
	x->count++;
	return EXECUTOR_TAKEN;
}

/* The pipe is closed: the worker has ended, one way or another. */
static void end(struct executor *x, uint32_t i, struct task_result *r)
{
	struct worker one = x->workers[i];
	int status = 0;

	*r = (struct task_result){ x->running[i].task, one.last.end, one.last.error };
	while (waitpid(one.pid, &status, 0) < 0 && errno == EINTR)
		;
	close(one.fd);
	x->count--;
	x->workers[i] = x->workers[x->count];
	x->running[i] = x->running[x->count];
	if (one.last.kind == MESSAGE_END)
		return;
	r->end = x->stopped ? TASK_STOPPED : TASK_KILLED;
	if (WIFSIGNALED(status))
		weir_error_set(&r->error, "killed by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	else
		weir_error_set(&r->error, "ended with status %d and no result",
			       WEXITSTATUS(status));
}

/* Reads what worker i has to say. 1: it has ended. */
static int listen(struct executor *x, uint32_t i, struct task_result *r)
{
	struct message m;
	ssize_t length = read(x->workers[i].fd, &m, sizeof(m));

	if (length < 0 && errno == EINTR)
		return 0;
	if (length != (ssize_t)sizeof(m)) {
		end(x, i, r);
		return 1;
	}
	x->workers[i].last = m;
	if (m.kind == MESSAGE_SHARE)
		x->running[i].share = m.share;
	return 0;
}

static int workers_next(struct executor *x, struct task_result *r)
{
	for (uint32_t i = 0; i < x->count; i++)
		x->polls[i] = (struct pollfd){ .fd = x->workers[i].fd, .events = POLLIN };
	if (poll(x->polls, x->count, TICK_MS) <= 0)
		return 0;
	for (uint32_t i = 0; i < x->count; i++)
		if (x->polls[i].revents && listen(x, i, r))
			return 1;
	return 0;
}

static uint32_t workers_running(const struct executor *x, const struct running_task **tasks)
{
	*tasks = x->running;
	return x->count;
}

static void workers_stop(struct executor *x)
{
	x->stopped = 1;
	for (uint32_t i = 0; i < x->count; i++)
		kill(x->workers[i].pid, SIGTERM);
}

const struct executor_ops executor_processes = {
	.name = "processes",
	.help = "processes of this machine, one a run",
	.open = workers_open,
	.submit = workers_submit,
	.next = workers_next,
	.running = workers_running,
	.stop = workers_stop,
	.close = workers_close,
};
