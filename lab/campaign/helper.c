/* SPDX-License-Identifier: BSD-3-Clause */
/* helper.c -- see helper.h.
 *
 * What comes through the pipe are messages with a head: how far the task is, again and again, and
 * in the end how it ended and what it made. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/helper.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct head {
	enum { HEAD_SHARE, HEAD_END } kind;
	enum task_end end;
	double share;
	struct weir_error error;
	size_t size; /* of what follows */
};

/* --- in the helper --- */

struct helper_voice {
	struct task_voice voice; /* first: what a task is given */
	int fd;
};

static void write_all(int fd, const void *bytes, size_t size)
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

static void say_share(struct task_voice *v, double share)
{
	struct head head;

	memset(&head, 0, sizeof(head));
	head.kind = HEAD_SHARE;
	head.share = share;
	write_all(((struct helper_voice *)v)->fd, &head, sizeof(head));
}

/* Libraries that wait for the end of the program are those of the process that we were made
 * from. */
static void leave(void)
{
	_exit(EXIT_FAILURE);
}

_Noreturn static void be_helper(helper_task *task, void *context, int fd)
{
	struct helper_voice v = { { say_share }, fd };
	struct parcel made = { NULL, 0, 0 };
	struct head head;

	atexit(leave);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	memset(&head, 0, sizeof(head));
	head.kind = HEAD_END;
	head.end = task(context, &made, &v.voice, &head.error);
	head.size = made.size;
	write_all(fd, &head, sizeof(head));
	write_all(fd, made.bytes, made.size);
	_exit(0);
}

/* --- in the process that has it --- */

int helper_start(struct helper *h, helper_task *task, void *context, struct weir_error *e)
{
	int ends[2];

	if (pipe(ends) != 0)
		return weir_error_set(e, "no pipe for a run: %s", strerror(errno));
	parcel_free(&h->got);
	memset(h, 0, sizeof(*h));
	h->pid = fork();
	if (h->pid == 0) {
		close(ends[0]);
		be_helper(task, context, ends[1]);
	}
	close(ends[1]);
	if (h->pid < 0) {
		h->pid = 0;
		close(ends[0]);
		return weir_error_set(e, "no process for a run: %s", strerror(errno));
	}
	h->fd = ends[0];
	return 0;
}

/* Takes the heads that are there whole; what a task made stays behind the last. */
static void understand(struct helper *h)
{
	struct head head;

	while (!h->has_end && h->got.size - h->read >= sizeof(head)) {
		memcpy(&head, h->got.bytes + h->read, sizeof(head));
		h->read += sizeof(head);
		h->has_end = head.kind == HEAD_END;
		h->end = head.end;
		h->error = head.error;
		if (!h->has_end)
			h->share = head.share;
	}
	if (!h->has_end) {
		memmove(h->got.bytes, h->got.bytes + h->read, h->got.size - h->read);
		h->got.size -= h->read;
		h->read = 0;
	}
}

static void say_how(struct helper *h, int status)
{
	h->end = h->was_stopped ? TASK_STOPPED : TASK_KILLED;
	if (WIFSIGNALED(status))
		weir_error_set(&h->error, "killed by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	else
		weir_error_set(&h->error, "ended with status %d and no result",
			       WEXITSTATUS(status));
}

static void end(struct helper *h, struct parcel *made)
{
	int status = 0;

	while (waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(h->fd);
	h->pid = 0;
	memset(made, 0, sizeof(*made));
	/* Killed while it wrote: what it made is not whole. */
	if (!h->has_end || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		say_how(h, status);
	else
		parcel_put_rest(made, h->got.bytes + h->read, h->got.size - h->read);
	parcel_free(&h->got);
}

int helper_listen(struct helper *h, int wait_ms, struct parcel *made)
{
	struct pollfd p = { .fd = h->fd, .events = POLLIN };
	char bytes[1 << 16];

	if (!h->pid)
		return 0;
	while (poll(&p, 1, wait_ms) > 0) {
		ssize_t length = read(h->fd, bytes, sizeof(bytes));

		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0) {
			end(h, made);
			return 1;
		}
		parcel_put_rest(&h->got, bytes, (size_t)length);
		understand(h);
		wait_ms = 0;
	}
	return 0;
}

void helper_stop(struct helper *h)
{
	h->was_stopped = 1;
	if (h->pid)
		kill(h->pid, SIGTERM);
}
