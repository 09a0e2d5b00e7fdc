/* SPDX-License-Identifier: BSD-3-Clause */
/* view.c -- weir view: answers requests, and decides when a page is rebuilt.
 *
 * The server is one thread. A page of the store is built in a forked process while the server keeps
 * serving: its memory is returned when it exits, and a crash loses one page only. */
#define _DEFAULT_SOURCE
#include "lab/campaign/view.h"
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

enum {
	CPU_SHARE = 5, /* building pages uses at most a fifth of a core */
	NICE = 5,      /* simulation runs on this machine have priority */
	PIECE = 1 << 16,
	TURN_MS = 200,
};

#define NS_PER_US (WEIR_NS_PER_S / 1000000)

enum page_id { PAGE_RUNS, PAGE_REPORT, PAGE_FIGURE, PAGES };

/* A page that is built from the store. */
struct view_page {
	pid_t pid; /* process that builds it; 0: none */
	int fd;    /* read end of its pipe */
	char *received;
	size_t received_length, room;
	struct store_stamp building, built; /* state of the store in the page that is being built,
					       and in the page */
	char *bytes;                        /* the page; NULL: not built yet */
	size_t length;
	int64_t next_ns; /* earliest time of the next rebuild */
	int is_wanted;
};

struct viewer {
	const struct live_subject *subject;
	struct store_stamp stamp; /* current state of the store */
	struct view_page pages[PAGES];
};

/* --- building --- */

_Noreturn static void view_build(const struct viewer *v, enum page_id id, int fd)
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
	if (id == PAGE_RUNS)
		live_runs(f, v->subject, &v->pages[PAGE_RUNS].building);
	else if (id == PAGE_REPORT)
		live_report(f, v->subject);
	else
		live_figure(f, v->subject);
	_exit(fclose(f) == 0 ? 0 : 1);
}

static void view_start(struct viewer *v, enum page_id id)
{
	struct view_page *p = &v->pages[id];
	int ends[2];

	p->building = v->stamp;
	p->next_ns = clock_ns() + WEIR_NS_PER_S; /* unless the process starts */
	if (pipe(ends) != 0)
		return;
	p->pid = fork();
	if (p->pid == 0) {
		close(ends[0]);
		view_build(v, id, ends[1]);
	}
	close(ends[1]);
	p->fd = ends[0];
	if (p->pid > 0 && fcntl(p->fd, F_SETFL, O_NONBLOCK) == 0)
		return;
	close(p->fd);
	p->pid = 0;
}

/* Waits for a process that has ended or is about to. -1: it failed. */
static int view_wait(struct view_page *p)
{
	struct rusage used = { .ru_maxrss = 0 };
	int status = 0;

	close(p->fd);
	while (wait4(p->pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	p->pid = 0;
	/* CPU time rather than elapsed time, which includes waiting on a busy machine. */
	p->next_ns =
		clock_ns() +
		CPU_SHARE * ((int64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) *
				     (int64_t)WEIR_NS_PER_S +
			     (int64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * NS_PER_US);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* Reads what the process has written, without blocking; at its end replaces the page. */
static void view_read(struct view_page *p)
{
	for (;;) {
		ssize_t got;

		if (p->room - p->received_length < PIECE) {
			p->room = 2 * p->room + PIECE;
			p->received = memory_grow(p->received, p->room, 1);
		}
		got = read(p->fd, p->received + p->received_length, p->room - p->received_length);
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got > 0) {
			p->received_length += (size_t)got;
			continue;
		}
		p->is_wanted = 0;
		if (view_wait(p) == 0 && got == 0) {
			free(p->bytes);
			p->bytes = p->received;
			p->length = p->received_length;
			p->built = p->building;
		} else {
			free(p->received);
		}
		p->received = NULL;
		p->received_length = p->room = 0;
		return;
	}
}

static int view_is_current(const struct viewer *v, const struct view_page *p)
{
	return p->bytes && strcmp(p->built.text, v->stamp.text) == 0;
}

static void view_update(struct viewer *v)
{
	v->stamp = store_stamp(v->subject->folder);
	for (int i = 0; i < PAGES; i++) {
		struct view_page *p = &v->pages[i];

		if (p->pid)
			view_read(p);
		else if (p->is_wanted && !view_is_current(v, p) && clock_ns() >= p->next_ns)
			view_start(v, (enum page_id)i);
	}
}

/* --- answering --- */

/* A page of the store: up to date or, for the live page, the previous version. */
static int view_answer_built(struct viewer *v, enum page_id id, FILE *f)
{
	struct view_page *p = &v->pages[id];

	p->is_wanted = 1;
	if (id == PAGE_RUNS ? !p->bytes : !view_is_current(v, p))
		return 1;
	fwrite(p->bytes, 1, p->length, f);
	return 0;
}

/* An http_server_page. The serving process writes pages itself that are cheap and cannot fail. */
static int view_answer(void *context, const char *path, FILE *f, const char **type)
{
	struct viewer *v = context;

	*type = strstr(path, ".json") ? "application/json" : "text/html; charset=utf-8";
	if (strcmp(path, "/runs.json") == 0)
		return view_answer_built(v, PAGE_RUNS, f);
	if (strcmp(path, "/report") == 0)
		return view_answer_built(v, PAGE_REPORT, f);
	if (strcmp(path, "/figure") == 0 && v->subject->figure)
		return view_answer_built(v, PAGE_FIGURE, f);
	if (strcmp(path, "/") == 0) {
		live_page(f, v->subject);
		return 0;
	}
	if (strcmp(path, "/state.json") == 0) {
		v->pages[PAGE_RUNS].is_wanted = v->stamp.text[0] != '\0';
		live_state(f, v->subject, &v->stamp, &v->pages[PAGE_RUNS].built);
		return 0;
	}
	*type = "text/plain; charset=utf-8";
	fputs("There is no such page; the runs are at /, the report at /report.\n", f);
	return -1;
}

/* --- entry points --- */

const struct figure_files *view_figure(const struct figure_list *l, const char *folder,
				       enum figure_size *size)
{
	for (uint32_t i = 0; i < l->count; i++)
		for (int k = 0; k < FIGURE_SIZES; k++) {
			char *end = figure_folder(&l->all[i], "", (enum figure_size)k);
			size_t length = strlen(folder), tail = strlen(end);
			int is_it;

			while (length > 1 && folder[length - 1] == '/')
				length--;
			/* "/pred/fig13", or the whole path without the slash */
			is_it = (length >= tail &&
				 strncmp(folder + length - tail, end, tail) == 0) ||
				(length + 1 == tail && strncmp(folder, end + 1, length) == 0);
			free(end);
			*size = (enum figure_size)k;
			if (is_it)
				return &l->all[i];
		}
	return NULL;
}

void view_run(struct http_server *s, const struct live_subject *subject, int (*stop)(void *context),
	      void *context)
{
	struct pollfd polled[HTTP_SERVER_FDS + PAGES];
	struct viewer v = { .subject = subject };

	s->page = view_answer;
	s->context = &v;
	do {
		uint32_t count = http_server_poll_fds(s, polled);

		for (int i = 0; i < PAGES; i++)
			if (v.pages[i].pid)
				polled[count++] =
					(struct pollfd){ .fd = v.pages[i].fd, .events = POLLIN };
		if (poll(polled, count, TURN_MS) < 0 && errno != EINTR)
			break;
		view_update(&v);
		http_server_serve(s);
	} while (!stop(context));
	http_server_close(s);
	for (int i = 0; i < PAGES; i++) {
		if (v.pages[i].pid) {
			kill(v.pages[i].pid, SIGKILL);
			view_wait(&v.pages[i]);
		}
		free(v.pages[i].received);
		free(v.pages[i].bytes);
	}
}
