/* workers.c -- tasks in processes of their own. */
#define _POSIX_C_SOURCE 200809L
#include "lab/campaign/workers.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
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

struct pool {
	const struct workers *w;
	struct worker *workers;
	struct running_task *running; /* the same workers, for tick */
	struct pollfd *polls;
	uint32_t count;
	uint64_t started;
	int closed;  /* no further ones are to be started */
	int stopped; /* those that run were told to end */
};

/* --- in the worker --- */

static void tell(struct worker_pipe *p, const struct message *m)
{
	ssize_t written;

	do
		written = write(p->fd, m, sizeof(*m));
	while (written < 0 && errno == EINTR);
}

void worker_share(struct worker_pipe *p, double share)
{
	struct message m;

	memset(&m, 0, sizeof(m));
	m.kind = MESSAGE_SHARE;
	m.share = share;
	tell(p, &m);
}

_Noreturn static void be_worker(const struct pool *pool, uint64_t task, int fd)
{
	struct worker_pipe p = { fd };
	struct message m;

	/* Whose pipes we hold open would not notice that their reader is gone. */
	for (uint32_t i = 0; i < pool->count; i++)
		close(pool->workers[i].fd);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	memset(&m, 0, sizeof(m));
	m.kind = MESSAGE_END;
	m.end = pool->w->work(pool->w->context, task, &p, &m.error);
	tell(&p, &m);
	_exit(0);
}

/* --- in the process that has them --- */

static int start(struct pool *pool, struct weir_error *e)
{
	uint64_t task = pool->w->tasks[pool->started];
	struct worker *one = &pool->workers[pool->count];
	int ends[2];

	if (pipe(ends) != 0)
		return weir_error_set(e, "no pipe for a run: %s", strerror(errno));
	memset(one, 0, sizeof(*one));
	one->pid = fork();
	if (one->pid == 0) {
		close(ends[0]);
		be_worker(pool, task, ends[1]);
	}
	close(ends[1]);
	if (one->pid < 0) {
		weir_error_set(e, "no process for a run: %s", strerror(errno));
		close(ends[0]);
		return -1;
	}
	one->fd = ends[0];
	pool->running[pool->count] = (struct running_task){ task, 0 };
	pool->count++;
	pool->started++;
	return 0;
}

/* As many as there may be. Where the system gives fewer, those have to do. */
static int start_more(struct pool *pool, struct weir_error *e)
{
	while (!pool->closed && pool->started < pool->w->count && pool->count < pool->w->jobs)
		if (start(pool, e))
			return pool->count > 0 ? 0 : -1;
	return 0;
}

static void stop_all(struct pool *pool)
{
	pool->closed = pool->stopped = 1;
	for (uint32_t i = 0; i < pool->count; i++)
		kill(pool->workers[i].pid, SIGTERM);
}

/* The pipe is closed: the worker has ended, one way or another. */
static void end(struct pool *pool, uint32_t i)
{
	struct worker one = pool->workers[i];
	uint64_t task = pool->running[i].task;
	enum task_end how = one.last.end;
	int status = 0;

	while (waitpid(one.pid, &status, 0) < 0 && errno == EINTR)
		;
	close(one.fd);
	pool->count--;
	pool->workers[i] = pool->workers[pool->count];
	pool->running[i] = pool->running[pool->count];
	if (one.last.kind != MESSAGE_END) {
		how = pool->stopped ? TASK_STOPPED : TASK_KILLED;
		if (WIFSIGNALED(status))
			weir_error_set(&one.last.error, "killed by signal %d (%s)",
				       WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			weir_error_set(&one.last.error, "ended with status %d and no result",
				       WEXITSTATUS(status));
	}
	if (pool->w->ended(pool->w->context, task, how, &one.last.error))
		pool->closed = 1;
}

/* Reads what worker i has to say. */
static void listen(struct pool *pool, uint32_t i)
{
	struct message m;
	ssize_t length = read(pool->workers[i].fd, &m, sizeof(m));

	if (length < 0 && errno == EINTR)
		return;
	if (length != (ssize_t)sizeof(m)) {
		end(pool, i);
		return;
	}
	pool->workers[i].last = m;
	if (m.kind == MESSAGE_SHARE)
		pool->running[i].share = m.share;
}

static void wait_for_news(struct pool *pool)
{
	uint32_t count = pool->count;

	for (uint32_t i = 0; i < count; i++)
		pool->polls[i] = (struct pollfd){ .fd = pool->workers[i].fd, .events = POLLIN };
	if (poll(pool->polls, count, TICK_MS) <= 0)
		return;
	/* From the last on: one that ends is replaced by the last. */
	for (uint32_t i = count; i-- > 0;)
		if (pool->polls[i].revents)
			listen(pool, i);
}

int workers_run(const struct workers *w, struct weir_error *e)
{
	struct pool pool = { .w = w };
	int failed = 0;

	pool.workers = calloc(w->jobs, sizeof(*pool.workers));
	pool.running = calloc(w->jobs, sizeof(*pool.running));
	pool.polls = calloc(w->jobs, sizeof(*pool.polls));
	if (!pool.workers || !pool.running || !pool.polls)
		failed = weir_error_set(e, "no memory");
	if (!failed)
		failed = start_more(&pool, e);
	while (!failed && pool.count > 0) {
		w->tick(w->context, pool.running, pool.count);
		wait_for_news(&pool);
		if (!pool.stopped && atomic_load(w->stop))
			stop_all(&pool);
		failed = start_more(&pool, e);
	}
	free(pool.workers);
	free(pool.running);
	free(pool.polls);
	return failed;
}
