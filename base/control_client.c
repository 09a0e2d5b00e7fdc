/* SPDX-License-Identifier: BSD-3-Clause */
/* control_client.c -- see control_socket.h: the client's side. */
#define _GNU_SOURCE
#include "base/control_socket.h"
#include "base/memory.h"
#include "weir/units.h"
#include "base/clock.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int control_socket_check(const char *path, struct weir_error *e)
{
	return strlen(path) < CONTROL_PATH_SIZE
		       ? 0
		       : weir_error_set(e, "%s is too long for a socket", weir_quote(path).text);
}

/* flags: of socket(2). */
static int reach(const char *path, const char *server, int flags, struct weir_error *e)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (control_socket_check(path, e))
		return -1;
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	weir_error_set(e, "%s: no %s answers there: %s", path, server, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int control_socket_connect(const char *path, const char *server, struct weir_error *e)
{
	return reach(path, server, 0, e);
}

/* --- a question with a deadline --- */

/* 1: the descriptor is ready before the deadline. */
static int wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd polled = { .fd = fd, .events = events };
	int64_t left_ns = deadline_ns - clock_ns();
	struct timespec t = { left_ns / WEIR_NS_PER_S, left_ns % WEIR_NS_PER_S };

	return left_ns > 0 && ppoll(&polled, 1, &t, NULL) == 1;
}

static int send_all(int fd, const char *text, int64_t deadline_ns)
{
	size_t left = strlen(text);

	while (left && wait_for(fd, POLLOUT, deadline_ns)) {
		ssize_t sent = send(fd, text, left, MSG_NOSIGNAL);

		if (sent < 0)
			return -1;
		text += sent;
		left -= (size_t)sent;
	}
	return left ? -1 : 0;
}

/* The line without its newline; NULL: none came, or a longer one. */
static char *hear_line(int fd, size_t most, int64_t deadline_ns)
{
	size_t length = 0, size = 0;
	char *text = NULL, *end;

	while (length <= most && wait_for(fd, POLLIN, deadline_ns)) {
		ssize_t got;

		if (length + 1 >= size) {
			size = size ? 2 * size : 4096;
			text = memory_grow(text, size, 1);
		}
		got = recv(fd, text + length, size - length - 1, 0);
		if (got <= 0)
			break;
		end = memchr(text + length, '\n', (size_t)got);
		length += (size_t)got;
		if (end && (size_t)(end - text) <= most) {
			*end = '\0';
			return text;
		}
	}
	free(text);
	return NULL;
}

char *control_socket_ask(const struct control_question *q, struct weir_error *e)
{
	const int64_t deadline_ns = clock_ns() + q->timeout_ns;
	int fd = reach(q->path, q->server, SOCK_NONBLOCK, e);
	char *answer = NULL;

	if (fd < 0)
		return NULL;
	if (send_all(fd, q->request, deadline_ns) == 0)
		answer = hear_line(fd, q->answer_max, deadline_ns);
	close(fd);
	if (!answer)
		weir_error_set(e, "%s: the %s does not answer", q->path, q->server);
	return answer;
}
