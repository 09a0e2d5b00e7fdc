/* SPDX-License-Identifier: BSD-3-Clause */
/* view_server.c -- HTTP connections as state machines driven by poll. */
#define _DEFAULT_SOURCE
#include "lab/campaign/view_server.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/memory.h"
#include "weir/units.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	CLIENTS_MAX = 64,
	BACKLOG = 32,
	TURN_MS = 200,
	DISCARD_SIZE = 4096,
};

/* A client that makes no progress for this long is dropped. Building a page may take longer, and
 * does not count. */
#define PATIENCE_NS (10 * (int64_t)WEIR_NS_PER_S)

enum client_step {
	CLIENT_ASKS,  /* reading the request */
	CLIENT_WAITS, /* the site prepares the answer */
	CLIENT_READS, /* sending the answer */
	CLIENT_LEAVES /* everything is sent; further input is drained, because closing with unread
			 input could reset the connection and lose the answer */
};

struct client {
	int fd;
	enum client_step step;
	int64_t since_ns; /* time of the last byte or change of state */
	size_t got, sent;
	char request[HTTP_REQUEST_MAX];
	struct http_request r;
	struct http_text head; /* header of the answer */
	size_t head_length;
	struct body *body; /* NULL: header only */
};

struct server {
	int listener;
	const struct site *site;
	uint32_t count;
	struct client *clients[CLIENTS_MAX];
};

/* --- bodies --- */

struct body *body_new(char *bytes, size_t length)
{
	struct body *b = memory_zeroed(1, sizeof(*b));

	*b = (struct body){ 1, length, bytes };
	return b;
}

struct body *body_use(struct body *b)
{
	b->users++;
	return b;
}

void body_leave(struct body *b)
{
	if (!b || --b->users > 0)
		return;
	free(b->bytes);
	free(b);
}

/* --- listening socket --- */

static int try_port(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1, number;

	if (fd < 0)
		return -1;
	/* Otherwise the port would be blocked for a minute after the last connection
	 * (TIME_WAIT). */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    listen(fd, BACKLOG) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
		return fd;
	number = errno;
	close(fd);
	errno = number;
	return -1;
}

int server_listen(uint16_t first, uint16_t last, uint16_t *port, struct weir_error *e)
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);
	int fd = -1;

	for (uint32_t p = first; fd < 0 && p <= last; p++) {
		fd = try_port((uint16_t)p);
		if (fd < 0 && errno != EADDRINUSE)
			break;
	}
	if (fd < 0 || getsockname(fd, (struct sockaddr *)&address, &length) != 0)
		return weir_error_set(e, "127.0.0.1:%d: cannot be listened to: %s", first,
				      strerror(errno));
	*port = ntohs(address.sin_port);
	return fd;
}

/* --- one client --- */

static void client_free(struct client *c)
{
	close(c->fd);
	body_leave(c->body);
	free(c);
}

static void step(struct client *c, enum client_step to)
{
	c->step = to;
	c->since_ns = clock_ns();
}

static void answer(struct client *c, const struct answer *a)
{
	c->head = http_head(a->status, a->type, a->body->length);
	c->head_length = strlen(c->head.text);
	c->body = a->body;
	if (c->r.method == HTTP_HEAD) {
		body_leave(c->body);
		c->body = NULL;
	}
	step(c, CLIENT_READS);
}

static void refuse(struct client *c, enum http_status status)
{
	char *text = NULL;

	text_print(&text, "%d\n", (int)status);
	answer(c, &(struct answer){ status, "text/plain", body_new(text, strlen(text)) });
}

static void ask_site(struct server *s, struct client *c)
{
	struct answer a;

	if (s->site->ask(s->site->context, c->r.path, &a))
		answer(c, &a);
}

/* These functions return non-zero if the client must be dropped. */
static int hear(struct server *s, struct client *c)
{
	ssize_t got = recv(c->fd, c->request + c->got, sizeof(c->request) - c->got, 0);
	enum http_status status;

	if (got < 0)
		return errno != EAGAIN && errno != EINTR;
	if (got == 0)
		return 1;
	c->got += (size_t)got;
	c->since_ns = clock_ns();
	status = http_parse(c->request, c->got, &c->r);
	if (status == HTTP_OK) {
		step(c, CLIENT_WAITS);
		ask_site(s, c);
	} else if (status != HTTP_MORE) {
		refuse(c, status);
	}
	return 0;
}

static int tell(struct client *c)
{
	size_t length = c->head_length + (c->body ? c->body->length : 0);

	while (c->sent < length) {
		int in_head = c->sent < c->head_length;
		size_t at = in_head ? c->sent : c->sent - c->head_length;
		ssize_t sent =
			in_head ? send(c->fd, c->head.text + at, c->head_length - at, MSG_NOSIGNAL)
				: send(c->fd, c->body->bytes + at, c->body->length - at,
				       MSG_NOSIGNAL);

		if (sent < 0)
			return errno != EAGAIN && errno != EINTR;
		c->sent += (size_t)sent;
		c->since_ns = clock_ns();
	}
	shutdown(c->fd, SHUT_WR);
	step(c, CLIENT_LEAVES);
	return 0;
}

static int see_off(struct client *c)
{
	char discarded[DISCARD_SIZE];
	ssize_t got = recv(c->fd, discarded, sizeof(discarded), 0);

	/* since_ns is not updated: a client that keeps sending is dropped, too. */
	return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

static int serve(struct server *s, struct client *c, short events)
{
	switch (c->step) {
	case CLIENT_ASKS:
		return events & (POLLIN | POLLHUP | POLLERR) ? hear(s, c) : 0;
	case CLIENT_WAITS:
		ask_site(s, c);
		return (events & (POLLHUP | POLLERR)) != 0;
	case CLIENT_READS:
		return events & (POLLOUT | POLLHUP | POLLERR) ? tell(c) : 0;
	case CLIENT_LEAVES:
		break;
	}
	return events & (POLLIN | POLLHUP | POLLERR) ? see_off(c) : 0;
}

static int is_too_slow(const struct client *c)
{
	return c->step != CLIENT_WAITS && clock_ns() - c->since_ns > PATIENCE_NS;
}

/* --- server loop --- */

static void drop(struct server *s, uint32_t i)
{
	client_free(s->clients[i]);
	s->clients[i] = s->clients[--s->count];
}

/* Drops the client that has been idle longest. */
static void make_room(struct server *s)
{
	uint32_t idlest = 0;

	for (uint32_t i = 1; i < s->count; i++)
		if (s->clients[i]->since_ns < s->clients[idlest]->since_ns)
			idlest = i;
	drop(s, idlest);
}

static void welcome(struct server *s)
{
	int fd = accept(s->listener, NULL, NULL);
	struct client *c;

	if (fd < 0)
		return;
	if (fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
		close(fd);
		return;
	}
	if (s->count == CLIENTS_MAX)
		make_room(s);
	c = memory_zeroed(1, sizeof(*c));
	c->fd = fd;
	step(c, CLIENT_ASKS);
	s->clients[s->count++] = c;
}

static short wishes(const struct client *c)
{
	switch (c->step) {
	case CLIENT_WAITS:
		return 0;
	case CLIENT_READS:
		return POLLOUT;
	case CLIENT_ASKS:
	case CLIENT_LEAVES:
		break;
	}
	return POLLIN;
}

/* One iteration: serves every client that is ready. Returns non-zero when the server must stop. */
static int turn(struct server *s)
{
	struct pollfd polls[CLIENTS_MAX + SITE_FDS_MAX + 1];
	int fds[SITE_FDS_MAX];
	uint32_t waits = s->site->waits_for(s->site->context, fds), clients = s->count, n = 0;

	for (uint32_t i = 0; i < clients; i++)
		polls[n++] =
			(struct pollfd){ .fd = s->clients[i]->fd, .events = wishes(s->clients[i]) };
	polls[n++] = (struct pollfd){ .fd = s->listener, .events = POLLIN };
	for (uint32_t i = 0; i < waits; i++)
		polls[n++] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	if (poll(polls, n, TURN_MS) < 0 && errno != EINTR)
		return 1;
	if (s->site->work(s->site->context))
		return 1;
	for (uint32_t i = clients;
	     i-- > 0;) /* backwards, because the last client moves into a freed place */
		if (serve(s, s->clients[i], polls[i].revents) || is_too_slow(s->clients[i]))
			drop(s, i);
	if (polls[clients].revents)
		welcome(s);
	return 0;
}

void server_run(int listener, const struct site *site)
{
	struct server s = { .listener = listener, .site = site };

	while (!turn(&s))
		;
	while (s.count)
		drop(&s, s.count - 1);
	close(listener);
}
