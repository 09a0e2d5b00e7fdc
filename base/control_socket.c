/* SPDX-License-Identifier: BSD-3-Clause */
/* control_socket.c -- see control_socket.h: the server. The client is in control_client.c. */
#define _GNU_SOURCE
#include "base/control_socket.h"
#include "base/memory.h"
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
#include <unistd.h>

_Static_assert(CONTROL_PATH_SIZE == sizeof(((struct sockaddr_un *)0)->sun_path), "paths fit");

/* --- the socket file --- */

/* The kinds of file at the path: none, a socket that no program answers, or one that must stay. */
enum occupant { OCCUPANT_NONE, OCCUPANT_STALE, OCCUPANT_STAYS };

/* A non-blocking connection: a server whose backlog is full is a server, too (EAGAIN). */
static enum occupant probe_socket(const struct sockaddr_un *address, const char *server,
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

static enum occupant find_occupant(const struct sockaddr_un *address, const char *server,
				   struct weir_error *e)
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
		return probe_socket(address, server, e);
	weir_error_set(
		e,
		"%s: is there already and is no socket, so it is left as it is; name another path",
		address->sun_path);
	return OCCUPANT_STAYS;
}

/* The folder is locked from the look at the path until the new socket listens: of two servers that
 * start at the same time one sees the other. -1 where the folder cannot be opened; making the
 * socket then says why. */
static int lock_folder(const char *path)
{
	char copy[CONTROL_PATH_SIZE];
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

static int listen_at(struct control_socket *s, const struct sockaddr_un *address,
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
	folder = lock_folder(path);
	occupant = find_occupant(&address, server, e);
	if (occupant == OCCUPANT_STALE)
		unlink(path);
	failed = occupant == OCCUPANT_STAYS || listen_at(s, &address, e);
	if (folder >= 0)
		close(folder);
	return failed ? -1 : 0;
}

static void hang_up(struct control_client *c)
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
		return; /* never opened: its clients may not even be initialised */
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		hang_up(&s->clients[i]);
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

/* Sends what the kernel takes now. Returns 1 when nothing is left and the connection goes on. */
static int flush(struct control_client *c)
{
	ssize_t sent = c->unsent_length ? send(c->fd, c->unsent, c->unsent_length,
					       MSG_NOSIGNAL | MSG_DONTWAIT)
					: 0;

	if (sent < 0 && errno != EAGAIN && errno != EINTR) {
		hang_up(c);
		return 0;
	}
	if (sent > 0) {
		c->unsent_length -= (size_t)sent;
		memmove(c->unsent, c->unsent + sent, c->unsent_length);
	}
	if (c->unsent_length)
		return 0;
	if (c->is_ending)
		hang_up(c);
	return c->fd >= 0;
}

void control_socket_send(struct control_client *c, const char *text, size_t length)
{
	if (c->fd < 0)
		return;
	if (length > CONTROL_UNSENT_MAX - c->unsent_length) {
		hang_up(c);
		return;
	}
	c->unsent = memory_grow(c->unsent, c->unsent_length + length + 1, 1);
	memcpy(c->unsent + c->unsent_length, text, length);
	c->unsent_length += length;
	flush(c);
}

void control_socket_end(struct control_client *c)
{
	c->is_ending = 1;
	if (c->fd >= 0)
		flush(c);
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

/* One client in each call: those that are there are heard before another one may replace them. */
static void accept_one(struct control_socket *s)
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
	hang_up(place); /* there is one: fewer are pinned than there are places */
	place->fd = fd;
	place->heard = place->connection = ++s->events;
}

/* Answers the whole lines that were read, one after the other as the client takes the answers. */
static void answer_lines(struct control_socket *s, struct control_client *c,
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

static void hear(struct control_socket *s, struct control_client *c, control_handler *handler,
		 void *context)
{
	ssize_t got;

	answer_lines(s, c, handler, context); /* that waited until an answer was sent */
	if (c->fd < 0 || c->unsent_length)
		return;
	got = recv(c->fd, c->request + c->used, sizeof(c->request) - c->used, MSG_DONTWAIT);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		hang_up(c);
		return;
	}
	c->used += (uint32_t)got;
	answer_lines(s, c, handler, context);
	if (c->used == sizeof(c->request) && !memchr(c->request, '\n', c->used))
		hang_up(c); /* a request that is too long */
}

void control_socket_serve(struct control_socket *s, control_handler *handler, void *context)
{
	if (s->fd < 0)
		return;
	accept_one(s);
	for (uint32_t i = 0; i < CONTROL_CLIENTS; i++)
		if (s->clients[i].fd >= 0 && flush(&s->clients[i]))
			hear(s, &s->clients[i], handler, context);
}
