/* SPDX-License-Identifier: BSD-3-Clause */
/* control_socket.c -- both ends of the control socket, see control_socket.h. */
#define _GNU_SOURCE
#include "base/control_socket.h"
#include "base/clock.h"
#include "base/memory.h"
#include "weir/units.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

_Static_assert(CONTROL_PATH_SIZE == sizeof(((struct sockaddr_un *)0)->sun_path), "paths fit");

/* --- the socket file --- */

/* The file at the path: nothing, a stale socket (no program listens), or a file that must stay. */
enum occupant { OCCUPANT_NONE, OCCUPANT_STALE, OCCUPANT_STAYS };

/* Connects without blocking. EAGAIN is a live server, too: its backlog is full. */
static enum occupant control_socket_probe(const struct sockaddr_un *address, const char *server,
					  struct weir_error *e)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;

	if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		error = errno;
	if (fd >= 0)
		close(fd);
	if (error == ECONNREFUSED)
		return OCCUPANT_STALE;
	if (error == 0 || error == EAGAIN)
		weir_error_set(e, "%s: another %s answers there", address->sun_path, server);
	else
		weir_error_set(
			e,
			"%s: a socket is there, and it is not known whether a program answers: %s",
			address->sun_path, strerror(error));
	return OCCUPANT_STAYS;
}

static enum occupant control_socket_find_occupant(const struct sockaddr_un *address,
						  const char *server, struct weir_error *e)
{
	struct stat st;

	if (lstat(address->sun_path, &st)) {
		if (errno == ENOENT)
			return OCCUPANT_NONE;
		weir_error_set(e, "%s: no socket can be made there: %s", address->sun_path,
			       strerror(errno));
		return OCCUPANT_STAYS;
	}
	if (S_ISSOCK(st.st_mode))
		return control_socket_probe(address, server, e);
	weir_error_set(
		e,
		"%s: is there already and is no socket, so it is left as it is; name another path",
		address->sun_path);
	return OCCUPANT_STAYS;
}

/* Serialises servers that start at the same time: the folder is locked from the check of the path
 * until the new socket listens. -1: the folder cannot be opened; bind then reports why. */
static int control_socket_lock_folder(const char *path)
{
	char copy[CONTROL_PATH_SIZE];
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

static int control_socket_listen(struct control_socket *s, const struct sockaddr_un *address,
				 struct weir_error *e)
{
	struct stat st;
	mode_t mask;
	int failed;

	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mask = umask(0177);
	failed = s->fd < 0 || bind(s->fd, (const struct sockaddr *)address, sizeof(*address)) ||
		 listen(s->fd, CONTROL_CLIENTS) || lstat(address->sun_path, &st);
	umask(mask);
	if (!failed) {
		s->device = st.st_dev;
		s->inode = st.st_ino;
		return 0;
	}
	weir_error_set(e, "%s: no socket can be made there: %s", address->sun_path,
		       strerror(errno));
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	return -1;
}

int control_socket_open(struct control_socket *s, const char *path, const char *server,
			struct weir_error *e)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	enum occupant occupant;
	int folder, failed;

	*s = (struct control_socket){ .fd = -1 };
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		s->clients[i].fd = -1;
	if (control_socket_check(path, e))
		return -1;
	memcpy(address.sun_path, path, strlen(path) + 1);
	memcpy(s->path, path, strlen(path) + 1);
	folder = control_socket_lock_folder(path);
	occupant = control_socket_find_occupant(&address, server, e);
	if (occupant == OCCUPANT_STALE)
		unlink(path);
	failed = occupant == OCCUPANT_STAYS || control_socket_listen(s, &address, e);
	if (folder >= 0)
		close(folder);
	return failed ? -1 : 0;
}

static void control_client_close(struct control_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	free(c->unsent);
	*c = (struct control_client){ .fd = -1 };
}

void control_socket_close(struct control_socket *s)
{
	struct stat st;

	if (s->fd < 0)
		return; /* never opened: clients may be uninitialised */
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		control_client_close(&s->clients[i]);
	close(s->fd);
	s->fd = -1;
	if (lstat(s->path, &st) == 0 && st.st_dev == s->device && st.st_ino == s->inode)
		unlink(s->path);
}

uint32_t control_socket_polled(const struct control_socket *s, struct pollfd polled[CONTROL_FDS])
{
	uint32_t count = 0;

	if (s->fd < 0)
		return 0;
	polled[count++] = (struct pollfd){ .fd = s->fd, .events = POLLIN };
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++) {
		const struct control_client *c = &s->clients[i];

		if (c->fd >= 0)
			polled[count++] = (struct pollfd){
				.fd = c->fd,
				.events = c->unsent_length ? POLLOUT : POLLIN,
			};
	}
	return count;
}

/* --- answers --- */

/* Sends what the kernel accepts without blocking. Returns 1 if nothing is left unsent and the
 * connection is still open. */
static int control_client_flush(struct control_client *c)
{
	ssize_t sent = c->unsent_length ? send(c->fd, c->unsent, c->unsent_length,
					       MSG_NOSIGNAL | MSG_DONTWAIT)
					: 0;

	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		control_client_close(c);
		return 0;
	}
	if (sent > 0) {
		c->unsent_length -= (size_t)sent;
		memmove(c->unsent, c->unsent + sent, c->unsent_length);
	}
	if (c->unsent_length)
		return 0;
	if (c->is_ending)
		control_client_close(c);
	return c->fd >= 0;
}

void control_socket_send(struct control_client *c, const char *text, size_t length)
{
	if (c->fd < 0)
		return;
	if (length > CONTROL_UNSENT_MAX - c->unsent_length) {
		control_client_close(c);
		return;
	}
	c->unsent = memory_grow(c->unsent, c->unsent_length + length + 1, 1);
	memcpy(c->unsent + c->unsent_length, text, length);
	c->unsent_length += length;
	control_client_flush(c);
}

void control_socket_end(struct control_client *c)
{
	c->is_ending = 1;
	if (c->fd >= 0)
		control_client_flush(c);
}

int control_socket_pin(struct control_socket *s, struct control_client *c)
{
	uint32_t pinned = 0;

	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		pinned += s->clients[i].is_pinned != 0;
	if (!c->is_pinned && pinned == CONTROL_PINNED_MAX)
		return -1;
	c->is_pinned = 1;
	return 0;
}

/* --- requests --- */

/* Accepts one client per call, so that connected clients are served before a new one can replace
 * them. The client that has been silent for longest is replaced; pinned ones never are. */
static void control_socket_accept(struct control_socket *s)
{
	struct control_client *place = NULL;
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++) {
		struct control_client *c = &s->clients[i];

		if (c->fd >= 0 && c->is_pinned)
			continue;
		if (!place || (place->fd >= 0 && (c->fd < 0 || c->heard < place->heard)))
			place = c;
	}
	control_client_close(place); /* not NULL: CONTROL_PINNED_MAX < CONTROL_CLIENTS */
	place->fd = fd;
	place->heard = place->connection = ++s->events;
}

/* Handles complete lines, one at a time: the next only when the client has taken the answer. */
static void control_client_answer(struct control_socket *s, struct control_client *c,
				  control_handler *handler, void *context)
{
	char line[CONTROL_REQUEST_SIZE], *end;

	while (c->fd >= 0 && !c->unsent_length && !c->is_ending &&
	       (end = memchr(c->request, '\n', c->used))) {
		uint32_t length = (uint32_t)(end - c->request);

		memcpy(line, c->request, length);
		line[length] = '\0';
		for (uint32_t i = 0; i < length; i++)
			if (!line[i])
				line[i] = '?';
		c->used -= length + 1;
		memmove(c->request, end + 1, c->used);
		c->heard = ++s->events;
		handler(context, c, line);
	}
}

static void control_client_receive(struct control_socket *s, struct control_client *c,
				   control_handler *handler, void *context)
{
	ssize_t got;

	control_client_answer(s, c, handler, context); /* requests queued behind an unsent answer */
	if (c->fd < 0 || c->unsent_length)
		return;
	got = recv(c->fd, c->request + c->used, sizeof(c->request) - c->used, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		control_client_close(c);
		return;
	}
	c->used += (uint32_t)got;
	control_client_answer(s, c, handler, context);
	if (c->used == sizeof(c->request) && !memchr(c->request, '\n', c->used))
		control_client_close(c); /* longer than a request may be */
}

void control_socket_serve(struct control_socket *s, control_handler *handler, void *context)
{
	if (s->fd < 0)
		return;
	control_socket_accept(s);
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (s->clients[i].fd >= 0 && control_client_flush(&s->clients[i]))
			control_client_receive(s, &s->clients[i], handler, context);
}

/* --- the client --- */

int control_socket_check(const char *path, struct weir_error *e)
{
	return strlen(path) < CONTROL_PATH_SIZE
		       ? 0
		       : weir_error_set(e, "%s is too long for a socket", weir_quote(path).text);
}

/* Connects a socket with these flags of socket(2). -1 with a message. */
static int control_socket_reach(const char *path, const char *server, int flags,
				struct weir_error *e)
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
	return control_socket_reach(path, server, 0, e);
}

/* Returns 1 if the descriptor becomes ready before the deadline. */
static int control_socket_wait(int fd, short events, int64_t deadline_ns)
{
	struct pollfd polled = { .fd = fd, .events = events };
	int64_t left_ns = deadline_ns - clock_ns();
	struct timespec t = { left_ns / WEIR_NS_PER_S, left_ns % WEIR_NS_PER_S };

	return left_ns > 0 && ppoll(&polled, 1, &t, NULL) == 1;
}

static int control_socket_send_all(int fd, const char *text, int64_t deadline_ns)
{
	size_t left = strlen(text);

	while (left && control_socket_wait(fd, POLLOUT, deadline_ns)) {
		ssize_t sent = send(fd, text, left, MSG_NOSIGNAL);

		if (sent < 0)
			return -1;
		text += sent;
		left -= (size_t)sent;
	}
	return left ? -1 : 0;
}

/* The answer without its newline, for the caller to free. NULL: no line of at most so many bytes
 * arrived in time. */
static char *control_socket_receive_line(int fd, size_t most, int64_t deadline_ns)
{
	size_t length = 0, size = 0;
	char *text = NULL, *end;

	while (length <= most && control_socket_wait(fd, POLLIN, deadline_ns)) {
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
	int fd = control_socket_reach(q->path, q->server, SOCK_NONBLOCK, e);
	char *answer = NULL;

	if (fd < 0)
		return NULL;
	if (control_socket_send_all(fd, q->request, deadline_ns) == 0)
		answer = control_socket_receive_line(fd, q->answer_max, deadline_ns);
	close(fd);
	if (!answer)
		weir_error_set(e, "%s: the %s does not answer", q->path, q->server);
	return answer;
}
