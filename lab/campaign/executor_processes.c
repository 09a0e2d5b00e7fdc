/* SPDX-License-Identifier: BSD-3-Clause */
/* executor_processes.c -- tasks in forked worker processes of this machine, one per task.
 *
 * Processes rather than threads, because a crash or a failed allocation then ends one task only,
 * and because all memory of a run is returned when it ends. A worker writes messages to a pipe:
 * progress repeatedly, and finally its end and what it made. If this process dies, SIGPIPE ends the
 * workers at their next write. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/executor.h"
#include "base/memory.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct worker_head {
	enum { WORKER_PROGRESS, WORKER_END } kind;
	enum task_end end;
	double share;
	struct weir_error error;
	size_t made_size; /* bytes after the header */
};

struct worker {
	pid_t pid; /* 0: the slot is free */
	int fd;    /* read end of the pipe */
	int is_cancelled, has_end;
	struct worker_head last;
	struct payload
		received; /* bytes not parsed yet; after the end message, what the task made */
};

struct processes {
	struct executor base;
	struct task_work work;
	uint32_t count;
	struct worker *workers; /* [slot] */
	struct pollfd *polls;   /* [slot]; fd -1: free */
};

/* --- in the worker process --- */

struct worker_output {
	struct task_output base;
	int fd;
};

static void worker_write(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;

	while (size) {
		ssize_t written = write(fd, at, size);

		if (written < 0 && errno != EINTR)
			return;
		at += written > 0 ? written : 0;
		size -= written > 0 ? (size_t)written : 0;
	}
}

static void worker_report_share(struct task_output *o, double share)
{
	struct worker_head head;

	memset(&head, 0, sizeof(head));
	head.kind = WORKER_PROGRESS;
	head.share = share;
	worker_write(((struct worker_output *)o)->fd, &head, sizeof(head));
}

/* Skips exit handlers of libraries (MPI's), which belong to the parent. */
static void worker_leave(void)
{
	_exit(EXIT_FAILURE);
}

_Noreturn static void worker_main(const struct processes *x, uint64_t task, int fd)
{
	struct worker_output out = { { .report_share = worker_report_share }, fd };
	struct worker_head head;

	/* Closes the read ends of other workers' pipes: they must see SIGPIPE if the parent
	 * dies. */
	for (uint32_t i = 0; i < x->count; i++)
		if (x->workers[i].pid)
			close(x->workers[i].fd);
	atexit(worker_leave);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	memset(&head, 0, sizeof(head));
	head.kind = WORKER_END;
	head.end = x->work.perform(x->work.context, task, &out.base, &head.error);
	head.made_size = out.base.made.size;
	worker_write(fd, &head, sizeof(head));
	worker_write(fd, out.base.made.bytes, out.base.made.size);
	_exit(EXIT_SUCCESS);
}

/* --- in the parent process --- */

static struct executor *processes_start(const struct task_work *work, uint32_t jobs,
					uint32_t *slots)
{
	struct processes *x = memory_zeroed(1, sizeof(*x));

	x->base.ops = &executor_processes;
	x->work = *work;
	x->count = *slots = jobs;
	x->workers = memory_zeroed(jobs, sizeof(*x->workers));
	x->polls = memory_zeroed(jobs, sizeof(*x->polls));
	return &x->base;
}

static int processes_assign(struct executor *base, uint32_t slot, uint64_t task,
			    struct weir_error *e)
{
	struct processes *x = (struct processes *)base;
	int ends[2];
	pid_t pid;

	if (pipe(ends) != 0)
		return weir_error_set(e, "no pipe for a run: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		worker_main(x, task, ends[1]);
	}
	close(ends[1]);
	if (pid < 0) {
		weir_error_set(e, "no process for a run: %s", strerror(errno));
		close(ends[0]);
		return -1;
	}
	x->workers[slot] = (struct worker){ .pid = pid, .fd = ends[0] };
	return 0;
}

/* Parses the headers that have arrived completely. Returns how many. */
static uint32_t worker_parse(struct worker *w)
{
	struct payload *p = &w->received;
	size_t at = 0;
	uint32_t heads = 0;

	while (!w->has_end && p->size - at >= sizeof(w->last)) {
		memcpy(&w->last, p->bytes + at, sizeof(w->last));
		at += sizeof(w->last);
		w->has_end = w->last.kind == WORKER_END;
		heads++;
	}
	if (at)
		memmove(p->bytes, p->bytes + at, p->size - at);
	p->size -= at;
	return heads;
}

/* Called when the pipe is closed, so the worker has exited or is about to. */
static void worker_finish(struct worker *w, struct executor_message *m)
{
	int status = 0;

	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(w->fd);
	m->kind = EXECUTOR_RESULT;
	m->end = w->last.end;
	m->error = w->last.error;
	if (w->has_end && w->received.size == w->last.made_size) {
		m->made = w->received;
	} else {
		payload_free(&w->received);
		m->end = w->is_cancelled ? TASK_STOPPED : TASK_KILLED;
		if (WIFSIGNALED(status))
			weir_error_set(&m->error, "killed by signal %d (%s)", WTERMSIG(status),
				       strsignal(WTERMSIG(status)));
		else
			weir_error_set(&m->error, "ended with status %d and no result",
				       WEXITSTATUS(status));
	}
	memset(w, 0, sizeof(*w));
}

/* Reads from a worker's pipe. 1: m is a message of it. */
static int worker_read(struct worker *w, struct executor_message *m)
{
	unsigned char bytes[1 << 16];
	ssize_t length = read(w->fd, bytes, sizeof(bytes));

	if (length < 0 && errno == EINTR)
		return 0;
	if (length <= 0) {
		worker_finish(w, m);
		return 1;
	}
	payload_put_bytes(&w->received, bytes, (size_t)length);
	if (!worker_parse(w) || w->has_end)
		return 0;
	m->kind = EXECUTOR_PROGRESS;
	m->share = w->last.share;
	return 1;
}

static int processes_wait(struct executor *base, int wait_ms, struct executor_message *m)
{
	struct processes *x = (struct processes *)base;

	for (uint32_t i = 0; i < x->count; i++) {
		const struct worker *w = &x->workers[i];

		x->polls[i] = (struct pollfd){ .fd = w->pid ? w->fd : -1, .events = POLLIN };
	}
	if (poll(x->polls, x->count, wait_ms) <= 0)
		return 0;
	for (uint32_t i = 0; i < x->count; i++)
		if (x->polls[i].revents && worker_read(&x->workers[i], m)) {
			m->slot = i;
			return 1;
		}
	return 0;
}

static void processes_cancel(struct executor *base, uint32_t slot)
{
	struct worker *w = &((struct processes *)base)->workers[slot];

	w->is_cancelled = 1;
	kill(w->pid, SIGTERM);
}

static void processes_end(struct executor *base)
{
	struct processes *x = (struct processes *)base;

	free(x->workers);
	free(x->polls);
	free(x);
}

const struct executor_ops executor_processes = {
	.start = processes_start,
	.assign = processes_assign,
	.wait = processes_wait,
	.cancel = processes_cancel,
	.end = processes_end,
};
